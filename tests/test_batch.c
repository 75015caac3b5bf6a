// Many states at once: the numbers of one state at a time, whatever the width, the number of states
// and the number of threads.
#include "testing.h"

#include "many.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STATES = 11, STRIDE = 14, TREES = TEST_PART > 1 ? 8 : 40 };

static const double TOLERANCE = 1e-12;
static const double GUARD = 12345.678; // in numbers that nobody may write

static const int widths[] = {1, 2, 4, 8};

static const char *name_of(arne_algorithm a) { return arne_catalogue_algorithm(a)->name; }

static int has_batch(arne_algorithm a)
{
    return (arne_catalogue_algorithm(a)->has & ARNE_HAS_BATCH) != 0;
}

#define EACH_WIDTH(w)                                                                              \
    for (int i_ = 0, w = 1; i_ < 4 && (w = widths[i_], 1); i_++)                                   \
        if (arne_batch_has_width(w))

static int is_direct(arne_algorithm a)
{
    return a == ARNE_ALGORITHM_INVERSE_MASS_MATRIX || a == ARNE_ALGORITHM_FORWARD_DYNAMICS ||
           a == ARNE_ALGORITHM_FORWARD_DYNAMICS_MATRIX || a == ARNE_ALGORITHM_HYBRID_DYNAMICS ||
           a == ARNE_ALGORITHM_FORWARD_DYNAMICS_DERIVATIVES;
}

// ---- one state at a time ----

static void single_motion(const problem *p, arne_work *w, const state *s,
                          const arne_batch_outputs *o)
{
    const arne_robot *r = p->robot;
    arne_kinematics(r, w, s->q, s->qd, s->qdd);
    const arne_pose   X = arne_frame_pose(r, w, p->in.frame);
    const arne_motion v = arne_frame_velocity(r, w, p->in.frame, p->in.axes),
                      a = arne_frame_acceleration(r, w, p->in.frame, p->in.axes, p->in.kind);
    memcpy(o->pose, &X, sizeof X);
    memcpy(o->velocity, &v, sizeof v);
    memcpy(o->acceleration, &a, sizeof a);
}

static void single_wrenches(const problem *p, const arne_work *w, const arne_batch_outputs *o)
{
    arne_wrench f = arne_base_wrench(p->robot, w);
    memcpy(o->base_wrench, &f, sizeof f);
    for (int i = 0; i < p->size.joint_count; i++) {
        f = arne_joint_wrench(p->robot, w, i);
        memcpy(o->joint_wrenches + 6 * i, &f, sizeof f);
    }
}

