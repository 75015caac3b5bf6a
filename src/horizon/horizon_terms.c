// Objectives and constraints of a problem of optimal control, as terms of a solver.
//
// An objective is weight times the integral of a sum of squares, as in other problems; terms have
// halves of squares.
#include "base/error.h"
#include "horizon/horizon_entry.h"
#include "io/run_folder.h"
#include "motion/motion_columns.h"
#include <arne/configuration.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const term_kind POSITION = {ARNE_OC_STATE, BY_COORDINATE, 0, 0, 1, {0}},
                       VELOCITY = {ARNE_OC_STATE, BY_COORDINATE, 0, 1, 1, {0}},
                       TORQUE = {ARNE_OC_CONTROL, BY_CONTROL, 0, 0, 0, {0}},
                       TORQUE_RATE = {ARNE_OC_RATE, BY_CONTROL, 0, 0, 0, {0}},
                       PLACE = {ARNE_OC_POSITION, 3, 12, 0, 1, {"x", "y", "z"}},
                       POSE = {ARNE_OC_POSE, 6, 12, 0, 1, {0}},
                       TWIST = {ARNE_OC_VELOCITY, 6, 6, 0, 1, {0}},
                       COM = {ARNE_OC_COM, 3, 3, 0, 1, {"x", "y", "z"}},
                       MOMENTUM = {ARNE_OC_MOMENTUM, 6, 6, 0, 1, {0}},
                       WRENCH = {ARNE_OC_WRENCH, 6, 6, 0, 0, {0}},
                       FORCE = {ARNE_OC_FORCE, 3, 3, 0, 0, {0}};

static const doc_word quantity_words[] = {
    {"position", 0, NULL, &POSITION, "of coordinates"},
    {"deviation", 0, NULL, &POSITION, "position less its reference"},
    {"velocity", 0, NULL, &VELOCITY, "of coordinates"},
    {"torque", 0, NULL, &TORQUE, "of the drives"},
    {"torque_rate", 0, NULL, &TORQUE_RATE, "of the drives"},
    {"frame_position", 0, NULL, &PLACE, "of a frame's origin, less its reference"},
    {"frame_pose", 0, NULL, &POSE, "the logarithm of the pose in `pose`"},
    {"frame_velocity", 0, NULL, &TWIST, "linear and angular, in the world's axes"},
    {"com", 0, NULL, &COM, "the centre of mass, less its reference"},
    {"momentum", 0, NULL, &MOMENTUM, "linear, and angular about the centre of mass"},
    {"wrench", 0, NULL, &WRENCH, "that a joint transmits"},
    {"contact_force", 0, NULL, &FORCE, "on a frame that stands, in the world's axes"},
    {0},
};

static arne_status take_quantity(const doc_slot *slot, void *quantity)
{
    return doc_choice(slot, quantity_words, quantity);
}

static arne_status take_pose(const doc_slot *slot, void *into)
{
    entry *e = into;
    e->has_pose = 1;
    return doc_pose(slot, &e->pose);
}

#define AT(field) offsetof(entry, field)
#define ENTRY_KEYS                                                                                 \
    {"quantity",                                                                                   \
     DOC_TYPE_WORD,                                                                                \
     AT(quantity),                                                                                 \
     .needed = 1,                                                                                  \
     .words = quantity_words,                                                                      \
     .read = take_quantity,                                                                        \
     .help = "the quantity"},                                                                      \
        {"joints",           DOC_TYPE_NODE,                                                        \
         AT(joints),         .takes = "all, a joint, or a list",                                   \
         .otherwise = "all", .help = "joints whose rows are used; default: all"},                  \
        {"joint", DOC_TYPE_TEXT, AT(joint), .help = "of a wrench"},                                \
        {"frame", DOC_TYPE_TEXT, AT(frame), .help = "a link or frame"},                            \
        {"pose", DOC_TYPE_POSE, 0, .read = take_pose, .help = "of frame_pose"},                    \
        {"reference", DOC_TYPE_NODE, AT(reference),                                                \
         .takes = "values by joint, a list for the rows, a CSV file; of torque: gravity",          \
         .help = "what is subtracted"},                                                            \
        {"from",           DOC_TYPE_NUMBER,                                                        \
         AT(from),         .range = DOC_PART,                                                      \
         .otherwise = "0", .help = "part of the horizon"},                                         \
        {"to", DOC_TYPE_NUMBER, AT(to), .range = DOC_PART, .otherwise = "1"},                      \
    {                                                                                              \
        "at", DOC_TYPE_NODE, AT(at), .takes = "end", .help = "default: the whole motion"           \
    }

