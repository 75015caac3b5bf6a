// Which limits forbid a motion: the one that keeps all equalities and exceeds limits least.
//
// Every row i that is a limit gets a number e_i of its own, l <= c(x) - s e <= u with s the unit in
// which an excess counts, and the sum of e^2/2 is made least. Equalities, bounds on durations and
// forces that only push stay as they are. First without all rows that accelerations or forces
// enter: that is a small problem, and where limits of joints already forbid postures or contacts,
// torques need not be looked at.
#include "plan/solve/forbidden.h"
#include "base/error.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Weight of the squared distance from the start, relative to its size: small against an excess of
// 1.
static const double NEARNESS = 1e-5;
// Excess of a limit, and miss of an equality, in units of their rows' scales, that count as none:
// somewhat above the tolerance of the solve, 2e-3.
static const double EXCESS_NONE = 3e-3, EQUALITY_KEPT = 5e-3;
enum { ITERATIONS = 150 }; // of the solve; most need less than 50

typedef struct easing {
    search        *s;
    plan_program  *p;
    plan_solution *now;
    int            count;  // limits
    int           *row;    // of each
    double        *unit;   // of each
    double        *start;  // the motion from which it starts
    double        *weight; // of the way from there
    int            is_set;
    unsigned char *dropped; // of each row: it is not asked for
} easing;

static void easing_set(easing *e, const double *x, int is_new)
{
    if (is_new || !e->is_set) plan_set(e->p, x);
    e->is_set = 1;
}

static int easing_objective(void *context, const double *x, int is_new, double *out)
{
    const easing *e = context;
    const int     n = e->p->x_count;
    (void)is_new;
    *out = 0;
    for (int i = 0; i < n; i++)
        *out += 0.5 * e->weight[i] * (x[i] - e->start[i]) * (x[i] - e->start[i]);
    for (int k = 0; k < e->count; k++)
        *out += 0.5 * x[n + k] * x[n + k];
    return 0;
}

static int easing_gradient(void *context, const double *x, int is_new, double *out)
{
    const easing *e = context;
    const int     n = e->p->x_count;
    (void)is_new;
    for (int i = 0; i < n; i++)
        out[i] = e->weight[i] * (x[i] - e->start[i]);
    memcpy(out + n, x + n, (size_t)e->count * sizeof *out);
    return 0;
}

static int easing_rows(void *context, const double *x, int is_new, double *out)
{
    easing *e = context;
    easing_set(e, x, is_new);
    if (plan_rows(e->p, out)) return 1;
    for (int k = 0; k < e->count; k++)
        out[e->row[k]] -= e->unit[k] * x[e->p->x_count + k];
    return 0;
}

static int easing_jacobian(void *context, const double *x, int is_new, int *row, int *column,
                           double *out)
{
    easing       *e = context;
    plan_program *p = e->p;
    const int     first = p->jacobian_count;
    if (!out) plan_jacobian_structure(p, row, column);
    if (out) easing_set(e, x, is_new);
    if (out && plan_jacobian(p, out)) return 1;
    for (int k = 0; k < e->count; k++) {
        if (out) {
            out[first + k] = -e->unit[k];
        } else {
            row[first + k] = e->row[k];
            column[first + k] = p->x_count + k;
        }
    }
    return 0;
}

static int easing_hessian(void *context, const double *x, int is_new, double factor,
                          const double *lambda, int *row, int *column, double *out)
{
    easing       *e = context;
    plan_program *p = e->p;
    const int     first = p->hessian_count, n = p->x_count + e->count;
    if (!out) plan_hessian_structure(p, row, column);
    if (out) easing_set(e, x, is_new);
    if (out && plan_lagrangian(p, 0, lambda, out)) return 1;
    for (int i = 0; i < n; i++) {
        if (out)
            out[first + i] = factor * (i < p->x_count ? e->weight[i] : 1);
        else
            row[first + i] = column[first + i] = i;
    }
    return 0;
}

static int easing_progress(void *context, const arne_plan_progress *now, int in_restoration)
{
    search *s = ((easing *)context)->s;
    (void)in_restoration;
    s->iterations += now->iteration > 0;
    if (s->options->stop && s->options->stop(s->options->stop_context)) s->stopped = 1;
    return s->stopped;
}

// ---- making it

// The unit of an excess: the bound, if it is above 1; for friction the weight of the robot.
static double forbidden_unit_of(const plan_problem *p, const plan_constraint *c, int r)
{
    const arne_vec3 g = arne_robot_gravity(p->robot);
    const double    weight = arne_total_mass(p->robot) * sqrt(g.x * g.x + g.y * g.y + g.z * g.z);
    return c->hold == HOLD_CONTROLS || c->hold == HOLD_IMPACT ? fmax(1, weight) : 1 / c->scale[r];
}

