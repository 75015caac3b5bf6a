// Model exchange by FMUs: rates of states are forward dynamics, a Runge-Kutta solver of the
// importer repeats arne_simulate, directional derivatives are exact, and events are where the
// library has them: samples, friction, limits.
#include "importer.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct exchange {
    importer *m;
    void     *one;
    size_t    states, indicators;
    double    time;
    bool      ended, has_next;
    double    next;
} exchange;

static void update(exchange *e)
{
    bool again, nominals, changed;
    if (e->m->call.update(e->one, &again, &e->ended, &nominals, &changed, &e->has_next, &e->next))
        fail_msg("%s", importer_message());
    assert_false(again || nominals);
    assert_int_equal(e->m->call.enter_continuous(e->one), FMI_OK);
}

// From these states (NULL: those of the model), with these inputs.
static exchange exchange_from(importer *m, const double *x, const double *inputs)
{
    exchange       e = {.m = m, .one = importer_start(m, 1)};
    const uint32_t input = (uint32_t)importer_next(m, "input", -1),
                   output = (uint32_t)importer_next(m, "output", -1);
    assert_int_equal(m->call.state_count(e.one, &e.states), FMI_OK);
    assert_int_equal(m->call.indicator_count(e.one, &e.indicators), FMI_OK);
    for (uint32_t i = 0; x && i < e.states; i++)
        assert_int_equal(m->call.set(e.one, (uint32_t[]){output + i}, 1, x + i, 1), FMI_OK);
    for (uint32_t i = input; inputs && i < output; i++)
        assert_int_equal(m->call.set(e.one, &i, 1, inputs + (i - input), 1), FMI_OK);
    if (m->call.enter_initialization(e.one, 0, 0, 0, 0, 0) || m->call.exit_initialization(e.one))
        fail_msg("%s", importer_message());
    update(&e);
    return e;
}

static exchange exchange_of(importer *m) { return exchange_from(m, NULL, NULL); }

static void exchange_free(exchange *e)
{
    e->m->call.release(e->one);
    importer_free(e->m);
}

static void rates_at(exchange *e, double time, const double *x, double *rates)
{
    assert_int_equal(e->m->call.set_time(e->one, time), FMI_OK);
    assert_int_equal(e->m->call.set_states(e->one, x, e->states), FMI_OK);
    if (e->m->call.rates(e->one, rates, e->states)) fail_msg("%s", importer_message());
}

// The classical method of fourth order.
static void rk4(exchange *e, double h, double *x)
{
    const size_t n = e->states;
    double      *k = calloc(5 * n, sizeof *k), *trial = k + 4 * n;
    const double part[4] = {0, 0.5, 0.5, 1};
    for (int s = 0; s < 4; s++) {
        for (size_t i = 0; i < n; i++)
            trial[i] = x[i] + (s ? part[s] * h * k[(size_t)(s - 1) * n + i] : 0);
        rates_at(e, e->time + part[s] * h, trial, k + (size_t)s * n);
    }
    for (size_t i = 0; i < n; i++)
        x[i] += h * (k[i] / 6 + k[n + i] / 3 + k[2 * n + i] / 3 + k[3 * n + i] / 6);
    e->time += h;
    assert_int_equal(e->m->call.set_time(e->one, e->time), FMI_OK);
    assert_int_equal(e->m->call.set_states(e->one, x, n), FMI_OK);
    bool event, end;
    assert_int_equal(e->m->call.completed_step(e->one, 1, &event, &end), FMI_OK);
    free(k);
}

static void event_now(exchange *e)
{
    assert_int_equal(e->m->call.enter_event(e->one), FMI_OK);
    update(e);
}

// ---- the same motion ----

static arne_table *simulated(const char *text)
{
    arne_scenario *s = NULL;
    arne_table    *table = NULL;
    arne_error     error = {0};
    assert_ok_or(arne_scenario_read_yaml(text, strlen(text), "x", NULL, &s, &error), &error);
    assert_ok_or(arne_simulate(arne_scenario_simulation(s), NULL, NULL, &table, NULL, &error),
                 &error);
    arne_scenario_free(s);
    return table;
}

