#ifndef ARNE_PLAN_PROBLEM_ENDS_H
#define ARNE_PLAN_PROBLEM_ENDS_H

#include "plan/problem/plan.h"

// Makes bounds of the constraints at both ends that can be bounds; they are marked as held.
void plan_hold_ends(arne_plan *p);

#endif
