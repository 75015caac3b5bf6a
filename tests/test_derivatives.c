// Derivatives of inverse dynamics and of joint wrenches: the complex step of the same text, on
// every robot, bare and with loads that are fixed in links and in the world.
#include "nudges.h"

#include <stdlib.h>

enum { MANY = MAX_V * MAX_V };

static const double TOLERANCE = 1e-10;

typedef struct matrices {
    double dq[MANY], dqd[MANY], dqdd[MANY];
} matrices;

static matrices *new_matrices(void)
{
    matrices *m = malloc(sizeof *m);
    assert_non_null(m);
    return m;
}

static void derivatives(loaded at, arne_work *work, matrices *m)
{
    const state *s = at.s;
    memset(m, 0xff, sizeof *m);
    arne_inverse_dynamics_derivatives(s->robot, work, s->q, s->qd, s->qdd, at.loads, at.load_count,
                                      m->dq, m->dqd, m->dqdd);
}

// Two states of every robot, first bare, then loaded.
static void on_every_robot(int trees, void (*law)(loaded at, arne_work *work))
{
    EACH_ROBOT_OF (robot, work, trees / TEST_PART)
        for (uint64_t seed = 1; seed <= 2; seed++) {
            const state s = random_state(robot, seed);
            arne_load   loads[MAX_LOADS];
            state_set_base(&s, work);
            law((loaded){&s, NULL, 0}, work);
            law((loaded){&s, loads, random_loads(&s, loads)}, work);
        }
}

// ---- the complex step ----

static void torque_law(loaded at, arne_work *work)
{
    static const char *const names[] = {"dtau/dq", "dtau/dqd", "dtau/dqdd"};
    const int                n = at.s->size.v_count;
    matrices                *ours = new_matrices();
    double                   unit[MAX_V], column[MAX_V], *wanted = calloc(MANY, sizeof *wanted);
    assert_non_null(wanted);
    derivatives(at, work, ours);
    const double *all[ALONG_COUNT] = {ours->dq, ours->dqd, ours->dqdd};
    for (int which = 0; which < ALONG_COUNT; which++) {
        for (int k = 0; k < n; k++) {
            oracle_torques(at, unit_nudge(which, k, n, unit), column);
            for (int i = 0; i < n; i++)
                wanted[i * n + k] = column[i];
        }
        assert_close(at.s, names[which], all[which], wanted, n * n, TOLERANCE);
    }
    free(wanted);
    free(ours);
}

static void torques_agree_with_the_complex_step(void **unused)
{
    (void)unused;
    on_every_robot(TREE_COUNT, torque_law);
}

static void wrench_law(loaded at, arne_work *work)
{
    static const char *const names[] = {"dwrench/dq", "dwrench/dqd", "dwrench/dqdd"};
    const state             *s = at.s;
    const int                n = s->size.v_count, rows = 6 * s->size.joint_count;
    double                  *ours[ALONG_COUNT], *wanted = calloc(6 * MANY, sizeof *wanted);
    double                   unit[MAX_V], column[6 * MAX_BODIES];
    assert_non_null(wanted);
    for (int which = 0; which < ALONG_COUNT; which++) {
        ours[which] = malloc(sizeof *ours[which] * 6 * MANY);
        assert_non_null(ours[which]);
        memset(ours[which], 0xff, sizeof *ours[which] * 6 * MANY);
    }
    arne_inverse_dynamics_derivatives(s->robot, work, s->q, s->qd, s->qdd, at.loads, at.load_count,
                                      NULL, NULL, NULL);
    for (int j = 0; j < s->size.joint_count; j++)
        arne_wrench_derivatives(s->robot, work, j, ours[0] + 6 * j * n, ours[1] + 6 * j * n,
                                ours[2] + 6 * j * n);
    for (int which = 0; which < ALONG_COUNT; which++) {
        for (int k = 0; k < n; k++) {
            oracle_wrenches(at, unit_nudge(which, k, n, unit), column);
            for (int i = 0; i < rows; i++)
                wanted[i * n + k] = column[i];
        }
        assert_close(s, names[which], ours[which], wanted, rows * n, TOLERANCE);
        free(ours[which]);
    }
    free(wanted);
}

static void wrenches_agree_with_the_complex_step(void **unused)
{
    (void)unused;
    on_every_robot(300, wrench_law);
}

// ---- laws ----

