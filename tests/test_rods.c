// Rods by strain modes: shapes that are known, states and statics that others computed
// ($ARNE_REFERENCE/rods: Newton-Euler along the rod, shooting), laws.
#include "json.h"
#include "rods.h"
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>

// ---- shapes that are known ----

static void an_end_moment_rolls_it_up(void **unused)
{
    arne_body_spec                 rod = rod_unit(6);
    const double                   pi = acos(-1), circle[3] = {0, 0, 0};
    double                         q[1] = {0};
    arne_load                      load = {.wrench = {{0, 0, 0}, {0, 0, 2 * pi}}};
    const arne_equilibrium_options ask = {.loads = &load, .load_count = 1};
    (void)unused;
    rod.flexible.modes[ARNE_STRAIN_BEND_Z] = 1;
    held_rod r = rod_clamped(&rod, 0);
    load.frame = r.tip;
    assert_ok(arne_equilibrium(r.robot, r.work, &ask, q, NULL));
    assert_true(fabs(q[0] - 2 * pi) < 1e-11);
    assert_true(rod_distance(rod_tip(&r, q), circle) < 1e-10);
    rod_release(&r);
}

// A cantilever under its own weight w: its tip sinks by w L^4 / 8 EI. Where the base is turned
// over, it bends to its other side.
static void weight_bends_it(void **unused)
{
    arne_body_spec  rod = rod_unit(8);
    const double    w = 1e-3 * 9.81;
    const arne_pose over = {{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}, {0, 0, 0}};
    double          q[3] = {0}, turned[3] = {0};
    (void)unused;
    rod.flexible.modes[ARNE_STRAIN_BEND_Y] = 3;
    held_rod r = rod_clamped(&rod, 9.81);
    assert_ok(arne_equilibrium(r.robot, r.work, NULL, q, NULL));
    assert_true(fabs(rod_tip(&r, q).z / (-w / 8) - 1) < 1e-3);
    arne_work_set_base(r.robot, r.work, &over, NULL, NULL);
    assert_ok(arne_equilibrium(r.robot, r.work, NULL, turned, NULL));
    for (int i = 0; i < 3; i++)
        assert_true(fabs(q[i] + turned[i]) < 1e-12);
    assert_true(fabs(rod_tip(&r, turned).z / (-w / 8) - 1) < 1e-3);
    rod_release(&r);
}

// A mechanism by itself, whatever the number of points: the mass matrix has the kinetic energy, and
// forward undoes inverse dynamics.
static void forward_undoes_inverse(void **unused)
{
    double         q[12], qd[12], qdd[12], tau[12], again[12];
    rng            random = rng_seed(7);
    arne_body_spec rod = rod_unit(5);
    (void)unused;
    rod.flexible.taper = 0.5;
    for (int k = 0; k < ARNE_STRAIN_COUNT; k++)
        rod.flexible.modes[k] = 2;
    held_rod r = rod_clamped(&rod, 9.81);
    for (int i = 0; i < r.n; i++) {
        q[i] = rng_uniform(&random, -0.5, 0.5);
        qd[i] = rng_uniform(&random, -1, 1);
        qdd[i] = rng_uniform(&random, -1, 1);
    }
    arne_inverse_dynamics(r.robot, r.work, q, qd, qdd, NULL, tau);
    assert_ok(arne_forward_dynamics(r.robot, r.work, q, qd, tau, NULL, again, NULL));
    for (int i = 0; i < r.n; i++)
        assert_true(fabs(again[i] - qdd[i]) < 1e-8);
    rod_release(&r);
}

