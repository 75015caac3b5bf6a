// What is left of a condensed system (condense.h), factored by LAPACK: A = L D L^T with the pivots
// of Bunch and Kaufman.
#include "plan/solve/condense.h"
#include <math.h>

void dsytrf_(const char *uplo, const int *n, double *A, const int *stride, int *pivots,
             double *room, const int *room_size, int *info);
void dsytrs_(const char *uplo, const int *n, const int *sides, const double *A, const int *stride,
             const int *pivots, double *x, const int *x_stride, int *info);

// A pivot of a row that depends on others is their rounding error. Rows and gradients of plans are
// scaled to about one.
static const double PIVOT_SINGULAR = 1e-14;

// Negative eigenvalues of D, or -1. By the choice of pivots, a block of two rows has one of each
// sign.
static int negative_pivots(int n, const double *A, int stride, const int *pivots)
{
    int negative = 0;
    for (int k = 0; k < n; k++) {
        const double d = A[(long)k * stride + k];
        if (!isfinite(d) || (pivots[k] > 0 && fabs(d) <= PIVOT_SINGULAR)) return -1;
        negative += pivots[k] > 0 ? d < 0 : 1;
        k += pivots[k] < 0; // the second row of the block
    }
    return negative;
}

int condense_factor(const condensed *c, const double *values, double *numbers, int *whole)
{
    const int stride = condense_stride(c->rest), size = CONDENSE_PANEL * c->rest;
    const int negative = condense_reduce(c, values, numbers);
    int       info = 0;
    if (negative < 0) return -1;
    dsytrf_("L", &c->rest, numbers, &stride, whole, numbers + c->numbers, &size, &info);
    const int rest = info ? -1 : negative_pivots(c->rest, numbers, stride, whole);
    return rest < 0 ? -1 : negative + rest;
}

void condense_solve(const condensed *c, double *numbers, int *whole, double *x)
{
    const int stride = condense_stride(c->rest), one = 1;
    double   *own = numbers + c->numbers + (long)CONDENSE_PANEL * c->rest;
    int       info;
    condense_begin(c, numbers, x, own);
    dsytrs_("L", &c->rest, &one, numbers, &stride, whole, own, &c->rest, &info);
    condense_end(c, numbers, own, x);
}
