// One state: which function of the library makes which output.
#include "single_state.h"
#include <arne/equilibrium.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static arne_status refuse(const call *c, const char *why)
{
    if (c->error) snprintf(c->error->text, sizeof c->error->text, "%s %s", c->m->name, why);
    return ARNE_UNSUPPORTED;
}

// ---- kinematics ----

STATE(pose)
{
    UNPACK;
    arne_kinematics(r, w, IN(q), NULL, NULL);
    const arne_pose X = arne_frame_pose(r, w, c->what->frame);
    put3(out[0], X.R.x);
    put3(out[0] + 3, X.R.y);
    put3(out[0] + 6, X.R.z);
    put3(out[0] + 9, X.p);
    return ARNE_OK;
}

STATE(velocity)
{
    UNPACK;
    arne_kinematics(r, w, IN(q), IN(qd), NULL);
    put_motion(out[0], arne_frame_velocity(r, w, c->what->frame, c->what->axes));
    return ARNE_OK;
}

STATE(acceleration)
{
    UNPACK;
    arne_kinematics(r, w, IN(q), IN(qd), IN(qdd));
    put_motion(out[0], arne_frame_acceleration(r, w, c->what->frame, c->what->axes, c->what->kind));
    return ARNE_OK;
}

STATE(jacobian)
{
    UNPACK;
    if (c->m->outputs[0] == ARNE_ARRAY_Jdot)
        arne_jacobian_rate(r, w, IN(q), IN(qd), c->what->frame, c->what->axes, out[0]);
    else
        arne_jacobian(r, w, IN(q), c->what->frame, c->what->axes, out[0]);
    return ARNE_OK;
}

STATE(com)
{
    UNPACK;
    arne_vec3 at, rate;
    *out[0] = arne_total_mass(r);
    arne_center_of_mass(r, w, IN(q), IN(qd), &at, &rate);
    put3(out[1], at);
    put3(out[2], rate);
    return ARNE_OK;
}

STATE(com_jacobian)
{
    UNPACK;
    arne_com_jacobian(r, w, IN(q), out[0]);
    return ARNE_OK;
}

STATE(energy)
{
    UNPACK;
    arne_energy(r, w, IN(q), IN(qd), out[0], out[1]);
    return ARNE_OK;
}

STATE(momentum)
{
    UNPACK;
    arne_wrench h;
    arne_momentum(r, w, IN(q), IN(qd), &h);
    put_wrench(out[0], h);
    arne_centroidal_matrix(r, w, IN(q), out[1]);
    return ARNE_OK;
}

STATE(centroidal_matrix)
{
    UNPACK;
    arne_centroidal_matrix(r, w, IN(q), out[0]);
    return ARNE_OK;
}

STATE(inverse_kinematics)
{
    UNPACK;
    const double *p = c->at->in[IN_position], *h = c->at->in[IN_quaternion];
    arne_target   target = {.frame = c->what->frame, .pose = pose_of(p, h)};
    target.use_rotation = h != NULL;
    memcpy(out[0], IN(q), (size_t)c->self->size.q_count * sizeof(double));
    const arne_status status = arne_inverse_kinematics(r, w, &target, 1, NULL, out[0], out[1]);
    // The motors of elastic joints go along, so that no spring is stretched.
    for (int i = 0; i < c->self->size.motor_count; i++) {
        const arne_motor_info motor = arne_robot_motor(r, i);
        if (motor.q_index >= 0)
            out[0][motor.q_index] = out[0][arne_robot_joint(r, motor.joint).q_start];
    }
    // What was found is still an answer; the status tells that it is not exact.
    *out[2] = status == ARNE_OK;
    return status == ARNE_NOT_CONVERGED ? ARNE_OK : status;
}

// ---- dynamics ----

STATE(inverse_dynamics)
{
    UNPACK;
    arne_inverse_dynamics(r, w, IN(q), IN(qd), IN(qdd), WRENCHES, out[0]);
    return ARNE_OK;
}

