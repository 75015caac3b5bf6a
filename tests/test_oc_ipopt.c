// Optimal control by Riccati beside Ipopt: the same transcription, as a nonlinear program in the
// states and controls of all knots, has the same optimum.
#include "control/oc.h"
#include "horizon.h"
#include "plan/solve/nlp.h"
#include "testing.h"
#include <stdlib.h>

// Variables: x_1 .. x_N, then u_0 .. u_N-1. Rows: x_k+1 - f(x_k, u_k).
typedef struct program {
    arne_oc *oc; // evaluates costs and steps at the iterate of Ipopt
    double  *Q, *z;
} program;

static int state_at(const arne_oc *oc, int k) { return (k - 1) * oc->sx; }
static int control_at(const arne_oc *oc, int k) { return oc->N * oc->sx + k * oc->nu; }

// The place of entry j of z = (q, v, u) of knot k among the variables, -1: it is given.
static int place(const arne_oc *oc, int k, int j)
{
    if (j >= oc->nx) return control_at(oc, k) + j - oc->nx;
    return k == 0 ? -1 : state_at(oc, k) + j;
}

static void take(const program *p, const double *x)
{
    arne_oc *oc = p->oc;
    memcpy(oc->states + oc->sx, x, (size_t)(oc->N * oc->sx) * sizeof *x);
    memcpy(oc->controls, x + control_at(oc, 0), (size_t)(oc->N * oc->nu) * sizeof *x);
}

static const double *knot_x(const arne_oc *oc, int k) { return oc->states + k * oc->sx; }
static const double *knot_u(const arne_oc *oc, int k)
{
    return k < oc->N ? oc->controls + k * oc->nu : NULL;
}

static int value(void *context, const double *x, int is_new, double *out)
{
    program *p = context;
    double   merit = 0, violation = 0;
    (void)is_new;
    take(p, x);
    *out = 0;
    for (int k = 0; k <= p->oc->N; k++)
        if (terms_value(p->oc, k, knot_x(p->oc, k), knot_u(p->oc, k), oc_before(p->oc, k), &merit,
                        out, &violation))
            return 1;
    return 0;
}

static int expand(const program *p, int k, int exact)
{
    const arne_oc *oc = p->oc;
    memset(p->z, 0, (size_t)oc->ldz * sizeof *p->z);
    memset(p->Q, 0, (size_t)((oc->nz + 3) * oc->ldz) * sizeof *p->Q);
    return terms_expand(p->oc, k, knot_x(oc, k), knot_u(oc, k), oc_before(oc, k), exact, p->z,
                        p->Q);
}

static int gradient(void *context, const double *x, int is_new, double *out)
{
    program *p = context;
    (void)is_new;
    take(p, x);
    for (int k = 0; k <= p->oc->N; k++) {
        if (expand(p, k, 0)) return 1;
        for (int j = 0; j < (k < p->oc->N ? p->oc->nz : p->oc->nx); j++)
            if (place(p->oc, k, j) >= 0) out[place(p->oc, k, j)] = p->z[j];
    }
    return 0;
}

static int rows(void *context, const double *x, int is_new, double *out)
{
    program *p = context;
    (void)is_new;
    take(p, x);
    for (int k = 0; k < p->oc->N; k++) {
        double *row = out + k * p->oc->sx;
        if (dynamics_step(p->oc, k, knot_x(p->oc, k), knot_u(p->oc, k), row)) return 1;
        for (int i = 0; i < p->oc->sx; i++)
            row[i] = knot_x(p->oc, k + 1)[i] - row[i];
    }
    return 0;
}

static int jacobian(void *context, const double *x, int is_new, int *row, int *column, double *out)
{
    program *p = context;
    arne_oc *oc = p->oc;
    int      at = 0;
    (void)is_new;
    if (out) take(p, x);
    for (int k = 0; k < oc->N; k++) {
        if (out && dynamics_dense(oc, k, knot_x(oc, k), knot_u(oc, k), oc->F)) return 1;
        for (int i = 0; i < oc->nx; i++) {
            for (int j = 0; j < oc->nz; j++) {
                if (place(oc, k, j) < 0) continue;
                if (out) out[at] = -oc->F[i * oc->ldz + j];
                if (!out) row[at] = k * oc->sx + i;
                if (!out) column[at] = place(oc, k, j);
                at++;
            }
            if (out) out[at] = 1;
            if (!out) row[at] = k * oc->sx + i;
            if (!out) column[at] = state_at(oc, k + 1) + i;
            at++;
        }
    }
    return 0;
}

