// Joints that follow by functions: the functions themselves, and robots against the same ones
// without couplings, t = g(q): torques are G^T tau(t, G qd, G qdd + dG/dt qd), the mass matrix is
// G^T M(t) G.
#include "testing.h"

// ---- functions ----

static void at(const arne_function *f, double q, double *d)
{
    assert_ok(arne_function_at(f, q, d, NULL));
}

// Derivatives by central differences of the order before.
static void slopes_agree(const arne_function *f, double q, double tolerance)
{
    const double h = 1e-5;
    double       d[5], up[5], down[5];
    at(f, q, d);
    at(f, q + h, up);
    at(f, q - h, down);
    for (int k = 1; k < 5; k++)
        assert_true(fabs((up[k - 1] - down[k - 1]) / (2 * h) - d[k]) <
                    tolerance * (1 + fabs(d[k])));
}

static void kinds_have_their_derivatives(void **unused)
{
    static const double c[] = {0.3, -1.2, 0.5, 0.7, -0.2, 0.1}, wave[] = {1.5, 0.8, 0.3, -2};
    arne_function       f = arne_function_make(ARNE_FUNCTION_POLYNOMIAL, 6, NULL, c);
    double              d[5];
    (void)unused;
    f.factor = -2;
    slopes_agree(&f, 0.7, 1e-7);
    at(&f, 2, d);
    assert_true(fabs(d[0] + 2 * (0.3 - 2.4 + 2 + 5.6 - 3.2 + 3.2)) < 1e-13);
    f = arne_function_make(ARNE_FUNCTION_SINE, 4, NULL, wave);
    slopes_agree(&f, 0.7, 1e-7);
    at(&f, 1, d);
    assert_true(fabs(d[0] - (1.5 * sin(1.1) - 2)) < 1e-14);
    f = arne_function_make(ARNE_FUNCTION_POLYNOMIAL, 1, NULL, c);
    at(&f, 17, d);
    assert_true(d[0] == 0.3 && d[1] == 0 && d[4] == 0);
}

static const double X[] = {-1.5, -1, -0.2, 0.4, 1.1, 2}, Y[] = {0.2, 0.9, -0.3, 0.1, 0.8, 0.2};

static void splines_pass_and_bend_smoothly(void **unused)
{
    (void)unused;
    for (int ends = 0; ends < ARNE_ENDS_COUNT; ends++) {
        arne_function f = arne_function_make(ARNE_FUNCTION_SPLINE, 6, X, Y);
        double        d[5], before[5];
        f.ends = (arne_spline_ends)ends;
        f.slopes[0] = 0.5;
        f.slopes[1] = -0.25;
        for (int i = 0; i < 6; i++) {
            at(&f, X[i], d);
            assert_true(fabs(d[0] - Y[i]) < 1e-15);
            if (i == 0 || i == 5) continue;
            at(&f, X[i] - 1e-9, before);
            for (int k = 0; k < (ends == ARNE_ENDS_STRAIGHT ? 1 : 3); k++)
                assert_true(fabs(d[k] - before[k]) < 1e-7);
            if (ends == ARNE_ENDS_STRAIGHT)
                assert_true(fabs(before[1] - (Y[i] - Y[i - 1]) / (X[i] - X[i - 1])) < 1e-13 &&
                            d[2] == 0 && d[3] == 0);
        }
        slopes_agree(&f, 0.1, 1e-6);
    }
}

static void splines_end_as_they_say(void **unused)
{
    arne_function f = arne_function_make(ARNE_FUNCTION_SPLINE, 6, X, Y);
    double        d[5], e[5];
    (void)unused;
    at(&f, X[0], d);
    at(&f, X[5], e);
    assert_true(fabs(d[2]) < 1e-14 && fabs(e[2]) < 1e-14);
    f.ends = ARNE_ENDS_CLAMPED;
    f.slopes[0] = 0.5;
    f.slopes[1] = -0.25;
    at(&f, X[0], d);
    at(&f, X[5], e);
    assert_true(fabs(d[1] - 0.5) < 1e-14 && fabs(e[1] + 0.25) < 1e-14);
    f.ends = ARNE_ENDS_PERIODIC;
    at(&f, X[0] + 0.3, d);
    for (int turns = -2; turns < 3; turns++) {
        at(&f, X[0] + 0.3 + turns * (X[5] - X[0]), e);
        for (int k = 0; k < 4; k++)
            assert_true(fabs(d[k] - e[k]) < 1e-13);
    }
    at(&f, X[0], d);
    at(&f, X[0] - 1e-10, e);
    for (int k = 0; k < 3; k++)
        assert_true(fabs(d[k] - e[k]) < 1e-8);
}