static int single_core(const problem *p, arne_work *w, arne_algorithm a, const state *s,
                       const arne_batch_outputs *o)
{
    const arne_robot *r = p->robot;
    arne_vec3         com, velocity;
    arne_wrench       h;
    switch (a) {
    case ARNE_ALGORITHM_POSE:
    case ARNE_ALGORITHM_VELOCITY:
    case ARNE_ALGORITHM_ACCELERATION:
        single_motion(p, w, s, o);
        break;
    case ARNE_ALGORITHM_JACOBIAN:
        arne_jacobian(r, w, s->q, p->in.frame, p->in.axes, o->J);
        arne_jacobian_rate(r, w, s->q, s->qd, p->in.frame, p->in.axes, o->Jdot);
        break;
    case ARNE_ALGORITHM_CENTER_OF_MASS:
        arne_center_of_mass(r, w, s->q, s->qd, &com, &velocity);
        *o->mass = arne_total_mass(r);
        memcpy(o->com, &com, sizeof com);
        memcpy(o->com_velocity, &velocity, sizeof velocity);
        break;
    case ARNE_ALGORITHM_COM_JACOBIAN:
        arne_com_jacobian(r, w, s->q, o->com_jacobian);
        break;
    case ARNE_ALGORITHM_ENERGY:
        arne_energy(r, w, s->q, s->qd, o->kinetic, o->potential);
        break;
    case ARNE_ALGORITHM_MOMENTUM:
        arne_momentum(r, w, s->q, s->qd, &h);
        memcpy(o->momentum, &h, sizeof h);
        arne_centroidal_matrix(r, w, s->q, o->A);
        break;
    case ARNE_ALGORITHM_CENTROIDAL_MATRIX:
        arne_centroidal_matrix(r, w, s->q, o->A);
        break;
    case ARNE_ALGORITHM_INVERSE_DYNAMICS:
        arne_inverse_dynamics(r, w, s->q, s->qd, s->qdd, s->f_ext, o->tau);
        single_wrenches(p, w, o);
        break;
    case ARNE_ALGORITHM_JOINT_WRENCHES:
        arne_inverse_dynamics(r, w, s->q, s->qd, s->qdd, s->f_ext, o->tau);
        single_wrenches(p, w, o);
        break;
    case ARNE_ALGORITHM_GRAVITY:
        arne_gravity(r, w, s->q, o->tau);
        break;
    case ARNE_ALGORITHM_BIAS:
        arne_bias(r, w, s->q, s->qd, s->f_ext, o->tau);
        break;
    case ARNE_ALGORITHM_MASS_MATRIX:
        arne_mass_matrix(r, w, s->q, o->M);
        break;
    case ARNE_ALGORITHM_INVERSE_MASS_MATRIX:
        assert_ok(arne_inverse_mass_matrix(r, w, s->q, o->Minv, NULL));
        break;
    case ARNE_ALGORITHM_CORIOLIS_MATRIX:
        arne_coriolis_matrix(r, w, s->q, s->qd, o->C);
        break;
    default:
        return 0;
    }
    return 1;
}

// Algorithms that solve with the mass matrix.
static int single_direct(const problem *p, arne_work *w, arne_algorithm a, const state *s,
                         const arne_batch_outputs *o)
{
    const arne_robot *r = p->robot;
    const size_t      size = (size_t)p->size.v_count * sizeof(double);
    switch (a) {
    case ARNE_ALGORITHM_OPERATIONAL_INERTIA:
        assert_ok(arne_operational_inertia(r, w, s->q, p->in.frame, p->in.axes, o->Lambda, NULL));
        return 1;
    case ARNE_ALGORITHM_FORWARD_DYNAMICS:
        assert_ok(arne_forward_dynamics(r, w, s->q, s->qd, s->tau, s->f_ext, o->qdd, NULL));
        arne_forward_wrenches(r, w);
        break;
    case ARNE_ALGORITHM_FORWARD_DYNAMICS_MATRIX:
        assert_ok(arne_forward_dynamics_matrix(r, w, s->q, s->qd, s->tau, s->f_ext, o->qdd, NULL));
        break;
    case ARNE_ALGORITHM_GROUND_DYNAMICS: {
        double ground[10];
        for (int i = 0; i < 10; i++)
            ground[i] = p->in.ground[(size_t)i * p->stride];
        assert_ok(arne_ground_dynamics(r, w, s->q, s->qd, s->tau, ground, s->f_ext, o->qdd,
                                       o->ground_force, NULL));
        return 1;
    }
    case ARNE_ALGORITHM_HYBRID_DYNAMICS:
        memcpy(o->tau, s->tau, size);
        memcpy(o->qdd, s->qdd, size);
        assert_ok(
            arne_hybrid_dynamics(r, w, s->q, s->qd, p->given, s->f_ext, o->tau, o->qdd, NULL));
        arne_forward_wrenches(r, w);
        break;
    case ARNE_ALGORITHM_BASE_ACCELERATION:
        memcpy(o->qdd, s->qdd, size);
        assert_ok(arne_base_acceleration(r, w, s->q, s->qd, s->f_ext, o->qdd, o->tau, NULL));
        memcpy(o->base_acceleration, o->qdd, 6 * sizeof *o->qdd);
        return 1;
    case ARNE_ALGORITHM_REGRESSOR:
        arne_regressor(r, w, s->q, s->qd, s->qdd, o->Y);
        return 1;
    default:
        return 0;
    }
    single_wrenches(p, w, o);
    return 1;
}

