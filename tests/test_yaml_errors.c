// The YAML robot file: what is said about files that are not right.
#include "reading.h"

// Two bodies that most texts need, and a joint between them; lines 1 to 4.
#define BODIES "bodies:\n- {name: a}\n- {name: b, mass: 1, inertia: [1, 1, 1]}\n"
#define JOINT(inside)                                                                              \
    BODIES "joints:\n- {name: j, kind: revolute, parent: a, child: b, " inside "}\n"

static void bad_yaml(void **unused)
{
    (void)unused;
    static const bad_text bad[] = {
        {"", ARNE_SYNTAX, 1, "empty"},
        {"# nothing\n", ARNE_SYNTAX, 0, "empty"},
        {"hello", ARNE_SYNTAX, 1, "neither a URDF (XML) nor a YAML robot file"},
        {"- a\n- b\n", ARNE_SYNTAX, 1, "neither a URDF (XML) nor a YAML robot file"},
        {"bodies: [\n{name: a}\n", ARNE_SYNTAX, 3, "well-formed YAML"},
        {"name: a\n\tb: c\n", ARNE_SYNTAX, 2, "well-formed YAML"},
        {"name: a\n\x01\n", ARNE_SYNTAX, 2, "control characters"},
        {"name: a\nx: \xff\xfe\n", ARNE_SYNTAX, 2, "UTF-8"},
        {"name: a\n---\nname: b\n", ARNE_SYNTAX, 2, "one document"},
        {"name: \"a\\0b\"\n", ARNE_SYNTAX, 1, "zero character"},
        {"name: a\nname: b\n", ARNE_VALUE, 2, "the key 'name' is here twice"},
        {"bodies:\n- {name: a,\n   mass: 1, name: b}\n", ARNE_VALUE, 3, "'name' is here twice"},
        {"? [a, b]\n: c\n", ARNE_SYNTAX, 1, "a key must be a name"},
        {"x: &a 1\n<<: *a\n", ARNE_UNSUPPORTED, 2, "merge keys"},
        {"name: *nobody\n", ARNE_SYNTAX, 1, "no anchor 'nobody'"},
        {"name:\n &a [*a]\n", ARNE_SYNTAX, 2, "the alias 'a' stands inside what it names"},
        {"motors: {}\n", ARNE_VALUE, 1, "motors must be a list, not a mapping"},
        {"name: a\nmotors:\n- {}\n", ARNE_VALUE, 3, "motors[0]: joint is missing"},
        {"motors:\n- {joint: a,\n   gear: [1]}\n", ARNE_VALUE, 3,
         "motor of joint 'a': gear must be a single value, not a list"},
        {"motors:\n- {joint: a, rotor: round}\n", ARNE_VALUE, 2,
         "rotor 'round' is not one of: full, reflected"},
        {"motors:\n- {joint: a, link_contains: [mass,\n   com]}\n", ARNE_VALUE, 3,
         "link_contains 'com' is not one of: mass, inertia"},
        {"motors:\n- {joint: a, damping: 1}\n", ARNE_VALUE, 2, "damping needs a stiffness"},
        {"motors:\n- {joint: a, friction: {viscous: -1}}\n", ARNE_VALUE, 2,
         "motor of joint 'a': viscous must not be negative"},
        {"elastic: {}\n", ARNE_VALUE, 1, "elastic must be a list, not a mapping"},
        {"elastic:\n- {joint: a, rest: 1}\n", ARNE_VALUE, 2,
         "spring on joint 'a': stiffness is missing"},
        {"parallel: []\n", ARNE_VALUE, 1, "parallel must be a mapping, not a list"},
        {"parallel: {base: b}\n", ARNE_VALUE, 1, "parallel: legs is missing"},
        {"parallel: {legs: {kind: UPX}}\n", ARNE_VALUE, 1, "kind 'UPX' is not one of"},
        {"parallel: {legs: {joints: []}}\n", ARNE_VALUE, 1, "legs: kind is missing"},
        {"parallel:\n legs: {kind: UPS,\n  crank: 1}\n", ARNE_VALUE, 3,
         "'crank' is nothing for kind 'UPS'"},
        {"parallel: {legs: {kind: UPS, joints: [{name: knee}]}}\n", ARNE_MODEL, 1,
         "a UPS leg has no joint 'knee'"},
        {"parallel: {legs: {kind: UPS, joints: [{name: tilt, axis: [1, 0, 0]}]}}\n", ARNE_VALUE, 1,
         "its axis is that of the leg's kind"},
        {"parallel: {legs: {kind: chain, joints: [{name: a}]}}\n", ARNE_VALUE, 1,
         "joint of a leg 'a': kind is missing"},
        {"parallel: {legs: {kind: chain, joints: [{name: a, kind: ball}, {name: a}]}}\n",
         ARNE_MODEL, 1, "two joints of a leg are named 'a'"},
        {"parallel: {legs: {kind: UPS}}\n", ARNE_VALUE, 1, "needs base_points"},
        {"parallel: {legs: {kind: UPS}, base_points: [[0, 0, 0]]}\n", ARNE_VALUE, 1,
         "as many platform_points as base_points: 1, not 0"},
        {"parallel: {legs: {kind: UPS}, base_points: [[0, 0]]}\n", ARNE_VALUE, 1, "3 numbers"},
        {"parallel: {legs: {kind: UPS}, base_points: [[0, 0, 0]], platform_points: [[0, 0, 1]],\n"
         "           angles: [1, 2]}\n",
         ARNE_VALUE, 1, "as many angles"},
        {"parallel: {legs: {kind: UPS}, base_points: [[0, 0, 0]], platform_points: [[0, 0, 0]]}\n",
         ARNE_MODEL, 1, "leg 1 cannot reach the platform at its home"},
        {"parallel: {legs: {kind: PUS}, base_points: [[0, 0, 0]], platform_points: [[0, 0, 0]]}\n",
         ARNE_MODEL, 1, "the rod must be longer than 0"},
        {"parallel: {legs: {kind: RUS, rod: 1}, base_points: [[0, 0, 0]],\n"
         "           platform_points: [[0, 0, 0]]}\n",
         ARNE_MODEL, 1, "the crank must be longer than 0"},
        {"parallel: {legs: {kind: chain, joints: [{name: a, kind: ball}]},\n"
         "           base_points: [[0, 0, 0]], platform_points: [[0, 0, 0]]}\n",
         ARNE_MODEL, 1, "no joint of a leg is active"},
        {"parallel: {legs: {kind: UPS}, platform: {motion: planar}, base_points: [[0, 0, 0]],\n"
         "           platform_points: [[0, 0, 1]]}\n",
         ARNE_MODEL, 1, "RRR legs carry a platform that moves in a plane"},
        {"closed_loop: [[a, b]]\n", ARNE_FILE, 1, "closed_loop 'file.urdf'"},
        {"type: ['6d']\n", ARNE_VALUE, 1, "type is of use only beside closed_loop"},
        {"bodies: []\nclosed_loop: [[a]]\n", ARNE_VALUE, 2, "names of two frames, not 1"},
        {"bodies: []\nclosed_loop: [[a, b]]\ntype: []\n", ARNE_VALUE, 3, "as many entries"},
        {"bodies: []\nclosed_loop: [[a, b]]\ntype: [4d]\n", ARNE_VALUE, 3, "3d, 6d"},
        {"bodies: []\nname_mot: [m]\n", ARNE_MODEL, 2, "joint 'm', which does not exist"},
        {"loops:\n- {name: l, kind: ball}\n", ARNE_VALUE, 2, "loop 'l': predecessor is missing"},
        {"loops:\n- {name: l, predecessor: a, successor: b}\n", ARNE_VALUE, 2,
         "loop 'l': kind is missing"},
        {"loops:\n- {name: l, kind: knot, predecessor: a, successor: b}\n", ARNE_VALUE, 2,
         "planar_point"},
        {"loops:\n- {name: l, kind: ball, length: 1, predecessor: a, successor: b}\n", ARNE_VALUE,
         2, "only a rod has a length"},
        {"name: [a]\n", ARNE_VALUE, 1, "name must be a single value, not a list"},
        {"name:\n", ARNE_VALUE, 1, "name is empty"},
        {"gravity: [0, -9.81]\n", ARNE_VALUE, 1, "gravity needs 3 numbers, has 2"},
        {"gravity: -9.81\n", ARNE_VALUE, 1, "gravity must be a list, not a single value"},
        {"gravity: [0, 0, .nan]\n", ARNE_VALUE, 1, "gravity '.nan' is not a finite number"},
        {"scale: {length: 2}\n", ARNE_VALUE, 1, "it extends none"},
        {"base: floating\n", ARNE_VALUE, 1,
         "base 'floating' is not one of: fixed, prescribed, free"},
    };
    assert_all_bad(arne_read_yaml, bad, COUNT(bad));
}

