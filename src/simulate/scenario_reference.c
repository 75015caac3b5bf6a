// The reference section: which trajectory, from src/motion, and its numbers.
#include "simulate/scenario.h"
#include <math.h>
#include <string.h>

typedef struct scaling_keys {
    const double *torque, *torque_rate;
    double        sample_time, margin;
} scaling_keys;

typedef struct reference_keys {
    int             type, profile, degree, interpolation;
    const double   *from, *to, *velocity, *acceleration, *jerk, *offset;
    double          duration, start;
    const doc_node *times, *points, *control, *breaks, *harmonics, *file;
    scaling_keys    scaling;
    int             scaled;
    int             limits;
} reference_keys;

typedef struct reference_task {
    const doc_slot       *section;
    const arne_robot     *robot;
    const double         *rest;
    const reference_keys *keys;
    arne_trajectory     **out;
    arne_error           *error;
} reference_task;

// How a trajectory is made from its keys.
typedef struct reference_kind {
    arne_status (*make)(const reference_task *t);
} reference_kind;

static doc_slot scenario_reference_slot_of(const reference_task *t, const char *key,
                                           const doc_node *node)
{
    return (doc_slot){t->section->reader, t->section->owner, key, node};
}

static double *doubles(const reference_task *t, int count)
{
    return scenario_doubles(scenario_of(t->section), count);
}

#define AT(field) offsetof(reference_keys, field)

// ---- from one configuration to another

static const doc_word profiles[] = {
    {"linear", ARNE_PROFILE_LINEAR, NULL, NULL, NULL},
    {"cubic", ARNE_PROFILE_CUBIC, NULL, NULL, NULL},
    {"quintic", ARNE_PROFILE_QUINTIC, NULL, NULL, NULL},
    {"septic", ARNE_PROFILE_SEPTIC, NULL, NULL, NULL},
    {"trapezoidal", ARNE_PROFILE_TRAPEZOIDAL, NULL, NULL, NULL},
    {"s_curve", ARNE_PROFILE_S_CURVE, NULL, NULL, NULL},
    {0},
};
static const doc_key point_to_point_keys[] = {
    {"from", DOC_TYPE_BY_JOINT_Q, AT(from), .unit = "rad, m", .help = "default: where it rests"},
    {"to", DOC_TYPE_BY_JOINT_Q, AT(to), .unit = "rad, m", .needed = 1},
    {"profile", DOC_TYPE_WORD, AT(profile), .words = profiles, .otherwise = "quintic",
     .help = "time law between two configurations"},
    {"duration", DOC_TYPE_NUMBER, AT(duration), .unit = "s", .range = DOC_POSITIVE},
    {"velocity", DOC_TYPE_BY_JOINT_V, AT(velocity), .unit = "rad/s, m/s", .help = "limits"},
    {"acceleration", DOC_TYPE_BY_JOINT_V, AT(acceleration), .unit = "rad/s^2, m/s^2",
     .help = "limits"},
    {"jerk", DOC_TYPE_BY_JOINT_V, AT(jerk), .unit = "rad/s^3, m/s^3", .help = "limits"},
    {0},
};

static arne_status make_point_to_point(const reference_task *t)
{
    const reference_keys    *k = t->keys;
    const arne_motion_limits limits = {k->velocity, k->acceleration, k->jerk};
    return arne_trajectory_point_to_point(t->robot, (arne_profile)k->profile,
                                          k->from ? k->from : t->rest, k->to, k->duration, &limits,
                                          t->out, t->error);
}

// ---- through points

// The value is the degree.
#define DEGREES                                                                                    \
    {"linear", 1, NULL, NULL, NULL}, {"cubic", 3, NULL, NULL, NULL},                               \
        {"quintic", 5, NULL, NULL, NULL},                                                          \
    {                                                                                              \
        "septic", 7, NULL, NULL, NULL                                                              \
    }
static const doc_word interpolations[] = {DEGREES, {0}};
static const doc_word table_interpolations[] = {
    DEGREES,
    {"rates", 0, NULL, NULL, "degree 5, with columns qd.JOINT and qdd.JOINT of the rows"},
    {0},
};
#define KEY_INTERPOLATION(ways)                                                                    \
    {                                                                                              \
        "interpolation", DOC_TYPE_WORD, AT(interpolation), .words = (ways), .otherwise = "cubic",  \
                                                           .help = "polynomials between points"    \
    }
