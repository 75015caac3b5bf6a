// Muscles of a robot: their places in the block, and the specs again.
#include "robot/muscles.h"
#include "base/error.h"
#include "math/lower.h"
#include "robot/build.h"
#include "robot/functions.h"
#include "robot/tendon.h"
#include <string.h>

// ---- places ----

int muscles_find_wrap(const arne_builder *b, const char *name)
{
    for (int i = 0; i < b->wrap_count; i++)
        if (!strcmp(b->wraps[i].name, name)) return i;
    return -1;
}

static int given_numbers(const arne_function *f) { return (f->x ? 2 : 1) * f->count; }

static void count_curve(arne_robot *r, const arne_function *f)
{
    r->path_curve_count++;
    r->path_number_count += given_numbers(f) + function_numbers(f);
}

// Whether Millard's curves of a muscle are those of the one before it.
static int same_curves(const arne_muscle_spec *m, int index)
{
    const arne_muscle_law *a = &m->law, *b = a;
    if (index) b = &(m - 1)->law;
    return index && a->kind == b->kind && a->passive_strain == b->passive_strain &&
           a->tendon_strain == b->tendon_strain &&
           !memcmp(a->active, b->active, sizeof a->active) &&
           !memcmp(a->velocity, b->velocity, sizeof a->velocity) &&
           !memcmp(a->passive, b->passive, sizeof a->passive) &&
           !memcmp(a->tendon, b->tendon, sizeof a->tendon);
}

void muscles_count(const arne_builder *b, arne_robot *r, size_t *names)
{
    r->muscle_count = b->muscle_count;
    r->wrap_count = b->wrap_count;
    for (int i = 0; i < b->wrap_count; i++)
        *names += strlen(b->wraps[i].name) + 1;
    for (int i = 0; i < b->muscle_count; i++) {
        const arne_muscle_spec *m = &b->muscles[i];
        const int               room = m->point_count + 2 * m->wrap_count;
        *names += strlen(m->name) + 1;
        r->path_point_count += m->point_count;
        r->wrap_use_count += m->wrap_count;
        if (room > r->path_room) r->path_room = room;
        if (m->law.kind == ARNE_MUSCLE_LIGAMENT) count_curve(r, &m->curve);
        if (m->law.kind == ARNE_MUSCLE_MILLARD && !same_curves(m, i))
            r->path_number_count += BEZIER_SIZE * MILLARD_SEGMENTS;
        for (int k = 0; k < 3 * m->point_count; k++)
            if (m->points[k / 3].follows[k % 3]) count_curve(r, &m->points[k / 3].functions[k % 3]);
    }
}

typedef struct path_filling {
    build *s;
    int    points, uses, curves, numbers; // so far
} path_filling;

static int muscles_joint(const build *s, const char *name)
{
    return s->joint_index[name_index_find(&s->b->joint_index, name)];
}

static int place_curve(path_filling *at, const char *joint, const arne_function *f)
{
    arne_robot  *r = at->s->r;
    path_curve  *c = ROBOT_ARRAY(r, path_curve, path_curves) + at->curves;
    double      *given = ROBOT_ARRAY(r, double, path_numbers) + at->numbers;
    const size_t count = (size_t)f->count;
    *c = (path_curve){.joint = -1, .given = at->numbers, .function = *f};
    c->function.x = c->function.y = NULL; // no addresses: the block may be copied anywhere
    if (f->x) memcpy(given, f->x, count * sizeof *given);
    memcpy(given + (f->x ? count : 0), f->y, count * sizeof *given);
    at->numbers += given_numbers(f);
    c->stage = (stage_record){(int)function_form_of(f), at->numbers, function_parts(f)};
    if (!function_fill(f, ROBOT_ARRAY(r, double, path_numbers) + at->numbers)) return -1;
    at->numbers += function_numbers(f);
    if (joint) {
        c->joint = muscles_joint(at->s, joint);
        const joint_record *record = &robot_joints(r)[c->joint];
        c->q = robot_bodies(r)[record->body].q_start;
        c->v = robot_bodies(r)[record->body].v_start;
        c->lower = record->info.lower;
        c->upper = record->info.upper;
    }
    return at->curves++;
}

