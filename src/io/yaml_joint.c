// Joints, and the sections that add to them.
#include "io/yaml_robot.h"
#include <math.h>
#include <string.h>

arne_status arne_yaml_kind(const yaml_slot *slot, void *kind)
{
    const char *words[ARNE_JOINT_KIND_COUNT + 1] = {NULL};
    int         chosen = 0;
    for (int i = 0; i < ARNE_JOINT_KIND_COUNT; i++)
        words[i] = arne_joint_kind_name((arne_joint_kind)i);
    const arne_status status = arne_yaml_choice(slot, words, &chosen);
    if (!status) *(arne_joint_kind *)kind = (arne_joint_kind)chosen;
    return status;
}

arne_status arne_yaml_limits(const yaml_slot *slot, void *joint_spec)
{
    static const yaml_field fields[] = {
        {"lower", arne_yaml_number, offsetof(arne_joint_spec, lower)},
        {"upper", arne_yaml_number, offsetof(arne_joint_spec, upper)},
        {"velocity", arne_yaml_number, offsetof(arne_joint_spec, velocity)},
        {"effort", arne_yaml_number, offsetof(arne_joint_spec, effort)},
        YAML_FIELDS_END,
    };
    return arne_yaml_fields(slot, fields, joint_spec);
}

arne_status arne_yaml_mimic(const yaml_slot *slot, void *joint_spec)
{
    static const yaml_field fields[] = {
        {"joint", arne_yaml_text, offsetof(arne_joint_spec, mimic)},
        {"ratio", arne_yaml_number, offsetof(arne_joint_spec, mimic_ratio)},
        {"offset", arne_yaml_number, offsetof(arne_joint_spec, mimic_offset)},
        YAML_FIELDS_END,
    };
    arne_joint_spec *spec = joint_spec;
    if (!spec->mimic) {
        spec->mimic_ratio = 1;
        spec->mimic_offset = 0;
    }
    const arne_status status = arne_yaml_fields(slot, fields, spec);
    if (!status && !spec->mimic) return arne_yaml_fail(slot, ARNE_VALUE, "needs a joint");
    return status;
}

// Friction and rotors may come in a section of their own, far from the joint: what is wrong with
// them is said here, at their own line.
static arne_status refuse_negative(const yaml_slot *slot, arne_status status, double number)
{
    return !status && number < 0
               ? arne_yaml_fail(slot, ARNE_MODEL, "must not be negative (%g)", number)
               : status;
}

static arne_status read_not_negative(const yaml_slot *slot, void *number)
{
    const arne_status status = arne_yaml_number(slot, number);
    return refuse_negative(slot, status, *(double *)number);
}

// One number for both directions, or [positive, negative].
static arne_status read_coulomb(const yaml_slot *slot, void *joint_spec)
{
    arne_joint_spec *spec = joint_spec;
    double           coulomb[2] = {0, 0};
    arne_status      status = ARNE_OK;
    if (slot->value->kind == YAML_LIST) {
        status = arne_yaml_numbers(slot, 2, coulomb);
    } else {
        status = arne_yaml_number(slot, &coulomb[0]);
        coulomb[1] = coulomb[0];
    }
    status = refuse_negative(slot, status, fmin(coulomb[0], coulomb[1]));
    if (!status) {
        spec->coulomb_positive = coulomb[0];
        spec->coulomb_negative = coulomb[1];
    }
    return status;
}

arne_status arne_yaml_friction(const yaml_slot *slot, void *joint_spec)
{
    static const yaml_field fields[] = {
        {"viscous", read_not_negative, offsetof(arne_joint_spec, viscous)},
        {"coulomb", read_coulomb, 0},
        YAML_FIELDS_END,
    };
    return arne_yaml_fields(slot, fields, joint_spec);
}

int arne_yaml_amends_joint(const reader *r, const char *name, arne_joint_spec *spec)
{
    return r->amends && arne_builder_get_joint(r->builder, name, spec) == ARNE_OK &&
           !(spec->place.file && strcmp(spec->place.file, r->file) == 0);
}

// One number, or those of a joint of several coordinates.
static arne_status read_start(const yaml_slot *slot, void *joint_spec)
{
    arne_joint_spec *spec = joint_spec;
    if (slot->value->kind != YAML_LIST) return arne_yaml_number(slot, &spec->start);
    if (slot->value->count > 7) return arne_yaml_fail(slot, ARNE_VALUE, "has more than 7 numbers");
    return arne_yaml_numbers(slot, slot->value->count, spec->starts);
}

