// Entries of a problem file that name a quantity.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "base/error.h"
#include "plan/read/read_problem.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- coordinates by name

// Marks the coordinates of a joint, of a chain of joints, or of a motor on a spring; their number.
static int mark(const arne_robot *robot, const char *name, unsigned char *marked)
{
    const arne_sizes size = arne_robot_sizes(robot);
    const size_t     length = strlen(name);
    int              count = 0;
    for (int i = 0; i < size.joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        const int             whole = !strcmp(j.name, name);
        const int             part = !strncmp(j.name, name, length) && j.name[length] == '.' &&
                         !strchr(j.name + length + 1, '.');
        if (j.v_count != 1 || !(whole || part)) continue;
        marked[j.v_start] = 1;
        count++;
    }
    for (int i = 0; i < size.motor_count; i++) {
        const arne_motor_info m = arne_robot_motor(robot, i);
        char                  theta[320];
        snprintf(theta, sizeof theta, "theta.%.250s", arne_robot_joint(robot, m.joint).name);
        if (m.v_index < 0 || strcmp(theta, name) != 0) continue;
        marked[m.v_index] = 1;
        count++;
    }
    return count;
}

static arne_status mark_named(const problem *p, const yaml_slot *slot, const char *name,
                              unsigned char *marked)
{
    if (mark(p->robot, name, marked)) return ARNE_OK;
    return arne_reader_fail(&p->r, ARNE_NOT_FOUND, slot->value->line,
                            "%s%s%s: there is no joint '%.80s'", slot->owner,
                            *slot->owner ? ": " : "", slot->key, name);
}

arne_status problem_coordinates(const problem *p, const yaml_slot *slot, int *rows, int *count)
{
    const int      n = p->plan->v_count;
    unsigned char *marked = calloc((size_t)n, 1);
    arne_status    status = marked ? ARNE_OK : arne_fail_memory(p->r.error);
    if (!status && slot->value->kind == YAML_TEXT) {
        if (strcmp(slot->value->text, "all") == 0)
            memset(marked, 1, (size_t)n);
        else
            status = mark_named(p, slot, slot->value->text, marked);
    } else if (!status) {
        status = arne_yaml_expect(slot, YAML_LIST);
        for (const yaml_item *i = status ? NULL : slot->value->first; i && !status; i = i->next) {
            const yaml_slot entry = {slot->reader, slot->owner, slot->key, i->value};
            const char     *name = NULL;
            status = arne_yaml_text(&entry, &name);
            if (!status) status = mark_named(p, &entry, name, marked);
        }
    }
    *count = 0;
    for (int k = 0; !status && k < n; k++)
        if (marked[k]) rows[(*count)++] = k;
    free(marked);
    return status;
}

static arne_status values_by_name(const problem *p, const yaml_slot *slot, double *out,
                                  unsigned char *given)
{
    const int      n = p->plan->v_count;
    unsigned char *marked = calloc((size_t)n, 1);
    arne_status    status = marked ? ARNE_OK : arne_fail_memory(p->r.error);
    for (const yaml_item *i = slot->value->first; i && !status; i = i->next) {
        const yaml_slot entry = {slot->reader, slot->key, i->key, i->value};
        double          value = 0;
        memset(marked, 0, (size_t)n);
        status = mark_named(p, &entry, i->key, marked);
        if (!status) status = arne_yaml_number(&entry, &value);
        for (int k = 0; !status && k < n; k++)
            if (marked[k]) {
                out[k] = value;
                given[k] = 1;
            }
    }
    free(marked);
    return status;
}

arne_status problem_values(const problem *p, const yaml_slot *slot, double *out,
                           unsigned char *given)
{
    const int n = p->plan->v_count;
    if (slot->value->kind == YAML_MAP) return values_by_name(p, slot, out, given);
    double      one = 0;
    arne_status status = slot->value->kind == YAML_LIST ? arne_yaml_numbers(slot, n, out)
                                                        : arne_yaml_number(slot, &one);
    for (int k = 0; !status && k < n; k++) {
        if (slot->value->kind == YAML_TEXT) out[k] = one;
        given[k] = 1;
    }
    return status;
}

// ---- an entry

