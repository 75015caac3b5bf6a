#include "gpu/gpu_job.h"
#include "base/error.h"
#include "robot/robot.h"
#include <math.h>
#include <stdint.h>

static const char *name_of(int array) { return arne_catalogue_array((arne_array)array)->name; }

gpu_rows gpu_most_rows(const arne_robot *robot)
{
    gpu_rows most = {0, 0};
    for (int a = 0; a < ARNE_ALGORITHM_COUNT; a++) {
        const arne_algorithm_info *info = arne_catalogue_algorithm((arne_algorithm)a);
        gpu_rows                   rows = {0, 0};
        if (!(info->has & ARNE_HAS_GPU)) continue;
        for (int i = 0; i < ARNE_INPUT_COUNT; i++)
            if (info->needs >> i & 1) rows.in += arne_array_size(robot, (arne_array)i);
        for (int i = 0; i < info->output_count; i++)
            rows.out += arne_array_size(robot, info->outputs[i].array);
        if (rows.in > most.in) most.in = rows.in;
        if (rows.out > most.out) most.out = rows.out;
    }
    return most;
}

static arne_batch_layout lay_out(const gpu_job *job, const arne_batch_layout *given, int array)
{
    const arne_batch_layout rows = {(ptrdiff_t)job->count, 1};
    return given ? given[array] : rows;
}

// The first byte of an array and the one behind its last.
typedef struct span {
    uintptr_t from, to;
} span;

static span span_of(const gpu_job *job, const void *at, size_t rows, arne_batch_layout layout)
{
    const ptrdiff_t size = (ptrdiff_t)job->entry;
    const ptrdiff_t reach[2] = {((ptrdiff_t)rows - 1) * layout.entry * size,
                                ((ptrdiff_t)job->count - 1) * layout.state * size};
    span            s = {(uintptr_t)at, (uintptr_t)at + job->entry};
    for (int i = 0; i < 2; i++) {
        if (reach[i] < 0)
            s.from += (uintptr_t)reach[i];
        else
            s.to += (uintptr_t)reach[i];
    }
    return s;
}

static arne_status check_array(const gpu_job *job, const char *name, const void *at, size_t rows,
                               arne_error *error)
{
    if ((uintptr_t)at % job->entry)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "%s is not aligned to %zu bytes", name,
                         job->entry);
    if (job->count > SIZE_MAX / 4 / job->entry / (rows + 1))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "%s: %zu states are too many", name,
                         job->count);
    return ARNE_OK;
}

static arne_status take_inputs(const arne_robot *robot, const arne_gpu_inputs *inputs,
                               unsigned needs, gpu_job *job, arne_error *error)
{
    const void *const given[ARNE_INPUT_COUNT] = {
#define ARNE_INPUT(name, ...) inputs->name,
#define ARNE_INPUT_OUTPUT(name, ...) inputs->name,
#include <arne/catalogue.def>
    };
    arne_status status = ARNE_OK;
    size_t      at = 0;
    for (int i = 0; i < ARNE_INPUT_COUNT && !status; i++) {
        if (!(needs >> i & 1)) continue;
        if (!given[i])
            return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s is NULL", name_of(i));
        job->in[i] = given[i];
        job->in_layout[i] = lay_out(job, inputs->input_layouts, i);
        job->in_rows[i] = (unsigned)arne_array_size(robot, (arne_array)i);
        job->in_at[i] = (unsigned)at;
        at += job->in_rows[i];
        status = check_array(job, name_of(i), given[i], job->in_rows[i], error);
    }
    return status;
}

static arne_status take_outputs(const arne_robot *robot, const arne_gpu_outputs *outputs,
                                const arne_batch_layout *layouts, const arne_algorithm_info *info,
                                gpu_job *job, arne_error *error)
{
    void *const given[ARNE_ARRAY_COUNT] = {
#define ARNE_INPUT_OUTPUT(name, ...) [ARNE_ARRAY_##name] = outputs->name,
#define ARNE_OUTPUT(name, ...) [ARNE_ARRAY_##name] = outputs->name,
#include <arne/catalogue.def>
    };
    arne_status status = ARNE_OK;
    size_t      at = 0;
    int         wanted = 0;
    for (int i = 0; i < info->output_count; i++) {
        const arne_array array = info->outputs[i].array;
        job->out[array] = given[array];
        job->out_layout[array] = lay_out(job, layouts, (int)array);
        job->out_rows[array] = (unsigned)arne_array_size(robot, array);
        job->out_at[array] = (unsigned)at;
        at += job->out_rows[array];
    }
    for (int i = 0; i < ARNE_ARRAY_COUNT && !status; i++) {
        if (!given[i]) continue;
        if (!job->out[i])
            return arne_fail(error, ARNE_VALUE, NULL, 0, "%s is not made by %s", name_of(i),
                             info->name);
        status = check_array(job, name_of(i), given[i], job->out_rows[i], error);
        wanted = 1;
    }
    if (!status && !wanted)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "all outputs are NULL");
    return status;
}