static arne_status read_joint_fields(const yaml_slot *map, arne_joint_spec *spec)
{
    static const yaml_field fields[] = {
        {"name", arne_yaml_ignore, 0},
        {"kind", arne_yaml_kind, offsetof(arne_joint_spec, kind)},
        {"parent", arne_yaml_text, offsetof(arne_joint_spec, parent)},
        {"child", arne_yaml_text, offsetof(arne_joint_spec, child)},
        {"origin", arne_yaml_pose, offsetof(arne_joint_spec, origin)},
        {"axis", arne_yaml_vec3, offsetof(arne_joint_spec, axis)},
        {"pitch", arne_yaml_number, offsetof(arne_joint_spec, pitch)},
        {"limits", arne_yaml_limits, 0},
        {"mimic", arne_yaml_mimic, 0},
        {"friction", arne_yaml_friction, 0},
        {"rotor_inertia", arne_yaml_number, offsetof(arne_joint_spec, rotor_inertia)},
        {"passive", arne_yaml_passive, offsetof(arne_joint_spec, actuation)},
        {"active", arne_yaml_active, offsetof(arne_joint_spec, actuation)},
        {"start", read_start, 0},
        YAML_FIELDS_END,
    };
    const arne_status status = arne_yaml_fields(map, fields, spec);
    const yaml_node  *pitch = arne_yaml_find(map->value, "pitch");
    if (!status && pitch && spec->kind != ARNE_JOINT_HELICAL)
        return arne_reader_fail(map->reader, ARNE_VALUE, pitch->line,
                                "%s: only a helical joint has a pitch", map->owner);
    return status;
}

static arne_status check_new_joint(const yaml_slot *map)
{
    static const char *const needed[] = {"kind", "parent", "child"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!arne_yaml_find(map->value, needed[i]))
            return arne_reader_fail(map->reader, ARNE_VALUE, map->value->line,
                                    "%s: a %s is missing", map->owner, needed[i]);
    return ARNE_OK;
}

static arne_status read_joint(const yaml_slot *item, const char *name, void *context)
{
    (void)context;
    reader          *r = item->reader;
    const yaml_owner owner = arne_yaml_owner("joint", name);
    const yaml_slot  map = {r, owner.text, "", item->value};
    arne_joint_spec  spec;
    const int        amends = arne_yaml_amends_joint(r, name, &spec);
    if (!amends) spec = arne_joint_spec_default();
    arne_status status = amends ? ARNE_OK : check_new_joint(&map);
    if (!status) status = read_joint_fields(&map, &spec);
    if (status) return status;
    spec.name = name;
    spec.place = (arne_place){r->file, item->value->line};
    status = amends ? arne_builder_set_joint(r->builder, &spec, r->error)
                    : arne_builder_add_joint(r->builder, &spec, r->error);
    return arne_reader_check(r, status, item->value->line);
}

arne_status arne_yaml_joints(const yaml_slot *section)
{
    return arne_yaml_each(section, "name", read_joint, NULL);
}

// ---- sections that are mappings from the names of joints

static arne_status amend_joints(const yaml_slot *section, yaml_read read)
{
    reader     *r = section->reader;
    arne_status status = arne_yaml_expect(section, YAML_MAP);
    for (const yaml_item *i = status ? NULL : section->value->first; i && !status; i = i->next) {
        const yaml_owner owner = arne_yaml_owner("joint", i->key);
        const yaml_slot  slot = {r, owner.text, section->key, i->value};
        arne_joint_spec  spec;
        if (arne_builder_get_joint(r->builder, i->key, &spec) != ARNE_OK)
            return arne_reader_fail(r, ARNE_MODEL, i->line, "%s: there is no joint '%s'",
                                    section->key, i->key);
        status = read(&slot, &spec);
        if (!status)
            status =
                arne_reader_check(r, arne_builder_set_joint(r->builder, &spec, r->error), i->line);
    }
    return status;
}

arne_status arne_yaml_friction_section(const yaml_slot *section)
{
    return amend_joints(section, arne_yaml_friction);
}

typedef struct rotor {
    double inertia, gear;
} rotor;

// As the joint feels it, or as the motor has it in front of a gear.
static arne_status read_rotor(const yaml_slot *slot, void *joint_spec)
{
    static const yaml_field fields[] = {
        {"inertia", read_not_negative, offsetof(rotor, inertia)},
        {"gear", arne_yaml_number, offsetof(rotor, gear)},
        YAML_FIELDS_END,
    };
    arne_joint_spec *spec = joint_spec;
    if (slot->value->kind == YAML_TEXT) return read_not_negative(slot, &spec->rotor_inertia);
    rotor             motor = {.gear = 1};
    const arne_status status = arne_yaml_fields(slot, fields, &motor);
    if (!status && !arne_yaml_find(slot->value, "inertia"))
        return arne_yaml_fail(slot, ARNE_VALUE, "needs an inertia");
    if (!status) spec->rotor_inertia = motor.inertia * motor.gear * motor.gear;
    return status;
}

arne_status arne_yaml_rotors(const yaml_slot *section) { return amend_joints(section, read_rotor); }
