// Muscles of a robot: rules of their specs, their places in the block, and the specs again.
#include "robot/muscles.h"
#include "base/error.h"
#include "math/lower.h"
#include "robot/build.h"
#include "robot/functions.h"
#include "robot/tendon.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

// ---- rules of laws ----

typedef struct law_number {
    const char  *name;
    size_t       at;
    int          count;
    number_range range;
} law_number;

#define NUMBER(field, count, range, unit, help)                                                    \
    {#field, offsetof(arne_muscle_law, field), count, RANGE_##range},
static const law_number fibre_numbers[] = {MUSCLE_FIBRE(NUMBER){0}};
static const law_number millard_numbers[] = {MUSCLE_MILLARD(NUMBER){0}};
static const law_number thelen_numbers[] = {MUSCLE_THELEN(NUMBER){0}};
static const law_number degroote_numbers[] = {MUSCLE_DEGROOTE(NUMBER){0}};
static const law_number ligament_numbers[] = {MUSCLE_LIGAMENT(NUMBER){0}};
static const law_number spring_numbers[] = {MUSCLE_SPRING(NUMBER){0}};
static const law_number limit_numbers[] = {MUSCLE_LIMIT(NUMBER){0}};
static const law_number tendon_numbers[] = {MUSCLE_TENDON(NUMBER){0}};
static const law_number cable_numbers[] = {MUSCLE_CABLE(NUMBER){0}};
#undef NUMBER
static const law_number *const own_numbers[] = {millard_numbers,  thelen_numbers, degroote_numbers,
                                                ligament_numbers, spring_numbers, limit_numbers,
                                                tendon_numbers,   cable_numbers,  cable_numbers};

static arne_status law_check_numbers(const arne_muscle_spec *m, const law_number *n, const judge *j)
{
    static const char *const must[] = {"finite", "positive", "not negative",
                                       "at least 0 and below 1"};
    arne_status              status = ARNE_OK;
    for (; n->name; n++)
        for (int k = 0; k < n->count; k++) {
            const double x = ((const double *)(const void *)((const char *)&m->law + n->at))[k];
            const int    good = isfinite(x) && (n->range != RANGE_POSITIVE || x > 0) &&
                             (n->range < RANGE_NOT_NEGATIVE || x >= 0) &&
                             (n->range != RANGE_PART || x < 1);
            if (!good)
                status = status_both(status, judge_fail(j, ARNE_MODEL, m->place,
                                                        "muscle '%s': %s must be %s, not %g",
                                                        m->name, n->name, must[n->range], x));
        }
    return status;
}

// What a curve must be to rise or fall as its law says; NULL: it is.
static const char *millard_flaw(const arne_muscle_law *l)
{
    const double *a = l->active, *v = l->velocity, *p = l->passive, *t = l->tendon;
    if (!(a[0] > 0 && a[0] < a[1] && a[1] < 0.95 && a[2] > 1.1))
        return "lengths of `active` must rise: least < transition < 0.95 and 1.1 < largest";
    if (!(a[3] > 0 && a[3] < 1 / (0.95 - a[1]) && a[4] >= 0 && a[4] < 1))
        return "slope and least force of `active` are out of range";
    if (!(v[0] >= 0 && v[0] < v[1] && v[1] < v[2] && v[3] >= 0 && v[3] < v[4] && v[4] < v[2] &&
          v[1] < 10.0 / 9 && v[5] > 1))
        return "slopes of `velocity` must rise to that at 0 and fall behind it, to a force above 1";
    if (!(v[6] >= 0 && v[6] <= 1 && v[7] >= 0 && v[7] <= 1 && p[3] >= 0 && p[3] <= 1 && t[2] >= 0 &&
          t[2] <= 1))
        return "a curviness must be from 0 to 1";
    if (!(p[0] > -1 && p[0] < l->passive_strain && p[1] > 0))
        return "`passive` must start before passive_strain and rise";
    const double least = 1 / (l->passive_strain - p[0]);
    if (p[2] != 0 && !(p[2] > least && p[1] < least))
        return "stiffness of `passive` must be above 1 / strain, the low one below";
    if (!(t[1] > 0 && t[1] < 1) || (t[0] != 0 && !(t[0] * l->tendon_strain > 1)))
        return "the toe of `tendon` must end below 1, with a stiffness above 1 / tendon_strain";
    return NULL;
}

static const char *law_flaw(const arne_muscle_spec *m, char why[128])
{
    const arne_muscle_law *l = &m->law;
    if (l->kind == ARNE_MUSCLE_LIGAMENT && !m->curve.count) return "a ligament needs a curve";
    if (l->kind == ARNE_MUSCLE_LIGAMENT && m->curve.kind == ARNE_FUNCTION_PRODUCT)
        return "a curve takes one number, not a product";
    if (l->kind == ARNE_MUSCLE_LIGAMENT && function_flaw(&m->curve, why)) return why;
    if (l->kind == ARNE_MUSCLE_LIMIT && !(l->limits[0] <= l->limits[1]))
        return "the lower limit must not be above the upper one";
    for (int i = 0; l->kind == ARNE_MUSCLE_TENDON && i < 3 * m->point_count; i++)
        if (m->points[i / 3].follows[i % 3]) return "points of a tendon stay in their links";
    if (l->kind == ARNE_MUSCLE_TENDON && l->slack[0] > l->slack[1]) return "slack must rise";
    if (l->kind >= ARNE_MUSCLE_LIGAMENT) return NULL;
    if (!(l->pennation < 1.4706)) return "pennation must be below 1.47 rad (acos 0.1)";
    if (!l->rigid_tendon && !(l->slack_length > 0))
        return "slack_length must be positive, unless the tendon is rigid";
    if (l->kind == ARNE_MUSCLE_THELEN && !(l->lengthening_force > 1))
        return "lengthening_force must be above 1";
    return l->kind == ARNE_MUSCLE_MILLARD ? millard_flaw(l) : NULL;
}

static arne_status law_check(const arne_muscle_spec *m, const judge *j)
{
    char        why[128];
    arne_status status = ARNE_OK;
    if (!arne_muscle_kind_name(m->law.kind))
        return judge_fail(j, ARNE_VALUE, m->place, "muscle '%s': there is no such law", m->name);
    if (m->law.kind < ARNE_MUSCLE_LIGAMENT) status = law_check_numbers(m, fibre_numbers, j);
    status = status_both(status, law_check_numbers(m, own_numbers[m->law.kind], j));
    const char *flaw = status ? NULL : law_flaw(m, why);
    return flaw ? judge_fail(j, ARNE_MODEL, m->place, "muscle '%s': %s", m->name, flaw) : status;
}

// ---- rules of paths ----

static int all_finite(const double *x, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(x[i])) return 0;
    return 1;
}