static void single_jerk(const problem *p, const arne_work *w, const arne_batch_outputs *o)
{
    const arne_motion j = arne_frame_jerk(p->robot, w, p->in.frame, p->in.axes);
    const arne_vec3   com = arne_com_jerk(p->robot, w, -1, ARNE_AXES_ALIGNED);
    memcpy(o->jerk, &j, sizeof j);
    memcpy(o->com_jerk, &com, sizeof com);
}

// The same arrays of the state stand for other inputs as put_state has them.
static int single_derivative(const problem *p, arne_work *w, arne_algorithm a, const state *s,
                             const arne_batch_outputs *o)
{
    const arne_robot *r = p->robot;
    const arne_load  *l = p->in.loads;
    const int         count = p->in.load_count;
    arne_wrench       rate;
    switch (a) {
    case ARNE_ALGORITHM_INVERSE_DYNAMICS_DERIVATIVES:
        arne_inverse_dynamics_derivatives(r, w, s->q, s->qd, s->qdd, l, count, o->dtau_dq,
                                          o->dtau_dqd, o->dtau_dqdd);
        break;
    case ARNE_ALGORITHM_FORWARD_DYNAMICS_DERIVATIVES:
        assert_ok(arne_forward_dynamics_derivatives(r, w, s->q, s->qd, s->tau, l, count, o->qdd,
                                                    o->dqdd_dq, o->dqdd_dqd, o->dqdd_dtau, NULL));
        break;
    case ARNE_ALGORITHM_INVERSE_DYNAMICS_ALONG:
        arne_inverse_dynamics_along(r, w, s->q, s->qd, s->qdd, l, count, s->tau, s->qd, s->qd,
                                    o->dtau);
        break;
    case ARNE_ALGORITHM_INVERSE_DYNAMICS_AGAINST:
        arne_inverse_dynamics_against(r, w, s->q, s->qd, s->qdd, l, count, s->qdd, o->against_q,
                                      o->against_qd, o->against_qdd);
        break;
    case ARNE_ALGORITHM_SECOND_DERIVATIVES:
        assert_ok(arne_second_derivatives(r, w, s->q, s->qd, s->qdd, l, count, s->qdd, o->d2tau_dq2,
                                          o->d2tau_dqdqd, o->d2tau_dqd2, o->d2tau_dqdqdd, NULL));
        break;
    case ARNE_ALGORITHM_TORQUE_RATE:
        arne_torque_rate(r, w, s->q, s->qd, s->qdd, s->tau, l, count, o->tau, o->tau_rate);
        single_jerk(p, w, o);
        break;
    case ARNE_ALGORITHM_JERK:
        arne_torque_rate(r, w, s->q, s->qd, s->qdd, s->tau, NULL, 0, o->tau, o->tau_rate);
        single_jerk(p, w, o);
        break;
    case ARNE_ALGORITHM_WRENCH_DERIVATIVES:
        arne_inverse_dynamics_derivatives(r, w, s->q, s->qd, s->qdd, l, count, NULL, NULL, NULL);
        arne_wrench_derivatives(r, w, p->in.joint, o->dwrench_dq, o->dwrench_dqd, o->dwrench_dqdd);
        break;
    case ARNE_ALGORITHM_FRAME_MOTION_DERIVATIVES: {
        const arne_frame_derivatives d = {o->dvelocity_dq, o->dvelocity_dqd, o->dacceleration_dq,
                                          o->dacceleration_dqd, o->dacceleration_dqdd};
        arne_frame_motion_derivatives(r, w, s->q, s->qd, s->qdd, p->in.frame, p->in.axes, &d);
        break;
    }
    case ARNE_ALGORITHM_CENTROIDAL_DERIVATIVES: {
        const arne_momentum_derivatives d = {o->dmomentum_dq, o->dmomentum_dqd,
                                             o->dmomentum_rate_dq, o->dmomentum_rate_dqd,
                                             o->dmomentum_rate_dqdd};
        arne_centroidal_derivatives(r, w, s->q, s->qd, s->qdd, &rate, &d);
        memcpy(o->momentum_rate, &rate, sizeof rate);
        break;
    }
    case ARNE_ALGORITHM_ZERO_MOMENT_POINT: {
        arne_vec3 zmp;
        assert_ok(arne_zero_moment_point(r, w, s->q, s->qd, s->qdd, p->in.point, p->in.normal, &zmp,
                                         o->dzmp_dq, o->dzmp_dqd, o->dzmp_dqdd));
        memcpy(o->zmp, &zmp, sizeof zmp);
        break;
    }
    default:
        return 0;
    }
    return 1;
}

