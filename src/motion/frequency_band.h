// How far the frequencies of a recorded motion reach out of its noise.
#ifndef ARNE_MOTION_FREQUENCY_BAND_H
#define ARNE_MOTION_FREQUENCY_BAND_H

// Noise is what the upper half of the frequencies has, and the motion reaches as far as it stands
// out of it [Hz]. Every stride-th number, in equal steps.
double motion_reach(int count, const double *x, int stride, double step);

#endif
