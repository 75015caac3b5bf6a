// Bushings: springs and dampers on the coordinates of one frame in another, read from both layouts
// of OpenSim's files. Coordinates and torques by a joint that has them, arms by differences, energy
// over time. And what has no activation pulls whatever drives a simulation.
#include "testing.h"
#include <stdio.h>
#include <stdlib.h>

enum { COORDINATES = 7, COMPONENTS = 6 };
static const double stiff[COMPONENTS] = {1000, 2000, 1500, 30, 40, 50},
                    slow[COMPONENTS] = {10, 20, 15, 0.3, 0.4, 0.5};

#define SPRINGS                                                                                    \
    "<rotational_stiffness>30 40 50</rotational_stiffness>"                                        \
    "<translational_stiffness>1000 2000 1500</translational_stiffness>"
#define DAMPERS                                                                                    \
    "<rotational_damping>0.3 0.4 0.5</rotational_damping>"                                         \
    "<translational_damping>10 20 15</translational_damping>"

// Frames of the bushing: those of the free joint, or others.
static const char *const NEW_FRAMES[2] = {
    "<socket_frame1>/bodyset/a</socket_frame1><socket_frame2>/bodyset/b</socket_frame2>",
    "<socket_frame1>one</socket_frame1><socket_frame2>two</socket_frame2><frames>"
    "<PhysicalOffsetFrame name='one'><socket_parent>/bodyset/a</socket_parent>"
    "<translation>0.01 0.2 0.02</translation><orientation>0.1 0.2 -0.1</orientation>"
    "</PhysicalOffsetFrame><PhysicalOffsetFrame name='two'><socket_parent>/bodyset/b"
    "</socket_parent><translation>0 -0.01 0.02</translation><orientation>0 0.2 0.3</orientation>"
    "</PhysicalOffsetFrame></frames>"};
static const char *const OLD_FRAMES[2] = {
    "<body_1>a</body_1><body_2>b</body_2>",
    "<body_1>a</body_1><body_2>b</body_2><location_body_1>0.01 0.2 0.02</location_body_1>"
    "<orientation_body_1>0.1 0.2 -0.1</orientation_body_1><location_body_2>0 -0.01 0.02"
    "</location_body_2><orientation_body_2>0 0.2 0.3</orientation_body_2>"};

#define COORDINATES_OF_FREE                                                                        \
    "<Coordinate name='rx'/><Coordinate name='ry'/><Coordinate name='rz'/><Coordinate "            \
    "name='tx'/><Coordinate name='ty'/><Coordinate name='tz'/>"

static arne_robot *bushing_robot(const char *text, const char *path)
{
    arne_builder *builder;
    arne_robot   *robot = NULL;
    arne_error    error = {0};
    assert_ok(arne_builder_new(&builder));
    arne_status status = arne_read_text(builder, text, strlen(text), path, &error);
    if (!status) status = arne_builder_finish(builder, NULL, &robot, &error);
    arne_builder_free(builder);
    if (!robot) fail_msg("%s:%d: %s", error.file, error.line, error.text);
    return robot;
}

