// A scenario file as a table of sections. docs/scenario.md says what each means.
#include "simulate/scenario.h"
#include "base/error.h"
#include "io/poses.h"
#include "io/yaml_robot.h"
#include "robot/builder.h"
#include "simulate/plant.h"
#include "simulate/stiff_solver.h"
#include <arne/io.h>
#include <arne/loop.h>
#include <stdlib.h>
#include <string.h>

// ---- motions

static arne_status scenario_own_read_reference(const doc_slot *slot, void *unused)
{
    arne_scenario *s = scenario_of(slot);
    const doc_slot map = {slot->reader, "reference", "", slot->value};
    (void)unused;
    int         limits = 1;
    arne_status status = scenario_read_reference(&map, s->robot, s->q, &s->reference, &limits);
    if (!status && limits && s->reference && arne_robot_base(s->robot) != ARNE_BASE_FREE)
        status =
            doc_check(&map, arne_trajectory_check_limits(s->reference, s->robot, s->sim.duration,
                                                         1001, s->reader.error));
    s->sim.reference = s->reference;
    return status;
}

// A robot that is one body with a free base: its trajectories are those of a prescribed base.
static arne_status make_base_robot(arne_scenario *s)
{
    const arne_build_options options = {.base = ARNE_BASE_FREE};
    arne_builder            *builder = NULL;
    arne_body_spec           body = arne_body_spec_default();
    body.name = "base";
    body.mass = 1;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 1;
    arne_status status = arne_builder_new(&builder);
    if (!status) status = arne_builder_add_body(builder, &body, s->reader.error);
    if (!status) status = arne_builder_finish(builder, &options, &s->base_robot, s->reader.error);
    arne_builder_free(builder);
    return status;
}

static arne_status read_base_motion(const doc_slot *slot, void *unused)
{
    const double   rest[7] = {0, 0, 0, 0, 0, 0, 1};
    arne_scenario *s = scenario_of(slot);
    const doc_slot map = {slot->reader, "base_motion", "", slot->value};
    (void)unused;
    arne_status status = doc_check(slot, make_base_robot(s));
    if (!status) status = scenario_read_reference(&map, s->base_robot, rest, &s->base, NULL);
    s->sim.base = s->base;
    return status;
}

// Joints that follow the reference, where loops leave others to follow from them.
static arne_status follow_one(const doc_slot *slot, const arne_robot *robot, unsigned char *flags)
{
    const char       *name = NULL;
    const arne_status status = doc_text(slot, &name);
    if (status || !robot) return status;
    const int j = arne_find_joint(robot, name);
    if (j < 0) return doc_fail(slot, ARNE_NOT_FOUND, "'%.80s' is no joint that moves", name);
    const arne_joint_info info = arne_robot_joint(robot, j);
    memset(flags + info.v_start, 1, (size_t)info.v_count);
    return ARNE_OK;
}

static arne_status read_follow(const doc_slot *slot, void *unused)
{
    arne_scenario *s = scenario_of(slot);
    const int      count = s->robot ? arne_robot_sizes(s->robot).v_count : 0;
    unsigned char *flags = document_take(&s->doc, (size_t)count + 1);
    arne_status    status = ARNE_OK;
    (void)unused;
    if (!flags) return arne_fail_memory(s->reader.error);
    if (s->robot &&
        (s->sim.drive != ARNE_DRIVE_REFERENCE || !arne_robot_sizes(s->robot).loop_count))
        status =
            doc_fail(slot, ARNE_VALUE, "is for robots with loops that are driven by a reference");
    for (const doc_item *i = slot->value->first; i && status_goes_on(status); i = i->next) {
        const doc_slot item = {slot->reader, "", "follow", i->value};
        status = status_both(status, follow_one(&item, s->robot, flags));
    }
    s->sim.followed = flags;
    return status;
}

// ---- how it is run

