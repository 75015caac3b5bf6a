// Motions along a given path.
#ifndef ARNE_PLAN_TRANSCRIPTION_PATH_H
#define ARNE_PLAN_TRANSCRIPTION_PATH_H

#include "plan/problem/plan.h"

// The curve through `count` points (each of `width` numbers), evenly spaced but near its ends: of
// degree 5 where there are so many.
ARNE_CHECKED arne_status plan_path_map(int width, int count, const double *points, plan_map *out,
                                       arne_error *error);

#endif
