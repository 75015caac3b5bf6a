// Second derivatives at one instant, with respect to z: exact where quantities have them (torques
// through the contracted second derivatives of inverse dynamics), by central differences of the
// exact gradient where not.
#include "plan/problem/plan_muscle.h"
#include <math.h>
#include <string.h>

int plan_is_linear(const plan_problem *p, const plan_quantity *q) { return q->linear && !p->map.n; }

void plan_curve_torque(plan_state *s, int coordinate, double lambda)
{
    s->at->lambda_tau[coordinate] += lambda;
}

// Of robots whose joints have none (rods): by differences of fourth order, in a column of q and one
// of qd at a time, of the exact gradient of lambda . tau.
static void second_by_differences(plan_state *s, const arne_load *loads, int load_count,
                                  const double *lambda, double *qq, double *qv, double *vv,
                                  double *qa)
{
    static const double weights[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    const int           n = s->problem->v_count;
    const size_t        square = (size_t)(n * n) * sizeof *qq;
    double *z = s->at->matrices + 4 * n * n, *g = z + 2 * n; // behind what rate_against keeps there
    memset(qq, 0, square), memset(qv, 0, square), memset(vv, 0, square), memset(qa, 0, square);
    memcpy(z, s->q, (size_t)n * sizeof *z);
    memcpy(z + n, s->qd, (size_t)n * sizeof *z);
    for (int c = 0; c < 2 * n; c++) {
        const double was = z[c], h = 1e-3 * fmax(1, fabs(was));
        const int    row = c % n * n;
        for (int i = 0; i < 4; i++) {
            z[c] = was + (i < 2 ? i - 2 : i - 1) * h;
            arne_inverse_dynamics_against(s->robot, s->work, z, z + n, s->qdd, loads, load_count,
                                          lambda, g, g + n, g + 2 * n);
            for (int k = 0; k < n; k++) {
                if (c < n) qq[row + k] += weights[i] / h * g[k];
                if (c < n) qa[row + k] += weights[i] / h * g[2 * n + k];
                (c < n ? qv : vv)[row + k] += weights[i] / h * g[n + k];
            }
        }
        z[c] = was;
    }
}

void plan_second_derivatives(plan_state *s, const arne_load *loads, int load_count,
                             const double *lambda, double *qq, double *qv, double *vv, double *qa)
{
    if (arne_second_derivatives(s->robot, s->work, s->q, s->qd, s->qdd, loads, load_count, lambda,
                                qq, qv, vv, qa, NULL) != ARNE_OK)
        second_by_differences(s, loads, load_count, lambda, qq, qv, vv, qa);
}

static void curve_torques(plan_state *s)
{
    const plan_problem *p = s->problem;
    const int           n = p->v_count, wide = p->n, all = PLAN_ORDERS * wide;
    double *qq = s->at->second, *qv = qq + n * n, *vv = qv + n * n, *qa = vv + n * n, any = 0;
    for (int j = 0; j < n; j++)
        any += fabs(s->at->lambda_tau[j]);
    if (any == 0) return;
    plan_wrench_loads(s);
    plan_second_derivatives(s, s->loads, s->load_count, s->at->lambda_tau, qq, qv, vv, qa);
    for (int j = 0; j < n; j++) {
        double *at_q = s->at->H + j * all, *at_v = s->at->H + (wide + j) * all,
               *at_a = s->at->H + (2 * wide + j) * all;
        for (int k = 0; k < n; k++) {
            at_q[k] += qq[j * n + k];
            at_q[wide + k] += qv[j * n + k];
            at_q[2 * wide + k] += qa[j * n + k];
            at_v[k] += qv[k * n + j];
            at_v[wide + k] += vv[j * n + k];
            at_a[k] += qa[k * n + j];
        }
    }
    plan_contact_curve(s);
    if (p->muscle_count) plan_muscle_curve(s);
    if (s->f_ext) plan_wrench_curve(s);
}

void plan_torque_curve(plan_state *s, const double *lambda, double *H, double *scratch)
{
    const int    v = s->problem->v_count, all = PLAN_ORDERS * s->problem->n;
    plan_worker *at = s->at;
    double      *was[3] = {at->H, at->lambda_tau, at->second};
    memset(H, 0, (size_t)(all * all) * sizeof *H);
    memcpy(scratch, lambda, (size_t)v * sizeof *lambda);
    at->H = H, at->lambda_tau = scratch, at->second = scratch + v;
    curve_torques(s);
    at->H = was[0], at->lambda_tau = was[1], at->second = was[2];
}

static int differs(const plan_program *p, int quantity, double *const *lambda)
{
    const plan_quantity *q = &p->problem->quantities[quantity];
    return lambda[quantity] && !plan_is_linear(p->problem, q) && (p->problem->map.n || !q->hessian);
}

// The gradient of all that has no second derivatives of its own, with one column of z moved.
static int moved_gradient(const plan_program *p, plan_state *s, double *const *lambda, double *z,
                          int column, double to, double *out)
{
    const double was = z[column];
    int          bad = 0;
    z[column] = to;
    plan_put(&s->at->moved, s->phase, s->u, s->T, z);
    z[column] = was;
    memset(out, 0, PLAN_ORDERS * (size_t)p->n * sizeof *out);
    for (int i = 0; i < p->problem->quantity_count && !bad; i++)
        if (differs(p, i, lambda)) bad = plan_against(&s->at->moved, i, lambda[i], out);
    return bad;
}

// Columns of z that these quantities depend on.
static void mark_columns(const plan_program *p, double *const *lambda, unsigned char *used)
{
    const int all = PLAN_ORDERS * p->n;
    memset(used, 0, (size_t)all);
    for (int i = 0; i < p->problem->quantity_count; i++)
        for (int r = 0; differs(p, i, lambda) && r < p->problem->quantities[i].rows; r++)
            for (int c = 0; lambda[i][r] != 0 && c < all; c++)
                used[c] |= p->patterns[i][r * all + c];
}

static int curve_by_differences(const plan_program *p, plan_state *s, double *const *lambda)
{
    const int      all = PLAN_ORDERS * p->n;
    double        *z = s->at->second, *up = z + all, *down = up + all;
    unsigned char *used = (unsigned char *)(down + all);
    mark_columns(p, lambda, used);
    memcpy(z, s->z, (size_t)all * sizeof *z);
    for (int c = 0; c < all; c++) {
        if (!used[c]) continue;
        const double step = 1e-5 * fmax(1, fabs(z[c]));
        if (moved_gradient(p, s, lambda, z, c, z[c] + step, up) ||
            moved_gradient(p, s, lambda, z, c, z[c] - step, down))
            return 1;
        for (int k = 0; k < all; k++) { // the mean of both sides of the diagonal
            const double d = 0.25 * (up[k] - down[k]) / step;
            s->at->H[c * all + k] += d;
            s->at->H[k * all + c] += d;
        }
    }
    return 0;
}

int plan_hessian(const plan_program *p, plan_state *s, double *const *lambda)
{
    const int all = PLAN_ORDERS * p->n;
    int       rest = 0;
    memset(s->at->H, 0, (size_t)(p->order_count * p->n * all) * sizeof *s->at->H);
    memset(s->at->lambda_tau, 0, (size_t)p->v_count * sizeof *s->at->lambda_tau);
    for (int i = 0; i < p->problem->quantity_count; i++) {
        const plan_quantity *q = &p->problem->quantities[i];
        if (!lambda[i] || plan_is_linear(p->problem, q)) continue;
        if (differs(p, i, lambda))
            rest = 1;
        else
            q->hessian(q, s, lambda[i]);
    }
    curve_torques(s);
    return rest && curve_by_differences(p, s, lambda);
}
