#include "algo/frame_derivatives.k.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"

KERNEL(void, arne_frame_motion_derivatives,
       (const arne_robot *robot, arne_work *w, const double *q, const double *qd, const double *qdd,
        int frame, arne_axes axes, const arne_frame_derivatives *out),
       (robot, w, q, qd, qdd, frame, axes, out))
{
    WORK_FITS(robot, w);
    frame_parts(robot, w, q, qd, qdd);
    const moving_frame   m = frame_moving(robot, w, frame);
    double *const        dv[3] = {out->dvelocity_dq, out->dvelocity_dqd, NULL},
                  *const da[3] = {out->dacceleration_dq, out->dacceleration_dqd,
                                  out->dacceleration_dqdd};
    for (int i = 0; i < 3; i++) {
        tree_frame_derivative(robot, w, &m, axes, (direction)i, w->rows, w->task);
        deliver_along(robot, w, 6, i, w->rows, dv);
        deliver_along(robot, w, 6, i, w->task, da);
    }
}
