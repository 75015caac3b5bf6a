// References and controllers as scenarios write them: what is read moves as it should, what is
// wrong is said with its line.
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char HEAD[] = "robot: " ARNE_ROBOTS_DIR "/arm6.yaml\n"
                           "duration: 4\n"
                           "initial: {q: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]}\n";
enum { HEAD_LINES = 3 };

// A scenario of two texts.
static arne_status read_parts(const char *head, const char *text, arne_scenario **out,
                              arne_error *error)
{
    char        path[256];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/arne-scenario-%ld.yaml", folder ? folder : "/tmp",
             (long)getpid());
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(head, file) >= 0 && fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    *out = NULL;
    const arne_status status = arne_scenario_read(path, NULL, out, error);
    if (status && error->line) assert_string_equal(error->file, path);
    remove(path);
    return status;
}

// A scenario with these lines behind the head.
static arne_status read_scenario(const char *text, arne_scenario **out, arne_error *error)
{
    return read_parts(HEAD, text, out, error);
}

static arne_scenario *good(const char *text)
{
    arne_scenario *s;
    arne_error     error;
    assert_ok_or(read_scenario(text, &s, &error), &error);
    return s;
}

static void place(const arne_scenario *s, double t, double *q, double *qd)
{
    arne_trajectory_evaluate(arne_scenario_simulation(s)->reference, t, q, qd, NULL, NULL, NULL);
}

static void references(void **unused)
{
    (void)unused;
    double         q[6], qd[6];
    arne_scenario *s = good("reference: {type: point_to_point, to: {joint1: 90 deg}, duration: 2, "
                            "start: 1}\n");
    place(s, 2, q, qd);
    assert_true(fabs(q[0] - 0.5 * (0.1 + acos(0))) < 1e-12 && fabs(q[1] - 0.2) < 1e-15);
    assert_true(fabs(qd[0] - 1.875 * (acos(0) - 0.1) / 2) < 1e-12);
    place(s, 0.9, q, qd);
    assert_true(q[0] == 0.1 && qd[0] == 0);
    arne_scenario_free(s);

    // Slower than the second it was given, and there in the end.
    s = good("reference: {type: point_to_point, to: 1, duration: 1, start: 1, scaling: "
             "{torque: 1e4, torque_rate: 100}}\n");
    place(s, 99, q, qd);
    assert_true(fabs(q[1] - 1) < 1e-12 && qd[1] == 0);
    place(s, 2, q, qd);
    assert_true(q[1] < 1 - 1e-6 && qd[1] > 0);
    place(s, 0.5, q, qd);
    assert_true(q[1] == 0.2 && qd[1] == 0);
    arne_scenario_free(s);

    s = good("reference: {type: point_to_point, to: 1, profile: s_curve, velocity: {joint1: 1}, "
             "acceleration: 2, jerk: 10}\n");
    place(s, 99, q, qd);
    assert_true(fabs(q[0] - 1) < 1e-14);
    arne_scenario_free(s);

    s = good("reference:\n  type: waypoints\n  times: [0, 1, 2]\n"
             "  points: [0, [1, 2, 0, 0, 0, 0], 0]\n  interpolation: quintic\n");
    place(s, 1, q, qd);
    assert_true(fabs(q[1] - 2) < 1e-12 && fabs(qd[1]) < 1e-12);
    arne_scenario_free(s);

    s = good("reference: {type: bspline, degree: 2, duration: 3, control: [0, 1, 1, 0.5]}\n");
    place(s, 3, q, qd);
    assert_true(fabs(q[4] - 0.5) < 1e-15 && fabs(qd[4] + 2.0 / 3) < 1e-12);
    arne_scenario_free(s);

    s = good("reference: {type: sinusoid, offset: 0, harmonics: [{amplitude: 0.5, frequency: "
             "0.5*pi}, {amplitude: 0.1, frequency: pi, phase: pi/2}]}\n");
    place(s, 1.3, q, qd);
    const double w = 2 * acos(0);
    assert_true(fabs(q[5] - (0.5 * sin(0.5 * w * 1.3) + 0.1 * cos(w * 1.3))) < 1e-14);
    arne_scenario_free(s);
}

