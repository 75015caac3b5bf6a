// Optimal control by the Riccati recursion: optima that others found, conditions of an optimum that
// are recomputed without the solver, and bad input.
#include "control/oc.h"
#include "horizon.h"
#include "testing.h"
#include <stdlib.h>

// Starts: the states are all zero (neutral), or the first one; controls are zero, or hold the
// weight.
enum { FROM_ZERO, FROM_REST, FROM_WEIGHT };

static arne_oc *oc_of(const horizon *h)
{
    arne_oc   *oc = NULL;
    arne_error error;
    assert_ok_or(arne_oc_new(&h->problem, &oc, &error), &error);
    return oc;
}

static int state_size(const horizon *h)
{
    const arne_sizes s = arne_robot_sizes(h->robot);
    return s.q_count + s.v_count;
}

static void start_from(const horizon *h, arne_oc *oc, int from)
{
    const int  N = h->problem.knots, nu = arne_oc_control_count(oc), sx = state_size(h);
    double    *x = calloc((size_t)((N + 1) * sx), sizeof *x);
    double    *u = calloc((size_t)(N * nu), sizeof *u), tau[32];
    arne_work *work = new_work(h->robot);
    arne_error error;
    arne_gravity(h->robot, work, h->q0, tau);
    for (int i = 0; i < (N + 1) * sx && from != FROM_ZERO; i++)
        x[i] = h->x0[i % sx];
    for (int i = 0; i < N * nu && from == FROM_WEIGHT; i++)
        u[i] = tau[i % nu];
    assert_ok_or(arne_oc_start(oc, x, u, &error), &error);
    arne_work_free(work);
    free(x);
    free(u);
}

static arne_oc_result solve_from(const horizon *h, arne_oc *oc, int from,
                                 const arne_oc_options *options)
{
    arne_oc_result result = {0};
    arne_error     error;
    start_from(h, oc, from);
    assert_ok_or(arne_oc_solve(oc, h->q0, h->v0, options, &result, &error), &error);
    assert_int_equal(result.outcome, ARNE_OC_CONVERGED);
    return result;
}

static void check_optimum(const horizon *h, arne_oc *oc, int from, double cost)
{
    const arne_oc_result r = solve_from(h, oc, from, NULL);
    const kkt_residual   k = horizon_kkt(h, oc);
    print_message("cost off by %.2g, gradient %.2g, gap %.2g, %d iterations\n", r.cost / cost - 1,
                  k.gradient, k.gap, r.iterations);
    assert_true(fabs(r.cost / cost - 1) < 1e-8);
    assert_true(fabs(k.cost / cost - 1) < 1e-8);
    assert_true(k.gradient < 1e-6);
    assert_true(k.gap < 1e-9);
}

// The optima of the reference's tables, from the same starts.
static void reference_optima(void **unused)
{
    (void)unused;
    horizon  h;
    arne_oc *oc;
    horizon_pendulum(&h);
    oc = oc_of(&h);
    check_optimum(&h, oc, FROM_ZERO, 0.02058750789138);
    check_optimum(&h, oc, FROM_REST, 0.003681966051051);
    arne_oc_free(oc);
    horizon_free(&h);
    horizon_kinova(&h);
    oc = oc_of(&h);
    check_optimum(&h, oc, FROM_ZERO, 8.12507800577);
    check_optimum(&h, oc, FROM_WEIGHT, 3.698422748929);
    arne_oc_free(oc);
    horizon_free(&h);
    horizon_quadrotor(&h);
    oc = oc_of(&h);
    check_optimum(&h, oc, FROM_REST, 0.005208640921555);
    arne_oc_free(oc);
    horizon_free(&h);
}

// An arm whose third joint is driven through a spring: the controls are torques of the joints and
// motors that are driven, and the solution satisfies the conditions of an optimum.
static void elastic_joints(void **unused)
{
    (void)unused;
    const arne_build_options smooth = {.no_friction = 1};
    horizon                  h = {.robot = read_robot("hua_arm", &smooth)};
    const arne_sizes         size = arne_robot_sizes(h.robot);
    arne_neutral(h.robot, h.q0);
    for (int i = 0; i < size.q_count; i++)
        h.x0[i] = 0.2;
    h.terms[0] = (arne_oc_term){.quantity = ARNE_OC_CONTROL, .weight = 1e-3};
    h.terms[1] =
        (arne_oc_term){.quantity = ARNE_OC_STATE, .weight = 50, .reference = h.x0, .at_end = 1};
    h.problem = (arne_oc_problem){
        .robot = h.robot, .terms = h.terms, .knots = 40, .step = 0.005, .term_count = 2};
    arne_oc *oc = oc_of(&h);
    assert_int_equal(arne_oc_control_count(oc), 3); // the spring is not driven on both sides
    solve_from(&h, oc, FROM_ZERO, NULL);
    const kkt_residual k = horizon_kkt(&h, oc);
    print_message("elastic: gradient %.2g, gap %.2g\n", k.gradient, k.gap);
    assert_true(k.gradient < 1e-6 && k.gap < 1e-9);
    arne_oc_free(oc);
    horizon_free(&h);
}

