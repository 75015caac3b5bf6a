// Sine and cosine of several angles at once.
//
// x = k pi/2 + r with |r| <= pi/4: pi/2 is split in three parts of 33, 33 and 53 bits, so that k
// times the first two is exact for |k| < 2^20, and polynomials of degree 13 and 14 do the rest (the
// minimax coefficients of Sun's fdlibm, k_sin.c and k_cos.c). The error is below 2 units in the
// last place for |x| <= 1e6. Larger angles, infinities and NaN are rare and go to libm.
#ifndef ARNE_MATH_SINCOS_H
#define ARNE_MATH_SINCOS_H

#include <math.h>

#if defined ARNE_SCALAR
#define ARNE_SINCOS_WIDTH 1
#elif defined __AVX__
#define ARNE_SINCOS_WIDTH 4
#else
#define ARNE_SINCOS_WIDTH 2
#endif
typedef double sincos_wide_vector
    __attribute__((vector_size(ARNE_SINCOS_WIDTH * 8), aligned(8), may_alias));
typedef long long sincos_wide_bits __attribute__((vector_size(ARNE_SINCOS_WIDTH * 8), may_alias));

#define ARNE_SINCOS_LIMIT_BITS 0x412e848000000000 // of 1e6

// For a vector type V of N doubles and B of N long longs, defines sincos_NAME(V x, V *s, V *c), and
// what it is made of: sincos_NAME_near, which returns a number that is not zero in lanes that are
// too large for it, and sincos_NAME_far.
#define ARNE_DEFINE_SINCOS(NAME, V, B, N)                                                          \
    static inline __attribute__((always_inline, unused)) B sincos_##NAME##_near(V x, V *s, V *c)   \
    {                                                                                              \
        const double round = 6755399441055744.0; /* 1.5 * 2^52: adding it rounds to an integer */  \
        const V      k_raw = x * 0.63661977236758134308 + round;                                   \
        const B      k_bits = (B)k_raw;                                                            \
        const V      k = k_raw - round;                                                            \
        const V      r = ((x - k * 1.57079632673412561417e+00) - k * 6.07710050630396597660e-11) - \
                    k * 2.02226624879595063154e-21;                                                \
        const V r2 = r * r;                                                                        \
        const V ps = r + r * r2 *                                                                  \
                             (-1.66666666666666324348e-01 +                                        \
                              r2 * (8.33333333332248946124e-03 +                                   \
                                    r2 * (-1.98412698298579493134e-04 +                            \
                                          r2 * (2.75573137070700676789e-06 +                       \
                                                r2 * (-2.50507602534068634195e-08 +                \
                                                      r2 * 1.58969099521155010221e-10)))));        \
        const V pc = 1.0 - 0.5 * r2 +                                                              \
                     r2 * r2 *                                                                     \
                         (4.16666666666666019037e-02 +                                             \
                          r2 * (-1.38888888888741095749e-03 +                                      \
                                r2 * (2.48015872894767294178e-05 +                                 \
                                      r2 * (-2.75573143513906633035e-07 +                          \
                                            r2 * (2.08757232129817482790e-09 +                     \
                                                  r2 * -1.13596475577881948265e-11)))));           \
        const B swap = ((B)ps ^ (B)pc) & -(k_bits & 1); /* where k is odd */                       \
        *s = (V)((B)ps ^ swap ^ ((k_bits & 2) << 62));                                             \
        *c = (V)((B)pc ^ swap ^ (((k_bits + 1) & 2) << 62));                                       \
        /* of its bits without the sign, those of an infinity and of a NaN are the largest */      \
        return ((B)x & 0x7fffffffffffffff) > ARNE_SINCOS_LIMIT_BITS;                               \
    }                                                                                              \
    static                                                                                         \
        __attribute__((noinline, cold, unused)) void sincos_##NAME##_far(const V *x, V *s, V *c)   \
    {                                                                                              \
        for (int i = 0; i < (N); i++) {                                                            \
            (*s)[i] = sin((*x)[i]);                                                                \
            (*c)[i] = cos((*x)[i]);                                                                \
        }                                                                                          \
    }                                                                                              \
    static inline __attribute__((always_inline, unused)) int sincos_##NAME##_any(B lanes)          \
    {                                                                                              \
        long long any = 0;                                                                         \
        for (int i = 0; i < (N); i++)                                                              \
            any |= lanes[i];                                                                       \
        return any != 0;                                                                           \
    }                                                                                              \
    static inline __attribute__((unused)) void sincos_##NAME(V x, V *s, V *c)                      \
    {                                                                                              \
        const B far = sincos_##NAME##_near(x, s, c);                                               \
        if (__builtin_expect(sincos_##NAME##_any(far), 0)) sincos_##NAME##_far(&x, s, c);          \
    }

#endif
