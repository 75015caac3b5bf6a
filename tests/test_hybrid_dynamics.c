// Hybrid dynamics: whichever joints have their acceleration given, torques and accelerations belong
// together.
#include "testing.h"

#include "random.h"

typedef double matrix[MAX_V * MAX_V];

// The motion of random torques and accelerations needs the torques that hybrid dynamics says, and
// has the accelerations that were given.
static void hybrid_is_consistent(void **unused)
{
    (void)unused;
    matrix M;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            const int     n = s.size.v_count;
            unsigned char given[MAX_V];
            double        tau[MAX_V], qdd[MAX_V], needed[MAX_V];

            for (int k = 0; k < n; k++) {
                given[k] = (unsigned char)((k * 7 + s.size.body_count) % 3 == 0);
                tau[k] = given[k] ? NAN : s.tau[k];
                qdd[k] = given[k] ? s.qdd[k] : NAN;
            }
            assert_ok(arne_hybrid_dynamics(robot, work, s.q, s.qd, given, s.f_ext, tau, qdd, NULL));
            arne_mass_matrix(robot, work, s.q, M);
            arne_inverse_dynamics(robot, work, s.q, s.qd, qdd, s.f_ext, needed);
            assert_direct_close(&s, "torques of the hybrid motion", tau, needed, n, 1e-10, M);
            for (int k = 0; k < n; k++)
                assert_true(given[k] ? qdd[k] == s.qdd[k] : tau[k] == s.tau[k]);
        }
}

// All torques given it is direct dynamics, all accelerations given it is inverse dynamics.
static void both_ends(void **unused)
{
    (void)unused;
    matrix M;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            const int     n = s.size.v_count;
            unsigned char none[MAX_V] = {0}, all[MAX_V];
            double        tau[MAX_V], qdd[MAX_V], expected[MAX_V];

            memset(all, 1, sizeof all);
            arne_mass_matrix(robot, work, s.q, M);
            assert_ok(
                arne_forward_dynamics(robot, work, s.q, s.qd, s.tau, s.f_ext, expected, NULL));
            memcpy(tau, s.tau, sizeof tau);
            assert_ok(arne_hybrid_dynamics(robot, work, s.q, s.qd, none, s.f_ext, tau, qdd, NULL));
            assert_direct_close(&s, "qdd with no acceleration given", qdd, expected, n, 1e-10, M);

            arne_inverse_dynamics(robot, work, s.q, s.qd, s.qdd, s.f_ext, expected);
            memcpy(qdd, s.qdd, sizeof qdd);
            assert_ok(arne_hybrid_dynamics(robot, work, s.q, s.qd, all, s.f_ext, tau, qdd, NULL));
            assert_close(&s, "tau with all accelerations given", tau, expected, n, 1e-10);
        }
}

// A free base with the joints' accelerations given: hybrid dynamics with no torque on the base, by
// another way.
static void free_base_is_hybrid(void **unused)
{
    (void)unused;
    int    seen = 0;
    matrix M;
    EACH_ROBOT (robot, work) {
        if (arne_robot_base(robot) != ARNE_BASE_FREE) continue;
        EACH_STATE (s, robot, work) {
            const int     n = s.size.v_count;
            unsigned char given[MAX_V];
            double        tau[MAX_V] = {0}, qdd[MAX_V], found[MAX_V], torque[MAX_V];

            for (int k = 0; k < n; k++) {
                given[k] = k >= 6;
                qdd[k] = found[k] = k < 6 ? NAN : s.qdd[k];
            }
            arne_mass_matrix(robot, work, s.q, M);
            assert_ok(arne_hybrid_dynamics(robot, work, s.q, s.qd, given, s.f_ext, tau, qdd, NULL));
            assert_ok(arne_base_acceleration(robot, work, s.q, s.qd, s.f_ext, found, torque, NULL));
            assert_direct_close(&s, "acceleration of the base", found, qdd, n, 1e-10, M);
            assert_direct_close(&s, "torques under a free base", torque, tau, n, 1e-10, M);
            seen++;
        }
    }
    assert_true(seen > 0);
}

static void a_fixed_base_is_refused(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work) {
        if (arne_robot_base(robot) == ARNE_BASE_FREE) continue;
        double     x[MAX_Q] = {0}, y[MAX_V] = {0}, z[MAX_V] = {0};
        arne_error error;
        assert_int_equal(arne_base_acceleration(robot, work, x, y, NULL, z, z, &error),
                         ARNE_UNSUPPORTED);
        assert_non_null(strstr(error.text, "not free"));
    }
}

static void null_arguments(void **unused)
{
    (void)unused;
    const double        x = 0;
    double              y = 0;
    const unsigned char given = 0;
    assert_int_equal(arne_hybrid_dynamics(NULL, NULL, &x, &x, &given, NULL, &y, &y, NULL),
                     ARNE_NULL_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hybrid_is_consistent), cmocka_unit_test(both_ends),
        cmocka_unit_test(free_base_is_hybrid),  cmocka_unit_test(a_fixed_base_is_refused),
        cmocka_unit_test(null_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
