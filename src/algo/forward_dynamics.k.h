// Forward dynamics in one linear recursion over articulated bodies: Nasser 1989; Khalil 2010,
// section 3.3.2.
//
// With the classical acceleration A = (a, dw) of a body, whose parent's acceleration is carried to
// it by X:
//     A = X A_parent + bias + sum of S_k qdd_k,   f = P A + p
// Inward, columns are eliminated one at a time, the one nearest the body first, so that a joint of
// several velocities is no different from several joints:
//     U_k = P S_k,  D_k = S_k . U_k + rotor_k,  u_k = tau_k - S_k . p
//     P -= U_k U_k^T / D_k,  p += U_k u_k / D_k,  and over the joint p += P bias
// Outward, in the other order: qdd_k = (u_k - U_k . A) / D_k, A += S_k qdd_k.
#ifndef ARNE_ALGO_FORWARD_DYNAMICS_K_H
#define ARNE_ALGO_FORWARD_DYNAMICS_K_H

#include "algo/rotor.k.h"

// Whether every body carries the next one and nothing else: then inertias are not summed up in
// memory.
ARNE_FN int is_bare_chain(const arne_robot *r)
{
    return r->is_chain && !r->shares_coordinates && r->rotor_start == r->body_count;
}

// The inertia of body i; in code for many worlds times a factor of each.
ARNE_FN inertia own_inertia(const work *w, const body *b, int i)
{
    inertia I = inertia_lift(&b->inertia);
#ifdef ARNE_RECORD
    if (w->mass_factor) {
        const real s = w->mass_factor[i];
        I.m = r_mul(s, I.m);
        I.h = scale(I.h, s);
        I.J = sym_scale(I.J, s);
    }
#else
    (void)w;
    (void)i;
#endif
    return I;
}

// What a body is before the body after it, and what others have handed to it.
ARNE_FN articulated own_articulated(const work *w, const body *b, int i, int bare)
{
    return bare ? articulated_from(own_inertia(w, b, i)) : w->A[i];
}

// Poses, angular velocities, and what they alone cause: accelerations across joints and forces p on
// bodies.
ARNE_TEXT void velocities_outward(const arne_robot *r, work *w, const real *q, const real *qd)
{
    const body *bodies = robot_bodies(r);
    start_poses(r, w, q);
    const int bare = is_bare_chain(r);
    vec3      turn = w->v[0].ang; // of the body before, which is the parent in a chain
    w->f[0] = force_zero();
    for (int i = 1; i < r->rotor_start; i++) {
        const body   *b = &bodies[i];
        const pose   *X = next_pose(r, w, i, q);
        const inertia I = own_inertia(w, b, i);
        const vec3    turn_p = b->parent == i - 1 ? turn : w->v[b->parent].ang;
        const vec3    carried = into(X, turn_p);
        turn = add_joint_turn(b, qd, carried);
        const motion centripetal = mo(into(X, cross(turn_p, cross(turn_p, X->p))), v3_zero());

        w->bias[i] = add_joint_bias(b, carried, qd, centripetal);
        w->v[i].ang = turn;
        w->f[i] = fo(cross(turn, cross(turn, I.h)), cross(turn, sym_mul(I.J, turn)));
        if (!bare) w->A[i] = articulated_from(I);
    }
}

// The columns of body i, the first of which is the user's coordinate `user`. Columns that `given`
// marks (NULL: none) have their qdd given: they are not eliminated, and what they do to the body is
// known, p += U_k qdd_k. Their torque is found on the way back.
ARNE_FN void articulate_body(const arne_robot *r, work *w, int i, int user, articulated *P,
                             force *p, const real *qd, const real *tau, const unsigned char *given,
                             const real *qdd)
{
    const body *b = robot_bodies(r) + i;
    for (int j = b->v_count - 1; j >= 0; j--) {
        const dof  *d = robot_dofs(r) + b->v_start + j;
        const int   k = user + j;
        const force U = axis_articulated(d, P);
        const real  along = axis_power(d, p);
        real        held = along; // what the joint must hold before it accelerates
        if (r->has_friction) held = r_add(held, friction(d, qd[b->v_start + j]));
        if (r->spring_count) held = r_add(held, w->pull[b->v_start + j]);
        w->U_k[k] = U;
        w->D[k] = axis_power(d, &U);
        if (r->has_rotor) w->D[k] = r_add(w->D[k], r_num(d->rotor));
        if (given && given[k]) {
            w->u[k] = held;
            *p = force_add_scaled(*p, U, qdd[k]);
            continue;
        }
        w->u[k] = r_sub(tau[k], held);
        w->D_inverse[k] = r_div(r_num(1), w->D[k]);
        articulated_sub_outer(P, U, w->D_inverse[k]);
        *p = force_add_scaled(*p, U, r_mul(w->u[k], w->D_inverse[k]));
        axis_settle(d, P, p, along, w->u[k]);
    }
}

