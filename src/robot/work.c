// Workspaces of doubles.
#define _POSIX_C_SOURCE 200112L // NOLINT(bugprone-reserved-identifier)
#include "robot/work.k.h"
#include "robot/work_layout.h"
#include <arne/work.h>
#include <stdlib.h>

size_t arne_work_size(const arne_robot *robot) { return robot ? work_walk(robot, NULL, NULL) : 0; }

arne_work *arne_work_place(const arne_robot *robot, void *memory)
{
    if (!robot || !memory) return NULL;
    arne_work *w = memory;
    work_walk(robot, w, memory);
    work_start(robot, w);
    return w;
}

arne_status arne_work_new(const arne_robot *robot, arne_work **out)
{
    void *memory = NULL;
    if (out) *out = NULL;
    if (!robot || !out) return ARNE_NULL_ARGUMENT;
    if (posix_memalign(&memory, ARNE_ALIGNMENT, arne_work_size(robot))) return ARNE_NO_MEMORY;
    *out = arne_work_place(robot, memory);
    return ARNE_OK;
}

void arne_work_free(arne_work *w) { free(w); }

void arne_work_set_base(const arne_robot *robot, arne_work *w, const arne_pose *at,
                        const arne_motion *velocity, const arne_motion *acceleration)
{
    WORK_FITS(robot, w);
    const arne_pose identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    work_set_base(robot, w, pose_lift(at ? *at : identity),
                  velocity ? motion_lift(*velocity) : motion_zero(),
                  acceleration ? motion_lift(*acceleration) : motion_zero());
}

void arne_work_set_base_jerk(const arne_robot *robot, arne_work *w, const arne_motion *jerk)
{
    WORK_FITS(robot, w);
    (void)robot;
    work_set_base_jerk(w, jerk ? motion_lift(*jerk) : motion_zero());
}
