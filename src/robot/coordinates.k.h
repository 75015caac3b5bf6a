// The user's coordinates and the tree's. They differ where a coordinate moves several joints: mimic
// joints and rigid rotors have no entry of their own. Then tree = G user + offset with a constant
// G, torques come back by G^T and matrices by G^T M G. A row of G has one entry, its source; those
// of coupled joints and rotors have terms besides. Other robots pass their arrays straight through.
//
// Where joints follow by functions, tree = g(user), and G = dg/dq has entries that vary besides,
// its slopes. A slope G_kj depends on one coordinate q_l alone (its own, or of a product the other
// one), with the derivatives D, T, F:
//     xd_k  = sum of G qd_j                       xdd_k = sum of G qdd_j + D qd_l qd_j
//     xddd_k = sum of G qddd_j + 2 D qd_l qdd_j + D qdd_l qd_j + T qd_l^2 qd_j
// How these change with q_j, as D, T and F are those of a function (l = j) or of a product, whose
// two slopes are each other's (T = 0):
//     dxd_k/dq_j = D qd_l,   dxdd_k/dq_j = D qdd_l + T qd_l^2,   dxdd_k/dqd_j = 2 D qd_l
// and torques G^T tau by sum of D tau_k at (j, l).
//
// Bodies that move by exponentials have blocks of G besides: see exponential.k.h.
#ifndef ARNE_ROBOT_COORDINATES_K_H
#define ARNE_ROBOT_COORDINATES_K_H

#include "math/dense_row.h"
#include "robot/exponential.k.h"
#include "robot/functions.k.h"
#include "robot/work.k.h"

// Adds what functions give, and leaves the slopes in w->slope: G, D, T, F of each.
ARNE_TEXT void bend_coordinates(const arne_robot *r, work *w, const real *q)
{
    for (int i = 0; i < r->bend_count; i++) {
        const bend_record *b = &robot_bends(r)[i];
        real              *s = w->slope + SLOPE_ORDERS * b->slope, *x = &w->tree_q[b->q];
        real               d[FUNCTION_ORDERS];
        const real         before = b->starts ? r_num(0) : *x;
        if (b->other_q < 0) {
            bend_at(r, b, q[b->from_q], d);
            *x = r_add(before, d[0]);
            for (int k = 0; k < SLOPE_ORDERS; k++)
                s[k] = d[k + 1];
            continue;
        }
        const real c = r_num(b->factor), other = r_mul(c, q[b->other_q]);
        *x = r_add_mul(before, other, q[b->from_q]);
        s[0] = other;
        s[SLOPE_ORDERS] = r_mul(c, q[b->from_q]);
        s[1] = s[SLOPE_ORDERS + 1] = c;
        s[2] = s[3] = s[SLOPE_ORDERS + 2] = s[SLOPE_ORDERS + 3] = r_num(0);
    }
}

// What fours write too much is written after them.
ARNE_FN void copy_coordinates(int fours, int count, const source_copy *c, const real *user,
                              real *tree)
{
    for (int i = 0; i < fours; i++)
        row_copy4(user + c[i].from, tree + c[i].at);
    for (int i = fours; i < count; i++)
        tree[c[i].at] = user[c[i].from];
}

// Comes first: what maps velocities reads the slopes that it leaves.
ARNE_TEXT const real *tree_q(const arne_robot *r, work *w, const real *q)
{
    if (!r->shares_coordinates) return q;
    const source *from = robot_q_sources(r);
    copy_coordinates(r->q_four_count, r->q_copy_count, robot_q_copies(r), q, w->tree_q);
    for (int i = 0; i < r->q_odd_count; i++) {
        const int k = robot_q_odds(r)[i];
        w->tree_q[k] = r_add_mul(r_num(from[k].offset), r_num(from[k].ratio), q[from[k].from]);
    }
    const term *t = robot_terms(r);
    for (int i = 0; i < r->term_count; i++)
        w->tree_q[t[i].q] = r_add_mul(w->tree_q[t[i].q], r_num(t[i].ratio), q[t[i].from_q]);
    if (r->bend_count) bend_coordinates(r, w, q);
    if (r->exponent_count) exponents_start(r, w, q);
    return w->tree_q;
}

// Adds what coordinates take up besides their sources: those of one coordinate follow each other.
// Dry friction has the sign of the sum, so a sum that cancels must be zero in every arithmetic.
ARNE_TEXT void add_terms(const arne_robot *r, const real *v, real *out)
{
    const term *t = robot_terms(r);
    for (int i = 0; i < r->term_count;) {
        const int k = t[i].v;
        real      size = r_size(out[k]);
        for (; i < r->term_count && t[i].v == k; i++) {
            const real more = r_mul(r_num(t[i].ratio), v[t[i].from_v]);
            out[k] = r_add(out[k], more);
            size = r_add(size, r_size(more));
        }
        out[k] = r_settled(out[k], size);
    }
}

