// Parallel robots: a platform, where its legs begin and end, and one leg for all.
#include "io/yaml_robot.h"
#include "robot/builder.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LEGS = 64 };

typedef struct parallel_keys {
    arne_parallel_spec spec;
    arne_vec3          base_points[MAX_LEGS], platform_points[MAX_LEGS];
    double             angles[MAX_LEGS];
    int                base_count, platform_count, angle_count, modules;
} parallel_keys;

const char *arne_yaml_leg_kind(int kind)
{
    return kind < ARNE_LEG_KIND_COUNT ? arne_leg_kind_name((arne_leg_kind)kind) : NULL;
}

// ---- lists

static arne_status yaml_parallel_read_points(const doc_slot *slot, arne_vec3 *points, int *count)
{
    arne_status status = ARNE_OK;
    if (slot->value->count < 1 || slot->value->count > MAX_LEGS)
        return doc_fail(slot, ARNE_VALUE, "needs 1 to %d points, has %d", MAX_LEGS,
                        slot->value->count);
    *count = 0;
    for (const doc_item *i = slot->value->first; i && status_goes_on(status); i = i->next) {
        const doc_slot point = {slot->reader, slot->owner, slot->key, i->value};
        status = status_both(status, doc_vec3(&point, &points[(*count)++]));
    }
    return status;
}

static arne_status read_base_points(const doc_slot *slot, void *into)
{
    parallel_keys *keys = into;
    return yaml_parallel_read_points(slot, keys->base_points, &keys->base_count);
}

static arne_status read_platform_points(const doc_slot *slot, void *into)
{
    parallel_keys *keys = into;
    return yaml_parallel_read_points(slot, keys->platform_points, &keys->platform_count);
}

static arne_status read_angles(const doc_slot *slot, void *into)
{
    parallel_keys *keys = into;
    keys->angle_count = slot->value->count;
    if (keys->angle_count > MAX_LEGS)
        return doc_fail(slot, ARNE_VALUE, "has more than %d angles", MAX_LEGS);
    return doc_numbers(slot, keys->angle_count, keys->angles);
}

// ---- the platform

static const doc_word motions[] = {
    {"free", ARNE_JOINT_FREE, NULL, NULL, NULL},
    {"planar", ARNE_JOINT_PLANAR, NULL, NULL, NULL},
    {"translation", ARNE_JOINT_PRISMATIC, NULL, NULL, NULL},
    {0},
};

#define AT(field) offsetof(parallel_keys, spec.platform.field)
static const doc_key platform_keys[] = {
    {"name", DOC_TYPE_TEXT, AT(name), .otherwise = "platform", .help = "of the platform"},
    {"motion", DOC_TYPE_WORD, offsetof(parallel_keys, spec.motion), .words = motions,
     .help = "how the platform can move"},
    {"home", DOC_TYPE_POSE, offsetof(parallel_keys, spec.home),
     .help = "the platform in the base, where the search for an assembly starts"},
    INERTIAL_KEYS(AT),
    {0},
};
#undef AT
static const doc_schema platform_schema = {"platform", NULL, platform_keys, NULL};

static arne_status read_platform(const doc_slot *slot, void *into)
{
    parallel_keys *keys = into;
    const doc_slot map = {slot->reader, "platform", "", slot->value};
    keys->spec.platform.place = doc_place(slot->reader, slot->value);
    return doc_read_map(&map, &platform_schema, keys, 0);
}

// ---- legs

#define AT(field) offsetof(arne_leg_joint, field)
#define AT_JOINT(field) offsetof(arne_leg_joint, joint.field)
#define AT_BODY(field) offsetof(arne_leg_joint, body.field)
static const doc_key leg_joint_keys[] = {
    {"name", DOC_TYPE_TEXT, AT_JOINT(name), .needed = 1,
     .help = "name of the joint, appended to that of its leg"},
    {"kind", DOC_TYPE_WORD, AT_JOINT(kind), .word = arne_yaml_joint_kind, .help = "chain"},
    {"origin", DOC_TYPE_POSE, AT_JOINT(origin), .help = "chain"},
    {"axis", DOC_TYPE_VEC3, AT_JOINT(axis), .help = "chain"},
    {"pitch", DOC_TYPE_NUMBER, AT_JOINT(pitch), .unit = "m/rad", .help = "chain"},
    {"start", DOC_TYPE_NUMBER, AT_JOINT(start), .unit = "rad, m", .help = "chain"},
    {"link", DOC_TYPE_TEXT, AT_BODY(name), .help = "default: the joint's name"},
    DRIVE_KEYS(AT_JOINT),
    INERTIAL_KEYS(AT_BODY),
    {0},
};
#undef AT_JOINT
#undef AT_BODY
#undef AT
static const doc_schema leg_joint_schema = {"joint of a leg", "name", leg_joint_keys, NULL};

