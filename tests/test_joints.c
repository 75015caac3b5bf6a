// What each kind of joint does: coordinates, poses, velocities, wrenches, as docs/conventions.md
// states them.
#include "testing.h"

typedef struct one_joint {
    arne_robot     *robot;
    arne_work      *work;
    arne_joint_spec spec;
    int             child;
} one_joint;

static void add_body(arne_builder *builder, const char *name, uint64_t seed)
{
    arne_body_spec body = arne_body_spec_default();
    rng            r = rng_seed(seed);
    random_inertia(&r, &body);
    body.name = name;
    assert_ok(arne_builder_add_body(builder, &body, NULL));
}

// Two links and a joint between them, placed at random; without a tip where the law is about the
// child's axes.
static one_joint make_joint(arne_joint_kind kind, int with_tip, arne_vec3 axis)
{
    one_joint     j = {.spec = arne_joint_spec_default()};
    arne_builder *builder = NULL;
    rng           r = rng_seed((uint64_t)kind + 5);

    j.spec.name = "joint";
    j.spec.kind = kind;
    j.spec.parent = "base";
    j.spec.child = "link";
    j.spec.origin = rng_pose(&r, 1);
    if (with_tip) j.spec.tip = rng_pose(&r, 0.5);
    j.spec.axis = axis;
    j.spec.pitch = kind == ARNE_JOINT_HELICAL ? 0.3 : 0;

    assert_ok(arne_builder_new(&builder));
    add_body(builder, "base", 1);
    add_body(builder, "link", 2);
    assert_ok(arne_builder_add_joint(builder, &j.spec, NULL));
    j.robot = finish(builder, NULL);
    j.work = new_work(j.robot);
    j.child = arne_find_frame(j.robot, "link");
    arne_builder_free(builder);
    return j;
}

static void free_joint(one_joint *j)
{
    arne_work_free(j->work);
    arne_robot_free(j->robot);
}

// The pose across the joint, written out kind by kind.
static arne_pose across(const arne_joint_spec *spec, const double *q)
{
    const arne_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    arne_pose       X = pose_identity();
    switch (spec->kind) {
    case ARNE_JOINT_REVOLUTE:
    case ARNE_JOINT_CONTINUOUS:
        return pose_screw(spec->axis, q[0], 0);
    case ARNE_JOINT_PRISMATIC:
        return pose_screw(spec->axis, 0, q[0]);
    case ARNE_JOINT_HELICAL:
        return pose_screw(spec->axis, q[0], spec->pitch * q[0]);
    case ARNE_JOINT_UNIVERSAL:
        X.R = m3_mul(m3_turn(x, q[0]), m3_turn(y, q[1]));
        return X;
    case ARNE_JOINT_BALL:
        X.R = m3_quaternion(q);
        return X;
    case ARNE_JOINT_PLANAR:
        X.R = m3_turn(z, q[2]);
        X.p = v3(q[0], q[1], 0);
        return X;
    case ARNE_JOINT_FREE:
        X.R = m3_quaternion(q + 3);
        X.p = v3(q[0], q[1], q[2]);
        return X;
    default:
        return X;
    }
}

static void poses(void **unused)
{
    (void)unused;
    rng r = rng_seed(11);
    for (int kind = ARNE_JOINT_FIXED; kind < ARNE_JOINT_STRAIN; kind++) {
        const int simple = kind == ARNE_JOINT_PLANAR; // how x and y stand to another normal is free
        one_joint j = make_joint((arne_joint_kind)kind, 1, simple ? v3(0, 0, 1) : rng_axis(&r));
        for (uint64_t seed = 1; seed <= 10; seed++) {
            const state     s = random_state(j.robot, seed);
            const arne_pose wanted =
                pose_mul(pose_mul(j.spec.origin, across(&j.spec, s.q)), j.spec.tip);
            arne_kinematics(j.robot, j.work, s.q, NULL, NULL);
            const arne_pose X = arne_frame_pose(j.robot, j.work, j.child);
            assert_same(&s, arne_joint_kind_name((arne_joint_kind)kind), X, wanted, 1e-12);
        }
        free_joint(&j);
    }
}

