// Kernels from generated code: one table for each way that gpu_generated.cu is compiled.
#ifndef BENCH_GPU_GENERATED_H
#define BENCH_GPU_GENERATED_H

#include <cstddef>
#include <cuda_runtime.h>

// What is measured, in the order of the generated functions; then what only the general kernels
// have.
enum bench_function { INVERSE, FORWARD, MASS, DERIVATIVES, POSE, ROLLOUT, FUNCTION_COUNT };

constexpr int JOINTS = 7; // of the robot that is embedded

// Arrays in the device's memory, structures of arrays: q, qd and qdd or tau in; one or three out.
using generated_launch = void (*)(bench_function function, const void *const *in, void *const *out,
                                  size_t count, cudaStream_t stream);

void launch_float(bench_function, const void *const *, void *const *, size_t, cudaStream_t);
void launch_float_fast(bench_function, const void *const *, void *const *, size_t, cudaStream_t);
void launch_double(bench_function, const void *const *, void *const *, size_t, cudaStream_t);

#endif
