// The key figures of a summary: everything in it that is not there for the report itself.
#include "io/number.h"
#include "report/markup.h"
#include "report/page.h"
#include <arne/io.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int is_for_report(const char *key)
{
    static const char *const keys[] = {"kind",  "title",     "robot",   "complete", "limits",
                                       "plots", "snapshots", "gravity", "base",     "figures",
                                       "text",  "published", "files",   NULL};
    for (int i = 0; keys[i]; i++)
        if (strcmp(keys[i], key) == 0) return 1;
    return 0;
}

// "rms_error" as words.
static void put_key(buffer *b, const char *key)
{
    char   words[256];
    size_t i = 0;
    for (; key[i] && i + 1 < sizeof words; i++) {
        words[i] = key[i];
        if (key[i] == '_') words[i] = ' ';
    }
    words[i] = 0;
    put_text(b, words);
}

static void put_scalar(buffer *b, const char *text)
{
    const char *cursor = text, *why = "";
    double      value = 0;
    if (!arne_number_decimal(&cursor, &value, &why) && !*cursor)
        put_value(b, value, 6);
    else if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        put(b, "%s", *text == 't' ? "yes" : "no");
    else
        put_text(b, strcmp(text, "null") == 0 || !*text ? "\u2013" : text);
}

// A list is one line, a mapping a line for each of its entries.
static void put_cell(buffer *b, const yaml_node *n)
{
    if (n->kind == YAML_TEXT) put_scalar(b, n->text);
    for (const yaml_item *i = n->kind == YAML_TEXT ? NULL : n->first; i; i = i->next) {
        if (i->key) {
            put(b, "<span class=\"sub\"><span>");
            put_text(b, i->key);
            put(b, "</span><span>");
        }
        if (i->value->kind == YAML_TEXT)
            put_scalar(b, i->value->text);
        else
            put(b, "\u2026");
        put(b, "%s", i->key ? "</span></span>" : i->next ? ", " : "");
    }
    if (n->kind != YAML_TEXT && !n->count) put(b, "none");
}

static int is_seconds(const char *key)
{
    return strcmp(key, "time") == 0 || strcmp(key, "duration") == 0 ||
           strcmp(key, "solve_time") == 0;
}

static void put_row(buffer *b, const yaml_item *i)
{
    put(b, "<tr><th>");
    put_key(b, i->key);
    put(b, "</th><td>");
    put_cell(b, i->value);
    if (is_seconds(i->key)) put(b, " <span class=\"unit\">s</span>");
    put(b, "</td></tr>\n");
}

// --- figures beside published ones -----------------------------------------------------------------

static double number_of(const yaml_node *map, const char *key)
{
    const yaml_node *n = arne_yaml_find(map, key);
    double           value = NAN;
    if (!n || n->kind != YAML_TEXT || arne_parse_number(n->text, &value)) return NAN;
    return value;
}

static const char *name_of(const yaml_node *map, const char *key)
{
    const yaml_node *n = arne_yaml_find(map, key);
    return n && n->kind == YAML_TEXT ? n->text : "";
}

int figures_of(const run *r, arne_report_figure **out)
{
    const yaml_node *list = arne_yaml_find(r->summary, "figures");
    int              count = 0;
    *out = NULL;
    if (!list || list->kind != YAML_LIST) return 0;
    *out = calloc((size_t)list->count + 1, sizeof **out);
    if (!*out) return -1;
    for (const yaml_item *i = list->first; i; i = i->next)
        if (i->value->kind == YAML_MAP)
            (*out)[count++] = (arne_report_figure){
                name_of(i->value, "name"), name_of(i->value, "unit"), number_of(i->value, "value"),
                number_of(i->value, "published")};
    return count;
}

void page_summary(buffer *b, const run *r)
{
    arne_report_figure *figures;
    const int           count = figures_of(r, &figures);
    if (count < 0) b->failed = 1;
    put(b, "<section class=\"summary\"><h2>Key figures</h2>\n");
    if (count > 0) page_figures(b, figures, count);
    free(figures);
    put(b, "<table class=\"keys\"><tbody>\n");
    for (const yaml_item *i = r->summary->first; i; i = i->next)
        if (!is_for_report(i->key)) put_row(b, i);
    put(b, "</tbody></table></section>\n");
}
