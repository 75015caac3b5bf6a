// Compliant contacts of a plan: forces that are functions of the motion.
//
// The law is that of simulations (math/press.h) with its positive parts smoothed, so that second
// derivatives exist. For a point at the height h above the surface, which moves over it with v:
//     d = (sqrt(h^2 + s^2) - h)/2,   y = 1 - 1.5 c v_n
//     f_n = k d^1.5 (y + sqrt(y^2 + 0.01))/2,   f_t = -mu f_n v_t / sqrt(|v_t|^2 + w^2)
// With x = (h, v), f(x) in the axes of the contact and J = dp/dq of the point p, torques are those
// of inverse dynamics less J^T f. Of lambda . J^T f = y . f, y = J lambda, the second derivatives
// are those of y with f held, those of f (through x) with y held, and the products of both slopes.
#include "plan/problem/plan_press.h"
#include "math/vectors.h"
#include "plan/problem/geometry.h"
#include "plan/problem/plan_jet.h"
#include <math.h>
#include <string.h>

enum { PRESS_X = 4 }; // h, then the velocity along the two tangents and the normal

// (sqrt(a^2 + s^2) + a)/2
static jet press_positive(const jet *a, double s)
{
    const double r = sqrt(a->v * a->v + s * s);
    const double value = a->v < 0 ? 0.5 * s * s / (r - a->v) : 0.5 * (r + a->v);
    return jet_function(a, value, value / r, 0.5 * s * s / (r * r * r));
}

// Components along the axes of the contact.
static void press_law(const plan_touch *t, const double x[PRESS_X], jet f[3])
{
    const double k = t->stiffness, w = t->slip_velocity;
    const jet    one = jet_constant(1), h = jet_variable(x[0], 0), v_n = jet_variable(x[3], 3);
    const jet    v[2] = {jet_variable(x[1], 1), jet_variable(x[2], 2)};
    const jet    depth = jet_sum(-1, &h, 0, &h), y = jet_sum(1, &one, -1.5 * t->dissipation, &v_n);
    const jet    d = press_positive(&depth, t->smoothing), damped = press_positive(&y, 0.1);
    const double root = sqrt(d.v);
    const jet    elastic = jet_function(&d, k * d.v * root, 1.5 * k * root, 0.75 * k / root);
    f[2] = jet_product(&elastic, &damped);
    const jet    a = jet_product(&v[0], &v[0]), b = jet_product(&v[1], &v[1]);
    const jet    square = jet_sum(1, &a, 1, &b);
    const double all = square.v + w * w, r = 1 / sqrt(all);
    const jet    part = jet_function(&square, r, -0.5 * r / all, 0.75 * r / (all * all));
    const jet    limit = jet_product(&f[2], &part);
    for (int c = 0; c < 2; c++) {
        const jet along = jet_product(&limit, &v[c]);
        f[c] = jet_sum(-t->friction, &along, 0, &along);
    }
}

// A contact at a state, in the memory of a worker (behind the 23 v_count of geometry.c).
typedef struct press {
    const plan_touch *t;
    geometry_place    at;
    double           *J, *turned; // 6 and 3 x v_count: of the point, and d(J lambda)/dq
    double *x_q, *f_q, *f_v, *B;  // 4, 3, 3 x v_count: dx/dq, df/dq, df/dqd; v_count x v_count
    jet     f[3];
} press;

static arne_vec3 press_world(const plan_touch *t, const double f[3])
{
    return add3(scale3(t->axes[0], f[0]), add3(scale3(t->axes[1], f[1]), scale3(t->axes[2], f[2])));
}

