// Muscles that drive a plan: derivatives, torques beside static optimisation, and the motion that
// the planned activations cause.
#include "plan/problem/plan_muscle.h"
#include "planning.h"
#include "testing.h"

#include <arne/dynamics.h>
#include <arne/muscle_force.h>

#include <stdio.h>

// A forearm with two muscles, and a wrist with two of which one passes the elbow, too. `wrap`: the
// first path goes over a cylinder.
static const char arm_file[] =
    "name: arm\n"
    "bodies:\n"
    "  - {name: upper}\n"
    "  - {name: fore, mass: 1.5, com: [0.15, 0, 0], inertia: [0.001, 0.01, 0.01, 0, 0, 0]}\n"
    "  - {name: hand, mass: 0.5, com: [0.06, 0, 0], inertia: [0.0005, 0.001, 0.001, 0, 0, 0]}\n"
    "joints:\n"
    "  - {name: elbow, kind: revolute, parent: upper, child: fore, axis: [0, 0, 1], position: "
    "[-0.2, "
    "2.4]}\n"
    "  - {name: wrist, kind: revolute, parent: fore, child: hand, axis: [0, 0, 1], origin: {xyz: "
    "[0.26, 0, 0]}, position: [-1, 1]}\n"
    "gravity: [0, -9.81, 0]\n"
    "%s"
    "muscles:\n"
    "  - {name: flexor, law: millard, max_force: 900, fibre_length: 0.14, slack_length: 0.17, "
    "damping: 0, points: [{link: upper, position: [-0.3, 0.02, 0]}, {link: fore, position: "
    "[0.04, 0.01, 0]}]%s}\n"
    "  - {name: extensor, law: millard, max_force: 900, fibre_length: 0.12, slack_length: 0.18, "
    "damping: 0, "
    "points: [{link: upper, position: [-0.28, -0.03, 0]}, {link: upper, position: [-0.02, -0.03, "
    "0]}, {link: fore, position: [-0.03, -0.01, 0]}]}\n"
    "  - {name: wrist_up, law: %s, damping: 0, max_force: 300, fibre_length: 0.08, slack_length: "
    "0.26, "
    "points: [{link: upper, position: [-0.05, 0.02, 0]}, {link: fore, position: [0.2, 0.025, 0]}, "
    "{link: hand, position: [0.03, 0.015, 0]}]}\n"
    "  - {name: wrist_down, law: degroote, max_force: 300, fibre_length: 0.08, slack_length: 0.19, "
    "points: [{link: fore, position: [0.02, -0.02, 0]}, {link: fore, position: [0.23, -0.02, 0]}, "
    "{link: hand, position: [0.03, -0.012, 0]}]}\n";
static const char cylinder[] =
    "wraps: [{name: roll, link: upper, cylinder: [0.025, 0.2], side: y}]\n";

static arne_robot *arm(int wrap, const char *law)
{
    char          text[4096];
    arne_builder *builder = NULL;
    arne_robot   *robot = NULL;
    arne_error    error = {0};
    snprintf(text, sizeof text, arm_file, wrap ? cylinder : "",
             wrap ? ", wraps: [{wrap: roll}]" : "", law);
    assert_ok(arne_builder_new(&builder));
    assert_ok_or(arne_read_yaml(builder, text, strlen(text), "arm", &error), &error);
    assert_ok_or(arne_planning_robot(builder, NULL, &robot, &error), &error);
    arne_builder_free(builder);
    return robot;
}

// Second derivatives of lengths are differences of moment arms.
static void lengths_bend(void **unused)
{
    (void)unused;
    for (int wrap = 0; wrap < 2; wrap++) {
        arne_robot *robot = arm(wrap, "thelen");
        arne_work  *work = NULL;
        rng         r = rng_seed(3);
        double      bends[16], scratch[32], arms[2][8], q[2];
        assert_ok(arne_work_new(robot, &work));
        for (int trial = 0; trial < 20; trial++) {
            q[0] = rng_uniform(&r, 0.1, 2), q[1] = rng_uniform(&r, -1, 1);
            assert_ok(arne_muscle_second_derivatives(robot, work, q, scratch, bends));
            for (int l = 0; l < 2; l++) {
                const double was = q[l], h = 1e-5;
                for (int side = 0; side < 2; side++) {
                    q[l] = was + (side ? h : -h);
                    assert_ok(arne_muscle_moment_arms(robot, work, q, arms[side]));
                }
                q[l] = was;
                for (int k = 0; k < 8; k++) {
                    const double d = -(arms[1][k] - arms[0][k]) / (2 * h);
                    if (fabs(bends[2 * k + l] - d) > 2e-8)
                        fail_msg("%d: %g, not %g", wrap, bends[2 * k + l], d);
                }
            }
        }
        arne_work_free(work);
        arne_robot_free(robot);
    }
}

