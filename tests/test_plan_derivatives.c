// Every quantity of a plan on many robots: derivatives against the complex step and differences;
// and the robot that is planned moves as the robot of the file does.
#include "base/random.h"
#include "plan/problem/plan_jet.h"
#include "plan/problem/split_joints.h"
#include "planning.h"
#include "testing.h"

#include <stdio.h>

enum { MOST = 160 };

// One joint of every kind that has several coordinates, and a helical one.
static const char joints[] =
    "name: joints\n"
    "bodies:\n"
    "  - {name: ground}\n"
    "  - {name: a, mass: 2, com: [0.1, 0, 0.2], inertia: [0.02, 0.03, 0.04, 0, 0, 0]}\n"
    "  - {name: b, mass: 1, com: [0, 0.1, 0.1], inertia: [0.02, 0.03, 0.03, 0.001, 0, 0]}\n"
    "  - {name: c, mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.02, 0.02, 0, 0, 0]}\n"
    "  - {name: d, mass: 1, com: [0, 0, 0.1], inertia: [0.02, 0.02, 0.01, 0, 0, 0]}\n"
    "  - {name: e, mass: 1, com: [0, 0.1, 0], inertia: [0.02, 0.01, 0.02, 0, 0, 0]}\n"
    "joints:\n"
    "  - {name: table, kind: planar, parent: ground, child: a, axis: [0.6, 0, 0.8], origin: {xyz: "
    "[0, 0, 1]}}\n"
    "  - {name: hip, kind: ball, parent: a, child: b, origin: {xyz: [0.1, 0.2, 0], rpy: [0.3, 0, "
    "0]}}\n"
    "  - {name: cross, kind: universal, parent: b, child: c, origin: {xyz: [0, 0, 0.3]}}\n"
    "  - {name: bolt, kind: helical, parent: c, child: d, pitch: 0.05, axis: [0, 0, 1], origin: "
    "{xyz: [0.2, 0, 0]}}\n"
    "  - {name: fly, kind: free, parent: a, child: e, origin: {xyz: [0, 0, 0.5]}}\n";

// A robot for planning from a file of robots/.
static arne_robot *planning_robot(const char *name, arne_base base, arne_robot **shown)
{
    const arne_build_options options = {.base = base};
    char                     path[512];
    arne_builder            *builder = NULL;
    arne_robot              *robot = NULL;
    arne_error               error = {0};
    snprintf(path, sizeof path, "%s/%s.yaml", ARNE_ROBOTS_DIR, name);
    assert_int_equal(arne_builder_new(&builder), ARNE_OK);
    arne_status status = strcmp(name, "joints") == 0
                             ? arne_read_yaml(builder, joints, strlen(joints), name, &error)
                             : arne_read(builder, path, &error);
    if (!status) status = arne_builder_finish(builder, &options, shown, &error);
    if (!status) status = arne_planning_robot(builder, &options, &robot, &error);
    if (status) fail_msg("%s: %s", path, error.text);
    arne_builder_free(builder);
    return robot;
}

static void add_row(arne_plan *plan, const arne_quantity *what)
{
    int          quantity = 0;
    const double low = -1e9, high = 1e9;
    arne_error   error = {0};
    if (arne_plan_add_quantity(plan, what, &quantity, &error) != ARNE_OK)
        fail_msg("%s", error.text);
    const arne_constraint c = {
        .quantity = quantity, .row_count = 1, .lower = &low, .upper = &high, .to = 1, .other = -1};
    assert_int_equal(arne_plan_add_constraint(plan, &c, NULL), ARNE_OK);
}

