// The laws of compliant contact, over any arithmetic.
#ifndef ARNE_MATH_PRESS_H
#define ARNE_MATH_PRESS_H

#include "math/real.h"
#include <arne/robot.h>

// How many points of a shape touch a surface.
ARNE_FN int shape_points(int shape)
{
    switch (shape) {
    case ARNE_SHAPE_CAPSULE:
        return 2;
    case ARNE_SHAPE_BOX:
    case ARNE_SHAPE_CYLINDER:
        return 8;
    case ARNE_SHAPE_DISC:
        return 4;
    default:
        return 1;
    }
}

// Hunt and Crossley's force at the penetration `depth`; 0 where that is negative, or where it would
// pull. (A trace under the root, so that its rate is finite where nothing touches.)
ARNE_FN real press_along(real depth, real rate, real stiffness, real dissipation)
{
    const real d = r_positive(depth);
    const real elastic = r_mul(stiffness, r_mul(d, r_sqrt(r_add(d, r_num(1e-30)))));
    const real damped = r_add(r_num(1), r_mul(r_num(1.5), r_mul(dissipation, rate)));
    return r_mul(elastic, r_positive(damped));
}

// What a velocity across, of which the square is given, is multiplied by to be friction.
ARNE_FN real press_across(real limit, real slip_velocity, real square)
{
    return r_neg(r_div(limit, r_sqrt(r_add(square, r_mul(slip_velocity, slip_velocity)))));
}

#endif
