// The texts of closed mechanisms in numbers that carry two derivatives (ARNE_JET).
//
// Dependent positions follow from the closure e(q) = 0. From a closed configuration on, each step
// of Newton's method doubles the orders in s that are right: two steps give q to second order.
// Velocities and accelerations then solve linear equations in the same arithmetic.
#define ARNE_JET
#include "plan/transcription/loop_jet.h"
#include "mechanism/loop_straight.k.h"
#include <stdlib.h>

struct loop_jet {
    const arne_robot *r;
    work             *w;
    loop_straight     s;
    int              *order;
    real             *room, *q, *qd, *qdd, *tau, *error;
    force            *pushed; // of every body
};

void loop_jet_free(loop_jet *j)
{
    if (!j) return;
    free(j->w);
    free(j->s.ties);
    free(j->order);
    free(j->room);
    free(j->pushed);
    free(j);
}

static void set_order(loop_jet *j, const int *independent, int n)
{
    const int v = j->r->v_count;
    int       count = 0;
    for (int k = 0; k < v; k++) {
        int is_free = 0;
        for (int i = 0; i < n; i++)
            is_free |= independent[i] == k;
        if (!is_free) j->order[count++] = k;
    }
    for (int i = 0; i < n; i++)
        j->order[count++] = independent[i];
    j->s.order = j->order;
}

static void share_room(loop_jet *j)
{
    const size_t m = (size_t)j->s.m, n = (size_t)j->s.n, t = (size_t)j->r->tree_v_count,
                 most = m > n ? m : n;
    real **const part[] = {&j->s.tree_J, &j->s.J,   &j->s.Q, &j->s.R, &j->s.row, &j->s.free,
                           &j->s.all,    &j->error, &j->q,   &j->qd,  &j->qdd,   &j->tau};
    const size_t size[] = {m * t, m * n, m * n, n * n, m, n, most, m, n, n, n, n};
    size_t       all = 1;
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        all += size[i];
    j->room = calloc(all, sizeof *j->room);
    real *at = j->room;
    for (size_t i = 0; at && i < sizeof size / sizeof *size; at += size[i++])
        *part[i] = at;
}

loop_jet *loop_jet_new(const arne_robot *robot, const int *independent, int n)
{
    const size_t size = (work_walk(robot, NULL, NULL) / ARNE_ALIGNMENT + 1) * ARNE_ALIGNMENT;
    loop_jet    *j = calloc(1, sizeof *j);
    if (!j) return NULL;
    j->r = robot;
    j->s.m = robot->loop_row_count;
    j->s.n = robot->v_count;
    j->s.rank = robot->v_count - n;
    j->w = aligned_alloc(ARNE_ALIGNMENT, size);
    j->s.ties = calloc((size_t)robot->loop_count + 1, sizeof *j->s.ties);
    j->order = calloc((size_t)robot->v_count + 1, sizeof *j->order);
    j->pushed = calloc((size_t)robot->body_count, sizeof *j->pushed);
    share_room(j);
    if (!j->w || !j->s.ties || !j->order || !j->pushed || !j->room) {
        loop_jet_free(j);
        return NULL;
    }
    work_walk(robot, j->w, (char *)j->w);
    work_start(robot, j->w);
    j->w->keeps_wrenches = 1;
    set_order(j, independent, n);
    return j;
}

// ---- motion

static void close(loop_jet *j)
{
    real *step = j->tau;
    for (int i = 0; i < 2; i++) {
        kinematics(j->r, j->w, j->q, NULL, NULL);
        straight_factor(j->r, j->w, &j->s);
        loops_error(j->r, j->s.ties, j->error);
        for (int k = 0; k < j->s.n; k++)
            step[k] = r_num(0);
        straight_solve(&j->s, j->error, step);
        for (int k = 0; k < j->s.rank; k++)
            j->q[j->order[k]] = r_add(j->q[j->order[k]], step[j->order[k]]);
    }
}

void loop_jet_move(loop_jet *j, const double *q, const double (*curve)[3])
{
    const int rank = j->s.rank, n = j->s.n - rank;
    real     *to[3] = {j->q, j->qd, j->qdd};
    for (int k = 0; k < j->s.n; k++) {
        j->q[k] = r_num(q[k]);
        j->qd[k] = j->qdd[k] = r_num(0);
    }
    for (int o = 0; o < 3; o++)
        for (int k = 0; k < n; k++) {
            const double *x = curve[o * n + k];
            to[o][j->order[rank + k]] = r_jet(x[0], x[1], x[2]);
        }
    close(j);
    kinematics(j->r, j->w, j->q, NULL, NULL);
    straight_factor(j->r, j->w, &j->s);
    straight_solve(&j->s, NULL, j->qd);
    kinematics(j->r, j->w, j->q, j->qd, j->w->zero);
    loops_motion(j->r, j->w, j->s.ties, j->r->shares_coordinates ? j->w->tree_qd : j->qd, 1, NULL,
                 j->error);
    straight_solve(&j->s, j->error, j->qdd);
}

