// What the generated functions must give, by the library itself.
#include "codegen/functions.h"
#include <arne/derivatives.h>
#include <arne/dynamics.h>
#include <arne/identify.h>
#include <stddef.h>

static double *put_vec3(double *out, arne_vec3 a)
{
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
    return out + 3;
}

static void check_pose(const request *ask, arne_work *w, const double *q, double *out)
{
    const int only = ask->options->frame, first = only < 0 ? 0 : only,
              end = only < 0 ? arne_robot_sizes(ask->robot).frame_count : only + 1;
    arne_kinematics(ask->robot, w, q, NULL, NULL);
    for (int i = first; i < end; i++) {
        const arne_pose X = arne_frame_pose(ask->robot, w, i);
        out = put_vec3(put_vec3(put_vec3(put_vec3(out, X.R.x), X.R.y), X.R.z), X.p);
    }
}

// tau of inverse dynamics is not asked for; the wrenches are put where it was.
static void check_wrenches(const arne_robot *r, const arne_work *w, double *out)
{
    const int joints = arne_robot_sizes(r).joint_count;
    for (int i = 0; i <= joints; i++) {
        const arne_wrench f = i < joints ? arne_joint_wrench(r, w, i) : arne_base_wrench(r, w);
        out = put_vec3(put_vec3(out, f.lin), f.ang);
    }
}

arne_status check_function(const request *ask, function_id f, arne_work *w, const double *q,
                           double *out, arne_error *error)
{
    const arne_robot *r = ask->robot;
    const arne_sizes  size = arne_robot_sizes(r);
    const int         n = size.v_count;
    const double     *second = q + size.q_count, *third = second + n, *fourth = third + n;
    switch (f) {
    case FUNCTION_pose:
        check_pose(ask, w, q, out);
        break;
    case FUNCTION_jacobian:
        arne_jacobian(r, w, q, ask->options->frame, ask->options->axes, out);
        break;
    case FUNCTION_inverse_dynamics:
        arne_inverse_dynamics(r, w, q, second, third, NULL, out);
        break;
    case FUNCTION_gravity:
        arne_gravity(r, w, q, out);
        break;
    case FUNCTION_bias:
        arne_bias(r, w, q, second, NULL, out);
        break;
    case FUNCTION_mass_matrix:
        arne_mass_matrix(r, w, q, out);
        break;
    case FUNCTION_forward_dynamics:
        return arne_forward_dynamics(r, w, q, second, third, NULL, out, error);
    case FUNCTION_inverse_dynamics_derivatives:
        arne_inverse_dynamics_derivatives(r, w, q, second, third, NULL, 0, out, out + n * n,
                                          out + 2 * n * n);
        break;
    case FUNCTION_torque_rate:
        arne_torque_rate(r, w, q, second, third, fourth, NULL, 0, out, out + n);
        break;
    case FUNCTION_joint_wrenches:
        arne_inverse_dynamics(r, w, q, second, third, NULL, out); // 6 joints + 6 hold at least n
        check_wrenches(r, w, out);
        break;
    case FUNCTION_regressor:
        arne_regressor(r, w, q, second, third, out);
        break;
    default:
        break;
    }
    return ARNE_OK;
}

// M of the active joints is not asked for as a list of independent ones: they are the same, in order.
arne_status check_closed_function(const request *ask, function_id f, arne_work *w,
                                  arne_loop_work *loop, const double *q, double *out,
                                  arne_error *error)
{
    const arne_robot *r = ask->robot;
    const arne_sizes  size = arne_robot_sizes(r);
    const double     *second = q + size.q_count, *third = second + size.v_count;
    switch (f) {
    case FUNCTION_inverse_dynamics:
        return arne_loop_inverse_dynamics(r, w, loop, q, second, third, NULL, NULL, out, error);
    case FUNCTION_gravity:
        return arne_loop_gravity(r, w, loop, q, NULL, out, error);
    case FUNCTION_bias:
        return arne_loop_bias(r, w, loop, q, second, NULL, NULL, out, error);
    case FUNCTION_mass_matrix:
        return arne_loop_reduced(r, w, loop, q, NULL, NULL, out, NULL, error);
    case FUNCTION_forward_dynamics:
        return arne_loop_forward_dynamics(r, w, loop, q, second, third, NULL, NULL, out, error);
    case FUNCTION_regressor:
        return arne_loop_regressor(r, w, loop, q, second, third, NULL, out, error);
    default:
        return check_function(ask, f, w, q, out, error);
    }
}
