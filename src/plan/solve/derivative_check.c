// Every derivative of a plan against an independent one: gradients of built-in quantities against
// the complex step, all else (callbacks, second derivatives, what is assembled over the variables)
// against central differences of sixth order.
#include "base/error.h"
#include "base/random.h"
#include "plan/problem/complex.h"
#include "plan/problem/plan.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct checker {
    plan_program      *p;
    const double      *T; // durations of phases
    plan_complex      *c;
    arne_plan_check_fn say;
    void              *context;
    double             worst;
    uint64_t           seed;
    int                quantity; // that is looked at, at the instant u with z, moved along a column
    int                phase;
    double             u, *z, *lambda;
    double            *x, *along, *moved; // variables, a direction, and a step on it
    double            *multipliers, *jacobian, *hessian;
    int               *row, *column, *hessian_row, *hessian_column;
    double            *a, *b; // results
} checker;

// ---- comparing

// The largest difference and the largest entry.
typedef struct gap {
    double off, largest;
} gap;

static void check_widen(gap *g, int count, const double *got, const double *wanted)
{
    for (int i = 0; i < count; i++) {
        g->off =
            isnan(got[i]) || isnan(wanted[i]) ? INFINITY : fmax(g->off, fabs(got[i] - wanted[i]));
        g->largest = fmax(g->largest, fabs(wanted[i]));
    }
}

static void check_report(checker *k, const char *name, const char *against, const gap *first,
                         const gap *second)
{
    const double a = first->off / fmax(1, first->largest),
                 b = second->off / fmax(1, second->largest);
    k->worst = fmax(k->worst, fmax(a, b));
    if (k->say) k->say(k->context, name, against, a, b);
}

// The derivative at 0 of `count` numbers that f gives at a distance; nonzero: there are none.
typedef int (*sample_fn)(checker *k, int what, double distance, double *out);

static int check_differentiate(checker *k, sample_fn f, int what, double h, int count, double *out)
{
    static const double weight[3] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
    memset(out, 0, (size_t)count * sizeof *out);
    for (int i = 0; i < 3; i++)
        for (int side = -1; side <= 1; side += 2) {
            if (f(k, what, side * (i + 1) * h, k->b)) return 1;
            for (int r = 0; r < count; r++)
                out[r] += side * weight[i] / h * k->b[r];
        }
    return 0;
}

// The step of the differences; of velocities it does not cross zero, where dry friction jumps.
static double step_for(const checker *k, int column)
{
    const double x = fabs(k->z[column]), step = 2e-3 * fmax(1, x);
    return column / k->p->n == 1 && x > 1e-4 ? fmin(step, 0.3 * x) : step;
}

// ---- quantities

static void move_column(checker *k, int column, double distance)
{
    const double was = k->z[column];
    k->z[column] = was + distance;
    plan_put(&k->p->workers[0].moved, k->phase, k->u, k->T[k->phase], k->z);
    k->z[column] = was;
}

static int moved_values(checker *k, int column, double distance, double *out)
{
    move_column(k, column, distance);
    const double *value = plan_values(&k->p->workers[0].moved, k->quantity);
    if (value)
        memcpy(out, value, (size_t)k->p->problem->quantities[k->quantity].rows * sizeof *out);
    return !value;
}

static int moved_against(checker *k, int column, double distance, double *out)
{
    move_column(k, column, distance);
    memset(out, 0, PLAN_ORDERS * (size_t)k->p->n * sizeof *out);
    return plan_against(&k->p->workers[0].moved, k->quantity, k->lambda, out);
}

static void check_take_column(int rows, int columns, const double *matrix, int column, double *out)
{
    for (int r = 0; r < rows; r++)
        out[r] = matrix[r * columns + column];
}

