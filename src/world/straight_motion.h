// Velocities in body axes, over a step: what flies straight on while it turns.
#ifndef ARNE_WORLD_STRAIGHT_MOTION_H
#define ARNE_WORLD_STRAIGHT_MOTION_H

#include <arne/robot.h>

// out = where constant velocities lead in a time t, linear ones of free and planar joints constant
// in the joint's axes, angular ones in the body's. step: v_count numbers of scratch. out may be q.
void straight_move(const arne_robot *robot, const double *q, const double *v, double t,
                   double *step, double *out);
// The numbers of v after the body has turned so: linear velocities of free and planar joints stay
// what they are in space.
void straight_carry(const arne_robot *robot, double t, double *v);
// Accelerations of these velocities in space instead of the rates of their numbers: += w x v.
void straight_rates(const arne_robot *robot, const double *v, double *qdd);

#endif
