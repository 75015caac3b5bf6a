// Rows of numbers.
#ifndef ARNE_MATH_ROW_H
#define ARNE_MATH_ROW_H

#include "math/real.h"

// x -= s y, over m numbers.
ARNE_FN void row_sub_scaled(int m, real *x, const real *y, real s)
{
    int c = 0;
#ifdef ARNE_WIDE
    typedef double block __attribute__((vector_size(32), aligned(8), may_alias));
    for (; c + 4 <= m; c += 4) {
        block *to = (block *)(void *)(x + c);
        *to = *to - *(const block *)(const void *)(y + c) * s;
    }
#endif
    for (; c < m; c++)
        x[c] = r_fms(x[c], s, y[c]);
}

#endif
