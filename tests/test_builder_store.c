// The builder as a store, and the arguments of the C API that must not be NULL.
#include "testing.h"
#include <stdio.h>
#include <time.h>

static arne_builder *small_builder(void)
{
    arne_builder   *builder = NULL;
    arne_body_spec  body = arne_body_spec_default();
    arne_joint_spec joint = arne_joint_spec_default();
    char            name[8] = "base"; // the builder keeps its own copy of every text

    assert_ok(arne_builder_new(&builder));
    body.name = name;
    body.mass = 1;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.1;
    assert_ok(arne_builder_add_body(builder, &body, NULL));
    strcpy(name, "link");
    assert_ok(arne_builder_add_body(builder, &body, NULL));
    strcpy(name, "joint");
    joint.name = name;
    joint.parent = "base";
    joint.child = "link";
    assert_ok(arne_builder_add_joint(builder, &joint, NULL));
    strcpy(name, "gone");
    return builder;
}

static void defaults(void **unused)
{
    (void)unused;
    const arne_joint_spec j = arne_joint_spec_default();
    const arne_body_spec  b = arne_body_spec_default();
    assert_int_equal(j.kind, ARNE_JOINT_REVOLUTE);
    assert_true(j.axis.x == 0 && j.axis.y == 0 && j.axis.z == 1);
    assert_true(isinf(j.lower) && j.lower < 0 && isinf(j.upper) && isinf(j.velocity) &&
                isinf(j.effort));
    assert_true(b.mass == 0);

    arne_builder   *builder = small_builder();
    arne_robot     *robot = finish(builder, NULL);
    const arne_vec3 g = arne_robot_gravity(robot);
    assert_int_equal(arne_robot_base(robot), ARNE_BASE_FIXED);
    assert_true(g.x == 0 && g.y == 0 && g.z == -9.81);
    arne_robot_free(robot);
    arne_builder_free(builder);
}

static void specs_can_be_read_back_and_replaced(void **unused)
{
    (void)unused;
    arne_builder   *builder = small_builder();
    arne_body_spec  body;
    arne_joint_spec joint;
    const double    inertia[6] = {1, 2, 2, 0, 0, 0};

    assert_ok(arne_builder_get_body(builder, "link", &body));
    assert_ok(arne_builder_get_joint(builder, "joint", &joint));
    assert_string_equal(body.name, "link");
    assert_string_equal(joint.parent, "base");
    assert_string_equal(joint.child, "link");
    body.mass = 7;
    joint.kind = ARNE_JOINT_PRISMATIC;
    assert_ok(arne_builder_set_body(builder, &body, NULL));
    assert_ok(arne_builder_set_joint(builder, &joint, NULL));
    arne_robot *robot = finish(builder, NULL);
    assert_true(arne_total_mass(robot) == 7);
    assert_int_equal(arne_robot_joint(robot, 0).kind, ARNE_JOINT_PRISMATIC);
    arne_robot_free(robot);

    assert_ok(arne_builder_set_inertia(builder, "link", 5, v3(0, 0, 1), inertia, 0, NULL));
    robot = finish(builder, NULL);
    assert_true(arne_total_mass(robot) == 5);
    assert_true(arne_robot_frame(robot, arne_find_frame(robot, "link")).inertia[1] == 2);
    arne_robot_free(robot);

    assert_status(arne_builder_get_body(builder, "gone", &body), ARNE_NOT_FOUND);
    assert_status(arne_builder_get_joint(builder, "gone", &joint), ARNE_NOT_FOUND);
    assert_status(arne_builder_set_inertia(builder, "gone", 5, v3(0, 0, 1), inertia, 0, NULL),
                  ARNE_NOT_FOUND);
    body.name = joint.name = "gone";
    assert_status(arne_builder_set_body(builder, &body, NULL), ARNE_NOT_FOUND);
    assert_status(arne_builder_set_joint(builder, &joint, NULL), ARNE_NOT_FOUND);
    arne_builder_free(builder);
}

// A builder may be finished more than once, with other options, and after more was added.
// Of two bodies with one name the first is meant, until the robot is finished.
static void the_first_of_a_name_is_found(void **unused)
{
    (void)unused;
    arne_builder  *builder = small_builder();
    arne_body_spec body = arne_body_spec_default();
    arne_robot    *robot = NULL;
    arne_error     error;
    body.name = "link";
    body.mass = 3;
    assert_ok(arne_builder_add_body(builder, &body, NULL));
    assert_ok(arne_builder_get_body(builder, "link", &body));
    assert_true(body.mass == 1);
    assert_status(arne_builder_finish(builder, NULL, &robot, &error), ARNE_MODEL);
    assert_string_equal(error.text, "two links or frames are named 'link'");
    arne_builder_free(builder);
}

