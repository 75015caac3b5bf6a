#include "algo/directional.k.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"

KERNEL(void, arne_inverse_dynamics_along,
       (const arne_robot *robot, arne_work *w, const double *q, const double *qd, const double *qdd,
        const arne_load *loads, int load_count, const double *dq, const double *dqd,
        const double *dqdd, double *dtau),
       (robot, w, q, qd, qdd, loads, load_count, dq, dqd, dqdd, dtau))
{
    WORK_FITS(robot, w);
    inverse_dynamics_along(robot, w, q, qd, qdd, loads, load_count, dq, dqd, dqdd, dtau);
}

KERNEL(void, arne_inverse_dynamics_against,
       (const arne_robot *robot, arne_work *w, const double *q, const double *qd, const double *qdd,
        const arne_load *loads, int load_count, const double *lambda, double *dq, double *dqd,
        double *dqdd),
       (robot, w, q, qd, qdd, loads, load_count, lambda, dq, dqd, dqdd))
{
    WORK_FITS(robot, w);
    inverse_dynamics_against(robot, w, q, qd, qdd, loads, load_count, lambda, dq, dqd, dqdd);
}
