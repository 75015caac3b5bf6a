// Closing the loops: the coordinates that are not fixed move until all errors vanish.
//
// Levenberg and Marquardt: (J^T J + damping) step = -J^T error over the columns that may move. The
// damping falls with every step that helps, so that the last steps are Newton's.
#include "mechanism/assembly.h"
#include "algo/singular.h"
#include "base/error.h"
#include "base/options.h"
#include "math/dense.h"
#include "robot/work_layout.h"
#include <arne/integrate.h>
#include <math.h>
#include <string.h>

static double square_of(const double *x, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sum;
}

// The step for a damping, in loop->step; 0 where the matrix is not definite.
static int damped_step(arne_loop_work *loop, double damping)
{
    const int n = loop->n;
    int       count = 0;
    double   *square = loop->A, *right = loop->values;
    for (int k = 0; k < n; k++)
        count += !loop->fixed[k];
    for (int a = 0, i = 0; a < n; a++) {
        if (loop->fixed[a]) continue;
        right[i] = 0;
        for (int m = 0; m < loop->m; m++)
            right[i] -= loop_scaled(loop, m, a) * loop->row_scale[m] * loop->error[m];
        for (int b = 0, j = 0; b < n; b++) {
            if (loop->fixed[b]) continue;
            double sum = a == b ? damping : 0;
            for (int m = 0; m < loop->m; m++)
                sum += loop_scaled(loop, m, a) * loop_scaled(loop, m, b);
            square[i * count + j++] = sum;
        }
        i++;
    }
    if (!dense_factor(count, square, 0)) return 0;
    dense_solve(count, square, right);
    for (int k = 0, i = 0; k < n; k++)
        loop->step[k] = loop->fixed[k] ? 0 : loop->column_scale[k] * right[i++];
    return 1;
}

static double largest_diagonal(const arne_loop_work *loop)
{
    double largest = 1e-12;
    for (int k = 0; k < loop->n; k++) {
        double sum = 0;
        for (int m = 0; m < loop->m; m++)
            sum += loop_scaled(loop, m, k) * loop_scaled(loop, m, k);
        largest = fmax(largest, loop->fixed[k] ? 0 : sum);
    }
    return largest;
}

static double error_square(const arne_loop_work *loop)
{
    double sum = 0;
    for (int i = 0; i < loop->m; i++) {
        const double e = loop->row_scale[i] * loop->error[i];
        sum += e * e;
    }
    return sum;
}

double assembly_descend(const arne_robot *r, arne_work *w, arne_loop_work *loop, double tolerance,
                        int iterations, double *q, int *worst)
{
    double closure = loop_constraints(r, w, loop, q, NULL, worst), damping = -1;
    int    extra = 0;
    for (int i = 0; i < iterations && extra < 3; i++) {
        const double before = error_square(loop), least = closure;
        if (damping < 0) damping = 1e-2 * largest_diagonal(loop);
        if (!damped_step(loop, damping)) {
            damping *= 10;
            continue;
        }
        arne_integrate(r, q, loop->step, loop->q_try);
        int now = 0;
        closure = loop_constraints(r, w, loop, loop->q_try, NULL, &now);
        if (error_square(loop) < before) {
            arne_normalize(r, loop->q_try);
            memcpy(q, loop->q_try, (size_t)r->q_count * sizeof *q);
            damping *= 0.1;
            if (worst) *worst = now;
        } else {
            closure = loop_constraints(r, w, loop, q, NULL, NULL);
            if (damping > 1e8) break;
            damping *= 8;
        }
        // From where it is close enough a few more steps come free, down to rounding.
        extra += least <= tolerance;
    }
    return closure;
}

void assembly_fix(const arne_robot *r, arne_loop_work *loop, const arne_assembly_options *options)
{
    const unsigned char *fixed = options && options->fixed ? options->fixed : loop->active;
    memcpy(loop->fixed, fixed, (size_t)r->v_count);
}

// Coordinates of the joints that may move.
static int is_free(const arne_loop_work *loop, const arne_joint_info *j)
{
    return j->v_count > 0 && !loop->fixed[j->v_start];
}

void assembly_scatter(const arne_robot *r, const arne_loop_work *loop, uint64_t *seed, double *q)
{
    arne_random_configuration(r, seed, loop->q_try);
    for (int i = 0; i < r->joint_count; i++) {
        const arne_joint_info *j = &robot_joints(r)[i].info;
        for (int k = j->q_start; is_free(loop, j) && k < j->q_start + j->q_count; k++)
            q[k] = loop->q_try[k];
    }
}

// Beyond it adding whole turns costs more digits than the closure can spare.
static const double MOST_WOUND = 1e3;

