// Laws that tie the algorithms of dynamics to each other, on every robot, from random states.
#include "testing.h"

#include "losses.h"
#include "walker_orin.h"
#include <stdio.h>

typedef double matrix[MAX_V * MAX_V];

// Forward dynamics undoes inverse dynamics, by either method, with wrenches on every link.
static void forward_undoes_inverse(void **unused)
{
    (void)unused;
    matrix M;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            const int n = s.size.v_count;
            double    tau[MAX_V], qdd[MAX_V], by_matrix[MAX_V];

            arne_mass_matrix(robot, work, s.q, M);
            arne_inverse_dynamics(robot, work, s.q, s.qd, s.qdd, s.f_ext, tau);
            assert_ok(arne_forward_dynamics(robot, work, s.q, s.qd, tau, s.f_ext, qdd, NULL));
            assert_direct_close(&s, "qdd of the recursion", qdd, s.qdd, n, 1e-10, M);
            assert_ok(arne_forward_dynamics_matrix(robot, work, s.q, s.qd, tau, s.f_ext, by_matrix,
                                                   NULL));
            assert_direct_close(&s, "qdd by matrix", by_matrix, s.qdd, n, 1e-10, M);
        }
}

// Whatever the condition of M, the accelerations found need the torques given.
static void torque_residual(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            double qdd[MAX_V], tau[MAX_V];

            assert_ok(arne_forward_dynamics(robot, work, s.q, s.qd, s.tau, s.f_ext, qdd, NULL));
            arne_inverse_dynamics(robot, work, s.q, s.qd, qdd, s.f_ext, tau);
            assert_close(&s, "torque residual of the recursion", tau, s.tau, s.size.v_count, 1e-10);

            assert_ok(
                arne_forward_dynamics_matrix(robot, work, s.q, s.qd, s.tau, s.f_ext, qdd, NULL));
            arne_inverse_dynamics(robot, work, s.q, s.qd, qdd, s.f_ext, tau);
            assert_close(&s, "torque residual by matrix", tau, s.tau, s.size.v_count, 1e-10);
        }
}

// Cholesky's pivots are all positive: M is positive definite.
static int is_positive_definite(const double *M, int n)
{
    matrix L;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            const double rest = M[i * n + j] - dot(L + i * n, L + j * n, j);
            if (i == j && !(rest > 0)) return 0;
            L[i * n + j] = i == j ? sqrt(rest) : rest / L[j * n + j];
        }
    return 1;
}

static void mass_matrix_is_symmetric_and_positive_definite(void **unused)
{
    (void)unused;
    matrix M;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            const int n = s.size.v_count;
            arne_mass_matrix(robot, work, s.q, M);
            for (int i = 0; i < n; i++)
                for (int j = 0; j < i; j++)
                    assert_same(&s, "symmetry of M", M[i * n + j], M[j * n + i], 0);
            if (!is_positive_definite(M, n))
                fail_msg("%s, state %d: M is not positive definite", arne_robot_name(robot),
                         (int)s.seed);
        }
}

static void mass_matrix_and_bias_are_walker_and_orins(void **unused)
{
    (void)unused;
    matrix M, slow;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            const int n = s.size.v_count;
            double    bias[MAX_V], slow_bias[MAX_V];

            walker_orin_mass_matrix(&s, work, slow);
            arne_mass_matrix(robot, work, s.q, M);
            assert_close(&s, "M", M, slow, n * n, 1e-10);

            walker_orin_bias(&s, work, s.f_ext, slow_bias);
            arne_bias(robot, work, s.q, s.qd, s.f_ext, bias);
            assert_close(&s, "bias", bias, slow_bias, n, 1e-10);
        }
}

// tau = M qdd + bias: what the two matrices' worth of algorithms say together.
static void equation_of_motion(void **unused)
{
    (void)unused;
    matrix M;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            const int n = s.size.v_count;
            double    tau[MAX_V], sum[MAX_V], bias[MAX_V];

            arne_inverse_dynamics(robot, work, s.q, s.qd, s.qdd, s.f_ext, tau);
            arne_mass_matrix(robot, work, s.q, M);
            arne_bias(robot, work, s.q, s.qd, s.f_ext, bias);
            multiply(M, s.qdd, n, n, sum);
            for (int i = 0; i < n; i++)
                sum[i] += bias[i];
            assert_close(&s, "M qdd + bias", sum, tau, n, 1e-10);
        }
}

// L^T D L, with L's strict lower part and D on the diagonal.
static void expand_factor(const double *F, int n, double *M)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = i > j ? i : j; k < n; k++)
                sum += (k == i ? 1 : F[k * n + i]) * F[k * n + k] * (k == j ? 1 : F[k * n + j]);
            M[i * n + j] = sum;
        }
}

