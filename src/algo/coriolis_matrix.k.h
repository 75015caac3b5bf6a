// C(q, qd) with C qd = c and dM/dt - 2 C skew-symmetric: Echeandia and Wensing 2021.
//
// C is the sum over bodies of J^T (I dJ/dt + B J), with B of coriolis_from. In the world's axes composite I and B are
// plain sums over what a joint carries, and dS_k/dt = v x S_k. For k and a column l that carries it:
//     C_lk = S_l . (I dS_k + B S_k),   C_kl = dS_l . (I S_k) + S_l . (B^T S_k)
#ifndef ARNE_ALGO_CORIOLIS_MATRIX_K_H
#define ARNE_ALGO_CORIOLIS_MATRIX_K_H

#include "algo/kinematics.k.h"

// Inertia and Coriolis matrix of everything a body carries, in the world; S and its rate.
ARNE_TEXT void world_composites(const arne_robot *r, work *w)
{
    const body *bodies = robot_bodies(r);
    const dof  *dofs = robot_dofs(r);
    for (int i = 0; i < r->body_count; i++) {
        w->I[i] = world_inertia(&w->X_w[i], &bodies[i].inertia);
        w->B[i] = coriolis_from(w->I[i], world_velocity(w, i));
    }
    for (int i = r->body_count - 1; i > 0; i--) {
        inertia_accumulate(&w->I[bodies[i].parent], &w->I[i]);
        coriolis_accumulate(&w->B[bodies[i].parent], &w->B[i]);
    }
    world_axes(r, w);
    for (int k = 0; k < r->tree_v_count; k++)
        w->S_rate[k] = cross_motion(world_velocity(w, dofs[k].body), w->S[k]);
}

ARNE_TEXT void tree_coriolis_matrix(const arne_robot *r, work *w, const real *q, const real *qd,
                                    real *C)
{
    const body *bodies = robot_bodies(r);
    const int   n = r->tree_v_count;

    joint_poses(r, w, q);
    world_poses(r, w);
    body_velocities(r, w, qd);
    world_composites(r, w);
    for (int k = 0; k < n * n; k++)
        C[k] = r_num(0);
    for (int k = 0; k < n; k++) {
        int         i = robot_dofs(r)[k].body;
        const force F = force_add(momentum(w->I[i], w->S_rate[k]), coriolis_mul(&w->B[i], w->S[k]));
        const force G = momentum(w->I[i], w->S[k]), H = coriolis_mul_transposed(&w->B[i], w->S[k]);
        for (int l = k; i > 0;) {
            for (; l >= bodies[i].v_start; l--) {
                C[k * n + l] = r_add(power(w->S_rate[l], G), power(w->S[l], H));
                C[l * n + k] = power(w->S[l], F);
            }
            i = bodies[i].parent;
            l = bodies[i].v_start + bodies[i].v_count - 1;
        }
    }
}

ARNE_TEXT void coriolis_matrix(const arne_robot *r, work *w, const real *q, const real *qd, real *C)
{
    real *out = tree_out(r, C, w->tree_matrix);
    tree_coriolis_matrix(r, w, tree_q(r, w, q), tree_v(r, qd, w->tree_qd), out);
    collect_matrix(r, out, C);
}

#endif
