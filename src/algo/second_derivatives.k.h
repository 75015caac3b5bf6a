// Second derivatives of the sum of lambda tau, for joints of one coordinate, in O(n d).
//
// The gradient of directional.k.h is differentiated once more. For m further out than k, or m = k,
// only the composite quantities of what m carries change: displaced with S_m, and besides
//     F by I psi_rate_m + 2 B psi_m along q,  by I (psi_m + dS_m) + 2 B S_m along qd,  by I S_m
//     along qdd
//     W by I phi_m along q,   Y by 2 B^T phi_m - 2 C^T psi_m along q and by -2 C^T S_m along qd
// where C is to the virtual velocities u what B is to v. Gravity compensation g adds S_k.ang . (g x
// p) to the gradient, with p the virtual momentum of what it holds, which is displaced and changes
// by phi_m. The rest is symmetry.
#ifndef ARNE_ALGO_SECOND_DERIVATIVES_K_H
#define ARNE_ALGO_SECOND_DERIVATIVES_K_H

#include "algo/call.k.h"
#include "algo/directional.k.h"
#include "algo/inverse_dynamics_derivatives.k.h"

// What gravity compensation holds behind body i: how g x p changes along q_m.
ARNE_FN vec3 held_along_q(const arne_robot *r, const work *w, int i, int m)
{
    const vec3 up = into(&w->base_pose, neg(lift(r->gravity)));
    return add(turning_mul_transposed(&w->E[i], w->phi[m]),
               cross(up, cross(w->S[m].ang, w->virtual_p[i])));
}

// Virtual momentum of what gravity compensation holds of each body and of what that carries.
ARNE_TEXT void held_momenta(const arne_robot *r, work *w)
{
    for (int i = 1; r->holds_weight && i < r->body_count; i++) {
        const held_weight *held = &robot_held_weights(r)[i];
        const motion       u = w->virtual_v[i];
        const vec3 h = add_scaled(rot(w->R[i], lift4(&held->h)), w->place[i], r_num(held->m));
        w->virtual_p[i] = add_scaled(cross(u.ang, h), u.lin, r_num(held->m));
    }
    for (int i = r->body_count - 1; r->holds_weight && i > 0; i--) {
        const int p = robot_bodies(r)[i].parent;
        if (p > 0) w->virtual_p[p] = add(w->virtual_p[p], w->virtual_p[i]);
    }
}

// Columns k that carry m, and m itself; entries [q row][column].
ARNE_TEXT void second_derivative_columns(const arne_robot *r, const work *w, int m, real *qq,
                                         real *qv, real *vv, real *qa)
{
    const dof   *dofs = robot_dofs(r);
    const int    n = r->tree_v_count, i = dofs[m].body;
    const motion S_m = w->S[m];
    const real   two = r_num(2);
    const force F_q = force_add(force_along_q(w, i, m, r->holds_weight), cross_force(S_m, w->F[i]));
    const force F_v = force_along_qd(w, i, m), F_a = force_along_qdd(w, i, m);
    const force W_q = force_add(cross_force(S_m, w->virtual_h[i]), momentum(w->I[i], w->phi[m]));
    const vec3  lag = sub(coriolis_mul_transposed(&w->B[i], w->phi[m]),
                          coriolis_mul_transposed(&w->virtual_B[i], w->psi[m]));
    const vec3  Y_q = add_scaled(cross(S_m.ang, w->virtual_c[i]), lag, two);
    const vec3  Y_v = scale(coriolis_mul_transposed(&w->virtual_B[i], S_m), r_num(-2));
    const vec3  held = r->holds_weight ? held_along_q(r, w, i, m) : v3_zero();

    for (int k = m; k >= 0; k = dofs[k].above) {
        const motion S = w->S[k], psi = w->psi[k], both = w->drift[k];
        real         along_q =
            r_add(power(w->phi[k], F_q), r_add(power(w->psi_rate[k], W_q), dot(psi.ang, Y_q)));
        if (r->holds_weight) along_q = r_add(along_q, dot(S.ang, held));
        qq[k * n + m] = qq[m * n + k] = along_q;
        vv[k * n + m] = vv[m * n + k] = dot(S.ang, Y_v);
        qv[m * n + k] = r_add(power(both, W_q), dot(S.ang, Y_q));
        qv[k * n + m] = r_add(power(w->phi[k], F_v), dot(psi.ang, Y_v));
        qa[m * n + k] = power(S, W_q);
        qa[k * n + m] = power(w->phi[k], F_a);
    }
}

