// Reads problem files (docs/problem-file.md): first the robot and the splines, then the sections
// that need them.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "problem/read_problem.h"
#include "base/error.h"
#include "io/run_folder.h"
#include "io/yaml_robot.h"
#include "robot/builder.h"
#include <arne/io.h>
#include <arne/table.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

problem *problem_of(const doc_slot *slot) { return slot->reader->context; }

char *problem_path(const problem *p, const char *path) { return arne_path_beside(p->r.file, path); }

// ---- the splines and their time

#define AT(field) offsetof(arne_plan_options, field)
static const doc_key spline_keys[] = {
    {"degree", DOC_TYPE_WHOLE, AT(degree), .range = DOC_POSITIVE,
     .help = "of the splines, 2 to 9; default 3, or 4 if nothing drives a joint"},
    {"control_points", DOC_TYPE_WHOLE, AT(control_points), .range = DOC_POSITIVE,
     .help = "of each coordinate"},
    {0},
};
static const doc_schema spline_schema = {"spline", NULL, spline_keys, NULL};

static const doc_key grid_keys[] = {
    {"points", DOC_TYPE_WHOLE, AT(grid_points), .range = DOC_POSITIVE,
     .help = "number of points, evenly over the motion"},
    {"per_span", DOC_TYPE_WHOLE, AT(per_span), .range = DOC_POSITIVE,
     .help = "intervals between neighbouring knots"},
    {0},
};
static const doc_schema grid_schema = {"grid", NULL, grid_keys, NULL};

static const doc_word quadratures[] = {
    {"gauss", 0, NULL, NULL, NULL}, {"trapezoid", 1, NULL, NULL, NULL}, {0}};

static const doc_key time_keys[] = {
    {"start", DOC_TYPE_NUMBER, AT(time), .unit = "s", .help = "where the search starts"},
    {"least", DOC_TYPE_NUMBER, AT(time_least), .unit = "s", .otherwise = "1e-3"},
    {"most", DOC_TYPE_NUMBER, AT(time_most), .unit = "s", .otherwise = "1000"},
    {0},
};
#undef AT
static const doc_schema time_schema = {"time", NULL, time_keys, NULL};

// A number: T is fixed. A mapping: between bounds.
static arne_status read_problem_read_time(const doc_slot *slot, void *into)
{
    arne_plan_options *o = into;
    const doc_slot     map = {slot->reader, "time", "", slot->value};
    if (slot->value->kind == DOC_TEXT && strcmp(slot->value->text, "free") != 0)
        return doc_number(slot, &o->time);
    o->time_least = PLAN_LEAST_TIME;
    o->time_most = 1000;
    if (slot->value->kind == DOC_TEXT) return ARNE_OK;
    const arne_status status = doc_read_map(&map, &time_schema, o, 0);
    if (status || o->time_most >= o->time_least) return status;
    const double most = o->time_most;
    o->time_most = o->time_least; // told here, and not again by the plan
    return doc_fail(slot, ARNE_VALUE, "cannot be between %g and %g", o->time_least, most);
}

arne_status problem_phase_time(const doc_slot *slot, void *into)
{
    arne_plan_options o = {.time = 1};
    double           *out = into; // time, time_least, time_most of an arne_plan_phase
    const arne_status status = read_problem_read_time(slot, &o);
    out[0] = o.time;
    out[1] = o.time_least;
    out[2] = o.time_most;
    return status;
}

// ---- sections that need the plan

static arne_status read_gait(const doc_slot *section, void *unused)
{
    problem *p = problem_of(section);
    (void)unused;
    return p->plan && !p->is_draft ? problem_gait(p, section) : ARNE_OK;
}

static const doc_key published_keys[] = {
    {"T", DOC_TYPE_NUMBER, offsetof(plan_published, T), .unit = "s"},
    {"objective", DOC_TYPE_NUMBER, offsetof(plan_published, objective), .needed = 0,
     .help = "found by others"},
    {"solve_time", DOC_TYPE_NUMBER, offsetof(plan_published, solve_time), .unit = "s"},
    {0},
};
static const doc_schema published_schema = {"published", NULL, published_keys, NULL};

