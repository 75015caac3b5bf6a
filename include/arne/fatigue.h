// Fatigue of a joint by the three-compartment model (Xia and Frey-Law, Journal of Biomechanics
// 41(14), 2008): the resting, active and fatigued parts add up to 1. For the intensity TL (torque
// over strength), with the rates F of fatigue and R of recovery,
//     d(fatigued)/dt = F active - R fatigued,  active = TL while TL <= 1 - fatigued.
// (The activation dynamics of the authors' controller takes a fraction of a second and is left
// out.)
#ifndef ARNE_FATIGUE_H
#define ARNE_FATIGUE_H

#include <arne/status.h>

typedef struct arne_fatigue {
    double fatigue, recovery; // F and R, 1/s; both 0: it does not tire
} arne_fatigue;

ARNE_BEGIN

// How long a rested joint can hold a constant intensity: t = -ln(1 - R (1 - TL) / (F TL)) / R, or
// for ever (INFINITY).
ARNE_API double arne_fatigue_endurance(arne_fatigue rates, double intensity);
// Advances the fatigued part (0 to 1) by `time` seconds at a constant intensity, exactly. Returns
// for how long the intensity was possible: `time`, or less.
ARNE_API double arne_fatigue_advance(arne_fatigue rates, double intensity, double time,
                                     double *fatigued);

ARNE_END

#endif
