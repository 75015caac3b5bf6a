// The sections of a robot's file that only plans read, `fatigue`, `strength` and `walker`, as one
// file would have them: what a file says replaces what those that it extends say, joint by joint
// (of a walker: key by key, also inside of `right` and `left`).
#include "base/error.h"
#include "base/plain.h"
#include "io/document.h"
#include <arne/io.h>
#include <stdlib.h>
#include <string.h>

int robot_sections_add(robot_sections *s, const char *file, document *doc)
{
    struct section_file *f = document_take(&s->memory, sizeof *f);
    char                *name = document_take(&s->memory, strlen(file) + 1);
    if (!f || !name) return 0;
    *f = (struct section_file){.file = strcpy(name, file), .root = doc->root};
    if (s->last)
        s->last->next = f;
    else
        s->first = f;
    s->last = f;
    document_join(&s->memory, doc);
    return 1;
}

void robot_sections_free(robot_sections *s)
{
    document_free(&s->memory);
    *s = (robot_sections){0};
}

// ---- all files as one

static const char *const SECTIONS[] = {"fatigue", "strength", "walker"};
enum { SECTION_COUNT = sizeof SECTIONS / sizeof *SECTIONS };

typedef struct parts {
    document  all; // owns the memory of all files
    doc_node *sections[SECTION_COUNT];
} parts;

static int robot_sections_has_sides(const char *key)
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
        if (known && robot_sections_has_sides(i->key) && known->value->kind == DOC_MAP &&
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

// The robot is read once more, since its sections are not kept with it.
static arne_status robot_sections_collect(parts *p, const char *path, arne_error *error)
{
    arne_builder  *builder = NULL;
    robot_sections all = {0};
    arne_status    status = arne_builder_new(&builder);
    if (status) return arne_fail_memory(error);
    status = arne_read_given(builder, path, NULL, &all, error);
    for (const struct section_file *f = all.first; f && !status; f = f->next)
        if (!take_sections(p, f->root)) status = arne_fail_memory(error);
    document_join(&p->all, &all.memory);
    robot_sections_free(&all);
    arne_builder_free(builder);
    return status;
}

// ---- as YAML

// A text that means itself without quotes: a number, with a unit or as an expression, or a name.
static int robot_sections_is_plain(const char *text)
{
    const char *first = text + (*text == '-' || *text == '+');
    if (!plain_is_name(*first) && *first != '.') return 0;
    for (const char *c = first; *c; c++)
        if (!plain_is_name(*c) && !strchr("_.+-/*() ", *c)) return 0;
    return text[strlen(text) - 1] != ' ';
}

static void put_node(buffer *out, const doc_node *node)
{
    if (node->kind == DOC_TEXT && robot_sections_is_plain(node->text)) {
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
    arne_status status = robot_sections_collect(&p, path, error);
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
