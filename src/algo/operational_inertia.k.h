// Lambda = (J M^-1 J^T)^-1: the inertia that a force on the frame meets (Khatib 1987).
#ifndef ARNE_ALGO_OPERATIONAL_INERTIA_K_H
#define ARNE_ALGO_OPERATIONAL_INERTIA_K_H

#include "algo/call.k.h"
#include "algo/factor.k.h"
#include "algo/jacobian.k.h"
#include "algo/mass_matrix.k.h"

// A dense matrix is that of a chain: every column has the one before as ancestor.
ARNE_FN void chain_of_six(int above[6])
{
    for (int k = 0; k < 6; k++)
        above[k] = k - 1;
}

// J M^-1 J^T, with the factor of M in w->matrix, and its own factor in its place.
ARNE_TEXT void factored_mobility(const arne_robot *r, work *w, const real *q, int frame,
                                 arne_axes axes, real *mobility)
{
    const int n = r->v_count;
    real     *J = w->task, *x = w->scratch;
    int       above[6];
    jacobian(r, w, q, frame, axes, J);
    for (int k = 0; k < 6; k++) {
        for (int i = 0; i < n; i++)
            x[i] = J[k * n + i];
        factor_solve(n, robot_factor_parents(r), w->matrix, x);
        for (int l = 0; l < 6; l++) {
            real sum = r_num(0);
            for (int i = 0; i < n; i++)
                sum = r_add_mul(sum, J[l * n + i], x[i]);
            mobility[l * 6 + k] = sum;
        }
    }
    chain_of_six(above);
    factor(6, above, mobility);
}

ARNE_TEXT void invert_mobility(const real *mobility, real *Lambda)
{
    int above[6];
    chain_of_six(above);
    factor_invert(6, above, mobility, Lambda);
}

CALL(OPERATIONAL_INERTIA)
{
    const call_settings *s = c->settings;
    real                 mobility[36];
    const unsigned       bad = factored_mass_matrix(c->r, c->w, IN(q));
    factored_mobility(c->r, c->w, IN(q), s->frame, s->axes, mobility);
    invert_mobility(mobility, OUT(Lambda));
    return bad | suspicious(6, mobility, 7);
}

#endif
