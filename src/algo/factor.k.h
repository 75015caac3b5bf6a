// M = L^T D L with the sparsity of the tree (Featherstone 2005): L is unit lower triangular and has
// entries only where a column's ancestors are. `above` gives the ancestor of each column.
#ifndef ARNE_ALGO_FACTOR_K_H
#define ARNE_ALGO_FACTOR_K_H

#include "math/dense_row.h"
#include "math/real.h"

ARNE_TEXT void factor(int n, const int *above, real *M)
{
    for (int k = n - 1; k >= 0; k--) {
        const real inverse = r_div(r_num(1), M[k * n + k]);
        for (int i = above[k]; i >= 0; i = above[i]) {
            const real l = r_mul(M[k * n + i], inverse);
            for (int j = i; j >= 0; j = above[j])
                M[i * n + j] = r_sub_mul(M[i * n + j], l, M[k * n + j]);
            M[k * n + i] = l;
        }
    }
}

ARNE_TEXT void factor_solve(int n, const int *above, const real *L, real *x)
{
    for (int k = n - 1; k >= 0; k--)
        for (int i = above[k]; i >= 0; i = above[i])
            x[i] = r_sub_mul(x[i], L[k * n + i], x[k]);
    for (int k = 0; k < n; k++)
        x[k] = r_div(x[k], L[k * n + k]);
    for (int k = 0; k < n; k++)
        for (int i = above[k]; i >= 0; i = above[i])
            x[k] = r_sub_mul(x[k], L[k * n + i], x[i]);
}

// X = M^-1 X for a matrix of n rows and m columns, row by row.
ARNE_TEXT void factor_solve_rows(int n, const int *above, const real *L, int m, real *X)
{
    for (int k = n - 1; k >= 0; k--)
        for (int i = above[k]; i >= 0; i = above[i])
            row_sub_scaled(m, X + i * m, X + k * m, L[k * n + i]);
    for (int k = 0; k < n; k++) {
        row_scale(m, X + k * m, r_div(r_num(1), L[k * n + k]));
        for (int i = above[k]; i >= 0; i = above[i])
            row_sub_scaled(m, X + k * m, X + i * m, L[k * n + i]);
    }
}

ARNE_TEXT void factor_invert(int n, const int *above, const real *L, real *inverse)
{
    row_zero(n * n, inverse);
    for (int k = 0; k < n; k++)
        inverse[k * n + k] = r_num(1);
    factor_solve_rows(n, above, L, n, inverse);
}

#endif
