// Problem files: docs/problem-file.md. The robot and the splines come first, then what rests on them.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "plan/read/read_problem.h"
#include "base/error.h"
#include "base/options.h"
#include "io/run_folder.h"
#include "plan/transcription/path.h"
#include <arne/io.h>
#include <arne/table.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct top { // what is needed before there is a plan
    const char       *robot, *title, *quadrature;
    const yaml_node  *time, *path, *gait;
    int               base; // arne_base
    arne_plan_options options;
} top;

char *problem_path(const problem *p, const char *path) { return arne_path_beside(p->r.file, path); }

// ---- small readers

static arne_status read_whole(const yaml_slot *slot, void *out)
{
    double            value = 0;
    const arne_status status = arne_yaml_number(slot, &value);
    if (status) return status;
    if (value != floor(value) || fabs(value) > 1e6)
        return arne_yaml_fail(slot, ARNE_VALUE, "must be a whole number");
    *(int *)out = (int)value;
    return ARNE_OK;
}

static arne_status read_flag(const yaml_slot *slot, void *out)
{
    static const char *const words[] = {"false", "true", "no", "yes", NULL};
    const arne_status        status = arne_yaml_choice(slot, words, out);
    *(int *)out &= 1;
    return status;
}

static arne_status keep_node(const yaml_slot *slot, void *node)
{
    *(const yaml_node **)node = slot->value;
    return ARNE_OK;
}

static arne_status later(const yaml_slot *slot, void *unused)
{
    (void)slot, (void)unused;
    return ARNE_OK;
}

static arne_status read_base(const yaml_slot *slot, void *base)
{
    static const char *const words[] = {"fixed", "prescribed", "free", NULL};
    const arne_status        status = arne_yaml_choice(slot, words, base);
    *(int *)base += 1; // as arne_base counts
    return status;
}

static arne_status read_spline(const yaml_slot *slot, void *options)
{
    static const yaml_field fields[] = {
        {"degree", read_whole, offsetof(arne_plan_options, degree)},
        {"control_points", read_whole, offsetof(arne_plan_options, control_points)},
        YAML_FIELDS_END,
    };
    return arne_yaml_fields(slot, fields, options);
}

static arne_status read_grid(const yaml_slot *slot, void *options)
{
    static const yaml_field fields[] = {
        {"points", read_whole, offsetof(arne_plan_options, grid_points)},
        {"per_span", read_whole, offsetof(arne_plan_options, per_span)},
        YAML_FIELDS_END,
    };
    return arne_yaml_fields(slot, fields, options);
}

static arne_status read_quadrature(const yaml_slot *slot, void *options)
{
    static const char *const words[] = {"gauss", "trapezoid", NULL};
    return arne_yaml_choice(slot, words, &((arne_plan_options *)options)->trapezoid);
}

// A number: T is fixed. A mapping: between bounds.
static arne_status read_time(const yaml_slot *slot, void *into)
{
    static const yaml_field fields[] = {
        {"start", arne_yaml_number, offsetof(arne_plan_options, time)},
        {"least", arne_yaml_number, offsetof(arne_plan_options, time_least)},
        {"most", arne_yaml_number, offsetof(arne_plan_options, time_most)},
        YAML_FIELDS_END,
    };
    arne_plan_options *o = into;
    if (slot->value->kind == YAML_TEXT && strcmp(slot->value->text, "free") != 0)
        return arne_yaml_number(slot, &o->time);
    o->time_least = 1e-3;
    o->time_most = 1000;
    return slot->value->kind == YAML_TEXT ? ARNE_OK : arne_yaml_fields(slot, fields, o);
}

// ---- sections that need the plan

