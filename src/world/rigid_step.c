// One step of the rigid model.
//
// Between impacts, with q' in the middle of the step (Moreau's midpoint rule):
//     v+ = v + h M^-1 (tau - c) + M^-1 J^T p      at q' = q (+) h v / 2,     q+ = q' (+) h v+ / 2
//     and for every contact that touches v_n+ >= 0, p_n >= 0, p_n v_n+ = 0, p in the cone, v_t+
//     against p_t
// Falling and sliding with constant acceleration are exact. A contact that closes fast within the
// step ends a part of the step there, and an impact follows, by Poisson's law: compression ends
// with v_n = 0 and the impulses p; in restitution the normal impulses are at least e p_n, and
// friction obeys its cone again. The work of the impulses is p . (v- + v+) / 2 at the contacts;
// should it be positive, e is made smaller until it is not. Penetration that is left moves
// positions, not velocities.
#include "base/error.h"
#include "world/rigid.h"
#include "world/straight.h"
#include <arne/configuration.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 12 }; // of a step, by impacts

typedef struct stepper {
    arne_world        *w;
    rigid             *r;
    arne_work         *work;
    const rigid_plant *plant;
    int                nv, nq;
    double            *q, *qd, *done, slow; // slower than this nothing bounces
    arne_error        *error;
} stepper;

static void move(const stepper *s, const double *q, const double *v, double t, double *out)
{
    straight_move(s->w->robot, q, v, t, s->r->qdd, out);
}

// The fastest that any point of any shape moves.
static double speed_of(const stepper *s)
{
    double fastest = 0;
    for (int i = 0; i < s->w->robot->contact_count; i++) {
        const contact_record *c = &robot_contacts(s->w->robot)[i];
        const arne_motion     v =
            arne_frame_velocity(s->w->robot, s->work, c->info.link, ARNE_AXES_ALIGNED);
        const double arm = vec_length(c->info.pose.p) + s->w->reach[i];
        const double fast = vec_length(v.lin) + arm * vec_length(v.ang);
        fastest = fast > fastest ? fast : fastest;
    }
    return fastest;
}

static double work_of_impulses(const stepper *s, const double *before, const double *after)
{
    double sum = 0;
    for (int i = 0; i < s->r->block_count; i++) {
        const row_block *b = &s->r->blocks[i];
        double           u[3] = {0}, v[3] = {0};
        block_velocities(s->r, b, before, u);
        block_velocities(s->r, b, after, v);
        for (int k = 0; k < b->rows.rows; k++)
            sum += 0.5 * b->p[k] * (u[k] + v[k]);
    }
    return sum;
}

// ---- impacts ----

// Restitution from the velocity and impulses at the end of compression, with a part of e; returns
// the work of all impulses.
static double restitute(stepper *s, const double *compressed, const double *least, double part,
                        double *v)
{
    rigid *r = s->r;
    double squeezed[3];
    memcpy(v, compressed, (size_t)s->nv * sizeof *v);
    for (int i = 0; i < r->block_count; i++) {
        row_block *b = &r->blocks[i];
        b->least = part * least[i];
        memset(b->p, 0, sizeof b->p);
        b->p[0] = b->least;
    }
    rigid_solve(s->w, v);
    double sum = 0;
    for (int i = 0; i < r->block_count; i++) {
        row_block *b = &r->blocks[i];
        memcpy(squeezed, &s->r->squeezed[3 * i], sizeof squeezed);
        for (int k = 0; k < b->rows.rows; k++)
            b->p[k] += squeezed[k];
    }
    sum = work_of_impulses(s, s->qd, v);
    return sum;
}

static arne_status impact(stepper *s)
{
    rigid  *r = s->r;
    double *v = r->v_next, *compressed = r->v_free, *least = r->least;
    arne_kinematics(s->w->robot, s->work, s->q, s->qd, NULL);
    arne_world_find(s->w, s->work, RIGID_TOUCH);
    rigid_collect(s->w, s->work, s->q, s->qd, 0, 0);
    const arne_status status = rigid_columns(s->w, s->work, s->q, 0, NULL, s->error);
    if (status) return status;
    int bounces = 0;
    for (int i = 0; i < r->block_count; i++)
        r->approach[i] = block_velocity(r, &r->blocks[i], s->qd);
    memcpy(compressed, s->qd, (size_t)s->nv * sizeof *v);
    rigid_solve(s->w, compressed);
    memcpy(v, compressed, (size_t)s->nv * sizeof *v);
    for (int i = 0; i < r->block_count; i++) {
        const row_block *b = &r->blocks[i];
        const int        bounce =
            b->kind == ROW_CONTACT && r->approach[i] < -s->slow && b->restitution > 0;
        least[i] = bounce ? b->restitution * b->p[0] : 0;
        memcpy(&r->squeezed[3 * i], b->p, sizeof b->p);
        bounces |= bounce;
    }
    double sum = work_of_impulses(s, s->qd, v), part = 1;
    if (bounces)
        while ((sum = restitute(s, compressed, least, part, v)) > 0 && part > 1e-3)
            part *= 0.8;
    *s->done += sum;
    memcpy(s->qd, v, (size_t)s->nv * sizeof *v);
    r->impacts++;
    r->has_slope = 0;
    return ARNE_OK;
}

