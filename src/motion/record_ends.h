// The ends of a recording, where a filter sees one side only.
#ifndef ARNE_MOTION_RECORD_ENDS_H
#define ARNE_MOTION_RECORD_ENDS_H

#include <stddef.h>

// A polynomial of degree 5 in the time since the first sample [s].
typedef struct quintic {
    double c[6];
} quintic;

// Goes through position, velocity and acceleration of both ends of `count` samples, `stride`
// entries and `step` seconds apart. What is left without it begins and ends with none of these, so
// that it may be continued point-symmetrically.
//
// Both ends are fitted by polynomials of degree 4 over 1 / cutoff, or over up to four times as much
// where the samples are no farther from the fit than noise, the square of its size.
quintic quintic_of_ends(int count, const double *x, ptrdiff_t stride, double step, double cutoff,
                        double noise);
// Its derivative of order 0, 1 or 2.
double quintic_at(const quintic *p, int order, double t);

#endif
