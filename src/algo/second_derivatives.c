#include "algo/second_derivatives.k.h"
#include "algo/singular.h"
#include "base/error.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"

static arne_status second_derivatives_check(const arne_robot *r, const arne_load *loads,
                                            int load_count, arne_error *error)
{
    for (int i = 0; i < r->joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(r, i);
        if (arne_joint_kind_v_count(j.kind) != 1)
            return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                             "second derivatives need joints of one coordinate; joint '%s' is %s",
                             j.name, arne_joint_kind_name(j.kind));
    }
    for (int i = 0; i < load_count; i++)
        if (loads[i].in_world)
            return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                             "second derivatives take no wrenches that are fixed in the world");
    return ARNE_OK;
}

KERNEL(arne_status, arne_second_derivatives,
       (const arne_robot *robot, arne_work *w, const double *q, const double *qd, const double *qdd,
        const arne_load *loads, int load_count, const double *lambda, double *qq, double *qv,
        double *vv, double *qa, arne_error *error),
       (robot, w, q, qd, qdd, loads, load_count, lambda, qq, qv, vv, qa, error))
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !q || !qd || !qdd || !lambda || (load_count && !loads))
        return arne_fail_null(error);
    const arne_status status = second_derivatives_check(robot, loads, load_count, error);
    if (status) return status;
    const int nn = robot->tree_v_count * robot->tree_v_count;
    double   *user[4] = {qq, qv, vv, qa}, *tree[4];
    for (int i = 0; i < 4; i++) // what is not wanted is computed all the same
        tree[i] = user[i] && !robot->shares_coordinates ? user[i]
                  : i < 3                               ? w->tree_matrix + i * nn
                                                        : w->matrix;
    const tree_motion t = tree_motion_of(robot, w, q, qd, qdd);
    common_parts(robot, w, t.q, t.qd, t.qdd, loads, load_count);
    const double *L = tree_v(robot, w, lambda, w->tree_tau);
    tree_second_derivatives(robot, w, L, tree[0], tree[1], tree[2], tree[3]);
    if (robot->slope_count) curved_second_derivatives(robot, w, qd, qdd, lambda, L, tree, user);
    for (int i = 0; !robot->slope_count && i < 4; i++)
        if (user[i]) collect_matrix(robot, w, tree[i], user[i]);
    return ARNE_OK;
}