// dtau/dqdd is the mass matrix, whatever the motion and the loads.
static void mass_law(loaded at, arne_work *work)
{
    const int n = at.s->size.v_count;
    matrices *m = new_matrices();
    double   *M = malloc(sizeof *M * MANY);
    assert_non_null(M);
    derivatives(at, work, m);
    arne_mass_matrix(at.s->robot, work, at.s->q, M);
    assert_close(at.s, "dtau/dqdd", m->dqdd, M, n * n, 1e-12);
    free(M);
    free(m);
}

static void torque_over_acceleration_is_mass(void **unused)
{
    (void)unused;
    on_every_robot(TREE_COUNT, mass_law);
}

// y = A x and y = A^T x, added to y.
static void add_product(const double *A, const double *x, int n, int transposed, double *y)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            y[transposed ? k : i] += A[i * n + k] * x[transposed ? i : k];
}

static void direction_law(loaded at, arne_work *work)
{
    const state *s = at.s;
    const int    n = s->size.v_count;
    matrices    *m = new_matrices();
    double       x[MAX_V], y[MAX_V], z[MAX_V], ours[ALONG_COUNT][MAX_V];
    rng          r = rng_seed(s->seed + 5);
    rng_fill(&r, x, n, 1);
    rng_fill(&r, y, n, 1);
    rng_fill(&r, z, n, 1);
    derivatives(at, work, m);

    // all directions at once, and one at a time
    for (int only = -1; only < ALONG_COUNT; only++) {
        const double *dx = only <= 0 ? x : NULL, *dy = only == -1 || only == 1 ? y : NULL,
                     *dz = only == -1 || only == 2 ? z : NULL;
        double wanted[MAX_V] = {0};
        if (dx) add_product(m->dq, dx, n, 0, wanted);
        if (dy) add_product(m->dqd, dy, n, 0, wanted);
        if (dz) add_product(m->dqdd, dz, n, 0, wanted);
        arne_inverse_dynamics_along(s->robot, work, s->q, s->qd, s->qdd, at.loads, at.load_count,
                                    dx, dy, dz, ours[0]);
        assert_close(s, "along", ours[0], wanted, n, TOLERANCE);
    }

    const double *all[ALONG_COUNT] = {m->dq, m->dqd, m->dqdd};
    arne_inverse_dynamics_against(s->robot, work, s->q, s->qd, s->qdd, at.loads, at.load_count, x,
                                  ours[0], ours[1], ours[2]);
    for (int which = 0; which < ALONG_COUNT; which++) {
        double wanted[MAX_V] = {0};
        add_product(all[which], x, n, 1, wanted);
        assert_close(s, "against", ours[which], wanted, n, TOLERANCE);
    }
    free(m);
}

static void directions_agree_with_the_matrices(void **unused)
{
    (void)unused;
    on_every_robot(TREE_COUNT, direction_law);
}

// ---- the final time ----

static void scaled_torques(loaded at, arne_work *work, const arne_wrench *f_ext, double slower,
                           double *tau)
{
    const state *s = at.s;
    double       qd[MAX_V], qdd[MAX_V];
    for (int k = 0; k < s->size.v_count; k++) {
        qd[k] = s->qd[k] / slower;
        qdd[k] = s->qdd[k] / (slower * slower);
    }
    arne_inverse_dynamics(s->robot, work, s->q, qd, qdd, f_ext, tau);
}

// A motion that takes T = 2 s instead of 2 (1 + e) s has speeds over 1 + e and accelerations over
// its square.
static void final_time_law(loaded at, arne_work *work)
{
    const state *s = at.s;
    const int    n = s->size.v_count;
    const double T = 2, e = 1e-3;
    matrices    *m = new_matrices();
    arne_wrench  f_ext[MAX_BODIES];
    double       ours[MAX_V], exact[MAX_V], along_qd[MAX_V], along_qdd[MAX_V];
    double       tau[4][MAX_V], wanted[MAX_V];

    derivatives(at, work, m);
    arne_final_time_derivative(s->robot, n, m->dqd, m->dqdd, s->qd, s->qdd, T, ours);
    for (int k = 0; k < n; k++) {
        along_qd[k] = -s->qd[k] / T;
        along_qdd[k] = -2 * s->qdd[k] / T;
    }
    oracle_torques(at, (nudge){.qd = along_qd, .qdd = along_qdd}, exact);
    assert_close(s, "dtau/dT", ours, exact, n, TOLERANCE);

    loads_as_wrenches(s->robot, at.loads, at.load_count, f_ext);
    for (int i = 0; i < 4; i++)
        scaled_torques(at, work, f_ext, 1 + e * (i < 2 ? i - 2 : i - 1), tau[i]);
    for (int k = 0; k < n; k++)
        wanted[k] = (tau[0][k] - 8 * tau[1][k] + 8 * tau[2][k] - tau[3][k]) / (12 * e * T);
    // Coulomb friction has no part in it as long as no joint turns back.
    assert_close(s, "dtau/dT by differences", ours, wanted, n, 1e-8);
    free(m);
}

