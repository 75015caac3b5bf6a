// Couplings of several joints, against the same robot without them: with the tree's coordinates t =
// G q + g, torques are G^T tau(t), the mass matrix is G^T M(t) G, and a motor turns by C qd.
#include "testing.h"

#include <math.h>
#include <stdlib.h>

typedef struct pair {
    arne_robot *coupled, *open;
    arne_work  *coupled_work, *open_work;
    int         n, m;             // velocities of the open and of the coupled robot
    double      G[MAX_V * MAX_V]; // n x m
    double      offset[MAX_V];
} pair;

// Four joints in a row with motors; coupled, joint 4 follows 1, 2 and the follower 3, and motor 2
// turns with 1.
static arne_robot *make(int coupled, int chain)
{
    static const char *const links[] = {"base", "a", "b", "c", "d"}, *const joints[] = {"", "j1",
                                                                                        "j2", "j3",
                                                                                        "j4"};
    arne_builder *b = NULL;
    rng           r = rng_seed(77);
    assert_ok(arne_builder_new(&b));
    for (int i = 0; i < 5; i++) {
        arne_body_spec body = arne_body_spec_default();
        body.name = links[i];
        random_inertia(&r, &body);
        assert_ok(arne_builder_add_body(b, &body, NULL));
    }
    for (int i = 1; i < 5; i++) {
        arne_joint_spec j = arne_joint_spec_default();
        j.name = joints[i];
        j.parent = links[i - 1];
        j.child = links[i];
        j.kind = i == 3 ? ARNE_JOINT_PRISMATIC : ARNE_JOINT_REVOLUTE;
        j.axis = rng_axis(&r);
        j.origin = rng_pose(&r, 0.5);
        j.viscous = 0.1 * i;
        if (coupled && i == 4) {
            j.mimic = chain ? "j3" : "j1";
            j.mimic_ratio = 0.7;
            j.mimic_offset = 0.2;
        }
        if (coupled && chain && i == 3) {
            j.mimic = "j2";
            j.mimic_ratio = -1.3;
            j.mimic_offset = 0.4;
        }
        assert_ok(arne_builder_add_joint(b, &j, NULL));
    }
    if (coupled) {
        const arne_coupling_spec more = {.joint = "j4", .with = "j2", .ratio = -2};
        assert_ok(arne_builder_add_coupling(b, &more, NULL));
    }
    arne_robot *robot = finish(b, NULL);
    arne_builder_free(b);
    return robot;
}

static pair *make_pair(int chain)
{
    pair *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->coupled = make(1, chain);
    p->open = make(0, chain);
    p->coupled_work = new_work(p->coupled);
    p->open_work = new_work(p->open);
    p->n = arne_robot_sizes(p->open).v_count;
    p->m = arne_robot_sizes(p->coupled).v_count;
    for (int k = 0; k < p->m; k++)
        p->G[k * p->m + k] = 1;
    double *last = p->G + 3 * p->m;
    p->offset[3] = 0.2;
    if (chain) { // t3 = -1.3 q2 + 0.4, t4 = 0.7 t3 + 0.2 - 2 q2
        p->G[2 * p->m + 1] = -1.3;
        p->offset[2] = 0.4;
        p->offset[3] = 0.2 + 0.7 * 0.4;
        last[1] = 0.7 * -1.3 - 2;
    } else {
        last[0] = 0.7;
        last[1] = -2;
    }
    return p;
}

static void free_pair(pair *p)
{
    arne_work_free(p->coupled_work);
    arne_work_free(p->open_work);
    arne_robot_free(p->coupled);
    arne_robot_free(p->open);
    free(p);
}

static void to_tree(const pair *p, const double *user, const double *offset, double *tree)
{
    for (int i = 0; i < p->n; i++) {
        tree[i] = offset ? offset[i] : 0;
        for (int k = 0; k < p->m; k++)
            tree[i] += p->G[i * p->m + k] * user[k];
    }
}

static void torques_are_collected(const pair *p, const state *s)
{
    double q[4], qd[4], qdd[4], tree[4], tau[4], wanted[4] = {0};
    to_tree(p, s->q, p->offset, q);
    to_tree(p, s->qd, NULL, qd);
    to_tree(p, s->qdd, NULL, qdd);
    arne_inverse_dynamics(p->open, p->open_work, q, qd, qdd, NULL, tree);
    arne_inverse_dynamics(p->coupled, p->coupled_work, s->q, s->qd, s->qdd, NULL, tau);
    for (int k = 0; k < p->m; k++)
        for (int i = 0; i < p->n; i++)
            wanted[k] += p->G[i * p->m + k] * tree[i];
    assert_close(s, "tau", tau, wanted, p->m, 1e-12);
}

