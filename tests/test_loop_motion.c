// Closed chains in motion: two cuts of one mechanism, free fall without drift, stabilisation,
// redundant actuation.
#include "testing.h"

#include "closed.h"
#include "json.h"
#include <arne/integrate.h>

#include <stdio.h>

// ---- one mechanism, cut in two places ----

static const double BARS[4][3] = {
    // mass, centre of mass along x, inertia about it
    {0.8, 0.11, 0.0052},
    {0.6, 0.18, 0.0064},
    {0.9, 0.12, 0.0055},
    {0.55, 0.17, 0.0061}};

static void add_bar(arne_builder *builder, const char *name, int bar, int turned)
{
    arne_body_spec body = arne_body_spec_default();
    body.name = name;
    if (bar >= 0) {
        body.mass = BARS[bar][0];
        body.com = v3(turned ? 0.35 - BARS[bar][1] : BARS[bar][1], 0, 0);
        body.inertia[0] = 0.001;
        body.inertia[1] = body.inertia[2] = BARS[bar][2];
    }
    assert_ok(arne_builder_add_body(builder, &body, NULL));
}

static void add_joint(arne_builder *builder, const char *name, const char *parent,
                      const char *child, double x, int active)
{
    arne_joint_spec j = arne_joint_spec_default();
    j.name = name;
    j.parent = parent;
    j.child = child;
    j.origin.p = v3(x, 0, 0);
    j.actuation = active ? ARNE_ACTUATION_ACTIVE : ARNE_ACTUATION_PASSIVE;
    assert_ok(arne_builder_add_joint(builder, &j, NULL));
}

// A five-bar, cut at the pin between the couplers or between the second coupler and its crank.
static closed five_bar_cut(int at_elbow)
{
    arne_builder  *builder = NULL;
    arne_loop_spec cut = arne_loop_spec_default();
    assert_ok(arne_builder_new(&builder));
    assert_ok(arne_builder_set_gravity(builder, v3(0, -9.81, 0)));
    add_bar(builder, "base", -1, 0);
    add_bar(builder, "crank1", 0, 0);
    add_bar(builder, "coupler1", 1, 0);
    add_bar(builder, "crank2", 2, 0);
    add_bar(builder, "coupler2", 3, at_elbow);
    add_joint(builder, "motor1", "base", "crank1", 0, 1);
    add_joint(builder, "elbow1", "crank1", "coupler1", 0.25, 0);
    add_joint(builder, "motor2", "base", "crank2", 0.3, 1);
    if (at_elbow)
        add_joint(builder, "pin", "coupler1", "coupler2", 0.35, 0);
    else
        add_joint(builder, "elbow2", "crank2", "coupler2", 0.25, 0);
    cut.name = "cut";
    cut.predecessor = at_elbow ? "crank2" : "coupler1";
    cut.successor = "coupler2";
    cut.predecessor_origin.p = v3(at_elbow ? 0.25 : 0.35, 0, 0);
    cut.successor_origin.p = v3(0.35, 0, 0);
    assert_ok(arne_builder_add_loop(builder, &cut, NULL));
    closed c = closed_make(finish(builder, NULL));
    arne_builder_free(builder);
    return c;
}

static void torques_at(closed *c, const double *qa, const double *qda, const double *qdda,
                       const double *seed, double *out)
{
    const int motors[2] = {arne_find_joint(c->robot, "motor1"),
                           arne_find_joint(c->robot, "motor2")};
    double    q[4], qd[4] = {0}, qdd[4] = {0}, tau[4];
    memcpy(q, seed, sizeof q);
    for (int i = 0; i < 2; i++) {
        const int k = arne_robot_joint(c->robot, motors[i]).v_start;
        q[k] = qa[i];
        qd[k] = qda[i];
        qdd[k] = qdda[i];
    }
    assert_ok(arne_assemble(c->robot, c->work, c->loop, NULL, q, NULL, NULL));
    assert_ok(arne_loop_complete(c->robot, c->work, c->loop, q, qd, qdd, NULL));
    assert_ok(
        arne_loop_inverse_dynamics(c->robot, c->work, c->loop, q, qd, qdd, NULL, NULL, tau, NULL));
    for (int i = 0; i < 2; i++)
        out[i] = tau[arne_robot_joint(c->robot, motors[i]).v_start];
}

