// A sweep as its file says it: the run, what varies, how samples are made, and which figures are
// kept.
#ifndef ARNE_SWEEP_SWEEP_H
#define ARNE_SWEEP_SWEEP_H

#include "io/kept_files.h"
#include "io/schema.h"
#include "simulate/scenario.h"
#include <arne/catalogue.h>
#include <arne/sweep.h>

typedef enum sweep_kind { SWEEP_SCENARIO, SWEEP_PROBLEM, SWEEP_COMPUTE, SWEEP_NOTHING } sweep_kind;

typedef enum sweep_design {
    DESIGN_DEFAULT, // lhs where a parameter has a distribution or samples are asked for, else grid
    DESIGN_GRID,
    DESIGN_ROWS,
    DESIGN_LHS,
    DESIGN_SOBOL,
    DESIGN_SALTELLI
} sweep_design;

typedef enum sweep_keep { KEEP_NONE, KEEP_FAILED, KEEP_ALL } sweep_keep;

typedef enum sweep_law { LAW_LIST, LAW_UNIFORM, LAW_NORMAL, LAW_LOGNORMAL } sweep_law;

// What of a body a factor of `robustness` scales.
typedef enum body_part {
    BODY_MASS,
    BODY_COM,
    BODY_MOMENT = BODY_COM + 3,
    BODY_PARTS = 7
} body_part;

typedef struct sweep_parameter {
    const char *path; // and the column's name
    int         line, column;
    sweep_law   law;
    double  a, b;  // uniform: from, to; normal: mean, deviation; lognormal: those of the logarithm
    long    count; // of a list
    double *values;
    const char **texts; // instead of values, where they are no numbers
    const char  *body;  // of robustness; NULL: a path
    int          part;  // body_part, plus 0, 1, 2 for x, y, z
    doc_node    *node;  // in the tree that is changed
    char         text[40];
} sweep_parameter;

// A value of a parameter: a text, or a number where that is NULL.
typedef struct sweep_value {
    double      number;
    const char *text;
} sweep_value;

typedef enum figure_source { FIGURE_SUMMARY, FIGURE_OWN, FIGURE_COLUMN } figure_source;

typedef struct sweep_figure {
    const char   *name, *unit;
    figure_source source;
    const char   *of; // the field of the summary, the scenario's figure, or the column
    int           index;
    measure       measure;
    int           more; // is better
    int           line, column;
} sweep_figure;

struct arne_sweep {
    reader             reader;
    findings           found;
    document           doc;
    char              *path;
    arne_build_options build;
    const char        *title, *text, *run_said;
    const doc_node    *run_node, *parameter_node, *robustness_node, *figure_node;
    int                run_is_good; // else only the form of the rest is checked
    sweep_kind         kind;
    sweep_design       design;
    sweep_keep         keep;
    int                samples, seed, warm;
    double             time_limit; // s; 0: none
    long               rows;
    unsigned (*directions)[32]; // of Sobol points
    sweep_parameter   *parameters;
    int                parameter_count, parameter_room;
    sweep_figure      *figures;
    int                figure_count;
    char              *run_path, *robot_path; // files; of a quantity run_path is the sweep's own
    document           run_tree, robot_tree;  // as they are read, with parameters put in
    char              *robot_name;            // of a robot that extends one that is no YAML
    doc_given          given;
    kept_files         files; // of the run, so that rows do not read them again
    arne_algorithm     algorithm;
    char             **inputs; // files, for provenance
    int                input_count;
    const sweep_value *row_values; // of the row that is computed
    int                no_memory;  // while paths were tried
    int                unknown;    // findings of unknown keys without parameters; -1: not counted
};

extern const doc_schema sweep_schema;

// ---- reading (sweep_read.c, sweep_parameters.c, sweep_paths.c, sweep_figures.c, robustness.c)
arne_sweep              *sweep_of(const doc_slot *slot);
ARNE_CHECKED arne_status sweep_read_parameters(arne_sweep *s);
ARNE_CHECKED arne_status sweep_add_parameter(arne_sweep *s, const sweep_parameter *parameter);
// The run's documents, and parameters put into them.
ARNE_CHECKED arne_status sweep_read_run(arne_sweep *s);
ARNE_CHECKED arne_status sweep_bind_parameters(arne_sweep *s);
void                     sweep_set_values(arne_sweep *s, const sweep_value *values);
ARNE_CHECKED arne_status sweep_read_robustness(arne_sweep *s);
arne_status              sweep_amend(void *sweep, arne_builder *builder, arne_error *error);
ARNE_CHECKED arne_status sweep_read_figures(arne_sweep *s);
ARNE_CHECKED arne_status sweep_add_input(arne_sweep *s, const char *path);

// ---- the design (sweep_design.c, sobol.c)
ARNE_CHECKED arne_status sweep_count_rows(arne_sweep *s);
void                     sweep_values(const arne_sweep *s, long row, sweep_value *out);
// The directions of a dimension from 0 of a Sobol sequence, and point `index`, as 32 bits of a
// fraction.
enum { SOBOL_BITS = 32 };
void     sobol_directions(int dimension, unsigned v[SOBOL_BITS]);
unsigned sobol_point(unsigned long index, const unsigned v[SOBOL_BITS]);
// A number in (0, 1) that only these say.
double sweep_random(long seed, long row, int dimension);
// A number in (0, 1) becomes the value of a parameter.
sweep_value sweep_at(const sweep_parameter *p, double u);
// The row that a row starts from where `warm` asks for it; -1: none. And how far it is from the
// root.
long sweep_warm_parent(const arne_sweep *s, long row);
int  sweep_warm_depth(const arne_sweep *s, long row);

// ---- a row (sweep_row.c, sweep_compute.c)
typedef struct sweep_job {
    arne_sweep  *sweep;
    const char  *folder;     // where runs are kept, each in a folder of its row; NULL: nowhere
    const char  *row_folder; // or the folder of the one row that is computed
    const char  *warm;       // where starts of searches are; NULL: none
    arne_stop_fn stop;
    void        *stop_context;
} sweep_job;

enum { SWEEP_REASON = 600 };
// Figures of a row; the reason is "ok" or why it failed. ARNE_STOPPED where stop ended it: it has
// no result then.
ARNE_CHECKED arne_status sweep_evaluate(const sweep_job *job, long row, double *figures,
                                        char reason[SWEEP_REASON]);
// Reads the run as it stands in the trees.
ARNE_CHECKED arne_status sweep_try_run(arne_sweep *s, findings *found, arne_error *error);
// Columns of the run's result, and units of what its summary has.
ARNE_CHECKED arne_status sweep_columns(arne_sweep *s, arne_table **out, arne_error *error);
typedef struct summary_field {
    const char *name, *unit;
    size_t      offset;
    int         is_long, is_usual;
} summary_field;
extern const summary_field scenario_fields[], plan_fields[];
// All mistakes of the run's mapping go to `to`, which may be NULL.
ARNE_CHECKED arne_status sweep_compute(arne_sweep *s, int evaluate, findings *to, arne_table **out,
                                       arne_error *error);
// What can be said of that mapping without its robot.
ARNE_CHECKED arne_status sweep_check_quantity(arne_sweep *s);
// The line of a row in the table, without checksum and end.
void sweep_put_line(buffer *b, const arne_sweep *s, long row, const double *figures,
                    const char *reason);
void sweep_put_cell(buffer *b, const char *text);

#endif
