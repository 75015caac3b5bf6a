// Entries of a problem file that name a quantity.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "base/error.h"
#include "io/kept_files.h"
#include "motion/motion_columns.h"
#include "problem/read_problem.h"
#include <arne/muscle.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- coordinates by name

static arne_status mark_named(const problem *p, const doc_slot *slot, const char *name,
                              unsigned char *marked)
{
    if (doc_mark_coordinates(p->robot, name, marked)) return ARNE_OK;
    return doc_fail(slot, ARNE_NOT_FOUND, "names joint '%.80s', which does not exist", name);
}

arne_status problem_coordinates(const problem *p, const doc_slot *slot, int *rows, int *count)
{
    const int      n = p->plan->problem.v_count;
    unsigned char *marked = calloc((size_t)n, 1);
    arne_status    status = marked ? ARNE_OK : arne_fail_memory(p->r.error);
    if (!status && slot->value->kind == DOC_TEXT) {
        if (strcmp(slot->value->text, "all") == 0)
            memset(marked, 1, (size_t)n);
        else
            status = mark_named(p, slot, slot->value->text, marked);
    } else if (!status) {
        status = doc_expect(slot, DOC_LIST);
        for (const doc_item *i = status ? NULL : slot->value->first; i && status_goes_on(status);
             i = i->next) {
            const doc_slot entry = {slot->reader, slot->owner, slot->key, i->value};
            const char    *name = NULL;
            arne_status    one = doc_text(&entry, &name);
            if (!one) one = mark_named(p, &entry, name, marked);
            status = status_both(status, one);
        }
    }
    *count = 0;
    for (int k = 0; !status && k < n; k++)
        if (marked[k]) rows[(*count)++] = k;
    free(marked);
    return status;
}

arne_status problem_muscles(const problem *p, const doc_slot *slot, int *rows, int *count)
{
    const doc_item only = {.value = (doc_node *)(size_t)slot->value};
    const int      all = slot->value->kind == DOC_TEXT && strcmp(slot->value->text, "all") == 0;
    arne_status    status = ARNE_OK;
    *count = 0;
    for (int i = 0; all && i < p->plan->problem.muscle_count; i++)
        rows[(*count)++] = i;
    for (const doc_item *i = all                             ? NULL
                             : slot->value->kind == DOC_LIST ? slot->value->first
                                                             : &only;
         i && status_goes_on(status); i = i->next) {
        const doc_slot entry = {slot->reader, slot->owner, slot->key, i->value};
        const char    *name = NULL;
        arne_status    one = doc_text(&entry, &name);
        const int      muscle = one ? -1 : arne_find_muscle(p->robot, name);
        if (!one && muscle < 0)
            one = doc_fail(&entry, ARNE_NOT_FOUND, "names '%.80s', which is no muscle", name);
        for (int k = 0; !one && k < *count; k++)
            if (rows[k] == muscle) one = doc_fail(&entry, ARNE_VALUE, "names '%.80s' twice", name);
        if (!one) rows[(*count)++] = muscle;
        status = status_both(status, one);
    }
    return status;
}

// ---- an entry

ask problem_ask(void)
{
    const ask a = {.within = 0,
                   .from = 0,
                   .to = 1,
                   .factor = 1,
                   .weight = 1,
                   .power = 2,
                   .shape = -1,
                   .pose = arne_joint_spec_default().origin};
    return a;
}

static arne_status read_quantity_take_quantity(const doc_slot *slot, void *quantity)
{
    return doc_choice(slot, problem_quantity_words, quantity);
}

static arne_status read_quantity_take_pose(const doc_slot *slot, void *entry)
{
    ask *a = entry;
    a->has_pose = 1;
    return doc_pose(slot, &a->pose);
}