static void random_start(const horizon *h, arne_oc *oc, rng *r, double states, double controls)
{
    const int  N = h->problem.knots, nu = arne_oc_control_count(oc), sx = state_size(h);
    const int  nq = arne_robot_sizes(h->robot).q_count, n = sx - nq;
    double    *x = calloc((size_t)((N + 1) * sx), sizeof *x);
    double    *u = calloc((size_t)(N * nu), sizeof *u);
    arne_error error;
    for (int k = 0; k <= N; k++) {
        double d[32];
        for (int i = 0; i < n; i++)
            d[i] = rng_uniform(r, -states, states);
        arne_integrate(h->robot, h->q0, d, x + k * sx);
        for (int i = 0; i < n; i++)
            x[k * sx + nq + i] = rng_uniform(r, -states, states);
    }
    for (int i = 0; i < N * nu; i++)
        u[i] = rng_uniform(r, -controls, controls);
    assert_ok_or(arne_oc_start(oc, x, u, &error), &error);
    free(x);
    free(u);
}

// From random starts the solver ends at a stationary point, or says that it did not.
static int stationary_starts(const horizon *h, double states, double controls)
{
    arne_oc *oc = oc_of(h);
    rng      random = rng_seed(7);
    int      stationary = 0;
    for (int i = 0; i < 20; i++) {
        arne_oc_result r;
        random_start(h, oc, &random, states, controls);
        const arne_status status = arne_oc_solve(oc, h->q0, h->v0, NULL, &r, NULL);
        assert_int_equal(status == ARNE_OK, r.outcome == ARNE_OC_CONVERGED);
        if (status == ARNE_OK && i % 4 == 0) {
            const kkt_residual k = horizon_kkt(h, oc);
            assert_true(k.gradient < 1e-6 && k.gap < 1e-9);
        }
        stationary += status == ARNE_OK;
    }
    arne_oc_free(oc);
    return stationary;
}

static void random_starts(void **unused)
{
    (void)unused;
    horizon h;
    horizon_pendulum(&h);
    const int pendulum = stationary_starts(&h, 1, 1);
    horizon_free(&h);
    horizon_kinova(&h);
    const int arm = stationary_starts(&h, 1, 5);
    horizon_free(&h);
    horizon_quadrotor(&h);
    const int quadrotor = stationary_starts(&h, 0.3, 3);
    horizon_free(&h);
    print_message("stationary of 20: pendulum %d, arm %d, quadrotor %d\n", pendulum, arm,
                  quadrotor);
    assert_true(pendulum >= 18 && arm >= 18 && quadrotor == 20);
}

// With thrusts between bounds, and targets that turn the quadrotor by nearly half a turn: what is
// called converged is stationary.
static void bounded_starts(void **unused)
{
    (void)unused;
    horizon h;
    rng     random = rng_seed(5);
    horizon_quadrotor(&h);
    h.problem.control_lower = h.lower;
    h.problem.control_upper = h.upper;
    arne_oc *oc = NULL;
    int      stationary = 0;
    for (int i = 0; i < 40; i++, arne_oc_free(oc)) {
        for (int j = 0; j < 3; j++)
            h.target[9 + j] = rng_uniform(&random, -2, 2);
        h.lower[0] = rng_uniform(&random, -1, 1);
        h.upper[0] = rng_uniform(&random, 3.5, 12);
        for (int j = 1; j < 4; j++)
            h.lower[j] = h.lower[0], h.upper[j] = h.upper[0];
        oc = oc_of(&h);
        random_start(&h, oc, &random, 0.3, 3);
        if (arne_oc_solve(oc, h.q0, h.v0, NULL, NULL, NULL)) continue;
        const kkt_residual k = horizon_kkt(&h, oc);
        assert_true(k.gradient < 1e-6 && k.gap < 1e-9);
        stationary++;
    }
    print_message("stationary with bounds: %d of 40\n", stationary);
    assert_true(stationary >= 36);
    horizon_free(&h);
}

// Newton's decrement (the decrease that an iteration promises) of single iterations with the exact
// Hessian, from where Gauss-Newton comes near the optimum: the digits double, until rounding.
static void check_convergence(const horizon *h, int from, double near)
{
    arne_oc              *oc = oc_of(h);
    const arne_oc_options first = {
        .hessian = ARNE_OC_GAUSS_NEWTON, .tolerance = near, .cost_tolerance = 1};
    const arne_oc_options one = {.hessian = ARNE_OC_EXACT,
                                 .iterations = 1,
                                 .tolerance = 1e-15,
                                 .cost_tolerance = 1e-30,
                                 .regularisation = 1e-20,
                                 .least_regularisation = 1e-20};
    const double          cost = solve_from(h, oc, from, &first).cost;
    double                last = 1;
    int                   steps = 0, fast = 0;
    for (double part = 1; part > 1e-18 && steps < 12; steps++) {
        arne_oc_result    r;
        const arne_status status = arne_oc_solve(oc, h->q0, h->v0, &one, &r, NULL);
        assert_true(status == ARNE_OK || status == ARNE_NOT_CONVERGED);
        part = r.expected / cost;
        if (last < 1e-6) {
            assert_true(part < fmax(pow(last, 1.4), 1e-18));
            fast++;
        }
        last = part;
    }
    assert_true(last < 1e-18 && fast >= 1);
    arne_oc_free(oc);
}

