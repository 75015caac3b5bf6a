// One step of the rigid model.
//
// Between impacts, with q' in the middle of the step (Moreau's midpoint rule):
//     v+ = v + h M^-1 (tau - c) + M^-1 J^T p      at q' = q (+) h v / 2,     q+ = q' (+) h v+ / 2
//     and for every contact that touches v_n+ >= 0, p_n >= 0, p_n v_n+ = 0, p in the cone, v_t+
//     against p_t, where v_n+ and v_t+ are those of v+ at q+
// Falling and sliding with constant acceleration are exact. A contact that closes fast within the
// step ends a part of the step there, and an impact follows, by Poisson's law: compression ends
// with v_n = 0 and the impulses p; in restitution the normal impulses are at least e p_n, and
// friction obeys its cone again. The work of the impulses is p . (v- + v+) / 2 at the contacts;
// should it be positive, e is made smaller until it is not. Penetration that is left moves
// positions, not velocities.
#include "base/error.h"
#include "world/rigid.h"
#include "world/straight_motion.h"
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
    double             touch, since;        // what is nearer touches; time of the step that is over
    arne_error        *error;
} stepper;

static void rigid_step_stand_at(const stepper *s, double since)
{
    if (s->plant->at) s->plant->at(s->plant->context, since);
}

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

// *size: what its terms add up to without their signs; may be NULL.
static double work_of_impulses(const stepper *s, const double *before, const double *after,
                               double *size)
{
    double sum = 0, all = 0;
    for (int i = 0; i < s->r->block_count; i++) {
        const row_block *b = &s->r->blocks[i];
        double           u[3] = {0}, v[3] = {0};
        block_velocities(s->r, b, before, u);
        block_velocities(s->r, b, after, v);
        for (int k = 0; k < b->rows.rows; k++) {
            sum += b->p[k] * (0.5 * (u[k] + v[k]) + b->bias[k] - b->curve[k]);
            all += fabs(b->p[k]) * (fabs(u[k]) + fabs(v[k]) + fabs(b->bias[k]));
        }
    }
    if (size) *size = all;
    return sum;
}

// ---- impacts ----

// Restitution from the velocity and impulses at the end of compression, with a part of e; returns
// whether the work of all impulses, *sum, is positive by more than rounding.
static int restitute(stepper *s, const double *compressed, const double *least, double part,
                     double *v, double *sum)
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
    for (int i = 0; i < r->block_count; i++) {
        row_block *b = &r->blocks[i];
        memcpy(squeezed, &s->r->squeezed[3 * i], sizeof squeezed);
        for (int k = 0; k < b->rows.rows; k++)
            b->p[k] += squeezed[k];
    }
    double size = 0;
    *sum = work_of_impulses(s, s->qd, v, &size);
    return *sum > 1e-10 * size;
}

// Contacts have felt the impulses of the impact, and those who ask are told.
static void impact_tell(stepper *s, const double *before, const double *after)
{
    rigid *r = s->r;
    int    count = 0;
    for (int i = 0; i < r->block_count; i++) {
        const row_block *b = &r->blocks[i];
        if (b->kind != ROW_CONTACT) continue;
        arne_touch t = s->w->touches[b->touch];
        t.force = vec_of(0, 0, 0);
        for (int k = 0; k < 3; k++)
            t.force = vec_add(t.force, b->rows.axis[k], b->p[k]);
        rigid_feel(s->w, &t, 1);
        s->w->touches[count++] = t; // touches of blocks are in order: none is overwritten too early
    }
    if (s->plant->work)
        *s->done += s->plant->work(s->plant->context, 0, s->q, before, after, s->w->touches, count);
    if (s->plant->impact) s->plant->impact(s->plant->context, s->since, s->w->touches, count);
}