static const doc_word shapes[] = {
    {"square", ARNE_OBJECTIVE_SQUARE, NULL, NULL, NULL},
    {"plain", ARNE_OBJECTIVE_PLAIN, NULL, NULL, NULL},
    {"absolute", ARNE_OBJECTIVE_ABSOLUTE, NULL, NULL, NULL},
    {"power", ARNE_OBJECTIVE_POWER, NULL, NULL, NULL},
    {0},
};

#define AT(field) offsetof(ask, field)
// What says which quantity is meant: the same in constraints, objectives and same_as.
#define QUANTITY_KEYS                                                                              \
    {"quantity",                                                                                   \
     DOC_TYPE_WORD,                                                                                \
     AT(quantity),                                                                                 \
     .words = problem_quantity_words,                                                              \
     .read = read_quantity_take_quantity,                                                          \
     .help = "the quantity"},                                                                      \
        {"name", DOC_TYPE_TEXT, AT(name), .help = "in messages and results"},                      \
        {"joints",           DOC_TYPE_NODE,                                                        \
         AT(joints),         .takes = "all, a joint, or a list",                                   \
         .otherwise = "all", .help = "joints whose rows are used; default: all"},                  \
        {"joint", DOC_TYPE_TEXT, AT(joint), .help = "of a wrench"},                                \
        {"frame", DOC_TYPE_TEXT, AT(frame), .help = "a link or frame"},                            \
        {"point", DOC_TYPE_VEC3, AT(point), .unit = "m", .help = "in the frame"},                  \
        {"other_frame", DOC_TYPE_TEXT, AT(other_frame), .help = "of a distance; or world"},        \
        {"other_point", DOC_TYPE_VEC3, AT(other_point), .unit = "m"},                              \
        {"component", DOC_TYPE_TEXT, AT(component), .help = "x, fz, ...; default: all"},           \
        {"corners",                                                                                \
         DOC_TYPE_NODE,                                                                            \
         AT(corners),                                                                              \
         .unit = "m",                                                                              \
         .takes = "a list of [x, y, z]",                                                           \
         .help = "of zmp_inside"},                                                                 \
        {"reference", DOC_TYPE_NODE, AT(reference), .takes = "values by joint, or a CSV file",     \
         .help = "of deviation"},                                                                  \
        {"contact", DOC_TYPE_TEXT, AT(contact), .help = "of a contact_force"},                     \
        {"muscles", DOC_TYPE_NODE, AT(muscles), .takes = "all, a muscle, or a list",               \
         .help = "of activation; default: all"},                                                   \
        {"phase", DOC_TYPE_TEXT, AT(phase), .help = "at, from and to are parts of it"},            \
        {"plane_point", DOC_TYPE_VEC3, AT(plane_point), .unit = "m"},                              \
        {"plane_normal", DOC_TYPE_VEC3, AT(plane_normal), .needed = 0,                             \
         .help = "of the plane; default: up"},                                                     \
    {                                                                                              \
        "at", DOC_TYPE_NODE, AT(at), .takes = "start, end, a part from 0 to 1, or a list",         \
                                     .help = "default: the whole motion"                           \
    }

static const doc_key other_keys[] = {QUANTITY_KEYS, {0}};
const doc_schema     problem_other_schema = {"same_as", NULL, other_keys, NULL};

