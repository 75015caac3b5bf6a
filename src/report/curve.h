// A line of a drawing made of as few points as look the same.
#ifndef ARNE_REPORT_CURVE_H
#define ARNE_REPORT_CURVE_H

typedef struct point {
    double x, y;
} point;

// Of points whose x does not decrease: in every column of `width` pixels only the first, the
// lowest, the highest and the last. Returns how many are left, in place.
int curve_extremes(point *p, int count, double width);

// Leaves points out that are within `tolerance` of the line without them (Ramer, Douglas and
// Peucker), also those of a line that turns back. Returns how many are left, in place; -1: out of
// memory.
int curve_simplify(point *p, int count, double tolerance);

#endif
