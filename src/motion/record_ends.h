// The ends of a recording, where a filter sees one side only.
#ifndef ARNE_MOTION_RECORD_ENDS_H
#define ARNE_MOTION_RECORD_ENDS_H

#include <stddef.h>

// A polynomial of degree 5 (see quintic.h) over the time of `count` samples, `stride` entries and
// `step` seconds apart, that has position, velocity and acceleration of both ends. What is left
// without it begins and ends with none of these, so that it may be continued point-symmetrically.
//
// Both ends are fitted by polynomials of degree 4 over 1 / cutoff, or over up to four times as much
// where the samples are no farther from the fit than noise, the square of its size.
void join_ends(int count, const double *x, ptrdiff_t stride, double step, double cutoff,
               double noise, double c[6]);

#endif
