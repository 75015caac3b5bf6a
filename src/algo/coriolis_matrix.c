#include "algo/coriolis_matrix.k.h"
#include <arne/dynamics.h>

void arne_coriolis_matrix(const arne_robot *robot, arne_work *w, const double *q, const double *qd,
                          double *C)
{
    coriolis_matrix(robot, w, q, qd, C);
}
