// Derivatives of inverse dynamics times a vector, from either side, in O(bodies). See common.k.h
// for psi and its rate.
//
// Along (x, y, z) for q, qd and qdd: outward, each body is displaced by D = sum of S x, its twist
// changes besides by P = sum of psi x + S y, and its acceleration by what Q = sum of psi_rate x +
// (psi + dS) y + S z stands for. Inward, forces change by D x* f + I Q + 2 B P, and a joint sees
// that less what it is displaced itself:
//     dtau_k = S_k . (sum of changes - D x* F)
//
// Against lambda: the sum of lambda tau is the power of all forces at the virtual velocity u = sum
// of S lambda. With W = sum of I u and Y = sum of 2 B^T u over what a joint carries, and phi_k =
// u_p x S_k:
//     along q: phi . F + psi_rate . W + psi . Y     along qd: (psi + dS) . W + S . Y     along qdd:
//     S . W
#ifndef ARNE_ALGO_DIRECTIONAL_K_H
#define ARNE_ALGO_DIRECTIONAL_K_H

#include "algo/call.k.h"
#include "algo/common.k.h"
#include "algo/inverse_dynamics_derivatives.k.h"

ARNE_FN motion add_column(motion sum, motion column, const real *x, int k)
{
    return x ? motion_add_scaled(sum, column, x[k]) : sum;
}

ARNE_TEXT void changes_outward(const arne_robot *r, work *w, const real *x, const real *y,
                               const real *z)
{
    const body *bodies = robot_bodies(r);
    for (int i = 1; i < r->body_count; i++) {
        const body *b = &bodies[i];
        const int   p = b->parent;
        motion      D = p ? w->virtual_v[p] : motion_zero(), P = p ? w->bias[p] : motion_zero();
        motion      Q = p ? w->jerk[p] : motion_zero();
        for (int k = b->v_start; k < b->v_start + b->v_count; k++) {
            D = add_column(D, w->S[k], x, k);
            P = add_column(add_column(P, w->psi[k], x, k), w->S[k], y, k);
            Q = add_column(add_column(Q, w->psi_rate[k], x, k), w->drift[k], y, k);
            Q = add_column(Q, w->S[k], z, k);
        }
        w->virtual_v[i] = D;
        w->bias[i] = P;
        w->jerk[i] = Q;
        force g = force_add(cross_force(D, w->F[i]), momentum(w->I[i], Q));
        g = force_add_scaled(g, coriolis_mul(&w->B[i], P), r_num(2));
        if (w->has_loads) g = force_add(g, turning_mul(&w->E[i], D.ang));
        w->virtual_h[i] = g;
    }
}

ARNE_TEXT void tree_inverse_dynamics_along(const arne_robot *r, work *w, const real *x,
                                           const real *y, const real *z, real *dtau)
{
    const body *bodies = robot_bodies(r);
    const dof  *dofs = robot_dofs(r);
    changes_outward(r, w, x, y, z);
    composite_forces(r, w);
    for (int i = r->body_count - 1; i > 0; i--) {
        const body *b = &bodies[i];
        const force seen = force_sub(w->virtual_h[i], cross_force(w->virtual_v[i], w->F[i]));
        for (int k = b->v_start; k < b->v_start + b->v_count; k++) {
            dtau[k] = power(w->S[k], seen);
            if (y) dtau[k] = r_add_mul(dtau[k], r_num(dofs[k].viscous), y[k]);
            if (z) dtau[k] = r_add_mul(dtau[k], r_num(dofs[k].rotor), z[k]);
        }
        if (b->parent > 0)
            w->virtual_h[b->parent] = force_add(w->virtual_h[b->parent], w->virtual_h[i]);
    }
    add_spring_product(r, w, 0, x, dtau);
    add_spring_product(r, w, 1, y, dtau);
}

