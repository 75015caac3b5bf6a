// Paths that run inside of rods: tendons and chambers.
//
// Such a path is given by its places in the sections at the two ends of a stretch of rod. Between
// these the place d(s) goes straight, or winds around the axis. The rod is cut into exponential
// joints (rod.c), and the path into a piece for each, so that a piece knows the strains that make
// it longer: see src/muscle/path.c. Tendons of exponential joints that a file gives are such
// pieces.
#include "robot/tendon.h"
#include "base/error.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ANGLE_NEAR = 1e-6; // rad, by which given turns may miss the next point

static double tendon_distance(const arne_path_point *p)
{
    return hypot(p->position.y, p->position.z);
}

static double tendon_angle(const arne_path_point *p) { return atan2(p->position.z, p->position.y); }

void tendon_at(const arne_path_point *from, const arne_path_point *to, double h, double x,
               arne_vec3 *place, arne_vec3 *slope)
{
    const arne_vec3 a = from->position, b = to->position;
    if (to->turns == 0) {
        *slope = (arne_vec3){0, (b.y - a.y) / h, (b.z - a.z) / h};
        *place = (arne_vec3){0, a.y + x * (b.y - a.y), a.z + x * (b.z - a.z)};
        return;
    }
    const double whole = 2 * acos(-1) * to->turns, r0 = tendon_distance(from);
    const double rate = (tendon_distance(to) - r0) / h, r = r0 + x * h * rate;
    const double start = r0 > 0 ? tendon_angle(from) : tendon_angle(to) - whole;
    const double c = cos(start + x * whole), s = sin(start + x * whole), turn = r * whole / h;
    *place = (arne_vec3){0, r * c, r * s};
    *slope = (arne_vec3){0, rate * c - turn * s, rate * s + turn * c};
}

// ---- rules

static int tendon_is_plain(const arne_path_point *p)
{
    return !p->joint && !p->follows[0] && !p->follows[1] && !p->follows[2];
}

// What is wrong with the two points beside where they are; NULL: nothing.
static const char *tendon_flaw(const arne_muscle_spec *m, int point)
{
    const arne_path_point *to = &m->points[point], *from = to - 1;
    if (point == 0) return "the first point has none before it that it could come from";
    if (!tendon_is_plain(from) || !tendon_is_plain(to))
        return "neither end may be conditional or moving";
    if (!isfinite(to->turns)) return "turns must be finite";
    const double miss = tendon_angle(to) - tendon_angle(from) - 2 * acos(-1) * to->turns;
    if (to->turns != 0 && tendon_distance(to) > 0 && tendon_distance(from) > 0 &&
        fabs(remainder(miss, 2 * acos(-1))) > ANGLE_NEAR)
        return "its turns do not end at its position";
    return NULL;
}

static arne_status tendon_refuse(const judge *j, const arne_muscle_spec *m, int point,
                                 const char *why)
{
    return judge_fail(j, ARNE_MODEL, m->place, "muscle '%s': point %d comes along a rod, but %s",
                      m->name, point + 1, why);
}

static int tendon_joint(const arne_builder *b, const arne_path_point *to)
{
    for (int i = 0; i < b->joint_count; i++)
        if (!strcmp(b->joints[i].child, to->link) && b->joints[i].kind == ARNE_JOINT_EXPONENTIAL)
            return i;
    return -1;
}

static int tendon_is_identity(const arne_pose *X)
{
    const arne_pose none = arne_joint_spec_default().origin;
    return !memcmp(X, &none, sizeof none);
}

arne_status tendon_check(const arne_builder *b, const arne_muscle_spec *m, int point,
                         const judge *j)
{
    const arne_path_point *to = &m->points[point], *from = to - 1;
    const char            *why = tendon_flaw(m, point);
    const int              joint = tendon_joint(b, to);
    if (b->incomplete) return ARNE_OK;
    if (!why && (joint < 0 || strcmp(b->joints[joint].parent, from->link) != 0))
        why = "no exponential joint or rod has it and the point before on its two links";
    if (!why && (!tendon_is_identity(&b->joints[joint].origin) ||
                 !tendon_is_identity(&b->joints[joint].tip)))
        why = "the exponential joint has an origin or a tip";
    if (!why && (from->position.x != 0 || to->position.x != 0))
        why = "x of both ends of an exponential joint must be 0";
    return why ? tendon_refuse(j, m, point, why) : ARNE_OK;
}

static int tendon_leaves(const arne_flexible_spec *f, const arne_path_point *from,
                         const arne_path_point *to)
{
    enum { PLACES = 9 };
    const double h = to->position.x - from->position.x;
    for (int i = 0; i < PLACES && f->half[0] > 0 && f->half[1] > 0; i++) {
        const double x = (double)i / (PLACES - 1);
        const double size = rod_size(f, (from->position.x + x * h) / f->length);
        arne_vec3    at, slope;
        tendon_at(from, to, h, x, &at, &slope);
        const double y = fabs(at.y / (size * f->half[0])), z = fabs(at.z / (size * f->half[1]));
        if ((f->is_round ? hypot(y, z) : fmax(y, z)) > 1 + 1e-9) return 1;
    }
    return 0;
}

static const arne_flexible_spec *tendon_rod(const build *s, const char *link)
{
    const int i = name_index_find(&s->b->body_index, link);
    return i < 0 ? NULL : &s->b->bodies[i].flexible;
}

