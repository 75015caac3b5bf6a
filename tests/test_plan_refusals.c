// What plans refuse of the C interface: numbers and indices just outside of what they take, each by
// its own words, and those just inside are taken.
#include "planning.h"
#include "testing.h"

#include <math.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

// A text of NULL: it is taken.
static void says(arne_status status, const arne_error *error, const char *text)
{
    if (!text && status) fail_msg("it is refused: %s", error->text);
    if (text && !status) fail_msg("'%s' is not said", text);
    if (text && !strstr(error->text, text)) fail_msg("'%s' is not said: %s", text, error->text);
}

static arne_plan_options usual(void)
{
    return (arne_plan_options){.degree = 3, .control_points = 8, .per_span = 2, .time = 1};
}

// ---- new plans

static void options_of_plans(void **unused)
{
    static const struct {
        arne_plan_options o;
        const char       *says;
    } rows[] = {
        {{.degree = 1, .control_points = 8, .per_span = 2, .time = 1}, "must be 2 to 9, not 1"},
        {{.degree = 2, .control_points = 8, .per_span = 2, .time = 1}, NULL},
        {{.degree = 9, .control_points = 12, .per_span = 2, .time = 1}, NULL},
        {{.degree = 10, .control_points = 20, .per_span = 2, .time = 1}, "must be 2 to 9, not 10"},
        {{.degree = 3, .control_points = 3, .per_span = 2, .time = 1}, "more than 3 control"},
        {{.degree = 3, .control_points = 4, .per_span = 2, .time = 1}, NULL},
        {{.degree = 3, .control_points = 10001, .per_span = 2, .time = 1}, "not 10001"},
        {{.degree = 3, .control_points = 8, .per_span = 2}, "must be positive, not 0"},
        {{.degree = 3, .control_points = 8, .per_span = 2, .time = INFINITY}, "not inf"},
        {{.degree = 3, .control_points = 8, .per_span = 2, .time = NAN}, "not nan"},
        {{.degree = 3, .control_points = 8, .per_span = 2, .time = 1, .time_least = -1},
         "cannot be between -1 and 0"},
        {{.degree = 3,
          .control_points = 8,
          .per_span = 2,
          .time = 1,
          .time_least = 2,
          .time_most = 1},
         "cannot be between 2 and 1"},
        {{.degree = 3,
          .control_points = 8,
          .per_span = 2,
          .time = 1,
          .time_least = 1,
          .time_most = 1},
         NULL},
        {{.degree = 3, .control_points = 8, .per_span = -1, .time = 1}, "2 to 100000 points"},
        {{.degree = 3, .control_points = 8, .per_span = 1, .time = 1}, NULL},
        {{.degree = 3, .control_points = 8, .per_span = 1000, .time = 1}, NULL},
        {{.degree = 3, .control_points = 8, .per_span = 1001, .time = 1}, "2 to 100000 points"},
        {{.degree = 3, .control_points = 8, .per_span = 1, .grid_points = 1, .time = 1},
         "2 to 100000 points"},
        {{.degree = 3, .control_points = 8, .per_span = 1, .grid_points = 2, .time = 1}, NULL},
        {{.degree = 3, .control_points = 8, .per_span = 1, .grid_points = -1, .time = 1},
         "2 to 100000 points"},
        {{.degree = 3, .control_points = 8, .per_span = 1, .grid_points = 100001, .time = 1},
         "2 to 100000 points"},
    };
    (void)unused;
    arne_robot *robot = read_robot("planar_2r", NULL);
    for (int i = 0; i < COUNT(rows); i++) {
        arne_plan        *plan = NULL;
        arne_error        error;
        const arne_status status = arne_plan_new(robot, &rows[i].o, &plan, &error);
        says(status, &error, rows[i].says);
        assert_int_equal(plan == NULL, rows[i].says != NULL);
        arne_plan_free(plan);
    }
    arne_robot_free(robot);
}

