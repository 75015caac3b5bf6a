// The plots that a summary asks for: {"title", "file", "x", "y": [...], "x_label", "y_label",
// "band": [low, high], "band_label", "equal": true}. Only x and y are needed.
#include "base/plain.h"
#include "base/text.h"
#include "report/plots.h"
#include <string.h>

typedef struct asking {
    run              *run;
    const doc_node   *spec;
    int               number;
    const arne_table *table;
    const char       *file;
} asking;

static arne_status fail_key(const asking *a, const doc_node *at, const char *key, const char *why)
{
    return arne_reader_fail(&a->run->reader, ARNE_VALUE, at->line, "plots[%d]: %s %s", a->number,
                            key, why);
}

static const char *asked_text_of(const asking *a, const char *key, const char *otherwise)
{
    const doc_node *n = doc_find(a->spec, key);
    return n && n->kind == DOC_TEXT && *n->text ? n->text : otherwise;
}

static arne_status asked_find_column(const asking *a, const doc_node *n, const char *key,
                                     int *column)
{
    if (!n) return fail_key(a, a->spec, key, "is missing");
    if (n->kind != DOC_TEXT) return fail_key(a, n, key, "must be the name of a column");
    *column = arne_table_find(a->table, n->text);
    if (*column >= 0) return ARNE_OK;
    return arne_reader_fail(&a->run->reader, ARNE_VALUE, n->line,
                            "plots[%d]: %s: %s has no column '%s'", a->number, key, a->file,
                            n->text);
}

static arne_status add_lines(const asking *a, plot *p)
{
    const doc_node *y = doc_find(a->spec, "y");
    if (!y || y->kind != DOC_LIST || !y->count || y->count > PLOT_LINES)
        return fail_key(a, y ? y : a->spec, "y", "must be a list of one to 16 columns");
    arne_status status = ARNE_OK;
    for (const doc_item *i = y->first; i && !status; i = i->next) {
        int column = 0;
        status = asked_find_column(a, i->value, "y", &column);
        if (!status)
            status = plot_add_line(a->run, p, a->table, column, arne_table_name(a->table, column));
    }
    return status;
}

// The number of leading (or trailing) parts that all names share, where parts are separated by
// points. At least one part remains.
static size_t common_length(const plot *p, int from_end)
{
    const char *first = p->line[0].name;
    size_t      common = 0;
    for (size_t n = 1; n < strlen(first); n++) {
        const char *end = first + strlen(first) - n;
        if ((from_end ? *end : first[n - 1]) != '.') continue;
        for (int k = 1; k < p->line_count; k++) {
            const char  *name = p->line[k].name;
            const size_t length = strlen(name);
            if (length <= n) return common;
            if (strncmp(from_end ? name + length - n : name, from_end ? end : first, n) != 0)
                return common;
        }
        common = n;
    }
    return common;
}

// Legends have what tells the lines apart: of tau.joint1 and model.joint1 the parts before the
// point. A number alone says nothing, so it keeps its name.
static arne_status shorten_names(const asking *a, plot *p, plot_list *list)
{
    const size_t cut[2] = {common_length(p, 0), p->line_count > 1 ? common_length(p, 1) : 0};
    for (int k = 0; k < p->line_count; k++) {
        plot_line *l = &p->line[k];
        size_t     start = cut[0], end = strlen(l->name) - cut[1];
        if (start >= end) continue;
        while (start && plain_is_digit(l->name[start])) {
            start--;
            while (start && l->name[start - 1] != '.')
                start--;
        }
        char *name = plots_take(list, end - start + 1, a->run);
        if (!name) return ARNE_NO_MEMORY;
        memcpy(name, l->name + start, end - start);
        name[end - start] = 0;
        l->name = name;
    }
    return ARNE_OK;
}

