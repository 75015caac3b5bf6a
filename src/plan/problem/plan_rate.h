// Torque rates with contacts and wrenches, by planned coordinates. A robot without loops.
#ifndef ARNE_PLAN_PROBLEM_PLAN_RATE_H
#define ARNE_PLAN_PROBLEM_PLAN_RATE_H

#include "plan/problem/plan.h"

void plan_rate_values(plan_state *s, double *out);
// Adds the gradient of lambda . rate to out (PLAN_ORDERS n). Nonzero: no such number.
int plan_rate_against(plan_state *s, const double *lambda, double *out);
// Numbers that it wants in s->at->own.
int  plan_rate_scratch(const plan_problem *p);
void plan_rate_pattern(const plan_quantity *q, const plan_problem *p, unsigned char *out);

#endif
