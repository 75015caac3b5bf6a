// Forces of contacts in a plan.
//
// A contact is a point p(q) on a frame with a force f whose components along two tangents and the
// normal are planned coordinates. Torques are those of inverse dynamics less J^T f, J = dp/dq. With
// w_k the turn and d_l the move of the point by unit velocities of coordinates k and l, k nearer
// the base, d(J^T f)_l/dq_k = f . (w_k x d_l); the second derivatives of lambda . J^T f are those
// of the velocity J lambda of the point, contracted with f. What holds on to another frame pushes
// that one with -f, at a point of its own.
#include "base/error.h"
#include "math/vectors.h"
#include "plan/problem/geometry.h"
#include "plan/problem/plan_press.h"
#include "plan/transcription/plan_impact.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static arne_vec3 contact_along(const plan_touch *t, const double *f)
{
    const arne_vec3 *a = t->axes;
    return (arne_vec3){a[0].x * f[0] + a[1].x * f[1] + a[2].x * f[2],
                       a[0].y * f[0] + a[1].y * f[1] + a[2].y * f[2],
                       a[0].z * f[0] + a[1].z * f[1] + a[2].z * f[2]};
}

arne_vec3 plan_contact_force(plan_state *s, int contact)
{
    const plan_touch *t = &s->problem->touches[contact];
    if (plan_is_compliant(s->problem, contact)) return plan_press_force(s, contact);
    return contact_along(t, s->z + s->problem->v_count + t->column);
}

// One of the two ends of a contact: where the force acts, with its sign.
typedef struct acting {
    geometry_place at;
    double         sign;
} acting;

static const arne_vec3 no_moment = {0, 0, 0};

static int ends_of(const plan_touch *t, acting out[2])
{
    out[0] = (acting){{t->frame, t->point}, 1};
    out[1] = (acting){{t->other_frame, t->other_point}, -1};
    return t->other_frame >= 0 ? 2 : 1;
}

void plan_contact_torques(plan_state *s)
{
    const plan_problem *p = s->problem;
    const int           v = p->v_count;
    double             *J = s->at->matrices;
    acting              ends[2];
    for (int i = 0; i < p->touch_count; i++) {
        if (plan_is_compliant(p, i)) {
            plan_press_torques(s, i);
            continue;
        }
        const arne_vec3 f = plan_contact_force(s, i);
        const int       count = p->touches[i].on[s->phase] ? ends_of(&p->touches[i], ends) : 0;
        for (int e = 0; e < count; e++) {
            geometry_point(s, ends[e].at.frame, ends[e].at.point, J);
            for (int k = 0; k < v; k++)
                s->tau[k] -= ends[e].sign * (J[k] * f.x + J[v + k] * f.y + J[2 * v + k] * f.z);
        }
    }
}

void plan_contact_derivatives(plan_state *s)
{
    const plan_problem *p = s->problem;
    const int           v = p->v_count, nf = p->force_count;
    double             *J = s->at->matrices;
    acting              ends[2];
    if (nf) memset(s->tau_f, 0, (size_t)(v * nf) * sizeof *s->tau_f);
    for (int i = 0; i < p->touch_count; i++) {
        const plan_touch *t = &p->touches[i];
        if (plan_is_compliant(p, i)) {
            plan_press_derivatives(s, i);
            continue;
        }
        const arne_vec3 f = plan_contact_force(s, i);
        const int       count = t->on[s->phase] ? ends_of(t, ends) : 0;
        for (int e = 0; e < count; e++) {
            const double sign = ends[e].sign;
            geometry_point(s, ends[e].at.frame, ends[e].at.point, J);
            for (int k = 0; k < v; k++)
                for (int c = 0; c < 3; c++)
                    s->tau_f[k * nf + t->column + c] -=
                        sign * (J[k] * t->axes[c].x + J[v + k] * t->axes[c].y +
                                J[2 * v + k] * t->axes[c].z);
            geometry_bend(s, &ends[e].at, J, scale3(f, -sign), no_moment, s->tau_q);
        }
    }
}

void plan_contact_curve(plan_state *s)
{
    const plan_problem *p = s->problem;
    const int           v = p->v_count;
    double             *J = s->at->matrices, *turned = J + 6 * v; // 3 x v_count
    acting              ends[2];
    for (int i = 0; i < p->touch_count; i++) {
        const plan_touch *t = &p->touches[i];
        if (plan_is_compliant(p, i)) {
            plan_press_curve(s, i);
            continue;
        }
        const arne_vec3 f = plan_contact_force(s, i);
        const int       count = t->on[s->phase] ? ends_of(t, ends) : 0;
        for (int e = 0; e < count; e++) {
            const double sign = -ends[e].sign;
            geometry_point(s, ends[e].at.frame, ends[e].at.point, J);
            geometry_curve(s, &ends[e].at, J, s->at->lambda_tau, scale3(f, sign), no_moment);
            geometry_turned(s, &ends[e].at, J, s->at->lambda_tau, turned);
            for (int k = 0; k < v; k++)
                for (int c = 0; c < 3; c++)
                    plan_curve_planned(s, k, v + t->column + c,
                                       sign * (t->axes[c].x * turned[k] +
                                               t->axes[c].y * turned[v + k] +
                                               t->axes[c].z * turned[2 * v + k]));
        }
    }
}