static void set_base(const state *s, arne_batch *batch)
{
    if (arne_robot_base(s->robot) == ARNE_BASE_PRESCRIBED)
        arne_batch_set_base(batch, &s->base_pose, &s->base_velocity, &s->base_acceleration, NULL);
}

// By the functions for one state; an algorithm that is not here, by a batch of one state in plain
// doubles. `one` has room for the outputs of one state.
static void single(const problem *p, arne_work *w, arne_algorithm a, const state *s, problem *one)
{
    if (single_core(p, w, a, s, &one->out) || single_direct(p, w, a, s, &one->out) ||
        single_derivative(p, w, a, s, &one->out))
        return;
    arne_batch              *batch = new_batch(p->robot, 1, 1);
    const arne_batch_outputs o = outputs_of(one, a);
    one->states[0] = *s;
    put_state(one, 0);
    set_base(&p->states[0], batch);
    assert_ok(arne_batch_run(batch, a, &one->in, &o, 1, NULL));
    arne_batch_free(batch);
}

// ---- comparing ----

// Whether this robot has what the algorithm is about.
static int applies(const problem *p, arne_work *work, arne_algorithm a)
{
    if (a == ARNE_ALGORITHM_BASE_ACCELERATION) return arne_robot_base(p->robot) == ARNE_BASE_FREE;
    if (a == ARNE_ALGORITHM_OPERATIONAL_INERTIA) {
        double Lambda[36];
        for (size_t s = 0; s < p->count; s++)
            if (arne_operational_inertia(p->robot, work, p->states[s].q, p->in.frame, p->in.axes,
                                         Lambda, NULL))
                return 0;
    }
    if (a == ARNE_ALGORITHM_ZERO_MOMENT_POINT) return arne_total_mass(p->robot) > 0;
    if (a == ARNE_ALGORITHM_WRENCH_DERIVATIVES) return p->size.joint_count > 0;
    if (a != ARNE_ALGORITHM_SECOND_DERIVATIVES) return 1;
    for (int i = 0; i < p->size.joint_count; i++)
        if (arne_joint_kind_v_count(arne_robot_joint(p->robot, i).kind) != 1) return 0;
    return 1;
}

// One output of one state, against what the function for one state gave; M where it is solved with.
static void compare_rows(const problem *p, const state *s, const char *what, const double *got,
                         const double *wanted, size_t rows, const double *M)
{
    double      *column = zeroed(rows, sizeof *column);
    const size_t at = (size_t)(s - p->states);
    for (size_t i = 0; i < rows; i++)
        column[i] = got[i * p->stride + at];
    if (M)
        assert_direct_close(s, what, column, wanted, (int)rows, TOLERANCE, M);
    else
        assert_close(s, what, column, wanted, (int)rows, TOLERANCE);
    free(column);
}

