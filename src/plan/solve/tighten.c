// Limits that hold between grid points too. A search keeps them at grid points; a torque that is at
// its limit on both sides of an interval bulges beyond it in between. There the bounds of the two
// points move inward by as much as that, and the search goes on from where it is. Where that would
// cost more of the objective than its accuracy, splines are too coarse for it: the motion stays,
// and what is exceeded is said.
#include "base/error.h"
#include "plan/solve/search.h"
#include "plan/transcription/assemble.h"
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

typedef struct tightening {
    arne_plan *p;
    int        ends;  // bounds move at the start and the end of the motion, too
    int        count; // of bounds that moved
    double     worst; // the largest excess, of its bound
    double     costs; // what the multipliers say that it costs of the objective
} tightening;

// A bound that holds over a stretch of time at grid points.
static int is_limit(const plan_constraint *c)
{
    return c->hold == HOLD_GRID && !c->collocated && c->point_count && c->from < c->to &&
           (c->other < 0 || c->other_at < 0);
}

static int is_end(const arne_plan *p, const plan_point *at)
{
    return (at->phase == 0 && at->u <= 0) || (at->phase == p->phase_count - 1 && at->u >= 1);
}

static void pull_in(tightening *t, const plan_constraint *c, int row, int point,
                    const overshoot *by)
{
    arne_plan *p = t->p;
    const int  index = plan_find_place(c, point);
    if (index < 0 || (!t->ends && is_end(p, &p->points[point]))) return;
    const int    at = c->first_row + index * c->row_count + row;
    const double lower = p->row_lower[at] + A_LITTLE_MORE * by->below,
                 upper = p->row_upper[at] - A_LITTLE_MORE * by->above;
    if (!(lower < upper)) return;
    p->row_lower[at] = lower;
    p->row_upper[at] = upper;
    t->count++;
    if (p->has_multipliers)
        t->costs += A_LITTLE_MORE * (by->below + by->above) * fabs(p->multipliers[at]);
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

static double part_of(const plan_constraint *c, int row, const overshoot *by)
{
    const double below = by->below / fmax(fabs(c->lower[row]), NOTHING),
                 above = by->above / fmax(fabs(c->upper[row]), NOTHING);
    return fmax(by->below > 0 ? below : 0, by->above > 0 ? above : 0);
}

// The interval from grid point k to the one at `end`. most: room for the rows of all constraints.
static void tighten_interval(tightening *t, int k, int end, overshoot *most)
{
    arne_plan   *p = t->p;
    const int    phase = p->points[k].phase, spans = p->phases[phase].m - p->degree;
    const double a = p->points[k].u, b = p->points[end].u;
    for (int i = 1; i < STEPS; i++)
        look_at(p, phase, a + (b - a) * i / STEPS, most);
    for (int i = (int)floor(a * spans) + 1; i < b * spans; i++)
        look_at(p, phase, (double)i / spans, most);
    for (int i = 0; i < p->constraint_count; i++)
        for (int r = 0; r < p->constraints[i].row_count; r++, most++) {
            if (most->below == 0 && most->above == 0) continue;
            t->worst = fmax(t->worst, part_of(&p->constraints[i], r, most));
            pull_in(t, &p->constraints[i], r, k, most);
            pull_in(t, &p->constraints[i], r, end, most);
        }
}

static arne_status tighten(tightening *t, arne_error *error)
{
    arne_plan *p = t->p;
    size_t     rows = 1;
    for (int i = 0; i < p->constraint_count; i++)
        rows += (size_t)p->constraints[i].row_count;
    overshoot *most = malloc(rows * sizeof *most);
    t->count = 0;
    t->worst = t->costs = 0;
    if (!most) return arne_fail_memory(error);
    plan_set(p, p->x);
    for (int k = 0, end = 0; k < p->point_count; k = end) {
        end = k + 1;
        while (end < p->point_count && !p->points[end].on_grid)
            end++;
        if (end == p->point_count || p->points[end].phase != p->points[k].phase) continue;
        memset(most, 0, rows * sizeof *most);
        tighten_interval(t, k, end, most);
    }
    free(most);
    return ARNE_OK;
}

enum { STATE_PARTS = 6 };

static size_t state_size(const arne_plan *p)
{
    return 3 * ((size_t)p->x_count + (size_t)p->row_count);
}

// x, the bounds of rows and the multipliers, to come back to.
static void copy_state(arne_plan *p, double *kept, int back)
{
    struct {
        double *at;
        int     count;
    } parts[STATE_PARTS] = {{p->x, p->x_count},           {p->row_lower, p->row_count},
                            {p->row_upper, p->row_count}, {p->multipliers, p->row_count},
                            {p->bound_lower, p->x_count}, {p->bound_upper, p->x_count}};
    for (int i = 0; i < STATE_PARTS; kept += parts[i++].count) {
        const size_t size = (size_t)parts[i].count * sizeof *kept;
        if (back)
            memcpy(parts[i].at, kept, size);
        else
            memcpy(kept, parts[i].at, size);
    }
}

// What is given at the ends may be at its bound: where no motion is found, the bounds there stay.
// was: room for a state; best: for the motion that exceeds least.
static arne_status try_rounds(search *s, double *was, double *best, arne_error *error)
{
    arne_plan   *p = s->p;
    tightening   t = {.p = p, .ends = 1};
    const double objective = search_objective(p), allowed = COSTS * fabs(objective);
    const size_t size = (size_t)p->x_count * sizeof *best;
    double       least = INFINITY;
    for (int i = 0; i <= ROUNDS; i++) {
        arne_plan_status found = ARNE_PLAN_OPTIMAL;
        const int        warm = p->has_multipliers;
        copy_state(p, was, 0);
        arne_status status = tighten(&t, error);
        if (status) return status;
        if (t.worst < least) memcpy(best, p->x, size);
        least = fmin(least, t.worst);
        if (!t.count || t.costs > allowed || i == ROUNDS) break;
        status = search_run(s, 2, warm, &found, error);
        if (status) return status;
        const int kept = found <= ARNE_PLAN_ACCEPTABLE;
        if (kept && fabs(search_objective(p) - objective) <= allowed) continue;
        copy_state(p, was, 1);
        p->has_multipliers = warm;
        if (kept || !t.ends || s->stopped) break;
        t.ends = 0;
    }
    memcpy(p->x, best, size);
    return ARNE_OK;
}

arne_status search_keep_limits(search *s, arne_plan_result *result, arne_error *error)
{
    arne_plan   *p = s->p;
    const size_t state = state_size(p);
    const int    has_multipliers = p->has_multipliers;
    if (result->status > ARNE_PLAN_ACCEPTABLE || s->stopped) return ARNE_OK;
    double *was = malloc((2 * state + (size_t)p->x_count + 1) * sizeof *was);
    if (!was) return arne_fail_memory(error);
    double *first = was + state, *best = first + state;
    copy_state(p, first, 0);
    const arne_status status = try_rounds(s, was, best, error);
    memcpy(first, p->x, (size_t)p->x_count * sizeof *first);
    copy_state(p, first, 1); // bounds as they were, and their multipliers: for the next search
    p->has_multipliers = has_multipliers;
    if (s->stopped) result->status = ARNE_PLAN_INTERRUPTED;
    free(was);
    return status;
}
