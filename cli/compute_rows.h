// The rows of a CSV file of many states, made by several threads.
#ifndef CLI_MANY_ROWS_H
#define CLI_MANY_ROWS_H

#include "compute_many.h"

#include <stdio.h>

typedef struct rows_request {
    const quantity    *what;
    const request     *ask;
    const state       *states;
    int                count;
    const base_motion *base;
} rows_request;

// Writes header and rows. Where not all states can be solved, or a number is not finite, it writes
// nothing and returns 0.
int many_rows(const rows_request *rows, FILE *out);

#endif
