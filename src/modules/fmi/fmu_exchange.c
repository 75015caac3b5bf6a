// Model exchange: the right-hand side of the simulation for a solver of the importer's.
//
// Continuous states are q and qd. Quaternions among them are seen with unit length, so that errors
// of the solver do no harm; their rates are at right angles to them.
#include "fmu.h"

#include <math.h>
#include <string.h>

int fmu_states(const fmu *f) { return f->model->sizes.q_count + f->model->sizes.v_count; }

// The time of the scenario.
static double exchange_time(const fmu *f) { return f->time - f->start; }

fmu_status fmu_check_count(const fmu *f, size_t count, int wanted)
{
    return count == (size_t)wanted ? FMU_OK
                                   : fmu_fail(f, "there are %d values, not %zu", wanted, count);
}

fmu_status fmu_set_time(fmu *f, double time)
{
    if (!isfinite(time)) return fmu_fail(f, "the time is not finite");
    f->time = time;
    f->stale = 1;
    return FMU_OK;
}

fmu_status fmu_get_states(const fmu *f, double *x, size_t count)
{
    const fmu_status status = fmu_check_count(f, count, fmu_states(f));
    if (!status) memcpy(x, f->x, count * sizeof *x);
    return status;
}

// Angles, lengths and their rates are of the order of one.
fmu_status fmu_nominals(const fmu *f, double *nominals, size_t count)
{
    const fmu_status status = fmu_check_count(f, count, fmu_states(f));
    for (size_t i = 0; i < count && !status; i++)
        nominals[i] = 1;
    return status;
}

fmu_status fmu_set_states(fmu *f, const double *x, size_t count)
{
    const fmu_status status = fmu_check_count(f, count, fmu_states(f));
    if (status) return status;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i]))
            return fmu_fail(f, "'%s' is not finite",
                            f->model->variables[f->model->first[FMU_OUTPUT] + (int)i].name);
    memcpy(f->x, x, count * sizeof *x);
    f->stale = 1;
    return FMU_OK;
}

// Torques of the importer act within the limits of the motors; how fast they change is not limited,
// since that would depend on the calls before.
static arne_status exchange_torques(fmu *f, const double *q, const double *qd, arne_error *error)
{
    const fmu_model *m = f->model;
    arne_simulation *s = f->sim;
    for (int i = 0; i < fmu_model_many(m, FMU_INPUT); i++)
        f->torques[m->input_at[i]] = f->values[m->first[FMU_INPUT] + i];
    s->plant.controller = s->given;
    s->plant.samples = 1;
    s->tau = f->torques;
    arne_controller_reset(s->given);
    const arne_status status = plant_control(&s->plant, exchange_time(f), q, qd, error);
    s->tau = NULL;
    return status;
}

arne_status fmu_prepare(fmu *f, arne_error *error)
{
    const fmu_model *m = f->model;
    plant           *p = &f->sim->plant;
    const int        nq = m->sizes.q_count;
    memcpy(f->room, f->x, (size_t)fmu_states(f) * sizeof *f->x);
    arne_normalize(p->robot, f->room);
    if (m->input_kind == FMU_INPUT_TORQUES)
        return exchange_torques(f, f->room, f->room + nq, error);
    for (int i = 0; i < fmu_model_many(m, FMU_INPUT); i++) {
        const int at = m->input_at[i];
        *(at < nq ? &p->q_ref[at] : &p->qd_ref[at - nq]) = f->values[m->first[FMU_INPUT] + i];
    }
    if (m->input_kind == FMU_INPUT_TARGETS) arne_normalize(p->robot, p->q_ref);
    return ARNE_OK;
}

fmu_status fmu_rates(fmu *f, double *rates)
{
    arne_error  error = {0};
    const int   nq = f->model->sizes.q_count;
    arne_status status = fmu_prepare(f, &error);
    if (!status)
        status = plant_rate(&f->sim->plant, exchange_time(f), f->room, f->room + nq, NULL,
                            rates + nq, NULL, &error);
    arne_coordinate_rate(f->sim->plant.robot, f->room, f->room + nq, rates);
    return fmu_pass(f, status, &error);
}

