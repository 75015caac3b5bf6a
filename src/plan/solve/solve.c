// The search itself: Ipopt's interior point method, through its C interface (3.11 and later).
//
// Phase 1, where asked for: from the start to the nearest motion that keeps the constraints (the objective is the
// squared way there, and its Hessian is all there is of second order); or to the smoothest one (the objective is the
// integral of squared accelerations, with exact second derivatives): where there are many local optima, the one that is
// found from there depends less on rounding. Phase 2: the objective, with exact second
// derivatives, from there.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "base/error.h"
#include "plan/problem/plan.h"
#include <arne/table.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef ARNE_HAVE_IPOPT
#include <IpStdCInterface.h>

typedef struct search {
    arne_plan                *p;
    const arne_solve_options *options;
    int                       phase, smooth, iterations, stopped;
    double                   *start;       // of phase 1
    double                   *seen, *best; // the last iterate, the best one
    double                    best_violation, best_objective, feasible;
    int                       is_set;
} search;

static const double NEARNESS = 1e-4; // the weight of the way in phase 1

static void set(search *s, const double *x, int is_new)
{
    if (is_new || !s->is_set) plan_set(s->p, x);
    s->is_set = 1;
}

// ---- what Ipopt asks

static Bool eval_f(Index n, Number *x, Bool is_new, Number *out, UserDataPtr data)
{
    search *s = data;
    set(s, x, is_new);
    if (s->phase == 2) return !plan_objective_value(s->p, out);
    *out = 0;
    for (int i = 0; i < n; i++)
        *out += 0.5 * NEARNESS * (x[i] - s->start[i]) * (x[i] - s->start[i]);
    return TRUE;
}

// Asked only of iterates, not of trials.
static Bool eval_grad_f(Index n, Number *x, Bool is_new, Number *out, UserDataPtr data)
{
    search *s = data;
    set(s, x, is_new);
    memcpy(s->seen, x, (size_t)n * sizeof *x);
    if (s->phase == 2) return !plan_objective_gradient(s->p, out);
    for (int i = 0; i < n; i++)
        out[i] = NEARNESS * (x[i] - s->start[i]);
    return TRUE;
}

static Bool eval_g(Index n, Number *x, Bool is_new, Index rows, Number *out, UserDataPtr data)
{
    search *s = data;
    (void)n, (void)rows;
    set(s, x, is_new);
    return !plan_rows(s->p, out);
}

static Bool eval_jac_g(Index n, Number *x, Bool is_new, Index rows, Index count, Index *row,
                       Index *column, Number *out, UserDataPtr data)
{
    search *s = data;
    (void)n, (void)rows, (void)count;
    if (!out) {
        plan_jacobian_structure(s->p, row, column);
        return TRUE;
    }
    set(s, x, is_new);
    return !plan_jacobian(s->p, out);
}

static Bool eval_h(Index n, Number *x, Bool is_new, Number factor, Index rows, Number *lambda,
                   Bool new_lambda, Index count, Index *row, Index *column, Number *out,
                   UserDataPtr data)
{
    search *s = data;
    (void)rows, (void)new_lambda;
    if (!out) {
        if (s->phase == 2)
            plan_hessian_structure(s->p, row, column);
        else
            for (int i = 0; i < n; i++)
                row[i] = column[i] = i;
        return TRUE;
    }
    set(s, x, is_new);
    if (s->phase == 2) return !plan_lagrangian(s->p, factor, lambda, out);
    for (int i = 0; i < count; i++)
        out[i] = factor * NEARNESS;
    return TRUE;
}

static void keep_best(search *s, double violation, double objective)
{
    const int fine = violation <= s->feasible, was = s->best_violation <= s->feasible;
    const int better =
        fine ? !was || objective < s->best_objective : !was && violation < s->best_violation;
    if (!better) return;
    memcpy(s->best, s->seen, (size_t)s->p->x_count * sizeof *s->best);
    s->best_violation = violation;
    s->best_objective = objective;
}

