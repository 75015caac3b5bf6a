// Derivatives of direct dynamics: the complex step of mass matrix, bias and solve, and how it says
// no.
#include "nudges.h"

#include <stdlib.h>

static double *numbers(int count)
{
    double *x = malloc(sizeof *x * (size_t)(count + 1));
    assert_non_null(x);
    memset(x, 0xff, sizeof *x * (size_t)(count + 1));
    return x;
}

static arne_status derivatives(loaded at, arne_work *work, double *qdd, double *dq, double *dqd,
                               double *dtau)
{
    const state *s = at.s;
    return arne_forward_dynamics_derivatives(s->robot, work, s->q, s->qd, s->tau, at.loads,
                                             at.load_count, qdd, dq, dqd, dtau, NULL);
}

static nudge direct_nudge(int which, int k, int n, double *unit)
{
    nudge d = unit_nudge(which, k, n, unit);
    if (which == 2) {
        d.tau = d.qdd;
        d.qdd = NULL;
    }
    return d;
}

// Whatever the condition of the mass matrix: the accelerations that a step adds need the torques
// that it takes away. M X is minus the complex step of inverse dynamics along q and qd, and 1 along
// tau.
static void residual_law(loaded at, const double *M, const double *qdd, int which, const double *X)
{
    const int n = at.s->size.v_count;
    state     moving = *at.s;
    double   *found = numbers(n * n), *wanted = numbers(n * n), unit[MAX_V], column[MAX_V];
    memcpy(moving.qdd, qdd, sizeof *qdd * (size_t)n);
    for (int k = 0; k < n; k++) {
        if (which < 2)
            oracle_torques((loaded){&moving, at.loads, at.load_count},
                           unit_nudge(which, k, n, unit), column);
        for (int i = 0; i < n; i++) {
            wanted[i * n + k] = which < 2 ? -column[i] : i == k;
            found[i * n + k] = 0;
            for (int j = 0; j < n; j++)
                found[i * n + k] += M[i * n + j] * X[j * n + k];
        }
    }
    assert_close(at.s, "torques of the derivative", found, wanted, n * n, 1e-10);
    free(found);
    free(wanted);
}

// The accelerations themselves: solving loses what the condition of the mass matrix takes, a
// derivative loses it twice, and so does the oracle.
static void step_law(loaded at, arne_work *work)
{
    static const char *const names[] = {"dqdd/dq", "dqdd/dqd", "dqdd/dtau"};
    const state             *s = at.s;
    const int                n = s->size.v_count;
    arne_wrench              f_ext[MAX_BODIES];
    double                  *ours[ALONG_COUNT], *wanted = numbers(n * n), *M = numbers(n * n);
    double                   unit[MAX_V], column[MAX_V], qdd[MAX_V], alone[MAX_V];

    for (int i = 0; i < ALONG_COUNT; i++)
        ours[i] = numbers(n * n);
    assert_ok(derivatives(at, work, qdd, ours[0], ours[1], ours[2]));
    arne_mass_matrix(s->robot, work, s->q, M);
    for (int which = 0; which < ALONG_COUNT; which++) {
        for (int k = 0; k < n; k++) {
            oracle_accelerations(at, direct_nudge(which, k, n, unit), column);
            for (int i = 0; i < n; i++)
                wanted[i * n + k] = column[i];
        }
        residual_law(at, M, qdd, which, ours[which]);
        assert_direct_close(s, names[which], ours[which], wanted, n * n, 1e-9, M);
        free(ours[which]);
    }
    loads_as_wrenches(s->robot, at.loads, at.load_count, f_ext);
    assert_ok(arne_forward_dynamics(s->robot, work, s->q, s->qd, s->tau, f_ext, alone, NULL));
    assert_direct_close(s, "qdd", qdd, alone, n, 1e-10, M);
    free(wanted);
    free(M);
}

static void accelerations_agree_with_the_complex_step(void **unused)
{
    (void)unused;
    EACH_ROBOT_OF (robot, work, TREE_COUNT / TEST_PART)
        for (uint64_t seed = 1; seed <= 2; seed++) {
            const state s = random_state(robot, seed);
            arne_load   loads[MAX_LOADS];
            state_set_base(&s, work);
            step_law((loaded){&s, NULL, 0}, work);
            step_law((loaded){&s, loads, random_loads(&s, loads)}, work);
        }
}

// dqdd/dtau is the inverse of the mass matrix.
static void acceleration_over_torque_is_the_inverse_of_mass(void **unused)
{
    (void)unused;
    EACH_ROBOT_OF (robot, work, 300) {
        const state s = random_state(robot, 1);
        const int   n = s.size.v_count;
        double     *ours = numbers(n * n), *inverse = numbers(n * n), *M = numbers(n * n);
        state_set_base(&s, work);
        assert_ok(derivatives((loaded){&s, NULL, 0}, work, NULL, NULL, NULL, ours));
        arne_mass_matrix(robot, work, s.q, M);
        assert_ok(arne_inverse_mass_matrix(robot, work, s.q, inverse, NULL));
        assert_direct_close(&s, "dqdd/dtau", ours, inverse, n * n, 1e-11, M);
        free(ours);
        free(inverse);
        free(M);
    }
}