// v of the tree in `out`, which is one of the workspace's arrays.
ARNE_TEXT const real *tree_v(const arne_robot *r, work *w, const real *v, real *out)
{
    if (!r->shares_coordinates) return v;
    const source *from = robot_v_sources(r);
    copy_coordinates(r->v_four_count, r->v_copy_count, robot_v_copies(r), v, out);
    for (int i = 0; i < r->v_odd_count; i++) {
        const int k = robot_v_odds(r)[i];
        out[k] = r_mul(r_num(from[k].ratio), v[from[k].from]);
    }
    add_terms(r, v, out);
    for (int i = 0; i < r->slope_count; i++) {
        const slope_record *s = &robot_slopes(r)[i];
        const real          before = s->starts ? r_num(0) : out[s->v];
        out[s->v] = r_add_mul(before, w->slope[SLOPE_ORDERS * i], v[s->from_v]);
    }
    exponents_v(r, w, v, out);
    return out;
}

// The motion of the tree.
typedef struct tree_motion {
    const real *q, *qd, *qdd;
} tree_motion;

// With x, what tree_q has left: velocities, as tree_v has them, and accelerations, G qdd and what
// velocities add where G varies. Both in one pass.
ARNE_TEXT tree_motion tree_rates(const arne_robot *r, work *w, const real *x, const real *qd,
                                 const real *qdd)
{
    const source_copy *c = robot_v_copies(r);
    const source      *from = robot_v_sources(r);
    real              *v = w->tree_qd, *a = w->tree_qdd;
    if (!r->shares_coordinates) return (tree_motion){x, qd, qdd};
    for (int i = 0; i < r->v_four_count; i++) {
        row_copy4(qd + c[i].from, v + c[i].at);
        row_copy4(qdd + c[i].from, a + c[i].at);
    }
    for (int i = r->v_four_count; i < r->v_copy_count; i++) {
        v[c[i].at] = qd[c[i].from];
        a[c[i].at] = qdd[c[i].from];
    }
    for (int i = 0; i < r->v_odd_count; i++) {
        const int k = robot_v_odds(r)[i];
        v[k] = r_mul(r_num(from[k].ratio), qd[from[k].from]);
        a[k] = r_mul(r_num(from[k].ratio), qdd[from[k].from]);
    }
    add_terms(r, qd, v);
    add_terms(r, qdd, a);
    for (int i = 0; i < r->slope_count; i++) {
        const slope_record *s = &robot_slopes(r)[i];
        const real         *d = w->slope + SLOPE_ORDERS * i, u = qd[s->from_v];
        const real more = r_add_mul(r_mul(d[0], qdd[s->from_v]), d[1], r_mul(qd[s->with_v], u));
        v[s->v] = r_add_mul(s->starts ? r_num(0) : v[s->v], d[0], u);
        a[s->v] = s->starts ? more : r_add(a[s->v], more);
    }
    exponents_va(r, w, qd, qdd, v, a);
    return (tree_motion){x, v, a};
}

// Likewise jerks.
ARNE_TEXT const real *tree_j(const arne_robot *r, work *w, const real *qd, const real *qdd,
                             const real *qddd, real *out)
{
    if (!r->shares_coordinates) return qddd;
    tree_v(r, w, qddd, out);
    for (int i = 0; i < r->slope_count; i++) {
        const slope_record *s = &robot_slopes(r)[i];
        const real         *d = w->slope + SLOPE_ORDERS * i;
        const real          v = qd[s->from_v], u = qd[s->with_v];
        const real first = r_add_mul(r_mul(r_num(2), r_mul(u, qdd[s->from_v])), qdd[s->with_v], v);
        out[s->v] = r_add(out[s->v], r_add_mul(r_mul(d[1], first), d[2], r_mul(r_mul(u, u), v)));
    }
    exponents_j(r, w, qd, qdd, out);
    return out;
}

// How the tree's velocities and, with qdd, its accelerations change with q: for what takes
// derivatives.
ARNE_TEXT void slope_rates(const arne_robot *r, work *w, const real *qd, const real *qdd)
{
    for (int i = 0; i < r->slope_count; i++) {
        const int   l = robot_slopes(r)[i].with_v;
        const real *d = w->slope + SLOPE_ORDERS * i;
        w->slope_v[i] = r_mul(d[1], qd[l]);
        if (qdd) w->slope_a[i] = r_add_mul(r_mul(d[1], qdd[l]), d[2], r_mul(qd[l], qd[l]));
    }
    exponents_rates(r, w, qd, qdd);
}

