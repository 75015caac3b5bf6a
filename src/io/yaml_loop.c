// Loops: the section of that name, and the notation of a file beside a URDF.
#include "io/yaml_robot.h"
#include "robot/builder.h"
#include <stdio.h>
#include <string.h>

const char *arne_yaml_loop_kind(int kind)
{
    return kind < ARNE_LOOP_KIND_COUNT ? arne_loop_kind_name((arne_loop_kind)kind) : NULL;
}

typedef struct loop_end {
    const char *link;
    arne_pose   origin;
} loop_end;

static const doc_key end_keys[] = {
    {"link", DOC_TYPE_TEXT, offsetof(loop_end, link), .needed = 0, .help = "the link at this end"},
    {"frame", DOC_TYPE_TEXT, offsetof(loop_end, link), .needed = 0, .help = "or a frame"},
    {"origin", DOC_TYPE_POSE, offsetof(loop_end, origin), .needed = 0,
     .help = "where on the link or frame"},
    {0},
};
static const doc_schema end_schema = {"end", NULL, end_keys, NULL};

// A link or frame by name, or a mapping that also places a frame on it.
static arne_status read_end(const doc_slot *slot, void *into)
{
    loop_end *end = into;
    if (slot->value->kind == DOC_TEXT) return doc_text(slot, &end->link);
    const arne_status status = doc_read_map(slot, &end_schema, end, 0);
    if (!status && !end->link) return doc_fail(slot, ARNE_VALUE, "needs a link or a frame");
    return status;
}

// What a loop ends, where it ties the leg of a parallel robot.
#define AT(field) offsetof(arne_loop_spec, field)
static const doc_key leg_keys[] = {
    {"kind", DOC_TYPE_WORD, AT(leg.kind), .needed = 1, .word = arne_yaml_leg_kind,
     .help = "which leg this loop ends"},
    {"link", DOC_TYPE_TEXT, AT(leg_link), .needed = 1, .help = "that carries the leg"},
    {"origin", DOC_TYPE_POSE, AT(leg.base), .help = "of the leg's frame in that link"},
    {"crank", DOC_TYPE_NUMBER, AT(leg.crank), .unit = "m"},
    {"rod", DOC_TYPE_NUMBER, AT(leg.rod), .unit = "m"},
    {"slide", DOC_TYPE_VEC3, AT(leg.slide), .help = "of a carriage, in the leg's frame"},
    {0},
};
#undef AT
static const doc_schema leg_schema = {"leg", NULL, leg_keys, NULL};

typedef struct loop_keys {
    arne_loop_spec spec;
    loop_end       predecessor, successor;
} loop_keys;

#define AT(field) offsetof(loop_keys, field)
static const doc_key loop_key_table[] = {
    {"name", DOC_TYPE_TEXT, AT(spec.name), .needed = 1, .help = "of the loop"},
    {"kind", DOC_TYPE_WORD, AT(spec.kind), .needed = 1, .word = arne_yaml_loop_kind,
     .help = "the motions that are free between the two ends"},
    {"predecessor", DOC_TYPE_OTHER, AT(predecessor), .needed = 1, .read = read_end,
     .inside = &end_schema, .takes = "a link, frame or joint, or a mapping",
     .help = "the end on one side of the cut"},
    {"successor", DOC_TYPE_OTHER, AT(successor), .needed = 1, .read = read_end,
     .inside = &end_schema, .takes = "a link, frame or joint, or a mapping",
     .help = "the end on the other side"},
    {"axis", DOC_TYPE_VEC3, AT(spec.axis), .help = "in the connected frames; default z"},
    {"length", DOC_TYPE_NUMBER, AT(spec.length), .unit = "m", .help = "of a rod"},
    {"radius", DOC_TYPE_NUMBER, AT(spec.length), .unit = "m", .help = "of a disc that rolls"},
    {"leg", DOC_TYPE_MAP, AT(spec), .inside = &leg_schema, .help = "that the loop ends"},
    {0},
};
#undef AT
const doc_schema arne_yaml_loop_schema = {"loop", "name", loop_key_table, NULL};