static arne_status impact(stepper *s)
{
    rigid  *r = s->r;
    double *v = r->v_next, *compressed = r->v_free, *least = r->least;
    rigid_step_stand_at(s, s->since);
    arne_kinematics(s->w->robot, s->work, s->q, s->qd, NULL);
    arne_world_find(s->w, s->work, s->touch);
    rigid_collect(s->w, s->work, s->q, s->qd, 0, 0);
    const arne_status status = rigid_columns(s->w, s->work, s->q, 0, NULL, s->error);
    if (status) return status;
    int bounces = 0;
    for (int i = 0; i < r->block_count; i++)
        r->approach[i] = block_velocity(r, &r->blocks[i], s->qd) + r->blocks[i].bias[0];
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
    double sum = work_of_impulses(s, s->qd, v, NULL), part = 1;
    while (bounces && restitute(s, compressed, least, part, v, &sum) && part > 1e-3)
        part *= 0.8;
    *s->done += sum;
    impact_tell(s, s->qd, v);
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
        if (b->kind == ROW_DRY || b->open) continue;
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

// The least gap of what has no row, at a state of some time later; the rate there says whether it
// comes in fast.
static double least_free_gap(stepper *s, double later, const double *q, const double *v,
                             double *rate)
{
    double least = INFINITY;
    rigid_step_stand_at(s, s->since + later);
    arne_kinematics(s->w->robot, s->work, q, v, NULL);
    arne_world_find(s->w, s->work, s->touch);
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
        if (gap < t * fast + s->touch) return 1;
    }
    return 0;
}

// The part of the step after which the first contact closes; 1: none does.
static double part_until_contact(stepper *s, double t)
{
    double rate = 0, part = 1, *q = s->r->q_next, *v = s->r->v_free;
    state_at(s, t, 1, q, v);
    double gap = least_free_gap(s, t, q, v, &rate);
    if (!(gap < -0.5 * s->touch)) return 1;
    double low = 0, high = 1;
    for (int i = 0; i < 20 && !(fabs(gap) < 0.5 * s->touch); i++) {
        const double newton = part - gap / (rate * t);
        if (gap < 0)
            high = part;
        else
            low = part;
        part = newton > low && newton < high && isfinite(gap) ? newton : 0.5 * (low + high);
        state_at(s, t, part, q, v);
        gap = least_free_gap(s, part * t, q, v, &rate);
    }
    return part;
}

// Accelerations in the middle of the step. The velocity there follows from how it changed last;
// where nothing is known of that, from the acceleration at the velocity of the start.
static arne_status rigid_step_accelerate(stepper *s, double t)
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

