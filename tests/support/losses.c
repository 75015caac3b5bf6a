#include "losses.h"

#include "testing.h"

double joint_speed(const arne_robot *robot, int joint, const double *qd)
{
    const arne_joint_info j = arne_robot_joint(robot, joint);
    if (j.mimic < 0) return qd[j.v_start];
    return j.mimic_ratio * qd[arne_robot_joint(robot, j.mimic).v_start];
}

static double friction_at(const arne_joint_info *j, double speed)
{
    const double dry = speed > 0 ? j->coulomb_positive : speed < 0 ? -j->coulomb_negative : 0;
    return j->viscous * speed + dry;
}

void friction_torque(const arne_robot *robot, const double *qd, double *tau)
{
    const arne_sizes size = arne_robot_sizes(robot);
    for (int k = 0; k < size.v_count; k++)
        tau[k] = 0;
    for (int i = 0; i < size.joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        if (j.mimic >= 0) // what a follower feels reaches the joint it follows through the ratio
            tau[arne_robot_joint(robot, j.mimic).v_start] +=
                j.mimic_ratio * friction_at(&j, joint_speed(robot, i, qd));
        else
            for (int k = j.v_start; k < j.v_start + j.v_count; k++)
                tau[k] += friction_at(&j, qd[k]);
    }
}
