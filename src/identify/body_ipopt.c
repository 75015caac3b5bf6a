// The consistent estimate by Ipopt, in log-Cholesky parameters (Rucker and Wensing 2022): every
// point is a set of bodies, and derivatives are exact, by the chain rule through the map of
// bodies.h. Rotors are exponentials. Centres of mass keep to their regions by the same barriers,
// friction to its sign by bounds that the barriers stand for.
#include "base/error.h"
#include "identify/consistent.h"
#include "plan/solve/nlp.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct chart {
    const body_problem *p;
    double             *x, *g, *H, *J; // J: dx / dy, blocks along the diagonal
} chart;

static int links_end(const body_problem *p) { return BODY_PARAMETERS * p->links; }
static int rotors_end(const body_problem *p) { return links_end(p) + p->rotors; }

static void to_x(const body_problem *p, const double *y, double *x)
{
    for (int i = 0; i < p->links; i++)
        from_log_cholesky(y + BODY_PARAMETERS * (ptrdiff_t)i, x + BODY_PARAMETERS * (ptrdiff_t)i);
    for (int i = links_end(p); i < p->count; i++)
        x[i] = i < rotors_end(p) ? exp(y[i]) : y[i];
}

static void to_y(const body_problem *p, const double *x, double *y)
{
    for (int i = 0; i < p->links; i++)
        log_cholesky(x + BODY_PARAMETERS * (ptrdiff_t)i, y + BODY_PARAMETERS * (ptrdiff_t)i);
    for (int i = links_end(p); i < p->count; i++)
        y[i] = i < rotors_end(p) ? log(x[i]) : x[i];
}

static int objective(void *context, const double *y, int is_new, double *out)
{
    chart *c = context;
    (void)is_new;
    to_x(c->p, y, c->x);
    *out = body_value(c->p, c->x, NULL, NULL);
    return !isfinite(*out);
}

static int gradient(void *context, const double *y, int is_new, double *out)
{
    chart              *c = context;
    const body_problem *p = c->p;
    double              J[100];
    (void)is_new;
    to_x(p, y, c->x);
    if (!isfinite(body_value(p, c->x, c->g, NULL))) return 1;
    for (int i = 0; i < p->links; i++) {
        const int at = BODY_PARAMETERS * i;
        log_cholesky_first(y + at, J);
        for (int k = 0; k < BODY_PARAMETERS; k++) {
            out[at + k] = 0;
            for (int r = 0; r < BODY_PARAMETERS; r++)
                out[at + k] += J[10 * r + k] * c->g[at + r];
        }
    }
    for (int i = links_end(p); i < p->count; i++)
        out[i] = c->g[i] * (i < rotors_end(p) ? c->x[i] : 1);
    return 0;
}

static void fill_J(chart *c, const double *y)
{
    const body_problem *p = c->p;
    const size_t        n = (size_t)p->count;
    double              J[100];
    memset(c->J, 0, n * n * sizeof *c->J);
    for (int i = 0; i < p->links; i++) {
        const size_t at = (size_t)(BODY_PARAMETERS * i);
        log_cholesky_first(y + at, J);
        for (size_t r = 0; r < BODY_PARAMETERS; r++)
            for (size_t k = 0; k < BODY_PARAMETERS; k++)
                c->J[(at + r) * n + at + k] = J[10 * r + k];
    }
    for (int i = links_end(p); i < p->count; i++)
        c->J[(size_t)i * n + (size_t)i] = i < rotors_end(p) ? c->x[i] : 1;
}