static const doc_word methods[] = {
    {"euler", ARNE_METHOD_EULER, NULL, NULL, NULL},
    {"rk4", ARNE_METHOD_RK4, NULL, NULL, NULL},
    {"rosenbrock", ARNE_METHOD_ROSENBROCK, NULL, NULL, "stiff springs in equal steps"},
    {"dormand-prince", ARNE_METHOD_DORMAND_PRINCE, NULL, NULL, NULL},
    {"cvode", ARNE_METHOD_CVODE, NULL, NULL, "stiff springs"},
    {"ida", ARNE_METHOD_IDA, NULL, NULL, "stiff, with loops"},
    {0},
};
#define AT(field) offsetof(arne_integrator_options, field)
static const doc_key integrator_key_table[] = {
    {"method", DOC_TYPE_WORD, AT(method), .words = methods, .otherwise = "dormand-prince",
     .help = "how the equations of motion are integrated"},
    {"step", DOC_TYPE_NUMBER, AT(step), .unit = "s", .range = DOC_POSITIVE},
    {"max_step", DOC_TYPE_NUMBER, AT(max_step), .unit = "s", .range = DOC_POSITIVE},
    {"relative", DOC_TYPE_NUMBER, AT(relative), .range = DOC_POSITIVE, .help = "tolerance"},
    {"absolute", DOC_TYPE_NUMBER, AT(absolute), .range = DOC_POSITIVE, .help = "tolerance"},
    {0},
};
#undef AT
static const doc_schema integrator_schema = {"integrator", NULL, integrator_key_table, NULL};

// Where no step is given, that of the robot's file, such as an MJCF file; 0: it says none.
static arne_status take_file_step(arne_scenario *s)
{
    double *step = &s->sim.integrator.step;
    if (*step != 0 || !s->robot || !s->file_count) return ARNE_OK;
    return robot_file_step(s->files[0].path, step) ? arne_fail_memory(s->reader.error) : ARNE_OK;
}

static arne_status read_integrator(const doc_slot *slot, void *unused)
{
    arne_integrator_options *o = &scenario_of(slot)->sim.integrator;
    const doc_slot           map = {slot->reader, "integrator", "", slot->value};
    const arne_status        status = doc_read_map(&map, &integrator_schema, o, 0);
    const doc_slot           method = doc_under(&map, "method");
    (void)unused;
    if (status || !method.value) return status;
    if (integrator_is_fixed(o->method) && take_file_step(scenario_of(slot))) return ARNE_NO_MEMORY;
    if (integrator_is_fixed(o->method) && o->step == 0)
        return doc_fail(&method, ARNE_VALUE, "'%s' needs a step", method.value->text);
    const stiff_solver *solver;
    arne_error          why;
    if (stiff_solver_find(o->method, &solver, &why) != ARNE_OK)
        return doc_fail(&method, ARNE_UNSUPPORTED, "'%s': %s", method.value->text, why.text);
    return ARNE_OK;
}

static const doc_word columns[] = {
    {"q", ARNE_RECORD_Q, NULL, NULL, NULL},
    {"qd", ARNE_RECORD_QD, NULL, NULL, NULL},
    {"qdd", ARNE_RECORD_QDD, NULL, NULL, NULL},
    {"tau", ARNE_RECORD_TAU, NULL, NULL, NULL},
    {"tau_rate", ARNE_RECORD_TAU_RATE, NULL, NULL, NULL},
    {"reference", ARNE_RECORD_REFERENCE, NULL, NULL, NULL},
    {"error", ARNE_RECORD_ERROR, NULL, NULL, NULL},
    {"energy", ARNE_RECORD_ENERGY, NULL, NULL, NULL},
    {"momentum", ARNE_RECORD_MOMENTUM, NULL, NULL, NULL},
    {"base", ARNE_RECORD_BASE, NULL, NULL, NULL},
    {"wrench", ARNE_RECORD_WRENCH, NULL, NULL, NULL},
    {"tau_rate_lag", ARNE_RECORD_TAU_RATE_LAG, NULL, NULL, NULL},
    {"contact", ARNE_RECORD_CONTACT, NULL, NULL, "forces on the robot's contacts"},
    {0},
};
static const doc_key record_key_table[] = {
    {"every", DOC_TYPE_NUMBER, offsetof(arne_simulation_spec, record_every), .unit = "s",
     .range = DOC_POSITIVE},
    {"columns", DOC_TYPE_WORDS, offsetof(arne_simulation_spec, record), .words = columns,
     .help = "columns of the result"},
    {0},
};
static const doc_schema record_schema = {"record", NULL, record_key_table, NULL};

