// MJCF: mistakes, meshes, ties, actuators, steps and configurations of small files, and what is
// written.
#define _POSIX_C_SOURCE 200809L
#include "reading.h"
#include "robot/builder.h"
#include <dirent.h>
#include <unistd.h>

static double largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static arne_status read_mjcf(const char *text, findings *found, arne_robot **robot)
{
    arne_builder      *b = NULL;
    arne_error         error;
    const listeners    all = findings_listeners(found);
    arne_build_options how = {
        .warn = all.warn, .warn_context = found, .fail = all.fail, .fail_context = found};
    assert_int_equal(arne_builder_new(&b), ARNE_OK);
    arne_status       status = arne_read_text(b, text, strlen(text), "/nowhere/m.xml", &error);
    const arne_status built = arne_builder_finish(b, &how, robot, &error);
    if (!status) status = built;
    arne_builder_free(b);
    return status;
}

// Every mistake is told, with its place.
static void mistakes_have_places(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        int         line, column;
        const char *says;
    } bad[] = {
        {"<mujoco/>", 1, 1, "worldbody"},
        {"<mujocoinclude><worldbody/></mujocoinclude>", 1, 1, "include"},
        {"<mujoco><worldbody>\n <body pos='1 2'/></worldbody></mujoco>", 2, 2, "pos of <body>"},
        {"<mujoco><worldbody>\n <body quat='0 0 0 0'/></worldbody></mujoco>", 2, 2, "no length"},
        {"<mujoco><worldbody><body>\n  <joint type='hing'/></body></worldbody></mujoco>", 2, 3,
         "there are hinge"},
        {"<mujoco><worldbody><body>\n  <joint axis='0 0 0'/></body></worldbody></mujoco>", 2, 3,
         "axis"},
        {"<mujoco><worldbody><body>\n  <geom class='x'/></body></worldbody></mujoco>", 2, 3,
         "default class 'x'"},
        {"<mujoco><worldbody><body>\n  <geom type='mesh' mesh='m'/></body></worldbody></mujoco>", 2,
         3, "no mesh 'm'"},
        {"<mujoco><worldbody><body>\n  <inertial pos='0 0 0'/></body></worldbody></mujoco>", 2, 3,
         "no mass"},
        {"<mujoco><compiler eulerseq='xyw'/><worldbody/></mujoco>", 1, 9, "eulerseq"},
        {"<mujoco><compiler coordinate='global'/><worldbody/></mujoco>", 1, 9, "global"},
        {"<mujoco><worldbody/><equality>\n<joint joint1='a'/></equality></mujoco>", 2, 1,
         "no joint 'a'"},
        {"<mujoco><worldbody/><equality>\n<weld body1='a'/></equality></mujoco>", 2, 1,
         "no body 'a'"},
        {"<mujoco><worldbody/><actuator>\n<motor joint='a'/></actuator></mujoco>", 2, 1,
         "no joint 'a'"},
        {"<mujoco><worldbody>\n<include file='x.xml'/></worldbody></mujoco>", 2, 1, "x.xml"},
        {"<mujoco><worldbody>\n<include file='/etc/passwd'/></worldbody></mujoco>", 2, 1,
         "must end in"},
        {"<mujoco><worldbody>\n<replicate count='1e9'/></worldbody></mujoco>", 2, 1, "count"},
        {"<mujoco><worldbody><replicate count='9999'>\n<replicate count='9999'><geom size='1'/>"
         "</replicate></replicate></worldbody></mujoco>",
         2, 1, "copies"},
        {"<mujoco><worldbody>\n<attach model='m' body='b'/></worldbody></mujoco>", 2, 1,
         "no model 'm'"},
        {"<mujoco><worldbody><body>\n<freejoint/><joint/></body></worldbody></mujoco>", 2, 1,
         "free joint"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        findings    found = {0};
        arne_robot *robot = NULL;
        assert_int_not_equal(read_mjcf(bad[i].text, &found, &robot), ARNE_OK);
        assert_null(robot);
        int k = 0;
        while (k < found.count && !found.item[k].code)
            k++;
        assert_true(k < found.count);
        if (!strstr(found.item[k].text, bad[i].says) || found.item[k].line != bad[i].line ||
            found.item[k].column != bad[i].column)
            print_error("%s\n  %d:%d: %s\n", bad[i].text, found.item[k].line, found.item[k].column,
                        found.item[k].text);
        assert_non_null(strstr(found.item[k].text, bad[i].says));
        assert_int_equal(found.item[k].line, bad[i].line);
        assert_int_equal(found.item[k].column, bad[i].column);
        findings_free(&found);
    }
}

