// One frame for all bodies of a tree: that of the base, with its origin where the first moving body
// has its own. Taken as an inertial frame it makes composite quantities plain sums, and keeps them
// small however far the robot has gone.
//
// Moving column k by e displaces all bodies behind it by the twist e S_k. With p the parent of the
// column's body and the numbers of qd and qdd held, the twist v and its rate a of every body j
// behind change, apart from being displaced, by
//     psi_k = v_p x S_k      and      psi_k x v_j + psi_rate_k,   psi_rate_k = a_p x S_k + v_p x
//     psi_k
// and moving qd_k by e adds e S_k and e (S_k x v_j + psi_k + dS_k/dt). So forces f = I a + v x* I v
// change, apart from being displaced, by I psi_rate_k + 2 B psi_k and I (psi_k + dS_k/dt) + 2 B
// S_k, with B of coriolis_from.
#ifndef ARNE_ALGO_COMMON_K_H
#define ARNE_ALGO_COMMON_K_H

#include "algo/pose.k.h"
#include "algo/springs.k.h"
#include <arne/derivatives.h>

ARNE_TEXT void common_frame(const arne_robot *r, work *w)
{
    const body *bodies = robot_bodies(r);
    mat3        R = w->X[0].R; // of the body before, which is the parent in a chain
    vec3        place = v3_zero();
    for (int i = 1; i < r->body_count; i++) {
        const int p = bodies[i].parent;
        if (p == 0) {
            R = w->X[i].R;
            place = v3_zero();
        } else {
            if (p != i - 1) {
                R = w->R[p];
                place = w->place[p];
            }
            place = add(place, rot_at(R, &w->X[i].p));
            R = m3_mul_at(R, &w->X[i].R);
        }
        w->R[i] = R;
        w->place[i] = place;
    }
}

// The origin of the common frame of a body's tree, seen from the base.
ARNE_FN vec3 common_origin(const arne_robot *r, const work *w, int i)
{
    return w->X[robot_bodies(r)[i].root].p;
}

ARNE_TEXT void common_axes(const arne_robot *r, work *w)
{
    const dof *dofs = robot_dofs(r);
    for (int k = 0; k < r->tree_v_count; k++)
        w->S[k] = axis_at(&dofs[k], w->R[dofs[k].body], w->place[dofs[k].body]);
}

ARNE_FN inertia common_inertia(const work *w, const body *b, int i)
{
    return inertia_at(&w->R[i], &w->place[i], &b->inertia);
}

ARNE_TEXT void common_inertias(const arne_robot *r, work *w)
{
    const body *bodies = robot_bodies(r);
    for (int i = 1; i < r->body_count; i++)
        w->I[i] = common_inertia(w, &bodies[i], i);
}

// Of each body what it is together with all that it carries: inertias, Coriolis matrices, forces.
// Along a chain the sum goes from body to body as it is.
ARNE_TEXT void composite_inertias(const arne_robot *r, work *w)
{
    const body *bodies = robot_bodies(r);
    inertia     sum = inertia_zero(); // of the body after, if this is its parent
    for (int i = r->body_count - 1; i > 0; i--) {
        const int p = bodies[i].parent;
        inertia_accumulate(&sum, &w->I[i]);
        w->I[i] = sum;
        if (p == i - 1 && p > 0) continue;
        if (p > 0) inertia_accumulate(&w->I[p], &sum);
        sum = inertia_zero();
    }
}
ARNE_TEXT void composite_coriolis(const arne_robot *r, work *w)
{
    const body *bodies = robot_bodies(r);
    coriolis    sum = coriolis_zero();
    for (int i = r->body_count - 1; i > 0; i--) {
        const int p = bodies[i].parent;
        coriolis_accumulate(&sum, &w->B[i]);
        w->B[i] = sum;
        if (p == i - 1 && p > 0) continue;
        if (p > 0) coriolis_accumulate(&w->B[p], &sum);
        sum = coriolis_zero();
    }
}
ARNE_TEXT void composite_forces(const arne_robot *r, work *w)
{
    const body *bodies = robot_bodies(r);
    force       sum = force_zero();
    for (int i = r->body_count - 1; i > 0; i--) {
        const int p = bodies[i].parent;
        sum = force_add(sum, w->F[i]);
        w->F[i] = sum;
        if (p == i - 1 && p > 0) continue;
        if (p > 0) w->F[p] = force_add(w->F[p], sum);
        sum = force_zero();
    }
}

// The base's twist and its rate, seen at the origin p of the frame.
ARNE_FN motion base_velocity_at(const work *w, vec3 p)
{
    return mo(add(w->v[0].lin, cross(w->v[0].ang, p)), w->v[0].ang);
}
ARNE_FN motion base_acceleration_at(const work *w, vec3 p)
{
    const vec3 lin = sub(w->a[0].lin, cross(w->v[0].ang, w->v[0].lin));
    return mo(add(lin, cross(w->a[0].ang, p)), w->a[0].ang);
}

