// From the folder of a run to its page and plots.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "base/error.h"
#include "base/options.h"
#include "base/text.h"
#include "io/run_list.h"
#include "report/activations.h"
#include "report/markup.h"
#include "report/page.h"
#include "report/plot_block.h"
#include "report/run_block.h"
#include "report/still.h"
#include "report/sweep_data.h"
#include <arne/io.h>
#include <arne/sweep.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct report {
    const char                *dir;
    const arne_report_options *options;
    arne_error                *error;
    run                        run;
    plot_list                  plots;
    figure                     figure;
    run_claim                  claim; // on the files that are written
    figure                     ghost; // the reference
    run                        other; // a second run in the same view
    figure                     other_figure;
    looks                      looks, other_looks;
    float                     *activations; // NULL: not known
} report;

// --- the page

static const char *title_of(const report *r)
{
    return run_text(&r->run, "title", arne_robot_name(r->run.robot));
}

static int is_recorded(const report *r) { return r->options && r->options->recorded; }

static void report_put_header(buffer *b, const report *r)
{
    const arne_table *t = run_result(&r->run);
    const int         rows = arne_table_rows(t), time = run_time_column(&r->run);
    put(b, "<header><h1>");
    put_text(b, title_of(r));
    put(b, "</h1>\n<p class=\"facts\"><span>");
    put_text(b, is_recorded(r) ? "recording" : run_text(&r->run, "kind", "run"));
    put(b, "</span><span>robot <b>");
    put_text(b, arne_robot_name(r->run.robot));
    put(b, "</b></span>");
    if (rows) {
        put(b, "<span>time <b>");
        put_value(b, arne_table_row(t, 0)[time], 5);
        put(b, " \u2026 ");
        put_value(b, arne_table_row(t, rows - 1)[time], 5);
        put(b, " s</b></span>");
    }
    put(b, "<span>rows <b>%d</b></span>", rows);
    if (!r->options || !r->options->page) // elsewhere the page is alone
        put(b, "<span><a href=\"result.csv\">result.csv</a></span>"
               "<span><a href=\"summary.json\">summary.json</a></span>");
    put(b, "</p>\n");
    if (strcmp(run_text(&r->run, "complete", "true"), "false") == 0)
        put(b, "<p class=\"incomplete\">This run is not complete: it ended before its time.</p>\n");
    const char *text = run_text(&r->run, "text", NULL);
    if (text) {
        put(b, "<p class=\"lead\">");
        put_text(b, text);
        put(b, "</p>\n");
    }
    put(b, "</header>\n");
}

static int count_part(const plot_list *list, plot_part part)
{
    int count = 0;
    for (int i = 0; i < list->count; i++)
        count += list->item[i].part == part;
    return count;
}

// A plot that the script draws is an empty figure; its drawing stands in where there is no script.
static void report_put_plot(buffer *b, const plot_list *list, int index)
{
    const plot *p = &list->item[index].plot;
    if (has_viewer() && is_live(p)) {
        put(b, "<figure class=\"plot\" data-plot=\"%d\"></figure>\n", index);
        return;
    }
    put(b, "<figure class=\"plot\">");
    plot_svg(b, p, 0);
    put(b, "</figure>\n");
}

// Plots from `first` on that stand under one heading; returns the first that does not.
static int put_group(buffer *b, const plot_list *list, int first)
{
    const plot_entry *head = &list->item[first];
    const int         folded = head->part == PLOTS_MORE;
    int               end = first;
    while (end < list->count && list->item[end].part == head->part &&
           strcmp(list->item[end].plot.group, head->plot.group) == 0 &&
           list->item[end].plot.is_small == head->plot.is_small)
        end++;
    put(b, folded ? "<details class=\"group\"><summary><h2>" : "<section class=\"group\"><h2>");
    put_text(b, head->plot.group);
    put(b, "</h2>");
    put(b, "<p class=\"what\">");
    put_text(b, head->plot.y_label);
    if (head->plot.is_small) put(b, ", each to a scale of its own");
    put(b, "</p>");
    put(b, "%s<div class=\"plots%s\">\n", folded ? "</summary>" : "",
        head->plot.is_small ? " small" : "");
    for (int i = first; i < end; i++)
        report_put_plot(b, list, i);
    put(b, "</div>%s\n", folded ? "</details>" : "</section>");
    return end;
}

