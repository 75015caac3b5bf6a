#include "algo/factor_checked.h"
#include "algo/forward_dynamics_ways.k.h"
#include "algo/singular.h"
#include "base/error.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"
#include <arne/dynamics.h>

// Whether some D_k are small beside others; a little sooner than factor_checked would doubt.
static int looks_singular(int n, const double *D, const unsigned char *given)
{
    double largest = 0;
    int    suspicious = 0;
    for (int k = 0; k < n; k++)
        largest = D[k] > largest ? D[k] : largest;
    for (int k = 0; k < n; k++)
        suspicious |= !(given && given[k]) && !(D[k] > 1e-9 * largest);
    return suspicious;
}

// Where D_k look small the factor of the mass matrix decides, as it does in all that solves with that matrix: one rule for both
// forms. Most robots never come to that.
static arne_status check_articulated(const arne_robot *robot, arne_work *w,
                                     const unsigned char *given, arne_error *error)
{
    const int n = robot->v_count;
    if (!looks_singular(n, w->D, given)) return ARNE_OK;
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

static arne_status check_matrix(const arne_robot *robot, const arne_work *w, arne_error *error)
{
    const int k =
        singular_column(robot->v_count, robot_factor_parents(robot), w->matrix, ARNE_SINGULAR_PART);
    return k < 0 ? ARNE_OK : fail_singular(robot, k, error);
}

// Where what is left to move by handles looks small, the matrix has the last word.
KERNEL(arne_status, arne_forward_dynamics,
       (const arne_robot *robot, arne_work *w, const double *q, const double *qd, const double *tau,
        const arne_wrench *f_ext, double *qdd, arne_error *error),
       (robot, w, q, qd, tau, f_ext, qdd, error))
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !q || !qd || !tau || !qdd) return fail_null(error);
    switch (way_forward(robot)) {
    case FORWARD_BY_BODIES:
        forward_dynamics(robot, w, q, qd, tau, f_ext, qdd);
        return check_articulated(robot, w, NULL, error);
    case FORWARD_BY_HANDLES:
        forward_dynamics(robot, w, q, qd, tau, f_ext, qdd);
        if (!looks_singular(robot->v_count, w->D, NULL)) return ARNE_OK;
        break;
    default:
        break;
    }
    return arne_forward_dynamics_matrix(robot, w, q, qd, tau, f_ext, qdd, error);
}

KERNEL(arne_status, arne_hybrid_dynamics,
       (const arne_robot *robot, arne_work *w, const double *q, const double *qd,
        const unsigned char *given, const arne_wrench *f_ext, double *tau, double *qdd,
        arne_error *error),
       (robot, w, q, qd, given, f_ext, tau, qdd, error))
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !q || !qd || !given || !tau || !qdd) return fail_null(error);
    switch (hybrid_dynamics(robot, w, q, qd, given, f_ext, tau, qdd)) {
    case FORWARD_BY_BODIES:
        return check_articulated(robot, w, given, error);
    case FORWARD_BY_HANDLES:
        if (!looks_singular(robot->v_count, w->D, given)) return ARNE_OK;
        hybrid_by_matrix(robot, w, q, qd, given, f_ext, tau, qdd);
        break;
    default:
        break;
    }
    return check_matrix(robot, w, error);
}

KERNEL(void, arne_forward_wrenches, (const arne_robot *robot, arne_work *w), (robot, w))
{
    WORK_FITS(robot, w);
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
    if (!robot || !w || !q || !qd || !tau || !qdd) return fail_null(error);
    forward_by_matrix(robot, w, q, qd, tau, f_ext, qdd);
    const arne_status status = check_matrix(robot, w, error);
    if (status) return status;
    inverse_dynamics(robot, w, q, qd, qdd, f_ext, w->scratch);
    return ARNE_OK;
}
