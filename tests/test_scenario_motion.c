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

// A scenario with these lines behind the head.
static arne_status read_scenario(const char *text, arne_scenario **out, arne_error *error)
{
    char        path[256];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/arne-scenario-%ld.yaml", folder ? folder : "/tmp",
             (long)getpid());
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(HEAD, file) >= 0 && fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    *out = NULL;
    const arne_status status = arne_scenario_read(path, NULL, out, error);
    if (status && error->line) assert_string_equal(error->file, path);
    remove(path);
    return status;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references),
        cmocka_unit_test(controllers),
        cmocka_unit_test(bad_sections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
