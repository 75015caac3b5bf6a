// Poses as successive axial screws, for the recording arithmetic alone:
//     X = Tx(a) Rx(alpha) Tz(d) Rz(theta)
// as Denavit and Hartenberg have it. What is carried over a joint is turned about one axis at a
// time, which takes far fewer operations than a full rotation (McMillan and Orin, Efficient
// computation of articulated-body inertias using successive axial screws, IEEE Transactions on
// Robotics and Automation 11(4), 1995).
//
// A symmetric matrix turns in its plane by u = s (yy - xx) - 2 c xy:  xx + s u,  yy - s u,  -(xy +
// c u).
#ifndef ARNE_MATH_SCREW_H
#define ARNE_MATH_SCREW_H

#include "math/screw_kind.h"
#include "math/vec3.h"

typedef struct screw {
    screw_kind kind;
    real       s, c, d;   // of theta, and along z
    real       sa, ca, a; // of alpha, and along x: constants
    mat3       R;         // of C
    vec3       p;
} screw;

ARNE_FN vec3 turn_z(vec3 v, real s, real c)
{
    return v3(r_sub(r_mul(c, v.x), r_mul(s, v.y)), r_add(r_mul(s, v.x), r_mul(c, v.y)), v.z);
}
ARNE_FN vec3 turn_x(vec3 v, real s, real c)
{
    return v3(v.x, r_sub(r_mul(c, v.y), r_mul(s, v.z)), r_add(r_mul(s, v.y), r_mul(c, v.z)));
}
// Out of the child's axes, and into them.
ARNE_FN vec3 screw_out(const screw *X, vec3 v)
{
    v = turn_z(v, X->s, X->c);
    return X->kind == SCREW_DENSE ? rot(X->R, v) : turn_x(v, X->sa, X->ca);
}
ARNE_FN vec3 screw_into(const screw *X, vec3 v)
{
    v = X->kind == SCREW_DENSE ? rot_inv(X->R, v) : turn_x(v, r_neg(X->sa), X->ca);
    return turn_z(v, r_neg(X->s), X->c);
}
// v + d z x w and v + a x x w
ARNE_FN vec3 add_z_cross(vec3 v, real d, vec3 w)
{
    return v3(r_sub(v.x, r_mul(d, w.y)), r_add(v.y, r_mul(d, w.x)), v.z);
}
ARNE_FN vec3 add_x_cross(vec3 v, real a, vec3 w)
{
    return v3(v.x, r_sub(v.y, r_mul(a, w.z)), r_add(v.z, r_mul(a, w.y)));
}
// What is `lin` at the parent's origin, of a body that turns with `ang`, at the child's, and the
// other way round for forces.
ARNE_FN void screw_to_child(const screw *X, vec3 *lin, vec3 *ang)
{
    if (X->kind == SCREW_DENSE) {
        *lin = screw_into(X, add(*lin, cross(*ang, X->p)));
        *ang = screw_into(X, *ang);
        return;
    }
    *lin = turn_x(add_x_cross(*lin, r_neg(X->a), *ang), r_neg(X->sa), X->ca);
    *ang = turn_x(*ang, r_neg(X->sa), X->ca);
    *lin = turn_z(add_z_cross(*lin, r_neg(X->d), *ang), r_neg(X->s), X->c);
    *ang = turn_z(*ang, r_neg(X->s), X->c);
}
ARNE_FN void screw_to_parent(const screw *X, vec3 *lin, vec3 *ang)
{
    if (X->kind == SCREW_DENSE) {
        *lin = screw_out(X, *lin);
        *ang = add(screw_out(X, *ang), cross(X->p, *lin));
        return;
    }
    *lin = turn_z(*lin, X->s, X->c);
    *ang = add_z_cross(turn_z(*ang, X->s, X->c), X->d, *lin);
    *lin = turn_x(*lin, X->sa, X->ca);
    *ang = add_x_cross(turn_x(*ang, X->sa, X->ca), X->a, *lin);
}

