// Parameters: by path a list, a range, a distribution or a column of a CSV.
#include "io/kept_files.h"
#include "io/number.h"
#include "io/run_folder.h"
#include "sweep/sweep.h"
#include <arne/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 10000000 }; // of a range

arne_status sweep_add_parameter(arne_sweep *s, const sweep_parameter *parameter)
{
    for (int i = 0; i < s->parameter_count; i++)
        if (strcmp(s->parameters[i].path, parameter->path) == 0)
            return arne_reader_fail_at(&s->reader, ARNE_VALUE, parameter->line, parameter->column,
                                       "the parameter '%.100s' is here twice", parameter->path);
    if (s->parameter_count == s->parameter_room) {
        const int        room = 2 * s->parameter_room + 8;
        sweep_parameter *all = realloc(s->parameters, (size_t)room * sizeof *all);
        if (!all) return arne_fail_memory(s->reader.error);
        s->parameters = all;
        s->parameter_room = room;
    }
    s->parameters[s->parameter_count++] = *parameter;
    return ARNE_OK;
}

static double *take_values(sweep_parameter *p, long count)
{
    p->values = calloc((size_t)count + 1, sizeof *p->values);
    p->count = count;
    return p->values;
}

// Numbers where all entries are; else texts.
static arne_status sweep_parameters_read_list(const doc_slot *slot, sweep_parameter *p)
{
    arne_sweep *s = sweep_of(slot);
    const long  count = slot->value->count;
    int         numbers = 1;
    long        n = 0;
    if (count == 0) return doc_fail(slot, ARNE_VALUE, "needs one value at least");
    p->law = LAW_LIST;
    p->texts = document_take(&s->doc, (size_t)count * sizeof *p->texts);
    if (!p->texts || !take_values(p, count)) return arne_fail_memory(s->reader.error);
    for (const doc_item *i = slot->value->first; i; i = i->next, n++) {
        if (i->value->kind != DOC_TEXT) {
            const doc_slot entry = {slot->reader, slot->owner, slot->key, i->value};
            return doc_fail(&entry, ARNE_VALUE, "takes single values");
        }
        p->texts[n] = i->value->text;
        numbers &= arne_parse_number(i->value->text, &p->values[n]) == ARNE_OK;
    }
    if (numbers) p->texts = NULL;
    return ARNE_OK;
}

typedef struct law_keys {
    const doc_node *list, *range, *uniform, *normal, *lognormal;
    int             count;
    double          step;
    const char     *csv, *column;
} law_keys;

#define AT(field) offsetof(law_keys, field)
static const doc_key law_table[] = {
    {"list", DOC_TYPE_NODE, AT(list), .takes = "a list", .help = "the values themselves"},
    {"range", DOC_TYPE_NODE, AT(range), .takes = "[from, to], or [from, to, count]",
     .help = "evenly spaced values"},
    {"count", DOC_TYPE_WHOLE, AT(count), .range = DOC_POSITIVE, .help = "points of a range"},
    {"step", DOC_TYPE_NUMBER, AT(step), .range = DOC_POSITIVE, .help = "of a range"},
    {"uniform", DOC_TYPE_NODE, AT(uniform), .takes = "[from, to]", .help = "a distribution"},
    {"normal", DOC_TYPE_NODE, AT(normal), .takes = "[mean, standard deviation]",
     .help = "a distribution"},
    {"lognormal", DOC_TYPE_NODE, AT(lognormal),
     .takes = "[mean, standard deviation] of the logarithm", .help = "a distribution"},
    {"csv", DOC_TYPE_TEXT, AT(csv), .needed = 0, .help = "a file whose column has the values"},
    {"column", DOC_TYPE_TEXT, AT(column), .help = "default: that of the parameter's name"},
    {0},
};
#undef AT
static const doc_schema law_schema = {"parameter", NULL, law_table, NULL};

