// Joints, and the sections that add to them.
#include "io/yaml_robot.h"
#include "robot/builder.h"
#include <math.h>
#include <string.h>

const char *arne_yaml_joint_kind(int kind)
{
    return kind < ARNE_JOINT_KIND_COUNT ? arne_joint_kind_name((arne_joint_kind)kind) : NULL;
}

#define AT(field) offsetof(arne_joint_spec, field)

static const doc_key limit_keys[] = {
    {"lower", DOC_TYPE_NUMBER, AT(lower), .unit = "rad, m", .help = "least position"},
    {"upper", DOC_TYPE_NUMBER, AT(upper), .unit = "rad, m", .help = "largest position"},
    {"velocity", DOC_TYPE_NUMBER, AT(velocity), .unit = "rad/s, m/s", .range = DOC_NOT_NEGATIVE,
     .help = "largest speed"},
    {"effort", DOC_TYPE_NUMBER, AT(effort), .unit = "N m, N", .range = DOC_NOT_NEGATIVE,
     .help = "largest torque or force"},
    {"soft", DOC_TYPE_FLAG, AT(soft), .otherwise = "false",
     .help = "lower and upper are the usual range: marker kinematics may leave it"},
    {0},
};
const doc_schema arne_yaml_limits = {"limits", NULL, limit_keys, NULL};

static const doc_key mimic_keys[] = {
    {"joint", DOC_TYPE_TEXT, AT(mimic), .needed = 1, .help = "the joint that is followed"},
    {"ratio", DOC_TYPE_NUMBER, AT(mimic_ratio), .otherwise = "1",
     .help = "ratio of its motion to that of the other joint"},
    {"offset", DOC_TYPE_NUMBER, AT(mimic_offset), .otherwise = "0",
     .help = "added to ratio times the position of the other joint"},
    {0},
};
const doc_schema arne_yaml_mimic_schema = {"mimic", NULL, mimic_keys, NULL};

arne_status arne_yaml_mimic(const doc_slot *slot, void *joint_spec)
{
    arne_joint_spec *spec = joint_spec;
    const int        amends = spec->mimic != NULL;
    const doc_slot   joint = doc_under(slot, "joint");
    if (slot->value->kind == DOC_MAP && !joint.value && !amends)
        return doc_fail(slot, ARNE_VALUE, "needs a joint");
    if (!amends) {
        spec->mimic_ratio = 1;
        spec->mimic_offset = 0;
    }
    return doc_read_map(slot, &arne_yaml_mimic_schema, spec, amends ? DOC_AMENDS : 0);
}

// One number for both directions, or [positive, negative].
static arne_status read_coulomb(const doc_slot *slot, void *joint_spec)
{
    arne_joint_spec *spec = joint_spec;
    double           coulomb[2] = {0, 0};
    arne_status      status = ARNE_OK;
    if (slot->value->kind == DOC_LIST) {
        status = doc_numbers(slot, 2, coulomb);
    } else {
        status = doc_number(slot, &coulomb[0]);
        coulomb[1] = coulomb[0];
    }
    if (!status) status = doc_in_range(slot, DOC_NOT_NEGATIVE, fmin(coulomb[0], coulomb[1]));
    if (!status) {
        spec->coulomb_positive = coulomb[0];
        spec->coulomb_negative = coulomb[1];
    }
    return status;
}

static const doc_key friction_keys[] = {
    {"viscous", DOC_TYPE_NUMBER, AT(viscous), .unit = "N m s/rad, N s/m", .range = DOC_NOT_NEGATIVE,
     .otherwise = "0"},
    {"coulomb", DOC_TYPE_OTHER, 0, .read = read_coulomb, .unit = "N m, N",
     .takes = "a number, or [in positive direction, in negative direction]", .otherwise = "0"},
    {0},
};
const doc_schema arne_yaml_friction = {"friction", NULL, friction_keys, NULL};

// ---- active and passive joints

arne_status arne_yaml_passive(const doc_slot *slot, void *actuation)
{
    int               passive = 0;
    const arne_status status = doc_flag(slot, &passive);
    if (!status)
        *(arne_actuation *)actuation = passive ? ARNE_ACTUATION_PASSIVE : ARNE_ACTUATION_ACTIVE;
    return status;
}

arne_status arne_yaml_active(const doc_slot *slot, void *actuation)
{
    int               active = 0;
    const arne_status status = doc_flag(slot, &active);
    if (!status)
        *(arne_actuation *)actuation = active ? ARNE_ACTUATION_ACTIVE : ARNE_ACTUATION_PASSIVE;
    return status;
}

