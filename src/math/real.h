// The arithmetics. This file, and sincos.h beside it, are the only ones that know what a `real` is.
//
// An algorithm text is compiled once for each arithmetic, chosen by a macro before the first
// include:
//     (none)           double; three-vectors take a vector register where the machine has one that
//                      is wide enough
//     ARNE_SCALAR      double, one number at a time whatever the machine: what vector code is
//                      measured against
//     ARNE_COMPLEX     double _Complex: the imaginary part carries a derivative, exact to the last
//                      digit
//     ARNE_LANES=N     N states side by side in one vector register
//     ARNE_RECORD      every operation is a call: counted, and written as C by src/codegen
//     ARNE_JET         a number with its first and second rates: what moves, moves on by the chain
//                      rule
// Branches in the texts depend on the robot, never on a real.
#ifndef ARNE_MATH_REAL_H
#define ARNE_MATH_REAL_H

#include <arne/types.h>
#include <math.h>

// Small pieces, which must vanish into the recursions that use them, and the recursions themselves.
// Recording, and builds that look for faults, have no hurry: there the pieces may stay calls, which
// compile in a fifth of the time.
#if defined ARNE_RECORD || defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#undef ARNE_UNHURRIED
#define ARNE_UNHURRIED
#endif
#if defined ARNE_UNHURRIED
#define ARNE_FN static inline __attribute__((unused))
#define ARNE_TEXT static inline __attribute__((unused))
#else
#define ARNE_FN static inline __attribute__((always_inline, unused))
#define ARNE_TEXT static inline __attribute__((unused))
#endif

#if defined ARNE_RECORD

// A number, and where it comes from: the operation `node` of a tape. A constant is on no tape, so
// that operations on constants alone, and those with an exact zero or one, vanish: what is recorded
// is what this robot needs.
struct tape;
typedef struct real {
    double       value;
    struct tape *tape;
    int          node;
} real;
real r_num(double x);
real r_add(real a, real b);
real r_sub(real a, real b);
real r_mul(real a, real b);
real r_div(real a, real b);
real r_neg(real a);
real r_sqrt(real a);
real r_sign(real a);
void r_sincos_many(int count, const real *x, real *s, real *c);
// Sine and cosine of an angle become those of an angle that is larger by a constant.
void r_sincos_shift(real *s, real *c, double by);

#elif defined ARNE_COMPLEX

#include <complex.h>
#undef I // an inertia in the texts
typedef double _Complex real;
ARNE_FN real r_num(double x) { return x; }
ARNE_FN real r_sqrt(real a) { return csqrt(a); }
ARNE_FN real r_sign(real a) { return (double)((creal(a) > 0) - (creal(a) < 0)); }
ARNE_FN real r_floor(real a) { return floor(creal(a)); }
ARNE_FN void r_sincos_many(int count, const real *x, real *s, real *c)
{
    for (int i = 0; i < count; i++) {
        s[i] = csin(x[i]);
        c[i] = ccos(x[i]);
    }
}

#elif defined ARNE_JET

typedef struct real {
    double x, d, dd;
} real;
ARNE_FN real r_jet(double x, double d, double dd)
{
    const real a = {x, d, dd};
    return a;
}
ARNE_FN real r_num(double x) { return r_jet(x, 0, 0); }
ARNE_FN real r_add(real a, real b) { return r_jet(a.x + b.x, a.d + b.d, a.dd + b.dd); }
ARNE_FN real r_sub(real a, real b) { return r_jet(a.x - b.x, a.d - b.d, a.dd - b.dd); }
ARNE_FN real r_neg(real a) { return r_jet(-a.x, -a.d, -a.dd); }
ARNE_FN real r_mul(real a, real b)
{
    return r_jet(a.x * b.x, a.d * b.x + a.x * b.d, a.dd * b.x + 2 * a.d * b.d + a.x * b.dd);
}
ARNE_FN real r_div(real a, real b)
{
    const double x = a.x / b.x, d = (a.d - x * b.d) / b.x;
    return r_jet(x, d, (a.dd - 2 * d * b.d - x * b.dd) / b.x);
}
ARNE_FN real r_sqrt(real a)
{
    const double x = sqrt(a.x), d = 0.5 * a.d / x;
    return r_jet(x, d, (0.5 * a.dd - d * d) / x);
}
ARNE_FN real r_sign(real a) { return r_num((a.x > 0) - (a.x < 0)); }
ARNE_FN real r_floor(real a) { return r_num(floor(a.x)); }
ARNE_FN void r_sincos_many(int count, const real *x, real *s, real *c)
{
    for (int i = 0; i < count; i++) {
        const double sine = sin(x[i].x), cosine = cos(x[i].x), d2 = x[i].d * x[i].d;
        s[i] = r_jet(sine, cosine * x[i].d, cosine * x[i].dd - sine * d2);
        c[i] = r_jet(cosine, -sine * x[i].d, -sine * x[i].dd - cosine * d2);
    }
}

#elif defined ARNE_LANES

