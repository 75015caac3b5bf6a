// From the number of a row to its values. Nothing is stored: a row's values come of its number, the
// seed and the file alone.
//
//     grid      digits of the row in mixed radix, the last parameter fastest; a distribution gives
//               `samples` values, each in the middle of an equal part of its probability
//     rows      the row-th entry of every list; distributions are drawn
//     lhs       of `samples` equal parts each parameter meets each part once: a permutation of the
//               rows for each (McKay, Beckman and Conover 1979)
//     sobol     Sobol points, with a digital shift by the seed
//     saltelli  rows A, B, A with B's first column, ..., for each of `samples` pairs of Sobol
//               points (Saltelli et al. 2010)
#include "base/random.h"
#include "sweep/sweep.h"
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t sweep_design_mix(uint64_t a, uint64_t b)
{
    uint64_t seed = a * 0x9e3779b97f4a7c15u ^ (b + 0x632be59bd9b4e019u);
    (void)random_bits(&seed);
    return random_bits(&seed);
}

static uint64_t sweep_design_key_of(long seed, int dimension)
{
    return sweep_design_mix((uint64_t)seed, (uint64_t)dimension + 1);
}

static double fraction(uint64_t bits) { return ((double)(bits >> 12) + 0.5) * 0x1p-52; }

double sweep_random(long seed, long row, int dimension)
{
    return fraction(sweep_design_mix(sweep_design_key_of(seed, dimension), (uint64_t)row));
}

// ---- a permutation of 0 ... count - 1 that needs no memory: a Feistel cipher, walked until it is
// in range

static uint64_t permute(uint64_t x, uint64_t count, uint64_t key)
{
    unsigned half = 1;
    while (half < 31 && (uint64_t)1 << (2 * half) < count)
        half++;
    const uint64_t mask = ((uint64_t)1 << half) - 1;
    do {
        uint64_t left = x >> half, right = x & mask;
        for (uint64_t round = 0; round < 4; round++) {
            const uint64_t next = left ^ (sweep_design_mix(key + round, right) & mask);
            left = right;
            right = next;
        }
        x = left << half | right;
    } while (x >= count);
    return x;
}

// ---- from (0, 1) to a value

