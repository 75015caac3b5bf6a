// The part of a controller that does not depend on its law: memory, limits, and how often they
// bind.
#include "simulate/controllers/controller.h"

#include "base/error.h"
#include "motion/drive_limits.h"
#include <arne/builder.h>
#include <arne/configuration.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// One block for all numbers: no controller has many.
static arne_status controller_take_memory(arne_controller *c, size_t numbers)
{
    const size_t v = (size_t)c->size.v_count;
    double      *block = calloc(8 * v + numbers + 1, sizeof *block);
    c->torque_hits = calloc(2 * v + 1, sizeof *c->torque_hits);
    c->place = calloc(v + 1, sizeof *c->place);
    c->torque = block;
    if (!block || !c->torque_hits || !c->place) return ARNE_NO_MEMORY;
    double **const part[] = {&c->torque, &c->torque_rate, &c->wanted, &c->before,
                             &c->kp,     &c->kd,          &c->error,  &c->acceleration};
    for (size_t i = 0; i < 8; i++)
        *part[i] = block + i * v;
    c->rate_hits = c->torque_hits + v;
    c->numbers = block + 8 * v;
    return arne_work_new(c->robot, &c->work);
}

static void leave_alone(arne_controller *c, const arne_joint_info *joint)
{
    for (int i = 0; i < joint->v_count; i++)
        c->place[joint->v_start + i] = -1;
}

// Laws that compute torques of the whole tree need all of them where loops tie the joints: only
// together do they move the mechanism as they mean.
static int spares_passive(const arne_controller *c)
{
    return !c->law->given && (c->size.loop_count == 0 || c->law->local);
}

static void find_places(arne_controller *c)
{
    for (int i = 0; i < c->size.v_count; i++)
        c->place[i] = i < c->base_v ? -1 : i;
    for (int i = 0; i < c->size.joint_count && spares_passive(c); i++) {
        const arne_joint_info joint = arne_robot_joint(c->robot, i);
        if (joint.passive) leave_alone(c, &joint);
    }
    for (int k = 0; k < c->size.spring_count; k++) {
        const arne_spring_info spring = arne_robot_spring(c->robot, k);
        const arne_joint_info  joint = arne_robot_joint(c->robot, spring.joint);
        if (spring.passive && !c->law->sprung) leave_alone(c, &joint);
    }
    for (int m = 0; m < c->size.motor_count; m++) {
        const arne_motor_info motor = arne_robot_motor(c->robot, m);
        if (motor.v_index >= 0)
            c->place[arne_robot_joint(c->robot, motor.joint).v_start] = motor.v_index;
    }
}

int controller_is_direct(const arne_controller *c)
{
    for (int m = 0; m < c->size.motor_count; m++)
        if (arne_robot_motor(c->robot, m).v_index >= 0) return 0;
    for (int k = 0; k < c->size.spring_count; k++)
        if (arne_robot_spring(c->robot, k).passive) return 0;
    return 1;
}

arne_status controller_new(const arne_robot *robot, const controller_law *law, size_t numbers,
                           arne_controller **out, arne_error *error)
{
    arne_error_clear(error);
    if (!out) return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "out is NULL");
    *out = NULL;
    if (!robot) return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "robot is NULL");
    arne_controller *c = calloc(1, sizeof *c);
    if (!c) return arne_fail_memory(error);
    c->law = law;
    c->number_count = numbers;
    c->robot = robot;
    c->size = arne_robot_sizes(robot);
    c->base_v = arne_robot_base(robot) == ARNE_BASE_FREE ? 6 : 0;
    if (controller_take_memory(c, numbers)) {
        arne_controller_free(c);
        return arne_fail_memory(error);
    }
    find_places(c);
    arne_drive_limits(c->robot, c->torque, c->torque_rate);
    arne_controller_reset(c);
    *out = c;
    return ARNE_OK;
}

void arne_controller_free(arne_controller *c)
{
    if (!c) return;
    if (c->law->release) c->law->release(c);
    arne_work_free(c->work);
    free(c->torque);
    free(c->torque_hits);
    free(c->place);
    free(c);
}

arne_status controller_gains(double *into, const double *gains, int count, const char *what,
                             arne_error *error)
{
    for (int i = 0; i < count; i++) {
        into[i] = gains ? gains[i] : 0;
        if (!(into[i] >= 0) || !isfinite(into[i]))
            return arne_fail(error, ARNE_VALUE, NULL, 0, "%s: %g at place %d is no gain", what,
                             into[i], i + 1);
    }
    return ARNE_OK;
}

arne_status controller_with_gains(const arne_robot *robot, const controller_law *law,
                                  const double *kp, const double *kd, arne_controller **out,
                                  arne_error *error)
{
    if (!robot || !out) return arne_fail_null(error);
    arne_controller *c;
    arne_status      status = controller_new(robot, law, 0, &c, error);
    if (status) return status;
    status = controller_gains(c->kp, kp, c->size.v_count, "kp", error);
    if (!status) status = controller_gains(c->kd, kd, c->size.v_count, "kd", error);
    if (status)
        arne_controller_free(c);
    else
        *out = c;
    return status;
}

