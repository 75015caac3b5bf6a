// Air and water: propellers, thrusters, wings, buoyancy and added mass obey the laws they are made
// of.
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>

static arne_robot *robot_of(const char *text)
{
    arne_builder *builder;
    arne_robot   *robot = NULL;
    arne_error    error = {0};
    assert_int_equal(arne_builder_new(&builder), ARNE_OK);
    arne_status status = arne_read_yaml(builder, text, strlen(text), "test.yaml", &error);
    if (!status) status = arne_builder_finish(builder, NULL, &robot, &error);
    arne_builder_free(builder);
    if (!robot) fail_msg("%s", error.text);
    return robot;
}

static const char *const BODY = "base: free\nbodies: [{name: hull, mass: 2, com: [0.05, 0, -0.02], "
                                "inertia: [0.02, 0.05, 0.06]}]\n";

typedef struct end {
    double                  q[MAX_Q], qd[MAX_V];
    arne_simulation_summary summary;
} end;

// Runs and reads the last row back: q and qd stand behind time in the robot's order.
static end run(arne_simulation_spec sim)
{
    end         e = {0};
    arne_table *table = NULL;
    arne_error  error = {0};
    const int   nq = arne_robot_sizes(sim.robot).q_count, nv = arne_robot_sizes(sim.robot).v_count;
    sim.record = ARNE_RECORD_Q | ARNE_RECORD_QD;
    sim.integrator.method =
        sim.integrator.method ? sim.integrator.method : ARNE_METHOD_DORMAND_PRINCE;
    if (arne_simulate(&sim, NULL, NULL, &table, &e.summary, &error)) fail_msg("%s", error.text);
    const double *row = arne_table_row(table, arne_table_rows(table) - 1);
    for (int i = 0; i < nq; i++)
        e.q[i] = row[1 + i];
    for (int i = 0; i < nv; i++)
        e.qd[i] = row[1 + nq + i];
    arne_table_free(table);
    return e;
}

static void assert_near(double x, double wanted, double within)
{
    if (!(fabs(x - wanted) <= within)) fail_msg("%.12g, wanted %.12g", x, wanted);
}

static void body_in_water_falls_slowly(void **unused)
{
    arne_robot *robot =
        robot_of("base: free\nbodies: [{name: ball, mass: 2, inertia: [0.01, 0.01, 0.01]}]\n");
    arne_surrounding water[2] = {
        {.kind = ARNE_SURROUNDING_BUOYANCY, .density = 1000, .volume = 1.5e-3},
        {.kind = ARNE_SURROUNDING_ADDED_MASS}};
    for (int i = 0; i < 3; i++)
        water[1].added[i * 7] = 0.75; // half of the water that a ball displaces
    const arne_simulation_spec sim = {
        .robot = robot, .duration = 1, .surroundings = water, .surrounding_count = 2};
    const end e = run(sim);
    (void)unused;
    assert_near(e.qd[2], -9.81 * (2 - 1.5) / (2 + 0.75), 1e-9);
    assert_true(e.summary.energy_residual < 1e-8);
    arne_robot_free(robot);
}

static arne_vec3 turned(const double *h, arne_vec3 a)
{
    const double x = h[0], y = h[1], z = h[2], w = h[3];
    return (arne_vec3){
        (1 - 2 * (y * y + z * z)) * a.x + 2 * (x * y - w * z) * a.y + 2 * (x * z + w * y) * a.z,
        2 * (x * y + w * z) * a.x + (1 - 2 * (x * x + z * z)) * a.y + 2 * (y * z - w * x) * a.z,
        2 * (x * z - w * y) * a.x + 2 * (y * z + w * x) * a.y + (1 - 2 * (x * x + y * y)) * a.z};
}

// Kirchhoff: the impulse of body and water stays as it is in the world, and so does the energy of
// both.
static void impulse_and_energy(const double *M, const double *q, const double *qd, arne_vec3 *p,
                               double *energy)
{
    double h[6] = {0};
    *energy = 0;
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) {
            h[i] += M[i * 6 + k] * qd[k];
            *energy += 0.5 * qd[i] * M[i * 6 + k] * qd[k];
        }
    *p = turned(q + 3, (arne_vec3){h[0], h[1], h[2]});
}

