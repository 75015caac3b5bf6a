// Memory of the loops, and what the robot says about them.
#define _POSIX_C_SOURCE 200112L // NOLINT(bugprone-reserved-identifier)
#include "mechanism/loop_work.h"
#include "robot/joint.h"
#include <stdlib.h>
#include <string.h>

// As arne_work_size and arne_work_place do, these refuse a robot whose kernels this processor
// cannot run.
size_t arne_loop_work_size(const arne_robot *robot)
{
    return arne_work_size(robot) ? loop_work_size(robot) : 0;
}

arne_loop_work *arne_loop_work_place(const arne_robot *robot, void *memory)
{
    return memory && arne_work_size(robot) ? loop_work_place(robot, memory) : NULL;
}

arne_status arne_loop_work_new(const arne_robot *robot, arne_loop_work **out)
{
    void *memory = NULL;
    if (out) *out = NULL;
    if (!robot || !out) return ARNE_NULL_ARGUMENT;
    if (!arne_work_size(robot)) return ARNE_UNSUPPORTED;
    if (posix_memalign(&memory, ARNE_ALIGNMENT, loop_work_size(robot))) return ARNE_NO_MEMORY;
    *out = loop_work_place(robot, memory);
    return ARNE_OK;
}

void arne_loop_work_free(arne_loop_work *loop) { free(loop); }

int arne_active(const arne_robot *robot, unsigned char *active)
{
    int count = robot->v_count;
    memset(active, 1, (size_t)robot->v_count);
    for (int i = 0; i < robot->joint_count; i++) {
        const arne_joint_info *j = &robot_joints(robot)[i].info;
        for (int k = j->v_start; j->passive && k < j->v_start + j->v_count; k++) {
            active[k] = 0;
            count--;
        }
    }
    return count;
}

void arne_start_configuration(const arne_robot *robot, double *q)
{
    arne_neutral(robot, q);
    for (int i = 0; i < robot->joint_count; i++) {
        const arne_joint_info *j = &robot_joints(robot)[i].info;
        const int              at = joint_quaternion(j->kind);
        double                 length = at < 0;
        for (int k = 0; at >= 0 && k < 4; k++)
            length += j->starts[at + k] * j->starts[at + k];
        if (j->q_count == 1)
            q[j->q_start] = j->start;
        else if (length > 0)
            memcpy(q + j->q_start, j->starts, (size_t)j->q_count * sizeof *q);
    }
    arne_normalize(robot, q);
}
