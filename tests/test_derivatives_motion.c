// Derivatives of frames, momentum and the zero-moment point: the complex step, on every robot.
#include "nudges.h"
#include <arne/integrate.h>

static const double TOLERANCE = 1e-10;

// A column of 6 or 12 numbers goes to column k of matrices of six rows of n.
static void put(const double *column, int rows, int n, int k, double *matrix)
{
    for (int i = 0; i < rows; i++)
        matrix[i * n + k] = column[i];
}

static void on_every_robot(void (*law)(const state *s, arne_work *work))
{
    EACH_ROBOT_OF (robot, work, 300)
        for (uint64_t seed = 1; seed <= 2; seed++) {
            const state s = random_state(robot, seed);
            state_set_base(&s, work);
            law(&s, work);
        }
}

// ---- frames ----

typedef double rows6[6 * MAX_V];

static void compare_frame(const state *s, arne_work *work, int frame, arne_axes axes)
{
    static const char *const names[] = {"dv/dq", "dv/dqd", "dv/dqdd", "da/dq", "da/dqd", "da/dqdd"};
    const int                n = s->size.v_count;
    rows6                    ours[6], wanted[6], J;
    double                   unit[MAX_V], column[12];
    memset(ours, 0xff, sizeof ours);
    memset(ours[2], 0, sizeof ours[2]); // a velocity does not depend on qdd
    const arne_frame_derivatives out = {.dvelocity_dq = ours[0],
                                        .dvelocity_dqd = ours[1],
                                        .dacceleration_dq = ours[3],
                                        .dacceleration_dqd = ours[4],
                                        .dacceleration_dqdd = ours[5]};
    arne_frame_motion_derivatives(s->robot, work, s->q, s->qd, s->qdd, frame, axes, &out);
    for (int which = 0; which < ALONG_COUNT; which++)
        for (int k = 0; k < n; k++) {
            oracle_frame(s, frame, axes, unit_nudge(which, k, n, unit), column);
            put(column, 6, n, k, wanted[which]);
            put(column + 6, 6, n, k, wanted[which + 3]);
        }
    for (int i = 0; i < 6; i++)
        assert_close(s, names[i], ours[i], wanted[i], 6 * n, TOLERANCE);
    arne_jacobian(s->robot, work, s->q, frame, axes, J);
    assert_close(s, "dv/dqd", ours[1], J, 6 * n, TOLERANCE);
    assert_close(s, "da/dqdd", ours[5], J, 6 * n, TOLERANCE);
}

static void frame_law(const state *s, arne_work *work)
{
    rng       r = rng_seed(s->seed + (uint64_t)s->size.joint_count);
    const int frames[3] = {0, rng_below(&r, s->size.frame_count), s->size.frame_count - 1};
    for (int i = 0; i < 3; i++) {
        compare_frame(s, work, frames[i], ARNE_AXES_BODY);
        compare_frame(s, work, frames[i], ARNE_AXES_ALIGNED);
    }
}

static void frames_agree_with_the_complex_step(void **unused)
{
    (void)unused;
    on_every_robot(frame_law);
}

// A small step along one velocity coordinate moves a frame as its Jacobian says.
static void pose_law(const state *s, arne_work *work)
{
    const double h = 1e-6;
    const int    n = s->size.v_count, frame = s->size.frame_count - 1;
    double       J[6 * MAX_V];
    arne_jacobian(s->robot, work, s->q, frame, ARNE_AXES_BODY, J);
    arne_kinematics(s->robot, work, s->q, NULL, NULL);
    const arne_pose X = arne_frame_pose(s->robot, work, frame);
    for (int k = 0; k < n; k++) {
        double step[MAX_V] = {0}, q[MAX_Q];
        step[k] = h;
        arne_integrate(s->robot, s->q, step, q);
        arne_kinematics(s->robot, work, q, NULL, NULL);
        const arne_pose   Y = pose_mul(pose_inverse(X), arne_frame_pose(s->robot, work, frame));
        const arne_vec3   turn = {(Y.R.y.z - Y.R.z.y) / 2, (Y.R.z.x - Y.R.x.z) / 2,
                                  (Y.R.x.y - Y.R.y.x) / 2};
        const arne_motion moved = {v3_scale(1 / h, Y.p), v3_scale(1 / h, turn)};
        const arne_motion said = {v3(J[k], J[n + k], J[2 * n + k]),
                                  v3(J[3 * n + k], J[4 * n + k], J[5 * n + k])};
        assert_same(s, "pose", moved, said, 1e-4);
    }
}

static void poses_move_by_the_jacobian(void **unused)
{
    (void)unused;
    EACH_ROBOT_OF (robot, work, 100) {
        const state s = random_state(robot, 1);
        state_set_base(&s, work);
        pose_law(&s, work);
    }
}

