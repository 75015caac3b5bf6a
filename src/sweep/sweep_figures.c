// Figures of a sweep: fields of the run's summary, the run's own figures, or columns of its result,
// reduced by the words that scenarios have.
#include "plan/problem/plan.h"
#include "sweep/sweep.h"
#include <arne/io.h>
#include <arne/plan.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(type, field, name, unit, is_long, usual)                                             \
    {                                                                                              \
        name, unit, offsetof(type, field), is_long, usual                                          \
    }
#define SIM(field, name, unit, is_long, usual)                                                     \
    FIELD(arne_simulation_summary, field, name, unit, is_long, usual)
const summary_field scenario_fields[] = {
    SIM(rms_error, "rms_error", "", 0, 1),
    SIM(peak_error, "peak_error", "", 0, 1),
    SIM(energy_residual, "energy_residual", "", 0, 1),
    SIM(closure_error, "closure_error", "", 0, 0),
    SIM(limits_hit, "limits_hit", "", 1, 1),
    SIM(steps, "steps", "", 1, 0),
    SIM(rates, "evaluations", "", 1, 0),
    SIM(time, "time", "s", 0, 1),
    SIM(solve_time, "solve_time", "s", 0, 0),
    SIM(realtime_ratio, "realtime_ratio", "", 0, 0),
    {0},
};
#define PLAN(field, name, unit, is_long, usual)                                                    \
    FIELD(arne_plan_result, field, name, unit, is_long, usual)
const summary_field plan_fields[] = {
    PLAN(T, "T", "s", 0, 1),
    PLAN(objective, "objective", "", 0, 1),
    PLAN(iterations, "iterations", "", 2, 1),
    PLAN(violation, "violation", "", 0, 0),
    PLAN(violation_between, "violation_between", "", 0, 0),
    PLAN(variables, "variables", "", 2, 0),
    PLAN(constraints, "constraints", "", 2, 0),
    PLAN(grid_points, "grid_points", "", 2, 0),
    PLAN(refinements, "refinements", "", 2, 0),
    PLAN(solve_time, "solve_time", "s", 0, 0),
    {0},
};

static const summary_field *fields_of(const arne_sweep *s)
{
    static const summary_field none[] = {{0}};
    return s->kind == SWEEP_SCENARIO  ? scenario_fields
           : s->kind == SWEEP_PROBLEM ? plan_fields
                                      : none;
}

// The scenario's own figures, by name; the tree is as the reader has accepted it.
static const doc_node *own_figures(const arne_sweep *s)
{
    const doc_node *run = s->kind == SWEEP_SCENARIO ? s->run_tree.root : NULL; // NULL: not there
    const doc_node *list = run ? doc_find(run, "figures") : NULL;
    return list && list->kind == DOC_LIST ? list : NULL;
}

static const char *sweep_figures_text_of(const doc_node *map, const char *key)
{
    const doc_node *n = doc_find(map, key);
    return n && n->kind == DOC_TEXT ? n->text : "";
}

typedef struct known_names {
    const summary_field *fields;
    const doc_node      *own;
    const arne_table    *columns;
    int                  field_count;
} known_names;

static const char *field_name(const void *context, int index)
{
    const known_names *k = context;
    if (index < k->field_count) return k->fields[index].name;
    const doc_item *i = k->own->first;
    while (index-- > k->field_count)
        i = i->next;
    return sweep_figures_text_of(i->value, "name");
}

static const char *sweep_figures_column_name(const void *table, int index)
{
    return arne_table_name(table, index);
}

// "rms_error", "figures.NAME" or the name of an own figure.
static arne_status find_field(const arne_sweep *s, const doc_slot *slot, const char *said,
                              sweep_figure *f)
{
    const known_names k = {fields_of(s), own_figures(s), NULL, 0};
    known_names       all = k;
    const char       *name = strncmp(said, "figures.", 8) == 0 ? said + 8 : said;
    char              near[200];
    for (; k.fields[all.field_count].name; all.field_count++)
        if (name == said && strcmp(k.fields[all.field_count].name, said) == 0) {
            f->source = FIGURE_SUMMARY;
            f->index = all.field_count;
            f->unit = k.fields[all.field_count].unit;
            return ARNE_OK;
        }
    int index = 0;
    for (const doc_item *i = k.own ? k.own->first : NULL; i; i = i->next, index++)
        if (strcmp(sweep_figures_text_of(i->value, "name"), name) == 0) {
            f->source = FIGURE_OWN;
            f->index = index;
            f->unit = sweep_figures_text_of(i->value, "unit");
            return ARNE_OK;
        }
    arne_near_matches(name, field_name, &all, all.field_count + index, near, sizeof near);
    return doc_fail(slot, ARNE_NOT_FOUND,
                    "asks for 'summary.%.100s', which the run's summary has not%s", said, near);
}

