// What contacts and phases ask of a motion.
//
// A spline of degree d with m control points in a phase has m unknowns a coordinate. Where two
// phases meet, position and velocity are continuous: two equations a coordinate. Of a point that
// touches there are its place and velocity at the start of the contact, and its place where the
// control points from the third on pull: m equations a direction, none twice. The equations of a
// free base hold where the m - 2 control points of accelerations pull, which are those of forces
// too.
#include "base/error.h"
#include "plan/problem/end_conditions.h"
#include "plan/problem/geometry.h"
#include "plan/problem/plan_muscle.h"
#include "plan/problem/plan_press.h"
#include "plan/transcription/plan_impact.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EDGES = 8 }; // of the pyramid inside the friction cone

typedef struct join {
    plan_problem *p;
    plan_ends     ends;
    double       *zero;
    int          *rows;
    arne_error   *error;
    arne_status   status;
} join;

static void join_add(join *j, arne_constraint *c, plan_holding hold)
{
    if (j->status || !c->row_count) return;
    if (!c->lower) c->lower = j->zero;
    if (!c->upper) c->upper = j->zero;
    j->status = plan_add_constraint(j->p, c, j->error);
    if (!j->status) j->p->constraints[j->p->constraint_count - 1].hold = hold;
}

static int join_quantity(join *j, const arne_quantity *what)
{
    int out = -1;
    if (!j->status) j->status = plan_add_quantity(j->p, what, &out, j->error);
    return out;
}

// ---- borders of phases

static int is_planned(const plan_problem *p, int k)
{
    return !p->prescribed[k].on && p->coordinate_lower[k] < p->coordinate_upper[k];
}

static void join_phases(join *j)
{
    const arne_quantity kinds[2] = {{.kind = ARNE_QUANTITY_POSITION},
                                    {.kind = ARNE_QUANTITY_VELOCITY}};
    plan_problem       *p = j->p;
    int                 count = 0;
    for (int k = 0; k < p->v_count; k++)
        if (is_planned(p, k)) j->rows[count++] = k;
    for (int order = 0; order < 2 && p->phase_count > 1; order++) {
        const int what = join_quantity(j, &kinds[order]);
        for (int k = 1; k < p->phase_count; k++) {
            arne_constraint c = {.name = order ? "velocity where phases meet"
                                               : "position where phases meet",
                                 .quantity = what,
                                 .row_count = count,
                                 .rows = j->rows,
                                 .other = what,
                                 .other_rows = j->rows,
                                 .other_at = 1,
                                 .phase = k + 1,
                                 .other_phase = k};
            if (order && p->phases[k].impact) continue;
            join_add(j, &c, HOLD_GRID);
        }
    }
    if (!j->status) j->status = plan_join_impacts(p, j->rows, count, j->zero, j->error);
}

// ---- the free base

// Whether the problem says itself what this row is in the phase. A bound says nothing of the kind:
// limits of all joints are not those of something that drives the base.
static int is_said(const plan_problem *p, int what, int row, int phase)
{
    for (int i = 0; i < p->constraint_count; i++) {
        const plan_constraint *c = &p->constraints[i];
        if (c->quantity != what || c->other >= 0 || c->from > 0 || c->to < 1) continue;
        if (c->phase >= 0 && c->phase != phase) continue;
        for (int r = 0; r < c->row_count; r++)
            if (c->rows[r] == row && c->lower[r] == c->upper[r]) return 1;
    }
    return 0;
}

// The equations of motion of the base in one phase.
static void base_in_phase(join *j, int what, const int *rows, int count, int phase)
{
    arne_constraint c = {.name = "force on the free base",
                         .quantity = what,
                         .rows = j->rows,
                         .to = 1,
                         .other = -1,
                         .phase = phase + 1};
    for (int i = 0; i < count; i++)
        if (!is_said(j->p, what, rows[i], phase)) j->rows[c.row_count++] = rows[i];
    join_add(j, &c, HOLD_COLLOCATION);
}