// In the robot's coordinates.
static int check_complex(checker *k, plan_state *s, gap *g)
{
    const plan_program  *p = k->p;
    const plan_quantity *q = &p->problem->quantities[k->quantity];
    const int            all = PLAN_ORDERS * p->v_count;
    double              *own = calloc((size_t)(q->rows * all), sizeof *own);
    const int            bad = !own || !plan_values(s, k->quantity) || q->gradient(q, s, own);
    for (int c = 0; !bad && c < all; c++) {
        plan_complex_column(k->c, &q->what, q->rows, s->u, s->q, c, k->a);
        check_take_column(q->rows, all, own, c, k->b);
        check_widen(g, q->rows, k->b, k->a);
    }
    free(own);
    return bad;
}

// Column c of `own` (count x columns) against differences of f. Strength by direction has a kink
// where a torque is zero: where the differences reach across one, smaller steps are tried.
static int check_column(checker *k, sample_fn f, int c, int count, int columns, const double *own,
                        gap *g)
{
    gap    best = {INFINITY, 0};
    double h = step_for(k, c);
    for (int i = 0; i < 4 && !(best.off <= 1e-7 * fmax(1, best.largest)); i++, h /= 10) {
        gap now = {0, 0};
        if (check_differentiate(k, f, c, h, count, k->a)) return 1;
        check_take_column(count, columns, own, c, k->b);
        check_widen(&now, count, k->b, k->a);
        if (i == 0 || now.off < best.off) best = now;
    }
    g->off = fmax(g->off, best.off);
    g->largest = fmax(g->largest, best.largest);
    return 0;
}

static int check_differences(checker *k, plan_state *s, gap *g)
{
    const int     all = PLAN_ORDERS * k->p->n, rows = k->p->problem->quantities[k->quantity].rows;
    const double *own = plan_gradient(s, k->quantity);
    for (int c = 0; own && c < all; c++)
        if (check_column(k, moved_values, c, rows, all, own, g)) return 1;
    return !own;
}

// Second derivatives of a random sum of the rows.
static int check_second(checker *k, plan_state *s, gap *g)
{
    plan_program *p = k->p;
    const int     all = PLAN_ORDERS * p->n;
    for (int r = 0; r < p->problem->quantities[k->quantity].rows; r++)
        k->lambda[r] = random_between(&k->seed, -1, 1);
    memset(p->workers[0].lambda_of, 0,
           (size_t)p->problem->quantity_count * sizeof *p->workers[0].lambda_of);
    p->workers[0].lambda_of[k->quantity] = k->lambda;
    double *H = malloc((size_t)(all * all) * sizeof *H);
    int     bad = !H || plan_hessian(p, s, p->workers[0].lambda_of);
    if (!bad) memcpy(H, s->at->H, (size_t)(all * all) * sizeof *H);
    for (int c = 0; !bad && c < all; c++) // H is symmetric
        bad = check_column(k, moved_against, c, all, all, H, g);
    free(H);
    return bad;
}

static int by_complex(const plan_problem *p, const plan_quantity *q)
{
    for (int k = 0; k < p->phase_count; k++)
        if (p->phases[k].loaded) return 0; // the complex robot carries nothing
    const int pushed = q->by_forces || q->what.kind == ARNE_QUANTITY_TORQUE_RATE;
    return q->built_in && !(pushed && (plan_is_pushed(p) || p->muscle_count));
}

static int check_quantity(checker *k, int index)
{
    plan_program        *p = k->p;
    const plan_quantity *q = &p->problem->quantities[index];
    gap                  first = {0, 0}, second = {0, 0};
    int                  bad = 0;
    k->quantity = index;
    for (int i = 0; i < 3 && !bad; i++) {
        plan_state *s = &p->between;
        k->u = 0.11 + 0.31 * i; // at no knot
        k->phase = i % p->phase_count;
        plan_place(p, s, k->phase, k->u, k->x);
        memcpy(k->z, s->z, PLAN_ORDERS * (size_t)p->n * sizeof *k->z);
        bad = by_complex(p->problem, q) ? !plan_gradient(s, index) || check_complex(k, s, &first)
                                        : check_differences(k, s, &first);
        if (!bad && !plan_is_linear(p->problem, q)) bad = check_second(k, s, &second);
    }
    if (bad) first.off = INFINITY;
    check_report(k, q->name, by_complex(p->problem, q) ? "complex step" : "differences", &first,
                 &second);
    return bad;
}

