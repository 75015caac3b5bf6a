// Forces of muscles: curves and laws with their derivatives by the complex step, equilibrium,
// states, powers, activation and metabolic rates.
#include "json.h"
#include "reference.h"
#include "testing.h"

#define ARNE_COMPLEX
#include "muscle/force_unit.h"
#include <stdlib.h>

#define GAIT "opensim/models/gait10dof18musc_subject01_v30000.osim"
#define NUMBERS(name) "opensim/numbers/" name

static const double STEP = 1e-30;

static double uniform(rng *r) { return rng_uniform(r, -1, 1); }

static arne_muscle_law law_usual(arne_muscle_kind kind)
{
    arne_muscle_law law = arne_muscle_spec_default(kind).law;
    law.max_force = 1000;
    law.fibre_length = 0.1;
    law.slack_length = 0.2;
    law.pennation = 0.3;
    return law;
}

// ---- curves ----

static double curve_worst(curve (*f)(const force_law *, real), const force_law *law,
                          const json *table, const char *x_name)
{
    const json *x = json_get(table, x_name), *y = json_get(table, "y");
    double      worst = 0;
    for (int i = 0; i < json_count(x); i++)
        worst = fmax(
            worst, fabs(creal(f(law, json_number(json_at(x, i))).y) - json_number(json_at(y, i))));
    return worst;
}

static real millard_velocity_y(const force_law *l, real v) { return millard_velocity(l, v, 1).y; }

static void curves_are_the_reference(void **unused)
{
    char path[1000];
    (void)unused;
    if (!reference_path(NUMBERS("muscle_curves.json"), path, sizeof path)) skip();
    json           *file = json_read(path);
    const json     *m = json_get(file, "millard2012"), *t = json_get(file, "thelen2003");
    arne_muscle_law millard = law_usual(ARNE_MUSCLE_MILLARD),
                    thelen = law_usual(ARNE_MUSCLE_THELEN);
    double    bezier[BEZIER_SIZE * MILLARD_SEGMENTS], worst;
    force_law law = {&millard, bezier};
    millard_fill(&millard, bezier);
    worst = curve_worst(millard_active, &law,
                        json_get(m, "active_force_length_default_minimum_0.1"), "x");
    millard.active[4] = 0;
    millard_fill(&millard, bezier);
    worst = fmax(worst, curve_worst(millard_active, &law, json_get(m, "active_force_length"), "x"));
    worst =
        fmax(worst, curve_worst(millard_passive, &law, json_get(m, "passive_force_length"), "x"));
    worst = fmax(worst, curve_worst(millard_tendon, &law, json_get(m, "tendon_force_length"), "x"));
    const json *v = json_get(m, "force_velocity");
    for (int i = 0; i < json_count(json_get(v, "x")); i++)
        worst = fmax(
            worst, fabs(creal(millard_velocity_y(&law, json_number(json_at(json_get(v, "x"), i)))) -
                        json_number(json_at(json_get(v, "y"), i))));
    assert_true(worst < 1e-12);
    thelen.tendon_strain = 0.033;
    thelen.active_shape = 0.5;
    thelen.passive_shape = 4;
    thelen.velocity_shape = 0.3;
    thelen.lengthening_force = 1.8;
    law.p = &thelen;
    worst = curve_worst(thelen_active, &law, json_get(t, "active_force_length"), "x");
    worst =
        fmax(worst, curve_worst(thelen_passive, &law, json_get(t, "passive_force_length"), "x"));
    worst = fmax(worst, curve_worst(thelen_tendon, &law, json_get(t, "tendon"), "norm_length"));
    assert_true(worst < 1e-12);
    const json *rows = json_get(t, "norm_velocity_from_force");
    for (int i = 0; i < json_count(rows); i++) {
        const json  *row = json_at(rows, i);
        const double a = json_number(json_get(row, "a")), fl = json_number(json_get(row, "fl"));
        const double F = json_number(json_get(row, "F")), at = json_number(json_get(row, "v"));
        assert_true(fabs(a * fl * creal(thelen_velocity(&law, at, a).y) - F) < 1e-12);
    }
    json_free(file);
}

