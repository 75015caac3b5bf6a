// An algorithm as the catalogue has it, over any arithmetic: arrays in, arrays out. Each text ends
// with its CALL, which batches, GPUs, generated code and the tests over all arithmetics run.
#ifndef ARNE_ALGO_CALL_K_H
#define ARNE_ALGO_CALL_K_H

#include "robot/work.k.h"
#include <arne/catalogue.h>
#include <arne/derivatives.h>

// What is the same for all states.
typedef struct call_settings {
    const arne_load       *loads;
    int                    load_count;
    int                    frame, joint;
    arne_axes              axes;
    arne_acceleration_kind kind;
    const unsigned char   *given; // of hybrid dynamics
    arne_vec3              point, normal;
} call_settings;

typedef struct call {
    const arne_robot    *r;
    work                *w;
    const call_settings *settings;
    const load          *f_ext;                    // as the texts take it; NULL: none
    const real          *in[ARNE_INPUT_COUNT];     // NULL: not given
    real                *out[ARNE_ARRAY_COUNT];    // room for all that the algorithm makes
    unsigned char        wanted[ARNE_ARRAY_COUNT]; // what of it is wanted
} call;

// Returns the lanes whose mass matrix looks singular, one bit for each.
#define CALL(identifier) ARNE_TEXT unsigned call_##identifier(const call *c)
#define IN(name) c->in[ARNE_INPUT_##name]
#define OUT(name) c->out[ARNE_ARRAY_##name]
#define WANTED(name) c->wanted[ARNE_ARRAY_##name]

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

ARNE_FN void put_pose(real *out, pose X)
{
    put_vec3(out, X.R.x);
    put_vec3(out + 3, X.R.y);
    put_vec3(out + 6, X.R.z);
    put_vec3(out + 9, X.p);
}

// ---- lanes that look singular ----
//
// Only arithmetics of plain numbers are looked at; the function for one state then decides.

#if defined ARNE_COMPLEX || defined ARNE_RECORD || defined ARNE_JET

ARNE_FN unsigned lanes_unless_larger(real a, real b)
{
    (void)a;
    (void)b;
    return 0;
}
ARNE_FN real larger_of(real a, real b)
{
    (void)b;
    return a;
}

#elif defined ARNE_LANES

// Lanes in which a is not larger than b. A NaN is not larger than anything.
ARNE_FN unsigned lanes_unless_larger(real a, real b)
{
    const real_bits larger = a > b;
    unsigned        lanes = 0;
    for (int i = 0; i < ARNE_LANES; i++)
        lanes |= (unsigned)!larger[i] << i;
    return lanes;
}

ARNE_FN real larger_of(real a, real b)
{
    const real_bits more = a > b;
    return (real)(((real_bits)a & more) | ((real_bits)b & ~more));
}

#else

ARNE_FN unsigned lanes_unless_larger(real a, real b) { return (unsigned)!(a > b); }
ARNE_FN real     larger_of(real a, real b) { return a > b ? a : b; }

#endif

ARNE_FN real smaller_of(real a, real b) { return r_neg(larger_of(r_neg(a), r_neg(b))); }

// Lanes where an entry of D, every `step`th number, is so much smaller than the largest, or than
// what is rounding of it (NULL: unknown), that it may be rounding; or a NaN.
ARNE_TEXT unsigned suspicious(int n, const real *D, int step, const double *least)
{
    real largest = r_num(0), smallest = r_num(INFINITY), sum = r_num(0), over = r_num(INFINITY);
    for (int k = 0; k < n; k++) {
        largest = larger_of(D[k * step], largest);
        smallest = smaller_of(D[k * step], smallest);
        sum = r_add(sum, D[k * step]); // of a NaN, a NaN
        if (least) over = smaller_of(r_sub(D[k * step], r_num(10 * least[k])), over);
    }
    return lanes_unless_larger(smallest, r_mul(largest, r_num(1e-10))) |
           lanes_unless_larger(sum, r_num(0)) | lanes_unless_larger(over, r_num(0));
}

#endif
