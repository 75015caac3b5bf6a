// Smoothness: the integral of squared accelerations, in place of an objective or beside it.
//
// In place of it, a search begins at the smoothest motion. Beside it: an objective that asks for
// the greatest of something, at an instant and at no cost (the speed of a toe, the height of a
// jump), is linear. Where equations of motion are held at nodes only, on coarse splines the best
// motion swings between the nodes and breaks the equations there. A weight on accelerations
// forbids that; it is made smaller, each time from the motion before and on splines that keep the
// equations, until the objective stays.
#include "base/error.h"
#include "plan/problem/plan_memory.h"
#include "plan/solve/search.h"
#include "robot/joint.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Weights of squared accelerations with AIM_SMOOTHEST, for times in units of T, 1/rad^2 and 1/m^2:
// a metre counts as three radians, as at the end of an arm of a third of a metre.
static const double SMOOTHEST_WEIGHT = 8e-5, SMOOTHEST_SLIDES = 10;

static arne_status add_smoothness(plan_problem *p, double T, arne_error *error)
{
    const arne_quantity what = {.kind = ARNE_QUANTITY_ACCELERATION};
    double             *weights = malloc((size_t)p->v_count * sizeof *weights);
    arne_objective      o = {
             .name = "smoothness", .row_count = p->v_count, .weights = weights, .at = -1};
    arne_status status =
        weights ? plan_add_quantity(p, &what, &o.quantity, error) : arne_fail_memory(error);
    for (int k = 0; !status && k < p->v_count; k++)
        weights[k] = SMOOTHEST_WEIGHT * T * T * T;
    for (int i = 0; !status && i < arne_robot_sizes(p->robot).joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(p->robot, i);
        if (joint_is_slide(j.kind) && j.v_count) weights[j.v_start] *= SMOOTHEST_SLIDES;
    }
    if (!status) status = plan_add_objective(p, &o, error);
    free(weights);
    return status;
}

// Quantities of its own, with room for one more.
static int copy_quantities(plan_problem *p)
{
    p->quantity_room = p->quantity_count + 1;
    p->quantities = plan_copy(p->quantities, (size_t)p->quantity_room, sizeof *p->quantities);
    return p->quantities != NULL;
}

// Solves the problem with another objective: of a copy that shares all else.
arne_status search_smooth_start(search *s, plan_solution *now, arne_error *error)
{
    plan_problem  smooth = *s->problem;
    plan_solution one;
    smooth.objectives = NULL;
    smooth.objective_count = smooth.objective_room = 0;
    smooth.time_weight = 0;
    if (!copy_quantities(&smooth)) return arne_fail_memory(error);
    arne_status status =
        add_smoothness(&smooth, plan_time(s->problem, plan_durations(s->problem, now)), error);
    if (!status) status = plan_solution_copy(s->problem, now, &one, error);
    if (!status) {
        status = plan_solution_ready(&smooth, &one, s->options->threads, error);
        if (!status) status = search_solve(s, &search_smoothest, NULL, &one, error);
        if (!status) memcpy(now->x, one.x, plan_x_size(s->problem, &now->grid) * sizeof *now->x);
        now->status = one.status;
        plan_solution_free(&one);
    }
    for (int i = 0; i < smooth.objective_count; i++)
        free(smooth.objectives[i].rows), free(smooth.objectives[i].weights);
    free(smooth.objectives), free(smooth.quantities);
    return status;
}

// ---- beside an objective

// The first weight is that of the smoothest motion times the largest slope of the objective, and
// SMOOTH_FIRST; then it is divided by SMOOTH_LESS, so many times at the most.
static const double SMOOTH_FIRST = 10, SMOOTH_LESS = 10;
enum { SMOOTH_LEVELS = 4 };

// Whether a term of the objective is to be as great as possible.
static int asks_for_greatest(const plan_problem *p)
{
    for (int i = 0; i < p->objective_count; i++)
        for (int r = 0; r < p->objectives[i].row_count; r++)
            if (p->objectives[i].weights[r] < 0) return 1;
    return 0;
}

int smooth_is_due(const plan_solution *now)
{
    const plan_program *p = now->program;
    for (int i = 0; i < p->problem->objective_count; i++)
        if (p->objectives[i].at < 0 && p->objectives[i].shape == ARNE_OBJECTIVE_SQUARE)
            return 0; // it has a cost already
    for (int i = 0; i < p->problem->constraint_count; i++)
        if (p->constraints[i].collocated) return asks_for_greatest(p->problem);
    return 0;
}

// The program of a motion for the problem that the search has now.
static arne_status smooth_renew(search *s, plan_solution *now, arne_error *error)
{
    plan_program_free(now->program);
    now->program = NULL;
    return plan_solution_ready(s->problem, now, s->options->threads, error);
}

static double largest_slope(const plan_solution *now)
{
    double  largest = 0;
    double *g = malloc(((size_t)now->program->x_count + 1) * sizeof *g);
    plan_set(now->program, now->x);
    if (g && !plan_objective_gradient(now->program, g))
        for (int i = 0; i < now->program->x_count; i++)
            largest = fmax(largest, fabs(g[i]));
    free(g);
    return largest;
}

// The speed of an end that hangs at rest changes with no control point to first order: the search
// would end where it begins. So far from such a start it begins, rad and m.
static const double NUDGE = 0.01;