static arne_status path_check_joint(const arne_builder *b, const arne_muscle_spec *m,
                                    const char *joint, const judge *j)
{
    const int i = name_index_find(&b->joint_index, joint);
    if (i < 0 && b->incomplete) return ARNE_OK;
    if (i < 0)
        return judge_fail(j, ARNE_NOT_FOUND, m->place, "muscle '%s': there is no joint '%s'",
                          m->name, joint);
    if (arne_joint_kind_q_count(b->joints[i].kind) != 1)
        return judge_fail(j, ARNE_MODEL, m->place,
                          "muscle '%s': joint '%s' must have one coordinate", m->name, joint);
    return ARNE_OK;
}

static arne_status path_check_point(const arne_builder *b, const arne_muscle_spec *m, int at,
                                    const judge *j)
{
    const arne_path_point *p = &m->points[at];
    char                   why[128];
    arne_status            status = ARNE_OK;
    if (contacts_find_link(b, p->link) < 0 && !b->incomplete)
        status = judge_fail(j, ARNE_NOT_FOUND, m->place,
                            "muscle '%s': there is no link or frame '%s'", m->name, p->link);
    if (!all_finite(&p->position.x, 3) || (p->joint && !(p->lower <= p->upper)))
        status = status_both(status, judge_fail(j, ARNE_VALUE, m->place,
                                                "muscle '%s': point %d is not finite, or its range "
                                                "is empty",
                                                m->name, at + 1));
    if (p->joint) status = status_both(status, path_check_joint(b, m, p->joint, j));
    for (int k = 0; k < 3; k++) {
        if (!p->follows[k]) continue;
        status = status_both(status, path_check_joint(b, m, p->follows[k], j));
        if (p->functions[k].kind == ARNE_FUNCTION_PRODUCT)
            status =
                status_both(status, judge_fail(j, ARNE_MODEL, m->place,
                                               "muscle '%s': point %d follows one joint, not a "
                                               "product",
                                               m->name, at + 1));
        else if (function_flaw(&p->functions[k], why))
            status =
                status_both(status, judge_fail(j, ARNE_MODEL, m->place, "muscle '%s': point %d: %s",
                                               m->name, at + 1, why));
    }
    return status;
}

static int path_is_nothing(const arne_muscle_spec *m)
{
    for (int i = 0; i < m->point_count; i++) {
        const arne_path_point *p = &m->points[i], *a = m->points;
        if (p->follows[0] || p->follows[1] || p->follows[2]) return 0;
        if (strcmp(p->link, a->link) != 0 || p->position.x != a->position.x ||
            p->position.y != a->position.y || p->position.z != a->position.z)
            return 0;
    }
    return 1;
}

static int wrap_named(const arne_builder *b, const char *name)
{
    for (int i = 0; i < b->wrap_count; i++)
        if (!strcmp(b->wraps[i].name, name)) return i;
    return -1;
}

