// The joints: the one place that knows what each kind does. Algorithms call these and never ask.
//
// X(q) is the pose of the body in its parent. The velocity of a joint is S v with S constant in the
// axes of the body it moves; column k of S is one of the directions of `axis`. So S has no rate of
// its own in these axes:
//     revolute   turns q about z                     S = angular z
//     prismatic  moves q along z                     S = linear z
//     helical    turns q about z, advances pitch q   S = angular z + pitch linear z
//     planar     moves (x, y), then turns about z    S = linear x, linear y, angular z   (velocity
//                in body axes)
//     ball       turns by the quaternion             S = angular x, y, z
//     free       moves by p, turns by the quaternion S = linear x, y, z, angular x, y, z (a twist
//                in body axes)
//     rotor      spins gear q about z; symmetric, so  S = gear angular z
//                that its frame stays with the link
//     strain     does not move                       S = 0
// An exponential joint is a free one here: coordinates.k.h finds its pose and its twist from the
// user's coordinates, which are those of strains.
#ifndef ARNE_ROBOT_JOINT_K_H
#define ARNE_ROBOT_JOINT_K_H

#include "math/articulated.h"
#include "robot/robot.h"

// The rotation of a unit quaternion x, y, z, w.
ARNE_FN mat3 quaternion_rotation(const real *h)
{
    const vec3 v = v3(h[0], h[1], h[2]),
               t = scale(v, r_num(2)); // R = (1 - 2 v.v) 1 + 2 v v^T + 2 w [v]
    const vec3 wt = scale(t, h[3]);
    const mat3 T = outer(v, t), W = skew(wt);
    const real one = r_num(1), trace = r_sub(one, r_add(r_add(vx(T.x), vy(T.y)), vz(T.z)));
    const mat3 R = m3_add(T, W);
    return m3(add_x(R.x, trace), add_y(R.y, trace), add_z(R.z, trace));
}

// Columns x and y of R, turned about z.
ARNE_FN vec3 turned_x(vec3 x, vec3 y, real s, real c) { return add_scaled(scale(x, c), y, s); }
ARNE_FN vec3 turned_y(vec3 x, vec3 y, real s, real c) { return sub_scaled(scale(y, c), x, s); }

#ifdef ARNE_RECORD
// Bodies that were given frames for it (codegen/screw_form.c) are marked by what is else a helical
// joint's pitch. What is a rounding away from a zero or a one is that.
static inline double exactly(double x)
{
    return fabs(x) < 1e-15 ? 0 : fabs(x - 1) < 1e-15 ? 1 : fabs(x + 1) < 1e-15 ? -1 : x;
}
static inline void joint_screw(const body *b, const real *q, real s, real c, pose *X)
{
    const constant_pose *P = &b->placement;
    const double         sa = exactly(-P->z.y), ca = exactly(P->z.z);
    const double         sine = exactly(-P->y.x), cosine = exactly(P->x.x);
    screw               *t = &X->steps;
    t->kind = (screw_kind)(int)b->pitch;
    t->sa = r_num(sa);
    t->ca = r_num(ca);
    t->a = r_num(exactly(P->p.x));
    t->d = r_num(exactly(ca * P->p.z - sa * P->p.y));
    t->R = m3(lift4(&P->x), lift4(&P->y), lift4(&P->z));
    t->p = lift4(&P->p);
    if (b->kind == ARNE_JOINT_PRISMATIC) {
        t->s = r_num(sine);
        t->c = r_num(cosine);
        t->d = r_add(t->d, *q);
        return;
    }
    t->s = s;
    t->c = c;
    if (t->kind == SCREW_AXIAL && sine != 0) r_sincos_shift(&t->s, &t->c, atan2(sine, cosine));
    if (t->kind == SCREW_AXIAL && sine == 0 && cosine < 0) {
        t->s = r_neg(s);
        t->c = r_neg(c);
    }
}
#endif

