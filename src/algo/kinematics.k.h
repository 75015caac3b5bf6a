// Poses, twists and classical accelerations of all bodies, outward.
#ifndef ARNE_ALGO_KINEMATICS_K_H
#define ARNE_ALGO_KINEMATICS_K_H

#include "algo/pose.k.h"

ARNE_TEXT void body_velocities(const arne_robot *r, work *w, const real *qd)
{
    const body *bodies = robot_bodies(r);
    motion      v = w->v[0]; // of the body before, which is the parent in a chain
    for (int i = 1; i < r->body_count; i++) {
        const int p = bodies[i].parent;
        if (p != i - 1) v = w->v[p];
        v = add_joint_motion(&bodies[i], qd, to_child(&w->X[i], v));
        w->v[i] = v;
    }
}

// The outward half of inverse dynamics, without the forces.
ARNE_TEXT void body_accelerations(const arne_robot *r, work *w, const real *qd, const real *qdd)
{
    const body *bodies = robot_bodies(r);
    motion      a = w->a[0];
    mat3        U = body_rates(w, 0);
    for (int i = 1; i < r->body_count; i++) {
        const body *b = &bodies[i];
        const pose *X = &w->X[i];
        const vec3  turn_p = into(X, w->v[b->parent].ang);
        if (b->parent != i - 1) {
            a = w->a[b->parent];
            U = body_rates(w, b->parent);
        }
        a = add_joint_bias(b, turn_p, qd, carried_acceleration(X, a, U));
        a = add_joint_motion(b, qdd, a);
        U = rate_matrix(w->v[i].ang, a.ang);
        w->a[i] = a;
    }
}

ARNE_TEXT void kinematics(const arne_robot *r, work *w, const real *q, const real *qd,
                          const real *qdd)
{
    joint_poses(r, w, tree_q(r, w, q));
    world_poses(r, w);
    if (!qd) return;
    const real *tree_qd = tree_v(r, qd, w->tree_qd);
    body_velocities(r, w, tree_qd);
    if (qdd) body_accelerations(r, w, tree_qd, tree_v(r, qdd, w->tree_qdd));
}

// The twist of a body in the world's axes, at the world's origin.
ARNE_FN motion world_velocity(const work *w, int body_index)
{
    return motion_to_parent(&w->X_w[body_index], w->v[body_index]);
}

#endif