// Twists of the bodies; psi and drift of the columns. With qdd also the twists' rates, less
// gravity, and psi_rate.
ARNE_TEXT void common_motions(const arne_robot *r, work *w, const real *qd, const real *qdd)
{
    const body *bodies = robot_bodies(r);
    motion      v = motion_zero(), a = motion_zero(); // of the body before
    for (int i = 1; i < r->body_count; i++) {
        const body  *b = &bodies[i];
        const int    p = b->parent, end = b->v_start + b->v_count;
        const motion v_p = p == 0 ? base_velocity_at(w, w->X[i].p) : p == i - 1 ? v : w->v_c[p];
        motion       across = motion_zero();
        for (int k = b->v_start; k < end; k++)
            across = motion_add_scaled(across, w->S[k], qd[k]);
        for (int k = b->v_start; k < end; k++) {
            const motion psi = cross_motion(v_p, w->S[k]);
            w->psi[k] = psi;
            w->drift[k] = motion_add(psi, psi);
            if (b->v_count > 1)
                w->drift[k] = motion_add(w->drift[k], cross_motion(across, w->S[k]));
        }
        v = motion_add(v_p, across);
        w->v_c[i] = v;
        if (!qdd) continue;
        const motion a_p = p == 0 ? base_acceleration_at(w, w->X[i].p) : p == i - 1 ? a : w->a_c[p];
        a = motion_add(a_p, cross_motion(v_p, across)); // the sum of dS_k/dt qd_k
        for (int k = b->v_start; k < end; k++) {
            w->psi_rate[k] = motion_add(cross_motion(a_p, w->S[k]), cross_motion(v_p, w->psi[k]));
            a = motion_add_scaled(a, w->S[k], qdd[k]);
        }
        w->a_c[i] = a;
    }
}

// Inertia, B and inertial force of each body.
ARNE_TEXT void common_forces(const arne_robot *r, work *w)
{
    const body *bodies = robot_bodies(r);
    for (int i = 1; i < r->body_count; i++) {
        const inertia I = common_inertia(w, &bodies[i], i);
        const motion  v = w->v_c[i];
        w->B[i] = coriolis_from(&I, v);
        w->F[i] = force_add(momentum(I, w->a_c[i]), coriolis_mul(&w->B[i], v)); // B v = v x* I v
        w->I[i] = I;
    }
}

// Gravity compensation. `turns`: also how it fails to turn with its bodies.
ARNE_TEXT void common_held_weights(const arne_robot *r, work *w, int turns)
{
    const vec3 up = into(&w->base_pose, neg(lift(r->gravity)));
    for (int i = 1; r->holds_weight && i < r->body_count; i++) {
        const held_weight *held = &robot_held_weights(r)[i];
        const vec3         f = scale(up, r_num(held->m));
        const vec3 h = add_scaled(rot(w->R[i], lift4(&held->h)), w->place[i], r_num(held->m));
        w->F[i] = force_sub(w->F[i], fo(f, cross(h, up)));
        if (!turns) continue;
        w->E[i].f = add(w->E[i].f, f);
        w->E[i].N = m3_add(w->E[i].N, skew_product(h, up));
    }
}

// Loads of the environment, and how those that the world holds fixed fail to turn with their
// bodies.
ARNE_TEXT void common_loads(const arne_robot *r, work *w, const arne_load *loads, int load_count)
{
    for (int i = 0; i < r->body_count; i++) {
        w->E[i].f = v3_zero();
        w->E[i].N = m3_zero();
    }
    for (int l = 0; l < load_count; l++) {
        const arne_frame_info *frame = &robot_frames(r)[loads[l].frame].info;
        const int              i = frame->body;
        if (i == 0) continue; // the base holds it
        const pose in_body = pose_lift(frame->pose);
        const vec3 f = rot(w->R[i], out_of(&in_body, lift(loads[l].wrench.lin)));
        const vec3 m = rot(w->R[i], out_of(&in_body, lift(loads[l].wrench.ang)));
        const vec3 p = add(w->place[i], rot(w->R[i], in_body.p));
        w->F[i] = force_sub(w->F[i], fo(f, add(m, cross(p, f))));
        if (loads[l].in_world) {
            w->E[i].f = add(w->E[i].f, f);
            w->E[i].N = m3_add(w->E[i].N, m3_add(skew_product(p, f), skew(m)));
        }
    }
}

ARNE_TEXT void common_composites(const arne_robot *r, work *w)
{
    const body *bodies = robot_bodies(r);
    composite_inertias(r, w);
    composite_coriolis(r, w);
    composite_forces(r, w);
    for (int i = r->body_count - 1; w->has_loads && i > 0; i--) {
        const int p = bodies[i].parent;
        if (p == 0) continue;
        w->E[p].f = add(w->E[p].f, w->E[i].f);
        w->E[p].N = m3_add(w->E[p].N, w->E[i].N);
    }
}

// What derivatives of momentum are made of: motions of bodies and the forces that move them so.
ARNE_TEXT void common_unloaded(const arne_robot *r, work *w, const real *q, const real *qd,
                               const real *qdd)
{
    joint_places(r, w, q);
    common_frame(r, w);
    common_axes(r, w);
    common_motions(r, w, qd, qdd);
    common_forces(r, w);
    w->has_loads = 0;
}

// Everything that derivatives of the dynamics are made of, in the tree's coordinates: first of each
// body, so that those who need the parts can have them, then of what it carries.
ARNE_TEXT void common_parts(const arne_robot *r, work *w, const real *q, const real *qd,
                            const real *qdd, const arne_load *loads, int load_count)
{
    common_unloaded(r, w, q, qd, qdd);
    spring_slopes(r, w, q, qd);
    w->has_loads = load_count > 0 || r->holds_weight;
    if (w->has_loads) common_loads(r, w, loads, load_count);
    common_held_weights(r, w, 1);
}

#endif
