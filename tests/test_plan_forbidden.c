// What cannot be done says which limit forbids it: of a joint, a torque, friction, a step.
#include "plan/problem/plan.h"
#include "planning.h"
#include "testing.h"
#include <stdio.h>

// Fails, and names this limit first; by about so much.
static void is_forbidden(const char *text, const char *limit, double by)
{
    arne_plan               *plan = plan_of_text(text);
    const arne_solve_options options = arne_plan_solver(plan);
    arne_plan_result         result;
    arne_error               error = {0};
    const arne_status        status = arne_plan_solve(plan, &options, &result, &error);
    if (status == ARNE_UNSUPPORTED) skip(); // no solver in this build
    if (status != ARNE_NOT_CONVERGED || !strstr(error.text, limit) ||
        !strstr(error.text, "comes nearest"))
        fail_msg("%s: %s", limit, error.text);
    assert_true(plan->forbidden_count > 0);
    const plan_excess *e = &plan->forbidden[0];
    if (!(fabs(e->amount - by) < 0.15 * by)) fail_msg("%s: by %g, not %g", limit, e->amount, by);
    assert_non_null(strstr(limit, plan->problem.constraints[e->constraint].name));
    arne_plan_free(plan);
}

// The tip is 0.5 m away only with an elbow of 1.79 rad.
static void of_a_joint(void **unused)
{
    (void)unused;
    is_forbidden("robot: planar_2r.yaml\n"
                 "time: 1\n"
                 "spline: {degree: 4, control_points: 8}\n"
                 "start: {position: {joint1: 0, joint2: 0.3}, velocity: 0}\n"
                 "constraints:\n"
                 "  - {quantity: torque, limits: true}\n"
                 "  - {quantity: position, name: elbow, joints: joint2, lower: -1.5, upper: 1.5}\n"
                 "  - {quantity: frame_position, frame: tip, component: x, at: end, equal: 0.5}\n"
                 "  - {quantity: frame_position, frame: tip, component: y, at: end, equal: 0}\n"
                 "objective: [{quantity: torque}]\n",
                 "elbow of joint 'joint2' (line 7)", 1.7914 - 1.5);
}

// 1 kg goes 1 m in 1 s from rest to rest, and 3 N are allowed: 3 + 1.5 (1 - 2 t) exceed least.
static void of_a_torque(void **unused)
{
    (void)unused;
    is_forbidden("robot: ../tests/data/optima/cart.yaml\n"
                 "time: 1\n"
                 "spline: {degree: 3, control_points: 43}\n"
                 "start: {position: 0, velocity: 0}\n"
                 "end: {position: 1, velocity: 0}\n"
                 "constraints: [{quantity: torque, name: push, lower: -3, upper: 3}]\n"
                 "objective: [{quantity: torque}]\n",
                 "push of joint 'x' (line 6)", 1.5);
}

// A block of 2 kg that is pulled by 8 N sticks with a friction of 0.408 and more, not with 0.2.
static void of_friction(void **unused)
{
    FILE *file = fopen("build/test_plan_block.yaml", "w");
    (void)unused;
    assert_non_null(file);
    fputs(
        "bodies: [{name: ground}, {name: rail, mass: 1e-3}, {name: block, mass: 2}]\n"
        "joints:\n"
        "  - {name: along, kind: prismatic, parent: ground, child: rail, axis: [1, 0, 0], passive: "
        "true}\n"
        "  - {name: up, kind: prismatic, parent: rail, child: block, axis: [0, 0, 1], passive: "
        "true}\n",
        file);
    assert_int_equal(fclose(file), 0);
    is_forbidden("robot: ../build/test_plan_block.yaml\n"
                 "time: 0.5\n"
                 "contacts: [{frame: block, friction: 0.2}]\n"
                 "wrenches: [{frame: block, force: [8, 0, 0]}]\n"
                 "objective: [{quantity: acceleration}]\n",
                 "friction of contact block", 8 - 0.2 * 2 * 9.81);
    remove("build/test_plan_block.yaml");
}

// A step that nobody makes is refused where it is read.
static void of_a_step(void **unused)
{
    static const char text[] = "robot: human.yaml\n"
                               "gait: {speed: 3.5}\n";
    arne_plan        *plan = NULL;
    arne_error        error;
    (void)unused;
    assert_int_equal(arne_plan_read_yaml(text, sizeof text - 1, ARNE_ROBOTS_DIR "/problem.yaml",
                                         NULL, &plan, &error),
                     ARNE_VALUE);
    assert_non_null(strstr(error.text, "step of 1.75 m"));
    assert_int_equal(error.line, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_a_joint), cmocka_unit_test(of_a_torque),
                                       cmocka_unit_test(of_friction), cmocka_unit_test(of_a_step)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
