// Mechanisms with functions against Lagrange's equations of their own, written by hand in complex
// numbers: T = qd^T M qd / 2 gives M(q) exactly, and the complex step its derivatives to rounding:
//     tau = M qdd + dM/dt qd - dT/dq + dV/dq
// Splines are this file's own: the moments of a natural or periodic one by Gauss's elimination.
#include "testing.h"

#include <complex.h>
#include <stdlib.h>

typedef double _Complex number;
enum { MOST = 3, KNOTS = 8 };

// ---- splines by their second derivatives m at the points

typedef struct curve {
    int    count, periodic;
    double x[KNOTS], y[KNOTS], m[KNOTS];
} curve;

static void eliminate(int n, double A[KNOTS][KNOTS + 1])
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++) {
            const double f = i == k ? 0 : A[i][k] / A[k][k];
            for (int j = k; j <= n; j++)
                A[i][j] -= f * A[k][j];
        }
}

static void curve_solve(curve *c)
{
    double    A[KNOTS][KNOTS + 1] = {{0}};
    const int n = c->count;
    for (int i = 0; i < n; i++) {
        if (!c->periodic && (i == 0 || i == n - 1)) {
            A[i][i] = 1;
            continue;
        }
        if (i == n - 1) { // the last is the first
            A[i][0] = 1;
            A[i][i] = -1;
            continue;
        }
        const int    before = i ? i - 1 : n - 2;
        const double h = c->x[i + 1] - c->x[i], g = c->x[before + 1] - c->x[before];
        A[i][before] += g / 6;
        A[i][i] += (g + h) / 3;
        A[i][i + 1] += h / 6;
        A[i][n] = (c->y[i + 1] - c->y[i]) / h - (c->y[before + 1] - c->y[before]) / g;
    }
    eliminate(n, A);
    for (int i = 0; i < n; i++)
        c->m[i] = A[i][n] / A[i][i];
}

// Value and slope; the piece goes by the real part.
static void curve_at(const curve *c, number q, number out[2])
{
    int k = 0;
    while (k + 2 < c->count && creal(q) > c->x[k + 1])
        k++;
    const double h = c->x[k + 1] - c->x[k];
    const number a = (c->x[k + 1] - q) / h, b = (q - c->x[k]) / h;
    out[0] = a * c->y[k] + b * c->y[k + 1] +
             ((a * a * a - a) * c->m[k] + (b * b * b - b) * c->m[k + 1]) * h * h / 6;
    out[1] = (c->y[k + 1] - c->y[k]) / h +
             ((3 * b * b - 1) * c->m[k + 1] - (3 * a * a - 1) * c->m[k]) * h / 6;
}

// ---- Lagrange's equations

typedef struct mechanism {
    int n;
    number (*kinetic)(const number *q, const number *qd);
    number (*potential)(const number *q);
} mechanism;

static void mass_matrix(const mechanism *m, const number *q, number *M)
{
    for (int i = 0; i < m->n; i++)
        for (int j = 0; j < m->n; j++) {
            number a[MOST] = {0}, b[MOST] = {0}, both[MOST] = {0};
            a[i] = b[j] = 1;
            both[i] += 1;
            both[j] += 1;
            M[i * m->n + j] = m->kinetic(q, both) - m->kinetic(q, a) - m->kinetic(q, b);
        }
}

static void torques(const mechanism *m, const double *q, const double *qd, const double *qdd,
                    double *M, double *tau)
{
    const double e = 1e-30;
    number       along[MOST], still[MOST], speed[MOST], mass[MOST * MOST], rate[MOST * MOST];
    for (int i = 0; i < m->n; i++) {
        still[i] = q[i];
        speed[i] = qd[i];
        along[i] = q[i] + I * e * qd[i];
    }
    mass_matrix(m, still, mass);
    mass_matrix(m, along, rate);
    for (int i = 0; i < m->n; i++) {
        number moved[MOST];
        memcpy(moved, still, sizeof moved);
        moved[i] += I * e;
        tau[i] = (cimag(m->potential(moved)) - cimag(m->kinetic(moved, speed))) / e;
        for (int j = 0; j < m->n; j++) {
            const int at = i * m->n + j;
            M[at] = creal(mass[at]);
            tau[i] += M[at] * qdd[j] + cimag(rate[at]) / e * qd[j];
        }
    }
}

