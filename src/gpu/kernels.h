// What kernels.cu offers for each precision.
#ifndef ARNE_GPU_KERNELS_H
#define ARNE_GPU_KERNELS_H

#include "gpu/gpu_job.h"
#include <cuda_runtime.h>

enum { GPU_BLOCK = 64 };

typedef struct gpu_kernels {
    size_t (*state_size)(const arne_robot *robot, gpu_rows rows); // memory of one thread
    // Starts a run on `threads` threads (a multiple of GPU_BLOCK), each with its part of `scratch`.
    cudaError_t (*launch)(const arne_robot *robot, const gpu_job *job, char *scratch, size_t each,
                          unsigned threads, cudaStream_t stream);
} gpu_kernels;

extern const gpu_kernels gpu_kernels_float, gpu_kernels_double;

#endif
