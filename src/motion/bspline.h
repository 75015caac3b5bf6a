// What a B-spline basis is made of.
#ifndef ARNE_MOTION_BSPLINE_H
#define ARNE_MOTION_BSPLINE_H

#include <arne/motion.h>

struct arne_bspline {
    int    degree, count;
    int    even;    // evenly spaced breaks
    double knots[]; // count + degree + 1, on [0, 1]
};

// One derivative order of the functions alive at t: degree + 1 numbers. Returns the first of them.
int bspline_row(const arne_bspline *b, double T, double t, int order, double *row);

#endif
