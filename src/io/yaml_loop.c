// Loops: the section of that name, the notation of a file beside a URDF, and who drives the joints.
#include "base/error.h"
#include "io/yaml_robot.h"
#include "robot/builder.h"
#include <stdio.h>
#include <string.h>

// ---- active and passive joints

static arne_status read_truth(const yaml_slot *slot, int *out)
{
    static const char *const words[] = {"false", "true", "False", "True", "no", "yes", NULL};
    const arne_status        status = arne_yaml_choice(slot, words, out);
    *out %= 2;
    return status;
}

arne_status arne_yaml_passive(const yaml_slot *slot, void *actuation)
{
    int               truth = 0;
    const arne_status status = read_truth(slot, &truth);
    if (!status)
        *(arne_actuation *)actuation = truth ? ARNE_ACTUATION_PASSIVE : ARNE_ACTUATION_ACTIVE;
    return status;
}

arne_status arne_yaml_active(const yaml_slot *slot, void *actuation)
{
    int               truth = 0;
    const arne_status status = read_truth(slot, &truth);
    if (!status)
        *(arne_actuation *)actuation = truth ? ARNE_ACTUATION_ACTIVE : ARNE_ACTUATION_PASSIVE;
    return status;
}

// ---- loops

arne_status arne_yaml_loop_kind(const yaml_slot *slot, void *kind)
{
    const char *words[ARNE_LOOP_KIND_COUNT + 1] = {NULL};
    int         chosen = 0;
    for (int i = 0; i < ARNE_LOOP_KIND_COUNT; i++)
        words[i] = arne_loop_kind_name((arne_loop_kind)i);
    const arne_status status = arne_yaml_choice(slot, words, &chosen);
    if (!status) *(arne_loop_kind *)kind = (arne_loop_kind)chosen;
    return status;
}

typedef struct loop_end {
    const char *link;
    arne_pose   origin;
} loop_end;

// A link or frame by name, or a mapping that also places a frame on it.
static arne_status read_end(const yaml_slot *slot, void *into)
{
    static const yaml_field fields[] = {
        {"link", arne_yaml_text, offsetof(loop_end, link)},
        {"frame", arne_yaml_text, offsetof(loop_end, link)},
        {"origin", arne_yaml_pose, offsetof(loop_end, origin)},
        YAML_FIELDS_END,
    };
    loop_end *end = into;
    if (slot->value->kind == YAML_TEXT) return arne_yaml_text(slot, &end->link);
    const arne_status status = arne_yaml_fields(slot, fields, end);
    if (!status && !end->link) return arne_yaml_fail(slot, ARNE_VALUE, "needs a link or a frame");
    return status;
}

typedef struct loop_keys {
    arne_loop_spec spec;
    loop_end       predecessor, successor;
} loop_keys;

static arne_status check_loop_keys(const yaml_slot *map, const loop_keys *keys)
{
    const char *missing = !arne_yaml_find(map->value, "kind") ? "kind"
                          : !keys->predecessor.link           ? "predecessor"
                          : !keys->successor.link             ? "successor"
                                                              : NULL;
    if (missing)
        return arne_reader_fail(map->reader, ARNE_VALUE, map->value->line, "%s: a %s is missing",
                                map->owner, missing);
    const yaml_node *length = arne_yaml_find(map->value, "length");
    if (length && keys->spec.kind != ARNE_LOOP_ROD)
        return arne_reader_fail(map->reader, ARNE_VALUE, length->line,
                                "%s: only a rod has a length", map->owner);
    return ARNE_OK;
}

static arne_status read_loop(const yaml_slot *item, const char *name, void *context)
{
    static const yaml_field fields[] = {
        {"name", arne_yaml_ignore, 0},
        {"kind", arne_yaml_loop_kind, offsetof(loop_keys, spec.kind)},
        {"predecessor", read_end, offsetof(loop_keys, predecessor)},
        {"successor", read_end, offsetof(loop_keys, successor)},
        {"axis", arne_yaml_vec3, offsetof(loop_keys, spec.axis)},
        {"length", arne_yaml_number, offsetof(loop_keys, spec.length)},
        YAML_FIELDS_END,
    };
    (void)context;
    const yaml_owner owner = arne_yaml_owner("loop", name);
    const yaml_slot  map = {item->reader, owner.text, "", item->value};
    loop_keys        keys = {.spec = arne_loop_spec_default()};
    keys.predecessor.origin = keys.successor.origin = keys.spec.predecessor_origin;
    arne_status status = arne_yaml_fields(&map, fields, &keys);
    if (!status) status = check_loop_keys(&map, &keys);
    if (status) return status;
    arne_loop_spec *spec = &keys.spec;
    spec->name = name;
    spec->predecessor = keys.predecessor.link;
    spec->successor = keys.successor.link;
    spec->predecessor_origin = keys.predecessor.origin;
    spec->successor_origin = keys.successor.origin;
    spec->place = (arne_place){item->reader->file, item->value->line};
    status = arne_builder_add_loop(item->reader->builder, spec, item->reader->error);
    return arne_reader_check(item->reader, status, item->value->line);
}

