// Three-vectors, rotations and symmetric matrices, one real at a time: for every arithmetic.
#ifndef ARNE_MATH_VEC3_PLAIN_H
#define ARNE_MATH_VEC3_PLAIN_H

#include "math/real.h"

typedef struct vec3 {
    real x, y, z;
} vec3;
typedef struct mat3 {
    vec3 x, y, z; // columns
} mat3;
typedef struct sym3 {
    real xx, yy, zz, xy, xz, yz;
} sym3;

ARNE_FN vec3 v3(real x, real y, real z)
{
    vec3 v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}
ARNE_FN real vx(vec3 a) { return a.x; }
ARNE_FN real vy(vec3 a) { return a.y; }
ARNE_FN real vz(vec3 a) { return a.z; }
ARNE_FN vec3 v3_zero(void) { return v3(r_num(0), r_num(0), r_num(0)); }
ARNE_FN void put_three(real *out, vec3 a)
{
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
}
ARNE_FN vec3 lift(arne_vec3 a) { return v3(r_num(a.x), r_num(a.y), r_num(a.z)); }
ARNE_FN vec3 lift4(const constant3 *a) { return v3(r_num(a->x), r_num(a->y), r_num(a->z)); }

ARNE_FN vec3 add(vec3 a, vec3 b) { return v3(r_add(a.x, b.x), r_add(a.y, b.y), r_add(a.z, b.z)); }
ARNE_FN vec3 sub(vec3 a, vec3 b) { return v3(r_sub(a.x, b.x), r_sub(a.y, b.y), r_sub(a.z, b.z)); }
ARNE_FN vec3 neg(vec3 a) { return v3(r_neg(a.x), r_neg(a.y), r_neg(a.z)); }
ARNE_FN vec3 scale(vec3 a, real s) { return v3(r_mul(a.x, s), r_mul(a.y, s), r_mul(a.z, s)); }
// a + s b and a - s b
ARNE_FN vec3 add_scaled(vec3 a, vec3 b, real s)
{
    return v3(r_add_mul(a.x, b.x, s), r_add_mul(a.y, b.y, s), r_add_mul(a.z, b.z, s));
}
ARNE_FN vec3 sub_scaled(vec3 a, vec3 b, real s)
{
    return v3(r_sub_mul(a.x, b.x, s), r_sub_mul(a.y, b.y, s), r_sub_mul(a.z, b.z, s));
}
ARNE_FN real dot(vec3 a, vec3 b)
{
    return r_add_mul(r_add_mul(r_mul(a.x, b.x), a.y, b.y), a.z, b.z);
}
// Products of components, and the sum of components: of one, and of four vectors side by side.
ARNE_FN vec3 mul3(vec3 a, vec3 b) { return v3(r_mul(a.x, b.x), r_mul(a.y, b.y), r_mul(a.z, b.z)); }
ARNE_FN real sum3(vec3 a) { return r_add(r_add(a.x, a.y), a.z); }
ARNE_FN void sum3_four(vec3 a, vec3 b, vec3 c, vec3 d, real *x, real *y, real *z, real *t)
{
    *x = sum3(a);
    *y = sum3(b);
    *z = sum3(c);
    *t = sum3(d);
}
// a.b + c.d, and two of them at once
ARNE_FN real dot2(vec3 a, vec3 b, vec3 c, vec3 d) { return r_add(dot(a, b), dot(c, d)); }
ARNE_FN vec3 cross(vec3 a, vec3 b)
{
    return v3(r_sub_mul(r_mul(a.y, b.z), a.z, b.y), r_sub_mul(r_mul(a.z, b.x), a.x, b.z),
              r_sub_mul(r_mul(a.x, b.y), a.y, b.x));
}
// a with one component larger by s
ARNE_FN vec3 add_x(vec3 a, real s) { return v3(r_add(a.x, s), a.y, a.z); }
ARNE_FN vec3 add_y(vec3 a, real s) { return v3(a.x, r_add(a.y, s), a.z); }
ARNE_FN vec3 add_z(vec3 a, real s) { return v3(a.x, a.y, r_add(a.z, s)); }
// a + s (b x z)
ARNE_FN vec3 add_cross_z(vec3 a, vec3 b, real s)
{
    return v3(r_add_mul(a.x, b.y, s), r_sub_mul(a.y, b.x, s), a.z);
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
    return m3(v3(m.x.x, m.y.x, m.z.x), v3(m.x.y, m.y.y, m.z.y), v3(m.x.z, m.y.z, m.z.z));
}
// R^T a
ARNE_FN vec3 rot_inv(mat3 R, vec3 a) { return v3(dot(R.x, a), dot(R.y, a), dot(R.z, a)); }
// The matrix [a] of the cross product: [a] b = a x b.
ARNE_FN mat3 skew(vec3 a)
{
    const real o = r_num(0);
    return m3(v3(o, a.z, r_neg(a.y)), v3(r_neg(a.z), o, a.x), v3(a.y, r_neg(a.x), o));
}
// [dw] + [w][w]: a point r of a body that turns with w and dw is accelerated by this times r.
ARNE_FN mat3 rate_matrix(vec3 w, vec3 dw)
{
    const real xx = r_mul(w.x, w.x), yy = r_mul(w.y, w.y), zz = r_mul(w.z, w.z);
    const real xy = r_mul(w.x, w.y), xz = r_mul(w.x, w.z), yz = r_mul(w.y, w.z);
    return m3(v3(r_neg(r_add(yy, zz)), r_add(xy, dw.z), r_sub(xz, dw.y)),
              v3(r_sub(xy, dw.z), r_neg(r_add(xx, zz)), r_add(yz, dw.x)),
              v3(r_add(xz, dw.y), r_sub(yz, dw.x), r_neg(r_add(xx, yy))));
}

