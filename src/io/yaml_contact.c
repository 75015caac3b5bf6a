// The section contacts of a YAML robot file: shapes of links that touch.
#include "io/yaml_robot.h"
#include <string.h>

// origin: a position, or a pose with xyz and rpy.
static arne_status yaml_contact_read_origin(const doc_slot *slot, void *spec)
{
    arne_contact_spec *s = spec;
    return slot->value->kind == DOC_LIST ? doc_vec3(slot, &s->origin.p)
                                         : doc_pose(slot, &s->origin);
}

// Where the key of a shape is read: one number, or a list of as many as it takes.
static arne_status yaml_contact_read_shape(const doc_slot *slot, void *spec)
{
    arne_contact_spec *s = spec;
    int                shape = 0;
    while (strcmp(arne_shape_name((arne_shape)shape), slot->key) != 0)
        shape++; // the table has only names of shapes
    s->shape = (arne_shape)shape;
    const int   count = arne_shape_size_count(s->shape);
    arne_status status = count == 1 && slot->value->kind == DOC_TEXT
                             ? doc_number(slot, s->size)
                             : doc_numbers(slot, count, s->size);
    for (int i = 0; i < count && !status; i++) {
        const int bare = s->shape == ARNE_SHAPE_CAPSULE && i == 1;
        status = doc_in_range(slot, bare ? DOC_NOT_NEGATIVE : DOC_POSITIVE, s->size[i]);
    }
    return status;
}

// point: its position.
static arne_status read_point(const doc_slot *slot, void *spec)
{
    arne_contact_spec *s = spec;
    s->shape = ARNE_SHAPE_POINT;
    return doc_vec3(slot, &s->origin.p);
}

static const doc_key tyre_keys[] = {
    {"longitudinal", DOC_TYPE_NUMBER, offsetof(arne_contact_spec, tyre), .needed = 1, .unit = "N",
     .range = DOC_POSITIVE, .help = "force per slip along the wheel"},
    {"lateral", DOC_TYPE_NUMBER, offsetof(arne_contact_spec, tyre) + sizeof(double), .needed = 1,
     .unit = "N/rad", .range = DOC_POSITIVE, .help = "force per slip angle"},
    {0},
};
static const doc_schema tyre_schema = {"tyre", NULL, tyre_keys, NULL};

static arne_status read_tyre(const doc_slot *slot, void *spec)
{
    const doc_slot map = {slot->reader, slot->owner, slot->key, slot->value};
    return doc_read_map(&map, &tyre_schema, spec, 0);
}

// Callbacks take the whole spec: they are at offset 0.
#define AT(field) offsetof(arne_contact_spec, field)
static const doc_key contact_keys[] = {
    {"link", DOC_TYPE_TEXT, AT(link), .needed = 1, .help = "a link or frame"},
    {"name", DOC_TYPE_TEXT, AT(name), .help = "default: that of the link"},
    {"origin", DOC_TYPE_OTHER, 0, .read = yaml_contact_read_origin, .unit = "m",
     .takes = "[x, y, z], or a pose with xyz and rpy", .help = "in the link's frame"},
    {"point", DOC_TYPE_OTHER, 0, .read = read_point, .unit = "m", .takes = "[x, y, z]"},
    {"sphere", DOC_TYPE_OTHER, 0, .read = yaml_contact_read_shape, .unit = "m",
     .takes = "its radius"},
    {"capsule", DOC_TYPE_OTHER, 0, .read = yaml_contact_read_shape, .unit = "m",
     .takes = "[radius, length of the straight part]"},
    {"box", DOC_TYPE_OTHER, 0, .read = yaml_contact_read_shape, .unit = "m",
     .takes = "[x, y, z], whole lengths; its corners touch"},
    {"cylinder", DOC_TYPE_OTHER, 0, .read = yaml_contact_read_shape, .unit = "m",
     .takes = "[radius, length]; its rims touch"},
    {"disc", DOC_TYPE_OTHER, 0, .read = yaml_contact_read_shape, .unit = "m",
     .takes = "its radius; its rim touches: a wheel"},
    {"axis", DOC_TYPE_VEC3, AT(axis), .help = "of a capsule, cylinder or disc; default [0, 0, 1]"},
    {"friction", DOC_TYPE_NUMBER, AT(friction), .range = DOC_NOT_NEGATIVE,
     .help = "its own coefficient; default: that of the surface"},
    {"tyre", DOC_TYPE_MAP, 0, .read = read_tyre, .inside = &tyre_schema,
     .help = "of a disc on a compliant ground"},
    {0},
};
#undef AT
const doc_schema arne_yaml_contact_schema = {"contact", NULL, contact_keys, NULL};

static int shapes_in(const doc_node *map)
{
    int count = 0;
    for (int i = 0; i < ARNE_SHAPE_COUNT; i++)
        count += doc_find(map, arne_shape_name((arne_shape)i)) != NULL;
    return count;
}

static arne_status read_contact(const doc_slot *item, const char *name, void *context)
{
    (void)context, (void)name;
    reader           *r = item->reader;
    arne_contact_spec spec = arne_contact_spec_default();
    arne_status       status = doc_read_map(item, &arne_yaml_contact_schema, &spec, 0);
    if (item->value->kind == DOC_MAP && shapes_in(item->value) != 1)
        status = status_both(
            status, doc_fail(item, ARNE_VALUE,
                             shapes_in(item->value)
                                 ? "has more than one shape: give each an entry of its own"
                                 : "needs one of point, sphere, capsule, box, cylinder, disc"));
    if (status) return status;
    spec.place = doc_place(r, item->value);
    return doc_check(item, arne_builder_add_contact(r->builder, &spec, r->error));
}

arne_status arne_yaml_contacts(const doc_slot *section, void *unused)
{
    (void)unused;
    if (section->reader->amends) arne_builder_clear_contacts(section->reader->builder);
    return doc_each(section, &arne_yaml_contact_schema, read_contact, NULL);
}
