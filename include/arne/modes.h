// Natural frequencies and mode shapes of a robot with springs, about an equilibrium.
#ifndef ARNE_MODES_H
#define ARNE_MODES_H

#include <arne/dynamics.h>

ARNE_BEGIN

// Small motions x about an equilibrium: M x'' + K x = 0, without damping, where K is the derivative
// of the torques at rest (springs and weight). Joints with a spring and no motor, and joints behind
// the spring of a motor, first settle where gravity and springs balance; the torques of all other
// joints at this equilibrium stay constant.
//
// held   v_count flags of coordinates that do not move, such as joints with their brakes on; NULL:
//        all move
// q      in: where the search for the equilibrium starts, out: the equilibrium
// count  of modes: coordinates that move
// frequency  v_count entries, the first `count` of them in Hz, in ascending order; a
//            negative number is an unstable motion, which grows at the rate -2 pi frequency. A
//            joint without any restoring torque has the frequency zero.
// shapes v_count x v_count, each row a mode along velocities, with x^T M x = 1, the largest entry
//        positive
// Allocates. ARNE_UNSUPPORTED with loops, ARNE_SINGULAR if a coordinate has no inertia,
// ARNE_NOT_CONVERGED if there is no equilibrium near q.
ARNE_API ARNE_CHECKED arne_status arne_modes(const arne_robot *robot, arne_work *work,
                                             const unsigned char *held, double *q, int *count,
                                             double *frequency, double *shapes, arne_error *error);

ARNE_END

#endif