// The twist of the child in its own axes, by kind; the axis is that of the joint's frame.
static arne_motion twist(const arne_joint_spec *spec, const double *q, const double *v)
{
    const arne_vec3 o = {0, 0, 0}, x = {1, 0, 0}, y = {0, 1, 0};
    arne_motion     out = {o, o};
    switch (spec->kind) {
    case ARNE_JOINT_REVOLUTE:
    case ARNE_JOINT_CONTINUOUS:
        out.ang = v3_scale(v[0], spec->axis);
        return out;
    case ARNE_JOINT_PRISMATIC:
        out.lin = v3_scale(v[0], spec->axis);
        return out;
    case ARNE_JOINT_HELICAL:
        out.ang = v3_scale(v[0], spec->axis);
        out.lin = v3_scale(spec->pitch * v[0], spec->axis);
        return out;
    case ARNE_JOINT_UNIVERSAL:
        out.ang = v3_add(v3_scale(v[0], m3_apply_t(m3_turn(y, q[1]), x)), v3_scale(v[1], y));
        return out;
    case ARNE_JOINT_BALL:
        out.ang = v3(v[0], v[1], v[2]);
        return out;
    case ARNE_JOINT_PLANAR:
        out.lin = v3(v[0], v[1], 0);
        out.ang = v3(0, 0, v[2]);
        return out;
    case ARNE_JOINT_FREE:
        out.lin = v3(v[0], v[1], v[2]);
        out.ang = v3(v[3], v[4], v[5]);
        return out;
    default:
        return out;
    }
}

// In the same axes: the columns of velocity, seen by the wrench of the joint.
static double column_power(const arne_joint_spec *spec, const double *q, int column, arne_wrench f)
{
    double unit[6] = {0};
    unit[column] = 1;
    const arne_motion S = twist(spec, q, unit);
    return v3_dot(S.lin, f.lin) + v3_dot(S.ang, f.ang);
}

static void velocities_and_wrenches(void **unused)
{
    (void)unused;
    rng r = rng_seed(12);
    for (int kind = ARNE_JOINT_FIXED; kind < ARNE_JOINT_STRAIN; kind++) {
        const char *name = arne_joint_kind_name((arne_joint_kind)kind);
        const int   simple = kind == ARNE_JOINT_PLANAR;
        one_joint   j = make_joint((arne_joint_kind)kind, 0, simple ? v3(0, 0, 1) : rng_axis(&r));
        for (uint64_t seed = 1; seed <= 10; seed++) {
            const state s = random_state(j.robot, seed);
            double      tau[6], projected[6];

            arne_kinematics(j.robot, j.work, s.q, s.qd, NULL);
            const arne_motion v = arne_frame_velocity(j.robot, j.work, j.child, ARNE_AXES_BODY);
            const arne_motion wanted = twist(&j.spec, s.q, s.qd);
            assert_same(&s, name, v, wanted, 1e-12);

            arne_inverse_dynamics(j.robot, j.work, s.q, s.qd, s.qdd, s.f_ext, tau);
            for (int k = 0; k < s.size.v_count; k++)
                projected[k] = column_power(&j.spec, s.q, k, arne_joint_wrench(j.robot, j.work, 0));
            assert_close(&s, name, projected, tau, s.size.v_count, 1e-12);
        }
        free_joint(&j);
    }
}

// With any normal a planar joint stays in its plane, turns about the normal, and v is in body axes.
static void planar_joint_with_any_normal(void **unused)
{
    (void)unused;
    rng r = rng_seed(13);
    for (int i = 0; i < 20; i++) {
        const arne_vec3 normal = rng_axis(&r);
        one_joint       j = make_joint(ARNE_JOINT_PLANAR, 0, normal);
        const state     s = random_state(j.robot, (uint64_t)i + 1);

        arne_kinematics(j.robot, j.work, s.q, s.qd, NULL);
        const arne_pose X =
            pose_mul(pose_inverse(j.spec.origin), arne_frame_pose(j.robot, j.work, j.child));
        const arne_motion v = arne_frame_velocity(j.robot, j.work, j.child, ARNE_AXES_BODY);
        const arne_vec3   turned = m3_apply(X.R, normal), spin = v3_scale(s.qd[2], normal);
        const double      height = v3_dot(X.p, normal), zero = 0, distance = v3_length(X.p);
        const double      speed = v3_length(v.lin), wanted = hypot(s.qd[0], s.qd[1]);
        const double      length = hypot(s.q[0], s.q[1]);
        assert_same(&s, "height over the plane", height, zero, 1e-12);
        assert_same(&s, "normal", turned, normal, 1e-12);
        assert_same(&s, "distance in the plane", distance, length, 1e-12);
        assert_same(&s, "speed in the plane", speed, wanted, 1e-12);
        assert_same(&s, "spin", v.ang, spin, 1e-12);
        free_joint(&j);
    }
}