// Whether something that touches at the start of this part of the step comes in fast.
static int comes_in_fast(const stepper *s)
{
    const rigid *r = s->r;
    for (int i = 0; i < r->block_count; i++) {
        const row_block *b = &r->blocks[i];
        if (b->kind == ROW_DRY) continue;
        const double rate = b->kind == ROW_LIMIT
                                ? r->limits[b->touch].side * s->qd[r->limits[b->touch].v]
                                : touch_rate(s->w, s->work, &s->w->touches[b->touch]);
        if (rate < -s->slow) return 1;
    }
    return 0;
}

// ---- between impacts ----

static void state_at(const stepper *s, double t, double part, double *q, double *v)
{
    const rigid *r = s->r;
    if (part == 1) { // from the middle, which is there
        memcpy(v, r->v_next, (size_t)s->nv * sizeof *v);
        move(s, r->q_middle, v, 0.5 * t, q);
        straight_carry(s->w->robot, 0.5 * t, v);
        return;
    }
    memcpy(v, s->qd, (size_t)s->nv * sizeof *v);
    straight_carry(s->w->robot, 0.5 * t * part, v);
    move(s, s->q, s->qd, 0.5 * t * part, q);
    for (int i = 0; i < s->nv; i++)
        v[i] += part * (r->v_next[i] - r->v_middle[i]);
    move(s, q, v, 0.5 * t * part, q);
    straight_carry(s->w->robot, 0.5 * t * part, v);
}

// Whether a touch or limit has a row in this part of the step.
static int has_row(const stepper *s, const arne_touch *t)
{
    const rigid *r = s->r;
    for (int i = 0; i < r->kept_count; i++) {
        const int *k = r->kept[i].key;
        if (k[0] == t->contact && k[1] == t->surface && k[2] == t->feature && k[3] == t->other)
            return 1;
    }
    return 0;
}

static int has_limit_row(const stepper *s, int limit)
{
    for (int i = 0; i < s->r->block_count; i++)
        if (s->r->blocks[i].kind == ROW_LIMIT && s->r->blocks[i].touch == limit) return 1;
    return 0;
}

// The least gap of what has no row, at a state; the rate there says whether it comes in fast.
static double least_free_gap(stepper *s, const double *q, const double *v, double *rate)
{
    double least = INFINITY;
    arne_kinematics(s->w->robot, s->work, q, v, NULL);
    arne_world_find(s->w, s->work, RIGID_TOUCH);
    for (int i = 0; i < s->w->touch_count; i++) {
        const arne_touch *t = &s->w->touches[i];
        if (t->gap >= least || has_row(s, t)) continue;
        const double fast = touch_rate(s->w, s->work, t);
        if (fast >= -s->slow) continue;
        least = t->gap;
        *rate = fast;
    }
    for (int i = 0; i < s->r->limit_count; i++) {
        const limit_row *l = &s->r->limits[i];
        const double     gap = l->side * (q[l->q] - l->bound);
        if (gap >= least || l->side * v[l->v] >= -s->slow || has_limit_row(s, i)) continue;
        least = gap;
        *rate = l->side * v[l->v];
    }
    return least;
}

// Whether a limit that has no row may be reached in this part of the step.
static int nears_limit(const stepper *s, double t)
{
    const rigid *r = s->r;
    for (int i = 0; i < r->limit_count; i++) {
        const limit_row *l = &r->limits[i];
        const double     gap = l->side * (r->q_middle[l->q] - l->bound);
        const double     fast = fmax(fabs(r->v_middle[l->v]), fabs(r->v_next[l->v]));
        if (gap < t * fast + RIGID_TOUCH) return 1;
    }
    return 0;
}

// The part of the step after which the first contact closes; 1: none does.
static double part_until_contact(stepper *s, double t)
{
    double rate = 0, part = 1, *q = s->r->q_next, *v = s->r->v_free;
    state_at(s, t, 1, q, v);
    double gap = least_free_gap(s, q, v, &rate);
    if (!(gap < -0.5 * RIGID_TOUCH)) return 1;
    double low = 0, high = 1;
    for (int i = 0; i < 20 && !(fabs(gap) < 0.5 * RIGID_TOUCH); i++) {
        const double newton = part - gap / (rate * t);
        if (gap < 0)
            high = part;
        else
            low = part;
        part = newton > low && newton < high && isfinite(gap) ? newton : 0.5 * (low + high);
        state_at(s, t, part, q, v);
        gap = least_free_gap(s, q, v, &rate);
    }
    return part;
}

