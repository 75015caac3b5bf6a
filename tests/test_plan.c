// Planning: the worked examples of the thesis in C, and how a search ends.
#include "planning.h"
#include "testing.h"

static const arne_plan_options two_links = {
    .control_points = 40, .time = 0.6, .time_least = 0.05, .time_most = 5, .grid_points = 50};

static const double start[2] = {0, -2}, goal[2] = {1, -1}, least[2] = {-10, -10},
                    most[2] = {10, 10};

static arne_plan *two_link_plan(const arne_robot *robot, const arne_plan_options *options)
{
    arne_plan *plan = NULL;
    assert_int_equal(arne_plan_new(robot, options, &plan, NULL), ARNE_OK);
    plan_rest_to_rest(plan, start, goal);
    plan_hold(plan, "torque", ARNE_QUANTITY_TORQUE, 0, 1, least, most);
    arne_plan_add_time(plan, 1);
    return plan;
}

// Barman 2020, section 4.1; the exact optimum is bang-bang.
static void two_links_in_least_time(void **unused)
{
    (void)unused;
    arne_robot      *robot = read_robot("planar_2r", NULL);
    arne_plan       *plan = two_link_plan(robot, &two_links);
    arne_plan_result result;
    if (plan_solved(plan, NULL, &result)) {
        double q[2], qd[2], tau[2];
        assert_true(result.status == ARNE_PLAN_OPTIMAL);
        assert_true(result.T > 0.39185453951567 && result.T < 0.3925);
        assert_true(result.violation < 1e-8 && result.violation_between < 0.1);
        arne_plan_evaluate(plan, 1, q, qd, NULL, NULL, tau);
        assert_true(fabs(q[0] - goal[0]) < 1e-9 && fabs(q[1] - goal[1]) < 1e-9);
        assert_true(fabs(qd[0]) < 1e-8 && fabs(qd[1]) < 1e-8 && fabs(tau[0]) < 10 + 1e-7);
    }
    arne_plan_free(plan);
    arne_robot_free(robot);
}

// With what a slow start costs: the same from both phases, and more control points come nearer to
// the optimum.
static void ways_to_the_optimum(void **unused)
{
    const arne_solve_options phases = {.feasibility_first = 1};
    arne_plan_options        finer = two_links;
    arne_plan_result         a, b, c;
    (void)unused;
    finer.control_points = 60;
    finer.grid_points = 0;
    arne_robot *robot = read_robot("planar_2r", NULL);
    arne_plan  *one = two_link_plan(robot, &two_links), *two = two_link_plan(robot, &two_links),
              *fine = two_link_plan(robot, &finer);
    if (plan_solved(one, NULL, &a) && plan_solved(two, &phases, &b) &&
        plan_solved(fine, NULL, &c)) {
        assert_true(fabs(a.T - b.T) < 1e-6);
        assert_true(c.T > 0.39185453951567 && c.T < a.T);
        // From the optimum on: a few iterations, and the same.
        assert_true(plan_solved(one, NULL, &b) && fabs(a.T - b.T) < 1e-7);
    }
    arne_plan_free(one);
    arne_plan_free(two);
    arne_plan_free(fine);
    arne_robot_free(robot);
}

// Barman 2020, section 4.2: time and effort. Indirect solutions.
static void a_slide_and_a_link(void **unused)
{
    static const double from[2] = {0.1, 0.6}, to[2] = {0.78539816339744831, -0.78539816339744831};
    static const double weights[2] = {0.01, 0.01};
    const arne_plan_options options = {
        .control_points = 24, .time = 1, .time_least = 0.05, .time_most = 5};
    (void)unused;
    arne_robot      *robot = read_robot("planar_pr", NULL);
    arne_plan       *plan = NULL;
    arne_plan_result result;
    assert_int_equal(arne_plan_new(robot, &options, &plan, NULL), ARNE_OK);
    plan_rest_to_rest(plan, from, to);
    plan_hold(plan, "torque", ARNE_QUANTITY_TORQUE, 0, 1, least, most);
    const arne_objective effort = {.quantity = plan_quantity_of(plan, ARNE_QUANTITY_TORQUE),
                                   .row_count = 2,
                                   .weights = weights,
                                   .at = -1};
    assert_int_equal(arne_plan_add_objective(plan, &effort, NULL), ARNE_OK);
    arne_plan_add_time(plan, 0.99);
    if (plan_solved(plan, NULL, &result)) {
        assert_true(fabs(result.T - 0.64625970782732645) < 1e-6);
        assert_true(fabs(result.objective - 0.85306281539898465) < 1e-6);
    }
    arne_plan_free(plan);
    arne_robot_free(robot);
}

