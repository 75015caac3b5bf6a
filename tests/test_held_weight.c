// Gravity compensation: a link's weight is held in part by a force at its centre. It is compared
// with the same robot under loads that are constant in the world.
#include "testing.h"

#include <stdio.h>

enum { TREES = 60, SQUARE = MAX_V * MAX_V };

typedef struct pair {
    arne_builder *builder;
    arne_robot   *held, *plain;
    arne_work    *held_work, *plain_work;
    state         s;
    arne_load     loads[MAX_FRAMES];
    arne_wrench   f_ext[MAX_BODIES];
    int           count;
    double        potential; // of the forces
} pair;

// The fraction of the weight of link i that is held.
static double held_part(int i) { return i % 3 == 2 ? 0 : 0.4 * (i % 4) + 0.3; }

static void pair_open(pair *p, uint64_t seed, int functions)
{
    const arne_build_options options = {.base = random_tree_base(seed)};
    char                     name[32];
    *p = (pair){.builder = random_tree(seed)};
    if (functions) add_random_functions(p->builder, seed);
    for (int pass = 0; pass < 2; pass++) {
        arne_body_spec link;
        for (int i = 0; snprintf(name, sizeof name, "l%d", i),
                 arne_builder_get_body(p->builder, name, &link) == ARNE_OK;
             i++) {
            arne_pose at = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, link.com};
            link.gravity_compensation = pass ? held_part(i) : 0;
            assert_ok(arne_builder_set_body(p->builder, &link, NULL));
            snprintf(name, sizeof name, "c%d", i);
            if (!pass)
                assert_ok(arne_builder_add_frame(p->builder, name, link.name, &at,
                                                 (arne_place){NULL, 0}, NULL));
        }
        assert_ok(arne_builder_finish(p->builder, &options, pass ? &p->held : &p->plain, NULL));
    }
    p->held_work = new_work(p->held);
    p->plain_work = new_work(p->plain);
}

static void pair_close(pair *p)
{
    arne_work_free(p->held_work);
    arne_work_free(p->plain_work);
    arne_robot_free(p->held);
    arne_robot_free(p->plain);
    arne_builder_free(p->builder);
}

// A state, and the forces of gravity compensation in it as loads.
static void pair_load(pair *p, uint64_t seed)
{
    char name[32];
    p->s = random_state(p->plain, seed);
    state_set_base(&p->s, p->plain_work);
    state same = p->s;
    same.robot = p->held;
    state_set_base(&same, p->held_work);
    memset(p->f_ext, 0, sizeof p->f_ext);
    p->count = 0;
    p->potential = 0;
    arne_kinematics(p->plain, p->plain_work, p->s.q, NULL, NULL);
    for (int i = 0, frame;
         snprintf(name, sizeof name, "c%d", i), (frame = arne_find_frame(p->plain, name)) >= 0;
         i++) {
        const arne_frame_info f = arne_robot_frame(p->plain, frame);
        if (f.body == 0 && arne_robot_base(p->plain) == ARNE_BASE_FIXED) continue;
        const arne_pose X = arne_frame_pose(p->plain, p->plain_work, frame);
        const arne_vec3 g = arne_robot_gravity(p->plain);
        const double    m = held_part(i) * arne_robot_frame(p->plain, f.parent).mass;
        arne_load      *l = &p->loads[p->count++];
        *l = (arne_load){.frame = frame, .in_world = 1};
        l->wrench.lin =
            (arne_vec3){-m * v3_dot(X.R.x, g), -m * v3_dot(X.R.y, g), -m * v3_dot(X.R.z, g)};
        arne_add_wrench(p->plain, frame, &l->wrench, p->f_ext);
        if (f.body > 0) p->potential += m * v3_dot(g, X.p);
    }
}

static void torques_and_accelerations(void **unused)
{
    (void)unused;
    for (uint64_t seed = 0; seed < TREES; seed++) {
        pair p;
        pair_open(&p, seed, seed % 2);
        pair_load(&p, seed);
        const state *s = &p.s;
        const int    n = s->size.v_count;
        double       a[MAX_V], b[MAX_V], qdd[MAX_V], e[2];
        arne_inverse_dynamics(p.held, p.held_work, s->q, s->qd, s->qdd, NULL, a);
        arne_inverse_dynamics(p.plain, p.plain_work, s->q, s->qd, s->qdd, p.f_ext, b);
        assert_close(s, "torques", a, b, n, 1e-11);
        const arne_wrench one = arne_base_wrench(p.held, p.held_work),
                          two = arne_base_wrench(p.plain, p.plain_work);
        assert_close(s, "base wrench", &one.lin.x, &two.lin.x, 6, 1e-11);
        if (arne_forward_dynamics(p.held, p.held_work, s->q, s->qd, a, NULL, qdd, NULL) == ARNE_OK)
            assert_close(s, "forward", qdd, s->qdd, n, 1e-7);
        arne_bias(p.held, p.held_work, s->q, s->qd, NULL, a);
        arne_bias(p.plain, p.plain_work, s->q, s->qd, p.f_ext, b);
        assert_close(s, "bias", a, b, n, 1e-11);
        arne_energy(p.held, p.held_work, s->q, s->qd, NULL, &e[0]);
        arne_energy(p.plain, p.plain_work, s->q, s->qd, NULL, &e[1]);
        assert_true(fabs(e[0] - e[1] - p.potential) < 1e-11 * (1 + fabs(e[0]) + fabs(e[1])));
        if (arne_robot_base(p.held) == ARNE_BASE_FREE) {
            memcpy(a, s->qdd, sizeof a);
            memcpy(b, s->qdd, sizeof b);
            assert_ok(arne_base_acceleration(p.held, p.held_work, s->q, s->qd, NULL, a, qdd, NULL));
            assert_ok(
                arne_base_acceleration(p.plain, p.plain_work, s->q, s->qd, p.f_ext, b, qdd, NULL));
            assert_close(s, "base acceleration", a, b, 6, 1e-10);
        }
        pair_close(&p);
    }
}

