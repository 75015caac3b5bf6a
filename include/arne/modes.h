// Natural frequencies and mode shapes of a robot with springs, about an equilibrium.
#ifndef ARNE_MODES_H
#define ARNE_MODES_H

#include <arne/dynamics.h>

ARNE_BEGIN

// Small motions x about an equilibrium: M x'' + K x = 0, without damping, where K is the derivative
// of the torques at rest (springs and weight). Joints with a spring and no motor, and those behind
// a motor's spring, first settle where gravity and springs balance; whatever torque the others take
// there is held while they move.
//
// held   v_count flags of coordinates that do not move, such as joints with their brakes on; NULL:
//        all move
// q      in: where the search for the equilibrium starts, out: the equilibrium
// count  of modes: coordinates that move
// frequency  v_count entries, the first `count` of them in Hz, in ascending order; one that is
//            negative is that of a motion that grows: its rate is -2 pi frequency. A joint that
//            nothing brings back has the frequency zero.
// shapes v_count x v_count, row by row a mode along velocities, with x^T M x = 1, the largest entry
// positive Allocates. ARNE_UNSUPPORTED with loops, ARNE_SINGULAR where a coordinate has no inertia,
// ARNE_NOT_CONVERGED where there is no equilibrium near q.
ARNE_API ARNE_CHECKED arne_status arne_modes(const arne_robot *robot, arne_work *work,
                                             const unsigned char *held, double *q, int *count,
                                             double *frequency, double *shapes, arne_error *error);

ARNE_END

#endif
