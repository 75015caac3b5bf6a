// Static optimisation: conditions of the optimum, bounds, reserves, powers, passive and compliant
// muscles, and OpenSim's tool.
#include "json.h"
#include "reference.h"
#include "testing.h"
#include <stdio.h>
#include <stdlib.h>

#define MODEL "opensim/models/gait10dof18musc_subject01_ankle_spring_v30000.osim"
enum { MOST = 100 };

// A chain of `joints` joints with `muscles` muscles: only their laws matter here.
static arne_robot *chain_robot(int joints, int muscles)
{
    static const char *const law[] = {"millard", "thelen", "degroote"};
    static char              text[60000];
    arne_builder            *b = NULL;
    arne_error               error = {0};
    int                      at = sprintf(text, "name: chain\nbodies: [{name: l0}");
    for (int j = 1; j <= joints; j++)
        at += sprintf(text + at, ", {name: l%d, mass: 1, inertia: [1, 1, 1]}", j);
    at += sprintf(text + at, "]\njoints:\n");
    for (int j = 1; j <= joints; j++)
        at += sprintf(text + at, "  - {name: j%d, kind: revolute, parent: l%d, child: l%d}\n", j,
                      j - 1, j);
    at += sprintf(text + at, "muscles:\n");
    for (int i = 0; i < muscles; i++)
        at +=
            sprintf(text + at,
                    "  - {name: m%d, law: %s, max_force: %d, fibre_length: 0.1, slack_length: "
                    "0.2, pennation: %g, points: [{link: l0}, {link: l1, position: [1, 0, 0]}]}\n",
                    i, law[i % 3], 500 + 100 * (i % 7), 0.1 * (i % 4));
    at += sprintf(text + at, "  - {name: band, law: spring, stiffness: 1000, slack_length: 0.25,\n"
                             "     points: [{link: l0}, {link: l1, position: [1, 0, 0]}]}\n");
    assert_ok(arne_builder_new(&b));
    assert_ok_or(arne_read_text(b, text, (size_t)at, "chain.yaml", &error), &error);
    arne_robot *robot = finish(b, NULL);
    arne_builder_free(b);
    return robot;
}

typedef struct frame {
    double tau[MOST], L[MOST], V[MOST], arms[MOST * MOST];
    double a[MOST], F[MOST], rest[MOST];
} frame;

static void random_frame(const arne_robot *robot, uint64_t seed, double torque, frame *f)
{
    rng       r = rng_seed(seed);
    const int n = arne_muscle_count(robot), v = arne_robot_sizes(robot).v_count;
    memset(f, 0, sizeof *f);
    rng_fill(&r, f->tau, v, torque);
    for (int i = 0; i < n; i++) {
        f->L[i] = 0.3 + rng_uniform(&r, -0.02, 0.03);
        f->V[i] = rng_uniform(&r, -0.2, 0.2);
        for (int j = 0; j < v; j++)
            if (rng_chance(&r, v > 8 ? 0.25 : 0.6))
                f->arms[i * v + j] = rng_uniform(&r, -0.06, 0.06);
    }
}

// dF/da at the solution, by differences of arne_muscle_forces or, rigid, exactly.
static double force_slope(const arne_robot *robot, const frame *f, int muscle,
                          const arne_static_options *o)
{
    const int           n = arne_muscle_count(robot);
    double              one[MOST], F[MOST];
    arne_muscle_result  r[MOST];
    arne_muscle_options m = {.no_passive = !o->passive};
    if (o->compliant && f->a[muscle] > 0.01) {
        assert_ok(arne_muscle_forces(robot, 1, f->a, f->L, f->V, &m, F, r));
        return r[muscle].force_by[0];
    }
    if (o->compliant) { // a parabola below 0.01
        for (int i = 0; i < n; i++)
            one[i] = 0.01;
        assert_ok(arne_muscle_forces(robot, 1, one, f->L, f->V, &m, F, r));
        const double high = F[muscle], end = r[muscle].force_by[0];
        one[muscle] = 0;
        assert_ok(arne_muscle_forces(robot, 1, one, f->L, f->V, &m, F, NULL));
        const double chord = (high - F[muscle]) / 0.01, start = fmax(2 * chord - end, 0);
        return start + 2 * (chord - start) * f->a[muscle] / 0.01;
    }
    m = (arne_muscle_options){.tendon = ARNE_TENDON_RIGID, .no_passive = 1};
    for (int i = 0; i < n; i++)
        one[i] = 1;
    assert_ok(arne_muscle_forces(robot, 1, one, f->L, f->V, &m, F, r));
    return F[muscle];
}