static press press_look(plan_state *s, int contact)
{
    const int v = s->problem->v_count;
    double   *J = s->at->matrices, *free = J + 23 * v;
    press     e = {.t = &s->problem->touches[contact],
                   .J = J,
                   .turned = J + 6 * v,
                   .x_q = free,
                   .f_q = free + 4 * v,
                   .f_v = free + 7 * v,
                   .B = free + 10 * v};
    e.at = (geometry_place){e.t->frame, e.t->point};
    const arne_vec3 p = geometry_point(s, e.at.frame, e.at.point, J);
    double          move[3] = {0, 0, 0}, x[PRESS_X];
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < v; k++)
            move[r] += J[r * v + k] * s->qd[k];
    const arne_vec3 over = sub3((arne_vec3){move[0], move[1], move[2]}, e.t->plane_velocity);
    x[0] = dot3(e.t->axes[2], sub3(p, e.t->plane_point));
    for (int c = 0; c < 3; c++)
        x[1 + c] = dot3(e.t->axes[c], over);
    press_law(e.t, x, e.f);
    return e;
}

static arne_vec3 press_of(const press *e)
{
    return press_world(e->t, (const double[3]){e->f[0].v, e->f[1].v, e->f[2].v});
}

static arne_vec3 column3(const double *J, int v, int k)
{
    return (arne_vec3){J[k], J[v + k], J[2 * v + k]};
}

// dx/dq, then how the force in the world changes, by q and by qd.
static void press_slopes(plan_state *s, const press *e)
{
    const int v = s->problem->v_count;
    geometry_turned(s, &e->at, e->J, s->qd, e->turned);
    for (int k = 0; k < v; k++) {
        const arne_vec3 d = column3(e->J, v, k), w = column3(e->turned, v, k);
        double          f_q[3] = {0, 0, 0}, f_v[3] = {0, 0, 0};
        e->x_q[k] = dot3(e->t->axes[2], d);
        for (int c = 0; c < 3; c++)
            e->x_q[(1 + c) * v + k] = dot3(e->t->axes[c], w);
        for (int r = 0; r < 3; r++) {
            for (int i = 0; i < PRESS_X; i++)
                f_q[r] += e->f[r].g[i] * e->x_q[i * v + k];
            for (int c = 0; c < 3; c++)
                f_v[r] += e->f[r].g[1 + c] * dot3(e->t->axes[c], d);
        }
        const arne_vec3 by_q = press_world(e->t, f_q), by_v = press_world(e->t, f_v);
        e->f_q[k] = by_q.x, e->f_q[v + k] = by_q.y, e->f_q[2 * v + k] = by_q.z;
        e->f_v[k] = by_v.x, e->f_v[v + k] = by_v.y, e->f_v[2 * v + k] = by_v.z;
    }
}

arne_vec3 plan_press_force(plan_state *s, int contact)
{
    const press e = press_look(s, contact);
    return press_of(&e);
}

void plan_press_torques(plan_state *s, int contact)
{
    const press     e = press_look(s, contact);
    const arne_vec3 f = press_of(&e);
    for (int k = 0; k < s->problem->v_count; k++)
        s->tau[k] -= dot3(column3(e.J, s->problem->v_count, k), f);
}

void plan_press_derivatives(plan_state *s, int contact)
{
    const press     e = press_look(s, contact);
    const arne_vec3 none = {0, 0, 0};
    const int       v = s->problem->v_count;
    press_slopes(s, &e);
    geometry_bend(s, &e.at, e.J, scale3(press_of(&e), -1), none, s->tau_q);
    for (int k = 0; k < v; k++)
        for (int l = 0; l < v; l++) {
            const arne_vec3 d = column3(e.J, v, k);
            s->tau_q[k * v + l] -= dot3(d, column3(e.f_q, v, l));
            s->tau_v[k * v + l] -= dot3(d, column3(e.f_v, v, l));
        }
}

// Adds the second derivatives of w . x, w by the axes of the contact: of h, and of velocities by q,
// by q and qd.
static void press_curve_x(plan_state *s, const press *e, const double w[PRESS_X])
{
    const int       v = s->problem->v_count, n = s->problem->n, all = PLAN_ORDERS * n;
    const arne_vec3 none = {0, 0, 0}, by_v = press_world(e->t, w + 1);
    geometry_curve(s, &e->at, e->J, s->qd, by_v, none);
    for (int of = 0; of < 2; of++) {
        const arne_vec3 f = of ? by_v : scale3(e->t->axes[2], w[0]);
        memset(e->B, 0, (size_t)(v * v) * sizeof *e->B);
        geometry_bend(s, &e->at, e->J, f, none, e->B);
        for (int k = 0; k < v; k++)
            for (int l = 0; l < v; l++) {
                const double d = e->B[k * v + l]; // of J_k . f by q_l
                if (!of) s->at->H[k * all + l] += d;
                if (of) s->at->H[(n + k) * all + l] += d, s->at->H[l * all + n + k] += d;
            }
    }
}

