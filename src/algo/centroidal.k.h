// The robot as one body: mass, centre of mass, momentum about it and the matrix A with momentum = A
// qd (Orin and Goswami 2008), from the inertias of the bodies in the world.
#ifndef ARNE_ALGO_CENTROIDAL_K_H
#define ARNE_ALGO_CENTROIDAL_K_H

#include "algo/call.k.h"
#include "algo/common.k.h"
#include "algo/kinematics.k.h"
#include "algo/mass_squares.k.h"

// Mass and first moment about the world's origin.
ARNE_FN inertia total_inertia(const arne_robot *r, const work *w)
{
    const body *bodies = robot_bodies(r);
    inertia     sum = inertia_zero();
    for (int i = 0; i < r->body_count; i++) {
        const real m = r_num(bodies[i].inertia.m);
        sum.m = r_add(sum.m, m);
        sum.h =
            add(add_scaled(sum.h, w->X_w[i].p, m), rot_constant(w->X_w[i].R, &bodies[i].inertia.h));
    }
    return sum;
}

ARNE_FN double total_mass(const arne_robot *r)
{
    const body *bodies = robot_bodies(r);
    double      m = 0;
    for (int i = 0; i < r->body_count; i++)
        m += bodies[i].inertia.m;
    return m;
}

// A robot without mass has its centre at the origin: 0/0 would spread.
ARNE_FN real inverse_mass(const arne_robot *r)
{
    const double m = total_mass(r);
    return r_num(m > 0 ? 1 / m : 0);
}

// Momentum of all bodies about the world's origin; needs poses and velocities.
ARNE_FN force total_momentum(const arne_robot *r, const work *w)
{
    const body *bodies = robot_bodies(r);
    force       sum = force_zero();
    for (int i = 0; i < r->body_count; i++)
        sum = force_add(sum,
                        to_parent(&w->X_w[i], momentum(inertia_lift(&bodies[i].inertia), w->v[i])));
    return sum;
}

ARNE_TEXT void center_of_mass(const arne_robot *r, work *w, const real *q, const real *qd,
                              vec3 *com, vec3 *velocity)
{
    kinematics(r, w, q, qd, NULL);
    *com = scale(total_inertia(r, w).h, inverse_mass(r));
    if (qd) *velocity = scale(total_momentum(r, w).lin, inverse_mass(r));
}

ARNE_FN force momentum_about_com(const arne_robot *r, work *w, const real *q, const real *qd)
{
    kinematics(r, w, q, qd, NULL);
    const vec3  com = scale(total_inertia(r, w).h, inverse_mass(r));
    const force h = total_momentum(r, w);
    return fo(h.lin, sub(h.ang, cross(com, h.lin)));
}

// The centre of mass seen from the base, with composite inertias in place.
ARNE_FN vec3 composite_com(const arne_robot *r, const work *w)
{
    const body *bodies = robot_bodies(r);
    vec3        first = lift4(&bodies[0].inertia.h);
    for (int i = 1; i < r->body_count; i++)
        if (bodies[i].parent == 0) first = add(first, add_scaled(w->I[i].h, w->X[i].p, w->I[i].m));
    return scale(first, inverse_mass(r));
}

#ifdef ARNE_WIDE
// Four columns from `at` on, side by side.
ARNE_FN void put_four_momenta(const arne_robot *r, const work *w, vec3 com, int at, real *A)
{
    const dof   *d = robot_dofs(r) + at;
    const mat3  *R = &w->base_pose.R;
    const int    n = r->tree_v_count;
    four_columns c;
    vec3         from[4];
    take_four(r, w, AS_MOMENTS, at, &c);
    for (int i = 0; i < 4; i++)
        from[i] = com - common_origin(r, w, d[i].body);
    const four3 p = four3_from(from[0], from[1], from[2], from[3]);
    const vec3 *f = c.F, ang[3] = {f[3] - p.y * f[2] + p.z * f[1], f[4] - p.z * f[0] + p.x * f[2],
                                   f[5] - p.x * f[1] + p.y * f[0]};
    for (int j = 0; j < 3; j++) {
        const vec3 row = f[0] * R->x[j] + f[1] * R->y[j] + f[2] * R->z[j];
        put_three(A + j * n + at, row);
        put_three(A + (3 + j) * n + at, ang[0] * R->x[j] + ang[1] * R->y[j] + ang[2] * R->z[j]);
    }
}
#endif

// 6 x n, linear rows first. In the common frame, so that a robot far from the world's origin loses
// no digits.
ARNE_TEXT void tree_centroidal_matrix(const arne_robot *r, work *w, const real *q, real *A)
{
    const dof *dofs = robot_dofs(r);
    const int  n = r->tree_v_count;

    joint_places(r, w, q);
    common_frame(r, w);
    common_axes(r, w);
#ifdef ARNE_WIDE
    if (n >= 4) {
        composite_moments(r, w);
        const vec3 com = composite_com(r, w);
        for (int k = 0; k < n; k += 4)
            put_four_momenta(r, w, com, k + 4 <= n ? k : n - 4, A);
        return;
    }
#endif
    common_inertias(r, w);
    composite_inertias(r, w);
    const vec3 com = composite_com(r, w);
    for (int k = 0; k < n; k++) {
        const int   i = dofs[k].body;
        const force h = momentum(w->I[i], w->S[k]);
        const vec3  ang = sub(h.ang, cross(sub(com, common_origin(r, w, i)), h.lin));
        put_column(A, n, k, mo(out_of(&w->base_pose, h.lin), out_of(&w->base_pose, ang)));
    }
}

ARNE_TEXT void centroidal_matrix(const arne_robot *r, work *w, const real *q, real *A)
{
    real *out = tree_out(r, A, w->rows);
    tree_centroidal_matrix(r, w, tree_q(r, w, q), out);
    collect_columns(r, w, 6, out, A);
}

// The linear rows of A over the mass.
ARNE_TEXT void com_jacobian(const arne_robot *r, work *w, const real *q, real *J)
{
    const real one_over_m = inverse_mass(r);
    tree_centroidal_matrix(r, w, tree_q(r, w, q), w->rows);
    for (int k = 0; k < 3 * r->tree_v_count; k++)
        w->rows[k] = r_mul(w->rows[k], one_over_m);
    deliver(r, w, 3, w->rows, J);
}

CALL(CENTER_OF_MASS)
{
    vec3 com, velocity = v3_zero();
    center_of_mass(c->r, c->w, IN(q), WANTED(com_velocity) ? IN(qd) : NULL, &com, &velocity);
    *OUT(mass) = r_num(total_mass(c->r));
    put_vec3(OUT(com), com);
    put_vec3(OUT(com_velocity), velocity);
    return 0;
}

CALL(COM_JACOBIAN)
{
    com_jacobian(c->r, c->w, IN(q), OUT(com_jacobian));
    return 0;
}

CALL(CENTROIDAL_MATRIX)
{
    centroidal_matrix(c->r, c->w, IN(q), OUT(A));
    return 0;
}

CALL(MOMENTUM)
{
    if (WANTED(momentum)) {
        const force h = momentum_about_com(c->r, c->w, IN(q), IN(qd));
        put_motion(OUT(momentum), mo(h.lin, h.ang));
    }
    if (WANTED(A)) centroidal_matrix(c->r, c->w, IN(q), OUT(A));
    return 0;
}

#endif
