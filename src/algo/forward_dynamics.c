#include "algo/factor_checked.h"
#include "algo/forward_dynamics_ways.k.h"
#include "algo/singular.h"
#include "base/error.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"
#include <arne/dynamics.h>

enum { WRENCHES_ARE_LEFT = -1 }; // of by_handles, where the matrix had the last word

// Whether some D_k are small beside others, or may be rounding; a little sooner than factor_checked
// would doubt.
static int looks_singular(const arne_robot *r, const double *D, const unsigned char *given)
{
    const double *least = robot_least(r);
    double        largest = 0;
    int           suspicious = 0;
    for (int k = 0; k < r->v_count; k++)
        largest = D[k] > largest ? D[k] : largest;
    for (int k = 0; k < r->v_count; k++)
        suspicious |= !(given && given[k]) && (!(D[k] > 1e-9 * largest) || !(D[k] > 10 * least[k]));
    return suspicious;
}

// Where D_k look small the factor of the mass matrix decides, as it does in all that solves with
// that matrix: one rule for both forms. Most robots never come to that.
static arne_status check_articulated(const arne_robot *robot, arne_work *w,
                                     const unsigned char *given, arne_error *error)
{
    const int n = robot->v_count;
    if (!looks_singular(robot, w->D, given)) return ARNE_OK;
    common_frame(robot, w);
    common_axes(robot, w);
    common_inertias(robot, w);
    composite_inertias(robot, w);
    composite_mass_matrix(robot, w, w->matrix);
    for (int k = 0; given && k < n * n;
         k++) // columns whose acceleration is given move nothing else
        if (given[k / n] || given[k % n]) w->matrix[k] = k % (n + 1) == 0;
    return factor_checked(robot, w->matrix, error);
}

// Sums that cancel to the last bit leave a recursion nothing to divide by, where the factor may
// still see what is left.
static int is_finite(int n, const double *x)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += 0 * x[k];
    return sum == 0;
}

static arne_status check_matrix(const arne_robot *robot, const arne_work *w, arne_error *error)
{
    const int k = singular_column(robot->v_count, robot_factor_parents(robot), w->matrix,
                                  ARNE_SINGULAR_PART, robot_least(robot));
    return k < 0 ? ARNE_OK : fail_singular(robot, k, error);
}

// Where what is left to move by handles looks small, the matrix has the last word.
KERNEL(arne_status, arne_forward_dynamics,
       (const arne_robot *robot, arne_work *w, const double *q, const double *qd, const double *tau,
        const arne_wrench *f_ext, double *qdd, arne_error *error),
       (robot, w, q, qd, tau, f_ext, qdd, error))
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !q || !qd || !tau || !qdd) return arne_fail_null(error);
    switch (way_forward(robot)) {
    case FORWARD_BY_BODIES: {
        w->by_handles = 0;
        forward_dynamics(robot, w, q, qd, tau, f_ext, qdd);
        const arne_status status = check_articulated(robot, w, NULL, error);
        if (status || is_finite(robot->v_count, qdd)) return status;
        break;
    }
    case FORWARD_BY_HANDLES:
        forward_dynamics(robot, w, q, qd, tau, f_ext, qdd);
        if (!looks_singular(robot, w->D, NULL)) return ARNE_OK;
        break;
    default:
        break;
    }
    const arne_status status =
        arne_forward_dynamics_matrix(robot, w, q, qd, tau, f_ext, qdd, error);
    w->by_handles = WRENCHES_ARE_LEFT;
    return status;
}

KERNEL(arne_status, arne_hybrid_dynamics,
       (const arne_robot *robot, arne_work *w, const double *q, const double *qd,
        const unsigned char *given, const arne_wrench *f_ext, double *tau, double *qdd,
        arne_error *error),
       (robot, w, q, qd, given, f_ext, tau, qdd, error))
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !q || !qd || !given || !tau || !qdd) return arne_fail_null(error);
    w->by_handles = 0;
    switch (hybrid_dynamics(robot, w, q, qd, given, f_ext, tau, qdd)) {
    case FORWARD_BY_BODIES: {
        const arne_status status = check_articulated(robot, w, given, error);
        if (status || (is_finite(robot->v_count, qdd) && is_finite(robot->v_count, tau)))
            return status;
        hybrid_by_matrix(robot, w, q, qd, given, f_ext, tau, qdd);
        break;
    }
    case FORWARD_BY_HANDLES:
        if (!looks_singular(robot, w->D, given)) return ARNE_OK;
        hybrid_by_matrix(robot, w, q, qd, given, f_ext, tau, qdd);
        break;
    default:
        break;
    }
    w->by_handles = WRENCHES_ARE_LEFT;
    return check_matrix(robot, w, error);
}

KERNEL(void, arne_forward_wrenches, (const arne_robot *robot, arne_work *w), (robot, w))
{
    WORK_FITS(robot, w);
    if (w->by_handles == WRENCHES_ARE_LEFT) return; // by inverse dynamics
    if (w->by_handles)
        shared_wrenches(robot, w);
    else if (!robot->shares_coordinates) // else inverse dynamics has left them
        wrenches_outward(robot, w);
}

KERNEL(arne_status, arne_forward_dynamics_matrix,
       (const arne_robot *robot, arne_work *w, const double *q, const double *qd, const double *tau,
        const arne_wrench *f_ext, double *qdd, arne_error *error),
       (robot, w, q, qd, tau, f_ext, qdd, error))
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !q || !qd || !tau || !qdd) return arne_fail_null(error);
    forward_by_matrix(robot, w, q, qd, tau, f_ext, qdd);
    const arne_status status = check_matrix(robot, w, error);
    if (status) return status;
    inverse_dynamics(robot, w, q, qd, qdd, f_ext, w->scratch);
    return ARNE_OK;
}
