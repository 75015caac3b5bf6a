// Memory of the loops, as the kernels of one instruction set lay it out.
#include "mechanism/loop_work.h"
#include "robot/kernel.h"
#include <math.h>

static size_t round_up(size_t size)
{
    return (size + ARNE_ALIGNMENT - 1) / ARNE_ALIGNMENT * ARNE_ALIGNMENT;
}

// One walk that counts and one that assigns.
static size_t loop_work_walk(const arne_robot *r, arne_loop_work *loop, char *memory)
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

// The power of two next to the robot's unit of length, so that scaling does not round. A robot that
// reaches more than 0.1 m has the unit 1 m.
static double length_unit(const arne_robot *r) { return exp2(round(log2(r->length))); }

static void fill_scales(const arne_robot *r, arne_loop_work *loop)
{
    const double unit = length_unit(r);
    for (int i = 0; i < loop->m; i++)
        loop->row_scale[i] = 1;
    for (int i = 0; i < r->loop_count; i++) {
        const arne_loop_info *l = &robot_loops(r)[i].info;
        for (int k = 0; k < loop_length_rows(l->kind); k++)
            loop->row_scale[l->row_start + k] = 1 / unit;
    }
    for (int k = 0; k < loop->n; k++)
        loop->column_scale[k] = 1;
    for (int k = 0; k < r->tree_v_count; k++)
        if (robot_dofs(r)[k].axis < AXIS_AX)
            loop->column_scale[r->shares_coordinates ? robot_v_sources(r)[k].from : k] = unit;
}

KERNEL(size_t, loop_work_size, (const arne_robot *robot), (robot))
{
    return loop_work_walk(robot, NULL, NULL);
}

KERNEL(arne_loop_work *, loop_work_place, (const arne_robot *robot, void *memory), (robot, memory))
{
    arne_loop_work *loop = memory;
    loop_work_walk(robot, loop, memory);
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
    fill_scales(robot, loop);
    loop_complex_start(robot, loop->complex_work);
    return loop;
}
