// How the wrench of one joint changes with q, qd and qdd: all six components, in the link's axes at
// the joint's origin. The sensitivities of Barman's F_p and tau_p.
//
// Columns that carry the joint move it, and the wrench changes as the forces behind it do
// (force_along_*); columns further out leave the joint where it is, and it also sees the forces
// displaced. The composite quantities are those that inverse_dynamics_derivatives leaves in the
// workspace.
#ifndef ARNE_ALGO_WRENCH_DERIVATIVES_K_H
#define ARNE_ALGO_WRENCH_DERIVATIVES_K_H

#include "algo/call.k.h"
#include "algo/inverse_dynamics_derivatives.k.h"

typedef enum direction { ALONG_Q, ALONG_QD, ALONG_QDD } direction;

// Of the force through body i, in the common frame.
ARNE_FN force force_along(const work *w, direction which, int i, int k)
{
    switch (which) {
    case ALONG_Q:
        return force_along_q(w, i, k, w->has_loads);
    case ALONG_QD:
        return force_along_qd(w, i, k);
    default:
        return force_along_qdd(w, i, k);
    }
}
// Likewise in axes that stay where they are when column k moves: those of bodies nearer the base.
ARNE_FN force force_along_from_behind(const work *w, direction which, int i, int k)
{
    const force f = force_along(w, which, i, k);
    return which == ALONG_Q ? force_add(f, cross_force(w->S[k], w->F[i])) : f;
}

// 1 where column k carries body i or is its own, -1 where it is further out, 0 where it is
// elsewhere.
ARNE_TEXT int column_side(const arne_robot *r, int i, int k)
{
    const body *bodies = robot_bodies(r);
    int         b = robot_dofs(r)[k].body;
    if (b > i) {
        while (b > i)
            b = bodies[b].parent;
        return b == i ? -1 : 0;
    }
    while (i > b)
        i = bodies[i].parent;
    return b == i;
}

// 6 x n, force rows first.
ARNE_TEXT void tree_wrench_derivative(const arne_robot *r, const work *w, int joint,
                                      direction which, real *rows)
{
    const joint_record *j = &robot_joints(r)[joint];
    const pose          link = pose_lift(robot_frames(r)[j->info.child].info.pose);
    const int           i = j->body, n = r->tree_v_count;
    const mat3          R = m3_mul(w->R[i], link.R);
    for (int k = 0; k < n; k++) {
        const int side = column_side(r, i, k);
        force     f = force_zero();
        if (side > 0) f = force_along(w, which, i, k);
        if (side < 0) f = force_along_from_behind(w, which, robot_dofs(r)[k].body, k);
        put_column(rows, n, k,
                   mo(rot_inv(R, f.lin), rot_inv(R, sub(f.ang, cross(w->place[i], f.lin)))));
    }
}

CALL(WRENCH_DERIVATIVES)
{
    real *const user[3] = {OUT(dwrench_dq), OUT(dwrench_dqd), OUT(dwrench_dqdd)};
    call_parts(c, IN(qdd));
    common_composites(c->r, c->w);
    for (int i = 0; i < 3; i++) {
        tree_wrench_derivative(c->r, c->w, c->settings->joint, (direction)i, c->w->rows);
        deliver_along(c->r, c->w, 6, i, c->w->rows, user);
    }
    return 0;
}

#endif
