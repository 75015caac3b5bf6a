#include "motion/record_ends.h"

#include "motion/quintic.h"
#include <math.h>

enum { DEGREE = 4, TERMS = DEGREE + 1, SPARE = 4 };

// How far a window may grow, and by how much at a time.
static const double most_growth = 4, growth = 1.5;
// A window is too long where the mean square of what is left exceeds that of noise by so much.
static const double excess = 1.2;

// ---- one end ----

typedef struct end_fit {
    double c[TERMS]; // over u = 0 ... 1
    double left;     // mean square of what is left
} end_fit;

// Symmetric and positive definite: as many samples as terms at least.
static void record_ends_solve(double A[TERMS][TERMS], double b[TERMS])
{
    for (int k = 0; k < TERMS; k++)
        for (int i = k + 1; i < TERMS; i++) {
            const double factor = A[i][k] / A[k][k];
            for (int j = k; j < TERMS; j++)
                A[i][j] -= factor * A[k][j];
            b[i] -= factor * b[k];
        }
    for (int k = TERMS - 1; k >= 0; k--) {
        for (int j = k + 1; j < TERMS; j++)
            b[k] -= A[k][j] * b[j];
        b[k] /= A[k][k];
    }
}

static double value(const double *c, double u)
{
    double sum = 0;
    for (int k = TERMS - 1; k >= 0; k--)
        sum = sum * u + c[k];
    return sum;
}

// x: the sample at the end; the others follow inwards.
static end_fit record_ends_fit(int window, const double *x, ptrdiff_t stride)
{
    double  A[TERMS][TERMS] = {{0}};
    end_fit f = {{0}, 0};
    for (int i = 0; i < window; i++) {
        const double u = (double)i / (window - 1);
        double       power[TERMS] = {1};
        for (int k = 1; k < TERMS; k++)
            power[k] = power[k - 1] * u;
        for (int k = 0; k < TERMS; k++) {
            for (int j = 0; j < TERMS; j++)
                A[k][j] += power[k] * power[j];
            f.c[k] += power[k] * x[i * stride];
        }
    }
    record_ends_solve(A, f.c);
    for (int i = 0; i < window; i++) {
        const double d = value(f.c, (double)i / (window - 1)) - x[i * stride];
        f.left += d * d;
    }
    f.left /= window > TERMS ? window - TERMS : 1;
    return f;
}

// Position, velocity and acceleration, in time that runs inwards.
static void record_ends_find_end(int count, const double *x, ptrdiff_t stride, double step,
                                 double cutoff, double noise, double out[3])
{
    double    width = fmax(ceil(1 / (cutoff * step)) + 1, TERMS + SPARE);
    int       window = width < count ? (int)width : count;
    const int most = width * most_growth < count ? (int)(width * most_growth) : count;
    end_fit   best = record_ends_fit(window, x, stride);
    while (window < most) {
        width *= growth;
        const int     longer = width < most ? (int)width : most;
        const end_fit next = record_ends_fit(longer, x, stride);
        if (next.left > excess * noise) break;
        best = next;
        window = longer;
    }
    const double length = (window - 1) * step;
    out[0] = best.c[0];
    out[1] = best.c[1] / length;
    out[2] = 2 * best.c[2] / (length * length);
}

// ---- both ----

void join_ends(int count, const double *x, ptrdiff_t stride, double step, double cutoff,
               double noise, double c[6])
{
    double from[3], to[3];
    record_ends_find_end(count, x, stride, step, cutoff, noise, from);
    record_ends_find_end(count, x + (count - 1) * stride, -stride, step, cutoff, noise, to);
    to[1] = -to[1]; // its time ran inwards
    quintic_join(from, to, (count - 1) * step, c);
}