// ---- over the variables, along a random direction

static int at_distance(checker *k, double distance)
{
    for (int i = 0; i < k->p->x_count; i++)
        k->moved[i] = k->x[i] + distance * k->along[i];
    plan_set(k->p, k->moved);
    return 0;
}

static int moved_functions(checker *k, int what, double distance, double *out)
{
    (void)what;
    at_distance(k, distance);
    return plan_objective_value(k->p, out) || plan_rows(k->p, out + 1);
}

// The gradient of objective + multipliers . constraints.
static int lagrangian_gradient(checker *k, int what, double distance, double *out)
{
    (void)what;
    at_distance(k, distance);
    if (plan_objective_gradient(k->p, out) || plan_jacobian(k->p, k->jacobian)) return 1;
    for (int i = 0; i < k->p->jacobian_count; i++)
        out[k->column[i]] += k->multipliers[k->row[i]] * k->jacobian[i];
    return 0;
}

static int check_first_at(checker *k, double distance, gap *objective, gap *rows)
{
    plan_program *p = k->p;
    if (check_differentiate(k, moved_functions, 0, distance, 1 + p->row_count, k->a)) return 1;
    at_distance(k, 0);
    double *own = k->b, slope = 0;
    if (plan_objective_gradient(p, own) || plan_jacobian(p, k->jacobian)) return 1;
    for (int i = 0; i < p->x_count; i++)
        slope += own[i] * k->along[i];
    check_widen(objective, 1, &slope, k->a);
    memset(own, 0, (size_t)p->row_count * sizeof *own);
    for (int i = 0; i < p->jacobian_count; i++)
        own[k->row[i]] += k->jacobian[i] * k->along[k->column[i]];
    check_widen(rows, p->row_count, own, k->a + 1);
    return 0;
}

// Dry friction has kinks: where the differences reach across one, smaller steps are tried.
static int check_first_of_all(checker *k, gap *objective, gap *rows)
{
    int bad = check_first_at(k, 2e-4, objective, rows);
    for (double distance = 2e-5; !bad && distance > 1e-7; distance /= 10) {
        gap nearer = {0, 0}, ignored = {0, 0};
        if (!(rows->off > 1e-7 * fmax(1, rows->largest))) break;
        bad = check_first_at(k, distance, &ignored, &nearer);
        if (!bad && nearer.off < rows->off) *rows = nearer;
    }
    return bad;
}

static int check_second_at(checker *k, double distance, gap *g)
{
    plan_program *p = k->p;
    if (check_differentiate(k, lagrangian_gradient, 0, distance, p->x_count, k->a)) return 1;
    at_distance(k, 0);
    if (plan_lagrangian(p, 1, k->multipliers, k->hessian)) return 1;
    memset(k->b, 0, (size_t)p->x_count * sizeof *k->b);
    for (int i = 0; i < p->hessian_count; i++) {
        const int r = k->hessian_row[i], c = k->hessian_column[i];
        k->b[r] += k->hessian[i] * k->along[c];
        if (r != c) k->b[c] += k->hessian[i] * k->along[r];
    }
    for (int i = 0; i < p->x_count; i++)
        if (p->still[i]) k->a[i] = k->b[i] = 0; // it has no entries
    check_widen(g, p->x_count, k->b, k->a);
    return 0;
}

static int check_second_of_all(checker *k, gap *g)
{
    int bad = check_second_at(k, 2e-4, g);
    for (double distance = 2e-5; !bad && distance > 1e-7; distance /= 10) {
        gap nearer = {0, 0};
        if (!(g->off > 1e-7 * fmax(1, g->largest))) break;
        bad = check_second_at(k, distance, &nearer);
        if (!bad && nearer.off < g->off) *g = nearer;
    }
    return bad;
}

