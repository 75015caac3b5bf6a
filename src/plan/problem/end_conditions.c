// Where a motion starts and ends: with clamped splines the first control point is the first
// position, and where velocity (and acceleration) is zero the second (and third) are equal to it.
// Such constraints are bounds on variables, not rows.
#include "plan/problem/end_conditions.h"
#include "base/error.h"
#include <math.h>
#include <stdlib.h>

// Whether all rows are equalities that fix the next control point, given that those before it are
// fixed.
static int can_hold(const plan_problem *p, const plan_ends *ends, const plan_constraint *c,
                    int order, int end)
{
    for (int r = 0; r < c->row_count; r++) {
        const int     j = c->rows[r];
        const double *at = plan_end_point(ends, j, end, 0), value = c->lower[r];
        if (value != c->upper[r] || p->prescribed[j].on) return 0;
        if (order > 0 && (value != 0 || isnan(at[order - 1]))) return 0;
        if (order > 1 && at[1] != at[0]) return 0;
        const double wanted = order > 0 ? at[order - 1] : value;
        if (!isnan(at[order]) && at[order] != wanted) return 0;
        if (wanted < p->coordinate_lower[j] || wanted > p->coordinate_upper[j]) return 0;
    }
    return 1;
}

static void hold(const plan_ends *ends, const plan_constraint *c, int order, int end)
{
    for (int r = 0; r < c->row_count; r++) {
        double *at = plan_end_point(ends, c->rows[r], end, 0);
        at[order] = order > 0 ? at[order - 1] : c->lower[r];
    }
}

// Along a path the motion starts and ends at rest.
static void hold_path(const plan_ends *ends)
{
    for (int end = 0; end < 2; end++)
        for (int k = 0; k < 2; k++)
            *plan_end_point(ends, 0, end, k) = end;
}

arne_status plan_ends_find(const plan_problem *p, int m, plan_ends *out, arne_error *error)
{
    const size_t size = 2 * ENDS_ORDERS * (size_t)p->n;
    *out = (plan_ends){.fixed = malloc(size * sizeof *out->fixed),
                       .held = calloc((size_t)p->constraint_count + 1, 1)};
    if (!out->fixed || !out->held) {
        plan_ends_free(out);
        return arne_fail_memory(error);
    }
    for (size_t i = 0; i < size; i++) {
        const size_t j = i / (2 * ENDS_ORDERS);
        out->fixed[i] =
            p->coordinate_lower[j] == p->coordinate_upper[j] ? p->coordinate_lower[j] : NAN;
    }
    if (p->map.n && !p->planned_from) hold_path(out);
    for (int order = 0; order < ENDS_ORDERS && (!p->map.n || p->map.same) && 2 * order + 2 <= m;
         order++)
        for (int i = 0; i < p->constraint_count; i++) {
            const plan_constraint *c = &p->constraints[i];
            const int              end = c->from == 1;
            const int              edge = end ? p->phase_count - 1 : 0; // the motion's own ends
            if (c->phase >= 0 && c->phase != edge) continue;
            if (out->held[i] || c->other >= 0 || c->from != c->to || (c->from != 0 && !end))
                continue;
            const plan_quantity *q = &p->quantities[c->quantity];
            if (!plan_quantity_is(q, KIND_COORDINATE) || q->kind->order != order) continue;
            if (!can_hold(p, out, c, order, end)) continue;
            hold(out, c, order, end);
            out->held[i] = 1;
        }
    return ARNE_OK;
}

void plan_ends_free(plan_ends *ends)
{
    free(ends->fixed), free(ends->held);
    *ends = (plan_ends){0};
}
