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
    int                base_count, platform_count, angle_count;
} parallel_keys;

// ---- lists

static arne_status read_points(const yaml_slot *slot, arne_vec3 *points, int *count)
{
    arne_status status = arne_yaml_expect(slot, YAML_LIST);
    if (status) return status;
    if (slot->value->count < 1 || slot->value->count > MAX_LEGS)
        return arne_yaml_fail(slot, ARNE_VALUE, "needs 1 to %d points, has %d", MAX_LEGS,
                              slot->value->count);
    *count = 0;
    for (const yaml_item *i = slot->value->first; i && !status; i = i->next) {
        const yaml_slot point = {slot->reader, slot->owner, slot->key, i->value};
        status = arne_yaml_vec3(&point, &points[(*count)++]);
    }
    return status;
}

static arne_status read_base_points(const yaml_slot *slot, void *into)
{
    parallel_keys *keys = into;
    return read_points(slot, keys->base_points, &keys->base_count);
}

static arne_status read_platform_points(const yaml_slot *slot, void *into)
{
    parallel_keys *keys = into;
    return read_points(slot, keys->platform_points, &keys->platform_count);
}

static arne_status read_angles(const yaml_slot *slot, void *into)
{
    parallel_keys *keys = into;
    arne_status    status = arne_yaml_expect(slot, YAML_LIST);
    if (status) return status;
    keys->angle_count = slot->value->count;
    if (keys->angle_count > MAX_LEGS)
        return arne_yaml_fail(slot, ARNE_VALUE, "has more than %d angles", MAX_LEGS);
    return arne_yaml_numbers(slot, keys->angle_count, keys->angles);
}

// ---- the platform

static arne_status read_motion(const yaml_slot *slot, void *kind)
{
    static const char *const     words[] = {"free", "planar", "translation", NULL};
    static const arne_joint_kind kinds[] = {ARNE_JOINT_FREE, ARNE_JOINT_PLANAR,
                                            ARNE_JOINT_PRISMATIC};
    int                          chosen = 0;
    const arne_status            status = arne_yaml_choice(slot, words, &chosen);
    if (!status) *(arne_joint_kind *)kind = kinds[chosen];
    return status;
}

static arne_status read_platform(const yaml_slot *slot, void *into)
{
    static const yaml_field fields[] = {
        {"name", arne_yaml_text, offsetof(arne_parallel_spec, platform.name)},
        {"motion", read_motion, offsetof(arne_parallel_spec, motion)},
        {"home", arne_yaml_pose, offsetof(arne_parallel_spec, home)},
        {"mass", arne_yaml_number, offsetof(arne_parallel_spec, platform.mass)},
        {"com", arne_yaml_vec3, offsetof(arne_parallel_spec, platform.com)},
        {"inertia", arne_yaml_inertia, offsetof(arne_parallel_spec, platform)},
        {"inertia_about", arne_yaml_inertia_about,
         offsetof(arne_parallel_spec, platform.about_origin)},
        {"accept", arne_yaml_accept, offsetof(arne_parallel_spec, platform.accept)},
        YAML_FIELDS_END,
    };
    parallel_keys  *keys = into;
    const yaml_slot map = {slot->reader, "platform", "", slot->value};
    arne_status     status = arne_yaml_expect(slot, YAML_MAP);
    if (!status) status = arne_yaml_fields(&map, fields, &keys->spec);
    keys->spec.platform.place = (arne_place){slot->reader->file, slot->value->line};
    return status;
}

// ---- legs

static arne_status read_joint_fields(const yaml_slot *map, arne_leg_joint *joint)
{
    static const yaml_field fields[] = {
        {"name", arne_yaml_ignore, 0},
        {"kind", arne_yaml_kind, offsetof(arne_leg_joint, joint.kind)},
        {"origin", arne_yaml_pose, offsetof(arne_leg_joint, joint.origin)},
        {"axis", arne_yaml_vec3, offsetof(arne_leg_joint, joint.axis)},
        {"pitch", arne_yaml_number, offsetof(arne_leg_joint, joint.pitch)},
        {"start", arne_yaml_number, offsetof(arne_leg_joint, joint.start)},
        {"limits", arne_yaml_limits, offsetof(arne_leg_joint, joint)},
        {"friction", arne_yaml_friction, offsetof(arne_leg_joint, joint)},
        {"rotor_inertia", arne_yaml_number, offsetof(arne_leg_joint, joint.rotor_inertia)},
        {"passive", arne_yaml_passive, offsetof(arne_leg_joint, joint.actuation)},
        {"active", arne_yaml_active, offsetof(arne_leg_joint, joint.actuation)},
        {"link", arne_yaml_text, offsetof(arne_leg_joint, body.name)},
        {"mass", arne_yaml_number, offsetof(arne_leg_joint, body.mass)},
        {"com", arne_yaml_vec3, offsetof(arne_leg_joint, body.com)},
        {"inertia", arne_yaml_inertia, offsetof(arne_leg_joint, body)},
        {"inertia_about", arne_yaml_inertia_about, offsetof(arne_leg_joint, body.about_origin)},
        {"accept", arne_yaml_accept, offsetof(arne_leg_joint, body.accept)},
        YAML_FIELDS_END,
    };
    return arne_yaml_fields(map, fields, joint);
}

