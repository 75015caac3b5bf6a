#include "algo/energy.k.h"
#include <arne/kinematics.h>

void arne_energy(const arne_robot *robot, arne_work *w, const double *q, const double *qd,
                 double *kinetic, double *potential)
{
    if (kinetic) *kinetic = kinetic_energy(robot, w, q, qd);
    if (potential) *potential = potential_energy(robot, w, q);
}
