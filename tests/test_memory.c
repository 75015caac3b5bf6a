#define _POSIX_C_SOURCE 200809L // mkdtemp
// Memory: hot functions take none; building and reading give back all they take, also when they get
// too little.
#include "many.h"
#include "meter.h"
#include "sample_run.h"
#include "testing.h"

#include "closed.h"
#include <arne/integrate.h>

#include <stdio.h>
#include <stdlib.h>

// ---- hot functions ----

static void call_kinematics(const state *s, arne_work *work, double *out)
{
    const arne_robot *robot = s->robot;
    const int         frame = s->size.frame_count - 1;
    arne_vec3         com, velocity;
    arne_wrench       momentum;

    arne_kinematics(robot, work, s->q, s->qd, s->qdd);
    arne_frame_pose(robot, work, frame);
    arne_frame_velocity(robot, work, frame, ARNE_AXES_WORLD);
    arne_frame_acceleration(robot, work, frame, ARNE_AXES_ALIGNED, ARNE_ACCELERATION_CLASSICAL);
    arne_jacobian(robot, work, s->q, frame, ARNE_AXES_ALIGNED, out);
    arne_jacobian_rate(robot, work, s->q, s->qd, frame, ARNE_AXES_ALIGNED, out);
    arne_total_mass(robot);
    arne_center_of_mass(robot, work, s->q, s->qd, &com, &velocity);
    arne_com_jacobian(robot, work, s->q, out);
    arne_energy(robot, work, s->q, s->qd, &out[0], &out[1]);
    arne_momentum(robot, work, s->q, s->qd, &momentum);
    arne_centroidal_matrix(robot, work, s->q, out);
}

static void call_dynamics(const state *s, arne_work *work, double *out, int *failures)
{
    const arne_robot *robot = s->robot;
    const int         frame = s->size.frame_count - 1;
    double            x[MAX_V], Lambda[36];
    arne_wrench       f_ext[MAX_BODIES] = {0};

    arne_add_wrench(robot, frame, &s->wrench[0], f_ext);
    arne_inverse_dynamics(robot, work, s->q, s->qd, s->qdd, f_ext, x);
    arne_gravity(robot, work, s->q, x);
    arne_bias(robot, work, s->q, s->qd, f_ext, x);
    arne_coriolis_matrix(robot, work, s->q, s->qd, out);
    *failures += arne_forward_dynamics(robot, work, s->q, s->qd, s->tau, f_ext, x, NULL) != ARNE_OK;
    arne_forward_wrenches(robot, work);
    *failures +=
        arne_forward_dynamics_matrix(robot, work, s->q, s->qd, s->tau, f_ext, x, NULL) != ARNE_OK;
    for (int i = 0; i < s->size.joint_count; i++)
        arne_joint_wrench(robot, work, i);
    arne_base_wrench(robot, work);
    *failures += arne_inverse_mass_matrix(robot, work, s->q, out, NULL) != ARNE_OK;
    arne_mass_matrix(robot, work, s->q, out);
    *failures += arne_factor(robot, out, NULL) != ARNE_OK;
    arne_solve(robot, out, x);
    const arne_status found =
        arne_operational_inertia(robot, work, s->q, frame, ARNE_AXES_BODY, Lambda, NULL);
    *failures += found != ARNE_OK && found != ARNE_SINGULAR;
}