// The third derivative of the first and of the last piece is that of the cubic through four points.
static void simm_ends_are_those_of_opensim(void **unused)
{
    arne_function f = arne_function_make(ARNE_FUNCTION_SPLINE, 6, X, Y);
    double        d[5];
    (void)unused;
    f.ends = ARNE_ENDS_SIMM;
    for (int last = 0; last < 2; last++) {
        const double *x = X + (last ? 2 : 0), *y = Y + (last ? 2 : 0);
        double        third = 0;
        for (int i = 0; i < 4; i++) {
            double product = 1;
            for (int k = 0; k < 4; k++)
                if (k != i) product *= x[i] - x[k];
            third += 6 * y[i] / product;
        }
        at(&f, last ? 1.9 : -1.4, d);
        assert_true(fabs(d[3] - third) < 1e-11);
    }
    for (int side = 0; side < 2; side++) { // straight outside, with the slope of the end
        double in[5];
        at(&f, side ? X[5] : X[0], in);
        at(&f, side ? X[5] + 3 : X[0] - 3, d);
        assert_true(fabs(d[0] - (in[0] + (side ? 3 : -3) * in[1])) < 1e-14);
        assert_true(fabs(d[1] - in[1]) < 1e-14 && d[2] == 0 && d[3] == 0);
    }
    static const double line_x[] = {0, 2}, line_y[] = {1, 5}, bow_x[] = {0, 1, 3},
                        bow_y[] = {1, 2, 10};
    f = arne_function_make(ARNE_FUNCTION_SPLINE, 2, line_x, line_y);
    f.ends = ARNE_ENDS_SIMM;
    at(&f, 0.5, d);
    assert_true(d[0] == 2 && d[1] == 2 && d[2] == 0);
    f = arne_function_make(ARNE_FUNCTION_SPLINE, 3, bow_x, bow_y); // 1 + x^2
    f.ends = ARNE_ENDS_SIMM;
    at(&f, 2, d);
    assert_true(fabs(d[0] - 5) < 1e-14 && fabs(d[2] - 2) < 1e-14 && fabs(d[3]) < 1e-14);
}

static void functions_are_judged(void **unused)
{
    static const double back[] = {0, 2, 1}, nan[] = {0, NAN, 1};
    arne_function       f = arne_function_make(ARNE_FUNCTION_SPLINE, 3, back, Y);
    double              d[5];
    (void)unused;
    assert_status(arne_function_at(&f, 0, d, NULL), ARNE_VALUE);
    f = arne_function_make(ARNE_FUNCTION_SPLINE, 3, X, nan);
    assert_status(arne_function_at(&f, 0, d, NULL), ARNE_VALUE);
    f = arne_function_make(ARNE_FUNCTION_SPLINE, 3, X, Y);
    f.ends = ARNE_ENDS_PERIODIC;
    assert_status(arne_function_at(&f, 0, d, NULL), ARNE_VALUE);
    f = arne_function_make(ARNE_FUNCTION_SINE, 3, NULL, Y);
    assert_status(arne_function_at(&f, 0, d, NULL), ARNE_VALUE);
    f = arne_function_make(ARNE_FUNCTION_PRODUCT, 0, NULL, NULL);
    assert_status(arne_function_at(&f, 0, d, NULL), ARNE_UNSUPPORTED);
}

// ---- a robot with all of them, and the same one without couplings ----

enum { JOINTS = 9 };

