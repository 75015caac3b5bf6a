// Where the bodies are: in their parents, X, and in the world, X_w.
#ifndef ARNE_ALGO_POSE_K_H
#define ARNE_ALGO_POSE_K_H

#include "math/row.h"
#include "robot/coordinates.k.h"
#include "robot/joint.k.h"

// Sines and cosines of all coordinates in one pass (those that are not angles cost nothing more), then the poses. Rotors
// stand last and keep theirs.
ARNE_TEXT void joint_poses(const arne_robot *r, work *w, const real *q)
{
    const body *bodies = robot_bodies(r);
    const int   rotors = r->body_count - r->rotor_start;
    r_sincos_many(r->tree_q_count - rotors, q, w->sine, w->cosine);
    for (int i = 1; i < r->rotor_start; i++)
        w->X[i] = joint_pose(&bodies[i], q, w->sine, w->cosine);
}

ARNE_TEXT void world_poses(const arne_robot *r, work *w)
{
    const body *bodies = robot_bodies(r);
    for (int i = 1; i < r->body_count; i++)
        w->X_w[i] = pose_mul(&w->X_w[bodies[i].parent], &w->X[i]);
}

// The acceleration of a body's parent, carried to where the body is.
ARNE_FN motion carried_acceleration(const work *w, const pose *X, int parent)
{
    return mo(into(X, add(w->a[parent].lin, rot(w->U[parent], X->p))), into(X, w->a[parent].ang));
}

// Column k of six rows of n: linear part first.
ARNE_FN void put_column(real *rows, int n, int k, motion c)
{
    rows[0 * n + k] = vx(c.lin);
    rows[1 * n + k] = vy(c.lin);
    rows[2 * n + k] = vz(c.lin);
    rows[3 * n + k] = vx(c.ang);
    rows[4 * n + k] = vy(c.ang);
    rows[5 * n + k] = vz(c.ang);
}

#endif
