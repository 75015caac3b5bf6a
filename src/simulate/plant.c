// The right-hand side of a simulation:
//
//     M(q) qdd + c(q, qd) + g(q) + friction(qd) = tau(t, q, qd) + sum of J^T f(t, q, qd)
//
// by forward dynamics; where the reference drives, by inverse dynamics, with the base's
// acceleration where it is free.
#include "simulate/plant.h"
#include "base/error.h"
#include "math/dense.h"
#include "mechanism/loop_work.h"
#include "simulate/medium.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Hands out the block; returns how many doubles there are.
static size_t plant_place(plant *p, double *block)
{
    double **const of_v[] = {&p->tau,    &p->applied, &p->given_qdd, &p->qd,        &p->base_tau,
                             &p->qd_ref, &p->qdd_ref, &p->qddd_ref,  &p->qdddd_ref, &p->rate_room};
    double **const of_q[] = {&p->q, &p->q_ref};
    size_t         used = 0;
    for (size_t i = 0; i < sizeof of_q / sizeof *of_q; i++, used += (size_t)p->sizes.q_count)
        if (block) *of_q[i] = block + used;
    for (size_t i = 0; i < sizeof of_v / sizeof *of_v; i++, used += (size_t)p->sizes.v_count)
        if (block) *of_v[i] = block + used;
    return used + (size_t)(2 * p->sizes.v_count + p->sizes.q_count); // the rest of rate_room
}

// Joints of one coordinate that have a limit.
static int plant_collect_limits(const arne_robot *robot, int *out)
{
    int count = 0;
    for (int j = 0; j < arne_robot_sizes(robot).joint_count; j++) {
        const arne_joint_info info = arne_robot_joint(robot, j);
        if (info.q_count != 1 || (!isfinite(info.lower) && !isfinite(info.upper))) continue;
        if (out) out[count] = j;
        count++;
    }
    return count;
}

// What q_ref is where no reference says it: the initial configuration, or the assembly at the start
// positions of the active joints; where these cannot be (there may be more of them than mobility),
// the nearest closed configuration.
static arne_status close_start(plant *p, arne_error *error)
{
    if (p->sim->q) {
        memcpy(p->q_ref, p->sim->q, (size_t)p->sizes.q_count * sizeof *p->q_ref);
        return ARNE_OK;
    }
    arne_start_configuration(p->robot, p->q_ref);
    if (arne_assemble(p->robot, p->work, p->loop, NULL, p->q_ref, NULL, NULL) == ARNE_OK)
        return ARNE_OK;
    arne_start_configuration(p->robot, p->q_ref);
    return arne_loop_project(p->robot, p->work, p->loop, p->q_ref, NULL, error);
}

arne_status plant_new(const arne_simulation_spec *sim, plant *p, arne_error *error)
{
    memset(p, 0, sizeof *p);
    p->sim = sim;
    p->robot = sim->robot;
    p->controller = sim->controller;
    p->samples = sim->sample_time > 0;
    p->sizes = arne_robot_sizes(sim->robot);
    p->base_v = arne_robot_base(sim->robot) == ARNE_BASE_FREE ? 6 : 0;
    p->rigid = plant_is_rigid(sim);
    p->dry_count = sim->stiction == ARNE_STICTION_STICK ? dry_collect(sim->robot, NULL) : 0;
    p->limited_count = plant_collect_limits(sim->robot, NULL);
    p->block = calloc(plant_place(p, NULL) + 1, sizeof(double));
    p->f_ext = calloc((size_t)p->sizes.body_count + 1, sizeof *p->f_ext);
    const int tendons = surroundings_tendons(p->robot);
    if (tendons) p->tendons = calloc(4 * (size_t)tendons, sizeof *p->tendons);
    p->loads = sim->surrounding_count || tendons ? p->f_ext : NULL;
    p->dry = calloc((size_t)p->dry_count + 1, sizeof *p->dry);
    p->stuck = calloc((size_t)p->sizes.v_count + 1, 1);
    p->limited = calloc((size_t)p->limited_count + 1, sizeof *p->limited);
    p->active = calloc(2 * (size_t)p->sizes.v_count + 1, 1);
    p->follows = p->active ? p->active + p->sizes.v_count : NULL;
    p->impulses = calloc((size_t)p->sizes.contact_count + 1, sizeof *p->impulses);
    if (!p->block || !p->impulses || !p->f_ext || (tendons && !p->tendons) || !p->dry ||
        !p->stuck || !p->limited || !p->active || arne_work_new(p->robot, &p->work) != ARNE_OK ||
        (p->sizes.loop_count > 0 && arne_loop_work_new(p->robot, &p->loop) != ARNE_OK)) {
        plant_free(p);
        return arne_fail_memory(error);
    }
    arne_status status = surroundings_world(sim, &p->world, error);
    if (!status) status = added_mass_new(sim, p->dry_count > 0, &p->water, error);
    if (!status) status = reference_check(sim, p->water != NULL, error);
    if (!status && p->rigid && plant_has_ground(sim) && sim->impacts) {
        status = impacts_new(sim->robot, &p->impacts);
        if (status) arne_fail(error, status, NULL, 0, "impacts: %s", arne_status_text(status));
    }
    if (status) {
        plant_free(p);
        return status;
    }
    plant_place(p, p->block);
    if (p->dry_count) p->dry_count = dry_collect(sim->robot, p->dry);
    if (p->rigid) rigid_take_friction(p);
    plant_collect_limits(sim->robot, p->limited);
    if (sim->drive == ARNE_DRIVE_REFERENCE && !p->loop) reference_prepare(p);
    if (p->loop) {
        for (int i = 0; sim->followed && i < p->sizes.v_count; i++)
            p->free_count += !sim->followed[i];
        p->square = calloc((size_t)(p->free_count * p->free_count) + 1, sizeof *p->square);
        if (!p->square) return arne_fail_memory(error);
        arne_active(p->robot, p->active);
        return close_start(p, error);
    }
    arne_neutral(p->robot, p->q_ref);
    return ARNE_OK;
}

