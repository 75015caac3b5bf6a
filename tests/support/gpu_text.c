#include "gpu_text.h"

#include "gpu/backend.h"
#include "gpu/gpu_state.h"
#include <stdlib.h>

// With the robot as the device has it.
int gpu_text_run(const arne_robot *robot, const gpu_job *job)
{
    const size_t bytes = (gpu_robot_bytes(robot) / ARNE_ALIGNMENT + 1) * ARNE_ALIGNMENT;
    char *memory = aligned_alloc(ARNE_ALIGNMENT, gpu_state_size(robot, gpu_most_rows(robot)));
    char *block = aligned_alloc(ARNE_ALIGNMENT, bytes);
    if (memory && block) {
        const arne_robot *packed = (const arne_robot *)(const void *)block;
        gpu_state         t;
        gpu_robot_pack(robot, block);
        gpu_state_place(packed, job, memory, &t);
        for (size_t s = 0; s < job->count; s++)
            gpu_run_state(job, &t, job->algorithm, s);
    }
    const int fine = memory && block;
    free(memory);
    free(block);
    return fine;
}

arne_robot *gpu_text_large_robot(const arne_robot *robot)
{
    arne_robot *large = malloc(sizeof *large);
    if (!large) return NULL;
    *large = *robot;
    large->joints_at = GPU_ROBOT_LARGE + 1;
    return large;
}
