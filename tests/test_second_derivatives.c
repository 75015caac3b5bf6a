// Second derivatives, contracted with a vector lambda: against the complex step of the gradient
// kernel, for symmetry, and for each torque by itself.
#include "nudges.h"

#include <stdlib.h>

enum { MANY = MAX_V * MAX_V };

static const double TOLERANCE = 1e-10;

typedef struct second {
    double qq[MANY], qv[MANY], vv[MANY], qa[MANY];
} second;

static second *new_second(void)
{
    second *h = malloc(sizeof *h);
    assert_non_null(h);
    memset(h, 0xff, sizeof *h);
    return h;
}

static int has_one_coordinate_each(const arne_robot *robot)
{
    for (int j = 0; j < arne_robot_sizes(robot).joint_count; j++)
        if (arne_joint_kind_v_count(arne_robot_joint(robot, j).kind) != 1) return 0;
    return 1;
}

// Loads that move with the links.
static int link_loads(const state *s, arne_load *loads)
{
    const int count = random_loads(s, loads);
    for (int i = 0; i < count; i++)
        loads[i].in_world = 0;
    return count;
}

// Robots of which every joint has one coordinate; how many there were.
static int on_every_robot(int trees, void (*law)(loaded at, arne_work *work, const double *lambda))
{
    int count = 0;
    EACH_ROBOT_OF (robot, work, trees) {
        if (!has_one_coordinate_each(robot)) continue;
        count++;
        for (uint64_t seed = 1; seed <= 2; seed++) {
            const state s = random_state(robot, seed);
            arne_load   loads[MAX_LOADS];
            double      lambda[MAX_V];
            rng         r = rng_seed(seed + 3);
            rng_fill(&r, lambda, s.size.v_count, 1);
            state_set_base(&s, work);
            law((loaded){&s, loads, seed == 1 ? 0 : link_loads(&s, loads)}, work, lambda);
        }
    }
    return count;
}

static void compute(loaded at, arne_work *work, const double *lambda, second *h)
{
    const state *s = at.s;
    assert_ok(arne_second_derivatives(s->robot, work, s->q, s->qd, s->qdd, at.loads, at.load_count,
                                      lambda, h->qq, h->qv, h->vv, h->qa, NULL));
}

static void step_law(loaded at, arne_work *work, const double *lambda)
{
    const int n = at.s->size.v_count;
    second   *ours = new_second(), *wanted = new_second();
    double   *zero = calloc(MANY, sizeof *zero), *wanted_qv = malloc(sizeof *wanted_qv * MANY);
    double    unit[MAX_V], g[3 * MAX_V];
    assert_non_null(zero);
    assert_non_null(wanted_qv);
    compute(at, work, lambda, ours);
    for (int k = 0; k < n; k++) {
        // how the gradient along q, qd and qdd changes with q_k: rows of qq, qv and qa
        oracle_gradient(at, lambda, unit_nudge(0, k, n, unit), g);
        memcpy(wanted->qq + k * n, g, sizeof *g * (size_t)n);
        memcpy(wanted->qv + k * n, g + n, sizeof *g * (size_t)n);
        memcpy(wanted->qa + k * n, g + 2 * n, sizeof *g * (size_t)n);
        // and with qd_k and qdd_k: columns of qv and qa, and vv; torques are linear in qdd
        oracle_gradient(at, lambda, unit_nudge(1, k, n, unit), g);
        memcpy(wanted->vv + k * n, g + n, sizeof *g * (size_t)n);
        for (int i = 0; i < n; i++)
            wanted_qv[i * n + k] = g[i];
        assert_close(at.s, "d2/dqd dqdd", g + 2 * n, zero, n, TOLERANCE);
        oracle_gradient(at, lambda, unit_nudge(2, k, n, unit), g);
        assert_close(at.s, "d2/dqdd2", g + 2 * n, zero, n, TOLERANCE);
    }
    assert_close(at.s, "qq", ours->qq, wanted->qq, n * n, TOLERANCE);
    assert_close(at.s, "qv", ours->qv, wanted->qv, n * n, TOLERANCE);
    assert_close(at.s, "vq, turned", ours->qv, wanted_qv, n * n, TOLERANCE);
    assert_close(at.s, "vv", ours->vv, wanted->vv, n * n, TOLERANCE);
    assert_close(at.s, "qa", ours->qa, wanted->qa, n * n, TOLERANCE);
    free(zero);
    free(wanted_qv);
    free(ours);
    free(wanted);
}

