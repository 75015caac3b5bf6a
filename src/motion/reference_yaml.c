#include "motion/reference_yaml.h"

#include "base/error.h"
#include "motion/trajectory.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Every key of every kind; which of them a kind takes is in KINDS.
typedef struct wish {
    const char      *kind;
    double           start, duration, frequency, period, degree;
    const yaml_node *at, *from, *to, *profile, *velocity, *acceleration, *jerk, *times, *points,
        *interpolation, *control, *breaks, *offset, *amplitude, *phase, *harmonics, *file, *scaling;
} wish;

static const yaml_field FIELDS[] = {
    {"kind", arne_yaml_text, offsetof(wish, kind)},
    {"start", arne_yaml_number, offsetof(wish, start)},
    {"duration", arne_yaml_positive, offsetof(wish, duration)},
    {"frequency", arne_yaml_number, offsetof(wish, frequency)},
    {"period", arne_yaml_positive, offsetof(wish, period)},
    {"degree", arne_yaml_number, offsetof(wish, degree)},
    {"at", arne_yaml_keep, offsetof(wish, at)},
    {"from", arne_yaml_keep, offsetof(wish, from)},
    {"to", arne_yaml_keep, offsetof(wish, to)},
    {"profile", arne_yaml_keep, offsetof(wish, profile)},
    {"velocity", arne_yaml_keep, offsetof(wish, velocity)},
    {"acceleration", arne_yaml_keep, offsetof(wish, acceleration)},
    {"jerk", arne_yaml_keep, offsetof(wish, jerk)},
    {"times", arne_yaml_keep, offsetof(wish, times)},
    {"points", arne_yaml_keep, offsetof(wish, points)},
    {"interpolation", arne_yaml_keep, offsetof(wish, interpolation)},
    {"control", arne_yaml_keep, offsetof(wish, control)},
    {"breaks", arne_yaml_keep, offsetof(wish, breaks)},
    {"offset", arne_yaml_keep, offsetof(wish, offset)},
    {"amplitude", arne_yaml_keep, offsetof(wish, amplitude)},
    {"phase", arne_yaml_keep, offsetof(wish, phase)},
    {"harmonics", arne_yaml_keep, offsetof(wish, harmonics)},
    {"file", arne_yaml_keep, offsetof(wish, file)},
    {"scaling", arne_yaml_keep, offsetof(wish, scaling)},
    YAML_FIELDS_END,
};

typedef struct request {
    const yaml_slot   *section;
    const arne_robot  *robot;
    arne_sizes         size;
    const double      *rest;
    arne_yaml_table_fn table;
    void              *context;
    arne_error        *error;
    wish               wish;
    double            *memory; // scratch, freed at the end
    size_t             used, room;
} request;

static yaml_slot slot_of(const request *r, const char *key, const yaml_node *node)
{
    const yaml_slot slot = {r->section->reader, r->section->key, key, node};
    return slot;
}

// So many numbers, zero, until the request is done; NULL where there is no more room.
static double *take(request *r, size_t count)
{
    if (count > r->room - r->used) return NULL;
    r->used += count;
    return r->memory + r->used - count;
}

// A configuration, the initial one where nothing is said.
static arne_status configuration(request *r, const char *key, const yaml_node *node, double *out)
{
    memcpy(out, r->rest, sizeof *out * (size_t)r->size.q_count);
    if (!node) return ARNE_OK;
    const yaml_slot slot = slot_of(r, key, node);
    return arne_yaml_values(&slot, r->robot, YAML_VALUES_Q, out);
}

// Numbers along velocities; `otherwise` where nothing is said.
static arne_status along(request *r, const char *key, const yaml_node *node, double otherwise,
                         double *out)
{
    for (int i = 0; i < r->size.v_count; i++)
        out[i] = otherwise;
    if (!node) return ARNE_OK;
    const yaml_slot slot = slot_of(r, key, node);
    return arne_yaml_values(&slot, r->robot, YAML_VALUES_V, out);
}

static arne_status need(const request *r, const char *key, int given)
{
    if (given) return ARNE_OK;
    return arne_yaml_fail(r->section, ARNE_VALUE, "of kind '%s' needs '%s'", r->wish.kind, key);
}

// --- kinds -------------------------------------------------------------------------------------

