// From what quantities are at each point to the objective, the constraints and their derivatives by
// all variables.
//
// With B the basis, c the control points and w_k = B^(k)/T^k:  z_k = w_k c,  dz_k/dT = -k z_k/T,
// d2z_k/dc dT = -k w_k/T,  d2z_k/dT2 = k (k + 1) z_k/T^2. A coordinate that is prescribed is z_k =
// f^(k)(u T): it has no control points, and dz_k/dT = u z_{k+1}. A grid point touches only the
// control points that are alive there.
#include "plan/problem/plan.h"
#include <math.h>
#include <string.h>

enum { MOST_ALIVE = 10 };

// ---- one point and the variables

// w_k of all alive functions: of the robot's coordinates, and of forces.
typedef double basis_weights[2][PLAN_ORDERS][MOST_ALIVE];

static void weights(const arne_plan *p, int point, basis_weights w)
{
    const double T = p->states[point].T;
    for (int of = 0; of < (p->force_count ? 2 : 1); of++) {
        const double *basis = of ? p->points[point].force : p->points[point].basis;
        double        scale = 1;
        for (int k = 0; k < PLAN_ORDERS; k++, scale /= T)
            for (int a = 0; a <= p->degree; a++)
                w[of][k][a] = scale * basis[k * (p->degree + 1) + a];
    }
}

// Which of the two a coordinate has.
static int kind_of(const arne_plan *p, int coordinate)
{
    return coordinate >= p->n - p->force_count;
}

// The duration that counts at a point, among the variables.
static int time_at(const arne_plan *p, int point) { return p->n * p->m + p->points[point].phase; }

// dz/dT and d2z/dT2 of column (k, j).
static double by_time(const arne_plan *p, int point, int k, int j, double *second)
{
    const plan_state *s = &p->states[point];
    const double      z = s->z[k * p->n + j];
    if (p->prescribed[j].on) {
        *second = s->u * s->u * plan_prescribed_at(&p->prescribed[j], s->u * s->T, k + 2);
        return s->u * plan_prescribed_at(&p->prescribed[j], s->u * s->T, k + 1);
    }
    *second = k * (k + 1) * z / (s->T * s->T);
    return -k * z / s->T;
}

// out += g dz/dx, with g a row over z; out is over all x.
static void chain(const arne_plan *p, int point, const double *g, double *out)
{
    basis_weights w;
    double        second;
    const int     n = p->n, m = p->m, first = p->points[point].first;
    weights(p, point, w);
    for (int k = 0; k < PLAN_ORDERS; k++)
        for (int j = 0; j < n; j++) {
            const double d = g[k * n + j];
            if (d == 0) continue;
            for (int a = 0; a <= p->degree && !p->prescribed[j].on; a++)
                out[j * m + first + a] += d * w[kind_of(p, j)][k][a];
            if (p->free_time) out[time_at(p, point)] += d * by_time(p, point, k, j, &second);
        }
}

// ---- objective

static double shape_value(const plan_objective *o, double x)
{
    if (o->shape == ARNE_OBJECTIVE_SQUARE) return x * x;
    if (o->shape == ARNE_OBJECTIVE_PLAIN) return x;
    return sqrt(x * x + o->smooth * o->smooth) - o->smooth;
}

static double shape_slope(const plan_objective *o, double x)
{
    if (o->shape == ARNE_OBJECTIVE_SQUARE) return 2 * x;
    if (o->shape == ARNE_OBJECTIVE_PLAIN) return 1;
    return x / sqrt(x * x + o->smooth * o->smooth);
}

static double shape_bend(const plan_objective *o, double x)
{
    if (o->shape == ARNE_OBJECTIVE_SQUARE) return 2;
    if (o->shape == ARNE_OBJECTIVE_PLAIN) return 0;
    const double r = sqrt(x * x + o->smooth * o->smooth);
    return o->smooth * o->smooth / (r * r * r);
}

// The factor of an objective's rows at a point, without T; 0: it does not look there.
static double share(const arne_plan *p, const plan_objective *o, int point)
{
    if (o->point >= 0) return o->point == point;
    return o->phase < 0 || o->phase == p->points[point].phase ? p->points[point].weight : 0;
}

