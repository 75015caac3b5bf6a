// Every algorithm that says how it went refuses a pointer that is NULL, each of those it needs, and
// the workspace of another robot; what is optional may be NULL.
#include "robots.h"
#include "testing.h"
#include <arne/arne.h>
#include <string.h>

static int         flaws, hole; // which of the pointers is NULL; 0: the workspace is another's
static arne_error  e;
static arne_robot *robot;
static arne_work  *own, *other;

#define OR(k, pointer) (hole == (k) ? NULL : (pointer))
#define ROBOT OR(1, robot)
#define WORK OR(2, hole ? own : other)

// The call, with a workspace of another robot, then with each of `count` pointers NULL in turn.
#define NEEDS(count, call)                                                                         \
    for (hole = 0; hole <= (count); hole++) {                                                      \
        memset(&e, 0, sizeof e);                                                                   \
        const arne_status said = (call);                                                           \
        const arne_status wanted = hole ? ARNE_NULL_ARGUMENT : ARNE_WORKSPACE;                     \
        if (said == wanted) continue;                                                              \
        flaws++;                                                                                   \
        print_error("pointer %d of %s: \"%s\"\n", hole, #call, arne_status_text(said));            \
    }

static void begin(const char *name)
{
    robot = read_robot(name, NULL);
    arne_robot *second = read_robot("humanoid", NULL);
    assert_ok(arne_work_new(robot, &own));
    assert_ok(arne_work_new(second, &other));
    arne_robot_free(second);
    flaws = 0;
}

static void end(void)
{
    arne_work_free(own);
    arne_work_free(other);
    arne_robot_free(robot);
    assert_int_equal(flaws, 0);
}

static double q[64], qd[64], qdd[64], qddd[64], tau[64], x[64 * 64], y[64 * 64], z[64 * 64];

static void trees(void **unused)
{
    static const arne_target   target = {.frame = 1};
    static const double        ground[10] = {0};
    static const unsigned char given[64] = {0};
    const arne_vec3            up = {0, 0, 1}, zero = {0, 0, 0};
    arne_vec3                  at;
    (void)unused;
    begin("arm6");
    NEEDS(4, arne_inverse_mass_matrix(ROBOT, WORK, OR(3, q), OR(4, x), &e))
    NEEDS(6,
          arne_forward_dynamics(ROBOT, WORK, OR(3, q), OR(4, qd), OR(5, tau), NULL, OR(6, qdd), &e))
    NEEDS(6, arne_forward_dynamics_matrix(ROBOT, WORK, OR(3, q), OR(4, qd), OR(5, tau), NULL,
                                          OR(6, qdd), &e))
    NEEDS(7, arne_hybrid_dynamics(ROBOT, WORK, OR(3, q), OR(4, qd), OR(5, given), NULL, OR(6, tau),
                                  OR(7, qdd), &e))
    NEEDS(6, arne_base_acceleration(ROBOT, WORK, OR(3, q), OR(4, qd), NULL, OR(5, qdd), OR(6, tau),
                                    &e))
    NEEDS(4, arne_operational_inertia(ROBOT, WORK, OR(3, q), 1, ARNE_AXES_BODY, OR(4, x), &e))
    NEEDS(7, arne_ground_dynamics(ROBOT, WORK, OR(3, q), OR(4, qd), OR(5, tau), OR(6, ground), NULL,
                                  OR(7, qdd), NULL, &e))
    NEEDS(6, arne_forward_dynamics_derivatives(ROBOT, WORK, OR(3, q), OR(4, qd), OR(5, tau),
                                               OR(6, NULL), hole == 6, qdd, x, y, z, &e))
    NEEDS(6, arne_second_derivatives(ROBOT, WORK, OR(3, q), OR(4, qd), OR(5, qdd), NULL, 0,
                                     OR(6, tau), x, y, z, x, &e))
    NEEDS(6, arne_zero_moment_point(ROBOT, WORK, OR(3, q), OR(4, qd), OR(5, qdd), zero, up,
                                    OR(6, &at), NULL, NULL, NULL))
    NEEDS(4, arne_inverse_kinematics(ROBOT, WORK, OR(3, &target), 1, NULL, OR(4, q), NULL))
    NEEDS(6, arne_elastic_inverse_dynamics(ROBOT, WORK, OR(3, q), OR(4, qd), NULL, OR(5, qdd),
                                           OR(6, tau), x, &e))
    NEEDS(6, arne_elastic_forward_dynamics(ROBOT, WORK, OR(3, q), OR(4, qd), OR(5, tau), NULL,
                                           OR(6, qdd), x, &e))
    NEEDS(6, arne_elastic_forward_dynamics_matrix(ROBOT, WORK, OR(3, q), OR(4, qd), OR(5, tau),
                                                  NULL, OR(6, qdd), x, &e))
    end();
}

static void loops(void **unused)
{
    arne_loop_work  *loop = NULL;
    arne_loop_report report;
    double           modes[64];
    int              count, complete;
    (void)unused;
    begin("gough_stewart");
    assert_ok(arne_loop_work_new(robot, &loop));
#define LOOP OR(3, loop)
#define Q OR(4, q)
    NEEDS(4, arne_assemble(ROBOT, WORK, LOOP, NULL, Q, NULL, &e))
    NEEDS(6, arne_assembly_modes(ROBOT, WORK, LOOP, NULL, Q, 1, OR(5, modes), OR(6, &count),
                                 &complete, &e))
    NEEDS(4, arne_loop_project(ROBOT, WORK, LOOP, Q, NULL, &e))
    NEEDS(5, arne_loop_analyse(ROBOT, WORK, LOOP, Q, OR(5, &report), NULL, &e))
    NEEDS(4, arne_loop_jacobian(ROBOT, WORK, LOOP, Q, x, NULL, NULL, NULL, &e))
    NEEDS(5, arne_loop_complete(ROBOT, WORK, LOOP, Q, OR(5, qd), NULL, &e))
    NEEDS(7, arne_loop_complete_jerk(ROBOT, WORK, LOOP, Q, OR(5, qd), OR(6, qdd), OR(7, qddd), &e))
    NEEDS(7, arne_loop_inverse_dynamics(ROBOT, WORK, LOOP, Q, OR(5, qd), OR(6, qdd), NULL, NULL,
                                        OR(7, tau), &e))
    NEEDS(5, arne_loop_gravity(ROBOT, WORK, LOOP, Q, NULL, OR(5, tau), &e))
    NEEDS(6, arne_loop_bias(ROBOT, WORK, LOOP, Q, OR(5, qd), NULL, NULL, OR(6, tau), &e))
    NEEDS(7, arne_loop_forces(ROBOT, WORK, LOOP, Q, OR(5, qd), OR(6, qdd), NULL, OR(7, tau), NULL,
                              NULL, &e))
    NEEDS(7, arne_loop_forward_dynamics(ROBOT, WORK, LOOP, Q, OR(5, qd), OR(6, tau), NULL, NULL,
                                        OR(7, qdd), &e))
    NEEDS(7, arne_loop_torque_rate(ROBOT, WORK, LOOP, Q, OR(5, qd), OR(6, qdd), OR(7, qddd), NULL,
                                   0, NULL, tau, x, &e))
    NEEDS(7, arne_loop_regressor(ROBOT, WORK, LOOP, Q, OR(5, qd), OR(6, qdd), NULL, OR(7, x), &e))
    NEEDS(5, arne_loop_reduced(ROBOT, WORK, LOOP, Q, OR(5, qd), NULL, x, y, &e))
    NEEDS(5, arne_loop_inverse_mass_matrix(ROBOT, WORK, LOOP, Q, OR(5, x), &e))
    NEEDS(6, arne_loop_coriolis_matrix(ROBOT, WORK, LOOP, Q, OR(5, qd), OR(6, x), &e))
    NEEDS(5, arne_loop_operational_inertia(ROBOT, WORK, LOOP, Q, 1, ARNE_AXES_BODY, OR(5, x), &e))
    NEEDS(6, arne_loop_inverse_dynamics_derivatives(ROBOT, WORK, LOOP, Q, OR(5, qd), OR(6, qdd),
                                                    NULL, 0, x, y, z, &e))
    NEEDS(6, arne_loop_forward_dynamics_derivatives(ROBOT, WORK, LOOP, Q, OR(5, qd), OR(6, tau),
                                                    NULL, 0, qdd, x, y, z, &e))
    NEEDS(4, arne_parallel_inverse_kinematics(ROBOT, WORK, LOOP, Q, &e))
    NEEDS(4, arne_parallel_forward_kinematics(ROBOT, WORK, LOOP, Q, &e))
    NEEDS(4, arne_parallel_complete(ROBOT, WORK, OR(3, q), OR(4, qd), NULL, &e))
    NEEDS(7, arne_parallel_inverse_dynamics(ROBOT, WORK, LOOP, Q, OR(5, qd), OR(6, qdd), NULL,
                                            OR(7, tau), &e))
    NEEDS(5, arne_payload_capacity(ROBOT, WORK, loop, 1, OR(3, q), OR(4, qd), qdd, NULL, OR(5, x),
                                   &count, &e))
    arne_loop_work_free(loop);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(trees), cmocka_unit_test(loops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