static void two_cuts_agree(void **unused)
{
    (void)unused;
    closed a = five_bar_cut(0), b = five_bar_cut(1);
    rng    r = rng_seed(9);
    state  s = {.robot = a.robot};
    for (int i = 0; i < 50; i++) {
        const double qa[2] = {2 + rng_uniform(&r, -0.3, 0.3), 1.1 + rng_uniform(&r, -0.3, 0.3)};
        const double qda[2] = {rng_uniform(&r, -3, 3), rng_uniform(&r, -3, 3)};
        const double qdda[2] = {rng_uniform(&r, -9, 9), rng_uniform(&r, -9, 9)};
        // The pin above the cranks in both: angles of the couplers from the reference
        // configuration.
        double    seed_a[4] = {2, -1.27, 1.1, 1.29}, seed_b[4] = {2, -1.27, 1.1, 0};
        double    one[2], other[2];
        const int pin = arne_robot_joint(b.robot, arne_find_joint(b.robot, "pin")).q_start;
        const int motor2 = arne_robot_joint(b.robot, arne_find_joint(b.robot, "motor2")).q_start;
        seed_b[motor2] = 1.1;
        seed_b[pin] = (1.1 + 1.29) - (2 - 1.27) + 3.14159265358979;
        torques_at(&a, qa, qda, qdda, seed_a, one);
        torques_at(&b, qa, qda, qdda, seed_b, other);
        assert_close(&s, "torques of two cuts", other, one, 2, 1e-9);
    }
    closed_free(&a);
    closed_free(&b);
}

// A four-bar that is cut at the ground: one end of the loop is the base.
static closed ground_cut(int base_first)
{
    arne_builder  *builder = NULL;
    arne_loop_spec cut = arne_loop_spec_default();
    assert_ok(arne_builder_new(&builder));
    assert_ok(arne_builder_set_gravity(builder, v3(0, -9.81, 0)));
    add_bar(builder, "base", -1, 0);
    add_bar(builder, "crank", 0, 0);
    add_bar(builder, "coupler", 1, 0);
    add_bar(builder, "rocker", 2, 0);
    add_joint(builder, "motor", "base", "crank", 0, 1);
    add_joint(builder, "elbow", "crank", "coupler", 0.1, 0);
    add_joint(builder, "wrist", "coupler", "rocker", 0.3, 0);
    cut.name = "cut";
    cut.predecessor = base_first ? "base" : "rocker";
    cut.successor = base_first ? "rocker" : "base";
    cut.predecessor_origin.p = v3(base_first ? 0.3 : 0.25, 0, 0);
    cut.successor_origin.p = v3(base_first ? 0.25 : 0.3, 0, 0);
    assert_ok(arne_builder_add_loop(builder, &cut, NULL));
    closed c = closed_make(finish(builder, NULL));
    arne_builder_free(builder);
    return c;
}

// Direct dynamics keeps the loop closed, and inverse dynamics gives its torque back.
static void cut_at_the_ground(void **unused)
{
    (void)unused;
    for (int base_first = 0; base_first < 2; base_first++) {
        closed       c = ground_cut(base_first);
        state        s = {.robot = c.robot};
        const double tau[3] = {0.7, 0, 0};
        double       q[3] = {1, -1, -1}, qd[3] = {1.3, 0, 0}, qdd[3], kept[3] = {0}, back[3];
        assert_ok(arne_assemble(c.robot, c.work, c.loop, NULL, q, NULL, NULL));
        assert_ok(arne_loop_complete(c.robot, c.work, c.loop, q, qd, NULL, NULL));
        assert_ok(
            arne_loop_forward_dynamics(c.robot, c.work, c.loop, q, qd, tau, NULL, NULL, qdd, NULL));
        kept[0] = qdd[0];
        assert_ok(arne_loop_complete(c.robot, c.work, c.loop, q, qd, kept, NULL));
        assert_close(&s, "accelerations that keep the loop closed", qdd, kept, 3, 1e-10);
        assert_ok(arne_loop_inverse_dynamics(c.robot, c.work, c.loop, q, qd, qdd, NULL, NULL, back,
                                             NULL));
        assert_close(&s, "torques of a cut at the ground", back, tau, 1, 1e-10);
        closed_free(&c);
    }
}

// ---- motion in time ----

typedef struct motion {
    closed                   *c;
    const arne_stabilisation *stabilisation;
    double                    q[MAX_Q], qd[MAX_V];
} motion;

static void accelerations(motion *m, const double *q, const double *qd, double *qdd)
{
    static const double none[MAX_V];
    arne_error          error = {0};
    assert_ok_or(arne_loop_forward_dynamics(m->c->robot, m->c->work, m->c->loop, q, qd, none, NULL,
                                            m->stabilisation, qdd, &error),
                 &error);
}

