// Motions on grids: copies, the same motion on a finer grid, and the program that belongs to one.
#include "base/error.h"
#include "plan/problem/plan_memory.h"
#include "plan/problem/plan_muscle.h"
#include <stdlib.h>
#include <string.h>

void plan_solution_free(plan_solution *s)
{
    plan_grid_free(&s->grid);
    plan_program_free(s->program);
    free(s->x), free(s->multipliers);
    *s = (plan_solution){0};
}

arne_status plan_solution_copy(const plan_problem *p, const plan_solution *from, plan_solution *out,
                               arne_error *error)
{
    *out = (plan_solution){.status = from->status};
    const arne_status status = plan_grid_copy(p, &from->grid, &out->grid, error);
    if (status) return status;
    out->x = plan_copy(from->x, plan_x_size(p, &from->grid), sizeof *from->x);
    if (out->x) return ARNE_OK;
    plan_solution_free(out);
    return arne_fail_memory(error);
}

// The control points of one coordinate on finer knots. Its motion is a spline on them too, so that
// interpolation at as many places as there are control points gives it exactly.
static arne_status solution_interpolate(const arne_bspline *spline, const double *control,
                                        const arne_bspline *finer, double *out, arne_error *error)
{
    const int               m = arne_bspline_count(finer);
    arne_bspline_condition *at = malloc((size_t)m * sizeof *at);
    double                 *values = malloc((size_t)m * sizeof *values);
    arne_status             status = at && values ? ARNE_OK : arne_fail_memory(error);
    for (int i = 0; !status && i < m; i++) {
        at[i] = (arne_bspline_condition){.t = arne_bspline_place(finer, i)};
        arne_bspline_evaluate(spline, 1, at[i].t, 1, control, 1, &values[i]);
    }
    if (!status) status = arne_bspline_fit(finer, 1, at, values, 1, out, error);
    free(at);
    free(values);
    return status;
}

arne_status plan_solution_finer(const plan_problem *p, const plan_solution *from, plan_grid *grid,
                                int threads, plan_solution *out, arne_error *error)
{
    *out = (plan_solution){
        .grid = *grid, .x = calloc(plan_x_size(p, grid), sizeof *out->x), .status = from->status};
    *grid = (plan_grid){0};
    arne_status status = out->x ? plan_program_new(p, &out->grid, threads, &out->program, error)
                                : arne_fail_memory(error);
    for (int j = 0; j < p->n && !status; j++)
        for (int k = 0; k < p->phase_count && !status && !p->prescribed[j].on; k++) {
            const plan_phase *old = &from->program->phases[k], *now = &out->program->phases[k];
            const int         force = j >= p->n - p->force_count;
            status = solution_interpolate(
                force ? old->force : old->spline, from->x + j * from->grid.m + old->first,
                force ? now->force : now->spline, out->x + j * out->grid.m + now->first, error);
        }
    if (status) {
        plan_solution_free(out);
        return status;
    }
    memcpy(plan_durations(p, out), plan_durations(p, from),
           (size_t)p->phase_count * sizeof *out->x);
    for (int i = 0; i < p->objective_count; i++) // as smooth as in the program before
        out->program->objectives[i].smooth = from->program->objectives[i].smooth;
    plan_solution_settle(out);
    return ARNE_OK;
}

void plan_solution_settle(plan_solution *s)
{
    const plan_program *n = s->program;
    for (int i = 0; i < n->x_count; i++)
        if (n->x_lower[i] == n->x_upper[i]) s->x[i] = n->x_lower[i];
    if (s->multiplier_count != n->row_count + 2 * n->x_count) { // of another program
        free(s->multipliers);
        s->multipliers = NULL;
    }
    s->multiplier_count = n->row_count + 2 * n->x_count;
}

arne_status plan_solution_ready(const plan_problem *p, plan_solution *s, int threads,
                                arne_error *error)
{
    if (s->program && threads >= 0 && s->program->threads != threads) {
        plan_program_free(s->program);
        s->program = NULL;
    }
    if (s->program) return ARNE_OK;
    const arne_status status =
        plan_program_new(p, &s->grid, threads < 0 ? 0 : threads, &s->program, error);
    if (!status) plan_solution_settle(s);
    return status;
}

arne_status plan_ready(arne_plan *plan, int threads, arne_error *error)
{
    if (!plan->problem.complete) {
        const arne_status status = plan_complete(&plan->problem, plan->now.grid.m, error);
        if (status) return status;
        plan_guess_forces(&plan->problem, &plan->now);
        plan_guess_activations(&plan->problem, &plan->now);
    }
    return plan_solution_ready(&plan->problem, &plan->now, threads, error);
}