static arne_builder *chain(void)
{
    static const char *const links[] = {"l0", "l1", "l2", "l3", "l4", "l5", "l6", "l7", "l8", "l9"};
    static const char *const names[] = {"", "a", "b", "c", "d", "e", "f", "g", "h", "i"};
    arne_builder            *b = NULL;
    rng                      r = rng_seed(99);
    assert_ok(arne_builder_new(&b));
    for (int i = 0; i <= JOINTS; i++) {
        arne_body_spec body = arne_body_spec_default();
        body.name = links[i];
        random_inertia(&r, &body);
        assert_ok(arne_builder_add_body(b, &body, NULL));
    }
    for (int i = 1; i <= JOINTS; i++) {
        arne_joint_spec j = arne_joint_spec_default();
        j.name = names[i];
        j.parent = links[i == 6 ? 2 : i - 1];
        j.child = links[i];
        j.kind = i % 3 ? ARNE_JOINT_REVOLUTE : ARNE_JOINT_PRISMATIC;
        j.axis = rng_axis(&r);
        j.origin = rng_pose(&r, 0.4);
        j.viscous = 0.1 * i;
        j.rotor_inertia = i % 2 ? 0.05 : 0;
        assert_ok(arne_builder_add_joint(b, &j, NULL));
    }
    return b;
}

static void follow(arne_builder *b, const char *joint, const char *with, const char *times,
                   arne_function f)
{
    const arne_function_spec s = {.joint = joint, .with = with, .times = times, .function = f};
    assert_ok(arne_builder_add_function(b, &s, NULL));
}

static const double CUBE[] = {0.1, 0.5, -0.3, 0.2}, WAVE[] = {0.7, 1.3, 0.2, 0.1};
static const double LINE[] = {0.2, -0.8};

static arne_function spline(void)
{
    arne_function f = arne_function_make(ARNE_FUNCTION_SPLINE, 6, X, Y);
    f.ends = ARNE_ENDS_SIMM;
    return f;
}
static arne_function product(double factor)
{
    arne_function f = arne_function_make(ARNE_FUNCTION_PRODUCT, 0, NULL, NULL);
    f.factor = factor;
    return f;
}

// a, b and f are free. c = cube(a); d = spline(b) + 0.4 a b; e = -2 c + 0.3 (a mimic of one that
// follows by a function); g = wave(-0.8 a + 0.2) (through h, a line); i = spline(c).
static void add_follows(arne_builder *b)
{
    const arne_function cube = arne_function_make(ARNE_FUNCTION_POLYNOMIAL, 4, NULL, CUBE);
    const arne_function wave = arne_function_make(ARNE_FUNCTION_SINE, 4, NULL, WAVE);
    arne_joint_spec     e;
    follow(b, "c", "a", NULL, cube);
    follow(b, "d", "b", NULL, spline());
    follow(b, "d", "a", "b", product(0.4));
    assert_ok(arne_builder_get_joint(b, "e", &e));
    e.mimic = "c";
    e.mimic_ratio = -2;
    e.mimic_offset = 0.3;
    assert_ok(arne_builder_set_joint(b, &e, NULL));
    follow(b, "h", "a", NULL, arne_function_make(ARNE_FUNCTION_POLYNOMIAL, 2, NULL, LINE));
    follow(b, "g", "h", NULL, wave);
    follow(b, "i", "c", NULL, spline());
}

// Values and directional derivatives of the tree's coordinates by truncated series in time: x, xd,
// xdd from q, qd, qdd of a, b, f.
typedef struct series {
    double x[3];
} series;

static series of(arne_function f, series q)
{
    double d[5];
    at(&f, q.x[0], d);
    return (series){{d[0], d[1] * q.x[1], d[2] * q.x[1] * q.x[1] + d[1] * q.x[2]}};
}

static void tree_of(const double *q, const double *qd, const double *qdd, series t[JOINTS])
{
    const arne_function cube = arne_function_make(ARNE_FUNCTION_POLYNOMIAL, 4, NULL, CUBE);
    const arne_function wave = arne_function_make(ARNE_FUNCTION_SINE, 4, NULL, WAVE);
    const series        a = {{q[0], qd[0], qdd[0]}}, b = {{q[1], qd[1], qdd[1]}};
    t[0] = a;
    t[1] = b;
    t[2] = of(cube, a);
    t[3] = of(spline(), b);
    t[3].x[0] += 0.4 * a.x[0] * b.x[0];
    t[3].x[1] += 0.4 * (a.x[1] * b.x[0] + a.x[0] * b.x[1]);
    t[3].x[2] += 0.4 * (a.x[2] * b.x[0] + 2 * a.x[1] * b.x[1] + a.x[0] * b.x[2]);
    for (int k = 0; k < 3; k++) {
        t[4].x[k] = -2 * t[2].x[k] + (k ? 0 : 0.3);
        t[7].x[k] = LINE[1] * a.x[k] + (k ? 0 : LINE[0]);
    }
    t[5] = (series){{q[2], qd[2], qdd[2]}};
    t[6] = of(wave, t[7]);
    t[8] = of(spline(), t[2]);
}

