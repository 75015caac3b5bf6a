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

ARNE_TEXT void mass_matrix(const arne_robot *r, work *w, const real *q, real *M)
{
    real *out = tree_out(r, M, w->tree_matrix);
    tree_mass_matrix(r, w, tree_q(r, w, q), out);
    collect_matrix(r, w, out, M);
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