static arne_status read_prescribed_one(problem *p, const yaml_slot *slot)
{
    struct {
        const yaml_node *polynomial;
        double           amplitude, frequency, phase;
    } f = {NULL, 0, 0, 0};
    const yaml_field fields[] = {
        {"polynomial", keep_node, (size_t)((char *)&f.polynomial - (char *)&f)},
        {"amplitude", arne_yaml_number, (size_t)((char *)&f.amplitude - (char *)&f)},
        {"frequency", arne_yaml_number, (size_t)((char *)&f.frequency - (char *)&f)},
        {"phase", arne_yaml_number, (size_t)((char *)&f.phase - (char *)&f)},
        YAML_FIELDS_END,
    };
    double      c[16] = {0};
    int        *rows = calloc((size_t)p->plan->v_count, sizeof *rows), count = 0;
    arne_status status = rows ? ARNE_OK : arne_fail_memory(p->r.error);
    if (!status && slot->value->kind == YAML_TEXT) status = arne_yaml_number(slot, &c[0]);
    if (!status && slot->value->kind != YAML_TEXT) status = arne_yaml_fields(slot, fields, &f);
    const yaml_slot numbers = {slot->reader, slot->key, "polynomial", f.polynomial};
    const int       terms = f.polynomial ? f.polynomial->count : 1;
    if (!status && f.polynomial && (f.polynomial->kind != YAML_LIST || terms > 16))
        status = arne_yaml_fail(&numbers, ARNE_VALUE, "must be a list of at most 16 numbers");
    if (!status && f.polynomial) status = arne_yaml_numbers(&numbers, terms, c);
    const yaml_node name = {.kind = YAML_TEXT, .text = slot->key, .line = slot->value->line};
    const yaml_slot named = {slot->reader, "", "prescribed", &name};
    if (!status) status = problem_coordinates(p, &named, rows, &count);
    for (int i = 0; i < count && !status; i++)
        status = arne_plan_prescribe(p->plan, plan_planned(p->plan, rows[i]), c, terms, f.amplitude,
                                     f.frequency, f.phase, p->r.error);
    free(rows);
    return status;
}

static arne_status read_prescribed(problem *p, const yaml_slot *section)
{
    arne_status status = arne_yaml_expect(section, YAML_MAP);
    for (const yaml_item *i = status ? NULL : section->value->first; i && !status; i = i->next) {
        const yaml_slot slot = {section->reader, section->key, i->key, i->value};
        status = read_prescribed_one(p, &slot);
    }
    return status;
}

static arne_status read_solver(problem *p, const yaml_slot *section)
{
    static const yaml_field fields[] = {
        {"tolerance", arne_yaml_number, offsetof(arne_solve_options, tolerance)},
        {"violation", arne_yaml_number, offsetof(arne_solve_options, violation)},
        {"between", arne_yaml_number, offsetof(arne_solve_options, between)},
        {"iterations", read_whole, offsetof(arne_solve_options, iterations)},
        {"refine", read_whole, offsetof(arne_solve_options, refine)},
        {"feasibility_first", read_flag, offsetof(arne_solve_options, feasibility_first)},
        {"smooth_first", read_flag, offsetof(arne_solve_options, smooth_first)},
        YAML_FIELDS_END,
    };
    return arne_yaml_fields(section, fields, &p->plan->solver);
}

static arne_status read_published(problem *p, const yaml_slot *section)
{
    static const yaml_field fields[] = {
        {"T", arne_yaml_number, offsetof(plan_published, T)},
        {"objective", arne_yaml_number, offsetof(plan_published, objective)},
        {"solve_time", arne_yaml_number, offsetof(plan_published, solve_time)},
        YAML_FIELDS_END,
    };
    return arne_yaml_fields(section, fields, &p->plan->published);
}

static arne_status read_start(problem *p, const yaml_slot *section)
{
    return problem_boundary(p, section, 0);
}
static arne_status read_end(problem *p, const yaml_slot *section)
{
    return problem_boundary(p, section, 1);
}

