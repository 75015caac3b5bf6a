// libyaml's events become a tree.
#include "base/error.h"
#include "base/name_index.h"
#include "io/document.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#ifdef ARNE_HAVE_YAML
#include <yaml.h>

enum {
    MAX_ANCHORS = 1000,
    TEXT_UNIT = 256 // a text counts as one more value for so many bytes
};

// A collection that is being filled.
typedef struct level {
    doc_node   *node;
    const char *key; // waits for its value; NULL in a list and before a key
    int         key_line, key_column;
} level;

typedef struct tree_parser {
    const reader *reader;
    document     *tree;
    const char   *text;
    size_t        size;
    yaml_parser_t yaml;
    int           documents, total; // total: nodes so far, with aliases expanded
    int           depth;
    arne_status   first; // of the mistakes that leave a tree
    level         levels[ARNE_READ_MAX_DEPTH];
    name_index    anchor_index; // of the nodes that have a name; of equal names the latest counts
    doc_node     *anchors[MAX_ANCHORS];
} tree_parser;

// ---- nodes

static const char *document_parse_take_text(document *tree, const void *text, size_t size)
{
    char *copy = document_take(tree, size + 1);
    if (copy) memcpy(copy, text, size);
    return copy;
}

static int line_of(const yaml_mark_t *mark)
{
    return mark->line < INT_MAX ? (int)mark->line + 1 : INT_MAX;
}

static int document_parse_column_of(const yaml_mark_t *mark)
{
    return mark->column < INT_MAX ? (int)mark->column + 1 : INT_MAX;
}

static arne_status count_nodes(tree_parser *p, int more, int line)
{
    if (more > ARNE_READ_MAX_NODES - p->total)
        return arne_reader_fail(p->reader, ARNE_TOO_LARGE, line,
                                "there are more than %d values (aliases count with all they stand "
                                "for, long texts as several)",
                                ARNE_READ_MAX_NODES);
    p->total += more;
    return ARNE_OK;
}

static arne_status take_key(tree_parser *p, level *top, const doc_node *node, int line, int column)
{
    if (node->kind != DOC_TEXT)
        return arne_reader_fail(p->reader, ARNE_SYNTAX, line,
                                "a key must be a name, not a list or mapping");
    if (strcmp(node->text, "<<") == 0)
        return arne_reader_fail(p->reader, ARNE_UNSUPPORTED, line,
                                "merge keys (<<) are not supported");
    top->key = node->text;
    top->key_line = line;
    top->key_column = column;
    return ARNE_OK;
}

// Puts a node where the document has it: as the root, an item of a list, a key or a value.
static arne_status place_node(tree_parser *p, doc_node *node, int line, int column)
{
    node->uses++;
    if (p->depth == 0) {
        p->tree->root = node;
        return ARNE_OK;
    }
    level *top = &p->levels[p->depth - 1];
    if (top->node->kind == DOC_MAP && !top->key) return take_key(p, top, node, line, column);
    doc_item *item = document_take(p->tree, sizeof *item);
    if (!item) return arne_fail_memory(p->reader->error);
    *item = (doc_item){.key = top->key,
                       .line = top->key ? top->key_line : line,
                       .column = top->key ? top->key_column : column,
                       .value = node};
    if (top->node->last)
        top->node->last->next = item;
    else
        top->node->first = item;
    top->node->last = item;
    top->node->count++;
    top->node->weight += node->weight; // a collection adds the rest when it ends
    top->key = NULL;
    return ARNE_OK;
}

static arne_status name_anchor(tree_parser *p, const yaml_char_t *anchor, doc_node *node)
{
    if (!anchor) return ARNE_OK;
    const int count = p->anchor_index.count,
              known = name_index_find(&p->anchor_index, (const char *)anchor);
    if (known >= 0) {
        p->anchors[known] = node;
        return ARNE_OK;
    }
    if (count == MAX_ANCHORS)
        return arne_reader_fail(p->reader, ARNE_TOO_LARGE, node->line,
                                "there are more than %d anchors", MAX_ANCHORS);
    const char *name = document_parse_take_text(p->tree, anchor, strlen((const char *)anchor));
    if (!name || !name_index_add(&p->anchor_index, name, count))
        return arne_fail_memory(p->reader->error);
    p->anchors[count] = node;
    return ARNE_OK;
}