static const doc_key waypoint_keys[] = {
    {"times", DOC_TYPE_NODE, AT(times), .needed = 1, .unit = "s", .takes = "a list of numbers"},
    {"points", DOC_TYPE_NODE, AT(points), .needed = 1, .unit = "rad, m",
     .takes = "a list of configurations"},
    KEY_INTERPOLATION(interpolations),
    {0},
};

// A list of configurations, row by row.
static arne_status scenario_reference_read_rows(const reference_task *t, const char *key,
                                                const doc_node *node, double **out)
{
    const int      count = arne_robot_sizes(t->robot).q_count;
    const doc_slot list = scenario_reference_slot_of(t, key, node);
    arne_status    status = doc_expect(&list, DOC_LIST);
    if (status) return status;
    double *row = *out = doubles(t, node->count * count);
    if (!row) return arne_fail_memory(t->error);
    for (const doc_item *i = node->first; i && status_goes_on(status); i = i->next, row += count) {
        const doc_slot slot = scenario_reference_slot_of(t, key, i->value);
        memcpy(row, t->rest, (size_t)count * sizeof *row);
        t->section->reader->units = "rad, m";
        arne_status one = doc_values(&slot, t->robot, DOC_ALONG_Q, row, NULL);
        t->section->reader->units = NULL;
        if (!one && t->keys->limits) one = doc_check_degrees(&slot, t->robot, row);
        status = status_both(status, one);
    }
    return status;
}

static arne_status make_waypoints(const reference_task *t)
{
    const reference_keys *k = t->keys;
    double               *points = NULL, *times = doubles(t, k->points->count);
    const doc_slot        slot = scenario_reference_slot_of(t, "times", k->times);
    if (!times) return arne_fail_memory(t->error);
    arne_status status = scenario_reference_read_rows(t, "points", k->points, &points);
    t->section->reader->units = "s";
    status = status_both(status, doc_numbers(&slot, k->points->count, times));
    t->section->reader->units = NULL;
    return status ? status
                  : arne_trajectory_waypoints(t->robot, k->interpolation, k->points->count, times,
                                              points, t->out, t->error);
}

// ---- B-splines

static const doc_key bspline_keys[] = {
    {"control", DOC_TYPE_NODE, AT(control), .needed = 1, .unit = "rad, m",
     .takes = "a list of configurations"},
    {"duration", DOC_TYPE_NUMBER, AT(duration), .needed = 1, .unit = "s", .range = DOC_POSITIVE},
    {"degree", DOC_TYPE_WHOLE, AT(degree), .otherwise = "3", .help = "of the spline"},
    {"breaks", DOC_TYPE_NODE, AT(breaks), .takes = "a list of numbers",
     .help = "where polynomials meet, as parts of the duration"},
    {0},
};

static arne_status make_bspline(const reference_task *t)
{
    const reference_keys *k = t->keys;
    const doc_slot        degree =
        scenario_reference_slot_of(t, "degree", doc_find(t->section->value, "degree"));
    const doc_slot slot = scenario_reference_slot_of(t, "breaks", k->breaks);
    const int      count = k->control->count - k->degree + 1;
    double        *control = NULL, *breaks = NULL;
    arne_bspline  *basis = NULL;
    arne_status    status = ARNE_OK;
    if (k->degree < 1 || k->degree > ARNE_BSPLINE_MAX_DEGREE)
        return doc_fail(&degree, ARNE_VALUE, "must be a whole number from 1 to %d",
                        ARNE_BSPLINE_MAX_DEGREE);
    status = scenario_reference_read_rows(t, "control", k->control, &control);
    if (k->breaks) {
        breaks = doubles(t, count > 0 ? count : 0);
        if (!breaks) return arne_fail_memory(t->error);
        status = status_both(status, doc_numbers(&slot, count, breaks));
    }
    if (!status) status = arne_bspline_new(k->degree, k->control->count, breaks, &basis, t->error);
    if (!status)
        status = arne_trajectory_bspline(t->robot, basis, k->duration, control, t->out, t->error);
    arne_bspline_free(basis);
    return status;
}

