// Mappings and lists by their tables.
#include "io/schema.h"
#include "base/plain.h"
#include "robot/builder.h"
#include <arne/configuration.h>
#include <arne/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- messages

arne_place doc_place(const reader *r, const doc_node *node)
{
    return (arne_place){r->file, node->line};
}

doc_slot doc_under(const doc_slot *map, const char *key)
{
    return (doc_slot){map->reader, map->owner, key, doc_find(map->value, key)};
}

arne_status doc_fail(const doc_slot *slot, arne_status code, const char *format, ...)
{
    char    text[sizeof slot->reader->error->text];
    va_list arguments;
    va_start(arguments, format);
    plain_print_list(text, sizeof text, format, arguments);
    va_end(arguments);
    return arne_reader_fail_at(slot->reader, code, slot->value->line, slot->value->column,
                               "%s%s%s%s%s", slot->owner, *slot->owner ? ": " : "", slot->key,
                               *slot->key ? " " : "", text);
}

arne_status doc_missing(const doc_slot *map, const char *key)
{
    const char *owner = *map->owner ? map->owner : map->key;
    return arne_reader_fail_at(map->reader, ARNE_VALUE, map->value->line, map->value->column,
                               "%s%s%s is missing", owner, *owner ? ": " : "", key);
}

// A file as a whole cannot be used: the place is that of the value that names it.
static arne_status fail_file(const doc_slot *slot, arne_status status)
{
    const arne_error said = *slot->reader->error;
    arne_error_clear(slot->reader->error);
    return doc_fail(slot, status, "'%.200s': %s", said.file, said.text);
}

arne_status doc_check_file(const doc_slot *slot, arne_status status)
{
    findings      *found = slot->reader->found;
    const finding *last = found->count ? &found->item[found->count - 1] : NULL;
    if (status != ARNE_FILE || !last || last->code != ARNE_FILE || last->line) return status;
    const finding own = *last;
    found->count--;
    found->errors--;
    const arne_status here = doc_fail(slot, status, "'%.200s': %s", own.file, own.text);
    free(own.file);
    return here;
}

arne_status doc_check(const doc_slot *slot, arne_status status)
{
    arne_error *error = slot->reader->error;
    const int   names = *slot->key && slot->value->kind == DOC_TEXT; // a file, perhaps
    if (status == ARNE_FILE && names && error->file[0] && !error->line)
        return fail_file(slot, status);
    if (!status || error->file[0] || error->line)
        return arne_reader_check(slot->reader, status, slot->value->line);
    if (status == ARNE_NO_MEMORY) return status;
    if (slot->reader->builder)
        slot->reader->builder->incomplete = 1; // what was not added is missed
    const arne_error said = *error;
    arne_error_clear(error);
    return arne_reader_fail_at(slot->reader, status, slot->value->line, slot->value->column,
                               "%s%s%s", slot->owner, *slot->owner ? ": " : "",
                               said.code == status ? said.text : arne_status_text(status));
}

// ---- rows

// The keys of a mapping: those of its schema, and those that the chosen word brings.
typedef struct key_set {
    const doc_key *tables[2];
} key_set;

static const doc_key *schema_find_key(const key_set *set, const char *name)
{
    for (int t = 0; t < 2; t++)
        for (const doc_key *k = set->tables[t]; k && k->key; k++)
            if (strcmp(k->key, name) == 0) return k;
    return NULL;
}

static const char *key_name(const void *set, int index)
{
    const key_set *both = set;
    for (int t = 0; t < 2; t++)
        for (const doc_key *k = both->tables[t]; k && k->key; k++)
            if (index-- == 0) return k->key;
    return "";
}

static int count_keys(const key_set *set)
{
    int count = 0;
    for (int t = 0; t < 2; t++)
        for (const doc_key *k = set->tables[t]; k && k->key; k++)
            count++;
    return count;
}

