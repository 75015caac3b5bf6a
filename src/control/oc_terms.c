// Terms of a knot: costs, and bounds by an augmented Lagrangian.
//
//     cost     1/2 w r^2                 gradient  J^T (w r)      Hessian  J^T w J
//     bounds   1/2 rho s^2,  s = t - clip(t, lower, upper),  t = r + y / rho
//                                                  J^T (rho s)             J^T rho J where s != 0
//
// y are multipliers; the next ones are rho s (Rockafellar 1973). Each term has its own rho, at
// first that of oc_penalty.c, which grows while its violation does not fall to a quarter from one
// update to the next. A friction cone is a bound of three rows together, with the nearest point of
// the cone as clip(t). The exact Hessian has sum of g_i d2r_i besides, where g are the factors of
// J^T: central differences of the sum of J^T g over all terms, along q, or along q, qd and u where
// accelerations enter.
#include "control/oc_terms.h"
#include <arne/integrate.h>
#include <math.h>
#include <string.h>

// Of J^T g, whose entries are of the size of J: the error is about 1e-10 of them.
static const double DIFFERENCE_STEP = 1e-5;
static const double PENALTY_FACTOR = 10, VIOLATION_DROP = 0.25;

// ---- costs and bounds ----

static double term_scale(const arne_oc *oc, const oc_term *t)
{
    return t->given.at_end ? 1 : oc->h;
}

static double *multipliers_at(const oc_term *t, int k)
{
    return t->multipliers ? t->multipliers + (ptrdiff_t)(k - t->first) * t->rows : NULL;
}

// Row i of a term: factors of its gradient and Hessian, and its value.
typedef struct row_cost {
    double gradient, hessian, value, plain, violation;
} row_cost;

static double beyond(double x, double low, double high)
{
    return x < low ? x - low : x > high ? x - high : 0;
}

static row_cost row_value(const arne_oc *oc, const oc_term *t, int k, int i, double r)
{
    const arne_oc_term *g = &t->given;
    const double       *w = quantity_at(g->weights, g->weights_stride, k);
    const double        weight = term_scale(oc, t) * g->weight * (w ? w[i] : 1);
    row_cost            c = {weight * r, weight, 0.5 * weight * r * r, 0.5 * weight * r * r, 0};
    const double       *y = multipliers_at(t, k);
    if (!y || t->penalty == 0) return c;
    const double *lower = quantity_at(g->lower, g->bounds_stride, k),
                 *upper = quantity_at(g->upper, g->bounds_stride, k);
    const double low = lower ? lower[i] : -INFINITY, high = upper ? upper[i] : INFINITY;
    const double s = beyond(r + y[i] / t->penalty, low, high);
    c.gradient += t->penalty * s;
    c.hessian += s != 0 || low == high ? t->penalty : 0;
    c.value += 0.5 * (t->penalty * s * s - y[i] * y[i] / t->penalty);
    c.violation = fabs(beyond(r, low, high));
    return c;
}

// ---- friction cones ----

typedef struct cone_cost {
    double gradient[3], hessian[9], value, violation;
    int    is_active;
} cone_cost;

// s = t - (the nearest point of the cone |t_t| <= t_n), with its derivatives D if not NULL. Returns
// whether t is outside.
static int cone_beyond(const double *normal, const double *t, double *s, double *D)
{
    const double n = t[0] * normal[0] + t[1] * normal[1] + t[2] * normal[2];
    double       side[3], size = 0;
    for (int i = 0; i < 3; i++) {
        side[i] = t[i] - n * normal[i];
        size += side[i] * side[i];
    }
    size = sqrt(size);
    const int inside = size <= n, at_tip = size <= -n;
    for (int i = 0; i < 3; i++) {
        const double e = inside || at_tip ? 0 : side[i] / size;
        s[i] = inside ? 0 : at_tip ? t[i] : 0.5 * (size - n) * (e - normal[i]);
        for (int j = 0; j < 3 && D; j++) {
            const double other = inside || at_tip ? 0 : side[j] / size;
            const double across = (i == j) - normal[i] * normal[j];
            D[3 * i + j] = inside   ? 0
                           : at_tip ? i == j
                                    : 0.5 * ((e - normal[i]) * (other - normal[j]) +
                                             (1 - n / size) * (across - e * other));
        }
    }
    return !inside;
}