static const doc_key objective_keys[] = {
    ENTRY_KEYS,
    {"weight", DOC_TYPE_NUMBER, AT(weight), .range = DOC_NOT_NEGATIVE, .otherwise = "1"},
    {"weights", DOC_TYPE_NODE, AT(weights), .takes = "a list for the rows, or by joint",
     .help = "times weight, of each row; default: 1"},
    {0},
};
const doc_schema horizon_objective_schema = {"objective", NULL, objective_keys, NULL};

static const doc_key constraint_keys[] = {
    ENTRY_KEYS,
    {"lower", DOC_TYPE_NODE, AT(lower), .takes = "a number, a list, or by joint"},
    {"upper", DOC_TYPE_NODE, AT(upper), .takes = "a number, a list, or by joint"},
    {"equal", DOC_TYPE_NODE, AT(equal), .takes = "a number, a list, or by joint"},
    {"limits", DOC_TYPE_FLAG, AT(limits), .otherwise = "no", .help = "those of the robot's file"},
    {0},
};
#undef AT
const doc_schema horizon_constraint_schema = {"constraint", NULL, constraint_keys, NULL};

// ---- rows

int entry_rows(const arne_horizon *h, const term_kind *k)
{
    return k->rows == BY_COORDINATE ? 2 * h->size.v_count
           : k->rows == BY_CONTROL  ? h->control_count
                                    : k->rows;
}

// The row of a coordinate, -1 where it has none.
int entry_row(const arne_horizon *h, const term_kind *k, int coordinate)
{
    if (k->rows == BY_COORDINATE) return coordinate + (k->velocity ? h->size.v_count : 0);
    for (int i = 0; i < h->control_count; i++)
        if (h->drives[i] == coordinate) return i;
    return -1;
}

// Marks the coordinates that `joints` names.
static arne_status mark_joints(const arne_horizon *h, const doc_slot *slot, unsigned char *marked)
{
    arne_status status = ARNE_OK;
    if (!slot->value || (slot->value->kind == DOC_TEXT && !strcmp(slot->value->text, "all"))) {
        memset(marked, 1, (size_t)h->size.v_count);
        return ARNE_OK;
    }
    const doc_item only = {.value = (doc_node *)(uintptr_t)slot->value};
    for (const doc_item *i = slot->value->kind == DOC_LIST ? slot->value->first : &only; i;
         i = i->next) {
        const doc_slot        item = {slot->reader, slot->owner, slot->key, i->value};
        const char           *name = NULL;
        arne_status           one = doc_text(&item, &name);
        const int             joint = one ? -1 : arne_find_joint(h->robot, name);
        const arne_joint_info j =
            joint >= 0 ? arne_robot_joint(h->robot, joint) : (arne_joint_info){0};
        if (j.v_count > 1)
            memset(marked + j.v_start, 1, (size_t)j.v_count);
        else if (!one && !doc_mark_coordinates(h->robot, name, marked))
            one =
                doc_fail(&item, ARNE_NOT_FOUND, "names joint '%.80s', which does not exist", name);
        status = status_both(status, one);
    }
    return status;
}