static void quadratic_convergence(void **unused)
{
    (void)unused;
    horizon h;
    horizon_pendulum(&h);
    check_convergence(&h, FROM_REST, 1e-5);
    horizon_free(&h);
    horizon_kinova(&h);
    check_convergence(&h, FROM_WEIGHT, 1e-2);
    horizon_free(&h);
    horizon_quadrotor(&h);
    check_convergence(&h, FROM_REST, 1e-5);
    horizon_free(&h);
}

// K of the first knot is the derivative of the optimal control with respect to the state.
static void check_gain(const horizon *h, int from, double e)
{
    const arne_oc_options tight = {.tolerance = 1e-13, .cost_tolerance = 1e-20, .iterations = 60};
    arne_oc              *oc = oc_of(h);
    const int             nu = arne_oc_control_count(oc), nx = arne_oc_state_count(oc), n = nx / 2;
    double                K[16 * 8], u[2][8], most = 0, worst = 0;
    solve_from(h, oc, from, NULL);
    (void)!arne_oc_solve(oc, h->q0, h->v0, &tight, NULL, NULL);
    memcpy(K, arne_oc_gains(oc), (size_t)(nu * nx) * sizeof *K);
    for (int j = 0; j < nx; j++) {
        for (int s = 0; s < 2; s++) {
            double d[16] = {0}, q[8], v[8];
            d[j] = s ? e : -e;
            arne_integrate(h->robot, h->q0, d, q);
            for (int i = 0; i < n; i++)
                v[i] = h->v0[i] + d[n + i];
            (void)!arne_oc_solve(oc, q, v, &tight, NULL, NULL);
            memcpy(u[s], arne_oc_controls(oc), (size_t)nu * sizeof **u);
        }
        for (int i = 0; i < nu; i++) {
            most = fmax(most, fabs(K[i * nx + j]));
            worst = fmax(worst, fabs((u[1][i] - u[0][i]) / (2 * e) - K[i * nx + j]));
        }
    }
    print_message("gains up to %.3g, differences off by %.3g\n", most, worst);
    assert_true(worst < 1e-6 * most);
    arne_oc_free(oc);
}

static void gains_are_derivatives(void **unused)
{
    (void)unused;
    horizon h;
    horizon_kinova(&h);
    check_gain(&h, FROM_WEIGHT, 1e-4);
    horizon_free(&h);
    horizon_quadrotor(&h);
    check_gain(&h, FROM_REST, 1e-4);
    horizon_free(&h);
    horizon_pendulum(&h);
    check_gain(&h, FROM_REST, 1e-6);
    horizon_free(&h);
}

// ---- bounds ----

static void check_bounded(const horizon *h, int from, double least_cost)
{
    arne_oc             *oc = oc_of(h);
    const arne_oc_result r = solve_from(h, oc, from, NULL);
    const kkt_residual   k = horizon_kkt(h, oc);
    print_message("cost %.12g, %d iterations, gradient %.2g, violation %.2g\n", r.cost,
                  r.iterations, k.gradient, k.beyond);
    assert_true(r.cost > least_cost);
    assert_true(r.gradient < 1e-6 && k.gradient < 1e-6);
    assert_true(k.gap < 1e-9);
    assert_true(k.beyond < 1e-7);
    arne_oc_free(oc);
}

// Thrusts that only push, between two bounds of which both are active.
static void bounded_thrusts(void **unused)
{
    (void)unused;
    horizon h;
    horizon_quadrotor(&h);
    for (int i = 0; i < 4; i++) {
        h.lower[i] = 0.1;
        h.upper[i] = 10;
    }
    h.problem.control_lower = h.lower;
    h.problem.control_upper = h.upper;
    arne_oc *oc = oc_of(&h);
    solve_from(&h, oc, FROM_REST, NULL);
    int at_lower = 0, at_upper = 0;
    for (int i = 0; i < 33 * 4; i++) {
        const double u = arne_oc_controls(oc)[i];
        assert_true(u >= 0.1 && u <= 10);
        at_lower += u == 0.1;
        at_upper += u == 10;
    }
    assert_true(at_lower > 0 && at_upper > 0);
    arne_oc_free(oc);
    check_bounded(&h, FROM_REST, 0.0052);
    for (int i = 0; i < 4; i++) // hardly enough to hover
        h.upper[i] = 4;
    check_bounded(&h, FROM_REST, 0.6);
    h.target[11] = 0; // Gauss-Newton's steps stay short near this optimum
    check_bounded(&h, FROM_REST, 0.0038);
    h.target[9] = 2, h.target[10] = 1, h.target[11] = -1;
    for (int i = 0; i < 4; i++)
        h.upper[i] = 10;
    check_bounded(&h, FROM_REST, 0.02);
    horizon_free(&h);
}

