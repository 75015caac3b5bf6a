// One solve of a program by a strategy: what Ipopt asks, which options it is given, and the best
// iterate of all.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "plan/solve/search.h"
#include "base/clock.h"
#include "base/error.h"
#include "plan/solve/plan_status.h"
#include <arne/table.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Weight of the squared distance from the start with AIM_NEAREST, 1/unit^2: small against rows,
// which are scaled to one, so that these are met first.
static const double NEAREST_WEIGHT = 1e-4;

const search_strategy search_plain = {.name = "plain"};
const search_strategy search_near = {.name = "near", .start = START_NEAR};
const search_strategy search_warm = {.name = "warm", .start = START_WARM};
const search_strategy search_nearest = {.name = "nearest", .aim = AIM_NEAREST, .tolerance = 1e-3};
const search_strategy search_smoothest = {
    .name = "smoothest", .aim = AIM_SMOOTHEST, .tolerance = 1e-4};

// A solve that runs.
typedef struct running {
    search                *s;
    const search_strategy *how;
    plan_program          *p;
    double                *start, *seen, *best; // motions: at the start, the last, the best iterate
    double                 best_violation, best_objective;
    int                    is_set;
    arne_plan_progress     before;     // of the iteration before
    int                    same;       // iterations in a row whose figures were the same
    char                   worst[400]; // the constraint that is missed most, for progress
} running;

static void running_set(running *r, const double *x, int is_new)
{
    if (is_new || !r->is_set) plan_set(r->p, x);
    r->is_set = 1;
}

// ---- what the solver asks

// On a stop request every evaluation fails, so that Ipopt returns at its next step.
static int running_stops(search *s)
{
    if (!s->stopped && s->options->stop && s->options->stop(s->options->stop_context))
        s->stopped = 1;
    return s->stopped;
}

static int running_objective(void *context, const double *x, int is_new, double *out)
{
    running *r = context;
    if (running_stops(r->s)) return 1;
    running_set(r, x, is_new);
    if (r->how->aim != AIM_NEAREST) return plan_objective_value(r->p, out);
    *out = 0;
    for (int i = 0; i < r->p->x_count; i++)
        *out += 0.5 * NEAREST_WEIGHT * (x[i] - r->start[i]) * (x[i] - r->start[i]);
    return 0;
}

// Asked only of iterates, not of trials.
static int running_gradient(void *context, const double *x, int is_new, double *out)
{
    running *r = context;
    if (running_stops(r->s)) return 1;
    running_set(r, x, is_new);
    memcpy(r->seen, x, (size_t)r->p->x_count * sizeof *x);
    if (r->how->aim != AIM_NEAREST) return plan_objective_gradient(r->p, out);
    for (int i = 0; i < r->p->x_count; i++)
        out[i] = NEAREST_WEIGHT * (x[i] - r->start[i]);
    return 0;
}

static int running_rows(void *context, const double *x, int is_new, double *out)
{
    running *r = context;
    if (running_stops(r->s)) return 1;
    running_set(r, x, is_new);
    return plan_rows(r->p, out);
}

static int running_jacobian(void *context, const double *x, int is_new, int *row, int *column,
                            double *out)
{
    running *r = context;
    if (!out) {
        plan_jacobian_structure(r->p, row, column);
        return 0;
    }
    if (running_stops(r->s)) return 1;
    running_set(r, x, is_new);
    return plan_jacobian(r->p, out);
}

static int running_hessian(void *context, const double *x, int is_new, double factor,
                           const double *lambda, int *row, int *column, double *out)
{
    running  *r = context;
    const int n = r->p->x_count, nearest = r->how->aim == AIM_NEAREST;
    if (!out && !nearest) {
        plan_hessian_structure(r->p, row, column);
        return 0;
    }
    for (int i = 0; !out && i < n; i++)
        row[i] = column[i] = i;
    if (!out) return 0;
    if (running_stops(r->s)) return 1;
    running_set(r, x, is_new);
    if (!nearest) return plan_lagrangian(r->p, factor, lambda, out);
    for (int i = 0; i < n; i++)
        out[i] = factor * NEAREST_WEIGHT;
    return 0;
}

static void keep_best(running *r, double violation, double value)
{
    const double feasible = r->s->feasible;
    const int    fine = violation <= feasible, was = r->best_violation <= feasible;
    if (fine ? was && value >= r->best_objective : was || violation >= r->best_violation) return;
    memcpy(r->best, r->seen, (size_t)r->p->x_count * sizeof *r->best);
    r->best_violation = violation;
    r->best_objective = value;
}

// Ipopt can go on at one point until its iterations run out, with steps that change no digit of
// objective and violation. So many such iterations in a row end the solve.
enum { STALL_ITERATIONS = 50 };

static int stalls(running *r, const arne_plan_progress *now)
{
    const int same = now->objective == r->before.objective && now->violation == r->before.violation;
    r->same = same ? r->same + 1 : 0;
    r->before = *now;
    return r->same >= STALL_ITERATIONS;
}

