// The files of a row, for a run that is kept: with the row's values in them, in DIR.files until the
// run has copied them.
#ifndef ARNE_SWEEP_SWEEP_FILES_H
#define ARNE_SWEEP_SWEEP_FILES_H

#include "sweep/sweep.h"
#include <arne/plan.h>

ARNE_CHECKED arne_status sweep_files_scenario(arne_sweep *s, const char *dir, arne_scenario **out,
                                              arne_error *error);
ARNE_CHECKED arne_status sweep_files_plan(arne_sweep *s, const char *dir, arne_plan **out,
                                          arne_error *error);
void                     sweep_files_remove(const char *dir);

#endif