STATE(gravity)
{
    UNPACK;
    arne_gravity(r, w, IN(q), out[0]);
    return ARNE_OK;
}

STATE(bias)
{
    UNPACK;
    arne_bias(r, w, IN(q), IN(qd), WRENCHES, out[0]);
    return ARNE_OK;
}

STATE(joint_wrenches)
{
    UNPACK;
    double *tau = malloc(((size_t)c->self->size.v_count + 1) * sizeof *tau);
    if (!tau) return ARNE_NO_MEMORY;
    arne_inverse_dynamics(r, w, IN(q), IN(qd), IN(qdd), WRENCHES, tau);
    free(tau);
    put_joint_wrenches(c);
    return ARNE_OK;
}

STATE(mass_matrix)
{
    UNPACK;
    arne_mass_matrix(r, w, IN(q), out[0]);
    return ARNE_OK;
}

STATE(inverse_mass_matrix)
{
    UNPACK;
    return arne_inverse_mass_matrix(r, w, IN(q), out[0], c->error);
}

STATE(coriolis_matrix)
{
    UNPACK;
    arne_coriolis_matrix(r, w, IN(q), IN(qd), out[0]);
    return ARNE_OK;
}

STATE(operational_inertia)
{
    UNPACK;
    return arne_operational_inertia(r, w, IN(q), c->what->frame, c->what->axes, out[0], c->error);
}

STATE(forward_dynamics)
{
    UNPACK;
    return (c->what->matrix ? arne_forward_dynamics_matrix : arne_forward_dynamics)(
        r, w, IN(q), IN(qd), IN(tau), WRENCHES, out[0], c->error);
}

STATE(hybrid_dynamics)
{
    UNPACK;
    const size_t size = (size_t)c->self->size.v_count * sizeof(double);
    memcpy(out[0], IN(tau), size);
    memcpy(out[1], IN(qdd), size);
    return arne_hybrid_dynamics(r, w, IN(q), IN(qd), c->what->given, WRENCHES, out[0], out[1],
                                c->error);
}

STATE(base_acceleration)
{
    UNPACK;
    const size_t n = (size_t)c->self->size.v_count;
    double      *qdd = malloc((n + 6) * sizeof *qdd);
    if (!qdd) return ARNE_NO_MEMORY;
    memcpy(qdd, IN(qdd), n * sizeof *qdd);
    const arne_status status =
        arne_base_acceleration(r, w, IN(q), IN(qd), WRENCHES, qdd, out[1], c->error);
    if (!status) memcpy(out[0], qdd, 6 * sizeof *qdd);
    free(qdd);
    return status;
}

// Accelerations under the torques of a rollout; tau and away are room for v_count numbers each.
typedef struct rolled {
    const call *c;
    double     *tau, *away;
} rolled;

static arne_status rollout_rate(void *context, double time, const double *q, const double *qd,
                                const double *z, double *qdd, double *zd, arne_error *error)
{
    const rolled *u = context;
    const call   *c = u->c;
    const size_t  n = (size_t)c->self->size.v_count;
    (void)time;
    (void)z;
    (void)zd;
    const double *kp = c->what->kp ? c->what->kp : IN(stiffness);
    const double *kd = c->what->kd ? c->what->kd : IN(damping);
    memcpy(u->tau, IN(tau), n * sizeof *u->tau);
    if (kp) arne_difference(c->self->robot, q, IN(q_ref), u->away);
    for (size_t i = 0; i < n; i++) {
        if (kp) u->tau[i] += kp[i] * u->away[i];
        if (kd) u->tau[i] += kd[i] * ((IN(qd_ref) ? IN(qd_ref)[i] : 0) - qd[i]);
    }
    if (IN(ground))
        return arne_ground_dynamics(c->self->robot, c->work, q, qd, u->tau, IN(ground), NULL, qdd,
                                    NULL, error);
    return arne_forward_dynamics(c->self->robot, c->work, q, qd, u->tau, NULL, qdd, error);
}

