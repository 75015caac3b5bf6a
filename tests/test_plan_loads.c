// What acts on a robot in a plan, and what its joints can do: wrenches, payloads of some phases,
// impacts, strength. Known optima, inverse dynamics as oracle, derivatives by differences.
#include "testing.h"

#include "planning.h"
#include <stdio.h>

static void check_derivatives(const char *text, const char *label)
{
    arne_plan *plan = plan_of_text(text);
    plan_check_derivatives(plan, label);
    arne_plan_free(plan);
}

// Every quantity that knows loads, on an arm that is pushed and carries something in one phase.
static const char arm[] =
    "robot: arm6.yaml\n"
    "spline: {degree: 4, control_points: 7}\n"
    "phases: [{name: empty, time: 0.5}, {name: full, time: 0.4}]\n"
    "payloads: [{frame: link6, mass: 3, com: [0.1, 0, 0.05], phases: full}]\n"
    "wrenches:\n"
    "  - {frame: link6, point: [0.1, 0.2, 0], force: [10, -20, 5], moment: [1, 2, 3]}\n"
    "  - {frame: link4, point: [0, 0.1, 0], force: [3, 4, -5], moment: [-1, 1, 2], axes: frame,\n"
    "     phases: [full]}\n"
    "strength:\n"
    "  joint2: {angles: [-1, 0, 1, 2], velocities: [-2, 0, 3], between: cubic,\n"
    "           torques: [[150, 120, 60], [180, 140, 70], [170, 150, 40], [120, 90, 30]]}\n"
    "  joint3: {angles: [-2, 0.3, 2], torques: [50, 90, 40], opposite: [70, 60, 30]}\n"
    "  joint4: {stall: 40, no_load: 6}\n"
    "guess: {joint1: [0.1, 0.7], joint2: [0.2, -0.5], joint3: [0.4, 0.9], joint4: [0, 1],\n"
    "        joint5: [0.6, 0.2], joint6: [0, 0.5]}\n"
    "constraints:\n"
    "  - {quantity: torque, limits: true}\n"
    "  - {quantity: power, upper: 1000}\n"
    "  - {quantity: mechanical_power, upper: 1000}\n"
    "  - {quantity: utilisation, joints: [joint2, joint3, joint4], upper: 2}\n"
    "  - {quantity: wrench, joint: joint2, upper: 1e4}\n"
    "  - {quantity: wrench, joint: joint5, component: moment, upper: 1e4}\n"
    "  - {quantity: com_velocity, upper: 1e4}\n"
    "  - {quantity: momentum, upper: 1e4}\n"
    "objective:\n"
    "  - {quantity: utilisation, joints: [joint2, joint3, joint4]}\n"
    "  - {quantity: cost_of_transport, distance: 0.5, weight: 0.1, smooth: 5}\n";

// Contacts, wrenches of joints and an impact, on a robot with a free base.
static const char jumper[] =
    "robot: quadruped.yaml\n"
    "spline: {degree: 4, control_points: 6}\n"
    "phases: [{name: fly, time: {start: 0.3, least: 0.1, most: 1}},\n"
    "         {name: land, impact: yes, time: {start: 0.3, least: 0.1, most: 1}}]\n"
    "contacts:\n"
    "  - {frame: front_left_foot, friction: 0.7}\n"
    "  - {frame: rear_right_foot, friction: 0.7, phases: land}\n"
    "guess: {base.z: 0.3, front_left_swing: -0.8, front_left_knee: [1.6, 0.4],\n"
    "        rear_right_swing: [-0.8, -0.5], rear_right_knee: [1.6, 1.2]}\n"
    "constraints:\n"
    "  - {quantity: wrench, joint: front_left_knee, upper: 1e4}\n"
    "  - {quantity: wrench, joint: rear_right_swing, phase: land, upper: 1e4}\n"
    "  - {quantity: torque, limits: true, joints: front_left_knee}\n"
    "strength: {front_left_knee: {stall: 60, no_load: 20}}\n"
    "objective: [{quantity: acceleration, weight: 1e-3}]\n";

