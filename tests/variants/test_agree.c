// Every algorithm gives the same numbers in every arithmetic, and those of the library.
#include "testing.h"
#include "variant.h"

#include <stdio.h>
#include <stdlib.h>

enum { TREES = 50, MAX_OTHERS = 4 };

static const double TOLERANCE = 1e-12;

// The variants that are compared with plain doubles.
static int other_variants(const variant *out[MAX_OTHERS])
{
    int count = 0;
    out[count++] = &variant_complex;
    out[count++] = &variant_lanes;
    out[count++] = &variant_record;
#ifdef ARNE_HAVE_WIDE
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        out[count++] = &variant_wide;
#endif
    return count;
}

static double *numbers(int count)
{
    double *x = malloc(sizeof *x * (size_t)(count + 1));
    assert_non_null(x);
    return x;
}

static void assert_agrees(const state *s, const char *who, algorithm a, const double *got,
                          const double *wanted)
{
    const int count = algorithm_outputs(s->robot, a), n = s->size.v_count;
    char      what[64];
    snprintf(what, sizeof what, "%s, %s", algorithm_name(a), who);
    if (!algorithm_is_direct(a)) {
        assert_close(s, what, got, wanted, count, TOLERANCE);
        return;
    }
    double *M = numbers(n * n);
    variant_double.run(s->robot, ALGORITHM_mass_matrix, s, M);
    assert_direct_close(s, what, got, wanted, count, TOLERANCE, M);
    free(M);
}

// ---- the arithmetics ----

static void compare_variants(const arne_robot *robot, algorithm a)
{
    const variant *others[MAX_OTHERS];
    const int      other_count = other_variants(others), count = algorithm_outputs(robot, a);
    state          s[VARIANT_LANES];
    double        *wanted = numbers(VARIANT_LANES * count), *got = numbers(VARIANT_LANES * count);

    for (int i = 0; i < VARIANT_LANES; i++) {
        s[i] = random_state(robot, (uint64_t)i + 1);
        variant_double.run(robot, a, &s[i], wanted + i * count);
    }
    for (int k = 0; k < other_count; k++) {
        const int lanes = others[k]->lanes;
        for (int i = 0; i < VARIANT_LANES; i += lanes)
            others[k]->run(robot, a, &s[i], got + i * count);
        for (int i = 0; i < VARIANT_LANES; i++)
            assert_agrees(&s[i], others[k]->name, a, got + i * count, wanted + i * count);
    }
    free(wanted);
    free(got);
}

static void variants_agree(void **which)
{
    const algorithm a = *(const algorithm *)*which;
    EACH_ROBOT_OF (robot, work, TREES)
        compare_variants(robot, a);
}

// ---- the library ----

static int library_derivative(const state *s, arne_work *work, algorithm a, double *out)
{
    const arne_robot *robot = s->robot;
    const int         n = s->size.v_count, frame = s->size.frame_count - 1;
    switch (a) {
    case ALGORITHM_torque_rate:
        arne_torque_rate(robot, work, s->q, s->qd, s->qdd, s->tau, NULL, 0, out, out + n);
        return 1;
    case ALGORITHM_frame_derivatives: {
        const arne_frame_derivatives in_body = {.dvelocity_dq = out,
                                                .dacceleration_dq = out + 6 * n},
                                     aligned = {.dvelocity_dqd = out + 12 * n,
                                                .dacceleration_dqd = out + 18 * n};
        arne_frame_motion_derivatives(robot, work, s->q, s->qd, s->qdd, frame, ARNE_AXES_BODY,
                                      &in_body);
        arne_frame_motion_derivatives(robot, work, s->q, s->qd, s->qdd, frame, ARNE_AXES_ALIGNED,
                                      &aligned);
        return 1;
    }
    case ALGORITHM_centroidal_derivatives: {
        const arne_momentum_derivatives to = {.dmomentum_dq = out,
                                              .dmomentum_rate_dq = out + 6 * n,
                                              .dmomentum_dqd = out + 12 * n,
                                              .dmomentum_rate_dqd = out + 18 * n};
        arne_centroidal_derivatives(robot, work, s->q, s->qd, s->qdd, NULL, &to);
        return 1;
    }
    default:
        return 0;
    }
}

