// How a plan is searched: by several threads, and what is said meanwhile.
#include "planning.h"
#include "testing.h"

#include <math.h>
#include <string.h>

// The least time of an arm within its torques, torque rates and an obstacle's height.
static arne_plan *pick(const arne_robot *robot)
{
    static const double from[6] = {-1, -1.3, 1.8, -2.1, -1.5, 0}, to[6] = {1, -1, 1.5, -2, -1.5, 0};
    const arne_plan_options options = {.degree = 5,
                                       .control_points = 8,
                                       .per_span = 2,
                                       .time = 3,
                                       .time_least = 0.2,
                                       .time_most = 10};
    double                  low[6], high[6];
    arne_plan              *plan = NULL;
    arne_error              error;
    assert_ok_or(arne_plan_new(robot, &options, &plan, &error), &error);
    plan_rest_to_rest(plan, from, to);
    for (int k = 0; k < 6; k++) {
        high[k] = arne_robot_joint(robot, k).effort;
        low[k] = -high[k];
    }
    plan_hold(plan, "torque", ARNE_QUANTITY_TORQUE, 0, 1, low, high);
    for (int k = 0; k < 6; k++) {
        high[k] *= 20;
        low[k] = -high[k];
    }
    plan_hold(plan, "torque_rate", ARNE_QUANTITY_TORQUE_RATE, 0, 1, low, high);
    arne_plan_add_time(plan, 1);
    return plan;
}

// One, two, three threads: the same plan to the last bit, after the same iterations.
static void threads_leave_no_trace(void **unused)
{
    (void)unused;
    arne_robot      *robot = read_robot("arm6", NULL);
    arne_plan       *plans[3];
    arne_plan_result results[3];
    int              solved = 1;
    for (int i = 0; i < 3; i++) {
        const arne_solve_options how = {.threads = i + 1, .refine = -1};
        plans[i] = pick(robot);
        solved = solved && plan_solved(plans[i], &how, &results[i]);
    }
    for (int i = 1; i < 3 && solved; i++) {
        assert_int_equal(results[i].status, ARNE_PLAN_OPTIMAL);
        assert_int_equal(results[i].iterations, results[0].iterations);
        for (int k = 0; k <= 100; k++) {
            double a[5][6], b[5][6];
            arne_plan_evaluate(plans[0], k / 100.0, a[0], a[1], a[2], a[3], a[4]);
            arne_plan_evaluate(plans[i], k / 100.0, b[0], b[1], b[2], b[3], b[4]);
            assert_memory_equal(a, b, sizeof a);
        }
    }
    for (int i = 0; i < 3; i++)
        arne_plan_free(plans[i]);
    arne_robot_free(robot);
}

// Whoever watches is told what is missed most, by name.
static int watch(void *context, const arne_plan_progress *p)
{
    int *seen = context;
    if (p->worst) *seen |= strstr(p->worst, "torque") != NULL && strstr(p->worst, "joint") != NULL;
    return 0;
}

static void progress_names_what_is_missed(void **unused)
{
    (void)unused;
    arne_robot              *robot = read_robot("arm6", NULL);
    arne_plan               *plan = pick(robot);
    arne_plan_result         result;
    int                      seen = 0;
    const arne_solve_options how = {.progress = watch, .context = &seen, .refine = -1};
    if (plan_solved(plan, &how, &result)) {
        assert_true(seen);
        assert_true(result.jacobian_entries > 0 && result.hessian_entries > 0);
    }
    arne_plan_free(plan);
    arne_robot_free(robot);
}

// A warm search that nothing came before is as any other; one after a search is nearly done.
static void warm_searches_need_one_before(void **unused)
{
    (void)unused;
    arne_robot      *robot = read_robot("arm6", NULL);
    arne_plan       *plans[2] = {pick(robot), pick(robot)};
    arne_plan_result results[2], again;
    int              solved = 1;
    for (int i = 0; i < 2; i++) {
        const arne_solve_options how = {.warm = i, .refine = -1};
        solved = solved && plan_solved(plans[i], &how, &results[i]);
    }
    if (solved) {
        const arne_solve_options how = {.warm = 1, .refine = -1};
        assert_int_equal(results[1].iterations, results[0].iterations);
        assert_memory_equal(&results[1].objective, &results[0].objective, sizeof(double));
        assert_true(plan_solved(plans[1], &how, &again));
        assert_true(3 * again.iterations < results[0].iterations);
        assert_true(fabs(again.objective / results[0].objective - 1) < 1e-6);
    }
    for (int i = 0; i < 2; i++)
        arne_plan_free(plans[i]);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_leave_no_trace),
        cmocka_unit_test(progress_names_what_is_missed),
        cmocka_unit_test(warm_searches_need_one_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
