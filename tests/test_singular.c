// What is singular: recursion, mass matrix, hybrid dynamics, derivatives and loops decide by one
// rule, and badly scaled robots that are not singular move as they should.
#include "testing.h"

#include <stdio.h>

enum { ROBOTS = TEST_PART > 1 ? 300 : 2000, MOST = 5 };

// Sizes of up to sixteen orders, or none at all.
static double size_of(rng *r, double none)
{
    if (rng_chance(r, none)) return 0;
    return rng_chance(r, 0.5) ? pow(10, rng_uniform(r, -16, 0)) : rng_uniform(r, 0.5, 1);
}

// A chain about and along the axes, with masses, inertias and lengths of every size.
static arne_robot *badly_scaled(uint64_t seed, double none, int *count)
{
    rng           r = rng_seed(seed);
    arne_builder *builder = NULL;
    char          link[MOST + 1][16], joint[MOST][16];
    *count = 2 + rng_below(&r, MOST - 1);
    assert_ok(arne_builder_new(&builder));
    for (int i = 0; i <= *count; i++) {
        arne_body_spec body = arne_body_spec_default();
        snprintf(link[i], sizeof link[i], "l%d", i);
        body.name = link[i];
        body.mass = size_of(&r, none);
        body.com = v3(0.3 * rng_below(&r, 2), 0.2 * rng_below(&r, 2), 0);
        body.inertia[0] = body.inertia[1] = body.inertia[2] = size_of(&r, none);
        assert_ok(arne_builder_add_body(builder, &body, NULL));
    }
    for (int i = 0; i < *count; i++) {
        const int       axis = rng_below(&r, 3);
        arne_joint_spec j = arne_joint_spec_default();
        snprintf(joint[i], sizeof joint[i], "j%d", i);
        j.name = joint[i];
        j.parent = link[i];
        j.child = link[i + 1];
        j.kind = rng_below(&r, 3) ? ARNE_JOINT_REVOLUTE : ARNE_JOINT_PRISMATIC;
        j.axis = v3(axis == 0, axis == 1, axis == 2);
        j.origin.p = v3(rng_below(&r, 2) * pow(10, rng_uniform(&r, -2, 2)), 0, 0);
        assert_ok(arne_builder_add_joint(builder, &j, NULL));
    }
    arne_robot *robot = finish(builder, NULL);
    arne_builder_free(builder);
    return robot;
}

static void all_forms_agree(void **unused)
{
    (void)unused;
    int singular = 0;
    for (uint64_t seed = 0; seed < ROBOTS; seed++) {
        int           n;
        arne_robot   *robot = badly_scaled(seed, 0.3, &n);
        arne_work    *work = new_work(robot);
        rng           r = rng_seed(seed + 1);
        double        q[MOST], zero[MOST] = {0}, qdd[MOST], held[MOST], M[MOST * MOST];
        unsigned char none[MOST] = {0};
        for (int k = 0; k < n; k++)
            q[k] = rng_below(&r, 2) * rng_uniform(&r, 0, 3);
        const arne_status way[5] = {
            arne_forward_dynamics(robot, work, q, zero, zero, NULL, qdd, NULL),
            arne_forward_dynamics_matrix(robot, work, q, zero, zero, NULL, qdd, NULL),
            (memset(held, 0, sizeof held),
             arne_hybrid_dynamics(robot, work, q, zero, none, NULL, held, qdd, NULL)),
            arne_inverse_mass_matrix(robot, work, q, M, NULL),
            arne_forward_dynamics_derivatives(robot, work, q, zero, zero, NULL, 0, NULL, M, NULL,
                                              NULL, NULL)};
        for (int i = 1; i < 5; i++)
            if (way[i] != way[0])
                fail_msg("robot %d: form %d says \"%s\", recursion \"%s\"", (int)seed, i,
                         arne_status_text(way[i]), arne_status_text(way[0]));
        singular += way[0] != ARNE_OK;
        arne_work_free(work);
        arne_robot_free(robot);
    }
    assert_true(singular > ROBOTS / 10 && singular < ROBOTS * 9 / 10);
}

// The diagonal of the factor spans more than ten orders, and both forms find what the torques were
// made of.
static void small_beside_large(void **unused)
{
    (void)unused;
    arne_builder *builder = NULL;
    assert_ok(arne_builder_new(&builder));
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"base", "heavy", "light"};
        arne_body_spec           body = arne_body_spec_default();
        body.name = names[i];
        body.mass = i == 1 ? 1e6 : 1e-6;
        body.com = v3(0.1, 0, 0);
        body.inertia[0] = body.inertia[1] = body.inertia[2] = i == 1 ? 1e6 : 1e-8;
        assert_ok(arne_builder_add_body(builder, &body, NULL));
    }
    for (int i = 0; i < 2; i++) {
        arne_joint_spec j = arne_joint_spec_default();
        j.name = i ? "second" : "first";
        j.parent = i ? "heavy" : "base";
        j.child = i ? "light" : "heavy";
        j.origin.p = v3(0.4 * i, 0, 0);
        assert_ok(arne_builder_add_joint(builder, &j, NULL));
    }
    state s = {.robot = finish(builder, NULL)};
    arne_builder_free(builder);
    arne_work   *work = new_work(s.robot);
    const double q[2] = {0.3, 0.7}, qd[2] = {1, -2}, wanted[2] = {1.5, -2.5};
    double       tau[2], qdd[2];
    arne_inverse_dynamics(s.robot, work, q, qd, wanted, NULL, tau);
    assert_ok(arne_forward_dynamics(s.robot, work, q, qd, tau, NULL, qdd, NULL));
    assert_close(&s, "by recursion", qdd, wanted, 2, 1e-6);
    assert_ok(arne_forward_dynamics_matrix(s.robot, work, q, qd, tau, NULL, qdd, NULL));
    assert_close(&s, "by the matrix", qdd, wanted, 2, 1e-6);
    arne_work_free(work);
    arne_robot_free((arne_robot *)(uintptr_t)s.robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_forms_agree),
        cmocka_unit_test(small_beside_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
