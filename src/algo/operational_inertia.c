// Lambda = (J M^-1 J^T)^-1: the inertia that a force on the frame meets (Khatib 1987).
#include "algo/jacobian.k.h"
#include "algo/mass_matrix.k.h"
#include "algo/singular.h"
#include "base/error.h"
#include "math/dense.h"
#include <arne/dynamics.h>

static void invert(const double L[36], double out[36])
{
    for (int k = 0; k < 6; k++) {
        double x[6] = {0};
        x[k] = 1;
        dense_solve(6, L, x);
        for (int i = 0; i < 6; i++)
            out[i * 6 + k] = x[i];
    }
}

arne_status arne_operational_inertia(const arne_robot *robot, arne_work *w, const double *q,
                                     int frame, arne_axes axes, double *Lambda, arne_error *error)
{
    if (!robot || !w || !q || !Lambda) return fail_null(error);
    const int n = robot->v_count;
    double   *J = w->task, *x = w->scratch;
    double    mobility[36];

    mass_matrix(robot, w, q, w->matrix);
    const arne_status status = factor_checked(robot, w->matrix, error);
    if (status) return status;
    jacobian(robot, w, q, frame, axes, J);
    for (int k = 0; k < 6; k++) {
        for (int i = 0; i < n; i++)
            x[i] = J[k * n + i];
        arne_solve(robot, w->matrix, x);
        for (int l = 0; l < 6; l++) {
            mobility[l * 6 + k] = 0;
            for (int i = 0; i < n; i++)
                mobility[l * 6 + k] += J[l * n + i] * x[i];
        }
    }
    if (!dense_factor(6, mobility, 1e-12))
        return arne_fail(error, ARNE_SINGULAR, NULL, 0,
                         "frame '%s' cannot move in all six directions here, so its operational "
                         "inertia does not exist",
                         arne_robot_frame(robot, frame).name);
    invert(mobility, Lambda);
    return ARNE_OK;
}