#include "math/sincos.h"
typedef double    real __attribute__((vector_size(ARNE_LANES * sizeof(double))));
typedef long long real_bits __attribute__((vector_size(ARNE_LANES * sizeof(long long))));
ARNE_DEFINE_SINCOS(lanes, real, real_bits, ARNE_LANES)
ARNE_FN real r_num(double x)
{
    const real zero = {0};
    return x - zero; // in every lane; unlike a sum with zero it costs nothing
}
ARNE_FN real r_sqrt(real a)
{
    for (int i = 0; i < ARNE_LANES; i++)
        a[i] = sqrt(a[i]);
    return a;
}
ARNE_FN real r_sign(real a)
{
    const real      zero = {0};
    const real_bits step = (a < zero) - (a > zero); // a comparison is -1 where it holds
    return __builtin_convertvector(step, real);
}
ARNE_FN real r_floor(real a)
{
    for (int i = 0; i < ARNE_LANES; i++)
        a[i] = floor(a[i]);
    return a;
}
// Lanes are looked at across only once for all angles.
ARNE_FN void r_sincos_many(int count, const real *x, real *s, real *c)
{
    real_bits far = {0};
    for (int i = 0; i < count; i++)
        far |= sincos_lanes_near(x[i], &s[i], &c[i]);
    if (__builtin_expect(!sincos_lanes_any(far), 1)) return;
    for (int i = 0; i < count; i++)
        sincos_lanes(x[i], &s[i], &c[i]);
}

#else

#include "math/sincos.h"
typedef double real;
#if defined __AVX2__ && defined __FMA__ && !defined ARNE_SCALAR
#define ARNE_WIDE // three-vectors fit one register
#endif
ARNE_FN real   r_num(double x) { return x; }
ARNE_FN real   r_sqrt(real a) { return sqrt(a); }
ARNE_FN real   r_sign(real a) { return (double)((a > 0) - (a < 0)); }
ARNE_FN real   r_floor(real a) { return floor(a); }
ARNE_DEFINE_SINCOS(wide, sincos_wide_vector, sincos_wide_bits, ARNE_SINCOS_WIDTH)
// Blocks of a register's width; the last one overlaps the one before, so that nothing has to be
// copied.
ARNE_FN void r_sincos_many(int count, const real *x, real *s, real *c)
{
    enum { N = ARNE_SINCOS_WIDTH };
    if (count < N) {
        real few[N] = {0}, s_few[N], c_few[N];
        for (int i = 0; i < count; i++)
            few[i] = x[i];
        sincos_wide(*(const sincos_wide_vector *)(const void *)few,
                    (sincos_wide_vector *)(void *)s_few, (sincos_wide_vector *)(void *)c_few);
        for (int i = 0; i < count; i++) {
            s[i] = s_few[i];
            c[i] = c_few[i];
        }
        return;
    }
    for (int i = 0; i < count; i += N) {
        const int at = i + N <= count ? i : count - N;
        sincos_wide(*(const sincos_wide_vector *)(const void *)(x + at),
                    (sincos_wide_vector *)(void *)(s + at), (sincos_wide_vector *)(void *)(c + at));
    }
}

#endif

#if !defined ARNE_RECORD && !defined ARNE_JET
ARNE_FN real                         r_add(real a, real b) { return a + b; }
ARNE_FN real                         r_sub(real a, real b) { return a - b; }
ARNE_FN real                         r_mul(real a, real b) { return a * b; }
ARNE_FN real                         r_div(real a, real b) { return a / b; }
ARNE_FN real                         r_neg(real a) { return -a; }
#endif

#if defined    ARNE_JET
ARNE_FN double r_value(real a) { return a.x; }
#elif !defined ARNE_RECORD && !defined ARNE_COMPLEX && !defined ARNE_LANES
ARNE_FN double r_value(real a) { return a; }
#endif

// max(a, 0), and the larger of two. A maximum needs no operation of its own: it is a sign and a
// product.
ARNE_FN real r_positive(real a) { return r_mul(r_num(0.5), r_add(a, r_mul(a, r_sign(a)))); }
ARNE_FN real r_larger(real a, real b) { return r_add(b, r_positive(r_sub(a, b))); }

// a + b c and a - b c.
ARNE_FN real r_add_mul(real a, real b, real c) { return r_add(a, r_mul(b, c)); }
ARNE_FN real r_sub_mul(real a, real b, real c) { return r_sub(a, r_mul(b, c)); }

// As many angles as r_sincos_many takes in the time of one.
#if defined ARNE_SINCOS_WIDTH && !defined ARNE_LANES
enum { SINCOS_AT_ONCE = ARNE_SINCOS_WIDTH };
#else
enum { SINCOS_AT_ONCE = 1 };
#endif

ARNE_FN real r_size(real a) { return r_mul(a, r_sign(a)); }

// A sum of a few terms whose sizes add up to `size`. What is left where they cancel is rounding,
// and differs from one arithmetic to another: it becomes an exact zero, since a number below four
// units in the last place of `size` is lost beside eight times `size`. (Eight times is exact, fused
// or not.)
ARNE_FN real r_settled(real sum, real size)
{
    const real large = r_mul(r_num(8), size);
    return r_sub(r_add(sum, large), large);
}

#endif