static arne_status sweep_parameters_read_pair(const doc_slot *map, const char *key, sweep_law law,
                                              sweep_parameter *p)
{
    const doc_slot slot = doc_under(map, key);
    double         pair[2];
    arne_status    status = doc_numbers(&slot, 2, pair);
    if (status) return status;
    if (law == LAW_UNIFORM && !(pair[0] < pair[1]))
        return doc_fail(&slot, ARNE_VALUE, "must be from a smaller number to a larger one");
    if (law != LAW_UNIFORM && !(pair[1] > 0))
        return doc_fail(&slot, ARNE_VALUE, "needs a standard deviation above zero");
    p->law = law;
    p->a = pair[0];
    p->b = pair[1];
    return ARNE_OK;
}

// Points from one end to the other; without a number of points or a step the range is a
// distribution.
static arne_status read_range(const doc_slot *map, const law_keys *k, sweep_parameter *p)
{
    const doc_slot slot = doc_under(map, "range");
    double         ends[3] = {0, 0, k->count};
    if (k->range->kind == DOC_LIST && k->range->count == 2) {
        arne_status status = doc_numbers(&slot, 2, ends);
        if (status) return status;
    } else {
        arne_status status = doc_numbers(&slot, 3, ends);
        if (status) return status;
    }
    if (k->step > 0) ends[2] = floor((ends[1] - ends[0]) / k->step + 1e-9) + 1;
    if (ends[2] == 0) return sweep_parameters_read_pair(map, "range", LAW_UNIFORM, p);
    if (!(ends[2] >= 1 && ends[2] <= MOST_POINTS) || ends[2] != floor(ends[2]))
        return doc_fail(&slot, ARNE_VALUE, "has no number of points between 1 and %d", MOST_POINTS);
    p->law = LAW_LIST;
    const long count = (long)ends[2];
    if (!take_values(p, count)) return arne_fail_memory(slot.reader->error);
    for (long i = 0; i < count; i++)
        p->values[i] = k->step > 0  ? ends[0] + (double)i * k->step
                       : count == 1 ? ends[0]
                       : i == count - 1
                           ? ends[1]
                           : ends[0] + (ends[1] - ends[0]) * (double)i / (double)(count - 1);
    return ARNE_OK;
}

static arne_status sweep_parameters_read_table(arne_sweep *s, const doc_slot *slot,
                                               const char *file, arne_table **out)
{
    char       *path = arne_path_beside(s->path, file);
    arne_status status = path ? ARNE_OK : arne_fail_memory(s->reader.error);
    if (!status) status = doc_check(slot, kept_files_table(NULL, path, out, s->reader.error));
    if (!status) status = sweep_add_input(s, path);
    if (!status && arne_table_rows(*out) == 0) status = doc_fail(slot, ARNE_VALUE, "has no rows");
    free(path);
    return status;
}

static arne_status sweep_parameters_take_column(const arne_sweep *s, const arne_table *t,
                                                int column, sweep_parameter *p)
{
    p->law = LAW_LIST;
    if (!take_values(p, arne_table_rows(t))) return arne_fail_memory(s->reader.error);
    for (long i = 0; i < p->count; i++)
        p->values[i] = arne_table_row(t, (int)i)[column];
    return ARNE_OK;
}

static const char *sweep_parameters_column_name(const void *table, int index)
{
    return arne_table_name(table, index);
}

static arne_status read_csv(const doc_slot *map, const law_keys *k, sweep_parameter *p)
{
    const doc_slot slot = doc_under(map, "csv");
    arne_sweep    *s = sweep_of(map);
    arne_table    *t = NULL;
    const char    *name = k->column ? k->column : p->path;
    arne_status    status = sweep_parameters_read_table(s, &slot, k->csv, &t);
    const int      column = status ? -1 : arne_table_find(t, name);
    if (!status && column < 0) {
        char near[200];
        arne_near_matches(name, sweep_parameters_column_name, t, arne_table_columns(t), near,
                          sizeof near);
        status = doc_fail(&slot, ARNE_NOT_FOUND, "has no column '%.100s'%s", name, near);
    }
    if (!status) status = sweep_parameters_take_column(s, t, column, p);
    arne_table_free(t);
    return status;
}

