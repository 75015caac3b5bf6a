// Memory for workspaces. A robot that was copied from another machine may ask for kernels that this
// processor cannot run: it gets no workspace, and without one there is nothing to run.
#define _POSIX_C_SOURCE 200112L // NOLINT(bugprone-reserved-identifier)
#include "robot/isa.h"
#include "robot/work_parts.h"
#include <stdlib.h>

static int can_run(const arne_robot *robot) { return isa_index(arne_robot_isa(robot)) >= 0; }

size_t arne_work_size(const arne_robot *robot)
{
    return robot && can_run(robot) ? work_size(robot) : 0;
}

arne_work *arne_work_place(const arne_robot *robot, void *memory)
{
    return robot && memory && can_run(robot) ? work_place(robot, memory) : NULL;
}

arne_status arne_work_new(const arne_robot *robot, arne_work **out)
{
    void *memory = NULL;
    if (out) *out = NULL;
    if (!robot || !out) return ARNE_NULL_ARGUMENT;
    if (!can_run(robot)) return ARNE_UNSUPPORTED;
    if (posix_memalign(&memory, 64, work_size(robot))) return ARNE_NO_MEMORY;
    *out = work_place(robot, memory);
    return ARNE_OK;
}

void arne_work_free(arne_work *w) { free(w); }
