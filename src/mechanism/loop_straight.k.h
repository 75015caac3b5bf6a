// Closed mechanisms without a choice: which coordinates depend on the others is fixed beforehand,
// so that a text that cannot branch (generated code) can solve.
//
// The dependent coordinates d are the passive ones, as many as the rank: then J_d has full column
// rank wherever the mechanism is not singular, whatever rows are redundant. J_d = Q R by Gram and
// Schmidt, each column twice, which keeps Q orthogonal to rounding; no pivots are needed, and
// nothing is squared. As in loop_rank.c
//     G^T x = x_i - J_i^T lambda,  lambda = Q R^-T x_d        and        J x = -b:  x_d = -R^-1 Q^T
//     (b + J_i x_i)
#ifndef ARNE_MECHANISM_LOOP_STRAIGHT_K_H
#define ARNE_MECHANISM_LOOP_STRAIGHT_K_H

#include "algo/factor.k.h"
#include "algo/inverse_dynamics.k.h"
#include "algo/mass_matrix.k.h"
#include "mechanism/loop_constraints.k.h"

typedef struct loop_straight {
    int        m, n, rank;       // rows, velocities, dependent ones
    const int *order;            // n coordinates: the dependent ones, then the independent ones
    loop_tie  *ties;             // of each loop
    real      *tree_J, *J;       // m x tree_v_count, m x n
    real      *Q, *R;            // rank columns of m, rank x rank
    real      *row, *free, *all; // m, n, n: scratch
} loop_straight;

ARNE_FN real column_dot(int count, const real *a, const real *b)
{
    real sum = r_num(0);
    for (int i = 0; i < count; i++)
        sum = r_add_mul(sum, a[i], b[i]);
    return sum;
}

// After the kinematics.
ARNE_TEXT void straight_factor(const arne_robot *r, const work *w, loop_straight *s)
{
    const int m = s->m, rank = s->rank;
    real     *J = r->shares_coordinates ? s->tree_J : s->J;
    loops_tie(r, w, s->ties);
    loops_jacobian(r, w, s->ties, J);
    collect_columns(r, w, m, J, s->J);
    for (int j = 0; j < rank; j++) {
        real *v = s->Q + j * m;
        for (int i = 0; i < m; i++)
            v[i] = s->J[i * s->n + s->order[j]];
        for (int i = 0; i < rank; i++)
            s->R[i * rank + j] = r_num(0);
        for (int pass = 0; pass < 2; pass++)
            for (int i = 0; i < j; i++) {
                const real along = column_dot(m, s->Q + i * m, v);
                s->R[i * rank + j] = r_add(s->R[i * rank + j], along);
                for (int k = 0; k < m; k++)
                    v[k] = r_sub_mul(v[k], along, s->Q[i * m + k]);
            }
        const real length = r_sqrt(column_dot(m, v, v));
        s->R[j * rank + j] = length;
        for (int k = 0; k < m; k++)
            v[k] = r_div(v[k], length);
    }
}

// out, n - rank entries: G^T x.
ARNE_TEXT void straight_reduce(loop_straight *s, const real *x, real *out)
{
    const int m = s->m, n = s->n, rank = s->rank;
    real     *y = s->free;
    for (int i = 0; i < rank; i++) {
        y[i] = x[s->order[i]];
        for (int k = 0; k < i; k++)
            y[i] = r_sub_mul(y[i], s->R[k * rank + i], y[k]);
        y[i] = r_div(y[i], s->R[i * rank + i]);
    }
    for (int k = 0; k < m; k++) {
        s->row[k] = r_num(0);
        for (int i = 0; i < rank; i++)
            s->row[k] = r_add_mul(s->row[k], s->Q[i * m + k], y[i]);
    }
    for (int c = rank; c < n; c++) {
        real sum = x[s->order[c]];
        for (int k = 0; k < m; k++)
            sum = r_sub_mul(sum, s->J[k * n + s->order[c]], s->row[k]);
        out[c - rank] = sum;
    }
}

// The dependent entries of x with J x = -b, of the others; b (m entries) NULL: zero.
ARNE_TEXT void straight_solve(loop_straight *s, const real *b, real *x)
{
    const int m = s->m, n = s->n, rank = s->rank;
    real     *y = s->free;
    for (int k = 0; k < m; k++) {
        s->row[k] = b ? b[k] : r_num(0);
        for (int c = rank; c < n; c++)
            s->row[k] = r_add_mul(s->row[k], s->J[k * n + s->order[c]], x[s->order[c]]);
    }
    for (int i = rank - 1; i >= 0; i--) {
        y[i] = r_neg(column_dot(m, s->Q + i * m, s->row));
        for (int k = i + 1; k < rank; k++)
            y[i] = r_sub_mul(y[i], s->R[i * rank + k], y[k]);
        y[i] = r_div(y[i], s->R[i * rank + i]);
    }
    for (int i = 0; i < rank; i++)
        x[s->order[i]] = y[i];
}

// Torques of the active joints from those of the tree; in place, zero at the others.
ARNE_TEXT void straight_torques(loop_straight *s, real *tau)
{
    straight_reduce(s, tau, s->all);
    for (int c = 0; c < s->rank; c++)
        tau[s->order[c]] = r_num(0);
    for (int c = s->rank; c < s->n; c++)
        tau[s->order[c]] = s->all[c - s->rank];
}

// The accelerations of independent coordinates that do not accelerate: qdd, n entries.
ARNE_TEXT void straight_rest(const arne_robot *r, work *w, loop_straight *s, const real *q,
                             const real *qd, real *qdd)
{
    real *b = s->all;
    kinematics(r, w, q, qd, w->zero);
    straight_factor(r, w, s);
    loops_motion(r, w, s->ties, r->shares_coordinates ? w->tree_qd : qd, 1, NULL, b);
    for (int k = 0; k < s->n; k++)
        qdd[k] = r_num(0);
    straight_solve(s, b, qdd);
}

// A = G^T M G, (n - rank)^2, from M of n x n, which is overwritten.
ARNE_TEXT void straight_mass_matrix(loop_straight *s, real *M, real *A)
{
    const int n = s->n, rank = s->rank, f = n - rank;
    for (int i = 0; i < n; i++) { // rows: M G
        straight_reduce(s, M + i * n, s->all);
        for (int c = 0; c < f; c++)
            M[i * n + c] = s->all[c];
    }
    for (int c = 0; c < f; c++) {
        real *column = s->all;
        for (int i = 0; i < n; i++)
            column[i] = M[i * n + c];
        straight_reduce(s, column, A + c * f); // symmetric
    }
}

#endif