static int overlap(const gpu_job *job, int output, int other, int is_input)
{
    const void  *a = job->out[output], *b = is_input ? job->in[other] : job->out[other];
    const size_t rows = is_input ? job->in_rows[other] : job->out_rows[other];
    if (!a || !b || !rows || !job->out_rows[output]) return 0;
    const span x = span_of(job, a, job->out_rows[output], job->out_layout[output]);
    const span y = span_of(job, b, rows, is_input ? job->in_layout[other] : job->out_layout[other]);
    return x.from < y.to && y.from < x.to;
}

static arne_status check_overlaps(const gpu_job *job, arne_error *error)
{
    for (int o = 0; o < ARNE_ARRAY_COUNT; o++) {
        for (int i = 0; i < ARNE_INPUT_COUNT; i++)
            if (overlap(job, o, i, 1))
                return arne_fail(error, ARNE_VALUE, NULL, 0, "%s overlaps %s", name_of(o),
                                 name_of(i));
        for (int i = 0; i < o; i++)
            if (overlap(job, o, i, 0))
                return arne_fail(error, ARNE_VALUE, NULL, 0, "%s overlaps %s", name_of(o),
                                 name_of(i));
    }
    return ARNE_OK;
}

static arne_status check_rollout(const arne_robot *r, const gpu_job *job, arne_error *error)
{
    const body *bodies = robot_bodies(r);
    for (int i = 1; i < r->body_count; i++)
        if (bodies[i].v_count > 1)
            return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                             "a rollout takes joints of one coordinate each");
    if (job->steps < 1) return arne_fail(error, ARNE_VALUE, NULL, 0, "steps is %d", job->steps);
    if (!isfinite(job->dt)) return arne_fail(error, ARNE_VALUE, NULL, 0, "dt is not finite");
    return ARNE_OK;
}

arne_status gpu_job_make(const arne_robot *robot, arne_precision precision,
                         arne_algorithm algorithm, const arne_gpu_inputs *inputs,
                         const arne_gpu_outputs *outputs, size_t count, gpu_job *job,
                         arne_error *error)
{
    const arne_algorithm_info *info = arne_catalogue_algorithm(algorithm);
    if (!info)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "there is no algorithm %d", (int)algorithm);
    if (!(info->has & ARNE_HAS_GPU))
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "%s does not run on a GPU", info->name);
    if (count == 0) return arne_fail(error, ARNE_VALUE, NULL, 0, "count is 0");
    if (!inputs->on_device && (inputs->input_layouts || inputs->output_layouts))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "layouts are for arrays on the device");
    *job = (gpu_job){.count = count,
                     .entry = precision == ARNE_PRECISION_FLOAT ? sizeof(float) : sizeof(double),
                     .algorithm = (int)algorithm,
                     .on_device = inputs->on_device,
                     .steps = inputs->steps,
                     .dt = inputs->dt};
    arne_status status = take_inputs(robot, inputs, info->needs, job, error);
    if (!status) status = take_outputs(robot, outputs, inputs->output_layouts, info, job, error);
    if (!status) status = check_overlaps(job, error);
    if (!status && info->takes & ARNE_TAKES_STEPS) status = check_rollout(robot, job, error);
    if (status || !(info->takes & ARNE_TAKES_FRAME)) return status;
    if (inputs->frame < 0 || inputs->frame >= robot->frame_count)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "there is no frame %d", inputs->frame);
    const arne_frame_info *frame = &robot_frames(robot)[inputs->frame].info;
    job->body = frame->body;
    job->frame = frame->pose;
    return ARNE_OK;
}

int arne_gpu_set_input(arne_gpu_inputs *inputs, arne_array array, const void *at)
{
    switch ((int)array) {
#define ARNE_INPUT(name, ...)                                                                      \
    case ARNE_ARRAY_##name:                                                                        \
        inputs->name = at;                                                                         \
        return 1;
#define ARNE_INPUT_OUTPUT ARNE_INPUT
#include <arne/catalogue.def>
    default:
        return 0;
    }
}

int arne_gpu_set_output(arne_gpu_outputs *outputs, arne_array array, void *at)
{
    switch ((int)array) {
#define ARNE_OUTPUT(name, ...)                                                                     \
    case ARNE_ARRAY_##name:                                                                        \
        outputs->name = at;                                                                        \
        return 1;
#define ARNE_INPUT_OUTPUT ARNE_OUTPUT
#include <arne/catalogue.def>
    default:
        return 0;
    }
}
