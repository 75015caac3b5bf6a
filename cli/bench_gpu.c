#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): clock_gettime
#include "bench_gpu.h"

#include "message.h"

#include <arne/configuration.h>
#include <arne/contact.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 3, MOST_STATES = 1000000 };
static const size_t MOST_BYTES = (size_t)1 << 27; // of one array
static const double LONG_ENOUGH = 0.01;           // seconds of one measurement

size_t trial_entry(const gpu_trial *t) { return t->is_float ? sizeof(float) : sizeof(double); }

// ---- arrays ----

double trial_get(const gpu_trial *t, const void *array, size_t i)
{
    return t->is_float ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

void trial_put(const gpu_trial *t, void *array, size_t i, double x)
{
    if (t->is_float)
        ((float *)array)[i] = (float)x;
    else
        ((double *)array)[i] = x;
}

static void random_tile(const gpu_trial *t, uint64_t *seed, double *tile)
{
    double *q = need(t->rows[0], sizeof *q);
    for (size_t s = 0; s < TILE; s++) {
        arne_random_configuration(t->robot, seed, q);
        for (size_t k = 0; k < t->rows[0]; k++)
            tile[k * TILE + s] = q[k];
    }
    free(q);
}

// The plane z = 0 with what sinks in it, the same under every state.
static void ground_tile(const gpu_trial *t, double *tile)
{
    const arne_surface plane = {.model = ARNE_CONTACT_COMPLIANT, .friction = 0.6};
    double             ground[GROUND_NUMBERS] = {0};
    if (arne_surface_ground(t->robot, &plane, ground, NULL) != ARNE_OK) return;
    for (size_t k = 0; k < GROUND_NUMBERS * TILE; k++)
        tile[k] = ground[k / TILE];
}

static void make_tile(gpu_trial *t)
{
    uint64_t seed = 1;
    for (int i = 0; i < GPU_INPUTS; i++)
        t->tile[i] = need(t->rows[i] * TILE, sizeof(double));
    random_tile(t, &seed, t->tile[0]);
    random_tile(t, &seed, t->tile[5]);
    ground_tile(t, t->tile[6]);
    for (int i = 1; i < 5; i++)
        for (size_t k = 0; k < t->rows[i] * TILE; k++)
            t->tile[i][k] = sin((double)(k * (size_t)(i + 1)));
}

void trial_drop(gpu_trial *t)
{
    for (int i = 0; i < GPU_INPUTS; i++) {
        free(t->here[i]);
        arne_gpu_release(t->gpu, t->there[i]);
        t->here[i] = t->there[i] = NULL;
    }
    t->count = 0;
}

arne_status trial_fill(gpu_trial *t, size_t count, arne_error *error)
{
    arne_status status = ARNE_OK;
    if (count == t->count) return ARNE_OK;
    trial_drop(t);
    for (int i = 0; i < GPU_INPUTS && status == ARNE_OK; i++) {
        const size_t bytes = t->rows[i] * count * trial_entry(t);
        t->here[i] = need(t->rows[i] * count, trial_entry(t));
        for (size_t k = 0; k < t->rows[i]; k++)
            for (size_t s = 0; s < count; s++)
                trial_put(t, t->here[i], k * count + s, t->tile[i][k * TILE + s % TILE]);
        status = arne_gpu_allocate(t->gpu, bytes, &t->there[i], error);
        if (status == ARNE_OK && bytes)
            status = arne_gpu_copy(t->gpu, t->there[i], t->here[i], bytes, error);
    }
    t->count = count;
    return status;
}

arne_status room_new(gpu_trial *t, size_t rows, gpu_room *room, arne_error *error)
{
    const size_t bytes = rows * t->count * trial_entry(t);
    *room = (gpu_room){.rows = rows, .here = need(rows * t->count, trial_entry(t))};
    memset(room->here, 0xff, bytes); // not a number, until a kernel writes
    const arne_status status = arne_gpu_allocate(t->gpu, bytes, &room->there, error);
    if (status != ARNE_OK || !bytes) return status;
    return arne_gpu_copy(t->gpu, room->there, room->here, bytes, error);
}

void room_free(gpu_trial *t, gpu_room *room)
{
    free(room->here);
    arne_gpu_release(t->gpu, room->there);
}

void room_read(const gpu_trial *t, const gpu_room *room, double *found)
{
    for (size_t k = 0; k < room->rows; k++)
        for (size_t s = 0; s < TILE; s++)
            found[k * TILE + s] = trial_get(t, room->here, k * t->count + (t->count - TILE) + s);
}

// ---- time ----

static double bench_gpu_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

arne_status trial_time(gpu_trial *t, arne_algorithm a, const arne_gpu_inputs *in,
                       const arne_gpu_outputs *out, double *seconds, arne_error *error)
{
    arne_status status = ARNE_OK;
    *seconds = INFINITY;
    for (int repeat = 1, good = 0; good < ROUNDS && status == ARNE_OK;) {
        const double from = bench_gpu_now();
        for (int i = 0; i < repeat && status == ARNE_OK; i++)
            status = arne_gpu_run(t->gpu, a, in, out, t->count, NULL, error);
        if (status == ARNE_OK && in->on_device) status = arne_gpu_wait(t->gpu, NULL, error);
        const double each = (bench_gpu_now() - from) / repeat;
        if (each * repeat < LONG_ENOUGH && repeat < 1 << 12) {
            repeat *= 2; // the first, cold runs are spent here
            continue;
        }
        *seconds = fmin(*seconds, each);
        good++;
    }
    return status;
}

// Kernels of a long robot take minutes to make: a row is there as soon as it is known.
static void print_row(FILE *to, const char *const cell[GPU_COLUMNS])
{
    fprintf(to, "%-30s  %-7s  %11s  %7s  %22s  %14s  %s\n", cell[0], cell[1], cell[2], cell[3],
            cell[4], cell[5], cell[6]);
    fflush(to);
}

void trial_row(gpu_trial *t, const char *what, const arne_gpu_kernel *kernel, double rate,
               double with, double off, double tolerance)
{
    const char *const head[GPU_COLUMNS] = {
        arne_robot_name(t->robot), "entries",        "made in s", "N",
        "states/s on the device",  "with transfers", "difference"};
    char made[32] = "", count[32], on_device[32], with_transfers[32] = "", off_by[32] = "";
    const char *const cell[GPU_COLUMNS] = {
        what, t->is_float ? "float" : "double", made, count, on_device, with_transfers, off_by};
    const int right = off < tolerance;
    snprintf(made, sizeof made, "%.2f%s", kernel->seconds, kernel->was_cached ? " (kept)" : "");
    snprintf(count, sizeof count, "%zu", t->count);
    snprintf(on_device, sizeof on_device, "%.3g", rate);
    if (with > 0) snprintf(with_transfers, sizeof with_transfers, "%.3g", with);
    if (off >= 0 || isnan(off))
        snprintf(off_by, sizeof off_by, "%.0e%s", off, right ? "" : " WRONG");
    if (!t->row_count++) print_row(t->to, head);
    print_row(t->to, cell);
    t->wrong += !right;
}

// ---- one algorithm ----

// The algorithms of the catalogue that both the device and the processor can run, by their first
// output.
static int is_compared(const arne_algorithm_info *info)
{
    return info->has & ARNE_HAS_GPU && info->has & ARNE_HAS_BATCH;
}

static arne_array output_of(arne_algorithm a)
{
    return arne_catalogue_algorithm(a)->outputs[0].array;
}

static arne_status bench_gpu_by_processor(const gpu_trial *t, arne_algorithm a, const double *qdd,
                                          double *to)
{
    const arne_batch_inputs in = {.q = t->tile[0],
                                  .qd = t->tile[1],
                                  .qdd = qdd,
                                  .tau = t->tile[3],
                                  .qddd = t->tile[4],
                                  .ground = t->tile[6],
                                  .frame = t->frame};
    arne_batch_outputs      out = {0};
    arne_batch_set_output(&out, output_of(a), to);
    return arne_batch_run(t->batch, a, &in, &out, TILE, NULL);
}

// The largest difference from the processor's result, relative to the largest number. Accelerations
// are compared by the torques they take: alone they differ by the condition of the mass matrix.
static double bench_gpu_apart(const gpu_trial *t, arne_algorithm a, const gpu_room *room)
{
    const int     direct = a == ARNE_ALGORITHM_FORWARD_DYNAMICS;
    const double *wanted = direct ? t->tile[3] : t->wanted;
    double       *found = need(room->rows * TILE, sizeof *found), off = 0, size = 1;
    room_read(t, room, found);
    if (direct) {
        const arne_status status =
            bench_gpu_by_processor(t, ARNE_ALGORITHM_INVERSE_DYNAMICS, found, t->torque);
        memcpy(found, t->torque, room->rows * TILE * sizeof *found);
        if (status != ARNE_OK) off = INFINITY;
    }
    for (size_t i = 0; i < room->rows * TILE; i++) {
        const double d = fabs(found[i] - wanted[i]);
        off = d > off || isnan(d) ? d : off;
        size = fmax(size, fabs(wanted[i]));
    }
    free(found);
    return off / size;
}

// What has M^-1 in it cannot be compared by torques, and is as exact as the mass matrix allows.
static double tolerance_of(const gpu_trial *t, arne_algorithm a)
{
    const int conditioned = a == ARNE_ALGORITHM_INVERSE_MASS_MATRIX ||
                            a == ARNE_ALGORITHM_FORWARD_DYNAMICS_DERIVATIVES ||
                            a == ARNE_ALGORITHM_GROUND_DYNAMICS;
    return (t->is_float ? 1e-3 : 1e-9) * (conditioned ? 100 : 1);
}

static arne_status bench_one(gpu_trial *t, arne_algorithm a, const arne_gpu_kernel *kernel,
                             gpu_room *room, arne_error *error)
{
    const arne_algorithm_info *info = arne_catalogue_algorithm(a);
    arne_gpu_inputs            in = {.q = t->there[0],
                                     .qd = t->there[1],
                                     .qdd = t->there[2],
                                     .tau = t->there[3],
                                     .qddd = t->there[4],
                                     .ground = t->there[6],
                                     .frame = t->frame,
                                     .on_device = 1};
    arne_gpu_outputs           out = {0};
    double                     there = 0, with = 0;
    arne_gpu_set_output(&out, output_of(a), room->there);
    arne_status status = trial_time(t, a, &in, &out, &there, error);
    if (status != ARNE_OK) return status;
    in.q = t->here[0];
    in.qd = t->here[1];
    in.qdd = t->here[2];
    in.tau = t->here[3];
    in.qddd = t->here[4];
    in.ground = t->here[6];
    in.on_device = 0;
    arne_gpu_set_output(&out, output_of(a), room->here);
    status = trial_time(t, a, &in, &out, &with, error);
    if (status == ARNE_OK)
        trial_row(t, info->name, kernel, (double)t->count / there, (double)t->count / with,
                  bench_gpu_apart(t, a, room), tolerance_of(t, a));
    return status;
}

static arne_status bench_algorithm(gpu_trial *t, arne_algorithm a, arne_error *error)
{
    const size_t     rows = arne_array_size(t->robot, output_of(a));
    size_t           count = MOST_STATES;
    arne_gpu_inputs  in = {.frame = t->frame};
    arne_gpu_outputs out = {0};
    arne_gpu_kernel  kernel;
    gpu_room         room;
    arne_gpu_set_output(&out, output_of(a), &room); // which one, no more
    if (arne_gpu_prepare(t->gpu, a, &in, &out, &kernel, error) != ARNE_OK) {
        say("bench --gpu: %s: %s", arne_catalogue_algorithm(a)->name, error->text);
        return ARNE_OK; // the others may do
    }
    while (count > 1000 && rows * count * trial_entry(t) > MOST_BYTES)
        count /= 10;
    arne_status status = trial_fill(t, count, error);
    if (status == ARNE_OK) status = room_new(t, rows, &room, error);
    if (status != ARNE_OK) return status;
    status = bench_one(t, a, &kernel, &room, error);
    room_free(t, &room);
    return status;
}

static arne_status bench_precision(gpu_trial *t, arne_error *error)
{
    arne_status status = ARNE_OK;
    for (int i = 0; i < ARNE_ALGORITHM_COUNT && status == ARNE_OK; i++) {
        const arne_algorithm a = (arne_algorithm)i;
        if (!is_compared(arne_catalogue_algorithm(a))) continue;
        t->wanted = need(arne_array_size(t->robot, output_of(a)) * TILE + 1, sizeof *t->wanted);
        if (bench_gpu_by_processor(t, a, t->tile[2], t->wanted) == ARNE_OK)
            status = bench_algorithm(t, a, error);
        free(t->wanted);
        t->wanted = NULL;
    }
    if (status == ARNE_OK) status = bench_rollouts(t, error);
    return status == ARNE_OK ? bench_ground(t, error) : status;
}

// ---- all of it ----

int bench_gpu(const arne_robot *robot, const char *cache, FILE *out)
{
    const arne_sizes         z = arne_robot_sizes(robot);
    const size_t             n = (size_t)z.v_count;
    const arne_batch_options plain = {.threads = 1};
    gpu_trial                t = {.robot = robot,
                                  .frame = z.frame_count - 1,
                                  .rows = {(size_t)z.q_count, n, n, n, n, (size_t)z.q_count, GROUND_NUMBERS},
                                  .to = out};
    arne_error               error = {0};
    arne_status              status = arne_gpu_available(&error);
    if (status == ARNE_OK) status = arne_batch_new(robot, &plain, &t.batch, &error);
    make_tile(&t);
    t.torque = need(n * TILE + 1, sizeof *t.torque);
    for (t.is_float = 1; t.is_float >= 0 && status == ARNE_OK; t.is_float--) {
        const arne_gpu_options options = {.size = sizeof options,
                                          .precision = t.is_float ? ARNE_PRECISION_FLOAT
                                                                  : ARNE_PRECISION_DOUBLE,
                                          .cache = cache};
        status = arne_gpu_new(robot, &options, &t.gpu, &error);
        if (status == ARNE_OK) status = bench_precision(&t, &error);
        trial_drop(&t);
        arne_gpu_free(t.gpu);
        t.gpu = NULL;
    }
    arne_batch_free(t.batch);
    for (int i = 0; i < GPU_INPUTS; i++)
        free(t.tile[i]);
    free(t.torque);
    if (status != ARNE_OK) return fail_data("bench --gpu: %s", error.text);
    return t.wrong ? fail_data("bench --gpu: results differ from the processor's") : EXIT_FINE;
}
