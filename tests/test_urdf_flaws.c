// URDF files that people have: what is imperfect is read with a warning, all of it is told at once,
// and couplings of URDF+, chains of mimic joints and the notation beside a URDF give the dynamics
// that are meant.
#include "reading.h"

#define ROBOT(inside) "<robot name='r'>\n" inside "</robot>"
#define INERTIAL(i)                                                                                \
    "<inertial><mass value='1'/><inertia ixx='" i "' iyy='" i "' izz='" i                          \
    "' ixy='0' ixz='0' iyz='0'/></inertial>"
#define LINK(name) "<link name='" name "'>" INERTIAL("1") "</link>"
#define LIMIT "<limit lower='-1' upper='1' velocity='2' effort='3'/>"
#define JOINT(name, type, parent, child, inside)                                                   \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/>"  \
    "<origin xyz='0 0.5 0'/>" inside "</joint>"

// Reads with one warning, of this rule, that says this.
static reading warned(const char *text, const char *rule, const char *says)
{
    reading r = read_with(arne_read_urdf, text);
    char    tag[32];
    assert_good(&r);
    snprintf(tag, sizeof tag, "[%s]", rule);
    if (r.warning_count != 1) fail_msg("%d warnings:\n%s", r.warning_count, r.warnings);
    assert_says(r.warnings, tag);
    assert_says(r.warnings, says);
    return r;
}

static void limits_of_zero_are_not_given(void **unused)
{
    (void)unused;
    reading r = warned(ROBOT(LINK("a") LINK("b") JOINT("j", "revolute", "a", "b",
                                                       "<limit lower='-1' upper='1' velocity='2' "
                                                       "effort='0'/>")),
                       "limit", "joint 'j': effort is 0, which is taken as not given");
    assert_true(isinf(joint_info(&r, "j").effort) && joint_info(&r, "j").velocity == 2);
    assert_int_equal(joint_info(&r, "j").passive, 0);
    end_reading(&r);
    r = warned(ROBOT(LINK("a") LINK("b")
                         JOINT("j", "continuous", "a", "b", "<limit velocity='0' effort='5'/>")),
               "limit", "velocity is 0");
    assert_true(isinf(joint_info(&r, "j").velocity) && joint_info(&r, "j").effort == 5);
    end_reading(&r);
}

