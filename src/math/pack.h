// Some numbers side by side: the columns of a matrix that are worked on at once, two registers full
// where registers are known, else one.
#ifndef ARNE_MATH_PACK_H
#define ARNE_MATH_PACK_H

#include "math/real.h"

#ifdef ARNE_WIDE

#ifdef __AVX512F__
enum { PACK_HALF = 8 };
#else
enum { PACK_HALF = 4 };
#endif
enum { PACK = 2 * PACK_HALF };
typedef double pack_half __attribute__((vector_size(PACK_HALF * 8)));
typedef double pack_half_anywhere
    __attribute__((vector_size(PACK_HALF * 8), aligned(8), may_alias));
typedef struct pack {
    pack_half a, b;
} pack;

ARNE_FN pack pack_zero(void)
{
    const pack p = {{0}, {0}};
    return p;
}
ARNE_FN pack pack_load(const real *x)
{
    pack p;
    p.a = *(const pack_half_anywhere *)(const void *)x;
    p.b = *(const pack_half_anywhere *)(const void *)(x + PACK_HALF);
    return p;
}
ARNE_FN void pack_store(real *x, pack p)
{
    *(pack_half_anywhere *)(void *)x = p.a;
    *(pack_half_anywhere *)(void *)(x + PACK_HALF) = p.b;
}
ARNE_FN pack pack_add(pack p, pack q)
{
    p.a += q.a;
    p.b += q.b;
    return p;
}
ARNE_FN pack pack_scale(pack p, real s)
{
    p.a *= s;
    p.b *= s;
    return p;
}
// p + s q and p - s q
ARNE_FN pack pack_add_scaled(pack p, pack q, real s)
{
    p.a += q.a * s;
    p.b += q.b * s;
    return p;
}
ARNE_FN pack pack_sub_scaled(pack p, pack q, real s)
{
    p.a -= q.a * s;
    p.b -= q.b * s;
    return p;
}

// One of the two.
ARNE_FN pack_half half_load(const real *x) { return *(const pack_half_anywhere *)(const void *)x; }
ARNE_FN void      half_store(real *x, pack_half p) { *(pack_half_anywhere *)(void *)x = p; }
ARNE_FN pack_half half_zero(void) { return pack_zero().a; }
ARNE_FN pack_half half_sub_scaled(pack_half p, pack_half q, real s) { return p - q * s; }

#else

enum { PACK = 1, PACK_HALF = 1 };
typedef real pack;
typedef real pack_half;

ARNE_FN pack_half half_load(const real *x) { return *x; }
ARNE_FN void      half_store(real *x, pack_half p) { *x = p; }
ARNE_FN pack_half half_zero(void) { return r_num(0); }
ARNE_FN pack_half half_sub_scaled(pack_half p, pack_half q, real s) { return r_sub_mul(p, q, s); }

ARNE_FN pack pack_zero(void) { return r_num(0); }
ARNE_FN pack pack_load(const real *x) { return *x; }
ARNE_FN void pack_store(real *x, pack p) { *x = p; }
ARNE_FN pack pack_add(pack p, pack q) { return r_add(p, q); }
ARNE_FN pack pack_scale(pack p, real s) { return r_mul(p, s); }
ARNE_FN pack pack_add_scaled(pack p, pack q, real s) { return r_add_mul(p, q, s); }
ARNE_FN pack pack_sub_scaled(pack p, pack q, real s) { return r_sub_mul(p, q, s); }

#endif

#endif