// Forces on frames whose way to the base has joints that follow others.
static const char leg[] =
    "robot: ../tests/data/coupled_leg.yaml\n"
    "spline: {degree: 4, control_points: 7}\n"
    "phases: [{name: fly, time: 0.4}, {name: land, impact: yes, time: 0.5}]\n"
    "contacts:\n"
    "  - {frame: toe, point: [0.05, 0.01, -0.02], friction: 0.7, phases: land}\n"
    "  - {frame: foot, friction: 0.7}\n"
    "  - {frame: shank, point: [0, 0.1, 0], holds: carriage, other_point: [0, 0, 1]}\n"
    "wrenches:\n"
    "  - {frame: toe, point: [0.1, 0.2, 0], force: [10, -20, 5], moment: [1, 2, 3], phases: fly}\n"
    "  - {frame: toe, point: [0, 0.1, 0], force: [3, 4, -5], axes: frame, phases: land}\n"
    "guess: {slide: [0.1, 0.2], hip: [0.2, -0.5], ankle: [0.4, 0.9]}\n"
    "constraints:\n"
    "  - {quantity: torque, upper: 1000}\n"
    "  - {quantity: power, upper: 1000}\n"
    "  - {quantity: torque_rate, upper: 1e5}\n"
    "  - {quantity: wrench, joint: knee, upper: 1e4}\n"
    "  - {quantity: frame_velocity, frame: toe, point: [0.1, 0, 0], component: x, upper: 9}\n"
    "objective: [{quantity: torque}]\n";

// The same behind a rod, whose torques have second derivatives by differences only.
static const char soft[] =
    "robot: ../tests/data/soft_leg.yaml\n"
    "spline: {degree: 4, control_points: 7}\n"
    "phases: [{name: fly, time: 0.4}, {name: land, impact: yes, time: 0.5}]\n"
    "contacts: [{frame: foot, point: [0.05, 0.01, -0.02], friction: 0.7, phases: land}]\n"
    "wrenches: [{frame: foot, point: [0.1, 0.2, 0], force: [10, -20, 5], moment: [1, 2, 3],\n"
    "            phases: fly}]\n"
    "guess: {slide: [0.1, 0.2], swing: [0.2, -0.5], ankle: [0.4, 0.9]}\n"
    "constraints:\n"
    "  - {quantity: torque, upper: 1000}\n"
    "  - {quantity: power, upper: 1000}\n"
    "  - {quantity: mechanical_power, upper: 1000}\n"
    "  - {quantity: torque_rate, upper: 1e5}\n"
    "  - {quantity: wrench, joint: ankle, upper: 1e4}\n"
    "  - {quantity: frame_velocity, frame: foot, point: [0.1, 0, 0], component: x, upper: 9}\n"
    "  - {quantity: com, upper: 9}\n"
    "  - {quantity: momentum, upper: 1e4}\n"
    "objective: [{quantity: torque}]\n";

static void derivatives_are_exact(void **unused)
{
    (void)unused;
    check_derivatives(soft, "a leg with a rod");
    check_derivatives(leg, "a leg with joints that follow");
    check_derivatives(arm, "an arm with loads");
    check_derivatives(jumper, "a jumper with an impact");
}

// Torques of the plan are those of inverse dynamics with the wrench, and with the mass.
static void torques_know_loads(void **unused)
{
    arne_plan        *plan = plan_of_text(arm);
    const arne_robot *robot = arne_plan_robot(plan);
    const int link6 = arne_find_frame(robot, "link6"), link4 = arne_find_frame(robot, "link4");
    const arne_payload load = {.mass = 3, .com = {0.1, 0, 0.05}};
    arne_robot        *loaded = NULL;
    arne_work         *empty_work = NULL, *full_work = NULL;
    arne_error         error;
    (void)unused;
    assert_ok_or(arne_robot_attach(robot, link6, &load, &loaded, &error), &error);
    assert_ok(arne_work_new(robot, &empty_work));
    assert_ok(arne_work_new(loaded, &full_work));
    for (int full = 0; full < 2; full++) {
        const arne_robot *r = full ? loaded : robot;
        arne_work        *w = full ? full_work : empty_work;
        double            q[6], qd[6], qdd[6], tau[6], want[6], J[36];
        arne_wrench       f_ext[16] = {{{0, 0, 0}, {0, 0, 0}}};
        arne_plan_evaluate(plan, full ? 0.8 : 0.3, q, qd, qdd, NULL, tau);
        if (full) { // at the frame's origin: the moment has point x force
            const arne_wrench at4 = {{3, 4, -5}, {-1 + 0.1 * -5, 1, 2 - 0.1 * 3}};
            arne_add_wrench(r, link4, &at4, f_ext);
        }
        arne_inverse_dynamics(r, w, q, qd, qdd, f_ext, want);
        arne_kinematics(r, w, q, NULL, NULL);
        const arne_mat3 R = arne_frame_pose(r, w, link6).R;
        const arne_vec3 a = {0.1 * R.x.x + 0.2 * R.y.x, 0.1 * R.x.y + 0.2 * R.y.y,
                             0.1 * R.x.z + 0.2 * R.y.z};
        const double    six[6] = {
               10, -20, 5, 1 + a.y * 5 - a.z * -20, 2 + a.z * 10 - a.x * 5, 3 + a.x * -20 - a.y * 10};
        arne_jacobian(r, w, q, link6, ARNE_AXES_ALIGNED, J);
        for (int k = 0; k < 6; k++) {
            for (int i = 0; i < 6; i++)
                want[k] -= J[6 * i + k] * six[i];
            assert_true(fabs(want[k] - tau[k]) < 1e-9);
        }
    }
    arne_work_free(empty_work);
    arne_work_free(full_work);
    arne_robot_free(loaded);
    arne_plan_free(plan);
}

