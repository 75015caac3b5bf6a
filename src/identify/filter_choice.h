// The cut-off of the position filter, from the spectra of the recorded motion.
//
// Of every joint the power spectrum of its velocity is found: from positions (times omega^2) and
// from velocities, where these are recorded. Frequencies count where the spectrum stands out of the
// noise of the recorded quantity. (Differences of positions have noise that grows with omega^2, so
// that all of it would stand out.) Noise is what the upper half of the spectrum has; towards lower
// frequencies it grows as from the upper octave to the one below, with omega^-2 at most: times that
// jitter give positions such noise. The band ends where 99.9 % of the velocity's power lie below.
//
// Let S and N be the spectra of motion and noise, times what makes them those of the acceleration,
// and H the filter. The noise of filtered accelerations is sum H^2 N, and what they miss of the
// motion sum (1 - H)^2 S, over all frequencies; as parts of sum S, added up over joints and logs.
// The cut-off is 15 times the band, so that torques keep harmonics of the motion, which friction
// has; or the highest below that at which the noise does no harm; or where there is none the one
// with the least sum of both errors. It is 2.5 times the band at least.
#ifndef ARNE_IDENTIFY_FILTER_CHOICE_H
#define ARNE_IDENTIFY_FILTER_CHOICE_H

#include "identify/study.h"

enum { FILTER_CELLS = 320 }; // of frequencies, eight in an octave

typedef struct filter_choice {
    double band;                                      // the widest so far [Hz]
    double signal[FILTER_CELLS], noise[FILTER_CELLS]; // of accelerations
} filter_choice;

// Adds a log: rows of 1 + 3 n numbers (time, q, qd, qdd), every `every`-th of the log. 0 without
// memory.
int filter_choice_add(filter_choice *f, const log_entry *e, int n, const double *rows, int count,
                      long every);
// The cut-off [Hz] of a filter of this order; 0: no motion stands out of the noise.
double filter_choice_cutoff(const filter_choice *f, int order);

#endif
