#include "base/error.h"
#include "report/markup.h"
#include "report/page.h"

// A link that could run something, or that leads to another host, stays text.
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

static void put_run(buffer *b, const arne_report_run *r)
{
    const int linked = is_plain_link(r->link);
    put(b, "<article><h2>");
    if (linked) {
        put(b, "<a href=\"");
        put_address(b, r->link);
        put(b, "\">");
    }
    put_text(b, r->title);
    put(b, "%s</h2>\n", linked ? "</a>" : "");
    if (r->text) {
        put(b, "<p>");
        put_text(b, r->text);
        put(b, "</p>\n");
    }
    if (r->figure_count) page_figures(b, r->figures, r->figure_count);
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
    page_open(&b, title);
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