// Of the rows in oc->r.
static cone_cost cone_value(const arne_oc *oc, const oc_term *t, int k)
{
    const double *normal =
        quantity_normal(quantity_at(t->given.reference, t->given.reference_stride, k));
    const double *y = multipliers_at(t, k);
    cone_cost     c = {.value = 0};
    if (t->penalty == 0) return c;
    double at[3], s[3];
    for (int i = 0; i < 3; i++)
        at[i] = oc->r[i] + y[i] / t->penalty;
    c.is_active = cone_beyond(normal, at, s, c.hessian);
    for (int i = 0; i < 9; i++)
        c.hessian[i] *= t->penalty;
    for (int i = 0; i < 3; i++) {
        c.gradient[i] = t->penalty * s[i];
        c.value += 0.5 * (t->penalty * s[i] * s[i] - y[i] * y[i] / t->penalty);
    }
    cone_beyond(normal, oc->r, s, NULL);
    c.violation = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
    return c;
}

static int cost_user(const arne_oc *oc, const oc_term *t, const at_knot *at, double *value,
                     double *gradient, double *hessian)
{
    const arne_oc_knot knot = {at->k, at->x, at->x + oc->nq, at->u};
    return t->given.cost(t->given.context, &knot, value, gradient, hessian);
}

static double cost_weight(const arne_oc *oc, const oc_term *t)
{
    return term_scale(oc, t) * (t->given.weight != 0 ? t->given.weight : 1);
}

static int term_is_here(const oc_term *t, int k) { return k >= t->first && k <= t->last; }

// States and controls of joints that add: the Jacobian is the identity.
static int term_is_simple(const arne_oc *oc, const oc_term *t)
{
    return t->given.quantity == ARNE_OC_CONTROL ||
           (t->given.quantity == ARNE_OC_STATE && oc->plain);
}

// The cost of the rows in oc->r of a term without bounds.
static double squares(const arne_oc *oc, const oc_term *t, int k)
{
    const double *w = quantity_at(t->given.weights, t->given.weights_stride, k);
    double        sum = 0;
    for (int i = 0; i < t->rows; i++)
        sum += (w ? w[i] : 1) * oc->r[i] * oc->r[i];
    return 0.5 * term_scale(oc, t) * t->given.weight * sum;
}

int terms_value(arne_oc *oc, int k, const double *x, const double *u, const double *p,
                double *merit, double *plain, double *violation)
{
    const at_knot at = {k, x, u, p};
    quantity_forget(oc);
    for (const oc_term *t = oc->terms; t < oc->terms + oc->term_count; t++) {
        if (!term_is_here(t, k)) continue;
        if (t->given.quantity == ARNE_OC_COST) {
            double value = 0;
            if (cost_user(oc, t, &at, &value, NULL, NULL)) return 1;
            *merit += cost_weight(oc, t) * value;
            *plain += cost_weight(oc, t) * value;
            continue;
        }
        if (quantity_rows(oc, t, &at, oc->r, NULL)) return 1;
        if (!t->multipliers) {
            const double sum = squares(oc, t, k);
            *merit += sum;
            *plain += sum;
            continue;
        }
        if (t->given.quantity == ARNE_OC_FRICTION) {
            const cone_cost c = cone_value(oc, t, k);
            *merit += c.value;
            *violation = fmax(*violation, c.violation);
            continue;
        }
        for (int i = 0; i < t->rows; i++) {
            const row_cost c = row_value(oc, t, k, i, oc->r[i]);
            *merit += c.value;
            *plain += c.plain;
            *violation = fmax(*violation, c.violation);
        }
    }
    return !isfinite(*merit);
}

static int expand_user(arne_oc *oc, const oc_term *t, const at_knot *at, double *z, double *Q)
{
    const int    n2 = 2 * oc->n, all = n2 + oc->nu, width = at->u ? all : n2;
    double      *gradient = oc->user, *hessian = gradient + all, value = 0;
    const double weight = cost_weight(oc, t);
    memset(gradient, 0, (size_t)(all * (all + 1)) * sizeof *gradient);
    if (cost_user(oc, t, at, &value, gradient, hessian)) return 1;
    for (int i = 0; i < width; i++) {
        const int row = i < n2 ? i : oc->nx + i - n2;
        z[row] += weight * gradient[i];
        for (int j = 0; j <= i; j++)
            Q[row * oc->ldz + (j < n2 ? j : oc->nx + j - n2)] += weight * hessian[i * all + j];
    }
    return 0;
}

// ---- curvature of quantities ----

// Whether second derivatives of a term can differ from zero, where its factors do.
static int term_is_curved(const arne_oc *oc, const oc_term *t, int k, const double *g)
{
    const arne_oc_quantity what = t->given.quantity;
    if (!term_is_here(t, k) || what == ARNE_OC_COST || term_is_simple(oc, t) ||
        what == ARNE_OC_RATE)
        return 0;
    for (int i = 0; i < t->rows; i++)
        if (g[i] != 0) return what < ARNE_OC_TORQUE || oc->by_acceleration;
    return 0;
}

