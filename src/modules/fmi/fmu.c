// The life of an instance, its variables, and steps of co-simulation.
#include "fmu.h"

#include "base/plain.h"
#include <arne/version.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// ---- messages ----

fmu_status fmu_fail(const fmu *f, const char *format, ...)
{
    char    text[600];
    va_list arguments;
    va_start(arguments, format);
    text_line_list(text, sizeof text, format, arguments);
    va_end(arguments);
    if (f->log) f->log(f, FMU_ERROR, text);
    return FMU_ERROR;
}

fmu_status fmu_pass(const fmu *f, arne_status status, const arne_error *error)
{
    if (!status) return FMU_OK;
    const char *slash = strrchr(error->file, '/');
    if (error->file[0])
        return fmu_fail(f, "%s:%d: %s", slash ? slash + 1 : error->file, error->line, error->text);
    return fmu_fail(f, "%s", error->text[0] ? error->text : arne_status_text(status));
}

static const char *fmu_mode_name(fmu_mode mode)
{
    switch (mode) {
    case FMU_INSTANTIATED:
        return "before initialisation";
    case FMU_INITIALIZATION:
        return "in initialisation mode";
    case FMU_EVENT:
        return "in event mode";
    case FMU_CONTINUOUS:
        return "in continuous-time mode";
    case FMU_STEP:
        return "in step mode";
    default:
        return "after it was terminated";
    }
}

fmu_status fmu_allow(const fmu *f, const char *function, int modes)
{
    if (!f) return FMU_ERROR;
    if ((int)f->mode & modes) return FMU_OK;
    return fmu_fail(f, "%s may not be called %s", function, fmu_mode_name(f->mode));
}

// ---- making ----

// FMI 2.0 gives a URI, "file:///tmp/a%20b", FMI 3.0 a path. Either may end with a separator.
static char *resource_folder(const char *said)
{
    const char *from = said;
    char       *out = malloc(strlen(said) + 1), *to = out;
    if (!out) return NULL;
    const int uri = strncmp(said, "file:", 5) == 0;
    if (uri) {
        from += 5;
        if (from[0] == '/' && from[1] == '/') {
            from += 2;
            from += strcspn(from, "/"); // the host
        }
    }
    for (; *from; from++) {
        unsigned byte;
        if (uri && *from == '%' && sscanf(from + 1, "%2x", &byte) == 1) {
            *to++ = (char)byte;
            from += 2;
        } else {
            *to++ = *from;
        }
    }
    while (to > out + 1 && to[-1] == '/')
        to--;
    *to = 0;
    return out;
}

static void take_starts(fmu *f)
{
    for (int i = 0; i < f->model->count; i++)
        f->values[i] = f->model->variables[i].start;
}

static fmu_status fmu_take(fmu *f, const fmu_start *start)
{
    arne_error error = {0};
    f->folder = resource_folder(start->resources);
    f->name = arne_join(start->name ? start->name : "", "", "");
    if (!f->folder || !f->name) return fmu_fail(f, "out of memory");
    const fmu_status status = fmu_pass(f, fmu_model_read(f->folder, &f->model, &error), &error);
    if (status) return status;
    const fmu_model *m = f->model;
    if (strcmp(start->token, m->token) != 0)
        return fmu_fail(f, "the token of the model description, %.60s, is not that of the FMU, %s",
                        start->token, m->token);
    if (f->exchange && !m->exchange)
        return fmu_fail(f, "this FMU is for co-simulation only: its scenario has no equations that "
                           "another solver could integrate");
    const size_t nq = (size_t)m->sizes.q_count, nv = (size_t)m->sizes.v_count;
    f->values = calloc((size_t)m->count + (size_t)m->parameters.count + 3 * (nq + nv) + nv + 1,
                       sizeof *f->values);
    if (!f->values) return fmu_fail(f, "out of memory");
    f->built = f->values + m->count;
    f->x = f->built + m->parameters.count;
    f->room = f->x + nq + nv;
    f->target = f->room + nq + nv;
    f->torques = f->target + nq + nv;
    take_starts(f);
    f->mode = FMU_INSTANTIATED;
    return FMU_OK;
}

