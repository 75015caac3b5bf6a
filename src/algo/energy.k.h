// Kinetic energy of bodies and reflected rotors, and potential energy of weight and springs.
#ifndef ARNE_ALGO_ENERGY_K_H
#define ARNE_ALGO_ENERGY_K_H

#include "algo/call.k.h"
#include "algo/centroidal.k.h"
#include "algo/springs.k.h"

ARNE_FN real kinetic_energy(const arne_robot *r, work *w, const real *q, const real *qd)
{
    const body *bodies = robot_bodies(r);
    const dof  *dofs = robot_dofs(r);
    const real *x = tree_q(r, w, q), *v = tree_v(r, w, qd, w->tree_qd);
    real        twice = r_num(0);

    joint_poses(r, w, x);
    body_velocities(r, w, v);
    for (int i = 0; i < r->body_count; i++)
        twice = r_add(twice, power(w->v[i], momentum(inertia_lift(&bodies[i].inertia), w->v[i])));
    for (int k = 0; r->has_rotor && k < r->tree_v_count; k++)
        twice = r_add_mul(twice, r_num(dofs[k].rotor), r_mul(v[k], v[k]));
    return r_mul(r_num(0.5), twice);
}

ARNE_FN real potential_energy(const arne_robot *r, work *w, const real *q)
{
    const real *x = tree_q(r, w, q);
    joint_poses(r, w, x);
    world_poses(r, w);
    real sum = r_neg(dot(lift(r->gravity), total_inertia(r, w).h));
    for (int i = 1; r->holds_weight && i < r->body_count; i++) {
        const held_weight *held = &robot_held_weights(r)[i];
        const vec3 h = add_scaled(out_of(&w->X_w[i], lift4(&held->h)), w->X_w[i].p, r_num(held->m));
        sum = r_add(sum, dot(lift(r->gravity), h));
    }
    return r_add(sum, spring_energy(r, x));
}

CALL(ENERGY)
{
    if (WANTED(kinetic)) *OUT(kinetic) = kinetic_energy(c->r, c->w, IN(q), IN(qd));
    if (WANTED(potential)) *OUT(potential) = potential_energy(c->r, c->w, IN(q));
    return 0;
}

#endif