// Grid points are added where they are missed.
static void refinement(void **unused)
{
    const arne_solve_options refine = {.refine = 8, .between = 1e-3}, as_it_is = {.refine = -1};
    arne_plan_options        coarse = two_links;
    arne_plan_result         a, b;
    (void)unused;
    coarse.grid_points = 20;
    arne_robot *robot = read_robot("planar_2r", NULL);
    arne_plan  *plan = two_link_plan(robot, &coarse);
    if (plan_solved(plan, &as_it_is, &a) && plan_solved(plan, &refine, &b)) {
        assert_true(a.part_between > 0.05 && b.part_between <= 1e-3);
        assert_true(b.refinements > 0 && b.grid_points > a.grid_points && b.T > a.T);
    }
    arne_plan_free(plan);
    arne_robot_free(robot);
}

// Too little time: the torques are named, and by how much they are missed.
static void too_little_time(void **unused)
{
    const arne_plan_options options = {.control_points = 12, .time = 0.3};
    (void)unused;
    arne_robot       *robot = read_robot("planar_2r", NULL);
    arne_plan        *plan = two_link_plan(robot, &options);
    arne_error        error;
    arne_plan_result  result;
    const arne_status status = arne_plan_solve(plan, NULL, &result, &error);
    if (status != ARNE_UNSUPPORTED) {
        assert_int_equal(status, ARNE_NOT_CONVERGED);
        assert_non_null(strstr(error.text, "torque of joint 'joint"));
        assert_true(result.violation > 1);
    }
    arne_plan_free(plan);
    arne_robot_free(robot);
}

static int stop_at(void *context, const arne_plan_progress *p)
{
    const int *last = context;
    return p->iteration >= *last;
}

// An interrupt keeps the best motion so far.
static void interrupt(void **unused)
{
    int                      last = 14;
    const arne_solve_options options = {.progress = stop_at, .context = &last, .violation = 1e-3};
    (void)unused;
    arne_robot      *robot = read_robot("planar_2r", NULL);
    arne_plan       *plan = two_link_plan(robot, &two_links);
    arne_plan_result result;
    if (plan_solved(plan, &options, &result)) {
        assert_int_equal(result.status, ARNE_PLAN_INTERRUPTED);
        assert_true(result.iterations == last && result.T < 0.45 && result.violation < 0.1);
    }
    arne_plan_free(plan);
    arne_robot_free(robot);
}

// A circle for the tip of the arm, by a callback without a gradient: 0.5 m from the origin on the
// way.
static int tip_radius(void *context, double u, const double *z, double *value, double *gradient)
{
    int *calls = context;
    (void)u;
    (*calls)++;
    if (gradient) return -1;
    *value = sqrt(0.32 + 0.32 * cos(z[1]));
    return 0;
}

static void callbacks(void **unused)
{
    static const double     from[2] = {0, -1.7925}, to[2] = {1, -1.7925}, low = 0.4, high = 0.6;
    const arne_plan_options options = {
        .control_points = 10, .time = 1, .time_least = 0.1, .time_most = 3};
    int calls = 0, quantity = 0;
    (void)unused;
    arne_robot      *robot = read_robot("planar_2r", NULL);
    arne_plan       *plan = NULL;
    arne_plan_result result;
    assert_int_equal(arne_plan_new(robot, &options, &plan, NULL), ARNE_OK);
    plan_rest_to_rest(plan, from, to);
    plan_hold(plan, "torque", ARNE_QUANTITY_TORQUE, 0, 1, least, most);
    assert_int_equal(arne_plan_add_callback(plan, "radius", 1, tip_radius, &calls, &quantity, NULL),
                     ARNE_OK);
    const arne_constraint c = {.name = "radius",
                               .quantity = quantity,
                               .row_count = 1,
                               .lower = &low,
                               .upper = &high,
                               .to = 1,
                               .other = -1};
    assert_int_equal(arne_plan_add_constraint(plan, &c, NULL), ARNE_OK);
    arne_plan_add_time(plan, 1);
    if (plan_solved(plan, NULL, &result)) {
        assert_true(calls > 0 && result.violation < 1e-8);
        for (int i = 0; i <= 10; i++) {
            double z[2], radius = 0;
            arne_plan_evaluate(plan, 0.1 * i, z, NULL, NULL, NULL, NULL);
            tip_radius(&calls, 0, z, &radius, NULL);
            assert_true(radius > low - 1e-2 && radius < high + 1e-2);
        }
    }
    arne_plan_free(plan);
    arne_robot_free(robot);
}

