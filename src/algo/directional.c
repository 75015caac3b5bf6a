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
    double *out = tree_out(robot, dtau, w->tree_tau);
    common_parts(robot, w, tree_q(robot, w, q), tree_v(robot, qd, w->tree_qd),
                 tree_v(robot, qdd, w->tree_qdd), loads, load_count);
    // the state is spent by now, so its arrays may take the directions
    const double *x = dq ? tree_v(robot, dq, w->tree_qd) : NULL,
                 *y = dqd ? tree_v(robot, dqd, w->tree_qdd) : NULL;
    const double *z = dqdd ? tree_v(robot, dqdd, w->tree_qddd) : NULL;
    tree_inverse_dynamics_along(robot, w, x, y, z, load_count, out);
    collect(robot, out, dtau);
}

KERNEL(void, arne_inverse_dynamics_against,
       (const arne_robot *robot, arne_work *w, const double *q, const double *qd, const double *qdd,
        const arne_load *loads, int load_count, const double *lambda, double *dq, double *dqd,
        double *dqdd),
       (robot, w, q, qd, qdd, loads, load_count, lambda, dq, dqd, dqdd))
{
    WORK_FITS(robot, w);
    const int n = robot->tree_v_count;
    double   *x = w->scratch, *y = w->scratch + n, *z = w->scratch + 2 * n;
    common_parts(robot, w, tree_q(robot, w, q), tree_v(robot, qd, w->tree_qd),
                 tree_v(robot, qdd, w->tree_qdd), loads, load_count);
    tree_inverse_dynamics_against(robot, w, tree_v(robot, lambda, w->tree_tau), load_count, x, y,
                                  z);
    const double *from[3] = {x, y, z};
    double       *to[3] = {dq, dqd, dqdd};
    for (int i = 0; i < 3; i++)
        deliver(robot, 1, from[i], to[i]);
}
