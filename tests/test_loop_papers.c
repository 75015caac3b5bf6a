// Closed chains of Khalil 2010, section 4, in tests/data: torques to 1e-9, accelerations to 1e-8.
#include "testing.h"

#include "closed.h"
#include "json.h"

#include <stdio.h>

typedef struct example {
    arne_robot     *robot;
    arne_work      *work;
    arne_loop_work *loop;
    int             n, free_count;
} example;

static int lists(const json *list, int number)
{
    for (int i = 0; i < json_count(list); i++)
        if (json_integer(json_at(list, i)) == number) return 1;
    return 0;
}

static void add_joint(arne_builder *builder, const json *mechanism, int i)
{
    static const char *const keys[] = {"gamma", "b", "alpha", "d", "theta", "r"};
    const json              *model = json_get(mechanism, "model");
    const json              *row = json_at(json_get(model, "joints"), i);
    const json              *link = json_at(json_get(model, "links"), i);
    char                     name[20], parent[20], child[20];
    double                   x[6];
    arne_joint_spec          spec = arne_joint_spec_default();
    snprintf(name, sizeof name, "joint%d", i + 1);
    snprintf(parent, sizeof parent, "link%d", json_integer(json_get(row, "parent")));
    snprintf(child, sizeof child, "link%d", i + 1);
    spec.name = name;
    spec.parent = parent;
    spec.child = child;
    spec.rotor_inertia = json_number(json_get(link, "Ia"));
    spec.actuation = lists(json_get(mechanism, "active"), i + 1) ? ARNE_ACTUATION_ACTIVE
                                                                 : ARNE_ACTUATION_PASSIVE;
    for (int k = 0; k < 6; k++)
        x[k] = json_number(json_get(row, keys[k]));
    arne_dh_modified(&spec, x[0], x[1], x[2], x[3], x[4], x[5]);
    assert_ok(arne_builder_add_joint(builder, &spec, NULL));
}

// The links of the file's mechanism, closed between x1 of one link and x2 of another by a loop of
// this kind.
static example build(const json *mechanism, int link1, double x1, int link2, double x2,
                     arne_loop_kind kind)
{
    const json    *model = json_get(mechanism, "model");
    const json    *links = json_get(model, "links");
    arne_builder  *builder = NULL;
    arne_loop_spec cut = arne_loop_spec_default();
    double         g[3];
    char           name[16], from[16], to[16];
    example e = {.n = json_count(links), .free_count = json_count(json_get(mechanism, "active"))};

    assert_ok(arne_builder_new(&builder));
    add_json_link(builder, "link0", NULL);
    for (int i = 0; i < e.n; i++) {
        snprintf(name, sizeof name, "link%d", i + 1);
        add_json_link(builder, name, json_at(links, i));
        add_joint(builder, mechanism, i);
    }
    json_numbers(json_get(model, "gravity"), g, 3);
    assert_ok(arne_builder_set_gravity(builder, v3(g[0], g[1], g[2])));
    snprintf(from, sizeof from, "link%d", link1);
    snprintf(to, sizeof to, "link%d", link2);
    cut.name = "cut";
    cut.kind = kind;
    cut.predecessor = from;
    cut.successor = to;
    cut.predecessor_origin.p = v3(x1, 0, 0);
    cut.successor_origin.p = v3(x2, 0, 0);
    assert_ok(arne_builder_add_loop(builder, &cut, NULL));
    e.robot = finish(builder, NULL);
    e.work = new_work(e.robot);
    assert_ok(arne_loop_work_new(e.robot, &e.loop));
    arne_builder_free(builder);
    return e;
}

static void close_example(example *e)
{
    arne_loop_work_free(e->loop);
    arne_work_free(e->work);
    arne_robot_free(e->robot);
}

// The entries of the active coordinates.
static void pick(const int *which, int count, const double *from, double *out)
{
    for (int i = 0; i < count; i++)
        out[i] = from[which[i]];
}