static void imperfect_files_are_read(void **unused)
{
    (void)unused;
    reading r = warned(ROBOT(LINK("a") LINK("b") JOINT("j", "revolute", "a", "b",
                                                       "<limit lower='2' upper='-1' velocity='2' "
                                                       "effort='3'/>")),
                       "limit", "joint 'j': lower is above upper (2, -1)");
    assert_true(joint_info(&r, "j").lower == -1 && joint_info(&r, "j").upper == 2);
    end_reading(&r);
    r = warned("<robot name=''>" LINK("a") "</robot>", "name", "no name");
    assert_string_equal(arne_robot_name(r.robot), "robot");
    end_reading(&r);
    r = warned("<robot>" LINK("a") "</robot>", "name", "no name");
    end_reading(&r);
    r = warned(ROBOT("<link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' "
                     "ixy='0' iyz='0'/></inertial></link>"),
               "inertia", "link 'a': <inertia> lacks ixy, ixz or iyz");
    end_reading(&r);
    r = warned(ROBOT(LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", LIMIT "<axis/>")), "axis",
               "joint 'j': <axis> has no xyz");
    assert_vec3(joint_of(&r, "j").axis, 1, 0, 0);
    end_reading(&r);
    r = warned(
        ROBOT("<link name='a'><visual><xacro:box size='${s}'/></visual>" INERTIAL("1") "</link>"),
        "xacro", "link 'a': leftovers of a xacro file");
    end_reading(&r);
    r = warned(
        ROBOT(LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", LIMIT "<origin xyz='9 9 9'/>")),
        "twice", "joint 'j': there are two <origin>; the first one counts");
    assert_vec3(joint_of(&r, "j").origin.p, 0, 0.5, 0);
    end_reading(&r);
    r = read_good(arne_read_urdf, ROBOT(LINK("a") LINK("b") JOINT("j", "spherical", "a", "b", "")));
    assert_int_equal(joint_info(&r, "j").kind, ARNE_JOINT_BALL);
    end_reading(&r);
}

// ---- inertias that are negative by next to nothing

static void tiny_negative_inertias_are_zero(void **unused)
{
    (void)unused;
    static const char *const tiny[] = {"-2e-35", "-5e-20", "-3.5e-8"};
    for (size_t i = 0; i < 2 * COUNT(tiny); i++) { // beside others of its link, and alone
        char text[1024];
        snprintf(
            text, sizeof text,
            ROBOT(LINK("a") "<link name='b'><inertial><origin xyz='0 0.1 0'/><mass value='1e-6'/>"
                            "<inertia ixx='%s' iyy='%s' izz='%s' ixy='0' ixz='0' iyz='0'/>"
                            "</inertial></link>" JOINT("j", "revolute", "a", "b", LIMIT)),
            tiny[i / 2], i % 2 ? "0" : "0.1", i % 2 ? "0" : "0.1");
        reading r = warned(text, "negative", "link 'b' has a negative principal value");
        assert_says(r.warnings, "taken as zero");
        const arne_frame_info b = arne_robot_frame(r.robot, arne_find_frame(r.robot, "b"));
        assert_true(b.inertia[0] == 0 && b.inertia[1] >= 0 && b.inertia[2] >= 0);
        end_reading(&r);
    }
}

static void negative_inertias_have_two_ways_out(void **unused)
{
    (void)unused;
#define BAD_BODY(more)                                                                             \
    "bodies: [{name: a}, {name: b, mass: 1, inertia: [-0.01, 1, 1]" more "}]\n"                    \
    "joints: [{name: j, kind: revolute, parent: a, child: b}]\n"
    reading r = read_with(arne_read_yaml, BAD_BODY(""));
    assert_int_equal(r.status, ARNE_MODEL);
    assert_says(r.error.text, "correct it");
    assert_says(r.error.text, "accept: negative");
    end_reading(&r);
    r = read_with(arne_read_yaml, BAD_BODY(", accept: negative"));
    assert_good(&r);
    assert_int_equal(r.warning_count, 1);
    assert_true(arne_robot_frame(r.robot, 1).inertia[0] == -0.01);
    end_reading(&r);
}

// ---- joints that follow others

// The dynamics of two robots that are the same mechanism agree.
static void assert_same_dynamics(const arne_robot *one, const arne_robot *two)
{
    const int  n = arne_robot_sizes(one).v_count;
    arne_work *work_one = NULL, *work_two = NULL;
    double     q[8], qd[8], qdd[8], tau_one[8], tau_two[8];
    assert_int_equal(n, arne_robot_sizes(two).v_count);
    assert_true(n > 0 && n <= 8);
    assert_int_equal(arne_work_new(one, &work_one), ARNE_OK);
    assert_int_equal(arne_work_new(two, &work_two), ARNE_OK);
    for (int i = 0; i < n; i++) {
        q[i] = 0.3 + 0.2 * i;
        qd[i] = 0.7 - 0.4 * i;
        qdd[i] = -0.5 + 0.3 * i;
    }
    arne_inverse_dynamics(one, work_one, q, qd, qdd, NULL, tau_one);
    arne_inverse_dynamics(two, work_two, q, qd, qdd, NULL, tau_two);
    assert_near(tau_one, tau_two, n, 1e-12);
    assert_true(fabs(tau_one[0]) > 1e-3);
    arne_work_free(work_one);
    arne_work_free(work_two);
}

// j2 follows j1 by 2 q + 0.1, j3 follows j2 by -3 q + 0.2: the same as j3 following j1 by -6 q -
// 0.1.
static void mimics_of_mimics_compose(void **unused)
{
    (void)unused;
#define CHAIN(third)                                                                               \
    ROBOT(                                                                                         \
        LINK("a") LINK("b") LINK("c") LINK("d") JOINT("j3", "continuous", "c", "d", third)         \
            JOINT("j2", "continuous", "b", "c", "<mimic joint='j1' multiplier='2' offset='0.1'/>") \
                JOINT("j1", "continuous", "a", "b", ""))
    reading chain =
        read_good(arne_read_urdf, CHAIN("<mimic joint='j2' multiplier='-3' offset='0.2'/>"));
    reading direct =
        read_good(arne_read_urdf, CHAIN("<mimic joint='j1' multiplier='-6' offset='-0.1'/>"));
    const arne_joint_info j3 = joint_info(&chain, "j3");
    assert_string_equal(arne_robot_joint(chain.robot, j3.mimic).name, "j1");
    assert_true(fabs(j3.mimic_ratio + 6) < 1e-15 && fabs(j3.mimic_offset + 0.1) < 1e-15);
    assert_same_dynamics(chain.robot, direct.robot);
    end_reading(&chain);
    end_reading(&direct);
}

#define COUPLING(name, predecessor, successor, ratio)                                              \
    "<coupling name='" name "'><predecessor link='" predecessor "'/><successor link='" successor   \
    "'/><ratio value='" ratio "'/></coupling>"
#define ROTOR(more, rest)                                                                          \
    ROBOT(LINK("a") LINK("b") "<link name='m'>" INERTIAL("0.01") "</link>" JOINT(                  \
        "j", "continuous", "a", "b",                                                               \
        "") "<joint name='r' type='continuous'><parent link='a'/><child link='m'/>" more           \
            "</joint>" rest)

// The successor turns ratio times as far as the predecessor.
static void couplings_tie_rotors(void **unused)
{
    (void)unused;
    reading coupled = read_good(arne_read_urdf, ROTOR("", COUPLING("gear", "b", "m", "6")));
    reading mimics = read_good(arne_read_urdf, ROTOR("<mimic joint='j' multiplier='6'/>", ""));
    assert_int_equal(arne_robot_sizes(coupled.robot).v_count, 1);
    assert_same_dynamics(coupled.robot, mimics.robot);
    end_reading(&coupled);
    end_reading(&mimics);
    // The joint that is said to depend follows, wherever it stands.
    coupled = read_good(
        arne_read_urdf,
        ROBOT(LINK("a") LINK("b") LINK("m") JOINT(
            "j", "continuous", "a", "b",
            "") "<joint name='r' type='continuous' independent='false'><parent link='a'/><child "
                "link='m'/></joint>" COUPLING("gear", "m", "b", "0.25")));
    const arne_joint_info r = joint_info(&coupled, "r");
    assert_true(r.mimic >= 0 && fabs(r.mimic_ratio - 4) < 1e-15);
    end_reading(&coupled);
}

// Two joints on each side: once the first pair is tied, the second coupling leaves one joint to
// follow one; alone it leaves one to follow three.
static void couplings_build_upon_each_other(void **unused)
{
    (void)unused;
#define TWO(rest)                                                                                  \
    ROBOT(LINK("o") LINK("a1") LINK("a2") LINK("b1") LINK("b2")                                    \
              JOINT("ja1", "continuous", "o", "a1", "") JOINT("ja2", "continuous", "a1", "a2", "") \
                  JOINT("jb1", "continuous", "o", "b1", "")                                        \
                      JOINT("jb2", "continuous", "b1", "b2", "") rest)
    reading r = read_good(arne_read_urdf,
                          TWO(COUPLING("one", "a1", "b1", "1") COUPLING("two", "a2", "b2", "1")));
    assert_int_equal(arne_robot_sizes(r.robot).v_count, 2);
    assert_true(joint_info(&r, "jb2").mimic_ratio == 1);
    assert_string_equal(arne_robot_joint(r.robot, joint_info(&r, "jb2").mimic).name, "ja2");
    end_reading(&r);
    // 2 (ja1 + ja2) = jb1 + jb2
    r = read_good(arne_read_urdf, TWO(COUPLING("sum", "a2", "b2", "2")));
    arne_term terms[4];
    assert_int_equal(arne_robot_sizes(r.robot).v_count, 3);
    assert_int_equal(arne_joint_terms(r.robot, arne_find_joint(r.robot, "jb2"), terms, 4), 3);
    for (int i = 0; i < 3; i++) {
        const char *of = arne_robot_joint(r.robot, terms[i].joint).name;
        assert_true(terms[i].ratio == (of[1] == 'a' ? 2 : -1));
    }
    end_reading(&r);
    static const bad_text bad[] = {
        {TWO("\n" COUPLING("no", "a2", "nowhere", "2")), ARNE_MODEL, 3, "coupling 'no'"},
        {TWO("\n" COUPLING("no", "a2", "b2", "0")), ARNE_VALUE, 3, "its ratio is 0"},
    };
    assert_all_bad(arne_read_urdf, bad, COUNT(bad));
}

// ---- the notation of a file beside a URDF

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void other_kinds_and_loops_by_joint(void **unused)
{
    (void)unused;
    const char *urdf = "build/test_urdf_flaws.urdf", *yaml = "build/test_urdf_flaws.yaml";
    write_file(urdf, ROBOT(LINK("a") LINK("b") LINK("c") LINK("d") LINK("e") JOINT(
                         "s", "revolute", "a", "b", LIMIT) JOINT("x", "revolute", "b", "c", LIMIT)
                               JOINT("f", "revolute", "a", "d", LIMIT)
                                   JOINT("g", "fixed", "c", "e", "")));
    write_file(yaml, "closed_loop: [[g, f]]\ntype: [3d]\nname_mot: [s]\n"
                     "joint_name: [s, x, f]\njoint_type: [SPHERICAL, CARDAN, FIXED]\n");
    reading r = read_path(yaml);
    assert_good(&r);
    assert_int_equal(joint_info(&r, "s").kind, ARNE_JOINT_BALL);
    assert_int_equal(joint_info(&r, "x").kind, ARNE_JOINT_UNIVERSAL);
    assert_int_equal(arne_find_joint(r.robot, "f"), -1);
    const arne_loop_info loop = arne_robot_loop(r.robot, 0);
    assert_string_equal(arne_robot_frame(r.robot, loop.frame[0]).name, "e");
    assert_string_equal(arne_robot_frame(r.robot, loop.frame[1]).name, "d");
    end_reading(&r);
    write_file(yaml, "closed_loop: [[g, f]]\ntype: [3d]\nname_mot: [s]\n"
                     "joint_name: [s, y]\njoint_type: [SPHERE, FIXED]\n");
    r = read_path(yaml);
    assert_int_equal(r.status, ARNE_MODEL); // of line 4: there is no joint y
    assert_int_equal(r.error.count, 2);
    end_reading(&r);
    remove(urdf);
    remove(yaml);
}

// ---- every flaw in one run

static void all_mistakes_of_a_urdf(void **unused)
{
    (void)unused;
    static const char text[] = "<robot name='r'>\n"
                               "<link name='a'/>\n"
                               "<link/>\n"                                            // 3
                               "<link name='b'><inertial><mass value='x'/>\n"         // 4
                               "<inertia ixx='1' iyy='1' ixy='0' ixz='0' iyz='0'/>\n" // 5
                               "</inertial></link>\n"
                               "<joint name='j' type='hinge'><parent link='a'/>\n"         // 7
                               "<child link='b'/><origin xyz='1 2'/></joint>\n"            // 8
                               "<joint name='k' type='fixed'><parent link='a'/></joint>\n" // 9
                               "<joint name='l' type='continuous'><parent link='a'/>\n"    // 10
                               "<child link='z'/><axis xyz='0 0 0'/></joint>\n"
                               "</robot>";
    static const int expected[] = {3, 4, 5, 7, 8, 9, 10, 10};
    arne_builder    *builder = NULL;
    arne_robot      *robot = NULL;
    arne_error       error;
    assert_int_equal(arne_builder_new(&builder), ARNE_OK);
    assert_int_equal(arne_read_urdf(builder, text, strlen(text), "file", &error), ARNE_VALUE);
    assert_int_equal(error.count, 6);
    assert_int_equal(arne_builder_finish(builder, NULL, &robot, &error), ARNE_VALUE);
    assert_int_equal(error.count, COUNT(expected));
    assert_int_equal(error.line, expected[0]);
    assert_null(robot);
    arne_builder_free(builder);
}

int main(void)
{
    if (!READERS_ARE_BUILT) return print_readers_missing();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_of_zero_are_not_given),
        cmocka_unit_test(imperfect_files_are_read),
        cmocka_unit_test(tiny_negative_inertias_are_zero),
        cmocka_unit_test(negative_inertias_have_two_ways_out),
        cmocka_unit_test(mimics_of_mimics_compose),
        cmocka_unit_test(couplings_tie_rotors),
        cmocka_unit_test(couplings_build_upon_each_other),
        cmocka_unit_test(other_kinds_and_loops_by_joint),
        cmocka_unit_test(all_mistakes_of_a_urdf),
    };
    return cmocka_run_group_tests_name("urdf_flaws", tests, NULL, NULL);
}
