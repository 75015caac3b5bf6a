// The user's coordinates and the tree's. They differ where a coordinate moves several joints: mimic
// joints and rigid rotors have no entry of their own. Then tree = G user + offset with a constant
// G, torques come back by G^T and matrices by G^T M G. A row of G has one entry, its source; those
// of coupled joints and rotors have terms besides. Other robots pass their arrays straight through.
#ifndef ARNE_ROBOT_COORDINATES_K_H
#define ARNE_ROBOT_COORDINATES_K_H

#include "robot/work.k.h"

ARNE_TEXT const real *tree_q(const arne_robot *r, work *w, const real *q)
{
    if (!r->shares_coordinates) return q;
    const source *from = robot_q_sources(r);
    for (int k = 0; k < r->same_q_count; k++)
        w->tree_q[k] = q[k];
    for (int k = r->same_q_count; k < r->tree_q_count; k++)
        w->tree_q[k] = r_add_mul(r_num(from[k].offset), r_num(from[k].ratio), q[from[k].from]);
    const term *t = robot_terms(r);
    for (int i = 0; i < r->term_count; i++)
        w->tree_q[t[i].q] = r_add_mul(w->tree_q[t[i].q], r_num(t[i].ratio), q[t[i].from_q]);
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
ARNE_TEXT const real *tree_v(const arne_robot *r, const real *v, real *out)
{
    if (!r->shares_coordinates) return v;
    const source *from = robot_v_sources(r);
    for (int k = 0; k < r->same_v_count; k++)
        out[k] = v[k];
    for (int k = r->same_v_count; k < r->tree_v_count; k++)
        out[k] = r_mul(r_num(from[k].ratio), v[from[k].from]);
    add_terms(r, v, out);
    return out;
}

// Where an algorithm is to write what it has for each coordinate of the tree: the user's array or
// the workspace's.
ARNE_FN real *tree_out(const arne_robot *r, real *user, real *own)
{
    return r->shares_coordinates ? own : user;
}

// G^T tau, where that is another array.
ARNE_TEXT void collect(const arne_robot *r, const real *tree, real *user)
{
    if (!r->shares_coordinates) return;
    const source *to = robot_v_sources(r);
    for (int k = 0; k < r->v_count; k++)
        user[k] = r_num(0);
    for (int k = 0; k < r->tree_v_count; k++)
        user[to[k].from] = r_add_mul(user[to[k].from], r_num(to[k].ratio), tree[k]);
    const term *t = robot_terms(r);
    for (int i = 0; i < r->term_count; i++)
        user[t[i].from_v] = r_add_mul(user[t[i].from_v], r_num(t[i].ratio), tree[t[i].v]);
}

// rows x tree_v_count becomes rows x v_count: J G.
ARNE_TEXT void collect_columns(const arne_robot *r, int rows, const real *tree, real *user)
{
    for (int i = 0; r->shares_coordinates && i < rows; i++)
        collect(r, tree + i * r->tree_v_count, user + i * r->v_count);
}

// Likewise from an array of the workspace into the user's own, mimic joints or not. NULL: not
// wanted.
ARNE_TEXT void deliver(const arne_robot *r, int rows, const real *tree, real *user)
{
    if (!user) return;
    collect_columns(r, rows, tree, user);
    for (int k = 0; !r->shares_coordinates && k < rows * r->v_count; k++)
        user[k] = tree[k];
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
ARNE_TEXT void collect_matrix(const arne_robot *r, const real *tree, real *user)
{
    if (!r->shares_coordinates) return;
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
