// Where a search finds no motion: other starts, before limits are said to forbid it. A straight
// line in a second is a bad start for a motion that has to swing, or to go around something. So the
// line is tried with control points beside it, and in two, four and eight times the time where that
// is free, then with twice as many spans where the problem leaves them to us, and of small plans
// with four times as many. The best of what is found on the same splines counts.
#include "base/error.h"
#include "plan/solve/search.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const search_strategy attempts[] = {
    {.name = "scattered", .seed = 1},
    {.name = "scattered otherwise", .seed = 2},
    {.name = "twice the time", .slower = 2},
    {.name = "four times the time", .slower = 4},
    {.name = "eight times the time", .slower = 8},
    {.name = "finer", .halvings = 1},
    {.name = "finer, twice the time", .halvings = 1, .slower = 2},
    {.name = "finer, four times the time", .halvings = 1, .slower = 4},
    {.name = "finer, eight times the time", .halvings = 1, .slower = 8},
    {.name = "finest", .halvings = 2},
    {.name = "finest, twice the time", .halvings = 2, .slower = 2},
    {.name = "finest, four times the time", .halvings = 2, .slower = 4},
    {.name = "finest, eight times the time", .halvings = 2, .slower = 8},
};

// Variables of the plans that are tried with four times as many spans.
enum { RETRY_FINEST_VARIABLES = 60 };

// The motion in so many times the time, as far as its bounds allow. Returns whether that is
// another.
static int retry_slow_down(const plan_problem *p, plan_solution *s, double factor)
{
    int     another = 0;
    double *T = plan_durations(p, s);
    for (int k = 0; p->free_time && k < p->phase_count; k++) {
        const plan_phase *f = &p->phases[k];
        const double      was = T[k];
        if (f->most > 0) T[k] = fmin(fmax(was * factor, f->least), f->most);
        another |= T[k] > 1.01 * was;
    }
    return another;
}

// The start of a strategy: the first one, changed as the strategy says. *other: it is another.
static arne_status make_start(search *s, const search_strategy *how, const plan_solution *first,
                              plan_solution *out, int *other, arne_error *error)
{
    const plan_problem *p = s->problem;
    arne_status         status = plan_solution_copy(p, first, out, error);
    if (status) return status;
    *other = !(how->slower > 0) || retry_slow_down(p, out, how->slower);
    for (int i = 0; i < how->halvings && *other && !status; i++) {
        plan_grid     grid;
        plan_solution finer;
        status = plan_solution_ready(p, out, s->options->threads, error);
        if (!status) status = plan_grid_halve(p, &out->grid, NULL, &grid, error);
        if (!status)
            status = plan_solution_finer(p, out, &grid, s->options->threads, &finer, error);
        if (status) break;
        plan_solution_free(out);
        *out = finer;
    }
    if (!status && *other) status = plan_solution_ready(p, out, s->options->threads, error);
    if (!status && how->seed) search_scatter(p, out, (unsigned long)how->seed, SEARCH_SCATTERED);
    if (!status && *other)
        for (int i = 0; i < p->objective_count; i++)
            out->program->objectives[i].smooth = first->program->objectives[i].smooth;
    if (status) plan_solution_free(out);
    return status;
}

// Solves by one strategy; *best becomes what is found where its objective is less.
static arne_status attempt(search *s, const search_strategy *how, const plan_solution *first,
                           plan_solution *best, double *objective, arne_error *error)
{
    plan_solution one;
    int           other;
    arne_status   status = make_start(s, how, first, &one, &other, error);
    if (status) return status;
    if (other) status = search_solve(s, how, NULL, &one, error);
    const double found = !status && other && !s->stopped && search_succeeded(one.status)
                             ? search_objective(&one)
                             : NAN;
    if (found < *objective) {
        const plan_solution worse = *best;
        *best = one;
        one = worse;
        *objective = found;
    }
    plan_solution_free(&one);
    return status;
}

static int most_halvings(const search *s, const plan_solution *now)
{
    if (s->options->converge >= 0 || !plan_grid_can_halve(s->problem, &now->grid, NULL)) return 0;
    return now->program->x_count > RETRY_FINEST_VARIABLES ? 1 : 2;
}

arne_status search_retry(search *s, const plan_solution *first, plan_solution *now,
                         arne_error *error)
{
    plan_solution best = {0};
    double        objective = INFINITY;
    const int     halvings = most_halvings(s, now);
    arne_status   status = ARNE_OK;
    if (now->program->x_count > RETRY_VARIABLES) return ARNE_OK;
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts && !status && !s->stopped; i++) {
        const search_strategy *how = &attempts[i];
        if (how->halvings > halvings) break;
        if (isfinite(objective) && how->halvings > attempts[i ? i - 1 : 0].halvings) break;
        status = attempt(s, how, first, &best, &objective, error);
    }
    if (s->stopped) now->status = ARNE_PLAN_INTERRUPTED;
    if (!status && isfinite(objective)) {
        const plan_solution old = *now;
        *now = best;
        best = old;
    }
    plan_solution_free(&best);
    return status;
}
