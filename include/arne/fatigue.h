// Fatigue of a joint, by three compartments (Xia and Frey-Law, Journal of Biomechanics 41(14),
// 2008): what rests, what is active and what is fatigued add up to 1. An intensity TL (torque over
// strength) takes what is active; it fatigues at rate F and
// recovers at rate R:  d(fatigued)/dt = F active - R fatigued,  active = TL as long as TL <= 1 -
//                      fatigued.
// (The activation that the authors' controller brings takes a fraction of a second, and is left
// out.)
#ifndef ARNE_FATIGUE_H
#define ARNE_FATIGUE_H

#include <arne/status.h>

typedef struct arne_fatigue {
    double fatigue, recovery; // F and R, 1/s; both 0: it does not tire
} arne_fatigue;

ARNE_BEGIN

// How long a constant intensity can be held from rest: t = -ln(1 - R (1 - TL) / (F TL)) / R, or for
// ever (INFINITY).
ARNE_API double arne_fatigue_endurance(arne_fatigue rates, double intensity);
// Advances what is fatigued (0 to 1) by `time` seconds at a constant intensity, exactly. Returns
// how long of it the intensity was possible: `time`, or less.
ARNE_API double arne_fatigue_advance(arne_fatigue rates, double intensity, double time,
                                     double *fatigued);

ARNE_END

#endif
