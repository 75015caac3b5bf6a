// Evaluation: the way says how coordinates and rotations move, and here they become q, qd, qdd, ...
// in the robot's order, with velocities in body axes where joints have them so.
#include "motion/trajectory.h"

#include "base/error.h"
#include <arne/configuration.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- making ------------------------------------------------------------------------------------

// A universal joint is two plain coordinates; what follows the joints' entries in q is plain too.
static int list_parts(const arne_robot *robot, part *parts)
{
    const arne_sizes size = arne_robot_sizes(robot);
    int              count = 0, q_end = 0, v_end = 0;
    for (int i = 0; i < size.joint_count; i++) {
        const arne_joint_info joint = arne_robot_joint(robot, i);
        if (!joint.v_count) continue;
        const arne_joint_kind_info *kind = arne_joint_kind_facts(joint.kind);
        const int                   pieces = kind->has_body_axes ? 1 : kind->q_count;
        for (int k = 0; k < pieces; k++)
            parts[count++] = (part){joint.kind, joint.q_start + k, joint.v_start + k, i};
        if (joint.q_start + joint.q_count > q_end) q_end = joint.q_start + joint.q_count;
        if (joint.v_start + joint.v_count > v_end) v_end = joint.v_start + joint.v_count;
    }
    for (; q_end < size.q_count; q_end++, v_end++)
        parts[count++] = (part){ARNE_JOINT_REVOLUTE, q_end, v_end, -1};
    return count;
}

arne_status trajectory_new(const arne_robot *robot, const way *moves, const double *from,
                           size_t numbers, arne_trajectory **out, arne_error *error)
{
    const arne_sizes size = arne_robot_sizes(robot);
    const size_t     q = (size_t)size.q_count;
    arne_trajectory *path = calloc(1, sizeof *path);
    if (!path) return arne_fail_memory(error);
    path->way = moves;
    path->q_count = size.q_count;
    path->v_count = size.v_count;
    path->parts = calloc(q + 1, sizeof *path->parts);
    path->from = calloc(q + numbers + 1, sizeof *path->from);
    if (!path->parts || !path->from) {
        arne_trajectory_free(path);
        return arne_fail_memory(error);
    }
    path->part_count = list_parts(robot, path->parts);
    path->numbers = path->from + q;
    if (from)
        memcpy(path->from, from, q * sizeof *from);
    else
        arne_neutral(robot, path->from);
    arne_normalize(robot, path->from);
    *out = path;
    return ARNE_OK;
}

void arne_trajectory_free(arne_trajectory *path)
{
    if (!path) return;
    free(path->parts);
    free(path->from);
    free(path->profiles);
    free(path->paces);
    arne_bspline_free(path->basis);
    free(path);
}

arne_status trajectory_check_point(const arne_robot *robot, const double *q, const char *which,
                                   arne_error *error)
{
    const int count = arne_robot_sizes(robot).q_count;
    for (int i = 0; i < count; i++)
        if (!isfinite(q[i]))
            return arne_fail(error, ARNE_VALUE, NULL, 0, "%s: entry %d is not finite", which,
                             i + 1);
    const double off = arne_quaternion_error(robot, q);
    if (fabs(off) <= 1e-6) return ARNE_OK;
    return arne_fail(error, ARNE_VALUE, NULL, 0, "%s: a quaternion has length %.9g, not 1", which,
                     1 + off);
}

double arne_trajectory_duration(const arne_trajectory *path)
{
    return path->start + (path->paces ? path->pace_end : path->duration);
}

void arne_trajectory_delay(arne_trajectory *path, double start) { path->start = start; }

// --- evaluating --------------------------------------------------------------------------------

// The caller's arrays; v[k] is the (k + 1)-th derivative, NULL where it is not wanted. Where the
// place is not the time, by[k][i] is how much of the derivative i along the path is in derivative k
// over time.
typedef struct wanted {
    double *q, *v[RATES];
    int     is_paced;
    double  by[RATES][RATES];
} wanted;

pace pace_after(const pace *p, double time)
{
    pace out;
    for (int k = 0; k < ORDERS; k++) {
        double sum = 0;
        for (int i = ORDERS - 1; i > k; i--)
            sum = (sum + p->x[i]) * time / (i - k);
        out.x[k] = sum + p->x[k];
    }
    return out;
}

