#include "io/yaml_tree.h"
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_SIZE = 1 << 16 };

typedef struct yaml_block {
    struct yaml_block *next;
    size_t             used, size;
    alignas(max_align_t) char data[];
} yaml_block;

void *arne_yaml_take(yaml_tree *tree, size_t size)
{
    const size_t step = alignof(max_align_t);
    yaml_block  *block = tree->blocks;
    size = (size + step - 1) / step * step;
    if (!block || block->size - block->used < size) {
        const size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
        block = malloc(sizeof *block + room);
        if (!block) return NULL;
        *block = (yaml_block){.next = tree->blocks, .size = room};
        tree->blocks = block;
    }
    void *memory = block->data + block->used;
    block->used += size;
    memset(memory, 0, size);
    return memory;
}

void arne_yaml_free(yaml_tree *tree)
{
    while (tree->blocks) {
        yaml_block *next = tree->blocks->next;
        free(tree->blocks);
        tree->blocks = next;
    }
    tree->root = NULL;
}

const yaml_node *arne_yaml_find(const yaml_node *map, const char *key)
{
    for (const yaml_item *i = map->first; i; i = i->next)
        if (strcmp(i->key, key) == 0) return i->value;
    return NULL;
}
