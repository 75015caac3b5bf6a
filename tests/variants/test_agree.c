// Every algorithm of the catalogue gives the same numbers in every arithmetic. That plain doubles
// are what the functions for one state give is the business of test_batch.c.
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

static void assert_agrees(const state *s, const char *who, const request *ask, const double *got,
                          const double *wanted)
{
    const int count = request_outputs(ask, s->robot), n = s->size.v_count;
    char      what[128];
    snprintf(what, sizeof what, "%s, %s", request_name(ask), who);
    if (!request_is_direct(ask)) {
        assert_close(s, what, got, wanted, count, TOLERANCE);
        return;
    }
    if (ask->algorithm == ARNE_ALGORITHM_OPERATIONAL_INERTIA) { // itself an inverse
        assert_close(s, what, got, wanted, count, TOLERANCE * fmax(1, 1e-3 * condition(wanted, 6)));
        return;
    }
    const request mass = request_for(ARNE_ALGORITHM_MASS_MATRIX, ARNE_ARRAY_M);
    double       *M = numbers(n * n);
    variant_double.run(s->robot, &mass, s, M);
    assert_direct_close(s, what, got, wanted, count, TOLERANCE, M);
    free(M);
}

static void compare_variants(const arne_robot *robot, const request *ask)
{
    const variant *others[MAX_OTHERS];
    const int      other_count = other_variants(others), count = request_outputs(ask, robot);
    state          s[VARIANT_LANES];
    double        *wanted = numbers(VARIANT_LANES * count), *got = numbers(VARIANT_LANES * count);

    for (int i = 0; i < VARIANT_LANES; i++) {
        s[i] = random_state(robot, (uint64_t)i + 1);
        variant_double.run(robot, ask, &s[i], wanted + i * count);
    }
    for (int k = 0; k < other_count; k++) {
        const int lanes = others[k]->lanes;
        for (int i = 0; i < VARIANT_LANES; i += lanes)
            others[k]->run(robot, ask, &s[i], got + i * count);
        for (int i = 0; i < VARIANT_LANES; i++)
            assert_agrees(&s[i], others[k]->name, ask, got + i * count, wanted + i * count);
    }
    free(wanted);
    free(got);
}

static void variants_agree(void **which)
{
    const request *ask = *which;
    EACH_ROBOT_OF (robot, work, TREES)
        if (request_applies(ask, robot)) compare_variants(robot, ask);
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
    for (int k = 0; k < ARNE_JOINT_STRAIN; k++)
        assert_true(k == ARNE_JOINT_FIXED || kinds[k] >= 5);
}

int main(void)
{
    static request    all[MAX_REQUESTS];
    static char       names[MAX_REQUESTS][96];
    const int         count = all_requests(all);
    struct CMUnitTest tests[MAX_REQUESTS + 1] = {cmocka_unit_test(robots_have_everything)};
    const variant    *others[MAX_OTHERS];

    if (other_variants(others) < MAX_OTHERS)
        print_message("three-vectors in a register: skipped, no AVX2 and FMA here\n");
    for (int i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "%s", request_name(&all[i]));
        tests[i + 1] = (struct CMUnitTest){
            .name = names[i], .test_func = variants_agree, .initial_state = &all[i]};
    }
    return _cmocka_run_group_tests("variants agree", tests, (size_t)count + 1, NULL, NULL);
}