// Bodies stand anywhere along it: one at half its length is where a shorter rod ends.
static void bodies_stand_anywhere(void **unused)
{
    arne_body_spec rod = rod_unit(20), ring = arne_body_spec_default();
    double         q[2] = {0.8, 1.1};
    (void)unused;
    rod.flexible.modes[ARNE_STRAIN_BEND_Y] = rod.flexible.modes[ARNE_STRAIN_BEND_Z] = 1;
    ring.name = "ring";
    ring.mass = 0.1;
    arne_builder *b = rod_builder();
    assert_ok(arne_builder_add_body(b, &rod, NULL));
    assert_ok(arne_builder_add_body(b, &ring, NULL));
    rod_clamp(b, "world", "rod", 0);
    rod_clamp(b, "rod", "ring", 0.5);
    held_rod     r = rod_finish(b);
    const int    ring_frame = arne_find_frame(r.robot, "ring");
    const double k = sqrt(q[0] * q[0] + q[1] * q[1]);
    arne_kinematics(r.robot, r.work, q, NULL, NULL);
    const arne_vec3 p = arne_frame_pose(r.robot, r.work, ring_frame).p;
    assert_true(fabs(p.x - sin(0.5 * k) / k) < 1e-14);
    assert_true(fabs(p.z + q[0] / k * (1 - cos(0.5 * k)) / k) < 1e-14);
    assert_true(fabs(p.y - q[1] / k * (1 - cos(0.5 * k)) / k) < 1e-14);
    rod_release(&r);
}

// ---- what others computed ----

static arne_body_spec round_rod(const json *given, int points)
{
    arne_body_spec      rod = rod_named("rod", json_number(json_get(given, "L")), points);
    arne_flexible_spec *f = &rod.flexible;
    f->E = json_number(json_get(given, "E"));
    f->G = f->E / (2 + 2 * json_number(json_get(given, "nu")));
    f->density = json_number(json_get(given, "density"));
    arne_flexible_round(f, json_number(json_get(given, "radius")), 0);
    f->modes[ARNE_STRAIN_TWIST] = f->modes[ARNE_STRAIN_BEND_Y] = f->modes[ARNE_STRAIN_BEND_Z] = 2;
    return rod;
}

static arne_body_spec rigid_named(const json *given, const char *name)
{
    arne_body_spec body = arne_body_spec_default();
    body.name = name;
    body.mass = json_number(json_get(given, "mass"));
    json_numbers(json_get(given, "com"), &body.com.x, 3);
    json_numbers(json_get(given, "inertia_about_com"), body.inertia, 3);
    return body;
}

// The rod alone; behind a joint and a rigid link, and with a body at its tip; with all strains.
static held_rod system_named(const json *file, const char *name, int points)
{
    const json    *given = json_get(json_get(file, "systems"), name);
    arne_body_spec rod = round_rod(json_get(given, "rod"), points);
    if (!strcmp(name, "rod_all_strains")) {
        rod.flexible.modes[ARNE_STRAIN_STRETCH] = 2;
        rod.flexible.modes[ARNE_STRAIN_SHEAR_Y] = rod.flexible.modes[ARNE_STRAIN_SHEAR_Z] = 1;
    }
    if (strcmp(name, "hybrid") != 0) return rod_clamped(&rod, 9.81);
    const json          *link_given = json_get(given, "link");
    const arne_body_spec link = rigid_named(link_given, "link"),
                         tip = rigid_named(json_get(given, "tip"), "body");
    arne_joint_spec joint = arne_joint_spec_default();
    arne_builder   *b = rod_builder();
    joint.name = "joint";
    joint.parent = "world";
    joint.child = "link";
    joint.axis = (arne_vec3){0, 1, 0};
    assert_ok(arne_builder_add_body(b, &link, NULL));
    assert_ok(arne_builder_add_body(b, &rod, NULL));
    assert_ok(arne_builder_add_body(b, &tip, NULL));
    assert_ok(arne_builder_add_joint(b, &joint, NULL));
    rod_clamp(b, "link", "rod", json_number(json_get(link_given, "length")));
    rod_clamp(b, "rod", "body", 0);
    return rod_finish(b);
}

enum { MOST = 16 };

static double difference(const json *expected, const double *found, int count)
{
    double values[MOST * MOST], largest = 0, error = 0;
    json_numbers(expected, values, count);
    for (int i = 0; i < count; i++) {
        largest = fmax(largest, fabs(values[i]));
        error = fmax(error, fabs(values[i] - found[i]));
    }
    return largest > 0 ? error / largest : error;
}

