// What the solver asks of a plan, and which options it is given.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "plan/solve/search.h"
#include "base/error.h"
#include "plan/solve/verdict.h"
#include <arne/table.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double NEARNESS = 1e-4; // the weight of the way in phase 1

static void set(search *s, const double *x, int is_new)
{
    if (is_new || !s->is_set) plan_set(s->p, x);
    s->is_set = 1;
}

// ---- what the solver asks

// A search that is to end says of all numbers that there are none: the solver is soon at its wits'
// end.
static int stops(search *s)
{
    if (!s->stopped && s->options->stop && s->options->stop(s->options->stop_context))
        s->stopped = 1;
    return s->stopped;
}

static int objective(void *context, const double *x, int is_new, double *out)
{
    search *s = context;
    if (stops(s)) return 1;
    set(s, x, is_new);
    if (s->phase == 2) return plan_objective_value(s->p, out);
    *out = 0;
    for (int i = 0; i < s->p->x_count; i++)
        *out += 0.5 * NEARNESS * (x[i] - s->start[i]) * (x[i] - s->start[i]);
    return 0;
}

// Asked only of iterates, not of trials.
static int gradient(void *context, const double *x, int is_new, double *out)
{
    search *s = context;
    if (stops(s)) return 1;
    set(s, x, is_new);
    memcpy(s->seen, x, (size_t)s->p->x_count * sizeof *x);
    if (s->phase == 2) return plan_objective_gradient(s->p, out);
    for (int i = 0; i < s->p->x_count; i++)
        out[i] = NEARNESS * (x[i] - s->start[i]);
    return 0;
}

static int rows(void *context, const double *x, int is_new, double *out)
{
    search *s = context;
    if (stops(s)) return 1;
    set(s, x, is_new);
    return plan_rows(s->p, out);
}

static int jacobian(void *context, const double *x, int is_new, int *row, int *column, double *out)
{
    search *s = context;
    if (!out) {
        plan_jacobian_structure(s->p, row, column);
        return 0;
    }
    if (stops(s)) return 1;
    set(s, x, is_new);
    return plan_jacobian(s->p, out);
}

static int hessian(void *context, const double *x, int is_new, double factor, const double *lambda,
                   int *row, int *column, double *out)
{
    search   *s = context;
    const int n = s->p->x_count;
    if (!out && s->phase == 2) {
        plan_hessian_structure(s->p, row, column);
        return 0;
    }
    for (int i = 0; !out && i < n; i++)
        row[i] = column[i] = i;
    if (!out) return 0;
    if (stops(s)) return 1;
    set(s, x, is_new);
    if (s->phase == 2) return plan_lagrangian(s->p, factor, lambda, out);
    for (int i = 0; i < n; i++)
        out[i] = factor * NEARNESS;
    return 0;
}

static void keep_best(search *s, double violation, double objective_value)
{
    const int fine = violation <= s->feasible, was = s->best_violation <= s->feasible;
    const int better =
        fine ? !was || objective_value < s->best_objective : !was && violation < s->best_violation;
    if (!better) return;
    memcpy(s->best, s->seen, (size_t)s->p->x_count * sizeof *s->best);
    s->best_violation = violation;
    s->best_objective = objective_value;
}

static int progress(void *context, const arne_plan_progress *at, int in_restoration)
{
    search            *s = context;
    arne_plan_progress now = *at;
    if (!in_restoration) keep_best(s, now.violation, now.objective);
    s->iterations += now.iteration > 0;
    now.iteration = s->iterations;
    now.phase = s->smooth ? 1 : s->phase;
    if (s->options->progress && plan_say_worst(s->p, s->feasible, s->worst, sizeof s->worst))
        now.worst = s->worst;
    const double row[] = {now.phase, now.iteration, now.objective, now.violation,
                          now.dual,  now.barrier,   now.step};
    if (s->p->log && arne_table_append(s->p->log, row) != ARNE_OK) s->no_memory = s->stopped = 1;
    if (s->options->progress && s->options->progress(s->options->context, &now)) s->stopped = 1;
    return stops(s);
}

