#include "algo/articulate_at.h"
#include "algo/factor_checked.h"
#include "algo/mass_matrix.k.h"
#include "algo/singular.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"
#include <arne/dynamics.h>

KERNEL(void, arne_mass_matrix, (const arne_robot *robot, arne_work *w, const double *q, double *M),
       (robot, w, q, M))
{
    WORK_FITS(robot, w);
    mass_matrix(robot, w, q, M);
}

KERNEL(arne_status, arne_factor, (const arne_robot *robot, double *M, arne_error *error),
       (robot, M, error))
{
    if (!robot || !M) return arne_fail_null(error);
    return factor_checked(robot, M, error);
}

KERNEL(void, arne_solve, (const arne_robot *robot, const double *L, double *x), (robot, L, x))
{
    factor_solve(robot->v_count, robot_factor_parents(robot), L, x);
}

KERNEL(arne_status, arne_inverse_mass_matrix,
       (const arne_robot *robot, arne_work *w, const double *q, double *Minv, arne_error *error),
       (robot, w, q, Minv, error))
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !q || !Minv) return arne_fail_null(error);
    if (!factors_pay(robot) && articulate_at(robot, w, q)) {
        articulated_columns(robot, w);
        articulated_invert(robot, w, Minv);
        return ARNE_OK;
    }
    mass_matrix(robot, w, q, w->matrix);
    const arne_status status = factor_checked(robot, w->matrix, error);
    if (!status) factor_invert(robot->v_count, robot_factor_parents(robot), w->matrix, Minv);
    return status;
}
