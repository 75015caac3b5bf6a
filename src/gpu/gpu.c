// The public face: checks, and the module that does the work.
#include "base/error.h"
#include "gpu/backend.h"
#include <stdlib.h>
#include <string.h>

struct arne_gpu {
    const gpu_backend *backend;
    gpu_device        *device;
    const arne_robot  *robot;
    arne_precision     precision;
};

static arne_status find_backend(const gpu_backend **backend, arne_error *error)
{
    static const module_need need = {"cuda", "the GPU", "CUDA", "nvidia-cuda-toolkit",
                                     sizeof(gpu_job)};
    const module_head       *head;
    const arne_status        status = module_open(&need, &head, error);
    *backend = (const gpu_backend *)head;
    return status;
}

static arne_status load_ready(const gpu_backend **backend, arne_error *error)
{
    char              text[GPU_ERROR_TEXT];
    const arne_status status = find_backend(backend, error);
    if (status) return status;
    if ((*backend)->available(text))
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "no CUDA device: %s", text);
    return ARNE_OK;
}

arne_status arne_gpu_available(arne_error *error)
{
    const gpu_backend *backend = NULL;
    return load_ready(&backend, error);
}

arne_status arne_gpu_new(const arne_robot *robot, arne_precision precision, arne_gpu **out,
                         arne_error *error)
{
    char text[GPU_ERROR_TEXT];
    if (out) *out = NULL;
    if (!robot || !out)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s is NULL", out ? "robot" : "out");
    if (precision != ARNE_PRECISION_DOUBLE && precision != ARNE_PRECISION_FLOAT)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "there is no precision %d", (int)precision);
    if (gpu_robot_bytes(robot) > GPU_ROBOT_LARGE)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "the robot takes %zu bytes of constant memory, and there are %d",
                         gpu_robot_bytes(robot), GPU_ROBOT_LARGE);
    arne_gpu *gpu = calloc(1, sizeof *gpu);
    if (!gpu) return arne_fail_memory(error);
    gpu->robot = robot;
    gpu->precision = precision;
    arne_status status = load_ready(&gpu->backend, error);
    if (!status) {
        gpu->device = gpu->backend->make(robot, precision == ARNE_PRECISION_FLOAT,
                                         gpu_most_rows(robot), text);
        if (!gpu->device) status = arne_fail(error, ARNE_NO_MEMORY, NULL, 0, "%s", text);
    }
    if (status) {
        arne_gpu_free(gpu);
        return status;
    }
    *out = gpu;
    return ARNE_OK;
}

void arne_gpu_free(arne_gpu *gpu)
{
    if (!gpu) return;
    if (gpu->device) gpu->backend->release(gpu->device);
    free(gpu);
}

arne_status arne_gpu_run(arne_gpu *gpu, arne_algorithm algorithm, const arne_gpu_inputs *inputs,
                         const arne_gpu_outputs *outputs, size_t count, void *stream,
                         arne_error *error)
{
    gpu_job job;
    char    text[GPU_ERROR_TEXT];
    if (!gpu || !inputs || !outputs)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s is NULL",
                         !gpu      ? "gpu"
                         : !inputs ? "inputs"
                                   : "outputs");
    const arne_status status =
        gpu_job_make(gpu->robot, gpu->precision, algorithm, inputs, outputs, count, &job, error);
    if (status) return status;
    if (gpu->backend->run(gpu->device, &job, stream, text))
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "%s", text);
    return ARNE_OK;
}

arne_status arne_gpu_wait(arne_gpu *gpu, void *stream, arne_error *error)
{
    char text[GPU_ERROR_TEXT];
    if (!gpu) return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "gpu is NULL");
    if (gpu->backend->wait(stream, text))
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "%s", text);
    return ARNE_OK;
}
