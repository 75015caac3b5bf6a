// An exciting motion as a problem without constraints: Fourier series q(t) = q0 + sum of a_k sin(k
// w t) + b_k cos(k w t), whose last coefficients follow from the others so that the motion starts
// and ends at rest (qd = qdd = 0 at t = 0); or splines of degree 5 with as many numbers, whose
// first and last three points are one. What is minimised is -log det of the base parameters'
// weighted information and, for every limit at every sample, -mu log of how much of it is left (an
// interior point method: every point on the way keeps the limits).
#ifndef ARNE_IDENTIFY_EXCITATION_H
#define ARNE_IDENTIFY_EXCITATION_H

#include "identify/complex_regressor.h"
#include "identify/study.h"
#include <arne/motion.h>

typedef struct excitation {
    arne_identify     *study; // for its model
    const arne_robot  *robot;
    arne_work         *work;
    complex_regressor *derivative;
    arne_bspline      *spline;                                  // NULL: Fourier series
    int                n, harmonics, samples, per_joint, count; // count: of variables
    double             period, mu;
    int                no_memory; // an allocation failed where only a number is returned
    double            *low, *high, *speed, *rate, *effort, *noise; // by joint, with the margin
    const int         *frames;
    int                frame_count;
    double             floor;
    double            *scale; // of the model's columns
    double            *Y, *y; // of one sample; of all, samples x n x columns
    double            *G, *C; // information; of one sample's rows
    double            *dY, *state, *slope, *tau, *jacobian;
} excitation;

int  excitation_new(excitation *e); // after its sizes and limits are set. 0: no memory
void excitation_free(excitation *e);
// From Fourier series to splines. 0: no memory.
int excitation_splines(excitation *e);

// q, qd, qdd (n each, behind each other) at a part of the period.
void excitation_state(const excitation *e, const double *x, double part, double *state);
// INFINITY where a limit is missed.
double excitation_value(excitation *e, const double *x, double *gradient);
// The largest part of a limit that is used, over so many samples; which: 1 to 5: position,
// velocity, acceleration, torque, floor.
double excitation_worst(excitation *e, const double *x, int samples, int *which, int *joint);
// The condition of the regressor with columns of length 1, not weighted; and where asked for the
// deviations to be expected.
double excitation_condition(excitation *e, const double *x, double *deviation);
// Minimises from a motion within limits.
void excitation_search(excitation *e, double *x, int iterations);

#endif
