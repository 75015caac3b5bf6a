// The section `strength` of a problem file: torque limits by angle and velocity.
#include "base/error.h"
#include "problem/read_problem.h"
#include "robot/joint.h"
#include <stdlib.h>

typedef struct strength_keys {
    const doc_node *angles, *velocities, *torques, *opposite;
    int             cubic;
    double          stall, no_load;
} strength_keys;

static const doc_word between_words[] = {
    {"linear", 0, NULL, NULL, NULL}, {"cubic", 1, NULL, NULL, NULL}, {0}};

#define AT(field) offsetof(strength_keys, field)
static const doc_key strength_key_table[] = {
    {"angles", DOC_TYPE_NODE, AT(angles), .unit = "rad, m", .takes = "a list that rises",
     .help = "rows of the tables"},
    {"velocities", DOC_TYPE_NODE, AT(velocities), .unit = "rad/s, m/s",
     .takes = "a list that rises", .help = "columns of the tables"},
    {"torques", DOC_TYPE_NODE, AT(torques), .unit = "N m, N",
     .takes = "a list of rows; a plain list where there is one row or one column",
     .help = "greatest in the positive direction"},
    {"opposite", DOC_TYPE_NODE, AT(opposite), .unit = "N m, N", .takes = "likewise",
     .help = "in the negative direction, as positive numbers; default: torques at -velocity"},
    {"between", DOC_TYPE_WORD, AT(cubic), .words = between_words, .otherwise = "linear",
     .help = "interpolation between the points of the tables"},
    {"stall", DOC_TYPE_NUMBER, AT(stall), .unit = "N m, N", .range = DOC_POSITIVE,
     .help = "of a motor: torque at rest, instead of tables"},
    {"no_load", DOC_TYPE_NUMBER, AT(no_load), .unit = "rad/s, m/s", .range = DOC_POSITIVE,
     .help = "of a motor: velocity without torque"},
    {0},
};
#undef AT
const doc_schema problem_strength_schema = {"strength", NULL, strength_key_table, NULL};

static arne_status read_strength_read_axis(const problem *p, const doc_slot *map, const char *key,
                                           double **out, int *count)
{
    const doc_slot slot = doc_under(map, key);
    *count = 0;
    if (!slot.value) return ARNE_OK;
    arne_status status = doc_expect(&slot, DOC_LIST);
    if (!status && slot.value->count < 1) status = doc_fail(&slot, ARNE_VALUE, "is empty");
    if (status) return status;
    *out = calloc((size_t)slot.value->count, sizeof **out);
    if (!*out) return arne_fail_memory(p->r.error);
    *count = slot.value->count;
    return doc_numbers(&slot, *count, *out);
}

// A list of rows, or a plain list where there is only one row, or only one column.
static arne_status strength_read_table(const problem *p, const doc_slot *map, const char *key,
                                       int rows, int columns, double **out)
{
    const doc_slot slot = doc_under(map, key);
    if (!slot.value) return ARNE_OK;
    arne_status status = doc_expect(&slot, DOC_LIST);
    if (status) return status;
    *out = calloc((size_t)rows * (size_t)columns, sizeof **out);
    if (!*out) return arne_fail_memory(p->r.error);
    const doc_item *first = slot.value->first;
    if ((rows == 1 || columns == 1) && first && first->value->kind == DOC_TEXT)
        return doc_numbers(&slot, rows * columns, *out);
    if (slot.value->count != rows)
        return doc_fail(&slot, ARNE_VALUE, "has %d rows, not %d: one for each angle",
                        slot.value->count, rows);
    int at = 0;
    for (const doc_item *i = first; i && status_goes_on(status); i = i->next, at++) {
        const doc_slot row = {slot.reader, slot.owner, slot.key, i->value};
        status = status_both(status, doc_numbers(&row, columns, *out + at * columns));
    }
    return status;
}

