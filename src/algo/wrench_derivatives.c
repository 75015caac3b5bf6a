#include "algo/wrench_derivatives.k.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"

static void one(const arne_robot *r, arne_work *w, int joint, direction which, double *user)
{
    if (!user) return;
    double *out = tree_out(r, user, w->rows);
    tree_wrench_derivative(r, w, joint, which, out);
    collect_columns(r, 6, out, user);
}

KERNEL(void, arne_wrench_derivatives,
       (const arne_robot *robot, arne_work *w, int joint, double *dq, double *dqd, double *dqdd),
       (robot, w, joint, dq, dqd, dqdd))
{
    WORK_FITS(robot, w);
    one(robot, w, joint, ALONG_Q, dq);
    one(robot, w, joint, ALONG_QD, dqd);
    one(robot, w, joint, ALONG_QDD, dqdd);
}
