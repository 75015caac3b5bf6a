// Torque rates, wrenches of joints and strength where loops, contacts and wrenches of the
// surroundings meet: derivatives by differences, values by differences in time and by the library's
// own dynamics of closed chains, and a small problem for each.
#include "plan/problem/plan.h"
#include "planning.h"
#include "testing.h"
#include <arne/loop.h>
#include <math.h>
#include <stdio.h>

// A wrench that grows, in the axes of the world or of its frame.
static void add_growing(arne_plan *plan, const char *frame, int in_frame)
{
    static const double    table[14] = {0, 3, -5, 2, 1, 0.5, -1, 1, 9, 4, -6, 0, 2, 1};
    const arne_plan_wrench w = {.name = "growing",
                                .frame = arne_find_frame(arne_plan_robot(plan), frame),
                                .point = {0.1, 0.05, 0.02},
                                .in_frame = in_frame,
                                .table = table,
                                .count = 2};
    arne_error             error;
    assert_ok_or(arne_plan_add_wrench(plan, &w, &error), &error);
}

// The torque rate of the plan is how its torques change.
static void rate_is_the_rate(arne_plan *plan, const char *label)
{
    enum { MOST = 64 };
    const int    v = arne_robot_sizes(arne_plan_robot(plan)).v_count;
    const int    rate = plan_quantity_of(plan, ARNE_QUANTITY_TORQUE_RATE);
    const double T = arne_plan_time(plan), h = 1e-4;
    for (int i = 0; i < 5; i++) {
        const double u = 0.07 + 0.19 * i; // at no knot
        double       tau[4][MOST], qd[MOST];
        for (int k = 0; k < 4; k++)
            arne_plan_evaluate(plan, u + h * (k < 2 ? k - 2 : k - 1), NULL, NULL, NULL, NULL,
                               tau[k]);
        arne_plan_evaluate(plan, u, NULL, qd, NULL, NULL, NULL);
        const double *got = plan_values(&plan->now.program->between, rate);
        assert_non_null(got);
        for (int k = 0; k < v; k++) {
            if (fabs(qd[k]) < 1e-9) continue; // dry friction jumps there
            const double want =
                (tau[0][k] - 8 * tau[1][k] + 8 * tau[2][k] - tau[3][k]) / (12 * h * T);
            if (!(fabs(got[k] - want) < 1e-5 * (1 + fabs(want))))
                fail_msg("%s: at %g torque %d changes by %g, not %g", label, u, k, want, got[k]);
        }
    }
}

static void check(arne_plan *plan, const char *label)
{
    rate_is_the_rate(plan, label);
    plan_check_derivatives(plan, label);
    arne_plan_free(plan);
}

// ---- trees

static void an_arm_is_pushed(void **unused)
{
    static const char text[] =
        "robot: arm6.yaml\n"
        "time: 0.9\n"
        "spline: {degree: 5, control_points: 9}\n"
        "wrenches: [{frame: link6, point: [0.1, 0.2, 0], force: [10, -20, 5], moment: [1, 2, 3]}]\n"
        "guess: {joint1: [0.1, 0.7], joint2: [0.2, -0.5], joint3: [0.4, 0.9], joint5: [0.6, 0.2]}\n"
        "constraints: [{quantity: torque_rate, upper: 1e5}]\n"
        "objective: [{quantity: torque_rate, weight: 1e-4}]\n";
    (void)unused;
    for (int in_frame = 0; in_frame < 2; in_frame++) {
        arne_plan *plan = plan_of_text(text);
        add_growing(plan, "link5", in_frame);
        check(plan, in_frame ? "an arm, pushed in its axes" : "an arm, pushed");
    }
}

static const char sliding[] = // the tip glides down a wall
    "robot: planar_2r.yaml\n"
    "time: 0.8\n"
    "spline: {degree: 5, control_points: 12}\n"
    "contacts: [{frame: tip, friction: 0, plane_point: [0.6, 0, 0], plane_normal: [-1, 0, 0],\n"
    "            stays: z}]\n"
    "guess: {joint1: [0.9, 0.2], joint2: [-1.6, -1.2]}\n"
    "constraints:\n"
    "  - {quantity: frame_position, frame: tip, component: y, at: start, equal: 0.3}\n"
    "  - {quantity: frame_position, frame: tip, component: y, at: end, equal: -0.1}\n"
    "  - {quantity: velocity, at: start, equal: 0}\n"
    "  - {quantity: velocity, at: end, equal: 0}\n"
    "  - {quantity: contact_force, contact: tip, component: x, upper: -5}\n";

