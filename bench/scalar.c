#define ARNE_SCALAR
#include "scalar.h"
#include "algo/forward_dynamics.k.h"
#include "algo/inverse_dynamics.k.h"
#include <stdlib.h>

// The workspace of these texts is laid out otherwise than the library's, so it has a type of its
// own.
static work *own(scalar_work *w) { return (work *)(void *)w; }

scalar_work *scalar_work_new(const arne_robot *robot)
{
    void *memory = aligned_alloc(ARNE_ALIGNMENT, work_walk(robot, NULL, NULL));
    if (!memory) return NULL;
    work_walk(robot, memory, memory);
    work_start(robot, memory);
    return memory;
}

void scalar_work_free(scalar_work *w) { free(w); }

void scalar_inverse_dynamics(const arne_robot *robot, scalar_work *w, const double *q,
                             const double *qd, const double *qdd, double *tau)
{
    inverse_dynamics(robot, own(w), q, qd, qdd, NULL, tau);
}

void scalar_forward_dynamics(const arne_robot *robot, scalar_work *w, const double *q,
                             const double *qd, const double *tau, double *qdd)
{
    tree_forward_dynamics(robot, own(w), q, qd, tau, NULL, qdd);
}
