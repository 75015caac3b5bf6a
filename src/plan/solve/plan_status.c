// The result of a search: its figures, and the constraints that are missed, by name.
#include "plan/solve/plan_status.h"
#include "base/error.h"
#include "base/plain.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

void plan_row_owner(const plan_problem *p, const plan_constraint *c, int row, char *out,
                    size_t size)
{
    out[0] = 0;
    if (!plan_quantity_is(&p->quantities[c->quantity], KIND_BY_COORDINATE)) return;
    const int        coordinate = c->rows[row] % p->v_count; // margins have two sides
    const arne_sizes n = arne_robot_sizes(p->robot);
    for (int i = 0; i < n.joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(p->robot, i);
        if (j.v_count && j.v_start == coordinate) snprintf(out, size, " of joint '%s'", j.name);
    }
    for (int i = 0; i < n.motor_count; i++) {
        const arne_motor_info m = arne_robot_motor(p->robot, i);
        if (m.v_index == coordinate)
            snprintf(out, size, " of the motor of joint '%s'",
                     arne_robot_joint(p->robot, m.joint).name);
    }
}

// "N m" of a torque, where the rows of the quantity are coordinates; else nothing.
static const char *row_unit(const plan_problem *p, const plan_constraint *c, int row)
{
    const plan_quantity *q = &p->quantities[c->quantity];
    if (!plan_quantity_is(q, KIND_HAS_LIMITS)) return "";
    for (int i = 0; i < arne_robot_sizes(p->robot).joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(p->robot, i);
        if (j.v_count == 1 && j.v_start == c->rows[row])
            return arne_joint_unit(&j, 0, q->kind->unit);
    }
    return "";
}

static void status_line_of(const plan_constraint *c, char *out, size_t size)
{
    out[0] = 0;
    if (c->line) snprintf(out, size, " (line %d)", c->line);
}

// "torque of joint 'elbow' (line 9) is missed by 0.3 N m at t = 0.5 s".
static int say_miss(const plan_problem *p, const plan_miss *m, double T, char *out, size_t size)
{
    const plan_constraint *c = &p->constraints[m->constraint];
    char                   owner[300], line[40];
    plan_row_owner(p, c, m->row, owner, sizeof owner);
    status_line_of(c, line, sizeof line);
    if (isinf(m->amount))
        return plain_print(out, size,
                           "%s%s%s has no value at t = %.4g s: the robot cannot get there", c->name,
                           owner, line, m->u * T);
    const char *unit = row_unit(p, c, m->row);
    return plain_print(out, size, "%s%s%s is missed by %.3g%s%s at t = %.4g s", c->name, owner,
                       line, m->amount, *unit ? " " : "", unit, m->u * T);
}

int plan_say_worst(plan_program *p, const double *x, double feasible, char *out, size_t size)
{
    char            owner[300];
    const plan_miss m = plan_worst_now(p, x, NULL, 0);
    if (m.constraint < 0 || m.amount <= feasible) return 0;
    const plan_constraint *c = &p->constraints[m.constraint];
    plan_row_owner(p->problem, c, m.row, owner, sizeof owner);
    snprintf(out, size, "%s%s", c->name, owner);
    return 1;
}

// Limits that the nearest motion exceeds: "no motion keeps all limits. The nearest one exceeds
// joint limits of joint 'knee' (line 9) by 0.3 at t = 0.5 s; ...".
static arne_status say_forbidden(const arne_plan *p, const arne_plan_result *result,
                                 arne_error *error)
{
    char   text[600] = "", owner[300], line[40];
    size_t used = 0;
    for (int i = 0; i < p->forbidden_count && i < 3 && used < sizeof text; i++) {
        const plan_excess     *e = &p->forbidden[i];
        const plan_constraint *c = &p->problem.constraints[e->constraint];
        plan_row_owner(&p->problem, c, e->row, owner, sizeof owner);
        status_line_of(c, line, sizeof line);
        const char *unit = row_unit(&p->problem, c, e->row);
        used += (size_t)plain_print(
            text + used, sizeof text - used, "%s%s%s%s by %.3g%s%s at t = %.4g s", i ? "; " : "",
            c->name, owner, line, e->amount, *unit ? " " : "", unit, e->u * result->T);
    }
    const plan_constraint *first = &p->problem.constraints[p->forbidden[0].constraint];
    return arne_fail(error, ARNE_NOT_CONVERGED, first->file[0] ? first->file : NULL, first->line,
                     "no motion of %d control points within the limits was found. The one that "
                     "comes nearest exceeds %s",
                     p->now.grid.m, text);
}

