// Grids: where the knots of a motion's splines are, and at which points it is looked at.
#include "base/error.h"
#include "plan/problem/plan.h"
#include "plan/problem/plan_memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Control points of a coordinate, of all phases together. Ipopt's time grows with their number and
// its square: beyond, a step of a robot with six joints takes more than a second.
enum { GRID_CONTROL_POINTS = 400 };

const double *plan_grid_breaks(const plan_problem *p, const plan_grid *grid, int phase)
{
    const double *at = grid->breaks;
    for (int k = 0; k < phase; k++)
        at += grid->counts[k] - p->degree + 1;
    return at;
}

static arne_status grid_new(const plan_problem *p, int m, plan_grid *out, arne_error *error)
{
    *out = (plan_grid){.m = m,
                       .counts = calloc((size_t)p->phase_count + 1, sizeof *out->counts),
                       .breaks = calloc((size_t)m + 1, sizeof *out->breaks)};
    if (out->counts && out->breaks) return ARNE_OK;
    plan_grid_free(out);
    return arne_fail_memory(error);
}

void plan_grid_free(plan_grid *grid)
{
    free(grid->counts), free(grid->breaks), free(grid->extra);
    *grid = (plan_grid){0};
}

arne_status plan_grid_first(const plan_problem *p, plan_grid *out, arne_error *error)
{
    int m = 0;
    for (int k = 0; k < p->phase_count; k++)
        m += p->phases[k].m;
    const arne_status status = grid_new(p, m, out, error);
    if (status) return status;
    double *at = out->breaks;
    out->grid_points = p->options.grid_points;
    for (int k = 0; k < p->phase_count; k++) {
        const int spans = p->phases[k].m - p->degree;
        out->counts[k] = p->phases[k].m;
        for (int i = 0; i <= spans; i++)
            *at++ = (double)i / spans;
    }
    return ARNE_OK;
}

arne_status plan_grid_copy(const plan_problem *p, const plan_grid *from, plan_grid *out,
                           arne_error *error)
{
    const arne_status status = grid_new(p, from->m, out, error);
    if (status) return status;
    memcpy(out->counts, from->counts, (size_t)p->phase_count * sizeof *out->counts);
    memcpy(out->breaks, from->breaks, (size_t)from->m * sizeof *out->breaks);
    out->grid_points = from->grid_points;
    out->extra = plan_copy(from->extra, (size_t)from->extra_count, sizeof *from->extra);
    if (from->extra) out->extra_count = from->extra_count;
    if (out->extra) return ARNE_OK;
    plan_grid_free(out);
    return arne_fail_memory(error);
}

static int count_halved(const plan_problem *p, const plan_grid *grid, const unsigned char *which)
{
    int count = 0;
    for (int i = 0; i < grid->m - p->phase_count * p->degree; i++)
        count += !which || which[i];
    return count;
}

int plan_grid_can_halve(const plan_problem *p, const plan_grid *grid, const unsigned char *which)
{
    return grid->m + count_halved(p, grid, which) <= GRID_CONTROL_POINTS;
}

arne_status plan_grid_halve(const plan_problem *p, const plan_grid *from,
                            const unsigned char *which, plan_grid *out, arne_error *error)
{
    int               span = 0;
    const arne_status status = grid_new(p, from->m + count_halved(p, from, which), out, error);
    if (status) return status;
    const double *old = from->breaks;
    double       *at = out->breaks;
    for (int k = 0; k < p->phase_count; k++, *at++ = *old++) {
        out->counts[k] = from->counts[k];
        for (int i = 0; i < from->counts[k] - p->degree; i++, span++, old++) {
            *at++ = old[0];
            if (which && !which[span]) continue;
            *at++ = 0.5 * (old[0] + old[1]);
            out->counts[k]++;
        }
    }
    out->grid_points = from->grid_points;
    out->extra = plan_copy(from->extra, (size_t)from->extra_count, sizeof *from->extra);
    if (from->extra) out->extra_count = from->extra_count;
    if (out->extra) return ARNE_OK;
    plan_grid_free(out);
    return arne_fail_memory(error);
}

double plan_grid_place(int degree, int spans, const double *breaks, int i)
{
    double sum = 0;
    for (int k = 1; k <= degree; k++) {
        const int knot = i + k - degree;
        sum += breaks[knot < 0 ? 0 : knot > spans ? spans : knot];
    }
    return degree ? sum / degree : 0.5 * (breaks[i] + breaks[i + 1]);
}

double plan_control_place(const plan_problem *p, const plan_grid *grid, const double *T, int i)
{
    int k = 0;
    for (; k + 1 < p->phase_count && i >= grid->counts[k]; k++)
        i -= grid->counts[k];
    return plan_part(
        p, T, k,
        plan_grid_place(p->degree, grid->counts[k] - p->degree, plan_grid_breaks(p, grid, k), i));
}
