// Parallel robots: the Gough-Stewart platform of tests/data, forces to 1e-9 and accelerations to
// 1e-8, and what platform and legs have in common with trees and loops.
#include "testing.h"

#include "closed.h"
#include "json.h"
#include <arne/integrate.h>

#include <stdio.h>

enum { LEGS = 6 };

static void quaternion_of(const double *rpy, double *h)
{
    const double cr = cos(rpy[0] / 2), sr = sin(rpy[0] / 2), cp = cos(rpy[1] / 2);
    const double sp = sin(rpy[1] / 2), cy = cos(rpy[2] / 2), sy = sin(rpy[2] / 2);
    h[0] = sr * cp * cy - cr * sp * sy;
    h[1] = cr * sp * cy + sr * cp * sy;
    h[2] = cr * cp * sy - sr * sp * cy;
    h[3] = cr * cp * cy + sr * sp * sy;
}

// R^T x, of a matrix by rows.
static arne_vec3 turned_back(const double *R, const double *x)
{
    return v3(R[0] * x[0] + R[3] * x[1] + R[6] * x[2], R[1] * x[0] + R[4] * x[1] + R[7] * x[2],
              R[2] * x[0] + R[5] * x[1] + R[8] * x[2]);
}

static void put(double *out, arne_vec3 a)
{
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
}

// The platform of a sample: its twist and the rate of that twist's numbers, in its own axes.
static void sample_platform(const json *at, state *s)
{
    double R[9], rpy[3], v[3], w[3], a[3], dw[3];
    json_numbers(json_get(at, "p"), s->q, 3);
    json_numbers(json_get(at, "R"), R, 9);
    json_numbers(json_get(at, "euler_roll_pitch_yaw"), rpy, 3);
    json_numbers(json_get(at, "v"), v, 3);
    json_numbers(json_get(at, "omega"), w, 3);
    json_numbers(json_get(at, "a"), a, 3);
    json_numbers(json_get(at, "omega_dot"), dw, 3);
    quaternion_of(rpy, s->q + 3);
    const arne_vec3 lin = turned_back(R, v), ang = turned_back(R, w), acc = turned_back(R, a);
    put(s->qd, lin);
    put(s->qd + 3, ang);
    put(s->qdd, v3(acc.x - (ang.y * lin.z - ang.z * lin.y), acc.y - (ang.z * lin.x - ang.x * lin.z),
                   acc.z - (ang.x * lin.y - ang.y * lin.x)));
    put(s->qdd + 3, turned_back(R, dw));
}

// The legs of a sample: its angles start a quarter turn from ours, and its second one turns the
// other way.
static void sample_legs(const json *at, state *s)
{
    const double quarter = 1.57079632679489661923;
    for (int i = 0; i < LEGS; i++) {
        const json *leg = json_at(json_get(at, "legs"), i);
        double     *q = s->q + 7 + 3 * i, *qd = s->qd + 6 + 3 * i, *qdd = s->qdd + 6 + 3 * i;
        json_numbers(json_get(leg, "q"), q, 3);
        json_numbers(json_get(leg, "qd"), qd, 3);
        json_numbers(json_get(leg, "qdd"), qdd, 3);
        q[0] += quarter;
        q[1] = quarter - q[1];
        qd[1] = -qd[1];
        qdd[1] = -qdd[1];
    }
}

static void check_forces(const state *s, const char *what, const double *tau, const json *at)
{
    double forces[LEGS], wanted[LEGS];
    json_numbers(json_get(at, "Gamma"), wanted, LEGS);
    for (int i = 0; i < LEGS; i++)
        forces[i] = tau[8 + 3 * i];
    assert_close(s, what, forces, wanted, LEGS, 1e-9);
}

