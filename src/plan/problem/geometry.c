// Where frames are and how that changes. With w_k the turn and d_l the move of a point that unit
// velocities of coordinates k and l cause, k nearer the base: d2p/dq_k dq_l = w_k x d_l.
#include "plan/problem/geometry.h"
#include "math/vectors.h"
#include <math.h>
#include <string.h>

static arne_vec3 at3(const double *J, int n, int k)
{
    return (arne_vec3){J[k], J[n + k], J[2 * n + k]};
}
static arne_vec3 turn3(const arne_mat3 *R, arne_vec3 a)
{
    return add3(add3(scale3(R->x, a.x), scale3(R->y, a.y)), scale3(R->z, a.z));
}

arne_vec3 geometry_inward(const arne_quantity *what, int i)
{
    const arne_vec3 a = what->corners[i], b = what->corners[(i + 1) % what->corner_count];
    const arne_vec3 inward = cross3(what->plane_normal, sub3(b, a));
    return scale3(inward, 1 / sqrt(dot3(inward, inward)));
}

// A point on a frame: its place and its Jacobian (6 x v_count, in the world's axes), the move of
// the point first.
typedef struct located {
    arne_vec3 p;
    double   *J;
} located;

static located locate(plan_state *s, int frame, arne_vec3 point, double *J)
{
    const int n = s->problem->v_count;
    if (frame < 0) {
        memset(J, 0, 6 * (size_t)n * sizeof *J);
        return (located){point, J};
    }
    arne_kinematics(s->robot, s->work, s->q, NULL, NULL);
    const arne_pose X = arne_frame_pose(s->robot, s->work, frame);
    const arne_vec3 arm = turn3(&X.R, point);
    arne_jacobian(s->robot, s->work, s->q, frame, ARNE_AXES_ALIGNED, J);
    for (int k = 0; k < n; k++) {
        const arne_vec3 move = cross3(at3(J + 3 * n, n, k), arm);
        J[k] += move.x;
        J[n + k] += move.y;
        J[2 * n + k] += move.z;
    }
    return (located){add3(X.p, arm), J};
}

// ---- position, height, distance

int geometry_gradient(const plan_quantity *q, plan_state *s, double *out)
{
    const arne_quantity *what = &q->what;
    const int            n = s->problem->v_count;
    double              *J = s->at->matrices;
    const located        a = locate(s, what->frame, what->point, J);
    if (what->kind == ARNE_QUANTITY_FRAME_POSITION) {
        for (int r = 0; r < 3; r++)
            memcpy(out + r * PLAN_ORDERS * n, J + r * n, (size_t)n * sizeof *J);
        return 0;
    }
    arne_vec3 along = what->plane_normal;
    if (what->kind == ARNE_QUANTITY_DISTANCE) {
        const located   b = locate(s, what->other_frame, what->other_point, J + 6 * n);
        const arne_vec3 d = sub3(a.p, b.p);
        along = scale3(d, 1 / sqrt(dot3(d, d) + 1e-18));
        for (int k = 0; k < n; k++)
            out[k] = -dot3(along, at3(b.J, n, k));
    }
    for (int k = 0; k < n; k++)
        out[k] += dot3(along, at3(J, n, k));
    return 0;
}

// lambda . d2p
static void curve_point(plan_state *s, const located *a, arne_vec3 lambda)
{
    const int n = s->problem->v_count;
    for (int k = 0; k < n; k++) {
        const arne_vec3 w = at3(a->J + 3 * n, n, k),
                        side = cross3(lambda, w); // lambda . (w x d) = (lambda x w) . d
        if (w.x == 0 && w.y == 0 && w.z == 0) continue;
        for (int l = k; l < n; l++)
            plan_curve(s, k, l, (k == l ? 0.5 : 1) * dot3(side, at3(a->J, n, l)));
    }
}

