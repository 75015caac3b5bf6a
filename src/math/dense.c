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

static void dense_swap_rows(int count, double *a, double *b)
{
    for (int i = 0; i < count; i++) {
        const double kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

int dense_eliminate(int n, double *A, int columns, double *X, double part)
{
    for (int k = 0; k < n; k++) {
        int    best = k;
        double largest = 0;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
        for (int i = k; i < n && part > 0; i++)
            largest = fmax(largest, fabs(A[best * n + i]));
        if (!(fabs(A[best * n + k]) > part * largest)) return 0;
        if (best != k) {
            dense_swap_rows(n - k, A + k * n + k, A + best * n + k);
            dense_swap_rows(columns, X + k * columns, X + best * columns);
        }
        for (int i = k + 1; i < n; i++) {
            const double factor = A[i * n + k] / A[k * n + k];
            if (factor == 0) continue;
            for (int c = k + 1; c < n; c++)
                A[i * n + c] -= factor * A[k * n + c];
            for (int c = 0; c < columns; c++)
                X[i * columns + c] -= factor * X[k * columns + c];
        }
    }
    for (int k = n - 1; k >= 0; k--)
        for (int c = 0; c < columns; c++) {
            for (int i = k + 1; i < n; i++)
                X[k * columns + c] -= A[k * n + i] * X[i * columns + c];
            X[k * columns + c] /= A[k * n + k];
        }
    return 1;
}

// The rotation that makes the entry (p, q) zero.
static void rotate3(double A[3][3], double V[3][3], int p, int q)
{
    const double theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
    const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 3; k++) {
        const double x = A[k][p], y = A[k][q], f = V[k][p], g = V[k][q];
        A[k][p] = c * x - s * y;
        A[k][q] = s * x + c * y;
        V[k][p] = c * f - s * g;
        V[k][q] = s * f + c * g;
    }
    for (int k = 0; k < 3; k++) {
        const double x = A[p][k], y = A[q][k];
        A[p][k] = c * x - s * y;
        A[q][k] = s * x + c * y;
    }
}

void dense_diagonalise3(double A[3][3], double V[3][3])
{
    const double little = 1e-16 * (fabs(A[0][0]) + fabs(A[1][1]) + fabs(A[2][2]));
    for (int i = 0; i < 9; i++)
        V[i / 3][i % 3] = i / 3 == i % 3;
    for (int sweep = 0; sweep < 12; sweep++)
        for (int k = 0; k < 3; k++) {
            const int p = k == 2, q = k ? 2 : 1; // (0, 1), (0, 2), (1, 2)
            if (fabs(A[p][q]) > little) rotate3(A, V, p, q);
        }
}

int dense_rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