static Bool each_iteration(Index mode, Index iteration, Number objective, Number violation,
                           Number dual, Number mu, Number d_norm, Number regularization,
                           Number alpha_dual, Number alpha_primal, Index trials, UserDataPtr data)
{
    search *s = data;
    (void)d_norm, (void)regularization, (void)alpha_dual, (void)trials;
    if (mode == 0) keep_best(s, violation, objective);
    s->iterations += iteration > 0;
    const int                shown = s->smooth ? 1 : s->phase;
    const arne_plan_progress now = {s->iterations, shown, objective,   violation,
                                    dual,          mu,    alpha_primal};
    const double row[] = {shown, s->iterations, objective, violation, dual, mu, alpha_primal};
    if (s->p->log && arne_table_append(s->p->log, row) != ARNE_OK) s->stopped = 1;
    if (s->options->progress && s->options->progress(s->options->context, &now)) s->stopped = 1;
    return !s->stopped;
}

// ---- asking Ipopt

static void text_option(IpoptProblem nlp, const char *key, const char *value)
{
    char a[64], b[256]; // 3.11 takes them without const
    snprintf(a, sizeof a, "%s", key);
    snprintf(b, sizeof b, "%s", value);
    (void)AddIpoptStrOption(nlp, a, b);
}

static void number_option(IpoptProblem nlp, const char *key, double value)
{
    char a[64];
    snprintf(a, sizeof a, "%s", key);
    (void)AddIpoptNumOption(nlp, a, value);
}

static void whole_option(IpoptProblem nlp, const char *key, int value)
{
    char a[64];
    snprintf(a, sizeof a, "%s", key);
    (void)AddIpoptIntOption(nlp, a, value);
}

static void set_options(IpoptProblem nlp, const search *s, int warm)
{
    const arne_solve_options *o = s->options;
    whole_option(nlp, "print_level", 0);
    text_option(nlp, "sb", "yes"); // no banner
    if (o->log) {
        char path[1024];
        snprintf(path, sizeof path, "%s", o->log);
        (void)OpenIpoptOutputFile(nlp, path, 5);
    }
    text_option(nlp, "linear_solver", "mumps");
    text_option(nlp, "mu_strategy", "adaptive");
    text_option(nlp, "nlp_scaling_method", "user-scaling");
    number_option(nlp, "bound_relax_factor", 0);
    number_option(nlp, "tol",
                  s->smooth                           ? 1e-4
                  : s->phase == 2 && o->tolerance > 0 ? o->tolerance
                  : s->phase == 2                     ? 1e-8
                                                      : 1e-3);
    number_option(nlp, "constr_viol_tol", s->feasible);
    number_option(nlp, "acceptable_constr_viol_tol", s->feasible);
    whole_option(nlp, "max_iter", o->iterations > 0 ? o->iterations : 500);
    if (!warm) return;
    // From a motion and multipliers that are nearly the optimum's: stay there.
    static const char *const pushes[] = {
        "warm_start_bound_push", "warm_start_bound_frac", "warm_start_slack_bound_push",
        "warm_start_slack_bound_frac", "warm_start_mult_bound_push"};
    text_option(nlp, "warm_start_init_point", "yes");
    for (size_t i = 0; i < sizeof pushes / sizeof *pushes; i++)
        number_option(nlp, pushes[i], 1e-9);
    text_option(nlp, "mu_strategy", "monotone");
    number_option(nlp, "mu_init", 1e-8);
}

// Ipopt's own rule, on our scaled rows: gradients of the objective are brought below 100.
static double objective_scaling(search *s)
{
    double largest = 0;
    if (s->phase == 1) return 1;
    plan_set(s->p, s->p->x);
    if (plan_objective_gradient(s->p, s->seen)) return 1;
    for (int i = 0; i < s->p->x_count; i++)
        largest = fmax(largest, fabs(s->seen[i]));
    return 1 / fmax(1, largest / 100);
}

// Bounds as Ipopt wants them: 2e19 is infinite.
static double *finite_bounds(const double *from, int count)
{
    double *out = malloc((size_t)(count + 1) * sizeof *out);
    for (int i = 0; out && i < count; i++)
        out[i] = fmin(fmax(from[i], -2e19), 2e19);
    return out;
}

