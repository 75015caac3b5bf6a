// The Jacobian of a frame: the velocity axes of the joints that carry it, seen from the frame. No
// other body is visited.
//
// In the world's axes and at its origin a column is S_k itself, and its rate is v x S_k with v the
// twist of the body that S_k is fixed in. At the frame's origin p: lin + ang x p, whose rate has
// also ang x dp/dt. In the frame's own axes the whole is carried into the frame, which moves with
// v_f: the rate is that of S_k less v_f x S_k.
#ifndef ARNE_ALGO_JACOBIAN_K_H
#define ARNE_ALGO_JACOBIAN_K_H

#include "algo/call.k.h"
#include "algo/kinematics.k.h"
#include <arne/kinematics.h>

ARNE_FN motion seen_from(const pose *X, arne_axes axes, motion c)
{
    if (axes == ARNE_AXES_WORLD) return c;
    if (axes == ARNE_AXES_BODY) return to_child(X, c);
    return mo(add(c.lin, cross(c.ang, X->p)), c.ang);
}

ARNE_FN motion rate_seen_from(const pose *X, arne_axes axes, motion v_frame, motion c, motion rate)
{
    if (axes == ARNE_AXES_BODY) rate = motion_sub(rate, cross_motion(v_frame, c));
    motion seen = seen_from(X, axes, rate);
    if (axes == ARNE_AXES_ALIGNED)
        seen.lin = add(seen.lin, cross(c.ang, add(v_frame.lin, cross(v_frame.ang, X->p))));
    return seen;
}

// From where columns are seen: an origin, and for the frame's own axes its rotation, transposed.
typedef struct viewpoint {
    vec3 origin;
    mat3 turn;
} viewpoint;

ARNE_FN viewpoint viewpoint_of(const work *w, const arne_frame_info *f, arne_axes axes)
{
    const pose *B = &w->X_w[f->body];
    viewpoint   from;
    from.origin = axes == ARNE_AXES_WORLD ? v3_zero() : add(B->p, rot(B->R, lift(f->pose.p)));
    from.turn = m3_zero();
    if (axes == ARNE_AXES_BODY)
        from.turn =
            transpose(m3_mul(B->R, m3(lift(f->pose.R.x), lift(f->pose.R.y), lift(f->pose.R.z))));
    return from;
}

ARNE_FN motion jacobian_column(const dof *d, const pose *X, const viewpoint *from, arne_axes axes)
{
    const motion c = axis_at(d, X->R, sub(X->p, from->origin));
    return axes == ARNE_AXES_BODY ? mo(rot(from->turn, c.lin), rot(from->turn, c.ang)) : c;
}

// Where one run leads to the frame its columns are neighbours, and are written four at a time.
ARNE_TEXT void tree_jacobian(const arne_robot *r, work *w, const real *q, const arne_frame_info *f,
                             arne_axes axes, real *J)
{
    const body *bodies = robot_bodies(r), *b = &bodies[f->body];
    const dof  *dofs = robot_dofs(r);
    const int   n = r->tree_v_count;
    if (!r->is_chain || f->body != r->body_count - 1) row_zero(6 * n, J);
    const int       runs = places_of(r, w, f->body, q);
    const viewpoint from = viewpoint_of(w, f, axes);
    if (runs == 1) {
        const int first = bodies[b->run].v_start, end = b->v_start + b->v_count;
        for (int k = first; k < end; k++)
            w->S[k] = jacobian_column(&dofs[k], &w->X_w[dofs[k].body], &from, axes);
        put_columns(J + first, n, end - first, w->S + first);
        return;
    }
    for (int i = f->body; i > 0; i = bodies[i].parent)
        for (int k = bodies[i].v_start; k < bodies[i].v_start + bodies[i].v_count; k++)
            put_column(J, n, k, jacobian_column(&dofs[k], &w->X_w[i], &from, axes));
}

// The rate, which needs the velocities of the bodies.
ARNE_TEXT void tree_jacobian_rate(const arne_robot *r, const work *w, const arne_frame_info *f,
                                  arne_axes axes, real *Jdot)
{
    const body  *bodies = robot_bodies(r);
    const dof   *dofs = robot_dofs(r);
    const int    n = r->tree_v_count;
    const pose   in_body = pose_lift(f->pose), X = pose_mul(&w->X_w[f->body], &in_body);
    const motion v_frame = world_velocity(w, f->body);

    row_zero(6 * n, Jdot);
    for (int i = f->body; i > 0; i = bodies[i].parent)
        for (int k = bodies[i].v_start; k < bodies[i].v_start + bodies[i].v_count; k++) {
            const motion c = axis_at(&dofs[k], w->X_w[i].R, w->X_w[i].p),
                         rate = cross_motion(world_velocity(w, i), c);
            put_column(Jdot, n, k, rate_seen_from(&X, axes, v_frame, c, rate));
        }
}

ARNE_TEXT void jacobian(const arne_robot *r, work *w, const real *q, int frame, arne_axes axes,
                        real *J)
{
    real *out = tree_out(r, J, w->rows);
    tree_jacobian(r, w, tree_q(r, w, q), &robot_frames(r)[frame].info, axes, out);
    collect_columns(r, w, 6, out, J);
}

ARNE_TEXT void jacobian_rate(const arne_robot *r, work *w, const real *q, const real *qd, int frame,
                             arne_axes axes, real *Jdot)
{
    real *out = tree_out(r, Jdot, w->rows);
    kinematics_of(r, w, robot_frames(r)[frame].info.body, q, qd);
    tree_jacobian_rate(r, w, &robot_frames(r)[frame].info, axes, out);
    collect_columns(r, w, 6, out, Jdot);
    if (!r->is_curved) return;
    slope_rates(r, w, qd, NULL); // J dG/dt
    tree_jacobian(r, w, w->tree_q, &robot_frames(r)[frame].info, axes, w->rows);
    add_along(r, w, 6, w->rows, G_RATE, Jdot);
}

CALL(JACOBIAN)
{
    const call_settings *s = c->settings;
    if (WANTED(J)) jacobian(c->r, c->w, IN(q), s->frame, s->axes, OUT(J));
    if (WANTED(Jdot)) jacobian_rate(c->r, c->w, IN(q), IN(qd), s->frame, s->axes, OUT(Jdot));
    return 0;
}

#endif