// Virtual velocities and phi outward; the parts of W, Y and of the loads' lag of each body.
ARNE_TEXT void virtual_outward(const arne_robot *r, work *w, const real *lambda)
{
    const body *bodies = robot_bodies(r);
    for (int i = 1; i < r->body_count; i++) {
        const body  *b = &bodies[i];
        const motion u_p = b->parent ? w->virtual_v[b->parent] : motion_zero();
        motion       u = u_p;
        for (int k = b->v_start; k < b->v_start + b->v_count; k++) {
            w->phi[k] = cross_motion(u_p, w->S[k]);
            u = motion_add_scaled(u, w->S[k], lambda[k]);
        }
        w->virtual_v[i] = u;
        w->virtual_h[i] = momentum(w->I[i], u);
        w->virtual_c[i] = scale(coriolis_mul_transposed(&w->B[i], u), r_num(2));
        if (w->has_loads) w->virtual_e[i] = turning_mul_transposed(&w->E[i], u);
    }
}

ARNE_TEXT void virtual_composites(const arne_robot *r, work *w)
{
    const body *bodies = robot_bodies(r);
    composite_forces(r, w);
    for (int i = r->body_count - 1; i > 0; i--) {
        const int p = bodies[i].parent;
        if (p == 0) continue;
        w->virtual_h[p] = force_add(w->virtual_h[p], w->virtual_h[i]);
        w->virtual_c[p] = add(w->virtual_c[p], w->virtual_c[i]);
        if (w->has_loads) w->virtual_e[p] = add(w->virtual_e[p], w->virtual_e[i]);
    }
}

ARNE_TEXT void tree_inverse_dynamics_against(const arne_robot *r, work *w, const real *lambda,
                                             real *dq, real *dqd, real *dqdd)
{
    const dof *dofs = robot_dofs(r);
    virtual_outward(r, w, lambda);
    virtual_composites(r, w);
    for (int k = 0; k < r->tree_v_count; k++) {
        const int    i = dofs[k].body;
        const force  W = w->virtual_h[i];
        const vec3   Y = w->virtual_c[i];
        const motion both = w->drift[k];
        dq[k] = r_add(power(w->phi[k], w->F[i]),
                      r_add(power(w->psi_rate[k], W), dot(w->psi[k].ang, Y)));
        if (w->has_loads) dq[k] = r_add(dq[k], dot(w->S[k].ang, w->virtual_e[i]));
        dqd[k] = r_add_mul(r_add(power(both, W), dot(w->S[k].ang, Y)), r_num(dofs[k].viscous),
                           lambda[k]);
        dqdd[k] = r_add_mul(power(w->S[k], W), r_num(dofs[k].rotor), lambda[k]);
    }
    add_spring_product(r, w, 0, lambda, dq);
    add_spring_product(r, w, 1, lambda, dqd);
}

// Where G varies, a direction of q is also one of the tree's velocities and accelerations, and one
// of qd of its accelerations. Adds this to the tree's directions y and z.
ARNE_TEXT void bend_directions(const arne_robot *r, const work *w, const real *dq, const real *dqd,
                               real *y, real *z)
{
    for (int i = 0; i < r->slope_count; i++) {
        const slope_record *s = &robot_slopes(r)[i];
        if (dq) y[s->v] = r_add_mul(y[s->v], w->slope_v[i], dq[s->from_v]);
        if (dq) z[s->v] = r_add_mul(z[s->v], w->slope_a[i], dq[s->from_v]);
        if (dqd) z[s->v] = r_add_mul(z[s->v], r_num(2), r_mul(w->slope_v[i], dqd[s->from_v]));
    }
    if (dq) exponents_spread(r, w->G_v, dq, y);
    if (dq) exponents_spread(r, w->G_a, dq, z);
    if (dqd) exponents_spread(r, w->G_v, dqd, z);
    if (dqd) exponents_spread(r, w->G_rate, dqd, z);
}

// Adds how G^T tau changes along dq where tau stays.
ARNE_TEXT void add_curved_along(const arne_robot *r, work *w, const real *tau, const real *dq,
                                real *dtau)
{
    for (int i = 0; i < r->slope_count; i++) {
        const slope_record *s = &robot_slopes(r)[i];
        const real          change = r_mul(w->slope[SLOPE_ORDERS * i + 1], dq[s->with_v]);
        dtau[s->from_v] = r_add_mul(dtau[s->from_v], change, tau[s->v]);
    }
    if (r->exponent_count) exponents_torques_along(r, w, tau, dq, dtau);
}

