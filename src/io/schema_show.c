// Schemas as JSON, which is YAML too: documentation and editors can be made from it.
#include "io/schema.h"
#include <string.h>

static const char *schema_show_type_name(const doc_key *k)
{
    static const char *const names[] = {[DOC_TYPE_TEXT] = "text",
                                        [DOC_TYPE_NUMBER] = "number",
                                        [DOC_TYPE_WHOLE] = "whole number",
                                        [DOC_TYPE_FLAG] = "true or false",
                                        [DOC_TYPE_WORD] = "word",
                                        [DOC_TYPE_WORDS] = "words",
                                        [DOC_TYPE_VEC3] = "[x, y, z]",
                                        [DOC_TYPE_NUMBERS] = "list of numbers",
                                        [DOC_TYPE_POSE] = "pose",
                                        [DOC_TYPE_MAP] = "mapping",
                                        [DOC_TYPE_LIST] = "list",
                                        [DOC_TYPE_NAMES] = "mapping by name",
                                        [DOC_TYPE_BY_JOINT_Q] = "number, list, or mapping by joint",
                                        [DOC_TYPE_BY_JOINT_V] = "number, list, or mapping by joint",
                                        [DOC_TYPE_NODE] = "any",
                                        [DOC_TYPE_OTHER] = "any",
                                        [DOC_TYPE_SKIP] = "any"};
    return k->takes ? k->takes : names[k->type];
}

static void schema_show_put_quoted(buffer *out, const char *text)
{
    const doc_node node = {.kind = DOC_TEXT, .text = text};
    document_put(out, &node);
}

static void put_field(buffer *out, const char *name, const char *text)
{
    if (!text) return;
    put(out, ", \"%s\": ", name);
    schema_show_put_quoted(out, text);
}

static void put_words(buffer *out, const doc_key *k)
{
    int count = 0;
    if (!k->words && !k->word) return;
    put(out, ", \"words\": [");
    for (const doc_word *w = k->words; w && w->name; w++) {
        put(out, count++ ? ", " : "");
        schema_show_put_quoted(out, w->name);
    }
    for (int i = 0; k->word && k->word(i); i++) {
        put(out, count++ ? ", " : "");
        schema_show_put_quoted(out, k->word(i));
    }
    put(out, "]");
}

static void schema_show_put_facts(buffer *out, const doc_key *k)
{
    static const char *const ranges[] = {[DOC_ANY] = NULL,
                                         [DOC_POSITIVE] = "positive",
                                         [DOC_NOT_NEGATIVE] = "not negative",
                                         [DOC_NOT_ZERO] = "not zero",
                                         [DOC_PART] = "0 to 1"};
    put(out, "\"type\": ");
    schema_show_put_quoted(out, schema_show_type_name(k));
    if (k->count) put(out, ", \"count\": %d", k->count);
    put_field(out, "unit", k->unit);
    put_field(out, "range", ranges[k->range]);
    if (k->needed) put(out, ", \"needed\": true");
    put_field(out, "default", k->otherwise);
    put_words(out, k);
    put_field(out, "help", k->help);
}

static void schema_show_put_keys(buffer *out, const doc_key *keys, int indent);

static void put_inside(buffer *out, const doc_schema *schema, int indent)
{
    put(out, ",\n%*s\"keys\": {\n", indent, "");
    schema_show_put_keys(out, schema->keys, indent + 2);
    put(out, "%*s}", indent, "");
    if (!schema->chosen) return;
    put(out, ",\n%*s\"chosen_by\": \"%s\",\n%*s\"choices\": {\n", indent, "", schema->chosen,
        indent, "");
    const doc_key *k = schema->keys;
    while (strcmp(k->key, schema->chosen) != 0)
        k++;
    for (const doc_word *w = k->words; w->name; w++) {
        put(out, "%*s\"%s\": {\n", indent + 2, "", w->name);
        if (w->keys) schema_show_put_keys(out, w->keys, indent + 4);
        put(out, "%*s}%s\n", indent + 2, "", w[1].name ? "," : "");
    }
    put(out, "%*s}", indent, "");
}

static void schema_show_put_keys(buffer *out, const doc_key *keys, int indent)
{
    for (const doc_key *k = keys; k->key; k++) {
        put(out, "%*s\"%s\": {", indent, "", k->key);
        schema_show_put_facts(out, k);
        if (k->inside) put_inside(out, k->inside, indent + 2);
        put(out, "}%s\n", k[1].key ? "," : "");
    }
}

void doc_schema_put(buffer *out, const doc_schema *schema)
{
    put(out, "{ \"document\": \"%s\"", schema->what);
    put_inside(out, schema, 2);
    put(out, " }\n");
}
