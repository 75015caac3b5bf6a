// Integrators: the order each has, on robots with rotations; what is kept; events; how they fail.
#include "testing.h"
#include <stdio.h>

// A robot under constant torques, without loads.
typedef struct free_run {
    const arne_robot *robot;
    arne_work        *work;
    double            tau[MAX_V];
    double            event_q, fail_after;
} free_run;

static arne_status rate(void *context, double time, const double *q, const double *qd,
                        const double *z, double *qdd, double *zd, arne_error *error)
{
    free_run *run = context;
    (void)time, (void)z;
    if (zd) zd[0] = dot(run->tau, qd, arne_robot_sizes(run->robot).v_count); // power
    return arne_forward_dynamics(run->robot, run->work, q, qd, run->tau, NULL, qdd, error);
}

static arne_status linear(void *context, double time, const double *q, const double *qd,
                          const double *qdd, double *K, double *D, double *M, arne_error *error)
{
    free_run *run = context;
    (void)time, (void)error;
    arne_inverse_dynamics_derivatives(run->robot, run->work, q, qd, qdd, NULL, 0, K, D, M);
    return ARNE_OK;
}

static arne_integrator *start(const arne_system *system, const arne_integrator_options *options,
                              const double *q, const double *qd)
{
    arne_integrator *it;
    arne_error       error;
    assert_ok_or(arne_integrator_new(system, options, &it, &error), &error);
    assert_ok_or(arne_integrator_start(it, 0, q, qd, NULL, &error), &error);
    return it;
}

static void add_link(arne_builder *builder, const char *name, const char *parent,
                     arne_joint_kind kind, rng *r)
{
    arne_body_spec body = arne_body_spec_default();
    body.name = name;
    random_inertia(r, &body);
    assert_ok(arne_builder_add_body(builder, &body, NULL));
    if (!parent) return;
    arne_joint_spec joint = arne_joint_spec_default();
    char            joint_name[32];
    snprintf(joint_name, sizeof joint_name, "j_%s", name);
    joint.name = joint_name;
    joint.parent = parent;
    joint.child = name;
    joint.kind = kind;
    joint.origin = rng_pose(r, 0.3);
    assert_ok(arne_builder_add_joint(builder, &joint, NULL));
}

// A free base with a ball, a planar, a universal and a revolute joint.
static arne_robot *turning_robot(void)
{
    arne_builder            *builder;
    const arne_build_options options = {.base = ARNE_BASE_FREE};
    rng                      r = rng_seed(7);
    assert_ok(arne_builder_new(&builder));
    add_link(builder, "base", NULL, ARNE_JOINT_FIXED, &r);
    add_link(builder, "ball", "base", ARNE_JOINT_BALL, &r);
    add_link(builder, "arm", "ball", ARNE_JOINT_REVOLUTE, &r);
    add_link(builder, "plate", "base", ARNE_JOINT_PLANAR, &r);
    add_link(builder, "cross", "base", ARNE_JOINT_UNIVERSAL, &r);
    arne_robot *robot = finish(builder, &options);
    arne_builder_free(builder);
    return robot;
}

// How far two states are from each other.
static double distance(const arne_robot *robot, const arne_integrator *a, const arne_integrator *b)
{
    const int nv = arne_robot_sizes(robot).v_count;
    double    u[MAX_V], worst = 0;
    arne_difference(robot, arne_integrator_q(a), arne_integrator_q(b), u);
    for (int i = 0; i < nv; i++) {
        worst = fmax(worst, fabs(u[i]));
        worst = fmax(worst, fabs(arne_integrator_qd(a)[i] - arne_integrator_qd(b)[i]));
    }
    return worst;
}

typedef struct order_case {
    arne_method method;
    double      step, order;
} order_case;

