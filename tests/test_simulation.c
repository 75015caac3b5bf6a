// A simulation that is held and stepped: it is the run of arne_simulate, bit by bit; its state can
// be saved and put back; laws of mechanics hold from step to step; mistakes of the caller have
// names and change nothing.
#include "contact.h"
#include "meter.h"
#include "testing.h"

#include <arne/simulation.h>
#include <stdio.h>

#define EXAMPLES ARNE_ROBOTS_DIR "/../examples/"

// What simulations meet: sampled and continuous controllers, stiction, elastic joints, loops,
// contact of both models, propellers, added mass, limits, a reference that drives.
static const struct {
    const char *name, *text; // of a file, or its text
    double      step;
    int         count;
} CASES[] = {
    {EXAMPLES "quadruped_push/scenario.yaml", NULL, 1e-3, 250},
    {EXAMPLES "swimmer/scenario.yaml", NULL, 5e-3, 40},
    {EXAMPLES "space_robot/scenario.yaml", NULL, 1e-2, 20},
    {EXAMPLES "gough_stewart/scenario.yaml", NULL, 1e-2, 5},
    {EXAMPLES "quadrotor/scenario.yaml", NULL, 2e-3, 50},
    {EXAMPLES "mixed_elastic_arm/scenario.yaml", NULL, 2e-3, 10},
    {EXAMPLES "car/scenario.yaml", NULL, 5e-3, 40},
    {"sticks",
     "robot: " ARNE_ROBOTS_DIR "/puma560.yaml\nduration: 1\n"
     "reference: {type: sinusoid, offset: 0, harmonics: [{amplitude: 0.05, frequency: 3}]}\n"
     "controller: {type: pd_gravity, kp: 200, kd: 2, sample_time: 0.0037, torque_rate_limits: "
     "900}\n"
     "friction: stick\n",
     4e-3, 60},
    {"loop", "robot: " ARNE_ROBOTS_DIR "/five_bar.yaml\nduration: 1\n", 5e-3, 30},
    {"falls",
     "robot: " ARNE_ROBOTS_DIR "/quadruped.yaml\nduration: 1\n"
     "initial: {q: {base: [0, 0, 0.5, 0.2, 0.1, 0, 0.9746794344808963]}}\n"
     "surroundings: [{type: ground, friction: 0.7, restitution: 0.3, model: rigid}]\n"
     "integrator: {method: euler, step: 0.002}\n",
     2e-3, 300},
    {"soft",
     "robot: " ARNE_ROBOTS_DIR "/quadruped.yaml\nduration: 1\n"
     "initial: {q: {base: [0, 0, 0.45, 0, 0, 0, 1]}}\n"
     "controller: {type: pd, kp: 50, kd: 2}\n"
     "surroundings: [{type: ground, friction: 0.7, model: compliant}]\n"
     "integrator: {method: rk4, step: 0.0005}\n",
     1e-3, 200},
    {"stops", "robot: " ARNE_ROBOTS_DIR "/arm6.yaml\nduration: 1\nlimits: hold\n", 1e-3, 200},
};
enum { CASE_COUNT = sizeof CASES / sizeof *CASES };

static arne_scenario *read_case(int i)
{
    arne_scenario *scenario = NULL;
    arne_error     error = {0};
    const char    *text = CASES[i].text;
    assert_ok_or(
        text ? arne_scenario_read_yaml(text, strlen(text), CASES[i].name, NULL, &scenario, &error)
             : arne_scenario_read(CASES[i].name, NULL, &scenario, &error),
        &error);
    return scenario;
}

static arne_simulation *simulation_of(const arne_simulation_spec *spec, double step)
{
    const arne_simulation_options options = {.step = step, .spec = spec};
    arne_simulation              *s = NULL;
    arne_error                    error = {0};
    assert_ok_or(arne_simulation_new(spec->robot, &options, &s, &error), &error);
    return s;
}

static void step(arne_simulation *s, const double *tau, int count)
{
    arne_error error = {0};
    assert_ok_or(arne_simulation_step(s, tau, count, &error), &error);
}

static void assert_bits(const double *a, const double *b, int count, const char *where, int at)
{
    for (int i = 0; i < count; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) != 0)
            fail_msg("%s, %d: entry %d is %.17g and %.17g", where, at, i, a[i], b[i]);
}

