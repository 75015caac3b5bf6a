// The worked examples of the papers, in tests/data: built from the tables there, to nine digits.
#include "testing.h"

#include "example.h"

#include <stdio.h>

// ---- Khalil 2010, section 3: a tree with friction and rotors ----

static void khalil_case(const example *e, const json *at)
{
    const state s = state_at(e, at);
    const int   n = e->n;
    double      tau[MAX_V], wanted[MAX_V * MAX_V], M[MAX_V * MAX_V], qdd[MAX_V], f[21], m[21];

    arne_inverse_dynamics(e->robot, e->work, s.q, s.qd, s.qdd, NULL, tau);
    vector(at, "f_own_frame", 3 * n, f);
    vector(at, "m_own_frame", 3 * n, m);
    for (int i = 0; i < n; i++) {
        const arne_wrench ours = arne_joint_wrench(e->robot, e->work, i);
        const arne_wrench theirs = {v3(f[3 * i], f[3 * i + 1], f[3 * i + 2]),
                                    v3(m[3 * i], m[3 * i + 1], m[3 * i + 2])};
        assert_same(&s, "joint wrench", ours, theirs, 1e-9);
    }
    vector(at, "Gamma", n, wanted);
    assert_close(&s, "torques", tau, wanted, n, 1e-9);
    vector(at, "H", n, wanted);
    arne_bias(e->robot, e->work, s.q, s.qd, NULL, tau);
    assert_close(&s, "bias", tau, wanted, n, 1e-9);
    vector(at, "A", n * n, wanted);
    arne_mass_matrix(e->robot, e->work, s.q, M);
    assert_close(&s, "M", M, wanted, n * n, 1e-9);

    vector(at, "Gamma", n, tau);
    assert_ok(arne_forward_dynamics(e->robot, e->work, s.q, s.qd, tau, NULL, qdd, NULL));
    assert_direct_close(&s, "direct dynamics", qdd, s.qdd, n, 1e-9, M);
}

static void khalil_tree(void **unused)
{
    (void)unused;
    json       *file = open_file("khalil_tree.json");
    example     e = build_rows(file, json_get(file, "model"), "c");
    const json *cases = json_get(file, "cases");
    assert_int_equal(json_count(cases), 3);
    for (int i = 0; i < json_count(cases); i++)
        khalil_case(&e, json_at(cases, i));
    example_close(&e);
}

// ---- Nasser 1989: direct dynamics of a tree, with a force at every centre of mass ----

// A force at a point of a link, both given as the paper does, as a wrench on the link.
static void add_force(const example *e, int link, arne_vec3 point, arne_vec3 force,
                      arne_vec3 moment, arne_wrench *f_ext)
{
    char name[16];
    link_name(link, name);
    const int         frame = arne_find_frame(e->robot, name);
    const arne_mat3   R = arne_frame_pose(e->robot, e->work, frame).R;
    const arne_vec3   f = m3_apply_t(R, force), m = m3_apply_t(R, moment);
    const arne_wrench wrench = {f, v3_add(m, v3_cross(point, f))};
    arne_add_wrench(e->robot, frame, &wrench, f_ext);
}

static void nasser_case(const example *e, const json *at)
{
    const state s = state_at(e, at);
    const int   n = e->n;
    double      tau[MAX_V], qdd[MAX_V], wanted[MAX_V], M[MAX_V * MAX_V], theirs[MAX_V * MAX_V];
    const json *forces = json_get(at, "external_force_applied_at_COM_world");
    arne_wrench f_ext[MAX_BODIES] = {0};

    arne_kinematics(e->robot, e->work, s.q, NULL, NULL);
    for (int i = 0; i < n; i++) {
        double com[3], f[3];
        vector(json_at(json_get(e->file, "links"), i), "c", 3, com);
        json_numbers(json_at(forces, i), f, 3);
        add_force(e, i + 1, v3(com[0], com[1], com[2]), v3(f[0], f[1], f[2]), v3(0, 0, 0), f_ext);
    }
    vector(at, "inertia_matrix", n * n, theirs);
    arne_mass_matrix(e->robot, e->work, s.q, M);
    assert_close(&s, "M", M, theirs, n * n, 1e-9);

    vector(at, "tau", n, tau);
    vector(at, "qdd", n, wanted);
    assert_ok(arne_forward_dynamics(e->robot, e->work, s.q, s.qd, tau, f_ext, qdd, NULL));
    assert_direct_close(&s, "direct dynamics", qdd, wanted, n, 1e-9, M);
    assert_ok(arne_forward_dynamics_matrix(e->robot, e->work, s.q, s.qd, tau, f_ext, qdd, NULL));
    assert_direct_close(&s, "direct dynamics by matrix", qdd, wanted, n, 1e-9, M);
}

static void nasser_forward(void **unused)
{
    (void)unused;
    json       *file = open_file("nasser_forward.json");
    example     e = build_rows(file, file, "c");
    const json *cases = json_get(file, "cases");
    assert_int_equal(json_count(cases), 3);
    for (int i = 0; i < json_count(cases); i++)
        nasser_case(&e, json_at(cases, i));
    example_close(&e);
}

// ---- Barman's thesis, chapter 3: torques and forces inside joints, with loads the links exert
// ----