// Whether accelerations or forces enter a row.
static int is_dynamic(const plan_program *p, int quantity, int row)
{
    const int            n = p->n, all = PLAN_ORDERS * n, own = n - p->force_count;
    const unsigned char *pattern = p->patterns[quantity] + row * all;
    for (int c = 0; c < all; c++)
        if (pattern[c] && (c / n > 1 || c % n >= own)) return 1;
    return 0;
}

static void drop_dynamics(easing *e)
{
    plan_program *p = e->p;
    for (int i = 0; i < p->problem->constraint_count; i++) {
        const plan_constraint *c = &p->constraints[i];
        for (int k = 0; k < c->point_count * c->row_count; k++)
            e->dropped[c->first_row + k] =
                (unsigned char)is_dynamic(p, c->quantity, c->rows[k % c->row_count]);
    }
}

static void find_limits(easing *e)
{
    plan_program *p = e->p;
    e->count = 0;
    for (int i = 0; i < p->problem->constraint_count; i++) {
        const plan_constraint *c = &p->constraints[i];
        for (int k = 0; k < c->point_count * c->row_count; k++) {
            const int at = c->first_row + k;
            if (p->row_lower[at] >= p->row_upper[at] || e->dropped[at]) continue;
            e->unit[e->count] = forbidden_unit_of(p->problem, c, k % c->row_count);
            e->row[e->count++] = at;
        }
    }
}

// The start: the given motion, with the excess of every limit that it has there. Nonzero: a
// quantity has no value there.
static int first_point(easing *e, double *x, double *values)
{
    plan_program *p = e->p;
    memcpy(x, e->start, (size_t)p->x_count * sizeof *x);
    plan_set(p, x);
    if (plan_rows(p, values)) return 1;
    for (int i = 0; i < p->x_count; i++)
        e->weight[i] = NEARNESS / fmax(1, x[i] * x[i]);
    for (int k = 0; k < e->count; k++) {
        const double value = values[e->row[k]],
                     kept = fmin(fmax(value, p->row_lower[e->row[k]]), p->row_upper[e->row[k]]);
        x[p->x_count + k] = (value - kept) / e->unit[k];
    }
    return 0;
}

static double *easing_bounds_of(const easing *e, nlp *out)
{
    plan_program *p = e->p;
    const int     n = p->x_count, all = n + e->count, m = p->row_count;
    double       *b = malloc((2 * (size_t)(all + m) + 1) * sizeof *b), *at = b;
    for (int side = 0; b && side < 2; side++) {
        const double  none = side ? 2e19 : -2e19;
        const double *x = side ? p->x_upper : p->x_lower;
        for (int i = 0; i < all; i++)
            *at++ = i < n && isfinite(x[i]) ? x[i] : none;
    }
    for (int side = 0; b && side < 2; side++) {
        const double  none = side ? 2e19 : -2e19;
        const double *row = side ? p->row_upper : p->row_lower;
        for (int i = 0; i < m; i++)
            *at++ = isfinite(row[i]) && !e->dropped[i] ? row[i] : none;
    }
    out->x_lower = b;
    out->x_upper = b ? b + all : NULL;
    out->row_lower = b ? b + 2 * all : NULL;
    out->row_upper = b ? b + 2 * all + m : NULL;
    return b;
}

static arne_plan_status easing_solve(easing *e, double *x, double *multipliers)
{
    static const nlp_option options[] = {{.key = "print_level", .is_whole = 1},
                                         {.key = "sb", .text = "yes"},
                                         {.key = "linear_solver", .text = "mumps"},
                                         {.key = "mumps_permuting_scaling", .is_whole = 1},
                                         {.key = "mumps_pivot_order", .is_whole = 1},
                                         {.key = "mu_strategy", .text = "adaptive"},
                                         {.key = "nlp_scaling_method", .text = "user-scaling"},
                                         {.key = "tol", .number = 3e-3},
                                         {.key = "constr_viol_tol", .number = 2e-3},
                                         {.key = "acceptable_tol", .number = 1e-2},
                                         {.key = "acceptable_constr_viol_tol", .number = 2e-3},
                                         {.key = "max_iter", .number = ITERATIONS, .is_whole = 1}};
    plan_program           *p = e->p;
    nlp                     problem = {.x_count = p->x_count + e->count,
                                       .row_count = p->row_count,
                                       .jacobian_count = p->jacobian_count + e->count,
                                       .hessian_count = p->hessian_count + p->x_count + e->count,
                                       .objective_scale = 1,
                                       .row_scale = p->row_scale,
                                       .context = e,
                                       .objective = easing_objective,
                                       .gradient = easing_gradient,
                                       .rows = easing_rows,
                                       .jacobian = easing_jacobian,
                                       .hessian = easing_hessian,
                                       .progress = easing_progress};
    double                 *bounds = easing_bounds_of(e, &problem);
    nlp_search              how = {.problem = &problem,
                                   .options = options,
                                   .option_count = sizeof options / sizeof *options,
                                   .log = e->s->options->log,
                                   .x = x,
                                   .multipliers = multipliers,
                                   .x_lower = multipliers + p->row_count,
                                   .x_upper = multipliers + p->row_count + problem.x_count,
                                   .status = ARNE_PLAN_FAILED};
    if (!bounds || e->s->solver->solve(&how) != ARNE_OK) how.status = ARNE_PLAN_FAILED;
    free(bounds);
    return how.status;
}