arne_status arne_yaml_loops(const yaml_slot *section)
{
    return arne_yaml_each(section, "name", read_loop, NULL);
}

// ---- closed_loop: [[A, B]], type: ['6d'], name_mot: [J]

static arne_status read_pair(const yaml_slot *slot, const char *names[2])
{
    arne_status status = arne_yaml_expect(slot, YAML_LIST);
    if (!status && slot->value->count != 2)
        return arne_yaml_fail(slot, ARNE_VALUE, "must have the names of two frames, not %d",
                              slot->value->count);
    int k = 0;
    for (const yaml_item *i = status ? NULL : slot->value->first; i && !status; i = i->next) {
        const yaml_slot entry = {slot->reader, slot->owner, slot->key, i->value};
        status = arne_yaml_text(&entry, &names[k++]);
    }
    return status;
}

// '3d' ties points, '6d' frames. The list of types is as long as that of loops.
static arne_status read_type(reader *r, const yaml_item *type, arne_loop_kind *kind)
{
    static const char *const words[] = {"3d", "6d", "3D", "6D", NULL};
    const yaml_slot          slot = {r, "", "type", type->value};
    int                      chosen = 0;
    const arne_status        status = arne_yaml_choice(&slot, words, &chosen);
    *kind = chosen % 2 ? ARNE_LOOP_FIXED : ARNE_LOOP_BALL;
    return status;
}

static arne_status add_closed_loop(const yaml_slot *slot, const yaml_item *type)
{
    reader           *r = slot->reader;
    const char       *names[2] = {NULL, NULL};
    char              name[200];
    arne_loop_spec    spec = arne_loop_spec_default();
    const arne_status read = read_pair(slot, names);
    if (read) return read;
    spec.kind = ARNE_LOOP_FIXED;
    const arne_status typed = type ? read_type(r, type, &spec.kind) : ARNE_OK;
    if (typed) return typed;
    snprintf(name, sizeof name, "%.90s:%.90s", names[0], names[1]);
    spec.name = name;
    spec.predecessor = names[0];
    spec.successor = names[1];
    spec.place = (arne_place){r->file, slot->value->line};
    return arne_reader_check(r, arne_builder_add_loop(r->builder, &spec, r->error),
                             slot->value->line);
}

arne_status arne_yaml_closed_loop(const yaml_slot *section)
{
    reader          *r = section->reader;
    const yaml_node *types = arne_yaml_find(r->document, "type");
    arne_status      status = arne_yaml_expect(section, YAML_LIST);
    if (!status && types && (types->kind != YAML_LIST || types->count != section->value->count))
        return arne_reader_fail(r, ARNE_VALUE, types->line,
                                "type must be a list of as many entries as closed_loop has (%d)",
                                section->value->count);
    const yaml_item *type = types ? types->first : NULL;
    for (const yaml_item *i = status ? NULL : section->value->first; i && !status; i = i->next) {
        const yaml_slot pair = {r, "", "closed_loop", i->value};
        status = add_closed_loop(&pair, type);
        type = type ? type->next : NULL;
    }
    return status;
}

arne_status arne_yaml_closed_loop_type(const yaml_slot *section)
{
    if (arne_yaml_find(section->reader->document, "closed_loop")) return ARNE_OK;
    return arne_yaml_fail(section, ARNE_VALUE, "is of use only beside closed_loop");
}

arne_status arne_yaml_name_mot(const yaml_slot *section)
{
    reader     *r = section->reader;
    arne_status status = arne_yaml_expect(section, YAML_LIST);
    for (const yaml_item *i = status ? NULL : section->value->first; i && !status; i = i->next) {
        const yaml_slot slot = {r, "", "name_mot", i->value};
        const char     *name = NULL;
        arne_joint_spec spec;
        status = arne_yaml_text(&slot, &name);
        if (status) break;
        if (arne_builder_get_joint(r->builder, name, &spec) != ARNE_OK)
            return arne_yaml_fail(&slot, ARNE_MODEL, "has joint '%s', which does not exist", name);
        spec.actuation = ARNE_ACTUATION_ACTIVE;
        status = arne_reader_check(r, arne_builder_set_joint(r->builder, &spec, r->error),
                                   i->value->line);
    }
    return status;
}
