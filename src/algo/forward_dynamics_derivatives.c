#include "algo/articulate_at.h"
#include "algo/factor_checked.h"
#include "algo/forward_dynamics_derivatives.k.h"
#include "algo/singular.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"

// The accelerations, into w->acceleration and, in the tree's coordinates, where this points. M's
// factor is in w->matrix.
static const double *accelerations(const arne_robot *r, arne_work *w, const double *tau,
                                   const double *x, const double *tree_qd, arne_status *status,
                                   arne_error *error)
{
    const int n = r->v_count;
    double   *M = tree_out(r, w->matrix, w->tree_matrix),
           *bias = tree_out(r, w->scratch, w->tree_tau);
    composite_mass_matrix(r, w, M);
    collect_matrix(r, M, w->matrix);
    composite_bias(r, w, x, tree_qd, bias);
    collect(r, bias, w->scratch);
    *status = factor_checked(r, w->matrix, error);
    for (int k = 0; k < n; k++)
        w->acceleration[k] = tau[k] - w->scratch[k];
    if (!*status) factor_solve(n, robot_factor_parents(r), w->matrix, w->acceleration);
    return tree_v(r, w->acceleration, w->tree_qdd);
}

static void solve(const arne_robot *r, const arne_work *w, double *X)
{
    if (!X) return;
    row_scale(r->v_count * r->v_count, X, -1);
    factor_solve_rows(r->v_count, robot_factor_parents(r), w->matrix, r->v_count, X);
}

// With U_k and D_k in place. M and its factors are not needed.
static void by_articulated_bodies(const arne_robot *r, arne_work *w, const double *q,
                                  const double *qd, const double *tau, int load_count, double *qdd,
                                  double *dq, double *dqd, double *dtau)
{
    const int     n = r->v_count;
    double *const out[2] = {dq, dqd};
    common_composites(r, w, load_count);
    composite_bias(r, w, q, qd, w->scratch);
    for (int k = 0; k < n; k++)
        w->acceleration[k] = tau[k] - w->scratch[k];
    articulated_solve(r, w, w->acceleration);
    for (int k = 0; qdd && k < n; k++)
        qdd[k] = w->acceleration[k];
    articulated_columns(r, w);
    if (dtau) articulated_invert(r, w, dtau);
    move_to_acceleration(r, w, w->acceleration);
    composite_derivatives(r, w, dq, dqd, NULL);
    for (int i = 0; i < 2; i++) {
        if (!out[i]) continue;
        row_scale(n * n, out[i], -1);
        articulated_solve_rows(r, w, n, out[i]);
    }
}

KERNEL(arne_status, arne_forward_dynamics_derivatives,
       (const arne_robot *robot, arne_work *w, const double *q, const double *qd, const double *tau,
        const arne_load *loads, int load_count, double *qdd, double *dq, double *dqd, double *dtau,
        arne_error *error),
       (robot, w, q, qd, tau, loads, load_count, qdd, dq, dqd, dtau, error))
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !q || !qd || !tau || (load_count && !loads)) return fail_null(error);
    const double *x = tree_q(robot, w, q), *tree_qd = tree_v(robot, qd, w->tree_qd);
    arne_status   status;
    common_parts(robot, w, x, tree_qd, w->zero, loads, load_count);
    if (!robot->shares_coordinates && robot->v_count > FEW_COLUMNS) {
        common_articulate(robot, w);
        if (plainly_regular(robot->v_count, 1, w->D, robot_least(robot))) {
            by_articulated_bodies(robot, w, q, qd, tau, load_count, qdd, dq, dqd, dtau);
            return ARNE_OK;
        }
    }
    common_composites(robot, w, load_count);
    const double *tree_qdd = accelerations(robot, w, tau, x, tree_qd, &status, error);
    if (status) return status;
    for (int k = 0; qdd && k < robot->v_count; k++)
        qdd[k] = w->acceleration[k];
    move_to_acceleration(robot, w, tree_qdd);
    composite_derivatives(robot, w, dq, dqd, NULL);
    solve(robot, w, dq);
    solve(robot, w, dqd);
    if (dtau) factor_invert(robot->v_count, robot_factor_parents(robot), w->matrix, dtau);
    return ARNE_OK;
}