static void compare_states(const exchange *e, const double *x, const arne_table *table, double most)
{
    const double *row = arne_table_row(table, arne_table_rows(table) - 1);
    assert_true(fabs(row[0] - e->time) < 1e-9);
    for (size_t i = 0; i < e->states; i++)
        if (!(fabs(x[i] - row[1 + i]) <= most * (1 + fabs(row[1 + i]))))
            fail_msg("%.40s: %s: %.17g, not %.17g", xml_node_get(e->m->tree.root, "modelName"),
                     arne_table_name(table, (int)i + 1), x[i], row[1 + i]);
}

// Robots whose q is a vector: the solver does what the library's does. A quaternion is integrated
// otherwise; both converge.
static void test_same_motion(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        double      step, most;
    } cases[] = {
        {"robot: " ARNE_ROBOTS_DIR "/arm6.yaml\nduration: 0.2\n"
         "integrator: {method: rk4, step: 0.002}\nrecord: {every: 0.002}\ninitial: {q: {joint2: "
         "0.3}}\n",
         0.002, 1e-12},
        {"robot: " ARNE_ROBOTS_DIR "/arm6.yaml\nduration: 0.2\n"
         "controller: {type: pd_gravity, kp: 400, kd: 60, sample_time: 0.01}\n"
         "reference: {type: sinusoid, offset: 0, harmonics: [{amplitude: 0.3, frequency: 1}]}\n"
         "integrator: {method: rk4, step: 0.002}\nrecord: {every: 0.002}\n",
         0.002, 1e-12},
        {"robot: " ARNE_ROBOTS_DIR "/arm6.yaml\nduration: 0.2\n"
         "controller: {type: computed_torque, kp: 100, kd: 20}\n"
         "reference: {type: sinusoid, offset: 0, harmonics: [{amplitude: 0.3, frequency: 1}]}\n"
         "surroundings: [{type: push, frame: link6, force: [3, 0, 5], start: 0.1, duration: "
         "0.05}]\n"
         "integrator: {method: rk4, step: 0.002}\nrecord: {every: 0.002}\n",
         0.002, 1e-12},
        {"robot: " ARNE_ROBOTS_DIR "/quadruped.yaml\nduration: 0.2\n"
         "initial: {q: {base: [0, 0, 0.5, 0.2, 0.1, 0, 0.9746794344808963]}, qd: {base: [0.2, "
         "0.1, 0, 1, 2, 3]}}\nfriction: none\n"
         "integrator: {method: rk4, step: 0.001}\n",
         0.001, 1e-8},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        arne_table  *table = simulated(cases[c].text);
        exchange     e = exchange_of(importer_of_scenario("x", cases[c].text, 3));
        const double step = cases[c].step;
        double       x[64];
        assert_int_equal(e.m->call.get_states(e.one, x, e.states), FMI_OK);
        for (int k = 1; k <= (int)(0.2 / step + 0.5); k++) {
            rk4(&e, k * step - e.time, x);
            if (e.has_next && e.time >= e.next - 1e-9) event_now(&e);
        }
        compare_states(&e, x, table, cases[c].most);
        assert_true(fabs(importer_get(e.m, e.one, "energy.kinetic") -
                         arne_table_row(table, arne_table_rows(table) -
                                                   1)[arne_table_find(table, "energy.kinetic")]) <
                    1e-6);
        arne_table_free(table);
        exchange_free(&e);
    }
}

// ---- friction ----

