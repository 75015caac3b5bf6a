// drive: reference. Joints go exactly as the reference says, and torques are what that takes.
//
// What does not follow it reacts: a free base, and joints that a spring alone holds, such as the
// segments of a flexible link. With loops, the joints that follow determine all others.
#include "base/error.h"
#include "math/dense.h"
#include "mechanism/loop_work.h"
#include "simulate/plant.h"
#include <arne/integrate.h>
#include <string.h>

// ---- what it cannot go with

static int has_dry(const arne_robot *robot, int joint)
{
    const arne_joint_info j = arne_robot_joint(robot, joint);
    return j.coulomb_positive > 0 || j.coulomb_negative > 0;
}

static int is_loose(const arne_robot *robot, int index)
{
    return arne_robot_spring(robot, index).passive;
}

static arne_status reference_drive_refuse(arne_error *error, const char *what, const char *instead)
{
    return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "drive: reference is not available %s: %s",
                     what, instead);
}

arne_status reference_check(const arne_simulation_spec *sim, int swims, arne_error *error)
{
    const arne_sizes sizes = arne_robot_sizes(sim->robot);
    if (sim->drive != ARNE_DRIVE_REFERENCE) return ARNE_OK;
    if (sizes.theta_count)
        return reference_drive_refuse(
            error, "for elastic joints",
            "their motors must lead the joints; take a controller, such as mixed");
    if (sizes.loop_count && arne_robot_base(sim->robot) == ARNE_BASE_FREE)
        return reference_drive_refuse(error, "for loops on a free base",
                                      "take a controller, such as pd");
    for (int i = 0; i < sizes.spring_count && !sizes.loop_count; i++) {
        if (!is_loose(sim->robot, i)) continue;
        if (swims)
            return reference_drive_refuse(error,
                                          "for flexible links or joints on springs with added mass",
                                          "take a controller");
        if (sim->stiction != ARNE_STICTION_NONE &&
            has_dry(sim->robot, arne_robot_spring(sim->robot, i).joint))
            return reference_drive_refuse(error, "for joints on springs with Coulomb friction",
                                          "take friction: none, or a controller");
    }
    return ARNE_OK;
}

// ---- without loops

void reference_prepare(plant *p)
{
    memset(p->follows, 1, (size_t)p->sizes.v_count);
    memset(p->follows, 0, (size_t)p->base_v);
    for (int i = 0; i < p->sizes.spring_count; i++) {
        if (!is_loose(p->robot, i)) continue;
        p->follows[arne_robot_joint(p->robot, arne_robot_spring(p->robot, i).joint).v_start] = 0;
        p->loose_count++;
    }
}

void reference_put(const plant *p, double *q, double *qd)
{
    const size_t base_q = p->base_v ? 7 : 0, base_v = (size_t)p->base_v;
    if (!p->loose_count) {
        memcpy(q + base_q, p->q_ref + base_q, ((size_t)p->sizes.q_count - base_q) * sizeof *q);
        memcpy(qd + base_v, p->qd_ref + base_v, ((size_t)p->sizes.v_count - base_v) * sizeof *qd);
        return;
    }
    for (int j = 0; j < p->sizes.joint_count; j++) {
        const arne_joint_info i = arne_robot_joint(p->robot, j);
        if (!i.v_count || !p->follows[i.v_start]) continue;
        memcpy(q + i.q_start, p->q_ref + i.q_start, (size_t)i.q_count * sizeof *q);
        memcpy(qd + i.v_start, p->qd_ref + i.v_start, (size_t)i.v_count * sizeof *qd);
    }
}

static arne_status reference_drive_follow(plant *p, double time, const double *q, const double *qd,
                                          double *qdd, arne_error *error)
{
    const size_t nv = (size_t)p->sizes.v_count;
    plant_reference(p, time);
    memcpy(p->q, q, (size_t)p->sizes.q_count * sizeof *q);
    memcpy(p->qd, qd, nv * sizeof *qd);
    reference_put(p, p->q, p->qd);
    memcpy(qdd, p->qdd_ref, nv * sizeof *qdd);
    surroundings_act(p, time, p->q, p->qd);
    const arne_wrench *f = p->loads;
    if (p->water) return plant_swim(p, p->q, p->qd, p->base_v, p->tau, qdd, error);
    if (p->loose_count) {
        memset(p->tau, 0, nv * sizeof *p->tau);
        return arne_hybrid_dynamics(p->robot, p->work, p->q, p->qd, p->follows, f, p->tau, qdd,
                                    error);
    }
    if (p->base_v)
        return arne_base_acceleration(p->robot, p->work, p->q, p->qd, f, qdd, p->tau, error);
    arne_inverse_dynamics(p->robot, p->work, p->q, p->qd, qdd, f, p->tau);
    return ARNE_OK;
}

