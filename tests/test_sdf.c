// SDF: poses, axes by version, joints, loops and includes; mistakes have their line.
// tests/corpora/sdf.py has public models.
#include "reading.h"
#include "robot/builder.h"
#include <arne/io.h>
#include <arne/robot.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// A robot from what is inside of <sdf>; NULL with *error where it is refused.
static arne_robot *read_sdf(const char *version, const char *inside, const char *arguments,
                            arne_error *error)
{
    char          text[4000], name[100];
    arne_builder *builder = NULL;
    arne_robot   *robot = NULL;
    snprintf(text, sizeof text, "<sdf version='%s'>%s</sdf>", version, inside);
    snprintf(name, sizeof name, "tests/data/sdf/t.sdf%s", arguments);
    assert_int_equal(arne_builder_new(&builder), ARNE_OK);
    arne_status status = arne_read_text(builder, text, strlen(text), name, error);
    if (!status) status = arne_builder_finish(builder, NULL, &robot, error);
    arne_builder_free(builder);
    assert_int_equal(status != ARNE_OK, robot == NULL);
    return robot;
}

static arne_robot *good(const char *version, const char *inside, const char *arguments)
{
    arne_error  error = {0};
    arne_robot *robot = read_sdf(version, inside, arguments, &error);
    if (!robot) fail_msg("%s: line %d: %s", inside, error.line, error.text);
    return robot;
}

static void refused(const char *version, const char *inside, int line, const char *says)
{
    arne_error  error = {0};
    arne_robot *robot = read_sdf(version, inside, "", &error);
    if (robot) fail_msg("%s: is taken", inside);
    assert_int_equal(error.line, line);
    if (!strstr(error.text, says)) fail_msg("%s: %s", inside, error.text);
}

static arne_joint_info info_of(const arne_robot *robot, const char *name)
{
    const int i = arne_find_joint(robot, name);
    assert_true(i >= 0);
    return arne_robot_joint(robot, i);
}

static double mass_of(const arne_robot *robot, const char *link)
{
    arne_builder  *builder = NULL;
    arne_body_spec spec = {0};
    assert_int_equal(arne_builder_new(&builder), ARNE_OK);
    assert_int_equal(arne_builder_add_robot(builder, robot, NULL), ARNE_OK);
    assert_int_equal(arne_builder_get_body(builder, link, &spec), ARNE_OK);
    arne_builder_free(builder);
    return spec.mass;
}

// The axis is that of the model up to 1.4, of the joint from 1.5 on, and what the file says.
static void axes_follow_the_version(void **unused)
{
    (void)unused;
    static const struct {
        const char *version, *axis;
        double      y; // of the axis in the child, which is turned by pi/2 about x
    } cases[] = {
        {"1.4", "<xyz>0 0 1</xyz>", 1},
        {"1.5", "<xyz>0 0 1</xyz>", 0},
        {"1.6", "<xyz>0 0 2</xyz><use_parent_model_frame>true</use_parent_model_frame>", 1},
        {"1.7", "<xyz expressed_in='__model__'>0 0 1</xyz>", 1},
        {"1.12", "<xyz expressed_in='b'>0 0 1</xyz>", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "<model name='m'><link name='a'/><link name='b'><pose>0 0 1 1.5707963267948966 0 "
                 "0</pose></link><joint name='j' type='revolute'><parent>a</parent><child>b</child>"
                 "<axis>%s</axis></joint></model>",
                 cases[i].axis);
        arne_robot           *robot = good(cases[i].version, text, "");
        const arne_joint_info j = info_of(robot, "j");
        assert_true(fabs(j.axis.y - cases[i].y) < 1e-12);
        assert_true(fabs(j.axis.z - (1 - cases[i].y)) < 1e-12);
        assert_int_equal(j.kind, ARNE_JOINT_CONTINUOUS);
        arne_robot_free(robot);
    }
}