// Numbers for the rows: one for all, a list, or by joint. out has a number of every row.
arne_status entry_numbers(const arne_horizon *h, const doc_slot *slot, const term_kind *k,
                          const unsigned char *marked, double *out)
{
    const int   n = h->size.v_count;
    double     *values = calloc((size_t)n + 6, sizeof *values);
    arne_status status = values ? ARNE_OK : arne_fail_memory(slot->reader->error);
    if (!status && k->rows > 0 && slot->value->kind == DOC_TEXT) {
        status = doc_number(slot, out);
        for (int i = 1; i < k->rows; i++)
            out[i] = out[0];
    } else if (!status && k->rows > 0)
        status = doc_numbers(slot, k->rows, out);
    else if (!status) {
        unsigned char *given = calloc((size_t)n + 1, 1);
        status = given ? doc_values(slot, h->robot, DOC_ALONG_V, values, given)
                       : arne_fail_memory(slot->reader->error);
        for (int i = 0; i < n && !status; i++) {
            const int row = entry_row(h, k, i);
            if (marked[i] && given[i] && row >= 0) out[row] = values[i];
        }
        free(given);
    }
    free(values);
    return status;
}

// ---- references

static int is_table(const doc_node *node)
{
    const size_t length = node->kind == DOC_TEXT ? strlen(node->text) : 0;
    return length > 4 && strcmp(node->text + length - 4, ".csv") == 0;
}

static arne_status find_columns(const arne_horizon *h, const doc_slot *slot, const term_kind *k,
                                const arne_table *table, int *column)
{
    arne_status status = arne_columns_time(table, 1, slot->reader->error);
    if (status) return doc_check(slot, status);
    if (k->rows == BY_COORDINATE) {
        status = arne_columns_find(h->robot, table, "q", column, slot->reader->error);
        for (int i = 0; i < h->size.joint_count && !status; i++) {
            const arne_joint_info j = arne_robot_joint(h->robot, i);
            if (j.q_count > 1 && column[j.q_start] >= 0)
                return doc_fail(slot, ARNE_UNSUPPORTED,
                                "has joint '%.80s' with several coordinates", j.name);
        }
        return doc_check(slot, status);
    }
    for (int i = 0; i < 3; i++) {
        const int at = k->quantity == ARNE_OC_POSITION ? 9 + i : i;
        column[at] = arne_table_find(table, k->columns[i]);
        if (column[at] < 0)
            return doc_fail(slot, ARNE_NOT_FOUND, "has no column '%s'", k->columns[i]);
    }
    return ARNE_OK;
}

static arne_status read_target(arne_horizon *h, const doc_slot *slot, const term_kind *k, int size,
                               arne_oc_term *t, const double *rest)
{
    if (k->rows != BY_COORDINATE && !k->columns[0])
        return doc_fail(slot, ARNE_UNSUPPORTED, "cannot be a file for this quantity");
    horizon_target *to = &h->targets[h->target_count++];
    to->node = slot->value;
    to->path = arne_path_beside(h->r.file, slot->value->text);
    arne_status status = to->path ? ARNE_OK : arne_fail_memory(slot->reader->error);
    if (!status)
        status = doc_check(slot, arne_table_read_csv(to->path, &to->table, slot->reader->error));
    if (status) return status;
    to->size = size;
    to->out = horizon_numbers(h, (size_t)(h->knots + 1) * (size_t)size);
    to->column = document_take(&h->doc, (size_t)size * sizeof *to->column);
    if (!to->out || !to->column) return arne_fail_memory(slot->reader->error);
    for (int i = 0; i < size; i++)
        to->column[i] = -1;
    for (int i = 0; i < (h->knots + 1) * size; i++)
        to->out[i] = rest[i % size];
    t->reference = to->out;
    t->reference_stride = size;
    return find_columns(h, slot, k, to->table, to->column);
}

