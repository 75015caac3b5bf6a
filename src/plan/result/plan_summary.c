// The summary of a planned motion, as JSON.
#include "base/plain.h"
#include "io/run_folder.h"
#include "plan/result/fatigue.h"
#include "plan/result/plan_row.h"
#include "plan/solve/plan_status.h"
#include "plan/transcription/plan_impact.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void summary_put_number(FILE *out, const char *key, double value)
{
    fprintf(out, ",\n  \"%s\": ", key);
    arne_json_number(out, value);
}

// The time integral of every torque, by Gauss' rule with as many points as are exact for
// polynomials.
static void put_impulses(FILE *out, motion_row *m)
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
    fprintf(out, ",\n  \"impulse\": {");
    for (int i = 0, first = 1; sum && i < m->size.joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(m->shown, i);
        if (j.v_count != 1) continue;
        fprintf(out, first ? "" : ", ");
        arne_json_text(out, j.name);
        plain_write(out, ": %.17g", sum[j.v_start]);
        first = 0;
    }
    fprintf(out, "}");
    free(sum);
}

// The largest force and moment that each joint transmits; knots are looked at, where there are
// peaks.
static void put_peaks(FILE *out, motion_row *m)
{
    const int steps = (m->p->now.grid.m - m->p->problem.degree) * 20;
    fprintf(out, ",\n  \"peak_force\": {");
    for (int k = 0; k <= steps; k++) {
        plan_row_fill(m, (double)k / steps);
        for (int i = 0; i < m->size.joint_count; i++) {
            const arne_vec3 f = arne_joint_wrench(m->shown, m->work, i).lin;
            m->peaks[i] = fmax(k ? m->peaks[i] : 0, sqrt(f.x * f.x + f.y * f.y + f.z * f.z));
        }
    }
    for (int i = 0; i < m->size.joint_count; i++) {
        fprintf(out, i ? ", " : "");
        arne_json_text(out, arne_robot_joint(m->shown, i).name);
        plain_write(out, ": %.17g", m->peaks[i]);
    }
    fprintf(out, "}");
}

// Impulses on contacts where phases begin with an impact.
static void plan_summary_put_impacts(FILE *out, const arne_plan *p)
{
    int first = 1;
    for (int k = 1; k < p->problem.phase_count; k++)
        for (int i = 0; i < p->problem.touch_count && plan_has_impact(&p->problem, k); i++) {
            if (!p->problem.touches[i].on[k]) continue;
            const arne_vec3 f = plan_impulse(p, k, i);
            fprintf(out, first ? ",\n  \"impacts\": [" : ",");
            fprintf(out, "\n    {\"phase\": ");
            arne_json_text(out, p->problem.phases[k].name);
            fprintf(out, ", \"contact\": ");
            arne_json_text(out, p->problem.touches[i].name);
            plain_write(out, ", \"impulse\": [%.17g, %.17g, %.17g]}", f.x, f.y, f.z);
            first = 0;
        }
    if (!first) fprintf(out, "]");
}

// Where the forces of result.csv act: a point in a frame.
static void summary_put_contacts(FILE *out, const arne_plan *p)
{
    for (int i = 0; i < p->problem.touch_count; i++) {
        const plan_touch *t = &p->problem.touches[i];
        fprintf(out, i ? ",\n    {\"name\": " : ",\n  \"contacts\": [\n    {\"name\": ");
        arne_json_text(out, t->name);
        fprintf(out, ", \"frame\": ");
        arne_json_text(out, arne_robot_frame(p->problem.robot, t->frame).name);
        plain_write(out, ", \"point\": [%.17g, %.17g, %.17g]}", t->point.x, t->point.y, t->point.z);
    }
    if (p->problem.touch_count) fprintf(out, "]");
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
static void summary_put_limits(FILE *out, const motion_row *m)
{
    static const char *const names[] = {"q", "qd", "qdd", NULL, "tau", "tau_rate"};
    const arne_plan         *p = m->p;
    int                      first = 1;
    fprintf(out, ",\n  \"limits\": {");
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
            fprintf(out, first ? "\n    " : ",\n    ");
            arne_json_text(out, key);
            fprintf(out, ": [");
            arne_json_number(out, lower);
            fprintf(out, ", ");
            arne_json_number(out, upper);
            fprintf(out, "]");
            first = 0;
        }
    }
    fprintf(out, "}");
}

static const char *status_name(arne_plan_status status)
{
    static const char *const names[] = {"unsolved",   "optimal",    "acceptable",
                                        "infeasible", "iterations", "interrupted",
                                        "failed",     "stalled",    "between"};
    return names[status];
}

static void summary_put_worst(FILE *out, const arne_plan *p, const char *key, int constraint,
                              double time)
{
    if (constraint < 0) return;
    fprintf(out, ",\n  \"%s\": ", key);
    char text[160];
    plain_print(text, sizeof text, "%s at %.4g s", p->problem.constraints[constraint].name, time);
    arne_json_text(out, text);
}

