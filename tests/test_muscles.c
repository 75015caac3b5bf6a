// Muscles as they are described: files, builders, robots, and what is refused.
#include "testing.h"

#include <arne/pack.h>
#include <stdlib.h>

static const char *const ARM =
    "name: arm\n"
    "bodies:\n"
    "  - {name: base}\n"
    "  - {name: upper, mass: 2, com: [0.1, 0, 0], inertia: [0.01, 0.02, 0.02]}\n"
    "  - {name: fore, mass: 1, com: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01]}\n"
    "joints:\n"
    "  - {name: shoulder, kind: revolute, parent: base, child: upper}\n"
    "  - {name: elbow, kind: revolute, parent: upper, child: fore,\n"
    "     origin: {xyz: [0.3, 0, 0]}, limits: {lower: -0.1, upper: 2.5}}\n"
    "frames: [{name: mark, link: fore, origin: {xyz: [0.01, 0.02, 0.03], rpy: [1, 2, 3]}}]\n"
    "wraps:\n"
    "  - {name: pulley, link: upper, cylinder: [0.02, 0.1], origin: {xyz: [0.3, 0, 0]}, side: -y}\n"
    "  - {name: ball, link: upper, sphere: 0.01, origin: {xyz: [0.2, 0.1, 0.02]}}\n"
    "  - {name: egg, link: mark, ellipsoid: [0.01, 0.02, 0.03],\n"
    "     origin: {xyz: [0.1, 0.1, 0.02], rpy: [0.1, 0.2, 0.3]}}\n"
    "muscles:\n"
    "  - name: triceps\n"
    "    law: millard\n"
    "    max_force: 800\n"
    "    fibre_length: 0.1\n"
    "    slack_length: 0.15\n"
    "    pennation: 12 deg\n"
    "    active: [0.4441, 0.73, 1.8123, 0.8616, 0]\n"
    "    points: [{link: base, position: [0, -0.05, 0]}, {link: mark, position: [0.03, 0, 0]}]\n"
    "    wraps: [{wrap: pulley}, {wrap: egg, points: [1, 2]}]\n"
    "  - name: biceps\n"
    "    law: thelen\n"
    "    max_force: 600\n"
    "    fibre_length: 0.1\n"
    "    slack_length: 0.2\n"
    "    points:\n"
    "      - {link: base, position: [0, 0.05, 0]}\n"
    "      - {link: upper, position: [0.2, 0.05, 0],\n"
    "         while: {joint: elbow, lower: -0.5, upper: 1}}\n"
    "      - {link: fore, position: [0, 0.02, 0], x: {joint: elbow, factor: 2, spline:\n"
    "         {x: [0, 1, 2, 3], y: [0.02, 0.03, 0.02, 0.01], ends: simm}}}\n"
    "  - {name: band, law: ligament, max_force: 100, slack_length: 0.2,\n"
    "     curve: {polynomial: [0, 0, 1]}, points: [{link: base}, {link: fore}]}\n"
    "  - {name: rubber, law: spring, stiffness: 100, slack_length: 0.2, dissipation: 0.1,\n"
    "     points: [{link: base}, {link: fore}]}\n"
    "  - {name: smooth, law: degroote, max_force: 10, fibre_length: 0.1, slack_length: 0.1,\n"
    "     rigid_tendon: true, points: [{link: base}, {link: fore}]}\n";

static arne_builder *arm_builder(const char *text)
{
    arne_builder *b = NULL;
    arne_error    error = {0};
    assert_ok(arne_builder_new(&b));
    assert_ok_or(arne_read_text(b, text, strlen(text), "arm.yaml", &error), &error);
    return b;
}

static arne_robot *arm_robot(const char *text)
{
    arne_builder *b = arm_builder(text);
    arne_robot   *robot = finish(b, NULL);
    arne_builder_free(b);
    return robot;
}

// Two robots with the same bytes: all that was said of muscles included.
static void assert_same_bytes(const arne_robot *a, const arne_robot *b)
{
    const size_t size = arne_robot_packed_size(a);
    assert_int_equal(size, arne_robot_packed_size(b));
    void *x = malloc(size), *y = malloc(size);
    arne_robot_pack(a, x);
    arne_robot_pack(b, y);
    assert_memory_equal(x, y, size);
    free(x);
    free(y);
}

