// The URDF reader: what it takes from a file, and what it says about files that are not right.
#include "reading.h"

// The two links that most texts need.
#define LINKS "<link name='a'/><link name='b'/>"
#define ENDS "<parent link='a'/><child link='b'/>"
#define LIMIT "<limit lower='-1' upper='1' velocity='2' effort='3'/>"
#define INERTIA "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
#define ROBOT(inside) "<robot name='r'>\n" inside "\n</robot>"
#define JOINT(type, inside)                                                                        \
    ROBOT(LINKS "\n<joint name='j' type='" type "'>\n" ENDS "\n" inside "\n</joint>")

// ---- what is read

static void every_joint_type(void **unused)
{
    (void)unused;
    static const struct {
        const char     *text;
        arne_joint_kind kind;
        int             q_count;
    } cases[] = {
        {JOINT("revolute", LIMIT), ARNE_JOINT_REVOLUTE, 1},
        {JOINT("continuous", ""), ARNE_JOINT_CONTINUOUS, 1},
        {JOINT("prismatic", LIMIT), ARNE_JOINT_PRISMATIC, 1},
        {JOINT("planar", ""), ARNE_JOINT_PLANAR, 3},
        {JOINT("floating", ""), ARNE_JOINT_FREE, 7},
        {JOINT("fixed", ""), ARNE_JOINT_FIXED, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        reading r = read_with(arne_read_urdf, cases[i].text);
        assert_good(&r);
        assert_int_equal(joint_of(&r, "j").kind, cases[i].kind);
        assert_int_equal(arne_robot_sizes(r.robot).q_count, cases[i].q_count);
        assert_null(strstr(r.warnings, "[limit]"));
        end_reading(&r);
    }
}

static void all_of_a_joint(void **unused)
{
    (void)unused;
    reading r = read_with(
        arne_read_urdf,
        ROBOT(LINKS "<link name='c'/>"
                    "<joint name='j' type='revolute'>" ENDS
                    "<origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/>"
                    "<axis xyz='0 1 0'/><limit lower='-0.5' upper='1.5' velocity='2' effort='30'/>"
                    "<dynamics damping='0.1' friction='0.2'/><calibration rising='1'/>"
                    "<safety_controller k_velocity='1'/></joint>"
                    "<joint name='k' type='prismatic'><parent link='b'/><child link='c'/>"
                    "<limit upper='0.04' velocity='1' effort='1'/>"
                    "<mimic joint='j' multiplier='-2' offset='0.25'/></joint>"));
    assert_good(&r);
    const arne_joint_spec j = joint_of(&r, "j"), k = joint_of(&r, "k");
    assert_string_equal(j.parent, "a");
    assert_string_equal(j.child, "b");
    assert_vec3(j.origin.p, 1, 2, 3);
    assert_vec3(j.origin.R.x, 0, 1, 0); // exactly, though the angle has 16 digits only
    assert_vec3(j.origin.R.y, -1, 0, 0);
    assert_vec3(j.origin.R.z, 0, 0, 1);
    assert_vec3(j.axis, 0, 1, 0);
    assert_true(j.lower == -0.5 && j.upper == 1.5 && j.velocity == 2 && j.effort == 30);
    assert_true(j.viscous == 0.1 && j.coulomb_positive == 0.2 && j.coulomb_negative == 0.2);
    assert_null(j.mimic);
    assert_vec3(k.axis, 1, 0, 0);                 // URDF's default
    assert_true(k.lower == 0 && k.upper == 0.04); // likewise
    assert_string_equal(k.mimic, "j");
    assert_true(k.mimic_ratio == -2 && k.mimic_offset == 0.25);
    assert_int_equal(arne_robot_sizes(r.robot).q_count, 1);
    end_reading(&r);
}

static void all_of_a_link(void **unused)
{
    (void)unused;
    reading r = read_good(
        arne_read_urdf,
        "<?xml version='1.0' encoding='UTF-8'?>\n<!-- a comment -->\n"
        "<robot name='arm' version='1.0' xmlns:xacro='http://ros.org/wiki/xacro'>"
        "<material name='grey'><color rgba='1 1 1 1'/></material>"
        "<link name='a'><inertial><origin xyz='0.1 0.2 0.3' rpy='0.1 -0.2 0.3'/><mass value='2.5'/>"
        "<inertia ixx='1' iyy='2' izz='2.5' ixy='0.1' ixz='0.2' iyz='0.3'/></inertial>"
        "<visual><geometry><mesh filename='$(find x)/a.stl'/></geometry></visual>"
        "<visual/><collision><geometry><box size='1 1 1'/></geometry></collision></link>"
        "<transmission name='t'><actuator name='m'/></transmission>"
        "<gazebo reference='a'><mu1>0.2</mu1></gazebo><sensor name='s'/></robot>");
    assert_string_equal(arne_robot_name(r.robot), "arm");
    const arne_body_spec a = body_of(&r, "a");
    assert_true(a.mass == 2.5 && !a.about_origin);
    assert_vec3(a.com, 0.1, 0.2, 0.3);
    const double inertia[6] = {1, 2, 2.5, 0.1, 0.2, 0.3};
    assert_memory_equal(a.inertia, inertia, sizeof inertia);
    // Rz(0.3) Ry(-0.2) Rx(0.1), column by column
    const double axes[9] = {
        0.93629336358419923,  0.28962947762551555, 0.19866933079506122,
        -0.31299182578546797, 0.94470248599489426, 0.09784339500725571,
        -0.15934507930797789, -0.1537919979889642, 0.97517032720181596,
    };
    assert_near(&a.inertia_axes.x.x, axes, 9, 1e-15);
    end_reading(&r);
}

// An inertia in a rotated frame is the same as its rotated tensor in a frame that is not rotated.
static void inertia_is_turned(void **unused)
{
    (void)unused;
    static const char text[] =
        "<robot name='r'><link name='a'><inertial><origin rpy='0 0 1.5707963267948966'/>"
        "<mass value='1'/><inertia ixx='1' iyy='2' izz='2.5' ixy='0.25' ixz='0.5' iyz='0.125'/>"
        "</inertial></link></robot>";
    reading               r = read_good(arne_read_urdf, text);
    const arne_frame_info a = arne_robot_frame(r.robot, 0);
    const double          wanted[6] = {2, 1, 2.5, -0.25, -0.125, 0.5};
    assert_near(a.inertia, wanted, 6, 1e-15);
    end_reading(&r);
}

static void quaternion_origin(void **unused)
{
    (void)unused;
    static const char text[] =
        JOINT("fixed", "<origin xyz='1 2 3' quat_xyzw='0 0 0.7071067811865476"
                       " 0.7071067811865476'/>");
    const arne_pose wanted = {{{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}, {1, 2, 3}};
    reading         r = read_good(arne_read_urdf, text);
    assert_pose(joint_of(&r, "j").origin, wanted);
    end_reading(&r);
}

static void joint_order_is_kept(void **unused)
{
    (void)unused;
    reading r = read_with(
        arne_read_urdf,
        ROBOT("<joint name='two' type='continuous'><parent link='a'/><child link='c'/></joint>"
              "<joint name='one' type='continuous'><parent link='a'/><child link='b'/></joint>"
              "<link name='c'/><link name='b'/><link name='a'/>"));
    assert_good(&r);
    assert_int_equal(joint_info(&r, "two").q_start, 0);
    assert_int_equal(joint_info(&r, "one").q_start, 1);
    end_reading(&r);
}

static void other_encodings(void **unused)
{
    (void)unused;
    reading r = read_good(arne_read_urdf, "<?xml version='1.0' encoding='ISO-8859-1'?>"
                                          "<robot name='b\xe4r'><link name='a'/></robot>");
    assert_string_equal(arne_robot_name(r.robot), "b\xc3\xa4r");
    end_reading(&r);
}

// ---- what is imperfect

static void warnings(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {JOINT("revolute", ""), "file:3: [limit] joint 'j'"},
        {JOINT("prismatic", ""), "file:3: [limit] joint 'j'"},
        {JOINT("revolute", "<limit velocity='1' effort='1'/>"), "file:5: [limit] joint 'j'"},
        {JOINT("fixed", "<mimic joint='k'/>"), "file:3: [mimic] joint 'j'"},
        {JOINT("fixed", "<spring k='1'/>"), "file:5: [unknown] joint 'j': unknown tag <spring>"},
        {JOINT("fixed", "\n<origin xyz='0 0 0' scale='2'/>"),
         "file:6: [unknown] joint 'j': unknown attribute 'scale' of <origin>"},
        {JOINT("fixed", "<axis xyz='0 0 1'>0 0 1</axis>"),
         "file:5: [unknown] joint 'j': text in <axis>"},
        {ROBOT("<link name='a' colour='red'/>"),
         "file:2: [unknown] link 'a': unknown attribute 'colour' of <link>"},
        {ROBOT("<link name='a'><contact><x/><y/></contact></link>"),
         "file:2: [unknown] link 'a': unknown tag <contact>"},
        {ROBOT("<link name='a'/>\n<group><link name='b'/></group>"),
         "file:3: [unknown] unknown tag <group>"},
        {JOINT("continuous", "<axis xyz='0 0 2'/>"), "file:3: [axis]"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        reading r = read_with(arne_read_urdf, cases[i].text);
        assert_good(&r);
        assert_says(r.warnings, cases[i].says);
        end_reading(&r);
    }
}

static void silence_where_nothing_is_wrong(void **unused)
{
    (void)unused;
    reading r = read_with(arne_read_urdf, JOINT("continuous", "<limit velocity='1' effort='1'/>"));
    assert_good(&r);
    assert_null(strstr(r.warnings, "[limit]"));
    assert_null(strstr(r.warnings, "[unknown]"));
    end_reading(&r);
}

static void strict_refuses_warnings(void **unused)
{
    (void)unused;
    const arne_build_options options = {.strict = 1};
    arne_builder            *builder = NULL;
    arne_robot              *robot = NULL;
    arne_error               error;
    const char              *text = ROBOT("<link name='a'/>\n<oddity/>");
    assert_int_equal(arne_builder_new(&builder), ARNE_OK);
    assert_int_equal(arne_read_urdf(builder, text, strlen(text), "file", &error), ARNE_OK);
    assert_int_equal(arne_builder_finish(builder, &options, &robot, &error), ARNE_STRICT);
    assert_null(robot);
    assert_int_equal(error.line, 3);
    assert_says(error.text, "<oddity>");
    arne_builder_free(builder);
}

static void many_warnings_are_cut_short(void **unused)
{
    (void)unused;
    char   *text = repeated("<robot name='r'><link name='a'/>", "<x/>", 100000, "</robot>");
    reading r = read_with(arne_read_urdf, text);
    assert_good(&r);
    assert_int_equal(r.warning_count, 1001);
    end_reading(&r);
    free(text);
}

// ---- what is wrong

static void bad_xml(void **unused)
{
    (void)unused;
    static const bad_text bad[] = {
        {"", ARNE_SYNTAX, 1, "not well-formed XML: the file is empty"},
        {"hello", ARNE_SYNTAX, 1, "not well-formed XML"},
        {"<robot name='r'>\n<link name='a'>\n</robot>", ARNE_SYNTAX, 3, "mismatched tag"},
        {"<robot name='r'>\n<link name='a'/>", ARNE_SYNTAX, 2,
         "the file ends before its tags are closed"},
        {"<robot name='r'><link name='a' name='b'/></robot>", ARNE_SYNTAX, 1,
         "duplicate attribute"},
        {"<robot name='r'>\n&undefined;</robot>", ARNE_SYNTAX, 2, "undefined entity"},
        {"<!DOCTYPE robot SYSTEM 'robot.dtd'>\n<robot name='&r;'/>", ARNE_UNSUPPORTED, 1,
         "<!DOCTYPE>"},
        {"<!DOCTYPE r [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'>"
         "<!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;'>]><robot name='&c;'/>",
         ARNE_UNSUPPORTED, 1, "entities"},
        {"<robot name='r'>\n<xacro:macro name='m'/></robot>", ARNE_UNSUPPORTED, 2,
         "this is a xacro file: its name must end in .xacro"},
        {ROBOT("<link name='a'><inertial><mass value='${m}'/></inertial></link>"), ARNE_UNSUPPORTED,
         2, "xacro"},
        {"<sdf version='1.6'><model name='m'/></sdf>", ARNE_UNSUPPORTED, 1, "SDF"},
        {"<mujoco><worldbody/></mujoco>", ARNE_UNSUPPORTED, 1, "<mujoco>"},
        {"<html><body/></html>", ARNE_UNSUPPORTED, 1, "<html>"},
    };
    assert_all_bad(arne_read_urdf, bad, COUNT(bad));
}

static void bad_links(void **unused)
{
    (void)unused;
#define MASS(value)                                                                                \
    ROBOT("<link name='a'><inertial>\n<mass value='" value "'/>" INERTIA "</inertial></link>")
    static const bad_text bad[] = {
        {ROBOT("<link/>"), ARNE_VALUE, 2, "<link> needs the attribute 'name'"},
        {ROBOT("<link name=''/>"), ARNE_VALUE, 2, "'name' of <link> is empty"},
        {MASS("nan"), ARNE_VALUE, 3, "link 'a': value of <mass>: 'nan' is not a finite number"},
        {MASS("-inf"), ARNE_VALUE, 3, "not a finite number"},
        {MASS("1e999"), ARNE_VALUE, 3, "'1e999' is not a finite number"},
        {MASS("heavy"), ARNE_VALUE, 3, "'heavy' is not a number"},
        {MASS("0x10"), ARNE_VALUE, 3, "'0x10' is not a number"},
        {MASS("1,5"), ARNE_VALUE, 3, "'1,5' is not a number"},
        {MASS("1 2"), ARNE_VALUE, 3, "value of <mass> needs 1 number, has 2"},
        {MASS(""), ARNE_VALUE, 3, "value of <mass> needs 1 number, has 0"},
        {MASS("-1"), ARNE_MODEL, 2, "'a'"},
        {ROBOT("<link name='a'><inertial>\n<mass/>" INERTIA "</inertial></link>"), ARNE_VALUE, 3,
         "link 'a': <mass> needs the attribute 'value'"},
        {ROBOT("<link name='a'>\n<inertial>" INERTIA "</inertial></link>"), ARNE_VALUE, 3,
         "link 'a': <inertial> has no <mass>"},
        {ROBOT("<link name='a'>\n<inertial><mass value='1'/></inertial></link>"), ARNE_VALUE, 3,
         "link 'a': <inertial> has no <inertia>"},
        {ROBOT("<link name='a'/>\n<link name='a'/>"), ARNE_MODEL, 3, "'a'"},
        {ROBOT("<link name='a'><inertial><mass value='1'/>"
               "<inertia ixx='-1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"),
         ARNE_MODEL, 2, "'a'"},
    };
    assert_all_bad(arne_read_urdf, bad, COUNT(bad));
}

static void bad_joints(void **unused)
{
    (void)unused;
    static const bad_text bad[] = {
        {ROBOT(LINKS "<joint name='j'>" ENDS "</joint>"), ARNE_VALUE, 2,
         "joint 'j': <joint> needs the attribute 'type'"},
        {JOINT("hinge", ""), ARNE_VALUE, 3, "joint 'j': unknown joint type 'hinge'"},
        {ROBOT(LINKS "\n<joint name='j' type='fixed'><child link='b'/></joint>"), ARNE_VALUE, 3,
         "joint 'j': there is no <parent>"},
        {ROBOT(LINKS "\n<joint name='j' type='fixed'><parent link='a'/></joint>"), ARNE_VALUE, 3,
         "joint 'j': there is no <child>"},
        {ROBOT(LINKS "<joint name='j' type='fixed'>\n<parent/><child link='b'/></joint>"),
         ARNE_VALUE, 3, "joint 'j': <parent> needs the attribute 'link'"},
        {JOINT("fixed", "<origin xyz='1 2'/>"), ARNE_VALUE, 5,
         "joint 'j': xyz of <origin> needs 3 numbers, has 2"},
        {JOINT("fixed", "<origin rpy='1 2 3 4'/>"), ARNE_VALUE, 5,
         "rpy of <origin> needs 3 numbers, has 4"},
        {JOINT("fixed", "<origin xyz='1 2 x'/>"), ARNE_VALUE, 5,
         "joint 'j': xyz of <origin>: 'x' is not"},
        {JOINT("fixed", "<origin xyz='1 NaN 3'/>"), ARNE_VALUE, 5, "'NaN' is not a finite number"},
        {JOINT("fixed", "<origin rpy='1 inf 3'/>"), ARNE_VALUE, 5, "'inf' is not a finite number"},
        {JOINT("fixed", "<origin quat_xyzw='0 0 0 1.00001'/>"), ARNE_VALUE, 5,
         "length 1.00001; it must be a unit quaternion"},
        {JOINT("fixed", "<origin quat_xyzw='0 0 1'/>"), ARNE_VALUE, 5, "needs 4 numbers, has 3"},
        {JOINT("fixed", "<origin rpy='0 0 0' quat_xyzw='0 0 0 1'/>"), ARNE_VALUE, 5,
         "both rpy and quat_xyzw"},
        {JOINT("continuous", "<axis xyz='0 0 0'/>"), ARNE_MODEL, 3, "'j'"},
        {JOINT("revolute", "<limit lower='a'/>"), ARNE_VALUE, 5,
         "joint 'j': lower of <limit>: 'a'"},
        {JOINT("revolute", "<limit lower='0' upper='1' velocity='nan' effort='1'/>"), ARNE_VALUE, 5,
         "velocity of <limit>: 'nan'"},
        {JOINT("revolute", LIMIT "<dynamics damping='inf'/>"), ARNE_VALUE, 5,
         "damping of <dynamics>: 'inf'"},
        {JOINT("revolute", LIMIT "<mimic multiplier='2'/>"), ARNE_VALUE, 5,
         "joint 'j': <mimic> needs the attribute 'joint'"},
        {ROBOT("<link name='a'/>\n<joint name='j' type='fixed'>" ENDS "</joint>"), ARNE_MODEL, 3,
         "'b'"},
        {ROBOT(LINKS), ARNE_MODEL, 2, "root"},
    };
    assert_all_bad(arne_read_urdf, bad, COUNT(bad));
}

static void control_characters_stay_out_of_messages(void **unused)
{
    (void)unused;
    static const bad_text bad[] = {
        {ROBOT("<link name='a&#10;b&#9;c'><inertial/></link>"), ARNE_VALUE, 2, "link 'a?b?c'"},
    };
    assert_all_bad(arne_read_urdf, bad, COUNT(bad));
}

// ---- limits

static void deep_tags(void **unused)
{
    (void)unused;
    char    *text = repeated("<robot name='r'>", "\n<link name='a'>", 100000, "");
    bad_text bad = {text, ARNE_TOO_LARGE, 257, "nested deeper than 256"};
    assert_all_bad(arne_read_urdf, &bad, 1);
    free(text);
}

static void too_many_tags(void **unused)
{
    (void)unused;
    char    *text = repeated("<robot name='r'><gazebo>", "<x/>", 1000001, "</gazebo></robot>");
    bad_text bad = {text, ARNE_TOO_LARGE, 1, "more than 1000000 tags"};
    assert_all_bad(arne_read_urdf, &bad, 1);
    free(text);
}

static void endless_tags(void **unused)
{
    (void)unused;
    char    *attributes = repeated("<robot name='r' ", "a='1' ", 1000, "/>");
    char    *tag = repeated("<robot name='r'>\n<link name='", "x", 3 << 20, "'/></robot>");
    char    *comment = repeated("<robot name='r'>\n<!--", "x", 3 << 20, "</robot>");
    bad_text bad[] = {
        {attributes, ARNE_SYNTAX, 1, "duplicate attribute"},
        {tag, ARNE_TOO_LARGE, 2, "longer than 1024 KiB"},
        {comment, ARNE_TOO_LARGE, 2, "longer than 1024 KiB"},
    };
    assert_all_bad(arne_read_urdf, bad, COUNT(bad));
    free(attributes);
    free(tag);
    free(comment);
}

static void too_many_attributes(void **unused)
{
    (void)unused;
    char  text[20000] = "<robot name='r' ";
    char *end = text + strlen(text);
    for (int i = 0; i < 1000; i++)
        end += snprintf(end, 16, "a%d='1' ", i);
    snprintf(end, 16, "/>");
    const bad_text bad = {text, ARNE_TOO_LARGE, 1, "more than 1000 attributes"};
    assert_all_bad(arne_read_urdf, &bad, 1);
}

// Tags that are split between two of the chunks that the reader hands to the parser.
static void a_large_file_is_read_whole(void **unused)
{
    (void)unused;
    char   *text = repeated("<robot name='r'>\n<link name='a'>", "<visual/><!-- seen -->\n", 60000,
                            "</link>\n</robot>");
    reading r = read_with(arne_read_urdf, text);
    assert_good(&r);
    assert_int_equal(r.warning_count, 0);
    end_reading(&r);
    free(text);
}

static void too_many_bytes(void **unused)
{
    (void)unused;
    arne_builder *builder = NULL;
    arne_error    error;
    assert_int_equal(arne_builder_new(&builder), ARNE_OK);
    assert_int_equal(arne_read_urdf(builder, "", (size_t)100 << 20, "file", &error),
                     ARNE_TOO_LARGE);
    assert_says(error.text, "64 MiB");
    arne_builder_free(builder);
}

int main(void)
{
    if (!READERS_ARE_BUILT) return print_readers_missing();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_joint_type),
        cmocka_unit_test(all_of_a_joint),
        cmocka_unit_test(all_of_a_link),
        cmocka_unit_test(inertia_is_turned),
        cmocka_unit_test(quaternion_origin),
        cmocka_unit_test(joint_order_is_kept),
        cmocka_unit_test(other_encodings),
        cmocka_unit_test(warnings),
        cmocka_unit_test(silence_where_nothing_is_wrong),
        cmocka_unit_test(strict_refuses_warnings),
        cmocka_unit_test(many_warnings_are_cut_short),
        cmocka_unit_test(bad_xml),
        cmocka_unit_test(bad_links),
        cmocka_unit_test(bad_joints),
        cmocka_unit_test(control_characters_stay_out_of_messages),
        cmocka_unit_test(deep_tags),
        cmocka_unit_test(too_many_tags),
        cmocka_unit_test(endless_tags),
        cmocka_unit_test(too_many_attributes),
        cmocka_unit_test(a_large_file_is_read_whole),
        cmocka_unit_test(too_many_bytes),
    };
    return cmocka_run_group_tests_name("urdf", tests, NULL, NULL);
}
