// Three-vectors of doubles in one 256-bit register each (the fourth lane is whatever it is): half
// the instructions of one number at a time, and the texts above do not notice. A symmetric matrix
// is kept full here, which is cheaper than picking it apart.
#ifndef ARNE_MATH_VEC3_WIDE_H
#define ARNE_MATH_VEC3_WIDE_H

#include "math/real.h"

typedef double    vec3 __attribute__((vector_size(32)));
typedef double    vec3_anywhere __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long mask3 __attribute__((vector_size(32)));
typedef struct mat3 {
    vec3 x, y, z; // columns
} mat3;
typedef mat3 sym3;

#define SHUFFLE(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)

ARNE_FN vec3 v3(real x, real y, real z)
{
    const vec3 v = {x, y, z, 0};
    return v;
}
ARNE_FN real vx(vec3 a) { return a[0]; }
ARNE_FN real vy(vec3 a) { return a[1]; }
ARNE_FN real vz(vec3 a) { return a[2]; }
ARNE_FN vec3 v3_zero(void)
{
    const vec3 zero = {0, 0, 0, 0};
    return zero;
}
// What is in the place after the three is lost.
ARNE_FN void put_three(real *out, vec3 a) { *(vec3_anywhere *)(void *)out = a; }
ARNE_FN vec3 lift(arne_vec3 a) { return v3(a.x, a.y, a.z); }
ARNE_FN vec3 lift4(const constant3 *a) { return *(const vec3_anywhere *)(const void *)a; }

ARNE_FN vec3 add(vec3 a, vec3 b) { return a + b; }
ARNE_FN vec3 sub(vec3 a, vec3 b) { return a - b; }
ARNE_FN vec3 neg(vec3 a) { return -a; }
ARNE_FN vec3 scale(vec3 a, real s) { return a * s; }
ARNE_FN vec3 add_scaled(vec3 a, vec3 b, real s) { return a + b * s; }
ARNE_FN vec3 sub_scaled(vec3 a, vec3 b, real s) { return a - b * s; }
ARNE_FN real dot(vec3 a, vec3 b)
{
    const vec3 p = a * b;
    return p[0] + p[1] + p[2];
}
ARNE_FN vec3 mul3(vec3 a, vec3 b) { return a * b; }
ARNE_FN real sum3(vec3 a) { return a[0] + a[1] + a[2]; }
ARNE_FN void sum3_four(vec3 a, vec3 b, vec3 c, vec3 d, real *x, real *y, real *z, real *t)
{
    const vec3 ab_even = SHUFFLE(a, b, 0, 4, 2, 6), ab_odd = SHUFFLE(a, b, 1, 5, 3, 7);
    const vec3 cd_even = SHUFFLE(c, d, 0, 4, 2, 6), cd_odd = SHUFFLE(c, d, 1, 5, 3, 7);
    const vec3 sum = SHUFFLE(ab_even, cd_even, 0, 1, 4, 5) + SHUFFLE(ab_odd, cd_odd, 0, 1, 4, 5) +
                     SHUFFLE(ab_even, cd_even, 2, 3, 6, 7);
    *x = sum[0];
    *y = sum[1];
    *z = sum[2];
    *t = sum[3];
}
// Four vectors side by side: the x of all, the y and the z.
typedef struct four3 {
    vec3 x, y, z;
} four3;
ARNE_FN four3 four3_from(vec3 a, vec3 b, vec3 c, vec3 d)
{
    const vec3  ab_even = SHUFFLE(a, b, 0, 4, 2, 6), ab_odd = SHUFFLE(a, b, 1, 5, 3, 7);
    const vec3  cd_even = SHUFFLE(c, d, 0, 4, 2, 6), cd_odd = SHUFFLE(c, d, 1, 5, 3, 7);
    const four3 v = {SHUFFLE(ab_even, cd_even, 0, 1, 4, 5), SHUFFLE(ab_odd, cd_odd, 0, 1, 4, 5),
                     SHUFFLE(ab_even, cd_even, 2, 3, 6, 7)};
    return v;
}
// A square of four rows turned over.
ARNE_FN void turn_over(const vec3 *a, vec3 *t)
{
    const vec3 ab_even = SHUFFLE(a[0], a[1], 0, 4, 2, 6), ab_odd = SHUFFLE(a[0], a[1], 1, 5, 3, 7);
    const vec3 cd_even = SHUFFLE(a[2], a[3], 0, 4, 2, 6), cd_odd = SHUFFLE(a[2], a[3], 1, 5, 3, 7);
    t[0] = SHUFFLE(ab_even, cd_even, 0, 1, 4, 5);
    t[1] = SHUFFLE(ab_odd, cd_odd, 0, 1, 4, 5);
    t[2] = SHUFFLE(ab_even, cd_even, 2, 3, 6, 7);
    t[3] = SHUFFLE(ab_odd, cd_odd, 2, 3, 6, 7);
}
// In rows of n.
ARNE_FN void put_four(real *rows, int n, vec3 a, vec3 b, vec3 c, vec3 d)
{
    const four3 v = four3_from(a, b, c, d);
    *(vec3_anywhere *)(void *)rows = v.x;
    *(vec3_anywhere *)(void *)(rows + n) = v.y;
    *(vec3_anywhere *)(void *)(rows + 2 * n) = v.z;
}
ARNE_FN real dot2(vec3 a, vec3 b, vec3 c, vec3 d)
{
    const vec3 p = a * b + c * d;
    return p[0] + p[1] + p[2];
}
ARNE_FN vec3 turn_lanes(vec3 a) { return SHUFFLE(a, a, 1, 2, 0, 3); } // y, z, x
ARNE_FN vec3 cross(vec3 a, vec3 b) { return turn_lanes(a * turn_lanes(b) - turn_lanes(a) * b); }