static void check_sample(const closed *c, const json *at)
{
    state      s = {.robot = c->robot, .size = c->size};
    double     tau[MAX_V], qdd[MAX_V];
    arne_error error = {0};
    sample_platform(at, &s);
    sample_legs(at, &s);
    assert_true(arne_loop_closure(c->robot, c->work, c->loop, s.q, NULL) < 1e-12);
    assert_ok_or(arne_loop_inverse_dynamics(c->robot, c->work, c->loop, s.q, s.qd, s.qdd, NULL,
                                            NULL, tau, &error),
                 &error);
    check_forces(&s, "leg forces", tau, at);
    assert_ok_or(arne_parallel_inverse_dynamics(c->robot, c->work, c->loop, s.q, s.qd, s.qdd, NULL,
                                                tau, &error),
                 &error);
    check_forces(&s, "leg forces, platform and legs", tau, at);
    assert_ok_or(arne_loop_forward_dynamics(c->robot, c->work, c->loop, s.q, s.qd, tau, NULL, NULL,
                                            qdd, &error),
                 &error);
    assert_close(&s, "direct dynamics", qdd, s.qdd, c->size.v_count, 1e-8);
}

static void gough_stewart(void **unused)
{
    (void)unused;
    json       *file = json_read(TEST_DATA_DIR "/gough_stewart.json");
    const json *samples = json_get(file, "samples");
    closed      c = closed_file("gough_stewart");
    for (int i = 0; i < json_count(samples); i++)
        check_sample(&c, json_at(samples, i));
    assert_int_equal(json_count(samples), 11);
    closed_free(&c);
    json_free(file);
}

// ---- platform and legs ----

// Of all coordinates but the platform's, which are the first.
static void shake(rng *r, double *q, int from, int count, double size)
{
    for (int k = from; k < count; k++)
        q[k] += rng_uniform(r, -size, size);
}

// Legs from the platform, and the platform from the drives, from seeds nearby.
static void check_kinematics(closed *c, const state *s)
{
    rng           r = rng_seed(s->seed);
    unsigned char active[MAX_V];
    double        q[MAX_Q], step[MAX_V];
    const int     n = c->size.v_count, platform_q = c->size.q_count - n;
    arne_error    error = {0};
    int           legs = n; // where they start
    for (int i = 0; i < c->size.joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(c->robot, i);
        if (!strncmp(j.name, "leg", 3) && j.v_start < legs) legs = j.v_start;
    }
    memcpy(q, s->q, sizeof q);
    shake(&r, q, legs + platform_q, c->size.q_count, 0.05);
    assert_ok_or(arne_parallel_inverse_kinematics(c->robot, c->work, c->loop, q, &error), &error);
    assert_close(s, "inverse kinematics", q, s->q, c->size.q_count, 1e-9);

    arne_active(c->robot, active);
    for (int k = 0; k < n; k++)
        step[k] = active[k] ? 0 : rng_uniform(&r, -0.01, 0.01);
    arne_integrate(c->robot, s->q, step, q);
    assert_ok_or(arne_parallel_forward_kinematics(c->robot, c->work, c->loop, q, &error), &error);
    arne_difference(c->robot, q, s->q, step);
    for (int k = 0; k < n; k++)
        assert_true(fabs(step[k]) < 1e-8);
}

static void check_dynamics(closed *c, const state *s, int square)
{
    double     qd[MAX_V], qdd[MAX_V], ours[MAX_V], theirs[MAX_V];
    const int  n = c->size.v_count;
    arne_error error = {0};
    memset(qd, 0, sizeof qd);
    memset(qdd, 0, sizeof qdd);
    for (int k = 0; k < n; k++)
        if (k < n - c->size.loop_row_count) { // as many as the platform has
            qd[k] = s->qd[k];
            qdd[k] = s->qdd[k];
        }
    if (square) {
        assert_ok_or(arne_parallel_complete(c->robot, c->work, s->q, qd, qdd, &error), &error);
        assert_close(s, "velocities of legs", qd, s->qd, n, 1e-9);
        assert_close(s, "accelerations of legs", qdd, s->qdd, n, 1e-9);
    } else {
        assert_int_equal(arne_parallel_complete(c->robot, c->work, s->q, qd, qdd, &error),
                         ARNE_MODEL);
    }
    assert_ok_or(arne_parallel_inverse_dynamics(c->robot, c->work, c->loop, s->q, s->qd, s->qdd,
                                                NULL, ours, &error),
                 &error);
    assert_ok(arne_loop_inverse_dynamics(c->robot, c->work, c->loop, s->q, s->qd, s->qdd, NULL,
                                         NULL, theirs, NULL));
    assert_close(s, "platform and legs", ours, theirs, n, 1e-9);
}

