// Strains of exponential joints.
#include "io/yaml_robot.h"
#include "robot/builder.h"
#include <stdio.h>
#include <string.h>

static const char *yaml_strain_word(int strain)
{
    return strain < ARNE_STRAIN_COUNT ? arne_strain_name((arne_strain)strain) : NULL;
}

static const doc_key strain_keys[] = {
    {"joint", DOC_TYPE_TEXT, offsetof(arne_strain_spec, with), .needed = 1,
     .help = "the joint of the kind strain whose coordinate it is"},
    {"strain", DOC_TYPE_WORD, offsetof(arne_strain_spec, strain), .needed = 1,
     .word = yaml_strain_word, .help = "what the coordinate adds to"},
    {"weights", DOC_TYPE_NUMBERS, offsetof(arne_strain_spec, weight), .count = 2,
     .otherwise = "[1, 1]", .help = "times the coordinate, at the two points of the joint"},
    {0},
};
const doc_schema arne_yaml_strain_schema = {"strain", NULL, strain_keys, NULL};

// Six numbers, or six for each of the two points.
arne_status arne_yaml_rest(const doc_slot *slot, void *joint_spec)
{
    arne_joint_spec *spec = joint_spec;
    doc_slot         one = *slot;
    const doc_item  *first = slot->value->kind == DOC_LIST ? slot->value->first : NULL;
    if (slot->value->count == 2 && first && first->value->kind == DOC_LIST) {
        one.value = first->value;
        arne_status status = doc_numbers(&one, ARNE_STRAIN_COUNT, spec->rest[0]);
        one.value = first->next->value;
        return status_both(status, doc_numbers(&one, ARNE_STRAIN_COUNT, spec->rest[1]));
    }
    const arne_status status = doc_numbers(slot, ARNE_STRAIN_COUNT, spec->rest[0]);
    memcpy(spec->rest[1], spec->rest[0], sizeof spec->rest[0]);
    return status;
}

// A word alone: a coordinate of its own, JOINT_twist and so on, on a link of that name.
static arne_status yaml_strain_own(const doc_slot *slot, const arne_joint_spec *of, int strain)
{
    reader          *r = slot->reader;
    arne_body_spec   link = arne_body_spec_default();
    arne_joint_spec  joint = arne_joint_spec_default();
    arne_strain_spec spec = {.joint = of->name, .strain = (arne_strain)strain, .weight = {1, 1}};
    char             name[300];
    snprintf(name, sizeof name, "%.250s_%s", of->name, arne_strain_name((arne_strain)strain));
    link.name = joint.name = joint.child = spec.with = name;
    joint.parent = of->parent;
    joint.kind = ARNE_JOINT_STRAIN;
    link.place = joint.place = spec.place = doc_place(r, slot->value);
    arne_status status = doc_check(slot, arne_builder_add_body(r->builder, &link, r->error));
    if (!status) status = doc_check(slot, arne_builder_add_joint(r->builder, &joint, r->error));
    return status ? status : doc_check(slot, arne_builder_add_strain(r->builder, &spec, r->error));
}

static arne_status yaml_strain_add(const doc_slot *slot, const arne_joint_spec *of)
{
    reader          *r = slot->reader;
    arne_strain_spec spec = {.weight = {1, 1}};
    if (slot->value->kind == DOC_TEXT) {
        for (int k = 0; k < ARNE_STRAIN_COUNT; k++)
            if (!strcmp(slot->value->text, arne_strain_name((arne_strain)k)))
                return yaml_strain_own(slot, of, k);
        return doc_fail(slot, ARNE_VALUE,
                        "has '%.60s'; strains are twist, bend_y, bend_z, stretch, shear_y, shear_z",
                        slot->value->text);
    }
    const arne_status status = doc_read_map(slot, &arne_yaml_strain_schema, &spec, 0);
    if (status) return status;
    spec.joint = of->name;
    spec.place = doc_place(r, slot->value);
    return doc_check(slot, arne_builder_add_strain(r->builder, &spec, r->error));
}

arne_status arne_yaml_strains(const doc_slot *slot, const arne_joint_spec *of)
{
    arne_status status = doc_expect(slot, DOC_LIST);
    if (status) return status;
    for (const doc_item *i = slot->value->first; i && status_goes_on(status); i = i->next) {
        doc_slot one = *slot;
        one.value = i->value;
        status = status_both(status, yaml_strain_add(&one, of));
    }
    return status;
}