typedef struct pair {
    arne_robot *bent, *open;
    arne_work  *bent_work, *open_work;
} pair;

static pair make_pair(void)
{
    arne_builder *b = chain();
    pair          p;
    p.open = finish(b, NULL);
    add_follows(b);
    p.bent = finish(b, NULL);
    arne_builder_free(b);
    p.bent_work = new_work(p.bent);
    p.open_work = new_work(p.open);
    assert_int_equal(arne_robot_sizes(p.bent).v_count, 3);
    return p;
}

static void free_pair(pair *p)
{
    arne_work_free(p->bent_work);
    arne_work_free(p->open_work);
    arne_robot_free(p->bent);
    arne_robot_free(p->open);
}

// G, 9 x 3, by unit velocities.
static void slopes_of(const state *s, double *G)
{
    for (int k = 0; k < 3; k++) {
        const double unit[3] = {k == 0, k == 1, k == 2}, none[3] = {0};
        series       t[JOINTS];
        tree_of(s->q, unit, none, t);
        for (int i = 0; i < JOINTS; i++)
            G[i * 3 + k] = t[i].x[1];
    }
}

static void robots_agree_with_the_open_tree(void **unused)
{
    pair p = make_pair();
    (void)unused;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        const state s = random_state(p.bent, seed);
        series      t[JOINTS];
        double      x[JOINTS], xd[JOINTS], xdd[JOINTS], G[JOINTS * 3], tree[JOINTS], tau[3], M[9];
        double      wanted[3] = {0}, tree_M[JOINTS * JOINTS], wanted_M[9] = {0}, energy[4];
        tree_of(s.q, s.qd, s.qdd, t);
        for (int i = 0; i < JOINTS; i++) {
            x[i] = t[i].x[0];
            xd[i] = t[i].x[1];
            xdd[i] = t[i].x[2];
        }
        slopes_of(&s, G);
        arne_inverse_dynamics(p.open, p.open_work, x, xd, xdd, NULL, tree);
        arne_inverse_dynamics(p.bent, p.bent_work, s.q, s.qd, s.qdd, NULL, tau);
        arne_mass_matrix(p.open, p.open_work, x, tree_M);
        arne_mass_matrix(p.bent, p.bent_work, s.q, M);
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < JOINTS; i++) {
                wanted[k] += G[i * 3 + k] * tree[i];
                for (int l = 0; l < 3; l++)
                    for (int j = 0; j < JOINTS; j++)
                        wanted_M[k * 3 + l] += G[i * 3 + k] * tree_M[i * JOINTS + j] * G[j * 3 + l];
            }
        assert_close(&s, "torques", tau, wanted, 3, 1e-12);
        assert_close(&s, "M", M, wanted_M, 9, 1e-12);
        arne_energy(p.bent, p.bent_work, s.q, s.qd, &energy[0], &energy[1]);
        arne_energy(p.open, p.open_work, x, xd, &energy[2], &energy[3]);
        assert_close(&s, "energies", energy, energy + 2, 2, 1e-13);
    }
    free_pair(&p);
}

// ---- what is told, and round trips ----

static void functions_are_told(void **unused)
{
    pair        p = make_pair();
    arne_follow f[4];
    (void)unused;
    assert_int_equal(arne_joint_functions(p.bent, arne_find_joint(p.bent, "a"), f, 4), 0);
    assert_int_equal(arne_joint_functions(p.bent, arne_find_joint(p.bent, "d"), f, 4), 2);
    assert_int_equal(f[0].with, arne_find_joint(p.bent, "b"));
    assert_int_equal(f[0].function.kind, ARNE_FUNCTION_SPLINE);
    assert_memory_equal(f[0].function.x, X, sizeof X);
    assert_memory_equal(f[0].function.y, Y, sizeof Y);
    assert_int_equal(f[1].times, arne_find_joint(p.bent, "b"));
    assert_int_equal(arne_joint_functions(p.bent, arne_find_joint(p.bent, "e"), f, 4), 1);
    assert_true(f[0].function.y[1] == -2 && f[0].function.y[0] == 0.3);
    // a line is a mimic joint
    assert_int_equal(arne_joint_functions(p.bent, arne_find_joint(p.bent, "h"), f, 4), 0);
    assert_true(arne_robot_joint(p.bent, arne_find_joint(p.bent, "h")).mimic_ratio == LINE[1]);
    free_pair(&p);
}

