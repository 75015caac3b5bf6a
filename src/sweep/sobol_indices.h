// How much of a figure's variance each parameter explains.
#ifndef ARNE_SWEEP_SOBOL_INDICES_H
#define ARNE_SWEEP_SOBOL_INDICES_H

typedef struct sobol_index {
    double first,
        first_within; // of the parameter alone; half of the interval that holds 95 % of resamples
    double total, total_within; // with all that it does together with others
} sobol_index;

// values: `samples` groups of parameters + 2 rows, as the design saltelli makes them; a group with
// a value that is no number does not count. Returns how many groups counted; 0 where memory is
// short or nothing varies.
int sobol_indices(const double *values, int samples, int parameters, sobol_index *out);

#endif