ARNE_FN sym3 sym_lift(const constant_sym *c)
{
    sym3 s;
    s.xx = r_num(c->x.x);
    s.yy = r_num(c->y.y);
    s.zz = r_num(c->z.z);
    s.xy = r_num(c->x.y);
    s.xz = r_num(c->x.z);
    s.yz = r_num(c->y.z);
    return s;
}
ARNE_FN vec3 sym_x(sym3 A) { return v3(A.xx, A.xy, A.xz); }
ARNE_FN vec3 sym_y(sym3 A) { return v3(A.xy, A.yy, A.yz); }
ARNE_FN vec3 sym_z(sym3 A) { return v3(A.xz, A.yz, A.zz); }
ARNE_FN vec3 sym_mul(sym3 A, vec3 b)
{
    return v3(dot(sym_x(A), b), dot(sym_y(A), b), dot(sym_z(A), b));
}
ARNE_FN mat3 sym_full(sym3 A) { return m3(sym_x(A), sym_y(A), sym_z(A)); }
ARNE_FN sym3 sym_add(sym3 a, sym3 b)
{
    a.xx = r_add(a.xx, b.xx);
    a.yy = r_add(a.yy, b.yy);
    a.zz = r_add(a.zz, b.zz);
    a.xy = r_add(a.xy, b.xy);
    a.xz = r_add(a.xz, b.xz);
    a.yz = r_add(a.yz, b.yz);
    return a;
}
ARNE_FN sym3 sym_scale(sym3 a, real s)
{
    sym3 A;
    A.xx = r_mul(a.xx, s);
    A.yy = r_mul(a.yy, s);
    A.zz = r_mul(a.zz, s);
    A.xy = r_mul(a.xy, s);
    A.xz = r_mul(a.xz, s);
    A.yz = r_mul(a.yz, s);
    return A;
}
ARNE_FN sym3 sym_diagonal(real d)
{
    sym3 s;
    s.xx = s.yy = s.zz = d;
    s.xy = s.xz = s.yz = r_num(0);
    return s;
}
// A - s a a^T
ARNE_FN sym3 sym_sub_outer(sym3 A, vec3 a, real s)
{
    const vec3 b = scale(a, s);
    A.xx = r_sub_mul(A.xx, a.x, b.x);
    A.yy = r_sub_mul(A.yy, a.y, b.y);
    A.zz = r_sub_mul(A.zz, a.z, b.z);
    A.xy = r_sub_mul(A.xy, a.x, b.y);
    A.xz = r_sub_mul(A.xz, a.x, b.z);
    A.yz = r_sub_mul(A.yz, a.y, b.z);
    return A;
}
// A + K + K^T
ARNE_FN sym3 sym_add_pair(sym3 A, mat3 K)
{
    const real two = r_num(2);
    A.xx = r_add_mul(A.xx, two, K.x.x);
    A.yy = r_add_mul(A.yy, two, K.y.y);
    A.zz = r_add_mul(A.zz, two, K.z.z);
    A.xy = r_add(A.xy, r_add(K.x.y, K.y.x));
    A.xz = r_add(A.xz, r_add(K.x.z, K.z.x));
    A.yz = r_add(A.yz, r_add(K.y.z, K.z.y));
    return A;
}
// R A R^T
ARNE_FN sym3 sym_rotate(mat3 R, sym3 A)
{
    const vec3 rx = v3(R.x.x, R.y.x, R.z.x), ry = v3(R.x.y, R.y.y, R.z.y),
               rz = v3(R.x.z, R.y.z, R.z.z);
    const vec3 tx = sym_mul(A, rx), ty = sym_mul(A, ry), tz = sym_mul(A, rz); // rows of R A
    sym3       s;
    s.xx = dot(tx, rx);
    s.yy = dot(ty, ry);
    s.zz = dot(tz, rz);
    s.xy = dot(tx, ry);
    s.xz = dot(tx, rz);
    s.yz = dot(ty, rz);
    return s;
}
ARNE_FN sym3 sym_rotate_at(const mat3 *R, const constant_sym *A)
{
    return sym_rotate(*R, sym_lift(A));
}
// J + (r.h + r.g) 1 - r h^T - g r^T: the inertia J moved by r, where the first moment goes from h
// to g.
ARNE_FN sym3 sym_move(sym3 J, vec3 r, vec3 h, vec3 g)
{
    const vec3 d = v3(r_add_mul(r_mul(r.x, h.x), r.x, g.x), r_add_mul(r_mul(r.y, h.y), r.y, g.y),
                      r_add_mul(r_mul(r.z, h.z), r.z, g.z));
    J.xx = r_add(J.xx, r_add(d.y, d.z));
    J.yy = r_add(J.yy, r_add(d.x, d.z));
    J.zz = r_add(J.zz, r_add(d.x, d.y));
    J.xy = r_sub_mul(r_sub_mul(J.xy, r.x, h.y), g.x, r.y);
    J.xz = r_sub_mul(r_sub_mul(J.xz, r.x, h.z), g.x, r.z);
    J.yz = r_sub_mul(r_sub_mul(J.yz, r.y, h.z), g.y, r.z);
    return J;
}
// J dw + w x J w by the skew part of U Sigma, where U is the rate matrix and Sigma the second
// moments.
ARNE_FN vec3 gyration(mat3 U, vec3 w, vec3 dw, const constant_sym *J, const constant_sym *second)
{
    const sym3 S = sym_lift(second);
    const vec3 sx = sym_x(S), sy = sym_y(S), sz = sym_z(S);
    const vec3 Ux = v3(U.x.x, U.y.x, U.z.x), Uy = v3(U.x.y, U.y.y, U.z.y),
               Uz = v3(U.x.z, U.y.z, U.z.z); // rows
    (void)w;
    (void)dw;
    (void)J;
    return v3(r_sub(dot(Uz, sy), dot(Uy, sz)), r_sub(dot(Ux, sz), dot(Uz, sx)),
              r_sub(dot(Uy, sx), dot(Ux, sy)));
}

#endif