// The derivatives of a curve are those that the complex step finds.
static void curve_is_smooth(curve (*f)(const force_law *, real), const force_law *law, double x)
{
    const curve at = f(law, x), beside = f(law, x + STEP * 1.0i);
    assert_true(fabs(cimag(beside.y) / STEP - creal(at.d)) < 1e-9 * (1 + fabs(creal(at.d))));
    assert_true(fabs(cimag(beside.d) / STEP - creal(at.dd)) < 1e-7 * (1 + fabs(creal(at.dd))));
}

static void curves_have_exact_derivatives(void **unused)
{
    (void)unused;
    for (int k = 0; k < ARNE_MUSCLE_LIGAMENT; k++) {
        const arne_muscle_law p = law_usual((arne_muscle_kind)k);
        double                bezier[BEZIER_SIZE * MILLARD_SEGMENTS];
        const force_law       law = {&p, bezier};
        const law_curves     *c = &muscle_laws[k];
        rng                   r = rng_seed((uint64_t)k);
        millard_fill(&p, bezier);
        for (int i = 0; i < 400; i++) {
            curve_is_smooth(c->active, &law, 0.3 + 1.7 * (uniform(&r) + 1) / 2);
            curve_is_smooth(c->passive, &law, 0.9 + 1.0 * (uniform(&r) + 1) / 2);
            curve_is_smooth(c->tendon, &law, 0.99 + 0.08 * (uniform(&r) + 1) / 2);
            const double         v = 1.3 * uniform(&r), a = 0.5 + 0.45 * uniform(&r);
            const velocity_curve at = c->velocity(&law, v, a);
            const double         by_v = cimag(c->velocity(&law, v + STEP * 1.0i, a).y) / STEP;
            const double         by_a = cimag(c->velocity(&law, v, a + STEP * 1.0i).y) / STEP;
            assert_true(fabs(by_v - creal(at.d)) < 1e-9 * (1 + fabs(by_v)));
            assert_true(fabs(by_a - creal(at.by_activation)) < 1e-9 * (1 + fabs(by_a)));
        }
        // each goes through the points that the papers name
        assert_true(fabs(creal(c->active(&law, 1).y) - 1) < 1e-12);
        assert_true(fabs(creal(c->velocity(&law, 0, 0.7).y) - 1) < 1e-12);
        assert_true(fabs(creal(c->velocity(&law, -1, 1).y)) < 1e-12);
        assert_true(fabs(creal(c->tendon(&law, 1).y)) < 1e-12);
        assert_true(fabs(creal(c->tendon(&law, 1 + p.tendon_strain).y) - 1) < 1e-12);
        assert_true(fabs(creal(c->passive(&law, 1 + p.passive_strain).y) - 1) < 1e-12);
    }
}

// ---- a muscle and its tendon ----

static void unit_have_exact_derivatives(void **unused)
{
    int used = 0;
    (void)unused;
    for (int k = 0; k < ARNE_MUSCLE_LIGAMENT; k++)
        for (int kind = 0; kind < ARNE_TENDON_COUNT; kind++)
            for (int seed = 0; seed < 60; seed++) {
                const double    step = kind == ARNE_TENDON_FIBRE_STATE && seed % 2 ? 0.01 : 0;
                arne_muscle_law p = law_usual((arne_muscle_kind)k);
                double          bezier[BEZIER_SIZE * MILLARD_SEGMENTS];
                rng             r = rng_seed((uint64_t)(1000 * k + 100 * kind + seed));
                p.damping = 0.1 + 0.09 * uniform(&r);
                p.pennation = 0.3 + 0.3 * uniform(&r);
                p.slack_length = 0.2 + 0.1 * uniform(&r);
                millard_fill(&p, bezier);
                const double a = 0.5 + 0.45 * uniform(&r);
                const double X = 1.05 + 0.45 * uniform(&r), tendon = 1.02 + 0.015 * uniform(&r);
                unit         u;
                unit_input in = {a, p.slack_length * tendon + X * p.fibre_length, 0.5 * uniform(&r),
                                 kind == ARNE_TENDON_FIBRE_STATE
                                     ? p.fibre_length * hypot(X, sin(p.pennation))
                                     : 0.5 + 0.3 * uniform(&r)};
                unit_start(&u, &p, bezier, 0);
                u.in = in;
                unit_solve(&u, (arne_tendon)kind, step);
                if (creal(u.force) == 0) continue;
                used++;
                for (int i = 0; i < BY_COUNT; i++) {
                    unit side;
                    unit_start(&side, &p, bezier, 0);
                    side.in = in;
                    (&side.in.activation)[i] += STEP * 1.0i;
                    unit_solve(&side, (arne_tendon)kind, step);
                    const double by = cimag(side.force) / STEP, rate = cimag(side.rate) / STEP;
                    assert_true(fabs(by - creal(u.force_by[i])) < 1e-8 * (1 + fabs(by)));
                    assert_true(fabs(rate - creal(u.rate_by[i])) < 1e-8 * (1 + fabs(rate)));
                    const double X_by = cimag(side.X) / STEP, v_by = cimag(side.v) / STEP;
                    assert_true(fabs(X_by - creal(u.X_by[i])) < 1e-8 * (1 + fabs(X_by)));
                    assert_true(fabs(v_by - creal(u.v_by[i])) < 1e-8 * (1 + fabs(v_by)));
                }
            }
    assert_true(used > 600);
}

