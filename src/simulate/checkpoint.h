// Where a run stands, as a list of numbers: everything that decides how it goes on. One walk over
// all of it counts, saves or loads, so that the three cannot disagree.
#ifndef ARNE_SIMULATE_CHECKPOINT_H
#define ARNE_SIMULATE_CHECKPOINT_H

#include "simulate/integrator.h"
#include "simulate/result_rows.h"

typedef enum checkpoint_way { CHECKPOINT_COUNT, CHECKPOINT_SAVE, CHECKPOINT_LOAD } checkpoint_way;

typedef struct checkpoint {
    checkpoint_way way;
    double        *numbers;
    size_t         count, at;
    int            bad;  // loading: it is of another run
    int            most; // counting: with lists as long as they can be
} checkpoint;

void checkpoint_numbers(checkpoint *c, double *values, size_t count);
void checkpoint_int(checkpoint *c, int *value);
void checkpoint_long(checkpoint *c, long *value);
// A number that must be the same when it is loaded.
void checkpoint_same(checkpoint *c, double value);

void checkpoint_integrator(checkpoint *c, arne_integrator *it);
void checkpoint_plant(checkpoint *c, plant *p);
// Which pairs of links may touch, and of the rigid model what its next step starts from. NULL:
// none.
void checkpoint_contact(checkpoint *c, arne_world *w);
void checkpoint_record(checkpoint *c, record *r);
void checkpoint_controller(checkpoint *c, arne_controller *controller);

#endif