// ---- the file

// In the order of reading. Stage 0 is what is needed before there is a plan; of the others those of
// stages 1 and 2 have no meaning along a path. A guess comes after the straight line between the
// ends that is there without one.
enum { STAGE_TOP, STAGE_MOTION, STAGE_GUESS, STAGE_LOADS, STAGE_REST };

#define AT(field) offsetof(problem, field)
static const doc_key section_table[] = {
    {"title", DOC_TYPE_TEXT, AT(title), .needed = 0, .help = "what the report is called"},
    {"robot", DOC_TYPE_TEXT, AT(robot_file), .needed = 1, .help = "its file"},
    {"base", DOC_TYPE_WORD, AT(build.base), .words = arne_yaml_bases,
     .help = "default: as the robot's file says"},
    {"spline", DOC_TYPE_MAP, AT(options), .inside = &spline_schema,
     .help = "the splines of the coordinates"},
    {"grid", DOC_TYPE_MAP, AT(options), .inside = &grid_schema,
     .help = "where constraints are imposed"},
    {"quadrature", DOC_TYPE_WORD, AT(options.trapezoid), .words = quadratures, .otherwise = "gauss",
     .help = "how integrals over time are computed"},
    {"time", DOC_TYPE_OTHER, AT(options), .read = read_problem_read_time, .inside = &time_schema,
     .unit = "s", .takes = "a number, free, or a mapping", .otherwise = "1"},
    {"path", DOC_TYPE_NODE, AT(path), .inside = &problem_path_schema, .takes = "a mapping",
     .help = "a path to follow; only the speed along it is planned"},
    {"payloads", DOC_TYPE_LIST, 0, .each = problem_read_payload, .inside = &problem_payload_schema,
     .help = "what the robot carries"},
    {"wrenches", DOC_TYPE_LIST, 0, .read = problem_wrenches, .inside = &problem_wrench_schema,
     .stage = STAGE_LOADS, .help = "external wrenches on frames"},
    {"strength", DOC_TYPE_NAMES, 0, .read = problem_strength, .inside = &problem_strength_schema,
     .stage = STAGE_LOADS, .help = "by joint: torque limits as functions of angle and velocity"},
    {"phases", DOC_TYPE_LIST, 0, .each = problem_read_phase, .inside = &problem_phase_schema,
     .help = "parts of the motion with their own splines"},
    {"contacts", DOC_TYPE_LIST, 0, .each = problem_read_contact, .inside = &problem_contact_schema,
     .help = "points that touch the ground, with their forces"},
    {"driven", DOC_TYPE_NODE, AT(driven), .takes = "all, or a list of joints",
     .otherwise = "motors", .help = "passive joints that may have a torque in the plan"},
    {"muscles", DOC_TYPE_FLAG, AT(options.muscles), .otherwise = "no",
     .help = "the robot's muscles drive it; their activations are planned"},
    {"reserves", DOC_TYPE_NODE, AT(reserves), .takes = "all, or a list of joints",
     .otherwise = "none", .help = "joints that have a motor beside muscles"},
    {"gait", DOC_TYPE_MAP, 0, .read = problem_gait_options, .inside = &problem_gait_schema,
     .help = "a step of a human"},
    {"start", DOC_TYPE_MAP, 0, .read = problem_start, .inside = &problem_boundary_schema,
     .stage = STAGE_MOTION, .help = "the state at the start"},
    {"end", DOC_TYPE_MAP, 0, .read = problem_end, .inside = &problem_boundary_schema,
     .stage = STAGE_MOTION, .help = "the state at the end"},
    {"prescribed", DOC_TYPE_NAMES, 0, .read = problem_prescribed,
     .inside = &problem_prescribed_schema, .stage = STAGE_MOTION,
     .help = "by joint: a number or a function of time"},
    {"frozen", DOC_TYPE_OTHER, 0, .read = problem_frozen, .takes = "values by joint",
     .unit = "rad, m", .stage = STAGE_MOTION, .help = "coordinates with a constant value"},
    {"guess", DOC_TYPE_NAMES, 0, .read = problem_guess, .takes = "by joint: a number or [from, to]",
     .unit = "rad, m", .stage = STAGE_GUESS, .help = "where the search starts"},
    {"objective", DOC_TYPE_LIST, 0, .each = problem_objective, .inside = &problem_objective_schema,
     .stage = STAGE_REST, .help = "terms of the objective; they are added"},
    {"constraints", DOC_TYPE_LIST, 0, .each = problem_constraint,
     .inside = &problem_constraint_schema, .stage = STAGE_REST, .help = "the constraints"},
    {"solver", DOC_TYPE_MAP, 0, .read = problem_solver, .inside = &problem_solver_schema,
     .stage = STAGE_REST, .help = "of the search"},
    {"horizon", DOC_TYPE_OTHER, 0, .read = problem_only_riccati, .unit = "s", .takes = "a number",
     .stage = STAGE_REST, .help = "that a controller looks ahead; of method: riccati"},
    {"rate", DOC_TYPE_OTHER, 0, .read = problem_only_riccati, .unit = "Hz", .takes = "a number",
     .stage = STAGE_REST, .help = "of the ticks of a controller; of method: riccati"},
    {"fatigue", DOC_TYPE_NAMES, 0, .read = problem_fatigue, .inside = &problem_fatigue_schema,
     .stage = STAGE_REST, .help = "by joint: how fast it tires and recovers"},
    {"repeat", DOC_TYPE_OTHER, 0, .read = problem_repeat, .inside = &problem_repeat_schema,
     .stage = STAGE_REST, .takes = "a number, or a mapping",
     .help = "number of repetitions of the task"},
    {"snapshots", DOC_TYPE_WHOLE, AT(snapshots), .range = DOC_NOT_NEGATIVE, .stage = STAGE_REST,
     .help = "drawings of the mechanism in the report"},
    {"samples", DOC_TYPE_WHOLE, AT(samples), .range = DOC_NOT_NEGATIVE, .stage = STAGE_REST,
     .help = "rows of the result, at least"},
    {"published", DOC_TYPE_MAP, AT(published), .inside = &published_schema, .stage = STAGE_REST,
     .help = "published results, shown beside ours"},
    {0},
};
#undef AT
const doc_schema problem_schema = {"problem", NULL, section_table, NULL};