static arne_status read_hold(request *r, arne_trajectory **out)
{
    double           *q = take(r, (size_t)r->size.q_count);
    const arne_status status = configuration(r, "at", r->wish.at, q);
    return status ? status
                  : arne_trajectory_sinusoid(r->robot, q, 0, NULL, NULL, NULL, out, r->error);
}

static arne_status read_profile(request *r, int *law)
{
    static const char *const words[] = {"linear",      "cubic",   "quintic", "septic",
                                        "trapezoidal", "s_curve", NULL};
    const yaml_slot          slot = slot_of(r, "profile", r->wish.profile);
    *law = ARNE_PROFILE_QUINTIC;
    return r->wish.profile ? arne_yaml_choice(&slot, words, law) : ARNE_OK;
}

static arne_status read_limits(request *r, int law, arne_motion_limits *limits)
{
    double     *v = take(r, (size_t)r->size.v_count), *a = take(r, (size_t)r->size.v_count);
    double     *j = take(r, (size_t)r->size.v_count);
    arne_status status = ARNE_OK;
    if (law < ARNE_PROFILE_TRAPEZOIDAL) return need(r, "duration", r->wish.duration > 0);
    status = need(r, "acceleration", r->wish.acceleration != NULL);
    if (!status && law == ARNE_PROFILE_S_CURVE) status = need(r, "jerk", r->wish.jerk != NULL);
    if (!status) status = along(r, "velocity", r->wish.velocity, INFINITY, v);
    if (!status) status = along(r, "acceleration", r->wish.acceleration, INFINITY, a);
    if (!status) status = along(r, "jerk", r->wish.jerk, INFINITY, j);
    *limits = (arne_motion_limits){r->wish.velocity ? v : NULL, a, j};
    return status;
}

static arne_status read_point_to_point(request *r, arne_trajectory **out)
{
    double *from = take(r, (size_t)r->size.q_count), *to = take(r, (size_t)r->size.q_count);
    int     law = 0;
    arne_motion_limits limits = {NULL, NULL, NULL};
    arne_status        status = need(r, "to", r->wish.to != NULL);
    if (!status) status = configuration(r, "from", r->wish.from, from);
    if (!status) status = configuration(r, "to", r->wish.to, to);
    if (!status) status = read_profile(r, &law);
    if (!status) status = read_limits(r, law, &limits);
    if (status) return status;
    return arne_trajectory_point_to_point(r->robot, (arne_profile)law, from, to, r->wish.duration,
                                          &limits, out, r->error);
}

static arne_status read_degree(request *r, int *degree)
{
    static const char *const words[] = {"linear", "cubic", "quintic", "septic", NULL};
    const yaml_slot          slot = slot_of(r, "interpolation", r->wish.interpolation);
    int                      which = 1;
    const arne_status        status =
        r->wish.interpolation ? arne_yaml_choice(&slot, words, &which) : ARNE_OK;
    *degree = 2 * which + 1;
    return status;
}

// A list of configurations.
static arne_status read_points(request *r, const char *key, const yaml_node *node, double *out)
{
    const yaml_slot list = slot_of(r, key, node);
    arne_status     status = arne_yaml_expect(&list, YAML_LIST);
    if (status) return status;
    for (const yaml_item *i = node->first; i && !status; i = i->next, out += r->size.q_count)
        status = configuration(r, key, i->value, out);
    return status;
}

static arne_status read_waypoints(request *r, arne_trajectory **out)
{
    int         degree = 3;
    arne_status status = need(r, "times", r->wish.times != NULL);
    if (!status) status = need(r, "points", r->wish.points != NULL);
    if (!status) status = read_degree(r, &degree);
    if (status) return status;
    const int       count = r->wish.points->count;
    double         *times = take(r, (size_t)count);
    double         *points = take(r, (size_t)count * (size_t)r->size.q_count);
    const yaml_slot slot = slot_of(r, "times", r->wish.times);
    status = arne_yaml_numbers(&slot, count, times);
    if (!status) status = read_points(r, "points", r->wish.points, points);
    return status
               ? status
               : arne_trajectory_waypoints(r->robot, degree, count, times, points, out, r->error);
}

static arne_status make_bspline(request *r, int degree, const double *breaks, const double *control,
                                arne_trajectory **out)
{
    arne_bspline *basis;
    arne_status status = arne_bspline_new(degree, r->wish.control->count, breaks, &basis, r->error);
    if (status) return status;
    status = arne_trajectory_bspline(r->robot, basis, r->wish.duration, control, out, r->error);
    arne_bspline_free(basis);
    return status;
}

