// The page of a sweep: what its figures are, how parameters act on them, and which rows are the
// best and the worst.
#include "base/error.h"
#include "base/plain.h"
#include "io/folder.h"
#include "io/run_list.h"
#include "report/markup.h"
#include "report/page.h"
#include "report/sweep_data.h"
#include "sweep/sobol_indices.h"
#include <arne/sweep.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARAMETERS = 6, MOST_FIGURES = 8, MOST_LISTED = 12 };

static void sweep_page_put_header(buffer *b, const sweep_data *d)
{
    const char *text = sweep_data_text(d, "text");
    put(b, "<header><h1>");
    put_text(b, sweep_data_text(d, "title"));
    put(b, "</h1>\n<p class=\"facts\"><span>sweep</span><span>design <b>");
    put_text(b, sweep_data_text(d, "design"));
    put(b, "</b></span><span>rows <b>%ld</b></span><span>failed <b>%ld</b></span>", d->rows,
        d->failed);
    put(b, "<span>seed <b>");
    put_text(b, sweep_data_text(d, "seed"));
    put(b, "</b></span><span><a href=\"table.csv\">table.csv</a></span>"
           "<span><a href=\"summary.json\">summary.json</a></span></p>\n");
    if (*text) {
        put(b, "<p class=\"lead\">");
        put_text(b, text);
        put(b, "</p>\n");
    }
    put(b, "</header>\n");
}

static void put_name(buffer *b, const sweep_column *c)
{
    put_text(b, c->name);
    if (*c->unit) {
        put(b, " <span class=\"unit\">");
        put_text(b, c->unit);
        put(b, "</span>");
    }
}

static void sweep_page_put_cell(buffer *b, double value)
{
    put(b, "<td class=\"num\">");
    if (isfinite(value)) put_value(b, value, 5);
    put(b, "</td>");
}

// A table that scrolls sideways where the screen is narrow, also by keys.
static void open_table(buffer *b, const char *name)
{
    put(b,
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table "
        "class=\"joints\">",
        name);
}

static void sweep_page_put_columns(buffer *b, const sweep_data *d)
{
    put(b, "<section class=\"group\"><h2>Figures and parameters</h2>");
    if (d->failed && d->count > d->parameters)
        put(b, "<p class=\"what\">figures of the %ld rows that did not fail</p>",
            d->rows - d->failed);
    open_table(b, "Figures and parameters");
    put(b, "<thead><tr><th></th><th class=\"num\">rows</th><th "
           "class=\"num\">least</th><th class=\"num\">mean</th><th class=\"num\">"
           "standard deviation</th><th class=\"num\">most</th></tr></thead><tbody>\n");
    for (int k = 0; k < d->count; k++) {
        const int           i = (k + d->parameters) % d->count; // figures first
        const sweep_column *c = &d->columns[i];
        put(b, "<tr><th>");
        put_name(b, c);
        put(b, "</th><td class=\"num\">%ld</td>", c->count);
        sweep_page_put_cell(b, c->count ? c->low : NAN);
        sweep_page_put_cell(b, c->count ? c->mean : NAN);
        sweep_page_put_cell(b, c->count ? c->deviation : NAN);
        sweep_page_put_cell(b, c->count ? c->high : NAN);
        put(b, "</tr>\n");
    }
    put(b, "</tbody></table></div></section>\n");
}

static int varies(const sweep_column *c) { return c->count && c->high > c->low; }

static int figure_count(const sweep_data *d)
{
    const int count = d->count - d->parameters;
    return count < MOST_FIGURES ? count : MOST_FIGURES;
}

static int any_varies(const sweep_data *d)
{
    for (int i = 0; i < figure_count(d); i++)
        if (varies(&d->columns[d->parameters + i])) return 1;
    return 0;
}

static void put_histograms(buffer *b, const sweep_data *d)
{
    if (!any_varies(d)) return;
    put(b,
        "<section class=\"group\"><h2>Histograms of the figures</h2><div class=\"plots dense\">\n");
    for (int i = 0; i < figure_count(d); i++)
        if (varies(&d->columns[d->parameters + i])) {
            put(b, "<figure class=\"plot\">");
            sweep_histogram(b, &d->columns[d->parameters + i]);
            put(b, "</figure>\n");
        }
    put(b, "</div></section>\n");
}

// ---- scatter plots: the parameters that go with a figure most

typedef struct rank {
    int    column;
    double correlation;
} rank;

static int by_correlation(const void *a, const void *b)
{
    const rank *x = a, *y = b;
    if (fabs(x->correlation) != fabs(y->correlation))
        return fabs(x->correlation) > fabs(y->correlation) ? -1 : 1;
    return x->column - y->column;
}

