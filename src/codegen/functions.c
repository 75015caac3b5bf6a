#include "codegen/functions.h"
#include <arne/identify.h>
#include <stddef.h>
#include <string.h>

const function_info *function_of(function_id f)
{
    static const function_info all[] = {
#define FUNCTION(id, name, inputs, summary) {#id, name, inputs, summary},
        ARNE_GENERATED_FUNCTIONS(FUNCTION)
#undef FUNCTION
    };
    return &all[f];
}

int arne_generated_function_count(void) { return FUNCTION_COUNT; }

const char *arne_generated_function_name(int index)
{
    return index >= 0 && index < FUNCTION_COUNT ? function_of((function_id)index)->name : NULL;
}

// Wrenches need every mass; a regressor has a column for each parameter that it may leave out.
int has_base_form(function_id f) { return f != FUNCTION_joint_wrenches && f != FUNCTION_regressor; }

// The others would take rates of the constraints' directions, or their multipliers.
int has_closed_form(function_id f)
{
    return f != FUNCTION_inverse_dynamics_derivatives && f != FUNCTION_torque_rate &&
           f != FUNCTION_joint_wrenches;
}

static array_info array(const char *name, int count, const char *meaning)
{
    const array_info a = {name, meaning, count};
    return a;
}

int function_inputs(const request *ask, function_id f, array_info out[MOST_INPUTS])
{
    const arne_sizes size = arne_robot_sizes(ask->robot);
    const int        n = size.v_count;
    int              count = 0;
    for (const char *letter = function_of(f)->inputs; *letter; letter++)
        switch (*letter) {
        case 'q':
            out[count++] = array("q", size.q_count, "coordinates [rad, m]");
            break;
        case 'v':
            out[count++] = array("qd", n, "velocities [rad/s, m/s]");
            break;
        case 'a':
            out[count++] = array("qdd", n, "accelerations [rad/s^2, m/s^2]");
            break;
        case 'j':
            out[count++] = array("qddd", n, "jerks [rad/s^3, m/s^3]");
            break;
        default:
            out[count++] = array("tau", n, "torques and forces [N m, N]");
            break;
        }
    return count;
}

static const char *jacobian_meaning(arne_axes axes)
{
    if (axes == ARNE_AXES_BODY)
        return "6 rows, linear first, row by row; in the frame's axes, at its origin";
    if (axes == ARNE_AXES_WORLD)
        return "6 rows, linear first, row by row; in the world's axes, at the world's origin";
    return "6 rows, linear first, row by row; in the world's axes, at the frame's origin";
}

int function_outputs(const request *ask, function_id f, array_info out[MOST_OUTPUTS])
{
    const arne_sizes size = arne_robot_sizes(ask->robot);
    const int        n = size.v_count;
    switch (f) {
    case FUNCTION_pose:
        out[0] = array("pose", 12 * (ask->options->frame < 0 ? size.frame_count : 1),
                       "12 for each frame: the three columns of R, then p [m]");
        return 1;
    case FUNCTION_jacobian:
        out[0] = array("J", 6 * n, jacobian_meaning(ask->options->axes));
        return 1;
    case FUNCTION_mass_matrix:
        out[0] = ask->order ? array("M", (n - ask->dependent) * (n - ask->dependent),
                                    "of the active joints, row by row [kg m^2, kg m, kg]")
                            : array("M", n * n, "row by row [kg m^2, kg m, kg]");
        return 1;
    case FUNCTION_forward_dynamics:
        out[0] = array("qdd", n, "accelerations [rad/s^2, m/s^2]");
        return 1;
    case FUNCTION_inverse_dynamics_derivatives:
        out[0] = array("dq", n * n, "dtau/dq, row by row");
        out[1] = array("dqd", n * n, "dtau/dqd, row by row");
        out[2] = array("dqdd", n * n, "dtau/dqdd, row by row");
        return 3;
    case FUNCTION_torque_rate:
        out[0] = array("tau", n, "torques and forces [N m, N]");
        out[1] = array("tau_rate", n, "their time derivatives [N m/s, N/s]");
        return 2;
    case FUNCTION_joint_wrenches:
        out[0] = array("wrench", 6 * size.joint_count,
                       "6 for each joint: force [N], moment [N m], at the joint's origin, in the "
                       "child link's axes");
        out[1] = array("base", 6, "force [N] and moment [N m] on the base, in its axes");
        return 2;
    case FUNCTION_regressor:
        out[0] = array("Y", n * arne_parameter_count(ask->robot),
                       "a row for each torque, a column for each parameter, row by row");
        return 1;
    default:
        out[0] = array("tau", n, "torques and forces [N m, N]");
        return 1;
    }
}

int total_count(const array_info *arrays, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += arrays[i].count;
    return sum;
}
