// Limits that hold between grid points too. A search keeps them at grid points; a torque that is at
// its limit on both sides of an interval bulges beyond it in between. There the bounds of the two
// points move inward by as much as that, and the search goes on from where it is. Where that would
// cost more of the objective than its accuracy, splines are too coarse for it: the motion stays,
// and what is exceeded is said.
#include "base/error.h"
#include "plan/solve/search.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 20, ROUNDS = 4 };
static const double A_LITTLE_MORE = 1.05; // for the peak may lie between the places looked at
static const double COSTS = 3e-4;         // of the objective, at most
static const double NOTHING = 1e-8, SMALL = 1e-6; // what may be exceeded: in units, of the bound

typedef struct overshoot {
    double below, above; // by how far the bounds of a row are exceeded
} overshoot;

// A bound that holds over a stretch of time at grid points.
static int is_limit(const plan_constraint *c)
{
    return c->hold == HOLD_GRID && !c->collocated && c->point_count && c->from < c->to &&
           (c->other < 0 || c->other_at < 0);
}

// Which of the points at which a constraint is held this one is; -1: none of them.
static int held_index(const plan_constraint *c, int point)
{
    int low = 0, high = c->point_count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (c->points[middle] < point)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->point_count && c->points[low] == point ? low : -1;
}

static int is_end(const arne_plan *p, const plan_point *at)
{
    return (at->phase == 0 && at->u <= 0) || (at->phase == p->phase_count - 1 && at->u >= 1);
}

static int pull_in(arne_plan *p, const plan_constraint *c, int row, int point, const overshoot *by)
{
    const int index = held_index(c, point);
    if (index < 0) return 0;
    const int    at = c->first_row + index * c->row_count + row;
    const double lower = p->row_lower[at] + A_LITTLE_MORE * by->below,
                 upper = p->row_upper[at] - A_LITTLE_MORE * by->above;
    if (!(lower < upper)) return 0;
    p->row_lower[at] = lower;
    p->row_upper[at] = upper;
    return 1;
}

static double beyond(double amount, double bound)
{
    return amount > fmax(NOTHING, SMALL * fabs(bound)) ? amount : 0;
}

// The instant where p->between stands, of all rows of a limit.
static void note_overshoot(arne_plan *p, const plan_constraint *c, overshoot *most)
{
    const double *left = plan_values(&p->between, c->quantity);
    const double *right = c->other < 0 ? NULL : plan_values(&p->between, c->other);
    for (int r = 0; left && r < c->row_count; r++) {
        double value = left[c->rows[r]];
        if (right) value -= c->factors[r] * right[c->other_rows[r]];
        if (c->lower[r] == c->upper[r] || !isfinite(value)) continue;
        most[r].below = fmax(most[r].below, beyond(c->lower[r] - value, c->lower[r]));
        most[r].above = fmax(most[r].above, beyond(value - c->upper[r], c->upper[r]));
    }
}

static void look_at(arne_plan *p, int phase, double u, overshoot *most)
{
    plan_place(p, &p->between, phase, u, p->x);
    for (int i = 0; i < p->constraint_count; most += p->constraints[i++].row_count) {
        const plan_constraint *c = &p->constraints[i];
        if (is_limit(c) && u >= c->from && u <= c->to && (c->phase < 0 || c->phase == phase))
            note_overshoot(p, c, most);
    }
}

// The interval from grid point k to the one at `end`. most: room for the rows of all constraints.
// ends: also at the start and the end of the motion. Returns how many bounds moved.
static int tighten_interval(arne_plan *p, int k, int end, int ends, overshoot *most)
{
    int       count = 0;
    const int first = ends || !is_end(p, &p->points[k]), last = ends || !is_end(p, &p->points[end]);
    const int phase = p->points[k].phase, spans = p->phases[phase].m - p->degree;
    const double a = p->points[k].u, b = p->points[end].u;
    for (int i = 1; i < STEPS; i++)
        look_at(p, phase, a + (b - a) * i / STEPS, most);
    for (int i = (int)floor(a * spans) + 1; i < b * spans; i++)
        look_at(p, phase, (double)i / spans, most);
    for (int i = 0; i < p->constraint_count; i++)
        for (int r = 0; r < p->constraints[i].row_count; r++, most++) {
            if (most->below == 0 && most->above == 0) continue;
            if (first) count += pull_in(p, &p->constraints[i], r, k, most);
            if (last) count += pull_in(p, &p->constraints[i], r, end, most);
        }
    return count;
}

static arne_status tighten(arne_plan *p, int ends, int *count, arne_error *error)
{
    size_t rows = 1;
    for (int i = 0; i < p->constraint_count; i++)
        rows += (size_t)p->constraints[i].row_count;
    overshoot *most = malloc(rows * sizeof *most);
    *count = 0;
    if (!most) return arne_fail_memory(error);
    plan_set(p, p->x);
    for (int k = 0, end = 0; k < p->point_count; k = end) {
        end = k + 1;
        while (end < p->point_count && !p->points[end].on_grid)
            end++;
        if (end == p->point_count || p->points[end].phase != p->points[k].phase) continue;
        memset(most, 0, rows * sizeof *most);
        *count += tighten_interval(p, k, end, ends, most);
    }
    free(most);
    return ARNE_OK;
}

// x and the bounds of rows, to come back to.
static void copy_state(arne_plan *p, double *kept, int back)
{
    struct {
        double *at;
        int     count;
    } parts[] = {{p->x, p->x_count}, {p->row_lower, p->row_count}, {p->row_upper, p->row_count}};
    for (int i = 0; i < 3; kept += parts[i++].count) {
        const size_t size = (size_t)parts[i].count * sizeof *kept;
        if (back)
            memcpy(parts[i].at, kept, size);
        else
            memcpy(kept, parts[i].at, size);
    }
}

static double objective_now(arne_plan *p)
{
    double objective = NAN;
    plan_set(p, p->x);
    return plan_objective_value(p, &objective) ? NAN : objective;
}

// What is given at the ends may be at its bound: where no motion is found, the bounds there stay.
static arne_status try_rounds(search *s, double *was, arne_error *error)
{
    arne_plan   *p = s->p;
    int          ends = 1;
    const double objective = objective_now(p);
    for (int i = 0; i < ROUNDS; i++) {
        int              count = 0;
        arne_plan_status found = ARNE_PLAN_OPTIMAL;
        const int        warm = p->has_multipliers;
        copy_state(p, was, 0);
        arne_status status = tighten(p, ends, &count, error);
        if (status || !count) return status;
        status = search_run(s, 2, warm, &found, error);
        if (status) return status;
        if (found <= ARNE_PLAN_ACCEPTABLE &&
            fabs(objective_now(p) - objective) <= COSTS * fabs(objective))
            continue;
        copy_state(p, was, 1);
        if (found <= ARNE_PLAN_ACCEPTABLE || !ends || s->stopped) return ARNE_OK;
        ends = 0;
    }
    return ARNE_OK;
}

arne_status search_keep_limits(search *s, arne_plan_result *result, arne_error *error)
{
    const arne_plan *p = s->p;
    if (result->status > ARNE_PLAN_ACCEPTABLE || s->stopped) return ARNE_OK;
    double *was = malloc((size_t)(p->x_count + 2 * p->row_count + 1) * sizeof *was);
    if (!was) return arne_fail_memory(error);
    const arne_status status = try_rounds(s, was, error);
    if (s->stopped) result->status = ARNE_PLAN_INTERRUPTED;
    free(was);
    return status;
}
