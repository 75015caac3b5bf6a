// A scenario on its way from a document to an arne_simulation_spec.
#ifndef ARNE_SIMULATE_SCENARIO_H
#define ARNE_SIMULATE_SCENARIO_H

#include "io/schema.h"
#include <arne/simulate.h>

// A file that the scenario names, and where.
typedef struct scenario_file {
    const char *said; // as the scenario has it
    char       *path;
    int         line;
    doc_node   *node; // that says it
} scenario_file;

typedef enum measure {
    MEASURE_RMS,
    MEASURE_PEAK, // the largest absolute value
    MEASURE_MAX,
    MEASURE_MIN,
    MEASURE_MEAN,
    MEASURE_FIRST,
    MEASURE_LAST,
    MEASURE_RANGE, // the largest less the smallest
    MEASURE_CHANGE // the last less the first
} measure;

// A number that is taken from a column of the result.
typedef struct scenario_figure {
    arne_figure     figure;
    measure         measure;
    const char     *column;
    const doc_node *column_node;
} scenario_figure;

struct arne_scenario {
    reader               reader;
    findings             found;
    document             doc;
    char                *path;
    int                  edited; // the document is not that of the file at path
    arne_build_options   build;
    arne_vec3            gravity;
    const doc_edit      *edits; // while it is read
    const doc_given     *given; // likewise
    int                  edit_count, robot_edits;
    const char          *title;
    arne_simulation_spec sim;
    arne_robot          *robot, *base_robot;
    arne_controller     *controller;
    arne_trajectory     *reference, *base;
    double              *q, *qd;
    scenario_file       *files;  // the robot first, then tables
    arne_table         **tables; // of the files but the robot; NULL for that
    int                  file_count;
    arne_surrounding    *surroundings;
    const doc_node      *plots; // copied to the summary
    const char          *text;  // about the scenario
    double               snapshots;
    scenario_figure     *figures;
    int                  figure_count;
};

extern const doc_schema scenario_schema;

// Where a scenario comes from: a file at path, or a text that stands for one there; and what is
// changed in it before it is read. Edits of robot.KEY change the robot's file.
typedef struct scenario_source {
    const char      *path;
    const char      *text; // NULL: the file's
    size_t           size;
    const doc_edit  *edits;
    int              edit_count;
    const doc_given *given; // what stands for the file and that of its robot; NULL: nothing
} scenario_source;

ARNE_CHECKED arne_status scenario_read(const scenario_source    *source,
                                       const arne_build_options *options, arne_scenario **out,
                                       arne_error *error);

// The scenario that a slot is of.
arne_scenario *scenario_of(const doc_slot *slot);
// Memory that lasts as long as the scenario; zero.
double *scenario_doubles(arne_scenario *s, int count);
// Remembers a file, with its path from the scenario's folder.
ARNE_CHECKED arne_status scenario_add_file(const doc_slot *slot, const char **path);
// Reads the table that a slot names. It belongs to the scenario.
ARNE_CHECKED arne_status scenario_table(const doc_slot *slot, const arne_table **out);
// Passes on what became of the table read last: its lines are those of the table's file.
ARNE_CHECKED arne_status scenario_of_table(const doc_slot *slot, arne_status status);

// The sections: a schema, and who reads it. Those that rest on the robot only check their words
// where it has mistakes.
extern const doc_schema scenario_reference_schema, scenario_controller_schema,
    scenario_surrounding_schema, scenario_figure_schema, scenario_plot_schema;
// The sections about the robot (scenario_robot.c).
extern const doc_schema scenario_friction_schema, scenario_payload_schema, scenario_initial_schema;
arne_status             scenario_read_friction(const doc_slot *slot, void *unused);
arne_status             scenario_read_gravity(const doc_slot *slot, void *unused);
arne_status             scenario_read_robot(const doc_slot *slot, void *unused);
arne_status scenario_read_payload(const doc_slot *item, const char *name, void *context);
// Where it starts; the slot has no value where the scenario does not say.
ARNE_CHECKED arne_status scenario_read_initial(arne_scenario *s, const doc_slot *slot);

// The motion of robot, which rests at `rest`. *limits (which may be NULL): whether it must keep
// within the limits of joints.
ARNE_CHECKED arne_status scenario_read_reference(const doc_slot *section, const arne_robot *robot,
                                                 const double *rest, arne_trajectory **out,
                                                 int *limits);
arne_status              scenario_read_controller(const doc_slot *section, void *unused);
arne_status              scenario_read_surroundings(const doc_slot *section, void *unused);
arne_status              scenario_read_figures(const doc_slot *section, void *unused);
arne_status              scenario_read_plots(const doc_slot *section, void *unused);
// Columns that figures and plots name must be among those of the result.
ARNE_CHECKED arne_status scenario_check_columns(arne_scenario *s);
// The columns that the result of a scenario has, in a table without rows; to be freed.
ARNE_CHECKED arne_status scenario_columns(const arne_scenario *s, arne_table **out,
                                          arne_error *error);
// The words for measures, and one of a column of a table.
extern const doc_word scenario_measures[];
double                measure_column(const arne_table *table, int column, measure what);
// Takes the figures from a result.
void scenario_measure(arne_scenario *s, const arne_table *table);

#endif
