// Walking: derivatives of what the ground does, and the step of the gait problem.
#include "plan/gait.h"
#include "testing.h"
#include <stdlib.h>

enum { V = 55, ALL = PLAN_ORDERS * V };

// A plan of a step, with its robot.
typedef struct walk {
    arne_robot *robot;
    arne_plan  *plan;
    gait        gait;
} walk;

static walk new_walk(void)
{
    walk                    w = {.robot = read_robot("human", NULL)};
    arne_error              error;
    const gait_options      options = plan_gait_defaults();
    const arne_place        nowhere = {NULL, 0};
    const arne_plan_options spline = {
        .degree = 3, .control_points = 6, .time = 0.5, .grid_points = 13, .trapezoid = 1};
    assert_ok_or(arne_plan_new(w.robot, &spline, &w.plan, &error), &error);
    assert_ok_or(plan_gait_add(w.plan, &options, &nowhere, &w.gait, &error), &error);
    assert_ok_or(plan_prepare(w.plan, &error), &error);
    return w;
}

static void free_walk(walk *w)
{
    arne_plan_free(w->plan);
    arne_robot_free(w->robot);
}

// The ground takes all of the wrench that the body needs, and its share is what it says: the second
// pass leaves nothing for the joints between world and pelvis, and the torques of the quantity.
static void two_passes(void **unused)
{
    (void)unused;
    walk       w = new_walk();
    arne_work *work = new_work(w.robot);
    plan_state at;
    assert_ok(plan_state_new(w.plan, &at, NULL));
    for (unsigned seed = 1; seed < 20; seed++) {
        const double u = (seed % 10) / 10.0;
        const state  s = random_state(w.robot, seed);
        double       z[ALL] = {0}, tau[V];
        for (int i = 0; i < V; i++) {
            z[i] = 0.3 * s.q[i];
            z[V + i] = 0.3 * s.qd[i];
            z[2 * V + i] = 0.3 * s.qdd[i];
        }
        plan_put(&at, u, 0.5, z);
        const double *row = plan_values(&at, w.gait.ground);
        if (!row) continue; // no force on the ground, no zero-moment point
        arne_wrench f_ext[64];
        double      feet[GAIT_SIDES][6], sum[3];
        plan_gait_loads(&w.gait, w.robot, work, u, z, z + V, z + 2 * V, tau, feet, f_ext);
        for (int i = 0; i < 3; i++)
            sum[i] = feet[GAIT_RIGHT][i] + feet[GAIT_LEFT][i];
        assert_close(&s, "ground force", row + V + GROUND_FX, sum, 3, 1e-10);
        assert_close(&s, "ground force on the global coordinates", tau, sum, 3, 1e-10);
        arne_inverse_dynamics(w.robot, work, z, z + V, z + 2 * V, f_ext, tau);
        assert_close(&s, "torques of the second pass", tau, row, V, 1e-8);
    }
    plan_state_free(&at);
    arne_work_free(work);
    free_walk(&w);
}

static double largest(const double *x, int count)
{
    double most = 1;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

// First and second derivatives of a quantity against differences of its values and gradients.
static void check_quantity(walk *w, int quantity, double u, const double *z, unsigned seed)
{
    const plan_quantity *q = &w->plan->quantities[quantity];
    plan_state           at, near_by;
    double               moved[ALL], lambda[V + GROUND_ROWS], *lambdas[64] = {NULL};
    rng                  r = rng_seed(seed);
    assert_true(q->rows <= V + GROUND_ROWS && w->plan->quantity_count <= 64);
    rng_fill(&r, lambda, q->rows, 1);
    lambdas[quantity] = lambda;
    assert_ok(plan_state_new(w->plan, &at, NULL));
    assert_ok(plan_state_new(w->plan, &near_by, NULL));
    plan_put(&at, u, 0.5, z);
    const double *g = plan_gradient(&at, quantity);
    assert_non_null(g);
    assert_int_equal(plan_hessian(&at, lambdas), 0);
    const double *H = w->plan->H;
    const double  g_size = largest(g, q->rows * ALL), H_size = largest(H, ALL * ALL), h = 1e-5;
    memcpy(moved, z, sizeof moved);
    for (int c = 0; c < 3 * V; c++) {
        double slope[V + GROUND_ROWS] = {0}, bend[ALL] = {0};
        for (int side = -1; side < 2; side += 2) {
            moved[c] = z[c] + side * h;
            plan_put(&near_by, u, 0.5, moved);
            const double *x = plan_values(&near_by, quantity),
                         *dx = plan_gradient(&near_by, quantity);
            for (int i = 0; i < q->rows; i++) {
                slope[i] += side * x[i] / (2 * h);
                for (int k = 0; k < ALL; k++)
                    bend[k] += side * lambda[i] * dx[i * ALL + k] / (2 * h);
            }
        }
        moved[c] = z[c];
        for (int i = 0; i < q->rows; i++)
            if (!(fabs(slope[i] - g[i * ALL + c]) < 1e-8 * g_size))
                fail_msg("%s, row %d by column %d: %g, differences say %g", q->name, i, c,
                         g[i * ALL + c], slope[i]);
        for (int k = 0; k < ALL; k++)
            if (!(fabs(bend[k] - H[c * ALL + k]) < 1e-7 * H_size))
                fail_msg("%s, columns %d and %d: %g, differences say %g", q->name, c, k,
                         H[c * ALL + k], bend[k]);
    }
    plan_state_free(&at);
    plan_state_free(&near_by);
}

static void derivatives(void **unused)
{
    (void)unused;
    walk w = new_walk();
    for (unsigned seed = 1; seed < 3; seed++) {
        double z[ALL];
        rng    r = rng_seed(seed);
        rng_fill(&r, z, V, 0.3);
        rng_fill(&r, z + V, 3 * V, 0.5);
        for (int i = 0; i < w.plan->quantity_count; i++)
            if (!w.plan->quantities[i].linear)
                check_quantity(&w, i, seed == 1 ? 0.1 : 0.6, z, seed);
    }
    free_walk(&w);
}

// Nine kinds of constraints, 1726 in all.
static void as_the_thesis_counts(void **unused)
{
    (void)unused;
    walk             w = new_walk();
    static const int each[GAIT_KINDS] = {715, 637, 151, 52, 26, 26, 110, 1, 8};
    int              counts[GAIT_KINDS];
    assert_int_equal(plan_gait_count(w.plan, counts), 1726);
    assert_memory_equal(counts, each, sizeof each);
    assert_int_equal(w.plan->n * w.plan->m, 330);
    free_walk(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_passes), cmocka_unit_test(derivatives),
                                       cmocka_unit_test(as_the_thesis_counts)};
    return cmocka_run_group_tests_name("gait", tests, NULL, NULL);
}
