// Forward dynamics of a tree with loops: see loop_dynamics.k.h. Robots with mimic joints, whose
// articulated bodies are not those of a tree, take the mass matrix instead: J M^-1 J^T lambda = -(J
// qdd_tree + bias), qdd = qdd_tree + M^-1 J^T lambda.
#include "algo/factor_checked.h"
#include "algo/mass_matrix.k.h"
#include "algo/singular.h"
#include "base/error.h"
#include "mechanism/loop_dynamics.k.h"
#include "mechanism/loop_work.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"
#include <string.h>

// What is left of a pivot of J M^-1 J^T, relative to the first, below which it is rounding.
static const double COMPLIANCE_PART = 1e-13;
// The ratio of its least and its largest pivot above which one solution is enough.
static const double WELL_CONDITIONED = 1e-3;

static arne_status fail_direct(const arne_robot *r, arne_error *error)
{
    return arne_fail(error, ARNE_LOOP_SINGULAR, NULL, 0,
                     "the loops of '%s' are singular here: fewer constraints are independent than "
                     "nearby",
                     arne_robot_name(r));
}

// Closed, or stabilised; and the rank is known.
static arne_status loop_direct_check_closed(const arne_robot *r, arne_work *w, arne_loop_work *loop,
                                            const double             *q,
                                            const arne_stabilisation *stabilisation,
                                            arne_error               *error)
{
    int    worst = 0;
    double closure = loop_errors(r, w, loop, NULL);
    if (!(closure <= ARNE_LOOP_CLOSED) && !stabilisation) {
        closure = loop_errors(r, w, loop, &worst);
        return loop_fail_open(r, ARNE_LOOP_OPEN, closure, worst, 1, error);
    }
    if (loop->generic_rank < 0) {
        loop_prepare(r, w, loop, q);
        loop_errors(r, w, loop, NULL);
    }
    return ARNE_OK;
}

// What the rows' accelerations must be made up for: -(J qdd + bias) and the pull towards closure,
// scaled as the rows of K are.
static void missing(arne_loop_work *loop, const arne_stabilisation *s, double *out)
{
    for (int i = 0; i < loop->m; i++) {
        out[i] = -loop->bias[i];
        if (s) out[i] -= 2 * s->damping * loop->velocity[i] + s->stiffness * loop->error[i];
        out[i] *= loop->row_scale[i];
    }
}

static double loop_direct_largest_of(const double *x, int count)
{
    double largest = 0;
    for (int i = 0; i < count; i++)
        largest = fabs(x[i]) > largest ? fabs(x[i]) : largest;
    return largest;
}

// K = J M^-1 J^T, with lengths in the robot's unit, factored. Its rows are those of J, or the live
// ones.
static int factor_compliance(arne_loop_work *loop, int live_only)
{
    const int count = live_only ? loop->live_count : loop->m;
    for (int i = 0, a = 0; i < loop->m; i++) {
        if (live_only && !loop->live[i]) continue;
        for (int k = 0; k < count; k++) {
            loop->K[a * count + k] *= loop->row_scale[i];
            loop->K[k * count + a] *= loop->row_scale[i];
        }
        a++;
    }
    return dense_semidefinite_factor(count, loop->generic_rank, COMPLIANCE_PART, loop->K,
                                     loop->K_pivot) == loop->generic_rank;
}

// By the diagonal of the factor, which holds the inverses of the pivots.
static int is_well_conditioned(const arne_loop_work *loop)
{
    double least = INFINITY, most = 0;
    for (int i = 0; i < loop->generic_rank; i++) {
        const double x = loop->K[i * (loop->live_count + 1)];
        least = x < least ? x : least;
        most = x > most ? x : most;
    }
    return least >= WELL_CONDITIONED * most;
}

// The multipliers of the live rows act; those of the others are zero.
static void let_act(const arne_robot *r, arne_work *w, arne_loop_work *loop, double *qdd)
{
    int count = 0;
    for (int i = 0; i < loop->m; i++)
        if (loop->live[i]) loop->row[count++] = loop->row[i];
    dense_semidefinite_solve(count, loop->generic_rank, loop->K, loop->K_pivot, loop->row,
                             loop->step);
    for (int i = 0, k = 0; i < loop->m; i++)
        if (loop->live[i]) loop->row[k++] *= loop->row_scale[i];
    loop_accelerations(r, w, count, loop->u, loop->row, qdd);
    for (int i = 0, k = 0; i < loop->m; i++)
        if (loop->live[i]) loop->lambda[i] += loop->row[k++];
}

