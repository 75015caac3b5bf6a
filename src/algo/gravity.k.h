// Torques at rest, of weight and springs: inverse dynamics where nothing turns and the base is
// accelerated upward by -g.
#ifndef ARNE_ALGO_GRAVITY_K_H
#define ARNE_ALGO_GRAVITY_K_H

#include "algo/call.k.h"
#include "algo/inverse_dynamics.k.h"

ARNE_TEXT void gravity(const arne_robot *r, work *w, const real *q, real *tau)
{
    const body *bodies = robot_bodies(r);
    real       *out = tree_out(r, tau, w->tree_tau);

    const real *x = tree_q(r, w, q);
    joint_poses(r, w, x);
    vec3 up = into(&w->base_pose, neg(lift(r->gravity))); // at the body before
    w->f[0] = force_zero();
    w->bias[0].lin = up;
    for (int i = 1; i < r->body_count; i++) {
        const body *b = &bodies[i];
        if (b->parent != i - 1) up = w->bias[b->parent].lin;
        up = into(&w->X[i], up);
        w->bias[i].lin = up;
        w->f[i] = fo(scale(up, r_num(b->inertia.m)), cross(lift4(&b->inertia.h), up));
    }
    subtract_held_weights(r, w);
    wrenches_inward(r, w, r->body_count, out);
    add_springs(r, x, NULL, out);
    collect(r, w, out, tau);
}

CALL(GRAVITY)
{
    gravity(c->r, c->w, IN(q), OUT(tau));
    return 0;
}

#endif
