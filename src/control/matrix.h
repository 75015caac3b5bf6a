// C += sign A^T B for small matrices in padded rows: blocks of four rows of C and two registers.
// For sources that are compiled for several instruction sets.
#ifndef ARNE_CONTROL_MATRIX_H
#define ARNE_CONTROL_MATRIX_H

#include <string.h>

#ifdef __AVX512F__
enum { MATRIX_WIDTH = 8 };
typedef double matrix_row __attribute__((vector_size(64), aligned(8), may_alias));
#else
enum { MATRIX_WIDTH = 4 };
typedef double matrix_row __attribute__((vector_size(32), aligned(8), may_alias));
#endif
#define MATRIX_AT(x) (*(const matrix_row *)(const void *)(x))
#define MATRIX_PUT(x) (*(matrix_row *)(void *)(x))

// Four rows of C, two registers wide.
static inline void matrix_block_2(int k, const double *A, int lda, const double *B, int ldb,
                                  double *C, int ldc, double sign)
{
    matrix_row c00 = {0}, c01 = {0}, c10 = {0}, c11 = {0}, c20 = {0}, c21 = {0}, c30 = {0},
               c31 = {0};
    for (int m = 0; m < k; m++, A += lda, B += ldb) {
        const matrix_row b0 = MATRIX_AT(B), b1 = MATRIX_AT(B + MATRIX_WIDTH);
        c00 += A[0] * b0;
        c01 += A[0] * b1;
        c10 += A[1] * b0;
        c11 += A[1] * b1;
        c20 += A[2] * b0;
        c21 += A[2] * b1;
        c30 += A[3] * b0;
        c31 += A[3] * b1;
    }
    MATRIX_PUT(C) += sign * c00;
    MATRIX_PUT(C + MATRIX_WIDTH) += sign * c01;
    MATRIX_PUT(C + ldc) += sign * c10;
    MATRIX_PUT(C + ldc + MATRIX_WIDTH) += sign * c11;
    MATRIX_PUT(C + 2 * ldc) += sign * c20;
    MATRIX_PUT(C + 2 * ldc + MATRIX_WIDTH) += sign * c21;
    MATRIX_PUT(C + 3 * ldc) += sign * c30;
    MATRIX_PUT(C + 3 * ldc + MATRIX_WIDTH) += sign * c31;
}

static inline void matrix_block_1(int k, const double *A, int lda, const double *B, int ldb,
                                  double *C, int ldc, double sign)
{
    matrix_row c0 = {0}, c1 = {0}, c2 = {0}, c3 = {0};
    for (int m = 0; m < k; m++, A += lda, B += ldb) {
        const matrix_row b = MATRIX_AT(B);
        c0 += A[0] * b;
        c1 += A[1] * b;
        c2 += A[2] * b;
        c3 += A[3] * b;
    }
    MATRIX_PUT(C) += sign * c0;
    MATRIX_PUT(C + ldc) += sign * c1;
    MATRIX_PUT(C + 2 * ldc) += sign * c2;
    MATRIX_PUT(C + 3 * ldc) += sign * c3;
}

// Reads and writes rows up to a multiple of MATRIX_PAD, and rows of C up to a multiple of four.
static inline void matrix_product(int m, int n, int k, const double *A, int lda, const double *B,
                                  int ldb, double *C, int ldc, double sign, int lower)
{
    for (int i = 0; i < m; i += 4) {
        const int end = lower && i + 4 < n ? i + 4 : n;
        int       j = 0;
        for (; j + MATRIX_WIDTH < end; j += 2 * MATRIX_WIDTH)
            matrix_block_2(k, A + i, lda, B + j, ldb, C + i * ldc + j, ldc, sign);
        for (; j < end; j += MATRIX_WIDTH)
            matrix_block_1(k, A + i, lda, B + j, ldb, C + i * ldc + j, ldc, sign);
    }
}

// x += s y
static inline void matrix_row_add(int n, double *x, double s, const double *y)
{
    for (int j = 0; j < n; j += MATRIX_WIDTH)
        MATRIX_PUT(x + j) += s * MATRIX_AT(y + j);
}

static inline void matrix_row_scale(int n, double *x, double s)
{
    for (int j = 0; j < n; j += MATRIX_WIDTH)
        MATRIX_PUT(x + j) *= s;
}

// The same, and x = s y, without writing behind entry n.
static inline void matrix_row_add_exact(int n, double *x, double s, const double *y)
{
    int j = 0;
    for (; j + MATRIX_WIDTH <= n; j += MATRIX_WIDTH)
        MATRIX_PUT(x + j) += s * MATRIX_AT(y + j);
    for (; j < n; j++)
        x[j] += s * y[j];
}

static inline void matrix_row_set_exact(int n, double *x, double s, const double *y)
{
    int j = 0;
    for (; j + MATRIX_WIDTH <= n; j += MATRIX_WIDTH)
        MATRIX_PUT(x + j) = s * MATRIX_AT(y + j);
    for (; j < n; j++)
        x[j] = s * y[j];
}

static inline double matrix_row_dot(int n, const double *x, const double *y)
{
    matrix_row sum = {0};
    double     rest = 0;
    int        j = 0;
    for (; j + MATRIX_WIDTH <= n; j += MATRIX_WIDTH)
        sum += MATRIX_AT(x + j) * MATRIX_AT(y + j);
    for (; j < n; j++)
        rest += x[j] * y[j];
    for (j = 0; j < MATRIX_WIDTH; j++)
        rest += sum[j];
    return rest;
}

#endif
