// The surroundings section: a list of drags, tethers and pushes.
#include "base/error.h"
#include "simulate/scenario.h"
#include <string.h>

typedef struct surrounding_keys {
    const yaml_node *type, *link, *linear, *quadratic, *table;
    arne_surrounding to; // what needs no other key
    const yaml_node *axes, *only_pulls;
} surrounding_keys;

static arne_status six(const yaml_slot *list, const char *key, const yaml_node *node, double *out)
{
    const yaml_slot slot = {list->reader, list->owner, key, node};
    return node ? arne_yaml_numbers(&slot, 6, out) : ARNE_OK;
}

static arne_status choose(const yaml_slot *list, const char *key, const yaml_node *node,
                          const char *const *words, int *out)
{
    const yaml_slot slot = {list->reader, list->owner, key, node};
    return node ? arne_yaml_choice(&slot, words, out) : ARNE_OK;
}

static arne_status read_one(arne_scenario *s, const yaml_slot *item, arne_surrounding *out)
{
#define KEY(name)                                                                                  \
    {                                                                                              \
#name, scenario_keep, offsetof(surrounding_keys, name)                                     \
    }
#define NUMBER(name)                                                                               \
    {                                                                                              \
#name, arne_yaml_number, offsetof(surrounding_keys, to.name)                               \
    }
    static const yaml_field FIELDS[] = {
        KEY(type),         KEY(link),
        KEY(linear),       KEY(quadratic),
        KEY(table),        KEY(axes),
        KEY(only_pulls),   {"point", arne_yaml_vec3, offsetof(surrounding_keys, to.point)},
        NUMBER(stiffness), {"anchor", arne_yaml_vec3, offsetof(surrounding_keys, to.anchor)},
        NUMBER(damping),   NUMBER(length),
        YAML_FIELDS_END,
    };
#undef KEY
#undef NUMBER
    static const char *const KINDS[] = {"drag", "tether", "push", NULL};
    static const char *const AXES[] = {"link", "world", NULL}, *const NO_YES[] = {"no", "yes",
                                                                                  NULL};
    surrounding_keys k = {0};
    int              kind = 0;
    arne_status      status = arne_yaml_fields(item, FIELDS, &k);
    if (status) return status;
    if (!k.type || !k.link)
        return arne_yaml_fail(item, ARNE_VALUE, "need a type and a link in each entry");
    const yaml_slot link = {item->reader, item->owner, "link", k.link};
    status = choose(item, "type", k.type, KINDS, &kind);
    if (!status) status = scenario_frame(&link, s->robot, &k.to.frame);
    if (!status) status = six(item, "linear", k.linear, k.to.linear);
    if (!status) status = six(item, "quadratic", k.quadratic, k.to.quadratic);
    if (!status) status = choose(item, "axes", k.axes, AXES, &k.to.in_world);
    if (!status) status = choose(item, "only_pulls", k.only_pulls, NO_YES, &k.to.only_pulls);
    k.to.kind = (arne_surrounding_kind)kind;
    if (!status && k.table) {
        const yaml_slot slot = {item->reader, item->owner, "table", k.table};
        status = scenario_table(&slot, s, &k.to.table);
        if (!status && arne_table_find(k.to.table, "time") < 0)
            status =
                arne_yaml_fail(&slot, ARNE_VALUE, "'%.80s' has no column 'time'", k.table->text);
    } else if (!status && k.to.kind == ARNE_SURROUNDING_PUSH) {
        status = arne_yaml_fail(item, ARNE_VALUE, "a push needs a table");
    }
    *out = k.to;
    return status;
}

arne_status scenario_read_surroundings(arne_scenario *s, const yaml_slot *section)
{
    arne_status status = arne_yaml_expect(section, YAML_LIST);
    if (status) return status;
    s->surroundings =
        arne_yaml_take(&s->tree, ((size_t)section->value->count + 1) * sizeof *s->surroundings);
    if (!s->surroundings) return arne_fail_memory(s->reader.error);
    int count = 0;
    for (const yaml_item *i = section->value->first; i && !status; i = i->next) {
        const yaml_slot item = {section->reader, "", "surroundings", i->value};
        status = read_one(s, &item, &s->surroundings[count++]);
    }
    s->sim.surroundings = s->surroundings;
    s->sim.surrounding_count = count;
    return status;
}