// ---- muscles of a robot ----

static const char *const ARM =
    "name: arm\n"
    "bodies: [{name: base}, {name: fore, mass: 1, inertia: [0.01, 0.01, 0.01]}]\n"
    "joints: [{name: elbow, kind: revolute, parent: base, child: fore}]\n"
    "muscles:\n"
    "  - &any {name: millard, law: millard, max_force: 800, fibre_length: 0.1, slack_length: "
    "0.15,\n"
    "     pennation: 0.2, points: [{link: base}, {link: fore, position: [0.1, 0, 0]}]}\n"
    "  - {name: thelen, law: thelen, max_force: 600, fibre_length: 0.1, slack_length: 0.2,\n"
    "     points: [{link: base}, {link: fore, position: [0.1, 0, 0]}]}\n"
    "  - {name: degroote, law: degroote, max_force: 900, fibre_length: 0.1, slack_length: 0.1,\n"
    "     pennation: 0.4, points: [{link: base}, {link: fore, position: [0.1, 0, 0]}]}\n"
    "  - {name: rigid, law: thelen, max_force: 600, fibre_length: 0.1, slack_length: 0.1,\n"
    "     rigid_tendon: true, points: [{link: base}, {link: fore, position: [0.1, 0, 0]}]}\n"
    "  - {name: band, law: ligament, max_force: 100, slack_length: 0.2,\n"
    "     curve: {polynomial: [-1, 0, 1]}, points: [{link: base}, {link: fore}]}\n"
    "  - {name: rubber, law: spring, stiffness: 100, slack_length: 0.2, dissipation: 0.1,\n"
    "     points: [{link: base}, {link: fore}]}\n";
enum { ARM_MUSCLES = 6, ARM_FIBRES = 4 };

static arne_robot *arm_robot(void)
{
    arne_builder *b = NULL;
    arne_error    error = {0};
    assert_ok(arne_builder_new(&b));
    assert_ok_or(arne_read_text(b, ARM, strlen(ARM), "arm.yaml", &error), &error);
    arne_robot *robot = finish(b, NULL);
    arne_builder_free(b);
    return robot;
}

static double arm_length(const arne_robot *robot, int muscle, rng *r)
{
    const arne_muscle_law law = arne_robot_muscle(robot, muscle).law;
    return law.slack_length + law.fibre_length * (1 + 0.5 * uniform(r)) +
           0.02 * law.slack_length * uniform(r);
}