static void joints_are_read(void **unused)
{
    (void)unused;
    arne_robot *robot = good(
        "1.11",
        "<model name='m'><link name='a'/><link name='b'/><link name='c'/><link name='d'/>"
        "<link name='e'/><link name='f'/>"
        "<joint name='g' type='fixed'><parent>world</parent><child>a</child></joint>"
        "<joint name='s' type='screw'><parent>a</parent><child>b</child><axis/>"
        "<screw_thread_pitch>0.5</screw_thread_pitch></joint>"
        "<joint name='u' type='universal'><parent>b</parent><child>c</child><axis><xyz>1 0 0</xyz>"
        "</axis><axis2><xyz>0 1 0</xyz></axis2></joint>"
        "<joint name='o' type='ball'><parent>c</parent><child>d</child></joint>"
        "<joint name='p' type='prismatic'><parent>d</parent><child>e</child><axis><xyz>0 0 1</xyz>"
        "<limit><lower>-1e16</lower><upper>2</upper><effort>-1</effort></limit><dynamics>"
        "<damping>3</damping><spring_stiffness>40</spring_stiffness><spring_reference>0.1"
        "</spring_reference></dynamics></axis></joint>"
        "<joint name='q' type='revolute'><parent>e</parent><child>f</child><axis><mimic joint='p'>"
        "<multiplier>2</multiplier><offset>1</offset><reference>0.25</reference></mimic></axis>"
        "</joint></model>",
        "");
    const arne_joint_info s = info_of(robot, "s"), p = info_of(robot, "p"), q = info_of(robot, "q");
    assert_int_equal(arne_robot_sizes(robot).v_count, 1 + 2 + 3 + 1);
    assert_true(fabs(s.pitch - 0.5 / (2 * 3.14159265358979323846)) < 1e-15);
    assert_true(isinf(p.lower) && p.upper == 2 && isinf(p.effort) && p.viscous == 3);
    assert_int_equal(arne_robot_sizes(robot).spring_count, 1);
    assert_true(q.mimic_ratio == 2 && fabs(q.mimic_offset - 0.5) < 1e-15);
    assert_true(arne_find_joint(robot, "u_2") >= 0);
    arne_robot_free(robot);
}

static void links_float_or_not(void **unused)
{
    (void)unused;
    arne_robot *robot = good("1.7", "<model name='m'><link name='a'/></model>", "");
    assert_int_equal(arne_robot_sizes(robot).v_count, 6);
    arne_robot_free(robot);
    robot = good("1.7", "<model name='m'><link name='a'/><link name='b'/></model>", "");
    assert_int_equal(arne_robot_sizes(robot).v_count, 12);
    arne_robot_free(robot);
    robot = good("1.7", "<model name='m'><static>true</static><link name='a'/></model>", "");
    assert_int_equal(arne_robot_sizes(robot).v_count, 0);
    arne_robot_free(robot);
}

#define ARM                                                                                        \
    "<link name='a'/><link name='b'/><link name='c'/>"                                             \
    "<joint name='g' type='fixed'><parent>world</parent><child>a</child></joint>"                  \
    "<joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz>"     \
    "</axis></joint><joint name='k' type='revolute'><parent>a</parent><child>c</child>"            \
    "<axis><xyz>0 1 0</xyz></axis></joint>"

// A second joint to a link is a loop; a gearbox couples two joints.
static void loops_and_gears(void **unused)
{
    (void)unused;
    arne_robot *robot =
        good("1.6",
             "<model name='m'>" ARM "<joint name='l' type='revolute'><parent>b</parent>"
             "<child>c</child><axis><xyz>0 1 0</xyz></axis></joint></model>",
             "");
    assert_int_equal(arne_robot_sizes(robot).loop_count, 1);
    arne_robot_free(robot);
    robot = good("1.6",
                 "<model name='m'>" ARM "<joint name='l' type='gearbox'><parent>b</parent>"
                 "<child>c</child><gearbox_ratio>3</gearbox_ratio><gearbox_reference_body>a"
                 "</gearbox_reference_body><axis><xyz>0 1 0</xyz></axis><axis2><xyz>0 1 0</xyz>"
                 "</axis2></joint></model>",
                 "");
    assert_true(info_of(robot, "k").mimic_ratio == -3);
    assert_int_equal(arne_robot_sizes(robot).v_count, 1);
    arne_robot_free(robot);
}

static void inertia_has_defaults(void **unused)
{
    (void)unused;
    arne_robot *robot = good("1.7", "<model name='m'><link name='a'/></model>", "");
    assert_true(mass_of(robot, "a") == 1);
    arne_robot_free(robot);
    robot =
        good("1.11",
             "<model name='m'><link name='a'><inertial auto='true'><density>2</density></inertial>"
             "<collision name='c'><pose>1 0 0 0 0 0</pose><geometry><box><size>1 2 3</size></box>"
             "</geometry></collision></link></model>",
             "");
    assert_true(fabs(mass_of(robot, "a") - 12) < 1e-12);
    arne_robot_free(robot);
}

