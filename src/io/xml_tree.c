#include "io/xml_tree.h"
#include "base/error.h"
#include "base/text.h"
#include "io/number.h"
#include "io/xml.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char xml_space[] = " \t\r\n";

char *xml_tree_text(xml_tree *tree, const char *text)
{
    const size_t size = strlen(text) + 1;
    char        *copy = document_take(&tree->memory, size);
    return copy ? memcpy(copy, text, size) : NULL;
}

const char *xml_tree_trim(xml_tree *tree, const char *text)
{
    const char *start = text + strspn(text, xml_space);
    size_t      size = strlen(start);
    while (size && strchr(xml_space, start[size - 1]))
        size--;
    if (!start[size]) return start;
    char *own = xml_tree_text(tree, start);
    if (own) own[size] = 0;
    return own;
}

const char *xml_node_get(const xml_node *node, const char *name)
{
    for (int i = 0; i < node->attribute_count; i++)
        if (strcmp(node->attributes[i].name, name) == 0) return node->attributes[i].value;
    return NULL;
}

static xml_node *xml_node_from(xml_node *node, const char *tag)
{
    while (node && strcmp(node->tag, tag) != 0)
        node = node->next;
    return node;
}

xml_node *xml_node_child(const xml_node *node, const char *tag)
{
    return xml_node_from(node->first, tag);
}

xml_node *xml_node_again(const xml_node *node) { return xml_node_from(node->next, node->tag); }

// ---- changes

xml_node *xml_node_new(xml_tree *tree, const char *tag, const xml_node *place)
{
    xml_node *node = document_take(&tree->memory, sizeof *node);
    if (!node) return NULL;
    node->tag = xml_tree_text(tree, tag);
    node->text = "";
    node->file = place ? place->file : "";
    node->line = place ? place->line : 0;
    node->column = place ? place->column : 0;
    return node->tag ? node : NULL;
}

int xml_node_set(xml_tree *tree, xml_node *node, const char *name, const char *value)
{
    char *text = xml_tree_text(tree, value);
    if (!text) return 0;
    for (int i = 0; i < node->attribute_count; i++)
        if (strcmp(node->attributes[i].name, name) == 0) {
            node->attributes[i].value = text;
            return 1;
        }
    const size_t   count = (size_t)node->attribute_count;
    xml_attribute *all = document_take(&tree->memory, (count + 1) * sizeof *all);
    if (!all) return 0;
    if (count) memcpy(all, node->attributes, count * sizeof *all);
    all[count] = (xml_attribute){xml_tree_text(tree, name), text, 0};
    node->attributes = all;
    node->attribute_count++;
    return all[count].name != NULL;
}

void xml_node_append(xml_node *parent, xml_node *child)
{
    child->parent = parent;
    child->next = NULL;
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
}

// Names and values are shared; they are never changed in place.
xml_node *xml_node_copy(xml_tree *tree, const xml_node *node)
{
    xml_node    *copy = document_take(&tree->memory, sizeof *copy);
    const size_t count = (size_t)node->attribute_count;
    if (!copy) return NULL;
    *copy = *node;
    copy->parent = copy->first = copy->last = copy->next = NULL;
    if (count) copy->attributes = document_take(&tree->memory, count * sizeof *copy->attributes);
    if (count && !copy->attributes) return NULL;
    if (count) memcpy(copy->attributes, node->attributes, count * sizeof *copy->attributes);
    for (const xml_node *c = node->first; c; c = c->next) {
        xml_node *below = xml_node_copy(tree, c);
        if (!below) return NULL;
        xml_node_append(copy, below);
    }
    return copy;
}

// ---- from a file

typedef struct tree_maker {
    xml_tree   *tree;
    const char *file;
    xml_node   *open;
    buffer      text[ARNE_READ_MAX_DEPTH + 2]; // of each open element
} tree_maker;

