// What contacts and wrenches of the surroundings add to the wrench that a joint transmits.
//
// Behind the joint, at a point p of a frame, a force f and a moment m act; the joint then has to
// give -f and -(m + (p - o) x f), with o its place, in the axes R of the link behind it. A turn w
// of that link changes R^T x by -R^T (w x x); what is fixed in its frame turns with the frame.
#include "math/vectors.h"
#include "plan/problem/geometry.h"
#include "plan/problem/plan_press.h"
#include <string.h>

static arne_vec3 column(const double *J, int n, int k)
{
    return (arne_vec3){J[k], J[n + k], J[2 * n + k]};
}

// A force and moment on a frame, in the world.
typedef struct push {
    int       frame, in_frame;
    arne_vec3 point, f, m;
    int       touch; // the contact, -1: none
    double    sign;
} push;

int plan_is_pushed(const plan_problem *p) { return p->touch_count > 0 || p->wrench_count > 0; }

// The number of forces: at both ends of every contact, then wrenches.
static int push_count(const plan_problem *p) { return 2 * p->touch_count + p->wrench_count; }

static int is_behind(const arne_robot *robot, int frame, int link)
{
    for (int at = frame; at >= 0; at = arne_robot_frame(robot, at).parent)
        if (at == link) return 1;
    return 0;
}

// The force with this index. Returns 0 if it does not act behind the joint.
static int push_at(plan_state *s, int index, int joint, push *out)
{
    const plan_problem *p = s->problem;
    const int           link = arne_robot_joint(s->robot, joint).child;
    *out = (push){.touch = -1, .sign = 1};
    if (index < 2 * p->touch_count) {
        const plan_touch *t = &p->touches[index / 2];
        const int         other = index % 2;
        if (!t->on[s->phase]) return 0;
        out->touch = index / 2;
        out->sign = other ? -1 : 1;
        out->frame = other ? t->other_frame : t->frame;
        out->point = other ? t->other_point : t->point;
        if (out->frame < 0) return 0;
        const arne_vec3 f = plan_contact_force(s, index / 2);
        out->f = (arne_vec3){out->sign * f.x, out->sign * f.y, out->sign * f.z};
    } else {
        const int          i = index - 2 * p->touch_count;
        const plan_wrench *w = &p->wrenches[i];
        const arne_wrench  now = plan_wrench_at(s, i);
        if (!w->on[s->phase]) return 0;
        out->frame = w->frame;
        out->point = w->point;
        out->in_frame = w->in_frame;
        out->f = now.lin;
        out->m = now.ang;
        if (w->in_frame) {
            arne_kinematics(s->robot, s->work, s->q, NULL, NULL);
            const arne_mat3 R = arne_frame_pose(s->robot, s->work, w->frame).R;
            out->f = out_of3(&R, now.lin);
            out->m = out_of3(&R, now.ang);
        }
    }
    return is_behind(s->robot, out->frame, link);
}

// Where the joint is and how it lies: its Jacobian into J.
static arne_vec3 pushed_joint_place(plan_state *s, int joint, double *J, arne_mat3 *R)
{
    const int             link = arne_robot_joint(s->robot, joint).child;
    const arne_frame_info at = arne_robot_frame(s->robot, link);
    const arne_vec3       origin = into3(&at.pose.R, at.pose.p); // of the body, in the link's axes
    const arne_vec3 o = geometry_point(s, link, (arne_vec3){-origin.x, -origin.y, -origin.z}, J);
    *R = arne_frame_pose(s->robot, s->work, link).R;
    return o;
}

void plan_pushed_wrench(plan_state *s, int joint, double *out)
{
    double   *J = s->at->matrices;
    arne_mat3 R;
    push      by;
    for (int i = 0; i < push_count(s->problem); i++) {
        if (!push_at(s, i, joint, &by)) continue;
        const arne_vec3 p = geometry_point(s, by.frame, by.point, J);
        const arne_vec3 o = pushed_joint_place(s, joint, J, &R);
        const arne_vec3 f = into3(&R, by.f), m = into3(&R, add3(by.m, cross3(sub3(p, o), by.f)));
        const double    six[6] = {f.x, f.y, f.z, m.x, m.y, m.z};
        for (int r = 0; r < 6; r++)
            out[r] -= six[r];
    }
}

void plan_pushed_gradient(plan_state *s, int joint, double *out)
{
    const int v = s->problem->v_count, all = PLAN_ORDERS * v;
    double   *J = s->at->matrices, *own = J + 6 * v;
    arne_mat3 R;
    push      by;
    for (int i = 0; i < push_count(s->problem); i++) {
        if (!push_at(s, i, joint, &by)) continue;
        const arne_vec3 p = geometry_point(s, by.frame, by.point, J);
        const arne_vec3 o = pushed_joint_place(s, joint, own, &R), arm = sub3(p, o);
        const arne_vec3 moment = add3(by.m, cross3(arm, by.f));
        for (int k = 0; k < v; k++) {
            const arne_vec3 w = column(own + 3 * v, v, k), turn = column(J + 3 * v, v, k);
            const arne_vec3 none = {0, 0, 0}, df = by.in_frame ? cross3(turn, by.f) : none,
                            dm = by.in_frame ? cross3(turn, by.m) : none;
            const arne_vec3 darm = sub3(column(J, v, k), column(own, v, k));
            const arne_vec3 sum = add3(dm, add3(cross3(darm, by.f), cross3(arm, df)));
            const arne_vec3 f = into3(&R, sub3(df, cross3(w, by.f))),
                            m = into3(&R, sub3(sum, cross3(w, moment)));
            const double six[6] = {f.x, f.y, f.z, m.x, m.y, m.z};
            for (int r = 0; r < 6; r++)
                out[r * all + k] -= six[r];
        }
    }
}

void plan_pushed_by_forces(plan_state *s, int joint, double *out)
{
    const plan_problem *plan = s->problem;
    const int           all = PLAN_ORDERS * plan->n;
    double             *J = s->at->matrices;
    arne_mat3           R;
    push                by;
    for (int i = 0; i < 2 * plan->touch_count; i++) {
        if (plan_is_compliant(plan, i / 2) || !push_at(s, i, joint, &by)) continue;
        const arne_vec3 p = geometry_point(s, by.frame, by.point, J);
        const arne_vec3 o = pushed_joint_place(s, joint, J, &R);
        for (int c = 0; c < 3; c++) {
            const arne_vec3 e = plan->touches[by.touch].axes[c];
            const arne_vec3 f = into3(&R, e), m = into3(&R, cross3(sub3(p, o), e));
            const double    six[6] = {f.x, f.y, f.z, m.x, m.y, m.z};
            for (int r = 0; r < 6; r++)
                out[r * all + plan->v_count + plan->touches[by.touch].column + c] -=
                    by.sign * six[r];
        }
    }
}
