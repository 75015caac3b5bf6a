#include "gpu_text.h"

#include "gpu/backend.h"
#include "gpu/gpu_state.h"
#include <stdlib.h>

int gpu_text_run(const arne_robot *robot, const gpu_job *job)
{
    char *memory = aligned_alloc(ARNE_ALIGNMENT, gpu_state_size(robot));
    if (!memory) return 0;
    const gpu_state t = gpu_state_place(robot, memory);
    for (size_t s = 0; s < job->count; s++)
        gpu_run_state(robot, job, &t, job->algorithm, s);
    free(memory);
    return 1;
}

arne_robot *gpu_text_large_robot(const arne_robot *robot)
{
    arne_robot *large = malloc(sizeof *large);
    if (!large) return NULL;
    *large = *robot;
    large->joints_at = GPU_ROBOT_LARGE + 1;
    return large;
}
