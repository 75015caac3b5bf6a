// Couplings of a robot file: joints that follow several others, and motors that turn several
// joints.
#include "io/yaml_robot.h"
#include "robot/builder.h"

typedef struct coupling_keys {
    const char     *joint, *motor;
    const doc_node *with;
    double          offset;
} coupling_keys;

#define AT(field) offsetof(coupling_keys, field)
static const doc_key coupling_table[] = {
    {"joint", DOC_TYPE_TEXT, AT(joint), .help = "a joint that follows those of `with`"},
    {"motor", DOC_TYPE_TEXT, AT(motor),
     .help = "or a rigid motor that also turns with the joints of `with`"},
    {"with", DOC_TYPE_NODE, AT(with), .needed = 1, .takes = "a mapping from joints to ratios",
     .help = "joints and their ratios"},
    {"offset", DOC_TYPE_NUMBER, AT(offset), .unit = "rad, m", .otherwise = "0",
     .help = "of a joint: q = sum of ratio q(joint) + offset"},
    {0},
};
#undef AT
const doc_schema arne_yaml_coupling_schema = {"coupling", NULL, coupling_table, NULL};

typedef struct coupling {
    const coupling_keys *keys;
    int                  first;
} coupling;

static int follows_none(const reader *r, const coupling_keys *keys)
{
    arne_joint_spec spec;
    return keys->joint &&
           !(arne_builder_get_joint(r->builder, keys->joint, &spec) == ARNE_OK && spec.mimic);
}

// The first joint that a joint follows is the one it mimics, unless the joint already has `mimic`.
static arne_status yaml_coupling_follow(const doc_slot *item, const coupling_keys *keys,
                                        const char *with, double ratio)
{
    reader         *r = item->reader;
    arne_joint_spec spec;
    arne_joint_spec other;
    if (arne_builder_get_joint(r->builder, keys->joint, &spec) != ARNE_OK)
        return doc_fail(item, ARNE_NOT_FOUND, "is of joint '%s', which does not exist",
                        keys->joint);
    if (!r->builder->incomplete && arne_builder_get_joint(r->builder, with, &other) != ARNE_OK)
        return arne_reader_fail_at(r, ARNE_NOT_FOUND, item->value->line, item->value->column,
                                   "coupling of joint '%.80s': there is no joint '%.80s'",
                                   keys->joint, with);
    spec.mimic = with;
    spec.mimic_ratio = ratio;
    spec.mimic_offset = keys->offset;
    return doc_check(item, arne_builder_set_joint(r->builder, &spec, r->error));
}

static arne_status read_term(const doc_slot *item, const char *with, void *context)
{
    coupling         *c = context;
    double            ratio = 0;
    const arne_status status = doc_number(item, &ratio);
    const int         first = c->first;
    c->first = 0;
    if (status) return status;
    if (first && follows_none(item->reader, c->keys))
        return yaml_coupling_follow(item, c->keys, with, ratio);
    const arne_coupling_spec spec = {.joint = c->keys->joint,
                                     .motor = c->keys->motor,
                                     .with = with,
                                     .ratio = ratio,
                                     .place = doc_place(item->reader, item->value)};
    return doc_check(item,
                     arne_builder_add_coupling(item->reader->builder, &spec, item->reader->error));
}

arne_status arne_yaml_coupling(const doc_slot *item, const char *name, void *context)
{
    coupling_keys keys = {0};
    (void)name;
    (void)context;
    const arne_status status = doc_read_map(item, &arne_yaml_coupling_schema, &keys, 0);
    if (status) return status;
    if (!keys.joint == !keys.motor)
        return doc_fail(item, ARNE_VALUE, "must name a joint or a motor, one of them");
    const doc_slot offset = doc_under(item, "offset");
    if (offset.value && (keys.motor || !follows_none(item->reader, &keys)))
        return doc_fail(&offset, ARNE_VALUE, "is of a joint that says nothing of it in `mimic`");
    const doc_slot with = doc_under(item, "with");
    if (with.value->kind == DOC_MAP && !with.value->count)
        return doc_fail(&with, ARNE_VALUE, "needs one joint at least");
    coupling c = {&keys, 1};
    return doc_each_name(&with, "joint", read_term, &c);
}
