// Inverse kinematics: what can be reached is reached within limits, and what cannot is said so.
#include "testing.h"
#include <arne/integrate.h>

static const double PI = 3.14159265358979323846;

static void assert_within_limits(const state *s, const double *q)
{
    for (int i = 0; i < s->size.joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(s->robot, i);
        const int             limited =
            j.q_count - (j.kind == ARNE_JOINT_FREE || j.kind == ARNE_JOINT_BALL ? 4 : 0);
        for (int k = 0; k < limited; k++)
            if (!(q[j.q_start + k] >= j.lower && q[j.q_start + k] <= j.upper))
                fail_msg("%s, state %d: joint '%s' is at %g, outside %g to %g",
                         arne_robot_name(s->robot), (int)s->seed, j.name, q[j.q_start + k], j.lower,
                         j.upper);
    }
}

// Where a frame is for a configuration: a target that can surely be reached.
static arne_target target_at(const arne_robot *robot, arne_work *work, const double *q, int frame,
                             int use_rotation)
{
    arne_target t = {frame, use_rotation, pose_identity()};
    arne_kinematics(robot, work, q, NULL, NULL);
    t.pose = arne_frame_pose(robot, work, frame);
    return t;
}

static void assert_reached(const state *s, arne_work *work, const double *q, const arne_target *t)
{
    arne_kinematics(s->robot, work, q, NULL, NULL);
    const arne_pose X = arne_frame_pose(s->robot, work, t->frame);
    const arne_pose wanted = t->pose;
    assert_same(s, "position reached", X.p, wanted.p, 1e-9);
    if (t->use_rotation) assert_same(s, "rotation reached", X.R, wanted.R, 1e-9);
}

// From nearby, where no luck is needed, with default options.
static void reaches_targets_from_nearby(void **unused)
{
    (void)unused;
    EACH_ROBOT_OF (robot, work, 300)
        EACH_STATE (s, robot, work)
            for (int rotation = 0; rotation <= 1; rotation++) {
                const int         frame = s.size.frame_count - 1;
                const arne_target t = target_at(robot, work, s.q, frame, rotation);
                double            q[MAX_Q], nudge[MAX_V], error = -1;

                for (int i = 0; i < s.size.v_count; i++)
                    nudge[i] = 0.1 * s.qd[i];
                arne_integrate(robot, s.q, nudge, q);
                assert_ok(arne_inverse_kinematics(robot, work, &t, 1, NULL, q, &error));
                assert_true(error >= 0 && error <= 1e-10);
                assert_within_limits(&s, q);
                assert_reached(&s, work, q, &t);
            }
}

// From anywhere, on every file. Six rows of a pose may need many starts.
static void reaches_targets_from_anywhere(void **unused)
{
    (void)unused;
    const arne_ik_options patient = {.iterations = 20000, .restarts = 400};
    EACH_FILE_ROBOT (robot, work)
        EACH_STATE (s, robot, work)
            for (int rotation = 0; rotation <= 1; rotation++) {
                const arne_target t = target_at(robot, work, s.q, s.size.frame_count - 1, rotation);
                state             start = random_state(robot, s.seed + 500);
                double            error;

                assert_ok(arne_inverse_kinematics(robot, work, &t, 1, &patient, start.q, &error));
                assert_within_limits(&s, start.q);
                assert_reached(&s, work, start.q, &t);
            }
}

// All feet of a quadruped at once, its trunk free to move.
static void reaches_several_targets_at_once(void **unused)
{
    (void)unused;
    const arne_build_options options = {.base = ARNE_BASE_FREE};
    arne_robot              *robot = read_robot("quadruped", &options);
    arne_work               *work = new_work(robot);
    const int                links = arne_robot_sizes(robot).link_count;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        const state s = random_state(robot, seed);
        arne_target targets[16];
        double      q[MAX_Q], nudge[MAX_V];
        int         count = 0, is_parent[MAX_FRAMES] = {0};

        for (int i = 0; i < links; i++)
            if (arne_robot_frame(robot, i).parent >= 0)
                is_parent[arne_robot_frame(robot, i).parent] = 1;
        for (int i = 0; i < links; i++)
            if (!is_parent[i]) targets[count++] = target_at(robot, work, s.q, i, 0);
        assert_int_equal(count, 4);
        for (int i = 0; i < s.size.v_count; i++)
            nudge[i] = 0.2 * s.qd[i];
        arne_integrate(robot, s.q, nudge, q);
        assert_ok(arne_inverse_kinematics(robot, work, targets, count, NULL, q, NULL));
        assert_within_limits(&s, q);
        for (int i = 0; i < count; i++)
            assert_reached(&s, work, q, &targets[i]);
    }
    arne_work_free(work);
    arne_robot_free(robot);
}