// ---- making them

static arne_vec3 contact_unit(arne_vec3 a)
{
    const double l = sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
    return (arne_vec3){a.x / l, a.y / l, a.z / l};
}

// Two tangents and the normal. Of a level ground they are axes of the world.
static void set_axes(const plan_problem *p, const arne_plan_contact *c, plan_touch *t)
{
    arne_vec3       n = c->plane_normal;
    const arne_vec3 g = arne_robot_gravity(p->robot);
    if (n.x == 0 && n.y == 0 && n.z == 0) n = (arne_vec3){-g.x, -g.y, -g.z};
    if (n.x == 0 && n.y == 0 && n.z == 0) n = (arne_vec3){0, 0, 1};
    n = contact_unit(n);
    const arne_vec3 x = fabs(n.x) < 0.9 ? (arne_vec3){1, 0, 0} : (arne_vec3){0, 1, 0};
    const double    d = x.x * n.x + x.y * n.y + x.z * n.z;
    t->axes[0] = contact_unit((arne_vec3){x.x - d * n.x, x.y - d * n.y, x.z - d * n.z});
    t->axes[1] = cross3(n, t->axes[0]);
    t->axes[2] = n;
}

static arne_status new_touch(plan_problem *p, const arne_plan_contact *c, plan_touch *t,
                             arne_error *error)
{
    const arne_sizes size = arne_robot_sizes(p->robot);
    *t = (plan_touch){.frame = c->frame,
                      .other_frame = c->holds ? c->other_frame : -1,
                      .point = c->point,
                      .other_point = c->other_point,
                      .plane_point = c->plane_point,
                      .friction = c->holds ? -1 : c->friction,
                      .continues = c->continues,
                      .smooth = c->smooth,
                      .passes = c->passes,
                      .stiffness = c->stiffness,
                      .dissipation = c->dissipation,
                      .slip_velocity = c->slip_velocity > 0 ? c->slip_velocity : 0.05,
                      .smoothing = c->smoothing > 0 ? c->smoothing : 1e-3,
                      .plane_velocity = c->plane_velocity,
                      .column = 3 * p->held_count,
                      .on = calloc((size_t)p->phase_count, 1)};
    if (!(t->stiffness > 0)) p->held_count++;
    snprintf(t->name, sizeof t->name, "%s", c->name ? c->name : "");
    if (!t->on) return arne_fail_memory(error);
    if (t->stiffness > 0 && (c->holds || c->phases))
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "contact '%s' is compliant: it holds nothing, and names no phases",
                         t->name);
    if (c->frame < 0 || c->frame >= size.frame_count || t->other_frame >= size.frame_count)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "contact '%s': there is no such frame",
                         t->name);
    if (!c->holds && !(c->friction >= 0))
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "contact '%s': friction must not be negative, as %g is", t->name,
                         c->friction);
    for (int i = 0; c->phases && i < c->phase_count; i++) {
        if (c->phases[i] < 0 || c->phases[i] >= p->phase_count)
            return arne_fail(error, ARNE_VALUE, NULL, 0, "contact '%s': there is no such phase",
                             t->name);
        t->on[c->phases[i]] = (unsigned char)(PLAN_TOUCHES | (c->stays ? c->stays[i] & 7 : 7));
    }
    if (!c->phases) memset(t->on, PLAN_TOUCHES | 7, (size_t)p->phase_count);
    set_axes(p, c, t);
    return ARNE_OK;
}

arne_status plan_new_touches(plan_problem *p, const plan_parts *parts, arne_error *error)
{
    arne_status status = ARNE_OK;
    if (parts->contact_count && p->degree < 3)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "with contacts the degree of splines must be 3 or more, not %d",
                         p->degree);
    p->touches = calloc((size_t)parts->contact_count + 1, sizeof *p->touches);
    if (!p->touches) return arne_fail_memory(error);
    for (int i = 0; i < parts->contact_count && !status; i++) {
        p->touch_count++;
        status = new_touch(p, &parts->contacts[i], &p->touches[i], error);
    }
    return status;
}

// How the first loop is written as a contact instead.
static arne_status refuse_loops(const arne_robot *robot, arne_error *error)
{
    const arne_loop_info l = arne_robot_loop(robot, 0);
    const arne_vec3      a = l.at[0].p, b = l.at[1].p;
    if (l.kind == ARNE_LOOP_ROLLING || l.kind == ARNE_LOOP_KNIFE_EDGE)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "phases and contacts are not known of robots with wheels (loop '%s')",
                         l.name);
    return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                     "phases and contacts are not known of robots with loops: remove loop '%s' "
                     "from the robot's file, and write here under contacts: {frame: %s, point: "
                     "[%.9g, %.9g, %.9g], holds: %s, other_point: [%.9g, %.9g, %.9g]}, with stays: "
                     "xy (or yz, xz) if the mechanism moves in that plane only, and a guess of the "
                     "passive joints",
                     l.name, arne_robot_frame(robot, l.frame[0]).name, a.x, a.y, a.z,
                     arne_robot_frame(robot, l.frame[1]).name, b.x, b.y, b.z);
}