static void check_robot(closed *c, int square)
{
    int found = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        state s;
        if (!closed_state(c, seed, &s)) continue;
        found++;
        check_kinematics(c, &s);
        check_dynamics(c, &s, square);
    }
    assert_true(found >= 5);
    closed_free(c);
}

static void files(void **unused)
{
    (void)unused;
    static const char *const names[] = {"gough_stewart", "delta", "planar_3rrr"};
    for (int i = 0; i < 3; i++) {
        closed c = closed_file(names[i]);
        c.seed = (uint64_t)i;
        check_robot(&c, 1);
    }
}

// ---- every kind of leg ----

static const double base_angles[LEGS] = {-0.2, 0.2, 1.9, 2.3, 4, 4.4};
static const double platform_angles[LEGS] = {-0.8, 0.8, 1.2, 2.9, 3.4, 5};

static arne_parallel_spec make_spec(arne_leg_kind kind, int legs, arne_vec3 *points)
{
    arne_parallel_spec s = arne_parallel_spec_default(kind);
    for (int i = 0; i < legs; i++) {
        const int k = LEGS / legs * i;
        points[i] = v3(0.6 * cos(base_angles[k]), 0.6 * sin(base_angles[k]), 0.02 * i);
        points[LEGS + i] = v3(0.3 * cos(platform_angles[k]), 0.3 * sin(platform_angles[k]), -0.04);
    }
    s.leg_count = legs;
    s.base_points = points;
    s.platform_points = points + LEGS;
    s.home.p = v3(0.01, -0.02, 0.7);
    s.crank = 0.25;
    s.rod = 0.75;
    s.elbow = -1;
    s.slide = v3(0, 0, 2); // any length will do
    s.platform.mass = 5;
    s.platform.com = v3(0.01, 0.02, 0.03);
    s.platform.inertia[0] = s.platform.inertia[1] = 0.2;
    s.platform.inertia[2] = 0.3;
    for (int k = 0; k < s.joint_count; k++) {
        arne_body_spec *b = &s.joints[k].body;
        b->mass = 1 + k;
        b->com = v3(0.02, 0.01 * k, 0.1);
        b->inertia[0] = b->inertia[1] = 0.02;
        b->inertia[2] = 0.01;
    }
    return s;
}

static closed build_parallel(const arne_parallel_spec *spec)
{
    arne_builder *builder = NULL;
    arne_error    error = {0};
    assert_ok(arne_builder_new(&builder));
    assert_ok_or(arne_builder_add_parallel(builder, spec, &error), &error);
    closed c = closed_make(finish(builder, NULL));
    arne_builder_free(builder);
    return c;
}

static void kinds(void **unused)
{
    (void)unused;
    static const arne_leg_kind list[] = {ARNE_LEG_UPS, ARNE_LEG_SPS, ARNE_LEG_RUS, ARNE_LEG_PUS};
    arne_vec3                  points[2 * LEGS];
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const arne_parallel_spec spec = make_spec(list[i], LEGS, points);
        closed                   c = build_parallel(&spec);
        assert_true(arne_loop_closure(c.robot, c.work, c.loop, c.home, NULL) < 1e-14);
        assert_int_equal(arne_robot_loop(c.robot, 0).leg.kind, list[i]);
        check_robot(&c, 1);
    }
    const arne_parallel_spec spec = make_spec(ARNE_LEG_UPU, 3, points);
    closed                   c = build_parallel(&spec);
    arne_loop_report         report;
    assert_ok(arne_loop_analyse(c.robot, c.work, c.loop, c.home, &report, NULL, NULL));
    assert_int_equal(report.mobility, 3);
    closed_free(&c);
}

