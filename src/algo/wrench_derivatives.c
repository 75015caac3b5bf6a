#include "algo/wrench_derivatives.k.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"

KERNEL(void, arne_wrench_derivatives,
       (const arne_robot *robot, arne_work *w, int joint, double *dq, double *dqd, double *dqdd),
       (robot, w, joint, dq, dqd, dqdd))
{
    WORK_FITS(robot, w);
    double *const user[3] = {dq, dqd, dqdd};
    for (int i = 0; i < 3; i++) {
        if (!user[i] && !robot->is_curved) continue;
        tree_wrench_derivative(robot, w, joint, (direction)i, w->rows);
        deliver_along(robot, w, 6, i, w->rows, user);
    }
}
