// An axis of a plot: numbers from low to high on pixels from start to end, and where its ticks are.
#ifndef ARNE_REPORT_AXIS_SCALE_H
#define ARNE_REPORT_AXIS_SCALE_H

#include "base/buffer.h"

typedef struct scale {
    double low, high, start, end;
    double step;     // between ticks: 1, 2 or 5 times a power of ten
    int    exponent; // tick labels are in units of 10^exponent
} scale;

// What a range of numbers has seen. Start with range_none.
typedef struct range {
    double low, high;
} range;

range range_none(void);
void  range_take(range *r, double value);

// A scale that shows the range with a margin of its own (a fraction of it), and has about so many
// intervals.
scale scale_make(range r, double margin, int intervals, double start, double end);
// The same unit on both axes: widens one of the two.
void scale_equal(scale *x, scale *y);

double scale_place(const scale *s, double value);

// Ticks are numbered from 0; their values are whole multiples of the step.
int    scale_ticks(const scale *s);
double scale_tick(const scale *s, int index);
void   scale_label(buffer *b, const scale *s, int index);
// "x 10^-3" where the labels are in such a unit, else nothing.
void scale_unit(buffer *b, const scale *s);

#endif
