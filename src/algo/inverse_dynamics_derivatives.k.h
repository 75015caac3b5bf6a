// dtau/dq, dtau/dqd and dtau/dqdd in O(n d): the sensitivities of Barman 2020, chapter 3, by
// composite bodies (as in Singh, Russo and Wensing 2022). See common.k.h for psi and its rate.
//
// The forces of all that column k carries change, apart from being displaced with it, by
//     along q:  I psi_rate_k + 2 B psi_k      along qd:  I (psi_k + dS_k) + 2 B S_k      along qdd:
//               I S_k
// with composite I and B of whichever of row and column is further out. A row that stays behind,
// nearer the base than the column, also sees the forces displaced: S_k x* F. Rows from k outward
// move with their forces and do not.
#ifndef ARNE_ALGO_INVERSE_DYNAMICS_DERIVATIVES_K_H
#define ARNE_ALGO_INVERSE_DYNAMICS_DERIVATIVES_K_H

#include "algo/call.k.h"
#include "algo/common.k.h"
#include "algo/inverse_dynamics.k.h"

// How the wrench of a body changes, in its own axes, when column k moves: the body is k's own or
// further out.
ARNE_FN force force_along_q(const work *w, int i, int k, int has_loads)
{
    const force c = coriolis_mul(&w->B[i], w->psi[k]);
    force       f = force_add_scaled(momentum(w->I[i], w->psi_rate[k]), c, r_num(2));
    if (has_loads) f = force_add(f, turning_mul(&w->E[i], w->S[k].ang));
    return f;
}
ARNE_FN force force_along_qd(const work *w, int i, int k)
{
    const force c = coriolis_mul(&w->B[i], w->S[k]);
    return force_add_scaled(momentum(w->I[i], w->drift[k]), c, r_num(2));
}
ARNE_FN force force_along_qdd(const work *w, int i, int k) { return momentum(w->I[i], w->S[k]); }

// The rows and columns of k among those that carry it. All three matrices at once; they share most
// of the work.
ARNE_TEXT void derivative_columns(const arne_robot *r, const work *w, int k, int has_loads,
                                  real *dq, real *dqd, real *dqdd)
{
    const dof  *dofs = robot_dofs(r);
    const int   n = r->tree_v_count, i = dofs[k].body;
    const body *b = robot_bodies(r) + i;
    const force along_qd = force_along_qd(w, i, k), along_qdd = force_along_qdd(w, i, k);
    force       along_q = force_along_q(w, i, k, has_loads);
    const vec3  back =
        scale(coriolis_mul_transposed(&w->B[i], w->S[k]), r_num(2)); // 2 B^T S_k, its angular part
    const vec3 lag = has_loads ? turning_mul_transposed(&w->E[i], w->S[k]) : v3_zero();

    for (int l = b->v_start; l < b->v_start + b->v_count; l++) {
        dq[l * n + k] = power(w->S[l], along_q);
        dqd[l * n + k] = power(w->S[l], along_qd);
        dqdd[l * n + k] = power(w->S[l], along_qdd);
    }
    along_q = force_add(along_q, cross_force(w->S[k], w->F[i]));
    for (int l = dofs[b->v_start].above; l >= 0; l = dofs[l].above) {
        const motion *S = &w->S[l];
        real *row = dq + k * n + l; // the five sums are left to the end, to be taken side by side
        vec3  down = add(products(w->psi_rate[l], along_qdd), mul3(w->psi[l].ang, back));
        const vec3 speed = add(products(w->drift[l], along_qdd), mul3(S->ang, back));
        if (has_loads) down = add(down, mul3(S->ang, lag));
        sum3_four(products(*S, along_q), products(*S, along_qd), products(*S, along_qdd), down,
                  &dq[l * n + k], &dqd[l * n + k], &dqdd[l * n + k], row);
        dqdd[k * n + l] = dqdd[l * n + k];
        dqd[k * n + l] = sum3(speed);
    }
}

