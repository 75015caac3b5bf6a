// Making a plan: quantities, constraints, objectives, and where the search starts.
#include "plan/problem/plan.h"
#include "base/error.h"
#include "base/options.h"
#include "plan/problem/geometry.h"
#include "plan/problem/plan_memory.h"
#include "plan/problem/plan_muscle.h"
#include "plan/problem/plan_press.h"
#include "plan/problem/strength.h"
#include "plan/problem/undriven_coordinates.h"
#include "plan/transcription/plan_loops.h"
#include <arne/table.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- memory

static void free_quantity(plan_quantity *q)
{
    free((void *)(size_t)q->what.corners);
    free((void *)(size_t)q->what.reference);
    if (q->release) q->release(q->data);
}

static void free_constraint(plan_constraint *c)
{
    void *all[] = {c->rows, c->other_rows, c->lower, c->upper, c->factors, c->scale};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static void free_problem(plan_problem *p)
{
    for (int i = 0; i < p->quantity_count; i++)
        free_quantity(&p->quantities[i]);
    for (int i = 0; i < p->constraint_count; i++)
        free_constraint(&p->constraints[i]);
    for (int i = 0; i < p->objective_count; i++) {
        free(p->objectives[i].rows);
        free(p->objectives[i].weights);
    }
    for (int j = 0; p->prescribed && j < p->n; j++)
        free(p->prescribed[j].polynomial);
    if (p->map.release) p->map.release(p->map.data);
    if (p->module.release) p->module.release(p->module.data);
    for (int k = 0; p->phases && k < p->phase_count; k++) {
        arne_work_free(p->phases[k].work);
        arne_robot_free(p->phases[k].loaded);
        arne_robot_free(p->phases[k].shown);
    }
    for (int i = 0; p->touches && i < p->touch_count; i++)
        free(p->touches[i].on);
    for (int k = 0; p->strengths && k < p->v_count; k++)
        plan_strength_free(p->strengths[k]);
    plan_free_loads(p);
    void *all[] = {p->quantities,
                   p->constraints,
                   p->objectives,
                   p->prescribed,
                   p->title,
                   p->path,
                   p->robot_path,
                   p->robot_said,
                   p->fatigue,
                   p->coordinate_lower,
                   p->coordinate_upper,
                   p->planned_from,
                   p->strengths,
                   p->follows,
                   p->phases,
                   p->touches};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    arne_work_free(p->work);
    arne_robot_free(p->own_robot);
    arne_robot_free(p->shown_robot);
}

void arne_plan_free(arne_plan *plan)
{
    if (!plan) return;
    plan_release(plan);
    plan_solution_free(&plan->now);
    free_problem(&plan->problem);
    arne_table_free(plan->log);
    free(plan->found), free(plan->robot_copy);
    free(plan);
}

plan_problem *plan_change(arne_plan *plan)
{
    plan_program_free(plan->now.program);
    plan->now.program = NULL;
    return &plan->problem;
}

// ---- a new plan

static arne_status plan_check_robot(const arne_robot *robot, arne_error *error)
{
    const arne_sizes size = arne_robot_sizes(robot);
    for (int i = 0; i < size.joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        if (j.mimic < 0 && j.v_count != 1)
            return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                             "planning needs joints of one coordinate; joint '%s' is %s "
                             "(arne_planning_robot makes chains of such joints)",
                             j.name, arne_joint_kind_name(j.kind));
    }
    if (size.v_count == 0) return arne_fail(error, ARNE_MODEL, NULL, 0, "nothing moves");
    return ARNE_OK;
}

static arne_status plan_check_options(const arne_plan_options *o, arne_error *error)
{
    if (o->degree < 2 || o->degree > 9)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "the degree of splines must be 2 to 9, not %d",
                         o->degree);
    if (o->control_points <= o->degree || o->control_points > 10000)
        return arne_fail(
            error, ARNE_VALUE, NULL, 0,
            "splines of degree %d need more than %d control points (and at most 10000), not %d",
            o->degree, o->degree, o->control_points);
    if (!(o->time > 0) || !isfinite(o->time))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "the final time must be positive, not %g",
                         o->time);
    if (!(o->time_least >= 0) || !(o->time_most >= o->time_least))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "the final time cannot be between %g and %g",
                         o->time_least, o->time_most);
    if (o->grid_points == 1 || o->grid_points < 0 || o->grid_points > 100000 || o->per_span < 1 ||
        o->per_span > 1000)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "the grid needs 2 to 100000 points");
    return ARNE_OK;
}

