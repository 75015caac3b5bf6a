// Direct dynamics in one recursion where some coordinates move several bodies: mimic joints, and rotors that turn with
// their joint.
//
// Such a coordinate h cannot be eliminated at the bodies it moves. It is carried inward as a handle with its force U_h,
// what is left of its torque u_h and the numbers D_hg between handles,
//     f = P A + p + sum of U_h qdd_h,   u_h = U_h . A + sum over g of D_hg qdd_g
// until the first body that carries all it moves; there it is a column like any other. A column k eliminated on the way
// couples to a handle by E_h = S_k . U_h. With few handles at a body, as motors near their joints have, the cost is linear.
#ifndef ARNE_ALGO_FORWARD_DYNAMICS_SHARED_K_H
#define ARNE_ALGO_FORWARD_DYNAMICS_SHARED_K_H

#include "algo/forward_dynamics.k.h"

// The handles of a body while it is worked on.
typedef struct handles {
    const handle *h;
    force        *U;
    real         *u, *D;
    int           count;
} handles;

ARNE_FN handles handles_of(const arne_robot *r, const work *w, int i)
{
    const handle_span s = robot_handle_spans(r)[i];
    const handles     H = {robot_handles(r) + s.start, w->U_h + s.start, w->u_h + s.start,
                           w->D_h + s.pairs, s.count};
    return H;
}

// Takes x out of the body's equations, where u = D x + U . A + sum of E_h qdd_h.
ARNE_TEXT void eliminate(articulated *P, force *p, const handles *H, force U, real D_inverse,
                         real u, const real *E)
{
    const real x = r_mul(u, D_inverse);
    articulated_sub_outer(P, U, D_inverse);
    *p = force_add_scaled(*p, U, x);
    for (int g = 0; g < H->count; g++) {
        const real e = r_mul(E[g], D_inverse);
        H->U[g] = force_add_scaled(H->U[g], U, r_neg(e));
        H->u[g] = r_fms(H->u[g], E[g], x);
        for (int h = 0; h < H->count; h++)
            H->D[g * H->count + h] = r_fms(H->D[g * H->count + h], e, E[h]);
    }
}

// The same where x is given: what it does is known, and its torque is found on the way back.
ARNE_TEXT void take_given(force *p, const handles *H, force U, real x, const real *E)
{
    *p = force_add_scaled(*p, U, x);
    for (int g = 0; g < H->count; g++)
        H->u[g] = r_fms(H->u[g], E[g], x);
}

// Handles that end at this body are columns now, which couple to the others by their row of D. The row is kept for the way
// back, with the inverse of D_hh (D_hh itself where qdd is given); the others forget them.
ARNE_TEXT void end_handles(articulated *P, force *p, handles *H, const real *tau,
                           const unsigned char *given, const real *qdd)
{
    const int n = H->count;
    for (int h = 0; h < n; h++) {
        if (H->h[h].up >= 0) continue;
        const int  k = H->h[h].coordinate, known = given && given[k];
        real      *row = H->D + h * n;
        const real D = row[h], kept = known ? D : r_div(r_num(1), D);
        row[h] = r_num(0);
        if (known) {
            take_given(p, H, H->U[h], qdd[k], row);
        } else {
            H->u[h] = r_add(H->u[h], tau[k]);
            eliminate(P, p, H, H->U[h], kept, H->u[h], row);
        }
        for (int g = 0; g < n; g++) // but those that ended before it
            if (g > h || H->h[g].up >= 0) H->D[g * n + h] = r_num(0);
        row[h] = kept;
    }
}

