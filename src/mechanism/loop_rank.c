// The constraint matrix of the loops: its factors, its rank here and nearby, and what follows for the motion.
//
// J P = Q [R11 R12], with the passive columns taken first. The first `rank` columns depend on the others, which are
// independent: x_dependent = -R11^-1 R12 x_independent. So G is never needed to map with it or with its transpose:
//     G^T x = x_independent - R12^T R11^-T x_dependent
// and Q R11^-T x_dependent are the smallest multipliers that balance x on the dependent columns.
#include "algo/singular.h"
#include "base/error.h"
#include "base/random.h"
#include "math/dense.h"
#include "mechanism/loop_work.h"
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

double loop_errors(const arne_robot *r, const arne_work *w, arne_loop_work *loop, int *worst)
{
    double largest = 0;
    loops_tie(r, w, loop->ties);
    loops_error(r, loop->ties, loop->error);
    for (int i = 0; i < r->loop_count; i++) {
        const loop_record *l = robot_loops(r) + i;
        unfold(l, &loop->ties[i].A, &loop->ties[i].B, loop->error + l->info.row_start);
    }
    for (int k = 0; k < loop->m; k++)
        largest = fabs(loop->error[k]) <= largest ? largest : fabs(loop->error[k]);
    if (worst) *worst = 0;
    for (int i = 0; worst && i < r->loop_count; i++) {
        const arne_loop_info *l = &robot_loops(r)[i].info;
        for (int k = l->row_start; k < l->row_start + l->row_count; k++)
            if (!(fabs(loop->error[k]) < largest)) *worst = i;
    }
    return largest;
}

double loop_constraints(const arne_robot *r, arne_work *w, arne_loop_work *loop, const double *q,
                        const double *qd, int *worst)
{
    double *J = r->has_mimic ? loop->tree_J : loop->J;
    kinematics(r, w, q, qd, qd ? w->zero : NULL);
    const double closure = loop_errors(r, w, loop, worst);
    loops_jacobian(r, w, loop->ties, J);
    collect_columns(r, loop->m, J, loop->J);
    if (qd)
        loops_motion(r, w, loop->ties, r->has_mimic ? w->tree_qd : qd, 1, loop->velocity,
                     loop->bias);
    return closure;
}

double arne_loop_closure(const arne_robot *robot, arne_work *w, arne_loop_work *loop,
                         const double *q, double *errors)
{
    kinematics(robot, w, q, NULL, NULL);
    const double closure = loop_errors(robot, w, loop, NULL);
    if (errors) memcpy(errors, loop->error, (size_t)loop->m * sizeof *errors);
    return closure;
}

// ---- rank by singular values ----

static int count_above(const double *values, int count)
{
    int rank = 0;
    while (rank < count && values[rank] > ARNE_LOOP_RANK * values[0])
        rank++;
    return rank;
}

// Singular values of the columns of J that are not active (or of all), in loop->values, vectors in loop->V; their number.
static int singular_values(arne_loop_work *loop, int passive_only)
{
    int columns = 0;
    for (int k = 0; k < loop->n; k++)
        columns += !(passive_only && loop->active[k]);
    for (int i = 0; i < loop->m; i++)
        for (int k = 0, c = 0; k < loop->n; k++)
            if (!(passive_only && loop->active[k]))
                loop->A[i * columns + c++] = loop->J[i * loop->n + k];
    dense_singular(loop->m, columns, loop->A, loop->values, loop->V);
    return columns;
}

static int rank_of(arne_loop_work *loop, int passive_only)
{
    const int columns = singular_values(loop, passive_only);
    return count_above(loop->values, columns < loop->m ? columns : loop->m);
}

// x = -J^+ error, from the singular vectors of J.
static void least_step(arne_loop_work *loop, double *x)
{
    const int n = singular_values(loop, 0), rank = count_above(loop->values, n);
    memset(x, 0, (size_t)n * sizeof *x);
    for (int k = 0; k < rank; k++) { // A has become U diag(values)
        double along = 0;
        for (int i = 0; i < loop->m; i++)
            along += loop->A[i * n + k] * loop->error[i];
        along /= loop->values[k] * loop->values[k];
        for (int j = 0; j < n; j++)
            x[j] -= along * loop->V[j * n + k];
    }
}

