// The CUDA side as the library sees it: a module, libarne_cuda.so.
#ifndef ARNE_GPU_BACKEND_H
#define ARNE_GPU_BACKEND_H

#include "base/module.h"
#include "gpu/gpu_job.h"
#include "robot/robot.h"

enum { GPU_ERROR_TEXT = 256 };

// The robot's block as far as kernels read it is a kernel argument, which lives in constant memory.
enum { GPU_ROBOT_SMALL = 8 * 1024, GPU_ROBOT_LARGE = 28 * 1024 };

// Bytes of it: what follows them are names and facts for people.
static inline size_t gpu_robot_bytes(const arne_robot *robot) { return robot->joints_at; }

typedef struct gpu_device gpu_device; // scratch memory of one arne_gpu

// What the module holds, by the name arne_cuda_module. Functions return 0, or -1 with a text.
typedef struct gpu_backend {
    module_head head; // of the layout of gpu_job
    int (*available)(char *text);
    gpu_device *(*make)(const arne_robot *robot, int is_float, char *text); // NULL where it fails
    void (*release)(gpu_device *device);
    int (*run)(gpu_device *device, const gpu_job *job, void *stream, char *text);
} gpu_backend;

#endif