static void robots_are_built_again_to_the_last_bit(void **unused)
{
    pair          p = make_pair();
    arne_builder *b = NULL;
    (void)unused;
    assert_ok(arne_builder_new(&b));
    assert_ok(arne_builder_add_robot(b, p.bent, NULL));
    arne_robot *again = finish(b, NULL);
    arne_work  *work = new_work(again);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        const state s = random_state(p.bent, seed);
        double      tau[3], same[3];
        arne_inverse_dynamics(p.bent, p.bent_work, s.q, s.qd, s.qdd, NULL, tau);
        arne_inverse_dynamics(again, work, s.q, s.qd, s.qdd, NULL, same);
        assert_memory_equal(tau, same, sizeof tau);
    }
    arne_work_free(work);
    arne_robot_free(again);
    arne_builder_free(b);
    free_pair(&p);
}

// Plans have joints of one coordinate each: here it is the same robot.
static void planning_keeps_what_follows(void **unused)
{
    (void)unused;
    for (int coupled = 0; coupled < 2; coupled++) {
        arne_builder *b = chain();
        arne_robot   *planned = NULL;
        if (coupled) {
            arne_joint_spec          e;
            const arne_coupling_spec more = {.joint = "e", .with = "b", .ratio = 0.7};
            assert_ok(arne_builder_get_joint(b, "e", &e));
            e.mimic = "a";
            assert_ok(arne_builder_set_joint(b, &e, NULL));
            assert_ok(arne_builder_add_coupling(b, &more, NULL));
        } else {
            add_follows(b);
        }
        arne_robot *robot = finish(b, NULL);
        assert_ok(arne_planning_robot(b, NULL, &planned, NULL));
        arne_work  *work = new_work(robot), *planned_work = new_work(planned);
        const state s = random_state(robot, 3);
        double      tau[JOINTS], same[JOINTS];
        assert_int_equal(arne_robot_sizes(planned).v_count, s.size.v_count);
        arne_inverse_dynamics(robot, work, s.q, s.qd, s.qdd, NULL, tau);
        arne_inverse_dynamics(planned, planned_work, s.q, s.qd, s.qdd, NULL, same);
        assert_close(&s, "torques", same, tau, s.size.v_count, 1e-13);
        arne_work_free(work);
        arne_work_free(planned_work);
        arne_robot_free(planned);
        arne_robot_free(robot);
        arne_builder_free(b);
    }
}

// Beyond the first or the last point of a spline, which a simulation tells.
static void motions_beyond_splines_are_told(void **unused)
{
    pair         p = make_pair();
    const double inside[3] = {0.1, 0.5, 0}, outside[3] = {0.1, 2.01, 0};
    (void)unused;
    assert_int_equal(arne_joint_beyond(p.bent, inside), -1);
    assert_int_equal(arne_joint_beyond(p.bent, outside), arne_find_joint(p.bent, "d"));
    arne_simulation_spec     sim = {.duration = 0.01, .q = outside};
    arne_simulation_summary  summary;
    const arne_build_options bare = {.no_friction = 1};
    arne_builder            *b = chain();
    add_follows(b);
    arne_robot *robot = finish(b, &bare);
    sim.integrator.method = ARNE_METHOD_RK4;
    sim.integrator.step = 1e-3;
    sim.robot = robot;
    assert_ok(arne_simulate(&sim, NULL, NULL, NULL, &summary, NULL));
    assert_int_equal(summary.beyond, arne_find_joint(robot, "d"));
    assert_true(summary.beyond_time == 0);
    sim.q = inside;
    assert_ok(arne_simulate(&sim, NULL, NULL, NULL, &summary, NULL));
    assert_int_equal(summary.beyond, -1);
    sim.robot = p.bent; // whose followers have friction
    assert_status(arne_simulate(&sim, NULL, NULL, NULL, &summary, NULL), ARNE_UNSUPPORTED);
    arne_robot_free(robot);
    arne_builder_free(b);
    free_pair(&p);
}

