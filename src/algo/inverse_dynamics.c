#include "algo/inverse_dynamics.k.h"
#include "math/lower.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"
#include <arne/dynamics.h>

KERNEL(void, arne_inverse_dynamics,
       (const arne_robot *robot, arne_work *w, const double *q, const double *qd, const double *qdd,
        const arne_wrench *f_ext, double *tau),
       (robot, w, q, qd, qdd, f_ext, tau))
{
    WORK_FITS(robot, w);
    inverse_dynamics(robot, w, q, qd, qdd, f_ext, tau);
}

KERNEL(void, arne_bias,
       (const arne_robot *robot, arne_work *w, const double *q, const double *qd,
        const arne_wrench *f_ext, double *tau),
       (robot, w, q, qd, f_ext, tau))
{
    WORK_FITS(robot, w);
    inverse_dynamics(robot, w, q, qd, w->zero, f_ext, tau);
}

KERNEL(void, arne_add_wrench,
       (const arne_robot *robot, int frame, const arne_wrench *wrench, arne_wrench *f_ext),
       (robot, frame, wrench, f_ext))
{
    const arne_frame_info *f = &robot_frames(robot)[frame].info;
    const pose             X = pose_lift(f->pose);
    f_ext[f->body] =
        lower_force(force_add(load_lift(&f_ext[f->body]), to_parent(&X, load_lift(wrench))));
}

KERNEL(arne_wrench, arne_joint_wrench, (const arne_robot *robot, const arne_work *w, int joint),
       (robot, w, joint))
{
    WORK_FITS(robot, w);
    const motion f = joint_wrench(robot, w, joint);
    return lower_force(fo(f.lin, f.ang));
}

KERNEL(arne_wrench, arne_base_wrench, (const arne_robot *robot, const arne_work *w), (robot, w))
{
    WORK_FITS(robot, w);
    return lower_force(base_wrench(robot, w));
}
