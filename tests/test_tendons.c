// Tendons and chambers inside of rods, pieces, natural modes and tables of rods: shapes that are
// known, laws.
#include "rods.h"
#include "testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static arne_muscle_spec tendon_named(const char *name, arne_muscle_kind kind,
                                     const arne_path_point *points, int count)
{
    arne_muscle_spec m = arne_muscle_spec_default(kind);
    m.name = name;
    m.law.max_force = 10;
    m.points = points;
    m.point_count = count;
    return m;
}

static arne_path_point on_rod(double x, double y, double z, int along, double turns)
{
    return (arne_path_point){.link = "rod", .position = {x, y, z}, .along = along, .turns = turns};
}

static arne_body_spec soft_rod(int points, int all)
{
    arne_body_spec rod = rod_unit(points);
    rod.flexible.length = 0.3;
    for (int k = 0; k < ARNE_STRAIN_COUNT; k++) {
        rod.flexible.modes[k] = k < 3 || all ? 2 : 0;
        rod.flexible.stiffness[k] = k < 3 ? 0.02 : 100;
    }
    return rod;
}

// Straight, converging and helical ones, from a point of the world, along a part of the rod, and
// back on the other side; a chamber.
static held_rod rod_with_tendons(int points)
{
    const arne_body_spec   rod = soft_rod(points, 1);
    const arne_path_point  straight[] = {{.link = "world", .position = {-0.1, 0.01, 0}},
                                         on_rod(0, 0.01, 0, 0, 0),
                                         on_rod(0.3, 0.01, 0, 1, 0)};
    const arne_path_point  bent[] = {on_rod(0.05, 0.01, 0.002, 0, 0),
                                     on_rod(0.2, 0.004, -0.01, 1, 0),
                                     on_rod(0.3, 0.004, 0, 1, 0),
                                     {.link = "world", .position = {0.3, 0.1, 0}}};
    const arne_path_point  helix[] = {on_rod(0, 0, 0.01, 0, 0), on_rod(0.3, 0.005, 0, 1, 1.75)};
    const arne_muscle_spec muscles[] = {tendon_named("straight", ARNE_MUSCLE_CABLE, straight, 3),
                                        tendon_named("bent", ARNE_MUSCLE_CABLE, bent, 4),
                                        tendon_named("helix", ARNE_MUSCLE_CHAMBER, helix, 2)};
    arne_builder          *b = rod_builder();
    assert_ok(arne_builder_add_body(b, &rod, NULL));
    rod_clamp(b, "world", "rod", 0);
    for (int i = 0; i < 3; i++)
        assert_ok(arne_builder_add_muscle(b, &muscles[i], NULL));
    return rod_finish(b);
}

enum { N = 12 };

static void random_q(rng *random, double *q)
{
    for (int k = 0; k < N; k++)
        q[k] = (k < 6 ? 4 : 0.05) * rng_uniform(random, -1, 1);
}

static void arms_are_slopes_of_lengths(void **unused)
{
    held_rod r = rod_with_tendons(5);
    rng      random = rng_seed(3);
    (void)unused;
    assert_int_equal(r.n, N);
    for (int trial = 0; trial < 5; trial++) {
        double q[N], qd[N], arms[3 * N], length[2][3], speed[3];
        random_q(&random, q);
        random_q(&random, qd);
        assert_ok(arne_muscle_moment_arms(r.robot, r.work, q, arms));
        assert_ok(arne_muscle_lengths(r.robot, r.work, q, qd, length[0], speed));
        for (int i = 0; i < 3; i++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum -= arms[i * N + k] * qd[k];
            assert_true(fabs(sum - speed[i]) < 1e-13 * (1 + fabs(sum)));
        }
        for (int k = 0; k < N; k++) {
            const double h = 1e-5, at = q[k];
            for (int side = 0; side < 2; side++) {
                q[k] = at + (side ? h : -h);
                assert_ok(arne_muscle_lengths(r.robot, r.work, q, NULL, length[side], NULL));
            }
            q[k] = at;
            for (int i = 0; i < 3; i++)
                assert_true(fabs(arms[i * N + k] + (length[1][i] - length[0][i]) / (2 * h)) < 1e-9);
        }
    }
    rod_release(&r);
}