ARNE_TEXT tree_motion tree_motion_of(const arne_robot *r, work *w, const real *q, const real *qd,
                                     const real *qdd)
{
    const tree_motion t = tree_rates(r, w, tree_q(r, w, q), qd, qdd);
    slope_rates(r, w, qd, qdd);
    return t;
}

// Where an algorithm is to write what it has for each coordinate of the tree: the user's array or
// the workspace's.
ARNE_FN real *tree_out(const arne_robot *r, real *user, real *own)
{
    return r->shares_coordinates ? own : user;
}

// G^T tau, where that is another array.
ARNE_TEXT void collect(const arne_robot *r, const work *w, const real *tree, real *user)
{
    if (!r->shares_coordinates) return;
    const source      *to = robot_v_sources(r);
    const source_copy *c = robot_v_copies(r); // every coordinate of the user once
    for (int i = 0; i < r->v_four_count; i++)
        row_copy4(tree + c[i].at, user + c[i].from);
    for (int i = r->v_four_count; i < r->v_copy_count; i++)
        user[c[i].from] = tree[c[i].at];
    for (int i = 0; i < r->v_odd_count; i++) {
        const int k = robot_v_odds(r)[i];
        user[to[k].from] = r_add_mul(user[to[k].from], r_num(to[k].ratio), tree[k]);
    }
    const term *t = robot_terms(r);
    for (int i = 0; i < r->term_count; i++)
        user[t[i].from_v] = r_add_mul(user[t[i].from_v], r_num(t[i].ratio), tree[t[i].v]);
    for (int i = 0; i < r->slope_count; i++) {
        const slope_record *s = &robot_slopes(r)[i];
        user[s->from_v] = r_add_mul(user[s->from_v], w->slope[SLOPE_ORDERS * i], tree[s->v]);
    }
    exponents_back(r, w, tree, user);
}

// rows x tree_v_count becomes rows x v_count: J G.
ARNE_TEXT void collect_columns(const arne_robot *r, const work *w, int rows, const real *tree,
                               real *user)
{
    for (int i = 0; r->shares_coordinates && i < rows; i++)
        collect(r, w, tree + i * r->tree_v_count, user + i * r->v_count);
}

// user + tree times one value for each slope, columns over the tree to columns of the user.
ARNE_TEXT void add_along_slopes(const arne_robot *r, int rows, const real *tree, const real *values,
                                real factor, real *user)
{
    const int n = r->tree_v_count, m = r->v_count;
    for (int i = 0; i < r->slope_count; i++) {
        const slope_record *s = &robot_slopes(r)[i];
        const real          value = r_mul(factor, values[i]);
        for (int k = 0; k < rows; k++)
            user[k * m + s->from_v] = r_add_mul(user[k * m + s->from_v], value, tree[k * n + s->v]);
    }
}

// What slope_rates leaves: the rate of G, and how the tree's velocities (with q) and accelerations
// (with q and qd) change.
typedef enum slope_rate { G_RATE, V_BY_Q, A_BY_Q, A_BY_QD } slope_rate;

// user + tree times one of these.
ARNE_TEXT void add_along(const arne_robot *r, const work *w, int rows, const real *tree,
                         slope_rate which, real *user)
{
    const real one = r_num(1);
    add_along_slopes(r, rows, tree, which == A_BY_Q ? w->slope_a : w->slope_v,
                     r_num(which == A_BY_QD ? 2 : 1), user);
    for (int k = 0; r->exponent_count && k < rows; k++) {
        const real *from = tree + k * r->tree_v_count;
        real       *to = user + k * r->v_count;
        if (which == G_RATE || which == A_BY_QD) exponents_collect(r, w->G_rate, one, from, to);
        if (which == V_BY_Q || which == A_BY_QD) exponents_collect(r, w->G_v, one, from, to);
        if (which == A_BY_Q) exponents_collect(r, w->G_a, one, from, to);
    }
}

// Likewise from an array of the workspace into the user's own, mimic joints or not. NULL: not
// wanted.
ARNE_TEXT void deliver(const arne_robot *r, const work *w, int rows, const real *tree, real *user)
{
    if (!user) return;
    collect_columns(r, w, rows, tree, user);
    for (int k = 0; !r->shares_coordinates && k < rows * r->v_count; k++)
        user[k] = tree[k];
}

