// What simulations refuse, each by its own words: numbers, methods, surroundings, controllers, and
// checkpoints that are damaged.
#include "testing.h"

#include <arne/simulate.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static arne_error e;

// A text of NULL: it is taken.
static void says(arne_status status, const char *text)
{
    if (!text && status) fail_msg("it is refused: %s", e.text);
    if (text && !status) fail_msg("'%s' is not said", text);
    if (text && !strstr(e.text, text)) fail_msg("'%s' is not said: %s", text, e.text);
}

static void numbers(void **unused)
{
    (void)unused;
    arne_robot *robot = read_robot("planar_2r", NULL), *bar = read_robot("four_bar", NULL);
    const int   after = arne_robot_sizes(robot).frame_count;
    arne_table *blank = NULL;
    assert_ok(arne_table_new(&blank));
    assert_ok(arne_table_add_column(blank, "fx", "N"));
    const arne_surrounding push[] = {{.kind = ARNE_SURROUNDING_PUSH, .table = blank}},
                           lost[] = {{.kind = ARNE_SURROUNDING_DRAG, .frame = after}},
                           early[] = {{.kind = ARNE_SURROUNDING_DRAG, .frame = -1}},
                           none[] = {{.kind = ARNE_SURROUNDING_PUSH}},
                           fine[] = {{.kind = ARNE_SURROUNDING_DRAG, .frame = after - 1}};
    const arne_integrator_options rk4 = {.method = ARNE_METHOD_RK4, .step = 1e-3};
#define METHOD(name, ...)                                                                          \
    {                                                                                              \
        .method = ARNE_METHOD_##name, __VA_ARGS__                                                  \
    }
    const struct {
        arne_simulation_spec sim;
        const char          *says;
    } rows[] = {
        {{.integrator = rk4, .duration = 0.01}, NULL},
        {{.integrator = rk4}, "the duration must be positive, not 0"},
        {{.integrator = rk4, .duration = INFINITY}, "the duration must be positive, not inf"},
        {{.integrator = rk4, .duration = NAN}, "the duration must be positive, not nan"},
        {{.integrator = rk4, .duration = 1, .record_every = -1}, "the time between rows must be"},
        {{.integrator = rk4, .duration = 1, .record_every = NAN}, "the time between rows must be"},
        {{.integrator = rk4, .duration = 1, .sample_time = -1}, "the sample time must be positive"},
        {{.integrator = rk4, .duration = 5e-324}, "the duration of 4.94066e-324 s is too short"},
        {{.integrator = rk4, .duration = 1, .record_every = 1e-300},
         "the time between rows of 1e-300"},
        {{.integrator = rk4, .duration = 1, .sample_time = 1e-300},
         "the sample time of 1e-300 s is"},
        {{.integrator = METHOD(EULER, .step = 1e-300), .duration = 1},
         "the step of 1e-300 s is too"},
        {{.integrator = METHOD(DORMAND_PRINCE, .max_step = 1e-17), .duration = 1},
         "the longest step (max_step) of 1e-17 s is too short to advance time over 1 s"},
        {{.integrator = rk4, .duration = 1, .drive = ARNE_DRIVE_REFERENCE},
         "there is no reference"},
        {{.integrator = METHOD(RK4, .step = 0), .duration = 1}, "the step must be positive, not 0"},
        {{.integrator = METHOD(EULER, .step = 0), .duration = 1},
         "the step must be positive, not 0"},
        {{.integrator = METHOD(RK4, .step = INFINITY), .duration = 1}, "the step must be positive"},
        {{.integrator = METHOD(DORMAND_PRINCE, .step = -1), .duration = 1}, "the step must be"},
        {{.integrator = METHOD(DORMAND_PRINCE, .step = INFINITY), .duration = 1},
         "the step must be"},
        {{.integrator = METHOD(DORMAND_PRINCE, .step = 0), .duration = 0.01}, NULL},
        {{.integrator = METHOD(DORMAND_PRINCE, .max_step = -1), .duration = 1}, "not be negative"},
        {{.integrator = METHOD(DORMAND_PRINCE, .relative = -1), .duration = 1}, "not be negative"},
        {{.integrator = METHOD(DORMAND_PRINCE, .absolute = NAN), .duration = 1}, "not be negative"},
        {{.integrator = METHOD(COUNT, .step = 1), .duration = 1}, "there is no method 6"},
        {{.integrator = rk4, .duration = 1, .surroundings = lost, .surrounding_count = 1},
         "there is no frame"},
        {{.integrator = rk4, .duration = 1, .surroundings = early, .surrounding_count = 1},
         "there is no frame -1"},
        {{.integrator = rk4, .duration = 0.01, .surroundings = fine, .surrounding_count = 1}, NULL},
        {{.integrator = rk4, .duration = 1, .surroundings = push, .surrounding_count = 1},
         "the table of a push has no column 'time'"},
        {{.integrator = rk4, .duration = 1, .surroundings = none, .surrounding_count = 1},
         "a push without a table needs a duration above 0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        arne_simulation_spec    sim = rows[i].sim;
        arne_simulation_summary summary;
        arne_table             *table = NULL;
        sim.robot = robot;
        says(arne_simulate(&sim, NULL, NULL, &table, &summary, &e), rows[i].says);
        arne_table_free(table);
    }
    // A mechanism that is not assembled.
    const double               q[3] = {0.5, 0.2, 0.1};
    const arne_simulation_spec open = {.robot = bar, .integrator = rk4, .duration = 1, .q = q};
    arne_table                *table = NULL;
    arne_simulation_summary    summary;
    says(arne_simulate(&open, NULL, NULL, &table, &summary, &e), "is not assembled");
    arne_table_free(table);
    arne_table_free(blank);
    arne_robot_free(bar);
    arne_robot_free(robot);
}

static arne_scenario *scenario_of(const char *text)
{
    arne_scenario *s = NULL;
    assert_ok_or(
        arne_scenario_read_yaml(text, strlen(text), ARNE_ROBOTS_DIR "/s.yaml", NULL, &s, &e), &e);
    return s;
}

// What rosenbrock is not for, where the scenario is read or run.
static void rosenbrock(void **unused)
{
    static const char *const rows[][2] = {
        {"robot: four_bar.yaml\ninitial: {q: {motor: 0.5}}\n", "robots with loops: take ida"},
        {"robot: quadruped.yaml\nbase: free\ninitial: {height: ground}\n"
         "surroundings: [{type: ground, friction: 0.6}]\n",
         "take euler or rk4"},
        {"robot: planar_2r.yaml\ndrive: reference\n"
         "reference: {type: point_to_point, to: [1, 1], duration: 0.1}\n",
         "drive: reference: take another"},
        {"robot: planar_2r.yaml\n", NULL},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        arne_scenario          *s = NULL;
        arne_table             *table = NULL;
        arne_simulation_summary summary;
        char                    text[400];
        snprintf(text, sizeof text,
                 "%sduration: 0.01\nintegrator: {method: rosenbrock, step: 1 ms}\n", rows[i][0]);
        arne_status status =
            arne_scenario_read_yaml(text, strlen(text), ARNE_ROBOTS_DIR "/s.yaml", NULL, &s, &e);
        if (!status)
            status = arne_simulate(arne_scenario_simulation(s), NULL, NULL, &table, &summary, &e);
        assert_int_equal(status, rows[i][1] ? ARNE_UNSUPPORTED : ARNE_OK);
        says(status, rows[i][1]);
        arne_table_free(table);
        arne_scenario_free(s);
    }
}

static void controllers(void **unused)
{
    static const double gains[2] = {100, 100};
    (void)unused;
    arne_robot              *robot = read_robot("planar_2r", NULL);
    const arne_build_options free_base = {.base = ARNE_BASE_FREE};
    arne_robot              *flying = read_robot("planar_2r", &free_base);
    arne_controller         *c = NULL;
    const arne_flight_gains  fine = {.time_constant = 0.1}, stuck = {.time_constant = 0};
    says(arne_controller_flight(robot, NULL, 0, &fine, &c, &e), "a robot with a free base");
    says(arne_controller_flight(flying, NULL, 0, &stuck, &c, &e), "time constant of motors");
    says(arne_controller_flight(flying, NULL, 0, &fine, &c, &e), "four propellers or more");
    assert_null(c);
    // A controller of one's own for a scenario, which then has its torques.
    arne_scenario *s = scenario_of("robot: planar_2r.yaml\nduration: 0.1\n"
                                   "integrator: {method: rk4, step: 0.001}\n");
    assert_string_equal(arne_scenario_text(s), "");
    for (int i = 0; i < 4; i++) {
        static const double times[] = {-1, INFINITY, NAN, 0.01};
        assert_ok_or(arne_controller_pd(robot, gains, gains, &c, &e), &e);
        says(arne_scenario_set_controller(s, c, times[i], &e), i < 3 ? "a sample time of" : NULL);
    }
    assert_true(arne_scenario_simulation(s)->controller == c);
    assert_true(arne_scenario_simulation(s)->sample_time == 0.01);
    arne_scenario_free(s);
    s = scenario_of("robot: planar_2r.yaml\nduration: 0.1\ndrive: reference\n"
                    "reference: {type: point_to_point, to: [1, 1], duration: 0.1}\n");
    assert_ok_or(arne_controller_pd(robot, gains, gains, &c, &e), &e);
    says(arne_scenario_set_controller(s, c, 0, &e), "leaves nothing for a controller");
    arne_scenario_free(s);
    arne_robot_free(flying);
    arne_robot_free(robot);
}

// ---- checkpoints

static int count_down(void *context)
{
    int *left = context;
    return (*left)-- <= 0;
}

// A copy with one number replaced, `more` rows longer or shorter.
static arne_table *spoilt(const arne_table *from, int at, double value, int more)
{
    arne_table *to = NULL;
    assert_ok(arne_table_new(&to));
    assert_ok(arne_table_add_column(to, "checkpoint", ""));
    for (int i = 0; i < arne_table_rows(from) + more; i++) {
        const double x = i == at                     ? value
                         : i < arne_table_rows(from) ? arne_table_row(from, i)[0]
                                                     : 0;
        assert_ok(arne_table_append(to, &x));
    }
    return to;
}

// No number of a checkpoint may be another one.
static void damaged_checkpoints(void **unused)
{
    static const double values[] = {NAN, INFINITY, -1e300, -7, 0.5, 3e9, 1e17};
    (void)unused;
    arne_scenario          *s = scenario_of("robot: arm6.yaml\nduration: 0.05\nlimits: hold\n"
                                                     "friction: stick\nrecord: {every: 0.01}\n"
                                                     "controller: {type: pd, kp: 50, kd: 5, sample_time: 0.002}\n"
                                                     "reference: {type: point_to_point, to: 0.3, duration: 0.05}\n"
                                                     "integrator: {method: rk4, step: 0.001}\n");
    arne_simulation_spec    sim = *arne_scenario_simulation(s);
    arne_simulation_summary summary;
    arne_table             *rows = NULL, *kept = NULL;
    int                     left = 30;
    sim.stop = count_down;
    sim.stop_context = &left;
    sim.checkpoint = &kept;
    assert_ok_or(arne_simulate(&sim, NULL, NULL, &rows, &summary, &e), &e);
    assert_true(summary.stopped && kept);
    sim.stop = NULL;
    sim.checkpoint = NULL;
    sim.resume_rows = rows;
    const int count = arne_table_rows(kept);
    for (int at = 0; at < count; at++)
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
            arne_table *bad = spoilt(kept, at, values[k], 0), *out = NULL;
            sim.resume = bad;
            if (arne_table_row(kept, at)[0] != values[k])
                says(arne_simulate(&sim, NULL, NULL, &out, &summary, &e), "not of this run");
            arne_table_free(out);
            arne_table_free(bad);
        }
    for (int more = -3; more < 4; more++) {
        arne_table *bad = spoilt(kept, -1, 0, more), *out = NULL;
        sim.resume = bad;
        says(arne_simulate(&sim, NULL, NULL, &out, &summary, &e), more ? "not of this run" : NULL);
        assert_int_equal(summary.complete, !more);
        arne_table_free(out);
        arne_table_free(bad);
    }
    // Rows of another run, too few of them, and a table of two columns.
    arne_table *out = NULL;
    sim.resume = kept;
    sim.resume_rows = NULL;
    says(arne_simulate(&sim, NULL, NULL, &out, &summary, &e), "not of this run");
    arne_table_free(out);
    out = NULL;
    sim.resume_rows = kept;
    says(arne_simulate(&sim, NULL, NULL, &out, &summary, &e), "not of this run");
    arne_table_free(out);
    out = NULL;
    sim.resume_rows = sim.resume = rows;
    says(arne_simulate(&sim, NULL, NULL, &out, &summary, &e), "not of this run");
    arne_table_free(out);
    arne_table_free(rows);
    arne_table_free(kept);
    arne_scenario_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(rosenbrock),
                                       cmocka_unit_test(controllers),
                                       cmocka_unit_test(damaged_checkpoints)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
