// The mass matrix by squares of four by four, where a register holds four numbers.
//
// Four columns are taken together: their axes S and momenta F by components, so that one product of
// registers serves four entries. A square below the diagonal is turned over into the one above.
// Squares may hold pairs of columns that do not carry each other: a bit for each coordinate on the
// way to the base (dof.way) tells them, and those entries become zero.
#ifndef ARNE_ALGO_MASS_SQUARES_K_H
#define ARNE_ALGO_MASS_SQUARES_K_H

#include "algo/common.k.h"

#ifdef ARNE_WIDE

// What w->I[i].J holds: the inertia about the origin, or the second moments, the integral of r r^T,
// which cost less to move.
typedef enum moment_kind { AS_INERTIAS, AS_MOMENTS } moment_kind;

ARNE_FN int squares_fit(const arne_robot *r)
{
    return r->tree_v_count >= 4 && r->tree_v_count <= WAY_BITS;
}

// As common_inertias and composite_inertias in one, with second moments.
ARNE_TEXT void composite_moments(const arne_robot *r, work *w)
{
    const body *bodies = robot_bodies(r);
    inertia     sum = inertia_zero(); // of the body after, if this is its parent
    for (int i = 1; !r->is_chain && i < r->body_count; i++)
        if (bodies[i].forks) w->I[i] = sum;
    for (int i = r->body_count - 1; i > 0; i--) {
        const constant_inertia *c = &bodies[i].inertia;
        const vec3              p = w->place[i], h = rot_constant(w->R[i], &c->h);
        const vec3              g = add_scaled(h, p, c->m);
        const real             *at = (const real *)(const void *)&w->place[i];
        const sym3              A = sym_rotate_at(&w->R[i], &c->second);
        const int               parent = bodies[i].parent;
        sum.m += c->m;
        sum.h += g;
        sum.J.x += A.x + p * h[0] + g * at[0];
        sum.J.y += A.y + p * h[1] + g * at[1];
        sum.J.z += A.z + p * h[2] + g * at[2];
        if (bodies[i].forks) inertia_accumulate(&sum, &w->I[i]);
        w->I[i] = sum;
        if (parent == i - 1) continue;
        if (parent > 0) inertia_accumulate(&w->I[parent], &sum);
        sum = inertia_zero();
    }
}

typedef struct four_columns {
    vec3 S[6], F[6]; // linear parts first
} four_columns;

// The columns from `at` on.
ARNE_FN void take_four(const arne_robot *r, const work *w, moment_kind J, int at, four_columns *c)
{
    const motion  *S = w->S + at;
    const dof     *d = robot_dofs(r) + at;
    const inertia *a = &w->I[d[0].body], *b = &w->I[d[1].body], *e = &w->I[d[2].body],
                  *f = &w->I[d[3].body];
    const four3 v = four3_from(S[0].lin, S[1].lin, S[2].lin, S[3].lin);
    const four3 u = four3_from(S[0].ang, S[1].ang, S[2].ang, S[3].ang);
    const four3 h = four3_from(a->h, b->h, e->h, f->h),
                x = four3_from(a->J.x, b->J.x, e->J.x, f->J.x);
    const four3 y = four3_from(a->J.y, b->J.y, e->J.y, f->J.y);
    const four3 z = four3_from(a->J.z, b->J.z, e->J.z, f->J.z);
    const vec3  m = {a->m, b->m, e->m, f->m};
    const vec3  out_x = x.y * u.y + x.z * u.z, out_y = x.y * u.x + y.z * u.z,
               out_z = x.z * u.x + y.z * u.y;
    c->S[0] = v.x, c->S[1] = v.y, c->S[2] = v.z;
    c->S[3] = u.x, c->S[4] = u.y, c->S[5] = u.z;
    c->F[0] = v.x * m + u.y * h.z - u.z * h.y;
    c->F[1] = v.y * m + u.z * h.x - u.x * h.z;
    c->F[2] = v.z * m + u.x * h.y - u.y * h.x;
    c->F[3] = h.y * v.z - h.z * v.y;
    c->F[4] = h.z * v.x - h.x * v.z;
    c->F[5] = h.x * v.y - h.y * v.x;
    if (J == AS_MOMENTS) {
        c->F[3] += (y.y + z.z) * u.x - out_x;
        c->F[4] += (x.x + z.z) * u.y - out_y;
        c->F[5] += (x.x + y.y) * u.z - out_z;
    } else {
        c->F[3] += x.x * u.x + out_x;
        c->F[4] += y.y * u.y + out_y;
        c->F[5] += z.z * u.z + out_z;
    }
}

// S . F of four columns S with the one momentum, of four, that stands at F.
ARNE_FN vec3 four_powers(const vec3 *S, const real *F)
{
    return S[0] * F[0] + S[1] * F[4] + S[2] * F[8] + S[3] * F[12] + S[4] * F[16] + S[5] * F[20];
}
ARNE_FN vec3 some_of(vec3 a, uint64_t which)
{
    const mask3 bit = {1, 2, 4, 8},
                all = {(long long)which, (long long)which, (long long)which, (long long)which};
    return (vec3)((mask3)a & ((all & bit) == bit));
}
ARNE_FN void put_square(int n, const vec3 *a, real *M)
{
    for (int i = 0; i < 4; i++)
        *(vec3_anywhere *)(void *)(M + i * n) = a[i];
}

// Of these rows the square before the diagonal whose columns start at c, and the one across.
ARNE_FN void put_squares(int n, const dof *d, const vec3 *S, const real *F, int at, int c, real *M)
{
    const uint64_t any = (d[0].way | d[1].way | d[2].way | d[3].way) >> c & 15;
    const uint64_t all = (d[0].way & d[1].way & d[2].way & d[3].way) >> c & 15;
    vec3           a[4], t[4];
    for (int i = 0; i < 4; i++)
        a[i] = t[i] = v3_zero();
    if (any) {
        for (int i = 0; i < 4; i++)
            a[i] = four_powers(S, F + i);
        for (int i = 0; all != 15 && i < 4; i++)
            a[i] = some_of(a[i], d[i].way >> c);
        turn_over(a, t);
    }
    put_square(n, a, M + at * n + c);
    put_square(n, t, M + c * n + at);
}

ARNE_TEXT void mass_by_squares(const arne_robot *r, work *w, moment_kind J, real *M)
{
    const int n = r->tree_v_count;
    vec3     *axes = (vec3 *)(void *)w->rows;
    for (int row = 0; row < n; row += 4) {
        const int    at = row + 4 <= n ? row : n - 4; // the last four overlap those before
        const dof   *d = robot_dofs(r) + at;
        four_columns own;
        vec3         a[4], t[4];
        take_four(r, w, J, at, &own);
        const real *F = (const real *)(const void *)own.F;
        for (int j = 0; j < 6; j++)
            axes[6 * (row / 4) + j] = own.S[j];
        for (int c = 0; c < row; c += 4)
            put_squares(n, d, axes + 6 * (c / 4), F, at, c, M);
        for (int i = 0; i < 4; i++)
            a[i] = some_of(four_powers(own.S, F + i), d[i].way >> at);
        turn_over(a, t);
        a[0] = t[0];
        a[1] = SHUFFLE(a[1], t[1], 0, 5, 6, 7);
        a[2] = SHUFFLE(a[2], t[2], 0, 1, 6, 7);
        put_square(n, a, M + at * n + at);
    }
}

#endif

#endif
