// A run from beginning to end: a loop around a simulation that is held, with a row of the result at
// every interval.
#include <arne/simulate.h>

#include "base/error.h"
#include "simulate/checkpoint.h"
#include "simulate/controllers/controller.h"
#include "simulate/integrator.h"
#include "simulate/plant.h"
#include "simulate/result_rows.h"
#include "simulate/simulation.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct run {
    arne_simulation          sim;
    record                   record;
    double                   end, row_due; // of the run, and when the next row is due
    long                     rows;
    double                   seconds; // that earlier parts of it took
    struct timespec          started;
    arne_simulation_summary *summary;
} run;

static arne_status simulate_refuse(arne_error *error, const char *what, double value)
{
    return arne_fail(error, ARNE_VALUE, NULL, 0, "%s must be positive, not %g", what, value);
}

// Times that are too short to be seen beside the duration never add up to it. Zero: not given.
static arne_status simulate_check_times(const arne_simulation_spec *sim, arne_error *error)
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

arne_status plant_check(const arne_simulation_spec *sim, arne_error *error)
{
    if (sim->drive == ARNE_DRIVE_REFERENCE && !sim->reference)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "there is no reference to drive the joints");
    if (sim->base && arne_robot_base(sim->robot) != ARNE_BASE_PRESCRIBED)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "a motion of the base is given, but the base is not prescribed");
    if (sim->controller && sim->controller->law->remembers && !(sim->sample_time > 0))
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "the controller %s goes from sample to sample: it needs a sample time",
                         sim->controller->law->name);
    const int loops = arne_robot_sizes(sim->robot).loop_count;
    if (sim->integrator.method == ARNE_METHOD_ROSENBROCK &&
        (loops || sim->drive == ARNE_DRIVE_REFERENCE))
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "rosenbrock is not for %s: take %s",
                         loops ? "robots with loops" : "drive: reference",
                         loops ? "ida or cvode" : "another method");
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

arne_status simulation_check(const arne_simulation_spec *sim, arne_error *error)
{
    const arne_status status = simulate_check_times(sim, error);
    return status ? status : plant_check(sim, error);
}

static arne_status simulate_row(run *r, arne_error *error)
{
    arne_integrator         *it = r->sim.it;
    arne_simulation_summary *s = r->summary;
    if (s->beyond < 0) {
        s->beyond = arne_joint_beyond(r->sim.spec.robot, arne_integrator_q(it));
        s->beyond_time = arne_integrator_time(it);
    }
    const arne_status status =
        record_row(&r->record, arne_integrator_time(it), arne_integrator_q(it),
                   arne_integrator_qd(it), arne_integrator_z(it)[0], error);
    return integrator_failed(it, status, error);
}

// On to the next row, with the row and the sample that are due now.
static arne_status simulate_go_on(run *r, arne_error *error)
{
    const double every = r->sim.spec.record_every;
    arne_status  status = simulation_sample(&r->sim, error);
    if (status == ARNE_OK && arne_integrator_time(r->sim.it) >= r->row_due) {
        status = simulate_row(r, error);
        r->row_due = (double)++r->rows * (every > 0 ? every : r->end / 200);
    }
    if (status != ARNE_OK) return status;
    const double until = fmin(r->end, r->row_due);
    // Two that are due at the same time, but for rounding, are one.
    return simulation_go(&r->sim, r->end - until < 1e-9 * r->end ? r->end : until, error);
}

