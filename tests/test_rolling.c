// Rolling without slip and knife edges as conditions on velocities, beside those of loops.
#include "contact.h"
#include <math.h>

// A cart on a rail and its wheel, which rolls: (m + I / r^2) a = torque / r.
static const char *const CART = "bodies:\n"
                                "  - {name: ground}\n"
                                "  - {name: cart, mass: 3, inertia: [1, 1, 1]}\n"
                                "  - {name: wheel, mass: 2, inertia: [0.05, 0.09, 0.05]}\n"
                                "joints:\n"
                                "  - {name: rail, kind: prismatic, parent: ground, child: cart, "
                                "axis: [1, 0, 0], origin: {xyz: [0, 0, 0.3]}, passive: true}\n"
                                "  - {name: spin, kind: continuous, parent: cart, child: wheel, "
                                "axis: [0, 1, 0], active: true}\n"
                                "loops: [{name: tread, kind: rolling, predecessor: ground, "
                                "successor: wheel, axis: [0, 1, 0], radius: 0.3}]\n";

static void cart_and_wheel(void **unused)
{
    (void)unused;
    arne_robot     *robot = contact_robot(CART, (arne_vec3){0, 0, -9.81});
    arne_work      *work;
    arne_loop_work *loop;
    assert_ok(arne_work_new(robot, &work));
    assert_ok(arne_loop_work_new(robot, &loop));
    const double q[2] = {0.1, 0.7}, qd[2] = {0.6, 2}, tau[2] = {0, 5};
    double       qdd[2], back[2];
    arne_error   error;
    assert_ok_or(arne_loop_forward_dynamics(robot, work, loop, q, qd, tau, NULL, NULL, qdd, &error),
                 &error);
    const double a = 5 / 0.3 / (5 + 0.09 / 0.09);
    assert_true(fabs(qdd[0] - a) < 1e-10 && fabs(qdd[1] - a / 0.3) < 1e-9);
    assert_ok_or(
        arne_loop_inverse_dynamics(robot, work, loop, q, qd, qdd, NULL, NULL, back, &error),
        &error);
    assert_true(fabs(back[1] - 5) < 1e-9);
    arne_loop_work_free(loop);
    arne_work_free(work);
    arne_robot_free(robot);
}

// A skate: a body in the plane on a knife edge below its centre goes round in a circle of v / w and
// keeps its energy.
static const char *const SKATE =
    "bodies:\n"
    "  - {name: ice}\n"
    "  - {name: skate, mass: 2, inertia: [0.1, 0.1, 0.3]}\n"
    "joints: [{name: j, kind: planar, parent: ice, child: skate, axis: [0, 0, 1], active: true}]\n"
    "loops: [{name: blade, kind: knife_edge, predecessor: ice, successor: skate}]\n";

static void skate_goes_round(void **unused)
{
    (void)unused;
    arne_robot                *robot = contact_robot(SKATE, (arne_vec3){0, 0, -9.81});
    const double               q[3] = {0, 0, 0}, qd[3] = {1.5, 0, 0.5}, pi = acos(-1);
    const arne_simulation_spec sim = {.robot = robot,
                                      .integrator = {.method = ARNE_METHOD_DORMAND_PRINCE},
                                      .stiction = ARNE_STICTION_SMOOTH,
                                      .duration = 2 * pi, // half way round
                                      .record = ARNE_RECORD_Q | ARNE_RECORD_QD | ARNE_RECORD_ENERGY,
                                      .q = q,
                                      .qd = qd};
    arne_simulation_summary    s;
    arne_table                *t;
    arne_error                 error;
    assert_ok_or(arne_simulate(&sim, NULL, NULL, &t, &s, &error), &error);
    assert_true(fabs(contact_value(t, -1, "q.j.0")) < 1e-6);
    assert_true(fabs(contact_value(t, -1, "q.j.1") - 2 * 1.5 / 0.5) < 1e-6);
    assert_true(fabs(contact_value(t, -1, "energy.total") - contact_value(t, 0, "energy.total")) <
                1e-8);
    arne_table_free(t);
    arne_robot_free(robot);
}

// A coin that rolls freely keeps its energy, and its point on the ground does not slip: the
// condition's rate agrees with its acceleration (the coin leans, so that the arm turns).
static const char *const COIN =
    "base: fixed\n"
    "bodies:\n"
    "  - {name: table}\n"
    "  - {name: coin, mass: 1, inertia: [0.0025, 0.005, 0.0025]}\n"
    "joints: [{name: j, kind: free, parent: table, child: coin, active: true}]\n"
    "loops: [{name: rim, kind: rolling, predecessor: table, successor: coin, axis: [0, 1, 0], "
    "radius: 0.1}]\n";

static void coin_keeps_its_energy(void **unused)
{
    (void)unused;
    arne_robot                *robot = contact_robot(COIN, (arne_vec3){0, 0, 0});
    const double               q[7] = {0, 0, 0.1, sin(-0.1), 0, 0, cos(0.1)};
    const double               qd[6] = {1, 0, 0, 0.3, 10, 0.2};
    const arne_simulation_spec sim = {.robot = robot,
                                      .integrator = {.method = ARNE_METHOD_DORMAND_PRINCE},
                                      .stiction = ARNE_STICTION_SMOOTH,
                                      .duration = 1,
                                      .record = ARNE_RECORD_Q | ARNE_RECORD_ENERGY,
                                      .q = q,
                                      .qd = qd};
    arne_simulation_summary    s;
    arne_table                *t;
    arne_error                 error;
    assert_ok_or(arne_simulate(&sim, NULL, NULL, &t, &s, &error), &error);
    assert_true(fabs(contact_value(t, -1, "energy.total") - contact_value(t, 0, "energy.total")) <
                1e-7);
    arne_table_free(t);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cart_and_wheel),
                                       cmocka_unit_test(skate_goes_round),
                                       cmocka_unit_test(coin_keeps_its_energy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