// The equations of joints that nothing drives hold at single points only. Accelerations of cubic
// splines are polygons, which then swing from knot to knot, most where an end condition follows
// from conserved momentum; those of one degree more do not. In phases each border would cost a
// control point more.
enum { DEGREE_DRIVEN = 3, DEGREE_UNDRIVEN = 4 };

static arne_plan_options with_defaults(const arne_robot *robot, const arne_plan_options *o,
                                       const plan_parts *parts)
{
    arne_plan_options out = *o;
    if (!out.degree)
        out.degree = !parts && plan_has_undriven(robot, o) ? DEGREE_UNDRIVEN : DEGREE_DRIVEN;
    if (!out.control_points) out.control_points = 12;
    if (!out.per_span) out.per_span = 3;
    return out;
}

// Bounds, and a motion that stands still.
static arne_status new_variables(arne_plan *plan, arne_error *error)
{
    plan_problem *p = &plan->problem;
    const size_t  n = (size_t)p->n;
    p->prescribed = calloc(n, sizeof *p->prescribed);
    p->coordinate_lower = calloc(n, sizeof *p->coordinate_lower);
    p->coordinate_upper = calloc(n, sizeof *p->coordinate_upper);
    if (!p->prescribed || !p->coordinate_lower || !p->coordinate_upper)
        return arne_fail_memory(error);
    for (size_t j = 0; j < n; j++) {
        p->coordinate_lower[j] = -INFINITY;
        p->coordinate_upper[j] = INFINITY;
    }
    const arne_status status = plan_grid_first(p, &plan->now.grid, error);
    if (status) return status;
    plan->now.x = calloc(plan_x_size(p, &plan->now.grid), sizeof *plan->now.x);
    if (!plan->now.x) return arne_fail_memory(error);
    for (int k = 0; k < p->phase_count; k++)
        plan_durations(p, &plan->now)[k] = p->phases[k].time;
    return ARNE_OK;
}

// Without phases the motion is one.
static arne_status new_phases(plan_problem *p, const plan_parts *parts, arne_error *error)
{
    const arne_plan_options *o = &p->options;
    const arne_plan_phase    whole = {
           .time = o->time, .time_least = o->time_least, .time_most = o->time_most};
    const int   some = parts && parts->phase_count > 0;
    arne_status status = ARNE_OK;
    p->phase_count = some ? parts->phase_count : 1;
    p->phases = calloc((size_t)p->phase_count, sizeof *p->phases);
    if (!p->phases) return arne_fail_memory(error);
    p->free_time = p->phase_count > 1;
    for (int k = 0; k < p->phase_count && !status; k++) {
        const arne_plan_phase *from = some ? &parts->phases[k] : &whole;
        plan_phase            *to = &p->phases[k];
        *to = (plan_phase){.m = from->control_points ? from->control_points : o->control_points,
                           .impact = from->impact,
                           .time = from->time,
                           .least = from->time_least,
                           .most = from->time_most};
        snprintf(to->name, sizeof to->name, "%s", from->name ? from->name : "");
        p->free_time |= to->most > 0;
        const arne_plan_options own = {.degree = o->degree,
                                       .control_points = to->m,
                                       .time = to->time,
                                       .time_least = to->least,
                                       .time_most = to->most,
                                       .per_span = 1};
        status = plan_check_options(&own, error);
    }
    return status;
}

arne_status plan_new_mapped(const arne_robot *robot, const arne_plan_options *options,
                            const plan_map *map, arne_plan **out, arne_error *error)
{
    return plan_new_parts(robot, options, map, NULL, out, error);
}

