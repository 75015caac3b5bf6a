// Second derivatives of the sum of lambda tau, for joints of one coordinate, in O(n d).
//
// The gradient of directional.k.h is differentiated once more. For m further out than k, or m = k,
// only the composite quantities of what m carries change: displaced with S_m, and besides
//     F by I psi_rate_m + 2 B psi_m along q,  by I (psi_m + dS_m) + 2 B S_m along qd,  by I S_m
//     along qdd
//     W by I phi_m along q,   Y by 2 B^T phi_m - 2 C^T psi_m along q and by -2 C^T S_m along qd
// where C is to the virtual velocities u what B is to v. The rest is symmetry.
#ifndef ARNE_ALGO_SECOND_DERIVATIVES_K_H
#define ARNE_ALGO_SECOND_DERIVATIVES_K_H

#include "algo/call.k.h"
#include "algo/directional.k.h"
#include "algo/inverse_dynamics_derivatives.k.h"

// Columns k that carry m, and m itself; entries [q row][column].
ARNE_TEXT void second_derivative_columns(const arne_robot *r, const work *w, int m, real *qq,
                                         real *qv, real *vv, real *qa)
{
    const dof   *dofs = robot_dofs(r);
    const int    n = r->tree_v_count, i = dofs[m].body;
    const motion S_m = w->S[m];
    const real   two = r_num(2);
    const force  F_q = force_add(force_along_q(w, i, m, 0), cross_force(S_m, w->F[i]));
    const force  F_v = force_along_qd(w, i, m), F_a = force_along_qdd(w, i, m);
    const force  W_q = force_add(cross_force(S_m, w->virtual_h[i]), momentum(w->I[i], w->phi[m]));
    const vec3   lag = sub(coriolis_mul_transposed(&w->B[i], w->phi[m]),
                           coriolis_mul_transposed(&w->virtual_B[i], w->psi[m]));
    const vec3   Y_q = add_scaled(cross(S_m.ang, w->virtual_c[i]), lag, two);
    const vec3   Y_v = scale(coriolis_mul_transposed(&w->virtual_B[i], S_m), r_num(-2));

    for (int k = m; k >= 0; k = dofs[k].above) {
        const motion S = w->S[k], psi = w->psi[k], both = w->drift[k];
        const real   along_q =
            r_add(power(w->phi[k], F_q), r_add(power(w->psi_rate[k], W_q), dot(psi.ang, Y_q)));
        qq[k * n + m] = qq[m * n + k] = along_q;
        vv[k * n + m] = vv[m * n + k] = dot(S.ang, Y_v);
        qv[m * n + k] = r_add(power(both, W_q), dot(S.ang, Y_q));
        qv[k * n + m] = r_add(power(w->phi[k], F_v), dot(psi.ang, Y_v));
        qa[m * n + k] = power(S, W_q);
        qa[k * n + m] = power(w->phi[k], F_a);
    }
}

// With common_parts in place, in the tree's coordinates.
ARNE_TEXT void tree_second_derivatives(const arne_robot *r, work *w, const real *lambda,
                                       int load_count, real *qq, real *qv, real *vv, real *qa)
{
    const body *bodies = robot_bodies(r);
    const int   n = r->tree_v_count;
    virtual_outward(r, w, lambda, 0);
    for (int i = 1; i < r->body_count; i++)
        w->virtual_B[i] = coriolis_from(&w->I[i], w->virtual_v[i]);
    for (int i = r->body_count - 1; i > 0; i--) {
        const int p = bodies[i].parent;
        if (p == 0) continue;
        w->virtual_h[p] = force_add(w->virtual_h[p], w->virtual_h[i]);
        w->virtual_c[p] = add(w->virtual_c[p], w->virtual_c[i]);
        coriolis_accumulate(&w->virtual_B[p], &w->virtual_B[i]);
    }
    common_composites(r, w, load_count);
    real *const out[4] = {qq, qv, vv, qa};
    for (int i = 0; !r->is_chain && i < 4; i++)
        row_zero(n * n, out[i]);
    for (int m = 0; m < n; m++)
        second_derivative_columns(r, w, m, qq, qv, vv, qa);
}

CALL(SECOND_DERIVATIVES)
{
    const arne_robot *r = c->r;
    work             *w = c->w;
    const int         nn = r->tree_v_count * r->tree_v_count;
    real *const user[4] = {OUT(d2tau_dq2), OUT(d2tau_dqdqd), OUT(d2tau_dqd2), OUT(d2tau_dqdqdd)};
    real       *tree[4];
    for (int i = 0; i < 4; i++)
        tree[i] = !r->shares_coordinates ? user[i] : i < 3 ? w->tree_matrix + i * nn : w->matrix;
    call_parts(c, IN(qdd));
    tree_second_derivatives(r, w, tree_v(r, IN(multiplier), w->tree_tau), c->settings->load_count,
                            tree[0], tree[1], tree[2], tree[3]);
    for (int i = 0; i < 4; i++)
        collect_matrix(r, tree[i], user[i]);
    return 0;
}

#endif
