// Simulation: friction that sticks, surroundings, moving bases, sample times, and how runs end.
// What happens is known in closed form, or is a law.
#include "testing.h"
#include <stdio.h>

static arne_robot *finish_and_free(arne_builder *builder, arne_base base, double g)
{
    const arne_vec3          gravity = {0, 0, -g};
    const arne_build_options options = {.base = base, .gravity = &gravity};
    arne_robot              *robot = finish(builder, &options);
    arne_builder_free(builder);
    return robot;
}

static void add_body(arne_builder *builder, const char *name, double mass, arne_vec3 com)
{
    arne_body_spec body = arne_body_spec_default();
    body.name = name;
    body.mass = mass;
    body.com = com;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.1 * mass;
    assert_ok(arne_builder_add_body(builder, &body, NULL));
}

// A block of 1 kg on a rail along x, with dry friction of 2 N that way and 3 N back.
static arne_robot *block(double friction)
{
    arne_builder   *builder;
    arne_joint_spec rail = arne_joint_spec_default();
    assert_ok(arne_builder_new(&builder));
    add_body(builder, "ground", 1, (arne_vec3){0, 0, 0});
    add_body(builder, "block", 1, (arne_vec3){0, 0, 0});
    rail.name = "rail";
    rail.parent = "ground";
    rail.child = "block";
    rail.kind = ARNE_JOINT_PRISMATIC;
    rail.axis = (arne_vec3){1, 0, 0};
    rail.coulomb_positive = friction;
    rail.coulomb_negative = 1.5 * friction;
    rail.lower = -50;
    rail.upper = 50;
    assert_ok(arne_builder_add_joint(builder, &rail, NULL));
    return finish_and_free(builder, ARNE_BASE_FIXED, 9.81);
}

// A pendulum of two links, with weight.
static arne_robot *pendulum(arne_base base, double g)
{
    arne_builder *builder;
    const char   *names[] = {"root", "upper", "lower"};
    assert_ok(arne_builder_new(&builder));
    for (int i = 0; i < 3; i++)
        add_body(builder, names[i], 2 - 0.5 * i, (arne_vec3){0.1, 0.05, -0.3});
    for (int i = 1; i < 3; i++) {
        arne_joint_spec joint = arne_joint_spec_default();
        joint.name = names[i];
        joint.parent = names[i - 1];
        joint.child = names[i];
        joint.axis = (arne_vec3){i == 2, i == 1, 0};
        joint.origin.p = (arne_vec3){0, 0.1, -0.5};
        joint.viscous = 0.2;
        assert_ok(arne_builder_add_joint(builder, &joint, NULL));
    }
    return finish_and_free(builder, base, g);
}

static double value(const arne_table *table, int row, const char *name)
{
    const int column = arne_table_find(table, name);
    if (column < 0) fail_msg("no column %s", name);
    return arne_table_row(table, row < 0 ? arne_table_rows(table) + row : row)[column];
}

static arne_table *run(const arne_simulation_spec *sim, arne_simulation_summary *summary)
{
    arne_table *table;
    arne_error  error;
    assert_ok_or(arne_simulate(sim, NULL, NULL, &table, summary, &error), &error);
    assert_true(summary->complete);
    return table;
}

static const arne_integrator_options METHODS[] = {{.method = ARNE_METHOD_RK4, .step = 1e-3},
                                                  {.method = ARNE_METHOD_DORMAND_PRINCE}};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };

// A block that slides at 1 m/s stops after 1/2 s and 1/4 m, and stays.
static void a_block_slides_and_stops(void **unused)
{
    (void)unused;
    arne_robot  *robot = block(2);
    const double qd = 1;
    for (int m = 0; m < METHOD_COUNT; m++) {
        const arne_simulation_spec sim = {.robot = robot,
                                          .integrator = METHODS[m],
                                          .duration = 1.0007,
                                          .record_every = 0.1,
                                          .qd = &qd};
        arne_simulation_summary    summary;
        arne_table                *table = run(&sim, &summary);
        assert_true(fabs(value(table, 3, "q.rail") - 0.21) < 1e-9);
        // RK4 sees the stop at the end of its step: a h^2 / 2 is 1e-6.
        assert_true(fabs(value(table, -1, "q.rail") - 0.25) < (m ? 1e-9 : 1.01e-6));
        assert_true(value(table, -1, "qd.rail") == 0);
        assert_true(value(table, -2, "q.rail") == value(table, -1, "q.rail"));
        assert_true(summary.energy_residual < 1e-5);
        arne_table_free(table);
    }
    arne_robot_free(robot);
}