static void counts_and_names(void **unused)
{
    (void)unused;
    static const int q_count[] = {0, 1, 1, 1, 1, 4, 2, 3, 7},
                     v_count[] = {0, 1, 1, 1, 1, 3, 2, 3, 6};
    static const char *const names[] = {"fixed", "revolute",  "continuous", "prismatic", "helical",
                                        "ball",  "universal", "planar",     "free"};
    for (int kind = ARNE_JOINT_FIXED; kind < ARNE_JOINT_STRAIN; kind++) {
        const arne_joint_kind k = (arne_joint_kind)kind;
        one_joint             j = make_joint(k, 1, v3(0, 0, 1));
        const arne_sizes      size = arne_robot_sizes(j.robot);
        assert_string_equal(arne_joint_kind_name(k), names[kind]);
        assert_int_equal(arne_joint_kind_q_count(k), q_count[kind]);
        assert_int_equal(arne_joint_kind_v_count(k), v_count[kind]);
        assert_int_equal(size.q_count, q_count[kind]);
        assert_int_equal(size.v_count, v_count[kind]);
        assert_int_equal(size.joint_count, kind != ARNE_JOINT_FIXED);
        assert_int_equal(size.link_count, 2);
        if (kind != ARNE_JOINT_FIXED) {
            const arne_joint_info info =
                arne_robot_joint(j.robot, arne_find_joint(j.robot, "joint"));
            assert_int_equal(info.kind, kind);
            assert_int_equal(info.child, j.child);
            assert_int_equal(info.parent, arne_find_frame(j.robot, "base"));
            assert_int_equal(info.q_count, q_count[kind]);
            assert_int_equal(info.v_count, v_count[kind]);
            assert_int_equal(info.mimic, -1);
        }
        free_joint(&j);
    }
}

// A body alone on a free joint: m (a + w' x c + w x (w x c)) and the moment that goes with it, by
// hand.
static void free_body_obeys_newton_and_euler(void **unused)
{
    (void)unused;
    one_joint j = make_joint(ARNE_JOINT_FREE, 0, v3(0, 0, 1));
    for (uint64_t seed = 1; seed <= 20; seed++) {
        const state           s = random_state(j.robot, seed);
        const arne_frame_info link = arne_robot_frame(j.robot, j.child);
        const double         *I = link.inertia;
        const arne_vec3       c = link.com, u = v3(s.qd[0], s.qd[1], s.qd[2]),
                        w = v3(s.qd[3], s.qd[4], s.qd[5]);
        const arne_vec3 du = v3(s.qdd[0], s.qdd[1], s.qdd[2]),
                        dw = v3(s.qdd[3], s.qdd[4], s.qdd[5]);
        const arne_mat3 J = {{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}};
        double          tau[6];

        arne_inverse_dynamics(j.robot, j.work, s.q, s.qd, s.qdd, NULL, tau);
        arne_kinematics(j.robot, j.work, s.q, NULL, NULL);
        const arne_mat3   R = arne_frame_pose(j.robot, j.work, j.child).R;
        const arne_vec3   g = m3_apply_t(R, arne_robot_gravity(j.robot));
        const arne_vec3   origin = v3_sub(v3_add(du, v3_cross(w, u)), g);
        const arne_vec3   swing = v3_add(v3_cross(dw, c), v3_cross(w, v3_cross(w, c)));
        const arne_vec3   force = v3_scale(link.mass, v3_add(origin, swing));
        const arne_vec3   euler = v3_add(m3_apply(J, dw), v3_cross(w, m3_apply(J, w)));
        const arne_wrench wanted = {force, v3_add(euler, v3_cross(c, force))};
        assert_close(&s, "wrench of a free body", tau, &wanted.lin.x, 6, 1e-12);
    }
    free_joint(&j);
}

// A joint's friction opposes its speed, by another amount each way, and is nothing at rest.
static void friction_by_direction(void **unused)
{
    (void)unused;
    arne_builder   *builder = NULL;
    arne_joint_spec spec = arne_joint_spec_default();
    spec.name = "joint";
    spec.parent = "base";
    spec.child = "link";
    spec.viscous = 2;
    spec.coulomb_positive = 3;
    spec.coulomb_negative = 5;
    assert_ok(arne_builder_new(&builder));
    add_body(builder, "base", 1);
    add_body(builder, "link", 2);
    assert_ok(arne_builder_add_joint(builder, &spec, NULL));
    assert_ok(arne_builder_set_gravity(builder, v3(0, 0, 0)));
    arne_robot *robot = finish(builder, NULL);
    arne_work  *work = new_work(robot);
    arne_builder_free(builder);

    static const double speeds[] = {0.5, -0.5, 0, -0.0}, wanted[] = {4, -6, 0, 0};
    for (int i = 0; i < 4; i++) {
        const double q = 0.3;
        double       tau;
        arne_bias(robot, work, &q, &speeds[i], NULL, &tau);
        assert_same(NULL, "friction", tau, wanted[i], 1e-14);
        arne_gravity(robot, work, &q, &tau);
        assert_same(NULL, "gravity without friction", tau, wanted[2], 1e-14);
    }
    arne_work_free(work);
    arne_robot_free(robot);
}

