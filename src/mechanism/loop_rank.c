// The constraint matrix of the loops, its factors, and what follows for the motion. Its rank is
// found in loop_analysis.c.
//
// J P = Q [R11 R12], with the passive columns taken first and rows of lengths in the robot's unit.
// The first `rank` columns depend on the others, which are independent: x_dependent = -R11^-1 R12
// x_independent. So G is never needed to map with it or with its transpose:
//     G^T x = x_independent - R12^T R11^-T x_dependent
// and Q R11^-T x_dependent are the smallest multipliers that balance x on the dependent columns.
#include "algo/singular.h"
#include "math/dense.h"
#include "mechanism/loop_work.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"
#include <string.h>

// Sines become angles, so that an error of half a turn is not taken for none.
static void unfold(const loop_record *l, const pose *A, const pose *B, double *error)
{
    const int full = loop_holds_turning(l->info.kind) == 7;
    const int axes = full ? 3 : loop_holds_turning(l->info.kind) ? 2 : 0;
    if (axes == 0) return;
    double *turned = error + l->info.row_count - axes, sine = 0;
    for (int i = 0; i < axes; i++)
        sine += turned[i] * turned[i];
    const double z = dot(A->R.z, B->R.z);
    const double cosine = full ? 0.5 * (dot(A->R.x, B->R.x) + dot(A->R.y, B->R.y) + z - 1) : z;
    if (cosine > 0.99 && sine < 1e-6)
        return; // so small that the sine is the angle, but for its cube
    sine = sqrt(sine);
    if (sine == 0) turned[0] = cosine < 0 ? 3.14159265358979323846 : 0;
    for (int i = 0; sine > 0 && i < axes; i++)
        turned[i] *= atan2(sine, cosine) / sine;
}

// The largest error of a loop: radians, and lengths in the robot's unit.
static double loop_open(const arne_robot *r, const arne_loop_info *l, const double *error)
{
    const int lengths = loop_length_rows(l->kind);
    double    largest = 0;
    for (int k = 0; k < l->row_count; k++) {
        const double e = fabs(error[l->row_start + k]) / (k < lengths ? r->length : 1);
        if (!(e <= largest)) largest = e;
    }
    return largest;
}

KERNEL(double, loop_errors,
       (const arne_robot *r, const arne_work *w, arne_loop_work *loop, int *worst),
       (r, w, loop, worst))
{
    double largest = 0;
    loops_tie(r, w, loop->ties);
    loops_error(r, loop->ties, loop->error);
    if (worst) *worst = 0;
    for (int i = 0; i < r->loop_count; i++) {
        const loop_record *l = robot_loops(r) + i;
        unfold(l, &loop->ties[i].A, &loop->ties[i].B, loop->error + l->info.row_start);
        const double open = loop_open(r, &l->info, loop->error);
        if (open <= largest || isnan(largest)) continue;
        largest = open;
        if (worst) *worst = i;
    }
    return largest;
}

KERNEL(double, loop_constraints,
       (const arne_robot *r, arne_work *w, arne_loop_work *loop, const double *q, const double *qd,
        int *worst),
       (r, w, loop, q, qd, worst))
{
    double *J = r->shares_coordinates ? loop->tree_J : loop->J;
    kinematics(r, w, q, qd, qd ? w->zero : NULL);
    const double closure = loop_errors(r, w, loop, worst);
    loops_jacobian(r, w, loop->ties, J);
    collect_columns(r, w, loop->m, J, loop->J);
    if (qd)
        loops_motion(r, w, loop->ties, r->shares_coordinates ? w->tree_qd : qd, 1, loop->velocity,
                     loop->bias);
    return closure;
}

KERNEL(double, arne_loop_closure,
       (const arne_robot *robot, arne_work *w, arne_loop_work *loop, const double *q,
        double *errors),
       (robot, w, loop, q, errors))
{
    WORK_FITS(robot, w);
    kinematics(robot, w, q, NULL, NULL);
    const double closure = loop_errors(robot, w, loop, NULL);
    if (errors) memcpy(errors, loop->error, (size_t)loop->m * sizeof *errors);
    return closure;
}

// ---- factors ----

