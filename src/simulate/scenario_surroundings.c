// The surroundings section: a list of drags, tethers and pushes.
#include "simulate/scenario.h"

typedef struct surrounding_keys {
    arne_surrounding to;
    const doc_node  *link, *table;
} surrounding_keys;

#define AT(field) offsetof(surrounding_keys, field)
static const doc_key drag_keys[] = {
    {"linear", DOC_TYPE_NUMBERS, AT(to.linear), .count = 6, .unit = "N s/m, N m s/rad"},
    {"quadratic", DOC_TYPE_NUMBERS, AT(to.quadratic), .count = 6,
     .unit = "N s^2/m^2, N m s^2/rad^2"},
    {0},
};
static const doc_key tether_keys[] = {
    {"point", DOC_TYPE_VEC3, AT(to.point), .unit = "m", .help = "in the link's frame"},
    {"anchor", DOC_TYPE_VEC3, AT(to.anchor), .unit = "m", .help = "in the world"},
    {"stiffness", DOC_TYPE_NUMBER, AT(to.stiffness), .unit = "N/m", .otherwise = "0"},
    {"damping", DOC_TYPE_NUMBER, AT(to.damping), .unit = "N s/m", .otherwise = "0"},
    {"length", DOC_TYPE_NUMBER, AT(to.length), .unit = "m", .otherwise = "0"},
    {"only_pulls", DOC_TYPE_FLAG, AT(to.only_pulls), .otherwise = "no", .help = "a rope"},
    {0},
};
static const doc_word axes[] = {{"link", 0, NULL, NULL, NULL}, {"world", 1, NULL, NULL, NULL}, {0}};
static const doc_key  push_keys[] = {
     {"table", DOC_TYPE_NODE, AT(table), .needed = 1, .takes = "a CSV file",
      .help = "columns time, fx, fy, fz, mx, my, mz"},
     {"axes", DOC_TYPE_WORD, AT(to.in_world), .words = axes, .otherwise = "link",
      .help = "of the table: those of the link or of the world"},
     {0},
};

static const doc_word types[] = {
    {"drag", ARNE_SURROUNDING_DRAG, drag_keys, NULL, "of a still medium"},
    {"tether", ARNE_SURROUNDING_TETHER, tether_keys, NULL, "a spring to a point of the world"},
    {"push", ARNE_SURROUNDING_PUSH, push_keys, NULL, "a wrench over time"},
    {0},
};

static const doc_key surrounding_key_table[] = {
    {"type", DOC_TYPE_WORD, AT(to.kind), .needed = 1, .words = types, .help = "what acts"},
    {"link", DOC_TYPE_NODE, AT(link), .needed = 1, .takes = "a link or frame",
     .help = "or frame that it acts on"},
    {0},
};
#undef AT
const doc_schema scenario_surrounding_schema = {"surroundings", NULL, surrounding_key_table,
                                                "type"};

static arne_status read_push(const doc_slot *item, const doc_node *node, arne_surrounding *to)
{
    const doc_slot    slot = {item->reader, item->owner, "table", node};
    const arne_status status = scenario_table(&slot, &to->table);
    if (status || arne_table_find(to->table, "time") >= 0) return status;
    return doc_fail(&slot, ARNE_VALUE, "'%.80s' has no column 'time'", node->text);
}

static arne_status read_one(const doc_slot *item, const char *name, void *context)
{
    arne_scenario   *s = context;
    surrounding_keys k = {0};
    (void)name;
    arne_status    status = doc_read_map(item, &scenario_surrounding_schema, &k, 0);
    const doc_slot link = {item->reader, item->owner, "link", k.link};
    if (k.link) status = status_both(status, doc_frame(&link, s->robot, &k.to.frame));
    if (k.table) status = status_both(status, read_push(item, k.table, &k.to));
    if (!status) s->surroundings[s->sim.surrounding_count++] = k.to;
    return status;
}

arne_status scenario_read_surroundings(const doc_slot *section, void *unused)
{
    arne_scenario *s = scenario_of(section);
    (void)unused;
    s->surroundings =
        document_take(&s->doc, ((size_t)section->value->count + 1) * sizeof *s->surroundings);
    if (!s->surroundings) return arne_fail_memory(s->reader.error);
    s->sim.surroundings = s->surroundings;
    return doc_each(section, &scenario_surrounding_schema, read_one, s);
}
