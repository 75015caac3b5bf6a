#include "algo/gravity.k.h"
#include "robot/work_layout.h"
#include <arne/dynamics.h>

void arne_gravity(const arne_robot *robot, arne_work *w, const double *q, double *tau)
{
    WORK_FITS(robot, w);
    gravity(robot, w, q, tau);
}
