// The functions of FMI 3.0 by name and type; fmu.h does the work. Declared from the text of the
// standard.
#include "fmu.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define FMI3(name, ...) FMI_FUNCTION(fmu_status, name, __VA_ARGS__)

typedef uint32_t reference; // fmi3ValueReference
typedef bool     boolean;   // fmi3Boolean

#define FMI(name) FMI_(name)
#define FMI_(name) fmi3##name
#define FMI_STATE(verb, end) FMI_STATE_(verb, end)
#define FMI_STATE_(verb, end) fmi3##verb##FMUState##end
#define FMI_DESERIALIZE Deserialize
#define FMI_RATES GetContinuousStateDerivatives
#include "fmi_shared.h"

_Static_assert(sizeof(reference) == sizeof(unsigned), "value references are passed on");

typedef void (*log_message)(void *environment, fmu_status status, const char *category,
                            const char *message);

static void log_3(const fmu *f, fmu_status status, const char *message)
{
    const log_message call = (log_message)f->callback;
    if (call) call(f->environment, status, "logStatusError", message);
}

FMI_FUNCTION(const char *, fmi3GetVersion, void) { return "3.0"; }

// ---- instances ----

FMI_FUNCTION(fmu *, fmi3InstantiateModelExchange, const char *name, const char *token,
             const char *resources, bool visible, bool logging, void *environment, log_message log)
{
    (void)visible;
    const fmu_start start = {3,         1,           logging,           name, token,
                             resources, environment, (fmu_callback)log, log_3};
    return fmu_new(&start);
}

FMI_FUNCTION(fmu *, fmi3InstantiateCoSimulation, const char *name, const char *token,
             const char *resources, bool visible, bool logging, bool event_mode, bool early_return,
             const reference *intermediate, size_t intermediate_count, void *environment,
             log_message log, fmu_callback intermediate_update)
{
    (void)visible, (void)early_return, (void)intermediate, (void)intermediate_update;
    const fmu_start start = {3,         0,           logging,           name, token,
                             resources, environment, (fmu_callback)log, log_3};
    const fmu only = {.environment = environment, .callback = (fmu_callback)log, .log = log_3};
    if (event_mode || intermediate_count) {
        fmu_fail(&only,
                 "this FMU has no event mode and no intermediate variables in co-simulation");
        return NULL;
    }
    return fmu_new(&start);
}

FMI_FUNCTION(fmu *, fmi3InstantiateScheduledExecution, const char *name, const char *token,
             const char *resources, bool visible, bool logging, void *environment, log_message log,
             fmu_callback clock, fmu_callback lock, fmu_callback unlock)
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)clock;
    (void)lock, (void)unlock;
    const fmu only = {.environment = environment, .callback = (fmu_callback)log, .log = log_3};
    fmu_fail(&only, "this FMU has no scheduled execution");
    return NULL;
}

FMI3(fmi3EnterInitializationMode, fmu *f, bool has_tolerance, double tolerance, double start,
     bool has_stop, double stop)
{
    FMU_ALLOW(f, FMU_INSTANTIATED);
    return fmu_enter_initialization(f, has_tolerance ? tolerance : 0, start,
                                    has_stop ? stop : INFINITY);
}

// ---- variables ----

FMI3(fmi3GetFloat64, fmu *f, const reference *references, size_t count, double *values,
     size_t value_count)
{
    FMU_ALLOW(f, FMU_SHOWS);
    if (value_count != count) return fmu_fail(f, "%zu values are %zu", count, value_count);
    return fmu_get(f, references, count, values);
}

FMI3(fmi3SetFloat64, fmu *f, const reference *references, size_t count, const double *values,
     size_t value_count)
{
    FMU_ALLOW(f, FMU_ANY & ~FMU_TERMINATED);
    if (value_count != count) return fmu_fail(f, "%zu values are %zu", count, value_count);
    return fmu_set(f, references, count, values);
}