static void derivatives_and_rates(void **unused)
{
    static double a[3][SQUARE], b[3][SQUARE];
    (void)unused;
    for (uint64_t seed = 0; seed < TREES; seed++) {
        pair p;
        pair_open(&p, seed, seed % 2);
        pair_load(&p, seed);
        const state *s = &p.s;
        const int    n = s->size.v_count;
        double       rates[2][MAX_V], tau[2][MAX_V], jerk[MAX_V];
        for (int i = 0; i < n; i++)
            jerk[i] = sin(3.0 * i + (double)seed);
        arne_inverse_dynamics_derivatives(p.held, p.held_work, s->q, s->qd, s->qdd, NULL, 0, a[0],
                                          a[1], a[2]);
        arne_inverse_dynamics_derivatives(p.plain, p.plain_work, s->q, s->qd, s->qdd, p.loads,
                                          p.count, b[0], b[1], b[2]);
        for (int k = 0; k < 3; k++)
            assert_close(s, "derivatives", a[k], b[k], n * n, 1e-11);
        arne_torque_rate(p.held, p.held_work, s->q, s->qd, s->qdd, jerk, NULL, 0, tau[0], rates[0]);
        arne_torque_rate(p.plain, p.plain_work, s->q, s->qd, s->qdd, jerk, p.loads, p.count, tau[1],
                         rates[1]);
        assert_close(s, "torques", tau[0], tau[1], n, 1e-11);
        assert_close(s, "rates", rates[0], rates[1], n, 1e-11);
        arne_inverse_dynamics_against(p.held, p.held_work, s->q, s->qd, s->qdd, NULL, 0, jerk, a[0],
                                      a[1], a[2]);
        arne_inverse_dynamics_against(p.plain, p.plain_work, s->q, s->qd, s->qdd, p.loads, p.count,
                                      jerk, b[0], b[1], b[2]);
        for (int k = 0; k < 3; k++)
            assert_close(s, "against", a[k], b[k], n, 1e-11);
        pair_close(&p);
    }
}

// Against central differences of the gradient.
static void second_derivatives(void **unused)
{
    static double all[4][SQUARE], numeric[SQUARE];
    const double  h = 1e-5;
    int           tried = 0;
    (void)unused;
    for (uint64_t seed = 0; seed < 6 * TREES && tried < 10; seed++) {
        pair p;
        pair_open(&p, seed, seed % 2);
        pair_load(&p, seed);
        state    *s = &p.s;
        const int n = s->size.v_count;
        double    lambda[MAX_V], up[MAX_V], down[MAX_V], none[2][MAX_V];
        for (int i = 0; i < n; i++)
            lambda[i] = cos(2.0 * i + (double)seed);
        if (n > 1 &&
            arne_second_derivatives(p.held, p.held_work, s->q, s->qd, s->qdd, NULL, 0, lambda,
                                    all[0], all[1], all[2], all[3], NULL) == ARNE_OK) {
            tried++;
            for (int k = 0; k < n; k++) {
                const double q = s->q[k];
                s->q[k] = q + h;
                arne_inverse_dynamics_against(p.held, p.held_work, s->q, s->qd, s->qdd, NULL, 0,
                                              lambda, up, none[0], none[1]);
                s->q[k] = q - h;
                arne_inverse_dynamics_against(p.held, p.held_work, s->q, s->qd, s->qdd, NULL, 0,
                                              lambda, down, none[0], none[1]);
                s->q[k] = q;
                for (int i = 0; i < n; i++)
                    numeric[i * n + k] = (up[i] - down[i]) / (2 * h);
            }
            assert_close(s, "second derivatives", all[0], numeric, n * n, 1e-7);
        }
        pair_close(&p);
    }
    assert_int_equal(tried, 10);
}

// A robot gives back what it was made of, and a file too.
static void files_keep_it(void **unused)
{
    static const char text[] =
        "bodies: [{name: base, mass: 1},\n"
        "  {name: a, mass: 2, com: [0.1, 0, 0], gravity_compensation: 0.75}]\n"
        "joints: [{name: j, kind: revolute, parent: base, child: a, axis: [0, 1, 0]}]\n";
    arne_builder  *b = NULL, *again = NULL;
    arne_robot    *robot = NULL;
    arne_work     *work = NULL;
    arne_body_spec link;
    double         q = 0, tau;
    (void)unused;
    assert_ok(arne_builder_new(&b));
    assert_ok(arne_read_text(b, text, strlen(text), "held.yaml", NULL));
    assert_ok(arne_builder_finish(b, NULL, &robot, NULL));
    work = new_work(robot);
    arne_gravity(robot, work, &q, &tau);
    assert_true(fabs(tau + 0.25 * 2 * 0.1 * 9.81) < 1e-15);
    assert_ok(arne_builder_new(&again));
    assert_ok(arne_builder_add_robot(again, robot, NULL));
    assert_ok(arne_builder_get_body(again, "a", &link));
    assert_true(link.gravity_compensation == 0.75);
    arne_work_free(work);
    arne_robot_free(robot);
    arne_builder_free(b);
    arne_builder_free(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(torques_and_accelerations),
        cmocka_unit_test(derivatives_and_rates),
        cmocka_unit_test(second_derivatives),
        cmocka_unit_test(files_keep_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
