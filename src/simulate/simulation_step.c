// A simulation that the caller steps: torques of the caller, times, and the state as numbers.
#include "simulate/simulation.h"

#include "base/error.h"
#include "base/options.h"
#include "world/rigid.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Whose torques act: those of the caller, or of the spec's controller.
static void simulation_drive(arne_simulation *s, int given)
{
    s->plant.controller = given ? s->given : s->spec.controller;
    s->plant.samples = given || s->spec.sample_time > 0;
}

// ---- the state as numbers ----

// Of the names of joints, and of what decides which numbers there are (FNV-1a).
static double simulation_fingerprint(const arne_simulation *s)
{
    const arne_robot *robot = s->spec.robot;
    uint32_t          sum = 2166136261u;
    for (int j = 0; j < s->plant.sizes.joint_count; j++)
        for (const char *c = arne_robot_joint(robot, j).name; *c; c++)
            sum = (sum ^ (unsigned char)*c) * 16777619u;
    return sum;
}

// Format, robot, and the memory of a simulation that is stepped.
static void simulation_walk_all(arne_simulation *s, checkpoint *c)
{
    enum { FORMAT = 1 };
    plant *p = &s->plant;
    int    given = p->controller == s->given;
    checkpoint_same(c, FORMAT);
    checkpoint_same(c, simulation_fingerprint(s));
    checkpoint_same(c, s->spec.reference != NULL);
    checkpoint_same(c, p->sizes.contact_count);
    simulation_walk(s, c);
    checkpoint_controller(c, s->given);
    checkpoint_int(c, &given);
    checkpoint_numbers(c, &s->origin, 1);
    checkpoint_long(c, &s->count);
    checkpoint_int(c, &s->ended);
    if (!s->spec.reference) {
        checkpoint_numbers(c, p->q_ref, (size_t)p->sizes.q_count);
        checkpoint_numbers(c, p->qd_ref, (size_t)p->sizes.v_count);
    }
    if (c->way == CHECKPOINT_LOAD) simulation_drive(s, given);
}

size_t arne_simulation_state_size(const arne_simulation *s) { return s->state_size; }

void arne_simulation_state(arne_simulation *s, double *out)
{
    checkpoint c = {.way = CHECKPOINT_SAVE, .numbers = out, .count = s->state_size};
    simulation_walk_all(s, &c);
    memset(out + c.at, 0, (s->state_size - c.at) * sizeof *out); // lists that are not full
}

// Loads a state; whether it was one.
static int simulation_load(arne_simulation *s, const double *state)
{
    checkpoint c = {.way = CHECKPOINT_LOAD, .numbers = (double *)state, .count = s->state_size};
    simulation_walk_all(s, &c);
    for (size_t i = c.at; i < c.count && !c.bad; i++)
        c.bad = !(state[i] == 0);
    arne_integrator *it = s->it;
    // Between steps the integrator stands where the steps have led, so that the next one is short.
    const double steps_end = s->origin + (double)s->count * s->step;
    return !c.bad && fabs(it->time - steps_end) <= s->step &&
           (it->grid_done == 0 || fabs(it->time - it->grid_from) <= 2 * s->step) &&
           integrator_broken(it, it->q, it->qd, it->z) < 0;
}

arne_status arne_simulation_set_state(arne_simulation *s, const double *state, arne_error *error)
{
    if (!s || !state) return arne_fail_null(error);
    arne_simulation_state(s, s->state);
    if (simulation_load(s, state)) return simulation_resume(s, error);
    simulation_load(s, s->state);
    return arne_fail(error, ARNE_VALUE, NULL, 0,
                     "the numbers are not a state of this robot and simulation");
}

// ---- making ----

static arne_status simulation_given_torques(void *context, const arne_control_input *input,
                                            double *tau)
{
    const arne_simulation *s = context;
    (void)input;
    memcpy(tau, s->tau, (size_t)s->plant.sizes.v_count * sizeof *tau);
    return ARNE_OK;
}

static void *simulation_copy(const void *from, size_t size)
{
    void *to = malloc(size + 1);
    if (to && size) memcpy(to, from, size);
    return to;
}