// With common_parts in place, in the tree's coordinates.
ARNE_TEXT void tree_second_derivatives(const arne_robot *r, work *w, const real *lambda, real *qq,
                                       real *qv, real *vv, real *qa)
{
    const body *bodies = robot_bodies(r);
    const int   n = r->tree_v_count;
    virtual_outward(r, w, lambda);
    for (int i = 1; i < r->body_count; i++)
        w->virtual_B[i] = coriolis_from(&w->I[i], w->virtual_v[i]);
    for (int i = r->body_count - 1; i > 0; i--) {
        const int p = bodies[i].parent;
        if (p == 0) continue;
        w->virtual_h[p] = force_add(w->virtual_h[p], w->virtual_h[i]);
        w->virtual_c[p] = add(w->virtual_c[p], w->virtual_c[i]);
        coriolis_accumulate(&w->virtual_B[p], &w->virtual_B[i]);
    }
    common_composites(r, w);
    held_momenta(r, w);
    real *const out[4] = {qq, qv, vv, qa};
    for (int i = 0; !r->is_chain && i < 4; i++)
        row_zero(n * n, out[i]);
    for (int m = 0; m < n; m++)
        second_derivative_columns(r, w, m, qq, qv, vv, qa);
    add_spring_bends(r, w, lambda, qq, vv);
}

// ---- where the tree's coordinates are functions of the user's ----
//
// The sum of lambda tau is L . tau(x, xd, xdd) with L = G lambda. With A, B the changes of xd and
// xdd with q (slope_v, slope_a), 2 A that of xdd with qd and N that of L (slope_l), and W = dtau/dx
// G + dtau/dxd A + M B, the chain rule gives
//     qq  S + S^T,  S = G^T (xx G / 2 + xv A + xa B) + A^T vv A / 2 + N^T W
//     qv  G^T (xv G + 2 xa A) + A^T vv G + N^T (dtau/dxd G + 2 M A)
//     vv  G^T vv G          qa  G^T xa G + N^T M G
// and what the gradient of the sum makes of the second derivatives of x, xd, xdd and L.

typedef struct curved_parts { // n x n of the tree; half: rows over the tree, columns of the user
    const real *xx, *xv, *vv, *xa;
    real       *half, *along_q, *along_qd, *mass;
    const real *lambda, *L, *tau, *qd, *qdd; // of the user, the tree, the tree, the user
} curved_parts;

// Entry k of L^T times a matrix: how L . tau changes along a coordinate of the tree.
ARNE_TEXT real gradient_of(const arne_robot *r, const real *matrix, const real *L, int k)
{
    const int n = r->tree_v_count;
    real      sum = r_num(0);
    for (int l = 0; l < n; l++)
        sum = r_add_mul(sum, matrix[l * n + k], L[l]);
    return sum;
}

ARNE_TEXT void add_bent_gradient(const arne_robot *r, const work *w, const curved_parts *p,
                                 real *const out[4])
{
    const int m = r->v_count;
    for (int i = 0; i < r->slope_count; i++) {
        const slope_record *s = &robot_slopes(r)[i];
        const real         *d = w->slope + SLOPE_ORDERS * i;
        const int           l = s->with_v, at = l * m + s->from_v, across = s->from_v * m + l;
        const real          x = gradient_of(r, p->along_q, p->L, s->v),
                   v = gradient_of(r, p->along_qd, p->L, s->v),
                   a = gradient_of(r, p->mass, p->L, s->v);
        const real u = p->qd[l], third = r_add_mul(r_mul(a, p->qdd[l]), v, u);
        const real fourth = r_mul(d[3], r_mul(a, r_mul(u, u)));
        const real loose = r_add_mul(third, p->tau[s->v], p->lambda[l]);
        if (out[0])
            out[0][at] = r_add(out[0][at], r_add_mul(r_add_mul(fourth, d[1], x), d[2], loose));
        if (out[1])
            out[1][at] =
                r_add(out[1][at], r_add_mul(r_mul(d[1], v), r_mul(r_num(2), d[2]), r_mul(a, u)));
        if (out[2]) {
            out[2][at] = r_add_mul(out[2][at], d[1], a);
            out[2][across] = r_add_mul(out[2][across], d[1], a);
        }
        if (out[3]) out[3][at] = r_add_mul(out[3][at], d[1], a);
    }
}

