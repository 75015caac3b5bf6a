// Trajectories: derivatives that are derivatives, points that are met, limits that hold, and the
// least time.
#include "testing.h"
#include <arne/integrate.h>

#include <stdio.h>
#include <stdlib.h>

enum { ORDERS = 5 };

typedef struct kinds {
    arne_trajectory *path[12];
    const char      *name[12];
    int              count;
} kinds;

// The next place for a trajectory.
static arne_trajectory **slot(kinds *k, const char *name)
{
    k->name[k->count] = name;
    return &k->path[k->count++];
}

enum { POINTS = 6 };

// Waypoints that are not too far apart: a random walk of steps of about a radian.
static void random_points(const arne_robot *robot, rng *r, double *times, double *points)
{
    const arne_sizes size = arne_robot_sizes(robot);
    uint64_t         seed = 1000 + (uint64_t)rng_below(r, 1000000);
    arne_random_configuration(robot, &seed, points);
    times[0] = 0;
    for (int i = 1; i < POINTS; i++) {
        double step[MAX_V];
        rng_fill(r, step, size.v_count, 0.6);
        arne_integrate(robot, points + (i - 1) * size.q_count, step, points + i * size.q_count);
        times[i] = times[i - 1] + rng_uniform(r, 0.3, 0.8);
    }
}

static kinds all_kinds(const arne_robot *robot, uint64_t seed)
{
    kinds            k = {.count = 0};
    rng              r = rng_seed(seed);
    const arne_sizes size = arne_robot_sizes(robot);
    double           times[POINTS], v[MAX_V], a[MAX_V], j[MAX_V], omega[2] = {1.3, 3.1};
    double          *points = malloc(sizeof *points * POINTS * MAX_Q);
    double           amplitude[2 * MAX_V], phase[2 * MAX_V];
    assert_non_null(points);
    random_points(robot, &r, times, points);
    const double *to = points + size.q_count;
    for (int i = 0; i < size.v_count; i++) {
        v[i] = rng_uniform(&r, 0.3, 2);
        a[i] = rng_uniform(&r, 0.5, 5);
        j[i] = rng_uniform(&r, 2, 30);
    }
    rng_fill(&r, amplitude, 2 * size.v_count, 0.5);
    rng_fill(&r, phase, 2 * size.v_count, 3);
    const arne_motion_limits limits = {v, a, j};
    for (int p = 0; p < ARNE_PROFILE_COUNT; p++) {
        static const char *const name[] = {"linear", "cubic",       "quintic",
                                           "septic", "trapezoidal", "s-curve"};
        const int                timed = p < ARNE_PROFILE_TRAPEZOIDAL;
        assert_ok(arne_trajectory_point_to_point(
            robot, (arne_profile)p, points, to, timed ? 1.3 : 0, &limits, slot(&k, name[p]), NULL));
    }
    for (int degree = 3; degree <= 7; degree += 2)
        assert_ok(arne_trajectory_waypoints(robot, degree, POINTS, times, points,
                                            slot(&k, degree == 3   ? "waypoints 3"
                                                     : degree == 5 ? "waypoints 5"
                                                                   : "waypoints 7"),
                                            NULL));
    for (int degree = 3; degree <= 5; degree += 2)
        assert_ok(arne_trajectory_through(robot, degree, POINTS, times, points,
                                          slot(&k, degree == 3 ? "through 3" : "through 5"), NULL));
    assert_ok(arne_trajectory_sinusoid(robot, points, 2, omega, amplitude, phase,
                                       slot(&k, "sinusoid"), NULL));
    free(points);
    return k;
}

static void free_kinds(kinds *k)
{
    for (int i = 0; i < k->count; i++)
        arne_trajectory_free(k->path[i]);
}

static void at(const arne_trajectory *path, double t, double *q, double d[ORDERS - 1][MAX_V])
{
    arne_trajectory_evaluate(path, t, q, d[0], d[1], d[2], d[3]);
}