// Of the straight rod: the line, and a helix of constant radius; converging with the points.
static void lengths_are_known(void **unused)
{
    const arne_body_spec  rod = soft_rod(6, 0);
    const double          pi = acos(-1), q[6] = {0};
    const arne_path_point helix[] = {on_rod(0, 0.01, 0, 0, 0), on_rod(0.3, 0, -0.01, 1, 2.75)};
    arne_muscle_spec      m = tendon_named("helix", ARNE_MUSCLE_CABLE, helix, 2);
    arne_builder         *b = rod_builder();
    double                length = 0;
    (void)unused;
    assert_ok(arne_builder_add_body(b, &rod, NULL));
    rod_clamp(b, "world", "rod", 0);
    assert_ok(arne_builder_add_muscle(b, &m, NULL));
    held_rod r = rod_finish(b);
    assert_ok(arne_muscle_lengths(r.robot, r.work, q, NULL, &length, NULL));
    assert_true(fabs(length - hypot(0.3, 2 * pi * 2.75 * 0.01)) < 1e-15);
    rod_release(&r);
    double before = 0, error[2];
    for (int i = 0; i < 3; i++) { // the fourth order of Gauss's two points
        double lengths[3], s[N];
        rng    random = rng_seed(5);
        r = rod_with_tendons(5 << i);
        random_q(&random, s);
        assert_ok(arne_muscle_lengths(r.robot, r.work, s, NULL, lengths, NULL));
        if (i) error[i - 1] = fabs(lengths[2] - before);
        before = lengths[2];
        rod_release(&r);
    }
    assert_true(error[1] < error[0] / 8 && error[0] < 1e-4);
}

// A tendon at +y with tension T bends the rod about z by d T / EI, and a chamber there the other
// way: found from activations, and activations from the shape.
static void a_tendon_bends_it(void **unused)
{
    for (int chamber = 0; chamber < 2; chamber++) {
        const arne_body_spec   rod = soft_rod(6, 0);
        const arne_path_point  points[] = {on_rod(0, 0.01, 0, 0, 0), on_rod(0.3, 0.01, 0, 1, 0)};
        const arne_path_point  across[] = {on_rod(0, 0, 0.01, 0, 0), on_rod(0.3, 0, 0.01, 1, 0)};
        const arne_muscle_kind kind = chamber ? ARNE_MUSCLE_CHAMBER : ARNE_MUSCLE_CABLE;
        const arne_muscle_spec m[2] = {tendon_named("y", kind, points, 2),
                                       tendon_named("z", ARNE_MUSCLE_CABLE, across, 2)};
        arne_builder          *b = rod_builder();
        const double           activation[2] = {0.6, 0.2}, sign = chamber ? -1 : 1;
        double q[6] = {0}, tau[6], zero[6] = {0}, lengths[2], arms[12], found[2], forces[2];
        (void)unused;
        assert_ok(arne_builder_set_gravity(b, (arne_vec3){0, 0, 0}));
        assert_ok(arne_builder_add_body(b, &rod, NULL));
        rod_clamp(b, "world", "rod", 0);
        for (int i = 0; i < 2; i++)
            assert_ok(arne_builder_add_muscle(b, &m[i], NULL));
        held_rod                       r = rod_finish(b);
        const arne_equilibrium_options ask = {.activation = activation};
        assert_ok(arne_equilibrium(r.robot, r.work, &ask, q, NULL));
        for (int k = 0; k < 6; k++) {
            const double expected = k == 2 ? -0.01 * 2 / 0.02 : k == 4 ? sign * 0.01 * 6 / 0.02 : 0;
            assert_true(fabs(q[k] - expected) < 1e-9);
        }
        arne_static *s = NULL;
        assert_ok(arne_static_new(r.robot, NULL, &s, NULL));
        arne_inverse_dynamics(r.robot, r.work, q, zero, zero, NULL, tau);
        assert_ok(arne_muscle_lengths(r.robot, r.work, q, NULL, lengths, NULL));
        assert_ok(arne_muscle_moment_arms(r.robot, r.work, q, arms));
        assert_ok(arne_static_solve(s, tau, lengths, zero, arms, found, forces, NULL));
        assert_true(fabs(found[0] - 0.6) < 1e-8 && fabs(found[1] - 0.2) < 1e-8);
        assert_true(fabs(forces[0] - sign * 6) < 1e-7);
        arne_static_free(s);
        rod_release(&r);
    }
}