// What is left out changes nothing for the rest.
static void outputs_may_be_left_out(void **unused)
{
    (void)unused;
    EACH_ROBOT_OF (robot, work, 60) {
        const state  s = random_state(robot, 2);
        const int    n = s.size.v_count;
        const loaded at = {&s, NULL, 0};
        double      *all[4], *one[4];
        for (int i = 0; i < 4; i++) {
            all[i] = numbers(n * n);
            one[i] = numbers(n * n);
        }
        state_set_base(&s, work);
        assert_ok(derivatives(at, work, all[0], all[1], all[2], all[3]));
        for (int i = 0; i < 4; i++) {
            assert_ok(derivatives(at, work, i == 0 ? one[0] : NULL, i == 1 ? one[1] : NULL,
                                  i == 2 ? one[2] : NULL, i == 3 ? one[3] : NULL));
            assert_close(&s, "one alone", one[i], all[i], i == 0 ? n : n * n, 1e-9);
        }
        for (int i = 0; i < 4; i++) {
            free(all[i]);
            free(one[i]);
        }
    }
}

// ---- failures ----

static void bad_arguments_are_said(void **unused)
{
    arne_robot *robot = read_robot("arm6", NULL);
    arne_work  *work = new_work(robot);
    const state s = random_state(robot, 1);
    arne_error  error = {0};
    double      qdd[MAX_V];
    (void)unused;
#define DIRECT(r, w, q, qd, tau, loads, count)                                                     \
    arne_forward_dynamics_derivatives(r, w, q, qd, tau, loads, count, qdd, NULL, NULL, NULL, &error)
    assert_status(DIRECT(NULL, work, s.q, s.qd, s.tau, NULL, 0), ARNE_NULL_ARGUMENT);
    assert_int_equal(error.code, ARNE_NULL_ARGUMENT);
    assert_status(DIRECT(robot, NULL, s.q, s.qd, s.tau, NULL, 0), ARNE_NULL_ARGUMENT);
    assert_status(DIRECT(robot, work, NULL, s.qd, s.tau, NULL, 0), ARNE_NULL_ARGUMENT);
    assert_status(DIRECT(robot, work, s.q, NULL, s.tau, NULL, 0), ARNE_NULL_ARGUMENT);
    assert_status(DIRECT(robot, work, s.q, s.qd, NULL, NULL, 0), ARNE_NULL_ARGUMENT);
    assert_status(DIRECT(robot, work, s.q, s.qd, s.tau, NULL, 1), ARNE_NULL_ARGUMENT);
    assert_status(DIRECT(robot, work, s.q, s.qd, s.tau, NULL, 0), ARNE_OK);
#undef DIRECT
    arne_work_free(work);
    arne_robot_free(robot);
}

// A joint with nothing behind it.
static void no_inertia_is_said(void **unused)
{
    arne_builder   *builder = NULL;
    arne_body_spec  body = arne_body_spec_default();
    arne_joint_spec joint = arne_joint_spec_default();
    arne_error      error = {0};
    double          q = 0.3, v = 1, tau = 1, qdd, dq, dqd, dtau;
    (void)unused;
    assert_ok(arne_builder_new(&builder));
    body.name = "ground";
    assert_ok(arne_builder_add_body(builder, &body, NULL));
    body.name = "feather";
    assert_ok(arne_builder_add_body(builder, &body, NULL));
    joint.name = "hinge";
    joint.parent = "ground";
    joint.child = "feather";
    joint.kind = ARNE_JOINT_REVOLUTE;
    assert_ok(arne_builder_add_joint(builder, &joint, NULL));
    arne_robot *robot = finish(builder, NULL);
    arne_work  *work = new_work(robot);
    assert_status(arne_forward_dynamics_derivatives(robot, work, &q, &v, &tau, NULL, 0, &qdd, &dq,
                                                    &dqd, &dtau, &error),
                  ARNE_SINGULAR);
    assert_non_null(strstr(error.text, "hinge"));
    assert_status(arne_forward_dynamics_derivatives(robot, work, &q, &v, &tau, NULL, 0, &qdd, &dq,
                                                    &dqd, &dtau, NULL),
                  ARNE_SINGULAR);
    arne_work_free(work);
    arne_robot_free(robot);
    arne_builder_free(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accelerations_agree_with_the_complex_step),
        cmocka_unit_test(acceleration_over_torque_is_the_inverse_of_mass),
        cmocka_unit_test(outputs_may_be_left_out),
        cmocka_unit_test(bad_arguments_are_said),
        cmocka_unit_test(no_inertia_is_said),
    };
    return cmocka_run_group_tests_name("derivatives of direct dynamics", tests, NULL, NULL);
}
