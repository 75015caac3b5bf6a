// The sections of a robot's file that only plans read, `fatigue`, `strength` and `walker`, as one
// file would have them: what a file says replaces what those that it extends say, joint by joint
// (of a walker: key by key, also inside of `right` and `left`).
#include "base/error.h"
#include "base/plain.h"
#include "io/document.h"
#include "io/run_folder.h"
#include <arne/io.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 16 }; // files that extend each other in a circle: the robot's reader tells it

static const char *const SECTIONS[] = {"fatigue", "strength", "walker"};
enum { SECTION_COUNT = sizeof SECTIONS / sizeof *SECTIONS };

typedef struct parts {
    document  all; // owns the memory of all files
    doc_node *sections[SECTION_COUNT];
} parts;

static int has_sides(const char *key)
{
    return strcmp(key, "right") == 0 || strcmp(key, "left") == 0;
}

// Puts the entries of a mapping into another one. 0: no memory.
static int merge(document *doc, doc_node *into, const doc_node *from)
{
    for (const doc_item *i = from->first; i; i = i->next) {
        doc_item *known = into->first;
        while (known && strcmp(known->key, i->key) != 0)
            known = known->next;
        if (known && has_sides(i->key) && known->value->kind == DOC_MAP &&
            i->value->kind == DOC_MAP) {
            if (!merge(doc, known->value, i->value)) return 0;
        } else if (known) {
            known->value = i->value;
        } else {
            doc_item *own = document_take(doc, sizeof *own);
            if (!own) return 0;
            *own = *i;
            own->next = NULL;
            if (into->last)
                into->last->next = own;
            else
                into->first = own;
            into->last = own;
            into->count++;
        }
    }
    return 1;
}

static int take_sections(parts *p, const doc_node *root)
{
    for (int i = 0; i < SECTION_COUNT; i++) {
        const doc_node *own = doc_find(root, SECTIONS[i]);
        if (!own || own->kind != DOC_MAP) continue;
        if (!p->sections[i]) p->sections[i] = document_take(&p->all, sizeof(doc_node));
        if (!p->sections[i]) return 0;
        p->sections[i]->kind = DOC_MAP;
        if (!merge(&p->all, p->sections[i], own)) return 0;
    }
    return 1;
}

static int is_yaml(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

// The files that it extends first.
static arne_status collect(parts *p, const char *path, int depth, arne_error *error)
{
    document     doc = {0};
    const reader r = {.file = path, .error = error, .document = &doc};
    if (!is_yaml(path) || depth > DEEPEST) return ARNE_OK;
    arne_status status = document_load(&r, &doc);
    if (!status && doc.root && doc.root->kind == DOC_MAP) {
        const doc_node *root = doc.root, *base = doc_find(root, "extends");
        if (base && base->kind == DOC_TEXT) {
            char *beside = arne_path_beside(path, base->text);
            status = beside ? collect(p, beside, depth + 1, error) : arne_fail_memory(error);
            free(beside);
        }
        document_join(&p->all, &doc);
        if (!status && !take_sections(p, root)) status = arne_fail_memory(error);
    }
    document_free(&doc);
    return status;
}

// ---- as YAML

// A text that means itself without quotes: a number, with a unit or as an expression, or a name.
static int is_plain(const char *text)
{
    const char *first = text + (*text == '-' || *text == '+');
    if (!plain_is_name(*first) && *first != '.') return 0;
    for (const char *c = first; *c; c++)
        if (!plain_is_name(*c) && !strchr("_.+-/*() ", *c)) return 0;
    return text[strlen(text) - 1] != ' ';
}

static void put_node(buffer *out, const doc_node *node)
{
    if (node->kind == DOC_TEXT && is_plain(node->text)) {
        put(out, "%s", node->text);
        return;
    }
    if (node->kind == DOC_TEXT) {
        document_put(out, node);
        return;
    }
    put(out, node->kind == DOC_MAP ? "{" : "[");
    for (const doc_item *i = node->first; i; i = i->next) {
        const doc_node key = {.kind = DOC_TEXT, .text = i->key};
        if (i != node->first) put(out, ", ");
        if (i->key) put_node(out, &key);
        if (i->key) put(out, ": ");
        put_node(out, i->value);
    }
    put(out, node->kind == DOC_MAP ? "}" : "]");
}

static void put_section(buffer *out, const char *name, const doc_node *section)
{
    put(out, "%s:\n", name);
    for (const doc_item *i = section->first; i; i = i->next) {
        const doc_node key = {.kind = DOC_TEXT, .text = i->key};
        put(out, "  ");
        put_node(out, &key);
        put(out, ": ");
        put_node(out, i->value);
        put(out, "\n");
    }
}

arne_status arne_robot_parts_text(const char *path, char **text, size_t *size, arne_error *error)
{
    parts  p = {0};
    buffer out = {0};
    if (!path || !text || !size) return arne_fail_null(error);
    *text = NULL;
    *size = 0;
    arne_status status = collect(&p, path, 0, error);
    for (int i = 0; i < SECTION_COUNT && !status; i++)
        if (p.sections[i] && p.sections[i]->count) put_section(&out, SECTIONS[i], p.sections[i]);
    if (!status) put(&out, "%s", "");
    if (!status && out.failed) status = arne_fail_memory(error);
    document_free(&p.all);
    if (status) {
        buffer_free(&out);
        return status;
    }
    *text = out.text;
    *size = out.size;
    return ARNE_OK;
}
