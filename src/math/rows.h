// Six rows of numbers, one column per velocity coordinate: how many twists stand side by side. Rows are padded, so that
// whole registers may be read and written past the last column.
#ifndef ARNE_MATH_ROWS_H
#define ARNE_MATH_ROWS_H

#include "math/spatial.h"

enum { ARNE_ROW_BLOCK = 4 };

ARNE_FN int row_stride(int n) { return (n + ARNE_ROW_BLOCK - 1) / ARNE_ROW_BLOCK * ARNE_ROW_BLOCK; }

ARNE_FN void put_column(real *rows, int stride, int k, motion c)
{
    rows[0 * stride + k] = vx(c.lin);
    rows[1 * stride + k] = vy(c.lin);
    rows[2 * stride + k] = vz(c.lin);
    rows[3 * stride + k] = vx(c.ang);
    rows[4 * stride + k] = vy(c.ang);
    rows[5 * stride + k] = vz(c.ang);
}

#ifdef ARNE_WIDE
typedef vec3 row_block; // here all four lanes count
#define ARNE_ROW_STEP 4
ARNE_FN row_block row_load(const real *x) { return *(const row_block *)(const void *)x; }
ARNE_FN void row_store(real *x, row_block v) { *(row_block *)(void *)x = v; }
#else
typedef real row_block;
#define ARNE_ROW_STEP 1
ARNE_FN row_block row_load(const real *x) { return *x; }
ARNE_FN void row_store(real *x, row_block v) { *x = v; }
#endif

ARNE_FN row_block row_mul(row_block x, real c)
{
#ifdef ARNE_WIDE
    return x * c;
#else
    return r_mul(x, c);
#endif
}
ARNE_FN row_block row_fma(row_block sum, row_block x, real c)
{
#ifdef ARNE_WIDE
    return sum + x * c;
#else
    return r_fma(sum, x, c);
#endif
}

// out_l = f . column l, for columns first to last (and perhaps a few beside them).
ARNE_FN void rows_dot(const real *rows, int stride, const force *f, int first, int last, real *out)
{
    const real fx = vx(f->lin), fy = vy(f->lin), fz = vz(f->lin), nx = vx(f->ang), ny = vy(f->ang), nz = vz(f->ang);
    for (int l = first / ARNE_ROW_STEP * ARNE_ROW_STEP; l <= last; l += ARNE_ROW_STEP) {
        const real *x = rows + l;
        row_block   lin = row_mul(row_load(x), fx), ang = row_mul(row_load(x + 3 * stride), nx);
        lin = row_fma(row_fma(lin, row_load(x + stride), fy), row_load(x + 2 * stride), fz);
        ang = row_fma(row_fma(ang, row_load(x + 4 * stride), ny), row_load(x + 5 * stride), nz);
#ifdef ARNE_WIDE
        row_store(out + l, lin + ang);
#else
        row_store(out + l, r_add(lin, ang));
#endif
    }
}

#endif
