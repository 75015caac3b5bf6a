// Finer splines until the objective stays.
#include "base/error.h"
#include "plan/solve/search.h"
#include "plan/transcription/respline.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SHARPER = 10; // so many times less smoothing in each step
enum { SHARPENINGS = 3 };

static void note_step(arne_plan *p, int iterations, double begun)
{
    if (p->step_count < (int)(sizeof p->steps / sizeof *p->steps))
        p->steps[p->step_count++] = (arne_plan_step){.control_points = p->m,
                                                     .iterations = iterations,
                                                     .objective = search_objective(p),
                                                     .solve_time = begun};
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

// Splines of so many variables are not made finer unless it is asked for.
enum { SMALL = 2000 };

// Whether spans may be doubled once more.
static int can_double(const search *s)
{
    const arne_plan *p = s->p;
    if (!plan_can_respline(p) || p->step_count >= 6) return 0;
    return s->options->converge > 0 || 2 * p->n * p->m <= SMALL;
}

// Of an odd number of spans the middle one is as wide as the two beside the middle of twice as
// many: a jump there (when a motion turns from full speed ahead to full brake) is as blurred as
// before, and that the objective stays says nothing.
static int has_odd_spans(const arne_plan *p)
{
    for (int k = 0; k < p->phase_count; k++)
        if ((p->phases[k].m - p->degree) % 2) return 1;
    return 0;
}

// What the objective will still change by if its changes go on to shrink as the last two did.
static double still_to_come(double change, double before)
{
    const double shrinks = before != 0 ? fmin(change / before, 0.9) : 0.5;
    return fabs(change) * fmax(1, shrinks / (1 - shrinks));
}

static int stays(double change, double before, double allowed)
{
    // A change that is gone all at once: a jump is as far from the nearest knot as it was.
    const int sudden = fabs(before) > allowed && fabs(change) < 1e-3 * fabs(before);
    if (sudden || !(fabs(change) < allowed)) return 0;
    return fabs(change) < 1e-3 * allowed || still_to_come(change, before) < allowed;
}

// One step: twice as many spans, from the motion that was found. *lost: no finer and better one was
// found, and the plan is as it was before.
static arne_status double_spans(search *s, arne_plan_result *result, int *lost, arne_error *error)
{
    arne_plan             *p = s->p;
    plan_kept              kept;
    const arne_plan_status was = result->status;
    const double           objective = search_objective(p);
    arne_status            status = plan_keep(p, &kept, error);
    *lost = 0;
    if (status) return status;
    if (p->options.grid_points) // the grid grows with the spans
        p->options.grid_points = 2 * p->options.grid_points - 1;
    status = plan_respline(p, error);
    if (!status) status = search_ready(s, error);
    s->near = 1;
    if (!status) status = search_run(s, 2, 0, &result->status, error);
    s->near = 0;
    if (!status && !s->stopped && result->status <= ARNE_PLAN_ACCEPTABLE)
        status = search_refine(s, result, error);
    *lost = !status && !s->stopped && result->status > ARNE_PLAN_ACCEPTABLE &&
            (search_found_none(s, result) || !(search_objective(p) <= objective));
    if (*lost) {
        result->status = was;
        status = plan_come_back(p, &kept, error);
        if (!status) status = search_ready(s, error);
    }
    plan_kept_free(&kept);
    return status;
}

arne_status search_converge(search *s, arne_plan_result *result, double begun, arne_error *error)
{
    arne_plan   *p = s->p;
    const double allowed = fabs(s->options->converge);
    double       change = 0;
    p->step_count = 0;
    if (allowed == 0 || s->stopped || result->status > ARNE_PLAN_ACCEPTABLE) return ARNE_OK;
    if (s->options->converge < 0 && !can_double(s)) return ARNE_OK;
    note_step(p, s->iterations, search_clock() - begun);
    result->converged = -1;
    while (can_double(s) && result->converged < 0) {
        const int         blind = has_odd_spans(p);
        const double      before = change;
        int               lost = 0;
        const arne_status status = double_spans(s, result, &lost, error);
        if (status || s->stopped || lost) return status;
        const int gave_up = result->status > ARNE_PLAN_ACCEPTABLE;
        if (gave_up) result->status = ARNE_PLAN_STALLED; // it keeps all constraints
        note_step(p, s->iterations, search_clock() - begun);
        change = last_change(p);
        result->change = fabs(change);
        if (gave_up) return ARNE_OK;
        if (!blind && stays(change, before, allowed)) result->converged = 1;
    }
    return ARNE_OK;
}

// ---- absolute values

// One step. *lost: the search does not follow, and the motion is as it was before.
static arne_status sharpen_once(search *s, double part, int *lost, arne_error *error)
{
    arne_plan       *p = s->p;
    arne_plan_status found = ARNE_PLAN_OPTIMAL;
    const size_t     size = (size_t)p->x_count * sizeof *p->x;
    double          *was = malloc(size + 1);
    if (!was) return arne_fail_memory(error);
    memcpy(was, p->x, size);
    s->near = 1;
    const arne_status status = search_run(s, 2, 0, &found, error);
    s->near = 0;
    *lost = !status && found > ARNE_PLAN_ACCEPTABLE;
    if (*lost) {
        memcpy(p->x, was, size);
        (void)plan_set_smoothing(p, SHARPER * part);
    }
    free(was);
    return status;
}

arne_status search_sharpen(search *s, arne_plan_result *result, double begun, arne_error *error)
{
    arne_plan   *p = s->p;
    const double allowed = s->options->converge != 0 ? fabs(s->options->converge) : 1e-3;
    double       part = SEARCH_BLUNT;
    for (int i = 0; i < SHARPENINGS; i++) {
        int          lost = 0;
        const double before = search_objective(p);
        if (s->stopped || result->status > ARNE_PLAN_ACCEPTABLE) break;
        if (!plan_set_smoothing(p, part /= SHARPER)) break;
        const arne_status status = sharpen_once(s, part, &lost, error);
        if (status) return status;
        const double now = search_objective(p), change = fabs(now - before) / fabs(now);
        if (lost && result->converged > 0) result->converged = -1;
        if (s->stopped) result->status = ARNE_PLAN_INTERRUPTED;
        if (lost) break;
        result->change = change;
        if (p->step_count) note_step(p, s->iterations, search_clock() - begun);
        if (change < allowed) break;
    }
    return ARNE_OK;
}
