// Torques and their time derivatives in one recursion: Guarino Lo Bianco 2009, in the classical
// form of inverse_dynamics.k.h.
//
// A rate here is the time derivative of a vector, written in the axes of the body. With j the jerk
// of a body's origin, ddw the rate of dw and V = [ddw] + 2 [dw][w] + [w][dw] + [w][w][w], a point r
// of the body has the jerk j + V r. Outward:
//     j_child = R^T (j + V r),  ddw_child = R^T ddw,  and what the joint adds (add_joint_jerk)
//     df = m j + V h
//     dn = J (ddw - w x dw) + dw x J w + w x (2 J dw + w x J w) + h x j + (w x h) x a
// Inward, with dr = w x r + the slide of the joint: df_parent += R df, dn_parent += R dn + r x R df
// + dr x R f. The numbers of f in the axes of the body change by df - w x f, and that is what a
// joint's torque sees.
#ifndef ARNE_ALGO_TORQUE_RATE_K_H
#define ARNE_ALGO_TORQUE_RATE_K_H

#include "algo/call.k.h"
#include "algo/inverse_dynamics.k.h"
#include <arne/derivatives.h>

ARNE_FN force inertial_force_rate(const constant_inertia *own, vec3 w, motion a, motion j, mat3 V)
{
    const inertia I = inertia_lift(own);
    const vec3    Jw = sym_mul(I.J, w), Jdw = sym_mul(I.J, a.ang);
    const vec3    spin = add_scaled(cross(w, Jw), Jdw, r_num(2));
    const vec3    n =
        add(add(sym_mul(I.J, sub(j.ang, cross(w, a.ang))), cross(a.ang, Jw)), cross(w, spin));
    return fo(add_scaled(rot(V, I.h), j.lin, I.m),
              add(n, add(cross(I.h, j.lin), cross(cross(w, I.h), a.lin))));
}

// V of a body: how jerk varies over it.
ARNE_FN mat3 body_jerks(const work *w, int i)
{
    return jerk_matrix(w->v[i].ang, w->a[i].ang, w->jerk[i].ang);
}

ARNE_TEXT void torque_rate_outward(const arne_robot *r, work *w, const real *q, const real *qd,
                                   const real *qdd, const real *qddd)
{
    const body *bodies = robot_bodies(r);
    vec3        turn = w->v[0].ang; // of the body before
    motion      a = w->a[0], j = w->jerk[0];
    mat3        U = body_rates(w, 0), V = body_jerks(w, 0);
    w->f[0] = w->f_rate[0] = force_zero();
    for (int i = 1; i < r->body_count; i++) {
        const body *b = &bodies[i];
        const pose *X = next_pose(r, w, i, q);
        if (b->parent != i - 1) {
            turn = w->v[b->parent].ang;
            a = w->a[b->parent];
            j = w->jerk[b->parent];
            U = body_rates(w, b->parent);
            V = body_jerks(w, b->parent);
        }
        const vec3 turn_p = into(X, turn);
        a = carried_acceleration(X, a, U);
        j = add_joint_jerk(b, turn_p, a.ang, qd, qdd, qddd, carried_acceleration(X, j, V));
        a = add_joint_motion(b, qdd, add_joint_bias(b, turn_p, qd, a));
        turn = add_joint_turn(b, qd, turn_p);
        U = rate_matrix(turn, a.ang);
        V = jerk_matrix(turn, a.ang, j.ang);

        w->v[i].ang = turn;
        w->a[i] = a;
        w->jerk[i] = j;
        w->f[i] = inertial_force(&b->inertia, turn, a, U);
        w->f_rate[i] = inertial_force_rate(&b->inertia, turn, a, j, V);
    }
}

