// A simulation in the hands of a caller, as arne_simulate holds it, too.
#ifndef ARNE_SIMULATE_SIMULATION_H
#define ARNE_SIMULATE_SIMULATION_H

#include "simulate/checkpoint.h"
#include "simulate/plant.h"
#include <arne/simulation.h>

struct arne_simulation {
    arne_simulation_spec spec;
    plant                plant;
    arne_integrator     *it;
    double              *q, *qd;     // room for a state that is changed; side by side
    double               sample_due; // when the controller is next evaluated
    long                 samples;
    int                  ended;   // `why` says so: by a limit, or the stop function
    int                  stopped; // by the latter
    char                 why[200];
    long                 limits_hit; // of positions
    long                 limit_event_count;
    arne_limit_event     limit_events[ARNE_LIMIT_EVENTS];
    // Of one that is stepped: torques of the caller go through a controller, which knows the limits
    // of motors. `tau` are those that it gives.
    double            step, origin; // time is origin + count * step
    long              count;
    arne_controller  *given;
    const double     *tau;
    double           *state, *fresh; // room for a state; the state before the start
    size_t            state_size;
    arne_surrounding *surroundings; // copies of what the spec points to
    double           *start;
    unsigned char    *followed;
};

// Plant and integrator of s->spec, which is checked. simulation_end also after a failure.
ARNE_CHECKED arne_status simulation_make(arne_simulation *s, arne_error *error);
void                     simulation_end(arne_simulation *s);
// The state at time 0; NULL: of the reference, else neutral and at rest. Plant and integrator are
// as they were made.
ARNE_CHECKED arne_status simulation_start(arne_simulation *s, const double *q, const double *qd,
                                          arne_error *error);
// Lets friction decide anew who sticks, after torques have changed.
ARNE_CHECKED arne_status simulation_decide(arne_simulation *s, arne_error *error);
// Evaluates the controller now.
ARNE_CHECKED arne_status simulation_control(arne_simulation *s, arne_error *error);
// Evaluates the controller if a sample is due.
ARNE_CHECKED arne_status simulation_sample(arne_simulation *s, arne_error *error);
// On to a time, with samples and events on the way; s->ended if it ended before.
ARNE_CHECKED arne_status simulation_go(arne_simulation *s, double until, arne_error *error);
void                     simulation_stop(arne_simulation *s);
// Counts, time, limits that were reached, figures of loops and rigid contact.
void simulation_summarise(const arne_simulation *s, arne_simulation_summary *out);
// Everything that decides how it goes on.
void simulation_walk(arne_simulation *s, checkpoint *c);
// After a checkpoint was loaded: solvers whose memory it does not have start anew.
ARNE_CHECKED arne_status simulation_resume(arne_simulation *s, arne_error *error);

#endif
