// A YAML document as a small tree that remembers its lines. Aliases point to the node they name;
// what they would expand to is counted, and limited.
#ifndef ARNE_IO_YAML_TREE_H
#define ARNE_IO_YAML_TREE_H

#include "io/reader.h"

typedef enum yaml_kind { YAML_TEXT, YAML_LIST, YAML_MAP } yaml_kind;

typedef struct yaml_node yaml_node;

// An entry of a list (key is NULL) or of a mapping.
typedef struct yaml_item {
    const char       *key;
    int               line; // of the key, or of the value in a list
    const yaml_node  *value;
    struct yaml_item *next;
} yaml_item;

struct yaml_node {
    yaml_kind kind;
    int       line;
    int       count; // of items
    int       open;  // its end was not met yet
    int weight; // nodes below and including this one, with aliases expanded; more for a long text
    const char *text; // of a YAML_TEXT; without zeros inside
    yaml_item  *first, *last;
};

typedef struct yaml_tree {
    const yaml_node   *root;
    struct yaml_block *blocks;
} yaml_tree;

// arne_yaml_free is needed also after a failure.
ARNE_CHECKED arne_status arne_yaml_parse(const reader *r, const char *text, size_t size,
                                         yaml_tree *out);
void                     arne_yaml_free(yaml_tree *tree);

// Memory that is zero and lasts as long as the tree; NULL where there is none.
void *arne_yaml_take(yaml_tree *tree, size_t size);

// The value under a key of a mapping; NULL where there is none.
const yaml_node *arne_yaml_find(const yaml_node *map, const char *key);

#endif