// All kinds, on frames and joints at the far end of the robot.
static void add_all(arne_plan *plan, const arne_robot *robot)
{
    static const arne_vec3 corners[3] = {{-9, -9, 0}, {9, -9, 0}, {0, 9, 0}};
    const arne_sizes       size = arne_robot_sizes(robot);
    double                 reference[MOST] = {0.1, 0.2};
    for (int kind = 0; kind < ARNE_QUANTITY_KIND_COUNT; kind++) {
        if (kind == ARNE_QUANTITY_CONTACT_FORCE || kind == ARNE_QUANTITY_ACTIVATION ||
            kind == ARNE_QUANTITY_METABOLIC_POWER)
            continue; // there is no contact, and no muscle: test_plan_contact.c, test_plan_muscle.c
        if (kind == ARNE_QUANTITY_TORQUE_VECTOR && size.loop_count) continue;
        const arne_quantity what = {
            .kind = (arne_quantity_kind)kind,
            .joint = size.joint_count - 1,
            .frame = size.link_count - 1,
            .other_frame = size.link_count / 2,
            .point = {0.1, 0.2, -0.1},
            .other_point = {-0.3, 0.1, 0.2},
            .target = {{{0.36, 0.48, -0.8}, {-0.8, 0.6, 0}, {0.48, 0.64, 0.6}}, {0, 0, 0}},
            .corners = corners,
            .corner_count = 3,
            .reference = reference,
            .reference_count = 1};
        const int ground = kind == ARNE_QUANTITY_ZMP || kind == ARNE_QUANTITY_ZMP_INSIDE;
        if (ground && arne_robot_gravity(robot).z == 0) continue;
        add_row(plan, &what);
    }
}

static void add_objectives(arne_plan *plan)
{
    static const double               one[1] = {0.7};
    static const arne_quantity_kind   kinds[3] = {ARNE_QUANTITY_TORQUE, ARNE_QUANTITY_JERK,
                                                  ARNE_QUANTITY_POWER};
    static const arne_objective_shape shapes[3] = {ARNE_OBJECTIVE_SQUARE, ARNE_OBJECTIVE_SQUARE,
                                                   ARNE_OBJECTIVE_ABSOLUTE};
    for (int i = 0; i < 3; i++) {
        const arne_objective o = {.quantity = plan_quantity_of(plan, kinds[i]),
                                  .row_count = 1,
                                  .weights = one,
                                  .shape = shapes[i],
                                  .smooth = 0.5,
                                  .at = i == 1 ? 0.3 : -1};
        assert_int_equal(arne_plan_add_objective(plan, &o, NULL), ARNE_OK);
    }
    arne_plan_add_time(plan, 0.3);
}

static void say(void *context, const char *quantity, const char *against, double first,
                double second)
{
    const char *name = context;
    const int   exact = strcmp(against, "complex step") == 0;
    if (!(first < (exact ? 1e-10 : 1e-7) && second < 1e-4))
        fail_msg("%s: %s: %g, %g", name, quantity, first, second);
}

static void check_robot(const char *name, arne_base base)
{
    const arne_plan_options options = {.degree = 5,
                                       .control_points = 8,
                                       .time = 1.3,
                                       .time_least = 0.1,
                                       .time_most = 9,
                                       .grid_points = 4};
    arne_robot             *shown = NULL, *robot = planning_robot(name, base, &shown);
    arne_plan              *plan = NULL;
    double                  worst = 0;
    char                    label[64];
    arne_error              error = {0};
    assert_int_equal(arne_plan_new(robot, &options, &plan, &error), ARNE_OK);
    const int loops = arne_robot_sizes(robot).loop_count;
    for (int j = 0; !loops && j < arne_robot_sizes(robot).v_count; j++)
        arne_plan_start_line(plan, j, 0.2 + 0.1 * (j % 5), 1.1 - 0.2 * (j % 3));
    snprintf(label, sizeof label, "%s", name);
    add_all(plan, robot);
    add_objectives(plan);
    const double polynomial[3] = {0.1, 0.2, -0.3};
    if (!loops)
        assert_int_equal(arne_plan_prescribe(plan, 0, polynomial, 3, 0.2, 3, 0.5, &error), ARNE_OK);
    if (arne_plan_check_derivatives(plan, say, label, &worst, &error) != ARNE_OK)
        fail_msg("%s: %s", name, error.text);
    arne_plan_free(plan);
    arne_robot_free(robot);
    arne_robot_free(shown);
}

// A callback whose gradient is right, or wrong in one entry.
static int bent(void *context, double u, const double *z, double *value, double *gradient)
{
    (void)u;
    *value = sin(z[0]) + z[1] * z[3];
    if (!gradient) return 0;
    gradient[0] = cos(z[0]);
    gradient[1] = z[3];
    gradient[3] = z[1] + *(const double *)context;
    return 0;
}

