// Parallel robots: a platform that legs carry (arne_builder_add_parallel, or `parallel` in a robot
// file).
//
// Such a robot is a tree with loops, and all of arne/loop.h works on it: forward dynamics, forces,
// derivatives. What is here uses that the legs meet only in the platform: each leg is solved by
// itself, and no matrix is larger than the platform's mobility. q, qd, qdd and tau are those of the
// tree, as in arne/loop.h.
#ifndef ARNE_PARALLEL_H
#define ARNE_PARALLEL_H

#include <arne/loop.h>

ARNE_BEGIN

// Inverse kinematics: the coordinates of all legs from the platform's, in closed form, or for
// chains by Newton's steps. Of several ways the one nearest the seed.
//
// q   in: the platform, and a seed for the legs; out: closed
// ARNE_NOT_CONVERGED where a leg cannot reach its place, which is named; ARNE_MODEL where the robot
// is not parallel.
ARNE_API ARNE_CHECKED arne_status arne_parallel_inverse_kinematics(const arne_robot *robot,
                                                                   arne_work        *work,
                                                                   arne_loop_work *loop, double *q,
                                                                   arne_error *error);

// Forward kinematics: the platform and all passive joints from the active ones, by Newton's steps
// from the seed and from nowhere else, so that the way to assemble is the one nearest it.
ARNE_API ARNE_CHECKED arne_status arne_parallel_forward_kinematics(const arne_robot *robot,
                                                                   arne_work        *work,
                                                                   arne_loop_work *loop, double *q,
                                                                   arne_error *error);

// The velocities of the legs, and (where qdd is not NULL) their accelerations, from the platform's.
//
// ARNE_LOOP_SINGULAR where a leg is stretched or folded; ARNE_MODEL where a leg has not as many
// joints as it needs.
ARNE_API ARNE_CHECKED arne_status arne_parallel_complete(const arne_robot *robot, arne_work *work,
                                                         const double *q, double *qd, double *qdd,
                                                         arne_error *error);

// Inverse dynamics by platform and legs: Khalil 2010, section 5.2. The same torques as
// arne_loop_inverse_dynamics gives.
//
// qd, qdd  of the whole tree: they must satisfy the loops (arne_parallel_complete)
// tau      those of passive joints are zero
// A robot whose legs are not all driven by one joint and tied by balls or pins is left to
// arne_loop_inverse_dynamics.
ARNE_API ARNE_CHECKED arne_status arne_parallel_inverse_dynamics(
    const arne_robot *robot, arne_work *work, arne_loop_work *loop, const double *q,
    const double *qd, const double *qdd, const arne_wrench *f_ext, double *tau, arne_error *error);

ARNE_END

#endif