static const doc_key constraint_keys[] = {
    QUANTITY_KEYS,
    {"lower", DOC_TYPE_NODE, AT(lower), .takes = "a number, a list, or by joint",
     .help = "least values of the rows"},
    {"upper", DOC_TYPE_NODE, AT(upper), .takes = "a number, a list, or by joint",
     .help = "greatest values of the rows"},
    {"equal", DOC_TYPE_NODE, AT(equal), .takes = "a number, a list, or by joint",
     .help = "values that the rows must have"},
    {"limits", DOC_TYPE_FLAG, AT(limits), .otherwise = "no",
     .help = "use the limits of the robot's file"},
    {"within", DOC_TYPE_NUMBER, AT(within), .otherwise = "0", .help = "tolerance of equalities"},
    {"from", DOC_TYPE_NUMBER, AT(from), .otherwise = "0", .range = DOC_PART,
     .help = "first part of the motion where it holds"},
    {"to", DOC_TYPE_NUMBER, AT(to), .otherwise = "1", .range = DOC_PART,
     .help = "last part of the motion where it holds"},
    {"same_as", DOC_TYPE_NODE, AT(same_as), .inside = &problem_other_schema,
     .takes = "another quantity", .help = "another quantity to compare with"},
    {"factor", DOC_TYPE_NUMBER, AT(factor), .otherwise = "1", .help = "of same_as"},
    {"offset", DOC_TYPE_NODE, AT(offset), .takes = "a number, a list, or by joint",
     .help = "of same_as or periodic"},
    {"pose", DOC_TYPE_POSE, 0, .read = read_quantity_take_pose,
     .help = "of frame_pose or frame_rotation"},
    {"periodic", DOC_TYPE_NODE, AT(periodic), .takes = "a list of quantities",
     .help = "quantities that are equal at start and end"},
    {"symmetry", DOC_TYPE_NODE, AT(symmetry), .takes = "a list of quantities",
     .help =
         "quantities of the left side at the start that equal those of the right side at the end"},
    {"pairs", DOC_TYPE_NODE, AT(pairs), .takes = "a list of [joint, joint, sign, offset]",
     .help = "[left, right, sign, offset] of joints"},
    {0},
};
const doc_schema problem_constraint_schema = {"constraints", NULL, constraint_keys, NULL};

static const doc_key objective_keys[] = {
    QUANTITY_KEYS,
    {"weight", DOC_TYPE_NUMBER, AT(weight), .otherwise = "1", .help = "times the integral"},
    {"shape", DOC_TYPE_WORD, AT(shape), .words = shapes,
     .help = "what is integrated; default: squares"},
    {"smooth", DOC_TYPE_NUMBER, AT(smooth), .range = DOC_NOT_NEGATIVE, .otherwise = "0",
     .help = "of absolute"},
    {"power", DOC_TYPE_NUMBER, AT(power), .range = DOC_POSITIVE, .otherwise = "2",
     .help = "of power, at least 2"},
    {"normalised", DOC_TYPE_FLAG, AT(normalised), .otherwise = "no",
     .help = "by the limits of the robot"},
    {"mean", DOC_TYPE_FLAG, AT(mean), .otherwise = "no",
     .help = "divided by the duration of the motion"},
    {"distance", DOC_TYPE_NUMBER, AT(distance), .unit = "m", .range = DOC_POSITIVE,
     .help = "of cost_of_transport"},
    {"pose", DOC_TYPE_POSE, 0, .read = read_quantity_take_pose, .help = "of frame_rotation"},
    {0},
};
const doc_schema problem_objective_schema = {"objective", NULL, objective_keys, NULL};
#undef AT

// ---- the quantity

#define QUANTITY(name, kind, components)                                                           \
    {                                                                                              \
        name, ARNE_QUANTITY_##kind, NULL, components, NULL                                         \
    }