// Loads and their rates, about the bodies' origins. One that is fixed in the link turns with it;
// one that is fixed in the world does not, and its point of attack moves under it.
ARNE_TEXT void torque_rate_loads(const arne_robot *r, work *w, const arne_load *loads,
                                 int load_count)
{
    for (int l = 0; l < load_count; l++) {
        const arne_frame_info *frame = &robot_frames(r)[loads[l].frame].info;
        const int              i = frame->body;
        const pose             X = pose_lift(frame->pose);
        const vec3             turn = w->v[i].ang;
        const force f = to_parent(&X, fo(lift(loads[l].wrench.lin), lift(loads[l].wrench.ang)));
        force       rate = to_parent(&X, fo(lift(loads[l].rate.lin), lift(loads[l].rate.ang)));
        if (loads[l].in_world)
            rate.ang = add(rate.ang, cross(cross(turn, X.p), f.lin));
        else
            rate = force_add(rate, fo(cross(turn, f.lin), cross(turn, f.ang)));
        w->f[i] = force_sub(w->f[i], f);
        w->f_rate[i] = force_sub(w->f_rate[i], rate);
    }
}

// Gravity compensation, likewise: its direction stays, its points move.
ARNE_TEXT void torque_rate_held(const arne_robot *r, work *w)
{
    subtract_held_weights(r, w);
    for (int i = 0; r->holds_weight && i < r->body_count; i++) {
        const vec3 moving = cross(w->v[i].ang, lift4(&robot_held_weights(r)[i].h));
        w->f_rate[i].ang = sub(w->f_rate[i].ang, cross(moving, w->up[i]));
    }
}

ARNE_TEXT void torque_rate_inward(const arne_robot *r, work *w, const real *qd, real *tau,
                                  real *tau_rate)
{
    const body *bodies = robot_bodies(r);
    const dof  *dofs = robot_dofs(r);
    force handed = force_zero(), handed_rate = force_zero(); // by body i + 1, if i is its parent
    for (int i = r->body_count - 1; i > 0; i--) {
        const body *b = &bodies[i];
        const pose *X = &w->X[i];
        const vec3  turn = w->v[i].ang;
        const force f = force_add(w->f[i], handed), rate = force_add(w->f_rate[i], handed_rate);
        w->f[i] = f;
        w->f_rate[i] = rate;
        const force seen = fo(sub(rate.lin, cross(turn, f.lin)), sub(rate.ang, cross(turn, f.ang)));
        for (int k = b->v_start; k < b->v_start + b->v_count; k++) {
            tau[k] = axis_power(&dofs[k], &f);
            tau_rate[k] = axis_power(&dofs[k], &seen);
        }
        vec3 moving = cross(w->v[b->parent].ang, X->p);
        if (joint_slides(b)) moving = add(moving, out_of(X, joint_slide(b, qd)));
        handed = to_parent(X, f);
        handed_rate = to_parent(X, rate);
        handed_rate.ang = add(handed_rate.ang, cross(moving, handed.lin));
        if (b->parent == i - 1) continue;
        w->f[b->parent] = force_add(w->f[b->parent], handed);
        w->f_rate[b->parent] = force_add(w->f_rate[b->parent], handed_rate);
        handed = handed_rate = force_zero();
    }
    w->f[0] = force_add(w->f[0], handed);
    w->f_rate[0] = force_add(w->f_rate[0], handed_rate);
}

ARNE_TEXT void tree_torque_rate(const arne_robot *r, work *w, const real *q, const real *qd,
                                const real *qdd, const real *qddd, const arne_load *loads,
                                int load_count, real *tau, real *tau_rate)
{
    const dof *dofs = robot_dofs(r);
    start_poses(r, w, q);
    torque_rate_outward(r, w, q, qd, qdd, qddd);
    torque_rate_loads(r, w, loads, load_count);
    torque_rate_held(r, w);
    torque_rate_inward(r, w, qd, tau, tau_rate);
    add_joint_torques(r, q, qd, qdd, tau);
    spring_slopes(r, w, q, qd);
    add_spring_product(r, w, 0, qd, tau_rate);
    add_spring_product(r, w, 1, qdd, tau_rate);
    for (int k = 0; (r->has_rotor || r->has_friction) && k < r->tree_v_count; k++)
        tau_rate[k] = r_add_mul(r_add_mul(tau_rate[k], r_num(dofs[k].rotor), qddd[k]),
                                r_num(dofs[k].viscous), qdd[k]);
}