// The arm with limits of velocity, a position at the end that is an equality, and a wall.
static void bounded_arm(void **unused)
{
    (void)unused;
    horizon h;
    horizon_kinova(&h);
    double lower[12], upper[12], zero[3] = {0}, wall[3] = {INFINITY, INFINITY, 0.02};
    for (int i = 0; i < 12; i++) {
        lower[i] = i < 6 ? -INFINITY : -2.5;
        upper[i] = i < 6 ? INFINITY : 2.5;
    }
    const arne_oc_term speed = {
        .quantity = ARNE_OC_STATE, .reference = h.x0, .lower = lower, .upper = upper, .wrap = 1};
    h.terms[h.problem.term_count++] = speed;
    check_bounded(&h, FROM_WEIGHT, 3.699);
    const arne_oc_term end = {.quantity = ARNE_OC_POSITION,
                              .index = h.terms[0].index,
                              .at_end = 1,
                              .reference = h.target,
                              .lower = zero,
                              .upper = zero};
    h.terms[h.problem.term_count++] = end;
    check_bounded(&h, FROM_WEIGHT, 3.699);
    h.terms[h.problem.term_count] = end;
    h.terms[h.problem.term_count].at_end = 0;
    h.terms[h.problem.term_count].lower = NULL;
    h.terms[h.problem.term_count++].upper = wall;
    check_bounded(&h, FROM_WEIGHT, 3.699);
    horizon_free(&h);
}

// Rates of controls, weighed and bounded, and the other integrator.
static void bounded_rates(void **unused)
{
    (void)unused;
    horizon h;
    horizon_kinova(&h);
    double lower[6], upper[6];
    for (int i = 0; i < 6; i++) {
        lower[i] = -150;
        upper[i] = 150;
    }
    h.terms[h.problem.term_count++] = (arne_oc_term){.quantity = ARNE_OC_RATE, .weight = 1e-4};
    check_bounded(&h, FROM_WEIGHT, 3.699);
    h.terms[h.problem.term_count - 1].lower = lower;
    h.terms[h.problem.term_count - 1].upper = upper;
    h.problem.integrator = ARNE_OC_RK4;
    check_bounded(&h, FROM_WEIGHT, 3.699);
    horizon_free(&h);
    horizon_quadrotor(&h);
    h.problem.integrator = ARNE_OC_RK4;
    check_bounded(&h, FROM_REST, 0);
    horizon_free(&h);
}

// ---- contacts ----

// The quadruped on four feet, pushed: the conditions of an optimum by other code, and feet that
// stay.
static void standing(void **unused)
{
    (void)unused;
    horizon h;
    horizon_quadruped(&h, 20);
    h.v0[0] = 0.3;
    h.v0[1] = -0.2;
    for (int i = 6; i < 18; i++) // consistent with feet that stand: solved below
        h.v0[i] = 0;
    h.phases[0].impact = 1; // takes out what moves the feet
    check_bounded(&h, FROM_REST, 0);
    horizon_free(&h);
}

// Pushed so hard that forces lie on the friction cones, and at their tips.
static void sliding(void **unused)
{
    (void)unused;
    static const double cones[2][4] = {{0.5, 0, 0, 1}, {1, 0, 0, 1}}, zero[1] = {0};
    for (int c = 0; c < 2; c++) {
        horizon h;
        horizon_quadruped(&h, 5);
        h.v0[0] = c ? 0.6 : 0.3;
        h.v0[1] = -0.5 * h.v0[0];
        h.phases[0].impact = 1;
        for (int i = 0; i < 4; i++)
            h.terms[h.problem.term_count++] = (arne_oc_term){.quantity = ARNE_OC_FRICTION,
                                                             .index = h.feet[i].frame,
                                                             .reference = cones[c],
                                                             .lower = zero};
        arne_oc *oc = oc_of(&h);
        solve_from(&h, oc, FROM_REST, NULL);
        int active = 0;
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 5; k++)
                active += arne_oc_multipliers(oc, 3 + i)[3 * k + 2] < 0;
        assert_true(active > 5);
        arne_oc_free(oc);
        check_bounded(&h, FROM_REST, 0);
        horizon_free(&h);
    }
}

// The last joint is elastic: its control is the motor's torque.
static void elastic_arm(void **unused)
{
    (void)unused;
    horizon          h = {.robot = read_robot("hua_arm", NULL)};
    const arne_sizes s = arne_robot_sizes(h.robot);
    assert_int_equal(s.v_count, 4);
    h.B[0] = h.B[3 + 1] = h.B[3 * 3 + 2] = 1; // what the solver finds itself
    memcpy(h.x0, h.q0, sizeof h.q0);
    h.target[0] = h.target[1] = h.target[2] = h.target[3] = 0.4;
    h.terms[0] = (arne_oc_term){.quantity = ARNE_OC_STATE, .weight = 1, .reference = h.target};
    h.terms[1] = (arne_oc_term){.quantity = ARNE_OC_CONTROL, .weight = 1e-3};
    h.problem = (arne_oc_problem){
        .robot = h.robot, .knots = 40, .step = 0.005, .terms = h.terms, .term_count = 2};
    arne_oc *oc = oc_of(&h);
    assert_int_equal(arne_oc_control_count(oc), 3);
    const double cost = solve_from(&h, oc, FROM_REST, NULL).cost;
    arne_oc_free(oc);
    h.problem.actuation = h.B;
    h.problem.control_count = 3;
    oc = oc_of(&h);
    assert_true(fabs(solve_from(&h, oc, FROM_REST, NULL).cost / cost - 1) < 1e-12);
    arne_oc_free(oc);
    check_bounded(&h, FROM_REST, 0);
    horizon_free(&h);
}

