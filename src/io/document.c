#include "io/document.h"
#include "base/error.h"
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_SIZE = 1 << 16 };

typedef struct doc_block {
    struct doc_block *next;
    size_t            used, size;
    alignas(max_align_t) char data[];
} doc_block;

void *document_take(document *doc, size_t size)
{
    const size_t step = alignof(max_align_t);
    doc_block   *block = doc->blocks;
    size = (size + step - 1) / step * step;
    if (!block || block->size - block->used < size) {
        const size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
        block = malloc(sizeof *block + room);
        if (!block) return NULL;
        *block = (doc_block){.next = doc->blocks, .size = room};
        doc->blocks = block;
    }
    void *memory = block->data + block->used;
    block->used += size;
    memset(memory, 0, size);
    return memory;
}

void document_free(document *doc)
{
    while (doc->blocks) {
        doc_block *next = doc->blocks->next;
        free(doc->blocks);
        doc->blocks = next;
    }
    doc->root = NULL;
}

void document_join(document *doc, document *other)
{
    doc_block *last = other->blocks;
    while (last && last->next)
        last = last->next;
    if (!last) return;
    if (doc->blocks) { // the first block stays the one that is filled
        last->next = doc->blocks->next;
        doc->blocks->next = other->blocks;
    } else {
        doc->blocks = other->blocks;
    }
    other->blocks = NULL;
}

static doc_node *copy_node(document *to, const doc_node *from)
{
    doc_node *node = document_take(to, sizeof *node);
    if (!node) return NULL;
    *node = *from;
    node->uses = 1;
    node->first = node->last = NULL;
    if (from->text) {
        char *text = document_take(to, strlen(from->text) + 1);
        if (!text) return NULL;
        node->text = strcpy(text, from->text);
    }
    for (const doc_item *i = from->first; i; i = i->next) {
        doc_item *item = document_take(to, sizeof *item);
        char     *key = i->key ? document_take(to, strlen(i->key) + 1) : NULL;
        if (!item || (i->key && !key)) return NULL;
        *item = (doc_item){key ? strcpy(key, i->key) : NULL, i->line, i->column,
                           copy_node(to, i->value), NULL};
        if (!item->value) return NULL;
        if (node->last)
            node->last->next = item;
        else
            node->first = item;
        node->last = item;
    }
    return node;
}

arne_status document_copy(const document *from, document *to)
{
    *to = (document){0};
    if (!from->root) return ARNE_OK;
    to->root = copy_node(to, from->root);
    return to->root ? ARNE_OK : ARNE_NO_MEMORY;
}

arne_status document_load(const reader *r, document *out)
{
    char       *text = NULL;
    size_t      size = 0;
    arne_status status = arne_reader_load(r, &text, &size);
    *out = (document){0};
    if (!status) status = document_parse(r, text, size, out);
    free(text);
    return status;
}

const doc_item *doc_find_item(const doc_node *map, const char *key)
{
    if (map->kind != DOC_MAP) return NULL;
    for (const doc_item *i = map->first; i; i = i->next)
        if (strcmp(i->key, key) == 0) return i;
    return NULL;
}

const doc_node *doc_find(const doc_node *map, const char *key)
{
    const doc_item *item = doc_find_item(map, key);
    return item ? item->value : NULL;
}

static void document_put_text(buffer *out, const char *text)
{
    put(out, "\"");
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            put(out, "\\%c", *c);
        else if (*c < 0x20 || *c == 0x7f)
            put(out, "\\u%04x", *c);
        else
            put_bytes(out, (const char *)c, 1);
    }
    put(out, "\"");
}

void document_put(buffer *out, const doc_node *node)
{
    if (node->kind == DOC_TEXT) {
        document_put_text(out, node->text);
        return;
    }
    put(out, node->kind == DOC_MAP ? "{" : "[");
    for (const doc_item *i = node->first; i; i = i->next) {
        if (i != node->first) put(out, ", ");
        if (i->key) {
            document_put_text(out, i->key);
            put(out, ": ");
        }
        document_put(out, i->value);
    }
    put(out, node->kind == DOC_MAP ? "}" : "]");
}
