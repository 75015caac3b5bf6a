#include "testing.h"

#include "rk4.h"

static void rates(const flight *f, double t, const double *q, const double *qd, double *q_rate,
                  double *qd_rate)
{
    double tau[MAX_V] = {0};
    if (f->drive) f->drive(t, q, qd, tau, f->context);
    arne_coordinate_rate(f->robot, q, qd, q_rate);
    assert_ok(arne_forward_dynamics(f->robot, f->work, q, qd, tau, NULL, qd_rate, NULL));
}

static void step(const flight *f, double t, double dt, double *q, double *qd)
{
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    const arne_sizes    size = arne_robot_sizes(f->robot);
    double              x[MAX_Q], v[MAX_V], dq[MAX_Q] = {0}, dv[MAX_V] = {0};
    double              q_sum[MAX_Q] = {0}, v_sum[MAX_V] = {0};
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < size.q_count; i++)
            x[i] = q[i] + at[stage] * dt * dq[i];
        for (int i = 0; i < size.v_count; i++)
            v[i] = qd[i] + at[stage] * dt * dv[i];
        rates(f, t + at[stage] * dt, x, v, dq, dv);
        for (int i = 0; i < size.q_count; i++)
            q_sum[i] += weight[stage] / 6 * dq[i];
        for (int i = 0; i < size.v_count; i++)
            v_sum[i] += weight[stage] / 6 * dv[i];
    }
    for (int i = 0; i < size.q_count; i++)
        q[i] += dt * q_sum[i];
    for (int i = 0; i < size.v_count; i++)
        qd[i] += dt * v_sum[i];
    arne_normalize(f->robot, q);
}

void fly(const flight *f, double t, double dt, int steps, double *q, double *qd)
{
    for (int i = 0; i < steps; i++)
        step(f, t + i * dt, dt, q, qd);
}
