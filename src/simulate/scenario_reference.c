// The reference section: which trajectory, from src/motion, and its numbers.
#include "base/error.h"
#include "simulate/scenario.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct reference_keys {
    const yaml_node *type, *profile, *from, *to, *duration, *velocity, *acceleration, *jerk, *times,
        *points, *interpolation, *degree, *control, *breaks, *offset, *harmonics, *file, *start,
        *scaling;
} reference_keys;

typedef struct reference_task {
    arne_scenario        *s;
    const yaml_slot      *section;
    const arne_robot     *robot;
    const double         *rest;
    const reference_keys *keys;
    arne_trajectory     **out;
} reference_task;

static yaml_slot slot_of(const reference_task *t, const char *key, const yaml_node *node)
{
    return scenario_slot(t->s, t->section->owner, key, node);
}

static arne_status need(const reference_task *t, const char *key, const yaml_node *node)
{
    return node ? ARNE_OK
                : arne_reader_fail(&t->s->reader, ARNE_VALUE, t->section->value->line,
                                   "%s: %s is missing", t->section->owner, key);
}

static int size_of(const reference_task *t, values_of which)
{
    const arne_sizes sizes = arne_robot_sizes(t->robot);
    return which == VALUES_Q ? sizes.q_count : sizes.v_count;
}

// Values under a key; NULL in *out where it is not given. What a mapping leaves out: where the robot rests, no limit.
static arne_status values(const reference_task *t, const char *key, const yaml_node *node,
                          values_of which, double **out)
{
    const int count = size_of(t, which);
    *out = NULL;
    if (!node) return ARNE_OK;
    double *into = scenario_doubles(t->s, count);
    if (!into) return arne_fail_memory(t->s->reader.error);
    for (int i = 0; i < count; i++) // along velocities these are limits
        into[i] = which == VALUES_Q ? t->rest[i] : INFINITY;
    const yaml_slot slot = slot_of(t, key, node);
    *out = into;
    return scenario_values(&slot, t->robot, which, into);
}

static arne_status duration(const reference_task *t, double *out)
{
    *out = 0;
    if (!t->keys->duration) return ARNE_OK;
    const yaml_slot slot = slot_of(t, "duration", t->keys->duration);
    return scenario_positive(&slot, out);
}

static arne_status read_point_to_point(const reference_task *t)
{
    static const char *const PROFILES[] = {"linear",      "cubic",   "quintic", "septic",
                                           "trapezoidal", "s_curve", NULL};
    const reference_keys    *k = t->keys;
    int                      profile = ARNE_PROFILE_QUINTIC;
    double                  *from, *to, *velocity, *acceleration, *jerk, T;
    arne_status              status = need(t, "to", k->to);
    if (!status && k->profile) {
        const yaml_slot slot = slot_of(t, "profile", k->profile);
        status = arne_yaml_choice(&slot, PROFILES, &profile);
    }
    if (!status) status = values(t, "from", k->from, VALUES_Q, &from);
    if (!status) status = values(t, "to", k->to, VALUES_Q, &to);
    if (!status) status = values(t, "velocity", k->velocity, VALUES_V, &velocity);
    if (!status) status = values(t, "acceleration", k->acceleration, VALUES_V, &acceleration);
    if (!status) status = values(t, "jerk", k->jerk, VALUES_V, &jerk);
    if (!status) status = duration(t, &T);
    if (status) return status;
    const arne_motion_limits limits = {velocity, acceleration, jerk};
    return arne_trajectory_point_to_point(t->robot, (arne_profile)profile, from ? from : t->rest,
                                          to, T, &limits, t->out, t->s->reader.error);
}

static const char *const INTERPOLATIONS[] = {"linear", "cubic", "quintic", "septic", NULL};

static arne_status read_degree(const reference_task *t, int *degree)
{
    int choice = 1;
    *degree = 3;
    if (!t->keys->interpolation) return ARNE_OK;
    const yaml_slot   slot = slot_of(t, "interpolation", t->keys->interpolation);
    const arne_status status = arne_yaml_choice(&slot, INTERPOLATIONS, &choice);
    *degree = 2 * choice + 1;
    return status;
}

// A list of configurations, row by row.
static arne_status read_rows(const reference_task *t, const char *key, const yaml_node *node,
                             double **out)
{
    const int       count = size_of(t, VALUES_Q);
    const yaml_slot list = slot_of(t, key, node);
    arne_status     status = arne_yaml_expect(&list, YAML_LIST);
    if (status) return status;
    double *row = *out = scenario_doubles(t->s, node->count * count);
    if (!row) return arne_fail_memory(t->s->reader.error);
    for (const yaml_item *i = node->first; i && !status; i = i->next, row += count) {
        const yaml_slot slot = slot_of(t, key, i->value);
        memcpy(row, t->rest, (size_t)count * sizeof *row);
        status = scenario_values(&slot, t->robot, VALUES_Q, row);
    }
    return status;
}

