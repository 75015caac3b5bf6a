// Torques of the active joints from those of the independent coordinates, and how they change.
//
// The sum of tau_active G_active is what the independent coordinates take, z = G^T tau_tree. As
// many active joints as mobility leave tau no choice. Where there are more, tau of least weighted
// square obeys
//     tau_a = W^-1 G_a y   with   S y = z,  S = G_a^T W^-1 G_a
// and its rate is  W^-1 (dG_a y + G_a dy)  with  S dy = dz - dS y.
#include "algo/singular.h"
#include "base/error.h"
#include "math/dense.h"
#include "mechanism/loop_work.h"
#include "robot/work_layout.h"
#include <arne/identify.h>
#include <string.h>

void loop_balance(arne_loop_work *loop, const double *x)
{
    const dense_qr *f = &loop->factor;
    memset(loop->lambda, 0, (size_t)loop->m * sizeof *loop->lambda);
    for (int i = 0; i < f->rank; i++)
        loop->lambda[i] = x[f->pivot[i]];
    dense_qr_forward(f, loop->lambda);
    dense_qr_multiply(f, loop->lambda);
    for (int i = 0; i < loop->m; i++)
        loop->lambda[i] *= loop->row_scale[i];
}

void loop_sub_transposed(const arne_loop_work *loop, const double *A, const double *y, double *sum)
{
    for (int i = 0; i < loop->m; i++)
        for (int k = 0; k < loop->n; k++)
            sum[k] -= A[i * loop->n + k] * y[i];
}

void loop_put_loads(const arne_robot *r, const arne_load *loads, int count, arne_wrench *f_ext)
{
    memset(f_ext, 0, (size_t)r->body_count * sizeof *f_ext);
    for (int i = 0; i < count; i++)
        arne_add_wrench(r, loads[i].frame, &loads[i].wrench, f_ext);
}

// Torques of active joints stand at their own coordinates: nothing is shared.
static void loop_share_place(const arne_loop_work *loop, const double *reduced, double *tau)
{
    const dense_qr *f = &loop->factor;
    memset(tau, 0, (size_t)loop->n * sizeof *tau);
    for (int c = 0; c < loop->n - f->rank; c++)
        tau[f->pivot[f->rank + c]] = reduced[c];
}

// S, factored in loop->A.
static arne_status factor_shares(const arne_robot *r, arne_loop_work *loop, const double *weights,
                                 arne_error *error)
{
    const int n = loop->n, mobility = n - loop->factor.rank;
    double   *S = loop->A;
    memset(S, 0, (size_t)(mobility * mobility) * sizeof *S);
    for (int k = 0; k < n; k++)
        for (int i = 0; loop->active[k] && i < mobility; i++)
            for (int j = 0; j < mobility; j++)
                S[i * mobility + j] += loop->G[k * mobility + i] * loop->G[k * mobility + j] /
                                       (weights ? weights[k] : 1);
    if (dense_factor(mobility, S, 1e-14)) return ARNE_OK;
    return arne_fail(error, ARNE_VALUE, NULL, 0,
                     "the weights of the torques of '%s' are not positive", arne_robot_name(r));
}

// Row k of an n x mobility matrix times y.
static double loop_share_along(const arne_loop_work *loop, const double *G, int k, const double *y)
{
    const int mobility = loop->n - loop->factor.rank;
    double    sum = 0;
    for (int i = 0; i < mobility; i++)
        sum += G[k * mobility + i] * y[i];
    return sum;
}

