#include "planning.h"

#include "testing.h"

arne_plan *plan_of_text(const char *text)
{
    arne_plan *plan = NULL;
    arne_error error;
    assert_ok_or(arne_plan_read_yaml(text, strlen(text), ARNE_ROBOTS_DIR "/problem.yaml", NULL,
                                     &plan, &error),
                 &error);
    return plan;
}

int plan_quantity_of(arne_plan *plan, arne_quantity_kind kind)
{
    const arne_quantity what = {.kind = kind, .frame = -1, .other_frame = -1};
    int                 out = -1;
    assert_int_equal(arne_plan_add_quantity(plan, &what, &out, NULL), ARNE_OK);
    return out;
}

void plan_hold(arne_plan *plan, const char *name, arne_quantity_kind kind, double from, double to,
               const double *lower, const double *upper)
{
    const arne_constraint c = {.name = name,
                               .quantity = plan_quantity_of(plan, kind),
                               .row_count = arne_robot_sizes(arne_plan_robot(plan)).v_count,
                               .lower = lower,
                               .upper = upper,
                               .from = from,
                               .to = to,
                               .other = -1};
    assert_int_equal(arne_plan_add_constraint(plan, &c, NULL), ARNE_OK);
}

void plan_rest_to_rest(arne_plan *plan, const double *from, const double *to)
{
    static const double zero[64];
    plan_hold(plan, "start", ARNE_QUANTITY_POSITION, 0, 0, from, from);
    plan_hold(plan, "end", ARNE_QUANTITY_POSITION, 1, 1, to, to);
    plan_hold(plan, "start at rest", ARNE_QUANTITY_VELOCITY, 0, 0, zero, zero);
    plan_hold(plan, "end at rest", ARNE_QUANTITY_VELOCITY, 1, 1, zero, zero);
    for (int j = 0; j < arne_robot_sizes(arne_plan_robot(plan)).v_count; j++)
        arne_plan_start_line(plan, j, from[j], to[j]);
}

static void check_say(void *context, const char *quantity, const char *against, double first,
                      double second)
{
    const int exact = strcmp(against, "complex step") == 0;
    if (!(first < (exact ? 1e-10 : 2e-7) && second < 1e-4))
        fail_msg("%s: %s: %g, %g", (const char *)context, quantity, first, second);
}

void plan_check_derivatives(arne_plan *plan, const char *label)
{
    arne_error error;
    double     worst = 1;
    assert_ok_or(
        arne_plan_check_derivatives(plan, check_say, (void *)(size_t)label, &worst, &error),
        &error);
}

int plan_solved(arne_plan *plan, const arne_solve_options *options, arne_plan_result *result)
{
    arne_error        error;
    const arne_status status = arne_plan_solve(plan, options, result, &error);
    if (status == ARNE_UNSUPPORTED) return 0;
    if (status) fail_msg("%s", error.text);
    return 1;
}
