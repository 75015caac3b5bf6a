// The controller section: which law of src/motion, its gains, its sample time and limits.
#include "base/error.h"
#include "simulate/scenario.h"
#include <math.h>
#include <string.h>

typedef struct controller_keys {
    const yaml_node *type, *kp, *kd, *frame, *stiffness, *damping, *file, *interpolation,
        *sample_time, *torque_limits, *torque_rate_limits, *load_damping, *load_slope,
        *motor_damping, *motor_slope, *filter;
} controller_keys;

typedef struct controller_task {
    arne_scenario         *s;
    const yaml_slot       *section;
    const controller_keys *keys;
} controller_task;

static yaml_slot slot_of(const controller_task *t, const char *key, const yaml_node *node)
{
    return scenario_slot(t->s, t->section->owner, key, node);
}

static arne_status missing(const controller_task *t, const char *key)
{
    return arne_reader_fail(&t->s->reader, ARNE_VALUE, t->section->value->line, "%s: %s is missing",
                            t->section->owner, key);
}

// v_count numbers under a key; other is what stands where a joint is not named.
static arne_status gains(const controller_task *t, const char *key, const yaml_node *node,
                         double other, double **out)
{
    const int count = arne_robot_sizes(t->s->robot).v_count;
    if (!node) return missing(t, key);
    *out = scenario_doubles(t->s, count);
    if (!*out) return arne_fail_memory(t->s->reader.error);
    for (int i = 0; i < count; i++)
        (*out)[i] = other;
    const yaml_slot slot = slot_of(t, key, node);
    return scenario_values(&slot, t->s->robot, VALUES_V, *out);
}

typedef arne_status (*pd_fn)(const arne_robot *, const double *, const double *, arne_controller **,
                             arne_error *);

static arne_status read_pd(const controller_task *t, pd_fn make)
{
    double     *kp = NULL, *kd = NULL;
    arne_status status = gains(t, "kp", t->keys->kp, 0, &kp);
    if (!status) status = gains(t, "kd", t->keys->kd, 0, &kd);
    return status ? status : make(t->s->robot, kp, kd, &t->s->controller, t->s->reader.error);
}

static arne_status six(const controller_task *t, const char *key, const yaml_node *node,
                       double *out)
{
    if (!node) return missing(t, key);
    const yaml_slot slot = slot_of(t, key, node);
    return arne_yaml_numbers(&slot, 6, out);
}

static arne_status read_impedance(const controller_task *t)
{
    double      stiffness[6], damping[6], *kd = NULL;
    int         frame;
    arne_status status = six(t, "stiffness", t->keys->stiffness, stiffness);
    if (!status) status = six(t, "damping", t->keys->damping, damping);
    if (!status && t->keys->kd) status = gains(t, "kd", t->keys->kd, 0, &kd);
    if (!status && !t->keys->frame) status = missing(t, "frame");
    if (status) return status;
    const yaml_slot slot = slot_of(t, "frame", t->keys->frame);
    status = scenario_frame(&slot, t->s->robot, &frame);
    return status ? status
                  : arne_controller_impedance(t->s->robot, frame, stiffness, damping, kd,
                                              &t->s->controller, t->s->reader.error);
}

static arne_status read_torque_table(const controller_task *t)
{
    static const char *const WORDS[] = {"hold", "linear", NULL};
    const arne_table        *table;
    int                      linear = 1;
    arne_status              status = ARNE_OK;
    if (!t->keys->file) return missing(t, "file");
    if (t->keys->interpolation) {
        const yaml_slot slot = slot_of(t, "interpolation", t->keys->interpolation);
        status = arne_yaml_choice(&slot, WORDS, &linear);
    }
    const yaml_slot slot = slot_of(t, "file", t->keys->file);
    if (!status) status = scenario_table(&slot, t->s, &table);
    if (status) return status;
    return scenario_place(&slot,
                          arne_controller_torque_table(t->s->robot, table, linear,
                                                       &t->s->controller, t->s->reader.error));
}

