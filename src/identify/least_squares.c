// Householder reflections, column by column.
#include "identify/least_squares.h"
#include <math.h>
#include <stddef.h>

static void least_squares_reflect(int rows, int k, const double *v, double norm, double *c)
{
    double sum = c[k];
    for (int i = k + 1; i < rows; i++)
        sum += v[i] * c[i];
    sum *= norm;
    c[k] -= sum;
    for (int i = k + 1; i < rows; i++)
        c[i] -= sum * v[i];
}

int least_squares(int rows, int columns, double *A, double *b, double *x)
{
    if (rows < columns) return 0;
    for (int k = 0; k < columns; k++) {
        double *v = A + (size_t)k * (size_t)rows, below = 0;
        for (int i = k + 1; i < rows; i++)
            below += v[i] * v[i];
        const double length = sqrt(v[k] * v[k] + below), to = v[k] > 0 ? -length : length;
        if (length == 0) return 0;
        const double first = v[k] - to, norm = -first / to;
        for (int i = k + 1; i < rows; i++)
            v[i] /= first;
        v[k] = to;
        for (int c = k + 1; c < columns; c++)
            least_squares_reflect(rows, k, v, norm, A + (size_t)c * (size_t)rows);
        least_squares_reflect(rows, k, v, norm, b);
    }
    for (int k = columns - 1; k >= 0; k--) {
        double sum = b[k];
        for (int c = k + 1; c < columns; c++)
            sum -= A[(size_t)c * (size_t)rows + (size_t)k] * x[c];
        x[k] = sum / A[(size_t)k * (size_t)rows + (size_t)k];
    }
    return 1;
}

void inverse_gram(int rows, int columns, const double *R, double *out, double *scratch)
{
    const size_t n = (size_t)columns;
    for (size_t c = 0; c < n; c++) // column c of R^-1, in row c of scratch
        for (size_t i = n; i-- > 0;) {
            double sum = i == c;
            for (size_t k = i + 1; k <= c && i <= c; k++)
                sum -= R[k * (size_t)rows + i] * scratch[c * n + k];
            scratch[c * n + i] = i > c ? 0 : sum / R[i * (size_t)rows + i];
        }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k <= i; k++) {
            double sum = 0;
            for (size_t c = i; c < n; c++)
                sum += scratch[c * n + i] * scratch[c * n + k];
            out[i * n + k] = out[k * n + i] = sum;
        }
}
