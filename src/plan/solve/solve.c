// The search itself, by the interior point method of Ipopt.
//
// Before, where asked for: from the start to the nearest motion that keeps the constraints (the
// objective is the squared way there, and its Hessian is all there is of second order); or to the
// smoothest one (the objective is the integral of squared accelerations, with exact second
// derivatives): where there are many local optima, the one that is found from there depends less on
// rounding. Then the objective, with exact second derivatives, from there; then finer grids, less
// smoothing and tighter bounds.
#include "base/clock.h"
#include "base/error.h"
#include "base/options.h"
#include "plan/problem/plan_memory.h"
#include "plan/solve/forbidden.h"
#include "plan/solve/plan_status.h"
#include <arne/table.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static arne_status new_log(arne_plan *plan, arne_error *error)
{
    static const char *const names[] = {"phase", "iteration", "objective", "violation",
                                        "dual",  "barrier",   "step"};
    arne_table_free(plan->log);
    plan->log = NULL;
    arne_status status = arne_table_new(&plan->log);
    for (size_t i = 0; i < sizeof names / sizeof *names && !status; i++)
        status = arne_table_add_column(plan->log, names[i], "");
    return status ? arne_fail(error, status, NULL, 0, "%s", arne_status_text(status)) : ARNE_OK;
}

// Limits that forbid it by geometry alone: from the start and, where these seem to, from starts
// beside it, as the way around something may be found from one side only.
static arne_status find_forbidden_places(search *s, const double *start, plan_solution *now,
                                         int *fine, arne_error *error)
{
    const size_t size = plan_x_size(s->problem, &now->grid) * sizeof *now->x;
    arne_status  status = plan_find_forbidden(s, 1, start, now, fine, error);
    if (status || !s->plan->forbidden_count) return status;
    const int   said = s->plan->forbidden_count;
    double     *nearest = malloc(2 * size);
    plan_excess list[PLAN_FORBIDDEN];
    if (!nearest) return arne_fail_memory(error);
    double *beside = nearest + size / sizeof *now->x;
    memcpy(nearest, now->x, size);
    memcpy(list, s->plan->forbidden, sizeof list);
    for (int seed = 1; seed <= SEARCH_SEEDS && !status && !*fine && !s->stopped; seed++) {
        memcpy(now->x, start, size);
        search_scatter(s->problem, now, (unsigned long)seed, SEARCH_SCATTERED);
        memcpy(beside, now->x, size);
        status = plan_find_forbidden(s, 1, beside, now, fine, error);
    }
    if (!*fine) {
        memcpy(now->x, nearest, size);
        memcpy(s->plan->forbidden, list, sizeof list);
        s->plan->forbidden_count = said;
    }
    free(nearest);
    return status;
}

// Where the solve found nothing: limits that forbid it, by geometry alone; other starts; limits
// again, with all rows. Where none forbids it, the solve goes on from the motion that keeps them.
static arne_status try_again(search *s, const plan_solution *first, const double *start,
                             plan_solution *now, arne_error *error)
{
    int         fine = 0;
    arne_status status = ARNE_OK;
    if (!search_found_none(s, now)) return ARNE_OK;
    if (!s->problem->look_first) {
        status = find_forbidden_places(s, start, now, &fine, error);
        if (!status && !s->plan->forbidden_count) status = search_retry(s, first, now, error);
    }
    if (status || !search_found_none(s, now)) return status;
    if (!s->plan->forbidden_count && !s->stopped)
        status = plan_find_forbidden(s, 0, start, now, &fine, error);
    if (status || !fine || s->plan->forbidden_count) return status;
    return search_solve(s, &search_plain, NULL, now, error);
}

static arne_status first_search(search *s, plan_solution *now, arne_error *error)
{
    const size_t  size = plan_x_size(s->problem, &now->grid);
    plan_solution first;
    arne_status   status = plan_solution_copy(s->problem, now, &first, error);
    double       *start = NULL;
    if (status) return status;
    first.program = now->program; // borrowed: the first grid
    now->status = ARNE_PLAN_OPTIMAL;
    if (s->options->smooth_first)
        status = search_smooth_start(s, now, error);
    else if (s->options->feasibility_first)
        status = search_solve(s, &search_nearest, NULL, now, error);
    const int warm = s->options->warm && now->multipliers && !s->iterations;
    if (!status) start = plan_copy(now->x, size, sizeof *start);
    if (!status && !start) status = arne_fail_memory(error);
    if (!status && !s->stopped && search_succeeded(now->status))
        status = search_solve(s, warm ? &search_warm : &search_plain, NULL, now, error);
    if (!status) status = try_again(s, &first, start, now, error);
    first.program = NULL;
    plan_solution_free(&first);
    free(start);
    return status;
}

// Limits that forbid it that the robot and its contacts are where they should be, before any
// search.
static arne_status look_first(search *s, plan_solution *now, arne_error *error)
{
    const size_t size = plan_x_size(s->problem, &now->grid);
    int          fine = 0;
    double      *start = plan_copy(now->x, size, sizeof *start);
    if (!start) return arne_fail_memory(error);
    const arne_status status = plan_find_forbidden(s, 1, start, now, &fine, error);
    if (!s->plan->forbidden_count) memcpy(now->x, start, size * sizeof *start);
    free(start);
    return status;
}

