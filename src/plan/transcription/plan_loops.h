// Robots with closed loops: the independent active joints are planned, all others follow.
#ifndef ARNE_PLAN_TRANSCRIPTION_PLAN_LOOPS_H
#define ARNE_PLAN_TRANSCRIPTION_PLAN_LOOPS_H

#include "plan/problem/plan.h"

// The map from independent coordinates to all, or of all to themselves where loops tie velocities
// alone; ARNE_UNSUPPORTED where the active joints are more than the loops leave free. independent
// (room for v_count) gets the coordinates of the robot that are planned.
ARNE_CHECKED arne_status plan_loop_map(const arne_robot *robot, plan_map *out, int *independent,
                                       arne_error *error);
// Rows of loops that tie velocities alone; to be called once there is a plan with the map.
ARNE_CHECKED arne_status plan_add_rolling(plan_problem *p, arne_error *error);
// What a quantity of drives becomes: its gradient is by the planned coordinates.
void plan_loop_quantity(plan_quantity *q);
// Torques of the active joints at a state whose motion is known, zero of passive ones, into its
// tau; and their derivatives by planned positions, velocities and accelerations, v_count x n each,
// into tau_q, tau_v and M. NaN: no memory.
void plan_loop_torques(plan_state *s);
void plan_loop_torque_derivatives(plan_state *s);

#endif
