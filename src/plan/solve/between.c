// How far constraints are missed: at the points where they are held, and between them.
#include "base/error.h"
#include "plan/problem/plan.h"
#include <arne/dynamics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 10, HALVINGS = 5 }; // of each interval between grid points; near the worst of them
static const double STAYS = 0.1;   // m: by this a point that should stay is judged

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

static double part_of(const arne_plan *p, const plan_point *at)
{
    return plan_part(p, at->phase, at->u);
}

plan_miss plan_violation(arne_plan *p) { return plan_worst_but(p, NULL, 0); }

plan_miss plan_worst_but(arne_plan *p, const int *but, int but_count)
{
    plan_set(p, p->x);
    return plan_worst_now(p, but, but_count);
}

plan_miss plan_worst_now(arne_plan *p, const int *but, int but_count)
{
    plan_miss worst = {-1, 0, 0, 0};
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
                    worst = (plan_miss){i, r, part_of(p, &p->points[c->points[k]]), amount};
            }
        }
    }
    return worst;
}

// ---- between them

// Constraints that hold over a stretch of time.
static int stretches(const plan_constraint *c)
{
    if (c->hold == HOLD_CONTROLS) return 0; // those hold everywhere
    if (c->hold == HOLD_IMPACT) return 0;   // an instant
    return c->from < c->to && (c->other < 0 || c->other_at < 0 || c->hold == HOLD_PLACES);
}

// The largest size of a quantity at the instant where p->between stands. Torques count with the
// weight that they hold: those of a robot that nothing drives are all zero.
static double size_here(arne_plan *p, int quantity)
{
    const plan_quantity *q = &p->quantities[quantity];
    const double        *value = plan_values(&p->between, quantity);
    double               largest = 0;
    for (int r = 0; value && r < q->rows; r++)
        if (isfinite(value[r])) largest = fmax(largest, fabs(value[r]));
    for (int k = 0; q->tied && k < p->v_count; k++)
        largest = fmax(largest, fabs(p->between.qd[k]));
    if (q->built_in && q->what.kind == ARNE_QUANTITY_TORQUE) {
        arne_gravity(p->between.robot, p->between.work, p->between.q, p->between.at->matrices);
        for (int k = 0; k < p->v_count; k++)
            largest = fmax(largest, fabs(p->between.at->matrices[k]));
    }
    return largest;
}

// The largest size of every quantity that a constraint speaks of, along the motion.
static double *quantity_sizes(arne_plan *p)
{
    double *sizes = calloc((size_t)p->quantity_count + 1, sizeof *sizes);
    for (int k = 0; sizes && k < p->point_count; k++) {
        if (p->points[k].control || p->points[k].impact) continue;
        plan_place(p, &p->between, p->points[k].phase, p->points[k].u, p->x);
        for (int i = 0; i < p->constraint_count; i++) {
            const plan_constraint *c = &p->constraints[i];
            if (stretches(c) && (c->phase < 0 || c->phase == p->points[k].phase))
                sizes[c->quantity] = fmax(sizes[c->quantity], size_here(p, c->quantity));
        }
    }
    return sizes;
}

static int is_equality(const plan_constraint *c, int row) { return c->lower[row] == c->upper[row]; }

// What a miss is measured by: the bound that is missed, or the size of the quantity.
static double reference(const plan_constraint *c, int row, double value, const double *sizes)
{
    const double bound = value < c->lower[row] ? c->lower[row] : c->upper[row];
    return is_equality(c, row) || bound == 0 ? sizes[c->quantity] : fabs(bound);
}

// What a search leaves where it holds constraints: no miss between either, however small the
// quantity is.
static const double NOTHING = 1e-8;

// Looks at the rows of a constraint where p->between stands.
static void look_at(arne_plan *p, int index, double u, const double *sizes, plan_gap *worst)
{
    const plan_constraint *c = &p->constraints[index];
    const double          *left = plan_values(&p->between, c->quantity), *right = NULL;
    if (c->other >= 0)
        right =
            plan_values(c->other_at < 0 ? &p->between : &p->states[c->other_points[0]], c->other);
    for (int r = 0; r < c->row_count; r++) {
        double value = left ? left[c->rows[r]] : NAN;
        if (c->other >= 0) value -= right ? c->factors[r] * right[c->other_rows[r]] : NAN;
        const double amount = missed(value, c->lower[r], c->upper[r]);
        if (!(amount > NOTHING)) continue;
        const double by = c->hold == HOLD_PLACES ? STAYS : reference(c, r, value, sizes),
                     part = by > 0 ? amount / by : INFINITY;
        if (part > worst->part) *worst = (plan_gap){index, r, u, amount, part};
    }
}

enum { ALL, EQUALITIES, INEQUALITIES };

