// The chain rule: from quantities at points to the objective, the constraints and their derivatives
// with respect to all variables. With B the basis, c the control points and w_k = B^(k)/T^k: z_k =
// w_k c, dz_k/dT = -k z_k/T, d2z_k/dc dT = -k w_k/T, d2z_k/dT2 = k (k + 1) z_k/T^2. A prescribed
// coordinate is z_k = f^(k)(u T): it has no control points, and dz_k/dT = u z_{k+1}. A point
// depends only on the control points whose basis functions are nonzero there.
#include "plan/transcription/assemble.h"
#include <math.h>
#include <string.h>

// ---- one point and the variables

// out += g dz/dx, with g a row over z; out is over all x.
static void assemble_chain(const plan_program *p, int point, const double *g, double *out)
{
    basis_weights w;
    double        second;
    const int     n = p->n, m = p->m, first = p->points[point].first;
    weights(p, point, w);
    for (int k = 0; k < PLAN_ORDERS; k++)
        for (int j = 0; j < n; j++) {
            const double d = g[k * n + j];
            if (d == 0) continue;
            for (int a = 0; a <= p->degree && !p->problem->prescribed[j].on; a++)
                out[j * m + first + a] += d * w[assemble_kind_of(p, j)][k][a];
            if (p->free_time)
                out[time_at(p, point)] += d * assemble_by_time(p, point, k, j, &second);
        }
}

// ---- objective

static double shape_value(const plan_objective *o, double x)
{
    if (o->shape == ARNE_OBJECTIVE_SQUARE) return x * x;
    if (o->shape == ARNE_OBJECTIVE_PLAIN) return x;
    if (o->shape == ARNE_OBJECTIVE_POWER) return pow(fabs(x), o->power);
    return sqrt(x * x + o->smooth * o->smooth) - o->smooth;
}

// The largest size of its rows in the motion that plan_set was given.
static double largest_row(plan_program *p, const plan_objective *o)
{
    double largest = 0;
    for (int k = 0; k < p->point_count; k++) {
        const int     here = assemble_share(p, o, k) != 0;
        const double *value = here ? plan_values(&p->states[k], o->quantity) : NULL;
        for (int r = 0; value && r < o->row_count; r++)
            if (isfinite(value[o->rows[r]])) largest = fmax(largest, fabs(value[o->rows[r]]));
    }
    return largest;
}

int plan_set_smoothing(plan_program *p, const double *x, double part)
{
    int count = 0;
    plan_set(p, x);
    for (int i = 0; i < p->problem->objective_count; i++) {
        plan_objective *o = &p->objectives[i];
        if (o->shape != ARNE_OBJECTIVE_ABSOLUTE || !o->own_smooth) continue;
        const double largest = largest_row(p, o);
        o->smooth = part * (largest > 0 ? largest : 0.1);
        count++;
    }
    return count;
}

// The weight of a phase's duration.
static double time_weight(const plan_program *p, int phase)
{
    return p->problem->time_weight + p->phases[phase].weight;
}

// The duration in the motion that plan_set was given.
static double plan_duration_now(const plan_program *p, int phase)
{
    return p->states[p->phases[phase].point].T;
}

int plan_objective_value(plan_program *p, double *out)
{
    double sum = 0;
    if (plan_know(p, KNOWN_VALUES)) return 1;
    for (int k = 0; k < p->phase_count; k++)
        sum += time_weight(p, k) * plan_duration_now(p, k);
    for (int i = 0; i < p->problem->objective_count; i++) {
        const plan_objective *o = &p->objectives[i];
        for (int k = 0; k < p->point_count; k++) {
            const double part = assemble_share(p, o, k);
            if (part == 0) continue;
            const double *value = plan_values(&p->states[k], o->quantity);
            if (!value) return 1;
            for (int r = 0; r < o->row_count; r++)
                sum += part * assemble_duration(o, &p->states[k]) * o->weights[r] *
                       shape_value(o, value[o->rows[r]]);
        }
    }
    *out = sum;
    return 0;
}

// The sum of an objective's rows at a point, and its gradient by z into g.
int plan_objective_at(plan_program *p, const plan_objective *o, int point, double *g, double *value)
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

