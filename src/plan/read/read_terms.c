// The constraints and objectives of a problem file.
#include "base/error.h"
#include "plan/read/read_problem.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- bounds

typedef struct bounds {
    double *lower, *upper;
} bounds;

static int new_bounds(bounds *b, int count)
{
    b->lower = malloc((size_t)(count + 1) * sizeof(double));
    b->upper = malloc((size_t)(count + 1) * sizeof(double));
    for (int i = 0; b->lower && b->upper && i < count; i++) {
        b->lower[i] = -INFINITY;
        b->upper[i] = INFINITY;
    }
    return b->lower && b->upper;
}

static void free_bounds(bounds *b)
{
    free(b->lower);
    free(b->upper);
}

// The limits of the robot's file on a coordinate.
static void limits_of(const arne_robot *robot, arne_quantity_kind kind, int coordinate,
                      double *lower, double *upper)
{
    const arne_sizes size = arne_robot_sizes(robot);
    for (int i = 0; i < size.joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        if (j.v_count != 1 || j.v_start != coordinate) continue;
        const double both = kind == ARNE_QUANTITY_VELOCITY ? j.velocity : j.effort;
        *lower = kind == ARNE_QUANTITY_POSITION ? j.lower : -both;
        *upper = kind == ARNE_QUANTITY_POSITION ? j.upper : both;
    }
    for (int i = 0; i < size.motor_count; i++) {
        const arne_motor_info m = arne_robot_motor(robot, i);
        const int             rate = kind == ARNE_QUANTITY_TORQUE_RATE;
        if (!(rate || kind == ARNE_QUANTITY_TORQUE) ||
            (m.v_index < 0 ? -1 : m.v_index) != coordinate)
            continue;
        *upper = rate ? m.effort_rate : m.effort;
        *lower = -*upper;
    }
}

static int has_limits(arne_quantity_kind kind)
{
    return kind == ARNE_QUANTITY_POSITION || kind == ARNE_QUANTITY_VELOCITY ||
           kind == ARNE_QUANTITY_TORQUE || kind == ARNE_QUANTITY_TORQUE_RATE;
}

static int is_yes(const yaml_node *node)
{
    return node && node->kind == YAML_TEXT &&
           (!strcmp(node->text, "true") || !strcmp(node->text, "yes"));
}

static arne_status read_bounds(const problem *p, const yaml_slot *entry, const ask *a,
                               const asked *q, bounds *b)
{
    arne_status status = ARNE_OK;
    if (is_yes(a->limits)) {
        if (!has_limits(q->kind))
            return arne_reader_fail(&p->r, ARNE_VALUE, entry->value->line,
                                    "%s: a robot has limits of position, velocity and torque only",
                                    entry->key);
        for (int i = 0; i < q->row_count; i++)
            limits_of(p->robot, q->kind, q->rows[i], &b->lower[i], &b->upper[i]);
    }
    if (a->lower) status = problem_row_values(p, entry, "lower", a->lower, q, b->lower);
    if (!status && a->upper) status = problem_row_values(p, entry, "upper", a->upper, q, b->upper);
    const yaml_node *equal = a->equal ? a->equal : a->same_as ? a->offset : NULL;
    if (!status && equal) status = problem_row_values(p, entry, "equal", equal, q, b->lower);
    if (status) return status;
    const int both =
        equal || (a->same_as && !a->lower && !a->upper) || (a->has_pose && !a->lower && !a->upper);
    for (int i = 0; both && i < q->row_count; i++) {
        const double middle = equal ? b->lower[i] : 0;
        b->lower[i] = middle - a->within;
        b->upper[i] = middle + a->within;
    }
    if (q->kind == ARNE_QUANTITY_ZMP_INSIDE && !a->lower)
        for (int i = 0; i < q->row_count; i++)
            b->lower[i] = 0;
    if (!both && !is_yes(a->limits) && !a->lower && !a->upper &&
        q->kind != ARNE_QUANTITY_ZMP_INSIDE)
        return arne_reader_fail(&p->r, ARNE_VALUE, entry->value->line,
                                "%s: a bound is missing (lower, upper, equal or limits)",
                                entry->key);
    return ARNE_OK;
}

// ---- instants

static arne_status read_instant(const yaml_slot *slot, double *out)
{
    if (slot->value->kind == YAML_TEXT && !strcmp(slot->value->text, "start")) {
        *out = 0;
        return ARNE_OK;
    }
    if (slot->value->kind == YAML_TEXT && !strcmp(slot->value->text, "end")) {
        *out = 1;
        return ARNE_OK;
    }
    const arne_status status = arne_yaml_number(slot, out);
    if (status) return status;
    return *out >= 0 && *out <= 1
               ? ARNE_OK
               : arne_yaml_fail(slot, ARNE_VALUE,
                                "must be start, end or a part of the motion from 0 to 1");
}

