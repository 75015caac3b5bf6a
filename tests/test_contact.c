// Contact: what blocks, balls, coins and robots do on the ground is known in closed form, or is a
// law.
#include "contact.h"
#include "random.h"
#include "world/cone.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const arne_vec3 DOWN = {0, 0, -9.81};

static arne_vec3 slope(double angle)
{
    return (arne_vec3){9.81 * sin(angle), 0, -9.81 * cos(angle)};
}

static const double ON_FACE[7] = {0, 0, 0.05, 0, 0, 0, 1}, ON_BALL[7] = {0, 0, 0.1, 0, 0, 0, 1};

// A block on a slope slides with g (sin a - mu cos a), whatever the step.
static void sliding_block(void **unused)
{
    (void)unused;
    const double    angle = 0.5, mu = 0.3, a = 9.81 * (sin(angle) - mu * cos(angle));
    const on_ground on = {.friction = mu, .duration = 1, .q = ON_FACE, .every = 0.25};
    arne_robot     *robot = contact_robot(CONTACT_BLOCK, slope(angle));
    for (int i = 0; i < 2; i++) {
        on_ground               now = on;
        arne_simulation_summary s;
        now.step = i ? 5e-3 : 1e-3;
        arne_table *t = contact_run(robot, &now, &s);
        assert_true(fabs(contact_value(t, -1, "q.base.0") - 0.5 * a) < 1e-9);
        assert_true(fabs(contact_value(t, -1, "qd.base.0") - a) < 1e-9 ||
                    arne_table_find(t, "qd.base.0") < 0);
        assert_true(s.contact_residual < 1e-10);
        arne_table_free(t);
    }
    arne_robot_free(robot);
}

// Below the friction angle it sticks, and does not creep.
static void sticking_block(void **unused)
{
    (void)unused;
    const on_ground         on = {.friction = 0.6, .duration = 60, .q = ON_FACE, .every = 10};
    arne_robot             *robot = contact_robot(CONTACT_BLOCK, slope(0.5)); // tan 0.5 = 0.546
    arne_simulation_summary s;
    arne_table             *t = contact_run(robot, &on, &s);
    for (int i = 0; i < arne_table_rows(t); i++) {
        assert_true(fabs(contact_value(t, i, "q.base.0")) < 1e-9);
        assert_true(fabs(contact_value(t, i, "q.base.2") - 0.05) < 1e-9);
    }
    assert_true(fabs(contact_value(t, -1, "contact.block.fz") - 2 * 9.81 * cos(0.5)) < 1e-8);
    assert_true(fabs(contact_value(t, -1, "contact.block.fx") + 2 * 9.81 * sin(0.5)) < 1e-8);
    arne_table_free(t);
    arne_robot_free(robot);
}

// A ball that falls from h rises to e^2 h, again and again.
static void restitution_heights(void **unused)
{
    (void)unused;
    const double    q[7] = {0, 0, 1.1, 0, 0, 0, 1}, e = 0.7;
    const on_ground on = {
        .friction = 0.5, .restitution = e, .duration = 1.6, .q = q, .every = 1e-3};
    arne_robot             *robot = contact_robot(CONTACT_BALL, DOWN);
    arne_simulation_summary s;
    arne_table             *t = contact_run(robot, &on, &s);
    double                  expected = e * e, before = 1.1, now = 1.1;
    int                     peaks = 0;
    for (int i = 1; i < arne_table_rows(t); i++) {
        const double next = contact_value(t, i, "q.base.2");
        if (now > before && now >= next && i > 10) {
            assert_true(fabs(now - 0.1 - expected) < 1e-5);
            expected *= e * e;
            peaks++;
        }
        before = now;
        now = next;
    }
    assert_true(peaks >= 2);
    arne_table_free(t);
    arne_robot_free(robot);
}

