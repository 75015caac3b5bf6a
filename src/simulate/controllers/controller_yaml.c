#include "simulate/controllers/controller_yaml.h"

#include "base/error.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct wish {
    const char      *kind, *frame;
    double           sample_time;
    const yaml_node *kp, *kd, *stiffness, *damping, *file, *interpolation, *torque_limit,
        *torque_rate_limit;
} wish;

static const yaml_field FIELDS[] = {
    {"kind", arne_yaml_text, offsetof(wish, kind)},
    {"frame", arne_yaml_text, offsetof(wish, frame)},
    {"sample_time", arne_yaml_positive, offsetof(wish, sample_time)},
    {"kp", arne_yaml_keep, offsetof(wish, kp)},
    {"kd", arne_yaml_keep, offsetof(wish, kd)},
    {"stiffness", arne_yaml_keep, offsetof(wish, stiffness)},
    {"damping", arne_yaml_keep, offsetof(wish, damping)},
    {"file", arne_yaml_keep, offsetof(wish, file)},
    {"interpolation", arne_yaml_keep, offsetof(wish, interpolation)},
    {"torque_limit", arne_yaml_keep, offsetof(wish, torque_limit)},
    {"torque_rate_limit", arne_yaml_keep, offsetof(wish, torque_rate_limit)},
    YAML_FIELDS_END,
};

typedef struct request {
    const yaml_slot   *section;
    const arne_robot  *robot;
    int                v_count;
    arne_yaml_table_fn table;
    void              *context;
    arne_error        *error;
    wish               wish;
    double            *kp, *kd; // v_count each, scratch
} request;

static yaml_slot slot_of(const request *r, const char *key, const yaml_node *node)
{
    const yaml_slot slot = {r->section->reader, r->section->key, key, node};
    return slot;
}

static arne_status need(const request *r, const char *key, int given)
{
    if (given) return ARNE_OK;
    return arne_yaml_fail(r->section, ARNE_VALUE, "of kind '%s' needs '%s'", r->wish.kind, key);
}

static arne_status values(const request *r, const char *key, const yaml_node *node,
                          double otherwise, double *out)
{
    for (int i = 0; i < r->v_count; i++)
        out[i] = otherwise;
    if (!node) return ARNE_OK;
    const yaml_slot slot = slot_of(r, key, node);
    return arne_yaml_values(&slot, r->robot, YAML_VALUES_V, out);
}

static arne_status six(const request *r, const char *key, const yaml_node *node, double *out)
{
    const yaml_slot   slot = slot_of(r, key, node);
    const arne_status status = need(r, key, node != NULL);
    return status ? status : arne_yaml_numbers(&slot, 6, out);
}

// --- kinds -------------------------------------------------------------------------------------

static arne_status read_none(request *r, arne_controller **out)
{
    (void)r;
    *out = NULL;
    return ARNE_OK;
}

static arne_status read_gains(request *r)
{
    arne_status status = need(r, "kp", r->wish.kp != NULL);
    if (!status) status = need(r, "kd", r->wish.kd != NULL);
    if (!status) status = values(r, "kp", r->wish.kp, 0, r->kp);
    return status ? status : values(r, "kd", r->wish.kd, 0, r->kd);
}

static arne_status read_pd(request *r, arne_controller **out)
{
    const arne_status status = read_gains(r);
    return status ? status : arne_controller_pd(r->robot, r->kp, r->kd, out, r->error);
}

static arne_status read_pd_gravity(request *r, arne_controller **out)
{
    const arne_status status = read_gains(r);
    return status ? status : arne_controller_pd_gravity(r->robot, r->kp, r->kd, out, r->error);
}

static arne_status read_computed_torque(request *r, arne_controller **out)
{
    const arne_status status = read_gains(r);
    return status ? status : arne_controller_computed_torque(r->robot, r->kp, r->kd, out, r->error);
}

static arne_status read_impedance(request *r, arne_controller **out)
{
    double      stiffness[6], damping[6];
    arne_status status = need(r, "frame", r->wish.frame != NULL);
    if (!status) status = six(r, "stiffness", r->wish.stiffness, stiffness);
    if (!status) status = six(r, "damping", r->wish.damping, damping);
    if (!status) status = values(r, "kd", r->wish.kd, 0, r->kd);
    if (status) return status;
    const int frame = arne_find_frame(r->robot, r->wish.frame);
    if (frame < 0) {
        const yaml_slot slot = slot_of(r, "frame", arne_yaml_find(r->section->value, "frame"));
        return arne_yaml_fail(&slot, ARNE_NOT_FOUND, "'%.80s' is no link or frame of robot '%.80s'",
                              r->wish.frame, arne_robot_name(r->robot));
    }
    return arne_controller_impedance(r->robot, frame, stiffness, damping, r->kd, out, r->error);
}