static void put_pose(const arne_pose *X, double *out)
{
    const double x[12] = {X->R.x.x, X->R.x.y, X->R.x.z, X->R.y.x, X->R.y.y, X->R.y.z,
                          X->R.z.x, X->R.z.y, X->R.z.z, X->p.x,   X->p.y,   X->p.z};
    memcpy(out, x, sizeof x);
}

// The reference of torques is what holds the weight.
static arne_status follow_weight(arne_horizon *h, arne_oc_term *t)
{
    if (!h->gravity) h->gravity = horizon_numbers(h, (size_t)(h->control_count + h->size.v_count));
    if (!h->gravity || (!h->work && arne_work_new(h->robot, &h->work) != ARNE_OK))
        return arne_fail_memory(&h->own);
    t->reference = h->gravity;
    return ARNE_OK;
}

static arne_status read_reference(arne_horizon *h, const doc_slot *map, const entry *e,
                                  const term_kind *k, arne_oc_term *t)
{
    const int      q_count = h->size.q_count;
    const int      size = k->rows == BY_COORDINATE ? q_count + h->size.v_count
                          : k->rows == BY_CONTROL  ? h->control_count
                                                   : k->reference;
    const doc_slot slot = {map->reader, map->owner, "reference", e->reference};
    double        *out = horizon_numbers(h, (size_t)size + 6);
    if (!out) return arne_fail_memory(map->reader->error);
    t->reference = out;
    if (k->rows == BY_COORDINATE) arne_neutral(h->robot, out);
    if (k->reference == 12) put_pose(&e->pose, out);
    const doc_slot pose = doc_under(map, "pose");
    if (k->quantity == ARNE_OC_POSE && !e->has_pose) return doc_missing(map, "pose");
    if (k->quantity != ARNE_OC_POSE && e->has_pose)
        return doc_fail(&pose, ARNE_VALUE, "is for frame_pose");
    if (!e->reference) return ARNE_OK;
    if (k->quantity == ARNE_OC_POSE)
        return doc_fail(&slot, ARNE_VALUE, "is not for frame_pose, which has `pose`");
    if (k->quantity == ARNE_OC_CONTROL && e->reference->kind == DOC_TEXT &&
        strcmp(e->reference->text, "gravity") == 0)
        return follow_weight(h, t);
    if (is_table(e->reference)) return read_target(h, &slot, k, size, t, out);
    unsigned char *all = document_take(&h->doc, (size_t)h->size.v_count + 1);
    if (!all) return arne_fail_memory(map->reader->error);
    memset(all, 1, (size_t)h->size.v_count);
    if (k->rows == BY_COORDINATE)
        return k->velocity ? doc_values(&slot, h->robot, DOC_ALONG_V, out + q_count, NULL)
                           : doc_values(&slot, h->robot, DOC_ALONG_Q, out, NULL);
    return entry_numbers(h, &slot, k, all, k->quantity == ARNE_OC_POSITION ? out + 9 : out);
}

// ---- one entry

static arne_status read_index(const arne_horizon *h, const doc_slot *map, const entry *e,
                              const term_kind *k, arne_oc_term *t)
{
    const int frame = k->quantity == ARNE_OC_POSE || k->quantity == ARNE_OC_POSITION ||
                      k->quantity == ARNE_OC_VELOCITY || k->quantity == ARNE_OC_FORCE;
    const doc_slot at = doc_under(map, frame ? "frame" : "joint");
    if (!frame && k->quantity != ARNE_OC_WRENCH) return ARNE_OK;
    if (frame ? !e->frame : !e->joint) return doc_missing(map, frame ? "frame" : "joint");
    if (frame) return doc_frame(&at, h->robot, &t->index);
    t->index = arne_find_joint(h->robot, e->joint);
    return t->index >= 0 ? ARNE_OK : doc_fail(&at, ARNE_NOT_FOUND, "'%.80s' is no joint", e->joint);
}

