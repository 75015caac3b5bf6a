// The public face: checks, which kernel runs, and arrays of the machine on their way.
#include "base/error.h"
#include "base/options.h"
#include "gpu/gpu_memory.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- what there is ----

arne_status arne_gpu_available(arne_error *error)
{
    driver *device = NULL;
    nvrtc  *compiler = NULL;
    arne_error_clear(error);
    arne_status status = driver_open(&device, error);
    driver_close(device);
    if (!status) status = nvrtc_open(&compiler, error);
    nvrtc_close(compiler);
    return status;
}

arne_status arne_gpu_new(const arne_robot *robot, const arne_gpu_options *options, arne_gpu **out,
                         arne_error *error)
{
    arne_gpu_options own = {0};
    arne_error_clear(error);
    if (out) *out = NULL;
    if (!robot || !out)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s is NULL", out ? "robot" : "out");
    if (options && !options_take(&own, sizeof own, OPTIONS_FIRST(arne_gpu_options), options))
        return options_refuse(error);
    if (own.precision != ARNE_PRECISION_DOUBLE && own.precision != ARNE_PRECISION_FLOAT)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "there is no precision %d",
                         (int)own.precision);
    arne_gpu *gpu = calloc(1, sizeof *gpu);
    if (!gpu) return arne_fail_memory(error);
    gpu->robot = robot;
    gpu->options = own;
    arne_status status = driver_open(&gpu->device, error);
    gpu->shop = (workshop){
        .robot = robot, .device = gpu->device, .precision = own.precision, .is_fast = own.fast};
    if (!status && !cache_open(&gpu->shop.cache, own.cache))
        status = arne_fail(error, ARNE_VALUE, NULL, 0, "cache: the name of the folder is too long");
    gpu->options.cache = NULL; // it has been taken
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
    if (gpu->device && driver_enter(gpu->device) == 0) {
        (void)gpu->device->finish(); // what still runs
        if (gpu->staging) (void)gpu->device->release_memory(gpu->staging);
        workshop_close(&gpu->shop);
        driver_leave(gpu->device);
    }
    driver_close(gpu->device);
    free(gpu);
}

// ---- which kernel ----

static arne_status gpu_choose(arne_gpu *gpu, const gpu_job *job, const compiled **kernel,
                              arne_error *error)
{
    *kernel = workshop_kernel(&gpu->shop, job);
    if (!*kernel) return arne_fail_memory(error);
    if ((*kernel)->function) return ARNE_OK;
    return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "%s", (*kernel)->why);
}

// ---- a run ----

// What is in the device's memory wherever the arrays are.
static arne_status check_shared(const arne_gpu *gpu, const gpu_job *job, arne_error *error)
{
    const void *const at[2] = {job->field ? job->field->heights : NULL,
                               job->policy ? job->policy->weights : NULL};
    for (int i = 0; i < 2; i++)
        if (at[i] && !driver_knows(gpu->device, at[i]))
            return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                             "run: %s are not in the device's memory",
                             i ? "the weights of the policy" : "the heights of the field");
    return ARNE_OK;
}

static arne_status check_addresses(const arne_gpu *gpu, const gpu_job *job, arne_error *error)
{
    for (int i = 0; i < ARNE_INPUT_COUNT + ARNE_ARRAY_COUNT; i++) {
        const int   in = i < ARNE_INPUT_COUNT, a = in ? i : i - ARNE_INPUT_COUNT;
        const void *at = in ? job->in[a] : job->out[a];
        if (at && !driver_knows(gpu->device, at))
            return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                             "run: %s is not in the device's memory",
                             arne_catalogue_array((arne_array)a)->name);
    }
    return ARNE_OK;
}

static size_t gpu_padded(size_t bytes) { return (bytes + 255) / 256 * 256; }

static size_t bytes_of(const gpu_job *job, size_t rows) { return rows * job->count * job->entry; }

static int grow_staging(arne_gpu *gpu, const gpu_job *job)
{
    size_t bytes = 0;
    for (int i = 0; i < ARNE_INPUT_COUNT; i++)
        if (job->in[i]) bytes += gpu_padded(bytes_of(job, job->in_rows[i]));
    for (int i = 0; i < ARNE_ARRAY_COUNT; i++)
        if (job->out[i]) bytes += gpu_padded(bytes_of(job, job->out_rows[i]));
    if (bytes <= gpu->staging_size) return 0;
    if (gpu->staging) (void)gpu->device->release_memory(gpu->staging);
    gpu->staging = 0;
    gpu->staging_size = 0;
    const int code = gpu->device->allocate(&gpu->staging, bytes);
    if (!code) gpu->staging_size = bytes;
    return code;
}

