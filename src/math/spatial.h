// Poses, motions, forces and inertias. A motion and a force are different types on purpose.
#ifndef ARNE_MATH_SPATIAL_H
#define ARNE_MATH_SPATIAL_H

#include "math/vec3.h"
#ifdef ARNE_RECORD
#include "math/screw.h"
#endif

typedef struct pose {
    mat3 R;
#ifdef ARNE_WIDE
    mat3 R_t; // transposed, since registers multiply columns
#endif
    vec3 p;
#ifdef ARNE_RECORD
    screw steps; // the same, perhaps
#endif
} pose;
typedef struct motion {
    vec3 lin, ang;
} motion;
typedef struct force {
    vec3 lin, ang;
} force;

// About a frame's origin: mass, first moment, second moments.
typedef struct inertia {
    real m;
    vec3 h;
    sym3 J;
} inertia;

// Constants of the robot in the same shapes.
typedef struct constant_pose {
    constant3 x, y, z, p;
} constant_pose;
typedef struct constant_inertia {
    constant3    h;
    constant_sym J, second; // second: the integral of r r^T dm, which is tr(J)/2 1 - J
    double       m;
} constant_inertia;

// ---- poses ----

ARNE_FN pose pose_from(mat3 R, vec3 p)
{
    pose X;
    X.R = R;
#ifdef ARNE_WIDE
    X.R_t = transpose(R);
#endif
#ifdef ARNE_RECORD
    X.steps.kind = SCREW_NONE;
#endif
    X.p = p;
    return X;
}
// The same with the first two axes turned about the third.
ARNE_FN void pose_turn(pose *X, vec3 x, vec3 y)
{
    X->R.x = x;
    X->R.y = y;
#ifdef ARNE_WIDE
    X->R_t = transpose(m3(x, y, X->R.z));
#endif
}
// Directions out of the child's axes, and into them.
ARNE_FN vec3 out_of(const pose *X, vec3 a)
{
#ifdef ARNE_RECORD
    if (X->steps.kind) return screw_out(&X->steps, a);
#endif
    return rot(X->R, a);
}
ARNE_FN vec3 into(const pose *X, vec3 a)
{
#ifdef ARNE_RECORD
    if (X->steps.kind) return screw_into(&X->steps, a);
#endif
#ifdef ARNE_WIDE
    return rot(X->R_t, a);
#else
    return rot_inv(X->R, a);
#endif
}
ARNE_FN pose pose_lift(arne_pose X)
{
    return pose_from(m3(lift(X.R.x), lift(X.R.y), lift(X.R.z)), lift(X.p));
}
ARNE_FN pose pose_mul(const pose *A, const pose *B)
{
    return pose_from(m3_mul(A->R, B->R), add(A->p, out_of(A, B->p)));
}

// ---- motions and forces ----

ARNE_FN motion mo(vec3 lin, vec3 ang)
{
    motion v;
    v.lin = lin;
    v.ang = ang;
    return v;
}
ARNE_FN force fo(vec3 lin, vec3 ang)
{
    force f;
    f.lin = lin;
    f.ang = ang;
    return f;
}
ARNE_FN motion motion_zero(void) { return mo(v3_zero(), v3_zero()); }
ARNE_FN motion motion_lift(arne_motion a) { return mo(lift(a.lin), lift(a.ang)); }
ARNE_FN motion motion_add(motion a, motion b) { return mo(add(a.lin, b.lin), add(a.ang, b.ang)); }
ARNE_FN motion motion_sub(motion a, motion b) { return mo(sub(a.lin, b.lin), sub(a.ang, b.ang)); }
ARNE_FN motion motion_add_scaled(motion a, motion b, real s)
{
    return mo(add_scaled(a.lin, b.lin, s), add_scaled(a.ang, b.ang, s));
}
ARNE_FN force force_zero(void) { return fo(v3_zero(), v3_zero()); }
ARNE_FN force force_add(force a, force b) { return fo(add(a.lin, b.lin), add(a.ang, b.ang)); }
ARNE_FN force force_sub(force a, force b) { return fo(sub(a.lin, b.lin), sub(a.ang, b.ang)); }
ARNE_FN force force_add_scaled(force a, force b, real s)
{
    return fo(add_scaled(a.lin, b.lin, s), add_scaled(a.ang, b.ang, s));
}
// Power before its three parts are summed.
ARNE_FN vec3 products(motion v, force f) { return add(mul3(v.lin, f.lin), mul3(v.ang, f.ang)); }
ARNE_FN real power(motion v, force f) { return dot2(v.lin, f.lin, v.ang, f.ang); }

// A twist at the parent's origin becomes the one at the child's, and back.
ARNE_FN motion to_child(const pose *X, motion v)
{
#ifdef ARNE_RECORD
    if (X->steps.kind) {
        screw_to_child(&X->steps, &v.lin, &v.ang);
        return v;
    }
#endif
    return mo(into(X, add(v.lin, cross(v.ang, X->p))), into(X, v.ang));
}
ARNE_FN motion motion_to_parent(const pose *X, motion v)
{
    const vec3 ang = out_of(X, v.ang);
    return mo(add(out_of(X, v.lin), cross(X->p, ang)), ang);
}
// A force about the child's origin becomes the one about the parent's, and back.
ARNE_FN force to_parent(const pose *X, force f)
{
#ifdef ARNE_RECORD
    if (X->steps.kind) {
        screw_to_parent(&X->steps, &f.lin, &f.ang);
        return f;
    }
#endif
    const vec3 lin = out_of(X, f.lin);
    return fo(lin, add(out_of(X, f.ang), cross(X->p, lin)));
}
#if defined ARNE_COMPLEX || defined ARNE_LANES || defined ARNE_RECORD
typedef force load; // a wrench on a body as the caller lays it out

