// The search itself: in one or two phases, by the interior point method of Ipopt.
//
// Phase 1, where asked for: from the start to the nearest motion that keeps the constraints (the
// objective is the squared way there, and its Hessian is all there is of second order); or to the
// smoothest one (the objective is the integral of squared accelerations, with exact second
// derivatives): where there are many local optima, the one that is found from there depends less on
// rounding. Phase 2: the objective, with exact second derivatives, from there.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "base/error.h"
#include "base/options.h"
#include "plan/solve/forbidden.h"
#include "plan/solve/verdict.h"
#include "plan/transcription/respline.h"
#include "robot/joint.h"
#include <arne/table.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int make_room(search *s)
{
    arne_plan   *p = s->p;
    const size_t n = (size_t)p->x_count + 1, m = (size_t)p->row_count + 1;
    if (p->multiplier_count != p->row_count ||
        !p->multipliers) { // those of an earlier search are kept for the next one
        free(p->multipliers), free(p->bound_lower), free(p->bound_upper);
        p->multipliers = calloc(m, sizeof(double));
        p->bound_lower = calloc(n, sizeof(double));
        p->bound_upper = calloc(n, sizeof(double));
        p->multiplier_count = p->row_count;
        p->has_multipliers = 0;
    }
    free(s->start), free(s->seen), free(s->best);
    s->start = calloc(n, sizeof(double));
    s->seen = calloc(n, sizeof(double));
    s->best = calloc(n, sizeof(double));
    return p->multipliers && p->bound_lower && p->bound_upper && s->start && s->seen && s->best;
}

static double allowed_between(const search *s)
{
    return s->options->between > 0 ? s->options->between : 0.01;
}

static int refinement_rounds(const search *s)
{
    return s->options->refine < 0 ? 0 : s->options->refine > 0 ? s->options->refine : 8;
}

// Finer splines where an equality is missed between the points that hold it, more grid points where
// a bound is. *changed: the plan is another one and must be solved again.
static arne_status refine_once(search *s, int *changed, arne_error *error)
{
    const double part = allowed_between(s);
    plan_gap     gap;
    int          equality = 0;
    *changed = 0;
    arne_status status = plan_worst_gap(s->p, part, &gap, &equality, error);
    if (status || gap.part <= part) return status;
    if (equality && plan_can_respline(s->p)) {
        *changed = 1;
        status = plan_respline(s->p, error);
        if (!status) status = plan_prepare(s->p, error);
    } else {
        status = plan_refine(s->p, part, changed, error);
    }
    return !status && *changed && !make_room(s) ? arne_fail_memory(error) : status;
}

// One round. Where no motion is found on the refined plan, it is again as it was, and the round was
// the last.
static arne_status refine_or_stay(search *s, arne_plan_result *result, int *changed,
                                  arne_error *error)
{
    plan_kept              kept;
    const arne_plan_status was = result->status;
    arne_status            status = plan_keep(s->p, &kept, error);
    if (status) return status;
    status = refine_once(s, changed, error);
    if (!status && *changed) {
        s->near = s->p->phase_count > 1 || s->p->touch_count;
        status = search_run(s, 2, 0, &result->status, error);
        s->near = 0;
        result->refinements++;
    }
    if (!status && *changed && search_found_none(s, result)) {
        *changed = 0;
        result->refinements--;
        result->status = was;
        status = plan_come_back(s->p, &kept, error);
        if (!status) status = search_ready(s, error);
    }
    plan_kept_free(&kept);
    return status;
}

arne_status search_refine(search *s, arne_plan_result *result, arne_error *error)
{
    int       changed = 1;
    const int most = refinement_rounds(s);
    for (int round = 0;
         round < most && changed && result->status <= ARNE_PLAN_ACCEPTABLE && !s->stopped;
         round++) {
        const arne_status status = refine_or_stay(s, result, &changed, error);
        if (status) return status;
    }
    return ARNE_OK;
}

// The integral of squared accelerations: a metre counts as three radians, all in units of T.
static arne_status add_smoothness(arne_plan *p, arne_error *error)
{
    const arne_quantity what = {.kind = ARNE_QUANTITY_ACCELERATION};
    const double        T = arne_plan_time(p);
    double             *weights = malloc((size_t)p->v_count * sizeof *weights);
    arne_objective      o = {
             .name = "smoothness", .row_count = p->v_count, .weights = weights, .at = -1};
    arne_status status =
        weights ? arne_plan_add_quantity(p, &what, &o.quantity, error) : arne_fail_memory(error);
    for (int k = 0; !status && k < p->v_count; k++)
        weights[k] = 8e-5 * T * T * T;
    for (int i = 0; !status && i < arne_robot_sizes(p->robot).joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(p->robot, i);
        if (joint_is_slide(j.kind) && j.v_count) weights[j.v_start] *= 10;
    }
    if (!status) status = arne_plan_add_objective(p, &o, error);
    free(weights);
    return status;
}

arne_status search_ready(search *s, arne_error *error)
{
    if (s->p->states && s->p->threads != s->options->threads) plan_forget(s->p);
    s->p->threads = s->options->threads;
    const arne_status status = plan_prepare(s->p, error);
    return status || make_room(s) ? status : arne_fail_memory(error);
}

