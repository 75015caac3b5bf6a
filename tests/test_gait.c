// Walking: derivatives of what the ground does, and the step of the gait problem.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): mkstemp
#include "human/gait_cycle.h"
#include "human/gait_result.h"
#include "plan/problem/strength.h"
#include "reference.h"
#include "testing.h"
#include <arne/table.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { V = 55, ALL = PLAN_ORDERS * V };

// A plan of a step, with its robot.
typedef struct walk {
    const arne_robot *robot;
    arne_plan        *plan;
    gait              gait;
} walk;

static walk new_walk(void)
{
    static const char problem[] = "robot: " ARNE_ROBOTS_DIR "/human.yaml\n"
                                  "gait: {formulation: thesis}\n";
    walk              w;
    arne_error        error;
    assert_ok_or(arne_plan_read_yaml(problem, sizeof problem - 1, "walk", NULL, &w.plan, &error),
                 &error);
    w.robot = w.plan->problem.robot;
    w.gait = *plan_gait_of(w.plan);
    assert_ok_or(plan_ready(w.plan, 0, &error), &error);
    return w;
}

static void free_walk(walk *w) { arne_plan_free(w->plan); }

// The ground takes all of the wrench that the body needs, and its share is what it says: the second
// pass leaves nothing for the joints between world and pelvis, and the torques of the quantity.
static void two_passes(void **unused)
{
    (void)unused;
    walk       w = new_walk();
    arne_work *work = new_work(w.robot);
    plan_state at;
    assert_ok(plan_state_new(&w.plan->problem, w.plan->now.program->workers, &at, NULL));
    for (unsigned seed = 1; seed < 20; seed++) {
        const double u = (seed % 10) / 10.0;
        const state  s = random_state(w.robot, seed);
        double       z[ALL] = {0}, tau[V];
        for (int i = 0; i < V; i++) {
            z[i] = 0.3 * s.q[i];
            z[V + i] = 0.3 * s.qd[i];
            z[2 * V + i] = 0.3 * s.qdd[i];
        }
        plan_put(&at, 0, u, 0.5, z);
        const double *row = plan_values(&at, w.gait.ground);
        if (!row) continue; // no force on the ground, no zero-moment point
        arne_wrench f_ext[64];
        double      feet[WALKER_SIDES][6], sum[3];
        plan_gait_loads(&w.gait, w.robot, work, u, z, z + V, z + 2 * V, tau, feet, f_ext);
        for (int i = 0; i < 3; i++)
            sum[i] = feet[WALKER_RIGHT][i] + feet[WALKER_LEFT][i];
        assert_close(&s, "ground force", row + V + GROUND_FX, sum, 3, 1e-10);
        assert_close(&s, "ground force on the global coordinates", tau, sum, 3, 1e-10);
        arne_inverse_dynamics(w.robot, work, z, z + V, z + 2 * V, f_ext, tau);
        assert_close(&s, "torques of the second pass", tau, row, V, 1e-8);
    }
    plan_state_free(&at);
    arne_work_free(work);
    free_walk(&w);
}

