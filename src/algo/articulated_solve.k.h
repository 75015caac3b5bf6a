// M x = b without M, for one or many b: forward dynamics at rest and without weight, over
// articulated bodies (Featherstone 1983; for M^-1, Carpentier 2018), in the common frame, where
// nothing is carried from frame to frame.
//
// Inward, with P the articulated inertia of a body and what it carries, f what its joints have
// handed on:
//     U_k = P S_k,  D_k = S_k . U_k + rotor_k,  y_k = (b_k - S_k . f) / D_k,  P -= U_k U_k^T / D_k,
//                   f += U_k y_k
// Outward, with a the acceleration that has come about:  x_k = y_k - (U_k . a) / D_k,  a += S_k
// x_k. Each b costs O(n), whatever the shape of the tree; many are worked on side by side.
#ifndef ARNE_ALGO_ARTICULATED_SOLVE_K_H
#define ARNE_ALGO_ARTICULATED_SOLVE_K_H

#include "algo/common.k.h"
#include "math/pack.h"

// U_k, D_k and its inverse, from S and the inertias of single bodies in the common frame.
ARNE_TEXT void common_articulate(const arne_robot *r, work *w)
{
    const body *bodies = robot_bodies(r);
    const dof  *dofs = robot_dofs(r);
    articulated P = articulated_zero(); // of the body after, if this is its parent
    for (int i = 1; !r->is_chain && i < r->body_count; i++)
        if (bodies[i].forks) w->A[i] = articulated_zero();
    for (int i = r->body_count - 1; i > 0; i--) {
        const body       *b = &bodies[i];
        const articulated own = articulated_from(w->I[i]);
        articulated_add(&P, &own);
        if (b->forks) articulated_add(&P, &w->A[i]);
        for (int k = b->v_start + b->v_count - 1; k >= b->v_start; k--) {
            const force U = articulated_mul(&P, w->S[k]);
            w->U_k[k] = U;
            w->D[k] = power(w->S[k], U);
            if (r->has_rotor) w->D[k] = r_add(w->D[k], r_num(dofs[k].rotor));
            w->D_inverse[k] = r_div(r_num(1), w->D[k]);
            articulated_sub_outer(&P, U, w->D_inverse[k]);
        }
        const int p = b->parent;
        if (p == i - 1) continue;
        if (p > 0) articulated_add(&w->A[p], &P);
        P = articulated_zero();
    }
}

// One right-hand side, in its place.
ARNE_TEXT void articulated_solve(const arne_robot *r, work *w, real *x)
{
    const body *bodies = robot_bodies(r);
    force       f = force_zero();
    for (int i = 1; !r->is_chain && i < r->body_count; i++)
        if (bodies[i].forks) w->virtual_h[i] = force_zero();
    for (int i = r->body_count - 1; i > 0; i--) {
        const body *b = &bodies[i];
        if (b->forks) f = force_add(f, w->virtual_h[i]);
        for (int k = b->v_start + b->v_count - 1; k >= b->v_start; k--) {
            x[k] = r_mul(r_sub(x[k], power(w->S[k], f)), w->D_inverse[k]);
            f = force_add_scaled(f, w->U_k[k], x[k]);
        }
        const int p = b->parent;
        if (p == i - 1) continue;
        if (p > 0) w->virtual_h[p] = force_add(w->virtual_h[p], f);
        f = force_zero();
    }
    motion a = motion_zero();
    for (int i = 1; i < r->body_count; i++) {
        const body *b = &bodies[i];
        if (b->parent != i - 1) a = b->parent ? w->virtual_v[b->parent] : motion_zero();
        for (int k = b->v_start; k < b->v_start + b->v_count; k++) {
            x[k] = r_sub_mul(x[k], power(a, w->U_k[k]), w->D_inverse[k]);
            a = motion_add_scaled(a, w->S[k], x[k]);
        }
        if (b->forks) w->virtual_v[i] = a;
    }
}

// ---- many ----

// A column's numbers side by side, as they are spread over a pack one by one.
enum { COLUMN_S = 0, COLUMN_U = 6, COLUMN_D = 12, COLUMN_SIZE = 13 };

// Six numbers; what is in the place after them is lost.
enum { SIX_ROOM = 7 };
ARNE_FN void put_six(real *out, vec3 lin, vec3 ang)
{
    put_three(out, lin);
    put_three(out + 3, ang);
}

ARNE_TEXT void articulated_columns(const arne_robot *r, work *w)
{
    for (int k = 0; k < r->tree_v_count; k++) {
        real *column = w->columns + COLUMN_SIZE * k;
        put_six(column + COLUMN_S, w->S[k].lin, w->S[k].ang);
        put_six(column + COLUMN_U, w->U_k[k].lin, w->U_k[k].ang);
        column[COLUMN_D] = w->D_inverse[k];
    }
}

typedef struct six_packs {
    pack p[6];
} six_packs;