static void a_contact_pushes(void **unused)
{
    static const char legs[] =
        "robot: quadruped.yaml\n"
        "time: 0.7\n"
        "spline: {degree: 5, control_points: 8}\n"
        "contacts: [{frame: front_left_foot, friction: 0.7}, {frame: rear_right_foot, friction: "
        "0.7}]\n"
        "guess: {base.z: 0.3, front_left_swing: -0.8, front_left_knee: [1.6, 0.4],\n"
        "        rear_right_swing: [-0.8, -0.5], rear_right_knee: [1.6, 1.2]}\n"
        "constraints: [{quantity: torque_rate, joints: [front_left_knee], upper: 1e5}]\n";
    (void)unused;
    check(plan_of_text(legs), "a quadruped");
}

// ---- closed chains

static const char bars[] =
    "robot: ../tests/data/odd_bars.yaml\n"
    "time: 0.6\n"
    "spline: {degree: 5, control_points: 10}\n"
    "wrenches:\n"
    "  - {frame: odd, point: [0.02, 0.03, 0], force: [4, -9, 0]}\n"
    "  - {frame: coupler2, point: [0.1, 0, 0], force: [1, 2, 0], moment: [0, 0, 0.3], axes: "
    "frame}\n"
    "strength:\n"
    "  motor1: {angles: [1, 2, 3], velocities: [-5, 0, 5], between: cubic,\n"
    "           torques: [[12, 9, 5], [14, 10, 6], [11, 8, 4]]}\n"
    "  motor2: {stall: 12, no_load: 14}\n"
    "start: {position: {motor1: 2, motor2: 1}, velocity: 0}\n"
    "end: {position: {motor1: 1.6, motor2: 0.6}, velocity: 0}\n"
    "constraints:\n"
    "  - {quantity: utilisation, joints: [motor1, motor2], lower: -1, upper: 1}\n"
    "  - {quantity: torque_rate, joints: [motor1, motor2], lower: -40, upper: 40}\n"
    "  - {quantity: wrench, joint: elbow1, component: force, upper: 60}\n"
    "objective: [{quantity: torque}, {quantity: jerk, joints: [motor1], weight: 1e-6}]\n";

static void bars_are_pushed(void **unused)
{
    (void)unused;
    for (int in_frame = 0; in_frame < 2; in_frame++) {
        arne_plan *plan = plan_of_text(bars);
        add_growing(plan, "odd", in_frame);
        check(plan, in_frame ? "bars, pushed in their axes" : "bars, pushed");
    }
}

// Torques and wrenches are those of the dynamics of closed chains with the same loads.
static void bars_agree_with_closed_dynamics(void **unused)
{
    arne_plan        *plan = plan_of_text(bars);
    const arne_robot *robot = arne_plan_robot(plan);
    const int         elbow = arne_find_joint(robot, "elbow1"), odd = arne_find_frame(robot, "odd");
    const arne_quantity what = {.kind = ARNE_QUANTITY_WRENCH, .joint = elbow};
    arne_work          *work = NULL;
    arne_loop_work     *loop = NULL;
    int                 wrench;
    (void)unused;
    assert_ok(arne_work_new(robot, &work));
    assert_ok(arne_loop_work_new(robot, &loop));
    assert_ok(arne_plan_add_quantity(plan, &what, &wrench, NULL));
    for (int i = 0; i < 5; i++) {
        double      q[4], qd[4], qdd[4], tau[4], want[4];
        arne_wrench f_ext[16] = {{{0, 0, 0}, {0, 0, 0}}};
        arne_plan_evaluate(plan, 0.07 + 0.19 * i, q, qd, qdd, NULL, tau);
        arne_kinematics(robot, work, q, NULL, NULL);
        const arne_mat3   R = arne_frame_pose(robot, work, odd).R;
        const arne_vec3   f_odd = {4 * R.x.x - 9 * R.x.y, 4 * R.y.x - 9 * R.y.y, 0};
        const arne_wrench at_odd = {f_odd, {0, 0, 0.02 * f_odd.y - 0.03 * f_odd.x}},
                          on_bar = {{1, 2, 0}, {0, 0, 0.3 + 0.1 * 2}};
        arne_add_wrench(robot, odd, &at_odd, f_ext);
        arne_add_wrench(robot, arne_find_frame(robot, "coupler2"), &on_bar, f_ext);
        assert_ok(
            arne_loop_inverse_dynamics(robot, work, loop, q, qd, qdd, f_ext, NULL, want, NULL));
        assert_ok(arne_loop_forces(robot, work, loop, q, qd, qdd, f_ext, want, NULL, NULL, NULL));
        const arne_wrench f = arne_joint_wrench(robot, work, elbow);
        const double     *got = plan_values(&plan->now.program->between, wrench);
        assert_non_null(got);
        for (int k = 0; k < 4; k++)
            assert_true(fabs(tau[k] - want[k]) < 1e-9);
        assert_true(fabs(got[0] - f.lin.x) < 1e-8 && fabs(got[1] - f.lin.y) < 1e-8 &&
                    fabs(got[5] - f.ang.z) < 1e-8);
    }
    arne_loop_work_free(loop);
    arne_work_free(work);
    arne_plan_free(plan);
}

