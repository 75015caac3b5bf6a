// Which entries the derivatives of quantities have, and so the Hessian of the Lagrangian.
#include "plan/problem/plan.h"
#include <stdlib.h>
#include <string.h>

// The robot's coordinates come first, then forces.
static void spread_pattern(const arne_plan *p, const plan_quantity *q, const unsigned char *own,
                           unsigned char *out)
{
    const int n = p->n, v = p->v_count;
    for (int r = 0; r < q->rows; r++) {
        for (int k = 0; k < PLAN_ORDERS; k++)
            memcpy(out + (r * PLAN_ORDERS + k) * n, own + (r * PLAN_ORDERS + k) * v, (size_t)v);
        if (q->by_forces) memset(out + r * PLAN_ORDERS * n + v, 1, (size_t)(n - v));
    }
}

static int make_pattern(arne_plan *p, int index)
{
    const plan_quantity *q = &p->quantities[index];
    const int            n = p->n, v = p->v_count;
    const size_t         rows = (size_t)q->rows;
    const int            wide = p->map.n || p->force_count; // own columns are not the planned ones
    if (q->planned && p->force_count) {
        p->patterns[index] = calloc(rows * PLAN_ORDERS * (size_t)n, 1);
        if (p->patterns[index]) q->pattern(q, p, p->patterns[index]);
        return p->patterns[index] != NULL;
    }
    unsigned char *own = calloc(rows * PLAN_ORDERS * (size_t)v, 1);
    p->patterns[index] = wide ? calloc(rows * PLAN_ORDERS * (size_t)n, 1) : own;
    if (!own || !p->patterns[index]) {
        if (wide) free(own);
        return 0;
    }
    if (q->pattern)
        q->pattern(q, p, own);
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

int plan_make_patterns(arne_plan *p)
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

// Entries (row >= column) of the Hessian: control points of coupled coordinates that are alive
// together.
int plan_make_hessian(arne_plan *p)
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
