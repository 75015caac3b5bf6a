#include "algo/frame_motion.k.h"
#include "math/lower.h"
#include "robot/work_layout.h"
#include <arne/kinematics.h>

void arne_kinematics(const arne_robot *robot, arne_work *w, const double *q, const double *qd,
                     const double *qdd)
{
    WORK_FITS(robot, w);
    kinematics(robot, w, q, qd, qdd);
}

arne_pose arne_frame_pose(const arne_robot *robot, const arne_work *w, int frame)
{
    WORK_FITS(robot, w);
    const pose X = frame_pose(robot, w, frame);
    return lower_pose(&X);
}

arne_motion arne_frame_velocity(const arne_robot *robot, const arne_work *w, int frame,
                                arne_axes axes)
{
    WORK_FITS(robot, w);
    return lower_motion(frame_velocity(robot, w, frame, axes));
}

arne_motion arne_frame_acceleration(const arne_robot *robot, const arne_work *w, int frame,
                                    arne_axes axes, arne_acceleration_kind kind)
{
    WORK_FITS(robot, w);
    return lower_motion(frame_acceleration(robot, w, frame, axes, kind));
}