void geometry_hessian(const plan_quantity *q, plan_state *s, const double *lambda)
{
    const arne_quantity *what = &q->what;
    const int            n = s->problem->v_count;
    double              *J = s->at->matrices;
    const located        a = locate(s, what->frame, what->point, J);
    if (what->kind == ARNE_QUANTITY_FRAME_POSITION) {
        curve_point(s, &a, (arne_vec3){lambda[0], lambda[1], lambda[2]});
        return;
    }
    if (what->kind == ARNE_QUANTITY_HEIGHT) {
        curve_point(s, &a, scale3(what->plane_normal, *lambda));
        return;
    }
    const located   b = locate(s, what->other_frame, what->other_point, J + 6 * n);
    const arne_vec3 d = sub3(a.p, b.p);
    const double    length = sqrt(dot3(d, d) + 1e-18);
    const arne_vec3 along = scale3(d, 1 / length);
    curve_point(s, &a, scale3(along, *lambda));
    curve_point(s, &b, scale3(along, -*lambda));
    for (int k = 0; k < n; k++) // (D^T D - (D^T along)(along^T D)) / length
        for (int l = k; l < n; l++) {
            const arne_vec3 x = sub3(at3(a.J, n, k), at3(b.J, n, k)),
                            y = sub3(at3(a.J, n, l), at3(b.J, n, l));
            plan_curve(s, k, l,
                       (k == l ? 0.5 : 1) * *lambda / length *
                           (dot3(x, y) - dot3(x, along) * dot3(y, along)));
        }
}

// ---- rotation and velocity

// e = 2 skew(E)/(1 + trace E) with E = target^T R. Turning by w (in the world) changes a column c
// of E by target^T (w x R c).
int geometry_rotation_gradient(const plan_quantity *q, plan_state *s, double *out)
{
    const plan_problem *p = s->problem;
    const int           n = p->v_count;
    const arne_mat3    *Rt = &q->what.target.R;
    double             *J = s->at->matrices;
    arne_kinematics(s->robot, s->work, s->q, NULL, NULL);
    const arne_pose X = arne_frame_pose(s->robot, s->work, q->what.frame);
    const double    all = 1 + dot3(Rt->x, X.R.x) + dot3(Rt->y, X.R.y) + dot3(Rt->z, X.R.z);
    const double   *e = s->value[q - p->quantities];
    arne_jacobian(s->robot, s->work, s->q, q->what.frame, ARNE_AXES_ALIGNED, J);
    for (int k = 0; k < n; k++) {
        const arne_vec3 w = at3(J + 3 * n, n, k);
        const arne_vec3 x = cross3(w, X.R.x), y = cross3(w, X.R.y), z = cross3(w, X.R.z);
        const double    trace = dot3(Rt->x, x) + dot3(Rt->y, y) + dot3(Rt->z, z);
        const double    skew[3] = {dot3(Rt->z, y) - dot3(Rt->y, z), dot3(Rt->x, z) - dot3(Rt->z, x),
                                   dot3(Rt->y, x) - dot3(Rt->x, y)};
        for (int r = 0; r < 3; r++)
            out[r * PLAN_ORDERS * n + k] = (2 * skew[r] - e[r] * trace) / all;
    }
    return 0;
}

// v + w x arm of a point, then w: how they depend on q and qd, 6 x v_count each.
static void moving_point(plan_state *s, int frame, arne_vec3 point, const double *q,
                         const double *qd, double *by_q, double *by_v)
{
    const int n = s->problem->v_count;
    arne_kinematics(s->robot, s->work, q, qd, NULL);
    const arne_pose   X = arne_frame_pose(s->robot, s->work, frame);
    const arne_motion v = arne_frame_velocity(s->robot, s->work, frame, ARNE_AXES_ALIGNED);
    const arne_vec3   arm = turn3(&X.R, point);
    const arne_frame_derivatives want = {.dvelocity_dq = by_q, .dvelocity_dqd = by_v};
    arne_frame_motion_derivatives(s->robot, s->work, q, qd, s->qdd, frame, ARNE_AXES_ALIGNED,
                                  &want);
    for (int k = 0; k < n; k++) {
        const arne_vec3 w = at3(by_v + 3 * n, n, k), dw = at3(by_q + 3 * n, n, k);
        const arne_vec3 add_v = cross3(w, arm), add_q = add3(cross3(dw, arm), cross3(v.ang, add_v));
        by_q[k] += add_q.x, by_q[n + k] += add_q.y, by_q[2 * n + k] += add_q.z;
        by_v[k] += add_v.x, by_v[n + k] += add_v.y, by_v[2 * n + k] += add_v.z;
    }
}

int geometry_velocity_gradient(const plan_quantity *q, plan_state *s, double *out)
{
    const int n = s->problem->v_count, all = PLAN_ORDERS * n;
    double   *by_q = s->at->matrices, *by_v = by_q + 6 * n;
    moving_point(s, q->what.frame, q->what.point, s->q, s->qd, by_q, by_v);
    for (int r = 0; r < 6; r++) {
        memcpy(out + r * all, by_q + r * n, (size_t)n * sizeof *out);
        memcpy(out + r * all + n, by_v + r * n, (size_t)n * sizeof *out);
    }
    return 0;
}

