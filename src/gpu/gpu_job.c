#include "gpu/gpu_job.h"
#include "base/error.h"
#include "robot/robot.h"
#include <math.h>
#include <stdint.h>

static const char *const input_names[] = {GPU_INPUT_NAMES};
static const char *const output_names[] = {GPU_OUTPUT_NAMES};

#define IN(name) 1u << GPU_IN_##name
#define OUT(name) 1u << GPU_OUT_##name
static const struct needs {
    unsigned in, out;
} needs[] = {
#define ALGORITHM(name, inputs, outputs) {inputs, outputs},
    ARNE_GPU_ALGORITHMS(ALGORITHM)
#undef ALGORITHM
};
#undef IN
#undef OUT

static void set_rows(const arne_robot *r, gpu_job *job)
{
    const size_t q_count = (size_t)r->q_count, n = (size_t)r->v_count;
#define INPUT(name, rows) job->in_rows[GPU_IN_##name] = rows;
    ARNE_GPU_INPUTS(INPUT)
#undef INPUT
#define OUTPUT(name, rows) job->out_rows[GPU_OUT_##name] = rows;
    ARNE_GPU_OUTPUTS(OUTPUT)
#undef OUTPUT
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

// Inputs that are read, outputs that are wanted.
static arne_status choose_arrays(const arne_gpu_arrays *a, gpu_job *job, arne_error *error)
{
    const struct needs *need = &needs[job->algorithm];
    const void *const   in[] = {
#define INPUT(name, rows) a->name,
        ARNE_GPU_INPUTS(INPUT)
#undef INPUT
    };
    void *const out[] = {
#define OUTPUT(name, rows) a->name,
        ARNE_GPU_OUTPUTS(OUTPUT)
#undef OUTPUT
    };
    int         wanted = 0;
    arne_status status = ARNE_OK;
    for (int i = 0; i < GPU_IN_COUNT && !status; i++) {
        job->in[i] = need->in >> i & 1 ? in[i] : NULL;
        if (!(need->in >> i & 1)) continue;
        if (!in[i])
            return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s is NULL", input_names[i]);
        status = check_array(job, input_names[i], in[i], job->in_rows[i], error);
    }
    for (int i = 0; i < GPU_OUT_COUNT && !status; i++) {
        job->out[i] = out[i];
        if (!out[i]) continue;
        if (!(need->out >> i & 1))
            return arne_fail(error, ARNE_VALUE, NULL, 0, "%s is not made by this algorithm",
                             output_names[i]);
        status = check_array(job, output_names[i], out[i], job->out_rows[i], error);
        wanted = 1;
    }
    if (!status && !wanted)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "all outputs are NULL");
    return status;
}

static int overlap(const gpu_job *job, const void *a, size_t a_rows, const void *b, size_t b_rows)
{
    const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    const size_t    row = job->count * job->entry;
    return a && b && x < y + b_rows * row && y < x + a_rows * row;
}

static arne_status check_overlaps(const gpu_job *job, arne_error *error)
{
    for (int o = 0; o < GPU_OUT_COUNT; o++) {
        const void  *out = job->out[o];
        const size_t rows = job->out_rows[o];
        for (int i = 0; i < GPU_IN_COUNT; i++)
            if (overlap(job, out, rows, job->in[i], job->in_rows[i]))
                return arne_fail(error, ARNE_VALUE, NULL, 0, "%s overlaps %s", output_names[o],
                                 input_names[i]);
        for (int i = 0; i < o; i++)
            if (overlap(job, out, rows, job->out[i], job->out_rows[i]))
                return arne_fail(error, ARNE_VALUE, NULL, 0, "%s overlaps %s", output_names[o],
                                 output_names[i]);
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
                         arne_gpu_algorithm algorithm, const arne_gpu_arrays *arrays, size_t count,
                         gpu_job *job, arne_error *error)
{
    if ((int)algorithm < 0 || algorithm >= ARNE_GPU_ALGORITHM_COUNT)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "there is no algorithm %d", (int)algorithm);
    if (count == 0) return arne_fail(error, ARNE_VALUE, NULL, 0, "count is 0");
    *job = (gpu_job){.count = count,
                     .entry = precision == ARNE_PRECISION_FLOAT ? sizeof(float) : sizeof(double),
                     .algorithm = (int)algorithm,
                     .on_device = arrays->on_device,
                     .steps = arrays->steps,
                     .dt = arrays->dt};
    set_rows(robot, job);
    arne_status status = choose_arrays(arrays, job, error);
    if (!status) status = check_overlaps(job, error);
    if (!status && algorithm == ARNE_GPU_ROLLOUT) status = check_rollout(robot, job, error);
    if (status || algorithm != ARNE_GPU_POSE) return status;
    if (arrays->frame < 0 || arrays->frame >= robot->frame_count)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "there is no frame %d", arrays->frame);
    const arne_frame_info *frame = &robot_frames(robot)[arrays->frame].info;
    job->body = frame->body;
    job->frame = frame->pose;
    return ARNE_OK;
}