void plan_set_smoothing(arne_plan *p)
{
    plan_set(p, p->x);
    for (int i = 0; i < p->objective_count; i++) {
        plan_objective *o = &p->objectives[i];
        double          largest = 0;
        if (o->shape != ARNE_OBJECTIVE_ABSOLUTE || !o->own_smooth) continue;
        for (int k = 0; k < p->point_count; k++) {
            const int     here = share(p, o, k) != 0;
            const double *value = here ? plan_values(&p->states[k], o->quantity) : NULL;
            for (int r = 0; value && r < o->row_count; r++)
                if (isfinite(value[o->rows[r]])) largest = fmax(largest, fabs(value[o->rows[r]]));
        }
        o->smooth = fmax(1e-3, 0.01 * largest);
    }
}

// The weight of a phase's duration.
static double time_weight(const arne_plan *p, int phase)
{
    return p->time_weight + p->phases[phase].weight;
}

// The duration in the motion that plan_set was given.
static double plan_duration_now(const arne_plan *p, int phase)
{
    return p->states[p->phases[phase].point].T;
}

int plan_objective_value(arne_plan *p, double *out)
{
    double sum = 0;
    for (int k = 0; k < p->phase_count; k++)
        sum += time_weight(p, k) * plan_duration_now(p, k);
    for (int i = 0; i < p->objective_count; i++) {
        const plan_objective *o = &p->objectives[i];
        for (int k = 0; k < p->point_count; k++) {
            const double part = share(p, o, k);
            if (part == 0) continue;
            const double *value = plan_values(&p->states[k], o->quantity);
            if (!value) return 1;
            for (int r = 0; r < o->row_count; r++)
                sum += part * (o->point < 0 ? p->states[k].T : 1) * o->weights[r] *
                       shape_value(o, value[o->rows[r]]);
        }
    }
    *out = sum;
    return 0;
}

// The sum of an objective's rows at a point, and its gradient by z into g.
static int objective_at(arne_plan *p, const plan_objective *o, int point, double *g, double *value)
{
    plan_state   *s = &p->states[point];
    const int     all = PLAN_ORDERS * p->n;
    const double *x = plan_values(s, o->quantity), *dx = plan_gradient(s, o->quantity);
    memset(g, 0, (size_t)all * sizeof *g);
    *value = 0;
    if (!x || !dx) return 1;
    for (int r = 0; r < o->row_count; r++) {
        const int    row = o->rows[r];
        const double slope = o->weights[r] * shape_slope(o, x[row]);
        *value += o->weights[r] * shape_value(o, x[row]);
        for (int c = 0; c < all; c++)
            g[c] += slope * dx[row * all + c];
    }
    return 0;
}

int plan_objective_gradient(arne_plan *p, double *out)
{
    const int all = PLAN_ORDERS * p->n;
    double   *g = p->second, value;
    memset(out, 0, (size_t)p->x_count * sizeof *out);
    for (int k = 0; p->free_time && k < p->phase_count; k++)
        out[p->n * p->m + k] = time_weight(p, k);
    for (int i = 0; i < p->objective_count; i++) {
        const plan_objective *o = &p->objectives[i];
        for (int k = 0; k < p->point_count; k++) {
            const double part = share(p, o, k);
            if (part == 0) continue;
            if (objective_at(p, o, k, g, &value)) return 1;
            for (int c = 0; c < all; c++)
                g[c] *= part * (o->point < 0 ? p->states[k].T : 1);
            chain(p, k, g, out);
            if (p->free_time && o->point < 0) out[time_at(p, k)] += part * value;
        }
    }
    return 0;
}

// ---- constraints

int plan_rows(arne_plan *p, double *out)
{
    for (int i = 0; i < p->constraint_count; i++) {
        const plan_constraint *c = &p->constraints[i];
        for (int k = 0; k < c->point_count; k++) {
            const double *left = plan_values(&p->states[c->points[k]], c->quantity);
            const double *right =
                c->other < 0 ? left : plan_values(&p->states[c->other_points[k]], c->other);
            if (!left || !right) return 1;
            for (int r = 0; r < c->row_count; r++)
                *out++ =
                    left[c->rows[r]] - (c->other < 0 ? 0 : c->factors[r] * right[c->other_rows[r]]);
        }
    }
    return 0;
}

