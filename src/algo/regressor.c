#include "algo/regressor.k.h"
#include "math/lower.h"
#include "robot/kernel.h"
#include "robot/work_layout.h"
#include <arne/identify.h>
#include <stdio.h>

KERNEL(int, arne_parameter_count, (const arne_robot *robot), (robot))
{
    return parameter_count(robot);
}

KERNEL(void, arne_regressor,
       (const arne_robot *robot, arne_work *w, const double *q, const double *qd, const double *qdd,
        double *Y),
       (robot, w, q, qd, qdd, Y))
{
    WORK_FITS(robot, w);
    regressor(robot, w, q, qd, qdd, PARAMETERS_OF_LINKS, Y);
}

// The body's inertia, as its link sees it.
static inertia link_inertia(const arne_robot *r, const joint_record *joint)
{
    const pose X = pose_lift(robot_frames(r)[joint->info.child].info.pose);
    return inertia_in(transpose(X.R), neg(into(&X, X.p)),
                      inertia_lift(&robot_bodies(r)[joint->body].inertia));
}

static void friction_parameters(const dof *d, double *out)
{
    out[0] = d->viscous;
    out[1] = d->coulomb + d->coulomb_skew;
    out[2] = d->coulomb - d->coulomb_skew;
}

static void motor_parameters(const arne_robot *r, const motor_record *motor, double *out)
{
    const body *rotor = &robot_bodies(r)[motor->body];
    const dof  *d = &robot_dofs(r)[rotor->v_start];
    for (int i = 0; i < MOTOR_PARAMETERS; i++)
        out[i] = 0;
    if (!motor->body) return; // all is the joint's
    out[0] =
        motor->info.reflected ? d->rotor / (rotor->pitch * rotor->pitch) : rotor->inertia.J.z.z;
    if (motor->own_side) friction_parameters(d, out + 1);
}

KERNEL(void, arne_parameters, (const arne_robot *robot, double *pi), (robot, pi))
{
    for (int j = 0; j < robot->joint_count; j++) {
        const joint_record *joint = &robot_joints(robot)[j];
        const dof          *d = &robot_dofs(robot)[robot_bodies(robot)[joint->body].v_start];
        const inertia       I = link_inertia(robot, joint);
        const mat3          J = sym_full(I.J);
        const double        link[LINK_PARAMETERS] = {I.m,     vx(I.h), vy(I.h), vz(I.h), vx(J.x),
                                                     vy(J.x), vy(J.y), vz(J.x), vz(J.y), vz(J.z)};
        double             *own = pi + LINK_PARAMETERS * j;
        for (int c = 0; c < LINK_PARAMETERS; c++)
            own[c] = link[c];
        friction_parameters(d, pi + friction_start(robot) + FRICTION_PARAMETERS * j);
        pi[rotor_start(robot) + j] = d->rotor;
    }
    for (int m = 0; m < robot->motor_count; m++)
        motor_parameters(robot, &robot_motors(robot)[m],
                         pi + motor_start(robot) + MOTOR_PARAMETERS * m);
}

KERNEL(int, arne_parameter_name, (const arne_robot *robot, int parameter, char *name, size_t size),
       (robot, parameter, name, size))
{
    static const char *const link[LINK_PARAMETERS] = {"m",   "mcx", "mcy", "mcz", "Ixx",
                                                      "Ixy", "Iyy", "Ixz", "Iyz", "Izz"};
    static const char *const lost[FRICTION_PARAMETERS] = {"viscous", "coulomb_positive",
                                                          "coulomb_negative"};
    const int                friction = parameter - friction_start(robot);
    if (friction < 0) {
        const int child = arne_robot_joint(robot, parameter / LINK_PARAMETERS).child;
        return snprintf(name, size, "%s.%s", arne_robot_frame(robot, child).name,
                        link[parameter % LINK_PARAMETERS]);
    }
    const int motor = parameter - motor_start(robot), rotor = parameter - rotor_start(robot);
    if (motor >= 0) {
        const int which = motor % MOTOR_PARAMETERS;
        return snprintf(name, size, "motor.%s.%s",
                        arne_robot_motor(robot, motor / MOTOR_PARAMETERS).name,
                        which ? lost[which - 1] : "inertia");
    }
    if (rotor >= 0)
        return snprintf(name, size, "%s.rotor_inertia", arne_robot_joint(robot, rotor).name);
    return snprintf(name, size, "%s.%s",
                    arne_robot_joint(robot, friction / FRICTION_PARAMETERS).name,
                    lost[friction % FRICTION_PARAMETERS]);
}