static arne_status problem_check_path(const doc_slot *root)
{
    arne_status status = ARNE_OK;
    if (!doc_find(root->value, "path")) return ARNE_OK;
    for (const doc_key *k = section_table; k->key && status_goes_on(status); k++) {
        const doc_slot slot = doc_under(root, k->key);
        const int      motion = k->stage == STAGE_MOTION || k->stage == STAGE_GUESS;
        if (slot.value && (motion || strcmp(k->key, "gait") == 0 || strcmp(k->key, "phases") == 0 ||
                           strcmp(k->key, "contacts") == 0))
            status = status_both(
                status, doc_fail(&slot, ARNE_VALUE,
                                 "has no meaning along a path, which says where to start and end"));
    }
    return status;
}

// `gait` defines phases, contacts and time itself.
static arne_status check_gait(problem *p, const doc_slot *root)
{
    static const char *const own[] = {"phases", "contacts", "time"};
    arne_status              status = ARNE_OK;
    for (size_t i = 0; p->has_gait && i < sizeof own / sizeof *own && status_goes_on(status); i++) {
        const doc_slot slot = doc_under(root, own[i]);
        if (slot.value)
            status = status_both(
                status,
                doc_fail(&slot, ARNE_VALUE,
                         "has no meaning beside gait, where speed, step and borders say it"));
    }
    return status;
}

// A grid needs two points; reported here, with the line.
static arne_status check_grid(problem *p, const doc_slot *root)
{
    const doc_slot grid = doc_under(root, "grid");
    if (p->options.grid_points != 1) return ARNE_OK;
    p->options.grid_points = 0;
    return doc_fail(&grid, ARNE_VALUE, "needs 2 points or more");
}

