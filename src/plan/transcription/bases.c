// Values of the basis functions that are nonzero at a point, and the points at which equalities are
// imposed.
#include "plan/problem/plan.h"
#include <math.h>
#include <string.h>

// At an impact the impulse is the last force variable of the phase before. Its basis functions are
// those of the start of the phase, shifted by one control point so that this variable is the first.
// The quantities of an impact depend on positions and velocities only, so the function that falls
// off at the end is not needed.
static void impact_bases(const plan_program *p, plan_point *at)
{
    const int wide = p->degree + 1;
    double    start[PLAN_ORDERS * 10];
    memset(at->basis, 0, (size_t)(PLAN_ORDERS * wide) * sizeof(double));
    memset(at->force, 0, (size_t)(PLAN_ORDERS * wide) * sizeof(double));
    (void)arne_bspline_basis(p->phases[at->phase].spline, 1, 0, PLAN_ORDERS, start);
    for (int k = 0; k < PLAN_ORDERS; k++)
        for (int a = 0; a + 1 < wide; a++)
            at->basis[k * wide + a + 1] = start[k * wide + a];
    at->first = p->phases[at->phase].first - 1;
    at->force[0] = 1;
}

void plan_bases(const plan_program *p, plan_point *at)
{
    const plan_phase *f = &p->phases[at->phase];
    const int         wide = p->degree + 1, less = p->degree - 1;
    double            low[PLAN_ORDERS * 10];
    if (at->impact) {
        impact_bases(p, at);
        return;
    }
    if (at->control) { // the force is the control point itself
        const int last = f->m - p->degree - 1, index = at->control - 1;
        memset(at->basis, 0, (size_t)(PLAN_ORDERS * wide) * sizeof(double));
        memset(at->force, 0, (size_t)(PLAN_ORDERS * wide) * sizeof(double));
        at->first = f->first + (index < last ? index : last);
        at->force[index - (at->first - f->first)] = 1;
        return;
    }
    at->first = f->first + arne_bspline_basis(f->spline, 1, at->u, PLAN_ORDERS, at->basis);
    if (!p->force_count) return;
    memset(at->force, 0, (size_t)(PLAN_ORDERS * wide) * sizeof(double));
    (void)arne_bspline_basis(f->force, 1, at->u, PLAN_ORDERS, low); // the same first one
    for (int k = 0; k < PLAN_ORDERS; k++)
        for (int a = 0; a < less; a++)
            at->force[k * wide + a] = low[k * less + a];
}

// Velocities that are tied are held where control points of velocities pull, so that a path follows
// from them as by a rule of integration; a spline that meets fewer could swing between. Likewise
// torques, where those of accelerations pull: in the middle of spans and at both ends they would be
// one too many, and accelerations would have to be the same at both ends. The ends are left out.
// Returns the degree of that spline; 0: in the middle of every span.
static int places_degree(const plan_program *p, const plan_constraint *c)
{
    const plan_quantity *q = &p->problem->quantities[c->quantity];
    if (q->tied) return p->degree - 1;
    return q->built_in && q->what.kind == ARNE_QUANTITY_TORQUE ? p->degree - 2 : 0;
}

int plan_inner_points(const plan_program *p, const plan_constraint *c)
{
    const int below = places_degree(p, c), spans = p->m - p->degree;
    return below ? spans + below - 2 : spans;
}

double plan_inner_point(const plan_program *p, const plan_constraint *c, int i)
{
    const int     spans = p->m - p->degree, below = places_degree(p, c);
    const double *breaks = arne_bspline_breaks(p->phases[0].spline);
    return plan_grid_place(below, spans, breaks, below ? i + 1 : i);
}
