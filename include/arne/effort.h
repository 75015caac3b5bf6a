// What limits of effort leave: how much of them a motion takes, and what a robot can carry.
#ifndef ARNE_EFFORT_H
#define ARNE_EFFORT_H

#include <arne/loop.h>

ARNE_BEGIN

// The torque that each coordinate may have, v_count: the limit of its joint or of the motor that
// drives it, whichever is smaller; the load side of a spring and what nothing limits have INFINITY.
ARNE_API void arne_effort_limits(const arne_robot *robot, double *limit);

// The largest mass, as a point at the origin of a frame, with which the motion at a state keeps all
// limits of effort. Torques grow linearly with it.
//
// loop      NULL for robots without loops; else q, qd and qdd must satisfy them
//           (arne_loop_complete)
// f_ext     what acts besides, one wrench per body; NULL: none
// mass      0 where the limits are broken without it
// limiting  the coordinate that reaches its limit first
// ARNE_VALUE where no limit of effort is ever reached. Allocates; O(bodies)
ARNE_API ARNE_CHECKED arne_status arne_payload_capacity(const arne_robot *robot, arne_work *work,
                                                        arne_loop_work *loop, int frame,
                                                        const double *q, const double *qd,
                                                        const double *qdd, const arne_wrench *f_ext,
                                                        double *mass, int *limiting,
                                                        arne_error *error);

ARNE_END

#endif