// ---- a mass on a rail: optima by hand

static const char rail[] =
    "bodies:\n"
    "  - {name: ground}\n"
    "  - {name: cart, mass: 2, com: [0, 0, 0]}\n"
    "joints:\n"
    "  - {name: rail, kind: prismatic, parent: ground, child: cart, axis: [1, 0, 0],\n"
    "     limits: {effort: 10}}\n";

static arne_robot *cart(void)
{
    arne_builder *builder = NULL;
    arne_error    error;
    assert_ok(arne_builder_new(&builder));
    assert_ok_or(arne_read_yaml(builder, rail, strlen(rail), "rail.yaml", &error), &error);
    arne_robot *robot = finish(builder, NULL);
    arne_builder_free(builder);
    return robot;
}

static void bound(arne_plan *plan, arne_quantity_kind kind, double from, double to, double lower,
                  double upper, int rows)
{
    const double          low[2] = {lower, lower}, high[2] = {upper, upper};
    arne_error            error;
    const arne_constraint c = {.name = "bound",
                               .quantity = plan_quantity_of(plan, kind),
                               .row_count = rows,
                               .lower = low,
                               .upper = high,
                               .from = from,
                               .to = to,
                               .other = -1};
    assert_ok_or(arne_plan_add_constraint(plan, &c, &error), &error);
}

// One metre in the least time.
static arne_plan *least_time(const arne_robot *robot, int stops)
{
    const arne_plan_options options = {
        .control_points = 60, .time = 1, .time_least = 0.1, .time_most = 9};
    arne_plan *plan = NULL;
    assert_ok(arne_plan_new(robot, &options, &plan, NULL));
    bound(plan, ARNE_QUANTITY_POSITION, 0, 0, 0, 0, 1);
    bound(plan, ARNE_QUANTITY_POSITION, 1, 1, 1, 1, 1);
    bound(plan, ARNE_QUANTITY_VELOCITY, 0, 0, 0, 0, 1);
    if (stops) bound(plan, ARNE_QUANTITY_VELOCITY, 1, 1, 0, 0, 1);
    arne_plan_start_line(plan, 0, 0, 1);
    arne_plan_add_time(plan, 1);
    return plan;
}

static double solved_time(arne_plan *plan)
{
    arne_plan_result         result;
    const arne_solve_options options = {.refine = -1};
    if (!plan_solved(plan, &options, &result)) return -1;
    arne_plan_free(plan);
    return result.T;
}

// Against a wind of 4 N a force of at most 10 N gives 3 m/s^2 at most, and brakes with 7.
static void wind_on_a_cart(void **unused)
{
    const double           table[7] = {0, -4, 0, 0, 0, 0, 0};
    arne_robot            *robot = cart();
    arne_plan             *plan = least_time(robot, 1);
    const arne_plan_wrench wind = {
        .name = "wind", .frame = arne_find_frame(robot, "cart"), .table = table, .count = 1};
    (void)unused;
    assert_ok(arne_plan_add_wrench(plan, &wind, NULL));
    bound(plan, ARNE_QUANTITY_TORQUE, 0, 1, -10, 10, 1);
    const double T = solved_time(plan), want = sqrt(2 * (3.0 + 7.0) / (3.0 * 7.0));
    if (T > 0 && fabs(T - want) > 2e-3 * want) fail_msg("%.6f s, not %.6f", T, want);
    arne_robot_free(robot);
}

