// Derivatives of the torques and the accelerations of a robot with loops, by the chain rule over G.
//
// With lambda = the multipliers that balance tau_tree on the dependent coordinates, G^T (tau_tree -
// J^T lambda) is the same as G^T tau_tree, and its bracket is zero where G depends on q. So along a
// direction x of the independent coordinates, with dq = G x:
//     d(G^T tau_tree) = G^T (dtau/dq dq + dtau/dqd dqd + dtau/dqdd dqdd - dJ^T lambda)
// where dqd and dqdd keep what the loops ask:  J dqd + dJ qd = 0,  d(J qdd + bias) = 0.
#include "algo/singular.h"
#include "math/dense.h"
#include "mechanism/loop_work.h"
#include "robot/work_layout.h"
#include <string.h>

// sum += M x, for n x n matrices in rows.
static void add_product(int n, const double *M, const double *x, double *sum)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            sum[i] += M[i * n + k] * x[k];
}

typedef struct place {
    const arne_robot *r;
    arne_loop_work   *loop;
    const double     *q, *qd, *qdd;
} place;

// What the loops make of a change of qdd's causes: J dqdd = -drate, with the independent entries at
// rest.
static void loop_derivatives_follow(const place *p, const double *dq, const double *dqd, double *dJ)
{
    arne_loop_work *loop = p->loop;
    loop_complex_along(p->r, loop->complex_work, p->q, p->qd, p->qdd, dq, dqd, NULL, dJ,
                       loop->drate);
    memset(loop->dqdd, 0, (size_t)loop->n * sizeof *loop->dqdd);
    loop_solve(loop, loop->drate, loop->dqdd);
}

// Column c of the derivative along positions, in loop->tau before it is reduced; loop->dqdd is how
// the dependent accelerations change while the independent ones do not.
static void along_position(const place *p, const double *dq)
{
    arne_loop_work *loop = p->loop;
    const int       n = loop->n, m = loop->m;
    const size_t    square = (size_t)n * (size_t)n;
    loop_derivatives_follow(p, dq, NULL, loop->dJ); // for dJ
    for (int i = 0; i < m; i++) {
        loop->drate[i] = 0;
        for (int k = 0; k < n; k++)
            loop->drate[i] += loop->dJ[i * n + k] * p->qd[k];
    }
    memset(loop->dqd, 0, (size_t)n * sizeof *loop->dqd);
    loop_solve(loop, loop->drate, loop->dqd);
    loop_derivatives_follow(p, dq, loop->dqd, NULL);
    memset(loop->tau, 0, (size_t)n * sizeof *loop->tau);
    add_product(n, loop->D, dq, loop->tau);
    add_product(n, loop->D + square, loop->dqd, loop->tau);
    add_product(n, loop->D + 2 * square, loop->dqdd, loop->tau);
    loop_sub_transposed(loop, loop->dJ, loop->lambda, loop->tau);
}

static void along_velocity(const place *p, const double *dqd)
{
    arne_loop_work *loop = p->loop;
    const int       n = loop->n;
    const size_t    square = (size_t)n * (size_t)n;
    loop_derivatives_follow(p, NULL, dqd, NULL);
    memset(loop->tau, 0, (size_t)n * sizeof *loop->tau);
    add_product(n, loop->D + square, dqd, loop->tau);
    add_product(n, loop->D + 2 * square, loop->dqdd, loop->tau);
}

static void put_reduced(arne_loop_work *loop, int mobility, int c, double *out)
{
    loop_reduce(loop, loop->tau, loop->reduced, loop->step);
    for (int i = 0; i < mobility; i++)
        out[i * mobility + c] = loop->reduced[i];
}

// The torques of the tree that the derivatives are taken of, with the same loads.
static void tree_torques(const arne_robot *r, arne_work *w, arne_loop_work *loop, const double *q,
                         const double *qd, const double *qdd, const arne_load *loads, int count)
{
    loop_put_loads(r, loads, count, loop->f_ext);
    arne_inverse_dynamics(r, w, q, qd, qdd, loop->f_ext, loop->tau);
}