// First-order conditions with the multipliers of the rows: rest = reserve^2 lambda / 2.
static double optimum_off(const arne_robot *robot, const frame *f, const arne_static_options *o)
{
    const int    n = arne_muscle_count(robot) - 1, v = arne_robot_sizes(robot).v_count;
    const double p = o->power > 0 ? o->power : 2;
    double       worst = 0;
    for (int i = 0; i < n; i++) {
        double pull = 0;
        for (int j = 0; j < v; j++)
            pull += f->arms[i * v + j] * 2 * f->rest[j] / (o->reserves[j] * o->reserves[j]);
        pull *= force_slope(robot, f, i, o);
        const double slope = (p * pow(f->a[i], p - 1) - pull) / (1 + fabs(pull));
        const double low = o->lower ? o->lower[i] : 0, high = o->upper ? o->upper[i] : 1;
        assert_true(f->a[i] >= low && f->a[i] <= high);
        if (low == high) continue;
        if (f->a[i] <= low + 1e-7)
            worst = fmax(worst, -slope);
        else if (f->a[i] >= high - 1e-7)
            worst = fmax(worst, slope);
        else
            worst = fmax(worst, fabs(slope));
    }
    return worst;
}

static void check_options(int joints, int muscles, double torque, arne_static_options o,
                          double tolerance, const char *name)
{
    arne_robot  *robot = chain_robot(joints, muscles);
    arne_static *s = NULL;
    arne_error   error = {0};
    double       reserves[MOST], worst = 0, gap = 0;
    for (int j = 0; j < joints; j++)
        reserves[j] = 1 + j % 3;
    o.reserves = reserves;
    assert_ok_or(arne_static_new(robot, &o, &s, &error), &error);
    for (uint64_t seed = 0; seed < 60; seed++) {
        static frame f;
        random_frame(robot, seed, torque, &f);
        const arne_status status = arne_static_solve(s, f.tau, f.L, f.V, f.arms, f.a, f.F, f.rest);
        if (status) print_error("%s: seed %d\n", name, (int)seed);
        assert_ok(status);
        worst = fmax(worst, optimum_off(robot, &f, &o));
        // forces are those of the laws
        double              F[MOST];
        arne_muscle_options m = {.no_passive = !o.passive};
        assert_ok(arne_muscle_forces(robot, 1, f.a, f.L, f.V, &m, F, NULL));
        for (int i = 0; o.compliant && i < muscles; i++)
            if (f.a[i] == 0 || f.a[i] > 0.01) gap = fmax(gap, fabs(F[i] - f.F[i]));
        assert_true(fabs(f.F[muscles] - F[muscles]) < 1e-9); // the spring
    }
    print_message("%s: conditions to %.1e, forces to %.1e N\n", name, worst, gap);
    assert_true(worst < tolerance && gap < 1e-5);
    arne_static_free(s);
    arne_robot_free(robot);
}

static void activations_are_optimal(void **unused)
{
    double lower[MOST], upper[MOST];
    (void)unused;
    check_options(3, 9, 30, (arne_static_options){0}, 1e-7, "squares");
    check_options(3, 9, 300, (arne_static_options){0}, 1e-7, "too much torque");
    check_options(10, 18, 20, (arne_static_options){0}, 1e-7, "10 joints");
    check_options(29, 92, 20, (arne_static_options){0}, 1e-7, "29 joints");
    check_options(3, 9, 30, (arne_static_options){.power = 3}, 1e-7, "cubes");
    check_options(1, 6, 0.1, (arne_static_options){.power = 3}, 1e-7, "cubes, small torque");
    check_options(6, 18, 1000, (arne_static_options){.power = 3}, 1e-7, "cubes, large torque");
    check_options(3, 9, 30, (arne_static_options){.power = 1.5}, 1e-6, "power 1.5");
    check_options(3, 9, 30, (arne_static_options){.power = 10}, 1e-6, "power 10");
    check_options(3, 9, 30, (arne_static_options){.power = 1}, 1e-6, "power 1");
    for (int i = 0; i < MOST; i++) {
        lower[i] = i == 2 ? 0.2 : 0.05;
        upper[i] = i == 2 ? 0.2 : 0.6;
    }
    check_options(3, 9, 40, (arne_static_options){.lower = lower, .upper = upper}, 1e-7, "bounds");
    check_options(3, 9, 30, (arne_static_options){.passive = 1}, 1e-7, "passive");
    check_options(3, 9, 30, (arne_static_options){.compliant = 1}, 1e-6, "compliant");
    check_options(10, 18, 20, (arne_static_options){.compliant = 1, .passive = 1}, 1e-6,
                  "compliant and passive");
}

