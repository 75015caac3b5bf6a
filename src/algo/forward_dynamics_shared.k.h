// Forward dynamics in one recursion where some coordinates move several bodies: mimic joints, and
// rotors that turn with their joint.
//
// Such a coordinate h cannot be eliminated at the bodies it moves. It is carried inward as a handle
// with its force U_h, what is left of its torque u_h and the numbers D_hg between handles,
//     f = P A + p + sum of U_h qdd_h,   u_h = U_h . A + sum over g of D_hg qdd_g
// until the first body that carries all it moves; there it is a column like any other. A column k
// eliminated on the way couples to a handle by E_h = S_k . U_h. With few handles at a body the cost
// is linear.
//
// Most motors sit on the link that their joint stands on. Such a late column k is eliminated one
// body later than others, where link and rotor meet: U_k = X^T P S_k and what the rotor adds, with
// no handle. Where the rotor is further inward or in another branch, X^T P S_k starts the handle
// there. As each coordinate is eliminated once, D, u and U_k are those of the user's coordinates
// here.
#ifndef ARNE_ALGO_FORWARD_DYNAMICS_SHARED_K_H
#define ARNE_ALGO_FORWARD_DYNAMICS_SHARED_K_H

#include "algo/forward_dynamics.k.h"

// How much a coordinate of the tree moves with the user's.
ARNE_FN real ratio_of(const arne_robot *r, const work *w, int k)
{
    return r->slope_count ? w->ratio[k] : r_num(robot_v_sources(r)[k].ratio);
}

// These where functions make them vary, and what they add to accelerations across joints.
ARNE_TEXT void bend_bodies(const arne_robot *r, work *w, const real *qd)
{
    for (int k = 0; r->slope_count && k < r->tree_v_count; k++) {
        w->ratio[k] = r_num(robot_v_sources(r)[k].ratio);
        w->bent[k] = r_num(0);
    }
    for (int i = 0; i < r->slope_count; i++) {
        const slope_record *s = &robot_slopes(r)[i];
        const dof          *d = &robot_dofs(r)[s->v];
        const real         *G = w->slope + SLOPE_ORDERS * i, v = qd[s->from_v];
        const real          more = r_mul(G[1], r_mul(v, v));
        w->ratio[s->v] = r_add(w->ratio[s->v], G[0]);
        w->bent[s->v] = r_add(w->bent[s->v], more);
        w->bias[d->body] = axis_add(d, more, w->bias[d->body]);
    }
}

// The handles of a body while it is worked on; those that end there come first.
typedef struct handles {
    const handle *h;
    force        *U;
    real         *u, *D;
    int           ended, count;
} handles;

ARNE_FN handles handles_of(const arne_robot *r, const work *w, int i)
{
    const handle_span s = robot_handle_spans(r)[i];
    const handles     H = {robot_handles(r) + s.start, w->U_h + s.start, w->u_h + s.start,
                           w->D_h + s.pairs,           s.ended,          s.count};
    return H;
}

// Whether rotor i has no coordinate of its own.
ARNE_FN int turns_with_joint(const arne_robot *r, int i)
{
    const handle_span *s = robot_handle_spans(r) + i;
    return s->late || s->count;
}

// Takes x out of the body's equations, where u = D x + U . A + sum of E_h qdd_h over the handles
// from `first` on.
ARNE_TEXT void eliminate(articulated *P, force *p, const handles *H, int first, force U,
                         real D_inverse, real u, const real *E)
{
    const real x = r_mul(u, D_inverse);
    articulated_sub_outer(P, U, D_inverse);
    *p = force_add_scaled(*p, U, x);
    for (int g = first; g < H->count; g++) {
        const real e = r_mul(E[g], D_inverse);
        H->U[g] = force_add_scaled(H->U[g], U, r_neg(e));
        H->u[g] = r_sub_mul(H->u[g], E[g], x);
        for (int h = first; h < H->count; h++)
            H->D[g * H->count + h] = r_sub_mul(H->D[g * H->count + h], e, E[h]);
    }
}

// The same where x is given: what it does is known, and its torque is found on the way back.
ARNE_TEXT void take_given(force *p, const handles *H, int first, force U, real x, const real *E)
{
    *p = force_add_scaled(*p, U, x);
    for (int g = first; g < H->count; g++)
        H->u[g] = r_sub_mul(H->u[g], E[g], x);
}