static void call_derivatives(const state *s, arne_work *work, double *out, int *failures)
{
    const arne_robot *robot = s->robot;
    const int         frame = s->size.frame_count - 1, n = s->size.v_count;
    const arne_load   loads[2] = {{.frame = frame, .wrench = s->wrench[0]},
                                  {.frame = frame, .in_world = 1, .wrench = s->wrench[0]}};
    double            x[MAX_V], y[MAX_V], z[MAX_V];
    double           *more = out + n * n;

    arne_inverse_dynamics_derivatives(robot, work, s->q, s->qd, s->qdd, loads, 2, out, more, NULL);
    arne_final_time_derivative(robot, n, out, more, s->qd, s->qdd, 2, x);
    for (int i = 0; i < s->size.joint_count; i++)
        arne_wrench_derivatives(robot, work, i, out, out, out);
    *failures += arne_forward_dynamics_derivatives(robot, work, s->q, s->qd, s->tau, loads, 2, x,
                                                   out, more, NULL, NULL) != ARNE_OK;
    arne_inverse_dynamics_along(robot, work, s->q, s->qd, s->qdd, loads, 2, s->qd, s->qdd, s->tau,
                                x);
    arne_inverse_dynamics_against(robot, work, s->q, s->qd, s->qdd, loads, 2, s->tau, x, y, z);
    const arne_status second = arne_second_derivatives(robot, work, s->q, s->qd, s->qdd, loads, 1,
                                                       s->tau, out, more, NULL, NULL, NULL);
    *failures += second != ARNE_OK && second != ARNE_UNSUPPORTED;
}

static void call_rates(const state *s, arne_work *work, double *out, int *failures)
{
    const arne_robot               *robot = s->robot;
    const int                       frame = s->size.frame_count - 1;
    const arne_frame_derivatives    of_frame = {.dvelocity_dq = out, .dacceleration_dqdd = out};
    const arne_momentum_derivatives of_momentum = {.dmomentum_dq = out, .dmomentum_rate_dqdd = out};
    const arne_vec3                 up = {0, 0, 1}, ground = {0, 0, 0};
    arne_wrench                     rate;
    arne_vec3                       zmp;
    double                          x[MAX_V], y[MAX_V];

    arne_work_set_base_jerk(robot, work, NULL);
    arne_torque_rate(robot, work, s->q, s->qd, s->qdd, s->tau, NULL, 0, x, y);
    arne_frame_jerk(robot, work, frame, ARNE_AXES_ALIGNED);
    arne_com_jerk(robot, work, -1, ARNE_AXES_ALIGNED);
    arne_frame_motion_derivatives(robot, work, s->q, s->qd, s->qdd, frame, ARNE_AXES_ALIGNED,
                                  &of_frame);
    arne_centroidal_derivatives(robot, work, s->q, s->qd, s->qdd, &rate, &of_momentum);
    const arne_status found =
        arne_zero_moment_point(robot, work, s->q, s->qd, s->qdd, ground, up, &zmp, out, out, out);
    *failures += found != ARNE_OK && found != ARNE_SINGULAR;
}

static void call_configuration(const state *s, arne_work *work)
{
    const arne_robot *robot = s->robot;
    double            q[MAX_Q], v[MAX_V];
    uint64_t          seed = 5;

    arne_neutral(robot, q);
    arne_random_configuration(robot, &seed, q);
    arne_integrate(robot, s->q, s->qd, q);
    arne_difference(robot, s->q, q, v);
    arne_interpolate(robot, s->q, q, 0.5, q);
    arne_normalize(robot, q);
    arne_quaternion_error(robot, q);
    arne_coordinate_rate(robot, q, s->qd, q);
    state_set_base(s, work);
}

// Inverse kinematics is called in control loops too.
static void call_inverse_kinematics(const state *s, arne_work *work, int *failures)
{
    double      q[MAX_Q];
    arne_target target = {s->size.frame_count - 1, 1, pose_identity()};
    arne_neutral(s->robot, q);
    arne_kinematics(s->robot, work, s->q, NULL, NULL);
    target.pose = arne_frame_pose(s->robot, work, target.frame);
    const arne_status status = arne_inverse_kinematics(s->robot, work, &target, 1, NULL, q, NULL);
    *failures += status != ARNE_OK && status != ARNE_NOT_CONVERGED;
}

