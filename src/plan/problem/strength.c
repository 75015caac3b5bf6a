// Torque limits that depend on angle and velocity: tables of what a joint can do, and the line
// between the stall torque and the no-load speed of a motor.
//
// Between the points of a table values are linear or cubic in both. Cubic ones go through the
// points with the slopes of parabolas through three neighbours, so that the slope is continuous
// too. Outside of a table what is at its border counts.
#include "plan/problem/strength.h"
#include "base/error.h"
#include "motion/drive_limits.h"
#include "plan/problem/plan_memory.h"
#include "plan/transcription/plan_loops.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct plan_strength {
    int     angle_count, velocity_count, cubic;
    double *angles, *velocities, *torques, *opposite; // opposite NULL: torques at -qd
    double  stall, no_load;                           // no_load 0: the tables
    double  most;                                     // the largest number
};

void plan_strength_free(plan_strength *t)
{
    if (!t) return;
    free(t->angles);
    free(t->velocities);
    free(t->torques);
    free(t->opposite);
    free(t);
}

// ---- along one axis

// value = sum of w[i] y[first + i], and its derivatives by x
typedef struct cut {
    int    first, count;
    double w[4], d[4], dd[4];
} cut;

// The slope at point i as a sum of values: adds factor times its weights to out.
static void add_slope(const double *x, int n, int i, const double factor[3], cut *out)
{
    const int a = i == 0 ? 0 : i == n - 1 ? n - 3 : i - 1; // the parabola through a, a + 1, a + 2
    const double h0 = x[a + 1] - x[a], h1 = x[a + 2] - x[a + 1], at = x[i];
    // The derivative of Lagrange's polynomials.
    const double w[3] = {(2 * at - x[a + 1] - x[a + 2]) / (h0 * (h0 + h1)),
                         -(2 * at - x[a] - x[a + 2]) / (h0 * h1),
                         (2 * at - x[a] - x[a + 1]) / (h1 * (h0 + h1))};
    for (int k = 0; k < 3; k++) {
        out->w[a + k - out->first] += factor[0] * w[k];
        out->d[a + k - out->first] += factor[1] * w[k];
        out->dd[a + k - out->first] += factor[2] * w[k];
    }
}

static void cut_cubic(const double *x, int n, int i, double t, double h, cut *out)
{
    const double value[2] = {2 * t * t * t - 3 * t * t + 1, -2 * t * t * t + 3 * t * t},
                 first[2] = {(6 * t * t - 6 * t) / h, (-6 * t * t + 6 * t) / h},
                 second[2] = {(12 * t - 6) / (h * h), (-12 * t + 6) / (h * h)};
    const double slope[2][3] = {
        {h * (t * t * t - 2 * t * t + t), 3 * t * t - 4 * t + 1, (6 * t - 4) / h},
        {h * (t * t * t - t * t), 3 * t * t - 2 * t, (6 * t - 2) / h}};
    out->first = i == 0 ? 0 : i - 1;
    out->count = n - out->first < 4 ? n - out->first : 4;
    for (int k = 0; k < 2; k++) {
        out->w[i + k - out->first] += value[k];
        out->d[i + k - out->first] += first[k];
        out->dd[i + k - out->first] += second[k];
        add_slope(x, n, i + k, slope[k], out);
    }
}

static cut cut_at(const double *x, int n, double at, int cubic)
{
    cut out = {0};
    if (n == 1 || at <= x[0] || at >= x[n - 1]) {
        out.first = n == 1 || at <= x[0] ? 0 : n - 1;
        out.count = 1;
        out.w[0] = 1;
        return out;
    }
    int i = 0;
    while (i + 2 < n && at >= x[i + 1])
        i++;
    const double h = x[i + 1] - x[i], t = (at - x[i]) / h;
    if (cubic && n > 2) {
        cut_cubic(x, n, i, t, h, &out);
        return out;
    }
    out.first = i;
    out.count = 2;
    out.w[0] = 1 - t, out.w[1] = t;
    out.d[0] = -1 / h, out.d[1] = 1 / h;
    return out;
}

// ---- in both

