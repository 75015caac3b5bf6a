// Configurations: steps along velocities, and back.
#include "testing.h"
#include <arne/integrate.h>

static double largest(const double *x, int count)
{
    double worst = 0;
    for (int i = 0; i < count; i++)
        worst = fmax(worst, fabs(x[i]));
    return worst;
}

// Two configurations are the same where every frame is at the same place: a quaternion and its
// negative are.
static void assert_same_place(const state *s, arne_work *work, const char *what, const double *a,
                              const double *b)
{
    arne_pose at[MAX_FRAMES];
    arne_kinematics(s->robot, work, a, NULL, NULL);
    for (int i = 0; i < s->size.frame_count; i++)
        at[i] = arne_frame_pose(s->robot, work, i);
    arne_kinematics(s->robot, work, b, NULL, NULL);
    for (int i = 0; i < s->size.frame_count; i++) {
        const arne_pose X = arne_frame_pose(s->robot, work, i);
        assert_same(s, what, at[i], X, 1e-10);
    }
}

static void integrate_undoes_difference(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            const state to = random_state(robot, s.seed + 100);
            double      v[MAX_V], q[MAX_Q];
            arne_difference(robot, s.q, to.q, v);
            arne_integrate(robot, s.q, v, q);
            assert_same_place(&s, work, "q (+) (to (-) q)", q, to.q);
        }
}

static void difference_undoes_integrate(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work)
            for (int small = 0; small <= 9;
                 small += 3) { // down to where series take over from sines
                double v[MAX_V], q[MAX_Q], back[MAX_V];
                for (int i = 0; i < s.size.v_count; i++)
                    v[i] = s.qd[i] * pow(10, -small);
                arne_integrate(robot, s.q, v, q);
                arne_difference(robot, s.q, q, back);
                assert_close(&s, "(q (+) v) (-) q", back, v, s.size.v_count, 1e-12);
            }
}

// A constant velocity for a while, and for as long again, is that velocity for twice as long.
static void steps_add_up(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            double half[MAX_V], q[MAX_Q], once[MAX_Q];
            for (int i = 0; i < s.size.v_count; i++)
                half[i] = s.qd[i] / 2;
            arne_integrate(robot, s.q, half, q);
            arne_integrate(robot, q, half, q); // out may be q
            arne_integrate(robot, s.q, s.qd, once);
            assert_same_place(&s, work, "two half steps", q, once);
            const double off = arne_quaternion_error(robot, q), zero = 0;
            assert_same(&s, "length of quaternions", off, zero, 1e-14);
        }
}

static void coordinates_on_path(const arne_robot *robot, arne_work *work, const double *q,
                                const double *qd, const void *context, double *out)
{
    (void)work;
    (void)qd;
    (void)context;
    memcpy(out, q, sizeof(double) * (size_t)arne_robot_sizes(robot).q_count);
}

static void coordinate_rate_is_the_slope_of_integrate(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            double rate[MAX_Q], qdot[MAX_Q];
            rate_along(&s, work, coordinates_on_path, NULL, s.size.q_count, rate);
            arne_coordinate_rate(robot, s.q, s.qd, qdot);
            assert_close(&s, "qdot", qdot, rate, s.size.q_count, 1e-10);
        }
}

static void interpolation(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            const state to = random_state(robot, s.seed + 100);
            double      q[MAX_Q], v[MAX_V], part[MAX_V];

            arne_interpolate(robot, s.q, to.q, 0, q);
            assert_same_place(&s, work, "start of interpolation", q, s.q);
            arne_interpolate(robot, s.q, to.q, 1, q);
            assert_same_place(&s, work, "end of interpolation", q, to.q);
            arne_interpolate(robot, s.q, to.q, 0.3, q);
            arne_difference(robot, s.q, to.q, v);
            arne_difference(robot, s.q, q, part);
            for (int i = 0; i < s.size.v_count; i++)
                v[i] *= 0.3;
            assert_close(&s, "0.3 of the way", part, v, s.size.v_count, 1e-10);

            double in_place[MAX_Q]; // out may be from or to
            memcpy(in_place, to.q, sizeof in_place);
            arne_interpolate(robot, s.q, in_place, 0.3, in_place);
            assert_close(&s, "interpolation over its end", in_place, q, s.size.q_count, 1e-14);
            memcpy(in_place, s.q, sizeof in_place);
            arne_interpolate(robot, in_place, to.q, 0.3, in_place);
            assert_close(&s, "interpolation over its start", in_place, q, s.size.q_count, 1e-14);
        }
}