static void hot_functions_take_no_memory(void **unused)
{
    (void)unused;
    double out[2 * MAX_V * MAX_V];
    EACH_ROBOT_OF (robot, work, 100) {
        const state s = random_state(robot, 1);
        int         failures = 0;
        meter_start(0);
        call_kinematics(&s, work, out);
        call_dynamics(&s, work, out, &failures);
        call_derivatives(&s, work, out, &failures);
        call_rates(&s, work, out, &failures);
        call_configuration(&s, work);
        call_inverse_kinematics(&s, work, &failures);
        const meter m = meter_stop();
        assert_int_equal(failures, 0);
        if (m.taken)
            fail_msg("%s: %d allocations in hot functions", arne_robot_name(robot), m.taken);
    }
}

// arne_batch_new takes all there is to take.
static void batches_take_no_memory(void **unused)
{
    (void)unused;
    EACH_ROBOT_OF (robot, work, 20) {
        problem     p = new_problem(robot, 37, 40);
        arne_batch *batch = new_batch(robot, arne_batch_has_width(2) ? 2 : 1, 2);
        for (int i = 0; i < ARNE_ALGORITHM_COUNT; i++) {
            const arne_algorithm a = (arne_algorithm)i;
            if (!(arne_catalogue_algorithm(a)->has & ARNE_HAS_BATCH)) continue;
            const arne_batch_outputs o = outputs_of(&p, a);
            arne_error               error;
            meter_start(0);
            // some robots have a singular mass matrix or no such base: that takes none either
            const arne_status status = arne_batch_run(batch, a, &p.in, &o, p.count, &error);
            const meter       m = meter_stop();
            if (m.taken)
                fail_msg("%s: %d allocations in algorithm %d, status %d", arne_robot_name(robot),
                         m.taken, i, (int)status);
        }
        arne_batch_free(batch);
        free_problem(&p);
    }
}

// Closed chains; the first call at a closed configuration, which finds the rank, is no exception.
static void closed_chains_take_no_memory(void **unused)
{
    static const char *const names[] = {"five_bar", "slider_crank", "palletiser"};
    (void)unused;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        closed           c = closed_file(names[i]);
        arne_loop_report report;
        state            s;
        double           out[3][MAX_V], modes[4 * MAX_Q];
        int              count, failures = 0;
        assert_true(closed_state(&c, 1, &s));
        arne_loop_work_free(c.loop);
        assert_ok(arne_loop_work_new(c.robot, &c.loop));
        meter_start(0);
        failures += arne_assemble(c.robot, c.work, c.loop, NULL, s.q, NULL, NULL) != ARNE_OK;
        failures += arne_loop_analyse(c.robot, c.work, c.loop, s.q, &report, NULL, NULL) != ARNE_OK;
        failures += arne_loop_complete(c.robot, c.work, c.loop, s.q, s.qd, s.qdd, NULL) != ARNE_OK;
        failures += arne_loop_inverse_dynamics(c.robot, c.work, c.loop, s.q, s.qd, s.qdd, NULL,
                                               NULL, out[0], NULL) != ARNE_OK;
        failures += arne_loop_forces(c.robot, c.work, c.loop, s.q, s.qd, s.qdd, NULL, out[0], NULL,
                                     NULL, NULL) != ARNE_OK;
        failures += arne_loop_forward_dynamics(c.robot, c.work, c.loop, s.q, s.qd, out[0], NULL,
                                               NULL, out[1], NULL) != ARNE_OK;
        failures +=
            arne_loop_inverse_dynamics_derivatives(c.robot, c.work, c.loop, s.q, s.qd, s.qdd, NULL,
                                                   0, out[0], out[1], out[2], NULL) != ARNE_OK;
        failures += arne_loop_project(c.robot, c.work, c.loop, s.q, s.qd, NULL) != ARNE_OK;
        failures += arne_assembly_modes(c.robot, c.work, c.loop, NULL, s.q, 4, modes, &count, NULL,
                                        NULL) != ARNE_OK;
        const meter m = meter_stop();
        assert_int_equal(failures, 0);
        if (m.taken) fail_msg("%s: %d allocations with loops", names[i], m.taken);
        closed_free(&c);
    }
}