static arne_plan *arm_plan(const arne_robot *robot, int control_points, int free_time)
{
    const arne_plan_options options = {.degree = 4,
                                       .control_points = control_points,
                                       .time = 0.6,
                                       .time_least = free_time ? 0.2 : 0,
                                       .time_most = free_time ? 2 : 0,
                                       .muscles = 1};
    static const double     ones[4] = {1, 1, 1, 1};
    arne_plan              *plan = NULL;
    arne_error              error = {0};
    assert_ok_or(arne_plan_new(robot, &options, &plan, &error), &error);
    const arne_objective effort = {.name = "effort",
                                   .quantity = plan_quantity_of(plan, ARNE_QUANTITY_ACTIVATION),
                                   .row_count = 4,
                                   .weights = ones,
                                   .shape =
                                       free_time ? ARNE_OBJECTIVE_POWER : ARNE_OBJECTIVE_SQUARE,
                                   .power = 3,
                                   .at = -1};
    assert_ok(arne_plan_add_objective(plan, &effort, &error));
    return plan;
}

static void derivatives(void **unused)
{
    static const double from[2] = {0.4, 0.2}, to[2] = {1.6, -0.3};
    (void)unused;
    for (int wrap = 0; wrap < 2; wrap++) {
        arne_robot *robot = arm(wrap, "thelen");
        arne_plan  *plan = arm_plan(robot, 7, 1);
        plan_rest_to_rest(plan, from, to);
        static const double  price[1] = {0.01};
        const arne_objective cost = {.quantity =
                                         plan_quantity_of(plan, ARNE_QUANTITY_METABOLIC_POWER),
                                     .row_count = 1,
                                     .weights = price,
                                     .shape = ARNE_OBJECTIVE_PLAIN,
                                     .at = -1};
        assert_ok(arne_plan_add_objective(plan, &cost, NULL));
        plan_hold(plan, "power", ARNE_QUANTITY_POWER, 0, 1, (double[]){-1e3, -1e3},
                  (double[]){1e3, 1e3});
        plan_check_derivatives(plan, wrap ? "over a cylinder" : "straight");
        arne_plan_free(plan);
        arne_robot_free(robot);
    }
}

// Activations of the plan at t/T = u.
static const double *activations(arne_plan *plan, double u)
{
    arne_plan_evaluate(plan, u, NULL, NULL, NULL, NULL, NULL);
    return plan->now.program->between.z + plan_muscle_column(&plan->problem);
}

// Along a given motion, activations are those of static optimisation at each instant: nothing but
// their dynamics ties instants together, and here they are slow enough. (Forces of Thelen's law are
// not linear in activations, as static optimisation takes them.)
static void given_motion(void **unused)
{
    static const double rest[3] = {1.0, 0, 0}, wrist[1] = {0.1};
    (void)unused;
    arne_robot               *robot = arm(0, "millard");
    arne_plan                *plan = arm_plan(robot, 24, 0);
    arne_work                *work = NULL;
    arne_static              *optimum = NULL;
    arne_plan_result          result;
    const arne_solve_options  once = {.refine = -1};
    static const double       least[4] = {0.01, 0.01, 0.01, 0.01};
    const arne_static_options options = {.passive = 1, .lower = least};
    double                    tau[2], L[4], V[4], arms[8], a[4], F[4], q[2], qd[2], qdd[2];
    assert_ok(arne_plan_prescribe(plan, 0, rest, 3, 0.3, 4, 0.2, NULL));
    assert_ok(arne_plan_prescribe(plan, 1, wrist, 1, 0, 0, 0, NULL));
    assert_ok(arne_work_new(robot, &work));
    assert_ok(arne_static_new(robot, &options, &optimum, NULL));
    if (plan_solved(plan, &once, &result))
        for (int i = 1; i < 12; i++) {
            const double *planned = activations(plan, i / 12.0);
            arne_plan_evaluate(plan, i / 12.0, q, qd, qdd, NULL, NULL);
            arne_inverse_dynamics(robot, work, q, qd, qdd, NULL, tau);
            assert_ok(arne_muscle_lengths(robot, work, q, qd, L, V));
            assert_ok(arne_muscle_moment_arms(robot, work, q, arms));
            assert_ok(arne_static_solve(optimum, tau, L, V, arms, a, F, NULL));
            for (int k = 0; k < 4; k++)
                if (fabs(planned[k] - a[k]) > 2e-3)
                    fail_msg("at %d, muscle %d: %g, not %g", i, k, planned[k], a[k]);
        }
    arne_static_free(optimum);
    arne_work_free(work);
    arne_plan_free(plan);
    arne_robot_free(robot);
}