static arne_robot *bushing_read(int old, int others, int damped)
{
    const char *law = damped ? SPRINGS DAMPERS : SPRINGS;
    char        text[4000];
    if (old)
        snprintf(text, sizeof text,
                 "<OpenSimDocument Version='30000'><Model name='m'><gravity>0 -9.8 0</gravity>"
                 "<BodySet><objects><Body name='ground'/><Body name='a'><mass>2</mass>"
                 "<mass_center>0 0.1 0</mass_center><inertia_xx>0.1</inertia_xx><inertia_yy>0.2"
                 "</inertia_yy><inertia_zz>0.15</inertia_zz><Joint><PinJoint name='pa'>"
                 "<parent_body>ground</parent_body><CoordinateSet><objects><Coordinate name='qa'/>"
                 "</objects></CoordinateSet></PinJoint></Joint></Body><Body name='b'><mass>1</mass>"
                 "<mass_center>0.05 0.1 0</mass_center><inertia_xx>0.05</inertia_xx><inertia_yy>"
                 "0.02</inertia_yy><inertia_zz>0.03</inertia_zz><Joint><FreeJoint name='fb'>"
                 "<parent_body>a</parent_body><CoordinateSet><objects>" COORDINATES_OF_FREE
                 "</objects></CoordinateSet></FreeJoint></Joint></Body></objects></BodySet>"
                 "<ForceSet><objects><BushingForce name='disc'>%s%s</BushingForce></objects>"
                 "</ForceSet></Model></OpenSimDocument>",
                 OLD_FRAMES[others], law);
    else
        snprintf(text, sizeof text,
                 "<OpenSimDocument Version='40000'><Model name='m'><gravity>0 -9.8 0</gravity>"
                 "<BodySet><objects><Body name='a'><mass>2</mass><mass_center>0 0.1 0</mass_center>"
                 "<inertia>0.1 0.2 0.15 0 0 0</inertia></Body><Body name='b'><mass>1</mass>"
                 "<mass_center>0.05 0.1 0</mass_center><inertia>0.05 0.02 0.03 0 0 0</inertia>"
                 "</Body></objects></BodySet><JointSet><objects><PinJoint name='pa'>"
                 "<socket_parent_frame>/ground</socket_parent_frame><socket_child_frame>/bodyset/a"
                 "</socket_child_frame><coordinates><Coordinate name='qa'/></coordinates>"
                 "</PinJoint><FreeJoint name='fb'><socket_parent_frame>/bodyset/a"
                 "</socket_parent_frame><socket_child_frame>/bodyset/b</socket_child_frame>"
                 "<coordinates>" COORDINATES_OF_FREE "</coordinates></FreeJoint></objects>"
                 "</JointSet><ForceSet><objects><BushingForce name='disc'>%s%s</BushingForce>"
                 "</objects></ForceSet></Model></OpenSimDocument>",
                 NEW_FRAMES[others], law);
    return bushing_robot(text, "bushing.osim");
}

static void bushing_state(rng *r, double *q, double *qd)
{
    for (int i = 0; i < COORDINATES; i++) {
        q[i] = rng_uniform(r, -1, 1);
        qd[i] = rng_uniform(r, -1, 1);
    }
}

// Between the frames of a free joint the bushing has its coordinates, and what it gives are springs
// and dampers on them.
static void a_bushing_has_the_coordinates_of_its_joint(void **unused)
{
    static const char *const names[COMPONENTS] = {"tx", "ty", "tz", "rx", "ry", "rz"};
    rng                      r = rng_seed(5);
    (void)unused;
    for (int old = 0; old < 2; old++) {
        arne_robot *robot = bushing_read(old, 0, 1);
        arne_work  *work = new_work(robot);
        double      q[COORDINATES], qd[COORDINATES], none[COMPONENTS] = {0};
        int         of[COMPONENTS];
        assert_int_equal(arne_muscle_count(robot), COMPONENTS);
        for (int m = 0; m < COMPONENTS; m++)
            of[m] = arne_robot_joint(robot, arne_find_joint(robot, names[m])).q_start;
        for (int k = 0; k < 20; k++) {
            double length[COMPONENTS], speed[COMPONENTS], pull[COMPONENTS];
            double arms[COMPONENTS * COORDINATES];
            bushing_state(&r, q, qd);
            assert_ok(arne_muscle_lengths(robot, work, q, qd, length, speed));
            assert_ok(arne_muscle_moment_arms(robot, work, q, arms));
            assert_ok(arne_muscle_forces(robot, 1, none, length, speed, NULL, pull, NULL));
            for (int m = 0; m < COMPONENTS; m++) {
                assert_true(fabs(length[m] - q[of[m]]) < 1e-14);
                assert_true(fabs(speed[m] - qd[of[m]]) < 1e-14);
                assert_true(fabs(pull[m] - stiff[m] * q[of[m]] - slow[m] * qd[of[m]]) < 1e-11);
                for (int i = 0; i < COORDINATES; i++)
                    assert_true(fabs(arms[m * COORDINATES + i] + (i == of[m])) < 1e-14);
            }
        }
        arne_work_free(work);
        arne_robot_free(robot);
    }
}

