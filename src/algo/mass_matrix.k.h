// The mass matrix by composite bodies: Walker and Orin 1982, method 3.
//
// The bodies behind a joint are one rigid body; F_k is its momentum at unit velocity of column k,
// and M_kl = S_l . F_k for every column l between k and the base. All is in one frame, see
// common.k.h.
#ifndef ARNE_ALGO_MASS_MATRIX_K_H
#define ARNE_ALGO_MASS_MATRIX_K_H

#include "algo/call.k.h"
#include "algo/common.k.h"
#include "algo/factor.k.h"
#include "algo/mass_squares.k.h"

// One entry at a time.
ARNE_TEXT void mass_by_entries(const arne_robot *r, const work *w, real *M)
{
    const dof *dofs = robot_dofs(r);
    const int  n = r->tree_v_count;
    if (!r->is_chain) row_zero(n * n, M);
    for (int k = 0; k < n; k++) {
        const force F = momentum(w->I[dofs[k].body], w->S[k]);
        for (int l = k; l >= 0; l = dofs[l].above)
            M[k * n + l] = M[l * n + k] = power(w->S[l], F);
    }
}
// A row at a time as far as the diagonal, with the axes by rows, then the rest by symmetry. Where
// columns are numbered branch by branch, those between k and the one that carries it carry nothing
// from here on: with their axes gone, the zeros come by themselves.
ARNE_TEXT void mass_by_rows(const arne_robot *r, work *w, real *M)
{
    const dof *dofs = robot_dofs(r);
    const int  n = r->tree_v_count;
    put_columns(w->rows, n, n, w->S);
    for (int k = 0; k < n; k++) {
        const force F = momentum(w->I[dofs[k].body], w->S[k]);
        real        f[6];
        put_column(f, 1, 0, mo(F.lin, F.ang));
        if (dofs[k].above != k - 1) rows_clear(dofs[k].above + 1, k, n, w->rows);
        row_six(k + 1, n, f, w->rows, M + k * n);
    }
    matrix_mirror(n, 1, M);
}

// Rotors turn with their joints alone.
ARNE_TEXT void add_rotors(const arne_robot *r, real *M)
{
    const dof *dofs = robot_dofs(r);
    const int  n = r->tree_v_count;
    for (int k = 0; r->has_rotor && k < n; k++)
        M[k * n + k] = r_add(M[k * n + k], r_num(dofs[k].rotor));
}

// With S and composite inertias in place.
ARNE_TEXT void composite_mass_matrix(const arne_robot *r, work *w, real *M)
{
#ifdef ARNE_WIDE
    if (squares_fit(r))
        mass_by_squares(r, w, AS_INERTIAS, M);
    else if (r->is_nested)
        mass_by_rows(r, w, M);
    else
        mass_by_entries(r, w, M);
#else
    mass_by_entries(r, w, M);
#endif
    add_rotors(r, M);
}

ARNE_TEXT void tree_mass_matrix(const arne_robot *r, work *w, const real *q, real *M)
{
    joint_places(r, w, q);
    common_frame(r, w);
    common_axes(r, w);
#ifdef ARNE_WIDE
    if (squares_fit(r)) {
        composite_moments(r, w);
        mass_by_squares(r, w, AS_MOMENTS, M);
        add_rotors(r, M);
        return;
    }
#endif
    common_inertias(r, w);
    composite_inertias(r, w);
    composite_mass_matrix(r, w, M);
}

// ---- where bodies move by exponentials ----
//
// Such bodies have six columns of the tree each, and the user's are few: M is the sum of J^T I J
// over the bodies, with the user's columns J of each, in the common frame.

// Row k of G, but for exponents.
ARNE_TEXT void coupling_row(const arne_robot *r, const work *w, int k, real *row)
{
    const source from = robot_v_sources(r)[k];
    row_zero(r->v_count, row);
    row[from.from] = r_num(from.ratio);
    for (int i = 0; i < r->term_count; i++)
        if (robot_terms(r)[i].v == k)
            row[robot_terms(r)[i].from_v] =
                r_add(row[robot_terms(r)[i].from_v], r_num(robot_terms(r)[i].ratio));
    for (int i = 0; i < r->slope_count; i++)
        if (robot_slopes(r)[i].v == k)
            row[robot_slopes(r)[i].from_v] =
                r_add(row[robot_slopes(r)[i].from_v], w->slope[SLOPE_ORDERS * i]);
}