// What a template has says itself; a chain has nothing else.
static arne_status check_joint_keys(const doc_slot *map, int is_template)
{
    static const char *const geometry[] = {"kind", "origin", "axis", "pitch", "start"};
    arne_status              status = ARNE_OK;
    for (size_t i = 0; is_template && i < sizeof geometry / sizeof *geometry; i++) {
        const doc_node *given = doc_find(map->value, geometry[i]);
        if (given)
            status = status_both(status, arne_reader_fail_at(map->reader, ARNE_VALUE, given->line,
                                                             given->column,
                                                             "%s: its %s is that of the leg's kind",
                                                             map->owner, geometry[i]));
    }
    if (!is_template && !doc_find(map->value, "kind")) return doc_missing(map, "kind");
    return status;
}

static arne_status read_leg_joint(const doc_slot *item, const char *name, void *context)
{
    arne_parallel_spec *spec = context;
    const int           is_template = spec->kind != ARNE_LEG_CHAIN;
    const int           line = item->value->line, column = item->value->column;
    int                 at = 0;
    while (at < spec->joint_count && strcmp(spec->joints[at].joint.name, name) != 0)
        at++;
    if (is_template && at == spec->joint_count)
        return arne_reader_fail_at(item->reader, ARNE_MODEL, line, column,
                                   "parallel: a %s leg has no joint '%s'",
                                   arne_leg_kind_name(spec->kind), name);
    if (!is_template && at < spec->joint_count)
        return arne_reader_fail_at(item->reader, ARNE_MODEL, line, column,
                                   "parallel: two joints of a leg are named '%s'", name);
    if (!is_template && at == ARNE_LEG_JOINTS)
        return arne_reader_fail_at(item->reader, ARNE_VALUE, line, column,
                                   "parallel: a leg has at most %d joints", ARNE_LEG_JOINTS);
    if (!is_template) {
        spec->joints[at].joint.name = spec->joints[at].body.name = name;
        spec->joint_count++;
    }
    const arne_status status = check_joint_keys(item, is_template);
    return status_both(status, doc_read_map(item, &leg_joint_schema, &spec->joints[at], 0));
}

static arne_status read_leg_joints(const doc_slot *slot, void *spec)
{
    const doc_slot list = {slot->reader, "", slot->key, slot->value};
    return doc_each(&list, &leg_joint_schema, read_leg_joint, spec);
}

static const doc_word elbows[] = {
    {"larger", 1, NULL, NULL, NULL}, {"smaller", -1, NULL, NULL, NULL}, {0}};

#define AT(field) offsetof(arne_parallel_spec, field)
#define KEY_CRANK                                                                                  \
    {                                                                                              \
        "crank", DOC_TYPE_NUMBER, AT(crank), .unit = "m"                                           \
    }
#define KEY_ROD                                                                                    \
    {                                                                                              \
        "rod", DOC_TYPE_NUMBER, AT(rod), .unit = "m"                                               \
    }
#define KEY_ELBOW                                                                                  \
    {                                                                                              \
        "elbow", DOC_TYPE_WORD, AT(elbow), .words = elbows,                                        \
                                           .help = "which of two ways a leg bends at home"         \
    }
static const doc_key crank_keys[] = {KEY_CRANK, KEY_ROD, KEY_ELBOW, {0}};
static const doc_key slide_keys[] = {
    KEY_ROD,
    {"slide", DOC_TYPE_VEC3, AT(slide), .help = "direction of the carriage"},
    KEY_ELBOW,
    {0},
};
static const doc_key chain_keys[] = {
    {"tie", DOC_TYPE_WORD, AT(tie), .word = arne_yaml_loop_kind,
     .help = "kind of the loop between its end and the platform point"},
    {"tie_axis", DOC_TYPE_VEC3, AT(tie_axis), .needed = 0,
     .help = "axis of the loop between a chain and the platform"},
    {"end", DOC_TYPE_POSE, AT(end), .help = "pose of that end in the last link"},
    {0},
};

// The kinds, and the keys that each has of its own.
static const doc_word leg_kinds[] = {
    {"chain", ARNE_LEG_CHAIN, chain_keys, NULL, "joints of any kind"},
    {"UPS", ARNE_LEG_UPS, NULL, NULL, NULL},
    {"SPS", ARNE_LEG_SPS, NULL, NULL, NULL},
    {"RUS", ARNE_LEG_RUS, crank_keys, NULL, NULL},
    {"PUS", ARNE_LEG_PUS, slide_keys, NULL, NULL},
    {"RRR", ARNE_LEG_RRR, crank_keys, NULL, NULL},
    {"UPU", ARNE_LEG_UPU, NULL, NULL, NULL},
    {0},
};

