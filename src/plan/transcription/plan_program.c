// Transcribing a problem on a grid: the instants at which anything is asked, what each of them
// needs, and which entries the derivatives have.
#include "base/error.h"
#include "plan/problem/end_conditions.h"
#include "plan/problem/plan_memory.h"
#include "plan/problem/plan_muscle.h"
#include "plan/transcription/plan_impact.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SAME = 1e-12; // instants t/T that are one

// ---- points

static int find_point(const plan_program *p, int phase, double u)
{
    for (int i = 0; i < p->point_count; i++)
        if (p->points[i].phase == phase && !p->points[i].control && !p->points[i].impact &&
            fabs(p->points[i].u - u) < SAME)
            return i;
    return -1;
}

static plan_point *new_point(plan_program *p)
{
    if (p->point_count == p->point_room) {
        const int   room = p->point_room ? 2 * p->point_room : 64;
        plan_point *more = realloc(p->points, (size_t)room * sizeof *more);
        if (!more) return NULL;
        p->points = more;
        p->point_room = room;
    }
    return &p->points[p->point_count++];
}

// The point at u of a phase is added where there is none. 0: no memory.
static int need_point(plan_program *p, int phase, double u, double weight, int on_grid)
{
    const int   found = find_point(p, phase, u);
    plan_point *at = found < 0 ? new_point(p) : &p->points[found];
    if (!at) return 0;
    if (found < 0) *at = (plan_point){.u = u, .phase = phase};
    at->weight += weight;
    at->on_grid |= on_grid;
    return 1;
}

static int program_by_time(const void *a, const void *b)
{
    const plan_point *x = a, *y = b;
    if (x->phase != y->phase) return x->phase - y->phase;
    if (!x->control != !y->control) return x->control - y->control;
    if (x->control != y->control) return x->control - y->control;
    if (x->impact != y->impact) return x->impact - y->impact;
    return (x->u > y->u) - (x->u < y->u);
}

static int spans_of(const plan_program *p, int phase) { return p->phases[phase].m - p->degree; }

static const double *breaks_of(const plan_program *p, int phase)
{
    return arne_bspline_breaks(p->phases[phase].spline);
}

// Grid point i of n: evenly over the phase, or the same number in every span.
static double grid_point(const plan_program *p, const plan_grid *grid, int phase, int i, int n)
{
    const int     per_span = p->problem->options.per_span;
    const double *breaks = breaks_of(p, phase);
    if (grid->grid_points || i == n) return (double)i / n;
    const double a = breaks[i / per_span], b = breaks[i / per_span + 1];
    return a + (b - a) * (i % per_span) / per_span;
}

static int add_grid(plan_program *p, const plan_grid *grid)
{
    for (int phase = 0; phase < p->phase_count; phase++) {
        const int n = grid->grid_points ? grid->grid_points - 1
                                        : spans_of(p, phase) * p->problem->options.per_span;
        for (int i = 0; i <= n; i++) {
            const double weight =
                p->problem->options.trapezoid ? (i == 0 || i == n ? 0.5 : 1) / n : 0;
            if (!need_point(p, phase, grid_point(p, grid, phase, i, n), weight, 1)) return 0;
        }
    }
    for (int i = 0; i < grid->extra_count; i++) {
        const int phase = (int)grid->extra[i];
        if (!need_point(p, phase, grid->extra[i] - phase, 0, 1)) return 0;
    }
    return 1;
}

static int has_integral(const plan_program *p)
{
    for (int i = 0; i < p->problem->objective_count; i++)
        if (p->objectives[i].at < 0) return 1;
    return 0;
}

static int add_gauss(plan_program *p)
{
    static const double at[3] = {-0.77459666924148337704, 0, 0.77459666924148337704},
                        weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    for (int phase = 0; phase < p->phase_count && !p->problem->options.trapezoid && has_integral(p);
         phase++) {
        const double *breaks = breaks_of(p, phase);
        for (int s = 0; s < spans_of(p, phase); s++) {
            const double middle = 0.5 * (breaks[s] + breaks[s + 1]),
                         wide = breaks[s + 1] - breaks[s];
            for (int i = 0; i < 3; i++)
                if (!need_point(p, phase, middle + 0.5 * at[i] * wide, weight[i] * wide, 0))
                    return 0;
        }
    }
    return 1;
}