// Halving the step divides the error by 2^order.
static void the_order_is_measured(void **unused)
{
    (void)unused;
    static const order_case CASES[] = {{ARNE_METHOD_EULER, 5e-4, 1},
                                       {ARNE_METHOD_RK4, 1e-2, 4},
                                       {ARNE_METHOD_ROSENBROCK, 2e-3, 2},
                                       {ARNE_METHOD_DORMAND_PRINCE, 2e-2, 5}};
    arne_robot             *robot = turning_robot();
    free_run                run = {.robot = robot, .work = new_work(robot)};
    const arne_system       system = {
              .robot = robot, .context = &run, .rate = rate, .linear = linear, .z_count = 1};
    state s = random_state(robot, 12);
    for (int i = 0; i < s.size.v_count; i++)
        s.qd[i] *= 0.5; // slow enough for errors far above rounding to fall as the order says
    rng r = rng_seed(5);
    rng_fill(&r, run.tau, s.size.v_count, 2);

    const arne_integrator_options tight = {
        .method = ARNE_METHOD_DORMAND_PRINCE, .relative = 1e-13, .absolute = 1e-13};
    arne_integrator *exact = start(&system, &tight, s.q, s.qd);
    assert_ok(arne_integrator_advance(exact, 0.5, NULL, NULL));
    for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++) {
        double error[3];
        for (int half = 0; half < 3; half++) {
            const double                  h = ldexp(CASES[c].step, -half);
            const arne_integrator_options loose = {.method = CASES[c].method,
                                                   .step = h,
                                                   .max_step = h,
                                                   .relative = 1e9,
                                                   .absolute = 1e9};
            arne_integrator              *it = start(&system, &loose, s.q, s.qd);
            assert_ok(arne_integrator_advance(it, 0.5, NULL, NULL));
            assert_int_equal(arne_integrator_statistics(it).steps, lround(0.5 / h));
            error[half] = distance(robot, it, exact);
            arne_integrator_free(it);
        }
        const double order = log2(error[1] / error[2]);
        print_message("%s: errors %.3g %.3g %.3g, order %.3f\n", arne_method_name(CASES[c].method),
                      error[0], error[1], error[2], order);
        assert_true(fabs(order - CASES[c].order) < 0.2);
        assert_true(fabs(log2(error[0] / error[1]) - CASES[c].order) < 0.4);
    }
    arne_integrator_free(exact);
    arne_work_free(run.work);
    arne_robot_free(robot);
}

// How far energy is from its start and the work of the torques after a second.
static double energy_error(const arne_system *system, const state *s, arne_method method,
                           double step)
{
    const free_run               *run = system->context;
    const arne_integrator_options options = {.method = method, .step = step};
    double                        before[2], after[2];
    arne_integrator              *it = start(system, &options, s->q, s->qd);
    arne_energy(run->robot, run->work, s->q, s->qd, &before[0], &before[1]);
    assert_ok(arne_integrator_advance(it, 1, NULL, NULL));
    assert_true(arne_integrator_time(it) == 1);
    arne_energy(run->robot, run->work, arne_integrator_q(it), arne_integrator_qd(it), &after[0],
                &after[1]);
    const double off = after[0] + after[1] - before[0] - before[1] - arne_integrator_z(it)[0];
    print_message("%s: %ld steps, %ld rates, energy off by %.2g of %.3g\n",
                  arne_method_name(method), arne_integrator_statistics(it).steps,
                  arne_integrator_statistics(it).rates, off, fabs(before[0]));
    assert_true(fabs(arne_quaternion_error(run->robot, arne_integrator_q(it))) < 1e-12);
    arne_integrator_free(it);
    return fabs(off) / before[0];
}

// z is integrated as well as the rest: energy changes by the work of the torques, and of the method
// of order 2 a quarter is left at half the step.
static void energy_is_work(void **unused)
{
    (void)unused;
    arne_robot       *robot = turning_robot();
    free_run          run = {.robot = robot, .work = new_work(robot)};
    const arne_system system = {
        .robot = robot, .context = &run, .rate = rate, .linear = linear, .z_count = 1};
    const state s = random_state(robot, 4);
    rng         r = rng_seed(6);
    rng_fill(&r, run.tau, s.size.v_count, 2);
    for (arne_method method = ARNE_METHOD_RK4; method < ARNE_METHOD_COUNT; method++) {
        if (!arne_method_available(method)) continue;
        const double off = energy_error(&system, &s, method, 1e-4);
        if (method == ARNE_METHOD_ROSENBROCK)
            assert_true(fabs(off / energy_error(&system, &s, method, 5e-5) - 4) < 0.2);
        else
            assert_true(off < (method >= ARNE_METHOD_CVODE ? 1e-6 : 1e-8));
    }
    arne_work_free(run.work);
    arne_robot_free(robot);
}