// Adds the constraint once for every instant that is named, or over its stretch of the motion.
static arne_status add_at(const problem *p, const yaml_slot *entry, const ask *a,
                          arne_constraint *c)
{
    const yaml_slot slot = {entry->reader, entry->key, "at", a->at};
    arne_status     status = ARNE_OK;
    if (!a->at) {
        c->from = a->from;
        c->to = a->to;
        return arne_plan_add_constraint(p->plan, c, p->r.error);
    }
    if (a->at->kind != YAML_LIST) {
        status = read_instant(&slot, &c->from);
        c->to = c->from;
        return status ? status : arne_plan_add_constraint(p->plan, c, p->r.error);
    }
    for (const yaml_item *i = a->at->first; i && !status; i = i->next) {
        const yaml_slot one = {entry->reader, entry->key, "at", i->value};
        status = read_instant(&one, &c->from);
        c->to = c->from;
        if (!status) status = arne_plan_add_constraint(p->plan, c, p->r.error);
    }
    return status;
}

arne_constraint problem_constraint_for(const problem *p, const yaml_slot *entry, const ask *a,
                                       const asked *q)
{
    const arne_constraint c = {.name = a->name ? a->name : a->quantity,
                               .place = {p->r.file, entry->value->line},
                               .quantity = q->quantity,
                               .row_count = q->row_count,
                               .rows = q->rows,
                               .other = -1,
                               .other_at = -1};
    return c;
}

// ---- one entry

// Equality of two quantities: the second one, and its instant.
static arne_status read_other(problem *p, const yaml_slot *entry, const ask *a, asked *other,
                              arne_constraint *c)
{
    const yaml_slot slot = {entry->reader, entry->key, "same_as", a->same_as};
    ask             b = problem_ask();
    arne_status     status = problem_read_ask(p, &slot, &b);
    if (!b.quantity) b.quantity = a->quantity;
    if (!status) status = problem_quantity(p, &slot, &b, other);
    if (status) return status;
    if (other->row_count != c->row_count)
        return arne_yaml_fail(&slot, ARNE_VALUE, "has %d rows, not %d", other->row_count,
                              c->row_count);
    c->other = other->quantity;
    c->other_rows = other->rows;
    const yaml_slot at = {entry->reader, "same_as", "at", b.at};
    return b.at ? read_instant(&at, &c->other_at) : ARNE_OK;
}

static arne_status add_plain(problem *p, const yaml_slot *entry, const ask *a)
{
    asked           q = {0}, other = {0};
    bounds          b = {0};
    double         *factors = NULL;
    arne_status     status = problem_quantity(p, entry, a, &q);
    arne_constraint c = problem_constraint_for(p, entry, a, &q);
    if (!status && !new_bounds(&b, q.row_count)) status = arne_fail_memory(p->r.error);
    if (!status) status = read_bounds(p, entry, a, &q, &b);
    if (!status && a->same_as) status = read_other(p, entry, a, &other, &c);
    if (!status && a->same_as) {
        factors = malloc((size_t)(q.row_count + 1) * sizeof *factors);
        if (!factors) status = arne_fail_memory(p->r.error);
        for (int i = 0; factors && i < q.row_count; i++)
            factors[i] = a->factor;
    }
    c.lower = b.lower;
    c.upper = b.upper;
    c.factors = factors;
    if (!status) status = add_at(p, entry, a, &c);
    free(q.rows);
    free(other.rows);
    free(factors);
    free_bounds(&b);
    return status;
}

// A pose is a position and a rotation.
static arne_status add_pose(problem *p, const yaml_slot *entry, ask *a)
{
    char         text[3][40];
    yaml_node    numbers[3], list = {.kind = YAML_LIST, .count = 3, .line = entry->value->line};
    yaml_item    items[3];
    const double at[3] = {a->pose.p.x, a->pose.p.y, a->pose.p.z};
    if (!a->has_pose)
        return arne_reader_fail(&p->r, ARNE_VALUE, entry->value->line, "%s: a pose is missing",
                                entry->key);
    for (int i = 0; i < 3; i++) {
        snprintf(text[i], sizeof text[i], "%.17g", at[i]);
        numbers[i] = (yaml_node){.kind = YAML_TEXT, .text = text[i], .line = entry->value->line};
        items[i] = (yaml_item){.value = &numbers[i], .next = i < 2 ? &items[i + 1] : NULL};
    }
    list.first = items;
    a->quantity = "frame_position";
    a->equal = &list;
    const arne_status status = add_plain(p, entry, a);
    if (status) return status;
    a->quantity = "frame_rotation";
    a->equal = NULL;
    return add_plain(p, entry, a);
}

// ---- sections

arne_status problem_constraints(problem *p, const yaml_slot *section)
{
    arne_status status = arne_yaml_expect(section, YAML_LIST);
    int         number = 0;
    for (const yaml_item *i = status ? NULL : section->value->first; i && !status; i = i->next) {
        char where[64];
        snprintf(where, sizeof where, "constraints[%d]", number++);
        const yaml_slot entry = {section->reader, where, where, i->value};
        ask             a = problem_ask();
        status = problem_read_ask(p, &entry, &a);
        if (status) break;
        if (a.symmetry || a.periodic)
            status = problem_repeating(p, &entry, &a);
        else if (a.quantity && strcmp(a.quantity, "frame_pose") == 0)
            status = add_pose(p, &entry, &a);
        else
            status = add_plain(p, &entry, &a);
    }
    return status;
}