// ---- modes, pieces and tables ----

// A piece of constant curvature each: two arcs.
static void pieces_have_modes_of_their_own(void **unused)
{
    arne_body_spec rod = rod_unit(6);
    const double   q[2] = {1.2, -0.7};
    (void)unused;
    rod.flexible.pieces = 2;
    rod.flexible.modes[ARNE_STRAIN_BEND_Z] = 1;
    held_rod        r = rod_clamped(&rod, 0);
    const arne_vec3 tip = rod_tip(&r, q);
    const double    half = 0.6, end = half - 0.35;
    const double    expected[3] = {sin(half) / 1.2 + (sin(end) - sin(half)) / -0.7,
                                   (1 - cos(half)) / 1.2 + (cos(half) - cos(end)) / -0.7, 0};
    double          tau[2], zero[2] = {0};
    assert_int_equal(r.n, 2);
    assert_true(rod_distance(tip, expected) < 1e-14);
    arne_inverse_dynamics(r.robot, r.work, q, zero, zero, NULL, tau);
    assert_true(fabs(tau[0] - 0.5 * q[0]) < 1e-14 && fabs(tau[1] - 0.5 * q[1]) < 1e-14);
    rod_release(&r);
}

// The same rod in other words: all natural modes span what the polynomials do; a few of many have
// the lowest frequencies and no high ones.
static void natural_modes_take_their_place(void **unused)
{
    arne_body_spec rod = rod_unit(40);
    const double   theory[4] = {1.875104068711961, 4.694091132974175, 7.854757438237613,
                                10.99554073487547};
    double         q[12] = {0}, found[12], shapes[144], highest = 0;
    arne_load      load = {.in_world = 1, .wrench = {{0, 3, 0}, {0, 0, 0}}};
    const arne_equilibrium_options ask = {.loads = &load, .load_count = 1};
    arne_vec3                      tip[2];
    (void)unused;
    rod.flexible.line[0] = 1;
    rod.flexible.line[3] = 1e-8;
    rod.flexible.modes[ARNE_STRAIN_BEND_Z] = 12;
    for (int natural = 0; natural < 3; natural++) {
        int count = 0;
        rod.flexible.natural[ARNE_STRAIN_BEND_Z] = natural == 2 ? 5 : natural ? 12 : 0;
        held_rod r = rod_clamped(&rod, 0);
        load.frame = r.tip;
        memset(q, 0, sizeof q);
        assert_ok(arne_modes(r.robot, r.work, NULL, q, &count, found, shapes, NULL));
        for (int i = 0; i < 4; i++)
            assert_true(fabs(2 * acos(-1) * found[i] / (theory[i] * theory[i]) - 1) < 2e-5);
        if (natural == 2) assert_true(found[count - 1] < highest / 20);
        highest = found[count - 1];
        memset(q, 0, sizeof q);
        assert_ok(arne_equilibrium(r.robot, r.work, &ask, q, NULL));
        if (natural < 2) tip[natural] = rod_tip(&r, q);
        rod_release(&r);
    }
    assert_true(rod_distance(tip[1], &tip[0].x) < 1e-10);
}

// A clothoid: the curvature rises along the rod. Its end by Simpson's rule; with twice the points a
// sixteenth of the error.
static void its_rest_is_a_table(void **unused)
{
    enum { STEPS = 2000 };
    double q[1] = {0}, expected[3] = {0}, error[2];
    (void)unused;
    for (int i = 0; i <= STEPS; i++) {
        const double s = (double)i / STEPS, angle = 0.5 * s + 1.5 * s * s;
        const double w = (i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2) / (3.0 * STEPS);
        expected[0] += w * cos(angle);
        expected[1] += w * sin(angle);
    }
    for (int i = 0; i < 2; i++) {
        arne_body_spec rod = rod_unit(20 << i);
        rod.flexible.modes[ARNE_STRAIN_BEND_Z] = 1;
        rod.flexible.curvature[2] = 0.5;
        rod.flexible.table_count = 2;
        rod.flexible.table[1][0] = 1;
        rod.flexible.table[1][3] = 3;
        held_rod r = rod_clamped(&rod, 0);
        error[i] = rod_distance(rod_tip(&r, q), expected);
        if (getenv("ARNE_TEST_SHOW"))
            print_message("clothoid, %d points: %.1e\n", 20 << i, error[i]);
        rod_release(&r);
    }
    assert_true(error[0] < 1e-6 && error[1] < error[0] / 12);
}