static const doc_key leg_keys[] = {
    {"kind", DOC_TYPE_WORD, AT(kind), .needed = 1, .words = leg_kinds,
     .help = "from base to platform"},
    {"joints", DOC_TYPE_LIST, 0, .read = read_leg_joints, .inside = &leg_joint_schema,
     .help = "inertia, limits and friction of the joints of each leg"},
    {0},
};
#undef AT
static const doc_schema leg_schema = {"legs", NULL, leg_keys, "kind"};

// The kind comes first: it brings the joints that the others amend.
static arne_status read_legs(const doc_slot *slot, void *into)
{
    parallel_keys  *keys = into;
    const doc_slot  map = {slot->reader, "legs", "", slot->value};
    const doc_word *kind = doc_chosen(&map, &leg_schema);
    if (kind) keys->spec = arne_parallel_spec_default((arne_leg_kind)kind->value);
    return doc_read_map(&map, &leg_schema, &keys->spec, 0);
}

// ---- the section

static arne_status check_counts(const doc_slot *section, const parallel_keys *keys)
{
    if (keys->base_count == 0) return doc_fail(section, ARNE_VALUE, "needs base_points");
    if (keys->platform_count != keys->base_count)
        return doc_fail(section, ARNE_VALUE,
                        "needs as many platform_points as base_points: %d, not %d",
                        keys->base_count, keys->platform_count);
    if (keys->angle_count && keys->angle_count != keys->base_count)
        return doc_fail(section, ARNE_VALUE, "needs as many angles as base_points: %d, not %d",
                        keys->base_count, keys->angle_count);
    return ARNE_OK;
}

// The legs come first: their kind brings a template that the rest amends.
static const doc_key parallel_key_table[] = {
    {"legs", DOC_TYPE_MAP, 0, .needed = 1, .read = read_legs, .inside = &leg_schema,
     .help = "description of one leg, and the points where legs attach"},
    {"base", DOC_TYPE_TEXT, offsetof(parallel_keys, spec.base), .otherwise = "base",
     .help = "the link that carries the legs; created if it does not exist"},
    {"platform", DOC_TYPE_MAP, 0, .read = read_platform, .inside = &platform_schema,
     .help = "the body that the legs carry"},
    {"base_points", DOC_TYPE_LIST, 0, .read = read_base_points, .unit = "m",
     .takes = "a list of [x, y, z]"},
    {"platform_points", DOC_TYPE_LIST, 0, .read = read_platform_points, .unit = "m",
     .takes = "a list of [x, y, z]"},
    {"modules", DOC_TYPE_WHOLE, offsetof(parallel_keys, modules), .range = DOC_POSITIVE,
     .help = "number of platforms in series, named module1_..., module2_...; default: one, without "
             "a prefix"},
    {"angles", DOC_TYPE_LIST, 0, .read = read_angles, .unit = "rad", .takes = "a list of numbers",
     .help = "of the legs' x axes; default: away from the origin"},
    {0},
};
const doc_schema arne_yaml_parallel_schema = {"parallel", NULL, parallel_key_table, NULL};

// Each on the platform of the one before.
static arne_status add_modules(const doc_slot *section, const parallel_keys *keys)
{
    enum { MOST_MODULES = 1000 };
    reader            *r = section->reader;
    arne_parallel_spec spec = keys->spec;
    char               prefix[24], below[160];
    arne_status        status = ARNE_OK;
    if (keys->modules > MOST_MODULES)
        return doc_fail(section, ARNE_VALUE, "has more than %d modules", MOST_MODULES);
    for (int i = 1; i <= keys->modules && !status; i++) {
        snprintf(prefix, sizeof prefix, "module%d_", i);
        spec.prefix = prefix;
        status = doc_check(section, arne_builder_add_parallel(r->builder, &spec, r->error));
        snprintf(below, sizeof below, "%s%.120s", prefix, spec.platform.name);
        spec.base = below;
    }
    return status;
}

static arne_status read_parallel(const doc_slot *section, parallel_keys *keys)
{
    reader        *r = section->reader;
    const doc_slot map = {r, "parallel", "", section->value};
    arne_status    status = doc_read_map(&map, &arne_yaml_parallel_schema, keys, 0);
    if (!status) status = check_counts(section, keys);
    if (status) {
        r->builder->incomplete = 1;
        return status;
    }
    keys->spec.leg_count = keys->base_count;
    keys->spec.base_points = keys->base_points;
    keys->spec.platform_points = keys->platform_points;
    keys->spec.angles = keys->angle_count ? keys->angles : NULL;
    keys->spec.place = doc_place(r, section->value);
    return keys->modules
               ? add_modules(section, keys)
               : doc_check(section, arne_builder_add_parallel(r->builder, &keys->spec, r->error));
}

arne_status arne_yaml_parallel(const doc_slot *section, void *unused)
{
    (void)unused;
    parallel_keys *keys = calloc(1, sizeof *keys);
    if (!keys) return arne_fail_memory(section->reader->error);
    const arne_status status = read_parallel(section, keys);
    free(keys);
    return status;
}
