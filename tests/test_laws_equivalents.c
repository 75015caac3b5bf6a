// Two ways to say the same robot: the builder's own shortcuts against the long way round.
#include "testing.h"

#include <stdio.h>

typedef struct two {
    arne_builder *builder;
    arne_robot   *a, *b;
    arne_work    *work_a, *work_b;
} two;

static void two_start(two *t, arne_robot *a, arne_robot *b)
{
    t->a = a;
    t->b = b;
    t->work_a = new_work(a);
    t->work_b = new_work(b);
}

static void two_end(two *t)
{
    arne_work_free(t->work_a);
    arne_work_free(t->work_b);
    arne_robot_free(t->a);
    arne_robot_free(t->b);
    arne_builder_free(t->builder);
}

// Every link of a is where the link of that name in b is.
static void compare_poses(const two *t, const state *a, const double *q_b)
{
    arne_kinematics(t->a, t->work_a, a->q, NULL, NULL);
    arne_kinematics(t->b, t->work_b, q_b, NULL, NULL);
    for (int i = 0; i < a->size.frame_count; i++) {
        const int other = arne_find_frame(t->b, arne_robot_frame(t->a, i).name);
        assert_true(other >= 0);
        const arne_pose X = arne_frame_pose(t->a, t->work_a, i);
        const arne_pose Y = arne_frame_pose(t->b, t->work_b, other);
        assert_same(a, "pose", X, Y, 1e-10);
    }
}

// x of a, joint by joint, to where b keeps the joint of that name. Other entries of b stay.
static void carry(const two *t, int coordinates, const double *x_a, double *x_b)
{
    const int joints = arne_robot_sizes(t->a).joint_count;
    for (int i = 0; i < joints; i++) {
        const arne_joint_info a = arne_robot_joint(t->a, i);
        const arne_joint_info b = arne_robot_joint(t->b, arne_find_joint(t->b, a.name));
        if (coordinates)
            memcpy(x_b + b.q_start, x_a + a.q_start, sizeof(double) * (size_t)a.q_count);
        else
            memcpy(x_b + b.v_start, x_a + a.v_start, sizeof(double) * (size_t)a.v_count);
    }
}

// A fixed joint is merged. The same joint as a revolute one that stays at zero is not: all else is
// equal.
static void thaw_fixed_joints(arne_builder *builder, int joint_limit)
{
    for (int i = 1; i <= joint_limit; i++) {
        char            name[16];
        arne_joint_spec spec;
        snprintf(name, sizeof name, "j%d", i);
        if (arne_builder_get_joint(builder, name, &spec) != ARNE_OK) return;
        if (spec.kind != ARNE_JOINT_FIXED) continue;
        spec.kind = ARNE_JOINT_REVOLUTE;
        assert_ok(arne_builder_set_joint(builder, &spec, NULL));
    }
}

static void merging_fixed_joints_changes_nothing(void **unused)
{
    (void)unused;
    for (uint64_t seed = 0; seed < TREE_COUNT; seed++) {
        const arne_build_options options = {.base = random_tree_base(seed)};
        two                      t = {.builder = random_tree(seed)};
        arne_robot              *merged = finish(t.builder, &options);
        thaw_fixed_joints(t.builder, 12);
        two_start(&t, merged, finish(t.builder, &options));

        state  s = random_state(t.a, seed + 1), b = {.robot = t.b, .size = arne_robot_sizes(t.b)};
        double tau[MAX_V] = {0}, tau_b[MAX_V], wanted[MAX_V];
        arne_neutral(t.b, b.q);
        carry(&t, 1, s.q, b.q);
        carry(&t, 0, s.qd, b.qd);
        carry(&t, 0, s.qdd, b.qdd);
        state_set_base(&s, t.work_a);
        arne_work_set_base(t.b, t.work_b, &s.base_pose, &s.base_velocity, &s.base_acceleration);
        for (int i = 0; i < s.size.link_count; i++)
            arne_add_wrench(t.b, arne_find_frame(t.b, arne_robot_frame(t.a, i).name), &s.wrench[i],
                            b.f_ext);

        compare_poses(&t, &s, b.q);
        arne_inverse_dynamics(t.a, t.work_a, s.q, s.qd, s.qdd, s.f_ext, tau);
        arne_inverse_dynamics(t.b, t.work_b, b.q, b.qd, b.qdd, b.f_ext, tau_b);
        memcpy(wanted, tau_b, sizeof wanted);
        carry(&t, 0, tau,
              wanted); // the torques of a in b's order; the frozen joints keep their own
        assert_close(&b, "torques after merging", wanted, tau_b, b.size.v_count, 1e-10);
        two_end(&t);
    }
}