arne_status plan_new_parts(const arne_robot *robot, const arne_plan_options *options,
                           const plan_map *map, const plan_parts *parts, arne_plan **out,
                           arne_error *error)
{
    if (!robot || !options || !out) return arne_fail_null(error);
    *out = NULL;
    arne_plan_options full = with_defaults(robot, options, parts);
    if (parts && parts->phase_count && !(full.time > 0)) full.time = 1; // phases have their own
    arne_status status = plan_check_robot(robot, error);
    if (!status) status = plan_check_options(&full, error);
    if (status) return status;
    arne_plan *plan = calloc(1, sizeof *plan);
    if (!plan) return arne_fail_memory(error);
    plan_problem *p = &plan->problem;
    p->robot = robot;
    p->options = full;
    p->solver.refine = 8; // unless a problem file says otherwise
    p->degree = full.degree;
    p->v_count = arne_robot_sizes(robot).v_count;
    status = new_phases(p, parts, error);
    if (!status && parts) status = plan_new_touches(p, parts, error);
    if (!status) status = plan_count_muscles(p, map, error);
    p->force_count = 3 * p->held_count + p->muscle_count;
    p->n = (map ? map->n : p->v_count) + p->force_count;
    if (!status) status = new_variables(plan, error);
    if (!status && arne_work_new(robot, &p->work) != ARNE_OK) status = arne_fail_memory(error);
    p->follows = calloc((size_t)arne_robot_sizes(robot).frame_count + 1, 1);
    if (!status && !p->follows) status = arne_fail_memory(error);
    if (!status) geometry_mark_following(robot, p->follows);
    if (!status && !full.all_driven && !arne_robot_sizes(robot).loop_count)
        status = plan_add_undriven(p, full.driven, error);
    if (!status) status = plan_add_muscles(p, error);
    if (status) {
        arne_plan_free(plan);
        return status;
    }
    if (map) p->map = *map;
    *out = plan;
    return ARNE_OK;
}

arne_status arne_plan_new(const arne_robot *robot, const arne_plan_options *options,
                          arne_plan **out, arne_error *error)
{
    arne_plan_options own_options;
    if (out) *out = NULL;
    if (options &&
        !options_take(&own_options, sizeof own_options, OPTIONS_FIRST(arne_plan_options), options))
        return options_refuse(error);
    if (options) options = &own_options;
    if (!robot || !arne_robot_sizes(robot).loop_count)
        return plan_new_mapped(robot, options, NULL, out, error);
    plan_map    map = {0};
    int        *from = calloc((size_t)arne_robot_sizes(robot).v_count + 1, sizeof *from);
    arne_status status = from ? plan_loop_map(robot, &map, from, error) : arne_fail_memory(error);
    if (!status) status = plan_new_mapped(robot, options, &map, out, error);
    if (status) {
        if (map.release) map.release(map.data);
        free(from);
        return status;
    }
    (*out)->problem.planned_from = from;
    for (int k = 0; k < map.n; k++)
        arne_plan_start_line(*out, k, map.home[from[k]], map.home[from[k]]);
    status = plan_add_rolling(&(*out)->problem, error);
    if (status) {
        arne_plan_free(*out);
        *out = NULL;
    }
    return status;
}

const arne_robot *arne_plan_robot(const arne_plan *plan) { return plan->problem.robot; }

double arne_plan_time(const arne_plan *plan)
{
    return plan_time(&plan->problem, plan_durations(&plan->problem, &plan->now));
}

void arne_plan_control_points(const arne_plan *plan, double *out)
{
    memcpy(out, plan->now.x, (size_t)plan->problem.n * (size_t)plan->now.grid.m * sizeof *out);
}

void plan_coordinate_name(const plan_problem *p, int coordinate, char *out, size_t size)
{
    const arne_sizes n = arne_robot_sizes(p->robot);
    snprintf(out, size, "path");
    if (coordinate >= p->v_count && p->force_count) {
        const int force = coordinate - p->v_count, muscle = force - 3 * p->held_count;
        if (muscle >= 0)
            snprintf(out, size, "activation.%.250s", arne_robot_muscle(p->robot, muscle).name);
        else
            for (int i = 0; i < p->touch_count; i++)
                if (p->touches[i].column == force - force % 3 && !plan_is_compliant(p, i))
                    snprintf(out, size, "contact.%s.%c", p->touches[i].name, "tsn"[force % 3]);
        return;
    }
    if (p->planned_from) coordinate = p->planned_from[coordinate];
    const int on_path = p->map.n && !p->planned_from;
    for (int i = 0; i < n.joint_count && !on_path; i++) {
        const arne_joint_info j = arne_robot_joint(p->robot, i);
        if (j.v_count == 1 && j.v_start == coordinate) snprintf(out, size, "%.250s", j.name);
    }
    for (int i = 0; i < n.motor_count && !on_path; i++) {
        const arne_motor_info m = arne_robot_motor(p->robot, i);
        if (m.v_index == coordinate)
            snprintf(out, size, "theta.%.250s", arne_robot_joint(p->robot, m.joint).name);
    }
}

int plan_planned(const plan_problem *p, int j)
{
    if (!p->map.n) return j;
    for (int k = 0; p->planned_from && k < p->n; k++)
        if (p->planned_from[k] == j) return k;
    return -1;
}