static arne_status unknown_key(const doc_slot *map, const doc_item *item, const key_set *set)
{
    char near[200];
    arne_near_matches(item->key, key_name, set, count_keys(set), near, sizeof near);
    return arne_reader_unknown(map->reader, item->line, item->column, "%s%sunknown key '%.80s'%s%s",
                               map->owner, *map->owner ? ": " : "", item->key,
                               map->reader->builder ? " is ignored" : "", near);
}

static arne_status read_numbers_of_joints(const doc_slot *slot, const doc_key *k,
                                          const double **into)
{
    const arne_robot *robot = slot->reader->robot;
    const doc_along   along = k->type == DOC_TYPE_BY_JOINT_Q ? DOC_ALONG_Q : DOC_ALONG_V;
    if (!robot) return doc_values(slot, NULL, along, NULL, NULL);
    const arne_sizes sizes = arne_robot_sizes(robot);
    const int        count = along == DOC_ALONG_Q ? sizes.q_count : sizes.v_count;
    double *values = document_take(slot->reader->document, ((size_t)count + 1) * sizeof *values);
    if (!values) return arne_fail_memory(slot->reader->error);
    for (int i = 0; i < count; i++) // along velocities: what it is without a value, or no limit
        values[i] = k->otherwise ? 0 : INFINITY;
    if (along == DOC_ALONG_Q) {
        arne_neutral(robot, values);
        if (slot->reader->rest) memcpy(values, slot->reader->rest, (size_t)count * sizeof *values);
    }
    *into = values;
    return doc_values(slot, robot, along, values, NULL);
}

static arne_status read_word(const doc_slot *slot, const doc_key *k, int *out)
{
    const doc_word *chosen = NULL;
    doc_word        named[64] = {{0}};
    for (int i = 0; k->word && i < 63 && k->word(i); i++)
        named[i] = (doc_word){k->word(i), i, NULL, NULL, NULL};
    const arne_status status = doc_choice(slot, k->word ? named : k->words, &chosen);
    if (!status) *out = chosen->value;
    return status;
}

static arne_status read_words(const doc_slot *slot, const doc_key *k, unsigned *out)
{
    const doc_item  single = {.value = (doc_node *)(size_t)slot->value};
    const doc_item *first = slot->value->kind == DOC_LIST ? slot->value->first : &single;
    arne_status     status = ARNE_OK;
    for (const doc_item *i = first; i && status_goes_on(status); i = i->next) {
        const doc_slot    entry = {slot->reader, slot->owner, slot->key, i->value};
        int               value = 0;
        const arne_status one = read_word(&entry, k, &value);
        if (!one) *out |= (unsigned)value;
        status = status_both(status, one);
    }
    return status;
}

static arne_status read_number(const doc_slot *slot, doc_range range, double *out)
{
    double      value = 0;
    arne_status status = doc_number(slot, &value);
    if (!status) status = doc_in_range(slot, range, value);
    if (!status) *out = value;
    return status;
}

static arne_status read_whole(const doc_slot *slot, doc_range range, int *out)
{
    int         value = 0;
    arne_status status = doc_whole(slot, &value);
    if (!status) status = doc_in_range(slot, range, value);
    if (!status) *out = value;
    return status;
}