// The discrete scheme to rounding, the continuous rod as far as so many points go.
static void state_agrees(const held_rod *r, const json *given, int points, double far)
{
    double      q[MOST], qd[MOST], qdd[MOST], qddd[MOST], tau[MOST], rate[MOST];
    double      M[MOST * MOST], dq[MOST * MOST], dqd[MOST * MOST];
    const int   n = r->n;
    const json *discrete =
        json_get(json_get(given, "discrete"), points == 5 ? "magnus4_gauss5" : "magnus4_gauss10");
    json_numbers(json_get(given, "q"), q, n);
    json_numbers(json_get(given, "qd"), qd, n);
    json_numbers(json_get(given, "qdd"), qdd, n);
    json_numbers(json_get(given, "qddd"), qddd, n);
    arne_torque_rate(r->robot, r->work, q, qd, qdd, qddd, NULL, 0, tau, rate);
    assert_true(difference(json_get(discrete, "tau"), tau, n) < 1e-8);
    assert_true(difference(json_get(given, "tau"), tau, n) < far);
    assert_true(difference(json_get(given, "torque_rate"), rate, n) < 2 * far);
    arne_inverse_dynamics_derivatives(r->robot, r->work, q, qd, qdd, NULL, 0, dq, dqd, M);
    assert_true(difference(json_get(discrete, "M"), M, n * n) < 1e-8);
    assert_true(difference(json_get(given, "dtau_dq"), dq, n * n) < 2 * far);
    assert_true(difference(json_get(given, "dtau_dqd"), dqd, n * n) < 5 * far);
    const arne_vec3 p = rod_tip(r, q);
    assert_true(difference(json_get(discrete, "tip_position"), &p.x, 3) < 1e-12);
}

static void states_agree(void **unused)
{
    static const char *const names[] = {"rod", "hybrid", "rod_all_strains"};
    json                    *file = rod_reference("gvs_states.json");
    (void)unused;
    for (int s = 0; s < 3; s++)
        for (int points = 5; points <= 10; points += 5) {
            held_rod    r = system_named(file, names[s], points);
            const json *states = json_get(json_get(json_get(file, "systems"), names[s]), "states");
            for (int i = 0; i < json_count(states); i++)
                state_agrees(&r, json_at(states, i), points, points == 5 ? 5e-4 : 4e-5);
            rod_release(&r);
        }
    json_free(file);
}

// ---- statics ----

enum { TENDONS = 8 };
static const double STRONGEST = 20; // N

// Parallel to the axis, at [y, z, tension].
static void add_tendons(arne_builder *b, const json *list, double length)
{
    for (int i = 0; list && i < json_count(list); i++) {
        arne_muscle_spec m = arne_muscle_spec_default(ARNE_MUSCLE_CABLE);
        arne_path_point  points[2] = {{.link = "rod"}, {.link = "rod", .along = 1}};
        double           at[3];
        char             name[20];
        json_numbers(json_at(list, i), at, 3);
        points[0].position = (arne_vec3){0, at[0], at[1]};
        points[1].position = (arne_vec3){length, at[0], at[1]};
        snprintf(name, sizeof name, "tendon_%d", i);
        m.name = name;
        m.law.max_force = STRONGEST;
        m.points = points;
        m.point_count = 2;
        assert_ok(arne_builder_add_muscle(b, &m, NULL));
    }
}

