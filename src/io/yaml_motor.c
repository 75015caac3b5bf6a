// Motors and springs of a robot file.
#include "io/yaml_robot.h"

// Which of the rotor's figures those of the link already contain: one or a list.
static arne_status read_contains(const yaml_slot *slot, void *motor_spec)
{
    static const char *const words[] = {"mass", "inertia", NULL};
    arne_motor_spec         *spec = motor_spec;
    const yaml_item          single = {.value = slot->value};
    arne_status              status = ARNE_OK;
    for (const yaml_item *i = slot->value->kind == YAML_LIST ? slot->value->first : &single;
         i && !status; i = i->next) {
        const yaml_slot entry = {slot->reader, slot->owner, slot->key, i->value};
        int             chosen = 0;
        status = arne_yaml_choice(&entry, words, &chosen);
        if (!status) *(chosen == 0 ? &spec->mass_included : &spec->inertia_included) = 1;
    }
    return status;
}

static arne_status read_rotor_kind(const yaml_slot *slot, void *reflected)
{
    static const char *const words[] = {"full", "reflected", NULL};
    return arne_yaml_choice(slot, words, reflected);
}

static arne_status read_motor_friction(const yaml_slot *slot, void *motor_spec)
{
    arne_motor_spec  *spec = motor_spec;
    arne_joint_spec   joint = arne_joint_spec_default();
    const arne_status status = arne_yaml_friction(slot, &joint);
    spec->viscous = joint.viscous;
    spec->coulomb_positive = joint.coulomb_positive;
    spec->coulomb_negative = joint.coulomb_negative;
    return status;
}

static arne_status read_motor_limits(const yaml_slot *slot, void *motor_spec)
{
    static const yaml_field fields[] = {
        {"effort", arne_yaml_number, offsetof(arne_motor_spec, effort)},
        {"effort_rate", arne_yaml_number, offsetof(arne_motor_spec, effort_rate)},
        YAML_FIELDS_END,
    };
    return arne_yaml_fields(slot, fields, motor_spec);
}

static arne_status check_elastic(const yaml_slot *map)
{
    const yaml_node *damping = arne_yaml_find(map->value, "damping");
    if (!damping || arne_yaml_find(map->value, "stiffness")) return ARNE_OK;
    return arne_reader_fail(map->reader, ARNE_VALUE, damping->line,
                            "%s: damping needs a stiffness; friction is what a rigid drive has",
                            map->owner);
}

static arne_status read_motor(const yaml_slot *item, const char *joint, void *context)
{
    static const yaml_field fields[] = {
        {"joint", arne_yaml_ignore, 0},
        {"name", arne_yaml_text, offsetof(arne_motor_spec, name)},
        {"link", arne_yaml_text, offsetof(arne_motor_spec, link)},
        {"link_contains", read_contains, 0},
        {"axis", arne_yaml_vec3, offsetof(arne_motor_spec, axis)},
        {"position", arne_yaml_vec3, offsetof(arne_motor_spec, position)},
        {"gear", arne_yaml_number, offsetof(arne_motor_spec, gear)},
        {"rotor", read_rotor_kind, offsetof(arne_motor_spec, reflected)},
        {"inertia", arne_yaml_number, offsetof(arne_motor_spec, inertia)},
        {"transverse", arne_yaml_number, offsetof(arne_motor_spec, transverse)},
        {"mass", arne_yaml_number, offsetof(arne_motor_spec, mass)},
        {"stiffness", arne_yaml_number, offsetof(arne_motor_spec, stiffness)},
        {"damping", arne_yaml_number, offsetof(arne_motor_spec, damping)},
        {"friction", read_motor_friction, 0},
        {"limits", read_motor_limits, 0},
        YAML_FIELDS_END,
    };
    (void)context;
    reader          *r = item->reader;
    const yaml_owner owner = arne_yaml_owner("motor of joint", joint);
    const yaml_slot  map = {r, owner.text, "", item->value};
    arne_motor_spec  spec = arne_motor_spec_default();
    arne_status      status = arne_yaml_fields(&map, fields, &spec);
    if (!status) status = check_elastic(&map);
    if (status) return status;
    spec.joint = joint;
    spec.place = (arne_place){r->file, item->value->line};
    return arne_reader_check(r, arne_builder_add_motor(r->builder, &spec, r->error),
                             item->value->line);
}

arne_status arne_yaml_motors(const yaml_slot *section)
{
    return arne_yaml_each(section, "joint", read_motor, NULL);
}

static arne_status read_spring(const yaml_slot *item, const char *joint, void *context)
{
    static const yaml_field fields[] = {
        {"joint", arne_yaml_ignore, 0},
        {"stiffness", arne_yaml_number, offsetof(arne_spring_spec, stiffness)},
        {"damping", arne_yaml_number, offsetof(arne_spring_spec, damping)},
        {"rest", arne_yaml_number, offsetof(arne_spring_spec, rest)},
        YAML_FIELDS_END,
    };
    (void)context;
    reader          *r = item->reader;
    const yaml_owner owner = arne_yaml_owner("spring on joint", joint);
    const yaml_slot  map = {r, owner.text, "", item->value};
    arne_spring_spec spec = arne_spring_spec_default();
    arne_status      status = arne_yaml_fields(&map, fields, &spec);
    if (!status && !arne_yaml_find(item->value, "stiffness"))
        return arne_reader_fail(r, ARNE_VALUE, item->value->line, "%s: a stiffness is missing",
                                owner.text);
    if (status) return status;
    spec.joint = joint;
    spec.place = (arne_place){r->file, item->value->line};
    return arne_reader_check(r, arne_builder_add_spring(r->builder, &spec, r->error),
                             item->value->line);
}

arne_status arne_yaml_springs(const yaml_slot *section)
{
    return arne_yaml_each(section, "joint", read_spring, NULL);
}