const doc_word problem_quantity_words[] = {
    QUANTITY("position", POSITION, NULL),
    QUANTITY("velocity", VELOCITY, NULL),
    QUANTITY("acceleration", ACCELERATION, NULL),
    QUANTITY("jerk", JERK, NULL),
    QUANTITY("torque", TORQUE, NULL),
    QUANTITY("torque_vector", TORQUE_VECTOR, NULL),
    QUANTITY("torque_rate", TORQUE_RATE, NULL),
    QUANTITY("power", POWER, NULL),
    QUANTITY("deviation", DEVIATION, NULL),
    QUANTITY("wrench", WRENCH, "fx fy fz mx my mz force moment"),
    QUANTITY("frame_position", FRAME_POSITION, "x y z"),
    QUANTITY("frame_rotation", FRAME_ROTATION, "x y z"),
    QUANTITY("frame_velocity", FRAME_VELOCITY, "x y z wx wy wz"),
    QUANTITY("height", HEIGHT, ""),
    QUANTITY("distance", DISTANCE, ""),
    QUANTITY("com", COM, "x y z"),
    QUANTITY("zmp", ZMP, "x y z"),
    QUANTITY("zmp_inside", ZMP_INSIDE, ""),
    QUANTITY("contact_force", CONTACT_FORCE, "x y z"),
    QUANTITY("com_velocity", COM_VELOCITY, "x y z"),
    QUANTITY("momentum", MOMENTUM, "px py pz lx ly lz"),
    QUANTITY("mechanical_power", MECHANICAL_POWER, ""),
    QUANTITY("utilisation", UTILISATION, NULL),
    QUANTITY("activation", ACTIVATION, ""),
    QUANTITY("metabolic_power", METABOLIC_POWER, ""),
    {"time", PROBLEM_TIME, NULL, NULL, "objective: the duration"},
    {"energy", PROBLEM_ENERGY, NULL, NULL, "objective: the sum of |power|"},
    {"cost_of_transport", PROBLEM_TRANSPORT, NULL, NULL,
     "objective: energy over weight times distance"},
    {"frame_pose", PROBLEM_FRAME_POSE, NULL, NULL, "constraint: position and rotation"},
    {0},
};

const doc_word *problem_word(int value)
{
    for (const doc_word *w = problem_quantity_words; w->name; w++)
        if (w->value == value) return w;
    return NULL;
}

static arne_status fail_here(const problem *p, const doc_slot *entry, arne_status code,
                             const char *what, const char *name)
{
    return arne_reader_fail_at(&p->r, code, entry->value->line, entry->value->column,
                               "%s: %s '%.80s'", entry->owner, what, name);
}

static arne_status quantity_find_frame(const problem *p, const doc_slot *entry, const char *key,
                                       const char *name, int *out)
{
    if (!name) return doc_missing(entry, key);
    *out = strcmp(name, "world") == 0 && arne_find_frame(p->robot, name) < 0
               ? -1
               : arne_find_frame(p->robot, name);
    if (*out >= 0 || (strcmp(key, "other_frame") == 0 && strcmp(name, "world") == 0))
        return ARNE_OK;
    return fail_here(p, entry, ARNE_NOT_FOUND, "there is no frame or link", name);
}

static arne_status read_corners(const problem *p, const doc_slot *entry, const doc_node *node,
                                arne_vec3 **out, int *count)
{
    const doc_slot slot = {entry->reader, entry->owner, "corners", node};
    if (!node) return doc_missing(entry, "corners");
    arne_status status = doc_expect(&slot, DOC_LIST);
    if (status) return status;
    *out = calloc((size_t)node->count + 1, sizeof **out);
    if (!*out) return arne_fail_memory(p->r.error);
    *count = 0;
    for (const doc_item *i = node->first; i && !status; i = i->next) {
        const doc_slot corner = {entry->reader, entry->owner, "corners", i->value};
        status = doc_vec3(&corner, &(*out)[(*count)++]);
    }
    return status;
}

// A reference: values for coordinates, or a table with columns q.JOINT over time, stretched over
// the motion.
static arne_status read_reference_file(const problem *p, const doc_slot *entry, const char *name,
                                       double **out, int *count)
{
    const int   n = p->plan->problem.v_count;
    char       *path = problem_path(p, name);
    arne_table *table = NULL;
    if (!path) return arne_fail_memory(p->r.error);
    arne_status status = doc_check(
        entry, kept_files_table(p->given ? p->given->files : NULL, path, &table, p->r.error));
    free(path);
    *count = status ? 0 : arne_table_rows(table);
    if (!status && *count < 1)
        status = fail_here(p, entry, ARNE_VALUE, "there are no rows in", name);
    *out = status ? NULL : calloc((size_t)(*count * n), sizeof **out);
    if (!status && !*out) status = arne_fail_memory(p->r.error);
    int *column = status ? NULL : malloc(((size_t)n + 1) * sizeof *column);
    if (!status && !column) status = arne_fail_memory(p->r.error);
    if (!status) // planned robots have joints of one coordinate
        status = doc_check(entry, arne_columns_find(p->robot, table, "q", column, p->r.error));
    for (int k = 0; !status && k < n; k++)
        for (int r = 0; column[k] >= 0 && r < *count; r++)
            (*out)[r * n + k] = arne_table_row(table, r)[column[k]];
    free(column);
    arne_table_free(table);
    return status;
}

