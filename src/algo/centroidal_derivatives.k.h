// How the momentum about the centre of mass, its rate, and the force on the ground change with q,
// qd and qdd.
//
// Column k displaces all that it carries by S_k and changes its momentum h besides by I psi_k (I
// S_k along qd), its forces by force_along_*. The centre of mass c moves by (I S_k).lin / mass.
// About c, the weight has no moment: the rate of angular momentum is the moment of F, the forces
// less weight, and both move with c.
#ifndef ARNE_ALGO_CENTROIDAL_DERIVATIVES_K_H
#define ARNE_ALGO_CENTROIDAL_DERIVATIVES_K_H

#include "algo/call.k.h"
#include "algo/centroidal.k.h"
#include "algo/inverse_dynamics.k.h"
#include "algo/wrench_derivatives.k.h"

// The robot as one body, in the frame of the base.
typedef struct whole {
    real  m;
    vec3  c; // centre of mass
    force h; // momentum about the base's origin
    force F; // forces less weight, about the base's origin
} whole;

ARNE_FN force moved_force(force f, vec3 by) { return fo(f.lin, add(f.ang, cross(by, f.lin))); }

// With the composites of inverse_dynamics_derivatives in place; those of momentum are added here,
// in virtual_h.
ARNE_TEXT whole common_whole(const arne_robot *r, work *w)
{
    const body *bodies = robot_bodies(r);
    const body *base = &bodies[0];
    whole       all;
    vec3        first = lift4(&base->inertia.h);
    all.m = r_num(base->inertia.m);
    all.h = momentum(inertia_lift(&base->inertia), w->v[0]);
    all.F = inertial_force(&base->inertia, w->v[0].ang, w->a[0], body_rates(w, 0));
    for (int i = 1; i < r->body_count; i++)
        w->virtual_h[i] =
            momentum(inertia_in(w->R[i], w->place[i], inertia_lift(&bodies[i].inertia)), w->v_c[i]);
    for (int i = r->body_count - 1; i > 0; i--) {
        const int p = bodies[i].parent;
        if (p > 0) {
            w->virtual_h[p] = force_add(w->virtual_h[p], w->virtual_h[i]);
            continue;
        }
        const vec3 at = w->X[i].p;
        all.m = r_add(all.m, w->I[i].m);
        first = add(first, add_scaled(w->I[i].h, at, w->I[i].m));
        all.h = force_add(all.h, moved_force(w->virtual_h[i], at));
        all.F = force_add(all.F, moved_force(w->F[i], at));
    }
    all.c = scale(first, inverse_mass(r));
    return all;
}

// Of all forces on the robot less weight, about the base's origin.
ARNE_FN force total_force_along(const arne_robot *r, const work *w, direction which, int k)
{
    const int i = robot_dofs(r)[k].body;
    return moved_force(force_along_from_behind(w, which, i, k), common_origin(r, w, i));
}

ARNE_FN force momentum_along(const arne_robot *r, const work *w, direction which, int k)
{
    const int i = robot_dofs(r)[k].body;
    force     h = force_zero();
    if (which == ALONG_Q)
        h = force_add(cross_force(w->S[k], w->virtual_h[i]), momentum(w->I[i], w->psi[k]));
    if (which == ALONG_QD) h = momentum(w->I[i], w->S[k]);
    return moved_force(h, common_origin(r, w, i));
}

// In the world's axes, about the centre of mass: f about the base's origin changes by df, and the
// centre moves by dc.
ARNE_FN motion about_com(const work *w, const whole *all, force f, force df, vec3 dc)
{
    const vec3 ang = sub(sub(df.ang, cross(all->c, df.lin)), cross(dc, f.lin));
    return mo(out_of(&w->base_pose, df.lin), out_of(&w->base_pose, ang));
}

// The zero-moment point of a force F about the world's origin: point + arm, arm = n x m / (n . f)
// for the moment m about the given point of a plane with normal n.
typedef struct contact {
    vec3 normal, point, arm;
    real pressure,
        square; // n . f and f . f: there is no such point where the first is nothing to the second
} contact;
#define ARNE_NO_PRESSURE 1e-12

