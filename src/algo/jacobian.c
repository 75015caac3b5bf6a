#include "algo/jacobian.k.h"
#include "robot/work_layout.h"

void arne_jacobian(const arne_robot *robot, arne_work *w, const double *q, int frame,
                   arne_axes axes, double *J)
{
    WORK_FITS(robot, w);
    jacobian(robot, w, q, frame, axes, J);
}

void arne_jacobian_rate(const arne_robot *robot, arne_work *w, const double *q, const double *qd,
                        int frame, arne_axes axes, double *Jdot)
{
    WORK_FITS(robot, w);
    jacobian_rate(robot, w, q, qd, frame, axes, Jdot);
}
