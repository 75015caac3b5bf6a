// Bodies and their inertial keys.
#include "io/yaml_robot.h"
#include <string.h>

const doc_word arne_yaml_about[] = {
    {"com", 0, NULL, NULL, "the centre of mass"},
    {"origin", 1, NULL, NULL, "the origin of the link's frame"},
    {0},
};

const doc_word arne_yaml_flaws[] = {
    {"triangle", ARNE_ACCEPT_TRIANGLE, NULL, NULL, "principal inertias break the triangle rule"},
    {"inertia", ARNE_ACCEPT_INERTIA, NULL, NULL, "there is nothing behind a joint that moves"},
    {"negative", ARNE_ACCEPT_NEGATIVE, NULL, NULL, "a principal inertia is negative"},
    {0},
};

static const doc_key inertia_keys[] = {
    {"ixx", DOC_TYPE_NUMBER, 0 * sizeof(double), .needed = 1, .help = "about the x axis"},
    {"iyy", DOC_TYPE_NUMBER, 1 * sizeof(double), .needed = 1, .help = "about the y axis"},
    {"izz", DOC_TYPE_NUMBER, 2 * sizeof(double), .needed = 1, .help = "about the z axis"},
    {"ixy", DOC_TYPE_NUMBER, 3 * sizeof(double), .needed = 0, .help = "off the diagonal"},
    {"ixz", DOC_TYPE_NUMBER, 4 * sizeof(double), .needed = 0, .help = "off the diagonal"},
    {"iyz", DOC_TYPE_NUMBER, 5 * sizeof(double), .needed = 0, .help = "off the diagonal"},
    {0},
};
static const doc_schema inertia_schema = {"inertia", NULL, inertia_keys, NULL};

// ixx, iyy, izz and perhaps ixy, ixz, iyz.
arne_status arne_yaml_inertia(const doc_slot *slot, void *body_spec)
{
    arne_body_spec *spec = body_spec;
    double          inertia[6] = {0};
    arne_status     status = ARNE_OK;
    if (slot->value->kind == DOC_MAP)
        status = doc_read_map(slot, &inertia_schema, inertia, 0);
    else if (slot->value->kind == DOC_LIST && slot->value->count != 3 && slot->value->count != 6)
        status = doc_fail(slot, ARNE_VALUE, "needs 3 or 6 numbers, has %d", slot->value->count);
    else
        status = doc_numbers(slot, slot->value->count, inertia);
    if (!status) memcpy(spec->inertia, inertia, sizeof inertia);
    return status;
}

arne_status arne_yaml_begin_inertial(const doc_slot *map, arne_body_spec *spec)
{
    const doc_slot about = doc_under(map, "inertia_about");
    if (doc_find(map->value, "inertia")) {
        spec->about_origin = 0;
        memset(&spec->inertia_axes, 0, sizeof spec->inertia_axes);
    } else if (about.value) {
        return doc_fail(&about, ARNE_VALUE, "needs an inertia");
    }
    return ARNE_OK;
}

int arne_yaml_amends_body(const reader *r, const char *name, arne_body_spec *spec)
{
    return r->amends && arne_builder_get_body(r->builder, name, spec) == ARNE_OK &&
           !(spec->place.file && strcmp(spec->place.file, r->file) == 0);
}

#define AT(field) offsetof(arne_body_spec, field)
static const doc_key body_keys[] = {
    {"name", DOC_TYPE_TEXT, AT(name), .needed = 1, .help = "of the link"},
    INERTIAL_KEYS(AT),
    {"gravity_compensation", DOC_TYPE_NUMBER, AT(gravity_compensation),
     .help = "fraction of its weight that a force at the centre of mass holds"},
    {"flexible", DOC_TYPE_MAP, AT(name), .read = arne_yaml_flexible,
     .inside = &arne_yaml_flexible_schema, .help = "makes the link an elastic beam"},
    {0},
};
#undef AT
const doc_schema arne_yaml_body_schema = {"body", "name", body_keys, NULL};

arne_status arne_yaml_body(const doc_slot *item, const char *name, void *context)
{
    (void)context;
    reader        *r = item->reader;
    arne_body_spec spec;
    const int      amends = arne_yaml_amends_body(r, name, &spec);
    if (!amends) spec = arne_body_spec_default();
    arne_status status = arne_yaml_begin_inertial(item, &spec);
    status = status_both(status, arne_yaml_begin_flexible(item, &spec));
    status = status_both(
        status, doc_read_map(item, &arne_yaml_body_schema, &spec, amends ? DOC_AMENDS : 0));
    spec.name = name;
    spec.place = doc_place(r, item->value);
    // Also after a mistake, so that references to the body are not reported as errors.
    return status_both(
        status, doc_check(item, amends ? arne_builder_set_body(r->builder, &spec, r->error)
                                       : arne_builder_add_body(r->builder, &spec, r->error)));
}