// Coordinates that stay where they are told.
static arne_status read_frozen(problem *p, const yaml_slot *section)
{
    const int      n = p->plan->v_count;
    double        *value = calloc((size_t)n, sizeof *value);
    unsigned char *given = calloc((size_t)n, 1);
    arne_status    status =
        value && given ? problem_values(p, section, value, given) : arne_fail_memory(p->r.error);
    for (int k = 0; !status && k < n; k++)
        if (given[k] && plan_planned(p->plan, k) >= 0) {
            arne_plan_bound(p->plan, plan_planned(p->plan, k), value[k], value[k]);
            arne_plan_start_line(p->plan, plan_planned(p->plan, k), value[k], value[k]);
        }
    free(value), free(given);
    return status;
}

// Where the search starts: a number for a coordinate that stands, or [from, to].
static arne_status read_guess(problem *p, const yaml_slot *section)
{
    arne_status status = arne_yaml_expect(section, YAML_MAP);
    int        *rows = calloc((size_t)p->plan->v_count, sizeof *rows), count = 0;
    if (!status && !rows) status = arne_fail_memory(p->r.error);
    for (const yaml_item *i = status ? NULL : section->value->first; i && !status; i = i->next) {
        const yaml_slot slot = {section->reader, section->key, i->key, i->value};
        const yaml_node name = {.kind = YAML_TEXT, .text = i->key, .line = i->line};
        const yaml_slot named = {section->reader, "", section->key, &name};
        double          ends[2] = {0, 0};
        status = problem_coordinates(p, &named, rows, &count);
        if (!status && i->value->kind == YAML_LIST) status = arne_yaml_numbers(&slot, 2, ends);
        if (!status && i->value->kind != YAML_LIST) {
            status = arne_yaml_number(&slot, &ends[0]);
            ends[1] = ends[0];
        }
        for (int k = 0; k < count && !status; k++)
            if (plan_planned(p->plan, rows[k]) >= 0)
                arne_plan_start_line(p->plan, plan_planned(p->plan, rows[k]), ends[0], ends[1]);
    }
    free(rows);
    return status;
}

static arne_status read_snapshots(problem *p, const yaml_slot *section)
{
    return read_whole(section, &p->plan->snapshots);
}

static arne_status read_samples(problem *p, const yaml_slot *section)
{
    return read_whole(section, &p->plan->samples);
}

typedef struct section {
    const char *key;
    arne_status (*read)(problem *, const yaml_slot *);
    int no_path; // has no meaning along a path
} section;

// In this order, whatever the file's.
static const section sections[] = {
    {"start", read_start, 1},
    {"end", read_end, 1},
    {"prescribed", read_prescribed, 1},
    {"frozen", read_frozen, 1},
    {"guess", read_guess, 1},
    {"gait", problem_gait, 1},
    {"objective", problem_objectives, 0},
    {"constraints", problem_constraints, 0},
    {"solver", read_solver, 0},
    {"snapshots", read_snapshots, 0},
    {"samples", read_samples, 0},
    {"published", read_published, 0},
};
enum { SECTION_COUNT = sizeof sections / sizeof sections[0] };

// ---- the robot and the plan

// A failure of the plan, which knows no files, gets the place that caused it.
static arne_status placed(const problem *p, arne_status status, int line)
{
    if (status && p->r.error && !p->r.error->line && !p->r.error->file[0]) {
        snprintf(p->r.error->file, sizeof p->r.error->file, "%s", p->r.file);
        p->r.error->line = line;
    }
    return status;
}