// ---- sums of sines

typedef struct harmonic_keys {
    double        frequency;
    const double *amplitude, *phase;
} harmonic_keys;

static const doc_key harmonic_key_table[] = {
    {"frequency", DOC_TYPE_NUMBER, offsetof(harmonic_keys, frequency), .unit = "rad/s",
     .otherwise = "0"},
    {"amplitude", DOC_TYPE_BY_JOINT_V, offsetof(harmonic_keys, amplitude), .unit = "rad, m",
     .otherwise = "0"},
    {"phase", DOC_TYPE_BY_JOINT_V, offsetof(harmonic_keys, phase), .unit = "rad", .otherwise = "0"},
    {0},
};
static const doc_schema harmonic_schema = {"harmonics", NULL, harmonic_key_table, NULL};

static const doc_key sinusoid_keys[] = {
    {"offset", DOC_TYPE_BY_JOINT_Q, AT(offset), .unit = "rad, m",
     .help = "default: where it rests"},
    {"harmonics", DOC_TYPE_NODE, AT(harmonics), .needed = 1, .inside = &harmonic_schema,
     .takes = "a list", .help = "sines that are added"},
    {0},
};

typedef struct harmonics {
    double *frequency, *amplitude, *phase;
    int     count, nv;
} harmonics;

static arne_status read_harmonic(const doc_slot *item, const char *name, void *context)
{
    harmonics    *h = context;
    harmonic_keys keys = {0};
    (void)name;
    const arne_status status = doc_read_map(item, &harmonic_schema, &keys, 0);
    const size_t      size = (size_t)h->nv * sizeof(double);
    const int         at = h->count++;
    h->frequency[at] = keys.frequency;
    if (keys.amplitude) memcpy(h->amplitude + at * h->nv, keys.amplitude, size);
    if (keys.phase) memcpy(h->phase + at * h->nv, keys.phase, size);
    return status;
}

static arne_status make_sinusoid(const reference_task *t)
{
    const reference_keys *k = t->keys;
    const doc_slot        slot = scenario_reference_slot_of(t, "harmonics", k->harmonics);
    const doc_slot        list = {slot.reader, "", "harmonics", k->harmonics};
    const int             count = k->harmonics->count, nv = arne_robot_sizes(t->robot).v_count;
    harmonics h = {doubles(t, count), doubles(t, count * nv), doubles(t, count * nv), 0, nv};
    if (!h.frequency || !h.amplitude || !h.phase) return arne_fail_memory(t->error);
    const arne_status status = doc_each(&list, &harmonic_schema, read_harmonic, &h);
    return status ? status
                  : arne_trajectory_sinusoid(t->robot, k->offset ? k->offset : t->rest, count,
                                             h.frequency, h.amplitude, h.phase, t->out, t->error);
}

// ---- tables

static const doc_key table_keys[] = {
    {"file", DOC_TYPE_NODE, AT(file), .needed = 1, .takes = "a CSV file",
     .help = "a CSV with time and q.JOINT (or JOINT)"},
    KEY_INTERPOLATION(table_interpolations),
    {0},
};

static arne_status scenario_reference_make_table(const reference_task *t)
{
    const doc_slot    slot = scenario_reference_slot_of(t, "file", t->keys->file);
    const arne_table *table = NULL;
    const arne_status status = scenario_table(&slot, &table);
    if (status) return status;
    return scenario_of_table(&slot, arne_trajectory_table(t->robot, t->keys->interpolation, table,
                                                          t->rest, t->out, t->error));
}

// ---- what all types share

static const doc_key scaling_key_table[] = {
    {"torque", DOC_TYPE_BY_JOINT_V, offsetof(scaling_keys, torque), .unit = "N m, N",
     .help = "limits; default: the robot's"},
    {"torque_rate", DOC_TYPE_BY_JOINT_V, offsetof(scaling_keys, torque_rate), .unit = "N m/s, N/s",
     .help = "limits; default: the robot's"},
    {"sample_time", DOC_TYPE_NUMBER, offsetof(scaling_keys, sample_time), .unit = "s",
     .range = DOC_POSITIVE},
    {"margin", DOC_TYPE_NUMBER, offsetof(scaling_keys, margin), .range = DOC_POSITIVE,
     .help = "fraction of the bounds reserved for errors between samples"},
    {0},
};
static const doc_schema scaling_schema = {"scaling", NULL, scaling_key_table, NULL};

