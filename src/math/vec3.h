// Three-vectors and 3 x 3 matrices over any arithmetic: the layout fits the arithmetic, the
// operations are the same.
#ifndef ARNE_MATH_VEC3_H
#define ARNE_MATH_VEC3_H

// Numbers of the robot, padded so that a vector register can be filled at once.
typedef struct constant3 {
    double x, y, z, zero;
} constant3;
// A symmetric matrix by its columns.
typedef struct constant_sym {
    constant3 x, y, z;
} constant_sym;

#include "math/real.h"
#ifdef ARNE_WIDE
#include "math/vec3_wide.h"
#else
#include "math/vec3_plain.h"
#endif

// Lanes have the registers, and the time while one step of a recursion waits for the last,
// to find poses on the way; one state is faster with all poses found first.
#if defined ARNE_LANES
enum { POSES_FIRST = 0 };
#else
enum { POSES_FIRST = 1 };
#endif

ARNE_FN mat3 m3_zero(void) { return m3(v3_zero(), v3_zero(), v3_zero()); }
ARNE_FN mat3 m3_add(mat3 a, mat3 b) { return m3(add(a.x, b.x), add(a.y, b.y), add(a.z, b.z)); }
ARNE_FN mat3 m3_sub(mat3 a, mat3 b) { return m3(sub(a.x, b.x), sub(a.y, b.y), sub(a.z, b.z)); }
ARNE_FN mat3 m3_scale(mat3 a, real s) { return m3(scale(a.x, s), scale(a.y, s), scale(a.z, s)); }
// R a
ARNE_FN vec3 rot(mat3 R, vec3 a)
{
    return add_scaled(add_scaled(scale(R.x, vx(a)), R.y, vy(a)), R.z, vz(a));
}
ARNE_FN mat3 m3_mul(mat3 A, mat3 B) { return m3(rot(A, B.x), rot(A, B.y), rot(A, B.z)); }
// The same with the second factor in memory, from where a register is filled with one number as
// quickly as with four.
#ifdef ARNE_WIDE
ARNE_FN vec3 rot_numbers(mat3 R, const real *a) { return R.x * a[0] + R.y * a[1] + R.z * a[2]; }
ARNE_FN vec3 rot_at(mat3 R, const vec3 *a) { return rot_numbers(R, (const real *)(const void *)a); }
ARNE_FN vec3 rot_constant(mat3 R, const constant3 *a) { return rot_numbers(R, &a->x); }
#else
ARNE_FN vec3 rot_at(mat3 R, const vec3 *a) { return rot(R, *a); }
ARNE_FN vec3 rot_constant(mat3 R, const constant3 *a) { return rot(R, lift4(a)); }
#endif
ARNE_FN mat3 m3_mul_at(mat3 A, const mat3 *B)
{
    return m3(rot_at(A, &B->x), rot_at(A, &B->y), rot_at(A, &B->z));
}
// a x m, column by column.
ARNE_FN mat3 cross_m3(vec3 a, mat3 m) { return m3(cross(a, m.x), cross(a, m.y), cross(a, m.z)); }
// a b^T
ARNE_FN mat3 outer(vec3 a, vec3 b) { return m3(scale(a, vx(b)), scale(a, vy(b)), scale(a, vz(b))); }
// [ddw] + 2 [dw][w] + [w][dw] + [w][w][w]: what rate_matrix is to acceleration, this is to jerk.
// With P = w dw^T the two products in the middle are 2 P + P^T - 3 (w.dw) 1, and the last is -(w.w)
// [w].
ARNE_FN mat3 jerk_matrix(vec3 w, vec3 dw, vec3 ddw)
{
    const mat3 P = outer(w, dw), T = transpose(P), K = skew(sub_scaled(ddw, w, dot(w, w)));
    const real d = r_add(r_add(vx(P.x), vy(P.y)), vz(P.z)), minus = r_neg(r_add(d, r_add(d, d)));
    const mat3 Q = m3_add(m3_add(P, P), m3_add(T, K));
    return m3(add_x(Q.x, minus), add_y(Q.y, minus), add_z(Q.z, minus));
}

#endif