STATE(rollout)
{
    UNPACK;
    const size_t                  n = (size_t)c->self->size.v_count;
    double                       *room = malloc((2 * n + 1) * sizeof *room);
    rolled                        u = {c, room, room + n};
    const arne_system             system = {.robot = r, .context = &u, .rate = rollout_rate};
    const arne_integrator_options options = {.size = sizeof options,
                                             .method = c->what->integrator,
                                             .step = c->what->dt * (1 + 1e-10)}; // not one more
    arne_integrator              *it = NULL;

    arne_status status = ARNE_NO_MEMORY;
    if (room) status = arne_integrator_new(&system, &options, &it, c->error);
    const int again = IN(restart) && *IN(restart) != 0;
    if (!status)
        status = arne_integrator_start(it, 0, again ? IN(q_start) : IN(q),
                                       again ? IN(qd_start) : IN(qd), NULL, c->error);
    if (!status) status = arne_integrator_advance(it, c->what->steps * c->what->dt, NULL, c->error);
    if (!status) {
        memcpy(out[0], arne_integrator_q(it), (size_t)c->self->size.q_count * sizeof *out[0]);
        memcpy(out[1], arne_integrator_qd(it), n * sizeof *out[1]);
    }
    arne_integrator_free(it);
    free(room);
    return status;
}

// ---- elastic joints ----

static void put_accelerations(const call *c, const double *qdd)
{
    const size_t theta = (size_t)c->self->size.theta_count,
                 joints = (size_t)c->self->size.v_count - theta;
    memcpy(c->at->out[2], qdd, joints * sizeof *qdd);
    memcpy(c->at->out[3], qdd + joints, theta * sizeof *qdd);
}

STATE(modes)
{
    UNPACK;
    int          count;
    const size_t n = (size_t)c->self->size.v_count;
    memcpy(out[2], IN(q), (size_t)c->self->size.q_count * sizeof(double));
    const arne_status status =
        arne_modes(r, w, c->what->given, out[2], &count, out[0], out[1], c->error);
    for (size_t i = (size_t)count; i < n; i++)
        out[0][i] = NAN;
    for (size_t i = (size_t)count * n; i < n * n; i++)
        out[1][i] = NAN;
    return status;
}

STATE(equilibrium)
{
    UNPACK;
    static const arne_motion       rest = {0};
    const asked                   *what = c->what;
    const arne_equilibrium_options options = {.tau = IN(tau),
                                              .loads = what->loads,
                                              .load_count = what->load_count,
                                              .held = what->given,
                                              .activation = what->activation};
    if (memcmp(&what->base_velocity, &rest, sizeof rest) != 0 ||
        memcmp(&what->base_acceleration, &rest, sizeof rest) != 0)
        return refuse(c, "is of a base at rest: give base_pose alone");
    memcpy(out[0], IN(q), (size_t)c->self->size.q_count * sizeof(double));
    return arne_equilibrium(r, w, &options, out[0], c->error);
}

STATE(elastic_inverse_dynamics)
{
    UNPACK;
    const size_t n = (size_t)c->self->size.v_count;
    double      *qdd = malloc((n + 1) * sizeof *qdd);
    if (!qdd) return ARNE_NO_MEMORY;
    memcpy(qdd, IN(qdd), n * sizeof *qdd);
    const arne_status status =
        arne_elastic_inverse_dynamics(r, w, IN(q), IN(qd), WRENCHES, qdd, out[0], out[1], c->error);
    if (!status) put_accelerations(c, qdd);
    free(qdd);
    return status;
}

// The torque of a passive joint is its spring's, as it is for inverse dynamics.
static void put_spring_torques(const call *c, double *motor)
{
    for (int i = 0; i < c->self->size.spring_count; i++) {
        const arne_spring_info s = arne_robot_spring(c->self->robot, i);
        const arne_joint_info  j = arne_robot_joint(c->self->robot, s.joint);
        if (s.passive)
            motor[j.v_start] = arne_spring_torque(&s, IN(q)[j.q_start], IN(qd)[j.v_start]);
    }
}