// Without reserves the torques are met exactly where muscles can, and refused where they cannot.
static void torques_are_met_or_refused(void **unused)
{
    arne_robot   *robot = chain_robot(2, 6);
    arne_static  *s = NULL;
    arne_error    error = {0};
    static frame  f;
    static double at[MOST] = {0.2, 0.4, 0.1, 0.3, 0.05, 0.5, 0};
    (void)unused;
    assert_ok_or(arne_static_new(robot, NULL, &s, &error), &error);
    for (uint64_t seed = 0; seed < 30; seed++) {
        double                    F[MOST], cost = 0, given = 0;
        const arne_muscle_options o = {.tendon = ARNE_TENDON_RIGID, .no_passive = 1};
        random_frame(robot, seed, 0, &f);
        for (int i = 0; i < 7; i++) // Thelen's law takes the velocity of activation 1
            f.V[i] = 0;
        assert_ok(arne_muscle_forces(robot, 1, at, f.L, f.V, &o, F, NULL));
        for (int i = 0; i < 7; i++)
            for (int j = 0; j < 2; j++)
                f.tau[j] += f.arms[i * 2 + j] * F[i];
        assert_ok(arne_static_solve(s, f.tau, f.L, f.V, f.arms, f.a, f.F, f.rest));
        for (int i = 0; i < 6; i++) {
            cost += f.a[i] * f.a[i];
            given += at[i] * at[i];
        }
        assert_true(fabs(f.rest[0]) < 1e-9 && fabs(f.rest[1]) < 1e-9);
        assert_true(cost < given + 1e-12);
        f.tau[0] = 1e4;
        const arne_status status = arne_static_solve(s, f.tau, f.L, f.V, f.arms, f.a, f.F, f.rest);
        assert_int_equal(status, ARNE_NOT_CONVERGED);
        for (int i = 0; i < 6; i++)
            assert_true(f.a[i] >= 0 && f.a[i] <= 1);
        f.tau[0] = NAN;
        assert_int_equal(arne_static_solve(s, f.tau, f.L, f.V, f.arms, f.a, f.F, f.rest),
                         ARNE_VALUE);
        // no muscle at all moves the second joint: it is left out
        for (int i = 0; i < 7; i++)
            f.arms[i * 2 + 1] = 0;
        f.tau[0] = 0.1;
        f.tau[1] = 7;
        assert_ok(arne_static_solve(s, f.tau, f.L, f.V, f.arms, f.a, f.F, f.rest));
        assert_true(f.rest[1] == 7 && fabs(f.rest[0]) < 1e-9);
    }
    arne_static_free(s);
    arne_robot_free(robot);
}

static void bad_options_are_named(void **unused)
{
    arne_robot         *robot = chain_robot(2, 6), *none = read_robot("planar_2r", NULL);
    arne_static        *s = NULL;
    arne_error          error = {0};
    double              bad[MOST] = {0, 0, 2}, minus[2] = {1, -1};
    arne_static_options o = {.power = 0.5};
    (void)unused;
    assert_status(arne_static_new(robot, &o, &s, &error), ARNE_VALUE);
    assert_non_null(strstr(error.text, "power"));
    o = (arne_static_options){.upper = bad};
    assert_status(arne_static_new(robot, &o, &s, &error), ARNE_VALUE);
    assert_non_null(strstr(error.text, "'m2'"));
    o = (arne_static_options){.reserves = minus};
    assert_status(arne_static_new(robot, &o, &s, &error), ARNE_VALUE);
    assert_status(arne_static_new(none, NULL, &s, &error), ARNE_UNSUPPORTED);
    assert_null(s);
    arne_robot_free(robot);
    arne_robot_free(none);
}

// ---- along a motion ----

