// One robot, eight threads, a workspace each: the same numbers as one thread alone, bit by bit.
//
// Built with ThreadSanitizer this also shows that nothing behind the robot is written.
#include "testing.h"

#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 8, ROUNDS = TEST_PART > 1 ? 30 : 200, RESULTS = 12288 };

typedef struct worker {
    pthread_t         thread;
    const arne_robot *robot;
    const state      *s;
    arne_work        *work;
    double           *first, *again; // what came out the first time, and the last
    int               count, failed, differs;
} worker;

// Derivatives and rates; how many numbers there are, or 0 where it failed.
static int compute_derivatives(const arne_robot *robot, arne_work *work, const state *s,
                               double *out)
{
    const int       n = s->size.v_count;
    const arne_load load = {
        .frame = s->size.frame_count - 1, .in_world = 1, .wrench = s->wrench[0]};
    double *at = out;

    arne_inverse_dynamics_derivatives(robot, work, s->q, s->qd, s->qdd, &load, 1, at, at + n * n,
                                      NULL);
    at += 2 * n * n;
    if (arne_forward_dynamics_derivatives(robot, work, s->q, s->qd, s->tau, &load, 1, NULL, at,
                                          at + n * n, NULL, NULL) != ARNE_OK)
        return 0;
    at += 2 * n * n;
    arne_inverse_dynamics_along(robot, work, s->q, s->qd, s->qdd, &load, 1, s->qd, s->qdd, s->tau,
                                at);
    at += n;
    arne_inverse_dynamics_against(robot, work, s->q, s->qd, s->qdd, &load, 1, s->tau, at, at + n,
                                  at + 2 * n);
    at += 3 * n;
    arne_torque_rate(robot, work, s->q, s->qd, s->qdd, s->tau, &load, 1, at, at + n);
    return (int)(at + 2 * n - out);
}

// A bit of everything, one after the other, into one array.
static int compute(const arne_robot *robot, arne_work *work, const state *s, double *out)
{
    const int n = s->size.v_count, frame = s->size.frame_count - 1;
    double   *at = out;
    arne_vec3 com, velocity;

    arne_inverse_dynamics(robot, work, s->q, s->qd, s->qdd, s->f_ext, at);
    at += n;
    if (arne_forward_dynamics(robot, work, s->q, s->qd, s->tau, s->f_ext, at, NULL) != ARNE_OK)
        return 0;
    at += n;
    arne_mass_matrix(robot, work, s->q, at);
    at += n * n;
    arne_coriolis_matrix(robot, work, s->q, s->qd, at);
    at += n * n;
    arne_jacobian_rate(robot, work, s->q, s->qd, frame, ARNE_AXES_ALIGNED, at);
    at += 6 * n;
    arne_centroidal_matrix(robot, work, s->q, at);
    at += 6 * n;
    arne_energy(robot, work, s->q, s->qd, at, at + 1);
    at += 2;
    arne_center_of_mass(robot, work, s->q, s->qd, &com, &velocity);
    memcpy(at, &com, sizeof com);
    at += 3;
    arne_kinematics(robot, work, s->q, s->qd, s->qdd);
    const arne_motion a =
        arne_frame_acceleration(robot, work, frame, ARNE_AXES_BODY, ARNE_ACCELERATION_CLASSICAL);
    memcpy(at, &a, sizeof a);
    at += 6;
    const int more = compute_derivatives(robot, work, s, at);
    return more ? (int)(at + more - out) : 0;
}

// No assertions here: cmocka's belong to the thread that runs the test.
static void *run(void *argument)
{
    worker *w = argument;
    w->count = compute(w->robot, w->work, w->s, w->first);
    for (int i = 0; i < ROUNDS; i++) {
        const int count = compute(w->robot, w->work, w->s, w->again);
        w->failed |= count == 0;
        w->differs |= memcmp(w->first, w->again, sizeof(double) * (size_t)count) != 0;
    }
    return NULL;
}

