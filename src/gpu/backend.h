// The CUDA side as the library sees it: a module, libarne_cuda.so.
#ifndef ARNE_GPU_BACKEND_H
#define ARNE_GPU_BACKEND_H

#include "base/module.h"
#include "gpu/gpu_job.h"
#include "robot/robot.h"
#include <string.h>

enum { GPU_ERROR_TEXT = 256 };

// The robot's block as far as kernels read it is a kernel argument, which lives in constant memory.
enum { GPU_ALIGNMENT = 64 };
enum { GPU_ROBOT_SMALL = 8 * 1024, GPU_ROBOT_LARGE = 28 * 1024 };

// The arrays that kernels read: those up to the joints' facts for people, then springs and handles.
static inline size_t gpu_robot_bytes(const arne_robot *r)
{
    return r->joints_at + ((size_t)r->spring_count * sizeof(spring) + GPU_ALIGNMENT) +
           ((r->has_handles ? (size_t)r->body_count : 0) * sizeof(handle_span) + GPU_ALIGNMENT) +
           ((size_t)r->handle_count * sizeof(handle) + GPU_ALIGNMENT);
}

static inline size_t gpu_append(char *block, size_t *at, const void *from, size_t bytes)
{
    const size_t start = (*at + GPU_ALIGNMENT - 1) / GPU_ALIGNMENT * GPU_ALIGNMENT;
    memcpy(block + start, from, bytes);
    *at = start + bytes;
    return start;
}

// A robot of these arrays alone; what is not there may not be asked for.
static inline void gpu_robot_pack(const arne_robot *r, char *block)
{
    arne_robot *packed = (arne_robot *)(void *)block;
    size_t      at = r->joints_at;
    memcpy(block, r, at);
    packed->springs_at =
        gpu_append(block, &at, robot_springs(r), (size_t)r->spring_count * sizeof(spring));
    packed->handle_spans_at =
        gpu_append(block, &at, robot_handle_spans(r),
                   (r->has_handles ? (size_t)r->body_count : 0) * sizeof(handle_span));
    packed->handles_at =
        gpu_append(block, &at, robot_handles(r), (size_t)r->handle_count * sizeof(handle));
}

typedef struct gpu_device gpu_device; // scratch memory of one arne_gpu

// What the module holds, by the name arne_cuda_module. Functions return 0, or -1 with a text.
typedef struct gpu_backend {
    module_head head; // of the layout of gpu_job
    int (*available)(char *text);
    // NULL where it fails. rows: of gpu_most_rows.
    gpu_device *(*make)(const arne_robot *robot, int is_float, gpu_rows rows, char *text);
    void (*release)(gpu_device *device);
    int (*run)(gpu_device *device, const gpu_job *job, void *stream, char *text);
    int (*wait)(void *stream, char *text);
} gpu_backend;

#endif
