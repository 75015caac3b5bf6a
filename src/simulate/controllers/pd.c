// Proportional and derivative feedback, alone or with the weight carried. Of an elastic joint the
// motor is fed back.
#include "simulate/controllers/controller.h"

#include <arne/dynamics.h>

static void feedback(arne_controller *c, const arne_control_input *in, double *tau)
{
    double *rate = c->acceleration;
    controller_errors(c, in, rate);
    for (int i = 0; i < c->size.v_count; i++)
        tau[i] = c->place[i] == i ? c->kp[i] * c->error[i] + c->kd[i] * rate[i] : 0;
}

static arne_status pd_torques(arne_controller *c, const arne_control_input *in, double *tau,
                              arne_error *error)
{
    (void)error;
    feedback(c, in, tau);
    return ARNE_OK;
}

static arne_status pd_gravity_torques(arne_controller *c, const arne_control_input *in, double *tau,
                                      arne_error *error)
{
    (void)error;
    feedback(c, in, tau);
    arne_gravity(c->robot, c->work, in->q, c->error);
    for (int i = 0; i < c->size.v_count; i++)
        tau[i] += c->error[i];
    return ARNE_OK;
}

arne_status arne_controller_pd(const arne_robot *robot, const double *kp, const double *kd,
                               arne_controller **out, arne_error *error)
{
    static const controller_law law = {.name = "pd", .torques = pd_torques, .local = 1};
    return controller_with_gains(robot, &law, kp, kd, out, error);
}

arne_status arne_controller_pd_gravity(const arne_robot *robot, const double *kp, const double *kd,
                                       arne_controller **out, arne_error *error)
{
    static const controller_law law = {.name = "pd_gravity", .torques = pd_gravity_torques};
    return controller_with_gains(robot, &law, kp, kd, out, error);
}
