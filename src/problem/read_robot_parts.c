// What a robot's file says for plans alone: the sections `fatigue` and `strength`, as problem files
// have them, and `walker`. Files that it extends come first; what the problem's file says comes
// after and counts more.
#include "base/error.h"
#include "io/run_folder.h"
#include "problem/read_problem.h"
#include <stdlib.h>
#include <string.h>

enum {
    DEEPEST = 16
}; // files that extend each other in a circle are a mistake of the robot's reader

static int is_yaml(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

// Calls visit for the document of a robot's file and, before, for those that it extends. Mistakes
// of the files themselves were reported when the robot was read.
typedef arne_status (*part_visit)(reader *r, const doc_node *root, void *into);
typedef struct part_reading {
    problem          *p;
    const arne_robot *robot;
    part_visit        visit;
    void             *into;
} part_reading;

static arne_status load(const part_reading *how, const reader *r, int depth, document *doc)
{
    const doc_given *given = how->p->given;
    if (depth == 0 && given && given->robot) return document_copy(given->robot, doc);
    return is_yaml(r->file) && depth < DEEPEST ? document_load(r, doc) : ARNE_OK;
}

static arne_status read_parts(const part_reading *how, const char *path, int depth)
{
    problem    *p = how->p;
    document    doc = {0};
    reader      own = {.file = path,
                       .found = p->r.found,
                       .error = p->r.error,
                       .context = p,
                       .document = &doc,
                       .robot = how->robot};
    arne_status status = load(how, &own, depth, &doc);
    const int   map = !status && doc.root && doc.root->kind == DOC_MAP;
    if (status == ARNE_NO_MEMORY || !map) {
        document_free(&doc);
        return status == ARNE_NO_MEMORY ? status : ARNE_OK;
    }
    const doc_node *base = doc_find(doc.root, "extends");
    if (base && base->kind == DOC_TEXT) {
        char *beside = arne_path_beside(path, base->text);
        status = beside ? read_parts(how, beside, depth + 1) : arne_fail_memory(p->r.error);
        free(beside);
    }
    if (status_goes_on(status)) status = status_both(status, how->visit(&own, doc.root, how->into));
    document_free(&doc);
    return status;
}

static arne_status read_robot_files(const part_reading *how)
{
    char *path = problem_path(how->p, how->p->robot_file);
    if (!path) return arne_fail_memory(how->p->r.error);
    const arne_status status = read_parts(how, path, 0);
    free(path);
    return status;
}

static arne_status visit_parts(reader *r, const doc_node *root, void *unused)
{
    const doc_slot fatigue = {r, "", "fatigue", doc_find(root, "fatigue")},
                   strength = {r, "", "strength", doc_find(root, "strength")};
    arne_status status = ARNE_OK;
    (void)unused;
    if (fatigue.value) status = problem_fatigue(&fatigue, NULL);
    if (strength.value && status_goes_on(status))
        status = status_both(status, problem_strength(&strength, NULL));
    return status;
}

arne_status problem_robot_parts(problem *p)
{
    const part_reading how = {p, p->r.robot, visit_parts, NULL};
    return read_robot_files(&how);
}

static arne_status visit_walker(reader *r, const doc_node *root, void *out)
{
    const doc_slot section = {r, "", "walker", doc_find(root, "walker")};
    return section.value ? walker_read(&section, out) : ARNE_OK;
}

arne_status problem_walker(problem *p, const arne_robot *robot, walker_parts *out)
{
    const part_reading how = {p, robot, visit_walker, out};
    const doc_node    *task = doc_find(p->doc.root, "gait");
    const doc_node    *own = task ? doc_find(task, "walker") : NULL;
    const doc_slot     section = {&p->r, "gait", "walker", own};
    *out = walker_none();
    arne_status status = read_robot_files(&how);
    if (!own || !status_goes_on(status)) return status;
    const arne_robot *before = p->r.robot;
    p->r.robot = robot;
    status = status_both(status, walker_read(&section, out));
    p->r.robot = before;
    return status;
}
