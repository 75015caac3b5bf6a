#include "algo/torque_rate.k.h"
#include "math/lower.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"

KERNEL(void, arne_torque_rate,
       (const arne_robot *robot, arne_work *w, const double *q, const double *qd, const double *qdd,
        const double *qddd, const arne_load *loads, int load_count, double *tau, double *tau_rate),
       (robot, w, q, qd, qdd, qddd, loads, load_count, tau, tau_rate))
{
    WORK_FITS(robot, w);
    if (!tau && !robot->shares_coordinates) tau = w->tree_tau;
    torque_rate(robot, w, q, qd, qdd, qddd, loads, load_count, tau, tau_rate);
}

KERNEL(arne_motion, arne_frame_jerk,
       (const arne_robot *robot, const arne_work *w, int frame, arne_axes axes),
       (robot, w, frame, axes))
{
    WORK_FITS(robot, w);
    return lower_motion(frame_jerk(robot, w, frame, axes));
}

KERNEL(arne_vec3, arne_com_jerk,
       (const arne_robot *robot, const arne_work *w, int frame, arne_axes axes),
       (robot, w, frame, axes))
{
    WORK_FITS(robot, w);
    if (frame < 0) return lower(com_jerk(robot, w));
    const arne_frame_info *f = &robot_frames(robot)[frame].info;
    const pose             in_body = pose_lift(f->pose);
    const vec3             c = add(in_body.p, out_of(&in_body, lift(f->com)));
    const vec3             j = point_jerk(w, f->body, c);
    return lower(axes == ARNE_AXES_BODY ? into(&in_body, j) : to_world(robot, w, f->body, j));
}