static void factor_and_solve(void **unused)
{
    (void)unused;
    matrix M, F, again;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            const int n = s.size.v_count;
            double    x[MAX_V];

            arne_mass_matrix(robot, work, s.q, M);
            memcpy(F, M, sizeof(double) * (size_t)(n * n));
            assert_ok(arne_factor(robot, F, NULL));
            expand_factor(F, n, again);
            assert_close(&s, "L^T D L", again, M, n * n, 1e-10);
            for (int i = 0; i < n; i++)
                assert_close(&s, "upper part of the factor", F + i * n + i + 1, M + i * n + i + 1,
                             n - i - 1, 0);

            multiply(M, s.qdd, n, n, x);
            arne_solve(robot, F, x);
            assert_direct_close(&s, "M^-1 (M x)", x, s.qdd, n, 1e-10, M);
        }
}

// Joint i of so many: along a chain, in branches of 20 one after the other, or in three branches by
// turns.
typedef enum shape { CHAIN, BRANCHES, TURNS, SHAPES } shape;

static int parent_of(shape s, int i)
{
    if (s == BRANCHES && i > 1 && i % 20 == 0) return 1;
    return s == TURNS ? (i > 3 ? i - 3 : 0) : i - 1;
}

static arne_robot *long_robot(shape s, int count)
{
    arne_builder *builder = NULL;
    arne_error    error;
    assert_ok(arne_builder_new(&builder));
    for (int i = 0; i <= count; i++) {
        arne_body_spec  body = arne_body_spec_default();
        arne_joint_spec joint = arne_joint_spec_default();
        char            name[16], parent[16];
        snprintf(name, sizeof name, "b%d", i);
        snprintf(parent, sizeof parent, "b%d", i ? parent_of(s, i) : 0);
        body.name = joint.name = joint.child = name;
        body.mass = 1;
        body.com = (arne_vec3){0.05, 0.01, 0.02};
        body.inertia[0] = body.inertia[1] = body.inertia[2] = 2e-3;
        assert_ok_or(arne_builder_add_body(builder, &body, &error), &error);
        if (i == 0) continue;
        joint.parent = parent;
        joint.axis = (arne_vec3){i % 3 == 0, i % 3 == 1, i % 3 == 2};
        joint.origin.p = (arne_vec3){0.1, 0, 0.02};
        assert_ok_or(arne_builder_add_joint(builder, &joint, &error), &error);
    }
    arne_robot *robot = finish(builder, NULL);
    arne_builder_free(builder);
    return robot;
}

// How M is computed depends on the number of coordinates and on their order.
static void columns_of_the_mass_matrix_are_torques(void **unused)
{
    static const int counts[] = {1, 2, 3, 4, 5, 6, 7, 9, 18, 63, 64, 65, 70};
    static double    M[70 * 70], q[70], zero[70], unit[70], gravity[70], tau[70];
    (void)unused;
    for (int k = 0; k < 70; k++)
        q[k] = sin(1.7 * k);
    for (int i = 0; i < SHAPES * (int)(sizeof counts / sizeof *counts); i++) {
        const int   n = counts[i / SHAPES];
        arne_robot *robot = long_robot((shape)(i % SHAPES), n);
        arne_work  *work = new_work(robot);
        arne_mass_matrix(robot, work, q, M);
        arne_inverse_dynamics(robot, work, q, zero, zero, NULL, gravity);
        for (int k = 0; k < n; k++) {
            unit[k] = 1;
            arne_inverse_dynamics(robot, work, q, zero, unit, NULL, tau);
            unit[k] = 0;
            for (int l = 0; l < n; l++) {
                assert_true(fabs(tau[l] - gravity[l] - M[l * n + k]) <= 1e-12 * M[0]);
                assert_true(M[l * n + k] == M[k * n + l]);
            }
        }
        arne_work_free(work);
        arne_robot_free(robot);
    }
}

static void inverse_mass_matrix(void **unused)
{
    (void)unused;
    matrix M, Minv, product, identity;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            const int n = s.size.v_count;

            arne_mass_matrix(robot, work, s.q, M);
            assert_ok(arne_inverse_mass_matrix(robot, work, s.q, Minv, NULL));
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) {
                    identity[i * n + j] = i == j;
                    // both are symmetric, so rows serve as columns
                    product[i * n + j] = dot(M + i * n, Minv + j * n, n);
                    assert_true(Minv[i * n + j] == Minv[j * n + i] || j > i ||
                                relative_error(&Minv[i * n + j], &Minv[j * n + i], 1) <= 1e-10);
                }
            assert_direct_close(&s, "M M^-1", product, identity, n * n, 1e-10, M);
        }
}

// J M^-1 J^T of a frame, 6 x 6.
static void compliance(const state *s, arne_work *work, int frame, arne_axes axes, double *K)
{
    matrix    Minv;
    const int n = s->size.v_count;
    double    J[6 * MAX_V], column[MAX_V];

    arne_jacobian(s->robot, work, s->q, frame, axes, J);
    assert_ok(arne_inverse_mass_matrix(s->robot, work, s->q, Minv, NULL));
    for (int i = 0; i < 6; i++) {
        multiply(Minv, J + i * n, n, n, column);
        for (int j = 0; j < 6; j++)
            K[i * 6 + j] = dot(J + j * n, column, n);
    }
}

