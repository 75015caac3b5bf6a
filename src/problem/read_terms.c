// The constraints and objectives of a problem file.
#include "base/error.h"
#include "base/plain.h"
#include "motion/drive_limits.h"
#include "plan/problem/strength.h"
#include "problem/read_problem.h"
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

// The limits of the robot's file on a coordinate. Those of torques and their rates are the drive's.
static arne_status limits_of(const problem *p, arne_quantity_kind kind, int coordinate,
                             double *lower, double *upper)
{
    const arne_sizes size = arne_robot_sizes(p->robot);
    for (int i = 0; i < size.joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(p->robot, i);
        if (j.v_count != 1 || j.v_start != coordinate) continue;
        *lower = kind == ARNE_QUANTITY_POSITION ? j.lower : -j.velocity;
        *upper = kind == ARNE_QUANTITY_POSITION ? j.upper : j.velocity;
    }
    if (kind == ARNE_QUANTITY_POSITION || kind == ARNE_QUANTITY_VELOCITY) return ARNE_OK;
    double *torque = malloc((size_t)(2 * size.v_count + 1) * sizeof *torque);
    if (!torque) return arne_fail_memory(p->r.error);
    arne_drive_limits(p->robot, torque, torque + size.v_count);
    *upper = torque[coordinate + (kind == ARNE_QUANTITY_TORQUE_RATE ? size.v_count : 0)];
    *lower = -*upper;
    free(torque);
    return ARNE_OK;
}

static int has_limits(arne_quantity_kind kind)
{
    return kind == ARNE_QUANTITY_POSITION || kind == ARNE_QUANTITY_VELOCITY ||
           kind == ARNE_QUANTITY_TORQUE || kind == ARNE_QUANTITY_TORQUE_RATE;
}

// What the section strength says of a coordinate; NULL: nothing.
static const plan_strength *strength_of(const problem *p, int coordinate)
{
    return p->plan->problem.strengths ? p->plan->problem.strengths[coordinate] : NULL;
}

// What a limit of a quantity is called in robot files.
static const char *limit_word(arne_quantity_kind kind)
{
    return kind == ARNE_QUANTITY_POSITION   ? "position"
           : kind == ARNE_QUANTITY_VELOCITY ? "velocity"
                                            : "effort";
}

// Warns of joints for which the robot's file has no such limit. Continuous joints need no position
// limit.
static void warn_of_unlimited(problem *p, const doc_slot *slot, const asked *q, const bounds *b)
{
    char      names[400] = "";
    size_t    used = 0;
    int       count = 0;
    const int position = q->kind == ARNE_QUANTITY_POSITION;
    for (int i = 0; i < q->row_count; i++)
        for (int k = 0; k < arne_robot_sizes(p->robot).joint_count; k++) {
            const arne_joint_info j = arne_robot_joint(p->robot, k);
            if (j.v_count != 1 || j.v_start != q->rows[i] || j.passive || j.mimic >= 0) continue;
            if (isfinite(b->lower[i]) || isfinite(b->upper[i])) continue;
            if (position && j.kind == ARNE_JOINT_CONTINUOUS) continue;
            if (strncmp(j.name, "base.", 5) == 0) continue; // nothing drives it
            if (q->kind == ARNE_QUANTITY_TORQUE && strength_of(p, q->rows[i])) continue;
            count++;
            if (used < sizeof names - 100)
                used += (size_t)snprintf(names + used, sizeof names - used, "%s'%.80s'",
                                         used ? ", " : "", j.name);
        }
    if (count)
        problem_warn(p, "limit", slot->value->line, "limits: true, but %d joint%s no %s limit: %s",
                     count, count == 1 ? " has" : "s have", limit_word(q->kind), names);
}

