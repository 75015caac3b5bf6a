// First-order and total indices from a Saltelli design: of N pairs of points A, B, and A with
// column i of B, f at each.
//
//     S_i  = mean(f_B (f_ABi - f_A)) / V               Saltelli et al. 2010, table 2 (b)
//     ST_i = mean((f_A - f_ABi)^2) / (2 V)             Jansen 1999, ibid. (f)
//
// V is the variance over all f_A and f_B, and f is taken less its mean, which makes the first sum
// accurate. Confidence: the pairs are drawn anew, with replacement, 200 times (bootstrap); the
// interval is 1.96 standard deviations of these.
#include "sweep/sobol_indices.h"
#include "base/random.h"
#include <math.h>
#include <stdlib.h>

enum { RESAMPLES = 200 };

typedef struct groups {
    const double *values;
    int          *good; // numbers of the groups that count
    int           count, parameters;
} groups;

static const double *group_at(const groups *g, int k)
{
    return g->values + (long)g->good[k] * (g->parameters + 2);
}

// Estimates from the groups that `pick` names (NULL: all). Returns 0 where nothing varies.
static int estimate(const groups *g, const int *pick, double *first, double *total)
{
    double mean = 0, variance = 0;
    for (int k = 0; k < g->count; k++) {
        const double *f = group_at(g, pick ? pick[k] : k);
        mean += f[0] + f[1];
    }
    mean /= 2.0 * g->count;
    for (int i = 0; i < g->parameters; i++)
        first[i] = total[i] = 0;
    for (int k = 0; k < g->count; k++) {
        const double *f = group_at(g, pick ? pick[k] : k);
        const double  a = f[0] - mean, b = f[1] - mean;
        variance += a * a + b * b;
        for (int i = 0; i < g->parameters; i++) {
            const double ab = f[2 + i] - mean;
            first[i] += b * (ab - a);
            total[i] += (a - ab) * (a - ab) / 2;
        }
    }
    variance /= 2.0 * g->count;
    if (!(variance > 1e-24 * (mean * mean + 1e-300))) return 0;
    for (int i = 0; i < g->parameters; i++) {
        first[i] /= g->count * variance;
        total[i] /= g->count * variance;
    }
    return 1;
}

static void sobol_indices_resample(const groups *g, int *pick, double *scratch, sobol_index *out)
{
    const int n = g->parameters;
    double   *first = scratch, *total = scratch + n, *sums = scratch + 2 * n;
    uint64_t  seed = 1;
    int       rounds = 0;
    for (int r = 0; r < RESAMPLES; r++) {
        for (int k = 0; k < g->count; k++)
            pick[k] = (int)(random_bits(&seed) % (uint64_t)g->count);
        if (!estimate(g, pick, first, total)) continue;
        rounds++;
        for (int i = 0; i < n; i++) {
            const double d = first[i] - out[i].first, e = total[i] - out[i].total;
            sums[2 * i] += d * d;
            sums[2 * i + 1] += e * e;
        }
    }
    for (int i = 0; i < n && rounds; i++) {
        out[i].first_within = 1.96 * sqrt(sums[2 * i] / rounds);
        out[i].total_within = 1.96 * sqrt(sums[2 * i + 1] / rounds);
    }
}

int sobol_indices(const double *values, int samples, int parameters, sobol_index *out)
{
    groups  g = {.values = values, .parameters = parameters};
    int    *pick = calloc((size_t)samples + 1, sizeof *pick);
    double *scratch = calloc(4 * (size_t)parameters + 1, sizeof *scratch);
    g.good = calloc((size_t)samples + 1, sizeof *g.good);
    for (int s = 0; g.good && s < samples; s++) {
        const double *f = values + (long)s * (parameters + 2);
        int           good = 1;
        for (int k = 0; k < parameters + 2; k++)
            good &= isfinite(f[k]) != 0;
        if (good) g.good[g.count++] = s;
    }
    int counted = pick && scratch && g.good ? g.count : 0;
    if (counted > 1 && estimate(&g, NULL, scratch, scratch + parameters)) {
        for (int i = 0; i < parameters; i++)
            out[i] = (sobol_index){.first = scratch[i], .total = scratch[parameters + i]};
        sobol_indices_resample(&g, pick, scratch, out);
    } else {
        counted = 0;
    }
    free(pick);
    free(scratch);
    free(g.good);
    return counted;
}