// From q, which is closed, some way along the loops' freedom to loop->q_try; whether that is closed.
static int wander(const arne_robot *r, arne_work *w, arne_loop_work *loop, const double *q,
                  double length, uint64_t *seed)
{
    loop_constraints(r, w, loop, q, NULL, NULL);
    const int n = singular_values(loop, 0), rank = count_above(loop->values, n);
    memset(loop->step, 0, (size_t)n * sizeof *loop->step);
    for (int k = rank; k < n; k++) {
        const double along = random_between(seed, -length, length);
        for (int j = 0; j < n; j++)
            loop->step[j] += along * loop->V[j * n + k];
    }
    arne_integrate(r, q, loop->step, loop->q_try);
    for (int i = 0; i < 50; i++) {
        if (loop_constraints(r, w, loop, loop->q_try, NULL, NULL) < 1e-11) return 1;
        least_step(loop, loop->step);
        arne_integrate(r, loop->q_try, loop->step, loop->q_try);
    }
    return 0;
}

// Rows that are zero in all configurations, as those across the plane of a planar loop: they need no multiplier.
static void note_live_rows(arne_loop_work *loop)
{
    double largest = 0;
    for (int i = 0; i < loop->m * loop->n; i++)
        largest = fmax(largest, fabs(loop->J[i]));
    for (int i = 0; i < loop->m * loop->n; i++)
        loop->live[i / loop->n] |= fabs(loop->J[i]) > 1e-12 * largest;
}

void loop_prepare(const arne_robot *r, arne_work *w, arne_loop_work *loop, const double *q)
{
    uint64_t seed = 1;
    loop_constraints(r, w, loop, q, NULL, NULL);
    memset(loop->live, 0, (size_t)loop->m);
    note_live_rows(loop);
    loop->generic_rank = rank_of(loop, 0);
    loop->generic_hold = rank_of(loop, 1);
    for (int i = 0; i < 6; i++) {
        if (!wander(r, w, loop, q, i < 3 ? 0.3 : 0.03, &seed)) continue;
        const int rank = rank_of(loop, 0), hold = rank_of(loop, 1);
        note_live_rows(loop);
        if (rank > loop->generic_rank) loop->generic_rank = rank;
        if (hold > loop->generic_hold) loop->generic_hold = hold;
    }
    loop->live_count = 0;
    for (int i = 0; i < loop->m; i++)
        loop->live_count += loop->live[i];
}

// ---- the report ----

arne_status loop_fail_open(const arne_robot *r, arne_status code, double closure, int worst,
                           int starts, arne_error *error)
{
    const char *name = arne_robot_loop(r, worst).name;
    if (code == ARNE_LOOP_OPEN)
        return arne_fail(error, code, NULL, 0,
                         "loop '%s' is open by %.3g (m or rad): assemble the robot first", name,
                         closure);
    return arne_fail(error, code, NULL, 0,
                     "loop '%s' cannot be closed at these positions of the active joints: the "
                     "smallest closure error in %d starts is %.6g (m or rad); if they can be "
                     "reached, give passive joints a 'start:' near the assembly",
                     name, starts, closure);
}

static arne_status fail_without_loops(arne_error *error)
{
    return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "the robot has no loops");
}

// The joint that moves most in a direction.
static const char *joint_of_largest(const arne_robot *r, const double *x)
{
    int best = 0;
    for (int k = 1; k < r->v_count; k++)
        if (fabs(x[k]) > fabs(x[best])) best = k;
    for (int i = 0; i < r->joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(r, i);
        if (best >= j.v_start && best < j.v_start + j.v_count) return j.name;
    }
    return "?";
}

// The singular vector of the smallest value of the passive columns, over all coordinates.
static double weakest(arne_loop_work *loop, double *direction)
{
    const int columns = singular_values(loop, 1), last = columns - 1;
    if (direction) memset(direction, 0, (size_t)loop->n * sizeof *direction);
    if (columns == 0) return 1;
    for (int k = 0, c = 0; direction && k < loop->n; k++)
        if (!loop->active[k]) direction[k] = loop->V[c++ * columns + last];
    if (columns > loop->m || !(loop->values[last] > ARNE_LOOP_RANK * loop->values[0]))
        return INFINITY;
    return loop->values[0] / loop->values[last];
}