// Plots with titles of their own need no heading; small ones stand under theirs.
static void put_usual(buffer *b, const plot_list *list)
{
    int count = 0;
    for (int i = 0; i < list->count; i++) {
        if (list->item[i].part != PLOTS_USUAL || list->item[i].plot.is_small) continue;
        if (!count++)
            put(b, "<section class=\"group\"><h2>Over time</h2>\n<div class=\"plots\">\n");
        report_put_plot(b, list, i);
    }
    if (count) put(b, "</div></section>\n");
    for (int i = 0; i < list->count;)
        if (list->item[i].part == PLOTS_USUAL && list->item[i].plot.is_small)
            i = put_group(b, list, i);
        else
            i++;
}

static void put_more(buffer *b, const plot_list *list)
{
    for (int i = 0; i < list->count;)
        if (list->item[i].part == PLOTS_MORE)
            i = put_group(b, list, i);
        else
            i++;
}

static void put_constants(buffer *b, const plot_list *list)
{
    if (!list->constant_count) return;
    put(b,
        "<details class=\"group\"><summary><h2>What does not change</h2><p class=\"what\">"
        "%d columns of result.csv</p></summary><table class=\"constants\"><tbody>\n",
        list->constant_count);
    for (int i = 0; i < list->constant_count; i++) {
        const constant_column *c = &list->constant[i];
        put(b, "<tr><th>");
        put_text(b, c->name);
        put(b, "</th><td>");
        put_value(b, fabs(c->value) < 1e-10 ? 0 : c->value, 5);
        put(b, " <span class=\"unit\">");
        put_text(b, c->unit);
        put(b, "</span></td></tr>\n");
    }
    put(b, "</tbody></table></details>\n");
}

// Impacts of rigid contact, as the summary lists them.
static void report_put_impacts(buffer *b, const report *r)
{
    const doc_node *list = doc_find(r->run.summary, "impacts");
    if (!list || list->kind != DOC_LIST) return;
    put(b, "<details class=\"group\"><summary><h2>Impacts</h2><p class=\"what\">");
    put_text(b, run_text(&r->run, "impact_count", ""));
    put(b, "; impacts.csv has all of them</p></summary><table><thead><tr><th>time [s]</th>"
           "<th>contact</th><th>impulse [N s]</th></tr></thead><tbody>\n");
    for (const doc_item *i = list->first; i; i = i->next) {
        static const char *const keys[] = {"time", "contact", "impulse"};
        put(b, "<tr>");
        for (int k = 0; k < 3; k++) {
            const doc_node *cell = i->value->kind == DOC_MAP ? doc_find(i->value, keys[k]) : NULL;
            double          value;
            put(b, "<td>");
            if (cell && cell->kind == DOC_TEXT && k != 1 && !arne_parse_number(cell->text, &value))
                put_value(b, value, 6);
            else if (cell && cell->kind == DOC_TEXT)
                put_text(b, cell->text);
            put(b, "</td>");
        }
        put(b, "</tr>\n");
    }
    put(b, "</tbody></table></details>\n");
}

static void put_sections(buffer *b, const report *r)
{
    if (count_part(&r->plots, PLOTS_ASKED)) {
        put(b, "<section class=\"group\"><h2>Results</h2>\n<div class=\"plots\">\n");
        for (int i = 0; i < r->plots.count; i++)
            if (r->plots.item[i].part == PLOTS_ASKED) report_put_plot(b, &r->plots, i);
        put(b, "</div></section>\n");
    }
    put_usual(b, &r->plots);
    put_more(b, &r->plots);
    report_put_impacts(b, r);
    put_constants(b, &r->plots);
}

static int snapshot_count(const report *r)
{
    double count = 0;
    return arne_parse_number(run_text(&r->run, "snapshots", "0"), &count) ? 0
           : count > 0 && count < 1000                                    ? (int)count
                                                                          : 0;
}

