// Where a state leaves all bounds, and which joint is to blame.
#include "base/error.h"
#include "simulate/integrator.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// Nothing moves that fast [rad/s, m/s].
static const double BOUND = 1e15;
// In a step: a robot that is singular so far from where it was has not become so by itself [rad,
// m].
static const double FAR = 10;

// The entry of the tangent that belongs to an entry of q.
static int tangent_of(const arne_integrator *it, int q)
{
    const arne_robot *robot = it->system.robot;
    for (int j = 0; j < arne_robot_sizes(robot).joint_count; j++) {
        const arne_joint_info info = arne_robot_joint(robot, j);
        if (q >= info.q_start && q < info.q_start + info.q_count) return info.v_start;
    }
    return it->nv - (it->nq - q); // motors stand at the tail of both
}

int integrator_broken(const arne_integrator *it, const double *q, const double *qd, const double *z)
{
    for (int i = 0; i < it->nv; i++)
        if (!(fabs(qd[i]) <= BOUND)) return it->nv + i;
    for (int i = 0; i < it->nq; i++)
        if (!isfinite(q[i])) return tangent_of(it, i);
    for (int i = 0; i < it->nz; i++)
        if (!isfinite(z[i])) return 2 * it->nv + i;
    return -1;
}

// The joint that moves fastest, as an entry of the tangent: who is to blame where only z gives way.
static int fastest(const arne_integrator *it)
{
    int found = 0;
    for (int i = 1; i < it->nv; i++)
        if (fabs(it->qd1[i]) > fabs(it->qd1[found])) found = i;
    return it->nv + found;
}

const char *coordinate_joint(const arne_robot *robot, int v, int *motor)
{
    *motor = 0;
    for (int j = 0; j < arne_robot_sizes(robot).joint_count; j++) {
        const arne_joint_info info = arne_robot_joint(robot, j);
        if (v >= info.v_start && v < info.v_start + info.v_count && info.q_count > 0)
            return info.name;
    }
    *motor = 1;
    for (int m = 0; m < arne_robot_sizes(robot).motor_count; m++) {
        const arne_motor_info info = arne_robot_motor(robot, m);
        if (v == info.v_index) return arne_robot_joint(robot, info.joint).name;
    }
    return NULL;
}

arne_status integrator_diverged(const arne_integrator *it, int entry, const char *why,
                                arne_error *error)
{
    if (entry >= 2 * it->nv && it->nv > 0) {
        entry = fastest(it);
        why = "grows without bounds";
    }
    const arne_robot *robot = it->system.robot;
    const char       *what = entry < it->nv ? "the position" : "the velocity";
    const int         v = entry < it->nv ? entry : entry - it->nv;
    int               motor;
    const char       *joint = coordinate_joint(robot, v, &motor);
    if (!joint)
        return arne_fail(error, ARNE_DIVERGED, NULL, 0, "the simulation diverged at t = %.9g s",
                         it->time);
    return arne_fail(
        error, ARNE_DIVERGED, NULL, 0,
        "the simulation diverged at t = %.9g s: %s of %sjoint '%s' %s%s", it->time, what,
        motor ? "the motor of " : "", joint, why,
        it->options.method <= ARNE_METHOD_RK4
            ? "; take smaller steps, or where springs are stiff rosenbrock, cvode or ida"
            : "");
}

arne_status integrator_failed(const arne_integrator *it, arne_status status, arne_error *error)
{
    const int i = fastest(it);
    if (status != ARNE_SINGULAR || !(fabs(it->qd1[i - it->nv]) * it->options.step > FAR))
        return status;
    return integrator_diverged(it, i, "grows without bounds", error);
}

arne_status integrator_gave_up(arne_integrator *it, const char *why, arne_error *error)
{
    char text[sizeof error->text];
    memcpy(it->qd1, it->qd, (size_t)it->nv * sizeof *it->qd);
    const arne_status status = integrator_diverged(it, 2 * it->nv, "", error);
    if (!error) return status;
    snprintf(text, sizeof text, "%.300s (%.150s)", error->text, why);
    return arne_fail(error, status, NULL, 0, "%s", text);
}
