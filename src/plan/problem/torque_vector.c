// Torques of joints that turn about three axes, as components of one vector.
//
// Three revolute joints in a row whose axes meet, e1 across e2 and e2 across e3, stand for a ball.
// Of the moment m between its bodies they show tau_i = e_i . m. Where e3 nears e1, two of these say
// the same, and nothing charges the moment across both. The components of m along e1, e2 and e1 x
// e2 are
//     tau1, tau2, (tau3 - s tau1)/c,   s = e1 . e3,   c = (e1 x e2) . e3,   s^2 + c^2 = 1
// With the angle q2 of the joint between, ds/dq2 = c and dc/dq2 = -s. So for m3, the last of them,
//     dm3 = (dtau3 - s dtau1)/c + g dq2,   g = s/c m3 - tau1
//     dg = (s dtau3 - dtau1)/c^2 + (m3/c^2 + s/c g) dq2
#include "plan/problem/torque_vector.h"
#include "base/error.h"
#include "base/random.h"
#include "math/vectors.h"
#include "plan/problem/geometry.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct triple {
    int first, middle, last, frame; // coordinates; the link that the last one moves
} triple;

typedef struct torque_triples {
    int    count;
    triple list[];
} torque_triples;

static const double AT_RIGHT_ANGLES = 1e-9;

// ---- which they are

static int joint_before(const arne_robot *robot, int joint)
{
    const int parent = arne_robot_joint(robot, joint).parent;
    for (int i = 0; i < arne_robot_sizes(robot).joint_count; i++)
        if (arne_robot_joint(robot, i).child == parent) return i;
    return -1;
}

static int turns(const arne_joint_info *j)
{
    return (j->kind == ARNE_JOINT_REVOLUTE || j->kind == ARNE_JOINT_CONTINUOUS) && j->mimic < 0 &&
           j->v_count == 1;
}

static arne_vec3 axis_at(const double *J, int v, int k)
{
    const double *turn = J + 3 * v;
    return (arne_vec3){turn[k], turn[v + k], turn[2 * v + k]};
}

// At a random posture: axes meet at right angles, first with middle and middle with last.
static int meets(const plan_problem *p, const triple *t, const int frames[3], double *q, double *J)
{
    const int v = p->v_count;
    uint64_t  seed = 1;
    for (int k = 0; k < v; k++)
        q[k] = random_between(&seed, -1, 1);
    arne_kinematics(p->robot, p->work, q, NULL, NULL);
    arne_jacobian(p->robot, p->work, q, t->frame, ARNE_AXES_ALIGNED, J);
    const arne_vec3 e1 = axis_at(J, v, t->first), e2 = axis_at(J, v, t->middle),
                    e3 = axis_at(J, v, t->last), o = arne_frame_pose(p->robot, p->work, t->frame).p;
    int fine = fabs(dot3(e1, e2)) < AT_RIGHT_ANGLES && fabs(dot3(e2, e3)) < AT_RIGHT_ANGLES;
    for (int i = 0; i < 2; i++)
        fine &= norm3(sub3(arne_frame_pose(p->robot, p->work, frames[i]).p, o)) < AT_RIGHT_ANGLES;
    return fine;
}

static torque_triples *triples_find(const plan_problem *p)
{
    const int       count = arne_robot_sizes(p->robot).joint_count, v = p->v_count;
    torque_triples *out = calloc(1, sizeof *out + (size_t)count * sizeof out->list[0]);
    double         *q = malloc(7 * (size_t)v * sizeof *q + 1);
    for (int i = 0; out && q && i < count; i++) {
        const int middle = joint_before(p->robot, i);
        const int first = middle < 0 ? -1 : joint_before(p->robot, middle);
        if (first < 0) continue;
        const arne_joint_info a = arne_robot_joint(p->robot, first),
                              b = arne_robot_joint(p->robot, middle),
                              c = arne_robot_joint(p->robot, i);
        const triple t = {a.v_start, b.v_start, c.v_start, c.child};
        if (turns(&a) && turns(&b) && turns(&c) &&
            meets(p, &t, (const int[3]){a.child, b.child, c.child}, q, q + v))
            out->list[out->count++] = t;
    }
    if (!q) free(out), out = NULL;
    free(q);
    return out;
}

// ---- the quantity

typedef struct across {
    double s, c, m, g;
} across;