// A template, written as a chain: the same robot, whose legs are found by steps.
static void chains(void **unused)
{
    (void)unused;
    arne_vec3          points[2 * LEGS];
    arne_parallel_spec spec = make_spec(ARNE_LEG_UPS, LEGS, points);
    closed             whole = build_parallel(&spec);
    spec.kind = ARNE_LEG_CHAIN;
    closed c = build_parallel(&spec);
    memcpy(c.home, whole.home, sizeof c.home);
    check_robot(&c, 1);
    closed_free(&whole);
}

// The first joint of a leg stands in a frame of its own: legs that start lower and turned, and
// joints that make up for it.
static void legs_with_an_origin(void **unused)
{
    (void)unused;
    arne_vec3          points[2 * LEGS];
    double             angles[LEGS];
    arne_parallel_spec spec = make_spec(ARNE_LEG_UPS, LEGS, points);
    closed             whole = build_parallel(&spec);
    spec.kind = ARNE_LEG_CHAIN;
    for (int i = 0; i < LEGS; i++) {
        angles[i] = base_angles[i] - 0.3;
        points[i].z -= 0.1;
    }
    spec.angles = angles;
    spec.joints[0].joint.origin.R = m3_turn(v3(0, 0, 1), 0.3);
    spec.joints[0].joint.origin.p = v3(0, 0, 0.1);
    closed c = build_parallel(&spec);
    memcpy(c.home, whole.home, sizeof c.home);
    assert_true(arne_loop_closure(c.robot, c.work, c.loop, c.home, NULL) < 1e-12);
    closed_free(&c);
    closed_free(&whole);
}

// ---- the same hexapod as a tree with loops ----

static void add_tree_leg(arne_builder *builder, const json *file, int leg)
{
    const double quarter = 1.57079632679489661923;
    const double angle = json_number(json_at(json_get(file, "base_angles_rad"), leg));
    const double radius = json_number(json_get(file, "base_radius"));
    char         name[3][32], joint[32];
    for (int k = 0; k < 3; k++) {
        arne_joint_spec spec = arne_joint_spec_default();
        snprintf(name[k], sizeof name[k], "l%d%d", leg, k);
        snprintf(joint, sizeof joint, "j%d%d", leg, k);
        add_json_link(builder, name[k], json_at(json_get(file, "leg_links"), k));
        spec.name = joint;
        spec.kind = k < 2 ? ARNE_JOINT_REVOLUTE : ARNE_JOINT_PRISMATIC;
        spec.parent = k ? name[k - 1] : "ground";
        spec.child = name[k];
        spec.actuation = k < 2 ? ARNE_ACTUATION_PASSIVE : ARNE_ACTUATION_ACTIVE;
        arne_dh_modified(&spec, k ? 0 : angle, 0, k ? quarter : -quarter, k ? 0 : radius, 0, 0);
        assert_ok(arne_builder_add_joint(builder, &spec, NULL));
    }
}

