#include "algo/ground_dynamics.k.h"
#include "algo/singular.h"
#include "base/error.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"
#include <arne/contact.h>

KERNEL(arne_status, arne_ground_dynamics,
       (const arne_robot *robot, arne_work *w, const double *q, const double *qd, const double *tau,
        const double *ground, const arne_wrench *f_ext, double *qdd, double *forces,
        arne_error *error),
       (robot, w, q, qd, tau, ground, f_ext, qdd, forces, error))
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !q || !qd || !tau || !ground || !qdd) return arne_fail_null(error);
    ground_press(robot, w, q, qd, ground, f_ext, forces);
    return arne_forward_dynamics(robot, w, q, qd, tau, w->pressed, qdd, error);
}
