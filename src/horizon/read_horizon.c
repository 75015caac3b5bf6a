// Reads problem files with solver: {method: riccati}: first the robot and the step, then what needs
// them.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "base/error.h"
#include "horizon/horizon.h"
#include "io/run_folder.h"
#include "io/yaml_robot.h"
#include "robot/builder.h"
#include <arne/configuration.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KNOTS = 100000 };

arne_horizon *horizon_of(const doc_slot *slot) { return slot->reader->context; }

double *horizon_numbers(arne_horizon *h, size_t count)
{
    return document_take(&h->doc, (count + 1) * sizeof(double));
}

arne_oc_term *horizon_term(arne_horizon *h) { return &h->terms[h->term_count++]; }

// ---- keys

static const doc_word method_words[] = {
    {"riccati", 1, NULL, NULL, NULL}, {"ipopt", 0, NULL, NULL, NULL}, {0}};
static const doc_word integrator_words[] = {{"euler", ARNE_OC_EULER, NULL, NULL, "symplectic"},
                                            {"rk4", ARNE_OC_RK4, NULL, NULL, NULL},
                                            {0}};
static const doc_word controls_words[] = {
    {"torques", ARNE_OC_BY_TORQUE, NULL, NULL, NULL},
    {"accelerations", ARNE_OC_BY_ACCELERATION, NULL, NULL, "torques follow by inverse dynamics"},
    {0}};
#define AT(field) offsetof(horizon_solver, field)
static const doc_key solver_keys[] = {
    {"method", DOC_TYPE_WORD, AT(method), .needed = 1, .words = method_words,
     .help = "riccati: knots in time and a Riccati recursion"},
    {"step", DOC_TYPE_NUMBER, AT(step), .unit = "s", .range = DOC_POSITIVE, .otherwise = "0.01",
     .help = "between two knots"},
    {"integrator", DOC_TYPE_WORD, AT(integrator), .words = integrator_words, .otherwise = "euler",
     .help = "of the dynamics from knot to knot"},
    {"controls", DOC_TYPE_WORD, AT(controls), .words = controls_words, .otherwise = "torques",
     .help = "what the search varies"},
    {"tolerance", DOC_TYPE_NUMBER, AT(tolerance), .range = DOC_POSITIVE, .otherwise = "1e-9",
     .help = "of the projected gradient"},
    {"iterations", DOC_TYPE_WHOLE, AT(iterations), .range = DOC_POSITIVE, .otherwise = "1",
     .help = "of a tick of receding horizon control"},
    {"start_iterations", DOC_TYPE_WHOLE, AT(start_iterations), .range = DOC_POSITIVE,
     .otherwise = "500", .help = "at most, of a plan and of the first tick"},
    {"threads", DOC_TYPE_WHOLE, AT(threads), .range = DOC_POSITIVE, .otherwise = "1",
     .help = "that find derivatives of knots; no result depends on it"},
    {"contact_damping", DOC_TYPE_NUMBER, AT(contact_damping), .range = DOC_NOT_NEGATIVE,
     .unit = "1/s", .otherwise = "0", .help = "of frames that stand, so that they do not drift"},
    {0},
};
#undef AT
static const doc_schema solver_schema = {"solver", NULL, solver_keys, NULL};

// Keys of other problems, told by name; their help says why.
static arne_status refuse_key(const doc_slot *slot, void *unused);
#define NOT_HERE(name, why)                                                                        \
    {                                                                                              \
        name, DOC_TYPE_OTHER, 0, .read = refuse_key, .takes = "nothing", .help = why               \
    }

static arne_status read_time(const doc_slot *slot, void *into)
{
    if (slot->value->kind == DOC_TEXT && strcmp(slot->value->text, "free") != 0) {
        const arne_status status = doc_number(slot, into);
        return status ? status : doc_in_range(slot, DOC_POSITIVE, *(double *)into);
    }
    return doc_fail(slot, ARNE_UNSUPPORTED,
                    "must be a number with method: riccati; a free time is for method: ipopt");
}