static void files_say_all_of_a_muscle(void **unused)
{
    arne_robot *robot = arm_robot(ARM);
    (void)unused;
    assert_int_equal(arne_muscle_count(robot), 5);
    assert_int_equal(arne_wrap_count(robot), 3);
    const int              biceps = arne_find_muscle(robot, "biceps");
    const arne_muscle_spec m = arne_robot_muscle(robot, biceps);
    const arne_path_point  p = arne_muscle_point(robot, biceps, 1),
                          x = arne_muscle_point(robot, biceps, 2);
    assert_int_equal(biceps, 1);
    assert_int_equal(m.law.kind, ARNE_MUSCLE_THELEN);
    assert_true(m.law.max_force == 600 && m.law.velocity_shape == 0.25 && m.point_count == 3);
    assert_string_equal(p.joint, "elbow");
    assert_true(p.lower == -0.5 && p.upper == 1 && p.position.y == 0.05);
    assert_string_equal(x.follows[0], "elbow");
    assert_null(x.follows[1]);
    assert_true(x.functions[0].factor == 2 && x.functions[0].x[3] == 3);
    const arne_path_wrap use = arne_muscle_wrap(robot, 0, 1);
    assert_string_equal(use.wrap, "egg");
    assert_true(use.first == 0 && use.last == 1);
    const arne_wrap_spec pulley = arne_robot_wrap(robot, 0);
    assert_true(pulley.side == ARNE_WRAP_MINUS_Y && pulley.size[1] == 0.1);
    assert_string_equal(pulley.link, "upper");
    assert_int_equal(arne_find_muscle(robot, "no"), -1);
    arne_robot_free(robot);
}

static void muscles_are_written_without_loss(void **unused)
{
    arne_robot *robot = arm_robot(ARM), *again = NULL;
    char       *text = NULL;
    size_t      size = 0;
    arne_error  error = {0};
    (void)unused;
    arne_builder *b = NULL;
    assert_ok(arne_builder_new(&b));
    assert_ok_or(arne_builder_add_robot(b, robot, &error), &error);
    again = finish(b, NULL);
    assert_same_bytes(robot, again);
    arne_robot_free(again);
    assert_ok_or(arne_robot_text(robot, ARNE_FORMAT_YAML, NULL, NULL, &text, &size, &error),
                 &error);
    again = arm_robot(text);
    assert_same_bytes(robot, again);
    free(text);
    arne_builder_free(b);
    arne_robot_free(again);
    arne_robot_free(robot);
}

static void scaled_muscles_are_longer(void **unused)
{
    arne_builder *b = arm_builder(ARM);
    (void)unused;
    assert_ok(arne_builder_scale(b, 2, 3));
    arne_robot            *robot = finish(b, NULL);
    const arne_muscle_spec m = arne_robot_muscle(robot, 1), s = arne_robot_muscle(robot, 3);
    const arne_path_point  p = arne_muscle_point(robot, 1, 2);
    assert_true(m.law.max_force == 1800 && m.law.fibre_length == 0.2 && m.law.slack_length == 0.4);
    assert_true(p.position.y == 0.04 && p.functions[0].factor == 4);
    assert_true(s.law.stiffness == 150 && s.law.dissipation == 0.05);
    assert_true(arne_robot_wrap(robot, 0).size[0] == 0.04);
    arne_builder_free(b);
    arne_robot_free(robot);
}

// ---- what is refused ----

#define TWO "points: [{link: base}, {link: fore}]"
#define THELEN "law: thelen, max_force: 1, fibre_length: 1, slack_length: 1"

typedef struct bad_muscle {
    const char *text, *says;
} bad_muscle;

