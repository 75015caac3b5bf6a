// Inverse dynamics: Luh, Walker and Paul 1980; Khalil 2010, section 3.2, in the classical form.
//
// Outward, with w and dw the angular velocity and acceleration of a body, a the acceleration of its
// origin and U = [dw] + [w][w], all in the body's axes, r the place of a child's origin and R its
// rotation:
//     a_child = R^T (a + U r),  w_child = R^T w,  dw_child = R^T dw,  and what the joint adds
//     f = m a + U h,  n = h x a + J dw + w x J w
// Inward, each joint supplies its share of the
// wrench and hands the whole to the parent:
//     tau_k = S_k . f,  f_parent += R f,  n_parent += R n + r x R f
#ifndef ARNE_ALGO_INVERSE_DYNAMICS_K_H
#define ARNE_ALGO_INVERSE_DYNAMICS_K_H

#include "algo/call.k.h"
#include "algo/pose.k.h"
#include "algo/springs.k.h"

// The wrench it takes to move a body so.
ARNE_FN force inertial_force(const constant_inertia *I, vec3 w, motion a, mat3 U)
{
    const vec3 h = lift4(&I->h);
    return fo(add_scaled(rot(U, h), a.lin, r_num(I->m)),
              add(gyration(U, w, a.ang, &I->J, &I->second), cross(h, a.lin)));
}

// Along a chain motions go from body to body as they are: memory is slow to give back what it has
// just been given.
ARNE_TEXT void inverse_dynamics_outward(const arne_robot *r, work *w, const real *q, const real *qd,
                                        const real *qdd)
{
    const body *bodies = robot_bodies(r);
    vec3        turn = w->v[0].ang; // of the body before
    motion      a = w->a[0];
    mat3        U = body_rates(w, 0);
    w->f[0] = force_zero();
    for (int i = r->moving_count; i < r->body_count; i++)
        w->f[i] = force_zero();
    for (int i = 1; i < r->moving_count; i++) {
        const body *b = &bodies[i];
        const pose *X = next_pose(r, w, i, q);
        if (b->parent != i - 1) {
            turn = w->v[b->parent].ang;
            a = w->a[b->parent];
            U = body_rates(w, b->parent);
        }
        const vec3 turn_p = into(X, turn);
        a = carried_acceleration(X, a, U);
        a = add_joint_motion(b, qdd, add_joint_bias(b, turn_p, qd, a));
        turn = add_joint_turn(b, qd, turn_p);
        U = rate_matrix(turn, a.ang);

        w->v[i].ang = turn;
        w->a[i] = a;
        w->f[i] = inertial_force(&b->inertia, turn, a, U);
    }
}

// Likewise wrenches on the way back, from the bodies before `end`; nothing comes from the others.
ARNE_TEXT void wrenches_inward(const arne_robot *r, work *w, int end, real *tau)
{
    const body *bodies = robot_bodies(r);
    const dof  *dofs = robot_dofs(r);
    force       handed = force_zero(); // by body i + 1, if i is its parent
    if (end < r->body_count)
        row_zero(r->tree_v_count - bodies[end].v_start, tau + bodies[end].v_start);
    for (int i = end - 1; i > 0; i--) {
        const body *b = &bodies[i];
        const force f = force_add(w->f[i], handed);
        if (w->keeps_wrenches) w->f[i] = f;
        for (int k = b->v_start; k < b->v_start + b->v_count; k++)
            tau[k] = axis_power(&dofs[k], &f);
        handed = to_parent(&w->X[i], f);
        if (b->parent == i - 1) continue;
        w->f[b->parent] = force_add(w->f[b->parent], handed);
        handed = force_zero();
    }
    w->f[0] = force_add(w->f[0], handed);
}

// Gravity compensation: up, the upward acceleration that stands for gravity, passes to each body.
ARNE_TEXT void subtract_held_weights(const arne_robot *r, work *w)
{
    const body *bodies = robot_bodies(r);
    for (int i = 0; r->holds_weight && i < r->body_count; i++) {
        const held_weight *held = &robot_held_weights(r)[i];
        const vec3         up = i ? into(&w->X[i], w->up[bodies[i].parent])
                                  : into(&w->base_pose, neg(lift(r->gravity)));
        w->up[i] = up;
        w->f[i] = force_sub(w->f[i], fo(scale(up, r_num(held->m)), cross(lift4(&held->h), up)));
    }
}