static void controllers(void **unused)
{
    (void)unused;
    static const char *const fine[][2] = {
        {"pd", "kp: 10, kd: [1, 1, 1, 1, 1, 1]"},
        {"pd_gravity", "kp: 10, kd: 1, torque_limits: 5"},
        {"computed_torque", "kp: 100, kd: 20, sample_time: 0.001, torque_rate_limits: 9"},
        {"impedance", "frame: link6, stiffness: [1, 1, 1, 1, 1, 1], damping: [0, 0, 0, 0, 0, 0]"},
    };
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        char text[256];
        snprintf(text, sizeof text, "controller: {type: %s, %s}\n", fine[i][0], fine[i][1]);
        arne_scenario *s = good(text);
        assert_string_equal(arne_controller_name(arne_scenario_simulation(s)->controller),
                            fine[i][0]);
        arne_scenario_free(s);
    }
}

static void bad_sections(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        int         line; // below the head
        const char *says;
    } bad[] = {
        {"reference: [1, 2]", 1, "must be a mapping"},
        {"reference:\n  duration: 1", 2, "type is missing"},
        {"reference:\n  type: teleport", 2, "is not one of: point_to_point"},
        {"reference:\n  type: waypoints\n  duration: 2\n  times: [0]\n  points: [0]", 3,
         "'duration' is nothing for type"},
        {"reference:\n  type: point_to_point\n  duration: 2", 2, "to is missing"},
        {"reference:\n  type: point_to_point\n  to: 1", 2,
         "the duration is 0 s; it must be above 0"},
        {"reference:\n  type: point_to_point\n  to: 1\n  duration: 0", 4, "must be positive"},
        {"reference:\n  type: point_to_point\n  to: [1, 2]\n  duration: 1", 3, "needs 6 numbers"},
        {"reference:\n  type: point_to_point\n  to: {nobody: 2}\n  duration: 1", 3, "is no joint"},
        {"reference:\n  type: point_to_point\n  to: 1\n  profile: jumpy\n  duration: 1", 4,
         "is not one of: linear"},
        {"reference:\n  type: point_to_point\n  to: 1\n  profile: s_curve\n  acceleration: 1", 2,
         "jerk limit"},
        {"reference:\n  type: point_to_point\n  to: 9\n  duration: 1", 2, "outside of its limits"},
        {"reference:\n  type: point_to_point\n  to: 99\n  duration: 1", 3,
         "degrees are written '99 deg'"},
        {"reference:\n  type: waypoints\n  times: [0, 1]\n  points: [0, 1, 2]", 3,
         "needs 3 numbers"},
        {"reference:\n  type: waypoints\n  times: [0, 1, 1]\n  points: [0, 1, 2]", 2,
         "does not come after"},
        {"reference:\n  type: bspline\n  degree: 1.5\n  duration: 1\n  control: [0, 1, 1]", 3,
         "whole number"},
        {"reference:\n  type: table\n  file: gone.csv", 3, "cannot be read"},
        {"reference:\n  type: point_to_point\n  to: 1\n  duration: 1\n  scaling: {speed: 2}", 5,
         "unknown key 'speed'"},
        {"reference:\n  type: point_to_point\n  to: 1\n  duration: 1\n  scaling: {torque: 0.01}", 5,
         "at rest"},
        {"reference:\n  type: sinusoid\n  harmonics: [{amplitude: 1, frequency: 1}]\n  scaling: "
         "{torque: 100}",
         4, "cannot be scaled"},
        {"controller:\n  type: magic", 2, "is not one of: pd"},
        {"controller:\n  type: pd\n  kp: [1, 2]\n  kd: 1", 3, "needs 6 numbers"},
        {"controller:\n  type: pd\n  kp: 1", 2, "kd is missing"},
        {"controller:\n  type: pd\n  kp: -1\n  kd: 0", 2, "is no gain"},
        {"controller:\n  type: pd\n  kp: 1\n  kd: 0\n  kf: 3", 5, "unknown key 'kf'"},
        {"controller:\n  type: pd\n  kp: 1\n  kd: 0\n  ki: 3", 5, "'ki' is nothing for type 'pd'"},
        {"controller:\n  type: torque_table\n  file: gone.csv", 3, "cannot be read"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        arne_scenario    *s;
        arne_error        error;
        const arne_status status = read_scenario(bad[i].text, &s, &error);
        const int         gone = strstr(bad[i].says, "cannot be read") != NULL; // has its own name
        if (!status || (!gone && error.line != HEAD_LINES + bad[i].line) ||
            !strstr(error.text, bad[i].says))
            fail_msg("'%s' gives status %d, %s:%d: %s", bad[i].text, status, error.file,
                     error.line - HEAD_LINES, error.text);
        arne_scenario_free(s);
    }
}