int plan_objective_gradient(plan_program *p, double *out)
{
    const int all = PLAN_ORDERS * p->n;
    double   *g = p->workers[0].second, value;
    if (plan_know(p, KNOWN_GRADIENTS)) return 1;
    memset(out, 0, (size_t)p->x_count * sizeof *out);
    for (int k = 0; p->free_time && k < p->phase_count; k++)
        out[p->n * p->m + k] = time_weight(p, k);
    for (int i = 0; i < p->problem->objective_count; i++) {
        const plan_objective *o = &p->objectives[i];
        for (int k = 0; k < p->point_count; k++) {
            const double part = assemble_share(p, o, k);
            if (part == 0) continue;
            if (plan_objective_at(p, o, k, g, &value)) return 1;
            for (int c = 0; c < all; c++)
                g[c] *= part * assemble_duration(o, &p->states[k]);
            assemble_chain(p, k, g, out);
            if (p->free_time && assemble_has_time(o)) out[time_at(p, k)] += part * value;
        }
    }
    return 0;
}

// ---- constraints

int plan_rows(plan_program *p, double *out)
{
    if (plan_know(p, KNOWN_VALUES)) return 1;
    for (int i = 0; i < p->problem->constraint_count; i++) {
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
static void side_entries(const plan_program *p, int point, const unsigned char *pattern,
                         const double *g, double factor, int row, sink *to)
{
    basis_weights w;
    double        second, sum_T = 0;
    const int     n = p->n, m = p->m, alive = p->degree + 1;
    int           has_T = 0;
    if (g) weights(p, point, w);
    for (int j = 0; j < n; j++) {
        const int     kind = assemble_kind_of(p, j);
        const double *basis = kind ? p->points[point].force : p->points[point].basis;
        int           used = 0;
        for (int k = 0; k < PLAN_ORDERS; k++)
            used |= pattern[k * n + j] << k;
        if (!used) continue;
        has_T |= used > 1 || p->problem->prescribed[j].on;
        for (int k = 0; g && p->free_time && k < PLAN_ORDERS; k++)
            if (used >> k & 1) sum_T += g[k * n + j] * assemble_by_time(p, point, k, j, &second);
        for (int a = 0; a < alive && !p->problem->prescribed[j].on; a++) {
            int    touches = 0;
            double sum = 0;
            for (int k = 0; k < PLAN_ORDERS; k++) {
                if (!(used >> k & 1)) continue;
                touches |= basis[k * alive + a] != 0;
                if (g) sum += g[k * n + j] * w[kind][k][a];
            }
            if (!touches || p->still[j * m + p->points[point].first + a]) continue;
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

// The rows of a constraint at one of its points.
static void place_entries(const plan_program *p, const plan_constraint *c, int k, sink *to)
{
    const int     all = PLAN_ORDERS * p->n, a = c->points[k], b = c->other_points[k];
    const double *left = to->value ? p->states[a].gradient[c->quantity] : NULL;
    const double *right = to->value && c->other >= 0 ? p->states[b].gradient[c->other] : NULL;
    for (int r = 0; r < c->row_count; r++) {
        const int x = c->rows[r] * all, y = c->other < 0 ? 0 : c->other_rows[r] * all,
                  row = c->first_row + k * c->row_count + r;
        side_entries(p, a, p->patterns[c->quantity] + x, left ? left + x : NULL, 1, row, to);
        if (c->other >= 0)
            side_entries(p, b, p->patterns[c->other] + y, right ? right + y : NULL, -c->factors[r],
                         row, to);
    }
}

void plan_jacobian_structure(plan_program *p, int *row, int *column)
{
    sink to = {row, column, NULL, 0};
    int  place = 0;
    for (int i = 0; i < p->problem->constraint_count; i++) {
        plan_constraint *c = &p->constraints[i];
        c->first_place = place;
        for (int k = 0; k < c->point_count; k++) {
            p->jacobian_start[place++] = to.count;
            place_entries(p, c, k, &to);
        }
    }
    p->jacobian_count = to.count;
}

int plan_find_place(const plan_constraint *c, int point)
{
    int low = 0, high = c->point_count - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (c->points[middle] < point)
            low = middle + 1;
        else
            high = middle;
    }
    return high >= 0 && c->points[low] == point ? low : -1;
}

static void point_entries(plan_program *p, plan_worker *worker, int point, void *context)
{
    (void)worker;
    for (int i = 0; i < p->problem->constraint_count; i++) {
        const plan_constraint *c = &p->constraints[i];
        const int              k = plan_find_place(c, point);
        if (k < 0) continue;
        sink to = {NULL, NULL, context, p->jacobian_start[c->first_place + k]};
        place_entries(p, c, k, &to);
    }
}

int plan_jacobian(plan_program *p, double *out)
{
    if (plan_know(p, KNOWN_GRADIENTS)) return 1;
    plan_share(p, p->point_count, point_entries, out);
    return 0;
}
