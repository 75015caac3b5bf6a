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
    const tree_motion t =
        qdd ? tree_rates(r, w, q, qd, qdd) : (tree_motion){q, tree_v(r, w, qd, w->tree_qd), NULL};
    body_velocities(r, w, t.qd);
    if (qdd) body_accelerations(r, w, t.qd, t.qdd);
}

// The way from the base to body i, in runs of bodies that lead one to the next. From i inward the
// last body of each into w->way; returns how many.
ARNE_TEXT int way_to(const arne_robot *r, work *w, int i)
{
    const body *bodies = robot_bodies(r);
    int         count = 0;
    for (; i > 0; i = bodies[bodies[i].run].parent)
        w->way[count++] = i;
    return count;
}

// The sines of a run, and where its bodies are: those of all runs come first, since nothing waits
// for a parent there.
ARNE_TEXT void sines_of_run(const arne_robot *r, work *w, int last, const real *q)
{
    const body *bodies = robot_bodies(r);
    const int   start = joint_first_angle(&bodies[bodies[last].run]);
    const int   end = last + 1 < r->rotor_start ? bodies[last + 1].q_start : joint_q_count(r);
    sines_between(r, w, q, start, end);
}
ARNE_TEXT void places_of_run(const arne_robot *r, work *w, int last, const real *q)
{
    const body *bodies = robot_bodies(r);
    const int   first = bodies[last].run, parent = bodies[first].parent;
    mat3        R = w->X_w[parent].R;
    vec3        p = w->X_w[parent].p;
    for (int i = first; i <= last; i++)
        joint_place(&bodies[i], q, w->sine, w->cosine, &w->X[i]);
    for (int i = first; i <= last; i++) {
        p = add(p, rot_at(R, &w->X[i].p));
        R = m3_mul_at(R, &w->X[i].R);
        w->X_w[i].R = R;
        w->X_w[i].p = p;
    }
}

// Where the body i and those that carry it are in the world: R and p, which are all that
// arne_frame_pose asks for. Returns how many runs they are.
ARNE_TEXT int places_of(const arne_robot *r, work *w, int i, const real *q)
{
    const int runs = way_to(r, w, i);
    for (int j = 0; j < runs; j++)
        sines_of_run(r, w, w->way[j], q);
    for (int j = runs - 1; j >= 0; j--)
        places_of_run(r, w, w->way[j], q);
    return runs;
}

// Poses and velocities of one run, whose parent's are known.
ARNE_TEXT void kinematics_of_run(const arne_robot *r, work *w, int last, const real *q,
                                 const real *qd)
{
    const body *bodies = robot_bodies(r);
    const int   first = bodies[last].run, parent = bodies[first].parent;
    mat3        R = w->X_w[parent].R;
    vec3        p = w->X_w[parent].p;
    motion      v = w->v[parent];
    for (int i = first; i <= last; i++)
        joint_pose(&bodies[i], q, w->sine, w->cosine, &w->X[i]);
    for (int i = first; i <= last; i++) {
        p = add(p, rot_at(R, &w->X[i].p));
        R = m3_mul_at(R, &w->X[i].R);
        w->X_w[i] = pose_from(R, p);
        v = add_joint_motion(&bodies[i], qd, to_child(&w->X[i], v));
        w->v[i] = v;
    }
}

// As kinematics, of the body i and those that carry it; all others are left as they were.
ARNE_TEXT void kinematics_of(const arne_robot *r, work *w, int i, const real *q, const real *qd)
{
    const real *x = tree_q(r, w, q), *v = tree_v(r, w, qd, w->tree_qd);
    const int   runs = way_to(r, w, i);
    for (int j = 0; j < runs; j++)
        sines_of_run(r, w, w->way[j], x);
    for (int j = runs - 1; j >= 0; j--)
        kinematics_of_run(r, w, w->way[j], x, v);
}

// The twist of a body in the world's axes, at the world's origin.
ARNE_FN motion world_velocity(const work *w, int body_index)
{
    return motion_to_parent(&w->X_w[body_index], w->v[body_index]);
}

#endif
