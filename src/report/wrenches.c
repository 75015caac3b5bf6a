// What joints transmit: columns wrench.JOINT.fx .. mz. One plot has the magnitudes of all joints,
// force and moment; the components of each joint are details.
#include "base/text.h"
#include "report/plots.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char prefix[] = "wrench.";
enum { PREFIX = sizeof prefix - 1 };

// The three columns of one joint's force ('f') or moment ('m').
typedef struct triple {
    char name[256]; // of the joint
    int  column[3];
} triple;

// Whether column c begins such a triple.
static int find_triple(const arne_table *t, int c, char letter, triple *out)
{
    const char  *name = arne_table_name(t, c);
    const size_t length = strlen(name);
    char         other[300];
    if (strncmp(name, prefix, PREFIX) != 0 || length < PREFIX + 4 || length >= 256) return 0;
    if (name[length - 3] != '.' || name[length - 2] != letter || name[length - 1] != 'x') return 0;
    for (int i = 0; i < 3; i++) {
        snprintf(other, sizeof other, "%.*s%c", (int)length - 1, name, "xyz"[i]);
        out->column[i] = arne_table_find(t, other);
        if (out->column[i] < 0) return 0;
    }
    snprintf(out->name, sizeof out->name, "%.*s", (int)(length - 3 - PREFIX), name + PREFIX);
    return 1;
}

int is_wrench_column(const arne_table *t, int column)
{
    const char  *name = arne_table_name(t, column);
    const size_t length = strlen(name);
    char         first[300];
    triple       found;
    if (length < PREFIX || length >= 256) return 0;
    snprintf(first, sizeof first, "%.*sx", (int)length - 1, name);
    const int c = arne_table_find(t, first);
    if (c < 0 || !find_triple(t, c, name[length - 2], &found)) return 0;
    return found.column[0] == column || found.column[1] == column || found.column[2] == column;
}

static plot *wrenches_add_plot(const run *r, plot_list *list, char letter, int is_small)
{
    const arne_table *t = run_result(r);
    plot             *p = plots_add(list, PLOTS_MORE, r);
    if (!p) return NULL;
    p->count = arne_table_rows(t);
    p->x = column_samples(t, run_time_column(r));
    p->is_time = 1;
    text_line(p->x_label, sizeof p->x_label, "time [s]");
    text_line(p->kind, sizeof p->kind, "wrench");
    text_line(p->group, sizeof p->group, "Internal %s of the joints: %s",
              letter == 'f' ? "forces" : "moments", is_small ? "components" : "magnitudes");
    p->is_small = is_small;
    text_line(p->y_label, sizeof p->y_label, letter == 'f' ? "force [N]" : "moment [N m]");
    return p;
}

static double *magnitudes(const run *r, plot_list *list, const triple *of)
{
    const arne_table *t = run_result(r);
    double           *out = plots_take(list, (size_t)arne_table_rows(t) * sizeof *out, r);
    for (int i = 0; out && i < arne_table_rows(t); i++) {
        const double *row = arne_table_row(t, i);
        out[i] = hypot(hypot(row[of->column[0]], row[of->column[1]]), row[of->column[2]]);
    }
    return out;
}

// The name of a joint lives in a column's name; the legend wants it without the rest.
static const char *keep_name(plot_list *list, const run *r, const char *name)
{
    const size_t size = strlen(name) + 1;
    char        *copy = plots_take(list, size, r);
    return copy ? memcpy(copy, name, size) : NULL;
}

static arne_status add_magnitudes(const run *r, plot_list *list, char letter)
{
    const arne_table *t = run_result(r);
    plot             *p = NULL;
    triple            found;
    for (int c = 0; c < arne_table_columns(t); c++) {
        if (!find_triple(t, c, letter, &found)) continue;
        if (!p || p->line_count == PLOT_COLOURS) {
            p = wrenches_add_plot(r, list, letter, 0);
            if (!p) return ARNE_NO_MEMORY;
            text_line(p->title, sizeof p->title, "Magnitude in each joint");
        }
        const double *value = magnitudes(r, list, &found);
        const char   *name = keep_name(list, r, found.name);
        if (!value || !name) return ARNE_NO_MEMORY;
        p->line[p->line_count] =
            (plot_line){.name = name, .y = {value, 1}, .colour = p->line_count};
        p->line_count++;
    }
    return ARNE_OK;
}

static arne_status add_components(const run *r, plot_list *list, char letter)
{
    const arne_table *t = run_result(r);
    arne_status       status = ARNE_OK;
    triple            found;
    for (int c = 0; c < arne_table_columns(t) && !status; c++) {
        if (!find_triple(t, c, letter, &found)) continue;
        plot *p = wrenches_add_plot(r, list, letter, 1);
        if (!p) return ARNE_NO_MEMORY;
        text_line(p->title, sizeof p->title, "%s", found.name);
        for (int i = 0; i < 3 && !status; i++) {
            const char *name = arne_table_name(t, found.column[i]);
            status = plot_add_line(r, p, t, found.column[i], name + strlen(name) - 2);
        }
    }
    return status;
}

arne_status plots_wrenches(const run *r, plot_list *list)
{
    arne_status status = ARNE_OK;
    for (int i = 0; i < 2 && !status; i++)
        status = add_magnitudes(r, list, "fm"[i]);
    for (int i = 0; i < 2 && !status; i++)
        status = add_components(r, list, "fm"[i]);
    return status;
}