// A motion and a controller of every make, evaluated and asked while the meter runs.
static void call_motion(const state *s, const arne_trajectory *path, arne_controller *c,
                        double *out, int *failures)
{
    double q[MAX_Q], d[4][MAX_V];
    arne_trajectory_evaluate(path, 0.4, q, d[0], d[1], d[2], d[3]);
    const arne_control_input in = {.t = 0.4,
                                   .q = s->q,
                                   .qd = s->qd,
                                   .q_ref = q,
                                   .qd_ref = d[0],
                                   .qdd_ref = d[1],
                                   .qddd_ref = d[2],
                                   .qdddd_ref = d[3]};
    *failures += arne_control(c, &in, out, NULL) != ARNE_OK;
}

static void motions_and_controllers_take_no_memory(void **unused)
{
    (void)unused;
    double out[MAX_V], gain[MAX_V], wide[MAX_V];
    for (int i = 0; i < MAX_V; i++)
        gain[i] = wide[i] = 0.3;
    EACH_ROBOT_OF (robot, work, 20) {
        const state s = random_state(robot, 1);
        double      to[MAX_Q], points[2 * MAX_Q], one[6] = {1, 1, 1, 1, 1, 1};
        if (s.size.theta_count || s.size.spring_count) continue; // not for all controllers
        (void)work;
        arne_integrate(robot, s.q, wide, to);
        memcpy(points, s.q, sizeof *to * (size_t)s.size.q_count);
        memcpy(points + s.size.q_count, to, sizeof *to * (size_t)s.size.q_count);
        arne_trajectory         *path[3];
        arne_controller         *c[4];
        const arne_motion_limits limits = {gain, gain, gain};
        assert_ok(arne_trajectory_point_to_point(robot, ARNE_PROFILE_S_CURVE, s.q, to, 0, &limits,
                                                 &path[0], NULL));
        assert_ok(arne_trajectory_waypoints(robot, 5, 2, (double[]){0, 1}, points, &path[1], NULL));
        assert_ok(arne_trajectory_sinusoid(robot, s.q, 1, gain, wide, NULL, &path[2], NULL));
        assert_ok(arne_controller_pd(robot, gain, gain, &c[0], NULL));
        assert_ok(arne_controller_pd_gravity(robot, gain, gain, &c[1], NULL));
        assert_ok(arne_controller_computed_torque(robot, gain, gain, &c[2], NULL));
        assert_ok(arne_controller_impedance(robot, 0, one, one, gain, &c[3], NULL));
        arne_scaling *scaling;
        assert_ok(arne_scaling_new(robot, path[1], NULL, &scaling, NULL));
        int failures = 0;
        meter_start(0);
        for (int i = 0; i < 12; i++)
            call_motion(&s, path[i % 3], c[i % 4], out, &failures);
        for (int i = 0; i < 3; i++)
            failures += !arne_scaling_step(scaling);
        const meter m = meter_stop();
        assert_int_equal(failures, 0);
        assert_int_equal(m.taken, 0);
        arne_scaling_free(scaling);
        for (int i = 0; i < 4; i++)
            arne_controller_free(c[i]);
        for (int i = 0; i < 3; i++)
            arne_trajectory_free(path[i]);
    }
}

