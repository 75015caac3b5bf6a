// Motions of soft robots against those that others computed ($ARNE_REFERENCE/rods/dynamics.json):
// pendulums, a rigid link before a rod, a base that shakes, two damped rods in a row.
// ARNE_TEST_SHOW prints how far the tip is at most.
#include "json.h"
#include "rods.h"
#include "testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16 };

typedef void (*shake)(const held_rod *r, double t);

// One step of the classical Runge-Kutta method; x has q, then qd.
static void motion_step(const held_rod *r, shake base, double t, double h, double *x)
{
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    const double        zero[MOST] = {0};
    double              k[2 * MOST] = {0}, sum[2 * MOST] = {0}, y[2 * MOST];
    const int           n = r->n;
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < 2 * n; i++)
            y[i] = x[i] + h * at[s] * k[i];
        memcpy(k, y + n, (size_t)n * sizeof *k);
        if (base) base(r, t + at[s] * h);
        assert_ok(arne_forward_dynamics(r->robot, r->work, y, y + n, zero, NULL, k + n, NULL));
        for (int i = 0; i < 2 * n; i++)
            sum[i] += h * weight[s] * k[i];
    }
    for (int i = 0; i < 2 * n; i++)
        x[i] += sum[i];
}

typedef struct trajectory {
    const json *t, *tip; // tip: rows of two or three numbers
    shake       base;
    double      step, length;
} trajectory;

// The largest distance of the tip over the whole motion, over the length.
static double motion_error(const held_rod *r, const trajectory *m)
{
    double x[2 * MOST] = {0}, t = 0, largest = 0;
    for (int i = 0; i < json_count(m->t); i++) {
        const double until = json_number(json_at(m->t, i));
        const int    steps = (int)ceil((until - t) / m->step - 1e-9);
        for (int k = 0; k < steps; k++)
            motion_step(r, m->base, t + k * (until - t) / steps, (until - t) / steps, x);
        t = until;
        double      tip[3] = {0};
        const json *row = json_at(m->tip, i);
        json_numbers(row, tip, json_count(row));
        if (m->base) m->base(r, t);
        largest = fmax(largest, rod_distance(rod_tip(r, x), tip) / m->length);
    }
    return largest;
}

static void agrees(const char *name, double error, double bound)
{
    if (getenv("ARNE_TEST_SHOW")) printf("%-30s %.1e of its length\n", name, error);
    if (!(error < bound)) fail_msg("%s: %g", name, error);
}

static arne_body_spec round_rod(double length, double radius, double E, double density, int points)
{
    arne_body_spec rod = rod_named("rod", length, points);
    rod.flexible.E = E;
    rod.flexible.G = E / 3;
    rod.flexible.density = density;
    arne_flexible_round(&rod.flexible, radius, 0);
    return rod;
}

// In the plane x-y, gravity along -y.
static held_rod pendulum(const arne_body_spec *rod, int hinged, const arne_body_spec *link,
                         const arne_body_spec *tip)
{
    arne_builder   *b = rod_builder();
    arne_joint_spec hinge = arne_joint_spec_default();
    const char     *first = link ? link->name : "rod";
    assert_ok(arne_builder_set_gravity(b, (arne_vec3){0, -9.81, 0}));
    if (link) assert_ok(arne_builder_add_body(b, link, NULL));
    assert_ok(arne_builder_add_body(b, rod, NULL));
    hinge.name = "hinge";
    hinge.parent = "world";
    hinge.child = first;
    if (hinged)
        assert_ok(arne_builder_add_joint(b, &hinge, NULL));
    else
        rod_clamp(b, "world", first, 0);
    if (link) rod_clamp(b, link->name, "rod", 0.3);
    if (tip) {
        assert_ok(arne_builder_add_body(b, tip, NULL));
        rod_clamp(b, "rod", tip->name, 0);
    }
    return rod_finish(b);
}

static void pendulums(void **unused)
{
    json       *file = rod_reference("dynamics.json");
    const char *names[2] = {"pendulum_clamped", "pendulum_hinged"};
    (void)unused;
    for (int i = 0; i < 2; i++) {
        arne_body_spec rod = round_rod(0.5, 0.01, 5e6, 1100, 20);
        const json    *few = json_get(json_get(file, names[i]), "few_modes");
        rod.flexible.modes[ARNE_STRAIN_BEND_Z] = 3;
        held_rod         r = pendulum(&rod, i, NULL, NULL);
        const trajectory m = {json_get(few, "t"), json_get(few, "tip"), NULL, 1e-3, 0.5};
        agrees(names[i], motion_error(&r, &m), 1e-4);
        rod_release(&r);
    }
    json_free(file);
}