ARNE_FN six_packs six_zero(void)
{
    six_packs s;
    for (int i = 0; i < 6; i++)
        s.p[i] = pack_zero();
    return s;
}
// What a body that forks keeps for its children.
ARNE_FN six_packs six_load(const work *w, int i)
{
    six_packs s;
    for (int j = 0; j < 6; j++)
        s.p[j] = pack_load(w->packs + (6 * i + j) * PACK);
    return s;
}
ARNE_FN void six_store(work *w, int i, const six_packs *s)
{
    for (int j = 0; j < 6; j++)
        pack_store(w->packs + (6 * i + j) * PACK, s->p[j]);
}
ARNE_FN void six_add(six_packs *s, const six_packs *t)
{
    for (int j = 0; j < 6; j++)
        s->p[j] = pack_add(s->p[j], t->p[j]);
}
// x - s . c, and s += c x
ARNE_FN pack six_minus_dot(pack x, const six_packs *s, const real *c)
{
    const pack y = pack_sub_scaled(pack_sub_scaled(pack_scale(s->p[0], r_neg(c[0])), s->p[1], c[1]),
                                   s->p[2], c[2]);
    x = pack_sub_scaled(pack_sub_scaled(pack_sub_scaled(x, s->p[3], c[3]), s->p[4], c[4]), s->p[5],
                        c[5]);
    return pack_add(x, y);
}
ARNE_FN void six_add_scaled(six_packs *s, pack x, const real *c)
{
    for (int j = 0; j < 6; j++)
        s->p[j] = pack_add_scaled(s->p[j], x, c[j]);
}

// A pack of columns of X, n rows that are m apart. Bodies after `last` have nothing to do, on
// either way.
ARNE_TEXT void solve_pack(const arne_robot *r, work *w, int m, int last, real *X)
{
    const body *bodies = robot_bodies(r);
    six_packs   f = six_zero();
    for (int i = last; i > 0; i--) {
        const body *b = &bodies[i];
        if (b->forks) {
            const six_packs kept = six_load(w, i);
            six_add(&f, &kept);
        }
        for (int k = b->v_start + b->v_count - 1; k >= b->v_start; k--) {
            const real *c = w->columns + COLUMN_SIZE * k;
            const pack  x = six_minus_dot(pack_load(X + k * m), &f, c + COLUMN_S);
            const pack  y = pack_scale(x, c[COLUMN_D]);
            pack_store(X + k * m, y);
            six_add_scaled(&f, y, c + COLUMN_U);
        }
        const int p = b->parent;
        if (p == i - 1) continue;
        if (p > 0) {
            const six_packs kept = six_load(w, p);
            six_add(&f, &kept);
            six_store(w, p, &f);
        }
        f = six_zero();
    }
    six_packs a = six_zero();
    for (int i = 1; i <= last; i++) {
        const body *b = &bodies[i];
        if (b->parent != i - 1) a = b->parent ? six_load(w, b->parent) : six_zero();
        for (int k = b->v_start; k < b->v_start + b->v_count; k++) {
            const real *c = w->columns + COLUMN_SIZE * k;
            const pack  d = six_minus_dot(pack_zero(), &a, c + COLUMN_U);
            const pack  x = pack_add_scaled(pack_load(X + k * m), d, c[COLUMN_D]);
            pack_store(X + k * m, x);
            six_add_scaled(&a, x, c + COLUMN_S);
        }
        if (b->forks) six_store(w, i, &a);
    }
}

ARNE_TEXT void clear_forks(const arne_robot *r, work *w)
{
    const body     *bodies = robot_bodies(r);
    const six_packs zero = six_zero();
    for (int i = 1; i < r->body_count; i++)
        if (bodies[i].forks) six_store(w, i, &zero);
}

// Columns from c on, of m: a pack in its place, or what is left of one in a place of its own.
ARNE_TEXT void solve_columns(const arne_robot *r, work *w, int m, int c, int last, real *X)
{
    const int rows = robot_bodies(r)[last].v_start + robot_bodies(r)[last].v_count;
    if (!r->is_chain) clear_forks(r, w);
    if (c + PACK <= m) {
        solve_pack(r, w, m, last, X + c);
        return;
    }
    for (int k = 0; k < rows; k++)
        for (int l = 0; l < PACK; l++)
            w->some[k * PACK + l] = c + l < m ? X[k * m + c + l] : r_num(0);
    solve_pack(r, w, PACK, last, w->some);
    for (int k = 0; k < rows; k++)
        for (int l = 0; c + l < m; l++)
            X[k * m + c + l] = w->some[k * PACK + l];
}

// X = M^-1 X for a matrix of n rows and m columns.
ARNE_TEXT void articulated_solve_rows(const arne_robot *r, work *w, int m, real *X)
{
    for (int c = 0; c < m; c += PACK)
        solve_columns(r, w, m, c, r->body_count - 1, X);
}

// M^-1: a unit torque at column c is felt by no body further out but through those before it, and
// the matrix is symmetric, so that rows after the block's last column need no visit.
ARNE_TEXT void articulated_invert(const arne_robot *r, work *w, real *inverse)
{
    const int  n = r->tree_v_count;
    const dof *dofs = robot_dofs(r);
    row_zero(n * n, inverse);
    for (int k = 0; k < n; k++)
        inverse[k * n + k] = r_num(1);
    for (int c = 0; c < n; c += PACK)
        solve_columns(r, w, n, c, dofs[c + PACK <= n ? c + PACK - 1 : n - 1].body, inverse);
    matrix_mirror(n, 0, inverse);
}

#endif