STATE(elastic_forward_dynamics)
{
    UNPACK;
    double *qdd = malloc(((size_t)c->self->size.v_count + 1) * sizeof *qdd);
    if (!qdd) return ARNE_NO_MEMORY;
    arne_motor_gather(r, IN(tau), out[0]);
    put_spring_torques(c, out[0]);
    const arne_status status =
        (c->what->matrix ? arne_elastic_forward_dynamics_matrix : arne_elastic_forward_dynamics)(
            r, w, IN(q), IN(qd), out[0], WRENCHES, qdd, out[1], c->error);
    if (!status) put_accelerations(c, qdd);
    free(qdd);
    return status;
}

// ---- muscles ----

STATE(muscle_lengths)
{
    UNPACK;
    return arne_muscle_lengths(r, w, IN(q), NULL, out[0], NULL);
}

STATE(muscle_velocities)
{
    UNPACK;
    return arne_muscle_lengths(r, w, IN(q), IN(qd), NULL, out[0]);
}

STATE(muscle_moment_arms)
{
    UNPACK;
    return arne_muscle_moment_arms(r, w, IN(q), out[0]);
}

// ---- ground and held frames ----

STATE(ground_dynamics)
{
    UNPACK;
    return arne_ground_dynamics(r, w, IN(q), IN(qd), IN(tau), IN(ground), WRENCHES, out[0], out[1],
                                c->error);
}

static arne_status put_held(const call *c, arne_status status)
{
    for (int i = 0; i < c->what->held_count && !status; i++)
        put_wrench(c->at->out[1] + (ptrdiff_t)6 * i, c->what->held[i]);
    return status;
}

STATE(contact_dynamics)
{
    UNPACK;
    return put_held(c, arne_contact_dynamics(c->what->holding, w, IN(q), IN(qd), IN(tau), WRENCHES,
                                             out[0], c->what->held, NULL, c->error));
}

STATE(contact_inverse_dynamics)
{
    UNPACK;
    return put_held(c, arne_contact_inverse_dynamics(c->what->holding, w, IN(q), IN(qd), IN(qdd),
                                                     WRENCHES, out[0], c->what->held, c->error));
}

// ---- all of them ----

// An algorithm that has no function of its own here: a batch of one state.
STATE(run_as_batch)
{
    const asked             *what = c->what;
    const arne_batch_options options = {.threads = 1};
    arne_batch              *batch = NULL;
    arne_batch_inputs        in = asked_inputs(what);
    arne_batch_outputs       out = {0};
    arne_status              status = arne_batch_new(c->self->robot, &options, &batch, c->error);
    if (status) return status;
    for (int i = 0; i < ARNE_INPUT_COUNT; i++)
        if (c->at->in[i]) arne_batch_set_input(&in, (arne_array)i, c->at->in[i]);
    for (int i = 0; i < c->m->output_count; i++)
        arne_batch_set_output(&out, c->m->outputs[i], c->at->out[i]);
    if (what->base_moves)
        arne_batch_set_base(batch, &what->base, &what->base_velocity, &what->base_acceleration,
                            &what->base_jerk);
    status = arne_batch_run(batch, c->m->algorithm, &in, &out, 1, c->error);
    arne_batch_free(batch);
    return status;
}

// Those that are worth a short way to the library, or need one.

