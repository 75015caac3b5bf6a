// The regressor (torques are linear in the inertial parameters) and base parameters (the linear
// combinations of them that torques depend on).
#include "testing.h"

#include "losses.h"
#include "reference.h"

#include <stdlib.h>
#include <string.h>

static double *numbers(int count)
{
    double *x = calloc((size_t)count + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

static void add_springs(const state *s, double *tau)
{
    double hold[MAX_V];
    spring_torque(s->robot, s->q, s->qd, hold);
    for (int k = 0; k < s->size.v_count; k++)
        tau[k] += hold[k];
}

static int find_parameter(const arne_robot *robot, const char *wanted)
{
    char name[256];
    for (int i = 0; i < arne_parameter_count(robot); i++) {
        arne_parameter_name(robot, i, name, sizeof name);
        if (!strcmp(name, wanted)) return i;
    }
    fail_msg("there is no parameter '%s'", wanted);
    return -1;
}

// --- the regressor -------------------------------------------------------------------------------

static void torques_are_linear(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work) {
        const int count = arne_parameter_count(robot);
        double   *Y = numbers(MAX_V * count), *pi = numbers(count), tau[MAX_V], ours[MAX_V];
        arne_parameters(robot, pi);
        EACH_STATE (s, robot, work) {
            arne_inverse_dynamics(robot, work, s.q, s.qd, s.qdd, NULL, tau);
            arne_regressor(robot, work, s.q, s.qd, s.qdd, Y);
            multiply(Y, pi, s.size.v_count, count, ours);
            add_springs(&s, ours);
            assert_close(&s, "Y pi", ours, tau, s.size.v_count, 1e-10);
        }
        free(Y);
        free(pi);
    }
}

// Each column is the change of the torques when its parameter (mass, inertia, friction) grows.
static void columns_are_payloads(void **unused)
{
    (void)unused;
    EACH_ROBOT_OF (robot, work, TEST_PART > 1 ? 20 : 100) {
        const int count = arne_parameter_count(robot),
                  last = arne_robot_sizes(robot).joint_count - 1;
        if (last < 0) continue;
        const int          link = arne_robot_joint(robot, last).child;
        const arne_payload payload = {0.7, {0.1, -0.2, 0.3}, {0.3, 0.31, 0.29, 0.02, -0.01, 0.03}};
        double     *Y = numbers(MAX_V * count), *pi = numbers(count), tau[MAX_V], ours[MAX_V];
        arne_robot *loaded = NULL;
        assert_ok(arne_robot_attach(robot, link, &payload, &loaded, NULL));
        arne_parameters(loaded, pi);
        EACH_STATE (s, robot, work) {
            arne_regressor(robot, work, s.q, s.qd, s.qdd, Y);
            arne_inverse_dynamics(loaded, work, s.q, s.qd, s.qdd, NULL, tau);
            multiply(Y, pi, s.size.v_count, count, ours);
            add_springs(&s, ours);
            assert_close(&s, "Y of another pi", ours, tau, s.size.v_count, 1e-10);
        }
        arne_robot_free(loaded);
        free(Y);
        free(pi);
    }
}

// Friction has its own columns, also where this robot has none: both directions, and nothing at
// rest.
static void friction_columns(void **unused)
{
    (void)unused;
    arne_robot  *robot = read_robot("planar_2r", NULL);
    arne_work   *work = new_work(robot);
    const int    count = arne_parameter_count(robot), joints = 2, at = 10 * joints;
    const double q[2] = {0.3, 0.4}, qd[2] = {2, -3}, qdd[2] = {5, 7}, still[2] = {0, 0};
    double      *Y = numbers(2 * count);
    const double wanted[2][8] = {{2, 1, 0, 0, 0, 0, 5, 0}, {0, 0, 0, -3, 0, -1, 0, 7}};
    assert_int_equal(count, 14 * joints);
    arne_regressor(robot, work, q, qd, qdd, Y);
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < 8; c++)
            assert_true(Y[i * count + at + c] == wanted[i][c]);
    arne_regressor(robot, work, q, still, qdd, Y);
    for (int c = 0; c < 6; c++)
        assert_true(Y[at + c] == 0 && Y[count + at + c] == 0);
    free(Y);
    arne_work_free(work);
    arne_robot_free(robot);
}