void search_nudge(plan_solution *now)
{
    const plan_program *p = now->program;
    if (!asks_for_greatest(p->problem) || largest_slope(now) > 0) return;
    for (int i = 0; i < p->n * p->m; i++)
        if (p->x_lower[i] < p->x_upper[i]) now->x[i] += NUDGE * sin(1 + i);
}

static void smooth_scale(const smooth_problem *with, double factor)
{
    const plan_problem   *p = &with->problem;
    const plan_objective *o = &p->objectives[p->objective_count - 1];
    for (int k = 0; k < o->row_count; k++)
        o->weights[k] *= factor;
}

arne_status smooth_begin(search *s, smooth_problem *with, plan_solution *now, arne_error *error)
{
    plan_problem *p = &with->problem;
    const double  T = plan_time(s->problem, plan_durations(s->problem, now)),
                 slope = largest_slope(now);
    with->own = s->problem;
    *p = *s->problem;
    p->objective_room = p->objective_count + 1;
    p->objectives = plan_copy(p->objectives, (size_t)p->objective_room, sizeof *p->objectives);
    if (!copy_quantities(p) || !p->objectives) return arne_fail_memory(error);
    arne_status status = add_smoothness(p, T, error);
    if (status) return status;
    smooth_scale(with, SMOOTH_FIRST * slope);
    s->problem = p;
    return smooth_renew(s, now, error);
}

// The objective without smoothness.
static double smooth_own_value(const smooth_problem *with, const plan_solution *now)
{
    const plan_problem *p = &with->problem;
    plan_objective     *o = &now->program->objectives[p->objective_count - 1];
    const int           rows = o->row_count;
    o->row_count = 0;
    const double value = search_objective(now);
    o->row_count = rows;
    return value;
}

// Puts `kept` in the place of a motion that breaks constraints, also between nodes; frees the one
// that is not wanted.
static arne_status smooth_keep(search *s, plan_solution *kept, plan_solution *now, int *lost,
                               arne_error *error)
{
    plan_gap    gap = {0};
    arne_status status = plan_worst_gap(now, &gap, error);
    *lost = !status &&
            (!search_succeeded(now->status) || gap.part > search_allowed_between(s->options));
    if (*lost) {
        const plan_solution worse = *now;
        *now = *kept;
        *kept = worse;
        status = smooth_renew(s, now, error);
    }
    plan_solution_free(kept);
    return status;
}

// One search with a smaller weight. *lost: it led to no motion that keeps all constraints.
static arne_status smooth_step(search *s, smooth_problem *with, plan_solution *now, int *lost,
                               arne_error *error)
{
    plan_solution kept;
    arne_status   status = plan_solution_copy(s->problem, now, &kept, error);
    if (status) return status;
    smooth_scale(with, 1 / SMOOTH_LESS);
    status = search_solve(s, &search_near, NULL, now, error);
    if (!status) status = search_refine(s, now, error);
    if (!status) return smooth_keep(s, &kept, now, lost, error);
    plan_solution_free(&kept);
    return status;
}

// Where a search with a smaller weight, on splines that are finer still, would take minutes.
static int smooth_is_large(const search *s, const plan_solution *now)
{
    return 2 * s->problem->n * now->grid.m > CONVERGE_VARIABLES;
}

arne_status smooth_less(search *s, smooth_problem *with, plan_solution *now,
                        arne_plan_result *result, arne_error *error)
{
    const double allowed = s->options->converge != 0 ? fabs(s->options->converge) : 1e-3;
    double       before = smooth_own_value(with, now);
    int          lost = 0;
    if (s->stopped || !search_succeeded(now->status)) return ARNE_OK;
    result->converged = -1;
    search_note_step(s, now, before);
    for (int i = 0; i < SMOOTH_LEVELS && !s->stopped && !smooth_is_large(s, now); i++) {
        const arne_status status = smooth_step(s, with, now, &lost, error);
        if (status || lost) return status;
        const double after = smooth_own_value(with, now);
        search_note_step(s, now, after);
        result->change = fabs(after - before) / fmax(fabs(after), 1e-12);
        before = after;
        if (!(result->change < allowed)) continue;
        result->converged = 1;
        break;
    }
    return ARNE_OK;
}

arne_status smooth_end(search *s, smooth_problem *with, plan_solution *now, arne_error *error)
{
    plan_problem *p = &with->problem;
    if (s->problem == p) s->problem = with->own;
    const arne_status status = smooth_renew(s, now, error);
    for (int i = with->own->objective_count; p->objectives && i < p->objective_count; i++)
        free(p->objectives[i].rows), free(p->objectives[i].weights);
    free(p->objectives), free(p->quantities);
    return status;
}

arne_status smooth_converge(search *s, plan_solution *now, arne_plan_result *result,
                            arne_error *error)
{
    const arne_plan_result before = *result;
    plan_solution          kept;
    int                    lost = 0;
    if (result->converged < 0 || smooth_is_large(s, now)) return ARNE_OK;
    arne_status status = plan_solution_copy(s->problem, now, &kept, error);
    if (status) return status;
    s->plan->step_count = 0;
    status = search_converge(s, now, result, error);
    if (!status && !s->stopped) {
        status = smooth_keep(s, &kept, now, &lost, error);
        if (lost) *result = before;
        if (lost) s->plan->step_count = 1;
        return status;
    }
    plan_solution_free(&kept);
    return status;
}