arne_status arne_loop_inverse_dynamics_derivatives(const arne_robot *robot, arne_work *w,
                                                   arne_loop_work *loop, const double *q,
                                                   const double *qd, const double *qdd,
                                                   const arne_load *loads, int load_count,
                                                   double *dq, double *dqd, double *dqdd,
                                                   arne_error *error)
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !loop || !q || !qd || !qdd) return arne_fail_null(error);
    const arne_status status = loop_factor(robot, w, loop, q, NULL, 1, error);
    if (status) return status;
    const int    n = loop->n, mobility = n - loop->factor.rank;
    const size_t square = (size_t)n * (size_t)n;
    const place  p = {robot, loop, q, qd, qdd};
    loop_fill_G(loop);
    tree_torques(robot, w, loop, q, qd, qdd, loads, load_count);
    loop_balance(loop, loop->tau);
    arne_inverse_dynamics_derivatives(robot, w, q, qd, qdd, loads, load_count, loop->D,
                                      loop->D + square, loop->D + 2 * square);
    for (int c = 0; c < mobility; c++) {
        for (int k = 0; k < n; k++)
            loop->qd[k] = loop->G[k * mobility + c];
        if (dq) {
            along_position(&p, loop->qd);
            put_reduced(loop, mobility, c, dq);
        }
        if (dqd) {
            along_velocity(&p, loop->qd);
            put_reduced(loop, mobility, c, dqd);
        }
        if (dqdd) {
            memset(loop->tau, 0, (size_t)n * sizeof *loop->tau);
            add_product(n, loop->D + 2 * square, loop->qd, loop->tau);
            put_reduced(loop, mobility, c, dqdd);
        }
    }
    return ARNE_OK;
}

// ---- forward dynamics ----
//
// G^T (tau_tree(q, qd, qdd) - tau) = 0 defines the accelerations. Its derivative along x, with the
// multipliers that balance the bracket, is that of inverse dynamics above; so with A_c = G^T M G
//     A_c dqdd_independent = -(that derivative at constant qdd_independent) + G^T dtau
// and the dependent accelerations follow by what `follow` left.

// Column c of an n x mobility derivative, from loop->tau (not yet reduced) and loop->dqdd.
static void put_accelerations(arne_loop_work *loop, int mobility, int c, double *out)
{
    double *z = loop->reduced;
    loop_reduce(loop, loop->tau, z, loop->step);
    dense_solve(mobility, loop->A, z);
    for (int k = 0; k < loop->n; k++) {
        double sum = loop->dqdd[k];
        for (int i = 0; i < mobility; i++)
            sum -= loop->G[k * mobility + i] * z[i];
        out[k * mobility + c] = sum;
    }
}

arne_status arne_loop_forward_dynamics_derivatives(const arne_robot *robot, arne_work *w,
                                                   arne_loop_work *loop, const double *q,
                                                   const double *qd, const double *tau,
                                                   const arne_load *loads, int load_count,
                                                   double *qdd, double *dq, double *dqd,
                                                   double *dtau, arne_error *error)
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !loop || !q || !qd || !tau || (load_count && !loads))
        return arne_fail_null(error);
    const int    n = loop->n;
    const size_t square = (size_t)n * (size_t)n;
    double      *a = loop->acceleration;
    loop_put_loads(robot, loads, load_count, loop->f_ext);
    arne_status status =
        arne_loop_forward_dynamics(robot, w, loop, q, qd, tau, loop->f_ext, NULL, a, error);
    if (!status) status = loop_factor(robot, w, loop, q, NULL, 1, error);
    if (status) return status;
    if (qdd) memcpy(qdd, a, (size_t)n * sizeof *qdd);
    const place p = {robot, loop, q, qd, a};
    const int   mobility = n - loop->factor.rank;
    loop_fill_G(loop);
    tree_torques(robot, w, loop, q, qd, a, loads, load_count);
    for (int k = 0; k < n; k++)
        loop->tau[k] -= tau[k];
    loop_balance(loop, loop->tau);
    arne_inverse_dynamics_derivatives(robot, w, q, qd, a, loads, load_count, loop->D,
                                      loop->D + square, loop->D + 2 * square);
    status = loop_factor_inertia(robot, loop, loop->D + 2 * square, error);
    if (status) return status;
    for (int c = 0; c < mobility; c++) {
        for (int k = 0; k < n; k++)
            loop->qd[k] = loop->G[k * mobility + c];
        if (dq) {
            along_position(&p, loop->qd);
            put_accelerations(loop, mobility, c, dq);
        }
        if (dqd) {
            along_velocity(&p, loop->qd);
            put_accelerations(loop, mobility, c, dqd);
        }
    }
    if (dtau) loop_fill_mobility(loop, dtau);
    return ARNE_OK;
}
