// All columns of a result, by what they are: the text before the first point of their names, and
// their unit. Lines of a reference go with the lines they are for.
#include "base/text.h"
#include "report/left_right.h"
#include "report/plots.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct column_kind {
    const char *prefix, *title, *label;
    const char *other_title,
        *other_label;      // where the unit is one of forces, or none; NULL: the same
    const char *reference; // prefix of the columns to compare with
    plot_part   part;
} column_kind;

static const column_kind kinds[] = {
    {"q", "Positions", "position", "Orientations", "quaternion", "q_ref", PLOTS_USUAL},
    {"error", "Tracking errors", "error", NULL, NULL, NULL, PLOTS_USUAL},
    {"qd", "Velocities", "velocity", NULL, NULL, "qd_ref", PLOTS_MORE},
    {"qdd", "Accelerations", "acceleration", NULL, NULL, "qdd_ref", PLOTS_MORE},
    {"tau", "Torques", "torque", "Forces", "force", "tau_ref", PLOTS_USUAL},
    {"tau_rate", "Torque rates", "torque rate", "Force rates", "force rate", NULL, PLOTS_MORE},
    {"tau_rate_lag", "Torque rates less differences of torques", "torque rate", NULL, NULL, NULL,
     PLOTS_MORE},
    {"model", "Torques of the robot that was found", "torque", NULL, NULL, NULL, PLOTS_MORE},
    {"prior", "Torques of the robot before", "torque", NULL, NULL, NULL, PLOTS_MORE},
    {"residual", "Measured less found torques", "torque", NULL, NULL, NULL, PLOTS_MORE},
    {"theta", "Motor positions", "position", NULL, NULL, "theta_ref", PLOTS_MORE},
    {"thetad", "Motor velocities", "velocity", NULL, NULL, "thetad_ref", PLOTS_MORE},
    {"energy", "Energies", "energy", NULL, NULL, NULL, PLOTS_MORE},
    {"base", "Base", "position", NULL, NULL, "base_ref", PLOTS_MORE},
    {"com", "Centre of mass", "position", NULL, NULL, "com_ref", PLOTS_MORE},
    {"momentum", "Momentum", "momentum", NULL, NULL, NULL, PLOTS_MORE},
    {"zmp", "Zero-moment point", "position", NULL, NULL, NULL, PLOTS_MORE},
    {"contact", "Contact moments", "moment", "Contact forces", "force", NULL, PLOTS_USUAL},
    {"grf", "Ground reactions", "moment", "Ground reaction forces", "force", "grf_ref",
     PLOTS_USUAL},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

const char *plots_kind_title(const char *prefix)
{
    for (int i = 0; i < KINDS; i++)
        if (strcmp(kinds[i].prefix, prefix) == 0) return kinds[i].title;
    return prefix;
}

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

// Stands for the unit of coordinates of rods: as those of quaternions they have none, and they are
// no components of a joint.
static const char OF_STRAINS[] = "-";

static const char *table_columns_unit(const grouping *g, int column)
{
    const char *name = arne_table_name(g->table, column), *unit = arne_table_unit(g->table, column);
    return !*unit && is_of(name, "q", 1) && !strchr(name + 2, '.') ? OF_STRAINS : unit;
}

static int table_columns_is_unit(const grouping *g, int column, const char *unit)
{
    return strcmp(table_columns_unit(g, column), unit) == 0;
}

static int is_other(const char *unit)
{
    return !*unit || strcmp(unit, "N") == 0 || strcmp(unit, "N/s") == 0;
}

static int is_member(const grouping *g, int c, const char *prefix, size_t length, const char *unit)
{
    const char *name = arne_table_name(g->table, c);
    const int   member = length ? is_of(name, prefix, length) : !strchr(name, '.');
    return !g->used[c] && c != g->time && member && table_columns_is_unit(g, c, unit);
}

static double largest_in(const arne_table *t, int column)
{
    double most = 0;
    for (int i = 0; i < arne_table_rows(t); i++)
        most = fmax(most, fabs(arne_table_row(t, i)[column]));
    return isfinite(most) ? most : 0;
}

// Columns of one kind and unit that move; the others go on the list of constants. Returns how many,
// -1 without memory.
static int table_columns_collect(const grouping *g, const char *prefix, size_t length,
                                 const char *unit, int *out)
{
    double largest = 0;
    int    count = 0;
    for (int c = 0; c < arne_table_columns(g->table); c++)
        if (is_member(g, c, prefix, length, unit)) largest = fmax(largest, largest_in(g->table, c));
    for (int c = 0; c < arne_table_columns(g->table); c++) {
        if (!is_member(g, c, prefix, length, unit)) continue;
        g->used[c] = 1;
        if (column_moves(g->table, c, largest))
            out[count++] = c;
        else if (plots_add_constant(g->list, g->run, c))
            return -1;
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

static plot *begin_plot(const grouping *g, const column_kind *kind, const char *unit)
{
    plot *p = plots_add(g->list, kind->part, g->run);
    if (!p) return NULL;
    const int strains = unit == OF_STRAINS, other = kind->other_title && is_other(unit);
    p->count = arne_table_rows(g->table);
    p->x = column_samples(g->table, g->time);
    p->is_time = 1;
    text_line(p->kind, sizeof p->kind, "%s", kind->prefix);
    text_line(p->group, sizeof p->group, "%s",
              strains ? "Strains"
              : other ? kind->other_title
                      : kind->title);
    text_line(p->title, sizeof p->title, "%s", p->group);
    text_line(p->x_label, sizeof p->x_label, "time [s]");
    text_line(p->y_label, sizeof p->y_label, *unit && !strains ? "%s [%s]" : "%s",
              strains ? "strain"
              : other ? kind->other_label
                      : kind->label,
              unit);
    raise_powers(p->y_label);
    return p;
}

static const char *table_columns_rest_of(const char *name)
{
    const char *point = strchr(name, '.');
    return point ? point + 1 : name;
}

static arne_status add_line(const grouping *g, const column_kind *kind, plot *p, int column,
                            int colour, const char *name)
{
    const char *full = arne_table_name(g->table, column);
    arne_status status = plot_add_line(g->run, p, g->table, column, name);
    p->line[p->line_count - 1].colour = colour;
    if (kind->reference && strchr(full, '.'))
        add_reference(g, p, kind, table_columns_rest_of(full));
    return status;
}

// Few columns are one plot. Their references are last, so that colours count up.
static arne_status add_page(const grouping *g, const column_kind *kind, const char *unit,
                            const int *columns, int count)
{
    plot       *p = begin_plot(g, kind, unit);
    arne_status status = p ? ARNE_OK : ARNE_NO_MEMORY;
    for (int i = 0; i < count && !status; i++)
        status = add_line(g, kind, p, columns[i], i,
                          table_columns_rest_of(arne_table_name(g->table, columns[i])));
    return status;
}

// Many columns are many small plots. What the left and the right do goes together.
static arne_status add_small(const grouping *g, const column_kind *kind, const char *unit,
                             int *columns, int count)
{
    arne_status status = ARNE_OK;
    for (int i = 0; i < count && !status; i++) {
        if (columns[i] < 0) continue;
        const char *name = table_columns_rest_of(arne_table_name(g->table, columns[i]));
        const int   side = name_side(name);
        plot       *p = begin_plot(g, kind, unit);
        if (!p) return ARNE_NO_MEMORY;
        p->is_small = 1;
        text_line(p->title, sizeof p->title, "%s", name);
        status = add_line(g, kind, p, columns[i], side < 0 ? 1 : 0,
                          side < 0   ? "right"
                          : side > 0 ? "left"
                                     : name);
        for (int k = i + 1; k < count && side && !status; k++) {
            if (columns[k] < 0 ||
                !name_mirrors(name, table_columns_rest_of(arne_table_name(g->table, columns[k]))))
                continue;
            status =
                add_line(g, kind, p, columns[k], side < 0 ? 0 : 1, side < 0 ? "left" : "right");
            name_without_side(name, p->title, sizeof p->title);
            columns[k] = -1;
            break;
        }
    }
    return status;
}

static arne_status add_group(const grouping *g, const column_kind *kind, size_t length,
                             const char *unit)
{
    int *columns = malloc((size_t)arne_table_columns(g->table) * sizeof *columns);
    if (!columns) return ARNE_NO_MEMORY;
    const int   count = table_columns_collect(g, kind->prefix, length, unit, columns);
    arne_status status = count < 0 ? ARNE_NO_MEMORY : ARNE_OK;
    if (count > PLOT_COLOURS)
        status = add_small(g, kind, unit, columns, count);
    else if (count > 0)
        status = add_page(g, kind, unit, columns, count);
    free(columns);
    return status;
}

static arne_status add_kind(const grouping *g, const column_kind *kind)
{
    const size_t length = strlen(kind->prefix);
    arne_status  status = ARNE_OK;
    for (int c = 0; c < arne_table_columns(g->table) && !status; c++)
        if (!g->used[c] && is_of(arne_table_name(g->table, c), kind->prefix, length))
            status = add_group(g, kind, length, table_columns_unit(g, c));
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
        const column_kind kind = {prefix,    length ? prefix : "Other", prefix, NULL, NULL, NULL,
                                  PLOTS_MORE};
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
