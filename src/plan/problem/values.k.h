// The rows of every built-in quantity of a plan, from the coordinates and their derivatives. One
// text: the plan evaluates it in doubles, the derivative check in complex numbers.
#ifndef ARNE_PLAN_VALUES_K_H
#define ARNE_PLAN_VALUES_K_H

#include "algo/centroidal.k.h"
#include "algo/torque_rate.k.h"
#include <arne/plan.h>

// A state of the robot in any arithmetic.
typedef struct quantity_state {
    const arne_robot *r;
    work             *w;
    const real       *q, *qd, *qdd, *qddd;
    double            u;
} quantity_state;

ARNE_FN real *quantity_put(real *out, vec3 a)
{
    out[0] = vx(a);
    out[1] = vy(a);
    out[2] = vz(a);
    return out + 3;
}

// The length of a vector, smoothed at zero by 1e-9 so that it can be differentiated there.
ARNE_FN real quantity_length(vec3 a) { return r_sqrt(r_add(dot(a, a), r_num(1e-18))); }

ARNE_FN pose quantity_pose(const quantity_state *s, int frame)
{
    if (frame < 0) {
        const real one = r_num(1), o = r_num(0);
        return pose_from(m3(v3(one, o, o), v3(o, one, o), v3(o, o, one)), v3_zero());
    }
    const arne_frame_info *f = &robot_frames(s->r)[frame].info;
    const pose             in_body = pose_lift(f->pose);
    return pose_mul(&s->w->X_w[f->body], &in_body);
}

ARNE_FN vec3 quantity_point(const quantity_state *s, int frame, arne_vec3 point)
{
    const pose X = quantity_pose(s, frame);
    return add(X.p, out_of(&X, lift(point)));
}

// Velocity of the point, and the turn of the frame, in the world.
ARNE_FN real *quantity_velocity(const quantity_state *s, const arne_quantity *what, real *out)
{
    const arne_frame_info *f = &robot_frames(s->r)[what->frame].info;
    const pose             in_body = pose_lift(f->pose), *X = &s->w->X_w[f->body];
    const vec3             at = add(in_body.p, out_of(&in_body, lift(what->point)));
    const motion           v = s->w->v[f->body];
    return quantity_put(quantity_put(out, out_of(X, add(v.lin, cross(v.ang, at)))),
                        out_of(X, v.ang));
}

// 2 tan(a/2) along the axis: twice the skew part of E over 1 + trace.
ARNE_FN vec3 quantity_turn(const pose *target, const pose *X)
{
    const vec3 x = into(target, X->R.x), y = into(target, X->R.y), z = into(target, X->R.z);
    const real all = r_add(r_add(r_add(r_num(1), vx(x)), vy(y)), vz(z));
    const vec3 skew_part = v3(r_sub(vz(y), vy(z)), r_sub(vx(z), vz(x)), r_sub(vy(x), vx(y)));
    return scale(skew_part, r_div(r_num(2), all));
}

ARNE_TEXT void quantity_wrench(const quantity_state *s, int joint, real *out)
{
    const joint_record *j = &robot_joints(s->r)[joint];
    const pose          X = pose_lift(robot_frames(s->r)[j->info.child].info.pose);
    inverse_dynamics(s->r, s->w, s->q, s->qd, s->qdd, NULL, s->w->scratch);
    const vec3 f = into(&X, s->w->f[j->body].lin), m = into(&X, s->w->f[j->body].ang);
    out = quantity_put(quantity_put(out, f), m);
    out[0] = quantity_length(f);
    out[1] = quantity_length(m);
}

// Where the ground's force acts on the plane without a moment in it: from the wrench that arrives
// at the base.
ARNE_TEXT vec3 quantity_zmp(const quantity_state *s, arne_vec3 on, arne_vec3 normal)
{
    inverse_dynamics(s->r, s->w, s->q, s->qd, s->qdd, NULL, s->w->scratch);
    const force F = to_parent(&s->w->base_pose, base_wrench(s->r, s->w));
    const vec3  n = lift(normal), p = lift(on), m = sub(F.ang, cross(p, F.lin));
    return add(p, scale(cross(n, m), r_div(r_num(1), dot(n, F.lin))));
}

ARNE_TEXT void quantity_inside(const arne_quantity *what, vec3 zmp, real *out)
{
    for (int i = 0; i < what->corner_count; i++) {
        const arne_vec3 a = what->corners[i], b = what->corners[(i + 1) % what->corner_count];
        const vec3      n = lift(what->plane_normal), edge = sub(lift(b), lift(a));
        const vec3      inward = cross(n, edge);
        out[i] = r_div(dot(inward, sub(zmp, lift(a))), r_sqrt(dot(inward, inward)));
    }
}

// Between the rows of a reference: a straight line.
ARNE_TEXT void quantity_deviation(const quantity_state *s, const arne_quantity *what, real *out)
{
    const int     n = s->r->v_count, last = what->reference_count - 1;
    const double  x = s->u * last;
    const int     i = last == 0 ? 0 : x >= last ? last - 1 : (int)x;
    const double *a = what->reference + i * n, *b = last == 0 ? a : a + n;
    for (int k = 0; k < n; k++)
        out[k] = r_sub(s->q[k], r_num(a[k] + (x - i) * (b[k] - a[k])));
}

