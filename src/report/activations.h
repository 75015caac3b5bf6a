#ifndef ARNE_REPORT_ACTIVATIONS_H
#define ARNE_REPORT_ACTIVATIONS_H

#include "report/motion.h"

// Activations of all muscles for each frame, NaN where they are not known: from the columns
// activation.NAME of the result or of another table, whose time at the start of the run is `start`.
// *out is NULL where nothing is known; the caller frees it.
ARNE_CHECKED arne_status activations_make(const run *r, const figure *f, const arne_table *table,
                                          double start, float **out, arne_error *error);

#endif
