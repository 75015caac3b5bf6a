#include "algo/base_acceleration.k.h"
#include "algo/singular.h"
#include "base/error.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"

KERNEL(arne_status, arne_base_acceleration,
       (const arne_robot *robot, arne_work *w, const double *q, const double *qd,
        const arne_wrench *f_ext, double *qdd, double *tau, arne_error *error),
       (robot, w, q, qd, f_ext, qdd, tau, error))
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !q || !qd || !qdd || !tau) return arne_fail_null(error);
    if (robot->base != ARNE_BASE_FREE)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "the base of '%s' is not free",
                         arne_robot_name(robot));
    double *out = tree_out(robot, tau, w->tree_tau), *a = tree_out(robot, qdd, w->tree_qdd);
    const tree_motion t = tree_motion_of(robot, w, q, qd, qdd);
    tree_base_acceleration(robot, w, t.q, t.qd, f_ext, a, out);
    for (int k = 0; k < 6; k++)
        qdd[k] = a[k];
    collect(robot, w, out, tau);
    if (!(w->I[1].m > 0))
        return arne_fail(error, ARNE_SINGULAR, NULL, 0, "the free base of '%s' has no mass to move",
                         arne_robot_name(robot));
    return ARNE_OK;
}
