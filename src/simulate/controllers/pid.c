// Proportional, integral and derivative feedback: tau = kp e + I + kd de/dt, dI/dt = ki e, summed
// up from sample to sample. The integral does not wind up: where the torque is at its limit, an
// error that would drive it further is not added, and |I| is at most the limit.
#include "simulate/controllers/controller.h"

#include "base/error.h"
#include <math.h>

static arne_status pid_torques(arne_controller *c, const arne_control_input *in, double *tau,
                               arne_error *error)
{
    const int     n = c->size.v_count;
    const double  dt = c->started ? in->t - c->before_time : 0;
    const double *ki = c->numbers;
    double       *sum = c->numbers + n, *rate = c->acceleration;
    (void)error;
    controller_errors(c, in, rate);
    for (int i = 0; i < n; i++) {
        const double limit = c->torque[i], step = ki[i] * c->error[i] * dt;
        if (!c->started) sum[i] = 0;
        const double whole = c->kp[i] * c->error[i] + sum[i] + step + c->kd[i] * rate[i];
        if (!(fabs(whole) > limit && whole * step > 0)) sum[i] += step;
        sum[i] = fmin(fmax(sum[i], -limit), limit);
        tau[i] = c->place[i] == i ? c->kp[i] * c->error[i] + sum[i] + c->kd[i] * rate[i] : 0;
    }
    return ARNE_OK;
}

arne_status arne_controller_pid(const arne_robot *robot, const double *kp, const double *ki,
                                const double *kd, arne_controller **out, arne_error *error)
{
    static const controller_law law = {
        .name = "pid", .torques = pid_torques, .remembers = 1, .local = 1};
    if (!robot || !out) return arne_fail_null(error);
    arne_controller *c;
    const int        n = arne_robot_sizes(robot).v_count;
    arne_status      status = controller_new(robot, &law, 2 * (size_t)n, &c, error);
    if (status) return status;
    status = controller_gains(c->kp, kp, n, "kp", error);
    if (!status) status = controller_gains(c->numbers, ki, n, "ki", error);
    if (!status) status = controller_gains(c->kd, kd, n, "kd", error);
    if (status)
        arne_controller_free(c);
    else
        *out = c;
    return status;
}