ARNE_FN contact contact_of(force F, vec3 point, vec3 normal)
{
    contact c;
    c.normal = normal;
    c.point = point;
    c.pressure = dot(normal, F.lin);
    c.square = dot(F.lin, F.lin);
    c.arm = scale(cross(normal, sub(F.ang, cross(point, F.lin))), r_div(r_num(1), c.pressure));
    return c;
}

// 3 x n.
ARNE_TEXT void tree_contact_derivative(const arne_robot *r, const work *w, const contact *c,
                                       direction which, real *out)
{
    const int  n = r->tree_v_count;
    const real inverse = r_div(r_num(1), c->pressure);
    for (int k = 0; k < n; k++) {
        const force dF = to_parent(&w->base_pose, total_force_along(r, w, which, k));
        const vec3  m = sub(dF.ang, cross(c->point, dF.lin));
        const vec3  moved = sub_scaled(cross(c->normal, m), c->arm, dot(c->normal, dF.lin));
        const vec3  column = scale(moved, inverse);
        out[k] = vx(column);
        out[n + k] = vy(column);
        out[2 * n + k] = vz(column);
    }
}

// 6 x n each, linear rows first.
ARNE_TEXT void tree_centroidal_derivative(const arne_robot *r, const work *w, const whole *all,
                                          direction which, real *dh, real *drate)
{
    const int  n = r->tree_v_count;
    const real one_over_m = inverse_mass(r);
    for (int k = 0; k < n; k++) {
        vec3 dc = v3_zero();
        if (which == ALONG_Q)
            dc = scale(momentum(w->I[robot_dofs(r)[k].body], w->S[k]).lin, one_over_m);
        put_column(dh, n, k, about_com(w, all, all->h, momentum_along(r, w, which, k), dc));
        put_column(drate, n, k, about_com(w, all, all->F, total_force_along(r, w, which, k), dc));
    }
}

// The robot as one body, less loads.
ARNE_TEXT whole call_whole(const call *c)
{
    const arne_robot *r = c->r;
    work             *w = c->w;
    const tree_motion t = tree_motion_of(r, w, IN(q), IN(qd), IN(qdd));
    common_unloaded(r, w, t.q, t.qd, t.qdd);
    common_composites(r, w);
    return common_whole(r, w);
}

CALL(CENTROIDAL_DERIVATIVES)
{
    const arne_robot *r = c->r;
    work             *w = c->w;
    real *const       dh[3] = {OUT(dmomentum_dq), OUT(dmomentum_dqd), NULL};
    real *const       drate[3] = {OUT(dmomentum_rate_dq), OUT(dmomentum_rate_dqd),
                                  OUT(dmomentum_rate_dqdd)};
    const whole       all = call_whole(c);
    const vec3        lin = add_scaled(out_of(&w->base_pose, all.F.lin), lift(r->gravity), all.m);
    const vec3        ang = out_of(&w->base_pose, sub(all.F.ang, cross(all.c, all.F.lin)));
    put_motion(OUT(momentum_rate), mo(lin, ang));
    for (int i = 0; i < 3; i++) {
        tree_centroidal_derivative(r, w, &all, (direction)i, w->rows, w->task);
        deliver_along(r, w, 6, i, w->rows, dh);
        deliver_along(r, w, 6, i, w->task, drate);
    }
    return 0;
}

CALL(ZERO_MOMENT_POINT)
{
    const arne_robot *r = c->r;
    work             *w = c->w;
    real *const       user[3] = {OUT(dzmp_dq), OUT(dzmp_dqd), OUT(dzmp_dqdd)};
    const int         wanted[3] = {WANTED(dzmp_dq), WANTED(dzmp_dqd), WANTED(dzmp_dqdd)};
    const whole       all = call_whole(c);
    const contact     p = contact_of(to_parent(&w->base_pose, all.F), lift(c->settings->point),
                                     lift(c->settings->normal));
    put_vec3(OUT(zmp), add(p.point, p.arm));
    for (int i = 0; i < 3; i++) {
        if (!wanted[i] && !r->is_curved) continue;
        tree_contact_derivative(r, w, &p, (direction)i, w->rows);
        deliver_along(r, w, 3, i, w->rows, user);
    }
    return lanes_unless_larger(r_mul(p.pressure, p.pressure),
                               r_mul(p.square, r_num(ARNE_NO_PRESSURE * ARNE_NO_PRESSURE)));
}

#endif
