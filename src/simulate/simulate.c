// The loop that joins controller, integrator and record.
//
// Time runs from one point to the next at which something is due: a sample of the controller, a row
// of the result, an event (a joint stops, breaks loose, or reaches a limit), the end.
#include <arne/simulate.h>

#include "base/error.h"
#include "base/plain.h"
#include "simulate/checkpoint.h"
#include "simulate/plant.h"
#include "simulate/result_rows.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct run {
    const arne_simulation   *sim;
    plant                    plant;
    record                   record;
    arne_integrator         *it;
    double                  *qd;  // room for velocities that are changed
    double                   end; // of the run, and when the next row and the next sample are due
    double                   row_due, sample_due;
    long                     rows, samples;
    int                      ended;
    double                   seconds; // that earlier parts of it took
    struct timespec          started;
    arne_simulation_summary *summary;
} run;

static arne_status simulate_refuse(arne_error *error, const char *what, double value)
{
    return arne_fail(error, ARNE_VALUE, NULL, 0, "%s must be positive, not %g", what, value);
}

// Times that are too short to be seen beside the duration never add up to it. Zero: not given.
static arne_status simulate_check_times(const arne_simulation *sim, arne_error *error)
{
    const struct {
        const char *name;
        double      value;
    } times[] = {{"the time between rows", sim->record_every},
                 {"the sample time", sim->sample_time},
                 {"the step", sim->integrator.step},
                 {"the longest step (max_step)", sim->integrator.max_step}};
    if (!(sim->duration > 0) || !isfinite(sim->duration))
        return simulate_refuse(error, "the duration", sim->duration);
    if (sim->duration < 1e-250)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "the duration of %g s is too short for steps",
                         sim->duration);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        if (i < 2 && !(times[i].value >= 0))
            return simulate_refuse(error, times[i].name, times[i].value);
        if (times[i].value > 0 && !(sim->duration + times[i].value > sim->duration))
            return arne_fail(error, ARNE_VALUE, NULL, 0,
                             "%s of %g s is too short to advance time over %g s", times[i].name,
                             times[i].value, sim->duration);
    }
    return ARNE_OK;
}

arne_status simulation_check(const arne_simulation *sim, arne_error *error)
{
    const arne_status timely = simulate_check_times(sim, error);
    if (timely) return timely;
    if (sim->drive == ARNE_DRIVE_REFERENCE && !sim->reference)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "there is no reference to drive the joints");
    if (sim->base && arne_robot_base(sim->robot) != ARNE_BASE_PRESCRIBED)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "a motion of the base is given, but the base is not prescribed");
    const int loops = arne_robot_sizes(sim->robot).loop_count;
    if (sim->stiction == ARNE_STICTION_STICK &&
        (sim->integrator.method >= ARNE_METHOD_CVODE || loops) &&
        sim->drive == ARNE_DRIVE_TORQUES && dry_collect(sim->robot, NULL) > 0)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "%s cannot have joints that stick and slip: take smooth friction",
                         loops ? "robots with loops" : arne_method_name(sim->integrator.method));
    if (sim->stiction == ARNE_STICTION_STICK && sim->drive == ARNE_DRIVE_TORQUES &&
        dry_at_several(sim->robot))
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "joints and motors that are coupled with several joints cannot stick and "
                         "slip: take smooth friction");
    const int curved = friction_by_function(sim->robot);
    if (curved >= 0)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "joint '%s' follows by a function and has friction, which simulations do "
                         "not have: put the friction on the joint that it follows",
                         arne_robot_joint(sim->robot, curved).name);
    const arne_status status = rigid_check(sim, error);
    return status == ARNE_OK ? surroundings_check(sim, error) : status;
}

// The state at the start: as given (without velocities: at rest), or of the reference, or neutral
// and at rest.
static void begin_state(run *r, double *q, double *qd)
{
    plant       *p = &r->plant;
    const size_t nq = (size_t)p->sizes.q_count, nv = (size_t)p->sizes.v_count;
    const int    follows = r->sim->drive == ARNE_DRIVE_REFERENCE;
    plant_reference(p, 0);
    if (r->sim->q)
        memcpy(q, r->sim->q, nq * sizeof *q);
    else
        memcpy(q, p->q_ref, nq * sizeof *q); // neutral without a reference
    if (r->sim->qd)
        memcpy(qd, r->sim->qd, nv * sizeof *qd);
    else if (!r->sim->q)
        memcpy(qd, p->qd_ref, nv * sizeof *qd);
    if (follows && p->loop) { // from there loops are closed
        memcpy(q, p->q_ref, nq * sizeof *q);
        memcpy(qd, p->qd_ref, nv * sizeof *qd);
    } else if (follows) {
        reference_put(p, q, qd);
    }
    if (!r->sim->reference) memcpy(p->q_ref, q, nq * sizeof *q); // what a controller holds
}

