// Parallel modules in series: platforms that stand on each other, each carried by its own legs
// (arne/parallel.h). Ibrahim and Khalil 2010.
//
// Such a robot is a tree with loops, and all of arne/loop.h works on it; its cost grows with the
// cube of the number of modules there. What is here goes from module to module and is linear in
// their number.
#ifndef ARNE_MODULES_H
#define ARNE_MODULES_H

#include <arne/parallel.h>

typedef struct arne_modules arne_modules;

ARNE_BEGIN

// Takes the robot apart: a module is the legs that end on one platform, the platform and what is
// fixed to it, on the platform before. The robot's base is fixed; it need not outlive what is made
// here. ARNE_MODEL where it does not consist of modules whose platforms have as many driven joints
// as motions.
ARNE_API ARNE_CHECKED arne_status arne_modules_new(const arne_robot *robot, arne_modules **out,
                                                   arne_error *error);
ARNE_API void                     arne_modules_free(arne_modules *modules);
ARNE_API int                      arne_modules_count(const arne_modules *modules);

// The velocities and accelerations (may be NULL) of all legs from those of the platforms.
ARNE_API ARNE_CHECKED arne_status arne_modules_complete(arne_modules *modules, const double *q,
                                                        double *qd, double *qdd, arne_error *error);
// Inverse dynamics, from the last platform to the base: the same torques as
// arne_loop_inverse_dynamics gives. qd and qdd are those of the whole tree and satisfy the loops.
ARNE_API ARNE_CHECKED arne_status arne_modules_inverse_dynamics(arne_modules *modules,
                                                                const double *q, const double *qd,
                                                                const double *qdd, double *tau,
                                                                arne_error *error);
// Forward dynamics: what is behind a platform is an articulated body to it, of one inertia and one
// force. The same accelerations as arne_loop_forward_dynamics gives. Of tau only those of driven
// joints are read.
ARNE_API ARNE_CHECKED arne_status arne_modules_forward_dynamics(arne_modules *modules,
                                                                const double *q, const double *qd,
                                                                const double *tau, double *qdd,
                                                                arne_error *error);

ARNE_END

#endif
