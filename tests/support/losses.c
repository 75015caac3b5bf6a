#include "losses.h"

#include "testing.h"

enum { MOST_TERMS = 32 };

static double speed_of(const arne_robot *robot, const arne_term *terms, int count, const double *qd)
{
    double speed = 0;
    for (int i = 0; i < count; i++)
        speed += terms[i].ratio * qd[arne_robot_joint(robot, terms[i].joint).v_start];
    return speed;
}

// What a follower feels reaches the joints that it follows through the ratios.
static void pass_on(const arne_robot *robot, const arne_term *terms, int count, double torque,
                    double *tau)
{
    for (int i = 0; i < count; i++)
        tau[arne_robot_joint(robot, terms[i].joint).v_start] += terms[i].ratio * torque;
}

double joint_speed(const arne_robot *robot, int joint, const double *qd)
{
    arne_term terms[MOST_TERMS];
    const int count = arne_joint_terms(robot, joint, terms, MOST_TERMS);
    return count ? speed_of(robot, terms, count, qd) : qd[arne_robot_joint(robot, joint).v_start];
}

double motor_speed(const arne_robot *robot, int motor, const double *qd)
{
    arne_term terms[MOST_TERMS];
    const int count = arne_motor_terms(robot, motor, terms, MOST_TERMS);
    return count ? speed_of(robot, terms, count, qd) : qd[arne_robot_motor(robot, motor).v_index];
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
        arne_term             terms[MOST_TERMS];
        const int             count = arne_joint_terms(robot, i, terms, MOST_TERMS);
        if (count)
            pass_on(robot, terms, count, friction_at(&j, joint_speed(robot, i, qd)), tau);
        else
            for (int k = j.v_start; k < j.v_start + j.v_count; k++)
                tau[k] += friction_at(&j, qd[k]);
    }
    for (int i = 0; i < size.motor_count; i++) {
        const arne_motor_info m = arne_robot_motor(robot, i);
        const arne_joint_info as_joint = {.viscous = m.viscous,
                                          .coulomb_positive = m.coulomb_positive,
                                          .coulomb_negative = m.coulomb_negative};
        arne_term             terms[MOST_TERMS];
        const int             count = arne_motor_terms(robot, i, terms, MOST_TERMS);
        if (count)
            pass_on(robot, terms, count, friction_at(&as_joint, speed_of(robot, terms, count, qd)),
                    tau);
        else
            tau[m.v_index] += friction_at(&as_joint, qd[m.v_index]);
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
        const double           x = q ? q[j.q_start] - s.rest : 0, v = qd ? qd[j.v_start] : 0;
        tau[j.v_start] +=
            s.stiffness * x + s.stiffness_more[0] * x * x + s.stiffness_more[1] * x * x * x;
        tau[j.v_start] +=
            s.damping * v + s.damping_more[0] * fabs(v) * v + s.damping_more[1] * v * v * v;
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
        const double          *more = s.stiffness_more;
        energy += s.stiffness * pow(stretch, 2) / 2 + more[0] * pow(stretch, 3) / 3 +
                  more[1] * pow(stretch, 4) / 4;
    }
    return energy;
}
