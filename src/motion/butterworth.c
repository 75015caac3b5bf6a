#include "motion/butterworth.h"
#include <math.h>
#include <stddef.h>

static const double pi = 3.14159265358979323846;

static filter_section second_order(double w, double damping)
{
    const double norm = 1 / (1 + 2 * damping * w + w * w);
    return (filter_section){w * w * norm, 2 * w * w * norm, w * w * norm, 2 * (w * w - 1) * norm,
                            (1 - 2 * damping * w + w * w) * norm};
}

static filter_section first_order(double w)
{
    const double norm = 1 / (1 + w);
    return (filter_section){w * norm, w * norm, 0, (w - 1) * norm, 0};
}

butterworth butterworth_make(int order, double cutoff, double step)
{
    butterworth  f = {.count = 0};
    const double w = tan(pi * cutoff * step);
    if (order > BUTTERWORTH_MOST) order = BUTTERWORTH_MOST;
    for (int k = 0; k < order / 2; k++)
        f.section[f.count++] = second_order(w, sin(pi * (2 * k + 1) / (2.0 * order)));
    if (order % 2) f.section[f.count++] = first_order(w);
    return f;
}

int butterworth_reach(int order, double cutoff, double step)
{
    const double slowest = sin(pi / (2.0 * (order > 1 ? order : 1)));
    return (int)ceil(18.4 / (2 * pi * cutoff * slowest * step)) + 1;
}

// From x on, `stride` apart (negative: backward).
static void run(const filter_section *f, int count, int channels, double *x, ptrdiff_t stride,
                double *state)
{
    double *z1 = state, *z2 = state + channels;
    for (int c = 0; c < channels; c++) {
        z1[c] = (1 - f->b0) * x[c];
        z2[c] = (f->b2 - f->a2) * x[c];
    }
    for (int i = 0; i < count; i++, x += stride)
        for (int c = 0; c < channels; c++) {
            const double in = x[c], out = f->b0 * in + z1[c];
            z1[c] = f->b1 * in - f->a1 * out + z2[c];
            z2[c] = f->b2 * in - f->a2 * out;
            x[c] = out;
        }
}

void butterworth_both_ways(const butterworth *f, int count, int channels, double *x, double *state)
{
    if (count < 1) return;
    double *last = x + (ptrdiff_t)(count - 1) * channels;
    for (int k = 0; k < f->count; k++)
        run(&f->section[k], count, channels, x, channels, state);
    for (int k = 0; k < f->count; k++)
        run(&f->section[k], count, channels, last, -(ptrdiff_t)channels, state);
}