// Fibre and tendon pull alike, their powers are those of the path, and both forms of states find
// the rates for which this stays so.
static void fibre_and_tendon_are_in_equilibrium(void **unused)
{
    arne_robot *robot = arm_robot();
    rng         r = rng_seed(5);
    int         pulls = 0;
    (void)unused;
    for (int seed = 0; seed < 300; seed++) {
        double             a[ARM_MUSCLES], L[ARM_MUSCLES], V[ARM_MUSCLES], F[ARM_MUSCLES];
        double             given[ARM_MUSCLES];
        arne_muscle_result e[ARM_MUSCLES], s[ARM_MUSCLES], t[ARM_MUSCLES];
        for (int i = 0; i < ARM_MUSCLES; i++) {
            a[i] = 0.505 + 0.495 * uniform(&r);
            L[i] = arm_length(robot, i, &r);
            V[i] = seed % 2 ? 0.5 * uniform(&r) : 0;
        }
        assert_ok(arne_muscle_forces(robot, 1, a, L, V, NULL, F, e));
        for (int i = 0; i < ARM_FIBRES; i++) {
            const double pull = (e[i].active + e[i].passive) * cos(e[i].pennation);
            assert_true(F[i] >= 0 && F[i] == e[i].force);
            given[i] = e[i].fibre_length;
            if (F[i] == 0) continue;
            pulls++;
            assert_true(fabs(F[i] - pull) < 1e-9 * F[i] + 1e-9);
            assert_true(fabs(e[i].fibre_power + e[i].tendon_power + F[i] * V[i]) < 1e-9 * F[i]);
            assert_true(fabs(e[i].fibre_length * cos(e[i].pennation) + e[i].tendon_length - L[i]) <
                        1e-12);
            if (seed % 2 == 0) assert_true(e[i].fibre_velocity == 0);
        }
        const arne_muscle_options fibre = {.tendon = ARNE_TENDON_FIBRE_STATE, .state = given};
        assert_ok(arne_muscle_forces(robot, 1, a, L, V, &fibre, F, s));
        for (int i = 0; i < ARM_FIBRES - 1; i++) {
            if (e[i].force == 0) continue;
            assert_true(fabs(s[i].force - e[i].force) < 1e-9 * e[i].force + 1e-8);
            assert_true(fabs(s[i].fibre_velocity - e[i].fibre_velocity) < 1e-7);
            assert_true(fabs(s[i].rate - s[i].fibre_velocity) < 1e-15);
            given[i] = s[i].force / arne_robot_muscle(robot, i).law.max_force;
        }
        const arne_muscle_options tendon = {.tendon = ARNE_TENDON_FORCE_STATE, .state = given};
        assert_ok(arne_muscle_forces(robot, 1, a, L, V, &tendon, F, t));
        for (int i = 0; i < ARM_FIBRES - 1; i++) {
            if (e[i].force < 1) continue;
            const double rate = s[i].force_by[1] * V[i] + s[i].force_by[3] * s[i].rate;
            const double most = arne_robot_muscle(robot, i).law.max_force;
            assert_true(fabs(t[i].fibre_length - e[i].fibre_length) < 1e-9);
            assert_true(fabs(t[i].rate * most - rate) < 1e-5 * (most + fabs(rate)));
        }
    }
    assert_true(pulls > 500);
    arne_robot_free(robot);
}

// The same at all activations, from paths shorter than their tendon to long ones, shortening and
// lengthening faster than any fibre: forces are finite, and equal but where the fibre is as short
// as it gets or hangs on a slack tendon.
static void equilibrium_holds_near_slack(void **unused)
{
    enum { DRAWS = 20000 };
    int bad = 0, pulls = 0, slack = 0;
    (void)unused;
    for (int seed = 0; seed < DRAWS; seed++) {
        rng             r = rng_seed((uint64_t)seed);
        arne_muscle_law p = law_usual((arne_muscle_kind)(seed % ARNE_MUSCLE_LIGAMENT));
        double          bezier[BEZIER_SIZE * MILLARD_SEGMENTS];
        p.damping = 0.1 * (1 + uniform(&r));
        p.pennation = 0.6 * (1 + uniform(&r));
        p.slack_length = 0.21 + 0.2 * uniform(&r);
        millard_fill(&p, bezier);
        const double a = fmax(0.5 + 0.5 * uniform(&r), p.minimum_activation);
        const double stretch = 0.9 * (1 + uniform(&r)); // of the fibre; small ones are slack
        unit         u;
        unit_start(&u, &p, bezier, 0);
        u.in = (unit_input){a, p.slack_length * (1 + 0.01 * uniform(&r)) + stretch * p.fibre_length,
                            seed % 3 ? 2 * p.max_velocity * p.fibre_length * uniform(&r) : 0, 0};
        unit_solve(&u, ARNE_TENDON_EQUILIBRIUM, 0);
        const double X = creal(u.X), F = creal(u.force), off = creal(u.N * u.cos) - F;
        int          finite = isfinite(F) && isfinite(X) && F >= 0 && X >= u.least;
        for (int i = 0; i < 3; i++)
            finite = finite && isfinite(creal(u.force_by[i]));
        pulls += F > 0;
        slack += F == 0;
        if (finite && (F == 0 || X == u.least || fabs(off) < 1e-9 * (1 + F))) continue;
        if (bad++ < 10)
            print_error("%d: law %d a %g L %g v %g: X %g (least %g) F %g off %g\n", seed, p.kind, a,
                        creal(u.in.length), creal(u.in.velocity), X, u.least, F, off);
    }
    print_message("near slack: %d pull, %d hang\n", pulls, slack);
    assert_true(pulls > DRAWS / 3 && slack > DRAWS / 100);
    assert_int_equal(bad, 0);
}