// How far each contact of the robot is above compliant ground or another link. Beyond the margin it
// does not matter.
static void exchange_gaps(plant *p, const double *q, const double *qd, double *gaps)
{
    static const double MARGIN = 0.1;
    if (!p->world || p->rigid) return;
    for (int i = 0; i < p->sizes.contact_count; i++)
        gaps[i] = MARGIN;
    arne_kinematics(p->robot, p->work, q, qd, NULL);
    arne_world_find(p->world, p->work, MARGIN);
    for (int i = 0; i < arne_world_touch_count(p->world); i++) {
        const arne_touch t = arne_world_touch(p->world, i);
        gaps[t.contact] = fmin(gaps[t.contact], t.gap);
        if (t.other >= 0) gaps[t.other] = fmin(gaps[t.other], t.gap);
    }
}

fmu_status fmu_indicators(fmu *f, double *values)
{
    arne_error        error = {0};
    const int         nq = f->model->sizes.q_count;
    const arne_status status = fmu_prepare(f, &error);
    if (!status) {
        plant *p = &f->sim->plant;
        plant_move_base(p, exchange_time(f));
        plant_events(p, exchange_time(f), f->room, f->room + nq, NULL, values);
        exchange_gaps(p, f->room, f->room + nq, values + plant_event_count(p));
    }
    return fmu_pass(f, status, &error);
}

arne_status fmu_exchange_row(fmu *f, arne_error *error)
{
    const arne_status status = fmu_prepare(f, error);
    return status ? status
                  : record_fill(&f->record, exchange_time(f), f->room,
                                f->room + f->model->sizes.q_count, 0, error);
}

// ---- events ----

static arne_status exchange_sample(fmu *f, arne_error *error)
{
    arne_simulation *s = f->sim;
    const double     period = s->spec.sample_time, now = exchange_time(f);
    if (!s->spec.controller || !(period > 0) || now < s->sample_due - 1e-9 * period) return ARNE_OK;
    const arne_status status =
        plant_control(&s->plant, now, f->room, f->room + f->model->sizes.q_count, error);
    s->samples = (long)floor(now / period + 1e-9) + 1;
    s->sample_due = (double)s->samples * period;
    return status;
}

// A joint beyond a limit where the scenario ends at limits.
static int exchange_ended(const fmu *f)
{
    const plant *p = &f->sim->plant;
    for (int i = 0; i < p->limited_count && p->sim->stop_at_limits == ARNE_LIMITS_STOP; i++) {
        const arne_joint_info info = arne_robot_joint(p->robot, p->limited[i]);
        if (f->x[info.q_start] <= info.lower || f->x[info.q_start] >= info.upper) return 1;
    }
    return 0;
}

// The importer may set any velocity: a joint that sticks does so no longer where it moves.
static void exchange_loosen(plant *p, const double *qd)
{
    for (int i = 0; i < p->dry_count; i++) {
        const int v = p->dry[i].v;
        if (!p->stuck[v] || qd[v] == 0) continue;
        p->stuck[v] = 0;
        p->stuck_count--;
    }
}

fmu_status fmu_update(fmu *f, fmu_event *event)
{
    arne_error       error = {0};
    arne_simulation *s = f->sim;
    const int        nq = f->model->sizes.q_count;
    const size_t     nv = (size_t)f->model->sizes.v_count;
    const double     now = exchange_time(f);
    memset(event, 0, sizeof *event);
    arne_status status = fmu_prepare(f, &error);
    if (!status) status = exchange_sample(f, &error);
    exchange_loosen(&s->plant, f->room + nq);
    if (!status && s->plant.dry_count)
        status = dry_decide(&s->plant, now, f->room, f->room + nq, &error);
    if (status) return fmu_pass(f, status, &error);
    event->states_changed = memcmp(f->x + nq, f->room + nq, nv * sizeof *f->x) != 0;
    memcpy(f->x + nq, f->room + nq, nv * sizeof *f->x);
    event->ended = exchange_ended(f);
    event->next = surroundings_change(&s->spec, now + 1e-9 * fmax(1, fabs(now)));
    if (s->spec.controller && s->spec.sample_time > 0)
        event->next = fmin(event->next, s->sample_due);
    event->has_next = isfinite(event->next);
    event->next += f->start;
    f->stale = 1;
    return FMU_OK;
}
