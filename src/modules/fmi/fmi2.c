// The functions of FMI 2.0 by name and type; fmu.h does the work. Declared from the text of the
// standard.
#include "fmu.h"

#include <math.h>

#define FMI2(name, ...) FMI_FUNCTION(fmu_status, name, __VA_ARGS__)

typedef unsigned reference; // fmi2ValueReference
typedef int      boolean;   // fmi2Boolean

#define FMI(name) FMI_(name)
#define FMI_(name) fmi2##name
#define FMI_STATE(verb, end) FMI_STATE_(verb, end)
#define FMI_STATE_(verb, end) fmi2##verb##FMUstate##end
#define FMI_DESERIALIZE DeSerialize
#define FMI_RATES GetDerivatives
#include "fmi_shared.h"

typedef void (*log_message)(void *environment, const char *instance, fmu_status status,
                            const char *category, const char *message, ...);

typedef struct callback_functions {
    log_message logger;
    void *(*allocate)(size_t count, size_t size);
    void (*release)(void *block);
    void (*step_finished)(void *environment, fmu_status status);
    void *environment;
} callback_functions;

typedef struct event_info {
    boolean again, terminate, nominals_changed, states_changed, next_defined;
    double  next;
} event_info;

static void log_2(const fmu *f, fmu_status status, const char *message)
{
    const log_message call = (log_message)f->callback;
    if (call) call(f->environment, f->name ? f->name : "", status, "logStatusError", "%s", message);
}

FMI_FUNCTION(const char *, fmi2GetTypesPlatform, void) { return "default"; }
FMI_FUNCTION(const char *, fmi2GetVersion, void) { return "2.0"; }

// ---- instances ----

FMI_FUNCTION(fmu *, fmi2Instantiate, const char *name, int type, const char *token,
             const char *resources, const callback_functions *functions, boolean visible,
             boolean logging)
{
    (void)visible;
    const fmu_start start = {2,
                             type == 0,
                             logging,
                             name,
                             token,
                             resources,
                             functions ? functions->environment : NULL,
                             functions ? (fmu_callback)functions->logger : NULL,
                             log_2};
    return type == 0 || type == 1 ? fmu_new(&start) : NULL;
}

FMI2(fmi2SetupExperiment, fmu *f, boolean has_tolerance, double tolerance, double start,
     boolean has_stop, double stop)
{
    FMU_ALLOW(f, FMU_INSTANTIATED);
    f->tolerance = has_tolerance ? tolerance : 0;
    f->start = start;
    f->stop = has_stop ? stop : INFINITY;
    f->prepared = 1;
    return FMU_OK;
}

FMI2(fmi2EnterInitializationMode, fmu *f)
{
    FMU_ALLOW(f, FMU_INSTANTIATED);
    if (!f->prepared) return fmu_fail(f, "fmi2SetupExperiment comes first");
    return fmu_enter_initialization(f, f->tolerance, f->start, f->stop);
}

// ---- variables ----

FMI2(fmi2GetReal, fmu *f, const reference *references, size_t count, double *values)
{
    FMU_ALLOW(f, FMU_SHOWS);
    return fmu_get(f, references, count, values);
}

FMI2(fmi2SetReal, fmu *f, const reference *references, size_t count, const double *values)
{
    FMU_ALLOW(f, FMU_ANY & ~FMU_TERMINATED);
    return fmu_set(f, references, count, values);
}