static void summarise(run *r, double seconds)
{
    arne_simulation_summary *s = r->summary;
    const arne_simulation   *sim = &r->sim;
    const record            *rec = &r->record;
    simulation_summarise(sim, s);
    s->rms_error = rec->error_count ? sqrt(rec->error_squares / (double)rec->error_count) : 0;
    s->peak_error = rec->error_peak;
    // Rounding is no part of the energy of a robot at rest: it is measured against a motion that
    // could be seen.
    const double energy = fmax(rec->kinetic_largest, 0.5e-6 * arne_total_mass(sim->spec.robot));
    s->energy_residual = energy > 0 ? rec->residual_largest / energy : 0;
    s->kinetic_largest = rec->kinetic_largest;
    s->solve_time = seconds;
    if (!sim->it) return;
    s->realtime_ratio = seconds > 0 ? s->time / seconds : 0;
    s->complete = s->time >= r->end;
    s->stopped = sim->stopped && !s->complete;
    if (sim->ended && (s->stopped || !sim->stopped)) memcpy(s->ended, sim->why, sizeof s->ended);
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

static void simulate_walk(run *r, checkpoint *c)
{
    enum { FORMAT = 4 };
    long rows = arne_table_rows(r->record.table);
    checkpoint_same(c, FORMAT);
    checkpoint_same(c, r->end);
    checkpoint_long(c, &rows);
    simulation_walk(&r->sim, c);
    checkpoint_record(c, &r->record);
    checkpoint_numbers(c, &r->row_due, 1);
    checkpoint_long(c, &r->rows);
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
    arne_status status = numbers ? arne_table_new(r->sim.spec.checkpoint) : ARNE_NO_MEMORY;
    if (!status) status = arne_table_add_column(*r->sim.spec.checkpoint, "checkpoint", "");
    if (!status) {
        checkpoint   saving = {.way = CHECKPOINT_SAVE, .numbers = numbers, .count = c.at};
        const double before = r->seconds;
        r->seconds = seconds_so_far(r);
        simulate_walk(r, &saving);
        r->seconds = before;
        numbers[c.at] = checksum(numbers, c.at);
    }
    for (size_t i = 0; i <= c.at && !status; i++)
        status = arne_table_append(*r->sim.spec.checkpoint, &numbers[i]);
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
    const arne_table *from = r->sim.spec.resume;
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
    arne_status status = whole ? load_rows(r, r->sim.spec.resume_rows, rows) : ARNE_VALUE;
    if (!status) simulate_walk(r, &c);
    if (!status && (c.bad || c.at != c.count)) status = ARNE_VALUE;
    if (!status) status = simulation_resume(&r->sim, error);
    free(numbers);
    if (status == ARNE_NO_MEMORY) return arne_fail_memory(error);
    return status == ARNE_VALUE
               ? arne_fail(error, ARNE_VALUE, NULL, 0, "the checkpoint is not of this run")
               : status;
}

static arne_status simulate_begin(run *r, arne_error *error)
{
    const arne_simulation_spec *spec = &r->sim.spec;
    arne_status                 status = simulation_make(&r->sim, error);
    if (!status) status = record_new(&r->sim.plant, &r->record, error);
    if (!status) status = simulation_start(&r->sim, spec->q, spec->qd, error);
    r->end = spec->duration;
    return status || !spec->resume ? status : load_checkpoint(r, error);
}

// The last state, unless a row has it.
static arne_status simulate_last_row(run *r, arne_error *error)
{
    if (!r->sim.it || !r->record.table) return ARNE_OK;
    const int rows = arne_table_rows(r->record.table);
    if (rows > 0 && arne_table_row(r->record.table, rows - 1)[0] >= arne_integrator_time(r->sim.it))
        return ARNE_OK;
    return simulate_row(r, error);
}

static arne_status run_through(run *r, arne_progress_fn progress, void *context, arne_error *error)
{
    arne_simulation *s = &r->sim;
    arne_status      status = simulate_begin(r, error);
    while (status == ARNE_OK && !s->ended && arne_integrator_time(s->it) < r->end) {
        const long rows = r->rows;
        status = simulate_go_on(r, error);
        if (status == ARNE_OK && progress && r->rows != rows &&
            progress(context, arne_integrator_time(s->it) / r->end))
            simulation_stop(s);
    }
    if (status == ARNE_OK && s->stopped && arne_integrator_time(s->it) < r->end &&
        s->spec.checkpoint)
        status = save_checkpoint(r, error);
    arne_error        ignored;
    const arne_status last = simulate_last_row(r, status == ARNE_OK ? error : &ignored);
    return status == ARNE_OK ? last : status;
}

arne_status arne_simulate(const arne_simulation_spec *simulation, arne_progress_fn progress,
                          void *context, arne_table **out, arne_simulation_summary *summary,
                          arne_error *error)
{
    arne_simulation_summary unused;
    run                     r = {.summary = summary ? summary : &unused};
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
    r.sim.spec = *simulation;
    timespec_get(&r.started, TIME_UTC);
    status = run_through(&r, progress, context, error ? error : &own);
    if (status == ARNE_OK && r.sim.plant.impacts.failed) status = arne_fail_memory(error);
    summarise(&r, seconds_so_far(&r));
    if (status != ARNE_OK) {
        r.summary->complete = 0;
        snprintf(r.summary->ended, sizeof r.summary->ended, "%.190s", (error ? error : &own)->text);
    }
    if (out && r.record.table && arne_table_rows(r.record.table) > 0) {
        *out = r.record.table;
        r.record.table = NULL;
    }
    if (simulation->impacts && r.sim.plant.impacts.table) {
        *simulation->impacts = r.sim.plant.impacts.table;
        r.sim.plant.impacts.table = NULL;
    }
    record_free(&r.record);
    simulation_end(&r.sim);
    return status;
}