// Where the entries of the Jacobian go: their places, their values, or only their number.
typedef struct sink {
    int    *row, *column;
    double *value;
    int     count;
} sink;

// The entries of one side of a row. g is its gradient by z, NULL for the structure.
static void side_entries(const arne_plan *p, int point, const unsigned char *pattern,
                         const double *g, double factor, int row, sink *to)
{
    basis_weights w;
    double        second, sum_T = 0;
    const int     n = p->n, m = p->m, alive = p->degree + 1;
    int           has_T = 0;
    if (g) weights(p, point, w);
    for (int j = 0; j < n; j++) {
        const int     kind = kind_of(p, j);
        const double *basis = kind ? p->points[point].force : p->points[point].basis;
        int           used = 0;
        for (int k = 0; k < PLAN_ORDERS; k++)
            used |= pattern[k * n + j] << k;
        if (!used) continue;
        has_T |= used > 1 || p->prescribed[j].on;
        for (int k = 0; g && p->free_time && k < PLAN_ORDERS; k++)
            if (used >> k & 1) sum_T += g[k * n + j] * by_time(p, point, k, j, &second);
        for (int a = 0; a < alive && !p->prescribed[j].on; a++) {
            int    touches = 0;
            double sum = 0;
            for (int k = 0; k < PLAN_ORDERS; k++) {
                if (!(used >> k & 1)) continue;
                touches |= basis[k * alive + a] != 0;
                if (g) sum += g[k * n + j] * w[kind][k][a];
            }
            if (!touches) continue;
            if (to->value) to->value[to->count] = factor * sum;
            if (to->row) to->row[to->count] = row;
            if (to->column) to->column[to->count] = j * m + p->points[point].first + a;
            to->count++;
        }
    }
    if (!p->free_time || !has_T) return;
    if (to->value) to->value[to->count] = factor * sum_T;
    if (to->row) to->row[to->count] = row;
    if (to->column) to->column[to->count] = time_at(p, point);
    to->count++;
}

static int jacobian_entries(arne_plan *p, sink *to)
{
    const int all = PLAN_ORDERS * p->n;
    int       row = 0;
    for (int i = 0; i < p->constraint_count; i++) {
        const plan_constraint *c = &p->constraints[i];
        for (int k = 0; k < c->point_count; k++) {
            const int     a = c->points[k], b = c->other_points[k];
            const double *left = to->value ? plan_gradient(&p->states[a], c->quantity) : NULL;
            const double *right =
                to->value && c->other >= 0 ? plan_gradient(&p->states[b], c->other) : NULL;
            if (to->value && (!left || (c->other >= 0 && !right))) return 1;
            for (int r = 0; r < c->row_count; r++, row++) {
                const int x = c->rows[r] * all, y = c->other_rows[r] * all;
                side_entries(p, a, p->patterns[c->quantity] + x, left ? left + x : NULL, 1, row,
                             to);
                if (c->other >= 0)
                    side_entries(p, b, p->patterns[c->other] + y, right ? right + y : NULL,
                                 -c->factors[r], row, to);
            }
        }
    }
    return 0;
}

void plan_jacobian_structure(arne_plan *p, int *row, int *column)
{
    sink to = {row, column, NULL, 0};
    jacobian_entries(p, &to);
    p->jacobian_count = to.count;
}

int plan_jacobian(arne_plan *p, double *out)
{
    sink to = {NULL, NULL, out, 0};
    return jacobian_entries(p, &to);
}

// ---- Hessian of the Lagrangian

static int phase_of(const arne_plan *p, int control_point)
{
    int k = 0;
    while (k + 1 < p->phase_count && control_point >= p->phases[k + 1].first)
        k++;
    return k;
}

