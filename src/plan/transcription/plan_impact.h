// Velocities that jump where a phase begins.
#ifndef ARNE_PLAN_TRANSCRIPTION_PLAN_IMPACT_H
#define ARNE_PLAN_TRANSCRIPTION_PLAN_IMPACT_H

#include "plan/problem/plan.h"

int plan_has_impact(const plan_problem *p, int phase);
// The impulse on a contact where a phase begins, in the world, N s.
arne_vec3 plan_impulse(const arne_plan *plan, int phase, int touch);
// The rows of all impacts, for these coordinates.
ARNE_CHECKED arne_status plan_join_impacts(plan_problem *p, const int *rows, int count,
                                           const double *zero, arne_error *error);

#endif