// Leg 0 carries the platform by a ball; the others are tied to it.
static closed hexapod_tree(const json *file)
{
    arne_builder   *builder = NULL;
    arne_joint_spec ball = arne_joint_spec_default();
    char            rod[16], name[16];
    double          at[3 * LEGS];
    assert_ok(arne_builder_new(&builder));
    add_json_link(builder, "ground", NULL);
    for (int i = 0; i < LEGS; i++)
        add_tree_leg(builder, file, i);
    add_json_link(builder, "top", json_get(file, "platform"));
    json_numbers(json_get(file, "platform_points_in_platform_frame"), at, 3 * LEGS);
    ball.name = "ball";
    ball.kind = ARNE_JOINT_BALL;
    ball.parent = "l02";
    ball.child = "top";
    ball.actuation = ARNE_ACTUATION_PASSIVE;
    ball.tip.p = v3(-at[0], -at[1], -at[2]);
    assert_ok(arne_builder_add_joint(builder, &ball, NULL));
    for (int i = 1; i < LEGS; i++) {
        arne_loop_spec tie = arne_loop_spec_default();
        snprintf(rod, sizeof rod, "l%d2", i);
        snprintf(name, sizeof name, "tie%d", i);
        tie.name = name;
        tie.kind = ARNE_LOOP_BALL;
        tie.predecessor = rod;
        tie.successor = "top";
        tie.successor_origin.p = v3(at[3 * i], at[3 * i + 1], at[3 * i + 2]);
        assert_ok(arne_builder_add_loop(builder, &tie, NULL));
    }
    closed c = closed_make(finish(builder, NULL));
    arne_builder_free(builder);
    return c;
}

static arne_joint_info joint_named(const closed *c, const char *format, int leg)
{
    char name[32];
    snprintf(name, sizeof name, format, leg);
    return arne_robot_joint(c->robot, arne_find_joint(c->robot, name));
}

// Drives of the parallel robot to those of the tree.
static void to_tree(const closed *c, const closed *tree, const double *from, double *to)
{
    for (int i = 0; i < LEGS; i++)
        to[joint_named(tree, "j%d2", i).v_start] =
            from[joint_named(c, "leg%d_slide", i + 1).v_start];
}

static void check_tree(closed *c, closed *tree, const json *at, uint64_t seed)
{
    state  s = {.robot = c->robot, .size = c->size, .seed = seed};
    double q[MAX_Q] = {0}, qd[MAX_V] = {0}, qdd[MAX_V] = {0}, tau[MAX_V], theirs[MAX_V];
    double ours[LEGS], other[LEGS];
    rng    r = rng_seed(seed);
    sample_platform(at, &s);
    memcpy(s.q + 7, c->home + 7, (size_t)(c->size.q_count - 7) * sizeof *s.q);
    rng_fill(&r, s.qd, 6, 1);
    rng_fill(&r, s.qdd, 6, 2);
    assert_ok(arne_parallel_inverse_kinematics(c->robot, c->work, c->loop, s.q, NULL));
    assert_ok(arne_parallel_complete(c->robot, c->work, s.q, s.qd, s.qdd, NULL));
    assert_ok(arne_parallel_inverse_dynamics(c->robot, c->work, c->loop, s.q, s.qd, s.qdd, NULL,
                                             tau, NULL));
    memcpy(q, tree->home, sizeof q);
    for (int i = 0; i < LEGS; i++)
        json_numbers(json_get(json_at(json_get(at, "legs"), i), "q"),
                     q + joint_named(tree, "j%d0", i).q_start, 3);
    // The ball's turn: that of the platform in the rod's axes, by steps from where the last sample
    // was.
    arne_error error = {0};
    assert_ok_or(arne_assemble(tree->robot, tree->work, tree->loop, NULL, q, NULL, &error), &error);
    arne_kinematics(tree->robot, tree->work, q, NULL, NULL);
    const arne_pose top =
        arne_frame_pose(tree->robot, tree->work, arne_find_frame(tree->robot, "top"));
    const double place[3] = {top.p.x, top.p.y, top.p.z};
    assert_close(&s, "the same assembly", place, s.q, 3, 1e-9);
    to_tree(c, tree, s.qd, qd);
    to_tree(c, tree, s.qdd, qdd);
    assert_ok(arne_loop_complete(tree->robot, tree->work, tree->loop, q, qd, qdd, NULL));
    assert_ok(arne_loop_inverse_dynamics(tree->robot, tree->work, tree->loop, q, qd, qdd, NULL,
                                         NULL, theirs, NULL));
    for (int i = 0; i < LEGS; i++) {
        ours[i] = tau[joint_named(c, "leg%d_slide", i + 1).v_start];
        other[i] = theirs[joint_named(tree, "j%d2", i).v_start];
    }
    assert_close(&s, "tree and parallel robot", ours, other, LEGS, 1e-9);
}