// The reference's regressor in our order of joints, 10 columns each.
static void compare_state(const reference *r, const json *at, int joints)
{
    const state s = state_of(r, at);
    const int   count = arne_parameter_count(r->robot), theirs_count = 10 * joints;
    double     *Y = numbers(r->nv * count), *theirs = numbers(r->nv * theirs_count);
    arne_regressor(r->robot, r->work, s.q, s.qd, s.qdd, Y);
    json_numbers(json_get(at, "regressor"), theirs, r->nv * theirs_count);
    for (int j = 0; j < joints; j++) {
        const int ours = our_joint(r, json_at(json_get(r->file, "joints"), j));
        for (int i = 0; i < r->nv; i++)
            assert_close(&s, "regressor", Y + i * count + 10 * ours,
                         theirs + r->v_from[i] * theirs_count + 10 * j, 10, 1e-9);
    }
    free(Y);
    free(theirs);
}

static void reference_regressor(void **name)
{
    reference   r = reference_open((const char *)*name);
    const json *joints = json_get(r.file, "joints"), *states = json_get(r.file, "states");
    const int   count = json_count(joints);
    const state none = {.robot = r.robot};
    double     *pi = numbers(arne_parameter_count(r.robot)), *theirs = numbers(10 * count);

    arne_parameters(r.robot, pi);
    json_numbers(json_get(r.file, "dynamic_parameters"), theirs, 10 * count);
    for (int j = 0; j < count; j++)
        assert_close(&none, "dynamic parameters", pi + 10 * our_joint(&r, json_at(joints, j)),
                     theirs + 10 * j, 10, 1e-9);
    for (int i = 0; i < json_count(states); i++)
        if (json_find(json_at(states, i), "regressor"))
            compare_state(&r, json_at(states, i), count);
    free(pi);
    free(theirs);
    reference_close(&r);
}

// --- base parameters -----------------------------------------------------------------------------

static void check_base_torques(const arne_robot *robot, arne_work *work, const arne_base_set *set)
{
    const int count = set->parameter_count;
    double   *Y = numbers(MAX_V * count), *pi = numbers(count), *beta = numbers(set->rank);
    arne_parameters(robot, pi);
    arne_base_values(set, pi, beta);
    for (uint64_t seed = 1; seed < 4; seed++) {
        state  s = random_state(robot, seed);
        double tau[MAX_V], ours[MAX_V] = {0};
        state_set_base(&s, work);
        if (arne_robot_base(robot) == ARNE_BASE_FIXED) state_stop_base(&s, work);
        arne_inverse_dynamics(robot, work, s.q, s.qd, s.qdd, NULL, tau);
        arne_regressor(robot, work, s.q, s.qd, s.qdd, Y);
        for (int i = 0; i < s.size.v_count; i++)
            for (int k = 0; k < set->rank; k++)
                ours[i] += Y[i * count + set->kept[k]] * beta[k];
        add_springs(&s, ours);
        assert_close(&s, "torques of base parameters", ours, tau, s.size.v_count, 1e-10);
    }
    free(Y);
    free(pi);
    free(beta);
}

static void base_parameters_are_enough(void **unused)
{
    (void)unused;
    EACH_ROBOT_OF (robot, work, TEST_PART > 1 ? 40 : 200) {
        arne_base_set *set, *other;
        assert_ok(arne_base_set_new(robot, work, ARNE_PARAMETERS_ALL, 1, &set, NULL));
        assert_ok(arne_base_set_new(robot, work, ARNE_PARAMETERS_ALL, 12345, &other, NULL));
        assert_int_equal(set->rank, other->rank);
        for (int i = 0; i < set->rank; i++)
            assert_int_equal(set->kept[i], other->kept[i]);
        check_base_torques(robot, work, set);
        arne_base_set_free(set);
        arne_base_set_free(other);
    }
}

static int rank_of(const char *name, int kinds)
{
    arne_robot    *robot = read_robot(name, NULL);
    arne_work     *work = new_work(robot);
    arne_base_set *set;
    assert_ok(arne_base_set_new(robot, work, kinds, 7, &set, NULL));
    const int rank = set->rank;
    arne_base_set_free(set);
    arne_work_free(work);
    arne_robot_free(robot);
    return rank;
}

