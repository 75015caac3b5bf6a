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
typedef struct geometry_place {
    int       frame;
    arne_vec3 point; // in the frame
} geometry_place;
// out (v_count x v_count) += d(J_move^T f + J_turn^T m)/dq of such a point.
void geometry_bend(plan_state *s, const geometry_place *at, const double *J, arne_vec3 f,
                   arne_vec3 m, double *out);
// out (3 x v_count) = d(J_move along)/dq.
void geometry_turned(plan_state *s, const geometry_place *at, const double *J, const double *along,
                     double *out);
// Adds the second derivatives of f . J_move along + m . J_turn along by q to the Hessian.
void geometry_curve(plan_state *s, const geometry_place *at, const double *J, const double *along,
                    arne_vec3 f, arne_vec3 m);
// Of each frame: whether its place depends on a joint that follows another.
void geometry_mark_following(const arne_robot *robot, unsigned char *out);
// A frame depends on the joints between it and the base.
void geometry_pattern(const plan_quantity *q, const plan_problem *p, unsigned char *out);
// The unit vector into a polygon across edge i.
arne_vec3 geometry_inward(const arne_quantity *what, int i);

#endif
