// The controller section: which law of src/simulate/controllers, its gains, its sample time and
// limits.
#include "base/error.h"
#include "simulate/scenario.h"
#include <arne/horizon.h>
#include <arne/muscle_force.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct controller_keys {
    int               type, linear;
    const double     *kp, *ki, *kd, *torque_limits, *torque_rate_limits;
    double            sample_time, stiffness[6], damping[6], filter[2], force_weight;
    arne_mixed_gains  mixed;
    arne_flight_gains flight;
    arne_muscle_drive muscles;
    const doc_node   *frame, *file, *problem;
} controller_keys;

// How a controller is made from its keys.
typedef struct controller_law {
    arne_status (*make)(const doc_slot *section, const controller_keys *k, arne_controller **out);
} controller_law;

#define AT(field) offsetof(controller_keys, field)
#define BY_JOINT(key, field, ...)                                                                  \
    {                                                                                              \
        key, DOC_TYPE_BY_JOINT_V, AT(field), __VA_ARGS__                                           \
    }

static arne_status make_pd(const doc_slot *section, const controller_keys *k, arne_controller **out)
{
    return arne_controller_pd(scenario_of(section)->robot, k->kp, k->kd, out,
                              section->reader->error);
}

static arne_status make_pid(const doc_slot *section, const controller_keys *k,
                            arne_controller **out)
{
    return arne_controller_pid(scenario_of(section)->robot, k->kp, k->ki, k->kd, out,
                               section->reader->error);
}

static arne_status make_pd_gravity(const doc_slot *section, const controller_keys *k,
                                   arne_controller **out)
{
    return arne_controller_pd_gravity(scenario_of(section)->robot, k->kp, k->kd, out,
                                      section->reader->error);
}

static arne_status make_computed_torque(const doc_slot *section, const controller_keys *k,
                                        arne_controller **out)
{
    return arne_controller_computed_torque(scenario_of(section)->robot, k->kp, k->kd, out,
                                           section->reader->error);
}

// One number is for the base, too, which numbers of joints do not reach.
static arne_status whole_body_gains(const doc_slot *section, const char *key, const double *from,
                                    double *into)
{
    const doc_slot    slot = doc_under(section, key);
    const arne_robot *robot = scenario_of(section)->robot;
    const int         count = arne_robot_sizes(robot).v_count;
    double            most = 0;
    memcpy(into, from, sizeof *into * (size_t)count);
    if (arne_robot_base(robot) != ARNE_BASE_FREE) return ARNE_OK;
    for (int i = 0; i < 6; i++) {
        if (slot.value->kind == DOC_TEXT) into[i] = from[count - 1];
        most = fmax(most, fabs(into[i]));
    }
    if (most > 0 || slot.value->kind == DOC_TEXT) return ARNE_OK;
    return doc_fail(&slot, ARNE_VALUE,
                    "has no gain of the base: name its joint with six numbers, or give one number "
                    "for all");
}

static arne_status make_whole_body(const doc_slot *section, const controller_keys *k,
                                   arne_controller **out)
{
    const arne_scenario *s = scenario_of(section);
    const size_t         n = (size_t)arne_robot_sizes(s->robot).v_count;
    double              *kp = calloc(2 * n + 1, sizeof *kp);
    if (!kp) return arne_fail_memory(section->reader->error);
    arne_status status = status_both(whole_body_gains(section, "kp", k->kp, kp),
                                     whole_body_gains(section, "kd", k->kd, kp + n));
    if (!status)
        status =
            arne_controller_whole_body(s->robot, s->sim.surroundings, s->sim.surrounding_count, kp,
                                       kp + n, k->force_weight, out, section->reader->error);
    free(kp);
    return status;
}

// A servo per joint, with the gains of the robot's file.
static arne_status make_actuators(const doc_slot *section, const controller_keys *k,
                                  arne_controller **out)
{
    const arne_scenario *s = scenario_of(section);
    const size_t         n = (size_t)arne_robot_sizes(s->robot).v_count;
    double              *kp = calloc(2 * n + 1, sizeof *kp);
    (void)k;
    if (!kp) return arne_fail_memory(section->reader->error);
    arne_status status =
        arne_read_servo_gains(s->files[0].path, s->robot, kp, kp + n, section->reader->error);
    if (!status) status = arne_controller_pd(s->robot, kp, kp + n, out, section->reader->error);
    free(kp);
    return status;
}
static const doc_key actuators_keys[] = {{0}};