static void compare(const mechanism *m, const char *text, const double *lower, const double *upper)
{
    arne_builder *b = NULL;
    arne_error    error = {0};
    rng           r = rng_seed(11);
    assert_ok(arne_builder_new(&b));
    assert_ok_or(arne_read_text(b, text, strlen(text), "mechanism.yaml", &error), &error);
    arne_robot *robot = finish(b, NULL);
    arne_work  *work = new_work(robot);
    assert_int_equal(arne_robot_sizes(robot).v_count, m->n);
    for (int k = 0; k < 50; k++) {
        double q[MOST], qd[MOST], qdd[MOST], tau[MOST], own[MOST], M[MOST * MOST], H[MOST * MOST],
            again[MOST];
        for (int i = 0; i < m->n; i++) {
            q[i] = rng_uniform(&r, lower[i], upper[i]);
            qd[i] = rng_uniform(&r, -3, 3);
            qdd[i] = rng_uniform(&r, -9, 9);
        }
        torques(m, q, qd, qdd, M, own);
        arne_inverse_dynamics(robot, work, q, qd, qdd, NULL, tau);
        arne_mass_matrix(robot, work, q, H);
        assert_ok(arne_forward_dynamics(robot, work, q, qd, own, NULL, again, NULL));
        double size = 0;
        for (int i = 0; i < m->n; i++)
            size = fmax(size, fabs(own[i]));
        for (int i = 0; i < m->n; i++)
            assert_true(fabs(tau[i] - own[i]) < 1e-10 * size &&
                        fabs(again[i] - qdd[i]) < 1e-10 * 9);
        for (int i = 0; i < m->n * m->n; i++)
            assert_true(fabs(H[i] - M[i]) < 1e-10 * fabs(M[0]));
    }
    arne_work_free(work);
    arne_robot_free(robot);
    arne_builder_free(b);
}

// ---- a knee: the tibia turns by the angle and slides over the femur by two splines; the patella
// turns on the femur by a third one

static curve roll = {5, 0, {-2, -1.2, -0.5, 0, 0.3}, {0.012, 0.009, 0.004, 0, -0.002}, {0}};
static curve drop = {5, 0, {-2, -1.2, -0.5, 0, 0.3}, {-0.42, -0.41, -0.397, -0.4, -0.404}, {0}};
static curve cap = {4, 0, {-2, -1, 0, 0.3}, {-1.4, -0.8, 0.1, 0.2}, {0}};

static const char KNEE[] =
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  - {name: pelvis}\n"
    "  - {name: femur, mass: 9, com: [0.01, -0.17, 0], inertia: [0.1, 0.1, 0.13]}\n"
    "  - {name: tibia, mass: 4, com: [-0.02, -0.19, 0], inertia: [0.1, 0.1, 0.05]}\n"
    "  - {name: patella, mass: 0.2, com: [0.05, 0.02, 0], inertia: [1, 1, 1e-3]}\n"
    "joints:\n"
    "  - {name: hip, kind: revolute, parent: pelvis, child: femur}\n"
    "  - {name: cap, kind: revolute, parent: femur, child: patella, origin: {xyz: [0, -0.38, 0]},\n"
    "     follows: {joint: knee, spline: {x: [-2, -1, 0, 0.3], y: [-1.4, -0.8, 0.1, 0.2]}}}\n"
    "custom_joints:\n"
    "  - name: knee_joint\n"
    "    parent: femur\n"
    "    child: tibia\n"
    "    coordinates: [{name: knee}]\n"
    "    rotations: [{axis: [0, 0, 1], coordinate: knee}]\n"
    "    translations:\n"
    "      - {axis: [1, 0, 0], follows: {joint: knee, spline: {x: [-2, -1.2, -0.5, 0, 0.3],\n"
    "         y: [0.012, 0.009, 0.004, 0, -0.002]}}}\n"
    "      - {axis: [0, 1, 0], follows: {joint: knee, spline: {x: [-2, -1.2, -0.5, 0, 0.3],\n"
    "         y: [-0.42, -0.41, -0.397, -0.4, -0.404]}}}\n";

// A body in the plane that turns by angle + hip, whose origin is at (x, y) on the femur: the place
// of its centre c, and its kinetic energy.
typedef struct plane_body {
    double mass, inertia, c[2];
} plane_body;

static number plane_kinetic(const plane_body *b, number hip, number hip_rate, const number at[2],
                            const number rate[2], number turn, number turn_rate)
{
    const number s = csin(turn), c = ccos(turn); // relative to the femur
    const number p[2] = {at[0] + c * b->c[0] - s * b->c[1], at[1] + s * b->c[0] + c * b->c[1]};
    const number v[2] = {rate[0] - turn_rate * (p[1] - at[1]) - hip_rate * p[1],
                         rate[1] + turn_rate * (p[0] - at[0]) + hip_rate * p[0]};
    const number w = hip_rate + turn_rate;
    (void)hip;
    return (b->mass * (v[0] * v[0] + v[1] * v[1]) + b->inertia * w * w) / 2;
}

