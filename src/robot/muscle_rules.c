// Rules of muscles: numbers of their laws, points and surfaces of their paths.
#include "base/error.h"
#include "math/lower.h"
#include "robot/build.h"
#include "robot/functions.h"
#include "robot/muscles.h"
#include "robot/tendon.h"
#include <math.h>
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

// Whether a point of the surface's own link lies inside of it: then no path wraps it there.
static int wrap_holds(const arne_wrap_spec *w, const arne_path_point *p)
{
    const pose   X = pose_lift(w->origin);
    const vec3   at = into(&X, sub(lift(p->position), X.p));
    const double x = vx(at), y = vy(at), z = vz(at), *s = w->size;
    if (strcmp(w->link, p->link) != 0 || p->follows[0] || p->follows[1] || p->follows[2]) return 0;
    if (w->shape == ARNE_WRAP_CYLINDER) return x * x + y * y < s[0] * s[0] && 2 * fabs(z) < s[1];
    if (w->shape == ARNE_WRAP_TORUS) return hypot(hypot(x, y) - s[1], z) < s[0];
    if (w->shape == ARNE_WRAP_SPHERE) return x * x + y * y + z * z < s[0] * s[0];
    return x * x / (s[0] * s[0]) + y * y / (s[1] * s[1]) + z * z / (s[2] * s[2]) < 1;
}

static arne_status path_check_wrap(const arne_builder *b, const arne_muscle_spec *m,
                                   const arne_path_wrap *use, const judge *j)
{
    const int last = use->last < 0 ? m->point_count - 1 : use->last;
    const int wrap = muscles_find_wrap(b, use->wrap);
    if (wrap < 0 && b->incomplete) return ARNE_OK;
    if (wrap < 0)
        return judge_fail(j, ARNE_NOT_FOUND, m->place, "muscle '%s': there is no surface '%s'",
                          m->name, use->wrap);
    if (b->wraps[wrap].shape == ARNE_WRAP_TORUS && m->wrap_count > 1)
        return judge_fail(j, ARNE_MODEL, m->place,
                          "muscle '%s': a path that wraps a torus, '%s', wraps nothing else",
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

static arne_status path_check_measure(const arne_muscle_spec *m, const judge *j)
{
    const arne_path_point *p = m->points;
    if (m->measure == ARNE_MEASURE_LENGTH) return ARNE_OK;
    if (!arne_path_measure_name(m->measure))
        return judge_fail(j, ARNE_VALUE, m->place, "muscle '%s': there is no such measure",
                          m->name);
    if (m->law.kind == ARNE_MUSCLE_TENDON && m->point_count == 2 && !m->wrap_count && !p[0].joint &&
        !p[1].joint && !p[1].along)
        return ARNE_OK;
    return judge_fail(j, ARNE_MODEL, m->place,
                      "muscle '%s': a measure is of a tendon with two points and nothing else",
                      m->name);
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
    status = status_both(status, path_check_measure(m, j));
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
    if (w->shape == ARNE_WRAP_TORUS && !(w->size[1] > w->size[0]))
        return judge_fail(j, ARNE_MODEL, w->place,
                          "surface '%s': a torus needs a ring larger than its tube", w->name);
    if (!arne_wrap_side_name(w->side) || !all_finite(&w->origin.R.x.x, 12) ||
        !is_rotation(&w->origin.R))
        return judge_fail(j, ARNE_VALUE, w->place, "surface '%s': its side or origin is none",
                          w->name);
    if (contacts_find_link(b, w->link) < 0 && !b->incomplete)
        return judge_fail(j, ARNE_NOT_FOUND, w->place,
                          "surface '%s': there is no link or frame '%s'", w->name, w->link);
    if (muscles_find_wrap(b, w->name) != index)
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