static void bad_bodies(void **unused)
{
    (void)unused;
    static const bad_text bad[] = {
        {"bodies: {name: a}\n", ARNE_VALUE, 1, "bodies must be a list, not a mapping"},
        {"bodies:\n- {name: a}\n- b\n", ARNE_VALUE, 3, "bodies[1] must be a mapping"},
        {"bodies:\n- {mass: 1}\n", ARNE_VALUE, 2, "bodies[0]: name is missing"},
        {"bodies:\n- {name: ''}\n", ARNE_VALUE, 2, "name is empty"},
        {"bodies:\n- name: a\n  mass: inf\n", ARNE_VALUE, 3,
         "body 'a': mass 'inf' is not a finite number"},
        {"bodies:\n- name: a\n  mass: heavy\n", ARNE_VALUE, 3,
         "body 'a': mass 'heavy' is not a number"},
        {"bodies:\n- name: a\n  mass: 1e400\n", ARNE_VALUE, 3, "not a finite number"},
        {"bodies:\n- name: a\n  mass:\n", ARNE_VALUE, 3, "body 'a': mass '' is not a number"},
        {"bodies:\n- name: a\n  mass: [1]\n", ARNE_VALUE, 3,
         "body 'a': mass must be a single value"},
        {"bodies:\n- {name: a, mass: -1}\n", ARNE_VALUE, 2, "'a': mass must not be negative"},
        {"bodies:\n- name: a\n  com: [1, 2, 3, 4]\n", ARNE_VALUE, 3,
         "body 'a': com needs 3 numbers, has 4"},
        {"bodies:\n- name: a\n  com:\n  - 1\n  - 2\n  - x\n", ARNE_VALUE, 6,
         "body 'a': com 'x' is not a number"},
        {"bodies:\n- name: a\n  inertia: [1, 2]\n", ARNE_VALUE, 3,
         "inertia needs 3 or 6 numbers, has 2"},
        {"bodies:\n- name: a\n  inertia: 1\n", ARNE_VALUE, 3, "inertia must be a list"},
        {"bodies:\n- name: a\n  inertia: {ixx: 1, iyy: 1}\n", ARNE_VALUE, 3,
         "body 'a': izz is missing"},
        {"bodies:\n- name: a\n  inertia_about: origin\n", ARNE_VALUE, 3,
         "body 'a': inertia_about needs an inertia"},
        {"bodies:\n- name: a\n  inertia: [1, 1, 1]\n  inertia_about: mass\n", ARNE_VALUE, 4,
         "body 'a': inertia_about 'mass' is not one of: com, origin"},
        {"bodies:\n- name: a\n  accept: [all]\n", ARNE_VALUE, 3,
         "accept 'all' is not one of: triangle, inertia"},
        {"bodies:\n- {name: a}\n- {name: a}\n", ARNE_MODEL, 3, "'a'"},
        {"bodies: []\n", ARNE_MODEL, -1, "no links"},
    };
    assert_all_bad(arne_read_yaml, bad, COUNT(bad) - 1);
    reading r = read_with(arne_read_yaml, bad[COUNT(bad) - 1].text); // no place to point at
    assert_int_equal(r.status, ARNE_MODEL);
    assert_says(r.error.text, "no links");
    end_reading(&r);
}