static arne_status read_waypoints(const reference_task *t)
{
    const reference_keys *k = t->keys;
    double               *points = NULL, *times;
    int                   degree;
    arne_status           status = need(t, "times", k->times);
    if (!status) status = need(t, "points", k->points);
    if (!status) status = read_degree(t, &degree);
    if (!status) status = read_rows(t, "points", k->points, &points);
    if (status) return status;
    const yaml_slot slot = slot_of(t, "times", k->times);
    times = scenario_doubles(t->s, k->points->count);
    if (!times) return arne_fail_memory(t->s->reader.error);
    status = arne_yaml_numbers(&slot, k->points->count, times);
    if (status) return status;
    return arne_trajectory_waypoints(t->robot, degree, k->points->count, times, points, t->out,
                                     t->s->reader.error);
}

static arne_status read_bspline(const reference_task *t)
{
    const reference_keys *k = t->keys;
    double               *control = NULL, *breaks = NULL, degree = 3, T = 0;
    arne_bspline         *basis = NULL;
    arne_status           status = need(t, "control", k->control);
    if (!status) status = need(t, "duration", k->duration);
    if (!status && k->degree) {
        const yaml_slot slot = slot_of(t, "degree", k->degree);
        status = arne_yaml_number(&slot, &degree);
        if (!status && (degree != (int)degree || degree < 1 || degree > ARNE_BSPLINE_MAX_DEGREE))
            status = arne_yaml_fail(&slot, ARNE_VALUE, "must be a whole number from 1 to %d",
                                    ARNE_BSPLINE_MAX_DEGREE);
    }
    if (!status) status = duration(t, &T);
    if (!status) status = read_rows(t, "control", k->control, &control);
    if (!status && k->breaks) {
        const yaml_slot slot = slot_of(t, "breaks", k->breaks);
        const int       count = k->control->count - (int)degree + 1;
        breaks = scenario_doubles(t->s, count > 0 ? count : 0);
        status =
            breaks ? arne_yaml_numbers(&slot, count, breaks) : arne_fail_memory(t->s->reader.error);
    }
    if (!status)
        status =
            arne_bspline_new((int)degree, k->control->count, breaks, &basis, t->s->reader.error);
    if (!status)
        status = arne_trajectory_bspline(t->robot, basis, T, control, t->out, t->s->reader.error);
    arne_bspline_free(basis);
    return status;
}

typedef struct harmonic_keys {
    double           frequency;
    const yaml_node *amplitude, *phase;
} harmonic_keys;

static arne_status read_sinusoid(const reference_task *t)
{
    static const yaml_field FIELDS[] = {
        {"frequency", arne_yaml_number, offsetof(harmonic_keys, frequency)},
        {"amplitude", scenario_keep, offsetof(harmonic_keys, amplitude)},
        {"phase", scenario_keep, offsetof(harmonic_keys, phase)},
        YAML_FIELDS_END,
    };
    const reference_keys *k = t->keys;
    const int             nv = size_of(t, VALUES_V);
    arne_status           status = need(t, "harmonics", k->harmonics);
    double               *offset = NULL;
    if (!status) {
        const yaml_slot slot = slot_of(t, "harmonics", k->harmonics);
        status = arne_yaml_expect(&slot, YAML_LIST);
    }
    if (!status) status = values(t, "offset", k->offset, VALUES_Q, &offset);
    if (status) return status;
    const int count = k->harmonics->count;
    double   *frequency = scenario_doubles(t->s, count);
    double   *amplitude = scenario_doubles(t->s, count * nv);
    double   *phase = scenario_doubles(t->s, count * nv);
    if (!frequency || !amplitude || !phase) return arne_fail_memory(t->s->reader.error);
    int h = 0;
    for (const yaml_item *i = k->harmonics->first; i && !status; i = i->next, h++) {
        harmonic_keys   keys = {0};
        const yaml_slot slot = slot_of(t, "harmonics", i->value);
        status = arne_yaml_fields(&slot, FIELDS, &keys);
        frequency[h] = keys.frequency;
        const yaml_slot a = slot_of(t, "amplitude", keys.amplitude);
        const yaml_slot p = slot_of(t, "phase", keys.phase);
        if (!status && keys.amplitude)
            status = scenario_values(&a, t->robot, VALUES_V, amplitude + h * nv);
        if (!status && keys.phase) status = scenario_values(&p, t->robot, VALUES_V, phase + h * nv);
    }
    if (status) return status;
    return arne_trajectory_sinusoid(t->robot, offset ? offset : t->rest, count, frequency,
                                    amplitude, phase, t->out, t->s->reader.error);
}

static arne_status read_table(const reference_task *t)
{
    const arne_table *table;
    int               degree;
    arne_status       status = need(t, "file", t->keys->file);
    if (!status) status = read_degree(t, &degree);
    if (status) return status;
    const yaml_slot slot = slot_of(t, "file", t->keys->file);
    status = scenario_table(&slot, t->s, &table);
    if (status) return status;
    return scenario_place(
        &slot, arne_trajectory_table(t->robot, degree, table, t->rest, t->out, t->s->reader.error));
}

