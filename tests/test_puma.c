// The Puma 560 as published: Corke and Armstrong-Helouvry 1994, in the form of Corke's toolbox,
// motors and friction included. Torques are given to four decimals.
#include "testing.h"

static const double PI = 3.14159265358979323846;

static void check(const double *qd, const double *qdd, const double *published)
{
    arne_robot  *robot = read_robot("puma560", NULL);
    arne_work   *work = new_work(robot);
    const double q[6] = {0, PI / 4, PI, 0, PI / 4, 0};
    double       tau[6];

    assert_int_equal(arne_robot_sizes(robot).v_count, 6);
    arne_inverse_dynamics(robot, work, q, qd, qdd, NULL, tau);
    for (int i = 0; i < 6; i++)
        if (!(fabs(tau[i] - published[i]) <= 0.5001e-4))
            fail_msg("torque of joint %d is %.6f, published %.4f", i + 1, tau[i], published[i]);
    arne_work_free(work);
    arne_robot_free(robot);
}

static void at_rest(void **unused)
{
    (void)unused;
    const double zero[6] = {0}, published[6] = {0, 31.6399, 6.0351, 0, 0.0283, 0};
    check(zero, zero, published);
}

static void in_motion(void **unused)
{
    (void)unused;
    const double one[6] = {1, 1, 1, 1, 1, 1};
    const double published[6] = {32.4952, 60.8670, 17.7436, 1.4545, 1.2991, 0.7138};
    check(one, one, published);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(at_rest), cmocka_unit_test(in_motion)};
    return cmocka_run_group_tests_name("Puma 560", tests, NULL, NULL);
}