static void refuse(const char *joint, const char *with, const char *times, arne_function f,
                   const char *text)
{
    arne_builder            *b = chain();
    arne_robot              *robot = NULL;
    arne_error               error = {0};
    const arne_function_spec s = {.joint = joint, .with = with, .times = times, .function = f};
    add_follows(b);
    assert_ok(arne_builder_add_function(b, &s, NULL));
    assert_int_not_equal(arne_builder_finish(b, NULL, &robot, &error), ARNE_OK);
    if (!strstr(error.text, text)) fail_msg("'%s' lacks '%s'", error.text, text);
    arne_builder_free(b);
}

static void what_cannot_be_is_refused(void **unused)
{
    arne_function broken = arne_function_make(ARNE_FUNCTION_SPLINE, 3, X, Y);
    (void)unused;
    refuse("f", "ghost", NULL, spline(), "does not exist");
    refuse("ghost", "a", NULL, spline(), "no such joint");
    refuse("f", "f", NULL, spline(), "follows itself");
    refuse("f", "d", NULL, spline(), "follows several");
    refuse("f", "a", "c", product(1), "follows by a function itself");
    refuse("f", "a", NULL, product(1), "takes two joints");
    refuse("a", "i", NULL, spline(), "in the end follows");
    broken.ends = ARNE_ENDS_PERIODIC;
    refuse("f", "a", NULL, broken, "periodic");
}

// ---- by hand ----

// A cam that turns a mass up and down: (J + m x'^2) qdd + m x' x'' qd^2 + m g x'.
static void cam_and_follower(void **unused)
{
    arne_builder   *b = NULL;
    arne_body_spec  body = arne_body_spec_default();
    arne_joint_spec j = arne_joint_spec_default();
    (void)unused;
    assert_ok(arne_builder_new(&b));
    body.name = "ground";
    assert_ok(arne_builder_add_body(b, &body, NULL));
    body = (arne_body_spec){.name = "cam", .mass = 2, .inertia = {0.1, 0.1, 0.3}};
    assert_ok(arne_builder_add_body(b, &body, NULL));
    body = (arne_body_spec){.name = "follower", .mass = 1.5, .inertia = {0.1, 0.1, 0.1}};
    assert_ok(arne_builder_add_body(b, &body, NULL));
    j.name = "shaft";
    j.parent = "ground";
    j.child = "cam";
    assert_ok(arne_builder_add_joint(b, &j, NULL));
    j.name = "lift";
    j.child = "follower";
    j.kind = ARNE_JOINT_PRISMATIC;
    assert_ok(arne_builder_add_joint(b, &j, NULL));
    follow(b, "lift", "shaft", NULL, spline());
    arne_robot         *robot = finish(b, NULL);
    arne_work          *work = new_work(robot);
    const arne_function f = spline();
    for (uint64_t seed = 1; seed <= 20; seed++) {
        const state s = random_state(robot, seed);
        double      d[5], tau, rate, qddd = 0.7, wanted[2];
        at(&f, *s.q, d);
        const double v = *s.qd, a = *s.qdd, m = 1.5, g = 9.81;
        wanted[0] = (0.3 + m * d[1] * d[1]) * a + m * d[1] * d[2] * v * v + m * g * d[1];
        wanted[1] = (0.3 + m * d[1] * d[1]) * qddd + 4 * m * d[1] * d[2] * v * a +
                    m * (d[2] * d[2] + d[1] * d[3]) * v * v * v + m * g * d[2] * v;
        arne_inverse_dynamics(robot, work, s.q, s.qd, s.qdd, NULL, &tau);
        assert_close(&s, "torque", &tau, wanted, 1, 1e-12);
        arne_torque_rate(robot, work, s.q, s.qd, s.qdd, &qddd, NULL, 0, &tau, &rate);
        assert_close(&s, "torque rate", &rate, wanted + 1, 1, 1e-12);
    }
    arne_work_free(work);
    arne_robot_free(robot);
    arne_builder_free(b);
}

