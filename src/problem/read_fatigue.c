// The sections `fatigue` and `repeat` of a problem file.
#include "base/error.h"
#include "problem/read_problem.h"
#include <stdlib.h>

#define AT(field) offsetof(arne_fatigue, field)
static const doc_key rate_keys[] = {
    {"fatigue", DOC_TYPE_NUMBER, AT(fatigue), .needed = 1, .unit = "1/s", .range = DOC_POSITIVE,
     .help = "rate at which the active part tires"},
    {"recovery", DOC_TYPE_NUMBER, AT(recovery), .needed = 1, .unit = "1/s",
     .range = DOC_NOT_NEGATIVE, .help = "rate at which the fatigued part recovers"},
    {0},
};
#undef AT
const doc_schema problem_fatigue_schema = {"fatigue", NULL, rate_keys, NULL};

static arne_status read_rates(const doc_slot *item, const char *name, void *context)
{
    problem       *p = context;
    arne_fatigue   rates = {0, 0};
    const doc_slot map = {item->reader, item->owner, "", item->value};
    const doc_node text = {
        .kind = DOC_TEXT, .text = name, .line = item->value->line, .column = item->value->column};
    const doc_slot named = {item->reader, "", item->key, &text};
    arne_status    status = doc_read_map(&map, &problem_fatigue_schema, &rates, 0);
    if (!p->plan) return status;
    int  count = 0;
    int *rows = calloc((size_t)p->plan->problem.v_count + 1, sizeof *rows);
    if (!rows) return arne_fail_memory(p->r.error);
    status = status_both(status, problem_coordinates(p, &named, rows, &count));
    for (int i = 0; i < count && !status; i++)
        p->plan->problem.fatigue[rows[i]] = rates;
    free(rows);
    return status;
}

arne_status problem_fatigue(const doc_slot *section, void *unused)
{
    problem *p = problem_of(section);
    (void)unused;
    if (p->plan && !p->plan->problem.fatigue)
        p->plan->problem.fatigue =
            calloc((size_t)p->plan->problem.v_count, sizeof *p->plan->problem.fatigue);
    if (p->plan && !p->plan->problem.fatigue) return arne_fail_memory(p->r.error);
    return doc_each_name(section, "fatigue", read_rates, p);
}

typedef struct repeat_keys {
    int    times;
    double rest;
} repeat_keys;

static const doc_key repeat_key_table[] = {
    {"times", DOC_TYPE_WHOLE, offsetof(repeat_keys, times), .needed = 1, .range = DOC_POSITIVE,
     .help = "number of repetitions of the task"},
    {"rest", DOC_TYPE_NUMBER, offsetof(repeat_keys, rest), .unit = "s", .range = DOC_NOT_NEGATIVE,
     .otherwise = "0", .help = "rest between repetitions"},
    {0},
};
const doc_schema problem_repeat_schema = {"repeat", NULL, repeat_key_table, NULL};

// A number, or how often and with which rest.
arne_status problem_repeat(const doc_slot *section, void *unused)
{
    problem       *p = problem_of(section);
    repeat_keys    keys = {0, 0};
    const doc_slot map = {section->reader, "repeat", "", section->value};
    arne_status    status = section->value->kind == DOC_TEXT
                                ? doc_whole(section, &keys.times)
                                : doc_read_map(&map, &problem_repeat_schema, &keys, 0);
    (void)unused;
    if (!status && keys.times < 1) status = doc_fail(section, ARNE_VALUE, "must be 1 or more");
    if (status || !p->plan) return status;
    if (!p->plan->problem.fatigue)
        return doc_fail(section, ARNE_VALUE, "needs the rates of joints: a section fatigue");
    p->plan->problem.repeat = keys.times;
    p->plan->problem.rest = keys.rest;
    return ARNE_OK;
}