// A horizon of the project's own arm: these tests need no reference data.
static void arm_horizon(horizon *h)
{
    static const double q0[7] = {0, -0.785, 0, -2.356, 0, 1.571, 0.785};
    *h = (horizon){.robot = read_robot("arm7", NULL)};
    memcpy(h->q0, q0, sizeof q0);
    memcpy(h->x0, q0, sizeof q0);
    const double target[12] = {1, 0, 0, 0, -1, 0, 0, 0, -1, 0.4, 0.2, 0.5};
    memcpy(h->target, target, sizeof target);
    h->terms[0] = (arne_oc_term){.quantity = ARNE_OC_POSITION,
                                 .index = arne_find_frame(h->robot, "link7"),
                                 .weight = 100,
                                 .reference = h->target};
    h->terms[1] = (arne_oc_term){.quantity = ARNE_OC_STATE, .weight = 0.1, .reference = h->x0};
    h->terms[2] = (arne_oc_term){.quantity = ARNE_OC_CONTROL, .weight = 1e-3};
    h->terms[3] = h->terms[0];
    h->terms[3].at_end = 1;
    h->problem = (arne_oc_problem){
        .robot = h->robot, .knots = 30, .step = 0.01, .terms = h->terms, .term_count = 4};
}

// Searches that start where the last one ended, with its multipliers, from states that are a little
// off: none takes longer than the first. Penalties that the searches before needed do not last.
static void solved_again(void **unused)
{
    (void)unused;
    horizon h;
    double  lower[14], upper[14];
    arm_horizon(&h);
    for (int i = 0; i < 14; i++)
        lower[i] = -(upper[i] = i < 7 ? INFINITY : 1.5);
    h.terms[h.problem.term_count++] = (arne_oc_term){
        .quantity = ARNE_OC_STATE, .first = 1, .last = 29, .lower = lower, .upper = upper};
    arne_oc             *oc = oc_of(&h);
    const arne_oc_result first = solve_from(&h, oc, FROM_REST, NULL);
    int                  most = 0;
    for (int k = 0; k < 8; k++) {
        arne_oc_result r;
        arne_error     error;
        for (int i = 0; i < 7; i++) {
            h.q0[i] += 1e-2 * sin(i + k);
            h.v0[i] += 2e-2 * cos(3 * i + k);
        }
        assert_ok_or(arne_oc_solve(oc, h.q0, h.v0, NULL, &r, &error), &error);
        most = r.iterations > most ? r.iterations : most;
    }
    print_message("first %d iterations, again up to %d\n", first.iterations, most);
    assert_true(most <= first.iterations);
    arne_oc_free(oc);
    horizon_free(&h);
}

// No number of a solution depends on the number of threads.
static void check_threads(horizon *h)
{
    static const int counts[] = {1, 2, 3, 8};
    const int        N = h->problem.knots, sx = state_size(h);
    double          *states = calloc((size_t)((N + 1) * sx), sizeof *states);
    arne_oc_result   first = {0};
    for (int i = 0; i < 4; i++) {
        h->problem.threads = counts[i];
        arne_oc             *oc = oc_of(h);
        const arne_oc_result r = solve_from(h, oc, FROM_REST, NULL);
        const size_t         size = (size_t)((N + 1) * sx) * sizeof *states;
        if (i == 0) first = r;
        if (i == 0) memcpy(states, arne_oc_states(oc), size);
        assert_true(r.cost == first.cost && r.iterations == first.iterations);
        assert_memory_equal(arne_oc_states(oc), states, size);
        arne_oc_free(oc);
    }
    h->problem.threads = 0;
    free(states);
}

static void threads(void **unused)
{
    (void)unused;
    static const double zero[1] = {0}, cone[4] = {0.5, 0, 0, 1};
    horizon             h;
    horizon_quadruped(&h, 20); // contacts, an impact and cones; with RK4 all knots are dense
    h.v0[0] = 0.2;
    h.phases[0].impact = 1;
    for (int i = 0; i < 4; i++)
        h.terms[h.problem.term_count++] = (arne_oc_term){.quantity = ARNE_OC_FRICTION,
                                                         .index = h.feet[i].frame,
                                                         .reference = cone,
                                                         .lower = zero};
    check_threads(&h);
    h.problem.term_count = 3;
    h.problem.integrator = ARNE_OC_RK4;
    check_threads(&h);
    horizon_free(&h);
    arm_horizon(&h);
    check_threads(&h);
    h.problem.control_kind = ARNE_OC_BY_ACCELERATION;
    check_threads(&h);
    horizon_free(&h);
}

