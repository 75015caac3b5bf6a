// What a plan of a step leaves behind besides what all plans do.
#ifndef ARNE_HUMAN_GAIT_RESULT_H
#define ARNE_HUMAN_GAIT_RESULT_H

#include "human/gait.h"

// Adds a step to the plan, and to its results the ground's forces, the stride and its figures.
ARNE_CHECKED arne_status plan_gait_attach(arne_plan *plan, const gait_options *options,
                                          const arne_place *place, arne_error *error);
// The step of a plan; NULL: it has none.
const gait *plan_gait_of(const arne_plan *plan);

#endif
