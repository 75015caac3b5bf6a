#include "elastic.h"

#include "message.h"

#include <arne/builder.h>
#include <arne/dynamics.h>
#include <stdlib.h>
#include <string.h>

// A spring of a joint that no motor drives, whose torque is then the joint's.
static int moves_joint(const arne_robot *robot, const arne_spring_info *spring)
{
    return arne_joint_motor(robot, spring->joint) < 0;
}

unsigned char *given_by_motors(const arne_robot *robot)
{
    const arne_sizes sizes = arne_robot_sizes(robot);
    unsigned char   *given = need((size_t)sizes.v_count, 1);
    memset(given, 1, (size_t)sizes.v_count);
    if (arne_robot_base(robot) == ARNE_BASE_FREE) memset(given, 0, 6);
    for (int i = 0; i < sizes.spring_count; i++) {
        const arne_spring_info spring = arne_robot_spring(robot, i);
        if (moves_joint(robot, &spring)) given[arne_robot_joint(robot, spring.joint).v_start] = 0;
    }
    return given;
}

static double dot(arne_vec3 a, arne_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// What a joint of one coordinate carries along its axis.
static double along_axis(const arne_joint_info *j, arne_wrench f)
{
    const double turn = dot(j->axis, f.ang), slide = dot(j->axis, f.lin);
    return j->kind == ARNE_PRISMATIC ? slide
           : j->kind == ARNE_HELICAL ? turn + j->pitch * slide
                                     : turn;
}

// From torques of all coordinates to those of joints: the motor's where one stands behind a spring, the spring's where
// there is no motor; and what joints carry, of which the work holds the wrenches.
static void put_torques(const request *ask, const state *at, const double *tau, result *out)
{
    const arne_robot *robot = ask->robot;
    const arne_sizes  sizes = arne_robot_sizes(robot);
    double           *motor = result_add(out, "tau", AXIS_JOINT, AXIS_ONE);
    double           *joint = result_add(out, "tau_joint", AXIS_JOINT, AXIS_ONE);
    memcpy(motor, tau, (size_t)(sizes.v_count - sizes.theta_count) * sizeof *tau);
    memcpy(joint, motor, (size_t)(sizes.v_count - sizes.theta_count) * sizeof *tau);
    for (int i = 0; i < sizes.joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        if (j.v_count == 1)
            joint[j.v_start] = along_axis(&j, arne_joint_wrench(robot, ask->work, i));
    }
    for (int i = 0; i < sizes.motor_count; i++) {
        const arne_motor_info m = arne_robot_motor(robot, i);
        if (m.v_index >= 0) motor[arne_robot_joint(robot, m.joint).v_start] = tau[m.v_index];
    }
    for (int i = 0; i < sizes.spring_count; i++) {
        const arne_spring_info s = arne_robot_spring(robot, i);
        const arne_joint_info  j = arne_robot_joint(robot, s.joint);
        if (moves_joint(robot, &s))
            motor[j.v_start] = -s.stiffness * (at->part[PART_Q][j.q_start] - s.rest) -
                               s.damping * at->part[PART_QD][j.v_start];
    }
}

static void put_accelerations(const request *ask, const double *qdd, result *out)
{
    const arne_sizes sizes = arne_robot_sizes(ask->robot);
    const size_t     joints = (size_t)(sizes.v_count - sizes.theta_count);
    memcpy(result_add(out, "qdd", AXIS_JOINT, AXIS_ONE), qdd, joints * sizeof *qdd);
    memcpy(result_add(out, "thetadd", AXIS_THETA, AXIS_ONE), qdd + joints,
           (size_t)sizes.theta_count * sizeof *qdd);
}

static int put(const request *ask, const state *at, arne_status status, const arne_error *error,
               const double *tau, const double *qdd, result *out)
{
    if (status != ARNE_OK) return fail_error(ask->path, status, error);
    put_torques(ask, at, tau, out);
    put_accelerations(ask, qdd, out);
    return EXIT_FINE;
}

// Copies of tau and qdd, side by side; what springs alone move has no other torque.
static double *copy_of(const request *ask, const state *at, const unsigned char *given)
{
    const size_t v_count = (size_t)arne_robot_sizes(ask->robot).v_count;
    double      *both = need(2 * v_count, sizeof *both);
    memcpy(both, at->part[PART_TAU], v_count * sizeof *both);
    memcpy(both + v_count, at->part[PART_QDD], v_count * sizeof *both);
    for (size_t i = arne_robot_base(ask->robot) == ARNE_BASE_FREE ? 6 : 0; i < v_count; i++)
        if (!given[i]) both[i] = 0;
    return both;
}

int elastic_inverse_dynamics(const request *ask, const state *at, result *out)
{
    arne_error        error = {0};
    double           *tau = copy_of(ask, at, ask->given);
    double           *qdd = tau + arne_robot_sizes(ask->robot).v_count;
    const arne_status status =
        arne_hybrid_dynamics(ask->robot, ask->work, at->part[PART_Q], at->part[PART_QD], ask->given,
                             ask->f_ext, tau, qdd, &error);
    if (status == ARNE_OK) arne_forward_wrenches(ask->robot, ask->work);
    const int code = put(ask, at, status, &error, tau, qdd, out);
    free(tau);
    return code;
}

int elastic_forward_dynamics(const request *ask, const state *at, result *out)
{
    arne_error        error = {0};
    double           *tau = copy_of(ask, at, ask->given);
    double           *qdd = tau + arne_robot_sizes(ask->robot).v_count;
    const arne_status status = (ask->matrix ? arne_forward_dynamics_matrix : arne_forward_dynamics)(
        ask->robot, ask->work, at->part[PART_Q], at->part[PART_QD], tau, ask->f_ext, qdd, &error);
    if (status == ARNE_OK && !ask->matrix) arne_forward_wrenches(ask->robot, ask->work);
    const int code = put(ask, at, status, &error, tau, qdd, out);
    free(tau);
    return code;
}

int coupled_matrix(const request *ask, const state *at, result *out)
{
    arne_mass_matrix(ask->robot, ask->work, at->part[PART_Q], result_add(out, "A", AXIS_V, AXIS_V));
    return EXIT_FINE;
}
