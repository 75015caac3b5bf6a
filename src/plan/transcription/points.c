// The instants at which anything is asked, what each of them needs, and which entries the derivatives have.
#include "base/error.h"
#include "plan/problem/ends.h"
#include "plan/problem/plan.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SAME = 1e-12; // instants t/T that are one

// ---- points

static int find_point(arne_plan *p, double u)
{
    for (int i = 0; i < p->point_count; i++)
        if (fabs(p->points[i].u - u) < SAME) return i;
    return -1;
}

// The index of the point at u, which is added where there is none; -1: no memory.
static int need_point(arne_plan *p, double u, double weight, int on_grid)
{
    int at = find_point(p, u);
    if (at < 0) {
        if (p->point_count == p->point_room) {
            const int   room = p->point_room ? 2 * p->point_room : 64;
            plan_point *more = realloc(p->points, (size_t)room * sizeof *more);
            if (!more) return -1;
            p->points = more;
            p->point_room = room;
        }
        at = p->point_count++;
        p->points[at] = (plan_point){.u = u};
    }
    p->points[at].weight += weight;
    p->points[at].on_grid |= on_grid;
    return at;
}

static int by_time(const void *a, const void *b)
{
    const double x = ((const plan_point *)a)->u, y = ((const plan_point *)b)->u;
    return (x > y) - (x < y);
}

static int add_grid(arne_plan *p)
{
    const int spans = p->m - p->degree;
    const int n = p->options.grid_points ? p->options.grid_points - 1 : spans * p->options.per_span;
    for (int i = 0; i <= n; i++) {
        const double weight = p->options.trapezoid ? (i == 0 || i == n ? 0.5 : 1) / n : 0;
        if (need_point(p, (double)i / n, weight, 1) < 0) return 0;
    }
    for (int i = 0; i < p->extra_count; i++)
        if (need_point(p, p->extra[i], 0, 1) < 0) return 0;
    return 1;
}

static int has_integral(const arne_plan *p)
{
    for (int i = 0; i < p->objective_count; i++)
        if (p->objectives[i].at < 0) return 1;
    return 0;
}

static int add_gauss(arne_plan *p)
{
    static const double at[3] = {-0.77459666924148337704, 0, 0.77459666924148337704},
                        weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    const int spans = p->m - p->degree;
    for (int s = 0; !p->options.trapezoid && has_integral(p) && s < spans; s++)
        for (int i = 0; i < 3; i++)
            if (need_point(p, (s + 0.5 + 0.5 * at[i]) / spans, weight[i] / spans, 0) < 0) return 0;
    return 1;
}

// ---- equalities

// A quantity that is not linear in the motion cannot be kept equal to something everywhere by a spline: it is held at as many
// points as there are control points to spare, one in the middle of every span, and at the ends where they suffice.
static int is_collocated(const arne_plan *p, const plan_constraint *c)
{
    if (c->from >= c->to || (c->other >= 0 && c->other_at >= 0)) return 0;
    if (plan_is_linear(p, &p->quantities[c->quantity])) return 0;
    for (int r = 0; r < c->row_count; r++)
        if (c->lower[r] != c->upper[r]) return 0;
    return c->row_count > 0;
}

static int free_variables(const arne_plan *p)
{
    int count = 0;
    for (int i = 0; i < p->n * p->m; i++)
        count += p->x_lower[i] < p->x_upper[i];
    return count;
}

static int add_collocation(arne_plan *p)
{
    const int spans = p->m - p->degree;
    int       spare = free_variables(p);
    for (int i = 0; i < p->constraint_count; i++) {
        plan_constraint *c = &p->constraints[i];
        c->collocated = is_collocated(p, c);
        for (int s = 0; c->collocated && s < spans; s++) {
            const double u = (s + 0.5) / spans;
            if (u < c->from || u > c->to) continue;
            spare -= c->row_count;
            if (need_point(p, u, 0, 0) < 0) return 0;
        }
    }
    for (int i = 0; i < p->constraint_count; i++) {
        plan_constraint *c = &p->constraints[i];
        c->at_ends = 0;
        for (int end = 0; c->collocated && end < 2; end++) {
            const double u = end;
            if (spare < c->row_count || u < c->from || u > c->to) continue;
            spare -= c->row_count;
            c->at_ends |= 1 << end;
            if (need_point(p, u, 0, 0) < 0) return 0;
        }
    }
    return 1;
}