// The torques that muscles leave at an instant, from the public functions of muscles alone.
static void torques_left(arne_plan *plan, const arne_robot *robot, arne_work *work, double u,
                         double *tau)
{
    const arne_muscle_options rigid = {.tendon = ARNE_TENDON_RIGID};
    double                    L[4], V[4], arms[8], F[4], a[4], q[2], qd[2], qdd[2];
    memcpy(a, activations(plan, u), sizeof a);
    arne_plan_evaluate(plan, u, q, qd, qdd, NULL, NULL);
    arne_inverse_dynamics(robot, work, q, qd, qdd, NULL, tau);
    assert_ok(arne_muscle_lengths(robot, work, q, qd, L, V));
    assert_ok(arne_muscle_moment_arms(robot, work, q, arms));
    assert_ok(arne_muscle_forces(robot, 1, a, L, V, &rigid, F, NULL));
    for (int i = 0; i < 8; i++)
        tau[i % 2] -= arms[i] * F[i / 2];
}

// The planned activations cause the planned motion, between grid points too: after the start, where
// activations rise as fast as they can, little of the torques is left. Excitations between 0 and 1
// cause them.
static void motion_of_activations(void **unused)
{
    static const double from[2] = {0.4, 0}, to[2] = {1.5, 0};
    (void)unused;
    arne_robot              *robot = arm(0, "thelen");
    arne_work               *work = NULL;
    const arne_solve_options once = {.refine = -1};
    double                   left[2] = {0, 0}, one[4] = {1, 1, 1, 1}, none[4] = {0};
    assert_ok(arne_work_new(robot, &work));
    for (int fine = 0; fine < 2; fine++) {
        arne_plan       *plan = arm_plan(robot, fine ? 36 : 20, 0);
        arne_plan_result result;
        plan_rest_to_rest(plan, from, to);
        const int solved = plan_solved(plan, &once, &result);
        for (int i = 0; solved && i < 200; i++) {
            double tau[2], rise[4], fall[4], a[4];
            torques_left(plan, robot, work, (i + 0.5) / 200, tau);
            if (i >= 20) left[fine] = fmax(left[fine], fmax(fabs(tau[0]), fabs(tau[1])));
            const double *now = activations(plan, (i + 0.5) / 200), *rate = now + plan->problem.n;
            memcpy(a, now, sizeof a);
            assert_ok(arne_activation_rates(robot, one, a, rise, NULL));
            assert_ok(arne_activation_rates(robot, none, a, fall, NULL));
            for (int c = 0; c < 4; c++)
                if (rate[c] > rise[c] + 0.5 || rate[c] < fall[c] - 0.5 || a[c] < 0 || a[c] > 1)
                    fail_msg("muscle %d: rate %g, from %g to %g", c, rate[c], fall[c], rise[c]);
        }
        arne_plan_free(plan);
    }
    if (!(left[0] < 0.2 && left[1] < 0.5 * left[0])) fail_msg("left: %g, %g", left[0], left[1]);
    arne_work_free(work);
    arne_robot_free(robot);
}

// What is not known together is refused by name.
static void refusals(void **unused)
{
    const arne_plan_options muscles = {.time = 1, .muscles = 1},
                            low = {.degree = 2, .time = 1, .muscles = 1};
    const arne_quantity what = {.kind = ARNE_QUANTITY_ACTIVATION},
                        rate = {.kind = ARNE_QUANTITY_TORQUE_RATE};
    const double points[4] = {0, 0, 1, 0.5};
    arne_robot  *plain = read_robot("planar_2r", NULL), *loops = read_robot("five_bar", NULL),
               *robot = arm(0, "thelen");
    arne_plan *plan = NULL;
    arne_error error;
    int        out;
    (void)unused;
    assert_int_equal(arne_plan_new(plain, &muscles, &plan, &error), ARNE_UNSUPPORTED);
    assert_int_equal(arne_plan_new(loops, &muscles, &plan, &error), ARNE_UNSUPPORTED);
    assert_int_equal(arne_plan_new_on_path(robot, &muscles, 2, points, &plan, &error),
                     ARNE_UNSUPPORTED);
    assert_int_equal(arne_plan_new(robot, &low, &plan, &error), ARNE_VALUE);
    assert_ok(arne_plan_new(robot, &muscles, &plan, &error));
    assert_int_equal(arne_plan_add_quantity(plan, &rate, &out, &error), ARNE_UNSUPPORTED);
    arne_plan_free(plan);
    const arne_plan_options motors = {.time = 1};
    assert_ok(arne_plan_new(robot, &motors, &plan, &error));
    assert_int_equal(arne_plan_add_quantity(plan, &what, &out, &error), ARNE_VALUE);
    arne_plan_free(plan);
    arne_robot_free(plain);
    arne_robot_free(loops);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_bend), cmocka_unit_test(derivatives),
        cmocka_unit_test(given_motion), cmocka_unit_test(motion_of_activations),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
