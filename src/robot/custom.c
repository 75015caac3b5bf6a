// Custom joints as chains of joints of one coordinate.
#include "base/error.h"
#include "math/lower.h"
#include "math/spatial.h"
#include "robot/builder.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_ROOM = 300, CHAIN_MOST = 2 * ARNE_CUSTOM_AXES };

typedef struct chain_step {
    const arne_custom_axis *axis;
    int                     slides, number; // which rotation or translation, from 1
} chain_step;

typedef struct chain {
    arne_builder           *b;
    const arne_custom_spec *spec;
    arne_error             *error;
    pose                    pending;           // constant motion since the last joint
    char                    parent[NAME_ROOM]; // the last link
    chain_step              steps[CHAIN_MOST];
    int                     count, moving; // steps; those that are not constant
    int                     used[64];      // coordinates that have a joint
} chain;

static pose custom_still(void)
{
    return pose_from(m3(v3(1, 0, 0), v3(0, 1, 0), v3(0, 0, 1)), v3_zero());
}

// About a unit axis: Rodrigues.
static mat3 turned_about(vec3 a, double angle)
{
    const double s = sin(angle), c = cos(angle);
    const mat3   K = skew(scale(a, s)), A = outer(a, scale(a, 1 - c));
    const mat3   R = m3_add(K, A);
    return m3(add_x(R.x, c), add_y(R.y, c), add_z(R.z, c));
}

static vec3 custom_unit_of(arne_vec3 axis)
{
    const double length = sqrt(axis.x * axis.x + axis.y * axis.y + axis.z * axis.z);
    return scale(lift(axis), 1 / length);
}

static void move_by_constant(chain *c, const chain_step *s)
{
    const vec3 a = custom_unit_of(s->axis->axis);
    const pose by = s->slides ? pose_from(custom_still().R, scale(a, s->axis->value))
                              : pose_from(turned_about(a, s->axis->value), v3_zero());
    if (s->axis->value != 0) c->pending = pose_mul(&c->pending, &by);
}

// Which of its own coordinates an axis is, that has no joint yet; -1: none.
static int own_coordinate(const chain *c, const arne_custom_axis *axis)
{
    for (int k = 0; axis->function.count == 0 && k < c->spec->coordinate_count; k++)
        if (!c->used[k] && !strcmp(c->spec->coordinates[k].name, axis->joint)) return k;
    return -1;
}

static arne_status add_massless(const chain *c, const char *name)
{
    arne_body_spec link = arne_body_spec_default();
    link.name = name;
    link.place = c->spec->place;
    return arne_builder_add_body(c->b, &link, c->error);
}

static arne_status custom_add_function(const chain *c, const char *joint,
                                       const arne_custom_axis *axis)
{
    static const double same[] = {0, 1};
    arne_function_spec  f = {.joint = joint, .with = axis->joint, .place = c->spec->place};
    f.function = axis->function.count ? axis->function
                                      : arne_function_make(ARNE_FUNCTION_POLYNOMIAL, 2, NULL, same);
    return arne_builder_add_function(c->b, &f, c->error);
}

static arne_status add_step(chain *c, const chain_step *s, int last)
{
    const int       own = own_coordinate(c, s->axis);
    arne_joint_spec joint = own < 0 ? arne_joint_spec_default() : c->spec->coordinates[own];
    char            name[NAME_ROOM], link[NAME_ROOM];
    const pose      tip = pose_lift(c->spec->tip);
    snprintf(link, sizeof link, "%.250s.%c%d", c->spec->name, s->slides ? 't' : 'r', s->number);
    snprintf(name, sizeof name, "%s", own < 0 ? link : joint.name);
    joint.name = name;
    joint.parent = c->parent;
    joint.child = last ? c->spec->child : link;
    joint.kind = s->slides ? ARNE_JOINT_PRISMATIC : ARNE_JOINT_REVOLUTE;
    joint.axis = s->axis->axis;
    joint.origin = lower_pose(&c->pending);
    joint.tip = arne_joint_spec_default().tip;
    joint.place = c->spec->place;
    c->pending = custom_still();
    if (own >= 0) c->used[own] = 1;
    if (last) {
        for (int i = (int)(s - c->steps) + 1; i < c->count; i++)
            move_by_constant(c, &c->steps[i]);
        const pose end = pose_mul(&c->pending, &tip);
        joint.tip = lower_pose(&end);
    }
    arne_status status = last ? ARNE_OK : add_massless(c, link);
    if (!status) status = arne_builder_add_joint(c->b, &joint, c->error);
    if (!status && own < 0) status = custom_add_function(c, name, s->axis);
    snprintf(c->parent, sizeof c->parent, "%s", link);
    return status;
}

