// States in blocks as wide as a register (lanes.c), blocks in pieces that threads take in turn
// (pool.c).
//
// A block is the same computation whichever thread does it, so the number of threads leaves no
// trace in the results.
#define _POSIX_C_SOURCE 200112L // NOLINT(bugprone-reserved-identifier): posix_memalign
#include "base/error.h"
#include "base/options.h"
#include "base/pool.h"
#include "batch/batch_job.h"
#include <arne/builder.h>
#include <arne/contact.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 128, MOST_THREADS = 1024, PIECE_BLOCKS = 256, FEW_BLOCKS = 16 };

// One thread's memory: a block of lanes, and what it takes to look again at one state that seems
// singular.
typedef struct worker {
    void      *block;
    arne_work *work;
    double    *in, *matrix;
    size_t     first_bad; // the first state that is singular; the number of states where none is
} worker;

struct arne_batch {
    const arne_robot   *robot;
    const batch_kernel *kernel;
    pool               *threads;
    char               *memory;
    int                 worker_count;
    worker              workers[];
};

// ---- widths ----

static const batch_kernel *find_kernel(int width)
{
    switch (width) {
    case 1:
        return &batch_kernel_1;
#ifdef ARNE_HAVE_LANES_2
    case 2:
        return &batch_kernel_2;
#endif
#ifdef ARNE_HAVE_LANES_4
    case 4:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &batch_kernel_4
                                                                               : NULL;
#endif
#ifdef ARNE_HAVE_LANES_8
    case 8:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                       __builtin_cpu_supports("fma")
                   ? &batch_kernel_8
                   : NULL;
#endif
    default:
        return NULL;
    }
}

const batch_kernel *batch_kernel_widest(const arne_robot *robot)
{
    const arne_isa isa = arne_robot_isa(robot);
    const int      most = !arne_isa_available(ARNE_ISA_V3) || isa == ARNE_ISA_V4 ? 8
                          : isa == ARNE_ISA_V3                                   ? 4
                                                                                 : 2;
    for (int width = most; width > 1; width /= 2) {
        const batch_kernel *k = find_kernel(width);
        if (k) return k;
    }
    return &batch_kernel_1;
}

int arne_batch_has_width(int width) { return find_kernel(width) != NULL; }

// ---- making ----

static size_t batch_padded(size_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

// Counts the bytes of a worker; where memory is given, places it there.
static size_t worker_walk(const arne_robot *r, const batch_kernel *k, worker *w, char *memory)
{
    const size_t in_rows = batch_most_inputs(r), out_rows = batch_most_outputs(r);
    const size_t n = (size_t)arne_robot_sizes(r).v_count;
    const size_t size[4] = {batch_padded(k->size(r, in_rows, out_rows)),
                            batch_padded(arne_work_size(r)), batch_padded(in_rows * sizeof(double)),
                            batch_padded((n * n + 36) * sizeof(double))};
    if (memory) {
        w->block = memory;
        k->place(r, in_rows, w->block);
        w->work = arne_work_place(r, memory + size[0]);
        w->in = (double *)(void *)(memory + size[0] + size[1]);
        w->matrix = (double *)(void *)(memory + size[0] + size[1] + size[2]);
    }
    return size[0] + size[1] + size[2] + size[3];
}

static arne_status batch_choose(const arne_robot *robot, const arne_batch_options *options,
                                const batch_kernel **kernel, int *threads, arne_error *error)
{
    const int width = options ? options->width : 0;
    *threads = options ? options->threads : 0;
    *kernel = width ? find_kernel(width) : batch_kernel_widest(robot);
    if (!*kernel)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "no lanes of width %d here", width);
    if (*threads < 0 || *threads > MOST_THREADS)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "%d threads are not between 1 and %d",
                         *threads, MOST_THREADS);
    if (*threads == 0) *threads = pool_processors();
    if (*threads > MOST_THREADS) *threads = MOST_THREADS;
    return ARNE_OK;
}

