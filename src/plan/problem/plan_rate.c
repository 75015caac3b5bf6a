// Torque rates and their gradients.
//
// Torques are functions tau(z) of positions, velocities, accelerations and forces of contacts, and
// of time where wrenches change. With z' the same columns one derivative later the rate is
//     r = dtau/dz z' + dtau/dt
// and the gradient of lambda . r is H z' + the gradient of lambda . tau, moved one derivative up, +
// that of lambda . dtau/dt; H are the second derivatives of lambda . tau, found by one call.
#include "plan/problem/plan_rate.h"
#include "math/vectors.h"
#include "plan/problem/geometry.h"
#include <string.h>

static arne_vec3 column3(const double *J, int v, int k)
{
    return (arne_vec3){J[k], J[v + k], J[2 * v + k]};
}

// ---- wrenches that change

// How wrench i changes, in the world, and the Jacobian of its point; 0: it does not.
static int changing(plan_state *s, int i, double *J, arne_wrench *out)
{
    const plan_wrench *w = &s->problem->wrenches[i];
    *out = plan_wrench_rate(s, i);
    if (w->count < 2 || !w->on[s->phase]) return 0;
    geometry_point(s, w->frame, w->point, J);
    if (w->in_frame) {
        const arne_mat3 R = arne_frame_pose(s->robot, s->work, w->frame).R;
        *out = (arne_wrench){out_of3(&R, out->lin), out_of3(&R, out->ang)};
    }
    return 1;
}

// out (v_count) += dtau/dt.
static void add_changes(plan_state *s, double *out)
{
    const int   v = s->problem->v_count;
    double     *J = s->at->matrices;
    arne_wrench f;
    for (int i = 0; i < s->problem->wrench_count; i++)
        for (int k = 0, any = changing(s, i, J, &f); any && k < v; k++)
            out[k] -= dot3(column3(J, v, k), f.lin) + dot3(column3(J + 3 * v, v, k), f.ang);
}

// D (v_count square) += d(dtau/dt)/dq. What is fixed in a frame turns with it.
static void add_changes_by_q(plan_state *s, double *D)
{
    const int   v = s->problem->v_count;
    double     *J = s->at->matrices;
    arne_wrench f;
    for (int i = 0; i < s->problem->wrench_count; i++) {
        if (!changing(s, i, J, &f)) continue;
        const geometry_place at = {s->problem->wrenches[i].frame, s->problem->wrenches[i].point};
        geometry_bend(s, &at, J, scale3(f.lin, -1), scale3(f.ang, -1), D);
        for (int k = 0; s->problem->wrenches[i].in_frame && k < v; k++) {
            const arne_vec3 w = column3(J + 3 * v, v, k);
            for (int l = 0; l < v; l++)
                D[l * v + k] -= dot3(column3(J, v, l), cross3(w, f.lin)) +
                                dot3(column3(J + 3 * v, v, l), cross3(w, f.ang));
        }
    }
}

// ---- the rate

// dtau_k/dz by column j of order o, of all planned coordinates.
static double rate_slope(const plan_state *s, int k, int o, int j)
{
    const int v = s->problem->v_count;
    if (j >= v) return o ? 0 : s->tau_f[k * s->problem->force_count + j - v];
    return (o == 0 ? s->tau_q : o == 1 ? s->tau_v : s->M)[k * v + j];
}

void plan_rate_values(plan_state *s, double *out)
{
    const int v = s->problem->v_count, n = s->problem->n;
    plan_torque_derivatives(s);
    memset(out, 0, (size_t)v * sizeof *out);
    for (int k = 0; k < v; k++)
        for (int o = 0; o < 3; o++)
            for (int j = 0; j < n; j++)
                out[k] += rate_slope(s, k, o, j) * s->z[(o + 1) * n + j];
    add_changes(s, out);
}

int plan_rate_scratch(const plan_problem *p)
{
    const int all = PLAN_ORDERS * p->n, v = p->v_count;
    return all * all + 5 * v * v + 5 * all + v;
}

int plan_rate_against(plan_state *s, const double *lambda, double *out)
{
    const plan_problem *p = s->problem;
    const int           v = p->v_count, n = p->n, all = PLAN_ORDERS * n;
    double             *H = s->at->own, *D = H + all * all;
    plan_torque_derivatives(s);
    plan_torque_curve(s, lambda, H, D + v * v);
    for (int c = 0; c < all; c++)
        for (int b = 0; b < 3 * n; b++)
            out[c] += H[c * all + b] * s->z[n + b];
    for (int o = 0; o < 3; o++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < v; k++)
                out[(o + 1) * n + j] += lambda[k] * rate_slope(s, k, o, j);
    memset(D, 0, (size_t)(v * v) * sizeof *D);
    add_changes_by_q(s, D);
    for (int k = 0; k < v; k++)
        for (int j = 0; j < v; j++)
            out[j] += lambda[k] * D[k * v + j];
    return 0;
}

void plan_rate_pattern(const plan_quantity *q, const plan_problem *p, unsigned char *out)
{
    const int n = p->n, v = p->v_count;
    for (int r = 0; r < q->rows; r++)
        for (int o = 0; o < PLAN_ORDERS; o++)
            memset(out + (r * PLAN_ORDERS + o) * n, 1, (size_t)(o < 2 ? n : v));
}
