// The YAML robot file: what is read from every section.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "reading.h"
#include <unistd.h>

// Two bodies that most texts need, and a joint between them; lines 1 to 4.
#define BODIES "bodies:\n- {name: a}\n- {name: b, mass: 1, inertia: [1, 1, 1]}\n"
#define JOINT(inside)                                                                              \
    BODIES "joints:\n- {name: j, kind: revolute, parent: a, child: b, " inside "}\n"

static const double pi = 3.14159265358979323846;

// ---- bodies and joints

static void whole_file(void **unused)
{
    (void)unused;
    reading r = read_good(arne_read_yaml,
                          "name: arm\n"
                          "gravity: [0, 0, -1.62]\n"
                          "base: prescribed\n"
                          "bodies:\n"
                          "  - name: foot\n"
                          "  - name: leg\n"
                          "    mass: 1.2\n"
                          "    com: [0, 0.5, 0.1]\n"
                          "    inertia: [0.1, 0.2, 0.25, 0.01, 0.02, 0.03]\n"
                          "joints:\n"
                          "  - name: knee\n"
                          "    kind: revolute\n"
                          "    parent: foot\n"
                          "    child: leg\n"
                          "    origin: {xyz: [0, 0, 0.3], rpy: [0, 0, 90 deg]}\n"
                          "    axis: [0, 1, 0]\n"
                          "    limits: {lower: -pi, upper: 3*pi/4, velocity: 2, effort: 100}\n"
                          "    friction: {viscous: 0.1, coulomb: [0.2, 0.3]}\n"
                          "    rotor_inertia: 0.05\n"
                          "frames:\n"
                          "  - {name: tool, link: leg, origin: {xyz: [0, 0, 0.1]}}\n");
    assert_string_equal(arne_robot_name(r.robot), "arm");
    assert_vec3(arne_robot_gravity(r.robot), 0, 0, -1.62);
    assert_int_equal(arne_robot_base(r.robot), ARNE_BASE_PRESCRIBED);

    const arne_body_spec leg = body_of(&r, "leg");
    const double         inertia[6] = {0.1, 0.2, 0.25, 0.01, 0.02, 0.03};
    assert_true(leg.mass == 1.2);
    assert_vec3(leg.com, 0, 0.5, 0.1);
    assert_memory_equal(leg.inertia, inertia, sizeof inertia);

    const arne_joint_spec knee = joint_of(&r, "knee");
    const arne_pose       origin = {{{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}, {0, 0, 0.3}};
    assert_string_equal(knee.parent, "foot");
    assert_string_equal(knee.child, "leg");
    assert_near(&knee.origin.R.x.x, &origin.R.x.x, 12, 0); // exactly, though pi has 16 digits only
    assert_vec3(knee.axis, 0, 1, 0);
    assert_true(knee.lower == -pi && knee.upper == 3 * pi / 4 && knee.velocity == 2);
    assert_true(knee.effort == 100 && knee.viscous == 0.1 && knee.rotor_inertia == 0.05);
    assert_true(knee.coulomb_positive == 0.2 && knee.coulomb_negative == 0.3);
    assert_int_equal(knee.place.line, 11);
    assert_true(arne_find_frame(r.robot, "tool") >= 0);
    end_reading(&r);
}

// What docs/robot-file.md shows is read without a complaint.
static void the_documented_example(void **unused)
{
    (void)unused;
    static const char open[] = "```yaml\n";
    char              page[60000] = "";
    FILE             *file = fopen(ARNE_ROBOTS_DIR "/../docs/robot-file.md", "rb");
    assert_non_null(file);
    assert_true(fread(page, 1, sizeof page - 1, file) < sizeof page - 1);
    fclose(file);
    char *text = strstr(page, open);
    assert_non_null(text);
    text += strlen(open);
    char *end = strstr(text, "```");
    assert_non_null(end);
    *end = 0;
    reading r = read_good(arne_read_yaml, text);
    assert_string_equal(arne_robot_name(r.robot), "lift_arm");
    assert_int_equal(arne_robot_sizes(r.robot).q_count, 3);
    assert_true(fabs(joint_info(&r, "turn").rotor_inertia - 0.5) < 1e-15);
    end_reading(&r);
}

static void every_joint_kind(void **unused)
{
    (void)unused;
    static const int q_count[ARNE_JOINT_KIND_COUNT] = {0, 1, 1, 1, 1, 4, 2, 3, 7};
    for (int kind = 0; kind < ARNE_JOINT_STRAIN; kind++) {
        char text[300];
        snprintf(text, sizeof text, BODIES "joints: [{name: j, kind: %s, parent: a, child: b%s}]",
                 arne_joint_kind_name((arne_joint_kind)kind),
                 kind == ARNE_JOINT_HELICAL ? ", pitch: 0.01" : "");
        reading r = read_good(arne_read_yaml, text);
        assert_int_equal((int)joint_of(&r, "j").kind, kind);
        assert_int_equal(arne_robot_sizes(r.robot).q_count, q_count[kind]);
        if (kind == ARNE_JOINT_HELICAL) assert_true(joint_of(&r, "j").pitch == 0.01);
        end_reading(&r);
    }
}

static void forms_of_an_inertia(void **unused)
{
    (void)unused;
    static const char text[] =
        "bodies:\n"
        "- {name: a, mass: 2, com: [0, 0, 0.5], inertia_about: origin, inertia: [3, 4, 5]}\n"
        "- {name: b, mass: 1, inertia: {izz: 3, ixx: 2, iyy: 2, ixy: 0.25}}\n"
        "- {name: c, mass: 1, inertia: [1, 2, 8], accept: [triangle, inertia]}\n"
        "- {name: d, mass: 1, inertia: [1, 1, 1], accept: inertia}\n"
        "joints:\n"
        "- {name: ab, kind: fixed, parent: a, child: b}\n"
        "- {name: ac, kind: fixed, parent: a, child: c}\n"
        "- {name: ad, kind: fixed, parent: a, child: d, origin: {quaternion: [0, 1, 0, 0]}}\n";
    reading r = read_with(arne_read_yaml, text);
    assert_good(&r);
    const double a[6] = {2.5, 3.5, 5}, b[6] = {2, 2, 3, 0.25};
    assert_near(arne_robot_frame(r.robot, 0).inertia, a, 6, 1e-15);
    assert_near(arne_robot_frame(r.robot, 1).inertia, b, 6, 1e-15);
    assert_int_equal(body_of(&r, "c").accept, ARNE_ACCEPT_TRIANGLE | ARNE_ACCEPT_INERTIA);
    assert_int_equal(body_of(&r, "d").accept, ARNE_ACCEPT_INERTIA);
    assert_says(r.warnings, "file:4: [triangle]"); // told, but accepted
    assert_int_equal(r.warning_count, 1);
    const arne_pose half_turn = {{{-1, 0, 0}, {0, 1, 0}, {0, 0, -1}}, {0, 0, 0}};
    assert_pose(joint_of(&r, "ad").origin, half_turn);
    end_reading(&r);
}

static void mimic_joints(void **unused)
{
    (void)unused;
    reading r =
        read_good(arne_read_yaml, "bodies: [{name: a}, {name: b, mass: 1, inertia: [1, 1, 1]},"
                                  " {name: c, mass: 1, inertia: [1, 1, 1]}]\n"
                                  "joints:\n"
                                  "- {name: j, kind: continuous, parent: a, child: b}\n"
                                  "- {name: k, kind: continuous, parent: b, child: c,"
                                  " mimic: {joint: j, ratio: -2, offset: 0.5}}\n");
    assert_string_equal(joint_of(&r, "k").mimic, "j");
    assert_true(joint_of(&r, "k").mimic_ratio == -2 && joint_of(&r, "k").mimic_offset == 0.5);
    assert_int_equal(arne_robot_sizes(r.robot).q_count, 1);
    end_reading(&r);
}

static void friction_and_rotor_sections(void **unused)
{
    (void)unused;
    reading r =
        read_good(arne_read_yaml,
                  "friction:\n  j: {coulomb: 0.4}\n"
                  "rotors: {j: {inertia: 2.0e-4, gear: 50}}\n" JOINT("friction: {viscous: 0.1}"));
    const arne_joint_spec j = joint_of(&r, "j");
    assert_true(j.viscous == 0.1 && j.coulomb_positive == 0.4 && j.coulomb_negative == 0.4);
    assert_true(fabs(j.rotor_inertia - 0.5) < 1e-15);
    end_reading(&r);
    r = read_good(arne_read_yaml, JOINT("") "rotors: {j: 0.25}\n");
    assert_true(joint_of(&r, "j").rotor_inertia == 0.25);
    end_reading(&r);
}

static void motors_and_springs(void **unused)
{
    (void)unused;
    reading r = read_good(
        arne_read_yaml,
        JOINT(
            "") "motors:\n- {joint: j, name: m, link: b, axis: [0, 3, 4], position: [1, 2, 3],"
                " gear: -50,\n   inertia: 1.0e-4, transverse: 2.0e-4, mass: 0.5, rotor: reflected,"
                " link_contains: [mass, inertia],\n   stiffness: 100, damping: 3,"
                " friction: {viscous: 0.1, coulomb: [0.2, 0.3]},"
                " limits: {effort: 7, effort_rate: 8}}\n"
                "elastic:\n- {joint: j, stiffness: 20, damping: 0.5, rest: 90 deg,\n"
                "   stiffness_more: [1, -2], damping_more: [0.3, 0.4]}\n");
    const arne_motor_info  m = arne_robot_motor(r.robot, 0);
    const arne_spring_info s = arne_robot_spring(r.robot, 0);
    assert_string_equal(m.name, "m");
    assert_string_equal(arne_robot_frame(r.robot, m.link).name, "b");
    assert_true(fabs(m.axis.y - 0.6) < 1e-15 && fabs(m.axis.z - 0.8) < 1e-15);
    assert_true(m.position.x == 1 && m.position.y == 2 && m.position.z == 3 && m.gear == -50);
    assert_true(m.inertia == 1e-4 && m.transverse == 2e-4 && m.mass == 0.5 && m.reflected);
    assert_true(m.mass_included && m.inertia_included && m.stiffness == 100 && m.damping == 3);
    assert_true(m.viscous == 0.1 && m.coulomb_positive == 0.2 && m.coulomb_negative == 0.3);
    assert_true(m.effort == 7 && m.effort_rate == 8 && m.q_index == 1 && m.v_index == 1);
    assert_true(s.joint == 0 && s.stiffness == 20 && s.damping == 0.5 && !s.passive);
    assert_true(fabs(s.rest - acos(0)) < 1e-15);
    assert_true(s.stiffness_more[0] == 1 && s.stiffness_more[1] == -2);
    assert_true(s.damping_more[0] == 0.3 && s.damping_more[1] == 0.4);
    end_reading(&r);
    r = read_good(arne_read_yaml, JOINT("") "motors: [{joint: j}]\n");
    const arne_motor_info plain = arne_robot_motor(r.robot, 0);
    assert_string_equal(plain.name, "j");
    assert_true(plain.axis.z == 1 && plain.gear == 1 && isinf(plain.stiffness) && !plain.reflected);
    assert_true(!plain.mass_included && !plain.inertia_included && plain.v_index == -1);
    assert_int_equal(plain.link, arne_robot_joint(r.robot, 0).parent);
    end_reading(&r);
}

static void anchors(void **unused)
{
    (void)unused;
    reading r =
        read_good(arne_read_yaml, "bodies:\n- {name: a, mass: &m 2.5, inertia: &i [1, 1, 1]}\n"
                                  "- {name: b, mass: *m, inertia: *i}\n"
                                  "joints:\n- {name: j, kind: fixed, parent: a, child: b}\n");
    assert_true(body_of(&r, "b").mass == 2.5 && body_of(&r, "b").inertia[2] == 1);
    end_reading(&r);
}

// ---- Denavit-Hartenberg

// Transforms as the books multiply them: an angle and a length along x or z.
static arne_vec3 turn(arne_mat3 R, arne_vec3 v)
{
    return (arne_vec3){R.x.x * v.x + R.y.x * v.y + R.z.x * v.z,
                       R.x.y * v.x + R.y.y * v.y + R.z.y * v.z,
                       R.x.z * v.x + R.y.z * v.y + R.z.z * v.z};
}

static arne_pose mul(arne_pose A, arne_pose B)
{
    const arne_vec3 p = turn(A.R, B.p);
    return (arne_pose){{turn(A.R, B.R.x), turn(A.R, B.R.y), turn(A.R, B.R.z)},
                       {A.p.x + p.x, A.p.y + p.y, A.p.z + p.z}};
}

static arne_pose about_z(double angle, double length)
{
    const double c = cos(angle), s = sin(angle);
    return (arne_pose){{{c, s, 0}, {-s, c, 0}, {0, 0, 1}}, {0, 0, length}};
}

static arne_pose about_x(double angle, double length)
{
    const double c = cos(angle), s = sin(angle);
    return (arne_pose){{{1, 0, 0}, {0, c, s}, {0, -s, c}}, {length, 0, 0}};
}

// Where the child stands in its parent when the joint is at q.
static arne_pose at(const arne_joint_spec *s, double q)
{
    const int slides = s->kind == ARNE_JOINT_PRISMATIC;
    return mul(s->origin, mul(about_z(slides ? 0 : q, slides ? q : 0), s->tip));
}

static void standard_dh(void **unused)
{
    (void)unused;
    reading r = read_good(
        arne_read_yaml,
        "dh:\n  convention: standard\n  rows:\n"
        "  - {joint: j1, link: l1, theta: 0.1, d: 0.2, a: 0.3, alpha: 0.4, mass: 1}\n"
        "  - {joint: j2, link: l2, kind: prismatic, theta: 0.5, d: 0.6, a: 0.7, alpha: pi/2,"
        " mass: 2, com: [1, 2, 3], inertia: [1, 1, 1], inertia_about: com,"
        " limits: {upper: 2}, friction: {viscous: 3}, rotor_inertia: 4}\n");
    const arne_joint_spec j1 = joint_of(&r, "j1"), j2 = joint_of(&r, "j2");
    assert_string_equal(j1.parent, "base");
    assert_string_equal(j2.parent, "l1");
    assert_pose(at(&j1, 0.7), mul(about_z(0.1 + 0.7, 0.2), about_x(0.4, 0.3)));
    assert_pose(at(&j2, 0.7), mul(about_z(0.5, 0.6 + 0.7), about_x(pi / 2, 0.7)));
    assert_true(j2.upper == 2 && j2.viscous == 3 && j2.rotor_inertia == 4);
    assert_true(body_of(&r, "l2").mass == 2);
    assert_vec3(body_of(&r, "l2").com, 1, 2, 3);
    end_reading(&r);
}

static void craig_dh(void **unused)
{
    (void)unused;
    reading               r = read_good(arne_read_yaml,
                                        "bodies: [{name: l1, mass: 1, inertia: [1, 1, 1]}]\n"
                                                      "dh:\n  convention: modified\n  base: floor\n"
                                                      "  root: {xyz: [1, 2, 3], rpy: [0, 0, 0.9]}\n  rows:\n"
                                                      "  - {joint: j1, link: l1, theta: 0.1, d: 0.2, a: 0.3, alpha: 0.4}\n"
                                                      "  - {joint: j2, link: l2, theta: 0.5, d: 0.6, a: 0.7, alpha: 0.8, mass: "
                                                      "1, com: [0.1, 0, 0]}\n");
    const arne_joint_spec j1 = joint_of(&r, "j1"), j2 = joint_of(&r, "j2");
    const arne_pose       root = mul((arne_pose){about_z(0, 0).R, {1, 2, 3}}, about_z(0.9, 0));
    assert_string_equal(j1.parent, "floor");
    assert_pose(at(&j1, 0.7), mul(root, mul(about_x(0.4, 0.3), about_z(0.1 + 0.7, 0.2))));
    assert_pose(at(&j2, 0.7), mul(about_x(0.8, 0.7), about_z(0.5 + 0.7, 0.6)));
    assert_true(body_of(&r, "l1").mass == 1); // what bodies says stays
    end_reading(&r);
}

// Khalil's tree: two branches from the first link, one of them behind a constant transform.
static void khalil_dh(void **unused)
{
    (void)unused;
    reading r =
        read_good(arne_read_yaml, "dh:\n  convention: modified\n  table: khalil\n  rows:\n"
                                  "  - {joint: j1, link: l1, theta: 0.1, r: 0.2}\n"
                                  "  - {joint: j2, link: l2, gamma: 0.3, b: 0.4, alpha: 0.5, d: "
                                  "0.6, theta: 0.7, r: 0.8, mass: 1, com: [0.1, 0, 0]}\n"
                                  "  - {joint: j3, link: l3, parent: l1, kind: prismatic, gamma: "
                                  "0.3, b: 0.4, alpha: 0.5, d: 0.6,"
                                  " theta: 0.7, r: 0.8, root: {xyz: [0, 0, 5]}, mass: 1}\n");
    const arne_joint_spec j2 = joint_of(&r, "j2"), j3 = joint_of(&r, "j3");
    const arne_pose       fixed = mul(about_z(0.3, 0.4), about_x(0.5, 0.6));
    assert_string_equal(j2.parent, "l1");
    assert_string_equal(j3.parent, "l1");
    assert_pose(at(&j2, 0.9), mul(fixed, about_z(0.7 + 0.9, 0.8)));
    assert_pose(at(&j3, 0.9), mul(about_z(0, 5), mul(fixed, about_z(0.7, 0.8 + 0.9))));
    end_reading(&r);
}

// ---- extends

typedef struct scratch_file {
    char path[80];
} scratch_file;

typedef struct folder {
    char         path[40];
    scratch_file files[4];
    int          count;
} folder;

static folder make_folder(void)
{
    folder f = {"/tmp/arne_yaml_XXXXXX", {{""}}, 0};
    assert_non_null(mkdtemp(f.path));
    return f;
}

static const char *put(folder *f, const char *name, const char *text)
{
    scratch_file made;
    snprintf(made.path, sizeof made.path, "%s/%s", f->path, name);
    FILE *file = fopen(made.path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    f->files[f->count] = made;
    return f->files[f->count++].path;
}

static void remove_folder(folder *f)
{
    while (f->count > 0)
        unlink(f->files[--f->count].path);
    rmdir(f->path);
}

static const char arm_urdf[] =
    "<robot name='arm'><link name='a'/>"
    "<link name='b'><inertial><origin xyz='1 0 0' rpy='0.5 0 0'/><mass value='2'/>"
    "<inertia ixx='1' iyy='2' izz='2' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<joint name='j' type='revolute'><parent link='a'/><child link='b'/><origin xyz='1 2 3' rpy='1 "
    "0 0'/>"
    "<limit lower='-1' upper='1' velocity='2' effort='3'/><dynamics damping='4'/></joint></robot>";

static void extends_urdf(void **unused)
{
    (void)unused;
    folder f = make_folder();
    put(&f, "arm.urdf", arm_urdf);
    const char *path = put(&f, "more.yaml",
                           "extends: arm.urdf\n"
                           "base: free\n"
                           "bodies:\n"
                           "- {name: b, mass: 3}\n"
                           "- {name: c, mass: 1, inertia: [1, 1, 1]}\n"
                           "joints:\n"
                           "- {name: j, limits: {upper: 1.5}, rotor_inertia: 0.5}\n"
                           "- {name: k, kind: prismatic, parent: b, child: c}\n"
                           "friction: {j: {coulomb: 0.1}}\n");
    reading     r = read_path(path);
    assert_good(&r);
    assert_int_equal(r.warning_count, 0);
    assert_string_equal(arne_robot_name(r.robot), "arm");
    assert_int_equal(arne_robot_base(r.robot), ARNE_BASE_FREE);
    const arne_body_spec b = body_of(&r, "b");
    assert_true(b.mass == 3 && b.com.x == 1 && b.inertia[1] == 2); // only what is given changes
    assert_true(b.inertia_axes.y.y == cos(0.5));
    assert_int_equal(b.place.line, 4);
    const arne_joint_spec j = joint_of(&r, "j");
    assert_true(j.lower == -1 && j.upper == 1.5 && j.velocity == 2 && j.effort == 3);
    assert_true(j.viscous == 4 && j.coulomb_positive == 0.1 && j.rotor_inertia == 0.5);
    assert_vec3(j.origin.p, 1, 2, 3);
    assert_int_equal(joint_of(&r, "k").kind, ARNE_JOINT_PRISMATIC);
    end_reading(&r);
    remove_folder(&f);
}

// A new inertia is in the body's axes, whatever axes the old one had.
static void extended_inertia(void **unused)
{
    (void)unused;
    folder f = make_folder();
    put(&f, "arm.urdf", arm_urdf);
    const char *path = put(&f, "more.yaml",
                           "extends: ./arm.urdf\nname: new\n"
                           "bodies: [{name: b, inertia_about: origin, inertia: [5, 6, 7]}]\n");
    reading     r = read_path(path);
    assert_good(&r);
    assert_string_equal(arne_robot_name(r.robot), "new");
    const arne_body_spec b = body_of(&r, "b");
    const arne_mat3      none = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    assert_true(b.about_origin && b.mass == 2 && b.inertia[0] == 5 && b.inertia[2] == 7);
    assert_memory_equal(&b.inertia_axes, &none, sizeof none);
    end_reading(&r);
    remove_folder(&f);
}

static void assert_path_fails(const char *path, arne_status status, const char *file,
                              const char *says)
{
    reading r = read_path(path);
    if (r.status != status) fail_msg("'%s': %s", arne_status_text(r.status), r.error.text);
    assert_says(r.error.file, file);
    assert_says(r.error.text, says);
    end_reading(&r);
}

static void extends_that_fail(void **unused)
{
    (void)unused;
    folder      f = make_folder();
    const char *path = put(&f, "a.yaml", "extends: b.yaml\n");
    assert_path_fails(path, ARNE_FILE, "/a.yaml",
                      "extends 'b.yaml': cannot open the file: No such");
    put(&f, "b.yaml", "extends: a.yaml\n");
    assert_path_fails(path, ARNE_TOO_LARGE, ".yaml", "in a circle?");
    put(&f, "b.yaml", "bodies: [{name: a, mass: x}]\n");
    assert_path_fails(path, ARNE_VALUE, "/b.yaml", "body 'a': mass 'x' is not a number");
    path = put(&f, "c.yaml", "extends: /dev/zero\n");
    assert_path_fails(path, ARNE_FILE, "/c.yaml", "extends '/dev/zero': this is not a regular");
    remove_folder(&f);
}

// ---- what is imperfect

static void unknown_keys(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"colour: red\n" JOINT(""), "file:1: [unknown] unknown key 'colour'"},
        {"bodies:\n- name: a\n  weight: 3\n", "file:3: [unknown] body 'a': unknown key 'weight'"},
        {JOINT("stiffness: 2"), "file:5: [unknown] joint 'j': unknown key 'stiffness'"},
        {JOINT("limits: {acceleration: 2}"),
         "file:5: [unknown] joint 'j': unknown key 'acceleration'"},
        {JOINT("origin: {abc: 2}"), "file:5: [unknown] joint 'j': unknown key 'abc'"},
        {"dh: {convention: standard, rows: [],\n units: mm}",
         "file:2: [unknown] dh: unknown key 'units'"},
        {"dh: {convention: standard, rows: [{joint: j, link: l, kind: fixed,\n x: 1}]}",
         "file:2: [unknown] joint 'j': unknown key 'x'"},
        {JOINT("") "frames:\n- {name: f, link: a,\n   size: 1}\n",
         "file:8: [unknown] frame 'f': unknown key 'size'"},
        {"bodies: [{name: a}, {name: b}]\njoints:\n"
         "- {name: j, kind: fixed, parent: a, child: b, mimic: {joint: k}}",
         "file:3: [mimic]"},
        {"bodies: [{name: a, mass: 1, inertia: [1, 1, 5]}]", "file:1: [triangle]"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        reading r = read_with(arne_read_yaml, cases[i].text);
        assert_good(&r);
        assert_says(r.warnings, cases[i].says);
        assert_int_equal(r.warning_count, 1);
        end_reading(&r);
    }
}

int main(void)
{
    if (!READERS_ARE_BUILT) return print_readers_missing();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_file),         cmocka_unit_test(the_documented_example),
        cmocka_unit_test(every_joint_kind),   cmocka_unit_test(forms_of_an_inertia),
        cmocka_unit_test(mimic_joints),       cmocka_unit_test(friction_and_rotor_sections),
        cmocka_unit_test(motors_and_springs), cmocka_unit_test(anchors),
        cmocka_unit_test(standard_dh),        cmocka_unit_test(craig_dh),
        cmocka_unit_test(khalil_dh),          cmocka_unit_test(extends_urdf),
        cmocka_unit_test(extended_inertia),   cmocka_unit_test(extends_that_fail),
        cmocka_unit_test(unknown_keys),
    };
    return cmocka_run_group_tests_name("yaml", tests, NULL, NULL);
}