// The figure that the default tolerance is chosen for: ten seconds of an arm that swings freely.
static void arm7_keeps_its_energy(void **unused)
{
    (void)unused;
    const arne_build_options      smooth = {.no_friction = 1};
    arne_robot                   *robot = read_robot("arm7", &smooth);
    free_run                      run = {.robot = robot, .work = new_work(robot)};
    const arne_system             system = {.robot = robot, .context = &run, .rate = rate};
    const arne_integrator_options options = {.method = ARNE_METHOD_DORMAND_PRINCE};
    const state                   s = random_state(robot, 2);
    double                        kinetic, potential, largest = 0, worst = 0, at_start = 0;
    arne_integrator              *it = start(&system, &options, s.q, s.qd);
    for (int i = 0; i <= 1000; i++) {
        assert_ok(arne_integrator_advance(it, 0.01 * i, NULL, NULL));
        arne_energy(robot, run.work, arne_integrator_q(it), arne_integrator_qd(it), &kinetic,
                    &potential);
        if (i == 0) at_start = kinetic + potential;
        largest = fmax(largest, kinetic);
        worst = fmax(worst, fabs(kinetic + potential - at_start));
    }
    print_message("arm7, 10 s: energy drift %.2g of the largest kinetic energy, %ld steps\n",
                  worst / largest, arne_integrator_statistics(it).steps);
    assert_true(worst < 1e-9 * largest);
    arne_integrator_free(it);
    arne_work_free(run.work);
    arne_robot_free(robot);
}

// An arm of two links that hang from motors through springs of 1e6 N m/rad, with dampers that let
// the fast modes decay.
static arne_robot *stiff_arm(void)
{
    arne_builder *builder;
    assert_ok(arne_builder_new(&builder));
    assert_ok(arne_read(builder, ARNE_ROBOTS_DIR "/planar_2r.yaml", NULL));
    arne_robot *rigid = finish(builder, NULL);
    for (int j = 0; j < 2; j++) {
        arne_motor_spec motor = arne_motor_spec_default();
        motor.joint = arne_robot_joint(rigid, j).name;
        motor.inertia = 0.01;
        motor.transverse = 0.01;
        motor.mass = 0.5;
        motor.stiffness = 1e6;
        motor.damping = 200;
        assert_ok(arne_builder_add_motor(builder, &motor, NULL));
    }
    const arne_vec3          down = {0, -9.81, 0};
    const arne_build_options smooth = {.no_friction = 1, .gravity = &down};
    arne_robot              *robot = finish(builder, &smooth);
    arne_robot_free(rigid);
    arne_builder_free(builder);
    return robot;
}