// Those of torques come from a recursion, where it has the robot.
static int term_is_recursive(const arne_oc *oc, const oc_term *t)
{
    return t->given.quantity >= ARNE_OC_TORQUE && oc->recursive;
}

// out = sum of J^T g over all terms of the knot at the point z moved by s along its entry j.
static int pulled_terms(arne_oc *oc, const at_knot *at, int j, double s, double *out)
{
    const int n = oc->n, nz = at->u ? oc->nz : oc->nx;
    double   *x = oc->F, *along = x + oc->sx, *u = along + n;
    memcpy(x, at->x, (size_t)oc->sx * sizeof *x);
    if (at->u) memcpy(u, at->u, (size_t)oc->nu * sizeof *u);
    memset(along, 0, (size_t)n * sizeof *along);
    if (j < n) {
        along[j] = s;
        arne_integrate(oc->robot, at->x, along, x);
    } else if (j < 2 * n)
        x[oc->nq + j - n] += s;
    else
        u[j - oc->nx] += s;
    const at_knot moved = {at->k, x, at->u ? u : NULL, at->p};
    const double *g = oc->g;
    quantity_forget(oc);
    memset(out, 0, (size_t)oc->nz * sizeof *out);
    for (const oc_term *t = oc->terms; t < oc->terms + oc->term_count; g += t++->rows) {
        if (!term_is_curved(oc, t, at->k, g) || term_is_recursive(oc, t)) continue;
        if (quantity_rows(oc, t, &moved, oc->r, oc->J)) return 1;
        for (int i = 0; i < t->rows; i++)
            for (int c = 0; c < nz; c++)
                out[c] += g[i] * oc->J[i * oc->ldz + c];
    }
    return 0;
}

// Adds the second derivatives of all terms, with their factors oc->g kept.
static int expand_curvature(arne_oc *oc, const at_knot *at, double *Q)
{
    const int     n = oc->n, nz = at->u ? oc->nz : oc->nx;
    int           curved_terms = 0, wide = 0;
    const double *g = oc->g;
    for (const oc_term *t = oc->terms; t < oc->terms + oc->term_count; g += t++->rows) {
        const int is_curved = term_is_curved(oc, t, at->k, g);
        if (is_curved && term_is_recursive(oc, t)) {
            if (force_torque_curvature(oc, t, at, g, Q)) return 1;
            continue;
        }
        curved_terms |= is_curved;
        wide |= is_curved && quantity_depends(t->given.quantity) & ON_U;
    }
    double *side[2] = {oc->F + oc->sx + n + oc->nu, oc->F + oc->sx + n + oc->nu + oc->nz};
    for (int j = 0; j < (wide ? nz : n) && curved_terms; j++) {
        if (j >= 2 * n && j < oc->nx) continue; // the control before
        for (int s = 0; s < 2; s++)
            if (pulled_terms(oc, at, j, s ? DIFFERENCE_STEP : -DIFFERENCE_STEP, side[s])) return 1;
        for (int c = 0; c < nz; c++) {
            const double d = (side[1][c] - side[0][c]) / (2 * DIFFERENCE_STEP);
            const double part = c == j || (!wide && c >= n) ? 1 : 0.5; // pairs that come twice
            Q[(c > j ? c : j) * oc->ldz + (c > j ? j : c)] += part * d;
        }
    }
    quantity_forget(oc);
    return 0;
}

// ---- expansion ----

static void expand_diagonal(arne_oc *oc, const oc_term *t, int k, double *z, double *Q)
{
    const int first = t->given.quantity == ARNE_OC_CONTROL ? oc->nx : 0;
    for (int i = 0; i < t->rows; i++) {
        const row_cost c = row_value(oc, t, k, i, oc->r[i]);
        z[first + i] += c.gradient;
        Q[(first + i) * oc->ldz + first + i] += c.hessian;
    }
}

static void expand_cone(arne_oc *oc, const oc_term *t, int k, double *g, double *z, double *Q)
{
    const cone_cost c = cone_value(oc, t, k);
    memcpy(g, c.gradient, sizeof c.gradient);
    memset(oc->hJ, 0, (size_t)(3 * oc->ldz) * sizeof *oc->hJ);
    for (int i = 0; i < 3; i++)
        for (int m = 0; m < oc->nz; m++) {
            z[m] += g[i] * oc->J[i * oc->ldz + m];
            for (int j = 0; j < 3; j++)
                oc->hJ[i * oc->ldz + m] += c.hessian[3 * i + j] * oc->J[j * oc->ldz + m];
        }
    if (c.is_active)
        matrix_add_product(oc->robot, oc->nz, oc->nz, 3, oc->J, oc->ldz, oc->hJ, oc->ldz, Q,
                           oc->ldz, 1, 1);
}