// Handles that end at this body are columns now, which couple to those after them by their row of
// D. The row is kept for the way back.
ARNE_TEXT void end_handles(work *w, articulated *P, force *p, const handles *H, const real *tau,
                           const unsigned char *given, const real *qdd)
{
    const int n = H->count;
    for (int h = 0; h < H->ended; h++) {
        const int   k = H->h[h].coordinate;
        const real *row = H->D + h * n;
        w->D[k] = row[h];
        if (given && given[k]) {
            H->u[h] = r_neg(H->u[h]);
            take_given(p, H, h + 1, H->U[h], qdd[k], row);
            continue;
        }
        H->u[h] = r_add(H->u[h], tau[k]);
        w->D_inverse[k] = r_div(r_num(1), row[h]);
        eliminate(P, p, H, h + 1, H->U[h], w->D_inverse[k], H->u[h], row);
    }
}

// A column that belongs to a handle joins it.
ARNE_TEXT void join_handle(const dof *d, const articulated *P, const force *p, const handles *H,
                           int h, real ratio, real held)
{
    const int   n = H->count;
    const force U = axis_articulated(d, P);
    const real  total = r_add(axis_power(d, &U), r_num(d->rotor));
    for (int g = H->ended; g < n; g++) {
        const real e = r_mul(ratio, axis_power(d, &H->U[g]));
        H->D[h * n + g] = r_add(H->D[h * n + g], e);
        H->D[g * n + h] = r_add(H->D[g * n + h], e); // twice for h itself
    }
    H->D[h * n + h] = r_add_mul(H->D[h * n + h], r_mul(ratio, ratio), total);
    H->U[h] = force_add_scaled(H->U[h], U, ratio);
    H->u[h] = r_sub_mul(H->u[h], ratio, r_add(axis_power(d, p), held));
}

ARNE_TEXT int find_handle(const handles *H, int coordinate)
{
    int h = H->count - 1;
    while (h >= 0 && H->h[h].coordinate != coordinate)
        h--;
    return h;
}

// What friction and springs hold of the torque of column k.
ARNE_FN real held_at(const arne_robot *r, const work *w, int k, real v)
{
    const real pull = r->spring_count ? w->pull[k] : r_num(0);
    return r->has_friction ? r_add(pull, friction(robot_dofs(r) + k, v)) : pull;
}

// Of one body: its columns. Handles that have ended here take no part.
ARNE_TEXT void articulate_columns(const arne_robot *r, work *w, int i, articulated *P, force *p,
                                  const handles *H, const real *qd, const real *tau,
                                  const unsigned char *given, const real *qdd)
{
    const body   *b = robot_bodies(r) + i;
    const source *from = robot_v_sources(r);
    real         *E = w->E_h + robot_handle_spans(r)[i].cross;
    for (int k = b->v_start + b->v_count - 1; k >= b->v_start; k--) {
        const dof *d = robot_dofs(r) + k;
        const int  user = from[k].from, shared = find_handle(H, user);
        real      *e = E + (k - b->v_start) * H->count;
        real       held = held_at(r, w, k, qd[k]);
        if (shared >= 0) {
            if (r->slope_count) held = r_add_mul(held, r_num(d->rotor), w->bent[k]);
            join_handle(d, P, p, H, shared, ratio_of(r, w, k), held);
            continue;
        }
        const force U = axis_articulated(d, P);
        w->U_k[user] = U;
        w->D[user] = r_add(axis_power(d, &U), r_num(d->rotor));
        for (int g = H->ended; g < H->count; g++)
            e[g] = axis_power(d, &H->U[g]);
        held = r_add(held, axis_power(d, p));
        if (given && given[user]) {
            w->u[user] = held;
            take_given(p, H, H->ended, U, qdd[user], e);
            continue;
        }
        w->D_inverse[user] = r_div(r_num(1), w->D[user]);
        w->u[user] = r_sub(tau[user], held);
        eliminate(P, p, H, H->ended, U, w->D_inverse[user], w->u[user], e);
    }
}