// ---- joints

int arne_yaml_amends_joint(const reader *r, const char *name, arne_joint_spec *spec)
{
    return r->amends && arne_builder_get_joint(r->builder, name, spec) == ARNE_OK &&
           !(spec->place.file && strcmp(spec->place.file, r->file) == 0);
}

// One number, or those of a joint of several coordinates.
static arne_status read_start(const doc_slot *slot, void *joint_spec)
{
    arne_joint_spec *spec = joint_spec;
    if (slot->value->kind != DOC_LIST) return doc_number(slot, &spec->start);
    if (slot->value->count > 7) return doc_fail(slot, ARNE_VALUE, "has more than 7 numbers");
    return doc_numbers(slot, slot->value->count, spec->starts);
}

// As many numbers as the joint has coordinates; a list of one is that number.
static arne_status check_start(const doc_slot *item, arne_joint_spec *spec)
{
    const doc_slot slot = doc_under(item, "start");
    const int      count = arne_joint_kind_q_count(spec->kind);
    if (!slot.value || slot.value->kind != DOC_LIST) return ARNE_OK;
    if (slot.value->count != count)
        return doc_fail(&slot, ARNE_VALUE, "has %d numbers; a %s joint has %d", slot.value->count,
                        arne_joint_kind_name(spec->kind), count);
    if (count == 1) spec->start = spec->starts[0];
    return ARNE_OK;
}

// A joint is one of both.
static arne_status check_drive(const doc_slot *item)
{
    const doc_slot passive = doc_under(item, "passive"), active = doc_under(item, "active");
    int            is_passive = 0, is_active = 0;
    if (!passive.value || !active.value) return ARNE_OK;
    const arne_status status =
        status_both(doc_flag(&passive, &is_passive), doc_flag(&active, &is_active));
    if (status || is_passive != is_active) return status;
    return doc_fail(&active, ARNE_VALUE, "and passive are both %s; a joint is one of them",
                    is_active ? "true" : "false");
}

static const doc_key joint_keys[] = {
    {"name", DOC_TYPE_TEXT, AT(name), .needed = 1, .help = "of the joint"},
    {"kind", DOC_TYPE_WORD, AT(kind), .needed = 1, .word = arne_yaml_joint_kind,
     .help = "how the child moves relative to the parent"},
    {"parent", DOC_TYPE_TEXT, AT(parent), .needed = 1, .help = "the link that carries the joint"},
    {"child", DOC_TYPE_TEXT, AT(child), .needed = 1, .help = "the link that it moves"},
    {"origin", DOC_TYPE_POSE, AT(origin), .help = "the joint's frame in the parent's"},
    {"tip", DOC_TYPE_POSE, AT(tip), .help = "the child's frame in the joint's moving frame"},
    {"axis", DOC_TYPE_VEC3, AT(axis), .takes = "[x, y, z]",
     .help = "in the joint's frame; default z"},
    {"pitch", DOC_TYPE_NUMBER, AT(pitch), .unit = "m/rad", .help = "of a helical joint"},
    {"mimic", DOC_TYPE_MAP, 0, .read = arne_yaml_mimic, .inside = &arne_yaml_mimic_schema,
     .help = "follows another joint"},
    {"follows", DOC_TYPE_SKIP, 0, .inside = &arne_yaml_follow_schema,
     .takes = "a function of another joint, or a list of functions that are added",
     .help = "follows other joints by functions"},
    {"strains", DOC_TYPE_SKIP, 0, .inside = &arne_yaml_strain_schema,
     .takes = "a list of strains: words, which have a coordinate each, or what they take up",
     .help = "of an exponential joint"},
    {"length", DOC_TYPE_NUMBER, AT(length), .range = DOC_POSITIVE, .otherwise = "1", .unit = "m",
     .help = "of an exponential joint: times its strains"},
    {"rest", DOC_TYPE_OTHER, 0, .read = arne_yaml_rest,
     .takes = "six numbers, or six for each of its two points",
     .help = "strains of an exponential joint where all coordinates are 0"},
    {"turn", DOC_TYPE_NUMBER, AT(turn), .range = DOC_POSITIVE, .otherwise = "1", .unit = "rad",
     .help = "largest turn that an exponential joint is for, at most 3"},
    DRIVE_KEYS(AT),
    {"start", DOC_TYPE_OTHER, 0, .read = read_start, .takes = "a number, or a list of coordinates",
     .unit = "rad, m", .help = "where the search for an assembly starts"},
    {0},
};
const doc_schema arne_yaml_joint_schema = {"joint", "name", joint_keys, NULL};

