// The regressor: tau = Y(q, qd, qdd) pi, since torques are linear in masses, first moments,
// inertias, friction and rotors. What springs hold is not among them.
//
// Of a body that turns with w and dw, whose origin is accelerated by a, with U = [dw] + [w][w], the
// power of its inertial force along a twist S = (s, t) at that origin is
//     m (s.a)  +  h . (U^T s + a x t)  +  J : (t dw^T + (t x w) w^T)
// in the mass m, the first moment h and the inertia J. So each body is visited once, and from it
// the axes between it and the base are seen in the axes of its link: no wrench is carried. O(n d),
// d the depth of the tree.
#ifndef ARNE_ALGO_REGRESSOR_K_H
#define ARNE_ALGO_REGRESSOR_K_H

#include "algo/call.k.h"
#include "algo/kinematics.k.h"

// Parameters: 10 of each joint's link, then 3 of friction of each joint, then the rotors; then of
// each motor its inertia and its friction, where these are not the joint's.
enum { LINK_PARAMETERS = 10, FRICTION_PARAMETERS = 3, MOTOR_PARAMETERS = 1 + FRICTION_PARAMETERS };

ARNE_FN int friction_start(const arne_robot *r) { return LINK_PARAMETERS * r->joint_count; }
ARNE_FN int rotor_start(const arne_robot *r)
{
    return (LINK_PARAMETERS + FRICTION_PARAMETERS) * r->joint_count;
}
ARNE_FN int motor_start(const arne_robot *r) { return rotor_start(r) + r->joint_count; }
ARNE_FN int parameter_count(const arne_robot *r)
{
    return motor_start(r) + MOTOR_PARAMETERS * r->motor_count;
}

// The axes that a joint's parameters are written in: its link's, as the file has them, or those of
// the body's recursion.
typedef enum parameter_axes { PARAMETERS_OF_LINKS, PARAMETERS_OF_BODIES } parameter_axes;

// The turning and the acceleration of a joint's link; where its body is seen from there.
typedef struct link_motion {
    vec3   w;
    motion a;
    mat3   U;
    mat3   R; // of the body
    vec3   p; // of its origin
} link_motion;

ARNE_FN link_motion link_motion_at(const work *w, int i, const pose *X)
{
    link_motion l;
    l.w = into(X, w->v[i].ang);
    l.a = carried_acceleration(X, w->a[i], body_rates(w, i));
    l.U = rate_matrix(l.w, l.a.ang);
    l.R = transpose(X->R);
    l.p = neg(into(X, X->p));
    return l;
}

ARNE_FN link_motion body_motion(const work *w, int i)
{
    const real  one = r_num(1), o = r_num(0);
    link_motion l;
    l.w = w->v[i].ang;
    l.a = w->a[i];
    l.U = body_rates(w, i);
    l.R = m3(v3(one, o, o), v3(o, one, o), v3(o, o, one));
    l.p = v3_zero();
    return l;
}

// Adds entries to row k of the tree, which is a row of the user's where no joint mimics another.
ARNE_FN void add_entries(const arne_robot *r, const work *w, int k, int count, const real *entries,
                         real *column)
{
    const source *to = r->shares_coordinates ? &robot_v_sources(r)[k] : NULL;
    real         *row = column + (size_t)(to ? to->from : k) * (size_t)parameter_count(r);
    for (int c = 0; c < count; c++)
        row[c] = to ? r_add_mul(row[c], r_num(to->ratio), entries[c]) : entries[c];
    const term *t = robot_terms(r);
    for (int i = 0; i < r->term_count; i++) {
        real *other = column + (size_t)t[i].from_v * (size_t)parameter_count(r);
        for (int c = 0; t[i].v == k && c < count; c++)
            other[c] = r_add_mul(other[c], r_num(t[i].ratio), entries[c]);
    }
    for (int i = 0; i < r->slope_count; i++) {
        const slope_record *s = &robot_slopes(r)[i];
        real               *other = column + (size_t)s->from_v * (size_t)parameter_count(r);
        for (int c = 0; s->v == k && c < count; c++)
            other[c] = r_add_mul(other[c], w->slope[SLOPE_ORDERS * i], entries[c]);
    }
    for (int i = 0; i < r->exponent_count; i++) {
        const exponent_record *x = &robot_exponents(r)[i];
        for (int j = x->start; k >= x->v && k < x->v + 6 && j < x->start + x->count; j++) {
            real G[6], *other = column + (size_t)robot_exponent_columns(r)[j].from_v *
                                             (size_t)parameter_count(r);
            motion_entries(w->G[j], G);
            for (int c = 0; c < count; c++)
                other[c] = r_add_mul(other[c], G[k - x->v], entries[c]);
        }
    }
}

