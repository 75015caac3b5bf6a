// Which entries the derivatives of a plan have: those that are not always zero.
#include "plan/problem/plan.h"
#include "testing.h"

#include <stdlib.h>

static arne_plan *of_torques(const arne_robot *robot, int *quantity)
{
    const arne_plan_options options = {.control_points = 6, .time = 1};
    arne_plan              *plan = NULL;
    arne_error              error;
    assert_ok_or(arne_plan_new(robot, &options, &plan, &error), &error);
    const arne_quantity what = {.kind = ARNE_QUANTITY_TORQUE};
    assert_ok_or(arne_plan_add_quantity(plan, &what, quantity, &error), &error);
    const arne_objective effort = {
        .quantity = *quantity, .row_count = plan->problem.v_count, .at = -1};
    assert_ok_or(arne_plan_add_objective(plan, &effort, &error), &error);
    assert_ok_or(plan_ready(plan, 0, &error), &error);
    return plan;
}

// Where the pattern says zero, the gradient is zero, at states that were not probed.
static void check_pattern(const arne_robot *robot, uint64_t seed)
{
    int                  quantity;
    arne_plan           *plan = of_torques(robot, &quantity);
    const int            n = plan->problem.n, all = PLAN_ORDERS * n;
    const unsigned char *pattern = plan->now.program->patterns[quantity];
    double              *z = calloc((size_t)all, sizeof *z);
    plan_state           s;
    rng                  r = rng_seed(seed);
    assert_ok(plan_state_new(&plan->problem, plan->now.program->workers, &s, NULL));
    for (int trial = 0; trial < 5; trial++) {
        rng_fill(&r, z, all, 2);
        plan_put(&s, 0, 0.3, 1, z);
        const double *g = plan_gradient(&s, quantity);
        assert_non_null(g);
        for (int row = 0; row < plan->problem.v_count; row++)
            for (int j = 0; j < n; j++) {
                const double *at = g + row * all + j;
                const int     depends = at[0] != 0 || at[n] != 0 || at[2 * n] != 0;
                if (depends)
                    assert_true(pattern[row * all + j] && pattern[row * all + n + j] &&
                                pattern[row * all + 2 * n + j]);
                assert_false(pattern[row * all + 3 * n + j]);
            }
    }
    plan_state_free(&s);
    free(z);
    arne_plan_free(plan);
}

static void patterns_are_what_is_nonzero(void **unused)
{
    static const char *const names[] = {"arm6", "planar_2r", "quadruped", "human"};
    const arne_build_options fixed = {.base = ARNE_BASE_FIXED};
    (void)unused;
    for (int i = 0; i < 4; i++) {
        arne_robot *robot = read_robot(names[i], &fixed);
        check_pattern(robot, (uint64_t)i + 1);
        arne_robot_free(robot);
    }
}

// The torques of one leg do not depend on the other three: of 12 coordinates a row has 3.
static void legs_do_not_meet(void **unused)
{
    const arne_build_options fixed = {.base = ARNE_BASE_FIXED};
    int                      quantity, meet = 0;
    (void)unused;
    arne_robot *robot = read_robot("quadruped", &fixed);
    arne_plan  *plan = of_torques(robot, &quantity);
    assert_int_equal(plan->problem.n, 12);
    for (int j = 0; j < plan->problem.n; j++)
        for (int l = 0; l < plan->problem.n; l++)
            meet += plan->now.program->coupled[j * plan->problem.n + l];
    assert_int_equal(meet, 4 * 3 * 3);
    assert_int_equal(plan->now.program->pair_count, 4 * 6);
    arne_plan_free(plan);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_are_what_is_nonzero),
        cmocka_unit_test(legs_do_not_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
