// Any numbers as the state of a simulation and as the checkpoint of a run: they are refused, or a
// step from there ends. The first bytes select entries of a good state, and numbers for them.
#include "scratch.h"
#include <arne/simulate.h>
#include <arne/simulation.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char ROBOT[] = "extends: arm.yaml\nname: touching\n"
                            "contacts: [{name: tip, link: tip, sphere: 0.02}]\n";
static const char SCENARIO[] =
    "robot: touching.yaml\nduration: 0.05\nrecord: {every: 0.01}\nfriction: stick\n"
    "surroundings: [{type: ground, friction: 0.5, model: rigid}]\n"
    "reference: {type: point_to_point, to: [0.1, 0.2], duration: 0.05}\n"
    "controller: {type: pd, kp: 20, kd: 1, sample_time: 0.004}\n"
    "integrator: {method: euler, step: 0.002}\n";

// Ten bytes change an entry: two are its place, eight are a number.
static void change(const uint8_t *data, size_t size, double *numbers, size_t count)
{
    for (; size >= 10 && count; data += 10, size -= 10) {
        const size_t at = ((size_t)data[0] << 8 | data[1]) % count;
        memcpy(&numbers[at], data + 2, sizeof *numbers);
    }
}

static void step_from(const arne_simulation_spec *spec, const uint8_t *data, size_t size)
{
    static arne_simulation       *s; // made once, and kept
    static double                *good, *changed;
    const arne_simulation_options options = {.step = 0.002, .spec = spec};
    arne_error                    error = {0};
    if (!s) {
        if (arne_simulation_new(spec->robot, &options, &s, &error) != ARNE_OK) abort();
        good = malloc(2 * arne_simulation_state_size(s) * sizeof *good);
        if (!good || arne_simulation_step(s, NULL, 7, &error) != ARNE_OK) abort();
        changed = good + arne_simulation_state_size(s);
        arne_simulation_state(s, good);
    }
    memcpy(changed, good, arne_simulation_state_size(s) * sizeof *good);
    change(data, size, changed, arne_simulation_state_size(s));
    arne_status status = arne_simulation_set_state(s, changed, &error);
    if (!status) status = arne_simulation_step(s, NULL, 1, &error);
    if (status && !error.text[0]) abort();
    if (arne_simulation_set_state(s, good, &error) != ARNE_OK) abort();
}

static int stop_soon(void *context) { return ++*(int *)context > 12; }

// A run that is stopped leaves a checkpoint, which is changed and resumed.
static void resume(const arne_simulation_spec *of, const uint8_t *data, size_t size)
{
    arne_simulation_spec spec = *of;
    arne_table          *rows = NULL, *more = NULL, *checkpoint = NULL;
    arne_error           error = {0};
    int                  asked = 0;
    spec.stop = stop_soon;
    spec.stop_context = &asked;
    spec.checkpoint = &checkpoint;
    arne_status status = arne_simulate(&spec, NULL, NULL, &rows, NULL, &error);
    if (status == ARNE_STOPPED && checkpoint) {
        const int count = arne_table_rows(checkpoint);
        double   *numbers = malloc(((size_t)count + 1) * sizeof *numbers);
        for (int i = 0; numbers && i < count; i++)
            numbers[i] = arne_table_row(checkpoint, i)[0];
        if (numbers) change(data, size, numbers, (size_t)count);
        arne_table *again = NULL;
        status = arne_table_new(&again);
        if (!status) status = arne_table_add_column(again, "checkpoint", "");
        for (int i = 0; numbers && !status && i < count; i++)
            status = arne_table_append(again, &numbers[i]);
        spec.stop = NULL;
        spec.checkpoint = NULL;
        spec.resume = again;
        spec.resume_rows = rows;
        if (!status) status = arne_simulate(&spec, NULL, NULL, &more, NULL, &error);
        if (status && !error.text[0]) abort();
        arne_table_free(again);
        free(numbers);
    }
    arne_table_free(checkpoint);
    arne_table_free(rows);
    arne_table_free(more);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static arne_scenario *scenario; // read once, and kept
    char                  path[SCRATCH_PATH];
    arne_error            error = {0};
    if (!scenario) {
        if (!scratch_write("touching.yaml", ROBOT, sizeof ROBOT - 1, path) ||
            !scratch_write("checkpoint.yaml", SCENARIO, sizeof SCENARIO - 1, path))
            return 0;
        if (arne_scenario_read(path, NULL, &scenario, &error) != ARNE_OK) {
            fprintf(stderr, "%s\n", error.text);
            abort();
        }
    }
    if (!size) return 0;
    if (data[0] % 2)
        step_from(arne_scenario_simulation(scenario), data + 1, size - 1);
    else
        resume(arne_scenario_simulation(scenario), data + 1, size - 1);
    return 0;
}
