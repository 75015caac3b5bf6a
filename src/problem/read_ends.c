// The sections start and end of a problem file: what coordinates are there, and how they move.
#include "motion/joint_range.h"
#include "problem/read_problem.h"
#include <arne/configuration.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct end_keys {
    const doc_node *position, *velocity, *acceleration;
    int             limits;
} end_keys;

static const doc_key end_key_table[] = {
    {"position", DOC_TYPE_NODE, offsetof(end_keys, position), .unit = "rad, m",
     .takes = "a number, a list, or by joint"},
    {"velocity", DOC_TYPE_NODE, offsetof(end_keys, velocity), .unit = "rad/s, m/s",
     .takes = "a number, a list, or by joint"},
    {"acceleration", DOC_TYPE_NODE, offsetof(end_keys, acceleration), .unit = "rad/s^2, m/s^2",
     .takes = "a number, a list, or by joint"},
    {"limits", DOC_TYPE_FLAG, offsetof(end_keys, limits), .otherwise = "yes",
     .help = "a position beyond the limits of its joint is an error"},
    {0},
};
const doc_schema problem_boundary_schema = {"end", NULL, end_key_table, NULL};

typedef struct end_values {
    double        *values;
    unsigned char *given;
    int           *rows;
} end_values;

// A posture that the robot cannot take.
static arne_status check_posture(const problem *p, const doc_slot *slot, const char *where,
                                 const end_values *v)
{
    for (int i = 0; i < arne_robot_sizes(p->robot).joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(p->robot, i);
        if (j.v_count != 1 || !v->given[j.v_start]) continue;
        const double       value = v->values[j.v_start];
        const arne_degrees found = arne_joint_degrees(&j, value);
        if (found == ARNE_DEGREES_OUTSIDE)
            return doc_fail(slot, ARNE_VALUE,
                            "of joint '%.80s' is %.6g rad at the %s, far outside of its limits "
                            "%.6g to %.6g; degrees are written '%g deg'",
                            j.name, value, where, j.lower, j.upper, value);
        if (joint_leaves_limits(&j, value))
            return doc_fail(slot, ARNE_VALUE,
                            "of joint '%.80s' is %.6g %s at the %s, outside of its limits %.6g to "
                            "%.6g (limits: false allows it there)",
                            j.name, value, arne_joint_unit(&j, 0, 0), where, j.lower, j.upper);
        if (found == ARNE_DEGREES_PERHAPS)
            return arne_reader_warn_at(slot->reader, "degrees", slot->value->line,
                                       slot->value->column,
                                       "%s: %s of joint '%.80s' is %g rad, more than two turns; "
                                       "degrees are written '%g deg'",
                                       slot->owner, slot->key, j.name, value, value);
    }
    return ARNE_OK;
}

static arne_status add_values(problem *p, const doc_slot *slot, arne_quantity_kind kind,
                              const char *name, double at, int limits, const end_values *v)
{
    const int           n = p->plan->problem.v_count;
    const arne_quantity what = {.kind = kind};
    int                 count = 0, quantity = 0;
    arne_status         status = doc_values(slot, p->robot, DOC_ALONG_V, v->values, v->given);
    if (!status && limits && kind == ARNE_QUANTITY_POSITION)
        status = check_posture(p, slot, at < 0.5 ? "start" : "end", v);
    if (!status)
        status = doc_check(slot, arne_plan_add_quantity(p->plan, &what, &quantity, p->r.error));
    for (int k = 0; !status && k < n; k++)
        if (v->given[k]) {
            v->values[count] = v->values[k];
            v->rows[count++] = k;
        }
    const arne_constraint c = {.name = name,
                               .place = doc_place(&p->r, slot->value),
                               .quantity = quantity,
                               .row_count = count,
                               .rows = v->rows,
                               .lower = v->values,
                               .upper = v->values,
                               .from = at,
                               .to = at,
                               .other = -1,
                               .other_at = -1};
    return status ? status : doc_check(slot, arne_plan_add_constraint(p->plan, &c, p->r.error));
}

static arne_status ends_add_end(problem *p, const doc_slot *slot, arne_quantity_kind kind,
                                double at, int limits)
{
    char name[64];
    if (!slot->value) return ARNE_OK;
    if (!p->plan) return doc_values(slot, NULL, DOC_ALONG_V, NULL, NULL);
    const size_t     n = (size_t)p->plan->problem.v_count;
    const end_values v = {calloc(n, sizeof(double)), calloc(n, 1), calloc(n, sizeof(int))};
    snprintf(name, sizeof name, "%s at the %s", slot->key, at < 0.5 ? "start" : "end");
    const arne_status status = v.values && v.given && v.rows
                                   ? add_values(p, slot, kind, name, at, limits, &v)
                                   : arne_fail_memory(p->r.error);
    free(v.values), free(v.given), free(v.rows);
    return status;
}

static arne_status ends_read_end(const doc_slot *section, double at)
{
    problem       *p = problem_of(section);
    const doc_slot map = {section->reader, section->key, "", section->value};
    end_keys       keys = {.limits = 1};
    arne_status    status = doc_read_map(&map, &problem_boundary_schema, &keys, 0);
    const struct {
        const char        *key, *units;
        arne_quantity_kind kind;
    } rows[] = {{"position", "rad, m", ARNE_QUANTITY_POSITION},
                {"velocity", "rad/s, m/s", ARNE_QUANTITY_VELOCITY},
                {"acceleration", "rad/s^2, m/s^2", ARNE_QUANTITY_ACCELERATION}};
    for (int i = 0; i < 3 && status_goes_on(status); i++) {
        const doc_slot slot = doc_under(&map, rows[i].key);
        section->reader->units = rows[i].units;
        status = status_both(status, ends_add_end(p, &slot, rows[i].kind, at, keys.limits));
        section->reader->units = NULL;
    }
    return status;
}

arne_status problem_start(const doc_slot *section, void *unused)
{
    (void)unused;
    return ends_read_end(section, 0);
}

arne_status problem_end(const doc_slot *section, void *unused)
{
    (void)unused;
    return ends_read_end(section, 1);
}
