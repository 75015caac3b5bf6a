// The variables of a scenario: the time, parameters, inputs, the columns of the result as outputs,
// and for model exchange the rates of the states and the indicators of events.
#include "export/fmu_model.h"

#include "base/sha256.h"
#include "io/run_folder.h"
#include "motion/motion_columns.h"
#include "simulate/controllers/controller.h"
#include "simulate/medium.h"
#include "simulate/plant.h"
#include "simulate/result_rows.h"
#include "simulate/simulation.h"
#include <arne/version.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 640 };

// ---- the list ----

// A name that another variable has gets a number.
static int name_taken(const fmu_model *m, const char *name)
{
    for (int i = 0; i < m->count; i++)
        if (strcmp(m->variables[i].name, name) == 0) return 1;
    return 0;
}

static arne_status add_variable(fmu_model *m, fmu_role role, int index, const char *name,
                                const char *unit, double start, int state)
{
    if (m->count == m->room) {
        const int     room = 2 * m->room + 64;
        fmu_variable *all = realloc(m->variables, (size_t)room * sizeof *all);
        if (!all) return ARNE_NO_MEMORY;
        m->variables = all;
        m->room = room;
    }
    char *copy = malloc(strlen(name) + 16);
    if (!copy) return ARNE_NO_MEMORY;
    strcpy(copy, name);
    for (int i = 2; name_taken(m, copy); i++)
        snprintf(copy, strlen(name) + 16, "%s#%d", name, i);
    m->variables[m->count++] = (fmu_variable){role, index, state, start, copy, unit};
    return ARNE_OK;
}

// ---- inputs ----

static fmu_input_kind kind_of_inputs(const arne_simulation_spec *spec)
{
    if (spec->drive == ARNE_DRIVE_REFERENCE) return FMU_INPUT_NONE;
    if (!spec->controller) return FMU_INPUT_TORQUES;
    return spec->reference ? FMU_INPUT_NONE : FMU_INPUT_TARGETS;
}

// The entries `part` of all joints, for those with torques without a free base and passive joints.
static arne_status add_inputs(fmu_model *m, const char *part, int order, const double *start,
                              int offset)
{
    const arne_robot *robot = m->spec.robot;
    const int         of_q = order == 0, torques = order == ARNE_UNIT_TAU;
    const int         base = arne_robot_base(robot) == ARNE_BASE_FREE ? 6 : 0;
    arne_status       status = ARNE_OK;
    for (int j = 0; j < m->sizes.joint_count; j++) {
        const arne_joint_info info = arne_robot_joint(robot, j);
        const int             count = of_q ? info.q_count : info.v_count;
        if (torques && (info.v_start < base || info.passive)) continue;
        for (int k = 0; k < count && !status; k++) {
            const int at = (of_q ? info.q_start : info.v_start) + k,
                      index = m->count - m->first[FMU_INPUT];
            char name[NAME_SIZE];
            if (!arne_column_name(part, info.name, k, count, name, sizeof name))
                return ARNE_TOO_LARGE;
            status = add_variable(m, FMU_INPUT, index, name, arne_joint_unit(&info, k, order),
                                  start ? start[at] : 0, -1);
            m->input_at[index] = offset + at;
        }
    }
    return status;
}

static arne_status add_all_inputs(fmu_model *m, const arne_simulation *sim)
{
    m->input_at = calloc((size_t)(m->sizes.q_count + m->sizes.v_count) + 1, sizeof *m->input_at);
    if (!m->input_at) return ARNE_NO_MEMORY;
    if (m->input_kind == FMU_INPUT_TORQUES)
        return add_inputs(m, "input.tau", ARNE_UNIT_TAU, NULL, 0);
    if (m->input_kind == FMU_INPUT_NONE) return ARNE_OK;
    const arne_status status = add_inputs(m, "input.q_ref", 0, arne_simulation_q(sim), 0);
    return status ? status : add_inputs(m, "input.qd_ref", 1, NULL, m->sizes.q_count);
}