static arne_status read_tables(const problem *p, const doc_slot *map, arne_strength *s)
{
    double     *angles = NULL, *velocities = NULL, *torques = NULL, *opposite = NULL;
    arne_status status = read_strength_read_axis(p, map, "angles", &angles, &s->angle_count);
    s->angles = angles;
    status = status_both(
        status, read_strength_read_axis(p, map, "velocities", &velocities, &s->velocity_count));
    s->velocities = velocities;
    const int rows = s->angle_count ? s->angle_count : 1,
              columns = s->velocity_count ? s->velocity_count : 1;
    if (!status) status = strength_read_table(p, map, "torques", rows, columns, &torques);
    s->torques = torques;
    if (status_goes_on(status))
        status =
            status_both(status, strength_read_table(p, map, "opposite", rows, columns, &opposite));
    s->opposite = opposite;
    return status;
}

static int strength_is_force(const arne_robot *robot, int coordinate)
{
    for (int i = 0; i < arne_robot_sizes(robot).joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        if (j.v_start == coordinate) return joint_is_slide(j.kind);
    }
    return 0;
}

// Torques grow with mass times length, forces with the mass.
static arne_status strength_set(problem *p, int coordinate, arne_strength s)
{
    const int table =
        (s.angle_count ? s.angle_count : 1) * (s.velocity_count ? s.velocity_count : 1);
    const double length = p->strength_scale[0] > 0 ? p->strength_scale[0] : 1,
                 mass = p->strength_scale[1] > 0 ? p->strength_scale[1] : 1;
    const int    is_force = strength_is_force(p->plan->problem.robot, coordinate);
    const double factor = is_force ? mass : mass * length;
    double      *scaled = calloc(2 * (size_t)table, sizeof *scaled);
    if (!scaled) return arne_fail_memory(p->r.error);
    for (int i = 0; i < table; i++) {
        if (s.torques) scaled[i] = factor * s.torques[i];
        if (s.opposite) scaled[table + i] = factor * s.opposite[i];
    }
    s.stall *= factor;
    if (s.torques) s.torques = scaled;
    if (s.opposite) s.opposite = scaled + table;
    const arne_status status = arne_plan_set_strength(p->plan, coordinate, &s, p->r.error);
    free(scaled);
    return status;
}

static arne_status read_strength(const doc_slot *item, const char *name, void *context)
{
    problem       *p = context;
    strength_keys  k = {0};
    const doc_slot map = {item->reader, item->owner, "", item->value};
    const doc_node text = {
        .kind = DOC_TEXT, .text = name, .line = item->value->line, .column = item->value->column};
    const doc_slot named = {item->reader, "", item->key, &text};
    arne_status    status = doc_read_map(&map, &problem_strength_schema, &k, 0);
    const int      line = doc_under(&map, "stall").value || doc_under(&map, "no_load").value;
    if (!status && !line && !k.torques) status = doc_missing(&map, "torques, or stall and no_load");
    if (!status && line && !(k.stall > 0 && k.no_load > 0))
        status = doc_missing(&map, k.stall > 0 ? "no_load" : "stall");
    if (!status && line && (k.torques || k.angles || k.velocities || k.opposite))
        status = doc_fail(item, ARNE_VALUE, "has both a table and a torque-speed line");
    if (status || !p->plan) return status;
    arne_strength s = {.cubic = k.cubic, .stall = k.stall, .no_load = k.no_load};
    int           count = 0, *rows = calloc((size_t)p->plan->problem.v_count + 1, sizeof *rows);
    status = rows ? problem_coordinates(p, &named, rows, &count) : arne_fail_memory(p->r.error);
    if (status_goes_on(status)) status = status_both(status, read_tables(p, &map, &s));
    for (int i = 0; i < count && !status; i++)
        status = doc_check(item, strength_set(p, rows[i], s));
    free(rows);
    free((void *)(size_t)s.angles);
    free((void *)(size_t)s.velocities);
    free((void *)(size_t)s.torques);
    free((void *)(size_t)s.opposite);
    return status;
}

arne_status problem_strength(const doc_slot *section, void *unused)
{
    (void)unused;
    return doc_each_name(section, "strength", read_strength, problem_of(section));
}