static const doc_key pd_keys[] = {
    BY_JOINT("kp", kp, .needed = 1, .otherwise = "0",
             .help = "gain from position error to torque (computed_torque: to acceleration)"),
    BY_JOINT("kd", kd, .needed = 1, .otherwise = "0", .help = "the same from velocity error"),
    {0},
};

static const doc_key whole_body_keys[] = {
    BY_JOINT("kp", kp, .needed = 1, .otherwise = "0",
             .help = "gain from position error to acceleration, also of the base"),
    BY_JOINT("kd", kd, .needed = 1, .otherwise = "0", .help = "the same from velocity error"),
    {"force_weight", DOC_TYPE_NUMBER, AT(force_weight), .range = DOC_POSITIVE, .otherwise = "1e-6",
     .help = "of contact forces, beside the balance of the base"},
    {0},
};

static const doc_key pid_keys[] = {
    BY_JOINT("kp", kp, .needed = 1, .otherwise = "0", .help = "gain from position error to torque"),
    BY_JOINT("ki", ki, .needed = 1, .otherwise = "0", .help = "the same from its integral"),
    BY_JOINT("kd", kd, .needed = 1, .otherwise = "0", .help = "the same from velocity error"),
    {0},
};

static arne_status make_impedance(const doc_slot *section, const controller_keys *k,
                                  arne_controller **out)
{
    const doc_slot    slot = {section->reader, section->owner, "frame", k->frame};
    const arne_robot *robot = scenario_of(section)->robot;
    int               frame = -1;
    const arne_status status = doc_frame(&slot, robot, &frame);
    return status ? status
                  : arne_controller_impedance(robot, frame, k->stiffness, k->damping, k->kd, out,
                                              section->reader->error);
}

static const doc_key impedance_keys[] = {
    {"frame", DOC_TYPE_NODE, AT(frame), .needed = 1, .takes = "a link or frame",
     .help = "the frame that the spring holds"},
    {"stiffness", DOC_TYPE_NUMBERS, AT(stiffness), .count = 6, .needed = 1, .unit = "N/m, N m/rad"},
    {"damping", DOC_TYPE_NUMBERS, AT(damping), .count = 6, .needed = 1, .unit = "N s/m, N m s/rad"},
    BY_JOINT("kd", kd, .otherwise = "0", .help = "damping of joints, for the posture"),
    {0},
};

static arne_status make_torque_table(const doc_slot *section, const controller_keys *k,
                                     arne_controller **out)
{
    const doc_slot    slot = {section->reader, section->owner, "file", k->file};
    const arne_table *table = NULL;
    const arne_status status = scenario_table(&slot, &table);
    if (status) return status;
    return scenario_of_table(&slot,
                             arne_controller_torque_table(scenario_of(section)->robot, table,
                                                          k->linear, out, section->reader->error));
}

static const doc_word interpolations[] = {
    {"hold", 0, NULL, NULL, NULL}, {"linear", 1, NULL, NULL, NULL}, {0}};
static const doc_key torque_table_keys[] = {
    {"file", DOC_TYPE_NODE, AT(file), .needed = 1, .takes = "a CSV file",
     .help = "a CSV with time and tau.JOINT"},
    {"interpolation", DOC_TYPE_WORD, AT(linear), .words = interpolations, .otherwise = "linear",
     .help = "between rows of the table"},
    {0},
};

static arne_status make_mixed(const doc_slot *section, const controller_keys *k,
                              arne_controller **out)
{
    return arne_controller_mixed(scenario_of(section)->robot, &k->mixed, k->filter[0], k->filter[1],
                                 out, section->reader->error);
}

// Numbers of every joint; motors of elastic joints have none of their own here.
static const doc_key mixed_keys[] = {
    BY_JOINT("load_damping", mixed.load_damping, .needed = 1, .otherwise = "0",
             .help = "gain on the sliding error of the load side"),
    BY_JOINT("load_slope", mixed.load_slope, .needed = 1, .otherwise = "0",
             .help = "of the sliding surface of the load side"),
    BY_JOINT("motor_damping", mixed.motor_damping, .needed = 1, .otherwise = "0",
             .help = "gain on the sliding error of the motor side"),
    BY_JOINT("motor_slope", mixed.motor_slope, .needed = 1, .otherwise = "0",
             .help = "of the sliding surface of the motor side"),
    {"filter", DOC_TYPE_NUMBERS, AT(filter), .count = 2,
     .help = "frequency and damping; default [200, 0.7]"},
    {0},
};