static strength_at strength_look(const plan_strength *t, const double *table, double q, double qd)
{
    const cut a = cut_at(t->angles, t->angle_count, q, t->cubic),
              b = cut_at(t->velocities, t->velocity_count, qd, t->cubic);
    strength_at out = {0};
    for (int i = 0; i < a.count; i++)
        for (int k = 0; k < b.count; k++) {
            const double y = table[(a.first + i) * t->velocity_count + b.first + k];
            out.value += a.w[i] * b.w[k] * y;
            out.q += a.d[i] * b.w[k] * y;
            out.v += a.w[i] * b.d[k] * y;
            out.qq += a.dd[i] * b.w[k] * y;
            out.qv += a.d[i] * b.d[k] * y;
            out.vv += a.w[i] * b.dd[k] * y;
        }
    return out;
}

strength_at plan_strength_at(const plan_strength *t, int side, double q, double qd)
{
    const double way = side ? -1 : 1;
    if (t->no_load > 0)
        return (strength_at){.value = t->stall * (1 - way * qd / t->no_load),
                             .v = -way * t->stall / t->no_load};
    if (!side || t->opposite) return strength_look(t, side ? t->opposite : t->torques, q, qd);
    strength_at out = strength_look(t, t->torques, q, -qd);
    out.v = -out.v;
    out.qv = -out.qv;
    return out;
}

double plan_strength_most(const plan_strength *t) { return t->most; }

int plan_strength_is_line(const plan_strength *t) { return t->no_load > 0; }

// ---- quantities

// What limits the torque of a coordinate at a state: on side 0 upwards, on side 1 downwards; value
// is infinite where nothing does.
static strength_at strength_limit(const plan_quantity *q, const plan_state *s, int k, int side,
                                  double *most)
{
    const plan_strength *t = s->problem->strengths ? s->problem->strengths[k] : NULL;
    const double         effort = ((const double *)q->data)[k];
    *most = t ? t->most : effort;
    return t ? plan_strength_at(t, side, s->q[k], s->qd[k]) : (strength_at){.value = effort};
}

// The limit that the torque is divided by, at least a thousandth of the largest: tables may fall to
// zero.
static strength_at over(const plan_quantity *q, const plan_state *s, int k, int *side)
{
    double most;
    *side = s->tau[k] < 0;
    strength_at at = strength_limit(q, s, k, *side, &most);
    if (at.value < 1e-3 * most) at = (strength_at){.value = 1e-3 * most};
    return at;
}

static int utilisation_values(const plan_quantity *q, plan_state *s, double *out)
{
    int side;
    plan_torques(s);
    for (int k = 0; k < s->problem->v_count; k++)
        out[k] = s->tau[k] / over(q, s, k, &side).value;
    return 0;
}

// row += factor times the gradient of the limit.
static void add_limit(const plan_state *s, const strength_at *at, int k, double factor, double *row)
{
    if (at->q != 0) plan_add_coordinate(s, 0, k, factor * at->q, row);
    if (at->v != 0) plan_add_coordinate(s, 1, k, factor * at->v, row);
}

static int utilisation_gradient(const plan_quantity *q, plan_state *s, double *out)
{
    plan_torques(s);
    plan_torque_derivatives(s);
    for (int k = 0; k < s->problem->v_count; k++) {
        int               side;
        const strength_at at = over(q, s, k, &side);
        double           *row = out + k * PLAN_ORDERS * plan_own(s->problem);
        plan_add_torque(s, k, 1 / at.value, row);
        if (isfinite(at.value)) add_limit(s, &at, k, -s->tau[k] / (at.value * at.value), row);
    }
    return 0;
}

static void utilisation_by_forces(const plan_quantity *q, plan_state *s, double *out)
{
    const plan_problem *p = s->problem;
    for (int k = 0; k < p->v_count; k++) {
        int          side;
        const double size = over(q, s, k, &side).value;
        for (int c = 0; c < p->force_count; c++)
            out[k * PLAN_ORDERS * p->n + p->v_count + c] = s->tau_f[k * p->force_count + c] / size;
    }
}

