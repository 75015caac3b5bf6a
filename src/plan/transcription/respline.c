// Finer splines: every span is halved. The old motion is in the new space, so it is interpolated exactly.
#include "base/error.h"
#include "plan/problem/plan.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CONTROL_POINTS = 400 };

int plan_can_respline(const arne_plan *p)
{
    return 2 * (p->m - p->degree) + p->degree <= MOST_CONTROL_POINTS;
}

// The control points of one coordinate in the finer space.
static arne_status interpolate(const arne_plan *p, const arne_bspline *finer, int coordinate,
                               double *out, arne_error *error)
{
    const int               m = arne_bspline_count(finer);
    arne_bspline_condition *at = malloc((size_t)m * sizeof *at);
    double                 *values = malloc((size_t)m * sizeof *values);
    arne_status             status = at && values ? ARNE_OK : arne_fail_memory(error);
    for (int i = 0; !status && i < m; i++) {
        at[i] = (arne_bspline_condition){.t = arne_bspline_place(finer, i)};
        arne_bspline_evaluate(p->spline, 1, at[i].t, 1, p->x + coordinate * p->m, 1, &values[i]);
    }
    if (!status) status = arne_bspline_fit(finer, 1, at, values, 1, out, error);
    free(at);
    free(values);
    return status;
}

typedef struct variables {
    double *x, *lower, *upper;
} variables;

static variables new_variables(size_t count)
{
    const variables v = {calloc(count, sizeof(double)), calloc(count, sizeof(double)),
                         calloc(count, sizeof(double))};
    return v;
}

static void free_variables(variables *v) { free(v->x), free(v->lower), free(v->upper); }

// Bounds of a coordinate. Along a path the first and the last ones are fixed: it starts and ends at rest.
static void bound_coordinate(const arne_plan *p, int j, int m, variables *v)
{
    for (int i = 0; i < m; i++) {
        v->lower[j * m + i] = p->prescribed[j].on ? 0 : p->coordinate_lower[j];
        v->upper[j * m + i] = p->prescribed[j].on ? 0 : p->coordinate_upper[j];
    }
    for (int i = 0; p->map.n && !p->planned_from && i < p->m / 2; i++) {
        const int old[2] = {j * p->m + i, j * p->m + p->m - 1 - i};
        const int at[2] = {j * m + i, j * m + m - 1 - i};
        for (int end = 0; end < 2; end++) {
            if (p->x_lower[old[end]] != p->x_upper[old[end]]) continue;
            v->x[at[end]] = v->lower[at[end]] = v->upper[at[end]] = p->x_lower[old[end]];
        }
    }
}

arne_status plan_respline(arne_plan *p, arne_error *error)
{
    const int     m = 2 * (p->m - p->degree) + p->degree, last = p->n * p->m;
    const size_t  count = (size_t)p->n * (size_t)m + 1;
    arne_bspline *finer = NULL;
    variables     v = new_variables(count);
    arne_status   status = v.x && v.lower && v.upper ? ARNE_OK : arne_fail_memory(error);
    if (!status) status = arne_bspline_new(p->degree, m, NULL, &finer, error);
    for (int j = 0; !status && j < p->n; j++) {
        if (!p->prescribed[j].on) status = interpolate(p, finer, j, v.x + j * m, error);
        bound_coordinate(p, j, m, &v);
    }
    if (status) {
        arne_bspline_free(finer);
        free_variables(&v);
        return status;
    }
    v.x[count - 1] = p->x[last];
    v.lower[count - 1] = p->x_lower[last];
    v.upper[count - 1] = p->x_upper[last];
    plan_forget(p);
    variables old = {p->x, p->x_lower, p->x_upper};
    free_variables(&old);
    arne_bspline_free(p->spline);
    p->x = v.x, p->x_lower = v.lower, p->x_upper = v.upper;
    p->spline = finer;
    p->m = m;
    p->x_count = (int)count - !p->free_time;
    p->multiplier_count = -1; // of another size
    p->has_multipliers = 0;
    for (int i = 0; i < p->constraint_count; i++)
        p->constraints[i].held = 0; // by variables that are no more
    return ARNE_OK;
}