// A general arm of six revolute joints has 36 on a base that stands still, where the first axis is
// vertical (Mayeda, Yoshida and Osuka 1990: 7 n - 4 beta_1 - 2 with beta_1 = 1 parallel joint at
// the base); the Puma's second and third axes are parallel. Friction has three for each joint, and
// rotors one more where no link takes them over.
static void known_ranks(void **unused)
{
    (void)unused;
    assert_int_equal(rank_of("puma560", ARNE_PARAMETERS_INERTIAL), 36);
    assert_int_equal(rank_of("puma560", ARNE_PARAMETERS_FRICTION), 18);
    assert_int_equal(rank_of("puma560", ARNE_PARAMETERS_INERTIAL | ARNE_PARAMETERS_FRICTION), 54);
    assert_int_equal(rank_of("planar_2r", ARNE_PARAMETERS_ROTOR), 2);
}

// A planar arm without weight, whose link frames are at the far ends, 0.4 m from the joints: the
// first link is felt as its inertia about the first axis, with the mass of the second at its end.
static void planar_groups(void **unused)
{
    static const struct {
        const char *kept, *member;
        double      factor;
    } all[] = {{"link1.Izz", "link1.Izz", 1},  {"link1.Izz", "link1.mcx", 0.8},
               {"link1.Izz", "link1.m", 0.16}, {"link1.Izz", "link2.m", 0.16},
               {"link2.mcx", "link2.mcx", 1},  {"link2.mcx", "link2.m", 0.4},
               {"link2.mcy", "link2.mcy", 1},  {"link2.Izz", "link2.Izz", 1},
               {"link2.Izz", "link2.m", -0.16}};
    (void)unused;
    arne_robot    *robot = read_robot("planar_2r", NULL);
    arne_work     *work = new_work(robot);
    const int      count = arne_parameter_count(robot);
    arne_base_set *set;
    double        *wanted = numbers(4 * count);
    const state    none = {.robot = robot};
    assert_ok(arne_base_set_new(robot, work, ARNE_PARAMETERS_INERTIAL, 3, &set, NULL));
    assert_int_equal(set->rank, 4);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const int kept = find_parameter(robot, all[i].kept);
        int       row = 0;
        while (row < 4 && set->kept[row] != kept)
            row++;
        assert_int_not_equal(row, 4);
        wanted[row * count + find_parameter(robot, all[i].member)] = all[i].factor;
    }
    assert_close(&none, "grouping", set->grouping, wanted, 4 * count, 1e-12);
    free(wanted);
    arne_base_set_free(set);
    arne_work_free(work);
    arne_robot_free(robot);
}

static void bad_arguments(void **unused)
{
    (void)unused;
    arne_robot    *robot = read_robot("planar_2r", NULL), *form;
    arne_work     *work = new_work(robot);
    arne_base_set *set;
    arne_error     error;
    char           name[4];
    assert_status(arne_base_set_new(robot, NULL, 1, 1, &set, &error), ARNE_NULL_ARGUMENT);
    assert_status(arne_base_set_new(robot, work, 0, 1, &set, &error), ARNE_VALUE);
    assert_status(arne_base_set_new(robot, work, 8, 1, &set, &error), ARNE_VALUE);
    assert_null(set);
    assert_status(arne_robot_base_form(NULL, &form, &error), ARNE_NULL_ARGUMENT);
    assert_null(form);
    assert_true(arne_parameter_name(robot, 0, name, sizeof name) > 3);
    assert_int_equal(strlen(name), 3);
    arne_base_set_free(NULL);
    arne_work_free(work);
    arne_robot_free(robot);
}

// --- the base form -------------------------------------------------------------------------------

static void compare_forms(const arne_robot *robot, const arne_robot *form, arne_work *work,
                          arne_work *own)
{
    EACH_STATE (s, robot, work) {
        const int n = s.size.v_count;
        double    wanted[MAX_V], tau[MAX_V], *M = numbers(n * n), *N = numbers(n * n);
        state_set_base(&s, own);
        arne_inverse_dynamics(robot, work, s.q, s.qd, s.qdd, s.f_ext, wanted);
        arne_inverse_dynamics(form, own, s.q, s.qd, s.qdd, s.f_ext, tau);
        assert_close(&s, "torques of the base form", tau, wanted, n, 1e-10);
        arne_gravity(robot, work, s.q, wanted);
        arne_gravity(form, own, s.q, tau);
        assert_close(&s, "its gravity", tau, wanted, n, 1e-10);
        arne_mass_matrix(robot, work, s.q, M);
        arne_mass_matrix(form, own, s.q, N);
        assert_close(&s, "its mass matrix", N, M, n * n, 1e-10);
        free(M);
        free(N);
    }
}