// Stage 1 rests on the robot and the number of knots.
#define AT(field) offsetof(arne_horizon, field)
static const doc_key section_table[] = {
    {"title", DOC_TYPE_TEXT, AT(title), .needed = 0, .help = "what the report is called"},
    {"robot", DOC_TYPE_TEXT, AT(robot_file), .needed = 1, .help = "its file"},
    {"base", DOC_TYPE_WORD, AT(build.base), .words = arne_yaml_bases,
     .help = "default: as the robot's file says"},
    {"friction", DOC_TYPE_FLAG, AT(friction), .otherwise = "no",
     .help = "joint friction counts in the dynamics"},
    {"time", DOC_TYPE_OTHER, AT(time), .read = read_time, .unit = "s", .takes = "a number",
     .otherwise = "1", .help = "of the motion, a multiple of the step"},
    {"horizon", DOC_TYPE_NUMBER, AT(horizon), .unit = "s", .range = DOC_POSITIVE,
     .help = "that a controller looks ahead, a multiple of the step; default: time"},
    {"rate", DOC_TYPE_NUMBER, AT(rate), .unit = "Hz", .range = DOC_POSITIVE,
     .help = "of the ticks of a controller; default: one for each step"},
    {"solver", DOC_TYPE_MAP, AT(solver), .needed = 1, .inside = &solver_schema,
     .help = "of the search"},
    {"snapshots", DOC_TYPE_WHOLE, AT(snapshots), .range = DOC_NOT_NEGATIVE, .otherwise = "8",
     .help = "drawings of the mechanism in the report"},
    {"start", DOC_TYPE_MAP, 0, .read = horizon_start, .inside = &horizon_end_schema, .stage = 1,
     .help = "the state at the start; default: neutral, at rest"},
    {"end", DOC_TYPE_MAP, 0, .read = horizon_end, .inside = &horizon_end_schema, .stage = 1,
     .help = "a state that must be met at the end"},
    {"objective", DOC_TYPE_LIST, 0, .needed = 1, .read = horizon_objectives,
     .inside = &horizon_objective_schema, .stage = 1, .help = "terms; they are added"},
    {"constraints", DOC_TYPE_LIST, 0, .read = horizon_constraints,
     .inside = &horizon_constraint_schema, .stage = 1, .help = "the constraints"},
    {"cyclic", DOC_TYPE_FLAG, AT(cyclic), .otherwise = "no",
     .help = "for a controller, phases and references from files come again after `time`"},
    {"phases", DOC_TYPE_LIST, 0, .read = horizon_phases, .inside = &horizon_phase_schema,
     .stage = 1, .help = "parts of the motion with their own contacts"},
    {"contacts", DOC_TYPE_LIST, 0, .read = horizon_contacts, .inside = &horizon_contact_schema,
     .stage = 1, .help = "frames that stand"},
    NOT_HERE("spline", "the motion is given at knots: see solver: {step: ...}"),
    NOT_HERE("grid", "constraints hold at all knots"),
    NOT_HERE("quadrature", "integrals are sums over knots"),
    NOT_HERE("path", "all coordinates are free"),
    NOT_HERE("gait", "give phases and contacts"),
    NOT_HERE("frozen", "bound the coordinates"),
    NOT_HERE("prescribed", "weigh a deviation"),
    NOT_HERE("guess", "the search starts at rest"),
    NOT_HERE("driven", "motors drive their joints, and nothing else does"),
    NOT_HERE("payloads", "make the payload a part of the robot's file"),
    NOT_HERE("wrenches", "the solver has no external wrenches"),
    NOT_HERE("strength", "give limits of torque"),
    NOT_HERE("fatigue", "the solver has no fatigue"),
    NOT_HERE("repeat", "the solver has no fatigue"),
    NOT_HERE("samples", "the result has a row for every knot"),
    NOT_HERE("published", "compare summary.json"),
    {0},
};
#undef AT
static const doc_schema horizon_schema = {"problem", NULL, section_table, NULL};