// Steps on, with an event where an indicator changes its sign; the step is halved to find it.
static void advance(exchange *e, double until, double h, double *x, int *events)
{
    double before[64], after[64], kept[64];
    assert_true(e->indicators <= 64);
    while (e->time < until - 1e-12) {
        double step = fmin(h, until - e->time);
        void  *saved = NULL;
        assert_int_equal(e->m->call.indicators(e->one, before, e->indicators), FMI_OK);
        assert_int_equal(e->m->call.get_state(e->one, &saved), FMI_OK);
        memcpy(kept, x, e->states * sizeof *x);
        const double from = e->time;
        for (int crossed = 1; crossed;) {
            rk4(e, step, x);
            assert_int_equal(e->m->call.indicators(e->one, after, e->indicators), FMI_OK);
            crossed = 0;
            for (size_t i = 0; i < e->indicators; i++)
                crossed |= (before[i] > 0) != (after[i] > 0);
            if (!crossed) break;
            if (step < 1e-9) {
                event_now(e);
                assert_int_equal(e->m->call.get_states(e->one, x, e->states), FMI_OK);
                ++*events;
                break;
            }
            step *= 0.5;
            e->time = from;
            memcpy(x, kept, e->states * sizeof *x);
            assert_int_equal(e->m->call.set_state(e->one, saved), FMI_OK);
        }
        assert_int_equal(e->m->call.free_state(e->one, &saved), FMI_OK);
    }
}

static const char STICKS[] =
    "name: pendulum\nbodies:\n  - {name: world}\n"
    "  - {name: rod, mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.08, 0.08]}\n"
    "joints:\n  - {name: hinge, kind: revolute, parent: world, child: rod, axis: [0, 1, 0], "
    "friction: {viscous: 0.1, coulomb: 1}, limits: {lower: -4, upper: 4}}\n";

// A pendulum with dry friction swings, and comes to stand away from the lowest point.
static void test_friction(void **unused)
{
    (void)unused;
    char path[64], text[400];
    snprintf(path, sizeof path, "/tmp/arne_pendulum_%d.yaml", (int)getpid());
    FILE *file = fopen(path, "w");
    fputs(STICKS, file);
    fclose(file);
    snprintf(text, sizeof text,
             "robot: %s\nduration: 4\ninitial: {q: {hinge: -0.2}}\n"
             "integrator: {method: dormand-prince, relative: 1e-10, absolute: 1e-12}\n",
             path);
    arne_table *table = simulated(text);
    exchange    e = exchange_of(importer_of_scenario("x", text, 3));
    double      x[2];
    int         events = 0;
    assert_int_equal(e.indicators, 2);
    assert_int_equal(e.m->call.get_states(e.one, x, 2), FMI_OK);
    advance(&e, 4, 0.002, x, &events);
    compare_states(&e, x, table, 1e-6);
    assert_true(events >= 2); // it turns back, and stops
    assert_true(x[1] == 0 && fabs(x[0] - 1.5707963) > 1e-3);
    arne_table_free(table);
    remove(path);
    exchange_free(&e);
}

// ---- contact ----

// A quadruped falls on soft ground: a contact has a force only where its indicator is below zero.
static void test_contact(void **unused)
{
    (void)unused;
    static const char text[] = "robot: " ARNE_ROBOTS_DIR "/quadruped.yaml\nduration: 0.3\n"
                               "initial: {q: {base: [0, 0, 0.45, 0, 0, 0, 1]}}\n"
                               "controller: {type: pd, kp: 50, kd: 2}\n"
                               "surroundings: [{type: ground, friction: 0.7, model: compliant}]\n"
                               "integrator: {method: rk4, step: 0.0005}\nrecord: {every: 0.005}\n";
    arne_table       *table = simulated(text);
    exchange          e = exchange_of(importer_of_scenario("x", text, 3));
    const int         gap = importer_find(e.m, "event.contact.front_left_foot.gap"),
              force = importer_find(e.m, "contact.front_left_foot.fz");
    int free_rows = 0, pressed = 0;
    assert_true(gap > 0 && force > 0);
    for (int row = 0; row < arne_table_rows(table); row++) {
        const uint32_t both[2] = {(uint32_t)gap, (uint32_t)force};
        double         value[2];
        const double  *x = arne_table_row(table, row);
        assert_int_equal(e.m->call.set_time(e.one, x[0]), FMI_OK);
        assert_int_equal(e.m->call.set_states(e.one, x + 1, e.states), FMI_OK);
        assert_int_equal(e.m->call.get(e.one, both, 2, value, 2), FMI_OK);
        const double wanted = x[arne_table_find(table, "contact.front_left_foot.fz")];
        assert_true(fabs(value[1] - wanted) <= 1e-9 * (1 + fabs(wanted)));
        assert_true(value[0] < 0 || value[1] == 0);
        free_rows += value[0] > 0;
        pressed += value[1] > 0;
    }
    assert_true(free_rows > 5 && pressed > 5);
    arne_table_free(table);
    exchange_free(&e);
}