static int hessian(void *context, const double *x, int is_new, double factor, const double *lambda,
                   int *row, int *column, double *out)
{
    program *p = context;
    arne_oc *oc = p->oc;
    int      at = 0;
    (void)is_new;
    if (out) take(p, x);
    if (out && oc->euler && dynamics_derive(oc)) return 1;
    for (int k = 0; k <= oc->N; k++) {
        double multiplier[64];
        if (out && expand(p, k, 1)) return 1;
        for (int i = 0; out && i < oc->nz * oc->ldz; i++)
            p->Q[i] *= factor;
        for (int i = 0; out && k < oc->N && i < oc->nx; i++)
            multiplier[i] = -lambda[k * oc->sx + i];
        if (out && k < oc->N && dynamics_curvature(oc, k, multiplier, p->Q)) return 1;
        for (int i = 0; i < (k < oc->N ? oc->nz : oc->nx); i++)
            for (int j = 0; j <= i; j++) {
                const int a = place(oc, k, i), b = place(oc, k, j);
                if (a < 0 || b < 0) continue;
                if (out) out[at] = p->Q[i * oc->ldz + j];
                if (!out) row[at] = a > b ? a : b;
                if (!out) column[at] = a > b ? b : a;
                at++;
            }
    }
    return 0;
}

static int go_on(void *context, const arne_plan_progress *now, int in_restoration)
{
    (void)context, (void)now, (void)in_restoration;
    return 0;
}

static void fill(double *x, int count, double with)
{
    for (int i = 0; i < count; i++)
        x[i] = with;
}

// The optimum by Ipopt from states that rest and these controls.
static double by_ipopt(const horizon *h, arne_oc *oc, const double *u)
{
    const ipopt_module *solver = NULL;
    arne_error          error;
    if (nlp_solver_find(&solver, &error) != ARNE_OK) skip();
    const int N = oc->N, x_count = N * (oc->sx + oc->nu), row_count = N * oc->sx;
    const int inner = oc->nz * (oc->nz + 1) / 2, first = oc->nu * (oc->nu + 1) / 2;
    double   *x = calloc(5 * (size_t)x_count + 5 * (size_t)row_count, sizeof *x);
    double   *low = x + x_count, *high = low + x_count, *zl = high + x_count, *zu = zl + x_count;
    double   *zero = zu + x_count, *scale = zero + row_count, *lambda = scale + row_count;
    program   p = {oc, calloc((size_t)((oc->nz + 3) * oc->ldz), sizeof(double)),
                   calloc((size_t)oc->ldz, sizeof(double))};
    fill(low, x_count, -2e19);
    fill(high, x_count, 2e19);
    fill(scale, row_count, 1);
    memcpy(oc->states, h->x0, (size_t)oc->sx * sizeof *x);
    for (int i = 0; i < N * oc->sx; i++)
        x[i] = h->x0[i % oc->sx];
    for (int i = 0; i < N * oc->nu; i++) {
        const int at = control_at(oc, 0) + i;
        x[at] = u[i % oc->nu];
        if (oc->bounded) low[at] = oc->lower[i % oc->nu];
        if (oc->bounded) high[at] = oc->upper[i % oc->nu];
    }
    const nlp        problem = {.x_count = x_count,
                                .row_count = row_count,
                                .jacobian_count = N * oc->nx * (oc->nz + 1) - oc->nx * oc->nx,
                                .hessian_count = first + (N - 1) * inner + oc->nx * (oc->nx + 1) / 2,
                                .x_lower = low,
                                .x_upper = high,
                                .row_lower = zero,
                                .row_upper = zero,
                                .objective_scale = 1,
                                .row_scale = scale,
                                .context = &p,
                                .objective = value,
                                .gradient = gradient,
                                .rows = rows,
                                .jacobian = jacobian,
                                .hessian = hessian,
                                .progress = go_on};
    const nlp_option options[] = {{"tol", NULL, 1e-9, 0},
                                  {"max_iter", NULL, 500, 1},
                                  {"print_level", NULL, 0, 1},
                                  {"sb", "yes", 0, 0}};
    nlp_search       search = {.problem = &problem,
                               .options = options,
                               .option_count = 4,
                               .x = x,
                               .multipliers = lambda,
                               .x_lower = zl,
                               .x_upper = zu};
    double           cost = NAN;
    assert_int_equal(solver->solve(&search), ARNE_OK);
    print_message("Ipopt ends with status %d\n", (int)search.status);
    assert_int_equal(value(&p, x, 1, &cost), 0);
    free(p.Q);
    free(p.z);
    free(x);
    return cost;
}