arne_status arne_batch_new(const arne_robot *robot, const arne_batch_options *options,
                           arne_batch **out, arne_error *error)
{
    arne_batch_options own_options;
    if (out) *out = NULL;
    if (options &&
        !options_take(&own_options, sizeof own_options, OPTIONS_FIRST(arne_batch_options), options))
        return options_refuse(error);
    if (options) options = &own_options;
    const batch_kernel *kernel;
    int                 threads;
    if (!robot || !out)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s is NULL", out ? "robot" : "out");
    const arne_status status = batch_choose(robot, options, &kernel, &threads, error);
    if (status) return status;

    const size_t each = worker_walk(robot, kernel, NULL, NULL);
    arne_batch  *b = calloc(1, sizeof *b + (size_t)threads * sizeof b->workers[0]);
    void        *memory = NULL;
    if (!b) return arne_fail_memory(error);
    b->robot = robot;
    b->kernel = kernel;
    b->worker_count = threads;
    if (posix_memalign(&memory, ALIGNMENT, each * (size_t)threads)) memory = NULL;
    b->memory = memory;
    if (!memory || pool_new(threads, &b->threads)) {
        arne_batch_free(b);
        return arne_fail_memory(error);
    }
    for (int i = 0; i < threads; i++)
        worker_walk(robot, kernel, &b->workers[i], b->memory + each * (size_t)i);
    *out = b;
    return ARNE_OK;
}

void arne_batch_free(arne_batch *b)
{
    if (!b) return;
    pool_free(b->threads);
    free(b->memory);
    free(b);
}

int arne_batch_width(const arne_batch *b) { return b ? b->kernel->width : 0; }
int arne_batch_threads(const arne_batch *b) { return b ? b->worker_count : 0; }

void arne_batch_set_base(arne_batch *b, const arne_pose *pose, const arne_motion *velocity,
                         const arne_motion *acceleration, const arne_motion *jerk)
{
    if (!b) return;
    for (int i = 0; i < b->worker_count; i++) {
        const worker *w = &b->workers[i];
        b->kernel->set_base(b->robot, w->block, pose, velocity, acceleration, jerk);
        arne_work_set_base(b->robot, w->work, pose, velocity, acceleration);
        arne_work_set_base_jerk(b->robot, w->work, jerk);
    }
}

// ---- one state, as the functions for one state see it ----

typedef struct one_state {
    double *in[ARNE_INPUT_COUNT];
} one_state;

static one_state batch_gather(const batch_job *job, const worker *w, size_t s)
{
    one_state one = {{NULL}};
    double   *at = w->in;
    for (int i = 0; i < ARNE_INPUT_COUNT; i++) {
        if (!job->in[i]) continue;
        one.in[i] = at;
        for (size_t row = 0; row < job->in_rows[i]; row++)
            *at++ = job->in[i][(ptrdiff_t)row * job->in_layout[i].entry +
                               (ptrdiff_t)s * job->in_layout[i].state];
    }
    return one;
}

static arne_status look_at_contact(const batch_job *job, const worker *w, const one_state *one,
                                   arne_error *error)
{
    arne_vec3         zmp;
    const arne_status status = arne_zero_moment_point(
        job->robot, w->work, one->in[ARNE_INPUT_q], one->in[ARNE_INPUT_qd], one->in[ARNE_INPUT_qdd],
        job->given->point, job->given->normal, &zmp, NULL, NULL, NULL);
    return status ? arne_fail(error, status, NULL, 0, "no force presses on the plane") : ARNE_OK;
}

// Its status. Only of algorithms that can fail.
static arne_status batch_look_at(const batch_job *job, const worker *w, size_t s, arne_error *error)
{
    const one_state one = batch_gather(job, w, s);
    double *q = one.in[ARNE_INPUT_q], *qd = one.in[ARNE_INPUT_qd], *tau = one.in[ARNE_INPUT_tau];
    const arne_wrench       *f = (const arne_wrench *)(const void *)one.in[ARNE_INPUT_f_ext];
    const arne_batch_inputs *given = job->given;
    switch (job->algorithm) {
    case ARNE_ALGORITHM_INVERSE_MASS_MATRIX:
        return arne_inverse_mass_matrix(job->robot, w->work, q, w->matrix, error);
    case ARNE_ALGORITHM_FORWARD_DYNAMICS:
        return arne_forward_dynamics(job->robot, w->work, q, qd, tau, f, w->matrix, error);
    case ARNE_ALGORITHM_FORWARD_DYNAMICS_MATRIX:
        return arne_forward_dynamics_matrix(job->robot, w->work, q, qd, tau, f, w->matrix, error);
    case ARNE_ALGORITHM_GROUND_DYNAMICS:
        return arne_ground_dynamics(job->robot, w->work, q, qd, tau, one.in[ARNE_INPUT_ground], f,
                                    w->matrix, NULL, error);
    case ARNE_ALGORITHM_FORWARD_DYNAMICS_DERIVATIVES:
        return arne_forward_dynamics_derivatives(job->robot, w->work, q, qd, tau, given->loads,
                                                 given->load_count, NULL, NULL, NULL, NULL, error);
    case ARNE_ALGORITHM_SECOND_DERIVATIVES:
        return arne_second_derivatives(
            job->robot, w->work, q, qd, one.in[ARNE_INPUT_qdd], given->loads, given->load_count,
            one.in[ARNE_INPUT_multiplier], NULL, NULL, NULL, NULL, error);
    case ARNE_ALGORITHM_OPERATIONAL_INERTIA:
        return arne_operational_inertia(job->robot, w->work, q, given->frame, given->axes,
                                        w->matrix, error);
    case ARNE_ALGORITHM_HYBRID_DYNAMICS:
        return arne_hybrid_dynamics(job->robot, w->work, q, qd, given->given, f, tau,
                                    one.in[ARNE_INPUT_qdd], error);
    case ARNE_ALGORITHM_BASE_ACCELERATION:
        return arne_base_acceleration(job->robot, w->work, q, qd, f, one.in[ARNE_INPUT_qdd],
                                      w->matrix, error);
    case ARNE_ALGORITHM_ZERO_MOMENT_POINT:
        return look_at_contact(job, w, &one, error);
    default:
        return ARNE_OK;
    }
}

