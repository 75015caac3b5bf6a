// References and controllers as scenarios write them.
#include "testing.h"

#include "io/yaml_tree.h"
#include "motion/reference_yaml.h"
#include "simulate/controllers/controller_yaml.h"
#include <stdio.h>

typedef struct parsed {
    reader     reader;
    arne_error error;
    yaml_tree  tree;
} parsed;

// The text is a section: its lines are counted from 1.
static void parse(parsed *p, const char *text)
{
    *p = (parsed){.reader = {.file = "scenario.yaml"}};
    p->reader.error = &p->error;
    assert_ok_or(arne_yaml_parse(&p->reader, text, strlen(text), &p->tree), &p->error);
}

static arne_status a_table(void *context, const yaml_slot *slot, const arne_table **out)
{
    *out = context;
    return strcmp(slot->value->text, "there.csv") == 0
               ? ARNE_OK
               : arne_yaml_fail(slot, ARNE_FILE, "is not there");
}

static arne_status reference(const arne_robot *robot, const char *text, void *table,
                             arne_trajectory **out, arne_error *error)
{
    parsed       p;
    const double rest[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    parse(&p, text);
    const yaml_slot   slot = {&p.reader, "", "reference", p.tree.root};
    const arne_status status = arne_reference_yaml(&slot, robot, rest, a_table, table, out);
    *error = p.error;
    arne_yaml_free(&p.tree);
    return status;
}

static arne_status controller(const arne_robot *robot, const char *text, void *table, double *time,
                              arne_controller **out, arne_error *error)
{
    parsed p;
    parse(&p, text);
    const yaml_slot   slot = {&p.reader, "", "controller", p.tree.root};
    const arne_status status = arne_controller_yaml(&slot, robot, a_table, table, time, out);
    *error = p.error;
    arne_yaml_free(&p.tree);
    return status;
}

static void place(const arne_trajectory *path, double t, double *q, double *qd)
{
    arne_trajectory_evaluate(path, t, q, qd, NULL, NULL, NULL);
}

static void references(void **unused)
{
    (void)unused;
    arne_robot      *robot = read_robot("arm6", NULL);
    const char      *first = arne_robot_joint(robot, 0).name;
    arne_trajectory *path;
    arne_error       error;
    double           q[6], qd[6];
    char             text[512];

    assert_ok_or(reference(robot, "kind: hold", NULL, &path, &error), &error);
    place(path, 3, q, qd);
    assert_true(q[2] == 0.3 && qd[2] == 0 && isinf(arne_trajectory_duration(path)));
    arne_trajectory_free(path);

    snprintf(text, sizeof text, "{kind: point_to_point, to: {%s: 90 deg}, duration: 2, start: 1}",
             first);
    assert_ok_or(reference(robot, text, NULL, &path, &error), &error);
    place(path, 2, q, qd);
    assert_true(fabs(q[0] - 0.5 * (0.1 + acos(0))) < 1e-12 && fabs(q[1] - 0.2) < 1e-15);
    assert_true(fabs(qd[0] - 1.875 * (acos(0) - 0.1) / 2) < 1e-12);
    place(path, 0.9, q, qd);
    assert_true(q[0] == 0.1 && qd[0] == 0 && arne_trajectory_duration(path) == 3);
    arne_trajectory_free(path);

    assert_ok_or(reference(robot,
                           "{kind: point_to_point, to: 1, profile: s_curve, velocity: 1, "
                           "acceleration: 2, jerk: 10}",
                           NULL, &path, &error),
                 &error);
    place(path, 99, q, qd);
    assert_true(fabs(q[0] - 1) < 1e-14);
    arne_trajectory_free(path);

    assert_ok_or(reference(robot,
                           "kind: waypoints\ntimes: [0, 1, 2]\npoints: [0, [1, 2, 0, 0, 0, 0], 0]\n"
                           "interpolation: quintic",
                           NULL, &path, &error),
                 &error);
    place(path, 1, q, qd);
    assert_true(fabs(q[1] - 2) < 1e-12 && fabs(qd[1]) < 1e-12);
    arne_trajectory_free(path);

    assert_ok_or(reference(robot,
                           "{kind: bspline, degree: 2, duration: 3, control: [0, 1, 1, 0.5]}", NULL,
                           &path, &error),
                 &error);
    place(path, 3, q, qd);
    assert_true(fabs(q[4] - 0.5) < 1e-15 && fabs(qd[4] + 2.0 / 3) < 1e-12);
    arne_trajectory_free(path);

    assert_ok_or(reference(robot,
                           "{kind: sinusoid, offset: 0, harmonics: [{amplitude: 0.5, frequency: "
                           "0.5*pi}, {amplitude: 0.1, period: 2, phase: pi/2}]}",
                           NULL, &path, &error),
                 &error);
    place(path, 1.3, q, qd);
    const double w = 2 * acos(0);
    assert_true(fabs(q[5] - (0.5 * sin(0.5 * w * 1.3) + 0.1 * cos(w * 1.3))) < 1e-14);
    arne_trajectory_free(path);
    arne_robot_free(robot);
}

static void a_table_as_reference(void **unused)
{
    (void)unused;
    arne_robot      *robot = read_robot("arm6", NULL);
    arne_table      *table;
    arne_trajectory *path;
    arne_error       error;
    char             name[128];
    double           q[6], qd[6];
    snprintf(name, sizeof name, "q.%s", arne_robot_joint(robot, 3).name);
    assert_ok(arne_table_new(&table));
    assert_ok(arne_table_add_column(table, "time", "s"));
    assert_ok(arne_table_add_column(table, name, "rad"));
    for (int i = 0; i < 6; i++)
        assert_ok(arne_table_append(table, (double[]){2 + i, 0.01 * i * i * i}));
    assert_ok_or(reference(robot, "{kind: table, file: there.csv}", table, &path, &error), &error);
    place(path, 2.5, q, qd);
    assert_true(fabs(q[3] - 0.15625) < 1e-13 && fabs(q[2] - 0.3) < 1e-15);
    arne_trajectory_free(path);
    assert_ok_or(reference(robot, "{kind: table, file: there.csv, interpolation: linear}", table,
                           &path, &error),
                 &error);
    place(path, 2.5, q, qd);
    assert_true(fabs(q[3] - 0.175) < 1e-13);
    arne_trajectory_free(path);
    arne_table_free(table);
    arne_robot_free(robot);
}

static void bad_references(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        int         line;
        const char *says;
    } bad[] = {
        {"[1, 2]", 1, "must be a mapping"},
        {"duration: 1", 1, "needs 'kind'"},
        {"kind: teleport", 1, "is not one of: hold, point_to_point"},
        {"kind: hold\n\nduration: 2", 3, "'duration' is nothing for kind 'hold'"},
        {"kind: point_to_point\nduration: 2", 1, "needs 'to'"},
        {"kind: point_to_point\nto: 1", 1, "needs 'duration'"},
        {"kind: point_to_point\nto: 1\nduration: 0", 3, "must be positive"},
        {"kind: point_to_point\nto: [1, 2]\nduration: 1", 2, "needs 6 numbers"},
        {"kind: point_to_point\nduration: 1\nto: {nobody: 2}", 3, "is no joint"},
        {"kind: point_to_point\nto: 1\nprofile: jumpy\nduration: 1", 3, "is not one of: linear"},
        {"kind: point_to_point\nto: 1\nprofile: s_curve\nacceleration: 1", 1, "needs 'jerk'"},
        {"kind: point_to_point\nto: 99\nduration: 1", 1, "outside of its limits"},
        {"kind: waypoints\ntimes: [0, 1]\npoints: [0, 1, 2]", 2, "needs 3 numbers"},
        {"kind: waypoints\ntimes: [0, 1, 1]\npoints: [0, 1, 2]", 1, "does not come after"},
        {"kind: bspline\ndegree: 1.5\nduration: 1\ncontrol: [0, 1, 1]", 1, "degree 1.5"},
        {"kind: sinusoid\namplitude: 1", 1, "needs 'frequency' or 'period'"},
        {"kind: table\nfile: gone.csv", 2, "is not there"},
    };
    arne_robot *robot = read_robot("arm6", NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        arne_trajectory  *path;
        arne_error        error;
        const arne_status status = reference(robot, bad[i].text, NULL, &path, &error);
        if (!status || error.line != bad[i].line || !strstr(error.text, bad[i].says) ||
            strcmp(error.file, "scenario.yaml") != 0)
            fail_msg("'%s' gives status %d, %s:%d: %s", bad[i].text, status, error.file, error.line,
                     error.text);
        assert_null(path);
    }
    arne_robot_free(robot);
}