// Friction of a rigid motor, or of a joint that follows the rail the other way round, holds the
// block as its own would.
static void motors_and_followers_stick(void **unused)
{
    (void)unused;
    for (int follower = 0; follower < 2; follower++) {
        arne_robot   *plain = block(0);
        arne_builder *b = NULL;
        assert_ok(arne_builder_new(&b));
        assert_ok(arne_builder_add_robot(b, plain, NULL));
        if (follower) {
            arne_body_spec  link = arne_body_spec_default();
            arne_joint_spec joint = arne_joint_spec_default();
            link.name = "follower";
            joint.name = "follows";
            joint.parent = arne_robot_frame(plain, 0).name;
            joint.child = "follower";
            joint.mimic = "rail";
            joint.mimic_ratio = -2;
            joint.coulomb_negative = 1; // as the rail goes forward
            assert_ok(arne_builder_add_body(b, &link, NULL));
            assert_ok(arne_builder_add_joint(b, &joint, NULL));
        } else {
            arne_motor_spec motor = arne_motor_spec_default();
            motor.joint = "rail";
            motor.coulomb_positive = 2;
            assert_ok(arne_builder_add_motor(b, &motor, NULL));
        }
        arne_robot                *robot = finish(b, NULL);
        const double               qd = 1;
        arne_simulation_summary    summary;
        const arne_simulation_spec sim = {.robot = robot,
                                          .integrator = METHODS[1],
                                          .duration = 1,
                                          .record_every = 0.1,
                                          .qd = &qd};
        arne_table                *table = run(&sim, &summary);
        assert_true(fabs(value(table, -1, "q.rail") - 0.25) < 1e-9);
        assert_true(value(table, -1, "qd.rail") == 0);
        arne_table_free(table);
        arne_robot_free(robot);
        arne_robot_free(plain);
        arne_builder_free(b);
    }
}

// A force that grows by 4 N/s holds still until 2 N, then moves the block by 4 t^3 / 6.
static arne_status ramp(void *context, const arne_control_input *input, double *tau)
{
    const double *slope = context;
    tau[0] = *slope * input->t;
    return ARNE_OK;
}

static void a_block_breaks_loose(void **unused)
{
    (void)unused;
    arne_robot *robot = block(2);
    for (int m = 0; m < METHOD_COUNT; m++)
        for (int back = 0; back < 2; back++) {
            double           slope = back ? -4 : 4, loose = back ? 0.75 : 0.5;
            arne_controller *controller;
            assert_ok(arne_controller_callback(robot, ramp, &slope, &controller, NULL));
            const arne_simulation_spec sim = {.robot = robot,
                                              .controller = controller,
                                              .integrator = METHODS[m],
                                              .duration = 1.5,
                                              .record_every = 0.125};
            arne_simulation_summary    summary;
            arne_table                *table = run(&sim, &summary);
            for (int i = 0; i < arne_table_rows(table); i++) {
                const double late = fmax(0, value(table, i, "time") - loose);
                const double wanted = slope * late * late * late / 6;
                assert_true(fabs(value(table, i, "q.rail") - wanted) < (m ? 1e-8 : 2e-3));
                if (late == 0) assert_true(value(table, i, "q.rail") == 0);
            }
            arne_table_free(table);
            arne_controller_free(controller);
        }
    arne_robot_free(robot);
}