// qd is the rate of q along the velocity coordinates, and so on: by differences of eighth order,
// where the motion is smooth around t. Of several steps the best one counts: a break may be near.
static double worst_rate(const arne_robot *robot, const arne_trajectory *path, double t, double h)
{
    static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    const int           n = arne_robot_sizes(robot).v_count;
    double              q0[MAX_Q], exact[ORDERS - 1][MAX_V], rate[ORDERS - 1][MAX_V] = {{0}};
    double              worst = 0;
    at(path, t, q0, exact);
    for (int i = -4; i <= 4; i++) {
        double       q[MAX_Q], d[ORDERS - 1][MAX_V], step[MAX_V];
        const double w = i == 0 ? 0 : (i > 0 ? 1 : -1) * weight[abs(i) - 1] / h;
        at(path, t + i * h, q, d);
        arne_difference(robot, q0, q, step);
        for (int k = 0; k < n; k++) {
            rate[0][k] += w * step[k];
            for (int m = 1; m < ORDERS - 1; m++)
                rate[m][k] += w * d[m - 1][k];
        }
    }
    for (int m = 0; m < ORDERS - 1; m++)
        worst = fmax(worst, relative_error(rate[m], exact[m], n));
    return worst;
}

static void derivatives_are_rates(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work) {
        kinds k = all_kinds(robot, 3);
        rng   r = rng_seed(9);
        (void)work;
        for (int i = 0; i < k.count; i++) {
            const double T = fmin(arne_trajectory_duration(k.path[i]), 4);
            for (int trial = 0; trial < 5; trial++) {
                double t = 0, worst = 1;
                // Many joints have many breaks: one may be too near.
                for (int attempt = 0; attempt < 6 && !(worst < 1e-7); attempt++) {
                    t = rng_uniform(&r, 0.02, 0.98) * T;
                    for (double h = 1e-2; h > 1e-5; h /= 3)
                        worst = fmin(worst, worst_rate(robot, k.path[i], t, h * T));
                }
                if (!(worst < 1e-7))
                    fail_msg("%s: %s: derivatives off by %g at t = %g", arne_robot_name(robot),
                             k.name[i], worst, t);
            }
        }
        free_kinds(&k);
    }
}

static void assert_at(const arne_robot *robot, const arne_trajectory *path, double t,
                      const double *want, int resting, const char *what)
{
    double    q[MAX_Q], d[ORDERS - 1][MAX_V], off[MAX_V], zero[MAX_V] = {0};
    const int n = arne_robot_sizes(robot).v_count;
    at(path, t, q, d);
    arne_difference(robot, q, want, off);
    if (!(relative_error(off, zero, n) < 1e-11))
        fail_msg("%s: %s: off its point by %g at t = %g", arne_robot_name(robot), what,
                 relative_error(off, zero, n), t);
    for (int k = 0; k < resting; k++)
        if (!(relative_error(d[k], zero, n) < 1e-9))
            fail_msg("%s: %s: derivative %d is %g at t = %g", arne_robot_name(robot), what, k + 1,
                     relative_error(d[k], zero, n), t);
}

static void points_are_met(void **unused)
{
    (void)unused;
    static const int resting[ARNE_PROFILE_COUNT] = {0, 1, 2, 3, 1, 2};
    EACH_ROBOT (robot, work) {
        rng              r = rng_seed(12);
        const arne_sizes size = arne_robot_sizes(robot);
        double           times[POINTS], limit[MAX_V];
        double          *points = malloc(sizeof *points * POINTS * MAX_Q);
        arne_trajectory *path;
        (void)work;
        random_points(robot, &r, times, points);
        for (int i = 0; i < size.v_count; i++)
            limit[i] = 1 + 0.1 * i;
        const double            *to = points + size.q_count;
        const arne_motion_limits limits = {limit, limit, limit};
        for (int p = 0; p < ARNE_PROFILE_COUNT; p++) {
            assert_ok(arne_trajectory_point_to_point(robot, (arne_profile)p, points, to, 2, &limits,
                                                     &path, NULL));
            const double T = arne_trajectory_duration(path);
            assert_at(robot, path, 0, points, resting[p], "point to point");
            assert_at(robot, path, T, to, resting[p], "point to point");
            assert_at(robot, path, T + 1, to, 4, "point to point");
            assert_at(robot, path, -1, points, 4, "point to point");
            arne_trajectory_free(path);
        }
        for (int degree = 1; degree <= 7; degree += 2) {
            for (int free = 0; free < 2 && (!free || degree < POINTS); free++) {
                assert_ok((free ? arne_trajectory_through : arne_trajectory_waypoints)(
                    robot, degree, POINTS, times, points, &path, NULL));
                for (int i = 0; i < POINTS; i++)
                    assert_at(robot, path, times[i], points + i * size.q_count,
                              !free && (i == 0 || i == POINTS - 1) ? (degree - 1) / 2 : 0,
                              "waypoints");
                arne_trajectory_free(path);
            }
        }
        free(points);
    }
}