// ---- quantities

arne_status plan_add(plan_problem *p, const plan_quantity *quantity, int *out, arne_error *error)
{
    void *room = p->quantities;
    if (!plan_grow(&room, p->quantity_count, &p->quantity_room, sizeof *quantity))
        return arne_fail_memory(error);
    p->quantities = room;
    *out = p->quantity_count++;
    p->quantities[*out] = *quantity;
    return ARNE_OK;
}

// Whether a quantity is the one that is asked for.
static int is_same(const plan_quantity *q, const arne_quantity *what)
{
    if (!q->kind || q->what.kind != what->kind) return 0;
    return plan_quantity_is(q, KIND_ONCE) ||
           (plan_quantity_is(q, KIND_ONCE_A_JOINT) && q->what.joint == what->joint);
}

arne_status plan_add_quantity(plan_problem *plan, const arne_quantity *quantity, int *out,
                              arne_error *error)
{
    plan_quantity q = {.name = ""};
    for (int i = 0; i < plan->quantity_count; i++)
        if (is_same(&plan->quantities[i], quantity)) {
            *out = i;
            return ARNE_OK;
        }
    arne_status status = plan_built_in(plan, quantity, &q, error);
    if (status) return status;
    q.what.corners = quantity->corners
                         ? plan_copy(quantity->corners, (size_t)quantity->corner_count,
                                     sizeof *quantity->corners)
                         : NULL;
    q.what.reference =
        quantity->reference
            ? plan_copy(quantity->reference, (size_t)(quantity->reference_count * plan->v_count),
                        sizeof(double))
            : NULL;
    status = (quantity->corners && !q.what.corners) || (quantity->reference && !q.what.reference)
                 ? arne_fail_memory(error)
                 : plan_add(plan, &q, out, error);
    if (status) free_quantity(&q);
    return status;
}

arne_status arne_plan_add_quantity(arne_plan *plan, const arne_quantity *quantity, int *out,
                                   arne_error *error)
{
    if (!plan || !quantity || !out) return arne_fail_null(error);
    return plan_add_quantity(plan_change(plan), quantity, out, error);
}

arne_status arne_plan_keep_found(arne_plan *plan, const arne_plan_found *found, int count,
                                 arne_error *error)
{
    arne_plan_found *copy = plan_copy(found, (size_t)count, sizeof *copy);
    if (!copy) return arne_fail_memory(error);
    free(plan->found);
    plan->found = copy;
    plan->found_count = count;
    return ARNE_OK;
}

void arne_plan_add_time(arne_plan *plan, double weight)
{
    plan_change(plan)->time_weight += weight;
}

arne_status arne_plan_prescribe(arne_plan *plan, int j, const double *polynomial, int count,
                                double amplitude, double frequency, double phase, arne_error *error)
{
    if (!plan || !polynomial) return arne_fail_null(error);
    plan_problem *p = plan_change(plan);
    if (j < 0 || j >= p->n)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "there is no coordinate %d", j);
    double *copy = plan_copy(polynomial, (size_t)count, sizeof *copy);
    if (!copy) return arne_fail_memory(error);
    free(p->prescribed[j].polynomial);
    p->prescribed[j] = (plan_prescribed){1, count, copy, amplitude, frequency, phase};
    arne_plan_start_line(plan, j, 0, 0); // its control points are there, and do nothing
    return ARNE_OK;
}

// ---- bounds and start

void arne_plan_bound(arne_plan *plan, int j, double lower, double upper)
{
    plan_problem *p = plan_change(plan);
    p->coordinate_lower[j] = lower;
    p->coordinate_upper[j] = upper;
}

void arne_plan_start(arne_plan *plan, const double *control_points, double T)
{
    const double  was = arne_plan_time(plan);
    plan_problem *p = plan_change(plan);
    memcpy(plan->now.x, control_points,
           (size_t)p->n * (size_t)plan->now.grid.m * sizeof *plan->now.x);
    for (int k = 0; k < p->phase_count; k++)
        plan_durations(p, &plan->now)[k] *= T / was;
}

void arne_plan_start_line(arne_plan *plan, int j, double from, double to)
{
    const plan_problem *p = &plan->problem;
    const plan_grid    *grid = &plan->now.grid;
    for (int i = 0; i < grid->m; i++)
        plan->now.x[j * grid->m + i] =
            from + (to - from) * plan_control_place(p, grid, plan_durations(p, &plan->now), i);
}
