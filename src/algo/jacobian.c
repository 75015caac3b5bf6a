#include "algo/jacobian.k.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"

KERNEL(void, arne_jacobian,
       (const arne_robot *robot, arne_work *w, const double *q, int frame, arne_axes axes,
        double *J),
       (robot, w, q, frame, axes, J))
{
    WORK_FITS(robot, w);
    jacobian(robot, w, q, frame, axes, J);
}

KERNEL(void, arne_jacobian_rate,
       (const arne_robot *robot, arne_work *w, const double *q, const double *qd, int frame,
        arne_axes axes, double *Jdot),
       (robot, w, q, qd, frame, axes, Jdot))
{
    WORK_FITS(robot, w);
    jacobian_rate(robot, w, q, qd, frame, axes, Jdot);
}