static const doc_word drives[] = {
    {"torques", ARNE_DRIVE_TORQUES, NULL, NULL, "of the controller"},
    {"reference", ARNE_DRIVE_REFERENCE, NULL, NULL, "joints follow it exactly"},
    {0},
};
static const doc_word at_limits[] = {
    {"report", ARNE_LIMITS_REPORT, NULL, NULL, "the joint goes on"},
    {"stop", ARNE_LIMITS_STOP, NULL, NULL, "the simulation ends"},
    {"hold", ARNE_LIMITS_HOLD, NULL, NULL, "the joint stops there, with an impact"},
    {0}};

// ---- the file

// Sections in the order in which they need each other. Stage 1 rests on where the robot starts,
// which may be on the ground among the surroundings.
#define AT(field) offsetof(arne_scenario, field)
static const doc_key section_table[] = {
    {"title", DOC_TYPE_TEXT, AT(title), .needed = 0, .help = "what the report is called"},
    {"text", DOC_TYPE_TEXT, AT(text), .help = "about the scenario, in a sentence or two"},
    {"duration", DOC_TYPE_NUMBER, AT(sim.duration), .needed = 1, .unit = "s",
     .range = DOC_POSITIVE},
    {"drive", DOC_TYPE_WORD, AT(sim.drive), .words = drives, .otherwise = "torques",
     .help = "what moves the joints"},
    {"limits", DOC_TYPE_WORD, AT(sim.stop_at_limits), .words = at_limits, .otherwise = "report",
     .help = "what happens when a joint reaches a limit"},
    {"snapshots", DOC_TYPE_NUMBER, AT(snapshots), .range = DOC_POSITIVE,
     .help = "drawings of the motion in the report"},
    {"friction", DOC_TYPE_OTHER, 0, .read = scenario_read_friction,
     .inside = &scenario_friction_schema, .takes = "stick, smooth, none, or a mapping",
     .help = "Coulomb friction of joints"},
    {"base", DOC_TYPE_WORD, AT(build.base), .words = arne_yaml_bases,
     .help = "default: as the robot's file says"},
    {"gravity", DOC_TYPE_VEC3, 0, .read = scenario_read_gravity, .unit = "m/s^2",
     .help = "default: as the robot's file says"},
    {"robot", DOC_TYPE_TEXT, 0, .needed = 1, .read = scenario_read_robot, .help = "its file"},
    {"payloads", DOC_TYPE_LIST, 0, .each = scenario_read_payload,
     .inside = &scenario_payload_schema, .help = "loads that are fixed to links"},
    {"initial", DOC_TYPE_SKIP, 0, .inside = &scenario_initial_schema, .takes = "mapping",
     .help = "where the run starts"},
    {"reference", DOC_TYPE_MAP, 0, .read = scenario_own_read_reference,
     .inside = &scenario_reference_schema, .stage = 1, .help = "the motion to follow"},
    {"follow", DOC_TYPE_LIST, 0, .read = read_follow, .takes = "a list of joints", .stage = 1,
     .help = "that follow the reference, of a robot with loops"},
    {"base_motion", DOC_TYPE_MAP, 0, .read = read_base_motion, .inside = &scenario_reference_schema,
     .stage = 1, .help = "of a prescribed base"},
    {"surroundings", DOC_TYPE_LIST, 0, .read = scenario_read_surroundings,
     .inside = &scenario_surrounding_schema, .help = "external forces besides gravity"},
    {"controller", DOC_TYPE_MAP, 0, .read = scenario_read_controller,
     .inside = &scenario_controller_schema, .stage = 1, .help = "what computes the torques"},
    {"integrator", DOC_TYPE_MAP, 0, .read = read_integrator, .inside = &integrator_schema,
     .stage = 1, .help = "of the equations of motion"},
    {"record", DOC_TYPE_MAP, AT(sim), .inside = &record_schema, .stage = 1,
     .help = "interval and columns of the result"},
    {"figures", DOC_TYPE_LIST, 0, .read = scenario_read_figures, .inside = &scenario_figure_schema,
     .stage = 1, .help = "numbers for the report"},
    {"plots", DOC_TYPE_LIST, 0, .read = scenario_read_plots, .inside = &scenario_plot_schema,
     .stage = 1, .help = "plots for the report"},
    {0},
};
#undef AT
const doc_schema scenario_schema = {"scenario", NULL, section_table, NULL};