arne_status arne_yaml_loop(const doc_slot *item, const char *name, void *context)
{
    (void)context;
    reader   *r = item->reader;
    loop_keys keys = {.spec = arne_loop_spec_default()};
    keys.spec.leg.base = keys.spec.predecessor_origin;
    keys.predecessor.origin = keys.successor.origin = keys.spec.predecessor_origin;
    arne_status    status = doc_read_map(item, &arne_yaml_loop_schema, &keys, 0);
    const doc_slot length = doc_under(item, "length"), radius = doc_under(item, "radius");
    if (!status && radius.value && keys.spec.kind != ARNE_LOOP_ROLLING)
        status = arne_reader_fail_at(r, ARNE_VALUE, radius.value->line, radius.value->column,
                                     "%s: only a disc that rolls has a radius", item->owner);
    if (!status && length.value && keys.spec.kind != ARNE_LOOP_ROD)
        status = arne_reader_fail_at(r, ARNE_VALUE, length.value->line, length.value->column,
                                     "%s: only a rod has a length", item->owner);
    if (status) return status;
    arne_loop_spec *spec = &keys.spec;
    spec->name = name;
    spec->predecessor = keys.predecessor.link;
    spec->successor = keys.successor.link;
    spec->predecessor_origin = keys.predecessor.origin;
    spec->successor_origin = keys.successor.origin;
    spec->place = doc_place(r, item->value);
    return doc_check(item, arne_builder_add_loop(r->builder, spec, r->error));
}

// ---- closed_loop: [[A, B]], type: ['6d'], name_mot: [J]

static arne_status yaml_loop_read_pair(const doc_slot *slot, const char *names[2])
{
    arne_status status = doc_expect(slot, DOC_LIST);
    if (!status && slot->value->count != 2)
        return doc_fail(slot, ARNE_VALUE, "must have the names of two frames, not %d",
                        slot->value->count);
    int k = 0;
    for (const doc_item *i = status ? NULL : slot->value->first; i && !status; i = i->next) {
        const doc_slot entry = {slot->reader, slot->owner, slot->key, i->value};
        status = doc_text(&entry, &names[k++]);
    }
    return status;
}

// '3d' ties points, '6d' frames. The list of types is as long as that of loops.
static arne_status read_type(reader *r, const doc_item *type, arne_loop_kind *kind)
{
    static const doc_word words[] = {{"3d", ARNE_LOOP_BALL, NULL, NULL, NULL},
                                     {"6d", ARNE_LOOP_FIXED, NULL, NULL, NULL},
                                     {"3D", ARNE_LOOP_BALL, NULL, NULL, NULL},
                                     {"6D", ARNE_LOOP_FIXED, NULL, NULL, NULL},
                                     {0}};
    const doc_slot        slot = {r, "", "type", type->value};
    const doc_word       *chosen = NULL;
    const arne_status     status = doc_choice(&slot, words, &chosen);
    if (!status) *kind = (arne_loop_kind)chosen->value;
    return status;
}

static arne_status add_closed_loop(const doc_slot *slot, const doc_item *type)
{
    reader        *r = slot->reader;
    const char    *names[2] = {NULL, NULL};
    char           name[200];
    arne_loop_spec spec = arne_loop_spec_default();
    spec.kind = ARNE_LOOP_FIXED;
    const arne_status status = status_both(yaml_loop_read_pair(slot, names),
                                           type ? read_type(r, type, &spec.kind) : ARNE_OK);
    if (status) return status;
    snprintf(name, sizeof name, "%.90s:%.90s", names[0], names[1]);
    spec.name = name;
    spec.predecessor = names[0];
    spec.successor = names[1];
    spec.place = doc_place(r, slot->value);
    return doc_check(slot, arne_builder_add_loop(r->builder, &spec, r->error));
}

