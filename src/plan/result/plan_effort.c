// Energy, cost of transport (also metabolic), and the largest part of their strength that joints
// use.
#include "base/error.h"
#include "io/json.h"
#include "math/vectors.h"
#include "motion/drive_limits.h"
#include "plan/problem/plan_muscle.h"
#include "plan/result/fatigue.h"
#include "plan/result/plan_row.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Points of the integrals: the middles of so many equal parts of every span.
enum { PARTS = 20 };

typedef struct effort {
    double  absolute, positive, negative; // J: sums over coordinates of |tau qd|, and of its parts
    double  peak;                         // W, of all coordinates together
    double  metabolic;                    // J, of all muscles that drive
    double *most, *when;                  // of every coordinate: its greatest utilisation
} effort;

static void effort_add_power(effort *e, const motion_row *m, double dt)
{
    double all = 0;
    for (int k = 0; k < m->size.v_count; k++) {
        const double power = m->tau[k] * m->qd[k];
        all += power;
        e->absolute += dt * fabs(power);
        e->positive += dt * fmax(power, 0);
        e->negative += dt * fmin(power, 0);
    }
    e->peak = fmax(e->peak, fabs(all));
    if (m->p->problem.muscle_count)
        e->metabolic += dt * plan_muscle_power(&m->p->now.program->between, NULL);
}

// Torques of the planned coordinates: those of the results where they are the same.
static void add_use(effort *e, const motion_row *m, const double *limits, double *tau, double time)
{
    arne_plan *p = m->p;
    const int same = m->size.v_count == p->problem.v_count && m->size.q_count == p->problem.v_count;
    if (same)
        memcpy(tau, m->tau, (size_t)p->problem.v_count * sizeof *tau);
    else if (!p->problem.map.n) {
        plan_torques(&p->now.program->between);
        memcpy(tau, p->now.program->between.tau, (size_t)p->problem.v_count * sizeof *tau);
    }
    for (int k = 0; k < p->problem.v_count; k++) {
        const double use = plan_use(p, k, tau[k], limits[k]);
        if (use > e->most[k]) e->most[k] = use, e->when[k] = time;
    }
}

static double effort_distance(motion_row *m)
{
    const arne_vec3 g = arne_robot_gravity(m->plain);
    const double    length = sqrt(g.x * g.x + g.y * g.y + g.z * g.z);
    arne_vec3       at[2];
    if (!(length > 0)) return 0;
    for (int end = 0; end < 2; end++) {
        plan_row_fill(m, end);
        arne_center_of_mass(m->plain, m->works[0], m->q, NULL, &at[end], NULL);
    }
    arne_vec3 d = sub3(at[1], at[0]);
    if (m->p->problem.touch_count) // over a treadmill, which is that of the first contact
        d = add_scaled3(d, m->p->problem.touches[0].plane_velocity, -arne_plan_time(m->p));
    const double up = (d.x * g.x + d.y * g.y + d.z * g.z) / length;
    return sqrt(fmax(0, d.x * d.x + d.y * d.y + d.z * d.z - up * up));
}

static void effort_put_energy(json *j, motion_row *m, const effort *e)
{
    const arne_vec3 g = arne_robot_gravity(m->plain);
    const double    way = effort_distance(m),
                 weight = arne_total_mass(m->plain) * sqrt(g.x * g.x + g.y * g.y + g.z * g.z);
    json_put_open(j, "energy", '{');
    json_put_number(j, "absolute", e->absolute);
    json_put_number(j, "positive", e->positive);
    json_put_number(j, "negative", e->negative);
    json_put_number(j, "peak_power", e->peak);
    json_put_number(j, "distance", way);
    const int muscles = m->p->problem.muscle_count > 0, moves = way > 1e-6 && weight > 0;
    if (moves) json_put_number(j, "cost_of_transport", e->absolute / (weight * way));
    if (muscles) json_put_number(j, "metabolic", e->metabolic);
    if (muscles && moves)
        json_put_number(j, "metabolic_cost_of_transport", e->metabolic / (weight * way));
    json_put_close(j, '}');
}

static void put_use(json *j, const arne_plan *p, const double *limits, const effort *e)
{
    json_put_open(j, "utilisation", '{');
    for (int k = 0; k < p->problem.v_count; k++) {
        char      name[320];
        const int table = p->problem.strengths && p->problem.strengths[k];
        if (!table && !(isfinite(limits[k]) && limits[k] > 0)) continue;
        if (p->problem.map.n && !p->problem.planned_from)
            continue; // along a path coordinates have no names
        const int planned = plan_planned(&p->problem, k);
        if (planned < 0) continue;
        plan_coordinate_name(&p->problem, planned, name, sizeof name);
        json_put_open(j, name, '{');
        json_put_number(j, "most", e->most[k]);
        json_put_number(j, "time", e->when[k]);
        json_put_close(j, '}');
    }
    json_put_close(j, '}');
}

// Looks along the motion. limits has 2 v_count numbers, tau v_count.
static void look_along(motion_row *m, effort *e, double *limits, double *tau)
{
    const arne_plan *p = m->p;
    const int        steps = plan_span_count(p) * PARTS;
    const double     T = arne_plan_time(p);
    arne_drive_limits(p->problem.robot, limits, limits + p->problem.v_count);
    for (int i = 0; i < steps; i++) {
        const double from = plan_span_part(p, (double)i / PARTS),
                     to = plan_span_part(p, (i + 1.0) / PARTS), u = 0.5 * (from + to);
        plan_row_fill(m, u);
        effort_add_power(e, m, (to - from) * T);
        add_use(e, m, limits, tau, u * T);
    }
    for (int i = 0; i <= plan_span_count(p); i++) { // knots, where there are peaks
        const double u = plan_span_part(p, i);
        plan_row_fill(m, u);
        add_use(e, m, limits, tau, u * T);
    }
}

void plan_effort_summary(json *j, motion_row *m)
{
    const size_t v = (size_t)m->p->problem.v_count;
    double      *room = calloc(5 * v, sizeof *room);
    if (!room) return;
    effort e = {.most = room, .when = room + v};
    look_along(m, &e, room + 2 * v, room + 4 * v);
    effort_put_energy(j, m, &e);
    put_use(j, m->p, room + 2 * v, &e);
    free(room);
}

arne_status arne_plan_utilisation(arne_plan *plan, double *most, double *time, arne_error *error)
{
    if (!plan || !most || !time) return arne_fail_null(error);
    const arne_status status = plan_ready(plan, -1, error); // what evaluation would do silently
    if (status) return status;
    const size_t v = (size_t)plan->problem.v_count;
    double      *room = calloc(3 * v, sizeof *room);
    motion_row   m;
    if (!plan_row_new(&m, plan) || !room) {
        plan_row_free(&m);
        free(room);
        return arne_fail_memory(error);
    }
    effort e = {.most = most, .when = time};
    memset(most, 0, v * sizeof *most);
    memset(time, 0, v * sizeof *time);
    look_along(&m, &e, room, room + 2 * v);
    plan_row_free(&m);
    free(room);
    return ARNE_OK;
}