// The shorter way round: no rotation of a ball or free joint is longer than half a turn.
static void difference_takes_the_shorter_way(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            state  to = random_state(robot, s.seed + 100);
            double v[MAX_V], other[MAX_V];
            arne_difference(robot, s.q, to.q, v);
            for (int i = 0; i < s.size.joint_count; i++) {
                const arne_joint_info j = arne_robot_joint(robot, i);
                const int             at = j.kind == ARNE_JOINT_FREE ? 3 : 0;
                if (j.kind != ARNE_JOINT_FREE && j.kind != ARNE_JOINT_BALL) continue;
                const double *w = v + j.v_start + at;
                assert_true(sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) <= 3.141592653589794);
                for (int k = 0; k < 4; k++)
                    to.q[j.q_start + at + k] *= -1;
            }
            arne_difference(robot, s.q, to.q, other); // the same rotations, said the other way
            assert_close(&s, "difference to the negative quaternion", other, v, s.size.v_count,
                         1e-12);
        }
}

static void neutral(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work) {
        const state s = random_state(robot, 1);
        double      q[MAX_Q];
        arne_neutral(robot, q);
        for (int i = 0; i < s.size.joint_count; i++) {
            const arne_joint_info j = arne_robot_joint(robot, i);
            const int w = j.kind == ARNE_JOINT_FREE ? 6 : j.kind == ARNE_JOINT_BALL ? 3 : -1;
            for (int k = 0; k < j.q_count; k++)
                assert_true(q[j.q_start + k] == (k == w));
        }
    }
}

static void random_configurations_are_within_limits(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work) {
        const arne_sizes size = arne_robot_sizes(robot);
        uint64_t         seed = 42, again = 42;
        double           q[MAX_Q], same[MAX_Q], next[MAX_Q];

        for (int n = 0; n < 5; n++) {
            arne_random_configuration(robot, &seed, q);
            const double off = arne_quaternion_error(robot, q);
            assert_true(fabs(off) < 1e-14);
            for (int i = 0; i < size.joint_count; i++) {
                const arne_joint_info j = arne_robot_joint(robot, i);
                const int             limited =
                    j.q_count - (j.kind == ARNE_JOINT_FREE || j.kind == ARNE_JOINT_BALL ? 4 : 0);
                for (int k = 0; k < limited; k++)
                    assert_true(q[j.q_start + k] >= j.lower && q[j.q_start + k] <= j.upper);
            }
        }
        for (int n = 0; n < 5; n++)
            arne_random_configuration(robot, &again, same);
        assert_true(seed == again);
        if (size.q_count == 0) continue;
        assert_true(largest(same, size.q_count) > 0 &&
                    memcmp(q, same, sizeof(double) * (size_t)size.q_count) == 0);
        arne_random_configuration(robot, &seed, next); // the seed was advanced
        assert_true(memcmp(q, next, sizeof(double) * (size_t)size.q_count) != 0);
    }
}

static void normalise(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            double q[MAX_Q];
            int    quaternions = 0;
            memcpy(q, s.q, sizeof q);
            for (int i = 0; i < s.size.joint_count; i++) {
                const arne_joint_info j = arne_robot_joint(robot, i);
                const int             at = j.kind == ARNE_JOINT_FREE ? 3 : 0;
                if (j.kind != ARNE_JOINT_FREE && j.kind != ARNE_JOINT_BALL) continue;
                for (int k = 0; k < 4; k++)
                    q[j.q_start + at + k] *= quaternions ? 1 + 1e-3 : 0.75;
                quaternions++;
            }
            const double off = arne_quaternion_error(robot, q), wanted = quaternions ? -0.25 : 0;
            assert_same(&s, "quaternion error", off, wanted, 1e-12);
            arne_normalize(robot, q);
            assert_close(&s, "normalised", q, s.q, s.size.q_count, 1e-14);
        }
}

// A zero quaternion has no direction; it becomes the identity.
static void zero_quaternion_becomes_identity(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work) {
        double q[MAX_Q] = {0}, wanted[MAX_Q];
        arne_neutral(robot, wanted);
        arne_normalize(robot, q);
        assert_memory_equal(q, wanted, sizeof(double) * (size_t)arne_robot_sizes(robot).q_count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integrate_undoes_difference),
        cmocka_unit_test(difference_undoes_integrate),
        cmocka_unit_test(steps_add_up),
        cmocka_unit_test(coordinate_rate_is_the_slope_of_integrate),
        cmocka_unit_test(interpolation),
        cmocka_unit_test(difference_takes_the_shorter_way),
        cmocka_unit_test(neutral),
        cmocka_unit_test(random_configurations_are_within_limits),
        cmocka_unit_test(normalise),
        cmocka_unit_test(zero_quaternion_becomes_identity),
    };
    return cmocka_run_group_tests_name("configurations", tests, NULL, NULL);
}
