// Plans of robots with joints that nothing drives: a passive pendulum on a cart, and a motor behind
// a spring.
#include "testing.h"

#include "planning.h"
#include <stdio.h>

static arne_robot *cart_pole(int passive)
{
    static const char text[] = "bodies:\n"
                               "  - name: rail\n"
                               "  - {name: cart, mass: 1}\n"
                               "  - {name: pole, mass: 0.3, com: [0, 0, -0.5]}\n"
                               "joints:\n"
                               "  - {name: slide, kind: prismatic, parent: rail, child: cart,\n"
                               "     axis: [1, 0, 0]}\n"
                               "  - {name: swing, kind: revolute, parent: cart, child: pole,\n"
                               "     axis: [0, -1, 0]%s}\n";
    char              yaml[sizeof text + 32];
    arne_builder     *builder = NULL;
    arne_error        error;
    snprintf(yaml, sizeof yaml, text, passive ? ", passive: true" : "");
    assert_ok(arne_builder_new(&builder));
    assert_ok_or(arne_read_yaml(builder, yaml, strlen(yaml), "cart_pole.yaml", &error), &error);
    arne_robot *robot = finish(builder, NULL);
    arne_builder_free(builder);
    return robot;
}

static arne_plan *swing_up(const arne_robot *robot, int all_driven)
{
    static const double     from[2] = {0, 0}, to[2] = {1, 3.14159265358979323846}, ones[2] = {1, 0};
    const arne_plan_options options = {.control_points = 20, .time = 2, .all_driven = all_driven};
    arne_plan              *plan = NULL;
    arne_error              error;
    assert_ok_or(arne_plan_new(robot, &options, &plan, &error), &error);
    plan_rest_to_rest(plan, from, to);
    const arne_objective effort = {.quantity = plan_quantity_of(plan, ARNE_QUANTITY_TORQUE),
                                   .row_count = 2,
                                   .weights = ones,
                                   .at = -1};
    assert_ok_or(arne_plan_add_objective(plan, &effort, &error), &error);
    return plan;
}

// The largest torque of each coordinate along the motion.
static void peaks(arne_plan *plan, int count, double *peak)
{
    double tau[MAX_V];
    memset(peak, 0, (size_t)count * sizeof *peak);
    for (int i = 0; i <= 1000; i++) {
        arne_plan_evaluate(plan, i / 1000.0, NULL, NULL, NULL, NULL, tau);
        for (int k = 0; k < count; k++)
            peak[k] = fmax(peak[k], fabs(tau[k]));
    }
}

// The pole swings up by the cart's motion alone: no torque acts on it, up to a hundredth of the
// cart's force, also between the points at which it is held.
static void a_passive_joint_has_no_torque(void **unused)
{
    arne_plan_result result;
    double           peak[2];
    (void)unused;
    arne_robot *robot = cart_pole(1);
    arne_plan  *plan = swing_up(robot, 0);
    if (plan_solved(plan, NULL, &result)) {
        peaks(plan, 2, peak);
        assert_int_equal(result.status, ARNE_PLAN_OPTIMAL);
        assert_true(peak[0] > 1 && peak[1] <= 0.0101 * fmax(peak[0], 0.3 * 9.81 * 0.5));
        assert_true(result.part_between <= 0.01 && result.refinements > 0);
    }
    arne_plan_free(plan);
    arne_robot_free(robot);
}

// Where the problem says so, or where the joint is not passive, a torque may be invented.
static void a_driven_joint_may_have_one(void **unused)
{
    arne_plan_result result;
    double           peak[2];
    (void)unused;
    for (int passive = 0; passive < 2; passive++) {
        arne_robot *robot = cart_pole(passive);
        arne_plan  *plan = swing_up(robot, passive);
        if (plan_solved(plan, NULL, &result)) {
            peaks(plan, 2, peak);
            assert_true(peak[1] > 0.5);
        }
        arne_plan_free(plan);
        arne_robot_free(robot);
    }
}

