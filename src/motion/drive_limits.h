// What joints and their motors can give, as the robot's file says.
#ifndef ARNE_MOTION_DRIVE_LIMITS_H
#define ARNE_MOTION_DRIVE_LIMITS_H

#include <arne/robot.h>

// torque and its rate (v_count each; the rate may be NULL), infinite where there is no limit. Those
// of an elastic joint are at its motor's place.
void arne_drive_limits(const arne_robot *robot, double *torque, double *rate);

#endif
