// Configurations that hardly anybody builds, and outputs of exactly the size that they need.
#include "testing.h"

#include "closed.h"
#include "many.h"

#include <arne/codegen.h>
#include <stdlib.h>

// ---- outputs ----

// An array with a guard behind it, whose end is the end of its memory.
enum { GUARD = 4 };
static const double MARK = 1.25e-77;

static double *guarded(int count)
{
    double *x = malloc((size_t)(count + GUARD) * sizeof *x);
    assert_non_null(x);
    for (int i = 0; i < GUARD; i++)
        x[count + i] = MARK;
    return x;
}

static void check_guard(const arne_robot *robot, const char *what, double *x, int count)
{
    for (int i = 0; i < GUARD; i++)
        if (x[count + i] != MARK)
            fail_msg("%s: %s goes beyond its end", arne_robot_name(robot), what);
    free(x);
}

static void outputs_stay_in_their_arrays(void **unused)
{
    (void)unused;
    EACH_ROBOT_OF (robot, work, 40) {
        const state s = random_state(robot, 6);
        const int   n = s.size.v_count;
        double     *along = guarded(n), *against[3] = {guarded(n), guarded(n), guarded(n)};
        double     *tau = guarded(n), *rate = guarded(n), *M = guarded(n * n), *C = guarded(n * n);
        arne_inverse_dynamics_along(robot, work, s.q, s.qd, s.qdd, NULL, 0, s.qd, s.qdd, s.tau,
                                    along);
        arne_inverse_dynamics_against(robot, work, s.q, s.qd, s.qdd, NULL, 0, s.tau, against[0],
                                      against[1], against[2]);
        arne_torque_rate(robot, work, s.q, s.qd, s.qdd, s.tau, NULL, 0, tau, rate);
        arne_mass_matrix(robot, work, s.q, M);
        arne_coriolis_matrix(robot, work, s.q, s.qd, C);
        check_guard(robot, "the change along a direction", along, n);
        for (int i = 0; i < 3; i++)
            check_guard(robot, "a gradient", against[i], n);
        check_guard(robot, "tau", tau, n);
        check_guard(robot, "tau_rate", rate, n);
        check_guard(robot, "M", M, n * n);
        check_guard(robot, "C", C, n * n);
    }
}

// Every algorithm of the catalogue, for numbers of states that fill lanes and that do not. What it
// writes to an array alone is what it writes there among all others.
static void batches_stay_in_their_arrays(void **unused)
{
    (void)unused;
    EACH_ROBOT_OF (robot, work, 12) {
        for (size_t count = 1; count <= 5; count += 2) {
            problem     p = new_problem(robot, count, count);
            arne_batch *batch = new_batch(robot, arne_batch_has_width(4) ? 4 : 1, 1);
            for (int i = 0; i < ARNE_ALGORITHM_COUNT; i++) {
                const arne_algorithm_info *a = arne_catalogue_algorithm((arne_algorithm)i);
                const arne_batch_outputs   all = outputs_of(&p, (arne_algorithm)i);
                if (!(a->has & ARNE_HAS_BATCH) ||
                    arne_batch_run(batch, (arne_algorithm)i, &p.in, &all, count, NULL))
                    continue;
                for (int k = 0; k < a->output_count; k++) {
                    const arne_array   what = a->outputs[k].array;
                    const int          size = (int)(count * arne_array_size(robot, what));
                    double            *x = guarded(size);
                    arne_batch_outputs one = {0};
                    assert_true(arne_batch_set_output(&one, what, x));
                    if (arne_batch_run(batch, (arne_algorithm)i, &p.in, &one, count, NULL) == 0)
                        assert_close(&p.states[0], a->name, x, p.out_at[what], size, 1e-9);
                    check_guard(robot, a->name, x, size);
                }
            }
            arne_batch_free(batch);
            free_problem(&p);
        }
    }
}