static double cell(const arne_table *t, int row, const char *what, const char *name)
{
    char text[200];
    snprintf(text, sizeof text, "%s.%s", what, name);
    const int c = arne_table_find(t, text);
    assert_true(c >= 0);
    return arne_table_row(t, row)[c];
}

// The power of the joints is that of the muscles and of what they leave; with the tension of all
// paths on the links, inverse dynamics finds what they leave.
static void power_of_joints_is_that_of_muscles(void **unused)
{
    enum { ROWS = 30 };
    arne_robot    *robot = NULL;
    arne_error     error = {0};
    arne_work     *work = NULL;
    arne_table    *table = NULL, *reactions = NULL;
    arne_recording r = {0};
    double         time[ROWS], q[ROWS * 10], tau[ROWS * 10], reserves[MOST], tension[MOST];
    int            missed = -1;
    (void)unused;
    assert_ok_or(
        arne_robot_read(ARNE_ROBOTS_DIR "/../examples/markers/person.osim", NULL, &robot, &error),
        &error);
    const arne_sizes sizes = arne_robot_sizes(robot);
    const int        n = arne_muscle_count(robot), v = sizes.v_count;
    assert_true(v == 10);
    for (int i = 0; i < ROWS; i++) {
        time[i] = 0.02 * i;
        for (int j = 0; j < v; j++)
            q[i * v + j] = 0.1 * sin(5 * time[i] + j) - 0.15;
    }
    for (int j = 0; j < v; j++)
        reserves[j] = 2;
    const arne_static_options o = {.reserves = reserves};
    assert_ok_or(arne_recording_smooth(ROWS, v, time, q, 0, &r, &error), &error);
    assert_ok_or(arne_recording_dynamics(robot, &r, NULL, tau, &error), &error);
    assert_ok_or(arne_recording_muscles(robot, &r, NULL, &o, &table, &reactions, &missed, &error),
                 &error);
    assert_int_equal(missed, 0);
    assert_int_equal(arne_table_rows(table), r.rows);
    assert_int_equal(arne_table_rows(reactions), r.rows);
    assert_ok(arne_work_new(robot, &work));
    for (int i = 0; i < r.rows; i++) {
        arne_wrench f_ext[MAX_BODIES] = {0};
        double      left[MOST], joints = 0, muscles = 0;
        for (int m = 0; m < n; m++) {
            const char *name = arne_robot_muscle(robot, m).name;
            muscles += cell(table, i, "power", name);
            tension[m] = cell(table, i, "force", name);
            assert_true(cell(table, i, "metabolic", name) > 0);
        }
        assert_ok(arne_muscle_wrenches(robot, work, r.x + i * v, tension, f_ext));
        arne_inverse_dynamics(robot, work, r.x + i * v, r.rate + i * v, r.second + i * v, f_ext,
                              left);
        for (int j = 0; j < sizes.joint_count; j++) {
            const arne_joint_info joint = arne_robot_joint(robot, j);
            if (!joint.v_count) continue;
            const double rest = cell(table, i, "rest", joint.name);
            joints += (tau[i * v + joint.v_start] - rest) * r.rate[i * v + joint.v_start];
            assert_true(fabs(rest - left[joint.v_start]) < 1e-8);
        }
        assert_true(fabs(joints - muscles) < 1e-8);
        const int knee = arne_find_joint(robot, "knee_angle_r");
        if (arne_robot_frame(robot, arne_robot_joint(robot, knee).child).mass > 0)
            assert_true(fabs(cell(reactions, i, "reaction", "tibia_r.fy") -
                             arne_joint_wrench(robot, work, knee).lin.y) < 1e-8);
    }
    arne_work_free(work);
    arne_table_free(table);
    arne_table_free(reactions);
    arne_recording_free(&r);
    arne_robot_free(robot);
}

// ---- OpenSim's tool ----

typedef struct gait {
    arne_robot *robot;
    json       *file;
    int         n, v, from[MOST]; // from: where the file has our coordinate
} gait;