// A solid ball with back spin ends rolling at 5/7 v - 2/7 r w.
static void back_spin(void **unused)
{
    (void)unused;
    const double    qd[6] = {2, 0, 0, 0, -30, 0};
    const on_ground on = {.friction = 0.3, .duration = 2, .q = ON_BALL, .qd = qd, .every = 0.5};
    arne_robot     *robot = contact_robot(CONTACT_BALL, DOWN);
    arne_simulation_summary s;
    arne_table             *t = contact_run(robot, &on, &s);
    const double x1 = contact_value(t, -1, "q.base.0"), x0 = contact_value(t, -2, "q.base.0");
    assert_true(fabs((x1 - x0) / 0.5 - (5.0 / 7 * 2 - 2.0 / 7 * 0.1 * 30)) < 1e-9);
    arne_table_free(t);
    arne_robot_free(robot);
}

static double energy_drift(const char *yaml, const double *q, const double *qd, double step)
{
    const on_ground on = {
        .friction = 1e3, .duration = 1, .q = q, .qd = qd, .step = step, .every = 0.01};
    arne_robot             *robot = contact_robot(yaml, DOWN);
    arne_simulation_summary s;
    arne_table             *t = contact_run(robot, &on, &s);
    double                  worst = 0;
    for (int i = 1; i < arne_table_rows(t); i++)
        worst = fmax(
            worst, fabs(contact_value(t, i, "energy.total") - contact_value(t, 0, "energy.total")));
    arne_table_free(t);
    arne_robot_free(robot);
    return worst;
}

// A coin that rolls in a curve: its energy is kept the better the smaller the step.
static void rolling_coin(void **unused)
{
    (void)unused;
    const char  *coin = "base: free\n"
                        "bodies: [{name: coin, mass: 1, inertia: [0.0025, 0.005, 0.0025]}]\n"
                        "contacts: [{link: coin, disc: 0.1, axis: [0, 1, 0]}]\n";
    const double lean = 0.2, q[7] = {0, 0, 0.1 * cos(lean), sin(-lean / 2), 0, 0, cos(lean / 2)};
    const double qd[6] = {1, 0, 0, 0, 10, 0}; // it rolls along x
    const double coarse = energy_drift(coin, q, qd, 2e-3), fine = energy_drift(coin, q, qd, 5e-4);
    print_message("a rolling coin's energy of 1.7 J: off by %.2g J at 2 ms, %.2g J at 0.5 ms\n",
                  coarse, fine);
    assert_true(fine < 0.5 * coarse);
    assert_true(fine < 5e-3);
}

static const char *const PYRAMID = "bodies:\n"
                                   "  - {name: world}\n"
                                   "  - {name: a, mass: 1, inertia: [0.004, 0.004, 0.004]}\n"
                                   "  - {name: b, mass: 1, inertia: [0.004, 0.004, 0.004]}\n"
                                   "  - {name: c, mass: 1, inertia: [0.004, 0.004, 0.004]}\n"
                                   "  - {name: d, mass: 1, inertia: [0.004, 0.004, 0.004]}\n"
                                   "joints:\n"
                                   "  - {name: ja, kind: free, parent: world, child: a}\n"
                                   "  - {name: jb, kind: free, parent: world, child: b}\n"
                                   "  - {name: jc, kind: free, parent: world, child: c}\n"
                                   "  - {name: jd, kind: free, parent: world, child: d}\n"
                                   "contacts: [{link: a, sphere: 0.1}, {link: b, sphere: 0.1}, "
                                   "{link: c, sphere: 0.1}, {link: d, sphere: 0.1}]\n";

// Three balls carry a fourth, with friction; without, they part.
static void pyramid(void **unused)
{
    (void)unused;
    const double h = 0.2 * sqrt(2.0 / 3);
    const double q[28] = {0,
                          0,
                          0.1,
                          0,
                          0,
                          0,
                          1,
                          0.2,
                          0,
                          0.1,
                          0,
                          0,
                          0,
                          1,
                          0.1,
                          0.2 * sqrt(0.75),
                          0.1,
                          0,
                          0,
                          0,
                          1,
                          0.1,
                          0.2 / sqrt(12),
                          0.1 + h,
                          0,
                          0,
                          0,
                          1};
    arne_robot  *robot = contact_robot(PYRAMID, DOWN);
    for (int smooth = 0; smooth < 2; smooth++) {
        const on_ground on = {.friction = smooth ? 0 : 0.5, .duration = 3, .q = q, .every = 1};
        arne_simulation_summary s;
        arne_table             *t = contact_run(robot, &on, &s);
        const double            top = contact_value(t, -1, "q.jd.2") - (0.1 + h);
        assert_true(smooth ? top < -0.05 : fabs(top) < 1e-8);
        if (!smooth)
            assert_true(fabs(contact_value(t, -1, "contact.a.fz") +
                             contact_value(t, -1, "contact.b.fz") +
                             contact_value(t, -1, "contact.c.fz") +
                             contact_value(t, -1, "contact.d.fz") - 4 * 9.81) < 1e-7);
        arne_table_free(t);
    }
    arne_robot_free(robot);
}

