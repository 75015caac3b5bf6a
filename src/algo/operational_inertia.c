#include "algo/articulate_at.h"
#include "algo/factor_checked.h"
#include "algo/operational_inertia.k.h"
#include "algo/singular.h"
#include "base/error.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"
#include <arne/dynamics.h>

KERNEL(arne_status, arne_operational_inertia,
       (const arne_robot *robot, arne_work *w, const double *q, int frame, arne_axes axes,
        double *Lambda, arne_error *error),
       (robot, w, q, frame, axes, Lambda, error))
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !q || !Lambda) return arne_fail_null(error);
    double mobility[36];
    int    above[6];

    if (articulate_at(robot, w, q)) {
        frame_mobility(robot, w, frame, axes, mobility);
    } else {
        mass_matrix(robot, w, q, w->matrix);
        const arne_status status = factor_checked(robot, w->matrix, error);
        if (status) return status;
        factored_mobility(robot, w, q, frame, axes, mobility);
    }
    chain_of_six(above);
    if (singular_column(6, above, mobility, 1e-12, NULL) >= 0)
        return arne_fail(error, ARNE_SINGULAR, NULL, 0,
                         "frame '%s' cannot move in all six directions here, so its operational "
                         "inertia does not exist",
                         arne_robot_frame(robot, frame).name);
    invert_mobility(mobility, Lambda);
    return ARNE_OK;
}