// Amending each of many joints takes time in proportion to their number.
static void many_joints_are_found_fast(void **unused)
{
    (void)unused;
    enum { MANY = 20000 };
    const clock_t   start = clock();
    arne_builder   *builder = small_builder();
    arne_joint_spec joint = arne_joint_spec_default();
    char            name[24];
    joint.parent = joint.child = "link";
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "joint%d", i);
        joint.name = name;
        joint.viscous = i;
        assert_ok(arne_builder_add_joint(builder, &joint, NULL));
    }
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "joint%d", i);
        assert_ok(arne_builder_get_joint(builder, name, &joint));
        assert_true(joint.viscous == i);
        assert_ok(arne_builder_set_joint(builder, &joint, NULL));
    }
    assert_status(arne_builder_get_joint(builder, "joint20000", &joint), ARNE_NOT_FOUND);
    assert_true(clock() - start < CLOCKS_PER_SEC);
    arne_builder_free(builder);
}

static void finish_more_than_once(void **unused)
{
    (void)unused;
    const arne_vec3          moon = {0, 0, -1.62};
    const arne_build_options options = {.base = ARNE_BASE_FREE, .gravity = &moon};
    arne_builder            *builder = small_builder();
    arne_robot              *first = finish(builder, NULL), *second = finish(builder, &options);
    arne_body_spec           body = arne_body_spec_default();
    arne_joint_spec          joint = arne_joint_spec_default();

    body.name = "more";
    body.mass = 2;
    joint.name = "more_joint";
    joint.kind = ARNE_JOINT_FIXED;
    joint.parent = "link";
    joint.child = "more";
    assert_ok(arne_builder_add_body(builder, &body, NULL));
    assert_ok(arne_builder_add_joint(builder, &joint, NULL));
    arne_robot *third = finish(builder, NULL);
    arne_builder_free(builder);

    assert_int_equal(arne_robot_sizes(first).v_count, 1);
    assert_int_equal(arne_robot_sizes(second).v_count, 7);
    assert_true(arne_robot_gravity(second).z == -1.62);
    assert_int_equal(arne_robot_sizes(third).v_count, 1);
    assert_int_equal(arne_robot_sizes(third).link_count, 3);
    assert_true(arne_total_mass(first) == 1 && arne_total_mass(second) == 2 &&
                arne_total_mass(third) == 3);
    arne_robot_free(first);
    arne_robot_free(second);
    arne_robot_free(third);
}

// R diag(moments) R^T + shift, as xx, yy, zz, xy, xz, yz.
static void turned_inertia(arne_mat3 R, arne_vec3 moments, double *out)
{
    const arne_mat3 D = {v3(moments.x, 0, 0), v3(0, moments.y, 0), v3(0, 0, moments.z)};
    const arne_mat3 J = m3_mul(R, m3_mul(D, m3_transpose(R)));
    const double    six[6] = {J.x.x, J.y.y, J.z.z, J.y.x, J.z.x, J.z.y};
    memcpy(out, six, sizeof six);
}

// One inertia said in three ways: about the centre of mass, about the origin, and in principal
// axes.
static void one_inertia_in_three_ways(void **unused)
{
    (void)unused;
    const arne_vec3 moments = {0.1, 0.2, 0.25}, c = {0.1, -0.2, 0.3};
    const double    m = 2;
    const arne_mat3 axes = m3_turn(v3(0.6, 0, 0.8), 0.7);
    const double    shift[6] = {m * (c.y * c.y + c.z * c.z),
                                m * (c.x * c.x + c.z * c.z),
                                m * (c.x * c.x + c.y * c.y),
                                -m * c.x * c.y,
                                -m * c.x * c.z,
                                -m * c.y * c.z};
    double          about_com[6];
    turned_inertia(axes, moments, about_com);

    for (int way = 0; way < 3; way++) {
        arne_builder  *builder = small_builder();
        arne_body_spec body = arne_body_spec_default();
        body.name = "link";
        body.mass = m;
        body.com = c;
        memcpy(body.inertia, about_com, sizeof about_com);
        for (int i = 0; i < 6 && way == 1; i++)
            body.inertia[i] += shift[i];
        body.about_origin = way == 1;
        if (way == 2) {
            const double diagonal[6] = {moments.x, moments.y, moments.z, 0, 0, 0};
            memcpy(body.inertia, diagonal, sizeof diagonal);
            body.inertia_axes = axes;
        }
        assert_ok(arne_builder_set_body(builder, &body, NULL));
        arne_robot           *robot = finish(builder, NULL);
        arne_work            *work = new_work(robot);
        const arne_frame_info link = arne_robot_frame(robot, arne_find_frame(robot, "link"));
        const double          q = 0.4, about_axis = about_com[2] + shift[2];
        double                M;
        arne_mass_matrix(robot, work, &q, &M);
        assert_close(NULL, "inertia about the centre of mass", link.inertia, about_com, 6, 1e-14);
        assert_same(NULL, "inertia about the axis", M, about_axis, 1e-14);
        arne_work_free(work);
        arne_robot_free(robot);
        arne_builder_free(builder);
    }
}

