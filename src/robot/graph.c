// From names to a tree: duplicates, missing ends, two parents, two roots and cycles are found here.
#include "robot/graph.h"
#include "base/error.h"
#include "base/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static arne_status keep_finding(const judge *j, const finding *f, const char *file,
                                const char *text)
{
    return findings_add(j->found, f, file, text) ? f->code : arne_fail_memory(j->error);
}

arne_status judge_fail(const judge *j, arne_status code, arne_place place, const char *format, ...)
{
    char    text[sizeof j->error->text];
    va_list arguments;
    va_start(arguments, format);
    text_line_list(text, sizeof text, format, arguments);
    va_end(arguments);
    const finding f = {.code = code, .line = place.line};
    return keep_finding(j, &f, place.file, text);
}

arne_status judge_check(const judge *j, arne_status status)
{
    if (!status || status == ARNE_NO_MEMORY) return status;
    const finding f = {.code = status, .line = j->error->line, .column = j->error->column};
    return keep_finding(j, &f, j->error->file, j->error->text);
}

arne_status judge_flaw(const judge *j, const char *rule, arne_place place, int accepted,
                       const char *format, ...)
{
    char    text[400];
    va_list arguments;
    va_start(arguments, format);
    text_line_list(text, sizeof text, format, arguments);
    va_end(arguments);
    if (j->options->strict && !accepted)
        return judge_fail(j, ARNE_STRICT, place, "%s [%s]", text, rule);
    const finding f = {.rule = rule, .line = place.line, .accepted = accepted};
    return keep_finding(j, &f, place.file, text);
}

arne_status judge_repeat(const judge *j, const finding *f)
{
    const int is_error = !f->code && j->options->strict && !f->accepted;
    char      text[sizeof j->error->text + 32];
    finding   own = *f;
    if (is_error) own.code = ARNE_STRICT;
    snprintf(text, sizeof text, is_error ? "%s [%s]" : "%s", f->text, f->rule);
    return keep_finding(j, &own, f->file, text);
}

// ---- names ----

typedef struct entry {
    const char *name;
    int         index;
} entry;

static int compare_entries(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    const int    by_name = strcmp(x->name, y->name);
    return by_name ? by_name : x->index - y->index;
}