// m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz.
ARNE_FN void inertial_entries(const link_motion *l, motion S, real *out)
{
    const vec3 h = add(rot_inv(l->U, S.lin), cross(l->a.lin, S.ang)), c = cross(S.ang, l->w);
    const mat3 K = m3_add(outer(S.ang, l->a.ang), outer(c, l->w));
    out[0] = dot(S.lin, l->a.lin);
    out[1] = vx(h);
    out[2] = vy(h);
    out[3] = vz(h);
    out[4] = vx(K.x);
    out[5] = r_add(vy(K.x), vx(K.y));
    out[6] = vy(K.y);
    out[7] = r_add(vz(K.x), vx(K.z));
    out[8] = r_add(vz(K.y), vy(K.z));
    out[9] = vz(K.z);
}

// `count` columns of one link from its parameter `first` on: the rows of all axes between it and
// the base.
ARNE_TEXT void link_columns(const arne_robot *r, const work *w, int i, link_motion l, int first,
                            int count, real *column)
{
    const body *bodies = robot_bodies(r);
    const dof  *dofs = robot_dofs(r);
    for (; i > 0; i = bodies[i].parent) {
        for (int k = bodies[i].v_start; k < bodies[i].v_start + bodies[i].v_count; k++) {
            real entries[LINK_PARAMETERS];
            inertial_entries(&l, axis_at(&dofs[k], l.R, l.p), entries);
            add_entries(r, w, k, count, entries + first, column);
        }
        if (bodies[i].parent == 0) break;
        l.R = m3_mul(l.R, transpose(w->X[i].R));
        l.p = sub(l.p, rot(l.R, w->X[i].p));
    }
}

// See friction() of inverse_dynamics.k.h.
ARNE_TEXT void friction_columns(const arne_robot *r, const work *w, int k, const real *qd,
                                real *column)
{
    const real half = r_num(0.5), s = r_sign(qd[k]), both = r_mul(s, s);
    real       entries[FRICTION_PARAMETERS];
    entries[0] = qd[k];
    entries[1] = r_mul(half, r_add(s, both));
    entries[2] = r_mul(half, r_sub(s, both));
    add_entries(r, w, k, FRICTION_PARAMETERS, entries, column);
}

// What joints add.
ARNE_TEXT void joint_columns(const arne_robot *r, const work *w, const real *qd, const real *qdd,
                             real *Y)
{
    for (int k = 0; k < r->tree_v_count; k++) {
        const body *b = &robot_bodies(r)[robot_dofs(r)[k].body];
        if (b->kind == ARNE_JOINT_ROTOR) continue;
        friction_columns(r, w, k, qd, Y + friction_start(r) + FRICTION_PARAMETERS * b->joint);
        add_entries(r, w, k, 1, &qdd[k], Y + rotor_start(r) + b->joint);
    }
}

// A rotor is a body that has one inertia, about its z axis, or one that the gear reflects to its
// coordinate. Where the rotor's speed is the joint's, so is the motor's friction.
ARNE_TEXT void motor_columns(const arne_robot *r, const work *w, const real *qd, const real *qdd,
                             real *Y)
{
    for (int m = 0; m < r->motor_count; m++) {
        const motor_record *motor = &robot_motors(r)[m];
        const body         *rotor = &robot_bodies(r)[motor->body];
        real               *column = Y + motor_start(r) + MOTOR_PARAMETERS * m;
        if (!motor->body) continue;
        if (motor->info.reflected) {
            const real entry = r_mul(r_num(rotor->pitch * rotor->pitch), qdd[rotor->v_start]);
            add_entries(r, w, rotor->v_start, 1, &entry, column);
        } else {
            link_columns(r, w, motor->body, body_motion(w, motor->body), LINK_PARAMETERS - 1, 1,
                         column);
        }
        if (motor->own_side) friction_columns(r, w, rotor->v_start, qd, column + 1);
    }
}

// Y has v_count rows of parameter_count.
ARNE_TEXT void regressor(const arne_robot *r, work *w, const real *q, const real *qd,
                         const real *qdd, parameter_axes axes, real *Y)
{
    const tree_motion t = tree_motion_of(r, w, q, qd, qdd);
    joint_poses(r, w, t.q);
    body_velocities(r, w, t.qd);
    body_accelerations(r, w, t.qd, t.qdd);
    row_zero(r->v_count * parameter_count(r), Y);
    for (int j = 0; j < r->joint_count; j++) {
        const joint_record *joint = &robot_joints(r)[j];
        const pose          X = pose_lift(robot_frames(r)[joint->info.child].info.pose);
        const link_motion   l = axes == PARAMETERS_OF_LINKS ? link_motion_at(w, joint->body, &X)
                                                            : body_motion(w, joint->body);
        link_columns(r, w, joint->body, l, 0, LINK_PARAMETERS, Y + LINK_PARAMETERS * j);
    }
    joint_columns(r, w, t.qd, t.qdd, Y);
    motor_columns(r, w, t.qd, t.qdd, Y);
}

CALL(REGRESSOR)
{
    regressor(c->r, c->w, IN(q), IN(qd), IN(qdd), PARAMETERS_OF_LINKS, OUT(Y));
    return 0;
}

#endif
