// Control of robots that mix rigid and elastic joints: Hua et al. 2023, section IV.
//
// With A and C the coupled matrices, v_r and a_r a reference that leans towards the wanted motion
// by the slope gains, and s = v_r - v: the load side asks for A a_r + C v_r + g + K_D s of every
// joint, the motors keep their own motion in it. Since C v + g + friction is the bias, that is A
// a_r + C s + bias + K_D s, less what springs to motors hold.
#include "robot/joint.h"
#include "robot/kernel.h"
#include "robot/work.k.h"
#include "robot/work_layout.h"
#include <arne/motor.h>
#include <math.h>

static int mixed_control_joint_v(const arne_robot *r) { return r->v_count - r->theta_count; }

static double row_times(int n, const double *matrix, int row, const double *x)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += matrix[row * n + k] * x[k];
    return sum;
}

// How far the joints are from where they should be; the motors' entries are left alone.
static void joints_off(const arne_robot *r, const double *q, const double *wanted, double *off)
{
    for (int i = 0; i < r->joint_count; i++) {
        const arne_joint_info *j = &robot_joints(r)[i].info;
        if (j->v_count)
            joint_difference(j->kind, q + j->q_start, wanted + j->q_start, off + j->v_start);
    }
}

// What the spring and damper between a motor and its joint hold.
static double held(const arne_robot *r, const arne_motor_info *m, const double *q, const double *qd)
{
    const arne_joint_info *j = &robot_joints(r)[m->joint].info;
    return m->stiffness * (q[j->q_start] - q[m->q_index]) +
           m->damping * (qd[j->v_start] - qd[m->v_index]);
}

// out = A a + bias, less what springs to motors hold, and A's successor C in w->matrix.
static void known_part(const arne_robot *r, arne_work *w, const double *q, const double *qd,
                       const double *a, double *out)
{
    arne_bias(r, w, q, qd, NULL, out);
    arne_mass_matrix(r, w, q, w->matrix);
    for (int k = 0; k < r->v_count; k++)
        out[k] += row_times(r->v_count, w->matrix, k, a);
    for (int i = 0; i < r->motor_count; i++) {
        const arne_motor_info *m = &robot_motors(r)[i].info;
        if (m->v_index < 0) continue;
        const double torque = held(r, m, q, qd);
        out[robot_joints(r)[m->joint].info.v_start] -= torque;
        out[m->v_index] += torque;
    }
    arne_coriolis_matrix(r, w, q, qd, w->matrix);
}

KERNEL(void, arne_load_law,
       (const arne_robot *robot, arne_work *w, const arne_mixed_gains *gains,
        const arne_mixed_reference *reference, const double *q, const double *qd, const double *qdd,
        double *wanted, double *theta_d),
       (robot, w, gains, reference, q, qd, qdd, wanted, theta_d))
{
    WORK_FITS(robot, w);
    const int n = robot->v_count, own = mixed_control_joint_v(robot);
    double   *a = w->task, *s = a + n, *out = s + n;
    joints_off(robot, q, reference->q, s);
    for (int k = 0; k < own; k++) {
        const double lag = reference->qd[k] - qd[k], slope = gains->load_slope[k];
        a[k] = reference->qdd[k] + slope * lag;
        s[k] = lag + slope * s[k];
    }
    for (int k = own; k < n; k++) {
        a[k] = qdd ? qdd[k] : 0;
        s[k] = 0;
    }
    for (int i = 0; !qdd && reference->thetadd && i < robot->motor_count; i++) {
        const arne_motor_info *m = &robot_motors(robot)[i].info;
        if (m->v_index >= 0)
            a[m->v_index] = reference->thetadd[robot_joints(robot)[m->joint].info.v_start];
    }
    known_part(robot, w, q, qd, a, out);
    for (int k = 0; k < own; k++) {
        wanted[k] = out[k] + row_times(n, w->matrix, k, s) + gains->load_damping[k] * s[k];
        theta_d[k] = 0;
    }
    for (int j = 0; j < robot->joint_count; j++) {
        const arne_joint_info *info = &robot_joints(robot)[j].info;
        if (info->v_count == 1) theta_d[info->v_start] = q[info->q_start];
    }
    for (int i = 0; i < robot->motor_count; i++) {
        const arne_motor_info *m = &robot_motors(robot)[i].info;
        const int              k = robot_joints(robot)[m->joint].info.v_start;
        if (m->v_index >= 0) theta_d[k] += wanted[k] / m->stiffness;
    }
}

KERNEL(void, arne_motor_law,
       (const arne_robot *robot, arne_work *w, const arne_mixed_gains *gains,
        const arne_mixed_reference *reference, const double *q, const double *qd, const double *qdd,
        double *motor),
       (robot, w, gains, reference, q, qd, qdd, motor))
{
    WORK_FITS(robot, w);
    const int n = robot->v_count, own = mixed_control_joint_v(robot);
    double   *a = w->task, *s = a + n, *out = s + n;
    joints_off(robot, q, reference->q, s);
    for (int k = 0; k < own; k++)
        a[k] = qdd ? qdd[k] : reference->qdd[k];
    for (int i = 0; i < robot->motor_count; i++) {
        const arne_motor_info *m = &robot_motors(robot)[i].info;
        if (m->v_index < 0) continue;
        const int    k = robot_joints(robot)[m->joint].info.v_start;
        const double lag = reference->qd[k] - qd[k], slope = gains->motor_slope[k];
        const double lean = lag + gains->load_slope[k] * s[k]; // sigma of the load, and its rate
        const double lean_rate = reference->qdd[k] - a[k] + gains->load_slope[k] * lag;
        const double off = reference->theta[k] - q[m->q_index],
                     drift = reference->thetad[k] - qd[m->v_index];
        a[m->v_index] = reference->thetadd[k] + slope * drift + lean_rate;
        s[m->v_index] = drift + slope * off + lean;
    }
    known_part(robot, w, q, qd, a, out);
    for (int i = 0; i < robot->motor_count; i++) {
        const arne_motor_info *m = &robot_motors(robot)[i].info;
        const arne_joint_info *j = &robot_joints(robot)[m->joint].info;
        if (m->v_index < 0) continue;
        motor[j->v_start] = out[m->v_index] +
                            m->stiffness * (reference->theta[j->v_start] - q[j->q_start]) +
                            gains->motor_damping[j->v_start] * s[m->v_index];
    }
}