// Of v = sum of d_c qd_c, with d_c the move of the point and w_c the turn by coordinate c: by q_a
// and qd_c it is what curve_point has, P_ac = w_a x d_c (a nearer the base); by q_a and q_b it is
// the time derivative of P_ab. The turn of the frame is the sum of w_c qd_c, where a coordinate
// moves the w_c behind it only.
static void curve_velocity(plan_state *s, const double *J, const double *qd, arne_vec3 by_v,
                           arne_vec3 by_w, int mixes)
{
    const int n = s->problem->v_count;
    arne_vec3 v = {0, 0, 0}, w = {0, 0, 0}; // of all coordinates behind b
    for (int c = 0; c < n; c++) {
        v = add3(v, scale3(at3(J, n, c), qd[c]));
        w = add3(w, scale3(at3(J + 3 * n, n, c), qd[c]));
    }
    const arne_vec3 turn = w;
    for (int b = 0; b < n; b++) {
        const arne_vec3 w_b = at3(J + 3 * n, n, b), d_b = at3(J, n, b);
        if (dot3(w_b, w_b) == 0 && dot3(d_b, d_b) == 0) continue;
        v = sub3(v, scale3(d_b, qd[b]));
        w = sub3(w, scale3(w_b, qd[b]));
        const arne_vec3 d_rate = add3(cross3(sub3(turn, w), d_b), cross3(w_b, v));
        const arne_vec3 w_by_q = cross3(w_b, w);
        arne_vec3       before = {0, 0, 0}; // turn of what carries a
        for (int a = 0; a <= b; a++) {
            const arne_vec3 w_a = at3(J + 3 * n, n, a), P = cross3(w_a, d_b);
            const arne_vec3 P_rate = add3(cross3(cross3(before, w_a), d_b), cross3(w_a, d_rate));
            const double    mixed = dot3(by_v, P);
            before = add3(before, scale3(w_a, qd[a]));
            plan_curve(s, a, b,
                       (a == b ? 0.5 : 1) * (dot3(by_v, P_rate) + dot3(by_w, cross3(w_a, w_by_q))));
            if (!mixes) continue;
            plan_curve(s, a, n + b, mixed + dot3(by_w, cross3(w_a, w_b)));
            if (a != b) plan_curve(s, b, n + a, mixed);
        }
    }
}

void geometry_velocity_hessian(const plan_quantity *q, plan_state *s, const double *lambda)
{
    const arne_vec3 by_v = {lambda[0], lambda[1], lambda[2]},
                    by_w = {lambda[3], lambda[4], lambda[5]};
    double *J = s->at->matrices;
    (void)locate(s, q->what.frame, q->what.point, J);
    curve_velocity(s, J, s->qd, by_v, by_w, 1);
}

// ---- points on which forces act

arne_vec3 geometry_point(plan_state *s, int frame, arne_vec3 point, double *J)
{
    return locate(s, frame, point, J).p;
}

// Where a joint on the way follows another, columns are sums over several joints, and the rules
// with w_k x d_l do not hold: kernels know how velocities change with q.
typedef struct point_rates {
    double *by_q, *by_v, *q, *along; // 6 x v_count each, then v_count
} point_rates;

static point_rates rates_room(const plan_state *s)
{
    const int n = s->problem->v_count;
    double   *at = s->at->matrices + 9 * n; // behind what callers keep there
    return (point_rates){at, at + 6 * n, at + 12 * n, at + 13 * n};
}

// f . row k of d(J along)/dq, + m . that of turns
static double rates_against(int n, const double *by_q, int k, arne_vec3 f, arne_vec3 m)
{
    return dot3(at3(by_q, n, k), f) + dot3(at3(by_q + 3 * n, n, k), m);
}

void geometry_bend(plan_state *s, const geometry_place *at, const double *J, arne_vec3 f,
                   arne_vec3 m, double *out)
{
    const int         n = s->problem->v_count;
    const point_rates r = rates_room(s);
    for (int l = 0; l < n && s->problem->follows[at->frame]; l++) {
        memset(r.along, 0, (size_t)n * sizeof *r.along);
        r.along[l] = 1;
        moving_point(s, at->frame, at->point, s->q, r.along, r.by_q, r.by_v);
        for (int k = 0; k < n; k++)
            out[l * n + k] += rates_against(n, r.by_q, k, f, m);
    }
    for (int k = 0; k < n && !s->problem->follows[at->frame]; k++) {
        const arne_vec3 w = at3(J + 3 * n, n, k), side = cross3(f, w), turn = cross3(m, w);
        if (w.x == 0 && w.y == 0 && w.z == 0) continue;
        for (int l = k; l < n; l++) { // f . (w_k x d_l), m . (w_k x w_l)
            const double d = dot3(side, at3(J, n, l));
            out[l * n + k] += d + dot3(turn, at3(J + 3 * n, n, l));
            if (l != k) out[k * n + l] += d;
        }
    }
}

