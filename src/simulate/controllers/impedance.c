// A spring and damper between a frame and where the reference has it. Hogan 1985, without shaping
// the inertia: the arm's own is felt.
#include "simulate/controllers/controller.h"

#include "base/error.h"
#include "math/rotation.h"
#include <arne/dynamics.h>
#include <stdlib.h>

typedef struct impedance {
    int        frame;
    arne_work *ref; // the robot as the reference has it
    double     stiffness[6], damping[6];
} impedance;

static mat3 axes_of(arne_pose X) { return m3(lift(X.R.x), lift(X.R.y), lift(X.R.z)); }

// Of the spring and damper, on the frame, in the world's axes.
static void wrench_of(arne_controller *c, const arne_control_input *input, double *f)
{
    const impedance *own = c->own;
    const arne_pose  X = arne_frame_pose(c->robot, c->work, own->frame),
                    X_ref = arne_frame_pose(c->robot, own->ref, own->frame);
    const arne_motion v = arne_frame_velocity(c->robot, c->work, own->frame, ARNE_AXES_ALIGNED);
    arne_motion       v_ref = {{0, 0, 0}, {0, 0, 0}};
    if (input->qd_ref)
        v_ref = arne_frame_velocity(c->robot, own->ref, own->frame, ARNE_AXES_ALIGNED);
    const mat3 R = axes_of(X), R_ref = axes_of(X_ref);
    const vec3 part[4] = {rot_inv(R_ref, sub(lift(X_ref.p), lift(X.p))),
                          rotation_log(m3_mul(transpose(R), R_ref)),
                          rot_inv(R_ref, sub(lift(v_ref.lin), lift(v.lin))),
                          rot_inv(R_ref, sub(lift(v_ref.ang), lift(v.ang)))};
    for (int half = 0; half < 2; half++) {
        const vec3    e = part[half], de = part[2 + half];
        const double *k = own->stiffness + 3 * half, *d = own->damping + 3 * half;
        const vec3 world = rot(R_ref, v3(k[0] * vx(e) + d[0] * vx(de), k[1] * vy(e) + d[1] * vy(de),
                                         k[2] * vz(e) + d[2] * vz(de)));
        f[3 * half] = vx(world);
        f[3 * half + 1] = vy(world);
        f[3 * half + 2] = vz(world);
    }
}

static arne_status impedance_torques(arne_controller *c, const arne_control_input *input,
                                     double *tau, arne_error *error)
{
    const impedance *own = c->own;
    const int        n = c->size.v_count;
    double          *J = c->numbers, f[6];
    (void)error;
    arne_kinematics(c->robot, own->ref, input->q_ref, input->qd_ref, NULL);
    arne_kinematics(c->robot, c->work, input->q, input->qd, NULL);
    wrench_of(c, input, f);
    arne_jacobian(c->robot, c->work, input->q, own->frame, ARNE_AXES_ALIGNED, J);
    arne_bias(c->robot, c->work, input->q, input->qd, NULL, tau);
    for (int i = 0; i < n; i++) {
        tau[i] += c->kd[i] * ((input->qd_ref ? input->qd_ref[i] : 0) - input->qd[i]);
        for (int r = 0; r < 6; r++)
            tau[i] += J[r * n + i] * f[r];
    }
    return ARNE_OK;
}

static void impedance_release(arne_controller *c)
{
    impedance *own = c->own;
    if (own) arne_work_free(own->ref);
    free(own);
}

arne_status arne_controller_impedance(const arne_robot *robot, int frame, const double *stiffness,
                                      const double *damping, const double *kd,
                                      arne_controller **out, arne_error *error)
{
    static const controller_law law = {
        .name = "impedance", .torques = impedance_torques, .release = impedance_release};
    arne_error_clear(error);
    if (!robot || !stiffness || !damping || !out)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0,
                         "robot, stiffness, damping or out is NULL");
    const arne_sizes size = arne_robot_sizes(robot);
    if (frame < 0 || frame >= size.frame_count)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "there is no frame %d", frame);
    arne_controller *c;
    arne_status      status = controller_new(robot, &law, 6 * (size_t)size.v_count, &c, error);
    if (status) return status;
    impedance *own = c->own = calloc(1, sizeof *own);
    if (!own || arne_work_new(robot, &own->ref)) status = arne_fail_memory(error);
    if (!status) {
        own->frame = frame;
        status = controller_gains(own->stiffness, stiffness, 6, "stiffness", error);
    }
    if (!status) status = controller_gains(own->damping, damping, 6, "damping", error);
    if (!status) status = controller_gains(c->kd, kd, size.v_count, "kd", error);
    if (status)
        arne_controller_free(c);
    else
        *out = c;
    return status;
}
