// Inverse dynamics with a free base: joint accelerations given, the base's acceleration and the
// joint torques wanted. Khalil 2010, section 7, with composite bodies in the common frame.
//
// With the base not accelerated, the forces of everything add up to F. The base is free, so it
// takes the acceleration e with I e + F = 0, I the inertia of the whole robot; about the centre of
// mass that is one division and one 3 x 3 system. Every joint then has to supply S . (F + I e) for
// what it carries.
#ifndef ARNE_ALGO_BASE_ACCELERATION_K_H
#define ARNE_ALGO_BASE_ACCELERATION_K_H

#include "algo/call.k.h"
#include "algo/common.k.h"
#include "algo/inverse_dynamics.k.h"

// The acceleration that the wrench f about the frame's origin gives a rigid body.
ARNE_FN motion inertia_solve(const inertia *I, force f)
{
    const real one_over_m = r_div(r_num(1), I->m);
    const vec3 c = scale(I->h, one_over_m), moment = sub(f.ang, cross(c, f.lin));
    const sym3 J = sym_move(I->J, neg(c), I->h, v3_zero()); // about the centre of mass
    const vec3 x = sym_x(J), y = sym_y(J), z = sym_z(J), yz = cross(y, z);
    const real one_over_det = r_div(r_num(1), dot(x, yz));
    const vec3 ang = scale(v3(dot(yz, moment), dot(cross(z, x), moment), dot(cross(x, y), moment)),
                           one_over_det);
    return mo(sub(scale(f.lin, one_over_m), cross(ang, c)), ang);
}

ARNE_TEXT void subtract_body_wrenches(const arne_robot *r, work *w, const load *f_ext)
{
    for (int i = 1; f_ext && i < r->body_count; i++) {
        const force f = load_lift(&f_ext[i]);
        const vec3  lin = rot(w->R[i], f.lin);
        w->F[i] = force_sub(w->F[i], fo(lin, add(rot(w->R[i], f.ang), cross(w->place[i], lin))));
    }
    common_held_weights(r, w, 0);
}

// Twists and their rates of all bodies but the base's own, less gravity, in the common frame; their
// inertias and the forces that move them so. What derivatives need besides (common_parts) is left
// out.
ARNE_TEXT void common_inverse_dynamics(const arne_robot *r, work *w, const real *qd,
                                       const real *qdd)
{
    const body *bodies = robot_bodies(r);
    motion      v = motion_zero(), a = motion_zero(); // of the body before
    for (int i = 1; i < r->body_count; i++) {
        const body  *b = &bodies[i];
        const int    p = b->parent;
        const motion v_p = p == 0 ? base_velocity_at(w, w->X[i].p) : p == i - 1 ? v : w->v_c[p];
        motion       across = motion_zero();
        if (p == 0)
            a = base_acceleration_at(w, w->X[i].p);
        else if (p != i - 1)
            a = w->a_c[p];
        for (int k = b->v_start; k < b->v_start + b->v_count; k++) {
            across = motion_add_scaled(across, w->S[k], qd[k]);
            a = motion_add_scaled(a, w->S[k], qdd[k]);
        }
        v = motion_add(v_p, across);
        a = motion_add(a, cross_motion(v_p, across));
        const inertia I = common_inertia(w, b, i);
        w->I[i] = I;
        w->F[i] = force_add(momentum(I, a), cross_force(v, momentum(I, v)));
        w->v_c[i] = v;
        w->a_c[i] = a;
    }
}

// qdd: the first six entries, of the base, are written, the others read.
ARNE_TEXT void tree_base_acceleration(const arne_robot *r, work *w, const real *q, const real *qd,
                                      const load *f_ext, real *qdd, real *tau)
{
    const dof *dofs = robot_dofs(r);
    for (int k = 0; k < 6; k++)
        qdd[k] = r_num(0);
    joint_poses(r, w, q);
    common_frame(r, w);
    common_axes(r, w);
    common_inverse_dynamics(r, w, qd, qdd);
    subtract_body_wrenches(r, w, f_ext);
    composite_inertias(r, w);
    composite_forces(r, w);
    const motion e = inertia_solve(&w->I[1], fo(neg(w->F[1].lin), neg(w->F[1].ang)));
    for (int k = 0; k < r->tree_v_count; k++) {
        const int i = dofs[k].body;
        tau[k] = i == 1 ? r_num(0) : power(w->S[k], force_add(w->F[i], momentum(w->I[i], e)));
    }
    const vec3 lin = rot_inv(w->R[1], e.lin),
               ang = rot_inv(w->R[1], e.ang); // the base's columns are its axes
    qdd[0] = vx(lin);
    qdd[1] = vy(lin);
    qdd[2] = vz(lin);
    qdd[3] = vx(ang);
    qdd[4] = vy(ang);
    qdd[5] = vz(ang);
    add_joint_torques(r, q, qd, qdd, tau);
}

CALL(BASE_ACCELERATION)
{
    const arne_robot *r = c->r;
    work             *w = c->w;
    real             *tau = tree_out(r, OUT(tau), w->tree_tau);
    real             *a = tree_out(r, w->scratch, w->tree_qdd);
    for (int k = 0; k < r->v_count; k++)
        w->scratch[k] = IN(qdd)[k];
    const tree_motion t = tree_motion_of(r, w, IN(q), IN(qd), w->scratch);
    tree_base_acceleration(r, w, t.q, t.qd, c->f_ext, a, tau);
    for (int k = 0; k < 6; k++)
        OUT(base_acceleration)[k] = a[k];
    collect(r, w, tau, OUT(tau));
    return 0;
}

#endif