static void robots_of_plans(void **unused)
{
    (void)unused;
    const arne_plan_options o = usual();
    arne_robot             *robot = read_robot("quadruped", NULL);
    arne_plan              *plan = NULL;
    arne_error              error;
    says(arne_plan_new(robot, &o, &plan, &error), &error, "needs joints of one coordinate");
    arne_robot_free(robot);
    robot = read_robot("four_bar", NULL);
    says(arne_plan_new_in_phases(robot, &o, NULL, 0, NULL, 0, &plan, &error), &error,
         "phases and contacts are not known of robots with loops");
    assert_ok_or(arne_plan_new(robot, &o, &plan, &error), &error);
    const arne_payload load = {.mass = 1};
    says(arne_plan_add_payload(plan, 0, &load, (int[]){0}, 1, &error), &error,
         "has loops, whose plans know no loads of phases");
    arne_plan_free(plan);
    arne_robot_free(robot);
}

static void paths(void **unused)
{
    (void)unused;
    static const double     points[] = {0, 0, 1, 1, 1, 1, 2, 1}, moves[] = {0, 0, 0, 1, 1, 1};
    const arne_plan_options o = usual();
    arne_robot             *robot = read_robot("planar_2r", NULL);
    arne_plan              *plan = NULL;
    arne_error              error;
    says(arne_plan_new_on_path(robot, &o, 1, points, &plan, &error), &error, "two points or more");
    says(arne_plan_new_on_path(robot, &o, 4, points, &plan, &error), &error,
         "points 2 and 3 of the path are the same");
    assert_null(plan);
    says(arne_plan_new_on_path(robot, &o, 3, moves, &plan, &error), &error, NULL);
    // The path's parameter is planned, from 0 to 1.
    assert_int_equal(arne_plan_robot(plan) == robot, 1);
    arne_plan_free(plan);
    arne_robot_free(robot);
}

static void contacts(void **unused)
{
    (void)unused;
    static const int        none[] = {1}, all[] = {0};
    const arne_plan_options o = usual(),
                            low = {.degree = 2, .control_points = 8, .per_span = 2, .time = 1};
    const arne_plan_phase phase = {.name = "stance", .time = 1},
                          struck = {.name = "strike", .time = 1, .impact = 1};
    arne_robot *robot = read_robot("planar_2r", NULL);
    const int   frames = arne_robot_sizes(robot).frame_count;
    const struct {
        arne_plan_contact c;
        const char       *says;
    } rows[] = {
        {{.name = "a", .frame = -1}, "contact 'a': there is no such frame"},
        {{.name = "a", .frame = frames}, "contact 'a': there is no such frame"},
        {{.name = "a", .frame = frames - 1}, NULL},
        {{.name = "a", .holds = 1, .frame = 0, .other_frame = frames}, "there is no such frame"},
        {{.name = "b", .friction = -0.1}, "contact 'b': friction must not be negative, as -0.1 is"},
        {{.name = "b", .friction = NAN}, "must not be negative"},
        {{.name = "c", .phases = none, .phase_count = 1}, "contact 'c': there is no such phase"},
        {{.name = "c", .phases = (int[]){-1}, .phase_count = 1}, "there is no such phase"},
        {{.name = "c", .frame = frames - 1, .phases = all, .phase_count = 1}, NULL},
    };
    arne_error error;
    for (int i = 0; i < COUNT(rows); i++) {
        arne_plan        *plan = NULL;
        const arne_status status =
            arne_plan_new_in_phases(robot, &o, &phase, 1, &rows[i].c, 1, &plan, &error);
        says(status, &error, rows[i].says);
        arne_plan_free(plan);
    }
    arne_plan              *plan = NULL;
    const arne_plan_contact fine = {.name = "tip", .frame = frames - 1};
    says(arne_plan_new_in_phases(robot, &low, &phase, 1, &fine, 1, &plan, &error), &error,
         "with contacts the degree of splines must be 3 or more, not 2");
    says(arne_plan_new_in_phases(robot, &o, &struck, 1, NULL, 0, &plan, &error), &error,
         "phase 'strike' is the first: there is nothing before its impact");
    says(arne_plan_new_in_phases(NULL, &o, NULL, 0, NULL, 0, &plan, &error), &error,
         "robot is NULL");
    says(arne_plan_new_in_phases(robot, &o, NULL, 0, NULL, 0, NULL, &error), &error, "out is NULL");
    says(arne_plan_new_in_phases(robot, &o, NULL, 1, NULL, 0, &plan, &error), &error,
         "phases is NULL");
    says(arne_plan_new_in_phases(robot, &o, &phase, 1, NULL, 1, &plan, &error), &error,
         "contacts is NULL");
    arne_robot_free(robot);
}