// A column that belongs to a handle joins it.
ARNE_TEXT void join_handle(const dof *d, const articulated *P, const force *p, handles *H, int h,
                           real ratio, real held)
{
    const int   n = H->count;
    const force U = axis_articulated(d, P);
    const real  total = r_add(axis_power(d, &U), r_num(d->rotor));
    for (int g = 0; g < n; g++) {
        if (H->h[g].up < 0) continue;
        const real e = r_mul(ratio, axis_power(d, &H->U[g]));
        H->D[h * n + g] = r_add(H->D[h * n + g], e);
        H->D[g * n + h] = r_add(H->D[g * n + h], e); // twice for h itself
    }
    H->D[h * n + h] = r_fma(H->D[h * n + h], r_mul(ratio, ratio), total);
    H->U[h] = force_add_scaled(H->U[h], U, ratio);
    H->u[h] = r_fms(H->u[h], ratio, r_add(axis_power(d, p), held));
}

ARNE_TEXT int find_handle(const handles *H, int coordinate)
{
    int h = H->count - 1;
    while (h >= 0 && H->h[h].coordinate != coordinate)
        h--;
    return h;
}

// Of one body: its columns. Handles that have ended here no longer take part.
ARNE_TEXT void articulate_columns(const arne_robot *r, work *w, int i, force *p, handles *H,
                                  const real *qd, const real *tau, const unsigned char *given,
                                  const real *qdd)
{
    const body   *b = robot_bodies(r) + i;
    const source *from = robot_v_sources(r);
    real         *E = w->E_h + robot_handle_spans(r)[i].cross;
    for (int k = b->v_start + b->v_count - 1; k >= b->v_start; k--) {
        const dof *d = robot_dofs(r) + k;
        const int  shared = find_handle(H, from[k].from);
        real      *e = E + (k - b->v_start) * H->count;
        real       held = r->spring_count ? w->pull[k] : r_num(0);
        if (r->has_friction) held = r_add(held, friction(d, qd[k]));
        if (shared >= 0) {
            join_handle(d, &w->A[i], p, H, shared, r_num(from[k].ratio), held);
            continue;
        }
        const force U = axis_articulated(d, &w->A[i]);
        w->U_k[k] = U;
        w->D[k] = r_add(axis_power(d, &U), r_num(d->rotor));
        for (int g = 0; g < H->count; g++)
            e[g] = H->h[g].up >= 0 ? axis_power(d, &H->U[g]) : r_num(0);
        held = r_add(held, axis_power(d, p));
        if (given && given[from[k].from]) {
            w->u[k] = r_neg(held);
            take_given(p, H, U, qdd[from[k].from], e);
            continue;
        }
        w->D_inverse[k] = r_div(r_num(1), w->D[k]);
        w->u[k] = r_sub(tau[from[k].from], held);
        eliminate(&w->A[i], p, H, U, w->D_inverse[k], w->u[k], e);
    }
}

// A rotor that turns with its joint: its inertia stays with the carrier, and its share of the handle starts there.
ARNE_TEXT void shared_rotor_inward(const arne_robot *r, work *w, int i, real v, real held)
{
    const body       *b = robot_bodies(r) + i;
    const int         slot = robot_handles(r)[robot_handle_spans(r)[i].start].up;
    const handle_span to = robot_handle_spans(r)[b->parent];
    const int         own = to.pairs + (slot - to.start) * (to.count + 1);
    const vec3        p = add(rotor_gyration(b, w->v[b->parent].ang, v), rotor_stays(w, b));
    w->f[b->parent].ang = add(w->f[b->parent].ang, p);
    w->U_h[slot].ang = add_scaled(w->U_h[slot].ang, rotor_axis(b), rotor_geared(b));
    w->u_h[slot] = r_sub(w->u_h[slot], held);
    w->D_h[own] = r_add(w->D_h[own], rotor_whole(b, robot_dofs(r) + b->v_start));
}