// ---- equalities

// A spline cannot keep a quantity that is not linear in the motion equal to something everywhere.
// It is imposed at as many points as there are control points to spare: one in every span, and the
// ends if that leaves enough. In phases, and with contacts, it is imposed at the Greville points of
// accelerations: two fewer than those of positions, since position and velocity at the start are
// given.
static int is_collocated(const plan_program *p, const plan_constraint *c)
{
    if (c->hold != HOLD_GRID && c->hold != HOLD_COLLOCATION) return 0;
    if (c->from >= c->to || (c->other >= 0 && c->other_at >= 0)) return 0;
    if (plan_is_linear(p->problem, &p->problem->quantities[c->quantity])) return 0;
    for (int r = 0; r < c->row_count; r++)
        if (c->lower[r] != c->upper[r]) return 0;
    return c->row_count > 0;
}

static int in_phases(const plan_program *p) { return p->phase_count > 1 || p->force_count > 0; }

static int covers(const plan_constraint *c, int phase) { return c->phase < 0 || c->phase == phase; }

static int free_variables(const plan_program *p)
{
    int count = 0;
    for (int i = 0; i < p->n * p->m; i++)
        count += p->x_lower[i] < p->x_upper[i];
    return count;
}

static int program_is_inside(const plan_constraint *c, double u)
{
    return u > c->from - SAME && u < c->to + SAME;
}

// Adds the Greville points of the spline, from control point `first` on.
static int program_add_places(plan_program *p, const plan_constraint *c, int phase,
                              const arne_bspline *spline, int first)
{
    for (int i = first; i < arne_bspline_count(spline); i++) {
        const double u = arne_bspline_place(spline, i);
        if (program_is_inside(c, u) && !need_point(p, phase, u, 0, 0)) return 0;
    }
    return 1;
}

static int is_place(const arne_bspline *spline, int first, double u)
{
    for (int i = first; i < arne_bspline_count(spline); i++)
        if (fabs(arne_bspline_place(spline, i) - u) < SAME) return 1;
    return 0;
}

static int add_control_points(plan_program *p, int phase)
{
    const plan_phase *f = &p->phases[phase];
    for (int i = 0; i < f->m - 2; i++) {
        plan_point *at = new_point(p);
        if (!at) return 0;
        *at = (plan_point){.u = arne_bspline_place(f->force, i), .phase = phase, .control = 1 + i};
    }
    return 1;
}

static int add_phase_points(plan_program *p)
{
    for (int phase = 0; phase < p->phase_count; phase++) {
        const plan_phase *f = &p->phases[phase];
        int               controls = 0;
        for (int i = 0; i < p->problem->constraint_count; i++) {
            const plan_constraint *c = &p->constraints[i];
            if (!covers(c, phase)) continue;
            controls |= c->hold == HOLD_CONTROLS;
            if (c->hold == HOLD_PLACES && !program_add_places(p, c, phase, f->spline, 2)) return 0;
            if (c->collocated && !program_add_places(p, c, phase, f->force, 0)) return 0;
        }
        if (controls && !add_control_points(p, phase)) return 0;
        plan_point *at = plan_has_impact(p->problem, phase) ? new_point(p) : NULL;
        if (at) *at = (plan_point){.phase = phase, .impact = 1};
        if (!at && plan_has_impact(p->problem, phase)) return 0;
    }
    return 1;
}

// Whether positions and velocities at an end are fixed.
static int end_is_given(const plan_program *p, int end)
{
    for (int j = 0; j < p->n; j++)
        for (int i = 0; i < 2; i++) {
            const int at = j * p->m + (end ? p->m - 1 - i : i);
            if (p->x_lower[at] < p->x_upper[at]) return 0;
        }
    return 1;
}

