// What is singular: recursion, mass matrix, hybrid dynamics, derivatives and loops decide by one
// rule, and badly scaled robots that are not singular move as they should.
#include "testing.h"

#include <arne/codegen.h>
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

// A chain whose last link is a thin rod along its joint's axis, wherever that points; `thin` is its
// inertia about the axis beside that across it. Joints before it lead there and back.
static arne_robot *rod_on_its_axis(uint64_t seed, double thin)
{
    rng           r = rng_seed(seed);
    const int     before = rng_below(&r, 3);
    arne_builder *builder = NULL;
    char          link[5][16], joint[4][16];
    assert_ok(arne_builder_new(&builder));
    for (int i = 0; i <= before + 1; i++) {
        arne_body_spec body = arne_body_spec_default();
        snprintf(link[i], sizeof link[i], "l%d", i);
        body.name = link[i];
        body.mass = rng_uniform(&r, 0.5, 3);
        body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.1;
        arne_joint_spec j = arne_joint_spec_default();
        const double    x = rng_uniform(&r, -1, 1), y = rng_uniform(&r, -1, 1), z = 0.7;
        const double    size = sqrt(x * x + y * y + z * z);
        const double    a[3] = {x / size, y / size, z / size};
        if (i == before + 1) {
            const double out = rng_uniform(&r, -1, 1), across = rng_uniform(&r, 0.1, 1);
            body.com = v3(out * a[0], out * a[1], out * a[2]);
            for (int k = 0; k < 3; k++) {
                static const int first[3] = {0, 0, 1}, second[3] = {1, 2, 2};
                body.inertia[k] = across * (1 - (1 - thin) * a[k] * a[k]);
                body.inertia[3 + k] = -across * (1 - thin) * a[first[k]] * a[second[k]];
            }
        }
        body.accept = ARNE_ACCEPT_INERTIA;
        assert_ok(arne_builder_add_body(builder, &body, NULL));
        if (!i) continue;
        snprintf(joint[i - 1], sizeof joint[i - 1], "j%d", i);
        j.name = joint[i - 1];
        j.parent = link[i - 1];
        j.child = link[i];
        j.axis = v3(a[0], a[1], a[2]);
        j.origin.p = v3(rng_uniform(&r, -1, 1), rng_uniform(&r, -1, 1), 0.3);
        assert_ok(arne_builder_add_joint(builder, &j, NULL));
    }
    arne_robot *robot = finish(builder, NULL);
    arne_builder_free(builder);
    return robot;
}

// Code for one robot is refused, or not, before it is written, in the words of forward dynamics.
static void generated_code_is(const arne_robot *robot, arne_status wanted)
{
    static const arne_algorithm solving[] = {
        ARNE_ALGORITHM_FORWARD_DYNAMICS, ARNE_ALGORITHM_INVERSE_MASS_MATRIX,
        ARNE_ALGORITHM_FORWARD_DYNAMICS_DERIVATIVES, ARNE_ALGORITHM_GROUND_DYNAMICS,
        ARNE_ALGORITHM_ROLLOUT};
    const char *const           names[] = {"forward-dynamics"};
    const arne_generate_options o = {.functions = names, .function_count = 1, .frame = -1};
    arne_generated             *made = NULL;
    arne_kernel                *kernel = NULL;
    arne_error                  error;
    assert_int_equal(arne_generate(robot, &o, &made, &error), wanted);
    if (wanted) assert_non_null(strstr(error.text, "has no inertia to move"));
    arne_generated_free(made);
    for (size_t i = 0; i < sizeof solving / sizeof *solving; i++) {
        assert_int_equal(arne_generate_kernel(robot, solving[i], NULL, &kernel, &error), wanted);
        if (wanted) assert_non_null(strstr(error.text, "has no inertia to move"));
        arne_kernel_free(kernel);
    }
    assert_ok(arne_generate_kernel(robot, ARNE_ALGORITHM_MASS_MATRIX, NULL, &kernel, &error));
    arne_kernel_free(kernel);
}

// What is left of its inertia is rounding, and no form divides by that; nor does a batch.
static void mass_on_the_axis(void **unused)
{
    (void)unused;
    for (uint64_t seed = 0; seed < 200; seed++) {
        const int     exact = seed % 2 == 0;
        arne_robot   *robot = rod_on_its_axis(seed, exact ? 0 : 1e-8);
        arne_work    *work = new_work(robot);
        arne_batch   *batch = NULL;
        const int     n = arne_robot_sizes(robot).v_count;
        double        zero[4] = {0}, q[4] = {0.4, -1.1, 0.8, 2}, tau[4] = {0}, qdd[4], M[16];
        arne_error    error = {0};
        unsigned char none[4] = {0};
        tau[n - 1] = 1e-6;
        const arne_status way[4] = {
            arne_forward_dynamics(robot, work, q, zero, tau, NULL, qdd, &error),
            arne_forward_dynamics_matrix(robot, work, q, zero, tau, NULL, qdd, NULL),
            arne_hybrid_dynamics(robot, work, q, zero, none, NULL, tau, qdd, NULL),
            arne_inverse_mass_matrix(robot, work, q, M, NULL)};
        for (int i = 0; i < 4; i++)
            if (way[i] != (exact ? ARNE_SINGULAR : ARNE_OK))
                fail_msg("robot %d, form %d: \"%s\"", (int)seed, i, arne_status_text(way[i]));
        if (exact) assert_non_null(strstr(error.text, "has no inertia to move"));
        const arne_batch_options options = {.threads = 1};
        const arne_batch_inputs  in = {.q = q, .qd = zero, .tau = tau};
        const arne_batch_outputs out = {.qdd = qdd};
        assert_ok(arne_batch_new(robot, &options, &batch, NULL));
        assert_int_equal(arne_batch_run(batch, ARNE_ALGORITHM_FORWARD_DYNAMICS, &in, &out, 1, NULL),
                         exact ? ARNE_SINGULAR : ARNE_OK);
        arne_batch_free(batch);
        generated_code_is(robot, exact ? ARNE_SINGULAR : ARNE_OK);
        arne_work_free(work);
        arne_robot_free(robot);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_on_the_axis),
        cmocka_unit_test(all_forms_agree),
        cmocka_unit_test(small_beside_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