// The three constraints that are missed most.
static arne_status say_missed(arne_plan *p, const arne_plan_result *result, double feasible,
                              arne_error *error)
{
    char   text[400] = "";
    size_t used = 0;
    int    said[3] = {-1, -1, -1};
    for (int k = 0; k < 3 && used < sizeof text; k++) {
        const plan_miss m = plan_worst_but(&p->now, said, k);
        if (m.constraint < 0 || m.amount <= feasible) break;
        said[k] = m.constraint;
        if (k) used += (size_t)snprintf(text + used, sizeof text - used, "; ");
        if (used < sizeof text)
            used += (size_t)say_miss(&p->problem, &m, result->T, text + used, sizeof text - used);
    }
    const plan_constraint *first = said[0] < 0 ? NULL : &p->problem.constraints[said[0]];
    char                   size[100];
    snprintf(size, sizeof size, "%s %d control points",
             result->status == ARNE_PLAN_FAILED ? "the search stalled: no spline of"
                                                : "no spline of",
             p->now.grid.m);
    return arne_fail(
        error, ARNE_NOT_CONVERGED, first && first->file[0] ? first->file : NULL,
        first ? first->line : 0, "%s%s: %s",
        result->status == ARNE_PLAN_ITERATIONS ? "the iterations ran out before a motion" : size,
        result->status == ARNE_PLAN_INFEASIBLE
            ? " keeps all constraints, at least not near where the search went"
            : " that keeps all constraints was found",
        text);
}

// Where a phase takes the least time that is assumed where none is given: nothing limits how fast
// it is.
static arne_status status_check_time(const arne_plan *p, arne_error *error)
{
    const double *T = plan_durations(&p->problem, &p->now);
    for (int k = 0; k < p->problem.phase_count; k++) {
        const plan_phase *f = &p->problem.phases[k];
        if (!(f->most > 0) || f->least != PLAN_LEAST_TIME || T[k] > 1.001 * PLAN_LEAST_TIME)
            continue;
        return arne_fail(
            error, ARNE_NOT_CONVERGED, NULL, 0,
            "%s%s takes %g s, the least that is assumed: no constraint limits how fast "
            "it is; add limits of velocity, acceleration, torque or torque rate, or "
            "give the least time",
            f->name[0] ? "phase " : "the motion", f->name, T[k]);
    }
    return ARNE_OK;
}

static arne_status say_between(const arne_plan *p, const plan_gap *gap, double T, arne_error *error)
{
    const plan_constraint *c = &p->problem.constraints[gap->constraint];
    char                   owner[300];
    plan_row_owner(&p->problem, c, gap->row, owner, sizeof owner);
    const int equality = c->lower[gap->row] == c->upper[gap->row];
    return arne_fail(
        error, ARNE_NOT_CONVERGED, c->file[0] ? c->file : NULL, c->line,
        "%s%s is missed between grid points by %.3g (%.3g %% of %s) at t = %.4g s, also after "
        "refinement; more control points may help",
        c->name, owner, gap->amount, 100 * gap->part,
        equality ? "the largest value of that quantity" : "the bound", gap->u * T);
}

static arne_status status_fill_result(arne_plan *plan, plan_gap *gap, arne_plan_result *result,
                                      arne_error *error)
{
    const plan_program *p = plan->now.program;
    const plan_miss     at = plan_violation(&plan->now);
    const arne_status   status = plan_worst_gap(&plan->now, gap, error);
    result->T = arne_plan_time(plan);
    result->violation = at.amount;
    result->worst = at.constraint;
    result->worst_time = at.u * result->T;
    result->violation_between = gap->amount;
    result->part_between = gap->part;
    result->worst_between = gap->constraint;
    result->worst_between_time = gap->u * result->T;
    result->variables = p->x_count;
    result->constraints = p->row_count;
    result->jacobian_entries = p->jacobian_count;
    result->hessian_entries = p->hessian_count;
    result->grid_points = 0;
    for (int i = 0; i < p->point_count; i++)
        result->grid_points += p->points[i].on_grid;
    result->objective = search_objective(&plan->now);
    return status;
}

arne_status plan_judge(arne_plan *p, const plan_tolerance *allowed, arne_plan_result *result,
                       arne_error *error)
{
    plan_gap          gap;
    const arne_status status = status_fill_result(p, &gap, result, error);
    if (status || result->status == ARNE_PLAN_INTERRUPTED) return status;
    if (result->violation > 10 * allowed->feasible && p->forbidden_count)
        return say_forbidden(p, result, error);
    if (result->violation > 10 * allowed->feasible)
        return say_missed(p, result, allowed->feasible, error);
    if (isnan(result->objective)) {
        result->status = ARNE_PLAN_FAILED;
        return arne_fail(error, ARNE_NOT_CONVERGED, NULL, 0,
                         "no motion was found for which the objective has a value");
    }
    if (result->status == ARNE_PLAN_ITERATIONS)
        return arne_fail(error, ARNE_NOT_CONVERGED, NULL, 0,
                         "the iterations ran out after %d: the motion keeps all constraints, but a "
                         "better one may be near (solver: iterations)",
                         result->iterations);
    if (result->status == ARNE_PLAN_INFEASIBLE || result->status == ARNE_PLAN_FAILED)
        result->status = ARNE_PLAN_STALLED;
    if (gap.part <= allowed->between) return status_check_time(p, error);
    result->status = ARNE_PLAN_BETWEEN;
    return say_between(p, &gap, result->T, error);
}