// Across a waypoint as many derivatives are continuous as the degree promises, also of rotations.
static void splines_are_smooth(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work) {
        rng              r = rng_seed(15);
        const int        n = arne_robot_sizes(robot).v_count;
        double           times[POINTS];
        double          *points = malloc(sizeof *points * POINTS * MAX_Q);
        arne_trajectory *path;
        (void)work;
        random_points(robot, &r, times, points);
        for (int degree = 3; degree <= 7; degree += 2) {
            assert_ok(arne_trajectory_waypoints(robot, degree, POINTS, times, points, &path, NULL));
            for (int i = 1; i + 1 < POINTS; i++) {
                double q[MAX_Q], before[ORDERS - 1][MAX_V], after[ORDERS - 1][MAX_V];
                at(path, times[i] - 1e-9, q, before);
                at(path, times[i] + 1e-9, q, after);
                for (int k = 0; k < ORDERS - 1 && k + 1 < degree; k++)
                    if (!(relative_error(before[k], after[k], n) < 1e-5))
                        fail_msg("%s: degree %d jumps by %g in derivative %d",
                                 arne_robot_name(robot), degree,
                                 relative_error(before[k], after[k], n), k + 1);
            }
            arne_trajectory_free(path);
        }
        free(points);
    }
}

// Two waypoints are a way from point to point; of rotations the path is the same, the time law not
// quite.
static void two_waypoints(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work) {
        rng              r = rng_seed(16);
        const arne_sizes size = arne_robot_sizes(robot);
        double           times[POINTS];
        double          *points = malloc(sizeof *points * POINTS * MAX_Q);
        (void)work;
        random_points(robot, &r, times, points);
        for (int p = ARNE_PROFILE_LINEAR; size.q_count == size.v_count && p <= ARNE_PROFILE_SEPTIC;
             p++) {
            arne_trajectory *a, *b;
            assert_ok(arne_trajectory_waypoints(robot, 2 * p + 1, 2, times, points, &a, NULL));
            assert_ok(arne_trajectory_point_to_point(
                robot, (arne_profile)p, points, points + size.q_count, times[1], NULL, &b, NULL));
            for (int i = 0; i <= 10; i++) {
                double qa[MAX_Q], qb[MAX_Q], da[ORDERS - 1][MAX_V], db[ORDERS - 1][MAX_V];
                at(a, times[1] * i / 10, qa, da);
                at(b, times[1] * i / 10, qb, db);
                assert_true(relative_error(qa, qb, size.q_count) < 1e-12);
                for (int k = 0; k < ORDERS - 1; k++)
                    assert_true(relative_error(da[k], db[k], size.v_count) < 1e-9);
            }
            arne_trajectory_free(a);
            arne_trajectory_free(b);
        }
        free(points);
    }
}

// --- limits and least time ---------------------------------------------------------------------

// An arm of three joints; limits from a wide range, so that every phase appears and vanishes.
typedef struct task {
    double from[8], to[8], v[8], a[8], j[8];
} task;