static held_rod static_rod(const json *p)
{
    static const char *const keys[] = {"GJ", "EIy", "EIz", "EA", "GAy", "GAz"};
    arne_body_spec           rod = rod_named("rod", json_number(json_get(p, "L")), 40);
    arne_flexible_spec      *f = &rod.flexible;
    const arne_vec3          rest = rod_vector(p, "kappa0"), g = rod_vector(p, "g");
    // a helix of two turns and a large load need more modes and points
    const arne_vec3 push = rod_vector(p, "Pf");
    const double    bent = hypot(push.y, push.z) * f->length * f->length / rod_number(p, "EIz", 1);
    const int       winds = hypot(rest.x, rest.z) * f->length > 6 || bent > 20;
    if (winds) f->points = 120;
    for (int k = 0; k < ARNE_STRAIN_COUNT; k++) {
        f->stiffness[k] = rod_number(p, keys[k], 0); // 0: it keeps that strain
        f->modes[k] = f->stiffness[k] > 0 ? (winds ? 14 : k < 3 ? 8 : 6) : 0;
    }
    f->line[0] = rod_number(p, "rhoA", 1);
    f->line[1] = f->line[2] = f->line[3] = 1e-6;
    f->curvature[0] = rest.x;
    f->curvature[1] = rest.y;
    f->curvature[2] = rest.z;
    arne_builder *b = rod_builder();
    assert_ok(arne_builder_set_gravity(b, g));
    assert_ok(arne_builder_add_body(b, &rod, NULL));
    rod_clamp(b, "world", "rod", 0);
    add_tendons(b, json_find(p, "tendons"), f->length);
    return rod_finish(b);
}

static void case_agrees(const json *c, double tolerance)
{
    const json              *p = json_get(c, "parameters");
    held_rod                 r = static_rod(p);
    arne_load                loads[2] = {{.frame = r.tip, .in_world = 1}, {.frame = r.tip}};
    arne_equilibrium_options ask = {.loads = loads, .load_count = 2, .tolerance = 1e-11};
    double                  *q = calloc((size_t)r.n, sizeof *q), tip[3];
    arne_error               error = {0};
    const json              *tendons = json_find(p, "tendons");
    double                   activation[TENDONS] = {0};
    for (int i = 0; tendons && i < json_count(tendons); i++)
        activation[i] = json_number(json_at(json_at(tendons, i), 2)) / STRONGEST;
    if (tendons) ask.activation = activation;
    loads[0].wrench = (arne_wrench){rod_vector(p, "P"), rod_vector(p, "M")};
    loads[1].wrench = (arne_wrench){rod_vector(p, "Pf"), rod_vector(p, "Mf")};
    if (arne_equilibrium(r.robot, r.work, &ask, q, &error) != ARNE_OK) fail_msg("%s", error.text);
    json_numbers(json_get(c, "tip_position"), tip, 3);
    const double left = rod_distance(rod_tip(&r, q), tip) / json_number(json_get(p, "L"));
    if (getenv("ARNE_TEST_SHOW")) printf("%-40s %.1e\n", json_text(json_get(c, "kind")), left);
    assert_true(left < tolerance);
    free(q);
    rod_release(&r);
}

static void statics_agree(void **unused)
{
    static const char *const names[] = {"rollup_0.5",
                                        "elastica_0.5",
                                        "elastica_10",
                                        "elastica_axial_compression",
                                        "elastica_5_shear_stretch",
                                        "bend45_300_GA5e6_GJ8.333e5",
                                        "bend45_600_GA5e6_GJ7.05e5",
                                        "bend45_600_kirchhoff",
                                        "gravity_horizontal_0.4",
                                        "dead_10",
                                        "follower_3",
                                        "follower_spatial",
                                        "princeton_F8.896_beta45",
                                        "tendon_6_1_0_2_kirchhoff",
                                        "tendon_6_1_0_2_kirchhoff_gravity",
                                        "tendon_0_8_3_0_full_gravity"};
    json                    *file = rod_reference("statics.json");
    (void)unused;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        case_agrees(json_get(json_get(file, "cases"), names[i]), i < 8 ? 1e-6 : 1e-5);
    for (int i = 0; getenv("ARNE_LONG") && i < json_count(json_get(file, "cases")); i++) {
        const json *one = json_at(json_get(file, "cases"), i);
        case_agrees(one, 1e-5);
    }
    json_free(file);
}

// ---- dynamics ----

