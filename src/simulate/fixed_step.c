// Steps of given length: semi-implicit Euler (order 1) and the classical Runge-Kutta method (order 4).
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

static const tableau CLASSICAL = {
    .stages = 4,
    .c = {0, 0.5, 0.5, 1},
    .a = {{0}, {0.5}, {0, 0.5}, {0, 0, 1}},
    .b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6},
};

arne_status rk4_step(arne_integrator *it, double h, arne_error *error)
{
    for (int i = 0; i < CLASSICAL.stages; i++) {
        const arne_status status = integrator_stage(it, &CLASSICAL, i, h, error);
        if (status != ARNE_OK) return status;
    }
    for (int n = 0; n < it->tangent; n++)
        it->sum[n] = h * ((it->k[0][n] + it->k[3][n]) / 6 + (it->k[1][n] + it->k[2][n]) / 3);
    integrator_move(it, it->sum);
    return integrator_accept(it, h, error);
}
