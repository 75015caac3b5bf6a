// Elastic joints: both methods and both directions agree, energy and momentum stay, and stiff
// springs make rigid robots.
#include "testing.h"

#include "losses.h"
#include "rk4.h"

#include <arne/motor.h>
#include <stdio.h>

typedef double matrix[MAX_V * MAX_V];

enum { TREES = 300 };

static arne_robot *random_robot(uint64_t seed, const arne_build_options *options, int lossless)
{
    arne_builder *builder = random_tree(seed);
    (lossless ? add_lossless_motors : add_random_motors)(builder, seed);
    arne_robot *robot = finish(builder, options);
    arne_builder_free(builder);
    return robot;
}

// ---- two methods, two directions ----

static void check_directions(const state *s, arne_work *work)
{
    const arne_robot *robot = s->robot;
    const int         n = s->size.v_count, joints = n - s->size.theta_count;
    double            motor[MAX_V] = {0}, qdd[MAX_V], wanted[MAX_V], through[MAX_V] = {0};
    double            again[MAX_V], back[MAX_V];
    matrix            M;
    arne_motor_gather(robot, s->tau, motor);
    if (arne_robot_base(robot) == ARNE_BASE_FREE) memset(motor, 0, 6 * sizeof *motor);
    arne_mass_matrix(robot, work, s->q, M);
    assert_ok(arne_elastic_forward_dynamics_matrix(robot, work, s->q, s->qd, motor, s->f_ext,
                                                   wanted, through, NULL));
    assert_ok(
        arne_elastic_forward_dynamics(robot, work, s->q, s->qd, motor, s->f_ext, qdd, again, NULL));
    assert_direct_close(s, "recursive against matrix", qdd, wanted, n, 1e-10, M);
    for (int i = 0; i < s->size.joint_count; i++) { // what loops through mimic joints is shared
        const arne_joint_info j = arne_robot_joint(robot, i);
        if (j.v_count)
            assert_direct_close(s, "what joints carry", again + j.v_start, through + j.v_start,
                                j.v_count, 1e-10, M);
    }
    assert_ok(
        arne_elastic_inverse_dynamics(robot, work, s->q, s->qd, s->f_ext, qdd, back, NULL, NULL));
    for (int i = 0; i < s->size.spring_count; i++) {
        const arne_spring_info spring = arne_robot_spring(robot, i);
        const arne_joint_info  j = arne_robot_joint(robot, spring.joint);
        if (spring.passive)
            motor[j.v_start] = arne_spring_torque(&spring, s->q[j.q_start], s->qd[j.v_start]);
    }
    assert_direct_close(s, "inverse of direct dynamics", back, motor, joints, 1e-10, M);
    assert_direct_close(s, "accelerations", qdd, wanted, n, 1e-10, M);
}

static void methods_and_directions(void **unused)
{
    (void)unused;
    int elastic = 0, passive = 0;
    for (uint64_t seed = 0; seed < TREES; seed++) {
        const arne_build_options options = {.base = random_tree_base(seed)};
        arne_robot              *robot = random_robot(seed, &options, 0);
        arne_work               *work = new_work(robot);
        for (uint64_t i = 1; i <= 2; i++) {
            state s = random_state(robot, i);
            state_set_base(&s, work);
            check_directions(&s, work);
        }
        elastic += arne_robot_sizes(robot).theta_count;
        for (int i = 0; i < arne_robot_sizes(robot).spring_count; i++)
            passive += arne_robot_spring(robot, i).passive;
        arne_work_free(work);
        arne_robot_free(robot);
    }
    assert_true(elastic > 100 && passive > 10);
}

// ---- over time ----

static double total_energy(const flight *f, const state *s)
{
    double kinetic, potential;
    arne_energy(f->robot, f->work, s->q, s->qd, &kinetic, &potential);
    return kinetic + potential;
}

// Links, rotors, springs and weight, where nothing is lost.
static void energy_stays(void **unused)
{
    (void)unused;
    const int part = TEST_PART > 1 ? 4 : 1;
    for (uint64_t seed = 30; seed < 46; seed += (uint64_t)part) {
        const arne_build_options options = {.base = seed % 2 ? ARNE_BASE_FIXED : ARNE_BASE_FREE,
                                            .no_friction = 1};
        arne_robot              *robot = random_robot(seed, &options, 1);
        const flight             f = {robot, new_work(robot), NULL, NULL};
        state                    s = random_state(robot, seed);
        const double             before = total_energy(&f, &s);
        fly(&f, 0, 5e-5, 4000, s.q, s.qd);
        const double after = total_energy(&f, &s);
        assert_same(&s, "energy", after, before, 1e-8);
        arne_work_free(f.work);
        arne_robot_free(robot);
    }
}