static arne_status read_torque_table(request *r, arne_controller **out)
{
    static const char *const words[] = {"hold", "linear", NULL};
    const yaml_slot          how = slot_of(r, "interpolation", r->wish.interpolation);
    const arne_table        *table = NULL;
    int                      linear = 1;
    arne_status              status = need(r, "file", r->wish.file != NULL);
    if (!status && r->wish.interpolation) status = arne_yaml_choice(&how, words, &linear);
    if (status) return status;
    const yaml_slot slot = slot_of(r, "file", r->wish.file);
    if (!r->table) return arne_yaml_fail(&slot, ARNE_UNSUPPORTED, "cannot be read here");
    status = r->table(r->context, &slot, &table);
    return status ? status : arne_controller_torque_table(r->robot, table, linear, out, r->error);
}

static const struct {
    const char *name;
    arne_status (*read)(request *r, arne_controller **out);
    const char *keys; // beside kind, sample_time and limits
} KINDS[] = {
    {"none", read_none, " "},
    {"torque_table", read_torque_table, " file interpolation "},
    {"pd", read_pd, " kp kd "},
    {"pd_gravity", read_pd_gravity, " kp kd "},
    {"computed_torque", read_computed_torque, " kp kd "},
    {"impedance", read_impedance, " frame stiffness damping kd "},
};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

// --- all together ------------------------------------------------------------------------------

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

static arne_status check_keys(const request *r, int kind)
{
    static const char common[] = " kind sample_time torque_limit torque_rate_limit ";
    for (const yaml_item *i = r->section->value->first; i; i = i->next) {
        char key[64];
        snprintf(key, sizeof key, " %.60s ", i->key);
        if (!strstr(common, key) && !strstr(KINDS[kind].keys, key))
            return arne_reader_fail(r->section->reader, ARNE_VALUE, i->line,
                                    "%s: '%.60s' is nothing for kind '%s', which takes:%s",
                                    r->section->key, i->key, KINDS[kind].name, KINDS[kind].keys);
    }
    return ARNE_OK;
}

static arne_status set_limits(request *r, arne_controller *c)
{
    if (!c || (!r->wish.torque_limit && !r->wish.torque_rate_limit)) return ARNE_OK;
    arne_control_limits limits = {NULL, NULL};
    arne_status         status = values(r, "torque_limit", r->wish.torque_limit, INFINITY, r->kp);
    if (!status)
        status = values(r, "torque_rate_limit", r->wish.torque_rate_limit, INFINITY, r->kd);
    if (status) return status;
    if (r->wish.torque_limit) limits.torque = r->kp;
    if (r->wish.torque_rate_limit) limits.torque_rate = r->kd;
    return arne_controller_set_limits(c, &limits, r->error);
}

arne_status arne_controller_yaml(const yaml_slot *section, const arne_robot *robot,
                                 arne_yaml_table_fn table, void *context, double *sample_time,
                                 arne_controller **out)
{
    request r = {.section = section,
                 .robot = robot,
                 .v_count = arne_robot_sizes(robot).v_count,
                 .table = table,
                 .context = context,
                 .error = section->reader->error};
    int     kind = 0;
    *out = NULL;
    r.kp = calloc(2 * (size_t)r.v_count + 1, sizeof *r.kp);
    if (!r.kp) return arne_fail_memory(r.error);
    r.kd = r.kp + r.v_count;
    arne_status status = arne_yaml_expect(section, YAML_MAP);
    if (!status) status = find_kind(&r, &kind);
    if (!status) status = check_keys(&r, kind);
    if (!status) status = arne_yaml_fields(section, FIELDS, &r.wish);
    if (!status) status = KINDS[kind].read(&r, out);
    if (!status) status = set_limits(&r, *out);
    if (!status && r.wish.sample_time > 0 && sample_time) *sample_time = r.wish.sample_time;
    free(r.kp);
    if (!status) return ARNE_OK;
    arne_controller_free(*out);
    *out = NULL;
    return arne_yaml_place(section, status);
}
