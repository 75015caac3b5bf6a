#include "many.h"

#include <stdlib.h>

void *zeroed(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    assert_non_null(memory);
    return memory;
}

static size_t rows_of_all(const arne_robot *robot, int is_input)
{
    size_t rows = 0;
    for (int i = 0; i < ARNE_ARRAY_COUNT; i++) {
        const arne_array_info *info = arne_catalogue_array((arne_array)i);
        if (info->is_batched && (is_input ? info->is_input : info->is_output))
            rows += arne_array_size(robot, (arne_array)i);
    }
    return rows;
}

void put_state(problem *p, size_t s)
{
    const state        *from = &p->states[s];
    const double        ground[10] = {0.1, -0.2, 0.3, 0.48, 0.6, 0.64, 0.7, 900, 0.4, 0.05};
    const double *const row[ARNE_INPUT_COUNT] = {
        [ARNE_INPUT_q] = from->q,          [ARNE_INPUT_qd] = from->qd,
        [ARNE_INPUT_qdd] = from->qdd,      [ARNE_INPUT_qddd] = from->tau,
        [ARNE_INPUT_tau] = from->tau,      [ARNE_INPUT_multiplier] = from->qdd,
        [ARNE_INPUT_along_q] = from->tau,  [ARNE_INPUT_along_qd] = from->qd,
        [ARNE_INPUT_along_qdd] = from->qd, [ARNE_INPUT_q_ref] = from->q,
        [ARNE_INPUT_qd_ref] = from->qd,    [ARNE_INPUT_f_ext] = (const double *)from->f_ext,
        [ARNE_INPUT_ground] = ground};
    double *at = p->memory_in + s;
    for (int k = 0; k < ARNE_INPUT_COUNT; k++) {
        const size_t rows = arne_array_size(p->robot, (arne_array)k);
        assert_true(arne_batch_set_input(&p->in, (arne_array)k, at - s));
        for (size_t i = 0; i < rows; i++, at += p->stride)
            *at = row[k] ? row[k][i] : 1; // those of rollouts alone
    }
}

static void place_outputs(problem *to)
{
    double *at = to->memory_out;
    for (int i = 0; i < ARNE_ARRAY_COUNT; i++)
        if (arne_batch_set_output(&to->out, (arne_array)i, at)) {
            to->out_at[i] = at;
            at += arne_array_size(to->robot, (arne_array)i) * to->stride;
        }
}

// All states share the base of the first.
problem new_problem(const arne_robot *robot, size_t count, size_t stride)
{
    problem p = {.robot = robot, .size = arne_robot_sizes(robot), .count = count, .stride = stride};
    p.states = zeroed(count, sizeof *p.states);
    p.memory_in = zeroed(rows_of_all(robot, 1) * stride, sizeof(double));
    p.out_size = rows_of_all(robot, 0) * stride;
    p.memory_out = zeroed(p.out_size, sizeof(double));
    for (size_t s = 0; s < count; s++) {
        p.states[s] = random_state(robot, s + 1);
        put_state(&p, s);
    }
    p.load = zeroed(1, sizeof *p.load);
    *p.load = (arne_load){
        p.size.frame_count - 1, 0, {{3, -2, 1}, {0.5, 1, -1.5}}, {{1, 2, -1}, {-0.5, 0.3, 0.2}}};
    p.in.loads = p.load;
    p.in.load_count = 1;
    p.in.frame = p.size.frame_count - 1;
    p.in.joint = p.size.joint_count - 1;
    p.in.axes = ARNE_AXES_ALIGNED;
    p.in.given = p.given = zeroed((size_t)p.size.v_count, 1);
    for (int k = 0; k < p.size.v_count; k += 2)
        p.given[k] = 1;
    p.in.point = v3(0.1, 0.2, -0.3);
    p.in.normal = v3(0.6, 0, 0.8);
    p.in.stride = stride;
    place_outputs(&p);
    return p;
}

void free_problem(problem *p)
{
    free(p->states);
    free(p->load);
    free(p->given);
    free(p->memory_in);
    free(p->memory_out);
}

arne_batch_outputs outputs_of(const problem *p, arne_algorithm a)
{
    const arne_algorithm_info *info = arne_catalogue_algorithm(a);
    arne_batch_outputs         o = {0};
    for (int i = 0; info->has & ARNE_HAS_BATCH && i < info->output_count; i++)
        assert_true(
            arne_batch_set_output(&o, info->outputs[i].array, p->out_at[info->outputs[i].array]));
    return o;
}

arne_batch *new_batch(const arne_robot *robot, int width, int threads)
{
    const arne_batch_options options = {.width = width, .threads = threads};
    arne_batch              *batch;
    arne_error               error = {0};
    assert_ok_or(arne_batch_new(robot, &options, &batch, &error), &error);
    assert_int_equal(arne_batch_width(batch), width);
    return batch;
}
