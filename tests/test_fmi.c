// Co-simulation by FMUs: the run of arne_simulate, column by column; states saved, restored and
// turned into bytes; parameters; calls out of order; a thousand instances.
#include "importer.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define EXAMPLES ARNE_ROBOTS_DIR "/../examples/"

static const struct {
    const char *name, *text; // of a file, or its text
    double      step;
    int         count;
} CASES[] = {
    {EXAMPLES "quadruped_push/scenario.yaml", NULL, 1e-2, 40},
    {EXAMPLES "swimmer/scenario.yaml", NULL, 1e-2, 20},
    {EXAMPLES "space_robot/scenario.yaml", NULL, 1e-2, 20},
    {EXAMPLES "gough_stewart/scenario.yaml", NULL, 1e-2, 5},
    {EXAMPLES "quadrotor/scenario.yaml", NULL, 2e-2, 10},
    {EXAMPLES "mixed_elastic_arm/scenario.yaml", NULL, 2e-3, 10},
    {EXAMPLES "diff_drive/scenario.yaml", NULL, 2e-2, 10},
    {"sticks",
     "robot: " ARNE_ROBOTS_DIR "/puma560.yaml\nduration: 1\n"
     "reference: {type: sinusoid, offset: 0, harmonics: [{amplitude: 0.05, frequency: 3}]}\n"
     "controller: {type: pd_gravity, kp: 200, kd: 2, sample_time: 0.0037, torque_rate_limits: "
     "900}\n"
     "friction: stick\n",
     4e-3, 40},
    {"soft",
     "robot: " ARNE_ROBOTS_DIR "/quadruped.yaml\nduration: 1\n"
     "initial: {q: {base: [0, 0, 0.45, 0, 0, 0, 1]}}\n"
     "controller: {type: pd, kp: 50, kd: 2}\n"
     "surroundings: [{type: ground, friction: 0.7, model: compliant}]\n"
     "integrator: {method: rk4, step: 0.0005}\n",
     5e-3, 30},
    {"falls", "robot: " ARNE_ROBOTS_DIR "/arm7.urdf\nduration: 1\n", 1e-2, 20},
};
enum { CASE_COUNT = sizeof CASES / sizeof *CASES };

static importer *open_case(int i) { return importer_of_scenario(CASES[i].name, CASES[i].text, 3); }

static void do_step(const importer *m, void *instance, double time, double step)
{
    bool   event, end, early;
    double last = -1;
    if (m->call.step(instance, time, step, 1, &event, &end, &early, &last))
        fail_msg("%s", importer_message());
    assert_false(event || end || early);
    assert_true(fabs(last - time - step) <= 1e-12);
}

// ---- the same numbers ----

static arne_table *simulate_case(int i)
{
    arne_scenario *s = NULL;
    arne_table    *table = NULL;
    arne_error     error = {0};
    const char    *text = CASES[i].text;
    assert_ok_or(text ? arne_scenario_read_yaml(text, strlen(text), CASES[i].name, NULL, &s, &error)
                      : arne_scenario_read(CASES[i].name, NULL, &s, &error),
                 &error);
    arne_simulation_spec spec = *arne_scenario_simulation(s);
    spec.record = (spec.record ? spec.record : ARNE_RECORD_DEFAULT) | ARNE_RECORD_Q |
                  ARNE_RECORD_QD | ARNE_RECORD_TAU | ARNE_RECORD_ENERGY | ARNE_RECORD_CONTACT |
                  ARNE_RECORD_WRENCH;
    spec.record_every = CASES[i].step;
    spec.duration = CASES[i].step * (CASES[i].count + 1); // at the very end nothing is sampled
    assert_ok_or(arne_simulate(&spec, NULL, NULL, &table, NULL, &error), &error);
    arne_scenario_free(s);
    return table;
}

