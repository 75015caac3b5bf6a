// Many states in the lanes of registers and on several threads: batches that are lent to calls.
#ifndef ARNE_PYTHON_LANES_H
#define ARNE_PYTHON_LANES_H

#include "ext.h"

struct lanes {
    arne_batch *batch;
    pid_t       process; // that made it: a child has no such threads
    int         threads; // asked for
};

// Needs no GIL.
arne_status lanes_take(robot_object *self, lanes **out, arne_error *error);
void        lanes_give(robot_object *self, lanes *l);
void        lanes_free(lanes *l);

// How many threads batches use from now on; 0: one for each processor.
void lanes_set_threads(int threads);
int  lanes_threads(void);

#endif