// Loops must be closed at the start; what rounding leaves is taken away, and velocities are made to
// agree.
static arne_status close_at_start(run *r, double *q, double *qd, arne_error *error)
{
    plant *p = &r->plant;
    if (!p->loop) return ARNE_OK;
    if (r->sim->drive == ARNE_DRIVE_REFERENCE) {
        const arne_system system = plant_system(p);
        return system.project(p, 0, q, qd, error);
    }
    const double open = arne_loop_closure(p->robot, p->work, p->loop, q, NULL);
    if (!(open <= ARNE_LOOP_CLOSED))
        return arne_fail(error, ARNE_LOOP_OPEN, NULL, 0,
                         "the initial state is not assembled: its loops are open by %.3g", open);
    return arne_loop_project(p->robot, p->work, p->loop, q, qd, error);
}

static arne_status restart(run *r, arne_error *error)
{
    arne_integrator *it = r->it;
    return arne_integrator_start(it, arne_integrator_time(it), arne_integrator_q(it),
                                 arne_integrator_qd(it), arne_integrator_z(it), error);
}

// Lets friction decide anew who sticks.
static arne_status decide(run *r, arne_error *error)
{
    arne_integrator *it = r->it;
    if (!r->plant.dry_count || r->sim->drive == ARNE_DRIVE_REFERENCE) return restart(r, error);
    memcpy(r->qd, arne_integrator_qd(it), (size_t)r->plant.sizes.v_count * sizeof *r->qd);
    const arne_status status =
        dry_decide(&r->plant, arne_integrator_time(it), arne_integrator_q(it), r->qd, error);
    if (status != ARNE_OK) return status;
    return arne_integrator_start(it, arne_integrator_time(it), arne_integrator_q(it), r->qd,
                                 arne_integrator_z(it), error);
}

static arne_status simulate_row(run *r, arne_error *error)
{
    arne_integrator         *it = r->it;
    arne_simulation_summary *s = r->summary;
    if (s->beyond < 0) {
        s->beyond = arne_joint_beyond(r->sim->robot, arne_integrator_q(it));
        s->beyond_time = arne_integrator_time(it);
    }
    return record_row(&r->record, arne_integrator_time(it), arne_integrator_q(it),
                      arne_integrator_qd(it), arne_integrator_z(it)[0], error);
}

static arne_status simulate_sample(run *r, arne_error *error)
{
    arne_integrator  *it = r->it;
    const arne_status status = plant_control(&r->plant, arne_integrator_time(it),
                                             arne_integrator_q(it), arne_integrator_qd(it), error);
    return status == ARNE_OK ? decide(r, error) : status;
}

static arne_status simulate_begin(run *r, arne_error *error)
{
    const arne_simulation *sim = r->sim;
    arne_status            status = plant_new(sim, &r->plant, error);
    if (status != ARNE_OK) return status;
    plant *p = &r->plant;
    status = record_new(p, &r->record, error);
    if (status != ARNE_OK) return status;
    const arne_system system = plant_system(p);
    status = arne_integrator_new(&system, &sim->integrator, &r->it, error);
    if (status != ARNE_OK) return status;
    double *q = calloc((size_t)(p->sizes.q_count + p->sizes.v_count) + 1, sizeof *q);
    r->qd = calloc((size_t)p->sizes.v_count + 1, sizeof *r->qd);
    if (q && r->qd) {
        const double zero = 0;
        begin_state(r, q, q + p->sizes.q_count);
        status = close_at_start(r, q, q + p->sizes.q_count, error);
        if (status == ARNE_OK)
            status = arne_integrator_start(r->it, 0, q, q + p->sizes.q_count, &zero, error);
    } else {
        status = arne_fail_memory(error);
    }
    free(q);
    r->end = sim->duration;
    if (sim->controller) arne_controller_reset(sim->controller);
    return status;
}

