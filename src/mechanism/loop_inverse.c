// Inverse dynamics of a tree with loops: Khalil 2010, section 4.
//
// The torques of the tree, moving as it does but without the loops, are balanced by the active
// joints and by the loops:
//     tau_tree = tau + J^T lambda,  so  G^T tau = G^T tau_tree  since J G = 0
// As many active joints as mobility leave tau no choice; where there are more, see loop_share.c.
// Then lambda is the smallest solution of the first line.
#include "algo/gravity.k.h"
#include "algo/singular.h"
#include "base/error.h"
#include "math/lower.h"
#include "mechanism/loop_work.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"
#include <string.h>

// The torques of the tree in loop->tau become those of the active joints.
static arne_status to_active(const arne_robot *r, arne_loop_work *loop, const double *weights,
                             double *tau, arne_error *error)
{
    loop_reduce(loop, loop->tau, loop->reduced, loop->step);
    if (loop->active_count > loop->n - loop->factor.rank) loop_fill_G(loop);
    return loop_share_torques(r, loop, weights, loop->reduced, NULL, NULL, tau, NULL, error);
}

KERNEL(arne_status, arne_loop_inverse_dynamics,
       (const arne_robot *robot, arne_work *w, arne_loop_work *loop, const double *q,
        const double *qd, const double *qdd, const arne_wrench *f_ext, const double *weights,
        double *tau, arne_error *error),
       (robot, w, loop, q, qd, qdd, f_ext, weights, tau, error))
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !loop || !q || !qd || !qdd || !tau) return arne_fail_null(error);
    const arne_status status = loop_factor(robot, w, loop, q, NULL, 1, error);
    if (status) return status;
    inverse_dynamics(robot, w, q, qd, qdd, f_ext, loop->tau);
    return to_active(robot, loop, weights, tau, error);
}

KERNEL(arne_status, arne_loop_gravity,
       (const arne_robot *robot, arne_work *w, arne_loop_work *loop, const double *q,
        const double *weights, double *tau, arne_error *error),
       (robot, w, loop, q, weights, tau, error))
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !loop || !q || !tau) return arne_fail_null(error);
    const arne_status status = loop_factor(robot, w, loop, q, NULL, 1, error);
    if (status) return status;
    gravity(robot, w, q, loop->tau);
    return to_active(robot, loop, weights, tau, error);
}

KERNEL(arne_status, arne_loop_bias,
       (const arne_robot *robot, arne_work *w, arne_loop_work *loop, const double *q,
        const double *qd, const arne_wrench *f_ext, const double *weights, double *tau,
        arne_error *error),
       (robot, w, loop, q, qd, f_ext, weights, tau, error))
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !loop || !q || !qd || !tau) return arne_fail_null(error);
    const arne_status status = loop_factor(robot, w, loop, q, qd, 1, error);
    if (status) return status;
    memset(loop->qdd, 0, (size_t)loop->n * sizeof *loop->qdd);
    loop_solve(loop, loop->bias, loop->qdd);
    inverse_dynamics(robot, w, q, qd, loop->qdd, f_ext, loop->tau);
    return to_active(robot, loop, weights, tau, error);
}

// Adds the wrenches of the multipliers to those of the environment.
static void add_loop_loads(const arne_robot *r, const arne_work *w, const arne_loop_work *loop,
                           arne_wrench *f_ext)
{
    for (int i = 0; i < r->loop_count; i++) {
        const loop_record *l = robot_loops(r) + i;
        const loop_tie    *tie = loop->ties + i;
        const force        f = loop_wrench(l, tie->rows, loop->lambda);
        for (int end = 0; end < 2; end++) {
            arne_wrench *sum = &f_ext[l->body[end]];
            const force  here = wrench_on_body(&w->X_w[l->body[end]], tie->B.p, f);
            *sum = lower_force(end ? force_add(load_lift(sum), here)
                                   : force_sub(load_lift(sum), here));
        }
    }
}

KERNEL(arne_status, arne_loop_forces,
       (const arne_robot *robot, arne_work *w, arne_loop_work *loop, const double *q,
        const double *qd, const double *qdd, const arne_wrench *f_ext, const double *tau,
        double *lambda, int *indeterminate, arne_error *error),
       (robot, w, loop, q, qd, qdd, f_ext, tau, lambda, indeterminate, error))
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !loop || !q || !qd || !qdd || !tau) return arne_fail_null(error);
    const arne_status status = loop_factor(robot, w, loop, q, NULL, 0, error);
    if (status) return status;
    inverse_dynamics(robot, w, q, qd, qdd, f_ext, loop->tau);
    for (int k = 0; k < loop->n; k++)
        loop->step[k] = loop->tau[k] - tau[k];
    loop_balance(loop, loop->step);
    if (lambda) memcpy(lambda, loop->lambda, (size_t)loop->m * sizeof *lambda);
    if (indeterminate) *indeterminate = loop->factor.rank < loop->m;

    const size_t size = (size_t)robot->body_count * sizeof *loop->f_ext;
    if (f_ext)
        memcpy(loop->f_ext, f_ext, size);
    else
        memset(loop->f_ext, 0, size);
    add_loop_loads(robot, w, loop, loop->f_ext);
    inverse_dynamics(robot, w, q, qd, qdd, loop->f_ext, loop->tau);
    return ARNE_OK;
}

KERNEL(arne_wrench, arne_loop_wrench,
       (const arne_robot *robot, const arne_work *w, const arne_loop_work *loop, int index),
       (robot, w, loop, index))
{
    WORK_FITS(robot, w);
    const loop_record *l = robot_loops(robot) + index;
    const loop_tie    *tie = loop->ties + index;
    const force        f = loop_wrench(l, tie->rows, loop->lambda);
    const arne_pose    own = {l->turn, {0, 0, 0}};
    const pose         turn = pose_lift(own);
    (void)w;
    return lower_force(
        fo(out_of(&turn, into(&tie->A, f.lin)), out_of(&turn, into(&tie->A, f.ang))));
}