void controller_errors(const arne_controller *c, const arne_control_input *in, double *rate)
{
    arne_difference(c->robot, in->q, in->q_ref, c->error);
    for (int i = 0; i < c->size.v_count; i++)
        rate[i] = (in->qd_ref ? in->qd_ref[i] : 0) - in->qd[i];
}

void controller_accelerations(const arne_controller *c, const arne_control_input *in, double *a)
{
    controller_errors(c, in, a);
    for (int i = 0; i < c->size.v_count; i++)
        a[i] = (in->qdd_ref ? in->qdd_ref[i] : 0) + c->kd[i] * a[i] + c->kp[i] * c->error[i];
}

void arne_controller_reset(arne_controller *c)
{
    c->started = 0;
    c->hits = (arne_control_hits){.first_torque = -1, .first_rate = -1};
    memset(c->torque_hits, 0, 2 * sizeof *c->torque_hits * (size_t)c->size.v_count);
}

arne_status arne_controller_set_limits(arne_controller *c, const arne_control_limits *limits,
                                       arne_error *error)
{
    arne_error_clear(error);
    if (!c || !limits) return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "c or limits is NULL");
    for (int i = 0; i < c->size.v_count; i++) {
        if (limits->torque && !(limits->torque[i] > 0))
            return arne_fail(error, ARNE_VALUE, NULL, 0, "torque limit %g at place %d", //
                             limits->torque[i], i + 1);
        if (limits->torque_rate && !(limits->torque_rate[i] > 0))
            return arne_fail(error, ARNE_VALUE, NULL, 0, "torque rate limit %g at place %d",
                             limits->torque_rate[i], i + 1);
    }
    arne_drive_limits(c->robot, c->torque, c->torque_rate);
    for (int i = 0; i < c->size.v_count; i++) {
        if (limits->torque) c->torque[i] = limits->torque[i];
        if (limits->torque_rate) c->torque_rate[i] = limits->torque_rate[i];
    }
    return ARNE_OK;
}

// A NaN passes all bounds; the integrator reports where it came from.
static int cut(double *value, double low, double high)
{
    if (*value < low)
        *value = low;
    else if (*value > high)
        *value = high;
    else
        return 0;
    return 1;
}

static void count_torque(arne_controller *c, int i, double t)
{
    c->torque_hits[i]++;
    if (c->hits.torque++) return;
    c->hits.first_torque = i;
    c->hits.first_torque_time = t;
}

static void count_rate(arne_controller *c, int i, double t)
{
    c->rate_hits[i]++;
    if (c->hits.torque_rate++) return;
    c->hits.first_rate = i;
    c->hits.first_rate_time = t;
}

// First to what the motor can do at all, then towards it as fast as it can.
static void keep_limits(arne_controller *c, double t, double *tau)
{
    const double dt = t - c->before_time;
    for (int i = 0; i < c->size.v_count; i++) {
        if (cut(&tau[i], -c->torque[i], c->torque[i])) count_torque(c, i, t);
        if (!c->started || !(dt >= 0) || isinf(c->torque_rate[i])) continue;
        const double step = c->torque_rate[i] * dt;
        if (cut(&tau[i], c->before[i] - step, c->before[i] + step)) count_rate(c, i, t);
    }
}

// Motors stand behind the joints: what goes to one of them is there when it is looked at itself.
static void move_to_motors(const arne_controller *c, double *tau)
{
    for (int i = 0; i < c->size.v_count; i++) {
        if (c->place[i] == i) continue;
        if (c->place[i] >= 0) tau[c->place[i]] += tau[i];
        tau[i] = 0;
    }
}

arne_status arne_control(arne_controller *c, const arne_control_input *input, double *tau,
                         arne_error *error)
{
    arne_error_clear(error);
    if (!c || !input || !tau)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "c, input or tau is NULL");
    const size_t      bytes = sizeof(double) * (size_t)c->size.v_count;
    const arne_status status = c->law->torques(c, input, c->wanted, error);
    if (status) {
        if (error && !error->code)
            arne_fail(error, status, NULL, 0, "controller %s: %s", c->law->name,
                      arne_status_text(status));
        return status;
    }
    move_to_motors(c, c->wanted);
    keep_limits(c, input->t, c->wanted);
    memcpy(c->before, c->wanted, bytes);
    memcpy(tau, c->wanted, bytes);
    c->before_time = input->t;
    c->started = 1;
    c->hits.samples++;
    return ARNE_OK;
}

arne_control_hits arne_controller_hits(const arne_controller *c) { return c->hits; }

long arne_controller_hits_of(const arne_controller *c, int entry, int rate)
{
    return rate ? c->rate_hits[entry] : c->torque_hits[entry];
}

arne_work *arne_controller_work(arne_controller *c) { return c->work; }

const char *arne_controller_name(const arne_controller *c) { return c->law->name; }
