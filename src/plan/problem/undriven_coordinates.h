// Coordinates that nothing drives have no torque.
#ifndef ARNE_PLAN_UNDRIVEN_COORDINATES_H
#define ARNE_PLAN_UNDRIVEN_COORDINATES_H

#include "plan/problem/plan.h"

// A constraint on the plan where the robot has such coordinates.
ARNE_CHECKED arne_status plan_add_undriven(plan_problem *p, const unsigned char *driven,
                                           arne_error *error);

// Whether a plan of the robot with these options has coordinates that nothing drives.
int plan_has_undriven(const arne_robot *robot, const arne_plan_options *o);

#endif
