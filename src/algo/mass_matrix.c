#include "algo/factor.k.h"
#include "algo/mass_matrix.k.h"
#include "algo/singular.h"
#include "robot/work_layout.h"
#include <arne/dynamics.h>

void arne_mass_matrix(const arne_robot *robot, arne_work *w, const double *q, double *M)
{
    WORK_FITS(robot, w);
    mass_matrix(robot, w, q, M);
}

arne_status arne_factor(const arne_robot *robot, double *M, arne_error *error)
{
    if (!robot || !M) return fail_null(error);
    return factor_checked(robot, M, error);
}

void arne_solve(const arne_robot *robot, const double *L, double *x)
{
    factor_solve(robot->v_count, robot_factor_parents(robot), L, x);
}

arne_status arne_inverse_mass_matrix(const arne_robot *robot, arne_work *w, const double *q,
                                     double *Minv, arne_error *error)
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !q || !Minv) return fail_null(error);
    mass_matrix(robot, w, q, w->matrix);
    const arne_status status = factor_checked(robot, w->matrix, error);
    if (!status) factor_invert(robot->v_count, robot_factor_parents(robot), w->matrix, Minv);
    return status;
}