static arne_status read_bspline(request *r, arne_trajectory **out)
{
    arne_status status = need(r, "control", r->wish.control != NULL);
    if (!status) status = need(r, "degree", r->wish.degree >= 0);
    if (!status) status = need(r, "duration", r->wish.duration > 0);
    if (status) return status;
    const int count = r->wish.control->count, degree = (int)r->wish.degree;
    double   *control = take(r, (size_t)count * (size_t)r->size.q_count), *breaks = NULL;
    if (degree != r->wish.degree || degree > ARNE_BSPLINE_MAX_DEGREE)
        return arne_yaml_fail(r->section, ARNE_VALUE, "has degree %g", r->wish.degree);
    status = read_points(r, "control", r->wish.control, control);
    if (!status && r->wish.breaks) {
        const yaml_slot slot = slot_of(r, "breaks", r->wish.breaks);
        if (count <= degree)
            return arne_yaml_fail(r->section, ARNE_VALUE, "has too few control points");
        breaks = take(r, (size_t)(count - degree + 1));
        status = arne_yaml_numbers(&slot, count - degree + 1, breaks);
    }
    return status ? status : make_bspline(r, degree, breaks, control, out);
}

// One harmonic, of the section itself or of an entry of its list.
static arne_status read_harmonic(request *r, const wish *h, double *frequency, double *amplitude,
                                 double *phase)
{
    arne_status status = need(r, "amplitude", h->amplitude != NULL);
    if (!status) status = need(r, "frequency' or 'period", !isnan(h->frequency) || h->period > 0);
    if (status) return status;
    *frequency = h->period > 0 ? 2 * 3.14159265358979323846 / h->period : h->frequency;
    status = along(r, "amplitude", h->amplitude, 0, amplitude);
    return status ? status : along(r, "phase", h->phase, 0, phase);
}

static arne_status read_harmonics(request *r, int count, double *frequency, double *amplitude,
                                  double *phase)
{
    static const yaml_field fields[] = {
        {"frequency", arne_yaml_number, offsetof(wish, frequency)},
        {"period", arne_yaml_positive, offsetof(wish, period)},
        {"amplitude", arne_yaml_keep, offsetof(wish, amplitude)},
        {"phase", arne_yaml_keep, offsetof(wish, phase)},
        YAML_FIELDS_END,
    };
    const yaml_item *item = r->wish.harmonics->first;
    arne_status      status = ARNE_OK;
    for (int k = 0; k < count && !status; k++, item = item->next) {
        const yaml_slot slot = slot_of(r, "harmonics", item->value);
        const size_t    at = (size_t)k * (size_t)r->size.v_count;
        wish            h = {.frequency = NAN};
        status = arne_yaml_fields(&slot, fields, &h);
        if (!status) status = read_harmonic(r, &h, &frequency[k], amplitude + at, phase + at);
    }
    return status;
}

static arne_status read_sinusoid(request *r, arne_trajectory **out)
{
    const yaml_node *list = r->wish.harmonics;
    const yaml_slot  slot = slot_of(r, "harmonics", list);
    arne_status      status = list ? arne_yaml_expect(&slot, YAML_LIST) : ARNE_OK;
    if (status) return status;
    const int    count = list ? list->count : 1;
    const size_t size = (size_t)count * (size_t)r->size.v_count;
    double      *offset = take(r, (size_t)r->size.q_count), *frequency = take(r, (size_t)count);
    double      *amplitude = take(r, size), *phase = take(r, size);
    status = configuration(r, "offset", r->wish.offset, offset);
    if (!status)
        status = list ? read_harmonics(r, count, frequency, amplitude, phase)
                      : read_harmonic(r, &r->wish, frequency, amplitude, phase);
    return status ? status
                  : arne_trajectory_sinusoid(r->robot, offset, count, frequency, amplitude, phase,
                                             out, r->error);
}

static arne_status read_table(request *r, arne_trajectory **out)
{
    const arne_table *table = NULL;
    int               degree = 3;
    arne_status       status = need(r, "file", r->wish.file != NULL);
    if (!status) status = read_degree(r, &degree);
    if (status) return status;
    const yaml_slot slot = slot_of(r, "file", r->wish.file);
    if (!r->table) return arne_yaml_fail(&slot, ARNE_UNSUPPORTED, "cannot be read here");
    status = r->table(r->context, &slot, &table);
    return status ? status : arne_trajectory_table(r->robot, degree, table, r->rest, out, r->error);
}

