// The CUDA side as the library sees it: a module of its own, libarne_cuda.so, loaded when first asked for. So programs
// that never ask need no CUDA, and the library keeps its promise of no writable globals.
#ifndef ARNE_GPU_BACKEND_H
#define ARNE_GPU_BACKEND_H

#include "gpu/gpu_job.h"
#include "robot/robot.h"

enum { GPU_ERROR_TEXT = 256, GPU_BACKEND_VERSION = 1 };

// The robot's block as far as kernels read it is a kernel argument, which lives in constant memory.
enum { GPU_ROBOT_SMALL = 8 * 1024, GPU_ROBOT_LARGE = 28 * 1024 };

// Bytes of it: what follows them are names and facts for people.
static inline size_t gpu_robot_bytes(const arne_robot *robot) { return robot->joints_at; }

typedef struct gpu_device gpu_device; // scratch memory of one arne_gpu

// 0, or -1 with a text.
typedef struct gpu_backend {
    int version;
    int (*available)(char *text);
    gpu_device *(*make)(const arne_robot *robot, int is_float, char *text); // NULL where it fails
    void (*release)(gpu_device *device);
    int (*run)(gpu_device *device, const gpu_job *job, void *stream, char *text);
} gpu_backend;

// What the module exports, by this name.
#define GPU_BACKEND_SYMBOL "arne_cuda_backend"

#endif
