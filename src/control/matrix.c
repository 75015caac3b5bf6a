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

KERNEL(void, matrix_add_plain,
       (const arne_robot *robot, int m, int n, int k, double s, const double *A, const double *B,
        double *C),
       (robot, m, n, k, s, A, B, C))
{
    (void)robot;
    for (int i = 0; i < m; i++)
        for (int l = 0; l < k; l++)
            matrix_row_add_exact(n, C + i * n, s * A[i * k + l], B + l * n);
}

KERNEL(void, matrix_add_turned,
       (const arne_robot *robot, int m, int n, int k, const double *A, const double *B, double *C),
       (robot, m, n, k, A, B, C))
{
    (void)robot;
    for (int i = 0; i < m; i++)
        for (int l = 0; l < k; l++)
            matrix_row_add_exact(n, C + i * n, A[l * m + i], B + l * n);
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
