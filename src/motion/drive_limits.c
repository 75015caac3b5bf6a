#include "motion/drive_limits.h"

#include <math.h>

void arne_drive_limits(const arne_robot *robot, double *torque, double *rate)
{
    const arne_sizes size = arne_robot_sizes(robot);
    for (int i = 0; i < size.v_count; i++)
        torque[i] = INFINITY;
    for (int i = 0; rate && i < size.v_count; i++)
        rate[i] = INFINITY;
    for (int k = 0; k < size.joint_count; k++) {
        const arne_joint_info joint = arne_robot_joint(robot, k);
        for (int i = 0; i < joint.v_count; i++)
            torque[joint.v_start + i] = joint.effort;
    }
    for (int m = 0; m < size.motor_count; m++) {
        const arne_motor_info motor = arne_robot_motor(robot, m);
        const int             own = arne_robot_joint(robot, motor.joint).v_start;
        const int             at = motor.v_index < 0 ? own : motor.v_index;
        torque[at] = fmin(torque[own], motor.effort);
        if (rate) rate[at] = motor.effort_rate;
        if (at != own) torque[own] = INFINITY; // nothing drives it directly
    }
}
