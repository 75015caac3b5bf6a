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

typedef enum rows_outcome {
    ROWS_NONE, // not all states can be solved, or a number is not finite: nothing is written
    ROWS_WRITTEN,
    ROWS_NO_MEMORY // nothing is written
} rows_outcome;

// Writes header and rows.
rows_outcome many_rows(const rows_request *rows, FILE *out);

#endif
