#include "algo/energy.k.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"
#include <arne/kinematics.h>

KERNEL(void, arne_energy,
       (const arne_robot *robot, arne_work *w, const double *q, const double *qd, double *kinetic,
        double *potential),
       (robot, w, q, qd, kinetic, potential))
{
    WORK_FITS(robot, w);
    if (kinetic) *kinetic = kinetic_energy(robot, w, q, qd);
    if (potential) *potential = potential_energy(robot, w, q);
}