static void water_keeps_impulse_and_energy(void **unused)
{
    char text[400];
    snprintf(text, sizeof text, "gravity: [0, 0, 0]\n%s", BODY);
    arne_robot      *robot = robot_of(text);
    arne_surrounding water = {.kind = ARNE_SURROUNDING_ADDED_MASS};
    const double     diagonal[6] = {0.3, 1.8, 2.5, 0.01, 0.04, 0.03};
    for (int i = 0; i < 6; i++)
        water.added[i * 7] = diagonal[i];
    water.added[1 * 6 + 5] = water.added[5 * 6 + 1] = 0.05;
    const double q[7] = {0, 0, 0, 0, 0, 0, 1}, qd[6] = {1.2, 0.4, -0.3, 0.5, -1.1, 0.7};
    const arne_simulation_spec sim = {.robot = robot,
                                      .duration = 3,
                                      .q = q,
                                      .qd = qd,
                                      .surroundings = &water,
                                      .surrounding_count = 1};
    const end                  e = run(sim);
    double                     M[36], energy[2];
    arne_vec3                  p[2];
    arne_work                 *work;
    (void)unused;
    assert_int_equal(arne_work_new(robot, &work), ARNE_OK);
    arne_mass_matrix(robot, work, q, M);
    for (int i = 0; i < 36; i++)
        M[i] += water.added[i];
    impulse_and_energy(M, q, qd, &p[0], &energy[0]);
    impulse_and_energy(M, e.q, e.qd, &p[1], &energy[1]);
    assert_near(energy[1], energy[0], 1e-7);
    assert_near(p[1].x, p[0].x, 1e-7);
    assert_near(p[1].y, p[0].y, 1e-7);
    assert_near(p[1].z, p[0].z, 1e-7);
    assert_true(fabs(e.qd[1] - qd[1]) + fabs(e.qd[2] - qd[2]) + fabs(e.qd[4] - qd[4]) > 0.3);
    assert_true(e.summary.energy_residual < 1e-7);
    arne_work_free(work);
    arne_robot_free(robot);
}

// A plate that falls flat goes at the speed where its drag is its weight; an edge feels nothing; at
// 45 degrees lift is drag.
static void wing_is_a_flat_plate(void **unused)
{
    arne_robot *robot =
        robot_of("base: free\nbodies: [{name: plate, mass: 0.5, inertia: [0.01, 0.01, 0.02]}]\n");
    arne_surrounding air = {
        .kind = ARNE_SURROUNDING_WING, .density = 1.2, .area = 0.2, .normal = {0, 0, 1}};
    arne_simulation_spec sim = {
        .robot = robot, .duration = 20, .surroundings = &air, .surrounding_count = 1};
    (void)unused;
    assert_near(run(sim).qd[2], -sqrt(0.5 * 9.81 / (1.2 * 0.2)), 1e-6);
    air.normal = (arne_vec3){1, 0, 0};
    sim.duration = 1;
    assert_near(run(sim).qd[2], -9.81, 1e-9);
    air.normal = (arne_vec3){1, 0, 1};
    air.wind = (arne_vec3){0, 0, 5};
    sim.duration = 1e-4;
    const end e = run(sim);
    assert_near(e.qd[0] / 1e-4, 1.2 * 0.2 * 25 * 0.5 / 0.5, 1e-2);
    assert_near(e.qd[2] / 1e-4, 1.2 * 0.2 * 25 * 0.5 / 0.5 - 9.81, 1e-2);
    arne_robot_free(robot);
}

// A propeller without a motor slows down as 1 / (1 + d w0 t / J), and what it thrusts is on its
// base.
static void propeller_slows_down(void **unused)
{
    arne_robot *robot = robot_of(
        "gravity: [0, 0, 0]\nbase: fixed\nbodies: [{name: post}, {name: cart, mass: 3, inertia: "
        "[1, 1, 1]}, {name: rotor, mass: 0.1, inertia: [1e-3, 1e-3, 2e-3]}]\n"
        "joints:\n  - {name: rail, kind: prismatic, parent: post, child: cart, axis: [0, 0, 1]}\n"
        "  - {name: spin, kind: continuous, parent: cart, child: rotor, axis: [0, 0, 1]}\n");
    arne_surrounding     air = {.kind = ARNE_SURROUNDING_PROPELLER,
                                .frame = arne_find_frame(robot, "rotor"),
                                .thrust = 1e-4,
                                .drag_torque = 2e-6};
    const double         q[2] = {0, 0}, qd[2] = {0, 200};
    arne_simulation_spec sim = {.robot = robot,
                                .duration = 2,
                                .q = q,
                                .qd = qd,
                                .surroundings = &air,
                                .surrounding_count = 1};
    (void)unused;
    const double c = 2e-6 / 2e-3, w = 200 / (1 + c * 200 * 2);
    end          e = run(sim);
    assert_near(e.qd[1], w, 1e-6);
    assert_near(e.qd[0], 1e-4 / 3.1 * 200 / c * (1 - w / 200), 1e-6);
    air.left_handed = 1;
    e = run(sim);
    assert_near(e.qd[0], -1e-4 / 3.1 * 200 / c * (1 - w / 200), 1e-6);
    arne_robot_free(robot);
}