// Held at its length and activated in a step, a muscle comes to rest in the equilibrium of its new
// activation, with either state.
static void states_come_to_rest_in_equilibrium(void **unused)
{
    arne_robot        *robot = arm_robot();
    double             a[ARM_MUSCLES], L[ARM_MUSCLES], F[ARM_MUSCLES], x[2][ARM_MUSCLES] = {{0}};
    arne_muscle_result e[ARM_MUSCLES], r[ARM_MUSCLES];
    (void)unused;
    for (int i = 0; i < ARM_MUSCLES; i++) {
        const arne_muscle_law law = arne_robot_muscle(robot, i).law;
        L[i] = law.slack_length + 1.1 * law.fibre_length;
        a[i] = 0.2;
    }
    assert_ok(arne_muscle_forces(robot, 1, a, L, NULL, NULL, F, e));
    for (int i = 0; i < ARM_FIBRES - 1; i++) {
        x[0][i] = e[i].fibre_length;
        x[1][i] = F[i] / arne_robot_muscle(robot, i).law.max_force;
    }
    for (int i = 0; i < ARM_MUSCLES; i++)
        a[i] = 0.8;
    assert_ok(arne_muscle_forces(robot, 1, a, L, NULL, NULL, F, e));
    for (int kind = 0; kind < 2; kind++) {
        const arne_muscle_options o = {
            .tendon = kind ? ARNE_TENDON_FORCE_STATE : ARNE_TENDON_FIBRE_STATE, .state = x[kind]};
        for (int step = 0; step < 20000; step++) {
            assert_ok(arne_muscle_forces(robot, 1, a, L, NULL, &o, F, r));
            for (int i = 0; i < ARM_FIBRES - 1; i++)
                x[kind][i] += 1e-4 * r[i].rate;
        }
        for (int i = 0; i < ARM_FIBRES - 1; i++) {
            assert_true(fabs(r[i].rate) < 1e-9);
            assert_true(fabs(r[i].force - e[i].force) < 1e-6 * e[i].force);
        }
    }
    arne_robot_free(robot);
}

static void bands_and_slack_paths(void **unused)
{
    arne_robot        *robot = arm_robot();
    double             a[ARM_MUSCLES] = {1, 1, 1, 1, 1, 1}, F[ARM_MUSCLES];
    double             L[ARM_MUSCLES] = {0.3, 0.3, 0.3, 0.2, 0.3, 0.3};
    double             V[ARM_MUSCLES] = {0, 0, 0, 0, 0, 0.5};
    arne_muscle_result r[ARM_MUSCLES];
    (void)unused;
    assert_ok(arne_muscle_forces(robot, 1, a, L, V, NULL, F, r));
    assert_true(fabs(F[4] - 100 * (1.5 * 1.5 - 1)) < 1e-12);
    assert_true(fabs(F[5] - 100 * 0.1 * (1 + 0.1 * 0.5)) < 1e-12);
    assert_true(fabs(r[4].force_by[1] - 100 * 2 * 1.5 / 0.2) < 1e-9);
    assert_true(fabs(r[5].tendon_power + F[5] * 0.5) < 1e-12);
    assert_true(fabs(F[3] - 600) < 1e-9); // at its optimal length
    for (int i = 0; i < ARM_MUSCLES; i++)
        L[i] = 0.05;
    assert_ok(arne_muscle_forces(robot, 1, a, L, NULL, NULL, F, r));
    for (int i = 0; i < ARM_MUSCLES; i++)
        assert_true(F[i] == 0 && r[i].force_by[1] == 0 && isfinite(r[i].fibre_length));
    // a fibre faster than its fastest pulls nothing, and does not push
    for (int i = 0; i < ARM_MUSCLES; i++) {
        L[i] = 0.3;
        V[i] = -5;
    }
    assert_ok(arne_muscle_forces(robot, 1, a, L, V, NULL, F, r));
    for (int i = 0; i < ARM_MUSCLES; i++)
        assert_true(F[i] >= 0);
    // options
    arne_muscle_options o = {.tendon = ARNE_TENDON_FIBRE_STATE};
    assert_int_equal(arne_muscle_forces(robot, 1, a, L, V, &o, F, r), ARNE_NULL_ARGUMENT);
    o.tendon = ARNE_TENDON_COUNT;
    assert_int_equal(arne_muscle_forces(robot, 1, a, L, V, &o, F, r), ARNE_VALUE);
    arne_robot_free(robot);
}

