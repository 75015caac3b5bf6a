// Problems whose optimum is known, at the settings that a problem file has when it says nothing:
// met within a thousandth, and said to be converged.
#include "testing.h"

#include "planning.h"
#include <stdio.h>

static void check(const char *name, double want)
{
    arne_plan       *plan = NULL;
    arne_plan_result result;
    arne_error       error;
    char             path[512];
    snprintf(path, sizeof path, "%s/../tests/data/optima/%s.yaml", ARNE_ROBOTS_DIR, name);
    assert_ok_or(arne_plan_read(path, NULL, &plan, &error), &error);
    const arne_solve_options options = arne_plan_solver(plan);
    if (plan_solved(plan, &options, &result)) {
        if (!(fabs(result.objective - want) < 1e-3 * fabs(want)))
            fail_msg("%s: %.9g, not %.9g", name, result.objective, want);
        assert_int_equal(result.converged, 1);
    }
    arne_plan_free(plan);
}

static void a_double_integrator(void **unused)
{
    (void)unused;
    check("double_integrator", 2);
    check("least_squares", 12);
}

// Bang-bang along a curve, with arcs on which the velocity is at its limit.
static void a_quarter_of_a_circle(void **unused)
{
    (void)unused;
    check("quarter_circle", 2.549288);
}

// Take-off with the velocity that the leg's work leaves, then a parabola.
static void a_jump(void **unused)
{
    const double g = 9.81;
    (void)unused;
    check("hop", -(0.6 + (60 - 2 * g) * 0.3 / (2 * g)));
}

// A smooth optimum with a joint that nothing drives. The number is the limit of ever finer splines:
// 59.27, 58.91, 58.834, 58.8142 with twice as many spans each time.
static void a_swing_up(void **unused)
{
    (void)unused;
    check("swing_up", 58.808);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_double_integrator),
        cmocka_unit_test(a_quarter_of_a_circle),
        cmocka_unit_test(a_jump),
        cmocka_unit_test(a_swing_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