static void bad_joints(void **unused)
{
    (void)unused;
    static const bad_text bad[] = {
        {BODIES "joints:\n- {kind: fixed}\n", ARNE_VALUE, 5, "joints[0]: name is missing"},
        {BODIES "joints:\n- {name: j, parent: a, child: b}\n", ARNE_VALUE, 5,
         "joint 'j': kind is missing"},
        {BODIES "joints:\n- {name: j, kind: fixed, child: b}\n", ARNE_VALUE, 5,
         "joint 'j': parent is missing"},
        {BODIES "joints:\n- {name: j, kind: fixed, parent: a}\n", ARNE_VALUE, 5,
         "joint 'j': child is missing"},
        {BODIES "joints:\n- {name: j, kind: hinge, parent: a, child: b}\n", ARNE_VALUE, 5,
         "joint 'j': kind 'hinge' is not one of: fixed, revolute"},
        {JOINT("origin: [1, 2, 3]"), ARNE_VALUE, 5, "joint 'j': origin must be a mapping"},
        {JOINT("origin: {xyz: [1, 2]}"), ARNE_VALUE, 5, "joint 'j': xyz needs 3 numbers, has 2"},
        {JOINT("origin: {rpy: [1, 2, nan]}"), ARNE_VALUE, 5,
         "joint 'j': rpy 'nan' is not a finite number"},
        {JOINT("origin: {quaternion: [0, 0, 0, 1.00001]}"), ARNE_VALUE, 5,
         "joint 'j': quaternion has length 1.00001; it must be a unit quaternion"},
        {JOINT("origin: {quaternion: [0, 0, 0, 1], rpy: [0, 0, 0]}"), ARNE_VALUE, 5,
         "both rpy and quaternion"},
        {JOINT("axis: [0, 0, 0]"), ARNE_MODEL, 5, "'j'"},
        {JOINT("pitch: 1"), ARNE_VALUE, 5, "joint 'j': only a helical joint has a pitch"},
        {JOINT("limits: {lower: 2, upper: 1}"), ARNE_MODEL, 5, "'j'"},
        {JOINT("limits: {\n lower: -.inf}"), ARNE_VALUE, 6,
         "joint 'j': lower '-.inf' is not a finite number"},
        {JOINT("mimic: {ratio: 2}"), ARNE_VALUE, 5, "joint 'j': mimic needs a joint"},
        {JOINT("friction: {coulomb: [1]}"), ARNE_VALUE, 5,
         "joint 'j': coulomb needs 2 numbers, has 1"},
        {JOINT("friction: {coulomb: -1}"), ARNE_VALUE, 5,
         "joint 'j': coulomb must not be negative"},
        {JOINT("rotor_inertia: -1"), ARNE_VALUE, 5, "'j'"},
        {JOINT("") "friction:\n  j: {viscous: -1}\n", ARNE_VALUE, 7,
         "joint 'j': viscous must not be negative"},
        {JOINT("") "friction:\n  k: {viscous: 1}\n", ARNE_MODEL, 7,
         "friction: there is no joint 'k'"},
        {JOINT("") "friction: [j]\n", ARNE_VALUE, 6, "friction must be a mapping"},
        {JOINT("") "rotors:\n  k: 1\n", ARNE_MODEL, 7, "rotors: there is no joint 'k'"},
        {JOINT("") "rotors:\n  j: {gear: 2}\n", ARNE_VALUE, 7,
         "joint 'j': rotors needs an inertia"},
        {JOINT("") "rotors:\n  j: [1, 2]\n", ARNE_VALUE, 7, "joint 'j': rotors must be a mapping"},
        {JOINT("") "- {name: j, kind: fixed, parent: b, child: a}\n", ARNE_MODEL, 6, "'j'"},
        {JOINT("") "frames:\n- {name: f}\n", ARNE_VALUE, 7, "frame 'f': link is missing"},
        {JOINT("") "frames:\n- {name: f, link: z}\n", ARNE_MODEL, 7, "'z'"},
    };
    assert_all_bad(arne_read_yaml, bad, COUNT(bad));
}