void plan_press_curve(plan_state *s, int contact)
{
    const press     e = press_look(s, contact);
    const int       v = s->problem->v_count, n = s->problem->n, all = PLAN_ORDERS * n;
    const arne_vec3 none = {0, 0, 0};
    double          y[3] = {0, 0, 0}, w[PRESS_X] = {0}, W[PRESS_X][PRESS_X] = {{0}}, *H = s->at->H;
    press_slopes(s, &e);
    for (int k = 0; k < v; k++)
        for (int c = 0; c < 3; c++)
            y[c] -= s->at->lambda_tau[k] * dot3(e.t->axes[c], column3(e.J, v, k));
    for (int i = 0; i < PRESS_X; i++)
        for (int c = 0; c < 3; c++) {
            w[i] += y[c] * e.f[c].g[i];
            for (int k = 0; k < PRESS_X; k++)
                W[i][k] += y[c] * e.f[c].h[i][k];
        }
    geometry_curve(s, &e.at, e.J, s->at->lambda_tau, scale3(press_of(&e), -1), none);
    press_curve_x(s, &e, w);
    geometry_turned(s, &e.at, e.J, s->at->lambda_tau, e.turned);
    for (int a = 0; a < 2 * v; a++)
        for (int b = 0; b < 2 * v; b++) { // q, then qd
            const int k = a % v, l = b % v;
            double    d = 0, x[2][PRESS_X] = {{0}};
            for (int c = 0; c < 3; c++) {
                x[0][1 + c] = dot3(e.t->axes[c], column3(e.J, v, k));
                x[1][1 + c] = dot3(e.t->axes[c], column3(e.J, v, l));
            }
            for (int i = 0; i < PRESS_X; i++) {
                if (a < v) x[0][i] = e.x_q[i * v + k];
                if (b < v) x[1][i] = e.x_q[i * v + l];
            }
            for (int i = 0; i < PRESS_X * PRESS_X; i++)
                d += W[i / PRESS_X][i % PRESS_X] * x[0][i / PRESS_X] * x[1][i % PRESS_X];
            if (a < v) d -= dot3(column3(e.turned, v, k), column3(b < v ? e.f_q : e.f_v, v, l));
            if (b < v) d -= dot3(column3(e.turned, v, l), column3(a < v ? e.f_q : e.f_v, v, k));
            H[(a < v ? k : n + k) * all + (b < v ? l : n + l)] += d;
        }
}

// ---- the force as a quantity

static int press_values(const plan_quantity *q, plan_state *s, double *out)
{
    const arne_vec3 f = plan_press_force(s, q->what.joint);
    out[0] = f.x, out[1] = f.y, out[2] = f.z;
    return 0;
}

static int press_gradient(const plan_quantity *q, plan_state *s, double *out)
{
    const press e = press_look(s, q->what.joint);
    const int   v = s->problem->v_count;
    press_slopes(s, &e);
    for (int r = 0; r < 3; r++) {
        memcpy(out + r * PLAN_ORDERS * v, e.f_q + r * v, (size_t)v * sizeof *out);
        memcpy(out + r * PLAN_ORDERS * v + v, e.f_v + r * v, (size_t)v * sizeof *out);
    }
    return 0;
}

void plan_press_quantity(const arne_quantity *what, plan_quantity *out)
{
    *out = (plan_quantity){.name = "contact_force",
                           .kind = plan_kind_of((int)what->kind),
                           .rows = 3,
                           .orders = 3,
                           .what = *what,
                           .values = press_values,
                           .gradient = press_gradient};
}