static void thruster_gives_its_impulse(void **unused)
{
    arne_robot *robot = robot_of(
        "gravity: [0, 0, 0]\nbase: free\nbodies: [{name: m, mass: 4, inertia: [1, 1, 1]}]\n");
    arne_surrounding     jet = {.kind = ARNE_SURROUNDING_THRUSTER,
                                .normal = {0, 2, 0},
                                .force = 8,
                                .start = 0.25,
                                .duration = 0.5};
    arne_simulation_spec sim = {
        .robot = robot, .duration = 1, .surroundings = &jet, .surrounding_count = 1};
    sim.integrator.method = ARNE_METHOD_RK4;
    sim.integrator.step = 1.0 / 64;
    (void)unused;
    assert_near(run(sim).qd[1], 1, 0.05);
    arne_robot_free(robot);
}

// What joints of an arm in water transmit about their axes is what drives them, here nothing; the
// water is part of it.
static void joints_carry_the_water(void **unused)
{
    arne_robot *robot = robot_of(
        "bodies: [{name: a}, {name: b, mass: 1, com: [0.3, 0, 0], inertia: [0.1, 0.2, 0.3]}, "
        "{name: c, mass: 2, com: [0, 0, 0.2], inertia: [0.1, 0.1, 0.2]}]\n"
        "joints: [{name: i, kind: revolute, parent: a, child: b, axis: [0, 0, 1]}, "
        "{name: j, kind: revolute, parent: b, child: c, axis: [0, 1, 0], origin: {xyz: [0.5, 0, "
        "0]}}]\n");
    arne_surrounding        water = {.kind = ARNE_SURROUNDING_ADDED_MASS, .frame = 2};
    const double            q[2] = {0.3, -0.4}, qd[2] = {1, 2};
    arne_simulation_spec    sim = {.robot = robot,
                                   .duration = 0.5,
                                   .q = q,
                                   .qd = qd,
                                   .record = ARNE_RECORD_WRENCH,
                                   .surroundings = &water,
                                   .surrounding_count = 1};
    arne_table             *table = NULL;
    arne_simulation_summary summary;
    arne_error              error = {0};
    (void)unused;
    for (int i = 0; i < 6; i++)
        water.added[i * 7] = i < 3 ? 1 + i : 0.1 * i;
    sim.integrator.method = ARNE_METHOD_DORMAND_PRINCE;
    if (arne_simulate(&sim, NULL, NULL, &table, &summary, &error)) fail_msg("%s", error.text);
    double largest = 0;
    for (int r = 0; r < arne_table_rows(table); r++) {
        const double *wrench = arne_table_row(table, r) + arne_table_columns(table) - 12;
        assert_near(wrench[5], 0, 1e-9);  // about z of the first
        assert_near(wrench[10], 0, 1e-9); // about y of the second
        largest = fmax(largest, fabs(wrench[0]));
    }
    assert_true(largest > 1);
    arne_table_free(table);
    arne_robot_free(robot);
}

