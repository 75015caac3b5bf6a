// What the surroundings do to the robot in a plan: wrenches on frames, constant or over t/T, and
// masses that it carries in some phases.
//
// A wrench (f, m) at the point p of a frame is fixed in the world or in the frame. Those in the
// frame are loads of inverse dynamics. With d_k the move of the point and w_k the turn of the frame
// by coordinate k, those in the world take d_k . f + w_k . m from the torques; d(d_l)/dq_k = w_k x
// d_l and d(w_l)/dq_k = w_k x w_l, k nearer the base.
#include "base/error.h"
#include "math/vectors.h"
#include "plan/problem/geometry.h"
#include "plan/problem/plan_memory.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 7 }; // of a table: t/T, force, moment

// ---- at an instant

// The duration of the whole motion, and the part of it, of a state: with several phases they are
// fixed wherever a wrench depends on them.
static double time_of_all(const plan_state *s)
{
    double sum = 0;
    for (int k = 0; k < s->problem->phase_count; k++)
        sum += s->problem->phases[k].time;
    return s->problem->phase_count == 1 ? s->T : sum;
}

static double part_of_all(const plan_state *s)
{
    double before = 0;
    for (int k = 0; k < s->phase; k++)
        before += s->problem->phases[k].time;
    return s->problem->phase_count == 1 ? s->u : (before + s->u * s->T) / time_of_all(s);
}

// From its table, or the table's slope by time.
static arne_wrench look_up(const plan_state *s, int index, int slope)
{
    const plan_wrench *w = &s->problem->wrenches[index];
    const double       u = w->of_phase ? s->u : part_of_all(s);
    const double      *a = w->table, *b = a;
    arne_wrench        out = {{0, 0, 0}, {0, 0, 0}};
    if (!w->on[s->phase]) return out;
    for (int i = 1; i < w->count && u > a[0]; i++) {
        b = w->table + i * COLUMNS;
        if (u <= b[0] || i == w->count - 1) break;
        a = b;
    }
    const double part = b[0] > a[0] ? (u - a[0]) / (b[0] - a[0]) : 0,
                 inside = fmin(fmax(part, 0), 1);
    const double T = w->of_phase ? s->T : time_of_all(s);
    double       six[6];
    for (int k = 0; k < 6; k++) {
        const double change = b[1 + k] - a[1 + k];
        six[k] = !slope                          ? a[1 + k] + inside * change
                 : part == inside && change != 0 ? change / ((b[0] - a[0]) * T)
                                                 : 0;
    }
    out.lin = (arne_vec3){six[0], six[1], six[2]};
    out.ang = (arne_vec3){six[3], six[4], six[5]};
    return out;
}

arne_wrench plan_wrench_at(const plan_state *s, int index) { return look_up(s, index, 0); }

arne_wrench plan_wrench_rate(const plan_state *s, int index) { return look_up(s, index, 1); }

void plan_wrench_loads(plan_state *s)
{
    const plan_problem *p = s->problem;
    if (!s->f_ext) return;
    memset(s->f_ext, 0, (size_t)arne_robot_sizes(s->robot).body_count * sizeof *s->f_ext);
    s->load_count = 0;
    for (int i = 0; i < p->wrench_count; i++) {
        const plan_wrench *w = &p->wrenches[i];
        if (!w->in_frame || !w->on[s->phase]) continue;
        arne_wrench     now = plan_wrench_at(s, i);
        const arne_vec3 turn = cross3(w->point, now.lin);
        now.ang = (arne_vec3){now.ang.x + turn.x, now.ang.y + turn.y, now.ang.z + turn.z};
        s->loads[s->load_count++] = (arne_load){.frame = w->frame, .wrench = now};
        arne_add_wrench(s->robot, w->frame, &now, s->f_ext);
    }
}

// ---- torques

static int acts(const plan_state *s, int i)
{
    const plan_wrench *w = &s->problem->wrenches[i];
    return !w->in_frame && w->on[s->phase];
}

