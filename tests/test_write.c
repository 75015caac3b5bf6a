// A robot goes back into specs and files, and what is made of these is the same robot.
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>

// The same numbers; 0 may be -0.
static void assert_same_pose(const arne_pose *X, const arne_pose *Y)
{
    for (int k = 0; k < 12; k++)
        assert_true((&X->R.x.x)[k] == (&Y->R.x.x)[k]);
}

// The same facts and, to the last bit, the same torques and masses.
static void assert_same_robot(const arne_robot *a, const arne_robot *b)
{
    static double    M[2][MAX_V * MAX_V];
    double           tau[2][MAX_V];
    const arne_sizes m = arne_robot_sizes(a), n = arne_robot_sizes(b);
    assert_memory_equal(&m, &n, sizeof m);
    for (int i = 0; i < m.joint_count; i++) {
        const arne_joint_info x = arne_robot_joint(a, i), y = arne_robot_joint(b, i);
        assert_string_equal(x.name, y.name);
        assert_memory_equal(&x.kind, &y.kind, sizeof x - offsetof(arne_joint_info, kind));
    }
    for (int i = 0; i < m.frame_count; i++) {
        const arne_frame_info x = arne_robot_frame(a, i), y = arne_robot_frame(b, i);
        assert_string_equal(x.name, y.name);
        assert_true(x.is_link == y.is_link && x.body == y.body && x.parent == y.parent);
        assert_same_pose(&x.pose, &y.pose);
        assert_true(x.mass == y.mass);
        assert_memory_equal(x.inertia, y.inertia, sizeof x.inertia);
    }
    for (int i = 0; i < m.loop_count; i++) {
        const arne_loop_info x = arne_robot_loop(a, i), y = arne_robot_loop(b, i);
        assert_string_equal(x.name, y.name);
        assert_int_equal(x.kind, y.kind);
        assert_memory_equal(x.frame, y.frame, sizeof x.frame);
        assert_same_pose(&x.at[0], &y.at[0]);
        assert_same_pose(&x.at[1], &y.at[1]);
        assert_true(x.length == y.length && x.leg.kind == y.leg.kind);
        assert_same_pose(&x.leg.base, &y.leg.base);
        assert_true(x.leg.crank == y.leg.crank && x.leg.rod == y.leg.rod);
    }
    const arne_robot *both[2] = {a, b};
    const state       s = random_state(a, 5);
    for (int i = 0; i < 2; i++) {
        arne_work *work = new_work(both[i]);
        state_set_base(&s, work);
        arne_inverse_dynamics(both[i], work, s.q, s.qd, s.qdd, NULL, tau[i]);
        arne_mass_matrix(both[i], work, s.q, M[i]);
        arne_work_free(work);
    }
    assert_memory_equal(tau[0], tau[1], (size_t)m.v_count * sizeof(double));
    assert_memory_equal(M[0], M[1], (size_t)(m.v_count * m.v_count) * sizeof(double));
}

static void specs_make_the_same_robot(void **unused)
{
    (void)unused;
    EACH_ROBOT_OF (robot, work, TREE_COUNT / TEST_PART) {
        (void)work;
        arne_builder *builder = NULL;
        arne_error    error;
        assert_ok(arne_builder_new(&builder));
        assert_ok_or(arne_builder_add_robot(builder, robot, &error), &error);
        arne_robot *again = finish(builder, NULL);
        assert_same_robot(robot, again);
        arne_robot_free(again);
        arne_builder_free(builder);
    }
}

static arne_robot *read_text(arne_format format, const char *text, size_t size)
{
    arne_builder *builder = NULL;
    arne_error    error;
    assert_ok(arne_builder_new(&builder));
    assert_ok_or(format == ARNE_FORMAT_YAML
                     ? arne_read_yaml(builder, text, size, "again.yaml", &error)
                     : arne_read_urdf(builder, text, size, "again.urdf", &error),
                 &error);
    arne_robot *robot = finish(builder, NULL);
    arne_builder_free(builder);
    return robot;
}

static void yaml_reads_back_to_the_last_bit(void **unused)
{
    (void)unused;
    EACH_ROBOT_OF (robot, work, TREE_COUNT / 5 / TEST_PART) {
        (void)work;
        char      *text = NULL, *second = NULL;
        size_t     size = 0, second_size = 0;
        arne_error error;
        assert_ok_or(arne_robot_text(robot, ARNE_FORMAT_YAML, NULL, NULL, &text, &size, &error),
                     &error);
        assert_int_equal(strlen(text), size);
        arne_robot *again = read_text(ARNE_FORMAT_YAML, text, size);
        assert_same_robot(robot, again);
        assert_ok(
            arne_robot_text(again, ARNE_FORMAT_YAML, NULL, NULL, &second, &second_size, &error));
        assert_string_equal(text, second);
        arne_robot_free(again);
        free(text);
        free(second);
    }
}

static void count_lost(void *context, const arne_warning *warning)
{
    assert_string_equal(warning->rule, "lost");
    assert_true(strlen(warning->text) > 0);
    ++*(int *)context;
}