// ---- callbacks of the solver

enum { MOST_OPTIONS = 24 };

typedef struct option_list {
    nlp_option items[MOST_OPTIONS];
    int        count;
} option_list;

static void text_option(option_list *o, const char *key, const char *value)
{
    o->items[o->count++] = (nlp_option){.key = key, .text = value};
}

static void number_option(option_list *o, const char *key, double value)
{
    o->items[o->count++] = (nlp_option){.key = key, .number = value};
}

static void whole_option(option_list *o, const char *key, int value)
{
    o->items[o->count++] = (nlp_option){.key = key, .number = value, .is_whole = 1};
}

// Where multipliers grow without bound (the search is caught where rows depend on each other), the
// solver's own measure, which divides by them, takes any motion for an optimum: the gradient of the
// Lagrangian counts as it is, too.
static const double GRADIENT = 1e-3;

static void set_options(option_list *list, const search *s, double scale, int warm)
{
    const arne_solve_options *o = s->options;
    whole_option(list, "print_level", 0);
    text_option(list, "sb", "yes"); // no banner
    // The module has a linear solver of its own for most problems; these are for large ones. Slacks
    // and rows of bounds go first, then the variables: the least fill by far. Matchings would pair
    // rows with variables and fill the matrix.
    text_option(list, "linear_solver", "mumps");
    whole_option(list, "mumps_permuting_scaling", 0);
    whole_option(list, "mumps_pivot_order", 0);
    whole_option(list, "mumps_mem_percent", 100);  // 1000 by default: new pages for each step
    whole_option(list, "min_refinement_steps", 0); // where residuals are below 1e-10 without
    text_option(list, "mu_strategy", "adaptive");
    text_option(list, "nlp_scaling_method", "user-scaling");
    number_option(list, "bound_relax_factor", 0);
    number_option(list, "tol",
                  s->smooth                           ? 1e-4
                  : s->phase == 2 && o->tolerance > 0 ? o->tolerance
                  : s->phase == 2                     ? 1e-8
                                                      : 1e-3);
    number_option(list, "dual_inf_tol", GRADIENT / scale);
    number_option(list, "acceptable_dual_inf_tol", 10 * GRADIENT / scale);
    number_option(list, "constr_viol_tol", s->feasible);
    number_option(list, "acceptable_constr_viol_tol", s->feasible);
    whole_option(list, "max_iter", o->iterations > 0 ? o->iterations : 500);
    if (s->near && !warm) { // from the motion of a coarser plan: not far off bounds
        static const char *const close[] = {"bound_push", "bound_frac", "slack_bound_push",
                                            "slack_bound_frac"};
        for (size_t i = 0; i < sizeof close / sizeof *close; i++)
            number_option(list, close[i], 1e-6);
        text_option(list, "mu_strategy", "monotone");
        number_option(list, "mu_init", 1e-5);
    }
    if (!warm) return;
    // From a motion and multipliers that are nearly the optimum's: stay there.
    static const char *const pushes[] = {
        "warm_start_bound_push", "warm_start_bound_frac", "warm_start_slack_bound_push",
        "warm_start_slack_bound_frac", "warm_start_mult_bound_push"};
    text_option(list, "warm_start_init_point", "yes");
    for (size_t i = 0; i < sizeof pushes / sizeof *pushes; i++)
        number_option(list, pushes[i], 1e-9);
    text_option(list, "mu_strategy", "monotone");
    number_option(list, "mu_init", 1e-8);
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

// Bounds as Ipopt wants them: 2e19 is infinite. Returns where the next ones go.
static double *finite_bounds(double *out, const double *from, int count)
{
    for (int i = 0; i < count; i++)
        out[i] = fmin(fmax(from[i], -2e19), 2e19);
    return out + count;
}

double search_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Where the time goes.
static int timed_objective(void *context, const double *x, int is_new, double *out)
{
    const double begun = search_clock();
    const int    bad = objective(context, x, is_new, out);
    ((search *)context)->function_time += search_clock() - begun;
    return bad;
}

static int timed_rows(void *context, const double *x, int is_new, double *out)
{
    const double begun = search_clock();
    const int    bad = rows(context, x, is_new, out);
    ((search *)context)->function_time += search_clock() - begun;
    return bad;
}

static int timed_gradient(void *context, const double *x, int is_new, double *out)
{
    const double begun = search_clock();
    const int    bad = gradient(context, x, is_new, out);
    ((search *)context)->derivative_time += search_clock() - begun;
    return bad;
}

static int timed_jacobian(void *context, const double *x, int is_new, int *row, int *column,
                          double *out)
{
    const double begun = search_clock();
    const int    bad = jacobian(context, x, is_new, row, column, out);
    ((search *)context)->derivative_time += search_clock() - begun;
    return bad;
}

static int timed_hessian(void *context, const double *x, int is_new, double factor,
                         const double *lambda, int *row, int *column, double *out)
{
    const double begun = search_clock();
    const int    bad = hessian(context, x, is_new, factor, lambda, row, column, out);
    ((search *)context)->derivative_time += search_clock() - begun;
    return bad;
}

static nlp make_problem(search *s, double *bounds)
{
    arne_plan *p = s->p;
    nlp        out = {.x_count = p->x_count,
                      .row_count = p->row_count,
                      .jacobian_count = p->jacobian_count,
                      .hessian_count = s->phase == 2 ? p->hessian_count : p->x_count,
                      .objective_scale = objective_scaling(s),
                      .row_scale = p->row_scale,
                      .context = s,
                      .objective = timed_objective,
                      .gradient = timed_gradient,
                      .rows = timed_rows,
                      .jacobian = timed_jacobian,
                      .hessian = timed_hessian,
                      .progress = progress};
    out.x_lower = bounds;
    out.x_upper = bounds = finite_bounds(bounds, p->x_lower, p->x_count);
    out.row_lower = bounds = finite_bounds(bounds, p->x_upper, p->x_count);
    out.row_upper = bounds = finite_bounds(bounds, p->row_lower, p->row_count);
    (void)finite_bounds(bounds, p->row_upper, p->row_count);
    return out;
}

arne_status search_run(search *s, int phase, int warm, arne_plan_status *result, arne_error *error)
{
    arne_plan  *p = s->p;
    option_list list = {.count = 0};
    double     *bounds = malloc((2 * (size_t)(p->x_count + p->row_count) + 1) * sizeof *bounds);
    if (!bounds) return arne_fail_memory(error);
    s->phase = phase;
    s->is_set = 0;
    s->best_violation = s->best_objective = INFINITY;
    const nlp problem = make_problem(s, bounds);
    set_options(&list, s, problem.objective_scale, warm);
    memcpy(s->start, p->x, (size_t)p->x_count * sizeof *p->x);
    nlp_search        how = {.problem = &problem,
                             .options = list.items,
                             .option_count = list.count,
                             .log = s->options->log,
                             .x = p->x,
                             .multipliers = p->multipliers,
                             .x_lower = p->bound_lower,
                             .x_upper = p->bound_upper};
    const arne_status status = s->solver->solve(&how);
    free(bounds);
    if (status == ARNE_NO_MEMORY || s->no_memory) return arne_fail_memory(error);
    *result = s->stopped ? ARNE_PLAN_INTERRUPTED : status ? ARNE_PLAN_FAILED : how.status;
    p->has_multipliers = phase == 2 && *result <= ARNE_PLAN_ACCEPTABLE;
    if (*result >= ARNE_PLAN_ITERATIONS &&
        isfinite(s->best_violation)) // what it ended with may be worse
        memcpy(p->x, s->best, (size_t)p->x_count * sizeof *p->x);
    return ARNE_OK;
}

double search_objective(arne_plan *p)
{
    double objective = NAN;
    plan_set(p, p->x);
    return plan_objective_value(p, &objective) ? NAN : objective;
}
