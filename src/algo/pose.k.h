// Where the bodies are: in their parents, X, and in the world, X_w.
#ifndef ARNE_ALGO_POSE_K_H
#define ARNE_ALGO_POSE_K_H

#include "math/dense_row.h"
#include "robot/coordinates.k.h"
#include "robot/joint.k.h"

// How many coordinates joints have; those of rotors stand last.
ARNE_FN int joint_q_count(const arne_robot *r)
{
    return r->tree_q_count - (r->body_count - r->rotor_start);
}

// Sines and cosines of the coordinates from `start` on, before `end`, and of some beside them where
// that is faster.
ARNE_FN void sines_between(const arne_robot *r, work *w, const real *q, int start, int end)
{
    const int all = joint_q_count(r);
    if (start >= end) return;
    if (end - start < SINCOS_AT_ONCE && all >= SINCOS_AT_ONCE) {
        if (start > all - SINCOS_AT_ONCE) start = all - SINCOS_AT_ONCE;
        end = start + SINCOS_AT_ONCE;
    }
    r_sincos_many(end - start, q + start, w->sine + start, w->cosine + start);
}

// Sines and cosines of all coordinates in one pass (those that are not angles cost nothing more;
// free joints and exponential ones that come first or last are left out), then the poses. Rotors
// and what does not move keep theirs.
ARNE_TEXT void joint_sines(const arne_robot *r, work *w, const real *q)
{
    const int first = r->angle_start;
    r_sincos_many(r->angle_end - first, q + first, w->sine + first, w->cosine + first);
}

ARNE_TEXT void joint_poses(const arne_robot *r, work *w, const real *q)
{
    const body *bodies = robot_bodies(r);
    joint_sines(r, w, q);
    for (int i = 1; i < r->still_start; i++)
        joint_pose(&bodies[i], q, w->sine, w->cosine, &w->X[i]);
}

// The same of R and p alone, for those who only go outward: see joint_place.
ARNE_TEXT void joint_places(const arne_robot *r, work *w, const real *q)
{
    const body *bodies = robot_bodies(r);
    joint_sines(r, w, q);
    for (int i = 1; i < r->still_start; i++)
        joint_place(&bodies[i], q, w->sine, w->cosine, &w->X[i]);
}

// The same for recursions that may find poses on the way: before the first body, and at each.
ARNE_TEXT void start_poses(const arne_robot *r, work *w, const real *q)
{
    if (POSES_FIRST)
        joint_poses(r, w, q);
    else
        joint_sines(r, w, q);
}
ARNE_FN const pose *next_pose(const arne_robot *r, work *w, int i, const real *q)
{
    if (!POSES_FIRST) joint_pose(robot_bodies(r) + i, q, w->sine, w->cosine, &w->X[i]);
    return &w->X[i];
}

ARNE_TEXT void world_poses(const arne_robot *r, work *w)
{
    const body *bodies = robot_bodies(r);
    mat3        R = w->X_w[0].R; // of the body before, which is the parent in a chain
    vec3        p = w->X_w[0].p;
    for (int i = 1; i < r->body_count; i++) {
        const int parent = bodies[i].parent;
        if (parent != i - 1) {
            R = w->X_w[parent].R;
            p = w->X_w[parent].p;
        }
        p = add(p, rot_at(R, &w->X[i].p));
        R = m3_mul_at(R, &w->X[i].R);
        w->X_w[i] = pose_from(R, p);
    }
}

// [dw] + [w][w]: how acceleration varies over a body.
ARNE_FN mat3 body_rates(const work *w, int i) { return rate_matrix(w->v[i].ang, w->a[i].ang); }

// The acceleration a of a body's parent, where it varies by U, carried to where the body is.
ARNE_FN motion carried_acceleration(const pose *X, motion a, mat3 U)
{
    return mo(into(X, add(a.lin, rot(U, X->p))), into(X, a.ang));
}

// Columns of six rows of n: linear part first.
ARNE_FN void put_column(real *rows, int n, int k, motion c)
{
    rows[0 * n + k] = vx(c.lin);
    rows[1 * n + k] = vy(c.lin);
    rows[2 * n + k] = vz(c.lin);
    rows[3 * n + k] = vx(c.ang);
    rows[4 * n + k] = vy(c.ang);
    rows[5 * n + k] = vz(c.ang);
}
ARNE_FN void put_columns(real *rows, int n, int count, const motion *c)
{
    int k = 0;
#ifdef ARNE_WIDE
    for (; count >= 4 && k < count; k += 4) {
        const int     at = k + 4 <= count ? k : count - 4; // the last four overlap those before
        const motion *s = c + at;
        put_four(rows + at, n, s[0].lin, s[1].lin, s[2].lin, s[3].lin);
        put_four(rows + 3 * n + at, n, s[0].ang, s[1].ang, s[2].ang, s[3].ang);
    }
#endif
    for (; k < count; k++)
        put_column(rows, n, k, c[k]);
}

#endif
