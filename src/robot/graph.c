// From names to a tree: duplicates, missing ends, two parents, two roots, cycles and mimic relations are found here.
#include "robot/graph.h"
#include "base/error.h"
#include "base/text.h"
#include <stdlib.h>
#include <string.h>

arne_status judge_flaw(const judge *j, const char *rule, arne_place place, int accepted,
                       const char *format, ...)
{
    char    text[400], file[sizeof j->error->file];
    va_list arguments;
    va_start(arguments, format);
    text_line_list(text, sizeof text, format, arguments);
    va_end(arguments);
    if (j->options->strict && !accepted)
        return arne_fail(j->error, ARNE_STRICT, place.file, place.line, "%s [%s]", text, rule);
    text_line(file, sizeof file, "%s", place.file ? place.file : "");
    const arne_warning warning = {rule, file, place.line, text, accepted};
    if (j->options->warn) j->options->warn(j->options->warn_context, &warning);
    return ARNE_OK;
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

// The second of two entries with one name, or -1.
static int duplicate(const entry *table, int count)
{
    for (int i = 1; i < count; i++)
        if (!strcmp(table[i - 1].name, table[i].name)) return table[i].index;
    return -1;
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

    const int body = duplicate(n->bodies, n->body_count),
              joint = duplicate(n->joints, n->joint_count);
    if (body >= 0) {
        const int        frame = body - b->body_count;
        const arne_place at = frame < 0 ? b->bodies[body].place : b->frames[frame].place;
        return arne_fail(j->error, ARNE_MODEL, at.file, at.line,
                         "two links or frames are named '%s'",
                         frame < 0 ? b->bodies[body].name : b->frames[frame].name);
    }
    if (joint >= 0)
        return arne_fail(j->error, ARNE_MODEL, b->joints[joint].place.file,
                         b->joints[joint].place.line, "two joints are named '%s'",
                         b->joints[joint].name);
    return ARNE_OK;
}

// The index of a body, not of a frame; -1 where there is none.
static int body_named(const arne_builder *b, const names *n, const char *name)
{
    const int i = lookup(n->bodies, n->body_count, name);
    return i < b->body_count ? i : -1;
}

// ---- tree ----

static arne_status connect(const arne_builder *b, const judge *j, const names *n, graph *g)
{
    for (int i = 0; i < b->body_count; i++)
        g->above[i] = -1;
    for (int i = 0; i < b->joint_count; i++) {
        const arne_joint_spec *s = &b->joints[i];
        const char            *file = s->place.file;
        const int              line = s->place.line;
        g->parent[i] = body_named(b, n, s->parent);
        g->child[i] = body_named(b, n, s->child);
        if (g->parent[i] < 0 || g->child[i] < 0)
            return arne_fail(j->error, ARNE_MODEL, file, line,
                             "joint '%s' has the %s link '%s', which does not exist", s->name,
                             g->parent[i] < 0 ? "parent" : "child",
                             g->parent[i] < 0 ? s->parent : s->child);
        if (g->parent[i] == g->child[i])
            return arne_fail(j->error, ARNE_MODEL, file, line,
                             "joint '%s' joins link '%s' to itself", s->name, s->child);
        if (g->above[g->child[i]] >= 0)
            return arne_fail(j->error, ARNE_MODEL, file, line,
                             "link '%s' has two parents: joint '%s' and joint '%s'", s->child,
                             b->joints[g->above[g->child[i]]].name, s->name);
        g->above[g->child[i]] = i;
    }
    for (int i = 0; i < b->frame_count; i++) {
        const frame_spec *f = &b->frames[i];
        g->frame_body[i] = body_named(b, n, f->body);
        if (g->frame_body[i] < 0)
            return arne_fail(j->error, ARNE_MODEL, f->place.file, f->place.line,
                             "frame '%s' is on link '%s', which does not exist", f->name, f->body);
    }
    return ARNE_OK;
}

static arne_status find_root(const arne_builder *b, const judge *j, graph *g)
{
    g->root = -1;
    for (int i = 0; i < b->body_count; i++) {
        if (g->above[i] >= 0) continue;
        if (g->root >= 0)
            return arne_fail(
                j->error, ARNE_MODEL, b->bodies[i].place.file, b->bodies[i].place.line,
                "there are two root links, '%s' and '%s': one of them needs a joint to a parent",
                b->bodies[g->root].name, b->bodies[i].name);
        g->root = i;
    }
    if (g->root >= 0) return ARNE_OK;
    if (b->body_count == 0)
        return arne_fail(j->error, ARNE_MODEL, NULL, 0, "the robot has no links");
    return arne_fail(
        j->error, ARNE_MODEL, b->joints[0].place.file, b->joints[0].place.line,
        "there is no root link: every link has a parent, so the joints form a cycle through '%s'",
        b->joints[0].name);
}

// Each joint in the file's turn, after those that carry its parent. A chain that never meets the root is a cycle.
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
                status = arne_fail(j->error, ARNE_MODEL, b->joints[k].place.file,
                                   b->joints[k].place.line, "the joints form a cycle through '%s'",
                                   b->joints[k].name);
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

static int one_coordinate(arne_joint_kind kind) { return arne_joint_kind_v_count(kind) == 1; }

static arne_status resolve_mimic(const arne_builder *b, const judge *j, const names *n, graph *g)
{
    for (int i = 0; i < b->joint_count; i++) {
        const arne_joint_spec *s = &b->joints[i];
        const char            *file = s->place.file;
        const int              line = s->place.line;
        g->mimic[i] = -1;
        if (!s->mimic) continue;
        if (s->kind == ARNE_JOINT_FIXED) {
            const arne_status status = judge_flaw(
                j, "mimic", s->place, 0, "joint '%s' is fixed, so its mimic is ignored", s->name);
            if (status) return status;
            continue;
        }
        const int of = g->mimic[i] = lookup(n->joints, n->joint_count, s->mimic);
        if (of < 0)
            return arne_fail(j->error, ARNE_MODEL, file, line,
                             "joint '%s' mimics '%s', which does not exist", s->name, s->mimic);
        if (of == i)
            return arne_fail(j->error, ARNE_MODEL, file, line, "joint '%s' mimics itself", s->name);
        if (b->joints[of].mimic && b->joints[of].kind != ARNE_JOINT_FIXED)
            return arne_fail(j->error, ARNE_MODEL, file, line,
                             "joint '%s' mimics '%s', which is a mimic joint itself", s->name,
                             s->mimic);
        if (!one_coordinate(s->kind) || !one_coordinate(b->joints[of].kind))
            return arne_fail(j->error, ARNE_MODEL, file, line,
                             "joint '%s' mimics '%s': both must have one coordinate", s->name,
                             s->mimic);
    }
    return ARNE_OK;
}

arne_status graph_make(const arne_builder *b, const judge *j, graph *g)
{
    const size_t joints = (size_t)b->joint_count, bodies = (size_t)b->body_count;
    int         *block = malloc((4 * joints + bodies + (size_t)b->frame_count + 1) * sizeof(int));
    names        n = {0};

    g->parent = block;
    if (!block) return arne_fail_memory(j->error);
    g->child = block + joints;
    g->mimic = block + 2 * joints;
    g->order = block + 3 * joints;
    g->above = block + 4 * joints;
    g->frame_body = g->above + bodies;
    arne_status status = names_make(b, j, &n);
    if (!status) status = connect(b, j, &n, g);
    if (!status) status = find_root(b, j, g);
    if (!status) status = sort_joints(b, j, g);
    if (!status) status = resolve_mimic(b, j, &n, g);
    free(n.bodies);
    free(n.joints);
    return status;
}

void graph_free(graph *g) { free(g->parent); }