// Smooth friction creeps where the block would stick: by tanh^-1(1/2) of its width.
static void smooth_friction_creeps(void **unused)
{
    (void)unused;
    arne_robot             *robot = block(2);
    double                  push = 0;
    arne_controller        *controller;
    arne_simulation_summary summary;
    assert_ok(arne_controller_callback(robot, ramp, &push, &controller, NULL));
    const double q = 0;
    push = 1; // N/s, 1 N at the end
    const arne_simulation_spec sim = {.robot = robot,
                                      .controller = controller,
                                      .stiction = ARNE_STICTION_SMOOTH,
                                      .stiction_velocity = 1e-2,
                                      .integrator = {.method = ARNE_METHOD_DORMAND_PRINCE},
                                      .duration = 1,
                                      .q = &q};
    arne_table                *table = run(&sim, &summary);
    assert_true(fabs(value(table, -1, "qd.rail") - 1e-2 * atanh(0.5)) < 1e-4);
    assert_true(summary.energy_residual < 1e-6);
    arne_table_free(table);
    arne_controller_free(controller);
    arne_robot_free(robot);
}

// Energy changes by the work of the motors, of friction, of the surroundings and of the base that
// is shaken.
static void energy_is_accounted_for(void **unused)
{
    (void)unused;
    arne_body_spec body = arne_body_spec_default();
    arne_builder  *builder;
    body.name = "base";
    body.mass = body.inertia[0] = body.inertia[1] = body.inertia[2] = 1;
    assert_ok(arne_builder_new(&builder));
    assert_ok(arne_builder_add_body(builder, &body, NULL));
    arne_robot      *one_body = finish_and_free(builder, ARNE_BASE_FREE, 0);
    arne_trajectory *shake;
    const double     frequency = 5, amplitude[6] = {0.1, 0.05, 0.2, 0.3, 0.2, 0.1};
    const double     phase[6] = {0, 1, 2, 3, 4, 5}, rest[7] = {0, 0, 0, 0, 0, 0, 1};
    assert_ok(
        arne_trajectory_sinusoid(one_body, rest, 1, &frequency, amplitude, phase, &shake, NULL));
    for (int base = ARNE_BASE_FIXED; base <= ARNE_BASE_FREE; base++) {
        arne_robot                *robot = pendulum((arne_base)base, 9.81);
        const int                  tip = arne_find_frame(robot, "lower");
        const arne_surrounding     around[] = {{.kind = ARNE_SURROUNDING_DRAG,
                                                .frame = tip,
                                                .linear = {1, 2, 3, 0.1, 0.2, 0.3},
                                                .quadratic = {0.5, 0.5, 0.5, 0, 0, 0}},
                                               {.kind = ARNE_SURROUNDING_TETHER,
                                                .frame = tip,
                                                .point = {0.1, 0.2, 0.3},
                                                .anchor = {1, 0, 0},
                                                .stiffness = 0,
                                                .damping = 4,
                                                .length = 0.2}};
        const arne_simulation_spec sim = {.robot = robot,
                                          .integrator = {.method = ARNE_METHOD_DORMAND_PRINCE},
                                          .surroundings = around,
                                          .surrounding_count = 2,
                                          .base = base == ARNE_BASE_PRESCRIBED ? shake : NULL,
                                          .duration = 2};
        arne_simulation_summary    summary;
        arne_table                *table = run(&sim, &summary);
        print_message("base %d: energy residual %.2g\n", base, summary.energy_residual);
        assert_true(summary.energy_residual < 1e-8);
        assert_true(value(table, -1, "energy.total") != value(table, 0, "energy.total"));
        arne_table_free(table);
        arne_robot_free(robot);
    }
    arne_trajectory_free(shake);
    arne_robot_free(one_body);
}

