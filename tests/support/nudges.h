// Matrices of derivatives, column by column, and loads of every sort.
#ifndef TEST_NUDGES_H
#define TEST_NUDGES_H

#include "oracle.h"
#include "testing.h"

enum { ALONG_COUNT = 3, MAX_LOADS = 6 };

// The nudge along one coordinate of q, qd or qdd (0, 1, 2); `unit` is room for it.
static inline nudge unit_nudge(int which, int k, int count, double *unit)
{
    memset(unit, 0, sizeof *unit * (size_t)count);
    unit[k] = 1;
    const nudge d = {.q = which == 0 ? unit : NULL,
                     .qd = which == 1 ? unit : NULL,
                     .qdd = which == 2 ? unit : NULL};
    return d;
}

// Wrenches on links and frames near and far, in turn fixed in the link and in the world, with
// rates. Two are on the same frame.
static inline int random_loads(const state *s, arne_load *loads)
{
    rng       r = rng_seed(s->seed + 77);
    const int frames = s->size.frame_count;
    for (int i = 0; i < MAX_LOADS; i++) {
        loads[i].frame = i < 2 ? frames - 1 : rng_below(&r, frames);
        loads[i].in_world = i % 2;
        loads[i].wrench.lin = rng_vec3(&r, 5);
        loads[i].wrench.ang = rng_vec3(&r, 2);
        loads[i].rate.lin = rng_vec3(&r, 5);
        loads[i].rate.ang = rng_vec3(&r, 2);
    }
    return MAX_LOADS;
}

// As arne_inverse_dynamics takes them.
static inline void loads_as_wrenches(const arne_robot *robot, const arne_load *loads, int count,
                                     arne_wrench *f_ext)
{
    memset(f_ext, 0, sizeof *f_ext * (size_t)arne_robot_sizes(robot).body_count);
    for (int i = 0; i < count; i++)
        arne_add_wrench(robot, loads[i].frame, &loads[i].wrench, f_ext);
}

#endif
