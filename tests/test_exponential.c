// Exponential joints: two in a row against Lagrange's equations, whose poses are exponentials of 4
// x 4 matrices; small turns; files.
#include "testing.h"
#include <complex.h>

enum { STRAINS = 3, N = 2 * STRAINS };

static const arne_strain STRAIN[2][STRAINS] = {
    {ARNE_STRAIN_BEND_Y, ARNE_STRAIN_BEND_Z, ARNE_STRAIN_STRETCH},
    {ARNE_STRAIN_TWIST, ARNE_STRAIN_BEND_Z, ARNE_STRAIN_SHEAR_Y}};
static const double MASS[2] = {1.3, 0.7}, COM[2][3] = {{0.1, 0.02, -0.03}, {0.05, -0.04, 0.02}},
                    INERTIA[2][3] = {{0.02, 0.03, 0.04}, {0.01, 0.015, 0.012}};

static arne_robot *two_joints(void)
{
    static const char *const links[] = {"base", "one", "two"}, *const joints[] = {"a", "b"};
    arne_builder  *b = NULL;
    arne_robot    *robot = NULL;
    arne_body_spec body = arne_body_spec_default();
    assert_ok(arne_builder_new(&b));
    body.name = links[0];
    assert_ok(arne_builder_add_body(b, &body, NULL));
    for (int i = 0; i < 2; i++) {
        arne_joint_spec joint = arne_joint_spec_default();
        body = arne_body_spec_default();
        body.name = links[i + 1];
        body.mass = MASS[i];
        body.com = (arne_vec3){COM[i][0], COM[i][1], COM[i][2]};
        memcpy(body.inertia, INERTIA[i], sizeof INERTIA[i]);
        assert_ok(arne_builder_add_body(b, &body, NULL));
        joint.name = joints[i];
        joint.parent = links[i];
        joint.child = links[i + 1];
        joint.kind = ARNE_JOINT_EXPONENTIAL;
        joint.rest[0][ARNE_STRAIN_STRETCH] = joint.rest[1][ARNE_STRAIN_STRETCH] = 0.4;
        assert_ok(arne_builder_add_joint(b, &joint, NULL));
        for (int k = 0; k < STRAINS; k++) {
            arne_body_spec   still = arne_body_spec_default();
            arne_joint_spec  own = arne_joint_spec_default();
            arne_strain_spec strain = {joints[i], NULL, STRAIN[i][k], {1, 1}, {0}};
            char             name[8] = {'s', (char)('0' + i), (char)('0' + k), 0};
            still.name = own.name = own.child = strain.with = name;
            own.parent = "base";
            own.kind = ARNE_JOINT_STRAIN;
            assert_ok(arne_builder_add_body(b, &still, NULL));
            assert_ok(arne_builder_add_joint(b, &own, NULL));
            assert_ok(arne_builder_add_strain(b, &strain, NULL));
        }
    }
    assert_ok(arne_builder_finish(b, NULL, &robot, NULL));
    arne_builder_free(b);
    return robot;
}

// ---- Lagrange ----

typedef double complex matrix[4][4];

static void matrix_times(matrix a, matrix b, matrix out)
{
    matrix c;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            c[i][k] = 0;
            for (int j = 0; j < 4; j++)
                c[i][k] += a[i][j] * b[j][k];
        }
    memcpy(out, c, sizeof c);
}

static void matrix_exp(matrix a, matrix out)
{
    matrix term = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    memcpy(out, term, sizeof term);
    for (int n = 1; n < 40; n++) {
        matrix_times(term, a, term);
        for (int i = 0; i < 16; i++)
            out[i / 4][i % 4] += term[i / 4][i % 4] /= n;
    }
}

// The poses of both bodies.
static void poses(const double complex *q, matrix out[2])
{
    for (int i = 0; i < 2; i++) {
        double complex x[6] = {0, 0, 0, 0.4, 0, 0};
        matrix         step;
        for (int k = 0; k < STRAINS; k++)
            x[STRAIN[i][k]] += q[i * STRAINS + k];
        matrix twist = {
            {0, -x[2], x[1], x[3]}, {x[2], 0, -x[0], x[4]}, {-x[1], x[0], 0, x[5]}, {0, 0, 0, 0}};
        matrix_exp(twist, step);
        if (i == 0)
            memcpy(out[0], step, sizeof step);
        else
            matrix_times(out[0], step, out[1]);
    }
}