ARNE_FN vec3 only(real s, long long x, long long y, long long z)
{
    const mask3 mask = {x, y, z, 0};
    const vec3  all = {s, s, s, s};
    return (vec3)((mask3)all & mask);
}
ARNE_FN vec3 add_x(vec3 a, real s) { return a + only(s, -1, 0, 0); }
ARNE_FN vec3 add_y(vec3 a, real s) { return a + only(s, 0, -1, 0); }
ARNE_FN vec3 add_z(vec3 a, real s) { return a + only(s, 0, 0, -1); }
ARNE_FN vec3 add_cross_z(vec3 a, vec3 b, real s)
{
    const vec3 sign = {1, -1, 0, 0};
    return a + SHUFFLE(b, b, 1, 0, 2, 3) * (sign * s);
}

ARNE_FN mat3 m3(vec3 x, vec3 y, vec3 z)
{
    mat3 m;
    m.x = x;
    m.y = y;
    m.z = z;
    return m;
}
ARNE_FN mat3 transpose(mat3 m)
{
    const vec3 low = SHUFFLE(m.x, m.y, 0, 4, 2, 6),
               high = SHUFFLE(m.x, m.y, 1, 5, 3, 7); // xx yx xz yz, xy yy . .
    const vec3 zl = SHUFFLE(m.z, m.z, 0, 0, 2, 2);
    return m3(SHUFFLE(low, zl, 0, 1, 4, 5), SHUFFLE(high, m.z, 0, 1, 5, 5),
              SHUFFLE(low, zl, 2, 3, 6, 7));
}
ARNE_FN vec3 rot_inv(mat3 R, vec3 a)
{
    const mat3 T = transpose(R);
    return T.x * a[0] + T.y * a[1] + T.z * a[2];
}
ARNE_FN mat3 skew(vec3 a)
{
    const vec3 x = {0, a[2], -a[1], 0}, y = {-a[2], 0, a[0], 0}, z = {a[1], -a[0], 0, 0};
    return m3(x, y, z);
}
ARNE_FN mat3 rate_matrix(vec3 w, vec3 dw)
{
    const vec3 ww = w * w, sum = SHUFFLE(ww, ww, 1, 0, 0, 3) +
                                 SHUFFLE(ww, ww, 2, 2, 1, 3); // yy+zz, xx+zz, xx+yy
    const vec3 minus_sum = -sum;
    const vec3 cyclic = w * turn_lanes(w);                   // xy, yz, zx
    const vec3 plus = cyclic + SHUFFLE(dw, dw, 2, 0, 1, 3);  // xy+dz, yz+dx, zx+dy
    const vec3 minus = cyclic - SHUFFLE(dw, dw, 2, 0, 1, 3); // xy-dz, yz-dx, zx-dy
    return m3(
        SHUFFLE(SHUFFLE(minus_sum, plus, 0, 4, 2, 3), minus, 0, 1, 6, 3),  // -(yy+zz), xy+dz, zx-dy
        SHUFFLE(SHUFFLE(minus, minus_sum, 0, 5, 2, 3), plus, 0, 1, 5, 3),  // xy-dz, -(xx+zz), yz+dx
        SHUFFLE(SHUFFLE(plus, minus, 2, 5, 2, 3), minus_sum, 0, 1, 6, 3)); // zx+dy, yz-dx, -(xx+yy)
}

