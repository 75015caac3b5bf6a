// Muscles as the drive of a simulation: their torques are their forces, their power is what the
// joints get, activations follow excitations, and what is refused.
#include "testing.h"

#include <arne/muscle_force.h>
#include <stdio.h>

static const char *const ARM =
    "name: arm\n"
    "bodies:\n"
    "  - {name: base}\n"
    "  - {name: upper, mass: 2, com: [0.1, 0, 0], inertia: [0.01, 0.02, 0.02]}\n"
    "  - {name: fore, mass: 1, com: [0.1, 0, 0], inertia: [0.01, 0.01, 0.01]}\n"
    "joints:\n"
    "  - {name: shoulder, kind: revolute, parent: base, child: upper, axis: [0, 0, 1]}\n"
    "  - {name: elbow, kind: revolute, parent: upper, child: fore, axis: [0, 0, 1],\n"
    "     origin: {xyz: [0.3, 0, 0]}, limits: {lower: -3, upper: 3, effort: 0.001}}\n"
    "wraps:\n"
    "  - {name: pulley, link: upper, cylinder: [0.03, 0.2], origin: {xyz: [0.3, 0, 0]}, side: -y}\n"
    "muscles:\n"
    "  - {name: triceps, law: millard, max_force: 300, fibre_length: 0.12, slack_length: 0.1,\n"
    "     points: [{link: upper, position: [0.1, -0.05, 0]},\n"
    "              {link: fore, position: [0.1, -0.04, 0]}], wraps: [{wrap: pulley}]}\n"
    "  - {name: biceps, law: thelen, max_force: 200, fibre_length: 0.15, slack_length: 0.15,\n"
    "     points: [{link: base, position: [0, 0.05, 0]}, {link: fore, position: [0, 0.03, 0],\n"
    "              x: {joint: elbow, polynomial: [0.05, 0.01]}}]}\n"
    "  - {name: band, law: spring, stiffness: 500, slack_length: 0.1, dissipation: 0.5,\n"
    "     points: [{link: base, position: [0, -0.1, 0]}, {link: upper, position: [0.2, -0.05, "
    "0]}]}\n";

static arne_robot *arm(const char *text)
{
    arne_builder *b = NULL;
    arne_error    error = {0};
    assert_ok(arne_builder_new(&b));
    assert_ok_or(arne_read_text(b, text, strlen(text), "arm.yaml", &error), &error);
    arne_robot *robot = finish(b, NULL);
    arne_builder_free(b);
    return robot;
}

// time, and a column for each of two muscles, the second by its longer name.
static arne_table *muscle_table(const char *first, const char *second, double last)
{
    arne_table  *t = NULL;
    const double rows[3][3] = {{0, 0.1, 0.2}, {0.1, 0.9, 0.2}, {0.5, 0.3, last}};
    assert_ok(arne_table_new(&t));
    assert_ok(arne_table_add_column(t, "time", "s"));
    assert_ok(arne_table_add_column(t, first, ""));
    assert_ok(arne_table_add_column(t, second, ""));
    for (int i = 0; i < 3; i++)
        assert_ok(arne_table_append(t, rows[i]));
    return t;
}

static void torques_of(arne_controller *c, double t, const double *q, const double *qd, double *tau)
{
    const arne_control_input in = {
        .t = t, .q = q, .qd = qd, .q_ref = q, .qd_ref = qd, .qdd_ref = qd};
    arne_error error = {0};
    assert_ok_or(arne_control(c, &in, tau, &error), &error);
}