// A slider and a crank with rod and crank of one length: the slider is at 2 r cos a, and the rod
// turns by -2 a against the crank.
static arne_robot *slider_crank(int closed)
{
    static const double wave[] = {0.8, 1, 1.5707963267948966, 0};
    arne_builder       *b = NULL;
    rng                 r = rng_seed(5);
    assert_ok(arne_builder_new(&b));
    const char *const links[] = {"ground", "crank", "rod", "slider"};
    for (int i = 0; i < 4; i++) {
        arne_body_spec body = arne_body_spec_default();
        body.name = links[i];
        random_inertia(&r, &body);
        assert_ok(arne_builder_add_body(b, &body, NULL));
    }
    for (int i = 1; i < 4; i++) {
        arne_joint_spec j = arne_joint_spec_default();
        j.name = links[i];
        j.parent = links[i == 2 ? 1 : 0];
        j.child = links[i];
        if (i == 2) j.origin.p.x = 0.4;
        if (i == 3) j.kind = ARNE_JOINT_PRISMATIC;
        if (i == 3) j.axis = v3(1, 0, 0);
        if (closed) j.actuation = i == 1 ? ARNE_ACTUATION_ACTIVE : ARNE_ACTUATION_PASSIVE;
        if (!closed && i == 2) j.mimic = "crank";
        if (!closed && i == 2) j.mimic_ratio = -2;
        assert_ok(arne_builder_add_joint(b, &j, NULL));
    }
    if (closed) {
        arne_loop_spec l = arne_loop_spec_default();
        l.name = "pin";
        l.predecessor = "rod";
        l.successor = "slider";
        l.predecessor_origin.p.x = 0.4;
        assert_ok(arne_builder_add_loop(b, &l, NULL));
    } else {
        follow(b, "slider", "crank", NULL, arne_function_make(ARNE_FUNCTION_SINE, 4, NULL, wave));
    }
    arne_robot *robot = finish(b, NULL);
    arne_builder_free(b);
    return robot;
}

static void slider_crank_as_loop_and_as_function(void **unused)
{
    arne_robot     *bent = slider_crank(0), *tied = slider_crank(1);
    arne_work      *bent_work = new_work(bent), *tied_work = new_work(tied);
    arne_loop_work *loop = NULL;
    (void)unused;
    assert_ok(arne_loop_work_new(tied, &loop));
    for (int k = 0; k < 10; k++) {
        const double a = 0.13 + 0.1 * k, v = 1 - 0.3 * k, acc = 2 - 0.7 * k;
        const double q[3] = {a, -2 * a, 0.8 * cos(a)}, qd[3] = {v, -2 * v, -0.8 * sin(a) * v};
        const double qdd[3] = {acc, -2 * acc, -0.8 * (sin(a) * acc + cos(a) * v * v)};
        double       tau, wanted[3], back;
        arne_error   error = {0};
        const state  s = random_state(bent, 1);
        arne_inverse_dynamics(bent, bent_work, &a, &v, &acc, NULL, &tau);
        assert_ok_or(arne_loop_inverse_dynamics(tied, tied_work, loop, q, qd, qdd, NULL, NULL,
                                                wanted, &error),
                     &error);
        assert_close(&s, "torque", &tau, wanted, 1, 1e-11);
        assert_ok(arne_forward_dynamics(bent, bent_work, &a, &v, &tau, NULL, &back, NULL));
        assert_close(&s, "acceleration", &back, &acc, 1, 1e-10);
    }
    arne_loop_work_free(loop);
    arne_work_free(bent_work);
    arne_work_free(tied_work);
    arne_robot_free(bent);
    arne_robot_free(tied);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_have_their_derivatives),
        cmocka_unit_test(splines_pass_and_bend_smoothly),
        cmocka_unit_test(splines_end_as_they_say),
        cmocka_unit_test(simm_ends_are_those_of_opensim),
        cmocka_unit_test(functions_are_judged),
        cmocka_unit_test(robots_agree_with_the_open_tree),
        cmocka_unit_test(functions_are_told),
        cmocka_unit_test(robots_are_built_again_to_the_last_bit),
        cmocka_unit_test(planning_keeps_what_follows),
        cmocka_unit_test(motions_beyond_splines_are_told),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(cam_and_follower),
        cmocka_unit_test(slider_crank_as_loop_and_as_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
