// Against drift: the nearest closed configuration, and the nearest velocities that the loops allow.
//
// A step that closes the loops to first order, with the independent coordinates at rest, is x; the
// shortest one is x less what of it lies in the loops' freedom, the range of G. What velocities
// keep is that part.
#include "algo/singular.h"
#include "base/error.h"
#include "math/dense.h"
#include "mechanism/loop_work.h"
#include "robot/work_layout.h"
#include <arne/integrate.h>
#include <math.h>
#include <string.h>

// freedom = G (G^T G)^-1 G^T x
static void project(arne_loop_work *loop, const double *x, double *freedom)
{
    const int n = loop->n, mobility = n - loop->factor.rank;
    double   *square = loop->A, *z = loop->reduced;
    for (int i = 0; i < mobility; i++) {
        z[i] = 0;
        for (int k = 0; k < n; k++)
            z[i] += loop->G[k * mobility + i] * x[k];
        for (int j = 0; j < mobility; j++) {
            square[i * mobility + j] = 0;
            for (int k = 0; k < n; k++)
                square[i * mobility + j] += loop->G[k * mobility + i] * loop->G[k * mobility + j];
        }
    }
    dense_factor(mobility, square, 0); // G has a unit matrix in it
    dense_solve(mobility, square, z);
    for (int k = 0; k < n; k++) {
        freedom[k] = 0;
        for (int i = 0; i < mobility; i++)
            freedom[k] += loop->G[k * mobility + i] * z[i];
    }
}

// loop_factor of a configuration that may be open: rank and singularity are judged as if it were
// not.
static arne_status factor_open(const arne_robot *r, arne_work *w, arne_loop_work *loop,
                               const double *q, double *closure, int *worst, arne_error *error)
{
    *closure = loop_constraints(r, w, loop, q, NULL, worst);
    if (*closure <= ARNE_LOOP_CLOSED) return loop_factor(r, w, loop, q, NULL, 0, error);
    dense_qr *f = &loop->factor;
    f->most = f->most_early = loop->generic_rank < 0 ? loop->m : loop->generic_rank;
    loop_factor_scaled(loop, NULL);
    return ARNE_OK;
}

arne_status arne_loop_project(const arne_robot *robot, arne_work *w, arne_loop_work *loop,
                              double *q, double *qd, arne_error *error)
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !loop || !q) return arne_fail_null(error);
    double closure = INFINITY, before = INFINITY;
    int    worst = 0;
    for (int i = 0; i < 50; i++) {
        const arne_status status = factor_open(robot, w, loop, q, &closure, &worst, error);
        if (status) return status;
        // The last step from below 1e-9 leaves rounding.
        if (closure <= 1e-15 || (closure < 1e-9 && closure >= before)) break;
        before = closure;
        memset(loop->step, 0, (size_t)loop->n * sizeof *loop->step);
        memcpy(loop->velocity, loop->error, (size_t)loop->m * sizeof *loop->error);
        loop_solve(loop, loop->velocity, loop->step);
        loop_fill_G(loop);
        project(loop, loop->step, loop->qd);
        for (int k = 0; k < loop->n; k++)
            loop->step[k] -= loop->qd[k];
        arne_integrate(robot, q, loop->step, q);
    }
    if (!(closure <= 1e-9))
        return loop_fail_open(robot, ARNE_NOT_CONVERGED, closure, worst, 1, error);
    if (!qd) return ARNE_OK;
    loop_fill_G(loop);
    project(loop, qd, loop->qd);
    memcpy(qd, loop->qd, (size_t)loop->n * sizeof *qd);
    return ARNE_OK;
}
