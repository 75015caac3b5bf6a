// A simulation on its way: plant, integrator, and the samples of the controller.
//
// Time runs from one point to the next at which something is due: a sample of the controller, an
// event (a joint stops, breaks loose, or reaches a limit), the end of the step.
#include "simulate/simulation.h"

#include "base/error.h"
#include "base/plain.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// The state at the start: as given (without velocities: at rest), or of the reference, or neutral
// and at rest.
static void simulation_start_state(arne_simulation *s, const double *given_q,
                                   const double *given_qd)
{
    plant       *p = &s->plant;
    const size_t nq = (size_t)p->sizes.q_count, nv = (size_t)p->sizes.v_count;
    const int    follows = s->spec.drive == ARNE_DRIVE_REFERENCE;
    memset(s->q, 0, (nq + nv) * sizeof *s->q);
    plant_reference(p, 0);
    memcpy(s->q, given_q ? given_q : p->q_ref, nq * sizeof *s->q); // neutral without a reference
    if (given_qd)
        memcpy(s->qd, given_qd, nv * sizeof *s->qd);
    else if (!given_q)
        memcpy(s->qd, p->qd_ref, nv * sizeof *s->qd);
    if (follows && p->loop) { // from there loops are closed
        memcpy(s->q, p->q_ref, nq * sizeof *s->q);
        memcpy(s->qd, p->qd_ref, nv * sizeof *s->qd);
    } else if (follows) {
        reference_put(p, s->q, s->qd);
    }
    if (!s->spec.reference) memcpy(p->q_ref, s->q, nq * sizeof *s->q); // what a controller holds
}

// Loops must be closed at the start; what rounding leaves is taken away, and velocities are made to
// agree.
static arne_status simulation_close_start(arne_simulation *s, arne_error *error)
{
    plant *p = &s->plant;
    if (!p->loop) return ARNE_OK;
    if (s->spec.drive == ARNE_DRIVE_REFERENCE) {
        const arne_system system = plant_system(p);
        return system.project(p, 0, s->q, s->qd, error);
    }
    const double open = arne_loop_closure(p->robot, p->work, p->loop, s->q, NULL);
    if (!(open <= ARNE_LOOP_CLOSED))
        return arne_fail(error, ARNE_LOOP_OPEN, NULL, 0,
                         "the initial state is not assembled: its loops are open by %.3g", open);
    return arne_loop_project(p->robot, p->work, p->loop, s->q, s->qd, error);
}

static arne_status simulation_restart(arne_simulation *s, arne_error *error)
{
    arne_integrator *it = s->it;
    return arne_integrator_start(it, arne_integrator_time(it), arne_integrator_q(it),
                                 arne_integrator_qd(it), arne_integrator_z(it), error);
}

// Lets friction decide anew who sticks.
arne_status simulation_decide(arne_simulation *s, arne_error *error)
{
    arne_integrator *it = s->it;
    if (!s->plant.dry_count || s->spec.drive == ARNE_DRIVE_REFERENCE)
        return simulation_restart(s, error);
    memcpy(s->qd, arne_integrator_qd(it), (size_t)s->plant.sizes.v_count * sizeof *s->qd);
    const arne_status status =
        dry_decide(&s->plant, arne_integrator_time(it), arne_integrator_q(it), s->qd, error);
    if (status != ARNE_OK) return status;
    return arne_integrator_start(it, arne_integrator_time(it), arne_integrator_q(it), s->qd,
                                 arne_integrator_z(it), error);
}

arne_status simulation_start(arne_simulation *s, const double *q, const double *qd,
                             arne_error *error)
{
    const double zero = 0;
    simulation_start_state(s, q, qd);
    arne_status status = simulation_close_start(s, error);
    if (!status) status = arne_integrator_start(s->it, 0, s->q, s->qd, &zero, error);
    if (s->spec.controller) arne_controller_reset(s->spec.controller);
    return status ? status : simulation_decide(s, error);
}

arne_status simulation_make(arne_simulation *s, arne_error *error)
{
    arne_status status = plant_new(&s->spec, &s->plant, error);
    if (status != ARNE_OK) return status;
    const arne_system system = plant_system(&s->plant);
    status = arne_integrator_new(&system, &s->spec.integrator, &s->it, error);
    if (status != ARNE_OK) return status;
    const arne_sizes n = s->plant.sizes;
    s->q = calloc((size_t)(n.q_count + n.v_count) + 1, sizeof *s->q);
    if (!s->q) return arne_fail_memory(error);
    s->qd = s->q + n.q_count;
    return ARNE_OK;
}

void simulation_end(arne_simulation *s)
{
    arne_integrator_free(s->it);
    plant_free(&s->plant);
    free(s->q);
}

// ---- on through time ----

arne_status simulation_control(arne_simulation *s, arne_error *error)
{
    arne_integrator  *it = s->it;
    const arne_status status = plant_control(&s->plant, arne_integrator_time(it),
                                             arne_integrator_q(it), arne_integrator_qd(it), error);
    return status == ARNE_OK ? simulation_decide(s, error) : status;
}

// Between samples of the controller; 0: there are none.
static double simulation_period(const arne_simulation *s)
{
    if (s->spec.drive != ARNE_DRIVE_TORQUES || s->plant.controller != s->spec.controller) return 0;
    return s->spec.sample_time;
}