// kd-like numbers of every joint; motors of elastic joints have none of their own here.
static arne_status read_mixed(const controller_task *t)
{
    const controller_keys *k = t->keys;
    double *load_damping = NULL, *load_slope = NULL, *motor_damping = NULL, *motor_slope = NULL,
           filter[2] = {200, 0.7};
    arne_status status = gains(t, "load_damping", k->load_damping, 0, &load_damping);
    if (!status) status = gains(t, "load_slope", k->load_slope, 0, &load_slope);
    if (!status) status = gains(t, "motor_damping", k->motor_damping, 0, &motor_damping);
    if (!status) status = gains(t, "motor_slope", k->motor_slope, 0, &motor_slope);
    if (!status && k->filter) {
        const yaml_slot slot = slot_of(t, "filter", k->filter);
        status = arne_yaml_numbers(&slot, 2, filter);
    }
    if (!status && t->s->sim.sample_time == 0) status = missing(t, "sample_time");
    if (status) return status;
    const arne_mixed_gains all = {load_damping, load_slope, motor_damping, motor_slope};
    return arne_controller_mixed(t->s->robot, &all, filter[0], filter[1], &t->s->controller,
                                 t->s->reader.error);
}

static arne_status read_type(const controller_task *t)
{
    static const char *const TYPES[] = {
        "pd", "pd_gravity", "computed_torque", "impedance", "torque_table", "mixed", NULL};
    int type = 0;
    if (!t->keys->type) return missing(t, "type");
    const yaml_slot   slot = slot_of(t, "type", t->keys->type);
    const arne_status status = arne_yaml_choice(&slot, TYPES, &type);
    if (status) return status;
    switch (type) {
    case 0:
        return read_pd(t, arne_controller_pd);
    case 1:
        return read_pd(t, arne_controller_pd_gravity);
    case 2:
        return read_pd(t, arne_controller_computed_torque);
    case 3:
        return read_impedance(t);
    case 4:
        return read_torque_table(t);
    default:
        return read_mixed(t);
    }
}

// Limits of the scenario replace those of the robot's file, joint by joint.
static arne_status read_limits(const controller_task *t)
{
    arne_control_limits limits = {NULL, NULL};
    double             *torque = NULL, *rate = NULL;
    arne_status         status = ARNE_OK;
    if (!t->keys->torque_limits && !t->keys->torque_rate_limits) return ARNE_OK;
    if (t->keys->torque_limits)
        status = gains(t, "torque_limits", t->keys->torque_limits, INFINITY, &torque);
    if (!status && t->keys->torque_rate_limits)
        status = gains(t, "torque_rate_limits", t->keys->torque_rate_limits, INFINITY, &rate);
    if (!status && rate && t->s->sim.sample_time == 0)
        return arne_reader_fail(&t->s->reader, ARNE_VALUE, t->section->value->line,
                                "controller: torque_rate_limits need a sample_time");
    limits.torque = torque;
    limits.torque_rate = rate;
    return status ? status
                  : arne_controller_set_limits(t->s->controller, &limits, t->s->reader.error);
}

arne_status scenario_read_controller(arne_scenario *s, const yaml_slot *section)
{
#define KEY(name)                                                                                  \
    {                                                                                              \
#name, scenario_keep, offsetof(controller_keys, name)                                      \
    }
    static const yaml_field FIELDS[] = {
        KEY(type),
        KEY(kp),
        KEY(kd),
        KEY(frame),
        KEY(stiffness),
        KEY(damping),
        KEY(file),
        KEY(interpolation),
        KEY(sample_time),
        KEY(torque_limits),
        KEY(torque_rate_limits),
        KEY(load_damping),
        KEY(load_slope),
        KEY(motor_damping),
        KEY(motor_slope),
        KEY(filter),
        YAML_FIELDS_END,
    };
#undef KEY
    controller_keys       keys = {0};
    const controller_task task = {s, section, &keys};
    arne_status           status = arne_yaml_fields(section, FIELDS, &keys);
    if (!status && keys.sample_time) {
        const yaml_slot slot = slot_of(&task, "sample_time", keys.sample_time);
        status = arne_yaml_number(&slot, &s->sim.sample_time);
        if (!status && !(s->sim.sample_time >= 0))
            status = arne_yaml_fail(&slot, ARNE_VALUE, "must not be negative");
    }
    if (!status) status = read_type(&task);
    if (!status) status = read_limits(&task);
    s->sim.controller = s->controller;
    return scenario_place(section, status);
}