static arne_status search_stages(search *s, plan_solution *now, arne_plan_result *result,
                                 arne_error *error)
{
    search_nudge(now);
    smooth_problem smooth = {0};
    const int      greatest = smooth_is_due(now);
    arne_status    status = greatest ? smooth_begin(s, &smooth, now, error) : ARNE_OK;
    if (!status) status = first_search(s, now, error);
    if (!status) status = search_refine(s, now, error);
    if (!status)
        status = greatest ? smooth_less(s, &smooth, now, result, error)
                          : search_converge(s, now, result, error);
    if (!status) status = search_sharpen(s, now, result, error);
    if (!status && s->options->refine >= 0) status = search_keep_limits(s, now, error);
    const arne_status ended =
        greatest ? smooth_end(s, &smooth, now, status ? NULL : error) : ARNE_OK;
    if (!status) status = ended;
    if (!status && greatest) status = smooth_converge(s, now, result, error);
    return status;
}

// Whether a motion was found that slips through a limit between grid points, or misses an equation
// there, of a plan that is small enough to be tried again.
static arne_status slips(search *s, const plan_solution *now, int *out, arne_error *error)
{
    plan_gap gap = {0};
    *out = 0;
    if (s->stopped || !search_succeeded(now->status) || s->options->refine < 0) return ARNE_OK;
    const arne_status status = plan_worst_gap(now, &gap, error);
    *out = gap.part > search_allowed_between(s->options);
    return status;
}

// All stages from the first start and, where that leads to a motion that slips, from starts beside
// it.
static arne_status search_starts(search *s, plan_solution *now, arne_plan_result *result,
                                 arne_error *error)
{
    plan_solution first;
    int           slipped = 0;
    const int     small = now->program->x_count <= RETRY_VARIABLES;
    arne_status   status = plan_solution_copy(s->problem, now, &first, error);
    if (status) return status;
    status = search_stages(s, now, result, error);
    if (!status && small) status = slips(s, now, &slipped, error);
    for (int seed = 1; seed <= SEARCH_SEEDS && slipped && !status; seed++) {
        plan_solution    one;
        arne_plan_result other = {0};
        status = plan_solution_copy(s->problem, &first, &one, error);
        if (status) break;
        status = plan_solution_ready(s->problem, &one, s->options->threads, error);
        s->plan->step_count = 0;
        if (!status) search_scatter(s->problem, &one, (unsigned long)seed, SEARCH_SCATTERED);
        if (!status) (void)plan_set_smoothing(one.program, one.x, SEARCH_SMOOTHING);
        if (!status) status = search_stages(s, &one, &other, error);
        if (!status) status = slips(s, &one, &slipped, error);
        if (!status && !slipped && search_succeeded(one.status)) {
            const plan_solution worse = *now;
            *now = one;
            one = worse;
            *result = other;
        } else {
            slipped = !s->stopped;
        }
        plan_solution_free(&one);
    }
    plan_solution_free(&first);
    return status;
}

static arne_status search_all(search *s, arne_plan_result *result, arne_error *error)
{
    plan_solution *now = &s->plan->now;
    arne_status    status = nlp_solver_find(&s->solver, error);
    if (!status) status = plan_ready(s->plan, s->options->threads, error);
    if (!status) status = new_log(s->plan, error);
    if (status) return status;
    (void)plan_set_smoothing(now->program, now->x, SEARCH_SMOOTHING);
    s->begun = clock_seconds();
    s->plan->forbidden_count = s->plan->step_count = 0;
    if (s->problem->look_first) status = look_first(s, now, error);
    if (s->plan->forbidden_count)
        now->status = ARNE_PLAN_INFEASIBLE;
    else if (!status)
        status = search_starts(s, now, result, error);
    result->status = now->status;
    result->refinements = s->refinements;
    result->solve_time = clock_seconds() - s->begun;
    result->function_time = s->function_time;
    result->derivative_time = s->derivative_time;
    result->iterations = s->iterations;
    return status;
}

arne_status arne_plan_solve(arne_plan *plan, const arne_solve_options *options,
                            arne_plan_result *result, arne_error *error)
{
    if (!plan || !result) return arne_fail_null(error);
    arne_solve_options own_options = {0};
    if (options &&
        !options_take(&own_options, sizeof own_options, OPTIONS_FIRST(arne_solve_options), options))
        return options_refuse(error);
    memset(result, 0, sizeof *result);
    search            s = {.plan = plan,
                           .problem = &plan->problem,
                           .options = &own_options,
                           .feasible = own_options.violation > 0 ? own_options.violation : 1e-8};
    const arne_status status = search_all(&s, result, error);
    if (status) return status;
    const plan_tolerance allowed = {
        .feasible = s.feasible,
        .between = own_options.refine < 0 ? INFINITY : search_allowed_between(&own_options)};
    return plan_judge(plan, &allowed, result, error);
}
