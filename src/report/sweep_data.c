#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): getline
#include "report/sweep_data.h"
#include "base/error.h"
#include "base/plain.h"
#include "io/folder.h"
#include "sweep/table_line.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *sweep_data_text(const sweep_data *d, const char *key)
{
    const doc_node *n = doc_find(d->summary.root, key);
    return n && n->kind == DOC_TEXT ? n->text : "";
}

static const char *sweep_data_text_of(const doc_node *map, const char *key)
{
    const doc_node *n = map->kind == DOC_MAP ? doc_find(map, key) : NULL;
    return n && n->kind == DOC_TEXT ? n->text : "";
}

static arne_status sweep_data_read_summary(sweep_data *d, const char *path, arne_error *error)
{
    const reader r = {.file = path, .error = error};
    arne_status  status = document_load(&r, &d->summary);
    if (status) return status;
    if (!d->summary.root || d->summary.root->kind != DOC_MAP ||
        strcmp(sweep_data_text(d, "kind"), "sweep") != 0)
        return arne_fail(error, ARNE_VALUE, path, 0, "is not the summary of a sweep");
    const doc_node *columns = doc_find(d->summary.root, "columns");
    d->parameters = (int)strtol(sweep_data_text(d, "parameters"), NULL, 10);
    d->rows = strtol(sweep_data_text(d, "rows"), NULL, 10);
    d->samples = strtol(sweep_data_text(d, "samples"), NULL, 10);
    d->is_saltelli = strcmp(sweep_data_text(d, "design"), "saltelli") == 0;
    d->count = columns && columns->kind == DOC_LIST ? columns->count : 0;
    if (d->parameters < 0 || d->parameters > d->count || d->rows < 0)
        return arne_fail(error, ARNE_VALUE, path, 0, "its columns are not consistent");
    d->columns = calloc((size_t)d->count + 1, sizeof *d->columns);
    if (!d->columns) return arne_fail_memory(error);
    int i = 0;
    for (const doc_item *it = d->count ? columns->first : NULL; it; it = it->next, i++)
        d->columns[i] = (sweep_column){
            .name = sweep_data_text_of(it->value, "name"),
            .unit = sweep_data_text_of(it->value, "unit"),
            .more_is_better = strcmp(sweep_data_text_of(it->value, "better"), "more") == 0,
            .is_text = strcmp(sweep_data_text_of(it->value, "text"), "true") == 0,
            .low = INFINITY,
            .high = -INFINITY};
    return ARNE_OK;
}

// ---- passes over the table

typedef struct line {
    long    row;
    double *values; // NAN: no number
    char  **cells;
    char   *status;
} line;

typedef void (*line_fn)(sweep_data *d, const line *l, long index);

static int sweep_data_split(const sweep_data *d, char *text, line *l)
{
    char *cursor = text, *cell = table_cell(&cursor);
    if (!cell) return 0;
    l->row = strtol(cell, NULL, 10);
    for (int i = 0; i < d->count; i++) {
        cell = table_cell(&cursor);
        if (!cell) return 0;
        l->cells[i] = cell;
        l->values[i] = *cell && !d->columns[i].is_text ? plain_number(cell, NULL) : NAN;
    }
    l->status = table_cell(&cursor);
    return l->status != NULL;
}

static arne_status sweep_data_pass(sweep_data *d, const char *path, line_fn take, arne_error *error)
{
    errno = 0;
    FILE   *in = fopen(path, "r");
    char   *text = NULL;
    size_t  room = 0;
    long    index = 0;
    ssize_t size;
    line    l = {.values = calloc((size_t)d->count + 1, sizeof(double)),
                 .cells = calloc((size_t)d->count + 1, sizeof(char *))};
    int     fine = in && l.values && l.cells && getline(&text, &room, in) >= 0;
    while (fine && (size = getline(&text, &room, in)) >= 0) {
        if (size && text[size - 1] == '\n') text[size - 1] = 0;
        fine = sweep_data_split(d, text, &l);
        if (fine) take(d, &l, index++);
    }
    const int lost = d->no_memory || (!(fine && index == d->rows) && errno == ENOMEM);
    free(text);
    free(l.values);
    free(l.cells);
    if (in) fclose(in);
    if (lost) return arne_fail_memory(error);
    if (fine && index == d->rows) return ARNE_OK;
    return arne_fail(error, ARNE_FILE, path, (int)index + 2,
                     "is not the table that the summary speaks of");
}

// sign: 1 for the largest, -1 for the smallest.
static void take_extreme(extremes *e, double sign, long row, double value)
{
    int at = e->count;
    while (at > 0 && sign * e->item[at - 1].value < sign * value)
        at--;
    if (at == SWEEP_WORST) return;
    const int last = e->count < SWEEP_WORST ? e->count++ : SWEEP_WORST - 1;
    memmove(&e->item[at + 1], &e->item[at], (size_t)(last - at) * sizeof e->item[0]);
    e->item[at] = (extreme_row){row, value, NULL};
}