// Bounds from the robot's file. A torque that a strength table limits gets a margin instead. It is
// an error if no joint has such a limit.
static arne_status read_limits(problem *p, const doc_slot *entry, const asked *q, bounds *b)
{
    const doc_slot slot = {entry->reader, entry->owner, "limits", doc_find(entry->value, "limits")};
    arne_status    status = ARNE_OK;
    int            some = 0;
    if (!has_limits(q->kind))
        return doc_fail(&slot, ARNE_VALUE,
                        "are those of position, velocity, torque and torque_rate only");
    for (int i = 0; i < q->row_count && !status; i++) {
        const plan_strength *t =
            q->kind == ARNE_QUANTITY_TORQUE ? strength_of(p, q->rows[i]) : NULL;
        some |= t != NULL;
        if (t && !plan_strength_is_line(t)) continue;
        status = limits_of(p, q->kind, q->rows[i], &b->lower[i], &b->upper[i]);
        some |= isfinite(b->lower[i]) || isfinite(b->upper[i]);
    }
    if (status) return status;
    if (!some && q->kind == ARNE_QUANTITY_TORQUE_RATE)
        return doc_fail(&slot, ARNE_VALUE,
                        "of the torque's rate are those of motors (limits: {effort_rate: ...}); "
                        "robot '%.80s' has none: give lower and upper",
                        arne_robot_name(p->robot));
    if (!some)
        return doc_fail(
            &slot, ARNE_VALUE,
            "are those of the robot, but robot '%.80s' has no %s limit of these joints: "
            "give lower and upper",
            arne_robot_name(p->robot), limit_word(q->kind));
    warn_of_unlimited(p, &slot, q, b);
    return ARNE_OK;
}

static arne_status read_terms_read_bounds(problem *p, const doc_slot *entry, const ask *a,
                                          const asked *q, bounds *b)
{
    arne_status status = a->limits ? read_limits(p, entry, q, b) : ARNE_OK;
    if (a->lower)
        status = status_both(status, problem_row_values(p, entry, "lower", a->lower, q, b->lower));
    if (a->upper)
        status = status_both(status, problem_row_values(p, entry, "upper", a->upper, q, b->upper));
    const doc_node *equal = a->equal ? a->equal : a->same_as ? a->offset : NULL;
    const doc_slot  alone = {entry->reader, entry->owner, "equal", a->equal};
    if (a->equal && (a->lower || a->upper))
        status = status_both(status, doc_fail(&alone, ARNE_VALUE,
                                              "leaves nothing for %s to say: take one of them out",
                                              a->lower ? "lower" : "upper"));
    if (equal)
        status = status_both(status, problem_row_values(p, entry, "equal", equal, q, b->lower));
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
    if (!both && !a->limits && !a->lower && !a->upper && q->kind != ARNE_QUANTITY_ZMP_INSIDE)
        return doc_missing(entry, "a bound (lower, upper, equal or limits)");
    return ARNE_OK;
}

// ---- instants

static arne_status read_instant(const doc_slot *slot, double *out)
{
    if (slot->value->kind == DOC_TEXT && !strcmp(slot->value->text, "start")) {
        *out = 0;
        return ARNE_OK;
    }
    if (slot->value->kind == DOC_TEXT && !strcmp(slot->value->text, "end")) {
        *out = 1;
        return ARNE_OK;
    }
    const arne_status status = doc_number(slot, out);
    if (status) return status;
    return *out >= 0 && *out <= 1
               ? ARNE_OK
               : doc_fail(slot, ARNE_VALUE,
                          "must be start, end or a part of the motion from 0 to 1");
}

// The phase that an entry names: 1, 2, ...; 0 where it names none.
static arne_status terms_read_phase(const problem *p, const doc_slot *entry, int *out)
{
    const doc_slot slot = doc_under(entry, "phase");
    arne_status    status = ARNE_OK;
    *out = 0;
    if (!slot.value) return ARNE_OK;
    status = problem_phase_index(p, &slot, out);
    ++*out;
    return status;
}