ARNE_TEXT void shared_rotors_inward(const arne_robot *r, work *w, const real *qd, const real *tau,
                                    const unsigned char *given, const real *qdd)
{
    for (int i = r->rotor_start; i < r->body_count; i++) {
        const body *b = robot_bodies(r) + i;
        const int   k = b->v_start, user = robot_v_sources(r)[k].from;
        const dof  *d = robot_dofs(r) + k;
        real        held = r->has_friction ? friction(d, qd[k]) : r_num(0);
        if (r->spring_count) held = r_add(held, w->pull[k]);
        if (robot_handle_spans(r)[i].count)
            shared_rotor_inward(r, w, i, qd[k], held);
        else
            rotor_inward(w, b, d, k, qd[k], tau[user], held, given && given[user], qdd[user]);
    }
}

// Everything that a body hands to its parent.
ARNE_TEXT void hand_to_parent(const arne_robot *r, work *w, int i, force p, const handles *H)
{
    const int   above = robot_bodies(r)[i].parent, n = H->count;
    const pose *X = &w->X[i];
    if (above > 0) { // the base's acceleration is given
        p = force_add(p, articulated_mul(&w->A[i], w->bias[i]));
        w->f[above] = force_add(w->f[above], to_parent(X, p));
        articulated_add(&w->A[above], articulated_to_parent(X, &w->A[i]));
    }
    if (!n) return;
    const handle_span to = robot_handle_spans(r)[above];
    for (int g = 0; g < n; g++) {
        const int u = H->h[g].up;
        if (u < 0) continue;
        w->U_h[u] = force_add(w->U_h[u], to_parent(X, H->U[g]));
        w->u_h[u] = r_add(w->u_h[u], r_sub(H->u[g], power(w->bias[i], H->U[g])));
        for (int h = 0; h < n; h++) {
            real *D = w->D_h + to.pairs + (u - to.start) * to.count;
            if (H->h[h].up >= 0)
                D[H->h[h].up - to.start] = r_add(D[H->h[h].up - to.start], H->D[g * n + h]);
        }
    }
}

ARNE_TEXT void shared_inward(const arne_robot *r, work *w, const real *qd, const real *tau,
                             const unsigned char *given, const real *qdd)
{
    for (int h = 0; h < r->handle_count; h++) {
        w->U_h[h] = force_zero();
        w->u_h[h] = r_num(0);
    }
    for (int h = 0; h < r->handle_pairs; h++)
        w->D_h[h] = r_num(0);
    w->A[0] = articulated_from(inertia_lift(&robot_bodies(r)->inertia));
    shared_rotors_inward(r, w, qd, tau, given, qdd);
    for (int i = r->rotor_start - 1; i >= 0; i--) {
        handles H = handles_of(r, w, i);
        force   p = w->f[i];
        end_handles(&w->A[i], &p, &H, tau, given, qdd);
        articulate_columns(r, w, i, &p, &H, qd, tau, given, qdd);
        if (i == 0) break;
        w->f[i] = p; // for shared_wrenches
        hand_to_parent(r, w, i, p, &H);
    }
}

// Of handle h that ended at a body that accelerates by a: qdd, or its torque where qdd is given.
ARNE_TEXT void handle_outward(const handles *H, int h, motion a, const unsigned char *given,
                              real *tau, real *qdd)
{
    const int  n = H->count, k = H->h[h].coordinate;
    const real own = H->D[h * n + h];
    real       left = r_sub(H->u[h], power(a, H->U[h]));
    for (int g = 0; g < n; g++) // those that ended before it it does not know
        if (g > h || H->h[g].up >= 0) left = r_fms(left, H->D[h * n + g], qdd[H->h[g].coordinate]);
    if (given && given[k])
        tau[k] = r_fms(r_neg(left), r_neg(own), qdd[k]);
    else
        qdd[k] = r_mul(left, own);
}

// Of column k, likewise; E are its numbers with the handles that go on.
ARNE_TEXT void column_outward(const work *w, int k, const handles *H, const real *E, motion a,
                              int is_given, real *tau, real *qdd, real *x)
{
    real left = r_sub(w->u[k], power(a, w->U_k[k]));
    for (int g = 0; g < H->count; g++)
        if (H->h[g].up >= 0) left = r_fms(left, E[g], qdd[H->h[g].coordinate]);
    if (is_given)
        *tau = r_fms(r_neg(left), r_neg(w->D[k]), *x);
    else
        *x = r_mul(left, w->D_inverse[k]);
}