void plant_free(plant *p)
{
    arne_work_free(p->work);
    arne_loop_work_free(p->loop);
    arne_world_free(p->world);
    added_mass_free(p->water);
    impacts_free(&p->impacts);
    free(p->impulses);
    free(p->active);
    free(p->square);
    free(p->block);
    free(p->f_ext);
    free(p->tendons);
    free(p->dry);
    free(p->stuck);
    free(p->limited);
    memset(p, 0, sizeof *p);
}

void plant_reference(plant *p, double time)
{
    if (p->sim->reference)
        arne_trajectory_evaluate(p->sim->reference, time, p->q_ref, p->qd_ref, p->qdd_ref,
                                 p->qddd_ref, p->qdddd_ref);
}

static arne_motion plant_motion_of(const double *v)
{
    return (arne_motion){{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
}

static arne_mat3 plant_rotation_of(const double *h)
{
    const double x = h[0], y = h[1], z = h[2], w = h[3];
    return (arne_mat3){
        {1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
        {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
        {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)},
    };
}

void plant_move_base(plant *p, double time)
{
    if (!p->sim->base) return;
    double q[7], v[6], a[6], jerk[6];
    arne_trajectory_evaluate(p->sim->base, time, q, v, a, jerk, NULL);
    const arne_pose   stands = {plant_rotation_of(q + 3), {q[0], q[1], q[2]}};
    const arne_motion acceleration = plant_motion_of(a), rate = plant_motion_of(jerk);
    p->base_velocity = plant_motion_of(v);
    arne_work_set_base(p->robot, p->work, &stands, &p->base_velocity, &acceleration);
    arne_work_set_base_jerk(p->robot, p->work, &rate);
    if (p->controller) // its model moves with it
        arne_work_set_base(p->robot, arne_controller_work(p->controller), &stands,
                           &p->base_velocity, &acceleration);
}

arne_status plant_control(plant *p, double time, const double *q, const double *qd,
                          arne_error *error)
{
    if (!p->controller) return ARNE_OK; // zero from the start
    plant_move_base(p, time);
    plant_reference(p, time);
    const arne_control_input input = {.t = time,
                                      .q = q,
                                      .qd = qd,
                                      .q_ref = p->q_ref,
                                      .qd_ref = p->qd_ref,
                                      .qdd_ref = p->qdd_ref,
                                      .qddd_ref = p->qddd_ref,
                                      .qdddd_ref = p->qdddd_ref};
    return arne_control(p->controller, &input, p->tau, error);
}

double plant_base_power(const plant *p)
{
    const arne_wrench f = arne_base_wrench(p->robot, p->work);
    const arne_motion v = p->base_velocity;
    return f.lin.x * v.lin.x + f.lin.y * v.lin.y + f.lin.z * v.lin.z + f.ang.x * v.ang.x +
           f.ang.y * v.ang.y + f.ang.z * v.ang.z;
}

arne_status plant_swim(plant *p, const double *q, const double *qd, int found, double *tau,
                       double *qdd, arne_error *error)
{
    double power = 0;
    for (int i = 0; i < found && found < p->sizes.v_count; i++)
        tau[i] = 0; // nothing drives a free base
    const arne_status status =
        added_mass_solve(p->water, p->work, q, qd, p->f_ext, found, tau, qdd, &power, error);
    p->surroundings_power += power;
    return status;
}

// Within a step loops are open by its curvature; at its end they are closed again. Beyond this
// length or angle a step says nothing of the mechanism. IDA tries out any configuration.
static const double             OPEN_MOST = 1e-2;
static const arne_stabilisation OPEN = {0, 0};

static arne_status react_closed(plant *p, const double *q, const double *qd, const arne_wrench *f,
                                double *qdd, arne_error *error)
{
    const arne_status status = arne_loop_forward_dynamics(p->robot, p->work, p->loop, q, qd,
                                                          p->applied, f, &OPEN, qdd, error);
    double            most = 0;
    for (int i = 0; i < p->sizes.loop_row_count; i++)
        most = fmax(most, fabs(p->loop->error[i]));
    if (status || most <= OPEN_MOST || p->sim->integrator.method == ARNE_METHOD_IDA) return status;
    return arne_fail(error, ARNE_LOOP_OPEN, NULL, 0,
                     "the loops open by %.3g (m or rad) within a step: take a shorter one "
                     "(integrator: step, max_step)",
                     most);
}

// Torques make the motion.
static arne_status react(plant *p, double time, const double *q, const double *qd, double *qdd,
                         arne_error *error)
{
    arne_status status = ARNE_OK;
    if (!p->samples) status = plant_control(p, time, q, dry_seen(p, qd), error);
    if (status != ARNE_OK) return status;
    surroundings_act(p, time, q, qd);
    const arne_wrench *f = p->loads;
    memcpy(p->applied, p->tau, (size_t)p->sizes.v_count * sizeof *p->tau);
    dry_apply(p, qd);
    if (p->loop) return react_closed(p, q, qd, f, qdd, error);
    if (p->water) return plant_swim(p, q, qd, p->sizes.v_count, p->applied, qdd, error);
    if (!p->stuck_count)
        return arne_forward_dynamics(p->robot, p->work, q, qd, p->applied, f, qdd, error);
    memset(p->given_qdd, 0, (size_t)p->sizes.v_count * sizeof *qdd);
    status = arne_hybrid_dynamics(p->robot, p->work, q, qd, p->stuck, f, p->applied, p->given_qdd,
                                  error);
    memcpy(qdd, p->given_qdd, (size_t)p->sizes.v_count * sizeof *qdd);
    dry_needed(p);
    return status;
}

arne_status plant_rate(void *context, double time, const double *q, const double *qd,
                       const double *z, double *qdd, double *zd, arne_error *error)
{
    plant    *p = context;
    const int follows = p->sim->drive == ARNE_DRIVE_REFERENCE;
    (void)z;
    plant_move_base(p, time);
    const arne_status status =
        !follows ? react(p, time, q, qd, qdd, error) : reference_rate(p, time, q, qd, qdd, error);
    if (status != ARNE_OK || !zd) return status;
    const double *moves = follows ? p->qd : qd;
    zd[0] = p->surroundings_power - friction_power(p, moves);
    for (int i = 0; i < p->sizes.v_count; i++)
        zd[0] += p->tau[i] * moves[i];
    if (!p->sim->base) return ARNE_OK;
    if (p->loop) // what loops do within the robot, its base among it, adds up to nothing
        arne_inverse_dynamics(p->robot, p->work, follows ? p->q : q, moves, qdd, p->loads,
                              p->base_tau);
    else if ((!follows || p->loose_count) && !p->water) // those of the water are there
        arne_forward_wrenches(p->robot, p->work);
    zd[0] += plant_base_power(p);
    return ARNE_OK;
}

// The robot's own matrices; a joint that sticks has no part in them. Controllers, surroundings and
// added mass are left out.
static arne_status plant_linear(void *context, double time, const double *q, const double *qd,
                                const double *qdd, double *K, double *D, double *M,
                                arne_error *error)
{
    plant    *p = context;
    const int n = p->sizes.v_count;
    (void)time, (void)error; // where the base is, and all else, plant_rate has just set
    arne_inverse_dynamics_derivatives(p->robot, p->work, q, qd, qdd, NULL, 0, K, D, M);
    for (int i = 0; i < n; i++)
        for (int j = 0; p->stuck[i] && j < n; j++) {
            K[i * n + j] = K[j * n + i] = D[i * n + j] = D[j * n + i] = 0;
            M[i * n + j] = M[j * n + i] = i == j;
        }
    return ARNE_OK;
}

// After a step: loops that the integrator has opened a little are closed again. What is left is
// remembered.
static arne_status plant_close_loops(void *context, double time, double *q, double *qd,
                                     arne_error *error)
{
    plant *p = context;
    (void)time;
    const arne_status status = arne_loop_project(p->robot, p->work, p->loop, q, qd, error);
    if (status == ARNE_OK) plant_closure(p, q);
    return status;
}

static arne_status loop_state(void *context, double time, const double *q, const double *qd,
                              double *errors, double *rates, double *J, arne_error *error)
{
    plant *p = context;
    (void)time, (void)error;
    loop_constraints(p->robot, p->work, p->loop, q, qd, NULL);
    const size_t rows = (size_t)p->sizes.loop_row_count, nv = (size_t)p->sizes.v_count;
    memcpy(errors, p->loop->error, rows * sizeof *errors);
    memcpy(rates, p->loop->velocity, rows * sizeof *rates);
    if (J) memcpy(J, p->loop->J, rows * nv * sizeof *J);
    return ARNE_OK;
}

void plant_closure(plant *p, const double *q)
{
    if (p->loop)
        p->closure = fmax(p->closure, arne_loop_closure(p->robot, p->work, p->loop, q, NULL));
}

int plant_event_count(const plant *p) { return p->limited_count + p->dry_count; }

// A joint that has just broken loose stands still, and may turn back at once: that is an event too.
static const double STANDSTILL = 1e-12;

void plant_events(void *context, double time, const double *q, const double *qd, const double *z,
                  double *values)
{
    plant *p = context;
    (void)z;
    for (int i = 0; i < p->limited_count; i++) {
        const arne_joint_info *info = &robot_joints(p->robot)[p->limited[i]].info;
        const double           at = q[info->q_start];
        values[i] = fmin(at - info->lower, info->upper - at);
    }
    if (p->stuck_count) { // asks for the friction that sticking takes
        arne_error unused;
        if (plant_rate(p, time, q, qd, NULL, p->given_qdd, NULL, &unused) != ARNE_OK) return;
    }
    for (int i = 0; i < p->dry_count; i++) {
        const dry_joint *d = &p->dry[i];
        values[p->limited_count + i] = d->mode
                                           ? d->mode * qd[d->v] + STANDSTILL
                                           : fmin(d->positive - d->needed, d->needed + d->negative);
    }
}

static int asked_to_stop(void *context)
{
    const plant *p = context;
    return p->sim->stop(p->sim->stop_context);
}

// CVODE and IDA are away for long; they come by here.
static arne_status rate_or_stop(void *context, double time, const double *q, const double *qd,
                                const double *z, double *qdd, double *zd, arne_error *error)
{
    if (asked_to_stop(context))
        return arne_fail(error, ARNE_STOPPED, NULL, 0, "%s", arne_status_text(ARNE_STOPPED));
    return plant_rate(context, time, q, qd, z, qdd, zd, error);
}

arne_system plant_system(plant *p)
{
    const int follows = p->sim->drive == ARNE_DRIVE_REFERENCE;
    const int solvers = p->sim->integrator.method >= ARNE_METHOD_CVODE;
    return (arne_system){.robot = p->robot,
                         .z_count = 1,
                         .context = p,
                         .step = p->rigid ? rigid_plant_step : NULL,
                         .rate = solvers && p->sim->stop ? rate_or_stop : plant_rate,
                         .linear = plant_linear,
                         .project = follows   ? reference_project
                                    : p->loop ? plant_close_loops
                                              : NULL,
                         .constraint_count = p->loop && !follows ? p->sizes.loop_row_count : 0,
                         .constraints = loop_state,
                         .event_count = plant_event_count(p),
                         .events = plant_events,
                         .stop = p->sim->stop ? asked_to_stop : NULL};
}