static void mass_matrix_is_collected(const pair *p, const state *s)
{
    double q[4], tree[16], M[16], wanted[16] = {0};
    to_tree(p, s->q, p->offset, q);
    arne_mass_matrix(p->open, p->open_work, q, tree);
    arne_mass_matrix(p->coupled, p->coupled_work, s->q, M);
    for (int a = 0; a < p->m; a++)
        for (int b = 0; b < p->m; b++)
            for (int i = 0; i < p->n; i++)
                for (int k = 0; k < p->n; k++)
                    wanted[a * p->m + b] +=
                        p->G[i * p->m + a] * tree[i * p->n + k] * p->G[k * p->m + b];
    assert_close(s, "M", M, wanted, p->m * p->m, 1e-12);
}

static void several_joints_are_followed(void **unused)
{
    (void)unused;
    for (int chain = 0; chain < 2; chain++) {
        pair     *p = make_pair(chain);
        arne_term terms[4];
        assert_int_equal(p->m, chain ? 2 : 3);
        assert_int_equal(arne_joint_terms(p->coupled, 3, terms, 4), chain ? 1 : 2);
        for (uint64_t seed = 1; seed < 20; seed++) {
            const state s = random_state(p->coupled, seed);
            torques_are_collected(p, &s);
            mass_matrix_is_collected(p, &s);
        }
        free_pair(p);
    }
}

// A wrist: motor 2 also turns with joint 1, its rotor by gear (q2 + 0.5 q1), and has its friction
// at that speed.
static void a_motor_turns_several_joints(void **unused)
{
    (void)unused;
    static const double gear = 30, inertia = 2e-4, viscous = 0.3, coulomb = 0.8;
    for (int reflected = 0; reflected < 2; reflected++) {
        arne_robot   *plain = make(0, 0), *geared = NULL;
        arne_builder *b = NULL;
        assert_ok(arne_builder_new(&b));
        assert_ok(arne_builder_add_robot(b, plain, NULL));
        arne_motor_spec m = arne_motor_spec_default();
        m.name = "m2";
        m.joint = "j2";
        m.link = "base"; // which does not move: the rotor's torque is that of its own spin alone
        m.gear = gear;
        m.inertia = inertia;
        m.reflected = reflected;
        m.viscous = viscous;
        m.coulomb_positive = m.coulomb_negative = coulomb;
        assert_ok(arne_builder_add_motor(b, &m, NULL));
        const arne_coupling_spec c = {.motor = "m2", .with = "j1", .ratio = 0.5};
        assert_ok(arne_builder_add_coupling(b, &c, NULL));
        geared = finish(b, NULL);
        arne_work   *work = new_work(plain), *geared_work = new_work(geared);
        const double row[4] = {0.5 * gear, gear, 0, 0};
        double       C[4], bare[4], tau[4], qdd[4];
        arne_coupling_matrix(geared, C);
        for (uint64_t seed = 1; seed < 20; seed++) {
            const state  s = random_state(plain, seed);
            const double speed = 0.5 * s.qd[0] + s.qd[1], rate = 0.5 * s.qdd[0] + s.qdd[1];
            const double torque =
                gear * gear * inertia * rate + viscous * speed + copysign(coulomb, speed);
            assert_close(&s, "coupling", C, row, 4, 0);
            arne_inverse_dynamics(plain, work, s.q, s.qd, s.qdd, NULL, bare);
            arne_inverse_dynamics(geared, geared_work, s.q, s.qd, s.qdd, NULL, tau);
            bare[0] += 0.5 * torque;
            bare[1] += torque;
            assert_close(&s, "tau", tau, bare, 4, 1e-12);
            assert_ok(arne_forward_dynamics(geared, geared_work, s.q, s.qd, tau, NULL, qdd, NULL));
            assert_close(&s, "qdd", qdd, s.qdd, 4, 1e-9);
        }
        arne_work_free(work);
        arne_work_free(geared_work);
        arne_robot_free(plain);
        arne_robot_free(geared);
        arne_builder_free(b);
    }
}

// Four joints with a motor that turns with the first three, by 0.1, 1 and 0.2, and has dry friction
// unless `smooth`.
static arne_robot *make_turned_by_three(int smooth)
{
    arne_robot   *plain = make(0, 0);
    arne_builder *b = NULL;
    assert_ok(arne_builder_new(&b));
    assert_ok(arne_builder_add_robot(b, plain, NULL));
    arne_motor_spec m = arne_motor_spec_default();
    m.name = "m2";
    m.joint = "j2";
    m.link = "base";
    m.gear = 30;
    m.inertia = 2e-4;
    if (!smooth) m.coulomb_positive = m.coulomb_negative = 50;
    assert_ok(arne_builder_add_motor(b, &m, NULL));
    const arne_coupling_spec one = {.motor = "m2", .with = "j1", .ratio = 0.1},
                             other = {.motor = "m2", .with = "j3", .ratio = 0.2};
    assert_ok(arne_builder_add_coupling(b, &one, NULL));
    assert_ok(arne_builder_add_coupling(b, &other, NULL));
    arne_robot *robot = finish(b, NULL);
    arne_builder_free(b);
    arne_robot_free(plain);
    return robot;
}