arne_status arne_yaml_joint(const doc_slot *item, const char *name, void *context)
{
    (void)context;
    reader         *r = item->reader;
    arne_joint_spec spec;
    const int       amends = arne_yaml_amends_joint(r, name, &spec);
    if (!amends) spec = arne_joint_spec_default();
    arne_status status =
        doc_read_map(item, &arne_yaml_joint_schema, &spec, amends ? DOC_AMENDS : 0);
    const doc_slot pitch = doc_under(item, "pitch");
    if (!status && pitch.value && !arne_joint_kind_facts(spec.kind)->has_pitch)
        status = arne_reader_fail_at(r, ARNE_VALUE, pitch.value->line, pitch.value->column,
                                     "%s: only a helical joint has a pitch", item->owner);
    if (!status) status = status_both(check_start(item, &spec), check_drive(item));
    spec.name = name;
    spec.place = doc_place(r, item->value);
    if (!spec.parent || !spec.child) {
        r->builder->incomplete = 1;
        return status;
    }
    const doc_slot follows = doc_under(item, "follows");
    if (follows.value) status = status_both(status, arne_yaml_follows(&follows, name));
    const doc_slot strains = doc_under(item, "strains");
    if (strains.value) status = status_both(status, arne_yaml_strains(&strains, &spec));
    return status_both(
        status, doc_check(item, amends ? arne_builder_set_joint(r->builder, &spec, r->error)
                                       : arne_builder_add_joint(r->builder, &spec, r->error)));
}

// ---- sections that are mappings from the names of joints

typedef struct amendment {
    const char *section;
    doc_read    read;
} amendment;

static arne_status amend_joint(const doc_slot *item, const char *name, void *context)
{
    const amendment *a = context;
    reader          *r = item->reader;
    arne_joint_spec  spec;
    if (arne_builder_get_joint(r->builder, name, &spec) != ARNE_OK)
        return arne_reader_fail_at(r, ARNE_MODEL, item->value->line, item->value->column,
                                   "%s: there is no joint '%.120s'", a->section, name);
    const arne_status status = a->read(item, &spec);
    return status ? status : doc_check(item, arne_builder_set_joint(r->builder, &spec, r->error));
}

static arne_status read_friction(const doc_slot *slot, void *joint_spec)
{
    return doc_read_map(slot, &arne_yaml_friction, joint_spec, 0);
}

arne_status arne_yaml_friction_section(const doc_slot *section, void *unused)
{
    amendment friction = {"friction", read_friction};
    (void)unused;
    return doc_each_name(section, "joint", amend_joint, &friction);
}

typedef struct rotor {
    double inertia, gear;
} rotor;

static const doc_key rotor_keys[] = {
    {"inertia", DOC_TYPE_NUMBER, offsetof(rotor, inertia), .range = DOC_NOT_NEGATIVE,
     .unit = "kg m^2", .help = "of the rotor about its axis"},
    {"gear", DOC_TYPE_NUMBER, offsetof(rotor, gear), .otherwise = "1", .range = DOC_NOT_ZERO,
     .help = "turns of the rotor per turn of the joint"},
    {0},
};
const doc_schema arne_yaml_rotor_schema = {"rotor", NULL, rotor_keys, NULL};

// As the joint feels it, or as the motor has it in front of a gear.
static arne_status read_rotor(const doc_slot *slot, void *joint_spec)
{
    arne_joint_spec *spec = joint_spec;
    rotor            motor = {.gear = 1};
    if (slot->value->kind == DOC_TEXT) {
        arne_status status = doc_number(slot, &motor.inertia);
        if (!status) status = doc_in_range(slot, DOC_NOT_NEGATIVE, motor.inertia);
        if (!status) spec->rotor_inertia = motor.inertia;
        return status;
    }
    const arne_status status = doc_read_map(slot, &arne_yaml_rotor_schema, &motor, 0);
    if (!status && !doc_find(slot->value, "inertia"))
        return doc_fail(slot, ARNE_VALUE, "needs an inertia");
    if (!status) spec->rotor_inertia = motor.inertia * motor.gear * motor.gear;
    return status;
}

arne_status arne_yaml_rotors(const doc_slot *section, void *unused)
{
    amendment rotors = {"rotors", read_rotor};
    (void)unused;
    return doc_each_name(section, "joint", amend_joint, &rotors);
}