static arne_status fail_singular_loops(const arne_robot *r, arne_loop_work *loop, arne_error *error)
{
    const double condition = weakest(loop, loop->step);
    return arne_fail(error, ARNE_LOOP_SINGULAR, NULL, 0,
                     "the loops are singular here (condition %.3g): joint '%s' can move while the "
                     "active joints stand still",
                     condition, joint_of_largest(r, loop->step));
}

static arne_status fail_rigid(const arne_robot *r, const arne_loop_work *loop, arne_error *error)
{
    return arne_fail(error, ARNE_MODEL, NULL, 0,
                     "the loops (such as '%s') leave no mobility: %d independent constraints on %d "
                     "coordinates",
                     arne_robot_loop(r, r->loop_count - 1).name, loop->generic_rank, loop->n);
}

arne_status arne_loop_analyse(const arne_robot *robot, arne_work *w, arne_loop_work *loop,
                              const double *q, arne_loop_report *report, double *direction,
                              arne_error *error)
{
    if (!robot || !w || !loop || !q || !report) return fail_null(error);
    if (robot->loop_count == 0) return fail_without_loops(error);
    int          worst = 0;
    const double closure = loop_constraints(robot, w, loop, q, NULL, &worst);
    memset(report, 0, sizeof *report);
    if (!(closure <= ARNE_LOOP_CLOSED))
        return loop_fail_open(robot, ARNE_LOOP_OPEN, closure, worst, 1, error);
    if (loop->generic_rank < 0) loop_prepare(robot, w, loop, q);
    loop_constraints(robot, w, loop, q, NULL, NULL);
    report->rows = loop->m;
    report->generic_rank = loop->generic_rank;
    report->mobility = loop->n - loop->generic_rank;
    report->redundant = loop->m - loop->generic_rank;
    report->active = loop->active_count;
    report->undetermined = loop->n - loop->active_count - loop->generic_hold;
    report->rank = rank_of(loop, 0);
    const double last = loop->generic_rank ? loop->values[loop->generic_rank - 1] : 1;
    report->constraint_condition =
        last > ARNE_LOOP_RANK * loop->values[0] ? loop->values[0] / last : INFINITY;
    report->condition = weakest(loop, direction);
    report->singular = report->rank < loop->generic_rank || rank_of(loop, 1) < loop->generic_hold;
    return report->mobility > 0 ? ARNE_OK : fail_rigid(robot, loop, error);
}

// ---- factors ----

static arne_status fail_undetermined(const arne_robot *r, arne_loop_work *loop, arne_error *error)
{
    weakest(loop, loop->step);
    return arne_fail(error, ARNE_MODEL, NULL, 0,
                     "%d active coordinates are fewer than the mobility %d: joint '%s' can move "
                     "while they stand still",
                     loop->active_count, loop->n - loop->generic_rank,
                     joint_of_largest(r, loop->step));
}

arne_status loop_factor(const arne_robot *r, arne_work *w, arne_loop_work *loop, const double *q,
                        const double *qd, int determined, arne_error *error)
{
    if (r->loop_count == 0) return fail_without_loops(error);
    int    worst = 0;
    double closure = loop_constraints(r, w, loop, q, qd, &worst);
    if (!(closure <= ARNE_LOOP_CLOSED))
        return loop_fail_open(r, ARNE_LOOP_OPEN, closure, worst, 1, error);
    if (loop->generic_rank < 0) {
        loop_prepare(r, w, loop, q);
        loop_constraints(r, w, loop, q, qd, NULL);
    }
    if (loop->generic_rank == loop->n) return fail_rigid(r, loop, error);
    dense_qr *f = &loop->factor;
    f->most = loop->generic_rank;
    f->most_early = determined ? loop->generic_hold : loop->generic_rank;
    memcpy(f->A, loop->J, (size_t)(loop->m * loop->n) * sizeof *f->A);
    dense_qr_factor(f, determined ? loop->active : NULL, ARNE_LOOP_RANK);
    if (determined == 1 && loop->generic_hold < loop->n - loop->active_count)
        return fail_undetermined(r, loop, error);
    if (f->rank < loop->generic_rank || (determined && f->early < loop->generic_hold))
        return fail_singular_loops(r, loop, error);
    return ARNE_OK;
}

