// Where a robot with springs stands still.
#ifndef ARNE_EQUILIBRIUM_H
#define ARNE_EQUILIBRIUM_H

#include <arne/derivatives.h>
#include <arne/robot.h>
#include <arne/work.h>

typedef struct arne_equilibrium_options {
    size_t               size;  // of this struct, or 0: see arne/types.h
    const double        *tau;   // torques of the motors, v_count; NULL: none
    const arne_load     *loads; // wrenches that are in_world: in the world's axes, else the frame's
    int                  load_count;
    const unsigned char *held;       // v_count: coordinates that do not move; NULL: none
    double               tolerance;  // of torques that are left, over the largest; 0: 1e-12
    int                  most_steps; // of Newton, all in all; 0: 1000
    const double        *activation; // of muscles, cables and chambers, which pull then too (with
                                     // rigid tendons); NULL: none pulls
} arne_equilibrium_options;

ARNE_BEGIN

// The configuration in which springs, weight, loads, torques and muscles balance: inverse dynamics
// at rest gives tau and what muscles do in every coordinate that is not held. Newton's method;
// weight, loads, torques and muscles grow from nothing in steps that adapt, so that large
// deflections are reached.
// Motors behind springs do not move. Loops are closed first, as by arne_assemble, and stay closed.
//
// q       at first where the robot rests without weight and loads (or near to that; loops may be
//         open); then the equilibrium
// work    its base keeps its pose, and is at rest then
// fails   ARNE_UNSUPPORTED for loops that constrain velocities alone; ARNE_NOT_CONVERGED where
//         loops cannot be closed; ARNE_SINGULAR where no spring holds a coordinate,
//         or no equilibrium is found beyond some part of the load: the error says which. q is then
//         the last equilibrium that was found.
ARNE_API ARNE_CHECKED arne_status arne_equilibrium(const arne_robot *robot, arne_work *work,
                                                   const arne_equilibrium_options *options,
                                                   double *q, arne_error *error);

ARNE_END

#endif