ARNE_TEXT void articulate_inward(const arne_robot *r, work *w, const real *qd, const real *tau,
                                 const unsigned char *given, const real *qdd)
{
    const body *bodies = robot_bodies(r);
    const dof  *dofs = robot_dofs(r);
    for (int i = r->rotor_start; i < r->body_count; i++) {
        const int  k = bodies[i].v_start;
        const real held = r->has_friction ? friction(&dofs[k], qd[k]) : r_num(0);
        rotor_inward(w, &bodies[i], &dofs[k], k, qd[k], tau[k], r_add(held, w->pull[k]),
                     given && given[k], qdd ? qdd[k] : r_num(0));
    }
    const int   bare = is_bare_chain(r);
    articulated P = articulated_zero();
    force       p = force_zero();
    for (int i = r->rotor_start - 1, handed = 0; i > 0; i--) {
        const body *b = &bodies[i];
        if (!handed) { // else they have come from the body after as they are
            P = own_articulated(w, b, i, bare);
            p = w->f[i];
        }
        articulate_body(r, w, i, b->v_start, &P, &p, qd, tau, given, qdd);
        if (w->keeps_wrenches) {
            w->A[i] = P;
            w->f[i] = p;
        }
        handed = b->parent == i - 1;
        if (b->parent == 0) continue; // the base's acceleration is given
        const force carried = force_add(p, articulated_mul(&P, w->bias[i]));
        P = articulated_to_parent(&w->X[i], &P);
        const articulated own = own_articulated(w, &bodies[b->parent], b->parent, bare);
        articulated_add(&P, &own);
        p = force_add(w->f[b->parent], to_parent(&w->X[i], carried));
        if (handed) continue;
        w->A[b->parent] = P;
        w->f[b->parent] = p;
    }
}

// Accelerations; torques of the columns that are given.
ARNE_TEXT void accelerations_outward(const arne_robot *r, work *w, const unsigned char *given,
                                     real *tau, real *qdd)
{
    const body *bodies = robot_bodies(r);
    const dof  *dofs = robot_dofs(r);
    motion      a = w->a[0]; // of the body before, which is the parent in a chain
    for (int i = 1; i < r->rotor_start; i++) {
        const body *b = &bodies[i];
        if (b->parent != i - 1) a = w->a[b->parent];
        a = motion_add(to_child(&w->X[i], a), w->bias[i]);
        for (int k = b->v_start; k < b->v_start + b->v_count; k++) {
            const real carried = power(a, w->U_k[k]);
            if (given && given[k])
                tau[k] = r_add_mul(r_add(w->u[k], carried), w->D[k], qdd[k]);
            else
                qdd[k] = r_mul(r_sub(w->u[k], carried), w->D_inverse[k]);
            a = axis_add(&dofs[k], qdd[k], a);
        }
        w->a[i] = a;
    }
    for (int i = r->rotor_start; i < r->body_count; i++) {
        const int k = bodies[i].v_start;
        rotor_outward(w, &bodies[i], k, given && given[k], tau ? &tau[k] : NULL, &qdd[k]);
    }
}

// What each joint transmits, Khalil's (42), if wanted after the rest: f = P (X A_parent + bias) +
// p, with P and p as they are once the joint's own columns are eliminated.
ARNE_TEXT void wrenches_outward(const arne_robot *r, work *w)
{
    const body *bodies = robot_bodies(r);
    for (int i = 1; i < r->rotor_start; i++) {
        const int    p = bodies[i].parent;
        const motion a = motion_add(to_child(&w->X[i], w->a[p]), w->bias[i]);
        w->f[i] = force_add(w->f[i], articulated_mul(&w->A[i], a));
        if (p == 0) w->f[0] = force_add(w->f[0], to_parent(&w->X[i], w->f[i]));
    }
}

// What springs hold, for articulate_inward.
ARNE_TEXT void spring_torques(const arne_robot *r, work *w, const real *q, const real *qd)
{
    for (int k = 0; r->spring_count && k < r->tree_v_count; k++)
        w->pull[k] = r_num(0);
    add_springs(r, q, qd, w->pull);
}

// In the tree's coordinates; not for robots with mimic joints.
ARNE_TEXT void tree_articulate(const arne_robot *r, work *w, const real *q, const real *qd,
                               const real *tau, const load *f_ext)
{
    velocities_outward(r, w, q, qd);
    subtract_wrenches(r, w, f_ext);
    spring_torques(r, w, q, qd);
    articulate_inward(r, w, qd, tau, NULL, NULL);
}

ARNE_TEXT void tree_forward_dynamics(const arne_robot *r, work *w, const real *q, const real *qd,
                                     const real *tau, const load *f_ext, real *qdd)
{
    tree_articulate(r, w, q, qd, tau, f_ext);
    accelerations_outward(r, w, NULL, NULL, qdd);
}

// Hybrid dynamics: given[k] says that qdd[k] is given and tau[k] wanted, else the other way round.
ARNE_TEXT void tree_hybrid_dynamics(const arne_robot *r, work *w, const real *q, const real *qd,
                                    const unsigned char *given, const load *f_ext, real *tau,
                                    real *qdd)
{
    velocities_outward(r, w, q, qd);
    subtract_wrenches(r, w, f_ext);
    spring_torques(r, w, q, qd);
    articulate_inward(r, w, qd, tau, given, qdd);
    accelerations_outward(r, w, given, tau, qdd);
}

#endif
