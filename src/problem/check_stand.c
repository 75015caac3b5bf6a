// At rest at the start or the end of a motion, the robot must hold its weight there. If its torque
// limits do not allow this, the reader says so: the search could only fail.
#include "base/error.h"
#include "base/text.h"
#include "problem/read_problem.h"
#include <arne/dynamics.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

void problem_warn(problem *p, const char *rule, int line, const char *format, ...)
{
    char            text[600];
    const listeners to = findings_listeners(&p->found);
    va_list         arguments;
    va_start(arguments, format);
    text_line_list(text, sizeof text, format, arguments);
    va_end(arguments);
    const arne_warning w = {.rule = rule, .file = p->r.file, .line = line, .text = text};
    to.warn(to.warn_context, &w);
}

// Robots whose torques at rest are those of gravity alone.
static int stand_is_plain(const problem *p)
{
    const arne_sizes size = arne_robot_sizes(p->robot);
    return size.q_count == size.v_count && !size.loop_count && !size.theta_count &&
           arne_robot_base(p->robot) == ARNE_BASE_FIXED &&
           p->plan->problem.v_count == size.v_count && !p->has_gait && !p->path &&
           !p->contact_count && !p->payload_count && !p->plan->problem.wrench_count &&
           !p->plan->problem.strengths;
}

// What a motion must have at an instant, by equalities; NaN where nothing says it.
static void fixed_at(const arne_plan *plan, arne_quantity_kind kind, double at, double *out)
{
    for (int k = 0; k < plan->problem.v_count; k++)
        out[k] = NAN;
    for (int i = 0; i < plan->problem.constraint_count; i++) {
        const plan_constraint *c = &plan->problem.constraints[i];
        if (c->from != at || c->to != at || c->other >= 0 ||
            plan->problem.quantities[c->quantity].what.kind != kind)
            continue;
        for (int r = 0; r < c->row_count; r++)
            if (c->lower[r] == c->upper[r]) out[c->rows[r]] = c->lower[r];
    }
}

static int stands(const arne_plan *plan, double at, double *q, double *qd)
{
    fixed_at(plan, ARNE_QUANTITY_POSITION, at, q);
    fixed_at(plan, ARNE_QUANTITY_VELOCITY, at, qd);
    for (int k = 0; k < plan->problem.v_count; k++)
        if (isnan(q[k]) || qd[k] != 0) return 0;
    return 1;
}

static void warn_of(problem *p, const plan_constraint *c, int row, double needed, const char *where)
{
    const int    k = c->rows[row];
    const double limit = needed > 0 ? c->upper[row] : c->lower[row];
    for (int i = 0; i < arne_robot_sizes(p->robot).joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(p->robot, i);
        if (j.v_start == k && j.v_count == 1)
            problem_warn(p, "stand", c->line,
                         "joint '%.80s' needs %.4g %s to stand still at the %s, and its limit is "
                         "%.4g",
                         j.name, needed, arne_joint_unit(&j, 0, ARNE_UNIT_TAU), where, limit);
    }
}

static void check_end(problem *p, double at, const double *tau)
{
    const arne_plan *plan = p->plan;
    for (int i = 0; i < plan->problem.constraint_count; i++) {
        const plan_constraint *c = &plan->problem.constraints[i];
        if (c->other >= 0 ||
            plan->problem.quantities[c->quantity].what.kind != ARNE_QUANTITY_TORQUE)
            continue;
        if (c->phase > 0 || c->from > at || c->to < at) continue;
        for (int r = 0; r < c->row_count; r++) {
            const double needed = tau[c->rows[r]], slack = 1e-9 * (1 + fabs(needed));
            if (needed > c->upper[r] + slack || needed < c->lower[r] - slack)
                warn_of(p, c, r, needed, at < 0.5 ? "start" : "end");
        }
    }
}

// ---- a free base

static int has_equal_torque(const arne_plan *plan, int row)
{
    for (int i = 0; i < plan->problem.constraint_count; i++) {
        const plan_constraint *c = &plan->problem.constraints[i];
        if (c->other >= 0 ||
            plan->problem.quantities[c->quantity].what.kind != ARNE_QUANTITY_TORQUE)
            continue;
        for (int r = 0; r < c->row_count; r++)
            if (c->rows[r] == row && c->lower[r] == c->upper[r]) return 1;
    }
    return 0;
}

