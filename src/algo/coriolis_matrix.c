#include "algo/coriolis_matrix.k.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"
#include <arne/dynamics.h>

KERNEL(void, arne_coriolis_matrix,
       (const arne_robot *robot, arne_work *w, const double *q, const double *qd, double *C),
       (robot, w, q, qd, C))
{
    WORK_FITS(robot, w);
    coriolis_matrix(robot, w, q, qd, C);
}