static void assert_row(const arne_simulation *s, const arne_table *rows, int row, const char *where)
{
    const arne_sizes n = arne_robot_sizes(arne_simulation_robot(s));
    const double    *cells = arne_table_row(rows, row), time = arne_simulation_time(s);
    assert_bits(&time, cells, 1, where, row);
    assert_bits(arne_simulation_q(s), cells + 1, n.q_count, where, row);
    assert_bits(arne_simulation_qd(s), cells + 1 + n.q_count, n.v_count, where, row);
}

static arne_table *rows_of(arne_simulation_spec spec, double every, int count)
{
    arne_table *rows = NULL;
    arne_error  error = {0};
    spec.record_every = every;
    spec.duration = every * count;
    spec.record = ARNE_RECORD_Q | ARNE_RECORD_QD;
    assert_ok_or(arne_simulate(&spec, NULL, NULL, &rows, NULL, &error), &error);
    assert_int_equal(arne_table_rows(rows), count + 1);
    return rows;
}

static void steps_are_the_run(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASE_COUNT; i++) {
        arne_scenario              *scenario = read_case(i);
        const arne_simulation_spec *spec = arne_scenario_simulation(scenario);
        arne_table                 *rows = rows_of(*spec, CASES[i].step, CASES[i].count);
        arne_simulation            *s = simulation_of(spec, CASES[i].step);
        for (int k = 0; k < CASES[i].count; k++) { // the last row may end by rounding elsewhere
            assert_row(s, rows, k, CASES[i].name);
            step(s, NULL, 1);
        }
        arne_simulation_free(s);
        arne_table_free(rows);
        arne_scenario_free(scenario);
    }
}

// The methods of SUNDIALS, where they are there.
static void solvers_are_the_run(void **unused)
{
    (void)unused;
    for (int method = ARNE_METHOD_CVODE; method < ARNE_METHOD_COUNT; method++) {
        if (!arne_method_available((arne_method)method)) continue;
        arne_scenario       *scenario = read_case(1);
        arne_simulation_spec spec = *arne_scenario_simulation(scenario);
        spec.integrator = (arne_integrator_options){.method = (arne_method)method};
        arne_table      *rows = rows_of(spec, 5e-3, 20);
        arne_simulation *s = simulation_of(&spec, 5e-3);
        for (int k = 0; k < 20; k++) {
            assert_row(s, rows, k, arne_method_name((arne_method)method));
            step(s, NULL, 1);
        }
        arne_simulation_free(s);
        arne_table_free(rows);
        arne_scenario_free(scenario);
    }
}

// ---- torques of the caller ----

// Some torque for every coordinate, the same at the same time.
static double torque_at(double time, int v) { return 3 * sin(40 * time + v) + 0.5; }

static arne_status wave(void *context, const arne_control_input *in, double *tau)
{
    for (int v = 0; v < *(const int *)context; v++)
        tau[v] = torque_at(in->t, v);
    return ARNE_OK;
}

static void given_torques_are_a_controller(void **unused)
{
    static const int cases[] = {0, 5, 7, 9, 10};
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        arne_scenario       *scenario = read_case(cases[i]);
        arne_simulation_spec spec = *arne_scenario_simulation(scenario);
        arne_controller     *controller;
        double               tau[64];
        const double         h = CASES[cases[i]].step;
        int                  nv = arne_robot_sizes(spec.robot).v_count;
        assert_ok(arne_controller_callback(spec.robot, wave, &nv, &controller, NULL));
        spec.controller = controller;
        spec.sample_time = h;
        arne_table *rows = rows_of(spec, h, 40);
        spec.controller = NULL;
        spec.sample_time = 0;
        arne_simulation *s = simulation_of(&spec, h);
        for (int k = 0; k < 40; k++) {
            assert_row(s, rows, k, CASES[cases[i]].name);
            for (int v = 0; v < nv; v++)
                tau[v] = torque_at(arne_simulation_time(s), v);
            step(s, tau, 1);
        }
        arne_simulation_free(s);
        arne_table_free(rows);
        arne_controller_free(controller);
        arne_scenario_free(scenario);
    }
}

