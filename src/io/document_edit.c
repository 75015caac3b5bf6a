// Edits of a document: values by path. Nodes that aliases share are copied before they change.
#include "base/error.h"
#include "io/document.h"
#include <stdlib.h>
#include <string.h>

typedef struct editing {
    const reader *reader;
    document     *doc;
    const char   *path;
} editing;

// ---- steps

static int document_edit_is_name(const doc_node *entry, const char *key, const char *step,
                                 size_t length)
{
    const doc_node *name = entry->kind == DOC_MAP ? doc_find(entry, key) : NULL;
    return name && name->kind == DOC_TEXT && strncmp(name->text, step, length) == 0 &&
           name->text[length] == 0;
}

static doc_item *entry_named(const doc_node *list, const char *step, size_t length)
{
    static const char *const keys[] = {"name", "joint"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        for (doc_item *i = list->first; i; i = i->next)
            if (document_edit_is_name(i->value, keys[k], step, length)) return i;
    return NULL;
}

static doc_item *document_edit_entry_at(const doc_node *list, const char *step, size_t length)
{
    if (length == 0 || strspn(step, "0123456789") < length || length > 9) return NULL;
    long      number = strtol(step, NULL, 10);
    doc_item *i = list->first;
    while (i && number-- > 0)
        i = i->next;
    return i;
}

// A name in quotes at the beginning of a path, "link_0.0" or 'link_0.0', without them; 0: there is
// none. *length: with them.
static size_t quoted_step(const char *path, size_t *length)
{
    const char *end = *path == '"' || *path == '\'' ? strchr(path + 1, *path) : NULL;
    if (!end || (end[1] && end[1] != '.')) return 0;
    *length = (size_t)(end - path) + 1;
    return *length - 2;
}

static doc_item *document_edit_find_named(const doc_node *node, const char *step, size_t n)
{
    for (doc_item *i = node->kind == DOC_MAP ? node->first : NULL; i; i = i->next)
        if (strncmp(i->key, step, n) == 0 && i->key[n] == 0) return i;
    return node->kind == DOC_LIST ? entry_named(node, step, n) : NULL;
}

// The item that the beginning of a path leads to, and how much of the path that is. Names and keys
// may hold dots: the shortest beginning that is there counts, unless it is in quotes.
static doc_item *document_edit_find_step(const doc_node *node, const char *path, size_t *length)
{
    const size_t quoted = quoted_step(path, length);
    if (quoted) return document_edit_find_named(node, path + 1, quoted);
    for (size_t n = strcspn(path, ".");; n += 1 + strcspn(path + n + 1, ".")) {
        doc_item *found = document_edit_find_named(node, path, n);
        if (node->kind == DOC_LIST && !found) found = document_edit_entry_at(node, path, n);
        *length = n;
        if (found) return found;
        if (!path[n]) return NULL;
    }
}

const doc_node *document_at(const document *doc, const char *path)
{
    const doc_node *node = doc->root;
    while (node && *path) {
        size_t          length = 0;
        const doc_item *item = document_edit_find_step(node, path, &length);
        node = item ? item->value : NULL;
        path += item ? length + (path[length] == '.') : 0;
    }
    return node;
}

// ---- changes

static const char *document_edit_take_text(document *doc, const char *text, size_t length)
{
    char *copy = document_take(doc, length + 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}

static doc_item *document_edit_append(document *doc, doc_node *node, const char *key,
                                      doc_node *value)
{
    doc_item *item = document_take(doc, sizeof *item);
    if (!item) return NULL;
    *item = (doc_item){key, node->line, node->column, value, NULL};
    if (node->last)
        node->last->next = item;
    else
        node->first = item;
    node->last = item;
    node->count++;
    return item;
}

static doc_node *document_edit_new_node(document *doc, doc_kind kind, const doc_node *beside)
{
    doc_node *node = document_take(doc, sizeof *node);
    if (!node) return NULL;
    node->kind = kind;
    node->uses = node->weight = 1;
    if (beside) {
        node->line = beside->line;
        node->column = beside->column;
    }
    return node;
}

// A node of this item's own, with the same entries.
static int unshare(document *doc, doc_item *item)
{
    const doc_node *shared = item->value;
    if (shared->uses < 2) return 1;
    doc_node *own = document_edit_new_node(doc, shared->kind, shared);
    if (!own) return 0;
    own->text = shared->text;
    for (const doc_item *i = shared->first; i; i = i->next) {
        doc_item *copy = document_edit_append(doc, own, i->key, i->value);
        if (!copy) return 0;
        copy->line = i->line;
        copy->column = i->column;
        i->value->uses++;
    }
    item->value->uses--;
    item->value = own;
    return 1;
}

// The first missing step: a key, or an entry of that name. NULL: no memory.
static doc_item *make_step(document *doc, doc_node *node, const char *step, size_t length)
{
    const char *name = document_edit_take_text(doc, step, length);
    doc_node   *value = document_edit_new_node(doc, DOC_MAP, node);
    if (!name || !value) return NULL;
    if (node->kind == DOC_LIST) {
        doc_node *text = document_edit_new_node(doc, DOC_TEXT, node);
        if (!text || !document_edit_append(doc, value, "name", text)) return NULL;
        text->text = name;
        name = NULL;
    }
    return document_edit_append(doc, node, name, value);
}

// Sections that robot files have as lists of named entries: an edit may be the first to mention
// one.
static int is_list_of_names(const char *key)
{
    static const char *const lists[] = {"bodies", "joints"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (key && strcmp(key, lists[i]) == 0) return 1;
    return 0;
}

static arne_status document_edit_refuse(const editing *e, const char *why)
{
    return arne_reader_fail(e->reader, ARNE_VALUE, 0, "'%.100s' cannot be set: %s", e->path, why);
}

static arne_status document_edit_walk(const editing *e, doc_item *item, doc_node *value)
{
    const char *path = e->path;
    while (*path) {
        size_t    length = 0;
        doc_node *node = item->value;
        if (node->kind == DOC_TEXT)
            return document_edit_refuse(e, "the path leads through a single value");
        if (!unshare(e->doc, item)) return arne_fail_memory(e->reader->error);
        node = item->value;
        doc_item *next = document_edit_find_step(node, path, &length);
        if (!next) {
            const size_t quoted = quoted_step(path, &length);
            if (!quoted) length = strcspn(path, ".");
            if (node->kind == DOC_LIST && (!path[length] || strspn(path, "0123456789") == length))
                return document_edit_refuse(e, "there is no such entry in the list");
            next = make_step(e->doc, node, quoted ? path + 1 : path, quoted ? quoted : length);
            if (!next) return arne_fail_memory(e->reader->error);
            if (is_list_of_names(next->key) && path[length]) next->value->kind = DOC_LIST;
        }
        item = next;
        path += length + (path[length] == '.');
    }
    item->value = value;
    return ARNE_OK;
}

arne_status document_edit(const reader *r, document *doc, const doc_edit *edit)
{
    const editing e = {r, doc, edit->path};
    document      parsed = {0};
    reader        named = *r;
    named.file = edit->path; // a mistake in the value is one of the edit
    if (!*edit->path) return document_edit_refuse(&e, "the path is empty");
    arne_status status = document_parse(&named, edit->value, strlen(edit->value), &parsed);
    if (!status && !parsed.root) status = document_edit_refuse(&e, "the value is empty");
    if (status) {
        document_free(&parsed);
        return status;
    }
    document_join(doc, &parsed);
    if (!doc->root) doc->root = document_edit_new_node(doc, DOC_MAP, NULL);
    if (!doc->root) return arne_fail_memory(r->error);
    doc_item top = {.value = doc->root};
    return document_edit_walk(&e, &top, parsed.root);
}