static arne_status read_top(problem *p, const yaml_node *root, top *t)
{
    static const yaml_field fields[] = {
        {"title", arne_yaml_text, offsetof(top, title)},
        {"robot", arne_yaml_text, offsetof(top, robot)},
        {"base", read_base, offsetof(top, base)},
        {"spline", read_spline, offsetof(top, options)},
        {"grid", read_grid, offsetof(top, options)},
        {"quadrature", read_quadrature, offsetof(top, options)},
        {"time", read_time, offsetof(top, options)},
        {"path", keep_node, offsetof(top, path)},
        {"gait", keep_node, offsetof(top, gait)},
        {"start", later, 0},
        {"end", later, 0},
        {"prescribed", later, 0},
        {"frozen", later, 0},
        {"guess", later, 0},
        {"objective", later, 0},
        {"constraints", later, 0},
        {"solver", later, 0},
        {"snapshots", later, 0},
        {"samples", later, 0},
        {"published", later, 0},
        YAML_FIELDS_END,
    };
    const yaml_slot   whole = {&p->r, "", "the file", root};
    const arne_status status = arne_yaml_fields(&whole, fields, t);
    if (status) return status;
    if (!t->robot) return arne_reader_fail(&p->r, ARNE_VALUE, root->line, "robot is missing");
    return ARNE_OK;
}

static arne_status read_the_robot(problem *p, const top *t, const arne_build_options *options,
                                  int line)
{
    const arne_build_options plain = {0};
    arne_build_options       own = options ? *options : plain;
    char                    *path = problem_path(p, t->robot);
    if (!path) return arne_fail_memory(p->r.error);
    if (!own.base) own.base = (arne_base)t->base;
    arne_status status = arne_builder_new(&p->builder);
    if (!status) status = arne_read(p->builder, path, p->r.error);
    if (!status && t->gait) status = problem_gait_scale(p, t->gait);
    if (!status) status = arne_builder_finish(p->builder, &own, &p->shown, p->r.error);
    if (!status) status = arne_planning_robot(p->builder, &own, &p->robot, p->r.error);
    free(path);
    return status ? arne_reader_check(&p->r, status, line) : ARNE_OK;
}

// The points of a path: rows of numbers, or a table with columns q.JOINT.
static arne_status read_points(problem *p, const yaml_node *node, double **out, int *count)
{
    const yaml_slot  slot = {&p->r, "", "path", node};
    const int        n = arne_robot_sizes(p->robot).v_count;
    const yaml_node *list = arne_yaml_find(node, "points");
    const yaml_slot  points = {&p->r, "path", "points", list};
    arne_status      status = list ? arne_yaml_expect(&points, YAML_LIST)
                                   : arne_yaml_fail(&slot, ARNE_VALUE, "needs points");
    if (status) return status;
    *count = 0;
    *out = calloc((size_t)(list->count * n + 1), sizeof **out);
    if (!*out) return arne_fail_memory(p->r.error);
    for (const yaml_item *i = list->first; i && !status; i = i->next) {
        const yaml_slot row = {&p->r, "path", "points", i->value};
        status = arne_yaml_numbers(&row, n, *out + n * (*count)++);
    }
    return status;
}

static arne_status read_path(problem *p, const top *t)
{
    static const yaml_field fields[] = {{"points", later, 0}, YAML_FIELDS_END};
    const yaml_slot         slot = {&p->r, "", "path", t->path};
    double                 *points = NULL;
    int                     count = 0;
    arne_status             status = arne_yaml_fields(&slot, fields, NULL);
    if (!status) status = read_points(p, t->path, &points, &count);
    if (!status)
        status = arne_plan_new_on_path(p->robot, &t->options, count, points, &p->plan, p->r.error);
    free(points);
    return placed(p, status, t->path->line);
}

// A straight line between the positions of start and end, where both are told and no other guess is.
static void guess_line(problem *p)
{
    arne_plan *plan = p->plan;
    for (int j = 0; j < plan->v_count; j++) {
        double ends[2] = {NAN, NAN};
        for (int i = 0; i < plan->constraint_count; i++) {
            const plan_constraint *c = &plan->constraints[i];
            const int end = c->from == 1, there = c->from == c->to && (c->from == 0 || end);
            if (!there || c->other >= 0 ||
                plan->quantities[c->quantity].what.kind != ARNE_QUANTITY_POSITION)
                continue;
            for (int r = 0; r < c->row_count; r++)
                if (c->rows[r] == j && c->lower[r] == c->upper[r]) ends[end] = c->lower[r];
        }
        const double from = isnan(ends[0]) ? ends[1] : ends[0],
                     to = isnan(ends[1]) ? from : ends[1];
        const int planned = plan_planned(plan, j);
        if (!isnan(from) && planned >= 0 && !plan->prescribed[planned].on)
            arne_plan_start_line(plan, planned, from, to);
    }
}