static int add_collocation(plan_program *p)
{
    int spare = free_variables(p);
    for (int i = 0; i < p->problem->constraint_count; i++) {
        plan_constraint *c = &p->constraints[i];
        c->collocated = is_collocated(p, c);
        c->at_ends = 0;
        for (int s = 0; c->collocated && !in_phases(p) && s < plan_inner_points(p, c); s++) {
            const double u = plan_inner_point(p, c, s);
            if (u < c->from || u > c->to) continue;
            spare -= c->row_count;
            if (!need_point(p, 0, u, 0, 0)) return 0;
        }
    }
    if (in_phases(p)) return add_phase_points(p);
    for (int i = 0; i < p->problem->constraint_count; i++) {
        plan_constraint *c = &p->constraints[i];
        for (int end = 0; c->collocated && end < 2; end++) {
            const double u = end;
            if (spare < c->row_count || u < c->from || u > c->to) continue;
            if (p->problem->quantities[c->quantity].tied && end_is_given(p, end)) continue;
            spare -= c->row_count;
            c->at_ends |= 1 << end;
            if (!need_point(p, 0, u, 0, 0)) return 0;
        }
    }
    return 1;
}

static int is_collocation_point(const plan_program *p, const plan_constraint *c, double u)
{
    if (u < SAME || u > 1 - SAME) return c->at_ends >> (u > 0.5) & 1;
    for (int i = 0; i < plan_inner_points(p, c); i++)
        if (fabs(plan_inner_point(p, c, i) - u) < SAME) return program_is_inside(c, u);
    return 0;
}

// The phase of an instant. Of a motion with several phases, only the start and the end can be named
// as parts of the whole.
static int program_phase_of(const plan_program *p, int phase, double u)
{
    return phase >= 0 ? phase : u > 0.5 ? p->phase_count - 1 : 0;
}

// Instants that constraints and objectives name.
static int program_add_named(plan_program *p)
{
    for (int i = 0; i < p->problem->constraint_count; i++) {
        const plan_constraint *c = &p->constraints[i];
        if (c->from == c->to &&
            !need_point(p, program_phase_of(p, c->phase, c->from), c->from, 0, 0))
            return 0;
        if (c->other >= 0 && c->other_at >= 0 &&
            !need_point(p, program_phase_of(p, c->other_phase, c->other_at), c->other_at, 0, 0))
            return 0;
    }
    for (int i = 0; i < p->problem->objective_count; i++) {
        const plan_objective *o = &p->objectives[i];
        if (o->at >= 0 && !need_point(p, program_phase_of(p, o->phase, o->at), o->at, 0, 0))
            return 0;
    }
    return 1;
}

static int fill_bases(plan_program *p)
{
    const size_t size = PLAN_ORDERS * (size_t)(p->degree + 1);
    for (int i = 0; i < p->point_count; i++) {
        plan_point *at = &p->points[i];
        at->basis = calloc(2 * size, sizeof(double));
        if (!at->basis) return 0;
        at->force = at->basis + size;
        plan_bases(p, at);
        if (!at->control && !at->impact) p->phases[at->phase].point = i;
    }
    return 1;
}

// Whether a constraint is held at a point.
static int is_held_at(const plan_program *p, const plan_constraint *c, const plan_point *at)
{
    const plan_phase *f = &p->phases[at->phase];
    if (!at->control != (c->hold != HOLD_CONTROLS)) return 0;
    if (at->impact != (c->hold == HOLD_IMPACT)) return 0;
    if (c->hold == HOLD_IMPACT) return covers(c, at->phase);
    if (c->from == c->to && c->hold == HOLD_GRID)
        return at->phase == program_phase_of(p, c->phase, c->from) && fabs(at->u - c->from) < SAME;
    if (!covers(c, at->phase)) return 0;
    if (c->hold == HOLD_CONTROLS) return 1;
    if (c->hold == HOLD_PLACES)
        return is_place(f->spline, 2, at->u) &&
               !(c->but_last && fabs(arne_bspline_place(f->spline, f->m - 2) - at->u) < SAME);
    if (c->collocated && in_phases(p))
        return program_is_inside(c, at->u) && is_place(f->force, 0, at->u);
    if (c->collocated) return is_collocation_point(p, c, at->u);
    return at->on_grid && program_is_inside(c, at->u);
}