// After torques of the caller the controller takes over again, and without one there are none.
static void controller_takes_over(void **unused)
{
    (void)unused;
    arne_scenario              *scenario = read_case(0);
    const arne_simulation_spec *spec = arne_scenario_simulation(scenario);
    arne_simulation            *s = simulation_of(spec, 1e-3);
    double                      tau[18] = {0};
    step(s, NULL, 10);
    tau[10] = 1;
    step(s, tau, 25);
    assert_true(arne_simulation_tau(s)[10] == 1 && arne_simulation_tau(s)[8] == 0);
    step(s, NULL, 10);
    assert_true(fabs(arne_simulation_tau(s)[10]) > 1e-3 && arne_simulation_tau(s)[10] < 0.9);
    assert_true(fabs(arne_simulation_time(s) - 0.045) < 1e-15);
    arne_simulation_free(s);

    arne_simulation_spec bare = *spec;
    bare.controller = NULL;
    s = simulation_of(&bare, 1e-3);
    step(s, tau, 2);
    step(s, NULL, 1);
    assert_true(arne_simulation_tau(s)[10] == 0);
    arne_simulation_free(s);
    arne_scenario_free(scenario);
}

// ---- the state ----

typedef struct trace {
    double q[32][64], qd[32][64], time[32];
} trace;

static void follow(arne_simulation *s, trace *out, const double *tau)
{
    const arne_sizes n = arne_robot_sizes(arne_simulation_robot(s));
    for (int k = 0; k < 20; k++) {
        step(s, k % 3 == 1 ? tau : NULL, 1 + k % 2);
        memcpy(out->q[k], arne_simulation_q(s), (size_t)n.q_count * sizeof(double));
        memcpy(out->qd[k], arne_simulation_qd(s), (size_t)n.v_count * sizeof(double));
        out->time[k] = arne_simulation_time(s);
    }
}

static void states_are_exact(void **unused)
{
    static trace first, second;
    (void)unused;
    for (int i = 0; i < CASE_COUNT; i++) {
        arne_scenario              *scenario = read_case(i), *other = read_case(i);
        const arne_simulation_spec *spec = arne_scenario_simulation(scenario);
        arne_simulation            *s = simulation_of(spec, CASES[i].step);
        const size_t                size = arne_simulation_state_size(s);
        double                     *saved = test_malloc(2 * size * sizeof *saved);
        const double                torques[64] = {0, 0, 0, 0, 0, 0, 0.5, -0.3, 0.2};
        const double               *tau = spec->drive == ARNE_DRIVE_REFERENCE ? NULL : torques;
        arne_error                  error = {0};
        step(s, tau, 3);
        step(s, NULL, CASES[i].count / 3);
        arne_simulation_state(s, saved);
        follow(s, &first, tau);
        arne_simulation_state(s, saved + size);
        // The same simulation, and another one.
        arne_simulation *twin = simulation_of(arne_scenario_simulation(other), CASES[i].step);
        for (int again = 0; again < 2; again++) {
            arne_simulation *held = again ? twin : s;
            memset(&second, 0, sizeof second);
            assert_ok_or(arne_simulation_set_state(held, saved, &error), &error);
            follow(held, &second, tau);
            assert_bits(first.q[0], second.q[0], 32 * 64, CASES[i].name, again);
            assert_bits(first.qd[0], second.qd[0], 32 * 64, CASES[i].name, again);
            assert_bits(first.time, second.time, 20, CASES[i].name, again);
            double *end = test_malloc(size * sizeof *end);
            arne_simulation_state(held, end);
            assert_bits(end, saved + size, (int)size, CASES[i].name, again);
            test_free(end);
        }
        memset(&first, 0, sizeof first);
        arne_simulation_free(twin);
        arne_simulation_free(s);
        test_free(saved);
        arne_scenario_free(scenario);
        arne_scenario_free(other);
    }
}