ARNE_FN force load_lift(const load *f) { return *f; }
ARNE_FN load  load_lower(force f) { return f; }
#else
typedef arne_wrench load;
ARNE_FN force load_lift(const load *f) { return fo(lift(f->lin), lift(f->ang)); }
ARNE_FN load load_lower(force f) // of a jet its value
{
    const load out = {{r_value(vx(f.lin)), r_value(vy(f.lin)), r_value(vz(f.lin))},
                      {r_value(vx(f.ang)), r_value(vy(f.ang)), r_value(vz(f.ang))}};
    return out;
}
#endif
// v x m and v x* f
ARNE_FN motion cross_motion(motion v, motion m)
{
    return mo(add(cross(v.lin, m.ang), cross(v.ang, m.lin)), cross(v.ang, m.ang));
}
ARNE_FN force cross_force(motion v, force f)
{
    return fo(cross(v.ang, f.lin), add(cross(v.ang, f.ang), cross(v.lin, f.lin)));
}

ARNE_FN inertia inertia_lift(const constant_inertia *I)
{
    inertia L;
    L.m = r_num(I->m);
    L.h = lift4(&I->h);
    L.J = sym_lift(&I->J);
    return L;
}
// In place: compilers copy whole structs otherwise, through memory.
ARNE_FN inertia inertia_zero(void)
{
    inertia I;
    I.m = r_num(0);
    I.h = v3_zero();
    I.J = sym_diagonal(r_num(0));
    return I;
}
ARNE_FN void inertia_accumulate(inertia *sum, const inertia *I)
{
    sum->m = r_add(sum->m, I->m);
    sum->h = add(sum->h, I->h);
    sum->J = sym_add(sum->J, I->J);
}
ARNE_FN force momentum(inertia I, motion v)
{
    return fo(add(scale(v.lin, I.m), cross(v.ang, I.h)),
              add(sym_mul(I.J, v.ang), cross(I.h, v.lin)));
}
// The same body seen from a frame in which its own is at p and turned by R.
ARNE_FN inertia inertia_in(mat3 R, vec3 p, inertia I)
{
    inertia    P;
    const vec3 h = rot(R, I.h);
    P.m = I.m;
    P.h = add_scaled(h, p, I.m);
    P.J = sym_move(sym_rotate(R, I.J), p, h, P.h);
    return P;
}

// The same of constants, with all that is multiplied in memory.
ARNE_FN inertia inertia_at(const mat3 *R, const vec3 *p, const constant_inertia *I)
{
    inertia    P;
    const vec3 h = rot_constant(*R, &I->h);
    P.m = r_num(I->m);
    P.h = add_scaled(h, *p, P.m);
    P.J = sym_move(sym_rotate_at(R, &I->J), *p, h, P.h);
    return P;
}

// What turning by w does to wrenches that the world holds fixed: (w x f, -N w), N the sum of [p][f]
// + [m] over their points p. This is how far they lag behind wrenches that turn with the body.
typedef struct turning {
    vec3 f;
    mat3 N;
} turning;

ARNE_FN force turning_mul(const turning *E, vec3 w)
{
    return fo(cross(w, E->f), neg(rot(E->N, w)));
}
// The angular part of the transpose; the linear part is zero.
ARNE_FN vec3 turning_mul_transposed(const turning *E, motion v)
{
    return sub(cross(E->f, v.lin), rot_inv(E->N, v.ang));
}

// The matrix B of a moving body with B v = v x* I v and B + B^T = dI/dt (Echeandia and Wensing
// 2021). About the frame's origin it comes down to the linear momentum p and one block, N = -[w]
// Sigma - [h][v] with Sigma = tr(J)/2 1 - J: B (lin, ang) = (ang x p, N ang).
typedef struct coriolis {
    vec3 p;
    mat3 N;
} coriolis;

ARNE_FN mat3 second_moments(sym3 J)
{
    const mat3 F = sym_full(J);
    const real half = r_mul(r_num(0.5), r_add(r_add(vx(F.x), vy(F.y)), vz(F.z)));
    return m3(add_x(neg(F.x), half), add_y(neg(F.y), half), add_z(neg(F.z), half));
}
// [a][b] = b a^T - (a.b) 1
ARNE_FN mat3 skew_product(vec3 a, vec3 b)
{
    const mat3 P = outer(b, a);
    const real d = r_neg(dot(a, b));
    return m3(add_x(P.x, d), add_y(P.y, d), add_z(P.z, d));
}
ARNE_FN coriolis coriolis_from(const inertia *I, motion v)
{
    coriolis   B;
    const mat3 turn = cross_m3(v.ang, second_moments(I->J)), shift = skew_product(I->h, v.lin);
    B.p = add(scale(v.lin, I->m), cross(v.ang, I->h));
    B.N = m3(neg(add(turn.x, shift.x)), neg(add(turn.y, shift.y)), neg(add(turn.z, shift.z)));
    return B;
}
ARNE_FN coriolis coriolis_zero(void)
{
    coriolis B;
    B.p = v3_zero();
    B.N = m3_zero();
    return B;
}
ARNE_FN void coriolis_accumulate(coriolis *sum, const coriolis *B)
{
    sum->p = add(sum->p, B->p);
    sum->N = m3_add(sum->N, B->N);
}
ARNE_FN force coriolis_mul(const coriolis *B, motion v)
{
    return fo(cross(v.ang, B->p), rot(B->N, v.ang));
}
// The angular part; the linear part is zero.
ARNE_FN vec3 coriolis_mul_transposed(const coriolis *B, motion v)
{
    return add(cross(B->p, v.lin), rot_inv(B->N, v.ang));
}

#endif