static arne_status read_sections(problem *p, const yaml_node *root, int on_path)
{
    arne_status status = ARNE_OK;
    for (int k = 0; k < SECTION_COUNT && !status; k++) {
        const yaml_node *value = arne_yaml_find(root, sections[k].key);
        const yaml_slot  slot = {&p->r, "", sections[k].key, value};
        if (k == 4) guess_line(p); // before what is told of the guess
        if (!value) continue;
        if (on_path && sections[k].no_path)
            return arne_yaml_fail(&slot, ARNE_VALUE,
                                  "has no meaning along a path, which says where to start and end");
        status = sections[k].read(p, &slot);
    }
    return status ? status : plan_contradiction(p->plan, p->r.error);
}

static int keep_names(arne_plan *plan, const problem *p, const top *t, int line)
{
    char *robot = problem_path(p, t->robot);
    plan->path = strdup(p->r.file);
    plan->title = strdup(t->title ? t->title : "");
    plan->robot_path = robot;
    plan->robot_said = strdup(t->robot);
    plan->robot_line = line;
    return plan->path && plan->title && robot && plan->robot_said;
}

static arne_status read_all(problem *p, const yaml_node *root, const arne_build_options *options)
{
    top         t = {.options = {.time = 1}};
    arne_status status = read_top(p, root, &t);
    if (!status && t.gait) status = problem_gait_options(p, t.gait, &t.options);
    if (status) return status;
    const yaml_node *at = arne_yaml_find(root, "robot");
    status = read_the_robot(p, &t, options, at->line);
    if (status) return status;
    const yaml_node *spline = arne_yaml_find(root, "spline");
    if (t.path)
        status = read_path(p, &t);
    else
        status = placed(p, arne_plan_new(p->robot, &t.options, &p->plan, p->r.error),
                        spline ? spline->line : root->line);
    if (status) return status;
    p->plan->own_robot = p->robot;
    p->plan->shown_robot = p->shown;
    memcpy(p->plan->scale, p->scale, sizeof p->scale);
    if (!keep_names(p->plan, p, &t, at->line)) return arne_fail_memory(p->r.error);
    return read_sections(p, root, t.path != NULL);
}

arne_status arne_plan_read(const char *path, const arne_build_options *options, arne_plan **out,
                           arne_error *error)
{
    arne_build_options own_options;
    if (out) *out = NULL;
    if (options &&
        !options_take(&own_options, sizeof own_options, OPTIONS_FIRST(arne_build_options), options))
        return options_refuse(error);
    if (options) options = &own_options;
    if (!path || !out)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    problem   p = {.r = {.file = path, .error = error}};
    char     *text = NULL;
    size_t    size = 0;
    yaml_tree tree = {0};
    *out = NULL;
    arne_error_clear(error);
    arne_status status = arne_reader_load(&p.r, &text, &size);
    if (!status) status = arne_yaml_parse(&p.r, text, size, &tree);
    if (!status && tree.root->kind != YAML_MAP)
        status = arne_reader_fail(&p.r, ARNE_VALUE, tree.root->line, "a problem file is a mapping");
    if (!status) status = read_all(&p, tree.root, options);
    arne_yaml_free(&tree);
    free(text);
    arne_builder_free(p.builder);
    if (!status) {
        *out = p.plan;
        return ARNE_OK;
    }
    if (!p.plan || !p.plan->own_robot) { // not yet the plan's
        arne_robot_free(p.robot);
        arne_robot_free(p.shown);
    }
    arne_plan_free(p.plan);
    return status;
}
