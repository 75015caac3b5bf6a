// Limits that hold between grid points too. A search keeps them at grid points; a torque that is at
// its limit on both sides of an interval bulges beyond it in between. There the bounds of the two
// points move inward by as much as that, and the search goes on from where it is. Where that would
// cost more of the objective than its accuracy, splines are too coarse for it: the motion stays,
// and what is exceeded is said.
#include "base/error.h"
#include "plan/problem/plan_memory.h"
#include "plan/solve/search.h"
#include "plan/transcription/assemble.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    STEPS = 20, // places in an interval of the grid at which limits are looked at
    ROUNDS = 4  // of tightening; what is exceeded then falls by a factor of about ten in each
};
// Bounds move by a little more than what they are exceeded by: the peak may lie between two places.
static const double TIGHTEN_MARGIN = 1.05;
// What tightening may cost, of the objective: below the 1e-3 to which searches converge.
static const double TIGHTEN_COST_LIMIT = 3e-4;
// What a limit may be exceeded by: in its unit, and relative to the bound.
static const double EXCESS_ABSOLUTE = 1e-8, EXCESS_RELATIVE = 1e-6;

typedef struct overshoot {
    double below, above; // by how far the bounds of a row are exceeded
} overshoot;

typedef struct tightening {
    const plan_solution *now;
    plan_program        *p;
    double              *lower, *upper; // bounds of rows, tighter and tighter
    int                  ends;          // bounds move at the start and the end of the motion, too
    int                  count;         // of bounds that moved
    double               worst;         // the largest excess, of its bound
    double               costs;         // what the multipliers say that it costs of the objective
} tightening;

// A bound that holds over a stretch of time at grid points.
static int tighten_is_limit(const plan_constraint *c)
{
    return c->hold == HOLD_GRID && !c->collocated && c->point_count && c->from < c->to &&
           (c->other < 0 || c->other_at < 0);
}

static int is_end(const plan_program *p, const plan_point *at)
{
    return (at->phase == 0 && at->u <= 0) || (at->phase == p->phase_count - 1 && at->u >= 1);
}

static void pull_in(tightening *t, const plan_constraint *c, int row, int point,
                    const overshoot *by)
{
    const int index = plan_find_place(c, point);
    if (index < 0 || (!t->ends && is_end(t->p, &t->p->points[point]))) return;
    const int    at = c->first_row + index * c->row_count + row;
    const double lower = t->lower[at] + TIGHTEN_MARGIN * by->below,
                 upper = t->upper[at] - TIGHTEN_MARGIN * by->above;
    if (!(lower < upper)) return;
    t->lower[at] = lower;
    t->upper[at] = upper;
    t->count++;
    if (t->now->multipliers)
        t->costs += TIGHTEN_MARGIN * (by->below + by->above) * fabs(t->now->multipliers[at]);
}

static double tighten_beyond(double amount, double bound)
{
    return amount > fmax(EXCESS_ABSOLUTE, EXCESS_RELATIVE * fabs(bound)) ? amount : 0;
}

// The instant where p->between stands, of all rows of a limit.
static void note_overshoot(plan_program *p, const plan_constraint *c, overshoot *most)
{
    const double *left = plan_values(&p->between, c->quantity);
    const double *right = c->other < 0 ? NULL : plan_values(&p->between, c->other);
    for (int r = 0; left && r < c->row_count; r++) {
        double value = left[c->rows[r]];
        if (right) value -= c->factors[r] * right[c->other_rows[r]];
        if (c->lower[r] == c->upper[r] || !isfinite(value)) continue;
        most[r].below = fmax(most[r].below, tighten_beyond(c->lower[r] - value, c->lower[r]));
        most[r].above = fmax(most[r].above, tighten_beyond(value - c->upper[r], c->upper[r]));
    }
}

static void tighten_look_at(const tightening *t, int phase, double u, overshoot *most)
{
    plan_program *p = t->p;
    plan_place(p, &p->between, phase, u, t->now->x);
    for (int i = 0; i < p->problem->constraint_count; most += p->constraints[i++].row_count) {
        const plan_constraint *c = &p->constraints[i];
        if (tighten_is_limit(c) && u >= c->from && u <= c->to &&
            (c->phase < 0 || c->phase == phase))
            note_overshoot(p, c, most);
    }
}

static double tighten_part_of(const plan_constraint *c, int row, const overshoot *by)
{
    const double below = by->below / fmax(fabs(c->lower[row]), EXCESS_ABSOLUTE),
                 above = by->above / fmax(fabs(c->upper[row]), EXCESS_ABSOLUTE);
    return fmax(by->below > 0 ? below : 0, by->above > 0 ? above : 0);
}

