// Configurations as a whole: each joint does its part (joint.c).
#include "robot/joint.h"
#include <arne/configuration.h>
#include <math.h>

#define EACH_JOINT(robot, j)                                                                       \
    for (const joint_record *j##_r = robot_joints(robot), *j##_end = j##_r + (robot)->joint_count; \
         j##_r < j##_end; j##_r++)                                                                 \
        for (const arne_joint_info *j = &j##_r->info; j && j->q_count > 0; j = NULL)

void arne_neutral(const arne_robot *robot, double *q)
{
    EACH_JOINT(robot, j)
    joint_neutral(j->kind, q + j->q_start);
}

void arne_random_configuration(const arne_robot *robot, uint64_t *seed, double *q)
{
    EACH_JOINT(robot, j)
    joint_random(j, seed, q + j->q_start);
}

void arne_integrate(const arne_robot *robot, const double *q, const double *v, double *out)
{
    EACH_JOINT(robot, j)
    joint_integrate(j->kind, q + j->q_start, v + j->v_start, out + j->q_start);
}

void arne_difference(const arne_robot *robot, const double *from, const double *to, double *v)
{
    EACH_JOINT(robot, j)
    joint_difference(j->kind, from + j->q_start, to + j->q_start, v + j->v_start);
}

void arne_interpolate(const arne_robot *robot, const double *from, const double *to, double u,
                      double *out)
{
    EACH_JOINT(robot, j)
    {
        double v[6];
        joint_difference(j->kind, from + j->q_start, to + j->q_start, v);
        for (int i = 0; i < j->v_count; i++)
            v[i] *= u;
        joint_integrate(j->kind, from + j->q_start, v, out + j->q_start);
    }
}

static double quaternion_length(const double *h)
{
    return sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2] + h[3] * h[3]);
}

void arne_normalize(const arne_robot *robot, double *q)
{
    EACH_JOINT(robot, j)
    {
        const int at = joint_quaternion(j->kind);
        if (at < 0) continue;
        double      *h = q + j->q_start + at;
        const double length = quaternion_length(h);
        for (int i = 0; i < 4; i++)
            h[i] = length > 0 ? h[i] / length : i == 3;
    }
}

double arne_quaternion_error(const arne_robot *robot, const double *q)
{
    double worst = 0;
    EACH_JOINT(robot, j)
    {
        const int    at = joint_quaternion(j->kind);
        const double off = at < 0 ? 0 : quaternion_length(q + j->q_start + at) - 1;
        if (fabs(off) > fabs(worst) || isnan(off)) worst = off;
    }
    return worst;
}

void arne_coordinate_rate(const arne_robot *robot, const double *q, const double *v, double *qdot)
{
    EACH_JOINT(robot, j)
    joint_rate(j->kind, q + j->q_start, v + j->v_start, qdot + j->q_start);
}
