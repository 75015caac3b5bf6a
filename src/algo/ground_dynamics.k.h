// Forward dynamics on a plane of compliant ground, over any arithmetic.
//
//     f_n = k d^1.5 max(0, 1 + 1.5 c dd/dt),   f_t = -mu f_n v_t / sqrt(|v_t|^2 + w^2)
//
// at the points of every contact shape, with the penetration d = max(0, -gap) (Hunt and Crossley
// 1975). Nothing is asked about numbers: what does not touch has a force of zero. A disc with a
// tyre has slip forces instead of f_t, linear in the slip up to the friction limit:
//     f_x = -c_x v_x / u,  f_y = -c_y v_y / u,  u = sqrt((speed of the wheel's centre)^2 + w^2)
#ifndef ARNE_ALGO_GROUND_DYNAMICS_K_H
#define ARNE_ALGO_GROUND_DYNAMICS_K_H

#include "algo/forward_dynamics_ways.k.h"
#include "algo/kinematics.k.h"
#include "math/press.h"

typedef struct ground_plane {
    vec3 point, normal;
    real friction, stiffness, dissipation, slip;
} ground_plane;

ARNE_FN ground_plane ground_from(const real *x)
{
    const vec3         n = v3(x[3], x[4], x[5]);
    const ground_plane g = {
        v3(x[0], x[1], x[2]), scale(n, r_div(r_num(1), r_sqrt(dot(n, n)))), x[6], x[7], x[8], x[9]};
    return g;
}

// Under one point: planes has its own point and unit normal; NULL: the same plane for all.
ARNE_FN ground_plane plane_under(const ground_plane *g, const real *planes)
{
    ground_plane own = *g;
    if (planes) {
        own.point = v3(planes[0], planes[1], planes[2]);
        own.normal = v3(planes[3], planes[4], planes[5]);
    }
    return own;
}

// A direction of length 1, or of nearly none where there is none to be had.
ARNE_FN vec3 unit_along(vec3 a)
{
    return scale(a, r_div(r_num(1), r_sqrt(r_add(dot(a, a), r_num(1e-24)))));
}

// A point of a rim: k quarter turns from the one that is furthest along -normal.
ARNE_TEXT vec3 rim_place(const pose *X, double radius, double height, int k, vec3 normal)
{
    const vec3 z = X->R.z;
    const vec3 down = unit_along(sub(scale(z, dot(normal, z)), normal));
    const vec3 way = k & 1 ? cross(z, down) : down;
    return add(add_scaled(X->p, z, r_num(height)), scale(way, r_num(k & 2 ? -radius : radius)));
}

// Point k of a shape that stands at X, in the world; the radius around it is apart.
ARNE_TEXT vec3 shape_point(const contact_shape *c, const pose *X, int k, vec3 normal)
{
    const double *s = c->size;
    switch (c->shape) {
    case ARNE_SHAPE_CAPSULE:
        return add_scaled(X->p, X->R.z, r_num(k ? 0.5 * s[1] : -0.5 * s[1]));
    case ARNE_SHAPE_BOX:
        return add(X->p, rot(X->R, v3(r_num(k & 1 ? 0.5 * s[0] : -0.5 * s[0]),
                                      r_num(k & 2 ? 0.5 * s[1] : -0.5 * s[1]),
                                      r_num(k & 4 ? 0.5 * s[2] : -0.5 * s[2]))));
    case ARNE_SHAPE_CYLINDER:
        return rim_place(X, s[0], k & 4 ? 0.5 * s[1] : -0.5 * s[1], k & 3, normal);
    case ARNE_SHAPE_DISC:
        return rim_place(X, s[0], 0, k, normal);
    default:
        return X->p;
    }
}

// Slip forces of a wheel; v: of the rim's point, across the normal.
ARNE_TEXT vec3 tyre_force(const contact_shape *c, const pose *X, const ground_plane *g, real limit,
                          vec3 centre_v, vec3 v)
{
    const vec3 ahead = unit_along(cross(X->R.z, g->normal)), aside = cross(g->normal, ahead);
    const real speed = dot(centre_v, ahead);
    const real u = r_sqrt(r_add(r_mul(speed, speed), r_mul(g->slip, g->slip)));
    const real fx = r_div(r_mul(r_num(-c->tyre[0]), dot(v, ahead)), u);
    const real fy = r_div(r_mul(r_num(-c->tyre[1]), dot(v, aside)), u);
    const real f = r_sqrt(r_add(r_add(r_mul(fx, fx), r_mul(fy, fy)), r_num(1e-30)));
    const real part = r_div(limit, r_larger(f, limit));
    return add(scale(ahead, r_mul(part, fx)), scale(aside, r_mul(part, fy)));
}