static int count_of(const findings *found, const char *text)
{
    int count = 0;
    for (int i = 0; i < found->count; i++)
        count += strstr(found->item[i].text, text) != NULL;
    return count;
}

// A mesh with a face missing: inertia="convex" takes the hull, "shell" the three faces; one that is
// not known is told.
static void meshes_say_how_they_weigh(void **unused)
{
    (void)unused;
    static const struct {
        const char *face, *how;
        double      mass;
        int         told;
    } cases[] = {{"0 3 2", "convex", 1000.0 / 6, 0},
                 {"0 3 2", "exact", 1000.0 / 9, 0}, // seen from the middle of the faces
                 {"0 3 2", "shell", 1500, 0},
                 {"0 3 9", "shell", 0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char        text[600];
        findings    found = {0};
        arne_robot *robot = NULL;
        snprintf(text, sizeof text,
                 "<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' "
                 "face='0 2 1 0 1 3 %s' inertia='%s'/></asset><worldbody><body name='b'><joint/>"
                 "<geom type='mesh' mesh='m'/></body></worldbody></mujoco>",
                 cases[i].face, cases[i].how);
        assert_int_equal(read_mjcf(text, &found, &robot), ARNE_OK);
        const arne_frame_info b = arne_robot_frame(robot, arne_find_frame(robot, "b"));
        assert_true(fabs(b.mass - cases[i].mass) <= 1e-12 * 1000);
        assert_int_equal(count_of(&found, "mass of meshes"), cases[i].told);
        arne_robot_free(robot);
        findings_free(&found);
    }
}

#define CUBE "1 1 1 -1 1 1 1 -1 1 -1 -1 1 1 1 -1 -1 1 -1 1 -1 -1 -1 -1 -1"

// Geoms in pairs that are the same: boxes as meshes, whole and as shells, through refpos, refquat
// and scale; a shell of nearly a sphere, as an ellipsoid.
static void geoms_say_the_same(void **unused)
{
    (void)unused;
    static const char *const pairs[][2] = {
        {"type='mesh' mesh='box'", "type='box' size='.5 1 .25'"},
        {"type='mesh' mesh='box' shellinertia='true'",
         "type='box' size='.5 1 .25' shellinertia='true'"},
        {"type='mesh' mesh='shell'", "type='box' size='.5 1 .25' shellinertia='true'"},
        {"type='mesh' mesh='turned'", "type='box' size='.5 1 .25'"},
        {"type='ellipsoid' size='.5 .5 .5' shellinertia='true'", "size='.5' shellinertia='true'"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        double M[2];
        for (int k = 0; k < 2; k++) {
            char         text[900];
            findings     found = {0};
            arne_robot  *robot = NULL;
            arne_work   *work = NULL;
            const double q = 0;
            snprintf(text, sizeof text,
                     "<mujoco><asset><mesh name='box' vertex='" CUBE "' scale='.5 1 .25'/>"
                     "<mesh name='shell' vertex='" CUBE "' scale='.5 1 .25' inertia='shell'/>"
                     "<mesh name='turned' vertex='" CUBE "' scale='.5 1 .25' refpos='0 0 .5' "
                     "refquat='1 -1 0 0'/></asset><worldbody><body name='b'><joint axis='1 .4 2' "
                     "pos='.3 -1 0'/><geom pos='.2 %s .1' %s/></body></worldbody></mujoco>",
                     i == 3 && k ? ".5" : "0", pairs[i][k]);
            assert_int_equal(read_mjcf(text, &found, &robot), ARNE_OK);
            assert_int_equal(arne_work_new(robot, &work), ARNE_OK);
            arne_mass_matrix(robot, work, &q, &M[k]);
            arne_work_free(work);
            arne_robot_free(robot);
            findings_free(&found);
        }
        if (!(fabs(M[0] - M[1]) <= (i == 4 ? 3e-6 : 1e-12) * M[1])) // MuJoCo: 1 um thick
            fail_msg("%s: %.17g %.17g", pairs[i][0], M[0], M[1]);
    }
}

static const char *const ARM =
    "<mujoco model='arm'><compiler angle='radian'/><worldbody><light/><light/>\n"
    "<body name='a'><joint name='a' axis='0 1 0' range='-1 2' ref='0.3' solimplimit='1'/>\n"
    "<geom size='0.1' mass='1' masss='1'/><site name='a'/>\n"
    "<body pos='0 0 1'><joint axis='0 1 0' ref='0.1'/><geom size='0.1' mass='1' solref='1'/>\n"
    "<body pos='0 0 1'><joint name='c' axis='0 1 0' damping='0.2' stiffness='3' springref='1'/>\n"
    "<geom size='0.1' mass='1' solref='1'/></body></body></body></worldbody>\n"
    "<equality><joint joint1='c' joint2='a' polycoef='0.2 -2 0 0 0'/></equality>\n"
    "<actuator><motor joint='a' gear='-3' ctrlrange='-2 2'/></actuator></mujoco>";

// What is not used is named once; names are made unique; lines tie joints, which keep their
// springs.
static void arms_have_all_parts(void **unused)
{
    (void)unused;
    findings    found = {0};
    arne_robot *robot = NULL;
    assert_int_equal(read_mjcf(ARM, &found, &robot), ARNE_OK);
    assert_int_equal(count_of(&found, "<light> is not used (2 times)"), 1);
    assert_int_equal(count_of(&found, "'solref' of <geom> is not used (2 times)"), 1);
    assert_int_equal(
        count_of(&found, "unknown attribute 'masss' of <geom> is ignored (near matches: mass"), 1);
    assert_int_equal(count_of(&found, "now 'a_2'"), 1);
    assert_true(arne_find_frame(robot, "body_2") >= 0 &&
                arne_find_joint(robot, "body_2_continuous") >= 0);
    const arne_joint_info a = arne_robot_joint(robot, arne_find_joint(robot, "a"));
    const arne_joint_info c = arne_robot_joint(robot, arne_find_joint(robot, "c"));
    assert_true(a.lower == -1 && a.upper == 2 && a.effort == 6);
    // c - 0 = 0.2 - 2 (a - 0.3)
    assert_int_equal(c.mimic, arne_find_joint(robot, "a"));
    assert_true(c.mimic_ratio == -2 && fabs(c.mimic_offset - 0.8) < 1e-15);
    const arne_spring_info s = arne_robot_spring(robot, 0);
    assert_int_equal(s.joint, arne_find_joint(robot, "c"));
    assert_true(s.stiffness == 3 && s.rest == 1 && !s.passive);
    // MuJoCo has an entry for the joint that follows.
    const double q[2] = {0.5, 0.6}, qd[2] = {1, 2};
    double       qpos[3], qvel[3], again[2];
    arne_to_mujoco(robot, q, qd, NULL, qpos, qvel, NULL);
    assert_true(qpos[0] == 0.5 && qpos[1] == 0.6 && fabs(qpos[2] + 0.2) < 1e-15 && qvel[2] == -2);
    arne_from_mujoco(robot, qpos, NULL, NULL, again, NULL, NULL);
    assert_memory_equal(again, q, sizeof q);
    arne_robot_free(robot);
    findings_free(&found);
}

// A polynomial becomes a function, a fixed tendon with a spring a joint that moves nothing: energy
// has both, and MuJoCo has no entry for the tendon.
static void ties_are_functions_and_joints(void **unused)
{
    (void)unused;
    static const char text[] =
        "<mujoco><compiler angle='radian'/><default><geom size='0.1' mass='1'/></default>\n"
        "<worldbody><body name='a'><joint name='a' axis='0 0 1' ref='0.3'/><geom/></body>\n"
        "<body name='b'><joint name='b' axis='0 0 1' ref='0.1' stiffness='4' springref='1'/><geom/>"
        "</body></worldbody>\n"
        "<equality><joint joint1='b' joint2='a' polycoef='0.2 -2 0.5 0.1 0.3'/></equality>\n"
        "<tendon><fixed name='t' stiffness='7' damping='0.5' armature='0.2'><joint joint='a' "
        "coef='2'/><joint joint='b' coef='-3'/></fixed></tendon></mujoco>";
    findings     found = {0};
    arne_robot  *robot = NULL;
    arne_work   *work = NULL;
    const double q = 0.8, qd = 1.5, qdd = 0.7, x = q - 0.3, J = 0.4 * 0.01;
    double       qpos[2], qvel[2], qacc[2], tau, potential, M;
    int          nq, nv;
    assert_int_equal(read_mjcf(text, &found, &robot), ARNE_OK);
    assert_int_equal(found.count, 0);
    arne_mujoco_counts(robot, &nq, &nv);
    assert_true(nq == 2 && nv == 2 && arne_robot_sizes(robot).v_count == 1);
    arne_to_mujoco(robot, &q, &qd, &qdd, qpos, qvel, qacc);
    const double b = 0.1 + 0.2 - 2 * x + 0.5 * x * x + 0.1 * x * x * x + 0.3 * x * x * x * x;
    const double g = -2 + x + 0.3 * x * x + 1.2 * x * x * x, c = 1 + 0.6 * x + 3.6 * x * x;
    assert_true(fabs(qpos[1] - b) < 1e-15 && fabs(qvel[1] - g * qd) < 1e-14);
    assert_true(fabs(qacc[1] - g * qdd - c * qd * qd) < 1e-13);
    assert_int_equal(arne_work_new(robot, &work), ARNE_OK);
    // The length of the tendon, its slope, and what it is at rest.
    const double L = 2 * q - 3 * b, slope = 2 - 3 * g, rest = 2 * 0 - 3 * 1;
    const double bend = -3 * c * qd * qd; // of its acceleration
    arne_inverse_dynamics(robot, work, &q, &qd, &qdd, NULL, &tau);
    const double expected = J * qdd + g * J * qacc[1] + 4 * (b - 1) * g + 7 * (L - rest) * slope +
                            0.5 * slope * slope * qd + 0.2 * slope * (slope * qdd + bend);
    assert_true(fabs(tau - expected) < 1e-13 * fabs(expected));
    arne_mass_matrix(robot, work, &q, &M);
    assert_true(fabs(M - J - g * g * J - 0.2 * slope * slope) < 1e-14);
    arne_energy(robot, work, &q, &qd, NULL, &potential);
    assert_true(fabs(potential - 2 * (b - 1) * (b - 1) - 3.5 * (L - rest) * (L - rest)) < 1e-13);
    arne_work_free(work);
    arne_robot_free(robot);
    findings_free(&found);
}

// ---- actuators, contacts and meshes

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

// Gains of servos are at the joint; a body that is excluded with the world loses its contact; a
// mesh that is there has mass, and weight that actuators hold is not passive.
static void files_have_servos_and_meshes(void **unused)
{
    (void)unused;
    static const char text[] =
        "<mujoco><compiler angle='radian'/><default><geom size='0.1' mass='2'/></default><asset>"
        "<mesh name='m' file='m.stl' scale='2 1 1'/><mesh name='o' "
        "file='o.obj'/></asset><worldbody>\n"
        "<body name='a' gravcomp='0.5'><joint name='a' axis='0 1 0'/><geom/></body>\n"
        "<body name='b'><joint name='b' axis='0 1 0'/><geom/></body>\n"
        "<body name='c' gravcomp='1'><joint name='c' axis='0 1 0' actuatorgravcomp='true'/>\n"
        "<geom pos='0 0 1'/></body>\n"
        "<body name='d'><joint name='d' axis='0 1 0'/><geom type='mesh' mesh='m' mass='-1'\n"
        "density='600' contype='0' conaffinity='0'/></body>\n"
        "<body name='e'><joint name='e' axis='0 1 0'/><geom type='mesh' mesh='o' mass='-1'\n"
        "density='400' contype='0' conaffinity='0'/></body></worldbody>\n"
        "<contact><exclude body1='world' body2='b'/><exclude body1='a' body2='b'/></contact>\n"
        "<actuator><position joint='a' kp='5' kv='2' gear='3'/><velocity joint='b' kv='4'/>\n"
        "<position joint='c' kp='9' dampratio='0.5'/><general joint='d' biastype='affine'\n"
        "gainprm='7' biasprm='0 -7 -1'/></actuator></mujoco>";
    char        path[64] = "/tmp/arne_mjcf_XXXXXX", file[80], mesh[80], wedge[80];
    arne_robot *robot = NULL;
    arne_error  error;
    double      kp[5], kd[5];
    assert_non_null(mkdtemp(path));
    snprintf(wedge, sizeof wedge, "%s/o.obj", path);
    write_file(wedge, "# a wedge\nv 0 0 0\nv .3 0 0\nv .3 .2 0\nv 0 .2 0\nv 0 0 .4\nv 0 .2 .4\n"
                      "f 1 4 3 2\nf 1/1 2/1 5/1\nf 4//1 6//1 3//1\nf 2 3 6 5\nf 1 5 6 -3\n");
    snprintf(file, sizeof file, "%s/m.xml", path);
    snprintf(mesh, sizeof mesh, "%s/m.stl", path);
    write_file(file, text);
    write_file(mesh, "solid\n vertex 0 0 0\n vertex 0 1 0\n vertex 1 0 0\n vertex 0 0 0\n"
                     " vertex 1 0 0\n vertex 0 0 1\n vertex 0 0 0\n vertex 0 0 1\n vertex 0 1 0\n"
                     " vertex 1 0 0\n vertex 0 1 0\n vertex 0 0 1\n");
    assert_int_equal(arne_robot_read(file, NULL, &robot, &error), ARNE_OK);
    assert_int_equal(arne_read_servo_gains(file, robot, kp, kd, &error), ARNE_OK);
    const double inertia = 2 * (1 + 0.4 * 0.01);
    assert_true(kp[0] == 45 && kd[0] == 18 && kp[1] == 0 && kd[1] == 4 && kp[2] == 9);
    assert_true(fabs(kd[2] - sqrt(9 * inertia)) < 1e-14 && kp[3] == 7 && kd[3] == 1);
    assert_int_equal(arne_robot_sizes(robot).contact_count, 2);
    const arne_frame_info e = arne_robot_frame(robot, arne_find_frame(robot, "e"));
    assert_true(fabs(e.mass - 4.8) < 1e-6 && fabs(e.com.x - 0.1) < 1e-7); // in single precision
    assert_true(fabs(e.com.y - 0.1) < 1e-7 && fabs(e.com.z - 0.4 / 3) < 1e-7);
    const arne_frame_info a = arne_robot_frame(robot, arne_find_frame(robot, "a")),
                          c = arne_robot_frame(robot, arne_find_frame(robot, "c")),
                          d = arne_robot_frame(robot, arne_find_frame(robot, "d"));
    assert_true(a.gravity_compensation == 0.5 && c.gravity_compensation == 0);
    assert_true(fabs(d.mass - 200) < 1e-10 && fabs(d.com.x - 0.5) < 1e-14);
    assert_true(fabs(d.com.y - 0.25) < 1e-14 && fabs(d.com.z - 0.25) < 1e-14);
    arne_robot_free(robot);
    assert_int_equal(remove(file), 0);
    assert_int_equal(remove(mesh), 0);
    assert_int_equal(remove(wedge), 0);
    assert_int_equal(remove(path), 0);
}

// The step of a simulation is the scenario's, or the file's; for rigid contact, of 1 ms where
// neither says.
static void files_say_the_step(void **unused)
{
    (void)unused;
    static const struct {
        const char *option, *method;
        double      step;
    } cases[] = {{"<option timestep='0.005'/>", "integrator: {method: rk4}", 0.005},
                 {"<option timestep='0.005'/>", "integrator: {method: rk4, step: 1 ms}", 0.001},
                 {"<option timestep='0.005'/>", "limits: hold", 0.005},
                 {"", "limits: hold", 0.001},
                 {"", "integrator: {method: euler}", 0}};
    char path[64] = "/tmp/arne_mjcf_XXXXXX", file[80];
    assert_non_null(mkdtemp(path));
    snprintf(file, sizeof file, "%s/m.xml", path);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char           text[300], name[80];
        arne_scenario *s = NULL;
        snprintf(text, sizeof text,
                 "<mujoco>%s<worldbody><body><joint range='-1 1'/><geom size='1'/></body>"
                 "</worldbody></mujoco>",
                 cases[i].option);
        write_file(file, text);
        snprintf(name, sizeof name, "%s/s.yaml", path);
        snprintf(text, sizeof text, "robot: m.xml\nduration: 1\n%s\n", cases[i].method);
        const arne_status status =
            arne_scenario_read_yaml(text, strlen(text), name, NULL, &s, NULL);
        assert_int_equal(!status, cases[i].step > 0);
        if (s) assert_true(arne_scenario_simulation(s)->integrator.step == cases[i].step);
        arne_scenario_free(s);
    }
    assert_int_equal(remove(file), 0);
    assert_int_equal(remove(path), 0);
}

// ---- keyframes

static void keys_are_configurations(void **unused)
{
    (void)unused;
    static const char text[] =
        "<mujoco><compiler angle='radian'/><worldbody><body name='b'><freejoint/>\n"
        "<geom size='0.1'/><body pos='0 0 1'><joint name='j' axis='0 1 0'/><geom "
        "size='0.1'/></body>\n"
        "</body></worldbody><keyframe><key name='home' qpos='1 2 3 2 0 0 0 0.5'/>\n"
        "<key name='short' qpos='1'/></keyframe></mujoco>";
    char        path[] = "/tmp/arne_keys_XXXXXX";
    const int   file = mkstemp(path);
    arne_robot *robot = NULL;
    arne_error  error;
    double      q[8];
    assert_true(file >= 0 && write(file, text, sizeof text - 1) == (ssize_t)(sizeof text - 1));
    close(file);
    assert_int_equal(arne_robot_read(path, NULL, &robot, &error), ARNE_OK);
    assert_int_equal(arne_read_configuration(path, robot, "home", q, &error), ARNE_OK);
    const double wanted[8] = {1, 2, 3, 0, 0, 0, 1, 0.5};
    for (int i = 0; i < 8; i++)
        assert_true(q[i] == wanted[i]);
    assert_int_equal(arne_read_configuration(path, robot, "hom", q, &error), ARNE_NOT_FOUND);
    assert_non_null(strstr(error.text, "near matches: home"));
    assert_int_equal(arne_read_configuration(path, robot, "short", q, &error), ARNE_VALUE);
    remove(path);
    arne_robot_free(robot);
}

// ---- written and read again

static void count_lost(void *context, const arne_warning *warning)
{
    assert_string_equal(warning->rule, "lost");
    (*(int *)context)++;
}

// Where the entries of a joint's velocities are in the robot that was read back: a universal joint
// is two hinges there. Returns how many there are; 0: it is not there.
static int places_of(const arne_robot *back, const arne_joint_info *j, int v[6])
{
    static const char *const endings[2] = {"_x", "_y"};
    int                      count = 0;
    for (int i = 0; j->kind == ARNE_JOINT_UNIVERSAL && i < 2; i++) {
        char name[300];
        snprintf(name, sizeof name, "%s%s", j->name, endings[i]);
        const int k = arne_find_joint(back, name);
        if (k >= 0) v[count++] = arne_robot_joint(back, k).v_start;
    }
    if (j->kind == ARNE_JOINT_UNIVERSAL) return count;
    const int             is_base = j->kind == ARNE_JOINT_FREE && j->parent < 0;
    const int             k = is_base ? 0 : arne_find_joint(back, j->name);
    const arne_joint_info other = arne_robot_joint(back, k < 0 ? 0 : k);
    if (k < 0 || other.v_count != j->v_count) return 0;
    for (int i = 0; i < j->v_count; i++)
        v[count++] = other.v_start + i;
    return count;
}

// The same state in both, and a map of their velocities; 0 where joints differ.
static int same_state(const arne_robot *robot, const arne_robot *back, double *q, double *p,
                      int *map)
{
    uint64_t seed = 7;
    arne_random_configuration(robot, &seed, q);
    arne_neutral(back, p);
    for (int k = 0; k < arne_robot_sizes(robot).joint_count; k++) {
        const arne_joint_info j = arne_robot_joint(robot, k);
        int                   v[6];
        if (j.q_count == 0) continue;
        if (places_of(back, &j, v) != j.v_count) return 0;
        for (int i = 0; i < j.v_count; i++)
            map[j.v_start + i] = v[i];
        const int is_base = j.kind == ARNE_JOINT_FREE && j.parent < 0;
        const int other =
            j.kind == ARNE_JOINT_UNIVERSAL || is_base ? -1 : arne_find_joint(back, j.name);
        for (int i = 0; i < j.q_count; i++)
            p[other >= 0 ? arne_robot_joint(back, other).q_start + i
              : is_base  ? i
                         : v[i]] = q[j.q_start + i];
    }
    return 1;
}

static double apart_after(const arne_robot *robot, const arne_robot *back)
{
    const int  n = arne_robot_sizes(robot).v_count;
    arne_work *work[2] = {NULL, NULL};
    double    *q = calloc((size_t)arne_robot_sizes(robot).q_count + 1, sizeof *q),
           *p = calloc((size_t)arne_robot_sizes(back).q_count + 8, sizeof *p),
           *M = calloc(2 * (size_t)(n * n) + 1, sizeof *M), *N = M + n * n,
           *x = calloc(6 * (size_t)n + 1, sizeof *x), *out = calloc(2 * (size_t)n + 1, sizeof *out);
    int   *map = calloc((size_t)n + 1, sizeof *map);
    double worst_of = INFINITY;
    assert_int_equal(arne_work_new(robot, &work[0]), ARNE_OK);
    assert_int_equal(arne_work_new(back, &work[1]), ARNE_OK);
    if (arne_robot_sizes(back).v_count == n && same_state(robot, back, q, p, map)) {
        for (int i = 0; i < n; i++) {
            x[i] = x[2 * n + map[i]] = sin(i + 1.0);
            x[n + i] = x[3 * n + map[i]] = cos(3.0 * i);
        }
        arne_mass_matrix(robot, work[0], q, M);
        arne_mass_matrix(back, work[1], p, N);
        arne_inverse_dynamics(robot, work[0], q, x, x + n, NULL, out);
        arne_inverse_dynamics(back, work[1], p, x + 2 * n, x + 3 * n, NULL, out + n);
        worst_of = 0;
        for (int i = 0; i < n; i++) {
            worst_of = fmax(worst_of, fabs(out[i] - out[n + map[i]]) / (largest(out, n) + 1e-300));
            for (int k = 0; k < n; k++)
                worst_of = fmax(worst_of, fabs(M[i * n + k] - N[map[i] * n + map[k]]) /
                                              (largest(M, n * n) + 1e-300));
        }
    }
    arne_work_free(work[0]);
    arne_work_free(work[1]);
    free(q);
    free(p);
    free(M);
    free(x);
    free(out);
    free(map);
    return worst_of;
}

// Every robot that MJCF can say has the same mass matrix and torques after a way through it.
static void mjcf_reads_back_or_says_what_is_lost(void **unused)
{
    (void)unused;
    DIR *all = opendir(ARNE_ROBOTS_DIR);
    int  whole = 0, lossy = 0;
    assert_non_null(all);
    for (const struct dirent *e; (e = readdir(all)) != NULL;) {
        char        path[600], *text = NULL;
        size_t      size;
        arne_robot *robot = NULL, *back = NULL;
        arne_error  error;
        findings    found = {0};
        int         lost = 0;
        if (e->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", ARNE_ROBOTS_DIR, e->d_name);
        if (arne_robot_read(path, NULL, &robot, &error)) continue;
        assert_int_equal(
            arne_robot_text(robot, ARNE_FORMAT_MJCF, count_lost, &lost, &text, &size, &error),
            ARNE_OK);
        const arne_status status = read_mjcf(text, &found, &back);
        if (status) print_error("%s: %s\n", path, found.item[0].text);
        assert_int_equal(status, ARNE_OK);
        const double apart_by = lost ? 0 : apart_after(robot, back);
        if (apart_by > 1e-12) print_error("%s: %g apart after MJCF\n", path, apart_by);
        assert_true(apart_by <= 1e-12);
        whole += !lost;
        lossy += lost > 0;
        free(text);
        findings_free(&found);
        arne_robot_free(robot);
        arne_robot_free(back);
    }
    closedir(all);
    assert_true(whole >= 5 && lossy >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_have_places),
        cmocka_unit_test(meshes_say_how_they_weigh),
        cmocka_unit_test(geoms_say_the_same),
        cmocka_unit_test(arms_have_all_parts),
        cmocka_unit_test(ties_are_functions_and_joints),
        cmocka_unit_test(files_have_servos_and_meshes),
        cmocka_unit_test(files_say_the_step),
        cmocka_unit_test(keys_are_configurations),
        cmocka_unit_test(mjcf_reads_back_or_says_what_is_lost),
    };
    return READERS_ARE_BUILT ? cmocka_run_group_tests(tests, NULL, NULL) : print_readers_missing();
}
