// Bodies and their inertial keys.
#include "io/yaml_robot.h"
#include <string.h>

static arne_status read_inertia_mapping(const yaml_slot *slot, double inertia[6])
{
    static const yaml_field fields[] = {
        {"ixx", arne_yaml_number, 0 * sizeof(double)},
        {"iyy", arne_yaml_number, 1 * sizeof(double)},
        {"izz", arne_yaml_number, 2 * sizeof(double)},
        {"ixy", arne_yaml_number, 3 * sizeof(double)},
        {"ixz", arne_yaml_number, 4 * sizeof(double)},
        {"iyz", arne_yaml_number, 5 * sizeof(double)},
        YAML_FIELDS_END,
    };
    for (int i = 0; i < 3; i++)
        if (!arne_yaml_find(slot->value, fields[i].key))
            return arne_yaml_fail(slot, ARNE_VALUE, "needs %s", fields[i].key);
    return arne_yaml_fields(slot, fields, inertia);
}

// ixx, iyy, izz and perhaps ixy, ixz, iyz.
arne_status arne_yaml_inertia(const yaml_slot *slot, void *body_spec)
{
    arne_body_spec *spec = body_spec;
    double          inertia[6] = {0};
    arne_status     status = ARNE_OK;
    if (slot->value->kind == YAML_MAP)
        status = read_inertia_mapping(slot, inertia);
    else if (slot->value->kind == YAML_LIST && slot->value->count != 3 && slot->value->count != 6)
        status =
            arne_yaml_fail(slot, ARNE_VALUE, "needs 3 or 6 numbers, has %d", slot->value->count);
    else
        status = arne_yaml_numbers(slot, slot->value->count, inertia);
    if (!status) memcpy(spec->inertia, inertia, sizeof inertia);
    return status;
}

arne_status arne_yaml_inertia_about(const yaml_slot *slot, void *about_origin)
{
    static const char *const words[] = {"com", "origin", NULL};
    return arne_yaml_choice(slot, words, about_origin);
}

// One flaw or a list of them.
arne_status arne_yaml_accept(const yaml_slot *slot, void *accept)
{
    static const char *const words[] = {"triangle", "inertia", NULL};
    static const unsigned    flaws[] = {ARNE_ACCEPT_TRIANGLE, ARNE_ACCEPT_INERTIA};
    const yaml_item          single = {.value = slot->value};
    arne_status              status = ARNE_OK;
    for (const yaml_item *i = slot->value->kind == YAML_LIST ? slot->value->first : &single;
         i && !status; i = i->next) {
        const yaml_slot entry = {slot->reader, slot->owner, slot->key, i->value};
        int             chosen = 0;
        status = arne_yaml_choice(&entry, words, &chosen);
        if (!status) *(unsigned *)accept |= flaws[chosen];
    }
    return status;
}

arne_status arne_yaml_begin_inertial(const yaml_slot *map, arne_body_spec *spec)
{
    const yaml_node *about = arne_yaml_find(map->value, "inertia_about");
    if (arne_yaml_find(map->value, "inertia")) {
        spec->about_origin = 0;
        memset(&spec->inertia_axes, 0, sizeof spec->inertia_axes);
    } else if (about) {
        return arne_reader_fail(map->reader, ARNE_VALUE, about->line,
                                "%s: inertia_about needs an inertia", map->owner);
    }
    return ARNE_OK;
}

int arne_yaml_amends_body(const reader *r, const char *name, arne_body_spec *spec)
{
    return r->amends && arne_builder_get_body(r->builder, name, spec) == ARNE_OK &&
           !(spec->place.file && strcmp(spec->place.file, r->file) == 0);
}

static arne_status read_body(const yaml_slot *item, const char *name, void *context)
{
    static const yaml_field fields[] = {
        {"name", arne_yaml_ignore, 0},
        {"mass", arne_yaml_number, offsetof(arne_body_spec, mass)},
        {"com", arne_yaml_vec3, offsetof(arne_body_spec, com)},
        {"inertia", arne_yaml_inertia, 0},
        {"inertia_about", arne_yaml_inertia_about, offsetof(arne_body_spec, about_origin)},
        {"accept", arne_yaml_accept, offsetof(arne_body_spec, accept)},
        YAML_FIELDS_END,
    };
    (void)context;
    reader          *r = item->reader;
    const yaml_owner owner = arne_yaml_owner("body", name);
    const yaml_slot  map = {r, owner.text, "", item->value};
    arne_body_spec   spec;
    const int        amends = arne_yaml_amends_body(r, name, &spec);
    if (!amends) spec = arne_body_spec_default();
    arne_status status = arne_yaml_begin_inertial(&map, &spec);
    if (!status) status = arne_yaml_fields(&map, fields, &spec);
    if (status) return status;
    spec.name = name;
    spec.place = (arne_place){r->file, item->value->line};
    status = amends ? arne_builder_set_body(r->builder, &spec, r->error)
                    : arne_builder_add_body(r->builder, &spec, r->error);
    return arne_reader_check(r, status, item->value->line);
}

arne_status arne_yaml_bodies(const yaml_slot *section)
{
    return arne_yaml_each(section, "name", read_body, NULL);
}
