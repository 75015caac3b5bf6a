// The pieces of assembling that all modes share.
#ifndef ARNE_MECHANISM_ASSEMBLY_H
#define ARNE_MECHANISM_ASSEMBLY_H

#include "mechanism/loop_work.h"
#include <stdint.h>

// loop->fixed, from the options.
void assembly_fix(const arne_robot *r, arne_loop_work *loop, const arne_assembly_options *options);
// From q downhill; returns the closure error that is left. worst may be NULL.
double assembly_descend(const arne_robot *r, arne_work *w, arne_loop_work *loop, double tolerance,
                        int iterations, double *q, int *worst);
// Random coordinates where they may move.
void assembly_scatter(const arne_robot *r, const arne_loop_work *loop, uint64_t *seed, double *q);
// Angles that may move, by whole turns to within half a turn of the seed's.
void assembly_unwind(const arne_robot *r, const arne_loop_work *loop, const double *seed,
                     double *q);
int  assembly_branch(const arne_robot *r, arne_work *w, arne_loop_work *loop, const double *q);

#endif