static IpoptProblem make_problem(search *s)
{
    arne_plan *p = s->p;
    const int  hessian = s->phase == 2 ? p->hessian_count : p->x_count;
    double *xl = finite_bounds(p->x_lower, p->x_count), *xu = finite_bounds(p->x_upper, p->x_count);
    double *gl = finite_bounds(p->row_lower, p->row_count),
           *gu = finite_bounds(p->row_upper, p->row_count);
    IpoptProblem nlp = NULL;
    if (xl && xu && gl && gu)
        nlp = CreateIpoptProblem(p->x_count, xl, xu, p->row_count, gl, gu, p->jacobian_count,
                                 hessian, 0, eval_f, eval_g, eval_grad_f, eval_jac_g, eval_h);
    free(xl), free(xu), free(gl), free(gu);
    return nlp;
}

static arne_plan_status verdict(int code)
{
    switch (code) {
    case Solve_Succeeded:
        return ARNE_PLAN_OPTIMAL;
    case Solved_To_Acceptable_Level:
    case Search_Direction_Becomes_Too_Small:
    case Feasible_Point_Found:
        return ARNE_PLAN_ACCEPTABLE;
    case Infeasible_Problem_Detected:
    case Restoration_Failed:
        return ARNE_PLAN_INFEASIBLE;
    case Maximum_Iterations_Exceeded:
    case Maximum_CpuTime_Exceeded:
        return ARNE_PLAN_ITERATIONS;
    case User_Requested_Stop:
        return ARNE_PLAN_INTERRUPTED;
    default:
        return ARNE_PLAN_FAILED;
    }
}

static arne_plan_status run_phase(search *s, int phase, int warm)
{
    arne_plan *p = s->p;
    s->phase = phase;
    s->is_set = 0;
    s->best_violation = s->best_objective = INFINITY;
    IpoptProblem nlp = make_problem(s);
    if (!nlp) return ARNE_PLAN_FAILED;
    double *ones = malloc((size_t)(p->x_count + 1) * sizeof *ones);
    for (int i = 0; ones && i < p->x_count; i++)
        ones[i] = 1;
    set_options(nlp, s, warm);
    (void)SetIpoptProblemScaling(nlp, objective_scaling(s), ones, p->row_scale);
    (void)SetIntermediateCallback(nlp, each_iteration);
    memcpy(s->start, p->x, (size_t)p->x_count * sizeof *p->x);
    double    value = 0;
    const int code =
        IpoptSolve(nlp, p->x, NULL, &value, p->multipliers, p->bound_lower, p->bound_upper, s);
    const arne_plan_status status = verdict(code);
    FreeIpoptProblem(nlp);
    free(ones);
    p->has_multipliers = phase == 2 && status <= ARNE_PLAN_ACCEPTABLE;
    if (status >= ARNE_PLAN_ITERATIONS &&
        isfinite(s->best_violation)) // what it ended with may be worse
        memcpy(p->x, s->best, (size_t)p->x_count * sizeof *p->x);
    return status;
}

// ---- all of it

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

static arne_status refine(search *s, arne_plan_result *result, arne_error *error)
{
    const double part = s->options->between > 0 ? s->options->between : 1e-3;
    for (int round = 0;
         round < s->options->refine && result->status <= ARNE_PLAN_ACCEPTABLE && !s->stopped;
         round++) {
        int         added = 0;
        arne_status status = plan_refine(s->p, part, &added, error);
        if (!status && added && !make_room(s)) status = arne_fail_memory(error);
        if (status || !added) return status;
        result->refinements++;
        result->status = run_phase(s, 2, 0);
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
        if (j.kind == ARNE_JOINT_PRISMATIC && j.v_count) weights[j.v_start] *= 10;
    }
    if (!status) status = arne_plan_add_objective(p, &o, error);
    free(weights);
    return status;
}