static arne_status add_band(const asking *a, plot *p)
{
    const doc_node *band = doc_find(a->spec, "band");
    int             low = 0, high = 0;
    if (!band) return ARNE_OK;
    if (band->kind != DOC_LIST || band->count != 2)
        return fail_key(a, band, "band", "must be a list of two columns");
    arne_status status = asked_find_column(a, band->first->value, "band", &low);
    if (!status) status = asked_find_column(a, band->last->value, "band", &high);
    if (status) return status;
    p->band_low = column_samples(a->table, low);
    p->band_high = column_samples(a->table, high);
    text_line(p->band_name, sizeof p->band_name, "%s", asked_text_of(a, "band_label", "band"));
    return ARNE_OK;
}

// The unit that all lines have, or "".
static const char *common_unit(const asking *a)
{
    const doc_item *i = doc_find(a->spec, "y")->first;
    const char     *unit = arne_table_unit(a->table, arne_table_find(a->table, i->value->text));
    for (; i; i = i->next)
        if (strcmp(unit, arne_table_unit(a->table, arne_table_find(a->table, i->value->text))) != 0)
            return "";
    return unit;
}

static int increases(const plot *p)
{
    for (int i = 1; i < p->count; i++)
        if (sample(p->x, i) < sample(p->x, i - 1)) return 0;
    return 1;
}

static void set_labels(const asking *a, plot *p, int x)
{
    const char *name = arne_table_name(a->table, x), *x_unit = arne_table_unit(a->table, x);
    const char *unit = common_unit(a), *y_label = asked_text_of(a, "y_label", NULL);
    const char *x_label = asked_text_of(a, "x_label", NULL),
               *title = asked_text_of(a, "title", NULL);
    const char *only = p->line_count == 1 ? p->line[0].name : "";
    if (x_label)
        text_line(p->x_label, sizeof p->x_label, "%s", x_label);
    else
        text_line(p->x_label, sizeof p->x_label, *x_unit ? "%s [%s]" : "%s", name, x_unit);
    if (y_label)
        text_line(p->y_label, sizeof p->y_label, "%s", y_label);
    else
        text_line(p->y_label, sizeof p->y_label, *unit ? "%s [%s]" : "%s", title ? "" : only, unit);
    raise_powers(p->x_label);
    raise_powers(p->y_label);
    text_line(p->title, sizeof p->title, "%s", title ? title : p->y_label);
    p->is_path = !increases(p);
    // Lengths over lengths are a place: it must not be distorted.
    p->is_equal = strcmp(asked_text_of(a, "equal", "auto"), "true") == 0 ||
                  (!doc_find(a->spec, "equal") && p->is_path && strcmp(unit, "m") == 0 &&
                   strcmp(x_unit, "m") == 0);
}

static arne_status asked_add_plot(const asking *a, plot_list *list)
{
    int         x = 0;
    arne_status status = asked_find_column(a, doc_find(a->spec, "x"), "x", &x);
    plot       *p = status ? NULL : plots_add(list, PLOTS_ASKED, a->run);
    if (!p) return status ? status : ARNE_NO_MEMORY;
    p->count = arne_table_rows(a->table);
    p->x = column_samples(a->table, x);
    p->is_time = a->table == run_result(a->run) && x == run_time_column(a->run);
    status = add_lines(a, p);
    if (!status) status = add_band(a, p);
    if (!status) set_labels(a, p, x);
    if (!status) status = shorten_names(a, p, list);
    return status;
}

arne_status plots_asked(run *r, plot_list *list)
{
    const doc_node *plots = doc_find(r->summary, "plots");
    arne_status     status = ARNE_OK;
    asking          a = {.run = r};
    if (!plots) return ARNE_OK;
    if (plots->kind != DOC_LIST)
        return arne_reader_fail(&r->reader, ARNE_VALUE, plots->line, "plots must be a list");
    for (const doc_item *i = plots->first; i && !status; i = i->next, a.number++) {
        a.spec = i->value;
        if (a.spec->kind != DOC_MAP) return fail_key(&a, a.spec, "", "must be a mapping");
        const doc_node *file = doc_find(a.spec, "file");
        a.file = asked_text_of(&a, "file", "result.csv");
        status = run_table_of(r, file ? file : a.spec, a.file, &a.table);
        if (!status) status = asked_add_plot(&a, list);
    }
    return status;
}
