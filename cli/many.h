// All states of a file at once, for the quantities that arne_batch covers.
#ifndef CLI_MANY_H
#define CLI_MANY_H

#include "quantities.h"

typedef struct many many;

// NULL where the quantity is not covered, or where the states cannot all be solved: then they are taken one by one, and
// the one that fails says why. A base that is not free moves as `pose` and its velocity,
// acceleration and jerk say.
many *many_make(const quantity *what, const request *ask, const state_list *states,
                const arne_pose *pose, const arne_motion base_motion[3]);
// Adds the fields of one state, as the quantity's own `evaluate` does.
void many_fields(const many *m, int index, result *out);
void many_free(many *m);

#endif