// The largest torques of two coordinates in the motion of least effort that brings them from rest
// at 0 to rest at `to` in a second. Returns 0 where there is no solver.
static int least_effort_peaks(const char *text, const double to[2], int all_driven, double peak[2])
{
    static const double     from[2] = {0, 0}, weights[2] = {1, 1};
    const arne_plan_options options = {.control_points = 14, .time = 1, .all_driven = all_driven};
    arne_builder           *builder = NULL;
    arne_plan              *plan = NULL;
    arne_plan_result        result;
    arne_error              error;
    assert_ok(arne_builder_new(&builder));
    assert_ok_or(arne_read_yaml(builder, text, strlen(text), "spring.yaml", &error), &error);
    arne_robot *robot = finish(builder, NULL);
    assert_ok_or(arne_plan_new(robot, &options, &plan, &error), &error);
    plan_rest_to_rest(plan, from, to);
    const arne_objective effort = {.quantity = plan_quantity_of(plan, ARNE_QUANTITY_TORQUE),
                                   .row_count = 2,
                                   .weights = weights,
                                   .at = -1};
    assert_ok_or(arne_plan_add_objective(plan, &effort, &error), &error);
    const int solved = plan_solved(plan, NULL, &result);
    if (solved) peaks(plan, 2, peak);
    arne_plan_free(plan);
    arne_robot_free(robot);
    arne_builder_free(builder);
    return solved;
}

// Behind a spring only the motor has a torque; the joint's own is what the spring lets through.
static void the_load_side_of_a_spring_has_no_torque(void **unused)
{
    static const char text[] =
        "gravity: [0, 0, 0]\n"
        "bodies: [{name: ground}, {name: arm, mass: 1, com: [0.5, 0, 0]}]\n"
        "joints: [{name: turn, kind: revolute, parent: ground, child: arm}]\n"
        "motors: [{joint: turn, inertia: 1.0e-3, gear: 10, stiffness: 50}]\n";
    static const double to[2] = {1, 1};
    double              peak[2];
    (void)unused;
    if (least_effort_peaks(text, to, 0, peak))
        assert_true(peak[1] > 0.5 && peak[0] <= 0.0101 * peak[1]);
}

// Nothing but its spring acts on a joint without a motor, unless the problem says otherwise.
static void a_spring_without_a_motor_has_no_torque(void **unused)
{
    static const char text[] =
        "gravity: [0, 0, 0]\n"
        "bodies:\n  - {name: ground}\n  - {name: a, mass: 1, com: [0, 0, 0]}\n"
        "  - {name: b, mass: 1, com: [0, 0, 0]}\n"
        "joints: [{name: x, kind: prismatic, parent: ground, child: a, axis: [1, 0, 0]},\n"
        "  {name: d, kind: prismatic, parent: a, child: b, axis: [1, 0, 0]}]\n"
        "elastic: [{joint: d, stiffness: 50}]\n";
    static const double to[2] = {1, 0};
    double              peak[2];
    (void)unused;
    for (int all = 0; all < 2; all++)
        if (least_effort_peaks(text, to, all, peak))
            assert_true(peak[0] > 1 && (peak[1] <= 0.0101 * peak[0]) == !all);
}

// What cannot be met says which joint, when, and by how much of what.
static void what_is_missed_between_is_named(void **unused)
{
    const arne_solve_options once = {.refine = 1, .between = 1e-9};
    arne_plan_result         result;
    arne_error               error;
    (void)unused;
    arne_robot       *robot = cart_pole(1);
    arne_plan        *plan = swing_up(robot, 0);
    const arne_status status = arne_plan_solve(plan, &once, &result, &error);
    if (status != ARNE_UNSUPPORTED) {
        assert_int_equal(status, ARNE_NOT_CONVERGED);
        assert_int_equal(result.status, ARNE_PLAN_BETWEEN);
        assert_non_null(strstr(error.text, "of joint 'swing' is missed between grid points by"));
        assert_non_null(strstr(error.text, " % of the largest value of that quantity) at t = "));
    }
    arne_plan_free(plan);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_passive_joint_has_no_torque),
        cmocka_unit_test(a_driven_joint_may_have_one),
        cmocka_unit_test(the_load_side_of_a_spring_has_no_torque),
        cmocka_unit_test(a_spring_without_a_motor_has_no_torque),
        cmocka_unit_test(what_is_missed_between_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