static void bad_dh(void **unused)
{
    (void)unused;
#define DH(convention, row)                                                                        \
    "dh:\n  convention: " convention "\n  rows:\n  - {joint: j, link: l, " row "}\n"
    static const bad_text bad[] = {
        {"dh: []\n", ARNE_VALUE, 1, "dh must be a mapping"},
        {"dh: {rows: []}\n", ARNE_VALUE, 1, "dh: convention is missing"},
        {"dh: {convention: modified}\n", ARNE_VALUE, 1, "dh: rows is missing"},
        {"dh: {convention: paul, rows: []}\n", ARNE_VALUE, 1,
         "convention 'paul' is not one of: standard, modified"},
        {"dh: {convention: standard, table: khalil, rows: []}\n", ARNE_VALUE, 1,
         "dh: table is for the modified"},
        {"dh: {convention: modified, table: new, rows: []}\n", ARNE_VALUE, 1,
         "table 'new' is not one of: craig"},
        {"dh:\n  convention: standard\n  rows:\n  - {link: l}\n", ARNE_VALUE, 4,
         "rows[0]: joint is missing"},
        {"dh:\n  convention: standard\n  rows:\n  - {joint: j}\n", ARNE_VALUE, 4,
         "joint 'j': link is missing"},
        {DH("standard", "gamma: 1"), ARNE_VALUE, 4,
         "joint 'j': gamma is not a parameter of this table"},
        {DH("modified", "r: 1"), ARNE_VALUE, 4, "joint 'j': r is not a parameter of this table"},
        {DH("modified\n  table: khalil", "a: 1"), ARNE_VALUE, 5,
         "joint 'j': a is not a parameter of a khalil table"},
        {DH("standard", "kind: ball"), ARNE_VALUE, 4,
         "joint 'j': kind must turn about or slide along one axis"},
        {DH("standard", "pitch: 1"), ARNE_VALUE, 4, "joint 'j': pitch is for helical joints only"},
        {DH("standard", "theta: nan"), ARNE_VALUE, 4,
         "joint 'j': theta 'nan' is not a finite number"},
        {DH("standard", "parent: z"), ARNE_MODEL, 4, "'z'"},
        {DH("standard", "inertia_about: origin"), ARNE_VALUE, 4,
         "joint 'j': inertia_about needs an inertia"},
    };
    assert_all_bad(arne_read_yaml, bad, COUNT(bad));
}