// The torques of the tree before its forces are summed up; uses virtual_h.
ARNE_TEXT void separate_torques(const arne_robot *r, work *w, real *tau)
{
    const body *bodies = robot_bodies(r);
    for (int i = 1; i < r->body_count; i++)
        w->virtual_h[i] = w->F[i];
    for (int i = r->body_count - 1; i > 0; i--) {
        for (int k = bodies[i].v_start; k < bodies[i].v_start + bodies[i].v_count; k++)
            tau[k] = power(w->S[k], w->virtual_h[i]);
        const int p = bodies[i].parent;
        if (p > 0) w->virtual_h[p] = force_add(w->virtual_h[p], w->virtual_h[i]);
    }
    add_joint_torques(r, w->tree_q, w->tree_qd, w->tree_qdd, tau);
}

// dtau along dq, dqd and dqdd, of which any may be NULL.
ARNE_TEXT void inverse_dynamics_along(const arne_robot *r, work *w, const real *q, const real *qd,
                                      const real *qdd, const arne_load *loads, int load_count,
                                      const real *dq, const real *dqd, const real *dqdd, real *dtau)
{
    real             *out = tree_out(r, dtau, w->tree_tau), *tau = w->tree_rate;
    const tree_motion t = tree_motion_of(r, w, q, qd, qdd);
    common_parts(r, w, t.q, t.qd, t.qdd, loads, load_count);
    if (r->is_curved) {
        separate_torques(r, w, tau);
        if (!dqd) dqd = w->zero;
        if (!dqdd) dqdd = w->zero;
    }
    // the state is spent by now, so its arrays may take the directions
    const real *x = dq ? tree_v(r, w, dq, w->tree_qd) : NULL;
    const real *y = dqd ? tree_v(r, w, dqd, w->tree_qdd) : NULL;
    const real *z = dqdd ? tree_v(r, w, dqdd, w->tree_qddd) : NULL;
    if (r->is_curved) bend_directions(r, w, dq, dqd, w->tree_qdd, w->tree_qddd);
    tree_inverse_dynamics_along(r, w, x, y, z, out);
    collect(r, w, out, dtau);
    if (dq) add_curved_along(r, w, tau, dq, dtau);
}

// The gradient of lambda . tau; what is NULL is not wanted.
ARNE_TEXT void inverse_dynamics_against(const arne_robot *r, work *w, const real *q, const real *qd,
                                        const real *qdd, const arne_load *loads, int load_count,
                                        const real *lambda, real *dq, real *dqd, real *dqdd)
{
    const int         n = r->tree_v_count;
    real             *x = w->scratch, *y = x + n, *z = y + n, *tau = w->tree_rate;
    real *const       user[3] = {dq, dqd, dqdd};
    const tree_motion t = tree_motion_of(r, w, q, qd, qdd);
    common_parts(r, w, t.q, t.qd, t.qdd, loads, load_count);
    if (r->is_curved) separate_torques(r, w, tau);
    tree_inverse_dynamics_against(r, w, tree_v(r, w, lambda, w->tree_tau), x, y, z);
    deliver_along(r, w, 1, 0, x, user);
    deliver_along(r, w, 1, 1, y, user);
    deliver_along(r, w, 1, 2, z, user);
    for (int i = 0; dq && i < r->slope_count; i++) {
        const slope_record *s = &robot_slopes(r)[i];
        const real          change = r_mul(w->slope[SLOPE_ORDERS * i + 1], lambda[s->from_v]);
        dq[s->with_v] = r_add_mul(dq[s->with_v], change, tau[s->v]);
    }
    if (dq && r->exponent_count) exponents_torques_against(r, w, tau, lambda, dq);
}

CALL(INVERSE_DYNAMICS_ALONG)
{
    inverse_dynamics_along(c->r, c->w, IN(q), IN(qd), IN(qdd), c->settings->loads,
                           c->settings->load_count, IN(along_q), IN(along_qd), IN(along_qdd),
                           OUT(dtau));
    return 0;
}

CALL(INVERSE_DYNAMICS_AGAINST)
{
    inverse_dynamics_against(c->r, c->w, IN(q), IN(qd), IN(qdd), c->settings->loads,
                             c->settings->load_count, IN(multiplier), OUT(against_q),
                             OUT(against_qd), OUT(against_qdd));
    return 0;
}

#endif
