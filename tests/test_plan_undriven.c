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

// The least effort of joint `driven` of a robot of two joints that is brought from rest at 0 to
// rest at `to`, with the splines that are chosen for it. NAN where there is no solver.
static double least_effort(const char *text, double time, int driven, const double to[2])
{
    static const double      from[2] = {0, 0};
    const double             weights[2] = {driven == 0, driven == 1};
    const arne_plan_options  options = {.time = time};
    const arne_solve_options how = {.converge = -1e-3, .refine = 20};
    arne_builder            *builder = NULL;
    arne_plan               *plan = NULL;
    arne_plan_result         result;
    arne_error               error;
    assert_ok(arne_builder_new(&builder));
    assert_ok_or(arne_read_yaml(builder, text, strlen(text), "two.yaml", &error), &error);
    arne_robot *robot = finish(builder, NULL);
    assert_ok_or(arne_plan_new(robot, &options, &plan, &error), &error);
    double low[2], high[2]; // a coordinate whose end is NAN may end anywhere
    for (int k = 0; k < 2; k++) {
        low[k] = isnan(to[k]) ? -INFINITY : to[k];
        high[k] = isnan(to[k]) ? INFINITY : to[k];
        arne_plan_start_line(plan, k, 0, isnan(to[k]) ? 0 : to[k]);
    }
    plan_hold(plan, "start", ARNE_QUANTITY_POSITION, 0, 0, from, from);
    plan_hold(plan, "start at rest", ARNE_QUANTITY_VELOCITY, 0, 0, from, from);
    plan_hold(plan, "end", ARNE_QUANTITY_POSITION, 1, 1, low, high);
    plan_hold(plan, "end at rest", ARNE_QUANTITY_VELOCITY, 1, 1, from, from);
    const arne_objective effort = {.quantity = plan_quantity_of(plan, ARNE_QUANTITY_TORQUE),
                                   .row_count = 2,
                                   .weights = weights,
                                   .at = -1};
    assert_ok_or(arne_plan_add_objective(plan, &effort, &error), &error);
    const int solved = plan_solved(plan, &how, &result);
    if (solved) assert_true(arne_plan_is_complete(result.status) && result.part_between <= 0.01);
    arne_plan_free(plan);
    arne_robot_free(robot);
    arne_builder_free(builder);
    return solved ? result.objective : NAN;
}

#define ROD "mass: 1, com: [0, 0, -0.5], inertia: [0.0833333333, 0.0833333333, 0.001]"
#define PENDULUM(shoulder, elbow)                                                                  \
    "bodies: [{name: base}, {name: upper, " ROD "}, {name: lower, " ROD "}]\n"                     \
    "joints:\n"                                                                                    \
    "  - {name: shoulder, kind: continuous, parent: base, child: upper, axis: [0, -1, 0]" shoulder \
    "}\n"                                                                                          \
    "  - {name: elbow, kind: continuous, parent: upper, child: lower, origin: {xyz: [0, 0, "       \
    "-1]},\n"                                                                                      \
    "     axis: [0, -1, 0]" elbow "}\n"

// Swing-ups of two uniform rods, driven at the elbow (acrobot) or at the shoulder (pendubot). The
// limits are those that refined splines of degrees 3, 4 and 5 tend to, 77.47 and 218.93.
static void swing_ups_converge(void **unused)
{
    static const double pi = 3.14159265358979323846, up[2] = {pi, 0};
    (void)unused;
    const double acrobot = least_effort(PENDULUM(", passive: true", ""), 2.5, 1, up),
                 pendubot = least_effort(PENDULUM("", ", passive: true"), 2, 0, up);
    if (isnan(acrobot)) skip();
    assert_true(fabs(acrobot / 77.47 - 1) < 0.01);
    assert_true(fabs(pendubot / 218.93 - 1) < 0.01);
}

// A hub that floats: that it rests at the end follows from its momentum. Cubic splines ring there,
// with an effort of 97.
static void a_floating_hub_does_not_ring(void **unused)
{
    static const char text[] =
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  - name: base\n"
        "  - {name: hub, mass: 10, inertia: [1, 1, 1]}\n"
        "  - {name: arm, mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}\n"
        "joints:\n"
        "  - {name: turn, kind: continuous, parent: base, child: hub, passive: true}\n"
        "  - {name: swing, kind: continuous, parent: hub, child: arm, origin: {xyz: [0.3, 0, "
        "0]}}\n";
    (void)unused;
    static const double to[2] = {NAN, 1.57079632679489661923};
    const double        effort = least_effort(text, 1, 1, to);
    if (isnan(effort)) skip();
    assert_true(fabs(effort / 1.5675 - 1) < 0.01);
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
        cmocka_unit_test(swing_ups_converge),
        cmocka_unit_test(a_floating_hub_does_not_ring),
        cmocka_unit_test(the_load_side_of_a_spring_has_no_torque),
        cmocka_unit_test(a_spring_without_a_motor_has_no_torque),
        cmocka_unit_test(what_is_missed_between_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