// Nothing moves: the links are joined.
static arne_status add_fixed(chain *c)
{
    arne_joint_spec joint = arne_joint_spec_default();
    joint.name = c->spec->name;
    joint.parent = c->spec->parent;
    joint.child = c->spec->child;
    joint.kind = ARNE_JOINT_FIXED;
    joint.origin = lower_pose(&c->pending);
    joint.tip = c->spec->tip;
    joint.place = c->spec->place;
    return arne_builder_add_joint(c->b, &joint, c->error);
}

// A coordinate that no axis has for itself: a link without mass that turns with it.
static arne_status add_loose(const chain *c, const arne_joint_spec *coordinate)
{
    arne_joint_spec joint = *coordinate;
    char            link[NAME_ROOM];
    snprintf(link, sizeof link, "%.140s.%.140s", c->spec->name, coordinate->name);
    joint.parent = c->spec->parent;
    joint.child = link;
    if (joint.kind != ARNE_JOINT_PRISMATIC) joint.kind = ARNE_JOINT_REVOLUTE;
    joint.axis = (arne_vec3){0, 0, 1};
    joint.origin = c->spec->origin;
    joint.tip = arne_joint_spec_default().tip;
    joint.place = c->spec->place;
    const arne_status status = add_massless(c, link);
    return status ? status : arne_builder_add_joint(c->b, &joint, c->error);
}

static arne_status custom_check_spec(const arne_custom_spec *s, arne_error *error)
{
    const arne_custom_axis *all[2] = {s->translations, s->rotations};
    const int               counts[2] = {s->translation_count, s->rotation_count};
    if (counts[0] < 0 || counts[0] > ARNE_CUSTOM_AXES || counts[1] < 0 ||
        counts[1] > ARNE_CUSTOM_AXES || s->coordinate_count < 0 || s->coordinate_count > 64)
        return arne_fail(error, ARNE_VALUE, s->place.file, s->place.line,
                         "joint '%s' has at most three rotations and three translations", s->name);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < counts[i]; k++) {
            const arne_vec3 *a = &all[i][k].axis;
            const double     square = a->x * a->x + a->y * a->y + a->z * a->z;
            if (!(square > 0) || !isfinite(square) || !isfinite(all[i][k].value))
                return arne_fail(error, ARNE_VALUE, s->place.file, s->place.line,
                                 "%s %d of joint '%s' has no axis, or a number that is not finite",
                                 i ? "rotation" : "translation", k + 1, s->name);
        }
    return ARNE_OK;
}

arne_status arne_builder_add_custom(arne_builder *builder, const arne_custom_spec *spec,
                                    arne_error *error)
{
    if (!builder || !spec || !spec->name || !spec->parent || !spec->child)
        return arne_fail_null(error);
    arne_status status = custom_check_spec(spec, error);
    if (status) return status;
    chain c = {.b = builder, .spec = spec, .error = error};
    c.pending = pose_lift(spec->origin);
    snprintf(c.parent, sizeof c.parent, "%s", spec->parent);
    for (int i = 0; i < spec->translation_count; i++)
        c.steps[c.count++] = (chain_step){&spec->translations[i], 1, i + 1};
    for (int i = 0; i < spec->rotation_count; i++)
        c.steps[c.count++] = (chain_step){&spec->rotations[i], 0, i + 1};
    for (int i = 0; i < c.count; i++)
        c.moving += c.steps[i].axis->joint != NULL;
    for (int i = 0, left = c.moving; i < c.count && !status; i++)
        if (c.steps[i].axis->joint)
            status = add_step(&c, &c.steps[i], --left == 0);
        else if (left > 0 || c.moving == 0)
            move_by_constant(&c, &c.steps[i]);
    if (!status && c.moving == 0) status = add_fixed(&c);
    for (int k = 0; k < spec->coordinate_count && !status; k++)
        if (!c.used[k]) status = add_loose(&c, &spec->coordinates[k]);
    return status;
}