static void share(const arne_robot *robot)
{
    worker workers[THREADS] = {0};
    state  states[THREADS];
    double alone[RESULTS], memory[THREADS][2][RESULTS];

    for (int i = 0; i < THREADS; i++) {
        states[i] = random_state(robot, (uint64_t)i + 1);
        workers[i] = (worker){.robot = robot, .s = &states[i], .work = new_work(robot)};
        workers[i].first = memory[i][0];
        workers[i].again = memory[i][1];
        state_set_base(&states[i], workers[i].work);
    }
    const int n = states[0].size.v_count;
    assert_true(6 * n * n + 20 * n + 11 <= RESULTS);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&workers[i].thread, NULL, run, &workers[i]), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_false(workers[i].failed);
        assert_false(workers[i].differs);
        const int count = compute(robot, workers[i].work, &states[i], alone);
        assert_int_equal(count, workers[i].count);
        assert_memory_equal(alone, workers[i].first, sizeof(double) * (size_t)count);
        arne_work_free(workers[i].work);
    }
}

static void eight_threads_share_a_robot(void **unused)
{
    (void)unused;
    EACH_ROBOT_OF (robot, work, 20)
        if (arne_robot_sizes(robot).v_count > 0 && arne_robot_sizes(robot).v_count <= 40)
            share(robot);
}

// Robots are made in parallel too: nothing is shared between builders.
static void *build(void *argument)
{
    arne_robot **robot = argument;
    if (arne_robot_read(ARNE_ROBOTS_DIR "/puma560.yaml", NULL, robot, NULL) != ARNE_OK)
        *robot = NULL;
    return NULL;
}

static void eight_threads_read_robots(void **unused)
{
    (void)unused;
    pthread_t   threads[THREADS];
    arne_robot *robots[THREADS] = {0};
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, build, &robots[i]), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_non_null(robots[i]);
        arne_robot_free(robots[i]);
    }
}

// Feet that stand: helpers of a solver have memory for contacts, too.
static void optimal_control_has_helpers(void **unused)
{
    (void)unused;
    const arne_build_options smooth = {.no_friction = 1};
    arne_robot              *robot = read_robot("quadruped", &smooth);
    const arne_sizes         size = arne_robot_sizes(robot);
    const arne_oc_contact    feet[] = {{.frame = arne_find_frame(robot, "front_left_foot")},
                                       {.frame = arne_find_frame(robot, "rear_right_foot")}};
    const arne_oc_phase      phase = {.contacts = feet, .contact_count = 2};
    const arne_oc_term       terms[] = {{.quantity = ARNE_OC_STATE, .weight = 1},
                                        {.quantity = ARNE_OC_CONTROL, .weight = 1e-3}};
    arne_oc_problem          problem = {.robot = robot,
                                        .knots = 40,
                                        .step = 0.01,
                                        .terms = terms,
                                        .term_count = 2,
                                        .phases = &phase,
                                        .phase_count = 1};
    double                   q[64] = {0}, qd[64] = {0}, cost[2];
    assert_true(size.q_count <= 64);
    arne_neutral(robot, q);
    for (int leg = 0; leg < 4; leg++) { // knees bent
        q[7 + 3 * leg + 1] = leg < 2 ? 0.6 : -0.6;
        q[7 + 3 * leg + 2] = leg < 2 ? -1.2 : 1.2;
    }
    for (int i = 0; i < 2; i++) {
        arne_oc              *oc;
        arne_oc_result        r;
        const arne_oc_options few = {.iterations = 4};
        problem.threads = i ? 4 : 1;
        assert_ok(arne_oc_new(&problem, &oc, NULL));
        (void)!arne_oc_solve(oc, q, qd, &few, &r, NULL);
        cost[i] = r.cost;
        arne_oc_free(oc);
    }
    assert_true(cost[0] == cost[1] && isfinite(cost[0]));
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eight_threads_share_a_robot),
        cmocka_unit_test(eight_threads_read_robots),
        cmocka_unit_test(optimal_control_has_helpers),
    };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