static double largest(const double *x, int count)
{
    double most = 1;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

// First and second derivatives of a quantity against differences of its values and gradients.
static void check_quantity(walk *w, int quantity, double u, const double *z, unsigned seed)
{
    const plan_quantity *q = &w->plan->problem.quantities[quantity];
    plan_state           at, near_by;
    double               moved[ALL], lambda[V + GROUND_ROWS], *lambdas[64] = {NULL};
    rng                  r = rng_seed(seed);
    assert_true(q->rows <= V + GROUND_ROWS && w->plan->problem.quantity_count <= 64);
    rng_fill(&r, lambda, q->rows, 1);
    lambdas[quantity] = lambda;
    assert_ok(plan_state_new(&w->plan->problem, w->plan->now.program->workers, &at, NULL));
    assert_ok(plan_state_new(&w->plan->problem, w->plan->now.program->workers, &near_by, NULL));
    plan_put(&at, 0, u, 0.5, z);
    const double *g = plan_gradient(&at, quantity);
    assert_non_null(g);
    assert_int_equal(plan_hessian(w->plan->now.program, &at, lambdas), 0);
    const double *H = w->plan->now.program->workers[0].H;
    const double  g_size = largest(g, q->rows * ALL), H_size = largest(H, ALL * ALL), h = 1e-5;
    memcpy(moved, z, sizeof moved);
    for (int c = 0; c < 3 * V; c++) {
        double slope[V + GROUND_ROWS] = {0}, bend[ALL] = {0};
        for (int side = -1; side < 2; side += 2) {
            moved[c] = z[c] + side * h;
            plan_put(&near_by, 0, u, 0.5, moved);
            const double *x = plan_values(&near_by, quantity),
                         *dx = plan_gradient(&near_by, quantity);
            for (int i = 0; i < q->rows; i++) {
                slope[i] += side * x[i] / (2 * h);
                for (int k = 0; k < ALL; k++)
                    bend[k] += side * lambda[i] * dx[i * ALL + k] / (2 * h);
            }
        }
        moved[c] = z[c];
        for (int i = 0; i < q->rows; i++)
            if (!(fabs(slope[i] - g[i * ALL + c]) < 1e-8 * g_size))
                fail_msg("%s, row %d by column %d: %g, differences say %g", q->name, i, c,
                         g[i * ALL + c], slope[i]);
        for (int k = 0; k < ALL; k++)
            if (!(fabs(bend[k] - H[c * ALL + k]) < 1e-7 * H_size))
                fail_msg("%s, columns %d and %d: %g, differences say %g", q->name, c, k,
                         H[c * ALL + k], bend[k]);
    }
    plan_state_free(&at);
    plan_state_free(&near_by);
}

static void derivatives(void **unused)
{
    (void)unused;
    walk w = new_walk();
    for (unsigned seed = 1; seed < 3; seed++) {
        double z[ALL];
        rng    r = rng_seed(seed);
        rng_fill(&r, z, V, 0.3);
        rng_fill(&r, z + V, 3 * V, 0.5);
        for (int i = 0; i < w.plan->problem.quantity_count; i++)
            if (!w.plan->problem.quantities[i].linear)
                check_quantity(&w, i, seed == 1 ? 0.1 : 0.6, z, seed);
    }
    free_walk(&w);
}

// What the solver gets is what is counted.
static void rows_are_those_that_are_there(void **unused)
{
    (void)unused;
    walk w = new_walk();
    assert_int_equal(plan_gait_count(w.plan, NULL), w.plan->now.program->row_count);
    assert_int_equal(plan_gait_count(w.plan, "symmetry of posture"), 55);
    assert_int_equal(w.plan->problem.n * w.plan->now.grid.m, 330);
    free_walk(&w);
}

#define EXAMPLES ARNE_ROBOTS_DIR "/../examples/gait/"

// Reads an example, with another speed, size or weight where one is given.
static arne_plan *read_gait(const char *example, const char *instead)
{
    arne_plan  *plan = NULL;
    arne_error  error;
    char        path[] = "/tmp/arne_gait_XXXXXX", given[512];
    const char *file = given;
    snprintf(given, sizeof given, EXAMPLES "%s", example);
    if (instead) { // beside the robot's file, by its full name
        FILE     *from = fopen(given, "r"), *to = NULL;
        const int at = mkstemp(path);
        char      line[512];
        assert_true(from && at >= 0);
        to = fdopen(at, "w");
        while (fgets(line, sizeof line, from))
            if (strstr(line, "robot:"))
                fprintf(to, "robot: %s/human.yaml\n", ARNE_ROBOTS_DIR);
            else if (strstr(line, "speed: 1.2"))
                fprintf(to, "  %s\n", instead);
            else
                fputs(line, to);
        fclose(from);
        fclose(to);
        file = path;
    }
    const arne_status status = arne_plan_read(file, NULL, &plan, &error);
    if (instead) remove(path);
    assert_ok_or(status, &error);
    return plan;
}

// The thesis's own formulation.
static arne_plan *read_example(const char *instead) { return read_gait("thesis.yaml", instead); }

static void between(const char *what, double x, double low, double high)
{
    if (!(x >= low && x <= high)) fail_msg("%s is %.6g, not in %g .. %g", what, x, low, high);
}

static gait_cycle solve(arne_plan *plan, const char *what)
{
    const arne_solve_options how = arne_plan_solver(plan);
    arne_plan_result         result;
    arne_error               error;
    gait_cycle               cycle;
    const arne_status        status = arne_plan_solve(plan, &how, &result, &error);
    if (status == ARNE_UNSUPPORTED) {
        print_message("skipped: %s\n", error.text);
        skip();
    }
    assert_ok_or(status, &error);
    assert_int_equal(result.status, ARNE_PLAN_OPTIMAL);
    between("violation", result.violation, 0, 1e-6);
    assert_true(plan_gait_cycle(plan, plan_gait_of(plan), &cycle));
    between("what the global coordinates have to carry", cycle.residual, 0, 1e-6);
    print_message("%s: effort %.6f, %d iterations, %.1f s\n", what, result.objective,
                  result.iterations, result.solve_time);
    return cycle;
}

// The zero-moment point is where it must be at the grid points, with no help from the plan's rows.
static void check_balance(arne_plan *plan)
{
    const gait *g = plan_gait_of(plan);
    plan_state  at;
    assert_ok(plan_state_new(&plan->problem, plan->now.program->workers, &at, NULL));
    for (int k = 0; k <= GAIT_GRID; k++) {
        plan_place(plan->now.program, &at, 0, (double)k / GAIT_GRID, plan->now.x);
        const double *row = plan_values(&at, g->ground) + V, step = plan_gait_step(&g->options);
        const double  rear = 0.30 - step + 0.18406 + 0.016, front = 0.33;
        const double  low = k < 3 ? rear : k < 9 ? front : 0.48406 - 0.02;
        const double  high = k < 3 ? front : k < 9 ? 0.30 + 0.25943 : rear + step;
        const double  share = k < 3 ? (row[GROUND_Z] - rear) / (front - rear) : 1;
        between("zero-moment point", row[GROUND_Z], low - 1e-6, high + 1e-6);
        between("aside", row[GROUND_X] - (0.05 - 0.10 * share), -0.045 - 1e-6, 0.045 + 1e-6);
    }
    plan_state_free(&at);
}

static void check_normal(const gait_cycle *cycle)
{
    static const struct {
        const char *name;
        int         column;
        double      least;
    } rows[] = {{"hip_flex_schwartz_deg", CYCLE_HIP, 0.90},
                {"knee_flex_schwartz_deg", CYCLE_KNEE, 0.70},
                {"ankle_dors_schwartz_deg", CYCLE_ANKLE, 0.60}};
    char        path[4096];
    arne_table *t = NULL;
    if (!reference_path("../gait/normal_gait.csv", path, sizeof path)) return;
    assert_ok(arne_table_read_csv(path, &t, NULL));
    const int count = arne_table_rows(t), percent = arne_table_find(t, "pct");
    double    x[512], y[512];
    assert_true(count <= 512 && percent >= 0);
    for (int i = 0; i < 3; i++) {
        const int column = arne_table_find(t, rows[i].name);
        assert_true(column >= 0);
        for (int k = 0; k < count; k++) {
            x[k] = arne_table_row(t, k)[percent];
            y[k] = arne_table_row(t, k)[column];
        }
        between(rows[i].name, plan_gait_correlation(cycle, rows[i].column, count, x, y),
                rows[i].least, 1);
    }
    arne_table_free(t);
}

// Some steps of the search and all results: enough for those who look at memory.
static void walks_a_little(void **unused)
{
    (void)unused;
    arne_plan         *plan = read_example(NULL);
    arne_solve_options how = arne_plan_solver(plan);
    arne_plan_result   result;
    arne_error         error;
    char               folder[] = "/tmp/arne_gait_XXXXXX";
    how.iterations = 2;
    const arne_status status = arne_plan_solve(plan, &how, &result, &error);
    if (status == ARNE_UNSUPPORTED) {
        print_message("skipped: %s\n", error.text);
        arne_plan_free(plan);
        skip();
    }
    assert_true(status == ARNE_OK || status == ARNE_NOT_CONVERGED);
    assert_non_null(mkdtemp(folder));
    assert_ok_or(arne_plan_write(plan, &result, folder, NULL, &error), &error);
    char path[128];
    snprintf(path, sizeof path, "%s%s/stride.csv", folder, // two iterations are not enough
             arne_plan_is_complete(result.status) ? "" : ".incomplete");
    arne_table *stride = NULL;
    assert_ok_or(arne_table_read_csv(path, &stride, &error), &error);
    assert_int_equal(arne_table_rows(stride), CYCLE_ROWS);
    arne_table_free(stride);
    snprintf(path, sizeof path, "rm -r %s*", folder);
    assert_int_equal(system(path), 0);
    arne_plan_free(plan);
}

// 1.2 m/s, from q = 0: what the literature and measured gait say of forces and angles.
static void walks(void **unused)
{
    (void)unused;
    if (TEST_PART > 1) skip();
    arne_plan       *plan = read_example(NULL);
    const gait_cycle c = solve(plan, "1.2 m/s");
    check_balance(plan);
    between("the zero-moment point between grid points", c.balance, -1, 0.015);
    between("the mean vertical force", c.mean_vertical, 1 - 1e-3, 1 + 1e-3);
    between("the peak at loading", c.loading, 1.0, 1.25);
    between("the peak at push-off", c.push, 1.0, 1.25);
    between("the valley", c.valley, 0, fmin(c.loading, c.push) - 0.03);
    between("braking", c.braking, -0.25, -0.10);
    between("propulsion", c.propulsion, 0.08, 0.25);
    between("the swinging knee", c.knee, 55 - 1e-3, 65 + 1e-3);
    check_normal(&c);
    arne_plan_free(plan);
}

// Other speeds, another person: in long tests only.
static void walks_otherwise(void **unused)
{
    (void)unused;
    static const char *const others[] = {"speed: 1.0", "speed: 1.1", "speed: 1.3", "speed: 1.4",
                                         "height: 1.62\n  mass: 58\n  speed: 1.1"};
    if (!getenv("ARNE_LONG")) skip();
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        arne_plan       *plan = read_example(others[i]);
        const gait_cycle c = solve(plan, others[i]);
        between("the mean vertical force", c.mean_vertical, 1 - 2e-3, 1 + 2e-3);
        between("the swinging knee", c.knee, 55 - 1e-3, 65 + 1e-3);
        arne_plan_free(plan);
    }
}