static void outputs_of_frames_may_be_left_out(void **unused)
{
    arne_robot *robot = read_robot("humanoid", NULL);
    arne_work  *work = new_work(robot);
    const state s = random_state(robot, 1);
    const int   n = s.size.v_count, frame = s.size.frame_count - 1;
    rows6       all[2], one;
    (void)unused;
    const arne_frame_derivatives both = {.dvelocity_dq = all[0], .dacceleration_dqd = all[1]},
                                 none = {0};
    arne_frame_motion_derivatives(robot, work, s.q, s.qd, s.qdd, frame, ARNE_AXES_BODY, &both);
    const arne_frame_derivatives last = {.dacceleration_dqd = one};
    arne_frame_motion_derivatives(robot, work, s.q, s.qd, s.qdd, frame, ARNE_AXES_BODY, &last);
    assert_close(&s, "da/dqd", one, all[1], 6 * n, 0);
    arne_frame_motion_derivatives(robot, work, s.q, s.qd, s.qdd, frame, ARNE_AXES_BODY, &none);
    arne_work_free(work);
    arne_robot_free(robot);
}

// ---- momentum ----

static void momentum_law(const state *s, arne_work *work)
{
    static const char *const names[] = {"dh/dq",    "dh/dqd",    "dh/dqdd",
                                        "drate/dq", "drate/dqd", "drate/dqdd"};
    const int                n = s->size.v_count;
    rows6                    ours[6], wanted[6];
    double                   unit[MAX_V], column[12];
    arne_wrench              rate, h, exact[2];
    memset(ours, 0xff, sizeof ours);
    memset(ours[2], 0, sizeof ours[2]);
    const arne_momentum_derivatives out = {.dmomentum_dq = ours[0],
                                           .dmomentum_dqd = ours[1],
                                           .dmomentum_rate_dq = ours[3],
                                           .dmomentum_rate_dqd = ours[4],
                                           .dmomentum_rate_dqdd = ours[5]};
    arne_centroidal_derivatives(s->robot, work, s->q, s->qd, s->qdd, &rate, &out);
    momentum_and_rate(s, column);
    memcpy(exact, column, sizeof exact);
    arne_momentum(s->robot, work, s->q, s->qd, &h);
    assert_same(s, "momentum", h, exact[0], 1e-12);
    assert_same(s, "its rate", rate, exact[1], TOLERANCE);
    for (int which = 0; which < ALONG_COUNT; which++)
        for (int k = 0; k < n; k++) {
            oracle_momentum(s, unit_nudge(which, k, n, unit), column);
            put(column, 6, n, k, wanted[which]);
            put(column + 6, 6, n, k, wanted[which + 3]);
        }
    for (int i = 0; i < 6; i++)
        assert_close(s, names[i], ours[i], wanted[i], 6 * n, TOLERANCE);
}

static void momenta_agree_with_the_complex_step(void **unused)
{
    (void)unused;
    on_every_robot(momentum_law);
}

// The rate is the time derivative of the momentum along the motion.
static void rate_law(const state *s, arne_work *work)
{
    const arne_motion still = {{0, 0, 0}, {0, 0, 0}}; // momentum knows nothing of the base's jerk
    const nudge       d = {.q = s->qd, .qd = s->qdd, .base_jerk = &still};
    double            column[12];
    arne_wrench       rate, exact;
    arne_centroidal_derivatives(s->robot, work, s->q, s->qd, s->qdd, &rate, NULL);
    oracle_momentum(s, d, column);
    memcpy(&exact, column, sizeof exact);
    assert_same(s, "rate of momentum", rate, exact, TOLERANCE);
}

static void rates_are_of_momentum(void **unused)
{
    (void)unused;
    on_every_robot(rate_law);
}

// ---- the zero-moment point ----

// The ground's force on the robot: what its motion takes less its weight.
static arne_vec3 ground_force(const state *s)
{
    double          column[12];
    const arne_vec3 g = arne_robot_gravity(s->robot);
    momentum_and_rate(s, column);
    const arne_vec3 rate = {column[6], column[7], column[8]};
    return v3_sub(rate, v3_scale(arne_total_mass(s->robot), g));
}

// A plane that the force presses on, though not straight.
static int tilted_normal(const state *s, rng *r, arne_vec3 *normal)
{
    const arne_vec3 force = ground_force(s);
    if (v3_length(force) < 0.1) return 0;
    const arne_vec3 n = v3_add(v3_scale(1 / v3_length(force), force), rng_vec3(r, 0.3));
    *normal = v3_scale(1 / v3_length(n), n);
    return 1;
}