static void added_mass_is_refused_with_loops_and_sticking(void **unused)
{
    arne_robot *robot = robot_of(
        "bodies: [{name: a}, {name: b, mass: 1, inertia: [1, 1, 1]}]\n"
        "joints: [{name: j, kind: revolute, parent: a, child: b, friction: {coulomb: 1}}]\n");
    arne_surrounding     water = {.kind = ARNE_SURROUNDING_ADDED_MASS, .frame = 1};
    arne_simulation_spec sim = {
        .robot = robot, .duration = 0.1, .surroundings = &water, .surrounding_count = 1};
    arne_table             *table = NULL;
    arne_simulation_summary summary;
    arne_error              error = {0};
    (void)unused;
    sim.integrator.method = ARNE_METHOD_DORMAND_PRINCE;
    assert_int_equal(arne_simulate(&sim, NULL, NULL, &table, &summary, &error), ARNE_UNSUPPORTED);
    assert_non_null(strstr(error.text, "friction"));
    arne_table_free(table);
    sim.stiction = ARNE_STICTION_SMOOTH;
    assert_int_equal(arne_simulate(&sim, NULL, NULL, &table, &summary, &error), ARNE_OK);
    arne_table_free(table);
    arne_surrounding both[2] = {water, {.kind = ARNE_SURROUNDING_GROUND}};
    both[1].surface = (arne_surface){.model = ARNE_CONTACT_RIGID, .friction = 0.5};
    sim.surroundings = both;
    sim.surrounding_count = 2;
    sim.integrator.method = ARNE_METHOD_EULER;
    sim.integrator.step = 1e-3;
    assert_int_equal(arne_simulate(&sim, NULL, NULL, &table, &summary, &error), ARNE_UNSUPPORTED);
    assert_non_null(strstr(error.text, "rigid contact"));
    sim.surroundings = &water;
    sim.surrounding_count = 1;
    water.added[0] = -1;
    assert_int_equal(arne_simulate(&sim, NULL, NULL, &table, &summary, &error), ARNE_VALUE);
    arne_robot_free(robot);
}

static void bad_surroundings_are_refused(void **unused)
{
    static const struct {
        const char *row, *says;
    } bad[] = {
        {"{type: propeller, frame: frame, thrust: 1e-5}", "a propeller is a link that a joint"},
        {"{type: propeller, frame: front}", "thrust is missing"},
        {"{type: wing, frame: frame, area: -1}", "area must be positive"},
        {"{type: added_mass, frame: frame, mass: [1, 1, -1, 0, 0, 0]}", "must be symmetric"},
        {"{type: buoyancy, frame: nowhere, volume: 1}", "no link or frame"},
        {"{type: thruster, frame: frame}", "force is missing"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char           text[500];
        arne_scenario *scenario = NULL;
        arne_error     error = {0};
        snprintf(text, sizeof text, "robot: %s\nduration: 1\nsurroundings:\n  - %s\n",
                 ARNE_ROBOTS_DIR "/../examples/quadrotor/quadrotor.yaml", bad[i].row);
        assert_int_not_equal(
            arne_scenario_read_yaml(text, strlen(text), "bad.yaml", NULL, &scenario, &error),
            ARNE_OK);
        if (!strstr(error.text, bad[i].says) || error.line != 4)
            fail_msg("%s: line %d: %s", bad[i].row, error.line, error.text);
        assert_null(scenario);
    }
}

// A mass on a tendon of length 1 + q swings and dies out as a spring with a damper does, alone and
// with muscles as the controller: the tendon acts once.
static void tendons_swing(void **unused)
{
    (void)unused;
    arne_robot *robot = robot_of(
        "gravity: [0, 0, 0]\nbodies: [{name: base, mass: 0}, {name: m, mass: 2}]\n"
        "joints: [{name: z, kind: prismatic, parent: base, child: m, axis: [0, 0, 1]}]\n"
        "muscles: [{name: t, law: tendon, slack: [1, 1], elastic: [50, 0, 0], "
        "viscous: [0.4, 0, 0], points: [{link: base, position: [0, 0, -1]}, {link: m}]}]\n");
    const double         q0 = 0.1, d = 0.1, w = sqrt(25 - d * d), t = 0.9;
    arne_muscle_drive    drive = {.size = sizeof drive};
    arne_controller     *muscles = NULL;
    arne_simulation_spec sim = {.robot = robot, .duration = t, .q = &q0};
    assert_int_equal(arne_controller_muscles(robot, &drive, &muscles, NULL), ARNE_OK);
    for (int k = 0; k < 2; k++) {
        sim.controller = k ? muscles : NULL;
        const end e = run(sim);
        assert_near(e.q[0], q0 * exp(-d * t) * (cos(w * t) + d / w * sin(w * t)), 1e-9);
        assert_true(e.summary.energy_residual < 1e-8);
    }
    arne_controller_free(muscles);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tendons_swing),
        cmocka_unit_test(body_in_water_falls_slowly),
        cmocka_unit_test(water_keeps_impulse_and_energy),
        cmocka_unit_test(wing_is_a_flat_plate),
        cmocka_unit_test(propeller_slows_down),
        cmocka_unit_test(thruster_gives_its_impulse),
        cmocka_unit_test(joints_carry_the_water),
        cmocka_unit_test(added_mass_is_refused_with_loops_and_sticking),
        cmocka_unit_test(bad_surroundings_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