static const reference_kind point_to_point = {make_point_to_point}, waypoints = {make_waypoints},
                            bspline = {make_bspline}, sinusoid = {make_sinusoid},
                            table_kind = {scenario_reference_make_table};
static const doc_word types[] = {
    {"point_to_point", 0, point_to_point_keys, &point_to_point, NULL},
    {"waypoints", 0, waypoint_keys, &waypoints, NULL},
    {"bspline", 0, bspline_keys, &bspline, NULL},
    {"sinusoid", 0, sinusoid_keys, &sinusoid, NULL},
    {"table", 0, table_keys, &table_kind, NULL},
    {0},
};
static const doc_key reference_key_table[] = {
    {"type", DOC_TYPE_WORD, AT(type), .needed = 1, .words = types, .help = "of the motion"},
    {"start", DOC_TYPE_NUMBER, AT(start), .unit = "s", .otherwise = "0"},
    {"limits", DOC_TYPE_FLAG, AT(limits), .otherwise = "yes",
     .help = "whether it must keep within the limits of the joints"},
    {"scaling", DOC_TYPE_MAP, AT(scaling), .inside = &scaling_schema,
     .help = "slows it down so that torques stay within limits"},
    {0},
};
#undef AT
const doc_schema scenario_reference_schema = {"reference", NULL, reference_key_table, "type"};

static arne_status slow_down(const reference_task *t)
{
    const scaling_keys *k = &t->keys->scaling;
    const doc_slot      slot =
        scenario_reference_slot_of(t, "scaling", doc_find(t->section->value, "scaling"));
    const arne_scaling_options options = {.torque = k->torque,
                                          .torque_rate = k->torque_rate,
                                          .sample_time = k->sample_time,
                                          .margin = k->margin};
    if (!slot.value) return ARNE_OK;
    return doc_check(&slot, arne_trajectory_scaled(t->robot, *t->out, &options, t->out, t->error));
}

// A failure at a slot has been reported; one of the library gets the place of the section.
static arne_status told(const reference_task *t, arne_status status)
{
    return t->error->code ? doc_check(t->section, status) : status;
}

static arne_status reference_degrees(const reference_task *t, const char *key, const double *q)
{
    const doc_slot slot = doc_under(t->section, key);
    if (!q || !slot.value || !t->keys->limits) return ARNE_OK;
    return doc_check_degrees(&slot, t->robot, q);
}

static arne_status read_motion(const doc_slot *section, const arne_robot *robot, const double *rest,
                               arne_trajectory **out, int *limits)
{
    reference_keys keys = {
        .profile = ARNE_PROFILE_QUINTIC, .interpolation = 3, .degree = 3, .limits = 1};
    const reference_task task = {section, robot, rest, &keys, out, section->reader->error};
    arne_status          status = doc_read_map(section, &scenario_reference_schema, &keys, 0);
    const doc_word      *type = doc_chosen(section, &scenario_reference_schema);
    if (limits) *limits = keys.limits;
    if (status || !robot) return status;
    const reference_kind *kind = type->row;
    status = status_both(reference_degrees(&task, "from", keys.from),
                         reference_degrees(&task, "to", keys.to));
    if (!status) status = told(&task, kind->make(&task));
    if (!status) status = slow_down(&task);
    if (!status && keys.start != 0) arne_trajectory_delay(*out, keys.start);
    return status;
}

arne_status scenario_read_reference(const doc_slot *section, const arne_robot *robot,
                                    const double *rest, arne_trajectory **out, int *limits)
{
    reader           *r = section->reader;
    const arne_robot *of = r->robot;
    const double     *at = r->rest;
    r->robot = robot;
    r->rest = rest;
    const arne_status status = read_motion(section, robot, rest, out, limits);
    r->robot = of;
    r->rest = at;
    return status;
}