// --- what all types share ----------------------------------------------------------------------

static const struct {
    const char *name;
    arne_status (*read)(const reference_task *t);
    const char *keys; // beside type, start and scaling
} TYPES[] = {
    {"point_to_point", read_point_to_point,
     " from to profile duration velocity acceleration jerk "},
    {"waypoints", read_waypoints, " times points interpolation "},
    {"bspline", read_bspline, " control duration degree breaks "},
    {"sinusoid", read_sinusoid, " offset harmonics "},
    {"table", read_table, " file interpolation "},
};
enum { TYPE_COUNT = sizeof TYPES / sizeof *TYPES };

static arne_status find_type(const reference_task *t, int *type)
{
    const char *words[TYPE_COUNT + 1] = {NULL};
    for (int i = 0; i < TYPE_COUNT; i++)
        words[i] = TYPES[i].name;
    const arne_status status = need(t, "type", t->keys->type);
    if (status) return status;
    const yaml_slot slot = slot_of(t, "type", t->keys->type);
    return arne_yaml_choice(&slot, words, type);
}

// A key that this type does not know would be a wish that nobody hears.
static arne_status check_keys(const reference_task *t, int type)
{
    static const char common[] = " type start scaling ";
    for (const yaml_item *i = t->section->value->first; i; i = i->next) {
        char key[64];
        snprintf(key, sizeof key, " %.60s ", i->key);
        if (!strstr(common, key) && !strstr(TYPES[type].keys, key))
            return arne_reader_fail(&t->s->reader, ARNE_VALUE, i->line,
                                    "%s: '%.60s' is nothing for type '%s', which takes:%s",
                                    t->section->owner, i->key, TYPES[type].name, TYPES[type].keys);
    }
    return ARNE_OK;
}

typedef struct scaling_keys {
    const yaml_node *torque, *torque_rate;
    double           sample_time, margin;
} scaling_keys;

static arne_status slow_down(const reference_task *t)
{
    static const yaml_field FIELDS[] = {
        {"torque", scenario_keep, offsetof(scaling_keys, torque)},
        {"torque_rate", scenario_keep, offsetof(scaling_keys, torque_rate)},
        {"sample_time", scenario_positive, offsetof(scaling_keys, sample_time)},
        {"margin", scenario_positive, offsetof(scaling_keys, margin)},
        YAML_FIELDS_END,
    };
    const yaml_slot slot = slot_of(t, "scaling", t->keys->scaling);
    scaling_keys    k = {NULL, NULL, 0, 0};
    double         *torque = NULL, *rate = NULL;
    arne_status     status = arne_yaml_fields(&slot, FIELDS, &k);
    if (!status) status = values(t, "torque", k.torque, VALUES_V, &torque);
    if (!status) status = values(t, "torque_rate", k.torque_rate, VALUES_V, &rate);
    if (status) return status;
    const arne_scaling_options options = {
        .torque = torque, .torque_rate = rate, .sample_time = k.sample_time, .margin = k.margin};
    return scenario_place(
        &slot, arne_trajectory_scaled(t->robot, *t->out, &options, t->out, t->s->reader.error));
}

static arne_status read_start(const reference_task *t)
{
    const yaml_slot slot = slot_of(t, "start", t->keys->start);
    double          start = 0;
    if (!t->keys->start) return ARNE_OK;
    const arne_status status = arne_yaml_number(&slot, &start);
    if (!status) arne_trajectory_delay(*t->out, start);
    return status;
}

arne_status scenario_read_reference(arne_scenario *s, const yaml_slot *section,
                                    const arne_robot *robot, const double *rest,
                                    arne_trajectory **out)
{
#define KEY(name)                                                                                  \
    {                                                                                              \
#name, scenario_keep, offsetof(reference_keys, name)                                       \
    }
    static const yaml_field FIELDS[] = {
        KEY(type),          KEY(profile),      KEY(from),    KEY(to),      KEY(duration),
        KEY(velocity),      KEY(acceleration), KEY(jerk),    KEY(times),   KEY(points),
        KEY(interpolation), KEY(degree),       KEY(control), KEY(breaks),  KEY(offset),
        KEY(harmonics),     KEY(file),         KEY(start),   KEY(scaling), YAML_FIELDS_END,
    };
#undef KEY
    reference_keys       keys = {0};
    const reference_task task = {s, section, robot, rest, &keys, out};
    int                  type = 0;
    arne_status          status = arne_yaml_fields(section, FIELDS, &keys);
    if (!status) status = find_type(&task, &type);
    if (!status) status = check_keys(&task, type);
    if (!status) status = scenario_place(section, TYPES[type].read(&task));
    if (!status && keys.scaling) status = slow_down(&task);
    return status ? status : read_start(&task);
}