static arne_status schema_read_key(const doc_slot *slot, const doc_key *k, void *into)
{
    if (k->each) return doc_each(slot, k->inside, k->each, into);
    if (k->read) {
        const doc_kind expected = k->type == DOC_TYPE_LIST ? DOC_LIST : DOC_MAP;
        if (k->type == DOC_TYPE_LIST || k->type == DOC_TYPE_NAMES || k->type == DOC_TYPE_MAP) {
            const arne_status status = doc_expect(slot, expected);
            if (status) return status;
        }
        return k->read(slot, into);
    }
    const doc_slot nested = {slot->reader, *slot->owner ? slot->owner : slot->key, "", slot->value};
    switch (k->type) {
    case DOC_TYPE_TEXT:
        return doc_text(slot, into);
    case DOC_TYPE_NUMBER:
        return read_number(slot, k->range, into);
    case DOC_TYPE_WHOLE:
        return read_whole(slot, k->range, into);
    case DOC_TYPE_FLAG:
        return doc_flag(slot, into);
    case DOC_TYPE_WORD:
        return read_word(slot, k, into);
    case DOC_TYPE_WORDS:
        return read_words(slot, k, into);
    case DOC_TYPE_VEC3:
        return doc_vec3(slot, into);
    case DOC_TYPE_NUMBERS:
        return doc_numbers(slot, k->count, into);
    case DOC_TYPE_POSE:
        return doc_pose(slot, into);
    case DOC_TYPE_MAP:
        if (slot->value->kind != DOC_MAP) return doc_expect(slot, DOC_MAP);
        return doc_read_map(&nested, k->inside, into, 0);
    case DOC_TYPE_BY_JOINT_Q:
    case DOC_TYPE_BY_JOINT_V:
        return read_numbers_of_joints(slot, k, into);
    case DOC_TYPE_NODE:
        *(const doc_node **)into = slot->value;
        return ARNE_OK;
    default:
        return ARNE_OK;
    }
}

// ---- mappings

// The row of the word that brings keys; NULL where the schema has none, or the file has no such
// word.
static arne_status schema_choose(const doc_slot *map, const doc_schema *schema,
                                 const doc_word **out)
{
    *out = NULL;
    if (!schema->chosen) return ARNE_OK;
    const key_set  set = {{schema->keys, NULL}};
    const doc_slot slot = doc_under(map, schema->chosen);
    if (!slot.value) return doc_missing(map, schema->chosen);
    return doc_choice(&slot, schema_find_key(&set, schema->chosen)->words, out);
}

const doc_word *doc_chosen(const doc_slot *map, const doc_schema *schema)
{
    const key_set   set = {{schema->keys, NULL}};
    const doc_node *value = doc_find(map->value, schema->chosen);
    for (const doc_word *w = schema_find_key(&set, schema->chosen)->words; value && w->name; w++)
        if (value->kind == DOC_TEXT && strcmp(w->name, value->text) == 0) return w;
    return NULL;
}

// A key that belongs to another word would have no effect: an error.
static int is_elsewhere(const doc_schema *schema, const char *key)
{
    const key_set common = {{schema->keys, NULL}};
    if (!schema->chosen) return 0;
    for (const doc_word *w = schema_find_key(&common, schema->chosen)->words; w->name; w++) {
        const key_set own = {{w->keys, NULL}};
        if (schema_find_key(&own, key)) return 1;
    }
    return 0;
}

static arne_status misplaced_key(const doc_slot *map, const doc_schema *schema,
                                 const doc_item *item, const key_set *set)
{
    char      known[200] = "";
    size_t    used = 0;
    const int count = count_keys(set);
    for (int i = 0; i < count && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                                 key_name(set, i));
    return arne_reader_fail_at(map->reader, ARNE_VALUE, item->line, item->column,
                               "%s: '%.60s' is nothing for %s '%s', which takes: %s", map->owner,
                               item->key, schema->chosen, doc_chosen(map, schema)->name, known);
}

static arne_status schema_check_keys(const doc_slot *map, const doc_schema *schema,
                                     const key_set *set, int flags)
{
    arne_status status = ARNE_OK;
    for (const doc_item *i = map->value->first; i && status_goes_on(status); i = i->next)
        if (!schema_find_key(set, i->key))
            status = status_both(status, is_elsewhere(schema, i->key)
                                             ? misplaced_key(map, schema, i, set)
                                             : unknown_key(map, i, set));
    for (int t = 0; t < 2 && !(flags & DOC_AMENDS); t++)
        for (const doc_key *k = set->tables[t]; k && k->key && status_goes_on(status); k++)
            if (k->needed && !doc_find(map->value, k->key))
                status = status_both(status, doc_missing(map, k->key));
    return status;
}