// A rod that is half as thick beyond its middle: two springs in a row, each with its stiffness. A
// table of the ends alone is a taper.
static void its_size_is_a_table(void **unused)
{
    const double   P = 0.01, step = 1e-7;
    double         q[2][6] = {{0}};
    arne_body_spec rod = rod_unit(40);
    (void)unused;
    rod.flexible.modes[ARNE_STRAIN_BEND_Z] = 6;
    for (int table = 0; table < 2; table++) {
        arne_load                      load = {.in_world = 1, .wrench = {{0, P, 0}, {0, 0, 0}}};
        const arne_equilibrium_options ask = {.loads = &load, .load_count = 1};
        rod.flexible.size_count = table ? 2 : 0;
        rod.flexible.taper = table ? 1 : 0.5;
        rod.flexible.sizes[0][1] = 1;
        rod.flexible.sizes[1][0] = 1;
        rod.flexible.sizes[1][1] = 0.5;
        held_rod r = rod_clamped(&rod, 0);
        load.frame = r.tip;
        assert_ok(arne_equilibrium(r.robot, r.work, &ask, q[table], NULL));
        rod_release(&r);
    }
    for (int i = 0; i < 6; i++)
        assert_true(fabs(q[0][i] - q[1][i]) < 1e-14);
    // two pieces of constant strain under a moment M at the tip: curvatures M/EI and 16 M/EI
    const double   M = 0.02;
    arne_body_spec two = rod_unit(20);
    arne_load      load = {.in_world = 1, .wrench = {{0, 0, 0}, {0, 0, M}}};
    two.flexible.pieces = 2;
    two.flexible.modes[ARNE_STRAIN_BEND_Z] = 1;
    two.flexible.size_count = 4;
    const double rows[4][2] = {{0, 1}, {0.5, 1}, {0.5 + step, 0.5}, {1, 0.5}};
    memcpy(two.flexible.sizes, rows, sizeof rows);
    held_rod                       r = rod_clamped(&two, 0);
    const arne_equilibrium_options ask = {.loads = &load, .load_count = 1};
    double                         bend[2] = {0};
    load.frame = r.tip;
    assert_ok(arne_equilibrium(r.robot, r.work, &ask, bend, NULL));
    assert_true(fabs(bend[0] / M - 1) < 1e-12);
    // between 0.5 and 0.5 + step the stiffness is 0.3875 on average
    assert_true(fabs(bend[1] / M * (0.0625 + 2 * step * (0.3875 - 0.0625)) - 1) < 1e-10);
    rod_release(&r);
}

