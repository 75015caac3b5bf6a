#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): clock_gettime
#include "bench_gpu.h"

#include "message.h"
#include "print_table.h"

#include <arne/batch.h>
#include <arne/configuration.h>
#include <arne/gpu.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// A tile of random states is repeated over the arrays, so that every result has its counterpart
// from the processor.
enum { TILE = 250, ROUNDS = 3, INPUTS = 4 };

static const size_t sizes[] = {1000, 10000, 100000, 1000000};
static const size_t MOST_BYTES = (size_t)1 << 30; // of one array

// The algorithms of the catalogue that both the device and the processor can run, by their first
// output.
static int is_compared(const arne_algorithm_info *info)
{
    return info->has & ARNE_HAS_GPU && info->has & ARNE_HAS_BATCH;
}

typedef struct gpu_trial {
    const arne_robot *robot;
    arne_batch       *batch;
    arne_gpu         *gpu;
    int               is_float, frame;
    size_t            rows[INPUTS]; // of q, qd, qdd, tau
    double           *tile[INPUTS]; // TILE states of each
    double           *wanted, *torque;
} gpu_trial;

static size_t entry(const gpu_trial *t) { return t->is_float ? sizeof(float) : sizeof(double); }

static arne_array output_of(arne_algorithm a)
{
    return arne_catalogue_algorithm(a)->outputs[0].array;
}

static size_t output_rows(const gpu_trial *t, arne_algorithm a)
{
    return arne_array_size(t->robot, output_of(a));
}