// Quarter turns exchange numbers, and should not compute.
ARNE_FN int is_quarter(real s, real c)
{
    return !s.tape && !c.tape && (s.value == 0 || c.value == 0);
}
ARNE_FN mat3 rotation_x(real s, real c)
{
    const real o = r_num(0), one = r_num(1);
    return m3(v3(one, o, o), v3(o, c, s), v3(o, r_neg(s), c));
}
ARNE_FN mat3 rotation_z(real s, real c)
{
    const real o = r_num(0), one = r_num(1);
    return m3(v3(c, s, o), v3(r_neg(s), c, o), v3(o, o, one));
}
ARNE_FN real plane_turn(real s, real c, real first, real second, real twice)
{
    return r_sub(r_mul(s, r_sub(second, first)), r_mul(c, twice));
}
ARNE_FN sym3 sym_turn_z(sym3 A, real s, real c)
{
    if (is_quarter(s, c)) return sym_rotate(rotation_z(s, c), A);
    const real u = plane_turn(s, c, A.xx, A.yy, r_add(A.xy, A.xy)), su = r_mul(s, u);
    const real xz = A.xz;
    A.xx = r_add(A.xx, su);
    A.yy = r_sub(A.yy, su);
    A.xy = r_neg(r_add(A.xy, r_mul(c, u)));
    A.xz = r_sub(r_mul(c, xz), r_mul(s, A.yz));
    A.yz = r_add(r_mul(s, xz), r_mul(c, A.yz));
    return A;
}
ARNE_FN sym3 sym_turn_x(sym3 A, real s, real c)
{
    if (is_quarter(s, c)) return sym_rotate(rotation_x(s, c), A);
    const real u = plane_turn(s, c, A.yy, A.zz, r_add(A.yz, A.yz)), su = r_mul(s, u);
    const real xy = A.xy;
    A.yy = r_add(A.yy, su);
    A.zz = r_sub(A.zz, su);
    A.yz = r_neg(r_add(A.yz, r_mul(c, u)));
    A.xy = r_sub(r_mul(c, xy), r_mul(s, A.xz));
    A.xz = r_add(r_mul(s, xy), r_mul(c, A.xz));
    return A;
}
// The same of a matrix that is not symmetric: what is skew in the plane stays.
ARNE_FN mat3 m3_turn_z(mat3 B, real s, real c)
{
    if (is_quarter(s, c)) return m3_mul(m3_mul(rotation_z(s, c), B), transpose(rotation_z(s, c)));
    const real u = plane_turn(s, c, B.x.x, B.y.y, r_add(B.y.x, B.x.y));
    const real su = r_mul(s, u), cu = r_mul(c, u);
    return m3(
        v3(r_add(B.x.x, su), r_neg(r_add(cu, B.y.x)), r_sub(r_mul(c, B.x.z), r_mul(s, B.y.z))),
        v3(r_neg(r_add(cu, B.x.y)), r_sub(B.y.y, su), r_add(r_mul(s, B.x.z), r_mul(c, B.y.z))),
        turn_z(B.z, s, c));
}
ARNE_FN mat3 m3_turn_x(mat3 B, real s, real c)
{
    if (is_quarter(s, c)) return m3_mul(m3_mul(rotation_x(s, c), B), transpose(rotation_x(s, c)));
    const real u = plane_turn(s, c, B.y.y, B.z.z, r_add(B.z.y, B.y.z));
    const real su = r_mul(s, u), cu = r_mul(c, u);
    return m3(
        turn_x(B.x, s, c),
        v3(r_sub(r_mul(c, B.y.x), r_mul(s, B.z.x)), r_add(B.y.y, su), r_neg(r_add(cu, B.z.y))),
        v3(r_add(r_mul(s, B.y.x), r_mul(c, B.z.x)), r_neg(r_add(cu, B.y.z)), r_sub(B.z.z, su)));
}

#endif
