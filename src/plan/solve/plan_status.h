// The result of a search.
#ifndef ARNE_PLAN_SOLVE_PLAN_STATUS_H
#define ARNE_PLAN_SOLVE_PLAN_STATUS_H

#include "plan/solve/search.h"

typedef struct plan_tolerance {
    double feasible; // at grid points, in the units of the constraints
    double between;  // between them, relative: see plan_gap
} plan_tolerance;

// " of joint 'elbow'" where the rows of the quantity are coordinates; else nothing.
void plan_row_owner(const plan_problem *p, const plan_constraint *c, int row, char *out,
                    size_t size);

// The constraint that the motion x, which plan_set was given, misses most: "torque of joint
// 'elbow'". Returns 0 if none is missed by more than `feasible`.
int plan_say_worst(plan_program *p, const double *x, double feasible, char *out, size_t size);

// Fills the result from the plan's motion. ARNE_NOT_CONVERGED if the motion is not what was asked
// for: the text names what is missed, where and by how much.
ARNE_CHECKED arne_status plan_judge(arne_plan *p, const plan_tolerance *allowed,
                                    arne_plan_result *result, arne_error *error);

#endif
