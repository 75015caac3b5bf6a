// Functions that FMI 2.0 and FMI 3.0 have alike, but for the beginnings of their names and the type
// of truth values. fmi2.c and fmi3.c say what these are and include this text.
//
//     FMI(name)             fmi3name
//     FMI_STATE(verb, end)  fmi3verbFMUStateend
//     FMI_DESERIALIZE       the word for that
//     FMI_RATES             GetContinuousStateDerivatives
//     boolean
#include "fmu.h"

#include <stdlib.h>
#include <string.h>

#define SHARED(name, ...) FMI_FUNCTION(fmu_status, name, __VA_ARGS__)

SHARED(FMI(SetDebugLogging), fmu *f, boolean on, size_t count, const char *const *categories)
{
    FMU_ALLOW(f, FMU_ANY);
    for (size_t i = 0; i < count; i++)
        if (!categories || strcmp(categories[i], "logStatusError") != 0)
            return fmu_fail(f, "there is no log category of that name");
    f->logging = on;
    return FMU_OK;
}

FMI_FUNCTION(void, FMI(FreeInstance), fmu *f) { fmu_free(f); }

SHARED(FMI(ExitInitializationMode), fmu *f)
{
    FMU_ALLOW(f, FMU_INITIALIZATION);
    return fmu_exit_initialization(f);
}

SHARED(FMI(Terminate), fmu *f)
{
    FMU_ALLOW(f, FMU_RUNS);
    f->mode = FMU_TERMINATED;
    return FMU_OK;
}

SHARED(FMI(Reset), fmu *f)
{
    FMU_ALLOW(f, FMU_ANY);
    return fmu_reset(f);
}

// ---- states of an instance ----

SHARED(FMI_STATE(Get, ), fmu *f, void **state)
{
    FMU_ALLOW(f, FMU_ANY);
    return state ? fmu_state_get(f, state) : fmu_fail(f, "there is no place for the state");
}

SHARED(FMI_STATE(Set, ), fmu *f, void *state)
{
    FMU_ALLOW(f, FMU_ANY);
    return state ? fmu_state_set(f, state) : fmu_fail(f, "there is no state");
}

SHARED(FMI_STATE(Free, ), fmu *f, void **state)
{
    FMU_ALLOW(f, FMU_ANY);
    if (state) {
        free(*state);
        *state = NULL;
    }
    return FMU_OK;
}

SHARED(FMI_STATE(Serialized, Size), fmu *f, void *state, size_t *size)
{
    FMU_ALLOW(f, FMU_ANY);
    return fmu_state_size(f, state, size);
}

SHARED(FMI_STATE(Serialize, ), fmu *f, void *state, void *bytes, size_t size)
{
    FMU_ALLOW(f, FMU_ANY);
    return fmu_state_write(f, state, bytes, size);
}

SHARED(FMI_STATE(FMI_DESERIALIZE, ), fmu *f, const void *bytes, size_t size, void **state)
{
    FMU_ALLOW(f, FMU_ANY);
    return fmu_state_read(f, bytes, size, state);
}

// ---- model exchange ----

SHARED(FMI(EnterEventMode), fmu *f)
{
    FMU_EXCHANGE(f, FMU_CONTINUOUS);
    f->mode = FMU_EVENT;
    return FMU_OK;
}

SHARED(FMI(EnterContinuousTimeMode), fmu *f)
{
    FMU_EXCHANGE(f, FMU_EVENT);
    f->mode = FMU_CONTINUOUS;
    return FMU_OK;
}

SHARED(FMI(CompletedIntegratorStep), fmu *f, boolean no_set_state, boolean *event,
       boolean *terminate)
{
    (void)no_set_state;
    FMU_EXCHANGE(f, FMU_CONTINUOUS);
    *event = *terminate = 0;
    return FMU_OK;
}

SHARED(FMI(SetTime), fmu *f, double time)
{
    FMU_EXCHANGE(f, FMU_CONTINUOUS | FMU_EVENT);
    return fmu_set_time(f, time);
}

SHARED(FMI(SetContinuousStates), fmu *f, const double *x, size_t count)
{
    FMU_EXCHANGE(f, FMU_CONTINUOUS);
    return fmu_set_states(f, x, count);
}

SHARED(FMI(GetContinuousStates), fmu *f, double *x, size_t count)
{
    FMU_EXCHANGE(f, FMU_SHOWS);
    return fmu_get_states(f, x, count);
}

SHARED(FMI(FMI_RATES), fmu *f, double *rates, size_t count)
{
    FMU_EXCHANGE(f, FMU_SHOWS & ~FMU_TERMINATED);
    const fmu_status status = fmu_check_count(f, count, fmu_states(f));
    return status ? status : fmu_rates(f, rates);
}

SHARED(FMI(GetEventIndicators), fmu *f, double *values, size_t count)
{
    FMU_EXCHANGE(f, FMU_SHOWS & ~FMU_TERMINATED);
    const fmu_status status = fmu_check_count(f, count, fmu_model_many(f->model, FMU_INDICATOR));
    return status ? status : fmu_indicators(f, values);
}

SHARED(FMI(GetNominalsOfContinuousStates), fmu *f, double *nominals, size_t count)
{
    FMU_EXCHANGE(f, FMU_SHOWS);
    return fmu_nominals(f, nominals, count);
}