// The spec with copies of its arrays.
static arne_status simulation_take_spec(arne_simulation *s, const arne_simulation_spec *spec,
                                        const arne_robot *robot, arne_error *error)
{
    const arne_sizes n = arne_robot_sizes(robot);
    const size_t     nq = (size_t)n.q_count, nv = (size_t)n.v_count;
    if (spec) s->spec = *spec;
    arne_simulation_spec *own = &s->spec;
    own->robot = robot;
    own->resume = own->resume_rows = NULL;
    own->checkpoint = own->impacts = NULL;
    s->start = calloc(nq + nv + 1, sizeof *s->start);
    s->surroundings = simulation_copy(own->surroundings,
                                      (size_t)own->surrounding_count * sizeof *s->surroundings);
    s->followed = simulation_copy(own->followed, own->followed ? nv : 0);
    if (!s->start || !s->surroundings || !s->followed) return arne_fail_memory(error);
    if (own->q) own->q = memcpy(s->start, own->q, nq * sizeof *s->start);
    if (own->qd) own->qd = memcpy(s->start + nq, own->qd, nv * sizeof *s->start);
    own->surroundings = s->surroundings;
    if (own->followed) own->followed = s->followed;
    return ARNE_OK;
}

// The time of a step, and that of the integrator where it has equal steps.
static arne_status simulation_take_step(arne_simulation *s, double step, arne_error *error)
{
    arne_integrator_options *o = &s->spec.integrator;
    const int                fixed = integrator_is_fixed(o->method);
    s->step = step != 0 ? step : fixed && o->step > 0 ? o->step : 1e-3;
    if (!(s->step > 0) || !isfinite(s->step))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "the step must be positive, not %g", step);
    if (!(s->spec.sample_time >= 0) || !isfinite(s->spec.sample_time))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "the sample time must be positive, not %g",
                         s->spec.sample_time);
    if (fixed && o->step == 0) o->step = s->step;
    return ARNE_OK;
}

// Room for states, and the one before the start.
static arne_status simulation_take_states(arne_simulation *s, arne_error *error)
{
    checkpoint c = {.way = CHECKPOINT_COUNT, .most = 1};
    simulation_walk_all(s, &c);
    s->state_size = c.at;
    s->state = malloc(2 * c.at * sizeof *s->state);
    if (!s->state) return arne_fail_memory(error);
    s->fresh = s->state + c.at;
    arne_simulation_state(s, s->fresh);
    return ARNE_OK;
}

static arne_status simulation_new(arne_simulation *s, const arne_simulation_options *options,
                                  const arne_robot *robot, arne_error *error)
{
    arne_status status = simulation_take_spec(s, options->spec, robot, error);
    if (!status) status = simulation_take_step(s, options->step, error);
    if (!status) status = plant_check(&s->spec, error);
    if (!status) status = simulation_make(s, error);
    if (!status && s->plant.rigid) status = rigid_reserve(s->plant.world, error);
    if (!status)
        status = arne_controller_callback(robot, simulation_given_torques, s, &s->given, error);
    if (!status) status = simulation_take_states(s, error);
    return status ? status : arne_simulation_reset(s, NULL, NULL, error);
}

arne_status arne_simulation_new(const arne_robot *robot, const arne_simulation_options *options,
                                arne_simulation **out, arne_error *error)
{
    arne_simulation_options own = {0};
    if (out) *out = NULL;
    if (options && !options_take(&own, sizeof own, OPTIONS_FIRST(arne_simulation_options), options))
        return options_refuse(error);
    if (!robot || !out) return arne_fail_null(error);
    if (own.spec && own.spec->robot && own.spec->robot != robot)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "the spec is of another robot");
    arne_simulation *s = calloc(1, sizeof *s);
    if (!s) return arne_fail_memory(error);
    const arne_status status = simulation_new(s, &own, robot, error);
    if (status)
        arne_simulation_free(s);
    else
        *out = s;
    return status;
}

void arne_simulation_free(arne_simulation *s)
{
    if (!s) return;
    simulation_end(s);
    arne_controller_free(s->given);
    free(s->state);
    free(s->start);
    free(s->surroundings);
    free(s->followed);
    free(s);
}

// ---- steps ----

