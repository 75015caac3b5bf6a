// Regressors at random states, one below the other.
#ifndef ARNE_IDENTIFY_RANDOM_REGRESSORS_H
#define ARNE_IDENTIFY_RANDOM_REGRESSORS_H

#include "algo/regressor.k.h"
#include <arne/work.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct samples {
    int     rows, columns;
    double *A; // column-major
} samples;

// At least twice as many rows as parameters. A prescribed base gets random poses and motions, and
// is then reset; other bases stay. Returns 0 without memory.
int          samples_make(const arne_robot *robot, arne_work *w, parameter_axes axes, uint64_t seed,
                          samples *out);
ARNE_FN void samples_free(samples *s)
{
    free(s->A);
    s->A = NULL;
}

#endif