// J^T H J and, on the diagonal blocks, the second derivatives of the map times the gradient.
static int hessian(void *context, const double *y, int is_new, double factor, const double *lambda,
                   int *row, int *column, double *out)
{
    chart              *c = context;
    const body_problem *p = c->p;
    const size_t        n = (size_t)p->count;
    (void)is_new, (void)lambda;
    if (!out) {
        for (size_t i = 0, at = 0; i < n; i++)
            for (size_t k = 0; k <= i; k++, at++) {
                row[at] = (int)i;
                column[at] = (int)k;
            }
        return 0;
    }
    to_x(p, y, c->x);
    if (!isfinite(body_value(p, c->x, c->g, c->H))) return 1;
    fill_J(c, y);
    double *HJ = c->J + n * n, second[100];
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            double sum = 0;
            for (size_t r = 0; r < n; r++)
                sum += c->H[i * n + r] * c->J[r * n + k];
            HJ[i * n + k] = sum;
        }
    for (size_t i = 0, at = 0; i < n; i++)
        for (size_t k = 0; k <= i; k++, at++) {
            double sum = 0;
            for (size_t r = 0; r < n; r++)
                sum += c->J[r * n + i] * HJ[r * n + k];
            out[at] = factor * sum;
        }
    for (int l = 0; l < p->links; l++) {
        const size_t start = (size_t)(BODY_PARAMETERS * l);
        log_cholesky_second(y + start, c->g + start, second);
        for (size_t i = 0; i < BODY_PARAMETERS; i++)
            for (size_t k = 0; k <= i; k++)
                out[(start + i) * (start + i + 1) / 2 + start + k] += factor * second[10 * i + k];
    }
    for (size_t i = (size_t)links_end(p); i < (size_t)rotors_end(p); i++)
        out[i * (i + 1) / 2 + i] += factor * c->g[i] * c->x[i];
    return 0;
}

static int no_rows(void *context, const double *x, int is_new, double *out)
{
    (void)context, (void)x, (void)is_new, (void)out;
    return 0;
}

static int no_jacobian(void *context, const double *x, int is_new, int *row, int *column,
                       double *out)
{
    (void)context, (void)x, (void)is_new, (void)row, (void)column, (void)out;
    return 0;
}

static int no_progress(void *context, const arne_plan_progress *now, int in_restoration)
{
    (void)context, (void)now, (void)in_restoration;
    return 0;
}

arne_status body_ipopt(const body_problem *p, double *x, arne_error *error)
{
    const ipopt_module *solver;
    const size_t        n = (size_t)p->count;
    arne_status         status = nlp_solver_find(&solver, error);
    if (status) return status;
    double *memory = malloc((7 * n + 3 * n * n + 2) * sizeof *memory);
    if (!memory) return arne_fail_memory(error);
    chart   c = {.p = p, .x = memory, .g = memory + n, .H = memory + 7 * n};
    double *y = memory + 2 * n, *low = y + n, *high = low + n, *duals = high + n;
    c.J = c.H + n * n;
    for (size_t i = 0; i < n; i++) {
        low[i] = -2e19;
        high[i] = 2e19;
    }
    static const nlp_option options[] = {{"print_level", NULL, 0, 1},
                                         {"sb", "yes", 0, 0},
                                         {"tol", NULL, 1e-7, 0},
                                         {"max_iter", NULL, 5000, 1},
                                         {"nlp_scaling_method", "gradient-based", 0, 0}};
    const nlp               problem = {.x_count = p->count,
                                       .hessian_count = (int)(n * (n + 1) / 2),
                                       .x_lower = low,
                                       .x_upper = high,
                                       .row_lower = low,
                                       .row_upper = high,
                                       .objective_scale = 1,
                                       .context = &c,
                                       .objective = objective,
                                       .gradient = gradient,
                                       .rows = no_rows,
                                       .jacobian = no_jacobian,
                                       .hessian = hessian,
                                       .progress = no_progress};
    nlp_search              search = {.problem = &problem,
                                      .options = options,
                                      .option_count = sizeof options / sizeof *options,
                                      .x = y,
                                      .x_lower = duals,
                                      .x_upper = duals + n,
                                      .multipliers = memory};
    to_y(p, x, y);
    memset(duals, 0, 2 * n * sizeof *duals);
    double *none = calloc(1, sizeof *none);
    search.multipliers = none;
    status = none ? solver->solve(&search) : arne_fail_memory(error);
    free(none);
    if (status == ARNE_NO_MEMORY) status = arne_fail_memory(error);
    // What ends for lack of digits is as good as the end, if no step would change more than a
    // hundredth of a deviation.
    if (!status) to_x(p, y, c.x);
    if (!status && !(body_decrement(p, c.x) < 1e-4))
        status = arne_fail(error, ARNE_NOT_CONVERGED, NULL, 0,
                           "Ipopt found no consistent estimate; give the prior more weight");
    if (!status) memcpy(x, c.x, n * sizeof *x);
    free(memory);
    return status;
}
