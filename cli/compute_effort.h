// Quantities of effort: how much of its limits a motion takes, and what a robot can carry.
#ifndef CLI_COMPUTE_EFFORT_H
#define CLI_COMPUTE_EFFORT_H

#include "quantities.h"

// Quantities of the program's own, which have no row in the catalogue; NULL beyond the last.
const arne_algorithm_info *effort_quantity(int index);
const char                *effort_keys(const arne_algorithm_info *info);
evaluate_fn                effort_evaluate(const arne_algorithm_info *info);

#endif