void plan_wrench_torques(plan_state *s)
{
    const plan_problem *p = s->problem;
    const int           v = p->v_count;
    double             *J = s->at->matrices;
    for (int i = 0; i < p->wrench_count; i++) {
        if (!acts(s, i)) continue;
        const arne_wrench w = plan_wrench_at(s, i);
        const double      six[6] = {w.lin.x, w.lin.y, w.lin.z, w.ang.x, w.ang.y, w.ang.z};
        geometry_point(s, p->wrenches[i].frame, p->wrenches[i].point, J);
        for (int r = 0; r < 6; r++)
            for (int k = 0; k < v; k++)
                s->tau[k] -= J[r * v + k] * six[r];
    }
}

// First derivatives of what plan_wrench_torques adds, or second ones along the multipliers.
static void plan_wrench_slopes(plan_state *s, int second)
{
    const plan_problem *p = s->problem;
    double             *J = s->at->matrices;
    for (int i = 0; i < p->wrench_count; i++) {
        if (!acts(s, i)) continue;
        const arne_wrench    w = plan_wrench_at(s, i);
        const arne_vec3      lin = scale3(w.lin, -1), ang = scale3(w.ang, -1);
        const geometry_place at = {p->wrenches[i].frame, p->wrenches[i].point};
        geometry_point(s, at.frame, at.point, J);
        if (second)
            geometry_curve(s, &at, J, s->at->lambda_tau, lin, ang);
        else
            geometry_bend(s, &at, J, lin, ang, s->tau_q);
    }
}

void plan_wrench_derivatives(plan_state *s) { plan_wrench_slopes(s, 0); }

void plan_wrench_curve(plan_state *s) { plan_wrench_slopes(s, 1); }

// ---- making them

const char *plan_forbids_wrench(const plan_problem *p, arne_quantity_kind kind, int changes)
{
    if (kind == ARNE_QUANTITY_ZMP || kind == ARNE_QUANTITY_ZMP_INSIDE) return "wrenches";
    if (kind != ARNE_QUANTITY_TORQUE_RATE) return NULL;
    if (p->map.n && !p->planned_from) return "wrenches along a path";
    for (int k = 0; k < p->phase_count && changes; k++)
        if (p->phases[k].most > 0) return "wrenches that change over a time that is free";
    return NULL;
}

static arne_status loads_check(const plan_problem *p, const arne_plan_wrench *w, arne_error *error)
{
    const char *name = w->name ? w->name : "";
    if (w->frame < 0 || w->frame >= arne_robot_sizes(p->robot).frame_count)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "wrench '%s': there is no such frame", name);
    for (int i = 0; i < p->quantity_count; i++) {
        const plan_quantity *q = &p->quantities[i];
        const char          *why = plan_forbids_wrench(p, q->what.kind, w->count > 1);
        if ((q->built_in || q->planned) && why)
            return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "%s is not known with %s", q->name,
                             why);
    }
    if (w->count < 1 || !w->table)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "wrench '%s' has no numbers", name);
    for (int i = 0; i < w->count; i++) {
        const double *row = w->table + i * COLUMNS;
        for (int k = 0; k < COLUMNS; k++)
            if (!isfinite(row[k]))
                return arne_fail(error, ARNE_VALUE, NULL, 0,
                                 "wrench '%s': row %d has no finite numbers", name, i + 1);
        if (!(row[0] >= 0 && row[0] <= 1))
            return arne_fail(error, ARNE_VALUE, NULL, 0,
                             "wrench '%s': t/T goes from 0 to 1, and is %g in row %d", name, row[0],
                             i + 1);
        if (i && !(row[0] > row[-COLUMNS]))
            return arne_fail(error, ARNE_VALUE, NULL, 0,
                             "wrench '%s': t/T must rise from row to row, and does not in row %d",
                             name, i + 1);
    }
    for (int k = 0; k < p->phase_count && w->count > 1 && !w->of_phase && p->phase_count > 1; k++)
        if (p->phases[k].most > 0)
            return arne_fail(error, ARNE_VALUE, NULL, 0,
                             "wrench '%s' changes over a motion whose phases have no fixed "
                             "durations: name the phase that it changes over",
                             name);
    return ARNE_OK;
}