// ---- limits

static void alias_bomb(void **unused)
{
    (void)unused;
    static const bad_text bad[] = {
        {"a: &a [x, x, x, x, x, x, x, x, x, x]\n"
         "b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\n"
         "c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\n"
         "d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]\n"
         "e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]\n"
         "f: &f [*e, *e, *e, *e, *e, *e, *e, *e, *e, *e]\n"
         "g: &g [*f, *f, *f, *f, *f, *f, *f, *f, *f, *f]\n",
         ARNE_TOO_LARGE, 6, "more than 1000000 values"},
    };
    assert_all_bad(arne_read_yaml, bad, COUNT(bad));
}

static void too_much(void **unused)
{
    (void)unused;
    char    *deep = repeated("name: ", "\n [", 100000, "");
    char    *long_list = repeated("name: [", "x,", 1000000, "]");
    char    *long_name = repeated("a: &a ", "x", 1000000, "\n");
    char    *copied_name = repeated(long_name, "b: [*a]\n", 1000, "");
    bad_text bad[] = {
        {deep, ARNE_TOO_LARGE, 257, "nested deeper than 256"},
        {long_list, ARNE_TOO_LARGE, 1, "more than 1000000 values"},
        {copied_name, ARNE_TOO_LARGE, 256, "long texts as several"},
    };
    assert_all_bad(arne_read_yaml, bad, COUNT(bad));
    free(deep);
    free(long_list);
    free(long_name);
    free(copied_name);
}

static void too_many_anchors(void **unused)
{
    (void)unused;
    char  text[20000] = "name: [";
    char *end = text + strlen(text);
    for (int i = 0; i <= 1000; i++)
        end += snprintf(end, 16, "&a%d x,", i);
    const bad_text bad = {text, ARNE_TOO_LARGE, 1, "more than 1000 anchors"};
    assert_all_bad(arne_read_yaml, &bad, 1);
}

int main(void)
{
    if (!READERS_ARE_BUILT) return print_readers_missing();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_yaml),         cmocka_unit_test(bad_bodies),
        cmocka_unit_test(bad_joints),       cmocka_unit_test(bad_dh),
        cmocka_unit_test(alias_bomb),       cmocka_unit_test(too_much),
        cmocka_unit_test(too_many_anchors),
    };
    return cmocka_run_group_tests_name("yaml_errors", tests, NULL, NULL);
}