// Whether a point of the surface's own link lies inside of it: then no path wraps it there.
static int wrap_holds(const arne_wrap_spec *w, const arne_path_point *p)
{
    const pose   X = pose_lift(w->origin);
    const vec3   at = into(&X, sub(lift(p->position), X.p));
    const double x = vx(at), y = vy(at), z = vz(at), *s = w->size;
    if (strcmp(w->link, p->link) != 0 || p->follows[0] || p->follows[1] || p->follows[2]) return 0;
    if (w->shape == ARNE_WRAP_CYLINDER) return x * x + y * y < s[0] * s[0] && 2 * fabs(z) < s[1];
    if (w->shape == ARNE_WRAP_SPHERE) return x * x + y * y + z * z < s[0] * s[0];
    return x * x / (s[0] * s[0]) + y * y / (s[1] * s[1]) + z * z / (s[2] * s[2]) < 1;
}

static arne_status path_check_wrap(const arne_builder *b, const arne_muscle_spec *m,
                                   const arne_path_wrap *use, const judge *j)
{
    const int last = use->last < 0 ? m->point_count - 1 : use->last;
    const int wrap = wrap_named(b, use->wrap);
    if (wrap < 0 && b->incomplete) return ARNE_OK;
    if (wrap < 0)
        return judge_fail(j, ARNE_NOT_FOUND, m->place, "muscle '%s': there is no surface '%s'",
                          m->name, use->wrap);
    if (use->first < 0 || use->first >= last || last >= m->point_count)
        return judge_fail(j, ARNE_VALUE, m->place,
                          "muscle '%s': surface '%s' is wrapped from point %d to %d of %d", m->name,
                          use->wrap, use->first + 1, last + 1, m->point_count);
    for (int i = use->first; i <= last; i++)
        if (wrap_holds(&b->wraps[wrap], &m->points[i]))
            return judge_flaw(j, "wrap", m->place, 0,
                              "muscle '%s': point %d is inside of surface '%s', which the path "
                              "does not wrap next to it",
                              m->name, i + 1, use->wrap);
    return ARNE_OK;
}

static arne_status muscle_check(const arne_builder *b, int index, const judge *j)
{
    const arne_muscle_spec *m = &b->muscles[index];
    arne_status             status = law_check(m, j);
    for (int i = 0; i < index; i++)
        if (!strcmp(b->muscles[i].name, m->name))
            return judge_fail(j, ARNE_MODEL, m->place, "there are two muscles '%s'", m->name);
    if (m->law.kind == ARNE_MUSCLE_LIMIT) {
        if (m->joint && !m->point_count)
            return status_both(status, path_check_joint(b, m, m->joint, j));
        return status_both(status, judge_fail(j, ARNE_MODEL, m->place,
                                              "limit '%s' needs a joint, and no points", m->name));
    }
    if (m->point_count < 2)
        return status_both(status, judge_fail(j, ARNE_MODEL, m->place,
                                              "muscle '%s' needs at least two points", m->name));
    if (path_is_nothing(m))
        status = status_both(
            status, judge_fail(j, ARNE_MODEL, m->place,
                               "muscle '%s' has no length: all its points are one place", m->name));
    for (int i = 0; i < m->point_count && status_goes_on(status); i++)
        status = status_both(status_both(status, path_check_point(b, m, i, j)),
                             m->points[i].along ? tendon_check(b, m, i, j) : ARNE_OK);
    for (int i = 0; i < m->wrap_count && status_goes_on(status); i++)
        status = status_both(status, path_check_wrap(b, m, &m->wraps[i], j));
    return status;
}

static arne_status wrap_check(const arne_builder *b, int index, const judge *j)
{
    const arne_wrap_spec *w = &b->wraps[index];
    const int             sizes = arne_wrap_size_count(w->shape);
    int                   good = sizes > 0 && all_finite(w->size, sizes);
    for (int k = 0; k < sizes; k++)
        good = good && w->size[k] > 0;
    if (!good)
        return judge_fail(j, ARNE_MODEL, w->place, "surface '%s': its sizes must be positive",
                          w->name);
    if (!arne_wrap_side_name(w->side) || !all_finite(&w->origin.R.x.x, 12) ||
        !is_rotation(&w->origin.R))
        return judge_fail(j, ARNE_VALUE, w->place, "surface '%s': its side or origin is none",
                          w->name);
    if (contacts_find_link(b, w->link) < 0 && !b->incomplete)
        return judge_fail(j, ARNE_NOT_FOUND, w->place,
                          "surface '%s': there is no link or frame '%s'", w->name, w->link);
    if (wrap_named(b, w->name) != index)
        return judge_fail(j, ARNE_MODEL, w->place, "there are two surfaces '%s'", w->name);
    return ARNE_OK;
}

arne_status muscles_check(const arne_builder *b, const judge *j)
{
    arne_status status = ARNE_OK;
    for (int i = 0; i < b->wrap_count && status_goes_on(status); i++)
        status = status_both(status, wrap_check(b, i, j));
    if (status) return status;
    for (int i = 0; i < b->muscle_count && status_goes_on(status); i++)
        status = status_both(status, muscle_check(b, i, j));
    return status;
}

// ---- places ----

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
        (wrap_use){wrap_named(s->b, m->wraps[i].wrap), m->wraps[i].first, m->wraps[i].last};
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