// The same problem with accelerations as controls: its optimum, and its torques.
static void check_accelerations(const horizon *h, int from)
{
    enum { MOST = 200 * 8 };
    const arne_sizes size = arne_robot_sizes(h->robot);
    const int        N = h->problem.knots, n = size.v_count, nu = arne_oc_drives(h->robot, NULL);
    int              drives[8];
    horizon          other = *h;
    arne_oc         *oc = oc_of(h);
    double           u[MOST], tau[8];
    const double     cost = solve_from(h, oc, from, NULL).cost;
    assert_true(N * nu <= MOST);
    memcpy(u, arne_oc_controls(oc), (size_t)(N * nu) * sizeof *u);
    arne_oc_drives(h->robot, drives);
    arne_oc_free(oc);
    other.problem.terms = other.terms;
    other.problem.control_kind = ARNE_OC_BY_ACCELERATION;
    other.problem.control_lower = other.problem.control_upper = NULL;
    for (int i = 0; i < other.problem.term_count; i++)
        if (other.terms[i].quantity == ARNE_OC_CONTROL) other.terms[i].quantity = ARNE_OC_TORQUE;
    if (h->problem.control_lower)
        other.terms[other.problem.term_count++] =
            (arne_oc_term){.quantity = ARNE_OC_TORQUE, .lower = other.lower, .upper = other.upper};
    oc = oc_of(&other);
    assert_int_equal(arne_oc_control_count(oc), n);
    const arne_oc_result r = solve_from(&other, oc, FROM_REST, NULL);
    print_message("accelerations: %d iterations, cost off by %.2g\n", r.iterations,
                  r.cost / cost - 1);
    assert_true(fabs(r.cost / cost - 1) < 1e-7);
    for (int k = 0; k < N; k++) {
        const double *x = arne_oc_states(oc) + (ptrdiff_t)k * (size.q_count + n);
        arne_oc_torques(oc, x, x + size.q_count, arne_oc_controls(oc) + (ptrdiff_t)k * n, tau);
        for (int i = 0; i < nu; i++)
            assert_true(fabs(tau[drives[i]] - u[k * nu + i]) < 1e-3 * (1 + fabs(u[k * nu + i])));
    }
    arne_oc_free(oc);
}

static void accelerations(void **unused)
{
    (void)unused;
    horizon h;
    arm_horizon(&h); // with bounds of torques
    for (int i = 0; i < 7; i++)
        h.lower[i] = -(h.upper[i] = i < 4 ? 34.8 : 4.8);
    h.problem.control_lower = h.lower;
    h.problem.control_upper = h.upper;
    check_accelerations(&h, FROM_REST);
    horizon_free(&h);
    h = (horizon){.robot = read_robot("hua_arm", NULL)}; // nothing drives its spring's joint
    h.target[0] = h.target[1] = h.target[2] = h.target[3] = 0.4;
    h.terms[0] = (arne_oc_term){.quantity = ARNE_OC_STATE, .weight = 1, .reference = h.target};
    h.terms[1] = (arne_oc_term){.quantity = ARNE_OC_CONTROL, .weight = 1e-3};
    h.problem = (arne_oc_problem){
        .robot = h.robot, .knots = 40, .step = 0.005, .terms = h.terms, .term_count = 2};
    check_accelerations(&h, FROM_REST);
    horizon_free(&h);
    double lower[12], upper[12];
    horizon_kinova(&h); // with bounds of speed
    for (int i = 0; i < 12; i++)
        lower[i] = -(upper[i] = i < 6 ? INFINITY : 2.5);
    h.terms[h.problem.term_count++] = (arne_oc_term){
        .quantity = ARNE_OC_STATE, .reference = h.x0, .lower = lower, .upper = upper, .wrap = 1};
    check_accelerations(&h, FROM_WEIGHT);
    horizon_free(&h);
}

// The merit of one term at one knot moved by e along entry j of (q, qd, u).
static double moved_merit(const horizon *h, arne_oc *oc, const double *x, const double *u, int j,
                          double e)
{
    const int n = oc->n;
    double    y[64], w[32] = {0}, v[32], merit = 0, plain = 0, violation = 0;
    memcpy(y, x, (size_t)oc->sx * sizeof *y);
    memcpy(v, u, (size_t)oc->nu * sizeof *v);
    if (j < n) {
        w[j] = e;
        arne_integrate(h->robot, x, w, y);
    } else if (j < 2 * n)
        y[oc->nq + j - n] += e;
    else
        v[j - 2 * n] += e;
    assert_int_equal(terms_value(oc, 0, y, v, v, &merit, &plain, &violation), 0);
    return merit;
}

static void check_gradient(const horizon *h, const arne_oc_term *term)
{
    const double e = 1e-6;
    horizon      one = *h;
    one.problem.terms = term;
    one.problem.term_count = 1;
    arne_oc *oc = oc_of(&one);
    rng      random = rng_seed(3);
    double   x[64], u[32], z[64] = {0}, *Q = calloc(64 * 64, sizeof *Q), most = 0, worst = 0;
    terms_set_penalty(oc, 10);
    memcpy(x, h->x0, sizeof x);
    for (int i = 0; i < oc->n; i++)
        x[oc->nq + i] = rng_uniform(&random, -0.5, 0.5);
    for (int i = 0; i < oc->nu; i++)
        u[i] = rng_uniform(&random, -5, 5);
    assert_int_equal(terms_expand(oc, 0, x, u, u, 0, z, Q), 0);
    for (int j = 0; j < oc->nz; j++) {
        const double d =
            (moved_merit(h, oc, x, u, j, e) - moved_merit(h, oc, x, u, j, -e)) / (2 * e);
        worst = fmax(worst, fabs(d - z[j]));
        most = fmax(most, fabs(d));
    }
    assert_true(most > 0 && worst < 1e-7 * fmax(most, 1));
    free(Q);
    arne_oc_free(oc);
}