// All columns of a row, which are the outputs.
static void compare_row(const importer *m, void *instance, const arne_table *table, int row)
{
    const double *expected = arne_table_row(table, row);
    for (int c = 1; c < arne_table_columns(table); c++) {
        const char  *name = arne_table_name(table, c);
        const double found = importer_get(m, instance, name);
        if (!(fabs(found - expected[c]) <= 1e-12 * (1 + fabs(expected[c]))))
            fail_msg("%s, row %d: %.17g, not %.17g", name, row, found, expected[c]);
    }
}

static void test_same_as_simulate(void **unused)
{
    (void)unused;
    for (int i = 0; i < CASE_COUNT; i++) {
        importer    *m = open_case(i);
        arne_table  *table = simulate_case(i);
        void        *one = importer_begin(m, 0);
        const double step = CASES[i].step;
        compare_row(m, one, table, 0);
        for (int k = 0; k < CASES[i].count; k++) {
            do_step(m, one, k * step, (k + 1) * step - k * step);
            compare_row(m, one, table, k + 1);
        }
        assert_int_equal(m->call.terminate(one), FMI_OK);
        m->call.release(one);
        arne_table_free(table);
        importer_free(m);
    }
}

// Torques of the importer, and targets of a controller, as arne_simulation takes them.
static void test_inputs(void **unused)
{
    (void)unused;
    arne_robot                   *robot = read_robot("arm6", NULL);
    importer                     *m = importer_of_robot(robot, 3);
    void                         *one = importer_begin(m, 0);
    arne_simulation              *sim = NULL;
    arne_error                    error = {0};
    double                        tau[6] = {0};
    const arne_simulation_spec    spec = {.integrator.method = ARNE_METHOD_DORMAND_PRINCE};
    const arne_simulation_options options = {.step = 0.01, .spec = &spec};
    assert_ok_or(arne_simulation_new(robot, &options, &sim, &error), &error);
    for (int k = 0; k < 20; k++) {
        for (int j = 0; j < 6; j++) {
            char name[32];
            tau[j] = 3 * sin(0.7 * k + j);
            snprintf(name, sizeof name, "input.tau.joint%d", j + 1);
            assert_int_equal(importer_set(m, one, name, tau[j]), FMI_OK);
        }
        do_step(m, one, 0.01 * k, 0.01);
        assert_ok_or(arne_simulation_step(sim, tau, 1, &error), &error);
        assert_true(fabs(importer_get(m, one, "q.joint3") - arne_simulation_q(sim)[2]) < 1e-13);
        assert_true(fabs(importer_get(m, one, "qd.joint6") - arne_simulation_qd(sim)[5]) < 1e-12);
        assert_true(importer_get(m, one, "tau.joint2") == arne_simulation_tau(sim)[1]);
    }
    m->call.release(one);
    arne_simulation_free(sim);
    importer_free(m);
    arne_robot_free(robot);
}

static const char HOLDS[] = "robot: " ARNE_ROBOTS_DIR "/arm6.yaml\nduration: 1\n"
                            "controller: {type: pd_gravity, kp: 400, kd: 60, sample_time: 0.001}\n"
                            "integrator: {method: rk4, step: 0.001}\n";

// Targets that change between steps are seen by the sample that is due there.
static void test_targets(void **unused)
{
    (void)unused;
    importer        *m = importer_of_scenario("holds", HOLDS, 3);
    void            *one = importer_begin(m, 0);
    arne_scenario   *scenario = NULL;
    arne_simulation *sim = NULL;
    arne_error       error = {0};
    double           target[6] = {0};
    assert_ok_or(arne_scenario_read_yaml(HOLDS, strlen(HOLDS), "holds", NULL, &scenario, &error),
                 &error);
    const arne_simulation_spec   *spec = arne_scenario_simulation(scenario);
    const arne_simulation_options options = {.step = 0.002, .spec = spec};
    assert_ok_or(arne_simulation_new(spec->robot, &options, &sim, &error), &error);
    for (int k = 0; k < 200; k++) {
        target[0] = 0.4 * sin(0.05 * k);
        assert_int_equal(importer_set(m, one, "input.q_ref.joint1", target[0]), FMI_OK);
        do_step(m, one, 0.002 * k, 0.002);
        assert_ok_or(arne_simulation_set_target(sim, target, NULL, &error), &error);
        assert_ok_or(arne_simulation_step(sim, NULL, 1, &error), &error);
        assert_true(fabs(importer_get(m, one, "q.joint1") - arne_simulation_q(sim)[0]) < 1e-13);
    }
    assert_true(arne_simulation_q(sim)[0] != 0);
    m->call.release(one);
    arne_simulation_free(sim);
    arne_scenario_free(scenario);
    importer_free(m);
}

