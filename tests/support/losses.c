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

// Where a motor's coordinate is, its own or that of the joint that it drives rigidly.
static int motor_index(const arne_robot *robot, const arne_motor_info *m)
{
    return m->v_index >= 0 ? m->v_index : arne_robot_joint(robot, m->joint).v_start;
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
    for (int i = 0; i < size.motor_count; i++) {
        const arne_motor_info m = arne_robot_motor(robot, i);
        const arne_joint_info as_joint = {.viscous = m.viscous,
                                          .coulomb_positive = m.coulomb_positive,
                                          .coulomb_negative = m.coulomb_negative};
        const int             k = motor_index(robot, &m);
        tau[k] += friction_at(&as_joint, qd[k]);
    }
}

void spring_torque(const arne_robot *robot, const double *q, const double *qd, double *tau)
{
    const arne_sizes size = arne_robot_sizes(robot);
    for (int k = 0; k < size.v_count; k++)
        tau[k] = 0;
    for (int i = 0; i < size.motor_count; i++) {
        const arne_motor_info m = arne_robot_motor(robot, i);
        const arne_joint_info j = arne_robot_joint(robot, m.joint);
        if (m.v_index < 0) continue;
        const double hold = (q ? m.stiffness * (q[j.q_start] - q[m.q_index]) : 0) +
                            (qd ? m.damping * (qd[j.v_start] - qd[m.v_index]) : 0);
        tau[j.v_start] += hold;
        tau[m.v_index] -= hold;
    }
    for (int i = 0; i < size.spring_count; i++) {
        const arne_spring_info s = arne_robot_spring(robot, i);
        const arne_joint_info  j = arne_robot_joint(robot, s.joint);
        tau[j.v_start] +=
            (q ? s.stiffness * (q[j.q_start] - s.rest) : 0) + (qd ? s.damping * qd[j.v_start] : 0);
    }
}

double spring_energy(const arne_robot *robot, const double *q)
{
    const arne_sizes size = arne_robot_sizes(robot);
    double           energy = 0;
    for (int i = 0; i < size.motor_count; i++) {
        const arne_motor_info m = arne_robot_motor(robot, i);
        if (m.v_index < 0) continue;
        const double stretch = q[arne_robot_joint(robot, m.joint).q_start] - q[m.q_index];
        energy += 0.5 * m.stiffness * stretch * stretch;
    }
    for (int i = 0; i < size.spring_count; i++) {
        const arne_spring_info s = arne_robot_spring(robot, i);
        const double           stretch = q[arne_robot_joint(robot, s.joint).q_start] - s.rest;
        energy += 0.5 * s.stiffness * stretch * stretch;
    }
    return energy;
}
