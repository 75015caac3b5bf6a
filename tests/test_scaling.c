// Scaling of a trajectory while it runs: bounds kept, path kept, and not much slower than need be.
#include "testing.h"
#include <arne/integrate.h>

#include <stdlib.h>

enum { N = 6, SAMPLES = 20000 };

static const double PI = 3.14159265358979323846;

typedef struct bounds {
    double torque[MAX_V], rate[MAX_V];
} bounds;

// How much of the bounds a motion takes, going through it `speed` times as fast: the largest part
// over all joints.
static double load_at(const arne_robot *robot, arne_work *work, const arne_trajectory *path,
                      double t, double speed, const bounds *b)
{
    const int n = arne_robot_sizes(robot).v_count;
    double    q[MAX_Q], qd[MAX_V], qdd[MAX_V], qddd[MAX_V], tau[MAX_V], rate[MAX_V], most = 0;
    arne_trajectory_evaluate(path, t, q, qd, qdd, qddd, NULL);
    for (int i = 0; i < n; i++) {
        qd[i] *= speed;
        qdd[i] *= speed * speed;
        qddd[i] *= speed * speed * speed;
    }
    arne_torque_rate(robot, work, q, qd, qdd, qddd, NULL, 0, tau, rate);
    for (int i = 0; i < n; i++)
        most = fmax(most, fmax(fabs(tau[i]) / b->torque[i], fabs(rate[i]) / b->rate[i]));
    return most;
}

static double largest_load(const arne_robot *robot, arne_work *work, const arne_trajectory *path,
                           double speed, const bounds *b, int samples)
{
    const double T = arne_trajectory_duration(path);
    double       most = 0;
    for (int k = 0; k <= samples; k++)
        most = fmax(most, load_at(robot, work, path, T * k / samples, speed, b));
    return most;
}

// What the motion takes, halved: its torques beyond the weight, which no speed takes off, and its
// torque rates.
static bounds half_of(const arne_robot *robot, arne_work *work, const arne_trajectory *path)
{
    const int    n = arne_robot_sizes(robot).v_count;
    const double T = arne_trajectory_duration(path);
    double       weight[MAX_V] = {0}, moving[MAX_V] = {0}, rates[MAX_V] = {0};
    bounds       b = {{0}, {0}};
    for (int k = 0; k <= SAMPLES; k++) {
        double q[MAX_Q], qd[MAX_V], qdd[MAX_V], qddd[MAX_V], tau[MAX_V], rate[MAX_V], g[MAX_V];
        arne_trajectory_evaluate(path, T * k / SAMPLES, q, qd, qdd, qddd, NULL);
        arne_torque_rate(robot, work, q, qd, qdd, qddd, NULL, 0, tau, rate);
        arne_gravity(robot, work, q, g);
        for (int i = 0; i < n; i++) {
            weight[i] = fmax(weight[i], fabs(g[i]));
            moving[i] = fmax(moving[i], fabs(tau[i] - g[i]));
            rates[i] = fmax(rates[i], fabs(rate[i]));
        }
    }
    for (int i = 0; i < n; i++) {
        b.torque[i] = weight[i] + 0.5 * moving[i];
        b.rate[i] = 0.5 * rates[i];
    }
    return b;
}