// The order of adding is the order of q where the tree allows it; a joint waits for those it hangs
// on.
static void order_of_joints(void **unused)
{
    (void)unused;
    static const char *const edges[][3] = {
        {"late", "b", "c"}, {"other", "a", "e"}, {"first", "a", "b"}, {"last", "c", "d"}};
    static const char *const links = "abcde", *const order[] = {"first", "late", "other", "last"};
    arne_builder *builder = NULL;

    assert_ok(arne_builder_new(&builder));
    for (const char *l = links; *l; l++) {
        const char     name[2] = {*l, 0};
        arne_body_spec body = arne_body_spec_default();
        body.name = name;
        body.mass = 1;
        assert_ok(arne_builder_add_body(builder, &body, NULL));
    }
    for (int i = 0; i < 4; i++) {
        arne_joint_spec joint = arne_joint_spec_default();
        joint.name = edges[i][0];
        joint.parent = edges[i][1];
        joint.child = edges[i][2];
        joint.origin.p.x = 1;
        assert_ok(arne_builder_add_joint(builder, &joint, NULL));
    }
    arne_robot *robot = finish(builder, NULL);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(arne_robot_joint(robot, i).name, order[i]);
        assert_int_equal(arne_robot_joint(robot, i).q_start, i);
        assert_int_equal(arne_find_joint(robot, order[i]), i);
    }
    for (int i = 0; i < 5; i++) {
        const char name[2] = {links[i], 0};
        assert_int_equal(arne_find_frame(robot, name), i);
    }
    assert_int_equal(arne_find_joint(robot, "nobody"), -1);
    assert_int_equal(arne_find_frame(robot, "nobody"), -1);
    arne_robot_free(robot);
    arne_builder_free(builder);
}

static void bad_settings_are_refused(void **unused)
{
    (void)unused;
    const arne_vec3          nowhere = {0, NAN, 0};
    const arne_build_options options = {.gravity = &nowhere}, base = {.base = (arne_base)9};
    arne_builder            *builder = small_builder();
    arne_robot              *robot = NULL;

    assert_status(arne_builder_set_gravity(builder, nowhere), ARNE_VALUE);
    assert_status(arne_builder_set_base(builder, (arne_base)9), ARNE_VALUE);
    assert_status(arne_builder_finish(builder, &options, &robot, NULL), ARNE_VALUE);
    assert_status(arne_builder_finish(builder, &base, &robot, NULL), ARNE_VALUE);
    arne_builder_free(builder);
}

