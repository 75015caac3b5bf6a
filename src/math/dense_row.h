// Rows of numbers: where matrices are worked on line by line, a register's width at a time.
#ifndef ARNE_MATH_DENSE_ROW_H
#define ARNE_MATH_DENSE_ROW_H

#include "math/real.h"

#ifdef ARNE_WIDE
typedef double row4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double row2 __attribute__((vector_size(16), aligned(8), may_alias));
#define ARNE_ROW4(x) (*(row4 *)(void *)(x))
#define ARNE_ROW2(x) (*(row2 *)(void *)(x))
#endif

ARNE_FN void row_zero(int m, real *x)
{
    int c = 0;
#ifdef ARNE_WIDE
    const row4 zero = {0, 0, 0, 0};
    for (; c + 4 <= m; c += 4)
        ARNE_ROW4(x + c) = zero;
#endif
    for (; c < m; c++)
        x[c] = r_num(0);
}

// x *= s
ARNE_FN void row_scale(int m, real *x, real s)
{
    int c = 0;
#ifdef ARNE_WIDE
    for (; c + 4 <= m; c += 4)
        ARNE_ROW4(x + c) *= s;
#endif
    for (; c < m; c++)
        x[c] = r_mul(x[c], s);
}

// x -= s y
ARNE_FN void row_sub_scaled(int m, real *x, real *y, real s)
{
    int c = 0;
#ifdef ARNE_WIDE
    for (; c + 4 <= m; c += 4)
        ARNE_ROW4(x + c) -= ARNE_ROW4(y + c) * s;
    for (; c + 2 <= m; c += 2)
        ARNE_ROW2(x + c) -= ARNE_ROW2(y + c) * s;
#endif
    for (; c < m; c++)
        x[c] = r_sub_mul(x[c], s, y[c]);
}

#endif