// Adds the constraint once for every instant that is named, or over its stretch of the motion.
static arne_status add_at(const problem *p, const doc_slot *entry, const ask *a, arne_constraint *c)
{
    const doc_slot slot = {entry->reader, entry->owner, "at", a->at};
    arne_status    status = ARNE_OK;
    if (!a->at) {
        c->from = a->from;
        c->to = a->to;
        return doc_check(entry, arne_plan_add_constraint(p->plan, c, p->r.error));
    }
    if (a->at->kind != DOC_LIST) {
        status = read_instant(&slot, &c->from);
        c->to = c->from;
        return status ? status : doc_check(entry, arne_plan_add_constraint(p->plan, c, p->r.error));
    }
    if (!a->at->first) return doc_fail(&slot, ARNE_VALUE, "names no instant");
    for (const doc_item *i = a->at->first; i && !status; i = i->next) {
        const doc_slot one = {entry->reader, entry->owner, "at", i->value};
        status = read_instant(&one, &c->from);
        c->to = c->from;
        if (!status) status = doc_check(entry, arne_plan_add_constraint(p->plan, c, p->r.error));
    }
    return status;
}

arne_constraint problem_constraint_for(const problem *p, const doc_slot *entry, const ask *a,
                                       const asked *q)
{
    const arne_constraint c = {.name = a->name       ? a->name
                                       : a->quantity ? a->quantity->name
                                                     : "",
                               .place = doc_place(&p->r, entry->value),
                               .quantity = q->quantity,
                               .row_count = q->row_count,
                               .rows = q->rows,
                               .other = -1,
                               .other_at = -1};
    return c;
}

// ---- one entry

// Equality of two quantities: the second one, and its instant.
static arne_status read_other(problem *p, const doc_slot *entry, const ask *a, asked *other,
                              arne_constraint *c)
{
    const doc_slot slot = {entry->reader, entry->owner, "same_as", a->same_as};
    ask            b = problem_ask();
    arne_status    status = doc_read_map(&slot, &problem_other_schema, &b, 0);
    if (!b.quantity) b.quantity = a->quantity;
    if (!status) status = problem_quantity(p, &slot, &b, other);
    if (status) return status;
    if (other->row_count != c->row_count)
        return doc_fail(&slot, ARNE_VALUE, "has %d rows, not %d", other->row_count, c->row_count);
    c->other = other->quantity;
    c->other_rows = other->rows;
    status = terms_read_phase(p, &slot, &c->other_phase);
    if (status) return status;
    const doc_slot at = {entry->reader, "same_as", "at", b.at};
    return b.at ? read_instant(&at, &c->other_at) : ARNE_OK;
}

// Torques stay within what tables and torque-speed lines allow.
static arne_status add_margins(problem *p, const doc_slot *entry, const ask *a, const asked *q)
{
    const int           v = p->plan->problem.v_count;
    const arne_quantity what = {.kind = ARNE_QUANTITY_MARGIN};
    asked               m = {.rows = calloc(2 * (size_t)v, sizeof(int))};
    bounds              b = {0};
    arne_status status = m.rows && new_bounds(&b, 2 * v) ? ARNE_OK : arne_fail_memory(p->r.error);
    for (int i = 0; i < q->row_count && !status; i++)
        for (int side = 0; side < 2 && strength_of(p, q->rows[i]); side++)
            m.rows[m.row_count++] = q->rows[i] + side * v;
    if (!status && m.row_count) {
        status = doc_check(entry, arne_plan_add_quantity(p->plan, &what, &m.quantity, p->r.error));
        arne_constraint c = problem_constraint_for(p, entry, a, &m);
        if (!a->name) c.name = "strength";
        for (int i = 0; i < m.row_count; i++)
            b.lower[i] = 0;
        c.lower = b.lower;
        c.upper = b.upper;
        if (!status) status = terms_read_phase(p, entry, &c.phase);
        if (!status) status = add_at(p, entry, a, &c);
    }
    free(m.rows);
    free_bounds(&b);
    return status;
}