static arne_status take_node(const yaml_slot *slot, void *node)
{
    *(const yaml_node **)node = slot->value;
    return ARNE_OK;
}

static arne_status take_shape(const yaml_slot *slot, void *shape)
{
    static const char *const words[] = {"square", "plain", "absolute", NULL};
    return arne_yaml_choice(slot, words, shape);
}

static arne_status take_pose(const yaml_slot *slot, void *into)
{
    ask *a = into; // the field stands first in no struct: the whole entry is given
    a->has_pose = 1;
    return arne_yaml_pose(slot, &a->pose);
}

ask problem_ask(void)
{
    const ask a = {.within = 0,
                   .from = 0,
                   .to = 1,
                   .factor = 1,
                   .weight = 1,
                   .shape = -1,
                   .pose = arne_joint_spec_default().origin};
    return a;
}

#define ASK(key, read)                                                                             \
    {                                                                                              \
#key, read, offsetof(ask, key)                                                             \
    }
static const yaml_field ask_fields[] = {
    ASK(quantity, arne_yaml_text),
    ASK(name, arne_yaml_text),
    ASK(frame, arne_yaml_text),
    ASK(other_frame, arne_yaml_text),
    ASK(joint, arne_yaml_text),
    ASK(component, arne_yaml_text),
    ASK(joints, take_node),
    ASK(lower, take_node),
    ASK(upper, take_node),
    ASK(equal, take_node),
    ASK(at, take_node),
    ASK(corners, take_node),
    ASK(reference, take_node),
    ASK(same_as, take_node),
    ASK(pairs, take_node),
    ASK(symmetry, take_node),
    ASK(periodic, take_node),
    ASK(offset, take_node),
    ASK(limits, take_node),
    ASK(normalised, take_node),
    ASK(within, arne_yaml_number),
    ASK(from, arne_yaml_number),
    ASK(to, arne_yaml_number),
    ASK(factor, arne_yaml_number),
    ASK(weight, arne_yaml_number),
    ASK(smooth, arne_yaml_number),
    ASK(point, arne_yaml_vec3),
    ASK(other_point, arne_yaml_vec3),
    ASK(plane_point, arne_yaml_vec3),
    ASK(plane_normal, arne_yaml_vec3),
    ASK(shape, take_shape),
    {"pose", take_pose, 0},
    YAML_FIELDS_END,
};
#undef ASK

arne_status problem_read_ask(const problem *p, const yaml_slot *entry, ask *out)
{
    (void)p;
    return arne_yaml_fields(entry, ask_fields, out);
}

// ---- the quantity

typedef struct word {
    const char        *name;
    arne_quantity_kind kind;
    const char        *components; // of its rows, where they are no coordinates
} word;

static const word words[] = {
    {"position", ARNE_QUANTITY_POSITION, NULL},
    {"velocity", ARNE_QUANTITY_VELOCITY, NULL},
    {"acceleration", ARNE_QUANTITY_ACCELERATION, NULL},
    {"jerk", ARNE_QUANTITY_JERK, NULL},
    {"torque", ARNE_QUANTITY_TORQUE, NULL},
    {"torque_rate", ARNE_QUANTITY_TORQUE_RATE, NULL},
    {"power", ARNE_QUANTITY_POWER, NULL},
    {"deviation", ARNE_QUANTITY_DEVIATION, NULL},
    {"wrench", ARNE_QUANTITY_WRENCH, "fx fy fz mx my mz force moment"},
    {"frame_position", ARNE_QUANTITY_FRAME_POSITION, "x y z"},
    {"frame_rotation", ARNE_QUANTITY_FRAME_ROTATION, "x y z"},
    {"frame_velocity", ARNE_QUANTITY_FRAME_VELOCITY, "x y z wx wy wz"},
    {"height", ARNE_QUANTITY_HEIGHT, ""},
    {"distance", ARNE_QUANTITY_DISTANCE, ""},
    {"com", ARNE_QUANTITY_COM, "x y z"},
    {"zmp", ARNE_QUANTITY_ZMP, "x y z"},
    {"zmp_inside", ARNE_QUANTITY_ZMP_INSIDE, ""},
};
enum { WORD_COUNT = sizeof words / sizeof words[0] };