// g: the factors of the rows, out.
static int expand_term(arne_oc *oc, const oc_term *t, const at_knot *at, double *g, double *z,
                       double *Q)
{
    const arne_oc_quantity quantity = t->given.quantity;
    const int              depends = quantity_depends(quantity), simple = term_is_simple(oc, t);
    if (quantity_rows(oc, t, at, oc->r, simple ? NULL : oc->J)) return 1;
    if (simple) {
        expand_diagonal(oc, t, at->k, z, Q);
        return 0;
    }
    if (quantity == ARNE_OC_FRICTION) {
        expand_cone(oc, t, at->k, g, z, Q);
        return 0;
    }
    const int width = depends == ON_Q            ? oc->n
                      : depends == (ON_Q | ON_V) ? 2 * oc->n
                      : at->u                    ? oc->nz
                                                 : oc->nx;
    int       kept = 0;
    for (int i = 0; i < t->rows; i++) {
        const row_cost c = row_value(oc, t, at->k, i, oc->r[i]);
        const double  *J = oc->J + i * oc->ldz;
        g[i] = c.gradient;
        if (c.gradient == 0 && c.hessian == 0) continue;
        double *from = oc->J + kept * oc->ldz, *scaled = oc->hJ + kept * oc->ldz;
        kept++;
        for (int m = 0; m < width; m++) {
            z[m] += c.gradient * J[m];
            scaled[m] = c.hessian * J[m];
        }
        if (from != J) memmove(from, J, (size_t)oc->ldz * sizeof *from);
        memset(scaled + width, 0, (size_t)(oc->ldz - width) * sizeof *scaled);
    }
    matrix_add_product(oc->robot, width, width, kept, oc->J, oc->ldz, oc->hJ, oc->ldz, Q, oc->ldz,
                       1, 1);
    return 0;
}

int terms_expand(arne_oc *oc, int k, const double *x, const double *u, const double *p, int exact,
                 double *z, double *Q)
{
    const at_knot at = {k, x, u, p};
    double       *g = oc->g;
    quantity_forget(oc);
    for (const oc_term *t = oc->terms; t < oc->terms + oc->term_count; g += t++->rows) {
        if (!term_is_here(t, k)) continue;
        if (t->given.quantity == ARNE_OC_COST ? expand_user(oc, t, &at, z, Q)
                                              : expand_term(oc, t, &at, g, z, Q))
            return 1;
    }
    return exact ? expand_curvature(oc, &at, Q) : 0;
}

void terms_set_penalty(arne_oc *oc, double penalty)
{
    for (oc_term *t = oc->terms; t < oc->terms + oc->term_count; t++) {
        t->penalty = t->penalty_first = penalty * term_scale(oc, t);
        t->violation = INFINITY;
    }
}

static int term_update(arne_oc *oc, oc_term *t, int k, double *violation)
{
    const double *u = k < oc->N ? oc->controls + (ptrdiff_t)k * oc->nu : NULL;
    const at_knot at = {k, oc->states + (ptrdiff_t)k * oc->sx, u, oc_before(oc, k)};
    const double *lower = quantity_at(t->given.lower, t->given.bounds_stride, k),
                 *upper = quantity_at(t->given.upper, t->given.bounds_stride, k);
    double *y = multipliers_at(t, k);
    quantity_forget(oc);
    if (quantity_rows(oc, t, &at, oc->r, NULL)) return 1;
    if (t->given.quantity == ARNE_OC_FRICTION) {
        const cone_cost c = cone_value(oc, t, k);
        memcpy(y, c.gradient, sizeof c.gradient);
        *violation = fmax(*violation, c.violation);
        return 0;
    }
    for (int i = 0; i < t->rows; i++) {
        const double low = lower ? lower[i] : -INFINITY, high = upper ? upper[i] : INFINITY;
        y[i] = t->penalty * beyond(oc->r[i] + y[i] / t->penalty, low, high);
        *violation = fmax(*violation, fabs(beyond(oc->r[i], low, high)));
    }
    return 0;
}

double terms_update_multipliers(arne_oc *oc, int harder)
{
    double most = 0;
    for (oc_term *t = oc->terms; t < oc->terms + oc->term_count; t++) {
        double violation = 0;
        if (!t->multipliers) continue;
        for (int k = t->first; k <= t->last; k++)
            if (term_update(oc, t, k, &violation)) return -1;
        if (harder && violation > VIOLATION_DROP * t->violation) t->penalty *= PENALTY_FACTOR;
        t->violation = violation;
        most = fmax(most, t->penalty);
    }
    return most;
}