// A late column becomes one of the parent's handles.
ARNE_FN void start_handle(const handles *H, int h, force U, real D, real held, const real *E)
{
    const int n = H->count;
    for (int g = 0; g < n; g++) {
        H->D[h * n + g] = r_add(H->D[h * n + g], E[g]);
        H->D[g * n + h] = r_add(H->D[g * n + h], E[g]);
    }
    H->D[h * n + h] = r_add(H->D[h * n + h], D);
    H->U[h] = force_add(H->U[h], U);
    H->u[h] = r_sub(H->u[h], held);
}

// The late column of body i, whose P and p in the parent's frame are Q and q, after its handles. A
// rotor that is eliminated with it has been there before.
ARNE_TEXT void late_column(const arne_robot *r, work *w, int i, articulated *Q, force *q,
                           const real *qd, const real *tau, const unsigned char *given,
                           const real *qdd)
{
    const handle_span *span = robot_handle_spans(r) + i;
    const body        *b = robot_bodies(r) + i;
    const int          k = b->v_start, user = span->user;
    const dof         *d = robot_dofs(r) + k;
    const handles      H = handles_of(r, w, i), above = handles_of(r, w, b->parent);
    const int          start = robot_handle_spans(r)[b->parent].start;
    real              *E = w->E_h + span->cross;
    const force        U = axis_articulated(d, &w->A[i]);
    force              U_above = to_parent(&w->X[i], U);
    real               D = r_add(axis_power(d, &U), r_num(d->rotor));
    real               held =
        r_add(held_at(r, w, k, qd[k]), r_add(axis_power(d, &w->f[i]), power(w->bias[i], U)));
    for (int g = 0; g < above.count; g++)
        E[g] = r_num(0);
    for (int g = H.ended; g < H.count; g++)
        E[H.h[g].up - start] = axis_power(d, &H.U[g]);
    if (span->late == LATE_HANDLE) {
        start_handle(&above, span->slot, U_above, D, held, E);
        return;
    }
    U_above = force_add(w->U_k[user], U_above);
    D = r_add(D, w->D[user]);
    held = r_add(held, w->u[user]);
    w->U_k[user] = U_above;
    w->D[user] = D;
    if (given && given[user]) {
        w->u[user] = held;
        take_given(q, &above, 0, U_above, qdd[user], E);
        return;
    }
    w->D_inverse[user] = r_div(r_num(1), D);
    w->u[user] = r_sub(tau[user], held);
    eliminate(Q, q, &above, 0, U_above, w->D_inverse[user], w->u[user], E);
}

// A rotor that turns with its joint: its inertia stays with the carrier, and its share of the late
// column or of the handle starts there.
ARNE_TEXT void turning_rotor_inward(const arne_robot *r, work *w, int i, int user, real v,
                                    real held)
{
    const body *b = robot_bodies(r) + i;
    const vec3  p = add(rotor_gyration(b, w->v[b->parent].ang, v), rotor_stays(w, b));
    const vec3  moved = scale(rotor_axis(b), rotor_geared(b));
    const real  D = rotor_whole(b, robot_dofs(r) + b->v_start);
    w->f[b->parent].ang = add(w->f[b->parent].ang, p);
    if (robot_handle_spans(r)[i].late) {
        w->U_k[user] = fo(v3_zero(), moved);
        w->u[user] = held;
        w->D[user] = D;
        return;
    }
    const int         slot = robot_handles(r)[robot_handle_spans(r)[i].start].up;
    const handle_span to = robot_handle_spans(r)[b->parent];
    const int         own = to.pairs + (slot - to.start) * (to.count + 1);
    w->U_h[slot].ang = add(w->U_h[slot].ang, moved);
    w->u_h[slot] = r_sub(w->u_h[slot], held);
    w->D_h[own] = r_add(w->D_h[own], D);
}

ARNE_TEXT void shared_rotors_inward(const arne_robot *r, work *w, const real *qd, const real *tau,
                                    const unsigned char *given, const real *qdd)
{
    for (int i = r->rotor_start; i < r->body_count; i++) {
        const body *b = robot_bodies(r) + i;
        const int   k = b->v_start, user = robot_handle_spans(r)[i].user;
        const dof  *d = robot_dofs(r) + k;
        const real  held = held_at(r, w, k, qd[k]);
        if (turns_with_joint(r, i))
            turning_rotor_inward(r, w, i, user, qd[k], held);
        else
            rotor_inward(w, b, d, user, qd[k], tau[user], held, given && given[user], qdd[user]);
    }
}

