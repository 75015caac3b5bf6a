#include "batch/batch_job.h"
#include "base/error.h"
#include "robot/robot.h"
#include <arne/identify.h>
#include <math.h>
#include <stdint.h>

static const char *batch_job_name_of(int array)
{
    return arne_catalogue_array((arne_array)array)->name;
}

static const char *batch_job_algorithm_name(const batch_job *job)
{
    return arne_catalogue_algorithm(job->algorithm)->name;
}

// ---- sizes ----

size_t batch_most_inputs(const arne_robot *robot)
{
    size_t rows = 0;
    for (int i = 0; i < ARNE_INPUT_COUNT; i++)
        rows += arne_array_size(robot, (arne_array)i);
    return rows;
}

size_t batch_most_outputs(const arne_robot *robot)
{
    size_t most = 0;
    for (int a = 0; a < ARNE_ALGORITHM_COUNT; a++) {
        const arne_algorithm_info *info = arne_catalogue_algorithm((arne_algorithm)a);
        size_t                     rows = 0;
        for (int i = 0; info->has & ARNE_HAS_BATCH && i < info->output_count; i++)
            rows += arne_array_size(robot, info->outputs[i].array);
        most = rows > most ? rows : most;
    }
    return most;
}

// ---- the request ----

// An array of a request: its name, where it starts and how many rows it has.
typedef struct rows_at {
    const char *name;
    uintptr_t   at;
    size_t      rows;
    // as it lies, where it does not lie by the job's stride
    const arne_batch_layout *layout;
} rows_at;

// How far it reaches from its first number, in bytes, down and up; 0 where no memory is so large.
static int batch_job_reach(const rows_at *a, size_t count, ptrdiff_t *down, ptrdiff_t *up)
{
    const ptrdiff_t steps[2] = {a->layout->entry, a->layout->state};
    const size_t    numbers[2] = {a->rows, count};
    *down = *up = 0;
    for (int i = 0; i < 2; i++) {
        ptrdiff_t far = 0;
        if (numbers[i] > PTRDIFF_MAX / 2 ||
            __builtin_mul_overflow((ptrdiff_t)numbers[i] - 1, steps[i], &far) ||
            __builtin_mul_overflow(far, (ptrdiff_t)sizeof(double), &far) ||
            __builtin_add_overflow(far < 0 ? *down : *up, far, far < 0 ? down : up))
            return 0;
    }
    return !__builtin_add_overflow(*up, (ptrdiff_t)sizeof(double), up);
}

static arne_status check_layout(const rows_at *a, size_t count, arne_error *error)
{
    ptrdiff_t down, up;
    if (a->at % sizeof(double))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "%s is not aligned to %d bytes", a->name,
                         (int)sizeof(double));
    if (a->rows && !batch_job_reach(a, count, &down, &up))
        return arne_fail(error, ARNE_TOO_LARGE, NULL, 0, "%s cannot have so many states", a->name);
    return ARNE_OK;
}

static int ranges_overlap(const rows_at *a, const rows_at *b, size_t count)
{
    ptrdiff_t down[2], up[2];
    if (!a->rows || !b->rows || !batch_job_reach(a, count, &down[0], &up[0]) ||
        !batch_job_reach(b, count, &down[1], &up[1]))
        return 0;
    return a->at + (uintptr_t)down[0] < b->at + (uintptr_t)up[1] &&
           b->at + (uintptr_t)down[1] < a->at + (uintptr_t)up[0];
}

static arne_status check_span(const rows_at *a, size_t stride, arne_error *error)
{
    if (a->at % sizeof(double))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "%s is not aligned to %d bytes", a->name,
                         (int)sizeof(double));
    if (a->rows && stride > PTRDIFF_MAX / sizeof(double) / a->rows)
        return arne_fail(error, ARNE_TOO_LARGE, NULL, 0, "%s cannot have so many states", a->name);
    return ARNE_OK;
}

