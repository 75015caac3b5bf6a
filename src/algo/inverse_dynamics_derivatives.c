#include "algo/inverse_dynamics_derivatives.k.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"

KERNEL(void, arne_inverse_dynamics_derivatives,
       (const arne_robot *robot, arne_work *w, const double *q, const double *qd, const double *qdd,
        const arne_load *loads, int load_count, double *dq, double *dqd, double *dqdd),
       (robot, w, q, qd, qdd, loads, load_count, dq, dqd, dqdd))
{
    WORK_FITS(robot, w);
    inverse_dynamics_derivatives(robot, w, q, qd, qdd, loads, load_count, dq, dqd, dqdd);
}

KERNEL(void, arne_final_time_derivative,
       (const arne_robot *robot, int rows, const double *dqd, const double *dqdd, const double *qd,
        const double *qdd, double T, double *out),
       (robot, rows, dqd, dqdd, qd, qdd, T, out))
{
    const int n = robot->v_count;
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int k = 0; k < n; k++)
            sum += dqd[i * n + k] * qd[k] + 2 * dqdd[i * n + k] * qdd[k];
        out[i] = -sum / T;
    }
}