void geometry_turned(plan_state *s, const geometry_place *at, const double *J, const double *along,
                     double *out)
{
    const int n = s->problem->v_count;
    arne_vec3 behind = {0, 0, 0},
              before = {0, 0, 0}; // moves by k and what is behind it, turns before it
    if (s->problem->follows[at->frame]) {
        const point_rates r = rates_room(s);
        moving_point(s, at->frame, at->point, s->q, along, r.by_q, r.by_v);
        memcpy(out, r.by_q, 3 * (size_t)n * sizeof *out);
        return;
    }
    for (int k = 0; k < n; k++)
        behind = add3(behind, scale3(at3(J, n, k), along[k]));
    for (int k = 0; k < n; k++) {
        const arne_vec3 w = at3(J + 3 * n, n, k), d = at3(J, n, k);
        const arne_vec3 sum = add3(cross3(w, behind), cross3(before, d));
        out[k] = sum.x, out[n + k] = sum.y, out[2 * n + k] = sum.z;
        behind = sub3(behind, scale3(d, along[k]));
        before = add3(before, scale3(w, along[k]));
    }
}

// By differences of fourth order, whose error is that of rounding.
static void curve_following(plan_state *s, const geometry_place *at, const double *along,
                            arne_vec3 f, arne_vec3 m)
{
    static const double weights[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12}, h = 1e-3;
    static const int    steps[4] = {-2, -1, 1, 2};
    const int           n = s->problem->v_count;
    const point_rates   r = rates_room(s);
    memcpy(r.q, s->q, (size_t)n * sizeof *r.q);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 4; i++) {
            r.q[k] = s->q[k] + steps[i] * h;
            moving_point(s, at->frame, at->point, r.q, along, r.by_q, r.by_v);
            for (int l = 0; l < n; l++) // both (k, l) and (l, k) come by: half of each
                plan_curve(s, k, l, 0.5 * weights[i] / h * rates_against(n, r.by_q, l, f, m));
        }
        r.q[k] = s->q[k];
    }
}

void geometry_curve(plan_state *s, const geometry_place *at, const double *J, const double *along,
                    arne_vec3 f, arne_vec3 m)
{
    if (s->problem->follows[at->frame])
        curve_following(s, at, along, f, m);
    else
        curve_velocity(s, J, along, f, m, 0);
}

void geometry_mark_following(const arne_robot *robot, unsigned char *out)
{
    const arne_sizes size = arne_robot_sizes(robot);
    for (int i = 0; i < size.frame_count; i++)
        for (int at = i; at >= 0 && !out[i]; at = arne_robot_frame(robot, at).parent)
            for (int j = 0; j < size.joint_count && !out[i]; j++) {
                const arne_joint_info joint = arne_robot_joint(robot, j);
                out[i] = joint.child == at && joint.mimic >= 0;
            }
}

// ---- pattern

static void mark_path(const plan_problem *p, int frame, unsigned orders, unsigned char *row)
{
    const arne_sizes size = arne_robot_sizes(p->robot);
    for (int at = frame; at >= 0; at = arne_robot_frame(p->robot, at).parent)
        for (int j = 0; j < size.joint_count; j++) {
            const arne_joint_info joint = arne_robot_joint(p->robot, j);
            if (joint.child != at) continue;
            for (int k = 0; k < PLAN_ORDERS; k++)
                for (int i = 0; i < joint.v_count && orders >> k & 1; i++)
                    row[k * p->v_count + joint.v_start + i] = 1;
        }
}

void geometry_pattern(const plan_quantity *q, const plan_problem *p, unsigned char *out)
{
    for (int r = 0; r < q->rows; r++) {
        unsigned char *row = out + r * PLAN_ORDERS * p->v_count;
        mark_path(p, q->what.frame, q->orders, row);
        if (q->what.kind == ARNE_QUANTITY_DISTANCE)
            mark_path(p, q->what.other_frame, q->orders, row);
    }
}