// Rows of both lie `stride` apart. Row i of a and row k of b share a number where they start less
// than `count` apart; that can only be at the difference i - k that brings them nearest, or the
// next.
static int batch_job_overlap(const rows_at *a, const rows_at *b, size_t stride, size_t count)
{
    const rows_at *low = a->at <= b->at ? a : b, *high = low == a ? b : a;
    if (!low->rows || !high->rows) return 0;
    const size_t apart = (high->at - low->at) / sizeof(double), ahead = apart / stride,
                 rest = apart % stride;
    if (rest < count && ahead < low->rows) return 1;
    return stride - rest < count && ahead + 1 < low->rows;
}

static arne_status check_arrays(const batch_job *job, arne_error *error)
{
    rows_at   all[ARNE_INPUT_COUNT + ARNE_ARRAY_COUNT];
    int       n = 0, inputs = 0;
    const int lies = job->given->input_layouts || job->given->output_layouts;
    for (int i = 0; i < ARNE_INPUT_COUNT; i++)
        if (job->in[i])
            all[n++] = (rows_at){batch_job_name_of(i), (uintptr_t)job->in[i], job->in_rows[i],
                                 &job->in_layout[i]};
    inputs = n;
    for (int i = 0; i < ARNE_ARRAY_COUNT; i++)
        if (job->out[i])
            all[n++] = (rows_at){batch_job_name_of(i), (uintptr_t)job->out[i], job->out_rows[i],
                                 &job->out_layout[i]};
    for (int i = 0; i < n; i++) {
        const arne_status status = lies ? check_layout(&all[i], job->count, error)
                                        : check_span(&all[i], job->stride, error);
        if (status) return status;
    }
    for (int i = inputs; i < n; i++)
        for (int k = 0; k < i; k++)
            if (lies ? ranges_overlap(&all[i], &all[k], job->count)
                     : batch_job_overlap(&all[i], &all[k], job->stride, job->count))
                return arne_fail(error, ARNE_VALUE, NULL, 0, "%s overlaps %s", all[i].name,
                                 all[k].name);
    return ARNE_OK;
}

static arne_status check_frame(const batch_job *job, int any_axes, arne_error *error)
{
    const int frame = job->given->frame, axes = (int)job->given->axes;
    if (frame < 0 || frame >= job->robot->frame_count)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "there is no frame %d", frame);
    if (axes != ARNE_AXES_BODY && axes != ARNE_AXES_ALIGNED &&
        (axes != ARNE_AXES_WORLD || !any_axes))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "%s does not know axes %d",
                         batch_job_algorithm_name(job), axes);
    return ARNE_OK;
}

static arne_status check_loads(const batch_job *job, arne_error *error)
{
    const arne_batch_inputs *given = job->given;
    if (given->load_count == 0) return ARNE_OK;
    if (given->load_count < 0)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "load_count is %d", given->load_count);
    if (!given->loads) return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "loads is NULL");
    for (int i = 0; i < given->load_count; i++)
        if (given->loads[i].frame < 0 || given->loads[i].frame >= job->robot->frame_count)
            return arne_fail(error, ARNE_VALUE, NULL, 0, "load %d: there is no frame %d", i,
                             given->loads[i].frame);
    return ARNE_OK;
}

// What is the same for all states.
static arne_status check_common(const batch_job *job, unsigned uses, arne_error *error)
{
    const arne_batch_inputs *given = job->given;
    const arne_vec3          n = given->normal;
    arne_status              status = ARNE_OK;
    if (job->out[ARNE_ARRAY_jerk]) uses |= ARNE_TAKES_FRAME | ARNE_TAKES_NO_WORLD_AXES;
    if (uses & ARNE_TAKES_FRAME)
        status = check_frame(job, !(uses & ARNE_TAKES_NO_WORLD_AXES), error);
    if (!status && uses & ARNE_TAKES_LOADS) status = check_loads(job, error);
    if (status) return status;
    if (uses & ARNE_TAKES_JOINT && (given->joint < 0 || given->joint >= job->robot->joint_count))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "there is no joint %d", given->joint);
    if (uses & ARNE_TAKES_GIVEN && !given->given && job->robot->v_count)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "given is NULL");
    if (uses & ARNE_TAKES_PLANE && !(fabs(n.x * n.x + n.y * n.y + n.z * n.z - 1) < 1e-6))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "normal is not a unit vector");
    return ARNE_OK;
}