// What joints get is what muscles give: tau . qd = -sum of F Ldot, limits of motors or not.
static void torques_are_forces(void **unused)
{
    static const double states[3][4] = {{0.1, 0.5, 1, -2}, {-0.4, 1.2, -0.5, 3}, {0.8, -0.3, 0, 0}};
    arne_robot         *robot = arm(ARM);
    arne_work          *work = NULL;
    arne_table         *table = muscle_table("triceps", "activation.biceps", 0.8);
    (void)unused;
    assert_ok(arne_work_new(robot, &work));
    for (int rigid = 0; rigid < 2; rigid++) {
        const arne_tendon         tendon = rigid ? ARNE_TENDON_RIGID : ARNE_TENDON_EQUILIBRIUM;
        const arne_muscle_drive   drive = {.table = table, .tendon = tendon};
        const arne_muscle_options options = {.tendon = tendon};
        arne_controller          *c = NULL;
        arne_error                error = {0};
        assert_ok_or(arne_controller_muscles(robot, &drive, &c, &error), &error);
        for (int i = 0; i < 3; i++) {
            const double *q = states[i], *qd = q + 2, a[3] = {0.6, 0.5, 0}; // at 0.3 s
            double        tau[2], length[3], speed[3], force[3], power = 0;
            torques_of(c, 0.3, q, qd, tau);
            assert_ok(arne_muscle_lengths(robot, work, q, qd, length, speed));
            assert_ok(arne_muscle_forces(robot, 1, a, length, speed, &options, force, NULL));
            for (int m = 0; m < 2; m++) // the band pulls in every simulation
                power -= force[m] * speed[m];
            assert_true(fabs(tau[0] * qd[0] + tau[1] * qd[1] - power) < 1e-9 * (1 + fabs(power)));
            assert_true(fabs(tau[1]) > 0.01);
        }
        arne_controller_free(c);
    }
    arne_table_free(table);
    arne_work_free(work);
    arne_robot_free(robot);
}

// Activations follow excitations: the same torques as from activations that were integrated with
// very small steps.
static void activations_follow_excitations(void **unused)
{
    enum { STEPS = 30000 };
    arne_robot      *robot = arm(ARM);
    arne_work       *work = NULL;
    arne_table      *table = muscle_table("triceps", "biceps", 0.8);
    arne_controller *c = NULL;
    const double     q[2] = {0.1, 0.5}, qd[2] = {0, 0}, step = 0.3 / STEPS;
    double           a[3] = {0.1, 0.2, 0}, tau[2], length[3], speed[3], force[3], arms[6], rate[3];
    const arne_muscle_drive drive = {.table = table, .excitation = 1};
    (void)unused;
    assert_ok(arne_work_new(robot, &work));
    assert_ok(arne_controller_muscles(robot, &drive, &c, NULL));
    for (int i = 0; i < STEPS; i++) {
        const double t = (i + 0.5) * step;
        const double u[3] = {t < 0.1 ? 0.1 + 8 * t : 0.9 - 1.5 * (t - 0.1),
                             t < 0.1 ? 0.2 : 0.2 + 1.5 * (t - 0.1), 0};
        double half[3];
        assert_ok(arne_activation_rates(robot, u, a, rate, NULL));
        for (int m = 0; m < 3; m++)
            half[m] = a[m] + 0.5 * step * rate[m];
        assert_ok(arne_activation_rates(robot, u, half, rate, NULL));
        for (int m = 0; m < 3; m++)
            a[m] += step * rate[m];
    }
    assert_ok(arne_muscle_lengths(robot, work, q, qd, length, speed));
    assert_ok(arne_muscle_moment_arms(robot, work, q, arms));
    assert_ok(arne_muscle_forces(robot, 1, a, length, speed, NULL, force, NULL));
    torques_of(c, 0.3, q, qd, tau);
    for (int i = 0; i < 2; i++) {
        const double want = arms[i] * force[0] + arms[2 + i] * force[1];
        if (fabs(tau[i] - want) > 1e-5 * (1 + fabs(want))) fail_msg("%.9g, %.9g", tau[i], want);
    }
    arne_controller_free(c);
    arne_table_free(table);
    arne_work_free(work);
    arne_robot_free(robot);
}

