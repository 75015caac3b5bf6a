#include "algo/gravity.k.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"
#include <arne/dynamics.h>

KERNEL(void, arne_gravity, (const arne_robot *robot, arne_work *w, const double *q, double *tau),
       (robot, w, q, tau))
{
    WORK_FITS(robot, w);
    gravity(robot, w, q, tau);
}
