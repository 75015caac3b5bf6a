// Parallel robots: the Gough-Stewart platform of tests/data, forces to 1e-9 and accelerations to 1e-8, and what platform
// and legs have in common with trees and loops.
#include "testing.h"

#include "closed.h"
#include "json.h"

#include <stdio.h>

enum { LEGS = 6 };

static void quaternion_of(const double *rpy, double *h)
{
    const double cr = cos(rpy[0] / 2), sr = sin(rpy[0] / 2), cp = cos(rpy[1] / 2);
    const double sp = sin(rpy[1] / 2), cy = cos(rpy[2] / 2), sy = sin(rpy[2] / 2);
    h[0] = sr * cp * cy - cr * sp * sy;
    h[1] = cr * sp * cy + sr * cp * sy;
    h[2] = cr * cp * sy - sr * sp * cy;
    h[3] = cr * cp * cy + sr * sp * sy;
}

// R^T x, of a matrix by rows.
static arne_vec3 turned_back(const double *R, const double *x)
{
    return v3(R[0] * x[0] + R[3] * x[1] + R[6] * x[2], R[1] * x[0] + R[4] * x[1] + R[7] * x[2],
              R[2] * x[0] + R[5] * x[1] + R[8] * x[2]);
}

static void put(double *out, arne_vec3 a)
{
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
}

// The platform of a sample: its twist and the rate of that twist's numbers, in its own axes.
static void sample_platform(const json *at, state *s)
{
    double R[9], rpy[3], v[3], w[3], a[3], dw[3];
    json_numbers(json_get(at, "p"), s->q, 3);
    json_numbers(json_get(at, "R"), R, 9);
    json_numbers(json_get(at, "euler_roll_pitch_yaw"), rpy, 3);
    json_numbers(json_get(at, "v"), v, 3);
    json_numbers(json_get(at, "omega"), w, 3);
    json_numbers(json_get(at, "a"), a, 3);
    json_numbers(json_get(at, "omega_dot"), dw, 3);
    quaternion_of(rpy, s->q + 3);
    const arne_vec3 lin = turned_back(R, v), ang = turned_back(R, w), acc = turned_back(R, a);
    put(s->qd, lin);
    put(s->qd + 3, ang);
    put(s->qdd, v3(acc.x - (ang.y * lin.z - ang.z * lin.y), acc.y - (ang.z * lin.x - ang.x * lin.z),
                   acc.z - (ang.x * lin.y - ang.y * lin.x)));
    put(s->qdd + 3, turned_back(R, dw));
}

// The legs of a sample: its angles start a quarter turn from ours, and its second one turns the other way.
static void sample_legs(const json *at, state *s)
{
    const double quarter = 1.57079632679489661923;
    for (int i = 0; i < LEGS; i++) {
        const json *leg = json_at(json_get(at, "legs"), i);
        double     *q = s->q + 7 + 3 * i, *qd = s->qd + 6 + 3 * i, *qdd = s->qdd + 6 + 3 * i;
        json_numbers(json_get(leg, "q"), q, 3);
        json_numbers(json_get(leg, "qd"), qd, 3);
        json_numbers(json_get(leg, "qdd"), qdd, 3);
        q[0] += quarter;
        q[1] = quarter - q[1];
        qd[1] = -qd[1];
        qdd[1] = -qdd[1];
    }
}

static void check_forces(const state *s, const char *what, const double *tau, const json *at)
{
    double forces[LEGS], wanted[LEGS];
    json_numbers(json_get(at, "Gamma"), wanted, LEGS);
    for (int i = 0; i < LEGS; i++)
        forces[i] = tau[8 + 3 * i];
    assert_close(s, what, forces, wanted, LEGS, 1e-9);
}

static void check_sample(const closed *c, const json *at)
{
    state      s = {.robot = c->robot, .size = c->size};
    double     tau[MAX_V], qdd[MAX_V];
    arne_error error = {0};
    sample_platform(at, &s);
    sample_legs(at, &s);
    assert_true(arne_loop_closure(c->robot, c->work, c->loop, s.q, NULL) < 1e-12);
    assert_ok_or(arne_loop_inverse_dynamics(c->robot, c->work, c->loop, s.q, s.qd, s.qdd, NULL,
                                            NULL, tau, &error),
                 &error);
    check_forces(&s, "leg forces", tau, at);
    assert_ok_or(arne_loop_forward_dynamics(c->robot, c->work, c->loop, s.q, s.qd, tau, NULL, NULL,
                                            qdd, &error),
                 &error);
    assert_close(&s, "direct dynamics", qdd, s.qdd, c->size.v_count, 1e-8);
}

static void gough_stewart(void **unused)
{
    (void)unused;
    json       *file = json_read(TEST_DATA_DIR "/gough_stewart.json");
    const json *samples = json_get(file, "samples");
    closed      c = closed_file("gough_stewart");
    for (int i = 0; i < json_count(samples); i++)
        check_sample(&c, json_at(samples, i));
    assert_int_equal(json_count(samples), 11);
    closed_free(&c);
    json_free(file);
}

// The homes of the files are closed as they are, on the side that the files say.
static void homes(void **unused)
{
    (void)unused;
    static const char *const files[] = {"gough_stewart", "delta", "planar_3rrr"};
    for (int i = 0; i < 3; i++) {
        closed        c = closed_make(read_robot(files[i], NULL));
        arne_assembly found;
        assert_true(arne_loop_closure(c.robot, c.work, c.loop, c.home, NULL) < 1e-14);
        assert_ok(arne_assemble(c.robot, c.work, c.loop, NULL, c.home, &found, NULL));
        assert_int_equal(found.starts, 1);
        closed_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gough_stewart), cmocka_unit_test(homes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
