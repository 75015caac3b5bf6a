#include "algo/factor.k.h"
#include "algo/forward_dynamics.k.h"
#include "algo/mass_matrix.k.h"
#include "algo/singular.h"
#include <arne/dynamics.h>

// D_k that look small are compared with the diagonal of the mass matrix; most robots never come to that.
static arne_status check_articulated(const arne_robot *robot, arne_work *w, arne_error *error)
{
    const int n = robot->v_count;
    double    largest = 0;
    int       suspicious = 0;
    for (int k = 0; k < n; k++)
        largest = w->D[k] > largest ? w->D[k] : largest;
    for (int k = 0; k < n; k++)
        suspicious |= !(w->D[k] > 1e-10 * largest);
    if (!suspicious) return ARNE_OK;
    common_frame(robot, w);
    common_axes(robot, w);
    common_inertias(robot, w);
    composite_inertias(robot, w);
    for (int k = n - 1; k >= 0; k--) {
        const dof   *d = robot_dofs(robot) + k;
        const double whole = power(w->S[k], momentum(w->I[d->body], w->S[k])) + d->rotor;
        if (!(w->D[k] > ARNE_SINGULAR_PART * whole)) return fail_singular(robot, k, error);
    }
    return ARNE_OK;
}

arne_status arne_forward_dynamics(const arne_robot *robot, arne_work *w, const double *q,
                                  const double *qd, const double *tau, const arne_wrench *f_ext,
                                  double *qdd, arne_error *error)
{
    if (!robot || !w || !q || !qd || !tau || !qdd) return fail_null(error);
    if (robot->has_mimic)
        return arne_forward_dynamics_matrix(robot, w, q, qd, tau, f_ext, qdd, error);
    tree_forward_dynamics(robot, w, q, qd, tau, f_ext, qdd);
    return check_articulated(robot, w, error);
}

void arne_forward_wrenches(const arne_robot *robot, arne_work *w)
{
    if (!robot->has_mimic) // else inverse dynamics has left them
        wrenches_outward(robot, w);
}

arne_status arne_forward_dynamics_matrix(const arne_robot *robot, arne_work *w, const double *q,
                                         const double *qd, const double *tau,
                                         const arne_wrench *f_ext, double *qdd, arne_error *error)
{
    if (!robot || !w || !q || !qd || !tau || !qdd) return fail_null(error);
    double *bias = w->scratch;
    mass_matrix(robot, w, q, w->matrix);
    const arne_status status = factor_checked(robot, w->matrix, error);
    if (status) return status;
    arne_bias(robot, w, q, qd, f_ext, bias);
    for (int k = 0; k < robot->v_count; k++)
        qdd[k] = tau[k] - bias[k];
    factor_solve(robot->v_count, robot_factor_parents(robot), w->matrix, qdd);
    inverse_dynamics(robot, w, q, qd, qdd, f_ext, bias);
    return ARNE_OK;
}