// Many states at once are the same as one after the other.
static void batches_are_states(void **unused)
{
    arne_robot *robot = arm_robot();
    double      a[3 * ARM_MUSCLES], L[3 * ARM_MUSCLES], V[3 * ARM_MUSCLES], F[3 * ARM_MUSCLES],
        one[ARM_MUSCLES];
    rng r = rng_seed(3);
    (void)unused;
    for (int i = 0; i < 3 * ARM_MUSCLES; i++) {
        a[i] = 0.5 + 0.4 * uniform(&r);
        L[i] = arm_length(robot, i % ARM_MUSCLES, &r);
        V[i] = 0.1 * uniform(&r);
    }
    assert_ok(arne_muscle_forces(robot, 3, a, L, V, NULL, F, NULL));
    for (int s = 0; s < 3; s++) {
        const int at = s * ARM_MUSCLES;
        assert_ok(arne_muscle_forces(robot, 1, a + at, L + at, V + at, NULL, one, NULL));
        assert_memory_equal(one, F + at, sizeof one);
    }
    arne_robot_free(robot);
}

// OpenSim's states: tendon forces, pennations and fibre velocities of an independent evaluation.
static void equilibrium_is_the_reference(void **unused)
{
    char        path[1000];
    arne_error  error = {0};
    arne_robot *robot = NULL;
    double      worst = 0;
    (void)unused;
    if (!reference_path(GAIT, path, sizeof path)) skip();
    assert_ok_or(arne_robot_read(path, NULL, &robot, &error), &error);
    assert_true(reference_path(NUMBERS("muscle_equilibrium.json"), path, sizeof path));
    json              *file = json_read(path);
    const json        *frames = json_get(file, "frames");
    const int          n = arne_muscle_count(robot);
    double             a[18], L[18], V[18], given[18], F[18];
    arne_muscle_result r[18];
    assert_int_equal(n, 18);
    for (int f = 0; f < json_count(frames); f++) {
        const json *all = json_get(json_at(frames, f), "muscles");
        for (int i = 0; i < n; i++) {
            const json *m = json_get(all, arne_robot_muscle(robot, i).name);
            a[i] = json_number(json_get(m, "activation"));
            L[i] = json_number(json_get(m, "path_length"));
            V[i] = json_number(json_get(m, "path_speed"));
            given[i] = json_number(json_get(m, "fibre_length"));
        }
        const arne_muscle_options o = {.tendon = ARNE_TENDON_FIBRE_STATE, .state = given};
        assert_ok(arne_muscle_forces(robot, 1, a, L, V, &o, F, r));
        for (int i = 0; i < n; i++) {
            const json  *m = json_get(all, arne_robot_muscle(robot, i).name);
            const double force = json_number(json_get(m, "tendon_force"));
            worst = fmax(worst, fabs(F[i] - force) / (1 + force));
            worst = fmax(worst, fabs(r[i].pennation - json_number(json_get(m, "pennation"))));
            worst = fmax(worst, fabs(r[i].rate - json_number(json_get(m, "fibre_velocity"))));
        }
    }
    print_message("equilibrium: %.2g of the reference\n", worst);
    assert_true(worst < 1e-9);
    json_free(file);
    arne_robot_free(robot);
}

// ---- activation and metabolism ----