static number plane_height(const plane_body *b, number hip, const number at[2], number turn)
{
    const number s = csin(turn), c = ccos(turn);
    const number p[2] = {at[0] + c * b->c[0] - s * b->c[1], at[1] + s * b->c[0] + c * b->c[1]};
    return csin(hip) * p[0] + ccos(hip) * p[1];
}

static const plane_body femur = {9, 0.13, {0.01, -0.17}}, tibia = {4, 0.05, {-0.02, -0.19}},
                        patella = {0.2, 1e-3, {0.05, 0.02}};

static number knee_kinetic(const number *q, const number *qd)
{
    number       x[2], y[2], a[2];
    const number none[2] = {0, 0}, still[2] = {0, -0.38};
    curve_at(&roll, q[1], x);
    curve_at(&drop, q[1], y);
    curve_at(&cap, q[1], a);
    const number at[2] = {x[0], y[0]}, rate[2] = {x[1] * qd[1], y[1] * qd[1]};
    return plane_kinetic(&femur, q[0], qd[0], none, none, 0, 0) +
           plane_kinetic(&tibia, q[0], qd[0], at, rate, q[1], qd[1]) +
           plane_kinetic(&patella, q[0], qd[0], still, none, a[0], a[1] * qd[1]);
}

static number knee_potential(const number *q)
{
    number       x[2], y[2], a[2];
    const number none[2] = {0, 0}, still[2] = {0, -0.38};
    curve_at(&roll, q[1], x);
    curve_at(&drop, q[1], y);
    curve_at(&cap, q[1], a);
    const number at[2] = {x[0], y[0]};
    return 9.81 *
           (9 * plane_height(&femur, q[0], none, 0) + 4 * plane_height(&tibia, q[0], at, q[1]) +
            0.2 * plane_height(&patella, q[0], still, a[0]));
}

static void knees_roll_and_slide(void **unused)
{
    static const double lower[] = {-1, -1.95}, upper[] = {1.5, 0.25};
    const mechanism     knee = {2, knee_kinetic, knee_potential};
    (void)unused;
    curve_solve(&roll);
    curve_solve(&drop);
    curve_solve(&cap);
    compare(&knee, KNEE, lower, upper);
}

// ---- a cam with a follower on a spring: the lift repeats with every turn

static curve lift = {
    6, 1, {0, 1, 2.5, 4, 5.5, 6.283185307179586}, {0, 0.01, 0.03, 0.02, 0.005, 0}, {0}};

static const char CAM[] =
    "bodies:\n"
    "  - {name: frame}\n"
    "  - {name: cam, mass: 0.8, com: [0.01, 0.02, 0], inertia: [1e-3, 2e-3, 3e-3]}\n"
    "  - {name: follower, mass: 0.3}\n"
    "joints:\n"
    "  - {name: shaft, kind: revolute, parent: frame, child: cam, axis: [0, 1, 0],\n"
    "     rotor_inertia: 0.002}\n"
    "  - {name: lifter, kind: prismatic, parent: frame, child: follower, rotor_inertia: 0.1,\n"
    "     follows: {joint: shaft, spline: {x: [0, 1, 2.5, 4, 5.5, 6.283185307179586],\n"
    "       y: [0, 0.01, 0.03, 0.02, 0.005, 0], ends: periodic}}}\n"
    "elastic: [{joint: lifter, stiffness: 900, rest: -0.02}]\n";

static number cam_kinetic(const number *q, const number *qd)
{
    number y[2];
    curve_at(&lift, q[0], y);
    // About y: the cam's own inertia, and its centre at 0.01, 0 from the axis.
    return (2e-3 + 0.8 * 1e-4 + 0.002 + (0.3 + 0.1) * y[1] * y[1]) * qd[0] * qd[0] / 2;
}

static number cam_potential(const number *q)
{
    number y[2];
    curve_at(&lift, q[0], y);
    return 9.81 * (0.3 * y[0] - 0.8 * 0.01 * csin(q[0])) + 450 * (y[0] + 0.02) * (y[0] + 0.02);
}

static void cams_lift_followers(void **unused)
{
    static const double lower[] = {0.01}, upper[] = {6.27};
    const mechanism     cam = {1, cam_kinetic, cam_potential};
    (void)unused;
    curve_solve(&lift);
    compare(&cam, CAM, lower, upper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knees_roll_and_slide),
        cmocka_unit_test(cams_lift_followers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