// d2(tau/S) = d2tau/S - (dtau dS + dS dtau)/S^2 - tau d2S/S^2 + 2 tau dS dS/S^3
static void utilisation_hessian(const plan_quantity *q, plan_state *s, const double *lambda)
{
    const int v = s->problem->v_count, n = s->problem->n, nf = s->problem->force_count;
    plan_torques(s);
    plan_torque_derivatives(s);
    for (int k = 0; k < v; k++) {
        int               side;
        const strength_at at = over(q, s, k, &side);
        if (lambda[k] == 0 || !isfinite(at.value)) continue;
        const double l = lambda[k] / at.value, S = at.value, tau = s->tau[k];
        const double by[2] = {at.q / S, at.v / S}, cross = at.qv / S;
        plan_curve_torque(s, k, l);
        for (int a = 0; a < 2; a++) {
            for (int c = 0; c < v; c++) {
                plan_curve(s, a * v + k, c, -l * by[a] * s->tau_q[k * v + c]);
                plan_curve(s, a * v + k, v + c, -l * by[a] * s->tau_v[k * v + c]);
                plan_curve(s, a * v + k, 2 * v + c, -l * by[a] * s->M[k * v + c]);
            }
            for (int c = 0; c < nf; c++)
                plan_curve_planned(s, a * n + k, v + c, -l * by[a] * s->tau_f[k * nf + c]);
        }
        plan_curve(s, k, k, 0.5 * l * tau * (2 * by[0] * by[0] - at.qq / S));
        plan_curve(s, v + k, v + k, 0.5 * l * tau * (2 * by[1] * by[1] - at.vv / S));
        plan_curve(s, k, v + k, l * tau * (2 * by[0] * by[1] - cross));
    }
}

// Rows of a margin: upwards, then downwards. How far a torque is from its limit, over the largest
// number of the table.
static int margin_values(const plan_quantity *q, plan_state *s, double *out)
{
    const int v = s->problem->v_count;
    plan_torques(s);
    for (int k = 0; k < 2 * v; k++) {
        double            most;
        const strength_at at = strength_limit(q, s, k % v, k / v, &most);
        out[k] = isfinite(most) ? (at.value - (k < v ? 1 : -1) * s->tau[k % v]) / most : 0;
    }
    return 0;
}

static int margin_gradient(const plan_quantity *q, plan_state *s, double *out)
{
    const int v = s->problem->v_count;
    plan_torque_derivatives(s);
    for (int r = 0; r < 2 * v; r++) {
        double            most;
        const strength_at at = strength_limit(q, s, r % v, r / v, &most);
        double           *row = out + r * PLAN_ORDERS * plan_own(s->problem);
        if (!isfinite(most)) continue;
        plan_add_torque(s, r % v, r < v ? -1 / most : 1 / most, row);
        add_limit(s, &at, r % v, 1 / most, row);
    }
    return 0;
}

static void margin_by_forces(const plan_quantity *q, plan_state *s, double *out)
{
    const plan_problem *p = s->problem;
    const int           v = p->v_count;
    for (int r = 0; r < 2 * v; r++) {
        double most;
        (void)strength_limit(q, s, r % v, r / v, &most);
        for (int c = 0; c < p->force_count && isfinite(most); c++)
            out[r * PLAN_ORDERS * p->n + v + c] =
                (r < v ? -1 : 1) * s->tau_f[r % v * p->force_count + c] / most;
    }
}

static void margin_hessian(const plan_quantity *q, plan_state *s, const double *lambda)
{
    const int v = s->problem->v_count;
    for (int r = 0; r < 2 * v; r++) {
        const int         k = r % v;
        double            most;
        const strength_at at = strength_limit(q, s, k, r / v, &most);
        if (lambda[r] == 0 || !isfinite(most)) continue;
        const double l = lambda[r] / most;
        plan_curve_torque(s, k, r < v ? -l : l);
        plan_curve(s, k, k, 0.5 * l * at.qq);
        plan_curve(s, v + k, v + k, 0.5 * l * at.vv);
        plan_curve(s, k, v + k, l * at.qv);
    }
}

arne_status plan_strength_quantity(const plan_problem *p, const arne_quantity *what,
                                   plan_quantity *out, arne_error *error)
{
    const int margin = what->kind == ARNE_QUANTITY_MARGIN;
    double   *efforts = calloc(2 * (size_t)p->v_count, sizeof *efforts);
    if (!efforts) return arne_fail_memory(error);
    arne_drive_limits(p->robot, efforts, efforts + p->v_count);
    *out = (plan_quantity){.kind = plan_kind_of((int)what->kind),
                           .rows = margin ? 2 * p->v_count : p->v_count,
                           .orders = 7,
                           .what = *what,
                           .data = efforts,
                           .release = free,
                           .values = margin ? margin_values : utilisation_values,
                           .gradient = margin ? margin_gradient : utilisation_gradient,
                           .by_forces = margin ? margin_by_forces : utilisation_by_forces,
                           .hessian = margin ? margin_hessian : utilisation_hessian};
    if (p->planned_from) plan_loop_quantity(out);
    snprintf(out->name, sizeof out->name, "%s", margin ? "margin" : "utilisation");
    return ARNE_OK;
}

