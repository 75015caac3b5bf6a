// Which plots a run has: those its summary asks for, then its columns by kind and unit.
#ifndef ARNE_REPORT_PLOTS_H
#define ARNE_REPORT_PLOTS_H

#include "report/plot.h"
#include "report/run_page.h"

typedef enum plot_part {
    PLOTS_ASKED, // by the summary
    PLOTS_USUAL, // columns of the kinds that people look at first
    PLOTS_MORE   // the others, which are folded away
} plot_part;

typedef struct plot_entry {
    plot_part part;
    plot      plot;
} plot_entry;

// A column that does not change.
typedef struct constant_column {
    const char *name, *unit;
    double      value;
} constant_column;

typedef struct plot_list {
    plot_entry      *item;
    int              count;
    constant_column *constant;
    int              constant_count;
    void           **owned; // numbers and names that are in no table
    int              owned_count;
} plot_list;

// plots_free is needed also after a failure.
ARNE_CHECKED arne_status plots_make(run *r, plot_list *out);
void                     plots_free(plot_list *list);

// For requested_plots.c and table_columns.c. Without memory NULL, and ARNE_NO_MEMORY in the error.
plot *plots_add(plot_list *list, plot_part part, const run *r);
void *plots_take(plot_list *list, size_t size, const run *r); // lives as long as the list
// Writes the powers of units as people do: m/s^2 with a raised 2, which has as many bytes.
void raise_powers(char *label);
// The heading of columns whose names start so: "Torques" of tau; else the prefix itself.
const char *plots_kind_title(const char *prefix);
samples     column_samples(const arne_table *t, int column);
// Adds a line with the limits that the summary has for its column. The plot must have room.
ARNE_CHECKED arne_status plot_add_line(const run *r, plot *p, const arne_table *t, int column,
                                       const char *name);

// Whether a column changes by more than rounding, where the largest of its kind is so large.
int column_moves(const arne_table *t, int column, double largest);
// Puts a column on the list of those that do not.
ARNE_CHECKED arne_status plots_add_constant(plot_list *list, const run *r, int column);

// The summary's own (requested_plots.c), and all columns (table_columns.c, wrenches.c).
ARNE_CHECKED arne_status plots_asked(run *r, plot_list *list);
ARNE_CHECKED arne_status plots_columns(const run *r, plot_list *list);
ARNE_CHECKED arne_status plots_wrenches(const run *r, plot_list *list);
// Whether plots_wrenches draws this column.
int is_wrench_column(const arne_table *t, int column);

#endif