arne_status loop_share_torques(const arne_robot *r, arne_loop_work *loop, const double *weights,
                               const double *reduced, const double *reduced_rate,
                               const double *G_rate, double *tau, double *rate, arne_error *error)
{
    const int    n = loop->n, mobility = n - loop->factor.rank;
    const size_t size = (size_t)mobility * sizeof *tau;
    if (loop->active_count <= mobility) {
        loop_share_place(loop, reduced, tau);
        if (rate) loop_share_place(loop, reduced_rate, rate);
        return ARNE_OK;
    }
    const arne_status status = factor_shares(r, loop, weights, error);
    if (status) return status;
    double *y = loop->step, *dy = loop->row; // these and what callers hand over are different
    memcpy(y, reduced, size);
    dense_solve(mobility, loop->A, y);
    if (rate) {
        memcpy(dy, reduced_rate, size);
        for (int k = 0; k < n; k++) {
            const double weight = weights ? weights[k] : 1;
            const double now = loop_share_along(loop, loop->G, k, y),
                         change = loop_share_along(loop, G_rate, k, y);
            for (int i = 0; loop->active[k] && i < mobility; i++)
                dy[i] -=
                    (G_rate[k * mobility + i] * now + loop->G[k * mobility + i] * change) / weight;
        }
        dense_solve(mobility, loop->A, dy);
    }
    for (int k = 0; k < n; k++) {
        const double share = loop->active[k] ? 1 / (weights ? weights[k] : 1) : 0;
        tau[k] = share * loop_share_along(loop, loop->G, k, y);
        if (rate)
            rate[k] = share * (loop_share_along(loop, G_rate, k, y) +
                               loop_share_along(loop, loop->G, k, dy));
    }
    return ARNE_OK;
}

arne_status arne_loop_complete_jerk(const arne_robot *robot, arne_work *w, arne_loop_work *loop,
                                    const double *q, const double *qd, const double *qdd,
                                    double *qddd, arne_error *error)
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !loop || !q || !qd || !qdd || !qddd) return arne_fail_null(error);
    const arne_status status = loop_factor(robot, w, loop, q, NULL, 1, error);
    if (status) return status;
    loop_complex_along(robot, loop->complex_work, q, qd, qdd, qd, qdd, NULL, NULL, loop->drate);
    loop_solve(loop, loop->drate, qddd);
    return ARNE_OK;
}

// G^T (tau_tree - J^T lambda) is G^T tau_tree, and its bracket is zero where G changes; see
// loop_derivatives.c.
arne_status arne_loop_torque_rate(const arne_robot *robot, arne_work *w, arne_loop_work *loop,
                                  const double *q, const double *qd, const double *qdd,
                                  const double *qddd, const arne_load *loads, int load_count,
                                  const double *weights, double *tau, double *tau_rate,
                                  arne_error *error)
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !loop || !q || !qd || !qdd || !qddd || !tau_rate || (load_count && !loads))
        return arne_fail_null(error);
    const arne_status status = loop_factor(robot, w, loop, q, NULL, 1, error);
    if (status) return status;
    const int n = loop->n, shared = loop->active_count > n - loop->factor.rank;
    double   *rate = loop->dqdd, *reduced_rate = loop->dqd, *G_rate = loop->D;
    arne_torque_rate(robot, w, q, qd, qdd, qddd, loads, load_count, loop->tau, rate);
    loop_balance(loop, loop->tau);
    loop_complex_along(robot, loop->complex_work, q, qd, qdd, qd, NULL, NULL, loop->dJ,
                       loop->drate);
    loop_sub_transposed(loop, loop->dJ, loop->lambda, rate);
    loop_reduce(loop, loop->tau, loop->reduced, loop->step);
    loop_reduce(loop, rate, reduced_rate, loop->step);
    if (shared) {
        loop_fill_G(loop);
        loop_fill_G_rate(loop, loop->dJ, G_rate);
    }
    return loop_share_torques(robot, loop, weights, loop->reduced, reduced_rate, G_rate,
                              tau ? tau : loop->qd, tau_rate, error);
}

arne_status arne_loop_regressor(const arne_robot *robot, arne_work *w, arne_loop_work *loop,
                                const double *q, const double *qd, const double *qdd,
                                const double *weights, double *Y, arne_error *error)
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !loop || !q || !qd || !qdd || !Y) return arne_fail_null(error);
    arne_status status = loop_factor(robot, w, loop, q, NULL, 1, error);
    if (status) return status;
    const int n = loop->n, count = arne_parameter_count(robot);
    if (loop->active_count > n - loop->factor.rank) loop_fill_G(loop);
    arne_regressor(robot, w, q, qd, qdd, Y);
    for (int p = 0; p < count && !status; p++) {
        for (int k = 0; k < n; k++)
            loop->tau[k] = Y[k * count + p];
        loop_reduce(loop, loop->tau, loop->reduced, loop->step);
        status = loop_share_torques(robot, loop, weights, loop->reduced, NULL, NULL, loop->tau,
                                    NULL, error);
        for (int k = 0; k < n; k++)
            Y[k * count + p] = loop->tau[k];
    }
    return status;
}
