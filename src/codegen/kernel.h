// The texts that kernels share: src/codegen/kernel_*.cuh, put here by the build.
#ifndef ARNE_CODEGEN_KERNEL_H
#define ARNE_CODEGEN_KERNEL_H

#include "base/buffer.h"
#include "codegen/emit.h"
#include "codegen/ground_functions.h"

extern const char kernel_arrays[], kernel_steps[], kernel_ground[], kernel_rigid[];

// What is made of a request: one function, or steps with it.
typedef struct kernel_plan {
    request                    ask;
    const arne_kernel_options *options;
    arne_algorithm             algorithm, function; // differ for a rollout
    const ground_request      *ground; // of a rollout with ground or masses; NULL: of others
    arne_kernel               *out;
} kernel_plan;

static inline int is_rollout(const kernel_plan *p)
{
    return p->algorithm == ARNE_ALGORITHM_ROLLOUT;
}

// A device function with that body, which it takes: kernel.c.
void kernel_put_definition(buffer *b, const emission *how, buffer *body);

// Steps of the robot's joints, and the kernel that takes many of them: kernel_rollout.c.
void put_rollout(buffer *b, const kernel_plan *p);

// ---- kernel_ground.c ----

// What is recorded for ground and masses, and the texts around it: `struct world`, and `accelerate`
// or, of the rigid model, `rigid_accelerate`.
ARNE_CHECKED arne_status put_ground_functions(buffer *b, const kernel_plan *p);
void                     put_world(buffer *b, const kernel_plan *p);
// The start of a thread's world.
void put_world_start(buffer *b, const kernel_plan *p);
// `stops`: torques of joints beyond their limits. `policy`: torques from the error.
void put_limits(buffer *b, const kernel_plan *p);
void put_policy(buffer *b, const kernel_plan *p);

#endif