static void a_robot_on_its_feet_takes_no_memory(void **unused)
{
    (void)unused;
    const arne_surrounding ground = {.kind = ARNE_SURROUNDING_GROUND, .surface.friction = 0.5};
    arne_robot            *robot = read_robot("quadruped", NULL);
    double                 q[MAX_Q], qd[MAX_V] = {0}, tau[MAX_V];
    arne_controller       *c;
    arne_neutral(robot, q);
    assert_ok(arne_controller_whole_body(robot, &ground, 1, NULL, NULL, 1e-6, &c, NULL));
    const arne_control_input in = {.q = q, .qd = qd, .q_ref = q};
    int                      failures = 0;
    meter_start(0);
    for (int i = 0; i < 3; i++) { // deep in the ground all points touch; and in the air none
        q[2] = i;
        failures += arne_control(c, &in, tau, NULL) != ARNE_OK;
    }
    const meter m = meter_stop();
    assert_int_equal(failures, 0);
    assert_int_equal(m.taken, 0);
    arne_controller_free(c);
    arne_robot_free(robot);
}

static arne_status step_rate(void *context, double time, const double *q, const double *qd,
                             const double *z, double *qdd, double *zd, arne_error *error)
{
    const state *s = context;
    (void)time, (void)z, (void)zd, (void)error;
    memcpy(qdd, s->qdd, sizeof *qdd * (size_t)s->size.v_count);
    qdd[0] += q[0] + qd[0];
    return ARNE_OK;
}

static arne_status step_linear(void *context, double time, const double *q, const double *qd,
                               const double *qdd, double *K, double *D, double *M,
                               arne_error *error)
{
    const state *s = context;
    const int    n = s->size.v_count;
    (void)time, (void)q, (void)qd, (void)qdd, (void)error;
    for (int i = 0; i < n * n; i++)
        K[i] = D[i] = 0, M[i] = i % (n + 1) == 0;
    return ARNE_OK;
}

static void step_events(void *context, double time, const double *q, const double *qd,
                        const double *z, double *values)
{
    (void)context, (void)time, (void)qd, (void)z;
    values[0] = q[0] - 0.01;
}

// Integrators take all their memory when they are made.
static void steps_take_no_memory(void **unused)
{
    (void)unused;
    EACH_ROBOT_OF (robot, work, 100) {
        state s = random_state(robot, 1);
        (void)work;
        for (arne_method method = ARNE_METHOD_EULER; method <= ARNE_METHOD_DORMAND_PRINCE;
             method++) {
            const arne_integrator_options options = {.method = method, .step = 1e-2};
            const arne_system             system = {.robot = robot,
                                                    .context = &s,
                                                    .rate = step_rate,
                                                    .linear = step_linear,
                                                    .event_count = 1,
                                                    .events = step_events};
            arne_integrator              *it;
            int                           event = 0;
            if (s.size.v_count == 0) continue;
            assert_ok(arne_integrator_new(&system, &options, &it, NULL));
            meter_start(0);
            arne_status status = arne_integrator_start(it, 0, s.q, s.qd, NULL, NULL);
            if (!status) status = arne_integrator_advance(it, 0.1, &event, NULL);
            if (!status) status = arne_integrator_advance(it, 0.2, NULL, NULL);
            const meter m = meter_stop();
            arne_integrator_free(it);
            assert_ok(status);
            assert_int_equal(m.taken, 0);
        }
    }
}

// The meter works: what does allocate is seen.
static void the_meter_counts(void **unused)
{
    (void)unused;
    arne_builder *builder = NULL;
    meter_start(0);
    const arne_status status = arne_builder_new(&builder);
    const meter       taken = meter_stop();
    assert_ok(status);
    assert_true(taken.taken >= 1 && taken.live == taken.taken);
    arne_builder_free(builder);

    meter_start(0);
    FILE       *stream = fopen(ARNE_ROBOTS_DIR "/puma560.yaml", "r"); // allocates in the C library
    const meter below = meter_stop();
    assert_non_null(stream);
    fclose(stream);
    assert_int_equal(below.taken > 0, SEES_ALL);
}