static void models_of_a_world(void **unused)
{
    (void)unused;
    static const char world[] = "<world name='w'><gravity>0 0 -1</gravity>"
                                "<include><uri>model://sun</uri></include>"
                                "<model name='one'><link name='a'/></model>\n"
                                "<model name='two'><link name='b'/></model></world>";
    arne_robot       *robot = good("1.7", world, " model:=two");
    assert_string_equal(arne_robot_name(robot), "two");
    assert_true(arne_robot_gravity(robot).z == -1);
    arne_robot_free(robot);
    refused("1.7", world, 1, "say --model NAME (one, two)");
    robot = good("1.7",
                 "<world name='w'><!-- a -- b <!-- c --><model name='one'><link name='a'/><include>"
                 "<uri>model://nowhere</uri></include></model><model name='two'><link name='b'/>"
                 "<joint name='world' type='fixed'><parent>world</parent><child>b</child></joint>"
                 "</model></world>",
                 " model:=two");
    assert_int_equal(arne_robot_sizes(robot).v_count, 0);
    arne_robot_free(robot);
}

// model://, merge, and a file that includes itself.
static void includes_are_found(void **unused)
{
    (void)unused;
    arne_robot *robot = NULL;
    arne_error  error = {0};
    assert_int_equal(arne_robot_read("tests/data/sdf/hand.sdf", NULL, &robot, &error), ARNE_OK);
    assert_int_equal(arne_robot_sizes(robot).v_count, 2);
    assert_true(arne_find_joint(robot, "left::bend") >= 0);
    assert_true(arne_find_joint(robot, "bend") >= 0);
    arne_robot_free(robot);
    assert_int_equal(arne_robot_read("tests/data/sdf/self/model.sdf", NULL, &robot, &error),
                     ARNE_VALUE);
    assert_non_null(strstr(error.text, "nested deeper"));
}

static void mistakes_have_their_line(void **unused)
{
    (void)unused;
#define MODEL(inside) "<model name='m'><link name='a'/>\n" inside "</model>"
    refused("1.7", MODEL("<link name='a'/>"), 2, "is taken by the <link> of line 1");
    refused("1.7", MODEL("<link name='b'><pose relative_to='c'/></link>"), 2, "there is no 'c'");
    refused("1.7", MODEL("<frame name='f'><pose relative_to='f'/></frame>"), 2,
            "depends on itself");
    refused("1.7", MODEL("<frame name='f' attached_to='g'/><frame name='g' attached_to='f'/>"), 2,
            "itself");
    refused("1.7", MODEL("<joint name='j' type='fixed'><parent>a</parent></joint>"), 2,
            "there is no <child>");
    refused("1.7", MODEL("<joint name='j' type='fixed'><parent>a</parent><child>a</child></joint>"),
            2, "with itself");
    refused("1.7",
            MODEL("<joint name='j' type='fixed'><parent>a</parent><child>world</child></joint>"), 2,
            "the world cannot be");
    refused(
        "1.7",
        MODEL("<link name='b'/><joint name='j' type='revolut'><parent>a</parent><child>b</child>"
              "</joint>"),
        2, "unknown type 'revolut' (near matches: revolute");
    refused(
        "1.7",
        MODEL("<link name='b'/><joint name='j' type='revolute'><parent>a</parent><child>b</child>"
              "<axis>\n<xyz>0 0 0</xyz></axis></joint>"),
        3, "the axis is zero");
    refused("1.7", MODEL("<link name='b'><pose>1 2 3</pose></link>"), 2, "needs 6 numbers, has 3");
    refused("1.7", MODEL("<link name='__b__'/>"), 2, "is reserved");
    refused("1.7", MODEL("<include><uri>model://nowhere</uri></include>"), 2, "is not found");
    refused("1.7", "<model name='m'/>", 1, "has no link");
    refused("1.7", "<model name='m' canonical_link='b'><link name='a'/></model>", 1,
            "there is no 'b'");
    refused("1.2", "<model name='m'/>", 1, "1.4 to 1.12");
    refused("1.7", "", 1, "there is no model");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_follow_the_version), cmocka_unit_test(joints_are_read),
        cmocka_unit_test(links_float_or_not),      cmocka_unit_test(loops_and_gears),
        cmocka_unit_test(inertia_has_defaults),    cmocka_unit_test(models_of_a_world),
        cmocka_unit_test(includes_are_found),      cmocka_unit_test(mistakes_have_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