// Whether something limits the torque of every row.
static arne_status check_utilisation(const problem *p, const doc_slot *entry, const asked *q)
{
    arne_status status = ARNE_OK;
    for (int i = 0; i < q->row_count && !status; i++) {
        double lower, upper = INFINITY;
        if (strength_of(p, q->rows[i])) continue;
        status = limits_of(p, ARNE_QUANTITY_TORQUE, q->rows[i], &lower, &upper);
        if (status || isfinite(upper)) continue;
        char name[320];
        plan_coordinate_name(&p->plan->problem, q->rows[i], name, sizeof name);
        return doc_fail(entry, ARNE_VALUE,
                        "asks for the utilisation of joint '%.80s', whose torque nothing limits: "
                        "name joints that have a limit, or a strength",
                        name);
    }
    return status;
}

static arne_status add_plain(problem *p, const doc_slot *entry, const ask *a)
{
    asked           q = {0}, other = {0};
    bounds          b = {0};
    double         *factors = NULL;
    arne_status     status = problem_quantity(p, entry, a, &q);
    arne_constraint c = problem_constraint_for(p, entry, a, &q);
    if (!status && !new_bounds(&b, q.row_count)) status = arne_fail_memory(p->r.error);
    if (!status) status = read_terms_read_bounds(p, entry, a, &q, &b);
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
    if (!status) status = terms_read_phase(p, entry, &c.phase);
    if (!status && q.kind == ARNE_QUANTITY_UTILISATION) status = check_utilisation(p, entry, &q);
    if (!status) status = add_at(p, entry, a, &c);
    if (!status && a->limits && q.kind == ARNE_QUANTITY_TORQUE)
        status = add_margins(p, entry, a, &q);
    free(q.rows);
    free(other.rows);
    free(factors);
    free_bounds(&b);
    return status;
}

// A pose is a position and a rotation.
static arne_status add_pose(problem *p, const doc_slot *entry, ask *a)
{
    char         text[3][40];
    doc_node     numbers[3], list = {.kind = DOC_LIST, .count = 3, .line = entry->value->line};
    doc_item     items[3];
    const double at[3] = {a->pose.p.x, a->pose.p.y, a->pose.p.z};
    if (!a->has_pose) return doc_missing(entry, "pose");
    for (int i = 0; i < 3; i++) {
        plain_print(text[i], sizeof text[i], "%.17g", at[i]);
        numbers[i] = (doc_node){.kind = DOC_TEXT, .text = text[i], .line = entry->value->line};
        items[i] = (doc_item){.value = &numbers[i], .next = i < 2 ? &items[i + 1] : NULL};
    }
    list.first = items;
    a->quantity = problem_word(ARNE_QUANTITY_FRAME_POSITION);
    a->equal = &list;
    const arne_status status = add_plain(p, entry, a);
    if (status) return status;
    a->quantity = problem_word(ARNE_QUANTITY_FRAME_ROTATION);
    a->equal = NULL;
    return add_plain(p, entry, a);
}

// ---- sections

arne_status problem_constraint(const doc_slot *entry, const char *name, void *context)
{
    problem *p = context;
    ask      a = problem_ask();
    (void)name;
    arne_status    status = doc_read_map(entry, &problem_constraint_schema, &a, 0);
    const doc_slot from = doc_under(entry, "from"), to = doc_under(entry, "to");
    if (!(a.from <= a.to))
        status = status_both(status,
                             doc_fail(to.value ? &to : &from, ARNE_VALUE,
                                      "leaves nothing of the motion: from %g to %g", a.from, a.to));
    if (status || !p->plan) return status;
    if (a.symmetry || a.periodic) return problem_repeating(p, entry, &a);
    return a.quantity && a.quantity->value == PROBLEM_FRAME_POSE ? add_pose(p, entry, &a)
                                                                 : add_plain(p, entry, &a);
}

