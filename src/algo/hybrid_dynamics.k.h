// Hybrid dynamics by the mass matrix, where mimic joints tie branches together: M_ff qdd_f = tau_f
// - bias_f - M_fg qdd_g over the columns f whose torque is given. The others stay in the system as
// qdd_g = qdd_g, so that it keeps the sparsity of the tree.
#ifndef ARNE_ALGO_HYBRID_DYNAMICS_K_H
#define ARNE_ALGO_HYBRID_DYNAMICS_K_H

#include "algo/factor.k.h"
#include "algo/inverse_dynamics.k.h"
#include "algo/mass_matrix.k.h"

// Leaves the factor in w->matrix.
ARNE_TEXT void hybrid_by_matrix(const arne_robot *r, work *w, const real *q, const real *qd,
                                const unsigned char *given, const load *f_ext, real *tau, real *qdd)
{
    const int n = r->v_count, *above = robot_factor_parents(r);
    real     *held = w->scratch, *M = w->matrix;
    w->by_handles = 0;
    for (int k = 0; k < n; k++)
        if (!given[k]) qdd[k] = r_num(0);
    inverse_dynamics(r, w, q, qd, qdd, f_ext, held);
    mass_matrix(r, w, q, M);
    for (int k = 0; k < n; k++) {
        if (!given[k]) qdd[k] = r_sub(tau[k], held[k]);
        for (int l = 0; l < n; l++)
            if (given[k] || given[l]) M[k * n + l] = r_num(k == l);
    }
    factor(n, above, M);
    factor_solve(n, above, M, qdd);
    inverse_dynamics(r, w, q, qd, qdd, f_ext, held);
    for (int k = 0; k < n; k++)
        if (given[k]) tau[k] = held[k];
}

#endif