static int gait_open(gait *g)
{
    char       path[1000];
    arne_error error = {0};
    if (!reference_path(MODEL, path, sizeof path)) return 0;
    assert_ok_or(arne_robot_read(path, NULL, &g->robot, &error), &error);
    assert_true(reference_path("opensim/numbers/static_optimisation.json", path, sizeof path));
    g->file = json_read(path);
    g->n = arne_muscle_count(g->robot) - 1; // and the limit of the ankle behind them
    g->v = arne_robot_sizes(g->robot).v_count;
    const json *names = json_get(g->file, "coords");
    for (int i = 0; i < json_count(names); i++)
        g->from[arne_robot_joint(g->robot, arne_find_joint(g->robot, json_text(json_at(names, i))))
                    .v_start] = i;
    return 1;
}

static void gait_frame(const gait *g, const json *row, frame *f)
{
    const int ankle =
        arne_robot_joint(g->robot, arne_find_joint(g->robot, "ankle_angle_r")).v_start;
    double given[MOST], q[MOST], qd[MOST];
    json_numbers(json_get(row, "length"), f->L, g->n);
    json_numbers(json_get(row, "speed"), f->V, g->n);
    json_numbers(json_get(row, "tau"), given, g->v);
    for (int j = 0; j < g->v; j++)
        f->tau[j] = given[g->from[j]];
    json_numbers(json_get(row, "q"), q, g->v);
    json_numbers(json_get(row, "qd"), qd, g->v);
    f->L[g->n] = q[g->from[ankle]];
    f->V[g->n] = qd[g->from[ankle]];
    for (int j = 0; j < g->v; j++)
        f->arms[g->n * g->v + j] = j == ankle ? -1 : 0;
    for (int i = 0; i < g->n; i++) {
        json_numbers(json_at(json_get(row, "moment_arms"), i), given, g->v);
        for (int j = 0; j < g->v; j++)
            f->arms[i * g->v + j] = given[g->from[j]];
    }
}

// The same from coordinates and measured forces, all of it ours.
static void gait_compute(const gait *g, const json *row, arne_work *work, frame *f)
{
    static const char *const names[] = {"q", "qd", "qdd"};
    double                   x[3][MOST], given[MOST], tau[MOST];
    arne_wrench              f_ext[MAX_BODIES] = {0};
    const json              *loads = json_get(row, "external");
    for (int k = 0; k < 3; k++) {
        json_numbers(json_get(row, names[k]), given, g->v);
        for (int j = 0; j < g->v; j++)
            x[k][j] = given[g->from[j]];
    }
    arne_kinematics(g->robot, work, x[0], NULL, NULL);
    for (int i = 0; i < json_count(loads); i++) {
        const json     *load = json_at(loads, i);
        const int       link = arne_find_frame(g->robot, json_text(json_get(load, "body")));
        const arne_pose X = arne_frame_pose(g->robot, work, link);
        arne_vec3       force, point, torque;
        json_numbers(json_get(load, "force"), &force.x, 3);
        json_numbers(json_get(load, "point"), &point.x, 3);
        json_numbers(json_get(load, "torque"), &torque.x, 3);
        torque = v3_add(torque, v3_cross(v3_sub(point, X.p), force));
        const arne_wrench w = {
            {v3_dot(X.R.x, force), v3_dot(X.R.y, force), v3_dot(X.R.z, force)},
            {v3_dot(X.R.x, torque), v3_dot(X.R.y, torque), v3_dot(X.R.z, torque)}};
        arne_add_wrench(g->robot, link, &w, f_ext);
    }
    arne_inverse_dynamics(g->robot, work, x[0], x[1], x[2], f_ext, tau);
    memcpy(f->tau, tau, (size_t)g->v * sizeof *tau);
    assert_ok(arne_muscle_lengths(g->robot, work, x[0], x[1], f->L, f->V));
    assert_ok(arne_muscle_moment_arms(g->robot, work, x[0], f->arms));
}

static double worst_of(const json *row, const char *key, const double *mine, int count, double unit)
{
    double theirs[MOST], worst = 0;
    json_numbers(json_get(row, key), theirs, count);
    for (int i = 0; i < count; i++)
        worst = fmax(worst, fabs(theirs[i] - mine[i]) / unit);
    return worst;
}