static double best_constant(const arne_robot *robot, arne_work *work, const arne_trajectory *path,
                            const bounds *b)
{
    double low = 0, high = 1;
    for (int i = 0; i < 30; i++) {
        const double middle = 0.5 * (low + high);
        if (largest_load(robot, work, path, middle, b, 2000) <= 1)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static arne_trajectory *stanford_motion(const arne_robot *robot)
{
    const double     from[N] = {PI / 2, 0, 0, PI / 2, PI / 4, PI / 2};
    const double     to[N] = {PI / 4, PI / 2, 2, PI / 4, PI / 2, 0};
    arne_trajectory *path;
    assert_ok(arne_trajectory_point_to_point(robot, ARNE_PROFILE_QUINTIC, from, to, 2, NULL, &path,
                                             NULL));
    return path;
}

// Where on the straight way from rest to rest joint 2 is tells where the others have to be.
static double off_path(const double *q)
{
    const double from[N] = {PI / 2, 0, 0, PI / 2, PI / 4, PI / 2};
    const double to[N] = {PI / 4, PI / 2, 2, PI / 4, PI / 2, 0};
    const double part = (q[1] - from[1]) / (to[1] - from[1]);
    double       worst = 0;
    for (int i = 0; i < N; i++)
        worst = fmax(worst, fabs(q[i] - from[i] - part * (to[i] - from[i])));
    return worst;
}

static void stanford_with_halved_limits(void **unused)
{
    (void)unused;
    const arne_vec3 none = {0, 0, 0};
    for (int heavy = 0; heavy < 2; heavy++) {
        const arne_build_options   options = {.gravity = heavy ? NULL : &none};
        arne_robot                *robot = read_robot("stanford", &options);
        arne_work                 *work = new_work(robot);
        arne_trajectory           *path = stanford_motion(robot), *scaled = NULL;
        const bounds               b = half_of(robot, work, path);
        const double               constant = 2 / best_constant(robot, work, path, &b);
        const arne_scaling_options bounds_of = {.torque = b.torque, .torque_rate = b.rate};
        assert_ok(arne_trajectory_scaled(robot, path, &bounds_of, &scaled, NULL));
        const double T = arne_trajectory_duration(scaled);
        const double load = largest_load(robot, work, scaled, 1, &b, SAMPLES);
        print_message("%s weight: %.4f s, best constant scaling %.4f s, largest load %.6f\n",
                      heavy ? "with" : "without", T, constant, load);
        assert_true(T <= 1.05 * constant);
        assert_true(load <= 1 + 1e-6);
        double q[N], end[N];
        for (int k = 0; k <= SAMPLES; k++) {
            arne_trajectory_evaluate(scaled, T * k / SAMPLES, q, NULL, NULL, NULL, NULL);
            assert_true(off_path(q) <= 1e-9);
        }
        arne_trajectory_evaluate(scaled, T, end, NULL, NULL, NULL, NULL);
        assert_true(fabs(end[0] - PI / 4) < 1e-9 && fabs(end[5]) < 1e-9);
        arne_trajectory_free(scaled);
        arne_work_free(work);
        arne_robot_free(robot);
    }
}

// Sample by sample it is the same as all at once.
static void steps_are_the_trajectory(void **unused)
{
    (void)unused;
    arne_robot                *robot = read_robot("stanford", NULL);
    arne_work                 *work = new_work(robot);
    arne_trajectory           *path = stanford_motion(robot), *scaled = NULL;
    const bounds               b = half_of(robot, work, path);
    const arne_scaling_options options = {
        .torque = b.torque, .torque_rate = b.rate, .sample_time = 4e-3};
    arne_scaling    *run;
    arne_trajectory *other = stanford_motion(robot);
    assert_ok(arne_scaling_new(robot, other, &options, &run, NULL));
    assert_ok(arne_trajectory_scaled(robot, path, &options, &scaled, NULL));
    int k = 0;
    do {
        double q[N], qd[N], qdd[N], qddd[N], p[N], pd[N], pdd[N], pddd[N];
        arne_scaling_motion(run, q, qd, qdd, qddd);
        arne_trajectory_evaluate(scaled, 4e-3 * k + 1e-12, p, pd, pdd, pddd, NULL);
        assert_true(relative_error(p, q, N) < 1e-9 && relative_error(pd, qd, N) < 1e-9);
        assert_true(relative_error(pdd, qdd, N) < 1e-8 && relative_error(pddd, qddd, N) < 1e-6);
        assert_true(arne_scaling_speed(run) > 0 && arne_scaling_speed(run) <= 1 + 1e-12);
        k++;
    } while (arne_scaling_step(run));
    assert_true(fabs(4e-3 * k - arne_trajectory_duration(scaled)) < 4e-3 + 1e-9);
    arne_scaling_free(run);
    arne_trajectory_free(other);
    arne_trajectory_free(scaled);
    arne_work_free(work);
    arne_robot_free(robot);
}

// Rates of the scaled motion are rates, also of rotations.
static void assert_consistent(const arne_robot *robot, const arne_trajectory *path, double t)
{
    const int    n = arne_robot_sizes(robot).v_count;
    const double h = 1e-6;
    double       q[3][MAX_Q], v[3][MAX_V], a[3][MAX_V], step[2][MAX_V], rate[2][MAX_V];
    for (int k = 0; k < 3; k++)
        arne_trajectory_evaluate(path, t + (k - 1) * h, q[k], v[k], a[k], NULL, NULL);
    arne_difference(robot, q[1], q[0], step[0]);
    arne_difference(robot, q[1], q[2], step[1]);
    for (int i = 0; i < n; i++) {
        rate[0][i] = (step[1][i] - step[0][i]) / (2 * h);
        rate[1][i] = (v[2][i] - v[0][i]) / (2 * h);
    }
    assert_true(relative_error(rate[0], v[1], n) < 1e-6);
    assert_true(relative_error(rate[1], a[1], n) < 1e-4); // the jerk jumps from sample to sample
}

// Any robot with a fixed base, through waypoints, with bounds that bind: they hold in between, too.
// (Half of what dry friction takes is too little at any speed.)
static void random_motions_keep_their_bounds(void **unused)
{
    (void)unused;
    enum { POINTS = 4 };
    const arne_build_options options = {.base = ARNE_BASE_FIXED, .no_friction = 1};
    static const char *const names[] = {"arm6", "stanford", "puma560", "planar_2r"};
    for (int which = 0; which < 10; which++) {
        rng           r = rng_seed(70 + (uint64_t)which);
        arne_builder *tree = which < 4 ? NULL : random_tree(200 + (uint64_t)which);
        arne_robot *robot = which < 4 ? read_robot(names[which], &options) : finish(tree, &options);
        arne_work  *work = new_work(robot);
        const arne_sizes size = arne_robot_sizes(robot);
        double           times[POINTS] = {0}, points[POINTS * MAX_Q];
        uint64_t         seed = 5 + (uint64_t)which;
        arne_random_configuration(robot, &seed, points);
        for (int i = 1; i < POINTS; i++) {
            double step[MAX_V];
            rng_fill(&r, step, size.v_count, 0.5);
            arne_integrate(robot, points + (i - 1) * size.q_count, step, points + i * size.q_count);
            times[i] = times[i - 1] + rng_uniform(&r, 0.4, 0.8);
        }
        arne_trajectory *path, *scaled;
        assert_ok(arne_trajectory_waypoints(robot, 5, POINTS, times, points, &path, NULL));
        bounds b = half_of(robot, work, path);
        for (int i = 0; i < size.v_count; i++) { // of what does not move at all
            b.torque[i] = fmax(b.torque[i], 1e-3);
            b.rate[i] = fmax(b.rate[i], 1e-3);
        }
        const arne_scaling_options wanted = {
            .torque = b.torque, .torque_rate = b.rate, .sample_time = 2e-3};
        assert_ok(arne_trajectory_scaled(robot, path, &wanted, &scaled, NULL));
        const double load = largest_load(robot, work, scaled, 1, &b, SAMPLES);
        if (!(load <= 1 + 1e-6)) fail_msg("%s: load %.9f", arne_robot_name(robot), load);
        for (int k = 1; k < 10; k++)
            assert_consistent(robot, scaled, arne_trajectory_duration(scaled) * k / 10);
        arne_trajectory_free(scaled);
        arne_work_free(work);
        arne_robot_free(robot);
        arne_builder_free(tree);
    }
}

// Bounds that do not bind change nothing.
static void generous_bounds(void **unused)
{
    (void)unused;
    arne_robot      *robot = read_robot("stanford", NULL);
    arne_trajectory *path = stanford_motion(robot), *scaled = NULL;
    assert_ok(arne_trajectory_scaled(robot, path, NULL, &scaled, NULL));
    assert_true(fabs(arne_trajectory_duration(scaled) - 2) < 1e-9);
    arne_trajectory_free(scaled);
    arne_robot_free(robot);
}

static void bad_requests(void **unused)
{
    (void)unused;
    arne_robot          *robot = read_robot("stanford", NULL);
    arne_trajectory     *path = stanford_motion(robot), *out = NULL;
    arne_error           error;
    double               tight[N] = {1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3};
    arne_scaling_options options = {.torque = tight};
    assert_status(arne_trajectory_scaled(robot, path, &options, &out, &error), ARNE_VALUE);
    assert_non_null(strstr(error.text, "at rest"));
    options = (arne_scaling_options){.sample_time = 1};
    assert_status(arne_trajectory_scaled(robot, path, &options, &out, &error), ARNE_VALUE);
    options = (arne_scaling_options){.margin = 2};
    assert_status(arne_trajectory_scaled(robot, path, &options, &out, &error), ARNE_VALUE);
    tight[0] = -1;
    options = (arne_scaling_options){.torque_rate = tight};
    assert_status(arne_trajectory_scaled(robot, path, &options, &out, &error), ARNE_VALUE);
    assert_null(out);
    arne_trajectory_free(path);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stanford_with_halved_limits),
        cmocka_unit_test(steps_are_the_trajectory),
        cmocka_unit_test(random_motions_keep_their_bounds),
        cmocka_unit_test(generous_bounds),
        cmocka_unit_test(bad_requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
