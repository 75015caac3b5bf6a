// Joints whose pose is the exponential of a twist, as functions of the user's coordinates.
//
// The tree has a body with six velocities of its own, the twist in its axes, as behind a free
// joint: so recursions, derivatives and torque rates know nothing of it. Here is what its pose, its
// twist and their rates are in terms of the user's coordinates. With two strains that are linear in
// q, at the two points of Gauss of a piece of length h (Magnus's series up to h^4):
//     x1 = rest1 + sum of weight1 e q,  x2 likewise
//     O = h/2 (x1 + x2) + sqrt(3)/12 h^2 x1 x x2
//     pose exp(O),  twist T(O) dO/dt = sum of G_j qd_j
// A joint whose strains are alike at both points has O = h x1 alone. G_j is a sum of three columns
// that all coordinates of one strain share: T e, T (x1 x e), T (x2 x e). How things change with q
// follows from the rates of G along a motion, as poses do: with v the twist and a its rate,
//     dv/dq_j = dG_j/dt + v x G_j,    da/dq_j = d2G_j/dt2 + a x G_j + v x dG_j/dt
//     da/dqd_j = dG_j/dt + dv/dq_j,   d(G_j . f)/dq along y = f . dG_j/dt at qd = y
#ifndef ARNE_ROBOT_EXPONENTIAL_K_H
#define ARNE_ROBOT_EXPONENTIAL_K_H

#include "math/dense_row.h"
#include "robot/work.k.h"

enum { STRAINS = 6, STRAIN_PARTS = 3 };

ARNE_FN motion strain_motion(const real *x)
{
    return mo(v3(x[3], x[4], x[5]), v3(x[0], x[1], x[2]));
}
ARNE_FN motion strain_unit(int strain)
{
    real x[STRAINS];
    for (int i = 0; i < STRAINS; i++)
        x[i] = r_num(i == strain);
    return strain_motion(x);
}

ARNE_FN void strain_entries(force f, real *x)
{
    x[0] = vx(f.ang);
    x[1] = vy(f.ang);
    x[2] = vz(f.ang);
    x[3] = vx(f.lin);
    x[4] = vy(f.lin);
    x[5] = vz(f.lin);
}

// Six entries of an array over the tree: linear ones first.
ARNE_FN motion motion_at(const real *x) { return mo(v3(x[0], x[1], x[2]), v3(x[3], x[4], x[5])); }
ARNE_FN force  force_at(const real *x) { return fo(v3(x[0], x[1], x[2]), v3(x[3], x[4], x[5])); }
ARNE_FN void   motion_entries(motion m, real *x)
{
    x[0] = vx(m.lin);
    x[1] = vy(m.lin);
    x[2] = vz(m.lin);
    x[3] = vx(m.ang);
    x[4] = vy(m.ang);
    x[5] = vz(m.ang);
}

// The strains at both points, from q; or their rates, from the user's velocities and so on.
ARNE_TEXT void exponent_strains(const arne_robot *r, const exponent_record *x, const real *user,
                                int rates, motion out[2])
{
    const exponent_column *columns = robot_exponent_columns(r) + x->start;
    const int              points = x->is_even ? 1 : 2;
    real                   sum[2][STRAINS];
    for (int p = 0; p < points; p++)
        for (int i = 0; i < STRAINS; i++)
            sum[p][i] = r_num(rates ? 0 : x->rest[p][i]);
    for (int j = 0; j < x->count; j++) {
        const exponent_column *c = &columns[j];
        const real             y = user[rates ? c->from_v : c->from_q];
        for (int p = 0; p < points; p++)
            sum[p][c->strain] = r_add_mul(sum[p][c->strain], r_num(c->weight[p]), y);
    }
    out[0] = strain_motion(sum[0]);
    out[1] = points == 1 ? out[0] : strain_motion(sum[1]);
}

// h/2 (a + b)
ARNE_FN motion exponent_mean(const exponent_record *x, const motion a[2])
{
    const motion sum = motion_add(a[0], a[1]);
    return motion_add_scaled(motion_zero(), sum, r_num(0.5 * x->length));
}
// m + factor times sqrt(3)/12 h^2 a x b
ARNE_FN motion exponent_bracket(const exponent_record *x, double factor, motion a, motion b,
                                motion m)
{
    return motion_add_scaled(m, cross_motion(a, b), r_num(factor * x->bracket));
}

