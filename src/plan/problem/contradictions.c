// Checks of a problem before any search: two constraints on the same row at a common instant whose
// bounds exclude each other, and a least time that nothing limits.
#include "base/error.h"
#include "plan/problem/plan.h"
#include <math.h>

static int row_in(const plan_constraint *c, int row)
{
    for (int i = 0; i < c->row_count; i++)
        if (c->rows[i] == row) return i;
    return -1;
}

static arne_status fail_pair(const plan_constraint *a, int i, const plan_constraint *b, int k,
                             arne_error *error)
{
    const plan_constraint *low = a->lower[i] > b->upper[k] ? a : b, *high = low == a ? b : a;
    const int              l = low == a ? i : k, h = low == a ? k : i;
    return arne_fail(
        error, ARNE_VALUE, b->file[0] ? b->file : NULL, b->line,
        "'%s' wants at least %.6g where '%s'%s%.0d wants at most %.6g: no motion can do both",
        low->name, low->lower[l], high->name, high->line ? " of line " : "", high->line,
        high->upper[h]);
}

// The phases in which a constraint holds; of the whole motion there are its start and its end, or
// all.
static void phases_of(const plan_problem *p, const plan_constraint *c, int *first, int *last)
{
    const int instant = c->from == c->to;
    *first = c->phase >= 0 ? c->phase : instant && c->from > 0.5 ? p->phase_count - 1 : 0;
    *last = c->phase >= 0 || instant ? *first : p->phase_count - 1;
}

static int meet(const plan_problem *p, const plan_constraint *a, const plan_constraint *b)
{
    int first[2], last[2];
    phases_of(p, a, &first[0], &last[0]);
    phases_of(p, b, &first[1], &last[1]);
    return first[0] <= last[1] && first[1] <= last[0] &&
           fmax(a->from, b->from) <= fmin(a->to, b->to);
}

arne_status plan_contradiction(const plan_problem *p, arne_error *error)
{
    for (int x = 0; x < p->constraint_count; x++)
        for (int y = 0; y < x; y++) {
            const plan_constraint *a = &p->constraints[y], *b = &p->constraints[x];
            if (a->quantity != b->quantity || a->other >= 0 || b->other >= 0) continue;
            if (!meet(p, a, b)) continue; // at no common instant
            for (int i = 0; i < a->row_count; i++) {
                const int k = row_in(b, a->rows[i]);
                if (k < 0) continue;
                const double gap = fmax(a->lower[i], b->lower[k]) - fmin(a->upper[i], b->upper[k]);
                if (gap > 1e-12 * fmax(1, fabs(fmin(a->upper[i], b->upper[k]))))
                    return fail_pair(a, i, b, k, error);
            }
        }
    return ARNE_OK;
}

// Whether any bound of a constraint is finite over a stretch of time, on something that depends on
// velocities or higher derivatives.
static int limits_speed(const plan_problem *p, const plan_constraint *c)
{
    const unsigned orders =
        p->quantities[c->quantity].orders | (c->other >= 0 ? p->quantities[c->other].orders : 0);
    int finite = 0;
    for (int r = 0; r < c->row_count; r++)
        finite |= isfinite(c->lower[r]) || isfinite(c->upper[r]);
    return finite && orders > 1 && c->from < c->to;
}

int plan_is_unlimited(const plan_problem *p)
{
    double weight = p->time_weight;
    int    is_free = 0;
    for (int k = 0; k < p->phase_count; k++) {
        weight += p->phases[k].weight;
        is_free |= p->phases[k].most > 0;
    }
    if (!is_free || !(weight > 0) || p->force_count) return 0;
    for (int i = 0; i < p->objective_count; i++)
        if (p->quantities[p->objectives[i].quantity].orders > 1) return 0;
    for (int i = 0; i < p->constraint_count; i++)
        if (limits_speed(p, &p->constraints[i])) return 0;
    return 1;
}