static int is_collocation_point(const arne_plan *p, const plan_constraint *c, double u)
{
    const double place = u * (p->m - p->degree) - 0.5;
    if (u < SAME || u > 1 - SAME) return c->at_ends >> (u > 0.5) & 1;
    return fabs(place - round(place)) < 1e-9 && u > c->from - SAME && u < c->to + SAME;
}

// Instants that constraints and objectives name.
static int add_named(arne_plan *p)
{
    for (int i = 0; i < p->constraint_count; i++) {
        const plan_constraint *c = &p->constraints[i];
        if (c->from == c->to && need_point(p, c->from, 0, 0) < 0) return 0;
        if (c->other >= 0 && c->other_at >= 0 && need_point(p, c->other_at, 0, 0) < 0) return 0;
    }
    for (int i = 0; i < p->objective_count; i++)
        if (p->objectives[i].at >= 0 && need_point(p, p->objectives[i].at, 0, 0) < 0) return 0;
    return 1;
}

static int fill_bases(arne_plan *p)
{
    const size_t size = PLAN_ORDERS * (size_t)(p->degree + 1);
    for (int i = 0; i < p->point_count; i++) {
        plan_point *at = &p->points[i];
        at->basis = malloc(size * sizeof(double));
        if (!at->basis) return 0;
        at->first = arne_bspline_basis(p->spline, 1, at->u, PLAN_ORDERS, at->basis);
    }
    return 1;
}

// Which points each constraint is held at, and its place among the rows.
static int place_constraints(arne_plan *p)
{
    p->row_count = 0;
    for (int i = 0; i < p->constraint_count; i++) {
        plan_constraint *c = &p->constraints[i];
        const size_t     most = (size_t)p->point_count;
        c->points = malloc(most * sizeof(int));
        c->other_points = malloc(most * sizeof(int));
        if (!c->points || !c->other_points) return 0;
        c->point_count = 0;
        c->first_row = p->row_count;
        for (int k = 0; k < p->point_count && !c->held; k++) {
            const double u = p->points[k].u;
            const int    here = c->collocated ? is_collocation_point(p, c, u)
                                : c->from == c->to
                                    ? fabs(u - c->from) < SAME
                                    : p->points[k].on_grid && u > c->from - SAME && u < c->to + SAME;
            if (!here) continue;
            c->points[c->point_count] = k;
            c->other_points[c->point_count++] = c->other < 0      ? -1
                                                : c->other_at < 0 ? k
                                                                  : find_point(p, c->other_at);
        }
        p->row_count += c->point_count * c->row_count;
    }
    for (int i = 0; i < p->objective_count; i++)
        p->objectives[i].point = p->objectives[i].at < 0 ? -1 : find_point(p, p->objectives[i].at);
    return 1;
}

// ---- states

arne_status plan_state_new(arne_plan *p, plan_state *s, const unsigned char *needed)
{
    const size_t n = (size_t)p->n, v = (size_t)p->v_count, all = PLAN_ORDERS * n;
    const size_t robot = p->map.n ? PLAN_ORDERS * v + PLAN_ORDERS * v * all : 0;
    size_t       size = all + robot + v + 3 * v * v;
    for (int i = 0; i < p->quantity_count; i++)
        if (!needed || needed[i]) size += (size_t)p->quantities[i].rows * (1 + all);
    const size_t count = (size_t)p->quantity_count + 1;
    *s = (plan_state){.plan = p,
                      .block = calloc(size, sizeof(double)),
                      .value = calloc(count, sizeof(double *)),
                      .gradient = calloc(count, sizeof(double *)),
                      .fresh = calloc(count, 1)};
    if (!s->block || !s->value || !s->gradient || !s->fresh) return ARNE_NO_MEMORY;
    double *at = s->block;
    s->z = at, at += all;
    s->q = p->map.n ? at : s->z;
    s->qd = s->q + v, s->qdd = s->qd + v, s->qddd = s->qdd + v;
    s->carry = p->map.n ? at + PLAN_ORDERS * v : NULL;
    at += robot;
    s->tau = at, at += v;
    s->tau_q = at, at += v * v;
    s->tau_v = at, at += v * v;
    s->M = at, at += v * v;
    for (int i = 0; i < p->quantity_count; i++) {
        if (needed && !needed[i]) continue;
        const size_t rows = (size_t)p->quantities[i].rows;
        s->value[i] = at, at += rows;
        s->gradient[i] = at, at += rows * all;
    }
    return ARNE_OK;
}

void plan_state_free(plan_state *s)
{
    free(s->block);
    free(s->value);
    free(s->gradient);
    free(s->fresh);
    *s = (plan_state){0};
}