// All columns from those of the strains.
ARNE_TEXT void exponent_spread(const arne_robot *r, const exponent_record *x,
                               motion parts[STRAINS][STRAIN_PARTS], motion *out)
{
    const exponent_column *columns = robot_exponent_columns(r) + x->start;
    for (int j = 0; j < x->count; j++) {
        const exponent_column *c = &columns[j];
        const motion          *p = parts[c->strain];
        motion                 G = motion_add_scaled(motion_zero(), p[0],
                                                     r_num(0.5 * x->length * (c->weight[0] + c->weight[1])));
        if (!x->is_even) {
            G = motion_add_scaled(G, p[1], r_num(x->bracket * c->weight[1]));
            G = motion_add_scaled(G, p[2], r_num(-x->bracket * c->weight[0]));
        }
        out[j] = G;
    }
}

// Poses of the tree.
ARNE_TEXT void exponents_start(const arne_robot *r, work *w, const real *q)
{
    for (int i = 0; i < r->exponent_count; i++) {
        const exponent_record *x = &robot_exponents(r)[i];
        exponent_state        *s = &w->exponent[i];
        exponent_strains(r, x, q, 0, s->strain);
        motion O = exponent_mean(x, s->strain);
        if (!x->is_even) O = exponent_bracket(x, 1, s->strain[0], s->strain[1], O);
        exponential_set(&s->e, O);
        exponential_pose(&s->e, w->tree_q + x->q, w->tree_q + x->q + 3);
    }
    w->has_columns = 0;
}

// G in w->G, where matrices and rates of it are wanted: once for a configuration.
ARNE_TEXT void exponents_columns(const arne_robot *r, work *w)
{
    for (int i = 0; i < r->exponent_count && !w->has_columns; i++) {
        const exponent_record *x = &robot_exponents(r)[i];
        const exponent_state  *s = &w->exponent[i];
        motion                 parts[STRAINS][STRAIN_PARTS];
        for (int k = 0; k < STRAINS; k++) {
            if (!(x->strains & 1u << k)) continue;
            parts[k][0] = exponential_column(&s->e, k);
            for (int p = 0; !x->is_even && p < 2; p++)
                parts[k][1 + p] =
                    exponential_map(&s->e, cross_motion(s->strain[p], strain_unit(k)));
        }
        exponent_spread(r, x, parts, w->G + x->start);
    }
    w->has_columns = 1;
}

// ---- along a motion ----

// O's rates and T's at user velocities qd and, where it is not NULL, accelerations qdd.
typedef struct exponent_motion {
    exponential *e;                  // the state's own, to which the rates are added
    motion       rate[2], second[2]; // of the strains
} exponent_motion;

// `orders` of the rates of T are found: 0 to 2.
ARNE_TEXT void exponent_move(const arne_robot *r, work *w, int i, const real *qd, const real *qdd,
                             int orders, exponent_motion *m)
{
    const exponent_record *x = &robot_exponents(r)[i];
    const motion          *a = w->exponent[i].strain, *b = m->rate, *c = m->second;
    motion                *O = w->exponent[i].e.O;
    m->e = &w->exponent[i].e;
    exponent_strains(r, x, qd, 1, m->rate);
    O[1] = exponent_mean(x, b);
    m->second[0] = m->second[1] = motion_zero();
    if (qdd) {
        exponent_strains(r, x, qdd, 1, m->second);
        O[2] = exponent_mean(x, c);
    }
    if (!x->is_even) {
        O[1] = exponent_bracket(x, 1, b[0], a[1], O[1]);
        O[1] = exponent_bracket(x, 1, a[0], b[1], O[1]);
    }
    if (!x->is_even && qdd) {
        O[2] = exponent_bracket(x, 1, c[0], a[1], O[2]);
        O[2] = exponent_bracket(x, 2, b[0], b[1], O[2]);
        O[2] = exponent_bracket(x, 1, a[0], c[1], O[2]);
    }
    if (orders) exponential_rates(m->e, orders);
}

// dG/dt, and d2G/dt2 where `second` is not NULL.
ARNE_TEXT void exponent_rates(const arne_robot *r, const work *w, int i, const exponent_motion *m,
                              motion *first, motion *second)
{
    const exponent_record *x = &robot_exponents(r)[i];
    const exponential     *e = m->e;
    motion                 one[STRAINS][STRAIN_PARTS], two[STRAINS][STRAIN_PARTS];
    for (int k = 0; k < STRAINS; k++) {
        if (!(x->strains & 1u << k)) continue;
        const motion unit = strain_unit(k);
        one[k][0] = exponential_map_rate(e, unit);
        if (second) two[k][0] = exponential_map_second(e, unit);
        for (int p = 0; !x->is_even && p < 2; p++) {
            const motion a = cross_motion(w->exponent[i].strain[p], unit),
                         b = cross_motion(m->rate[p], unit);
            one[k][1 + p] = motion_add(exponential_map_rate(e, a), exponential_map(e, b));
            if (!second) continue;
            const motion c = cross_motion(m->second[p], unit);
            two[k][1 + p] =
                motion_add_scaled(motion_add(exponential_map_second(e, a), exponential_map(e, c)),
                                  exponential_map_rate(e, b), r_num(2));
        }
    }
    exponent_spread(r, x, one, first);
    if (second) exponent_spread(r, x, two, second);
}

