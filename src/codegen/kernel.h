// The texts that kernels share: src/codegen/kernel_arrays.cuh and kernel_steps.cuh, put here by the
// build.
#ifndef ARNE_CODEGEN_KERNEL_H
#define ARNE_CODEGEN_KERNEL_H

#include "base/buffer.h"
#include "codegen/functions.h"

extern const char kernel_arrays[], kernel_steps[];

// What is made of a request: one function, or steps with it.
typedef struct kernel_plan {
    request                    ask;
    const arne_kernel_options *options;
    arne_algorithm             algorithm, function; // differ for a rollout
    arne_kernel               *out;
} kernel_plan;

static inline int is_rollout(const kernel_plan *p)
{
    return p->algorithm == ARNE_ALGORITHM_ROLLOUT;
}

// Steps of the robot's joints, and the kernel that takes many of them: kernel_rollout.c.
void put_rollout(buffer *b, const kernel_plan *p);

#endif