// Lambda is the inverse of a 6 x 6 matrix, and as good as that matrix is conditioned.
static void compare_inertia(const problem *p, const state *s, const double *got,
                            const double *wanted, const char *label)
{
    const size_t at = (size_t)(s - p->states);
    double       Lambda[36];
    for (size_t i = 0; i < 36; i++)
        Lambda[i] = got[i * p->stride + at];
    // One state goes by the recursion, lanes by the factored mass matrix: both lose digits with the
    // condition.
    const double tolerance = TOLERANCE * fmax(1, 1e-3 * condition(wanted, 6));
    assert_close(s, label, Lambda, wanted, 36, tolerance);
}

static void compare_state(const problem *all, arne_work *work, arne_algorithm a,
                          const arne_batch_outputs *got, size_t which, const char *label)
{
    const state  *s = &all->states[which];
    const size_t  n = (size_t)all->size.v_count;
    problem       one = new_problem(all->robot, 1, 1); // its outputs are those of one state
    double       *M = zeroed(n * n, sizeof *M);
    double *const given[ARNE_ARRAY_COUNT] = {
#define ARNE_INPUT_OUTPUT(name, ...) [ARNE_ARRAY_##name] = got->name,
#define ARNE_OUTPUT(name, ...) [ARNE_ARRAY_##name] = got->name,
#include <arne/catalogue.def>
    };
    char what[128];
    single(all, work, a, s, &one);
    arne_mass_matrix(all->robot, work, s->q, M);
    for (int i = 0; i < ARNE_ARRAY_COUNT; i++) {
        if (!given[i]) continue;
        snprintf(what, sizeof what, "%s of %s, %s", arne_catalogue_array((arne_array)i)->name,
                 name_of(a), label);
        if (i == ARNE_ARRAY_Lambda)
            compare_inertia(all, s, given[i], one.out_at[i], label);
        else
            compare_rows(all, s, what, given[i], one.out_at[i],
                         arne_array_size(all->robot, (arne_array)i), is_direct(a) ? M : NULL);
    }
    free(M);
    free_problem(&one);
}

static void run_and_compare(const problem *p, arne_work *work, arne_batch *batch, arne_algorithm a)
{
    const arne_batch_outputs o = outputs_of(p, a);
    arne_error               error = {0};
    char                     label[32];
    snprintf(label, sizeof label, "width %d", arne_batch_width(batch));
    for (size_t i = 0; i < p->out_size; i++)
        p->memory_out[i] = GUARD;
    assert_ok_or(arne_batch_run(batch, a, &p->in, &o, p->count, &error), &error);
    for (size_t i = 0; i < p->out_size; i++)
        if (i % p->stride >= p->count) assert_true(p->memory_out[i] == GUARD);
    for (size_t s = 0; s < p->count; s++)
        compare_state(p, work, a, &o, s, label);
}

static void agrees(void **which)
{
    const arne_algorithm a = *(const arne_algorithm *)*which;
    EACH_ROBOT_OF (robot, work, TREES) {
        problem p = new_problem(robot, STATES, STRIDE);
        state_set_base(&p.states[0], work);
        EACH_WIDTH(w)
        {
            arne_batch *batch = new_batch(robot, w, 1);
            set_base(&p.states[0], batch);
            if (applies(&p, work, a)) run_and_compare(&p, work, batch, a);
            arne_batch_free(batch);
        }
        free_problem(&p);
    }
}

// Every way to write motions of a frame, without loads, every remainder of a block, and groups of
// blocks with what is left.
static void axes_and_remainders_agree(void **unused)
{
    arne_robot *robot = read_robot("quadruped", NULL);
    arne_work  *work = new_work(robot);
    (void)unused;
    EACH_WIDTH(w)
    {
        arne_batch *batch = new_batch(robot, w, 1);
        for (size_t count = 1; count <= 37; count += count < 9 ? 1 : 7) {
            problem p = new_problem(robot, count, count);
            p.in.stride = 0;
            p.in.load_count = 0;
            p.in.axes = (arne_axes)(count % 3);
            p.in.kind = count % 2 ? ARNE_ACCELERATION_SPATIAL : ARNE_ACCELERATION_CLASSICAL;
            run_and_compare(&p, work, batch, ARNE_ALGORITHM_ACCELERATION);
            run_and_compare(&p, work, batch, ARNE_ALGORITHM_JACOBIAN);
            run_and_compare(&p, work, batch, ARNE_ALGORITHM_INVERSE_DYNAMICS);
            run_and_compare(&p, work, batch, ARNE_ALGORITHM_FORWARD_DYNAMICS);
            run_and_compare(&p, work, batch, ARNE_ALGORITHM_INVERSE_DYNAMICS_DERIVATIVES);
            free_problem(&p);
        }
        arne_batch_free(batch);
    }
    arne_work_free(work);
    arne_robot_free(robot);
}

