#include "motion/frequency_band.h"
#include "math/dense.h"
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

enum { SPECTRUM_SAMPLES = 4096, FREQUENCIES = 256 };

// The power at a frequency, of a stretch without its line from end to end, under a raised cosine
// (Goertzel's recursion).
static double power_at(int count, const double *x, int stride, double step, double frequency)
{
    const int     n = count < SPECTRUM_SAMPLES ? count : SPECTRUM_SAMPLES;
    const double *from = x + (ptrdiff_t)((count - n) / 2) * stride;
    const double  c = 2 * cos(2 * pi * frequency * step);
    const double  a = from[0], b = from[(ptrdiff_t)(n - 1) * stride];
    double        s1 = 0, s2 = 0;
    for (int i = 0; i < n; i++) {
        const double part = (double)i / (n - 1), line = a + (b - a) * part;
        const double at = (from[(ptrdiff_t)i * stride] - line) * 0.5 * (1 - cos(2 * pi * part));
        const double s0 = at + c * s1 - s2;
        s2 = s1;
        s1 = s0;
    }
    return s1 * s1 + s2 * s2 - c * s1 * s2;
}

double motion_reach(int count, const double *x, int stride, double step)
{
    double       power[FREQUENCIES], upper[FREQUENCIES / 2];
    const double top = 0.5 / step;
    for (int i = 0; i < FREQUENCIES; i++)
        power[i] = power_at(count, x, stride, step, top * (i + 0.5) / FREQUENCIES);
    memcpy(upper, power + FREQUENCIES / 2, sizeof upper);
    qsort(upper, FREQUENCIES / 2, sizeof *upper, dense_rising);
    const double noise = upper[FREQUENCIES / 4];
    for (int i = FREQUENCIES - 1; i > 0; i--)
        if (power[i] > 30 * noise && power[i - 1] > 30 * noise) return top * (i + 1) / FREQUENCIES;
    return top / FREQUENCIES;
}
