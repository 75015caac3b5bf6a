// Vectors of the public headers, for code that works on what users see.
#ifndef ARNE_MATH_VECTORS_H
#define ARNE_MATH_VECTORS_H

#include <arne/types.h>

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