// Where nothing is reported lost, a URDF has the same torques.
static void urdf_reads_back_or_says_what_is_lost(void **unused)
{
    (void)unused;
    int whole = 0, losses = 0;
    if (robots_have_functions()) skip(); // refused
    EACH_ROBOT_OF (robot, work, TREE_COUNT / 5 / TEST_PART) {
        char      *text = NULL;
        size_t     size = 0;
        int        lost = 0;
        arne_error error;
        if (arne_robot_base(robot) != ARNE_BASE_FIXED) continue;
        assert_ok_or(
            arne_robot_text(robot, ARNE_FORMAT_URDF, count_lost, &lost, &text, &size, &error),
            &error);
        losses += lost;
        if (!lost) {
            arne_robot *again = read_text(ARNE_FORMAT_URDF, text, size);
            arne_work  *other = new_work(again);
            const state s = random_state(robot, 3);
            double      tau[MAX_V], tau_again[MAX_V];
            assert_int_equal(arne_robot_sizes(again).v_count, s.size.v_count);
            arne_inverse_dynamics(robot, work, s.q, s.qd, s.qdd, NULL, tau);
            arne_inverse_dynamics(again, other, s.q, s.qd, s.qdd, NULL, tau_again);
            assert_close(&s, "tau", tau_again, tau, s.size.v_count, 1e-10);
            arne_work_free(other);
            arne_robot_free(again);
            whole++;
        }
        free(text);
    }
    assert_true(whole > 3 && losses > 3);
}

static void a_payload_is_written_with_its_link(void **unused)
{
    (void)unused;
    arne_robot        *robot = read_robot("arm6", NULL), *loaded = NULL;
    const arne_payload box = {2, {0.01, -0.02, 0.05}, {0.004, 0.005, 0.006, 1e-4, -2e-4, 3e-4}};
    const int          frame = arne_robot_sizes(robot).frame_count - 1;
    arne_error         error;
    char              *text = NULL;
    size_t             size = 0;
    assert_ok_or(arne_robot_attach(robot, frame, &box, &loaded, &error), &error);
    assert_ok(arne_robot_text(loaded, ARNE_FORMAT_YAML, NULL, NULL, &text, &size, &error));
    arne_robot *again = read_text(ARNE_FORMAT_YAML, text, size);
    arne_work  *work = new_work(loaded), *other = new_work(again);
    double      tau[MAX_V], tau_again[MAX_V];
    EACH_STATE (s, loaded, work) {
        arne_inverse_dynamics(loaded, work, s.q, s.qd, s.qdd, NULL, tau);
        arne_inverse_dynamics(again, other, s.q, s.qd, s.qdd, NULL, tau_again);
        assert_close(&s, "tau", tau_again, tau, s.size.v_count, 1e-12);
    }
    arne_work_free(work);
    arne_work_free(other);
    arne_robot_free(again);
    arne_robot_free(loaded);
    arne_robot_free(robot);
    free(text);
}

static void hostile_names_read_back(void **unused)
{
    (void)unused;
    static const char *const names[] = {"yes", "a b: {c}", "\"quoted\"", "back\\slash", "1e3",
                                        "#x",  "ünïcode",  "<&>",        "null",        "- x"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        arne_builder   *builder = NULL;
        arne_body_spec  body = arne_body_spec_default();
        arne_joint_spec joint = arne_joint_spec_default();
        arne_error      error;
        assert_ok(arne_builder_new(&builder));
        assert_ok(arne_builder_set_name(builder, names[i]));
        body.name = "root";
        assert_ok_or(arne_builder_add_body(builder, &body, &error), &error);
        body.name = names[i];
        body.mass = 1;
        assert_ok_or(arne_builder_add_body(builder, &body, &error), &error);
        joint.name = names[i];
        joint.parent = "root";
        joint.child = names[i];
        joint.kind = ARNE_JOINT_PRISMATIC;
        joint.lower = -1;
        joint.upper = 1;
        assert_ok_or(arne_builder_add_joint(builder, &joint, &error), &error);
        arne_robot *robot = finish(builder, NULL);
        for (int f = 0; f < 2; f++) {
            char  *text = NULL;
            size_t size = 0;
            assert_ok_or(arne_robot_text(robot, (arne_format)f, NULL, NULL, &text, &size, &error),
                         &error);
            arne_robot *again = read_text((arne_format)f, text, size);
            assert_string_equal(arne_robot_name(again), names[i]);
            assert_string_equal(arne_robot_joint(again, 0).name, names[i]);
            arne_robot_free(again);
            free(text);
        }
        arne_robot_free(robot);
        arne_builder_free(builder);
    }
}

static void bad_requests_are_refused(void **unused)
{
    (void)unused;
    arne_robot *robot = read_robot("arm6", NULL);
    arne_error  error;
    assert_status(arne_robot_write(robot, "robot.txt", NULL, NULL, &error), ARNE_VALUE);
    assert_non_null(strstr(error.text, ".yaml"));
    assert_status(arne_robot_write(NULL, "x.yaml", NULL, NULL, &error), ARNE_NULL_ARGUMENT);
    assert_status(arne_robot_write(robot, "/no/such/folder/x.yaml", NULL, NULL, &error), ARNE_FILE);
    arne_robot *base = NULL;
    assert_ok_or(arne_robot_base_form(robot, &base, &error), &error);
    assert_status(arne_robot_write(base, "x.yaml", NULL, NULL, &error), ARNE_UNSUPPORTED);
    arne_robot_free(base);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(specs_make_the_same_robot),
        cmocka_unit_test(yaml_reads_back_to_the_last_bit),
        cmocka_unit_test(urdf_reads_back_or_says_what_is_lost),
        cmocka_unit_test(a_payload_is_written_with_its_link),
        cmocka_unit_test(hostile_names_read_back),
        cmocka_unit_test(bad_requests_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