// From a body's axes to the world's, joint by joint: few ask, so the recursion does not prepare for
// it.
ARNE_TEXT vec3 to_world(const arne_robot *r, const work *w, int i, vec3 a)
{
    for (; i > 0; i = robot_bodies(r)[i].parent)
        a = out_of(&w->X[i], a);
    return out_of(&w->base_pose, a);
}

ARNE_FN vec3 point_jerk(const work *w, int i, vec3 p)
{
    return add(w->jerk[i].lin, rot(body_jerks(w, i), p));
}

ARNE_TEXT motion frame_jerk(const arne_robot *r, const work *w, int frame, arne_axes axes)
{
    const arne_frame_info *f = &robot_frames(r)[frame].info;
    const pose             in_body = pose_lift(f->pose);
    const motion j = mo(point_jerk(w, f->body, in_body.p), w->jerk[f->body].ang); // in body axes
    if (axes == ARNE_AXES_BODY) return mo(into(&in_body, j.lin), into(&in_body, j.ang));
    return mo(to_world(r, w, f->body, j.lin), to_world(r, w, f->body, j.ang));
}

// Of the whole robot's centre of mass, in the world's axes.
ARNE_TEXT vec3 com_jerk(const arne_robot *r, const work *w)
{
    vec3   sum = v3_zero();
    double mass = 0;
    for (int i = 0; i < r->body_count; i++) {
        const constant_inertia *I = &robot_bodies(r)[i].inertia;
        const vec3 j = add_scaled(rot(body_jerks(w, i), lift4(&I->h)), w->jerk[i].lin, r_num(I->m));
        sum = add(sum, to_world(r, w, i, j));
        mass += I->m;
    }
    return mass > 0 ? scale(sum, r_num(1 / mass)) : sum;
}

// tau has room for the tree's torques where no coordinates are shared; NULL: not wanted, where they
// are.
ARNE_TEXT void torque_rate(const arne_robot *r, work *w, const real *q, const real *qd,
                           const real *qdd, const real *qddd, const arne_load *loads,
                           int load_count, real *tau, real *tau_rate)
{
    real             *tree_tau = tree_out(r, tau, w->tree_tau);
    real             *rate = tree_out(r, tau_rate, w->tree_rate);
    const tree_motion t = tree_motion_of(r, w, q, qd, qdd);
    tree_torque_rate(r, w, t.q, t.qd, t.qdd, tree_j(r, w, qd, qdd, qddd, w->tree_qddd), loads,
                     load_count, tree_tau, rate);
    if (tau) collect(r, w, tree_tau, tau);
    collect(r, w, rate, tau_rate);
    for (int i = 0; i < r->slope_count; i++) { // the rate of G^T
        const slope_record *s = &robot_slopes(r)[i];
        tau_rate[s->from_v] = r_add_mul(tau_rate[s->from_v], w->slope_v[i], tree_tau[s->v]);
    }
    exponents_collect(r, w->G_rate, r_num(1), tree_tau, tau_rate);
}

ARNE_TEXT void call_torque_rate(const call *c, const arne_load *loads, int load_count, real *tau,
                                real *tau_rate)
{
    torque_rate(c->r, c->w, IN(q), IN(qd), IN(qdd), IN(qddd), loads, load_count, tau, tau_rate);
}

CALL(TORQUE_RATE)
{
    const call_settings *s = c->settings;
    call_torque_rate(c, s->loads, s->load_count, OUT(tau), OUT(tau_rate));
    if (WANTED(jerk)) put_motion(OUT(jerk), frame_jerk(c->r, c->w, s->frame, s->axes));
    if (WANTED(com_jerk)) put_vec3(OUT(com_jerk), com_jerk(c->r, c->w));
    return 0;
}

CALL(JERK)
{
    call_torque_rate(c, NULL, 0, c->w->scratch, c->w->scratch + c->r->v_count);
    put_motion(OUT(jerk), frame_jerk(c->r, c->w, c->settings->frame, c->settings->axes));
    return 0;
}

#endif