static void compare(const horizon *h, const double *u)
{
    arne_oc       *oc = NULL, *other = NULL;
    arne_oc_result r;
    arne_error     error;
    const int      N = h->problem.knots;
    assert_ok_or(arne_oc_new(&h->problem, &oc, &error), &error);
    assert_ok_or(arne_oc_new(&h->problem, &other, &error), &error);
    double *x = calloc((size_t)((N + 1) * oc->sx), sizeof *x),
           *controls = calloc((size_t)(N * oc->nu), sizeof *controls);
    for (int i = 0; i < (N + 1) * oc->sx; i++)
        x[i] = h->x0[i % oc->sx];
    for (int i = 0; i < N * oc->nu; i++)
        controls[i] = u[i % oc->nu];
    assert_ok_or(arne_oc_start(oc, x, controls, &error), &error);
    assert_ok_or(arne_oc_solve(oc, h->q0, h->v0, NULL, &r, &error), &error);
    const double cost = by_ipopt(h, other, u);
    print_message("Riccati %.12g, Ipopt %.12g\n", r.cost, cost);
    assert_true(fabs(cost / r.cost - 1) < 1e-6);
    free(x);
    free(controls);
    arne_oc_free(oc);
    arne_oc_free(other);
}

static const double none[8] = {0};

// An arm whose torques are bounded, and some of them on their bounds.
static void with_bounds(void **unused)
{
    (void)unused;
    static const double      q0[7] = {0, -0.785, 0, -2.356, 0, 1.571, 0.785};
    const arne_build_options smooth = {.no_friction = 1};
    horizon                  h = {.robot = read_robot("arm7", &smooth)};
    memcpy(h.q0, q0, sizeof q0);
    memcpy(h.x0, q0, sizeof q0);
    h.target[0] = h.target[4] = h.target[8] = 1;
    h.target[9] = 0.5, h.target[10] = 0.3, h.target[11] = 0.4;
    h.terms[0] = (arne_oc_term){.quantity = ARNE_OC_POSITION,
                                .index = arne_find_frame(h.robot, "link7"),
                                .weight = 100,
                                .reference = h.target};
    h.terms[1] = (arne_oc_term){.quantity = ARNE_OC_STATE, .weight = 0.1, .reference = h.x0};
    h.terms[2] = (arne_oc_term){.quantity = ARNE_OC_CONTROL, .weight = 1e-3};
    fill(h.lower, 7, -30);
    fill(h.upper, 7, 30);
    h.problem = (arne_oc_problem){.robot = h.robot,
                                  .knots = 30,
                                  .step = 0.01,
                                  .terms = h.terms,
                                  .term_count = 3,
                                  .control_lower = h.lower,
                                  .control_upper = h.upper};
    compare(&h, none);
    horizon_free(&h);
}

// An arm with its hand held at a point.
static void with_contact(void **unused)
{
    (void)unused;
    static const double      q0[6] = {0.1, -0.5, 0.6, 0.2, 0.5, 0};
    const arne_build_options smooth = {.no_friction = 1};
    horizon                  h = {.robot = read_robot("arm6", &smooth)};
    memcpy(h.q0, q0, sizeof q0);
    memcpy(h.x0, q0, sizeof q0);
    memcpy(h.target, q0, sizeof q0);
    h.target[3] += 0.4; // turns about the hand
    h.feet[0] = (arne_oc_contact){.frame = arne_find_frame(h.robot, "link6")};
    h.phases[0] = (arne_oc_phase){.contacts = h.feet, .contact_count = 1};
    h.terms[0] = (arne_oc_term){.quantity = ARNE_OC_STATE, .weight = 10, .reference = h.target};
    h.terms[1] = (arne_oc_term){.quantity = ARNE_OC_CONTROL, .weight = 1e-4};
    h.problem = (arne_oc_problem){.robot = h.robot,
                                  .knots = 12,
                                  .step = 0.01,
                                  .terms = h.terms,
                                  .term_count = 2,
                                  .phases = h.phases,
                                  .phase_count = 1};
    compare(&h, none);
    horizon_free(&h);
}

// The pendulum of the reference, which swings up by one motor.
static void swing_up(void **unused)
{
    (void)unused;
    horizon h;
    horizon_pendulum(&h);
    h.problem.knots = 60;
    compare(&h, none);
    horizon_free(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_bounds),
        cmocka_unit_test(with_contact),
        cmocka_unit_test(swing_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
