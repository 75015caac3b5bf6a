// Compliant contacts of a plan.
#ifndef ARNE_PLAN_PROBLEM_PLAN_PRESS_H
#define ARNE_PLAN_PROBLEM_PLAN_PRESS_H

#include "plan/problem/plan.h"

static inline int plan_is_compliant(const plan_problem *p, int contact)
{
    return p->touches[contact].stiffness > 0;
}

// What plan_contact.c says of all contacts, of one that is compliant.
arne_vec3 plan_press_force(plan_state *s, int contact);
void      plan_press_torques(plan_state *s, int contact);
void      plan_press_derivatives(plan_state *s, int contact);
void      plan_press_curve(plan_state *s, int contact);
void      plan_press_quantity(const arne_quantity *what, plan_quantity *out);

#endif
