// Torque limits that depend on angle and velocity.
#ifndef ARNE_PLAN_PROBLEM_STRENGTH_H
#define ARNE_PLAN_PROBLEM_STRENGTH_H

#include "plan/problem/plan.h"

// What a joint can do, and how that changes with q and v = qd.
typedef struct strength_at {
    double value, q, v, qq, qv, vv;
} strength_at;
// side 0: in the positive direction; 1: in the negative one, as a positive number.
strength_at plan_strength_at(const plan_strength *t, int side, double q, double qd);
double      plan_strength_most(const plan_strength *t);
// A line between stall torque and no-load speed: the constant limit counts too.
int  plan_strength_is_line(const plan_strength *t);
void plan_strength_free(plan_strength *t);

// Utilisation and margin.
ARNE_CHECKED arne_status plan_strength_quantity(const plan_problem *p, const arne_quantity *what,
                                                plan_quantity *out, arne_error *error);

#endif
