// Derivatives of forward dynamics: differentiating tau = ID(q, qd, FD(q, qd, tau)) gives
//     M dqdd/dq = -dtau/dq,   M dqdd/dqd = -dtau/dqd,   M dqdd/dtau = 1
// with the derivatives of inverse dynamics at the accelerations that forward dynamics finds. These
// come from the same composite quantities: first at qdd = 0, where they give M and the bias, then
// moved on to the solution.
#ifndef ARNE_ALGO_FORWARD_DYNAMICS_DERIVATIVES_K_H
#define ARNE_ALGO_FORWARD_DYNAMICS_DERIVATIVES_K_H

#include "algo/call.k.h"
#include "algo/factor.k.h"
#include "algo/inverse_dynamics.k.h"
#include "algo/inverse_dynamics_derivatives.k.h"
#include "algo/mass_matrix.k.h"

// c + g + friction - J^T loads, from composite forces at qdd = 0 of the user. The tree is then
// accelerated only where its coordinates are functions of the user's.
ARNE_TEXT void composite_bias(const arne_robot *r, const work *w, const real *q, const real *qd,
                              real *bias)
{
    const dof *dofs = robot_dofs(r);
    for (int k = 0; k < r->tree_v_count; k++) {
        bias[k] = power(w->S[k], w->F[dofs[k].body]);
        if (r->has_friction) bias[k] = r_add(bias[k], friction(&dofs[k], qd[k]));
    }
    for (int k = 0; r->is_curved && r->has_rotor && k < r->tree_v_count; k++)
        bias[k] = r_add_mul(bias[k], r_num(dofs[k].rotor), w->tree_qdd[k]);
    add_springs(r, q, qd, bias);
}

// From qdd = 0 to qdd: every body is accelerated by the sum e of S qdd on the way to it, and the
// forces of all that it carries change by I e and, for each joint further out, by its own I S qdd
// (collected in virtual_h).
ARNE_TEXT void move_to_acceleration(const arne_robot *r, work *w, const real *qdd)
{
    const body *bodies = robot_bodies(r);
    for (int i = 1; i < r->body_count; i++) {
        const body  *b = &bodies[i];
        const motion e_p = b->parent ? w->virtual_v[b->parent] : motion_zero();
        motion       e = e_p;
        for (int k = b->v_start; k < b->v_start + b->v_count; k++) {
            w->psi_rate[k] = motion_add(w->psi_rate[k], cross_motion(e_p, w->S[k]));
            e = motion_add_scaled(e, w->S[k], qdd[k]);
        }
        w->virtual_v[i] = e;
        w->virtual_h[i] = force_zero();
        w->bias[i] = motion_sub(e, e_p);
        w->a_c[i] = motion_add(w->a_c[i], e);
    }
    for (int i = r->body_count - 1; i > 0; i--) {
        const int p = bodies[i].parent;
        w->F[i] =
            force_add(w->F[i], force_add(momentum(w->I[i], w->virtual_v[i]), w->virtual_h[i]));
        if (p == 0) continue;
        const force own = momentum(w->I[i], w->bias[i]);
        w->virtual_h[p] = force_add(w->virtual_h[p], force_add(w->virtual_h[i], own));
    }
}

// The composite quantities at the user's qdd, from those at qdd = 0.
ARNE_TEXT void move_to_user(const arne_robot *r, work *w, const real *qd, const real *qdd)
{
    const real *more = tree_v(r, w, qdd, r->is_curved ? w->tree_qddd : w->tree_qdd);
    move_to_acceleration(r, w, more);
    if (!r->is_curved) return;
    tree_rates(r, w, w->tree_q, qd, qdd);
    slope_rates(r, w, qd, qdd);
}

ARNE_TEXT void solve_minus(const arne_robot *r, const work *w, real *X)
{
    row_scale(r->v_count * r->v_count, X, r_num(-1));
    factor_solve_rows(r->v_count, robot_factor_parents(r), w->matrix, r->v_count, X);
}

CALL(FORWARD_DYNAMICS_DERIVATIVES)
{
    const arne_robot *r = c->r;
    work             *w = c->w;
    const int         n = r->v_count, *above = robot_factor_parents(r);
    real             *M = tree_out(r, w->matrix, w->tree_matrix), *qdd = OUT(qdd);
    real             *bias = tree_out(r, w->scratch, w->tree_tau);
    call_parts(c, w->zero);
    common_composites(r, w);
    composite_mass_matrix(r, w, M);
    collect_matrix(r, w, M, w->matrix);
    composite_bias(r, w, r->shares_coordinates ? w->tree_q : IN(q),
                   r->shares_coordinates ? w->tree_qd : IN(qd), bias);
    collect(r, w, bias, w->scratch);
    factor(n, above, w->matrix);
    for (int k = 0; k < n; k++)
        qdd[k] = r_sub(IN(tau)[k], w->scratch[k]);
    factor_solve(n, above, w->matrix, qdd);
    move_to_user(r, w, IN(qd), qdd);
    composite_derivatives(r, w, OUT(dqdd_dq), OUT(dqdd_dqd), NULL);
    solve_minus(r, w, OUT(dqdd_dq));
    solve_minus(r, w, OUT(dqdd_dqd));
    if (WANTED(dqdd_dtau)) factor_invert(n, above, w->matrix, OUT(dqdd_dtau));
    return suspicious(n, w->matrix, n + 1, robot_least(r));
}

#endif
