// Finer splines, and the way back to coarser ones.
#ifndef ARNE_PLAN_TRANSCRIPTION_RESPLINE_H
#define ARNE_PLAN_TRANSCRIPTION_RESPLINE_H

#include "plan/problem/plan.h"

// Twice as many spans, and the same motion; not beyond 400 control points.
int                      plan_can_respline(const arne_plan *p);
ARNE_CHECKED arne_status plan_respline(arne_plan *p, arne_error *error);

// A motion with its splines and grid, to come back to.
typedef struct plan_kept {
    int    *counts; // control points of each phase
    double *x;      // variables, their lower and upper bounds
    int     extra_count, grid_points;
} plan_kept;

ARNE_CHECKED arne_status plan_keep(const arne_plan *p, plan_kept *kept, arne_error *error);
void                     plan_kept_free(plan_kept *kept);
// The plan must be prepared again afterwards.
ARNE_CHECKED arne_status plan_come_back(arne_plan *p, const plan_kept *kept, arne_error *error);

#endif
