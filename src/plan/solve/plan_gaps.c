// How far constraints are missed: at the points where they are held, and between them.
#include "base/error.h"
#include "plan/solve/search.h"
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

static const double *times_of(const plan_program *p, const double *x) { return x + p->n * p->m; }

// The part of the whole motion at a point.
static double gaps_part_of(const plan_program *p, const double *x, const plan_point *at)
{
    return p->phase_count == 1 ? at->u : plan_part(p->problem, times_of(p, x), at->phase, at->u);
}

plan_miss plan_violation(const plan_solution *s) { return plan_worst_but(s, NULL, 0); }

plan_miss plan_worst_but(const plan_solution *s, const int *but, int but_count)
{
    plan_set(s->program, s->x);
    return plan_worst_now(s->program, s->x, but, but_count);
}

plan_miss plan_worst_now(plan_program *p, const double *x, const int *but, int but_count)
{
    plan_miss worst = {-1, 0, 0, 0};
    for (int i = 0; i < p->problem->constraint_count; i++) {
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
                    worst = (plan_miss){i, r, gaps_part_of(p, x, &p->points[c->points[k]]), amount};
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

// The largest absolute row of a quantity at the instant of p->between. Torques count with those
// that gravity needs: of a robot that nothing drives, the torques themselves are zero.
static double size_here(plan_program *p, int quantity)
{
    const plan_quantity *q = &p->problem->quantities[quantity];
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
static double *quantity_sizes(plan_program *p, const double *x)
{
    double *sizes = calloc((size_t)p->problem->quantity_count + 1, sizeof *sizes);
    for (int k = 0; sizes && k < p->point_count; k++) {
        if (p->points[k].control || p->points[k].impact) continue;
        plan_place(p, &p->between, p->points[k].phase, p->points[k].u, x);
        for (int i = 0; i < p->problem->constraint_count; i++) {
            const plan_constraint *c = &p->constraints[i];
            if (stretches(c) && (c->phase < 0 || c->phase == p->points[k].phase))
                sizes[c->quantity] = fmax(sizes[c->quantity], size_here(p, c->quantity));
        }
    }
    return sizes;
}

static int is_equality(const plan_constraint *c, int row) { return c->lower[row] == c->upper[row]; }

// What a miss is divided by: the bound that is missed, or the size of the quantity.
static double reference(const plan_constraint *c, int row, double value, const double *sizes)
{
    const double bound = value < c->lower[row] ? c->lower[row] : c->upper[row];
    return is_equality(c, row) || bound == 0 ? sizes[c->quantity] : fabs(bound);
}

// A miss below the tolerance with which rows are kept at grid points counts as none between them
// either, in the unit of the quantity.
static const double NOTHING = 1e-8;

// Looks at the rows of a constraint where p->between stands.
static void gaps_look_at(plan_program *p, int index, double u, const double *sizes, plan_gap *worst)
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
static void look_everywhere(const plan_solution *now, int phase, double u, int which,
                            const double *sizes, plan_gap *worst)
{
    plan_program *p = now->program;
    const double  part =
        p->phase_count == 1 ? u : plan_part(p->problem, times_of(p, now->x), phase, u);
    plan_place(p, &p->between, phase, u, now->x);
    for (int i = 0; i < p->problem->constraint_count; i++) {
        const plan_constraint *c = &p->constraints[i];
        if (!stretches(c) || u < c->from || u > c->to) continue;
        if (c->phase >= 0 && c->phase != phase) continue;
        const int equality = c->collocated || c->hold == HOLD_PLACES;
        if (which == ALL || equality == (which == EQUALITIES))
            gaps_look_at(p, i, part, sizes, worst);
    }
}

// The same; *peak becomes u where it is the worst so far.
static void look_higher(const plan_solution *now, int phase, double u, int which,
                        const double *sizes, plan_gap *worst, double *peak)
{
    const double was = worst->part;
    look_everywhere(now, phase, u, which, sizes, worst);
    if (worst->part > was) *peak = u;
}

// The worst of the interval that begins at grid point k; *next is the grid point at which it ends.
static plan_gap worst_after(const plan_solution *now, int k, int *next, int which,
                            const double *sizes)
{
    const plan_program *p = now->program;
    plan_gap            worst = {-1, 0, 0, 0, 0};
    int                 end = k + 1;
    while (end < p->point_count && !p->points[end].on_grid)
        end++;
    *next = end;
    if (end == p->point_count || p->points[end].phase != p->points[k].phase) return worst;
    const int     phase = p->points[k].phase;
    const double  a = p->points[k].u, b = p->points[end].u;
    const double *breaks = arne_bspline_breaks(p->phases[phase].spline);
    double        peak = -1;
    for (int i = 1; i < STEPS; i++)
        look_higher(now, phase, a + (b - a) * i / STEPS, which, sizes, &worst, &peak);
    for (int i = 1; breaks[i] < b; i++) // and at the knots, where torques may have corners
        if (breaks[i] > a) look_higher(now, phase, breaks[i], which, sizes, &worst, &peak);
    double d = 0.5 * (b - a) / STEPS;
    for (int i = 0; i < HALVINGS && peak >= 0; i++, d *= 0.5) { // and beside the worst of these
        const double at = peak;
        if (at - d > a) look_higher(now, phase, at - d, which, sizes, &worst, &peak);
        if (at + d < b) look_higher(now, phase, at + d, which, sizes, &worst, &peak);
    }
    return worst;
}

arne_status plan_worst_gap(const plan_solution *s, plan_gap *worst, arne_error *error)
{
    const plan_program *p = s->program;
    plan_set(s->program, s->x);
    double *sizes = quantity_sizes(s->program, s->x);
    *worst = (plan_gap){-1, 0, 0, 0, 0};
    if (!sizes) return arne_fail_memory(error);
    for (int k = 0, next = 0; k < p->point_count; k = next) {
        const plan_gap gap = worst_after(s, k, &next, ALL, sizes);
        if (gap.part > worst->part) *worst = gap;
    }
    free(sizes);
    return ARNE_OK;
}

// Marks the span of a phase in which a part of it lies.
static void mark_span(const plan_program *p, int phase, double u, unsigned char *spans)
{
    const double *breaks = arne_bspline_breaks(p->phases[phase].spline);
    int           i = 0;
    while (i + 1 < p->phases[phase].m - p->degree && u >= breaks[i + 1])
        i++;
    spans[p->phases[phase].first - phase * p->degree + i] = 1;
}

arne_status plan_gaps(const plan_solution *s, double part, plan_gaps_found *out, arne_error *error)
{
    const plan_program *p = s->program;
    plan_set(s->program, s->x);
    double *sizes = quantity_sizes(s->program, s->x);
    *out = (plan_gaps_found){.extra = malloc((size_t)(p->point_count + 1) * sizeof *out->extra),
                             .spans = calloc((size_t)p->m + 1, 1)};
    if (!sizes || !out->extra || !out->spans) {
        free(sizes);
        plan_gaps_free(out);
        return arne_fail_memory(error);
    }
    for (int k = 0, next = 0; k < p->point_count; k = next) {
        const int      phase = p->points[k].phase;
        const plan_gap limit = worst_after(s, k, &next, INEQUALITIES, sizes),
                       equality = worst_after(s, k, &next, EQUALITIES, sizes);
        double inside;
        if (equality.part > part) {
            (void)plan_phase_at(p->problem, times_of(p, s->x), equality.u, &inside);
            mark_span(p, phase, inside, out->spans);
            out->span_count++;
        }
        if (!(limit.part > part)) continue;
        (void)plan_phase_at(p->problem, times_of(p, s->x), limit.u, &inside);
        out->extra[out->extra_count++] = phase + inside;
    }
    free(sizes);
    return ARNE_OK;
}

void plan_gaps_free(plan_gaps_found *gaps)
{
    free(gaps->extra), free(gaps->spans);
    *gaps = (plan_gaps_found){0};
}

void arne_plan_evaluate(arne_plan *plan, double u, double *q, double *qd, double *qdd, double *qddd,
                        double *tau)
{
    const plan_problem *p = &plan->problem;
    const size_t        size = (size_t)p->v_count * sizeof(double);
    if (plan_ready(plan, -1, NULL) != ARNE_OK) return;
    plan_state *s = &plan->now.program->between;
    double      part;
    const int   phase = plan_phase_at(p, plan_durations(p, &plan->now), u, &part);
    plan_place(plan->now.program, s, phase, part, plan->now.x);
    const int lost = p->map.n && p->map.apply(&p->map, s, NULL);
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
