// Running a scenario from the shell: progress on a terminal, Ctrl-C, the folder and its report.
#ifndef CLI_SCENARIO_H
#define CLI_SCENARIO_H

#include <arne/simulate.h>

// Reads a scenario; warnings and errors are printed on stderr. Returns an exit status.
int load_scenario(const char *path, int quiet, arne_scenario **out);
// Runs it into a folder and writes the report. Returns an exit status; mistakes are printed on
// stderr.
int run_scenario(arne_scenario *scenario, const char *path, const char *dir, int resume,
                 arne_simulation_summary *summary);

// Whether contacts matter.
int has_ground(const arne_scenario *scenario);

#endif
