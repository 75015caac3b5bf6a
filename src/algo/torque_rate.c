#include "algo/torque_rate.k.h"
#include "math/lower.h"

void arne_torque_rate(const arne_robot *robot, arne_work *w, const double *q, const double *qd,
                      const double *qdd, const double *qddd, const arne_load *loads, int load_count,
                      double *tau, double *tau_rate)
{
    double *out = tau && !robot->has_mimic ? tau : w->tree_tau,
           *rate = tree_out(robot, tau_rate, w->tree_rate);
    const double *v = tree_v(robot, qd, w->tree_qd);
    tree_torque_rate(robot, w, tree_q(robot, w, q), v, tree_v(robot, qdd, w->tree_qdd),
                     tree_v(robot, qddd, w->tree_qddd), loads, load_count, out, rate);
    if (tau) collect(robot, out, tau);
    collect(robot, rate, tau_rate);
}

// From a body's axes to the world's, joint by joint: few ask, so the recursion does not prepare for it.
static vec3 to_world(const arne_robot *robot, const arne_work *w, int i, vec3 a)
{
    for (; i > 0; i = robot_bodies(robot)[i].parent)
        a = out_of(&w->X[i], a);
    return out_of(&w->base_pose, a);
}

static vec3 point_jerk(const arne_work *w, int i, vec3 p)
{
    return add(w->jerk[i].lin, rot(w->V[i], p));
}

arne_motion arne_frame_jerk(const arne_robot *robot, const arne_work *w, int frame, arne_axes axes)
{
    const arne_frame_info *f = &robot_frames(robot)[frame].info;
    const pose             in_body = pose_lift(f->pose);
    const motion j = mo(point_jerk(w, f->body, in_body.p), w->jerk[f->body].ang); // in body axes
    if (axes == ARNE_BODY) return lower_motion(mo(into(&in_body, j.lin), into(&in_body, j.ang)));
    return lower_motion(mo(to_world(robot, w, f->body, j.lin), to_world(robot, w, f->body, j.ang)));
}

static arne_vec3 robot_com_jerk(const arne_robot *robot, const arne_work *w)
{
    vec3   sum = v3_zero();
    double mass = 0;
    for (int i = 0; i < robot->body_count; i++) {
        const constant_inertia *I = &robot_bodies(robot)[i].inertia;
        const vec3              j = add_scaled(rot(w->V[i], lift4(&I->h)), w->jerk[i].lin, I->m);
        sum = add(sum, to_world(robot, w, i, j));
        mass += I->m;
    }
    return lower(mass > 0 ? scale(sum, 1 / mass) : sum);
}

arne_vec3 arne_com_jerk(const arne_robot *robot, const arne_work *w, int frame, arne_axes axes)
{
    if (frame < 0) return robot_com_jerk(robot, w);
    const arne_frame_info *f = &robot_frames(robot)[frame].info;
    const pose             in_body = pose_lift(f->pose);
    const vec3             c = add(in_body.p, out_of(&in_body, lift(f->com)));
    const vec3             j = point_jerk(w, f->body, c);
    return lower(axes == ARNE_BODY ? into(&in_body, j) : to_world(robot, w, f->body, j));
}
