// The examples against what others have computed.
#include "json.h"
#include "testing.h"
#include <stdio.h>

// Runs an example's scenario and returns its result.
static arne_table *run_example(const char *name, arne_simulation_summary *summary)
{
    char           path[1024];
    arne_scenario *scenario;
    arne_error     error;
    arne_table    *table;
    snprintf(path, sizeof path, ARNE_ROBOTS_DIR "/../examples/%s.yaml", name);
    assert_ok_or(arne_scenario_read(path, NULL, &scenario, &error), &error);
    assert_ok_or(
        arne_simulate(arne_scenario_simulation(scenario), NULL, NULL, &table, summary, &error),
        &error);
    arne_scenario_free(scenario);
    return table;
}

static double rms(const arne_table *table, const char *name)
{
    const int column = arne_table_find(table, name), rows = arne_table_rows(table);
    double    sum = 0;
    assert_true(column >= 0);
    for (int i = 0; i < rows; i++)
        sum += arne_table_row(table, i)[column] * arne_table_row(table, i)[column];
    return sqrt(sum / rows);
}

// Errors of the arm with mixed joints: within 1 % of another program's simulation, which integrates
// the filter of the controller with the arm, and torques at 3 s to four digits.
static void the_mixed_arm_follows_as_elsewhere(void **unused)
{
    static const char *const CASES[][2] = {{"none", "mixed_elastic_arm/scenario"},
                                           {"down", "mixed_elastic_arm/scenario_payload"},
                                           {"up", "mixed_elastic_arm/scenario_lift"}};
    (void)unused;
    json       *file = json_read(TEST_DATA_DIR "/hua.json");
    const json *results =
        json_get(json_get(json_get(file, "completion_3R"), "closed_loop"), "results");
    for (int c = 0; c < 3; c++) {
        const json             *wanted = json_get(results, CASES[c][0]);
        arne_simulation_summary summary;
        arne_table             *table = run_example(CASES[c][1], &summary);
        double                  errors[3], torques[3];
        assert_true(summary.complete);
        json_numbers(json_get(wanted, "rms"), errors, 3);
        json_numbers(json_get(wanted, "tau_at_3s"), torques, 3);
        const double *row = arne_table_row(table, 1500);
        assert_true(fabs(row[0] - 3) < 1e-9);
        for (int j = 0; j < 3; j++) {
            char error[32], torque[32];
            snprintf(error, sizeof error, "error.joint%d", j + 1);
            snprintf(torque, sizeof torque, "tau.joint%d", j + 1);
            const double found = rms(table, error);
            print_message("%s joint %d: rms %.7f, elsewhere %.7f\n", CASES[c][0], j + 1, found,
                          errors[j]);
            assert_true(fabs(found / errors[j] - 1) < 0.01);
            assert_true(fabs(row[arne_table_find(table, torque)] / torques[j] - 1) < 1e-4);
        }
        arne_table_free(table);
    }
    json_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_mixed_arm_follows_as_elsewhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
