// Derivatives of direct dynamics: differentiating tau = ID(q, qd, FD(q, qd, tau)) gives
//     M dqdd/dq = -dtau/dq,   M dqdd/dqd = -dtau/dqd,   M dqdd/dtau = 1
// with the derivatives of inverse dynamics at the accelerations that direct dynamics finds.
#include "algo/factor.k.h"
#include "algo/inverse_dynamics_derivatives.k.h"
#include "algo/singular.h"

// The loads as forces on the bodies, in body axes.
static void body_forces(const arne_robot *r, const arne_load *loads, int load_count,
                        arne_wrench *f_ext)
{
    for (int i = 0; i < r->body_count; i++)
        f_ext[i] = (arne_wrench){{0, 0, 0}, {0, 0, 0}};
    for (int l = 0; l < load_count; l++)
        arne_add_wrench(r, loads[l].frame, &loads[l].wrench, f_ext);
}

static void negate(int count, double *x)
{
    for (int k = 0; k < count; k++)
        x[k] = -x[k];
}

arne_status arne_forward_dynamics_derivatives(const arne_robot *robot, arne_work *w,
                                              const double *q, const double *qd, const double *tau,
                                              const arne_load *loads, int load_count, double *qdd,
                                              double *dq, double *dqd, double *dtau,
                                              arne_error *error)
{
    if (!robot || !w || !q || !qd || !tau || (load_count && !loads)) return fail_null(error);
    const int    n = robot->v_count, *above = robot_factor_parents(robot);
    double      *a = w->acceleration, *M = w->matrix;
    arne_wrench *f_ext = (arne_wrench *)(void *)w->loads;
    if (load_count) body_forces(robot, loads, load_count, f_ext);
    arne_status status =
        arne_forward_dynamics(robot, w, q, qd, tau, load_count ? f_ext : NULL, a, error);
    if (status) return status;
    inverse_dynamics_derivatives(robot, w, q, qd, a, loads, load_count, dq, dqd, M);
    for (int k = 0; qdd && k < n; k++)
        qdd[k] = a[k];
    status = factor_checked(robot, M, error);
    if (status) return status;
    double *right[2] = {dq, dqd};
    for (int i = 0; i < 2; i++) {
        if (!right[i]) continue;
        negate(n * n, right[i]);
        factor_solve_rows(n, above, M, n, right[i]);
    }
    if (dtau) factor_invert(n, above, M, dtau);
    return ARNE_OK;
}