static arne_status fail_here(const problem *p, const yaml_slot *entry, arne_status code,
                             const char *what, const char *name)
{
    return arne_reader_fail(&p->r, code, entry->value->line, "%s: %s '%.80s'", entry->key, what,
                            name);
}

static const word *find_word(const char *name)
{
    for (int i = 0; name && i < WORD_COUNT; i++)
        if (strcmp(words[i].name, name) == 0) return &words[i];
    return NULL;
}

static arne_status find_frame(const problem *p, const yaml_slot *entry, const char *key,
                              const char *name, int *out)
{
    if (!name)
        return arne_reader_fail(&p->r, ARNE_VALUE, entry->value->line, "%s: a %s is missing",
                                entry->key, key);
    *out = strcmp(name, "world") == 0 && arne_find_frame(p->robot, name) < 0
               ? -1
               : arne_find_frame(p->robot, name);
    if (*out >= 0 || (strcmp(key, "other_frame") == 0 && strcmp(name, "world") == 0))
        return ARNE_OK;
    return fail_here(p, entry, ARNE_NOT_FOUND, "there is no frame or link", name);
}

static arne_status read_corners(const problem *p, const yaml_slot *entry, const yaml_node *node,
                                arne_vec3 **out, int *count)
{
    const yaml_slot slot = {entry->reader, entry->key, "corners", node};
    if (!node)
        return arne_reader_fail(&p->r, ARNE_VALUE, entry->value->line, "%s: corners are missing",
                                entry->key);
    arne_status status = arne_yaml_expect(&slot, YAML_LIST);
    if (status) return status;
    *out = calloc((size_t)node->count + 1, sizeof **out);
    if (!*out) return arne_fail_memory(p->r.error);
    *count = 0;
    for (const yaml_item *i = node->first; i && !status; i = i->next) {
        const yaml_slot corner = {entry->reader, entry->key, "corners", i->value};
        status = arne_yaml_vec3(&corner, &(*out)[(*count)++]);
    }
    return status;
}

// A reference: values for coordinates, or a table with columns q.JOINT over time, stretched over the motion.
static arne_status read_reference_file(const problem *p, const yaml_slot *entry, const char *name,
                                       double **out, int *count)
{
    const int   n = p->plan->v_count;
    char       *path = problem_path(p, name);
    arne_table *table = NULL;
    if (!path) return arne_fail_memory(p->r.error);
    arne_status status = arne_table_read_csv(path, &table, p->r.error);
    free(path);
    *count = status ? 0 : arne_table_rows(table);
    if (!status && *count < 1)
        status = fail_here(p, entry, ARNE_VALUE, "there are no rows in", name);
    *out = status ? NULL : calloc((size_t)(*count * n), sizeof **out);
    if (!status && !*out) status = arne_fail_memory(p->r.error);
    for (int c = 0; !status && c < arne_table_columns(table); c++) {
        const char    *column = arne_table_name(table, c);
        unsigned char *marked = calloc((size_t)n, 1);
        if (marked && strncmp(column, "q.", 2) == 0 && mark(p->robot, column + 2, marked) == 1)
            for (int k = 0; k < n; k++)
                for (int r = 0; marked[k] && r < *count; r++)
                    (*out)[r * n + k] = arne_table_row(table, r)[c];
        free(marked);
    }
    arne_table_free(table);
    return status;
}

static arne_status read_reference(const problem *p, const yaml_slot *entry, const yaml_node *node,
                                  double **out, int *count)
{
    const yaml_slot slot = {entry->reader, entry->key, "reference", node};
    const int       n = p->plan->v_count;
    if (!node)
        return arne_reader_fail(&p->r, ARNE_VALUE, entry->value->line, "%s: a reference is missing",
                                entry->key);
    double ignored;
    if (node->kind == YAML_TEXT && arne_parse_number(node->text, &ignored) != ARNE_OK)
        return read_reference_file(p, entry, node->text, out, count);
    unsigned char *given = calloc((size_t)n, 1);
    *out = calloc((size_t)n, sizeof **out);
    *count = 1;
    const arne_status status =
        given && *out ? problem_values(p, &slot, *out, given) : arne_fail_memory(p->r.error);
    free(given);
    return status;
}

