// Butterworth low-pass filters that run forward and backward, so that they delay nothing.
//
// A filter of order n is a chain of sections of second order, and one of first order where n is
// odd, from the poles on a circle by the bilinear transform with the cut-off where it was asked
// for. Both ways together the amplitude at the cut-off is one half.
#ifndef ARNE_MOTION_BUTTERWORTH_H
#define ARNE_MOTION_BUTTERWORTH_H

#include <arne/robot.h>
#include <stddef.h>

enum { BUTTERWORTH_MOST = 12 }; // order

typedef struct filter_section {
    double b0, b1, b2, a1, a2;
} filter_section;

typedef struct butterworth {
    int            count; // of sections
    filter_section section[(BUTTERWORTH_MOST + 1) / 2];
} butterworth;

// cutoff below half of 1 / step.
butterworth butterworth_make(int order, double cutoff, double step);
// How many samples an end of a sequence is felt: to a part of 1e-8, both ways.
int butterworth_reach(int order, double cutoff, double step);
// Filters `channels` sequences of `count` samples, which lie in rows that are `stride` apart, both
// ways and in place. Each way starts from the state that a constant input would have left. robot
// says which instruction set; NULL: any.
void butterworth_both_ways(const arne_robot *robot, const butterworth *f, int count, int channels,
                           ptrdiff_t stride, double *x);

#endif