// Whether the robot can go anywhere at all: on a free base, or a slide without an end.
static int has_no_end(const arne_robot *robot)
{
    for (int i = 0; i < arne_robot_sizes(robot).joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        if (j.kind == ARNE_JOINT_FREE) return 1;
        if (j.kind == ARNE_JOINT_PRISMATIC && !(isfinite(j.lower) && isfinite(j.upper))) return 1;
    }
    return 0;
}

// Far away nothing helps: the status says so, and the error is the distance that is left.
static void says_what_cannot_be_reached(void **unused)
{
    (void)unused;
    int tested = 0;
    EACH_FILE_ROBOT (robot, work) {
        if (has_no_end(robot)) continue;
        const state s = random_state(robot, 1);
        arne_target t = target_at(robot, work, s.q, s.size.frame_count - 1, 0);
        double      q[MAX_Q], error = 0;

        memcpy(q, s.q, sizeof q);
        t.pose.p = v3(100, 100, 100);
        assert_status(arne_inverse_kinematics(robot, work, &t, 1, NULL, q, &error),
                      ARNE_NOT_CONVERGED);
        assert_within_limits(&s, q);
        arne_kinematics(robot, work, q, NULL, NULL);
        const double left = v3_length(v3_sub(t.pose.p, arne_frame_pose(robot, work, t.frame).p));
        assert_same(&s, "error left", error, left, 1e-10);
        tested++;
    }
    assert_true(tested >= 4);
}

// Two equal links that may only bend by so much: a target inside the circle but beyond the limits.
static arne_robot *limited_arm(double limit)
{
    static const char *const links[] = {"base", "upper", "lower"}, *const joints[] = {"shoulder",
                                                                                      "elbow"};
    arne_builder   *builder = NULL;
    const arne_pose end = {m3_identity(), {1, 0, 0}};

    assert_ok(arne_builder_new(&builder));
    for (int i = 0; i < 3; i++) {
        arne_body_spec body = arne_body_spec_default();
        body.name = links[i];
        body.mass = 1;
        assert_ok(arne_builder_add_body(builder, &body, NULL));
    }
    for (int i = 0; i < 2; i++) {
        arne_joint_spec joint = arne_joint_spec_default();
        joint.name = joints[i];
        joint.parent = links[i];
        joint.child = links[i + 1];
        joint.origin.p.x = i;
        joint.lower = -limit;
        joint.upper = limit;
        assert_ok(arne_builder_add_joint(builder, &joint, NULL));
    }
    assert_ok(arne_builder_add_frame(builder, "hand", "lower", &end, (arne_place){NULL, 0}, NULL));
    arne_robot *robot = finish(builder, NULL);
    arne_builder_free(builder);
    return robot;
}

static void stays_within_limits(void **unused)
{
    (void)unused;
    arne_robot *robot = limited_arm(PI / 4);
    arne_work  *work = new_work(robot);
    arne_target t = {arne_find_frame(robot, "hand"), 0, pose_identity()};
    const state s = {.robot = robot, .size = arne_robot_sizes(robot)};
    double      q[2] = {0, 0}, error;

    t.pose.p = v3(-1, 0.5, 0); // behind: a free arm would reach it
    assert_status(arne_inverse_kinematics(robot, work, &t, 1, NULL, q, &error), ARNE_NOT_CONVERGED);
    assert_within_limits(&s, q);
    assert_true(error > 0.1);

    // the corner where both joints are at their limits can be reached, from a start outside of them
    const double corner[2] = {PI / 4, -PI / 4};
    t = target_at(robot, work, corner, t.frame, 0);
    q[0] = 3;
    q[1] = 3;
    assert_ok(arne_inverse_kinematics(robot, work, &t, 1, NULL, q, &error));
    assert_within_limits(&s, q);
    assert_reached(&s, work, q, &t);
    arne_work_free(work);
    arne_robot_free(robot);
}

