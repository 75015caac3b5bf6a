// Torques as components of one vector: beside the moment that a joint transmits, and derivatives.
#include "plan/problem/plan.h"
#include "planning.h"
#include "testing.h"

#include <arne/dynamics.h>

// A pendulum on a ball joint, which a plan splits into three, and one more joint behind it.
static const char file[] =
    "name: arm\n"
    "bodies:\n"
    "  - {name: chest}\n"
    "  - {name: upper, mass: 2, com: [0.02, 0.03, -0.15], inertia: [0.02, 0.03, 0.01, 0, 0, 0]}\n"
    "  - {name: fore, mass: 1.2, com: [0, 0.01, -0.12], inertia: [0.01, 0.01, 0.002, 0, 0, 0]}\n"
    "joints:\n"
    "  - {name: shoulder, kind: ball, parent: chest, child: upper, origin: {rpy: [0.3, 0.2, "
    "0.1]}}\n"
    "  - {name: elbow, kind: revolute, parent: upper, child: fore, axis: [0, 1, 0],\n"
    "     origin: {xyz: [0, 0, -0.3]}}\n";

static arne_robot *arm(void)
{
    arne_builder *builder = NULL;
    arne_robot   *robot = NULL;
    arne_error    error = {0};
    assert_ok(arne_builder_new(&builder));
    assert_ok_or(arne_read_yaml(builder, file, strlen(file), "arm", &error), &error);
    assert_ok_or(arne_planning_robot(builder, NULL, &robot, &error), &error);
    arne_builder_free(builder);
    return robot;
}

static arne_plan *arm_plan(const arne_robot *robot)
{
    const arne_plan_options options = {.degree = 4, .control_points = 8, .time = 0.7};
    arne_plan              *plan = NULL;
    assert_ok(arne_plan_new(robot, &options, &plan, NULL));
    return plan;
}

// The sum of squares of the three is the square of the moment that the last of them transmits.
static void components_of_the_moment(void **unused)
{
    arne_robot *robot = arm();
    arne_plan  *plan = arm_plan(robot);
    arne_work  *work = NULL;
    rng         r = rng_seed(5);
    (void)unused;
    assert_ok(arne_work_new(robot, &work));
    const int quantity = plan_quantity_of(plan, ARNE_QUANTITY_TORQUE_VECTOR);
    const int last = arne_find_joint(robot, "shoulder.rx");
    assert_true(last >= 0);
    for (int trial = 0; trial < 30; trial++) {
        double q[4], qd[4], qdd[4], tau[4], sum = 0;
        for (int k = 0; k < 4; k++)
            arne_plan_start_line(plan, k, rng_uniform(&r, -1, 1), rng_uniform(&r, -1, 1));
        arne_plan_evaluate(plan, 0.4, q, qd, qdd, NULL, NULL);
        const double *m = plan_values(&plan->now.program->between, quantity);
        arne_inverse_dynamics(robot, work, q, qd, qdd, NULL, tau);
        const arne_vec3 moment = arne_joint_wrench(robot, work, last).ang;
        for (int k = 0; k < 3; k++)
            sum += m[k] * m[k];
        const double wanted = moment.x * moment.x + moment.y * moment.y + moment.z * moment.z;
        assert_true(fabs(sum - wanted) < 1e-10 * (1 + wanted));
        assert_true(m[3] == tau[3]);
    }
    arne_work_free(work);
    arne_plan_free(plan);
    arne_robot_free(robot);
}

static void derivatives(void **unused)
{
    static const double from[4] = {0.2, 0.5, -0.3, 0.1}, to[4] = {1.1, -0.9, 0.4, 0.8};
    static const double ones[4] = {1, 1, 1, 1};
    arne_robot         *robot = arm();
    arne_plan          *plan = arm_plan(robot);
    (void)unused;
    const arne_objective effort = {.quantity = plan_quantity_of(plan, ARNE_QUANTITY_TORQUE_VECTOR),
                                   .row_count = 4,
                                   .weights = ones,
                                   .at = -1};
    assert_ok(arne_plan_add_objective(plan, &effort, NULL));
    plan_rest_to_rest(plan, from, to);
    plan_check_derivatives(plan, "an arm");
    arne_plan_free(plan);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(components_of_the_moment),
                                       cmocka_unit_test(derivatives)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