// Which points each constraint is held at, and its place among the rows.
static int place_constraints(plan_program *p)
{
    p->row_count = 0;
    for (int i = 0; i < p->problem->constraint_count; i++) {
        plan_constraint *c = &p->constraints[i];
        const size_t     most = (size_t)p->point_count;
        c->points = malloc(most * sizeof(int));
        c->other_points = malloc(most * sizeof(int));
        if (!c->points || !c->other_points) return 0;
        c->point_count = 0;
        c->first_row = p->row_count;
        const int other =
            c->other < 0 || c->other_at < 0
                ? -1
                : find_point(p, program_phase_of(p, c->other_phase, c->other_at), c->other_at);
        for (int k = 0; k < p->point_count && !c->held; k++) {
            if (!is_held_at(p, c, &p->points[k])) continue;
            c->points[c->point_count] = k;
            c->other_points[c->point_count++] = c->other < 0 ? -1 : c->other_at < 0 ? k : other;
        }
        p->row_count += c->point_count * c->row_count;
    }
    for (int i = 0; i < p->problem->objective_count; i++) {
        plan_objective *o = &p->objectives[i];
        o->point = o->at < 0 ? -1 : find_point(p, program_phase_of(p, o->phase, o->at), o->at);
    }
    return 1;
}

// ---- states

arne_status plan_state_new(const plan_problem *p, plan_worker *worker, plan_state *s,
                           const unsigned char *needed)
{
    const size_t n = (size_t)p->n, v = (size_t)p->v_count, all = PLAN_ORDERS * n;
    const int    apart = p->map.n || p->force_count;
    const size_t robot = (apart ? PLAN_ORDERS * v : 0) + (p->map.n ? PLAN_ORDERS * v * all : 0);
    size_t       size = all + robot + v + 3 * v * v + v * (size_t)p->force_count;
    for (int i = 0; i < p->quantity_count; i++)
        if (!needed || needed[i]) size += (size_t)p->quantities[i].rows * (1 + all);
    const size_t count = (size_t)p->quantity_count + 1;
    *s = (plan_state){.problem = p,
                      .at = worker,
                      .block = calloc(size, sizeof(double)),
                      .value = calloc(count, sizeof(double *)),
                      .gradient = calloc(count, sizeof(double *)),
                      .fresh = calloc(count, 1)};
    if (!s->block || !s->value || !s->gradient || !s->fresh) return ARNE_NO_MEMORY;
    if (p->wrench_count) {
        const int bodies = arne_robot_sizes(p->robot).body_count;
        s->f_ext = calloc((size_t)bodies, sizeof *s->f_ext);
        s->loads = calloc((size_t)p->wrench_count, sizeof *s->loads);
        if (!s->f_ext || !s->loads) return ARNE_NO_MEMORY;
    }
    double *at = s->block;
    s->z = at, at += all;
    s->q = apart ? at : s->z;
    s->qd = s->q + v, s->qdd = s->qd + v, s->qddd = s->qdd + v;
    s->carry = p->map.n ? at + PLAN_ORDERS * v : NULL;
    at += robot;
    s->tau = at, at += v;
    s->tau_q = at, at += v * v;
    s->tau_v = at, at += v * v;
    s->M = at, at += v * v;
    s->tau_f = at, at += v * (size_t)p->force_count;
    for (int i = 0; i < p->quantity_count; i++) {
        if (needed && !needed[i]) continue;
        const size_t rows = (size_t)p->quantities[i].rows;
        s->value[i] = at, at += rows;
        s->gradient[i] = at, at += rows * all;
    }
    return ARNE_OK;
}

void plan_state_free(plan_state *s)
{
    free(s->block);
    free(s->value);
    free(s->gradient);
    free(s->fresh);
    free(s->f_ext);
    free(s->loads);
    *s = (plan_state){0};
}

static void mark_needed(const plan_program *p, int point, unsigned char *needed)
{
    memset(needed, 0, (size_t)p->problem->quantity_count);
    for (int i = 0; i < p->problem->constraint_count; i++) {
        const plan_constraint *c = &p->constraints[i];
        for (int k = 0; k < c->point_count; k++) {
            if (c->points[k] == point) needed[c->quantity] = 1;
            if (c->other >= 0 && c->other_points[k] == point) needed[c->other] = 1;
        }
    }
    for (int i = 0; i < p->problem->objective_count; i++) {
        const plan_objective *o = &p->objectives[i];
        const int             inside = o->phase < 0 || o->phase == p->points[point].phase;
        if (o->point == point || (o->point < 0 && inside && p->points[point].weight > 0))
            needed[o->quantity] = 1;
    }
}