// The place at a time; the chain rule is in out->by.
static double trajectory_find_place(const arne_trajectory *path, double t, wanted *out)
{
    const double clipped = fmin(fmax(t, 0), path->pace_end);
    const int    last = path->pace_count - 1, k = (int)(clipped / path->pace_time);
    const int    at = k < last ? k : last;
    const pace   p = pace_after(&path->paces[at], clipped - at * path->pace_time);
    const double s = p.x[1], c = p.x[2], u = p.x[3], w = p.x[4];
    out->is_paced = 1;
    out->by[0][0] = s;
    out->by[1][0] = c;
    out->by[1][1] = s * s;
    out->by[2][0] = u;
    out->by[2][1] = 3 * s * c;
    out->by[2][2] = s * s * s;
    out->by[3][0] = w;
    out->by[3][1] = 4 * s * u + 3 * c * c;
    out->by[3][2] = 6 * s * s * c;
    out->by[3][3] = s * s * s * s;
    if (t < 0 || t > path->pace_end) memset(out->by, 0, sizeof out->by);
    return p.x[0];
}

static void trajectory_put(const wanted *out, int at, const double *rates)
{
    for (int k = 0; k < RATES; k++) {
        if (!out->v[k]) continue;
        out->v[k][at] = rates[k];
        if (!out->is_paced) continue;
        out->v[k][at] = 0;
        for (int i = 0; i <= k; i++)
            out->v[k][at] += out->by[k][i] * rates[i];
    }
}

static void put_vector(const wanted *out, int at, const vec3 rates[RATES], int count)
{
    double row[3][RATES];
    for (int k = 0; k < RATES; k++) {
        row[0][k] = vx(rates[k]);
        row[1][k] = vy(rates[k]);
        row[2][k] = vz(rates[k]);
    }
    for (int i = 0; i < count; i++)
        trajectory_put(out, at + i, row[i]);
}

// Position in the joint's frame, of which the velocity is in body axes.
static void put_translation(const arne_trajectory *path, const moment *m, int index, int count,
                            const turning *r, const wanted *out)
{
    const part *p = &path->parts[index];
    double      y[3][ORDERS] = {{0}};
    vec3        rates[RATES], body[RATES];
    for (int i = 0; i < count; i++) {
        path->way->coordinate(path, m, index, p->q_start + i, y[i]);
        if (out->q) out->q[p->q_start + i] = y[i][0];
    }
    for (int k = 0; k < RATES; k++)
        rates[k] = v3(y[0][k + 1], y[1][k + 1], y[2][k + 1]);
    turning_into(r, rates, body);
    put_vector(out, p->v_start, body, count);
}

static void put_planar(const arne_trajectory *path, const moment *m, int index, const wanted *out)
{
    const part  *p = &path->parts[index];
    const double upright[4] = {0, 0, 0, 1};
    turning      r = turning_at(upright);
    double       angle[ORDERS];
    path->way->coordinate(path, m, index, p->q_start + 2, angle);
    turning_add(&r, v3(0, 0, 1), angle);
    if (out->q) out->q[p->q_start + 2] = angle[0];
    trajectory_put(out, p->v_start + 2, angle + 1);
    put_translation(path, m, index, 2, &r, out);
}

static void put_rotation(const arne_trajectory *path, const moment *m, int index, const wanted *out)
{
    const part   *p = &path->parts[index];
    const int     at = part_quaternion(p);
    const turning r = path->way->rotation(path, m, index);
    if (out->q) memcpy(out->q + p->q_start + at, r.h, sizeof r.h);
    put_vector(out, p->v_start + at, r.w, 3);
    if (part_plain(p) > 0) put_translation(path, m, index, 3, &r, out);
}

void arne_trajectory_evaluate(const arne_trajectory *path, double t, double *q, double *qd,
                              double *qdd, double *qddd, double *qdddd)
{
    wanted out = {q, {qd, qdd, qddd, qdddd}, 0, {{0}}};
    moment m;
    m.t = path->paces ? trajectory_find_place(path, t - path->start, &out) : t - path->start;
    if (path->way->begin) path->way->begin(path, &m);
    for (int i = 0; i < path->part_count; i++) {
        const part *p = &path->parts[i];
        double      y[ORDERS];
        if (part_is_planar(p)) {
            put_planar(path, &m, i, &out);
        } else if (part_quaternion(p) >= 0) {
            put_rotation(path, &m, i, &out);
        } else {
            path->way->coordinate(path, &m, i, p->q_start, y);
            if (q) q[p->q_start] = y[0];
            trajectory_put(&out, p->v_start, y + 1);
        }
    }
}