static void feedforward_stays_in_its_arrays(void **unused)
{
    (void)unused;
    int checked = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        arne_builder     *builder = random_tree(seed);
        arne_robot       *robot = NULL;
        arne_feedforward *f = NULL;
        add_lossless_motors(builder, seed);
        assert_ok(arne_builder_finish(builder, NULL, &robot, NULL));
        arne_builder_free(builder);
        if (arne_feedforward_new(robot, &f, NULL) == ARNE_OK) {
            const state         s = random_state(robot, seed);
            const double *const motion[5] = {s.q, s.qd, s.qdd, s.tau, s.qd};
            const int           joints = s.size.v_count - s.size.theta_count;
            double             *q = guarded(s.size.q_count), *qd = guarded(s.size.v_count);
            double             *qdd = guarded(s.size.v_count), *motor = guarded(joints);
            arne_feedforward_torques(f, motion, NULL, q, qd, qdd, motor);
            check_guard(robot, "q of feedforward", q, s.size.q_count);
            check_guard(robot, "qd of feedforward", qd, s.size.v_count);
            check_guard(robot, "qdd of feedforward", qdd, s.size.v_count);
            check_guard(robot, "motors of feedforward", motor, joints);
            checked++;
        }
        arne_feedforward_free(f);
        arne_robot_free(robot);
    }
    assert_true(checked > 3);
}

// ---- loops with mimic joints ----

// The rank is known from the first call; the second looks at the closure all the same.
static void open_mimic_loops_are_refused(void **unused)
{
    (void)unused;
    for (uint64_t seed = 5; seed < 60; seed += 7) {
        closed c = closed_random(seed);
        state  s;
        double qdd[MAX_V];
        if (closed_state(&c, 1, &s)) {
            assert_ok(arne_loop_forward_dynamics(c.robot, c.work, c.loop, s.q, s.qd, s.tau, NULL,
                                                 NULL, qdd, NULL));
            s.q[s.size.q_count - 1 - s.size.theta_count] += 0.05;
            if (arne_loop_closure(c.robot, c.work, c.loop, s.q, NULL) > 1e-4)
                assert_status(arne_loop_forward_dynamics(c.robot, c.work, c.loop, s.q, s.qd, s.tau,
                                                         NULL, NULL, qdd, NULL),
                              ARNE_LOOP_OPEN);
        }
        closed_free(&c);
    }
}

// ---- builders ----

static void add_part(arne_builder *builder, const char *name, const char *parent, const char *joint)
{
    arne_body_spec  body = arne_body_spec_default();
    arne_joint_spec j = arne_joint_spec_default();
    body.name = name;
    body.mass = 1;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.1;
    assert_ok(arne_builder_add_body(builder, &body, NULL));
    j.name = joint;
    j.parent = parent;
    j.child = name;
    if (parent) assert_ok(arne_builder_add_joint(builder, &j, NULL));
}

static void springs_have_finite_numbers(void **unused)
{
    (void)unused;
    for (int which = 0; which < 4; which++) {
        arne_builder    *builder = NULL;
        arne_robot      *robot = NULL;
        arne_error       error = {0};
        arne_spring_spec spring = arne_spring_spec_default();
        assert_ok(arne_builder_new(&builder));
        add_part(builder, "base", NULL, NULL);
        add_part(builder, "a", "base", "j");
        spring.joint = "j";
        spring.stiffness = which == 0 ? NAN : 2;
        spring.damping = which == 1 ? INFINITY : 1;
        spring.rest = which == 2 ? NAN : 0;
        assert_ok(arne_builder_add_spring(builder, &spring, NULL));
        const arne_status status = arne_builder_finish(builder, NULL, &robot, &error);
        assert_int_equal(status == ARNE_OK, which == 3);
        if (which < 3) assert_non_null(strstr(error.text, "not finite"));
        arne_robot_free(robot);
        arne_builder_free(builder);
    }
}

// A joint that only leads into a cycle is not on it.
static void cycles_name_a_joint_on_them(void **unused)
{
    (void)unused;
    arne_builder *builder = NULL;
    arne_robot   *robot = NULL;
    arne_error    error = {0};
    assert_ok(arne_builder_new(&builder));
    add_part(builder, "base", NULL, NULL);
    add_part(builder, "tail", "y", "outside");
    add_part(builder, "y", "x", "on1");
    add_part(builder, "z", "y", "on2");
    add_part(builder, "x", "z", "on3");
    assert_status(arne_builder_finish(builder, NULL, &robot, &error), ARNE_MODEL);
    assert_non_null(strstr(error.text, "cycle through 'on"));
    arne_builder_free(builder);
}