// ---- threads ----

// Three times, since threads are not at the same place twice.
static void compare_threads(const arne_robot *robot, int width, int threads, size_t count, int step)
{
    problem     p = new_problem(robot, count, count), alone = new_problem(robot, count, count);
    arne_batch *one = new_batch(robot, width, 1), *many = new_batch(robot, width, threads);
    assert_int_equal(arne_batch_threads(many), threads);
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < ARNE_ALGORITHM_COUNT; i += step) {
            const arne_algorithm a = (arne_algorithm)i;
            if (!has_batch(a) || a == ARNE_ALGORITHM_BASE_ACCELERATION) continue; // of free bases
            const arne_batch_outputs x = outputs_of(&alone, a), y = outputs_of(&p, a);
            assert_ok(arne_batch_run(one, a, &alone.in, &x, count, NULL));
            assert_ok(arne_batch_run(many, a, &p.in, &y, count, NULL));
            const size_t bytes = p.out_size * sizeof(double);
            if (memcmp(alone.memory_out, p.memory_out, bytes) != 0) // cmocka's own takes long
                assert_memory_equal(alone.memory_out, p.memory_out, bytes);
        }
    arne_batch_free(one);
    arne_batch_free(many);
    free_problem(&p);
    free_problem(&alone);
}

static void threads_leave_no_trace(void **unused)
{
    static const int threads[] = {2, 3, 8};
    arne_robot      *robot = read_robot("arm7", NULL);
    (void)unused;
    EACH_WIDTH(w)
    for (int t = 0; t < 3; t++) {
        compare_threads(robot, w, threads[t], 1, 1);
        compare_threads(robot, w, threads[t], 300, 1);
        compare_threads(robot, w, threads[t], 3001, 7);
    }
    arne_robot_free(robot);
}

// ---- states that cannot be solved ----

// Two revolute joints, and a point mass at the end: where the arm is stretched, M is singular.
static arne_robot *new_stretching_arm(void)
{
    arne_builder   *b;
    arne_body_spec  body = arne_body_spec_default();
    arne_joint_spec joint = arne_joint_spec_default();
    assert_ok(arne_builder_new(&b));
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"base", "upper", "fore"};
        body.name = names[i];
        body.mass = i == 2 ? 2 : 0;
        body.com = v3(i == 2 ? 1 : 0, 0, 0);
        assert_ok(arne_builder_add_body(b, &body, NULL));
        if (i == 0) continue;
        joint.name = i == 1 ? "shoulder" : "elbow";
        joint.parent = names[i - 1];
        joint.child = names[i];
        joint.axis = v3(0, 0, 1);
        joint.origin = pose_identity();
        joint.origin.p.x = i == 2 ? 1 : 0;
        assert_ok(arne_builder_add_joint(b, &joint, NULL));
    }
    arne_robot *robot = finish(b, NULL);
    arne_builder_free(b);
    return robot;
}