// Of a cantilever with rotary inertia and no shear, with so many modes.
static void frequencies_agree(void **unused)
{
    json          *file = rod_reference("dynamics.json");
    const json    *given = json_get(file, "frequencies_steel_slender");
    arne_body_spec rod = round_rod(given, 40);
    double         q[4] = {0}, found[4], shapes[16], expected[4];
    int            count = 0;
    (void)unused;
    memset(rod.flexible.modes, 0, sizeof rod.flexible.modes);
    rod.flexible.modes[ARNE_STRAIN_BEND_Y] = 4;
    held_rod r = rod_clamped(&rod, 0);
    assert_ok(arne_modes(r.robot, r.work, NULL, q, &count, found, shapes, NULL));
    json_numbers(
        json_get(json_get(given, "cantilever_with_m_legendre_curvature_modes_rotary_no_shear"),
                 "4"),
        expected, 4);
    assert_int_equal(count, 4);
    for (int i = 0; i < 4; i++)
        assert_true(fabs(2 * acos(-1) * found[i] / expected[i] - 1) < 5e-6);
    rod_release(&r);
    json_free(file);
}

// Of theory, clamped and free: the first two within 0.1 % with seven modes, the first four with
// ten.
static void frequencies_are_those_of_theory(void **unused)
{
    static const char *const names[] = {"rayleigh_cantilever", "rayleigh_free_free"};
    json                    *file = rod_reference("dynamics.json");
    const json              *given = json_get(file, "frequencies_steel_slender");
    (void)unused;
    for (int is_free = 0; is_free < 2; is_free++)
        for (int modes = 7; modes <= 10; modes += 3) {
            arne_body_spec rod = round_rod(given, 30);
            double         q[MOST + 1] = {0}, found[MOST], shapes[MOST * MOST], expected[4];
            int            count = 0, first = 0;
            const arne_build_options free_base = {.base = ARNE_BASE_FREE};
            memset(rod.flexible.modes, 0, sizeof rod.flexible.modes);
            rod.flexible.modes[ARNE_STRAIN_BEND_Y] = modes;
            held_rod r = {0};
            if (is_free) {
                arne_builder *b = NULL;
                assert_ok(arne_builder_new(&b));
                assert_ok(arne_builder_set_gravity(b, (arne_vec3){0, 0, 0}));
                assert_ok(arne_builder_add_body(b, &rod, NULL));
                assert_ok(arne_builder_finish(b, &free_base, &r.robot, NULL));
                assert_ok(arne_work_new(r.robot, &r.work));
                arne_builder_free(b);
            } else
                r = rod_clamped(&rod, 0);
            arne_neutral(r.robot, q);
            assert_ok(arne_modes(r.robot, r.work, NULL, q, &count, found, shapes, NULL));
            json_numbers(json_get(given, names[is_free]), expected, 4);
            while (first < count && 2 * acos(-1) * fabs(found[first]) < 1)
                first++; // it moves as one body
            for (int i = 0; i < (modes == 7 ? 2 : 4); i++) {
                const double part = 2 * acos(-1) * found[first + i] / expected[i] - 1;
                if (getenv("ARNE_TEST_SHOW"))
                    printf("%s, %d modes, frequency %d: %.1e\n", names[is_free], modes, i + 1,
                           part);
                assert_true(fabs(part) < 1e-3);
            }
            rod_release(&r);
        }
    json_free(file);
}

// ---- refusals ----

static void refused(const arne_body_spec *rod, const char *part)
{
    arne_builder *b = rod_builder();
    arne_robot   *robot = NULL;
    arne_error    error = {0};
    assert_ok(arne_builder_add_body(b, rod, NULL));
    rod_clamp(b, "world", "rod", 0);
    assert_true(arne_builder_finish(b, NULL, &robot, &error) != ARNE_OK);
    if (!strstr(error.text, part)) fail_msg("'%s' has no '%s'", error.text, part);
    arne_builder_free(b);
}

