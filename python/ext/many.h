// Many states of one call: their shape, and where their arrays lie.
#ifndef ARNE_PYTHON_MANY_H
#define ARNE_PYTHON_MANY_H

#include "call.h"
#include "lanes.h"

// The leading shape that all inputs broadcast to.
typedef struct states {
    int        rank;
    Py_ssize_t shape[MOST_DIMENSIONS];
    Py_ssize_t count;
} states;

// Entry i of state s is at[i * entry + s * state].
typedef struct array {
    double   *at;
    double   *copy; // to be freed, or NULL
    ptrdiff_t entry, state;
} array;

typedef struct run {
    request      *r;
    const states *all;
    array         in[VIEW_COUNT], out[METHOD_OUTPUTS];
    double       *zeros;
    int           interrupted; // by an exception of Python's, which is set
} run;

// py_batch.c: whether lanes can do it, and some of the states. Needs no GIL.
int         lanes_can(const request *r);
arne_status lanes_run(const run *u, lanes *l, Py_ssize_t first, Py_ssize_t count,
                      arne_error *error);

#endif
