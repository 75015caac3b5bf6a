#include "compute_effort.h"

#include "message.h"

#include <arne/effort.h>
#include <math.h>
#include <stdlib.h>

static const char *coordinate_name(const request *ask, int k)
{
    const ordering *order = ask->order;
    for (int i = 0; i < order->v_count; i++)
        if (order->v[i] == k) return order->v_name[i];
    return "";
}

static int payload_capacity(const request *ask, const state *at, result *out)
{
    arne_error        error = {0};
    double            mass = 0;
    int               limiting = -1;
    const arne_status status = arne_payload_capacity(
        ask->robot, ask->work, ask->loop, ask->frames[0], at->part[PART_Q], at->part[PART_QD],
        at->part[PART_QDD], ask->f_ext, &mass, &limiting, &error);
    if (status) return request_end(ask, status, &error);
    *result_add(out, "capacity", AXIS_ONE, AXIS_ONE) = mass;
    result_add_text(out, "limiting", coordinate_name(ask, limiting));
    return EXIT_FINE;
}

// Of every coordinate with a limit, in percent; and the largest of them.
static int effort_utilisation(const request *ask, const state *at, result *out)
{
    const int   n = arne_robot_sizes(ask->robot).v_count;
    double     *tau = need((size_t)n, sizeof *tau), *limit = need((size_t)n, sizeof *limit);
    double      largest = 0;
    int         which = -1;
    arne_status status = ARNE_OK;
    arne_error  error = {0};
    arne_effort_limits(ask->robot, limit);
    if (ask->loop)
        status = arne_loop_inverse_dynamics(ask->robot, ask->work, ask->loop, at->part[PART_Q],
                                            at->part[PART_QD], at->part[PART_QDD], ask->f_ext, NULL,
                                            tau, &error);
    else
        arne_inverse_dynamics(ask->robot, ask->work, at->part[PART_Q], at->part[PART_QD],
                              at->part[PART_QDD], ask->f_ext, tau);
    for (int i = 0; i < n && !status; i++) {
        const int k = ask->order->v[i];
        if (!isfinite(limit[k]) || limit[k] == 0) continue;
        const double part = 100 * fabs(tau[k]) / limit[k];
        *result_add_in(out, "utilisation", NULL, ask->order->v_name[i], AXIS_ONE, AXIS_ONE) = part;
        if (part >= largest) which = k;
        largest = fmax(largest, part);
    }
    free(tau);
    free(limit);
    if (status) return request_end(ask, status, &error);
    if (which < 0)
        return fail_data("%s: no joint has a limit of effort that could be used up", ask->path);
    *result_add(out, "largest", AXIS_ONE, AXIS_ONE) = largest;
    result_add_text(out, "limiting", coordinate_name(ask, which));
    return EXIT_FINE;
}

static int manipulability(const request *ask, const state *at, result *out)
{
    static const char *const keys[] = {"linear1",  "linear2",  "linear3",
                                       "angular1", "angular2", "angular3"};
    arne_error               error = {0};
    double                   measure = 0, value[6] = {0};
    const arne_status        status =
        arne_manipulability(ask->robot, ask->work, ask->loop, at->part[PART_Q], ask->frames[0],
                            value, value + 3, &measure, &error);
    *result_add(out, "measure", AXIS_ONE, AXIS_ONE) = measure;
    for (int i = 0; i < 6; i++)
        *result_add(out, keys[i], AXIS_ONE, AXIS_ONE) = value[i];
    return request_end(ask, status, &error);
}

static const struct {
    arne_algorithm_info info;
    const char         *keys;
    evaluate_fn         evaluate;
} rows[] = {
    {{.name = "payload-capacity",
      .text = "the largest mass [kg] at a frame within the limits of effort",
      .needs = NEED_Q,
      .may = 1u << ARNE_INPUT_f_ext,
      .takes = ARNE_TAKES_FRAME,
      .has = ARNE_HAS_COMPUTE | ARNE_HAS_LOOPS},
     "capacity, limiting",
     payload_capacity},
    {{.name = "effort-utilisation",
      .text = "torques of a motion in percent of the limits of effort",
      .needs = NEED_Q | NEED_QD | NEED_QDD,
      .may = 1u << ARNE_INPUT_f_ext,
      .has = ARNE_HAS_COMPUTE | ARNE_HAS_LOOPS},
     "utilisation, largest, limiting",
     effort_utilisation},
    {{.name = "manipulability",
      .text = "how well the joints can move a frame: singular values of its Jacobian",
      .needs = NEED_Q,
      .takes = ARNE_TAKES_FRAME,
      .has = ARNE_HAS_COMPUTE | ARNE_HAS_LOOPS},
     "measure, linear1 to linear3, angular1 to angular3",
     manipulability},
};
enum { COUNT = sizeof rows / sizeof rows[0] };

const arne_algorithm_info *effort_quantity(int index)
{
    return index < COUNT ? &rows[index].info : NULL;
}

const char *effort_keys(const arne_algorithm_info *info)
{
    for (int i = 0; i < COUNT; i++)
        if (info == &rows[i].info) return rows[i].keys;
    return NULL;
}

evaluate_fn effort_evaluate(const arne_algorithm_info *info)
{
    for (int i = 0; i < COUNT; i++)
        if (info == &rows[i].info) return rows[i].evaluate;
    return NULL;
}
