// A quadratic program with bounds, by projected Newton steps: Tassa, Mansard and Todorov 2014,
// algorithm 1. Entries at a bound whose gradient points outside are held there; the others take a
// Newton step, projected, with a line search.
#include "math/box_qp.h"
#include "math/dense.h"
#include <math.h>
#include <string.h>

enum { QP_ITERATIONS = 100, QP_HALVINGS = 30 };
static const double QP_ARMIJO = 0.1, QP_TOLERANCE = 1e-14;

static double clip(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static double qp_value(int n, const double *H, const double *g, const double *d)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double Hd = 0;
        for (int j = 0; j < n; j++)
            Hd += H[i * n + j] * d[j];
        sum += d[i] * (0.5 * Hd + g[i]);
    }
    return sum;
}

static void qp_gradient(int n, const double *H, const double *g, const double *d, double *out)
{
    for (int i = 0; i < n; i++) {
        out[i] = g[i];
        for (int j = 0; j < n; j++)
            out[i] += H[i * n + j] * d[j];
    }
}

// The Newton step of the free entries; others keep their place. Returns 0 if H is indefinite there.
static int qp_newton(int n, const double *H, const double *gradient, const unsigned char *is_free,
                     double *step, double *factor, double *s)
{
    int m = 0, rows = 0;
    for (int i = 0; i < n; i++)
        m += is_free[i];
    for (int i = 0; i < n; i++) {
        if (!is_free[i]) continue;
        double *row = factor + rows * m;
        s[rows++] = -gradient[i];
        for (int j = 0; j < n; j++)
            if (is_free[j]) *row++ = H[i * n + j];
    }
    memset(step, 0, (size_t)n * sizeof *step);
    if (m == 0) return 1;
    if (!dense_factor(m, factor, QP_TOLERANCE)) return 0;
    dense_solve(m, factor, s);
    for (int i = 0; i < n; i++)
        if (is_free[i]) step[i] = *s++;
    return 1;
}

int box_qp(int n, const double *H, const double *g, const double *lower, const double *upper,
           double *d, unsigned char *free_set, double *room)
{
    double *gradient = room, *step = room + n, *next = room + 2 * n, *factor = room + 3 * n;
    for (int i = 0; i < n; i++)
        d[i] = clip(d[i], lower[i], upper[i]);
    double value = qp_value(n, H, g, d);
    for (int iteration = 0; iteration < QP_ITERATIONS; iteration++) {
        qp_gradient(n, H, g, d, gradient);
        for (int i = 0; i < n; i++)
            free_set[i] =
                !((d[i] <= lower[i] && gradient[i] > 0) || (d[i] >= upper[i] && gradient[i] < 0));
        if (!qp_newton(n, H, gradient, free_set, step, factor, next)) return 0;
        double slope = 0;
        for (int i = 0; i < n; i++)
            slope += gradient[i] * step[i];
        if (-slope <= QP_TOLERANCE * fabs(value) || slope == 0) return 1;
        double length = 1, found = value;
        int    halvings = 0;
        for (; halvings < QP_HALVINGS; halvings++, length /= 2) {
            for (int i = 0; i < n; i++)
                next[i] = clip(d[i] + length * step[i], lower[i], upper[i]);
            found = qp_value(n, H, g, next);
            if (found <= value + QP_ARMIJO * length * slope) break;
        }
        if (halvings == QP_HALVINGS) return 1; // rounding: nothing is left to gain
        memcpy(d, next, (size_t)n * sizeof *d);
        value = found;
    }
    return 1;
}