// ---- the robot and the plan

// Mistakes of the robot's file are among those of the problem.
static arne_status problem_build_robot(problem *p, const char *path)
{
    arne_error *error = p->r.error;
    arne_status status = arne_builder_new(&p->builder);
    if (status) return arne_fail_memory(error);
    status = arne_read_given(p->builder, path, p->given, &p->sections, error);
    if (!status && p->has_gait) status = problem_gait_scale(p);
    if (status == ARNE_NO_MEMORY) return status;
    const arne_status built = arne_builder_finish(p->builder, &p->build, &p->shown, error);
    if (status || built) return status_both(status, built);
    p->build.warn = NULL; // they have been heard
    status = arne_planning_robot(p->builder, &p->build, &p->robot, error);
    if (!status && p->has_gait) status = problem_walker(p, p->robot, &p->gait.walker);
    if (!status) status = problem_load(p, &p->robot);
    if (!status) status = problem_load(p, &p->shown);
    if (status || !p->has_gait) return status;
    status = problem_gait_load(p, &p->robot);
    return status ? status : problem_gait_load(p, &p->shown);
}

static arne_status read_problem_read_the_robot(problem *p, const doc_slot *slot)
{
    const int before = p->found.errors;
    char     *path = problem_path(p, p->robot_file);
    if (!path) return arne_fail_memory(p->r.error);
    const arne_status status = problem_build_robot(p, path);
    free(path);
    if (status && p->found.errors > before) return doc_check_file(slot, status);
    return doc_check(slot, status);
}

static arne_status make_in_phases(problem *p, const doc_slot *at)
{
    problem_made *made = malloc(sizeof *made);
    if (!made) return arne_fail_memory(p->r.error);
    arne_status status = problem_make(p, made);
    if (!status)
        status = doc_check(at, arne_plan_new_in_phases(p->robot, &p->options, made->phases,
                                                       made->phase_count, made->contacts,
                                                       made->contact_count, &p->plan, p->r.error));
    problem_made_free(made);
    free(made);
    return status;
}

static arne_status new_plan(problem *p, const doc_slot *root)
{
    const doc_slot spline = doc_under(root, "spline");
    if (p->path) return problem_on_path(p);
    const doc_slot at = {&p->r, "", "", spline.value ? spline.value : root->value};
    if (p->has_gait && !p->gait.thesis) return problem_gait_plan(p);
    const doc_slot parts = doc_under(root, p->phase_count ? "phases" : "contacts");
    if (p->phase_count || p->contact_count) return make_in_phases(p, &parts);
    return doc_check(&at, arne_plan_new(p->robot, &p->options, &p->plan, p->r.error));
}

// before: the status of the sections that were read before.
static arne_status make_plan(problem *p, const doc_slot *root, arne_status before)
{
    const doc_slot    robot = doc_under(root, "robot");
    unsigned char    *driven[2] = {NULL, NULL};
    const arne_status built = read_problem_read_the_robot(p, &robot);
    arne_status       status = built;
    if (p->robot && status_goes_on(status)) status = status_both(status, problem_driven(p, driven));
    const int plain = p->robot && !p->path && !p->has_gait && !p->contact_count;
    if (plain || (!status && !before))
        status = status_both(status, new_plan(p, root));
    else if (p->robot && status_goes_on(status))
        status = status_both(status, problem_check_parts(p, root, !built));
    if (p->robot && !p->path && !p->plan && status_goes_on(status)) problem_make_draft(p);
    p->options.driven = p->options.reserves = NULL;
    free(driven[0]);
    free(driven[1]);
    return status;
}

