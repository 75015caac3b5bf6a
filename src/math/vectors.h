// Vectors of the public headers, for code that works on what users see.
#ifndef ARNE_MATH_VECTORS_H
#define ARNE_MATH_VECTORS_H

#include <arne/types.h>
#include <math.h>

static inline double    dot3(arne_vec3 a, arne_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline arne_vec3 add3(arne_vec3 a, arne_vec3 b)
{
    return (arne_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline arne_vec3 sub3(arne_vec3 a, arne_vec3 b)
{
    return (arne_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline arne_vec3 cross3(arne_vec3 a, arne_vec3 b)
{
    return (arne_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline arne_vec3 scale3(arne_vec3 a, double s)
{
    return (arne_vec3){a.x * s, a.y * s, a.z * s};
}
// a + s b
static inline arne_vec3 add_scaled3(arne_vec3 a, arne_vec3 b, double s)
{
    return (arne_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline double norm3(arne_vec3 a) { return sqrt(dot3(a, a)); }
static inline double component3(arne_vec3 a, int k) { return k == 0 ? a.x : k == 1 ? a.y : a.z; }
// From the axes R to those that R is given in, and back.
static inline arne_vec3 out_of3(const arne_mat3 *R, arne_vec3 a)
{
    return (arne_vec3){R->x.x * a.x + R->y.x * a.y + R->z.x * a.z,
                       R->x.y * a.x + R->y.y * a.y + R->z.y * a.z,
                       R->x.z * a.x + R->y.z * a.y + R->z.z * a.z};
}
static inline arne_vec3 into3(const arne_mat3 *R, arne_vec3 a)
{
    return (arne_vec3){R->x.x * a.x + R->x.y * a.y + R->x.z * a.z,
                       R->y.x * a.x + R->y.y * a.y + R->y.z * a.z,
                       R->z.x * a.x + R->z.y * a.y + R->z.z * a.z};
}

#endif