static void put_scatters(buffer *b, const sweep_data *d, const sweep_column *f)
{
    rank *ranks = calloc((size_t)d->parameters + 1, sizeof *ranks);
    int   count = 0;
    if (!ranks) {
        b->failed = 1;
        return;
    }
    for (int i = 0; i < d->parameters; i++)
        if (!d->columns[i].is_text && d->columns[i].high > d->columns[i].low)
            ranks[count++] = (rank){i, sweep_correlation(&d->columns[i], f, d->point_count)};
    qsort(ranks, (size_t)count, sizeof *ranks, by_correlation);
    put(b, "<section class=\"group\"><h2>");
    put_name(b, f);
    put(b, " over parameters</h2>");
    if (count > MOST_PARAMETERS)
        put(b,
            "<p class=\"what\">the %d of %d parameters that it depends on most, by correlation</p>",
            MOST_PARAMETERS, count);
    put(b, "<div class=\"plots dense\">\n");
    if (count == 2 && d->step == 1)
        sweep_heat_map(b, &d->columns[ranks[0].column], &d->columns[ranks[1].column], f,
                       d->point_count);
    for (int i = 0; i < count && i < MOST_PARAMETERS; i++) // coloured by the strongest other one
        sweep_scatter(b, &d->columns[ranks[i].column], f,
                      count > 1 ? &d->columns[ranks[i == 0].column] : NULL, d->point_count);
    put(b, "</div></section>\n");
    free(ranks);
}

// ---- Sobol indices

static void put_index(buffer *b, double value, double within, int colour)
{
    const double length = value < 0 ? 0 : value > 1 ? 1 : value;
    put(b, "<td class=\"num\">");
    put_decimals(b, value, 3);
    put(b, " \u00b1 ");
    put_decimals(b, within, 3);
    put(b,
        "</td><td><svg class=\"bar\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\"><rect "
        "fill=\"var(--c%d)\" x=\"0\" y=\"1\" height=\"8\" width=\"",
        colour);
    put_place(b, 100 * length);
    put(b, "\"/></svg></td>");
}

static void put_indices(buffer *b, const sweep_data *d, const sweep_column *f)
{
    sobol_index *all = calloc((size_t)d->parameters + 1, sizeof *all);
    if (!all) {
        b->failed = 1;
        return;
    }
    const int counted = sobol_indices(f->all, (int)d->samples, d->parameters, all);
    put(b, "<h2>");
    put_name(b, f);
    put(b, "</h2>");
    if (!counted) put(b, "<p class=\"what\">It does not vary, or too few rows have it.</p>");
    if (counted) {
        put(b,
            "<p class=\"what\">from %d of %ld samples; \u00b1 is 95 %% by bootstrap</p><div "
            "class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Sobol indices\">"
            "<table class=\"joints indices\"><thead><tr><th></th><th>first "
            "order</th><th></th><th>total</th>"
            "<th></th></tr></thead><tbody>\n",
            counted, d->samples);
        for (int i = 0; i < d->parameters; i++) {
            put(b, "<tr><th>");
            put_name(b, &d->columns[i]);
            put(b, "</th>");
            put_index(b, all[i].first, all[i].first_within, 0);
            put_index(b, all[i].total, all[i].total_within, 1);
            put(b, "</tr>\n");
        }
        put(b, "</tbody></table></div>\n");
    }
    free(all);
}

// ---- rows to look at

// As a shell reads it.
static void sweep_page_put_quoted(buffer *b, const char *text)
{
    const int plain =
        *text && strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "._-/+=@:,") == strlen(text);
    if (plain || strchr(text, '\'') == NULL) {
        put(b, "%s", plain ? "" : "'");
        put_text(b, text);
        put(b, "%s", plain ? "" : "'");
        return;
    }
    put(b, "SWEEP.yaml"); // a name that no quotes hold
}

static void put_command(buffer *b, const sweep_data *d, long row)
{
    put(b, "<td><code>arne sweep ");
    sweep_page_put_quoted(b, sweep_data_text(d, "sweep"));
    put(b, " --row %ld -o row%ld.run</code></td>", row, row);
}

// The parameters that vary, as columns.
static int is_listed(const sweep_data *d, int i)
{
    const sweep_column *c = &d->columns[i];
    return (c->is_text || c->high > c->low) && i < MOST_LISTED;
}

static void put_extremes(buffer *b, const sweep_data *d, const char *what, const extremes *e)
{
    for (int k = 0; k < e->count; k++) {
        const char *text = e->item[k].parameters;
        put(b, "<tr><th>%s</th><td class=\"num\">%ld</td>", k ? "" : what, e->item[k].row);
        sweep_page_put_cell(b, e->item[k].value);
        for (int i = 0; i < d->parameters; i++) {
            if (is_listed(d, i)) {
                put(b, "<td class=\"num\">");
                if (text && *text && !d->columns[i].is_text)
                    put_value(b, plain_number(text, NULL), 6);
                else
                    put_text_short(b, text ? text : "", 24);
                put(b, "</td>");
            }
            if (text) text += strlen(text) + 1;
        }
        put_command(b, d, e->item[k].row);
        put(b, "</tr>\n");
    }
}