static void a_rod_behind_a_link(void **unused)
{
    json          *file = rod_reference("dynamics.json");
    const json    *few = json_get(json_get(file, "hybrid"), "few_modes");
    arne_body_spec rod = round_rod(0.4, 0.008, 1e7, 1200, 12), link = arne_body_spec_default(),
                   tip = arne_body_spec_default();
    (void)unused;
    rod.flexible.modes[ARNE_STRAIN_BEND_Z] = 2;
    link.name = "link";
    link.mass = 0.6;
    link.com.x = 0.15;
    link.inertia[1] = link.inertia[2] = 0.0045;
    tip.name = "body";
    tip.mass = 0.05;
    tip.com.x = 0.02;
    tip.inertia[0] = tip.inertia[1] = tip.inertia[2] = 2e-5;
    held_rod         r = pendulum(&rod, 1, &link, &tip);
    const trajectory m = {json_get(few, "t"), json_get(few, "tip"), NULL, 5e-4, 0.7};
    agrees("hybrid", motion_error(&r, &m), 1e-4);
    rod_release(&r);
    json_free(file);
}

// Many natural modes against the rod with many modes; shear, stretch and damping with few.
static void longer_ones(void **unused)
{
    json          *file = rod_reference("dynamics.json");
    const json    *given = json_get(file, "pendulum_clamped");
    arne_body_spec rod = round_rod(0.5, 0.01, 5e6, 1100, 24);
    (void)unused;
    rod.flexible.modes[ARNE_STRAIN_BEND_Z] = 16;
    rod.flexible.natural[ARNE_STRAIN_BEND_Z] = 10;
    held_rod         r = pendulum(&rod, 0, NULL, NULL);
    const trajectory many = {json_get(given, "t"), json_get(given, "tip"), NULL, 5e-4, 0.5};
    agrees("pendulum, 10 natural modes", motion_error(&r, &many), 1e-4);
    rod_release(&r);
    given = json_get(json_get(file, "pendulum_clamped_full_damped"), "few_modes");
    rod = round_rod(0.5, 0.015, 1e6, 1000, 16);
    rod.flexible.viscosity = 300;
    rod.flexible.modes[ARNE_STRAIN_BEND_Z] = rod.flexible.modes[ARNE_STRAIN_STRETCH] =
        rod.flexible.modes[ARNE_STRAIN_SHEAR_Y] = 2;
    r = pendulum(&rod, 0, NULL, NULL);
    const trajectory damped = {json_get(given, "t"), json_get(given, "tip"), NULL, 1e-4, 0.5};
    agrees("pendulum_clamped_full_damped", motion_error(&r, &damped), 1e-4);
    rod_release(&r);
    json_free(file);
}

// ---- a base that shakes

// R = Rz(a sin(w t)) Ry(pi/2), p = (ax sin, ay (1 - cos), 0).
static void base_shakes(const held_rod *r, double t)
{
    const double pi = acos(-1), wr = 2 * pi * 0.7, wx = 2 * pi * 1.2, wy = 2 * pi * 0.9;
    const double f = 0.5 * sin(wr * t), c = cos(f), s = sin(f);
    const double fd = 0.5 * wr * cos(wr * t), fdd = -0.5 * wr * wr * sin(wr * t);
    const double vx = 0.06 * wx * cos(wx * t), vy = 0.05 * wy * sin(wy * t);
    const double ax = -0.06 * wx * wx * sin(wx * t), ay = 0.05 * wy * wy * cos(wy * t);
    // columns: x -> -z, y -> (-s, c, 0), z -> (c, s, 0); the turn fd about z is -fd about x
    const arne_pose   pose = {{{0, 0, -1}, {-s, c, 0}, {c, s, 0}},
                              {0.06 * sin(wx * t), 0.05 * (1 - cos(wy * t)), 0}};
    const double      v[2] = {-s * vx + c * vy, c * vx + s * vy};
    const arne_motion twist = {{0, v[0], v[1]}, {-fd, 0, 0}};
    const arne_motion rate = {{0, -s * ax + c * ay - fd * v[1], c * ax + s * ay + fd * v[0]},
                              {-fdd, 0, 0}};
    arne_work_set_base(r->robot, r->work, &pose, &twist, &rate);
}

static void a_base_shakes(void **unused)
{
    json          *file = rod_reference("dynamics.json");
    const json    *few = json_get(json_get(file, "base_excited"), "few_modes");
    arne_body_spec rod = round_rod(0.5, 0.01, 5e6, 1100, 16);
    (void)unused;
    for (int k = 0; k < 3; k++)
        rod.flexible.modes[k] = 2;
    held_rod         r = rod_clamped(&rod, 9.81);
    const trajectory m = {json_get(few, "t"), json_get(few, "tip"), base_shakes, 2e-4, 0.5};
    agrees("base_excited", motion_error(&r, &m), 1e-4);
    rod_release(&r);
    json_free(file);
}

// ---- two rods in a row

