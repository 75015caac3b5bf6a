// Several runs on one page: their figures beside each other, and their columns over each other.
// Runs have times of their own: lines are drawn over common ones, straight between the rows of each
// run, and only as long as it lasts.
#include "base/error.h"
#include "base/text.h"
#include "report/markup.h"
#include "report/page.h"
#include "report/plot_block.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MOST = PLOT_COLOURS, TIMES = 600, PLOTS_OPEN = 12 };

typedef struct comparison {
    const char *const *dirs;
    int                count;
    run                runs[RUNS_MOST];
    arne_report_brief *briefs[RUNS_MOST];
    double            *times; // TIMES of them, over all runs
    plot_list          plots;
} comparison;

// ---- numbers

static arne_status read_all(comparison *c, arne_error *error)
{
    arne_status status = ARNE_OK;
    for (int i = 0; i < c->count && !status; i++) {
        status = run_read(c->dirs[i], &c->runs[i], error);
        if (!status) status = arne_report_brief_read(c->dirs[i], &c->briefs[i], error);
    }
    return status;
}

static void find_times(comparison *c)
{
    double first = INFINITY, last = -INFINITY;
    for (int i = 0; i < c->count; i++) {
        const arne_table *t = run_result(&c->runs[i]);
        const int         time = run_time_column(&c->runs[i]), rows = arne_table_rows(t);
        if (time < 0 || !rows) continue;
        first = fmin(first, arne_table_row(t, 0)[time]);
        last = fmax(last, arne_table_row(t, rows - 1)[time]);
    }
    for (int k = 0; k < TIMES; k++)
        c->times[k] = first + (last - first) * k / (TIMES - 1);
}

// A column at the common times; NAN before the run and after it.
static void resample(const comparison *c, const run *r, int column, double *out)
{
    const arne_table *t = run_result(r);
    const int         time = run_time_column(r), rows = arne_table_rows(t);
    int               row = 0;
    for (int k = 0; k < TIMES; k++) {
        const double at = c->times[k];
        while (row + 2 < rows && arne_table_row(t, row + 1)[time] <= at)
            row++;
        const double *a = arne_table_row(t, row),
                     *b = arne_table_row(t, row + 1 < rows ? row + 1 : row);
        const double span = b[time] - a[time], part = span > 0 ? (at - a[time]) / span : 0;
        const int    inside = part >= -1e-9 && part <= 1 + 1e-9;
        out[k] = inside ? a[column] + part * (b[column] - a[column]) : NAN;
    }
}

static int column_of(const run *r, const char *name)
{
    return run_time_column(r) < 0 || !arne_table_rows(run_result(r))
               ? -1
               : arne_table_find(run_result(r), name);
}

// One plot of a column that two runs or more have.
static arne_status add_column(comparison *c, const char *name, const char *unit, arne_error *error)
{
    int have = 0;
    for (int i = 0; i < c->count; i++)
        have += column_of(&c->runs[i], name) >= 0;
    if (have < 2) return ARNE_OK;
    plot *p = plots_add(&c->plots, PLOTS_USUAL, &c->runs[0]);
    if (!p) return arne_fail_memory(error);
    const size_t prefix = strcspn(name, ".");
    text_line(p->title, sizeof p->title, "%s", name);
    text_line(p->kind, sizeof p->kind, "%.*s", (int)prefix, name);
    text_line(p->group, sizeof p->group, "%s", plots_kind_title(p->kind));
    text_line(p->x_label, sizeof p->x_label, "time [s]");
    text_line(p->y_label, sizeof p->y_label, *unit ? "[%s]" : "%s", unit);
    raise_powers(p->y_label);
    p->is_time = 1;
    p->count = TIMES;
    p->x = (samples){c->times, 1};
    for (int i = 0; i < c->count; i++) {
        const int column = column_of(&c->runs[i], name);
        double   *values =
            column < 0 ? NULL : plots_take(&c->plots, TIMES * sizeof *values, &c->runs[i]);
        if (column < 0) continue;
        if (!values) return arne_fail_memory(error);
        resample(c, &c->runs[i], column, values);
        p->line[p->line_count++] =
            (plot_line){.name = c->dirs[i], .y = {values, 1}, .colour = i % PLOT_COLOURS};
    }
    return ARNE_OK;
}

static arne_status add_columns(comparison *c, arne_error *error)
{
    arne_status status = ARNE_OK;
    for (int i = 0; i < c->count && !status; i++) {
        const arne_table *t = run_result(&c->runs[i]);
        for (int k = 0; k < arne_table_columns(t) && !status; k++) {
            const char *name = arne_table_name(t, k);
            int         known = k == run_time_column(&c->runs[i]);
            for (int j = 0; j < i && !known; j++)
                known = column_of(&c->runs[j], name) >= 0;
            if (!known) status = add_column(c, name, arne_table_unit(t, k), error);
        }
    }
    return status;
}

// ---- the page

static const arne_report_figure *figure_named(const arne_report_run *r, const char *name)
{
    for (int i = 0; i < r->figure_count; i++)
        if (strcmp(r->figures[i].name, name) == 0) return &r->figures[i];
    return NULL;
}