static void reset_is_new(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASE_COUNT; i++) {
        arne_scenario              *scenario = read_case(i);
        const arne_simulation_spec *spec = arne_scenario_simulation(scenario);
        arne_simulation            *s = simulation_of(spec, CASES[i].step);
        const arne_sizes            n = arne_robot_sizes(spec->robot);
        const size_t                size = arne_simulation_state_size(s);
        double                     *fresh = test_malloc(2 * size * sizeof *fresh), q[64], qd[64];
        arne_simulation_state(s, fresh);
        memcpy(q, arne_simulation_q(s), (size_t)n.q_count * sizeof *q);
        memcpy(qd, arne_simulation_qd(s), (size_t)n.v_count * sizeof *qd);
        step(s, NULL, CASES[i].count / 2);
        assert_ok(arne_simulation_reset(s, NULL, NULL, NULL));
        arne_simulation_state(s, fresh + size);
        assert_bits(fresh, fresh + size, (int)size, CASES[i].name, 0);
        step(s, NULL, 2);
        assert_ok(arne_simulation_reset(s, q, qd, NULL));
        assert_bits(arne_simulation_qd(s), qd, n.v_count, CASES[i].name, 1);
        assert_true(arne_simulation_time(s) == 0);
        test_free(fresh);
        arne_simulation_free(s);
        arne_scenario_free(scenario);
    }
}

// ---- laws, from step to step ----

static arne_simulation *on_ground_at(const arne_robot *robot, arne_contact_model model, double mu,
                                     double h)
{
    const arne_surrounding     ground = {.kind = ARNE_SURROUNDING_GROUND,
                                         .surface = {.model = model, .friction = mu}};
    const arne_simulation_spec spec = {.robot = robot,
                                       .surroundings = &ground,
                                       .surrounding_count = 1,
                                       .integrator = {.method = model == ARNE_CONTACT_RIGID
                                                                    ? ARNE_METHOD_RK4
                                                                    : ARNE_METHOD_DORMAND_PRINCE}};
    return simulation_of(&spec, h);
}

// A block slides on a slope with g (sin a - mu cos a), and its contact is within its cone.
static void block_slides(void **unused)
{
    (void)unused;
    const double angle = 0.5, mu = 0.3, a = 9.81 * (sin(angle) - mu * cos(angle));
    const double q[7] = {0, 0, 0.05, 0, 0, 0, 1};
    arne_robot  *robot =
        contact_robot(CONTACT_BLOCK, (arne_vec3){9.81 * sin(angle), 0, -9.81 * cos(angle)});
    arne_simulation *s = on_ground_at(robot, ARNE_CONTACT_RIGID, mu, 1e-3);
    assert_int_equal(arne_simulation_contacts(s, NULL, 0), 0);
    assert_ok(arne_simulation_reset(s, q, NULL, NULL));
    step(s, NULL, 1000);
    assert_true(fabs(arne_simulation_q(s)[0] - 0.5 * a) < 1e-9);
    assert_true(fabs(arne_simulation_qd(s)[0] - a) < 1e-9);
    arne_touch touches[16];
    double     normal = 0, across = 0;
    const int  count = arne_simulation_contacts(s, touches, 16);
    assert_int_equal(count, 4);
    for (int i = 0; i < count; i++) {
        normal += touches[i].force.z;
        across += touches[i].force.x;
        assert_true(hypot(touches[i].force.x, touches[i].force.y) <=
                    mu * touches[i].force.z * (1 + 1e-9) + 1e-12);
    }
    assert_true(fabs(normal - 2 * 9.81 * cos(angle)) < 1e-8);
    assert_true(fabs(across + mu * normal) < 1e-8);
    arne_simulation_free(s);
    arne_robot_free(robot);
}

// A quadruped falls and comes to rest: forces push, lie within the cone and act only where there is
// no gap; kinetic + potential energy changes by the work; what the ground does not do, gravity
// does.
static void quadruped_falls(void **unused)
{
    (void)unused;
    for (int model = 0; model < 2; model++) {
        arne_robot      *robot = read_robot("quadruped", NULL);
        arne_simulation *s = on_ground_at(robot, (arne_contact_model)model, 0.6, 5e-4);
        double           q[19] = {0, 0, 0.35, 0, 0, 0, 1}, start = 0;
        for (int leg = 0; leg < 4; leg++)
            q[8 + 3 * leg] = -0.8, q[9 + 3 * leg] = 1.6;
        assert_ok(arne_simulation_reset(s, q, NULL, NULL));
        for (int k = 0; k < 600; k++) {
            double     kinetic, potential, work, tau[18] = {0};
            arne_touch touches[32];
            for (int v = 6; v < 18; v++)
                tau[v] = 30 * (q[v + 1] - arne_simulation_q(s)[v + 1]) - arne_simulation_qd(s)[v];
            step(s, tau, 1);
            arne_simulation_energy(s, &kinetic, &potential, &work);
            if (k == 0) start = kinetic + potential - work;
            assert_true(fabs(kinetic + potential - work - start) < 1e-5);
            const int count = arne_simulation_contacts(s, touches, 32);
            for (int i = 0; i < count; i++) {
                const arne_vec3 f = touches[i].force;
                assert_true(f.z >= -1e-9);
                assert_true(hypot(f.x, f.y) <= 0.6 * f.z * (1 + 1e-6) + 1e-9);
                assert_true(f.z < 1e-9 || touches[i].gap < 1e-3);
            }
        }
        arne_simulation_free(s);
        arne_robot_free(robot);
    }
}

