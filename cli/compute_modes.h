// Natural frequencies and mode shapes.
#ifndef CLI_COMPUTE_MODES_H
#define CLI_COMPUTE_MODES_H

#include "quantities.h"

// Of each state: as JSON an object, as CSV a row for each mode. Returns an exit status.
int write_modes(const request *ask, const state_list *states, int wants_json, int quiet, FILE *out);

#endif