// The coordinates of the robot whose joints do not follow, from those of the robot whose joints do.
static void expand(const two *t, const state *s, state *full, double *ratio, int *from)
{
    for (int i = 0; i < full->size.joint_count; i++) {
        const arne_joint_info b = arne_robot_joint(t->b, i);
        const arne_joint_info a = arne_robot_joint(t->a, arne_find_joint(t->a, b.name));
        const arne_joint_info lead = a.mimic < 0 ? a : arne_robot_joint(t->a, a.mimic);
        const double          k = a.mimic < 0 ? 1 : a.mimic_ratio;
        for (int c = 0; c < b.q_count; c++)
            full->q[b.q_start + c] =
                k * s->q[lead.q_start + c] + (a.mimic < 0 ? 0 : a.mimic_offset);
        for (int c = 0; c < b.v_count; c++) {
            full->qd[b.v_start + c] = k * s->qd[lead.v_start + c];
            full->qdd[b.v_start + c] = k * s->qdd[lead.v_start + c];
            ratio[b.v_start + c] = k;
            from[b.v_start + c] = lead.v_start + c;
        }
    }
}

static int drop_mimics(arne_builder *builder)
{
    int dropped = 0;
    for (int i = 1; i <= 12; i++) {
        char            name[16];
        arne_joint_spec spec;
        snprintf(name, sizeof name, "j%d", i);
        if (arne_builder_get_joint(builder, name, &spec) != ARNE_OK) break;
        if (!spec.mimic) continue;
        spec.mimic = NULL;
        assert_ok(arne_builder_set_joint(builder, &spec, NULL));
        dropped++;
    }
    return dropped;
}

// With q = G x + offset: tau = G^T tau_full, M = G^T M_full G.
static void check_mimic(const two *t, const state *s)
{
    state     full = {.robot = t->b, .size = arne_robot_sizes(t->b)};
    double    ratio[MAX_V] = {0}, tau[MAX_V], tau_full[MAX_V], sum[MAX_V] = {0};
    double    M[MAX_V * MAX_V], M_full[MAX_V * MAX_V], reduced[MAX_V * MAX_V] = {0};
    int       from[MAX_V] = {0};
    const int n = s->size.v_count, m = full.size.v_count;

    expand(t, s, &full, ratio, from);
    compare_poses(t, s, full.q);
    arne_inverse_dynamics(t->a, t->work_a, s->q, s->qd, s->qdd, s->f_ext, tau);
    arne_inverse_dynamics(t->b, t->work_b, full.q, full.qd, full.qdd, s->f_ext, tau_full);
    arne_mass_matrix(t->a, t->work_a, s->q, M);
    arne_mass_matrix(t->b, t->work_b, full.q, M_full);
    for (int i = 0; i < m; i++) {
        sum[from[i]] += ratio[i] * tau_full[i];
        for (int j = 0; j < m; j++)
            reduced[from[i] * n + from[j]] += ratio[i] * ratio[j] * M_full[i * m + j];
    }
    assert_close(s, "torques of mimic joints", tau, sum, n, 1e-10);
    assert_close(s, "M of mimic joints", M, reduced, n * n, 1e-10);
}

static void mimic_joints_are_joints_tied_together(void **unused)
{
    (void)unused;
    int tested = 0;
    for (uint64_t seed = 0; seed < TREE_COUNT; seed++) {
        two         t = {.builder = random_tree(seed)};
        arne_robot *tied = finish(t.builder, NULL);
        const int   dropped = drop_mimics(t.builder);
        two_start(&t, tied, finish(t.builder, NULL));
        const state s = random_state(t.a, seed + 1);
        assert_int_equal(arne_robot_sizes(t.b).v_count - s.size.v_count, dropped);
        if (dropped) check_mimic(&t, &s);
        tested += dropped > 0;
        two_end(&t);
    }
    assert_true(tested > 100);
}

// A universal joint is a revolute one about x, a massless link, and a revolute one about y.
static void split_universal(arne_builder *from, arne_builder *to, const char *name, int *count)
{
    arne_joint_spec spec, first, second;
    arne_body_spec  cross = arne_body_spec_default();
    char            between[24], second_name[24];

    assert_ok(arne_builder_get_joint(from, name, &spec));
    if (spec.kind != ARNE_JOINT_UNIVERSAL) {
        assert_ok(arne_builder_add_joint(to, &spec, NULL));
        return;
    }
    snprintf(between, sizeof between, "%s_cross", name);
    snprintf(second_name, sizeof second_name, "%s_y", name);
    cross.name = between;
    first = second = spec;
    first.kind = second.kind = ARNE_JOINT_REVOLUTE;
    first.child = second.parent = between;
    first.axis = v3(1, 0, 0);
    first.tip = second.origin = pose_identity();
    second.axis = v3(0, 1, 0);
    second.name = second_name;
    assert_ok(arne_builder_add_body(to, &cross, NULL));
    assert_ok(arne_builder_add_joint(to, &first, NULL));
    assert_ok(arne_builder_add_joint(to, &second, NULL));
    ++*count;
}

static arne_builder *split_tree(arne_builder *from, int *count)
{
    arne_builder  *to = NULL;
    arne_body_spec body;
    char           name[16];
    assert_ok(arne_builder_new(&to));
    for (int i = 0; i <= 12; i++) {
        snprintf(name, sizeof name, "l%d", i);
        if (arne_builder_get_body(from, name, &body) != ARNE_OK) break;
        assert_ok(arne_builder_add_body(to, &body, NULL));
        snprintf(name, sizeof name, "j%d", i);
        if (i > 0) split_universal(from, to, name, count);
    }
    const arne_pose tool = pose_identity();
    assert_ok(arne_builder_add_frame(to, "tool", "l0", &tool, (arne_place){NULL, 0}, NULL));
    return to;
}