// ---- parameters and the start ----

static void test_parameters(void **unused)
{
    (void)unused;
    static const char heavy[] =
        "robot: " ARNE_ROBOTS_DIR "/arm6.yaml\nduration: 1\ninitial: {q: {joint2: 0.3}}\n"
        "controller: {type: pd_gravity, kp: 123, kd: 60, sample_time: 0.001}\n"
        "payloads: [{frame: link6, mass: 2}]\nintegrator: {method: rk4, step: 0.001}\n";
    static const char light[] =
        "robot: " ARNE_ROBOTS_DIR "/arm6.yaml\nduration: 1\n"
        "controller: {type: pd_gravity, kp: 400, kd: 60, sample_time: 0.001}\n"
        "payloads: [{frame: link6, mass: 1}]\nintegrator: {method: rk4, step: 0.001}\n";
    importer *a = importer_of_scenario("heavy", heavy, 3);
    importer *b = importer_of_scenario("light", light, 3);
    void     *one = importer_begin(a, 0), *other = importer_start(b, 0);
    assert_int_equal(importer_set(b, other, "controller.kp", 123), FMI_OK);
    assert_int_equal(importer_set(b, other, "payloads.0.mass", 2), FMI_OK);
    assert_int_equal(b->call.enter_initialization(other, 0, 0, 0, 0, 0), FMI_OK);
    assert_int_equal(importer_set(b, other, "q.joint2", 0.3), FMI_OK);
    assert_true(importer_get(b, other, "q.joint2") == 0.3);
    // What holds is still the description's.
    assert_int_equal(importer_set(b, other, "input.q_ref.joint2", 0.3), FMI_OK);
    assert_int_equal(b->call.exit_initialization(other), FMI_OK);
    for (int k = 0; k < 100; k++) {
        do_step(a, one, 0.001 * k, 0.001);
        do_step(b, other, 0.001 * k, 0.001);
    }
    for (int j = 1; j <= 6; j++) {
        char name[24];
        snprintf(name, sizeof name, "q.joint%d", j);
        assert_true(importer_get(a, one, name) == importer_get(b, other, name));
    }
    // A mass that no robot has is refused with its place.
    assert_int_equal(b->call.reset(other), FMI_OK);
    assert_int_equal(importer_set(b, other, "robot.bodies.link3.mass", -1), FMI_OK);
    assert_int_equal(b->call.enter_initialization(other, 0, 0, 0, 0, 0), FMI_OK);
    assert_int_equal(b->call.exit_initialization(other), FMI_ERROR);
    assert_non_null(strstr(importer_message(), "mass"));
    a->call.release(one);
    b->call.release(other);
    importer_free(a);
    importer_free(b);
}

// ---- states ----