static void add_body(arne_builder *builder, const char *name, rng *r)
{
    arne_body_spec body = arne_body_spec_default();
    random_inertia(r, &body);
    body.name = name;
    assert_ok(arne_builder_add_body(builder, &body, NULL));
}

static void add_joint(arne_builder *builder, const char *name, const char *parent,
                      const char *child, rng *r)
{
    arne_joint_spec joint = arne_joint_spec_default();
    joint.name = name;
    joint.parent = parent;
    joint.child = child;
    joint.axis = rng_axis(r);
    joint.origin = rng_pose(r, 0.3);
    assert_ok(arne_builder_add_joint(builder, &joint, NULL));
}

static void add_motor(arne_builder *builder, const char *joint, const char *link, double gear,
                      double stiffness, double damping)
{
    arne_motor_spec motor = arne_motor_spec_default();
    motor.joint = joint;
    motor.link = link;
    motor.axis = v3(0.6, 0, -0.8);
    motor.gear = gear;
    motor.inertia = 0.1 / (gear * gear);
    motor.transverse = motor.inertia;
    motor.mass = 0.2;
    motor.stiffness = stiffness;
    motor.damping = damping;
    assert_ok(arne_builder_add_motor(builder, &motor, NULL));
}

// A trunk with an arm of two joints and a tail; one motor is rigid, one elastic, one joint has a
// spring alone.
static arne_builder *satellite(double stiffness, double damping)
{
    arne_builder    *builder = NULL;
    arne_spring_spec spring = arne_spring_spec_default();
    rng              r = rng_seed(17);
    assert_ok(arne_builder_new(&builder));
    add_body(builder, "trunk", &r);
    add_body(builder, "upper", &r);
    add_body(builder, "lower", &r);
    add_body(builder, "tail", &r);
    add_joint(builder, "shoulder", "trunk", "upper", &r);
    add_joint(builder, "elbow", "upper", "lower", &r);
    add_joint(builder, "root", "trunk", "tail", &r);
    add_motor(builder, "shoulder", "lower", -7, INFINITY, 0);
    add_motor(builder, "elbow", "trunk", 9, stiffness, damping);
    spring.joint = "root";
    spring.stiffness = 2;
    spring.rest = 0.3;
    assert_ok(arne_builder_add_spring(builder, &spring, NULL));
    return builder;
}

static void wave(double t, const double *q, const double *qd, double *tau, const void *robot)
{
    double motor[16] = {0};
    (void)q, (void)qd;
    motor[6] = 0.1 * sin(1.3 * t);
    motor[7] = 0.1 * cos(1.7 * t);
    arne_motor_spread(robot, motor, tau);
}

// Ten seconds of free flight: whatever motors and springs do inside, momentum stays.
static void momentum_stays(void **unused)
{
    (void)unused;
    const arne_vec3          none = {0, 0, 0};
    const arne_build_options options = {.base = ARNE_BASE_FREE, .gravity = &none};
    arne_builder            *builder = satellite(3, 0.02);
    arne_robot              *robot = finish(builder, &options);
    const flight             f = {robot, new_work(robot), wave, robot};
    state                    s = {.robot = robot, .size = arne_robot_sizes(robot)};
    arne_wrench              before, after;
    const int                steps = TEST_PART > 1 ? 5000 : 50000;
    arne_neutral(robot, s.q);
    rng r = rng_seed(3);
    rng_fill(&r, s.qd, s.size.v_count, 0.5);
    arne_momentum(robot, f.work, s.q, s.qd, &before);
    fly(&f, 0, 10.0 / 50000, steps, s.q, s.qd);
    arne_momentum(robot, f.work, s.q, s.qd, &after);
    assert_same(&s, "momentum", after, before, 1e-10);
    arne_work_free(f.work);
    arne_robot_free(robot);
    arne_builder_free(builder);
}

// ---- stiff springs ----

