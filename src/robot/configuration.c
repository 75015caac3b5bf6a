// Configurations as a whole: each joint does its part (joint.c).
#include "base/random.h"
#include "robot/joint.h"
#include <arne/integrate.h>
#include <math.h>

#define EACH_JOINT(robot, j)                                                                       \
    for (const joint_record *j##_r = robot_joints(robot), *j##_end = j##_r + (robot)->joint_count; \
         j##_r < j##_end; j##_r++)                                                                 \
        for (const arne_joint_info *j = &j##_r->info; j && j->q_count > 0; j = NULL)

// The motors' own coordinates are plain numbers at the tail of q and of v.
#define EACH_THETA(robot, k)                                                                       \
    for (int k = (robot)->q_count - (robot)->theta_count; k < (robot)->q_count; k++)
#define THETA_V(robot, k) ((k) - (robot)->q_count + (robot)->v_count)

void arne_neutral(const arne_robot *robot, double *q)
{
    EACH_JOINT(robot, j)
    joint_neutral(j->kind, q + j->q_start);
    EACH_THETA(robot, k)
    q[k] = 0;
}

void arne_random_configuration(const arne_robot *robot, uint64_t *seed, double *q)
{
    EACH_JOINT(robot, j)
    joint_random(j, seed, q + j->q_start);
    for (int i = 0; i < robot->motor_count; i++) { // near its joint
        const arne_motor_info *m = &robot_motors(robot)[i].info;
        if (m->q_index >= 0)
            q[m->q_index] =
                q[robot_joints(robot)[m->joint].info.q_start] + random_between(seed, -0.1, 0.1);
    }
}

void arne_integrate(const arne_robot *robot, const double *q, const double *v, double *out)
{
    EACH_JOINT(robot, j)
    joint_integrate(j->kind, q + j->q_start, v + j->v_start, out + j->q_start);
    EACH_THETA(robot, k)
    out[k] = q[k] + v[THETA_V(robot, k)];
}

void arne_difference(const arne_robot *robot, const double *from, const double *to, double *v)
{
    EACH_JOINT(robot, j)
    joint_difference(j->kind, from + j->q_start, to + j->q_start, v + j->v_start);
    EACH_THETA(robot, k)
    v[THETA_V(robot, k)] = to[k] - from[k];
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
    EACH_THETA(robot, k)
    out[k] = from[k] + u * (to[k] - from[k]);
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
    EACH_THETA(robot, k)
    qdot[k] = v[THETA_V(robot, k)];
}

void arne_step_rate(const arne_robot *robot, const double *u, const double *v, double *rate)
{
    EACH_JOINT(robot, j)
    joint_step_rate(j->kind, u + j->v_start, v + j->v_start, rate + j->v_start);
    EACH_THETA(robot, k)
    rate[THETA_V(robot, k)] = v[THETA_V(robot, k)];
}

arne_degrees arne_joint_degrees(const arne_joint_info *joint, double position)
{
    static const double         TWO_TURNS = 4 * 3.14159265358979323846;
    const arne_joint_kind_info *kind = arne_joint_kind_facts(joint->kind);
    if (joint->q_count != 1 || !kind || kind->q[0] != ARNE_COORDINATE_ANGLE) return ARNE_DEGREES_NO;
    const double most = fmax(fabs(joint->lower), fabs(joint->upper));
    const double far = most <= TWO_TURNS ? 3 * fmax(most, 1) : TWO_TURNS;
    if (!(fabs(position) > far)) return ARNE_DEGREES_NO;
    const int inside = position >= joint->lower && position <= joint->upper;
    return inside ? ARNE_DEGREES_PERHAPS : ARNE_DEGREES_OUTSIDE;
}