// All variables are of the type Float64.
static fmu_status no_variables(const fmu *f, const char *function, size_t count)
{
    const fmu_status status = fmu_allow(f, function, FMU_ANY);
    if (status || !count) return status;
    return fmu_fail(f, "%s: this FMU has no variables of that type", function);
}

#define OTHER_TYPE(name, type)                                                                     \
    FMI3(fmi3Get##name, fmu *f, const reference *references, size_t count, type *values,           \
         size_t value_count)                                                                       \
    {                                                                                              \
        (void)references, (void)values, (void)value_count;                                         \
        return no_variables(f, __func__, count);                                                   \
    }                                                                                              \
    FMI3(fmi3Set##name, fmu *f, const reference *references, size_t count, const type *values,     \
         size_t value_count)                                                                       \
    {                                                                                              \
        (void)references, (void)values, (void)value_count;                                         \
        return no_variables(f, __func__, count);                                                   \
    }
OTHER_TYPE(Float32, float)
OTHER_TYPE(Int8, int8_t)
OTHER_TYPE(UInt8, uint8_t)
OTHER_TYPE(Int16, int16_t)
OTHER_TYPE(UInt16, uint16_t)
OTHER_TYPE(Int32, int32_t)
OTHER_TYPE(UInt32, uint32_t)
OTHER_TYPE(Int64, int64_t)
OTHER_TYPE(UInt64, uint64_t)
OTHER_TYPE(Boolean, bool)
typedef const char *string;
OTHER_TYPE(String, string)

FMI3(fmi3GetBinary, fmu *f, const reference *references, size_t count, size_t *sizes,
     const uint8_t **values, size_t value_count)
{
    (void)references, (void)sizes, (void)values, (void)value_count;
    return no_variables(f, __func__, count);
}

FMI3(fmi3SetBinary, fmu *f, const reference *references, size_t count, const size_t *sizes,
     const uint8_t *const *values, size_t value_count)
{
    (void)references, (void)sizes, (void)values, (void)value_count;
    return no_variables(f, __func__, count);
}

FMI3(fmi3GetClock, fmu *f, const reference *references, size_t count, bool *values)
{
    (void)references, (void)values;
    return no_variables(f, __func__, count);
}

FMI3(fmi3SetClock, fmu *f, const reference *references, size_t count, const bool *values)
{
    (void)references, (void)values;
    return no_variables(f, __func__, count);
}