// A mass on a spring: q = cos(w t), w^2 = 9; a push of 3 N for a second moves a free block by 1.5
// m.
static void surroundings_act(void **unused)
{
    (void)unused;
    arne_robot             *robot = block(0);
    const double            q = 1, half = 0.5 * 3 * 4;
    arne_surrounding        around = {.kind = ARNE_SURROUNDING_TETHER,
                                      .frame = 1,
                                      .stiffness = 9,
                                      .anchor = {-4, 0, 0},
                                      .length = 4};
    arne_simulation_spec    sim = {.robot = robot,
                                   .integrator = {.method = ARNE_METHOD_DORMAND_PRINCE},
                                   .surroundings = &around,
                                   .surrounding_count = 1,
                                   .q = &q,
                                   .duration = 2};
    arne_simulation_summary summary;
    arne_table             *table = run(&sim, &summary), *pushes;
    assert_true(fabs(value(table, -1, "q.rail") - cos(6)) < 1e-8);
    arne_table_free(table);

    const double rows[][2] = {{0, 3}, {2, 3}};
    assert_ok(arne_table_new(&pushes));
    assert_ok(arne_table_add_column(pushes, "time", "s"));
    assert_ok(arne_table_add_column(pushes, "fx", "N"));
    for (int i = 0; i < 2; i++)
        assert_ok(arne_table_append(pushes, rows[i]));
    around = (arne_surrounding){
        .kind = ARNE_SURROUNDING_PUSH, .frame = 1, .table = pushes, .in_world = 1};
    sim.q = NULL;
    table = run(&sim, &summary);
    assert_true(fabs(value(table, -1, "q.rail") - half) < 1e-8);
    arne_table_free(table);
    arne_table_free(pushes);
    arne_robot_free(robot);
}

// Arms that move by a reference turn a free base; momentum stays zero, and joints are exactly where
// they should.
static void a_free_base_goes_where_joints_send_it(void **unused)
{
    (void)unused;
    arne_robot      *robot = pendulum(ARNE_BASE_FREE, 0);
    const arne_sizes sizes = arne_robot_sizes(robot);
    double           from[9], to[9];
    arne_trajectory *reference;
    assert_int_equal(sizes.q_count, 9);
    arne_neutral(robot, from);
    arne_neutral(robot, to);
    to[7] = 1.5;
    to[8] = -1;
    assert_ok(arne_trajectory_point_to_point(robot, ARNE_PROFILE_QUINTIC, from, to, 1, NULL,
                                             &reference, NULL));
    const arne_simulation_spec sim = {.robot = robot,
                                      .drive = ARNE_DRIVE_REFERENCE,
                                      .reference = reference,
                                      .integrator = {.method = ARNE_METHOD_DORMAND_PRINCE},
                                      .record = ARNE_RECORD_Q | ARNE_RECORD_QD |
                                                ARNE_RECORD_MOMENTUM | ARNE_RECORD_ERROR |
                                                ARNE_RECORD_BASE,
                                      .duration = 1};
    arne_simulation_summary    summary;
    arne_table                *table = run(&sim, &summary);
    assert_true(summary.peak_error < 1e-12);
    for (int i = 0; i < arne_table_rows(table); i++) {
        assert_true(fabs(value(table, i, "momentum.px")) < 1e-8);
        assert_true(fabs(value(table, i, "momentum.ly")) < 1e-8);
        assert_true(fabs(value(table, i, "com.x") - value(table, 0, "com.x")) < 1e-8);
    }
    assert_true(fabs(value(table, -1, "base.qy")) > 0.05);
    arne_table_free(table);
    arne_trajectory_free(reference);
    arne_robot_free(robot);
}

// A controller that counts how often it is asked.
static arne_status count_samples(void *context, const arne_control_input *input, double *tau)
{
    long *count = context;
    ++*count;
    tau[0] = -3 * input->q[0];
    return ARNE_OK;
}

// The controller is asked at its own times, whatever the steps of the integrator are.
static void samples_do_not_depend_on_steps(void **unused)
{
    (void)unused;
    arne_robot  *robot = block(0);
    const double q = 1;
    double       ends[3];
    for (int m = 0; m < 3; m++) {
        long                          count = 0;
        arne_controller              *controller;
        const arne_integrator_options methods[] = {{.method = ARNE_METHOD_RK4, .step = 0.02},
                                                   {.method = ARNE_METHOD_RK4, .step = 0.0013},
                                                   {.method = ARNE_METHOD_DORMAND_PRINCE}};
        assert_ok(arne_controller_callback(robot, count_samples, &count, &controller, NULL));
        const arne_simulation_spec sim = {.robot = robot,
                                          .controller = controller,
                                          .sample_time = 0.01,
                                          .integrator = methods[m],
                                          .duration = 1,
                                          .record_every = 0.03,
                                          .q = &q};
        arne_simulation_summary    summary;
        arne_table                *table = run(&sim, &summary);
        assert_int_equal(count, 100);
        ends[m] = value(table, -1, "q.rail");
        assert_int_equal(arne_table_rows(table), 35);
        arne_table_free(table);
        arne_controller_free(controller);
    }
    assert_true(fabs(ends[0] - ends[1]) < 1e-12 && fabs(ends[1] - ends[2]) < 1e-12);
    arne_robot_free(robot);
}