static task random_task(rng *r, int count)
{
    task t = {{0}, {0}, {0}, {0}, {0}};
    for (int i = 0; i < count; i++) {
        t.from[i] = rng_uniform(r, -1, 1);
        t.to[i] = rng_chance(r, 0.1)
                      ? t.from[i]
                      : t.from[i] + rng_uniform(r, -1, 1) * pow(10, rng_uniform(r, -3, 1));
        t.v[i] = rng_chance(r, 0.1) ? INFINITY : pow(10, rng_uniform(r, -2, 1.5));
        t.a[i] = pow(10, rng_uniform(r, -2, 2));
        t.j[i] = pow(10, rng_uniform(r, -2, 3));
    }
    return t;
}

// The distance that can be gone in a time T from rest to rest, by another construction: the fastest
// speed that leaves enough time to brake, found by bisection. Speed rises to a peak and falls again
// by the same time law, so the distance is peak (T - time to reach the peak).
static double rise_time(double peak, double a, double j)
{
    if (isinf(j)) return peak / a;
    return peak * j < a * a ? 2 * sqrt(peak / j) : peak / a + a / j;
}

static double farthest(double T, double v, double a, double j)
{
    double low = 0, high = isinf(v) ? 1e12 : v;
    if (2 * rise_time(high, a, j) <= T) return high * (T - rise_time(high, a, j));
    for (int i = 0; i < 300; i++) {
        const double middle = 0.5 * (low + high);
        if (2 * rise_time(middle, a, j) <= T)
            low = middle;
        else
            high = middle;
    }
    return low * (T - rise_time(low, a, j));
}

