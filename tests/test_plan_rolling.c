// Plans of robots whose wheels roll: velocities are tied, and every coordinate is planned.
#include "planning.h"
#include "testing.h"
#include <math.h>
#include <stdio.h>

static const char *const WHEELED =
    "bodies:\n"
    "  - {name: ground}\n"
    "  - {name: cart, mass: 3, inertia: [1, 1, 1]}\n"
    "  - {name: wheel, mass: 2, inertia: [0.05, 0.09, 0.05]}\n"
    "  - {name: arm, mass: 0.1, inertia: [0.001, 0.001, 0.001]}\n"
    "joints:\n"
    "  - {name: rail, kind: prismatic, parent: ground, child: cart, axis: [1, 0, 0], origin: {xyz: "
    "[0, 0, 0.3]}, "
    "passive: true}\n"
    "  - {name: spin, kind: continuous, parent: cart, child: wheel, axis: [0, 1, 0], active: "
    "true}\n"
    "  - {name: hang, kind: continuous, parent: cart, child: arm, axis: [0, 1, 0], passive: true}\n"
    "loops:\n"
    "  - {name: tread, kind: rolling, predecessor: ground, successor: wheel, axis: [0, 1, 0], "
    "radius: 0.3}\n"
    "  - {name: %s}\n";

static arne_robot *cart(const char *more)
{
    char          text[2048];
    arne_builder *builder = NULL;
    arne_error    error;
    snprintf(text, sizeof text, WHEELED, more);
    assert_ok(arne_builder_new(&builder));
    assert_ok_or(arne_read_yaml(builder, text, strlen(text), "cart.yaml", &error), &error);
    arne_robot *robot = finish(builder, NULL);
    arne_builder_free(builder);
    return robot;
}

// A cart goes a distance D in a time T from rest to rest, driven by its wheel, against a wind F and
// with a load. The arm on it turns as the wheel of a second tread does. The least integral of tau^2
// has a torque that falls linearly:
//     tau = r (m a + F),  a = 6 D / T^2 (1 - 2 t / T),  integral = r^2 (12 (m D)^2 / T^3 + F^2 T)
// where m is all mass with that of the turning bodies over r^2.
static void least_effort(double load, double wind)
{
    static const double from[3] = {0, 0, 0}, to[3] = {1, 1 / 0.3, 1 / 0.3}, drive[3] = {0, 1, 0};
    const arne_plan_options options = {.control_points = 8, .time = 2};
    arne_robot             *robot = cart(
                    "second, kind: rolling, predecessor: ground, successor: arm, axis: [0, 1, 0], radius: 0.3");
    arne_plan         *plan = NULL;
    arne_plan_result   result;
    arne_error         error;
    const int          frame = arne_find_frame(robot, "cart"), all = 0;
    const arne_payload carried = {.mass = load, .com = {0.1, 0.2, 0.3}};
    const double       table[7] = {0, -wind, 0, 0, 0, 0, 0};
    if (load > 0) {
        arne_robot *loaded = NULL;
        assert_ok_or(arne_robot_attach(robot, frame, &carried, &loaded, &error), &error);
        arne_robot_free(robot);
        robot = loaded;
    }
    assert_ok_or(arne_plan_new(robot, &options, &plan, &error), &error);
    // Loads of phases are for trees.
    assert_int_equal(arne_plan_add_payload(plan, frame, &carried, &all, 1, &error),
                     ARNE_UNSUPPORTED);
    assert_non_null(strstr(error.text, "arne_robot_attach"));
    const arne_plan_wrench blows = {.name = "wind", .frame = frame, .table = table, .count = 1};
    if (wind > 0) assert_ok_or(arne_plan_add_wrench(plan, &blows, &error), &error);
    plan_rest_to_rest(plan, from, to);
    const arne_objective effort = {.quantity = plan_quantity_of(plan, ARNE_QUANTITY_TORQUE),
                                   .row_count = 3,
                                   .weights = drive,
                                   .at = -1};
    assert_ok_or(arne_plan_add_objective(plan, &effort, &error), &error);
    if (plan_solved(plan, NULL, &result)) {
        const double m = 5.1 + load + 0.091 / 0.09;
        const double best = 0.09 * (12 * m * m / 8 + 2 * wind * wind);
        if (!(fabs(result.objective - best) < 1e-6 * best))
            fail_msg("load %g, wind %g: %.9g, not %.9g", load, wind, result.objective, best);
        for (int i = 0; i <= 100; i++) {
            double q[3], qd[3], tau[3];
            arne_plan_evaluate(plan, i / 100.0, q, qd, NULL, NULL, tau);
            assert_true(fabs(qd[0] - 0.3 * qd[1]) < 1e-9 && fabs(qd[2] - qd[1]) < 1e-9);
            assert_true(fabs(tau[1] - 0.3 * (m * 1.5 * (1 - i / 50.0) + wind)) < 1e-4);
            assert_true(tau[0] == 0 && tau[2] == 0);
        }
    }
    arne_plan_free(plan);
    arne_robot_free(robot);
}

static void least_effort_of_a_wheel(void **unused)
{
    (void)unused;
    least_effort(0, 0);
    least_effort(2, 0);
    least_effort(2, 4);
}

// Loops that tie positions besides are refused, by name.
static void both_kinds_are_refused(void **unused)
{
    (void)unused;
    const arne_plan_options options = {.control_points = 8, .time = 2};
    arne_robot *robot = cart("bar, kind: rod, predecessor: ground, successor: arm, length: 0.3");
    arne_plan  *plan = NULL;
    arne_error  error;
    assert_int_equal(arne_plan_new(robot, &options, &plan, &error), ARNE_UNSUPPORTED);
    assert_non_null(strstr(error.text, "'tread' ties velocities"));
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(least_effort_of_a_wheel),
                                       cmocka_unit_test(both_kinds_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