static void mark_needed(const arne_plan *p, int point, unsigned char *needed)
{
    memset(needed, 0, (size_t)p->quantity_count);
    for (int i = 0; i < p->constraint_count; i++) {
        const plan_constraint *c = &p->constraints[i];
        for (int k = 0; k < c->point_count; k++) {
            if (c->points[k] == point) needed[c->quantity] = 1;
            if (c->other >= 0 && c->other_points[k] == point) needed[c->other] = 1;
        }
    }
    for (int i = 0; i < p->objective_count; i++) {
        const plan_objective *o = &p->objectives[i];
        if (o->point == point || (o->point < 0 && p->points[point].weight > 0))
            needed[o->quantity] = 1;
    }
}

static int make_states(arne_plan *p)
{
    unsigned char *needed = malloc((size_t)p->quantity_count + 1);
    p->states = calloc((size_t)p->point_count + 1, sizeof *p->states);
    int fine = needed && p->states;
    for (int i = 0; fine && i < p->point_count; i++) {
        mark_needed(p, i, needed);
        fine = plan_state_new(p, &p->states[i], needed) == ARNE_OK;
        p->states[i].u = p->points[i].u;
    }
    free(needed);
    return fine && plan_state_new(p, &p->scratch, NULL) == ARNE_OK &&
           plan_state_new(p, &p->between, NULL) == ARNE_OK;
}

// ---- patterns

static int make_pattern(arne_plan *p, int index)
{
    const plan_quantity *q = &p->quantities[index];
    const int            n = p->n, v = p->v_count;
    const size_t         rows = (size_t)q->rows;
    unsigned char       *own = calloc(rows * PLAN_ORDERS * (size_t)v, 1);
    p->patterns[index] = p->map.n ? calloc(rows * PLAN_ORDERS * (size_t)n, 1) : own;
    if (!own || !p->patterns[index]) {
        if (p->map.n) free(own);
        return 0;
    }
    if (q->pattern)
        q->pattern(q, p, own);
    else
        for (size_t r = 0; r < rows; r++)
            for (int k = 0; k < PLAN_ORDERS; k++)
                memset(own + (r * PLAN_ORDERS + (size_t)k) * (size_t)v, q->orders >> k & 1,
                       (size_t)v);
    if (!p->map.n) return 1;
    for (size_t r = 0; r < rows; r++) // a k-th derivative depends on all lower ones
        for (int c = 0; c < PLAN_ORDERS * v; c++)
            if (own[r * PLAN_ORDERS * (size_t)v + (size_t)c])
                memset(p->patterns[index] + r * PLAN_ORDERS * (size_t)n, 1,
                       (size_t)(c / v + 1) * (size_t)n);
    free(own);
    return 1;
}

// Which coordinates meet in a row that is not linear, or in a square.
static void mark_coupled(arne_plan *p, int quantity)
{
    const int n = p->n, all = PLAN_ORDERS * n;
    for (int r = 0; r < p->quantities[quantity].rows; r++) {
        const unsigned char *row = p->patterns[quantity] + r * all;
        for (int a = 0; a < all; a++)
            for (int b = 0; row[a] && b < all; b++)
                if (row[b]) p->coupled[(a % n) * n + b % n] = 1;
    }
}

static int make_patterns(arne_plan *p)
{
    p->patterns = calloc((size_t)p->quantity_count + 1, sizeof *p->patterns);
    p->coupled = calloc((size_t)(p->n * p->n), 1);
    if (!p->patterns || !p->coupled) return 0;
    for (int i = 0; i < p->quantity_count; i++)
        if (!make_pattern(p, i)) return 0;
    for (int i = 0; i < p->quantity_count; i++)
        if (!plan_is_linear(p, &p->quantities[i])) mark_coupled(p, i);
    for (int i = 0; i < p->objective_count; i++)
        if (p->objectives[i].shape != ARNE_OBJECTIVE_PLAIN)
            mark_coupled(p, p->objectives[i].quantity);
    return 1;
}