static const bad_muscle bad[] = {
    {"  - {name: a, law: hill, " TWO "}\n", "hill"},
    {"  - {name: a, law: thelen, max_force: -1, fibre_length: 1, slack_length: 1, " TWO "}\n",
     "max_force must be positive"},
    {"  - {name: a, law: millard, max_force: 1, fibre_length: 0, slack_length: 1, " TWO "}\n",
     "fibre_length must be positive"},
    {"  - {name: a, law: degroote, max_force: 1, fibre_length: 1, " TWO "}\n",
     "slack_length must be positive, unless"},
    {"  - {name: a, " THELEN ", pennation: 1.5, " TWO "}\n", "pennation"},
    {"  - {name: a, " THELEN ", active_width: 1, " TWO "}\n", "active_width"},
    {"  - {name: a, " THELEN ", points: [{link: base}]}\n", "two points"},
    {"  - {name: a, " THELEN ", points: [{link: base}, {link: base}]}\n", "no length"},
    {"  - {name: a, " THELEN ", points: [{link: base}, {link: hand}]}\n", "'hand'"},
    {"  - {name: a, " THELEN ", " TWO ", wraps: [{wrap: none}]}\n", "no surface 'none'"},
    {"  - {name: a, " THELEN ", " TWO ", wraps: [{wrap: ball, points: [2, 2]}]}\n", "from point 2"},
    {"  - {name: a, " THELEN ", points: [{link: base}, {link: fore, while: {joint: knee, lower: 0, "
     "upper: 1}}]}\n",
     "no joint 'knee'"},
    {"  - {name: a, " THELEN ", points: [{link: base}, {link: fore, while: {joint: elbow, lower: "
     "1, upper: 0}}]}\n",
     "range is empty"},
    {"  - {name: a, " THELEN ", points: [{link: base}, {link: fore, y: {joint: elbow, spline: {x: "
     "[1, 0], y: [1, 2]}}}]}\n",
     "must increase"},
    {"  - {name: a, law: ligament, max_force: 1, slack_length: 1, " TWO "}\n", "curve is missing"},
    {"  - {name: a, law: millard, max_force: 1, fibre_length: 1, slack_length: 1, velocity: [0, 2, "
     "1, 0, 0.1, 1.4, 1, 1], " TWO "}\n",
     "slopes of `velocity`"},
    {"  - {name: biceps, " THELEN ", " TWO "}\n", "two muscles"},
};

static void bad_muscles_are_refused(void **unused)
{
    char text[8192];
    int  line = 1;
    (void)unused;
    for (const char *c = ARM; *c; c++)
        line += *c == '\n';
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        arne_builder *b = NULL;
        arne_robot   *robot = NULL;
        arne_error    error = {0};
        strcpy(text, ARM);
        strcat(text, bad[i].text);
        assert_ok(arne_builder_new(&b));
        arne_status status = arne_read_text(b, text, strlen(text), "arm.yaml", &error);
        if (!status) status = arne_builder_finish(b, NULL, &robot, &error);
        if (!status || !strstr(error.text, bad[i].says) || error.line != line)
            fail_msg("%s: %d at line %d: %s", bad[i].says, (int)status, error.line, error.text);
        assert_null(robot);
        arne_builder_free(b);
    }
}

static void note_wrap(void *context, const arne_warning *w)
{
    if (!strcmp(w->rule, "wrap")) ++*(int *)context;
}

static void points_inside_of_surfaces_are_told(void **unused)
{
    const char *const inside = "  - {name: a, " THELEN ", wraps: [{wrap: ball}], points: [{link: "
                               "base}, {link: upper, position: [0.2, 0.1, 0.025]}]}\n";
    char              text[8192];
    int               told = 0;
    arne_robot       *robot = NULL;
    (void)unused;
    strcpy(text, ARM);
    strcat(text, inside);
    arne_builder            *b = arm_builder(text);
    const arne_build_options options = {.warn = note_wrap, .warn_context = &told};
    assert_ok(arne_builder_finish(b, &options, &robot, NULL));
    assert_int_equal(told, 1);
    arne_builder_free(b);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_say_all_of_a_muscle),
        cmocka_unit_test(muscles_are_written_without_loss),
        cmocka_unit_test(scaled_muscles_are_longer),
        cmocka_unit_test(bad_muscles_are_refused),
        cmocka_unit_test(points_inside_of_surfaces_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
