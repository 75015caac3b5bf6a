#include "compute_elastic.h"

#include "message.h"

#include <arne/builder.h>
#include <arne/motor.h>
#include <stdlib.h>
#include <string.h>

unsigned char *given_by_motors(const arne_robot *robot)
{
    const arne_sizes sizes = arne_robot_sizes(robot);
    unsigned char   *given = need((size_t)sizes.v_count, 1);
    memset(given, 1, (size_t)sizes.v_count);
    if (arne_robot_base(robot) == ARNE_BASE_FREE) memset(given, 0, 6);
    for (int i = 0; i < sizes.spring_count; i++) {
        const arne_spring_info spring = arne_robot_spring(robot, i);
        if (spring.passive) given[arne_robot_joint(robot, spring.joint).v_start] = 0;
    }
    return given;
}

static int put_accelerations(const request *ask, arne_status status, const arne_error *error,
                             const double *qdd, result *out)
{
    const arne_sizes sizes = arne_robot_sizes(ask->robot);
    const size_t     joints = (size_t)(sizes.v_count - sizes.theta_count);
    if (status != ARNE_OK) return fail_error(ask->path, status, error);
    memcpy(result_add(out, "qdd", AXIS_JOINT, AXIS_ONE), qdd, joints * sizeof *qdd);
    memcpy(result_add(out, "thetadd", AXIS_THETA, AXIS_ONE), qdd + joints,
           (size_t)sizes.theta_count * sizeof *qdd);
    return EXIT_FINE;
}

int elastic_inverse_dynamics(const request *ask, const state *at, result *out)
{
    const size_t v_count = (size_t)arne_robot_sizes(ask->robot).v_count;
    arne_error   error = {0};
    double      *motor = result_add(out, "tau", AXIS_JOINT, AXIS_ONE);
    double      *through = result_add(out, "tau_joint", AXIS_JOINT, AXIS_ONE);
    double      *qdd = need(v_count, sizeof *qdd);
    memcpy(qdd, at->part[PART_QDD], v_count * sizeof *qdd);
    const arne_status status =
        arne_elastic_inverse_dynamics(ask->robot, ask->work, at->part[PART_Q], at->part[PART_QD],
                                      ask->f_ext, qdd, motor, through, &error);
    const int code = put_accelerations(ask, status, &error, qdd, out);
    free(qdd);
    return code;
}

// The torque of a passive joint is its spring's, as it is for inverse dynamics.
static void put_spring_torques(const request *ask, const state *at, double *motor)
{
    for (int i = 0; i < arne_robot_sizes(ask->robot).spring_count; i++) {
        const arne_spring_info s = arne_robot_spring(ask->robot, i);
        const arne_joint_info  j = arne_robot_joint(ask->robot, s.joint);
        if (s.passive)
            motor[j.v_start] =
                arne_spring_torque(&s, at->part[PART_Q][j.q_start], at->part[PART_QD][j.v_start]);
    }
}

int elastic_forward_dynamics(const request *ask, const state *at, result *out)
{
    arne_error error = {0};
    double    *motor = result_add(out, "tau", AXIS_JOINT, AXIS_ONE);
    double    *through = result_add(out, "tau_joint", AXIS_JOINT, AXIS_ONE);
    double    *qdd = need((size_t)arne_robot_sizes(ask->robot).v_count, sizeof *qdd);
    arne_motor_gather(ask->robot, at->part[PART_TAU], motor);
    put_spring_torques(ask, at, motor);
    const arne_status status =
        (ask->matrix ? arne_elastic_forward_dynamics_matrix : arne_elastic_forward_dynamics)(
            ask->robot, ask->work, at->part[PART_Q], at->part[PART_QD], motor, ask->f_ext, qdd,
            through, &error);
    const int code = put_accelerations(ask, status, &error, qdd, out);
    free(qdd);
    return code;
}

int coupled_matrix(const request *ask, const state *at, result *out)
{
    arne_mass_matrix(ask->robot, ask->work, at->part[PART_Q], result_add(out, "M", AXIS_V, AXIS_V));
    return EXIT_FINE;
}
