// What kinematics leaves in the workspace, seen from one frame.
#ifndef ARNE_ALGO_FRAME_MOTION_K_H
#define ARNE_ALGO_FRAME_MOTION_K_H

#include "algo/call.k.h"
#include "algo/kinematics.k.h"
#include <arne/kinematics.h>

ARNE_TEXT pose frame_pose(const arne_robot *r, const work *w, int frame)
{
    const arne_frame_info *f = &robot_frames(r)[frame].info;
    const pose             in_body = pose_lift(f->pose);
    return pose_mul(&w->X_w[f->body], &in_body);
}

ARNE_TEXT motion frame_velocity(const arne_robot *r, const work *w, int frame, arne_axes axes)
{
    const arne_frame_info *f = &robot_frames(r)[frame].info;
    const pose             in_body = pose_lift(f->pose), X = frame_pose(r, w, frame);
    const motion           v = to_child(&in_body, w->v[f->body]);
    if (axes == ARNE_AXES_BODY) return v;
    if (axes == ARNE_AXES_WORLD) return motion_to_parent(&X, v);
    return mo(out_of(&X, v.lin), out_of(&X, v.ang));
}

ARNE_TEXT motion frame_acceleration(const arne_robot *r, const work *w, int frame, arne_axes axes,
                                    arne_acceleration_kind kind)
{
    const arne_frame_info *f = &robot_frames(r)[frame].info;
    const int              i = f->body;
    const pose             in_body = pose_lift(f->pose), X = frame_pose(r, w, frame);
    const motion           v = to_child(&in_body, w->v[i]);
    // the workspace's accelerations are less gravity
    const vec3 here = add(w->a[i].lin, rot(body_rates(w, i), in_body.p));
    motion     a = mo(into(&in_body, add(here, into(&w->X_w[i], lift(r->gravity)))),
                      into(&in_body, w->a[i].ang));
    if (kind == ARNE_ACCELERATION_SPATIAL) a.lin = sub(a.lin, cross(v.ang, v.lin));
    if (axes == ARNE_AXES_BODY) return a;
    if (axes == ARNE_AXES_WORLD && kind == ARNE_ACCELERATION_SPATIAL)
        return motion_to_parent(&X, a);
    const motion turned = mo(out_of(&X, a.lin), out_of(&X, a.ang));
    if (axes == ARNE_AXES_ALIGNED) return turned;
    const mat3 U = rate_matrix(out_of(&X, v.ang), turned.ang);
    return mo(sub(turned.lin, rot(U, X.p)), turned.ang);
}

CALL(POSE)
{
    kinematics(c->r, c->w, IN(q), NULL, NULL);
    put_pose(OUT(pose), frame_pose(c->r, c->w, c->settings->frame));
    return 0;
}

CALL(VELOCITY)
{
    const call_settings *s = c->settings;
    kinematics(c->r, c->w, IN(q), IN(qd), NULL);
    put_motion(OUT(velocity), frame_velocity(c->r, c->w, s->frame, s->axes));
    if (WANTED(pose)) put_pose(OUT(pose), frame_pose(c->r, c->w, s->frame));
    return 0;
}

CALL(ACCELERATION)
{
    const call_settings *s = c->settings;
    kinematics(c->r, c->w, IN(q), IN(qd), IN(qdd));
    put_motion(OUT(acceleration), frame_acceleration(c->r, c->w, s->frame, s->axes, s->kind));
    if (WANTED(velocity)) put_motion(OUT(velocity), frame_velocity(c->r, c->w, s->frame, s->axes));
    if (WANTED(pose)) put_pose(OUT(pose), frame_pose(c->r, c->w, s->frame));
    return 0;
}

#endif
