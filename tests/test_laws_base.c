// Three bases, one mechanics: fixed, prescribed and free agree wherever they can be compared.
#include "testing.h"

typedef struct pair {
    arne_robot *prescribed, *freed;
    arne_work  *prescribed_work, *freed_work;
} pair;

static pair pair_of(arne_robot *prescribed, arne_robot *freed)
{
    const pair p = {prescribed, freed, new_work(prescribed), new_work(freed)};
    return p;
}

static void pair_free(pair *p)
{
    arne_work_free(p->prescribed_work);
    arne_work_free(p->freed_work);
    arne_robot_free(p->prescribed);
    arne_robot_free(p->freed);
}

// The same state for a robot whose base is a joint: its coordinates come first.
static state freed_state(const state *s, const arne_robot *freed)
{
    state f = random_state(freed, s->seed);

    memcpy(f.q, &s->base_pose.p, 3 * sizeof(double));
    m3_to_quaternion(s->base_pose.R, f.q + 3);
    memcpy(f.q + 7, s->q, sizeof(double) * (size_t)s->size.q_count);
    memcpy(f.qd, &s->base_velocity, 6 * sizeof(double));
    memcpy(f.qd + 6, s->qd, sizeof(double) * (size_t)s->size.v_count);
    memcpy(f.qdd, &s->base_acceleration, 6 * sizeof(double));
    memcpy(f.qdd + 6, s->qdd, sizeof(double) * (size_t)s->size.v_count);
    memset(f.f_ext, 0, sizeof f.f_ext);
    for (int i = 0; i < s->size.link_count; i++)
        arne_add_wrench(freed, i, &s->wrench[i], f.f_ext);
    return f;
}

static void check_torques(const pair *p, const state *s, const state *f)
{
    double tau[MAX_V], freed[MAX_V], bias[MAX_V];

    arne_inverse_dynamics(p->freed, p->freed_work, f->q, f->qd, f->qdd, f->f_ext, freed);
    arne_inverse_dynamics(p->prescribed, p->prescribed_work, s->q, s->qd, s->qdd, s->f_ext, tau);
    const arne_wrench base = arne_base_wrench(p->prescribed, p->prescribed_work);
    assert_close(s, "torques of a prescribed base", tau, freed + 6, s->size.v_count, 1e-10);
    assert_close(s, "wrench of a prescribed base", &base.lin.x, freed, 6, 1e-10);

    // the bias is the torque of a motion whose joints do not accelerate, though the base may
    const double none[MAX_V] = {0};
    arne_bias(p->prescribed, p->prescribed_work, s->q, s->qd, s->f_ext, bias);
    arne_inverse_dynamics(p->prescribed, p->prescribed_work, s->q, s->qd, none, s->f_ext, tau);
    assert_close(s, "bias of a prescribed base", bias, tau, s->size.v_count, 1e-10);
}

static void check_motion(const pair *p, const state *s, const state *f)
{
    arne_kinematics(p->prescribed, p->prescribed_work, s->q, s->qd, s->qdd);
    arne_kinematics(p->freed, p->freed_work, f->q, f->qd, f->qdd);
    for (int i = 0; i < s->size.frame_count; i++) {
        const arne_pose X = arne_frame_pose(p->prescribed, p->prescribed_work, i);
        const arne_pose Y = arne_frame_pose(p->freed, p->freed_work, i);
        assert_same(s, "pose", X, Y, 1e-10);
        for (int axes = ARNE_AXES_BODY; axes <= ARNE_AXES_ALIGNED; axes++) {
            const arne_axes   in = (arne_axes)axes;
            const arne_motion v = arne_frame_velocity(p->prescribed, p->prescribed_work, i, in);
            const arne_motion w = arne_frame_velocity(p->freed, p->freed_work, i, in);
            assert_same(s, "velocity", v, w, 1e-10);
            for (int kind = ARNE_ACCELERATION_CLASSICAL; kind <= ARNE_ACCELERATION_SPATIAL;
                 kind++) {
                const arne_acceleration_kind k = (arne_acceleration_kind)kind;
                const arne_motion            a =
                    arne_frame_acceleration(p->prescribed, p->prescribed_work, i, in, k);
                const arne_motion b = arne_frame_acceleration(p->freed, p->freed_work, i, in, k);
                assert_same(s, "acceleration", a, b, 1e-10);
            }
        }
    }
}

static void check_totals(const pair *p, const state *s, const state *f)
{
    arne_vec3    com[2], velocity[2];
    arne_wrench  momentum[2];
    double       energy[2][2];
    const double mass[2] = {arne_total_mass(p->prescribed), arne_total_mass(p->freed)};

    arne_center_of_mass(p->prescribed, p->prescribed_work, s->q, s->qd, &com[0], &velocity[0]);
    arne_center_of_mass(p->freed, p->freed_work, f->q, f->qd, &com[1], &velocity[1]);
    arne_momentum(p->prescribed, p->prescribed_work, s->q, s->qd, &momentum[0]);
    arne_momentum(p->freed, p->freed_work, f->q, f->qd, &momentum[1]);
    arne_energy(p->prescribed, p->prescribed_work, s->q, s->qd, &energy[0][0], &energy[0][1]);
    arne_energy(p->freed, p->freed_work, f->q, f->qd, &energy[1][0], &energy[1][1]);

    assert_same(s, "total mass", mass[0], mass[1], 1e-10);
    assert_same(s, "centre of mass", com[0], com[1], 1e-10);
    assert_same(s, "velocity of the centre of mass", velocity[0], velocity[1], 1e-10);
    assert_same(s, "momentum", momentum[0], momentum[1], 1e-10);
    assert_close(s, "energy", energy[0], energy[1], 2, 1e-10);
}