// ---- outputs, rates and events ----

static arne_status add_outputs(fmu_model *m, arne_simulation *sim, arne_error *error)
{
    record      r = {0};
    const int   nq = m->sizes.q_count, states = nq + m->sizes.v_count;
    arne_status status = record_new(&sim->plant, &r, error);
    if (status) return status;
    const int columns = arne_table_columns(r.table);
    // Position and velocity come first.
    for (int c = 1; c < columns && !status; c++) {
        const int    state = c <= states ? c - 1 : -1;
        const double start = state < 0    ? 0
                             : state < nq ? arne_simulation_q(sim)[state]
                                          : arne_simulation_qd(sim)[state - nq];
        // Units are texts of the library's own.
        status = add_variable(m, FMU_OUTPUT, c, arne_table_name(r.table, c), "", start, state);
        if (status) break;
        char *unit = document_take(&m->memory, strlen(arne_table_unit(r.table, c)) + 1);
        if (!unit)
            status = ARNE_NO_MEMORY;
        else
            m->variables[m->count - 1].unit = strcpy(unit, arne_table_unit(r.table, c));
    }
    record_free(&r);
    return status;
}

static arne_status add_rates(fmu_model *m)
{
    const int   states = m->sizes.q_count + m->sizes.v_count;
    arne_status status = ARNE_OK;
    for (int i = 0; i < states && !status; i++) {
        char      name[NAME_SIZE];
        const int size =
            snprintf(name, sizeof name, "der(%s)", m->variables[m->first[FMU_OUTPUT] + i].name);
        status = size < NAME_SIZE ? add_variable(m, FMU_RATE, i, name, "", 0, -1) : ARNE_TOO_LARGE;
    }
    return status;
}

int fmu_event_count(const plant *p)
{
    return plant_event_count(p) + (p->world && !p->rigid ? p->sizes.contact_count : 0);
}

static arne_status add_indicators(fmu_model *m, const plant *p)
{
    arne_status status = ARNE_OK;
    const int   own = plant_event_count(p);
    for (int i = 0; i < own && !status; i++) {
        const int   dry = i - p->limited_count;
        int         motor = 0;
        const char *joint = dry < 0 ? arne_robot_joint(p->robot, p->limited[i]).name
                                    : coordinate_joint(p->robot, p->dry[dry].v, &motor);
        char        name[NAME_SIZE];
        const int   size = snprintf(name, sizeof name, "event.%s.%s",
                                  dry < 0 ? "limit"
                                    : motor ? "motor_friction"
                                            : "friction",
                                  joint ? joint : "");
        status =
            size < NAME_SIZE ? add_variable(m, FMU_INDICATOR, i, name, "", 0, -1) : ARNE_TOO_LARGE;
    }
    for (int i = own; i < fmu_event_count(p) && !status; i++) {
        char name[NAME_SIZE];
        status = contact_column(p->robot, i - own, "event.contact", "gap", name, sizeof name)
                     ? add_variable(m, FMU_INDICATOR, i, name, "m", 0, -1)
                     : ARNE_TOO_LARGE;
    }
    return status;
}

// Right-hand sides that are functions of time, state and inputs between events: no steps of the
// rigid model, no loops that steps open, no controller whose torques depend on the calls before.
static int can_exchange(const arne_simulation_spec *spec)
{
    const arne_controller *c = spec->controller;
    if (plant_is_rigid(spec) || arne_robot_sizes(spec->robot).loop_count > 0 ||
        spec->drive != ARNE_DRIVE_TORQUES)
        return 0;
    if (!c || spec->sample_time > 0) return 1;
    for (int i = 0; i < c->size.v_count; i++)
        if (isfinite(c->torque_rate[i])) return 0;
    return !c->law->remembers;
}

