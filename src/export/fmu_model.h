// A scenario as an FMU shows it: a list of variables, whose places in the list are their value
// references. The writer of modelDescription.xml and the binary of the FMU make the same list from
// the same scenario, so there is no other table of references.
#ifndef ARNE_EXPORT_FMU_MODEL_H
#define ARNE_EXPORT_FMU_MODEL_H

#include "base/text.h"
#include "io/folder.h"
#include "simulate/scenario.h"

typedef enum fmu_role {
    FMU_TIME,
    FMU_PARAMETER, // a number of the scenario's file or of its robot's, by its path
    FMU_INPUT,
    FMU_OUTPUT,   // a column of the result
    FMU_RATE,     // the time derivative of a continuous state
    FMU_INDICATOR // of events
} fmu_role;

typedef struct fmu_variable {
    fmu_role    role;
    int         index; // of its role, from 0; of an output, its column
    int         state; // which continuous state an output is; -1: none
    double      start; // of parameters and inputs
    char       *name;
    const char *unit; // "": none
} fmu_variable;

typedef enum fmu_input_kind {
    FMU_INPUT_NONE,
    FMU_INPUT_TORQUES, // there is no controller
    FMU_INPUT_TARGETS  // the controller has no reference
} fmu_input_kind;

// Numbers of the documents, by paths; see fmu_parameters.c.
typedef struct fmu_parameter {
    char  *path;
    double value;
} fmu_parameter;
typedef struct fmu_parameters {
    fmu_parameter *all;
    int            count, room, failed;
} fmu_parameters;

enum { FMU_TOKEN = 40 };

typedef struct fmu_model {
    arne_scenario       *scenario;
    arne_simulation_spec spec; // the scenario's, with the columns of the outputs
    arne_sizes           sizes;
    fmu_variable        *variables;
    int                  count, room;
    int                  first[FMU_INDICATOR + 2]; // the first variable of each role, and the end
    fmu_input_kind       input_kind;
    int                 *input_at;    // the entry of the torques or of q, qd side by side
    int                  exchange;    // it can be had as model exchange
    int                  derivatives; // directional derivatives, too
    fmu_parameters       parameters;
    document             memory;           // of units
    int                  borrowed;         // the scenario is somebody else's
    char                 token[FMU_TOKEN]; // says that description and binary belong together
} fmu_model;

// The names of the files in resources/; those of tables are table1.csv and so on.
#define FMU_SCENARIO "scenario.yaml"
#define FMU_ROBOT "robot.yaml"

// Reads FOLDER/scenario.yaml.
ARNE_CHECKED arne_status fmu_model_read(const char *folder, fmu_model **out, arne_error *error);
// The same with other values of its parameters, in their order: those that differ from the starts
// of `from` are put in the place of the files' numbers. It has no variables of its own.
ARNE_CHECKED arne_status fmu_model_change(const char *folder, const fmu_model *from,
                                          const double *values, fmu_model **out, arne_error *error);
// The model of a scenario that is there already, and outlives it.
ARNE_CHECKED arne_status fmu_model_of(arne_scenario *scenario, const doc_node *robot,
                                      fmu_model **out, arne_error *error);
void                     fmu_model_free(fmu_model *m);
// Of the texts of both files.
void fmu_token(const char *scenario, size_t scenario_size, const char *robot, size_t robot_size,
               char token[FMU_TOKEN]);

static inline int fmu_model_many(const fmu_model *m, fmu_role role)
{
    return m->first[role + 1] - m->first[role];
}

void fmu_parameters_collect(fmu_parameters *p, const doc_node *scenario, const doc_node *robot);
void fmu_parameters_free(fmu_parameters *p);

// How many events there are: limits and friction of joints, and contacts of compliant ground.
struct plant;
int fmu_event_count(const struct plant *p);

// modelDescription.xml (fmu_description.c).
void fmu_describe(const fmu_model *m, int version, const char *identifier, buffer *out);

#endif