static arne_status make_flight(const doc_slot *section, const controller_keys *k,
                               arne_controller **out)
{
    const arne_scenario *s = scenario_of(section);
    return arne_controller_flight(s->robot, s->sim.surroundings, s->sim.surrounding_count,
                                  &k->flight, out, section->reader->error);
}

static const doc_key flight_keys[] = {
    {"position", DOC_TYPE_NUMBERS, AT(flight.position), .count = 2, .needed = 1,
     .unit = "1/s^2, 1/s", .help = "gains from errors of position and velocity to acceleration"},
    {"attitude", DOC_TYPE_NUMBERS, AT(flight.attitude), .count = 2, .needed = 1,
     .unit = "1/s^2, 1/s",
     .help = "gains from errors of attitude and angular velocity to angular acceleration"},
    {"time_constant", DOC_TYPE_NUMBER, AT(flight.time_constant), .needed = 1, .range = DOC_POSITIVE,
     .unit = "s", .help = "time constant of the propeller motors, which are first-order systems"},
    {0},
};

static arne_status make_mpc(const doc_slot *section, const controller_keys *k,
                            arne_controller **out)
{
    const doc_slot slot = {section->reader, section->owner, "problem", k->problem};
    arne_scenario *s = scenario_of(section);
    arne_horizon  *horizon = NULL;
    const char    *path = NULL;
    arne_status    status = scenario_add_file(&slot, &path);
    if (!status)
        status = doc_check(&slot, arne_horizon_read(path, NULL, &horizon, section->reader->error));
    if (!status) status = arne_controller_mpc(s->robot, horizon, out, section->reader->error);
    if (status) {
        arne_horizon_free(horizon);
        return status;
    }
    if (!(s->sim.sample_time > 0)) s->sim.sample_time = arne_horizon_tick(horizon);
    return ARNE_OK;
}

static const doc_key mpc_keys[] = {
    {"problem", DOC_TYPE_NODE, AT(problem), .needed = 1,
     .takes = "a problem file with method: riccati",
     .help = "what is optimal; its rate is the "
             "sample time unless one is given"},
    {0},
};

static arne_status make_muscles(const doc_slot *section, const controller_keys *k,
                                arne_controller **out)
{
    const doc_slot    slot = {section->reader, section->owner, "file", k->file};
    arne_muscle_drive drive = k->muscles;
    const arne_robot *robot = scenario_of(section)->robot;
    if (drive.tendon == ARNE_TENDON_FIBRE_STATE && !(k->sample_time > 0))
        return doc_missing(section, "sample_time");
    if (!k->file) return arne_controller_muscles(robot, &drive, out, section->reader->error);
    const arne_status status = scenario_table(&slot, &drive.table);
    if (status) return status;
    return scenario_of_table(&slot,
                             arne_controller_muscles(robot, &drive, out, section->reader->error));
}

static const doc_word tendons[] = {{"equilibrium", ARNE_TENDON_EQUILIBRIUM, NULL, NULL, NULL},
                                   {"rigid", ARNE_TENDON_RIGID, NULL, NULL, NULL},
                                   {"state", ARNE_TENDON_FIBRE_STATE, NULL, NULL, NULL},
                                   {0}};
static const doc_key  muscle_keys[] = {
     {"activation", DOC_TYPE_NUMBER, AT(muscles.activation), .range = DOC_PART, .otherwise = "0",
      .help = "of muscles that have no column"},
     {"file", DOC_TYPE_NODE, AT(file), .takes = "a CSV, .sto or .mot file",
      .help = "activations: time, and the names of muscles"},
     {"excitation", DOC_TYPE_FLAG, AT(muscles.excitation), .otherwise = "no",
      .help = "the numbers are excitations, which activations follow"},
     {"tendon", DOC_TYPE_WORD, AT(muscles.tendon), .words = tendons, .otherwise = "rigid",
      .help = "rigid, in equilibrium with the fibre, or with its length as a state, which needs a "
               "sample_time"},
     {0},
};

static const controller_law pd = {make_pd}, pid = {make_pid}, pd_gravity = {make_pd_gravity},
                            computed_torque = {make_computed_torque}, impedance = {make_impedance},
                            torque_table = {make_torque_table}, mixed = {make_mixed},
                            flight = {make_flight}, mpc = {make_mpc}, actuators = {make_actuators},
                            muscles = {make_muscles}, whole_body = {make_whole_body};

enum { NEEDS_SAMPLES = 1 };

