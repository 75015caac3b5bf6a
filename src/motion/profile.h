// Time laws: how far along a way one is, from rest to rest.
#ifndef ARNE_MOTION_PROFILE_H
#define ARNE_MOTION_PROFILE_H

#include <arne/motion.h>

// Derivative orders 0 to 4 of everything that moves.
enum { ORDERS = 5 };

typedef struct profile {
    arne_profile kind;
    double       distance; // >= 0
    double       duration; // at full speed
    double       stretch;  // >= 1: how many times slower it is gone through
    // Of trapezoids and S-curves: speed, acceleration and jerk that are reached, and how long jerk,
    // steady acceleration and steady speed last.
    double v, a, j, t_jerk, t_acceleration, t_speed;
} profile;

// A polynomial of this duration.
profile profile_polynomial(arne_profile kind, double distance, double duration);
// The least time under limits; j counts for S-curves only. Limits may be infinite: of a trapezoid
// v, of an S-curve v and a.
profile profile_fastest(arne_profile kind, double distance, double v, double a, double j);
// Slows it so that it takes this long.
void profile_stretch(profile *p, double duration);
// The distance and its derivatives. Before 0 and after its end it rests.
void profile_at(const profile *p, double t, double out[ORDERS]);

#endif
