// Problems whose optimum is known, at the settings that a problem file has when it says nothing:
// met within a thousandth, and said to be converged.
#include "testing.h"

#include "planning.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Returns by which part of its bound a limit is exceeded between grid points.
static double check(const char *name, double want)
{
    arne_plan       *plan = NULL;
    arne_plan_result result;
    arne_error       error;
    char             path[512];
    snprintf(path, sizeof path, "%s/../tests/data/optima/%s.yaml", ARNE_ROBOTS_DIR, name);
    assert_ok_or(arne_plan_read(path, NULL, &plan, &error), &error);
    const arne_solve_options options = arne_plan_solver(plan);
    const int                solved = plan_solved(plan, &options, &result);
    if (solved) {
        if (!(fabs(result.objective - want) < 1e-3 * fabs(want)))
            fail_msg("%s: %.9g, not %.9g", name, result.objective, want);
        assert_int_equal(result.converged, 1);
    }
    arne_plan_free(plan);
    return solved ? result.part_between : 0;
}

static void a_double_integrator(void **unused)
{
    (void)unused;
    check("double_integrator", 2);
    check("least_squares", 12);
}

// Bang-bang along a curve, with arcs on which the velocity is at its limit.
static void a_quarter_of_a_circle(void **unused)
{
    (void)unused;
    check("quarter_circle", 2.549288);
}

// Take-off with the velocity that the leg's work leaves, then a parabola.
static void a_jump(void **unused)
{
    const double g = 9.81;
    (void)unused;
    check("hop", -(0.6 + (60 - 2 * g) * 0.3 / (2 * g)));
}

// The work of the drives along a plan, and the energy that the robot gains, J.
static void work_and_energy(arne_plan *plan, double *work, double *energy)
{
    enum { STEPS = 4000, MOST = 16 };
    const arne_robot *robot = arne_plan_robot(plan);
    const int         n = arne_robot_sizes(robot).v_count;
    arne_work        *w = NULL;
    double            q[MOST], qd[MOST], tau[MOST], kinetic, potential;
    assert_true(n <= MOST);
    assert_ok(arne_work_new(robot, &w));
    *work = *energy = 0;
    for (int k = 0; k <= STEPS; k++) {
        const double part = (k == 0 || k == STEPS ? 0.5 : 1) / STEPS;
        arne_plan_evaluate(plan, (double)k / STEPS, q, qd, NULL, NULL, tau);
        for (int i = 0; i < arne_robot_sizes(robot).joint_count; i++)
            if (isfinite(arne_robot_joint(robot, i).effort))
                *work += part * arne_plan_time(plan) * tau[i] * qd[i];
        if (k != 0 && k != STEPS) continue;
        arne_energy(robot, w, q, qd, &kinetic, &potential);
        *energy += (k ? 1 : -1) * (kinetic + potential);
    }
    arne_work_free(w);
}

// The greatest of something where joints are not driven: no energy comes from between the nodes
// that hold the equations of motion. `least` is a tenth below what is found.
static void check_greatest(const char *name, double least)
{
    arne_plan       *plan = NULL;
    arne_plan_result result;
    arne_error       error;
    char             path[512];
    double           work, energy;
    snprintf(path, sizeof path, "%s/../tests/data/optima/%s.yaml", ARNE_ROBOTS_DIR, name);
    assert_ok_or(arne_plan_read(path, NULL, &plan, &error), &error);
    const arne_solve_options options = arne_plan_solver(plan);
    if (plan_solved(plan, &options, &result)) {
        assert_true(-result.objective > least);
        work_and_energy(plan, &work, &energy);
        if (!(fabs(work - energy) < 0.01 * work))
            fail_msg("%s: %.9g J of work, %.9g J of energy", name, work, energy);
    }
    arne_plan_free(plan);
}

static void the_greatest(void **unused)
{
    (void)unused;
    check_greatest("fling", 13);
    if (!getenv("ARNE_TEST_PART")) check_greatest("leap", 3.2); // long under a sanitiser
    if (!getenv("ARNE_LONG")) return;
    check_greatest("kick", 26); // a human, about half a minute each
    check_greatest("high", 3.8);
}

// A smooth optimum with a joint that nothing drives. The number is the limit of ever finer splines:
// 59.27, 58.91, 58.834, 58.8142 with twice as many spans each time.
static void a_swing_up(void **unused)
{
    (void)unused;
    check("swing_up", 58.808);
}

// Bang-bang with other limits ahead than back: T^2 = 2 d (1/a + 1/b); and against half a newton of
// wind.
static void unequal_limits(void **unused)
{
    (void)unused;
    check("two_limits", sqrt(2 * (1 + 1 / 3.0)));
    check("wind", sqrt(2 * (1 / 0.5 + 1 / 1.5)));
}

// The polynomial of degree 5: 720 d^2/T^5.
static void least_jerk(void **unused)
{
    (void)unused;
    check("least_jerk", 720);
}

// A mass on a spring is brought to rest in time T: z W^-1 z with z what it would be at T by itself,
// and W the integral of b b^T, b = (sin(w t)/w, cos(w t)).
static void a_mass_on_a_spring(void **unused)
{
    const double w = 2, T = 2, s = sin(2 * w * T) / (2 * w);
    const double xx = (T - s) / (2 * w * w), vv = (T + s) / 2,
                 xv = sin(w * T) * sin(w * T) / (2 * w * w), x = cos(w * T), v = -w * sin(w * T);
    (void)unused;
    check("spring", (vv * x * x - 2 * xv * x * v + xx * v * v) / (xx * vv - xv * xv));
}