// The multipliers of this search grow without bound on the way: that is no optimum.
static void goes_on_where_multipliers_grow(void **unused)
{
    (void)unused;
    if (TEST_PART > 1) skip();
    arne_plan               *plan = read_gait("../../tests/data/walk_with_backpack.yaml", NULL);
    arne_plan_result         result;
    arne_error               error;
    const arne_solve_options how = arne_plan_solver(plan);
    const arne_status        status = arne_plan_solve(plan, &how, &result, &error);
    assert_true(status == ARNE_OK || status == ARNE_UNSUPPORTED || status == ARNE_NOT_CONVERGED);
    if (result.status == ARNE_PLAN_OPTIMAL) between("effort", result.objective, 0, 0.4);
    arne_plan_free(plan);
}

// Nobody walks so fast with such long steps: hips do not reach so far back.
static void is_too_fast(void **unused)
{
    (void)unused;
    if (!getenv("ARNE_LONG")) skip();
    arne_plan               *plan = read_gait("problem.yaml", "speed: 2.5");
    const arne_solve_options options = arne_plan_solver(plan);
    arne_plan_result         result;
    arne_error               error = {0};
    assert_int_equal(arne_plan_solve(plan, &options, &result, &error), ARNE_NOT_CONVERGED);
    if (!strstr(error.text, "joint limits of joint 'L_hip_flex'")) fail_msg("%s", error.text);
    assert_true(result.iterations < 150);
    arne_plan_free(plan);
}