// SoRoSim's motion with its five points a rod: within 1e-5 m over 3 s.
static void two_rods(void **unused)
{
    json           *file = rod_reference("dynamics.json");
    const json     *given = json_get(file, "complex_gvs_published");
    arne_body_spec  rods[2] = {round_rod(0.3, 0.03, 1e6, 1000, 5), {0}};
    arne_joint_spec joint = arne_joint_spec_default();
    arne_builder   *b = rod_builder();
    (void)unused;
    rods[0].flexible.viscosity = 1e4;
    rods[0].flexible.modes[ARNE_STRAIN_BEND_Y] = rods[0].flexible.modes[ARNE_STRAIN_BEND_Z] =
        rods[0].flexible.modes[ARNE_STRAIN_STRETCH] = 2;
    rods[1] = rods[0];
    rods[0].name = "first";
    assert_ok(arne_builder_set_gravity(b, (arne_vec3){-9.81, -9.81, 0}));
    for (int i = 0; i < 2; i++)
        assert_ok(arne_builder_add_body(b, &rods[i], NULL));
    joint.name = "clamp";
    joint.parent = "world";
    joint.child = "first";
    joint.kind = ARNE_JOINT_FIXED;
    joint.origin.R = (arne_mat3){{0, 0, 1}, {-1, 0, 0}, {0, -1, 0}}; // by columns
    assert_ok(arne_builder_add_joint(b, &joint, NULL));
    rod_clamp(b, "first", "rod", 0);
    held_rod         r = rod_finish(b);
    const trajectory m = {json_get(given, "t"), json_get(given, "sorosim"), NULL, 5e-5, 1};
    agrees("complex_gvs [m]", motion_error(&r, &m), 1e-5);
    rod_release(&r);
    json_free(file);
}

static arne_status rod_rate(void *context, double time, const double *q, const double *qd,
                            const double *z, double *qdd, double *zd, arne_error *error)
{
    const held_rod *r = context;
    const double    zero[MOST] = {0};
    (void)time, (void)z, (void)zd;
    return arne_forward_dynamics(r->robot, r->work, q, qd, zero, NULL, qdd, error);
}

static arne_status rod_linear(void *context, double time, const double *q, const double *qd,
                              const double *qdd, double *K, double *D, double *M, arne_error *error)
{
    const held_rod *r = context;
    (void)time, (void)error;
    arne_inverse_dynamics_derivatives(r->robot, r->work, q, qd, qdd, NULL, 0, K, D, M);
    return ARNE_OK;
}

// The tip after a tenth of a second from rest.
static arne_status rod_fall(held_rod *r, arne_integrator_options options, arne_vec3 *tip)
{
    const arne_system system = {
        .robot = r->robot, .context = r, .rate = rod_rate, .linear = rod_linear};
    const double     zero[MOST] = {0};
    arne_integrator *it;
    assert_ok(arne_integrator_new(&system, &options, &it, NULL));
    assert_ok(arne_integrator_start(it, 0, zero, zero, NULL, NULL));
    const arne_status status = arne_integrator_advance(it, 0.1, NULL, NULL);
    *tip = rod_tip(r, arne_integrator_q(it));
    arne_integrator_free(it);
    return status;
}

// Steel, and silicone with many modes of stretch, in steps of 1 ms: Runge-Kutta fails, Rosenbrock
// halves its step and has a quarter of the error.
static void stiff_rods_in_equal_steps(void **unused)
{
    (void)unused;
    for (int steel = 0; steel < 2; steel++) {
        arne_body_spec rod = round_rod(0.5, 0.01, steel ? 2e11 : 5e6, steel ? 7800 : 1100, 20);
        rod.flexible.modes[ARNE_STRAIN_BEND_Z] = steel ? 1 : 3;
        rod.flexible.modes[ARNE_STRAIN_STRETCH] = steel ? 2 : 12;
        held_rod                r = pendulum(&rod, 0, NULL, NULL);
        arne_integrator_options o = {
            .method = ARNE_METHOD_DORMAND_PRINCE, .relative = 1e-11, .absolute = 1e-11};
        arne_vec3 exact, tip;
        double    error[2];
        assert_ok(rod_fall(&r, o, &exact));
        o = (arne_integrator_options){.method = ARNE_METHOD_RK4, .step = 1e-3};
        assert_int_equal(rod_fall(&r, o, &tip), ARNE_DIVERGED);
        o.method = ARNE_METHOD_ROSENBROCK;
        for (int half = 0; half < 2; half++, o.step /= 2) {
            assert_ok(rod_fall(&r, o, &tip));
            error[half] = rod_distance(tip, (double[3]){exact.x, exact.y, exact.z}) / 0.5;
        }
        agrees(steel ? "steel, steps of 1 ms" : "silicone, steps of 1 ms", error[0],
               steel ? 1e-4 : 1e-3);
        print_message("%.3g %.3g: a ratio of %.2f\n", error[0], error[1], error[0] / error[1]);
        assert_true(error[0] > 3 * error[1] && error[0] < 5.5 * error[1]);
        rod_release(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulums),   cmocka_unit_test(a_rod_behind_a_link),
        cmocka_unit_test(longer_ones), cmocka_unit_test(a_base_shakes),
        cmocka_unit_test(two_rods),    cmocka_unit_test(stiff_rods_in_equal_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