// ---- derivatives ----

// Rates of states are those of forward dynamics.
static void compare_dynamics(exchange *e, const arne_robot *robot, arne_work *work, const double *x,
                             const double *tau)
{
    const arne_sizes n = arne_robot_sizes(robot);
    double    *rates = calloc(e->states, sizeof *rates), *qdd = calloc(e->states, sizeof *qdd);
    arne_error error;
    rates_at(e, 0, x, rates);
    assert_ok_or(arne_forward_dynamics(robot, work, x, x + n.q_count, tau, NULL, qdd, &error),
                 &error);
    for (int i = 0; i < n.v_count; i++)
        if (!(fabs(rates[n.q_count + i] - qdd[i]) <= 1e-11 * (1 + fabs(qdd[i]))))
            fail_msg("%s: acceleration %d is %.17g, not %.17g", arne_robot_name(robot), i,
                     rates[n.q_count + i], qdd[i]);
    free(rates);
    free(qdd);
}

// Of everything in the model structure, along a random direction, against differences.
static void compare_directional(exchange *e, uint32_t input, size_t inputs, const double *x,
                                const double *tau, rng *random)
{
    const size_t n = e->states, knowns = n + inputs;
    uint32_t     unknown[1024], known[256];
    size_t       unknowns = 0;
    const int    output = importer_next(e->m, "output", -1);
    for (int r = output; r >= 0; r = importer_next(e->m, "output", r))
        unknown[unknowns++] = (uint32_t)r;
    for (size_t i = 0; i < n; i++)
        unknown[unknowns++] = (uint32_t)importer_next(e->m, "local", -1) + (uint32_t)i;
    for (size_t i = 0; i < knowns; i++)
        known[i] = i < n ? (uint32_t)output + (uint32_t)i : input + (uint32_t)(i - n);
    double *block = calloc(2 * knowns + 3 * unknowns, sizeof *block);
    double *along = block, *moved = along + knowns, *exact = moved + knowns,
           *ahead = exact + unknowns, *behind = ahead + unknowns;
    rng_fill(random, along, (int)knowns, 1);
    rates_at(e, 0, x, moved);
    if (e->m->call.directional(e->one, unknown, unknowns, known, knowns, along, knowns, exact,
                               unknowns))
        fail_msg("%s", importer_message());
    for (int side = -1; side <= 1; side += 2) {
        const double h = 1e-6 * side;
        for (size_t i = 0; i < knowns; i++)
            moved[i] = (i < n ? x[i] : tau[i - n]) + h * along[i];
        assert_int_equal(e->m->call.set_states(e->one, moved, n), FMI_OK);
        assert_int_equal(e->m->call.set(e->one, known + n, inputs, moved + n, inputs), FMI_OK);
        assert_int_equal(
            e->m->call.get(e->one, unknown, unknowns, side < 0 ? behind : ahead, unknowns), FMI_OK);
    }
    double size = 1;
    for (size_t i = 0; i < unknowns; i++)
        size = fmax(size, fabs(ahead[i]));
    for (size_t i = 0; i < unknowns; i++) {
        const double found = (ahead[i] - behind[i]) / 2e-6;
        // q is given by its entries: outputs show quaternions with unit length.
        if (!(fabs(found - exact[i]) <= 1e-7 * (size + fabs(found))))
            fail_msg("%s, reference %u: %.12g, not %.12g",
                     xml_node_get(e->m->tree.root, "modelName"), unknown[i], exact[i], found);
    }
    free(block);
}