// ---- with loops

// Positions of the joints that are given, from one configuration into another.
static void put_active(const plant *p, const double *from, double *to)
{
    const unsigned char *given = p->sim->followed ? p->sim->followed : p->active;
    for (int j = 0; j < p->sizes.joint_count; j++) {
        const arne_joint_info info = arne_robot_joint(p->robot, j);
        if (info.q_count && given[info.v_start])
            memcpy(to + info.q_start, from + info.q_start, (size_t)info.q_count * sizeof *to);
    }
}

// The entries of x that are not given, so that J x = rhs, by least squares over them.
static int complete_vector(const plant *p, const unsigned char *given, const double *rhs, double *x)
{
    const int     rows = p->sizes.loop_row_count, nv = p->sizes.v_count;
    const double *J = p->loop->J;
    double       *b = p->loop->row;
    int           n = 0;
    for (int j = 0; j < nv; j++) {
        if (given[j]) continue;
        int m = 0;
        b[n] = 0;
        for (int i = 0; i < rows; i++) {
            double left = rhs[i];
            for (int k = 0; k < nv; k++)
                if (given[k]) left -= J[i * nv + k] * x[k];
            b[n] += J[i * nv + j] * left;
        }
        for (int k = 0; k < nv; k++) {
            if (given[k]) continue;
            double sum = 0;
            for (int i = 0; i < rows; i++)
                sum += J[i * nv + j] * J[i * nv + k];
            p->square[n * p->free_count + m++] = sum;
        }
        n++;
    }
    if (!dense_factor(n, p->square, 1e-14)) return 0;
    dense_solve(n, p->square, b);
    for (int j = 0, m = 0; j < nv; j++)
        if (!given[j]) x[j] = b[m++];
    return 1;
}

// Velocities and accelerations of what is not given, from those that are.
static arne_status complete_motion(plant *p, const unsigned char *given, double *qdd,
                                   arne_error *error)
{
    const int rows = p->sizes.loop_row_count;
    double   *rhs = p->loop->lambda;
    memset(rhs, 0, (size_t)rows * sizeof *rhs);
    loop_constraints(p->robot, p->work, p->loop, p->q, NULL, NULL);
    int fine = complete_vector(p, given, rhs, p->qd);
    loop_constraints(p->robot, p->work, p->loop, p->q, p->qd, NULL);
    for (int i = 0; i < rows; i++)
        rhs[i] = -p->loop->bias[i];
    fine = fine && complete_vector(p, given, rhs, qdd);
    return fine ? ARNE_OK
                : arne_fail(error, ARNE_LOOP_SINGULAR, NULL, 0,
                            "the joints that follow the reference do not determine the others");
}

static arne_status complete_jerk(plant *p, const double *qdd, double *qddd, arne_error *error)
{
    if (!p->sim->followed)
        return arne_loop_complete_jerk(p->robot, p->work, p->loop, p->q, p->qd, qdd, qddd, error);
    const int rows = p->sizes.loop_row_count;
    double   *rhs = p->loop->lambda;
    loop_complex_along(p->robot, p->loop->complex_work, p->q, p->qd, qdd, p->qd, qdd, NULL, NULL,
                       p->loop->drate);
    loop_constraints(p->robot, p->work, p->loop, p->q, NULL, NULL);
    for (int i = 0; i < rows; i++)
        rhs[i] = -p->loop->drate[i];
    return complete_vector(p, p->sim->followed, rhs, qddd)
               ? ARNE_OK
               : arne_fail(error, ARNE_LOOP_SINGULAR, NULL, 0,
                           "the joints that follow the reference do not determine the others");
}