// Feet that stick and joints that stick hold a quadruped more than once; still all conditions are
// met, while it sags and when it is at rest.
static void feet_and_joints_stick(void **unused)
{
    (void)unused;
    arne_robot      *robot = read_robot("quadruped", NULL);
    arne_simulation *s = on_ground_at(robot, ARNE_CONTACT_RIGID, 0.8, 1e-3);
    double           q[19] = {0, 0, 0.3, 0, 0, 0, 1};
    for (int leg = 0; leg < 4; leg++)
        q[8 + 3 * leg] = -0.8, q[9 + 3 * leg] = 1.6;
    assert_ok(arne_simulation_reset(s, q, NULL, NULL));
    for (int k = 0; k < 800; k++) {
        double tau[18] = {0};
        for (int v = 6; v < 18; v++)
            tau[v] = 60 * (q[v + 1] - arne_simulation_q(s)[v + 1]) - 0.6 * arne_simulation_qd(s)[v];
        step(s, tau, 1);
    }
    arne_simulation_summary summary;
    arne_simulation_summarise(s, &summary);
    assert_true(summary.contact_residual < 1e-11);
    assert_true(fabs(arne_simulation_qd(s)[8]) < 1e-12);
    arne_simulation_free(s);
    arne_robot_free(robot);
}

// In free flight momentum changes by the weight alone, whatever the joints do.
static void momentum_in_flight(void **unused)
{
    (void)unused;
    arne_robot                *robot = read_robot("quadruped", NULL);
    const arne_simulation_spec spec = {.robot = robot,
                                       .integrator = {.method = ARNE_METHOD_DORMAND_PRINCE}};
    arne_simulation           *s = simulation_of(&spec, 1e-2);
    arne_work                 *work;
    arne_wrench                before, after;
    const double               mass = arne_total_mass(robot);
    double                     tau[18] = {0};
    assert_ok(arne_work_new(robot, &work));
    for (int v = 6; v < 18; v++)
        tau[v] = 0.4 * sin(v);
    arne_momentum(robot, work, arne_simulation_q(s), arne_simulation_qd(s), &before);
    step(s, tau, 30);
    arne_momentum(robot, work, arne_simulation_q(s), arne_simulation_qd(s), &after);
    assert_true(fabs(after.lin.x - before.lin.x) < 1e-7);
    assert_true(fabs(after.lin.z - before.lin.z + 9.81 * mass * 0.3) < 1e-7);
    assert_true(fabs(after.ang.x - before.ang.x) + fabs(after.ang.y - before.ang.y) < 1e-7);
    arne_work_free(work);
    arne_simulation_free(s);
    arne_robot_free(robot);
}

// ---- mistakes ----

static void bad_torques_change_nothing(void **unused)
{
    (void)unused;
    arne_scenario   *scenario = read_case(0);
    arne_simulation *s = simulation_of(arne_scenario_simulation(scenario), 1e-3);
    const size_t     size = arne_simulation_state_size(s);
    double          *saved = test_malloc(2 * size * sizeof *saved), tau[18] = {0};
    arne_error       error = {0};
    step(s, NULL, 5);
    arne_simulation_state(s, saved);
    for (int i = 0; i < 2; i++) {
        tau[8] = i ? INFINITY : NAN;
        assert_int_equal(arne_simulation_step(s, tau, 1, &error), ARNE_VALUE);
        assert_non_null(strstr(error.text, "torque of joint 'front_left_knee' is not finite"));
    }
    assert_int_equal(arne_simulation_step(s, NULL, -1, &error), ARNE_VALUE);
    double q[19];
    memcpy(q, arne_simulation_q(s), sizeof q);
    q[9] = NAN;
    assert_int_equal(arne_simulation_reset(s, q, NULL, &error), ARNE_VALUE);
    assert_non_null(strstr(error.text, "position of joint 'front_left_knee' is not finite"));
    q[9] = 1, q[6] = 3;
    assert_int_equal(arne_simulation_reset(s, q, NULL, &error), ARNE_VALUE);
    arne_simulation_state(s, saved + size);
    assert_bits(saved, saved + size, (int)size, "unchanged", 0);
    test_free(saved);
    arne_simulation_free(s);
    arne_scenario_free(scenario);
}

