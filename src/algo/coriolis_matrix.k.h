// C(q, qd) with C qd = c and dM/dt - 2 C skew-symmetric: Echeandia and Wensing 2021.
//
// C is the sum over bodies of J^T (I dJ/dt + B J), with B of coriolis_from. In a common frame
// composite I and B are plain sums over what a joint carries, and dS_k/dt = v x S_k. For k and a
// column l that carries it:
//     C_lk = S_l . (I dS_k + B S_k),   C_kl = dS_l . (I S_k) + S_l . (B^T S_k)
#ifndef ARNE_ALGO_CORIOLIS_MATRIX_K_H
#define ARNE_ALGO_CORIOLIS_MATRIX_K_H

#include "algo/call.k.h"
#include "algo/common.k.h"
#include "algo/mass_matrix.k.h"

// dS_k/dt
ARNE_FN motion axis_rate(const work *w, int k) { return motion_sub(w->drift[k], w->psi[k]); }

ARNE_TEXT void coriolis_composites(const arne_robot *r, work *w)
{
    for (int i = 1; i < r->body_count; i++)
        w->B[i] = coriolis_from(&w->I[i], w->v_c[i]);
    composite_inertias(r, w);
    composite_coriolis(r, w);
}

ARNE_TEXT void tree_coriolis_matrix(const arne_robot *r, work *w, const real *q, const real *qd,
                                    real *C)
{
    const dof *dofs = robot_dofs(r);
    const int  n = r->tree_v_count;

    joint_poses(r, w, q);
    common_frame(r, w);
    common_axes(r, w);
    common_motions(r, w, qd, NULL);
    common_inertias(r, w);
    coriolis_composites(r, w);
    if (!r->is_chain) row_zero(n * n, C);
    for (int k = 0; k < n; k++) {
        const int   i = dofs[k].body;
        const force F =
            force_add(momentum(w->I[i], axis_rate(w, k)), coriolis_mul(&w->B[i], w->S[k]));
        const force G = momentum(w->I[i], w->S[k]);
        const vec3  H = coriolis_mul_transposed(&w->B[i], w->S[k]);
        for (int l = k; l >= 0; l = dofs[l].above) {
            C[k * n + l] = r_add(power(axis_rate(w, l), G), dot(w->S[l].ang, H));
            C[l * n + k] = power(w->S[l], F);
        }
    }
}

ARNE_TEXT void coriolis_matrix(const arne_robot *r, work *w, const real *q, const real *qd, real *C)
{
    real       *out = tree_out(r, C, w->tree_matrix);
    const real *x = tree_q(r, w, q), *v = tree_v(r, w, qd, w->tree_qd);
    tree_coriolis_matrix(r, w, x, v, out);
    if (!r->is_curved) {
        collect_matrix(r, w, out, C);
        return;
    }
    // G^T (C G + M dG/dt), from the composite inertias that are in place
    slope_rates(r, w, qd, NULL);
    collect_columns(r, w, r->tree_v_count, out, w->curved);
    composite_mass_matrix(r, w, out);
    add_along(r, w, r->tree_v_count, out, G_RATE, w->curved);
    collect_rows(r, w, r->v_count, w->curved, C);
}

CALL(CORIOLIS_MATRIX)
{
    coriolis_matrix(c->r, c->w, IN(q), IN(qd), OUT(C));
    return 0;
}

#endif