static void a_workspace_can_live_in_anybodys_memory(void **unused)
{
    (void)unused;
    arne_builder  *builder = random_tree(11);
    arne_robot    *robot = finish(builder, NULL);
    const state    s = random_state(robot, 1);
    arne_work     *heap = new_work(robot);
    double         a[MAX_V], b[MAX_V];
    const size_t   size = arne_work_size(robot), guard = 64;
    unsigned char *memory = aligned_alloc(64, (size + 63) / 64 * 64 + guard);

    assert_non_null(memory);
    memset(memory, 0xA5, size + guard);
    meter_start(0);
    arne_work *placed = arne_work_place(robot, memory);
    arne_inverse_dynamics(robot, placed, s.q, s.qd, s.qdd, NULL, a);
    const meter m = meter_stop();
    assert_int_equal(m.taken, 0);
    arne_inverse_dynamics(robot, heap, s.q, s.qd, s.qdd, NULL, b);
    assert_memory_equal(a, b, sizeof(double) * (size_t)s.size.v_count);
    for (size_t i = 0; i < guard; i++)
        assert_int_equal(memory[size + i], 0xA5); // it stays in its block
    free(memory);
    arne_work_free(heap);
    arne_robot_free(robot);
    arne_builder_free(builder);
}

// ---- muscles ----

enum { PERSON_MUSCLES = 16, PERSON_ROWS = 8, PERSON_V = 10 };

static arne_robot *read_person(void)
{
    arne_robot *robot = NULL;
    arne_error  error = {0};
    assert_ok_or(
        arne_robot_read(ARNE_ROBOTS_DIR "/../examples/markers/person.osim", NULL, &robot, &error),
        &error);
    assert_int_equal(arne_muscle_count(robot), PERSON_MUSCLES);
    return robot;
}

static void muscles_take_no_memory(void **unused)
{
    arne_robot               *robot = read_person();
    arne_work                *work = NULL;
    arne_static              *search = NULL;
    double                    q[PERSON_V] = {0}, tau[PERSON_V] = {0}, one[PERSON_V];
    double                    L[PERSON_MUSCLES], V[PERSON_MUSCLES], a[PERSON_MUSCLES];
    double                    F[PERSON_MUSCLES], arms[PERSON_MUSCLES * PERSON_V];
    arne_muscle_result        results[PERSON_MUSCLES];
    arne_static_options       options = {.reserves = one, .compliant = 1, .power = 3};
    const arne_muscle_options fibre = {.tendon = ARNE_TENDON_FIBRE_STATE, .state = L};
    int                       failures = 0;
    (void)unused;
    for (int j = 0; j < PERSON_V; j++)
        one[j] = 1;
    tau[4] = 20;
    assert_ok(arne_work_new(robot, &work));
    assert_ok(arne_static_new(robot, &options, &search, NULL));
    meter_start(0);
    failures += arne_muscle_lengths(robot, work, q, q, L, V) != ARNE_OK;
    failures += arne_muscle_moment_arms(robot, work, q, arms) != ARNE_OK;
    failures += arne_static_solve(search, tau, L, V, arms, a, F, NULL) != ARNE_OK;
    failures += arne_muscle_forces(robot, 1, a, L, V, NULL, F, results) != ARNE_OK;
    failures += arne_muscle_forces(robot, 1, a, L, V, &fibre, F, NULL) != ARNE_OK;
    failures += arne_activation_rates(robot, a, a, F, NULL) != ARNE_OK;
    failures += arne_metabolic_rates(robot, NULL, a, results, NULL, F, NULL) != ARNE_OK;
    const meter m = meter_stop();
    assert_int_equal(failures, 0);
    assert_int_equal(m.taken, 0);
    arne_static_free(search);
    arne_work_free(work);
    arne_robot_free(robot);
}

