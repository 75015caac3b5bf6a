// Springs and dampers of joints, and between motors and joints, in the tree's coordinates. A spring
// that is stretched by x holds k x + k_2 x^2 + k_3 x^3, a damper d v + d_2 v |v| + d_3 v^3; only
// springs of joints, which end at the ground, have more than the first of each.
#ifndef ARNE_ALGO_SPRINGS_K_H
#define ARNE_ALGO_SPRINGS_K_H

#include "algo/pose.k.h"

ARNE_FN real spring_stretch(const spring *s, const real *x)
{
    return r_sub(s->other_v < 0 ? x[s->q] : r_sub(x[s->q], x[s->other_q]), r_num(s->rest));
}

// Of what it varies with: a velocity, or a direction.
ARNE_FN real spring_along(const spring *s, const real *v)
{
    return s->other_v < 0 ? v[s->v] : r_sub(v[s->v], v[s->other_v]);
}

ARNE_FN void add_spring(const spring *s, real hold, real *out)
{
    out[s->v] = r_add(out[s->v], hold);
    if (s->other_v >= 0) out[s->other_v] = r_sub(out[s->other_v], hold);
}

// tau + what springs hold at positions x and, if wanted, what dampers hold at velocities v.
ARNE_TEXT void add_springs(const arne_robot *r, const real *x, const real *v, real *tau)
{
    for (int i = 0; i < r->spring_count; i++) {
        const spring *s = &robot_springs(r)[i];
        const real    far = spring_stretch(s, x);
        real          hold = r_mul(r_num(s->stiffness), far), fast = r_num(0);
        if (v) fast = spring_along(s, v);
        if (v) hold = r_add_mul(hold, r_num(s->damping), fast);
        if (s->curved) {
            const double *k = s->stiffness_more, *d = s->damping_more;
            const real    bent = r_add_mul(r_num(k[0]), r_num(k[1]), far);
            const real    slow = r_add_mul(r_mul(r_num(d[0]), r_sign(fast)), r_num(d[1]), fast);
            hold = r_add_mul(hold, bent, r_mul(far, far));
            if (v) hold = r_add_mul(hold, slow, r_mul(fast, fast));
        }
        add_spring(s, hold, tau);
    }
}

// Of springs that are no lines: how what they hold changes with stretch and speed, and how that
// changes.
ARNE_TEXT void spring_slopes(const arne_robot *r, work *w, const real *x, const real *v)
{
    for (int i = 0; i < r->spring_count; i++) {
        const spring *s = &robot_springs(r)[i];
        const double *k = s->stiffness_more, *d = s->damping_more;
        real         *out = w->spring_slope + SPRING_ORDERS * i;
        if (!s->curved) continue;
        const real far = spring_stretch(s, x), fast = spring_along(s, v), side = r_sign(fast);
        const real bent = r_add_mul(r_num(2 * k[0]), r_num(3 * k[1]), far);
        const real slow = r_add_mul(r_mul(r_num(2 * d[0]), side), r_num(3 * d[1]), fast);
        out[0] = r_add_mul(r_num(s->stiffness), bent, far);
        out[1] = r_add_mul(r_num(s->damping), slow, fast);
        out[2] = r_add_mul(bent, r_num(3 * k[1]), far);
        out[3] = r_add_mul(slow, r_num(3 * d[1]), fast);
    }
}

// Of spring i, or of its damper, once spring_slopes has been.
ARNE_FN real spring_slope(const arne_robot *r, const work *w, int i, int damping)
{
    const spring *s = &robot_springs(r)[i];
    return s->curved ? w->spring_slope[SPRING_ORDERS * i + damping]
                     : r_num(damping ? s->damping : s->stiffness);
}

// m + what the torques of springs (or dampers) change by along each coordinate, n x n.
ARNE_TEXT void add_spring_matrix(const arne_robot *r, const work *w, int damping, real *m)
{
    const int n = r->tree_v_count;
    for (int i = 0; i < r->spring_count; i++) {
        const spring *s = &robot_springs(r)[i];
        const real    c = spring_slope(r, w, i, damping);
        const int     k = s->v, l = s->other_v;
        m[k * n + k] = r_add(m[k * n + k], c);
        if (l < 0) continue;
        m[l * n + l] = r_add(m[l * n + l], c);
        m[k * n + l] = r_sub(m[k * n + l], c);
        m[l * n + k] = r_sub(m[l * n + k], c);
    }
}

// out + what springs (or dampers) hold along x: their matrix is symmetric.
ARNE_TEXT void add_spring_product(const arne_robot *r, const work *w, int damping, const real *x,
                                  real *out)
{
    for (int i = 0; x && i < r->spring_count; i++) {
        const spring *s = &robot_springs(r)[i];
        add_spring(s, r_mul(spring_slope(r, w, i, damping), spring_along(s, x)), out);
    }
}

// The second derivatives of the sum of lambda times what springs and dampers hold.
ARNE_TEXT void add_spring_bends(const arne_robot *r, const work *w, const real *lambda, real *qq,
                                real *vv)
{
    for (int i = 0; i < r->spring_count; i++) {
        const spring *s = &robot_springs(r)[i];
        const real   *bend = w->spring_slope + SPRING_ORDERS * i + 2;
        const int     at = s->v * (r->tree_v_count + 1);
        if (!s->curved) continue;
        qq[at] = r_add_mul(qq[at], lambda[s->v], bend[0]);
        vv[at] = r_add_mul(vv[at], lambda[s->v], bend[1]);
    }
}

ARNE_TEXT real spring_energy(const arne_robot *r, const real *x)
{
    real sum = r_num(0);
    for (int i = 0; i < r->spring_count; i++) {
        const spring *s = &robot_springs(r)[i];
        const real    far = spring_stretch(s, x);
        real          k = r_num(s->stiffness / 2);
        if (s->curved)
            k = r_add_mul(
                k, r_add_mul(r_num(s->stiffness_more[0] / 3), r_num(s->stiffness_more[1] / 4), far),
                far);
        sum = r_add_mul(sum, k, r_mul(far, far));
    }
    return sum;
}

#endif
