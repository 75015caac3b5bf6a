#include "bench_batch.h"

#include "message.h"

#include <stdlib.h>

struct bench_batch {
    const arne_robot *robot;
    arne_batch       *batch;
    size_t            count;
    arne_batch_inputs in;
    double           *memory, *out;
    unsigned char    *given;
};

// Entry i of all states side by side. What has more entries than `from` takes them again.
static double *turn(const double *from, size_t from_rows, size_t rows, size_t count, double *to)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t s = 0; s < count; s++)
            *to++ = from_rows ? from[s * from_rows + i % from_rows] : 0;
    return to;
}

// The rest of the inputs, such as directions and multipliers, are the torques once more.
static void set_inputs(bench_batch *b, const double *const part[5])
{
    const size_t n = arne_array_size(b->robot, ARNE_ARRAY_tau);
    size_t       all = 1;
    for (int i = 0; i < ARNE_INPUT_COUNT; i++)
        all += arne_array_size(b->robot, (arne_array)i);
    double *at = b->memory = need(b->count * all, sizeof *b->memory);
    for (int i = 0; i < ARNE_INPUT_COUNT; i++) {
        const size_t rows = arne_array_size(b->robot, (arne_array)i);
        if (i == ARNE_INPUT_f_ext) continue;
        arne_batch_set_input(&b->in, (arne_array)i, at);
        const int of = i < 5 ? i : 4;
        at = turn(part[of], arne_array_size(b->robot, (arne_array)of), rows, b->count, at);
    }
    b->in.given = b->given = need(n + 1, 1);
    for (size_t k = 0; k < n; k += 2)
        b->given[k] = 1;
}

bench_batch *bench_batch_new(const arne_robot *robot, const double *const part[5], int count)
{
    const arne_batch_options one = {.width = 1, .threads = 1};
    bench_batch             *b = need(1, sizeof *b);
    size_t                   most = 0;
    b->robot = robot;
    b->count = (size_t)count;
    b->in.axes = ARNE_AXES_ALIGNED;
    b->in.frame = arne_robot_sizes(robot).link_count - 1;
    b->in.normal.z = 1;
    set_inputs(b, part);
    for (int a = 0; a < ARNE_ARRAY_COUNT; a++)
        most += arne_catalogue_array((arne_array)a)->is_output
                    ? arne_array_size(robot, (arne_array)a)
                    : 0;
    b->out = need((most + 1) * b->count, sizeof *b->out);
    if (arne_batch_new(robot, &one, &b->batch, NULL) == ARNE_OK) return b;
    bench_batch_free(b);
    return NULL;
}

void bench_batch_free(bench_batch *b)
{
    if (!b) return;
    arne_batch_free(b->batch);
    free(b->memory);
    free(b->given);
    free(b->out);
    free(b);
}

arne_status bench_batch_run(bench_batch *b, arne_algorithm algorithm)
{
    const arne_algorithm_info *info = arne_catalogue_algorithm(algorithm);
    arne_batch_outputs         out = {0};
    double                    *at = b->out;
    for (int i = 0; i < info->output_count; i++) {
        if (info->outputs[i].on_request) continue;
        arne_batch_set_output(&out, info->outputs[i].array, at);
        at += arne_array_size(b->robot, info->outputs[i].array) * b->count;
    }
    return arne_batch_run(b->batch, algorithm, &b->in, &out, b->count, NULL);
}
