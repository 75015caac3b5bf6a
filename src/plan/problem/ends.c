// Where a motion starts and ends: with clamped splines the first control point is the first
// position, and where velocity (and acceleration) is zero the second (and third) are equal to it.
// Such constraints are bounds on variables, not rows.
#include "plan/problem/ends.h"
#include <math.h>

static int kind_of(const arne_plan *p, const plan_constraint *c)
{
    const plan_quantity *q = &p->quantities[c->quantity];
    return q->built_in && q->what.kind <= ARNE_QUANTITY_ACCELERATION ? (int)q->what.kind : -1;
}

// The control point of a coordinate that is the k-th from an end.
static int variable(const arne_plan *p, int coordinate, int end, int k)
{
    return coordinate * p->m + (end ? p->m - 1 - k : k);
}

static int is_fixed(const arne_plan *p, int x) { return p->x_lower[x] == p->x_upper[x]; }

// All rows are equalities that fix the next control point, given that those before it are fixed.
static int can_hold(const arne_plan *p, const plan_constraint *c, int order, int end)
{
    for (int r = 0; r < c->row_count; r++) {
        const double value = c->lower[r];
        const int    x = variable(p, c->rows[r], end, order),
                  before = variable(p, c->rows[r], end, order - 1);
        if (value != c->upper[r] || p->prescribed[c->rows[r]].on) return 0;
        if (order > 0 && (value != 0 || !is_fixed(p, before))) return 0;
        const double wanted = order > 0 ? p->x_lower[before] : value;
        if (wanted < p->x_lower[x] || wanted > p->x_upper[x]) return 0;
        if (order > 1 && p->x_lower[before] != p->x_lower[variable(p, c->rows[r], end, order - 2)])
            return 0;
    }
    return 1;
}

static void hold(arne_plan *p, plan_constraint *c, int order, int end)
{
    for (int r = 0; r < c->row_count; r++) {
        const int    x = variable(p, c->rows[r], end, order);
        const double value =
            order > 0 ? p->x_lower[variable(p, c->rows[r], end, order - 1)] : c->lower[r];
        p->x[x] = p->x_lower[x] = p->x_upper[x] = value;
    }
    c->held = 1;
}

void plan_hold_ends(arne_plan *p)
{
    for (int order = 0; order < 3 && (!p->map.n || p->map.same) && 2 * order + 2 <= p->m; order++)
        for (int i = 0; i < p->constraint_count; i++) {
            plan_constraint *c = &p->constraints[i];
            const int        end = c->from == 1;
            const int        edge = end ? p->phase_count - 1 : 0; // the motion's own ends
            if (c->phase >= 0 && c->phase != edge) continue;
            if (c->held || c->other >= 0 || c->from != c->to || (c->from != 0 && !end)) continue;
            if (kind_of(p, c) == order && can_hold(p, c, order, end)) hold(p, c, order, end);
        }
}