// Weights that make torques of different joints comparable: those over their limits, squared. Of an
// elastic joint, whose motor has the drive's, the load side has the joint's own.
static arne_status normalise(const problem *p, const doc_slot *entry, const asked *q,
                             double *weights)
{
    const doc_slot slot = doc_under(entry, "normalised");
    for (int i = 0; i < q->row_count; i++) {
        double            lower = -INFINITY, upper = INFINITY;
        const arne_status status = limits_of(p, q->kind, q->rows[i], &lower, &upper);
        if (status) return status;
        for (int k = 0; !isfinite(upper) && k < arne_robot_sizes(p->robot).joint_count; k++) {
            const arne_joint_info j = arne_robot_joint(p->robot, k);
            if (q->kind == ARNE_QUANTITY_TORQUE && j.v_count == 1 && j.v_start == q->rows[i])
                upper = j.effort;
        }
        if (!isfinite(upper) || upper <= 0)
            return doc_fail(&slot, ARNE_VALUE, "needs limits of every joint in the robot's file");
        weights[i] /= upper * upper;
    }
    return ARNE_OK;
}

// Energy over weight times distance.
static arne_status per_way(const problem *p, const doc_slot *entry, double distance, const asked *q,
                           double *weights)
{
    const arne_vec3 g = arne_robot_gravity(p->robot);
    const double    weight = arne_total_mass(p->robot) * sqrt(g.x * g.x + g.y * g.y + g.z * g.z);
    if (!(distance > 0)) return doc_missing(entry, "distance");
    if (!(weight > 0))
        return doc_fail(entry, ARNE_VALUE, "has no meaning where the robot has no weight");
    for (int i = 0; i < q->row_count; i++)
        weights[i] /= weight * distance;
    return ARNE_OK;
}

static arne_status terms_add_objective(problem *p, const doc_slot *entry, ask *a)
{
    asked     q = {0};
    const int transport = a->quantity && a->quantity->value == PROBLEM_TRANSPORT,
              energy = transport || (a->quantity && a->quantity->value == PROBLEM_ENERGY);
    const int plain_shape = energy ? ARNE_OBJECTIVE_ABSOLUTE : ARNE_OBJECTIVE_SQUARE;
    if (energy) a->quantity = problem_word(ARNE_QUANTITY_POWER);
    arne_status status = problem_quantity(p, entry, a, &q);
    double     *weights = malloc((size_t)(q.row_count + 1) * sizeof *weights);
    if (!status && !weights) status = arne_fail_memory(p->r.error);
    for (int i = 0; !status && i < q.row_count; i++)
        weights[i] = a->weight;
    if (!status && a->normalised) status = normalise(p, entry, &q, weights);
    if (!status && q.kind == ARNE_QUANTITY_UTILISATION) status = check_utilisation(p, entry, &q);
    if (!status && transport) status = per_way(p, entry, a->distance, &q, weights);
    arne_objective o = {.name = a->name       ? a->name
                                : a->quantity ? a->quantity->name
                                              : "",
                        .place = doc_place(&p->r, entry->value),
                        .quantity = q.quantity,
                        .row_count = q.row_count,
                        .rows = q.rows,
                        .weights = weights,
                        .shape = (arne_objective_shape)(a->shape < 0 ? plain_shape : a->shape),
                        .smooth = a->smooth,
                        .power = a->power,
                        .mean = a->mean,
                        .at = -1};
    const doc_slot at = {entry->reader, entry->owner, "at", a->at};
    if (!status && a->at) status = read_instant(&at, &o.at);
    if (!status) status = terms_read_phase(p, entry, &o.phase);
    if (!status) status = doc_check(entry, arne_plan_add_objective(p->plan, &o, p->r.error));
    free(q.rows);
    free(weights);
    return status;
}

arne_status problem_objective(const doc_slot *entry, const char *name, void *context)
{
    problem *p = context;
    ask      a = problem_ask();
    (void)name;
    const arne_status status = doc_read_map(entry, &problem_objective_schema, &a, 0);
    if (status || !p->plan) return status;
    if (!a.quantity || a.quantity->value != PROBLEM_TIME) return terms_add_objective(p, entry, &a);
    int               phase = 0;
    const arne_status named = terms_read_phase(p, entry, &phase);
    if (named) return named;
    if (phase)
        p->plan->problem.phases[phase - 1].weight += a.weight;
    else
        arne_plan_add_time(p->plan, a.weight);
    return ARNE_OK;
}
