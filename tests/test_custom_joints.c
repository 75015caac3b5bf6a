// Custom joints and the key `follows` of robot files.
#include "io/read_rotation.h"
#include "testing.h"

#include <arne/pack.h>
#include <arne/report.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const KNEE =
    "name: leg\n"
    "bodies:\n"
    "  - {name: femur}\n"
    "  - {name: tibia, mass: 3, com: [0.02, -0.2, 0.01], inertia: [0.05, 0.01, 0.06]}\n"
    "  - {name: follower, mass: 1, com: [0, 0.1, 0], inertia: [0.01, 0.02, 0.03]}\n"
    "custom_joints:\n"
    "  - name: knee\n"
    "    parent: femur\n"
    "    child: tibia\n"
    "    origin: {xyz: [0.1, -0.4, 0.05], rpy: [0.3, -0.2, 0.5]}\n"
    "    tip: {xyz: [0, 0.03, 0], rpy: [0.1, 0.2, 0]}\n"
    "    coordinates: [{name: angle, limits: {lower: -2, upper: 1}}, {name: slip}]\n"
    "    rotations:\n"
    "      - {axis: [0, 0.6, 0.8], coordinate: angle}\n"
    "      - {axis: [1, 0, 0], follows: {joint: angle, polynomial: [0.1, 0.2, 0.3]}}\n"
    "      - {axis: [0, 1, 0], constant: 0.4}\n"
    "    translations:\n"
    "      - {axis: [1, 0, 0], follows: {joint: angle, factor: 2,\n"
    "         spline: {x: [-2, -1, 0, 1], y: [0.01, 0.02, 0.015, 0.03], ends: simm}}}\n"
    "      - {axis: [0, 1, 0], constant: -0.02}\n"
    "      - {axis: [0, 0, 1], follows: {joint: slip, sine: {amplitude: 0.05, frequency: 2}}}\n"
    "joints:\n"
    "  - {name: cam, kind: prismatic, parent: tibia, child: follower, follows: [\n"
    "     {joint: angle, spline: {x: [0, 1, 2, 3], y: [0.1, 0.3, 0.2, 0.1], ends: periodic}},\n"
    "     {joint: angle, spline: {x: [0, 1], y: [0.1, 0.3], ends: clamped, slopes: [0, 1]}},\n"
    "     {joint: angle, times: slip, factor: 0.3}]}\n";

static arne_robot *read_text(const char *text)
{
    arne_builder *b = NULL;
    arne_error    error = {0};
    assert_ok(arne_builder_new(&b));
    assert_ok_or(arne_read_text(b, text, strlen(text), "knee.yaml", &error), &error);
    arne_robot *robot = finish(b, NULL);
    arne_builder_free(b);
    return robot;
}

// The pose by hand: translations in the joint's frame, then the rotations.
static void custom_joints_move_as_they_say(void **unused)
{
    static const double x[] = {-2, -1, 0, 1}, y[] = {0.01, 0.02, 0.015, 0.03};
    arne_robot         *robot = read_text(KNEE);
    arne_work          *work = new_work(robot);
    arne_function       f = arne_function_make(ARNE_FUNCTION_SPLINE, 4, x, y);
    const int angle = arne_find_joint(robot, "angle"), slip = arne_find_joint(robot, "slip");
    (void)unused;
    f.ends = ARNE_ENDS_SIMM;
    assert_int_equal(arne_robot_sizes(robot).v_count, 2);
    for (int k = 0; k < 5; k++) {
        double q[2], d[5];
        q[arne_robot_joint(robot, angle).q_start] = 0.3 * k - 1.1;
        q[arne_robot_joint(robot, slip).q_start] = 0.4 - 0.2 * k;
        const double a = 0.3 * k - 1.1, b = 0.1 + 0.2 * a + 0.3 * a * a;
        assert_ok(arne_function_at(&f, a, d, NULL));
        const double p[3] = {2 * d[0], -0.02, 0.05 * sin(2 * (0.4 - 0.2 * k))};
        // tibia in femur: origin, p, R1 R2 R3, tip; a builder of fixed joints does the products
        arne_builder *by_hand = NULL;
        assert_ok(arne_builder_new(&by_hand));
        const double rpys[6][3] = {{0.3, -0.2, 0.5}, {0},         {0},
                                   {b, 0, 0},        {0, 0.4, 0}, {0.1, 0.2, 0}};
        const double xyzs[6][3] = {{0.1, -0.4, 0.05}, {p[0], p[1], p[2]}, {0}, {0}, {0},
                                   {0, 0.03, 0}};
        char         links[7][4] = {"l0", "l1", "l2", "l3", "l4", "l5", "l6"};
        for (int i = 0; i < 7; i++) {
            arne_body_spec body = arne_body_spec_default();
            body.name = links[i];
            body.mass = 1;
            assert_ok(arne_builder_add_body(by_hand, &body, NULL));
        }
        for (int i = 0; i < 6; i++) {
            arne_joint_spec j = arne_joint_spec_default();
            j.name = j.child = links[i + 1];
            j.parent = links[i];
            j.kind = i == 2 ? ARNE_JOINT_REVOLUTE : ARNE_JOINT_FIXED;
            j.axis = v3(0, 0.6, 0.8);
            j.origin.R = arne_rotation_rpy(rpys[i]);
            j.origin.p = v3(xyzs[i][0], xyzs[i][1], xyzs[i][2]);
            assert_ok(arne_builder_add_joint(by_hand, &j, NULL));
        }
        arne_robot *other = finish(by_hand, NULL);
        arne_work  *other_work = new_work(other);
        arne_kinematics(robot, work, q, NULL, NULL);
        arne_kinematics(other, other_work, &a, NULL, NULL);
        const arne_pose X = arne_frame_pose(robot, work, arne_find_frame(robot, "tibia"));
        const arne_pose Y = arne_frame_pose(other, other_work, arne_find_frame(other, "l6"));
        const state     s = random_state(robot, 1);
        assert_same(&s, "pose", X, Y, 1e-14);
        arne_work_free(other_work);
        arne_robot_free(other);
        arne_builder_free(by_hand);
    }
    arne_work_free(work);
    arne_robot_free(robot);
}