arne_status simulation_sample(arne_simulation *s, arne_error *error)
{
    const double period = simulation_period(s);
    if (!(period > 0 && arne_integrator_time(s->it) >= s->sample_due)) return ARNE_OK;
    const arne_status status = simulation_control(s, error);
    s->sample_due = (double)++s->samples * period;
    return status;
}

// The first time of each limit is kept.
static void simulation_keep_event(arne_simulation *s, int joint, int upper, double time)
{
    for (long i = 0; i < s->limit_event_count; i++)
        if (s->limit_events[i].joint == joint && s->limit_events[i].upper == upper) return;
    if (s->limit_event_count == ARNE_LIMIT_EVENTS) return;
    s->limit_events[s->limit_event_count++] = (arne_limit_event){joint, upper, time};
}

// A joint is at a limit, or beyond.
static void simulation_note_limit(arne_simulation *s, int event)
{
    const arne_joint_info info = arne_robot_joint(s->plant.robot, s->plant.limited[event]);
    const double          q = arne_integrator_q(s->it)[info.q_start];
    if (q > info.lower && q < info.upper) return; // on its way back
    const int    upper = q >= info.upper;
    const double time = arne_integrator_time(s->it);
    s->limits_hit++;
    simulation_keep_event(s, s->plant.limited[event], upper, time);
    if (s->spec.stop_at_limits != ARNE_LIMITS_STOP) return;
    plain_print(
        s->why, sizeof s->why,
        "joint '%.80s' reached its %s limit %.6g %s at t = %.9g s: the simulation ends there "
        "(limits: stop)",
        info.name, upper ? "upper" : "lower", upper ? info.upper : info.lower,
        arne_joint_unit(&info, 0, 0), time);
    s->ended = 1;
}

void simulation_stop(arne_simulation *s)
{
    plain_print(s->why, sizeof s->why, "stopped at t = %.9g s", arne_integrator_time(s->it));
    s->ended = s->stopped = 1;
}

// Until the next sample, the next jump of a force, or the end; two that are due at the same time,
// but for rounding, are one.
static double simulation_next_point(arne_simulation *s, double end)
{
    const double period = simulation_period(s), now = arne_integrator_time(s->it);
    const double slack = 1e-9 * (end - now), jump = surroundings_change(&s->spec, now + slack);
    const double until = jump < end - slack ? jump : end;
    if (!(period > 0 && s->sample_due <= until + 1e-9 * period)) return until;
    if (fabs(s->sample_due - until) > 1e-9 * period) return s->sample_due;
    s->sample_due = until;
    return until;
}

arne_status simulation_go(arne_simulation *s, double until, arne_error *error)
{
    while (!s->ended && arne_integrator_time(s->it) < until) {
        int         event = -1;
        arne_status status = simulation_sample(s, error);
        if (status != ARNE_OK) return status;
        status = arne_integrator_advance(s->it, simulation_next_point(s, until), &event, error);
        if (status == ARNE_STOPPED) simulation_stop(s);
        if (status != ARNE_OK) return status == ARNE_STOPPED ? ARNE_OK : status;
        if (event >= 0 && event < s->plant.limited_count)
            simulation_note_limit(s, event);
        else if (event >= 0)
            status = simulation_decide(s, error);
        if (status != ARNE_OK) return status;
        if (s->spec.stop && s->spec.stop(s->spec.stop_context)) simulation_stop(s);
    }
    return ARNE_OK;
}

void simulation_summarise(const arne_simulation *s, arne_simulation_summary *out)
{
    const arne_controller *c = s->spec.controller;
    out->limits_hit = s->limits_hit;
    if (c) out->limits_hit += arne_controller_hits(c).torque + arne_controller_hits(c).torque_rate;
    out->limit_event_count = s->limit_event_count;
    memcpy(out->limit_events, s->limit_events, sizeof out->limit_events);
    out->closure_error = s->plant.closure;
    if (s->plant.rigid) rigid_summary(&s->plant, out);
    if (!s->it) return;
    out->steps = arne_integrator_statistics(s->it).steps;
    out->rates = arne_integrator_statistics(s->it).rates;
    out->time = arne_integrator_time(s->it);
}

// ---- all that decides how it goes on ----

static void simulation_walk_events(arne_simulation *s, checkpoint *c)
{
    checkpoint_long(c, &s->limits_hit);
    checkpoint_long(c, &s->limit_event_count);
    if (s->limit_event_count < 0 || s->limit_event_count > ARNE_LIMIT_EVENTS) {
        c->bad = 1;
        s->limit_event_count = 0;
    }
    for (int i = 0; i < ARNE_LIMIT_EVENTS; i++) {
        arne_limit_event *e = &s->limit_events[i];
        checkpoint_int(c, &e->joint);
        checkpoint_int(c, &e->upper);
        checkpoint_numbers(c, &e->time, 1);
        if (i < s->limit_event_count && (e->joint < 0 || e->joint >= s->plant.sizes.joint_count))
            c->bad = 1;
    }
}

void simulation_walk(arne_simulation *s, checkpoint *c)
{
    checkpoint_integrator(c, s->it);
    checkpoint_plant(c, &s->plant);
    checkpoint_controller(c, s->spec.controller);
    checkpoint_numbers(c, &s->sample_due, 1);
    checkpoint_long(c, &s->samples);
    simulation_walk_events(s, c);
}

arne_status simulation_resume(arne_simulation *s, arne_error *error)
{
    return s->spec.integrator.method >= ARNE_METHOD_CVODE ? simulation_restart(s, error) : ARNE_OK;
}