// M and the potential energy, with the columns of Jacobians by the complex step.
static double mass_and_height(const double *q, double M[N][N])
{
    const double   h = 1e-30;
    double complex z[N];
    matrix         X[2];
    double         v[N][2][6], height = 0;
    for (int j = 0; j < N; j++) {
        for (int k = 0; k < N; k++)
            z[k] = q[k] + (k == j ? h * I : 0);
        poses(z, X);
        for (int b = 0; b < 2; b++) {
            double w[3][3];
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) {
                    w[r][c] = 0;
                    for (int k = 0; k < 3; k++)
                        w[r][c] += creal(X[b][k][r]) * cimag(X[b][k][c]) / h;
                }
            const double turn[3] = {w[2][1], w[0][2], w[1][0]};
            for (int r = 0; r < 3; r++) { // of the centre of mass, in body axes
                v[j][b][r] = turn[(r + 1) % 3] * COM[b][(r + 2) % 3] -
                             turn[(r + 2) % 3] * COM[b][(r + 1) % 3];
                for (int k = 0; k < 3; k++)
                    v[j][b][r] += creal(X[b][k][r]) * cimag(X[b][k][3]) / h;
                v[j][b][3 + r] = turn[r];
            }
        }
    }
    for (int b = 0; b < 2; b++) {
        double z_com = creal(X[b][2][3]);
        for (int k = 0; k < 3; k++)
            z_com += creal(X[b][2][k]) * COM[b][k];
        height += 9.81 * MASS[b] * z_com;
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            M[i][j] = 0;
            for (int b = 0; b < 2; b++)
                for (int k = 0; k < 3; k++)
                    M[i][j] += MASS[b] * v[i][b][k] * v[j][b][k] +
                               INERTIA[b][k] * v[i][b][3 + k] * v[j][b][3 + k];
        }
    return height;
}

// tau = M qdd + dM/dt qd - d(T - V)/dq, with differences of the sixth order.
static void lagrange(const double *q, const double *qd, const double *qdd, double *tau)
{
    static const double factor[3] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
    const double        h = 4e-3;
    double              M[N][N];
    mass_and_height(q, M);
    for (int i = 0; i < N; i++) {
        tau[i] = 0;
        for (int j = 0; j < N; j++)
            tau[i] += M[i][j] * qdd[j];
    }
    for (int l = 0; l < N; l++) {
        double dM[N][N] = {{0}}, dV = 0, dT = 0;
        for (int s = 1; s <= 3; s++)
            for (int sign = -1; sign <= 1; sign += 2) {
                double near[N];
                memcpy(near, q, sizeof near);
                near[l] += sign * s * h;
                dV += sign * factor[s - 1] / h * mass_and_height(near, M);
                for (int i = 0; i < N * N; i++)
                    dM[i / N][i % N] += sign * factor[s - 1] / h * M[i / N][i % N];
            }
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                tau[i] += dM[i][j] * qd[l] * qd[j];
                dT += 0.5 * dM[i][j] * qd[i] * qd[j];
            }
        tau[l] += dV - dT;
    }
}

static void torques_are_lagranges(void **unused)
{
    arne_robot *robot = two_joints();
    arne_work  *work = NULL;
    rng         r = rng_seed(3);
    (void)unused;
    assert_ok(arne_work_new(robot, &work));
    assert_int_equal(arne_robot_sizes(robot).v_count, N);
    for (int trial = 0; trial < 10; trial++) {
        double       q[N], qd[N], qdd[N], tau[N], expected[N];
        const double size = trial == 0 ? 0 : trial == 1 ? 1e-12 : trial == 2 ? 1e-4 : 1;
        for (int i = 0; i < N; i++) {
            q[i] = size * rng_uniform(&r, -1, 1);
            qd[i] = rng_uniform(&r, -1, 1);
            qdd[i] = rng_uniform(&r, -1, 1);
        }
        arne_inverse_dynamics(robot, work, q, qd, qdd, NULL, tau);
        lagrange(q, qd, qdd, expected);
        for (int i = 0; i < N; i++)
            assert_true(fabs(tau[i] - expected[i]) < 1e-10);
    }
    arne_work_free(work);
    arne_robot_free(robot);
}

// Turns that are too large are told.
static void large_turns_are_told(void **unused)
{
    arne_robot *robot = two_joints();
    double      q[N] = {0.5, 0.5, 0, 0, 0, 0};
    (void)unused;
    assert_int_equal(arne_joint_beyond(robot, q), -1);
    q[0] = 0.9;
    assert_int_equal(arne_joint_beyond(robot, q), arne_find_joint(robot, "a"));
    arne_robot_free(robot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(torques_are_lagranges),
        cmocka_unit_test(large_turns_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
