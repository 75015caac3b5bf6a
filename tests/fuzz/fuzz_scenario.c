// Any bytes as a scenario: it is read or refused with a text; what is read runs for a few steps, or
// says why not.
#include "scratch.h"
#include <arne/simulate.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int count_down(void *context)
{
    int *left = context;
    return (*left)-- <= 0;
}

static void run(const arne_scenario *scenario)
{
    int                     left = 4;
    arne_simulation_spec    sim = *arne_scenario_simulation(scenario);
    arne_simulation_summary summary;
    arne_table             *rows = NULL;
    arne_error              error = {0};
    sim.stop = count_down;
    sim.stop_context = &left;
    // Samples and rows that come every moment have no steps between them.
    if (sim.record_every > 0 && sim.record_every < 1e-4 * sim.duration)
        sim.record_every = 1e-4 * sim.duration;
    const arne_status status = arne_simulate(&sim, NULL, NULL, &rows, &summary, &error);
    if (status != ARNE_OK && !error.text[0]) abort();
    for (int i = 0; rows && i < arne_table_rows(rows); i++)
        for (int k = 0; k < arne_table_columns(rows); k++)
            if (!isfinite(arne_table_row(rows, i)[k])) abort();
    arne_table_free(rows);
}

// To slow a reference down takes as long as a thousand other scenarios: of those that may ask for
// it one in 32 runs, the same ones every time.
static int is_left_out(const uint8_t *data, size_t size)
{
    static const char word[] = "scaling";
    const size_t      length = sizeof word - 1;
    unsigned          sum = 0;
    int               found = 0;
    for (size_t i = 0; i < size; i++) {
        sum = (sum ^ data[i]) * 16777619u;
        if (data[i] == 's' && size - i >= length && memcmp(data + i, word, length) == 0) found = 1;
    }
    return found && (sum >> 8) % 32 != 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char           path[SCRATCH_PATH];
    arne_scenario *scenario = NULL;
    arne_error     error = {0};
    if (is_left_out(data, size)) return 0;
    if (!scratch_write("fuzz.yaml", data, size, path)) return 0;
    const arne_status status = arne_scenario_read(path, NULL, &scenario, &error);
    if (status != ARNE_OK && !error.text[0]) abort();
    if (status == ARNE_OK) run(scenario);
    arne_scenario_free(scenario);
    return 0;
}
