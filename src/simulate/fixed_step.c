// Steps of given length: semi-implicit Euler (order 1), the classical Runge-Kutta method (order 4)
// and the Rosenbrock method ROS2 (order 2; Verwer, Spee, Blom, Hundsdorfer, SIAM J. Sci. Comput.
// 20, 1999).
#include "base/error.h"
#include "math/dense.h"
#include "simulate/integrator.h"
#include <string.h>

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

// 1 - 1/sqrt(2): stiff parts vanish within a step (L-stable).
static const double GAMMA = 0.29289321881345248;

// k = (1 - g J)^-1 k, with J = d(u, qd)' / d(u, qd) = [0 1; -M^-1 K, -M^-1 D] and
// W = M + g D + g^2 K in D. z is left as it is: J knows nothing of it.
static int rosenbrock_solve(arne_integrator *it, double g, double *k)
{
    const int n = it->nv;
    double   *slope = k + n, *right = it->within;
    for (int i = 0; i < n; i++) {
        right[i] = 0;
        for (int j = 0; j < n; j++)
            right[i] += it->M[i * n + j] * slope[j] - g * it->K[i * n + j] * k[j];
    }
    memcpy(it->room, it->D, (size_t)n * (size_t)n * sizeof *it->D);
    if (!dense_eliminate(n, it->room, 1, right, 0)) return 0;
    for (int i = 0; i < n; i++) {
        slope[i] = right[i];
        k[i] += g * slope[i];
    }
    return 1;
}

// (1 - g J) k_1 = f(y), (1 - g J) k_2 = f(y + h k_1) - 2 k_1, y_1 = y + h (3 k_1 + k_2)/2 with g =
// GAMMA h: of order 2 for whatever J, so that it may leave out what is not stiff.
arne_status rosenbrock_step(arne_integrator *it, double h, arne_error *error)
{
    const double g = GAMMA * h;
    double      *first = it->k[0], *second = it->k[1];
    arne_status  status = integrator_rate(it, it->time, NULL, it->q, it->qd, it->z, first, error);
    if (status == ARNE_OK)
        status = it->system.linear(it->system.context, it->time, it->q, it->qd, first + it->nv,
                                   it->K, it->D, it->M, error);
    if (status != ARNE_OK) return status;
    for (int i = 0; i < it->nv * it->nv; i++)
        it->D[i] = it->M[i] + g * (it->D[i] + g * it->K[i]);
    int solved = rosenbrock_solve(it, g, first);
    if (solved) status = integrator_stage_from(it, first, h, h, second, error);
    if (status != ARNE_OK) return status;
    for (int n = 0; n < it->tangent; n++)
        second[n] -= 2 * first[n];
    solved = solved && rosenbrock_solve(it, g, second);
    if (!solved)
        return arne_fail(error, ARNE_SINGULAR, NULL, 0,
                         "rosenbrock cannot solve for the step at t = %.9g s: take another one",
                         it->time);
    for (int n = 0; n < it->tangent; n++)
        it->sum[n] = h / 2 * (3 * first[n] + second[n]);
    integrator_move(it, it->sum);
    return integrator_accept(it, h, error);
}
