// Whether a coordinate lies within the limits of its joint: one rule for references, plans and
// whoever else is given a posture.
#ifndef ARNE_MOTION_JOINT_RANGE_H
#define ARNE_MOTION_JOINT_RANGE_H

#include <arne/robot.h>
#include <math.h>

// Beyond them by more than rounding.
static inline int joint_leaves_limits(const arne_joint_info *joint, double value)
{
    const double range = joint->upper - joint->lower;
    const double slack = 1e-9 * (1 + (isfinite(range) ? fabs(range) : 0));
    return value < joint->lower - slack || value > joint->upper + slack;
}

#endif