static across across_at(plan_state *s, const triple *t)
{
    const int v = s->problem->v_count;
    double   *J = s->at->matrices;
    (void)geometry_point(s, t->frame, (arne_vec3){0, 0, 0}, J);
    const arne_vec3 e1 = axis_at(J, v, t->first), e3 = axis_at(J, v, t->last);
    across          a = {.s = dot3(e1, e3), .c = dot3(cross3(e1, axis_at(J, v, t->middle)), e3)};
    a.m = (s->tau[t->last] - a.s * s->tau[t->first]) / a.c;
    a.g = a.s / a.c * a.m - s->tau[t->first];
    return a;
}

static int vector_values(const plan_quantity *q, plan_state *s, double *out)
{
    const torque_triples *all = q->data;
    plan_torques(s);
    memcpy(out, s->tau, (size_t)q->rows * sizeof *out);
    for (int i = 0; i < all->count; i++)
        out[all->list[i].last] = across_at(s, &all->list[i]).m;
    return 0;
}

static int vector_gradient(const plan_quantity *q, plan_state *s, double *out)
{
    const torque_triples *all = q->data;
    const int             wide = PLAN_ORDERS * s->problem->v_count;
    plan_torques(s);
    plan_torque_derivatives(s);
    for (int k = 0; k < q->rows; k++)
        plan_add_torque(s, k, 1, out + k * wide);
    for (int i = 0; i < all->count; i++) {
        const triple *t = &all->list[i];
        const across  a = across_at(s, t);
        double       *row = out + t->last * wide;
        plan_add_torque(s, t->last, 1 / a.c - 1, row);
        plan_add_torque(s, t->first, -a.s / a.c, row);
        plan_add_coordinate(s, 0, t->middle, a.g, row);
    }
    return 0;
}

static void vector_by_forces(const plan_quantity *q, plan_state *s, double *out)
{
    const torque_triples *all = q->data;
    const int             v = s->problem->v_count, n = s->problem->n, nf = s->problem->force_count;
    for (int k = 0; k < q->rows; k++)
        memcpy(out + k * PLAN_ORDERS * n + v, s->tau_f + k * nf, (size_t)nf * sizeof *out);
    for (int i = 0; i < all->count; i++) {
        const triple *t = &all->list[i];
        const across  a = across_at(s, t);
        for (int c = 0; c < nf; c++)
            out[t->last * PLAN_ORDERS * n + v + c] =
                (s->tau_f[t->last * nf + c] - a.s * s->tau_f[t->first * nf + c]) / a.c;
    }
}

static void vector_hessian(const plan_quantity *q, plan_state *s, const double *lambda)
{
    const torque_triples *all = q->data;
    const int             v = s->problem->v_count, nf = s->problem->force_count;
    plan_torques(s);
    plan_torque_derivatives(s);
    for (int k = 0; k < q->rows; k++)
        plan_curve_torque(s, k, lambda[k]);
    for (int i = 0; i < all->count; i++) {
        const triple *t = &all->list[i];
        const across  a = across_at(s, t);
        const double  l = lambda[t->last], square = a.c * a.c;
        const double *from[3] = {s->tau_q, s->tau_v, s->M};
        plan_curve_torque(s, t->last, l / a.c - l);
        plan_curve_torque(s, t->first, -l * a.s / a.c);
        for (int o = 0; o < 3; o++)
            for (int c = 0; c < v; c++)
                plan_curve(s, t->middle, o * v + c,
                           l / square *
                               (a.s * from[o][t->last * v + c] - from[o][t->first * v + c]));
        for (int c = 0; c < nf; c++)
            plan_curve_planned(
                s, t->middle, v + c,
                l / square * (a.s * s->tau_f[t->last * nf + c] - s->tau_f[t->first * nf + c]));
        plan_curve(s, t->middle, t->middle, 0.5 * l * (a.m / square + a.s / a.c * a.g));
    }
}

int plan_counts_across(const plan_quantity *torque_vector, int coordinate)
{
    const torque_triples *all = torque_vector->data;
    for (int i = 0; i < all->count; i++)
        if (all->list[i].last == coordinate) return 1;
    return 0;
}

arne_status plan_torque_vector(const plan_problem *p, const arne_quantity *what, plan_quantity *out,
                               arne_error *error)
{
    if (p->map.n || arne_robot_sizes(p->robot).loop_count)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "torque_vector is not known along paths and of robots with loops");
    torque_triples *triples = triples_find(p);
    if (!triples) return arne_fail_memory(error);
    *out = (plan_quantity){.name = "torque_vector",
                           .kind = plan_kind_of((int)what->kind),
                           .rows = p->v_count,
                           .orders = 7,
                           .what = *what,
                           .data = triples,
                           .release = free,
                           .values = vector_values,
                           .gradient = vector_gradient,
                           .by_forces = vector_by_forces,
                           .hessian = vector_hessian};
    return ARNE_OK;
}