arne_status arne_plan_add_wrench(arne_plan *to_plan, const arne_plan_wrench *wrench,
                                 arne_error *error)
{
    if (!to_plan || !wrench) return arne_fail_null(error);
    plan_problem     *plan = plan_change(to_plan);
    const arne_status status = loads_check(plan, wrench, error);
    if (status) return status;
    plan_wrench *more =
        realloc(plan->wrenches, (size_t)(plan->wrench_count + 1) * sizeof *plan->wrenches);
    if (!more) return arne_fail_memory(error);
    plan->wrenches = more;
    plan_wrench to = {
        .frame = wrench->frame,
        .in_frame = wrench->in_frame,
        .of_phase = wrench->of_phase,
        .count = wrench->count,
        .point = wrench->point,
        .on = calloc((size_t)plan->phase_count, 1),
        .table = plan_copy(wrench->table, COLUMNS * (size_t)wrench->count, sizeof(double))};
    snprintf(to.name, sizeof to.name, "%s", wrench->name ? wrench->name : "");
    int fine = to.on && to.table;
    for (int k = 0; fine && k < plan->phase_count && !wrench->phases; k++)
        to.on[k] = 1;
    for (int i = 0; fine && wrench->phases && i < wrench->phase_count; i++)
        if (wrench->phases[i] >= 0 && wrench->phases[i] < plan->phase_count)
            to.on[wrench->phases[i]] = 1;
    if (!fine) {
        free(to.on);
        free(to.table);
        return arne_fail_memory(error);
    }
    plan->wrenches[plan->wrench_count++] = to;
    return ARNE_OK;
}

void plan_free_loads(plan_problem *p)
{
    for (int i = 0; i < p->wrench_count; i++) {
        free(p->wrenches[i].on);
        free(p->wrenches[i].table);
    }
    free(p->wrenches);
}

// ---- what is carried in some phases

// *robot, or `from` where there is none yet, with the payload on it.
static arne_status loads_attach(const arne_robot *from, arne_robot **robot, int frame,
                                const arne_payload *payload, arne_error *error)
{
    arne_robot       *loaded = NULL;
    const arne_status status =
        arne_robot_attach(*robot ? *robot : from, frame, payload, &loaded, error);
    if (status) return status;
    arne_robot_free(*robot);
    *robot = loaded;
    return ARNE_OK;
}

arne_status arne_plan_add_payload(arne_plan *to_plan, int frame, const arne_payload *payload,
                                  const int *phases, int phase_count, arne_error *error)
{
    if (!to_plan || !payload || !phases) return arne_fail_null(error);
    plan_problem *plan = plan_change(to_plan);
    if (frame < 0 || frame >= arne_robot_sizes(plan->robot).frame_count)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "payload: there is no such frame");
    if (arne_robot_sizes(plan->robot).loop_count)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "payload: robot '%s' has loops, whose plans know no loads of phases: put "
                         "it on the robot before (arne_robot_attach)",
                         arne_robot_name(plan->robot));
    const char *name = arne_robot_frame(plan->robot, frame).name;
    arne_status status = ARNE_OK;
    for (int i = 0; i < phase_count && !status; i++) {
        if (phases[i] < 0 || phases[i] >= plan->phase_count)
            return arne_fail(error, ARNE_VALUE, NULL, 0, "payload: there is no such phase");
        plan_phase *f = &plan->phases[phases[i]];
        status = loads_attach(plan->robot, &f->loaded, frame, payload, error);
        if (!status && plan->shown_robot)
            status = loads_attach(plan->shown_robot, &f->shown,
                                  arne_find_frame(plan->shown_robot, name), payload, error);
        if (status) break;
        arne_work_free(f->work);
        f->work = NULL;
        if (arne_work_new(f->loaded, &f->work) != ARNE_OK) status = arne_fail_memory(error);
    }
    return status;
}
