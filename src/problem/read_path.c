// The section `path` of a problem file: a motion along a given path.
#include "base/error.h"
#include "problem/read_problem.h"
#include <stdlib.h>

typedef struct path_keys {
    const doc_node *points;
} path_keys;

static const doc_key path_key_table[] = {
    {"points", DOC_TYPE_NODE, offsetof(path_keys, points), .needed = 1, .unit = "rad, m",
     .takes = "a list of configurations"},
    {0},
};
const doc_schema problem_path_schema = {"path", NULL, path_key_table, NULL};

// The points of a path: rows of numbers.
static arne_status path_read_points(problem *p, const doc_node *list, double **out, int *count)
{
    const doc_slot points = {&p->r, "path", "points", list};
    const int      n = arne_robot_sizes(p->robot).v_count;
    arne_status    status = doc_expect(&points, DOC_LIST);
    if (status) return status;
    *count = 0;
    *out = calloc((size_t)(list->count * n + 1), sizeof **out);
    if (!*out) return arne_fail_memory(p->r.error);
    for (const doc_item *i = list->first; i && status_goes_on(status); i = i->next) {
        const doc_slot row = {&p->r, "path", "points", i->value};
        status = status_both(status, doc_numbers(&row, n, *out + n * (*count)++));
    }
    return status;
}

arne_status problem_on_path(problem *p)
{
    const doc_slot slot = {&p->r, "", "path", p->path}, map = {&p->r, "path", "", p->path};
    path_keys      keys = {0};
    double        *points = NULL;
    int            count = 0;
    arne_status    status = doc_read_map(&map, &problem_path_schema, &keys, 0);
    if (!status) status = path_read_points(p, keys.points, &points, &count);
    if (!status)
        status = doc_check(&slot, arne_plan_new_on_path(p->robot, &p->options, count, points,
                                                        &p->plan, p->r.error));
    free(points);
    return status;
}
