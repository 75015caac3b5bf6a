// Memory of the loops, and what the robot says about them.
#define _POSIX_C_SOURCE 200112L // NOLINT(bugprone-reserved-identifier)
#include "mechanism/loop_work.h"
#include "robot/joint.h"
#include "robot/work.k.h"
#include <stdlib.h>
#include <string.h>

static size_t round_up(size_t size)
{
    return (size + ARNE_ALIGNMENT - 1) / ARNE_ALIGNMENT * ARNE_ALIGNMENT;
}

// One walk that counts and one that assigns.
static size_t walk(const arne_robot *r, arne_loop_work *loop, char *memory)
{
    const size_t m = (size_t)r->loop_row_count, n = (size_t)r->v_count;
    const size_t t = (size_t)r->tree_v_count, s = m > n ? m : n;
    size_t       at = round_up(sizeof *loop);
#define FIELD(type, name, count)                                                                   \
    if (loop) loop->name = (type *)(void *)(memory + at);                                          \
    at += round_up((size_t)(count) * sizeof(type));
    LOOP_WORK_FIELDS(FIELD)
#undef FIELD
    if (loop) loop->complex_work = memory + at;
    return at + round_up(loop_complex_size(r));
}

size_t arne_loop_work_size(const arne_robot *robot) { return robot ? walk(robot, NULL, NULL) : 0; }

arne_loop_work *arne_loop_work_place(const arne_robot *robot, void *memory)
{
    if (!robot || !memory) return NULL;
    arne_loop_work *loop = memory;
    walk(robot, loop, memory);
    loop->m = robot->loop_row_count;
    loop->n = robot->v_count;
    loop->active_count = arne_active(robot, loop->active);
    loop->generic_rank = loop->generic_hold = -1;
    loop->factor = (dense_qr){.rows = loop->m,
                              .columns = loop->n,
                              .A = loop->qr,
                              .scale = loop->qr_scale,
                              .diagonal = loop->qr_diagonal,
                              .pivot = loop->pivot};
    loop_complex_start(robot, loop->complex_work);
    return loop;
}

arne_status arne_loop_work_new(const arne_robot *robot, arne_loop_work **out)
{
    void *memory = NULL;
    if (out) *out = NULL;
    if (!robot || !out) return ARNE_NULL_ARGUMENT;
    if (posix_memalign(&memory, ARNE_ALIGNMENT, arne_loop_work_size(robot))) return ARNE_NO_MEMORY;
    *out = arne_loop_work_place(robot, memory);
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
