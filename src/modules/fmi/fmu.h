// An instance of an FMU: what the functions of FMI 2.0 (fmi2.c) and of FMI 3.0 (fmi3.c) share. They
// only differ in names and types; what they allow and do is here.
#ifndef ARNE_MODULES_FMI_FMU_H
#define ARNE_MODULES_FMI_FMU_H

#include "export/fmu_model.h"
#include "simulate/simulation.h"

// As both standards number them.
typedef enum fmu_status { FMU_OK, FMU_WARNING, FMU_DISCARD, FMU_ERROR, FMU_FATAL } fmu_status;

// Where an instance is in its life. FMI 2.0 calls the step mode "slave initialised".
typedef enum fmu_mode {
    FMU_INSTANTIATED = 1,
    FMU_INITIALIZATION = 2,
    FMU_EVENT = 4,
    FMU_CONTINUOUS = 8,
    FMU_STEP = 16,
    FMU_TERMINATED = 32,
    FMU_ANY = 63,
    FMU_RUNS = FMU_EVENT | FMU_CONTINUOUS | FMU_STEP,
    FMU_SHOWS = FMU_INITIALIZATION | FMU_RUNS | FMU_TERMINATED
} fmu_mode;

typedef struct fmu fmu;

// A function of the importer's, of a type that its standard knows.
typedef void (*fmu_callback)(void);
// Hands a message to the importer.
typedef void (*fmu_log_fn)(const fmu *f, fmu_status status, const char *message);

struct fmu {
    int              version, exchange;
    fmu_mode         mode;
    char            *name, *folder; // the latter: resources/
    int              logging;
    void            *environment; // of the importer
    fmu_callback     callback;
    fmu_log_fn       log;
    fmu_model       *model;   // as its files say, and all variables
    fmu_model       *changed; // with the values of parameters below; NULL: the model itself
    double          *built;   // values of parameters that it was made with
    arne_simulation *sim;     // NULL: to be made
    record           record;
    double          *values;  // of all variables
    double          *torques; // v_count
    double          *target;  // q and qd
    double          *before;  // the state of the simulation before its last sample
    int              sampled; // that was at the end of the last step
    int              moved;   // a state has been set before the start
    int              stale;   // outputs are not those of the state
    double           time, start, stop, tolerance;
    int              ended;    // the simulation wants to end
    int              prepared; // FMI 2.0: the experiment was set up
    // Model exchange: the continuous states, and room for as many.
    double *x, *room;
};

typedef struct fmu_start {
    int          version, exchange, logging;
    const char  *name, *token, *resources;
    void        *environment;
    fmu_callback callback;
    fmu_log_fn   log;
} fmu_start;

// NULL after a message where it fails.
fmu *fmu_new(const fmu_start *start);
void fmu_free(fmu *f);

// FMU_ERROR with a message unless the instance is in one of these modes.
fmu_status fmu_allow(const fmu *f, const char *function, int modes);
fmu_status fmu_fail(const fmu *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
// A status of the library; its message is passed on.
fmu_status fmu_pass(const fmu *f, arne_status status, const arne_error *error);

fmu_status fmu_enter_initialization(fmu *f, double tolerance, double start, double stop);
fmu_status fmu_exit_initialization(fmu *f);
fmu_status fmu_reset(fmu *f);

fmu_status fmu_get(fmu *f, const unsigned *references, size_t count, double *values);
fmu_status fmu_set(fmu *f, const unsigned *references, size_t count, const double *values);

// A step of co-simulation. *ended: the simulation ended on the way, at f->time.
fmu_status fmu_step(fmu *f, double time, double step, int *ended);

// ---- model exchange (fmu_exchange.c) ----

typedef struct fmu_event {
    int    ended, states_changed, has_next;
    double next;
} fmu_event;

int        fmu_states(const fmu *f);
fmu_status fmu_check_count(const fmu *f, size_t count, int wanted);
fmu_status fmu_set_time(fmu *f, double time);
fmu_status fmu_set_states(fmu *f, const double *x, size_t count);
fmu_status fmu_get_states(const fmu *f, double *x, size_t count);
fmu_status fmu_nominals(const fmu *f, double *nominals, size_t count);
fmu_status fmu_rates(fmu *f, double *rates);
fmu_status fmu_indicators(fmu *f, double *values);
// Lets what is due at an event happen: samples of the controller, joints that stop or break loose.
fmu_status fmu_update(fmu *f, fmu_event *event);
// Gives the inputs to the plant; f->room has the states, quaternions with unit length.
ARNE_CHECKED arne_status fmu_prepare(fmu *f, arne_error *error);
// The numbers of a row of the result at the continuous states.
ARNE_CHECKED arne_status fmu_exchange_row(fmu *f, arne_error *error);
// sensitivity = d unknowns / d knowns * seed (fmu_derivatives.c).
fmu_status fmu_directional(fmu *f, const unsigned *unknowns, size_t unknown_count,
                           const unsigned *knowns, size_t known_count, const double *seed,
                           double *sensitivity);

// Functions are declared where they are defined: there is no header of the standard.
#define FMI_FUNCTION(type, name, ...)                                                              \
    __attribute__((visibility("default"))) type name(__VA_ARGS__);                                 \
    type                                        name(__VA_ARGS__)
// What every function begins with.
#define FMU_ALLOW(f, modes)                                                                        \
    do {                                                                                           \
        const fmu_status allowed_ = fmu_allow(f, __func__, modes);                                 \
        if (allowed_) return allowed_;                                                             \
    } while (0)

// The same for functions of model exchange.
#define FMU_EXCHANGE(f, modes)                                                                     \
    do {                                                                                           \
        FMU_ALLOW(f, modes);                                                                       \
        if (!(f)->exchange) return fmu_fail(f, "%s is of model exchange", __func__);               \
    } while (0)

// ---- the state of an instance (fmu_state.c) ----

typedef struct fmu_state {
    size_t count;
    double numbers[];
} fmu_state;

fmu_status fmu_state_get(fmu *f, void **state);
fmu_status fmu_state_set(fmu *f, const void *state);
fmu_status fmu_state_size(const fmu *f, const void *state, size_t *size);
fmu_status fmu_state_write(const fmu *f, const void *state, void *bytes, size_t size);
fmu_status fmu_state_read(const fmu *f, const void *bytes, size_t size, void **state);

// Makes the simulation, where it is not there or parameters have changed.
ARNE_CHECKED arne_status fmu_build(fmu *f, arne_error *error);

#endif
