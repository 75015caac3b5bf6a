// Memory, copies and streams: the module's face to the library.
#include "gpu/backend.h"
#include "gpu/kernels.h"
#include <arne/version.h>
#include <cstdio>
#include <new>

namespace
{

// Enough threads to keep every multiprocessor busy, in no more than a quarter of the memory that is free.
constexpr size_t THREADS_EACH = 512;

const char *const array_names[] = {
#define ARNE_INPUT(name, ...) #name,
#define ARNE_INPUT_OUTPUT(name, ...) #name,
#define ARNE_OUTPUT(name, ...) #name,
#define ARNE_RESULT(name, ...) #name,
#include <arne/catalogue.def>
};

int fail(char *text, cudaError_t code, const char *what)
{
    std::snprintf(text, GPU_ERROR_TEXT, "%s: %s", what, cudaGetErrorString(code));
    (void)cudaGetLastError(); // it is told here, not to the next caller
    return -1;
}

int available(char *text)
{
    int               count = 0;
    const cudaError_t code = cudaGetDeviceCount(&count);
    if (code != cudaSuccess || count == 0) {
        std::snprintf(text, GPU_ERROR_TEXT, "%s",
                      code != cudaSuccess ? cudaGetErrorString(code) : "none was found");
        (void)cudaGetLastError();
        return -1;
    }
    return 0;
}

} // namespace

struct gpu_device {
    const arne_robot  *robot;
    const gpu_kernels *kernels;
    char              *scratch; // the threads' workspaces
    size_t             each;
    unsigned           threads;
    char              *staging; // arrays of the machine while they are on the device
    size_t             staging_size;
};

namespace
{

cudaError_t make_scratch(gpu_device *d)
{
    int         device = 0, processors = 0;
    size_t      free_bytes = 0, all = 0;
    cudaError_t code = cudaGetDevice(&device);
    if (code == cudaSuccess)
        code = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (code == cudaSuccess) code = cudaMemGetInfo(&free_bytes, &all);
    if (code != cudaSuccess) return code;
    size_t threads = THREADS_EACH * (size_t)processors;
    if (threads > free_bytes / 4 / d->each) threads = free_bytes / 4 / d->each;
    threads = threads / GPU_BLOCK * GPU_BLOCK;
    if (threads == 0) return cudaErrorMemoryAllocation;
    d->threads = (unsigned)threads;
    return cudaMalloc(&d->scratch, threads * d->each);
}

void release(gpu_device *d)
{
    cudaFree(d->scratch); // waits for what still runs
    cudaFree(d->staging);
    delete d;
}

gpu_device *make(const arne_robot *robot, int is_float, gpu_rows rows, char *text)
{
    gpu_device *d = new (std::nothrow) gpu_device();
    if (!d) {
        std::snprintf(text, GPU_ERROR_TEXT, "out of memory");
        return nullptr;
    }
    d->robot = robot;
    d->kernels = is_float ? &gpu_kernels_float : &gpu_kernels_double;
    d->each = d->kernels->state_size(robot, rows);
    const cudaError_t code = make_scratch(d);
    if (code == cudaSuccess) return d;
    fail(text, code, "memory for the threads");
    release(d);
    return nullptr;
}

// Host memory would be a crash in the kernel, which ends every other use of the device too.
int check_pointer(const void *at, const char *name, char *text)
{
    cudaPointerAttributes facts;
    if (!at) return 0;
    const cudaError_t code = cudaPointerGetAttributes(&facts, at);
    if (code != cudaSuccess) return fail(text, code, name);
    if (facts.type == cudaMemoryTypeDevice || facts.type == cudaMemoryTypeManaged) return 0;
    std::snprintf(text, GPU_ERROR_TEXT, "%s is not in the device's memory", name);
    return -1;
}

int run_on_device(gpu_device *d, const gpu_job *job, cudaStream_t stream, char *text)
{
    for (int i = 0; i < ARNE_INPUT_COUNT; i++)
        if (check_pointer(job->in[i], array_names[i], text)) return -1;
    for (int i = 0; i < ARNE_ARRAY_COUNT; i++)
        if (check_pointer(job->out[i], array_names[i], text)) return -1;
    const cudaError_t code =
        d->kernels->launch(d->robot, job, d->scratch, d->each, d->threads, stream);
    return code == cudaSuccess ? 0 : fail(text, code, "launch");
}

size_t padded(size_t bytes) { return (bytes + 255) / 256 * 256; }

cudaError_t grow_staging(gpu_device *d, const gpu_job *job)
{
    size_t bytes = 0;
    for (int i = 0; i < ARNE_INPUT_COUNT; i++)
        if (job->in[i]) bytes += padded(job->in_rows[i] * job->count * job->entry);
    for (int i = 0; i < ARNE_ARRAY_COUNT; i++)
        if (job->out[i]) bytes += padded(job->out_rows[i] * job->count * job->entry);
    if (bytes <= d->staging_size) return cudaSuccess;
    cudaFree(d->staging);
    d->staging = nullptr;
    d->staging_size = 0;
    const cudaError_t code = cudaMalloc(&d->staging, bytes);
    if (code == cudaSuccess) d->staging_size = bytes;
    return code;
}

int run_on_host(gpu_device *d, const gpu_job *job, cudaStream_t stream, char *text)
{
    gpu_job     there = *job;
    cudaError_t code = grow_staging(d, job);
    char       *at = d->staging;
    if (code != cudaSuccess) return fail(text, code, "memory for the arrays");
    for (int i = 0; i < ARNE_INPUT_COUNT && code == cudaSuccess; i++) {
        const size_t bytes = job->in_rows[i] * job->count * job->entry;
        if (!job->in[i]) continue;
        there.in[i] = at;
        code = cudaMemcpyAsync(at, job->in[i], bytes, cudaMemcpyHostToDevice, stream);
        at += padded(bytes);
    }
    for (int i = 0; i < ARNE_ARRAY_COUNT; i++) {
        if (!job->out[i]) continue;
        there.out[i] = at;
        at += padded(job->out_rows[i] * job->count * job->entry);
    }
    if (code == cudaSuccess)
        code = d->kernels->launch(d->robot, &there, d->scratch, d->each, d->threads, stream);
    for (int i = 0; i < ARNE_ARRAY_COUNT && code == cudaSuccess; i++)
        if (job->out[i])
            code = cudaMemcpyAsync(job->out[i], there.out[i],
                                   job->out_rows[i] * job->count * job->entry,
                                   cudaMemcpyDeviceToHost, stream);
    const cudaError_t end =
        cudaStreamSynchronize(stream); // also after a failure: copies may be under way
    if (code == cudaSuccess) code = end;
    return code == cudaSuccess ? 0 : fail(text, code, "run");
}

int run(gpu_device *d, const gpu_job *job, void *stream, char *text)
{
    return job->on_device ? run_on_device(d, job, (cudaStream_t)stream, text)
                          : run_on_host(d, job, (cudaStream_t)stream, text);
}

int wait_for(void *stream, char *text)
{
    const cudaError_t code = cudaStreamSynchronize((cudaStream_t)stream);
    return code == cudaSuccess ? 0 : fail(text, code, "run");
}

} // namespace

extern "C" __attribute__((visibility("default"))) const gpu_backend arne_cuda_module;
extern "C" const gpu_backend                                        arne_cuda_module = {
                                           {ARNE_VERSION_STRING, sizeof(gpu_job)}, available, make, release, run, wait_for};