fmu *fmu_new(const fmu_start *start)
{
    fmu *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->version = start->version;
    f->exchange = start->exchange;
    f->logging = start->logging;
    f->environment = start->environment;
    f->callback = start->callback;
    f->log = start->log;
    if (!start->token || !start->resources)
        fmu_fail(f, "the token or the path of the resources is missing");
    else if (fmu_take(f, start) == FMU_OK)
        return f;
    fmu_free(f);
    return NULL;
}

static void fmu_unbuild(fmu *f)
{
    record_free(&f->record);
    arne_simulation_free(f->sim);
    fmu_model_free(f->changed);
    free(f->before);
    f->before = NULL;
    f->sampled = 0;
    f->sim = NULL;
    f->changed = NULL;
}

void fmu_free(fmu *f)
{
    if (!f) return;
    fmu_unbuild(f);
    fmu_model_free(f->model);
    free(f->values);
    free(f->name);
    free(f->folder);
    free(f);
}

// ---- the simulation ----

static double *fmu_values(fmu *f, fmu_role role) { return f->values + f->model->first[role]; }

static int same_parameters(const fmu *f, const double *others)
{
    const fmu_model *m = f->model;
    return memcmp(f->values + m->first[FMU_PARAMETER], others,
                  (size_t)m->parameters.count * sizeof *others) == 0;
}

// With other parameters the list of events must stay the same.
static arne_status check_changed(const fmu *f, arne_error *error)
{
    if (!f->exchange || !f->changed ||
        fmu_event_count(&f->sim->plant) == fmu_model_many(f->model, FMU_INDICATOR))
        return ARNE_OK;
    return arne_fail(error, ARNE_VALUE, NULL, 0,
                     "friction may not become zero, nor begin, in model exchange: the number of "
                     "events would change");
}

static arne_status fmu_make(fmu *f, arne_error *error)
{
    const fmu_model *m = f->model;
    double          *values = fmu_values(f, FMU_PARAMETER);
    arne_status      status = ARNE_OK;
    fmu_unbuild(f);
    memcpy(f->built, values, (size_t)m->parameters.count * sizeof *values);
    int same = 1;
    for (int i = 0; i < m->parameters.count; i++)
        same &= values[i] == m->parameters.all[i].value;
    if (!same) status = fmu_model_change(f->folder, m, values, &f->changed, error);
    if (status) return status;
    arne_simulation_spec spec = (f->changed ? f->changed : m)->spec;
    if (f->tolerance > 0) spec.integrator.relative = f->tolerance;
    const arne_simulation_options options = {.spec = &spec};
    status = arne_simulation_new(spec.robot, &options, &f->sim, error);
    if (!status) status = check_changed(f, error);
    if (!status) f->before = calloc(arne_simulation_state_size(f->sim), sizeof *f->before);
    if (!status && !f->before) status = arne_fail_memory(error);
    if (!status) status = record_new(&f->sim->plant, &f->record, error);
    return status;
}

arne_status fmu_build(fmu *f, arne_error *error)
{
    double      *x = fmu_values(f, FMU_OUTPUT);
    const int    nq = f->model->sizes.q_count;
    const size_t states = (size_t)fmu_states(f);
    arne_status  status = ARNE_OK;
    if (f->sim && same_parameters(f, f->built)) {
        if (!f->stale) return ARNE_OK;
    } else {
        status = fmu_make(f, error);
    }
    if (!status && f->moved) status = arne_simulation_reset(f->sim, x, x + nq, error);
    if (status) {
        fmu_unbuild(f);
        return status;
    }
    if (!f->moved) {
        memcpy(x, arne_simulation_q(f->sim), (size_t)nq * sizeof *x);
        memcpy(x + nq, arne_simulation_qd(f->sim), (states - (size_t)nq) * sizeof *x);
    }
    memcpy(f->x, x, states * sizeof *x);
    return ARNE_OK;
}

// The inputs as the simulation takes them. NULL where all are zero: then a solver with memory goes
// on from step to step, as in a run.
static const double *fmu_torques(fmu *f)
{
    const fmu_model *m = f->model;
    const double    *inputs = fmu_values(f, FMU_INPUT);
    int              acts = 0;
    if (m->input_kind != FMU_INPUT_TORQUES) return NULL;
    for (int i = 0; i < fmu_model_many(m, FMU_INPUT); i++) {
        f->torques[m->input_at[i]] = inputs[i];
        acts |= inputs[i] != 0;
    }
    return acts ? f->torques : NULL;
}