// Gradients of all quantities agree with differences of their costs, on feet that stand, also at an
// impact.
static void gradients_of_terms(void **unused)
{
    (void)unused;
    static const double cone[4] = {0.3, 0, 0, 1}, zero[1] = {0};
    horizon             h;
    for (int impact = 0; impact < 2; impact++) {
        horizon_quadruped(&h, 4);
        h.phases[0].impact = impact;
        for (int q = ARNE_OC_STATE; q <= ARNE_OC_FRICTION; q++) {
            const arne_oc_term term = {.quantity = (arne_oc_quantity)q,
                                       .index = q == ARNE_OC_WRENCH ? 3 : h.feet[2].frame,
                                       .weight = q != ARNE_OC_FRICTION,
                                       .reference = q == ARNE_OC_FRICTION ? cone : NULL,
                                       .lower = q == ARNE_OC_FRICTION ? zero : NULL};
            if (q == ARNE_OC_RATE) continue; // has the control before as a state: bounded_rates
            h.problem.phase_count = q != ARNE_OC_WRENCH;
            check_gradient(&h, &term);
        }
        horizon_free(&h);
    }
    horizon_quadruped(&h, 4); // of accelerations, with the zero torques of its base
    h.problem.phase_count = 0;
    for (int kind = 0; kind < ARNE_OC_CONTROL_KIND_COUNT; kind++) {
        const arne_oc_term torque = {.quantity = ARNE_OC_TORQUE, .weight = 1},
                           wrench = {.quantity = ARNE_OC_WRENCH, .index = 3, .weight = 1};
        h.problem.control_kind = (arne_oc_control_kind)kind;
        check_gradient(&h, &torque);
        check_gradient(&h, &wrench);
    }
    horizon_free(&h);
}

// Two phases: in the air, then on four feet with an impact.
static void landing(void **unused)
{
    (void)unused;
    horizon h;
    horizon_quadruped(&h, 16);
    h.phases[1] = h.phases[0];
    h.phases[1].first = 8;
    h.phases[1].impact = 1;
    h.phases[0].contact_count = 0;
    h.problem.phase_count = 2;
    check_bounded(&h, FROM_REST, 0);
    horizon_free(&h);
}

// The same phases by a schedule: where a phase begins moves, as in a receding horizon.
static void scheduled(void **unused)
{
    (void)unused;
    horizon    h;
    int        phases[16];
    double     cost[2];
    arne_error error;
    for (int moved = 0; moved < 2; moved++) {
        horizon_quadruped(&h, 16);
        h.phases[1] = h.phases[0];
        h.phases[1].first = moved ? 100 : 8; // behind the horizon
        h.phases[1].impact = 1;
        h.phases[0].contact_count = 0;
        h.problem.phase_count = 2;
        arne_oc *oc = oc_of(&h);
        for (int k = 0; k < 16; k++)
            phases[k] = k >= 8;
        if (moved) assert_ok_or(arne_oc_schedule(oc, phases, -1, &error), &error);
        cost[moved] = solve_from(&h, oc, FROM_REST, NULL).cost;
        phases[3] = 2;
        assert_status(arne_oc_schedule(oc, phases, -1, &error), ARNE_VALUE);
        assert_status(arne_oc_schedule(NULL, phases, -1, &error), ARNE_NULL_ARGUMENT);
        arne_oc_free(oc);
        horizon_free(&h);
    }
    assert_true(fabs(cost[0] - cost[1]) < 1e-12 * fabs(cost[0]));
}

// ---- use ----

static double ticks(void *context)
{
    double *now = context;
    return *now += 1;
}

// The block is as large as was said, whatever is behind it; nothing is written there.
static void placed_in_memory(void **unused)
{
    (void)unused;
    horizon h;
    arm_horizon(&h);
    arne_error   error;
    const size_t size = arne_oc_size(&h.problem, &error);
    assert_true(size > 0);
    unsigned char *memory = aligned_alloc(64, (size + 4096) / 64 * 64);
    memset(memory, 0x5a, (size + 4096) / 64 * 64);
    arne_oc       *oc, *other = oc_of(&h);
    arne_oc_result a, b;
    assert_ok_or(arne_oc_place(&h.problem, memory, &oc, &error), &error);
    assert_ok_or(arne_oc_solve(oc, h.q0, h.v0, NULL, &a, &error), &error);
    assert_ok_or(arne_oc_solve(other, h.q0, h.v0, NULL, &b, &error), &error);
    for (size_t i = size; i < (size + 4096) / 64 * 64; i++)
        assert_int_equal(memory[i], 0x5a);
    assert_true(a.cost == b.cost && a.iterations == b.iterations);
    assert_status(arne_oc_place(&h.problem, memory + 8, &oc, &error), ARNE_VALUE);
    arne_oc_free(other);
    free(memory);
    horizon_free(&h);
}

static int never(void *context)
{
    (void)context;
    return 1;
}