KERNEL(arne_status, loop_factor,
       (const arne_robot *r, arne_work *w, arne_loop_work *loop, const double *q, const double *qd,
        int determined, arne_error *error),
       (r, w, loop, q, qd, determined, error))
{
    if (r->loop_count == 0) return loop_fail_none(error);
    int    worst = 0;
    double closure = loop_constraints(r, w, loop, q, qd, &worst);
    if (!(closure <= ARNE_LOOP_CLOSED))
        return loop_fail_open(r, ARNE_LOOP_OPEN, closure, worst, 1, error);
    if (loop->generic_rank < 0) {
        loop_prepare(r, w, loop, q);
        loop_constraints(r, w, loop, q, qd, NULL);
    }
    if (loop->generic_rank == loop->n) return loop_fail_rigid(r, loop, error);
    dense_qr *f = &loop->factor;
    f->most = loop->generic_rank;
    f->most_early = determined ? loop->generic_hold : loop->generic_rank;
    loop_factor_scaled(loop, determined ? loop->active : NULL);
    if (determined == 1 && loop->generic_hold < loop->n - loop->active_count)
        return loop_fail_undetermined(r, loop, error);
    if (f->rank < loop->generic_rank || (determined && f->early < loop->generic_hold))
        return loop_fail_singular(r, loop, error);
    return ARNE_OK;
}

// ---- kinematics ----

KERNEL(arne_status, arne_loop_jacobian,
       (const arne_robot *robot, arne_work *w, arne_loop_work *loop, const double *q, double *G,
        int *independent, int *mobility, double *condition, arne_error *error),
       (robot, w, loop, q, G, independent, mobility, condition, error))
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !loop || !q) return arne_fail_null(error);
    const arne_status status = loop_factor(robot, w, loop, q, NULL, 1, error);
    if (status) return status;
    const dense_qr *f = &loop->factor;
    const int       free_count = loop->n - f->rank;
    loop_fill_G(loop);
    if (G) memcpy(G, loop->G, (size_t)(loop->n * free_count) * sizeof *G);
    for (int c = 0; independent && c < free_count; c++)
        independent[c] = f->pivot[f->rank + c];
    if (mobility) *mobility = free_count;
    if (condition) *condition = f->largest / f->smallest;
    return ARNE_OK;
}

// Where the active joints do not determine the motion, x less what of it lies in the motions that
// they leave, N = the columns of G of the passive coordinates that are independent: then it is the
// smallest over the passive ones. Uses M, A, reduced.
static void make_least(arne_loop_work *loop, double *x)
{
    const dense_qr *f = &loop->factor;
    const int       n = loop->n, mobility = n - f->rank;
    double         *N = loop->M, *square = loop->A, *z = loop->reduced;
    int             count = 0;
    for (int c = 0; c < mobility; c++)
        count += !loop->active[f->pivot[f->rank + c]];
    if (count == 0) return;
    loop_fill_G(loop);
    for (int c = 0, i = 0; c < mobility; c++) {
        if (loop->active[f->pivot[f->rank + c]]) continue;
        for (int k = 0; k < n; k++)
            N[i * n + k] = loop->G[k * mobility + c];
        i++;
    }
    for (int i = 0; i < count; i++) {
        z[i] = 0;
        for (int k = 0; k < n; k++)
            z[i] += N[i * n + k] * x[k];
        for (int j = 0; j < count; j++) {
            square[i * count + j] = 0;
            for (int k = 0; k < n; k++)
                square[i * count + j] += N[i * n + k] * N[j * n + k];
        }
    }
    dense_factor(count, square, 0); // N has a unit matrix in it
    dense_solve(count, square, z);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < n; k++)
            x[k] -= N[i * n + k] * z[i];
}

KERNEL(arne_status, arne_loop_complete,
       (const arne_robot *robot, arne_work *w, arne_loop_work *loop, const double *q, double *qd,
        double *qdd, arne_error *error),
       (robot, w, loop, q, qd, qdd, error))
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !loop || !q || !qd) return arne_fail_null(error);
    const arne_status status = loop_factor(robot, w, loop, q, NULL, 2, error);
    if (status) return status;
    loop_solve(loop, NULL, qd);
    make_least(loop, qd);
    if (!qdd) return ARNE_OK;
    kinematics(robot, w, q, qd, w->zero);
    loops_motion(robot, w, loop->ties, robot->shares_coordinates ? w->tree_qd : qd, 1, NULL,
                 loop->bias);
    loop_solve(loop, loop->bias, qdd);
    make_least(loop, qdd);
    return ARNE_OK;
}
