#include "motion/butterworth.h"
#include <math.h>

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
    // The pole that decays slowest, by the bilinear transform: |(1 + s) / (1 - s)|.
    const double size = tan(pi * fmin(cutoff * step, 0.49)),
                 angle = pi / (2.0 * (order > 1 ? order : 1));
    const double re = -size * sin(angle), im = size * cos(angle);
    const double decay =
        0.5 * log(((1 - re) * (1 - re) + im * im) / ((1 + re) * (1 + re) + im * im));
    return (int)fmin(ceil(18.4 / decay) + 1, 1e9);
}