// Limits that no motion was found within, and by how much the nearest motion exceeds them.
static void put_forbidden(FILE *out, const arne_plan *p)
{
    for (int i = 0; i < p->forbidden_count; i++) {
        const plan_excess     *e = &p->forbidden[i];
        const plan_constraint *c = &p->problem.constraints[e->constraint];
        char                   owner[300], text[420];
        plan_row_owner(&p->problem, c, e->row, owner, sizeof owner);
        snprintf(text, sizeof text, "%s%s", c->name, owner);
        fprintf(out, i ? ",\n    {\"limit\": " : ",\n  \"forbidden_by\": [\n    {\"limit\": ");
        arne_json_text(out, text);
        plain_write(out,
                    ", \"line\": %d, \"exceeded_by\": %.17g, \"part\": %.17g, \"time\": %.17g}",
                    c->line, e->amount, e->part, e->u * arne_plan_time(p));
    }
    if (p->forbidden_count) fprintf(out, "]");
}

// Time, objective and solve time, beside published ones.
static void summary_put_figures(FILE *out, const plan_published *published,
                                const arne_plan_result *r)
{
    const struct {
        const char *name, *unit;
        double      ours, theirs;
    } figures[] = {{"T", "s", r->T, published->T},
                   {"Objective", "", r->objective, published->objective},
                   {"Solver time", "s", r->solve_time, published->solve_time}};
    fprintf(out, ",\n  \"figures\": [");
    for (int i = 0; i < 3; i++) {
        fprintf(out, "%s\n    {\"name\": \"%s\", \"unit\": \"%s\", \"value\": ", i ? "," : "",
                figures[i].name, figures[i].unit);
        arne_json_number(out, figures[i].ours);
        if (figures[i].theirs != 0) plain_write(out, ", \"published\": %.17g", figures[i].theirs);
        fprintf(out, "}");
    }
    fprintf(out, "]");
}

// Results of searches from several starts.
static void put_found(FILE *out, const arne_plan *p)
{
    if (!p->found_count) return;
    fprintf(out, ",\n  \"starts\": [");
    for (int i = 0; i < p->found_count; i++) {
        const arne_plan_found *f = &p->found[i];
        fprintf(out,
                "%s\n    {\"seed\": %lu, \"status\": \"%s\", \"iterations\": %d, \"objective\": ",
                i ? "," : "", f->seed, status_name(f->status), f->iterations);
        arne_json_number(out, f->objective);
        fprintf(out, "}");
    }
    fprintf(out, "]");
}

// The table of a search that doubled its spans.
static void summary_put_steps(FILE *out, const arne_plan *p, const arne_plan_result *r)
{
    if (!r->converged) return;
    fprintf(out, ",\n  \"converged\": %s", r->converged > 0 ? "true" : "false");
    summary_put_number(out, "change", r->change);
    fprintf(out, ",\n  \"convergence\": [");
    for (int i = 0; i < p->step_count; i++) {
        fprintf(out,
                "%s{\"control_points\": %d, \"iterations\": %d, \"objective\": ", i ? ", " : "",
                p->steps[i].control_points, p->steps[i].iterations);
        arne_json_number(out, p->steps[i].objective);
        fprintf(out, "}");
    }
    fprintf(out, "]");
}

void plan_summary(FILE *out, motion_row *m, const arne_plan_result *r)
{
    const arne_plan         *p = m->p;
    static const char *const bases[] = {"", "fixed", "prescribed", "free"};
    fprintf(out, "{\n  \"kind\": \"plan\",\n  \"title\": ");
    arne_json_text(out, p->problem.title ? p->problem.title : "");
    if (p->robot_copy) {
        fprintf(out, ",\n  \"robot\": ");
        arne_json_text(out, p->robot_copy);
        fprintf(out, ",\n  \"base\": \"%s\"", bases[arne_robot_base(m->shown)]);
    }
    fprintf(out, ",\n  \"complete\": %s", arne_plan_is_complete(r->status) ? "true" : "false");
    fprintf(out, ",\n  \"status\": \"%s\"", status_name(r->status));
    summary_put_number(out, "T", r->T);
    summary_put_number(out, "objective", r->objective);
    summary_put_number(out, "iterations", r->iterations);
    summary_put_number(out, "violation", r->violation);
    summary_put_number(out, "violation_between", r->violation_between);
    summary_put_number(out, "part_between", r->part_between);
    summary_put_number(out, "solve_time", r->solve_time);
    summary_put_number(out, "function_time", r->function_time);
    summary_put_number(out, "derivative_time", r->derivative_time);
    summary_put_steps(out, p, r);
    put_found(out, p);
    summary_put_worst(out, p, "worst", r->worst, r->worst_time);
    put_forbidden(out, p);
    summary_put_worst(out, p, "worst_between", r->worst_between, r->worst_between_time);
    summary_put_number(out, "variables", r->variables);
    summary_put_number(out, "constraints", r->constraints);
    summary_put_number(out, "jacobian_entries", r->jacobian_entries);
    summary_put_number(out, "hessian_entries", r->hessian_entries);
    summary_put_number(out, "grid_points", r->grid_points);
    summary_put_number(out, "refinements", r->refinements);
    if (p->problem.module.summary) p->problem.module.summary(p->problem.module.data, out, m);
    plan_fatigue_summary(out, m->p);
    plan_effort_summary(out, m);
    put_impulses(out, m);
    summary_put_contacts(out, p);
    plan_summary_put_impacts(out, p);
    put_peaks(out, m);
    summary_put_limits(out, m);
    summary_put_figures(out, &p->problem.published, r);
    summary_put_number(out, "snapshots", p->problem.snapshots ? p->problem.snapshots : 8);
    fprintf(out, "\n}\n");
}