static const state_function functions[ARNE_ALGORITHM_COUNT] = {
    [ARNE_ALGORITHM_POSE] = pose,
    [ARNE_ALGORITHM_VELOCITY] = velocity,
    [ARNE_ALGORITHM_ACCELERATION] = acceleration,
    [ARNE_ALGORITHM_JACOBIAN] = jacobian,
    [ARNE_ALGORITHM_CENTER_OF_MASS] = com,
    [ARNE_ALGORITHM_COM_JACOBIAN] = com_jacobian,
    [ARNE_ALGORITHM_ENERGY] = energy,
    [ARNE_ALGORITHM_MOMENTUM] = momentum,
    [ARNE_ALGORITHM_CENTROIDAL_MATRIX] = centroidal_matrix,
    [ARNE_ALGORITHM_INVERSE_DYNAMICS] = inverse_dynamics,
    [ARNE_ALGORITHM_GRAVITY] = gravity,
    [ARNE_ALGORITHM_BIAS] = bias,
    [ARNE_ALGORITHM_JOINT_WRENCHES] = joint_wrenches,
    [ARNE_ALGORITHM_CORIOLIS_MATRIX] = coriolis_matrix,
    [ARNE_ALGORITHM_MASS_MATRIX] = mass_matrix,
    [ARNE_ALGORITHM_INVERSE_MASS_MATRIX] = inverse_mass_matrix,
    [ARNE_ALGORITHM_OPERATIONAL_INERTIA] = operational_inertia,
    [ARNE_ALGORITHM_FORWARD_DYNAMICS] = forward_dynamics,
    [ARNE_ALGORITHM_GROUND_DYNAMICS] = ground_dynamics,
    [ARNE_ALGORITHM_HYBRID_DYNAMICS] = hybrid_dynamics,
    [ARNE_ALGORITHM_BASE_ACCELERATION] = base_acceleration,
    [ARNE_ALGORITHM_CONTACT_DYNAMICS] = contact_dynamics,
    [ARNE_ALGORITHM_ELASTIC_INVERSE_DYNAMICS] = elastic_inverse_dynamics,
    [ARNE_ALGORITHM_ELASTIC_FORWARD_DYNAMICS] = elastic_forward_dynamics,
    [ARNE_ALGORITHM_COUPLED_MATRIX] = mass_matrix,
    [ARNE_ALGORITHM_MODES] = modes,
    [ARNE_ALGORITHM_EQUILIBRIUM] = equilibrium,
    [ARNE_ALGORITHM_MUSCLE_LENGTHS] = muscle_lengths,
    [ARNE_ALGORITHM_MUSCLE_VELOCITIES] = muscle_velocities,
    [ARNE_ALGORITHM_MUSCLE_MOMENT_ARMS] = muscle_moment_arms,
    [ARNE_ALGORITHM_INVERSE_KINEMATICS] = inverse_kinematics,
    [ARNE_ALGORITHM_ROLLOUT] = rollout,
};

static state_function function_of(arne_algorithm algorithm)
{
    const state_function own =
        functions[algorithm] ? functions[algorithm] : derivative_function(algorithm);
    const int has_batch = (arne_catalogue_algorithm(algorithm)->has & ARNE_HAS_BATCH) != 0;
    return own || !has_batch ? own : run_as_batch;
}

int single_knows(arne_algorithm algorithm)
{
    return function_of(algorithm) != NULL || closed_function(algorithm) != NULL;
}

arne_status single_run(const robot_object *self, const method *m, const asked *what,
                       arne_work *work, arne_loop_work *loop, const one_state *at,
                       arne_error *error)
{
    const call           c = {self, m, what, work, loop, at, error};
    const state_function closed = what->holding ? NULL : closed_function(m->algorithm);
    if (loop && closed && !(what->matrix && m->algorithm == ARNE_ALGORITHM_FORWARD_DYNAMICS))
        return closed(&c);
    if (loop && (what->matrix || what->holding ||
                 !(arne_catalogue_algorithm(m->algorithm)->has & ARNE_HAS_LOOPS)))
        return refuse(&c, "of a robot with loops is not available; load(..., open=True) gives that "
                          "of the tree that is cut at the loops");
    if (!function_of(m->algorithm)) return refuse(&c, "needs a robot with loops");
    if (what->holding && m->algorithm == ARNE_ALGORITHM_INVERSE_DYNAMICS)
        return contact_inverse_dynamics(&c);
    return function_of(m->algorithm)(&c);
}