// One step of Runge and Kutta's fourth order; joints here have one coordinate each.
static void step(motion *m, double h)
{
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1 / 6., 1 / 3., 1 / 3., 1 / 6.};
    const int           n = m->c->size.v_count;
    double              q[16], qd[16], rate[16] = {0}, force[16] = {0}, q_sum[16], qd_sum[16];
    memcpy(q_sum, m->q, sizeof q_sum);
    memcpy(qd_sum, m->qd, sizeof qd_sum);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < n; k++) {
            q[k] = m->q[k] + h * at[i] * rate[k];
            qd[k] = m->qd[k] + h * at[i] * force[k];
        }
        memcpy(rate, qd, sizeof rate);
        accelerations(m, q, qd, force);
        for (int k = 0; k < n; k++) {
            q_sum[k] += h * weight[i] * rate[k];
            qd_sum[k] += h * weight[i] * force[k];
        }
    }
    memcpy(m->q, q_sum, sizeof q_sum);
    memcpy(m->qd, qd_sum, sizeof qd_sum);
}

static double energy_of(const motion *m, double *kinetic)
{
    double potential;
    arne_energy(m->c->robot, m->c->work, m->q, m->qd, kinetic, &potential);
    return *kinetic + potential;
}

static double closure_of(const motion *m)
{
    return arne_loop_closure(m->c->robot, m->c->work, m->c->loop, m->q, NULL);
}

// Released at rest, with frictionless joints: energy stays to 1e-7 of the largest kinetic energy,
// closure below 1e-10.
static void falls_freely(const char *name, const double *q, double seconds, double h)
{
    const arne_build_options options = {.no_friction = 1};
    closed                   c = closed_make(read_robot(name, &options));
    motion                   m = {.c = &c};
    double                   kinetic, largest = 0, worst = 0, open = 0;
    memcpy(m.q, q, (size_t)c.size.q_count * sizeof *q);
    assert_ok(arne_assemble(c.robot, c.work, c.loop, NULL, m.q, NULL, NULL));
    const double start = energy_of(&m, &kinetic);
    for (int i = 0; i < (int)(seconds / h); i++) {
        step(&m, h);
        open = fmax(open, closure_of(&m));
        assert_ok(arne_loop_project(c.robot, c.work, c.loop, m.q, m.qd, NULL));
        worst = fmax(worst, fabs(energy_of(&m, &kinetic) - start));
        largest = fmax(largest, kinetic);
    }
    print_message("%s: energy off by %.2g of %.3g J, closure below %.2g\n", name, worst, largest,
                  open);
    assert_true(largest > 0);
    assert_true(worst <= 1e-7 * largest);
    assert_true(open <= 1e-10);
    closed_free(&c);
}

static void free_fall_keeps_energy(void **unused)
{
    const double part = TEST_PART > 1 ? 0.3 : 10;
    (void)unused;
    falls_freely("five_bar", (double[]){2, -1.27, 1.1, 1.29}, part, 1e-4);
    falls_freely("five_bar", (double[]){-2.5, 1.5, -0.9, -1.3}, part, 1e-4);
    falls_freely("four_bar", (double[]){1, 0.5, 1.6}, part, 1e-4);
    falls_freely("slider_crank", (double[]){1, -1, 0}, part, 1e-4);
}

// The five-bar of tests/data, released from rest.
static void free_fall_is_the_reference(void **unused)
{
    (void)unused;
    json       *file = json_read(TEST_DATA_DIR "/closed_loops.json");
    const json *fall = json_get(json_get(file, "five_bar"), "free_fall");
    closed      c = closed_file("five_bar");
    motion      m = {.c = &c};
    state       s = {.robot = c.robot};
    double      q[16], qd[16];
    json_numbers(json_get(fall, "q"), q, 16);
    json_numbers(json_get(fall, "qd"), qd, 16);
    memcpy(m.q, q, 4 * sizeof *q);
    for (int i = 1; i < 4; i++) {
        for (int k = 0; k < 1000; k++) {
            step(&m, 1e-4);
            assert_ok(arne_loop_project(c.robot, c.work, c.loop, m.q, m.qd, NULL));
        }
        assert_close(&s, "positions in free fall", m.q, q + 4 * i, 4, 1e-7);
        assert_close(&s, "velocities in free fall", m.qd, qd + 4 * i, 4, 1e-6);
    }
    closed_free(&c);
    json_free(file);
}