// Which is what the check is for.
static void wrong_derivatives_are_found(void **unused)
{
    (void)unused;
    const arne_plan_options options = {.control_points = 8, .time = 1};
    static const double     low = -9, high = 9;
    for (int wrong = 0; wrong < 2; wrong++) {
        double      by = 0.01 * wrong, worst = 0;
        int         quantity = 0;
        arne_robot *robot = read_robot("planar_2r", NULL);
        arne_plan  *plan = NULL;
        arne_error  error = {0};
        assert_ok(arne_plan_new(robot, &options, &plan, &error));
        assert_ok(arne_plan_add_callback(plan, "bent", 1, bent, &by, &quantity, NULL));
        const arne_constraint c = {.name = "bent",
                                   .quantity = quantity,
                                   .row_count = 1,
                                   .lower = &low,
                                   .upper = &high,
                                   .to = 1,
                                   .other = -1};
        assert_ok(arne_plan_add_constraint(plan, &c, NULL));
        arne_plan_start_line(plan, 0, 0.2, 1);
        arne_plan_start_line(plan, 1, 0.3, 0.7);
        arne_plan_add_time(plan, 1);
        assert_ok_or(arne_plan_check_derivatives(plan, NULL, NULL, &worst, &error), &error);
        if (wrong ? !(worst > 2e-3) : !(worst < 1e-5)) fail_msg("%d: %g", wrong, worst);
        arne_plan_free(plan);
        arne_robot_free(robot);
    }
}

// A function that a jet stands for, to second order, at a step from where it was taken.
static double jet_at(const jet *f, const double *step)
{
    double sum = f->v;
    for (int i = 0; i < JET_SIZE; i++) {
        sum += f->g[i] * step[i];
        for (int k = 0; k < JET_SIZE; k++)
            sum += 0.5 * f->h[i][k] * step[i] * step[k];
    }
    return sum;
}

static jet random_jet(rng *r)
{
    jet f = {.v = rng_uniform(r, 1, 2)};
    for (int i = 0; i < JET_SIZE; i++) {
        f.g[i] = rng_uniform(r, -1, 1);
        for (int k = 0; k <= i; k++)
            f.h[i][k] = f.h[k][i] = rng_uniform(r, -1, 1);
    }
    return f;
}

// Sums, products and quotients of jets are those of the functions, up to third order.
static void jets_are_functions(void **unused)
{
    (void)unused;
    rng r = rng_seed(4);
    for (int trial = 0; trial < 50; trial++) {
        const jet a = random_jet(&r), b = random_jet(&r);
        const jet sum = jet_sum(2, &a, -3, &b), product = jet_product(&a, &b),
                  quotient = jet_quotient(&a, &b);
        double step[JET_SIZE], size = 0;
        for (int i = 0; i < JET_SIZE; i++) {
            step[i] = rng_uniform(&r, -1e-4, 1e-4);
            size += fabs(step[i]);
        }
        const double x = jet_at(&a, step), y = jet_at(&b, step), off = 50 * size * size * size;
        assert_true(fabs(jet_at(&sum, step) - (2 * x - 3 * y)) < 1e-15 * 50);
        assert_true(fabs(jet_at(&product, step) - x * y) < off + 1e-14);
        assert_true(fabs(jet_at(&quotient, step) - x / y) < off + 1e-14);
    }
}

static void arms(void **unused)
{
    (void)unused;
    check_robot("arm6", ARNE_BASE_DEFAULT);
    check_robot("arm7_gripper", ARNE_BASE_DEFAULT); // with a mimic joint
    check_robot("scara", ARNE_BASE_DEFAULT);
}

static void moving_bases(void **unused)
{
    (void)unused;
    check_robot("arm6", ARNE_BASE_FREE);
    check_robot("planar_2r", ARNE_BASE_PRESCRIBED);
    check_robot("joints", ARNE_BASE_FREE);
}

// The independent active joints are planned, the others follow.
static void closed_loops(void **unused)
{
    (void)unused;
    check_robot("five_bar", ARNE_BASE_DEFAULT);
    check_robot("slider_crank", ARNE_BASE_DEFAULT);
    check_robot("palletiser", ARNE_BASE_DEFAULT);
}

// ---- the planned robot and the shown one