static arne_status tree_open(xml *x)
{
    tree_maker    *m = x->context;
    xml_tree      *t = m->tree;
    const xml_node place = {.file = m->file, .line = x->line, .column = x->column};
    xml_node      *node = xml_node_new(t, x->tag, &place);
    size_t         count = 0;
    while (x->attributes[2 * count])
        count++;
    if (node && count) node->attributes = document_take(&t->memory, count * sizeof(xml_attribute));
    if (!node || (count && !node->attributes)) return arne_fail_memory(x->reader->error);
    for (size_t i = 0; i < count; i++) {
        xml_attribute *a = &node->attributes[i];
        a->name = xml_tree_text(t, x->attributes[2 * i]);
        a->value = xml_tree_text(t, x->attributes[2 * i + 1]);
        if (!a->name || !a->value) return arne_fail_memory(x->reader->error);
    }
    node->attribute_count = (int)count;
    if (m->open)
        xml_node_append(m->open, node);
    else
        t->root = node;
    m->open = node;
    m->text[x->depth].size = 0;
    return ARNE_OK;
}

static arne_status tree_text(xml *x, const char *text, int size)
{
    buffer *b = &((tree_maker *)x->context)->text[x->depth];
    put_bytes(b, text, (size_t)size);
    return b->failed ? arne_fail_memory(x->reader->error) : ARNE_OK;
}

static arne_status tree_close(xml *x)
{
    tree_maker   *m = x->context;
    const buffer *b = &m->text[x->depth];
    xml_node     *node = m->open;
    m->open = node->parent;
    if (!b->size || strspn(b->text, xml_space) >= b->size) return ARNE_OK;
    node->text = xml_tree_text(m->tree, b->text);
    return node->text ? ARNE_OK : arne_fail_memory(x->reader->error);
}

arne_status xml_tree_parse(reader *r, const char *text, size_t size, xml_tree *out)
{
    static const xml_sink sink = {tree_open, tree_close, tree_text};
    tree_maker           *m = calloc(1, sizeof *m);
    *out = (xml_tree){0};
    if (!m) return arne_fail_memory(r->error);
    m->tree = out;
    m->file = xml_tree_text(out, r->file);
    const arne_status status =
        m->file ? arne_xml_parse(r, &sink, m, text, size) : arne_fail_memory(r->error);
    for (size_t i = 0; i < sizeof m->text / sizeof *m->text; i++)
        buffer_free(&m->text[i]);
    free(m);
    return status;
}

void xml_tree_free(xml_tree *tree)
{
    document_free(&tree->memory);
    tree->root = NULL;
}

// ---- messages and numbers

enum { XML_MESSAGE_SIZE = sizeof((arne_error *)0)->text };

static reader reader_at(const reader *r, const xml_node *at)
{
    reader own = *r;
    if (at->file && *at->file) own.file = at->file;
    return own;
}

arne_status xml_node_fail(reader *r, arne_status code, const xml_node *at, const char *format, ...)
{
    char         text[XML_MESSAGE_SIZE];
    const reader own = reader_at(r, at);
    va_list      arguments;
    va_start(arguments, format);
    text_line_list(text, sizeof text, format, arguments);
    va_end(arguments);
    return arne_reader_fail_at(&own, code, at->line, at->column, "%s", text);
}

arne_status xml_node_warn(reader *r, const char *rule, const xml_node *at, const char *format, ...)
{
    char    text[XML_MESSAGE_SIZE];
    reader  own = reader_at(r, at);
    va_list arguments;
    va_start(arguments, format);
    text_line_list(text, sizeof text, format, arguments);
    va_end(arguments);
    return arne_reader_warn_at(&own, rule, at->line, at->column, "%s", text);
}

arne_status xml_node_numbers(reader *r, const xml_node *at, const char *name, const char *text,
                             int least, int most, double *out, int *count)
{
    const char *p = text + strspn(text, xml_space);
    int         n = 0;
    for (; *p; p += strspn(p, xml_space)) {
        const char       *why = "", *word = p;
        double            value = 0;
        const arne_status status = arne_number_decimal(&p, &value, &why);
        if (status == ARNE_NO_MEMORY) return arne_fail_memory(r->error);
        if (status)
            return xml_node_fail(
                r, ARNE_VALUE, at, "%s of <%s>: '%.*s' %s", name, at->tag,
                (int)(strcspn(word, xml_space) < 40 ? strcspn(word, xml_space) : 40), word, why);
        if (n < most) out[n] = value;
        n++;
    }
    if (count) *count = n < most ? n : most;
    if (n >= least && n <= most) return ARNE_OK;
    return xml_node_fail(r, ARNE_VALUE, at,
                         least == most ? "%s of <%s> needs %d number%s, has %d"
                                       : "%s of <%s> needs at least %d number%s, has %d",
                         name, at->tag, least, least == 1 ? "" : "s", n);
}