// ---- on the ground

static const char LEGS[] = "robot: " ARNE_ROBOTS_DIR "/quadruped.yaml\nduration: 1\n";

// The least gap over all surfaces at the start, as the simulation finds it.
static double least_gap(const arne_scenario *s)
{
    const arne_simulation_spec *sim = arne_scenario_simulation(s);
    arne_surface                surfaces[4];
    arne_world                 *world;
    arne_work                  *work;
    arne_error                  error;
    double                      least = INFINITY;
    for (int i = 0; i < sim->surrounding_count; i++)
        surfaces[i] = sim->surroundings[i].surface;
    assert_ok_or(arne_world_new(sim->robot, surfaces, sim->surrounding_count, &world, &error),
                 &error);
    assert_ok(arne_work_new(sim->robot, &work));
    arne_kinematics(sim->robot, work, sim->q, NULL, NULL);
    for (int i = arne_world_find(world, work, INFINITY) - 1; i >= 0; i--)
        if (arne_world_touch(world, i).other < 0)
            least = fmin(least, arne_world_touch(world, i).gap);
    arne_work_free(work);
    arne_world_free(world);
    return least;
}

#define CROUCHED                                                                                   \
    "{front_left_swing: -0.8, front_left_knee: 1.6, rear_right_swing: -0.7, rear_right_knee: 1.5"
