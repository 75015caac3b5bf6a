// Articulated inertia: a symmetric 6 x 6 matrix in blocks, force = (B^T dw + M a, A dw + B a).
#ifndef ARNE_MATH_ARTICULATED_H
#define ARNE_MATH_ARTICULATED_H

#include "math/spatial.h"

typedef struct articulated {
    sym3 A, M; // angular-angular, linear-linear
    mat3 B;    // angular-linear
} articulated;

ARNE_FN articulated articulated_from(inertia I)
{
    articulated P;
    P.A = I.J;
    P.M = sym_diagonal(I.m);
    P.B = skew(I.h);
    return P;
}
ARNE_FN articulated articulated_zero(void)
{
    articulated P;
    P.A = P.M = sym_diagonal(r_num(0));
    P.B = m3_zero();
    return P;
}
ARNE_FN void articulated_add(articulated *P, const articulated *Q)
{
    P->A = sym_add(P->A, Q->A);
    P->M = sym_add(P->M, Q->M);
    P->B = m3_add(P->B, Q->B);
}
ARNE_FN force articulated_mul(const articulated *P, motion a)
{
    return fo(add(rot_inv(P->B, a.ang), sym_mul(P->M, a.lin)),
              add(sym_mul(P->A, a.ang), rot(P->B, a.lin)));
}
// P - s U U^T
ARNE_FN void articulated_sub_outer(articulated *P, force U, real s)
{
    const vec3 n = scale(U.ang, s);
    P->A = sym_sub_outer(P->A, U.ang, s);
    P->M = sym_sub_outer(P->M, U.lin, s);
    P->B = m3_sub(P->B, outer(n, U.lin));
}
#ifdef ARNE_RECORD
// Moved by d along z: B' = B + [r] M, A' = A + [r] B'^T + B [r]^T.
ARNE_FN void articulated_move_z(articulated *P, real d)
{
    const mat3 B = P->B;
    const vec3 m = v3(r_mul(d, P->M.xx), r_mul(d, P->M.xy), r_mul(d, P->M.xz)); // rows of [r] M
    const vec3 n = v3(m.y, r_mul(d, P->M.yy), r_mul(d, P->M.yz));
    P->B = m3(v3(r_sub(B.x.x, n.x), r_add(B.x.y, m.x), B.x.z),
              v3(r_sub(B.y.x, n.y), r_add(B.y.y, m.y), B.y.z),
              v3(r_sub(B.z.x, n.z), r_add(B.z.y, m.z), B.z.z));
    P->A.xx = r_sub(P->A.xx, r_mul(d, r_add(P->B.y.x, B.y.x)));
    P->A.yy = r_add(P->A.yy, r_mul(d, r_add(P->B.x.y, B.x.y)));
    P->A.xy = r_add(P->A.xy, r_mul(d, r_sub(B.x.x, P->B.y.y)));
    P->A.xz = r_sub(P->A.xz, r_mul(d, B.y.z));
    P->A.yz = r_add(P->A.yz, r_mul(d, B.x.z));
}
// Likewise along x, with y, z, x in place of x, y, z.
ARNE_FN void articulated_move_x(articulated *P, real a)
{
    const mat3 B = P->B;
    const vec3 m = v3(r_mul(a, P->M.xy), r_mul(a, P->M.yy), r_mul(a, P->M.yz));
    const vec3 n = v3(r_mul(a, P->M.xz), m.z, r_mul(a, P->M.zz));
    P->B = m3(v3(B.x.x, r_sub(B.x.y, n.x), r_add(B.x.z, m.x)),
              v3(B.y.x, r_sub(B.y.y, n.y), r_add(B.y.z, m.y)),
              v3(B.z.x, r_sub(B.z.y, n.z), r_add(B.z.z, m.z)));
    P->A.yy = r_sub(P->A.yy, r_mul(a, r_add(P->B.z.y, B.z.y)));
    P->A.zz = r_add(P->A.zz, r_mul(a, r_add(P->B.y.z, B.y.z)));
    P->A.yz = r_add(P->A.yz, r_mul(a, r_sub(B.y.y, P->B.z.z)));
    P->A.xy = r_sub(P->A.xy, r_mul(a, B.z.x));
    P->A.xz = r_add(P->A.xz, r_mul(a, B.y.x));
}
ARNE_FN articulated articulated_by_screws(const screw *X, articulated P)
{
    P.A = sym_turn_z(P.A, X->s, X->c);
    P.M = sym_turn_z(P.M, X->s, X->c);
    P.B = m3_turn_z(P.B, X->s, X->c);
    articulated_move_z(&P, X->d);
    P.A = sym_turn_x(P.A, X->sa, X->ca);
    P.M = sym_turn_x(P.M, X->sa, X->ca);
    P.B = m3_turn_x(P.B, X->sa, X->ca);
    articulated_move_x(&P, X->a);
    return P;
}
#endif
// The same seen from the parent's frame: turned, then moved by r. The new B is B + [r] M, and the
// new A is A + K + K^T with K = [r] (B + [r] M / 2)^T.
ARNE_FN articulated articulated_to_parent(const pose *X, const articulated *P)
{
#ifdef ARNE_RECORD
    if (X->steps.kind == SCREW_AXIAL) return articulated_by_screws(&X->steps, *P);
#endif
    articulated Q;
    const mat3  B = m3_mul(m3_mul(X->R, P->B), transpose(X->R));
    Q.M = sym_rotate(X->R, P->M);
    const mat3 moved = cross_m3(X->p, sym_full(Q.M));
    const mat3 half = m3_add(B, m3_scale(moved, r_num(0.5)));
    Q.B = m3_add(B, moved);
    Q.A = sym_add_pair(sym_rotate(X->R, P->A), cross_m3(X->p, transpose(half)));
    return Q;
}

#endif
