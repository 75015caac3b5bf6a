#include "math/rank.h"
#include <math.h>

// ---- QR ----

static double column_length(const dense_qr *f, int from, int column)
{
    double sum = 0;
    for (int i = from; i < f->rows; i++)
        sum += f->A[i * f->columns + column] * f->A[i * f->columns + column];
    return sqrt(sum);
}

// The longest column from `k` on that may be taken; -1 where all that is left is shorter than the
// least.
static int next_pivot(dense_qr *f, const unsigned char *late, int k, double least)
{
    for (int turn = f->early < f->most_early ? 0 : 1; turn < 2; turn++) {
        int    best = -1;
        double length = 0;
        for (int j = k; j < f->columns; j++) {
            if ((late ? late[f->pivot[j]] != 0 : 0) != turn) continue;
            const double here = column_length(f, k, j);
            if (best < 0 || here > length) {
                best = j;
                length = here;
            }
        }
        if (turn == 0) f->left = best < 0 ? 0 : length;
        if (best >= 0 && length > least) return best;
    }
    return -1;
}

static void swap_columns(dense_qr *f, int a, int b)
{
    const int pivot = f->pivot[a];
    f->pivot[a] = f->pivot[b];
    f->pivot[b] = pivot;
    for (int i = 0; a != b && i < f->rows; i++) {
        double      *row = f->A + i * f->columns;
        const double x = row[a];
        row[a] = row[b];
        row[b] = x;
    }
}

// Column k becomes a multiple of e_k; the reflection is kept below the diagonal, with its first
// entry 1.
static void rank_reflect(dense_qr *f, int k)
{
    const int    n = f->columns;
    double      *a = f->A;
    const double length = column_length(f, k, k), head = a[k * n + k];
    const double diagonal = head > 0 ? -length : length;
    f->diagonal[k] = diagonal;
    f->scale[k] = (diagonal - head) / diagonal;
    for (int i = k + 1; i < f->rows; i++)
        a[i * n + k] /= head - diagonal;
    for (int j = k + 1; j < n; j++) {
        double sum = a[k * n + j];
        for (int i = k + 1; i < f->rows; i++)
            sum += a[i * n + k] * a[i * n + j];
        sum *= f->scale[k];
        a[k * n + j] -= sum;
        for (int i = k + 1; i < f->rows; i++)
            a[i * n + j] -= sum * a[i * n + k];
    }
}

static void sort_rest(dense_qr *f)
{
    for (int j = f->rank + 1; j < f->columns; j++)
        for (int k = j; k > f->rank && f->pivot[k] < f->pivot[k - 1]; k--)
            swap_columns(f, k, k - 1);
}

void dense_qr_factor(dense_qr *f, const unsigned char *late, double part)
{
    double longest = 0;
    for (int j = 0; j < f->columns; j++) {
        f->pivot[j] = j;
        longest = fmax(longest, column_length(f, 0, j));
    }
    f->early = f->rank = 0;
    f->largest = f->smallest = f->left = 0;
    for (int k = 0; k < f->most && k < f->rows && k < f->columns; k++) {
        const int next = next_pivot(f, late, k, part * longest);
        if (next < 0) break;
        swap_columns(f, k, next);
        rank_reflect(f, k);
        const double size = fabs(f->diagonal[k]);
        f->largest = fmax(f->largest, size);
        f->smallest = k == 0 ? size : fmin(f->smallest, size);
        f->early += !(late && late[f->pivot[k]]);
        f->rank = k + 1;
    }
    sort_rest(f);
}

static void rank_apply(const dense_qr *f, int k, double *x)
{
    const int n = f->columns;
    double    sum = x[k];
    for (int i = k + 1; i < f->rows; i++)
        sum += f->A[i * n + k] * x[i];
    sum *= f->scale[k];
    x[k] -= sum;
    for (int i = k + 1; i < f->rows; i++)
        x[i] -= sum * f->A[i * n + k];
}

void dense_qr_transposed(const dense_qr *f, double *x)
{
    for (int k = 0; k < f->rank; k++)
        rank_apply(f, k, x);
}

void dense_qr_multiply(const dense_qr *f, double *x)
{
    for (int k = f->rank - 1; k >= 0; k--)
        rank_apply(f, k, x);
}

void dense_qr_back(const dense_qr *f, double *x)
{
    for (int i = f->rank - 1; i >= 0; i--) {
        for (int k = i + 1; k < f->rank; k++)
            x[i] -= f->A[i * f->columns + k] * x[k];
        x[i] /= f->diagonal[i];
    }
}

