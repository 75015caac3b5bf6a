// A run that is stopped and goes on is the run that was not stopped: with steps of equal length bit
// by bit, whatever it has to remember: torques that are held, filters, limits of torque rates,
// joints that stick, loops, rows, samples.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): mkstemp, fdopen
#include "testing.h"

#include <arne/simulate.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXAMPLES ARNE_ROBOTS_DIR "/../examples/"

static int count_down(void *context)
{
    long *left = context;
    return (*left)-- <= 0;
}

typedef struct outcome {
    arne_table             *rows, *checkpoint;
    arne_simulation_summary summary;
} outcome;

static void forget(outcome *o)
{
    arne_table_free(o->rows);
    arne_table_free(o->checkpoint);
    *o = (outcome){0};
}

// From where `before` was stopped (NULL: the start), for so many questions.
static outcome run(const arne_simulation_spec *how, const outcome *before, long questions)
{
    arne_error           error = {0};
    outcome              out = {0};
    arne_simulation_spec sim = *how;
    if (questions >= 0) sim.stop = count_down;
    sim.stop_context = &questions;
    sim.resume = before ? before->checkpoint : NULL;
    sim.resume_rows = before ? before->rows : NULL;
    sim.checkpoint = &out.checkpoint;
    const arne_status status = arne_simulate(&sim, NULL, NULL, &out.rows, &out.summary, &error);
    if (status) fail_msg("%s", error.text);
    return out;
}

static void assert_equal_runs(const outcome *a, const outcome *b)
{
    assert_int_equal(arne_table_rows(a->rows), arne_table_rows(b->rows));
    const int columns = arne_table_columns(a->rows);
    for (int i = 0; i < arne_table_rows(a->rows); i++)
        for (int k = 0; k < columns; k++) {
            const double x = arne_table_row(a->rows, i)[k], y = arne_table_row(b->rows, i)[k];
            if (memcmp(&x, &y, sizeof x) != 0)
                fail_msg("row %d, %s: %.17g and %.17g", i, arne_table_name(a->rows, k), x, y);
        }
    assert_int_equal(a->summary.steps, b->summary.steps);
    assert_int_equal(a->summary.rates, b->summary.rates);
    assert_int_equal(a->summary.limits_hit, b->summary.limits_hit);
    assert_true(a->summary.rms_error == b->summary.rms_error);
    assert_true(a->summary.energy_residual == b->summary.energy_residual);
    assert_int_equal(b->summary.complete, 1);
}

// Stopped at several places; and again and again, every few steps.
static void check(const arne_simulation_spec *sim)
{
    outcome whole = run(sim, NULL, -1);
    assert_true(whole.summary.complete);
    for (int part = 1; part < 5; part++) {
        outcome first = run(sim, NULL, part * whole.summary.steps / 5 + part);
        assert_true(first.summary.stopped && !first.summary.complete);
        assert_non_null(first.checkpoint);
        outcome second = run(sim, &first, -1);
        assert_equal_runs(&whole, &second);
        forget(&first);
        forget(&second);
    }
    outcome now = run(sim, NULL, whole.summary.steps / 7 + 1);
    for (int i = 0; i < 50 && now.summary.stopped; i++) {
        outcome next = run(sim, &now, whole.summary.steps / 7 + 1);
        forget(&now);
        now = next;
    }
    assert_equal_runs(&whole, &now);
    forget(&now);
    forget(&whole);
}

static void check_scenario(const char *path, double duration, arne_method method, double step)
{
    arne_error     error = {0};
    arne_scenario *scenario = NULL;
    const char    *name = path;
    if (arne_scenario_read(name, NULL, &scenario, &error) != ARNE_OK)
        fail_msg("%s: %s", path, error.text);
    arne_simulation_spec sim = *arne_scenario_simulation(scenario);
    sim.integrator = (arne_integrator_options){.method = method, .step = step};
    sim.duration = duration;
    sim.record_every = duration / 13; // falls between steps and samples
    sim.record = 0xfff;
    check(&sim);
    arne_scenario_free(scenario);
}

static void examples_go_on(void **unused)
{
    (void)unused;
    check_scenario(EXAMPLES "swimmer/scenario.yaml", 0.2, ARNE_METHOD_RK4, 1e-3);
    check_scenario(EXAMPLES "space_robot/scenario.yaml", 0.2, ARNE_METHOD_EULER, 1e-3);
    check_scenario(EXAMPLES "gough_stewart/scenario.yaml", 0.05, ARNE_METHOD_RK4, 2e-3);
    check_scenario(EXAMPLES "stanford_torque_rate/scenario.yaml", 0.2, ARNE_METHOD_RK4, 1e-3);
    check_scenario(EXAMPLES "quadruped_push/scenario.yaml", 0.2, ARNE_METHOD_EULER, 1e-3);
    check_scenario(EXAMPLES "mixed_elastic_arm/scenario.yaml", 0.05, ARNE_METHOD_RK4, 1e-4);
}