static arne_status refuse_key(const doc_slot *slot, void *unused)
{
    const doc_key *k = section_table;
    (void)unused;
    while (strcmp(k->key, slot->key) != 0)
        k++;
    return doc_fail(slot, ARNE_UNSUPPORTED, "has no meaning with method: riccati: %s", k->help);
}

// ---- the robot and the knots

static arne_status read_the_robot(arne_horizon *h, const doc_slot *slot)
{
    const int before = h->found.errors;
    h->robot_path = arne_path_beside(h->r.file, h->robot_file);
    if (!h->robot_path) return arne_fail_memory(&h->own);
    h->build.no_friction = !h->friction;
    const arne_status status =
        arne_robot_read_edited(h->robot_path, NULL, 0, &h->build, &h->robot, &h->own);
    if (status == ARNE_NO_MEMORY) return status;
    if (status && h->found.errors == before) return doc_check(slot, status);
    arne_error_clear(&h->own);
    return doc_check_file(slot, status);
}

// How many steps a time has.
static arne_status count_knots(arne_horizon *h, const doc_slot *slot, double time, int *out)
{
    const double part = time / h->solver.step;
    *out = 1;
    if (!(part >= 1 - 1e-9 && part <= MOST_KNOTS))
        return doc_fail(slot, ARNE_VALUE, "of %g s is not between 1 and %d steps of %g s", time,
                        MOST_KNOTS, h->solver.step);
    if (fabs(part - round(part)) > 1e-6)
        return doc_fail(slot, ARNE_VALUE, "of %g s is no multiple of the step, %g s", time,
                        h->solver.step);
    *out = (int)lround(part);
    return ARNE_OK;
}

static arne_status make_room(arne_horizon *h, const doc_slot *root)
{
    static const char *const lists[] = {"objective", "constraints", "contacts"};
    int                      entries = 1;
    for (int i = 0; i < 3; i++) {
        const doc_node *list = doc_find(root->value, lists[i]);
        entries += list ? list->count : 0;
    }
    h->size = arne_robot_sizes(h->robot);
    h->control_count = arne_oc_drives(h->robot, NULL);
    h->drives = document_take(&h->doc, ((size_t)h->control_count + 1) * sizeof *h->drives);
    h->terms = document_take(&h->doc, 4 * (size_t)entries * sizeof *h->terms);
    h->targets = document_take(&h->doc, (size_t)entries * sizeof *h->targets);
    h->start = horizon_numbers(h, (size_t)(h->size.q_count + h->size.v_count));
    h->lower = horizon_numbers(h, (size_t)h->control_count);
    h->upper = horizon_numbers(h, (size_t)h->control_count);
    if (!h->drives || !h->terms || !h->targets || !h->start || !h->lower || !h->upper)
        return arne_fail_memory(&h->own);
    arne_oc_drives(h->robot, h->drives);
    arne_neutral(h->robot, h->start);
    for (int i = 0; i < h->control_count; i++) {
        h->lower[i] = -INFINITY;
        h->upper[i] = INFINITY;
    }
    h->r.robot = h->robot;
    return ARNE_OK;
}

