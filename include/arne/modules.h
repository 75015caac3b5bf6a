// Parallel modules in series: each platform stands on its own legs on the previous platform
// (arne/parallel.h). Ibrahim and Khalil 2010.
//
// Such a robot is a tree with loops, and all of arne/loop.h works on it, at a cost that grows with
// the cube of the number of modules. The functions here work module by module, in time linear in
// their number.
#ifndef ARNE_MODULES_H
#define ARNE_MODULES_H

#include <arne/parallel.h>

typedef struct arne_modules arne_modules;

ARNE_BEGIN

// Divides the robot into modules: a module is a platform, everything fixed to it, and the legs that
// connect it with the previous platform. The robot's base must be fixed; the robot need not outlive
// the modules. ARNE_MODEL if it does not consist of modules whose platforms have as many driven
// joints as degrees of freedom.
ARNE_API ARNE_CHECKED arne_status arne_modules_new(const arne_robot *robot, arne_modules **out,
                                                   arne_error *error);
ARNE_API void                     arne_modules_free(arne_modules *modules);
ARNE_API int                      arne_modules_count(const arne_modules *modules);

// The velocities and accelerations (may be NULL) of all legs from those of the platforms.
ARNE_API ARNE_CHECKED arne_status arne_modules_complete(arne_modules *modules, const double *q,
                                                        double *qd, double *qdd, arne_error *error);
// Inverse dynamics, from the last platform to the base, with the same result as
// arne_loop_inverse_dynamics. qd and qdd are those of the whole tree and must satisfy the loops.
ARNE_API ARNE_CHECKED arne_status arne_modules_inverse_dynamics(arne_modules *modules,
                                                                const double *q, const double *qd,
                                                                const double *qdd, double *tau,
                                                                arne_error *error);
// Forward dynamics: all modules above a platform act on it as one articulated body. The result is
// that of arne_loop_forward_dynamics. Only the torques of driven joints are read.
ARNE_API ARNE_CHECKED arne_status arne_modules_forward_dynamics(arne_modules *modules,
                                                                const double *q, const double *qd,
                                                                const double *tau, double *qdd,
                                                                arne_error *error);

ARNE_END

#endif