// With other frames: both layouts are one, arms are slopes, velocities follow, wrenches give the
// same torques, and torques of a recorded motion are without what it gives.
static void bushings_obey_the_laws_of_paths(void **unused)
{
    arne_robot *robot = bushing_read(0, 1, 1), *old = bushing_read(1, 1, 1);
    arne_work  *work = new_work(robot);
    rng         r = rng_seed(8);
    (void)unused;
    for (int k = 0; k < 20; k++) {
        double q[COORDINATES], qd[COORDINATES], qdd[COORDINATES], other[COORDINATES];
        double L[COMPONENTS], V[COMPONENTS], L2[COMPONENTS], arms[COMPONENTS * COORDINATES];
        double none[COMPONENTS] = {0}, pull[COMPONENTS], tau[COORDINATES], free_tau[COORDINATES];
        arne_wrench f[8];
        bushing_state(&r, q, qd);
        bushing_state(&r, other, qdd);
        memset(f, 0, sizeof f);
        assert_ok(arne_muscle_lengths(robot, work, q, qd, L, V));
        assert_ok(arne_muscle_moment_arms(robot, work, q, arms));
        assert_ok(arne_muscle_forces(robot, 1, none, L, V, NULL, pull, NULL));
        assert_true(arne_robot_sizes(robot).body_count <= 8);
        for (int i = 0; i < COORDINATES; i++) {
            static const double c[3] = {45. / 60, -9. / 60, 1. / 60};
            double              slope[COMPONENTS] = {0}, up[COMPONENTS], down[COMPONENTS];
            const double        h = 2e-3;
            for (int s = 0; s < 3; s++) {
                memcpy(other, q, sizeof q);
                other[i] = q[i] + (s + 1) * h;
                assert_ok(arne_muscle_lengths(robot, work, other, NULL, up, NULL));
                other[i] = q[i] - (s + 1) * h;
                assert_ok(arne_muscle_lengths(robot, work, other, NULL, down, NULL));
                for (int m = 0; m < COMPONENTS; m++)
                    slope[m] += c[s] * (up[m] - down[m]) / h;
            }
            for (int m = 0; m < COMPONENTS; m++)
                assert_true(fabs(slope[m] + arms[m * COORDINATES + i]) < 1e-10);
        }
        for (int m = 0; m < COMPONENTS; m++) {
            double speed = 0;
            for (int i = 0; i < COORDINATES; i++)
                speed -= arms[m * COORDINATES + i] * qd[i];
            assert_true(fabs(speed - V[m]) < 1e-13);
        }
        assert_ok(arne_muscle_wrenches(robot, work, q, pull, f));
        arne_inverse_dynamics(robot, work, q, qd, qdd, f, tau);
        arne_inverse_dynamics(robot, work, q, qd, qdd, NULL, free_tau);
        const arne_recording row = {1, COORDINATES, &(double){0}, q, qd, qdd};
        double               recorded[COORDINATES];
        assert_ok(arne_recording_dynamics(robot, &row, NULL, recorded, NULL));
        for (int i = 0; i < COORDINATES; i++) {
            double given = 0;
            for (int m = 0; m < COMPONENTS; m++)
                given += arms[m * COORDINATES + i] * pull[m];
            assert_true(fabs(free_tau[i] - given - tau[i]) < 1e-10 * (1 + fabs(given)));
            assert_true(fabs(recorded[i] - tau[i]) < 1e-10 * (1 + fabs(given)));
        }
        arne_work *same = new_work(old);
        assert_ok(arne_muscle_lengths(old, same, q, NULL, L2, NULL));
        for (int m = 0; m < COMPONENTS; m++)
            assert_true(fabs(L[m] - L2[m]) < 1e-14);
        arne_work_free(same);
    }
    arne_work_free(work);
    arne_robot_free(robot);
    arne_robot_free(old);
}

typedef struct end {
    double                  q[COORDINATES], qd[COORDINATES], energy;
    arne_simulation_summary summary;
} end;

static end simulate(const arne_robot *robot, const double *q, const double *qd, double duration,
                    arne_controller *c)
{
    arne_simulation_spec sim = {
        .robot = robot, .duration = duration, .q = q, .qd = qd, .controller = c};
    const arne_sizes size = arne_robot_sizes(robot);
    arne_table      *table = NULL;
    arne_error       error = {0};
    end              e = {0};
    sim.record = ARNE_RECORD_Q | ARNE_RECORD_QD | ARNE_RECORD_ENERGY;
    sim.integrator.method = ARNE_METHOD_DORMAND_PRINCE;
    assert_ok_or(arne_simulate(&sim, NULL, NULL, &table, &e.summary, &error), &error);
    const int     total = arne_table_find(table, "energy.total");
    const double *row = arne_table_row(table, arne_table_rows(table) - 1);
    memcpy(e.q, row + 1, (size_t)size.q_count * sizeof *row);
    memcpy(e.qd, row + 1 + size.q_count, (size_t)size.v_count * sizeof *row);
    e.energy = row[total] - arne_table_row(table, 0)[total];
    arne_table_free(table);
    return e;
}