void assembly_unwind(const arne_robot *r, const arne_loop_work *loop, const double *seed, double *q)
{
    const double turn = 6.28318530717958647692;
    for (int i = 0; i < r->joint_count; i++) {
        const arne_joint_info *j = &robot_joints(r)[i].info;
        const int              angles = arne_joint_kind_facts(j->kind)->is_periodic;
        for (int k = j->q_start; angles && is_free(loop, j) && k < j->q_start + j->q_count; k++)
            if (fabs(seed[k]) <= MOST_WOUND) q[k] -= turn * round((q[k] - seed[k]) / turn);
    }
}

// The sign of the determinant of the columns that may move, over the first rows that are
// independent.
int assembly_branch(const arne_robot *r, arne_work *w, arne_loop_work *loop, const double *q)
{
    const int n = loop->n;
    int       count = 0, rank = 0, sign = 1;
    double *A = loop->A; // rows are made orthogonal to those before; the determinant keeps its sign
    loop_constraints(r, w, loop, q, NULL, NULL);
    for (int k = 0; k < n; k++)
        count += !loop->fixed[k];
    for (int m = 0; m < loop->m && rank < count; m++) {
        double *row = A + rank * count;
        for (int k = 0, i = 0; k < n; k++)
            if (!loop->fixed[k]) row[i++] = loop_scaled(loop, m, k);
        const double before = square_of(row, count);
        for (int pass = 0; pass < 2; pass++)
            for (int p = 0; p < rank; p++) {
                double along = 0;
                for (int i = 0; i < count; i++)
                    along += A[p * count + i] * row[i];
                for (int i = 0; i < count; i++)
                    row[i] -= along * A[p * count + i];
            }
        const double left = sqrt(square_of(row, count));
        if (!(left > ARNE_LOOP_RANK * sqrt(before)) || before == 0) continue;
        for (int i = 0; i < count; i++)
            row[i] /= left;
        rank++;
    }
    if (rank < count || count == 0) return 0;
    for (int i = 0; i < count; i++) { // elimination with row exchanges, for the sign
        int best = i;
        for (int k = i + 1; k < count; k++)
            if (fabs(A[k * count + i]) > fabs(A[best * count + i])) best = k;
        if (best != i) sign = -sign;
        for (int j = 0; best != i && j < count; j++) {
            const double x = A[i * count + j];
            A[i * count + j] = A[best * count + j];
            A[best * count + j] = x;
        }
        if (A[i * count + i] < 0) sign = -sign;
        for (int k = i + 1; k < count; k++) {
            const double l = A[k * count + i] / A[i * count + i];
            for (int j = i; j < count; j++)
                A[k * count + j] -= l * A[i * count + j];
        }
    }
    return sign;
}

arne_status arne_assemble(const arne_robot *robot, arne_work *w, arne_loop_work *loop,
                          const arne_assembly_options *options, double *q, arne_assembly *out,
                          arne_error *error)
{
    arne_assembly_options own_options;
    if (options && !options_take(&own_options, sizeof own_options,
                                 OPTIONS_FIRST(arne_assembly_options), options))
        return options_refuse(error);
    if (options) options = &own_options;
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !loop || !q) return arne_fail_null(error);
    const double tolerance = options && options->tolerance > 0 ? options->tolerance : 1e-12;
    const int    iterations = options && options->iterations > 0 ? options->iterations : 200;
    const int    restarts = options && options->restarts ? options->restarts : 30;
    const size_t size = (size_t)robot->q_count * sizeof *q;
    uint64_t     seed = 1;
    double       best = INFINITY;
    int          worst = 0, starts = 0;
    assembly_fix(robot, loop, options);
    memcpy(loop->q_seed, q, size);
    do {
        int here = 0;
        if (starts > 0) assembly_scatter(robot, loop, &seed, q);
        const double closure = assembly_descend(robot, w, loop, tolerance, iterations, q, &here);
        if (closure < best || starts == 0) {
            best = closure;
            worst = here;
            memcpy(loop->q_best, q, size);
        }
        starts++;
    } while (!(best <= tolerance) && starts <= restarts);
    memcpy(q, loop->q_best, size);
    assembly_unwind(robot, loop, loop->q_seed, q);
    if (starts > 1) best = loop_constraints(robot, w, loop, q, NULL, &worst); // whole turns later
    if (out) {
        *out = (arne_assembly){best, worst, starts, 0};
        if (best <= tolerance) out->branch = assembly_branch(robot, w, loop, q);
    }
    return best <= tolerance
               ? ARNE_OK
               : loop_fail_open(robot, ARNE_NOT_CONVERGED, best, worst, starts, error);
}