// A five-bar that swings freely for a minute stays closed, and keeps its energy.
static void a_five_bar_stays_closed(void **unused)
{
    (void)unused;
    const arne_build_options options = {.no_friction = 1};
    arne_robot              *robot = read_robot("five_bar", &options);
    arne_simulation_spec     sim = {
            .robot = robot, .stiction = ARNE_STICTION_NONE, .duration = TEST_PART > 1 ? 2 : 60};
    arne_simulation_summary summary;
    arne_table             *table;
    const arne_method       methods[] = {ARNE_METHOD_DORMAND_PRINCE, ARNE_METHOD_IDA};
    for (int m = 0; m < 2; m++) {
        if (!arne_method_available(methods[m])) continue;
        sim.integrator.method = methods[m];
        table = run(&sim, &summary);
        print_message("five-bar, %g s, %s: closed to %.2g, energy residual %.2g, %ld steps\n",
                      sim.duration, arne_method_name(methods[m]), summary.closure_error,
                      summary.energy_residual, summary.steps);
        assert_true(summary.closure_error < 1e-10);
        assert_true(summary.energy_residual < (m ? 1e-4 : 1e-6));
        arne_table_free(table);
    }

    double q[16];
    arne_start_configuration(robot, q);
    q[0] += 0.1;
    arne_simulation_spec open = sim;
    arne_error           error;
    open.q = q;
    assert_status(arne_simulate(&open, NULL, NULL, &table, &summary, &error), ARNE_LOOP_OPEN);
    assert_non_null(strstr(error.text, "not assembled"));
    arne_table_free(table);
    arne_robot_free(robot);
}

// A five-bar that is driven by its motors, and by a motor and an elbow: both times the torques'
// work is the energy.
static void loops_follow_a_reference(void **unused)
{
    (void)unused;
    const arne_build_options options = {.no_friction = 1};
    arne_robot              *robot = read_robot("five_bar", &options);
    const double             frequency = 3, phase[4] = {0, 1, 2, 3};
    const unsigned char      followed[4] = {1, 1, 0, 0};
    double                   start[4];
    arne_start_configuration(robot, start);
    for (int other = 0; other < 2; other++) {
        const double            amplitude[4] = {0.1, other ? 0.2 : 0, other ? 0 : 0.2, 0};
        arne_trajectory        *reference;
        arne_simulation_summary summary;
        assert_ok(arne_trajectory_sinusoid(robot, start, 1, &frequency, amplitude, phase,
                                           &reference, NULL));
        const arne_simulation_spec sim = {.robot = robot,
                                          .drive = ARNE_DRIVE_REFERENCE,
                                          .reference = reference,
                                          .followed = other ? followed : NULL,
                                          .stiction = ARNE_STICTION_NONE,
                                          .integrator = {.method = ARNE_METHOD_DORMAND_PRINCE},
                                          .duration = 2};
        arne_table                *table = run(&sim, &summary);
        assert_true(summary.closure_error < 1e-10);
        assert_true(summary.energy_residual < 1e-8);
        assert_true(summary.peak_error < 1e-10);
        assert_true(fabs(value(table, 100, "tau.elbow1")) == 0);
        arne_table_free(table);
        arne_trajectory_free(reference);
    }
    arne_robot_free(robot);
}

static int stop_at_half(void *context, double part)
{
    (void)context;
    return part >= 0.5;
}