static arne_batch_layout batch_job_lay_out(const batch_job *job, const arne_batch_layout *given,
                                           int array)
{
    const arne_batch_layout by_stride = {(ptrdiff_t)job->stride, 1};
    return given ? given[array] : by_stride;
}

static arne_status batch_job_take_outputs(batch_job *job, const arne_batch_outputs *outputs,
                                          unsigned *needs, arne_error *error)
{
    const arne_algorithm_info *info = arne_catalogue_algorithm(job->algorithm);
    double *const              given[ARNE_ARRAY_COUNT] = {
#define ARNE_INPUT_OUTPUT(name, ...) [ARNE_ARRAY_##name] = outputs->name,
#define ARNE_OUTPUT(name, ...) [ARNE_ARRAY_##name] = outputs->name,
#include <arne/catalogue.def>
    };
    size_t at = 0;
    int    all = 0;
    *needs = info->needs;
    for (int i = 0; i < info->output_count; i++) {
        const arne_array array = info->outputs[i].array;
        job->out[array] = given[array];
        job->out_rows[array] = arne_array_size(job->robot, array);
        job->out_at[array] = at;
        at += job->out_rows[array];
        if (given[array]) *needs |= info->outputs[i].needs;
        job->out_layout[array] = batch_job_lay_out(job, job->given->output_layouts, (int)array);
        if (given[array] && job->out_rows[array] && job->count > 1 && !job->out_layout[array].state)
            return arne_fail(error, ARNE_VALUE, NULL, 0, "%s has one place for all states",
                             batch_job_name_of((int)array));
    }
    for (int i = 0; i < ARNE_ARRAY_COUNT; i++) {
        all += given[i] != NULL;
        if (given[i] && !job->out[i])
            return arne_fail(error, ARNE_VALUE, NULL, 0, "%s does not make %s", info->name,
                             batch_job_name_of(i));
    }
    if (all) return ARNE_OK;
    return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "all outputs of %s are NULL", info->name);
}

static arne_status batch_job_take_inputs(batch_job *job, unsigned needs, arne_error *error)
{
    const unsigned      reads = needs | arne_catalogue_algorithm(job->algorithm)->may;
    const double *const given[ARNE_INPUT_COUNT] = {
#define ARNE_INPUT(name, ...) job->given->name,
#define ARNE_INPUT_OUTPUT(name, ...) job->given->name,
#include <arne/catalogue.def>
    };
    for (int i = 0; i < ARNE_INPUT_COUNT; i++) {
        if (!(reads >> i & 1)) continue;
        job->in[i] = given[i];
        job->in_layout[i] = batch_job_lay_out(job, job->given->input_layouts, i);
        job->in_rows[i] = arne_array_size(job->robot, (arne_array)i);
        if (!given[i] && job->in_rows[i] && needs >> i & 1)
            return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s needs %s, which is NULL",
                             batch_job_algorithm_name(job), batch_job_name_of(i));
    }
    return ARNE_OK;
}

arne_status batch_job_make(const arne_robot *robot, arne_algorithm algorithm,
                           const arne_batch_inputs *inputs, const arne_batch_outputs *outputs,
                           size_t count, batch_job *job, arne_error *error)
{
    unsigned                   needs;
    const arne_algorithm_info *info = arne_catalogue_algorithm(algorithm);
    if (!info)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "there is no algorithm %d", (int)algorithm);
    if (!(info->has & ARNE_HAS_BATCH))
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "%s has no batch form", info->name);
    *job = (batch_job){.robot = robot, .given = inputs, .algorithm = algorithm, .count = count};
    job->stride = inputs->stride ? inputs->stride : count;
    if (count == 0) return arne_fail(error, ARNE_VALUE, NULL, 0, "there are no states: count is 0");
    if (job->stride < count)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "stride %zu is less than the %zu states",
                         job->stride, count);
    arne_status status = batch_job_take_outputs(job, outputs, &needs, error);
    if (!status) status = batch_job_take_inputs(job, needs, error);
    if (!status) status = check_arrays(job, error);
    if (!status) status = check_common(job, info->takes, error);
    return status;
}