// The twist G qd and, with the first rates of T, its rate G qdd + dG/dt qd.
ARNE_FN motion exponent_twist(const exponent_motion *m)
{
    return exponential_map(m->e, m->e->O[1]);
}
ARNE_FN motion exponent_twist_rate(const exponent_motion *m)
{
    return motion_add(exponential_map(m->e, m->e->O[2]), exponential_turned(m->e));
}

// G times velocities of the user.
ARNE_TEXT void exponents_v(const arne_robot *r, work *w, const real *v, real *out)
{
    for (int i = 0; i < r->exponent_count; i++) {
        exponent_motion m;
        exponent_move(r, w, i, v, NULL, 0, &m);
        motion_entries(exponent_twist(&m), out + robot_exponents(r)[i].v);
    }
}

// Both along a motion.
ARNE_TEXT void exponents_va(const arne_robot *r, work *w, const real *qd, const real *qdd, real *v,
                            real *a)
{
    for (int i = 0; i < r->exponent_count; i++) {
        const int       at = robot_exponents(r)[i].v;
        exponent_motion m;
        exponent_move(r, w, i, qd, qdd, 1, &m);
        motion_entries(exponent_twist(&m), v + at);
        motion_entries(exponent_twist_rate(&m), a + at);
    }
}

// Adds what velocities and accelerations contribute to jerks: 2 T' O'' + T'' O' and what O''' has
// of lower rates.
ARNE_TEXT void exponents_j(const arne_robot *r, work *w, const real *qd, const real *qdd, real *out)
{
    for (int i = 0; i < r->exponent_count; i++) {
        const exponent_record *x = &robot_exponents(r)[i];
        exponent_motion        m;
        exponent_move(r, w, i, qd, qdd, 2, &m);
        motion more = exponential_map_second(m.e, m.e->O[1]);
        more = motion_add_scaled(more, exponential_map_rate(m.e, m.e->O[2]), r_num(2));
        if (!x->is_even) {
            motion third = exponent_bracket(x, 3, m.second[0], m.rate[1], motion_zero());
            third = exponent_bracket(x, 3, m.rate[0], m.second[1], third);
            more = motion_add(more, exponential_map(m.e, third));
        }
        motion_entries(motion_add(motion_at(out + x->v), more), out + x->v);
    }
}

// dG/dt and how twists and, with qdd, their rates change with q: w->G_rate, G_v, G_a.
ARNE_TEXT void exponents_rates(const arne_robot *r, work *w, const real *qd, const real *qdd)
{
    exponents_columns(r, w);
    for (int i = 0; i < r->exponent_count; i++) {
        const exponent_record *x = &robot_exponents(r)[i];
        motion *rate = w->G_rate + x->start, *by_v = w->G_v + x->start, *by_a = w->G_a + x->start;
        const motion   *G = w->G + x->start;
        exponent_motion m;
        exponent_move(r, w, i, qd, qdd, qdd ? 2 : 1, &m);
        const motion v = exponent_twist(&m);
        exponent_rates(r, w, i, &m, rate, qdd ? by_a : NULL);
        for (int j = 0; j < x->count; j++)
            by_v[j] = motion_add(rate[j], cross_motion(v, G[j]));
        if (!qdd) continue;
        const motion a = exponent_twist_rate(&m);
        for (int j = 0; j < x->count; j++)
            by_a[j] =
                motion_add(by_a[j], motion_add(cross_motion(a, G[j]), cross_motion(v, rate[j])));
    }
}

// tree + columns times a direction of the user's
ARNE_TEXT void exponents_spread(const arne_robot *r, const motion *columns, const real *y,
                                real *tree)
{
    for (int i = 0; i < r->exponent_count; i++) {
        const exponent_record *x = &robot_exponents(r)[i];
        motion                 sum = motion_at(tree + x->v);
        for (int j = x->start; j < x->start + x->count; j++)
            sum = motion_add_scaled(sum, columns[j], y[robot_exponent_columns(r)[j].from_v]);
        motion_entries(sum, tree + x->v);
    }
}