arne_status arne_plan_new_in_phases(const arne_robot *robot, const arne_plan_options *options,
                                    const arne_plan_phase *phases, int phase_count,
                                    const arne_plan_contact *contacts, int contact_count,
                                    arne_plan **out, arne_error *error)
{
    const plan_parts parts = {phases, contacts, phase_count, contact_count};
    if (!robot || !out || (phase_count > 0 && !phases) || (contact_count > 0 && !contacts))
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s is NULL",
                         !robot   ? "robot"
                         : !out   ? "out"
                         : phases ? "contacts"
                                  : "phases");
    if (arne_robot_sizes(robot).loop_count) return refuse_loops(robot, error);
    if (phase_count > 0 && phases[0].impact)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "phase '%s' is the first: there is nothing before its impact",
                         phases[0].name ? phases[0].name : "");
    for (int k = 0; k < phase_count; k++)
        for (int i = 0; i < contact_count; i++)
            if (phases[k].impact && contacts[i].stiffness > 0)
                return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                                 "phase '%s' begins with an impact, which compliant contacts "
                                 "such as '%s' do not have",
                                 phases[k].name ? phases[k].name : "",
                                 contacts[i].name ? contacts[i].name : "");
    return plan_new_parts(robot, options, NULL, &parts, out, error);
}

// ---- the force as a quantity

static int force_values(const plan_quantity *q, plan_state *s, double *out)
{
    const arne_vec3 f = plan_contact_force(s, q->what.joint);
    out[0] = f.x, out[1] = f.y, out[2] = f.z;
    return 0;
}

static int force_gradient(const plan_quantity *q, plan_state *s, double *out)
{
    const plan_problem *p = s->problem;
    const arne_vec3    *a = p->touches[q->what.joint].axes;
    for (int c = 0; c < 3; c++) {
        double *at = out + p->v_count + p->touches[q->what.joint].column + c;
        at[0] = a[c].x;
        at[PLAN_ORDERS * p->n] = a[c].y;
        at[2 * PLAN_ORDERS * p->n] = a[c].z;
    }
    return 0;
}

static void force_pattern(const plan_quantity *q, const plan_problem *p, unsigned char *out)
{
    for (int r = 0; r < 3; r++)
        memset(out + r * PLAN_ORDERS * p->n + p->v_count + p->touches[q->what.joint].column, 1, 3);
}

void plan_contact_quantity(const plan_problem *p, const arne_quantity *what, plan_quantity *out)
{
    if (plan_is_compliant(p, what->joint)) {
        plan_press_quantity(what, out);
        return;
    }
    *out = (plan_quantity){.name = "contact_force",
                           .kind = plan_kind_of((int)what->kind),
                           .rows = 3,
                           .orders = 1,
                           .linear = 1,
                           .planned = 1,
                           .what = *what,
                           .values = force_values,
                           .gradient = force_gradient,
                           .pattern = force_pattern};
}

// ---- bounds

// Whether the force of a contact begins or ends with a control point.
static int is_edge(const plan_program *p, const plan_touch *t, int phase, int i)
{
    const int last = p->phase_count - 1;
    if (i == 0) return phase == 0 ? !t->continues : !t->on[phase - 1];
    return i == p->phases[phase].m - 3 && phase < last && !t->on[phase + 1];
}

// What a control point of a force may be.
static void bound_force(plan_program *p, int touch, int component, int phase)
{
    const plan_touch *t = &p->problem->touches[touch];
    const plan_phase *f = &p->phases[phase];
    const int         at = (p->v_count + t->column + component) * p->m + f->first;
    for (int i = 0; i < f->m; i++) {
        const int slides = component != 2 && t->friction == 0;
        const int impulse = i == f->m - 1 && phase + 1 < p->phase_count &&
                            plan_has_impact(p->problem, phase + 1) && t->on[phase + 1];
        const int force = t->on[phase] && i < f->m - 2 && !(t->smooth && is_edge(p, t, phase, i));
        const int is_free = !slides && (force || impulse);
        p->x_lower[at + i] = !is_free ? 0 : component == 2 && t->friction >= 0 ? 0 : -INFINITY;
        p->x_upper[at + i] = is_free ? INFINITY : 0;
    }
}

void plan_contact_bounds(plan_program *p)
{
    for (int i = 0; i < p->problem->touch_count; i++)
        for (int c = 0; c < 3 && !plan_is_compliant(p->problem, i); c++)
            for (int k = 0; k < p->phase_count; k++)
                bound_force(p, i, c, k);
}

arne_vec3 arne_plan_contact_force(arne_plan *plan, double u, int contact)
{
    arne_plan_evaluate(plan, u, NULL, NULL, NULL, NULL, NULL);
    return plan_contact_force(&plan->now.program->between, contact);
}