static int running_progress(void *context, const arne_plan_progress *at, int in_restoration)
{
    running                  *r = context;
    search                   *s = r->s;
    const arne_solve_options *o = s->options;
    arne_plan_progress        now = *at;
    if (!in_restoration) keep_best(r, now.violation, now.objective);
    s->iterations += now.iteration > 0;
    now.iteration = s->iterations;
    now.phase = r->how->aim == AIM_OBJECTIVE ? 2 : 1;
    if (o->progress && plan_say_worst(r->p, r->seen, s->feasible, r->worst, sizeof r->worst))
        now.worst = r->worst;
    const double row[] = {now.phase, now.iteration, now.objective, now.violation,
                          now.dual,  now.barrier,   now.step};
    if (s->plan->log && arne_table_append(s->plan->log, row) != ARNE_OK)
        s->no_memory = s->stopped = 1;
    if (o->progress && o->progress(o->context, &now)) s->stopped = 1;
    return running_stops(s) || stalls(r, at);
}

// ---- options of the solver

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

// The gradient of the Lagrangian of an optimum, in units of the objective per unit of a variable.
// Ipopt's own measure divides it by the multipliers. These grow without bound where rows depend on
// each other, and any motion would pass for an optimum there.
static const double GRADIENT_TOLERANCE = 1e-3;

static double solver_tolerance(const running *r)
{
    const double asked = r->s->options->tolerance;
    return r->how->tolerance > 0 ? r->how->tolerance : asked > 0 ? asked : 1e-8;
}

static void number_options(option_list *list, const char *const *keys, int count, double value)
{
    for (int i = 0; i < count; i++)
        number_option(list, keys[i], value);
}

static void running_set_options(option_list *list, const running *r, double scale)
{
    static const char *const  near[] = {"bound_push", "bound_frac", "slack_bound_push",
                                        "slack_bound_frac"};
    static const char *const  warm[] = {"warm_start_bound_push", "warm_start_bound_frac",
                                        "warm_start_slack_bound_push", "warm_start_slack_bound_frac",
                                        "warm_start_mult_bound_push"};
    const arne_solve_options *o = r->s->options;
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
    text_option(list, "mu_strategy", r->how->start == START_FAR ? "adaptive" : "monotone");
    text_option(list, "nlp_scaling_method", "user-scaling");
    number_option(list, "bound_relax_factor", 0);
    number_option(list, "tol", solver_tolerance(r));
    number_option(list, "dual_inf_tol", GRADIENT_TOLERANCE / scale);
    number_option(list, "acceptable_dual_inf_tol", 10 * GRADIENT_TOLERANCE / scale);
    number_option(list, "constr_viol_tol", r->s->feasible);
    number_option(list, "acceptable_constr_viol_tol", r->s->feasible);
    whole_option(list, "max_iter", o->iterations > 0 ? o->iterations : 500);
    if (r->how->start == START_NEAR) { // from the motion of a coarser grid: not far off bounds
        number_options(list, near, sizeof near / sizeof *near, 1e-6);
        number_option(list, "mu_init", 1e-5);
    }
    if (r->how->start == START_WARM) { // motion and multipliers are nearly the optimum's
        text_option(list, "warm_start_init_point", "yes");
        number_options(list, warm, sizeof warm / sizeof *warm, 1e-9);
        number_option(list, "mu_init", 1e-8);
    }
}

// Ipopt's own rule, on our scaled rows: gradients of the objective are brought below 100.
static double objective_scaling(running *r)
{
    double largest = 0;
    if (r->how->aim == AIM_NEAREST) return 1;
    plan_set(r->p, r->start);
    if (plan_objective_gradient(r->p, r->seen)) return 1;
    for (int i = 0; i < r->p->x_count; i++)
        largest = fmax(largest, fabs(r->seen[i]));
    return 1 / fmax(1, largest / 100);
}

// Bounds as Ipopt wants them: 2e19 is infinite. Returns where the next ones go.
static double *finite_bounds(double *out, const double *from, int count)
{
    for (int i = 0; i < count; i++)
        out[i] = fmin(fmax(from[i], -2e19), 2e19);
    return out + count;
}

// Where the time goes.
static int timed_objective(void *context, const double *x, int is_new, double *out)
{
    const double begun = clock_seconds();
    const int    bad = running_objective(context, x, is_new, out);
    ((running *)context)->s->function_time += clock_seconds() - begun;
    return bad;
}

static int timed_rows(void *context, const double *x, int is_new, double *out)
{
    const double begun = clock_seconds();
    const int    bad = running_rows(context, x, is_new, out);
    ((running *)context)->s->function_time += clock_seconds() - begun;
    return bad;
}

static int timed_gradient(void *context, const double *x, int is_new, double *out)
{
    const double begun = clock_seconds();
    const int    bad = running_gradient(context, x, is_new, out);
    ((running *)context)->s->derivative_time += clock_seconds() - begun;
    return bad;
}