static page_scripts scripts_of(const report *r)
{
    const page_scripts has_data =
        looks_have_data(&r->looks) || looks_have_data(&r->other_looks) ? PAGE_HAS_DATA : PAGE_STILL;
    return has_data |
           (r->looks.file_count || r->other_looks.file_count ? PAGE_WITH_MESHES : PAGE_MOVES);
}

static arne_status report_write_page(const report *r, const char *path)
{
    buffer b = {0};
    page_open(&b, title_of(r), scripts_of(r));
    report_put_header(&b, r);
    put(&b, "<main>\n<div class=\"top\">\n");
    if (has_viewer() && r->figure.frame_count)
        page_stage(&b, "Drag to turn; click, then scroll or pinch to zoom. Space plays, comma and "
                       "full stop step. Click a link for its pose and speed, a plot to go to "
                       "that time; drag in a plot to show a part of it, double-click for all.");
    page_summary(&b, &r->run, is_recorded(r));
    put(&b, "</div>\n");
    page_snapshots(&b, &(scene){r->run.robot, &r->figure, NULL, &r->looks}, snapshot_count(r));
    put_sections(&b, r);
    if (strcmp(run_text(&r->run, "kind", ""), "identify") == 0) page_ellipsoids(&b, &r->run);
    page_robot(&b, r->run.robot);
    put(&b, "</main>\n");
    if (has_viewer()) {
        const run_block block = {&r->run,   &r->figure,       &r->ghost,
                                 &r->other, &r->other_figure, &r->plots,
                                 &r->looks, &r->other_looks,  r->activations};
        run_block_put(&b, &block);
    }
    page_close(&b, scripts_of(r));
    const arne_status status = page_write(&b, path, r->error);
    buffer_free(&b);
    return status;
}

// --- plots for papers

// "07-torque-rates": letters and digits of the title, whatever else is in it.
static void put_file_name(buffer *b, int number, const char *title)
{
    int gap = 1, length = 0;
    put(b, "%02d", number);
    for (const char *c = title; *c && length < 40; c++) {
        const int upper = *c >= 'A' && *c <= 'Z';
        if (!upper && !(*c >= 'a' && *c <= 'z') && !(*c >= '0' && *c <= '9')) {
            gap = 1;
            continue;
        }
        put(b, "%s%c", gap ? "-" : "", upper ? *c - 'A' + 'a' : *c);
        gap = 0;
        length++;
    }
}

// Whether plots go to the folder of the run.
static int has_own_plots(const report *r)
{
    return r->options && r->options->plots && !r->options->plots_dir;
}

// "plots/07-torque-rates" and how it ends, in the folder of the run.
static void put_plot_name(buffer *b, const report *r, int index, const char *end)
{
    put(b, "plots/");
    put_file_name(b, index + 1, r->plots.item[index].plot.title);
    put(b, "%s", end);
}

static arne_status claim_plot(report *r, int index, const char *end)
{
    buffer name = {0};
    put_plot_name(&name, r, index, end);
    const arne_status status =
        name.failed ? arne_fail_memory(r->error) : run_claim_name(&r->claim, name.text);
    buffer_free(&name);
    return status;
}

// Everything that will be written, before the first byte of it is.
static arne_status claim_files(report *r)
{
    arne_status status = run_claim_name(&r->claim, "report.html");
    for (int i = 0; has_own_plots(r) && i < r->plots.count && !status; i++) {
        status = claim_plot(r, i, ".svg");
        if (!status) status = claim_plot(r, i, ".png");
    }
    return status ? status : run_claim_begin(&r->claim);
}

static void put_plots_dir(const report *r, buffer *path)
{
    if (r->options->plots_dir)
        put(path, "%s", r->options->plots_dir);
    else
        put(path, "%s/plots", r->dir);
}

static arne_status write_plot(const report *r, int index, int with_png)
{
    const plot *p = &r->plots.item[index].plot;
    buffer      path = {0}, picture = {0}, svg = {0};
    put_plots_dir(r, &path);
    put(&path, "/");
    put_file_name(&path, index + 1, p->title);
    put(&picture, "%s.png", path.text ? path.text : "");
    put(&path, ".svg");
    plot_svg(&svg, p, 1);
    arne_status status = path.failed || picture.failed ? arne_fail_memory(r->error)
                                                       : page_write(&svg, path.text, r->error);
    if (!status && with_png) status = png_from_svg(path.text, picture.text, r->error);
    buffer_free(&path);
    buffer_free(&picture);
    buffer_free(&svg);
    return status;
}

