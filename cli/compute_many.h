// Quantities as the catalogue has them, by arne_batch: all states of a file at once, or one.
#ifndef CLI_MANY_H
#define CLI_MANY_H

#include "quantities.h"

typedef struct many many;

// How a base that is not free moves.
typedef struct base_motion {
    arne_pose   pose;
    arne_motion motion[3]; // velocity, acceleration, jerk
} base_motion;

// `count` states from `first` on. NULL where they cannot all be solved; the status and the error
// say why.
many *many_make(const quantity *what, const request *ask, const state *first, int count,
                const base_motion *base, arne_status *status, arne_error *error);
int   many_is_finite(const many *m);
// Whether there are so many that lanes pay.
int many_is_worth(int count);
// Adds the fields of one state, as the quantity's own `evaluate` does.
// The time of a state, where it has one: the first field.
void time_field(const state *at, result *out);
void many_fields(const many *m, int index, result *out);
void many_free(many *m);

#endif