// A state of another robot, or numbers that are none.
static void other_states_are_refused(void **unused)
{
    (void)unused;
    arne_scenario   *scenario = read_case(9), *other = read_case(11);
    arne_simulation *s = simulation_of(arne_scenario_simulation(scenario), 2e-3);
    arne_simulation *arm = simulation_of(arne_scenario_simulation(other), 2e-3);
    const size_t     size = arne_simulation_state_size(s), small = arne_simulation_state_size(arm);
    double          *saved = test_calloc(3 * size + small, sizeof *saved);
    double          *after = saved + size, *changed = after + size;
    arne_error       error = {0};
    step(s, NULL, 250); // it lies on the ground
    arne_simulation_state(s, saved);
    arne_simulation_state(arm, changed);
    assert_true(small < size);
    assert_int_equal(arne_simulation_set_state(s, changed, &error), ARNE_VALUE);
    assert_non_null(strstr(error.text, "not a state of this robot"));
    // No number is taken that would lead outside of an array.
    for (size_t i = 0; i < size; i++) {
        static const double wrong[] = {-7, 1e9, 0.5, NAN};
        for (int k = 0; k < 4; k++) {
            memcpy(changed, saved, size * sizeof *saved);
            changed[i] = wrong[k];
            if (arne_simulation_set_state(s, changed, &error) == ARNE_OK) {
                const arne_status any = arne_simulation_step(s, NULL, 1, &error);
                (void)any;
            }
            assert_ok(arne_simulation_set_state(s, saved, &error));
        }
    }
    arne_simulation_state(s, after);
    assert_bits(saved, after, (int)size, "unchanged", 0);
    test_free(saved);
    arne_simulation_free(s);
    arne_simulation_free(arm);
    arne_scenario_free(scenario);
    arne_scenario_free(other);
}

static void bad_options_are_refused(void **unused)
{
    (void)unused;
    arne_robot          *robot = read_robot("quadruped", NULL), *other = read_robot("arm6", NULL);
    arne_simulation     *s = NULL;
    arne_error           error = {0};
    arne_simulation_spec spec = {.robot = other};
    arne_simulation_options options = {.spec = &spec};
    assert_int_equal(arne_simulation_new(robot, &options, &s, &error), ARNE_VALUE);
    assert_non_null(strstr(error.text, "another robot"));
    assert_int_equal(arne_simulation_new(NULL, NULL, &s, &error), ARNE_NULL_ARGUMENT);
    assert_int_equal(arne_simulation_new(robot, NULL, NULL, &error), ARNE_NULL_ARGUMENT);
    const double bad[] = {-1, NAN, INFINITY};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(
            arne_simulation_new(robot, &(arne_simulation_options){.step = bad[i]}, &s, &error),
            ARNE_VALUE);
        assert_null(s);
    }
    assert_int_equal(arne_simulation_step(NULL, NULL, 1, &error), ARNE_NULL_ARGUMENT);
    assert_int_equal(arne_simulation_reset(NULL, NULL, NULL, &error), ARNE_NULL_ARGUMENT);
    assert_int_equal(arne_simulation_set_state(NULL, NULL, &error), ARNE_NULL_ARGUMENT);
    arne_simulation_free(NULL);

    // The robot alone falls: z = -g t^2 / 2.
    assert_ok(arne_simulation_new(robot, NULL, &s, &error));
    assert_true(arne_simulation_step_time(s) == 1e-3);
    step(s, NULL, 100);
    assert_true(fabs(arne_simulation_q(s)[2] + 0.5 * 9.81 * 0.01) < 1e-3);
    arne_simulation_free(s);

    // Torques where the reference drives.
    arne_scenario *scenario = read_case(2);
    double         tau[32] = {0};
    s = simulation_of(arne_scenario_simulation(scenario), 1e-2);
    if (arne_scenario_simulation(scenario)->drive == ARNE_DRIVE_REFERENCE) {
        assert_int_equal(arne_simulation_step(s, tau, 1, &error), ARNE_VALUE);
        assert_non_null(strstr(error.text, "the reference drives"));
    }
    arne_simulation_free(s);
    arne_scenario_free(scenario);
    arne_robot_free(other);
    arne_robot_free(robot);
}