static void free_base(join *j)
{
    static const char *const parts[6] = {"base.x",  "base.y",  "base.z",
                                         "base.rz", "base.ry", "base.rx"};
    const arne_quantity      torque = {.kind = ARNE_QUANTITY_TORQUE};
    const plan_problem      *p = j->p;
    int                      rows[6], count = 0, said = 0;
    for (int i = 0; i < 6; i++) {
        const int joint = arne_find_joint(p->robot, parts[i]);
        if (joint < 0) continue;
        const int row = arne_robot_joint(p->robot, joint).v_start;
        if (is_planned(p, row)) rows[count++] = row;
    }
    const int what = count ? join_quantity(j, &torque) : -1;
    for (int k = 0; k < p->phase_count; k++)
        for (int i = 0; i < count; i++)
            said += is_said(p, what, rows[i], k);
    if (!said) base_in_phase(j, what, rows, count, -1);
    for (int k = 0; said && k < p->phase_count; k++)
        base_in_phase(j, what, rows, count, k);
}

// ---- points that stay

static int join_begins(const plan_touch *t, int phase)
{
    return t->on[phase] && (phase == 0 || !t->on[phase - 1]);
}

// Whether the first `orders` derivatives of a point at the start of the motion are given by bounds.
static int is_given(const join *j, int frame, int orders, int end)
{
    const plan_problem *p = j->p;
    const plan_quantity place = {.rows = 3, .orders = 1, .what = {.frame = frame}};
    unsigned char      *used = calloc(3 * PLAN_ORDERS * (size_t)p->v_count, 1);
    int                 given = used != NULL;
    if (used) geometry_pattern(&place, p, used);
    for (int k = 0; given && k < p->v_count; k++)
        for (int o = 0; used[k] && o < orders; o++)
            given &= p->prescribed[k].on || !isnan(*plan_end_point(&j->ends, k, end, o));
    free(used);
    return given;
}

// The coordinates that stay; their number.
static int stay_rows(const plan_touch *t, int phase, int *rows)
{
    int count = 0;
    for (int i = 0; i < 3; i++)
        if (t->on[phase] >> i & 1) rows[count++] = i;
    return count;
}

// A contact that lasts to the end of the motion, which is given: its height follows from there.
static int ends_given(const join *j, const plan_touch *t, int phase)
{
    const plan_problem *p = j->p;
    for (int k = phase; k < p->phase_count; k++)
        if (!t->on[k]) return 0;
    return is_given(j, t->frame, 1, 1);
}

// Where the posture at the start or the end of the motion is given, a point that touches must be on
// its surface.
static double given_or_zero(const plan_ends *ends, int coordinate, int end)
{
    const double x = *plan_end_point(ends, coordinate, end, 0);
    return isnan(x) ? 0 : x; // a coordinate that does not move the point
}

static void check_given(join *j, const plan_touch *t, int height, int end)
{
    const plan_problem *p = j->p;
    const int           phase = end ? p->phase_count - 1 : 0;
    plan_state          s = {0};
    double              value, *z = calloc(PLAN_ORDERS * (size_t)p->n, sizeof *z);
    if (!j->status && (!z || plan_state_new(p, NULL, &s, NULL) != ARNE_OK))
        j->status = arne_fail_memory(j->error);
    for (int k = 0; !j->status && k < p->v_count; k++)
        z[k] = p->prescribed[k].on
                   ? plan_prescribed_at(&p->prescribed[k], end * p->phases[phase].time, 0)
                   : given_or_zero(&j->ends, k, end);
    if (!j->status) {
        plan_put(&s, phase, end, p->phases[phase].time, z);
        plan_quantity_rows(s.robot, &s, &p->quantities[height].what, &value);
    }
    plan_state_free(&s);
    free(z);
    if (!j->status && fabs(value) > 1e-3)
        j->status =
            arne_fail(j->error, ARNE_VALUE, NULL, 0,
                      "contact '%s' touches at the %s, but the posture there has it %.4g m %s "
                      "its surface",
                      t->name, end ? "end" : "start", fabs(value), value > 0 ? "above" : "below");
}

