// Shapes of links that touch: rules, and their places on bodies. src/world says what touching does.
#include "base/error.h"
#include "math/lower.h"
#include "robot/build.h"
#include <math.h>
#include <string.h>

typedef struct shape_facts {
    const char *name;
    int         sizes, has_axis;
} shape_facts;

static const shape_facts shapes[ARNE_SHAPE_COUNT] = {
    {"point", 0, 0}, {"sphere", 1, 0},   {"capsule", 2, 1},
    {"box", 3, 0},   {"cylinder", 2, 1}, {"disc", 1, 1},
};

static int is_shape(arne_shape shape) { return (int)shape >= 0 && shape < ARNE_SHAPE_COUNT; }

const char *arne_shape_name(arne_shape shape)
{
    return is_shape(shape) ? shapes[shape].name : NULL;
}

int arne_shape_size_count(arne_shape shape) { return is_shape(shape) ? shapes[shape].sizes : 0; }

arne_contact_spec arne_contact_spec_default(void)
{
    arne_contact_spec spec;
    memset(&spec, 0, sizeof spec);
    spec.origin = (arne_pose){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    spec.axis.z = 1;
    spec.friction = -1;
    return spec;
}

void arne_builder_clear_contacts(arne_builder *builder)
{
    if (builder) builder->contact_count = 0;
}

arne_contact_info arne_robot_contact(const arne_robot *robot, int contact)
{
    const contact_record *record = &robot_contacts(robot)[contact];
    arne_contact_info     info = record->info;
    info.name = record->name ? robot_names(robot) + record->name
                             : robot_names(robot) + robot_frames(robot)[info.link].name;
    return info;
}

int contacts_find_link(const arne_builder *b, const char *name)
{
    const int found = name_index_find(&b->body_index, name);
    for (int i = 0; found < 0 && i < b->frame_count; i++)
        if (strcmp(b->frames[i].name, name) == 0) return b->body_count + i;
    return found;
}

static int contacts_all_finite(const double *x, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(x[i])) return 0;
    return 1;
}

static double contacts_length_of(arne_vec3 a) { return sqrt(a.x * a.x + a.y * a.y + a.z * a.z); }

static arne_status check_one(const arne_builder *b, const arne_contact_spec *s, const judge *j)
{
    if (!is_shape(s->shape))
        return judge_fail(j, ARNE_VALUE, s->place, "contact of link '%s': there is no such shape",
                          s->link);
    const shape_facts *facts = &shapes[s->shape];
    if (contacts_find_link(b, s->link) < 0 && !b->incomplete)
        return judge_fail(j, ARNE_NOT_FOUND, s->place, "contact: there is no link or frame '%s'",
                          s->link);
    if (!contacts_all_finite(s->size, 3) || !contacts_all_finite(&s->origin.R.x.x, 12) ||
        !contacts_all_finite(&s->axis.x, 3) || !contacts_all_finite(s->tyre, 2) ||
        isnan(s->friction))
        return judge_fail(j, ARNE_VALUE, s->place,
                          "contact of link '%s' has a number that is not finite", s->link);
    if (!is_rotation(&s->origin.R))
        return judge_fail(j, ARNE_VALUE, s->place,
                          "the origin of a contact of link '%s' is not a rotation", s->link);
    for (int i = 0; i < facts->sizes; i++)
        if (!(s->size[i] > 0) && !(s->shape == ARNE_SHAPE_CAPSULE && i == 1 && s->size[i] == 0))
            return judge_fail(j, ARNE_MODEL, s->place,
                              "contact of link '%s': the sizes of a %s must be positive, not %g",
                              s->link, facts->name, s->size[i]);
    if (facts->has_axis && contacts_length_of(s->axis) < 1e-12)
        return judge_fail(j, ARNE_MODEL, s->place, "contact of link '%s': its axis is zero",
                          s->link);
    if (s->tyre[0] < 0 || s->tyre[1] < 0)
        return judge_fail(j, ARNE_MODEL, s->place,
                          "contact of link '%s': the stiffness of a tyre must not be negative",
                          s->link);
    if ((s->tyre[0] > 0 || s->tyre[1] > 0) && s->shape != ARNE_SHAPE_DISC)
        return judge_fail(j, ARNE_MODEL, s->place,
                          "contact of link '%s': a tyre is on a disc, and this is a %s", s->link,
                          facts->name);
    return ARNE_OK;
}

arne_status contacts_check(const arne_builder *b, const judge *j)
{
    arne_status status = ARNE_OK;
    for (int i = 0; status_goes_on(status) && i < b->contact_count; i++)
        status = status_both(status, check_one(b, &b->contacts[i], j));
    return status;
}

void contacts_count(const arne_builder *b, arne_robot *r, size_t *names)
{
    r->contact_count = b->contact_count;
    for (int i = 0; i < b->contact_count; i++)
        if (b->contacts[i].name) *names += strlen(b->contacts[i].name) + 1;
}

arne_pose contact_spec_pose(const arne_contact_spec *s)
{
    const pose origin = pose_lift(s->origin);
    if (!shapes[s->shape].has_axis) return s->origin;
    const pose along = build_aligned(lift(s->axis)), both = pose_mul(&origin, &along);
    return lower_pose(&both);
}

void contacts_place(build *s)
{
    for (int i = 0; i < s->r->contact_count; i++) {
        const arne_contact_spec *spec = &s->b->contacts[i];
        contact_record          *record = ROBOT_ARRAY(s->r, contact_record, contacts) + i;
        const int                link = contacts_find_link(s->b, spec->link);
        const arne_frame_info   *frame = &robot_frames(s->r)[link].info;
        const pose     in_body = pose_lift(frame->pose), own = pose_lift(contact_spec_pose(spec));
        const pose     at = pose_mul(&in_body, &own);
        contact_shape *shape = ROBOT_ARRAY(s->r, contact_shape, shapes) + i;
        memset(record, 0, sizeof *record);
        memset(shape, 0, sizeof *shape);
        record->name = spec->name ? build_name(s, spec->name) : 0;
        shape->body = frame->body;
        shape->shape = (int)spec->shape;
        shape->at = lower_pose(&at);
        shape->friction = spec->friction;
        memcpy(shape->size, spec->size, sizeof shape->size);
        memcpy(shape->tyre, spec->tyre, sizeof shape->tyre);
        record->info.link = link;
        record->info.shape = spec->shape;
        memcpy(record->info.size, spec->size, sizeof record->info.size);
        record->info.pose = contact_spec_pose(spec);
        record->info.friction = spec->friction;
        memcpy(record->info.tyre, spec->tyre, sizeof record->info.tyre);
    }
}