static int check_all(checker *k)
{
    plan_program *p = k->p;
    gap           objective = {0, 0}, rows = {0, 0}, second = {0, 0}, none = {0, 0};
    plan_jacobian_structure(p, k->row, k->column);
    plan_hessian_structure(p, k->hessian_row, k->hessian_column);
    for (int i = 0; i < p->x_count; i++)
        k->along[i] = p->x_lower[i] < p->x_upper[i]
                          ? random_between(&k->seed, -1, 1) / (p->problem->map.n ? p->m : 1)
                          : 0;
    for (int i = p->n * p->m; i < p->x_count; i++)
        k->along[i] *= 0.1 * plan_time(p->problem, k->T);
    for (int i = 0; i < p->row_count; i++)
        k->multipliers[i] = random_between(&k->seed, -1, 1) * p->row_scale[i];
    const int bad = check_first_of_all(k, &objective, &rows) || check_second_of_all(k, &second);
    if (bad) objective.off = INFINITY;
    check_report(k, "objective", "differences", &objective, &none);
    check_report(k, "constraints", "differences", &rows, &none);
    check_report(k, "Lagrangian", "differences", &none, &second);
    return bad;
}

// ---- all of it

static int check_make_room(checker *k)
{
    const plan_program *p = k->p;
    const size_t        n = (size_t)p->x_count + 1, m = (size_t)p->row_count + 2,
                 all = PLAN_ORDERS * (size_t)p->n;
    const size_t jac = (size_t)p->jacobian_count + 1, hes = (size_t)p->hessian_count + 1;
    int          most = 1;
    for (int i = 0; i < p->problem->quantity_count; i++)
        most = p->problem->quantities[i].rows > most ? p->problem->quantities[i].rows : most;
    const size_t wide = n + m + all + (size_t)most;
    double     **doubles[] = {&k->z,     &k->lambda,      &k->x, &k->along,
                              &k->moved, &k->multipliers, &k->a, &k->b};
    for (size_t i = 0; i < sizeof doubles / sizeof *doubles; i++)
        *doubles[i] = calloc(wide, sizeof(double));
    k->jacobian = calloc(jac, sizeof(double));
    k->hessian = calloc(hes, sizeof(double));
    k->row = calloc(jac, sizeof(int));
    k->column = calloc(jac, sizeof(int));
    k->hessian_row = calloc(hes, sizeof(int));
    k->hessian_column = calloc(hes, sizeof(int));
    k->c = plan_complex_new(p->problem->robot, most);
    return k->z && k->lambda && k->x && k->along && k->moved && k->multipliers && k->a && k->b &&
           k->jacobian && k->hessian && k->row && k->column && k->hessian_row &&
           k->hessian_column && k->c;
}

static void check_finish(checker *k)
{
    void *all[] = {k->z,           k->lambda, k->x,           k->along,         k->moved,
                   k->multipliers, k->a,      k->b,           k->jacobian,      k->hessian,
                   k->row,         k->column, k->hessian_row, k->hessian_column};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    plan_complex_free(k->c);
}

arne_status arne_plan_check_derivatives(arne_plan *plan, arne_plan_check_fn say, void *context,
                                        double *worst, arne_error *error)
{
    if (!plan) return arne_fail_null(error);
    arne_status status = plan_ready(plan, -1, error);
    if (status) return status;
    const plan_problem *of = &plan->problem;
    const plan_program *p = plan->now.program;
    checker             k = {.p = plan->now.program,
                             .T = plan_durations(of, &plan->now),
                             .say = say,
                             .context = context,
                             .seed = 7};
    if (!check_make_room(&k)) status = arne_fail_memory(error);
    const double off = of->map.n ? 0.2 / p->m : 0.1;  // a path must not be left
    for (int i = 0; !status && i < p->x_count; i++) { // a little off: nothing is zero by chance
        const int moves = p->x_lower[i] < p->x_upper[i] && i < p->n * p->m;
        k.x[i] = plan->now.x[i] + (moves ? random_between(&k.seed, -off, off) : 0);
    }
    int bad = 0;
    for (int i = 0; !status && i < of->quantity_count; i++)
        bad |= check_quantity(&k, i);
    if (!status) bad |= check_all(&k);
    check_finish(&k);
    if (worst) *worst = k.worst;
    if (!status && bad)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "a quantity has no value where derivatives are checked");
    return status;
}
