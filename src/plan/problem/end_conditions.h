// Ends of a motion that are bounds of variables.
#ifndef ARNE_PLAN_END_CONDITIONS_H
#define ARNE_PLAN_END_CONDITIONS_H

#include "plan/problem/plan.h"

enum { ENDS_ORDERS = 3 }; // position, velocity, acceleration

typedef struct plan_ends {
    double        *fixed; // see plan_end_point; NAN: not fixed
    unsigned char *held;  // of each constraint: by fixed control points
} plan_ends;

// m: control points of a coordinate, of all phases.
ARNE_CHECKED arne_status plan_ends_find(const plan_problem *p, int m, plan_ends *out,
                                        arne_error *error);
void                     plan_ends_free(plan_ends *ends);

// What fixes the k-th control point of a coordinate from the start (end = 0) or the end (1).
static inline double *plan_end_point(const plan_ends *ends, int coordinate, int end, int k)
{
    return ends->fixed + (2 * coordinate + end) * ENDS_ORDERS + k;
}

#endif