static arne_status document_parse_new_node(tree_parser *p, doc_kind kind, const yaml_event_t *event,
                                           const yaml_char_t *anchor, int weight, doc_node **out)
{
    const int         line = line_of(&event->start_mark);
    const arne_status status = count_nodes(p, weight, line);
    if (status) return status;
    *out = document_take(p->tree, sizeof **out);
    if (!*out) return arne_fail_memory(p->reader->error);
    (*out)->kind = kind;
    (*out)->line = line;
    (*out)->column = document_parse_column_of(&event->start_mark);
    (*out)->weight = weight;
    return name_anchor(p, anchor, *out);
}

// ---- events

static arne_status on_scalar(tree_parser *p, const yaml_event_t *event)
{
    const char  *value = (const char *)event->data.scalar.value;
    const size_t size = event->data.scalar.length;
    const int    weight = 1 + (int)(size / TEXT_UNIT);
    doc_node    *node = NULL;
    arne_status  status =
        document_parse_new_node(p, DOC_TEXT, event, event->data.scalar.anchor, weight, &node);
    if (status) return status;
    if (memchr(value, 0, size))
        return arne_reader_fail(p->reader, ARNE_SYNTAX, node->line,
                                "there is a zero character in the text");
    const char *tag = (const char *)event->data.scalar.tag;
    node->text = document_parse_take_text(p->tree, value, size);
    node->tag = tag ? document_parse_take_text(p->tree, tag, strlen(tag)) : NULL;
    node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    return node->text ? place_node(p, node, node->line, node->column)
                      : arne_fail_memory(p->reader->error);
}

static arne_status on_alias(tree_parser *p, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    const int   line = line_of(&event->start_mark);
    const int   known = name_index_find(&p->anchor_index, name);
    if (known < 0)
        return arne_reader_fail(p->reader, ARNE_SYNTAX, line,
                                "there is no anchor '%s' before this alias", name);
    doc_node *node = p->anchors[known];
    if (node->open)
        return arne_reader_fail(p->reader, ARNE_SYNTAX, line,
                                "the alias '%s' stands inside what it names", name);
    const arne_status status = count_nodes(p, node->weight, line);
    return status ? status
                  : place_node(p, node, line, document_parse_column_of(&event->start_mark));
}

static arne_status on_start(tree_parser *p, doc_kind kind, const yaml_event_t *event)
{
    const yaml_char_t *anchor =
        kind == DOC_LIST ? event->data.sequence_start.anchor : event->data.mapping_start.anchor;
    doc_node   *node = NULL;
    arne_status status = document_parse_new_node(p, kind, event, anchor, 1, &node);
    if (status) return status;
    node->open = 1;
    if (p->depth == ARNE_READ_MAX_DEPTH)
        return arne_reader_fail(p->reader, ARNE_TOO_LARGE, node->line,
                                "values are nested deeper than %d", ARNE_READ_MAX_DEPTH);
    status = place_node(p, node, node->line, node->column);
    p->levels[p->depth++] = (level){.node = node};
    return status;
}

typedef struct key {
    const char *text;
    int         line, column;
} key;

