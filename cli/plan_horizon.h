// arne plan of problems with solver: {method: riccati}.
#ifndef ARNE_CLI_PLAN_HORIZON_H
#define ARNE_CLI_PLAN_HORIZON_H

typedef struct horizon_args {
    const char *out;
    int         quiet, plots, view;
} horizon_args;

// Solves and writes the run; the exit status.
int plan_horizon(const char *path, const horizon_args *args);

#endif
