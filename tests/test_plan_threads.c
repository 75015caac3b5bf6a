// Plans and Ipopt in one process: two plans at once, and a plan beside a plain program of Ipopt.
// Neither changes what the other finds, and a user of libipopt.so never sees our linear solver.
#include "planning.h"
#include "testing.h"

#include <IpStdCInterface.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#if __has_include(<HSLLoader.h>)
#include <HSLLoader.h>
#define MA57_IS_THERE() LSL_isMA57available()
#else
#define MA57_IS_THERE() 0
#endif

// ---- a plan

typedef struct job {
    const arne_robot *robot;
    double            turn; // of the first joint
    arne_plan_result  result;
    arne_status       status;
    int               seen; // iterations in which another user's MA57 was there
} job;

static int watch(void *context, const arne_plan_progress *now)
{
    (void)now;
    ((job *)context)->seen += MA57_IS_THERE() != 0;
    return 0;
}

static void *solve_plan(void *context)
{
    job                     *j = context;
    const double             from[6] = {0, -1.3, 1.8, -2.1, -1.5, 0};
    double                   to[6] = {j->turn, -1, 1.5, -2, -1.5, 0}, low[6], high[6];
    const arne_plan_options  options = {.degree = 5,
                                        .control_points = 12,
                                        .per_span = 2,
                                        .time = 3,
                                        .time_least = 0.2,
                                        .time_most = 10};
    const arne_solve_options how = {.refine = -1, .progress = watch, .context = j};
    arne_plan               *plan = NULL;
    arne_error               error;
    j->status = arne_plan_new(j->robot, &options, &plan, &error);
    if (j->status) return NULL;
    for (int k = 0; k < 6; k++) {
        high[k] = arne_robot_joint(j->robot, k).effort;
        low[k] = -high[k];
    }
    plan_rest_to_rest(plan, from, to);
    plan_hold(plan, "torque", ARNE_QUANTITY_TORQUE, 0, 1, low, high);
    arne_plan_add_time(plan, 1);
    j->status = arne_plan_solve(plan, &how, &j->result, &error);
    arne_plan_free(plan);
    return NULL;
}

static job solved(const arne_robot *robot, double turn)
{
    job j = {.robot = robot, .turn = turn};
    solve_plan(&j);
    return j;
}

static void check_same(const job *a, const job *b)
{
    assert_int_equal(a->status, ARNE_OK);
    assert_int_equal(b->status, ARNE_OK);
    assert_int_equal(a->result.iterations, b->result.iterations);
    assert_true(a->result.T == b->result.T);
    assert_int_equal(a->seen + b->seen, 0);
}

static void two_plans_at_once(void **unused)
{
    arne_robot *robot = read_robot("arm6", NULL);
    (void)unused;
    if (arne_plan_available(NULL) != ARNE_OK) {
        arne_robot_free(robot);
        skip();
    }
    const job alone[2] = {solved(robot, 1), solved(robot, 2)};
    job       both[2] = {{.robot = robot, .turn = 1}, {.robot = robot, .turn = 2}};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, solve_plan, &both[0]), 0);
    solve_plan(&both[1]);
    assert_int_equal(pthread_join(thread, NULL), 0);
    check_same(&alone[0], &both[0]);
    check_same(&alone[1], &both[1]);
    arne_robot_free(robot);
}

// ---- a plain program: least x^2 + y^2 with x y >= 1, from (2, 3); its optimum is (1, 1)

static Bool value(Index n, Number *x, Bool is_new, Number *out, UserDataPtr data)
{
    (void)n, (void)is_new, (void)data;
    *out = x[0] * x[0] + x[1] * x[1];
    return TRUE;
}

static Bool slope(Index n, Number *x, Bool is_new, Number *out, UserDataPtr data)
{
    (void)n, (void)is_new, (void)data;
    out[0] = 2 * x[0];
    out[1] = 2 * x[1];
    return TRUE;
}

static Bool rows(Index n, Number *x, Bool is_new, Index m, Number *out, UserDataPtr data)
{
    (void)n, (void)is_new, (void)m, (void)data;
    *out = x[0] * x[1];
    return TRUE;
}

static Bool jacobian(Index n, Number *x, Bool is_new, Index m, Index count, Index *row,
                     Index *column, Number *out, UserDataPtr data)
{
    (void)n, (void)is_new, (void)m, (void)data;
    for (int i = 0; i < count; i++) {
        if (out) out[i] = x[1 - i];
        if (!out) row[i] = 0, column[i] = i;
    }
    return TRUE;
}

static Bool hessian(Index n, Number *x, Bool is_new, Number factor, Index m, Number *lambda,
                    Bool new_lambda, Index count, Index *row, Index *column, Number *out,
                    UserDataPtr data)
{
    static const int at[3][2] = {{0, 0}, {1, 0}, {1, 1}};
    (void)n, (void)x, (void)is_new, (void)m, (void)new_lambda, (void)data;
    for (int i = 0; i < count; i++) {
        if (out) out[i] = i == 1 ? *lambda : 2 * factor;
        if (!out) row[i] = at[i][0], column[i] = at[i][1];
    }
    return TRUE;
}

typedef struct plain {
    int  rounds, wrong, available;
    char linear_solver[16];
} plain;

static void *solve_plain(void *context)
{
    plain *p = context;
    char   keys[2][32] = {"linear_solver", "print_level"}, sb[] = "sb", yes[] = "yes";
    for (int i = 0; i < p->rounds; i++) {
        double       lower[2] = {-10, -10}, upper[2] = {10, 10}, low = 1, high = 2e19;
        double       x[2] = {2, 3}, f = 0, g = 0, lambda = 0, zl[2] = {0}, zu[2] = {0};
        IpoptProblem problem = CreateIpoptProblem(2, lower, upper, 1, &low, &high, 2, 3, 0, value,
                                                  rows, slope, jacobian, hessian);
        (void)AddIpoptStrOption(problem, keys[0], p->linear_solver);
        (void)AddIpoptIntOption(problem, keys[1], 0);
        (void)AddIpoptStrOption(problem, sb, yes);
        p->available += MA57_IS_THERE() != 0;
        const int code = IpoptSolve(problem, x, &g, &f, &lambda, zl, zu, NULL);
        p->wrong += code != 0 || fabs(x[0] - 1) > 1e-6 || fabs(x[1] - 1) > 1e-6;
        FreeIpoptProblem(problem);
    }
    return NULL;
}

// Before, during and after a plan: MUMPS finds the same, and there is no MA57.
static void a_plain_program_beside_a_plan(void **unused)
{
    arne_robot *robot = read_robot("arm6", NULL);
    (void)unused;
    if (arne_plan_available(NULL) != ARNE_OK) {
        arne_robot_free(robot);
        skip();
    }
    const job alone = solved(robot, 1);
    job       beside = {.robot = robot, .turn = 1};
    plain     mumps = {.rounds = 20, .linear_solver = "mumps"}, more = mumps;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, solve_plan, &beside), 0);
    solve_plain(&mumps);
    assert_int_equal(pthread_join(thread, NULL), 0);
    solve_plain(&more);
    check_same(&alone, &beside);
    assert_int_equal(mumps.wrong + more.wrong, 0);
    assert_int_equal(mumps.available + more.available, 0);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_plans_at_once),
        cmocka_unit_test(a_plain_program_beside_a_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