static void zero_moment_law(const state *s, arne_work *work)
{
    static const char *const names[] = {"dzmp/dq", "dzmp/dqd", "dzmp/dqdd"};
    const int                n = s->size.v_count;
    rng                      r = rng_seed(s->seed + 11);
    const arne_vec3          point = rng_vec3(&r, 1);
    arne_vec3                normal, zmp;
    double ours[ALONG_COUNT][3 * MAX_V], wanted[3 * MAX_V], unit[MAX_V], column[3];

    if (!tilted_normal(s, &r, &normal)) return;
    memset(ours, 0xff, sizeof ours);
    assert_ok(arne_zero_moment_point(s->robot, work, s->q, s->qd, s->qdd, point, normal, &zmp,
                                     ours[0], ours[1], ours[2]));
    const arne_vec3 exact = zero_moment_point(s, point, normal);
    assert_same(s, "zero-moment point", zmp, exact, TOLERANCE);
    const double above = v3_dot(normal, v3_sub(zmp, point)), nothing = 0;
    assert_same(s, "height above the plane", above, nothing, 1e-11);
    for (int which = 0; which < ALONG_COUNT; which++) {
        for (int k = 0; k < n; k++) {
            oracle_zero_moment_point(s, point, normal, unit_nudge(which, k, n, unit), column);
            put(column, 3, n, k, wanted);
        }
        assert_close(s, names[which], ours[which], wanted, 3 * n, TOLERANCE);
    }
}

static void zero_moment_points_agree_with_the_complex_step(void **unused)
{
    (void)unused;
    on_every_robot(zero_moment_law);
}

// At rest it is below the centre of mass.
static void at_rest_it_is_below_the_centre(void **unused)
{
    arne_robot     *robot = read_robot("humanoid", NULL);
    arne_work      *work = new_work(robot);
    state           s = random_state(robot, 1);
    const arne_vec3 ground = {0, 0, -0.7}, up = {0, 0, 1};
    arne_vec3       com, zmp;
    (void)unused;
    memset(s.qd, 0, sizeof s.qd);
    memset(s.qdd, 0, sizeof s.qdd);
    arne_center_of_mass(robot, work, s.q, NULL, &com, NULL);
    assert_ok(
        arne_zero_moment_point(robot, work, s.q, s.qd, s.qdd, ground, up, &zmp, NULL, NULL, NULL));
    com.z = ground.z;
    assert_same(&s, "zero-moment point", zmp, com, 1e-12);
    arne_work_free(work);
    arne_robot_free(robot);
}

static void zero_moment_points_may_not_exist(void **unused)
{
    arne_robot     *robot = read_robot("humanoid", NULL);
    arne_work      *work = new_work(robot);
    const state     s = random_state(robot, 1);
    const arne_vec3 point = {0, 0, 0}, force = ground_force(&s);
    const arne_vec3 across = v3_cross(force, v3(1, 0.3, -0.2));
    const arne_vec3 wall = v3_scale(1 / v3_length(across), across), up = {0, 0, 1};
    arne_vec3       zmp;
    (void)unused;
#define ZMP(r, w, q, qd, qdd, normal, out)                                                         \
    arne_zero_moment_point(r, w, q, qd, qdd, point, normal, out, NULL, NULL, NULL)
    assert_status(ZMP(robot, work, s.q, s.qd, s.qdd, wall, &zmp), ARNE_SINGULAR);
    assert_status(ZMP(robot, work, s.q, s.qd, s.qdd, up, &zmp), ARNE_OK);
    assert_status(ZMP(NULL, work, s.q, s.qd, s.qdd, up, &zmp), ARNE_NULL_ARGUMENT);
    assert_status(ZMP(robot, NULL, s.q, s.qd, s.qdd, up, &zmp), ARNE_NULL_ARGUMENT);
    assert_status(ZMP(robot, work, NULL, s.qd, s.qdd, up, &zmp), ARNE_NULL_ARGUMENT);
    assert_status(ZMP(robot, work, s.q, NULL, s.qdd, up, &zmp), ARNE_NULL_ARGUMENT);
    assert_status(ZMP(robot, work, s.q, s.qd, NULL, up, &zmp), ARNE_NULL_ARGUMENT);
    assert_status(ZMP(robot, work, s.q, s.qd, s.qdd, up, NULL), ARNE_NULL_ARGUMENT);
#undef ZMP
    arne_work_free(work);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_agree_with_the_complex_step),
        cmocka_unit_test(poses_move_by_the_jacobian),
        cmocka_unit_test(outputs_of_frames_may_be_left_out),
        cmocka_unit_test(momenta_agree_with_the_complex_step),
        cmocka_unit_test(rates_are_of_momentum),
        cmocka_unit_test(zero_moment_points_agree_with_the_complex_step),
        cmocka_unit_test(at_rest_it_is_below_the_centre),
        cmocka_unit_test(zero_moment_points_may_not_exist),
    };
    return cmocka_run_group_tests_name("derivatives of motions", tests, NULL, NULL);
}
