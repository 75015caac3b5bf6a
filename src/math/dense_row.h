// Rows of numbers: where matrices are worked on line by line, a register's width at a time.
#ifndef ARNE_MATH_DENSE_ROW_H
#define ARNE_MATH_DENSE_ROW_H

#include "math/real.h"

#ifdef ARNE_WIDE
typedef double    row4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double    row2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef long long bits __attribute__((vector_size(32)));
#define ARNE_ROW4(x) (*(row4 *)(void *)(x))
#define ARNE_ROW2(x) (*(row2 *)(void *)(x))
#endif

// Whether rows are worked on faster than single entries.
#ifdef ARNE_WIDE
enum { ROWS_PAY = 1 };
#else
enum { ROWS_PAY = 0 };
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

// to = from, four of them
ARNE_FN void row_copy4(const real *from, real *to)
{
#ifdef ARNE_WIDE
    ARNE_ROW4(to) = *(const row4 *)(const void *)from;
#else
    for (int c = 0; c < 4; c++)
        to[c] = from[c];
#endif
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

// rows[j * n + c] = 0, for six rows and first <= c < end. Stored as row_six will load them: what
// was stored piece by piece is slow to load as a whole.
ARNE_FN void rows_clear(int first, int end, int n, real *rows)
{
#ifdef ARNE_WIDE
    for (int c = first - first % 4; n >= 4 && c < end; c += 4) {
        const int  at = c + 4 <= n ? c : n - 4;
        const bits lane = {at, at + 1, at + 2, at + 3}, keep = (lane < first) | (lane >= end);
        for (int j = 0; j < 6; j++)
            ARNE_ROW4(rows + j * n + at) = (row4)((bits)ARNE_ROW4(rows + j * n + at) & keep);
    }
    if (n >= 4) return;
#endif
    for (int j = 0; j < 6; j++)
        for (int c = first; c < end; c++)
            rows[j * n + c] = r_num(0);
}

// out[c] = the sum of f[j] rows[j * n + c], for six rows and c < end. What is in up to three places
// from there to n is lost.
ARNE_FN void row_six(int end, int n, const real *f, const real *rows, real *out)
{
#ifdef ARNE_WIDE
    for (int c = 0; n >= 4 && c < end; c += 4) {
        const int   at = c + 4 <= n ? c : n - 4;
        const real *x = rows + at;
        const row4  p = ARNE_ROW4(x) * f[0] + ARNE_ROW4(x + 3 * n) * f[3];
        const row4  q = ARNE_ROW4(x + n) * f[1] + ARNE_ROW4(x + 4 * n) * f[4];
        const row4  s = ARNE_ROW4(x + 2 * n) * f[2] + ARNE_ROW4(x + 5 * n) * f[5];
        ARNE_ROW4(out + at) = p + q + s;
    }
    if (n >= 4) return;
#endif
    for (int c = 0; c < end; c++) {
        real sum = r_mul(f[0], rows[c]);
        for (int j = 1; j < 6; j++)
            sum = r_add_mul(sum, f[j], rows[j * n + c]);
        out[c] = sum;
    }
}

// Four by four at `from` turned over into `to`, both of rows of n.
ARNE_FN void turn_over_square(int n, const real *from, real *to)
{
#ifdef ARNE_WIDE
    const row4 a = ARNE_ROW4(from), b = ARNE_ROW4(from + n), c = ARNE_ROW4(from + 2 * n),
               d = ARNE_ROW4(from + 3 * n);
    const row4 ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6),
               ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const row4 cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6),
               cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    ARNE_ROW4(to) = __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5);
    ARNE_ROW4(to + n) = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5);
    ARNE_ROW4(to + 2 * n) = __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7);
    ARNE_ROW4(to + 3 * n) = __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
#else
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            to[j * n + i] = from[i * n + j];
#endif
}

// A symmetric matrix of which one triangle is there: entries (k, l) with k > l where `lower`, else
// those with k < l.
ARNE_FN void mirror_triangle(int n, int m, int lower, real *M)
{
    for (int i = 1; i < m; i++)
        for (int j = 0; j < i; j++)
            if (lower)
                M[j * n + i] = M[i * n + j];
            else
                M[i * n + j] = M[j * n + i];
}
ARNE_FN void matrix_mirror(int n, int lower, real *M)
{
    if (n < 4) mirror_triangle(n, n, lower, M);
    for (int row = 0; n >= 4 && row < n; row += 4) {
        const int k = row + 4 <= n ? row : n - 4; // the last four overlap those before
        for (int column = 0; column < k; column += 4) {
            const int l = column + 4 <= k ? column : k - 4;
            if (lower)
                turn_over_square(n, M + k * n + l, M + l * n + k);
            else
                turn_over_square(n, M + l * n + k, M + k * n + l);
        }
        mirror_triangle(n, 4, lower, M + k * (n + 1));
    }
}

// x += s y
ARNE_FN void row_add_scaled(int m, real *x, const real *y, real s)
{
    int c = 0;
#ifdef ARNE_WIDE
    for (; c + 4 <= m; c += 4)
        ARNE_ROW4(x + c) += *(const row4 *)(const void *)(y + c) * s;
#endif
    for (; c < m; c++)
        x[c] = r_add_mul(x[c], s, y[c]);
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