arne_status doc_read_stage(const doc_slot *map, const doc_schema *schema, void *into, int stage,
                           int flags)
{
    const doc_word *chosen = NULL;
    arne_status     status = doc_expect(map, DOC_MAP);
    if (status) return status;
    if (stage == 0)
        status = schema_choose(map, schema, &chosen);
    else if (schema->chosen)
        chosen = doc_chosen(map, schema);
    const key_set set = {{schema->keys, chosen ? chosen->keys : NULL}};
    // Without the word the set of keys is unknown.
    if (stage == 0 && !(schema->chosen && !chosen))
        status = status_both(status, schema_check_keys(map, schema, &set, flags));
    for (int t = 0; t < 2; t++)
        for (const doc_key *k = set.tables[t]; k && k->key && status_goes_on(status); k++) {
            const doc_slot slot = doc_under(map, k->key);
            if (!slot.value || k->stage != stage) continue;
            void       *to = into ? (char *)into + k->offset : NULL; // sections have no struct
            const char *outer = map->reader->units;
            map->reader->units = k->unit;
            status = status_both(status, schema_read_key(&slot, k, to));
            map->reader->units = outer;
        }
    return status;
}

arne_status doc_read_map(const doc_slot *map, const doc_schema *schema, void *into, int flags)
{
    return doc_read_stage(map, schema, into, 0, flags);
}

// ---- lists

static arne_status read_entry(const doc_slot *entry, const doc_schema *schema, doc_read_item read,
                              void *context)
{
    const char *name = "";
    char        owner[160];
    arne_status status = doc_expect(entry, DOC_MAP);
    if (status) return status;
    snprintf(owner, sizeof owner, "%s", entry->key);
    if (schema->named) {
        const doc_slot list = {entry->reader, entry->key, "", entry->value};
        const doc_slot named = doc_under(&list, schema->named);
        if (!named.value) return doc_missing(&list, schema->named);
        status = doc_text(&named, &name);
        if (status) return status;
        snprintf(owner, sizeof owner, "%s '%.120s'", schema->what, name);
    }
    const doc_slot item = {entry->reader, owner, "", entry->value};
    return read(&item, name, context);
}

arne_status doc_each(const doc_slot *list, const doc_schema *schema, doc_read_item read,
                     void *context)
{
    arne_status status = doc_expect(list, DOC_LIST);
    int         number = 0;
    for (const doc_item *i = status ? NULL : list->value->first; i && status_goes_on(status);
         i = i->next) {
        char where[64];
        snprintf(where, sizeof where, "%.40s[%d]", list->key, number++);
        const doc_slot entry = {list->reader, "", where, i->value};
        status = status_both(status, read_entry(&entry, schema, read, context));
    }
    return status;
}

arne_status doc_each_name(const doc_slot *map, const char *what, doc_read_item read, void *context)
{
    arne_status status = doc_expect(map, DOC_MAP);
    for (const doc_item *i = status ? NULL : map->value->first; i && status_goes_on(status);
         i = i->next) {
        char owner[160];
        snprintf(owner, sizeof owner, "%s '%.120s'", what, i->key);
        const doc_slot item = {map->reader, owner, map->key, i->value};
        status = status_both(status, read(&item, i->key, context));
    }
    return status;
}

arne_status doc_defaults(const doc_key *keys, void *into)
{
    arne_error  unused;
    findings    found = {0};
    reader      r = {.file = "", .found = &found, .error = &unused};
    arne_status status = ARNE_OK;
    for (const doc_key *k = keys; k->key && !status; k++) {
        const doc_node value = {.kind = DOC_TEXT, .text = k->otherwise};
        const doc_slot slot = {&r, "", k->key, &value};
        if (k->otherwise && k->type <= DOC_TYPE_WORDS && !k->read)
            status = schema_read_key(&slot, k, (char *)into + k->offset);
    }
    findings_free(&found);
    return status;
}