// A rod that is l times as long and m times as heavy: curvatures are 1/l, energies at the same
// turns m l, and M that of m l^2.
static void it_has_another_size(void **unused)
{
    const double   l = 2, m = 3, table[2][4] = {{0, 0, 0, 0.5}, {0.3, 0.2, 0, 1}};
    const double   sizes[2][2] = {{0, 1}, {0.2, 0.7}};
    double         q[2][N], zero[N] = {0}, tau[2][N], M[2][N * N], K[N * N], D[2][N * N];
    arne_body_spec rod = soft_rod(6, 1);
    rng            random = rng_seed(11);
    (void)unused;
    rod.flexible.table_count = rod.flexible.size_count = 2;
    memcpy(rod.flexible.table, table, sizeof table);
    memcpy(rod.flexible.sizes, sizes, sizeof sizes);
    rod.flexible.viscosity = 2;
    arne_flexible_round(&rod.flexible, 0.01, 0);
    for (int k = 0; k < ARNE_STRAIN_COUNT; k++)
        rod.flexible.strain_damping[k] = 0.1 * (k + 1);
    random_q(&random, q[0]);
    for (int k = 0; k < N; k++)
        q[1][k] = q[0][k] / (k < 6 ? l : 1);
    for (int scaled = 0; scaled < 2; scaled++) {
        arne_builder *b = rod_builder();
        assert_ok(arne_builder_add_body(b, &rod, NULL));
        rod_clamp(b, "world", "rod", 0);
        if (scaled) assert_ok(arne_builder_scale(b, l, m));
        held_rod r = rod_finish(b);
        arne_inverse_dynamics(r.robot, r.work, q[scaled], zero, zero, NULL, tau[scaled]);
        arne_inverse_dynamics_derivatives(r.robot, r.work, zero, zero, zero, NULL, 0, K, D[scaled],
                                          M[scaled]);
        arne_mass_matrix(r.robot, r.work, q[scaled], M[scaled]);
        rod_release(&r);
    }
    for (int i = 0; i < N; i++) {
        const double c = i < 6 ? l : 1;
        assert_true(fabs(tau[1][i] - m * l * c * tau[0][i]) < 1e-9 * (1 + fabs(tau[1][i])));
        for (int k = 0; k < N; k++) {
            const double expected = m * l * l * c * (k < 6 ? l : 1) * M[0][i * N + k];
            const double slow = m * l * l * c * (k < 6 ? l : 1) * D[0][i * N + k];
            assert_true(fabs(M[1][i * N + k] - expected) < 1e-9 * (1e-3 + fabs(expected)));
            assert_true(fabs(D[1][i * N + k] - slow) < 1e-9 * (1e-3 + fabs(slow)));
        }
    }
}

// ---- bad input ----

static void refused_with(const arne_body_spec *rod, const arne_path_point *points, int count,
                         const char *why)
{
    arne_builder          *b = rod_builder();
    arne_robot            *robot = NULL;
    arne_error             error = {0};
    const arne_muscle_spec m = tendon_named("pull", ARNE_MUSCLE_CABLE, points, count);
    assert_ok(arne_builder_add_body(b, rod, NULL));
    rod_clamp(b, "world", "rod", 0);
    if (count) assert_ok(arne_builder_add_muscle(b, &m, NULL));
    const arne_build_options strict = {.strict = 1};
    assert_true(arne_builder_finish(b, &strict, &robot, &error) != ARNE_OK);
    if (!strstr(error.text, why)) fail_msg("'%s' is not in '%s'", why, error.text);
    arne_builder_free(b);
}

static void bad_tendons_are_refused(void **unused)
{
    arne_body_spec        rod = soft_rod(4, 0);
    const arne_path_point start = on_rod(0, 0.01, 0, 0, 0);
    (void)unused;
    arne_path_point points[2] = {start, on_rod(0.5, 0.01, 0, 1, 0)};
    refused_with(&rod, points, 2, "0.5 m along");
    points[1] = on_rod(0.3, 0.01, 0, 1, 0.3);
    refused_with(&rod, points, 2, "turns do not end");
    points[0] = on_rod(0.3, 0.01, 0, 0, 0);
    points[1] = on_rod(0.1, 0.01, 0, 1, 0);
    refused_with(&rod, points, 2, "not further along");
    points[0] = on_rod(0.1, 0.01, 0, 1, 0);
    refused_with(&rod, points, 2, "first point");
    points[0] = (arne_path_point){.link = "world"};
    refused_with(&rod, points, 2, "not on the same rod");
    arne_flexible_round(&rod.flexible, 0.005, 0);
    points[0] = start;
    points[1] = on_rod(0.3, 0.01, 0, 1, 0);
    refused_with(&rod, points, 2, "leaves the section");
    rod = soft_rod(4, 0);
    memset(rod.flexible.modes, 0, sizeof rod.flexible.modes);
    rod.flexible.segments = 4;
    rod.flexible.E = rod.flexible.density = 1e3;
    arne_flexible_round(&rod.flexible, 0.05, 0);
    refused_with(&rod, points, 2, "made of segments");
}