// Where the accelerations are those of the robot alone, and src/modules/fmi/fmu_derivatives.c has
// all outputs.
static int can_differentiate(const arne_simulation_spec *spec)
{
    enum {
        KNOWN = ARNE_RECORD_Q | ARNE_RECORD_QD | ARNE_RECORD_QDD | ARNE_RECORD_TAU |
                ARNE_RECORD_ENERGY | ARNE_RECORD_WRENCH | ARNE_RECORD_DEFAULT
    };
    return !(spec->record & ~(unsigned)KNOWN) && !spec->controller &&
           spec->surrounding_count == 0 && !spec->base && !surroundings_tendons(spec->robot) &&
           (spec->stiction != ARNE_STICTION_SMOOTH || dry_collect(spec->robot, NULL) == 0);
}

// ---- making ----

static arne_status add_everything(fmu_model *m, arne_simulation *sim, arne_error *error)
{
    arne_status status = add_variable(m, FMU_TIME, 0, "time", "s", 0, -1);
    m->first[FMU_PARAMETER] = m->count;
    for (int i = 0; i < m->parameters.count && !status; i++)
        status = add_variable(m, FMU_PARAMETER, i, m->parameters.all[i].path, "",
                              m->parameters.all[i].value, -1);
    m->first[FMU_INPUT] = m->count;
    if (!status) status = add_all_inputs(m, sim);
    m->first[FMU_OUTPUT] = m->count;
    if (!status) status = add_outputs(m, sim, error);
    m->first[FMU_RATE] = m->count;
    if (!status && m->exchange) status = add_rates(m);
    m->first[FMU_INDICATOR] = m->count;
    if (!status && m->exchange) status = add_indicators(m, &sim->plant);
    m->first[FMU_INDICATOR + 1] = m->count;
    return status;
}

// What follows from the scenario alone.
static void model_take_scenario(fmu_model *m, arne_scenario *scenario)
{
    enum {
        ALWAYS = ARNE_RECORD_Q | ARNE_RECORD_QD | ARNE_RECORD_TAU | ARNE_RECORD_ENERGY |
                 ARNE_RECORD_CONTACT | ARNE_RECORD_WRENCH
    };
    m->scenario = scenario;
    m->spec = scenario->sim;
    m->spec.record = ALWAYS | (m->spec.record ? m->spec.record : ARNE_RECORD_DEFAULT);
    m->sizes = arne_robot_sizes(m->spec.robot);
    m->input_kind = kind_of_inputs(&m->spec);
    m->exchange = can_exchange(&m->spec);
    m->derivatives = m->exchange && can_differentiate(&m->spec);
}

static arne_status model_fill(fmu_model *m, arne_error *error)
{
    const arne_simulation_options options = {.spec = &m->spec};
    arne_simulation              *sim = NULL;
    if (m->parameters.failed) return arne_fail_memory(error);
    arne_status status = arne_simulation_new(m->spec.robot, &options, &sim, error);
    if (status) return status;
    arne_error_clear(error);
    status = add_everything(m, sim, error);
    arne_simulation_free(sim);
    if (status == ARNE_NO_MEMORY) return arne_fail_memory(error);
    if (status == ARNE_TOO_LARGE)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "a name is too long for an FMU");
    return status;
}

arne_status fmu_model_of(arne_scenario *scenario, const doc_node *robot, fmu_model **out,
                         arne_error *error)
{
    fmu_model *m = calloc(1, sizeof *m);
    *out = NULL;
    if (!m) return arne_fail_memory(error);
    m->borrowed = 1;
    model_take_scenario(m, scenario);
    fmu_parameters_collect(&m->parameters, scenario->doc.root, robot);
    const arne_status status = model_fill(m, error);
    if (status)
        fmu_model_free(m);
    else
        *out = m;
    return status;
}

void fmu_model_free(fmu_model *m)
{
    if (!m) return;
    for (int i = 0; i < m->count; i++)
        free(m->variables[i].name);
    free(m->variables);
    free(m->input_at);
    fmu_parameters_free(&m->parameters);
    document_free(&m->memory);
    if (!m->borrowed) arne_scenario_free(m->scenario);
    free(m);
}