static arne_status unstable(void *context, const arne_control_input *input, double *tau)
{
    (void)context;
    tau[0] = 10 * input->qd[0] * input->qd[0];
    return ARNE_OK;
}

static void runs_end_early(void **unused)
{
    (void)unused;
    arne_robot             *robot = block(0);
    const double            qd = 60;
    arne_simulation_spec    sim = {.robot = robot,
                                   .integrator = {.method = ARNE_METHOD_DORMAND_PRINCE},
                                   .duration = 1,
                                   .record_every = 0.1,
                                   .qd = &qd};
    arne_simulation_summary summary;
    arne_table             *table;
    arne_error              error;
    assert_ok(arne_simulate(&sim, stop_at_half, NULL, &table, &summary, &error));
    assert_false(summary.complete);
    assert_true(fabs(value(table, -1, "time") - 0.5) < 1e-9 && fabs(summary.time - 0.5) < 1e-9);
    arne_table_free(table);

    sim.stop_at_limits = 1; // 50 m away
    assert_ok(arne_simulate(&sim, NULL, NULL, &table, &summary, &error));
    assert_false(summary.complete);
    assert_int_equal(summary.limits_hit, 1);
    assert_non_null(strstr(summary.ended, "rail"));
    assert_true(fabs(value(table, -1, "time") - 50.0 / 60) < 1e-12);
    arne_table_free(table);

    sim.stop_at_limits = 0;
    assert_ok(arne_controller_callback(robot, unstable, NULL, &sim.controller, NULL));
    assert_status(arne_simulate(&sim, NULL, NULL, &table, &summary, &error), ARNE_DIVERGED);
    assert_false(summary.complete);
    print_message("%s\n", error.text);
    assert_non_null(strstr(error.text, "rail"));
    assert_true(arne_table_rows(table) > 0);
    assert_true(fabs(value(table, -1, "time") - 1.0 / 600) < 1e-4);
    assert_true(isfinite(value(table, -1, "qd.rail")));
    arne_table_free(table);
    arne_controller_free(sim.controller);
    arne_robot_free(robot);
}

static void bad_requests(void **unused)
{
    (void)unused;
    arne_robot             *robot = block(2);
    arne_table             *table;
    arne_simulation_summary summary;
    arne_error              error;
    arne_simulation_spec    sim = {.robot = robot,
                                   .integrator = {.method = ARNE_METHOD_RK4, .step = 1e-3}};
    assert_status(arne_simulate(&sim, NULL, NULL, &table, &summary, &error), ARNE_VALUE);
    sim.duration = 1;
    sim.sample_time = -1;
    assert_status(arne_simulate(&sim, NULL, NULL, &table, &summary, &error), ARNE_VALUE);
    sim.sample_time = 0;
    sim.integrator.step = -1;
    assert_status(arne_simulate(&sim, NULL, NULL, &table, &summary, &error), ARNE_VALUE);
    sim.integrator.step = 1e-3;
    sim.drive = ARNE_DRIVE_REFERENCE;
    assert_status(arne_simulate(&sim, NULL, NULL, &table, &summary, &error), ARNE_VALUE);
    sim.drive = ARNE_DRIVE_TORQUES;
    const arne_surrounding nowhere = {.kind = ARNE_SURROUNDING_DRAG, .frame = 7};
    sim.surroundings = &nowhere;
    sim.surrounding_count = 1;
    assert_status(arne_simulate(&sim, NULL, NULL, &table, &summary, &error), ARNE_NOT_FOUND);
    assert_null(table);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_slides_and_stops),
        cmocka_unit_test(motors_and_followers_stick),
        cmocka_unit_test(a_block_breaks_loose),
        cmocka_unit_test(smooth_friction_creeps),
        cmocka_unit_test(energy_is_accounted_for),
        cmocka_unit_test(surroundings_act),
        cmocka_unit_test(a_free_base_goes_where_joints_send_it),
        cmocka_unit_test(samples_do_not_depend_on_steps),
        cmocka_unit_test(a_five_bar_stays_closed),
        cmocka_unit_test(loops_follow_a_reference),
        cmocka_unit_test(runs_end_early),
        cmocka_unit_test(bad_requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
