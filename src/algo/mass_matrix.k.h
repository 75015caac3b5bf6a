// The mass matrix by composite bodies: Walker and Orin 1982, method 3.
//
// The bodies behind a joint are one rigid body; F_k is its momentum at unit velocity of column k, and M_kl = S_l . F_k for
// every column l between k and the base. All is in the frame of the first moving body, so that composite inertias are
// plain sums and nothing has to be carried from frame to frame.
#ifndef ARNE_ALGO_MASS_MATRIX_K_H
#define ARNE_ALGO_MASS_MATRIX_K_H

#include "algo/pose.k.h"

// Orientation and place in the frame of the first moving body; how that body itself is placed does not matter to M.
ARNE_TEXT void common_frame(const arne_robot *r, work *w)
{
    const body *bodies = robot_bodies(r);
    for (int i = 1; i < r->body_count; i++) {
        const int p = bodies[i].parent;
        w->R[i] = p ? m3_mul(w->R[p], w->X[i].R) : w->X[i].R;
        w->place[i] = p ? add(w->place[p], rot(w->R[p], w->X[i].p)) : v3_zero();
    }
}

ARNE_TEXT void composite_inertias(const arne_robot *r, work *w)
{
    const body *bodies = robot_bodies(r);
    for (int i = 1; i < r->body_count; i++)
        w->I[i] = inertia_in(w->R[i], w->place[i], inertia_lift(&bodies[i].inertia));
    for (int i = r->body_count - 1; i > 0; i--)
        if (bodies[i].parent > 0) inertia_accumulate(&w->I[bodies[i].parent], &w->I[i]);
}

ARNE_TEXT void common_axes(const arne_robot *r, work *w)
{
    const dof *dofs = robot_dofs(r);
    for (int k = 0; k < r->tree_v_count; k++)
        w->S[k] = axis_at(&dofs[k], w->R[dofs[k].body], w->place[dofs[k].body]);
}

ARNE_TEXT void tree_mass_matrix(const arne_robot *r, work *w, const real *q, real *M)
{
    const dof *dofs = robot_dofs(r);
    const int  n = r->tree_v_count;

    joint_poses(r, w, q);
    common_frame(r, w);
    common_axes(r, w);
    composite_inertias(r, w);
    for (int k = 0; !r->is_chain && k < n * n; k++)
        M[k] = r_num(0);
    for (int k = 0; k < n; k++) {
        const force F = momentum(w->I[dofs[k].body], w->S[k]);
        for (int l = k; l >= 0; l = dofs[l].above)
            M[k * n + l] = M[l * n + k] = power(w->S[l], F);
    }
    for (int k = 0; r->has_rotor && k < n; k++)
        M[k * n + k] = r_add(M[k * n + k], r_num(dofs[k].rotor));
}

ARNE_TEXT void mass_matrix(const arne_robot *r, work *w, const real *q, real *M)
{
    real *out = tree_out(r, M, w->tree_matrix);
    tree_mass_matrix(r, w, tree_q(r, w, q), out);
    collect_matrix(r, out, M);
}

#endif
