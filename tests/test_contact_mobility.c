// J M^-1 J^T of few rows without the columns of M^-1 J^T: M itself says whether it is right.
#include "algo/contact_mobility.h"
#include "robots.h"
#include "testing.h"
#include <arne/arne.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 3, ROWS = 3 * POINTS + 3 + 1 };

// Three points, two bodies against each other, and a joint by itself.
static void draw_rows(const arne_robot *robot, int seed, contact_rows *rows)
{
    rng       r = rng_seed((uint64_t)seed);
    const int nv = arne_robot_sizes(robot).v_count;
    size_t    at = 0;
    for (int i = 0; i < POINTS + 2; i++) {
        contact_rows *c = &rows[i];
        memset(c, 0, sizeof *c);
        c->coordinate = i > POINTS ? rng_below(&r, nv) : -1;
        c->rows = i > POINTS ? 1 : 3;
        c->body[0] = 1 + rng_below(&r, arne_robot_sizes(robot).body_count - 1);
        c->body[1] = -1;
        if (i == POINTS) c->body[1] = 1 + rng_below(&r, arne_robot_sizes(robot).body_count - 1);
        c->point = (arne_vec3){rng_uniform(&r, -1, 1), rng_uniform(&r, -1, 1), 0.3};
        c->axis[0] = (arne_vec3){1, 0, 0};
        c->axis[1] = (arne_vec3){0, 0.6, 0.8};
        c->axis[2] = (arne_vec3){0, -0.8, 0.6};
        c->turns = i == 1;
        c->count = nv;
        c->body_first = 1;
        c->body_end = arne_robot_sizes(robot).body_count;
        c->at = at;
        at += (size_t)(c->rows * nv);
    }
}

// M v = J^T p + t b, and the rows move as K and the rates say.
static int check_law(const arne_robot *robot, arne_work *work, const double *q, int seed)
{
    const int    nv = arne_robot_sizes(robot).v_count, stride = contact_stride(ROWS);
    contact_rows rows[POINTS + 2];
    double       K[ROWS * ROWS], rates[ROWS], p[ROWS + 8] = {0}, u[ROWS];
    double      *J = calloc((size_t)(nv * (ROWS + stride + nv + 3)), sizeof *J);
    double      *inward = J + nv * ROWS, *M = inward + nv * stride, *v = M + nv * nv;
    double      *wanted = v + nv, *b = wanted + nv;
    rng          r = rng_seed((uint64_t)seed + 17);
    draw_rows(robot, seed, rows);
    for (int k = 0; k < nv; k++)
        b[k] = rng_uniform(&r, -1, 1);
    for (int i = 0; i <= ROWS; i++)
        p[i] = rng_uniform(&r, -1, 1);
    const int can = contact_mobility(robot, work, q, rows, POINTS + 2, b, J, inward, K, rates);
    if (can) {
        contact_impulses(robot, work, inward, stride, p, v);
        for (int k = 0; k < nv; k++)
            wanted[k] = p[ROWS] * b[k];
        for (int i = 0; i < ROWS; i++) {
            u[i] = p[ROWS] * rates[i];
            for (int k = 0; k < nv; k++)
                wanted[k] += J[i * nv + k] * p[i];
            for (int j = 0; j < ROWS; j++)
                u[i] += K[i * ROWS + j] * p[j];
            for (int k = 0; k < nv; k++)
                u[i] -= J[i * nv + k] * v[k];
        }
        double largest = 1;
        for (int k = 0; k < nv; k++)
            largest = fmax(largest, fabs(v[k]));
        for (int i = 0; i < ROWS; i++)
            assert_true(fabs(u[i]) < 1e-9 * largest);
        arne_mass_matrix(robot, work, q, M);
        for (int i = 0; i < nv; i++) {
            for (int k = 0; k < nv; k++)
                wanted[i] -= M[i * nv + k] * v[k];
            assert_true(fabs(wanted[i]) < 1e-9 * largest);
        }
    }
    free(J);
    return can;
}

static void few_rows(void **unused)
{
    int looked = 0;
    (void)unused;
    EACH_ROBOT_OF (robot, work, 200 / TEST_PART) {
        if (arne_robot_sizes(robot).v_count == 0) continue;
        EACH_STATE (s, robot, work) {
            arne_kinematics(robot, work, s.q, NULL, NULL);
            looked += check_law(robot, work, s.q, (int)s.seed);
        }
    }
    assert_true(looked > 100 / TEST_PART);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(few_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