static void put_rows(buffer *b, const sweep_data *d)
{
    put(b, "<section class=\"group\"><h2>The best and the worst rows</h2><p class=\"what\">with "
           "their parameters and the command that runs a row alone</p>");
    for (int i = 0; i < figure_count(d); i++) {
        const sweep_column *c = &d->columns[d->parameters + i];
        if (!varies(c) && any_varies(d)) continue; // none of its rows is worse than another
        put(b, "<h3 class=\"said\">");
        put_name(b, c);
        put(b, c->more_is_better ? ", more is better</h3>" : ", less is better</h3>");
        open_table(b, "The best and the worst rows");
        put(b, "<thead><tr><th></th><th class=\"num\">row</th><th class=\"num\">value</th>");
        for (int k = 0; k < d->parameters; k++) {
            if (!is_listed(d, k)) continue;
            put(b, "<th class=\"num\">");
            put_name(b, &d->columns[k]);
            put(b, "</th>");
        }
        put(b, "<th></th></tr></thead><tbody>\n");
        put_extremes(b, d, "best", &c->best);
        put_extremes(b, d, "worst", &c->worst);
        put(b, "</tbody></table></div>\n");
    }
    put(b, "</section>\n");
}

static void put_failed(buffer *b, const sweep_data *d)
{
    if (!d->failed_count) return;
    put(b,
        "<section class=\"group\"><h2>Rows that failed</h2><p class=\"what\">the first %d of "
        "%ld</p>",
        d->failed_count, d->failed);
    open_table(b, "Rows that failed");
    put(b, "<thead><tr><th class=\"num\">row</th><th>why</th><th></th></tr></thead><tbody>\n");
    for (int i = 0; i < d->failed_count; i++) {
        put(b, "<tr><td class=\"num\">%ld</td><td>", d->first_failed[i].row);
        put_text_short(b, d->first_failed[i].why, 120);
        put(b, "</td>");
        put_command(b, d, d->first_failed[i].row);
        put(b, "</tr>\n");
    }
    put(b, "</tbody></table></div></section>\n");
}

static void put_page(buffer *b, const sweep_data *d)
{
    page_open(b, sweep_data_text(d, "title"), PAGE_STILL);
    sweep_page_put_header(b, d);
    put(b, "<main>\n");
    if (d->count) sweep_page_put_columns(b, d);
    put_histograms(b, d);
    if (d->is_saltelli && d->parameters) {
        put(b, "<section class=\"group\"><h2>Sobol indices</h2><p class=\"what\">the part of a "
               "figure's "
               "variance that a parameter explains alone, and with all others</p>\n");
        for (int i = 0; i < figure_count(d); i++)
            put_indices(b, d, &d->columns[d->parameters + i]);
        put(b, "</section>\n");
    }
    for (int i = 0; i < figure_count(d); i++)
        if (varies(&d->columns[d->parameters + i]) && d->parameters)
            put_scatters(b, d, &d->columns[d->parameters + i]);
    if (d->count > d->parameters) put_rows(b, d);
    put_failed(b, d);
    put(b, "</main>\n");
    page_close(b, PAGE_STILL);
}

arne_status is_sweep_folder(const char *dir, int *is, arne_error *error)
{
    run_list          list;
    const arne_status status = run_list_load(&list, dir, error);
    *is = 0;
    if (status == ARNE_NO_MEMORY) return arne_fail_memory(error);
    arne_error_clear(error);
    if (status) return ARNE_OK; // whatever it is, others say what is wrong with it
    const doc_node *root = list.tree.root;
    const doc_node *kind = root && root->kind == DOC_MAP ? doc_find(root, "kind") : NULL;
    *is = kind && kind->kind == DOC_TEXT && strcmp(kind->text, "sweep") == 0;
    run_list_free(&list);
    return ARNE_OK;
}

arne_status arne_sweep_report(const char *dir, arne_error *error)
{
    sweep_data d;
    buffer     b = {0};
    run_claim  claim = {.lock.handle = -1};
    if (!dir)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    arne_error_clear(error);
    char       *path = arne_join(dir, "/", "report.html");
    arne_status status = path ? sweep_data_read(&d, dir, error) : arne_fail_memory(error);
    if (!status) put_page(&b, &d);
    if (!status) status = run_claim_open(&claim, dir, error);
    if (!status) status = run_claim_name(&claim, "report.html");
    if (!status) status = run_claim_begin(&claim);
    if (!status) {
        status = page_write(&b, path, error);
        const arne_status listed = run_claim_end(&claim);
        if (!status) status = listed;
    }
    run_claim_free(&claim);
    if (path) sweep_data_free(&d);
    buffer_free(&b);
    free(path);
    return status;
}