static double least_time(double distance, double v, double a, double j)
{
    double low = 0, high = 1;
    if (distance == 0) return 0;
    while (farthest(high, v, a, j) < distance)
        high *= 2;
    for (int i = 0; i < 300; i++) {
        const double middle = 0.5 * (low + high);
        if (farthest(middle, v, a, j) < distance)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static void profiles_keep_limits_in_least_time(void **unused)
{
    (void)unused;
    arne_robot *robot = read_robot("arm6", NULL);
    const int   n = arne_robot_sizes(robot).v_count;
    rng         r = rng_seed(21);
    for (int trial = 0; trial < 400; trial++) {
        const task               w = random_task(&r, n);
        const int                curve = trial % 2;
        const arne_motion_limits limits = {w.v, w.a, w.j};
        arne_trajectory         *path;
        double                   least = 0;
        assert_ok(arne_trajectory_point_to_point(
            robot, curve ? ARNE_PROFILE_S_CURVE : ARNE_PROFILE_TRAPEZOIDAL, w.from, w.to, 0,
            &limits, &path, NULL));
        const double T = arne_trajectory_duration(path);
        for (int i = 0; i < n; i++)
            least = fmax(least, least_time(fabs(w.to[i] - w.from[i]), w.v[i], w.a[i],
                                           curve ? w.j[i] : INFINITY));
        if (!(fabs(T - least) <= 1e-9 * least))
            fail_msg("trial %d: %.15g s, the least time is %.15g s", trial, T, least);
        double before[8];
        for (int k = 0; k <= 500; k++) {
            double q[8], d[ORDERS - 1][MAX_V];
            at(path, T * k / 500, q, d);
            for (int i = 0; i < n; i++) {
                const double way = w.to[i] - w.from[i];
                assert_true(fabs(d[0][i]) <= w.v[i] && fabs(d[1][i]) <= w.a[i]); // to the last bit
                assert_true(!curve || fabs(d[2][i]) <= w.j[i]);
                assert_true(d[0][i] * way >= 0); // no way back
                assert_true(k == 0 || fabs(q[i] - before[i]) <= w.v[i] * T / 500 * (1 + 1e-9));
                before[i] = q[i];
                if (k == 500) assert_true(fabs(q[i] - w.to[i]) <= 1e-14 * (1 + fabs(way)));
            }
        }
        arne_trajectory_free(path);
    }
    arne_robot_free(robot);
}

static void durations_beyond_the_least(void **unused)
{
    (void)unused;
    arne_robot              *robot = read_robot("arm6", NULL);
    rng                      r = rng_seed(22);
    const task               w = random_task(&r, 6);
    const arne_motion_limits limits = {w.v, w.a, w.j};
    arne_trajectory         *fast, *slow;
    assert_ok(arne_trajectory_point_to_point(robot, ARNE_PROFILE_S_CURVE, w.from, w.to, 0, &limits,
                                             &fast, NULL));
    const double T = 3 * arne_trajectory_duration(fast);
    assert_ok(arne_trajectory_point_to_point(robot, ARNE_PROFILE_S_CURVE, w.from, w.to, T, &limits,
                                             &slow, NULL));
    assert_true(fabs(arne_trajectory_duration(slow) - T) < 1e-12 * T);
    double q[8], p[8], d[ORDERS - 1][MAX_V], e[ORDERS - 1][MAX_V];
    at(fast, 0.2 * T / 3, q, d);
    at(slow, 0.2 * T, p, e);
    for (int i = 0; i < 6; i++)
        assert_true(fabs(p[i] - q[i]) < 1e-13 &&
                    fabs(e[0][i] * 3 - d[0][i]) < 1e-12 * (1 + fabs(d[0][i])));
    arne_trajectory_free(fast);
    arne_trajectory_free(slow);
    arne_robot_free(robot);
}

// --- tables and bad input ----------------------------------------------------------------------

// A trajectory sampled to a table and read back is nearly the same; of a spline through it a
// polynomial is the same.
static void tables_there_and_back(void **unused)
{
    (void)unused;
    EACH_FILE_ROBOT (robot, work) {
        const arne_sizes size = arne_robot_sizes(robot);
        kinds            k = all_kinds(robot, 5);
        arne_table      *table;
        arne_trajectory *back;
        (void)work;
        const arne_trajectory *path = k.path[k.count - 1]; // the sinusoid
        assert_ok(arne_trajectory_sample(path, robot, 2, 201, 4, &table, NULL));
        // Motors of elastic joints have no columns; they go where their joints go.
        const int nq = size.q_count - size.theta_count, nv = size.v_count - size.theta_count;
        assert_int_equal(arne_table_columns(table), 1 + nq + 4 * nv);
        assert_ok(arne_trajectory_table(robot, 5, table, NULL, &back, NULL));
        for (int i = 0; i <= 37; i++) {
            double q[MAX_Q], p[MAX_Q], d[ORDERS - 1][MAX_V], e[ORDERS - 1][MAX_V];
            at(path, 2.0 * i / 37, q, d);
            at(back, 2.0 * i / 37, p, e);
            assert_true(relative_error(p, q, nq) < 1e-9);
            assert_true(relative_error(e[0], d[0], nv) < 1e-7);
            for (int m = 0; m < size.motor_count; m++) {
                const arne_motor_info motor = arne_robot_motor(robot, m);
                if (motor.q_index >= 0)
                    assert_true(p[motor.q_index] ==
                                p[arne_robot_joint(robot, motor.joint).q_start]);
            }
        }
        arne_table_free(table);
        arne_trajectory_free(back);
        free_kinds(&k);
    }
}

static int has_body_axes(const arne_robot *robot)
{
    int found = 0;
    for (int i = 0; i < arne_robot_sizes(robot).joint_count; i++)
        found |= arne_joint_kind_facts(arne_robot_joint(robot, i).kind)->has_body_axes;
    return found;
}

// With the rates of its rows a table is met exactly at them, and joined smoothly between; where
// velocities are no rates, that is said.
static void rates_of_rows(void **unused)
{
    (void)unused;
    EACH_FILE_ROBOT (robot, work) {
        const arne_sizes size = arne_robot_sizes(robot);
        kinds            k = all_kinds(robot, 5);
        arne_table      *table;
        arne_trajectory *back = NULL;
        arne_error       error;
        const int        nq = size.q_count - size.theta_count, nv = size.v_count - size.theta_count;
        (void)work;
        const arne_trajectory *path = k.path[k.count - 1]; // the sinusoid
        assert_ok(arne_trajectory_sample(path, robot, 2, 41, 3, &table, NULL));
        const arne_status status = arne_trajectory_table(robot, 0, table, NULL, &back, &error);
        assert_int_equal(status == ARNE_UNSUPPORTED, has_body_axes(robot));
        for (int i = 0; i <= 80 && !status; i++) { // rows, and half way
            double       q[MAX_Q], p[MAX_Q], d[ORDERS - 1][MAX_V], e[ORDERS - 1][MAX_V];
            const double near = i % 2 ? 1e-4 : 1e-9;
            at(path, 2.0 * i / 80, q, d);
            at(back, 2.0 * i / 80, p, e);
            assert_true(relative_error(p, q, nq) < near);
            assert_true(relative_error(e[0], d[0], nv) < near);
            assert_true(relative_error(e[1], d[1], nv) < 10 * near);
        }
        for (int after = 0; after < 2 && !status; after++) { // it stands still
            double q[MAX_Q], p[MAX_Q], d[ORDERS - 1][MAX_V];
            at(back, after ? 2 : 0, p, d);
            at(back, after ? 3.7 : -0.9, q, d);
            assert_true(relative_error(q, p, nq) < 1e-14);
            for (int order = 0; order < 2; order++)
                for (int v = 0; v < nv; v++)
                    assert_true(d[order][v] == 0);
        }
        arne_table_free(table);
        arne_trajectory_free(back);
        free_kinds(&k);
    }
}

static void bad_requests(void **unused)
{
    (void)unused;
    arne_robot        *robot = read_robot("arm6", NULL);
    arne_trajectory   *path;
    arne_error         error;
    double             from[6] = {0}, to[6] = {1, 1, 1, 1, 1, 1}, v[6], points[18] = {0};
    const double       falling[3] = {0, 1, 0.5}, late[3] = {1, 2, 3}, times[3] = {0, 1, 2};
    const arne_profile quintic = ARNE_PROFILE_QUINTIC, curve = ARNE_PROFILE_S_CURVE;
    arne_motion_limits limits = {v, v, NULL};
    for (int i = 0; i < 6; i++)
        v[i] = 1;
    assert_status(arne_trajectory_point_to_point(robot, quintic, from, to, 0, NULL, &path, &error),
                  ARNE_VALUE);
    assert_status(arne_trajectory_point_to_point(robot, quintic, from, to, -1, NULL, &path, &error),
                  ARNE_VALUE);
    assert_status(arne_trajectory_point_to_point(robot, curve, from, to, 0, &limits, &path, &error),
                  ARNE_VALUE);
    assert_non_null(strstr(error.text, "jerk"));
    limits.jerk = v;
    v[2] = -1;
    assert_status(arne_trajectory_point_to_point(robot, curve, from, to, 0, &limits, &path, &error),
                  ARNE_VALUE);
    assert_non_null(strstr(error.text, arne_robot_joint(robot, 2).name));
    assert_status(arne_trajectory_waypoints(robot, 4, 3, times, points, &path, &error), ARNE_VALUE);
    assert_status(arne_trajectory_waypoints(robot, 3, 3, falling, points, &path, &error),
                  ARNE_VALUE);
    assert_status(arne_trajectory_waypoints(robot, 3, 3, late, points, &path, &error), ARNE_VALUE);
    assert_status(arne_trajectory_through(robot, 3, 3, times, points, &path, &error), ARNE_VALUE);
    to[3] = NAN;
    assert_status(arne_trajectory_point_to_point(robot, quintic, from, to, 1, NULL, &path, &error),
                  ARNE_VALUE);
    to[3] = 99;
    assert_ok(arne_trajectory_point_to_point(robot, quintic, from, to, 1, NULL, &path, &error));
    assert_status(arne_trajectory_check_limits(path, robot, 1, 100, &error), ARNE_VALUE);
    assert_non_null(strstr(error.text, arne_robot_joint(robot, 3).name));
    arne_trajectory_free(path);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_rates),
        cmocka_unit_test(points_are_met),
        cmocka_unit_test(splines_are_smooth),
        cmocka_unit_test(two_waypoints),
        cmocka_unit_test(profiles_keep_limits_in_least_time),
        cmocka_unit_test(durations_beyond_the_least),
        cmocka_unit_test(tables_there_and_back),
        cmocka_unit_test(rates_of_rows),
        cmocka_unit_test(bad_requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