// The pose of the body in its parent, from the one it has when a workspace starts or had at another
// q: only what varies with q is written. The sines and cosines of all coordinates are found in one
// pass before.
ARNE_FN void joint_pose(const body *b, const real *q, const real *sine, const real *cosine, pose *X)
{
    const vec3 x = lift4(&b->placement.x), y = lift4(&b->placement.y), z = lift4(&b->placement.z);
    const vec3 p = lift4(&b->placement.p);
    q += b->q_start;
    sine += b->q_start;
    cosine += b->q_start;
    switch (b->kind) {
    case ARNE_JOINT_REVOLUTE:
        pose_turn(X, turned_x(x, y, sine[0], cosine[0]), turned_y(x, y, sine[0], cosine[0]));
        break;
    case ARNE_JOINT_PRISMATIC:
        X->p = add_scaled(p, z, q[0]);
        break;
    case ARNE_JOINT_HELICAL:
        X->p = add_scaled(p, z, r_mul(r_num(b->pitch), q[0]));
        pose_turn(X, turned_x(x, y, sine[0], cosine[0]), turned_y(x, y, sine[0], cosine[0]));
        break;
    case ARNE_JOINT_PLANAR:
        X->p = add_scaled(add_scaled(p, x, q[0]), y, q[1]);
        pose_turn(X, turned_x(x, y, sine[2], cosine[2]), turned_y(x, y, sine[2], cosine[2]));
        break;
    case ARNE_JOINT_BALL:
        *X = pose_from(m3_mul(m3(x, y, z), quaternion_rotation(q)), p);
        break;
    case ARNE_JOINT_FREE:
        *X = pose_from(m3_mul(m3(x, y, z), quaternion_rotation(q + 3)),
                       add(p, rot(m3(x, y, z), v3(q[0], q[1], q[2]))));
        break;
    default:
        break;
    }
#ifdef ARNE_RECORD
    if (b->pitch != 0 && (b->kind == ARNE_JOINT_REVOLUTE || b->kind == ARNE_JOINT_PRISMATIC))
        joint_screw(b, q, sine[0], cosine[0], X);
#endif
}

// The same for those who only go outward: of R and p what varies, not the transpose.
ARNE_FN void joint_place(const body *b, const real *q, const real *sine, const real *cosine,
                         pose *X)
{
    if (b->kind != ARNE_JOINT_REVOLUTE) {
        joint_pose(b, q, sine, cosine, X);
        return;
    }
    const vec3 x = lift4(&b->placement.x), y = lift4(&b->placement.y);
    const real s = sine[b->q_start], c = cosine[b->q_start];
    X->R.x = turned_x(x, y, s, c);
    X->R.y = turned_y(x, y, s, c);
}

// The first coordinate, from the body's own on, that may be an angle.
ARNE_FN int joint_first_angle(const body *b)
{
    return b->q_start + (b->kind == ARNE_JOINT_FREE ? 7 : 0);
}

// The twist across the joint, in the axes of the body.
ARNE_FN motion joint_motion(const body *b, const real *v)
{
    const real o = r_num(0);
    v += b->v_start;
    switch (b->kind) {
    case ARNE_JOINT_REVOLUTE:
        return mo(v3_zero(), v3(o, o, v[0]));
    case ARNE_JOINT_PRISMATIC:
        return mo(v3(o, o, v[0]), v3_zero());
    case ARNE_JOINT_HELICAL:
        return mo(v3(o, o, r_mul(r_num(b->pitch), v[0])), v3(o, o, v[0]));
    case ARNE_JOINT_ROTOR:
        return mo(v3_zero(), v3(o, o, r_mul(r_num(b->pitch), v[0])));
    case ARNE_JOINT_PLANAR:
        return mo(v3(v[0], v[1], o), v3(o, o, v[2]));
    case ARNE_JOINT_BALL:
        return mo(v3_zero(), v3(v[0], v[1], v[2]));
    case ARNE_JOINT_FREE:
        return mo(v3(v[0], v[1], v[2]), v3(v[3], v[4], v[5]));
    default:
        return motion_zero();
    }
}

// a + what the joint's speed u adds to the classical acceleration of the body, whose parent turns
// with w (all in body axes): u.ang x u.lin + 2 w x u.lin along, w x u.ang about.
ARNE_FN motion add_joint_bias(const body *b, vec3 w, const real *v, motion a)
{
    switch (b->kind) {
    case ARNE_JOINT_REVOLUTE:
        a.ang = add_cross_z(a.ang, w, v[b->v_start]);
        return a;
    case ARNE_JOINT_PRISMATIC:
        a.lin = add_cross_z(a.lin, w, r_mul(r_num(2), v[b->v_start]));
        return a;
    default: {
        const motion u = joint_motion(b, v);
        const vec3   turn = add_scaled(u.ang, w, r_num(2));
        return mo(add(a.lin, cross(turn, u.lin)), add(a.ang, cross(w, u.ang)));
    }
    }
}