// A straight line between the positions of start and end, where both are given and no other guess
// is.
static void guess_line(problem *p)
{
    arne_plan *plan = p->plan;
    for (int j = 0; j < plan->problem.v_count; j++) {
        double ends[2] = {NAN, NAN};
        for (int i = 0; i < plan->problem.constraint_count; i++) {
            const plan_constraint *c = &plan->problem.constraints[i];
            const int end = c->from == 1, there = c->from == c->to && (c->from == 0 || end);
            if (!there || c->other >= 0 ||
                plan->problem.quantities[c->quantity].what.kind != ARNE_QUANTITY_POSITION)
                continue;
            for (int r = 0; r < c->row_count; r++)
                if (c->rows[r] == j && c->lower[r] == c->upper[r]) ends[end] = c->lower[r];
        }
        const double from = isnan(ends[0]) ? ends[1] : ends[0],
                     to = isnan(ends[1]) ? from : ends[1];
        const int planned = plan_planned(&plan->problem, j);
        if (!isnan(from) && planned >= 0 && !plan->problem.prescribed[planned].on)
            arne_plan_start_line(plan, planned, from, to);
    }
}

static int keep_names(arne_plan *plan, const problem *p, int line)
{
    plan->problem.own_robot = p->robot;
    plan->problem.shown_robot = p->shown;
    memcpy(plan->problem.scale, p->scale, sizeof p->scale);
    plan->problem.path = strdup(p->r.file);
    plan->problem.title = strdup(p->title ? p->title : "");
    plan->problem.robot_path = problem_path(p, p->robot_file);
    plan->problem.robot_said = strdup(p->robot_file);
    plan->problem.robot_line = line;
    return plan->problem.path && plan->problem.title && plan->problem.robot_path &&
           plan->problem.robot_said;
}

// Without given control points, splines are refined until the result converges.
static int gives_control_points(const problem *p)
{
    int given = p->options.control_points > 0 || p->has_gait;
    for (int k = 0; k < p->phase_count; k++)
        given |= p->phases[k].spec.control_points > 0;
    return given;
}

// Refuses a least time that nothing limits and of which only the default bound is known.
static arne_status check_unlimited(problem *p, const doc_slot *root)
{
    const doc_slot time = doc_under(root, "time");
    const int given = time.value && time.value->kind == DOC_MAP && doc_find(time.value, "least");
    if (given || !plan_is_unlimited(&p->plan->problem)) return ARNE_OK;
    return doc_fail(time.value ? &time : root, ARNE_VALUE,
                    "is to be least, but nothing limits how fast the robot moves: add constraints "
                    "such as {quantity: velocity, limits: true} or {quantity: torque, limits: "
                    "true}, or give the least time");
}

// The sections that need a plan. If there is none, only their words are checked.
static arne_status read_rest(problem *p, const doc_slot *root)
{
    arne_status    status = doc_read_stage(root, &problem_schema, p, STAGE_MOTION, 0);
    const doc_slot walk = doc_under(root, "gait");
    if (p->plan && !status) guess_line(p);
    if (status_goes_on(status))
        status = status_both(status, doc_read_stage(root, &problem_schema, p, STAGE_GUESS, 0));
    if (walk.value && status_goes_on(status)) status = status_both(status, read_gait(&walk, NULL));
    if (p->plan) {
        p->published = p->plan->problem.published;
        p->snapshots = p->plan->problem.snapshots;
        p->samples = p->plan->problem.samples;
    }
    if (p->plan && status_goes_on(status)) status = status_both(status, problem_carry(p));
    if (p->plan && status_goes_on(status)) status = status_both(status, problem_robot_parts(p));
    if (p->plan && !gives_control_points(p)) p->plan->problem.solver.converge = -1e-3;
    if (status_goes_on(status))
        status = status_both(status, doc_read_stage(root, &problem_schema, p, STAGE_LOADS, 0));
    if (status_goes_on(status))
        status = status_both(status, doc_read_stage(root, &problem_schema, p, STAGE_REST, 0));
    if (status || !p->plan) return status;
    p->plan->problem.published = p->published;
    p->plan->problem.snapshots = p->snapshots;
    p->plan->problem.samples = p->samples;
    status = problem_check_stand(p);
    if (!status) status = doc_check(root, plan_contradiction(&p->plan->problem, p->r.error));
    return status ? status : check_unlimited(p, root);
}