static void controllers(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *says; // NULL: fine
        int         line;
    } cases[] = {
        {"{kind: pd, kp: 10, kd: [1, 1, 1, 1, 1, 1]}", NULL, 0},
        {"{kind: pd_gravity, kp: 10, kd: 1, torque_limit: 5, torque_rate_limit: 100}", NULL, 0},
        {"{kind: computed_torque, kp: 100, kd: 20, sample_time: 0.001}", NULL, 0},
        {"{kind: impedance, frame: link6, stiffness: [1, 1, 1, 1, 1, 1], damping: [0, 0, 0, 0, 0, "
         "0]}",
         NULL, 0},
        {"{kind: none}", NULL, 0},
        {"kind: magic", "is not one of: none, torque_table, pd", 1},
        {"kind: pd\nkp: [1, 2]\nkd: 1", "needs 6 numbers, one for each joint, has 2", 2},
        {"kind: pd\nkp: 1", "needs 'kd'", 1},
        {"kind: pd\nkp: -1\nkd: 0", "is no gain", 1},
        {"kind: pd\nkp: 1\nkd: 0\nki: 3", "'ki' is nothing for kind 'pd'", 4},
        {"kind: pd\nkp: 1\nkd: 0\nsample_time: -1", "must be positive", 4},
        {"kind: impedance\nframe: nose\nstiffness: [1, 1, 1, 1, 1, 1]\ndamping: [0, 0, 0, 0, 0, 0]",
         "is no link or frame", 2},
        {"kind: torque_table\nfile: gone.csv", "is not there", 2},
    };
    arne_robot *robot = read_robot("arm6", NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        arne_controller  *c;
        arne_error        error;
        double            time = 0.5;
        const arne_status status = controller(robot, cases[i].text, NULL, &time, &c, &error);
        if (!cases[i].says) {
            assert_ok_or(status, &error);
            assert_true(time == (strstr(cases[i].text, "sample_time") ? 0.001 : 0.5));
            if (c) assert_non_null(strstr(cases[i].text, arne_controller_name(c)));
        } else if (!status || error.line != cases[i].line || !strstr(error.text, cases[i].says)) {
            fail_msg("'%s' gives status %d, %s:%d: %s", cases[i].text, status, error.file,
                     error.line, error.text);
        }
        arne_controller_free(c);
    }
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references),
        cmocka_unit_test(a_table_as_reference),
        cmocka_unit_test(bad_references),
        cmocka_unit_test(controllers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