static arne_status quantity_read_reference(const problem *p, const doc_slot *entry,
                                           const doc_node *node, double **out, int *count)
{
    const doc_slot slot = {entry->reader, entry->owner, "reference", node};
    const int      n = p->plan->problem.v_count;
    if (!node) return doc_missing(entry, "reference");
    double ignored;
    if (node->kind == DOC_TEXT && arne_parse_number(node->text, &ignored) != ARNE_OK)
        return read_reference_file(p, entry, node->text, out, count);
    unsigned char *given = calloc((size_t)n, 1);
    *out = calloc((size_t)n, sizeof **out);
    *count = 1;
    const arne_status status = given && *out ? doc_values(&slot, p->robot, DOC_ALONG_V, *out, given)
                                             : arne_fail_memory(p->r.error);
    free(given);
    return status;
}

arne_status problem_normal(const doc_slot *entry, const arne_vec3 *normal)
{
    const doc_slot slot = doc_under(entry, "plane_normal");
    if (!slot.value || normal->x != 0 || normal->y != 0 || normal->z != 0) return ARNE_OK;
    return doc_fail(&slot, ARNE_VALUE, "must not be zero");
}

static arne_status fill_what(problem *p, const doc_slot *entry, const ask *a, arne_quantity *what)
{
    const arne_quantity_kind kind = what->kind;
    arne_status              status = problem_normal(entry, &a->plane_normal);
    what->point = a->point;
    what->other_point = a->other_point;
    what->target = a->pose;
    what->plane_point = a->plane_point;
    what->plane_normal = a->plane_normal;
    if (kind == ARNE_QUANTITY_WRENCH) {
        what->joint = a->joint ? arne_find_joint(p->robot, a->joint) : -1;
        if (what->joint < 0)
            status =
                fail_here(p, entry, ARNE_NOT_FOUND, "there is no joint", a->joint ? a->joint : "");
    }
    if (kind == ARNE_QUANTITY_CONTACT_FORCE) {
        what->joint = -1;
        for (int i = 0; a->contact && i < p->plan->problem.touch_count; i++)
            if (strcmp(p->plan->problem.touches[i].name, a->contact) == 0) what->joint = i;
        if (p->is_draft && a->contact && problem_may_touch(p, a->contact))
            what->kind = ARNE_QUANTITY_COM; // with as many rows
        else if (what->joint < 0)
            status = fail_here(p, entry, ARNE_NOT_FOUND, "there is no contact",
                               a->contact ? a->contact : "");
    }
    if (plan_kind_of((int)kind)->flags & KIND_OF_FRAME)
        status = quantity_find_frame(p, entry, "frame", a->frame, &what->frame);
    if (!status && kind == ARNE_QUANTITY_DISTANCE)
        status = quantity_find_frame(p, entry, "other_frame", a->other_frame, &what->other_frame);
    if (!status && kind == ARNE_QUANTITY_ZMP_INSIDE)
        status =
            read_corners(p, entry, a->corners, (arne_vec3 **)&what->corners, &what->corner_count);
    if (!status && kind == ARNE_QUANTITY_DEVIATION)
        status = quantity_read_reference(p, entry, a->reference, (double **)&what->reference,
                                         &what->reference_count);
    return status;
}

// The row of a component; -1: there is none of this name.
static int component_row(const char *components, const char *name)
{
    char copy[64], *rest = NULL;
    int  row = 0;
    snprintf(copy, sizeof copy, "%s", components);
    for (char *at = strtok_r(copy, " ", &rest); at; at = strtok_r(NULL, " ", &rest), row++)
        if (strcmp(at, name) == 0) return row;
    return -1;
}