// The knots of an entry. Bounds of what is given at the start begin after it.
static arne_status read_knots(const arne_horizon *h, const doc_slot *map, const entry *e,
                              const term_kind *k, arne_oc_term *t)
{
    const doc_slot at = {map->reader, map->owner, "at", e->at}, to = doc_under(map, "to");
    if (e->at && (e->at->kind != DOC_TEXT || strcmp(e->at->text, "end") != 0))
        return doc_fail(&at, ARNE_UNSUPPORTED, "can only be `end` with method: riccati");
    t->at_end = e->at != NULL;
    if (t->at_end && !k->on_state)
        return doc_fail(&at, ARNE_VALUE, "end has no torque to weigh or bound");
    if (e->from == 0 && e->to == 1) return ARNE_OK;
    t->first = (int)ceil(e->from * h->knots - 1e-9);
    t->last = (int)floor(e->to * h->knots + 1e-9);
    if (t->last >= h->knots) t->last = h->knots - 1;
    return t->first <= t->last && t->last > 0
               ? ARNE_OK
               : doc_fail(to.value ? &to : map, ARNE_VALUE, "has no knot from %g to %g", e->from,
                          e->to);
}

// Term, its rows (marked coordinates), place and reference.
arne_status entry_begin(arne_horizon *h, const doc_slot *map, const entry *e, arne_oc_term *t,
                        unsigned char *marked)
{
    const term_kind *k = e->quantity->row;
    const doc_slot   joints = {map->reader, map->owner, "joints", e->joints};
    *t = (arne_oc_term){.quantity = k->quantity};
    if (k->quantity == ARNE_OC_CONTROL && h->solver.controls) t->quantity = ARNE_OC_TORQUE;
    if (k->quantity == ARNE_OC_RATE && h->solver.controls) {
        const doc_slot quantity = doc_under(map, "quantity");
        return doc_fail(&quantity, ARNE_UNSUPPORTED,
                        "cannot be torque_rate with controls: accelerations");
    }
    if (e->joints && k->rows > 0)
        return doc_fail(&joints, ARNE_VALUE, "has no meaning for this quantity");
    arne_status status = mark_joints(h, &joints, marked);
    status = status_both(status, read_index(h, map, e, k, t));
    status = status_both(status, read_knots(h, map, e, k, t));
    return status_both(status, read_reference(h, map, e, k, t));
}

static arne_status read_objective(const doc_slot *item, const char *name, void *context)
{
    arne_horizon *h = context;
    entry e = {.weight = 1, .to = 1, .pose = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}}};
    (void)name;
    arne_status status = doc_read_map(item, &horizon_objective_schema, &e, 0);
    if (status || !h->robot) return status;
    const term_kind *k = e.quantity->row;
    unsigned char   *marked = document_take(&h->doc, (size_t)h->size.v_count + 1);
    double          *weights = horizon_numbers(h, (size_t)entry_rows(h, k) + 1);
    arne_oc_term     t;
    if (!marked || !weights) return arne_fail_memory(&h->own);
    status = entry_begin(h, item, &e, &t, marked);
    if (status) return status;
    t.weight = 2 * e.weight;
    for (int i = 0; i < h->size.v_count && k->rows < 0; i++)
        if (marked[i] && entry_row(h, k, i) >= 0) weights[entry_row(h, k, i)] = 1;
    for (int i = 0; i < k->rows; i++)
        weights[i] = 1;
    const doc_slot each = {item->reader, item->owner, "weights", e.weights};
    if (e.weights) status = entry_numbers(h, &each, k, marked, weights);
    for (int i = 0; i < entry_rows(h, k) && !status; i++)
        if (!(weights[i] >= 0))
            status = doc_fail(&each, ARNE_VALUE, "has %g, below zero", weights[i]);
    if (k->rows < 0 || e.weights) t.weights = weights;
    *horizon_term(h) = t;
    return status;
}

arne_status horizon_objectives(const doc_slot *section, void *unused)
{
    (void)unused;
    return doc_each(section, &horizon_objective_schema, read_objective, horizon_of(section));
}