static void activations_rise_faster_than_they_fall(void **unused)
{
    arne_robot *robot = arm_robot();
    double      u[ARM_MUSCLES], a[ARM_MUSCLES], rate[ARM_MUSCLES], by[2 * ARM_MUSCLES];
    double      side[ARM_MUSCLES];
    rng         r = rng_seed(8);
    (void)unused;
    for (int seed = 0; seed < 50; seed++) {
        for (int i = 0; i < ARM_MUSCLES; i++) {
            u[i] = 0.5 + 0.45 * uniform(&r);
            a[i] = 0.5 + 0.45 * uniform(&r);
        }
        assert_ok(arne_activation_rates(robot, u, a, rate, by));
        for (int i = 0; i < ARM_FIBRES; i++) {
            const double h = 1e-7, keep_u = u[i], keep_a = a[i];
            assert_true(rate[i] * (u[i] - a[i]) >= 0);
            if (fabs(u[i] - a[i]) < 1e-3) continue;
            u[i] += h;
            assert_ok(arne_activation_rates(robot, u, a, side, NULL));
            assert_true(fabs((side[i] - rate[i]) / h - by[2 * i]) < 1e-4 * (1 + fabs(by[2 * i])));
            u[i] = keep_u;
            a[i] += h;
            assert_ok(arne_activation_rates(robot, u, a, side, NULL));
            assert_true(fabs((side[i] - rate[i]) / h - by[2 * i + 1]) <
                        1e-4 * (1 + fabs(by[2 * i + 1])));
            a[i] = keep_a;
        }
        assert_true(rate[4] == 0 && rate[5] == 0);
    }
    for (int i = 0; i < ARM_MUSCLES; i++) {
        u[i] = 1;
        a[i] = 0.5;
    }
    assert_ok(arne_activation_rates(robot, u, a, rate, NULL));
    assert_true(fabs(rate[0] - 0.5 / (0.010 * 1.25)) < 1e-9);
    for (int i = 0; i < ARM_MUSCLES; i++)
        u[i] = 0; // minimum_activation 0.01
    assert_ok(arne_activation_rates(robot, u, a, rate, NULL));
    assert_true(fabs(rate[0] + 0.49 * 1.25 / 0.040) < 1e-9);
    arne_robot_free(robot);
}

static void metabolic_rates_are_umbergers(void **unused)
{
    arne_robot               *robot = arm_robot();
    double                    a[ARM_MUSCLES] = {1, 1, 1, 1, 1, 1}, rate[ARM_MUSCLES];
    double                    length[ARM_MUSCLES], speed[ARM_MUSCLES] = {0}, force[ARM_MUSCLES];
    arne_muscle_result        r[ARM_MUSCLES];
    const double              slow[ARM_MUSCLES] = {0.5, 0.5, 0.5, 1, 0, 0};
    const arne_muscle_options rigid = {.tendon = ARNE_TENDON_RIGID};
    (void)unused;
    for (int i = 0; i < ARM_MUSCLES; i++)
        length[i] = arne_robot_muscle(robot, i).law.slack_length + 0.08;
    // isometric at full activation: 1.5 (128 fast + 25) W/kg
    assert_ok(arne_muscle_forces(robot, 1, a, length, speed, &rigid, force, r));
    assert_ok(arne_metabolic_rates(robot, NULL, a, r, NULL, rate, NULL));
    const double mass = 1059.7 * 800 * 0.1 / 250e3;
    assert_true(r[0].fibre_length < 0.1 && fabs(rate[0] - mass * 1.5 * (64 + 25)) < 1e-9);
    assert_true(rate[4] == 0);
    // shortening slow fibres: 100 W/kg at their fastest, which is max_velocity / 2.5, and work
    const double along = 0.4 / cos(r[3].pennation);
    speed[3] = -along;
    arne_metabolic_options o = {.slow = slow};
    assert_ok(arne_muscle_forces(robot, 1, a, length, speed, &rigid, force, r));
    assert_ok(arne_metabolic_rates(robot, NULL, a, r, &o, rate, NULL));
    const double own = 1059.7 * 600 * 0.1 / 250e3;
    assert_true(r[3].active > 1 && fabs(r[3].fibre_velocity + 0.4) < 1e-12);
    assert_true(fabs(rate[3] - own * 1.5 * (25 + 100) - r[3].active * 0.4) < 1e-9);
    // lengthening: 0.3 of it, no work given back; less force far from the optimal length
    speed[3] = along;
    length[3] += 0.04;
    assert_ok(arne_muscle_forces(robot, 1, a, length, speed, &rigid, force, r));
    assert_ok(arne_metabolic_rates(robot, NULL, a, r, &o, rate, NULL));
    const double f = r[3].active_length, move = 30 * r[3].fibre_velocity / 0.4;
    assert_true(r[3].fibre_length > 0.1 && f < 0.99);
    assert_true(fabs(rate[3] - own * 1.5 * (25 * (0.4 + 0.6 * f) + move * f)) < 1e-9);
    // smooth switches leave a muscle at rest near its rate
    double hard;
    for (int i = 0; i < ARM_MUSCLES; i++)
        a[i] = 0.01, speed[i] = 0;
    assert_ok(arne_muscle_forces(robot, 1, a, length, speed, &rigid, force, r));
    assert_ok(arne_metabolic_rates(robot, NULL, a, r, &o, rate, NULL));
    hard = rate[0];
    o.smoothing = 0.05;
    assert_ok(arne_metabolic_rates(robot, NULL, a, r, &o, rate, NULL));
    assert_true(fabs(rate[0] - hard) < 0.25 * hard);
    o.smoothing = 0;
    // at rest 1 W/kg
    memset(a, 0, sizeof a);
    assert_ok(arne_metabolic_rates(robot, NULL, a, r, &o, rate, NULL));
    assert_true(fabs(rate[0] - mass) < 1e-12);
    o.smoothing = 2;
    assert_int_equal(arne_metabolic_rates(robot, NULL, a, r, &o, rate, NULL), ARNE_VALUE);
    arne_robot_free(robot);
}

