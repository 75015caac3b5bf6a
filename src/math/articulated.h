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
// The same seen from the parent's frame: turned, then moved by r. The new B is B + [r] M, and the new A is A + K + K^T with
// K = [r] (B + [r] M / 2)^T.
ARNE_FN articulated articulated_to_parent(const pose *X, const articulated *P)
{
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
