// The summary of a planned motion, as JSON.
#include "base/plain.h"
#include "io/json.h"
#include "io/run_folder.h"
#include "plan/result/fatigue.h"
#include "plan/result/plan_row.h"
#include "plan/solve/plan_status.h"
#include "plan/transcription/plan_impact.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// The time integral of every torque, by Gauss' rule with as many points as are exact for
// polynomials.
static void put_impulses(json *j, motion_row *m)
{
    static const double at[3] = {-0.77459666924148337704, 0, 0.77459666924148337704},
                        weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    const int spans = plan_span_count(m->p), parts_of_span = 4, steps = spans * parts_of_span;
    double   *sum = calloc((size_t)m->size.v_count, sizeof *sum);
    for (int i = 0; sum && i < steps; i++)
        for (int g = 0; g < 3; g++) {
            plan_row_fill(m, (i + 0.5 + 0.5 * at[g]) / steps);
            for (int k = 0; k < m->size.v_count; k++)
                sum[k] += weight[g] / steps * arne_plan_time(m->p) * m->tau[k];
        }
    json_put_open(j, "impulse", '{');
    for (int i = 0; sum && i < m->size.joint_count; i++) {
        const arne_joint_info info = arne_robot_joint(m->shown, i);
        if (info.v_count == 1) json_put_number(j, info.name, sum[info.v_start]);
    }
    json_put_close(j, '}');
    free(sum);
}

// The largest force and moment that each joint transmits; knots are looked at, where there are
// peaks.
static void put_peaks(json *j, motion_row *m)
{
    const int steps = (m->p->now.grid.m - m->p->problem.degree) * 20;
    for (int k = 0; k <= steps; k++) {
        plan_row_fill(m, (double)k / steps);
        for (int i = 0; i < m->size.joint_count; i++) {
            const arne_vec3 f = arne_joint_wrench(m->shown, m->work, i).lin;
            m->peaks[i] = fmax(k ? m->peaks[i] : 0, sqrt(f.x * f.x + f.y * f.y + f.z * f.z));
        }
    }
    json_put_open(j, "peak_force", '{');
    for (int i = 0; i < m->size.joint_count; i++)
        json_put_number(j, arne_robot_joint(m->shown, i).name, m->peaks[i]);
    json_put_close(j, '}');
}

// Impulses on contacts where phases begin with an impact.
static void plan_summary_put_impacts(json *j, const arne_plan *p)
{
    int count = 0;
    for (int k = 1; k < p->problem.phase_count; k++)
        for (int i = 0; i < p->problem.touch_count && plan_has_impact(&p->problem, k); i++) {
            if (!p->problem.touches[i].on[k]) continue;
            const arne_vec3 f = plan_impulse(p, k, i);
            if (!count++) json_put_open(j, "impacts", '[');
            json_put_open(j, NULL, '{');
            json_put_text(j, "phase", p->problem.phases[k].name);
            json_put_text(j, "contact", p->problem.touches[i].name);
            json_put_numbers(j, "impulse", (const double[]){f.x, f.y, f.z}, 3);
            json_put_close(j, '}');
        }
    if (count) json_put_close(j, ']');
}

// Where the forces of result.csv act: a point in a frame.
static void summary_put_contacts(json *j, const arne_plan *p)
{
    if (!p->problem.touch_count) return;
    json_put_open(j, "contacts", '[');
    for (int i = 0; i < p->problem.touch_count; i++) {
        const plan_touch *t = &p->problem.touches[i];
        json_put_open(j, NULL, '{');
        json_put_text(j, "name", t->name);
        json_put_text(j, "frame", arne_robot_frame(p->problem.robot, t->frame).name);
        json_put_numbers(j, "point", (const double[]){t->point.x, t->point.y, t->point.z}, 3);
        json_put_close(j, '}');
    }
    json_put_close(j, ']');
}

static int summary_is_limit(const arne_plan *p, const plan_constraint *c)
{
    const plan_quantity *q = &p->problem.quantities[c->quantity];
    return q->built_in && plan_quantity_is(q, KIND_HAS_LIMITS) && c->other < 0 && c->from == 0 &&
           c->to == 1;
}