// What is wrong is said before any search, with its line.
static void bad_gaits(void **unused)
{
    (void)unused;
    static const struct {
        const char *robot, *gait, *says;
    } bad[] = {
        {"planar_2r", "gait: {speed: 1.2}", "has no section 'walker'"},
        {"human", "gait: {speed: -1}", "speed must be positive (-1)"},
        {"human", "gait: {speed: 1.2, step: 3}", "people make 0.1 to 1.5 m"},
        {"human", "gait: {bands: {height: 0}}", "height must be positive (0)"},
        {"human", "gait: {height: -1}", "height must not be negative (-1)"},
        {"planar_2r", "gait: {height: 1.8}", "does not say under 'walker' what its top is"},
        {"human", "gait: {borders: [0.3, 0.2, 0.9]}", "must rise from above 0 to below 1"},
        {"human", "gait: {walker: {top: hat}}", "'hat' is no link or frame of robot 'human'"},
        {"human", "gait: {pace: 2}", "pace"},
        {"human",
         "constraints: [{quantity: position, joints: GTy, phase: lodging, at: 0.5, upper: 0}]\n"
         "gait: {speed: 1.2}",
         "a step has loading, flat, single and rising"},
        {"human", "gait: {speed: fast}", "not a number"},
        {"human", "gait: {speed: 1, formulation: thesis}\ngrid: {points: 20}",
         "a grid of 13 points"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char       path[] = "/tmp/arne_gait_XXXXXX";
        arne_plan *plan = NULL;
        arne_error error;
        FILE      *file = fdopen(mkstemp(path), "w");
        assert_non_null(file);
        fprintf(file, "robot: %s/%s.yaml\n%s\n", ARNE_ROBOTS_DIR, bad[i].robot, bad[i].gait);
        fclose(file);
        const arne_status status = arne_plan_read(path, NULL, &plan, &error);
        remove(path);
        arne_plan_free(plan);
        if (!status || !strstr(error.text, bad[i].says) || error.line != 2)
            fail_msg("'%s' is answered with '%s', line %d", bad[i].gait, error.text, error.line);
    }
}

// Constraints of a problem may name the phases of the step: this one holds at 7/12 of it.
static void phases_have_names(void **unused)
{
    (void)unused;
    static const char text[] =
        "robot: human.yaml\ngait: {speed: 1.2}\nconstraints: [{name: here, quantity: "
        "position, joints: GTy, phase: single, at: 2/3, upper: 0}]\n";
    arne_plan *plan = NULL;
    arne_error error;
    assert_ok_or(arne_plan_read_yaml(text, sizeof text - 1, ARNE_ROBOTS_DIR "/problem.yaml", NULL,
                                     &plan, &error),
                 &error);
    int found = 0;
    for (int i = 0; i < plan->problem.constraint_count; i++)
        found += plan->problem.constraints[i].phase == 2 &&
                 !strcmp(plan->problem.constraints[i].name, "here");
    assert_int_equal(found, 1);
    arne_plan_free(plan);
}

// Strength in a robot's file grows with the person, as limits do; that of the problem file does
// not.
static void strength_is_scaled(void **unused)
{
    (void)unused;
    static const char text[] =
        "robot: ../examples/gait/person.yaml\ngait: {speed: 1.2, height: 1.575, mass: 60}\n"
        "strength: {L_hip_flex: {torques: [100], opposite: [200]}}\n";
    arne_plan *plan = NULL;
    arne_error error;
    assert_ok_or(arne_plan_read_yaml(text, sizeof text - 1, ARNE_ROBOTS_DIR "/problem.yaml", NULL,
                                     &plan, &error),
                 &error);
    const plan_problem *p = &plan->problem;
    const int           right = arne_find_joint(p->robot, "R_hip_flex");
    const int           left = arne_find_joint(p->robot, "L_hip_flex");
    const double        larger =
        plan_strength_most(p->strengths[arne_robot_joint(p->robot, right).v_start]);
    assert_true(fabs(larger - 207 * 0.9 * 0.8) < 0.01); // the model is 1.75 m to a millimetre
    assert_true(plan_strength_most(p->strengths[arne_robot_joint(p->robot, left).v_start]) == 200);
    arne_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_passes),      cmocka_unit_test(strength_is_scaled),
        cmocka_unit_test(derivatives),     cmocka_unit_test(rows_are_those_that_are_there),
        cmocka_unit_test(bad_gaits),       cmocka_unit_test(phases_have_names),
        cmocka_unit_test(walks_a_little),  cmocka_unit_test(walks),
        cmocka_unit_test(walks_otherwise), cmocka_unit_test(goes_on_where_multipliers_grow),
        cmocka_unit_test(is_too_fast)};
    return cmocka_run_group_tests_name("gait", tests, NULL, NULL);
}
