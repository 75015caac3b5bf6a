// What loads do: wrenches on links, wrenches inside joints, payloads, friction and rotors.
#include "testing.h"

#include "losses.h"

// A wrench on a link changes the torques by -J^T f, link by link.
static void wrench_on_a_link_is_jacobian_transposed(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            const int n = s.size.v_count;
            const int frame = (int)s.seed % s.size.frame_count;
            double    without[MAX_V], with[MAX_V], J[6 * MAX_V];

            arne_wrench f_ext[MAX_BODIES] = {0};
            arne_add_wrench(robot, frame, &s.wrench[0], f_ext);
            arne_inverse_dynamics(robot, work, s.q, s.qd, s.qdd, NULL, without);
            arne_inverse_dynamics(robot, work, s.q, s.qd, s.qdd, f_ext, with);
            arne_jacobian(robot, work, s.q, frame, ARNE_AXES_BODY, J);
            const double *f = &s.wrench[0].lin.x;
            for (int k = 0; k < n; k++)
                for (int i = 0; i < 6; i++)
                    without[k] -= J[i * n + k] * f[i];
            assert_close(&s, "tau - J^T f", with, without, n, 1e-10);
        }
}

// The part of a joint's wrench that its motor feels.
static double along_axis(const arne_joint_info *j, arne_wrench f)
{
    const double turn = v3_dot(j->axis, f.ang), push = v3_dot(j->axis, f.lin);
    if (j->kind == ARNE_JOINT_PRISMATIC) return push;
    return j->kind == ARNE_JOINT_HELICAL ? turn + j->pitch * push : turn;
}

// Torques are the joint wrenches along the joints' axes, once friction and rotors are added.
// Checked on the coordinates of joints with one, the joints that follow them included.
static void check_projections(const state *s, const arne_work *work, const double *tau)
{
    double friction[MAX_V], springs[MAX_V], sum[MAX_V], wanted[MAX_V];
    int    counts[MAX_V] = {0}, elsewhere[MAX_V] = {0};

    friction_torque(s->robot, s->qd, friction);
    spring_torque(s->robot, s->q, s->qd, springs);
    for (int k = 0; k < s->size.v_count; k++)
        sum[k] = friction[k] + springs[k];
    for (int i = 0; i < s->size.joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(s->robot, i);
        if (arne_joint_kind_v_count(j.kind) != 1) continue;
        arne_term    terms[32] = {{i, 1}};
        const int    followed = arne_joint_terms(s->robot, i, terms, 32);
        const double felt = along_axis(&j, arne_joint_wrench(s->robot, work, i)) +
                            j.rotor_inertia * joint_speed(s->robot, i, s->qdd);
        for (int t = 0; t < (followed ? followed : 1); t++) {
            const int k = arne_robot_joint(s->robot, terms[t].joint).v_start;
            sum[k] += terms[t].ratio * felt;
            counts[k]++;
        }
    }
    for (int i = 0; i < s->size.motor_count; i++) {
        const arne_motor_info m = arne_robot_motor(s->robot, i);
        arne_term             terms[32];
        const int             turned = arne_motor_terms(s->robot, i, terms, 32);
        for (int t = 0; t < turned; t++) {
            const int k = arne_robot_joint(s->robot, terms[t].joint).v_start;
            if (m.reflected)
                sum[k] +=
                    terms[t].ratio * m.gear * m.gear * m.inertia * motor_speed(s->robot, i, s->qdd);
            else
                elsewhere[k] = 1; // a rotor elsewhere turns with this coordinate too
        }
    }
    for (int k = 0; k < s->size.v_count; k++) {
        if (!counts[k] || elsewhere[k]) sum[k] = tau[k];
        wanted[k] = tau[k];
    }
    assert_close(s, "joint wrenches along the axes", sum, wanted, s->size.v_count, 1e-10);
}

static void joint_wrenches_make_the_torques(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            double tau[MAX_V];
            arne_inverse_dynamics(robot, work, s.q, s.qd, s.qdd, s.f_ext, tau);
            check_projections(&s, work, tau);
        }
}

static void read_wrenches(const state *s, const arne_work *work, arne_wrench *out)
{
    for (int i = 0; i < s->size.joint_count; i++)
        out[i] = arne_joint_wrench(s->robot, work, i);
    out[s->size.joint_count] = arne_base_wrench(s->robot, work);
}