// Numbers of the caller must be finite; the first that is not belongs to a joint.
static arne_status simulation_check_numbers(const arne_simulation *s, const double *numbers,
                                            const char *what, arne_error *error)
{
    int v = 0, motor;
    while (v < s->plant.sizes.v_count && isfinite(numbers[v]))
        v++;
    if (v == s->plant.sizes.v_count) return ARNE_OK;
    const char *joint = coordinate_joint(s->spec.robot, v, &motor);
    return arne_fail(error, ARNE_VALUE, NULL, 0, "the %s of %sjoint '%s' is not finite", what,
                     motor ? "the motor of " : "", joint ? joint : "?");
}

static arne_status simulation_take_torques(arne_simulation *s, const double *tau, arne_error *error)
{
    if (s->spec.drive == ARNE_DRIVE_REFERENCE)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "torques are given, but the reference drives the joints");
    arne_status status = simulation_check_numbers(s, tau, "torque", error);
    if (status) return status;
    simulation_drive(s, 1);
    s->tau = tau;
    status = simulation_control(s, error);
    s->tau = NULL;
    return status;
}

// Back to the controller of the spec, which is sampled at once, or to no torques.
static arne_status simulation_leave_torques(arne_simulation *s, arne_error *error)
{
    if (s->plant.controller != s->given) return ARNE_OK;
    const double now = arne_integrator_time(s->it), period = s->spec.sample_time;
    simulation_drive(s, 0);
    memset(s->plant.tau, 0, (size_t)s->plant.sizes.v_count * sizeof *s->plant.tau);
    if (period > 0) s->samples = (long)floor(now / period + 1e-9);
    s->sample_due = now;
    return simulation_decide(s, error);
}

static arne_status simulation_take(arne_simulation *s, const double *tau, arne_error *error)
{
    if (s->stopped) s->ended = s->stopped = 0;
    return tau ? simulation_take_torques(s, tau, error) : simulation_leave_torques(s, error);
}

// Other steps count from here.
static void simulation_count_anew(arne_simulation *s)
{
    s->origin = arne_integrator_time(s->it);
    s->count = 0;
}

static arne_status simulation_leave(const arne_simulation *s, arne_status status, arne_error *error)
{
    if (status || !s->ended) return status;
    return arne_fail(error, ARNE_STOPPED, NULL, 0, "%s",
                     s->why[0] ? s->why : "the simulation has ended at a limit");
}

arne_status arne_simulation_step(arne_simulation *s, const double *tau, int count,
                                 arne_error *error)
{
    if (!s) return arne_fail_null(error);
    if (count < 0) return arne_fail(error, ARNE_VALUE, NULL, 0, "%d steps cannot be taken", count);
    arne_status status = simulation_take(s, tau, error);
    if (status) return status;
    for (int i = 0; i < count && !status && !s->ended; i++) {
        status = simulation_go(s, s->origin + (double)(s->count + 1) * s->step, error);
        s->count++;
    }
    if (status || s->ended) simulation_count_anew(s);
    return simulation_leave(s, status, error);
}

arne_status arne_simulation_advance(arne_simulation *s, const double *tau, double until,
                                    arne_error *error)
{
    if (!s) return arne_fail_null(error);
    if (!(until >= arne_integrator_time(s->it)) || !isfinite(until))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "t = %.9g s is not ahead of %.9g s", until,
                         arne_integrator_time(s->it));
    arne_status status = simulation_take(s, tau, error);
    if (status) return status;
    status = simulation_go(s, until, error);
    simulation_count_anew(s);
    return simulation_leave(s, status, error);
}

// Finite numbers, and quaternions of unit length.
static arne_status simulation_check_start(arne_simulation *s, const double *q, const double *qd,
                                          arne_error *error)
{
    for (int j = 0; q && j < s->plant.sizes.joint_count; j++) {
        const arne_joint_info info = arne_robot_joint(s->spec.robot, j);
        for (int i = info.q_start; i < info.q_start + info.q_count; i++)
            if (!isfinite(q[i]))
                return arne_fail(error, ARNE_VALUE, NULL, 0,
                                 "the position of joint '%s' is not finite", info.name);
    }
    if (q && fabs(arne_quaternion_error(s->spec.robot, q)) > 1e-6)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "a quaternion of the configuration is not of unit length");
    return qd ? simulation_check_numbers(s, qd, "velocity", error) : ARNE_OK;
}

