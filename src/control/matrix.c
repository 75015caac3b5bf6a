// Products of small matrices for the other files of this folder, for all instruction sets.
#include "control/matrix.h"
#include "control/oc.h"
#include "robot/kernel.h"

KERNEL(void, matrix_add_product,
       (const arne_robot *robot, int m, int n, int k, const double *A, int lda, const double *B,
        int ldb, double *C, int ldc, double sign, int lower),
       (robot, m, n, k, A, lda, B, ldb, C, ldc, sign, lower))
{
    (void)robot;
    matrix_product(m, n, k, A, lda, B, ldb, C, ldc, sign, lower);
}

// Four rows of C, one register wide, or only the last `lanes` of it: s sum of a(i, l) B_l, where
// a(i, l) is at A[i row + l step].
static inline void add_four(int rows, int n, int k, double s, const double *A, int row, int step,
                            const double *B, double *C, int lanes)
{
    matrix_row c0 = {0}, c1 = {0}, c2 = {0}, c3 = {0};
    const int  r1 = rows > 1 ? row : 0, r2 = rows > 2 ? 2 * row : 0, r3 = rows > 3 ? 3 * row : 0;
    for (int l = 0; l < k; l++, A += step, B += n) {
        const matrix_row b = MATRIX_AT(B);
        c0 += A[0] * b;
        c1 += A[r1] * b;
        c2 += A[r2] * b;
        c3 += A[r3] * b;
    }
    const matrix_row all[4] = {s * c0, s * c1, s * c2, s * c3};
    for (int i = 0; i < rows; i++)
        if (lanes == MATRIX_WIDTH)
            MATRIX_PUT(C + i * n) += all[i];
        else
            for (int j = MATRIX_WIDTH - lanes; j < MATRIX_WIDTH; j++)
                C[i * n + j] += all[i][j];
}

static void add_strided(int m, int n, int k, double s, const double *A, int row, int step,
                        const double *B, double *C)
{
    if (n < MATRIX_WIDTH) {
        for (int i = 0; i < m; i++)
            for (int l = 0; l < k; l++)
                matrix_row_add_exact(n, C + i * n, s * A[i * row + l * step], B + l * n);
        return;
    }
    for (int i = 0; i < m; i += 4) {
        const int rows = m - i < 4 ? m - i : 4;
        int       j = 0;
        for (; j + MATRIX_WIDTH <= n; j += MATRIX_WIDTH)
            add_four(rows, n, k, s, A + i * row, row, step, B + j, C + i * n + j, MATRIX_WIDTH);
        if (j < n) // the last register reaches back over what is done
            add_four(rows, n, k, s, A + i * row, row, step, B + n - MATRIX_WIDTH,
                     C + i * n + n - MATRIX_WIDTH, n - j);
    }
}

KERNEL(void, matrix_add_plain,
       (const arne_robot *robot, int m, int n, int k, double s, const double *A, const double *B,
        double *C),
       (robot, m, n, k, s, A, B, C))
{
    (void)robot;
    add_strided(m, n, k, s, A, k, 1, B, C);
}

KERNEL(void, matrix_add_turned,
       (const arne_robot *robot, int m, int n, int k, const double *A, const double *B, double *C),
       (robot, m, n, k, A, B, C))
{
    (void)robot;
    add_strided(m, n, k, 1, A, 1, m, B, C);
}

KERNEL(void, matrix_gram,
       (const arne_robot *robot, int m, int k, const double *A, const double *B, double *C),
       (robot, m, k, A, B, C))
{
    (void)robot;
    for (int i = 0; i < m; i++)
        for (int j = 0; j <= i; j++)
            C[i * m + j] = C[j * m + i] = matrix_row_dot(k, A + i * k, B + j * k);
}

KERNEL(void, matrix_solve_rows, (const arne_robot *robot, int m, int n, const double *L, double *X),
       (robot, m, n, L, X))
{
    (void)robot;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < i; j++)
            matrix_row_add_exact(n, X + i * n, -L[i * m + j], X + j * n);
        matrix_row_set_exact(n, X + i * n, 1 / L[i * m + i], X + i * n);
    }
    for (int i = m - 1; i >= 0; i--) {
        for (int j = i + 1; j < m; j++)
            matrix_row_add_exact(n, X + i * n, -L[j * m + i], X + j * n);
        matrix_row_set_exact(n, X + i * n, 1 / L[i * m + i], X + i * n);
    }
}