typedef struct figure_keys {
    const doc_node *column, *reduce, *summary;
    const char     *unit;
    int             more;
} figure_keys;
static const doc_word directions[] = {
    {"less", 0, NULL, NULL, NULL}, {"more", 1, NULL, NULL, NULL}, {0}};
static const doc_key figure_table[] = {
    {"column", DOC_TYPE_NODE, offsetof(figure_keys, column), .takes = "a column of the result",
     .help = "what is reduced to a number"},
    {"reduce", DOC_TYPE_NODE, offsetof(figure_keys, reduce),
     .takes = "rms, peak, max, min, mean, first, last, range or change", .otherwise = "last",
     .help = "how it becomes a number"},
    {"summary", DOC_TYPE_NODE, offsetof(figure_keys, summary), .takes = "a field of the summary",
     .help = "instead of a column"},
    {"unit", DOC_TYPE_TEXT, offsetof(figure_keys, unit), .help = "unit of the number"},
    {"better", DOC_TYPE_WORD, offsetof(figure_keys, more), .words = directions, .otherwise = "less",
     .help = "which rows the report calls the best"},
    {0},
};
static const doc_schema figure_schema = {"figure", NULL, figure_table, NULL};

static arne_status sweep_figures_read_column(const doc_slot *map, const figure_keys *k,
                                             const arne_table *columns, sweep_figure *f)
{
    const doc_slot  column = doc_under(map, "column"), reduce = doc_under(map, "reduce");
    const doc_word *word = NULL;
    arne_status     status = doc_text(&column, &f->of);
    if (!status && k->reduce) status = doc_choice(&reduce, scenario_measures, &word);
    if (status) return status;
    f->source = FIGURE_COLUMN;
    f->measure = word ? (measure)word->value : MEASURE_LAST;
    if (!sweep_of(map)->run_is_good) return ARNE_OK;
    const int at = columns ? arne_table_find(columns, f->of) : -1;
    if (at < 0) {
        char near[300] = "";
        if (columns)
            arne_near_matches(f->of, sweep_figures_column_name, columns,
                              arne_table_columns(columns), near, sizeof near);
        return doc_fail(&column, ARNE_NOT_FOUND,
                        "'%.100s' is not among the columns of the result%s", f->of, near);
    }
    f->unit = document_take(&sweep_of(map)->doc, strlen(arne_table_unit(columns, at)) + 1);
    if (!f->unit) return arne_fail_memory(map->reader->error);
    strcpy((char *)(size_t)f->unit, arne_table_unit(columns, at));
    return ARNE_OK;
}

static arne_status read_summary_text(arne_sweep *s, const doc_slot *slot, sweep_figure *f)
{
    const char *said = NULL;
    arne_status status = doc_text(slot, &said);
    if (status || !s->run_is_good) return status;
    if (strncmp(said, "summary.", 8) == 0) said += 8;
    return find_field(s, slot, said, f);
}

static arne_status sweep_figures_read_figure(arne_sweep *s, const doc_item *item,
                                             const arne_table *columns)
{
    char          owner[120];
    figure_keys   k = {0};
    sweep_figure *f = &s->figures[s->figure_count];
    arne_status   status = ARNE_OK;
    snprintf(owner, sizeof owner, "figure '%.80s'", item->key);
    const doc_slot slot = {&s->reader, owner, "", item->value};
    *f = (sweep_figure){.name = item->key, .unit = "", .line = item->line, .column = item->column};
    if (item->value->kind == DOC_TEXT) {
        status = read_summary_text(s, &slot, f);
    } else {
        status = doc_read_map(&slot, &figure_schema, &k, 0);
        const doc_slot summary = doc_under(&slot, "summary");
        if (!status && !k.column == !k.summary)
            status = doc_fail(&slot, ARNE_VALUE, "needs a column, or a field of the summary");
        if (!status)
            status = k.column ? sweep_figures_read_column(&slot, &k, columns, f)
                              : read_summary_text(s, &summary, f);
        if (!status && k.unit) f->unit = k.unit;
        f->more = k.more;
    }
    if (!status) s->figure_count++;
    return status;
}