// What a bushing without dampers takes is in its springs; dampers take more, and the work of all is
// in balance.
static void energy_goes_into_springs_and_dampers(void **unused)
{
    static const double start[COORDINATES] = {0.3, 0.2, -0.4, 0.3, 0.05, 0.03, -0.04};
    (void)unused;
    for (int damped = 0; damped < 2; damped++) {
        arne_robot *robot = bushing_read(0, 1, damped);
        const end   e = simulate(robot, start, NULL, 0.5, NULL);
        arne_work  *work = new_work(robot);
        double      stored[2] = {0};
        for (int k = 0; k < 2; k++) {
            double L[COMPONENTS];
            assert_ok(arne_muscle_lengths(robot, work, k ? e.q : start, NULL, L, NULL));
            for (int m = 0; m < COMPONENTS; m++)
                stored[k] += 0.5 * stiff[m] * L[m] * L[m];
        }
        const double lost = stored[0] - stored[1] - e.energy;
        assert_true(e.summary.energy_residual < 1e-7);
        assert_true(damped ? lost > 0.1 : fabs(lost) < 1e-7 * stored[0]);
        arne_work_free(work);
        arne_robot_free(robot);
    }
}

// A mass that flies into an elastic limit comes back as fast; a ligament and a spring swing it.
// That is so without a controller, and no more with muscles as the controller.
static void what_has_no_activation_always_pulls(void **unused)
{
    static const char *const laws[3] = {
        "law: limit, joint: x, limits: [-1, 0.2], limit_stiffness: [300, 300], transition: 0.01}",
        "law: ligament, max_force: 8, slack_length: 0.5, curve: {polynomial: [-1, 1]}, "
        "points: [{link: base, position: [-1, 0, 0]}, {link: ball}]}",
        "law: spring, stiffness: 16, slack_length: 0.5, "
        "points: [{link: base, position: [-1, 0, 0]}, {link: ball}]}"};
    (void)unused;
    for (int k = 0; k < 3; k++) {
        const double      q = 0, qd = 1, duration = k ? 0.3 : 1;
        const double      w = 4, t = k ? duration : 0; // 16 N/m on 1 kg, pulled by 8 N at the start
        char              text[1000];
        arne_muscle_drive drive = {.size = sizeof drive};
        arne_controller  *muscles = NULL;
        snprintf(text, sizeof text,
                 "gravity: [0, 0, 0]\nbodies: [{name: base}, {name: ball, mass: 1}]\njoints: "
                 "[{name: x, kind: prismatic, parent: base, child: ball, axis: [1, 0, 0]}]\n"
                 "muscles: [{name: m, %s]\n",
                 laws[k]);
        arne_robot  *robot = bushing_robot(text, "ball.yaml");
        const double wanted = k ? cos(w * t) - 0.5 * w * sin(w * t) : -1;
        assert_ok(arne_controller_muscles(robot, &drive, &muscles, NULL));
        for (int driven = 0; driven < 2; driven++) {
            const end e = simulate(robot, &q, &qd, duration, driven ? muscles : NULL);
            if (fabs(e.qd[0] - wanted) > 1e-7) fail_msg("%d: %.12g, not %.12g", k, e.qd[0], wanted);
            assert_true(e.summary.energy_residual < 1e-7);
        }
        arne_controller_free(muscles);
        arne_robot_free(robot);
    }
}