static int compare_keys(const void *a, const void *b)
{
    const key *x = a, *y = b;
    const int  order = strcmp(x->text, y->text);
    if (order) return order;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

static arne_status refuse_double_keys(const reader *r, const doc_node *map)
{
    if (map->count < 2) return ARNE_OK;
    key *keys = malloc((size_t)map->count * sizeof *keys);
    if (!keys) return arne_fail_memory(r->error);
    size_t count = 0;
    for (const doc_item *i = map->first; i; i = i->next)
        keys[count++] = (key){i->key, i->line, i->column};
    qsort(keys, count, sizeof *keys, compare_keys);
    arne_status status = ARNE_OK;
    for (size_t i = 1; i < count; i++)
        if (strcmp(keys[i].text, keys[i - 1].text) == 0)
            status = arne_reader_fail_at(r, ARNE_VALUE, keys[i].line, keys[i].column,
                                         "the key '%s' is here twice", keys[i].text);
    free(keys);
    return status;
}

// A key that is there twice does not keep the rest from being read.
static arne_status on_end(tree_parser *p)
{
    doc_node *node = p->levels[--p->depth].node;
    node->open = 0;
    if (p->depth > 0)
        p->levels[p->depth - 1].node->weight += node->weight - 1; // it was placed when it weighed 1
    const arne_status status =
        node->kind == DOC_MAP ? refuse_double_keys(p->reader, node) : ARNE_OK;
    if (status && !p->first) p->first = status;
    return status == ARNE_NO_MEMORY ? status : ARNE_OK;
}

static arne_status on_event(tree_parser *p, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (++p->documents > 1)
            return arne_reader_fail(p->reader, ARNE_SYNTAX, line_of(&event->start_mark),
                                    "a file has one document only; a second one starts here");
        return ARNE_OK;
    case YAML_SCALAR_EVENT:
        return on_scalar(p, event);
    case YAML_ALIAS_EVENT:
        return on_alias(p, event);
    case YAML_SEQUENCE_START_EVENT:
        return on_start(p, DOC_LIST, event);
    case YAML_MAPPING_START_EVENT:
        return on_start(p, DOC_MAP, event);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return on_end(p);
    default:
        return ARNE_OK;
    }
}

// Where the bytes themselves are at fault (no text at all), libyaml knows an offset but no line.
static yaml_mark_t problem_mark(const tree_parser *p)
{
    if (p->yaml.error != YAML_READER_ERROR) return p->yaml.problem_mark;
    yaml_mark_t mark = {0, 0, 0};
    for (size_t i = 0; i < p->size && i < p->yaml.problem_offset; i++) {
        mark.column = p->text[i] == '\n' ? 0 : mark.column + 1;
        mark.line += p->text[i] == '\n';
    }
    return mark;
}

static arne_status document_parse_parse_failure(const tree_parser *p)
{
    // Some of libyaml's failures for lack of memory have no name.
    if (p->yaml.error == YAML_MEMORY_ERROR || p->yaml.error == YAML_NO_ERROR)
        return arne_fail_memory(p->reader->error);
    const yaml_mark_t mark = problem_mark(p);
    return arne_reader_fail_at(p->reader, ARNE_SYNTAX, line_of(&mark),
                               document_parse_column_of(&mark),
                               "this is neither XML nor well-formed YAML: %s",
                               p->yaml.problem ? p->yaml.problem : "unknown problem");
}

static arne_status document_parse_parse(tree_parser *p)
{
    for (;;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&p->yaml, &event)) return document_parse_parse_failure(p);
        const int         ended = event.type == YAML_STREAM_END_EVENT;
        const arne_status status = on_event(p, &event);
        yaml_event_delete(&event);
        if (status || ended) return status;
    }
}

arne_status document_parse(const reader *r, const char *text, size_t size, document *out)
{
    *out = (document){0};
    tree_parser *p = calloc(1, sizeof *p); // too large for the stack of a small thread
    if (!p) return arne_fail_memory(r->error);
    p->reader = r;
    p->tree = out;
    p->text = text;
    p->size = size;
    if (!yaml_parser_initialize(&p->yaml)) {
        free(p);
        return arne_fail_memory(r->error);
    }
    yaml_parser_set_input_string(&p->yaml, (const unsigned char *)text, size);
    arne_status status = document_parse_parse(p);
    if (!status) status = p->first;
    yaml_parser_delete(&p->yaml);
    name_index_free(&p->anchor_index);
    free(p);
    return status;
}

#else

arne_status document_parse(const reader *r, const char *text, size_t size, document *out)
{
    (void)text, (void)size;
    *out = (document){0};
    return arne_reader_fail(r, ARNE_UNSUPPORTED, 0, "YAML: this Arne was built without libyaml");
}

#endif
