// What a robot's file says for plans alone: the sections `fatigue` and `strength`, as problem files
// have them. Files that it extends come first; what the problem's file says comes after and counts
// more.
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

static arne_status read_parts(problem *p, const char *path, int depth)
{
    document    doc = {0};
    reader      own = {.file = path,
                       .found = p->r.found,
                       .error = p->r.error,
                       .context = p,
                       .document = &doc,
                       .robot = p->r.robot};
    arne_status status = is_yaml(path) && depth < DEEPEST ? document_load(&own, &doc) : ARNE_OK;
    const int   map = !status && doc.root && doc.root->kind == DOC_MAP;
    if (status == ARNE_NO_MEMORY || !map) { // its mistakes were told when the robot was read
        document_free(&doc);
        return status == ARNE_NO_MEMORY ? status : ARNE_OK;
    }
    const doc_node *base = doc_find(doc.root, "extends");
    if (base && base->kind == DOC_TEXT) {
        char *beside = arne_path_beside(path, base->text);
        status = beside ? read_parts(p, beside, depth + 1) : arne_fail_memory(p->r.error);
        free(beside);
    }
    const doc_slot fatigue = {&own, "", "fatigue", doc_find(doc.root, "fatigue")},
                   strength = {&own, "", "strength", doc_find(doc.root, "strength")};
    if (fatigue.value && status_goes_on(status))
        status = status_both(status, problem_fatigue(&fatigue, NULL));
    if (strength.value && status_goes_on(status))
        status = status_both(status, problem_strength(&strength, NULL));
    document_free(&doc);
    return status;
}

arne_status problem_robot_parts(problem *p)
{
    char *path = problem_path(p, p->robot_file);
    if (!path) return arne_fail_memory(p->r.error);
    const arne_status status = read_parts(p, path, 0);
    free(path);
    return status;
}