// All variables are real.
#define OTHER_TYPE(name, type)                                                                     \
    FMI2(fmi2Get##name, fmu *f, const reference *references, size_t count, type *values)           \
    {                                                                                              \
        (void)references, (void)values;                                                            \
        FMU_ALLOW(f, FMU_ANY);                                                                     \
        return count ? fmu_fail(f, "%s: there are no such variables", __func__) : FMU_OK;          \
    }                                                                                              \
    FMI2(fmi2Set##name, fmu *f, const reference *references, size_t count, const type *values)     \
    {                                                                                              \
        (void)references, (void)values;                                                            \
        FMU_ALLOW(f, FMU_ANY);                                                                     \
        return count ? fmu_fail(f, "%s: there are no such variables", __func__) : FMU_OK;          \
    }
typedef const char *string;
OTHER_TYPE(Integer, int)
OTHER_TYPE(Boolean, boolean)
OTHER_TYPE(String, string)

// ---- states of an instance ----

FMI2(fmi2GetDirectionalDerivative, fmu *f, const reference *unknowns, size_t unknown_count,
     const reference *knowns, size_t known_count, const double *seed, double *sensitivity)
{
    FMU_ALLOW(f, FMU_INITIALIZATION | FMU_EVENT | FMU_CONTINUOUS);
    return fmu_directional(f, unknowns, unknown_count, knowns, known_count, seed, sensitivity);
}

// ---- model exchange ----

FMI2(fmi2NewDiscreteStates, fmu *f, event_info *info)
{
    fmu_event event;
    FMU_ALLOW(f, FMU_EVENT);
    const fmu_status status = fmu_update(f, &event);
    if (!status)
        *info = (event_info){.terminate = event.ended,
                             .states_changed = event.states_changed,
                             .next_defined = event.has_next,
                             .next = event.next};
    return status;
}

// ---- co-simulation ----

// Not announced.
FMI2(fmi2SetRealInputDerivatives, fmu *f, const reference *references, size_t count,
     const int *orders, const double *values)
{
    (void)references, (void)count, (void)orders, (void)values;
    FMU_ALLOW(f, FMU_ANY);
    return fmu_fail(f, "inputs are held over a step, as the description says");
}

FMI2(fmi2GetRealOutputDerivatives, fmu *f, const reference *references, size_t count,
     const int *orders, double *values)
{
    (void)references, (void)count, (void)orders, (void)values;
    FMU_ALLOW(f, FMU_ANY);
    return fmu_fail(f, "outputs have no derivatives, as the description says");
}

// A simulation that ends on the way has done a part of its step: the importer asks by status how
// far.
FMI2(fmi2DoStep, fmu *f, double time, double step, boolean no_set_state)
{
    int ended = 0;
    (void)no_set_state;
    FMU_ALLOW(f, FMU_STEP);
    const fmu_status status = fmu_step(f, time, step, &ended);
    return !status && ended ? FMU_DISCARD : status;
}

FMI2(fmi2CancelStep, fmu *f)
{
    FMU_ALLOW(f, FMU_STEP);
    return fmu_fail(f, "no step is under way");
}

enum { DO_STEP_STATUS, PENDING_STATUS, LAST_SUCCESSFUL_TIME, TERMINATED }; // fmi2StatusKind

FMI2(fmi2GetRealStatus, fmu *f, int kind, double *value)
{
    FMU_ALLOW(f, FMU_STEP | FMU_TERMINATED);
    if (kind != LAST_SUCCESSFUL_TIME) return FMU_DISCARD;
    *value = f->time;
    return FMU_OK;
}

FMI2(fmi2GetBooleanStatus, fmu *f, int kind, boolean *value)
{
    FMU_ALLOW(f, FMU_STEP | FMU_TERMINATED);
    if (kind != TERMINATED) return FMU_DISCARD;
    *value = f->ended;
    return FMU_OK;
}

// Steps are never pending.
#define NO_STATUS(name, type)                                                                      \
    FMI2(name, fmu *f, int kind, type *value)                                                      \
    {                                                                                              \
        (void)kind, (void)value;                                                                   \
        FMU_ALLOW(f, FMU_STEP | FMU_TERMINATED);                                                   \
        return FMU_DISCARD;                                                                        \
    }
NO_STATUS(fmi2GetStatus, fmu_status)
NO_STATUS(fmi2GetIntegerStatus, int)
NO_STATUS(fmi2GetStringStatus, const char *)
