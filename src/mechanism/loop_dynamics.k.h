// Direct dynamics of a tree with loops, from the articulated bodies of the tree alone (forward_dynamics.k.h).
//
// The inward pass of that recursion is a factorisation, M^-1 = Y^T D^-1 Y: a wrench on a body goes inward and leaves
// u_k = S_k . f at each column, f -= U_k u_k / D_k on the way. So with u_i what the unit wrenches of constraint row i
// leave, on the ways of both its bodies to the base,
//     (J M^-1 J^T)_ij = sum over k of u_ik u_jk / D_k
// The same walk gives the row's acceleration while the loops are cut, before any body's acceleration is known: what the
// torques left, u_k, against u_ik, and what velocities cause at the joints and at the base against the wrench that
// arrives there. After solving for the multipliers their share is added to u, and the outward pass runs once. Linear in
// the bodies for each row; cubic only in the rows.
#ifndef ARNE_MECHANISM_LOOP_DYNAMICS_K_H
#define ARNE_MECHANISM_LOOP_DYNAMICS_K_H

#include "algo/forward_dynamics.k.h"
#include "mechanism/loop_constraints.k.h"

// From a body inward to `stop`, which is not entered; returns the wrench that arrives there. `rate` takes what the bodies on
// the way accelerate along it.
ARNE_TEXT force wrench_inward(const arne_robot *r, const work *w, int from, int stop, force f,
                              real *u, real *rate)
{
    const body *bodies = robot_bodies(r);
    const dof  *dofs = robot_dofs(r);
    real        sum = *rate; // not through memory at every step
    for (int i = from; i != stop; i = bodies[i].parent) {
        const body *b = &bodies[i];
        for (int k = b->v_start + b->v_count - 1; k >= b->v_start; k--) {
            const real held = axis_power(&dofs[k], &f);
            const real moved = r_mul(held, w->D_inverse[k]);
            u[k] = r_add(u[k], held);
            sum = r_fma(sum, moved, w->u[k]);
            f = force_add_scaled(f, w->U_k[k], r_neg(moved));
        }
        sum = r_add(sum, power(w->bias[i], f));
        f = to_parent(&w->X[i], f);
    }
    *rate = sum;
    return f;
}

// u, one row of tree_v_count for each constraint row that `live` marks, and their rates are added to.
ARNE_TEXT void loop_rows_inward(const arne_robot *r, const work *w, const loop_tie *ties,
                                const unsigned char *live, real *u, real *rates)
{
    const int n = r->tree_v_count;
    for (int i = 0; i < r->loop_count; i++) {
        const loop_record *l = robot_loops(r) + i;
        for (int j = 0; j < l->info.row_count; j++) {
            if (!live[l->info.row_start + j]) continue;
            real       *rate = rates + l->info.row_start + j;
            const force row = ties[i].rows[j], minus = fo(neg(row.lin), neg(row.ang));
            const force a = wrench_on_body(&w->X_w[l->body[0]], ties[i].B.p, minus);
            const force b = wrench_on_body(&w->X_w[l->body[1]], ties[i].B.p, row);
            for (int k = 0; k < n; k++)
                u[k] = r_num(0);
            const force met = force_add(wrench_inward(r, w, l->body[0], l->meet, a, u, rate),
                                        wrench_inward(r, w, l->body[1], l->meet, b, u, rate));
            const force on_base = wrench_inward(r, w, l->meet, 0, met, u, rate);
            *rate = r_add(*rate, power(w->a[0], on_base));
            u += n;
        }
    }
}

// J M^-1 J^T over `count` such rows.
ARNE_TEXT void loop_compliance(const arne_robot *r, const work *w, int count, const real *u,
                               real *K)
{
    const int n = r->tree_v_count;
    for (int i = 0; i < count; i++)
        for (int j = 0; j <= i; j++) {
            real sum = r_num(0);
            for (int k = 0; k < n; k++)
                sum = r_fma(sum, r_mul(u[i * n + k], u[j * n + k]), w->D_inverse[k]);
            K[i * count + j] = K[j * count + i] = sum;
        }
}

// The accelerations once their multipliers act.
ARNE_TEXT void loop_accelerations(const arne_robot *r, work *w, int count, const real *u,
                                  const real *lambda, real *qdd)
{
    const int n = r->tree_v_count;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < n; k++)
            w->u[k] = r_fma(w->u[k], lambda[i], u[i * n + k]);
    accelerations_outward(r, w, NULL, NULL, qdd);
}

#endif