static void bad_modes_are_refused(void **unused)
{
    arne_body_spec rod = soft_rod(8, 0);
    (void)unused;
    rod.flexible.natural[ARNE_STRAIN_BEND_Y] = 3;
    refused_with(&rod, NULL, 0, "natural modes");
    rod.flexible.natural[ARNE_STRAIN_BEND_Y] = 0;
    rod.flexible.pieces = 50;
    refused_with(&rod, NULL, 0, "in each of 50 pieces");
    rod.flexible.pieces = 5;
    refused_with(&rod, NULL, 0, "only 8 points");
    rod.flexible.pieces = 0;
    rod.flexible.table_count = 2;
    rod.flexible.table[0][0] = 0.2;
    rod.flexible.table[1][0] = 0.1;
    refused_with(&rod, NULL, 0, "do not rise");
    rod.flexible.table_count = 0;
    rod.flexible.size_count = 1;
    refused_with(&rod, NULL, 0, "a size is not more than 0");
}

#ifdef ARNE_HAVE_YAML
static const char SOFT[] =
    "name: soft\n"
    "bodies:\n"
    "  - {name: base}\n"
    "  - {name: arm, flexible: {length: 0.5, ellipse: [0.01, 0.02], E: 5e6, nu: 0.5, density: "
    "1100,\n"
    "      curvature: [[0, 0, 0, 0], [0.5, 0.1, 0, 2]], pieces: 2, modes: {twist: 1, bend_z: 2},\n"
    "      points: 6, taper: [[0, 1.2], [0.3, 1], [0.5, 0.8]]}}\n"
    "joints:\n"
    "  - {name: clamp, kind: fixed, parent: base, child: arm}\n"
    "muscles:\n"
    "  - {name: pull, law: cable, max_force: 5, points: [\n"
    "      {link: arm, position: [0, 0.01, 0]},\n"
    "      {link: arm, position: [0.5, -0.01, 0], along: true, turns: 1.5}]}\n";

// Read, written and read again: the same robot to the last bit.
static void files_have_tendons(void **unused)
{
    const double q[6] = {0.3, 0.1, 0.5, 1, -2, 0.7};
    double       tau[2][6], arms[2][6];
    char        *text = NULL;
    size_t       size = 0;
    (void)unused;
    for (int i = 0; i < 2; i++) {
        arne_builder *b = NULL;
        arne_robot   *robot = NULL;
        arne_work    *work = NULL;
        arne_error    error = {0};
        assert_ok(arne_builder_new(&b));
        if (arne_read_yaml(b, i ? text : SOFT, i ? size : strlen(SOFT), "soft.yaml", &error) ||
            arne_builder_finish(b, NULL, &robot, &error))
            fail_msg("%s", error.text);
        assert_int_equal(arne_robot_sizes(robot).v_count, 6);
        assert_ok(arne_work_new(robot, &work));
        arne_inverse_dynamics(robot, work, q, q, q, NULL, tau[i]);
        assert_ok(arne_muscle_moment_arms(robot, work, q, arms[i]));
        if (i == 0)
            assert_ok(arne_robot_text(robot, ARNE_FORMAT_YAML, NULL, NULL, &text, &size, NULL));
        arne_work_free(work);
        arne_robot_free(robot);
        arne_builder_free(b);
    }
    assert_memory_equal(tau[0], tau[1], sizeof tau[0]);
    for (int k = 0; k < 6; k++)
        assert_true(fabs(arms[0][k] - arms[1][k]) < 1e-15);
    free(text);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arms_are_slopes_of_lengths),
        cmocka_unit_test(lengths_are_known),
        cmocka_unit_test(a_tendon_bends_it),
        cmocka_unit_test(pieces_have_modes_of_their_own),
        cmocka_unit_test(natural_modes_take_their_place),
        cmocka_unit_test(its_rest_is_a_table),
        cmocka_unit_test(its_size_is_a_table),
        cmocka_unit_test(it_has_another_size),
        cmocka_unit_test(bad_tendons_are_refused),
        cmocka_unit_test(bad_modes_are_refused),
#ifdef ARNE_HAVE_YAML
        cmocka_unit_test(files_have_tendons),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