// Accelerations, and torques where these are given, in the user's coordinates.
ARNE_TEXT void shared_outward(const arne_robot *r, work *w, const unsigned char *given, real *tau,
                              real *qdd)
{
    const source *from = robot_v_sources(r);
    for (int i = 0; i < r->rotor_start; i++) {
        const body   *b = robot_bodies(r) + i;
        const handles H = handles_of(r, w, i);
        const real   *E = w->E_h + robot_handle_spans(r)[i].cross;
        motion        a = w->a[i];
        if (i > 0) a = motion_add(to_child(&w->X[i], w->a[b->parent]), w->bias[i]);
        for (int k = b->v_start; k < b->v_start + b->v_count; k++) {
            const int user = from[k].from;
            if (find_handle(&H, user) < 0)
                column_outward(w, k, &H, E + (k - b->v_start) * H.count, a, given && given[user],
                               &tau[user], qdd, &qdd[user]);
            a = axis_add(&robot_dofs(r)[k], r_mul(r_num(from[k].ratio), qdd[user]), a);
        }
        w->a[i] = a;
        for (int h = H.count - 1; h >= 0; h--)
            if (H.h[h].up < 0) handle_outward(&H, h, a, given, tau, qdd);
    }
    for (int i = r->rotor_start; i < r->body_count; i++) {
        const int k = robot_bodies(r)[i].v_start, user = from[k].from;
        if (!robot_handle_spans(r)[i].count)
            rotor_outward(w, robot_bodies(r) + i, k, given && given[user], &tau[user], &qdd[user]);
    }
}

// given[k] (NULL: none) says that qdd[k] is given and tau[k] wanted, else the other way round.
ARNE_TEXT void shared_forward_dynamics(const arne_robot *r, work *w, const real *q, const real *qd,
                                       const unsigned char *given, const load *f_ext, real *tau,
                                       real *qdd)
{
    const real *x = tree_q(r, w, q), *v = tree_v(r, qd, w->tree_qd);
    joint_poses(r, w, x);
    velocities_outward(r, w, v);
    subtract_wrenches(r, w, f_ext);
    spring_torques(r, w, x, v);
    shared_inward(r, w, v, tau, given, qdd);
    shared_outward(r, w, given, tau, qdd);
    for (int k = 0; k < r->v_count; k++)
        w->acceleration[k] = qdd[k];
    w->by_handles = 1;
}

// What each joint transmits, if wanted after the rest: as wrenches_outward, with what the handles do.
ARNE_TEXT void shared_wrenches(const arne_robot *r, work *w)
{
    wrenches_outward(r, w);
    for (int i = 1; i < r->rotor_start; i++) {
        const handles H = handles_of(r, w, i);
        force         more = force_zero();
        for (int h = 0; h < H.count; h++)
            if (H.h[h].up >= 0)
                more = force_add_scaled(more, H.U[h], w->acceleration[H.h[h].coordinate]);
        w->f[i] = force_add(w->f[i], more);
        if (robot_bodies(r)[i].parent == 0) w->f[0] = force_add(w->f[0], to_parent(&w->X[i], more));
    }
    for (int i = r->rotor_start; i < r->body_count; i++) { // what those on the base take of theirs
        const body       *b = robot_bodies(r) + i;
        const handle_span span = robot_handle_spans(r)[i];
        if (b->parent > 0 || !span.count) continue;
        const real x = w->acceleration[robot_handles(r)[span.start].coordinate];
        w->f[0].ang = add_scaled(w->f[0].ang, rotor_axis(b), r_mul(rotor_geared(b), x));
    }
}

#endif