static int place_point(path_filling *at, const arne_path_point *p)
{
    const build           *s = at->s;
    point_record          *out = ROBOT_ARRAY(s->r, point_record, path_points) + at->points++;
    const int              link = contacts_find_link(s->b, p->link);
    const arne_frame_info *frame = &robot_frames(s->r)[link].info;
    const pose             X = pose_lift(frame->pose);
    *out = (point_record){.frame = link,
                          .body = frame->body,
                          .joint = -1,
                          .curve = {-1, -1, -1},
                          .exponent = -1,
                          .turns = p->turns,
                          .lower = p->lower,
                          .upper = p->upper,
                          .position = p->position,
                          .at = lower(add(X.p, rot(X.R, lift(p->position))))};
    if (p->joint) {
        out->joint = muscles_joint(s, p->joint);
        out->q = robot_bodies(s->r)[robot_joints(s->r)[out->joint].body].q_start;
    }
    for (int k = 0; k < 3; k++) {
        if (!p->follows[k]) continue;
        out->curve[k] = place_curve(at, p->follows[k], &p->functions[k]);
        out->moves = 1;
        if (out->curve[k] < 0) return 0;
    }
    return 1;
}

static int place_muscle(path_filling *at, int index)
{
    build                  *s = at->s;
    const arne_muscle_spec *m = &s->b->muscles[index];
    muscle_record          *out = ROBOT_ARRAY(s->r, muscle_record, muscles) + index;
    memset(out, 0, sizeof *out);
    out->name = build_name(s, m->name);
    out->law = m->law;
    out->measure = m->measure;
    out->point = at->points;
    out->point_count = m->point_count;
    out->use = at->uses;
    out->use_count = m->wrap_count;
    out->curve = out->joint = -1;
    if (m->law.kind == ARNE_MUSCLE_LIMIT) {
        out->joint = muscles_joint(s, m->joint);
        const body *moves = &robot_bodies(s->r)[robot_joints(s->r)[out->joint].body];
        out->q = moves->q_start;
        out->v = moves->v_start;
    }
    for (int i = 0; i < m->point_count; i++) {
        if (!place_point(at, &m->points[i])) return 0;
        if (m->points[i].along)
            tendon_place(s, m, i, ROBOT_ARRAY(s->r, point_record, path_points) + at->points - 1);
    }
    for (int i = 0; i < m->wrap_count; i++)
        ROBOT_ARRAY(s->r, wrap_use, wrap_uses)
    [at->uses++] =
        (wrap_use){muscles_find_wrap(s->b, m->wraps[i].wrap), m->wraps[i].first, m->wraps[i].last};
    if (m->law.kind == ARNE_MUSCLE_LIGAMENT) {
        out->curve = place_curve(at, NULL, &m->curve);
        return out->curve >= 0;
    }
    if (m->law.kind != ARNE_MUSCLE_MILLARD) return 1;
    if (same_curves(m, index)) {
        out->bezier = (out - 1)->bezier;
        return 1;
    }
    out->bezier = at->numbers;
    millard_fill(&m->law, ROBOT_ARRAY(s->r, double, path_numbers) + at->numbers);
    at->numbers += BEZIER_SIZE * MILLARD_SEGMENTS;
    return 1;
}

arne_status muscles_place(build *s)
{
    path_filling at = {.s = s};
    for (int i = 0; i < s->r->wrap_count; i++) {
        const arne_wrap_spec  *spec = &s->b->wraps[i];
        wrap_record           *out = ROBOT_ARRAY(s->r, wrap_record, wraps) + i;
        const int              link = contacts_find_link(s->b, spec->link);
        const arne_frame_info *frame = &robot_frames(s->r)[link].info;
        const pose             in_body = pose_lift(frame->pose), own = pose_lift(spec->origin);
        const pose             X = pose_mul(&in_body, &own);
        memset(out, 0, sizeof *out);
        out->name = build_name(s, spec->name);
        out->frame = link;
        out->body = frame->body;
        out->at = lower_pose(&X);
        out->spec = *spec;
        out->spec.name = out->spec.link = out->spec.place.file = NULL;
        out->spec.place.line = 0;
    }
    for (int i = 0; i < s->r->muscle_count; i++)
        if (!place_muscle(&at, i)) return arne_fail_memory(s->j.error);
    return ARNE_OK;
}

