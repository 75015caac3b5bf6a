// Forward dynamics of a tree with loops, from the articulated bodies of the tree alone
// (forward_dynamics.k.h).
//
// The inward pass of that recursion is a factorisation, M^-1 = Y^T D^-1 Y: a wrench on a body goes
// inward and leaves u_k = S_k . f at each column, f -= U_k u_k / D_k on the way. So with u_i what
// the unit wrenches of constraint row i leave, on the ways of both its bodies to the base,
//     (J M^-1 J^T)_ij = sum over k of u_ik u_jk / D_k
// The same walk gives the row's acceleration while the loops are cut, before any body's
// acceleration is known: what the torques left, u_k, against u_ik, and what velocities cause at the
// joints and at the base against the wrench that arrives there. After solving for the multipliers
// their share is added to u, and the outward pass runs once. Linear in the bodies for each row;
// cubic only in the rows.
#ifndef ARNE_MECHANISM_LOOP_DYNAMICS_K_H
#define ARNE_MECHANISM_LOOP_DYNAMICS_K_H

#include "algo/forward_dynamics.k.h"
#include "mechanism/loop_constraints.k.h"

// `count` wrenches side by side, from a body inward to `stop`, which is not entered; they become
// those that arrive there, but for the base, where only its acceleration counts. u has a row of
// tree_v_count for each; `rates` take what the bodies on the way accelerate along them, and the
// base.
ARNE_TEXT void row_wrenches_inward(const arne_robot *r, const work *w, int from, int stop,
                                   int count, force *f, real *u, real *rates)
{
    const body *bodies = robot_bodies(r);
    const dof  *dofs = robot_dofs(r);
    const int   n = r->tree_v_count;
    for (int i = from; i != stop; i = bodies[i].parent) {
        const body *b = &bodies[i];
        const int   last = b->parent == 0; // what the base brings along is found once for all
        motion      a = w->bias[i];
        if (last) a = motion_add(a, to_child(&w->X[i], w->a[0]));
        for (int j = 0; j < count; j++) {
            for (int k = b->v_start + b->v_count - 1; k >= b->v_start; k--) {
                const real held = axis_power(&dofs[k], &f[j]);
                const real moved = r_mul(held, w->D_inverse[k]);
                u[j * n + k] = r_add(u[j * n + k], held);
                rates[j] = r_add_mul(rates[j], moved, w->u[k]);
                f[j] = force_add_scaled(f[j], w->U_k[k], r_neg(moved));
            }
            rates[j] = r_add(rates[j], power(a, f[j]));
            if (!last) f[j] = to_parent(&w->X[i], f[j]);
        }
    }
}

// u, one row of tree_v_count for each constraint row that `live` marks, and their rates are added
// to.
ARNE_TEXT void loop_rows_inward(const arne_robot *r, const work *w, const loop_tie *ties,
                                const unsigned char *live, real *u, real *rates)
{
    const int n = r->tree_v_count;
    for (int i = 0; i < r->loop_count; i++) {
        const loop_record *l = robot_loops(r) + i;
        force              a[6], b[6];
        real               along[6];
        int                count = 0;
        for (int j = 0; j < l->info.row_count; j++) {
            if (!live[l->info.row_start + j]) continue;
            const force row = ties[i].rows[j], minus = fo(neg(row.lin), neg(row.ang));
            a[count] = wrench_on_body(&w->X_w[l->body[0]], ties[i].B.p, minus);
            b[count] = wrench_on_body(&w->X_w[l->body[1]], ties[i].B.p, row);
            along[count] = rates[l->info.row_start + j];
            if (l->body[0] == 0) along[count] = r_add(along[count], power(w->a[0], a[count]));
            if (l->body[1] == 0) along[count] = r_add(along[count], power(w->a[0], b[count]));
            count++;
        }
        for (int k = 0; k < count * n; k++)
            u[k] = r_num(0);
        row_wrenches_inward(r, w, l->body[0], l->meet, count, a, u, along);
        row_wrenches_inward(r, w, l->body[1], l->meet, count, b, u, along);
        for (int j = 0; j < count; j++)
            a[j] = force_add(a[j], b[j]);
        row_wrenches_inward(r, w, l->meet, 0, count, a, u, along);
        for (int j = 0, c = 0; j < l->info.row_count; j++) {
            if (!live[l->info.row_start + j]) continue;
            rates[l->info.row_start + j] = along[c++];
        }
        u += count * n;
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
                sum = r_add_mul(sum, r_mul(u[i * n + k], u[j * n + k]), w->D_inverse[k]);
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
            w->u[k] = r_add_mul(w->u[k], lambda[i], u[i * n + k]);
    accelerations_outward(r, w, NULL, NULL, qdd);
}

#endif