// Friction cannot add energy in an impact: a rod that falls slantwise, with friction and
// restitution.
static void impacts_lose_energy(void **unused)
{
    (void)unused;
    const char *rod = "base: free\n"
                      "bodies: [{name: rod, mass: 1, inertia: [0.001, 0.02, 0.02]}]\n"
                      "contacts: [{link: rod, capsule: [0.02, 0.4], axis: [1, 0, 0]}]\n";
    arne_robot *robot = contact_robot(rod, DOWN);
    for (int i = 0; i < 12; i++) {
        const double            half = 0.5 * (0.2 + 0.1 * i);
        const double            q[7] = {0, 0, 0.5, 0, sin(half), 0, cos(half)};
        const double            qd[6] = {3.0 - 0.5 * i, 1, 0, 2, -3.0 + i, 1};
        const on_ground         on = {.friction = 0.1 * i,
                                      .restitution = 0.9,
                                      .duration = 2,
                                      .q = q,
                                      .qd = qd,
                                      .every = 0.01};
        arne_simulation_summary s;
        arne_table             *t = contact_run(robot, &on, &s);
        double                  before = contact_value(t, 0, "energy.total");
        for (int k = 1; k < arne_table_rows(t); k++) {
            const double now = contact_value(t, k, "energy.total");
            assert_true(now < before + 2e-3);
            before = fmin(before, now);
        }
        arne_table_free(t);
    }
    arne_robot_free(robot);
}

static int dropped;

// How far the shapes of a robot are above the plane through the origin.
static double height_of(const arne_robot *robot, arne_vec3 up, const double *q)
{
    arne_world        *world;
    arne_work         *work;
    const arne_surface plane = {.normal = up, .friction = 1, .no_pairs = 1};
    double             least = 10;
    assert_ok(arne_work_new(robot, &work));
    assert_ok(arne_world_new(robot, &plane, 1, &world, NULL));
    arne_kinematics(robot, work, q, NULL, NULL);
    arne_world_find(world, work, 10);
    for (int i = 0; i < arne_world_touch_count(world); i++)
        least = fmin(least, arne_world_touch(world, i).gap);
    arne_world_free(world);
    arne_work_free(work);
    return least;
}

// Robots of ours, from 0.3 m, without torques: nothing explodes, nothing falls through, energy does
// not grow.
static void drop(const char *file, arne_vec3 gravity)
{
    const arne_build_options options = {.gravity = &gravity};
    char                     path[512];
    arne_robot              *robot;
    arne_error               error;
    snprintf(path, sizeof path, "%s/%s", ARNE_ROBOTS_DIR, file);
    assert_ok_or(arne_robot_read(path, &options, &robot, &error), &error);
    const arne_sizes sizes = arne_robot_sizes(robot);
    if (!sizes.contact_count) {
        arne_robot_free(robot);
        return;
    }
    dropped++;
    double         *q = calloc((size_t)sizes.q_count, sizeof *q);
    const arne_vec3 up = {0, gravity.y < 0, gravity.z < 0};
    arne_neutral(robot, q);
    if (up.y > 0) q[1] = 0.1; // the human's height has limits: 0.35 m between them
    const double               ground_at = height_of(robot, up, q) - 0.3;
    const arne_vec3            at = {0, ground_at * up.y, ground_at * up.z};
    const arne_surrounding     ground = {.kind = ARNE_SURROUNDING_GROUND,
                                         .surface = {.point = at, .normal = up, .friction = 0.6}};
    const arne_simulation_spec sim = {.robot = robot,
                                      .surroundings = &ground,
                                      .surrounding_count = 1,
                                      .integrator = {.method = ARNE_METHOD_EULER, .step = 1e-3},
                                      .duration = 1,
                                      .record_every = 0.02,
                                      .record = ARNE_RECORD_ENERGY,
                                      .q = q};
    arne_simulation_summary    s;
    arne_table                *t;
    assert_ok_or(arne_simulate(&sim, NULL, NULL, &t, &s, &error), &error);
    assert_true(s.complete);
    const double start = contact_value(t, 0, "energy.total");
    for (int i = 1; i < arne_table_rows(t); i++)
        assert_true(contact_value(t, i, "energy.total") < start + 0.01 * fabs(start));
    print_message("%s: residual %.1g m/s, penetration %.1g m, %.0f us a step\n", file,
                  s.contact_residual, s.penetration, 1e6 * s.solve_time / (double)s.steps);
    assert_true(s.penetration < 5e-3);
    arne_table_free(t);
    free(q);
    arne_robot_free(robot);
}