static const doc_word types[] = {
    {"pd", 0, pd_keys, &pd, NULL},
    {"pid", NEEDS_SAMPLES, pid_keys, &pid, "the integral does not wind up"},
    {"pd_gravity", 0, pd_keys, &pd_gravity, NULL},
    {"computed_torque", 0, pd_keys, &computed_torque, NULL},
    {"whole_body", 0, whole_body_keys, &whole_body,
     "computed torque of a robot on its feet, with forces in friction cones"},
    {"impedance", 0, impedance_keys, &impedance, NULL},
    {"torque_table", 0, torque_table_keys, &torque_table, NULL},
    {"mixed", NEEDS_SAMPLES, mixed_keys, &mixed, NULL},
    {"mpc", 0, mpc_keys, &mpc, "receding horizon control"},
    {"actuators", 0, actuators_keys, &actuators, "pd with the gains of the robot's MJCF file"},
    {"flight", 0, flight_keys, &flight, "on the propellers among the surroundings"},
    {"muscles", 0, muscle_keys, &muscles, "of the robot, with activations over time"},
    {0},
};

static const doc_key controller_key_table[] = {
    {"type", DOC_TYPE_WORD, AT(type), .needed = 1, .words = types,
     .help = "the law of the torques"},
    {"sample_time", DOC_TYPE_NUMBER, AT(sample_time), .unit = "s", .range = DOC_NOT_NEGATIVE,
     .otherwise = "0", .help = "0: evaluated at every evaluation of the integrator"},
    BY_JOINT("torque_limits", torque_limits, .unit = "N m, N"),
    BY_JOINT("torque_rate_limits", torque_rate_limits, .unit = "N m/s, N/s"),
    {0},
};
#undef AT
const doc_schema scenario_controller_schema = {"controller", NULL, controller_key_table, "type"};

// Limits of the scenario replace those of the robot's file, joint by joint.
static arne_status scenario_controller_set_limits(const doc_slot *section, const controller_keys *k)
{
    const arne_control_limits limits = {k->torque_limits, k->torque_rate_limits};
    arne_controller          *controller = scenario_of(section)->controller;
    if (!k->torque_limits && !k->torque_rate_limits) return ARNE_OK;
    return arne_controller_set_limits(controller, &limits, section->reader->error);
}

static arne_status check_samples(const doc_slot *section, const controller_keys *k,
                                 const doc_word *type)
{
    const doc_slot rates = doc_under(section, "torque_rate_limits");
    if (k->sample_time > 0) return ARNE_OK;
    if (rates.value) return doc_fail(&rates, ARNE_VALUE, "need a sample_time");
    return type->value == NEEDS_SAMPLES ? doc_missing(section, "sample_time") : ARNE_OK;
}

arne_status scenario_read_controller(const doc_slot *slot, void *unused)
{
    arne_scenario  *s = scenario_of(slot);
    const doc_slot  section = {slot->reader, "controller", "", slot->value};
    controller_keys keys = {.linear = 1,
                            .filter = {200, 0.7},
                            .force_weight = 1e-6,
                            .muscles = {.tendon = ARNE_TENDON_RIGID}};
    (void)unused;
    arne_status     status = doc_read_map(&section, &scenario_controller_schema, &keys, 0);
    const doc_word *type = doc_chosen(&section, &scenario_controller_schema);
    s->sim.sample_time = keys.sample_time;
    if (type) status = status_both(status, check_samples(&section, &keys, type));
    if (status || !s->robot) return status;
    const controller_law *law = type->row;
    status = law->make(&section, &keys, &s->controller);
    s->sim.controller = s->controller;
    if (!status) status = scenario_controller_set_limits(&section, &keys);
    return s->reader.error->code ? doc_check(&section, status) : status;
}

arne_status arne_scenario_set_controller(arne_scenario *s, arne_controller *controller,
                                         double sample_time, arne_error *error)
{
    if (!s || !controller)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s is NULL",
                         s ? "controller" : "scenario");
    arne_controller_free(s->controller);
    s->sim.controller = s->controller = controller;
    if (s->sim.drive == ARNE_DRIVE_REFERENCE)
        return arne_fail(error, ARNE_VALUE, s->path, 0,
                         "the reference drives the joints, which leaves nothing for a controller");
    if (!(sample_time >= 0) || isinf(sample_time))
        return arne_fail(error, ARNE_VALUE, s->path, 0, "a sample time of %g s", sample_time);
    s->sim.sample_time = sample_time;
    return ARNE_OK;
}