static void universal_joint_is_two_revolute_ones(void **unused)
{
    (void)unused;
    const arne_vec3          down = {0, 0, -9.81};
    const arne_build_options options = {.gravity = &down};
    int                      tested = 0;
    for (uint64_t seed = 0; seed < TREE_COUNT; seed++) {
        two           t = {.builder = random_tree(seed)};
        int           count = 0;
        arne_builder *split = split_tree(t.builder, &count);
        two_start(&t, finish(t.builder, &options), finish(split, &options));
        arne_builder_free(split);
        if (count &&
            seed % 5 != 4) { // trees whose joints were added forwards have the same order in both
            const state s = random_state(t.a, seed + 1);
            double      tau[MAX_V], tau_b[MAX_V], qdd[MAX_V], M[MAX_V * MAX_V];
            const int   n = s.size.v_count;
            assert_int_equal(arne_robot_sizes(t.b).v_count, n);
            arne_mass_matrix(t.a, t.work_a, s.q, M);
            arne_inverse_dynamics(t.a, t.work_a, s.q, s.qd, s.qdd, NULL, tau);
            arne_inverse_dynamics(t.b, t.work_b, s.q, s.qd, s.qdd, NULL, tau_b);
            assert_close(&s, "torques of universal joints", tau, tau_b, n, 1e-10);
            assert_ok(arne_forward_dynamics(t.a, t.work_a, s.q, s.qd, tau_b, NULL, qdd, NULL));
            assert_direct_close(&s, "qdd of universal joints", qdd, s.qdd, n, 1e-10, M);
            tested++;
        }
        two_end(&t);
    }
    assert_true(tested > 100);
}

// A joint that is locked is a joint that stands still: links are where they were, and the torques
// of the others are the same.
static void locked_joints_stand_still(void **unused)
{
    (void)unused;
    int tested = 0;
    for (uint64_t seed = 0; seed < TREE_COUNT; seed++) {
        const arne_build_options options = {.base = random_tree_base(seed)};
        two                      t = {.builder = random_tree(seed)};
        arne_robot              *whole = finish(t.builder, &options), *small = NULL;
        state                    b = random_state(whole, seed + 1);
        const int                count = b.size.joint_count, joint = count ? (int)seed % count : 0;
        const arne_joint_info    held =
            count ? arne_robot_joint(whole, joint) : (arne_joint_info){.name = "none"};
        const double      value = b.q[held.q_start];
        arne_error        error;
        const arne_status status = arne_robot_reduce(whole, 1, &held.name, &value, &small, &error);
        if (status) { // followers, and joints of several coordinates, are refused by name
            assert_non_null(strstr(error.text, held.name));
            arne_robot_free(whole);
            arne_builder_free(t.builder);
            continue;
        }
        two_start(&t, small, whole);
        state  s = {.robot = small, .size = arne_robot_sizes(small)};
        double tau[MAX_V] = {0}, tau_b[MAX_V], wanted[MAX_V];
        b.qd[held.v_start] = b.qdd[held.v_start] = 0;
        for (int i = 0; i < s.size.joint_count; i++) {
            const arne_joint_info a = arne_robot_joint(small, i);
            const arne_joint_info c = arne_robot_joint(whole, arne_find_joint(whole, a.name));
            memcpy(s.q + a.q_start, b.q + c.q_start, sizeof(double) * (size_t)a.q_count);
            memcpy(s.qd + a.v_start, b.qd + c.v_start, sizeof(double) * (size_t)a.v_count);
            memcpy(s.qdd + a.v_start, b.qdd + c.v_start, sizeof(double) * (size_t)a.v_count);
        }
        state_set_base(&b, t.work_b);
        arne_work_set_base(t.a, t.work_a, &b.base_pose, &b.base_velocity, &b.base_acceleration);
        compare_poses(&t, &s, b.q);
        arne_inverse_dynamics(t.a, t.work_a, s.q, s.qd, s.qdd, NULL, tau);
        arne_inverse_dynamics(t.b, t.work_b, b.q, b.qd, b.qdd, NULL, tau_b);
        memcpy(wanted, tau_b, sizeof wanted);
        carry(&t, 0, tau, wanted);
        assert_close(&b, "torques beside a locked joint", wanted, tau_b, b.size.v_count, 1e-10);
        tested++;
        two_end(&t);
    }
    assert_true(tested > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merging_fixed_joints_changes_nothing),
        cmocka_unit_test(mimic_joints_are_joints_tied_together),
        cmocka_unit_test(universal_joint_is_two_revolute_ones),
        cmocka_unit_test(locked_joints_stand_still),
    };
    return cmocka_run_group_tests_name("equivalent robots", tests, NULL, NULL);
}