static double most_of(arne_plan *plan, arne_quantity_kind kind, int row)
{
    const int quantity = plan_quantity_of(plan, kind);
    double    most = 0;
    for (int i = 0; i <= 40; i++) {
        arne_plan_evaluate(plan, 0.025 * i, NULL, NULL, NULL, NULL, NULL);
        const double *x = plan_values(&plan->now.program->between, quantity);
        assert_non_null(x);
        most = fmax(most, fabs(x[row]));
    }
    return most;
}

// They move within their strength and within their torque rates, which would be left without.
static void bars_keep_their_limits(void **unused)
{
    arne_plan               *plan = plan_of_text(bars);
    arne_plan_result         result;
    const arne_solve_options options = arne_plan_solver(plan);
    (void)unused;
    if (plan_solved(plan, &options, &result)) {
        assert_true(most_of(plan, ARNE_QUANTITY_UTILISATION, 0) < 1.001);
        assert_true(most_of(plan, ARNE_QUANTITY_UTILISATION, 2) < 1.001);
        const double rate = fmax(most_of(plan, ARNE_QUANTITY_TORQUE_RATE, 0),
                                 most_of(plan, ARNE_QUANTITY_TORQUE_RATE, 2));
        if (!(rate > 39 && rate < 40.4)) fail_msg("the largest rate is %g", rate);
    }
    arne_plan_free(plan);
}

// ---- small problems with contacts and wrenches

// With a contact: torques that change least are smoother than the smallest ones.
static void a_tip_glides(void **unused)
{
    static const char *const aims[2] = {"objective: [{quantity: torque}]\n",
                                        "objective: [{quantity: torque_rate}]\n"};
    double                   most[2] = {1, 0};
    (void)unused;
    for (int i = 0; i < 2; i++) {
        char             text[1600];
        arne_plan_result result;
        snprintf(text, sizeof text, "%s%s", sliding, aims[i]);
        arne_plan               *plan = plan_of_text(text);
        const arne_solve_options options = arne_plan_solver(plan);
        if (plan_solved(plan, &options, &result))
            most[i] = fmax(most_of(plan, ARNE_QUANTITY_TORQUE_RATE, 0),
                           most_of(plan, ARNE_QUANTITY_TORQUE_RATE, 1));
        arne_plan_free(plan);
    }
    if (!(most[1] < 0.9 * most[0])) fail_msg("%g and %g", most[0], most[1]);
}

// Against a wind of 4 N and with a rate of 12 N/s at most 1 kg goes 1 m in cbrt(12 d/j) = 1 s.
static void a_cart_in_the_wind(void **unused)
{
    static const char text[] = "robot: ../tests/data/optima/cart.yaml\n"
                               "time: {start: 1, least: 0.1, most: 9}\n"
                               "spline: {degree: 5, control_points: 20}\n"
                               "wrenches: [{frame: cart, force: [-4, 0, 0]}]\n"
                               "start: {position: 0, velocity: 0}\n"
                               "end: {position: 1, velocity: 0}\n"
                               "constraints: [{quantity: torque_rate, lower: -12, upper: 12}]\n"
                               "objective: [{quantity: time}]\n";
    arne_plan        *plan = plan_of_text(text);
    arne_plan_result  result;
    (void)unused;
    const arne_solve_options options = arne_plan_solver(plan);
    if (plan_solved(plan, &options, &result)) {
        const double want = 1;
        if (fabs(result.T - want) > 1e-3 * want) fail_msg("%.6f s, not %.6f", result.T, want);
    }
    arne_plan_free(plan);
}

// What is not known is refused by name.
static void what_is_not_known(void **unused)
{
    static const double table[14] = {0, 1, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0};
    static const char   text[] = "robot: planar_2r.yaml\n"
                                 "time: {start: 1, least: 0.1, most: 9}\n"
                                 "constraints: [{quantity: torque_rate, upper: 9}]\n";
    arne_plan          *plan = plan_of_text(text);
    arne_plan_wrench    w = {.frame = 1, .table = table, .count = 2};
    arne_error          error;
    (void)unused;
    assert_int_equal(arne_plan_add_wrench(plan, &w, &error), ARNE_UNSUPPORTED);
    assert_non_null(strstr(error.text, "torque_rate"));
    assert_non_null(strstr(error.text, "time that is free"));
    w.count = 1;
    assert_ok(arne_plan_add_wrench(plan, &w, &error));
    arne_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_arm_is_pushed),       cmocka_unit_test(a_contact_pushes),
        cmocka_unit_test(bars_are_pushed),        cmocka_unit_test(bars_agree_with_closed_dynamics),
        cmocka_unit_test(bars_keep_their_limits), cmocka_unit_test(a_tip_glides),
        cmocka_unit_test(a_cart_in_the_wind),     cmocka_unit_test(what_is_not_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
