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

static void put_text(buffer *out, const char *text)
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
        put_text(out, node->text);
        return;
    }
    put(out, node->kind == DOC_MAP ? "{" : "[");
    for (const doc_item *i = node->first; i; i = i->next) {
        if (i != node->first) put(out, ", ");
        if (i->key) {
            put_text(out, i->key);
            put(out, ": ");
        }
        document_put(out, i->value);
    }
    put(out, node->kind == DOC_MAP ? "}" : "]");
}