// ---- running ----

typedef struct run {
    arne_batch      *batch;
    const batch_job *job;
    size_t           blocks, piece; // how many there are, and how many make a piece
} run;

typedef struct doubt {
    const run *run;
    worker    *worker;
} doubt;

// Lanes only look at what is left on the diagonal; the function for one state decides.
static void look_again(void *context, size_t block, unsigned lanes)
{
    const doubt *d = context;
    for (size_t lane = 0; lanes >> lane; lane++) {
        const size_t s = block * (size_t)d->run->batch->kernel->width + lane;
        if (lanes >> lane & 1 && s < d->worker->first_bad &&
            batch_look_at(d->run->job, d->worker, s, NULL))
            d->worker->first_bad = s;
    }
}

static void run_piece(void *context, int number, size_t piece)
{
    const run   *r = context;
    worker      *w = &r->batch->workers[number];
    const size_t first = piece * r->piece;
    const size_t end = r->blocks - first < r->piece ? r->blocks : first + r->piece;
    doubt        d = {r, w};
    r->batch->kernel->run(r->job, w->block, first, end, look_again, &d);
}

static arne_status report(const batch_job *job, const worker *w, size_t s, arne_error *error)
{
    arne_error        found;
    const arne_status status = batch_look_at(job, w, s, &found);
    if (job->count == 1) return arne_fail(error, status, NULL, 0, "%s", found.text);
    return arne_fail(error, status, NULL, 0, "state %zu: %s", s, found.text);
}

arne_status arne_batch_run(arne_batch *batch, arne_algorithm algorithm,
                           const arne_batch_inputs *inputs, const arne_batch_outputs *outputs,
                           size_t count, arne_error *error)
{
    batch_job job;
    if (!batch || !inputs || !outputs)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s is NULL",
                         !batch    ? "batch"
                         : !inputs ? "inputs"
                                   : "outputs");
    arne_status status =
        batch_job_make(batch->robot, algorithm, inputs, outputs, count, &job, error);
    if (status) return status;
    if (algorithm == ARNE_ALGORITHM_SECOND_DERIVATIVES ||
        algorithm == ARNE_ALGORITHM_BASE_ACCELERATION) { // not for every robot, whatever the state
        status = batch_look_at(&job, &batch->workers[0], 0, error);
        if (status) return status;
    }
    const size_t width = (size_t)batch->kernel->width, workers = (size_t)batch->worker_count;
    run          r = {.batch = batch, .job = &job, .blocks = (count - 1) / width + 1};
    r.piece = r.blocks / (8 * workers) + 1;
    if (r.piece > PIECE_BLOCKS) r.piece = PIECE_BLOCKS;
    if (workers == 1 || r.blocks <= FEW_BLOCKS) r.piece = r.blocks; // too few to share
    for (size_t i = 0; i < workers; i++)
        batch->workers[i].first_bad = count;
    pool_run(batch->threads, (r.blocks - 1) / r.piece + 1, run_piece, &r);

    size_t bad = count;
    for (size_t i = 0; i < workers; i++)
        if (batch->workers[i].first_bad < bad) bad = batch->workers[i].first_bad;
    return bad < count ? report(&job, &batch->workers[0], bad, error) : ARNE_OK;
}
