// All columns of a result, by what they are: the text before the first point of their names, and their unit. Lines
// of a reference go with the lines they are for.
#include "base/text.h"
#include "report/plots.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct column_kind {
    const char *prefix, *title, *label;
    const char *other_title,
        *other_label;      // where the unit is one of forces, or none; NULL: the same
    const char *reference; // prefix of the columns to compare with
} column_kind;

static const column_kind kinds[] = {
    {"q", "Positions", "position", "Orientations", "quaternion", "q_ref"},
    {"error", "Tracking errors", "error", NULL, NULL, NULL},
    {"qd", "Velocities", "velocity", NULL, NULL, "qd_ref"},
    {"qdd", "Accelerations", "acceleration", NULL, NULL, "qdd_ref"},
    {"tau", "Torques", "torque", "Forces", "force", "tau_ref"},
    {"taud", "Torque rates", "torque rate", "Force rates", "force rate", NULL},
    {"theta", "Motor positions", "position", NULL, NULL, "theta_ref"},
    {"thetad", "Motor velocities", "velocity", NULL, NULL, "thetad_ref"},
    {"energy", "Energies", "energy", NULL, NULL, NULL},
    {"base", "Base", "position", NULL, NULL, "base_ref"},
    {"com", "Centre of mass", "position", NULL, NULL, "com_ref"},
    {"momentum", "Momentum", "momentum", NULL, NULL, NULL},
    {"grf", "Ground reactions", "moment", "Ground reaction forces", "force", "grf_ref"},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

typedef struct grouping {
    const run        *run;
    const arne_table *table;
    plot_list        *list;
    int               time;
    unsigned char    *used; // a flag for each column
} grouping;

// Whether the name is "prefix.something".
static int is_of(const char *name, const char *prefix, size_t length)
{
    return strncmp(name, prefix, length) == 0 && name[length] == '.';
}

static int is_unit(const grouping *g, int column, const char *unit)
{
    return strcmp(arne_table_unit(g->table, column), unit) == 0;
}

static int is_other(const char *unit)
{
    return !*unit || strcmp(unit, "N") == 0 || strcmp(unit, "N/s") == 0;
}

// Columns that will be drawn in the same plot, perhaps over several pages of it.
static int collect(const grouping *g, const char *prefix, size_t length, const char *unit, int *out)
{
    int count = 0;
    for (int c = 0; c < arne_table_columns(g->table); c++) {
        const char *name = arne_table_name(g->table, c);
        const int   member = length ? is_of(name, prefix, length) : !strchr(name, '.');
        if (g->used[c] || c == g->time || !member || !is_unit(g, c, unit)) continue;
        g->used[c] = 1;
        out[count++] = c;
    }
    return count;
}

static void add_reference(const grouping *g, plot *p, const column_kind *kind, const char *rest)
{
    char name[512];
    snprintf(name, sizeof name, "%s.%s", kind->reference, rest);
    const int column = arne_table_find(g->table, name);
    if (column < 0) return;
    g->used[column] = 1;
    p->line[p->line_count] = (plot_line){.name = rest,
                                         .y = column_samples(g->table, column),
                                         .colour = p->line[p->line_count - 1].colour,
                                         .reference = 1};
    p->line_count++;
}

// One plot of at most PLOT_COLOURS columns. Their references are last, so that colours count up.
static arne_status add_page(const grouping *g, const column_kind *kind, const char *unit,
                            const int *columns, int count, const char *page)
{
    plot *p = plots_add(g->list, PLOTS_USUAL, g->run);
    if (!p) return ARNE_NO_MEMORY;
    const int   other = kind->other_title && is_other(unit);
    arne_status status = ARNE_OK;
    p->count = arne_table_rows(g->table);
    p->x = column_samples(g->table, g->time);
    p->is_time = 1;
    text_line(p->title, sizeof p->title, "%s%s", other ? kind->other_title : kind->title, page);
    text_line(p->x_label, sizeof p->x_label, "time [s]");
    text_line(p->y_label, sizeof p->y_label, *unit ? "%s [%s]" : "%s",
              other ? kind->other_label : kind->label, unit);
    for (int i = 0; i < count && !status; i++) {
        const char *name = arne_table_name(g->table, columns[i]), *point = strchr(name, '.');
        status = plot_add_line(g->run, p, g->table, columns[i], point ? point + 1 : name);
        p->line[p->line_count - 1].colour = i;
        if (kind->reference && point) add_reference(g, p, kind, point + 1);
    }
    return status;
}

static arne_status add_group(const grouping *g, const column_kind *kind, size_t length,
                             const char *unit)
{
    int *columns = malloc((size_t)arne_table_columns(g->table) * sizeof *columns);
    if (!columns) return ARNE_NO_MEMORY;
    const int   count = collect(g, kind->prefix, length, unit, columns);
    const int   pages = (count + PLOT_COLOURS - 1) / PLOT_COLOURS;
    arne_status status = ARNE_OK;
    for (int k = 0; k < pages && !status; k++) {
        const int from = count * k / pages, to = count * (k + 1) / pages;
        char      page[48] = "";
        if (pages > 1) snprintf(page, sizeof page, ", %d of %d", k + 1, pages);
        status = add_page(g, kind, unit, columns + from, to - from, page);
    }
    free(columns);
    return status;
}

static arne_status add_kind(const grouping *g, const column_kind *kind)
{
    const size_t length = strlen(kind->prefix);
    arne_status  status = ARNE_OK;
    for (int c = 0; c < arne_table_columns(g->table) && !status; c++)
        if (!g->used[c] && is_of(arne_table_name(g->table, c), kind->prefix, length))
            status = add_group(g, kind, length, arne_table_unit(g->table, c));
    return status;
}

// What has a name that we do not know is shown under that name.
static arne_status add_rest(const grouping *g)
{
    arne_status status = ARNE_OK;
    for (int c = 0; c < arne_table_columns(g->table) && !status; c++) {
        const char  *name = arne_table_name(g->table, c), *point = strchr(name, '.');
        const size_t length = point ? (size_t)(point - name) : 0;
        char         prefix[64];
        if (g->used[c] || c == g->time) continue;
        text_line(prefix, sizeof prefix, "%.*s", (int)(length < 60 ? length : 60), name);
        const column_kind kind = {name, length ? prefix : "Other", prefix, NULL, NULL, NULL};
        status = add_group(g, &kind, length, arne_table_unit(g->table, c));
    }
    return status;
}

arne_status plots_columns(const run *r, plot_list *list)
{
    grouping g = {r, run_result(r), list, run_time_column(r), NULL};
    if (g.time < 0)
        return arne_reader_fail(&r->reader, ARNE_VALUE, 0, "result.csv has no column 'time'");
    g.used = calloc((size_t)arne_table_columns(g.table), 1);
    if (!g.used) return ARNE_NO_MEMORY;
    arne_status status = ARNE_OK;
    for (int c = 0; c < arne_table_columns(g.table); c++)
        g.used[c] = (unsigned char)is_wrench_column(g.table, c);
    for (int k = 0; k < KINDS && !status; k++)
        status = add_kind(&g, &kinds[k]);
    if (!status) status = add_rest(&g);
    free(g.used);
    return status;
}
