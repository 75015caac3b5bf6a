#include "algo/centroidal_derivatives.k.h"
#include "algo/singular.h"
#include "base/error.h"
#include "math/lower.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"
#include <math.h>

static void centroidal_derivatives_parts(const arne_robot *r, arne_work *w, const double *q,
                                         const double *qd, const double *qdd)
{
    const tree_motion t = tree_motion_of(r, w, q, qd, qdd);
    common_unloaded(r, w, t.q, t.qd, t.qdd);
    common_composites(r, w);
}

KERNEL(void, arne_centroidal_derivatives,
       (const arne_robot *robot, arne_work *w, const double *q, const double *qd, const double *qdd,
        arne_wrench *rate, const arne_momentum_derivatives *out),
       (robot, w, q, qd, qdd, rate, out))
{
    WORK_FITS(robot, w);
    centroidal_derivatives_parts(robot, w, q, qd, qdd);
    const whole all = common_whole(robot, w);
    if (rate) {
        const vec3 lin = add_scaled(out_of(&w->base_pose, all.F.lin), lift(robot->gravity), all.m);
        *rate =
            lower_force(fo(lin, out_of(&w->base_pose, sub(all.F.ang, cross(all.c, all.F.lin)))));
    }
    if (!out) return;
    double *const dh[3] = {out->dmomentum_dq, out->dmomentum_dqd, NULL};
    double *const drate[3] = {out->dmomentum_rate_dq, out->dmomentum_rate_dqd,
                              out->dmomentum_rate_dqdd};
    for (int i = 0; i < 3; i++) {
        tree_centroidal_derivative(robot, w, &all, (direction)i, w->rows, w->task);
        deliver_along(robot, w, 6, i, w->rows, dh);
        deliver_along(robot, w, 6, i, w->task, drate);
    }
}

KERNEL(arne_status, arne_zero_moment_point,
       (const arne_robot *robot, arne_work *w, const double *q, const double *qd, const double *qdd,
        arne_vec3 point, arne_vec3 normal, arne_vec3 *zmp, double *dq, double *dqd, double *dqdd),
       (robot, w, q, qd, qdd, point, normal, zmp, dq, dqd, dqdd))
{
    if (work_differs(robot, w)) return work_refuse(NULL);
    if (!robot || !w || !q || !qd || !qdd || !zmp) return ARNE_NULL_ARGUMENT;
    centroidal_derivatives_parts(robot, w, q, qd, qdd);
    const whole   all = common_whole(robot, w);
    const contact c = contact_of(to_parent(&w->base_pose, all.F), lift(point), lift(normal));
    if (!(fabs(c.pressure) > ARNE_NO_PRESSURE * sqrt(c.square))) return ARNE_SINGULAR;
    *zmp = lower(add(c.point, c.arm));
    double *const out[3] = {dq, dqd, dqdd};
    for (int i = 0; i < 3; i++) {
        if (!out[i] && !robot->is_curved) continue;
        tree_contact_derivative(robot, w, &c, (direction)i, w->rows);
        deliver_along(robot, w, 3, i, w->rows, out);
    }
    return ARNE_OK;
}