static int lookup(const entry *table, int count, const char *name)
{
    int low = 0, high = count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (strcmp(table[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && !strcmp(table[low].name, name) ? table[low].index : -1;
}

// Whether an entry has the name of the one before.
static int is_duplicate(const entry *table, int i)
{
    return i > 0 && !strcmp(table[i - 1].name, table[i].name);
}

typedef struct names {
    entry *bodies; // and frames: index body_count + frame
    entry *joints;
    int    body_count, joint_count;
} names;

static arne_status names_make(const arne_builder *b, const judge *j, names *n)
{
    n->body_count = b->body_count + b->frame_count;
    n->joint_count = b->joint_count;
    n->bodies = malloc(((size_t)n->body_count + 1) * sizeof(entry));
    n->joints = malloc(((size_t)n->joint_count + 1) * sizeof(entry));
    if (!n->bodies || !n->joints) return arne_fail_memory(j->error);
    for (int i = 0; i < n->body_count; i++) {
        const entry e = {i < b->body_count ? b->bodies[i].name : b->frames[i - b->body_count].name,
                         i};
        n->bodies[i] = e;
    }
    for (int i = 0; i < n->joint_count; i++) {
        const entry e = {b->joints[i].name, i};
        n->joints[i] = e;
    }
    qsort(n->bodies, (size_t)n->body_count, sizeof(entry), compare_entries);
    qsort(n->joints, (size_t)n->joint_count, sizeof(entry), compare_entries);
    return ARNE_OK;
}

static arne_status graph_check_names(const arne_builder *b, const judge *j, const names *n)
{
    arne_status status = ARNE_OK;
    for (int i = 0; status_goes_on(status) && i < n->body_count; i++) {
        const int k = n->bodies[i].index, frame = k - b->body_count;
        if (is_duplicate(n->bodies, i))
            status = status_both(
                status,
                judge_fail(j, ARNE_MODEL, frame < 0 ? b->bodies[k].place : b->frames[frame].place,
                           "two links or frames are named '%s'", n->bodies[i].name));
    }
    for (int i = 0; status_goes_on(status) && i < n->joint_count; i++)
        if (is_duplicate(n->joints, i))
            status =
                status_both(status, judge_fail(j, ARNE_MODEL, b->joints[n->joints[i].index].place,
                                               "two joints are named '%s'", n->joints[i].name));
    return status;
}

// The index of a body, not of a frame; -1 where there is none.
static int body_named(const arne_builder *b, const names *n, const char *name)
{
    const int i = lookup(n->bodies, n->body_count, name);
    return i < b->body_count ? i : -1;
}

// ---- tree ----

static arne_status connect_joint(const arne_builder *b, const judge *j, const names *n, graph *g,
                                 int i)
{
    const arne_joint_spec *s = &b->joints[i];
    arne_status            status = ARNE_OK;
    g->parent[i] = body_named(b, n, s->parent);
    g->child[i] = body_named(b, n, s->child);
    if (g->parent[i] < 0)
        status = judge_fail(j, ARNE_MODEL, s->place,
                            "joint '%s' has the parent link '%s', which does not exist", s->name,
                            s->parent);
    if (g->child[i] < 0)
        status = judge_fail(j, ARNE_MODEL, s->place,
                            "joint '%s' has the child link '%s', which does not exist", s->name,
                            s->child);
    if (status) return status;
    if (g->parent[i] == g->child[i])
        return judge_fail(j, ARNE_MODEL, s->place, "joint '%s' joins link '%s' to itself", s->name,
                          s->child);
    if (g->above[g->child[i]] >= 0)
        return judge_fail(j, ARNE_MODEL, s->place,
                          "link '%s' has two parents: joint '%s' and joint '%s'", s->child,
                          b->joints[g->above[g->child[i]]].name, s->name);
    g->above[g->child[i]] = i;
    return ARNE_OK;
}

static arne_status connect(const arne_builder *b, const judge *j, const names *n, graph *g)
{
    arne_status status = ARNE_OK;
    for (int i = 0; i < b->body_count; i++)
        g->above[i] = -1;
    for (int i = 0; i < b->joint_count && status_goes_on(status); i++)
        status = status_both(status, connect_joint(b, j, n, g, i));
    for (int i = 0; i < b->frame_count && status_goes_on(status); i++) {
        const frame_spec *f = &b->frames[i];
        g->frame_body[i] = body_named(b, n, f->body);
        if (g->frame_body[i] < 0)
            status =
                status_both(status, judge_fail(j, ARNE_MODEL, f->place,
                                               "frame '%s' is on link '%s', which does not exist",
                                               f->name, f->body));
    }
    return status;
}

static arne_status graph_find_root(const arne_builder *b, const judge *j, graph *g)
{
    const arne_place nowhere = {NULL, 0};
    arne_status      status = ARNE_OK;
    g->root = -1;
    for (int i = 0; i < b->body_count && status_goes_on(status); i++) {
        if (g->above[i] >= 0) continue;
        if (g->root >= 0)
            status = status_both(status, judge_fail(j, ARNE_MODEL, b->bodies[i].place,
                                                    "there are two root links, '%s' and '%s': one "
                                                    "of them needs a joint to a parent",
                                                    b->bodies[g->root].name, b->bodies[i].name));
        else
            g->root = i;
    }
    if (g->root >= 0) return status;
    if (b->body_count == 0) return judge_fail(j, ARNE_MODEL, nowhere, "the robot has no links");
    return judge_fail(
        j, ARNE_MODEL, b->joints[0].place,
        "there is no root link: every link has a parent, so the joints form a cycle through '%s'",
        b->joints[0].name);
}

// Each joint in the file's turn, after those that carry its parent. A chain that never meets the
// root is a cycle.
static arne_status sort_joints(const arne_builder *b, const judge *j, graph *g)
{
    const size_t joints = (size_t)b->joint_count;
    int         *placed = calloc(2 * joints + 1, sizeof(int)); // 1 waiting, 2 done
    if (!placed) return arne_fail_memory(j->error);
    int        *stack = placed + joints, count = 0;
    arne_status status = ARNE_OK;
    for (int i = 0; !status && i < b->joint_count; i++) {
        int depth = 0;
        for (int k = i; k >= 0 && placed[k] != 2; k = g->above[g->parent[k]]) {
            if (placed[k] == 1) {
                status = judge_fail(j, ARNE_MODEL, b->joints[k].place,
                                    "the joints form a cycle through '%s'", b->joints[k].name);
                break;
            }
            placed[k] = 1;
            stack[depth++] = k;
        }
        while (!status && depth > 0) {
            placed[stack[--depth]] = 2;
            g->order[count++] = stack[depth];
        }
    }
    free(placed);
    return status;
}

arne_status graph_make(const arne_builder *b, const judge *j, graph *g)
{
    const size_t joints = (size_t)b->joint_count, bodies = (size_t)b->body_count;
    int         *block = malloc((4 * joints + bodies + (size_t)b->frame_count + 1) * sizeof(int));
    names        n = {0};

    g->parent = block;
    g->ratio = malloc((2 * joints + 1) * sizeof(double));
    if (!block || !g->ratio) return arne_fail_memory(j->error);
    g->offset = g->ratio + joints;
    g->child = block + joints;
    g->mimic = block + 2 * joints;
    g->order = block + 3 * joints;
    g->above = block + 4 * joints;
    g->frame_body = g->above + bodies;
    arne_status status = names_make(b, j, &n);
    if (!status) status = graph_check_names(b, j, &n);
    if (status_goes_on(status)) status = status_both(status, connect(b, j, &n, g));
    // What is missing would only be found missing once more.
    if (!status && !b->incomplete) {
        status = graph_find_root(b, j, g);
        if (!status) status = sort_joints(b, j, g);
    }
    if (status_goes_on(status)) status = status_both(status, graph_follow(b, j, g));
    free(n.bodies);
    free(n.joints);
    return status;
}

void graph_free(graph *g)
{
    free(g->parent);
    free(g->ratio);
    free(g->terms);
    free(g->bends);
    free(g->stages);
}