static int make_states(plan_program *p)
{
    unsigned char *needed = malloc((size_t)p->problem->quantity_count + 1);
    p->states = calloc((size_t)p->point_count + 1, sizeof *p->states);
    int fine = needed && p->states;
    for (int i = 0; fine && i < p->point_count; i++) {
        mark_needed(p, i, needed);
        fine = plan_state_new(p->problem, p->workers, &p->states[i], needed) == ARNE_OK;
        p->states[i].u = p->points[i].u;
        p->states[i].phase = p->points[i].phase;
    }
    free(needed);
    p->bad = calloc((size_t)p->point_count + 1, 1);
    return fine && p->bad && plan_state_new(p->problem, p->workers, &p->between, NULL) == ARNE_OK;
}

// ---- scratch

static int make_scratch(plan_program *p)
{
    const size_t count = (size_t)p->row_count + 1;
    size_t       rows = 1, places = 1;
    for (int i = 0; i < p->problem->quantity_count; i++)
        rows += (size_t)p->problem->quantities[i].rows;
    for (int i = 0; i < p->problem->constraint_count; i++)
        places += (size_t)p->constraints[i].point_count;
    p->lambda = malloc(rows * (size_t)p->point_count * sizeof(double));
    p->quantity_start = calloc((size_t)p->problem->quantity_count + 1, sizeof(int));
    p->jacobian_start = calloc(places, sizeof(int));
    p->row_lower = malloc(count * sizeof(double));
    p->row_upper = malloc(count * sizeof(double));
    p->row_scale = malloc(count * sizeof(double));
    if (!p->lambda || !p->quantity_start || !p->jacobian_start || !p->row_lower || !p->row_upper ||
        !p->row_scale)
        return 0;
    for (int i = 0; i < p->problem->constraint_count; i++) {
        const plan_constraint *c = &p->constraints[i];
        for (int k = 0; k < c->point_count; k++)
            for (int r = 0; r < c->row_count; r++) {
                const int at = c->first_row + k * c->row_count + r;
                p->row_lower[at] = c->lower[r];
                p->row_upper[at] = c->upper[r];
                p->row_scale[at] = c->scale[r];
            }
    }
    return 1;
}

// ---- splines and bounds

static arne_status new_splines(plan_program *p, const plan_grid *grid, arne_error *error)
{
    arne_status status = ARNE_OK;
    for (int k = 0; k < p->phase_count && !status; k++) {
        plan_phase   *f = &p->phases[k];
        const double *breaks = plan_grid_breaks(p->problem, grid, k);
        *f = p->problem->phases[k];
        f->first = p->m;
        f->m = grid->counts[k];
        p->m += f->m;
        status = arne_bspline_new(p->degree, f->m, breaks, &f->spline, error);
        if (!status && p->degree > 2)
            status = arne_bspline_new(p->degree - 2, f->m - 2, breaks, &f->force, error);
    }
    return status;
}

static void bound_variables(plan_program *p, const plan_ends *ends)
{
    const plan_problem *of = p->problem;
    for (int j = 0; j < p->n; j++) {
        double *lower = p->x_lower + j * p->m, *upper = p->x_upper + j * p->m;
        for (int i = 0; i < p->m; i++) {
            lower[i] = of->prescribed[j].on ? 0 : of->coordinate_lower[j];
            upper[i] = of->prescribed[j].on ? 0 : of->coordinate_upper[j];
        }
        for (int end = 0; end < 2 && !of->prescribed[j].on; end++)
            for (int k = 0; k < ENDS_ORDERS; k++) {
                const double fixed = *plan_end_point(ends, j, end, k);
                const int    at = end ? p->m - 1 - k : k;
                if (!isnan(fixed)) lower[at] = upper[at] = fixed;
            }
    }
    for (int k = 0; k < p->phase_count; k++) {
        const plan_phase *f = &p->phases[k];
        p->x_lower[p->n * p->m + k] = f->most > 0 ? f->least : f->time;
        p->x_upper[p->n * p->m + k] = f->most > 0 ? f->most : f->time;
    }
    plan_contact_bounds(p);
    plan_muscle_bounds(p);
}