static void drop_tests(void **unused)
{
    (void)unused;
    drop("quadruped.yaml", DOWN);
    drop("humanoid.yaml", DOWN);
    drop("human.yaml", (arne_vec3){0, -9.81, 0});
    assert_int_equal(dropped, 3);
}

// Compliant model: a ball at rest sinks in by a known depth, and its force carries the weight.
static void compliant_rests(void **unused)
{
    (void)unused;
    const double            q[7] = {0, 0, 0.102, 0, 0, 0, 1};
    const on_ground         on = {.friction = 0.6,
                                  .duration = 2,
                                  .q = q,
                                  .every = 0.5,
                                  .model = ARNE_CONTACT_COMPLIANT,
                                  .method = ARNE_METHOD_DORMAND_PRINCE};
    arne_robot             *robot = contact_robot(CONTACT_BALL, DOWN);
    arne_simulation_summary s;
    arne_table             *t = contact_run(robot, &on, &s);
    // k d^1.5 is the weight at 1 mm; what is left of the swing has died away by exp(-14.7).
    print_message("a ball on compliant ground sinks in by 1 mm, to %.1e m\n",
                  fabs(contact_value(t, -1, "q.base.2") - 0.099));
    assert_true(fabs(contact_value(t, -1, "q.base.2") - 0.099) < 1e-8);
    assert_true(s.energy_residual < 1e-4); // 1.3e-5 at the usual tolerances
    arne_table_free(t);
    arne_robot_free(robot);
}

// The stiffer it is, the nearer it comes to the rigid one: where a ball with back spin is after a
// second.
static void compliant_becomes_rigid(void **unused)
{
    (void)unused;
    const double qd[6] = {2, 0, 0, 0, -30, 0};
    arne_robot  *robot = contact_robot(CONTACT_BALL, DOWN);
    double       x[4];
    for (int i = 0; i < 4; i++) {
        const arne_surrounding ground = {
            .kind = ARNE_SURROUNDING_GROUND,
            .surface = {.model = i ? ARNE_CONTACT_COMPLIANT : ARNE_CONTACT_RIGID,
                        .friction = 0.3,
                        .stiffness = 1e5 * pow(10, i),
                        .slip_velocity = 0.1 * pow(10, -i)}};
        const arne_simulation_spec sim = {
            .robot = robot,
            .surroundings = &ground,
            .surrounding_count = 1,
            .integrator = {.method = i ? ARNE_METHOD_DORMAND_PRINCE : ARNE_METHOD_EULER,
                           .step = i ? 0 : 1e-3,
                           .relative = 1e-8,
                           .absolute = 1e-8},
            .duration = 1,
            .record = ARNE_RECORD_Q,
            .q = ON_BALL,
            .qd = qd};
        arne_simulation_summary s;
        arne_table             *t;
        assert_ok(arne_simulate(&sim, NULL, NULL, &t, &s, NULL));
        x[i] = contact_value(t, -1, "q.base.0");
        arne_table_free(t);
    }
    for (int i = 2; i < 4; i++)
        assert_true(fabs(x[i] - x[0]) < 0.4 * fabs(x[i - 1] - x[0]));
    arne_robot_free(robot);
}

