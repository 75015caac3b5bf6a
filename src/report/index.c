#include "base/error.h"
#include "report/markup.h"
#include "report/page.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A link with a scheme (javascript:, https:) is not made a link: it stays text.
static int is_plain_link(const char *link)
{
    if (!link || !*link || *link == '/' || *link == '\\') return 0;
    for (const char *c = link; *c; c++)
        if (*c == ':' || (unsigned char)*c < 0x20) return 0;
    return 1;
}

// A path as an address: what has a meaning there is written by its number.
static void put_address(buffer *b, const char *link)
{
    for (const unsigned char *c = (const unsigned char *)link; *c; c++) {
        const int plain = (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') ||
                          (*c >= 'A' && *c <= 'Z') || *c == '/' || *c == '.' || *c == '-' ||
                          *c == '_';
        put(b, plain ? "%c" : "%%%02X", *c);
    }
}

static void index_open_link(buffer *b, const arne_report_run *r, int linked, const char *more)
{
    if (!linked) return;
    put(b, "<a href=\"");
    put_address(b, r->link);
    put(b, "\"%s>", more);
}

// Figures that can be compared, each by itself; of a run without such, the first few.
static void index_put_figures(buffer *b, const arne_report_run *r)
{
    enum { FEW = 3 };
    int compared = 0, shown = 0;
    for (int i = 0; i < r->figure_count; i++)
        compared += !isnan(r->figures[i].published);
    arne_report_figure *some = calloc((size_t)r->figure_count + 1, sizeof *some);
    if (!some) b->failed = 1;
    for (int i = 0; some && i < r->figure_count; i++)
        if (is_of_machine(r->figures[i].name))
            continue;
        else if (compared ? !isnan(r->figures[i].published) : shown < FEW)
            some[shown++] = r->figures[i];
    if (shown) page_figures(b, some, shown);
    free(some);
}

static void put_run(buffer *b, const arne_report_run *r)
{
    const int linked = is_plain_link(r->link);
    put(b, "<article>");
    if (r->drawing) {
        index_open_link(b, r, linked, " class=\"picture\" tabindex=\"-1\" aria-hidden=\"true\"");
        put_bytes(b, r->drawing, strlen(r->drawing));
        put(b, "%s", linked ? "</a>" : "");
    }
    put(b, "<h2>");
    index_open_link(b, r, linked, "");
    put_text(b, r->title);
    put(b, "%s</h2>\n", linked ? "</a>" : "");
    if (r->text) {
        put(b, "<p>");
        put_text(b, r->text);
        put(b, "</p>\n");
    }
    index_put_figures(b, r);
    put(b, "</article>\n");
}

arne_status arne_report_index(const char *path, const char *title, const char *text,
                              const arne_report_run *runs, int run_count, arne_error *error)
{
    buffer b = {0};
    arne_error_clear(error);
    if (!path || !title || (run_count && !runs))
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    page_open(&b, title, PAGE_STILL);
    put(&b, "<header><h1>");
    put_text(&b, title);
    put(&b, "</h1>");
    if (text) {
        put(&b, "<p class=\"lead\">");
        put_text(&b, text);
        put(&b, "</p>");
    }
    put(&b, "</header>\n<main class=\"index\">\n");
    for (int i = 0; i < run_count; i++)
        put_run(&b, &runs[i]);
    put(&b, "</main>\n");
    page_close(&b, PAGE_STILL);
    const arne_status status = page_write(&b, path, error);
    buffer_free(&b);
    return status;
}
