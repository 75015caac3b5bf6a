// Problem files of optimal control: what is read is what a program would state, all mistakes are
// told, and the controller of simulations steps as the solver does.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "testing.h"
#include <arne/arne.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/arne-horizon-XXXXXX", path[sizeof folder + 32];

static const char *const good = "robot: " ARNE_ROBOTS_DIR "/planar_2r.yaml\n"
                                "time: 0.4\nhorizon: 0.2\nrate: 200\n"
                                "start: {position: [0.3, 0.4]}\n"
                                "objective:\n"
                                "  - {quantity: deviation, reference: [1, -1], weight: 5}\n"
                                "  - {quantity: velocity, weight: 0.1, joints: joint1}\n"
                                "  - {quantity: torque, weight: 0.01}\n"
                                "constraints:\n"
                                "  - {quantity: torque, lower: -8, upper: 8}\n"
                                "  - {quantity: velocity, lower: -3, upper: 3}\n"
                                "end: {velocity: 0}\n"
                                "solver: {method: riccati, step: 0.01}\n";

static void write_text(const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static arne_horizon *read_text(const char *text)
{
    arne_horizon *h = NULL;
    arne_error    error;
    write_text(text);
    assert_ok_or(arne_horizon_read(path, NULL, &h, &error), &error);
    return h;
}

// The same problem by the functions of the library.
static void as_stated(void **unused)
{
    (void)unused;
    arne_horizon            *h = read_text(good);
    const arne_build_options smooth = {.no_friction = 1};
    arne_robot              *robot = read_robot("planar_2r", &smooth);
    const double reference[4] = {1, -1, 0, 0}, neutral[4] = {0}, position[4] = {1, 1, 0, 0},
                 velocity[4] = {0, 0, 1, 0}, low[2] = {-8, -8}, high[2] = {8, 8},
                 slow[4] = {-INFINITY, -INFINITY, -3, -3}, fast[4] = {INFINITY, INFINITY, 3, 3},
                 still[4] = {-INFINITY, -INFINITY, 0, 0}, rest[4] = {INFINITY, INFINITY, 0, 0};
    const arne_oc_term terms[] = {
        {.quantity = ARNE_OC_STATE, .weight = 10, .weights = position, .reference = reference},
        {.quantity = ARNE_OC_STATE, .weight = 0.2, .weights = velocity, .reference = neutral},
        {.quantity = ARNE_OC_CONTROL, .weight = 0.02},
        {.quantity = ARNE_OC_STATE, .first = 1, .last = 39, .lower = slow, .upper = fast},
        {.quantity = ARNE_OC_STATE, .at_end = 1, .lower = still, .upper = rest}};
    const arne_oc_problem problem = {.robot = robot,
                                     .knots = 40,
                                     .step = 0.01,
                                     .control_lower = low,
                                     .control_upper = high,
                                     .terms = terms,
                                     .term_count = 5};
    const double          q[2] = {0.3, 0.4}, qd[2] = {0};
    arne_oc              *oc;
    arne_oc_result        a, b;
    arne_error            error;
    assert_ok_or(arne_oc_new(&problem, &oc, &error), &error);
    assert_ok_or(arne_oc_solve(oc, q, qd, NULL, &a, &error), &error);
    assert_ok_or(arne_horizon_solve(h, NULL, &b, &error), &error);
    assert_true(fabs(a.cost / b.cost - 1) < 1e-8);
    assert_true(arne_horizon_tick(h) == 0.005);
    assert_int_equal(arne_horizon_problem(h, 1).knots, 20);
    assert_int_equal(arne_horizon_problem(h, 0).knots, 40);
    char dir[sizeof path + 8];
    snprintf(dir, sizeof dir, "%s/run", folder);
    assert_ok_or(arne_horizon_write(h, &b, dir, NULL, &error), &error);
    snprintf(dir, sizeof dir, "%s/run/result.csv", folder);
    arne_table *table;
    assert_ok_or(arne_table_read_csv(dir, &table, &error), &error);
    assert_int_equal(arne_table_rows(table), 41);
    assert_true(fabs(arne_table_row(table, 40)[4]) < 1e-7); // qd of the end
    arne_table_free(table);
    arne_oc_free(oc);
    arne_robot_free(robot);
    arne_horizon_free(h);
}

// Accelerations as controls find the same motion with the same torques.
static void by_accelerations(void **unused)
{
    (void)unused;
    char           text[2000];
    arne_oc_result r[2];
    double         tau[2][2];
    arne_error     error;
    arne_horizon  *h = NULL;
    for (int a = 0; a < 2; a++) {
        snprintf(text, sizeof text, "%.*s%s}\n", (int)strlen(good) - 2, good,
                 a ? ", controls: accelerations" : "");
        h = read_text(text);
        assert_ok_or(arne_horizon_solve(h, NULL, &r[a], &error), &error);
        char dir[sizeof path + 30];
        snprintf(dir, sizeof dir, "%s/by%d", folder, a);
        assert_ok_or(arne_horizon_write(h, &r[a], dir, NULL, &error), &error);
        snprintf(dir, sizeof dir, "%s/by%d/result.csv", folder, a);
        arne_table *table;
        assert_ok_or(arne_table_read_csv(dir, &table, &error), &error);
        memcpy(tau[a], arne_table_row(table, 17) + 5, sizeof tau[a]);
        arne_table_free(table);
        arne_horizon_free(h);
    }
    assert_true(fabs(r[0].cost / r[1].cost - 1) < 1e-8);
    assert_true(fabs(tau[0][0] - tau[1][0]) < 1e-4 && fabs(tau[0][1] - tau[1][1]) < 1e-4);
    char *rate = strstr(text, "quantity: torque,");
    memmove(rate + 21, rate + 16, strlen(rate + 16) + 1);
    memcpy(rate + 16, "_rate", 5);
    write_text(text);
    assert_status(arne_horizon_read(path, NULL, &h, &error), ARNE_UNSUPPORTED);
    assert_non_null(strstr(error.text, "cannot be torque_rate with controls: accelerations"));
}

typedef struct told {
    char text[4000];
    int  count;
} told;

static void listen(void *context, const arne_error *error)
{
    told *t = context;
    t->count++;
    strncat(t->text, error->text, sizeof t->text - strlen(t->text) - 2);
    strcat(t->text, "\n");
}

static void mistakes(void **unused)
{
    (void)unused;
    static const char *const texts[][4] = {
        {"spline: {degree: 3}\n", "spline has no meaning with method: riccati"},
        {"time: free\n", "time must be a number"},
        {"time: 0.405\n", "no multiple of the step"},
        {"horizon: 0\n", "horizon"},
        {"objective: [{quantity: jerk}]\n", "quantity 'jerk' is not one of"},
        {"objective: [{quantity: torque, weight: -1}]\n", "weight"},
        {"objective: [{quantity: torque, at: end}]\n", "end has no torque"},
        {"objective: [{quantity: frame_pose, frame: tip}]\n", "pose"},
        {"objective: [{quantity: com, reference: none.csv}]\n", "none.csv"},
        {"constraints: [{quantity: torque}]\n", "a bound"},
        {"constraints: [{quantity: torque, lower: 3, upper: 1}]\n", "above the upper one"},
        {"constraints: [{quantity: velocity, joints: elbow, upper: 1}]\n", "elbow"},
        {"contacts: [{frame: nowhere}]\n", "nowhere"},
        {"phases: [{name: a, time: 0.1}]\n", "last 0.1 s together"},
        {"solver: {method: riccati, step: 0}\n", "step"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char          text[2000];
        told          heard = {0};
        arne_error    error;
        arne_horizon *h = NULL;
        const char   *key = texts[i][0], *end = strchr(key, ':');
        char         *was;
        // the section of the good problem is replaced
        snprintf(text, sizeof text, "%s", good);
        char line[40];
        snprintf(line, sizeof line, "\n%.*s:", (int)(end - key), key);
        was = strstr(text, line);
        if (was) {
            char *next = was + 1;
            do
                next = strchr(next, '\n') + 1;
            while (*next == ' ');
            memmove(was + 1, next, strlen(next) + 1);
        }
        strncat(text, key, sizeof text - strlen(text) - 1);
        write_text(text);
        const arne_build_options options = {.fail = listen, .fail_context = &heard};
        assert_true(arne_horizon_read(path, &options, &h, &error) != ARNE_OK);
        assert_null(h);
        if (!strstr(heard.text, texts[i][1]))
            fail_msg("\"%s\" does not say \"%s\"", heard.text, texts[i][1]);
    }
    arne_horizon *h = NULL;
    arne_plan    *plan = NULL;
    arne_error    error;
    write_text(good);
    assert_true(arne_horizon_is(path));
    assert_true(arne_plan_read(path, NULL, &plan, &error) != ARNE_OK);
    assert_false(arne_horizon_is("/nowhere"));
    assert_status(arne_horizon_read(NULL, NULL, &h, &error), ARNE_NULL_ARGUMENT);
    assert_status(arne_horizon_solve(NULL, NULL, NULL, &error), ARNE_NULL_ARGUMENT);
    assert_status(arne_horizon_write(NULL, NULL, NULL, NULL, &error), ARNE_NULL_ARGUMENT);
    assert_status(arne_controller_mpc(NULL, NULL, NULL, &error), ARNE_NULL_ARGUMENT);
    arne_horizon_free(NULL);
}

// Phases come nearer with time, and come again; weights are those of rows.
static void phases(void **unused)
{
    static const char text[] =
        "robot: " ARNE_ROBOTS_DIR "/quadruped.yaml\n"
        "time: 0.1\n"
        "horizon: 0.08\n"
        "cyclic: %s\n"
        "phases:\n"
        "  - {name: a, time: 0.03, impact: yes}\n"
        "  - {name: b, time: 0.07}\n"
        "contacts:\n"
        "  - {frame: front_left_foot, phases: a}\n"
        "objective:\n"
        "  - {quantity: torque}\n"
        "  - {quantity: frame_position, frame: body, weights: [0, 2, 3]}\n"
        "  - {quantity: velocity, joints: base, weights: {base: [1, 2, 3, 4, 5, 6]}}\n"
        "solver: {method: riccati, step: 0.01}\n";
    (void)unused;
    for (int cyclic = 0; cyclic < 2; cyclic++) {
        char said[sizeof text + 8];
        int  before;
        snprintf(said, sizeof said, text, cyclic ? "yes" : "no");
        arne_horizon         *h = read_text(said);
        const arne_oc_problem p = arne_horizon_problem(h, 1);
        assert_int_equal(p.knots, 8);
        assert_true(p.terms[1].weights[0] == 0 && p.terms[1].weights[2] == 3);
        assert_true(p.terms[2].weights[18] == 1 && p.terms[2].weights[23] == 6);
        assert_true(p.terms[2].weights[0] == 0 && p.terms[2].weights[24] == 0);
        for (int t = 0; t < 30; t++) {
            arne_horizon_at(h, 0.01 * t, NULL);
            const int *now = arne_horizon_schedule(h, &before);
            for (int k = 0; k < 8; k++)
                assert_int_equal(now[k], (cyclic ? (t + k) % 10 : t + k) >= 3);
            assert_int_equal(before, t == 0 ? -1 : (cyclic ? (t - 1) % 10 : t - 1) >= 3);
        }
        arne_horizon_free(h);
    }
}

// The controller drives another, heavier arm to the target.
static void controller(void **unused)
{
    (void)unused;
    arne_robot      *robot = read_robot("planar_2r", NULL);
    arne_horizon    *h = read_text(good);
    arne_controller *c = NULL;
    arne_error       error;
    double           q[2] = {0.3, 0.4}, qd[2] = {0}, tau[2], a[2], most = 0;
    arne_work       *work = new_work(robot);
    assert_ok_or(arne_controller_mpc(robot, h, &c, &error), &error);
    for (int i = 0; i < 600; i++) {
        const arne_control_input in = {.t = 0.005 * i, .q = q, .qd = qd, .q_ref = q};
        assert_ok_or(arne_control(c, &in, tau, &error), &error);
        assert_ok(arne_forward_dynamics(robot, work, q, qd, tau, NULL, a, NULL));
        for (int k = 0; k < 2; k++) {
            most = fmax(most, fabs(tau[k]));
            qd[k] += 0.005 * a[k];
            q[k] += 0.005 * qd[k];
        }
    }
    assert_true(most <= 8 + 1e-12);
    print_message("at %.3f, %.3f after 3 s, torques up to %.3f\n", q[0], q[1], most);
    assert_true(fabs(qd[0]) < 0.5 && fabs(qd[1]) < 0.5);
    arne_controller_free(c);
    arne_work_free(work);
    arne_robot_free(robot);
}

static int make_folder(void **unused)
{
    (void)unused;
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/problem.yaml", folder);
    return 0;
}

static int remove_folder(void **unused)
{
    char command[sizeof folder + 16];
    (void)unused;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_stated), cmocka_unit_test(by_accelerations),
        cmocka_unit_test(mistakes),  cmocka_unit_test(controller),
        cmocka_unit_test(phases),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