// The same where loops tie the joints: the active ones go as the reference says, the others as they
// must.
static arne_status follow_loops(plant *p, double time, const double *q, double *qdd,
                                arne_error *error)
{
    const unsigned char        *given = p->sim->followed ? p->sim->followed : p->active;
    const arne_assembly_options near = {.restarts = -1, .fixed = given};
    plant_reference(p, time);
    memcpy(p->q, q, (size_t)p->sizes.q_count * sizeof *q);
    put_active(p, p->q_ref, p->q);
    arne_status status = arne_assemble(p->robot, p->work, p->loop, &near, p->q, NULL, error);
    memcpy(p->qd, p->qd_ref, (size_t)p->sizes.v_count * sizeof *qdd);
    memcpy(qdd, p->qdd_ref, (size_t)p->sizes.v_count * sizeof *qdd);
    if (!status)
        status = p->sim->followed
                     ? complete_motion(p, given, qdd, error)
                     : arne_loop_complete(p->robot, p->work, p->loop, p->q, p->qd, qdd, error);
    if (status) return status;
    surroundings_act(p, time, p->q, p->qd);
    const arne_wrench *f = p->loads;
    return arne_loop_inverse_dynamics(p->robot, p->work, p->loop, p->q, p->qd, qdd, f, NULL, p->tau,
                                      error);
}

// ---- both

arne_status reference_rate(plant *p, double time, const double *q, const double *qd, double *qdd,
                           arne_error *error)
{
    return p->loop ? follow_loops(p, time, q, qdd, error)
                   : reference_drive_follow(p, time, q, qd, qdd, error);
}

arne_status reference_project(void *context, double time, double *q, double *qd, arne_error *error)
{
    plant *p = context;
    if (p->loop) {
        arne_status status = follow_loops(p, time, q, p->given_qdd, error);
        memcpy(q, p->q, (size_t)p->sizes.q_count * sizeof *q);
        memcpy(qd, p->qd, (size_t)p->sizes.v_count * sizeof *qd);
        return status;
    }
    plant_reference(p, time);
    reference_put(p, q, qd);
    return ARNE_OK;
}

// The torques at a time nearby: what reacts goes on with its velocity and acceleration. An error of
// second order in the time is that of a third derivative in the rate.
static arne_status torques_near(plant *p, double time, double later, const double *q,
                                const double *qd, const double *qdd, double *room,
                                arne_error *error)
{
    const int nv = p->sizes.v_count;
    double   *step = room, *v = room + nv, *found = v + nv, *at = found + nv;
    for (int i = 0; i < nv; i++) {
        step[i] = later * (qd[i] + 0.5 * later * qdd[i]);
        v[i] = qd[i] + later * qdd[i];
    }
    arne_integrate(p->robot, q, step, at);
    plant_move_base(p, time + later);
    return reference_rate(p, time + later, at, v, found, error);
}

// Where other forces act or something reacts: one-sided differences of second order, forward at the
// start and backward after it, so that they stay within the run.
static arne_status difference_rates(plant *p, double time, const double *q, const double *qd,
                                    const double *qdd, double *rates, arne_error *error)
{
    const double NEAR = 1e-5, side = time < 2 * NEAR ? NEAR : -NEAR;
    const size_t nv = (size_t)p->sizes.v_count;
    double      *room = p->rate_room;
    for (size_t i = 0; i < nv; i++)
        rates[i] = -3 * p->tau[i];
    for (int k = 1; k <= 2; k++) {
        const arne_status status = torques_near(p, time, k * side, q, qd, qdd, room, error);
        if (status != ARNE_OK) return status;
        for (size_t i = 0; i < nv; i++)
            rates[i] += (k == 1 ? 4 : -1) * p->tau[i];
    }
    for (size_t i = 0; i < nv; i++)
        rates[i] /= 2 * side;
    return plant_rate(p, time, q, qd, NULL, room, NULL, error); // as it was
}

arne_status reference_torque_rate(plant *p, double time, const double *q, const double *qd,
                                  const double *qdd, double *rates, arne_error *error)
{
    if (p->base_v || p->loose_count || p->loads)
        return difference_rates(p, time, q, qd, qdd, rates, error);
    if (!p->loop) {
        arne_torque_rate(p->robot, p->work, p->q, p->qd, qdd, p->qddd_ref, NULL, 0, NULL, rates);
        return ARNE_OK;
    }
    const arne_status status = complete_jerk(p, qdd, p->qddd_ref, error);
    if (status != ARNE_OK) return status;
    return arne_loop_torque_rate(p->robot, p->work, p->loop, p->q, p->qd, qdd, p->qddd_ref, NULL, 0,
                                 NULL, NULL, rates, error);
}
