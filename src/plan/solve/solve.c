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

static arne_status refine(search *s, arne_plan_result *result, arne_error *error)
{
    const int most = refinement_rounds(s);
    for (int round = 0; round < most && result->status <= ARNE_PLAN_ACCEPTABLE && !s->stopped;
         round++) {
        int         changed = 0;
        arne_status status = refine_once(s, &changed, error);
        if (status || !changed) return status;
        result->refinements++;
        s->near = s->p->phase_count > 1 || s->p->touch_count;
        status = search_run(s, 2, 0, &result->status, error);
        s->near = 0;
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

static arne_status ready(search *s, arne_error *error)
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
    if (!status) status = ready(s, error);
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
    return status ? status : ready(s, error);
}

// ---- finer splines until the objective stays

static void note_step(arne_plan *p, int iterations, double begun)
{
    double objective = NAN;
    plan_set(p, p->x);
    if (plan_objective_value(p, &objective)) objective = NAN;
    if (p->step_count < (int)(sizeof p->steps / sizeof *p->steps))
        p->steps[p->step_count++] = (arne_plan_step){.control_points = p->m,
                                                     .iterations = iterations,
                                                     .objective = objective,
                                                     .solve_time = begun};
}

// By which part the objective changed with the last doubling.
static double last_change(const arne_plan *p)
{
    const arne_plan_step *s = &p->steps[p->step_count - 1];
    return fabs(s[0].objective - s[-1].objective) / fmax(fabs(s[0].objective), 1e-12);
}

int arne_plan_steps(const arne_plan *plan, arne_plan_step *out, int count)
{
    for (int i = 0; i < count && i < plan->step_count; i++)
        out[i] = plan->steps[i];
    return plan->step_count;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
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

// Whether the search found no motion that keeps all constraints.
static int found_none(const search *s, const arne_plan_result *result)
{
    return !s->stopped && result->status > ARNE_PLAN_ACCEPTABLE &&
           plan_violation(s->p).amount > 10 * s->feasible;
}

static arne_status converge(search *s, arne_plan_result *result, double begun, arne_error *error)
{
    arne_plan *p = s->p;
    p->step_count = 0;
    if (s->options->converge == 0 || s->stopped || result->status > ARNE_PLAN_ACCEPTABLE)
        return ARNE_OK;
    if (s->options->converge < 0 && !can_double(s)) return ARNE_OK;
    note_step(p, s->iterations, now() - begun);
    result->converged = -1;
    while (can_double(s) && result->converged < 0) {
        const int    blind = has_odd_spans(p);
        const double before = result->change;
        if (p->options.grid_points) // the grid grows with the spans
            p->options.grid_points = 2 * p->options.grid_points - 1;
        arne_status status = plan_respline(p, error);
        if (!status) status = ready(s, error);
        s->near = 1;
        if (!status) status = search_run(s, 2, 0, &result->status, error);
        s->near = 0;
        if (!status && !s->stopped && result->status <= ARNE_PLAN_ACCEPTABLE)
            status = refine(s, result, error);
        const int gave_up = !status && !s->stopped && result->status > ARNE_PLAN_ACCEPTABLE;
        if (status || s->stopped || (gave_up && found_none(s, result))) return status;
        if (gave_up) result->status = ARNE_PLAN_STALLED; // it keeps all constraints
        note_step(p, s->iterations, now() - begun);
        result->change = last_change(p);
        if (gave_up) return ARNE_OK;
        // A change that is gone all at once: a jump is as far from the nearest knot as it was.
        const int sudden = before > fabs(s->options->converge) && result->change < 1e-3 * before;
        if (result->change < fabs(s->options->converge) && !blind && !sudden) result->converged = 1;
    }
    return ARNE_OK;
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

// Where the search finds nothing: limits that forbid it. Where none does, it goes on from the
// motion that keeps them all.
static arne_status try_again(search *s, arne_plan_result *result, arne_error *error)
{
    int fine = 0;
    if (!found_none(s, result)) return ARNE_OK;
    arne_status status = ARNE_OK;
    if (!s->p->look_first) status = plan_find_forbidden(s, 1, &fine, error);
    if (!status && !s->p->forbidden_count && !s->stopped)
        status = plan_find_forbidden(s, 0, &fine, error);
    if (status || !fine || s->p->forbidden_count) return status;
    return search_run(s, 2, 0, &result->status, error);
}

static arne_status search_all(search *s, arne_plan_result *result, arne_error *error)
{
    arne_status status = nlp_solver_find(&s->solver, error);
    if (!status) status = ready(s, error);
    if (!status) status = new_log(s->p, error);
    if (!status) plan_set_smoothing(s->p);
    if (status) return status;
    const double begun = now();
    int          forbidden = 0;
    s->p->forbidden_count = 0;
    if (s->p->look_first) status = look_first(s, &forbidden, error);
    if (status || forbidden) {
        result->status = ARNE_PLAN_INFEASIBLE;
        result->solve_time = now() - begun;
        result->iterations = s->iterations;
        return status;
    }
    if (s->options->smooth_first)
        status = smooth(s, result, error);
    else if (s->options->feasibility_first)
        status = search_run(s, 1, 0, &result->status, error);
    if (status) return status;
    const int warm = s->options->warm && s->p->has_multipliers && !s->iterations;
    if (!s->stopped && result->status <= ARNE_PLAN_ACCEPTABLE)
        status = search_run(s, 2, warm, &result->status, error);
    if (!status) status = try_again(s, result, error);
    if (!status) status = refine(s, result, error);
    if (!status) status = converge(s, result, begun, error);
    result->solve_time = now() - begun;
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
