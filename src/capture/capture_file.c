// Setup files of OpenSim: XML, read as a tree.
#include "base/plain.h"
#include "capture/capture.h"
#include <stdlib.h>

arne_status capture_file_open(capture_file *f, const char *path, arne_error *error)
{
    char  *text = NULL;
    size_t size = 0;
    *f = (capture_file){.reader = {.file = path, .error = error}};
    arne_status status = arne_reader_load(&f->reader, &text, &size);
    if (!status) status = xml_tree_parse(&f->reader, text, size, &f->tree);
    free(text);
    return status;
}

void capture_file_close(capture_file *f) { xml_tree_free(&f->tree); }

const char *capture_file_text(capture_file *f, const xml_node *node, const char *tag)
{
    const xml_node *child = node ? xml_node_child(node, tag) : NULL;
    const char     *text = child ? xml_tree_trim(&f->tree, child->text) : NULL;
    return text && *text && !plain_same(text, "unassigned") ? text : NULL;
}

int capture_file_is(capture_file *f, const xml_node *node, const char *tag, const char *word)
{
    const char *text = capture_file_text(f, node, tag);
    return text && plain_same(text, word);
}

arne_status capture_file_number(capture_file *f, const xml_node *node, const char *tag, double *out)
{
    const xml_node *child = xml_node_child(node, tag);
    int             count = 0;
    if (!child || !*child->text) return ARNE_OK;
    return xml_node_numbers(&f->reader, child, "the text", child->text, 1, 1, out, &count);
}
