// Rotations outside of the recursions, in plain doubles: rotation vectors, and quaternions x, y, z,
// w.
#ifndef ARNE_MATH_ROTATION_H
#define ARNE_MATH_ROTATION_H

#include "math/vec3.h"
#include <math.h>

// The rotation vector of R, at most pi long.
static inline vec3 rotation_log(mat3 R)
{
    const mat3   T = transpose(R);
    const vec3   s = scale(v3(vz(R.y) - vz(T.y), vx(R.z) - vx(T.z), vy(R.x) - vy(T.x)), 0.5);
    const double sine = sqrt(dot(s, s)), cosine = 0.5 * (vx(R.x) + vy(R.y) + vz(R.z) - 1);
    const double angle = atan2(sine, cosine);
    if (sine > 1e-8 * (1 + cosine) && sine > 1e-12) return scale(s, angle / sine);
    if (cosine > 0) return s;
    // half a turn: the axis is the longest column of R + 1
    const vec3 x = add_x(R.x, 1), y = add_y(R.y, 1), z = add_z(R.z, 1);
    vec3       best = x;
    best = dot(y, y) > dot(best, best) ? y : best;
    best = dot(z, z) > dot(best, best) ? z : best;
    return scale(best, angle / sqrt(dot(best, best)));
}

static inline void quaternion_mul(const double *a, const double *b, double *out)
{
    const double x = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    const double y = a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2];
    const double z = a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0];
    const double w = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
    out[0] = x;
    out[1] = y;
    out[2] = z;
    out[3] = w;
}

static inline void quaternion_exp(vec3 turn, double *h)
{
    const double angle = sqrt(dot(turn, turn)), half = 0.5 * angle;
    const double s = angle > 1e-4 ? sin(half) / angle : 0.5 - angle * angle / 48;
    h[0] = s * vx(turn);
    h[1] = s * vy(turn);
    h[2] = s * vz(turn);
    h[3] = cos(half);
}

// The rotation vector of a unit quaternion, at most pi long.
static inline vec3 quaternion_log(const double *h)
{
    const double sign = h[3] < 0 ? -1 : 1;
    const vec3   v = scale(v3(h[0], h[1], h[2]), sign);
    const double s = sqrt(dot(v, v)), c = sign * h[3];
    const double angle = 2 * atan2(s, c);
    return scale(v, s > 1e-8 ? angle / s : 2);
}

static inline vec3 quaternion_turn(const double *h, vec3 a)
{
    const vec3 v = v3(h[0], h[1], h[2]), t = scale(cross(v, a), 2);
    return add(add_scaled(a, t, h[3]), cross(v, t));
}

#endif