// The prescribed base is forced along a motion; so is the free one, by the torques of its joint.
// Given these, direct dynamics finds the prescribed motion again.
static void check_direct(const pair *p, const state *s, const state *f)
{
    double M[MAX_V * MAX_V], tau[MAX_V], qdd[MAX_V];

    arne_mass_matrix(p->prescribed, p->prescribed_work, s->q, M);
    arne_inverse_dynamics(p->freed, p->freed_work, f->q, f->qd, f->qdd, f->f_ext, tau);
    assert_ok(arne_forward_dynamics(p->prescribed, p->prescribed_work, s->q, s->qd, tau + 6,
                                    s->f_ext, qdd, NULL));
    assert_direct_close(s, "qdd on a prescribed base", qdd, s->qdd, s->size.v_count, 1e-10, M);
}

static void check_pair(pair *p, int states)
{
    for (int seed = 1; seed <= states; seed++) {
        const state s = random_state(p->prescribed, (uint64_t)seed);
        const state f = freed_state(&s, p->freed);
        state_set_base(&s, p->prescribed_work);
        check_torques(p, &s, &f);
        check_motion(p, &s, &f);
        check_totals(p, &s, &f);
        check_direct(p, &s, &f);
    }
    pair_free(p);
}

static const arne_build_options prescribed_option = {.base = ARNE_BASE_PRESCRIBED};
static const arne_build_options free_option = {.base = ARNE_BASE_FREE};

static void prescribed_is_free_forced_along_on_files(void **unused)
{
    (void)unused;
    int    count;
    char **files = robot_files(&count);
    for (int i = 0; i < count; i++) {
        arne_robot *robot[2];
        assert_ok(arne_robot_read(files[i], &prescribed_option, &robot[0], NULL));
        assert_ok(arne_robot_read(files[i], &free_option, &robot[1], NULL));
        pair p = pair_of(robot[0], robot[1]);
        check_pair(&p, STATES_OF_FILE);
    }
    robot_files_free(files);
}

static void prescribed_is_free_forced_along_on_trees(void **unused)
{
    (void)unused;
    for (uint64_t seed = 0; seed < TREE_COUNT; seed++) {
        arne_builder *builder = random_tree(seed);
        pair p = pair_of(finish(builder, &prescribed_option), finish(builder, &free_option));
        arne_builder_free(builder);
        check_pair(&p, STATES_OF_TREE);
    }
}

// A prescribed base that nobody moves is a fixed base.
static void prescribed_at_rest_is_fixed(void **unused)
{
    (void)unused;
    const arne_build_options fixed_option = {.base = ARNE_BASE_FIXED};
    for (uint64_t seed = 0; seed < TREE_COUNT; seed++) {
        arne_builder *builder = random_tree(seed);
        pair p = pair_of(finish(builder, &prescribed_option), finish(builder, &fixed_option));
        arne_builder_free(builder);
        const state s = random_state(p.freed, seed);
        double      tau[MAX_V], fixed[MAX_V];

        arne_inverse_dynamics(p.prescribed, p.prescribed_work, s.q, s.qd, s.qdd, s.f_ext, tau);
        arne_inverse_dynamics(p.freed, p.freed_work, s.q, s.qd, s.qdd, s.f_ext, fixed);
        assert_close(&s, "torques on a base at rest", tau, fixed, s.size.v_count, 1e-12);

        // NULL stands for rest at the origin, also after the base has moved
        const state moving = random_state(p.prescribed, seed);
        state_set_base(&moving, p.prescribed_work);
        arne_work_set_base(p.prescribed, p.prescribed_work, NULL, NULL, NULL);
        arne_inverse_dynamics(p.prescribed, p.prescribed_work, s.q, s.qd, s.qdd, s.f_ext, tau);
        assert_close(&s, "torques after the base stopped", tau, fixed, s.size.v_count, 1e-12);
        pair_free(&p);
    }
}

static void bases_are_reported(void **unused)
{
    (void)unused;
    arne_builder *builder = random_tree(7);
    for (int base = ARNE_BASE_FIXED; base <= ARNE_BASE_FREE; base++) {
        const arne_build_options options = {.base = (arne_base)base};
        arne_robot              *robot = finish(builder, &options);
        assert_int_equal(arne_robot_base(robot), base);
        if (base == ARNE_BASE_FREE) {
            const arne_joint_info j = arne_robot_joint(robot, 0);
            assert_int_equal(j.kind, ARNE_JOINT_FREE);
            assert_int_equal(j.parent, -1);
            assert_int_equal(j.q_start, 0);
            assert_int_equal(j.v_start, 0);
        }
        arne_robot_free(robot);
    }
    arne_builder_free(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prescribed_is_free_forced_along_on_files),
        cmocka_unit_test(prescribed_is_free_forced_along_on_trees),
        cmocka_unit_test(prescribed_at_rest_is_fixed),
        cmocka_unit_test(bases_are_reported),
    };
    return cmocka_run_group_tests_name("bases", tests, NULL, NULL);
}