// Accelerations in the middle of the step. The velocity there follows from how it changed last;
// where nothing is known of that, from the acceleration at the velocity of the start.
static arne_status accelerate(stepper *s, double t)
{
    rigid            *r = s->r;
    const arne_robot *robot = s->w->robot;
    double           *v = r->v_start;
    void             *context = s->plant->context;
    arne_status       status = ARNE_OK;
    if (!r->has_slope) {
        status = s->plant->accelerate(context, r->q_middle, r->v_middle, r->slope, s->error);
        straight_rates(robot, r->v_middle, r->slope);
    }
    for (int i = 0; i < s->nv; i++)
        v[i] = r->v_middle[i] + 0.5 * t * r->slope[i];
    if (status) return status;
    if (s->plant->torques && r->few) {
        memset(r->qdd, 0, (size_t)s->nv * sizeof *r->qdd);
        status = s->plant->torques(context, r->q_middle, v, r->torques, s->error);
    } else {
        status = s->plant->accelerate(context, r->q_middle, v, r->qdd, s->error);
    }
    straight_rates(robot, v, r->qdd);
    for (int i = 0; i < s->nv; i++)
        r->v_next[i] = r->v_middle[i] + t * r->qdd[i];
    return status;
}

// Rows of what touches; what torques do that are not in v_next yet comes with them, or is added.
static arne_status take_columns(stepper *s, double t)
{
    rigid      *r = s->r;
    const int   acts = s->plant->torques && r->few;
    arne_status status =
        rigid_columns(s->w, s->work, r->q_middle, 0, acts ? r->torques : NULL, s->error);
    r->few = r->factors != NULL;
    if (status || !acts) return status;
    if (r->factors) {
        r->acting = t;
        return ARNE_OK;
    }
    status = s->plant->accelerate(s->plant->context, r->q_middle, r->v_start, r->qdd, s->error);
    for (int i = 0; i < s->nv; i++)
        r->v_next[i] += t * r->qdd[i];
    return status;
}

// One part of the step: *t in: how long it may be, out: how long it was. *hit: an impact must come
// first.
static arne_status smooth_part(stepper *s, double *t, int parts, int *hit)
{
    rigid       *r = s->r;
    arne_world  *w = s->w;
    const size_t bytes = (size_t)s->nv * sizeof *s->qd;
    *hit = 0;
    move(s, s->q, s->qd, 0.5 * *t, r->q_middle);
    memcpy(r->v_middle, s->qd, bytes);
    straight_carry(w->robot, 0.5 * *t, r->v_middle);
    arne_status status = rigid_close(w, s->work, r->q_middle, r->v_middle, s->error);
    if (!status) status = accelerate(s, *t);
    if (status) return status;
    arne_kinematics(w->robot, s->work, r->q_middle, r->v_middle, NULL);
    const double near = *t * speed_of(s) + RIGID_TOUCH;
    const int    found = arne_world_find(w, s->work, near);
    rigid_collect(w, s->work, r->q_middle, r->v_middle, *t, 0.5 * *t);
    if (parts < MOST_PARTS && comes_in_fast(s)) {
        *hit = 1;
        return ARNE_OK;
    }
    status = take_columns(s, *t);
    if (status) return status;
    rigid_recall(w, *t);
    rigid_solve(w, r->v_next);
    rigid_keep(w, *t);
    int touching = 0;
    for (int i = 0; i < r->block_count; i++)
        touching += r->blocks[i].kind == ROW_CONTACT;
    const double part = parts < MOST_PARTS && (found > touching || nears_limit(s, *t))
                            ? part_until_contact(s, *t)
                            : 1;
    const double power = work_of_impulses(s, r->v_middle, r->v_next);
    state_at(s, *t, part, r->q_next, r->v_free);
    *s->done += part * power;
    if (part == 1) rigid_push_out(w, r->v_next, 0.5 * *t, r->q_next);
    memcpy(s->q, r->q_next, (size_t)s->nq * sizeof *s->q);
    for (int i = 0; i < s->nv; i++)
        r->slope[i] = (r->v_next[i] - r->v_middle[i]) / *t;
    r->has_slope = 1;
    memcpy(s->qd, r->v_free, bytes);
    *t *= part;
    return rigid_close(w, s->work, s->q, s->qd, s->error);
}

arne_status rigid_step(arne_world *w, arne_work *work, const rigid_plant *plant, double h,
                       double *q, double *qd, double *done, arne_error *error)
{
    const double g = vec_length(arne_robot_gravity(w->robot));
    stepper      s = {w,
                      w->rigid,
                      work,
                      plant,
                      w->robot->v_count,
                      w->robot->q_count,
                      q,
                      qd,
                      done,
                      fmax(1e-3, 2 * g * h),
                      error};
    arne_status  status = ARNE_OK;
    double       left = h;
    for (int parts = 0; !status && left > 1e-9 * h; parts++) {
        double t = left;
        int    hit = 0;
        status = smooth_part(&s, &t, parts, &hit);
        if (!status && hit)
            status = impact(&s);
        else
            left -= t;
    }
    w->touch_count = w->rigid->felt_count;
    memcpy(w->touches, w->rigid->felt, (size_t)w->touch_count * sizeof *w->touches);
    return status;
}
