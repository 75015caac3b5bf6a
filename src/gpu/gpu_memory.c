// Memory on the device for those who use nothing of CUDA.
#include "gpu/gpu_memory.h"
#include "base/error.h"
#include <stdint.h>

arne_status gpu_enter(const arne_gpu *gpu, arne_error *error)
{
    const int code = driver_enter(gpu->device);
    return code ? driver_fail(gpu->device, code, "the device", error) : ARNE_OK;
}

arne_status arne_gpu_wait(arne_gpu *gpu, void *stream, arne_error *error)
{
    if (!gpu) return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "gpu is NULL");
    const arne_status status = gpu_enter(gpu, error);
    if (status) return status;
    const int code = gpu->device->synchronise(stream);
    driver_leave(gpu->device);
    return code ? driver_fail(gpu->device, code, "run", error) : ARNE_OK;
}

arne_status arne_gpu_allocate(arne_gpu *gpu, size_t bytes, void **out, arne_error *error)
{
    device_address at = 0;
    if (out) *out = NULL;
    if (!gpu || !out)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s is NULL", out ? "gpu" : "out");
    const arne_status status = gpu_enter(gpu, error);
    if (status) return status;
    const int code = gpu->device->allocate(&at, bytes ? bytes : 1);
    driver_leave(gpu->device);
    if (code) return driver_fail(gpu->device, code, "memory on the device", error);
    *out = (void *)(uintptr_t)at;
    return ARNE_OK;
}

void arne_gpu_release(arne_gpu *gpu, void *memory)
{
    if (!gpu || !memory || driver_enter(gpu->device)) return;
    (void)gpu->device->release_memory((device_address)(uintptr_t)memory);
    driver_leave(gpu->device);
}

arne_status arne_gpu_copy(arne_gpu *gpu, void *to, const void *from, size_t bytes,
                          arne_error *error)
{
    if (!gpu || !to || !from)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s is NULL",
                         !gpu  ? "gpu"
                         : !to ? "to"
                               : "from");
    const arne_status status = gpu_enter(gpu, error);
    if (status) return status;
    const int code =
        gpu->device->copy((device_address)(uintptr_t)to, (device_address)(uintptr_t)from, bytes);
    driver_leave(gpu->device);
    return code ? driver_fail(gpu->device, code, "copy", error) : ARNE_OK;
}

const char *arne_gpu_name(const arne_gpu *gpu) { return gpu ? gpu->device->name : ""; }