static arne_status read_law(const doc_slot *map, sweep_parameter *p)
{
    law_keys    k = {0};
    arne_status status = doc_read_map(map, &law_schema, &k, 0);
    if (status) return status;
    const int ways = !!k.list + !!k.range + !!k.uniform + !!k.normal + !!k.lognormal + !!k.csv;
    if (ways != 1)
        return doc_fail(map, ARNE_VALUE,
                        "needs one of list, range, uniform, normal, lognormal and csv");
    if (k.uniform) return sweep_parameters_read_pair(map, "uniform", LAW_UNIFORM, p);
    if (k.normal) return sweep_parameters_read_pair(map, "normal", LAW_NORMAL, p);
    if (k.lognormal) return sweep_parameters_read_pair(map, "lognormal", LAW_LOGNORMAL, p);
    if (k.range) return read_range(map, &k, p);
    if (k.csv) return read_csv(map, &k, p);
    const doc_slot list = doc_under(map, "list");
    status = doc_expect(&list, DOC_LIST);
    return status ? status : sweep_parameters_read_list(&list, p);
}

static arne_status sweep_parameters_read_one(arne_sweep *s, const doc_item *item)
{
    char            owner[160];
    sweep_parameter p = {.path = item->key, .line = item->line, .column = item->column};
    snprintf(owner, sizeof owner, "parameter '%.120s'", item->key);
    const doc_slot slot = {&s->reader, owner, "", item->value};
    arne_status    status = ARNE_OK;
    if (item->value->kind == DOC_LIST) {
        status = sweep_parameters_read_list(&slot, &p);
    } else if (item->value->kind == DOC_MAP) {
        status = read_law(&slot, &p);
    } else { // one value: the same in all rows
        doc_item       only = {.value = item->value};
        doc_node       list = {.kind = DOC_LIST, .count = 1, .first = &only, .last = &only};
        const doc_slot one = {&s->reader, owner, "", &list};
        status = sweep_parameters_read_list(&one, &p);
    }
    if (!status) status = sweep_add_parameter(s, &p);
    if (status) free(p.values);
    return status;
}

// Every column is a parameter, every line a row.
static arne_status read_csv_of_all(arne_sweep *s, const doc_slot *slot)
{
    arne_table *t = NULL;
    arne_status status = sweep_parameters_read_table(s, slot, slot->value->text, &t);
    for (int k = 0; !status && k < arne_table_columns(t); k++) {
        const char     *name = arne_table_name(t, k);
        char           *copy = document_take(&s->doc, strlen(name) + 1);
        sweep_parameter p = {
            .path = copy, .line = slot->value->line, .column = slot->value->column};
        if (!copy) status = arne_fail_memory(s->reader.error);
        if (!status) status = (strcpy(copy, name), sweep_parameters_take_column(s, t, k, &p));
        if (!status) status = sweep_add_parameter(s, &p);
        if (status) free(p.values);
    }
    if (!status && !s->design) s->design = DESIGN_ROWS;
    arne_table_free(t);
    return status;
}

arne_status sweep_read_parameters(arne_sweep *s)
{
    const doc_slot slot = {&s->reader, "", "parameters", s->parameter_node};
    arne_status    status = ARNE_OK;
    if (!slot.value) return ARNE_OK;
    if (slot.value->kind == DOC_TEXT && *slot.value->text) return read_csv_of_all(s, &slot);
    status = doc_expect(&slot, DOC_MAP);
    for (const doc_item *i = status ? NULL : slot.value->first; i && status_goes_on(status);
         i = i->next)
        status = status_both(status, sweep_parameters_read_one(s, i));
    return status;
}