// What the joint of a body adds to J; rotors to M.
ARNE_TEXT void body_joint_columns(const arne_robot *r, work *w, const body *b, int i, motion *J,
                                  real *M)
{
    const dof *dofs = robot_dofs(r);
    const int  n = r->v_count;
    for (int k = b->v_start; k < b->v_start + b->v_count; k++) {
        const motion S = axis_at(&dofs[k], w->R[i], w->place[i]);
        if (dofs[k].axis == AXIS_STILL && dofs[k].rotor == 0) continue;
        coupling_row(r, w, k, w->along);
        for (int l = 0; l < n; l++)
            J[l] = motion_add_scaled(J[l], S, w->along[l]);
        for (int a = 0; dofs[k].rotor != 0 && a < n; a++)
            row_add_scaled(n, M + a * n, w->along, r_mul(r_num(dofs[k].rotor), w->along[a]));
    }
}

ARNE_TEXT void body_exponent_columns(const arne_robot *r, const work *w, const exponent_record *x,
                                     int i, motion *J)
{
    for (int j = x->start; j < x->start + x->count; j++) {
        const int  l = robot_exponent_columns(r)[j].from_v;
        const vec3 lin = rot(w->R[i], w->G[j].lin), ang = rot(w->R[i], w->G[j].ang);
        J[l] = motion_add(J[l], mo(add(lin, cross(w->place[i], ang)), ang));
    }
}

ARNE_TEXT void mass_by_bodies(const arne_robot *r, work *w, const real *q, real *M)
{
    const body            *bodies = robot_bodies(r);
    const exponent_record *next = robot_exponents(r), *end = next + r->exponent_count;
    const int              n = r->v_count, count = r->has_rotor ? r->body_count : r->moving_count;
    joint_places(r, w, tree_q(r, w, q));
    exponents_columns(r, w);
    common_frame(r, w);
    row_zero(n * n, M);
    for (int i = 1; i < count; i++) {
        const body *b = &bodies[i];
        motion     *J = w->J + (size_t)i * (size_t)n, *from = w->J + (size_t)b->parent * (size_t)n;
        for (int l = 0; l < n; l++)
            J[l] = b->parent ? from[l] : motion_zero();
        if (next < end && next->v == b->v_start)
            body_exponent_columns(r, w, next++, i, J);
        else
            body_joint_columns(r, w, b, i, J, M);
        const constant_inertia *c = &b->inertia;
        if (c->m == 0 && c->J.x.x == 0 && c->J.y.y == 0 && c->J.z.z == 0) continue;
        const inertia I = common_inertia(w, b, i);
        for (int l = 0; l < n; l++) {
            const force F = momentum(I, J[l]);
            for (int k = l; k < n; k++)
                M[k * n + l] = r_add(M[k * n + l], power(J[k], F));
        }
    }
}

ARNE_TEXT void mass_matrix(const arne_robot *r, work *w, const real *q, real *M)
{
    if (r->exponent_count) {
        mass_by_bodies(r, w, q, M);
    } else {
        real *out = tree_out(r, M, w->tree_matrix);
        tree_mass_matrix(r, w, tree_q(r, w, q), out);
        collect_matrix(r, w, out, M);
    }
    // Sums of several entries round differently on either side of the diagonal.
    for (int i = 0; r->shares_coordinates && i < r->v_count; i++)
        for (int k = 0; k < i; k++)
            M[k * r->v_count + i] = M[i * r->v_count + k];
}

// M = L^T D L in w->matrix. Returns the lanes that look singular.
ARNE_TEXT unsigned factored_mass_matrix(const arne_robot *r, work *w, const real *q)
{
    mass_matrix(r, w, q, w->matrix);
    factor(r->v_count, robot_factor_parents(r), w->matrix);
    return suspicious(r->v_count, w->matrix, r->v_count + 1, robot_least(r));
}

CALL(MASS_MATRIX)
{
    mass_matrix(c->r, c->w, IN(q), OUT(M));
    return 0;
}

CALL(INVERSE_MASS_MATRIX)
{
    const unsigned bad = factored_mass_matrix(c->r, c->w, IN(q));
    factor_invert(c->r->v_count, robot_factor_parents(c->r), c->w->matrix, OUT(Minv));
    return bad;
}

#endif