static void interrupted(void **unused)
{
    (void)unused;
    horizon h;
    arm_horizon(&h);
    arne_oc        *oc = oc_of(&h);
    arne_oc_result  r;
    double          now = 0;
    arne_oc_options options = {.clock = ticks, .clock_context = &now, .deadline = 20};
    assert_status(arne_oc_solve(oc, h.q0, h.v0, &options, &r, NULL), ARNE_STOPPED);
    assert_int_equal(r.outcome, ARNE_OC_DEADLINE);
    assert_true(now <= 20 && r.iterations >= 1 && isfinite(r.cost));
    options = (arne_oc_options){.stop = never};
    assert_status(arne_oc_solve(oc, h.q0, h.v0, &options, &r, NULL), ARNE_STOPPED);
    assert_int_equal(r.outcome, ARNE_OC_STOPPED);
    options = (arne_oc_options){.iterations = 1};
    assert_status(arne_oc_solve(oc, h.q0, h.v0, &options, &r, NULL), ARNE_NOT_CONVERGED);
    assert_int_equal(r.outcome, ARNE_OC_ITERATIONS);
    assert_ok(arne_oc_solve(oc, h.q0, h.v0, NULL, &r, NULL));
    arne_oc_free(oc);
    horizon_free(&h);
}

// Bounds that nothing can meet: it ends, says by how much, and all numbers are finite.
static void impossible_bounds(void **unused)
{
    (void)unused;
    horizon h;
    arm_horizon(&h);
    static const double far[3] = {5, 5, 5};
    h.terms[3].lower = h.terms[3].upper = far; // metres from the target
    arne_oc       *oc = oc_of(&h);
    arne_oc_result r;
    assert_status(arne_oc_solve(oc, h.q0, h.v0, NULL, &r, NULL), ARNE_NOT_CONVERGED);
    assert_true(r.violation > 1 && isfinite(r.cost) && isfinite(r.violation));
    arne_oc_free(oc);
    horizon_free(&h);
}

static void refused(const horizon *h, const char *says)
{
    arne_oc   *oc;
    arne_error error = {0};
    assert_true(arne_oc_new(&h->problem, &oc, &error) != ARNE_OK);
    assert_null(oc);
    if (!strstr(error.text, says)) fail_msg("\"%s\" does not say \"%s\"", error.text, says);
}

static void bad_input(void **unused)
{
    (void)unused;
    horizon h, good;
    arm_horizon(&good);
    const double bad[16] = {-1}, low[7] = {1}, high[7] = {0};
    h = good, h.problem.terms = h.terms, h.problem.knots = 0;
    refused(&h, "horizon of 0 knots");
    h.problem.knots = 30, h.problem.step = NAN;
    refused(&h, "step");
    h.problem.step = 0.01, h.terms[1].weights = bad;
    refused(&h, "term 1: weight -1 of row 0");
    h.terms[1].weights = NULL, h.terms[0].weight = -2;
    refused(&h, "term 0: weight -2");
    h.terms[0].weight = 1, h.terms[0].index = 99;
    refused(&h, "term 0: there is no frame 99");
    h.terms[0].index = 0, h.terms[2].at_end = 1;
    refused(&h, "term 2: at the end there is no control");
    h.terms[2].at_end = 0, h.terms[2].last = 30;
    refused(&h, "term 2: knots 0 to 30");
    h.terms[2].last = 0, h.problem.control_lower = low, h.problem.control_upper = high;
    refused(&h, "control 0: the lower bound 1");
    h = good, h.problem.terms = h.terms, h.problem.control_kind = (arne_oc_control_kind)2;
    refused(&h, "no kind of controls 2");
    h.problem.control_kind = ARNE_OC_BY_TORQUE, h.problem.threads = -1;
    refused(&h, "-1 threads");
    h.problem.threads = 0;
    h.problem.control_kind = ARNE_OC_BY_ACCELERATION, h.problem.actuation = bad;
    refused(&h, "accelerations as controls have no actuation");
    h.problem.actuation = NULL, h.problem.phases = h.phases, h.problem.phase_count = 1;
    refused(&h, "accelerations as controls have no contacts");
    arne_oc     *oc = oc_of(&good);
    const double nan[7] = {NAN};
    assert_status(arne_oc_solve(oc, nan, good.v0, NULL, NULL, NULL), ARNE_VALUE);
    good.target[9] = NAN;
    assert_status(arne_oc_solve(oc, good.q0, good.v0, NULL, NULL, NULL), ARNE_VALUE);
    assert_status(arne_oc_solve(NULL, good.q0, good.v0, NULL, NULL, NULL), ARNE_NULL_ARGUMENT);
    arne_oc_free(oc);
    arne_oc_free(NULL);
    horizon_free(&good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elastic_joints),
        cmocka_unit_test(reference_optima),
        cmocka_unit_test(random_starts),
        cmocka_unit_test(bounded_starts),
        cmocka_unit_test(quadratic_convergence),
        cmocka_unit_test(gains_are_derivatives),
        cmocka_unit_test(bounded_thrusts),
        cmocka_unit_test(bounded_arm),
        cmocka_unit_test(bounded_rates),
        cmocka_unit_test(standing),
        cmocka_unit_test(gradients_of_terms),
        cmocka_unit_test(landing),
        cmocka_unit_test(scheduled),
        cmocka_unit_test(sliding),
        cmocka_unit_test(elastic_arm),
        cmocka_unit_test(accelerations),
        cmocka_unit_test(threads),
        cmocka_unit_test(solved_again),
        cmocka_unit_test(placed_in_memory),
        cmocka_unit_test(interrupted),
        cmocka_unit_test(impossible_bounds),
        cmocka_unit_test(bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