// The inverse of the normal distribution: Acklam's rational start, then one step of Halley's
// method.
static double normal_quantile(double p)
{
    static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,
                               -2.759285104469687e+02, 1.383577518672690e+02,
                               -3.066479806614716e+01, 2.506628277459239e+00};
    static const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02,
                               -1.556989798598866e+02, 6.680131188771972e+01,
                               -1.328068155288572e+01};
    static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01,
                               -2.400758277161838e+00, -2.549732539343734e+00,
                               4.374664141464968e+00,  2.938163982698783e+00};
    static const double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                               3.754408661907416e+00};
    const double        low = 0.02425, pi = 3.14159265358979323846;
    double              x;
    if (p < low || p > 1 - low) {
        const double q = sqrt(-2 * log(p < low ? p : 1 - p));
        x = (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
            ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
        if (p > low) x = -x;
    } else {
        const double q = p - 0.5, r = q * q;
        x = (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
            (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
    }
    const double e = 0.5 * erfc(-x / sqrt(2)) - p;
    const double u = e * sqrt(2 * pi) * exp(x * x / 2);
    return x - u / (1 + x * u / 2);
}

static sweep_value sweep_design_entry(const sweep_parameter *p, long index)
{
    return (sweep_value){p->values[index], p->texts ? p->texts[index] : NULL};
}

sweep_value sweep_at(const sweep_parameter *p, double u)
{
    switch (p->law) {
    case LAW_UNIFORM:
        return (sweep_value){p->a + (p->b - p->a) * u, NULL};
    case LAW_NORMAL:
        return (sweep_value){p->a + p->b * normal_quantile(u), NULL};
    case LAW_LOGNORMAL:
        return (sweep_value){exp(p->a + p->b * normal_quantile(u)), NULL};
    default: {
        const long index = (long)(u * (double)p->count);
        return sweep_design_entry(p, index < p->count ? index : p->count - 1);
    }
    }
}

// ---- the designs

// How many values a parameter has on a grid.
static long points(const arne_sweep *s, const sweep_parameter *p)
{
    return p->law == LAW_LIST ? p->count : s->samples;
}

static sweep_value grid_value(const arne_sweep *s, const sweep_parameter *p, long index)
{
    return p->law == LAW_LIST ? sweep_design_entry(p, index)
                              : sweep_at(p, ((double)index + 0.5) / (double)s->samples);
}

static void grid_values(const arne_sweep *s, long row, sweep_value *out)
{
    for (int i = s->parameter_count - 1; i >= 0; i--) {
        const long count = points(s, &s->parameters[i]);
        out[i] = grid_value(s, &s->parameters[i], row % count);
        row /= count;
    }
}

static double sobol(const arne_sweep *s, long index, int dimension)
{
    const unsigned shift = (unsigned)(sweep_design_key_of(s->seed, dimension) >> 32);
    const unsigned x = sobol_point((unsigned long)index, s->directions[dimension]) ^ shift;
    return ((double)x + 0.5) * 0x1p-32;
}

static double unit_number(const arne_sweep *s, long row, int i)
{
    const int n = s->parameter_count;
    if (s->design == DESIGN_LHS) {
        const uint64_t part =
            permute((uint64_t)row, (uint64_t)s->samples, sweep_design_key_of(s->seed, i));
        return ((double)part + sweep_random(s->seed, row, n + i)) / (double)s->samples;
    }
    if (s->design == DESIGN_SOBOL) return sobol(s, row, i);
    const long base = row / (n + 2), which = row % (n + 2); // A, B, A with column which - 2 of B
    return sobol(s, base, which == 1 || which - 2 == i ? n + i : i);
}

void sweep_values(const arne_sweep *s, long row, sweep_value *out)
{
    if (s->design == DESIGN_GRID) {
        grid_values(s, row, out);
        return;
    }
    for (int i = 0; i < s->parameter_count; i++) {
        const sweep_parameter *p = &s->parameters[i];
        if (s->design == DESIGN_ROWS)
            out[i] = p->law == LAW_LIST ? sweep_design_entry(p, p->count == 1 ? 0 : row)
                                        : sweep_at(p, sweep_random(s->seed, row, i));
        else
            out[i] = sweep_at(p, unit_number(s, row, i));
    }
}

// ---- how many rows

static arne_status fail_at(const arne_sweep *s, const sweep_parameter *p, const char *what)
{
    return arne_reader_fail_at(&s->reader, ARNE_VALUE, p->line, p->column, "parameter '%.100s' %s",
                               p->path, what);
}

static arne_status count_grid(arne_sweep *s)
{
    s->rows = 1;
    for (int i = 0; i < s->parameter_count; i++) {
        const long count = points(s, &s->parameters[i]);
        if (!count)
            return fail_at(s, &s->parameters[i],
                           "is a distribution: say how many samples the grid takes of it");
        if (s->rows > LONG_MAX / 4 / count)
            return fail_at(s, &s->parameters[i], "makes too many rows");
        s->rows *= count;
    }
    return ARNE_OK;
}

static arne_status count_rows_of_lists(arne_sweep *s)
{
    s->rows = s->samples;
    for (int i = 0; i < s->parameter_count; i++) {
        const sweep_parameter *p = &s->parameters[i];
        if (p->law != LAW_LIST || p->count == 1) continue;
        if (s->rows && s->rows != p->count && !(s->samples && p->count > s->rows))
            return fail_at(s, p,
                           "has another number of values than those above it: row by row "
                           "all need the same");
        if (!s->rows) s->rows = p->count;
    }
    if (!s->rows) s->rows = 1;
    return ARNE_OK;
}

static arne_status find_all_directions(arne_sweep *s)
{
    const int count = s->parameter_count * (s->design == DESIGN_SALTELLI ? 2 : 1);
    s->directions = calloc((size_t)count + 1, sizeof *s->directions);
    if (!s->directions) return arne_fail_memory(s->reader.error);
    for (int k = 0; k < count; k++)
        sobol_directions(k, s->directions[k]);
    return ARNE_OK;
}

arne_status sweep_count_rows(arne_sweep *s)
{
    const doc_slot root = {&s->reader, "", "", s->doc.root};
    int            drawn = s->samples > 0;
    for (int i = 0; i < s->parameter_count; i++)
        drawn |= s->parameters[i].law != LAW_LIST;
    if (!s->design) s->design = drawn ? DESIGN_LHS : DESIGN_GRID;
    if (s->design == DESIGN_GRID) return count_grid(s);
    if (s->design == DESIGN_ROWS) return count_rows_of_lists(s);
    if (!s->samples)
        return doc_fail(&root, ARNE_VALUE, "needs samples: how many are drawn of each parameter");
    s->rows = s->samples;
    if (s->design == DESIGN_SALTELLI) s->rows *= s->parameter_count + 2;
    return s->design == DESIGN_LHS ? ARNE_OK : find_all_directions(s);
}

// ---- neighbours on a grid: one step towards the middle, along the first parameter that is not
// there yet

long sweep_warm_parent(const arne_sweep *s, long row)
{
    long parent = -1, stride = 1, rest = row;
    for (int i = s->parameter_count - 1; i >= 0; i--) {
        const long count = points(s, &s->parameters[i]), at = rest % count, middle = count / 2;
        if (at != middle) parent = row + (at < middle ? stride : -stride);
        rest /= count;
        stride *= count;
    }
    return parent;
}

int sweep_warm_depth(const arne_sweep *s, long row)
{
    long depth = 0;
    for (int i = s->parameter_count - 1; i >= 0; i--) {
        const long count = points(s, &s->parameters[i]);
        depth += labs(row % count - count / 2);
        row /= count;
    }
    return (int)depth;
}
