// Effort limits: the torques that are allowed, and the payload that a robot can carry.
#ifndef ARNE_EFFORT_H
#define ARNE_EFFORT_H

#include <arne/loop.h>

ARNE_BEGIN

// The largest torque allowed for each coordinate, v_count: the limit of its joint or of the motor
// that drives it, whichever is smaller; INFINITY for the load side of a spring and for coordinates
// without a limit.
ARNE_API void arne_effort_limits(const arne_robot *robot, double *limit);

// The largest mass, as a point at the origin of a frame, with which the motion at a state stays
// within all effort limits. Torques are linear in this mass.
//
// loop      NULL for robots without loops; else q, qd and qdd must satisfy them
//           (arne_loop_complete)
// f_ext     other external wrenches, one per body; NULL: none
// mass      0 if the limits are exceeded even without it
// limiting  the coordinate that reaches its limit first
// ARNE_VALUE if no effort limit is ever reached. Allocates; O(bodies)
ARNE_API ARNE_CHECKED arne_status arne_payload_capacity(const arne_robot *robot, arne_work *work,
                                                        arne_loop_work *loop, int frame,
                                                        const double *q, const double *qd,
                                                        const double *qdd, const arne_wrench *f_ext,
                                                        double *mass, int *limiting,
                                                        arne_error *error);

ARNE_END

#endif