// The worst at one instant, of all constraints or of some.
static void look_everywhere(arne_plan *p, int phase, double u, int which, const double *sizes,
                            plan_gap *worst)
{
    plan_place(p, &p->between, phase, u, p->x);
    for (int i = 0; i < p->constraint_count; i++) {
        const plan_constraint *c = &p->constraints[i];
        if (!stretches(c) || u < c->from || u > c->to) continue;
        if (c->phase >= 0 && c->phase != phase) continue;
        const int equality = c->collocated || c->hold == HOLD_PLACES;
        if (which == ALL || equality == (which == EQUALITIES))
            look_at(p, i, plan_part(p, phase, u), sizes, worst);
    }
}

// The same, and where it is worst so far.
static void look_higher(arne_plan *p, int phase, double u, int which, const double *sizes,
                        plan_gap *worst, double *peak)
{
    const double was = worst->part;
    look_everywhere(p, phase, u, which, sizes, worst);
    if (worst->part > was) *peak = u;
}

// The worst of the interval that begins at grid point k; *next is the grid point at which it ends.
static plan_gap worst_after(arne_plan *p, int k, int *next, int which, const double *sizes)
{
    plan_gap worst = {-1, 0, 0, 0, 0};
    int      end = k + 1;
    while (end < p->point_count && !p->points[end].on_grid)
        end++;
    *next = end;
    if (end == p->point_count || p->points[end].phase != p->points[k].phase) return worst;
    const int    phase = p->points[k].phase;
    const double a = p->points[k].u, b = p->points[end].u;
    const int    spans = p->phases[phase].m - p->degree, first = (int)floor(a * spans) + 1;
    double       peak = -1;
    for (int i = 1; i < STEPS; i++)
        look_higher(p, phase, a + (b - a) * i / STEPS, which, sizes, &worst, &peak);
    for (int i = first; i < b * spans; i++) // and at the knots, where torques may have corners
        look_higher(p, phase, (double)i / spans, which, sizes, &worst, &peak);
    double d = 0.5 * (b - a) / STEPS;
    for (int i = 0; i < HALVINGS && peak >= 0; i++, d *= 0.5) { // and beside the worst of these
        const double at = peak;
        if (at - d > a) look_higher(p, phase, at - d, which, sizes, &worst, &peak);
        if (at + d < b) look_higher(p, phase, at + d, which, sizes, &worst, &peak);
    }
    return worst;
}

arne_status plan_worst_gap(arne_plan *p, double part, plan_gap *worst, int *equality,
                           arne_error *error)
{
    plan_set(p, p->x);
    double *sizes = quantity_sizes(p);
    *worst = (plan_gap){-1, 0, 0, 0, 0};
    if (equality) *equality = 0;
    if (!sizes) return arne_fail_memory(error);
    for (int k = 0, next = 0; k < p->point_count; k = next) {
        const plan_gap gap = worst_after(p, k, &next, ALL, sizes);
        if (gap.part > worst->part) *worst = gap;
        if (equality && !*equality && gap.part > part)
            *equality = worst_after(p, k, &next, EQUALITIES, sizes).part > part;
    }
    free(sizes);
    return ARNE_OK;
}

// The part of its phase.
static double gap_inside(const arne_plan *p, const plan_gap *gap)
{
    double part;
    (void)plan_phase_at(p, gap->u, &part);
    return part;
}

arne_status plan_refine(arne_plan *p, double part, int *added, arne_error *error)
{
    double *extra = realloc(p->extra, (size_t)(p->extra_count + p->point_count) * sizeof *extra);
    plan_set(p, p->x);
    double *sizes = quantity_sizes(p);
    *added = 0;
    if (extra) p->extra = extra;
    if (!extra || !sizes) {
        free(sizes);
        return arne_fail_memory(error);
    }
    for (int k = 0, next = 0; k < p->point_count; k = next) {
        const plan_gap gap = worst_after(p, k, &next, INEQUALITIES, sizes);
        if (gap.part > part)
            extra[p->extra_count + (*added)++] = p->points[k].phase + gap_inside(p, &gap);
    }
    free(sizes);
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
    double      part;
    const int   phase = plan_phase_at(plan, u, &part);
    plan_place(plan, s, phase, part, plan->x);
    const int lost = plan->map.n && plan->map.apply(&plan->map, s, NULL);
    if (q) memcpy(q, s->q, size);
    if (qd) memcpy(qd, s->qd, size);
    if (qdd) memcpy(qdd, s->qdd, size);
    if (qddd) memcpy(qddd, s->qddd, size);
    if (!tau) return;
    plan_torques(s);
    if (lost)
        memset(tau, 0, size);
    else
        memcpy(tau, s->tau, size);
}
