#include "algo/articulate_at.h"
#include "algo/factor_checked.h"
#include "algo/forward_dynamics_derivatives.k.h"
#include "algo/singular.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"

// The accelerations, into w->acceleration. M's factor is in w->matrix.
static arne_status accelerations(const arne_robot *r, arne_work *w, const double *tau,
                                 const double *x, const double *tree_qd, arne_error *error)
{
    const int n = r->v_count;
    double   *M = tree_out(r, w->matrix, w->tree_matrix),
           *bias = tree_out(r, w->scratch, w->tree_tau);
    composite_mass_matrix(r, w, M);
    collect_matrix(r, w, M, w->matrix);
    composite_bias(r, w, x, tree_qd, bias);
    collect(r, w, bias, w->scratch);
    const arne_status status = factor_checked(r, w->matrix, error);
    for (int k = 0; k < n; k++)
        w->acceleration[k] = tau[k] - w->scratch[k];
    if (!status) factor_solve(n, robot_factor_parents(r), w->matrix, w->acceleration);
    return status;
}

static void forward_dynamics_derivatives_solve(const arne_robot *r, const arne_work *w, double *X)
{
    if (!X) return;
    row_scale(r->v_count * r->v_count, X, -1);
    factor_solve_rows(r->v_count, robot_factor_parents(r), w->matrix, r->v_count, X);
}

// Columns that carry one of first..end-1 or are carried by one, and these: in their rows of
// dtau/dq and dtau/dqd are entries. A spring may be between any two.
static int related(const arne_robot *r, int first, int end, int *rows)
{
    const dof *dofs = robot_dofs(r);
    int        count = 0, last = r->spring_count ? r->tree_v_count - 1 : end - 1;
    for (int l = 0; l < first; l++) {
        rows[count] = l;
        count += dofs[l].last >= first || r->spring_count;
    }
    for (int l = first; l < end; l++)
        last = dofs[l].last > last ? dofs[l].last : last;
    for (int l = first; l <= last; l++)
        rows[count++] = l;
    return count;
}

enum { SOME_ROWS = 6 }; // of a product at once: as many sums as the processor works on side by side

// out = -inverse X, where the inverse is symmetric. The last rows and columns overlap those before.
static void multiply_minus(const arne_robot *r, arne_work *w, const double *inverse,
                           const double *X, double *out)
{
    const int n = r->v_count;
    for (int c = 0; c < n; c += PACK_HALF) {
        const int at = c + PACK_HALF <= n ? c : n - PACK_HALF;
        const int count = related(r, at, at + PACK_HALF, w->related);
        for (int some = 0; some < n; some += SOME_ROWS) {
            const int i = some + SOME_ROWS <= n ? some : n - SOME_ROWS;
            pack_half sum[SOME_ROWS];
            for (int j = 0; j < SOME_ROWS; j++)
                sum[j] = half_zero();
            for (int k = 0; k < count; k++) {
                const int       l = w->related[k];
                const pack_half x = half_load(X + l * n + at);
                for (int j = 0; j < SOME_ROWS; j++)
                    sum[j] = half_sub_scaled(sum[j], x, inverse[l * n + i + j]);
            }
            for (int j = 0; j < SOME_ROWS; j++)
                half_store(out + (i + j) * n + at, sum[j]);
        }
    }
}

// Whether a product with the inverse, an operation for each pair of related columns and each
// column, costs less than a solve, which has some forty for each of two columns.
static int product_pays(const arne_robot *r)
{
    return ROWS_PAY && !r->shares_coordinates && r->v_count >= PACK_HALF &&
           r->v_count >= SOME_ROWS && // a product goes by so many columns and rows
           2 * r->pair_count < 40 * r->tree_v_count;
}

// dqdd/dq and dqdd/dqd, with the composites in place.
static void by_products(const arne_robot *r, arne_work *w, const double *inverse, double *dq,
                        double *dqd)
{
    const int nn = r->v_count * r->v_count;
    double   *along_q = w->tree_matrix, *along_qd = along_q + nn;
    tree_derivatives(r, w, along_q, along_qd, along_qd + nn);
    if (dq) multiply_minus(r, w, inverse, along_q, dq);
    if (dqd) multiply_minus(r, w, inverse, along_qd, dqd);
}

// With U_k and D_k in place. M and its factors are not needed.
static void forward_dynamics_derivatives_by_articulated_bodies(const arne_robot *r, arne_work *w,
                                                               const double *q, const double *qd,
                                                               const double *tau, double *qdd,
                                                               double *dq, double *dqd,
                                                               double *dtau)
{
    const int     n = r->v_count;
    double *const out[2] = {dq, dqd};
    common_composites(r, w);
    composite_bias(r, w, q, qd, w->scratch);
    for (int k = 0; k < n; k++)
        w->acceleration[k] = tau[k] - w->scratch[k];
    articulated_solve(r, w, w->acceleration);
    for (int k = 0; qdd && k < n; k++)
        qdd[k] = w->acceleration[k];
    articulated_columns(r, w);
    move_to_acceleration(r, w, w->acceleration);
    if (product_pays(r)) {
        double *inverse = dtau ? dtau : w->matrix;
        articulated_invert(r, w, inverse);
        by_products(r, w, inverse, dq, dqd);
        return;
    }
    if (dtau) articulated_invert(r, w, dtau);
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
    if (!robot || !w || !q || !qd || !tau || (load_count && !loads)) return arne_fail_null(error);
    const tree_motion t = tree_motion_of(robot, w, q, qd, w->zero);
    common_parts(robot, w, t.q, t.qd, t.qdd, loads, load_count);
    if (!robot->shares_coordinates && !factors_pay(robot)) {
        common_articulate(robot, w);
        if (plainly_regular(robot->v_count, 1, w->D, robot_least(robot))) {
            forward_dynamics_derivatives_by_articulated_bodies(robot, w, q, qd, tau, qdd, dq, dqd,
                                                               dtau);
            return ARNE_OK;
        }
    }
    common_composites(robot, w);
    const arne_status status = accelerations(robot, w, tau, t.q, t.qd, error);
    if (status) return status;
    for (int k = 0; qdd && k < robot->v_count; k++)
        qdd[k] = w->acceleration[k];
    move_to_user(robot, w, qd, w->acceleration);
    if (dtau) factor_invert(robot->v_count, robot_factor_parents(robot), w->matrix, dtau);
    if (dtau && product_pays(robot)) {
        by_products(robot, w, dtau, dq, dqd);
        return ARNE_OK;
    }
    composite_derivatives(robot, w, dq, dqd, NULL);
    forward_dynamics_derivatives_solve(robot, w, dq);
    forward_dynamics_derivatives_solve(robot, w, dqd);
    return ARNE_OK;
}
