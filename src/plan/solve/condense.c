// Factors and solutions: see condense.h.
#include "plan/solve/condense.h"
#include "math/wide.h"
#include "robot/kernel.h"
#include <math.h>
#include <string.h>

// ---- one group

typedef struct group {
    int           pairs, columns, stride;
    const int    *column;
    const double *pivot;   // three numbers of every pair
    double       *entries; // a row of `stride` of every pair
} group;

static group condense_group_at(const condensed *c, double *numbers, int index, double *entries)
{
    const int first = c->first_pair[index], columns = c->first_column[index];
    group     g = {.pairs = c->first_pair[index + 1] - first,
                   .columns = c->first_column[index + 1] - columns,
                   .column = c->column + columns,
                   .pivot = numbers + condense_stride(c->rest) * c->rest + 3 * first,
                   .entries = entries};
    g.stride = condense_rounded(g.columns);
    return g;
}

static double *first_entries(const condensed *c, double *numbers)
{
    return numbers + condense_stride(c->rest) * c->rest + 3 * c->pairs;
}

// What a pair's pivot is divided by; positive: one of its eigenvalues is negative.
static double divisor(const double *pivot) { return pivot[1] * pivot[1] - pivot[0] * pivot[2]; }

static double weight(const double *pivot) { return pivot[0] / divisor(pivot); }

// Four rows of the sum of w J^T J, from row i on and from column i on.
static void four_rows(const group *g, int i, const double *w, double *out)
{
    for (int j = i / 8 * 8; j < g->columns; j += 8) {
        wide sum[4] = {{0}};
        for (int p = 0; p < g->pairs; p++) {
            const double *row = g->entries + (size_t)p * (size_t)g->stride;
            const wide    by = wide_at(row + j) * w[p];
            sum[0] += by * row[i];
            sum[1] += by * row[i + 1];
            sum[2] += by * row[i + 2];
            sum[3] += by * row[i + 3];
        }
        for (int r = 0; r < 4; r++)
            wide_put(out + r * g->stride + j, sum[r]);
    }
}

static void condense_add_group(const group *g, const double *w, int stride, double *A, double *room)
{
    for (int i = 0; i < g->columns; i += 4) {
        const int end = i + 4 < g->columns ? i + 4 : g->columns;
        four_rows(g, i, w, room);
        for (int r = i; r < end; r++) {
            double       *to = A + (size_t)g->column[r] * (size_t)stride;
            const double *from = room + (r - i) * g->stride;
            for (int j = r; j < g->columns; j++)
                to[g->column[j]] += from[j];
        }
    }
}

// ---- factors

// Room after the numbers of the matrix: CONDENSE_PANEL columns for LAPACK, the rest's solution, the
// weights of pairs, and rows of a group.
static double *weights_room(const condensed *c, double *numbers)
{
    return numbers + c->numbers + (CONDENSE_PANEL + 1) * (long)c->rest;
}

KERNEL(int, condense_reduce, (const condensed *c, const double *values, double *numbers),
       (c, values, numbers))
{
    const int stride = condense_stride(c->rest);
    double   *entries = first_entries(c, numbers);
    double   *w = weights_room(c, numbers), *room = w + c->pairs;
    int       negative = 0;
    memset(numbers, 0, (size_t)c->numbers * sizeof *numbers);
    for (int k = 0; k < c->entries; k++)
        numbers[c->target[k]] += values[k];
    for (int p = 0; p < c->pairs; p++) {
        const double *pivot = numbers + stride * c->rest + 3 * p, by = divisor(pivot);
        if (!isfinite(by) || by == 0) return -1;
        negative += by > 0 ? 1 : pivot[0] < 0 ? 2 : 0;
        w[p] = weight(pivot);
    }
    for (int i = 0; i < c->groups; i++) {
        const group g = condense_group_at(c, numbers, i, entries);
        condense_add_group(&g, w + c->first_pair[i], stride, numbers, room);
        entries += g.pairs * g.stride;
    }
    return negative;
}

// ---- solutions

KERNEL(void, condense_begin, (const condensed *c, double *numbers, const double *full, double *x),
       (c, numbers, full, x))
{
    double *entries = first_entries(c, numbers), *room = weights_room(c, numbers) + c->pairs;
    for (int i = 0; i < c->rest; i++)
        x[i] = full[c->variable[i]];
    for (int i = 0; i < c->groups; i++) {
        const group g = condense_group_at(c, numbers, i, entries);
        memset(room, 0, (size_t)g.stride * sizeof *room);
        for (int p = 0; p < g.pairs; p++) {
            const double *pivot = g.pivot + 3 * p;
            const int     pair = c->first_pair[i] + p;
            const double  by = pivot[1] * full[c->slack[pair]] - pivot[0] * full[c->row[pair]];
            wide_add(room, by / divisor(pivot), g.entries + p * g.stride, g.stride);
        }
        for (int j = 0; j < g.columns; j++)
            x[g.column[j]] -= room[j];
        entries += g.pairs * g.stride;
    }
}

KERNEL(void, condense_end, (const condensed *c, double *numbers, const double *x, double *full),
       (c, numbers, x, full))
{
    double *entries = first_entries(c, numbers), *room = weights_room(c, numbers) + c->pairs;
    for (int i = 0; i < c->groups; i++) {
        const group g = condense_group_at(c, numbers, i, entries);
        memset(room, 0, (size_t)g.stride * sizeof *room);
        for (int j = 0; j < g.columns; j++)
            room[j] = x[g.column[j]];
        for (int p = 0; p < g.pairs; p++) {
            const double *pivot = g.pivot + 3 * p, by = 1 / divisor(pivot);
            const int     pair = c->first_pair[i] + p;
            double       *slack = &full[c->slack[pair]], *row = &full[c->row[pair]];
            const double  left = *row - wide_dot(g.entries + p * g.stride, room, g.stride);
            *row = by * (pivot[1] * *slack - pivot[0] * left);
            *slack = by * (pivot[1] * left - pivot[2] * *slack);
        }
        entries += g.pairs * g.stride;
    }
    for (int i = 0; i < c->rest; i++)
        full[c->variable[i]] = x[i];
}
