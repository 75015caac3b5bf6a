// The coordinates of each kind of joint; joint.k.h is the other half, for the algorithms.
#ifndef ARNE_ROBOT_JOINT_H
#define ARNE_ROBOT_JOINT_H

#include "robot/robot.h"
#include <stdint.h>

// The directions of a joint's velocities; returns how many.
int joint_axes(int kind, axis out[6]);

// One joint's coordinates; q, v and out point at its own entries. See arne/configuration.h.
void joint_neutral(arne_joint_kind kind, double *q);
void joint_random(const arne_joint_info *j, uint64_t *seed, double *q);
void joint_integrate(arne_joint_kind kind, const double *q, const double *v, double *out);
void joint_difference(arne_joint_kind kind, const double *from, const double *to, double *v);
void joint_rate(arne_joint_kind kind, const double *q, const double *v, double *qdot);
// How that changes with q, along dq.
void joint_rate_along(arne_joint_kind kind, const double *q, const double *v, const double *dq,
                      double *out);
void joint_step_rate(arne_joint_kind kind, const double *u, const double *v, double *rate);
// Where its quaternion starts in q, or -1.
int joint_quaternion(arne_joint_kind kind);
// Whether it has one coordinate, and that is a length.
int joint_is_slide(arne_joint_kind kind);

#endif