// Springs and dampers of bushings and of limits scale as those of joints: with the length l and the
// mass m forces by m / l and m where they slide, torques by m l and m l^2 where they turn.
static void scaled_bushings_are_as_springs_of_joints(void **unused)
{
    static const char text[] =
        "bodies: [{name: base}, {name: cart, mass: 1}, {name: arm, mass: 1}]\n"
        "joints:\n"
        "  - {name: x, kind: prismatic, parent: base, child: cart, axis: [1, 0, 0]}\n"
        "  - {name: z, kind: revolute, parent: cart, child: arm, axis: [0, 0, 1]}\n"
        "elastic:\n"
        "  - {joint: x, stiffness: 20, damping: 3}\n"
        "  - {joint: z, stiffness: 20, damping: 3}\n"
        "muscles:\n"
        "  - {name: slides, law: tendon, measure: x, elastic: [20, 0, 0], viscous: [3, 0, 0],\n"
        "     points: [{link: base}, {link: cart}]}\n"
        "  - {name: turns, law: tendon, measure: turn_z, elastic: [20, 0, 0], viscous: [3, 0, 0],\n"
        "     points: [{link: cart}, {link: arm}]}\n"
        "  - {name: x_stop, law: limit, joint: x, limits: [-1, 1], limit_stiffness: [9, 9],\n"
        "     damping: 3, transition: 0.1}\n"
        "  - {name: z_stop, law: limit, joint: z, limits: [-1, 1], limit_stiffness: [9, 9],\n"
        "     damping: 3, transition: 0.1}\n";
    const double  q[2] = {0.3, 0.2}, beyond[2] = {9, 9}, qd[2] = {0.4, 0.5}, none[4] = {0};
    double        L[4], V[4], pull[2][4];
    arne_builder *b;
    arne_robot   *robot = NULL;
    arne_error    error = {0};
    (void)unused;
    assert_ok(arne_builder_new(&b));
    assert_ok_or(arne_read_yaml(b, text, strlen(text), "cart.yaml", &error), &error);
    assert_ok(arne_builder_scale(b, 2, 3));
    assert_ok_or(arne_builder_finish(b, NULL, &robot, &error), &error);
    arne_builder_free(b);
    arne_work *work = new_work(robot);
    assert_ok(arne_muscle_lengths(robot, work, q, qd, L, V));
    assert_ok(arne_muscle_forces(robot, 1, none, L, V, NULL, pull[0], NULL));
    for (int i = 0; i < 2; i++) {
        const arne_spring_info s = arne_robot_spring(robot, i);
        assert_true(fabs(pull[0][i] - s.stiffness * q[i] - s.damping * qd[i]) < 1e-12);
    }
    // Damping acts beyond a limit: it is the difference of the forces at two velocities.
    for (int k = 0; k < 2; k++) {
        const double speed[2] = {k ? qd[0] : 0, k ? qd[1] : 0};
        assert_ok(arne_muscle_lengths(robot, work, beyond, speed, L, V));
        assert_ok(arne_muscle_forces(robot, 1, none, L, V, NULL, pull[k], NULL));
    }
    for (int i = 0; i < 2; i++)
        assert_true(fabs(fabs(pull[1][2 + i] - pull[0][2 + i]) -
                         arne_robot_spring(robot, i).damping * qd[i]) < 1e-9);
    arne_work_free(work);
    arne_robot_free(robot);
}

// A measure is that of a tendon between two points.
static void other_measures_are_refused(void **unused)
{
    static const char *const bad[3] = {
        "{name: m, law: spring, stiffness: 1, measure: x, points: [{link: base}, {link: ball}]}",
        "{name: m, law: tendon, measure: x, points: [{link: base}, {link: ball}, {link: base}]}",
        "{name: m, law: tendon, measure: w, points: [{link: base}, {link: ball}]}"};
    (void)unused;
    for (int i = 0; i < 3; i++) {
        char          text[600];
        arne_builder *builder;
        arne_robot   *robot = NULL;
        arne_error    error = {0};
        snprintf(text, sizeof text,
                 "bodies: [{name: base}, {name: ball, mass: 1}]\njoints: [{name: x, kind: "
                 "prismatic, parent: base, child: ball}]\nmuscles:\n  - %s\n",
                 bad[i]);
        assert_ok(arne_builder_new(&builder));
        arne_status status = arne_read_yaml(builder, text, strlen(text), "bad.yaml", &error);
        if (!status) status = arne_builder_finish(builder, NULL, &robot, &error);
        if (!status || !strstr(error.text, "measure") || error.line != 4)
            fail_msg("%d: line %d: %s", i, error.line, error.text);
        arne_builder_free(builder);
        arne_robot_free(robot);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef ARNE_HAVE_EXPAT
        cmocka_unit_test(a_bushing_has_the_coordinates_of_its_joint),
        cmocka_unit_test(bushings_obey_the_laws_of_paths),
        cmocka_unit_test(energy_goes_into_springs_and_dampers),
#endif
        cmocka_unit_test(what_has_no_activation_always_pulls),
        cmocka_unit_test(scaled_bushings_are_as_springs_of_joints),
        cmocka_unit_test(other_measures_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