// How far two motions are apart after a while, from rest.
static double distance_from_rigid(double stiffness, const double *wanted, double *q)
{
    const arne_build_options options = {.base = ARNE_BASE_FIXED};
    const double             damping = isinf(stiffness) ? 0 : 1.4 * sqrt(0.1 * stiffness);
    arne_builder            *builder = satellite(stiffness, damping);
    arne_robot              *robot = finish(builder, &options);
    const flight             f = {robot, new_work(robot), NULL, NULL};
    double                   x[MAX_Q] = {0}, v[MAX_V] = {0}, worst = 0;
    fly(&f, 0, 2e-5, 15000, x, v);
    memcpy(q, x, 3 * sizeof *q);
    for (int i = 0; i < 3 && wanted; i++)
        worst = fmax(worst, fabs(x[i] - wanted[i]));
    arne_work_free(f.work);
    arne_robot_free(robot);
    arne_builder_free(builder);
    return worst;
}

// Damped motions from rest tend to the rigid one, by 1/K over three decades.
static void stiff_motions_are_rigid(void **unused)
{
    (void)unused;
    double rigid[3], q[3], before = 0;
    distance_from_rigid(INFINITY, NULL, rigid);
    for (int i = 0; i < 4; i++) {
        const double off = distance_from_rigid(1e3 * pow(10, i), rigid, q);
        assert_true(off > 1e-9);
        if (i) assert_true(before / off > 8 && before / off < 12);
        before = off;
    }
}

// An arm all of whose joints are elastic, each with its motor on the link before it and along its
// axis, as most have.
static arne_robot *elastic_arm(double stiffness)
{
    arne_builder *builder = NULL;
    rng           r = rng_seed(23);
    assert_ok(arne_builder_new(&builder));
    const char *const link[4] = {"base", "one", "two", "three"};
    const char *const joint[3] = {"first", "second", "third"};
    for (int i = 0; i < 4; i++)
        add_body(builder, link[i], &r);
    for (int i = 0; i < 3; i++) {
        arne_motor_spec motor = arne_motor_spec_default();
        add_joint(builder, joint[i], link[i], link[i + 1], &r);
        motor.joint = joint[i];
        motor.gear = 40 + i;
        motor.inertia = 1e-4;
        motor.mass = 0.3;
        motor.reflected = 1;
        motor.stiffness = stiffness;
        assert_ok(arne_builder_add_motor(builder, &motor, NULL));
    }
    arne_robot *robot = finish(builder, NULL);
    arne_builder_free(builder);
    return robot;
}

static void feedforward_at(double stiffness, const double *const motion[5], double *motor)
{
    arne_robot       *robot = elastic_arm(stiffness);
    arne_feedforward *ahead = NULL;
    arne_error        error = {0};
    assert_ok_or(arne_feedforward_new(robot, &ahead, &error), &error);
    arne_feedforward_torques(ahead, motion, NULL, NULL, NULL, NULL, motor);
    arne_feedforward_free(ahead);
    arne_robot_free(robot);
}

// Motor torques from q .. q'''' tend to the rigid ones, by 1/K over three decades.
static void stiff_torques_are_rigid(void **unused)
{
    (void)unused;
    double              derivative[5][3], rigid[3], motor[3], before = 0;
    const double *const motion[5] = {derivative[0], derivative[1], derivative[2], derivative[3],
                                     derivative[4]};
    rng                 r = rng_seed(29);
    for (int i = 0; i < 5; i++)
        rng_fill(&r, derivative[i], 3, 2);
    arne_robot *robot = elastic_arm(INFINITY);
    arne_work  *work = new_work(robot);
    arne_inverse_dynamics(robot, work, derivative[0], derivative[1], derivative[2], NULL, rigid);
    for (int i = 0; i < 4; i++) {
        feedforward_at(1e3 * pow(10, i), motion, motor);
        double off = 0;
        for (int k = 0; k < 3; k++)
            off = fmax(off, fabs(motor[k] - rigid[k]));
        assert_true(off > 1e-9);
        if (i) assert_true(before / off > 9.5 && before / off < 10.5);
        before = off;
    }
    arne_work_free(work);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_and_directions),  cmocka_unit_test(energy_stays),
        cmocka_unit_test(momentum_stays),          cmocka_unit_test(stiff_motions_are_rigid),
        cmocka_unit_test(stiff_torques_are_rigid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