// The outputs of the public function; 0 where there is none with these.
static int library_run(const state *s, arne_work *work, algorithm a, double *out)
{
    const arne_robot *robot = s->robot;
    const int         frame = s->size.frame_count - 1;
    double            unused;
    arne_vec3         com, com_velocity;
    switch (a) {
    case ALGORITHM_jacobian_body:
        return arne_jacobian(robot, work, s->q, frame, ARNE_AXES_BODY, out), 1;
    case ALGORITHM_jacobian_world:
        return arne_jacobian(robot, work, s->q, frame, ARNE_AXES_WORLD, out), 1;
    case ALGORITHM_jacobian_rate_aligned:
        return arne_jacobian_rate(robot, work, s->q, s->qd, frame, ARNE_AXES_ALIGNED, out), 1;
    case ALGORITHM_com_velocity:
        arne_center_of_mass(robot, work, s->q, s->qd, &com, &com_velocity);
        return memcpy(out, &com_velocity, sizeof com_velocity) != NULL;
    case ALGORITHM_com_jacobian:
        return arne_com_jacobian(robot, work, s->q, out), 1;
    case ALGORITHM_centroidal_matrix:
        return arne_centroidal_matrix(robot, work, s->q, out), 1;
    case ALGORITHM_kinetic_energy:
        return arne_energy(robot, work, s->q, s->qd, out, &unused), 1;
    case ALGORITHM_potential_energy:
        return arne_energy(robot, work, s->q, s->qd, &unused, out), 1;
    case ALGORITHM_inverse_dynamics_loaded:
        return arne_inverse_dynamics(robot, work, s->q, s->qd, s->qdd, s->f_ext, out), 1;
    case ALGORITHM_gravity:
        return arne_gravity(robot, work, s->q, out), 1;
    case ALGORITHM_bias:
        return arne_bias(robot, work, s->q, s->qd, NULL, out), 1;
    case ALGORITHM_coriolis_matrix:
        return arne_coriolis_matrix(robot, work, s->q, s->qd, out), 1;
    case ALGORITHM_mass_matrix:
        return arne_mass_matrix(robot, work, s->q, out), 1;
    case ALGORITHM_inverse_mass_matrix:
        assert_ok(arne_inverse_mass_matrix(robot, work, s->q, out, NULL));
        return 1;
    case ALGORITHM_forward_dynamics_loaded:
        assert_ok(arne_forward_dynamics(robot, work, s->q, s->qd, s->tau, s->f_ext, out, NULL));
        return 1;
    default:
        return library_derivative(s, work, a, out);
    }
}

static void compare_library(const state *s, arne_work *work, algorithm a)
{
    const int count = algorithm_outputs(s->robot, a);
    double   *wanted = numbers(count), *got = numbers(count);
    if (library_run(s, work, a, wanted)) {
        variant_double.run(s->robot, a, s, got);
        assert_agrees(s, "the library's", a, got, wanted);
    }
    free(wanted);
    free(got);
}

static void library_agrees(void **unused)
{
    (void)unused;
    EACH_ROBOT_OF (robot, work, TREES)
        for (uint64_t seed = 1; seed <= 2; seed++) {
            const state s = random_state(robot, seed);
            state_set_base(&s, work);
            for (int a = 0; a < ALGORITHM_COUNT; a++)
                compare_library(&s, work, (algorithm)a);
        }
}

// ---- the robots ----

// Without mimic joints or some kind of joint a part of the texts would be left aside.
static void robots_have_everything(void **unused)
{
    int mimics = 0, prescribed = 0, kinds[ARNE_JOINT_KIND_COUNT] = {0};
    (void)unused;
    EACH_ROBOT_OF (robot, work, TREES) {
        const int joint_count = arne_robot_sizes(robot).joint_count;
        prescribed += arne_robot_base(robot) == ARNE_BASE_PRESCRIBED;
        for (int j = 0; j < joint_count; j++) {
            const arne_joint_info info = arne_robot_joint(robot, j);
            mimics += info.mimic >= 0;
            kinds[info.kind]++;
        }
    }
    assert_true(mimics >= 5 && prescribed >= 5);
    for (int k = 0; k < ARNE_JOINT_KIND_COUNT; k++)
        assert_true(k == ARNE_JOINT_FIXED || kinds[k] >= 5);
}

int main(void)
{
    static algorithm  which[ALGORITHM_COUNT];
    struct CMUnitTest tests[ALGORITHM_COUNT + 2] = {
        cmocka_unit_test(robots_have_everything),
        cmocka_unit_test(library_agrees),
    };
    const variant *others[MAX_OTHERS];

    if (other_variants(others) < MAX_OTHERS)
        print_message("three-vectors in a register: skipped, no AVX2 and FMA here\n");
    for (int a = 0; a < ALGORITHM_COUNT; a++) {
        struct CMUnitTest *test = &tests[a + 2];
        which[a] = (algorithm)a;
        test->name = algorithm_name(which[a]);
        test->test_func = variants_agree;
        test->initial_state = &which[a];
    }
    return cmocka_run_group_tests_name("variants agree", tests, NULL, NULL);
}
