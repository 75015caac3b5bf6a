// Inverse dynamics at the acceleration that makes the errors decay: what remains of the robot is a
// double integrator for every coordinate.
#include "simulate/controllers/controller.h"

#include "base/error.h"
#include <arne/dynamics.h>

static arne_status computed_torques(arne_controller *c, const arne_control_input *in, double *tau,
                                    arne_error *error)
{
    double *a = c->acceleration;
    controller_accelerations(c, in, a);
    if (c->base_v)
        return arne_base_acceleration(c->robot, c->work, in->q, in->qd, NULL, a, tau, error);
    arne_inverse_dynamics(c->robot, c->work, in->q, in->qd, a, NULL, tau);
    return ARNE_OK;
}

arne_status arne_controller_computed_torque(const arne_robot *robot, const double *kp,
                                            const double *kd, arne_controller **out,
                                            arne_error *error)
{
    static const controller_law law = {.name = "computed_torque", .torques = computed_torques};
    const arne_status           status = controller_with_gains(robot, &law, kp, kd, out, error);
    if (status || controller_is_direct(*out)) return status;
    arne_controller_free(*out);
    *out = NULL;
    return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                     "computed torque: robot '%s' has elastic joints or joints without a motor",
                     arne_robot_name(robot));
}