void loop_jet_place(loop_jet *j, const double (*curve)[3])
{
    const int n = j->s.n;
    real     *to[3] = {j->q, j->qd, j->qdd};
    for (int o = 0; o < 3; o++)
        for (int k = 0; k < n; k++) {
            const double *x = curve[o * n + k];
            to[o][k] = r_jet(x[0], x[1], x[2]);
        }
    kinematics(j->r, j->w, j->q, NULL, NULL);
    straight_factor(j->r, j->w, &j->s);
    for (int k = 0; k < n; k++)
        j->s.all[k] = j->qd[k];
    straight_solve(&j->s, NULL, j->s.all);
    for (int k = 0; k < j->s.rank; k++)
        j->error[k] = r_sub(j->qd[j->order[k]], j->s.all[j->order[k]]);
}

// ---- torques

// In the body's axes and about its origin, at its poses in the workspace.
static force push_on_body(const loop_jet *j, const loop_push *p, int *to)
{
    const arne_frame_info *f = &robot_frames(j->r)[p->frame].info;
    const pose             in_body = pose_lift(f->pose);
    const double           now[6] = {p->now.lin.x, p->now.lin.y, p->now.lin.z,
                                     p->now.ang.x, p->now.ang.y, p->now.ang.z},
                 rate[6] = {p->rate.lin.x, p->rate.lin.y, p->rate.lin.z,
                            p->rate.ang.x, p->rate.ang.y, p->rate.ang.z};
    real x[6];
    for (int k = 0; k < 6; k++)
        x[k] = r_jet(now[k], rate[k], 0);
    const vec3 lin = v3(x[0], x[1], x[2]), ang = v3(x[3], x[4], x[5]), at = lift(p->point);
    *to = f->body;
    if (p->in_frame) return to_parent(&in_body, fo(lin, add(ang, cross(at, lin))));
    const pose *X = &j->w->X_w[f->body];
    const vec3  point = add(X->p, out_of(X, add(in_body.p, out_of(&in_body, at))));
    return wrench_on_body(X, point, fo(lin, ang));
}

// Torques of the tree with what pushes its bodies.
static void jet_tree_torques(loop_jet *j)
{
    const arne_robot *r = j->r;
    work             *w = j->w;
    real             *out = tree_out(r, j->tau, w->tree_tau);
    const tree_motion t = tree_motion_of(r, w, j->q, j->qd, j->qdd);
    start_poses(r, w, t.q);
    inverse_dynamics_outward(r, w, t.q, t.qd, t.qdd);
    for (int i = 0; i < r->body_count; i++)
        w->f[i] = force_sub(w->f[i], j->pushed[i]);
    subtract_held_weights(r, w);
    wrenches_inward(r, w, r->body_count, out);
    add_joint_torques(r, t.q, t.qd, t.qdd, out);
    collect(r, w, out, j->tau);
}

// The multipliers that straight_torques left in s.row.
static void push_loops(loop_jet *j)
{
    for (int i = 0; i < j->r->loop_count; i++) {
        const loop_record *l = robot_loops(j->r) + i;
        const loop_tie    *tie = j->s.ties + i;
        const force        f = loop_wrench(l, tie->rows, j->s.row);
        for (int end = 0; end < 2; end++) {
            force      *sum = &j->pushed[l->body[end]];
            const force here = wrench_on_body(&j->w->X_w[l->body[end]], tie->B.p, f);
            *sum = end ? force_add(*sum, here) : force_sub(*sum, here);
        }
    }
}

void loop_jet_push(loop_jet *j, const loop_push *pushes, int count)
{
    for (int i = 0; i < j->r->body_count; i++)
        j->pushed[i] = force_zero();
    for (int i = 0; i < count; i++) {
        int         to;
        const force f = push_on_body(j, &pushes[i], &to);
        j->pushed[to] = force_add(j->pushed[to], f);
    }
    jet_tree_torques(j);
    straight_torques(&j->s, j->tau);
    push_loops(j);
    for (int k = 0; k < j->s.n; k++)
        j->s.free[k] = j->tau[k];
    jet_tree_torques(j); // for the wrenches
    for (int k = 0; k < j->s.n; k++)
        j->tau[k] = j->s.free[k];
}

// ---- results

static double jet_part_of(real a, int derivative)
{
    return derivative == 0 ? a.x : derivative == 1 ? a.d : a.dd;
}

void loop_jet_motion(const loop_jet *j, int order, int derivative, double *out)
{
    const real *from = order == 0 ? j->q : order == 1 ? j->qd : j->qdd;
    for (int k = 0; k < j->s.n; k++)
        out[k] = jet_part_of(from[k], derivative);
}

void loop_jet_slip(const loop_jet *j, int derivative, double *out)
{
    for (int k = 0; k < j->s.rank; k++)
        out[k] = jet_part_of(j->error[k], derivative);
}

void loop_jet_torques(const loop_jet *j, int derivative, double *out)
{
    for (int k = 0; k < j->s.n; k++)
        out[k] = jet_part_of(j->tau[k], derivative);
}

void loop_jet_wrench(const loop_jet *j, int joint, int derivative, double *out)
{
    const motion w = joint_wrench(j->r, j->w, joint);
    const real   six[6] = {vx(w.lin), vy(w.lin), vz(w.lin), vx(w.ang), vy(w.ang), vz(w.ang)};
    for (int k = 0; k < 6; k++)
        out[k] = jet_part_of(six[k], derivative);
}
