// Finer splines until the objective stays.
#include "base/clock.h"
#include "base/error.h"
#include "plan/solve/search.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SHARPER = 10; // so many times less smoothing in each step
enum { SHARPENINGS = 3 };

void search_note_step(const search *s, const plan_solution *now, double objective)
{
    arne_plan *p = s->plan;
    if (p->step_count < (int)(sizeof p->steps / sizeof *p->steps))
        p->steps[p->step_count++] = (arne_plan_step){.control_points = now->grid.m,
                                                     .iterations = s->iterations,
                                                     .objective = objective,
                                                     .solve_time = clock_seconds() - s->begun};
}

// By which part the objective changed with the last doubling.
static double last_change(const arne_plan *p)
{
    const arne_plan_step *s = &p->steps[p->step_count - 1];
    return (s[0].objective - s[-1].objective) / fmax(fabs(s[0].objective), 1e-12);
}

int arne_plan_steps(const arne_plan *plan, arne_plan_step *out, int count)
{
    for (int i = 0; i < count && i < plan->step_count; i++)
        out[i] = plan->steps[i];
    return plan->step_count;
}

enum { CONVERGE_DOUBLINGS = 5 };

// Whether spans may be doubled once more.
static int can_double(const search *s, const plan_solution *now)
{
    if (!plan_grid_can_halve(s->problem, &now->grid, NULL) ||
        s->plan->step_count > CONVERGE_DOUBLINGS)
        return 0;
    return s->options->converge > 0 || 2 * s->problem->n * now->grid.m <= CONVERGE_VARIABLES;
}

// Of an odd number of spans the middle one is as wide as the two beside the middle of twice as
// many: a jump there (when a motion turns from full speed ahead to full brake) is as blurred as
// before, and that the objective stays says nothing.
static int has_odd_spans(const plan_problem *p, const plan_grid *grid)
{
    for (int k = 0; k < p->phase_count; k++)
        if ((grid->counts[k] - p->degree) % 2) return 1;
    return 0;
}

// What the objective will still change by if its changes go on to shrink as the last two did.
static double still_to_come(double change, double before)
{
    const double shrinks = before != 0 ? fmin(change / before, 0.9) : 0.5;
    return fabs(change) * fmax(1, shrinks / (1 - shrinks));
}

static int converge_stays(double change, double before, double allowed)
{
    // A change that is gone all at once: a jump is as far from the nearest knot as it was.
    const int sudden = fabs(before) > allowed && fabs(change) < 1e-3 * fabs(before);
    if (sudden || !(fabs(change) < allowed)) return 0;
    return fabs(change) < 1e-3 * allowed || still_to_come(change, before) < allowed;
}

// One step: twice as many spans, from the motion that was found. *lost: no finer and better one was
// found, and `now` is still the old one.
static arne_status double_spans(search *s, plan_solution *now, int *lost, arne_error *error)
{
    const plan_problem *p = s->problem;
    plan_grid           grid;
    plan_solution       next;
    const int           refinements = s->refinements;
    arne_status         status = plan_grid_halve(p, &now->grid, NULL, &grid, error);
    if (status) return status;
    if (grid.grid_points) grid.grid_points = 2 * grid.grid_points - 1; // with the spans
    status = plan_solution_finer(p, now, &grid, s->options->threads, &next, error);
    if (status) return status;
    status = search_solve(s, &search_near, NULL, &next, error);
    if (!status) status = search_refine(s, &next, error);
    *lost = !status && !s->stopped && !search_succeeded(next.status) &&
            (search_found_none(s, &next) || !(search_objective(&next) <= search_objective(now)));
    if (*lost) {
        s->refinements = refinements;
    } else if (!status) {
        const plan_solution old = *now;
        *now = next;
        next = old;
    }
    plan_solution_free(&next);
    return status;
}

arne_status search_converge(search *s, plan_solution *now, arne_plan_result *result,
                            arne_error *error)
{
    const double allowed = fabs(s->options->converge);
    double       change = 0;
    if (allowed == 0 || s->stopped || !search_succeeded(now->status)) return ARNE_OK;
    if (s->options->converge < 0 && !can_double(s, now)) return ARNE_OK;
    search_note_step(s, now, search_objective(now));
    result->converged = -1;
    while (can_double(s, now) && result->converged < 0) {
        const int         blind = has_odd_spans(s->problem, &now->grid);
        const double      before = change;
        int               lost = 0;
        const arne_status status = double_spans(s, now, &lost, error);
        if (status || s->stopped || lost) return status;
        const int gave_up = !search_succeeded(now->status);
        if (gave_up) now->status = ARNE_PLAN_STALLED; // it keeps all constraints
        search_note_step(s, now, search_objective(now));
        change = last_change(s->plan);
        result->change = fabs(change);
        if (gave_up) return ARNE_OK;
        if (!blind && converge_stays(change, before, allowed)) result->converged = 1;
    }
    return ARNE_OK;
}

// ---- absolute values

// One step with this smoothing. *lost: the search does not follow, and motion and smoothing are as
// they were.
static arne_status sharpen_once(search *s, plan_solution *now, double part, int *lost,
                                arne_error *error)
{
    const size_t           size = (size_t)now->program->x_count * sizeof *now->x;
    const arne_plan_status was = now->status;
    double                *x = malloc(size + 1);
    if (!x) return arne_fail_memory(error);
    memcpy(x, now->x, size);
    const arne_status status = search_solve(s, &search_near, NULL, now, error);
    *lost = !status && !search_succeeded(now->status);
    if (*lost) {
        memcpy(now->x, x, size);
        (void)plan_set_smoothing(now->program, now->x, SHARPER * part);
    }
    now->status = s->stopped ? ARNE_PLAN_INTERRUPTED : was;
    free(x);
    return status;
}

arne_status search_sharpen(search *s, plan_solution *now, arne_plan_result *result,
                           arne_error *error)
{
    const double allowed = s->options->converge != 0 ? fabs(s->options->converge) : 1e-3;
    double       part = SEARCH_SMOOTHING;
    for (int i = 0; i < SHARPENINGS; i++) {
        int          lost = 0;
        const double before = search_objective(now);
        if (s->stopped || !search_succeeded(now->status)) break;
        if (!plan_set_smoothing(now->program, now->x, part /= SHARPER)) break;
        const arne_status status = sharpen_once(s, now, part, &lost, error);
        if (status) return status;
        const double after = search_objective(now), change = fabs(after - before) / fabs(after);
        if (lost && result->converged > 0) result->converged = -1;
        if (lost) break;
        result->change = change;
        if (s->plan->step_count) search_note_step(s, now, search_objective(now));
        if (change < allowed) break;
    }
    return ARNE_OK;
}
