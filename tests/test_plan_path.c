// Least time along a given path, against the phase plane: without limits on rates the optimum at
// every place of the path is the highest speed from which it is still possible to stop in time.
#include "plan/problem/plan.h"
#include "plan/transcription/path.h"
#include "planning.h"
#include "testing.h"

enum { STEPS = 4000, POINTS = 7 };

// tau = a sdd + b sd^2 + c along the path q(s), which the plan itself evaluates.
typedef struct along {
    double a[8], b[8], c[8];
} along;

// Points of a smooth path, one row for each, of which the plan makes its curve; for the oracle the
// curve is asked of the plan: at s with unit speed.
static void make_points(int width, double *points)
{
    for (int i = 0; i < POINTS; i++)
        for (int k = 0; k < width; k++) {
            const double x = (double)i / (POINTS - 1);
            points[i * width + k] = (k % 2 ? -1 : 1) * (0.3 + 0.1 * k) * x + 0.4 * sin(2 * x + k);
        }
}

// The curve by itself: a plan whose path coordinate moves evenly (control points at the means of
// knots) has s = u, sd = 1/T.
static void curve(arne_plan *line, double s, int width, double *q, double *d, double *dd)
{
    double qd[8], qdd[8];
    arne_plan_evaluate(line, s, q, qd, qdd, NULL, NULL);
    for (int k = 0; k < width; k++) {
        d[k] = qd[k];
        dd[k] = qdd[k]; // T = 1, sdd = 0
    }
}

static along torques_along(const arne_robot *robot, arne_work *work, arne_plan *line, double s)
{
    along  f;
    double q[8], d[8], dd[8], zero[8] = {0}, tau[8];
    int    n = arne_robot_sizes(robot).v_count;
    curve(line, s, n, q, d, dd);
    arne_inverse_dynamics(robot, work, q, zero, zero, NULL, f.c);
    arne_inverse_dynamics(robot, work, q, zero, d, NULL, tau);
    for (int k = 0; k < n; k++)
        f.a[k] = tau[k] - f.c[k];
    arne_inverse_dynamics(robot, work, q, d, dd, NULL, tau);
    for (int k = 0; k < n; k++)
        f.b[k] = tau[k] - f.c[k];
    return f;
}

// The range of sdd at speed^2 x; 0 where there is none.
static int range(const along *f, int n, const double *limit, double x, double *low, double *high)
{
    *low = -1e9;
    *high = 1e9;
    for (int k = 0; k < n; k++) {
        const double rest = f->b[k] * x + f->c[k];
        if (fabs(f->a[k]) < 1e-12) {
            if (fabs(rest) > limit[k]) return 0;
            continue;
        }
        const double one = (limit[k] - rest) / f->a[k], two = (-limit[k] - rest) / f->a[k];
        *low = fmax(*low, fmin(one, two));
        *high = fmin(*high, fmax(one, two));
    }
    return *low <= *high;
}

// The largest x = sd^2 at a place from which x_next or less can be reached on the next one:
// bisection on a set that is an interval from 0.
static double reach_back(const along *f, int n, const double *limit, double ds, double x_next)
{
    double low = 0, high = 1e6, a, b;
    for (int i = 0; i < 200; i++) {
        const double x = 0.5 * (low + high);
        const int    fine = range(f, n, limit, x, &a, &b) && x + 2 * ds * a <= x_next;
        *(fine ? &low : &high) = x;
    }
    return low;
}

// Backward what can still stop, then forward as fast as that allows.
static double phase_plane(const arne_robot *robot, arne_plan *line, const double *limit)
{
    static double most[STEPS + 1];
    arne_work    *work = NULL;
    const int     n = arne_robot_sizes(robot).v_count;
    const double  ds = 1.0 / STEPS;
    double        x = 0, T = 0, a, b;
    assert_int_equal(arne_work_new(robot, &work), ARNE_OK);
    most[STEPS] = 0;
    for (int i = STEPS - 1; i >= 0; i--) {
        const along f = torques_along(robot, work, line, i * ds);
        most[i] = reach_back(&f, n, limit, ds, most[i + 1]);
    }
    for (int i = 0; i < STEPS; i++) {
        const along f = torques_along(robot, work, line, i * ds);
        assert_true(range(&f, n, limit, x, &a, &b));
        const double next = fmax(fmin(x + 2 * ds * b, most[i + 1]), 0);
        T += 2 * ds / (sqrt(x) + sqrt(next) + 1e-300);
        x = next;
    }
    arne_work_free(work);
    return T;
}

static arne_plan *on_path(const arne_robot *robot, int control_points, const double *points,
                          double time)
{
    arne_plan_options options = {.control_points = control_points, .time = time};
    arne_plan        *plan = NULL;
    if (control_points > 8) {
        options.time_least = 0.01;
        options.time_most = 100;
    }
    assert_int_equal(arne_plan_new_on_path(robot, &options, POINTS, points, &plan, NULL), ARNE_OK);
    return plan;
}