// The first time of each limit is kept.
static void keep_event(arne_simulation_summary *s, int joint, int upper, double time)
{
    for (long i = 0; i < s->limit_event_count; i++)
        if (s->limit_events[i].joint == joint && s->limit_events[i].upper == upper) return;
    if (s->limit_event_count == ARNE_LIMIT_EVENTS) return;
    s->limit_events[s->limit_event_count++] = (arne_limit_event){joint, upper, time};
}

// A joint is at a limit, or beyond.
static void note_limit(run *r, int event)
{
    const arne_joint_info info = arne_robot_joint(r->plant.robot, r->plant.limited[event]);
    const double          q = arne_integrator_q(r->it)[info.q_start];
    if (q > info.lower && q < info.upper) return; // on its way back
    const int    upper = q >= info.upper;
    const double time = arne_integrator_time(r->it);
    r->summary->limits_hit++;
    keep_event(r->summary, r->plant.limited[event], upper, time);
    if (r->sim->stop_at_limits != ARNE_LIMITS_STOP) return;
    plain_print(
        r->summary->ended, sizeof r->summary->ended,
        "joint '%.80s' reached its %s limit %.6g %s at t = %.9g s: the simulation ends there "
        "(limits: stop)",
        info.name, upper ? "upper" : "lower", upper ? info.upper : info.lower,
        arne_joint_unit(&info, 0, 0), time);
    r->ended = 1;
}

static void stop(run *r)
{
    plain_print(r->summary->ended, sizeof r->summary->ended, "stopped at t = %.9g s",
                arne_integrator_time(r->it));
    r->ended = r->summary->stopped = 1;
}

// Rows and samples that are due now, then on to the next point of time.
static arne_status simulate_go_on(run *r, arne_error *error)
{
    const double now = arne_integrator_time(r->it), every = r->sim->record_every;
    const double period = r->sim->drive == ARNE_DRIVE_TORQUES ? r->sim->sample_time : 0;
    arne_status  status = ARNE_OK;
    if (period > 0 && now >= r->sample_due) {
        status = simulate_sample(r, error);
        r->sample_due = (double)++r->samples * period;
    }
    if (status == ARNE_OK && now >= r->row_due) {
        status = simulate_row(r, error);
        r->row_due = (double)++r->rows * (every > 0 ? every : r->end / 200);
    }
    if (status != ARNE_OK) return status;
    // Two that are due at the same time, but for rounding, are one.
    double until = fmin(r->end, r->row_due);
    if (r->end - until < 1e-9 * r->end) until = r->end;
    if (period > 0 && r->sample_due <= until + 1e-9 * period) {
        if (fabs(r->sample_due - until) > 1e-9 * period) until = r->sample_due;
        if (fabs(r->sample_due - until) <= 1e-9 * period) r->sample_due = until;
    }
    int event = -1;
    status = arne_integrator_advance(r->it, until, &event, error);
    if (status == ARNE_STOPPED) stop(r);
    if (status != ARNE_OK || event < 0) return status == ARNE_STOPPED ? ARNE_OK : status;
    if (event < r->plant.limited_count)
        note_limit(r, event);
    else
        status = decide(r, error);
    return status;
}

static void summarise(run *r, double seconds)
{
    arne_simulation_summary *s = r->summary;
    const record            *rec = &r->record;
    const arne_controller   *c = r->sim->controller;
    s->rms_error = rec->error_count ? sqrt(rec->error_squares / (double)rec->error_count) : 0;
    s->peak_error = rec->error_peak;
    // Rounding is no part of the energy of a robot at rest: it is measured against a motion that
    // could be seen.
    const double energy = fmax(rec->kinetic_largest, 0.5e-6 * arne_total_mass(r->sim->robot));
    s->energy_residual = energy > 0 ? rec->residual_largest / energy : 0;
    if (c) s->limits_hit += arne_controller_hits(c).torque + arne_controller_hits(c).torque_rate;
    s->kinetic_largest = rec->kinetic_largest;
    s->closure_error = r->plant.closure;
    if (r->plant.rigid) rigid_summary(&r->plant, s);
    s->solve_time = seconds;
    if (!r->it) return;
    s->steps = arne_integrator_statistics(r->it).steps;
    s->rates = arne_integrator_statistics(r->it).rates;
    s->time = arne_integrator_time(r->it);
    s->realtime_ratio = seconds > 0 ? s->time / seconds : 0;
    s->complete = s->time >= r->end;
}

