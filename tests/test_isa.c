// Robots are built for an instruction set: which there are, which is chosen, and that all of them
// compute the same.
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>

static const double TOLERANCE = 1e-12;

static arne_robot *built_for(const char *file, arne_isa isa)
{
    const arne_build_options options = {.isa = isa};
    arne_robot              *robot = NULL;
    char                     path[512];
    snprintf(path, sizeof path, "%s/%s", ARNE_ROBOTS_DIR, file);
    assert_ok(arne_robot_read(path, &options, &robot, NULL));
    return robot;
}

// ---- what there is ----

static void names_are_told_apart(void **unused)
{
    (void)unused;
    for (int a = 0; a < ARNE_ISA_COUNT; a++)
        for (int b = 0; b < a; b++)
            assert_string_not_equal(arne_isa_name((arne_isa)a), arne_isa_name((arne_isa)b));
    assert_null(arne_isa_name(ARNE_ISA_COUNT));
    assert_true(arne_isa_available(ARNE_ISA_BASELINE));
    assert_false(arne_isa_available(ARNE_ISA_COUNT));
}

static void the_best_is_chosen(void **unused)
{
    (void)unused;
    arne_robot *robot = built_for("arm6.yaml", ARNE_ISA_BEST);
    arne_isa    best = ARNE_ISA_BASELINE;
    for (int i = ARNE_ISA_BASELINE; i < ARNE_ISA_COUNT; i++)
        if (arne_isa_available((arne_isa)i)) best = (arne_isa)i;
    if (!getenv("ARNE_TEST_ISA")) assert_int_equal(arne_robot_isa(robot), best);
    arne_robot_free(robot);
}

static void what_is_not_there_is_refused(void **unused)
{
    (void)unused;
    for (int i = ARNE_ISA_BASELINE; i <= ARNE_ISA_COUNT; i++) {
        const arne_build_options options = {.isa = (arne_isa)i};
        arne_robot              *robot = NULL;
        arne_error               error;
        if (arne_isa_available((arne_isa)i)) continue;
        assert_int_equal(arne_robot_read(ARNE_ROBOTS_DIR "/arm6.yaml", &options, &robot, &error),
                         ARNE_UNSUPPORTED);
        assert_null(robot);
        assert_non_null(strstr(error.text, "instruction set"));
    }
}

// A block that was copied from a machine with other instructions.
static void robots_from_elsewhere_get_no_workspace(void **unused)
{
    (void)unused;
    arne_robot     *robot = built_for("four_bar.yaml", ARNE_ISA_BEST);
    arne_work      *work = NULL;
    arne_loop_work *loop = NULL;
    char            memory[64];
    robot_pretend_isa(robot, ARNE_ISA_COUNT);
    assert_int_equal(arne_work_size(robot), 0);
    assert_null(arne_work_place(robot, memory));
    assert_int_equal(arne_work_new(robot, &work), ARNE_UNSUPPORTED);
    assert_int_equal(arne_loop_work_size(robot), 0);
    assert_null(arne_loop_work_place(robot, memory));
    assert_int_equal(arne_loop_work_new(robot, &loop), ARNE_UNSUPPORTED);
    arne_robot_free(robot);
}

// ---- what they compute ----

enum { MOST = 400000 };