static void many_inverse_dynamics(const arne_robot *robot, int width, int count, const state *s,
                                  double *tau)
{
    enum { MOST = 8 };
    double                   q[4 * MOST], qd[4 * MOST], qdd[4 * MOST], out[4 * MOST];
    arne_batch              *batch = NULL;
    const arne_batch_options options = {.width = width, .threads = 1};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < count; k++) {
            q[i * count + k] = s[k].q[i];
            qd[i * count + k] = s[k].qd[i];
            qdd[i * count + k] = s[k].qdd[i];
        }
    assert_ok(arne_batch_new(robot, &options, &batch, NULL));
    assert_ok(arne_batch_run(batch, ARNE_ALGORITHM_INVERSE_DYNAMICS,
                             &(arne_batch_inputs){.q = q, .qd = qd, .qdd = qdd},
                             &(arne_batch_outputs){.tau = out}, (size_t)count, NULL));
    arne_batch_free(batch);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < count; k++)
            tau[4 * k + i] = out[i * count + k];
}

// Speeds that cancel leave rounding, whose sign is not that of dry friction: there is none, for one
// state and for many alike. What moves, however slowly, has it.
static void speeds_that_cancel_have_no_friction(void **unused)
{
    arne_robot *dry = make_turned_by_three(0), *smooth = make_turned_by_three(1);
    arne_work  *dry_work = new_work(dry), *smooth_work = new_work(smooth);
    (void)unused;
    for (uint64_t seed = 1; seed <= 64; seed++) {
        state  s[8];
        double tau[4], wanted[4], many[4 * 8], qdd[4];
        for (int k = 0; k < 8; k++) {
            s[k] = random_state(dry, 8 * seed + (uint64_t)k);
            s[k].qd[2] = s[k].qd[0];
            s[k].qd[1] = -0.3 * s[k].qd[0];
        }
        arne_inverse_dynamics(smooth, smooth_work, s->q, s->qd, s->qdd, NULL, wanted);
        arne_inverse_dynamics(dry, dry_work, s->q, s->qd, s->qdd, NULL, tau);
        assert_close(s, "tau", tau, wanted, 4, 1e-12);
        assert_ok(arne_forward_dynamics(dry, dry_work, s->q, s->qd, tau, NULL, qdd, NULL));
        assert_close(s, "qdd", qdd, s->qdd, 4, 1e-9);
        for (int width = 1; width <= 8; width *= 2) {
            if (!arne_batch_has_width(width)) continue;
            many_inverse_dynamics(dry, width, 8, s, many);
            assert_close(s, "tau of many", many, wanted, 4, 1e-12);
        }
        s->qd[1] += copysign(1e-13, s->qd[0]) * fabs(s->qd[0]);
        arne_inverse_dynamics(dry, dry_work, s->q, s->qd, s->qdd, NULL, tau);
        wanted[0] += copysign(5, s->qd[0]);
        wanted[1] += copysign(50, s->qd[0]);
        wanted[2] += copysign(10, s->qd[0]);
        assert_close(s, "tau that slides", tau, wanted, 4, 1e-11);
    }
    arne_work_free(dry_work);
    arne_work_free(smooth_work);
    arne_robot_free(dry);
    arne_robot_free(smooth);
}

static void refuse(const arne_coupling_spec *spec, const char *text)
{
    arne_robot   *plain = make(1, 0), *out = NULL;
    arne_builder *b = NULL;
    arne_error    error = {0};
    assert_ok(arne_builder_new(&b));
    assert_ok(arne_builder_add_robot(b, plain, NULL));
    arne_motor_spec soft = arne_motor_spec_default();
    soft.joint = soft.name = "j1";
    soft.stiffness = 100;
    soft.inertia = 1e-4;
    assert_ok(arne_builder_add_motor(b, &soft, NULL));
    assert_ok(arne_builder_add_coupling(b, spec, NULL));
    assert_int_not_equal(arne_builder_finish(b, NULL, &out, &error), ARNE_OK);
    if (!strstr(error.text, text)) fail_msg("'%s' is not in '%s'", text, error.text);
    arne_robot_free(plain);
    arne_builder_free(b);
}

static void what_cannot_be_is_refused(void **unused)
{
    (void)unused;
    refuse(&(arne_coupling_spec){.joint = "j2", .with = "j1", .ratio = 1}, "follows no joint yet");
    refuse(&(arne_coupling_spec){.joint = "ghost", .with = "j1", .ratio = 1}, "no such joint");
    refuse(&(arne_coupling_spec){.motor = "ghost", .with = "j1", .ratio = 1}, "no such motor");
    refuse(&(arne_coupling_spec){.joint = "j4", .with = "ghost", .ratio = 1}, "does not exist");
    refuse(&(arne_coupling_spec){.joint = "j4", .with = "j1", .ratio = NAN}, "not finite");
    refuse(&(arne_coupling_spec){.joint = "j4", .with = "j4", .ratio = 1}, "in the end follows");
    refuse(&(arne_coupling_spec){.motor = "j1", .with = "j2", .ratio = 1}, "must be rigid");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_joints_are_followed),
        cmocka_unit_test(a_motor_turns_several_joints),
        cmocka_unit_test(speeds_that_cancel_have_no_friction),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
