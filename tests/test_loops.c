// Laws of closed chains, on the robots with loops and on random ones: inverse after direct
// dynamics, no work in the loops, forces that agree, derivatives, two cuts of one mechanism,
// redundant actuation, singular configurations.
#include "testing.h"

#include "closed.h"
#include "losses.h"
#include <arne/integrate.h>

#include <stdio.h>

enum { CHAINS = TEST_PART > 1 ? 20 : 200 };

static const char *const files[] = {"five_bar", "four_bar",    "slider_crank", "palletiser",
                                    "delta",    "planar_3rrr", "gough_stewart"};
enum { FILE_COUNT = sizeof files / sizeof *files };

// A law on states of every robot with loops; the random chains are one state each.
static void on_every_robot(int chains, void (*law)(closed *c, const state *s))
{
    int checked = 0;
    for (int i = 0; i < FILE_COUNT + chains; i++) {
        closed c =
            i < FILE_COUNT ? closed_file(files[i]) : closed_random((uint64_t)(i - FILE_COUNT));
        const int states = i < FILE_COUNT ? 10 : 1;
        for (int k = 1; k <= states; k++) {
            state s;
            if (!closed_state(&c, (uint64_t)k, &s)) continue;
            law(&c, &s);
            checked += i >= FILE_COUNT;
        }
        closed_free(&c);
    }
    if (checked < chains * 9 / 10)
        fail_msg("only %d of %d chains have a state away from singularities", checked, chains);
}

// The powers of all joints, of which the largest is the scale of what should vanish.
static double largest_power(const state *s, const double *tau)
{
    double largest = 1e-3;
    for (int k = 0; k < s->size.v_count; k++)
        largest = fmax(largest, fabs(tau[k] * s->qd[k]));
    return largest;
}

static void direct_law(closed *c, const state *s)
{
    double     qdd[MAX_V], tau[MAX_V], again[MAX_V], qd[MAX_V];
    const int  n = s->size.v_count;
    arne_error error = {0};
    assert_ok_or(arne_loop_forward_dynamics(c->robot, c->work, c->loop, s->q, s->qd, s->tau, NULL,
                                            NULL, qdd, &error),
                 &error);
    assert_ok_or(arne_loop_inverse_dynamics(c->robot, c->work, c->loop, s->q, s->qd, qdd, NULL,
                                            NULL, tau, &error),
                 &error);
    assert_close(s, "inverse after direct dynamics", tau, s->tau, n, 1e-9);
    memcpy(again, qdd, sizeof again);
    memcpy(qd, s->qd, sizeof qd);
    assert_ok(arne_loop_complete(c->robot, c->work, c->loop, s->q, qd, again, NULL));
    assert_close(s, "direct dynamics keeps the loops", again, qdd, n, 1e-9);
}

static void inverse_after_direct(void **unused)
{
    (void)unused;
    on_every_robot(CHAINS, direct_law);
}

static void work_law(closed *c, const state *s)
{
    double    tau[MAX_V], tree[MAX_V], power = 0;
    const int n = s->size.v_count;
    assert_ok(arne_loop_inverse_dynamics(c->robot, c->work, c->loop, s->q, s->qd, s->qdd, NULL,
                                         NULL, tau, NULL));
    arne_inverse_dynamics(c->robot, c->work, s->q, s->qd, s->qdd, NULL, tree);
    for (int k = 0; k < n; k++)
        power += (tree[k] - tau[k]) * s->qd[k];
    if (!(fabs(power) <= 1e-10 * largest_power(s, tree)))
        fail_msg("%s: the loops do work: %g W", arne_robot_name(c->robot), power);
}

static void loops_do_no_work(void **unused)
{
    (void)unused;
    on_every_robot(CHAINS, work_law);
}

// Whether a mimic joint shares the torque of this one.
static int is_followed(const arne_robot *robot, int joint)
{
    int followed = 0;
    for (int i = 0; i < arne_robot_sizes(robot).joint_count; i++)
        followed |= arne_robot_joint(robot, i).mimic == joint;
    return followed;
}

