// Small models of OpenSim with one of each part: the oldest layout with its defaults, the newest
// with sockets; muscles, actuators and springs on paths, contact; what is not read is named once.
#include "testing.h"
#include <arne/contact.h>
#include <stdio.h>
#include <stdlib.h>

#define OLD TEST_DATA_DIR "/osim/parts_v20303.osim"
#define NEW TEST_DATA_DIR "/osim/parts_v40500.osim"

typedef struct said {
    char text[3000];
} said;

static void parts_note(void *context, const arne_warning *w)
{
    said        *s = context;
    const size_t used = strlen(s->text);
    snprintf(s->text + used, sizeof s->text - used, "%s\n", w->text);
}

static arne_robot *parts_load(const char *path, said *warnings)
{
    arne_error         error = {0};
    arne_robot        *robot = NULL;
    arne_build_options options = {.warn = parts_note, .warn_context = warnings};
    assert_ok_or(arne_robot_read(path, &options, &robot, &error), &error);
    return robot;
}

static arne_muscle_spec parts_muscle(const arne_robot *robot, const char *name)
{
    const int i = arne_find_muscle(robot, name);
    if (i < 0) fail_msg("no muscle '%s'", name);
    return arne_robot_muscle(robot, i);
}

static void the_oldest_layout_is_read(void **unused)
{
    said        warnings = {0};
    arne_robot *robot = parts_load(OLD, &warnings);
    (void)unused;
    assert_string_equal(
        warnings.text,
        "not used of this model: 1 Schutte1993Muscle_Deprecated, 1 RigidTendonMuscle\n"
        "half-space 'floor' is not read; a scenario has it as {type: ground, point: [0, 0, 0], "
        "normal: [3.2051e-09, 1, 0]}\n");
    const arne_joint_info locked = arne_robot_joint(robot, arne_find_joint(robot, "hip_locked"));
    assert_true(locked.lower == 0.3 && locked.upper == 0.3 && !locked.soft);
    const arne_joint_info hip = arne_robot_joint(robot, arne_find_joint(robot, "hip_flexion"));
    assert_true(hip.lower == -2.0943951 && hip.soft);
    const arne_joint_info knee = arne_robot_joint(robot, arne_find_joint(robot, "knee_angle"));
    assert_true(knee.lower == -2 && knee.upper == 0.2 && !knee.soft && knee.start == 0);
    // force and shapes of the model's defaults; the rest of the muscle itself or of the law
    const arne_muscle_law law = parts_muscle(robot, "quad").law;
    assert_true(law.kind == ARNE_MUSCLE_THELEN && law.max_force == 1000);
    assert_true(law.tendon_strain == 0.033 && law.active_shape == 0.5 && law.passive_shape == 4);
    assert_true(law.max_velocity == 12 && law.pennation == 0.1 && law.lengthening_force == 1.4);
    const arne_path_point moving = arne_muscle_point(robot, 0, 2);
    assert_true(moving.functions[0].ends == ARNE_ENDS_SIMM && moving.functions[1].factor == -1.1);
    assert_true(arne_muscle_wrap(robot, 0, 0).first == 0 &&
                arne_muscle_wrap(robot, 0, 0).last == 2);
    // constants of translation1 (no value: 0), of translation2 (no function) and of a multiplier
    double     q[3] = {0, 0.3, 0};
    arne_work *work = NULL;
    assert_ok(arne_work_new(robot, &work));
    arne_kinematics(robot, work, q, NULL, NULL);
    const arne_pose thigh = arne_frame_pose(robot, work, arne_find_frame(robot, "thigh"));
    assert_true(thigh.p.x == 0 && thigh.p.y == 1 && fabs(thigh.p.z - 0.2) < 1e-15);
    arne_work_free(work);
    arne_robot_free(robot);
}

