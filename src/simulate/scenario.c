// A scenario file, section by section. docs/scenario.md says what each means.
#include "simulate/scenario.h"
#include "base/error.h"
#include "io/run_folder.h"
#include "simulate/stiff_solver.h"
#include <arne/io.h>
#include <arne/loop.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sections {
    const yaml_node *title, *text, *robot, *base, *gravity, *friction, *payloads, *duration, *drive,
        *initial, *reference, *follow, *base_motion, *controller, *surroundings, *integrator,
        *record, *limits, *plots, *snapshots, *figures;
} sections;

// One section in a table: which node, and who reads it.
#define SLOT(s, name, node) const yaml_slot slot = scenario_slot(s, name, "", node)

static arne_status missing(arne_scenario *s, const char *what)
{
    return arne_reader_fail(&s->reader, ARNE_VALUE, s->tree.root ? s->tree.root->line : 1,
                            "%s is missing", what);
}

static yaml_slot key(arne_scenario *s, const char *name, const yaml_node *node)
{
    return scenario_slot(s, "", name, node);
}

typedef struct warning_hook {
    arne_warning_fn warn;
    void           *context;
} warning_hook;

typedef struct friction_keys {
    const yaml_node *type;
    double           velocity;
} friction_keys;

static arne_status read_friction(arne_scenario *s, const yaml_node *node)
{
    static const yaml_field FIELDS[] = {
        {"type", scenario_keep, offsetof(friction_keys, type)},
        {"velocity", scenario_positive, offsetof(friction_keys, velocity)},
        YAML_FIELDS_END,
    };
    static const char *const WORDS[] = {"stick", "smooth", "none", NULL};
    int                      choice = ARNE_STICTION_STICK;
    yaml_slot                slot = key(s, "friction", node);
    arne_status              status = ARNE_OK;
    if (!node) return ARNE_OK;
    if (node->kind == YAML_MAP) {
        friction_keys keys = {0};
        slot.owner = "friction";
        status = arne_yaml_fields(&slot, FIELDS, &keys);
        if (!status && !keys.type) return arne_yaml_fail(&slot, ARNE_VALUE, "type is missing");
        s->sim.stiction_velocity = keys.velocity;
        slot.value = keys.type;
        slot.key = "type";
    }
    if (!status) status = arne_yaml_choice(&slot, WORDS, &choice);
    s->sim.stiction = (arne_stiction)choice;
    return status;
}

static arne_status read_base_kind(arne_scenario *s, const yaml_node *node, arne_base *out)
{
    static const char *const WORDS[] = {"fixed", "prescribed", "free", NULL};
    static const arne_base   BASES[] = {ARNE_BASE_FIXED, ARNE_BASE_PRESCRIBED, ARNE_BASE_FREE};
    int                      choice = 0;
    if (!node) return ARNE_OK;
    const yaml_slot   slot = key(s, "base", node);
    const arne_status status = arne_yaml_choice(&slot, WORDS, &choice);
    *out = BASES[choice];
    return status;
}

typedef struct payload_keys {
    const yaml_node *link, *inertia;
    arne_payload     payload;
} payload_keys;

static arne_status attach(arne_scenario *s, const yaml_slot *item)
{
    static const yaml_field FIELDS[] = {
        {"link", scenario_keep, offsetof(payload_keys, link)},
        {"mass", arne_yaml_number, offsetof(payload_keys, payload.mass)},
        {"com", arne_yaml_vec3, offsetof(payload_keys, payload.com)},
        {"inertia", scenario_keep, offsetof(payload_keys, inertia)},
        YAML_FIELDS_END,
    };
    payload_keys keys = {0};
    int          frame = -1;
    arne_robot  *robot = NULL;
    arne_status  status = arne_yaml_fields(item, FIELDS, &keys);
    if (!status && !keys.link) status = arne_yaml_fail(item, ARNE_VALUE, "link is missing");
    if (status) return status;
    const yaml_slot link = scenario_slot(s, "payload", "link", keys.link);
    const yaml_slot inertia = scenario_slot(s, "payload", "inertia", keys.inertia);
    status = scenario_frame(&link, s->robot, &frame);
    if (!status && keys.inertia) status = arne_yaml_numbers(&inertia, 6, keys.payload.inertia);
    if (!status)
        status = scenario_place(
            item, arne_robot_attach(s->robot, frame, &keys.payload, &robot, s->reader.error));
    if (status) return status;
    arne_robot_free(s->robot);
    s->robot = robot;
    return ARNE_OK;
}