// Whether the target is another one than the plant's.
static int inputs_changed(const fmu *f)
{
    const fmu_model *m = f->model;
    const plant     *p = &f->sim->plant;
    for (int i = 0; i < fmu_model_many(m, FMU_INPUT); i++) {
        const int    at = m->input_at[i], nq = m->sizes.q_count;
        const double now = at < nq ? p->q_ref[at] : p->qd_ref[at - nq];
        if (f->values[m->first[FMU_INPUT] + i] != now) return 1;
    }
    return 0;
}

static arne_status set_target(fmu *f, arne_error *error)
{
    const fmu_model *m = f->model;
    const double    *inputs = fmu_values(f, FMU_INPUT);
    if (m->input_kind != FMU_INPUT_TARGETS) return ARNE_OK;
    const plant *p = &f->sim->plant;
    if (f->sampled && inputs_changed(f)) { // the sample at the end of the last step is taken back
        const arne_status status = arne_simulation_set_state(f->sim, f->before, error);
        if (status) return status;
    }
    f->sampled = 0;
    memcpy(f->target, p->q_ref, (size_t)m->sizes.q_count * sizeof *f->target);
    memset(f->target + m->sizes.q_count, 0, (size_t)m->sizes.v_count * sizeof *f->target);
    for (int i = 0; i < fmu_model_many(m, FMU_INPUT); i++)
        f->target[m->input_at[i]] = inputs[i];
    return arne_simulation_set_target(f->sim, f->target, f->target + m->sizes.q_count, error);
}

// A sample of the controller that is due, as in a run before a row. If the importer changes what
// the controller follows, it is taken again.
static arne_status co_simulation_sample(fmu *f, arne_error *error)
{
    const arne_simulation *s = f->sim;
    if (f->model->input_kind == FMU_INPUT_TORQUES) return ARNE_OK;
    if (f->model->input_kind == FMU_INPUT_TARGETS && s->spec.sample_time > 0 &&
        arne_integrator_time(s->it) >= s->sample_due) {
        arne_simulation_state(f->sim, f->before);
        f->sampled = 1;
    }
    return simulation_sample(f->sim, error);
}

// The numbers of a row of the result where the simulation stands.
static arne_status co_simulation_row(fmu *f, arne_error *error)
{
    const arne_integrator *it = f->sim->it;
    arne_status            status = ARNE_OK;
    if (f->mode == FMU_INITIALIZATION) {
        status = set_target(f, error);
        if (!status && f->model->input_kind == FMU_INPUT_TORQUES)
            status =
                arne_simulation_advance(f->sim, fmu_torques(f), arne_integrator_time(it), error);
    }
    if (!status) status = co_simulation_sample(f, error);
    return status ? status
                  : record_fill(&f->record, arne_integrator_time(it), arne_integrator_q(it),
                                arne_integrator_qd(it), arne_integrator_z(it)[0], error);
}

// Outputs of the state as it is.
static fmu_status fmu_refresh(fmu *f)
{
    arne_error  error = {0};
    arne_status status = ARNE_OK;
    if (!f->stale || f->mode == FMU_TERMINATED) return FMU_OK;
    if (f->mode == FMU_INITIALIZATION) status = fmu_build(f, &error);
    if (!status) status = f->exchange ? fmu_exchange_row(f, &error) : co_simulation_row(f, &error);
    if (status) return fmu_pass(f, status, &error);
    memcpy(fmu_values(f, FMU_OUTPUT), f->record.row + 1,
           (size_t)fmu_model_many(f->model, FMU_OUTPUT) * sizeof(double));
    f->stale = 0;
    return FMU_OK;
}

// ---- initialisation ----

fmu_status fmu_enter_initialization(fmu *f, double tolerance, double start, double stop)
{
    if (!isfinite(start) || !(stop > start))
        return fmu_fail(f, "the experiment cannot last from %g s to %g s", start, stop);
    if (!(tolerance >= 0)) return fmu_fail(f, "the tolerance cannot be %g", tolerance);
    f->tolerance = tolerance;
    f->start = f->time = start;
    f->stop = stop;
    f->mode = FMU_INITIALIZATION;
    fmu_unbuild(f);
    f->stale = 1;
    return FMU_OK;
}

fmu_status fmu_exit_initialization(fmu *f)
{
    f->stale = 1;
    const fmu_status status = fmu_refresh(f);
    if (status) return status;
    f->values[0] = f->time;
    f->mode = f->exchange ? FMU_EVENT : FMU_STEP;
    return FMU_OK;
}