// A five-bar in the least time: the loop stays closed, and the drives keep their limits.
static void closed_loop(void **unused)
{
    static const double limit[2] = {6, 6}, low[2] = {-6, -6}, from[2] = {2, 1}, to[2] = {1.6, 0.6},
                        zero[2];
    static const int        motors[2] = {0, 2};
    const arne_plan_options options = {
        .control_points = 14, .time = 1, .time_least = 0.05, .time_most = 5, .per_span = 2};
    (void)unused;
    arne_robot      *robot = read_robot("five_bar", NULL);
    arne_plan       *plan = NULL;
    arne_work       *work = NULL;
    arne_loop_work  *loop = NULL;
    arne_plan_result result;
    assert_int_equal(arne_plan_new(robot, &options, &plan, NULL), ARNE_OK);
    assert_int_equal(arne_work_new(robot, &work), ARNE_OK);
    assert_int_equal(arne_loop_work_new(robot, &loop), ARNE_OK);
    const struct {
        arne_quantity_kind kind;
        double             from, to;
        const double      *lower, *upper;
    } rows[5] = {{ARNE_QUANTITY_POSITION, 0, 0, from, from},
                 {ARNE_QUANTITY_POSITION, 1, 1, to, to},
                 {ARNE_QUANTITY_VELOCITY, 0, 0, zero, zero},
                 {ARNE_QUANTITY_VELOCITY, 1, 1, zero, zero},
                 {ARNE_QUANTITY_TORQUE, 0, 1, low, limit}};
    for (int i = 0; i < 5; i++) {
        const arne_constraint c = {.quantity = plan_quantity_of(plan, rows[i].kind),
                                   .row_count = 2,
                                   .rows = motors,
                                   .lower = rows[i].lower,
                                   .upper = rows[i].upper,
                                   .from = rows[i].from,
                                   .to = rows[i].to,
                                   .other = -1};
        assert_int_equal(arne_plan_add_constraint(plan, &c, NULL), ARNE_OK);
    }
    arne_plan_add_time(plan, 1);
    for (int k = 0; k < 2; k++)
        arne_plan_start_line(plan, k, from[k], to[k]);
    if (plan_solved(plan, NULL, &result)) {
        assert_true(result.T > 0.1 && result.T < 1 && result.violation < 1e-7);
        for (int i = 0; i <= 20; i++) {
            double q[4], qd[4], qdd[4], tau[4], other[4];
            arne_plan_evaluate(plan, 0.05 * i, q, qd, qdd, NULL, tau);
            assert_true(arne_loop_closure(robot, work, loop, q, NULL) < 1e-10);
            assert_int_equal(
                arne_loop_inverse_dynamics(robot, work, loop, q, qd, qdd, NULL, NULL, other, NULL),
                ARNE_OK);
            for (int k = 0; k < 4; k++)
                assert_true(fabs(tau[k] - other[k]) < 1e-10 && fabs(tau[k]) < 6.5);
        }
    }
    arne_loop_work_free(loop);
    arne_work_free(work);
    arne_plan_free(plan);
    arne_robot_free(robot);
}

// What cannot be planned is refused.
static void refusals(void **unused)
{
    arne_plan_options options = {.control_points = 3, .time = 1};
    arne_plan        *plan = NULL;
    arne_error        error;
    (void)unused;
    arne_robot *robot = read_robot("planar_2r", NULL), *free_robot = read_robot("quadruped", NULL);
    assert_int_equal(arne_plan_new(robot, &options, &plan, &error), ARNE_VALUE);
    options.control_points = 9;
    options.time = -1;
    assert_int_equal(arne_plan_new(robot, &options, &plan, &error), ARNE_VALUE);
    options.time = 1;
    assert_int_equal(arne_plan_new(free_robot, &options, &plan, &error), ARNE_UNSUPPORTED);
    assert_non_null(strstr(error.text, "'base'"));
    assert_int_equal(arne_plan_new(robot, &options, &plan, &error), ARNE_OK);
    const arne_quantity what = {.kind = ARNE_QUANTITY_FRAME_POSITION, .frame = 99};
    int                 quantity;
    assert_int_equal(arne_plan_add_quantity(plan, &what, &quantity, &error), ARNE_VALUE);
    const int             row = 2;
    const arne_constraint c = {.quantity = plan_quantity_of(plan, ARNE_QUANTITY_TORQUE),
                               .row_count = 1,
                               .rows = &row,
                               .lower = least,
                               .upper = most,
                               .other = -1};
    assert_int_equal(arne_plan_add_constraint(plan, &c, &error), ARNE_VALUE);
    arne_plan_free(plan);
    arne_robot_free(robot);
    arne_robot_free(free_robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_links_in_least_time),
        cmocka_unit_test(ways_to_the_optimum),
        cmocka_unit_test(a_slide_and_a_link),
        cmocka_unit_test(refinement),
        cmocka_unit_test(too_little_time),
        cmocka_unit_test(interrupt),
        cmocka_unit_test(callbacks),
        cmocka_unit_test(closed_loop),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
