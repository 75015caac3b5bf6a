// A rotation over time, with its angular velocity in body axes and the derivatives of that: a
// product of turns about fixed axes, R = R0 exp(b1(t) d1) exp(b2(t) d2) ..., or a curve of
// quaternions that need not have unit length.
#ifndef ARNE_MOTION_TURNING_H
#define ARNE_MOTION_TURNING_H

#include "math/vec3.h"
#include "motion/profile.h"

enum { RATES = ORDERS - 1 };

typedef struct turning {
    double h[4];     // quaternion x, y, z, w
    vec3   w[RATES]; // angular velocity and its derivatives
} turning;

// At rest at a quaternion.
turning turning_at(const double *h);
// One more turn on the right: by b[0] d, where b[k] is the k-th derivative of b.
void turning_add(turning *r, vec3 d, const double b[ORDERS]);
// From a quaternion of any length but zero, and its derivatives.
turning turning_of(const double x[ORDERS][4]);
// R^T x and its derivatives, from x and its derivatives.
void turning_into(const turning *r, const vec3 x[RATES], vec3 out[RATES]);

#endif
