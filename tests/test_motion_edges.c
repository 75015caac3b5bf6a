// Motions at their edges: quaternions that change sign, turns that are too long, and what scaling
// refuses.
#include "testing.h"

#include <math.h>
#include <string.h>

static arne_error e;

static void says(arne_status status, const char *text)
{
    if (!text && status) fail_msg("it is refused: %s", e.text);
    if (text && !status) fail_msg("'%s' is not said", text);
    if (text && !strstr(e.text, text)) fail_msg("'%s' is not said: %s", text, e.text);
}

// One body on a ball joint.
static arne_robot *ball(void)
{
    arne_builder   *b = NULL;
    arne_robot     *robot = NULL;
    arne_body_spec  body = arne_body_spec_default();
    arne_joint_spec joint = arne_joint_spec_default();
    assert_ok(arne_builder_new(&b));
    body.name = joint.parent = "base";
    assert_ok(arne_builder_add_body(b, &body, &e));
    body.name = joint.child = "top";
    body.mass = body.inertia[0] = body.inertia[1] = body.inertia[2] = 1;
    assert_ok(arne_builder_add_body(b, &body, &e));
    joint.name = "ball";
    joint.kind = ARNE_JOINT_BALL;
    assert_ok(arne_builder_add_joint(b, &joint, &e));
    assert_ok_or(arne_builder_finish(b, NULL, &robot, &e), &e);
    arne_builder_free(b);
    return robot;
}

// A turn about the diagonal, by angles that rise.
static void turns(const double *angles, int count, double *out)
{
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++)
            out[4 * i + k] = sin(angles[i] / 2) / sqrt(3);
        out[4 * i + 3] = cos(angles[i] / 2);
    }
}

// h and -h are one orientation: the motion does not ask which of them is given.
static void signs_of_quaternions(void **unused)
{
    enum { COUNT = 5 };
    static const double times[COUNT] = {0, 0.5, 1, 1.5, 2}, angles[COUNT] = {0.1, 0.6, 1, 1.8, 2.5};
    (void)unused;
    arne_robot *robot = ball();
    double      points[4 * COUNT];
    for (int degree = 1; degree < 6; degree += 2)
        for (int signs = 1; signs < 1 << COUNT; signs++) {
            arne_trajectory *plain = NULL, *turned = NULL;
            turns(angles, COUNT, points);
            assert_ok_or(arne_trajectory_waypoints(robot, degree, COUNT, times, points, &plain, &e),
                         &e);
            for (int i = 0; i < COUNT; i++)
                for (int k = 0; signs >> i & 1 && k < 4; k++)
                    points[4 * i + k] = -points[4 * i + k];
            assert_ok_or(
                arne_trajectory_waypoints(robot, degree, COUNT, times, points, &turned, &e), &e);
            for (int i = 0; i <= 20; i++) {
                double a[4], b[4], av[3], bv[3], product = 0, off = 0;
                arne_trajectory_evaluate(plain, i / 10.0, a, av, NULL, NULL, NULL);
                arne_trajectory_evaluate(turned, i / 10.0, b, bv, NULL, NULL, NULL);
                for (int k = 0; k < 4; k++)
                    product += a[k] * b[k];
                for (int k = 0; k < 3; k++)
                    off = fmax(off, fabs(av[k] - bv[k]));
                if (!(fabs(fabs(product) - 1) < 1e-12) || !(off < 1e-9))
                    fail_msg("degree %d, signs %d: %g, %g", degree, signs, product, off);
            }
            arne_trajectory_free(plain);
            arne_trajectory_free(turned);
        }
    arne_robot_free(robot);
}

static void control_points(void **unused)
{
    static const double angles[4] = {0, 0.5, 1, 1.5},
                        far[10] = {0, 3.1, 6.2, 9.3, 12.4, 15.5, 18.6, 21.7, 24.8, 27.9};
    (void)unused;
    arne_robot      *robot = ball();
    arne_bspline    *basis = NULL;
    arne_trajectory *path = NULL;
    double           points[40];
    assert_ok(arne_bspline_new(3, 4, NULL, &basis, &e));
    turns(angles, 4, points);
    says(arne_trajectory_bspline(robot, basis, 0, points, &path, &e),
         "the final time 0 is not positive");
    says(arne_trajectory_bspline(robot, basis, INFINITY, points, &path, &e), "is not positive");
    says(arne_trajectory_bspline(robot, basis, 1, points, &path, &e), NULL);
    arne_trajectory_free(path);
    path = NULL;
    points[7] *= 1.1;
    says(arne_trajectory_bspline(robot, basis, 1, points, &path, &e), "a quaternion has length");
    // Half a turn from each point to the next: between them the spline would pass by zero.
    arne_bspline_free(basis);
    assert_ok(arne_bspline_new(9, 10, NULL, &basis, &e));
    turns(far, 10, points);
    says(arne_trajectory_bspline(robot, basis, 1, points, &path, &e), "joint 'ball' turns too far");
    assert_null(path);
    arne_bspline_free(basis);
    arne_robot_free(robot);
}

static void scaling(void **unused)
{
    static const double from[2] = {0, 0}, to[2] = {1, 1}, much[2] = {100, 100},
                        rates[2] = {1e4, 1e4};
    static const double little[2] = {1e-3, 1e-3};
    (void)unused;
    const arne_vec3          down = {0, -9.81, 0};
    const arne_build_options heavy = {.gravity = &down};
    arne_robot              *robot = read_robot("planar_2r", &heavy);
    arne_trajectory         *path = NULL, *slow = NULL, *again = NULL;
    arne_scaling            *z = NULL;
    const struct {
        double      sample_time, margin;
        const char *says;
    } rows[] = {
        {0.01, 0, NULL},
        {0, 0, NULL},
        {0.125, 0, NULL},
        {0.1251, 0, "a sample time of 0.1251 s for 1 s"},
        {-1, 0, "a sample time of -1"},
        {NAN, 0, "a sample time of nan"},
        {0.01, 1, "a margin of 1"},
        {0.01, -0.1, "a margin of -0.1"},
    };
    assert_ok_or(
        arne_trajectory_point_to_point(robot, ARNE_PROFILE_QUINTIC, from, to, 1, NULL, &path, &e),
        &e);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const arne_scaling_options o = {.torque = much,
                                        .torque_rate = rates,
                                        .sample_time = rows[i].sample_time,
                                        .margin = rows[i].margin};
        says(arne_scaling_new(robot, path, &o, &z, &e), rows[i].says);
        arne_scaling_free(z);
        z = NULL;
    }
    const arne_scaling_options weak = {.torque = little, .torque_rate = rates},
                               fine = {.torque = much, .torque_rate = rates, .sample_time = 0.01};
    says(arne_scaling_new(robot, path, &weak, &z, &e), "velocity coordinate 1 takes a torque of");
    says(arne_trajectory_scaled(robot, path, &fine, &slow, &e), NULL);
    says(arne_trajectory_scaled(robot, slow, &fine, &again, &e),
         "the trajectory is scaled already");
    assert_null(again);
    arne_trajectory_free(slow);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(signs_of_quaternions),
                                       cmocka_unit_test(control_points), cmocka_unit_test(scaling)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
