// Planning: the worked examples of the thesis, and derivatives of everything.
#include "testing.h"

#include <arne/plan.h>

static int quantity(arne_plan *plan, arne_quantity_kind kind)
{
    const arne_quantity what = {.kind = kind, .frame = -1, .other_frame = -1};
    int                 out = -1;
    assert_int_equal(arne_plan_add_quantity(plan, &what, &out, NULL), ARNE_OK);
    return out;
}

static void bound(arne_plan *plan, const char *name, arne_quantity_kind kind, double from,
                  double to, const double *lower, const double *upper)
{
    const arne_constraint c = {.name = name,
                               .quantity = quantity(plan, kind),
                               .row_count = arne_robot_sizes(arne_plan_robot(plan)).v_count,
                               .lower = lower,
                               .upper = upper,
                               .from = from,
                               .to = to,
                               .other = -1};
    assert_int_equal(arne_plan_add_constraint(plan, &c, NULL), ARNE_OK);
}

// From rest to rest.
static void rest_to_rest(arne_plan *plan, const double *from, const double *to)
{
    static const double zero[16];
    bound(plan, "start", ARNE_QUANTITY_POSITION, 0, 0, from, from);
    bound(plan, "end", ARNE_QUANTITY_POSITION, 1, 1, to, to);
    bound(plan, "start at rest", ARNE_QUANTITY_VELOCITY, 0, 0, zero, zero);
    bound(plan, "end at rest", ARNE_QUANTITY_VELOCITY, 1, 1, zero, zero);
    for (int j = 0; j < arne_robot_sizes(arne_plan_robot(plan)).v_count; j++)
        arne_plan_start_line(plan, j, from[j], to[j]);
}

// Barman 2020, section 4.1; the exact optimum is bang-bang.
static void two_links_in_least_time(void **unused)
{
    static const double from[2] = {0, -2}, to[2] = {1, -1}, low[2] = {-10, -10}, high[2] = {10, 10};
    const arne_plan_options options = {
        .control_points = 40, .time = 0.6, .time_least = 0.05, .time_most = 5};
    (void)unused;
    arne_robot      *robot = read_robot("planar_2r", NULL);
    arne_plan       *plan = NULL;
    arne_plan_result result;
    assert_int_equal(arne_plan_new(robot, &options, &plan, NULL), ARNE_OK);
    rest_to_rest(plan, from, to);
    bound(plan, "torque", ARNE_QUANTITY_TORQUE, 0, 1, low, high);
    arne_plan_add_time(plan, 1);
    const arne_status status = arne_plan_solve(plan, NULL, &result, NULL);
    if (status != ARNE_UNSUPPORTED) { // built without a solver
        assert_int_equal(status, ARNE_OK);
        assert_true(result.T > 0.39185453951567 && result.T < 0.3925);
        assert_true(result.violation < 1e-8 && result.violation_between < 0.1);
    }
    arne_plan_free(plan);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_links_in_least_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
