// An XML file as a tree: every element with its place, attributes, text and children. For formats
// in which what stands later counts for what stands before.
#ifndef ARNE_IO_XML_TREE_H
#define ARNE_IO_XML_TREE_H

#include "io/document.h"

typedef struct xml_attribute {
    const char *name, *value;
    int         used; // a reader's mark: it was looked at
} xml_attribute;

typedef struct xml_node {
    const char      *tag;
    const char      *file; // that it stands in
    const char      *text; // characters between its tags, joined; "" where there is only space
    int              line, column;
    int              attribute_count;
    xml_attribute   *attributes;
    struct xml_node *parent, *first, *last, *next;
    int              used; // a reader's mark
} xml_node;

typedef struct xml_tree {
    document  memory; // of all nodes; only its blocks are used
    xml_node *root;
} xml_tree;

// xml_tree_free is needed also after a failure. Mistakes go to the reader. `file` of the nodes is a
// copy of r->file.
ARNE_CHECKED arne_status xml_tree_parse(reader *r, const char *text, size_t size, xml_tree *out);
void                     xml_tree_free(xml_tree *tree);

// The value of an attribute; NULL where it is not given.
const char *xml_node_get(const xml_node *node, const char *name);
// The first child with this tag; the next one after `node` with the same tag.
xml_node *xml_node_child(const xml_node *node, const char *tag);
xml_node *xml_node_again(const xml_node *node);

// Changes of the tree; 0 where there is no memory. Texts are copied.
xml_node *xml_node_new(xml_tree *tree, const char *tag, const xml_node *place);
int       xml_node_set(xml_tree *tree, xml_node *node, const char *name, const char *value);
void      xml_node_append(xml_node *parent, xml_node *child);
xml_node *xml_node_copy(xml_tree *tree, const xml_node *node); // with all below it
char     *xml_tree_text(xml_tree *tree, const char *text);     // a copy that lasts as the tree does

// The text without space around it; NULL where there is no memory.
const char *xml_tree_trim(xml_tree *tree, const char *text);

// A mistake, or a warning, at the place of a node.
arne_status xml_node_fail(reader *r, arne_status code, const xml_node *at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
ARNE_CHECKED arne_status xml_node_warn(reader *r, const char *rule, const xml_node *at,
                                       const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// `least` to `most` numbers of a text, with white space between; *count says how many.
ARNE_CHECKED arne_status xml_node_numbers(reader *r, const xml_node *at, const char *name,
                                          const char *text, int least, int most, double *out,
                                          int *count);

#endif
