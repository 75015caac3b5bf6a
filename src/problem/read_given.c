// What a problem file says of single coordinates: prescribed, frozen, and where the search starts.
#include "base/error.h"
#include "problem/read_problem.h"
#include <stdlib.h>

typedef struct prescribed_keys {
    const doc_node *polynomial;
    double          amplitude, frequency, phase;
} prescribed_keys;

static const doc_key prescribed_key_table[] = {
    {"polynomial", DOC_TYPE_NODE, offsetof(prescribed_keys, polynomial),
     .takes = "a list of at most 16 coefficients of t/T, the constant first",
     .help = "coefficients, constant first, in t"},
    {"amplitude", DOC_TYPE_NUMBER, offsetof(prescribed_keys, amplitude), .otherwise = "0",
     .help = "of the sine that is added"},
    {"frequency", DOC_TYPE_NUMBER, offsetof(prescribed_keys, frequency), .otherwise = "0",
     .help = "of the sine"},
    {"phase", DOC_TYPE_NUMBER, offsetof(prescribed_keys, phase), .otherwise = "0",
     .help = "of the sine"},
    {0},
};
const doc_schema problem_prescribed_schema = {"prescribed", NULL, prescribed_key_table, NULL};

// The coordinates that the name of an entry stands for; *rows is to be freed.
static arne_status named_rows(const doc_slot *item, const char *name, int **rows, int *count)
{
    const problem *p = problem_of(item);
    const doc_node text = {
        .kind = DOC_TEXT, .text = name, .line = item->value->line, .column = item->value->column};
    const doc_slot named = {item->reader, "", item->key, &text};
    *rows = calloc((size_t)p->plan->problem.v_count + 1, sizeof **rows);
    return *rows ? problem_coordinates(p, &named, *rows, count) : arne_fail_memory(p->r.error);
}

static arne_status read_prescribed_one(const doc_slot *item, const char *name, void *context)
{
    problem        *p = context;
    prescribed_keys f = {NULL, 0, 0, 0};
    double          c[16] = {0};
    int            *rows = NULL, count = 0;
    const doc_slot  map = {item->reader, item->owner, "", item->value};
    arne_status     status = item->value->kind == DOC_TEXT
                                 ? doc_number(item, &c[0])
                                 : doc_read_map(&map, &problem_prescribed_schema, &f, 0);
    const doc_slot  numbers = {item->reader, item->owner, "polynomial", f.polynomial};
    const int       terms = f.polynomial ? f.polynomial->count : 1;
    if (!status && f.polynomial && (f.polynomial->kind != DOC_LIST || terms > 16))
        return doc_fail(&numbers, ARNE_VALUE, "must be a list of at most 16 numbers");
    if (!status && f.polynomial) status = doc_numbers(&numbers, terms, c);
    if (!p->plan) return status;
    status = status_both(status, named_rows(item, name, &rows, &count));
    for (int i = 0; i < count && !status; i++)
        status = doc_check(
            item, arne_plan_prescribe(p->plan, plan_planned(&p->plan->problem, rows[i]), c, terms,
                                      f.amplitude, f.frequency, f.phase, p->r.error));
    free(rows);
    return status;
}

arne_status problem_prescribed(const doc_slot *section, void *unused)
{
    (void)unused;
    return doc_each_name(section, "prescribed", read_prescribed_one, problem_of(section));
}

// Coordinates with a constant value.
arne_status problem_frozen(const doc_slot *section, void *unused)
{
    problem *p = problem_of(section);
    (void)unused;
    if (!p->plan) return doc_values(section, NULL, DOC_ALONG_V, NULL, NULL);
    const int      n = p->plan->problem.v_count;
    double        *value = calloc((size_t)n, sizeof *value);
    unsigned char *given = calloc((size_t)n, 1);
    arne_status status = value && given ? doc_values(section, p->robot, DOC_ALONG_V, value, given)
                                        : arne_fail_memory(p->r.error);
    for (int k = 0; !status && k < n; k++)
        if (given[k] && plan_planned(&p->plan->problem, k) >= 0) {
            arne_plan_bound(p->plan, plan_planned(&p->plan->problem, k), value[k], value[k]);
            arne_plan_start_line(p->plan, plan_planned(&p->plan->problem, k), value[k], value[k]);
        }
    free(value), free(given);
    return status;
}

// Where the search starts: a number for a coordinate that stands, or [from, to].
static arne_status read_guess_one(const doc_slot *item, const char *name, void *context)
{
    problem    *p = context;
    double      ends[2] = {0, 0};
    int        *rows = NULL, count = 0;
    arne_status status =
        item->value->kind == DOC_LIST ? doc_numbers(item, 2, ends) : doc_number(item, &ends[0]);
    if (item->value->kind != DOC_LIST) ends[1] = ends[0];
    if (!p->plan) return status;
    status = status_both(status, named_rows(item, name, &rows, &count));
    for (int k = 0; k < count && !status; k++)
        if (plan_planned(&p->plan->problem, rows[k]) >= 0)
            arne_plan_start_line(p->plan, plan_planned(&p->plan->problem, rows[k]), ends[0],
                                 ends[1]);
    free(rows);
    return status;
}

arne_status problem_guess(const doc_slot *section, void *unused)
{
    (void)unused;
    return doc_each_name(section, "guess", read_guess_one, problem_of(section));
}
