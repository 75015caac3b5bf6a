#include "testing.h"

#include <stdio.h>
#include <stdlib.h>

double relative_error(const double *a, const double *b, int count)
{
    double worst = 0, size = 1;
    for (int i = 0; i < count; i++) {
        const double gap = fabs(a[i] - b[i]);
        if (!(gap <= worst)) worst = gap; // NaN sticks
        if (isnan(worst)) return INFINITY;
        size = fmax(size, fabs(b[i]));
    }
    return worst / size;
}

static int worst_entry(const double *a, const double *b, int count)
{
    int worst = 0;
    for (int i = 0; i < count; i++) {
        if (isnan(a[i] - b[i])) return i;
        if (fabs(a[i] - b[i]) > fabs(a[worst] - b[worst])) worst = i;
    }
    return worst;
}

static void report(const state *s, const char *quantity, const double *a, const double *b,
                   int count, double tolerance, const char *file, int line)
{
    const int i = worst_entry(a, b, count);
    char      where[128] = "";
    if (s)
        snprintf(where, sizeof where, "%s, state %llu: ", arne_robot_name(s->robot),
                 (unsigned long long)s->seed);
    print_error("%s%s: entry %d of %d is %.17g, not %.17g; off by %.3g relative, allowed %.3g\n",
                where, quantity, i, count, a[i], b[i], relative_error(a, b, count), tolerance);
    _fail(file, line);
}

void close_at(const state *s, const char *quantity, const double *a, const double *b, int count,
              double tolerance, const char *file, int line)
{
    if (!(relative_error(a, b, count) <= tolerance))
        report(s, quantity, a, b, count, tolerance, file, line);
}

void same_at(const state *s, const char *quantity, const void *a, const void *b, size_t bytes,
             double tolerance, const char *file, int line)
{
    close_at(s, quantity, a, b, (int)(bytes / sizeof(double)), tolerance, file, line);
}

void direct_close_at(const state *s, const char *quantity, const double *a, const double *b,
                     int count, double tolerance, const double *M, const char *file, int line)
{
    const double gap = relative_error(a, b, count);
    if (gap <= tolerance) return; // the condition takes time: only where it is needed

    const double allowed = tolerance * fmax(1, 1e-4 * condition(M, s->size.v_count));
    if (!(gap <= allowed)) report(s, quantity, a, b, count, allowed, file, line);
}

void status_at(arne_status status, arne_status wanted, const arne_error *error, const char *file,
               int line)
{
    if (status == wanted) return;
    print_error("status is \"%s\", not \"%s\"%s%s\n", arne_status_text(status),
                arne_status_text(wanted), error ? ": " : "", error ? error->text : "");
    _fail(file, line);
}

// One rotation in the plane of p and q that makes A[p][q] zero.
static void rotate(double *A, int n, int p, int q)
{
    const double apq = A[p * n + q];
    if (apq == 0) return;

    const double theta = (A[q * n + q] - A[p * n + p]) / (2 * apq);
    const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < n; k++) {
        const double akp = A[k * n + p], akq = A[k * n + q];
        A[k * n + p] = c * akp - s * akq;
        A[k * n + q] = s * akp + c * akq;
    }
    for (int k = 0; k < n; k++) {
        const double apk = A[p * n + k], aqk = A[q * n + k];
        A[p * n + k] = c * apk - s * aqk;
        A[q * n + k] = s * apk + c * aqk;
    }
}

double condition(const double *M, int count)
{
    double *A = malloc(sizeof *A * (size_t)(count * count + 1));
    assert_non_null(A);
    memcpy(A, M, sizeof *A * (size_t)(count * count));

    for (int sweep = 0; sweep < 12; sweep++)
        for (int p = 0; p < count; p++)
            for (int q = p + 1; q < count; q++)
                rotate(A, count, p, q);

    double low = INFINITY, high = 0;
    for (int i = 0; i < count; i++) {
        low = fmin(low, A[i * count + i]);
        high = fmax(high, A[i * count + i]);
    }
    free(A);
    if (count == 0) return 1;
    return low > 0 ? high / low : INFINITY;
}

void multiply(const double *M, const double *x, int rows, int columns, double *out)
{
    for (int i = 0; i < rows; i++)
        out[i] = dot(M + i * columns, x, columns);
}

double dot(const double *a, const double *b, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}
