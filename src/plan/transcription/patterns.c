// Which entries the derivatives of quantities have, and so the Hessian of the Lagrangian.
#include "base/random.h"
#include "plan/problem/plan.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_IN_BLOCKS = 1 << 22, FEWEST_BLOCKS = 16 }; // numbers; points

// The robot's coordinates come first, then forces.
static void spread_pattern(const plan_program *p, const plan_quantity *q, const unsigned char *own,
                           unsigned char *out)
{
    const int n = p->n, v = p->v_count;
    for (int r = 0; r < q->rows; r++) {
        for (int k = 0; k < PLAN_ORDERS; k++)
            memcpy(out + (r * PLAN_ORDERS + k) * n, own + (r * PLAN_ORDERS + k) * v, (size_t)v);
        if (q->by_forces) memset(out + r * PLAN_ORDERS * n + v, 1, (size_t)(n - v));
    }
}

static int make_pattern(plan_program *p, int index)
{
    const plan_quantity *q = &p->problem->quantities[index];
    const int            n = p->n, v = p->v_count;
    const size_t         rows = (size_t)q->rows;
    const int wide = p->problem->map.n || p->force_count; // own columns are not the planned ones
    if (q->planned && p->force_count) {
        p->patterns[index] = calloc(rows * PLAN_ORDERS * (size_t)n, 1);
        if (p->patterns[index]) q->pattern(q, p->problem, p->patterns[index]);
        return p->patterns[index] != NULL;
    }
    unsigned char *own = calloc(rows * PLAN_ORDERS * (size_t)v, 1);
    p->patterns[index] = wide ? calloc(rows * PLAN_ORDERS * (size_t)n, 1) : own;
    if (!own || !p->patterns[index]) {
        if (wide) free(own);
        return 0;
    }
    if (q->pattern)
        q->pattern(q, p->problem, own);
    else
        for (size_t r = 0; r < rows; r++)
            for (int k = 0; k < PLAN_ORDERS; k++)
                memset(own + (r * PLAN_ORDERS + (size_t)k) * (size_t)v, q->orders >> k & 1,
                       (size_t)v);
    if (!wide) return 1;
    if (p->force_count) {
        spread_pattern(p, q, own, p->patterns[index]);
        free(own);
        return 1;
    }
    for (size_t r = 0; r < rows; r++) // a k-th derivative depends on all lower ones
        for (int c = 0; c < PLAN_ORDERS * v; c++)
            if (own[r * PLAN_ORDERS * (size_t)v + (size_t)c])
                memset(p->patterns[index] + r * PLAN_ORDERS * (size_t)n, 1,
                       (size_t)(c / v + 1) * (size_t)n);
    free(own);
    return 1;
}

// ---- what is really nonzero

// Random states, away from zero: an entry that is zero there is zero everywhere.
static void scatter(const plan_program *p, uint64_t *seed, double *z)
{
    for (int c = 0; c < PLAN_ORDERS * p->n; c++)
        z[c] = random_between(seed, 0.1, 1) * (random_between(seed, -1, 1) < 0 ? -1 : 1);
}

// Coordinates whose derivatives are not all zero at a state, in rows of n. 0: there are no
// numbers.
static int mark_seen(plan_program *p, plan_state *s, int quantity, unsigned char *seen)
{
    const int     n = p->n, all = PLAN_ORDERS * n;
    const double *g = plan_gradient(s, quantity);
    for (int i = 0; g && i < p->problem->quantities[quantity].rows * all; i++)
        if (g[i] != 0) seen[i / all * n + i % n] = 1;
    return g != NULL;
}

enum { PROBES = 2 }; // of every point

// A pattern lists what could be nonzero. Here the entries go of coordinates that a row does not
// depend on, as torques of one leg on angles of the other. All points are tried, since some
// quantities depend on time.
static int narrow_pattern(plan_program *p, int index, double *z)
{
    const plan_quantity *q = &p->problem->quantities[index];
    const int            n = p->n, all = PLAN_ORDERS * n;
    uint64_t             seed = 1;
    int                  fine = 1, any = 0;
    if (p->problem->map.n || q->alone || q->linear) return 1;
    unsigned char *seen = calloc((size_t)(q->rows * n), 1);
    if (!seen) return 0;
    for (int k = 0; k < p->point_count && fine; k++) {
        plan_state *s = &p->states[k];
        for (int i = 0; i < PROBES && s->value[index] && fine; i++) {
            scatter(p, &seed, z);
            plan_put(s, p->points[k].phase, p->points[k].u, 1, z);
            fine = mark_seen(p, s, index, seen);
            any = 1;
        }
    }
    for (int i = 0; fine && any && i < q->rows * all; i++)
        p->patterns[index][i] &= seen[i / all * n + i % n];
    free(seen);
    return 1;
}

static int narrow_patterns(plan_program *p)
{
    double *z = malloc(PLAN_ORDERS * (size_t)p->n * sizeof *z);
    int     fine = z != NULL;
    for (int i = 0; i < p->problem->quantity_count && fine; i++)
        fine = narrow_pattern(p, i, z);
    free(z);
    p->known = KNOWN_NOTHING;
    return fine;
}

// ---- which variables meet

