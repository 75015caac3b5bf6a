// Motors and springs of a robot file.
#include "io/yaml_robot.h"

// Which of the rotor's figures those of the link already contain.
enum { CONTAINS_MASS = 1, CONTAINS_INERTIA = 2 };

static const doc_word contained[] = {{"mass", CONTAINS_MASS, NULL, NULL, NULL},
                                     {"inertia", CONTAINS_INERTIA, NULL, NULL, NULL},
                                     {0}};
static const doc_word rotor_kinds[] = {
    {"full", 0, NULL, NULL, "a body that couples with all links that carry it"},
    {"reflected", 1, NULL, NULL, "gear^2 inertia on the joint alone"},
    {0},
};

typedef struct motor_keys {
    arne_motor_spec spec;
    arne_joint_spec joint; // its friction is read as that of joints
    unsigned        contains;
} motor_keys;

#define AT(field) offsetof(motor_keys, spec.field)

static const doc_key limit_keys[] = {
    {"effort", DOC_TYPE_NUMBER, AT(effort), .unit = "N m, N", .range = DOC_NOT_NEGATIVE},
    {"effort_rate", DOC_TYPE_NUMBER, AT(effort_rate), .unit = "N m/s, N/s",
     .range = DOC_NOT_NEGATIVE},
    {0},
};
static const doc_schema limit_schema = {"limits", NULL, limit_keys, NULL};

static const doc_key motor_key_table[] = {
    {"joint", DOC_TYPE_TEXT, AT(joint), .needed = 1, .help = "what it drives"},
    {"name", DOC_TYPE_TEXT, AT(name), .help = "default: that of the joint"},
    {"link", DOC_TYPE_TEXT, AT(link), .help = "what carries it; default: the joint's parent"},
    {"link_contains", DOC_TYPE_WORDS, offsetof(motor_keys, contains), .words = contained,
     .help = "what the link's own data already include of the rotor"},
    {"axis", DOC_TYPE_VEC3, AT(axis), .help = "of the rotor, in the link's frame; default z"},
    {"position", DOC_TYPE_VEC3, AT(position), .unit = "m", .help = "of the rotor's centre"},
    {"gear", DOC_TYPE_NUMBER, AT(gear), .otherwise = "1", .range = DOC_NOT_ZERO,
     .help = "turns of the rotor per turn of the joint"},
    {"rotor", DOC_TYPE_WORD, AT(reflected), .words = rotor_kinds, .otherwise = "full",
     .help = "full rotor, or only its reflected inertia"},
    {"inertia", DOC_TYPE_NUMBER, AT(inertia), .unit = "kg m^2", .range = DOC_NOT_NEGATIVE,
     .otherwise = "0", .help = "of the rotor about its axis"},
    {"transverse", DOC_TYPE_NUMBER, AT(transverse), .unit = "kg m^2", .range = DOC_NOT_NEGATIVE,
     .otherwise = "0", .help = "across its axis"},
    {"mass", DOC_TYPE_NUMBER, AT(mass), .unit = "kg", .range = DOC_NOT_NEGATIVE, .otherwise = "0"},
    {"stiffness", DOC_TYPE_NUMBER, AT(stiffness), .unit = "N m/rad, N/m", .range = DOC_POSITIVE,
     .help = "between motor and joint; without it the drive is rigid"},
    {"damping", DOC_TYPE_NUMBER, AT(damping), .unit = "N m s/rad, N s/m", .range = DOC_NOT_NEGATIVE,
     .otherwise = "0"},
    {"friction", DOC_TYPE_MAP, offsetof(motor_keys, joint), .inside = &arne_yaml_friction,
     .help = "of the motor, on its side of the spring and the joint's side of the gear"},
    {"limits", DOC_TYPE_MAP, 0, .inside = &limit_schema,
     .help = "of the motor, on the joint's side of the gear"},
    {0},
};
#undef AT
const doc_schema arne_yaml_motor_schema = {"motor of joint", "joint", motor_key_table, NULL};

static arne_status check_elastic(const doc_slot *map)
{
    const doc_slot damping = doc_under(map, "damping");
    if (!damping.value || doc_find(map->value, "stiffness")) return ARNE_OK;
    return doc_fail(&damping, ARNE_VALUE, "needs a stiffness; friction is what a rigid drive has");
}

arne_status arne_yaml_motor(const doc_slot *item, const char *joint, void *context)
{
    (void)context;
    reader     *r = item->reader;
    motor_keys  keys = {.spec = arne_motor_spec_default(), .joint = arne_joint_spec_default()};
    arne_status status = doc_read_map(item, &arne_yaml_motor_schema, &keys, 0);
    status = status_both(status, check_elastic(item));
    if (!*joint || !status_goes_on(status)) return status;
    arne_motor_spec *spec = &keys.spec;
    spec->joint = joint;
    spec->mass_included = (keys.contains & CONTAINS_MASS) != 0;
    spec->inertia_included = (keys.contains & CONTAINS_INERTIA) != 0;
    spec->viscous = keys.joint.viscous;
    spec->coulomb_positive = keys.joint.coulomb_positive;
    spec->coulomb_negative = keys.joint.coulomb_negative;
    spec->place = doc_place(r, item->value);
    // Also after a mistake, with the default in its place: names are checked all the same.
    return status_both(status, doc_check(item, arne_builder_add_motor(r->builder, spec, r->error)));
}

#define AT(field) offsetof(arne_spring_spec, field)
static const doc_key spring_keys[] = {
    {"joint", DOC_TYPE_TEXT, AT(joint), .needed = 1, .help = "the joint that the spring is on"},
    {"stiffness", DOC_TYPE_NUMBER, AT(stiffness), .needed = 1, .unit = "N m/rad, N/m",
     .range = DOC_NOT_NEGATIVE},
    {"damping", DOC_TYPE_NUMBER, AT(damping), .unit = "N m s/rad, N s/m", .range = DOC_NOT_NEGATIVE,
     .otherwise = "0"},
    {"stiffness_more", DOC_TYPE_NUMBERS, AT(stiffness_more), .count = 2, .otherwise = "[0, 0]",
     .help = "factors of x^2 and x^3 of what the spring holds; x: how far it is from rest"},
    {"damping_more", DOC_TYPE_NUMBERS, AT(damping_more), .count = 2, .otherwise = "[0, 0]",
     .help = "factors of v |v| and v^3 of what the damper holds; v: the joint's speed"},
    {"rest", DOC_TYPE_NUMBER, AT(rest), .unit = "rad, m", .otherwise = "0",
     .help = "position at which the spring is relaxed"},
    {0},
};
#undef AT
const doc_schema arne_yaml_spring_schema = {"spring on joint", "joint", spring_keys, NULL};

arne_status arne_yaml_spring(const doc_slot *item, const char *joint, void *context)
{
    (void)context;
    reader           *r = item->reader;
    arne_spring_spec  spec = arne_spring_spec_default();
    const arne_status status = doc_read_map(item, &arne_yaml_spring_schema, &spec, 0);
    if (status) return status;
    spec.joint = joint;
    spec.place = doc_place(r, item->value);
    return doc_check(item, arne_builder_add_spring(r->builder, &spec, r->error));
}