static arne_status problem_read_all(problem *p)
{
    const doc_slot root = {&p->r, "", "", p->doc.root};
    if (!p->doc.root || p->doc.root->kind != DOC_MAP)
        return arne_reader_fail(&p->r, ARNE_SYNTAX, 1,
                                "this is no problem: it has no sections such as robot");
    const arne_base wanted = p->build.base;
    p->options.time = 1;
    arne_status status = doc_read_stage(&root, &problem_schema, p, STAGE_TOP, 0);
    if (wanted) p->build.base = wanted; // what the caller says counts more
    if (status_goes_on(status)) status = status_both(status, problem_check_path(&root));
    if (status_goes_on(status)) status = status_both(status, check_gait(p, &root));
    if (status_goes_on(status)) status = status_both(status, check_grid(p, &root));
    if (p->robot_file && status_goes_on(status)) {
        status = status_both(status, make_plan(p, &root, status));
        if (p->plan && !keep_names(p->plan, p, doc_find(p->doc.root, "robot")->line))
            return arne_fail_memory(p->r.error);
    }
    return status_goes_on(status) ? status_both(status, read_rest(p, &root)) : status;
}

// ---- entries

static arne_status problem_finish(problem *p, arne_status status, const arne_build_options *options,
                                  arne_plan **out, arne_error *error)
{
    status = arne_reader_tell(&p->r, status, options, error);
    document_free(&p->doc);
    robot_sections_free(&p->sections);
    findings_free(&p->found);
    arne_builder_free(p->builder);
    free(p->phases);
    free(p->contacts);
    free(p->payloads);
    if (!status) {
        *out = p->plan;
        return ARNE_OK;
    }
    if (!p->plan || !p->plan->problem.own_robot) { // not yet the plan's
        arne_robot_free(p->robot);
        arne_robot_free(p->shown);
    }
    arne_plan_free(p->plan);
    return status;
}

static arne_status read_problem(const char *path, const char *text, size_t size,
                                const doc_given *given, const arne_build_options *options,
                                arne_plan **out, arne_error *error)
{
    const arne_build_options plain = {0};
    arne_error               own;
    problem                  p = {.build = options ? *options : plain, .given = given};
    const listeners          all = findings_listeners(&p.found);
    p.r =
        (reader){.file = path, .found = &p.found, .error = &own, .context = &p, .document = &p.doc};
    p.build.warn = all.warn;
    p.build.fail = all.fail;
    p.build.warn_context = p.build.fail_context = &p.found;
    arne_error_clear(error);
    arne_error_clear(&own);
    arne_status status = given && given->run ? document_copy(given->run, &p.doc)
                         : text              ? document_parse(&p.r, text, size, &p.doc)
                                             : document_load(&p.r, &p.doc);
    if (!status || (p.doc.root && status == ARNE_VALUE))
        status = status_both(status, problem_read_all(&p));
    return problem_finish(&p, status, options, out, error);
}

arne_status problem_read_given(const char *path, const doc_given *given,
                               const arne_build_options *options, arne_plan **out,
                               arne_error *error)
{
    *out = NULL;
    return read_problem(path, NULL, 0, given, options, out, error);
}

arne_status arne_plan_read(const char *path, const arne_build_options *options, arne_plan **out,
                           arne_error *error)
{
    arne_build_options own_options;
    if (out) *out = NULL;
    const arne_status known = builder_take_options(&options, &own_options, error);
    if (known) return known;
    return path && out ? read_problem(path, NULL, 0, NULL, options, out, error)
                       : arne_fail_null(error);
}

arne_status arne_plan_read_yaml(const char *text, size_t size, const char *name,
                                const arne_build_options *options, arne_plan **out,
                                arne_error *error)
{
    arne_build_options own_options;
    if (out) *out = NULL;
    const arne_status known = builder_take_options(&options, &own_options, error);
    if (known) return known;
    return text && out ? read_problem(name ? name : "", text, size, NULL, options, out, error)
                       : arne_fail_null(error);
}