arne_status arne_yaml_closed_loop(const doc_slot *section, void *unused)
{
    reader         *r = section->reader;
    const doc_node *types = doc_find(r->document->root, "type");
    arne_status     status = ARNE_OK;
    (void)unused;
    if (types && (types->kind != DOC_LIST || types->count != section->value->count))
        return arne_reader_fail_at(r, ARNE_VALUE, types->line, types->column,
                                   "type must be a list of as many entries as closed_loop has (%d)",
                                   section->value->count);
    const doc_item *type = types ? types->first : NULL;
    for (const doc_item *i = section->value->first; i && status_goes_on(status); i = i->next) {
        const doc_slot pair = {r, "", "closed_loop", i->value};
        status = status_both(status, add_closed_loop(&pair, type));
        type = type ? type->next : NULL;
    }
    return status;
}

arne_status arne_yaml_closed_loop_type(const doc_slot *section, void *unused)
{
    (void)unused;
    if (doc_find(section->reader->document->root, "closed_loop")) return ARNE_OK;
    return doc_fail(section, ARNE_VALUE, "is of use only beside closed_loop");
}

static arne_status activate(const doc_slot *slot)
{
    reader           *r = slot->reader;
    const char       *name = NULL;
    arne_joint_spec   spec;
    const arne_status status = doc_text(slot, &name);
    if (status) return status;
    if (arne_builder_get_joint(r->builder, name, &spec) != ARNE_OK)
        return doc_fail(slot, ARNE_MODEL, "has joint '%s', which does not exist", name);
    spec.actuation = ARNE_ACTUATION_ACTIVE;
    return doc_check(slot, arne_builder_set_joint(r->builder, &spec, r->error));
}

arne_status arne_yaml_name_mot(const doc_slot *section, void *unused)
{
    arne_status status = ARNE_OK;
    (void)unused;
    for (const doc_item *i = section->value->first; i && status_goes_on(status); i = i->next) {
        const doc_slot slot = {section->reader, "", "name_mot", i->value};
        status = status_both(status, activate(&slot));
    }
    return status;
}

// ---- joint_name: [J], joint_type: [SPHERICAL]: what a URDF has no word for

static const doc_word joint_types[] = {
    {"SPHERICAL", ARNE_JOINT_BALL, NULL, NULL, NULL},
    {"CARDAN", ARNE_JOINT_UNIVERSAL, NULL, NULL, "about x, then about y"},
    {"FIXED", ARNE_JOINT_FIXED, NULL, NULL, NULL},
    {0},
};

static arne_status change_kind(const doc_slot *slot, const doc_slot *type)
{
    reader         *r = slot->reader;
    const char     *name = NULL;
    const doc_word *kind = NULL;
    arne_joint_spec spec;
    arne_status status = status_both(doc_text(slot, &name), doc_choice(type, joint_types, &kind));
    if (status) return status;
    if (arne_builder_get_joint(r->builder, name, &spec) != ARNE_OK)
        return doc_fail(slot, ARNE_MODEL, "has joint '%s', which does not exist", name);
    const arne_joint_spec plain = arne_joint_spec_default();
    spec.kind = (arne_joint_kind)kind->value;
    spec.lower = plain.lower; // those of one axis have no meaning for another kind
    spec.upper = plain.upper;
    return doc_check(slot, arne_builder_set_joint(r->builder, &spec, r->error));
}

arne_status arne_yaml_joint_name(const doc_slot *section, void *unused)
{
    reader         *r = section->reader;
    const doc_node *types = doc_find(r->document->root, "joint_type");
    arne_status     status = ARNE_OK;
    (void)unused;
    if (!types || types->kind != DOC_LIST || types->count != section->value->count)
        return doc_fail(section, ARNE_VALUE, "needs a joint_type of as many entries (%d)",
                        section->value->count);
    const doc_item *type = types->first;
    for (const doc_item *i = section->value->first; i && status_goes_on(status); i = i->next) {
        const doc_slot slot = {r, "", "joint_name", i->value};
        const doc_slot of = {r, "", "joint_type", type->value};
        status = status_both(status, change_kind(&slot, &of));
        type = type->next;
    }
    return status;
}

arne_status arne_yaml_joint_type(const doc_slot *section, void *unused)
{
    (void)unused;
    if (doc_find(section->reader->document->root, "joint_name")) return ARNE_OK;
    return doc_fail(section, ARNE_VALUE, "is of use only beside joint_name");
}