static arne_status choose_rows(const problem *p, const doc_slot *entry, const ask *a,
                               const doc_word *w, asked *out)
{
    const char *components = w->row;
    const int   rows = p->plan->problem.quantities[out->quantity].rows;
    out->rows = malloc((size_t)(rows > 8 ? rows : 8) * sizeof *out->rows);
    if (!out->rows) return arne_fail_memory(p->r.error);
    if (!components) {
        const doc_node all = {.kind = DOC_TEXT, .text = "all", .line = entry->value->line};
        const doc_slot slot = {entry->reader, entry->owner, "joints", a->joints ? a->joints : &all};
        const arne_status status = problem_coordinates(p, &slot, out->rows, &out->row_count);
        return status || out->row_count ? status
                                        : doc_fail(&slot, ARNE_VALUE, "names no joint that moves");
    }
    if (w->value == ARNE_QUANTITY_ACTIVATION && a->muscles) {
        const doc_slot slot = {entry->reader, entry->owner, "muscles", a->muscles};
        return problem_muscles(p, &slot, out->rows, &out->row_count);
    }
    if (a->component) {
        out->row_count = 1;
        out->rows[0] = component_row(components, a->component);
        return out->rows[0] >= 0
                   ? ARNE_OK
                   : fail_here(p, entry, ARNE_VALUE, "there is no component", a->component);
    }
    // Of velocities the linear ones; of wrenches the components without their lengths.
    out->row_count = w->value == ARNE_QUANTITY_FRAME_VELOCITY ? 3
                     : w->value == ARNE_QUANTITY_WRENCH       ? 6
                                                              : rows;
    for (int i = 0; i < out->row_count; i++)
        out->rows[i] = i;
    return ARNE_OK;
}

arne_status problem_quantity(problem *p, const doc_slot *entry, const ask *a, asked *out)
{
    const doc_word *w = a->quantity;
    arne_quantity   what = {.frame = -1, .other_frame = -1};
    memset(out, 0, sizeof *out);
    if (!w) return doc_missing(entry, "quantity");
    if (w->value < 0)
        return fail_here(p, entry, ARNE_VALUE, "this is no place for the quantity", w->name);
    what.kind = out->kind = (arne_quantity_kind)w->value;
    arne_status status = fill_what(p, entry, a, &what);
    if (!status)
        status =
            doc_check(entry, arne_plan_add_quantity(p->plan, &what, &out->quantity, p->r.error));
    free((void *)(size_t)what.corners);
    free((void *)(size_t)what.reference);
    return status ? status : choose_rows(p, entry, a, w, out);
}

arne_status problem_row_values(const problem *p, const doc_slot *entry, const char *key,
                               const doc_node *value, const asked *q, double *out)
{
    const doc_slot slot = {entry->reader, entry->key, key, value};
    if (value->kind == DOC_LIST) return doc_numbers(&slot, q->row_count, out);
    if (value->kind == DOC_TEXT) {
        double            one = 0;
        const arne_status status = doc_number(&slot, &one);
        for (int i = 0; !status && i < q->row_count; i++)
            out[i] = one;
        return status;
    }
    if (!(plan_kind_of((int)q->kind)->flags & KIND_BY_COORDINATE))
        return doc_expect(&slot, DOC_LIST);
    double        *all = calloc((size_t)p->plan->problem.v_count, sizeof *all);
    unsigned char *given = calloc((size_t)p->plan->problem.v_count, 1);
    arne_status    status = all && given ? doc_values(&slot, p->robot, DOC_ALONG_V, all, given)
                                         : arne_fail_memory(p->r.error);
    for (int i = 0; !status && i < q->row_count; i++)
        if (given[q->rows[i]]) out[i] = all[q->rows[i]];
    free(all);
    free(given);
    return status;
}