void dense_qr_forward(const dense_qr *f, double *x)
{
    for (int i = 0; i < f->rank; i++) {
        for (int k = 0; k < i; k++)
            x[i] -= f->A[k * f->columns + i] * x[k];
        x[i] /= f->diagonal[i];
    }
}

// ---- singular values ----

// Of squared lengths: about 1e-16 of the lengths.
static const double NOTHING = 1e-32;

static void turn(int count, double *x, double *y, double c, double s)
{
    for (int i = 0; i < count; i++) {
        const double a = x[i], b = y[i];
        x[i] = c * a - s * b;
        y[i] = s * a + c * b;
    }
}

// Makes columns p and q of A orthogonal; whether they were not.
static int orthogonalise(int rows, int n, double *A, double *V, int p, int q)
{
    double *a = A + p * rows, *b = A + q * rows;
    double  pp = 0, qq = 0, pq = 0;
    for (int i = 0; i < rows; i++) {
        pp += a[i] * a[i];
        qq += b[i] * b[i];
        pq += a[i] * b[i];
    }
    if (pq == 0 || fabs(pq) <= 1e-15 * sqrt(pp * qq)) return 0;
    // A column that is rounding beside another one never gets orthogonal to it.
    if (pp <= NOTHING * qq || qq <= NOTHING * pp) return 0;
    const double zeta = (qq - pp) / (2 * pq);
    const double t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    const double c = 1 / sqrt(1 + t * t), s = c * t;
    turn(rows, a, b, c, s);
    turn(n, V + p * n, V + q * n, c, s);
    return 1;
}

void dense_singular(int rows, int columns, double *A, double *values, double *V)
{
    for (int i = 0; i < columns * columns; i++)
        V[i] = i % (columns + 1) == 0;
    for (int sweep = 0, changed = 1; changed && sweep < 60; sweep++) {
        changed = 0;
        for (int p = 0; p < columns; p++)
            for (int q = p + 1; q < columns; q++)
                changed |= orthogonalise(rows, columns, A, V, p, q);
    }
    for (int j = 0; j < columns; j++) {
        double sum = 0;
        for (int i = 0; i < rows; i++)
            sum += A[j * rows + i] * A[j * rows + i];
        values[j] = sqrt(sum);
    }
}

// ---- semidefinite Cholesky ----

static void swap_symmetric(int n, double *A, int *pivot, int a, int b)
{
    const int p = pivot[a];
    pivot[a] = pivot[b];
    pivot[b] = p;
    for (int j = 0; a != b && j < n; j++) { // rows, then columns, of the full matrix
        const double x = A[a * n + j];
        A[a * n + j] = A[b * n + j];
        A[b * n + j] = x;
    }
    for (int i = 0; a != b && i < n; i++) {
        const double x = A[i * n + a];
        A[i * n + a] = A[i * n + b];
        A[i * n + b] = x;
    }
}

int dense_semidefinite_factor(int n, int rank, double part, double *A, int *pivot)
{
    double first = 0;
    for (int i = 0; i < n; i++)
        pivot[i] = i;
    for (int k = 0; k < rank; k++) {
        int best = k;
        for (int i = k + 1; i < n && rank < n; i++) // a definite matrix needs no exchanges
            if (A[i * n + i] > A[best * n + best]) best = i;
        if (best != k) swap_symmetric(n, A, pivot, k, best);
        first = A[k * n + k] > first ? A[k * n + k] : first;
        if (!(A[k * n + k] > part * first)) return k;
        const double inverse = 1 / A[k * n + k];
        A[k * n + k] = inverse;
        for (int i = k + 1; i < n; i++) {
            const double share = A[i * n + k] *= inverse;
            for (int j = k + 1; j < n; j++)
                A[i * n + j] -= share * A[k * n + j];
        }
    }
    return rank;
}

void dense_semidefinite_solve(int n, int rank, const double *L, const int *pivot, double *b,
                              double *scratch)
{
    for (int i = 0; i < rank; i++) {
        scratch[i] = b[pivot[i]];
        for (int k = 0; k < i; k++)
            scratch[i] -= L[i * n + k] * scratch[k];
    }
    for (int i = rank - 1; i >= 0; i--) {
        scratch[i] *= L[i * n + i];
        for (int k = i + 1; k < rank; k++)
            scratch[i] -= L[k * n + i] * scratch[k];
    }
    for (int i = 0; i < n; i++)
        b[pivot[i]] = i < rank ? scratch[i] : 0;
}