// What a template has says itself; a chain has nothing else.
static arne_status check_joint_keys(const yaml_slot *map, int is_template)
{
    static const char *const geometry[] = {"kind", "origin", "axis", "pitch", "start"};
    for (size_t i = 0; is_template && i < sizeof geometry / sizeof *geometry; i++) {
        const yaml_node *given = arne_yaml_find(map->value, geometry[i]);
        if (given)
            return arne_reader_fail(map->reader, ARNE_VALUE, given->line,
                                    "%s: its %s is that of the leg's kind", map->owner,
                                    geometry[i]);
    }
    if (!is_template && !arne_yaml_find(map->value, "kind"))
        return arne_reader_fail(map->reader, ARNE_VALUE, map->value->line, "%s: a kind is missing",
                                map->owner);
    return ARNE_OK;
}

static arne_status read_leg_joint(const yaml_slot *item, const char *name, void *context)
{
    arne_parallel_spec *spec = context;
    const yaml_owner    owner = arne_yaml_owner("joint of a leg", name);
    const yaml_slot     map = {item->reader, owner.text, "", item->value};
    const int           is_template = spec->kind != ARNE_LEG_CHAIN;
    int                 at = 0;
    while (at < spec->joint_count && strcmp(spec->joints[at].joint.name, name) != 0)
        at++;
    if (is_template && at == spec->joint_count)
        return arne_reader_fail(item->reader, ARNE_MODEL, item->value->line,
                                "parallel: a %s leg has no joint '%s'",
                                arne_leg_kind_name(spec->kind), name);
    if (!is_template && at < spec->joint_count)
        return arne_reader_fail(item->reader, ARNE_MODEL, item->value->line,
                                "parallel: two joints of a leg are named '%s'", name);
    if (!is_template && at == ARNE_LEG_JOINTS)
        return arne_reader_fail(item->reader, ARNE_VALUE, item->value->line,
                                "parallel: a leg has at most %d joints", ARNE_LEG_JOINTS);
    if (!is_template) {
        spec->joints[at].joint.name = spec->joints[at].body.name = name;
        spec->joint_count++;
    }
    const arne_status status = check_joint_keys(&map, is_template);
    return status ? status : read_joint_fields(&map, &spec->joints[at]);
}

static arne_status read_leg_joints(const yaml_slot *slot, void *spec)
{
    return arne_yaml_each(slot, "name", read_leg_joint, spec);
}

static arne_status read_elbow(const yaml_slot *slot, void *elbow)
{
    static const char *const words[] = {"larger", "smaller", NULL};
    int                      chosen = 0;
    const arne_status        status = arne_yaml_choice(slot, words, &chosen);
    if (!status) *(int *)elbow = chosen ? -1 : 1;
    return status;
}

// A key that the leg's kind does not know is a mistake, not something to pass over.
static arne_status check_leg_keys(const yaml_slot *map, arne_leg_kind kind)
{
    enum { CRANK = 1 << ARNE_LEG_RUS | 1 << ARNE_LEG_RRR, SLIDE = 1 << ARNE_LEG_PUS };
    static const struct {
        const char *key;
        int         kinds;
    } known[] = {{"crank", CRANK},
                 {"rod", CRANK | SLIDE},
                 {"slide", SLIDE},
                 {"elbow", CRANK | SLIDE},
                 {"tie", 1 << ARNE_LEG_CHAIN},
                 {"end", 1 << ARNE_LEG_CHAIN},
                 {"tie_axis", 1 << ARNE_LEG_CHAIN}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const yaml_node *given = arne_yaml_find(map->value, known[i].key);
        if (given && !(known[i].kinds >> kind & 1))
            return arne_reader_fail(map->reader, ARNE_VALUE, given->line,
                                    "legs: %s is nothing that %s legs have", known[i].key,
                                    arne_leg_kind_name(kind));
    }
    return ARNE_OK;
}

