// Fatigue by a planned task that is repeated.
#ifndef ARNE_PLAN_RESULT_FATIGUE_H
#define ARNE_PLAN_RESULT_FATIGUE_H

#include "plan/problem/plan.h"
#include <arne/table.h>

struct json; // io/json.h

typedef struct plan_tired {
    int failed,
        coordinate;  // the first repetition that is not possible, 0: none; and by which coordinate
    double capacity; // the least that is left of any joint at the end
} plan_tired;

// One row for each repetition: whether it is possible, and what is left of each joint after it.
ARNE_CHECKED arne_status plan_fatigue(arne_plan *p, plan_tired *out, arne_table **table,
                                      arne_error *error);
// The part of what a coordinate can do that a torque takes, where plan->between stands: over its
// strength, or this limit.
double plan_use(const arne_plan *p, int coordinate, double tau, double limit);
// `fatigue` of summary.json, where the task is repeated.
void plan_fatigue_summary(struct json *out, arne_plan *p);

#endif