// The force at one point of a shape, in the world's axes.
ARNE_TEXT vec3 point_force(const contact_shape *c, const pose *X, const ground_plane *g, real gap,
                           vec3 v, vec3 centre_v)
{
    const real closing = r_neg(dot(v, g->normal));
    const real f_n = press_along(r_neg(gap), closing, g->stiffness, g->dissipation);
    const real limit = r_mul(c->friction >= 0 ? r_num(c->friction) : g->friction, f_n);
    const vec3 across = add_scaled(v, g->normal, closing);
    const vec3 f_t = c->tyre[0] > 0
                         ? tyre_force(c, X, g, limit, centre_v, across)
                         : scale(across, press_across(limit, g->slip, dot(across, across)));
    return add_scaled(f_t, g->normal, f_n);
}

// Where point k of shape i is, without the radius around it; on planes of their own, rims have
// their points as on level ground.
ARNE_TEXT vec3 place_of_point(const arne_robot *r, const work *w, int i, int k, vec3 normal)
{
    const contact_shape *c = &robot_shapes(r)[i];
    const pose           in_body = pose_lift(c->at), X = pose_mul(&w->X_w[c->body], &in_body);
    return shape_point(c, &X, k, normal);
}

// What the ground does to shape i: adds to the wrench on its body. planes: six numbers for each
// point of the shape; NULL: all have g. Returns the force in the world's axes.
ARNE_TEXT vec3 press_shape(const arne_robot *r, work *w, const ground_plane *g, const real *planes,
                           int i)
{
    const contact_shape *c = &robot_shapes(r)[i];
    const pose          *B = &w->X_w[c->body], in_body = pose_lift(c->at);
    const pose           X = pose_mul(B, &in_body);
    const motion         v = w->v[c->body];
    const double         radius =
        c->shape == ARNE_SHAPE_SPHERE || c->shape == ARNE_SHAPE_CAPSULE ? c->size[0] : 0;
    const vec3 centre_v = out_of(B, add(v.lin, cross(v.ang, in_body.p)));
    const vec3 up = planes ? v3(r_num(0), r_num(0), r_num(1)) : g->normal;
    vec3       sum = v3_zero();
    force      own = load_lift(&w->pressed[c->body]);
    for (int k = 0; k < shape_points(c->shape); k++) {
        const ground_plane under = plane_under(g, planes ? planes + 6 * k : NULL);
        const vec3         p = shape_point(c, &X, k, up);
        const real         gap = r_sub(dot(under.normal, sub(p, under.point)), r_num(radius));
        const vec3         at = into(B, sub(add_scaled(p, under.normal, r_num(-radius)), B->p));
        const vec3         f =
            point_force(c, &X, &under, gap, out_of(B, add(v.lin, cross(v.ang, at))), centre_v);
        const vec3 f_b = into(B, f);
        own = force_add(own, fo(f_b, cross(at, f_b)));
        sum = add(sum, f);
    }
    w->pressed[c->body] = load_lower(own);
    return sum;
}

// f_ext and what the ground does into w->pressed; forces: three numbers for each shape.
ARNE_TEXT void ground_press(const arne_robot *r, work *w, const real *q, const real *qd,
                            const real *ground, const load *f_ext, real *forces)
{
    const ground_plane g = ground_from(ground);
    kinematics(r, w, q, qd, NULL);
    for (int i = 0; i < r->body_count; i++)
        w->pressed[i] = f_ext ? f_ext[i] : load_lower(force_zero());
    for (int i = 0; i < r->contact_count; i++) {
        const int  stands = robot_shapes(r)[i].body == 0 && r->base != ARNE_BASE_PRESCRIBED;
        const vec3 f = stands ? v3_zero() : press_shape(r, w, &g, NULL, i);
        if (forces) put_vec3(forces + 3 * i, f);
    }
}

CALL(GROUND_DYNAMICS)
{
    ground_press(c->r, c->w, IN(q), IN(qd), IN(ground), c->f_ext, OUT(ground_force));
    const forward_way way =
        forward_dynamics(c->r, c->w, IN(q), IN(qd), IN(tau), c->w->pressed, OUT(qdd));
    return end_forward(c, way, OUT(qdd));
}

#endif
