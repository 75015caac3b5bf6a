// Rotors in forward dynamics: what a symmetric body on an axis a of its carrier comes to, with no
// pose of its own.
//
// With the carrier turning by w and accelerating by dw, gear g, inertia I about the axis and v the
// coordinate's velocity, the rotor's momentum about its axis is h = I (w . a) + g I v, and
//     the carrier feels  h w x a + (I (dw . a) + g I qdd) a,   the coordinate  g I (g qdd + dw . a)
// A rotor that is free to turn leaves nothing of its inertia about the axis with the carrier: it
// hands on its torque.
#ifndef ARNE_ALGO_ROTOR_K_H
#define ARNE_ALGO_ROTOR_K_H

#include "algo/inverse_dynamics.k.h"

ARNE_FN vec3 rotor_axis(const body *b) { return lift4(&b->placement.z); }
ARNE_FN real rotor_geared(const body *b) { return r_num(b->pitch * b->inertia.J.z.z); }

// g^2 I and what is reflected besides.
ARNE_FN real rotor_whole(const body *b, const dof *d)
{
    return r_num(b->pitch * b->pitch * b->inertia.J.z.z + d->rotor);
}

// The torque that speed alone makes the carrier feel.
ARNE_FN vec3 rotor_gyration(const body *b, vec3 turn, real v)
{
    const vec3 a = rotor_axis(b);
    const real h = r_add_mul(r_mul(rotor_geared(b), v), r_num(b->inertia.J.z.z), dot(turn, a));
    return scale(cross(turn, a), h);
}

// A rotor that is not free to turn leaves its inertia with the carrier. The base's acceleration is
// known: there it is what the inertia takes.
ARNE_FN vec3 rotor_stays(work *w, const body *b)
{
    const vec3   a = rotor_axis(b);
    const double I = b->inertia.J.z.z;
    if (b->parent == 0) return scale(a, r_mul(r_num(I), dot(a, w->a[0].ang)));
    w->A[b->parent].A = sym_sub_outer(w->A[b->parent].A, a, r_num(-I));
    return v3_zero();
}

// Adds what a rotor of coordinate k does to its carrier; held is what friction and springs hold of
// its torque.
ARNE_TEXT void rotor_inward(work *w, const body *b, const dof *d, int k, real v, real tau,
                            real held, int is_given, real qdd)
{
    const int  c = b->parent;
    const vec3 a = rotor_axis(b);
    const real geared = rotor_geared(b);
    vec3       p = rotor_gyration(b, w->v[c].ang, v);
    w->D[k] = rotor_whole(b, d);
    if (is_given) {
        w->u[k] = held;
        p = add_scaled(p, a, r_mul(geared, qdd));
        p = add(p, rotor_stays(w, b));
    } else {
        w->u[k] = r_sub(tau, held);
        w->D_inverse[k] = r_div(r_num(1), w->D[k]);
        p = add_scaled(p, a, r_mul(geared, r_mul(w->u[k], w->D_inverse[k])));
    }
    w->f[c].ang = add(w->f[c].ang, p);
}

// qdd, or the torque where qdd is given, once the carrier's acceleration is known.
ARNE_TEXT void rotor_outward(const work *w, const body *b, int k, int is_given, real *tau,
                             real *qdd)
{
    const real carried = r_mul(rotor_geared(b), dot(rotor_axis(b), w->a[b->parent].ang));
    if (is_given)
        *tau = r_add_mul(r_add(w->u[k], carried), w->D[k], *qdd);
    else
        *qdd = r_mul(r_sub(w->u[k], carried), w->D_inverse[k]);
}

#endif