// ---- simulation ----

static arne_robot *slope(double positive, double negative)
{
    arne_builder   *builder = NULL;
    arne_joint_spec rail = arne_joint_spec_default();
    arne_body_spec  body = arne_body_spec_default();
    assert_ok(arne_builder_new(&builder));
    add_part(builder, "ground", NULL, NULL);
    body.name = "block";
    body.mass = 1;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.1;
    assert_ok(arne_builder_add_body(builder, &body, NULL));
    rail.name = "rail";
    rail.parent = "ground";
    rail.child = "block";
    rail.kind = ARNE_JOINT_PRISMATIC;
    rail.axis = v3(sqrt(1 - 0.04), 0, -0.2); // 2 N down the slope
    rail.coulomb_positive = positive;
    rail.coulomb_negative = negative;
    assert_ok(arne_builder_add_joint(builder, &rail, NULL));
    arne_robot *robot = finish(builder, NULL);
    arne_builder_free(builder);
    return robot;
}

// Friction in one direction only holds in that direction.
static void friction_of_one_side(void **unused)
{
    (void)unused;
    for (int side = 0; side < 2; side++) {
        arne_robot                *robot = slope(side ? 0 : 3, side ? 3 : 0);
        const arne_simulation_spec sim = {.robot = robot,
                                          .integrator = {.method = ARNE_METHOD_RK4, .step = 1e-3},
                                          .duration = 0.5,
                                          .record_every = 0.1};
        arne_simulation_summary    summary;
        arne_table                *table = NULL;
        assert_ok(arne_simulate(&sim, NULL, NULL, &table, &summary, NULL));
        const double q =
            arne_table_row(table, arne_table_rows(table) - 1)[arne_table_find(table, "q.rail")];
        const double fallen = 0.5 * 9.81 * 0.2 * 0.25;
        assert_true(side ? fabs(q - fallen) < 1e-6 : fabs(q) < 1e-12);
        arne_table_free(table);
        arne_robot_free(robot);
    }
}

// A first step that is far too short grows to what the motion allows.
static void steps_grow(void **unused)
{
    (void)unused;
    arne_robot                *robot = read_robot("planar_2r", NULL);
    const arne_simulation_spec sim = {.robot = robot,
                                      .integrator = {.method = ARNE_METHOD_DORMAND_PRINCE,
                                                     .step = 1e-7,
                                                     .relative = 1e-6,
                                                     .absolute = 1e-6},
                                      .duration = 1,
                                      .record_every = 1};
    arne_simulation_summary    summary;
    arne_table                *table = NULL;
    assert_ok(arne_simulate(&sim, NULL, NULL, &table, &summary, NULL));
    assert_true(summary.steps > 5 && summary.steps < 500);
    arne_table_free(table);
    arne_robot_free(robot);
}

// ---- generated code ----

static void headers_show_joints_of_several_coordinates(void **unused)
{
    (void)unused;
    const char *const           names[] = {"pose"};
    const arne_generate_options o = {.functions = names, .function_count = 1, .frame = 0};
    arne_robot                 *robot = read_robot("quadruped", NULL);
    arne_generated             *made = NULL;
    assert_ok(arne_generate(robot, &o, &made, NULL));
    assert_non_null(strstr(made->file[0].text, "q[0..6], qd[0..5]\n"));
    assert_non_null(strstr(made->file[0].text, "q[7], qd[6]\n"));
    arne_generated_free(made);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_stay_in_their_arrays),
        cmocka_unit_test(batches_stay_in_their_arrays),
        cmocka_unit_test(feedforward_stays_in_its_arrays),
        cmocka_unit_test(open_mimic_loops_are_refused),
        cmocka_unit_test(springs_have_finite_numbers),
        cmocka_unit_test(cycles_name_a_joint_on_them),
        cmocka_unit_test(friction_of_one_side),
        cmocka_unit_test(steps_grow),
        cmocka_unit_test(headers_show_joints_of_several_coordinates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