// A motor of 10 N at rest and 0 N at 2 m/s: x = v0 t - v0 c (1 - exp(-t/c)), c = m v0/F = 0.4 s.
static void a_torque_speed_line(void **unused)
{
    const arne_strength line = {.stall = 10, .no_load = 2};
    arne_robot         *robot = cart();
    arne_plan          *plan = least_time(robot, 0);
    double              want = 1;
    (void)unused;
    assert_ok(arne_plan_set_strength(plan, 0, &line, NULL));
    bound(plan, ARNE_QUANTITY_MARGIN, 0, 1, 0, INFINITY, 2);
    for (int i = 0; i < 50; i++) // Newton's
        want -= (2 * want - 0.8 * (1 - exp(-want / 0.4)) - 1) / (2 - 2 * exp(-want / 0.4));
    const double T = solved_time(plan);
    if (T > 0 && fabs(T - want) > 1e-3 * want) fail_msg("%.6f s, not %.6f", T, want);
    arne_robot_free(robot);
}

// A table that says the same as the line, cubic between its points.
static void a_table_of_strength(void **unused)
{
    const double        velocities[3] = {-2, 0, 2}, torques[3] = {20, 10, 0};
    const arne_strength table = {
        .velocities = velocities, .velocity_count = 3, .torques = torques, .cubic = 1};
    arne_robot *robot = cart();
    arne_plan  *plan = least_time(robot, 0);
    double      want = 1;
    (void)unused;
    assert_ok(arne_plan_set_strength(plan, 0, &table, NULL));
    bound(plan, ARNE_QUANTITY_MARGIN, 0, 1, 0, INFINITY, 2);
    for (int i = 0; i < 50; i++)
        want -= (2 * want - 0.8 * (1 - exp(-want / 0.4)) - 1) / (2 - 2 * exp(-want / 0.4));
    const double T = solved_time(plan);
    if (T > 0 && fabs(T - want) > 1e-3 * want) fail_msg("%.6f s, not %.6f", T, want);
    arne_robot_free(robot);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

// A wrench from a file is a straight line between its rows, over the motion or over a phase.
static void wrenches_from_a_file(void **unused)
{
    static const char *const ways[2] = {"", ", phases: b"};
    // At a quarter, half and three quarters of the motion; phase b begins at the quarter.
    static const double want[2][3] = {{4, 8, 8}, {0, 16.0 / 3, 8}};
    (void)unused;
    write_text("build/test_plan_loads.csv", "part,fx [N],mz\n0,0,0\n0.5,-8,0\n1,-8,0\n");
    write_text("build/test_plan_loads_cart.yaml", rail);
    for (int i = 0; i < 2; i++) {
        char       text[400];
        arne_plan *plan = NULL;
        arne_error error;
        snprintf(text, sizeof text,
                 "robot: test_plan_loads_cart.yaml\n"
                 "phases: [{name: a, time: 1}, {name: b, time: 3}]\n"
                 "wrenches: [{frame: cart, file: test_plan_loads.csv%s}]\n",
                 ways[i]);
        assert_ok_or(
            arne_plan_read_yaml(text, strlen(text), "build/problem.yaml", NULL, &plan, &error),
            &error);
        for (int k = 0; k < 3; k++) {
            double tau;
            arne_plan_evaluate(plan, 0.25 * (k + 1), NULL, NULL, NULL, NULL, &tau);
            assert_true(fabs(tau - want[i][k]) < 1e-9);
        }
        arne_plan_free(plan);
    }
    remove("build/test_plan_loads.csv");
    remove("build/test_plan_loads_cart.yaml");
}

// Strength and fatigue in the robot's file: known to plans, and mistakes are told with its lines.
static void strength_in_the_robot_file(void **unused)
{
    static const char problem[] = "robot: test_plan_loads_robot.yaml\n"
                                  "constraints: [{quantity: utilisation, upper: 1}]\n"
                                  "repeat: 3\n";
    char              text[600];
    (void)unused;
    for (int good = 0; good < 2; good++) {
        arne_plan *plan = NULL;
        arne_error error;
        snprintf(text, sizeof text,
                 "%sstrength: {%s: {stall: 10, no_load: 2}}\n"
                 "fatigue: {rail: {fatigue: 0.01, recovery: 0.002}}\n",
                 rail, good ? "rail" : "rial");
        write_text("build/test_plan_loads_robot.yaml", text);
        const arne_status status = arne_plan_read_yaml(problem, sizeof problem - 1,
                                                       "build/problem.yaml", NULL, &plan, &error);
        if (good)
            assert_ok_or(status, &error);
        else {
            assert_int_equal(status, ARNE_NOT_FOUND);
            assert_non_null(strstr(error.text, "rial"));
            assert_non_null(strstr(error.file, "test_plan_loads_robot.yaml"));
        }
        arne_plan_free(plan);
    }
    remove("build/test_plan_loads_robot.yaml");
}

// ---- impacts

// The tip of an arm hits a wall that it holds on to: what it had of momentum across the wall goes.
static const char slap[] =
    "robot: planar_2r.yaml\n"
    "phases: [{name: swing, time: 0.4}, {name: held, impact: yes, time: 0.3}]\n"
    "contacts: [{frame: tip, friction: 2, plane_point: [0.6, 0, 0], plane_normal: [-1, 0, 0],\n"
    "            phases: held, stays: xy}]\n"
    "start: {position: {joint1: 0.8, joint2: 1.2}, velocity: 0}\n"
    "constraints:\n"
    "  - {quantity: frame_velocity, frame: tip, component: x, phase: swing, at: end, equal: 0.5}\n"
    "  - {quantity: position, joints: joint2, upper: -0.2, phase: held, at: start}\n"
    "objective: [{quantity: torque}]\n";

static void an_arm_hits_a_wall(void **unused)
{
    arne_plan        *plan = plan_of_text(slap);
    const arne_robot *robot = arne_plan_robot(plan);
    arne_work        *work = NULL;
    arne_plan_result  result;
    double            q[2], before[2], after[2], M[4], J[12], energy[2] = {0, 0}, jump[2];
    (void)unused;
    const arne_solve_options options = arne_plan_solver(plan);
    if (!plan_solved(plan, &options, &result)) {
        arne_plan_free(plan);
        return;
    }
    assert_ok(arne_work_new(robot, &work));
    arne_plan_evaluate(plan, 4 / 7.0 - 1e-9, q, before, NULL, NULL, NULL);
    arne_plan_evaluate(plan, 4 / 7.0, q, after, NULL, NULL, NULL);
    arne_mass_matrix(robot, work, q, M);
    arne_jacobian(robot, work, q, arne_find_frame(robot, "tip"), ARNE_AXES_ALIGNED, J);
    for (int i = 0; i < 2; i++) {
        const double v = J[2 * i] * before[0] + J[2 * i + 1] * before[1];
        const double w = J[2 * i] * after[0] + J[2 * i + 1] * after[1];
        assert_true(fabs(w) < 1e-6);            // it stays
        assert_true(i || fabs(v - 0.5) < 1e-6); // and came with this
        jump[i] = M[2 * i] * (after[0] - before[0]) + M[2 * i + 1] * (after[1] - before[1]);
        for (int k = 0; k < 2; k++) {
            energy[0] += 0.5 * before[i] * M[2 * i + k] * before[k];
            energy[1] += 0.5 * after[i] * M[2 * i + k] * after[k];
        }
    }
    // The impulse that makes this jump: across the wall against the arm, and inside the cone.
    const double det = J[0] * J[3] - J[1] * J[2];
    const double x = (J[3] * jump[0] - J[2] * jump[1]) / det,
                 y = (-J[1] * jump[0] + J[0] * jump[1]) / det;
    assert_true(x < 0);
    assert_true(fabs(y) <= 2 * -x + 1e-6);
    assert_true(energy[1] < energy[0]);
    arne_work_free(work);
    arne_plan_free(plan);
}

// A cart of 1 kg that rolls freely catches 3 kg that lie still: a quarter of its velocity is left.
static void a_mass_is_caught(void **unused)
{
    static const char text[] =
        "robot: cart.yaml\n"
        "phases: [{name: empty, time: 1}, {name: full, time: 1, impact: yes}]\n"
        "payloads: [{frame: cart, mass: 3, phases: full}]\n"
        "start: {position: 0, velocity: 2}\n"
        "constraints: [{quantity: torque, equal: 0}]\n";
    arne_plan       *plan = NULL;
    arne_plan_result result;
    arne_error       error;
    double           x, v;
    (void)unused;
    assert_ok_or(arne_plan_read_yaml(text, strlen(text),
                                     ARNE_ROBOTS_DIR "/../tests/data/optima/problem.yaml", NULL,
                                     &plan, &error),
                 &error);
    if (plan_solved(plan, NULL, &result)) {
        arne_plan_evaluate(plan, 1, &x, &v, NULL, NULL, NULL);
        assert_true(fabs(v - 0.5) < 1e-9);
        assert_true(fabs(x - 2.5) < 1e-9);
    }
    arne_plan_free(plan);
}

// ---- shapes of the robot's file

// Boxes and points stand as their corners and points do; balls roll, and are refused.
static void shapes_stand(void **unused)
{
    static const char feet[] = "robot: humanoid.yaml\n"
                               "base: free\n"
                               "contacts: [{shape: left_foot, friction: 0.8}]\n";
    static const char ball[] = "robot: quadruped.yaml\n"
                               "base: free\n"
                               "contacts: [{shape: rear_left_foot, friction: 0.8}]\n";
    arne_plan        *plan = plan_of_text(feet);
    arne_error        error;
    (void)unused;
    // Four corners have a force each: their weight is shared where the search starts.
    const double weight = 9.81 * arne_total_mass(arne_plan_robot(plan));
    for (int i = 0; i < 4; i++)
        (void)arne_plan_contact_force(plan, 0.5, i);
    plan_check_derivatives(plan, "feet");
    for (int i = 0; i < 4; i++)
        assert_true(fabs(arne_plan_contact_force(plan, 0.5, i).z - weight / 4) < 1e-6 * weight);
    arne_plan_free(plan);
    plan = NULL;
    assert_true(arne_plan_read_yaml(ball, strlen(ball), ARNE_ROBOTS_DIR "/problem.yaml", NULL,
                                    &plan, &error) == ARNE_UNSUPPORTED);
    assert_non_null(strstr(error.text, "sphere"));
}

// ---- bad input

typedef struct heard_all {
    char   text[4000];
    size_t used;
} heard_all;

static void hear(void *context, const arne_error *error)
{
    heard_all *all = context;
    if (all->used < sizeof all->text)
        all->used += (size_t)snprintf(all->text + all->used, sizeof all->text - all->used,
                                      "%d: %s\n", error->line, error->text);
}

static void bad_files_say_all(void **unused)
{
    static const char        text[] = "robot: planar_2r.yaml\n"
                                      "wrenches:\n"
                                      "  - {frame: nowhere, force: [1, 0, 0]}\n"
                                      "  - {frame: tip}\n"
                                      "  - {frame: tip, force: [1, 0, 0], phases: [flight]}\n"
                                      "payloads: [{frame: tip, mass: 1, phases: lift}]\n"
                                      "strength:\n"
                                      "  joint1: {angles: [0, 1], torques: [1, 2, 3]}\n"
                                      "  joint2: {stall: 3}\n"
                                      "  joint9: {torques: [4]}\n"
                                      "objective: [{quantity: cost_of_transport}]\n";
    static const char *const words[] = {
        "nowhere", "force, moment or file", "flight", "lift", "torques", "no_load", "joint9",
        "distance"};
    heard_all                all = {0};
    const arne_build_options options = {.fail = hear, .fail_context = &all};
    arne_plan               *plan = NULL;
    arne_error               error;
    (void)unused;
    assert_true(arne_plan_read_yaml(text, strlen(text), ARNE_ROBOTS_DIR "/problem.yaml", &options,
                                    &plan, &error) != ARNE_OK);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strstr(all.text, words[i])) fail_msg("nothing of '%s' in\n%s", words[i], all.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_exact),
        cmocka_unit_test(torques_know_loads),
        cmocka_unit_test(wind_on_a_cart),
        cmocka_unit_test(a_torque_speed_line),
        cmocka_unit_test(a_table_of_strength),
        cmocka_unit_test(an_arm_hits_a_wall),
        cmocka_unit_test(bad_files_say_all),
        cmocka_unit_test(shapes_stand),
        cmocka_unit_test(a_mass_is_caught),
        cmocka_unit_test(wrenches_from_a_file),
        cmocka_unit_test(strength_in_the_robot_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