// Height and velocity where the contact begins.
static void touch_down(join *j, const plan_touch *t, int phase, int height, int velocity)
{
    char            name[120];
    arne_constraint c = {.name = name, .row_count = 1, .other = -1, .phase = phase + 1};
    if (t->continues && phase == 0) return;
    c.quantity = height;
    snprintf(name, sizeof name, "height of contact %s", t->name);
    const int start_given = phase == 0 && is_given(j, t->frame, 1, 0),
              end_given = ends_given(j, t, phase),
              on_plane = t->other_frame < 0 && t->friction >= 0;
    if (on_plane && start_given) check_given(j, t, height, 0);
    if (on_plane && end_given) check_given(j, t, height, 1);
    if (on_plane && !start_given && !end_given) join_add(j, &c, HOLD_GRID);
    c.quantity = velocity;
    c.row_count = stay_rows(t, phase, j->rows);
    c.rows = j->rows;
    c.lower = c.upper = NULL;
    snprintf(name, sizeof name, "velocity of contact %s", t->name);
    if (t->other_frame < 0 && !(phase == 0 && is_given(j, t->frame, 2, 0)))
        join_add(j, &c, HOLD_GRID);
}

// A point that already touches is at rest after an impact, too.
static void rests(join *j, const plan_touch *t, int phase, int velocity, int other)
{
    char            name[120];
    arne_constraint c = {.name = name,
                         .quantity = velocity,
                         .row_count = stay_rows(t, phase, j->rows),
                         .rows = j->rows,
                         .other = other,
                         .other_rows = other >= 0 ? j->rows : NULL,
                         .other_at = -1,
                         .phase = phase + 1};
    snprintf(name, sizeof name, "velocity of contact %s", t->name);
    join_add(j, &c, HOLD_GRID);
}

// While it touches, the point stays where it came down, or at the point that it holds.
static void join_stays(join *j, const plan_touch *t, int phase, int from, int place, int other)
{
    char            name[120];
    arne_constraint c = {.name = name,
                         .quantity = place,
                         .row_count = stay_rows(t, phase, j->rows),
                         .rows = j->rows,
                         .to = 1,
                         .other = other >= 0 ? other : place,
                         .other_rows = j->rows,
                         .other_at = other >= 0 ? -1 : 0,
                         .phase = phase + 1,
                         .other_phase = from + 1};
    snprintf(name, sizeof name, "place of contact %s", t->name);
    join_add(j, &c, HOLD_PLACES);
    const int last = phase == j->p->phase_count - 1;
    if (!j->status && c.row_count && last && is_given(j, t->frame, 2, 1))
        j->p->constraints[j->p->constraint_count - 1].but_last = 1;
}

// Two points that hold on to each other: place and velocity where that begins.
static void grasp(join *j, const plan_touch *t, int phase, const int mine[2], const int other[2])
{
    char name[120];
    snprintf(name, sizeof name, "grasp of contact %s", t->name);
    for (int order = 0; order < 2; order++) {
        arne_constraint c = {.name = name,
                             .quantity = mine[order],
                             .row_count = stay_rows(t, phase, j->rows),
                             .rows = j->rows,
                             .other = other[order],
                             .other_rows = j->rows,
                             .other_at = -1,
                             .phase = phase + 1};
        if (phase == 0 && t->continues) continue;
        if (phase == 0 && is_given(j, t->frame, order + 1, 0) &&
            is_given(j, t->other_frame, order + 1, 0))
            continue;
        join_add(j, &c, HOLD_GRID);
    }
}

