// Manipulability against what is known of it: two links in a plane, the determinant of a square
// Jacobian, and areas that a closed mechanism sweeps, by differences of assembled postures.
#include "testing.h"

#include <arne/loop.h>

// Half axes of the tip of two links: their product is l1 l2 |sin q2|.
static void of_two_links(void **unused)
{
    (void)unused;
    arne_robot *robot = read_robot("planar_2r", NULL);
    arne_work  *work = NULL;
    assert_int_equal(arne_work_new(robot, &work), ARNE_OK);
    const int tip = arne_find_frame(robot, "tip");
    for (int i = 0; i < 20; i++) {
        const double q[2] = {0.3 * i, 0.4 * i - 2};
        double       linear[3], angular[3], measure;
        arne_error   error;
        assert_int_equal(
            arne_manipulability(robot, work, NULL, q, tip, linear, angular, &measure, &error),
            ARNE_OK);
        assert_true(fabs(linear[0] * linear[1] - 0.16 * fabs(sin(q[1]))) < 1e-14);
        assert_true(linear[0] >= linear[1] && linear[2] < 1e-15);
        // Both joints turn it about one axis, each by one.
        assert_true(fabs(angular[0] - sqrt(2)) < 1e-14 && angular[1] < 1e-15);
        assert_true(measure >= linear[0] * linear[1] - 1e-15);
    }
    arne_work_free(work);
    arne_robot_free(robot);
}

static double determinant(double *A, int n)
{
    double det = 1;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
        for (int j = 0; j < n && best != k; j++) {
            const double x = A[k * n + j];
            A[k * n + j] = A[best * n + j];
            A[best * n + j] = -x;
        }
        det *= A[k * n + k];
        for (int i = k + 1; i < n; i++)
            for (int j = n - 1; j >= k; j--)
                A[i * n + j] -= A[i * n + k] / A[k * n + k] * A[k * n + j];
    }
    return det;
}

static void of_six_joints(void **unused)
{
    (void)unused;
    arne_robot *robot = read_robot("arm6", NULL);
    arne_work  *work = NULL;
    uint64_t    seed = 3;
    assert_int_equal(arne_work_new(robot, &work), ARNE_OK);
    for (int i = 0; i < 20; i++) {
        double     q[6], J[36], measure;
        arne_error error;
        arne_random_configuration(robot, &seed, q);
        const int tip = arne_find_frame(robot, "link6");
        assert_int_equal(
            arne_manipulability(robot, work, NULL, q, tip, NULL, NULL, &measure, &error), ARNE_OK);
        arne_jacobian(robot, work, q, tip, ARNE_AXES_BODY, J);
        const double wanted = fabs(determinant(J, 6));
        assert_true(fabs(measure - wanted) < 1e-12 * (1 + wanted));
    }
    arne_work_free(work);
    arne_robot_free(robot);
}

// How far the tool of the five-bar goes with each motor: q holds a closed posture near the one
// sought.
static arne_vec3 tool_at(const arne_robot *robot, arne_work *work, arne_loop_work *loop, double *q)
{
    arne_error error;
    assert_int_equal(arne_assemble(robot, work, loop, NULL, q, NULL, &error), ARNE_OK);
    arne_kinematics(robot, work, q, NULL, NULL);
    return arne_frame_pose(robot, work, arne_find_frame(robot, "tool")).p;
}

static void of_a_closed_chain(void **unused)
{
    (void)unused;
    const double    step = 1e-5;
    arne_robot     *robot = read_robot("five_bar", NULL);
    arne_work      *work = NULL;
    arne_loop_work *loop = NULL;
    double          q[8], linear[3];
    arne_vec3       d[2];
    arne_error      error;
    assert_int_equal(arne_work_new(robot, &work), ARNE_OK);
    assert_int_equal(arne_loop_work_new(robot, &loop), ARNE_OK);
    arne_start_configuration(robot, q);
    q[arne_robot_joint(robot, arne_find_joint(robot, "motor1")).q_start] = 1.9;
    q[arne_robot_joint(robot, arne_find_joint(robot, "motor2")).q_start] = 1.1;
    tool_at(robot, work, loop, q);
    for (int i = 0; i < 2; i++) {
        const int k =
            arne_robot_joint(robot, arne_find_joint(robot, i ? "motor2" : "motor1")).q_start;
        double ahead[8], back[8];
        memcpy(ahead, q, sizeof q);
        memcpy(back, q, sizeof q);
        ahead[k] += step;
        back[k] -= step;
        const arne_vec3 a = tool_at(robot, work, loop, ahead), b = tool_at(robot, work, loop, back);
        d[i] = (arne_vec3){(a.x - b.x) / (2 * step), (a.y - b.y) / (2 * step), 0};
    }
    assert_int_equal(arne_manipulability(robot, work, loop, q, arne_find_frame(robot, "tool"),
                                         linear, NULL, NULL, &error),
                     ARNE_OK);
    const double area = fabs(d[0].x * d[1].y - d[0].y * d[1].x);
    assert_true(area > 1e-3);
    assert_true(fabs(linear[0] * linear[1] - area) < 1e-8);
    assert_true(linear[2] < 1e-12);
    arne_loop_work_free(loop);
    arne_work_free(work);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_two_links),
        cmocka_unit_test(of_six_joints),
        cmocka_unit_test(of_a_closed_chain),
    };
    return cmocka_run_group_tests_name("manipulability", tests, NULL, NULL);
}