arne_status tendon_check_rod(const build *s, const arne_muscle_spec *m, int point)
{
    const arne_path_point    *to = &m->points[point], *from = to - 1;
    const arne_flexible_spec *f = tendon_rod(s, to->link);
    const char               *why = tendon_flaw(m, point);
    const int                 is_rod = arne_flexible_is_rod(f);
    if (!why && f && f->segments && !is_rod)
        why = "its link is made of segments: only rods by modes have paths inside";
    if (!why && is_rod && strcmp(from->link, to->link) != 0)
        why = "the point before is not on the same rod";
    if (!why && is_rod && !(to->position.x > from->position.x))
        why = "it is not further along than the point before";
    if (why) return tendon_refuse(&s->j, m, point, why);
    if (!is_rod || !tendon_leaves(f, from, to)) return ARNE_OK;
    return judge_flaw(&s->j, "section", m->place, 0,
                      "muscle '%s': its path leaves the section of rod '%s' before point %d",
                      m->name, to->link, point + 1);
}

// ---- pieces

typedef struct tendon_pieces {
    arne_path_point *points;
    char (*names)[ROD_NAME];
    int count;
} tendon_pieces;

static void tendon_add(tendon_pieces *to, const rod *r, const arne_path_point *like, double x,
                       arne_vec3 place)
{
    arne_path_point *p = &to->points[to->count];
    *p = *like;
    p->position = place;
    rod_put_at(r, x, &p->position, to->names[to->count]);
    p->link = to->names[to->count++];
}

// The pieces from a point to the next.
static void tendon_cut(tendon_pieces *to, const rod *r, const arne_path_point *from,
                       const arne_path_point *end)
{
    const double start = from->position.x, h = end->position.x - start;
    const double near = 1e-9 * r->body->flexible.length;
    double       last = start;
    for (int k = 0; k < r->count; k++) {
        const double    at = r->at[k];
        arne_path_point like = *end;
        arne_vec3       place, slope;
        if (at <= start + near || at > end->position.x + near) continue;
        tendon_at(from, end, h, (at - start) / h, &place, &slope);
        like.turns = end->turns * (at - last) / h;
        tendon_add(to, r, &like, at, at < end->position.x - near ? place : end->position);
        last = at;
    }
}

// Wraps count points, whose numbers have changed: now[] has the new ones.
static void tendon_renumber(const arne_muscle_spec *m, const int *now, arne_path_wrap *wraps)
{
    for (int i = 0; i < m->wrap_count; i++) {
        int *const ends[2] = {&wraps[i].first, &wraps[i].last};
        wraps[i] = m->wraps[i];
        for (int k = 0; k < 2; k++)
            if (*ends[k] >= 0 && *ends[k] < m->point_count) *ends[k] = now[*ends[k]];
    }
}

static arne_status tendon_cut_all(const build *s, const arne_muscle_spec *m, tendon_pieces *to,
                                  int *now)
{
    for (int i = 0; i < m->point_count; i++) {
        const arne_path_point *p = &m->points[i];
        const int              ends = p->along || (i + 1 < m->point_count && p[1].along);
        const int              link = ends ? name_index_find(&s->b->body_index, p->link) : -1;
        rod                    r;
        if (link < 0 || !arne_flexible_is_rod(&s->b->bodies[link].flexible))
            to->points[to->count++] = *p;
        else if (rod_make(s, &s->b->bodies[link], 0, &r) != ARNE_OK)
            return ARNE_MODEL; // rod_add_bodies has told
        else if (p->along)
            tendon_cut(to, &r, p - 1, p);
        else
            tendon_add(to, &r, p, p->position.x, p->position);
        now[i] = to->count - 1;
    }
    return ARNE_OK;
}

arne_status tendon_spread(const build *s, const arne_muscle_spec *m)
{
    size_t room = (size_t)m->point_count + 1;
    for (int i = 0; i < m->point_count; i++)
        room += m->points[i].along ? ROD_PLACES : 0;
    arne_muscle_spec spread = *m;
    tendon_pieces    to = {calloc(room, sizeof *to.points), calloc(room, sizeof *to.names), 0};
    arne_path_wrap  *wraps = calloc((size_t)m->wrap_count + 1, sizeof *wraps);
    int             *now = calloc(room, sizeof *now);
    arne_status      status = ARNE_OK;
    if (!to.points || !to.names || !wraps || !now)
        status = arne_fail_memory(s->j.error);
    else
        status = tendon_cut_all(s, m, &to, now);
    if (!status) {
        tendon_renumber(m, now, wraps);
        spread.points = to.points;
        spread.point_count = to.count;
        spread.wraps = wraps;
        status = arne_builder_add_muscle(s->segments, &spread, s->j.error);
    }
    free(now);
    free(wraps);
    free(to.points);
    free(to.names);
    return status;
}

void tendon_place(const build *s, const arne_muscle_spec *m, int point, point_record *out)
{
    const arne_path_point *to = &m->points[point];
    const int              joint = s->joint_index[tendon_joint(s->b, to)];
    for (int i = 0; i < s->r->exponent_count; i++) {
        const exponent_record *x = &robot_exponents(s->r)[i];
        if (x->joint != joint) continue;
        out->exponent = i;
        for (int g = 0; g < 2; g++)
            tendon_at(to - 1, to, x->length, 0.5 + (g ? 1 : -1) * sqrt(3) / 6, &out->offset[g],
                      &out->slope[g]);
    }
}
