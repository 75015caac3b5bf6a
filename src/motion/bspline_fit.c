// Control points that meet conditions: a banded system, one row for each condition. Rows by rising
// time make it banded (degree entries on either side at most), and partial pivoting within the band
// solves it: stable for every set of conditions that determines the motion.
#include "motion/bspline.h"

#include "base/error.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// n x n; row i holds columns start[i] to start[i] + wide - 1.
typedef struct banded {
    int     n, wide;
    double *entry; // n x wide
    int    *start;
} banded;

static void bspline_fit_swap_rows(banded *A, int i, int j, double *x, int width)
{
    for (int c = 0; c < A->wide; c++) {
        const double keep = A->entry[i * A->wide + c];
        A->entry[i * A->wide + c] = A->entry[j * A->wide + c];
        A->entry[j * A->wide + c] = keep;
    }
    const int keep = A->start[i];
    A->start[i] = A->start[j];
    A->start[j] = keep;
    for (int c = 0; c < width; c++) {
        const double value = x[i * width + c];
        x[i * width + c] = x[j * width + c];
        x[j * width + c] = value;
    }
}

// Shifts a row so that it starts at column k; what falls off is zero.
static void start_at(banded *A, int i, int k)
{
    double   *row = A->entry + (size_t)i * (size_t)A->wide;
    const int by = k - A->start[i];
    if (by <= 0) return;
    memmove(row, row + by, sizeof *row * (size_t)(A->wide - by));
    memset(row + A->wide - by, 0, sizeof *row * (size_t)by);
    A->start[i] = k;
}

// The rows from k on that reach column k are the next ones, up to the first that starts behind it.
static int last_row(const banded *A, int k)
{
    int last = k;
    while (last + 1 < A->n && A->start[last + 1] <= k)
        last++;
    return last;
}

static int bspline_fit_eliminate(banded *A, double *x, int width)
{
    for (int k = 0; k < A->n; k++) {
        const int last = last_row(A, k);
        int       best = -1;
        double    largest = 0;
        for (int i = k; i <= last; i++) {
            if (A->start[i] > k) continue;
            start_at(A, i, k);
            const double size = fabs(A->entry[(size_t)i * (size_t)A->wide]);
            if (size > largest) {
                largest = size;
                best = i;
            }
        }
        if (best < 0 || !(largest > 1e-13)) return 0;
        if (best != k) bspline_fit_swap_rows(A, best, k, x, width);
        const double *pivot = A->entry + (size_t)k * (size_t)A->wide;
        for (int i = k + 1; i <= last; i++) {
            double      *row = A->entry + (size_t)i * (size_t)A->wide;
            const double factor = A->start[i] > k ? 0 : row[0] / pivot[0];
            if (factor == 0) continue;
            for (int c = 0; c < A->wide; c++)
                row[c] -= factor * pivot[c];
            for (int c = 0; c < width; c++)
                x[i * width + c] -= factor * x[k * width + c];
        }
    }
    return 1;
}

static void bspline_fit_substitute(const banded *A, double *x, int width)
{
    for (int k = A->n - 1; k >= 0; k--) {
        const double *row = A->entry + (size_t)k * (size_t)A->wide;
        for (int c = 0; c < width; c++) {
            double sum = x[k * width + c];
            for (int i = 1; i < A->wide && k + i < A->n; i++)
                sum -= row[i] * x[(k + i) * width + c];
            x[k * width + c] = sum / row[0];
        }
    }
}

// Rows are scaled to 1, so that one threshold fits positions and derivatives.
static void set_row(const arne_bspline *b, double T, const arne_bspline_condition *at, banded *A,
                    int i, double *x, int width)
{
    double *row = A->entry + (size_t)i * (size_t)A->wide, largest = 0;
    A->start[i] = bspline_row(b, T, at->t, at->order, row);
    for (int c = 0; c <= b->degree; c++)
        largest = fmax(largest, fabs(row[c]));
    if (largest == 0) return;
    for (int c = 0; c <= b->degree; c++)
        row[c] /= largest;
    for (int c = 0; c < width; c++)
        x[i * width + c] /= largest;
}

arne_status arne_bspline_fit(const arne_bspline *b, double T, const arne_bspline_condition *at,
                             const double *values, int width, double *control, arne_error *error)
{
    arne_error_clear(error);
    if (!b || !at || !values || !control)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "b, at, values or control is NULL");
    const int n = b->count;
    if (!(T > 0) || !isfinite(T))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "the final time %g is not positive", T);
    for (int i = 0; i < n; i++)
        if (!(at[i].t >= 0 && at[i].t <= T) || at[i].order < 0 || (i && at[i].t < at[i - 1].t))
            return arne_fail(error, ARNE_VALUE, NULL, 0,
                             "condition %d is out of order or outside of the motion", i + 1);
    // What elimination fills in stays within degree columns of the pivot.
    banded A = {.n = n, .wide = b->degree + 1};
    A.entry = calloc((size_t)n * (size_t)A.wide, sizeof *A.entry);
    A.start = calloc((size_t)n, sizeof *A.start);
    if (!A.entry || !A.start) {
        free(A.entry);
        free(A.start);
        return arne_fail_memory(error);
    }
    memcpy(control, values, sizeof *control * (size_t)n * (size_t)width);
    for (int i = 0; i < n; i++)
        set_row(b, T, &at[i], &A, i, control, width);
    const int fine = bspline_fit_eliminate(&A, control, width);
    if (fine) bspline_fit_substitute(&A, control, width);
    free(A.entry);
    free(A.start);
    if (fine) return ARNE_OK;
    return arne_fail(error, ARNE_SINGULAR, NULL, 0, "the conditions do not determine the motion");
}