// ---- what it says

// The largest excess of each row of a constraint goes into the list, largest first.
static void easing_note(arne_plan *p, const plan_excess *one)
{
    int at = p->forbidden_count;
    while (at > 0 && p->forbidden[at - 1].part < one->part)
        at--;
    if (at == PLAN_FORBIDDEN) return;
    const int last =
        p->forbidden_count < PLAN_FORBIDDEN ? p->forbidden_count++ : PLAN_FORBIDDEN - 1;
    for (int i = last; i > at; i--)
        p->forbidden[i] = p->forbidden[i - 1];
    p->forbidden[at] = *one;
}

static void name_limits(const easing *e, const double *excess)
{
    plan_program *p = e->p;
    int           k = 0;
    e->s->plan->forbidden_count = 0;
    for (int i = 0; i < p->problem->constraint_count; i++) {
        const plan_constraint *c = &p->constraints[i];
        plan_excess            most = {.constraint = i};
        for (int j = 0; j < c->point_count * c->row_count; j++) {
            if (k >= e->count || e->row[k] != c->first_row + j) continue;
            const plan_point *at = &p->points[c->points[j / c->row_count]];
            if (fabs(excess[k]) > most.part)
                most = (plan_excess){.constraint = i,
                                     .row = j % c->row_count,
                                     .u = plan_part(p->problem, plan_durations(p->problem, e->now),
                                                    at->phase, at->u),
                                     .amount = fabs(excess[k]) * e->unit[k],
                                     .part = fabs(excess[k])};
            k++;
        }
        if (most.part > EXCESS_NONE) easing_note(e->s->plan, &most);
    }
}

static double worst_equality(const easing *e, double *values)
{
    plan_program *p = e->p;
    double        off = 0;
    plan_set(p, e->now->x);
    if (plan_rows(p, values)) return INFINITY;
    for (int i = 0; i < p->row_count; i++)
        if (p->row_lower[i] >= p->row_upper[i] && !e->dropped[i])
            off = fmax(off, p->row_scale[i] * fabs(values[i] - p->row_lower[i]));
    return off;
}

// Where the nearest motion is found, it replaces that of the solution. Returns whether it was.
static int ease(easing *e, const double *start, double *room)
{
    search       *s = e->s;
    plan_program *p = e->p;
    double       *to = e->now->x;
    const size_t  n = (size_t)p->x_count, m = (size_t)p->row_count + 1;
    double       *x = room, *values = x + n + m, *multipliers = values + m;
    find_limits(e);
    e->is_set = 0;
    memcpy(e->start, start, n * sizeof *x);
    if (!e->count || first_point(e, x, values)) return 0;
    const arne_plan_status found = easing_solve(e, x, multipliers);
    memcpy(e->start, to, n * sizeof *x); // what there was
    memcpy(to, x, n * sizeof *x);
    if (!s->stopped && found != ARNE_PLAN_FAILED && found != ARNE_PLAN_INTERRUPTED &&
        worst_equality(e, values) < EQUALITY_KEPT) {
        name_limits(e, x + n);
        return 1;
    }
    memcpy(to, e->start, n * sizeof *x);
    return 0;
}

arne_status plan_find_forbidden(search *s, int geometry, const double *start, plan_solution *now,
                                int *fine, arne_error *error)
{
    plan_program *p = now->program;
    const size_t  m = (size_t)p->row_count + 1, n = (size_t)p->x_count;
    easing        e = {.s = s,
                       .p = p,
                       .now = now,
                       .row = calloc(m, sizeof(int)),
                       .unit = calloc(m, sizeof(double)),
                       .start = calloc(n + 1, sizeof(double)),
                       .weight = calloc(n + 1, sizeof(double)),
                       .dropped = calloc(m, 1)};
    double       *room = calloc(3 * n + 5 * m, sizeof *room);
    const int     lost = !e.row || !e.unit || !e.start || !e.weight || !e.dropped || !room;
    *fine = 0;
    s->plan->forbidden_count = 0;
    if (!lost && geometry) drop_dynamics(&e);
    if (!lost) *fine = ease(&e, start, room) && !s->plan->forbidden_count;
    free(e.row), free(e.unit), free(e.start), free(e.weight), free(e.dropped), free(room);
    return lost ? arne_fail_memory(error) : ARNE_OK;
}