// A scenario of our own, in a file beside the tests' temporary ones.
static void check_text(const char *text, double duration)
{
    char path[L_tmpnam + 16];
    snprintf(path, sizeof path, "%s", "/tmp/arne-checkpoint-XXXXXX");
    const int handle = mkstemp(path);
    assert_true(handle >= 0);
    FILE *out = fdopen(handle, "w");
    fputs(text, out);
    fclose(out);
    check_scenario(path, duration, ARNE_METHOD_RK4, 1e-3);
    remove(path);
}

static void memories_go_on(void **unused)
{
    (void)unused;
    // Sticks and slips; torques are held; torque rates are limited.
    check_text(
        "robot: " ARNE_ROBOTS_DIR "/puma560.yaml\n"
        "duration: 1\n"
        "reference: {type: sinusoid, offset: 0, harmonics: [{amplitude: 0.05, frequency: 3}]}\n"
        "controller: {type: pd_gravity, kp: 200, kd: 2, sample_time: 0.0037,\n"
        "             torque_rate_limits: 900}\n"
        "friction: stick\n",
        0.4);
    // Loops.
    check_text("robot: " ARNE_ROBOTS_DIR "/five_bar.yaml\n"
               "duration: 1\n",
               0.15);
#ifdef ARNE_HAVE_EXPAT
    // Lengths of fibres.
    check_text("robot: " EXAMPLES "markers/person.osim\n"
               "duration: 1\n"
               "controller: {type: muscles, activation: 0.1, tendon: state, sample_time: 0.0023}\n",
               0.05);
#endif
}

static void others_are_refused(void **unused)
{
    arne_error     error = {0};
    arne_scenario *scenario = NULL;
    (void)unused;
    assert_int_equal(arne_scenario_read(EXAMPLES "swimmer/scenario.yaml", NULL, &scenario, &error),
                     ARNE_OK);
    arne_simulation_spec sim = *arne_scenario_simulation(scenario);
    sim.integrator = (arne_integrator_options){.method = ARNE_METHOD_RK4, .step = 1e-3};
    outcome     first = run(&sim, NULL, 20);
    arne_table *rows = NULL;
    sim.resume = first.checkpoint;
    assert_int_equal(arne_simulate(&sim, NULL, NULL, &rows, NULL, &error), ARNE_VALUE); // no rows
    arne_table_free(rows);
    sim.resume_rows = first.rows;
    sim.resume = first.rows;
    assert_int_equal(arne_simulate(&sim, NULL, NULL, &rows, NULL, &error), ARNE_VALUE);
    arne_table_free(rows);
    sim.resume = first.checkpoint;
    sim.duration *= 2;
    assert_int_equal(arne_simulate(&sim, NULL, NULL, &rows, NULL, &error), ARNE_VALUE);
    arne_table_free(rows);
    assert_non_null(strstr(error.text, "not of this run"));
    forget(&first);
    arne_scenario_free(scenario);
}

// Others go on from where they were, within their tolerance.
static void adaptive_methods_go_on(void **unused)
{
    static const arne_method methods[] = {ARNE_METHOD_DORMAND_PRINCE, ARNE_METHOD_CVODE,
                                          ARNE_METHOD_IDA};
    arne_error               error = {0};
    (void)unused;
    for (int i = 0; i < 3; i++) {
        arne_scenario *scenario = NULL;
        if (!arne_method_available(methods[i])) continue;
        assert_int_equal(
            arne_scenario_read(EXAMPLES "swimmer/scenario.yaml", NULL, &scenario, &error), ARNE_OK);
        arne_simulation_spec sim = *arne_scenario_simulation(scenario);
        sim.integrator = (arne_integrator_options){.method = methods[i]};
        sim.duration = 0.2;
        outcome whole = run(&sim, NULL, -1), first = run(&sim, NULL, 40);
        assert_true(first.summary.stopped);
        outcome   second = run(&sim, &first, -1);
        const int last = arne_table_rows(whole.rows) - 1;
        assert_int_equal(arne_table_rows(second.rows), last + 1);
        for (int k = 0; k < arne_table_columns(whole.rows); k++)
            assert_true(fabs(arne_table_row(whole.rows, last)[k] -
                             arne_table_row(second.rows, last)[k]) < 1e-6);
        forget(&whole);
        forget(&first);
        forget(&second);
        arne_scenario_free(scenario);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_go_on),
        cmocka_unit_test(memories_go_on),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(adaptive_methods_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