static arne_status report_make_folder(const report *r)
{
    buffer path = {0};
    put_plots_dir(r, &path);
    arne_status status = path.failed ? arne_fail_memory(r->error) : ARNE_OK;
    if (!status && mkdir(path.text, 0777) != 0 && errno != EEXIST)
        status = arne_fail(r->error, ARNE_FILE, path.text, 0, "the folder cannot be made");
    buffer_free(&path);
    return status;
}

static arne_status write_plots(const report *r)
{
    arne_status status = report_make_folder(r);
    const int   with_png = !status && png_is_available();
    for (int i = 0; i < r->plots.count && !status; i++)
        status = write_plot(r, i, with_png);
    if (!status && !with_png && r->options->warn) {
        const arne_warning warning = {
            "png", r->dir, 0, "plots are SVG only: rsvg-convert (librsvg2-bin) was not found",
            0,     0};
        r->options->warn(r->options->warn_context, &warning);
    }
    return status;
}

// --- all of it

// Whether anything is written to the folder of the run.
static int is_inside(const report *r)
{
    return !r->options || !r->options->page || has_own_plots(r);
}

static arne_status report_write_all(report *r)
{
    buffer      path = {0};
    arne_status status = is_inside(r) ? run_claim_open(&r->claim, r->dir, r->error) : ARNE_OK;
    if (!status) status = run_read(r->dir, &r->run, r->error);
    if (!status) status = plots_make(&r->run, &r->plots);
    if (status == ARNE_NO_MEMORY) return arne_fail_memory(r->error);
    if (!status) status = figure_make(&r->run, &r->figure);
    if (!status && has_viewer()) status = figure_make_ghost(&r->run, "q_ref", &r->ghost);
    if (!status)
        status = activations_make(&r->run, &r->figure, r->options ? r->options->activations : NULL,
                                  r->options ? r->options->activation_start : 0, &r->activations,
                                  r->error);
    if (!status && r->options && r->options->other) {
        status = run_read(r->options->other, &r->other, r->error);
        if (!status) status = figure_make(&r->other, &r->other_figure);
        if (!status) status = run_looks(&r->other, LOOKS_ROOM, &r->other_looks);
    }
    if (!status) status = run_looks(&r->run, has_viewer() ? LOOKS_ROOM : 0, &r->looks);
    if (!status && is_inside(r)) status = claim_files(r);
    if (status) return status;
    if (r->options && r->options->page)
        put(&path, "%s", r->options->page);
    else
        put(&path, "%s/report.html", r->dir);
    status = path.failed ? arne_fail_memory(r->error) : report_write_page(r, path.text);
    buffer_free(&path);
    if (!status && r->options && r->options->plots) status = write_plots(r);
    const arne_status listed = is_inside(r) ? run_claim_end(&r->claim) : ARNE_OK;
    return status ? status : listed;
}

arne_status arne_report_write(const char *dir, const arne_report_options *options,
                              arne_error *error)
{
    arne_report_options own_options;
    if (options && !options_take(&own_options, sizeof own_options,
                                 OPTIONS_FIRST(arne_report_options), options))
        return options_refuse(error);
    if (options) options = &own_options;
    report r = {.dir = dir, .options = options, .error = error, .claim.lock.handle = -1};
    arne_error_clear(error);
    if (!dir)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    int         is_sweep = 0;
    arne_status status = is_sweep_folder(dir, &is_sweep, error);
    if (status) return status;
    if (is_sweep) return arne_sweep_report(dir, error);
    status = report_write_all(&r);
    run_claim_free(&r.claim);
    figure_free(&r.figure);
    figure_free(&r.ghost);
    figure_free(&r.other_figure);
    free(r.activations);
    run_free(&r.other);
    looks_free(&r.looks);
    looks_free(&r.other_looks);
    plots_free(&r.plots);
    run_free(&r.run);
    return status;
}