static void put_figure(buffer *b, const comparison *c, const arne_report_figure *f)
{
    put(b, "<tr><th scope=\"row\">");
    put_text(b, f->name);
    if (*f->unit) {
        put(b, " <span class=\"unit\">");
        put_text(b, f->unit);
        put(b, "</span>");
    }
    put(b, "</th>");
    for (int i = 0; i < c->count; i++) {
        const arne_report_figure *own = figure_named(arne_report_brief_run(c->briefs[i]), f->name);
        put(b, "<td class=\"num\">");
        if (own) put_value(b, own->value, 5);
        put(b, "</td>");
    }
    put(b, "</tr>\n");
}

static void put_table(buffer *b, const comparison *c)
{
    put(b, "<section class=\"group\"><h2>Key figures</h2>\n<div class=\"scroll\"><table><thead><tr>"
           "<th></th>");
    for (int i = 0; i < c->count; i++) {
        put(b, "<th class=\"num\"><i class=\"key c%d\"></i>", i % PLOT_COLOURS);
        put_text(b, c->dirs[i]);
        put(b, "</th>");
    }
    put(b, "</tr></thead><tbody>\n<tr><th scope=\"row\">title</th>");
    for (int i = 0; i < c->count; i++) {
        put(b, "<td class=\"num\">");
        put_text(b, run_text(&c->runs[i], "title", ""));
        put(b, "</td>");
    }
    put(b, "</tr>\n");
    for (int i = 0; i < c->count; i++) {
        const arne_report_run *own = arne_report_brief_run(c->briefs[i]);
        for (int k = 0; k < own->figure_count; k++) {
            int known = 0;
            for (int j = 0; j < i && !known; j++)
                known =
                    figure_named(arne_report_brief_run(c->briefs[j]), own->figures[k].name) != NULL;
            if (!known) put_figure(b, c, &own->figures[k]);
        }
    }
    put(b, "</tbody></table></div></section>\n");
}

static void put_plot(buffer *b, const plot_list *list, int index)
{
    if (has_viewer()) {
        put(b, "<figure class=\"plot\" data-plot=\"%d\"></figure>\n", index);
        return;
    }
    put(b, "<figure class=\"plot\">");
    plot_svg(b, &list->item[index].plot, 0);
    put(b, "</figure>\n");
}

// Groups that begin after the first plots are folded: a page opens quickly.
static void put_plots(buffer *b, const plot_list *list)
{
    for (int first = 0, end; first < list->count; first = end) {
        const plot *head = &list->item[first].plot;
        const int   folded = first >= PLOTS_OPEN;
        for (end = first;
             end < list->count && strcmp(list->item[end].plot.group, head->group) == 0;)
            end++;
        put(b, folded ? "<details class=\"group\"><summary><h2>" : "<section class=\"group\"><h2>");
        put_text(b, head->group);
        put(b, "</h2>%s<div class=\"plots\">\n", folded ? "</summary>" : "");
        for (int i = first; i < end; i++)
            put_plot(b, list, i);
        put(b, "</div>%s\n", folded ? "</details>" : "</section>");
    }
}

static arne_status write_page(const comparison *c, const char *path, arne_error *error)
{
    char   title[64];
    buffer b = {0};
    text_line(title, sizeof title, "%d runs compared", c->count);
    page_open(&b, title, PAGE_MOVES);
    put(&b,
        "<header><h1>%s</h1>\n<p class=\"lead\">Click in a plot to go to a time, drag to show a "
        "part "
        "of it, double-click for all; click a name to hide its line.</p></header>\n<main>\n",
        title);
    put_table(&b, c);
    put_plots(&b, &c->plots);
    put(&b, "</main>\n");
    if (has_viewer()) {
        put(&b,
            "<script type=\"application/json\" id=\"arne-data\">{\"version\":1,\"kind\":\"run\","
            "\"cycle\":false,\"robots\":[],\n");
        plot_block_put(&b, &c->plots);
        put(&b, "}</script>\n");
    }
    page_close(&b, PAGE_MOVES);
    const arne_status status = page_write(&b, path, error);
    buffer_free(&b);
    return status;
}

arne_status arne_report_compare(const char *path, const char *const *dirs, int count,
                                arne_error *error)
{
    arne_error_clear(error);
    if (!path || !dirs) return arne_fail_null(error);
    if (count < 2 || count > RUNS_MOST)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "2 to %d runs can be compared, not %d",
                         (int)RUNS_MOST, count);
    comparison *c = calloc(1, sizeof *c);
    if (!c) return arne_fail_memory(error);
    c->dirs = dirs;
    c->count = count;
    c->times = calloc(TIMES, sizeof *c->times);
    arne_status status = c->times ? read_all(c, error) : arne_fail_memory(error);
    if (!status) {
        find_times(c);
        status = add_columns(c, error);
    }
    if (!status) status = write_page(c, path, error);
    for (int i = 0; i < count; i++) {
        run_free(&c->runs[i]);
        arne_report_brief_free(c->briefs[i]);
    }
    plots_free(&c->plots);
    free(c->times);
    free(c);
    return status;
}