static void null_arguments_of_the_builder(void **unused)
{
    (void)unused;
    const arne_place place = {NULL, 0};
    const double     inertia[6] = {0};
    const arne_vec3  o = {0, 0, 0};
    arne_builder    *b = small_builder();
    arne_robot      *robot = NULL;
    arne_body_spec   body = arne_body_spec_default();   // without a name
    arne_joint_spec  joint = arne_joint_spec_default(); // without names
    arne_error       error = {0};

#define REFUSED(call) assert_status(call, ARNE_NULL_ARGUMENT)
    REFUSED(arne_builder_new(NULL));
    REFUSED(arne_builder_set_name(NULL, "a"));
    REFUSED(arne_builder_set_name(b, NULL));
    REFUSED(arne_builder_add_body(NULL, &body, NULL));
    REFUSED(arne_builder_add_body(b, NULL, NULL));
    REFUSED(arne_builder_add_body(b, &body, &error));
    REFUSED(arne_builder_add_joint(NULL, &joint, NULL));
    REFUSED(arne_builder_add_joint(b, NULL, NULL));
    REFUSED(arne_builder_add_joint(b, &joint, NULL));
    REFUSED(arne_builder_add_frame(NULL, "a", "b", NULL, place, NULL));
    REFUSED(arne_builder_add_frame(b, NULL, "b", NULL, place, NULL));
    REFUSED(arne_builder_add_frame(b, "a", NULL, NULL, place, NULL));
    REFUSED(arne_builder_set_body(NULL, &body, NULL));
    REFUSED(arne_builder_set_body(b, NULL, NULL));
    REFUSED(arne_builder_set_joint(NULL, &joint, NULL));
    REFUSED(arne_builder_set_joint(b, NULL, NULL));
    REFUSED(arne_builder_set_inertia(NULL, "link", 1, o, inertia, 0, NULL));
    REFUSED(arne_builder_set_inertia(b, NULL, 1, o, inertia, 0, NULL));
    REFUSED(arne_builder_set_inertia(b, "link", 1, o, NULL, 0, NULL));
    REFUSED(arne_builder_get_body(NULL, "link", &body));
    REFUSED(arne_builder_get_body(b, NULL, &body));
    REFUSED(arne_builder_get_body(b, "link", NULL));
    REFUSED(arne_builder_get_joint(NULL, "joint", &joint));
    REFUSED(arne_builder_get_joint(b, NULL, &joint));
    REFUSED(arne_builder_get_joint(b, "joint", NULL));
    REFUSED(arne_builder_set_gravity(NULL, o));
    REFUSED(arne_builder_set_base(NULL, ARNE_BASE_FREE));
    REFUSED(arne_builder_warn(NULL, "axis", place, "text"));
    REFUSED(arne_builder_warn(b, NULL, place, "text"));
    REFUSED(arne_builder_warn(b, "axis", place, NULL));
    REFUSED(arne_builder_finish(NULL, NULL, &robot, NULL));
    REFUSED(arne_builder_finish(b, NULL, NULL, NULL));
    assert_int_equal(error.code, ARNE_NULL_ARGUMENT);
    joint.name = "joint"; // a joint without ends would have nothing to stand on
    REFUSED(arne_builder_set_joint(b, &joint, NULL));
    arne_builder_free(b);
    arne_builder_free(NULL);
}

static void null_arguments_of_readers(void **unused)
{
    (void)unused;
    arne_builder *b = small_builder();
    arne_robot   *robot = NULL;
    double        number;
    REFUSED(arne_robot_read(NULL, NULL, &robot, NULL));
    REFUSED(arne_robot_read("robot.urdf", NULL, NULL, NULL));
    REFUSED(arne_read(NULL, "robot.urdf", NULL));
    REFUSED(arne_read(b, NULL, NULL));
    REFUSED(arne_read_urdf(NULL, "", 0, "robot.urdf", NULL));
    REFUSED(arne_read_urdf(b, NULL, 0, "robot.urdf", NULL));
    REFUSED(arne_read_yaml(NULL, "", 0, "robot.yaml", NULL));
    REFUSED(arne_read_yaml(b, NULL, 0, "robot.yaml", NULL));
    REFUSED(arne_parse_number(NULL, &number));
    REFUSED(arne_parse_number("1", NULL));
    arne_builder_free(b);
}