static void final_time_is_that_of_a_slower_motion(void **unused)
{
    (void)unused;
    on_every_robot(300, final_time_law);
}

// Of a wrench too: six rows instead of v_count.
static void final_time_of_a_wrench(void **unused)
{
    (void)unused;
    arne_robot *robot = read_robot("arm6", NULL);
    arne_work  *work = new_work(robot);
    const state s = random_state(robot, 3);
    const int   n = s.size.v_count, joint = 2;
    double      dqd[6 * MAX_V], dqdd[6 * MAX_V], ours[6], wanted[6 * MAX_BODIES];
    double      along_qd[MAX_V], along_qdd[MAX_V];
    for (int k = 0; k < n; k++) {
        along_qd[k] = -s.qd[k] / 3;
        along_qdd[k] = -2 * s.qdd[k] / 3;
    }
    arne_inverse_dynamics_derivatives(robot, work, s.q, s.qd, s.qdd, NULL, 0, NULL, NULL, NULL);
    arne_wrench_derivatives(robot, work, joint, NULL, dqd, dqdd);
    arne_final_time_derivative(robot, 6, dqd, dqdd, s.qd, s.qdd, 3, ours);
    oracle_wrenches((loaded){&s, NULL, 0}, (nudge){.qd = along_qd, .qdd = along_qdd}, wanted);
    assert_close(&s, "dwrench/dT", ours, wanted + 6 * joint, 6, TOLERANCE);
    arne_work_free(work);
    arne_robot_free(robot);
}

// ---- friction ----

// Viscous friction is on the diagonal of dtau/dqd and nowhere else; Coulomb friction is nowhere,
// also at rest.
static void friction_is_viscous(void **unused)
{
    static const arne_build_options bare = {.no_friction = 1};
    (void)unused;
    int with_friction = 0;
    for (uint64_t tree = 0; tree < 60; tree++) {
        arne_builder *builder = random_tree(tree);
        arne_robot   *robot = finish(builder, NULL), *smooth = finish(builder, &bare);
        arne_work    *work = new_work(robot), *smooth_work = new_work(smooth);
        matrices     *a = new_matrices(), *b = new_matrices();
        state         s = random_state(robot, 1), t = s;
        const int     n = s.size.v_count;
        if (tree % 2) memset(s.qd, 0, sizeof s.qd);
        t = s;
        t.robot = smooth;
        derivatives((loaded){&s, NULL, 0}, work, a);
        derivatives((loaded){&t, NULL, 0}, smooth_work, b);
        for (int j = 0; j < s.size.joint_count; j++) {
            const arne_joint_info own = arne_robot_joint(robot, j);
            const int             leader = own.mimic < 0 ? j : own.mimic;
            const double          ratio = own.mimic < 0 ? 1 : own.mimic_ratio;
            const arne_joint_info info = arne_robot_joint(robot, leader);
            for (int k = info.v_start; k < info.v_start + info.v_count; k++)
                b->dqd[k * n + k] += ratio * ratio * own.viscous;
            with_friction += own.viscous > 0 && own.coulomb_positive > 0;
        }
        assert_close(&s, "dtau/dq", a->dq, b->dq, n * n, 1e-12);
        assert_close(&s, "dtau/dqd", a->dqd, b->dqd, n * n, 1e-12);
        assert_close(&s, "dtau/dqdd", a->dqdd, b->dqdd, n * n, 1e-12);
        free(a);
        free(b);
        arne_work_free(work);
        arne_work_free(smooth_work);
        arne_robot_free(robot);
        arne_robot_free(smooth);
        arne_builder_free(builder);
    }
    assert_true(with_friction > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(torques_agree_with_the_complex_step),
        cmocka_unit_test(wrenches_agree_with_the_complex_step),
        cmocka_unit_test(torque_over_acceleration_is_mass),
        cmocka_unit_test(directions_agree_with_the_matrices),
        cmocka_unit_test(final_time_is_that_of_a_slower_motion),
        cmocka_unit_test(final_time_of_a_wrench),
        cmocka_unit_test(friction_is_viscous),
    };
    return cmocka_run_group_tests_name("derivatives", tests, NULL, NULL);
}