static void check_operational_inertia(const state *s, arne_work *work, int frame, arne_axes axes)
{
    double            K[36], Lambda[36], product[36], identity[36];
    const arne_status status =
        arne_operational_inertia(s->robot, work, s->q, frame, axes, Lambda, NULL);
    compliance(s, work, frame, axes, K);
    const double cond = condition(K, 6);

    if (s->size.v_count < 6) assert_status(status, ARNE_SINGULAR);
    if (s->size.v_count < 6 || cond > 1e10) return; // near a singularity either answer is right
    assert_ok(status);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            identity[i * 6 + j] = i == j;
            product[i * 6 + j] = dot(Lambda + i * 6, K + j * 6, 6);
        }
    assert_close(s, "Lambda J M^-1 J^T", product, identity, 36, 1e-10 * fmax(1, 1e-4 * cond));
}

static void operational_inertia(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work)
            for (int axes = ARNE_AXES_BODY; axes <= ARNE_AXES_ALIGNED; axes++)
                check_operational_inertia(&s, work, s.size.frame_count - 1, (arne_axes)axes);
}

static void mass_matrix_on_path(const arne_robot *robot, arne_work *work, const double *q,
                                const double *qd, const void *context, double *out)
{
    (void)qd;
    (void)context;
    arne_mass_matrix(robot, work, q, out);
}

// dM/dt - 2C is skew-symmetric: C + C^T = dM/dt.
static void coriolis_matrix_is_half_of_the_mass_rate(void **unused)
{
    (void)unused;
    matrix C, sum, rate;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            const int n = s.size.v_count;
            state_stop_base(&s, work);
            rate_along(&s, work, mass_matrix_on_path, NULL, n * n, rate);
            arne_coriolis_matrix(robot, work, s.q, s.qd, C);
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    sum[i * n + j] = C[i * n + j] + C[j * n + i];
            // differences are less exact where functions bend
            assert_close(&s, "C + C^T", sum, rate, n * n, robots_have_functions() ? 1e-6 : 1e-8);
        }
}

static void coriolis_matrix_times_velocity(void **unused)
{
    (void)unused;
    matrix C;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            const int n = s.size.v_count;
            double    bias[MAX_V], gravity[MAX_V], friction[MAX_V], damping[MAX_V], product[MAX_V];

            state_stop_base(&s, work);
            arne_coriolis_matrix(robot, work, s.q, s.qd, C);
            multiply(C, s.qd, n, n, product);
            arne_bias(robot, work, s.q, s.qd, NULL, bias);
            arne_gravity(robot, work, s.q, gravity);
            friction_torque(robot, s.qd, friction);
            spring_torque(robot, NULL, s.qd, damping);
            for (int i = 0; i < n; i++)
                bias[i] -= gravity[i] + friction[i] + damping[i];
            assert_close(&s, "C qd", product, bias, n, 1e-10);
        }
}

// A robot on a free base a hundred metres away is the same robot: weight and inertia know no place.
static void place_does_not_matter(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            const int n = s.size.v_count;
            matrix    C, C_far;
            double    A[6 * MAX_V], A_far[6 * MAX_V], tau[MAX_V], tau_far[MAX_V];

            if (arne_robot_base(robot) != ARNE_BASE_FREE) continue;
            arne_inverse_dynamics(robot, work, s.q, s.qd, s.qdd, s.f_ext, tau);
            arne_coriolis_matrix(robot, work, s.q, s.qd, C);
            arne_centroidal_matrix(robot, work, s.q, A);
            s.q[0] += 100;
            s.q[1] -= 100;
            arne_inverse_dynamics(robot, work, s.q, s.qd, s.qdd, s.f_ext, tau_far);
            arne_coriolis_matrix(robot, work, s.q, s.qd, C_far);
            arne_centroidal_matrix(robot, work, s.q, A_far);
            assert_close(&s, "torques far away", tau_far, tau, n, 1e-10);
            assert_close(&s, "C far away", C_far, C, n * n, 1e-10);
            assert_close(&s, "centroidal matrix far away", A_far, A, 6 * n, 1e-10);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward_undoes_inverse),
        cmocka_unit_test(torque_residual),
        cmocka_unit_test(mass_matrix_is_symmetric_and_positive_definite),
        cmocka_unit_test(columns_of_the_mass_matrix_are_torques),
        cmocka_unit_test(mass_matrix_and_bias_are_walker_and_orins),
        cmocka_unit_test(equation_of_motion),
        cmocka_unit_test(factor_and_solve),
        cmocka_unit_test(inverse_mass_matrix),
        cmocka_unit_test(operational_inertia),
        cmocka_unit_test(coriolis_matrix_is_half_of_the_mass_rate),
        cmocka_unit_test(coriolis_matrix_times_velocity),
        cmocka_unit_test(place_does_not_matter),
    };
    return cmocka_run_group_tests_name("laws of dynamics", tests, NULL, NULL);
}