// With common_parts and common_composites in place, in the tree's coordinates.
ARNE_TEXT void tree_derivatives(const arne_robot *r, const work *w, real *dq, real *dqd, real *dqdd)
{
    const dof  *dofs = robot_dofs(r);
    const int   n = r->tree_v_count;
    real *const out[3] = {dq, dqd, dqdd};
    for (int i = 0; !r->is_chain && i < 3; i++)
        row_zero(n * n, out[i]);
    for (int k = 0; k < n; k++)
        derivative_columns(r, w, k, w->has_loads, dq, dqd, dqdd);
    for (int k = 0; r->has_friction && k < n; k++)
        dqd[k * n + k] = r_add(dqd[k * n + k], r_num(dofs[k].viscous));
    add_spring_matrix(r, w, 0, dq);
    add_spring_matrix(r, w, 1, dqd);
    for (int k = 0; r->has_rotor && k < n; k++)
        dqdd[k * n + k] = r_add(dqdd[k * n + k], r_num(dofs[k].rotor));
}

// The torques of the tree, from composite forces and the motion that tree_motion_of has left.
ARNE_TEXT void composite_torques(const arne_robot *r, const work *w, real *tau)
{
    for (int k = 0; k < r->tree_v_count; k++)
        tau[k] = power(w->S[k], w->F[robot_dofs(r)[k].body]);
    add_joint_torques(r, w->tree_q, w->tree_qd, w->tree_qdd, tau);
}

// Where G varies, velocities and accelerations of the tree change with q too, and G^T does: see
// coordinates.k.h. With T rows over the tree and columns of the user, dtau/dq is G^T T + C.
ARNE_TEXT void curved_derivatives(const arne_robot *r, work *w, const real *m_q, const real *m_qd,
                                  const real *m_qdd, real *dq, real *dqd)
{
    const int n = r->tree_v_count;
    if (dq) {
        collect_columns(r, w, n, m_q, w->curved);
        add_along(r, w, n, m_qd, V_BY_Q, w->curved);
        add_along(r, w, n, m_qdd, A_BY_Q, w->curved);
        collect_rows(r, w, r->v_count, w->curved, dq);
    }
    if (dqd) {
        collect_columns(r, w, n, m_qd, w->curved);
        add_along(r, w, n, m_qdd, A_BY_QD, w->curved);
        collect_rows(r, w, r->v_count, w->curved, dqd);
    }
    if (!dq) return;
    composite_torques(r, w, w->tree_tau);
    add_slope_torques(r, w, w->tree_tau, dq);
}

// Likewise in the user's coordinates; a matrix that is not wanted is computed all the same.
ARNE_TEXT void composite_derivatives(const arne_robot *r, work *w, real *dq, real *dqd, real *dqdd)
{
    const int nn = r->tree_v_count * r->tree_v_count, own = r->shares_coordinates;
    real *m_q = dq && !own ? dq : w->tree_matrix, *m_qd = dqd && !own ? dqd : w->tree_matrix + nn;
    real *m_qdd = dqdd && !own ? dqdd : w->tree_matrix + 2 * nn;
    tree_derivatives(r, w, m_q, m_qd, m_qdd);
    if (r->is_curved) {
        curved_derivatives(r, w, m_q, m_qd, m_qdd, dq, dqd);
    } else {
        if (dq) collect_matrix(r, w, m_q, dq);
        if (dqd) collect_matrix(r, w, m_qd, dqd);
    }
    if (dqdd) collect_matrix(r, w, m_qdd, dqdd);
}

ARNE_TEXT void inverse_dynamics_derivatives(const arne_robot *r, work *w, const real *q,
                                            const real *qd, const real *qdd, const arne_load *loads,
                                            int load_count, real *dq, real *dqd, real *dqdd)
{
    const tree_motion t = tree_motion_of(r, w, q, qd, qdd);
    common_parts(r, w, t.q, t.qd, t.qdd, loads, load_count);
    common_composites(r, w);
    composite_derivatives(r, w, dq, dqd, dqdd);
}

// What every derivative begins with: the parts of all bodies in the common frame, at an
// acceleration.
ARNE_TEXT void call_parts(const call *c, const real *qdd)
{
    const call_settings *s = c->settings;
    const tree_motion    t = tree_motion_of(c->r, c->w, IN(q), IN(qd), qdd);
    common_parts(c->r, c->w, t.q, t.qd, t.qdd, s->loads, s->load_count);
}

CALL(INVERSE_DYNAMICS_DERIVATIVES)
{
    call_parts(c, IN(qdd));
    common_composites(c->r, c->w);
    composite_derivatives(c->r, c->w, OUT(dtau_dq), OUT(dtau_dqd), OUT(dtau_dqdd));
    return 0;
}

#endif