static void singular_states_are_named(void **unused)
{
    static const arne_algorithm direct[] = {
        ARNE_ALGORITHM_INVERSE_MASS_MATRIX, ARNE_ALGORITHM_FORWARD_DYNAMICS,
        ARNE_ALGORITHM_FORWARD_DYNAMICS_MATRIX, ARNE_ALGORITHM_FORWARD_DYNAMICS_DERIVATIVES};
    enum { MANY = 100, FIRST = 37, OTHER = 90 };
    arne_robot *robot = new_stretching_arm();
    arne_work  *work = new_work(robot);
    problem     p = new_problem(robot, MANY, MANY);
    (void)unused;
    for (size_t s = 0; s < MANY; s++) {
        p.states[s].q[1] = s == FIRST || s == OTHER ? 0 : 1 + 0.01 * (double)s;
        put_state(&p, s);
    }
    EACH_WIDTH(w)
    for (int i = 0; i < 4; i++) {
        arne_batch              *batch = new_batch(robot, w, 2);
        const arne_batch_outputs o = outputs_of(&p, direct[i]);
        arne_error               error = {0};
        assert_status(arne_batch_run(batch, direct[i], &p.in, &o, MANY, &error), ARNE_SINGULAR);
        assert_int_equal(error.code, ARNE_SINGULAR);
        assert_non_null(strstr(error.text, "state 37: "));
        for (size_t s = 0; s < MANY; s++) // its neighbours are good
            if (s != FIRST && s != OTHER) compare_state(&p, work, direct[i], &o, s, "others");
        arne_batch_free(batch);
    }
    free_problem(&p);
    arne_work_free(work);
    arne_robot_free(robot);
}

// Rows of one array between those of another, as columns of one large matrix are.
static void interleaved_rows_are_fine(void **unused)
{
    arne_robot        *robot = read_robot("arm6", NULL);
    arne_work         *work = new_work(robot);
    problem            p = new_problem(robot, 5, 10);
    arne_batch_outputs o = {.tau = p.memory_in + 5}; // behind the five states of every row of q
    arne_error         error = {0};
    (void)unused;
    EACH_WIDTH(w)
    {
        arne_batch *batch = new_batch(robot, w, 1);
        assert_ok_or(arne_batch_run(batch, ARNE_ALGORITHM_GRAVITY, &p.in, &o, 5, &error), &error);
        for (size_t s = 0; s < 5; s++)
            compare_state(&p, work, ARNE_ALGORITHM_GRAVITY, &o, s, "interleaved");
        o.tau--;
        assert_status(arne_batch_run(batch, ARNE_ALGORITHM_GRAVITY, &p.in, &o, 5, NULL),
                      ARNE_VALUE);
        o.tau += 2;
        assert_status(arne_batch_run(batch, ARNE_ALGORITHM_GRAVITY, &p.in, &o, 5, NULL),
                      ARNE_VALUE);
        o.tau--;
        arne_batch_free(batch);
    }
    free_problem(&p);
    arne_work_free(work);
    arne_robot_free(robot);
}

int main(void)
{
    static arne_algorithm which[ARNE_ALGORITHM_COUNT];
    enum { OTHERS = 4 };
#ifdef __SANITIZE_THREAD__ // what threads do is the same for every algorithm
    enum { STEP = 24 };
#else
    enum { STEP = 1 };
#endif
    size_t            count = OTHERS;
    struct CMUnitTest tests[OTHERS + ARNE_ALGORITHM_COUNT] = {
        cmocka_unit_test(axes_and_remainders_agree),
        cmocka_unit_test(threads_leave_no_trace),
        cmocka_unit_test(singular_states_are_named),
        cmocka_unit_test(interleaved_rows_are_fine),
    };
    for (int i = 0; i < 4; i++)
        if (!arne_batch_has_width(widths[i]))
            print_message("width %d: skipped, not on this machine\n", widths[i]);
    for (int a = 0; a < ARNE_ALGORITHM_COUNT; a += STEP) {
        which[a] = (arne_algorithm)a;
        if (!has_batch(which[a])) continue;
        tests[count].name = name_of(which[a]);
        tests[count].test_func = agrees;
        tests[count++].initial_state = &which[a];
    }
    return _cmocka_run_group_tests("batch", tests, count, NULL, NULL);
}