// Everything that one state has: a row of numbers.
static int all_of(const state *s, arne_work *work, double *out)
{
    const arne_robot *r = s->robot;
    const int         n = s->size.v_count, frame = s->size.frame_count - 1;
    double           *at = out;
    arne_vec3         com, speed;
    state_set_base(s, work);
    arne_inverse_dynamics(r, work, s->q, s->qd, s->qdd, s->f_ext, at), at += n;
    const arne_wrench held = arne_base_wrench(r, work);
    memcpy(at, &held, sizeof held), at += 6;
    arne_gravity(r, work, s->q, at), at += n;
    arne_bias(r, work, s->q, s->qd, NULL, at), at += n;
    arne_mass_matrix(r, work, s->q, at), at += n * n;
    arne_coriolis_matrix(r, work, s->q, s->qd, at), at += n * n;
    arne_jacobian(r, work, s->q, frame, ARNE_AXES_ALIGNED, at), at += 6 * n;
    arne_jacobian_rate(r, work, s->q, s->qd, frame, ARNE_AXES_WORLD, at), at += 6 * n;
    arne_centroidal_matrix(r, work, s->q, at), at += 6 * n;
    arne_com_jacobian(r, work, s->q, at), at += 3 * n;
    arne_energy(r, work, s->q, s->qd, at, at + 1), at += 2;
    arne_center_of_mass(r, work, s->q, s->qd, &com, &speed);
    memcpy(at, &com, sizeof com), at += 3;
    memcpy(at, &speed, sizeof speed), at += 3;
    arne_kinematics(r, work, s->q, s->qd, s->qdd);
    const arne_motion a =
        arne_frame_acceleration(r, work, frame, ARNE_AXES_ALIGNED, ARNE_ACCELERATION_CLASSICAL);
    memcpy(at, &a, sizeof a), at += 6;
    arne_inverse_dynamics_derivatives(r, work, s->q, s->qd, s->qdd, NULL, 0, at, at + n * n,
                                      at + 2 * n * n);
    at += 3 * n * n;
    arne_torque_rate(r, work, s->q, s->qd, s->qdd, s->tau, NULL, 0, at, at + n), at += 2 * n;
    arne_inverse_dynamics_along(r, work, s->q, s->qd, s->qdd, NULL, 0, s->qd, s->qdd, s->tau, at);
    at += n;
    arne_regressor(r, work, s->q, s->qd, s->qdd, at), at += n * arne_parameter_count(r);
    assert_true(at - out <= MOST);
    return (int)(at - out);
}

// Of two sets M qdd may differ by the condition of M; the torques of both must not.
static void solve_and_undo(const state *s, arne_work *work, double *tau)
{
    double qdd[MAX_V];
    assert_ok(arne_forward_dynamics(s->robot, work, s->q, s->qd, s->tau, s->f_ext, qdd, NULL));
    arne_inverse_dynamics(s->robot, work, s->q, s->qd, qdd, s->f_ext, tau);
}

static void sets_agree(void **unused)
{
    static const char *const files[] = {"arm6.yaml",     "stanford.yaml", "arm7_gripper.yaml",
                                        "hua_arm.yaml",  "human.yaml",    "quadruped.yaml",
                                        "humanoid.yaml", "gantry.yaml"};
    double *wanted = malloc(MOST * sizeof *wanted), *got = malloc(MOST * sizeof *got);
    (void)unused;
    assert_true(wanted && got);
    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++)
        for (int i = ARNE_ISA_BASELINE; i < ARNE_ISA_COUNT; i++) {
            if (!arne_isa_available((arne_isa)i)) continue;
            arne_robot *robot = built_for(files[f], (arne_isa)i);
            arne_work  *work = NULL;
            double      tau[MAX_V];
            assert_int_equal(arne_robot_isa(robot), i);
            assert_ok(arne_work_new(robot, &work));
            const state s = random_state(robot, 7);
            const int   count = all_of(&s, work, i == ARNE_ISA_BASELINE ? wanted : got);
            if (i > ARNE_ISA_BASELINE)
                assert_close(&s, arne_isa_name((arne_isa)i), got, wanted, count, TOLERANCE);
            solve_and_undo(&s, work, tau);
            assert_close(&s, "direct dynamics", tau, s.tau, s.size.v_count, 1e-10);
            arne_work_free(work);
            arne_robot_free(robot);
        }
    free(wanted);
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_told_apart),
        cmocka_unit_test(the_best_is_chosen),
        cmocka_unit_test(what_is_not_there_is_refused),
        cmocka_unit_test(robots_from_elsewhere_get_no_workspace),
        cmocka_unit_test(sets_agree),
    };
    return cmocka_run_group_tests_name("instruction sets", tests, NULL, NULL);
}