// The texts of a row's parameters.
static void keep_parameters(sweep_data *d, const line *l, extremes *e)
{
    for (int i = 0; i < e->count; i++) {
        if (e->item[i].row != l->row || e->item[i].parameters) continue;
        size_t size = 1, at = 0;
        for (int k = 0; k < d->parameters; k++)
            size += strlen(l->cells[k]) + 1;
        char *texts = calloc(size, 1);
        for (int k = 0; texts && k < d->parameters; k++) {
            strcpy(texts + at, l->cells[k]);
            at += strlen(l->cells[k]) + 1;
        }
        e->item[i].parameters = texts;
        d->no_memory |= !texts;
    }
}

// A figure of a row that failed is no result: where a search was when it gave up, say.
static double counted(const sweep_data *d, const line *l, int column)
{
    const int is_result = column < d->parameters || strcmp(l->status, "ok") == 0;
    return is_result ? l->values[column] : NAN;
}

// Ranges, means (Welford), the worst rows.
static void first_pass(sweep_data *d, const line *l, long index)
{
    (void)index;
    for (int i = 0; i < d->count; i++) {
        sweep_column *c = &d->columns[i];
        const double  v = counted(d, l, i);
        if (!isfinite(v)) continue;
        const double step = v - c->mean;
        c->count++;
        c->mean += step / (double)c->count;
        c->deviation += step * (v - c->mean);
        c->low = fmin(c->low, v);
        c->high = fmax(c->high, v);
        if (i < d->parameters) continue;
        take_extreme(&c->worst, c->more_is_better ? -1 : 1, l->row, v);
        take_extreme(&c->best, c->more_is_better ? 1 : -1, l->row, v);
    }
    if (strcmp(l->status, "ok") == 0) return;
    if (d->failed++ < SWEEP_FAILED) {
        failed_row *f = &d->first_failed[d->failed_count++];
        f->row = l->row;
        snprintf(f->why, sizeof f->why, "%s", l->status);
    }
}

static void second_pass(sweep_data *d, const line *l, long index)
{
    const int drawn = index % d->step == 0 && index / d->step < SWEEP_POINTS;
    for (int i = 0; i < d->count; i++) {
        sweep_column *c = &d->columns[i];
        const double  v = counted(d, l, i);
        if (drawn) c->points[index / d->step] = v;
        if (c->all) c->all[index] = v;
        if (!isfinite(v)) continue;
        keep_parameters(d, l, &c->best);
        keep_parameters(d, l, &c->worst);
        // Halves, as the range of two numbers may be larger than any number.
        const double range = c->high / 2 - c->low / 2;
        const double part = range > 0 ? (v / 2 - c->low / 2) / range : 0;
        const int    bin = (int)(part * SWEEP_BINS);
        c->bins[bin < SWEEP_BINS ? bin : SWEEP_BINS - 1]++;
    }
    if (drawn) d->point_count = (int)(index / d->step) + 1;
}

static arne_status sweep_data_make_room(sweep_data *d, arne_error *error)
{
    d->step = (d->rows + SWEEP_POINTS - 1) / SWEEP_POINTS;
    if (d->step < 1) d->step = 1;
    // The summary may count more samples than the table has.
    const long whole = d->rows / (d->parameters + 2);
    if (d->samples > whole) d->samples = whole;
    if (d->samples < 0) d->samples = 0;
    for (int i = 0; i < d->count; i++) {
        sweep_column *c = &d->columns[i];
        c->deviation = c->count > 1 ? sqrt(c->deviation / (double)(c->count - 1)) : 0;
        c->points = calloc(SWEEP_POINTS, sizeof *c->points);
        if (!c->points) return arne_fail_memory(error);
        if (!d->is_saltelli || i < d->parameters) continue;
        c->all = calloc((size_t)d->rows + 1, sizeof *c->all);
        if (!c->all) return arne_fail_memory(error);
    }
    return ARNE_OK;
}

arne_status sweep_data_read(sweep_data *d, const char *dir, arne_error *error)
{
    char *summary = arne_join(dir, "/", "summary.json"), *table = arne_join(dir, "/", "table.csv");
    *d = (sweep_data){0};
    arne_status status =
        summary && table ? sweep_data_read_summary(d, summary, error) : arne_fail_memory(error);
    if (!status) status = sweep_data_pass(d, table, first_pass, error);
    if (!status) status = sweep_data_make_room(d, error);
    if (!status) status = sweep_data_pass(d, table, second_pass, error);
    free(summary);
    free(table);
    return status;
}

void sweep_data_free(sweep_data *d)
{
    for (int i = 0; d->columns && i < d->count; i++) {
        for (int k = 0; k < SWEEP_WORST; k++) {
            free(d->columns[i].best.item[k].parameters);
            free(d->columns[i].worst.item[k].parameters);
        }
        free(d->columns[i].points);
        free(d->columns[i].all);
    }
    free(d->columns);
    document_free(&d->summary);
    *d = (sweep_data){0};
}