// Both methods of direct dynamics find the wrenches that inverse dynamics finds for the same
// motion.
static void wrenches_of_direct_dynamics(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            double      qdd[MAX_V], tau[MAX_V];
            arne_wrench ours[MAX_FRAMES + 1], wanted[MAX_FRAMES + 1];
            const int   count = 6 * (s.size.joint_count + 1);

            assert_ok(
                arne_forward_dynamics_matrix(robot, work, s.q, s.qd, s.tau, s.f_ext, qdd, NULL));
            read_wrenches(&s, work, ours);
            arne_inverse_dynamics(robot, work, s.q, s.qd, qdd, s.f_ext, tau);
            read_wrenches(&s, work, wanted);
            assert_close(&s, "wrenches by matrix", &ours[0].lin.x, &wanted[0].lin.x, count, 1e-10);

            assert_ok(arne_forward_dynamics(robot, work, s.q, s.qd, s.tau, s.f_ext, qdd, NULL));
            arne_forward_wrenches(robot, work);
            read_wrenches(&s, work, ours);
            arne_inverse_dynamics(robot, work, s.q, s.qd, qdd, s.f_ext, tau);
            read_wrenches(&s, work, wanted);
            assert_close(&s, "wrenches of the recursion", &ours[0].lin.x, &wanted[0].lin.x, count,
                         1e-10);
        }
}

static arne_payload random_payload(rng *r, arne_body_spec *as_body)
{
    arne_payload load;
    do {
        *as_body = arne_body_spec_default();
        random_inertia(r, as_body);
    } while (as_body->about_origin ||
             as_body->inertia_axes.x.x != 0); // a payload has one way to say it
    load.mass = as_body->mass;
    load.com = as_body->com;
    memcpy(load.inertia, as_body->inertia, sizeof load.inertia);
    return load;
}

static void compare_robots(const arne_robot *a, const arne_robot *b, const char *what)
{
    arne_work *work_a = new_work(a), *work_b = new_work(b);
    for (uint64_t seed = 1; seed <= 2; seed++) {
        const state  s = random_state(a, seed);
        const int    n = s.size.v_count;
        double       tau_a[MAX_V], tau_b[MAX_V], energy_a[2], energy_b[2];
        arne_vec3    com_a, com_b;
        const double mass_a = arne_total_mass(a), mass_b = arne_total_mass(b);

        arne_work_set_base(a, work_a, &s.base_pose, &s.base_velocity, &s.base_acceleration);
        arne_work_set_base(b, work_b, &s.base_pose, &s.base_velocity, &s.base_acceleration);
        arne_inverse_dynamics(a, work_a, s.q, s.qd, s.qdd, NULL, tau_a);
        arne_inverse_dynamics(b, work_b, s.q, s.qd, s.qdd, NULL, tau_b);
        assert_close(&s, what, tau_a, tau_b, n, 1e-10);
        const arne_wrench base_a = arne_base_wrench(a, work_a),
                          base_b = arne_base_wrench(b, work_b);
        assert_same(&s, what, base_a, base_b, 1e-10);
        arne_energy(a, work_a, s.q, s.qd, &energy_a[0], &energy_a[1]);
        arne_energy(b, work_b, s.q, s.qd, &energy_b[0], &energy_b[1]);
        assert_close(&s, what, energy_a, energy_b, 2, 1e-10);
        arne_center_of_mass(a, work_a, s.q, NULL, &com_a, NULL);
        arne_center_of_mass(b, work_b, s.q, NULL, &com_b, NULL);
        assert_same(&s, what, com_a, com_b, 1e-10);
        assert_same(&s, what, mass_a, mass_b, 1e-10);
    }
    arne_work_free(work_a);
    arne_work_free(work_b);
}

// A payload on a link is the same as a body fixed there by a joint of the file.
static void payload_is_a_body_of_the_file(void **unused)
{
    (void)unused;
    for (uint64_t seed = 0; seed < TREE_COUNT; seed++) {
        const arne_build_options options = {.base = random_tree_base(seed)};
        rng                      r = rng_seed(seed + 17);
        arne_builder            *builder = random_tree(seed);
        arne_body_spec           body;
        arne_joint_spec          joint = arne_joint_spec_default();
        const arne_payload       load = random_payload(&r, &body);
        arne_robot              *bare = finish(builder, &options), *loaded = NULL;
        const int                link = rng_below(&r, arne_robot_sizes(bare).link_count);

        assert_ok(arne_robot_attach(bare, link, &load, &loaded, NULL));
        body.name = "load";
        joint.name = "load_joint";
        joint.kind = ARNE_JOINT_FIXED;
        joint.parent = arne_robot_frame(bare, link).name;
        joint.child = body.name;
        assert_ok(arne_builder_add_body(builder, &body, NULL));
        assert_ok(arne_builder_add_joint(builder, &joint, NULL));
        arne_robot *in_file = finish(builder, &options);
        compare_robots(loaded, in_file, "robot with a payload");

        arne_robot_free(in_file);
        arne_robot_free(loaded);
        arne_robot_free(bare);
        arne_builder_free(builder);
    }
}

