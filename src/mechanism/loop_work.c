// Memory of the loops, as the kernels of one instruction set lay it out.
#include "mechanism/loop_work.h"
#include "robot/kernel.h"

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
    loop_complex_start(robot, loop->complex_work);
    return loop;
}
