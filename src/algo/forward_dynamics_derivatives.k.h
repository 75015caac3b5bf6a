// Derivatives of direct dynamics: differentiating tau = ID(q, qd, FD(q, qd, tau)) gives
//     M dqdd/dq = -dtau/dq,   M dqdd/dqd = -dtau/dqd,   M dqdd/dtau = 1
// with the derivatives of inverse dynamics at the accelerations that direct dynamics finds. These come from the same
// composite quantities: first at qdd = 0, where they give M and the bias, then moved on to the solution.
#ifndef ARNE_ALGO_FORWARD_DYNAMICS_DERIVATIVES_K_H
#define ARNE_ALGO_FORWARD_DYNAMICS_DERIVATIVES_K_H

#include "algo/factor.k.h"
#include "algo/inverse_dynamics.k.h"
#include "algo/inverse_dynamics_derivatives.k.h"
#include "algo/mass_matrix.k.h"

// c + g + friction - J^T loads, from composite forces at qdd = 0.
ARNE_TEXT void composite_bias(const arne_robot *r, const work *w, const real *q, const real *qd,
                              real *bias)
{
    const dof *dofs = robot_dofs(r);
    for (int k = 0; k < r->tree_v_count; k++) {
        bias[k] = power(w->S[k], w->F[dofs[k].body]);
        if (r->has_friction) bias[k] = r_add(bias[k], friction(&dofs[k], qd[k]));
    }
    add_springs(r, q, qd, 1, bias);
}

// From qdd = 0 to qdd: every body is accelerated by the sum e of S qdd on the way to it, and the forces of all that it
// carries change by I e and, for each joint further out, by its own I S qdd (collected in virtual_h).
ARNE_TEXT void move_to_acceleration(const arne_robot *r, work *w, const real *qdd)
{
    const body *bodies = robot_bodies(r);
    for (int i = 1; i < r->body_count; i++) {
        const body  *b = &bodies[i];
        const motion e_p = b->parent ? w->virtual_v[b->parent] : motion_zero();
        motion       e = e_p;
        for (int k = b->v_start; k < b->v_start + b->v_count; k++) {
            w->psi_rate[k] = motion_add(w->psi_rate[k], cross_motion(e_p, w->S[k]));
            e = motion_add_scaled(e, w->S[k], qdd[k]);
        }
        w->virtual_v[i] = e;
        w->virtual_h[i] = force_zero();
        w->bias[i] = motion_sub(e, e_p);
        w->a_c[i] = motion_add(w->a_c[i], e);
    }
    for (int i = r->body_count - 1; i > 0; i--) {
        const int p = bodies[i].parent;
        w->F[i] =
            force_add(w->F[i], force_add(momentum(w->I[i], w->virtual_v[i]), w->virtual_h[i]));
        if (p == 0) continue;
        const force own = momentum(w->I[i], w->bias[i]);
        w->virtual_h[p] = force_add(w->virtual_h[p], force_add(w->virtual_h[i], own));
    }
}

#endif