// The base goes against gravity only, from above and from below, and the lowest contact touches.
static void on_the_ground(void **unused)
{
    (void)unused;
    static const struct {
        const char *initial, *rest;
        double      x, y;
    } cases[] = {
        {"q: " CROUCHED "}", "surroundings: [{type: ground, friction: 1}]", 0, 0},
        {"q: " CROUCHED ", base: [3, -2, 9, 0.6, 0, 0, 0.8]}",
         "surroundings: [{type: ground, friction: 1, point: [0, 0, 0.5]}]", 3, -2},
        {"q: " CROUCHED ", base: [1, 2, -4, 0, 0, 0.6, 0.8]}",
         "surroundings: [{type: ground, friction: 1, normal: [0.3, -0.2, 1], model: compliant}]", 1,
         2},
        // Two slopes make a valley; a wall does not count.
        {"q: " CROUCHED ", base: [0.3, 0, 0, 0, 0, 0, 1]}",
         "surroundings: [{type: ground, friction: 1, normal: [0.5, 0, 1]}, {type: ground, "
         "friction: 1, normal: [-0.5, 0, 1]}, {type: ground, friction: 1, normal: [1, 0, 0], "
         "point: [-9, 0, 0]}]",
         0.3, 0},
        {"q: " CROUCHED ", base: [0.1, 0.2, 5, 0, 0, 0, 1]}",
         "surroundings: [{type: height_field, friction: 1, spacing: [1, 1], corner: [-1, -1], "
         "heights: [[0, 0.1, 0.3], [0.2, -0.1, 0], [0, 0.4, 0.1]]}]",
         0.1, 0.2},
        {"qd: 0", "gravity: [0, 0, 0]\nsurroundings: [{type: ground, friction: 1}]", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char           text[900];
        arne_scenario *s;
        arne_error     error;
        snprintf(text, sizeof text, "initial: {%s, height: ground}\n%s\n", cases[i].initial,
                 cases[i].rest);
        assert_ok_or(read_parts(LEGS, text, &s, &error), &error);
        const double *q = arne_scenario_simulation(s)->q;
        assert_true(fabs(least_gap(s)) < 1e-12);
        assert_true(q[0] == cases[i].x && q[1] == cases[i].y);
        arne_scenario_free(s);
    }

    // Gravity that leans: the base moves along it, also over a height field.
    static const char *const leans[] = {
        "surroundings: [{type: ground, friction: 1}]",
        "surroundings: [{type: height_field, friction: 1, spacing: [2, 2], corner: [-4, -4], "
        "heights: [[0, 0.1, 0.3, 0.2, 0], [0.2, -0.1, 0, 0, 0], [0, 0.4, 0.1, 0, 0.1], [0, 0.4, "
        "0.1, 0, 0.2], [0, 0, 0, 0, 0]]}]"};
    for (int i = 0; i < 2; i++) {
        char           text[900];
        arne_scenario *s;
        arne_error     error;
        snprintf(text, sizeof text,
                 "gravity: [3, 0, -9]\ninitial: {q: {base: [0, 0, 2, 0, 0, 0, 1]}, height: "
                 "ground}\n%s\n",
                 leans[i]);
        assert_ok_or(read_parts(LEGS, text, &s, &error), &error);
        const double *q = arne_scenario_simulation(s)->q;
        assert_true(fabs(least_gap(s)) < 1e-12);
        assert_true(q[0] > 0.1 && fabs(q[0] + (q[2] - 2) / 3) < 1e-12 && q[1] == 0);
        arne_scenario_free(s);
    }
}

static void no_ground_to_be_on(void **unused)
{
    (void)unused;
    static const struct {
        const char *robot, *text, *says;
    } bad[] = {
        {"quadruped.yaml", "initial: {height: ground}", "needs a ground or a height_field"},
        {"quadruped.yaml", "initial: {height: floor}", "floor"},
        {"arm6.yaml", "initial: {height: ground}", "of a free base, and this robot has none"},
        {"arm6.yaml", "initial: {height: ground}\nbase: free", "needs contact shapes"},
        {"quadruped.yaml",
         "initial: {height: ground}\nsurroundings: [{type: ground, friction: 1}]\n"
         "reference: {type: point_to_point, to: {front_left_knee: 1}, duration: 1}",
         "needs q beside it"},
        {"quadruped.yaml",
         "initial: {height: ground}\n"
         "surroundings: [{type: ground, friction: 1, normal: [0, 1, 0]}]",
         "finds no ground"},
        {"quadruped.yaml",
         "initial: {height: ground}\nsurroundings: [{type: height_field, friction: 1, spacing: "
         "[1, 1], corner: [5, 5], heights: [[0, 0], [0, 0]]}]",
         "finds no ground"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char           head[400];
        arne_scenario *s;
        arne_error     error;
        snprintf(head, sizeof head, "robot: " ARNE_ROBOTS_DIR "/%s\nduration: 1\n", bad[i].robot);
        assert_int_not_equal(read_parts(head, bad[i].text, &s, &error), ARNE_OK);
        assert_int_equal(error.line, 3);
        if (!strstr(error.text, bad[i].says)) fail_msg("%s: %s", bad[i].text, error.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references),         cmocka_unit_test(controllers),
        cmocka_unit_test(bad_sections),       cmocka_unit_test(on_the_ground),
        cmocka_unit_test(no_ground_to_be_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