// The tightest bounds that constraints from `first` on put on a row; 0 where an earlier one did: it
// is said already.
static int tightest(const arne_plan *p, int first, int row, double *lower, double *upper)
{
    *lower = -INFINITY;
    *upper = INFINITY;
    for (int i = 0; i < p->problem.constraint_count; i++) {
        const plan_constraint *c = &p->problem.constraints[i];
        if (!summary_is_limit(p, c) || c->quantity != p->problem.constraints[first].quantity)
            continue;
        for (int r = 0; r < c->row_count; r++) {
            if (c->rows[r] != row || (!isfinite(c->lower[r]) && !isfinite(c->upper[r]))) continue;
            if (i < first) return 0;
            *lower = fmax(*lower, c->lower[r]);
            *upper = fmin(*upper, c->upper[r]);
        }
    }
    return 1;
}

// Bounds on torques, velocities and positions of single coordinates that hold over the whole
// motion.
static void summary_put_limits(json *j, const motion_row *m)
{
    static const char *const names[] = {"q", "qd", "qdd", NULL, "tau", "tau_rate"};
    const arne_plan         *p = m->p;
    json_put_open(j, "limits", '{');
    for (int i = 0; i < p->problem.constraint_count && m->same; i++) {
        const plan_constraint *c = &p->problem.constraints[i];
        const plan_quantity   *q = &p->problem.quantities[c->quantity];
        if (!summary_is_limit(p, c) || !names[q->what.kind]) continue;
        for (int r = 0; r < c->row_count; r++) {
            char name[320];
            plan_coordinate_name(&p->problem, c->rows[r], name, sizeof name);
            if (p->problem.map.n)
                snprintf(name, sizeof name, "%.250s",
                         arne_robot_joint(p->problem.robot, c->rows[r]).name);
            double lower, upper;
            if (!isfinite(c->lower[r]) && !isfinite(c->upper[r])) continue;
            if (!tightest(p, i, c->rows[r], &lower, &upper)) continue;
            char key[330];
            snprintf(key, sizeof key, "%s.%.300s", names[q->what.kind], name);
            json_put_numbers(j, key, (const double[]){lower, upper}, 2);
        }
    }
    json_put_close(j, '}');
}

static const char *status_name(arne_plan_status status)
{
    static const char *const names[] = {"unsolved",   "optimal",    "acceptable",
                                        "infeasible", "iterations", "interrupted",
                                        "failed",     "stalled",    "between"};
    return names[status];
}

static void summary_put_worst(json *j, const arne_plan *p, const char *key, int constraint,
                              double time)
{
    if (constraint < 0) return;
    char text[160];
    plain_print(text, sizeof text, "%s at %.4g s", p->problem.constraints[constraint].name, time);
    json_put_text(j, key, text);
}

// Limits that no motion was found within, and by how much the nearest motion exceeds them.
static void put_forbidden(json *j, const arne_plan *p)
{
    if (!p->forbidden_count) return;
    json_put_open(j, "forbidden_by", '[');
    for (int i = 0; i < p->forbidden_count; i++) {
        const plan_excess     *e = &p->forbidden[i];
        const plan_constraint *c = &p->problem.constraints[e->constraint];
        char                   owner[300], text[420];
        plan_row_owner(&p->problem, c, e->row, owner, sizeof owner);
        snprintf(text, sizeof text, "%s%s", c->name, owner);
        json_put_open(j, NULL, '{');
        json_put_text(j, "limit", text);
        json_put_number(j, "line", c->line);
        json_put_number(j, "exceeded_by", e->amount);
        json_put_number(j, "part", e->part);
        json_put_number(j, "time", e->u * arne_plan_time(p));
        json_put_close(j, '}');
    }
    json_put_close(j, ']');
}