arne_status arne_simulation_set_target(arne_simulation *s, const double *q, const double *qd,
                                       arne_error *error)
{
    if (!s || !q) return arne_fail_null(error);
    if (s->spec.reference)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "a target is given, but the controller follows a reference");
    const arne_status status = simulation_check_start(s, q, qd, error);
    if (status) return status;
    plant       *p = &s->plant;
    const size_t nv = (size_t)p->sizes.v_count * sizeof *qd;
    memcpy(p->q_ref, q, (size_t)p->sizes.q_count * sizeof *q);
    if (qd)
        memcpy(p->qd_ref, qd, nv);
    else
        memset(p->qd_ref, 0, nv);
    // A controller that is sampled sees it at its next sample.
    return p->samples || !p->controller ? ARNE_OK : simulation_decide(s, error);
}

arne_status arne_simulation_reset(arne_simulation *s, const double *q, const double *qd,
                                  arne_error *error)
{
    if (!s) return arne_fail_null(error);
    const double *const rate = qd ? qd : q ? NULL : s->spec.qd;
    if (!q) q = s->spec.q;
    arne_status status = simulation_check_start(s, q, rate, error);
    if (status) return status;
    arne_simulation_state(s, s->state);
    simulation_load(s, s->fresh);
    s->stopped = 0;
    s->why[0] = '\0';
    status = simulation_start(s, q, rate, error);
    if (!status) return ARNE_OK;
    simulation_load(s, s->state);
    arne_error        ignored;
    const arne_status back = simulation_resume(s, &ignored);
    (void)back;
    return status;
}

// ---- looking at it ----

const arne_robot *arne_simulation_robot(const arne_simulation *s) { return s->spec.robot; }
double        arne_simulation_time(const arne_simulation *s) { return arne_integrator_time(s->it); }
double        arne_simulation_step_time(const arne_simulation *s) { return s->step; }
const double *arne_simulation_q(const arne_simulation *s) { return arne_integrator_q(s->it); }
const double *arne_simulation_qd(const arne_simulation *s) { return arne_integrator_qd(s->it); }
const double *arne_simulation_tau(const arne_simulation *s) { return s->plant.tau; }

void arne_simulation_energy(arne_simulation *s, double *kinetic, double *potential, double *work)
{
    plant *p = &s->plant;
    plant_move_base(p, arne_integrator_time(s->it));
    arne_energy(p->robot, p->work, arne_integrator_q(s->it), arne_integrator_qd(s->it), kinetic,
                potential);
    if (work) *work = arne_integrator_z(s->it)[0];
}

// Compliant ground presses at the state; the forces of rigid ground are known from its last step.
static int simulation_touch(arne_simulation *s)
{
    plant *p = &s->plant;
    if (!p->world) return 0;
    if (!p->rigid) {
        const double time = arne_integrator_time(s->it);
        plant_move_base(p, time);
        surroundings_act(p, time, arne_integrator_q(s->it), arne_integrator_qd(s->it));
    }
    return arne_world_touch_count(p->world);
}

void arne_simulation_contact_forces(arne_simulation *s, double *out)
{
    memset(out, 0, 3 * (size_t)s->plant.sizes.contact_count * sizeof *out);
    if (simulation_touch(s)) world_sum_forces(s->plant.world, out);
}

int arne_simulation_contacts(arne_simulation *s, arne_touch *out, int room)
{
    plant    *p = &s->plant;
    const int count = simulation_touch(s);
    for (int i = 0; i < count && i < room; i++)
        out[i] = arne_world_touch(p->world, i);
    return count;
}

void arne_simulation_summarise(const arne_simulation *s, arne_simulation_summary *out)
{
    memset(out, 0, sizeof *out);
    out->beyond = arne_joint_beyond(s->spec.robot, arne_simulation_q(s));
    simulation_summarise(s, out);
    out->limits_hit += arne_controller_hits(s->given).torque;
    out->limits_hit += arne_controller_hits(s->given).torque_rate;
}