static void gradients_agree_with_the_complex_step(void **unused)
{
    (void)unused;
    assert_true(on_every_robot(TREE_COUNT, step_law) > 100);
}

static void symmetry_law(loaded at, arne_work *work, const double *lambda)
{
    const int n = at.s->size.v_count;
    second   *h = new_second();
    compute(at, work, lambda, h);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) {
            assert_same(at.s, "qq", h->qq[i * n + k], h->qq[k * n + i], TOLERANCE);
            assert_same(at.s, "vv", h->vv[i * n + k], h->vv[k * n + i], TOLERANCE);
        }
    free(h);
}

static void second_derivatives_are_symmetric(void **unused)
{
    (void)unused;
    on_every_robot(300, symmetry_law);
}

// Without friction torques are quadratic in qd: tau(qd) + tau(-qd) - 2 tau(0) = qd^T vv qd for
// every torque alone.
static void velocity_law(loaded at, arne_work *work)
{
    const state *s = at.s;
    const int    n = s->size.v_count;
    second      *h = new_second();
    double       back[MAX_V], zero[MAX_V] = {0}, unit[MAX_V] = {0}, tau[3][MAX_V];
    for (int k = 0; k < n; k++)
        back[k] = -s->qd[k];
    state still = *s;
    state_stop_base(&still, work);
    arne_inverse_dynamics(s->robot, work, s->q, s->qd, s->qdd, NULL, tau[0]);
    arne_inverse_dynamics(s->robot, work, s->q, back, s->qdd, NULL, tau[1]);
    arne_inverse_dynamics(s->robot, work, s->q, zero, s->qdd, NULL, tau[2]);
    for (int i = 0; i < n; i++) {
        double sum = 0;
        unit[i] = 1;
        compute((loaded){&still, NULL, 0}, work, unit, h);
        unit[i] = 0;
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                sum += s->qd[j] * h->vv[j * n + k] * s->qd[k];
        const double wanted = tau[0][i] + tau[1][i] - 2 * tau[2][i];
        assert_same(s, "qd vv qd", sum, wanted, 1e-9);
    }
    free(h);
}

static void torques_are_quadratic_in_velocity(void **unused)
{
    static const char *const        names[] = {"arm6", "arm7", "puma560", "scara", "stanford"};
    static const arne_build_options bare = {.no_friction = 1};
    (void)unused;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        arne_robot *robot = read_robot(names[i], &bare);
        arne_work  *work = new_work(robot);
        const state s = random_state(robot, 1);
        velocity_law((loaded){&s, NULL, 0}, work);
        arne_work_free(work);
        arne_robot_free(robot);
    }
}

// Each output alone is what all of them together give; lambda counts linearly.
static void outputs_may_be_left_out(void **unused)
{
    (void)unused;
    EACH_ROBOT_OF (robot, work, 100) {
        if (!has_one_coordinate_each(robot)) continue;
        const state s = random_state(robot, 2);
        const int   n = s.size.v_count;
        second     *all = new_second(), *one = new_second();
        state_set_base(&s, work);
        compute((loaded){&s, NULL, 0}, work, s.tau, all);
        double *from[4] = {all->qq, all->qv, all->vv, all->qa};
        double *to[4] = {one->qq, one->qv, one->vv, one->qa};
        for (int i = 0; i < 4; i++) {
            assert_ok(arne_second_derivatives(robot, work, s.q, s.qd, s.qdd, NULL, 0, s.tau,
                                              i == 0 ? to[0] : NULL, i == 1 ? to[1] : NULL,
                                              i == 2 ? to[2] : NULL, i == 3 ? to[3] : NULL, NULL));
            assert_close(&s, "one alone", to[i], from[i], n * n, 1e-14);
        }
        free(all);
        free(one);
    }
}