// The chain is one joint, from whatever file it comes; other joints are none.
static void chains_are_told_as_one_joint(void **unused)
{
    arne_robot       *robot = read_text(KNEE);
    arne_custom_joint knee;
    int               parts = 0;
    (void)unused;
    for (int i = 0; i < arne_robot_sizes(robot).joint_count; i++) {
        if (!arne_joint_custom(robot, i, &knee)) continue;
        parts++;
        assert_string_equal(knee.name, "knee");
        assert_string_equal(arne_robot_joint(robot, knee.first).name, "knee.t1");
        assert_string_equal(arne_robot_joint(robot, knee.last).name, "knee.r2");
    }
    assert_int_equal(parts, 4);
    assert_false(arne_joint_custom(robot, arne_find_joint(robot, "cam"), NULL));
    assert_false(arne_joint_custom(robot, arne_find_joint(robot, "slip"), NULL));
    arne_robot_free(robot);
}

static void files_go_round_to_the_last_bit(void **unused)
{
    arne_robot *robot = read_text(KNEE), *again = NULL;
    char       *text = NULL;
    size_t      size = 0;
    arne_error  error = {0};
    (void)unused;
    assert_ok_or(arne_robot_text(robot, ARNE_FORMAT_YAML, NULL, NULL, &text, &size, &error),
                 &error);
    again = read_text(text);
    assert_int_equal(arne_robot_packed_size(robot), arne_robot_packed_size(again));
    void *a = malloc(arne_robot_packed_size(robot)), *b = malloc(arne_robot_packed_size(robot));
    arne_robot_pack(robot, a);
    arne_robot_pack(again, b);
    assert_memory_equal(a, b, arne_robot_packed_size(robot));
    free(a);
    free(b);
    free(text);
    for (int i = 0; i < 2; i++) {
        const arne_format other = i ? ARNE_FORMAT_MJCF : ARNE_FORMAT_URDF;
        assert_status(arne_robot_text(robot, other, NULL, NULL, &text, &size, &error),
                      ARNE_UNSUPPORTED);
        assert_non_null(strstr(error.text, "by a function"));
    }
    arne_robot_free(again);
    arne_robot_free(robot);
}

static void bad_functions_have_lines(void **unused)
{
    static const struct {
        const char *follows, *says;
    } bad[] = {
        {"{joint: a}", "needs one of"},
        {"{joint: a, polynomial: [1, 2, 3], sine: {amplitude: 1}}", "needs one of"},
        {"{polynomial: [1, 2, 3]}", "joint"},
        {"{joint: a, spline: {x: [0, 1], y: [1]}}", "has 1 numbers"},
        {"{joint: a, spline: {x: [0, 0], y: [1, 2]}}", "must increase"},
        {"{joint: a, spline: {x: [0, 1], y: [1, 2], ends: round}}", "round"},
        {"{joint: a, spline: {x: [0, 1], y: [1, 2], ends: clamped}}", "slopes"},
        {"{joint: a, polynomial: 3}", "list"},
        {"{joint: a, wave: 3}", "needs one of"},
        {"{joint: ghost, polynomial: [0, 1, 2]}", "does not exist"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char          text[700];
        arne_builder *b = NULL;
        arne_robot   *robot = NULL;
        arne_error    error = {0};
        snprintf(text, sizeof text,
                 "bodies: [{name: l0}, {name: l1, mass: 1}, {name: l2, mass: 1}]\n"
                 "joints:\n"
                 "  - {name: a, kind: prismatic, parent: l0, child: l1}\n"
                 "  - {name: b, kind: prismatic, parent: l1, child: l2, follows: %s}\n",
                 bad[i].follows);
        assert_ok(arne_builder_new(&b));
        arne_status status = arne_read_text(b, text, strlen(text), "bad.yaml", &error);
        if (!status) status = arne_builder_finish(b, NULL, &robot, &error);
        assert_int_not_equal(status, ARNE_OK);
        if (!strstr(error.text, bad[i].says)) fail_msg("'%s' lacks '%s'", error.text, bad[i].says);
        assert_int_equal(error.line, 4);
        arne_builder_free(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(custom_joints_move_as_they_say),
        cmocka_unit_test(chains_are_told_as_one_joint),
        cmocka_unit_test(files_go_round_to_the_last_bit),
        cmocka_unit_test(bad_functions_have_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