// Entries (row >= column) of the Hessian: control points of coupled coordinates that are alive together.
static int make_hessian(arne_plan *p)
{
    const int    n = p->n, m = p->m, band = 2 * p->degree + 1;
    const size_t size = (size_t)n * (size_t)n * (size_t)m * (size_t)band;
    p->hessian_at = malloc(size * sizeof(int));
    p->hessian_T = malloc((size_t)p->x_count * sizeof(int));
    if (!p->hessian_at || !p->hessian_T) return 0;
    int count = 0;
    for (int j = 0; j < n; j++)
        for (int l = 0; l < n; l++)
            for (int i = 0; i < m; i++)
                for (int d = 0; d < band; d++) {
                    const int other = i + d - p->degree;
                    const int kept = p->coupled[j * n + l] && !p->prescribed[j].on &&
                                     !p->prescribed[l].on && other >= 0 && other < m &&
                                     (j > l || (j == l && i >= other));
                    p->hessian_at[((j * n + l) * m + i) * band + d] = kept ? count++ : -1;
                }
    for (int i = 0; p->free_time && i < p->x_count; i++)
        p->hessian_T[i] = i < n * m && p->prescribed[i / m].on ? -1 : count++;
    p->hessian_count = count;
    return 1;
}

static int make_scratch(arne_plan *p)
{
    const size_t all = PLAN_ORDERS * (size_t)p->n, v = (size_t)p->v_count;
    size_t       rows = 1;
    for (int i = 0; i < p->quantity_count; i++)
        rows += (size_t)p->quantities[i].rows;
    p->H = malloc(all * all * sizeof(double));
    p->lambda_tau = malloc(v * sizeof(double));
    p->second = malloc((4 * v * v + 5 * all) * sizeof(double));
    p->lambda = malloc(rows * (size_t)p->point_count * sizeof(double));
    p->row = malloc(rows * PLAN_ORDERS * v * sizeof(double));
    p->matrices = malloc((6 * v * v + 24 * v) * sizeof(double));
    p->by_T = malloc(2 * all * sizeof(double));
    p->quantity_start = calloc((size_t)p->quantity_count + 1, sizeof(int));
    p->lambda_of = calloc((size_t)p->quantity_count + 1, sizeof(double *));
    p->row_lower = malloc(((size_t)p->row_count + 1) * sizeof(double));
    p->row_upper = malloc(((size_t)p->row_count + 1) * sizeof(double));
    p->row_scale = malloc(((size_t)p->row_count + 1) * sizeof(double));
    if (!p->H || !p->lambda_tau || !p->second || !p->lambda || !p->row || !p->matrices ||
        !p->lambda_of || !p->by_T || !p->quantity_start || !p->row_lower || !p->row_upper ||
        !p->row_scale)
        return 0;
    for (int i = 0; i < p->constraint_count; i++) {
        const plan_constraint *c = &p->constraints[i];
        for (int k = 0; k < c->point_count; k++)
            for (int r = 0; r < c->row_count; r++) {
                const int at = c->first_row + k * c->row_count + r;
                p->row_lower[at] = c->lower[r];
                p->row_upper[at] = c->upper[r];
                p->row_scale[at] = c->scale[r];
            }
    }
    return 1;
}

// ---- all of it

static int prepare(arne_plan *p)
{
    plan_hold_ends(p);
    if (!add_grid(p) || !add_gauss(p) || !add_named(p) || !add_collocation(p)) return 0;
    qsort(p->points, (size_t)p->point_count, sizeof *p->points, by_time);
    if (!fill_bases(p) || !place_constraints(p) || !make_states(p) || !make_patterns(p) ||
        !make_hessian(p) || !make_scratch(p))
        return 0;
    p->jacobian_count = 0;
    plan_jacobian_structure(p, NULL, NULL);
    return 1;
}

arne_status plan_prepare(arne_plan *p, arne_error *error)
{
    if (p->states) return ARNE_OK;
    if (prepare(p)) return ARNE_OK;
    plan_forget(p);
    return arne_fail_memory(error);
}

#define DROP(field) (free(p->field), p->field = NULL)

void plan_forget(arne_plan *p)
{
    for (int i = 0; i < p->point_count; i++) {
        free(p->points[i].basis);
        if (p->states) plan_state_free(&p->states[i]);
    }
    for (int i = 0; p->patterns && i < p->quantity_count; i++)
        free(p->patterns[i]);
    for (int i = 0; i < p->constraint_count; i++) {
        free(p->constraints[i].points);
        free(p->constraints[i].other_points);
        p->constraints[i].points = p->constraints[i].other_points = NULL;
    }
    plan_state_free(&p->scratch);
    plan_state_free(&p->between);
    DROP(points), DROP(states), DROP(patterns), DROP(coupled), DROP(hessian_at), DROP(hessian_T);
    DROP(H), DROP(lambda_tau), DROP(second), DROP(lambda), DROP(row), DROP(matrices),
        DROP(lambda_of), DROP(by_T), DROP(quantity_start);
    DROP(row_lower), DROP(row_upper), DROP(row_scale);
    p->point_count = p->point_room = 0;
}