// Time, objective and solve time, beside published ones.
static void summary_put_figures(json *j, const plan_published *published, const arne_plan_result *r)
{
    const struct {
        const char *name, *unit;
        double      ours, theirs;
    } figures[] = {{"T", "s", r->T, published->T},
                   {"Objective", "", r->objective, published->objective},
                   {"Solver time", "s", r->solve_time, published->solve_time}};
    json_put_open(j, "figures", '[');
    for (int i = 0; i < 3; i++) {
        json_put_open(j, NULL, '{');
        json_put_text(j, "name", figures[i].name);
        json_put_text(j, "unit", figures[i].unit);
        json_put_number(j, "value", figures[i].ours);
        if (figures[i].theirs != 0) json_put_number(j, "published", figures[i].theirs);
        json_put_close(j, '}');
    }
    json_put_close(j, ']');
}

// Results of searches from several starts.
static void put_found(json *j, const arne_plan *p)
{
    if (!p->found_count) return;
    json_put_open(j, "starts", '[');
    for (int i = 0; i < p->found_count; i++) {
        const arne_plan_found *f = &p->found[i];
        json_put_open(j, NULL, '{');
        json_put_number(j, "seed", (double)f->seed);
        json_put_text(j, "status", status_name(f->status));
        json_put_number(j, "iterations", f->iterations);
        json_put_number(j, "objective", f->objective);
        json_put_close(j, '}');
    }
    json_put_close(j, ']');
}

// The table of a search that doubled its spans.
static void summary_put_steps(json *j, const arne_plan *p, const arne_plan_result *r)
{
    if (!r->converged) return;
    json_put_flag(j, "converged", r->converged > 0);
    json_put_number(j, "change", r->change);
    json_put_open(j, "convergence", '[');
    for (int i = 0; i < p->step_count; i++) {
        json_put_open(j, NULL, '{');
        json_put_number(j, "control_points", p->steps[i].control_points);
        json_put_number(j, "iterations", p->steps[i].iterations);
        json_put_number(j, "objective", p->steps[i].objective);
        json_put_close(j, '}');
    }
    json_put_close(j, ']');
}

void plan_summary(FILE *out, motion_row *m, const arne_plan_result *r)
{
    const arne_plan *p = m->p;
    json             j = json_run(out, "plan", p->problem.title, p->robot_copy, m->shown);
    json_put_flag(&j, "complete", arne_plan_is_complete(r->status));
    json_put_text(&j, "status", status_name(r->status));
    json_put_number(&j, "T", r->T);
    json_put_number(&j, "objective", r->objective);
    json_put_number(&j, "iterations", r->iterations);
    json_put_number(&j, "violation", r->violation);
    json_put_number(&j, "violation_between", r->violation_between);
    json_put_number(&j, "part_between", r->part_between);
    json_put_number(&j, "solve_time", r->solve_time);
    json_put_number(&j, "function_time", r->function_time);
    json_put_number(&j, "derivative_time", r->derivative_time);
    summary_put_steps(&j, p, r);
    put_found(&j, p);
    summary_put_worst(&j, p, "worst", r->worst, r->worst_time);
    put_forbidden(&j, p);
    summary_put_worst(&j, p, "worst_between", r->worst_between, r->worst_between_time);
    json_put_number(&j, "variables", r->variables);
    json_put_number(&j, "constraints", r->constraints);
    json_put_number(&j, "jacobian_entries", r->jacobian_entries);
    json_put_number(&j, "hessian_entries", r->hessian_entries);
    json_put_number(&j, "grid_points", r->grid_points);
    json_put_number(&j, "refinements", r->refinements);
    if (p->problem.module.summary) p->problem.module.summary(p->problem.module.data, &j, m);
    plan_fatigue_summary(&j, m->p);
    plan_effort_summary(&j, m);
    put_impulses(&j, m);
    summary_put_contacts(&j, p);
    plan_summary_put_impacts(&j, p);
    put_peaks(&j, m);
    summary_put_limits(&j, m);
    summary_put_figures(&j, &p->problem.published, r);
    json_put_number(&j, "snapshots", p->problem.snapshots ? p->problem.snapshots : 8);
    json_put_close(&j, '}');
}