// Rigid contact goes in steps of a fixed size: of 1 ms where no file says.
static arne_status check_rigid(arne_scenario *s, const doc_slot *root)
{
    if (!plant_is_rigid(&s->sim)) return ARNE_OK;
    if (s->sim.stop_at_limits == ARNE_LIMITS_REPORT) s->sim.stop_at_limits = ARNE_LIMITS_HOLD;
    arne_integrator_options *o = &s->sim.integrator;
    const doc_slot           section = doc_under(root, "integrator");
    const doc_slot           map = {root->reader, "integrator", "", section.value};
    const doc_slot ground = doc_under(root, plant_has_ground(&s->sim) ? "surroundings" : "limits");
    const int      says =
        section.value && section.value->kind == DOC_MAP && doc_find(section.value, "method");
    arne_error why;
    if (!says) o->method = ARNE_METHOD_EULER;
    if (take_file_step(s)) return ARNE_NO_MEMORY;
    if (o->step == 0) o->step = 1e-3;
    if (!s->robot || rigid_check(&s->sim, &why) == ARNE_OK) return ARNE_OK;
    const doc_slot  method = says ? doc_under(&map, "method") : ground;
    const int       fits = o->method < ARNE_METHOD_ROSENBROCK;
    const doc_node *at = (fits ? &ground : &method)->value;
    return arne_reader_fail_at(root->reader, ARNE_UNSUPPORTED, at->line, at->column, "%s",
                               why.text);
}

static int has_rods(const arne_robot *robot)
{
    const int joints = robot ? arne_robot_sizes(robot).joint_count : 0;
    for (int i = 0; i < joints; i++)
        if (arne_robot_joint(robot, i).kind == ARNE_JOINT_EXPONENTIAL) return 1;
    return 0;
}

// Rods are stiff, so that their steps are CVODE's where the file does not say, and where CVODE is
// at hand and takes all that the scenario has.
static void choose_stiff(arne_scenario *s, const doc_slot *root)
{
    const doc_slot           section = doc_under(root, "integrator");
    arne_integrator_options *o = &s->sim.integrator, own = *o;
    const arne_stiction      stiction = s->sim.stiction;
    const stiff_solver      *solver = NULL;
    arne_error               why;
    if (!has_rods(s->robot) || doc_find(root->value, "friction") || plant_is_rigid(&s->sim) ||
        (section.value && section.value->kind == DOC_MAP && doc_find(section.value, "method")))
        return;
    o->method = ARNE_METHOD_CVODE;
    s->sim.stiction = ARNE_STICTION_SMOOTH;
    if (stiff_solver_find(o->method, &solver, &why) == ARNE_OK &&
        simulation_check(&s->sim, &why) == ARNE_OK)
        return;
    *o = own;
    s->sim.stiction = stiction;
}

// Sections that contradict each other, or go without saying.
static arne_status scenario_check_together(arne_scenario *s, const doc_slot *root)
{
    const doc_slot drive = doc_under(root, "drive");
    arne_status    status = ARNE_OK;
    if (s->sim.drive == ARNE_DRIVE_REFERENCE && !doc_find(root->value, "reference"))
        status = doc_fail(&drive, ARNE_VALUE, "needs a reference section");
    if (s->sim.drive == ARNE_DRIVE_REFERENCE && doc_find(root->value, "controller"))
        status = status_both(
            status, doc_fail(&drive, ARNE_VALUE,
                             "leaves nothing for a controller to do: take one of the two out"));
    choose_stiff(s, root);
    // Joints that stick and slip are neither for CVODE and IDA nor for loops.
    if (s->robot && !doc_find(root->value, "friction") &&
        (s->sim.integrator.method >= ARNE_METHOD_CVODE ||
         arne_robot_sizes(s->robot).loop_count > 0))
        s->sim.stiction = ARNE_STICTION_SMOOTH;
    status = status_both(status, check_rigid(s, root));
    return status || !s->robot || s->found.errors
               ? status
               : doc_check(root, simulation_check(&s->sim, s->reader.error));
}

static arne_status read_sections(arne_scenario *s)
{
    const doc_slot root = {&s->reader, "", "", s->doc.root};
    if (!s->doc.root || s->doc.root->kind != DOC_MAP)
        return arne_reader_fail(&s->reader, ARNE_SYNTAX, 1,
                                "this is no scenario: it has no sections such as robot");
    s->title = s->text = "";
    s->sim.integrator.method = ARNE_METHOD_DORMAND_PRINCE;
    arne_status    status = doc_read_stage(&root, &scenario_schema, s, 0, 0);
    const doc_slot initial = doc_under(&root, "initial");
    if (status_goes_on(status)) status = status_both(status, scenario_read_initial(s, &initial));
    if (status_goes_on(status))
        status = status_both(status, doc_read_stage(&root, &scenario_schema, s, 1, 0));
    if (status_goes_on(status)) status = status_both(status, scenario_check_together(s, &root));
    return status ? status : scenario_check_columns(s);
}