// A pendulum that falls onto its limit stays there, and dry friction holds what it can hold; as
// complementarity.
static void limits_and_joint_friction(void **unused)
{
    (void)unused;
    const char *arm =
        "bodies:\n"
        "  - {name: base}\n"
        "  - {name: link, mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.01, 0.01]}\n"
        "joints: [{name: j, kind: revolute, parent: base, child: link, axis: [0, 1, 0],\n"
        "          limits: {lower: -1, upper: 0.5}, friction: {coulomb: %g}}]\n"
        "contacts: [{link: link, point: [1, 0, 0]}]\n";
    char text[600];
    for (int holds = 0; holds < 2; holds++) {
        snprintf(text, sizeof text, arm, holds ? 5.0 : 0.5);
        arne_robot                *robot = contact_robot(text, DOWN);
        const double               q[1] = {0};
        arne_surrounding           below = {.kind = ARNE_SURROUNDING_GROUND,
                                            .surface = {.friction = 0.5, .point = {0, 0, -5}}};
        const arne_simulation_spec sim = {.robot = robot,
                                          .surroundings = &below,
                                          .surrounding_count = 1,
                                          .integrator = {.method = ARNE_METHOD_EULER, .step = 1e-3},
                                          .duration = 3,
                                          .record = ARNE_RECORD_Q | ARNE_RECORD_QD,
                                          .q = q};
        arne_simulation_summary    s;
        arne_table                *t;
        assert_ok(arne_simulate(&sim, NULL, NULL, &t, &s, NULL));
        assert_true(fabs(contact_value(t, -1, "q.j") - (holds ? 0 : 0.5)) < 1e-9);
        assert_true(fabs(contact_value(t, -1, "qd.j")) < 1e-12);
        arne_table_free(t);
        arne_robot_free(robot);
    }
}

// One contact by itself obeys its law: open, sticking or sliding, with and without a least impulse.
static void impulses_obey_coulomb(void **unused)
{
    (void)unused;
    rng r = rng_seed(3);
    int met[3] = {0};
    for (int draw = 0; draw < 2000; draw++) {
        double       A[9], K[9], u[3], v[3], p[3] = {0};
        const double mu = rng_uniform(&r, 0.1, 1);
        const double least = draw % 2 ? rng_uniform(&r, 0.1, 2) : 0;
        for (int i = 0; i < 9; i++)
            A[i] = rng_uniform(&r, -0.5, 0.5);
        for (int i = 0; i < 9; i++) {
            K[i] = i % 4 == 0;
            for (int k = 0; k < 3; k++)
                K[i] += A[i / 3 * 3 + k] * A[i % 3 * 3 + k];
        }
        for (int i = 0; i < 3; i++)
            u[i] = rng_uniform(&r, -2, 2) * (i == 0 || draw % 4 < 2 ? 1 : 0.2);
        cone_solve(K, u, mu, least, p);
        for (int i = 0; i < 3; i++)
            v[i] = u[i] + K[3 * i] * p[0] + K[3 * i + 1] * p[1] + K[3 * i + 2] * p[2];
        const double across = hypot(p[1], p[2]), speed = hypot(v[1], v[2]);
        assert_true(p[0] >= least - 1e-12 && v[0] >= -1e-9);
        assert_true(fabs((p[0] - least) * v[0]) < 1e-9);
        assert_true(across <= mu * p[0] + 1e-12);
        assert_true((mu * p[0] - across) * speed < 1e-9);
        assert_true(fabs(p[1] * v[1] + p[2] * v[2] + across * speed) < 1e-9);
        met[p[0] <= least ? 0 : speed < 1e-9 ? 1 : 2]++;
    }
    for (int i = 0; i < 3; i++)
        assert_true(met[i] > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sliding_block),
        cmocka_unit_test(sticking_block),
        cmocka_unit_test(restitution_heights),
        cmocka_unit_test(back_spin),
        cmocka_unit_test(rolling_coin),
        cmocka_unit_test(pyramid),
        cmocka_unit_test(impacts_lose_energy),
        cmocka_unit_test(drop_tests),
        cmocka_unit_test(compliant_rests),
        cmocka_unit_test(compliant_becomes_rigid),
        cmocka_unit_test(limits_and_joint_friction),
        cmocka_unit_test(impulses_obey_coulomb),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