// Without projection, and starting open: stabilisation closes the loop again.
static void stabilisation_closes(void **unused)
{
    (void)unused;
    const arne_stabilisation pull = {.damping = 20, .stiffness = 400};
    closed                   c = closed_file("five_bar");
    motion                   m = {.c = &c, .stabilisation = &pull};
    memcpy(m.q, (double[]){2, -1.269858316944471, 1.1, 1.293970919622041}, 4 * sizeof(double));
    assert_ok(arne_assemble(c.robot, c.work, c.loop, NULL, m.q, NULL, NULL));
    m.q[1] += 1e-3;
    const double before = closure_of(&m);
    assert_true(before > 1e-4);
    for (int i = 0; i < 1000; i++)
        step(&m, 1e-3);
    assert_true(closure_of(&m) < 1e-3 * before);
    closed_free(&c);
}

static void projection_closes(void **unused)
{
    (void)unused;
    for (uint64_t seed = 0; seed < 40; seed++) {
        closed c = closed_random(seed);
        state  s;
        if (closed_state(&c, 1, &s)) {
            double nudge[MAX_V], qd[MAX_V], q[MAX_Q];
            rng    r = rng_seed(seed);
            rng_fill(&r, nudge, s.size.v_count, 1e-3);
            arne_integrate(c.robot, s.q, nudge, q);
            rng_fill(&r, qd, s.size.v_count, 1);
            assert_ok(arne_loop_project(c.robot, c.work, c.loop, q, qd, NULL));
            assert_true(arne_loop_closure(c.robot, c.work, c.loop, q, NULL) < 1e-12);
            double again[MAX_V];
            memcpy(again, qd, sizeof again);
            assert_ok(arne_loop_complete(c.robot, c.work, c.loop, q, again, NULL, NULL));
            assert_close(&s, "projected velocities", again, qd, s.size.v_count, 1e-9);
        }
        closed_free(&c);
    }
}

// ---- more motors than freedoms ----

static double weighted(const double *tau, const double *weights, int n)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += weights[k] * tau[k] * tau[k];
    return sum;
}

static void redundant_actuation_is_least(void **unused)
{
    (void)unused;
    arne_builder   *builder = NULL;
    arne_joint_spec elbow;
    assert_ok(arne_builder_new(&builder));
    assert_ok(arne_read(builder, ARNE_ROBOTS_DIR "/five_bar.yaml", NULL));
    assert_ok(arne_builder_get_joint(builder, "elbow1", &elbow));
    elbow.actuation = ARNE_ACTUATION_ACTIVE;
    assert_ok(arne_builder_set_joint(builder, &elbow, NULL));
    closed c = closed_make(finish(builder, NULL)), plain = closed_file("five_bar");
    arne_builder_free(builder);
    const double weights[4] = {1, 7, 2, 1};
    for (uint64_t seed = 1; seed <= 10; seed++) {
        state s;
        if (!closed_state(&plain, seed, &s)) continue;
        double tau[4], even[4], alone[4], qdd[4];
        assert_ok(arne_loop_inverse_dynamics(c.robot, c.work, c.loop, s.q, s.qd, s.qdd, NULL,
                                             weights, tau, NULL));
        assert_ok(arne_loop_inverse_dynamics(c.robot, c.work, c.loop, s.q, s.qd, s.qdd, NULL, NULL,
                                             even, NULL));
        assert_ok(arne_loop_inverse_dynamics(plain.robot, plain.work, plain.loop, s.q, s.qd, s.qdd,
                                             NULL, NULL, alone, NULL));
        assert_ok(arne_loop_forward_dynamics(plain.robot, plain.work, plain.loop, s.q, s.qd, tau,
                                             NULL, NULL, qdd, NULL));
        assert_close(&s, "shared torques make the motion", qdd, s.qdd, 4, 1e-8);
        assert_true(fabs(tau[1]) > 1e-6 && tau[3] == 0);
        assert_true(weighted(tau, weights, 4) < weighted(alone, weights, 4));
        assert_true(weighted(tau, weights, 4) < weighted(even, weights, 4) + 1e-12);
        const double ones[4] = {1, 1, 1, 1};
        assert_true(weighted(even, ones, 4) < weighted(tau, ones, 4) + 1e-12);
    }
    closed_free(&c);
    closed_free(&plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_cuts_agree),
        cmocka_unit_test(cut_at_the_ground),
        cmocka_unit_test(free_fall_keeps_energy),
        cmocka_unit_test(free_fall_is_the_reference),
        cmocka_unit_test(stabilisation_closes),
        cmocka_unit_test(projection_closes),
        cmocka_unit_test(redundant_actuation_is_least),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