// ---- making them

static arne_status strength_check_axis(const char *what, const double *x, int n, arne_error *error)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]) || (i && !(x[i] > x[i - 1])))
            return arne_fail(error, ARNE_VALUE, NULL, 0, "%s must be finite and rise", what);
    return ARNE_OK;
}

static arne_status strength_check(const arne_strength *s, arne_error *error)
{
    if (s->no_load != 0 || s->stall != 0)
        return s->stall > 0 && s->no_load > 0
                   ? ARNE_OK
                   : arne_fail(error, ARNE_VALUE, NULL, 0,
                               "a torque-speed line needs a positive stall torque and no-load "
                               "speed");
    if (!s->torques || s->angle_count < 0 || s->velocity_count < 0 ||
        (s->angle_count && !s->angles) || (s->velocity_count && !s->velocities))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "the table has no numbers");
    arne_status status = strength_check_axis("angles", s->angles, s->angle_count, error);
    if (!status)
        status = strength_check_axis("velocities", s->velocities, s->velocity_count, error);
    const int na = s->angle_count ? s->angle_count : 1,
              nb = s->velocity_count ? s->velocity_count : 1;
    for (int i = 0; i < na * nb && !status; i++)
        for (int k = 0; k < (s->opposite ? 2 : 1); k++) {
            const double x = (k ? s->opposite : s->torques)[i];
            if (!isfinite(x) || x < 0)
                return arne_fail(error, ARNE_VALUE, NULL, 0,
                                 "torques of a table must be finite and not negative, as %g is", x);
        }
    return status;
}

static plan_strength *strength_copy(const arne_strength *s)
{
    const double zero = 0;
    const int    na = s->angle_count ? s->angle_count : 1,
              nb = s->velocity_count ? s->velocity_count : 1;
    plan_strength *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    *t = (plan_strength){.angle_count = na,
                         .velocity_count = nb,
                         .cubic = s->cubic,
                         .stall = s->stall,
                         .no_load = s->no_load,
                         .most = s->stall};
    if (s->no_load > 0) return t;
    t->angles = plan_copy(s->angle_count ? s->angles : &zero, (size_t)na, sizeof zero);
    t->velocities = plan_copy(s->velocity_count ? s->velocities : &zero, (size_t)nb, sizeof zero);
    const size_t all = (size_t)na * (size_t)nb;
    t->torques = plan_copy(s->torques, all, sizeof zero);
    if (s->opposite) t->opposite = plan_copy(s->opposite, all, sizeof zero);
    if (!t->angles || !t->velocities || !t->torques || (s->opposite && !t->opposite)) {
        plan_strength_free(t);
        return NULL;
    }
    for (size_t i = 0; i < all; i++)
        t->most = fmax(t->most, fmax(s->torques[i], s->opposite ? s->opposite[i] : 0));
    return t;
}

arne_status arne_plan_set_strength(arne_plan *of_plan, int coordinate,
                                   const arne_strength *strength, arne_error *error)
{
    if (!of_plan || !strength) return arne_fail_null(error);
    plan_problem *plan = plan_change(of_plan);
    if (coordinate < 0 || coordinate >= plan->v_count)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "strength: there is no such coordinate");
    const arne_status status = strength_check(strength, error);
    if (status) return status;
    if (!plan->strengths) plan->strengths = calloc((size_t)plan->v_count, sizeof(plan_strength *));
    plan_strength *t = plan->strengths ? strength_copy(strength) : NULL;
    if (!t) return arne_fail_memory(error);
    if (!(t->most > 0)) {
        plan_strength_free(t);
        return arne_fail(error, ARNE_VALUE, NULL, 0, "a joint whose torques are all zero");
    }
    plan_strength_free(plan->strengths[coordinate]);
    plan->strengths[coordinate] = t;
    return ARNE_OK;
}