// The interval from grid point k to the one at `end`. most: room for the rows of all constraints.
static void tighten_interval(tightening *t, int k, int end, overshoot *most)
{
    const plan_program *p = t->p;
    const int           phase = p->points[k].phase;
    const double        a = p->points[k].u, b = p->points[end].u;
    const double       *breaks = arne_bspline_breaks(p->phases[phase].spline);
    for (int i = 1; i < STEPS; i++)
        tighten_look_at(t, phase, a + (b - a) * i / STEPS, most);
    for (int i = 1; breaks[i] < b; i++)
        if (breaks[i] > a) tighten_look_at(t, phase, breaks[i], most);
    for (int i = 0; i < p->problem->constraint_count; i++)
        for (int r = 0; r < p->constraints[i].row_count; r++, most++) {
            if (most->below == 0 && most->above == 0) continue;
            t->worst = fmax(t->worst, tighten_part_of(&p->constraints[i], r, most));
            pull_in(t, &p->constraints[i], r, k, most);
            pull_in(t, &p->constraints[i], r, end, most);
        }
}

static arne_status tighten(tightening *t, arne_error *error)
{
    plan_program *p = t->p;
    size_t        rows = 1;
    for (int i = 0; i < p->problem->constraint_count; i++)
        rows += (size_t)p->constraints[i].row_count;
    overshoot *most = malloc(rows * sizeof *most);
    t->count = 0;
    t->worst = t->costs = 0;
    if (!most) return arne_fail_memory(error);
    plan_set(p, t->now->x);
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

static void swap_solutions(plan_solution *a, plan_solution *b)
{
    double *const x = a->x, *const multipliers = a->multipliers;
    const arne_plan_status status = a->status;
    a->x = b->x, a->multipliers = b->multipliers, a->status = b->status;
    b->x = x, b->multipliers = multipliers, b->status = status;
}

// The same motion on the same program, with its multipliers.
static arne_status copy_motion(const plan_solution *from, plan_solution *out, arne_error *error)
{
    const size_t n = plan_x_size(from->program->problem, &from->grid),
                 m = (size_t)from->multiplier_count;
    *out = *from;
    out->x = plan_copy(from->x, n, sizeof *from->x);
    out->multipliers =
        from->multipliers ? plan_copy(from->multipliers, m, sizeof *from->multipliers) : NULL;
    if (out->x && (out->multipliers || !from->multipliers)) return ARNE_OK;
    free(out->x), free(out->multipliers);
    out->x = out->multipliers = NULL;
    return arne_fail_memory(error);
}

// Tightens and solves again, round after round; *best is the motion that exceeds limits least. What
// is given at the ends may be at its bound: where no motion is found, the bounds there stay.
static arne_status try_rounds(search *s, tightening *t, plan_solution *now, plan_solution *best,
                              arne_error *error)
{
    const size_t rows = (size_t)now->program->row_count;
    const double objective = search_objective(now), allowed = TIGHTEN_COST_LIMIT * fabs(objective);
    double       least = INFINITY, *was = malloc((2 * rows + 1) * sizeof *was);
    arne_status  status = was ? ARNE_OK : arne_fail_memory(error);
    for (int i = 0; i <= ROUNDS && !status; i++) {
        plan_solution next = {0};
        memcpy(was, t->lower, 2 * rows * sizeof *was);
        status = tighten(t, error);
        if (status) break;
        if (t->worst < least)
            memcpy(best->x, now->x, (size_t)now->program->x_count * sizeof *now->x);
        least = fmin(least, t->worst);
        if (!t->count || t->costs > allowed || i == ROUNDS) break;
        status = copy_motion(now, &next, error);
        const search_strategy *how = next.multipliers ? &search_warm : &search_plain;
        if (!status) status = search_solve(s, how, t->lower, &next, error);
        const int found = !status && search_succeeded(next.status),
                  cheap = found && fabs(search_objective(&next) - objective) <= allowed;
        if (cheap) swap_solutions(now, &next);
        free(next.x), free(next.multipliers);
        if (cheap) continue;
        memcpy(t->lower, was, 2 * rows * sizeof *was);
        if (found || !t->ends || s->stopped) break;
        t->ends = 0;
    }
    free(was);
    return status;
}

arne_status search_keep_limits(search *s, plan_solution *now, arne_error *error)
{
    plan_program *p = now->program;
    const size_t  rows = (size_t)p->row_count;
    plan_solution trial;
    if (!search_succeeded(now->status) || s->stopped) return ARNE_OK;
    tightening t = {.p = p, .ends = 1, .lower = malloc((2 * rows + 1) * sizeof *t.lower)};
    if (!t.lower) return arne_fail_memory(error);
    t.upper = t.lower + rows;
    memcpy(t.lower, p->row_lower, rows * sizeof *t.lower);
    memcpy(t.upper, p->row_upper, rows * sizeof *t.lower);
    arne_status status = copy_motion(now, &trial, error);
    t.now = &trial;
    if (!status) status = try_rounds(s, &t, &trial, now, error);
    free(trial.x), free(trial.multipliers), free(t.lower);
    if (s->stopped) now->status = ARNE_PLAN_INTERRUPTED;
    return status;
}