// ---- from a folder ----

void fmu_token(const char *scenario, size_t scenario_size, const char *robot, size_t robot_size,
               char token[FMU_TOKEN])
{
    sha256 sum;
    char   text[SHA256_TEXT];
    sha256_start(&sum);
    sha256_add(&sum, ARNE_VERSION_STRING, sizeof ARNE_VERSION_STRING);
    sha256_add(&sum, scenario, scenario_size);
    sha256_add(&sum, robot, robot_size);
    sha256_text(&sum, text);
    snprintf(token, FMU_TOKEN, "{%.8s-%.4s-%.4s-%.4s-%.12s}", text, text + 8, text + 12, text + 16,
             text + 20);
}

// Token and parameters from the files themselves.
static arne_status read_texts(fmu_model *m, const char *path, arne_error *error)
{
    reader      r = {.file = path, .error = error};
    const char *robot_path = m->scenario->files[0].path;
    char       *scenario = NULL, *robot = NULL;
    size_t      scenario_size = 0, robot_size = 0;
    document    tree = {0};
    arne_status status = arne_reader_load(&r, &scenario, &scenario_size);
    r.file = robot_path;
    if (!status) status = arne_reader_load(&r, &robot, &robot_size);
    if (!status) status = document_parse(&r, robot, robot_size, &tree);
    if (!status) {
        fmu_token(scenario, scenario_size, robot, robot_size, m->token);
        fmu_parameters_collect(&m->parameters, m->scenario->doc.root, tree.root);
    }
    document_free(&tree);
    free(scenario);
    free(robot);
    return status;
}

static arne_status model_open(const scenario_source *source, fmu_model **out, arne_error *error)
{
    arne_scenario *scenario = NULL;
    *out = calloc(1, sizeof **out);
    if (!*out) return arne_fail_memory(error);
    const arne_status status = scenario_read(source, NULL, &scenario, error);
    if (status) return status;
    model_take_scenario(*out, scenario);
    return ARNE_OK;
}

arne_status fmu_model_read(const char *folder, fmu_model **out, arne_error *error)
{
    char *path = arne_join(folder, "/", FMU_SCENARIO);
    *out = NULL;
    if (!path) return arne_fail_memory(error);
    const scenario_source source = {.path = path};
    arne_status           status = model_open(&source, out, error);
    if (!status) status = read_texts(*out, path, error);
    if (!status) status = model_fill(*out, error);
    if (status) {
        fmu_model_free(*out);
        *out = NULL;
    }
    free(path);
    return status;
}

// A number as a text that reads back as the same.
enum { NUMBER_SIZE = 32 };

arne_status fmu_model_change(const char *folder, const fmu_model *from, const double *values,
                             fmu_model **out, arne_error *error)
{
    const size_t count = (size_t)from->parameters.count;
    char        *path = arne_join(folder, "/", FMU_SCENARIO);
    doc_edit    *edits = calloc(count + 1, sizeof *edits);
    char        *texts = malloc(NUMBER_SIZE * (count + 1));
    *out = NULL;
    arne_status     status = path && edits && texts ? ARNE_OK : arne_fail_memory(error);
    scenario_source source = {.path = path, .edits = edits};
    for (size_t i = 0; i < count && !status; i++) {
        const fmu_parameter *p = &from->parameters.all[i];
        char                *text = texts + NUMBER_SIZE * i;
        if (values[i] == p->value) continue;
        text_number(text, NUMBER_SIZE, 17, values[i]);
        edits[source.edit_count++] = (doc_edit){p->path, text};
    }
    if (!status) status = model_open(&source, out, error);
    if (status) {
        fmu_model_free(*out);
        *out = NULL;
    }
    free(path);
    free(edits);
    free(texts);
    return status;
}