// From a saved state on, in the same instance and in another, by bytes: the same numbers.
static void test_states(void **unused)
{
    (void)unused;
    static const int which[] = {0, 4, 7, 8}; // rigid contact, flight, stiction, compliant contact
    for (size_t w = 0; w < sizeof which / sizeof *which; w++) {
        const int      i = which[w];
        const double   step = CASES[i].step;
        importer      *m = open_case(i);
        void          *one = importer_begin(m, 0), *other = importer_start(m, 0), *kept = NULL;
        const uint32_t probe = (uint32_t)importer_next(m, "output", -1);
        uint32_t       all[8];
        double         first[8], again[8];
        size_t         size = 0;
        for (uint32_t k = 0; k < 8; k++)
            all[k] = probe + 3 * k;
        for (int k = 0; k < 5; k++)
            do_step(m, one, k * step, step);
        assert_int_equal(m->call.get_state(one, &kept), FMI_OK);
        for (int k = 5; k < 10; k++)
            do_step(m, one, k * step, step);
        assert_int_equal(m->call.get(one, all, 8, first, 8), FMI_OK);
        assert_int_equal(m->call.set_state(one, kept), FMI_OK);
        for (int k = 5; k < 10; k++)
            do_step(m, one, k * step, step);
        assert_int_equal(m->call.get(one, all, 8, again, 8), FMI_OK);
        assert_memory_equal(first, again, sizeof first);
        assert_int_equal(m->call.state_size(one, kept, &size), FMI_OK);
        unsigned char *bytes = malloc(size);
        void          *read = NULL;
        assert_int_equal(m->call.serialize(one, kept, bytes, size), FMI_OK);
        assert_int_equal(m->call.deserialize(other, bytes, size, &read), FMI_OK);
        assert_int_equal(m->call.set_state(other, read), FMI_OK);
        for (int k = 5; k < 10; k++)
            do_step(m, other, k * step, step);
        assert_int_equal(m->call.get(other, all, 8, again, 8), FMI_OK);
        assert_memory_equal(first, again, sizeof first);
        // Bytes that are damaged are refused, and nothing has changed.
        assert_int_equal(m->call.deserialize(other, bytes, size - 1, &read), FMI_ERROR);
        assert_int_equal(m->call.deserialize(other, bytes, size / 2 / 8 * 8, &read), FMI_OK);
        assert_int_equal(m->call.set_state(other, read), FMI_ERROR);
        assert_int_equal(m->call.get(other, all, 8, again, 8), FMI_OK);
        assert_memory_equal(first, again, sizeof first);
        m->call.free_state(one, &kept);
        m->call.free_state(other, &read);
        assert_null(kept);
        free(bytes);
        m->call.release(one);
        m->call.release(other);
        importer_free(m);
    }
}

// ---- calls that the standard forbids ----