ARNE_TEXT void curved_qq(const arne_robot *r, work *w, const curved_parts *p, real *out)
{
    const int n = r->tree_v_count, m = r->v_count;
    collect_columns(r, w, n, p->xx, p->half);
    row_scale(n * m, p->half, r_num(0.5));
    add_along_slopes(r, n, p->xv, w->slope_v, r_num(1), p->half);
    add_along_slopes(r, n, p->xa, w->slope_a, r_num(1), p->half);
    collect_rows(r, w, m, p->half, out);
    row_zero(n * m, p->half);
    add_along_slopes(r, n, p->vv, w->slope_v, r_num(0.5), p->half);
    add_slope_rows(r, m, p->half, w->slope_v, out);
    collect_columns(r, w, n, p->along_q, p->half);
    add_along_slopes(r, n, p->along_qd, w->slope_v, r_num(1), p->half);
    add_along_slopes(r, n, p->mass, w->slope_a, r_num(1), p->half);
    add_slope_rows(r, m, p->half, w->slope_l, out);
    for (int i = 0; i < m; i++)
        for (int k = 0; k <= i; k++)
            out[i * m + k] = out[k * m + i] = r_add(out[i * m + k], out[k * m + i]);
}

ARNE_TEXT void curved_qv(const arne_robot *r, work *w, const curved_parts *p, real *out)
{
    const int n = r->tree_v_count, m = r->v_count;
    collect_columns(r, w, n, p->xv, p->half);
    add_along_slopes(r, n, p->xa, w->slope_v, r_num(2), p->half);
    collect_rows(r, w, m, p->half, out);
    collect_columns(r, w, n, p->vv, p->half);
    add_slope_rows(r, m, p->half, w->slope_v, out);
    collect_columns(r, w, n, p->along_qd, p->half);
    add_along_slopes(r, n, p->mass, w->slope_v, r_num(2), p->half);
    add_slope_rows(r, m, p->half, w->slope_l, out);
}

// With tree_second_derivatives done; the tree's matrices, and the user's, of which any may be NULL.
ARNE_TEXT void curved_second_derivatives(const arne_robot *r, work *w, const real *qd,
                                         const real *qdd, const real *lambda, const real *L,
                                         real *const tree[4], real *const out[4])
{
    const int    n = r->tree_v_count, nn = n * n;
    real        *own = w->curved;
    curved_parts p;
    p.xx = tree[0];
    p.xv = tree[1];
    p.vv = tree[2];
    p.xa = tree[3];
    p.half = own;
    p.along_q = own + nn;
    p.along_qd = own + 2 * nn;
    p.mass = own + 3 * nn;
    p.lambda = lambda;
    p.L = L;
    p.tau = w->tree_rate;
    p.qd = qd;
    p.qdd = qdd;
    tree_derivatives(r, w, p.along_q, p.along_qd, p.mass);
    composite_torques(r, w, w->tree_rate);
    for (int i = 0; i < r->slope_count; i++)
        w->slope_l[i] = r_mul(w->slope[SLOPE_ORDERS * i + 1], lambda[robot_slopes(r)[i].with_v]);
    if (out[0]) curved_qq(r, w, &p, out[0]);
    if (out[1]) curved_qv(r, w, &p, out[1]);
    if (out[2]) {
        collect_columns(r, w, n, p.vv, p.half);
        collect_rows(r, w, r->v_count, p.half, out[2]);
    }
    if (out[3]) {
        collect_columns(r, w, n, p.xa, p.half);
        collect_rows(r, w, r->v_count, p.half, out[3]);
        collect_columns(r, w, n, p.mass, p.half);
        add_slope_rows(r, r->v_count, p.half, w->slope_l, out[3]);
    }
    add_bent_gradient(r, w, &p, out);
}

CALL(SECOND_DERIVATIVES)
{
    const arne_robot *r = c->r;
    work             *w = c->w;
    const int         nn = r->tree_v_count * r->tree_v_count;
    real *const user[4] = {OUT(d2tau_dq2), OUT(d2tau_dqdqd), OUT(d2tau_dqd2), OUT(d2tau_dqdqdd)};
    real       *tree[4];
    for (int i = 0; i < 4; i++)
        tree[i] = !r->shares_coordinates ? user[i] : i < 3 ? w->tree_matrix + i * nn : w->matrix;
    call_parts(c, IN(qdd));
    const real *L = tree_v(r, w, IN(multiplier), w->tree_tau);
    tree_second_derivatives(r, w, L, tree[0], tree[1], tree[2], tree[3]);
    if (r->slope_count)
        curved_second_derivatives(r, w, IN(qd), IN(qdd), IN(multiplier), L, tree, user);
    for (int i = 0; !r->slope_count && i < 4; i++)
        collect_matrix(r, w, tree[i], user[i]);
    return 0;
}

#endif