static void check_case(const example *e, const json *at)
{
    state      s = {.robot = e->robot, .size = arne_robot_sizes(e->robot)};
    const int  n = e->n, f = e->free_count;
    double     G[64], wanted[64], tau[8], qdd[8], own[8], A[64], H[8];
    int        independent[8], mobility = 0;
    arne_error error = {0};

    json_numbers(json_get(at, "q_tr"), s.q, n);
    json_numbers(json_get(at, "qd_tr"), s.qd, n);
    json_numbers(json_get(at, "qdd_tr"), s.qdd, n);
    assert_ok_or(arne_loop_jacobian(e->robot, e->work, e->loop, s.q, G, independent, &mobility,
                                    NULL, &error),
                 &error);
    assert_int_equal(mobility, f);
    json_numbers(json_get(at, "G"), wanted, n * f);
    assert_close(&s, "G", G, wanted, n * f, 1e-9);

    double qd[8] = {0}, qdd_all[8] = {0};
    for (int i = 0; i < f; i++) {
        qd[independent[i]] = s.qd[independent[i]];
        qdd_all[independent[i]] = s.qdd[independent[i]];
    }
    assert_ok(arne_loop_complete(e->robot, e->work, e->loop, s.q, qd, qdd_all, NULL));
    assert_close(&s, "velocities", qd, s.qd, n, 1e-9);
    assert_close(&s, "accelerations", qdd_all, s.qdd, n, 1e-8);

    assert_ok(arne_loop_inverse_dynamics(e->robot, e->work, e->loop, s.q, s.qd, s.qdd, NULL, NULL,
                                         tau, NULL));
    pick(independent, f, tau, own);
    json_numbers(json_get(at, "Gamma_c"), wanted, f);
    assert_close(&s, "torques", own, wanted, f, 1e-9);
    assert_ok_or(arne_loop_forward_dynamics(e->robot, e->work, e->loop, s.q, s.qd, tau, NULL, NULL,
                                            qdd, &error),
                 &error);
    assert_close(&s, "direct dynamics", qdd, s.qdd, n, 1e-8);
    assert_ok(arne_loop_reduced(e->robot, e->work, e->loop, s.q, s.qd, NULL, A, H, NULL));
    json_numbers(json_get(at, "A_c"), wanted, f * f);
    assert_close(&s, "A_c", A, wanted, f * f, 1e-9);
    json_numbers(json_get(at, "H_c"), wanted, f);
    assert_close(&s, "H_c", H, wanted, f, 1e-9);
}

// The multipliers of two equations in the plane, which the file has as the force of the second
// branch on the first.
static void check_force(const example *e, const json *at)
{
    state       s = {.robot = e->robot, .size = arne_robot_sizes(e->robot)};
    double      tau[8], wanted[2];
    int         indeterminate = -1;
    arne_wrench f;
    json_numbers(json_get(at, "q_tr"), s.q, e->n);
    json_numbers(json_get(at, "qd_tr"), s.qd, e->n);
    json_numbers(json_get(at, "qdd_tr"), s.qdd, e->n);
    assert_ok(arne_loop_inverse_dynamics(e->robot, e->work, e->loop, s.q, s.qd, s.qdd, NULL, NULL,
                                         tau, NULL));
    assert_ok(arne_loop_forces(e->robot, e->work, e->loop, s.q, s.qd, s.qdd, NULL, tau, NULL,
                               &indeterminate, NULL));
    f = arne_loop_wrench(e->robot, e->work, e->loop, 0);
    const arne_pose X = arne_frame_pose(
        e->robot, e->work, arne_robot_loop(e->robot, 0).frame[0]); // the predecessor's axes
    const arne_vec3 world = m3_apply(X.R, f.lin);
    const double    ours[2] = {-world.x, -world.y};
    json_numbers(json_get(at, "cut_joint_force_in_plane"), wanted, 2);
    assert_close(&s, "force of the cut", ours, wanted, 2, 1e-9);
    assert_int_equal(indeterminate, arne_robot_loop(e->robot, 0).kind != ARNE_LOOP_PLANAR_POINT);
}

static void check_mechanism(const char *name, int link1, double x1, int link2, double x2)
{
    // One pin of a plane, cut as pins, points and in space.
    static const arne_loop_kind kinds[] = {ARNE_LOOP_PLANAR_POINT, ARNE_LOOP_REVOLUTE,
                                           ARNE_LOOP_BALL};
    json                       *file = json_read(TEST_DATA_DIR "/closed_loops.json");
    const json                 *mechanism = json_get(file, name);
    const json                 *cases = json_get(mechanism, "cases");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        example e = build(mechanism, link1, x1, link2, x2, kinds[k]);
        for (int i = 0; i < json_count(cases); i++) {
            check_case(&e, json_at(cases, i));
            if (!strcmp(name, "five_bar")) check_force(&e, json_at(cases, i));
        }
        close_example(&e);
    }
    assert_int_equal(json_count(cases), 5);
    json_free(file);
}

static void five_bar(void **unused)
{
    (void)unused;
    check_mechanism("five_bar", 2, 0.35, 4, 0.35);
}

static void parallelogram_arm(void **unused)
{
    (void)unused;
    check_mechanism("parallelogram_arm", 3, 0.15, 5, 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(five_bar),
                                       cmocka_unit_test(parallelogram_arm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