void plan_hessian_structure(arne_plan *p, int *row, int *column)
{
    const int n = p->n, m = p->m, band = 2 * p->degree + 1;
    for (int j = 0; j < n; j++)
        for (int l = 0; l <= j; l++)
            for (int i = 0; i < m; i++)
                for (int d = 0; d < band; d++) {
                    const int at = p->hessian_at[((j * n + l) * m + i) * band + d];
                    if (at < 0) continue;
                    row[at] = j * m + i;
                    column[at] = l * m + i + d - p->degree;
                }
    for (int i = 0; p->free_time && i < p->x_count; i++)
        if (p->hessian_T[i] >= 0) {
            row[p->hessian_T[i]] = i < n * m ? n * m + phase_of(p, i % m) : i;
            column[p->hessian_T[i]] = i;
        }
}

// The multipliers of all rows of all quantities at all points.
static void gather(arne_plan *p, int total, const int *start, const double *multipliers)
{
    memset(p->lambda, 0, (size_t)total * (size_t)p->point_count * sizeof *p->lambda);
    for (int i = 0; i < p->constraint_count; i++) {
        const plan_constraint *c = &p->constraints[i];
        for (int k = 0; k < c->point_count; k++)
            for (int r = 0; r < c->row_count; r++) {
                const double y = multipliers[c->first_row + k * c->row_count + r];
                p->lambda[c->points[k] * total + start[c->quantity] + c->rows[r]] += y;
                if (c->other >= 0)
                    p->lambda[c->other_points[k] * total + start[c->other] + c->other_rows[r]] -=
                        c->factors[r] * y;
            }
    }
}

// Objectives at a point: multipliers of their rows into lambda; their gradient without T (of
// integrals) into by_T.
static int gather_objectives(arne_plan *p, int point, double factor, const int *start,
                             double *lambda, double *by_T)
{
    const int all = PLAN_ORDERS * p->n;
    double   *g = p->second, value;
    memset(by_T, 0, (size_t)all * sizeof *by_T);
    for (int i = 0; i < p->objective_count; i++) {
        const plan_objective *o = &p->objectives[i];
        const double          part = factor * share(p, o, point);
        if (part == 0) continue;
        if (objective_at(p, o, point, g, &value)) return 1;
        const double *x = plan_values(&p->states[point], o->quantity);
        for (int c = 0; o->point < 0 && c < all; c++)
            by_T[c] += part * g[c];
        for (int r = 0; r < o->row_count; r++)
            lambda[start[o->quantity] + o->rows[r]] +=
                part * (o->point < 0 ? p->states[point].T : 1) * o->weights[r] *
                shape_slope(o, x[o->rows[r]]);
    }
    return 0;
}

// H += the products of gradients that squares leave.
static void bend(arne_plan *p, int point, double factor)
{
    plan_state *s = &p->states[point];
    const int   all = PLAN_ORDERS * p->n;
    for (int i = 0; i < p->objective_count; i++) {
        const plan_objective *o = &p->objectives[i];
        const double          part = factor * share(p, o, point) * (o->point < 0 ? s->T : 1);
        if (part == 0 || o->shape == ARNE_OBJECTIVE_PLAIN) continue;
        const double *x = plan_values(s, o->quantity), *g = plan_gradient(s, o->quantity);
        for (int r = 0; r < o->row_count; r++) {
            const double *row = g + o->rows[r] * all;
            const double  c = part * o->weights[r] * shape_bend(o, x[o->rows[r]]);
            for (int a = 0; a < all; a++)
                for (int b = 0; row[a] != 0 && b < all; b++)
                    p->H[a * all + b] += c * row[a] * row[b];
        }
    }
}

static int bends(const arne_plan *p, int point)
{
    int any = 0;
    for (int i = 0; i < p->objective_count; i++)
        any |= p->objectives[i].shape != ARNE_OBJECTIVE_PLAIN &&
               share(p, &p->objectives[i], point) != 0;
    return any;
}

