// Coulomb friction where a joint stands still.
//
// Forward dynamics has friction C sign(qd). A sliding joint keeps the sign of the direction it
// slides in until its velocity crosses zero, an event. There it is decided anew: a joint sticks
// (its acceleration is zero, by hybrid dynamics) while the friction that takes lies between
// -negative and positive; else it breaks loose that way. Where several joints stand still, the one
// that is furthest beyond its limit is let go, one at a time.
#include "base/error.h"
#include "math/real.h"
#include "robot/robot.h"
#include "simulate/plant.h"
#include <math.h>
#include <string.h>

static int is_term(const term *t, const friction_entry *e)
{
    return t->joint == e->joint && t->motor == e->motor;
}

// As the algorithms have it: with the sign, too, of what cancels.
static double speed(const arne_robot *r, const friction_entry *e, const double *qd)
{
    double v = e->ratio * qd[e->v], size = fabs(v);
    int    count = 0;
    for (int i = 0; i < r->term_count; i++) {
        const term *t = &robot_terms(r)[i];
        if (!is_term(t, e)) continue;
        v += t->ratio * qd[t->from_v];
        size += fabs(t->ratio * qd[t->from_v]);
        count++;
    }
    return count ? r_settled(v, size) : v;
}

static void stiction_apply(const arne_robot *r, const friction_entry *e, double torque, double *tau)
{
    tau[e->v] += e->ratio * torque;
    for (int i = 0; i < r->term_count; i++)
        if (is_term(&robot_terms(r)[i], e))
            tau[robot_terms(r)[i].from_v] += robot_terms(r)[i].ratio * torque;
}

int dry_at_several(const arne_robot *robot)
{
    friction_cursor at = {0};
    friction_entry  e;
    while (joint_friction_next(robot, &at, &e))
        for (int k = 0; (e.positive > 0 || e.negative > 0) && k < robot->term_count; k++)
            if (is_term(&robot_terms(robot)[k], &e)) return 1;
    return 0;
}

// Coulomb friction as forward dynamics has it.
static double coulomb(double positive, double negative, double v)
{
    return v > 0 ? positive : v < 0 ? -negative : 0;
}

static double smooth(const arne_simulation_spec *sim, double positive, double negative, double v)
{
    const double width = sim->stiction_velocity > 0 ? sim->stiction_velocity : 1e-3;
    return (v > 0 ? positive : negative) * tanh(v / width);
}

const double *dry_seen(const plant *p, const double *qd)
{
    if (!p->dry_count) return qd;
    memcpy(p->base_tau, qd, (size_t)p->sizes.v_count * sizeof *qd);
    for (int i = 0; i < p->dry_count; i++)
        if (p->dry[i].mode * qd[p->dry[i].v] < 0) p->base_tau[p->dry[i].v] = 0;
    return p->base_tau;
}

void dry_apply(const plant *p, const double *qd)
{
    for (int i = 0; i < p->dry_count; i++) {
        const dry_joint *d = &p->dry[i];
        if (d->mode)
            p->applied[d->v] += coulomb(d->positive, d->negative, qd[d->v]) -
                                coulomb(d->positive, d->negative, d->mode);
    }
    if (p->sim->stiction != ARNE_STICTION_SMOOTH) return;
    friction_cursor at = {0};
    friction_entry  e;
    while (joint_friction_next(p->robot, &at, &e)) {
        const double v = speed(p->robot, &e, qd);
        stiction_apply(p->robot, &e,
                       coulomb(e.positive, e.negative, v) -
                           smooth(p->sim, e.positive, e.negative, v),
                       p->applied);
    }
}

void dry_needed(plant *p)
{
    for (int i = 0; i < p->dry_count; i++) {
        dry_joint *d = &p->dry[i];
        // Hybrid dynamics has written the torque that standing still takes, friction aside.
        if (!d->mode) d->needed = p->tau[d->v] - p->applied[d->v];
    }
}

double friction_power(const plant *p, const double *qd)
{
    const arne_simulation_spec *sim = p->sim;
    double                      power = 0;
    friction_cursor             at = {0};
    friction_entry              e;
    while (p->robot->has_friction && joint_friction_next(p->robot, &at, &e)) {
        if (e.viscous == 0 && e.positive == 0 && e.negative == 0) continue;
        const double v = speed(p->robot, &e, qd);
        const double dry = sim->stiction == ARNE_STICTION_SMOOTH && sim->drive == ARNE_DRIVE_TORQUES
                               ? smooth(sim, e.positive, e.negative, v)
                               : coulomb(e.positive, e.negative, v);
        power += (e.viscous * v + dry) * v;
    }
    for (int i = 0; i < p->sizes.spring_count; i++) {
        const arne_spring_info on = arne_robot_spring(p->robot, i);
        at = (friction_cursor){.joint = on.joint};
        if (!joint_friction_next(p->robot, &at, &e)) continue;
        const double v = speed(p->robot, &e, qd);
        power -= arne_spring_torque(&on, on.rest, v) * v;
    }
    for (int i = 0; i < p->sizes.motor_count; i++) {
        const arne_motor_info motor = arne_robot_motor(p->robot, i);
        if (motor.v_index < 0) continue;
        const double v = qd[motor.v_index] - qd[arne_robot_joint(p->robot, motor.joint).v_start];
        power += motor.damping * v * v;
    }
    return power;
}

static void stick(plant *p, dry_joint *d, int sticks)
{
    p->stuck_count += sticks - p->stuck[d->v];
    p->stuck[d->v] = (unsigned char)sticks;
}

// The joint that sticks although it would take more friction than there is, or NULL.
static dry_joint *furthest_beyond(plant *p)
{
    dry_joint *found = NULL;
    double     furthest =
        -1e-12; // at the limit it is let go, or the event of reaching it would be lost
    for (int i = 0; i < p->dry_count; i++) {
        dry_joint   *d = &p->dry[i];
        const double scale = d->positive + d->negative;
        const double beyond = fmax(d->needed - d->positive, -d->needed - d->negative) / scale;
        if (d->mode || !(beyond > furthest)) continue;
        furthest = beyond;
        found = d;
    }
    return found;
}

arne_status dry_decide(plant *p, double time, const double *q, double *qd, arne_error *error)
{
    for (int i = 0; i < p->dry_count; i++) {
        dry_joint *d = &p->dry[i];
        const int  way = qd[d->v] > 0 ? 1 : qd[d->v] < 0 ? -1 : 0;
        const int  stops = d->mode ? way != d->mode : way == 0;
        if (!d->mode && way) d->mode = way; // at the start of a run
        if (!stops) continue;
        d->mode = 0;
        qd[d->v] = 0;
        stick(p, d, 1);
    }
    for (int tries = 0; p->stuck_count && tries <= p->dry_count; tries++) {
        const arne_status status = plant_rate(p, time, q, qd, NULL, p->given_qdd, NULL, error);
        if (status != ARNE_OK) return status;
        dry_joint *loose = furthest_beyond(p);
        if (!loose) break;
        loose->mode = loose->needed > 0 ? 1 : -1;
        stick(p, loose, 0);
    }
    return ARNE_OK;
}