// Those that people look at first.
static arne_status usual_figures(arne_sweep *s, const arne_table *columns)
{
    const summary_field *fields = fields_of(s);
    const doc_node      *own = own_figures(s);
    int                  count = 0, index = 0;
    const int made = columns && s->kind == SWEEP_COMPUTE ? arne_table_columns(columns) : 0;
    while (fields[count].name)
        count++;
    s->figures = document_take(&s->doc, (size_t)(count + (own ? own->count : 0) + made + 1) *
                                            sizeof *s->figures);
    if (!s->figures) return arne_fail_memory(s->reader.error);
    for (int i = 0; i < count; i++)
        if (fields[i].is_usual)
            s->figures[s->figure_count++] = (sweep_figure){.name = fields[i].name,
                                                           .unit = fields[i].unit,
                                                           .source = FIGURE_SUMMARY,
                                                           .index = i};
    for (const doc_item *i = own ? own->first : NULL; i; i = i->next, index++)
        s->figures[s->figure_count++] =
            (sweep_figure){.name = sweep_figures_text_of(i->value, "name"),
                           .unit = sweep_figures_text_of(i->value, "unit"),
                           .source = FIGURE_OWN,
                           .index = index};
    for (int i = 0; i < made; i++) {
        char *name = document_take(&s->doc, strlen(arne_table_name(columns, i)) + 1);
        if (!name) return arne_fail_memory(s->reader.error);
        strcpy(name, arne_table_name(columns, i));
        s->figures[s->figure_count++] = (sweep_figure){
            .name = name, .unit = "", .source = FIGURE_COLUMN, .of = name, .measure = MEASURE_LAST};
    }
    return ARNE_OK;
}

// A column is named once in the table.
static arne_status sweep_figures_check_names(const arne_sweep *s)
{
    for (int i = 0; i < s->figure_count; i++) {
        const sweep_figure *f = &s->figures[i];
        int                 twice = strcmp(f->name, "row") == 0 || strcmp(f->name, "status") == 0;
        for (int k = 0; k < s->parameter_count; k++)
            twice |= strcmp(s->parameters[k].path, f->name) == 0;
        if (twice)
            return arne_reader_fail_at(&s->reader, ARNE_VALUE, f->line, f->column,
                                       "figure '%.80s' has the name of another column", f->name);
    }
    return ARNE_OK;
}

// The columns of the result, with values for which there is a run. Values in the middle of their
// ranges may be impossible; then others are tried, spread over all ranges.
static arne_status sweep_figures_find_columns(arne_sweep *s, arne_table **columns)
{
    enum { TRIES = 48 };
    arne_error   why;
    sweep_value *values = calloc((size_t)s->parameter_count + 1, sizeof *values);
    if (!values) return ARNE_NO_MEMORY;
    arne_status status = sweep_columns(s, columns, &why);
    for (int k = 1; status && status != ARNE_NO_MEMORY && k < TRIES; k++) {
        for (int i = 0; i < s->parameter_count; i++) {
            const double place = 0.5 + 0.6180339887498949 * k * (i + 1);
            values[i] = sweep_at(&s->parameters[i], place - floor(place));
        }
        sweep_set_values(s, values);
        status = sweep_columns(s, columns, &why);
    }
    s->row_values = NULL;
    free(values);
    return status;
}

arne_status sweep_read_figures(arne_sweep *s)
{
    const doc_slot slot = {&s->reader, "", "figures", s->figure_node};
    arne_table    *columns = NULL;
    arne_status    status = ARNE_OK;
    if (s->run_is_good && s->kind != SWEEP_NOTHING)
        status = sweep_figures_find_columns(s, &columns);
    if (status == ARNE_NO_MEMORY) return arne_fail_memory(s->reader.error);
    if (status) columns = NULL;
    status = ARNE_OK;
    if (!slot.value) {
        status = usual_figures(s, columns);
    } else {
        status = doc_expect(&slot, DOC_MAP);
        if (!status) {
            s->figures =
                document_take(&s->doc, (size_t)(slot.value->count + 1) * sizeof *s->figures);
            if (!s->figures) status = arne_fail_memory(s->reader.error);
        }
        for (const doc_item *i = status ? NULL : slot.value->first; i && status_goes_on(status);
             i = i->next)
            status = status_both(status, sweep_figures_read_figure(s, i, columns));
    }
    arne_table_free(columns);
    return status ? status : sweep_figures_check_names(s);
}