// Which coordinates meet in rows that are not linear, or in a square.
static void mark_coupled(plan_program *p, int quantity, const int *rows, int count)
{
    const int n = p->n, all = PLAN_ORDERS * n;
    for (int r = 0; r < count; r++) {
        const unsigned char *row = p->patterns[quantity] + rows[r] * all;
        for (int a = 0; a < all; a++)
            for (int b = 0; row[a] && b < all; b++)
                if (row[b]) p->coupled[(a % n) * n + b % n] = 1;
    }
}

// Fixed variables have no entries in the derivatives: Ipopt removes them. Not so if fewer free
// variables than equalities would be left: then Ipopt relaxes the fixed ones a little, and needs
// their entries.
static void mark_still(plan_program *p)
{
    int count = 0;
    for (int i = 0; i < p->x_count; i++) {
        p->still[i] = p->x_lower[i] >= p->x_upper[i];
        count += !p->still[i];
    }
    for (int i = 0; i < p->row_count; i++)
        count -= p->row_lower[i] >= p->row_upper[i];
    if (count < 0) memset(p->still, 0, (size_t)p->x_count);
}

int plan_make_patterns(plan_program *p)
{
    p->patterns = calloc((size_t)p->problem->quantity_count + 1, sizeof *p->patterns);
    p->coupled = calloc((size_t)(p->n * p->n), 1);
    p->still = calloc((size_t)p->x_count + 1, 1);
    if (!p->patterns || !p->coupled || !p->still) return 0;
    mark_still(p);
    p->order_count = 1;
    for (int i = 0; i < p->problem->quantity_count; i++) {
        if (!make_pattern(p, i)) return 0;
        while (p->problem->quantities[i].orders >> p->order_count && p->order_count < PLAN_ORDERS)
            p->order_count++;
    }
    if (p->problem->map.n) p->order_count = PLAN_ORDERS;
    if (!narrow_patterns(p)) return 0;
    for (int i = 0; i < p->problem->constraint_count; i++) {
        const plan_constraint *c = &p->constraints[i];
        if (c->held) continue;
        if (!plan_is_linear(p->problem, &p->problem->quantities[c->quantity]))
            mark_coupled(p, c->quantity, c->rows, c->row_count);
        if (c->other >= 0 && !plan_is_linear(p->problem, &p->problem->quantities[c->other]))
            mark_coupled(p, c->other, c->other_rows, c->row_count);
    }
    for (int i = 0; i < p->problem->objective_count; i++) {
        const plan_objective *o = &p->objectives[i];
        if (o->shape != ARNE_OBJECTIVE_PLAIN ||
            !plan_is_linear(p->problem, &p->problem->quantities[o->quantity]))
            mark_coupled(p, o->quantity, o->rows, o->row_count);
    }
    return 1;
}

// ---- the Hessian

static int pattern_is_free(const plan_program *p, int coordinate)
{
    int any = 0;
    for (int i = 0; i < p->m && !p->problem->prescribed[coordinate].on; i++)
        any |= !p->still[coordinate * p->m + i];
    return any;
}

// Pairs of coordinates that are coupled and free, and room for what points give of them.
static int make_blocks(plan_program *p)
{
    const int n = p->n, alive = p->degree + 1;
    p->pairs = malloc(((size_t)(n * (n + 1) / 2) + 1) * sizeof *p->pairs);
    if (!p->pairs) return 0;
    p->pair_count = 0;
    for (int j = 0; j < n; j++)
        for (int l = 0; l <= j && pattern_is_free(p, j); l++)
            if (p->coupled[j * n + l] && pattern_is_free(p, l)) {
                p->pairs[p->pair_count][0] = j;
                p->pairs[p->pair_count++][1] = l;
            }
    p->block_size = p->pair_count * alive * alive + (p->free_time ? n * alive + 1 : 0);
    p->block_count = MOST_IN_BLOCKS / (p->block_size + 1);
    if (p->block_count < FEWEST_BLOCKS) p->block_count = FEWEST_BLOCKS;
    if (p->block_count > p->point_count) p->block_count = p->point_count;
    p->blocks = malloc(((size_t)p->block_count * (size_t)p->block_size + 1) * sizeof(double));
    return p->blocks != NULL;
}

// Entries (row >= column) of the Hessian: control points of coupled coordinates that are alive
// together.
int plan_make_hessian(plan_program *p)
{
    const int    n = p->n, m = p->m, band = 2 * p->degree + 1;
    const size_t size = (size_t)n * (size_t)n * (size_t)m * (size_t)band;
    p->hessian_at = malloc(size * sizeof(int));
    p->hessian_T = malloc((size_t)p->x_count * sizeof(int));
    if (!p->hessian_at || !p->hessian_T || !make_blocks(p)) return 0;
    memset(p->hessian_at, -1, size * sizeof(int));
    int count = 0;
    for (int q = 0; q < p->pair_count; q++) {
        const int j = p->pairs[q][0], l = p->pairs[q][1];
        for (int i = 0; i < m; i++)
            for (int d = 0; d < band; d++) {
                const int other = i + d - p->degree;
                if (other < 0 || other >= m || (j == l && other > i)) continue;
                if (p->still[j * m + i] || p->still[l * m + other]) continue;
                p->hessian_at[((j * n + l) * m + i) * band + d] = count++;
            }
    }
    for (int i = 0; p->free_time && i < p->x_count; i++)
        p->hessian_T[i] =
            p->still[i] || (i < n * m && p->problem->prescribed[i / m].on) ? -1 : count++;
    p->hessian_count = count;
    return 1;
}
