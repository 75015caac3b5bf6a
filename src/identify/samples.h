// Regressors at random states, one below the other.
#ifndef ARNE_IDENTIFY_SAMPLES_H
#define ARNE_IDENTIFY_SAMPLES_H

#include "algo/regressor.k.h"
#include <arne/work.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct samples {
    int     rows, columns;
    double *A; // column-major
} samples;

// At least twice as many rows as parameters. The workspace's base stays where it is, unless it is
// prescribed: then it is anywhere and moves anyhow, and is put back. Returns 0 where there is no
// memory.
int          samples_make(const arne_robot *robot, arne_work *w, parameter_axes axes, uint64_t seed,
                          samples *out);
ARNE_FN void samples_free(samples *s)
{
    free(s->A);
    s->A = NULL;
}

#endif