// Of all parts of a run that was stopped on its way.
static double seconds_so_far(const run *r)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return r->seconds + (double)(now.tv_sec - r->started.tv_sec) +
           1e-9 * (double)(now.tv_nsec - r->started.tv_nsec);
}

// ---- stopped, and going on ----

static void walk_events(arne_simulation_summary *s, checkpoint *c)
{
    checkpoint_long(c, &s->limit_event_count);
    for (int i = 0; i < ARNE_LIMIT_EVENTS; i++) {
        arne_limit_event *e = &s->limit_events[i];
        long              joint = e->joint, upper = e->upper;
        checkpoint_long(c, &joint);
        checkpoint_long(c, &upper);
        checkpoint_numbers(c, &e->time, 1);
        e->joint = (int)joint;
        e->upper = (int)upper;
    }
}

static void simulate_walk(run *r, checkpoint *c)
{
    enum { FORMAT = 3 };
    long rows = arne_table_rows(r->record.table);
    checkpoint_same(c, FORMAT);
    checkpoint_same(c, r->end);
    checkpoint_long(c, &rows);
    checkpoint_integrator(c, r->it);
    checkpoint_plant(c, &r->plant);
    checkpoint_record(c, &r->record);
    checkpoint_controller(c, r->sim->controller);
    checkpoint_numbers(c, &r->row_due, 1);
    checkpoint_numbers(c, &r->sample_due, 1);
    checkpoint_long(c, &r->rows);
    checkpoint_long(c, &r->samples);
    checkpoint_long(c, &r->summary->limits_hit);
    walk_events(r->summary, c);
    checkpoint_numbers(c, &r->seconds, 1);
}

// The last number of a checkpoint: of all others, so that none is changed unseen (FNV-1a). Zeros
// count without their sign, and numbers that are none alike: a table does not tell them apart.
static double checksum(const double *numbers, size_t count)
{
    uint32_t sum = 2166136261u;
    for (size_t i = 0; i < count; i++) {
        const double  x = isnan(numbers[i]) ? -0.0 : numbers[i] + 0.0;
        unsigned char bytes[sizeof x];
        memcpy(bytes, &x, sizeof x);
        for (size_t k = 0; k < sizeof x; k++)
            sum = (sum ^ bytes[k]) * 16777619u;
    }
    return sum;
}

static arne_status save_checkpoint(run *r, arne_error *error)
{
    checkpoint c = {.way = CHECKPOINT_COUNT};
    simulate_walk(r, &c);
    double     *numbers = malloc((c.at + 1) * sizeof *numbers);
    arne_status status = numbers ? arne_table_new(r->sim->checkpoint) : ARNE_NO_MEMORY;
    if (!status) status = arne_table_add_column(*r->sim->checkpoint, "checkpoint", "");
    if (!status) {
        checkpoint   saving = {.way = CHECKPOINT_SAVE, .numbers = numbers, .count = c.at};
        const double before = r->seconds;
        r->seconds = seconds_so_far(r);
        simulate_walk(r, &saving);
        r->seconds = before;
        numbers[c.at] = checksum(numbers, c.at);
    }
    for (size_t i = 0; i <= c.at && !status; i++)
        status = arne_table_append(*r->sim->checkpoint, &numbers[i]);
    free(numbers);
    return status ? arne_fail_memory(error) : ARNE_OK;
}

// The rows that were due by then; one more has the state at which the run was stopped.
static arne_status load_rows(run *r, const arne_table *from, int count)
{
    arne_status status = ARNE_OK;
    if (!from || arne_table_rows(from) < count ||
        arne_table_columns(from) != arne_table_columns(r->record.table))
        return ARNE_VALUE;
    for (int i = 0; i < arne_table_columns(from); i++)
        if (strcmp(arne_table_name(from, i), arne_table_name(r->record.table, i)) != 0)
            return ARNE_VALUE;
    for (int i = 0; i < count && !status; i++)
        status = arne_table_append(r->record.table, arne_table_row(from, i));
    return status;
}