static void above(join *j, const plan_touch *t, int phase, int height)
{
    char            name[120];
    const double    far = INFINITY, near = 1e-6;
    const int       last = phase == j->p->phase_count - 1;
    arne_constraint c = {.name = name,
                         .quantity = height,
                         .row_count = 1,
                         .upper = &far,
                         .from = phase == 0 || t->on[phase - 1] ? near : 0,
                         .to = last || t->on[phase + 1] ? 1 - near : 1,
                         .other = -1,
                         .phase = phase + 1};
    snprintf(name, sizeof name, "height of %s", t->name);
    join_add(j, &c, HOLD_GRID);
}

// ---- friction

// The rows are mu cos(pi/8) n - (cos a t + sin a s): not negative inside a pyramid of eight edges
// in the cone.
static void edge(const plan_touch *t, int i, double out[3])
{
    const double step = 2 * acos(-1) / EDGES, a = (i + 0.5) * step;
    out[0] = -cos(a);
    out[1] = -sin(a);
    out[2] = t->friction * cos(0.5 * step);
}

static int cone_values(const plan_quantity *q, plan_state *s, double *out)
{
    const plan_touch *t = &s->problem->touches[q->what.joint];
    const double     *f = s->z + s->problem->v_count + t->column;
    for (int i = 0; i < EDGES; i++) {
        double e[3];
        edge(t, i, e);
        out[i] = e[0] * f[0] + e[1] * f[1] + e[2] * f[2];
    }
    return 0;
}

static int cone_gradient(const plan_quantity *q, plan_state *s, double *out)
{
    const plan_problem *p = s->problem;
    for (int i = 0; i < EDGES; i++)
        edge(&p->touches[q->what.joint], i,
             out + i * PLAN_ORDERS * p->n + p->v_count + p->touches[q->what.joint].column);
    return 0;
}

static void cone_pattern(const plan_quantity *q, const plan_problem *p, unsigned char *out)
{
    for (int i = 0; i < EDGES; i++)
        memset(out + i * PLAN_ORDERS * p->n + p->v_count + p->touches[q->what.joint].column, 1, 3);
}

static void inside_cone(join *j, int touch)
{
    const plan_touch   *t = &j->p->touches[touch];
    const plan_quantity cone = {.name = "friction",
                                .rows = EDGES,
                                .orders = 1,
                                .linear = 1,
                                .planned = 1,
                                .what = {.kind = ARNE_QUANTITY_KIND_COUNT, .joint = touch},
                                .values = cone_values,
                                .gradient = cone_gradient,
                                .pattern = cone_pattern};
    double              far[EDGES];
    char                name[120];
    int                 what = -1;
    if (t->friction <= 0 || j->status) return;
    j->status = plan_add(j->p, &cone, &what, j->error);
    for (int i = 0; i < EDGES; i++)
        far[i] = INFINITY;
    for (int k = 0; k < j->p->phase_count; k++) {
        snprintf(name, sizeof name, "friction of contact %s", t->name);
        arne_constraint c = {.name = name,
                             .quantity = what,
                             .row_count = EDGES,
                             .upper = far,
                             .to = 1,
                             .other = -1,
                             .phase = k + 1};
        if (t->on[k]) join_add(j, &c, HOLD_CONTROLS);
        snprintf(name, sizeof name, "friction of the impact of contact %s", t->name);
        if (t->on[k] && plan_has_impact(j->p, k)) join_add(j, &c, HOLD_IMPACT);
    }
}

// The force at the end of a phase is that at the start of the next.
static void no_jumps(join *j, int touch)
{
    const plan_touch   *t = &j->p->touches[touch];
    const arne_quantity force = {.kind = ARNE_QUANTITY_CONTACT_FORCE, .joint = touch};
    const int           what = join_quantity(j, &force);
    char                name[120];
    snprintf(name, sizeof name, "force of contact %s where phases meet", t->name);
    for (int k = 1; k < j->p->phase_count; k++) {
        arne_constraint c = {.name = name,
                             .quantity = what,
                             .row_count = 3,
                             .other = what,
                             .other_at = 1,
                             .phase = k + 1,
                             .other_phase = k};
        if (t->on[k] && t->on[k - 1]) join_add(j, &c, HOLD_GRID);
    }
}