static void hexapod_as_tree(void **unused)
{
    (void)unused;
    json       *file = json_read(TEST_DATA_DIR "/gough_stewart.json");
    const json *samples = json_get(file, "samples");
    closed      c = closed_file("gough_stewart"), tree = hexapod_tree(file);
    for (int i = 0; i < json_count(samples); i++)
        check_tree(&c, &tree, json_at(samples, i), (uint64_t)(i + 1));
    closed_free(&tree);
    closed_free(&c);
    json_free(file);
}

// ---- what is refused ----

static void bad_input(void **unused)
{
    (void)unused;
    closed     c = closed_file("gough_stewart"), other = closed_file("five_bar");
    double     q[MAX_Q], v[MAX_V] = {0}, tau[MAX_V];
    arne_error error = {0};
    memcpy(q, c.home, sizeof q);
    q[0] += 0.01; // the legs stay
    assert_int_equal(
        arne_parallel_inverse_dynamics(c.robot, c.work, c.loop, q, v, v, NULL, tau, &error),
        ARNE_LOOP_OPEN);
    assert_non_null(strstr(error.text, "leg1_end"));
    assert_int_equal(
        arne_parallel_inverse_kinematics(other.robot, other.work, other.loop, q, &error),
        ARNE_MODEL);
    assert_non_null(strstr(error.text, "five_bar"));
    assert_int_equal(arne_parallel_inverse_kinematics(NULL, NULL, NULL, NULL, &error),
                     ARNE_NULL_ARGUMENT);
    closed_free(&other);
    closed_free(&c);

    c = closed_file("delta");
    memcpy(q, c.home, sizeof q);
    q[2] = -2; // platform_z: longer than crank and rod
    assert_int_equal(arne_parallel_inverse_kinematics(c.robot, c.work, c.loop, q, &error),
                     ARNE_NOT_CONVERGED);
    assert_non_null(strstr(error.text, "'leg1_end' cannot reach"));
    closed_free(&c);

    // Legs of a square that all stand upright cannot hold the platform against a side step.
    arne_vec3          points[2 * LEGS];
    arne_parallel_spec spec = make_spec(ARNE_LEG_UPS, LEGS, points);
    for (int i = 0; i < LEGS; i++)
        points[LEGS + i] = points[i];
    spec.home.p = v3(0, 0, 0.8);
    c = build_parallel(&spec);
    assert_int_equal(
        arne_parallel_inverse_dynamics(c.robot, c.work, c.loop, c.home, v, v, NULL, tau, &error),
        ARNE_LOOP_SINGULAR);
    closed_free(&c);
}

// The homes of the files are closed as they are, on the side that the files say.
static void homes(void **unused)
{
    (void)unused;
    static const char *const files[] = {"gough_stewart", "delta", "planar_3rrr"};
    for (int i = 0; i < 3; i++) {
        closed        c = closed_make(read_robot(files[i], NULL));
        arne_assembly found;
        assert_true(arne_loop_closure(c.robot, c.work, c.loop, c.home, NULL) < 1e-14);
        assert_ok(arne_assemble(c.robot, c.work, c.loop, NULL, c.home, &found, NULL));
        assert_int_equal(found.starts, 1);
        closed_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gough_stewart), cmocka_unit_test(homes),
        cmocka_unit_test(files),         cmocka_unit_test(kinds),
        cmocka_unit_test(chains),        cmocka_unit_test(hexapod_as_tree),
        cmocka_unit_test(bad_input),     cmocka_unit_test(legs_with_an_origin)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