// A run gains the energy that its muscles give.
static void runs_keep_the_balance_of_energy(void **unused)
{
    arne_robot             *robot = arm(ARM);
    arne_controller        *c = NULL;
    arne_table             *out = NULL;
    arne_error              error = {0};
    arne_simulation_summary summary;
    const double            q[2] = {-0.5, 0.5};
    const arne_muscle_drive drive = {.activation = 0.3, .tendon = ARNE_TENDON_RIGID};
    arne_simulation_spec    sim = {.robot = robot, .duration = 0.5, .q = q};
    (void)unused;
    assert_ok(arne_controller_muscles(robot, &drive, &c, &error));
    sim.controller = c;
    sim.integrator.method = ARNE_METHOD_DORMAND_PRINCE;
    sim.integrator.relative = 1e-9;
    sim.integrator.absolute = 1e-11;
    assert_ok_or(arne_simulate(&sim, NULL, NULL, &out, &summary, &error), &error);
    assert_true(summary.complete && summary.kinetic_largest > 0.1);
    if (!(summary.energy_residual < 1e-6)) fail_msg("%g", summary.energy_residual);
    arne_table_free(out);
    arne_controller_free(c);
    arne_robot_free(robot);
}

// The end of a run with fibres as states, sampled every h.
static void stepped_end(const arne_robot *robot, const arne_table *table, double h, double *out)
{
    arne_controller        *c = NULL;
    arne_table             *rows = NULL;
    arne_error              error = {0};
    arne_simulation_summary summary;
    const double            q[2] = {-0.5, 0.5};
    const arne_muscle_drive drive = {.table = table, .tendon = ARNE_TENDON_FIBRE_STATE};
    arne_simulation_spec    sim = {.robot = robot, .duration = 0.1, .q = q, .sample_time = h};
    assert_ok_or(arne_controller_muscles(robot, &drive, &c, &error), &error);
    sim.controller = c;
    sim.integrator.method = ARNE_METHOD_DORMAND_PRINCE;
    assert_ok_or(arne_simulate(&sim, NULL, NULL, &rows, &summary, &error), &error);
    if (!summary.complete || !(summary.energy_residual < 1e-4))
        fail_msg("%d, %g", summary.complete, summary.energy_residual);
    const double *last = arne_table_row(rows, arne_table_rows(rows) - 1);
    for (int i = 0; i < 2; i++)
        out[i] = last[arne_table_find(rows, i ? "q.elbow" : "q.shoulder")];
    arne_table_free(rows);
    arne_controller_free(c);
}

// Fibres as states: runs converge with the sample time, and differ from those in equilibrium only
// by what the tendon does; nothing diverges where tendons are slack.
static void fibres_are_states(void **unused)
{
    arne_robot *robot = arm(ARM), *slack;
    arne_table *table = muscle_table("triceps", "biceps", 0.8);
    double      at[3][2], off[2] = {0};
    char        text[4000];
    (void)unused;
    stepped_end(robot, table, 1e-3, at[0]);
    stepped_end(robot, table, 5e-4, at[1]);
    stepped_end(robot, table, 2.5e-4, at[2]);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            off[k] = fmax(off[k], fabs(at[k + 1][i] - at[k][i]));
    if (!(off[0] < 0.02 && off[1] < 0.65 * off[0])) fail_msg("%g, %g", off[0], off[1]);
    snprintf(text, sizeof text, "%s", ARM);
    memcpy(strstr(text, "slack_length: 0.15"), "slack_length: 0.45", 18); // of the biceps
    slack = arm(text);
    stepped_end(slack, table, 1e-3, at[0]);
    assert_true(isfinite(at[0][0] + at[0][1]));
    arne_robot_free(slack);
    arne_table_free(table);
    arne_robot_free(robot);
}