// What joints carry once the loops' forces act: along its axis a joint carries its torque.
static void force_law(closed *c, const state *s)
{
    double    tau[MAX_V], lambda[64], springs[MAX_V] = {0};
    const int n = s->size.v_count;
    int       indeterminate = -1;
    assert_ok(arne_loop_inverse_dynamics(c->robot, c->work, c->loop, s->q, s->qd, s->qdd, s->f_ext,
                                         NULL, tau, NULL));
    assert_ok(arne_loop_forces(c->robot, c->work, c->loop, s->q, s->qd, s->qdd, s->f_ext, tau,
                               lambda, &indeterminate, NULL));
    double largest = 1;
    for (int k = 0; k < n; k++)
        largest = fmax(largest, fabs(tau[k]));
    spring_torque(c->robot, s->q, s->qd, springs);
    for (int i = 0; i < s->size.joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(c->robot, i);
        const arne_wrench     f = arne_joint_wrench(c->robot, c->work, i);
        if (arne_joint_motor(c->robot, i) >= 0 || j.v_count != 1 || is_followed(c->robot, i))
            continue;
        double along = v3_dot(j.axis, j.kind == ARNE_JOINT_PRISMATIC ? f.lin : f.ang);
        if (j.kind == ARNE_JOINT_HELICAL) along += j.pitch * v3_dot(j.axis, f.lin);
        along +=
            springs[j.v_start] + j.rotor_inertia * s->qdd[j.v_start] + j.viscous * s->qd[j.v_start];
        if (!(fabs(along - tau[j.v_start]) <= 1e-9 * largest))
            fail_msg("%s: joint %s carries %.12g, not %.12g", arne_robot_name(c->robot), j.name,
                     along, tau[j.v_start]);
    }
}

static void joints_carry_their_torques(void **unused)
{
    (void)unused;
    on_every_robot(CHAINS, force_law);
}

// ---- derivatives ----

// Reduced torques at an independent step from s; qd and qdd of the independent ones change too.
static void torques_at(closed *c, const state *s, const double *dq, const double *dqd,
                       const double *dqdd, double *out)
{
    const arne_assembly_options options = {.restarts = -1};
    const int                   n = s->size.v_count;
    double                      q[MAX_Q], qd[MAX_V], qdd[MAX_V];
    arne_integrate(c->robot, s->q, dq, q);
    for (int k = 0; k < n; k++) {
        qd[k] = s->qd[k] + dqd[k];
        qdd[k] = s->qdd[k] + dqdd[k];
    }
    assert_ok(arne_assemble(c->robot, c->work, c->loop, &options, q, NULL, NULL));
    assert_ok(arne_loop_complete(c->robot, c->work, c->loop, q, qd, qdd, NULL));
    assert_ok(
        arne_loop_inverse_dynamics(c->robot, c->work, c->loop, q, qd, qdd, NULL, NULL, out, NULL));
}

static void derivative_law(closed *c, const state *s)
{
    double     D[3][400], wanted[400], A[400];
    int        independent[MAX_V], f = 0;
    arne_error error = {0};
    assert_ok(
        arne_loop_jacobian(c->robot, c->work, c->loop, s->q, NULL, independent, &f, NULL, NULL));
    assert_true(f <= 20);
    assert_ok_or(arne_loop_inverse_dynamics_derivatives(c->robot, c->work, c->loop, s->q, s->qd,
                                                        s->qdd, NULL, 0, D[0], D[1], D[2], &error),
                 &error);
    for (int input = 0; input < 3; input++) {
        for (int k = 0; k < f; k++) {
            const double h = 1e-4;
            double       sides[4][MAX_V];
            for (int side = 0; side < 4; side++) { // central differences of h and h/2, extrapolated
                double step[3][MAX_V] = {{0}};
                step[input][independent[k]] = (side % 2 ? -h : h) / (side < 2 ? 1 : 2);
                torques_at(c, s, step[0], step[1], step[2], sides[side]);
            }
            for (int i = 0; i < f; i++) {
                const int    row = independent[i];
                const double wide = (sides[0][row] - sides[1][row]) / (2 * h);
                const double narrow = (sides[2][row] - sides[3][row]) / h;
                wanted[i * f + k] = narrow + (narrow - wide) / 3;
            }
        }
        assert_close(s, "derivatives of the torques", D[input], wanted, f * f, 1e-5);
    }
    assert_ok(arne_loop_reduced(c->robot, c->work, c->loop, s->q, s->qd, NULL, A, NULL, NULL));
    assert_close(s, "dtau/dqdd is A_c", D[2], A, f * f, 1e-10);
}

static void derivatives_by_the_chain_rule(void **unused)
{
    (void)unused;
    on_every_robot(CHAINS / 4, derivative_law);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inverse_after_direct),
        cmocka_unit_test(loops_do_no_work),
        cmocka_unit_test(joints_carry_their_torques),
        cmocka_unit_test(derivatives_by_the_chain_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
