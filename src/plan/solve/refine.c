// Refinement: a new grid, and a new solution on it, until what constraints miss between the points
// that hold them is small. The old solution stays until the new one is a motion that keeps all
// constraints.
#include "base/error.h"
#include "plan/problem/plan_memory.h"
#include "plan/solve/search.h"
#include <stdlib.h>
#include <string.h>

double search_allowed_between(const arne_solve_options *o)
{
    return o->between > 0 ? o->between : 0.01;
}

static arne_status add_points(const plan_problem *p, const plan_grid *from,
                              const plan_gaps_found *gaps, plan_grid *out, arne_error *error)
{
    const arne_status status = plan_grid_copy(p, from, out, error);
    if (status) return status;
    double *extra =
        realloc(out->extra, (size_t)(out->extra_count + gaps->extra_count + 1) * sizeof *extra);
    if (!extra) {
        plan_grid_free(out);
        return arne_fail_memory(error);
    }
    out->extra = extra;
    memcpy(extra + out->extra_count, gaps->extra, (size_t)gaps->extra_count * sizeof *extra);
    out->extra_count += gaps->extra_count;
    return ARNE_OK;
}

// Finer splines where an equality is missed, more grid points where a limit is. *changed: 0 where
// neither is.
static arne_status finer_grid(const plan_problem *p, const plan_solution *now, double part,
                              int is_smooth, plan_grid *out, int *changed, arne_error *error)
{
    plan_gaps_found gaps;
    arne_status     status = plan_gaps(now, part, &gaps, error);
    if (status) return status;
    // In phases all spans are halved: what is missed in one of them pushes the others, too. Not so
    // where smoothness holds the others.
    const int            all = (p->phase_count > 1 || p->force_count) && !is_smooth;
    const unsigned char *which = all ? NULL : gaps.spans;
    const int            halves = gaps.span_count && plan_grid_can_halve(p, &now->grid, which);
    *changed = halves || gaps.extra_count;
    if (halves)
        status = plan_grid_halve(p, &now->grid, which, out, error);
    else if (gaps.extra_count)
        status = add_points(p, &now->grid, &gaps, out, error);
    plan_gaps_free(&gaps);
    return status;
}

// One round. *better: `now` is another solution, on a finer grid.
static arne_status refine_once(search *s, plan_solution *now, int *better, arne_error *error)
{
    const plan_problem *p = s->problem;
    plan_grid           grid = {0};
    plan_solution       next = {0};
    const int           is_smooth = p != &s->plan->problem;
    arne_status         status =
        finer_grid(p, now, search_allowed_between(s->options), is_smooth, &grid, better, error);
    if (status || !*better) return status;
    status = plan_solution_finer(p, now, &grid, s->options->threads, &next, error);
    const int joined = p->phase_count > 1 || p->force_count;
    if (!status)
        status = search_solve(s, joined ? &search_near : &search_plain, NULL, &next, error);
    *better = !status && !search_found_none(s, &next);
    if (*better) {
        const plan_solution old = *now;
        *now = next;
        next = old;
        s->refinements++;
    }
    plan_solution_free(&next);
    return status;
}

arne_status search_refine(search *s, plan_solution *now, arne_error *error)
{
    const int rounds = s->options->refine < 0 ? 0 : s->options->refine > 0 ? s->options->refine : 8;
    int       better = 1;
    for (int i = 0; i < rounds && better && search_succeeded(now->status) && !s->stopped; i++) {
        const arne_status status = refine_once(s, now, &better, error);
        if (status) return status;
    }
    return ARNE_OK;
}
