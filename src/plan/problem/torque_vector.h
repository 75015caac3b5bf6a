// Torques as components of one vector.
#ifndef ARNE_PLAN_PROBLEM_TORQUE_VECTOR_H
#define ARNE_PLAN_PROBLEM_TORQUE_VECTOR_H

#include "plan/problem/plan.h"

ARNE_CHECKED arne_status plan_torque_vector(const plan_problem *p, const arne_quantity *what,
                                            plan_quantity *out, arne_error *error);

// Whether it counts a coordinate across two others.
int plan_counts_across(const plan_quantity *torque_vector, int coordinate);

#endif
