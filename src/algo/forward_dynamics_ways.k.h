// Forward and hybrid dynamics of any robot, over any arithmetic. There are three ways:
//
//     by bodies    articulated bodies, where every coordinate moves one body
//     by handles   the same with coordinates that several bodies share carried inward as handles
//     by matrix    M qdd = tau - bias, where so many handles would be under way that it is the
//                  shorter one
//
// What must look at numbers (is M singular?) comes after, in forward_dynamics.c and in the callers
// of CALL.
#ifndef ARNE_ALGO_FORWARD_DYNAMICS_WAYS_K_H
#define ARNE_ALGO_FORWARD_DYNAMICS_WAYS_K_H

#include "algo/call.k.h"
#include "algo/forward_dynamics_shared.k.h"
#include "algo/hybrid_dynamics.k.h"
#include "algo/mass_matrix.k.h"

typedef enum forward_way { FORWARD_BY_BODIES, FORWARD_BY_HANDLES, FORWARD_BY_MATRIX } forward_way;

ARNE_FN forward_way way_forward(const arne_robot *r)
{
    if (!r->shares_coordinates) return FORWARD_BY_BODIES;
    return r->has_handles ? FORWARD_BY_HANDLES : FORWARD_BY_MATRIX;
}

// Leaves the factor of M in w->matrix. Returns the lanes that look singular.
ARNE_TEXT unsigned forward_by_matrix(const arne_robot *r, work *w, const real *q, const real *qd,
                                     const real *tau, const load *f_ext, real *qdd)
{
    real          *bias = w->scratch;
    const unsigned bad = factored_mass_matrix(r, w, q);
    w->by_handles = 0;
    inverse_dynamics_at(r, w, r->shares_coordinates ? w->tree_q : q, qd, w->zero, f_ext, bias);
    for (int k = 0; k < r->v_count; k++)
        qdd[k] = r_sub(tau[k], bias[k]);
    factor_solve(r->v_count, robot_factor_parents(r), w->matrix, qdd);
    return bad;
}

// Returns the way it went: what is left to move, D, is in w->D, or on the diagonal of w->matrix.
ARNE_TEXT forward_way forward_dynamics(const arne_robot *r, work *w, const real *q, const real *qd,
                                       const real *tau, const load *f_ext, real *qdd)
{
    const forward_way way = way_forward(r);
    if (way == FORWARD_BY_BODIES)
        tree_forward_dynamics(r, w, q, qd, tau, f_ext, qdd);
    else if (way == FORWARD_BY_HANDLES)
        shared_forward_dynamics(r, w, q, qd, NULL, f_ext, tau, NULL, qdd);
    else
        forward_by_matrix(r, w, q, qd, tau, f_ext, qdd);
    return way;
}

// Where given[k], tau[k] is found from qdd[k]; elsewhere qdd[k] from tau[k].
ARNE_TEXT forward_way hybrid_dynamics(const arne_robot *r, work *w, const real *q, const real *qd,
                                      const unsigned char *given, const load *f_ext, real *tau,
                                      real *qdd)
{
    const forward_way way = way_forward(r);
    if (way == FORWARD_BY_BODIES)
        tree_hybrid_dynamics(r, w, q, qd, given, f_ext, tau, qdd);
    else if (way == FORWARD_BY_HANDLES)
        shared_forward_dynamics(r, w, q, qd, given, f_ext, tau, tau, qdd);
    else
        hybrid_by_matrix(r, w, q, qd, given, f_ext, tau, qdd);
    return way;
}

// ---- as the catalogue has them ----

// After either; returns the lanes that look singular. by_matrix: the wrenches are those of inverse
// dynamics.
ARNE_TEXT unsigned end_forward(const call *c, forward_way way, const real *qdd)
{
    const int n = c->r->v_count;
    if (way == FORWARD_BY_MATRIX) {
        const unsigned bad = suspicious(n, c->w->matrix, n + 1, robot_least(c->r));
        if (!wants_wrenches(c)) return bad;
        inverse_dynamics(c->r, c->w, IN(q), IN(qd), qdd, c->f_ext, c->w->scratch);
        put_wrenches(c);
        return bad;
    }
    if (wants_wrenches(c)) {
        if (way == FORWARD_BY_HANDLES)
            shared_wrenches(c->r, c->w);
        else
            wrenches_outward(c->r, c->w);
        put_wrenches(c);
    }
    return suspicious(n, c->w->D, 1, robot_least(c->r));
}

CALL(FORWARD_DYNAMICS)
{
    c->w->keeps_wrenches = wants_wrenches(c);
    const forward_way way =
        forward_dynamics(c->r, c->w, IN(q), IN(qd), IN(tau), c->f_ext, OUT(qdd));
    return end_forward(c, way, OUT(qdd));
}

CALL(FORWARD_DYNAMICS_MATRIX)
{
    forward_by_matrix(c->r, c->w, IN(q), IN(qd), IN(tau), c->f_ext, OUT(qdd));
    return end_forward(c, FORWARD_BY_MATRIX, OUT(qdd));
}

CALL(HYBRID_DYNAMICS)
{
    for (int k = 0; k < c->r->v_count; k++) {
        OUT(tau)[k] = IN(tau)[k];
        OUT(qdd)[k] = IN(qdd)[k];
    }
    const forward_way way = hybrid_dynamics(c->r, c->w, IN(q), IN(qd), c->settings->given, c->f_ext,
                                            OUT(tau), OUT(qdd));
    return end_forward(c, way, OUT(qdd));
}

#endif