static arne_status loop_direct_by_articulated_bodies(const arne_robot *r, arne_work *w,
                                                     arne_loop_work *loop, const double *qd,
                                                     const arne_stabilisation *s, double *qdd,
                                                     arne_error *error)
{
    const int m = loop->m, count = loop->live_count;
    loops_motion(r, w, loop->ties, qd, 0, s ? loop->velocity : NULL, loop->bias);
    loop_rows_inward(r, w, loop->ties, loop->live, loop->u, loop->bias);
    loop_compliance(r, w, count, loop->u, loop->K);
    if (!factor_compliance(loop, 1)) return fail_direct(r, error);
    missing(loop, s, loop->row);
    memset(loop->lambda, 0, (size_t)m * sizeof *loop->lambda);
    const double size = fmax(1, loop_direct_largest_of(loop->row, m));
    let_act(r, w, loop, qdd);
    // Again, where pivots that differ much have left more than rounding.
    for (int pass = 0; pass < 2 && !is_well_conditioned(loop); pass++) {
        loops_motion(r, w, loop->ties, qd, 1, NULL, loop->bias);
        missing(loop, s, loop->row);
        if (loop_direct_largest_of(loop->row, m) <= 1e-12 * size) break;
        let_act(r, w, loop, qdd);
    }
    return ARNE_OK;
}

static int is_doubtful(const arne_robot *r, const arne_work *w)
{
    double largest = 0, smallest = INFINITY;
    for (int k = 0; k < r->tree_v_count; k++) {
        largest = w->D[k] > largest ? w->D[k] : largest;
        smallest = w->D[k] < smallest ? w->D[k] : smallest;
    }
    return !(smallest > 1e-10 * largest);
}

static arne_status by_matrix(const arne_robot *r, arne_work *w, arne_loop_work *loop,
                             const double *q, const double *qd, const arne_stabilisation *s,
                             double *qdd, arne_error *error)
{
    const int m = loop->m, n = loop->n;
    mass_matrix(r, w, q, loop->M);
    arne_status status = factor_checked(r, loop->M, error);
    if (status) return status;
    loop_constraints(r, w, loop, q, qd, NULL);
    for (int i = 0; i < m; i++) { // rows of u: M^-1 J^T
        memcpy(loop->u + i * n, loop->J + i * n, (size_t)n * sizeof *loop->u);
        factor_solve(n, robot_factor_parents(r), loop->M, loop->u + i * n);
        for (int k = 0; k < n; k++)
            loop->bias[i] += loop->J[i * n + k] * qdd[k];
    }
    for (int i = 0; i < m * m; i++) {
        loop->K[i] = 0;
        for (int k = 0; k < n; k++)
            loop->K[i] += loop->u[i / m * n + k] * loop->J[i % m * n + k];
    }
    if (!factor_compliance(loop, 0)) return fail_direct(r, error);
    missing(loop, s, loop->lambda);
    dense_semidefinite_solve(m, loop->generic_rank, loop->K, loop->K_pivot, loop->lambda,
                             loop->step);
    for (int i = 0; i < m; i++)
        loop->lambda[i] *= loop->row_scale[i];
    for (int i = 0; i < m; i++)
        for (int k = 0; k < n; k++)
            qdd[k] += loop->lambda[i] * loop->u[i * n + k];
    return ARNE_OK;
}

KERNEL(arne_status, arne_loop_forward_dynamics,
       (const arne_robot *robot, arne_work *w, arne_loop_work *loop, const double *q,
        const double *qd, const double *tau, const arne_wrench *f_ext,
        const arne_stabilisation *stabilisation, double *qdd, arne_error *error),
       (robot, w, loop, q, qd, tau, f_ext, stabilisation, qdd, error))
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !loop || !q || !qd || !tau || !qdd) return arne_fail_null(error);
    if (robot->loop_count == 0)
        return arne_forward_dynamics(robot, w, q, qd, tau, f_ext, qdd, error);
    if (loop->generic_rank < 0) { // once, before the workspace is needed
        kinematics(robot, w, q, NULL, NULL);
        const arne_status closed =
            loop_direct_check_closed(robot, w, loop, q, stabilisation, error);
        if (closed) return closed;
    }
    if (robot->shares_coordinates) {
        arne_status status = arne_forward_dynamics(robot, w, q, qd, tau, f_ext, qdd, error);
        if (status) return status;
        kinematics(robot, w, q, NULL, NULL);
        status = loop_direct_check_closed(robot, w, loop, q, stabilisation, error);
        return status ? status : by_matrix(robot, w, loop, q, qd, stabilisation, qdd, error);
    }
    tree_articulate(robot, w, q, qd, tau, f_ext);
    if (is_doubtful(robot, w)) { // then it has the last word on whether there is mass to move
        const arne_status status = arne_forward_dynamics(robot, w, q, qd, tau, f_ext, qdd, error);
        if (status) return status;
    }
    world_poses(robot, w);
    const arne_status closed = loop_direct_check_closed(robot, w, loop, q, stabilisation, error);
    return closed
               ? closed
               : loop_direct_by_articulated_bodies(robot, w, loop, qd, stabilisation, qdd, error);
}