// Conditions are about the velocities at the end of the step, where arms have turned since its
// middle: (J(q+) - J(q')) v, of contacts with surfaces.
static void rigid_step_bend_rows(stepper *s, double t)
{
    rigid            *r = s->r;
    const arne_robot *robot = s->w->robot;
    for (int half = 0; half < 2; half++) {
        if (half) {
            move(s, r->q_middle, r->v_start, 0.5 * t, r->q_next);
            memcpy(r->v_free, r->v_start, (size_t)s->nv * sizeof *r->v_free);
            straight_carry(robot, 0.5 * t, r->v_free);
            rigid_step_stand_at(s, s->since + t);
        }
        arne_kinematics(robot, s->work, half ? r->q_next : r->q_middle,
                        half ? r->v_free : r->v_start, NULL);
        for (int i = 0; i < r->block_count; i++) {
            row_block *b = &r->blocks[i];
            if (b->kind != ROW_CONTACT || s->w->touches[b->touch].other >= 0) continue;
            const arne_touch *touch = &s->w->touches[b->touch];
            const arne_vec3   p = half ? world_touch_point(s->w, s->work, touch) : touch->point;
            const arne_vec3   v = touch_velocity(s->w, s->work, touch->contact, p);
            for (int k = 0; k < 3; k++)
                b->curve[k] += (half ? 1 : -1) * vec_dot(b->rows.axis[k], v);
            for (int k = 0; half && k < 3; k++)
                b->bias[k] += b->curve[k];
        }
    }
    rigid_step_stand_at(s, s->since + 0.5 * t);
    arne_kinematics(robot, s->work, r->q_middle, r->v_middle, NULL);
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

// The impulses of a part of the time t: what they do, and contacts have felt them.
static void part_tell(stepper *s, double t, double part)
{
    rigid  *r = s->r;
    double *to = r->v_start;
    for (int i = 0; i < s->nv; i++)
        to[i] = r->v_middle[i] + part * (r->v_next[i] - r->v_middle[i]);
    *s->done += part * work_of_impulses(s, r->v_middle, to, NULL);
    const int first = r->felt_count == 0;
    for (int i = 0; i < r->kept_count; i++) {
        s->w->touches[i] = r->kept[i].touch;
        if (first) {
            r->felt[r->felt_count] = r->kept[i].touch;
            arne_vec3 *f = &r->felt[r->felt_count++].force;
            *f = vec_scale(*f, part * t);
        } else {
            rigid_feel(s->w, &r->kept[i].touch, part * t);
        }
    }
    if (!s->plant->work) return;
    rigid_step_stand_at(s, s->since + 0.5 * t);
    *s->done += s->plant->work(s->plant->context, part * t, r->q_middle, r->v_middle, to,
                               s->w->touches, r->kept_count);
}

// One part of the step: *t in: how long it may be, out: how long it was. *hit: an impact must come
// first.
static arne_status smooth_part(stepper *s, double *t, int parts, int *hit)
{
    rigid       *r = s->r;
    arne_world  *w = s->w;
    const size_t bytes = (size_t)s->nv * sizeof *s->qd;
    *hit = 0;
    rigid_step_stand_at(s, s->since + 0.5 * *t);
    move(s, s->q, s->qd, 0.5 * *t, r->q_middle);
    memcpy(r->v_middle, s->qd, bytes);
    straight_carry(w->robot, 0.5 * *t, r->v_middle);
    arne_status status = rigid_close(w, s->work, r->q_middle, r->v_middle, s->error);
    if (!status) status = rigid_step_accelerate(s, *t);
    if (status) return status;
    arne_kinematics(w->robot, s->work, r->q_middle, r->v_middle, NULL);
    const double near = *t * speed_of(s) + s->touch;
    const int    found = arne_world_find(w, s->work, near);
    rigid_collect(w, s->work, r->q_middle, r->v_middle, *t, 0.5 * *t);
    if (parts < MOST_PARTS && comes_in_fast(s)) {
        *hit = 1;
        return ARNE_OK;
    }
    int touching = 0;
    for (int i = 0; i < r->block_count; i++)
        touching += r->blocks[i].kind == ROW_CONTACT;
    if (touching) rigid_step_bend_rows(s, *t);
    status = take_columns(s, *t);
    if (status) return status;
    rigid_recall(w, *t);
    rigid_solve(w, r->v_next);
    rigid_keep(w, *t);
    const double part = parts < MOST_PARTS && (found > touching || nears_limit(s, *t))
                            ? part_until_contact(s, *t)
                            : 1;
    part_tell(s, *t, part);
    state_at(s, *t, part, r->q_next, r->v_free);
    if (part == 1) rigid_push_out(w, r->v_next, 0.5 * *t, r->q_next);
    memcpy(s->q, r->q_next, (size_t)s->nq * sizeof *s->q);
    for (int i = 0; i < s->nv; i++)
        r->slope[i] = (r->v_next[i] - r->v_middle[i]) / *t;
    r->has_slope = 1;
    memcpy(s->qd, r->v_free, bytes);
    *t *= part;
    return rigid_close(w, s->work, s->q, s->qd, s->error);
}

// A speed that is small for the robot, about 1 mm/s for one of a metre: a fall from 1e-7 of its
// length.
static double slowest(const arne_world *w, double g)
{
    return g > 0 ? 3e-4 * sqrt(g * w->robot->length) : 1e-3 * w->robot->length;
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
                      fmax(slowest(w, g), 2 * g * h),
                      rigid_touch(w),
                      0,
                      error};
    arne_status  status = ARNE_OK;
    double       left = h;
    w->rigid->felt_count = 0;
    w->rigid->felt_last = -1;
    for (int parts = 0; !status && left > 1e-9 * h; parts++) {
        double t = left;
        s.since = h - left;
        int hit = 0;
        status = smooth_part(&s, &t, parts, &hit);
        if (!status && hit)
            status = impact(&s);
        else
            left -= t;
    }
    w->touch_count = w->rigid->felt_count;
    for (int i = 0; i < w->touch_count; i++) {
        w->touches[i] = w->rigid->felt[i];
        w->touches[i].force = vec_scale(w->touches[i].force, 1 / h);
    }
    return status;
}