static arne_status read_payloads(arne_scenario *s, const yaml_node *node)
{
    if (!node) return ARNE_OK;
    const yaml_slot slot = key(s, "payloads", node);
    arne_status     status = arne_yaml_expect(&slot, YAML_LIST);
    for (const yaml_item *i = status ? NULL : node->first; i && !status; i = i->next) {
        const yaml_slot item = scenario_slot(s, "payload", "", i->value);
        status = attach(s, &item);
    }
    return status;
}

static arne_status read_robot(arne_scenario *s, const sections *k, const warning_hook *hook)
{
    arne_build_options options = {.warn = hook->warn, .warn_context = hook->context};
    arne_vec3          gravity;
    const char        *path = NULL;
    if (!k->robot) return missing(s, "robot");
    const yaml_slot robot = key(s, "robot", k->robot), weight = key(s, "gravity", k->gravity);
    arne_status     status = scenario_add_file(&robot, s, &path);
    if (!status) status = read_friction(s, k->friction);
    if (!status) status = read_base_kind(s, k->base, &options.base);
    if (!status && k->gravity) {
        status = arne_yaml_vec3(&weight, &gravity);
        options.gravity = &gravity;
    }
    options.no_friction = s->sim.stiction == ARNE_STICTION_NONE;
    if (!status)
        status =
            scenario_place(&robot, arne_robot_read(path, &options, &s->robot, s->reader.error));
    if (!status) status = read_payloads(s, k->payloads);
    s->sim.robot = s->robot;
    return status;
}

// Positions that are given by name are kept: closing may move the others only.
static arne_status check_kept(const yaml_slot *slot, const arne_robot *robot, const double *q)
{
    arne_status status = ARNE_OK;
    if (slot->value->kind == YAML_LIST) return ARNE_OK; // of the active joints
    for (const yaml_item *i = slot->value->first; i && !status; i = i->next) {
        const yaml_slot       entry = {slot->reader, slot->owner, i->key, i->value};
        const arne_joint_info j = arne_robot_joint(robot, arne_find_joint(robot, i->key));
        double                given;
        if (!j.passive || j.q_count != 1) continue;
        status = arne_yaml_number(&entry, &given);
        if (!status && !(fabs(q[j.q_start] - given) <= ARNE_LOOP_CLOSED))
            status = arne_yaml_fail(&entry, ARNE_LOOP_OPEN,
                                    "is not assembled: the loops close at %.9g, not at %.9g",
                                    q[j.q_start], given);
    }
    return status;
}

// Positions that are given in whole must be closed; else the passive joints are found, as `assemble` does. Where nothing is said
// and there is no assembly at the start positions, a reference may still have one.
static arne_status close_positions(arne_scenario *s, const yaml_slot *q, arne_work *work,
                                   arne_loop_work *loop)
{
    arne_error   why = {0};
    const double open = arne_loop_closure(s->robot, work, loop, s->q, NULL);
    if (open <= ARNE_LOOP_CLOSED) return ARNE_OK;
    if (q->value && scenario_names_all(q->value, s->robot))
        return arne_yaml_fail(q, ARNE_LOOP_OPEN, "is not assembled: its loops are open by %.3g",
                              open);
    const arne_status status = arne_assemble(s->robot, work, loop, NULL, s->q, NULL, &why);
    if (q->value)
        return status ? arne_yaml_fail(q, status, "%.400s", why.text)
                      : check_kept(q, s->robot, s->q);
    if (status) arne_start_configuration(s->robot, s->q);
    return ARNE_OK;
}

// Velocities of the active joints alone: those of the others follow.
static arne_status complete_velocities(arne_scenario *s, const yaml_slot *qd, arne_work *work,
                                       arne_loop_work *loop)
{
    arne_error why = {0};
    if (!qd->value || scenario_names_all(qd->value, s->robot)) return ARNE_OK;
    const arne_status status = arne_loop_complete(s->robot, work, loop, s->q, s->qd, NULL, &why);
    return status ? arne_yaml_fail(qd, status, "%.400s", why.text) : ARNE_OK;
}

static arne_status close_initial(arne_scenario *s, const yaml_slot *q, const yaml_slot *qd)
{
    arne_work      *work = NULL;
    arne_loop_work *loop = NULL;
    arne_status     status = arne_work_new(s->robot, &work);
    if (!status) status = arne_loop_work_new(s->robot, &loop);
    if (status) status = arne_fail_memory(s->reader.error);
    if (!status) status = close_positions(s, q, work, loop);
    if (!status) status = complete_velocities(s, qd, work, loop);
    arne_loop_work_free(loop);
    arne_work_free(work);
    return status;
}