ARNE_FN sym3 sym_lift(const constant_sym *c)
{
    return m3(lift4(&c->x), lift4(&c->y), lift4(&c->z));
}
ARNE_FN vec3 sym_x(sym3 A) { return A.x; }
ARNE_FN vec3 sym_y(sym3 A) { return A.y; }
ARNE_FN vec3 sym_z(sym3 A) { return A.z; }
ARNE_FN vec3 sym_mul(sym3 A, vec3 b) { return A.x * b[0] + A.y * b[1] + A.z * b[2]; }
ARNE_FN mat3 sym_full(sym3 A) { return A; }
ARNE_FN sym3 sym_add(sym3 a, sym3 b) { return m3(a.x + b.x, a.y + b.y, a.z + b.z); }
ARNE_FN sym3 sym_diagonal(real d)
{
    return m3(only(d, -1, 0, 0), only(d, 0, -1, 0), only(d, 0, 0, -1));
}
ARNE_FN sym3 sym_sub_outer(sym3 A, vec3 a, real s)
{
    const vec3 b = a * s;
    return m3(A.x - b * a[0], A.y - b * a[1], A.z - b * a[2]);
}
ARNE_FN sym3 sym_add_pair(sym3 A, mat3 K) { return sym_add(A, sym_add(K, transpose(K))); }
ARNE_FN vec3 wide_mul(mat3 R, vec3 a) { return R.x * a[0] + R.y * a[1] + R.z * a[2]; }
ARNE_FN sym3 sym_rotate(mat3 R, sym3 A)
{
    const mat3 T = m3(wide_mul(R, A.x), wide_mul(R, A.y), wide_mul(R, A.z));
    return m3(T.x * R.x[0] + T.y * R.y[0] + T.z * R.z[0],
              T.x * R.x[1] + T.y * R.y[1] + T.z * R.z[1],
              T.x * R.x[2] + T.y * R.y[2] + T.z * R.z[2]);
}
ARNE_FN sym3 sym_rotate_at(const mat3 *R, const constant_sym *A)
{
    const real *x = (const real *)(const void *)R, *y = x + 4, *z = y + 4;
    const vec3  a = R->x * A->x.x + R->y * A->x.y + R->z * A->x.z;
    const vec3  b = R->x * A->y.x + R->y * A->y.y + R->z * A->y.z;
    const vec3  c = R->x * A->z.x + R->y * A->z.y + R->z * A->z.z;
    return m3(a * x[0] + b * y[0] + c * z[0], a * x[1] + b * y[1] + c * z[1],
              a * x[2] + b * y[2] + c * z[2]);
}
ARNE_FN sym3 sym_move(sym3 J, vec3 r, vec3 h, vec3 g)
{
    const real d = dot(r, h + g);
    return m3(add_x(J.x - r * h[0] - g * r[0], d), add_y(J.y - r * h[1] - g * r[1], d),
              add_z(J.z - r * h[2] - g * r[2], d));
}
// J dw + w x J w
ARNE_FN vec3 gyration(mat3 U, vec3 w, vec3 dw, const constant_sym *J, const constant_sym *second)
{
    const sym3 I = sym_lift(J);
    (void)U;
    (void)second;
    return sym_mul(I, dw) + cross(w, sym_mul(I, w));
}

#endif