static int zeros(const arne_robot *robot)
{
    const int count = arne_parameter_count(robot);
    double   *pi = numbers(count);
    int       found = 0;
    arne_parameters(robot, pi);
    for (int i = 0; i < count; i++)
        found += pi[i] == 0;
    free(pi);
    return found;
}

static int splines_follow_followers(const arne_robot *robot)
{
    int found = 0;
    for (int i = 0; i < arne_robot_sizes(robot).joint_count; i++) {
        arne_follow f[16];
        const int   count = arne_joint_functions(robot, i, f, 16);
        for (int k = 0; k < count && k < 16; k++)
            found |= f[k].function.kind == ARNE_FUNCTION_SPLINE &&
                     !arne_robot_joint(robot, f[k].with).q_count;
    }
    return found;
}

// A spline whose points random positions hardly meet: between them it is far from straight.
static const char NARROW[] =
    "bodies:\n"
    "  - {name: base}\n"
    "  - {name: a, mass: 2, com: [0.1, 0.02, 0.03], inertia: [0.01, 0.02, 0.03]}\n"
    "  - {name: b, mass: 3, com: [0.1, 0.2, 0.03], inertia: [0.03, 0.02, 0.04]}\n"
    "joints:\n"
    "  - {name: slide, kind: prismatic, parent: base, child: a, axis: [0, 0, 1]}\n"
    "  - {name: turn, kind: revolute, parent: a, child: b, axis: [1, 0, 0], follows: {joint: "
    "slide,\n"
    "     spline: {x: [0, 0.002, 0.004, 0.006], y: [0, 0.3, -0.4, 0.1]}}}\n";

static void base_form_meets_narrow_splines(void **unused)
{
    arne_builder *b = NULL;
    arne_robot   *form;
    (void)unused;
    assert_ok(arne_builder_new(&b));
    assert_ok(arne_read_text(b, NARROW, strlen(NARROW), "narrow.yaml", NULL));
    arne_robot *robot = finish(b, NULL);
    assert_ok(arne_robot_base_form(robot, &form, NULL));
    arne_work *work = new_work(robot), *own = new_work(form);
    for (int k = 0; k < 60; k++) {
        state  s = random_state(robot, (uint64_t)k);
        double wanted[MAX_V], tau[MAX_V];
        s.q[0] = 1e-4 * k;
        arne_inverse_dynamics(robot, work, s.q, s.qd, s.qdd, NULL, wanted);
        arne_inverse_dynamics(form, own, s.q, s.qd, s.qdd, NULL, tau);
        assert_close(&s, "torques within narrow splines", tau, wanted, 1, 1e-10);
    }
    arne_work_free(work);
    arne_work_free(own);
    arne_robot_free(robot);
    arne_robot_free(form);
    arne_builder_free(b);
}

static void base_form_has_the_same_torques(void **unused)
{
    (void)unused;
    EACH_ROBOT_OF (robot, work, TEST_PART > 1 ? 40 : 200) {
        arne_robot *form;
        if (splines_follow_followers(robot)) {
            assert_status(arne_robot_base_form(robot, &form, NULL), ARNE_UNSUPPORTED);
            assert_null(form);
            continue;
        }
        assert_ok(arne_robot_base_form(robot, &form, NULL));
        arne_work *own = new_work(form);
        compare_forms(robot, form, work, own);
        arne_work_free(own);
        arne_robot_free(form);
    }
    arne_robot *puma = read_robot("puma560", NULL), *form;
    assert_ok(arne_robot_base_form(puma, &form, NULL));
    assert_true(zeros(form) > zeros(puma));
    arne_robot_free(puma);
    arne_robot_free(form);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(torques_are_linear),
        cmocka_unit_test(columns_are_payloads),
        cmocka_unit_test(friction_columns),
        REFERENCE("ur5", reference_regressor),
        REFERENCE("stanford", reference_regressor),
        REFERENCE("chain10", reference_regressor),
        REFERENCE("hyq", reference_regressor),
        REFERENCE("anymal_b", reference_regressor),
        cmocka_unit_test(base_parameters_are_enough),
        cmocka_unit_test(known_ranks),
        cmocka_unit_test(planar_groups),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(base_form_has_the_same_torques),
        cmocka_unit_test(base_form_meets_narrow_splines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