// Without contacts and phases any force may act on the free base.
static void warn_of_free_base(problem *p)
{
    const arne_plan *plan = p->plan;
    const int        joint = arne_find_joint(p->robot, "base.x");
    if (arne_robot_base(p->shown) != ARNE_BASE_FREE || joint < 0 || p->driven || p->has_gait ||
        p->path || p->phase_count || p->contact_count || arne_robot_sizes(p->robot).loop_count)
        return;
    const int row = arne_robot_joint(p->robot, joint).v_start;
    if (plan->problem.prescribed[row].on || has_equal_torque(plan, row)) return;
    problem_warn(p, "base", 1,
                 "nothing says what drives the free base: the plan puts any force on it. Add "
                 "{quantity: torque, joints: base, equal: 0} to constraints, or contacts, or "
                 "driven: all");
}

// ---- where a free base is

// Whether a row of a quantity depends on where the base is along an axis of the world; coordinate:
// of the base along it.
static int depends_on_place(const plan_quantity *q, int row, int axis, int coordinate)
{
    const arne_vec3 n = q->what.plane_normal;
    if (!q->kind) return 1; // of the caller: perhaps
    switch (q->what.kind) {
    case ARNE_QUANTITY_POSITION:
    case ARNE_QUANTITY_DEVIATION:
        return row == coordinate;
    case ARNE_QUANTITY_FRAME_POSITION:
    case ARNE_QUANTITY_COM:
    case ARNE_QUANTITY_ZMP:
        return row == axis;
    case ARNE_QUANTITY_HEIGHT:
        return fabs(axis == 0 ? n.x : axis == 1 ? n.y : n.z) > 1e-9;
    case ARNE_QUANTITY_DISTANCE:
        return q->what.other_frame < 0;
    default:
        return q->what.kind == ARNE_QUANTITY_ZMP_INSIDE;
    }
}

// Whether anything says where along an axis the motion is.
static int is_anchored(const plan_problem *p, int axis, int coordinate)
{
    if (p->prescribed[coordinate].on || isfinite(p->coordinate_lower[coordinate]) ||
        isfinite(p->coordinate_upper[coordinate]))
        return 1;
    for (int i = 0; i < p->touch_count; i++) {
        const plan_touch *t = &p->touches[i];
        const arne_vec3   n = t->axes[2];
        const int         holds_world = t->friction < 0 && t->other_frame < 0;
        if (holds_world || fabs(axis == 0 ? n.x : axis == 1 ? n.y : n.z) > 1e-9) return 1;
    }
    for (int i = 0; i < p->constraint_count; i++) {
        const plan_constraint *c = &p->constraints[i];
        for (int r = 0; c->other < 0 && r < c->row_count; r++)
            if ((isfinite(c->lower[r]) || isfinite(c->upper[r])) &&
                depends_on_place(&p->quantities[c->quantity], c->rows[r], axis, coordinate))
                return 1;
    }
    for (int i = 0; i < p->objective_count; i++) {
        const plan_objective *o = &p->objectives[i];
        for (int r = 0; r < o->row_count; r++)
            if (depends_on_place(&p->quantities[o->quantity], o->rows[r], axis, coordinate))
                return 1;
    }
    return 0;
}

// With contacts on the ground alone, all motions that are moved along it are equally good, and the
// search may end far away.
static void warn_of_no_anchor(problem *p)
{
    static const char *const names[3] = {"base.x", "base.y", "base.z"};
    for (int axis = 0; axis < 3 && p->plan->problem.touch_count && !p->has_gait; axis++) {
        const int joint = arne_find_joint(p->robot, names[axis]);
        if (joint < 0) continue;
        if (!is_anchored(&p->plan->problem, axis, arne_robot_joint(p->robot, joint).v_start))
            problem_warn(p, "anchor", 1,
                         "nothing says where along %c the motion is, so that it may drift away: "
                         "give the position of %s at the start, or of a foot",
                         names[axis][5], names[axis]);
    }
}

arne_status problem_check_stand(problem *p)
{
    warn_of_free_base(p);
    warn_of_no_anchor(p);
    if (!stand_is_plain(p)) return ARNE_OK;
    const size_t n = (size_t)p->plan->problem.v_count;
    double      *q = malloc(3 * (n + 1) * sizeof *q);
    arne_work   *work = NULL;
    arne_status  status = q ? arne_work_new(p->robot, &work) : ARNE_NO_MEMORY;
    if (!status)
        for (int end = 0; end < 2; end++) {
            if (!stands(p->plan, end, q, q + n)) continue;
            arne_gravity(p->robot, work, q, q + 2 * n);
            check_end(p, end, q + 2 * n);
        }
    arne_work_free(work);
    free(q);
    return status == ARNE_NO_MEMORY ? arne_fail_memory(p->r.error) : ARNE_OK;
}
