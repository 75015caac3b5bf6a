// Numbers of one kind that are so far apart that what is computed with both has no digits left.
#include "robot/graph.h"
#include "robot/inertia.h"
#include <math.h>

// Double precision has 16 digits; products of two such quantities and their differences have none
// of the smaller one.
static const double MOST_APART = 1e30;

// The smallest and the largest of one kind, and whose they are. Zero is no size.
typedef struct span {
    double      size[2];
    const char *name[2];
    arne_place  place[2];
} span;

static void widen(span *s, double size, const char *name, arne_place place)
{
    size = fabs(size);
    for (int end = 0; end < 2 && size > 0; end++)
        if (!s->name[end] || (end ? size > s->size[1] : size < s->size[0])) {
            s->size[end] = size;
            s->name[end] = name;
            s->place[end] = place;
        }
}

static arne_status judge_span(const span *s, const judge *j, const char *of, const char *unit)
{
    if (!s->name[0] || s->size[1] / MOST_APART <= s->size[0]) return ARNE_OK;
    return judge_flaw(j, "scale", s->place[0], 0,
                      "the %s of '%.80s' (%g %s) and of '%.80s' (%g %s) are more than 1e30 apart: "
                      "nothing that depends on both can be computed",
                      of, s->name[0], s->size[0], unit, s->name[1], s->size[1], unit);
}

static double length(arne_vec3 v) { return hypot(hypot(v.x, v.y), v.z); }

arne_status check_scales(const arne_builder *b, const judge *j)
{
    span mass = {.size = {0}}, inertia = {.size = {0}}, distance = {.size = {0}};
    for (int i = 0; i < b->body_count; i++) {
        const arne_body_spec *s = &b->bodies[i];
        double                about_com[6], principal[3];
        inertia_about_com(s, about_com, principal);
        widen(&mass, s->mass, s->name, s->place);
        widen(&distance, length(s->com), s->name, s->place);
        widen(&inertia, principal[2], s->name, s->place);
    }
    for (int i = 0; i < b->joint_count; i++) {
        const arne_joint_spec *s = &b->joints[i];
        widen(&distance, length(s->origin.p), s->name, s->place);
        widen(&distance, length(s->tip.p), s->name, s->place);
        widen(&inertia, s->rotor_inertia, s->name, s->place);
    }
    arne_status status = judge_span(&mass, j, "masses", "kg");
    if (!status) status = judge_span(&distance, j, "lengths", "m");
    return status ? status : judge_span(&inertia, j, "inertias", "kg m^2");
}
