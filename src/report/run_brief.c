#include "base/error.h"
#include "report/page.h"
#include "report/still.h"
#include "report/sweep_data.h"
#include <arne/io.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct arne_report_brief {
    run                 summary;
    arne_report_figure *figures;
    arne_report_run     shown;
    buffer              drawing;
};

// The histogram of a sweep's first figure.
static void draw_sweep(arne_report_brief *b, const char *dir)
{
    sweep_data d;
    arne_error ignored;
    if (!sweep_data_read(&d, dir, &ignored)) {
        const sweep_column *c = d.count > d.parameters ? &d.columns[d.parameters] : NULL;
        if (c && c->count) sweep_histogram(&b->drawing, c);
    }
    sweep_data_free(&d);
}

// A drawing of the robot in motion. There is none where the folder lacks a file that it needs; that
// is no failure.
static void draw(arne_report_brief *b, const char *dir)
{
    run        whole = {0};
    figure     f = {0};
    looks      l = {0};
    arne_error ignored;
    if (strcmp(run_text(&b->summary, "kind", ""), "sweep") == 0)
        draw_sweep(b, dir);
    else if (!run_read(dir, &whole, &ignored) && !figure_make(&whole, &f) && f.frame_count &&
             !run_looks(&whole, 0, &l))
        page_thumbnail(&b->drawing, &(scene){whole.robot, &f, NULL, &l});
    looks_free(&l);
    figure_free(&f);
    run_free(&whole);
    if (b->drawing.failed) buffer_free(&b->drawing);
    b->shown.drawing = b->drawing.text;
}

// Every number of the summary, where it lists no figures.
static int collect_numbers(const run *r, arne_report_figure **out)
{
    int count = 0;
    *out = calloc((size_t)r->summary->count + 1, sizeof **out);
    if (!*out) return -1;
    for (const doc_item *i = r->summary->first; i; i = i->next) {
        double value = 0;
        if (is_for_report(i->key) || i->value->kind != DOC_TEXT) continue;
        if (!arne_parse_number(i->value->text, &value))
            (*out)[count++] = (arne_report_figure){i->key, "", value, NAN};
    }
    return count;
}

static arne_status brief_fill(arne_report_brief *b, arne_error *error)
{
    int count = figures_of(&b->summary, &b->figures);
    if (count == 0) {
        free(b->figures);
        count = collect_numbers(&b->summary, &b->figures);
    }
    if (count < 0) return arne_fail_memory(error);
    b->shown = (arne_report_run){.title = run_text(&b->summary, "title", "A run"),
                                 .text = run_text(&b->summary, "text", NULL),
                                 .figures = b->figures,
                                 .figure_count = count};
    return ARNE_OK;
}

arne_status arne_report_brief_read(const char *dir, arne_report_brief **out, arne_error *error)
{
    arne_error_clear(error);
    if (!dir || !out)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    *out = NULL;
    arne_report_brief *b = calloc(1, sizeof *b);
    if (!b) return arne_fail_memory(error);
    arne_status status = run_read_summary(dir, &b->summary, error);
    if (!status) status = brief_fill(b, error);
    if (!status) draw(b, dir);
    if (status)
        arne_report_brief_free(b);
    else
        *out = b;
    return status;
}

void arne_report_brief_free(arne_report_brief *brief)
{
    if (!brief) return;
    run_free(&brief->summary);
    free(brief->figures);
    buffer_free(&brief->drawing);
    free(brief);
}

const arne_report_run *arne_report_brief_run(const arne_report_brief *brief)
{
    return &brief->shown;
}