// Torques of a recording are those of inverse dynamics without what the limit of the ankle gives.
static void gait_limit_is_left_out(const gait *g, const json *row, arne_work *work)
{
    static const char *const names[] = {"q", "qd", "qdd"};
    double                   x[3][MOST], given[MOST], tau[MOST], whole[MOST], time = 0;
    const double             spring = json_number(json_get(row, "ankle_spring_torque"));
    const int                ankle =
        arne_robot_joint(g->robot, arne_find_joint(g->robot, "ankle_angle_r")).v_start;
    for (int k = 0; k < 3; k++) {
        json_numbers(json_get(row, names[k]), given, g->v);
        for (int j = 0; j < g->v; j++)
            x[k][j] = given[g->from[j]];
    }
    const arne_recording m = {
        .rows = 1, .columns = g->v, .time = &time, .x = x[0], .rate = x[1], .second = x[2]};
    assert_ok(arne_recording_dynamics(g->robot, &m, NULL, tau, NULL));
    arne_inverse_dynamics(g->robot, work, x[0], x[1], x[2], NULL, whole);
    for (int j = 0; j < g->v; j++) {
        const double off = whole[j] - tau[j] - (j == ankle ? spring : 0);
        if (fabs(off) > 1e-9 * (1 + fabs(whole[j]) + fabs(spring)))
            fail_msg("joint %d: %g, %g, %g", j, whole[j], tau[j], spring);
    }
}

static void optimum_is_the_reference(void **unused)
{
    gait                g = {0};
    arne_static        *s = NULL;
    arne_work          *work = NULL;
    arne_error          error = {0};
    static frame        f;
    double              whole = 0;
    int                 springs = 0;
    double              reserves[MOST], one[MOST], F[MOST], a = 0, force = 0, theirs = 0, N = 0;
    arne_static_options o = {.reserves = reserves, .opensim = 1};
    (void)unused;
    if (!gait_open(&g)) skip();
    for (int i = 0; i < MOST; i++)
        reserves[i] = one[i] = 1;
    assert_ok_or(arne_static_new(g.robot, &o, &s, &error), &error);
    assert_ok(arne_work_new(g.robot, &work));
    const json               *rows = json_get(g.file, "frames");
    const arne_muscle_options full = {.tendon = ARNE_TENDON_RIGID, .no_passive = 1};
    for (int r = 0; r < json_count(rows); r++) {
        const json *row = json_at(rows, r);
        double      theirs_N[MOST];
        gait_frame(&g, row, &f);
        assert_ok(arne_muscle_forces(g.robot, 1, one, f.L, f.V, &full, F, NULL));
        assert_true(worst_of(row, "capacity_with_true_pennation", F, g.n, 1000) < 1e-9);
        const double spring = json_number(json_get(row, "ankle_spring_torque"));
        if (fabs(F[g.n] + spring) > 1e-9 * (1 + fabs(spring)))
            fail_msg("the limit of the ankle: %.12g, %.12g", -F[g.n], spring);
        springs += spring != 0;
        assert_ok(arne_static_solve(s, f.tau, f.L, f.V, f.arms, f.a, f.F, f.rest));
        a = fmax(a, worst_of(row, "activation", f.a, g.n, 1));
        force = fmax(force, worst_of(row, "force", f.F, g.n, 1));
        theirs = fmax(theirs, worst_of(row, "opensim_activation", f.a, g.n, 1));
        json_numbers(json_get(row, "opensim_activation"), theirs_N, g.n);
        for (int i = 0; i < g.n; i++)
            if (f.a[i] > 0) N = fmax(N, fabs(theirs_N[i] - f.a[i]) * f.F[i] / f.a[i]);
        gait_limit_is_left_out(&g, row, work);
        gait_compute(&g, row, work, &f);
        assert_ok(arne_static_solve(s, f.tau, f.L, f.V, f.arms, f.a, f.F, f.rest));
        whole = fmax(whole, worst_of(row, "activation", f.a, g.n, 1));
    }
    print_message("optimum: activations to %.1e, forces to %.1e N; OpenSim's to %.3f, %.1f N; from "
                  "coordinates to %.1e\n",
                  a, force, theirs, N, whole);
    assert_true(whole < 1e-6 && springs > 2);
    assert_true(a < 1e-6 && force < 1e-6 * 1000 && theirs < 0.01 && N < 20);
    arne_static_free(s);
    arne_work_free(work);
    json_free(g.file);
    arne_robot_free(g.robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(activations_are_optimal),
        cmocka_unit_test(torques_are_met_or_refused),
        cmocka_unit_test(bad_options_are_named),
        cmocka_unit_test(power_of_joints_is_that_of_muscles),
        cmocka_unit_test(optimum_is_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