// With a power of at most 1 W from rest: x = (2/3) sqrt(2) t^(3/2). The force begins infinite.
static void limited_power(void **unused)
{
    (void)unused;
    check("power", pow(1.5 / sqrt(2), 2 / 3.0));
}

// Two masses with a spring between them, and a force on one. The least squared force is (W^-1)_xx
// with W the Gramian of middle and spring: 0.594622 by quadrature. The least time has three
// switches, antisymmetric about the middle: H - t = sqrt(H^2/2 - 1), and the spring at rest at
// H = T/2.
static void two_masses(void **unused)
{
    const double w = sqrt(2);
    double       a = 1.9, b = 2.3;
    (void)unused;
    for (int i = 0; i < 60; i++) {
        const double H = (a + b) / 2, left = sqrt(H * H / 2 - 1);
        if (2 * cos(w * left) - cos(w * H) - 1 > 0)
            a = H;
        else
            b = H;
    }
    check("two_masses", 0.594622);
    check("two_masses_time", 2 * a);
}

// Absolute values: thrust for 0.382 s at both ends, t (3 - t) = 1; and the work against weight.
static void absolute_values(void **unused)
{
    (void)unused;
    check("fuel", 3 - sqrt(5));
    check("work", 9.81);
}

// Back for 0.73 s, then 1.25 s ahead, then brake: the number is from shooting with these three. The
// torque is at its limit nearly always, and stays there between grid points, too.
static void a_pendulum(void **unused)
{
    (void)unused;
    assert_true(check("pendulum_up", 2.385691) < 1e-5);
}

// From 0.5 m/s: (v^2 - 1/4) + v^2 = 1/2 to the peak and back to rest, at 1/2 m/s^2.
static void a_catch(void **unused)
{
    const double v = sqrt(0.375);
    (void)unused;
    check("catch", 1 + 2 * (v - 0.5) + 2 * v);
}

// Where finer splines run out of iterations the last motion is the result, and not converged.
static void out_of_iterations(void **unused)
{
    static const char text[] = "robot: cart.yaml\n"
                               "time: {start: 3, least: 0.1, most: 9}\n"
                               "spline: {control_points: 8}\n"
                               "start: {position: 0, velocity: 0}\n"
                               "end: {position: 1, velocity: 0}\n"
                               "constraints: [{quantity: torque, limits: true}]\n"
                               "objective: [{quantity: time}]\n"
                               "solver: {converge: 1e-9, iterations: 9}\n";
    arne_plan        *plan = NULL;
    arne_plan_result  result;
    arne_error        error;
    (void)unused;
    assert_ok_or(arne_plan_read_yaml(text, sizeof text - 1,
                                     ARNE_ROBOTS_DIR "/../tests/data/optima/problem.yaml", NULL,
                                     &plan, &error),
                 &error);
    const arne_solve_options options = arne_plan_solver(plan);
    if (plan_solved(plan, &options, &result)) {
        assert_true(fabs(result.T - 2) < 2e-3);
        assert_true(result.converged < 0);
    }
    arne_plan_free(plan);
}

// How near the hand of an arm comes to the points of a pillar, between two motions or along one.
static double nearest(const arne_plan *plan, arne_work *w, const double *q)
{
    const arne_robot *robot = arne_plan_robot(plan);
    double            least = INFINITY;
    arne_kinematics(robot, w, q, NULL, NULL);
    const arne_vec3 p = arne_frame_pose(robot, w, arne_find_frame(robot, "link7")).p;
    for (int i = 0; i < 2; i++)
        least = fmin(least, hypot(hypot(p.x - 0.6, p.y), p.z - (i ? 0.6 : 0.3)));
    return least;
}

// Without a guess the search begins with the straight way, which leads through the pillar.
static void around_a_pillar(void **unused)
{
    static const double from[] = {0.8, 0.6, 0, -1.6, 0, 2.2, 0};
    (void)unused;
    check("pillar_torque", 1173.02);
    arne_plan       *plan = NULL;
    arne_plan_result result;
    arne_error       error;
    arne_work       *w = NULL;
    double           q[7], straight = INFINITY, found = INFINITY;
    assert_ok_or(
        arne_plan_read(ARNE_ROBOTS_DIR "/../tests/data/optima/pillar.yaml", NULL, &plan, &error),
        &error);
    const arne_solve_options options = arne_plan_solver(plan);
    if (plan_solved(plan, &options, &result)) {
        assert_true(result.T > 0.72 && result.T < 0.78);
        assert_ok(arne_work_new(arne_plan_robot(plan), &w));
        for (int k = 0; k <= 1000; k++) {
            arne_plan_evaluate(plan, 1e-3 * k, q, NULL, NULL, NULL, NULL);
            found = fmin(found, nearest(plan, w, q));
            memcpy(q, from, sizeof q);
            q[0] *= 1 - 2e-3 * k;
            straight = fmin(straight, nearest(plan, w, q));
        }
        assert_true(straight < 0.2 && found > 0.2475);
        arne_work_free(w);
    }
    arne_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_double_integrator),
        cmocka_unit_test(a_quarter_of_a_circle),
        cmocka_unit_test(a_jump),
        cmocka_unit_test(the_greatest),
        cmocka_unit_test(a_swing_up),
        cmocka_unit_test(unequal_limits),
        cmocka_unit_test(least_jerk),
        cmocka_unit_test(a_mass_on_a_spring),
        cmocka_unit_test(limited_power),
        cmocka_unit_test(two_masses),
        cmocka_unit_test(absolute_values),
        cmocka_unit_test(a_pendulum),
        cmocka_unit_test(a_catch),
        cmocka_unit_test(out_of_iterations),
        cmocka_unit_test(around_a_pillar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