// The limits of joints with more than one coordinate count too: here a carriage on a small table.
static void stays_on_the_table(void **unused)
{
    (void)unused;
    arne_builder   *builder = NULL;
    arne_body_spec  body = arne_body_spec_default();
    arne_joint_spec joint = arne_joint_spec_default();
    double          q[3] = {0}, error;

    assert_ok(arne_builder_new(&builder));
    body.mass = 1;
    body.name = "table";
    assert_ok(arne_builder_add_body(builder, &body, NULL));
    body.name = "carriage";
    assert_ok(arne_builder_add_body(builder, &body, NULL));
    joint.name = "glide";
    joint.kind = ARNE_JOINT_PLANAR;
    joint.parent = "table";
    joint.child = "carriage";
    joint.lower = -0.5;
    joint.upper = 0.5;
    assert_ok(arne_builder_add_joint(builder, &joint, NULL));
    arne_robot       *robot = finish(builder, NULL);
    arne_work        *work = new_work(robot);
    const state       s = {.robot = robot, .size = arne_robot_sizes(robot)};
    const arne_target outside = {1, 0, {m3_identity(), {0.8, 0, 0}}},
                      inside = {1, 0, {m3_identity(), {0.4, -0.4, 0}}};

    assert_status(arne_inverse_kinematics(robot, work, &outside, 1, NULL, q, &error),
                  ARNE_NOT_CONVERGED);
    assert_within_limits(&s, q);
    assert_ok(arne_inverse_kinematics(robot, work, &inside, 1, NULL, q, &error));
    assert_within_limits(&s, q);
    assert_reached(&s, work, q, &inside);
    arne_work_free(work);
    arne_robot_free(robot);
    arne_builder_free(builder);
}

// A start that is already there is left alone.
static void keeps_a_solution(void **unused)
{
    (void)unused;
    EACH_FILE_ROBOT (robot, work) {
        const state       s = random_state(robot, 4);
        const arne_target t = target_at(robot, work, s.q, s.size.frame_count - 1, 1);
        double            q[MAX_Q];
        memcpy(q, s.q, sizeof q);
        assert_ok(arne_inverse_kinematics(robot, work, &t, 1, NULL, q, NULL));
        assert_close(&s, "a start that is a solution", q, s.q, s.size.q_count, 1e-9);
    }
}

// The humanoid's other limbs stay where they were, whatever the arm has to do.
static void joints_that_move_no_target_stay(void **unused)
{
    (void)unused;
    arne_robot      *robot = read_robot("humanoid", NULL);
    arne_work       *work = new_work(robot);
    const arne_sizes size = arne_robot_sizes(robot);
    int              changed = 0, kept = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        const state s = random_state(robot, seed), goal = random_state(robot, seed + 100);
        double      q[MAX_Q];
        int         frame = size.link_count - 1, on_the_way[MAX_V] = {0};
        arne_kinematics(robot, work, goal.q, NULL, NULL);
        const arne_target target = {.frame = frame, .pose = arne_frame_pose(robot, work, frame)};
        for (int link = frame; link >= 0; link = arne_robot_frame(robot, link).parent)
            for (int i = 0; i < size.joint_count; i++)
                if (arne_robot_joint(robot, i).child == link) on_the_way[i] = 1;
        memcpy(q, s.q, sizeof q);
        (void)!arne_inverse_kinematics(robot, work, &target, 1, NULL, q, NULL);
        for (int i = 0; i < size.joint_count; i++) {
            const arne_joint_info j = arne_robot_joint(robot, i);
            for (int k = 0; k < j.q_count; k++) {
                const int at = j.q_start + k, inside = s.q[at] >= j.lower && s.q[at] <= j.upper;
                if (on_the_way[i])
                    changed += q[at] != s.q[at];
                else if (inside) {
                    assert_true(q[at] == s.q[at]);
                    kept++;
                }
            }
        }
    }
    assert_true(changed > 0 && kept > 0);
    arne_work_free(work);
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_that_move_no_target_stay),
        cmocka_unit_test(reaches_targets_from_nearby),
        cmocka_unit_test(reaches_targets_from_anywhere),
        cmocka_unit_test(reaches_several_targets_at_once),
        cmocka_unit_test(says_what_cannot_be_reached),
        cmocka_unit_test(stays_within_limits),
        cmocka_unit_test(stays_on_the_table),
        cmocka_unit_test(keeps_a_solution),
    };
    return cmocka_run_group_tests_name("inverse kinematics", tests, NULL, NULL);
}
