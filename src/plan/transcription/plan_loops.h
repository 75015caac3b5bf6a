// Robots with closed loops: the independent active joints are planned, all others follow.
#ifndef ARNE_PLAN_TRANSCRIPTION_PLAN_LOOPS_H
#define ARNE_PLAN_TRANSCRIPTION_PLAN_LOOPS_H

#include "plan/problem/plan.h"

// The map from independent coordinates to all; ARNE_UNSUPPORTED where the active joints are more
// than the loops leave free. independent (room for v_count) gets the coordinates of the robot that
// are planned.
ARNE_CHECKED arne_status plan_loop_map(const arne_robot *robot, plan_map *out, int *independent,
                                       arne_error *error);
// Torques of the active joints and their power, which tree dynamics do not know.
void plan_loop_quantity(plan_quantity *q);
// Torques at a state whose motion is known: v_count, zero of passive joints. Nonzero: there are
// none.
int plan_loop_torques(plan_state *s, double *out);
// Whether a built-in quantity has a meaning where loops carry forces that the tree does not know.
int plan_loop_allows(arne_quantity_kind kind);

#endif