static arne_status read_all(arne_horizon *h)
{
    const doc_slot  root = {&h->r, "", "", h->doc.root};
    const arne_base wanted = h->build.base;
    arne_status     status = doc_read_stage(&root, &horizon_schema, h, 0, 0);
    if (wanted) h->build.base = wanted;
    if (!h->robot_file || !h->solver.method) return status;
    const doc_slot robot = doc_under(&root, "robot"), time = doc_under(&root, "time"),
                   ahead = doc_under(&root, "horizon"), solver = doc_under(&root, "solver");
    status = status_both(status, read_the_robot(h, &robot));
    status = status_both(status, count_knots(h, time.value ? &time : &solver, h->time, &h->knots));
    h->receding = h->knots;
    if (ahead.value) status = status_both(status, count_knots(h, &ahead, h->horizon, &h->receding));
    if (!h->robot || !status_goes_on(status)) return status;
    if (h->receding > h->knots) h->knots = h->receding; // arrays are as long as the longer one
    status = status_both(status, make_room(h, &root));
    if (!status_goes_on(status)) return status;
    status = status_both(status, doc_read_stage(&root, &horizon_schema, h, 1, 0));
    if (status_goes_on(status)) status = status_both(status, horizon_stand(h, &root));
    h->knots = (int)lround(h->time / h->solver.step);
    if (status) return status;
    arne_horizon_at(h, 0, NULL);
    for (int receding = 0; receding < 2 && !status; receding++) {
        const arne_oc_problem problem = arne_horizon_problem(h, receding);
        if (!arne_oc_size(&problem, &h->own)) status = doc_check(&root, h->own.code);
    }
    return status;
}

// ---- entries

static int says_riccati(const doc_node *root)
{
    const doc_node *solver = root && root->kind == DOC_MAP ? doc_find(root, "solver") : NULL;
    const doc_node *method = solver && solver->kind == DOC_MAP ? doc_find(solver, "method") : NULL;
    return method && method->kind == DOC_TEXT && strcmp(method->text, "riccati") == 0;
}

int arne_horizon_is(const char *path)
{
    arne_error own;
    findings   found = {0};
    document   doc = {0};
    reader     r = {.file = path, .error = &own, .found = &found, .document = &doc};
    if (!path) return 0;
    arne_error_clear(&own);
    (void)!document_load(&r, &doc);
    const int is = says_riccati(doc.root);
    document_free(&doc);
    findings_free(&found);
    return is;
}

arne_status arne_horizon_read(const char *path, const arne_build_options *options,
                              arne_horizon **out, arne_error *error)
{
    arne_build_options own_options;
    if (out) *out = NULL;
    arne_status status = builder_take_options(&options, &own_options, error);
    if (status) return status;
    if (!path || !out) return arne_fail_null(error);
    arne_horizon *h = calloc(1, sizeof *h);
    char         *file = strdup(path);
    if (!h || !file) {
        free(h);
        free(file);
        return arne_fail_memory(error);
    }
    *h = (arne_horizon){.path = file,
                        .time = 1,
                        .snapshots = 8,
                        .solver = {.step = 0.01, .iterations = 1, .start_iterations = 500}};
    if (options) h->build = *options;
    const listeners all = findings_listeners(&h->found);
    h->r = (reader){
        .file = file, .found = &h->found, .error = &h->own, .context = h, .document = &h->doc};
    h->build.warn = all.warn;
    h->build.fail = all.fail;
    h->build.warn_context = h->build.fail_context = &h->found;
    arne_error_clear(error);
    status = document_load(&h->r, &h->doc);
    if (!status && !says_riccati(h->doc.root))
        status = arne_reader_fail(&h->r, ARNE_VALUE, 1,
                                  "this is no problem with solver: {method: riccati}");
    if (!status) status = read_all(h);
    status = arne_reader_tell(&h->r, status, options, error);
    if (status)
        arne_horizon_free(h);
    else
        *out = h;
    return status;
}

void arne_horizon_free(arne_horizon *h)
{
    if (!h) return;
    for (int i = 0; i < h->target_count; i++) {
        arne_table_free(h->targets[i].table);
        free(h->targets[i].path);
    }
    arne_oc_free(h->oc);
    arne_work_free(h->work);
    arne_robot_free(h->robot);
    document_free(&h->doc);
    findings_free(&h->found);
    free(h->robot_path);
    free((char *)(uintptr_t)h->path);
    free(h);
}
