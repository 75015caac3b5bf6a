// Inverse dynamics of a tree with loops: Khalil 2010, section 4.
//
// The torques of the tree, moving as it does but without the loops, are balanced by the active joints and by the loops:
//     tau_tree = tau + J^T lambda,  so  G^T tau = G^T tau_tree  since J G = 0
// As many active joints as mobility leave tau no choice. Where there are more, tau of least weighted square obeys
// tau_a = W^-1 G_a z with (G_a^T W^-1 G_a) z = G^T tau_tree. Then lambda is the smallest solution of the first line.
#include "algo/inverse_dynamics.k.h"
#include "algo/mass_matrix.k.h"
#include "algo/singular.h"
#include "base/error.h"
#include "math/dense.h"
#include "math/lower.h"
#include "mechanism/loop_work.h"
#include <string.h>

static arne_status share_torques(const arne_robot *r, arne_loop_work *loop, const double *weights,
                                 double *tau, arne_error *error)
{
    const int n = loop->n, mobility = n - loop->factor.rank;
    double   *square = loop->A, *z = loop->reduced;
    loop_fill_G(loop);
    memset(square, 0, (size_t)(mobility * mobility) * sizeof *square);
    for (int k = 0; k < n; k++)
        for (int i = 0; loop->active[k] && i < mobility; i++)
            for (int j = 0; j < mobility; j++)
                square[i * mobility + j] += loop->G[k * mobility + i] * loop->G[k * mobility + j] /
                                            (weights ? weights[k] : 1);
    if (!dense_factor(mobility, square, 1e-14))
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "the weights of the torques of '%s' are not positive", arne_robot_name(r));
    dense_solve(mobility, square, z);
    memset(tau, 0, (size_t)n * sizeof *tau);
    for (int k = 0; k < n; k++)
        for (int i = 0; loop->active[k] && i < mobility; i++)
            tau[k] += loop->G[k * mobility + i] * z[i] / (weights ? weights[k] : 1);
    return ARNE_OK;
}

arne_status arne_loop_inverse_dynamics(const arne_robot *robot, arne_work *w, arne_loop_work *loop,
                                       const double *q, const double *qd, const double *qdd,
                                       const arne_wrench *f_ext, const double *weights, double *tau,
                                       arne_error *error)
{
    if (!robot || !w || !loop || !q || !qd || !qdd || !tau) return fail_null(error);
    const arne_status status = loop_factor(robot, w, loop, q, NULL, 1, error);
    if (status) return status;
    const dense_qr *f = &loop->factor;
    const int       mobility = loop->n - f->rank;
    inverse_dynamics(robot, w, q, qd, qdd, f_ext, loop->tau);
    loop_reduce(loop, loop->tau, loop->reduced, loop->step);
    if (loop->active_count > mobility) return share_torques(robot, loop, weights, tau, error);
    memset(tau, 0, (size_t)loop->n * sizeof *tau);
    for (int c = 0; c < mobility; c++)
        tau[f->pivot[f->rank + c]] = loop->reduced[c];
    return ARNE_OK;
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

arne_status arne_loop_forces(const arne_robot *robot, arne_work *w, arne_loop_work *loop,
                             const double *q, const double *qd, const double *qdd,
                             const arne_wrench *f_ext, const double *tau, double *lambda,
                             int *indeterminate, arne_error *error)
{
    if (!robot || !w || !loop || !q || !qd || !qdd || !tau) return fail_null(error);
    const arne_status status = loop_factor(robot, w, loop, q, NULL, 0, error);
    if (status) return status;
    const dense_qr *f = &loop->factor;
    inverse_dynamics(robot, w, q, qd, qdd, f_ext, loop->tau);
    memset(loop->lambda, 0, (size_t)loop->m * sizeof *loop->lambda);
    for (int i = 0; i < f->rank; i++)
        loop->lambda[i] = loop->tau[f->pivot[i]] - tau[f->pivot[i]];
    dense_qr_forward(f, loop->lambda);
    dense_qr_multiply(f, loop->lambda);
    if (lambda) memcpy(lambda, loop->lambda, (size_t)loop->m * sizeof *lambda);
    if (indeterminate) *indeterminate = f->rank < loop->m;

    const size_t size = (size_t)robot->body_count * sizeof *loop->f_ext;
    if (f_ext)
        memcpy(loop->f_ext, f_ext, size);
    else
        memset(loop->f_ext, 0, size);
    add_loop_loads(robot, w, loop, loop->f_ext);
    inverse_dynamics(robot, w, q, qd, qdd, loop->f_ext, loop->tau);
    return ARNE_OK;
}

arne_wrench arne_loop_wrench(const arne_robot *robot, const arne_work *w,
                             const arne_loop_work *loop, int index)
{
    const loop_record *l = robot_loops(robot) + index;
    const loop_tie    *tie = loop->ties + index;
    const force        f = loop_wrench(l, tie->rows, loop->lambda);
    (void)w;
    return lower_force(fo(into(&tie->A, f.lin), into(&tie->A, f.ang)));
}

// out = G^T M G
static void reduce_matrix(arne_loop_work *loop, const double *M, double *out)
{
    const int n = loop->n, mobility = n - loop->factor.rank;
    double   *half = loop->A; // M G
    for (int i = 0; i < n; i++)
        for (int c = 0; c < mobility; c++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += M[i * n + k] * loop->G[k * mobility + c];
            half[i * mobility + c] = sum;
        }
    for (int a = 0; a < mobility; a++)
        for (int c = 0; c < mobility; c++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += loop->G[k * mobility + a] * half[k * mobility + c];
            out[a * mobility + c] = sum;
        }
}

arne_status arne_loop_reduced(const arne_robot *robot, arne_work *w, arne_loop_work *loop,
                              const double *q, const double *qd, const arne_wrench *f_ext,
                              double *A, double *H, arne_error *error)
{
    if (!robot || !w || !loop || !q || !qd) return fail_null(error);
    const arne_status status = loop_factor(robot, w, loop, q, qd, 1, error);
    if (status) return status;
    memset(loop->qdd, 0, (size_t)loop->n * sizeof *loop->qdd);
    loop_solve(loop, loop->bias, loop->qdd);
    loop_fill_G(loop);
    if (A) {
        mass_matrix(robot, w, q, loop->M);
        reduce_matrix(loop, loop->M, A);
    }
    if (H) {
        inverse_dynamics(robot, w, q, qd, loop->qdd, f_ext, loop->tau);
        loop_reduce(loop, loop->tau, H, loop->step);
    }
    return ARNE_OK;
}
