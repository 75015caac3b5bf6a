// Gradients and second derivatives of where frames are.
#ifndef ARNE_PLAN_PROBLEM_GEOMETRY_H
#define ARNE_PLAN_PROBLEM_GEOMETRY_H

#include "plan/problem/plan.h"

// Position, height, distance.
int  geometry_gradient(const plan_quantity *q, plan_state *s, double *out);
void geometry_hessian(const plan_quantity *q, plan_state *s, const double *lambda);
int  geometry_rotation_gradient(const plan_quantity *q, plan_state *s, double *out);
int  geometry_velocity_gradient(const plan_quantity *q, plan_state *s, double *out);
void geometry_velocity_hessian(const plan_quantity *q, plan_state *s, const double *lambda);
// A frame depends on the joints between it and the base.
void geometry_pattern(const plan_quantity *q, const arne_plan *p, unsigned char *out);
// The unit vector into a polygon across edge i.
arne_vec3 geometry_inward(const arne_quantity *what, int i);

#endif