// CVODE needs at most a twentieth of RK4's evaluations, columns of Jacobians counted, where both
// come within 1e-6 of what tight tolerances give. Each takes the longest steps (the loosest
// tolerance) that do.
static void stiff_springs_are_for_cvode(void **unused)
{
    (void)unused;
    if (!arne_method_available(ARNE_METHOD_CVODE)) {
        print_message("skipped: the module of SUNDIALS is missing\n");
        skip();
    }
    arne_robot       *robot = stiff_arm();
    free_run          run = {.robot = robot, .work = new_work(robot)};
    const arne_system system = {.robot = robot, .context = &run, .rate = rate};
    const double      q[4] = {0.3, 0.4, 0.3, 0.4}, qd[4] = {1, -2, 1, -2}, end = 2;
    assert_int_equal(arne_robot_sizes(robot).v_count, 4);
    const arne_integrator_options tight = {
        .method = ARNE_METHOD_DORMAND_PRINCE, .relative = 1e-11, .absolute = 1e-11};
    arne_integrator *exact = start(&system, &tight, q, qd);
    assert_ok(arne_integrator_advance(exact, end, NULL, NULL));
    long rates[2] = {0, 0};
    for (int stiff = 0; stiff < 2; stiff++) {
        double size = stiff ? 1e-5 : 2e-4, off = INFINITY;
        for (; !(off < 1e-6); size *= 0.8) {
            const arne_integrator_options options = {.method = stiff ? ARNE_METHOD_CVODE
                                                                     : ARNE_METHOD_RK4,
                                                     .step = stiff ? 0 : size,
                                                     .relative = size,
                                                     .absolute = size};
            arne_integrator              *it = start(&system, &options, q, qd);
            const arne_status             status = arne_integrator_advance(it, end, NULL, NULL);
            off = status == ARNE_OK ? distance(robot, it, exact) : INFINITY;
            rates[stiff] = arne_integrator_statistics(it).rates;
            if (off < 1e-6)
                print_message("%s: %ld evaluations (%ld columns), off by %.2g\n",
                              arne_method_name(options.method), rates[stiff],
                              arne_integrator_statistics(it).columns, off);
            arne_integrator_free(it);
        }
    }
    assert_true(20 * rates[1] <= rates[0]);
    arne_integrator_free(exact);
    arne_work_free(run.work);
    arne_robot_free(robot);
}

// Between the ends of a step the dense output is as good as an integration that ends there.
static void dense_output_is_close(void **unused)
{
    (void)unused;
    arne_robot                   *robot = turning_robot();
    free_run                      run = {.robot = robot, .work = new_work(robot)};
    const arne_system             system = {.robot = robot, .context = &run, .rate = rate};
    const arne_integrator_options options = {.method = ARNE_METHOD_DORMAND_PRINCE};
    const state                   s = random_state(robot, 8);
    arne_integrator              *it = start(&system, &options, s.q, s.qd);
    arne_integrator              *other = start(&system, &options, s.q, s.qd);
    double                        q[MAX_Q], qd[MAX_V], u[MAX_V], worst = 0;
    assert_status(arne_integrator_at(it, 0, q, qd, NULL), ARNE_VALUE);
    while (arne_integrator_time(it) < 0.3) {
        const double from = arne_integrator_time(it);
        assert_ok(arne_integrator_step(it, 0.3, NULL));
        const double middle = from + 0.37 * (arne_integrator_time(it) - from);
        assert_ok(arne_integrator_at(it, middle, q, qd, NULL));
        assert_ok(arne_integrator_advance(other, middle, NULL, NULL));
        arne_difference(robot, q, arne_integrator_q(other), u);
        for (int i = 0; i < s.size.v_count; i++)
            worst = fmax(worst, fmax(fabs(u[i]), fabs(qd[i] - arne_integrator_qd(other)[i])));
        assert_status(arne_integrator_at(it, from - 0.1, q, qd, NULL), ARNE_VALUE);
    }
    print_message("dense output: off by %.2g\n", worst);
    assert_true(worst < 1e-7);
    arne_integrator_free(it);
    arne_integrator_free(other);
    arne_work_free(run.work);
    arne_robot_free(robot);
}

static void events(void *context, double time, const double *q, const double *qd, const double *z,
                   double *values)
{
    const free_run *run = context;
    (void)time, (void)z;
    values[0] = q[2] - run->event_q; // height of a body that falls
    values[1] = qd[2];               // the top of its flight
}