ARNE_TEXT void subtract_wrenches(const arne_robot *r, work *w, const load *f_ext)
{
    for (int i = 0; f_ext && i < r->body_count; i++)
        w->f[i] = force_sub(w->f[i], load_lift(&f_ext[i]));
    subtract_held_weights(r, w);
}

// What the ground does to the base, once all wrenches have come to body 0.
ARNE_FN force base_wrench(const arne_robot *r, const work *w)
{
    const body *b = robot_bodies(r); // only a prescribed base has inertia
    return force_add(w->f[0], inertial_force(&b->inertia, w->v[0].ang, w->a[0], body_rates(w, 0)));
}

// Viscous and Coulomb friction of one velocity coordinate; the sign of zero is zero.
ARNE_FN real friction(const dof *d, real v)
{
    const real s = r_sign(v);
    const real dry = r_add_mul(r_mul(r_num(d->coulomb), s), r_num(d->coulomb_skew), r_mul(s, s));
    return r_add_mul(dry, r_num(d->viscous), v);
}

// What motors, gears and springs add at each joint.
ARNE_TEXT void add_joint_torques(const arne_robot *r, const real *q, const real *qd,
                                 const real *qdd, real *tau)
{
    const dof *dofs = robot_dofs(r);
    add_springs(r, q, qd, tau);
    for (int k = 0; r->has_rotor && k < r->tree_v_count; k++)
        tau[k] = r_add_mul(tau[k], r_num(dofs[k].rotor), qdd[k]);
    for (int k = 0; r->has_friction && k < r->tree_v_count; k++)
        tau[k] = r_add(tau[k], friction(&dofs[k], qd[k]));
}

// In the tree's coordinates.
ARNE_TEXT void tree_inverse_dynamics(const arne_robot *r, work *w, const real *q, const real *qd,
                                     const real *qdd, const load *f_ext, real *tau)
{
    start_poses(r, w, q);
    inverse_dynamics_outward(r, w, q, qd, qdd);
    subtract_wrenches(r, w, f_ext);
    wrenches_inward(r, w, f_ext ? r->body_count : r->moving_count, tau);
    add_joint_torques(r, q, qd, qdd, tau);
}

// With x, what tree_q has left.
ARNE_TEXT void inverse_dynamics_at(const arne_robot *r, work *w, const real *x, const real *qd,
                                   const real *qdd, const load *f_ext, real *tau)
{
    real             *out = tree_out(r, tau, w->tree_tau);
    const tree_motion t = tree_rates(r, w, x, qd, qdd);
    tree_inverse_dynamics(r, w, t.q, t.qd, t.qdd, f_ext, out);
    collect(r, w, out, tau);
}

ARNE_TEXT void inverse_dynamics(const arne_robot *r, work *w, const real *q, const real *qd,
                                const real *qdd, const load *f_ext, real *tau)
{
    inverse_dynamics_at(r, w, tree_q(r, w, q), qd, qdd, f_ext, tau);
}

// The wrench of a joint in the child link's axes.
ARNE_TEXT motion joint_wrench(const arne_robot *r, const work *w, int joint)
{
    const joint_record *j = &robot_joints(r)[joint];
    const pose          X = pose_lift(robot_frames(r)[j->info.child].info.pose);
    return mo(into(&X, w->f[j->body].lin), into(&X, w->f[j->body].ang));
}

ARNE_FN int wants_wrenches(const call *c) { return WANTED(joint_wrenches) || WANTED(base_wrench); }

// What inverse dynamics has left in the workspace.
ARNE_TEXT void put_wrenches(const call *c)
{
    for (int i = 0; i < c->r->joint_count; i++)
        put_motion(OUT(joint_wrenches) + 6 * i, joint_wrench(c->r, c->w, i));
    const force f = base_wrench(c->r, c->w);
    put_motion(OUT(base_wrench), mo(f.lin, f.ang));
}

CALL(INVERSE_DYNAMICS)
{
    c->w->keeps_wrenches = wants_wrenches(c);
    inverse_dynamics(c->r, c->w, IN(q), IN(qd), IN(qdd), c->f_ext, OUT(tau));
    if (c->w->keeps_wrenches) put_wrenches(c);
    return 0;
}

CALL(JOINT_WRENCHES)
{
    inverse_dynamics(c->r, c->w, IN(q), IN(qd), IN(qdd), c->f_ext, c->w->scratch);
    put_wrenches(c);
    return 0;
}

CALL(BIAS)
{
    inverse_dynamics(c->r, c->w, IN(q), IN(qd), c->w->zero, c->f_ext, OUT(tau));
    return 0;
}

#endif
