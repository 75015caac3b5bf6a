// How far constraints are missed: at the points where they are held, and between them.
#include "base/error.h"
#include "plan/transcription/plan_loops.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 10 }; // of each interval between grid points

static double missed(double value, double lower, double upper)
{
    const double miss = fmax(lower - value, value - upper);
    return miss > 0 ? miss : isnan(value) ? INFINITY : 0;
}

static int among(const int *list, int count, int x)
{
    for (int i = 0; i < count; i++)
        if (list[i] == x) return 1;
    return 0;
}

plan_miss plan_violation(arne_plan *p) { return plan_worst_but(p, NULL, 0); }

plan_miss plan_worst_but(arne_plan *p, const int *but, int but_count)
{
    plan_miss worst = {-1, 0, 0, 0};
    plan_set(p, p->x);
    for (int i = 0; i < p->constraint_count; i++) {
        if (among(but, but_count, i)) continue;
        const plan_constraint *c = &p->constraints[i];
        for (int k = 0; k < c->point_count; k++) {
            const double *left = plan_values(&p->states[c->points[k]], c->quantity);
            const double *right =
                c->other < 0 ? NULL : plan_values(&p->states[c->other_points[k]], c->other);
            for (int r = 0; r < c->row_count; r++) {
                double value = left ? left[c->rows[r]] : NAN;
                if (c->other >= 0) value -= right ? c->factors[r] * right[c->other_rows[r]] : NAN;
                const double amount = missed(value, c->lower[r], c->upper[r]);
                if (amount > worst.amount)
                    worst = (plan_miss){i, r, p->points[c->points[k]].u, amount};
            }
        }
    }
    return worst;
}

// The rows of a constraint at any instant; the largest miss. relative: over its scale.
static plan_miss miss_at(arne_plan *p, int index, double u, int relative)
{
    const plan_constraint *c = &p->constraints[index];
    const double          *left = plan_values(&p->between, c->quantity), *right = NULL;
    plan_miss              worst = {-1, 0, u, 0};
    if (c->other >= 0) right = plan_values(&p->between, c->other);
    for (int r = 0; r < c->row_count; r++) {
        double value = left ? left[c->rows[r]] : NAN;
        if (c->other >= 0) value -= right ? c->factors[r] * right[c->other_rows[r]] : NAN;
        const double amount =
            missed(value, c->lower[r], c->upper[r]) * (relative ? c->scale[r] : 1);
        if (amount > worst.amount) worst = (plan_miss){index, r, u, amount};
    }
    return worst;
}

// Constraints that hold over a stretch of time.
static int stretches(const plan_constraint *c)
{
    return c->from < c->to && (c->other < 0 || c->other_at < 0);
}

static plan_miss worst_at(arne_plan *p, double u, int relative)
{
    plan_miss worst = {-1, 0, u, 0};
    plan_place(p, &p->between, u, p->x);
    for (int i = 0; i < p->constraint_count; i++) {
        const plan_constraint *c = &p->constraints[i];
        if (!stretches(c) || u < c->from || u > c->to) continue;
        const plan_miss m = miss_at(p, i, u, relative);
        if (m.amount > worst.amount) worst = m;
    }
    return worst;
}

static plan_miss worse(plan_miss a, plan_miss b) { return b.amount > a.amount ? b : a; }

// The worst of the interval that begins at grid point k; *next is the grid point at which it ends.
static plan_miss worst_after(arne_plan *p, int k, int *next, int relative)
{
    plan_miss worst = {-1, 0, 0, 0};
    int       end = k + 1;
    while (end < p->point_count && !p->points[end].on_grid)
        end++;
    *next = end;
    if (end == p->point_count) return worst;
    const double a = p->points[k].u, b = p->points[end].u;
    const int    spans = p->m - p->degree, first = (int)floor(a * spans) + 1;
    for (int i = 1; i < STEPS; i++)
        worst = worse(worst, worst_at(p, a + (b - a) * i / STEPS, relative));
    for (int i = first; i < b * spans; i++) // and at the knots, where torques may have corners
        worst = worse(worst, worst_at(p, (double)i / spans, relative));
    return worst;
}

plan_miss plan_violation_between(arne_plan *p)
{
    plan_miss worst = {-1, 0, 0, 0};
    for (int k = 0, next = 0; k < p->point_count; k = next) {
        const plan_miss m = worst_after(p, k, &next, 0);
        if (m.amount > worst.amount) worst = m;
    }
    return worst;
}

arne_status plan_refine(arne_plan *p, double part, int *added, arne_error *error)
{
    double *extra = realloc(p->extra, (size_t)(p->extra_count + p->point_count) * sizeof *extra);
    if (!extra) return arne_fail_memory(error);
    p->extra = extra;
    *added = 0;
    for (int k = 0, next = 0; k < p->point_count; k = next) {
        const plan_miss m = worst_after(p, k, &next, 1);
        if (m.amount > part) extra[p->extra_count + (*added)++] = m.u;
    }
    p->extra_count += *added;
    if (*added) plan_forget(p);
    return plan_prepare(p, error);
}

void arne_plan_evaluate(arne_plan *plan, double u, double *q, double *qd, double *qdd, double *qddd,
                        double *tau)
{
    const size_t size = (size_t)plan->v_count * sizeof(double);
    if (plan_prepare(plan, NULL) != ARNE_OK) return;
    plan_state *s = &plan->between;
    plan_place(plan, s, u, plan->x);
    if (plan->map.n) plan->map.apply(&plan->map, s, NULL);
    if (q) memcpy(q, s->q, size);
    if (qd) memcpy(qd, s->qd, size);
    if (qdd) memcpy(qdd, s->qdd, size);
    if (qddd) memcpy(qddd, s->qddd, size);
    if (!tau) return;
    if (plan->planned_from) {
        if (plan_loop_torques(s, tau)) memset(tau, 0, size);
        return;
    }
    plan_torques(s);
    memcpy(tau, s->tau, size);
}