// a + S v
ARNE_FN motion add_joint_motion(const body *b, const real *v, motion a)
{
    switch (b->kind) {
    case ARNE_JOINT_REVOLUTE:
        a.ang = add_z(a.ang, v[b->v_start]);
        return a;
    case ARNE_JOINT_PRISMATIC:
        a.lin = add_z(a.lin, v[b->v_start]);
        return a;
    default:
        return motion_add(a, joint_motion(b, v));
    }
}

// w + the angular part of S v
ARNE_FN vec3 add_joint_turn(const body *b, const real *v, vec3 w)
{
    switch (b->kind) {
    case ARNE_JOINT_REVOLUTE:
        return add_z(w, v[b->v_start]);
    case ARNE_JOINT_PRISMATIC:
        return w;
    default:
        return add(w, joint_motion(b, v).ang);
    }
}

// The jerk that the joint adds to that of the parent, j: see torque_rate.k.h. w and dw are the
// parent's angular velocity and acceleration in body axes; v, vd and vdd the joint's rates. With u
// = S v, ud = S vd, udd = S vdd and U = [dw] + [w][w]:
//     ang: udd + (2 w + u) x ud + U u
//     lin: 3 U u + 3 w x s + t,  where s = ud + u.ang x u is the acceleration along the joint and t
//     its rate
ARNE_FN motion add_joint_jerk(const body *b, vec3 w, vec3 dw, const real *v, const real *vd,
                              const real *vdd, motion j)
{
    const int k = b->v_start;
    switch (b->kind) {
    case ARNE_JOINT_REVOLUTE:
    case ARNE_JOINT_PRISMATIC: {
        const vec3 side = add_cross_z(v3_zero(), w, v[k]),
                   push = add_cross_z(cross(w, side), dw, v[k]); // U z v
        if (b->kind == ARNE_JOINT_REVOLUTE)
            return mo(j.lin, add_z(add_cross_z(add(j.ang, push), w, r_add(vd[k], vd[k])), vdd[k]));
        return mo(add_z(add_scaled(j.lin, add_cross_z(push, w, vd[k]), r_num(3)), vdd[k]), j.ang);
    }
    default: {
        const motion u = joint_motion(b, v), ud = joint_motion(b, vd), udd = joint_motion(b, vdd);
        const vec3   s = add(ud.lin, cross(u.ang, u.lin));
        const vec3   turned = add(add(cross(dw, u.lin), cross(w, cross(w, u.lin))), cross(w, s));
        const vec3   t = add(add(udd.lin, cross(ud.ang, u.lin)), cross(u.ang, add(ud.lin, s)));
        const vec3   spin = add(cross(add_scaled(u.ang, w, r_num(2)), ud.ang), cross(dw, u.ang));
        return mo(add(add_scaled(j.lin, turned, r_num(3)), t),
                  add(add(j.ang, udd.ang), add(spin, cross(w, cross(w, u.ang)))));
    }
    }
}

// The linear part of S v, and whether it has any.
ARNE_FN vec3 joint_slide(const body *b, const real *v) { return joint_motion(b, v).lin; }
ARNE_FN int  joint_slides(const body *b)
{
    return b->kind != ARNE_JOINT_REVOLUTE && b->kind != ARNE_JOINT_BALL &&
           b->kind != ARNE_JOINT_ROTOR && b->kind != ARNE_JOINT_STRAIN;
}

// ---- one column of S at a time ----

// S_k . f
ARNE_FN real axis_power(const dof *d, const force *f)
{
    switch (d->axis) {
    case AXIS_AZ:
        return vz(f->ang);
    case AXIS_LZ:
        return vz(f->lin);
    case AXIS_SCREW:
        return r_add_mul(vz(f->ang), r_num(d->pitch), vz(f->lin));
    case AXIS_SPIN:
        return r_mul(r_num(d->pitch), vz(f->ang));
    case AXIS_LX:
        return vx(f->lin);
    case AXIS_LY:
        return vy(f->lin);
    case AXIS_AX:
        return vx(f->ang);
    case AXIS_STILL:
        return r_num(0);
    default:
        return vy(f->ang);
    }
}