// The handles of a body that go on are added to those of its parent.
ARNE_TEXT void hand_on(const arne_robot *r, work *w, int i, const handles *H)
{
    const handle_span to = robot_handle_spans(r)[robot_bodies(r)[i].parent];
    for (int g = H->ended; g < H->count; g++) {
        const int u = H->h[g].up;
        real     *D = w->D_h + to.pairs + (u - to.start) * to.count;
        w->U_h[u] = force_add(w->U_h[u], to_parent(&w->X[i], H->U[g]));
        w->u_h[u] = r_add(w->u_h[u], r_sub(H->u[g], power(w->bias[i], H->U[g])));
        for (int h = H->ended; h < H->count; h++)
            D[H->h[h].up - to.start] = r_add(D[H->h[h].up - to.start], H->D[g * H->count + h]);
    }
}

ARNE_TEXT void shared_inward(const arne_robot *r, work *w, const real *qd, const real *tau,
                             const unsigned char *given, const real *qdd)
{
    for (int h = 0; h < r->handle_count; h++) {
        w->U_h[h] = force_zero();
        w->u_h[h] = r_num(0);
    }
    for (int h = 0; h < r->handle_pairs; h++)
        w->D_h[h] = r_num(0);
    w->A[0] = articulated_from(inertia_lift(&robot_bodies(r)->inertia));
    shared_rotors_inward(r, w, qd, tau, given, qdd);
    articulated P = articulated_zero(); // of the body after, if this is its parent
    force       p = force_zero();
    for (int i = r->rotor_start - 1; i > 0; i--) {
        const int     above = robot_bodies(r)[i].parent, late = robot_handle_spans(r)[i].late;
        const handles H = handles_of(r, w, i);
        articulated_add(&P, &w->A[i]);
        p = force_add(p, w->f[i]);
        if (!late && !H.count) {
            articulate_body(r, w, i, robot_handle_spans(r)[i].user, &P, &p, qd, tau, given, qdd);
        } else {
            end_handles(w, &P, &p, &H, tau, given, qdd);
            if (!late) articulate_columns(r, w, i, &P, &p, &H, qd, tau, given, qdd);
        }
        w->A[i] = P; // for shared_wrenches
        w->f[i] = p;
        hand_on(r, w, i, &H);
        p = to_parent(&w->X[i], force_add(p, articulated_mul(&P, w->bias[i])));
        P = articulated_to_parent(&w->X[i], &P);
        if (late) late_column(r, w, i, &P, &p, qd, tau, given, qdd);
        if (above == i - 1 && above > 0) continue;
        if (above > 0) { // the base's acceleration is given
            articulated_add(&w->A[above], &P);
            w->f[above] = force_add(w->f[above], p);
        }
        P = articulated_zero();
        p = force_zero();
    }
    const handles H = handles_of(r, w, 0);
    end_handles(w, &w->A[0], &p, &H, tau, given, qdd);
}

// Of a coordinate that was eliminated where the acceleration is a: qdd, or its torque where qdd is
// given. E are its numbers with the handles from `first` on.
ARNE_TEXT void column_outward(const work *w, int user, real u, const force *U, const handles *H,
                              int first, const real *E, motion a, const unsigned char *given,
                              real *tau, real *qdd)
{
    real carried = power(a, *U);
    for (int g = first; g < H->count; g++)
        carried = r_add_mul(carried, E[g], qdd[H->h[g].coordinate]);
    if (given && given[user])
        tau[user] = r_add_mul(r_add(u, carried), w->D[user], qdd[user]);
    else
        qdd[user] = r_mul(r_sub(u, carried), w->D_inverse[user]);
}

ARNE_TEXT void handles_outward(const arne_robot *r, work *w, int i, motion a,
                               const unsigned char *given, real *tau, real *qdd)
{
    const handles H = handles_of(r, w, i);
    for (int h = H.ended - 1; h >= 0; h--)
        column_outward(w, H.h[h].coordinate, H.u[h], &H.U[h], &H, h + 1, H.D + h * H.count, a,
                       given, tau, qdd);
}