static int copy_there(const arne_gpu *gpu, const gpu_job *job, gpu_job *there, void *stream)
{
    device_address at = gpu->staging;
    int            code = 0;
    for (int i = 0; i < ARNE_INPUT_COUNT && !code; i++) {
        if (!job->in[i]) continue;
        there->in[i] = (const void *)(uintptr_t)at;
        code = gpu->device->to_device(at, job->in[i], bytes_of(job, job->in_rows[i]), stream);
        at += gpu_padded(bytes_of(job, job->in_rows[i]));
    }
    for (int i = 0; i < ARNE_ARRAY_COUNT; i++) {
        if (!job->out[i]) continue;
        there->out[i] = (void *)(uintptr_t)at;
        at += gpu_padded(bytes_of(job, job->out_rows[i]));
    }
    return code;
}

static arne_status run_on_host(arne_gpu *gpu, const compiled *kernel, const gpu_job *job,
                               void *stream, arne_error *error)
{
    gpu_job     there = *job;
    arne_status status = ARNE_OK;
    int         code = grow_staging(gpu, job);
    if (code) return driver_fail(gpu->device, code, "memory for the arrays", error);
    code = copy_there(gpu, job, &there, stream);
    if (!code) status = compiled_launch(&gpu->shop, kernel, &there, stream, error);
    for (int i = 0; i < ARNE_ARRAY_COUNT && !code && !status; i++)
        if (job->out[i])
            code = gpu->device->from_device(job->out[i], (device_address)(uintptr_t)there.out[i],
                                            bytes_of(job, job->out_rows[i]), stream);
    const int end = gpu->device->synchronise(stream); // also after a failure
    if (!code) code = end;
    if (status) return status;
    return code ? driver_fail(gpu->device, code, "run", error) : ARNE_OK;
}

static arne_status gpu_run(arne_gpu *gpu, const gpu_job *job, void *stream, arne_error *error)
{
    const compiled *kernel;
    arne_status     status = gpu_choose(gpu, job, &kernel, error);
    if (!status) status = check_shared(gpu, job, error);
    if (status) return status;
    if (!job->on_device) return run_on_host(gpu, kernel, job, stream, error);
    status = check_addresses(gpu, job, error);
    return status ? status : compiled_launch(&gpu->shop, kernel, job, stream, error);
}

arne_status arne_gpu_run(arne_gpu *gpu, arne_algorithm algorithm, const arne_gpu_inputs *inputs,
                         const arne_gpu_outputs *outputs, size_t count, void *stream,
                         arne_error *error)
{
    gpu_job job;
    if (!gpu || !inputs || !outputs)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s is NULL",
                         !gpu      ? "gpu"
                         : !inputs ? "inputs"
                                   : "outputs");
    arne_status status = gpu_job_make(gpu->robot, gpu->options.precision, algorithm, inputs,
                                      outputs, count, &job, error);
    if (!status) status = gpu_enter(gpu, error);
    if (status) return status;
    status = gpu_run(gpu, &job, stream, error);
    driver_leave(gpu->device);
    return status;
}

arne_status arne_gpu_prepare(arne_gpu *gpu, arne_algorithm algorithm, const arne_gpu_inputs *inputs,
                             const arne_gpu_outputs *outputs, arne_gpu_kernel *facts,
                             arne_error *error)
{
    const arne_gpu_inputs none = {0};
    gpu_job               job;
    const compiled       *kernel = NULL;
    if (facts) memset(facts, 0, sizeof *facts);
    if (!gpu) return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "gpu is NULL");
    arne_status status = gpu_job_sketch(gpu->robot, gpu->options.precision, algorithm,
                                        inputs ? inputs : &none, outputs, &job, error);
    if (!status) status = gpu_enter(gpu, error);
    if (status) return status;
    status = gpu_choose(gpu, &job, &kernel, error);
    driver_leave(gpu->device);
    if (facts && kernel) *facts = kernel->facts;
    return status;
}