// limits: stop ends it where the limit is, until it is put elsewhere.
static void limits_stop(void **unused)
{
    (void)unused;
    arne_robot                *robot = read_robot("arm6", NULL);
    const arne_simulation_spec spec = {.robot = robot,
                                       .stiction = ARNE_STICTION_SMOOTH,
                                       .stop_at_limits = ARNE_LIMITS_STOP,
                                       .integrator = {.method = ARNE_METHOD_DORMAND_PRINCE}};
    arne_simulation           *s = simulation_of(&spec, 1e-2);
    arne_error                 error = {0};
    arne_status                status = ARNE_OK;
    for (int i = 0; i < 2000 && !status; i++)
        status = arne_simulation_step(s, NULL, 1, &error);
    assert_int_equal(status, ARNE_STOPPED);
    assert_non_null(strstr(error.text, "limit"));
    const double time = arne_simulation_time(s);
    assert_int_equal(arne_simulation_step(s, NULL, 1, &error), ARNE_STOPPED);
    assert_true(arne_simulation_time(s) == time && time > 0);
    arne_simulation_summary summary;
    arne_simulation_summarise(s, &summary);
    assert_int_equal(summary.limit_event_count, 1);
    assert_ok(arne_simulation_reset(s, NULL, NULL, &error));
    step(s, NULL, 1);
    arne_simulation_free(s);
    arne_robot_free(robot);
}

// A robot built without friction has none in the steps nor in the balance, however it is asked to
// stick: nothing drives it, so that its energy stays.
static void no_friction_is_none(void **unused)
{
    (void)unused;
    const arne_build_options without = {.no_friction = 1};
    arne_robot              *robot = read_robot("puma560", &without);
    for (int kind = ARNE_STICTION_STICK; kind <= ARNE_STICTION_NONE; kind++) {
        const arne_simulation_spec spec = {.robot = robot,
                                           .stiction = (arne_stiction)kind,
                                           .integrator = {.method = ARNE_METHOD_DORMAND_PRINCE}};
        arne_simulation           *s = simulation_of(&spec, 1e-2);
        double                     kinetic, potential, work, start;
        arne_simulation_energy(s, &kinetic, &potential, &work);
        start = kinetic + potential;
        step(s, NULL, 50);
        arne_simulation_energy(s, &kinetic, &potential, &work);
        assert_true(kinetic > 1);
        assert_true(work == 0);
        assert_true(fabs(kinetic + potential - start) < 1e-6);
        arne_simulation_free(s);
    }
    arne_robot_free(robot);
}

// A step allocates nothing, whatever touches.
static void steps_do_not_allocate(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASE_COUNT; i++) {
        arne_scenario   *scenario = read_case(i);
        arne_simulation *s = simulation_of(arne_scenario_simulation(scenario), CASES[i].step);
        meter_start(0);
        for (int k = 0; k < CASES[i].count; k++)
            step(s, NULL, 1);
        const meter met = meter_stop();
        if (met.taken) fail_msg("%s: %d allocations", CASES[i].name, met.taken);
        arne_simulation_free(s);
        arne_scenario_free(scenario);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_the_run),
        cmocka_unit_test(solvers_are_the_run),
        cmocka_unit_test(given_torques_are_a_controller),
        cmocka_unit_test(controller_takes_over),
        cmocka_unit_test(states_are_exact),
        cmocka_unit_test(reset_is_new),
        cmocka_unit_test(block_slides),
        cmocka_unit_test(quadruped_falls),
        cmocka_unit_test(feet_and_joints_stick),
        cmocka_unit_test(momentum_in_flight),
        cmocka_unit_test(bad_torques_change_nothing),
        cmocka_unit_test(other_states_are_refused),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(limits_stop),
        cmocka_unit_test(no_friction_is_none),
        cmocka_unit_test(steps_do_not_allocate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
