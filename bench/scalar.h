// The algorithm texts as plain scalar code, with the flags of the library: what its vector code is
// measured against.
#ifndef ARNE_BENCH_SCALAR_H
#define ARNE_BENCH_SCALAR_H

#include <arne/robot.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scalar_work scalar_work;

scalar_work *scalar_work_new(const arne_robot *robot); // NULL: out of memory
void         scalar_work_free(scalar_work *w);

void scalar_inverse_dynamics(const arne_robot *robot, scalar_work *w, const double *q,
                             const double *qd, const double *qdd, double *tau);
// Not for robots with mimic joints.
void scalar_forward_dynamics(const arne_robot *robot, scalar_work *w, const double *q,
                             const double *qd, const double *tau, double *qdd);

#ifdef __cplusplus
}
#endif

#endif