// The kind comes first: it brings the joints that the others amend.
static arne_status read_leg_kind(const yaml_slot *map, arne_parallel_spec *spec)
{
    const yaml_slot slot = {map->reader, "legs", "kind", arne_yaml_find(map->value, "kind")};
    const char     *words[ARNE_LEG_KIND_COUNT] = {NULL};
    int             chosen = 0;
    for (int i = 0; i < ARNE_LEG_KIND_COUNT - 1; i++)
        words[i] = arne_leg_kind_name((arne_leg_kind)(i + 1));
    if (!slot.value)
        return arne_reader_fail(map->reader, ARNE_VALUE, map->value->line,
                                "legs: a kind is missing");
    const arne_status status = arne_yaml_choice(&slot, words, &chosen);
    if (!status) *spec = arne_parallel_spec_default((arne_leg_kind)(chosen + 1));
    return status;
}

static arne_status read_legs(const yaml_slot *slot, arne_parallel_spec *spec)
{
    static const yaml_field fields[] = {
        {"kind", arne_yaml_ignore, 0},
        {"crank", arne_yaml_number, offsetof(arne_parallel_spec, crank)},
        {"rod", arne_yaml_number, offsetof(arne_parallel_spec, rod)},
        {"slide", arne_yaml_vec3, offsetof(arne_parallel_spec, slide)},
        {"elbow", read_elbow, offsetof(arne_parallel_spec, elbow)},
        {"joints", read_leg_joints, 0},
        {"tie", arne_yaml_loop_kind, offsetof(arne_parallel_spec, tie)},
        {"tie_axis", arne_yaml_vec3, offsetof(arne_parallel_spec, tie_axis)},
        {"end", arne_yaml_pose, offsetof(arne_parallel_spec, end)},
        YAML_FIELDS_END,
    };
    const yaml_slot map = {slot->reader, "legs", "", slot->value};
    arne_status     status = arne_yaml_expect(slot, YAML_MAP);
    if (!status) status = read_leg_kind(&map, spec);
    if (!status) status = check_leg_keys(&map, spec->kind);
    return status ? status : arne_yaml_fields(&map, fields, spec);
}

// ---- the section

static arne_status check_counts(const yaml_slot *section, const parallel_keys *keys)
{
    if (keys->base_count == 0) return arne_yaml_fail(section, ARNE_VALUE, "needs base_points");
    if (keys->platform_count != keys->base_count)
        return arne_yaml_fail(section, ARNE_VALUE,
                              "needs as many platform_points as base_points: %d, not %d",
                              keys->base_count, keys->platform_count);
    if (keys->angle_count && keys->angle_count != keys->base_count)
        return arne_yaml_fail(section, ARNE_VALUE,
                              "needs as many angles as base_points: %d, not %d", keys->base_count,
                              keys->angle_count);
    return ARNE_OK;
}

static arne_status read_parallel(const yaml_slot *section, parallel_keys *keys)
{
    static const yaml_field fields[] = {
        {"base", arne_yaml_text, offsetof(parallel_keys, spec.base)},
        {"platform", read_platform, 0},
        {"base_points", read_base_points, 0},
        {"platform_points", read_platform_points, 0},
        {"angles", read_angles, 0},
        {"legs", arne_yaml_ignore, 0},
        YAML_FIELDS_END,
    };
    reader         *r = section->reader;
    const yaml_slot map = {r, "parallel", "", section->value};
    const yaml_slot legs = {r, "parallel", "legs", arne_yaml_find(section->value, "legs")};
    if (!legs.value) return arne_yaml_fail(section, ARNE_VALUE, "needs legs");
    arne_status status = read_legs(&legs, &keys->spec);
    if (!status) status = arne_yaml_fields(&map, fields, keys);
    if (!status) status = check_counts(section, keys);
    if (status) return status;
    keys->spec.leg_count = keys->base_count;
    keys->spec.base_points = keys->base_points;
    keys->spec.platform_points = keys->platform_points;
    keys->spec.angles = keys->angle_count ? keys->angles : NULL;
    keys->spec.place = (arne_place){r->file, section->value->line};
    return arne_reader_check(r, arne_builder_add_parallel(r->builder, &keys->spec, r->error),
                             section->value->line);
}

arne_status arne_yaml_parallel(const yaml_slot *section)
{
    arne_status status = arne_yaml_expect(section, YAML_MAP);
    if (status) return status;
    parallel_keys *keys = calloc(1, sizeof *keys);
    if (!keys) return arne_reader_check(section->reader, ARNE_NO_MEMORY, section->value->line);
    status = read_parallel(section, keys);
    free(keys);
    return status;
}
