// Which limits forbid a motion.
#ifndef ARNE_PLAN_SOLVE_FORBIDDEN_H
#define ARNE_PLAN_SOLVE_FORBIDDEN_H

#include "plan/solve/search.h"

// Puts the motion in the place of the plan's that keeps all equalities and exceeds limits least,
// and these limits into its `forbidden`; geometry: only what accelerations and forces do not enter
// counts. Where there is no such motion, or it is not found, all stays as it was. *fine: it was
// found, and exceeds none.
ARNE_CHECKED arne_status plan_find_forbidden(search *s, int geometry, int *fine, arne_error *error);

#endif
