// From the coordinates of planning back to those of the robot's file: chains of slides and turns as
// positions, quaternions and velocities in body axes.
#include "plan/problem/split_joints.h"
#include <arne/builder.h>
#include <arne/configuration.h>
#include <math.h>
#include <stdio.h>

// A planned coordinate with two derivatives.
typedef struct moving {
    double x, v, a;
} moving;

typedef struct source {
    const arne_robot *planned;
    const double     *q, *qd, *qdd;
} source;

// The coordinate of joint NAME.SUFFIX; 0 where there is none.
static moving show_find(const source *s, const char *name, const char *suffix)
{
    char full[320];
    snprintf(full, sizeof full, "%.250s%s%s", name, *suffix ? "." : "", suffix);
    const int joint = arne_find_joint(s->planned, full);
    if (joint < 0) return (moving){0, 0, 0};
    const int k = arne_robot_joint(s->planned, joint).v_start;
    return (moving){s->q[k], s->qd[k], s->qdd[k]};
}

// R = Rz Ry Rx as a quaternion; the turn in body axes and its rate.
static void show_turn(moving z, moving y, moving x, double *xyzw, double *w, double *dw)
{
    const double cz = cos(z.x / 2), sz = sin(z.x / 2), cy = cos(y.x / 2), sy = sin(y.x / 2),
                 cx = cos(x.x / 2), sx = sin(x.x / 2);
    xyzw[0] = cz * cy * sx - sz * sy * cx;
    xyzw[1] = cz * sy * cx + sz * cy * sx;
    xyzw[2] = sz * cy * cx - cz * sy * sx;
    xyzw[3] = cz * cy * cx + sz * sy * sx;
    const double c = cos(x.x), s = sin(x.x), C = cos(y.x), S = sin(y.x);
    w[0] = x.v - z.v * S;
    w[1] = y.v * c + z.v * s * C;
    w[2] = -y.v * s + z.v * c * C;
    dw[0] = x.a - z.a * S - z.v * y.v * C;
    dw[1] = y.a * c - y.v * x.v * s + z.a * s * C + z.v * (x.v * c * C - y.v * s * S);
    dw[2] = -y.a * s - y.v * x.v * c + z.a * c * C + z.v * (-x.v * s * C - y.v * c * S);
}

// R^T a with the quaternion.
static void into_body(const double *h, const double *a, double *out)
{
    const double x = -h[0], y = -h[1], z = -h[2], w = h[3];
    const double tx = 2 * (y * a[2] - z * a[1]), ty = 2 * (z * a[0] - x * a[2]),
                 tz = 2 * (x * a[1] - y * a[0]);
    out[0] = a[0] + w * tx + y * tz - z * ty;
    out[1] = a[1] + w * ty + z * tx - x * tz;
    out[2] = a[2] + w * tz + x * ty - y * tx;
}

// Seven numbers of q, six of qd and of qdd.
static void show_free(const source *s, const char *name, double *q, double *qd, double *qdd)
{
    const moving x = show_find(s, name, "x"), y = show_find(s, name, "y"),
                 z = show_find(s, name, "z");
    const double v[3] = {x.v, y.v, z.v}, a[3] = {x.a, y.a, z.a};
    show_turn(show_find(s, name, "rz"), show_find(s, name, "ry"), show_find(s, name, "rx"), q + 3,
              qd + 3, qdd + 3);
    q[0] = x.x, q[1] = y.x, q[2] = z.x;
    into_body(q + 3, v, qd);
    into_body(q + 3, a, qdd);
    const double *w = qd + 3;
    qdd[0] -= w[1] * qd[2] - w[2] * qd[1];
    qdd[1] -= w[2] * qd[0] - w[0] * qd[2];
    qdd[2] -= w[0] * qd[1] - w[1] * qd[0];
}

static void show_planar(const source *s, const char *name, double *q, double *qd, double *qdd)
{
    const moving x = show_find(s, name, "x"), y = show_find(s, name, "y"),
                 t = show_find(s, name, "rz");
    const double c = cos(t.x), n = sin(t.x);
    q[0] = x.x, q[1] = y.x, q[2] = t.x;
    qd[0] = c * x.v + n * y.v;
    qd[1] = -n * x.v + c * y.v;
    qd[2] = t.v;
    qdd[0] = c * x.a + n * y.a + t.v * qd[1];
    qdd[1] = -n * x.a + c * y.a - t.v * qd[0];
    qdd[2] = t.a;
}

static void show_put(double *q, double *qd, double *qdd, moving m)
{
    *q = m.x, *qd = m.v, *qdd = m.a;
}

static void show_set_base(const source *s, const arne_robot *shown, arne_work *work)
{
    double q[7], v[6], a[6];
    show_free(s, "base", q, v, a);
    const double      x = q[3], y = q[4], z = q[5], w = q[6];
    const arne_pose   X = {{{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                            {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                            {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}},
                           {q[0], q[1], q[2]}};
    const arne_motion twist = {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}},
                      rate = {{a[0], a[1], a[2]}, {a[3], a[4], a[5]}};
    arne_work_set_base(shown, work, &X, &twist, &rate);
}

void plan_show_base(const arne_robot *planned, const double *q, double *out)
{
    double       v[6], a[6];
    const source s = {planned, q, q, q}; // rates do not matter
    show_free(&s, "base", out, v, a);
}

void plan_show(const arne_robot *planned, const double *q, const double *qd, const double *qdd,
               const arne_robot *shown, arne_work *work, double *shown_q, double *shown_qd,
               double *shown_qdd)
{
    const source     s = {planned, q, qd, qdd};
    const arne_sizes size = arne_robot_sizes(shown), from = arne_robot_sizes(planned);
    for (int i = 0; i < size.joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(shown, i);
        double               *to_q = shown_q + j.q_start, *to_v = shown_qd + j.v_start,
               *to_a = shown_qdd + j.v_start;
        if (j.mimic >= 0) continue;
        if (j.kind == ARNE_JOINT_FREE) show_free(&s, j.name, to_q, to_v, to_a);
        if (j.kind == ARNE_JOINT_BALL)
            show_turn(show_find(&s, j.name, "rz"), show_find(&s, j.name, "ry"),
                      show_find(&s, j.name, "rx"), to_q, to_v, to_a);
        if (j.kind == ARNE_JOINT_PLANAR) show_planar(&s, j.name, to_q, to_v, to_a);
        if (j.kind == ARNE_JOINT_UNIVERSAL) show_put(to_q, to_v, to_a, show_find(&s, j.name, "rx"));
        if (j.kind == ARNE_JOINT_UNIVERSAL)
            show_put(to_q + 1, to_v + 1, to_a + 1, show_find(&s, j.name, "ry"));
        if (j.v_count == 1) show_put(to_q, to_v, to_a, show_find(&s, j.name, ""));
    }
    for (int i = 1; i <= size.theta_count; i++) // motors on springs stand at the tail
        show_put(shown_q + size.q_count - i, shown_qd + size.v_count - i,
                 shown_qdd + size.v_count - i,
                 (moving){q[from.v_count - i], qd[from.v_count - i], qdd[from.v_count - i]});
    if (arne_robot_base(shown) == ARNE_BASE_PRESCRIBED) show_set_base(&s, shown, work);
}
