// A robot goes back into specs and files, and what is made of these is the same robot.
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>

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
        assert_memory_equal(&x.is_link, &y.is_link, sizeof x - offsetof(arne_frame_info, is_link));
    }
    for (int i = 0; i < m.loop_count; i++) {
        const arne_loop_info x = arne_robot_loop(a, i), y = arne_robot_loop(b, i);
        assert_string_equal(x.name, y.name);
        assert_memory_equal(&x.kind, &y.kind, sizeof x - offsetof(arne_loop_info, kind));
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
        cmocka_unit_test(hostile_names_read_back),
        cmocka_unit_test(bad_requests_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