// A ball thrown upward: where it turns and when it is back are known.
static void events_are_found(void **unused)
{
    (void)unused;
    arne_builder            *builder;
    const arne_build_options free_base = {.base = ARNE_BASE_FREE};
    rng                      r = rng_seed(1);
    assert_ok(arne_builder_new(&builder));
    add_link(builder, "stone", NULL, ARNE_JOINT_FIXED, &r);
    arne_body_spec stone;
    assert_ok(arne_builder_get_body(builder, "stone", &stone));
    stone.com = (arne_vec3){0, 0, 0};
    stone.about_origin = 0;
    assert_ok(arne_builder_set_body(builder, &stone, NULL));
    arne_robot       *robot = finish(builder, &free_base);
    free_run          run = {.robot = robot, .work = new_work(robot), .event_q = 0.5};
    const arne_system system = {.robot = robot,
                                .context = &run,
                                .rate = rate,
                                .linear = linear,
                                .event_count = 2,
                                .events = events};
    const double      q[7] = {0, 0, 0, 0, 0, 0, 1}, qd[6] = {0, 0, 9.81, 0, 0, 0};
    const double      root = sqrt(1 - 1 / 9.81), times[3] = {1 - root, 1, 1 + root};
    const int         which[3] = {0, 1, 0};
    for (arne_method method = ARNE_METHOD_RK4; method < ARNE_METHOD_COUNT; method++) {
        const arne_integrator_options options = {.method = method, .step = 1e-3};
        int                           event;
        if (!arne_method_available(method)) continue;
        arne_integrator *it = start(&system, &options, q, qd);
        for (int i = 0; i < 3; i++) {
            assert_ok(arne_integrator_advance(it, 3, &event, NULL));
            assert_int_equal(event, which[i]);
            const double late = arne_integrator_time(it) - times[i];
            assert_true(fabs(late) < (method <= ARNE_METHOD_ROSENBROCK ? 1.001e-3 : 1e-8));
        }
        assert_ok(arne_integrator_advance(it, 3, &event, NULL));
        assert_int_equal(event, -1);
        assert_true(arne_integrator_time(it) == 3);
        arne_integrator_free(it);
    }
    arne_builder_free(builder);
    arne_work_free(run.work);
    arne_robot_free(robot);
}

// Velocities that square themselves are infinite at t = 1.
static arne_status explode(void *context, double time, const double *q, const double *qd,
                           const double *z, double *qdd, double *zd, arne_error *error)
{
    (void)context, (void)time, (void)q, (void)z, (void)zd, (void)error;
    for (int i = 0; i < 2; i++)
        qdd[i] = i * qd[i] * qd[i];
    return ARNE_OK;
}

// Leaves out all but the inertia: 1.
static arne_status explode_linear(void *context, double time, const double *q, const double *qd,
                                  const double *qdd, double *K, double *D, double *M,
                                  arne_error *error)
{
    (void)context, (void)time, (void)q, (void)qd, (void)qdd, (void)error;
    for (int i = 0; i < 4; i++)
        K[i] = D[i] = 0, M[i] = i % 3 == 0;
    return ARNE_OK;
}

static void divergence_is_told(void **unused)
{
    (void)unused;
    arne_robot       *robot = read_robot("planar_2r", NULL);
    const arne_system system = {.robot = robot, .rate = explode, .linear = explode_linear};
    const double      q[2] = {0, 0}, qd[2] = {1, 1};
    for (arne_method method = ARNE_METHOD_EULER; method < ARNE_METHOD_COUNT; method++) {
        const arne_integrator_options options = {.method = method, .step = 1e-2};
        arne_error                    error;
        if (!arne_method_available(method)) continue;
        arne_integrator *it = start(&system, &options, q, qd);
        assert_status(arne_integrator_advance(it, 3, NULL, &error), ARNE_DIVERGED);
        const double time = arne_integrator_time(it);
        assert_true(time < 1.3 && time >= 0.9);
        assert_true(isfinite(arne_integrator_qd(it)[1]));
        assert_non_null(strstr(error.text, "t = "));
        assert_non_null(strstr(error.text, arne_robot_joint(robot, 1).name));
        arne_integrator_free(it);
    }
    arne_robot_free(robot);
}