// ---- where the search starts

void plan_guess_forces(const plan_problem *p, plan_solution *s)
{
    const arne_vec3 g = arne_robot_gravity(p->robot);
    for (int k = 0, first = 0; k < p->phase_count; first += s->grid.counts[k++]) {
        const plan_phase *f = &p->phases[k];
        const double      weight = arne_total_mass(f->loaded ? f->loaded : p->robot) *
                              sqrt(g.x * g.x + g.y * g.y + g.z * g.z);
        int count = 0;
        for (int i = 0; i < p->touch_count; i++)
            count += p->touches[i].on[k] && p->touches[i].friction >= 0 && !plan_is_compliant(p, i);
        for (int i = 0; i < p->touch_count; i++) {
            if (plan_is_compliant(p, i)) continue;
            double *x = s->x + (p->v_count + p->touches[i].column + 2) * s->grid.m + first;
            for (int c = 0; c < s->grid.counts[k] - 2 && p->touches[i].friction >= 0; c++)
                if (p->touches[i].on[k] && x[c] == 0) x[c] = weight / count;
        }
    }
}

static void join_contact(join *j, int touch)
{
    plan_problem       *p = j->p;
    const plan_touch   *t = &p->touches[touch];
    const arne_quantity place = {
        .kind = ARNE_QUANTITY_FRAME_POSITION, .frame = t->frame, .point = t->point};
    arne_quantity velocity = place, height = place, held = place;
    velocity.kind = ARNE_QUANTITY_FRAME_VELOCITY;
    height.kind = ARNE_QUANTITY_HEIGHT;
    height.plane_point = t->plane_point;
    height.plane_normal = t->axes[2];
    held.frame = t->other_frame;
    held.point = t->other_point;
    const int places = join_quantity(j, &place), velocities = join_quantity(j, &velocity),
              heights = join_quantity(j, &height);
    arne_quantity held_velocity = held;
    held_velocity.kind = ARNE_QUANTITY_FRAME_VELOCITY;
    const int others = t->other_frame >= 0 ? join_quantity(j, &held) : -1;
    const int moves = t->other_frame >= 0 ? join_quantity(j, &held_velocity) : -1;
    const int mine[2] = {places, velocities}, theirs[2] = {others, moves};
    int       from = 0;
    for (int k = 0; k < p->phase_count; k++) {
        if (join_begins(t, k)) {
            from = k;
            touch_down(j, t, k, heights, velocities);
            if (others >= 0) grasp(j, t, k, mine, theirs);
        } else if (t->on[k] && plan_has_impact(p, k))
            rests(j, t, k, velocities, moves);
        if (t->on[k])
            join_stays(j, t, k, from, places, others);
        else if (t->friction >= 0 && !t->passes)
            above(j, t, k, heights);
    }
    inside_cone(j, touch);
    if (t->smooth) no_jumps(j, touch);
}

arne_status plan_complete(plan_problem *p, int m, arne_error *error)
{
    const size_t size = (size_t)p->v_count + 8;
    p->complete = 1;
    const arne_status joined = plan_join_muscles(p, error);
    if (joined || (p->phase_count == 1 && !p->touch_count)) return joined;
    join j = {.p = p,
              .zero = calloc(size, sizeof(double)),
              .rows = calloc(size, sizeof(int)),
              .error = error};
    j.status = j.zero && j.rows ? plan_ends_find(p, m, &j.ends, error) : arne_fail_memory(error);
    join_phases(&j);
    free_base(&j);
    for (int i = 0; i < p->touch_count; i++)
        if (!plan_is_compliant(p, i)) join_contact(&j, i);
    plan_ends_free(&j.ends);
    free(j.zero);
    free(j.rows);
    return j.status;
}