static int timed_jacobian(void *context, const double *x, int is_new, int *row, int *column,
                          double *out)
{
    const double begun = clock_seconds();
    const int    bad = running_jacobian(context, x, is_new, row, column, out);
    ((running *)context)->s->derivative_time += clock_seconds() - begun;
    return bad;
}

static int timed_hessian(void *context, const double *x, int is_new, double factor,
                         const double *lambda, int *row, int *column, double *out)
{
    const double begun = clock_seconds();
    const int    bad = running_hessian(context, x, is_new, factor, lambda, row, column, out);
    ((running *)context)->s->derivative_time += clock_seconds() - begun;
    return bad;
}

static nlp make_problem(running *r, const double *rows_of, double *bounds)
{
    const plan_program *p = r->p;
    const int           n = p->x_count, m = p->row_count;
    nlp                 out = {.x_count = n,
                               .row_count = m,
                               .jacobian_count = p->jacobian_count,
                               .hessian_count = r->how->aim == AIM_NEAREST ? n : p->hessian_count,
                               .objective_scale = objective_scaling(r),
                               .row_scale = p->row_scale,
                               .context = r,
                               .objective = timed_objective,
                               .gradient = timed_gradient,
                               .rows = timed_rows,
                               .jacobian = timed_jacobian,
                               .hessian = timed_hessian,
                               .progress = running_progress};
    out.x_lower = bounds;
    out.x_upper = bounds = finite_bounds(bounds, p->x_lower, n);
    out.row_lower = bounds = finite_bounds(bounds, p->x_upper, n);
    out.row_upper = bounds = finite_bounds(bounds, rows_of ? rows_of : p->row_lower, m);
    (void)finite_bounds(bounds, rows_of ? rows_of + m : p->row_upper, m);
    return out;
}

// Asks Ipopt; then the solution holds what it found, or the best iterate where it gave up.
static arne_status running_run(running *r, const double *rows_of, double *bounds,
                               plan_solution *now)
{
    plan_program *p = r->p;
    const size_t  n = (size_t)p->x_count;
    option_list   list = {.count = 0};
    const nlp     problem = make_problem(r, rows_of, bounds);
    running_set_options(&list, r, problem.objective_scale);
    nlp_search        how = {.problem = &problem,
                             .options = list.items,
                             .option_count = list.count,
                             .log = r->s->options->log,
                             .x = now->x,
                             .multipliers = now->multipliers,
                             .x_lower = now->multipliers + p->row_count,
                             .x_upper = now->multipliers + p->row_count + n};
    const arne_status status = r->s->solver->solve(&how);
    if (status == ARNE_NO_MEMORY || r->s->no_memory) return ARNE_NO_MEMORY;
    const int failed = status || (how.status == ARNE_PLAN_INTERRUPTED && !r->s->stopped); // stalled
    now->status = r->s->stopped ? ARNE_PLAN_INTERRUPTED : failed ? ARNE_PLAN_FAILED : how.status;
    // Where Ipopt stops half way, what it ends with may be worse than an iterate before. (Of an
    // infeasible problem it is the motion that misses least.)
    if (!search_succeeded(now->status) && now->status != ARNE_PLAN_INFEASIBLE &&
        isfinite(r->best_violation))
        memcpy(now->x, r->best, n * sizeof *now->x);
    if (r->how->aim != AIM_NEAREST && search_succeeded(now->status)) return ARNE_OK;
    free(now->multipliers);
    now->multipliers = NULL;
    return ARNE_OK;
}

arne_status search_solve(search *s, const search_strategy *how, const double *rows_of,
                         plan_solution *now, arne_error *error)
{
    plan_program *p = now->program;
    const size_t  n = (size_t)p->x_count + 1, m = (size_t)p->row_count + 1;
    double       *room = malloc((5 * n + 2 * m) * sizeof *room);
    if (!now->multipliers)
        now->multipliers = calloc((size_t)now->multiplier_count + 1, sizeof *now->multipliers);
    if (!room || !now->multipliers) {
        free(room);
        return arne_fail_memory(error);
    }
    running r = {.s = s,
                 .how = how,
                 .p = p,
                 .start = room,
                 .seen = room + n,
                 .best = room + 2 * n,
                 .best_violation = INFINITY,
                 .best_objective = INFINITY};
    memcpy(r.start, now->x, (size_t)p->x_count * sizeof *now->x);
    memcpy(r.seen, now->x, (size_t)p->x_count * sizeof *now->x);
    const arne_status status = running_run(&r, rows_of, room + 3 * n, now);
    free(room);
    return status ? arne_fail_memory(error) : ARNE_OK;
}

double search_objective(const plan_solution *s)
{
    double objective = NAN;
    plan_set(s->program, s->x);
    return plan_objective_value(s->program, &objective) ? NAN : objective;
}

int search_found_none(const search *s, const plan_solution *now)
{
    return !s->stopped && !search_succeeded(now->status) &&
           plan_violation(now).amount > 10 * s->feasible;
}