// By excitation, activation and the path, through fibre_by and speed_by, by central differences;
// near the published rate where the smoothing is small.
static void metabolic_rates_have_derivatives(void **unused)
{
    arne_robot         *robot = arm_robot();
    static const double smoothings[3] = {0, 1e-5, 0.05};
    int                 used = 0;
    (void)unused;
    for (int seed = 0; seed < 300; seed++) {
        rng    g = rng_seed((uint64_t)seed);
        double x[4][ARM_MUSCLES], rate[2][ARM_MUSCLES], by[ARM_MUSCLES][4], whole[3], force[6];
        arne_muscle_result     r[ARM_MUSCLES];
        arne_metabolic_options o = {0};
        for (int i = 0; i < ARM_MUSCLES; i++) {
            x[0][i] = 0.5 + 0.45 * uniform(&g);
            x[1][i] = 0.5 + 0.45 * uniform(&g);
            x[2][i] = arne_robot_muscle(robot, i).law.slack_length + 0.105 + 0.02 * uniform(&g);
            x[3][i] = 0.5 * uniform(&g);
        }
        for (int k = 0; k < 3; k++) {
            o.smoothing = smoothings[k];
            assert_ok(arne_muscle_forces(robot, 1, x[1], x[2], x[3], NULL, force, r));
            assert_ok(arne_metabolic_rates(robot, x[0], x[1], r, &o, rate[0], by[0]));
            whole[k] = rate[0][0];
        }
        assert_true(fabs(whole[1] - whole[0]) < 1e-3 * whole[0]);
        for (int n = 0; n < 4; n++)
            for (int i = 0; i < ARM_FIBRES; i++) {
                const double h = 1e-6, keep = x[n][i];
                const double want = n == 0 ? by[i][0]
                                           : (n == 1 ? by[i][1] : 0) +
                                                 by[i][2] * r[i].fibre_by[n - 1] +
                                                 by[i][3] * r[i].speed_by[n - 1];
                if (!(force[i] > 1)) continue; // slack
                for (int side = 0; side < 2; side++) {
                    arne_muscle_result other[ARM_MUSCLES];
                    double             f[ARM_MUSCLES];
                    x[n][i] = keep + (side ? h : -h);
                    assert_ok(arne_muscle_forces(robot, 1, x[1], x[2], x[3], NULL, f, other));
                    assert_ok(arne_metabolic_rates(robot, x[0], x[1], other, &o, rate[side], NULL));
                }
                x[n][i] = keep;
                const double slope = (rate[1][i] - rate[0][i]) / (2 * h);
                if (fabs(slope - want) > 1e-4 * (100 + fabs(want)))
                    fail_msg("seed %d, muscle %d, by %d: %g, %g", seed, i, n, slope, want);
                used++;
            }
    }
    assert_true(used > 3000);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_are_the_reference),
        cmocka_unit_test(curves_have_exact_derivatives),
        cmocka_unit_test(unit_have_exact_derivatives),
        cmocka_unit_test(fibre_and_tendon_are_in_equilibrium),
        cmocka_unit_test(equilibrium_holds_near_slack),
        cmocka_unit_test(states_come_to_rest_in_equilibrium),
        cmocka_unit_test(bands_and_slack_paths),
        cmocka_unit_test(batches_are_states),
        cmocka_unit_test(equilibrium_is_the_reference),
        cmocka_unit_test(activations_rise_faster_than_they_fall),
        cmocka_unit_test(metabolic_rates_are_umbergers),
        cmocka_unit_test(metabolic_rates_have_derivatives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