// Accelerations, and torques where these are given, in the user's coordinates.
ARNE_TEXT void shared_outward(const arne_robot *r, work *w, const unsigned char *given, real *tau,
                              real *qdd)
{
    motion a = w->a[0]; // of the body before, which is the parent in a chain
    handles_outward(r, w, 0, a, given, tau, qdd);
    for (int i = 1; i < r->rotor_start; i++) {
        const body   *b = robot_bodies(r) + i;
        const handles H = handles_of(r, w, i);
        const int     late = robot_handle_spans(r)[i].late, first = robot_handle_spans(r)[i].user;
        const real   *E = w->E_h + robot_handle_spans(r)[i].cross;
        if (b->parent != i - 1) a = w->a[b->parent];
        if (late == LATE_COLUMN) {
            const handles above = handles_of(r, w, b->parent);
            column_outward(w, first, w->u[first], &w->U_k[first], &above, 0, E, a, given, tau, qdd);
        }
        a = motion_add(to_child(&w->X[i], a), w->bias[i]);
        for (int k = b->v_start; k < b->v_start + b->v_count; k++) {
            const int user = first + k - b->v_start;
            real      ratio = r_num(1);
            if (find_handle(&H, user) >= 0)
                ratio = ratio_of(r, w, k);
            else if (!late)
                column_outward(w, user, w->u[user], &w->U_k[user], &H, H.ended,
                               E + (k - b->v_start) * H.count, a, given, tau, qdd);
            a = axis_add(&robot_dofs(r)[k], r_mul(ratio, qdd[user]), a);
        }
        w->a[i] = a;
        handles_outward(r, w, i, a, given, tau, qdd);
    }
    for (int i = r->rotor_start; i < r->body_count; i++) {
        const int user = robot_handle_spans(r)[i].user;
        if (turns_with_joint(r, i)) continue;
        rotor_outward(w, robot_bodies(r) + i, user, given && given[user], tau ? &tau[user] : NULL,
                      &qdd[user]);
    }
}

// given[k] says that qdd[k] is given and held[k] wanted, else qdd[k] from tau[k]. Both may be NULL:
// none is given.
ARNE_TEXT void shared_forward_dynamics(const arne_robot *r, work *w, const real *q, const real *qd,
                                       const unsigned char *given, const load *f_ext,
                                       const real *tau, real *held, real *qdd)
{
    const real *x = tree_q(r, w, q), *v = tree_v(r, w, qd, w->tree_qd);
    velocities_outward(r, w, x, v);
    bend_bodies(r, w, qd);
    subtract_wrenches(r, w, f_ext);
    spring_torques(r, w, x, v);
    shared_inward(r, w, v, tau, given, qdd);
    shared_outward(r, w, given, held, qdd);
    for (int k = 0; k < r->v_count; k++)
        w->acceleration[k] = qdd[k];
    w->by_handles = 1;
}

// What each joint transmits, if wanted after the rest: as wrenches_outward, with what handles and
// late columns do.
ARNE_TEXT void shared_wrenches(const arne_robot *r, work *w)
{
    wrenches_outward(r, w);
    for (int i = 1; i < r->rotor_start; i++) {
        const body   *b = robot_bodies(r) + i;
        const handles H = handles_of(r, w, i);
        force         more = force_zero();
        if (robot_handle_spans(r)[i].late)
            more = force_add_scaled(more, axis_articulated(robot_dofs(r) + b->v_start, &w->A[i]),
                                    w->acceleration[robot_v_sources(r)[b->v_start].from]);
        for (int h = H.ended; h < H.count; h++)
            more = force_add_scaled(more, H.U[h], w->acceleration[H.h[h].coordinate]);
        w->f[i] = force_add(w->f[i], more);
        if (b->parent == 0) w->f[0] = force_add(w->f[0], to_parent(&w->X[i], more));
    }
    for (int i = r->rotor_start; i < r->body_count; i++) { // what those on the base take of theirs
        const body *b = robot_bodies(r) + i;
        if (b->parent > 0 || !turns_with_joint(r, i)) continue;
        const real x = w->acceleration[robot_v_sources(r)[b->v_start].from];
        w->f[0].ang = add_scaled(w->f[0].ang, rotor_axis(b), r_mul(rotor_geared(b), x));
    }
}

#endif