static void muscles_with_too_little_memory(void **unused)
{
    arne_robot               *robot = read_person();
    double                    time[PERSON_ROWS], q[PERSON_ROWS * PERSON_V];
    arne_recording            motion = {0};
    arne_error                error = {0};
    const arne_static_options options = {.opensim = 1};
    (void)unused;
    for (int i = 0; i < PERSON_ROWS * PERSON_V; i++) {
        time[i / PERSON_V] = 0.1 * (i / PERSON_V);
        q[i] = 0.01 * sin(i);
    }
    assert_ok(arne_recording_smooth(PERSON_ROWS, PERSON_V, time, q, 0, &motion, &error));
    for (int i = 1, refused = 1; refused; i++) {
        arne_table *table = NULL, *reactions = NULL;
        memset(&error, 0, sizeof error);
        meter_start(i);
        const arne_status status = arne_recording_muscles(robot, &motion, NULL, &options, &table,
                                                          &reactions, NULL, &error);
        arne_table_free(table);
        arne_table_free(reactions);
        const meter m = meter_stop();
        refused = m.refused;
        assert_int_equal(m.live, 0);
        assert_status(status, refused ? ARNE_NO_MEMORY : ARNE_OK);
        assert_true(!refused || (error.code == ARNE_NO_MEMORY && error.text[0]));
    }
    arne_recording_free(&motion);
    arne_robot_free(robot);
}

// ---- refused allocations ----

// Something that makes a robot, or fails and leaves nothing behind.
typedef arne_status (*make_fn)(const void *what, arne_robot **out, arne_error *error);

// Refuses the first allocation, then the second, and so on until there are no more to refuse. Every
// time the status says so and nothing stays behind. `spared`: refusals that the C library's streams
// get over by themselves.
static int refuse_each(make_fn make, const void *what, int spared)
{
    int refusals = 0;
    for (int i = 1;; i++) {
        arne_robot *robot = NULL;
        arne_error  error = {0};
        meter_start(i);
        const arne_status status = make(what, &robot, &error);
        const int         made = robot != NULL;
        arne_robot_free(robot);
        const meter m = meter_stop();

        if (m.live != 0)
            fail_msg("allocation %d of %d refused: %d blocks leak", i, m.taken, m.live);
        if (!m.refused) {
            assert_ok_or(status, &error);
            assert_true(made);
            return refusals;
        }
        refusals++;
        if (status == ARNE_OK && spared-- > 0) continue;
        assert_status(status, ARNE_NO_MEMORY);
        assert_int_equal(error.code, ARNE_NO_MEMORY);
        assert_true(error.text[0] != 0);
        assert_false(made);
    }
}

static arne_status make_by_builder(const void *what, arne_robot **out, arne_error *error)
{
    const arne_build_options options = {.base = ARNE_BASE_FREE};
    arne_builder            *builder = NULL;
    arne_body_spec           body = arne_body_spec_default();
    arne_joint_spec          joint = arne_joint_spec_default();
    const arne_place         place = {"file", 1};
    arne_status              status = arne_builder_new(&builder);
    (void)what;
    if (status != ARNE_OK) { // the one function here that has no error to fill
        error->code = status;
        strcpy(error->text, arne_status_text(status));
        return status;
    }
    status = arne_builder_set_name(builder, "robot by hand");
    error->code = status;
    strcpy(error->text, arne_status_text(status));
    for (int i = 0; i < 12 && status == ARNE_OK; i++) {
        char name[16], above[16], moves[16];
        snprintf(name, sizeof name, "l%d", i);
        snprintf(above, sizeof above, "l%d", i - 1);
        snprintf(moves, sizeof moves, "j%d", i);
        body.name = joint.child = name;
        body.mass = 1;
        joint.name = moves;
        joint.parent = above;
        body.place = joint.place = place;
        status = arne_builder_add_body(builder, &body, error);
        if (status == ARNE_OK && i > 0) status = arne_builder_add_joint(builder, &joint, error);
    }
    if (status == ARNE_OK)
        status = arne_builder_add_frame(builder, "tip", "l3", NULL, place, error);
    if (status == ARNE_OK) status = arne_builder_finish(builder, &options, out, error);
    arne_builder_free(builder);
    return status;
}