// Muscles, a spring and a limit on a closed chain, over joints that no motor drives: a run gains
// what they give, with and without states.
static void closed_chains_are_driven(void **unused)
{
    static const char text[] =
        "extends: " ARNE_ROBOTS_DIR "/five_bar.yaml\n"
        "muscles:\n"
        "  - {name: flexor, law: millard, max_force: 60, fibre_length: 0.2, slack_length: 0.1,\n"
        "     points: [{link: base, position: [0, 0.1, 0]},\n"
        "              {link: coupler1, position: [0.1, 0.03, 0]}]}\n"
        "  - {name: band, law: spring, stiffness: 50, slack_length: 0.1, dissipation: 0.2,\n"
        "     points: [{link: coupler1, position: [0.1, 0, 0]},\n"
        "              {link: coupler2, position: [0.1, 0, 0]}]}\n"
        "  - {name: stop, law: limit, joint: elbow1, limits: [-0.5, -0.2],\n"
        "     limit_stiffness: [30, 30], transition: 0.1, damping: 0.05}\n";
    arne_robot *robot = arm(text);
    (void)unused;
    for (int states = 0; states < 2; states++) {
        arne_controller        *c = NULL;
        arne_table             *rows = NULL;
        arne_error              error = {0};
        arne_simulation_summary summary;
        const arne_muscle_drive drive = {
            .activation = 0.3, .tendon = states ? ARNE_TENDON_FIBRE_STATE : ARNE_TENDON_RIGID};
        arne_simulation_spec sim = {.robot = robot, .duration = 0.3, .sample_time = 2e-3 * states};
        assert_ok_or(arne_controller_muscles(robot, &drive, &c, &error), &error);
        sim.controller = c;
        sim.integrator.method = ARNE_METHOD_DORMAND_PRINCE;
        sim.integrator.relative = 1e-9;
        sim.integrator.absolute = 1e-10;
        assert_ok_or(arne_simulate(&sim, NULL, NULL, &rows, &summary, &error), &error);
        assert_true(summary.complete && summary.kinetic_largest > 0.1);
        if (!(summary.energy_residual < 1e-7)) fail_msg("%g", summary.energy_residual);
        arne_table_free(rows);
        arne_controller_free(c);
    }
    arne_robot_free(robot);
}

static void mistakes_are_refused(void **unused)
{
    arne_robot      *robot = arm(ARM), *bare;
    arne_controller *c = NULL;
    arne_error       error = {0};
    arne_table      *wrong = muscle_table("soleus", "gastroc", 0.5),
               *much = muscle_table("x", "biceps", 2);
    arne_muscle_drive drive = {.table = wrong};
    char              text[4000];
    (void)unused;
    assert_int_equal(arne_controller_muscles(robot, &drive, &c, &error), ARNE_NOT_FOUND);
    assert_non_null(strstr(error.text, "no column has the name of a muscle, as 'triceps'"));
    drive.table = much;
    assert_int_equal(arne_controller_muscles(robot, &drive, &c, &error), ARNE_VALUE);
    assert_non_null(strstr(error.text, "'biceps': 2 is not between 0 and 1"));
    drive.table = NULL;
    drive.activation = 1.5;
    assert_int_equal(arne_controller_muscles(robot, &drive, &c, &error), ARNE_VALUE);
    assert_non_null(strstr(error.text, "'triceps': 1.5 is not between 0 and 1"));
    drive = (arne_muscle_drive){.tendon = ARNE_TENDON_FORCE_STATE};
    assert_int_equal(arne_controller_muscles(robot, &drive, &c, &error), ARNE_VALUE);
    drive.tendon = ARNE_TENDON_FIBRE_STATE;
    assert_ok(arne_controller_muscles(robot, &drive, &c, &error));
    const arne_simulation_spec sim = {.robot = robot, .duration = 0.1, .controller = c};
    arne_table                *rows = NULL;
    assert_int_equal(arne_simulate(&sim, NULL, NULL, &rows, NULL, &error), ARNE_VALUE);
    assert_non_null(strstr(error.text, "needs a sample time"));
    arne_controller_free(c);
    c = NULL;
    snprintf(text, sizeof text, "%s", ARM);
    *strstr(text, "muscles:") = 0;
    bare = arm(text);
    drive = (arne_muscle_drive){.activation = 0.1};
    assert_int_equal(arne_controller_muscles(bare, &drive, &c, &error), ARNE_VALUE);
    assert_string_equal(error.text, "the robot has no muscles");
    assert_int_equal(arne_controller_muscles(NULL, &drive, &c, &error), ARNE_NULL_ARGUMENT);
    assert_null(c);
    arne_table_free(wrong);
    arne_table_free(much);
    arne_robot_free(bare);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(torques_are_forces),
        cmocka_unit_test(activations_follow_excitations),
        cmocka_unit_test(runs_keep_the_balance_of_energy),
        cmocka_unit_test(fibres_are_states),
        cmocka_unit_test(closed_chains_are_driven),
        cmocka_unit_test(mistakes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
