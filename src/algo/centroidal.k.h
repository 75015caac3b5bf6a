// The robot as one body: mass, centre of mass, momentum about it and the matrix A with momentum = A
// qd (Orin and Goswami 2008), from the inertias of the bodies in the world.
#ifndef ARNE_ALGO_CENTROIDAL_K_H
#define ARNE_ALGO_CENTROIDAL_K_H

#include "algo/call.k.h"
#include "algo/common.k.h"
#include "algo/kinematics.k.h"

// Mass and first moment about the world's origin.
ARNE_FN inertia total_inertia(const arne_robot *r, const work *w)
{
    const body *bodies = robot_bodies(r);
    inertia     sum = inertia_zero();
    for (int i = 0; i < r->body_count; i++) {
        const real m = r_num(bodies[i].inertia.m);
        sum.m = r_add(sum.m, m);
        sum.h =
            add(add_scaled(sum.h, w->X_w[i].p, m), out_of(&w->X_w[i], lift4(&bodies[i].inertia.h)));
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

// 6 x n, linear rows first. In the common frame, so that a robot far from the world's origin loses
// no digits.
ARNE_TEXT void tree_centroidal_matrix(const arne_robot *r, work *w, const real *q, real *A)
{
    const body *bodies = robot_bodies(r);
    const dof  *dofs = robot_dofs(r);
    const int   n = r->tree_v_count;
    vec3        first = lift4(&bodies[0].inertia.h);

    joint_poses(r, w, q);
    common_frame(r, w);
    common_axes(r, w);
    common_inertias(r, w);
    composite_inertias(r, w);
    for (int i = 1; i < r->body_count; i++)
        if (bodies[i].parent == 0) first = add(first, add_scaled(w->I[i].h, w->X[i].p, w->I[i].m));
    const vec3 com = scale(first, inverse_mass(r));
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
    collect_columns(r, 6, out, A);
}

// The linear rows of A over the mass.
ARNE_TEXT void com_jacobian(const arne_robot *r, work *w, const real *q, real *J)
{
    const real one_over_m = inverse_mass(r);
    tree_centroidal_matrix(r, w, tree_q(r, w, q), w->rows);
    for (int k = 0; k < 3 * r->tree_v_count; k++)
        w->rows[k] = r_mul(w->rows[k], one_over_m);
    deliver(r, 3, w->rows, J);
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
