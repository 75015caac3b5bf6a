// A scenario on its way from a file to an arne_simulation.
#ifndef ARNE_SIMULATE_SCENARIO_H
#define ARNE_SIMULATE_SCENARIO_H

#include "io/yaml_fields.h"
#include <arne/simulate.h>

// A file that the scenario names, and where.
typedef struct scenario_file {
    const char *said; // as the scenario has it
    char       *path;
    int         line;
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
    arne_figure      figure;
    measure          measure;
    const char      *column;
    const yaml_node *column_node;
} scenario_figure;

struct arne_scenario {
    reader            reader;
    yaml_tree         tree;
    char             *path;
    const char       *title;
    arne_simulation   sim;
    arne_robot       *robot, *base_robot;
    arne_controller  *controller;
    arne_trajectory  *reference, *base;
    double           *q, *qd;
    scenario_file    *files;  // the robot first, then tables
    arne_table      **tables; // of the files but the robot; NULL for that
    int               file_count;
    arne_surrounding *surroundings;
    const yaml_node  *plots; // copied to the summary
    const char       *text;  // about the scenario
    double            snapshots;
    scenario_figure  *figures;
    int               figure_count;
};

// A slot of the scenario's own file; owner names the section.
yaml_slot scenario_slot(arne_scenario *s, const char *owner, const char *key,
                        const yaml_node *value);
// For tables of fields: keeps the node, to be read when what it needs is there.
arne_status scenario_keep(const yaml_slot *slot, void *node);       // const yaml_node *
arne_status scenario_positive(const yaml_slot *slot, void *number); // double > 0
// Gives an error of the library the place of a slot, unless it has one of its own.
ARNE_CHECKED arne_status scenario_place(const yaml_slot *slot, arne_status status);

// Memory that lasts as long as the scenario; zero.
double *scenario_doubles(arne_scenario *s, int count);
// Remembers a file, with its path from the scenario's folder.
ARNE_CHECKED arne_status scenario_add_file(const yaml_slot *slot, arne_scenario *s,
                                           const char **path);
// Reads the table that a slot names. It belongs to the scenario.
ARNE_CHECKED arne_status scenario_table(const yaml_slot *slot, arne_scenario *s,
                                        const arne_table **out);
// Frame by name.
ARNE_CHECKED arne_status scenario_frame(const yaml_slot *slot, const arne_robot *robot, int *frame);

// Values of coordinates: one for all, a list, or a mapping by joint. What is not said stays as it is in out.
//
// Lists are of all numbers, or those of the joints without a free base and without motors of elastic joints; the latter
// then move with their joints.
typedef enum values_of { VALUES_Q, VALUES_V } values_of;
ARNE_CHECKED arne_status scenario_values(const yaml_slot *slot, const arne_robot *robot,
                                         values_of which, double *out);
// Whether values name every joint of a robot with loops, or the active ones alone.
int scenario_names_all(const yaml_node *value, const arne_robot *robot);

// The sections.
ARNE_CHECKED arne_status scenario_read_reference(arne_scenario *s, const yaml_slot *section,
                                                 const arne_robot *robot, const double *rest,
                                                 arne_trajectory **out);
ARNE_CHECKED arne_status scenario_read_controller(arne_scenario *s, const yaml_slot *section);
ARNE_CHECKED arne_status scenario_read_surroundings(arne_scenario *s, const yaml_slot *section);
ARNE_CHECKED arne_status scenario_read_figures(arne_scenario *s, const yaml_slot *section);
ARNE_CHECKED arne_status scenario_read_plots(arne_scenario *s, const yaml_slot *section);
// Columns that figures and plots name must be among those of the result.
ARNE_CHECKED arne_status scenario_check_columns(arne_scenario *s);
// Takes the figures from a result.
void scenario_measure(arne_scenario *s, const arne_table *table);

#endif