// What is left of P S_k and S_k . p once column k is eliminated: nothing, and p_k + u_k. Numbers
// get there by themselves; what is recorded has to be told. Returns P and p otherwise unchanged.
ARNE_FN void axis_settle(const dof *d, articulated *P, force *p, real p_k, real u_k)
{
#ifdef ARNE_RECORD
    const real o = r_num(0), held = r_add(p_k, u_k);
    if (d->rotor != 0) return;
    switch (d->axis) {
    case AXIS_AX:
        P->A.xx = P->A.xy = P->A.xz = P->B.x.x = P->B.y.x = P->B.z.x = o;
        p->ang.x = held;
        break;
    case AXIS_AY:
        P->A.yy = P->A.xy = P->A.yz = P->B.x.y = P->B.y.y = P->B.z.y = o;
        p->ang.y = held;
        break;
    case AXIS_AZ:
        P->A.zz = P->A.xz = P->A.yz = P->B.x.z = P->B.y.z = P->B.z.z = o;
        p->ang.z = held;
        break;
    case AXIS_LX:
        P->M.xx = P->M.xy = P->M.xz = P->B.x.x = P->B.x.y = P->B.x.z = o;
        p->lin.x = held;
        break;
    case AXIS_LY:
        P->M.yy = P->M.xy = P->M.yz = P->B.y.x = P->B.y.y = P->B.y.z = o;
        p->lin.y = held;
        break;
    case AXIS_LZ:
        P->M.zz = P->M.xz = P->M.yz = P->B.z.x = P->B.z.y = P->B.z.z = o;
        p->lin.z = held;
        break;
    default:
        break;
    }
#else
    (void)d;
    (void)P;
    (void)p;
    (void)p_k;
    (void)u_k;
#endif
}

// v + S_k x
ARNE_FN motion axis_add(const dof *d, real x, motion v)
{
    switch (d->axis) {
    case AXIS_AZ:
        return mo(v.lin, add_z(v.ang, x));
    case AXIS_LZ:
        return mo(add_z(v.lin, x), v.ang);
    case AXIS_SCREW:
        return mo(add_z(v.lin, r_mul(r_num(d->pitch), x)), add_z(v.ang, x));
    case AXIS_SPIN:
        return mo(v.lin, add_z(v.ang, r_mul(r_num(d->pitch), x)));
    case AXIS_LX:
        return mo(add_x(v.lin, x), v.ang);
    case AXIS_LY:
        return mo(add_y(v.lin, x), v.ang);
    case AXIS_AX:
        return mo(v.lin, add_x(v.ang, x));
    case AXIS_STILL:
        return v;
    default:
        return mo(v.lin, add_y(v.ang, x));
    }
}

// S_k as a twist at the origin of another frame and in its axes, in which the body is at p and
// turned by R.
ARNE_FN motion axis_at(const dof *d, mat3 R, vec3 p)
{
    switch (d->axis) {
    case AXIS_LX:
        return mo(R.x, v3_zero());
    case AXIS_LY:
        return mo(R.y, v3_zero());
    case AXIS_LZ:
        return mo(R.z, v3_zero());
    case AXIS_AX:
        return mo(cross(p, R.x), R.x);
    case AXIS_AY:
        return mo(cross(p, R.y), R.y);
    case AXIS_AZ:
        return mo(cross(p, R.z), R.z);
    case AXIS_SPIN: {
        const vec3 spin = scale(R.z, r_num(d->pitch));
        return mo(cross(p, spin), spin);
    }
    case AXIS_STILL:
        return motion_zero();
    default:
        return mo(add_scaled(cross(p, R.z), R.z, r_num(d->pitch)), R.z);
    }
}

// P S_k of an articulated inertia.
ARNE_FN force axis_articulated(const dof *d, const articulated *P)
{
    const mat3 *B = &P->B;
    switch (d->axis) {
    case AXIS_AX:
        return fo(v3(vx(B->x), vx(B->y), vx(B->z)), sym_x(P->A));
    case AXIS_AY:
        return fo(v3(vy(B->x), vy(B->y), vy(B->z)), sym_y(P->A));
    case AXIS_AZ:
        return fo(v3(vz(B->x), vz(B->y), vz(B->z)), sym_z(P->A));
    case AXIS_LX:
        return fo(sym_x(P->M), B->x);
    case AXIS_LY:
        return fo(sym_y(P->M), B->y);
    case AXIS_LZ:
        return fo(sym_z(P->M), B->z);
    case AXIS_SPIN: {
        const real s = r_num(d->pitch);
        return fo(scale(v3(vz(B->x), vz(B->y), vz(B->z)), s), scale(sym_z(P->A), s));
    }
    case AXIS_STILL:
        return force_zero();
    default: {
        const real s = r_num(d->pitch);
        return fo(add_scaled(v3(vz(B->x), vz(B->y), vz(B->z)), sym_z(P->M), s),
                  add_scaled(sym_z(P->A), B->z, s));
    }
    }
}

#endif