static void building_with_too_little_memory(void **unused)
{
    (void)unused;
    assert_true(refuse_each(make_by_builder, NULL, 0) > 20);
}

static arne_status make_by_reading(const void *what, arne_robot **out, arne_error *error)
{
    return arne_robot_read(what, NULL, out, error);
}

static void reading_with_too_little_memory(void **unused)
{
    (void)unused;
    static const char *const files[] = {"/arm7.urdf", "/quadruped.yaml", "/puma560.yaml",
                                        "/gantry.yaml", "/palletiser.yaml"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s%s", ARNE_ROBOTS_DIR, files[i]);
        // a stream without a buffer reads on, slowly: once for each file that is opened
        const int refusals = refuse_each(make_by_reading, path, SEES_ALL ? 2 : 0);
        print_message("%s: %d allocations refused in turn\n", files[i] + 1, refusals);
        assert_true(refusals > 20);
    }
}

// The robot shows that the report was written before.
static arne_status make_by_reporting(const void *what, arne_robot **out, arne_error *error)
{
    char path[128];
    snprintf(path, sizeof path, "%s/inputs/robot.yaml", (const char *)what);
    const arne_status status = arne_report_write(what, NULL, error);
    return status ? status : arne_robot_read(path, NULL, out, error);
}

static void reporting_with_too_little_memory(void **unused)
{
    (void)unused;
    char dir[] = "/tmp/arne_memory_XXXXXX", command[64];
    assert_non_null(mkdtemp(dir));
    const run_request ask = {.dir = dir,
                             .file = ARNE_ROBOTS_DIR "/planar_2r.yaml",
                             .rows = 12,
                             .seconds = 1,
                             .extra = "\"snapshots\": 2, \"plots\": [{\"x\": \"q.joint1\", \"y\": "
                                      "[\"q.joint2\"]}],",
                             .title = "Little memory"};
    assert_true(make_run_folder(&ask));
    const int refusals = refuse_each(make_by_reporting, dir, SEES_ALL ? 4 : 0);
    print_message("report: %d allocations refused in turn\n", refusals);
    assert_true(refusals > 50);
    snprintf(command, sizeof command, "rm -rf %s", dir);
    assert_int_equal(system(command), 0);
}

static arne_status make_by_attaching(const void *what, arne_robot **out, arne_error *error)
{
    const arne_payload load = {1, {0, 0, 0.1}, {0.1, 0.1, 0.1, 0, 0, 0}};
    return arne_robot_attach(what, 0, &load, out, error);
}

static void attaching_with_too_little_memory(void **unused)
{
    (void)unused;
    arne_builder *builder = random_tree(2);
    arne_robot   *robot = finish(builder, NULL);
    arne_work    *work = NULL;
    assert_true(refuse_each(make_by_attaching, robot, 0) > 0);
    meter_start(1);
    const arne_status status = arne_work_new(robot, &work);
    const meter       m = meter_stop();
    assert_status(status, ARNE_NO_MEMORY);
    assert_null(work);
    assert_int_equal(m.live, 0);
    arne_robot_free(robot);
    arne_builder_free(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_meter_counts),
        cmocka_unit_test(hot_functions_take_no_memory),
        cmocka_unit_test(closed_chains_take_no_memory),
        cmocka_unit_test(steps_take_no_memory),
        cmocka_unit_test(batches_take_no_memory),
        cmocka_unit_test(muscles_take_no_memory),
        cmocka_unit_test(muscles_with_too_little_memory),
        cmocka_unit_test(motions_and_controllers_take_no_memory),
        cmocka_unit_test(a_robot_on_its_feet_takes_no_memory),
        cmocka_unit_test(a_workspace_can_live_in_anybodys_memory),
        cmocka_unit_test(building_with_too_little_memory),
        cmocka_unit_test(reading_with_too_little_memory),
        cmocka_unit_test(reporting_with_too_little_memory),
        cmocka_unit_test(attaching_with_too_little_memory),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