static double frame_gap(const arne_robot *a, arne_work *wa, const arne_robot *b, arne_work *wb,
                        const char *name)
{
    const int         i = arne_find_frame(a, name), k = arne_find_frame(b, name);
    const arne_pose   X = arne_frame_pose(a, wa, i), Y = arne_frame_pose(b, wb, k);
    const arne_motion v = arne_frame_velocity(a, wa, i, ARNE_AXES_ALIGNED),
                      w = arne_frame_velocity(b, wb, k, ARNE_AXES_ALIGNED);
    const arne_motion f = arne_frame_acceleration(a, wa, i, ARNE_AXES_ALIGNED,
                                                  ARNE_ACCELERATION_CLASSICAL),
                      g = arne_frame_acceleration(b, wb, k, ARNE_AXES_ALIGNED,
                                                  ARNE_ACCELERATION_CLASSICAL);
    const double gaps[] = {X.p.x - Y.p.x,     X.p.y - Y.p.y,     X.p.z - Y.p.z,
                           X.R.x.x - Y.R.x.x, X.R.x.y - Y.R.x.y, X.R.y.z - Y.R.y.z,
                           v.lin.x - w.lin.x, v.lin.y - w.lin.y, v.lin.z - w.lin.z,
                           v.ang.x - w.ang.x, v.ang.y - w.ang.y, v.ang.z - w.ang.z,
                           f.lin.x - g.lin.x, f.lin.y - g.lin.y, f.lin.z - g.lin.z,
                           f.ang.x - g.ang.x, f.ang.y - g.ang.y, f.ang.z - g.ang.z};
    double       most = 0;
    for (size_t i2 = 0; i2 < sizeof gaps / sizeof *gaps; i2++)
        most = fmax(most, fabs(gaps[i2]));
    return most;
}

static void same_motion(const char *name, arne_base base)
{
    arne_robot      *shown = NULL, *planned = planning_robot(name, base, &shown);
    arne_work       *wp = NULL, *ws = NULL;
    const arne_sizes size = arne_robot_sizes(planned), to = arne_robot_sizes(shown);
    double           z[3][MOST], q[MOST] = {0}, qd[MOST] = {0}, qdd[MOST] = {0}, tau[2][MOST],
                       power[2] = {0, 0};
    uint64_t seed = 11;
    assert_int_equal(arne_work_new(planned, &wp), ARNE_OK);
    assert_int_equal(arne_work_new(shown, &ws), ARNE_OK);
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < size.v_count; j++)
            z[k][j] = random_between(&seed, -1, 1);
    plan_show(planned, z[0], z[1], z[2], shown, ws, q, qd, qdd);
    arne_kinematics(planned, wp, z[0], z[1], z[2]);
    arne_kinematics(shown, ws, q, qd, qdd);
    for (int i = 0; i < to.frame_count; i++)
        assert_true(frame_gap(shown, ws, planned, wp, arne_robot_frame(shown, i).name) < 1e-12);
    if (base == ARNE_BASE_PRESCRIBED)
        goto end; // who moves the base does work that the shown robot does not count
    arne_inverse_dynamics(planned, wp, z[0], z[1], z[2], NULL, tau[0]);
    arne_inverse_dynamics(shown, ws, q, qd, qdd, NULL, tau[1]);
    for (int j = 0; j < size.v_count; j++)
        power[0] += tau[0][j] * z[1][j];
    for (int j = 0; j < to.v_count; j++)
        power[1] += tau[1][j] * qd[j];
    assert_true(fabs(power[0] - power[1]) < 1e-10 * fmax(1, fabs(power[0])));
end:
    arne_work_free(wp);
    arne_work_free(ws);
    arne_robot_free(planned);
    arne_robot_free(shown);
}

static void planned_and_shown(void **unused)
{
    (void)unused;
    same_motion("quadruped", ARNE_BASE_DEFAULT);
    same_motion("humanoid", ARNE_BASE_FREE);
    same_motion("arm6", ARNE_BASE_PRESCRIBED);
    same_motion("gantry", ARNE_BASE_DEFAULT);
    same_motion("joints", ARNE_BASE_FREE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(wrong_derivatives_are_found),
                                       cmocka_unit_test(jets_are_functions),
                                       cmocka_unit_test(arms),
                                       cmocka_unit_test(moving_bases),
                                       cmocka_unit_test(closed_loops),
                                       cmocka_unit_test(planned_and_shown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