static void the_newest_layout_is_read(void **unused)
{
    said        warnings = {0};
    arne_robot *robot = parts_load(NEW, &warnings);
    (void)unused;
    assert_string_equal(
        warnings.text,
        "coordinate 'u1' is prescribed over time, which is not used\n"
        "coordinate 'u2' is prescribed over time, which is not used\n"
        "not used of this model: 1 PointConstraint, 1 PathWrap, 1 ignore_activation_dynamics, 1 "
        "HuntCrossleyForce, 1 SmoothSphereHalfSpaceForce, "
        "1 TorqueActuator, 1 clamp_normalized_tendon_length, 1 ContactMesh\n"
        "half-space 'floor' is not read; a scenario has it as {type: ground, point: [0, -0.1, 0], "
        "normal: [0, 1, 0]}\n");
    // frames on frames of bodies and joints
    double     q[8] = {0};
    arne_work *work = NULL;
    assert_int_equal(arne_robot_sizes(robot).q_count, 8);
    assert_ok(arne_work_new(robot, &work));
    arne_kinematics(robot, work, q, NULL, NULL);
    const arne_vec3 marker = arne_frame_pose(robot, work, arne_find_frame(robot, "M1")).p;
    const double    s = sin(0.5), c = cos(0.5);
    assert_true(fabs(marker.x - (0.1 + 0.3 * s + 0.01 * c - 0.02 * s)) < 1e-15);
    assert_true(fabs(marker.y - (0.6 - 0.3 * c + 0.01 * s + 0.02 * c)) < 1e-15);
    arne_work_free(work);
    const arne_muscle_spec degroote = parts_muscle(robot, "dgf");
    assert_true(degroote.law.active_width == 1.5 && degroote.law.damping == 0.01);
    assert_true(degroote.law.passive_strain == 0.55 && degroote.law.tendon_strain == 0.05);
    assert_int_equal(degroote.wrap_count, 1); // the ellipsoid; a torus is wrapped alone
    assert_true(arne_robot_wrap(robot, 0).shape == ARNE_WRAP_TORUS);
    assert_true(arne_robot_wrap(robot, 0).size[1] == 0.05);
    const int             own = arne_find_muscle(robot, "dgf");
    const arne_path_point at = arne_muscle_point(robot, own, 2);
    assert_string_equal(arne_muscle_point(robot, own, 1).joint, "u1");
    assert_true(!strcmp(at.follows[0], "u1") && !at.follows[1] && at.position.y == 0.1);
    assert_true(at.functions[2].ends == ARNE_ENDS_STRAIGHT);
    assert_true(parts_muscle(robot, "lig").curve.count == 4);
    assert_true(parts_muscle(robot, "mil").law.kind == ARNE_MUSCLE_MILLARD);
    // the coordinate that is a path in newer files
    assert_string_equal(parts_muscle(robot, "lim").joint, "p");
    assert_true(arne_robot_joint(robot, arne_find_joint(robot, "p")).effort == 20);
    arne_robot_free(robot);
}

// An actuator pulls with its largest control times its optimal force; a spring pushes too.
static void actuators_and_springs_pull(void **unused)
{
    said        warnings = {0};
    arne_robot *robot = parts_load(NEW, &warnings);
    const int   count = arne_muscle_count(robot), spring = arne_find_muscle(robot, "pps");
    double      q[8] = {0}, qd[8] = {0}, on[16], length[16], speed[16], force[16];
    arne_work  *work = NULL;
    (void)unused;
    assert_true(count <= 16);
    for (int i = 0; i < count; i++)
        on[i] = 0.5;
    assert_ok(arne_work_new(robot, &work));
    for (int up = 0; up < 2; up++) { // 1.4 m apart, then 0.1
        q[1] = 1.3 * up;
        assert_ok(arne_muscle_lengths(robot, work, q, qd, length, speed));
        assert_ok(arne_muscle_forces(robot, 1, on, length, speed, NULL, force, NULL));
        assert_true(fabs(force[spring] - 100 * ((up ? 0.1 : 1.4) - 0.3)) < 1e-9);
        assert_true(fabs(force[arne_find_muscle(robot, "pa")] - 0.5 * 500) < 1e-12);
    }
    arne_work_free(work);
    arne_robot_free(robot);
}

// `ball` is not found in the name `ball2`; a path that ends in a name names it.
static void friction_is_that_of_the_named_shape(void **unused)
{
    said        warnings = {0};
    arne_robot *robot = parts_load(NEW, &warnings);
    (void)unused;
    assert_int_equal(arne_robot_sizes(robot).contact_count, 2);
    assert_true(arne_robot_contact(robot, 0).friction == 0.7);
    assert_true(arne_robot_contact(robot, 1).friction == 0.9);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oldest_layout_is_read),
        cmocka_unit_test(the_newest_layout_is_read),
        cmocka_unit_test(actuators_and_springs_pull),
        cmocka_unit_test(friction_is_that_of_the_named_shape),
    };
#ifndef ARNE_HAVE_EXPAT
    return 0;
#endif
    return cmocka_run_group_tests(tests, NULL, NULL);
}