ARNE_TEXT void quantity_power(const quantity_state *s, real *out)
{
    inverse_dynamics(s->r, s->w, s->q, s->qd, s->qdd, NULL, out);
    for (int k = 0; k < s->r->v_count; k++)
        out[k] = r_mul(out[k], s->qd[k]);
}

// Of all coordinates together.
ARNE_TEXT void quantity_mechanical_power(const quantity_state *s, real *out)
{
    inverse_dynamics(s->r, s->w, s->q, s->qd, s->qdd, NULL, s->w->scratch);
    *out = r_num(0);
    for (int k = 0; k < s->r->v_count; k++)
        *out = r_add(*out, r_mul(s->w->scratch[k], s->qd[k]));
}

ARNE_TEXT void quantity_rate(const quantity_state *s, real *out)
{
    const arne_robot *r = s->r;
    work             *w = s->w;
    torque_rate(r, w, s->q, s->qd, s->qdd, s->qddd, NULL, 0, w->scratch, out);
}

ARNE_TEXT void quantity_copy(const quantity_state *s, const real *x, real *out)
{
    for (int k = 0; k < s->r->v_count; k++)
        out[k] = x[k];
}

// The geometry of frames and of the whole.
ARNE_TEXT void quantity_geometry(const quantity_state *s, const arne_quantity *what, real *out)
{
    const pose target = pose_lift(what->target);
    vec3       a, b;
    kinematics(s->r, s->w, s->q, s->qd, NULL);
    if (what->kind == ARNE_QUANTITY_FRAME_ROTATION) {
        const pose X = quantity_pose(s, what->frame);
        quantity_put(out, quantity_turn(&target, &X));
    } else if (what->kind == ARNE_QUANTITY_FRAME_VELOCITY) {
        quantity_velocity(s, what, out);
    } else if (what->kind == ARNE_QUANTITY_COM) {
        quantity_put(out, scale(total_inertia(s->r, s->w).h, inverse_mass(s->r)));
    } else {
        a = quantity_point(s, what->frame, what->point);
        if (what->kind == ARNE_QUANTITY_FRAME_POSITION) {
            quantity_put(out, a);
        } else if (what->kind == ARNE_QUANTITY_HEIGHT) {
            *out = dot(lift(what->plane_normal), sub(a, lift(what->plane_point)));
        } else {
            b = quantity_point(s, what->other_frame, what->other_point);
            *out = quantity_length(sub(a, b));
        }
    }
}

// Velocity of the centre of mass; or momentum, linear and about the centre of mass.
ARNE_TEXT void quantity_momentum(const quantity_state *s, const arne_quantity *what, real *out)
{
    const force h = momentum_about_com(s->r, s->w, s->q, s->qd);
    if (what->kind == ARNE_QUANTITY_COM_VELOCITY)
        quantity_put(out, scale(h.lin, inverse_mass(s->r)));
    else
        quantity_put(quantity_put(out, h.lin), h.ang);
}

ARNE_TEXT void quantity_rows(const quantity_state *s, const arne_quantity *what, real *out)
{
    switch (what->kind) {
    case ARNE_QUANTITY_POSITION:
        quantity_copy(s, s->q, out);
        break;
    case ARNE_QUANTITY_VELOCITY:
        quantity_copy(s, s->qd, out);
        break;
    case ARNE_QUANTITY_ACCELERATION:
        quantity_copy(s, s->qdd, out);
        break;
    case ARNE_QUANTITY_JERK:
        quantity_copy(s, s->qddd, out);
        break;
    case ARNE_QUANTITY_TORQUE:
        inverse_dynamics(s->r, s->w, s->q, s->qd, s->qdd, NULL, out);
        break;
    case ARNE_QUANTITY_TORQUE_RATE:
        quantity_rate(s, out);
        break;
    case ARNE_QUANTITY_POWER:
        quantity_power(s, out);
        break;
    case ARNE_QUANTITY_MECHANICAL_POWER:
        quantity_mechanical_power(s, out);
        break;
    case ARNE_QUANTITY_WRENCH:
        quantity_wrench(s, what->joint, out);
        break;
    case ARNE_QUANTITY_ZMP:
        quantity_put(out, quantity_zmp(s, what->plane_point, what->plane_normal));
        break;
    case ARNE_QUANTITY_ZMP_INSIDE:
        quantity_inside(what, quantity_zmp(s, what->plane_point, what->plane_normal), out);
        break;
    case ARNE_QUANTITY_DEVIATION:
        quantity_deviation(s, what, out);
        break;
    case ARNE_QUANTITY_COM_VELOCITY:
    case ARNE_QUANTITY_MOMENTUM:
        quantity_momentum(s, what, out);
        break;
    default:
        quantity_geometry(s, what, out);
    }
}

#endif