static arne_status check_quaternions(const yaml_slot *slot, const arne_scenario *s)
{
    const double off = arne_quaternion_error(s->robot, s->q);
    if (fabs(off) <= 1e-6) return ARNE_OK;
    return arne_yaml_fail(slot, ARNE_VALUE, "has a quaternion of length %.9g, not 1", 1 + off);
}

typedef struct initial_keys {
    const yaml_node *q, *qd;
} initial_keys;

static arne_status read_initial(arne_scenario *s, const yaml_node *node)
{
    static const yaml_field FIELDS[] = {
        {"q", scenario_keep, offsetof(initial_keys, q)},
        {"qd", scenario_keep, offsetof(initial_keys, qd)},
        YAML_FIELDS_END,
    };
    const arne_sizes sizes = arne_robot_sizes(s->robot);
    initial_keys     keys = {0};
    s->q = scenario_doubles(s, sizes.q_count);
    s->qd = scenario_doubles(s, sizes.v_count);
    if (!s->q || !s->qd) return arne_fail_memory(s->reader.error);
    if (sizes.loop_count > 0)
        arne_start_configuration(s->robot, s->q);
    else
        arne_neutral(s->robot, s->q);
    const yaml_slot slot = scenario_slot(s, "initial", "", node);
    arne_status     status = node ? arne_yaml_fields(&slot, FIELDS, &keys) : ARNE_OK;
    const yaml_slot q = scenario_slot(s, "initial", "q", keys.q);
    const yaml_slot qd = scenario_slot(s, "initial", "qd", keys.qd);
    if (!status && keys.q) status = scenario_values(&q, s->robot, VALUES_Q, s->q);
    if (!status && keys.q) status = check_quaternions(&q, s);
    if (!status && keys.qd) status = scenario_values(&qd, s->robot, VALUES_V, s->qd);
    if (!status && sizes.loop_count > 0) status = close_initial(s, &q, &qd);
    if (keys.q) s->sim.q = s->q;
    if (keys.qd) s->sim.qd = s->qd;
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

static arne_status read_motions(arne_scenario *s, const sections *k)
{
    const double rest[7] = {0, 0, 0, 0, 0, 0, 1};
    arne_status  status = ARNE_OK;
    if (k->reference) {
        SLOT(s, "reference", k->reference);
        status = scenario_read_reference(s, &slot, s->robot, s->q, &s->reference);
        if (!status && arne_robot_base(s->robot) != ARNE_BASE_FREE)
            status = scenario_place(&slot, arne_trajectory_check_limits(s->reference, s->robot,
                                                                        s->sim.duration, 1001,
                                                                        s->reader.error));
        s->sim.reference = s->reference;
    }
    if (!status && k->base_motion) {
        SLOT(s, "base_motion", k->base_motion);
        status = make_base_robot(s);
        if (!status) status = scenario_read_reference(s, &slot, s->base_robot, rest, &s->base);
        s->sim.base = s->base;
    }
    return status;
}

typedef struct integrator_keys {
    const yaml_node        *method;
    arne_integrator_options options;
} integrator_keys;

static arne_status read_integrator(arne_scenario *s, const yaml_node *node)
{
#define NUMBER(name)                                                                               \
    {                                                                                              \
#name, scenario_positive, offsetof(integrator_keys, options.name)                          \
    }
    static const yaml_field FIELDS[] = {
        {"method", scenario_keep, offsetof(integrator_keys, method)},
        NUMBER(step),
        NUMBER(max_step),
        NUMBER(relative),
        NUMBER(absolute),
        YAML_FIELDS_END,
    };
#undef NUMBER
    static const char *const METHODS[] = {"euler", "rk4", "dormand-prince", "cvode", "ida", NULL};
    integrator_keys          keys = {0};
    arne_status              status = ARNE_OK;
    int                      method = ARNE_METHOD_DORMAND_PRINCE;
    if (node) {
        const yaml_slot slot = scenario_slot(s, "integrator", "", node);
        status = arne_yaml_fields(&slot, FIELDS, &keys);
    }
    if (!status && keys.method) {
        const yaml_slot slot = scenario_slot(s, "integrator", "method", keys.method);
        status = arne_yaml_choice(&slot, METHODS, &method);
        if (!status && (method == ARNE_METHOD_EULER || method == ARNE_METHOD_RK4) &&
            keys.options.step == 0)
            status = arne_yaml_fail(&slot, ARNE_VALUE, "'%s' needs a step", METHODS[method]);
        const stiff_solver *solver;
        arne_error          why;
        if (!status && stiff_solver_find((arne_method)method, &solver, &why) != ARNE_OK)
            status = arne_yaml_fail(&slot, ARNE_UNSUPPORTED, "'%s': %s", METHODS[method], why.text);
    }
    s->sim.integrator = keys.options;
    s->sim.integrator.method = (arne_method)method;
    return status;
}

typedef struct record_keys {
    double           every;
    const yaml_node *columns;
} record_keys;

static arne_status read_record(arne_scenario *s, const yaml_node *node)
{
    static const yaml_field FIELDS[] = {
        {"every", scenario_positive, offsetof(record_keys, every)},
        {"columns", scenario_keep, offsetof(record_keys, columns)},
        YAML_FIELDS_END,
    };
    static const char *const WORDS[] = {"q",         "qd",       "qdd",    "tau",      "taud",
                                        "reference", "error",    "energy", "momentum", "base",
                                        "wrench",    "taud_lag", NULL};
    record_keys              keys = {0};
    if (!node) return ARNE_OK;
    const yaml_slot slot = scenario_slot(s, "record", "", node);
    arne_status     status = arne_yaml_fields(&slot, FIELDS, &keys);
    s->sim.record_every = keys.every;
    if (status || !keys.columns) return status;
    const yaml_slot columns = scenario_slot(s, "record", "columns", keys.columns);
    status = arne_yaml_expect(&columns, YAML_LIST);
    for (const yaml_item *i = status ? NULL : keys.columns->first; i && !status; i = i->next) {
        const yaml_slot column = scenario_slot(s, "record", "columns", i->value);
        int             choice = 0;
        status = arne_yaml_choice(&column, WORDS, &choice);
        if (!status) s->sim.record |= 1u << choice;
    }
    return status;
}

static arne_status read_words(arne_scenario *s, const sections *k)
{
    static const char *const DRIVES[] = {"torques", "reference", NULL};
    static const char *const LIMITS[] = {"report", "stop", NULL};
    const yaml_slot          title = key(s, "title", k->title), text = key(s, "text", k->text),
                    drive = key(s, "drive", k->drive), limits = key(s, "limits", k->limits),
                    snapshots = key(s, "snapshots", k->snapshots);
    int         choice = 0;
    arne_status status = ARNE_OK;
    s->title = s->text = "";
    if (k->title) status = arne_yaml_text(&title, &s->title);
    if (!status && k->text) status = arne_yaml_text(&text, &s->text);
    if (!status && k->drive) status = arne_yaml_choice(&drive, DRIVES, &choice);
    s->sim.drive = (arne_drive)choice;
    if (!status && k->limits) status = arne_yaml_choice(&limits, LIMITS, &s->sim.stop_at_limits);
    if (!status && k->snapshots) status = scenario_positive(&snapshots, &s->snapshots);
    if (!status && s->sim.drive == ARNE_DRIVE_REFERENCE && !k->reference)
        status = arne_yaml_fail(&drive, ARNE_VALUE, "needs a reference section");
    if (!status && s->sim.drive == ARNE_DRIVE_REFERENCE && k->controller)
        status = arne_yaml_fail(&drive, ARNE_VALUE,
                                "leaves nothing for a controller to do: take one of the two out");
    return status;
}

// Joints that follow the reference, where loops leave others to follow from them.
static arne_status read_follow(arne_scenario *s, const yaml_node *node)
{
    if (!node) return ARNE_OK;
    const yaml_slot slot = key(s, "follow", node);
    arne_status     status = arne_yaml_expect(&slot, YAML_LIST);
    if (!status && (s->sim.drive != ARNE_DRIVE_REFERENCE || !arne_robot_sizes(s->robot).loop_count))
        status = arne_yaml_fail(&slot, ARNE_VALUE,
                                "is for robots with loops that are driven by a reference");
    unsigned char *flags = arne_yaml_take(&s->tree, (size_t)arne_robot_sizes(s->robot).v_count + 1);
    if (!status && !flags) status = arne_fail_memory(s->reader.error);
    for (const yaml_item *i = status ? NULL : node->first; i && !status; i = i->next) {
        const yaml_slot item = key(s, "follow", i->value);
        const char     *name = NULL;
        status = arne_yaml_text(&item, &name);
        const int j = status ? -1 : arne_find_joint(s->robot, name);
        if (!status && j < 0)
            status = arne_yaml_fail(&item, ARNE_NOT_FOUND, "'%.80s' is no joint that moves", name);
        const arne_joint_info info = j < 0 ? (arne_joint_info){0} : arne_robot_joint(s->robot, j);
        memset(flags + info.v_start, 1, (size_t)info.v_count);
    }
    s->sim.followed = flags;
    return status;
}

// Sections in the order in which they need each other, whatever the file's.
static arne_status read_sections(arne_scenario *s, const sections *k, const warning_hook *hook)
{
    arne_status status = read_words(s, k);
    if (!status && !k->duration) status = missing(s, "duration");
    if (status) return status;
    const yaml_slot duration = key(s, "duration", k->duration);
    status = scenario_positive(&duration, &s->sim.duration);
    if (!status) status = read_robot(s, k, hook);
    if (!status) status = read_initial(s, k->initial);
    if (!status) status = read_motions(s, k);
    if (!status) status = read_follow(s, k->follow);
    if (!status && k->controller) {
        SLOT(s, "controller", k->controller);
        status = scenario_read_controller(s, &slot);
    }
    if (!status && k->surroundings) {
        SLOT(s, "surroundings", k->surroundings);
        status = scenario_read_surroundings(s, &slot);
    }
    if (!status) status = read_integrator(s, k->integrator);
    // Joints that stick and slip are neither for CVODE and IDA nor for loops.
    if (!status && !k->friction &&
        (s->sim.integrator.method >= ARNE_METHOD_CVODE ||
         arne_robot_sizes(s->robot).loop_count > 0))
        s->sim.stiction = ARNE_STICTION_SMOOTH;
    if (!status) status = read_record(s, k->record);
    if (!status && k->figures) {
        SLOT(s, "figures", k->figures);
        status = scenario_read_figures(s, &slot);
    }
    if (!status && k->plots) {
        SLOT(s, "plots", k->plots);
        status = scenario_read_plots(s, &slot);
    }
    return status ? status : scenario_check_columns(s);
}

static arne_status parse(arne_scenario *s, sections *k)
{
#define KEY(name)                                                                                  \
    {                                                                                              \
#name, scenario_keep, offsetof(sections, name)                                             \
    }
    static const yaml_field FIELDS[] = {
        KEY(title),      KEY(text),       KEY(robot),       KEY(base),       KEY(gravity),
        KEY(friction),   KEY(payloads),   KEY(duration),    KEY(drive),      KEY(initial),
        KEY(reference),  KEY(follow),     KEY(base_motion), KEY(controller), KEY(surroundings),
        KEY(integrator), KEY(record),     KEY(limits),      KEY(plots),      KEY(snapshots),
        KEY(figures),    YAML_FIELDS_END,
    };
#undef KEY
    size_t      size = 0;
    char       *text = NULL;
    arne_status status = arne_reader_load(&s->reader, &text, &size);
    if (!status) status = arne_yaml_parse(&s->reader, text, size, &s->tree);
    free(text);
    if (!status && (!s->tree.root || s->tree.root->kind != YAML_MAP))
        status = arne_reader_fail(&s->reader, ARNE_SYNTAX, 1,
                                  "this is no scenario: it has no sections such as robot");
    if (status) return status;
    const yaml_slot root = scenario_slot(s, "", "", s->tree.root);
    return arne_yaml_fields(&root, FIELDS, k);
}

arne_status arne_scenario_read(const char *path, arne_warning_fn warn, void *warn_context,
                               arne_scenario **out, arne_error *error)
{
    arne_error         own;
    const warning_hook hook = {warn, warn_context};
    sections           k = {0};
    if (out) *out = NULL;
    if (!path || !out)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    arne_scenario *s = calloc(1, sizeof *s);
    if (s) s->path = malloc(strlen(path) + 1);
    if (!s || !s->path) {
        free(s);
        return arne_fail_memory(error);
    }
    memcpy(s->path, path, strlen(path) + 1);
    s->reader = (reader){.file = s->path, .error = error ? error : &own};
    arne_error_clear(s->reader.error);
    arne_status status = parse(s, &k);
    if (!status) status = read_sections(s, &k, &hook);
    s->reader.error = NULL;
    if (status) {
        arne_scenario_free(s);
        return status;
    }
    *out = s;
    return ARNE_OK;
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
    arne_yaml_free(&s->tree);
    free(s->path);
    free(s);
}

const arne_simulation *arne_scenario_simulation(const arne_scenario *s) { return &s->sim; }
const char            *arne_scenario_title(const arne_scenario *s) { return s->title; }
const char            *arne_scenario_text(const arne_scenario *s) { return s->text; }
