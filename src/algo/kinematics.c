#include "algo/frame_motion.k.h"
#include "math/lower.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"
#include <arne/kinematics.h>

KERNEL(void, arne_kinematics,
       (const arne_robot *robot, arne_work *w, const double *q, const double *qd,
        const double *qdd),
       (robot, w, q, qd, qdd))
{
    WORK_FITS(robot, w);
    kinematics(robot, w, q, qd, qdd);
}

KERNEL(arne_pose, arne_frame_pose, (const arne_robot *robot, const arne_work *w, int frame),
       (robot, w, frame))
{
    WORK_FITS(robot, w);
    const pose X = frame_pose(robot, w, frame);
    return lower_pose(&X);
}

KERNEL(arne_motion, arne_frame_velocity,
       (const arne_robot *robot, const arne_work *w, int frame, arne_axes axes),
       (robot, w, frame, axes))
{
    WORK_FITS(robot, w);
    return lower_motion(frame_velocity(robot, w, frame, axes));
}

KERNEL(arne_motion, arne_frame_acceleration,
       (const arne_robot *robot, const arne_work *w, int frame, arne_axes axes,
        arne_acceleration_kind kind),
       (robot, w, frame, axes, kind))
{
    WORK_FITS(robot, w);
    return lower_motion(frame_acceleration(robot, w, frame, axes, kind));
}
