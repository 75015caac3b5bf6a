// Steps of given length: semi-implicit Euler (order 1) and the classical Runge-Kutta method (order
// 4).
#include "simulate/integrator.h"
#include <stddef.h>

// qd_1 = qd + h qdd(q, qd), then q_1 = q (+) h qd_1.
arne_status euler_step(arne_integrator *it, double h, arne_error *error)
{
    const arne_status status =
        integrator_rate(it, it->time, NULL, it->q, it->qd, it->z, it->k[0], error);
    if (status != ARNE_OK) return status;
    for (int i = 0; i < it->tangent; i++)
        it->sum[i] = h * it->k[0][i];
    for (int i = 0; i < it->nv; i++)
        it->sum[i] = h * (it->qd[i] + it->sum[it->nv + i]);
    integrator_move(it, it->sum);
    return integrator_accept(it, h, error);
}

// Each stage starts from the rate of the one before, at 0, 1/2, 1/2 and 1 of the step.
arne_status rk4_step(arne_integrator *it, double h, arne_error *error)
{
    static const double PART[4] = {0, 0.5, 0.5, 1};
    arne_status status = integrator_rate(it, it->time, NULL, it->q, it->qd, it->z, it->k[0], error);
    for (int i = 1; i < 4 && status == ARNE_OK; i++)
        status = integrator_stage_from(it, it->k[i - 1], PART[i] * h, PART[i] * h, it->k[i], error);
    if (status != ARNE_OK) return status;
    for (int n = 0; n < it->tangent; n++)
        it->sum[n] = h / 6 * (it->k[0][n] + 2 * (it->k[1][n] + it->k[2][n]) + it->k[3][n]);
    integrator_move(it, it->sum);
    return integrator_accept(it, h, error);
}