static arne_status fill_what(problem *p, const yaml_slot *entry, const ask *a, arne_quantity *what)
{
    const arne_quantity_kind kind = what->kind;
    arne_status              status = ARNE_OK;
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
    if (kind >= ARNE_QUANTITY_FRAME_POSITION && kind <= ARNE_QUANTITY_DISTANCE)
        status = find_frame(p, entry, "frame", a->frame, &what->frame);
    if (!status && kind == ARNE_QUANTITY_DISTANCE)
        status = find_frame(p, entry, "other_frame", a->other_frame, &what->other_frame);
    if (!status && kind == ARNE_QUANTITY_ZMP_INSIDE)
        status =
            read_corners(p, entry, a->corners, (arne_vec3 **)&what->corners, &what->corner_count);
    if (!status && kind == ARNE_QUANTITY_DEVIATION)
        status = read_reference(p, entry, a->reference, (double **)&what->reference,
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

static arne_status choose_rows(const problem *p, const yaml_slot *entry, const ask *a,
                               const word *w, asked *out)
{
    const int rows = p->plan->quantities[out->quantity].rows;
    out->rows = malloc((size_t)(rows > 8 ? rows : 8) * sizeof *out->rows);
    if (!out->rows) return arne_fail_memory(p->r.error);
    if (!w->components) {
        const yaml_node all = {.kind = YAML_TEXT, .text = "all", .line = entry->value->line};
        const yaml_slot slot = {entry->reader, entry->key, "joints", a->joints ? a->joints : &all};
        return problem_coordinates(p, &slot, out->rows, &out->row_count);
    }
    if (a->component) {
        out->row_count = 1;
        out->rows[0] = component_row(w->components, a->component);
        return out->rows[0] >= 0
                   ? ARNE_OK
                   : fail_here(p, entry, ARNE_VALUE, "there is no component", a->component);
    }
    // Of velocities the linear ones; of wrenches the components without their lengths.
    out->row_count = w->kind == ARNE_QUANTITY_FRAME_VELOCITY ? 3
                     : w->kind == ARNE_QUANTITY_WRENCH       ? 6
                                                             : rows;
    for (int i = 0; i < out->row_count; i++)
        out->rows[i] = i;
    return ARNE_OK;
}

arne_status problem_quantity(problem *p, const yaml_slot *entry, const ask *a, asked *out)
{
    const word   *w = find_word(a->quantity);
    arne_quantity what = {.frame = -1, .other_frame = -1};
    memset(out, 0, sizeof *out);
    if (!a->quantity)
        return arne_reader_fail(&p->r, ARNE_VALUE, entry->value->line, "%s: a quantity is missing",
                                entry->key);
    if (!w) return fail_here(p, entry, ARNE_NOT_FOUND, "there is no quantity", a->quantity);
    what.kind = out->kind = w->kind;
    arne_status status = fill_what(p, entry, a, &what);
    if (!status)
        status = arne_reader_check(
            &p->r, arne_plan_add_quantity(p->plan, &what, &out->quantity, p->r.error),
            entry->value->line);
    free((void *)(size_t)what.corners);
    free((void *)(size_t)what.reference);
    return status ? status : choose_rows(p, entry, a, w, out);
}

arne_status problem_row_values(const problem *p, const yaml_slot *entry, const char *key,
                               const yaml_node *value, const asked *q, double *out)
{
    const yaml_slot slot = {entry->reader, entry->key, key, value};
    if (value->kind == YAML_LIST) return arne_yaml_numbers(&slot, q->row_count, out);
    if (value->kind == YAML_TEXT) {
        double            one = 0;
        const arne_status status = arne_yaml_number(&slot, &one);
        for (int i = 0; !status && i < q->row_count; i++)
            out[i] = one;
        return status;
    }
    if (q->kind > ARNE_QUANTITY_POWER) return arne_yaml_expect(&slot, YAML_LIST);
    double        *all = calloc((size_t)p->plan->v_count, sizeof *all);
    unsigned char *given = calloc((size_t)p->plan->v_count, 1);
    arne_status    status =
        all && given ? problem_values(p, &slot, all, given) : arne_fail_memory(p->r.error);
    for (int i = 0; !status && i < q->row_count; i++)
        if (given[q->rows[i]]) out[i] = all[q->rows[i]];
    free(all);
    free(given);
    return status;
}
