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
// The place of a point on a frame, and its Jacobian (6 x v_count, in the world's axes), the move of
// the point first.
arne_vec3 geometry_point(plan_state *s, int frame, arne_vec3 point, double *J);
// out (v_count x v_count) += d(J^T f)/dq of such a point.
void geometry_bend(int v_count, const double *J, arne_vec3 f, double *out);
// out (v_count x v_count) += d(J_turn^T m)/dq of such a frame.
void geometry_bend_turn(int v_count, const double *J, arne_vec3 m, double *out);
// out (3 x v_count) = d(J along)/dq of such a point.
void geometry_turned(int v_count, const double *J, const double *along, double *out);
// Adds the second derivatives of f . J along by q to the Hessian.
void geometry_curve_move(plan_state *s, const double *J, const double *along, arne_vec3 f);
// The same of f . J_move along + m . J_turn along.
void geometry_curve_wrench(plan_state *s, const double *J, const double *along, arne_vec3 f,
                           arne_vec3 m);
// A frame depends on the joints between it and the base.
void geometry_pattern(const plan_quantity *q, const plan_problem *p, unsigned char *out);
// The unit vector into a polygon across edge i.
arne_vec3 geometry_inward(const arne_quantity *what, int i);

#endif