// The plan's own objectives are put aside meanwhile.
static arne_status smooth(search *s, arne_plan_result *result, arne_error *error)
{
    arne_plan      *p = s->p;
    plan_objective *own = p->objectives;
    const int       count = p->objective_count, room = p->objective_room;
    const double    time_weight = p->time_weight;
    p->objectives = NULL;
    p->objective_count = p->objective_room = 0;
    p->time_weight = 0;
    arne_status status = add_smoothness(p, error);
    if (!status) status = search_ready(s, error);
    s->smooth = 1;
    if (!status) status = search_run(s, 2, 0, &result->status, error);
    s->smooth = 0;
    plan_forget(p);
    if (p->objective_count) free(p->objectives[0].rows), free(p->objectives[0].weights);
    free(p->objectives);
    p->objectives = own;
    p->objective_count = count;
    p->objective_room = room;
    p->time_weight = time_weight;
    return status ? status : search_ready(s, error);
}

int search_found_none(const search *s, const arne_plan_result *result)
{
    return !s->stopped && result->status > ARNE_PLAN_ACCEPTABLE &&
           plan_violation(s->p).amount > 10 * s->feasible;
}

static arne_status new_log(arne_plan *p, arne_error *error)
{
    static const char *const names[] = {"phase", "iteration", "objective", "violation",
                                        "dual",  "barrier",   "step"};
    arne_table_free(p->log);
    p->log = NULL;
    arne_status status = arne_table_new(&p->log);
    for (size_t i = 0; i < sizeof names / sizeof *names && !status; i++)
        status = arne_table_add_column(p->log, names[i], "");
    return status ? arne_fail(error, status, NULL, 0, "%s", arne_status_text(status)) : ARNE_OK;
}

// The limits that forbid it that robot and contacts are where they should be, before any search.
// The motion stays as it was where there are none.
static arne_status look_first(search *s, int *forbidden, arne_error *error)
{
    arne_plan   *p = s->p;
    const size_t size = (size_t)p->x_count * sizeof *p->x;
    double      *was = malloc(size + 1);
    int          fine = 0;
    if (!was) return arne_fail_memory(error);
    memcpy(was, p->x, size);
    memcpy(s->start, p->x, size);
    const arne_status status = plan_find_forbidden(s, 1, &fine, error);
    *forbidden = p->forbidden_count > 0;
    if (!*forbidden) memcpy(p->x, was, size);
    free(was);
    return status;
}

// Where the search finds nothing: other starts, then limits that forbid it. Where none does, it
// goes on from the motion that keeps them all.
static arne_status try_again(search *s, const plan_kept *first, arne_plan_result *result,
                             arne_error *error)
{
    int fine = 0;
    if (!search_found_none(s, result)) return ARNE_OK;
    arne_status status = ARNE_OK;
    if (!s->p->look_first) status = plan_find_forbidden(s, 1, &fine, error);
    if (!status && !s->p->forbidden_count && !s->p->look_first)
        status = search_retry(s, first, result, error);
    if (status || !search_found_none(s, result)) return status;
    if (!s->p->forbidden_count && !s->stopped) status = plan_find_forbidden(s, 0, &fine, error);
    if (status || !fine || s->p->forbidden_count) return status;
    return search_run(s, 2, 0, &result->status, error);
}

static arne_status first_search(search *s, arne_plan_result *result, arne_error *error)
{
    plan_kept   first;
    arne_status status = plan_keep(s->p, &first, error);
    if (status) return status;
    if (s->options->smooth_first)
        status = smooth(s, result, error);
    else if (s->options->feasibility_first)
        status = search_run(s, 1, 0, &result->status, error);
    const int warm = s->options->warm && s->p->has_multipliers && !s->iterations;
    if (!status && !s->stopped && result->status <= ARNE_PLAN_ACCEPTABLE)
        status = search_run(s, 2, warm, &result->status, error);
    if (!status) status = try_again(s, &first, result, error);
    plan_kept_free(&first);
    return status;
}

static arne_status search_all(search *s, arne_plan_result *result, arne_error *error)
{
    arne_status status = nlp_solver_find(&s->solver, error);
    if (!status) status = search_ready(s, error);
    if (!status) status = new_log(s->p, error);
    if (!status) (void)plan_set_smoothing(s->p, SEARCH_BLUNT);
    if (status) return status;
    const double begun = search_clock();
    int          forbidden = 0;
    s->p->forbidden_count = 0;
    if (s->p->look_first) status = look_first(s, &forbidden, error);
    if (status || forbidden) {
        result->status = ARNE_PLAN_INFEASIBLE;
        result->solve_time = search_clock() - begun;
        result->iterations = s->iterations;
        return status;
    }
    status = first_search(s, result, error);
    if (!status) status = search_refine(s, result, error);
    if (!status) status = search_converge(s, result, begun, error);
    if (!status) status = search_sharpen(s, result, begun, error);
    if (!status && refinement_rounds(s)) status = search_keep_limits(s, result, error);
    result->solve_time = search_clock() - begun;
    result->function_time = s->function_time;
    result->derivative_time = s->derivative_time;
    result->iterations = s->iterations;
    return status;
}

arne_status arne_plan_solve(arne_plan *plan, const arne_solve_options *options,
                            arne_plan_result *result, arne_error *error)
{
    if (!plan || !result) return arne_fail_null(error);
    arne_solve_options own_options;
    if (options &&
        !options_take(&own_options, sizeof own_options, OPTIONS_FIRST(arne_solve_options), options))
        return options_refuse(error);
    if (options) options = &own_options;
    const arne_solve_options plain = {0};
    arne_plan_result         own;
    if (!result) result = &own;
    memset(result, 0, sizeof *result);
    search s = {.p = plan, .options = options ? options : &plain};
    s.feasible = s.options->violation > 0 ? s.options->violation : 1e-8;
    arne_status status = search_all(&s, result, error);
    free(s.start), free(s.seen), free(s.best);
    if (status) return status;
    const plan_tolerance allowed = {
        .feasible = s.feasible, .between = s.options->refine < 0 ? INFINITY : allowed_between(&s)};
    return plan_judge(plan, &allowed, result, error);
}