// Weights that make torques of different joints comparable: those over their limits, squared.
static arne_status normalise(const problem *p, const yaml_slot *entry, const asked *q,
                             double *weights)
{
    for (int i = 0; i < q->row_count; i++) {
        double lower = -INFINITY, upper = INFINITY;
        limits_of(p->robot, q->kind, q->rows[i], &lower, &upper);
        if (!isfinite(upper) || upper <= 0)
            return arne_reader_fail(
                &p->r, ARNE_VALUE, entry->value->line,
                "%s: normalised needs limits of every joint in the robot's file", entry->key);
        weights[i] /= upper * upper;
    }
    return ARNE_OK;
}

static arne_status add_objective(problem *p, const yaml_slot *entry, ask *a)
{
    asked     q = {0};
    const int energy = a->quantity && strcmp(a->quantity, "energy") == 0;
    const int plain_shape = energy ? ARNE_OBJECTIVE_ABSOLUTE : ARNE_OBJECTIVE_SQUARE;
    if (energy) a->quantity = "power";
    arne_status status = problem_quantity(p, entry, a, &q);
    double     *weights = malloc((size_t)(q.row_count + 1) * sizeof *weights);
    if (!status && !weights) status = arne_fail_memory(p->r.error);
    for (int i = 0; !status && i < q.row_count; i++)
        weights[i] = a->weight;
    if (!status && is_yes(a->normalised)) status = normalise(p, entry, &q, weights);
    arne_objective  o = {.name = a->name ? a->name : a->quantity,
                         .place = {p->r.file, entry->value->line},
                         .quantity = q.quantity,
                         .row_count = q.row_count,
                         .rows = q.rows,
                         .weights = weights,
                         .shape = (arne_objective_shape)(a->shape < 0 ? plain_shape : a->shape),
                         .smooth = a->smooth,
                         .at = -1};
    const yaml_slot at = {entry->reader, entry->key, "at", a->at};
    if (!status && a->at) status = read_instant(&at, &o.at);
    if (!status) status = arne_plan_add_objective(p->plan, &o, p->r.error);
    free(q.rows);
    free(weights);
    return status;
}

arne_status problem_objectives(problem *p, const yaml_slot *section)
{
    arne_status status = arne_yaml_expect(section, YAML_LIST);
    int         number = 0;
    for (const yaml_item *i = status ? NULL : section->value->first; i && !status; i = i->next) {
        char where[64];
        snprintf(where, sizeof where, "objective[%d]", number++);
        const yaml_slot entry = {section->reader, where, where, i->value};
        ask             a = problem_ask();
        status = problem_read_ask(p, &entry, &a);
        if (status) break;
        if (a.quantity && strcmp(a.quantity, "time") == 0)
            arne_plan_add_time(p->plan, a.weight);
        else
            status = add_objective(p, &entry, &a);
    }
    return status;
}

// ---- start and end

static arne_status add_boundary(problem *p, const yaml_slot *slot, arne_quantity_kind kind,
                                const char *name, double at)
{
    const int           n = p->plan->v_count;
    const arne_quantity what = {.kind = kind};
    double             *values = calloc((size_t)n, sizeof *values);
    unsigned char      *given = calloc((size_t)n, 1);
    int                *rows = calloc((size_t)n, sizeof *rows), count = 0, quantity = 0;
    arne_status         status = values && given && rows ? ARNE_OK : arne_fail_memory(p->r.error);
    if (!status) status = problem_values(p, slot, values, given);
    if (!status) status = arne_plan_add_quantity(p->plan, &what, &quantity, p->r.error);
    for (int k = 0; !status && k < n; k++)
        if (given[k]) {
            values[count] = values[k];
            rows[count++] = k;
        }
    const arne_constraint c = {name,     {p->r.file, slot->value->line},
                               quantity, count,
                               rows,     values,
                               values,   at,
                               at,       -1,
                               NULL,     NULL,
                               -1};
    if (!status) status = arne_plan_add_constraint(p->plan, &c, p->r.error);
    free(values), free(given), free(rows);
    return status;
}

arne_status problem_boundary(problem *p, const yaml_slot *section, double at)
{
    static const char *const keys[] = {"position", "velocity", "acceleration", NULL};
    arne_status              status = arne_yaml_expect(section, YAML_MAP);
    for (const yaml_item *i = status ? NULL : section->value->first; i && !status; i = i->next) {
        int             kind = 0;
        const yaml_slot slot = {section->reader, section->key, i->key, i->value};
        while (keys[kind] && strcmp(keys[kind], i->key) != 0)
            kind++;
        if (!keys[kind])
            return arne_reader_fail(&p->r, ARNE_VALUE, i->line, "%s: unknown key '%.80s'",
                                    section->key, i->key);
        char name[64];
        snprintf(name, sizeof name, "%s at the %s", keys[kind], at < 0.5 ? "start" : "end");
        status =
            add_boundary(p, &slot, (arne_quantity_kind)(ARNE_QUANTITY_POSITION + kind), name, at);
    }
    return status;
}
