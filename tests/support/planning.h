// Small words for tests of planning.
#ifndef TEST_PLANNING_H
#define TEST_PLANNING_H

#include <arne/plan.h>

// A problem as a file beside the robots would have it. A mistake in it is a failed test.
arne_plan *plan_of_text(const char *text);
// The index of a quantity that needs nothing but its kind.
int plan_quantity_of(arne_plan *plan, arne_quantity_kind kind);
// Bounds on all coordinates of such a quantity; from = to: at one instant.
void plan_hold(arne_plan *plan, const char *name, arne_quantity_kind kind, double from, double to,
               const double *lower, const double *upper);
// From rest to rest; the search starts with a straight line.
void plan_rest_to_rest(arne_plan *plan, const double *from, const double *to);
// Every derivative of a plan is that of differences or of the complex step.
void plan_check_derivatives(arne_plan *plan, const char *label);
// Solves; 0 where this build has no solver. Anything but success is a failed test.
int plan_solved(arne_plan *plan, const arne_solve_options *options, arne_plan_result *result);

#endif