fmu_status fmu_reset(fmu *f)
{
    fmu_unbuild(f);
    take_starts(f);
    f->moved = f->ended = f->stale = f->prepared = 0;
    f->time = f->start = f->tolerance = 0;
    f->mode = FMU_INSTANTIATED;
    return FMU_OK;
}

// ---- variables ----

static fmu_status fmu_variable_at(const fmu *f, unsigned reference, const fmu_variable **out)
{
    const int end = f->version == 2 ? f->model->first[FMU_INDICATOR] : f->model->count;
    if (reference >= (unsigned)end)
        return fmu_fail(f, "there is no variable with the value reference %u", reference);
    *out = &f->model->variables[reference];
    return FMU_OK;
}

// Rates and indicators are of model exchange.
static fmu_status refresh_for(fmu *f, fmu_role role)
{
    if (role == FMU_OUTPUT) return fmu_refresh(f);
    if (role < FMU_RATE) return FMU_OK;
    if (!f->exchange) return fmu_fail(f, "derivatives of states are of model exchange");
    const fmu_status status = fmu_refresh(f);
    if (status || f->mode == FMU_TERMINATED) return status;
    return role == FMU_RATE ? fmu_rates(f, fmu_values(f, FMU_RATE))
                            : fmu_indicators(f, fmu_values(f, FMU_INDICATOR));
}

fmu_status fmu_get(fmu *f, const unsigned *references, size_t count, double *values)
{
    int done = 0; // roles that are up to date
    f->values[0] = f->time;
    for (size_t i = 0; i < count; i++) {
        const fmu_variable *v = NULL;
        fmu_status          status = fmu_variable_at(f, references[i], &v);
        if (!status && !(done >> v->role & 1)) status = refresh_for(f, v->role);
        if (status) return status;
        done |= 1 << v->role;
        values[i] = f->values[references[i]];
    }
    return FMU_OK;
}

// When a variable may be set.
static int modes_to_set(const fmu_variable *v)
{
    if (v->role == FMU_INPUT) return FMU_INSTANTIATED | FMU_INITIALIZATION | FMU_RUNS;
    return v->role == FMU_PARAMETER || v->state >= 0 ? FMU_INSTANTIATED | FMU_INITIALIZATION : 0;
}

fmu_status fmu_set(fmu *f, const unsigned *references, size_t count, const double *values)
{
    for (size_t i = 0; i < count; i++) {
        const fmu_variable *v = NULL;
        const fmu_status    status = fmu_variable_at(f, references[i], &v);
        if (status) return status;
        if (!(modes_to_set(v) & (int)f->mode))
            return fmu_fail(f, "'%s' may not be set %s", v->name, fmu_mode_name(f->mode));
        if (!isfinite(values[i])) return fmu_fail(f, "'%s' is not finite", v->name);
    }
    for (size_t i = 0; i < count; i++) {
        f->moved |= f->model->variables[references[i]].state >= 0;
        f->values[references[i]] = values[i];
    }
    // A step of co-simulation has left its outputs.
    if (f->mode != FMU_STEP) f->stale = 1;
    return FMU_OK;
}

// ---- co-simulation ----

fmu_status fmu_step(fmu *f, double time, double step, int *ended)
{
    arne_error   error = {0};
    const double end = time + step, slack = 1e-9 * fmax(step, fabs(time));
    *ended = 0;
    if (!(step > 0) || !isfinite(end)) return fmu_fail(f, "a step of %g s cannot be taken", step);
    if (!(fabs(time - f->time) <= slack))
        return fmu_fail(f, "the step begins at %.9g s, but the FMU is at %.9g s", time, f->time);
    if (end > f->stop + slack)
        return fmu_fail(f, "the step ends at %.9g s, behind the stop time %.9g s", end, f->stop);
    if (f->ended) return fmu_fail(f, "the simulation has ended");
    arne_status status = set_target(f, &error);
    if (!status) status = arne_simulation_advance(f->sim, fmu_torques(f), end - f->start, &error);
    *ended = f->ended = status == ARNE_STOPPED;
    f->time = status ? f->start + arne_simulation_time(f->sim) : end;
    f->stale = 1;
    if (status && !*ended) return fmu_pass(f, status, &error);
    return fmu_refresh(f);
}