int muscle_acts_always(const arne_robot *robot, int muscle)
{
    const muscle_record *m = &robot_muscles(robot)[muscle];
    const point_record  *p = robot_path_points(robot) + m->point;
    if (m->law.kind < ARNE_MUSCLE_LIGAMENT || m->law.kind > ARNE_MUSCLE_TENDON) return 0;
    for (int i = 0; i < m->point_count; i++)
        if (p[i].exponent >= 0 || p[i].moves) return 0;
    return m->joint < 0 || robot_joints(robot)[m->joint].info.kind != ARNE_JOINT_STRAIN;
}

// ---- the specs again ----

int arne_muscle_count(const arne_robot *robot) { return robot->muscle_count; }

int arne_wrap_count(const arne_robot *robot) { return robot->wrap_count; }

static const char *muscles_name(const arne_robot *r, size_t at) { return robot_names(r) + at; }

static arne_function curve_given(const arne_robot *r, int index)
{
    if (index < 0) return (arne_function){0};
    const path_curve *c = &robot_path_curves(r)[index];
    const double     *given = robot_path_numbers(r) + c->given;
    const int         spline = c->function.kind == ARNE_FUNCTION_SPLINE;
    arne_function     f = c->function;
    f.x = spline ? given : NULL;
    f.y = given + (spline ? f.count : 0);
    return f;
}

arne_muscle_spec arne_robot_muscle(const arne_robot *robot, int muscle)
{
    const muscle_record *m = &robot_muscles(robot)[muscle];
    const int            joint = m->joint;
    return (arne_muscle_spec){
        .name = muscles_name(robot, m->name),
        .joint = joint < 0 ? NULL : muscles_name(robot, robot_joints(robot)[joint].name),
        .law = m->law,
        .measure = m->measure,
        .curve = curve_given(robot, m->curve),
        .point_count = m->point_count,
        .wrap_count = m->use_count};
}

arne_path_point arne_muscle_point(const arne_robot *robot, int muscle, int point)
{
    const point_record *p = robot_path_points(robot) + robot_muscles(robot)[muscle].point + point;
    arne_path_point     out = {.link = muscles_name(robot, robot_frames(robot)[p->frame].name),
                               .position = p->position,
                               .lower = p->lower,
                               .upper = p->upper,
                               .along = p->exponent >= 0,
                               .turns = p->turns};
    if (p->joint >= 0) out.joint = muscles_name(robot, robot_joints(robot)[p->joint].name);
    for (int k = 0; k < 3; k++) {
        if (p->curve[k] < 0) continue;
        const int joint = robot_path_curves(robot)[p->curve[k]].joint;
        out.follows[k] = muscles_name(robot, robot_joints(robot)[joint].name);
        out.functions[k] = curve_given(robot, p->curve[k]);
    }
    return out;
}

arne_path_wrap arne_muscle_wrap(const arne_robot *robot, int muscle, int index)
{
    const wrap_use *use = robot_wrap_uses(robot) + robot_muscles(robot)[muscle].use + index;
    return (arne_path_wrap){muscles_name(robot, robot_wraps(robot)[use->wrap].name), use->first,
                            use->last};
}

arne_wrap_spec arne_robot_wrap(const arne_robot *robot, int wrap)
{
    const wrap_record *w = &robot_wraps(robot)[wrap];
    arne_wrap_spec     out = w->spec;
    out.name = muscles_name(robot, w->name);
    out.link = muscles_name(robot, robot_frames(robot)[w->frame].name);
    return out;
}

int arne_find_muscle(const arne_robot *robot, const char *name)
{
    for (int i = 0; i < robot->muscle_count; i++)
        if (!strcmp(muscles_name(robot, robot_muscles(robot)[i].name), name)) return i;
    return -1;
}