// The document, with what the source changes in it.
static arne_status scenario_load(arne_scenario *s, const scenario_source *source)
{
    const document *given = source->given ? source->given->run : NULL;
    arne_status     status = given ? document_copy(given, &s->doc)
                             : source->text
                                 ? document_parse(&s->reader, source->text, source->size, &s->doc)
                                 : document_load(&s->reader, &s->doc);
    s->edited = source->text != NULL || given;
    s->given = source->given;
    s->edits = source->edits;
    s->edit_count = source->edit_count;
    for (int i = 0; i < source->edit_count && status_goes_on(status); i++) {
        if (strncmp(source->edits[i].path, "robot.", 6) == 0) continue;
        status = status_both(status, document_edit(&s->reader, &s->doc, &source->edits[i]));
        s->edited = 1;
    }
    return status;
}

static arne_scenario *new_scenario(const char *path, const arne_build_options *options)
{
    const arne_build_options plain = {0};
    arne_scenario           *s = calloc(1, sizeof *s);
    if (s) s->path = malloc(strlen(path) + 1);
    if (!s || !s->path) {
        free(s);
        return NULL;
    }
    memcpy(s->path, path, strlen(path) + 1);
    s->build = options ? *options : plain;
    const listeners all = findings_listeners(&s->found);
    s->build.warn = all.warn;
    s->build.fail = all.fail;
    s->build.warn_context = s->build.fail_context = &s->found;
    return s;
}

arne_status scenario_read(const scenario_source *source, const arne_build_options *options,
                          arne_scenario **out, arne_error *error)
{
    arne_error own;
    *out = NULL;
    arne_error_clear(error);
    arne_error_clear(&own);
    arne_scenario *s = new_scenario(source->path, options);
    if (!s) return arne_fail_memory(error);
    s->reader = (reader){
        .file = s->path, .found = &s->found, .error = &own, .context = s, .document = &s->doc};
    arne_status status = scenario_load(s, source);
    if (!status || (s->doc.root && status == ARNE_VALUE))
        status = status_both(status, read_sections(s));
    status = arne_reader_tell(&s->reader, status, options, error);
    findings_free(&s->found);
    s->reader.error = NULL;
    s->edits = NULL;
    s->given = NULL;
    if (status) {
        arne_scenario_free(s);
        return status;
    }
    *out = s;
    return ARNE_OK;
}

arne_status arne_scenario_read(const char *path, const arne_build_options *options,
                               arne_scenario **out, arne_error *error)
{
    const scenario_source source = {.path = path};
    arne_build_options    own_options;
    if (out) *out = NULL;
    const arne_status known = builder_take_options(&options, &own_options, error);
    if (known) return known;
    return path && out ? scenario_read(&source, options, out, error) : arne_fail_null(error);
}

arne_status arne_scenario_read_yaml(const char *text, size_t size, const char *name,
                                    const arne_build_options *options, arne_scenario **out,
                                    arne_error *error)
{
    const scenario_source source = {.path = name ? name : "", .text = text, .size = size};
    arne_build_options    own_options;
    if (out) *out = NULL;
    const arne_status known = builder_take_options(&options, &own_options, error);
    if (known) return known;
    return text && out ? scenario_read(&source, options, out, error) : arne_fail_null(error);
}

void arne_scenario_free(arne_scenario *s)
{
    if (!s) return;
    arne_controller_free(s->controller);
    arne_trajectory_free(s->reference);
    arne_trajectory_free(s->base);
    arne_robot_free(s->robot);
    arne_robot_free(s->base_robot);
    for (int i = 0; i < s->file_count; i++) {
        free(s->files[i].path);
        arne_table_free(s->tables[i]);
    }
    free(s->files);
    free(s->tables);
    document_free(&s->doc);
    free(s->path);
    free(s);
}

const arne_simulation_spec *arne_scenario_simulation(const arne_scenario *s) { return &s->sim; }
const char                 *arne_scenario_title(const arne_scenario *s) { return s->title; }
const char                 *arne_scenario_text(const arne_scenario *s) { return s->text; }