static void thesis_case(const example *e, const json *at)
{
    const state s = state_at(e, at);
    const int   n = e->n;
    const json *loads = json_get(at, "external");
    arne_wrench f_ext[MAX_BODIES] = {0};
    double      tau[MAX_V], wanted[MAX_V], F[3 * MAX_V];

    arne_kinematics(e->robot, e->work, s.q, NULL, NULL);
    for (int i = 0; i < json_count(loads); i++) {
        const json *load = json_at(loads, i);
        arne_vec3   force, moment, point;
        vector(load, "force_on_environment_global", 3, &force.x);
        vector(load, "moment_on_environment_global", 3, &moment.x);
        vector(load, "point_in_link_frame", 3, &point.x);
        add_force(e, json_integer(json_get(load, "link")), point, v3_scale(-1, force),
                  v3_scale(-1, moment), f_ext);
    }
    arne_inverse_dynamics(e->robot, e->work, s.q, s.qd, s.qdd, f_ext, tau);
    vector(at, "tau", n, wanted);
    assert_close(&s, "torques", tau, wanted, n, 1e-9);
    vector(at, "F_p", 3 * n, F);
    for (int i = 0; i < n; i++) {
        const arne_vec3 ours = arne_joint_wrench(e->robot, e->work, i).lin;
        assert_close(&s, "force inside a joint", &ours.x, F + 3 * i, 3, 1e-9);
    }
    double M[MAX_V * MAX_V], dtau[MAX_V * MAX_V];
    arne_mass_matrix(e->robot, e->work, s.q, M);
    vector(at, "dtau_dqdd", n * n, dtau); // which is M
    assert_close(&s, "M", M, dtau, n * n, 1e-9);
}

static void thesis(void **unused)
{
    (void)unused;
    json       *file = open_file("thesis_sensitivities.json");
    example     e = build_rows(file, file, "c_in_link_frame");
    const json *cases = json_get(file, "cases");
    int         loaded = 0;
    assert_int_equal(json_count(cases), 3);
    for (int i = 0; i < json_count(cases); i++) {
        thesis_case(&e, json_at(cases, i));
        loaded += json_count(json_get(json_at(cases, i), "external")) > 0;
    }
    assert_int_equal(loaded, 2);
    example_close(&e);
}

// ---- Guarino Lo Bianco 2009: the Stanford arm along two motions ----

// A table's entry: a number, or the name of the coordinate, which starts from zero.
static double entry(const json *column, int i)
{
    const json *value = json_at(column, i);
    return json_is_number(value) ? json_number(value) : 0;
}

static example stanford_build(json *file)
{
    example     e = {.file = file};
    const json *g = json_get(file, "geometry"), *d = json_get(g, "d"),
               *theta = json_get(g, "theta");
    arne_builder *builder = NULL;

    assert_ok(arne_builder_new(&builder));
    add_base(builder);
    for (int i = 0; i < 6; i++) {
        arne_joint_spec spec = arne_joint_spec_default();
        double          com[3], diagonal[3];
        spec.kind = json_is_number(json_at(theta, i)) ? ARNE_JOINT_PRISMATIC : ARNE_JOINT_REVOLUTE;
        arne_dh_modified(&spec, 0, 0, entry(json_get(g, "alpha"), i), entry(json_get(g, "a"), i),
                         entry(theta, i), entry(d, i));
        json_numbers(json_at(json_get(file, "com"), i), com, 3);
        json_numbers(json_at(json_get(file, "inertia_diag"), i), diagonal, 3);
        const double inertia[9] = {diagonal[0], 0, 0, 0, diagonal[1], 0, 0, 0, diagonal[2]};
        add_link(builder, i + 1, entry(json_get(file, "mass"), i), com, inertia);
        add_joint(builder, spec, i + 1, i);
    }
    example_finish(&e, builder);
    return e;
}

static int stanford_motion(const example *e, const char *motion)
{
    const json *samples = json_get(json_get(e->file, motion), "samples");
    for (int i = 0; i < json_count(samples); i++) {
        const json *at = json_at(samples, i);
        const state s = state_at(e, at);
        double      tau[6], wanted[6];
        vector(at, "tau", 6, wanted);
        arne_inverse_dynamics(e->robot, e->work, s.q, s.qd, s.qdd, NULL, tau);
        assert_close(&s, motion, tau, wanted, 6, 1e-9);
    }
    return json_count(samples);
}

static void stanford(void **unused)
{
    (void)unused;
    example e = stanford_build(open_file("stanford.json"));
    assert_int_equal(stanford_motion(&e, "quintic"), 21);
    assert_int_equal(stanford_motion(&e, "septic"), 21);
    example_close(&e);
}

// The file of robots/ says the same arm.
static void stanford_file(void **unused)
{
    (void)unused;
    example e = {.file = open_file("stanford.json"), .robot = read_robot("stanford", NULL), .n = 6};
    e.work = new_work(e.robot);
    stanford_motion(&e, "quintic");
    stanford_motion(&e, "septic");
    example_close(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(khalil_tree), cmocka_unit_test(nasser_forward), cmocka_unit_test(thesis),
        cmocka_unit_test(stanford),    cmocka_unit_test(stanford_file),
    };
    return cmocka_run_group_tests_name("papers", tests, NULL, NULL);
}