// ---- back to the user ----

// user + G^T f, by way of F = T^T f: a column's power is that of its strains with F and with what
// brackets make of it.
ARNE_TEXT void exponents_back(const arne_robot *r, const work *w, const real *tree, real *user)
{
    for (int i = 0; i < r->exponent_count; i++) {
        const exponent_record *x = &robot_exponents(r)[i];
        const exponent_state  *s = &w->exponent[i];
        const exponent_column *columns = robot_exponent_columns(r) + x->start;
        const force            F = exponential_map_back(&s->e, force_at(tree + x->v));
        const force            half = force_add_scaled(force_zero(), F, r_num(0.5 * x->length));
        force                  at[2] = {half, half};
        for (int p = 0; !x->is_even && p < 2; p++)
            at[p] = force_add_scaled(half, cross_force(s->strain[1 - p], F),
                                     r_num(p ? -x->bracket : x->bracket));
        for (int p = 0; p < 2; p++) {
            real entries[STRAINS];
            strain_entries(at[p], entries);
            for (int j = 0; j < x->count; j++) {
                real *sum = &user[columns[j].from_v];
                *sum = r_add_mul(*sum, r_num(columns[j].weight[p]), entries[columns[j].strain]);
            }
        }
    }
}

// user + columns^T f
ARNE_TEXT void exponents_collect(const arne_robot *r, const motion *columns, real factor,
                                 const real *tree, real *user)
{
    for (int i = 0; i < r->exponent_count; i++) {
        const exponent_record *x = &robot_exponents(r)[i];
        const force            f = force_at(tree + x->v);
        for (int j = x->start; j < x->start + x->count; j++) {
            real *sum = &user[robot_exponent_columns(r)[j].from_v];
            *sum = r_add_mul(*sum, factor, power(columns[j], f));
        }
    }
}

// Likewise rows.
ARNE_TEXT void exponents_collect_rows(const arne_robot *r, work *w, int count, const real *tree,
                                      real *user)
{
    exponents_columns(r, w);
    for (int i = 0; i < r->exponent_count; i++) {
        const exponent_record *x = &robot_exponents(r)[i];
        for (int j = x->start; j < x->start + x->count; j++) {
            real entries[6];
            motion_entries(w->G[j], entries);
            for (int k = 0; k < 6; k++)
                row_add_scaled(count, user + robot_exponent_columns(r)[j].from_v * count,
                               tree + (x->v + k) * count, entries[k]);
        }
    }
}

// How G^T f changes with q where f stays: along y, added to out; against y (what y . G^T f makes of
// q); and all of it, v_count x v_count. The first two use w->G_rate and w->G_v.
ARNE_TEXT void exponents_torques_along(const arne_robot *r, work *w, const real *tree,
                                       const real *y, real *out)
{
    exponents_rates(r, w, y, NULL);
    exponents_collect(r, w->G_rate, r_num(1), tree, out);
}
ARNE_TEXT void exponents_torques_against(const arne_robot *r, work *w, const real *tree,
                                         const real *y, real *out)
{
    exponents_rates(r, w, y, NULL);
    exponents_collect(r, w->G_v, r_num(1), tree, out);
}
ARNE_TEXT void exponents_torques(const arne_robot *r, work *w, const real *tree, real *user)
{
    for (int l = 0; l < r->v_count; l++)
        w->along[l] = r_num(0);
    for (int i = 0; i < r->exponent_count; i++) {
        const exponent_record *x = &robot_exponents(r)[i];
        const exponent_column *columns = robot_exponent_columns(r) + x->start;
        const force            f = force_at(tree + x->v);
        for (int l = 0; l < x->count; l++) {
            exponent_motion m;
            int             first = 0; // of the columns that the coordinate has here
            while (columns[first].from_v != columns[l].from_v)
                first++;
            if (first < l) continue;
            w->along[columns[l].from_v] = r_num(1);
            exponent_move(r, w, i, w->along, NULL, 1, &m);
            exponent_rates(r, w, i, &m, w->G_unit + x->start, NULL);
            w->along[columns[l].from_v] = r_num(0);
            for (int j = 0; j < x->count; j++) {
                real *sum = &user[columns[j].from_v * r->v_count + columns[l].from_v];
                *sum = r_add(*sum, power(w->G_unit[x->start + j], f));
            }
        }
    }
}

#endif