static arne_status load_checkpoint(run *r, arne_error *error)
{
    const arne_table *from = r->sim->resume;
    const int         count = arne_table_rows(from) - 1;
    double           *numbers = malloc((size_t)(count + 2) * sizeof *numbers);
    if (!numbers) return arne_fail_memory(error);
    for (int i = 0; i <= count && arne_table_columns(from) == 1; i++)
        numbers[i] = arne_table_row(from, i)[0];
    const int whole = count > 2 && arne_table_columns(from) == 1 &&
                      numbers[count] == checksum(numbers, (size_t)count);
    checkpoint c = {.way = CHECKPOINT_LOAD, .numbers = numbers, .count = (size_t)count};
    // Format, duration and rows come first, in this order.
    const int   rows = whole && numbers[2] >= 0 && numbers[2] < 2e9 ? (int)numbers[2] : 0;
    arne_status status = whole ? load_rows(r, r->sim->resume_rows, rows) : ARNE_VALUE;
    if (!status) simulate_walk(r, &c);
    if (!status && (c.bad || c.at != c.count)) status = ARNE_VALUE;
    if (!status && r->sim->integrator.method >= ARNE_METHOD_CVODE) status = restart(r, error);
    free(numbers);
    if (status == ARNE_NO_MEMORY) return arne_fail_memory(error);
    return status == ARNE_VALUE
               ? arne_fail(error, ARNE_VALUE, NULL, 0, "the checkpoint is not of this run")
               : status;
}

static arne_status run_through(run *r, arne_progress_fn progress, void *context, arne_error *error)
{
    arne_status status = simulate_begin(r, error);
    if (status == ARNE_OK) status = decide(r, error);
    if (status == ARNE_OK && r->sim->resume) status = load_checkpoint(r, error);
    while (status == ARNE_OK && !r->ended && arne_integrator_time(r->it) < r->end) {
        const long rows = r->rows;
        status = simulate_go_on(r, error);
        const int stops = (r->sim->stop && r->sim->stop(r->sim->stop_context)) ||
                          (progress && r->rows != rows &&
                           progress(context, arne_integrator_time(r->it) / r->end));
        if (stops && status == ARNE_OK && arne_integrator_time(r->it) < r->end) stop(r);
    }
    if (status == ARNE_OK && r->summary->stopped && r->sim->checkpoint)
        status = save_checkpoint(r, error);
    // The last state, unless a row has it.
    if (r->it && r->record.table) {
        arne_error ignored;
        const int  rows = arne_table_rows(r->record.table);
        const int  there =
            rows > 0 && arne_table_row(r->record.table, rows - 1)[0] >= arne_integrator_time(r->it);
        const arne_status last =
            there ? ARNE_OK : simulate_row(r, status == ARNE_OK ? error : &ignored);
        if (status == ARNE_OK) status = last;
    }
    return status;
}

arne_status arne_simulate(const arne_simulation *simulation, arne_progress_fn progress,
                          void *context, arne_table **out, arne_simulation_summary *summary,
                          arne_error *error)
{
    arne_simulation_summary unused;
    run                     r = {.sim = simulation, .summary = summary ? summary : &unused};
    if (out) *out = NULL;
    if (simulation && simulation->checkpoint) *simulation->checkpoint = NULL;
    if (simulation && simulation->impacts) *simulation->impacts = NULL;
    memset(r.summary, 0, sizeof *r.summary);
    r.summary->beyond = -1;
    if (!simulation || !simulation->robot)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    arne_error  own;
    arne_status status = simulation_check(simulation, error);
    if (status != ARNE_OK) return status;
    timespec_get(&r.started, TIME_UTC);
    status = run_through(&r, progress, context, error ? error : &own);
    if (status == ARNE_OK && r.plant.impacts.failed) status = arne_fail_memory(error);
    summarise(&r, seconds_so_far(&r));
    if (status != ARNE_OK) {
        r.summary->complete = 0;
        snprintf(r.summary->ended, sizeof r.summary->ended, "%.190s", (error ? error : &own)->text);
    }
    if (out && r.record.table && arne_table_rows(r.record.table) > 0) {
        *out = r.record.table;
        r.record.table = NULL;
    }
    if (simulation->impacts && r.plant.impacts.table) {
        *simulation->impacts = r.plant.impacts.table;
        r.plant.impacts.table = NULL;
    }
    arne_integrator_free(r.it);
    record_free(&r.record);
    plant_free(&r.plant);
    free(r.qd);
    return status;
}
