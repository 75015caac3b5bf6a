// What the generated functions must give, by the library itself.
#include "codegen/functions.h"
#include <arne/batch.h>

static void set_inputs(const request *ask, arne_algorithm f, const double *at,
                       arne_batch_inputs *in)
{
    array_info arrays[MOST_INPUTS];
    const int  count = function_inputs(ask, f, arrays);
    for (int i = 0; i < count; at += arrays[i++].count)
        arne_batch_set_input(in, arrays[i].array, at);
}

static void set_outputs(const request *ask, arne_algorithm f, int frame, double *at,
                        arne_batch_outputs *out)
{
    array_info arrays[MOST_OUTPUTS];
    const int  count = function_outputs(ask, f, arrays), frames = frame_count(ask, f);
    for (int i = 0; i < count; at += arrays[i++].count)
        arne_batch_set_output(out, arrays[i].array, at + frame * (arrays[i].count / frames));
}

arne_status check_function(const request *ask, arne_algorithm f, const double *inputs,
                           double *outputs, arne_error *error)
{
    const arne_batch_options one = {.width = 1, .threads = 1};
    arne_batch_inputs        in = {.axes = ask->options->axes};
    arne_batch_outputs       out = {0};
    arne_batch              *batch;
    arne_status              status = arne_batch_new(ask->robot, &one, &batch, error);
    if (status) return status;
    set_inputs(ask, f, inputs, &in);
    for (int i = 0; i < frame_count(ask, f) && !status; i++) {
        set_outputs(ask, f, i, outputs, &out);
        in.frame = first_frame(ask) + i;
        status = arne_batch_run(batch, function_algorithm(f), &in, &out, 1, error);
    }
    arne_batch_free(batch);
    return status;
}

// M of the active joints is not asked for as a list of independent ones: they are the same, in
// order.
arne_status check_closed_function(const request *ask, arne_algorithm f, arne_work *w,
                                  arne_loop_work *loop, const double *q, double *out,
                                  arne_error *error)
{
    const arne_robot *r = ask->robot;
    const arne_sizes  size = arne_robot_sizes(r);
    const double     *second = q + size.q_count, *third = second + size.v_count;
    switch ((int)f) {
    case ARNE_ALGORITHM_INVERSE_DYNAMICS:
        return arne_loop_inverse_dynamics(r, w, loop, q, second, third, NULL, NULL, out, error);
    case ARNE_ALGORITHM_GRAVITY:
        return arne_loop_gravity(r, w, loop, q, NULL, out, error);
    case ARNE_ALGORITHM_BIAS:
        return arne_loop_bias(r, w, loop, q, second, NULL, NULL, out, error);
    case ARNE_ALGORITHM_MASS_MATRIX:
        return arne_loop_reduced(r, w, loop, q, NULL, NULL, out, NULL, error);
    case ARNE_ALGORITHM_FORWARD_DYNAMICS:
        return arne_loop_forward_dynamics(r, w, loop, q, second, third, NULL, NULL, out, error);
    case ARNE_ALGORITHM_REGRESSOR:
        return arne_loop_regressor(r, w, loop, q, second, third, NULL, out, error);
    default:
        return check_function(ask, f, q, out, error);
    }
}