// ---- failures ----

static void unsupported_is_said(void **unused)
{
    int refused = 0;
    (void)unused;
    EACH_ROBOT_OF (robot, work, 50) {
        if (has_one_coordinate_each(robot)) continue;
        const state s = random_state(robot, 1);
        second     *h = new_second();
        arne_error  error = {0};
        assert_status(arne_second_derivatives(robot, work, s.q, s.qd, s.qdd, NULL, 0, s.tau, h->qq,
                                              h->qv, h->vv, h->qa, &error),
                      ARNE_UNSUPPORTED);
        assert_int_equal(error.code, ARNE_UNSUPPORTED);
        assert_non_null(strstr(error.text, "joint '"));
        assert_status(arne_second_derivatives(robot, work, s.q, s.qd, s.qdd, NULL, 0, s.tau, h->qq,
                                              h->qv, h->vv, h->qa, NULL),
                      ARNE_UNSUPPORTED);
        refused++;
        free(h);
    }
    assert_true(refused > 10);
}

static void bad_arguments_are_said(void **unused)
{
    arne_robot *robot = read_robot("arm6", NULL);
    arne_work  *work = new_work(robot);
    const state s = random_state(robot, 1);
    arne_load   loads[MAX_LOADS];
    const int   count = random_loads(&s, loads);
    arne_error  error = {0};
    double     *qq = malloc(sizeof *qq * MANY);
    (void)unused;
#define SECOND(r, w, q, qd, qdd, l, c, lambda)                                                     \
    arne_second_derivatives(r, w, q, qd, qdd, l, c, lambda, qq, NULL, NULL, NULL, &error)
    assert_status(SECOND(robot, work, s.q, s.qd, s.qdd, loads, count, s.tau), ARNE_UNSUPPORTED);
    assert_non_null(strstr(error.text, "world"));
    assert_status(SECOND(NULL, work, s.q, s.qd, s.qdd, NULL, 0, s.tau), ARNE_NULL_ARGUMENT);
    assert_status(SECOND(robot, NULL, s.q, s.qd, s.qdd, NULL, 0, s.tau), ARNE_NULL_ARGUMENT);
    assert_status(SECOND(robot, work, NULL, s.qd, s.qdd, NULL, 0, s.tau), ARNE_NULL_ARGUMENT);
    assert_status(SECOND(robot, work, s.q, NULL, s.qdd, NULL, 0, s.tau), ARNE_NULL_ARGUMENT);
    assert_status(SECOND(robot, work, s.q, s.qd, NULL, NULL, 0, s.tau), ARNE_NULL_ARGUMENT);
    assert_status(SECOND(robot, work, s.q, s.qd, s.qdd, NULL, 1, s.tau), ARNE_NULL_ARGUMENT);
    assert_status(SECOND(robot, work, s.q, s.qd, s.qdd, NULL, 0, NULL), ARNE_NULL_ARGUMENT);
#undef SECOND
    free(qq);
    arne_work_free(work);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_agree_with_the_complex_step),
        cmocka_unit_test(second_derivatives_are_symmetric),
        cmocka_unit_test(torques_are_quadratic_in_velocity),
        cmocka_unit_test(outputs_may_be_left_out),
        cmocka_unit_test(unsupported_is_said),
        cmocka_unit_test(bad_arguments_are_said),
    };
    return cmocka_run_group_tests_name("second derivatives", tests, NULL, NULL);
}
