#include "math/dense.h"
#include <math.h>

int dense_factor(int n, double *A, double part)
{
    for (int i = 0; i < n; i++) {
        const double whole = A[i * n + i];
        for (int j = 0; j <= i; j++) {
            double sum = A[i * n + j];
            for (int k = 0; k < j; k++)
                sum -= A[i * n + k] * A[j * n + k];
            if (j < i)
                A[i * n + j] = sum / A[j * n + j];
            else if (sum > part * whole)
                A[i * n + i] = sqrt(sum);
            else
                return 0;
        }
    }
    return 1;
}

void dense_solve(int n, const double *L, double *x)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            x[i] -= L[i * n + k] * x[k];
        x[i] /= L[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            x[i] -= L[k * n + i] * x[k];
        x[i] /= L[i * n + i];
    }
}
