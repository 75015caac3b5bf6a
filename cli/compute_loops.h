// Robots with loops on the command line: states are closed before they are used, and torques are
// those of active joints.
#ifndef CLI_LOOPS_H
#define CLI_LOOPS_H

#include "quantities.h"

// Makes ask->loop where the robot has loops, and completes the states: passive positions that were
// not given are found from the active ones (each state starts where the last one was), velocities
// and accelerations follow from them. With `open` that is all, and ask->loop stays NULL: what
// follows is about the tree that is cut at the loops.
int loops_close(request *ask, const quantity *what, int open, state_list *states);
// An exit status after a message where there is no such quantity of a robot with loops.
int loops_refuse(const request *ask, const quantity *what, int open, int matrix);
// What is another one for the closed mechanism than for the tree; NULL: it is not.
evaluate_fn closed_quantity(arne_algorithm algorithm);

// Quantities.
int loop_assemble(const request *ask, const state *at, result *out);
int loop_jacobian(const request *ask, const state *at, result *out);
int loop_forces(const request *ask, const state *at, result *out);
// Those that have another meaning where there are loops.
int loop_torques(const request *ask, const state *at, const double *qd, const double *qdd,
                 result *out);
int loop_gravity(const request *ask, const state *at, result *out);
int loop_bias(const request *ask, const state *at, result *out);
// The wrenches of joints, once the loops carry theirs.
int loop_wrenches(const request *ask, const state *at);

#endif
