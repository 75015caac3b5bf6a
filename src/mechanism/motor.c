// Motor torques, one per joint, and the dynamics of elastic robots in terms of them.
#include "algo/inverse_dynamics.k.h"
#include "algo/singular.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"
#include <arne/motor.h>

static int motor_joint_v(const arne_robot *r) { return r->v_count - r->theta_count; }

static int v_of_joint(const arne_robot *r, int joint)
{
    return robot_joints(r)[joint].info.v_start;
}

static int user_v(const arne_robot *r, int k)
{
    return r->shares_coordinates ? robot_v_sources(r)[k].from : k;
}

KERNEL(void, arne_motor_spread, (const arne_robot *robot, const double *motor, double *tau),
       (robot, motor, tau))
{
    for (int k = 0; k < motor_joint_v(robot); k++)
        tau[k] = motor[k];
    for (int i = 0; i < robot->spring_count; i++) { // those between joint and motor
        const spring *s = robot_springs(robot) + i;
        if (s->other_v < 0) continue;
        const int joint = user_v(robot, s->v);
        tau[user_v(robot, s->other_v)] = motor[joint];
        tau[joint] = 0;
    }
    for (int i = 0; i < robot->joint_spring_count; i++) {
        const arne_spring_info *s = &robot_joint_springs(robot)[i];
        if (s->passive) tau[v_of_joint(robot, s->joint)] = 0;
    }
}

KERNEL(void, arne_motor_gather, (const arne_robot *robot, const double *tau, double *motor),
       (robot, tau, motor))
{
    for (int k = 0; k < motor_joint_v(robot); k++)
        motor[k] = tau[k];
    for (int i = 0; i < robot->motor_count; i++) {
        const arne_motor_info *m = &robot_motors(robot)[i].info;
        if (m->v_index >= 0) motor[v_of_joint(robot, m->joint)] = tau[m->v_index];
    }
}

// The wrench of each joint along the joint's own coordinates.
static void wrenches_along_joints(const arne_robot *r, const arne_work *w, double *through)
{
    for (int k = 0; through && k < r->tree_v_count; k++) {
        const dof  *d = robot_dofs(r) + k;
        const body *b = robot_bodies(r) + d->body;
        if (b->kind == ARNE_JOINT_ROTOR || robot_joints(r)[b->joint].info.mimic >= 0) continue;
        through[user_v(r, k)] = axis_power(d, &w->f[d->body]);
    }
}

// Whether something moves that neither a motor nor a given motion drives.
static int has_passive(const arne_robot *r)
{
    if (r->base == ARNE_BASE_FREE) return 1;
    for (int i = 0; i < r->joint_spring_count; i++)
        if (robot_joint_springs(r)[i].passive) return 1;
    return 0;
}

// Passive joints have no torque but their spring's, which is in the dynamics, and a free base has
// none; all other accelerations are given.
static arne_status passive_inverse(const arne_robot *r, arne_work *w, const double *q,
                                   const double *qd, const arne_wrench *f_ext, double *qdd,
                                   double *tau, arne_error *error)
{
    unsigned char *given = w->given;
    for (int k = 0; k < r->v_count; k++) {
        given[k] = r->base != ARNE_BASE_FREE || k >= 6;
        tau[k] = 0;
    }
    for (int i = 0; i < r->joint_spring_count; i++)
        if (robot_joint_springs(r)[i].passive)
            given[v_of_joint(r, robot_joint_springs(r)[i].joint)] = 0;
    const arne_status status = arne_hybrid_dynamics(r, w, q, qd, given, f_ext, tau, qdd, error);
    if (!status) arne_forward_wrenches(r, w);
    return status;
}

KERNEL(arne_status, arne_elastic_inverse_dynamics,
       (const arne_robot *robot, arne_work *w, const double *q, const double *qd,
        const arne_wrench *f_ext, double *qdd, double *motor, double *through, arne_error *error),
       (robot, w, q, qd, f_ext, qdd, motor, through, error))
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !q || !qd || !qdd || !motor) return arne_fail_null(error);
    double     *tau = w->task;
    arne_status status = ARNE_OK;
    if (has_passive(robot))
        status = passive_inverse(robot, w, q, qd, f_ext, qdd, tau, error);
    else
        arne_inverse_dynamics(robot, w, q, qd, qdd, f_ext, tau);
    if (status) return status;
    arne_motor_gather(robot, tau, motor);
    for (int i = 0; i < robot->joint_spring_count; i++) {
        const arne_spring_info *s = &robot_joint_springs(robot)[i];
        const arne_joint_info  *j = &robot_joints(robot)[s->joint].info;
        if (s->passive) motor[j->v_start] = arne_spring_torque(s, q[j->q_start], qd[j->v_start]);
    }
    wrenches_along_joints(robot, w, through);
    return ARNE_OK;
}

KERNEL(arne_status, arne_elastic_forward_dynamics,
       (const arne_robot *robot, arne_work *w, const double *q, const double *qd,
        const double *motor, const arne_wrench *f_ext, double *qdd, double *through,
        arne_error *error),
       (robot, w, q, qd, motor, f_ext, qdd, through, error))
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !q || !qd || !motor || !qdd) return arne_fail_null(error);
    arne_motor_spread(robot, motor, w->task);
    const arne_status status = arne_forward_dynamics(robot, w, q, qd, w->task, f_ext, qdd, error);
    if (status || !through) return status;
    arne_forward_wrenches(robot, w);
    wrenches_along_joints(robot, w, through);
    return ARNE_OK;
}

KERNEL(arne_status, arne_elastic_forward_dynamics_matrix,
       (const arne_robot *robot, arne_work *w, const double *q, const double *qd,
        const double *motor, const arne_wrench *f_ext, double *qdd, double *through,
        arne_error *error),
       (robot, w, q, qd, motor, f_ext, qdd, through, error))
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !q || !qd || !motor || !qdd) return arne_fail_null(error);
    arne_motor_spread(robot, motor, w->task);
    const arne_status status =
        arne_forward_dynamics_matrix(robot, w, q, qd, w->task, f_ext, qdd, error);
    if (!status) wrenches_along_joints(robot, w, through);
    return status;
}
