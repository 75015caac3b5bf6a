#include "algo/kinematics.k.h"
#include "math/lower.h"
#include "robot/work_layout.h"
#include <arne/kinematics.h>

void arne_kinematics(const arne_robot *robot, arne_work *w, const double *q, const double *qd,
                     const double *qdd)
{
    WORK_FITS(robot, w);
    kinematics(robot, w, q, qd, qdd);
}

static pose frame_in_world(const arne_work *w, const arne_frame_info *f, const pose *in_body)
{
    return pose_mul(&w->X_w[f->body], in_body);
}

arne_pose arne_frame_pose(const arne_robot *robot, const arne_work *w, int frame)
{
    WORK_FITS(robot, w);
    const arne_frame_info *f = &robot_frames(robot)[frame].info;
    const pose             in_body = pose_lift(f->pose), X = frame_in_world(w, f, &in_body);
    return lower_pose(&X);
}

arne_motion arne_frame_velocity(const arne_robot *robot, const arne_work *w, int frame,
                                arne_axes axes)
{
    WORK_FITS(robot, w);
    const arne_frame_info *f = &robot_frames(robot)[frame].info;
    const pose             in_body = pose_lift(f->pose), X = frame_in_world(w, f, &in_body);
    const motion           v = to_child(&in_body, w->v[f->body]);
    switch (axes) {
    case ARNE_AXES_BODY:
        return lower_motion(v);
    case ARNE_AXES_WORLD:
        return lower_motion(motion_to_parent(&X, v));
    default:
        return lower_motion(mo(out_of(&X, v.lin), out_of(&X, v.ang)));
    }
}

arne_motion arne_frame_acceleration(const arne_robot *robot, const arne_work *w, int frame,
                                    arne_axes axes, arne_acceleration_kind kind)
{
    WORK_FITS(robot, w);
    const arne_frame_info *f = &robot_frames(robot)[frame].info;
    const int              i = f->body;
    const pose             in_body = pose_lift(f->pose), X = frame_in_world(w, f, &in_body);
    const motion           v = to_child(&in_body, w->v[i]);
    // the workspace's accelerations are less gravity
    const vec3 here = add(w->a[i].lin, rot(body_rates(w, i), in_body.p));
    motion     a = mo(into(&in_body, add(here, into(&w->X_w[i], lift(robot->gravity)))),
                      into(&in_body, w->a[i].ang));
    if (kind == ARNE_ACCELERATION_SPATIAL) a.lin = sub(a.lin, cross(v.ang, v.lin));
    if (axes == ARNE_AXES_BODY) return lower_motion(a);
    if (axes == ARNE_AXES_WORLD && kind == ARNE_ACCELERATION_SPATIAL)
        return lower_motion(motion_to_parent(&X, a));
    const motion turned = mo(out_of(&X, a.lin), out_of(&X, a.ang));
    if (axes == ARNE_AXES_ALIGNED) return lower_motion(turned);
    return lower_motion(
        mo(sub(turned.lin, rot(rate_matrix(out_of(&X, v.ang), turned.ang), X.p)), turned.ang));
}