static arne_status ready(search *s, arne_error *error)
{
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
    if (!status) result->status = run_phase(s, 2, 0);
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

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
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

static arne_status search_all(search *s, arne_plan_result *result, arne_error *error)
{
    arne_status status = plan_prepare(s->p, error);
    if (!status && !make_room(s)) status = arne_fail_memory(error);
    if (!status) status = new_log(s->p, error);
    if (status) return status;
    const double begun = now();
    if (s->options->smooth_first)
        status = smooth(s, result, error);
    else if (s->options->feasibility_first)
        result->status = run_phase(s, 1, 0);
    if (status) return status;
    const int warm = s->options->warm && s->p->has_multipliers && !s->iterations;
    if (!s->stopped && result->status <= ARNE_PLAN_ACCEPTABLE)
        result->status = run_phase(s, 2, warm);
    status = refine(s, result, error);
    result->solve_time = now() - begun;
    result->iterations = s->iterations;
    return status;
}

#else

typedef struct search {
    arne_plan                *p;
    const arne_solve_options *options;
    double                   *start, *seen, *best, feasible;
} search;

static arne_status search_all(search *s, arne_plan_result *result, arne_error *error)
{
    (void)s, (void)result;
    return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                     "this build has no solver: Ipopt was not found");
}

#endif

// ---- how it went

// "NAME (row 2) is missed by 0.3 at t = 0.5", for the three constraints that are missed most.
static arne_status say_missed(arne_plan *p, const arne_plan_result *result, double feasible,
                              arne_error *error)
{
    char   text[400] = "";
    size_t used = 0;
    int    said[3] = {-1, -1, -1};
    for (int k = 0; k < 3 && used < sizeof text; k++) {
        const plan_miss m = plan_worst_but(p, said, k);
        if (m.constraint < 0 || m.amount <= feasible) break;
        const plan_constraint *c = &p->constraints[m.constraint];
        said[k] = m.constraint;
        used += (size_t)snprintf(
            text + used, sizeof text - used, "%s%s%s%.0d is missed by %.3g at t = %.4g s",
            k ? "; " : "", c->name, c->line ? " of line " : "", c->line, m.amount, m.u * result->T);
    }
    const plan_constraint *first = said[0] < 0 ? NULL : &p->constraints[said[0]];
    return arne_fail(error, ARNE_NOT_CONVERGED, first && first->file[0] ? first->file : NULL,
                     first ? first->line : 0, "%s: %s",
                     result->status == ARNE_PLAN_INFEASIBLE
                         ? "no motion keeps all constraints"
                         : "no motion that keeps all constraints was found",
                     text);
}

static void judge(arne_plan *p, arne_plan_result *result)
{
    const plan_miss at = plan_violation(p), between = plan_violation_between(p);
    result->T = arne_plan_time(p);
    result->violation = at.amount;
    result->worst = at.constraint;
    result->worst_time = at.u * result->T;
    result->violation_between = between.amount;
    result->worst_between = between.constraint;
    result->worst_between_time = between.u * result->T;
    result->variables = p->x_count;
    result->constraints = p->row_count;
    result->grid_points = 0;
    for (int i = 0; i < p->point_count; i++)
        result->grid_points += p->points[i].on_grid;
    plan_set(p, p->x);
    if (plan_objective_value(p, &result->objective)) result->objective = NAN;
}

arne_status arne_plan_solve(arne_plan *plan, const arne_solve_options *options,
                            arne_plan_result *result, arne_error *error)
{
    const arne_solve_options plain = {0};
    arne_plan_result         own;
    if (!result) result = &own;
    memset(result, 0, sizeof *result);
    search s = {.p = plan, .options = options ? options : &plain};
    s.feasible = s.options->violation > 0 ? s.options->violation : 1e-8;
    arne_status status = search_all(&s, result, error);
    free(s.start), free(s.seen), free(s.best);
    if (status) return status;
    judge(plan, result);
    const int kept = result->violation <= 10 * s.feasible;
    if (!kept && result->status != ARNE_PLAN_INTERRUPTED)
        return say_missed(plan, result, s.feasible, error);
    if (result->status == ARNE_PLAN_INFEASIBLE || result->status == ARNE_PLAN_FAILED)
        result->status = ARNE_PLAN_STALLED;
    return ARNE_OK;
}