// Derivatives with respect to the tree's q (order 0), qd (1) or qdd (2) become those of the user,
// which are of orders 0, 1, 2: to be called for the orders one after the other, after slope_rates.
ARNE_TEXT void deliver_along(const arne_robot *r, const work *w, int rows, int order,
                             const real *tree, real *const user[3])
{
    deliver(r, w, rows, tree, user[order]);
    if (!r->is_curved) return;
    if (order == 1 && user[0]) add_along(r, w, rows, tree, V_BY_Q, user[0]);
    if (order == 2 && user[0]) add_along(r, w, rows, tree, A_BY_Q, user[0]);
    if (order == 2 && user[1]) add_along(r, w, rows, tree, A_BY_QD, user[1]);
}

// G^T A: tree_v_count rows become v_count rows.
ARNE_TEXT void collect_rows(const arne_robot *r, work *w, int columns, const real *tree, real *user)
{
    const source *to = robot_v_sources(r);
    const term   *t = robot_terms(r);
    row_zero(r->v_count * columns, user);
    for (int k = 0; k < r->tree_v_count; k++)
        row_add_scaled(columns, user + to[k].from * columns, tree + k * columns,
                       r_num(to[k].ratio));
    for (int i = 0; i < r->term_count; i++)
        row_add_scaled(columns, user + t[i].from_v * columns, tree + t[i].v * columns,
                       r_num(t[i].ratio));
    for (int i = 0; i < r->slope_count; i++) {
        const slope_record *s = &robot_slopes(r)[i];
        row_add_scaled(columns, user + s->from_v * columns, tree + s->v * columns,
                       w->slope[SLOPE_ORDERS * i]);
    }
    exponents_collect_rows(r, w, columns, tree, user);
}

// user + the transpose of one value for each slope, times rows over the tree.
ARNE_TEXT void add_slope_rows(const arne_robot *r, int columns, const real *tree,
                              const real *values, real *user)
{
    for (int i = 0; i < r->slope_count; i++) {
        const slope_record *s = &robot_slopes(r)[i];
        row_add_scaled(columns, user + s->from_v * columns, tree + s->v * columns, values[i]);
    }
}

// How G^T tau changes with q where tau stays: added to v_count x v_count.
ARNE_TEXT void add_slope_torques(const arne_robot *r, work *w, const real *tau, real *user)
{
    for (int i = 0; i < r->slope_count; i++) {
        const slope_record *s = &robot_slopes(r)[i];
        real               *sum = user + s->from_v * r->v_count + s->with_v;
        *sum = r_add_mul(*sum, w->slope[SLOPE_ORDERS * i + 1], tau[s->v]);
    }
    if (r->exponent_count) exponents_torques(r, w, tau, user);
}

// What terms add to G^T M G: with G = S + T, sources and terms, S^T M T + T^T M S + T^T M T.
ARNE_TEXT void collect_terms(const arne_robot *r, const real *tree, real *user)
{
    const source *to = robot_v_sources(r);
    const term   *t = robot_terms(r);
    const int     n = r->tree_v_count, m = r->v_count;
    for (int e = 0; e < r->term_count; e++) {
        const int row = t[e].from_v;
        for (int k = 0; k < n; k++) {
            const real ratio = r_num(t[e].ratio * to[k].ratio);
            real      *right = user + row * m + to[k].from, *down = user + to[k].from * m + row;
            *right = r_add_mul(*right, ratio, tree[t[e].v * n + k]);
            *down = r_add_mul(*down, ratio, tree[k * n + t[e].v]);
        }
        for (int f = 0; f < r->term_count; f++) {
            real      *sum = user + row * m + t[f].from_v;
            const real ratio = r_num(t[e].ratio * t[f].ratio);
            *sum = r_add_mul(*sum, ratio, tree[t[e].v * n + t[f].v]);
        }
    }
}

// G^T M G
ARNE_TEXT void collect_matrix(const arne_robot *r, work *w, const real *tree, real *user)
{
    if (!r->shares_coordinates) return;
    if (r->is_curved) {
        collect_columns(r, w, r->tree_v_count, tree, w->curved);
        collect_rows(r, w, r->v_count, w->curved, user);
        return;
    }
    const source *to = robot_v_sources(r);
    const int     n = r->tree_v_count, m = r->v_count;
    for (int k = 0; k < m * m; k++)
        user[k] = r_num(0);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            real      *sum = user + to[i].from * m + to[k].from;
            const real ratio = r_num(to[i].ratio * to[k].ratio);
            *sum = r_add_mul(*sum, ratio, tree[i * n + k]);
        }
    collect_terms(r, tree, user);
}

#endif