// Robots of all kinds of joints, on their way with random torques.
static void test_derivatives(void **unused)
{
    (void)unused;
    int seen = 0;
    EACH_ROBOT_OF (robot, work, 8) {
        const arne_sizes n = arne_robot_sizes(robot);
        if (n.loop_count || n.v_count > 40 || arne_robot_base(robot) == ARNE_BASE_PRESCRIBED)
            continue;
        double    x[128] = {0}, tau[64] = {0}, act[64] = {0};
        uint64_t  seed = 5;
        rng       random = rng_seed(7);
        importer *m = importer_of_robot(robot, 3);
        const int input = importer_next(m, "input", -1), output = importer_next(m, "output", -1);
        const int inputs = input < 0 ? 0 : output - input;
        arne_random_configuration(robot, &seed, x);
        rng_fill(&random, x + n.q_count, n.v_count, 1);
        rng_fill(&random, tau, inputs, 0.1);
        exchange e = exchange_from(m, x, tau);
        int      at = 0;
        for (int j = 0; j < n.joint_count && inputs == n.v_count; j++) {
            const arne_joint_info info = arne_robot_joint(robot, j);
            for (int k = 0; k < info.v_count; k++)
                act[info.v_start + k] = tau[at++];
        }
        if (!n.theta_count && inputs == n.v_count) compare_dynamics(&e, robot, work, x, act);
        if (inputs) compare_directional(&e, (uint32_t)input, (size_t)inputs, x, tau, &random);
        seen++;
        exchange_free(&e);
    }
    assert_true(seen >= 10);
}

// ---- what may be called when ----

static void test_wrong_calls(void **unused)
{
    (void)unused;
    arne_robot *robot = read_robot("arm6", NULL);
    importer   *m = importer_of_robot(robot, 3);
    const fmi3 *call = &m->call;
    void       *one = importer_start(m, 1);
    double      x[12] = {0}, last;
    bool        a, b, c;
    uint32_t    mass = 1, tau = (uint32_t)importer_find(m, "tau.joint1");
    assert_int_equal(call->set_states(one, x, 12), FMI_ERROR);
    assert_int_equal(call->rates(one, x, 12), FMI_ERROR);
    assert_int_equal(call->enter_continuous(one), FMI_ERROR);
    assert_int_equal(call->enter_initialization(one, 0, 0, 0, 0, 0), FMI_OK);
    assert_int_equal(call->rates(one, x, 11), FMI_ERROR);
    assert_int_equal(call->exit_initialization(one), FMI_OK);
    assert_int_equal(call->set_states(one, x, 12), FMI_ERROR); // in event mode
    assert_int_equal(call->step(one, 0, 0.1, 0, &a, &b, &c, &last), FMI_ERROR);
    assert_int_equal(call->enter_event(one), FMI_ERROR);
    assert_int_equal(call->enter_continuous(one), FMI_OK);
    x[3] = NAN;
    assert_int_equal(call->set_states(one, x, 12), FMI_ERROR);
    x[3] = 0;
    assert_int_equal(call->set_states(one, x, 12), FMI_OK);
    assert_int_equal(call->set_time(one, INFINITY), FMI_ERROR);
    assert_int_equal(call->directional(one, &tau, 1, &mass, 1, x, 1, x, 1), FMI_ERROR);
    assert_int_equal(call->directional(one, &mass, 1, &tau, 1, x, 1, x, 1), FMI_ERROR);
    assert_int_equal(call->terminate(one), FMI_OK);
    assert_int_equal(call->set_states(one, x, 12), FMI_ERROR);
    call->release(one);
    importer_free(m);
    // Rigid contact is a matter of steps.
    m = importer_of_scenario(ARNE_ROBOTS_DIR "/../examples/quadruped_push/scenario.yaml", NULL, 3);
    assert_null(importer_start(m, 1));
    assert_non_null(strstr(importer_message(), "co-simulation only"));
    importer_free(m);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_motion), cmocka_unit_test(test_friction),
        cmocka_unit_test(test_contact), cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_wrong_calls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