// T = Rz(theta) Tz(d) Tx(a) Rx(alpha), and Khalil's T = Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta)
// Tz(r).
static void denavit_hartenberg_rows(void **unused)
{
    (void)unused;
    const arne_vec3 x = {1, 0, 0}, z = {0, 0, 1};
    rng             r = rng_seed(14);
    for (int i = 0; i < 40; i++) {
        double p[6];
        rng_fill(&r, p, 6, 1.5);
        const int       slides = i % 2;
        const double    q = rng_uniform(&r, -1, 1), turn = slides ? 0 : q, slide = slides ? q : 0;
        arne_joint_spec spec = arne_joint_spec_default();

        spec.kind = slides ? ARNE_JOINT_PRISMATIC : ARNE_JOINT_REVOLUTE;
        arne_dh_standard(&spec, p[0], p[1], p[2], p[3]);
        arne_pose T = pose_mul(pose_mul(spec.origin, across(&spec, &q)), spec.tip);
        arne_pose wanted =
            pose_mul(pose_screw(z, p[0] + turn, p[1] + slide), pose_screw(x, p[3], p[2]));
        assert_same(NULL, "standard row", T, wanted, 1e-14);

        arne_dh_modified(&spec, p[0], p[1], p[2], p[3], p[4], p[5]);
        T = pose_mul(pose_mul(spec.origin, across(&spec, &q)), spec.tip);
        wanted = pose_mul(pose_mul(pose_screw(z, p[0], p[1]), pose_screw(x, p[2], p[3])),
                          pose_screw(z, p[4] + turn, p[5] + slide));
        assert_same(NULL, "modified row", T, wanted, 1e-14);
    }
}

// The trees that laws are tested on have every kind of joint, as a root's and deeper, and all the
// trimmings.
static void random_trees_have_everything(void **unused)
{
    (void)unused;
    int kinds[ARNE_JOINT_KIND_COUNT] = {0}, deep[ARNE_JOINT_KIND_COUNT] = {0}, bases[4] = {0};
    int mimics = 0, frictions = 0, rotors = 0, branches = 0, massless = 0, merged = 0;
    EACH_ROBOT (robot, work) {
        const arne_sizes size = arne_robot_sizes(robot);
        int              children[MAX_FRAMES] = {0};
        if (strncmp(arne_robot_name(robot), "random tree", 11) != 0) continue;
        bases[arne_robot_base(robot)]++;
        for (int i = 0; i < size.joint_count; i++) {
            const arne_joint_info j = arne_robot_joint(robot, i);
            if (j.parent < 0) continue;
            kinds[j.kind]++;
            deep[j.kind] += arne_robot_frame(robot, j.parent).parent >= 0;
            branches += ++children[j.parent] == 2;
            mimics += j.mimic >= 0;
            frictions += j.coulomb_positive > 0 && j.coulomb_positive != j.coulomb_negative;
            rotors += j.rotor_inertia > 0;
        }
        for (int i = 0; i < size.link_count; i++) {
            massless += arne_robot_frame(robot, i).mass == 0;
            merged += arne_robot_frame(robot, i).pose.p.x != 0;
        }
    }
    for (int kind = ARNE_JOINT_REVOLUTE; kind < ARNE_JOINT_STRAIN; kind++)
        assert_true(kinds[kind] > 300 && deep[kind] > 100);
    for (int base = ARNE_BASE_FIXED; base <= ARNE_BASE_FREE; base++)
        assert_true(bases[base] > 300);
    assert_true(mimics > 100 && frictions > 300 && rotors > 300);
    assert_true(branches > 300 && massless > 30 && merged > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses),
        cmocka_unit_test(velocities_and_wrenches),
        cmocka_unit_test(planar_joint_with_any_normal),
        cmocka_unit_test(counts_and_names),
        cmocka_unit_test(free_body_obeys_newton_and_euler),
        cmocka_unit_test(friction_by_direction),
        cmocka_unit_test(denavit_hartenberg_rows),
        cmocka_unit_test(random_trees_have_everything),
    };
    return cmocka_run_group_tests_name("joints", tests, NULL, NULL);
}