void loop_fill_G(arne_loop_work *loop)
{
    const dense_qr *f = &loop->factor;
    const int       n = loop->n, rank = f->rank, mobility = n - rank;
    memset(loop->G, 0, (size_t)(n * mobility) * sizeof *loop->G);
    for (int c = 0; c < mobility; c++) {
        loop->G[f->pivot[rank + c] * mobility + c] = 1;
        for (int i = 0; i < rank; i++)
            loop->row[i] = -f->A[i * n + rank + c];
        dense_qr_back(f, loop->row);
        for (int i = 0; i < rank; i++)
            loop->G[f->pivot[i] * mobility + c] = loop->row[i];
    }
}

void loop_fill_G_rate(arne_loop_work *loop, const double *J_rate, double *G_rate)
{
    const int n = loop->n, mobility = n - loop->factor.rank;
    for (int c = 0; c < mobility; c++) {
        for (int i = 0; i < loop->m; i++) {
            loop->drate[i] = 0;
            for (int k = 0; k < n; k++)
                loop->drate[i] += J_rate[i * n + k] * loop->G[k * mobility + c];
        }
        memset(loop->step, 0, (size_t)n * sizeof *loop->step);
        loop_solve(loop, loop->drate, loop->step);
        for (int k = 0; k < n; k++)
            G_rate[k * mobility + c] = loop->step[k];
    }
}

void loop_solve(const arne_loop_work *loop, double *rhs, double *x)
{
    const dense_qr *f = &loop->factor;
    const int       n = loop->n, rank = f->rank;
    if (rhs) dense_qr_transposed(f, rhs);
    for (int i = 0; i < rank; i++) {
        double sum = rhs ? rhs[i] : 0;
        for (int c = rank; c < n; c++)
            sum += f->A[i * n + c] * x[f->pivot[c]];
        loop->row[i] = -sum;
    }
    dense_qr_back(f, loop->row);
    for (int i = 0; i < rank; i++)
        x[f->pivot[i]] = loop->row[i];
}

void loop_reduce(const arne_loop_work *loop, const double *x, double *out, double *scratch)
{
    const dense_qr *f = &loop->factor;
    const int       n = loop->n, rank = f->rank;
    for (int i = 0; i < rank; i++)
        scratch[i] = x[f->pivot[i]];
    dense_qr_forward(f, scratch);
    for (int c = rank; c < n; c++) {
        double sum = x[f->pivot[c]];
        for (int i = 0; i < rank; i++)
            sum -= f->A[i * n + c] * scratch[i];
        out[c - rank] = sum;
    }
}

// ---- kinematics ----

arne_status arne_loop_jacobian(const arne_robot *robot, arne_work *w, arne_loop_work *loop,
                               const double *q, double *G, int *independent, int *mobility,
                               double *condition, arne_error *error)
{
    if (!robot || !w || !loop || !q) return fail_null(error);
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

// Where the active joints do not determine the motion, x less what of it lies in the motions that they leave, N = the columns of
// G of the passive coordinates that are independent: then it is the smallest over the passive ones. Uses M, A, reduced.
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

arne_status arne_loop_complete(const arne_robot *robot, arne_work *w, arne_loop_work *loop,
                               const double *q, double *qd, double *qdd, arne_error *error)
{
    if (!robot || !w || !loop || !q || !qd) return fail_null(error);
    const arne_status status = loop_factor(robot, w, loop, q, NULL, 2, error);
    if (status) return status;
    loop_solve(loop, NULL, qd);
    make_least(loop, qd);
    if (!qdd) return ARNE_OK;
    kinematics(robot, w, q, qd, w->zero);
    loops_motion(robot, w, loop->ties, robot->has_mimic ? w->tree_qd : qd, 1, NULL, loop->bias);
    loop_solve(loop, loop->bias, qdd);
    make_least(loop, qdd);
    return ARNE_OK;
}