// Control points with control points.
static void spread_points(const arne_plan *p, int point, basis_weights w, double *out)
{
    const int n = p->n, m = p->m, all = PLAN_ORDERS * n, alive = p->degree + 1,
              band = 2 * p->degree + 1;
    const int first = p->points[point].first;
    for (int j = 0; j < n; j++)
        for (int l = 0; l <= j; l++) {
            if (!p->coupled[j * n + l] || p->prescribed[j].on || p->prescribed[l].on) continue;
            for (int b = 0; b < alive; b++) {
                double t[PLAN_ORDERS] = {0};
                for (int k = 0; k < PLAN_ORDERS; k++)
                    for (int o = 0; o < PLAN_ORDERS; o++)
                        t[k] += p->H[(k * n + j) * all + o * n + l] * w[kind_of(p, l)][o][b];
                const int *at = p->hessian_at + (size_t)((j * n + l) * m) * (size_t)band;
                for (int a = j == l ? b : 0; a < alive; a++) {
                    double sum = 0;
                    for (int k = 0; k < PLAN_ORDERS; k++)
                        sum += w[kind_of(p, j)][k][a] * t[k];
                    out[at[(first + a) * band + b - a + p->degree]] += sum;
                }
            }
        }
}

// T with control points and with itself. g: the Lagrangian's gradient by z; by_T: as
// gather_objectives says.
static void spread_time(const arne_plan *p, int point, basis_weights w, const double *g,
                        const double *by_T, double *out)
{
    const int    n = p->n, m = p->m, all = PLAN_ORDERS * n, first = p->points[point].first;
    const double T = p->states[point].T;
    double      *zT = p->second, *HzT = zT + all, sum = 0, second;
    for (int c = 0; c < all; c++) {
        zT[c] = by_time(p, point, c / n, c % n, &second);
        sum += g[c] * second + 2 * by_T[c] * zT[c];
    }
    for (int c = 0; c < all; c++) {
        HzT[c] = 0;
        for (int b = 0; b < all; b++)
            HzT[c] += p->H[c * all + b] * zT[b];
        sum += HzT[c] * zT[c];
        const int k = c / n, j = c % n;
        if (p->prescribed[j].on) continue;
        const double d = HzT[c] - k * g[c] / T + by_T[c];
        for (int a = 0; a <= p->degree; a++)
            out[p->hessian_T[j * m + first + a]] += d * w[kind_of(p, j)][k][a];
    }
    out[p->hessian_T[time_at(p, point)]] += sum;
}

static int lagrangian_at(arne_plan *p, int point, double factor, int total, const int *start,
                         double *out)
{
    const int     all = PLAN_ORDERS * p->n;
    plan_state   *s = &p->states[point];
    double       *by_T = p->by_T, *g = by_T + all, *lambda = p->lambda + point * total;
    basis_weights w;
    if (gather_objectives(p, point, factor, start, lambda, by_T)) return 1;
    memset(g, 0, (size_t)all * sizeof *g);
    int any = bends(p, point);
    for (int i = 0; i < p->quantity_count; i++) {
        double sum = 0;
        for (int r = 0; r < p->quantities[i].rows; r++)
            sum += fabs(lambda[start[i] + r]);
        p->lambda_of[i] = sum > 0 ? lambda + start[i] : NULL;
        any |= sum > 0;
        if (sum == 0) continue;
        const double *d = plan_gradient(s, i);
        if (!d) return 1;
        for (int r = 0; p->free_time && r < p->quantities[i].rows; r++)
            for (int c = 0; lambda[start[i] + r] != 0 && c < all; c++)
                g[c] += lambda[start[i] + r] * d[r * all + c];
    }
    if (!any) return 0;
    if (plan_hessian(s, p->lambda_of)) return 1;
    bend(p, point, factor);
    weights(p, point, w);
    spread_points(p, point, w, out);
    if (p->free_time) spread_time(p, point, w, g, by_T, out);
    return 0;
}

int plan_lagrangian(arne_plan *p, double factor, const double *multipliers, double *out)
{
    int total = 0;
    for (int i = 0; i < p->quantity_count; i++) {
        p->quantity_start[i] = total;
        total += p->quantities[i].rows;
    }
    memset(out, 0, (size_t)p->hessian_count * sizeof *out);
    gather(p, total, p->quantity_start, multipliers);
    for (int k = 0; k < p->point_count; k++)
        if (lagrangian_at(p, k, factor, total, p->quantity_start, out)) return 1;
    return 0;
}
