// Which limits forbid a motion.
#ifndef ARNE_PLAN_SOLVE_FORBIDDEN_H
#define ARNE_PLAN_SOLVE_FORBIDDEN_H

#include "plan/solve/search.h"

// Puts the motion near `start` in the place of the solution's that keeps all equalities and exceeds
// limits least, and these limits into the plan's `forbidden`; geometry: only rows count that
// accelerations and forces do not enter. Where no such motion is found, all stays as it was. *fine:
// it was found, and exceeds none.
ARNE_CHECKED arne_status plan_find_forbidden(search *s, int geometry, const double *start,
                                             plan_solution *now, int *fine, arne_error *error);

#endif
