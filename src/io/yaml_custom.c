// Custom joints of a robot file: rotations and translations that are functions of coordinates.
#include "base/error.h"
#include "io/yaml_robot.h"
#include "robot/builder.h"
#include <string.h>

// ---- axes ----

#define AT(field) offsetof(arne_custom_axis, field)
static const doc_key axis_table[] = {
    {"axis", DOC_TYPE_VEC3, AT(axis), .needed = 1, .takes = "[x, y, z]",
     .help = "of a rotation, in the frame that the rotations before it have turned; of a "
             "translation, in the joint's frame"},
    {"coordinate", DOC_TYPE_TEXT, AT(joint), .help = "it turns or moves by this coordinate itself"},
    {"follows", DOC_TYPE_SKIP, 0, .inside = &arne_yaml_follow_schema,
     .takes = "a function of a joint", .help = "or by a function of a coordinate"},
    {"constant", DOC_TYPE_NUMBER, AT(value), .unit = "rad, m", .help = "or by this, always"},
    {0},
};
#undef AT
static const doc_schema axis_schema = {"axis", NULL, axis_table, NULL};

typedef struct axes {
    arne_custom_axis *axis;
    int               count;
} axes;

static arne_status yaml_custom_read_axis(const doc_slot *item, const char *name, void *context)
{
    axes              *all = context;
    arne_custom_axis   axis = {0};
    arne_function_spec f = {0};
    const doc_slot     follows = doc_under(item, "follows");
    const doc_slot     constant = doc_under(item, "constant");
    arne_status        status = doc_read_map(item, &axis_schema, &axis, 0);
    (void)name;
    if (follows.value) status = status_both(status, arne_yaml_function(&follows, &f));
    if (status) return status;
    if ((axis.joint != NULL) + (follows.value != NULL) + (constant.value != NULL) != 1)
        return doc_fail(item, ARNE_VALUE, "needs one of coordinate, follows and constant");
    if (f.times) return doc_fail(&follows, ARNE_VALUE, "takes no product here");
    if (all->count == ARNE_CUSTOM_AXES)
        return doc_fail(item, ARNE_VALUE, "is one too many: there are at most three");
    if (follows.value) {
        axis.joint = f.with;
        axis.function = f.function;
    }
    all->axis[all->count++] = axis;
    return ARNE_OK;
}

// ---- coordinates ----

#define AT(field) offsetof(arne_joint_spec, field)
static const doc_key coordinate_table[] = {
    {"name", DOC_TYPE_TEXT, AT(name), .needed = 1, .help = "of the coordinate, as of a joint"},
    DRIVE_KEYS(AT),
    {"start", DOC_TYPE_NUMBER, AT(start), .unit = "rad, m",
     .help = "where the search for an assembly starts"},
    {0},
};
#undef AT
static const doc_schema coordinate_schema = {"coordinate", "name", coordinate_table, NULL};

typedef struct custom_keys {
    arne_custom_spec spec;
    arne_joint_spec  coordinates[2 * ARNE_CUSTOM_AXES];
} custom_keys;

static arne_status read_coordinate(const doc_slot *item, const char *name, void *context)
{
    custom_keys    *keys = context;
    arne_joint_spec spec = arne_joint_spec_default();
    if (keys->spec.coordinate_count == 2 * ARNE_CUSTOM_AXES)
        return doc_fail(item, ARNE_VALUE, "is one too many: there are at most six");
    const arne_status status = doc_read_map(item, &coordinate_schema, &spec, 0);
    spec.name = name;
    keys->coordinates[keys->spec.coordinate_count++] = spec;
    return status;
}

// ---- joints ----

static arne_status read_rotations(const doc_slot *slot, void *custom)
{
    arne_custom_spec *spec = &((custom_keys *)custom)->spec;
    axes              all = {spec->rotations, 0};
    const arne_status status = doc_each(slot, &axis_schema, yaml_custom_read_axis, &all);
    spec->rotation_count = all.count;
    return status;
}

static arne_status read_translations(const doc_slot *slot, void *custom)
{
    arne_custom_spec *spec = &((custom_keys *)custom)->spec;
    axes              all = {spec->translations, 0};
    const arne_status status = doc_each(slot, &axis_schema, yaml_custom_read_axis, &all);
    spec->translation_count = all.count;
    return status;
}

#define AT(field) offsetof(custom_keys, spec.field)
static const doc_key custom_table[] = {
    {"name", DOC_TYPE_TEXT, AT(name), .needed = 1, .help = "of the joint"},
    {"parent", DOC_TYPE_TEXT, AT(parent), .needed = 1, .help = "the link that carries the joint"},
    {"child", DOC_TYPE_TEXT, AT(child), .needed = 1, .help = "the link that it moves"},
    {"origin", DOC_TYPE_POSE, AT(origin), .help = "the joint's frame in the parent's"},
    {"tip", DOC_TYPE_POSE, AT(tip), .help = "the child's frame in the joint's moving frame"},
    {"coordinates", DOC_TYPE_LIST, 0, .each = read_coordinate, .inside = &coordinate_schema,
     .help = "coordinates that the joint brings; axes may take those of other joints too"},
    {"rotations", DOC_TYPE_LIST, 0, .read = read_rotations, .inside = &axis_schema,
     .help = "up to three, about the first axis first"},
    {"translations", DOC_TYPE_LIST, 0, .read = read_translations, .inside = &axis_schema,
     .help = "up to three, which the rotations do not turn"},
    {0},
};
#undef AT
const doc_schema arne_yaml_custom_schema = {"custom joint", "name", custom_table, NULL};

arne_status arne_yaml_custom_joint(const doc_slot *item, const char *name, void *context)
{
    reader     *r = item->reader;
    custom_keys keys = {0};
    (void)context;
    keys.spec.origin = keys.spec.tip = arne_joint_spec_default().origin;
    const arne_status status = doc_read_map(item, &arne_yaml_custom_schema, &keys, 0);
    keys.spec.name = name;
    keys.spec.coordinates = keys.coordinates;
    keys.spec.place = doc_place(r, item->value);
    if (!keys.spec.parent || !keys.spec.child || status) {
        r->builder->incomplete = 1;
        return status;
    }
    return doc_check(item, arne_builder_add_custom(r->builder, &keys.spec, r->error));
}