static void against_phase_plane(const char *name, const double *limit, double guess)
{
    double           points[POINTS * 8], low[8], even[8], worst = 0;
    arne_robot      *robot = read_robot(name, &(arne_build_options){.no_friction = 1});
    const int        n = arne_robot_sizes(robot).v_count;
    arne_plan_result result;
    make_points(n, points);
    arne_plan *plan = on_path(robot, 60, points, guess), *line = on_path(robot, 8, points, 1);
    for (int i = 0; i < 8; i++) // evenly: Greville's places of eight cubic control points
        even[i] = (double[]){0, 1.0 / 15, 0.2, 0.4, 0.6, 0.8, 14.0 / 15, 1}[i];
    arne_plan_start(line, even, 1);
    for (int k = 0; k < n; k++)
        low[k] = -limit[k];
    plan_hold(plan, "torque", ARNE_QUANTITY_TORQUE, 0, 1, low, limit);
    arne_plan_add_time(plan, 1);
    assert_int_equal(arne_plan_check_derivatives(plan, NULL, NULL, &worst, NULL), ARNE_OK);
    assert_true(worst < 1e-5);
    if (plan_solved(plan, NULL, &result)) {
        const double exact = phase_plane(robot, line, limit);
        if (!(fabs(result.T / exact - 1) < 0.01))
            fail_msg("%s: %.9g, not %.9g", name, result.T, exact);
    }
    arne_plan_free(plan);
    arne_plan_free(line);
    arne_robot_free(robot);
}

static void two_links(void **unused)
{
    const double limit[2] = {10, 10};
    (void)unused;
    against_phase_plane("planar_2r", limit, 1);
}

static void six_axes(void **unused)
{
    const double limit[6] = {738, 738, 433, 107, 107, 107};
    (void)unused;
    against_phase_plane("arm6", limit, 2);
}

// Limits on rates cost time, and speeds are kept where they are asked for.
static void rates_and_speeds(void **unused)
{
    static const double limit[2] = {10, 10}, low[2] = {-10, -10}, rate[2] = {150, 150},
                        rate_low[2] = {-150, -150};
    static const double speed[2] = {1.5, 1.5}, speed_low[2] = {-1.5, -1.5};
    double              points[POINTS * 8];
    arne_plan_result    a, b, c;
    (void)unused;
    arne_robot *robot = read_robot("planar_2r", NULL);
    make_points(2, points);
    arne_plan *one = on_path(robot, 40, points, 1), *two = on_path(robot, 40, points, 1),
              *three = on_path(robot, 40, points, 1);
    arne_plan *all[3] = {one, two, three};
    for (int i = 0; i < 3; i++) {
        plan_hold(all[i], "torque", ARNE_QUANTITY_TORQUE, 0, 1, low, limit);
        arne_plan_add_time(all[i], 1);
    }
    plan_hold(two, "rate", ARNE_QUANTITY_TORQUE_RATE, 0, 1, rate_low, rate);
    plan_hold(three, "speed", ARNE_QUANTITY_VELOCITY, 0, 1, speed_low, speed);
    if (plan_solved(one, NULL, &a) && plan_solved(two, NULL, &b) && plan_solved(three, NULL, &c)) {
        assert_true(b.T > 1.02 * a.T && b.violation < 1e-7);
        assert_true(c.T > 1.02 * a.T && c.violation < 1e-7);
    }
    for (int i = 0; i < 3; i++)
        arne_plan_free(all[i]);
    arne_robot_free(robot);
}

// Beyond its ends the curve goes on: what is its rate within is its rate there, order by order.
static void beyond_the_ends(void **unused)
{
    enum { V = 2 };
    const double h = 1e-4;
    double       points[POINTS * V];
    plan_map     map = {0};
    arne_error   error;
    (void)unused;
    make_points(V, points);
    assert_ok_or(plan_path_map(V, POINTS, points, &map, &error), &error);
    for (double x = -0.2; x < 1.25; x += 0.2) {
        double at[3][4][V]; // before, there, behind: q, and its derivatives by the parameter
        for (int i = 0; i < 3; i++) {
            double     z[4] = {x + (i - 1) * h, 1, 0, 0};
            plan_state s = {
                .z = z, .q = at[i][0], .qd = at[i][1], .qdd = at[i][2], .qddd = at[i][3]};
            assert_int_equal(map.apply(&map, &s, NULL), 0);
        }
        for (int order = 0; order < 3; order++)
            for (int k = 0; k < V; k++) {
                const double rate = (at[2][order][k] - at[0][order][k]) / (2 * h);
                const double own = at[1][order + 1][k];
                if (!(fabs(rate - own) < 1e-3 * (1 + fabs(own))))
                    fail_msg("x = %g, order %d: %g is not %g", x, order, own, rate);
            }
    }
    map.release(map.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_links), cmocka_unit_test(six_axes),
                                       cmocka_unit_test(rates_and_speeds),
                                       cmocka_unit_test(beyond_the_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
