// What the files of one width share: lanes.c and those that are named after it are compiled once for each, with ARNE_LANES
// and the flags of a processor that has registers of that width; without it, for one state at a time in plain doubles,
// the oracle of the others.
#ifndef ARNE_BATCH_BLOCK_H
#define ARNE_BATCH_BLOCK_H

#include "batch/lanes.h"
#include "robot/work.k.h"

// No name of one width may meet that of another when all are linked.
#define LANES_JOIN(name, width) name##_##width
#define LANES_PASTE(name, width) LANES_JOIN(name, width)
#ifdef ARNE_LANES
enum { LANES = ARNE_LANES };
#define LANES_NAME(name) LANES_PASTE(name, ARNE_LANES)
#else
enum { LANES = 1 };
#define LANES_NAME(name) LANES_PASTE(name, 1)
#endif

// What an algorithm is given of one block.
typedef struct call {
    const batch_job  *job;
    const arne_robot *r;
    work             *w;
    const real       *in[INPUT_COUNT]; // NULL: not given
    load             *f_ext;
    real             *out[OUTPUT_COUNT]; // NULL: the algorithm does not make it
} call;

// One algorithm on one block; returns the lanes that look singular.
#define RUN(name) unsigned LANES_NAME(batch_run_##name)(const call *c)
#define UNPACK                                                                                     \
    const arne_robot  *r = c->r;                                                                   \
    work              *w = c->w;                                                                   \
    const real *const *in = c->in;                                                                 \
    real *const       *out = c->out;                                                               \
    (void)in;                                                                                      \
    (void)out

#define ALGORITHM(name) RUN(name);
ARNE_BATCH_ALGORITHMS(ALGORITHM)
#undef ALGORITHM

ARNE_FN void put_vec3(real *out, vec3 a)
{
    out[0] = vx(a);
    out[1] = vy(a);
    out[2] = vz(a);
}

ARNE_FN void put_motion(real *out, motion a)
{
    put_vec3(out, a.lin);
    put_vec3(out + 3, a.ang);
}

// Lanes in which a is not larger than b. A NaN is not larger than anything.
ARNE_FN unsigned lanes_unless_larger(real a, real b)
{
#ifdef ARNE_LANES
    const real_bits larger = a > b;
    unsigned        lanes = 0;
    for (int i = 0; i < LANES; i++)
        lanes |= (unsigned)!larger[i] << i;
    return lanes;
#else
    return (unsigned)!(a > b);
#endif
}

ARNE_FN real larger_of(real a, real b)
{
#ifdef ARNE_LANES
    const real_bits more = a > b;
    return (real)(((real_bits)a & more) | ((real_bits)b & ~more));
#else
    return a > b ? a : b;
#endif
}

ARNE_FN real smaller_of(real a, real b) { return r_neg(larger_of(r_neg(a), r_neg(b))); }

// Lanes where an entry of D, every `step`th number, is so much smaller than the largest that it may be rounding, or a NaN.
ARNE_TEXT unsigned suspicious(int n, const real *D, int step)
{
    real largest = r_num(0), smallest = r_num(INFINITY), sum = r_num(0);
    for (int k = 0; k < n; k++) {
        largest = larger_of(D[k * step], largest);
        smallest = smaller_of(D[k * step], smallest);
        sum = r_add(sum, D[k * step]); // of a NaN, a NaN
    }
    return lanes_unless_larger(smallest, r_mul(largest, r_num(1e-10))) |
           lanes_unless_larger(sum, r_num(0));
}

#endif
