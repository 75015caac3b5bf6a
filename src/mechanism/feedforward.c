// Feedforward of elastic joints: Buondonno and De Luca 2015.
//
// What a spring transmits is what inverse dynamics asks of its joint, t; so the motor stands at
// theta = q + t / K, and its velocity and acceleration come from the first two rates of t. Then all
// moves as known, and inverse dynamics gives the motors' torques. This needs t to be free of the
// motors' own motion.
#include "algo/inverse_dynamics.k.h"
#include "algo/singular.h"
#include "base/error.h"
#include "mechanism/jet_dynamics.h"
#include <arne/motor.h>
#include <stdlib.h>

struct arne_feedforward {
    const arne_robot *robot;
    arne_work        *work;
    void             *jet;
    double           *motion[5]; // of all coordinates
    double           *tau[3];
};

static arne_status check_joints(const arne_robot *r, arne_error *error)
{
    for (int i = 0; i < r->joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(r, i);
        if (!arne_joint_kind_facts(j.kind)->has_body_axes) continue;
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "feedforward is for joints whose coordinates are plain numbers, but joint "
                         "'%s' is %s",
                         j.name, arne_joint_kind_name(j.kind));
    }
    for (int i = 0; i < r->joint_spring_count; i++)
        if (robot_joint_springs(r)[i].passive)
            return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                             "joint '%s' has a spring but no motor: its motion cannot be chosen",
                             arne_robot_joint(r, robot_joint_springs(r)[i].joint).name);
    return ARNE_OK;
}

static int feedforward_is_elastic(const arne_robot *r, int joint)
{
    const int m = joint < 0 ? -1 : arne_joint_motor(r, joint);
    return m >= 0 && robot_motors(r)[m].info.v_index >= 0;
}

// The rotor of an elastic joint must not act on a joint that is elastic itself.
static arne_status feedforward_check_motor(const arne_robot *r, int index, arne_error *error)
{
    const motor_record   *record = robot_motors(r) + index;
    const arne_motor_info m = arne_robot_motor(r, index);
    if (m.v_index < 0) return ARNE_OK;
    if (m.damping > 0)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "motor '%s' has a damper beside its spring: where the motor must be then "
                         "depends on where it was",
                         m.name);
    const body *rotor = robot_bodies(r) + record->body;
    if (rotor->inertia.J.z.z == 0) return ARNE_OK; // nothing of it is felt by the link
    for (int i = rotor->parent; i > 0; i = robot_bodies(r)[i].parent)
        if (feedforward_is_elastic(r, robot_bodies(r)[i].joint))
            return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                             "the rotor of motor '%s' acts on joint '%s', which is elastic too: "
                             "four derivatives do not suffice (rotor: reflected neglects this)",
                             m.name, arne_robot_joint(r, robot_bodies(r)[i].joint).name);
    return ARNE_OK;
}

static arne_status feedforward_check(const arne_robot *r, arne_error *error)
{
    arne_status status = check_joints(r, error);
    for (int i = 0; !status && i < r->motor_count; i++)
        status = feedforward_check_motor(r, i, error);
    return status;
}

arne_status arne_feedforward_new(const arne_robot *robot, arne_feedforward **out, arne_error *error)
{
    if (out) *out = NULL;
    if (!robot || !out) return arne_fail_null(error);
    const arne_status status = feedforward_check(robot, error);
    if (status) return status;
    const size_t      n = ((size_t)robot->v_count + 7) / 8 * 8, head = 8 * n * sizeof(double);
    arne_feedforward *f = calloc(1, sizeof *f);
    const size_t      size = (head + jet_work_size(robot) + 63) / 64 * 64;
    double           *block = f ? aligned_alloc(64, size) : NULL;
    if (!block || arne_work_new(robot, &f->work)) {
        free(block);
        free(f);
        return arne_fail_memory(error);
    }
    f->robot = robot;
    for (int i = 0; i < 5; i++)
        f->motion[i] = block + (size_t)i * n;
    for (int i = 0; i < 3; i++)
        f->tau[i] = block + (size_t)(5 + i) * n;
    f->jet = jet_work_place(robot, (char *)block + head);
    *out = f;
    return ARNE_OK;
}

void arne_feedforward_free(arne_feedforward *f)
{
    if (!f) return;
    arne_work_free(f->work);
    free(f->motion[0]); // the whole block
    free(f);
}

void arne_feedforward_torques(arne_feedforward *f, const double *const joint[5],
                              const arne_wrench *f_ext, double *q, double *qd, double *qdd,
                              double *motor)
{
    const arne_robot *r = f->robot;
    const int         own = r->v_count - r->theta_count;
    double *const     full[3] = {q, qd, qdd};
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < own; k++)
            f->motion[i][k] = joint[i][k];
        for (int k = 0; k < r->motor_count; k++) { // at first with slack springs
            const arne_motor_info *m = &robot_motors(r)[k].info;
            if (m->v_index >= 0)
                f->motion[i][m->v_index] = joint[i][robot_joints(r)[m->joint].info.v_start];
        }
    }
    jet_inverse_dynamics(r, f->jet, (const double *const *)f->motion, f_ext, f->tau);
    for (int k = 0; k < r->motor_count; k++) {
        const arne_motor_info *m = &robot_motors(r)[k].info;
        for (int i = 0; m->v_index >= 0 && i < 3; i++)
            f->motion[i][m->v_index] +=
                f->tau[i][robot_joints(r)[m->joint].info.v_start] / m->stiffness;
    }
    arne_inverse_dynamics(r, f->work, f->motion[0], f->motion[1], f->motion[2], f_ext, f->tau[0]);
    arne_motor_gather(r, f->tau[0], motor);
    for (int i = 0; i < 3; i++)
        for (int k = 0; full[i] && k < r->v_count; k++)
            full[i][k] = f->motion[i][k];
}