static void null_arguments_of_algorithms(void **unused)
{
    (void)unused;
    arne_builder *b = small_builder();
    arne_robot   *robot = finish(b, NULL);
    arne_work    *work = new_work(robot), *none = NULL;
    double        x[1] = {0}, M[36] = {1};
    arne_target   target = {0};

    REFUSED(arne_work_new(NULL, &none));
    REFUSED(arne_work_new(robot, NULL));
    REFUSED(arne_factor(NULL, M, NULL));
    REFUSED(arne_factor(robot, NULL, NULL));
    REFUSED(arne_inverse_mass_matrix(NULL, work, x, M, NULL));
    REFUSED(arne_inverse_mass_matrix(robot, NULL, x, M, NULL));
    REFUSED(arne_inverse_mass_matrix(robot, work, NULL, M, NULL));
    REFUSED(arne_inverse_mass_matrix(robot, work, x, NULL, NULL));
    REFUSED(arne_operational_inertia(NULL, work, x, 0, ARNE_AXES_BODY, M, NULL));
    REFUSED(arne_operational_inertia(robot, NULL, x, 0, ARNE_AXES_BODY, M, NULL));
    REFUSED(arne_operational_inertia(robot, work, NULL, 0, ARNE_AXES_BODY, M, NULL));
    REFUSED(arne_operational_inertia(robot, work, x, 0, ARNE_AXES_BODY, NULL, NULL));
    REFUSED(arne_forward_dynamics(NULL, work, x, x, x, NULL, x, NULL));
    REFUSED(arne_forward_dynamics(robot, NULL, x, x, x, NULL, x, NULL));
    REFUSED(arne_forward_dynamics(robot, work, NULL, x, x, NULL, x, NULL));
    REFUSED(arne_forward_dynamics(robot, work, x, NULL, x, NULL, x, NULL));
    REFUSED(arne_forward_dynamics(robot, work, x, x, NULL, NULL, x, NULL));
    REFUSED(arne_forward_dynamics(robot, work, x, x, x, NULL, NULL, NULL));
    REFUSED(arne_forward_dynamics_matrix(NULL, work, x, x, x, NULL, x, NULL));
    REFUSED(arne_forward_dynamics_matrix(robot, NULL, x, x, x, NULL, x, NULL));
    REFUSED(arne_forward_dynamics_matrix(robot, work, NULL, x, x, NULL, x, NULL));
    REFUSED(arne_forward_dynamics_matrix(robot, work, x, NULL, x, NULL, x, NULL));
    REFUSED(arne_forward_dynamics_matrix(robot, work, x, x, NULL, NULL, x, NULL));
    REFUSED(arne_forward_dynamics_matrix(robot, work, x, x, x, NULL, NULL, NULL));
    REFUSED(arne_inverse_kinematics(NULL, work, &target, 1, NULL, x, NULL));
    REFUSED(arne_inverse_kinematics(robot, NULL, &target, 1, NULL, x, NULL));
    REFUSED(arne_inverse_kinematics(robot, work, NULL, 1, NULL, x, NULL));
    REFUSED(arne_inverse_kinematics(robot, work, &target, 1, NULL, NULL, NULL));
    arne_work_free(work);
    arne_work_free(NULL);
    arne_robot_free(robot);
    arne_robot_free(NULL);
    arne_builder_free(b);
}

// A joint with nothing behind it has no acceleration that torques would explain: direct dynamics
// names it.
static void singular_mass_matrix_names_the_joint(void **unused)
{
    (void)unused;
    arne_builder   *builder = small_builder();
    arne_body_spec  body = arne_body_spec_default();
    arne_joint_spec joint = arne_joint_spec_default();
    const double    zero[2] = {0};
    double          qdd[2], M[4];
    arne_error      error = {0};

    body.name = "feather";
    joint.name = "idle";
    joint.parent = "link";
    joint.child = "feather";
    assert_ok(arne_builder_add_body(builder, &body, NULL));
    assert_ok(arne_builder_add_joint(builder, &joint, NULL));
    arne_robot *robot = finish(builder, NULL);
    arne_work  *work = new_work(robot);
    assert_status(arne_forward_dynamics(robot, work, zero, zero, zero, NULL, qdd, &error),
                  ARNE_SINGULAR);
    assert_non_null(strstr(error.text, "idle"));
    memset(&error, 0, sizeof error);
    assert_status(arne_forward_dynamics_matrix(robot, work, zero, zero, zero, NULL, qdd, &error),
                  ARNE_SINGULAR);
    assert_non_null(strstr(error.text, "idle"));
    assert_status(arne_inverse_mass_matrix(robot, work, zero, M, NULL), ARNE_SINGULAR);
    arne_mass_matrix(robot, work, zero, M);
    assert_status(arne_factor(robot, M, NULL), ARNE_SINGULAR);
    arne_work_free(work);
    arne_robot_free(robot);
    arne_builder_free(builder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(specs_can_be_read_back_and_replaced),
        cmocka_unit_test(the_first_of_a_name_is_found),
        cmocka_unit_test(many_joints_are_found_fast),
        cmocka_unit_test(finish_more_than_once),
        cmocka_unit_test(one_inertia_in_three_ways),
        cmocka_unit_test(order_of_joints),
        cmocka_unit_test(bad_settings_are_refused),
        cmocka_unit_test(null_arguments_of_the_builder),
        cmocka_unit_test(null_arguments_of_readers),
        cmocka_unit_test(null_arguments_of_algorithms),
        cmocka_unit_test(singular_mass_matrix_names_the_joint),
    };
    return cmocka_run_group_tests_name("builder's store", tests, NULL, NULL);
}