static void bad_rods_are_refused(void **unused)
{
    arne_body_spec rod = rod_unit(2);
    (void)unused;
    rod.flexible.modes[ARNE_STRAIN_BEND_Y] = 9;
    refused(&rod, "only 2 points");
    rod = rod_unit(10);
    rod.flexible.modes[ARNE_STRAIN_BEND_Y] = 2;
    rod.flexible.stiffness[ARNE_STRAIN_BEND_Y] = 0;
    refused(&rod, "no stiffness");
    rod.flexible.stiffness[ARNE_STRAIN_BEND_Y] = 1;
    rod.flexible.viscosity = -1;
    refused(&rod, "damping");
    rod.flexible.viscosity = 0;
    rod.flexible.curvature[1] = 100;
    refused(&rod, "2 pi");
    rod.flexible.curvature[1] = 0;
    rod.flexible.line[1] = 0;
    rod.flexible.modes[ARNE_STRAIN_TWIST] = 1;
    refused(&rod, "rotary");
}

static void nothing_stands_beyond_its_ends(void **unused)
{
    arne_body_spec rod = rod_unit(4), ring = arne_body_spec_default();
    arne_builder  *b = rod_builder();
    arne_robot    *robot = NULL;
    arne_error     error = {0};
    (void)unused;
    rod.flexible.modes[ARNE_STRAIN_BEND_Y] = 1;
    ring.name = "ring";
    assert_ok(arne_builder_add_body(b, &rod, NULL));
    assert_ok(arne_builder_add_body(b, &ring, NULL));
    rod_clamp(b, "world", "rod", 0);
    rod_clamp(b, "rod", "ring", 1.5);
    assert_true(arne_builder_finish(b, NULL, &robot, &error) != ARNE_OK);
    assert_non_null(strstr(error.text, "1.5 m along"));
    arne_builder_free(b);
}

#ifdef ARNE_HAVE_YAML
static const char SOFT[] =
    "name: soft\n"
    "bodies:\n"
    "  - {name: base}\n"
    "  - {name: head, mass: 0.1, inertia: [1e-3, 1e-3, 1e-3, 0, 0, 0]}\n"
    "  - {name: arm, flexible: {length: 0.5, round: 0.01, E: 5e6, nu: 0.5, density: 1100,\n"
    "      viscosity: 300, taper: 0.5, modes: {twist: 1, bend_y: 3}, points: 6}}\n"
    "joints:\n"
    "  - {name: neck, kind: exponential, parent: base, child: head, strains: [bend_y, stretch]}\n"
    "  - {name: clamp, kind: fixed, parent: head, child: arm}\n";

// Read, written and read again: the same robot to the last bit.
static void files_have_rods(void **unused)
{
    const double q[6] = {0.3, 0.01, 0.5, 1, -2, 0.7}, qd[6] = {1, 0.1, 2, 3, 1, -1};
    double       tau[2][6];
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
        assert_true(arne_find_joint(robot, "neck_stretch") >= 0);
        assert_true(arne_find_joint(robot, "arm_bend_y_3") >= 0);
        assert_ok(arne_work_new(robot, &work));
        arne_inverse_dynamics(robot, work, q, qd, qd, NULL, tau[i]);
        if (i == 0)
            assert_ok(arne_robot_text(robot, ARNE_FORMAT_YAML, NULL, NULL, &text, &size, NULL));
        arne_work_free(work);
        arne_robot_free(robot);
        arne_builder_free(b);
    }
    assert_memory_equal(tau[0], tau[1], sizeof tau[0]);
    free(text);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_end_moment_rolls_it_up),
        cmocka_unit_test(weight_bends_it),
        cmocka_unit_test(forward_undoes_inverse),
        cmocka_unit_test(bodies_stand_anywhere),
        cmocka_unit_test(states_agree),
        cmocka_unit_test(statics_agree),
        cmocka_unit_test(frequencies_agree),
        cmocka_unit_test(frequencies_are_those_of_theory),
        cmocka_unit_test(bad_rods_are_refused),
        cmocka_unit_test(nothing_stands_beyond_its_ends),
#ifdef ARNE_HAVE_YAML
        cmocka_unit_test(files_have_rods),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
