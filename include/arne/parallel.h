// Parallel robots: a platform that legs carry (arne_builder_add_parallel, or `parallel` in a robot
// file).
//
// Such a robot is a tree with loops, and all of arne/loop.h works on it: forward dynamics, forces,
// derivatives. The functions here use the fact that legs meet only in the platform: each leg is
// solved separately, and no matrix is larger than the number of degrees of freedom of the platform.
// q, qd, qdd and tau are those of the tree, as in arne/loop.h.
#ifndef ARNE_PARALLEL_H
#define ARNE_PARALLEL_H

#include <arne/loop.h>

ARNE_BEGIN

// Inverse kinematics: the coordinates of all legs from those of the platform, in closed form, or
// for chains by Newton's method. Of several solutions, the one nearest to the seed.
//
// q   in: the platform, and a seed for the legs; out: closed
// ARNE_NOT_CONVERGED if a leg cannot reach the platform (the error names it); ARNE_MODEL if the
// robot is not parallel.
ARNE_API ARNE_CHECKED arne_status arne_parallel_inverse_kinematics(const arne_robot *robot,
                                                                   arne_work        *work,
                                                                   arne_loop_work *loop, double *q,
                                                                   arne_error *error);

// Forward kinematics: the platform and all passive joints from the active ones, by Newton's method
// from the seed only, so that the result is the assembly nearest to it.
ARNE_API ARNE_CHECKED arne_status arne_parallel_forward_kinematics(const arne_robot *robot,
                                                                   arne_work        *work,
                                                                   arne_loop_work *loop, double *q,
                                                                   arne_error *error);

// The velocities of the legs, and (where qdd is not NULL) their accelerations, from the platform's.
//
// ARNE_LOOP_SINGULAR if a leg is stretched or folded; ARNE_MODEL if a leg does not have as many
// joints as it needs.
ARNE_API ARNE_CHECKED arne_status arne_parallel_complete(const arne_robot *robot, arne_work *work,
                                                         const double *q, double *qd, double *qdd,
                                                         arne_error *error);

// Inverse dynamics by platform and legs: Khalil 2010, section 5.2. The same torques as
// arne_loop_inverse_dynamics gives.
//
// qd, qdd  of the whole tree: they must satisfy the loops (arne_parallel_complete)
// tau      those of passive joints are zero
// If not every leg is driven by one joint and attached by a ball joint or pin,
// arne_loop_inverse_dynamics is used.
ARNE_API ARNE_CHECKED arne_status arne_parallel_inverse_dynamics(
    const arne_robot *robot, arne_work *work, arne_loop_work *loop, const double *q,
    const double *qd, const double *qdd, const arne_wrench *f_ext, double *tau, arne_error *error);

ARNE_END

#endif