// Functions of what modelDescription.xml does not announce.
#define NOT_ANNOUNCED(name, ...)                                                                   \
    FMI3(name, fmu *f, __VA_ARGS__)                                                                \
    {                                                                                              \
        FMU_ALLOW(f, FMU_ANY);                                                                     \
        return fmu_fail(f, "%s: this FMU does not have that, as its description says", __func__);  \
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
NOT_ANNOUNCED(fmi3GetNumberOfVariableDependencies, reference variable, size_t *count)
NOT_ANNOUNCED(fmi3GetVariableDependencies, reference dependent, size_t *elements,
              reference *independents, size_t *of_independents, int *kinds, size_t count)
NOT_ANNOUNCED(fmi3GetAdjointDerivative, const reference *unknowns, size_t unknown_count,
              const reference *knowns, size_t known_count, const double *seed, size_t seeds,
              double *sensitivity, size_t sensitivities)
NOT_ANNOUNCED(fmi3GetIntervalDecimal, const reference *references, size_t count, double *intervals,
              int *qualifiers)
NOT_ANNOUNCED(fmi3GetIntervalFraction, const reference *references, size_t count,
              uint64_t *counters, uint64_t *resolutions, int *qualifiers)
NOT_ANNOUNCED(fmi3GetShiftDecimal, const reference *references, size_t count, double *shifts)
NOT_ANNOUNCED(fmi3GetShiftFraction, const reference *references, size_t count, uint64_t *counters,
              uint64_t *resolutions)
NOT_ANNOUNCED(fmi3SetIntervalDecimal, const reference *references, size_t count,
              const double *intervals)
NOT_ANNOUNCED(fmi3SetIntervalFraction, const reference *references, size_t count,
              const uint64_t *counters, const uint64_t *resolutions)
NOT_ANNOUNCED(fmi3SetShiftDecimal, const reference *references, size_t count, const double *shifts)
NOT_ANNOUNCED(fmi3SetShiftFraction, const reference *references, size_t count,
              const uint64_t *counters, const uint64_t *resolutions)
NOT_ANNOUNCED(fmi3GetOutputDerivatives, const reference *references, size_t count,
              const int32_t *orders, double *values, size_t value_count)
NOT_ANNOUNCED(fmi3ActivateModelPartition, reference clock, double time)
#pragma GCC diagnostic pop

#define NOT_ANNOUNCED_ALONE(name)                                                                  \
    FMI3(name, fmu *f)                                                                             \
    {                                                                                              \
        FMU_ALLOW(f, FMU_ANY);                                                                     \
        return fmu_fail(f, "%s: this FMU does not have that, as its description says", __func__);  \
    }
NOT_ANNOUNCED_ALONE(fmi3EnterConfigurationMode)
NOT_ANNOUNCED_ALONE(fmi3ExitConfigurationMode)
NOT_ANNOUNCED_ALONE(fmi3EnterStepMode)

// ---- states of an instance ----

FMI3(fmi3GetDirectionalDerivative, fmu *f, const reference *unknowns, size_t unknown_count,
     const reference *knowns, size_t known_count, const double *seed, size_t seeds,
     double *sensitivity, size_t sensitivities)
{
    FMU_ALLOW(f, FMU_INITIALIZATION | FMU_EVENT | FMU_CONTINUOUS);
    if (seeds != known_count || sensitivities != unknown_count)
        return fmu_fail(f, "as many seeds as knowns and sensitivities as unknowns are needed");
    return fmu_directional(f, unknowns, unknown_count, knowns, known_count, seed, sensitivity);
}

// ---- model exchange ----

FMI3(fmi3EvaluateDiscreteStates, fmu *f)
{
    FMU_EXCHANGE(f, FMU_EVENT | FMU_INITIALIZATION);
    return FMU_OK; // nothing is discrete but the torques that a controller holds
}

FMI3(fmi3UpdateDiscreteStates, fmu *f, bool *again, bool *terminate, bool *nominals_changed,
     bool *states_changed, bool *next_defined, double *next)
{
    fmu_event event;
    FMU_EXCHANGE(f, FMU_EVENT);
    const fmu_status status = fmu_update(f, &event);
    if (status) return status;
    *again = *nominals_changed = false;
    *terminate = event.ended;
    *states_changed = event.states_changed;
    *next_defined = event.has_next;
    *next = event.next;
    return FMU_OK;
}

FMI3(fmi3GetNumberOfEventIndicators, fmu *f, size_t *count)
{
    FMU_EXCHANGE(f, FMU_ANY);
    *count = (size_t)fmu_model_many(f->model, FMU_INDICATOR);
    return FMU_OK;
}

FMI3(fmi3GetNumberOfContinuousStates, fmu *f, size_t *count)
{
    FMU_EXCHANGE(f, FMU_ANY);
    *count = (size_t)fmu_states(f);
    return FMU_OK;
}

// ---- co-simulation ----

FMI3(fmi3DoStep, fmu *f, double time, double step, bool no_set_state, bool *event, bool *terminate,
     bool *early, double *last)
{
    int ended = 0;
    (void)no_set_state;
    FMU_ALLOW(f, FMU_STEP);
    const fmu_status status = fmu_step(f, time, step, &ended);
    *event = false;
    *terminate = ended;
    *early = ended;
    *last = f->time;
    return status;
}