static void test_wrong_calls(void **unused)
{
    (void)unused;
    importer   *m = importer_of_scenario("holds", HOLDS, 3);
    bool        event, end, early;
    double      last, value = 0;
    uint32_t    none = 100000, output = (uint32_t)importer_find(m, "tau.joint1");
    const fmi3 *call = &m->call;
    assert_string_equal(call->version(), "3.0");
    assert_null(
        call->co_simulation("x", "{wrong}", m->resources, 0, 0, 0, 0, NULL, 0, NULL, NULL, NULL));
    assert_null(
        call->co_simulation("x", m->token, "/nowhere", 0, 0, 0, 0, NULL, 0, NULL, NULL, NULL));
    assert_null(call->co_simulation("x", m->token, m->resources, 0, 0, 1, 0, NULL, 0, NULL, NULL,
                                    NULL)); // it has no event mode
    void *one = importer_start(m, 0);
    // Before initialisation.
    assert_int_equal(call->get(one, &output, 1, &value, 1), FMI_ERROR);
    assert_non_null(strstr(importer_message(), "fmi3GetFloat64 may not be called before"));
    assert_int_equal(call->exit_initialization(one), FMI_ERROR);
    assert_int_equal(call->step(one, 0, 0.1, 0, &event, &end, &early, &last), FMI_ERROR);
    assert_int_equal(call->terminate(one), FMI_ERROR);
    assert_int_equal(importer_set(m, one, "tau.joint1", 1), FMI_ERROR);
    assert_int_equal(importer_set(m, one, "controller.kp", NAN), FMI_ERROR);
    assert_int_equal(call->set(one, &none, 1, &value, 1), FMI_ERROR);
    assert_int_equal(call->enter_initialization(one, 0, 0, 0, 1, -1), FMI_ERROR);
    // In initialisation.
    assert_int_equal(call->enter_initialization(one, 0, 0, 0, 1, 1), FMI_OK);
    assert_int_equal(call->enter_initialization(one, 0, 0, 0, 0, 0), FMI_ERROR);
    assert_int_equal(call->step(one, 0, 0.1, 0, &event, &end, &early, &last), FMI_ERROR);
    assert_int_equal(call->get(one, &output, 1, &value, 1), FMI_OK);
    assert_int_equal(call->get(one, &none, 1, &value, 1), FMI_ERROR);
    assert_int_equal(call->exit_initialization(one), FMI_OK);
    // In step mode.
    assert_int_equal(call->exit_initialization(one), FMI_ERROR);
    assert_int_equal(importer_set(m, one, "controller.kp", 1), FMI_ERROR);
    assert_int_equal(importer_set(m, one, "q.joint1", 1), FMI_ERROR);
    assert_int_equal(call->step(one, 0.5, 0.1, 0, &event, &end, &early, &last), FMI_ERROR);
    assert_int_equal(call->step(one, 0, -0.1, 0, &event, &end, &early, &last), FMI_ERROR);
    assert_int_equal(call->step(one, 0, 2, 0, &event, &end, &early, &last), FMI_ERROR);
    assert_non_null(strstr(importer_message(), "stop time"));
    assert_int_equal(call->enter_event(one), FMI_ERROR);
    assert_int_equal(call->set_time(one, 1), FMI_ERROR);
    assert_int_equal(call->rates(one, &value, 1), FMI_ERROR);
    assert_int_equal(call->get(one, &output, 1, &value, 2), FMI_ERROR);
    do_step(m, one, 0, 0.1); // all of that has done no harm
    // After the end.
    assert_int_equal(call->terminate(one), FMI_OK);
    assert_int_equal(call->step(one, 0.1, 0.1, 0, &event, &end, &early, &last), FMI_ERROR);
    assert_int_equal(importer_set(m, one, "input.q_ref.joint1", 1), FMI_ERROR);
    assert_int_equal(call->terminate(one), FMI_ERROR);
    assert_int_equal(call->get(one, &output, 1, &value, 1), FMI_OK);
    assert_int_equal(call->reset(one), FMI_OK);
    assert_int_equal(call->enter_initialization(one, 0, 0, 0, 0, 0), FMI_OK);
    call->release(one);
    importer_free(m);
}

// A limit that ends the run ends the step, at the time of the limit.
static void test_ends(void **unused)
{
    (void)unused;
    importer *m = importer_of_scenario("ends",
                                       "robot: " ARNE_ROBOTS_DIR "/arm6.yaml\nduration: 5\n"
                                       "initial: {qd: {joint1: 2}}\nlimits: stop\n",
                                       3);
    void     *one = importer_begin(m, 0);
    bool      event, end = 0, early = 0;
    double    last = 0;
    assert_int_equal(m->call.step(one, 0, 5, 0, &event, &end, &early, &last), FMI_OK);
    assert_true(end && early && last > 0 && last < 5);
    assert_true(importer_get(m, one, "time") == last);
    assert_int_equal(m->call.step(one, last, 0.1, 0, &event, &end, &early, &last), FMI_ERROR);
    m->call.release(one);
    importer_free(m);
}

static void test_thousand(void **unused)
{
    (void)unused;
    importer *m = importer_of_scenario("holds", HOLDS, 3);
    void     *many[20];
    for (int k = 0; k < 50; k++) { // twenty side by side
        for (int i = 0; i < 20; i++) {
            many[i] = importer_begin(m, i % 2);
            if (i % 2 == 0) do_step(m, many[i], 0, 0.002);
        }
        for (int i = 0; i < 20; i++)
            m->call.release(many[i]);
    }
    m->call.release(NULL);
    importer_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_simulate),
        cmocka_unit_test(test_inputs),
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_wrong_calls),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_thousand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