// --- all together ------------------------------------------------------------------------------

static const struct {
    const char *name;
    arne_status (*read)(request *r, arne_trajectory **out);
    const char *keys; // beside kind, start and scaling
} KINDS[] = {
    {"hold", read_hold, " at "},
    {"point_to_point", read_point_to_point,
     " from to profile duration velocity acceleration jerk "},
    {"waypoints", read_waypoints, " times points interpolation "},
    {"bspline", read_bspline, " degree duration control breaks "},
    {"sinusoid", read_sinusoid, " offset amplitude frequency period phase harmonics "},
    {"table", read_table, " file interpolation "},
};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

static arne_status find_kind(const request *r, int *kind)
{
    const yaml_node *node = arne_yaml_find(r->section->value, "kind");
    const char      *words[KIND_COUNT + 1] = {NULL};
    for (int i = 0; i < KIND_COUNT; i++)
        words[i] = KINDS[i].name;
    if (!node) return arne_yaml_fail(r->section, ARNE_VALUE, "needs 'kind'");
    const yaml_slot slot = slot_of(r, "kind", node);
    return arne_yaml_choice(&slot, words, kind);
}

// A key that this kind does not know would be a wish that nobody hears.
static arne_status check_keys(const request *r, int kind)
{
    for (const yaml_item *i = r->section->value->first; i; i = i->next) {
        char key[64];
        if (strcmp(i->key, "kind") == 0 || strcmp(i->key, "start") == 0 ||
            strcmp(i->key, "scaling") == 0)
            continue;
        snprintf(key, sizeof key, " %.60s ", i->key);
        if (!strstr(KINDS[kind].keys, key))
            return arne_reader_fail(r->section->reader, ARNE_VALUE, i->line,
                                    "%s: '%.60s' is nothing for kind '%s', which takes:%s",
                                    r->section->key, i->key, KINDS[kind].name, KINDS[kind].keys);
    }
    return ARNE_OK;
}

// All that a section of this size can ask for: every list entry is a vector at most.
static arne_status take_scratch(request *r)
{
    const size_t q = (size_t)r->size.q_count + 1, v = (size_t)r->size.v_count + 1;
    size_t       entries = 4;
    for (const yaml_item *i = r->section->value->first; i; i = i->next)
        entries += (size_t)i->value->count;
    r->room = (entries + 4) * (q + 2 * v + 4);
    r->memory = calloc(r->room, sizeof *r->memory);
    return r->memory ? ARNE_OK : arne_fail_memory(r->error);
}

// A reference is of no use where joints cannot follow.
static arne_status check_limits(const request *r, const arne_trajectory *path)
{
    enum { SAMPLES = 1001 };
    const double T = arne_trajectory_duration(path);
    double       until = isfinite(T) ? T : 0;
    if (!isfinite(T)) // the slowest harmonic once
        for (int k = 0; k < path->harmonics; k++)
            if (path->numbers[k] != 0)
                until = fmax(until, 2 * 3.14159265358979323846 / fabs(path->numbers[k]));
    return arne_trajectory_check_limits(path, r->robot, until, SAMPLES, r->error);
}

arne_status arne_reference_yaml(const yaml_slot *section, const arne_robot *robot,
                                const double *rest, arne_yaml_table_fn table, void *context,
                                arne_trajectory **out)
{
    request r = {.section = section,
                 .robot = robot,
                 .size = arne_robot_sizes(robot),
                 .rest = rest,
                 .table = table,
                 .context = context,
                 .error = section->reader->error,
                 .wish = {.frequency = NAN, .degree = -1}};
    int     kind = 0;
    *out = NULL;
    arne_status status = arne_yaml_expect(section, YAML_MAP);
    if (!status) status = find_kind(&r, &kind);
    if (!status) status = check_keys(&r, kind);
    if (!status) status = arne_yaml_fields(section, FIELDS, &r.wish);
    if (!status) status = take_scratch(&r);
    if (!status) status = KINDS[kind].read(&r, out);
    if (!status) {
        (*out)->start = r.wish.start;
        status = check_limits(&r, *out);
    }
    free(r.memory);
    if (!status) return ARNE_OK;
    arne_trajectory_free(*out);
    *out = NULL;
    return arne_yaml_place(section, status);
}
