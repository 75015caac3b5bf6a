#include "algo/gravity.k.h"
#include <arne/dynamics.h>

void arne_gravity(const arne_robot *robot, arne_work *w, const double *q, double *tau)
{
    gravity(robot, w, q, tau);
}
