#include "report/page.h"

#include "base/error.h"
#include "io/whole_file.h"
#include "report/markup.h"
#include <arne/version.h>
#include <math.h>
#include <string.h>

static page_scripts which_script(page_scripts s) { return s & (PAGE_HAS_DATA - 1); }

void page_open(buffer *b, const char *title, page_scripts scripts)
{
    // A content security policy: the page loads nothing from elsewhere. A page with the library in
    // it needs wasm-unsafe-eval; one whose meshes hold pictures reads them from blob: and data:.
    put(b,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "style-src 'unsafe-inline'; script-src 'unsafe-inline'%s%s\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
        which_script(scripts) == PAGE_LIVE ? " 'wasm-unsafe-eval'" : "",
        scripts & PAGE_HAS_DATA ? "; img-src data: blob:; connect-src data: blob:" : "");
    put_text(b, title);
    put(b, "</title>\n<style>\n");
    put_bytes(b, report_page_css, strlen(report_page_css));
    put_bytes(b, report_view_css, strlen(report_view_css));
    put(b, "</style>\n</head>\n<body>\n");
}

static void put_script(buffer *b, const char *text)
{
    put(b, "<script>\n");
    put_bytes(b, text, strlen(text));
    put(b, "</script>\n");
}

void page_close(buffer *b, page_scripts scripts)
{
    put(b, "<footer>Arne %s</footer>\n", arne_version());
    const page_scripts which = which_script(scripts);
    if (which != PAGE_STILL && has_viewer())
        put_script(b, which == PAGE_LIVE          ? report_live_js
                      : which == PAGE_WITH_MESHES ? report_mesh_js
                                                  : report_view_js);
    put(b, "</body>\n</html>\n");
}

void page_stage(buffer *b, const char *caption)
{
    put(b,
        "<figure class=\"stage\">\n<div id=\"stage\" class=\"canvas\"></div>\n"
        "<figcaption>%s</figcaption></figure>\n",
        caption);
}

static void put_figure_value(buffer *b, double value, const char *unit)
{
    put_value(b, value, 5);
    if (*unit && !isnan(value)) {
        put(b, " <span class=\"unit\">");
        put_text(b, unit);
        put(b, "</span>");
    }
}

int is_of_machine(const char *name)
{
    return strcmp(name, "Solver time") == 0 || strcmp(name, "Computing time") == 0;
}

// The short names of a planner, in words.
static const char *words_of(const char *name)
{
    return strcmp(name, "T") == 0 ? "Duration" : is_of_machine(name) ? "Computing time" : name;
}

void page_figures(buffer *b, const arne_report_figure *figures, int count)
{
    int published = 0;
    for (int i = 0; i < count; i++)
        published = published || !isnan(figures[i].published);
    put(b, "<table class=\"figures\">");
    if (published)
        put(b, "<thead><tr><th></th><th>here</th><th>expected</th><th>deviation</th></tr></thead>");
    put(b, "<tbody>\n");
    for (int i = 0; i < count; i++) {
        const arne_report_figure *f = &figures[i];
        const char               *unit = f->unit ? f->unit : "";
        put(b, "<tr><th>");
        put_text(b, words_of(f->name));
        put(b, "</th><td>");
        put_figure_value(b, f->value, unit);
        put(b, "</td>");
        if (published) {
            put(b, "<td>");
            if (!isnan(f->published)) put_figure_value(b, f->published, unit);
            put(b, "</td><td class=\"off\">");
            const double exact = 100 * (f->value - f->published) / fabs(f->published);
            const double off = fabs(exact) < 0.05 ? 0 : exact; // no sign of what is not shown
            if (isfinite(off) && !is_of_machine(f->name)) {
                put(b, "%s", off > 0 ? "+" : "");
                put_decimals(b, off, fabs(off) < 10 ? 1 : 0);
                put(b, " %%");
            }
            put(b, "</td>");
        }
        put(b, "</tr>\n");
    }
    put(b, "</tbody></table>\n");
}

arne_status page_write(const buffer *b, const char *path, arne_error *error)
{
    whole_file file;
    if (b->failed) return arne_fail_memory(error);
    const arne_status status = arne_whole_file_open(&file, path, error);
    if (status) return status;
    // A short write shows when the file is closed.
    if (b->size) fwrite(b->text, 1, b->size, file.stream);
    return arne_whole_file_close(&file, error);
}