// ---- what is added to plans

static int nothing(void *context, double u, const double *z, double *value, double *gradient)
{
    (void)context, (void)u, (void)z, (void)gradient;
    return *value = 0, 0;
}

static void quantities(void **unused)
{
    (void)unused;
    const arne_plan_options o = usual();
    arne_robot             *robot = read_robot("planar_2r", NULL);
    const arne_sizes        size = arne_robot_sizes(robot);
    const double            reference[2] = {0};
    const arne_vec3         corners[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const int               after = size.frame_count, last = size.frame_count - 1;
    const struct {
        arne_quantity q;
        const char   *says;
    } rows[] = {
        {{.kind = (arne_quantity_kind)-1}, "there is no such quantity"},
        {{.kind = ARNE_QUANTITY_KIND_COUNT}, "there is no such quantity"},
        {{.kind = ARNE_QUANTITY_WRENCH, .joint = -1}, "wrench: there is no such joint"},
        {{.kind = ARNE_QUANTITY_WRENCH, .joint = size.joint_count},
         "wrench: there is no such joint"},
        {{.kind = ARNE_QUANTITY_WRENCH, .joint = size.joint_count - 1}, NULL},
        {{.kind = ARNE_QUANTITY_FRAME_POSITION, .frame = -1}, "there is no such frame"},
        {{.kind = ARNE_QUANTITY_FRAME_POSITION, .frame = after}, "there is no such frame"},
        {{.kind = ARNE_QUANTITY_FRAME_POSITION, .frame = last}, NULL},
        {{.kind = ARNE_QUANTITY_DISTANCE, .frame = after}, "distance: there is no such frame"},
        {{.kind = ARNE_QUANTITY_DISTANCE, .other_frame = after},
         "distance: there is no such frame"},
        {{.kind = ARNE_QUANTITY_DISTANCE, .other_frame = -2}, "distance: there is no such frame"},
        {{.kind = ARNE_QUANTITY_DISTANCE, .frame = last, .other_frame = -1}, NULL},
        {{.kind = ARNE_QUANTITY_ZMP_INSIDE, .corners = corners, .corner_count = 2}, "fewer than 3"},
        {{.kind = ARNE_QUANTITY_ZMP_INSIDE, .corners = corners, .corner_count = 3}, NULL},
        {{.kind = ARNE_QUANTITY_DEVIATION, .reference_count = 1}, "the reference is missing"},
        {{.kind = ARNE_QUANTITY_DEVIATION, .reference = reference}, "the reference is missing"},
        {{.kind = ARNE_QUANTITY_DEVIATION, .reference = reference, .reference_count = 1}, NULL},
        {{.kind = ARNE_QUANTITY_CONTACT_FORCE}, "contact_force: there is no such contact"},
        {{.kind = ARNE_QUANTITY_CONTACT_FORCE, .joint = -1}, "there is no such contact"},
    };
    arne_plan *plan = NULL;
    arne_error error;
    int        at = 0, wanted = 0;
    assert_ok_or(arne_plan_new(robot, &o, &plan, &error), &error);
    for (int i = 0; i < COUNT(rows); i++) {
        says(arne_plan_add_quantity(plan, &rows[i].q, &at, &error), &error, rows[i].says);
        if (!rows[i].says) assert_int_equal(at, wanted++);
    }
    says(arne_plan_add_callback(plan, "own", 0, nothing, NULL, &at, &error), &error,
         "needs a function and rows");
    says(arne_plan_add_callback(plan, "own", 1, nothing, NULL, &at, &error), &error, NULL);
    assert_int_equal(at, wanted);
    arne_plan_free(plan);
    arne_robot_free(robot);
}

static void constraints(void **unused)
{
    (void)unused;
    static const arne_plan_phase two[] = {
        {.name = "a", .time = 1, .time_least = 0.5, .time_most = 2},
        {.name = "b", .time = 1, .time_least = 0.5, .time_most = 2}};
    static const double zero[2] = {0, 0}, one[2] = {1, 1}, mixed[2] = {1, 0};
    static const int    beyond[2] = {0, 2};
    static const struct {
        arne_constraint c;
        const char     *says;
    } rows[] = {
        {{.lower = one, .upper = mixed, .to = 1},
         "c: the lower bound 1 is above the upper bound 0"},
        {{.lower = zero, .upper = one, .to = 1, .phase = 3}, "c: there is no such phase"},
        {{.lower = zero, .upper = one, .to = 1, .phase = -1}, "c: there is no such phase"},
        {{.lower = zero, .upper = one, .to = 1, .other_phase = 3}, "c: there is no such phase"},
        {{.lower = zero, .upper = one, .from = 0.5, .to = 1}, "name the phase"},
        {{.lower = zero, .upper = one, .to = 0.5}, "name the phase"},
        {{.lower = zero, .upper = one, .from = 0.5, .to = 1, .phase = 2}, NULL},
        {{.lower = zero, .upper = one, .from = -0.5, .to = 1, .phase = 2}, "0 to 1"},
        {{.lower = zero, .upper = one, .to = 1.5, .phase = 2}, "0 to 1"},
        {{.lower = zero, .upper = one, .to = 1, .rows = beyond}, "row"},
        {{.lower = zero, .upper = one, .to = 1}, NULL},
    };
    const arne_plan_options o = usual();
    arne_robot             *robot = read_robot("planar_2r", NULL);
    arne_plan              *plan = NULL;
    arne_error              error;
    assert_ok_or(arne_plan_new_in_phases(robot, &o, two, 2, NULL, 0, &plan, &error), &error);
    const int q = plan_quantity_of(plan, ARNE_QUANTITY_TORQUE);
    for (int i = 0; i < COUNT(rows); i++) {
        arne_constraint c = rows[i].c;
        c.name = "c";
        c.quantity = q;
        c.row_count = 2;
        c.other = -1;
        says(arne_plan_add_constraint(plan, &c, &error), &error, rows[i].says);
    }
    arne_objective objective = {
        .name = "o", .quantity = q, .row_count = 2, .weights = one, .rows = beyond, .at = -1};
    says(arne_plan_add_objective(plan, &objective, &error), &error, "o: there is no such row");
    objective.rows = NULL;
    objective.quantity = q + 1;
    says(arne_plan_add_objective(plan, &objective, &error), &error, "o: there is no such row");
    objective.quantity = q;
    says(arne_plan_add_objective(plan, &objective, &error), &error, NULL);
    says(arne_plan_prescribe(plan, -1, zero, 1, 0, 0, 0, &error), &error,
         "there is no coordinate -1");
    says(arne_plan_prescribe(plan, 2, zero, 1, 0, 0, 0, &error), &error,
         "there is no coordinate 2");
    arne_plan_free(plan);
    arne_robot_free(robot);
}

static void loads(void **unused)
{
    (void)unused;
    static const double row[7] = {0, 1}, early[7] = {-0.1}, late[7] = {1.1}, bad[7] = {0, NAN};
    static const double still[14] = {[0] = 0.5, [7] = 0.5}, rising[14] = {[0] = 0, [7] = 1};
    static const arne_plan_phase two[] = {
        {.name = "a", .time = 1, .time_least = 0.5, .time_most = 2}, {.name = "b", .time = 1}};
    const arne_plan_options o = usual();
    arne_robot             *robot = read_robot("planar_2r", NULL);
    const int               after = arne_robot_sizes(robot).frame_count;
    const struct {
        arne_plan_wrench w;
        const char      *says;
    } rows[] = {
        {{.frame = -1, .table = row, .count = 1}, "wrench 'w': there is no such frame"},
        {{.frame = after, .table = row, .count = 1}, "wrench 'w': there is no such frame"},
        {{.count = 1}, "wrench 'w' has no numbers"},
        {{.table = row}, "wrench 'w' has no numbers"},
        {{.table = bad, .count = 1}, "wrench 'w': row 1 has no finite numbers"},
        {{.table = early, .count = 1}, "goes from 0 to 1, and is -0.1 in row 1"},
        {{.table = late, .count = 1}, "goes from 0 to 1, and is 1.1 in row 1"},
        {{.table = still, .count = 2}, "must rise from row to row, and does not in row 2"},
        {{.table = rising, .count = 2}, "name the phase that it changes over"},
        {{.table = rising, .count = 2, .of_phase = 1}, NULL},
        {{.frame = after - 1, .table = row, .count = 1}, NULL},
    };
    arne_plan *plan = NULL;
    arne_error error;
    int        at;
    assert_ok_or(arne_plan_new_in_phases(robot, &o, two, 2, NULL, 0, &plan, &error), &error);
    for (int i = 0; i < COUNT(rows); i++) {
        arne_plan_wrench w = rows[i].w;
        w.name = "w";
        says(arne_plan_add_wrench(plan, &w, &error), &error, rows[i].says);
    }
    // Quantities that wrenches are not known with, before and after.
    const arne_quantity zmp = {.kind = ARNE_QUANTITY_ZMP},
                        rate = {.kind = ARNE_QUANTITY_TORQUE_RATE};
    says(arne_plan_add_quantity(plan, &zmp, &at, &error), &error, "zmp is not known with wrenches");
    says(arne_plan_add_quantity(plan, &rate, &at, &error), &error, "over a time that is free");
    const arne_payload load = {.mass = 1};
    says(arne_plan_add_payload(plan, -1, &load, (int[]){0}, 1, &error), &error, "no such frame");
    says(arne_plan_add_payload(plan, after, &load, (int[]){0}, 1, &error), &error, "no such frame");
    says(arne_plan_add_payload(plan, after - 1, &load, (int[]){2}, 1, &error), &error,
         "no such phase");
    says(arne_plan_add_payload(plan, after - 1, &load, (int[]){-1}, 1, &error), &error,
         "no such phase");
    says(arne_plan_add_payload(plan, after - 1, &load, (int[]){1}, 1, &error), &error, NULL);
    arne_plan_free(plan);
    assert_ok_or(arne_plan_new(robot, &o, &plan, &error), &error);
    assert_ok_or(arne_plan_add_quantity(plan, &zmp, &at, &error), &error);
    const arne_plan_wrench w = {.table = row, .count = 1};
    says(arne_plan_add_wrench(plan, &w, &error), &error, "zmp is not known with wrenches");
    arne_plan_free(plan);
    arne_robot_free(robot);
}

static void strengths(void **unused)
{
    (void)unused;
    static const double rising[] = {0, 1}, flat[] = {1, 1}, torques[] = {1, 2, 3, 4},
                        bad[] = {1, -2, 3, 4};
    static const double endless[] = {1, INFINITY, 1, 1};
    static const struct {
        int           coordinate;
        arne_strength s;
        const char   *says;
    } rows[] = {
        {-1, {.stall = 1, .no_load = 1}, "strength: there is no such coordinate"},
        {2, {.stall = 1, .no_load = 1}, "strength: there is no such coordinate"},
        {1, {.stall = 1, .no_load = 1}, NULL},
        {0, {.stall = 1}, "needs a positive stall torque and no-load"},
        {0, {.no_load = 1}, "needs a positive stall torque and no-load"},
        {0, {.stall = -1, .no_load = 1}, "needs a positive stall torque and no-load"},
        {0, {.angle_count = 0}, "the table has no numbers"},
        {0, {.angle_count = 2, .torques = torques}, "the table has no numbers"},
        {0, {.velocity_count = 2, .torques = torques}, "the table has no numbers"},
        {0, {.angles = rising, .angle_count = -1, .torques = torques}, "the table has no numbers"},
        {0, {.angles = flat, .angle_count = 2, .torques = torques}, "angles"},
        {0, {.velocities = flat, .velocity_count = 2, .torques = torques}, "velocities"},
        {0, {.angles = rising, .angle_count = 2, .torques = bad}, "as -2 is"},
        {0, {.angles = rising, .angle_count = 2, .torques = endless}, "as inf is"},
        {0, {.angles = rising, .angle_count = 2, .torques = torques, .opposite = bad}, "as -2 is"},
        {0,
         {.angles = rising,
          .angle_count = 2,
          .velocities = rising,
          .velocity_count = 2,
          .torques = torques},
         NULL},
        {0, {.torques = torques}, NULL},
    };
    const arne_plan_options o = usual();
    arne_robot             *robot = read_robot("planar_2r", NULL);
    arne_plan              *plan = NULL;
    arne_error              error;
    assert_ok_or(arne_plan_new(robot, &o, &plan, &error), &error);
    for (int i = 0; i < COUNT(rows); i++)
        says(arne_plan_set_strength(plan, rows[i].coordinate, &rows[i].s, &error), &error,
             rows[i].says);
    arne_plan_free(plan);
    arne_robot_free(robot);
}

// ---- quantities that have no value

// q1 q2, but where it has none.
typedef struct lame {
    int    values, gradients; // these fail
    double from;              // at instants from here on
    int    calls;
} lame;

static int lame_product(void *context, double u, const double *z, double *value, double *gradient)
{
    lame *l = context;
    l->calls++;
    if (u >= l->from && (gradient ? l->gradients : l->values)) return 1;
    *value = z[0] * z[1];
    if (gradient) gradient[0] = z[1], gradient[1] = z[0];
    return 0;
}

static void quiet(void *context, const char *quantity, const char *against, double first,
                  double second)
{
    (void)context, (void)quantity, (void)against, (void)first, (void)second;
}

static void quantities_without_a_value(void **unused)
{
    static const double from[2] = {0, 0}, to[2] = {1, 1}, low = -1, high = 0.9, weight = 1;
    (void)unused;
    arne_robot *robot = read_robot("planar_2r", NULL);
    for (int i = 0; i < 14; i++) { // twelve that fail; then as constraint and objective none
        const int as_objective = i & 1, kind = i / 2;
        lame      l = {.values = kind < 3, .gradients = kind < 6, .from = kind % 3 * 0.5};
        const arne_plan_options o = usual();
        arne_plan              *plan = NULL;
        arne_plan_result        result;
        arne_error              error;
        double                  worst = 0;
        int                     at;
        assert_ok_or(arne_plan_new(robot, &o, &plan, &error), &error);
        plan_rest_to_rest(plan, from, to);
        assert_ok_or(arne_plan_add_callback(plan, "lame", 1, lame_product, &l, &at, &error),
                     &error);
        const arne_constraint c = {.name = "bound",
                                   .quantity = at,
                                   .row_count = 1,
                                   .lower = &low,
                                   .upper = &high,
                                   .to = 0.9,
                                   .other = -1};
        const arne_objective  f = {
             .name = "effort", .quantity = at, .row_count = 1, .weights = &weight, .at = -1};
        if (as_objective)
            assert_ok_or(arne_plan_add_objective(plan, &f, &error), &error);
        else
            assert_ok_or(arne_plan_add_constraint(plan, &c, &error), &error);
        // Nothing asks for the last instant.
        const int         fails = kind < 6 && kind % 3 < 2;
        const arne_status checked = arne_plan_check_derivatives(plan, quiet, NULL, &worst, &error);
        if (fails != (checked != ARNE_OK || !(worst < 1e-3)))
            fail_msg("case %d: derivatives are checked: %g (%s)", i, worst,
                     checked ? error.text : "");
        const arne_solve_options how = {.refine = -1};
        const arne_status        status = arne_plan_solve(plan, &how, &result, &error);
        if (status != ARNE_UNSUPPORTED) { // there is a solver
            if (fails && l.values)
                says(status, &error,
                     as_objective ? "no motion was found for which the objective has a value"
                                  : "bound has no value at t = ");
            else
                assert_ok_or(status, &error);
            // Without derivatives the motion stays where it began, and that is said.
            assert_int_equal(result.status, !fails     ? ARNE_PLAN_OPTIMAL
                                            : l.values ? ARNE_PLAN_FAILED
                                                       : ARNE_PLAN_STALLED);
        }
        assert_true(l.calls > 0);
        arne_plan_free(plan);
    }
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_of_plans),
        cmocka_unit_test(robots_of_plans),
        cmocka_unit_test(paths),
        cmocka_unit_test(contacts),
        cmocka_unit_test(quantities),
        cmocka_unit_test(constraints),
        cmocka_unit_test(loads),
        cmocka_unit_test(strengths),
        cmocka_unit_test(quantities_without_a_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