static double get(const gpu_trial *t, const void *array, size_t i)
{
    return t->is_float ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

static void put(const gpu_trial *t, void *array, size_t i, double x)
{
    if (t->is_float)
        ((float *)array)[i] = (float)x;
    else
        ((double *)array)[i] = x;
}

static void make_tile(gpu_trial *t)
{
    uint64_t seed = 1;
    for (int i = 0; i < INPUTS; i++)
        t->tile[i] = need(t->rows[i] * TILE, sizeof(double));
    double *q = need(t->rows[0], sizeof *q);
    for (size_t s = 0; s < TILE; s++) {
        arne_random_configuration(t->robot, &seed, q);
        for (size_t k = 0; k < t->rows[0]; k++)
            t->tile[0][k * TILE + s] = q[k];
    }
    free(q);
    for (int i = 1; i < INPUTS; i++)
        for (size_t k = 0; k < t->rows[i] * TILE; k++)
            t->tile[i][k] = sin((double)(k * (size_t)(i + 1)));
}

static arne_status by_processor(const gpu_trial *t, arne_algorithm a, const double *qdd, double *to)
{
    const arne_batch_inputs in = {
        .q = t->tile[0], .qd = t->tile[1], .qdd = qdd, .tau = t->tile[3], .frame = t->frame};
    arne_batch_outputs out = {0};
    arne_batch_set_output(&out, output_of(a), to);
    return arne_batch_run(t->batch, a, &in, &out, TILE, NULL);
}

// The largest difference from the processor's result, relative to the largest number. Accelerations
// are compared by the torques they take: alone they differ by the condition of the mass matrix.
static double apart(const gpu_trial *t, arne_algorithm a, const void *got, size_t count)
{
    const size_t  rows = output_rows(t, a);
    const int     direct = a == ARNE_ALGORITHM_FORWARD_DYNAMICS;
    const double *wanted = direct ? t->tile[3] : t->wanted;
    double       *found = need(rows * TILE, sizeof *found), off = 0, size = 1;
    for (size_t k = 0; k < rows; k++)
        for (size_t s = 0; s < TILE; s++)
            found[k * TILE + s] = get(t, got, k * count + (count - TILE) + s);
    if (direct) {
        const arne_status status =
            by_processor(t, ARNE_ALGORITHM_INVERSE_DYNAMICS, found, t->torque);
        memcpy(found, t->torque, rows * TILE * sizeof *found);
        if (status != ARNE_OK) off = INFINITY;
    }
    for (size_t i = 0; i < rows * TILE; i++) {
        const double d = fabs(found[i] - wanted[i]);
        off = d > off || isnan(d) ? d : off;
        size = fmax(size, fabs(wanted[i]));
    }
    free(found);
    return off / size;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// States per second with the way there and back, and the difference; 0 where the arrays would be
// too large.
static arne_status rate_of(const gpu_trial *t, arne_algorithm a, size_t count, double *rate,
                           double *off, arne_error *error)
{
    const size_t rows = output_rows(t, a);
    void        *in[INPUTS], *out;
    arne_status  status = ARNE_OK;
    double       best = INFINITY;
    *rate = *off = 0;
    if (rows * count * entry(t) > MOST_BYTES) return ARNE_OK;
    for (int i = 0; i < INPUTS; i++) {
        in[i] = need(t->rows[i] * count, entry(t));
        for (size_t k = 0; k < t->rows[i]; k++)
            for (size_t s = 0; s < count; s++)
                put(t, in[i], k * count + s, t->tile[i][k * TILE + s % TILE]);
    }
    out = need(rows * count, entry(t));
    const arne_gpu_inputs inputs = {
        .q = in[0], .qd = in[1], .qdd = in[2], .tau = in[3], .frame = t->frame};
    arne_gpu_outputs outputs = {0};
    arne_gpu_set_output(&outputs, output_of(a), out);
    for (int round = 0; round <= ROUNDS && status == ARNE_OK; round++) { // the first is cold
        const double from = now();
        status = arne_gpu_run(t->gpu, a, &inputs, &outputs, count, NULL, error);
        best = fmin(best, now() - from);
    }
    if (status == ARNE_OK) *off = apart(t, a, out, count);
    *rate = (double)count / best;
    for (int i = 0; i < INPUTS; i++)
        free(in[i]);
    free(out);
    return status;
}

static int bench_precision(gpu_trial *t, table *to)
{
    const double tolerance = t->is_float ? 1e-3 : 1e-9;
    arne_error   error = {0};
    int          wrong = 0;
    for (int i = 0; i < ARNE_ALGORITHM_COUNT; i++) {
        const arne_algorithm       a = (arne_algorithm)i;
        const arne_algorithm_info *info = arne_catalogue_algorithm(a);
        if (!is_compared(info) || by_processor(t, a, t->tile[2], t->wanted) != ARNE_OK) continue;
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
            double rate, off;
            if (rate_of(t, a, sizes[k], &rate, &off, &error) != ARNE_OK)
                return fail_data("bench --gpu: %s", error.text);
            if (rate == 0) continue;
            wrong += !(off < tolerance);
            table_cell(to, "%s", info->name);
            table_cell(to, "%s", t->is_float ? "float" : "double");
            table_cell(to, "%zu", sizes[k]);
            table_cell(to, "%.3g", rate);
            table_cell(to, "%.0e%s", off, off < tolerance ? "" : " WRONG");
        }
    }
    return wrong ? fail_data("bench --gpu: results differ from the processor's") : EXIT_FINE;
}

int bench_gpu(const arne_robot *robot, FILE *out)
{
    const arne_sizes         z = arne_robot_sizes(robot);
    const size_t             n = (size_t)z.v_count, most = n * n > 12 ? n * n : 12;
    const arne_batch_options plain = {.threads = 1};
    gpu_trial                t = {
                       .robot = robot, .frame = z.frame_count - 1, .rows = {(size_t)z.q_count, n, n, n}};
    arne_error error = {0};
    if (arne_gpu_available(&error) != ARNE_OK) return fail_data("bench --gpu: %s", error.text);
    if (arne_batch_new(robot, &plain, &t.batch, &error) != ARNE_OK)
        return fail_data("bench --gpu: %s", error.text);
    make_tile(&t);
    t.wanted = need(most * TILE, sizeof *t.wanted);
    t.torque = need(most * TILE, sizeof *t.torque);
    table to = table_begin("llrrr");
    int   code = EXIT_FINE;
    table_cell(&to, "%s", arne_robot_name(robot));
    table_cell(&to, "entries");
    table_cell(&to, "N");
    table_cell(&to, "states/s, with transfers");
    table_cell(&to, "difference");
    for (t.is_float = 1; t.is_float >= 0 && code == EXIT_FINE; t.is_float--) {
        if (arne_gpu_new(robot, t.is_float ? ARNE_PRECISION_FLOAT : ARNE_PRECISION_DOUBLE, &t.gpu,
                         &error) != ARNE_OK)
            code = fail_data("bench --gpu: %s", error.text);
        else
            code = bench_precision(&t, &to);
        arne_gpu_free(t.gpu);
        t.gpu = NULL;
    }
    table_print(&to, 0, out);
    table_free(&to);
    arne_batch_free(t.batch);
    for (int i = 0; i < INPUTS; i++)
        free(t.tile[i]);
    free(t.wanted);
    free(t.torque);
    return code;
}