static int new_terms(plan_program *p, const plan_ends *ends)
{
    const plan_problem *of = p->problem;
    p->constraints = calloc((size_t)of->constraint_count + 1, sizeof *p->constraints);
    p->objectives = plan_copy(of->objectives, (size_t)of->objective_count, sizeof *p->objectives);
    if (!p->constraints || !p->objectives) return 0;
    for (int i = 0; i < of->constraint_count; i++) {
        p->constraints[i] = of->constraints[i];
        p->constraints[i].held = ends->held[i];
    }
    return 1;
}

// ---- all of it

static int program_fill(plan_program *p, const plan_grid *grid)
{
    if (!add_grid(p, grid) || !add_gauss(p) || !program_add_named(p) || !add_collocation(p))
        return 0;
    qsort(p->points, (size_t)p->point_count, sizeof *p->points, program_by_time);
    if (!fill_bases(p) || !place_constraints(p) || !plan_make_workers(p) || !make_states(p) ||
        !make_scratch(p) || !plan_make_patterns(p) || !plan_make_hessian(p))
        return 0;
    plan_jacobian_structure(p, NULL, NULL);
    return 1;
}

arne_status plan_program_new(const plan_problem *problem, const plan_grid *grid, int threads,
                             plan_program **out, arne_error *error)
{
    const size_t  count = plan_x_size(problem, grid);
    plan_ends     ends = {0};
    plan_program *p = calloc(1, sizeof *p);
    *out = NULL;
    if (!p) return arne_fail_memory(error);
    *p = (plan_program){.problem = problem,
                        .n = problem->n,
                        .v_count = problem->v_count,
                        .degree = problem->degree,
                        .phase_count = problem->phase_count,
                        .force_count = problem->force_count,
                        .free_time = problem->free_time,
                        .time = problem->phases[0].time,
                        .threads = threads,
                        .x_count = (int)count - !problem->free_time,
                        .x_lower = malloc(count * sizeof(double)),
                        .x_upper = malloc(count * sizeof(double)),
                        .phases = calloc((size_t)problem->phase_count, sizeof *p->phases)};
    arne_status status = p->x_lower && p->x_upper && p->phases
                             ? plan_ends_find(problem, grid->m, &ends, error)
                             : arne_fail_memory(error);
    if (!status) status = new_splines(p, grid, error);
    if (!status) {
        bound_variables(p, &ends);
        if (!new_terms(p, &ends) || !program_fill(p, grid)) status = arne_fail_memory(error);
    }
    plan_ends_free(&ends);
    if (status)
        plan_program_free(p);
    else
        *out = p;
    return status;
}

void plan_program_free(plan_program *p)
{
    if (!p) return;
    for (int i = 0; i < p->point_count; i++) {
        free(p->points[i].basis);
        if (p->states) plan_state_free(&p->states[i]);
    }
    for (int i = 0; p->patterns && i < p->problem->quantity_count; i++)
        free(p->patterns[i]);
    for (int i = 0; p->constraints && i < p->problem->constraint_count; i++)
        free(p->constraints[i].points), free(p->constraints[i].other_points);
    for (int k = 0; p->phases && k < p->phase_count; k++)
        arne_bspline_free(p->phases[k].spline), arne_bspline_free(p->phases[k].force);
    plan_state_free(&p->between);
    plan_drop_workers(p);
    void *all[] = {p->points,         p->states,    p->bad,       p->patterns,
                   p->still,          p->coupled,   p->pairs,     p->hessian_at,
                   p->hessian_T,      p->blocks,    p->lambda,    p->quantity_start,
                   p->jacobian_start, p->row_lower, p->row_upper, p->row_scale,
                   p->x_lower,        p->x_upper,   p->phases,    p->constraints,
                   p->objectives};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(p);
}
