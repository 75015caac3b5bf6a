// How a frame's velocity and acceleration change with q, qd and qdd. See common.k.h.
//
// Column k changes the twist of a body it carries by psi_k (S_k along qd) and the twist's rate by
// psi_k x v + psi_rate_k (S_k x v + psi_k + dS_k along qd, S_k along qdd), apart from displacing
// it. The classical acceleration of the frame's origin has w x v besides. In the world's axes the
// displacement counts too: it turns what is there by S_k.
#ifndef ARNE_ALGO_FRAME_DERIVATIVES_K_H
#define ARNE_ALGO_FRAME_DERIVATIVES_K_H

#include "algo/call.k.h"
#include "algo/wrench_derivatives.k.h"

typedef struct moving_frame {
    int    body;
    pose   X;    // in the common frame
    mat3   to_w; // from the frame's axes to the world's
    motion v, a; // of the frame, in its own axes; a is classical and has no gravity
    vec3   g;    // gravity in the common frame
} moving_frame;

ARNE_TEXT moving_frame frame_moving(const arne_robot *r, const work *w, int frame)
{
    const arne_frame_info *f = &robot_frames(r)[frame].info;
    const int              i = f->body;
    const pose             link = pose_lift(f->pose);
    moving_frame           m;
    m.body = i;
    m.X = i ? pose_from(m3_mul(w->R[i], link.R), add(w->place[i], rot(w->R[i], link.p))) : link;
    m.to_w = m3_mul(w->base_pose.R, m.X.R);
    m.g = into(&w->base_pose, lift(r->gravity));
    m.v = to_child(&m.X, i ? w->v_c[i] : base_velocity_at(w, v3_zero()));
    m.a = to_child(&m.X, i ? w->a_c[i] : base_acceleration_at(w, v3_zero()));
    m.a.lin = add(add(m.a.lin, cross(m.v.ang, m.v.lin)), into(&m.X, m.g));
    return m;
}

// The changes that column k makes to twist and rate of a body it carries, in the common frame.
ARNE_FN motion twist_along(const work *w, direction which, int k)
{
    return which == ALONG_Q ? w->psi[k] : which == ALONG_QD ? w->S[k] : motion_zero();
}
ARNE_FN motion rate_along(const work *w, direction which, int i, int k)
{
    if (which == ALONG_QDD) return w->S[k];
    const motion own = which == ALONG_Q ? w->psi_rate[k] : w->drift[k];
    return motion_add(cross_motion(which == ALONG_Q ? w->psi[k] : w->S[k], w->v_c[i]), own);
}

// 6 x n each, linear rows first; dv may be NULL.
ARNE_TEXT void tree_frame_derivative(const arne_robot *r, const work *w, const moving_frame *m,
                                     arne_axes axes, direction which, real *dv, real *da)
{
    const int n = r->tree_v_count;
    for (int k = 0; k < n; k++) {
        motion v = motion_zero(), a = motion_zero();
        if (m->body && column_side(r, m->body, k) > 0) {
            v = to_child(&m->X, twist_along(w, which, k));
            a = to_child(&m->X, rate_along(w, which, m->body, k));
            a.lin = add(a.lin, add(cross(v.ang, m->v.lin), cross(m->v.ang, v.lin)));
            const vec3 turn = into(&m->X, w->S[k].ang);
            if (which == ALONG_Q) a.lin = add(a.lin, into(&m->X, cross(m->g, w->S[k].ang)));
            if (which == ALONG_Q && axes != ARNE_AXES_BODY) {
                v = motion_add(v, mo(cross(turn, m->v.lin), cross(turn, m->v.ang)));
                a = motion_add(a, mo(cross(turn, m->a.lin), cross(turn, m->a.ang)));
            }
            if (axes != ARNE_AXES_BODY) {
                v = mo(rot(m->to_w, v.lin), rot(m->to_w, v.ang));
                a = mo(rot(m->to_w, a.lin), rot(m->to_w, a.ang));
            }
        }
        if (dv) put_column(dv, n, k, v);
        put_column(da, n, k, a);
    }
}

ARNE_TEXT void frame_parts(const arne_robot *r, work *w, const real *q, const real *qd,
                           const real *qdd)
{
    const tree_motion t = tree_motion_of(r, w, q, qd, qdd);
    joint_poses(r, w, t.q);
    common_frame(r, w);
    common_axes(r, w);
    common_motions(r, w, t.qd, t.qdd);
}

CALL(FRAME_MOTION_DERIVATIVES)
{
    const arne_robot *r = c->r;
    work             *w = c->w;
    real *const       dv[3] = {OUT(dvelocity_dq), OUT(dvelocity_dqd), NULL};
    real *const da[3] = {OUT(dacceleration_dq), OUT(dacceleration_dqd), OUT(dacceleration_dqdd)};
    frame_parts(r, w, IN(q), IN(qd), IN(qdd));
    const moving_frame m = frame_moving(r, w, c->settings->frame);
    for (int i = 0; i < 3; i++) {
        tree_frame_derivative(r, w, &m, c->settings->axes, (direction)i, w->rows, w->task);
        deliver_along(r, w, 6, i, w->rows, dv);
        deliver_along(r, w, 6, i, w->task, da);
    }
    return 0;
}

#endif