static void bad_requests(void **unused)
{
    (void)unused;
    arne_robot             *robot = read_robot("planar_2r", NULL);
    arne_system             system = {.robot = robot, .rate = explode};
    arne_integrator_options options = {.method = ARNE_METHOD_RK4, .step = 0};
    const double            q[2] = {0, 0}, qd[2] = {0, 0}, bad[2] = {0, NAN};
    arne_integrator        *it;
    arne_error              error;
    assert_status(arne_integrator_new(&system, &options, &it, &error), ARNE_VALUE);
    options.step = -1;
    assert_status(arne_integrator_new(&system, &options, &it, &error), ARNE_VALUE);
    options.step = NAN;
    assert_status(arne_integrator_new(&system, &options, &it, &error), ARNE_VALUE);
    options.step = 1;
    options.method = ARNE_METHOD_COUNT;
    assert_status(arne_integrator_new(&system, &options, &it, &error), ARNE_VALUE);
    options.method = ARNE_METHOD_ROSENBROCK; // there is no `linear`
    assert_status(arne_integrator_new(&system, &options, &it, &error), ARNE_VALUE);
    options.method = ARNE_METHOD_RK4;
    system.rate = NULL;
    assert_status(arne_integrator_new(&system, &options, &it, &error), ARNE_NULL_ARGUMENT);
    assert_null(it);
    system.rate = explode;
    assert_ok(arne_integrator_new(&system, &options, &it, &error));
    assert_status(arne_integrator_start(it, 0, q, bad, NULL, &error), ARNE_DIVERGED);
    assert_ok(arne_integrator_start(it, 1, q, qd, NULL, &error));
    assert_status(arne_integrator_advance(it, 0.5, NULL, &error), ARNE_VALUE);
    assert_status(arne_integrator_advance(it, INFINITY, NULL, &error), ARNE_VALUE);
    assert_status(arne_integrator_step(it, 2, &error), ARNE_UNSUPPORTED);
    arne_integrator_free(it);
    arne_integrator_free(NULL);
    arne_robot_free(robot);
}

// A pendulum that swings by 1e-8 rad is as accurate as one that swings far: its period is known.
static void small_vibrations_are_accurate(void **unused)
{
    const double g = 9.81, length = 1, omega = sqrt(g / length), amplitude = 1e-8;
    (void)unused;
    arne_builder   *builder;
    arne_body_spec  base = arne_body_spec_default(), bob = arne_body_spec_default();
    arne_joint_spec joint = arne_joint_spec_default();
    base.name = "base";
    bob = (arne_body_spec){.name = "bob", .mass = 1, .com = {0, 0, -length}};
    joint.name = "j", joint.parent = "base", joint.child = "bob";
    joint.kind = ARNE_JOINT_CONTINUOUS;
    joint.axis = (arne_vec3){0, 1, 0};
    assert_ok(arne_builder_new(&builder));
    assert_ok(arne_builder_add_body(builder, &base, NULL));
    assert_ok(arne_builder_add_body(builder, &bob, NULL));
    assert_ok(arne_builder_add_joint(builder, &joint, NULL));
    assert_ok(arne_builder_set_gravity(builder, (arne_vec3){0, 0, -g}));
    arne_robot *robot = finish(builder, NULL);
    free_run    run = {.robot = robot, .work = new_work(robot)};

    const arne_system             system = {.robot = robot, .rate = rate, .context = &run};
    const arne_integrator_options options = {.method = ARNE_METHOD_DORMAND_PRINCE};
    const double                  zero = 0;
    arne_integrator              *it = start(&system, &options, &amplitude, &zero);
    assert_ok(arne_integrator_advance(it, 100, NULL, NULL));
    const double off = arne_integrator_q(it)[0] - amplitude * cos(omega * 100);
    assert_true(fabs(off) < 1e-4 * amplitude);
    arne_integrator_free(it);
    arne_work_free(run.work);
    arne_robot_free(robot);
    arne_builder_free(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_vibrations_are_accurate),
        cmocka_unit_test(the_order_is_measured),
        cmocka_unit_test(energy_is_work),
        cmocka_unit_test(arm7_keeps_its_energy),
        cmocka_unit_test(dense_output_is_close),
        cmocka_unit_test(stiff_springs_are_for_cvode),
        cmocka_unit_test(events_are_found),
        cmocka_unit_test(divergence_is_told),
        cmocka_unit_test(bad_requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