// The robot a payload was put on stays as it was.
static void payload_leaves_the_robot_alone(void **unused)
{
    (void)unused;
    EACH_FILE_ROBOT (robot, work) {
        const arne_payload load = {2, {0.1, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0}};
        const state        s = random_state(robot, 3);
        double             before[MAX_V], after[MAX_V];
        arne_robot        *loaded = NULL;

        arne_inverse_dynamics(robot, work, s.q, s.qd, s.qdd, NULL, before);
        assert_ok(arne_robot_attach(robot, s.size.frame_count - 1, &load, &loaded, NULL));
        arne_robot_free(loaded);
        arne_inverse_dynamics(robot, work, s.q, s.qd, s.qdd, NULL, after);
        assert_close(&s, "torques after a payload was taken off", after, before, s.size.v_count, 0);
    }
}

static void bad_payloads_are_refused(void **unused)
{
    (void)unused;
    const arne_payload good = {2, {0.1, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0}};
    arne_builder      *builder = random_tree(3);
    arne_robot        *robot = finish(builder, NULL), *loaded = NULL;
    arne_error         error = {0};
    arne_payload       load = good;

    load.mass = -1;
    assert_int_not_equal(arne_robot_attach(robot, 0, &load, &loaded, &error), ARNE_OK);
    assert_true(error.text[0] != 0);
    assert_null(loaded);
    load = good;
    load.com.y = NAN;
    assert_int_not_equal(arne_robot_attach(robot, 0, &load, &loaded, NULL), ARNE_OK);
    load = good;
    load.inertia[1] = -0.1;
    assert_int_not_equal(arne_robot_attach(robot, 0, &load, &loaded, NULL), ARNE_OK);
    assert_int_not_equal(arne_robot_attach(robot, -1, &good, &loaded, NULL), ARNE_OK);
    assert_int_not_equal(arne_robot_attach(robot, 10000, &good, &loaded, NULL), ARNE_OK);
    assert_status(arne_robot_attach(NULL, 0, &good, &loaded, NULL), ARNE_NULL_ARGUMENT);
    assert_status(arne_robot_attach(robot, 0, NULL, &loaded, NULL), ARNE_NULL_ARGUMENT);
    assert_status(arne_robot_attach(robot, 0, &good, NULL, NULL), ARNE_NULL_ARGUMENT);
    arne_robot_free(robot);
    arne_builder_free(builder);
}

// Friction and rotors are in the torques by default; each option takes its own part out, and no
// more.
static void options_switch_friction_and_rotors_off(void **unused)
{
    (void)unused;
    for (uint64_t seed = 0; seed < TREE_COUNT; seed++) {
        const arne_build_options off = {.no_friction = 1, .no_rotor = 1}, only = {.no_rotor = 1};
        arne_builder            *builder = random_tree(seed);
        arne_robot              *all = finish(builder, NULL), *dry = finish(builder, &only),
                   *none = finish(builder, &off);
        arne_work  *work[3] = {new_work(all), new_work(dry), new_work(none)};
        const state s = random_state(all, seed);
        double      tau[3][MAX_V], friction[MAX_V], rotor[MAX_V] = {0};

        arne_inverse_dynamics(all, work[0], s.q, s.qd, s.qdd, NULL, tau[0]);
        arne_inverse_dynamics(dry, work[1], s.q, s.qd, s.qdd, NULL, tau[1]);
        arne_inverse_dynamics(none, work[2], s.q, s.qd, s.qdd, NULL, tau[2]);
        friction_torque(all, s.qd, friction);
        for (int i = 0; i < s.size.joint_count; i++) {
            const arne_joint_info j = arne_robot_joint(all, i);
            if (j.rotor_inertia == 0) continue;
            const double ratio = j.mimic < 0 ? 1 : j.mimic_ratio;
            const int    k = j.mimic < 0 ? j.v_start : arne_robot_joint(all, j.mimic).v_start;
            rotor[k] += ratio * ratio * j.rotor_inertia * s.qdd[k];
        }
        for (int k = 0; k < s.size.v_count; k++) {
            tau[2][k] += friction[k];
            rotor[k] += tau[1][k];
        }
        assert_close(&s, "friction", tau[1], tau[2], s.size.v_count, 1e-12);
        assert_close(&s, "rotors", tau[0], rotor, s.size.v_count, 1e-12);

        for (int i = 0; i < 3; i++)
            arne_work_free(work[i]);
        arne_robot_free(all);
        arne_robot_free(dry);
        arne_robot_free(none);
        arne_builder_free(builder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrench_on_a_link_is_jacobian_transposed),
        cmocka_unit_test(joint_wrenches_make_the_torques),
        cmocka_unit_test(wrenches_of_direct_dynamics),
        cmocka_unit_test(payload_is_a_body_of_the_file),
        cmocka_unit_test(payload_leaves_the_robot_alone),
        cmocka_unit_test(bad_payloads_are_refused),
        cmocka_unit_test(options_switch_friction_and_rotors_off),
    };
    return cmocka_run_group_tests_name("loads", tests, NULL, NULL);
}
