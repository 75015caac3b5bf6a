// Rates and matrices of closed mechanisms, on the robots with loops and on random ones: torque
// rates and derivatives of direct dynamics against differences, the mobility against the equations
// with multipliers (KKT), the regressor, the Coriolis matrix.
#include "testing.h"

#include "closed.h"
#include "loop_rows.h"
#include <arne/integrate.h>

#include <stdlib.h>

enum { CHAINS = TEST_PART > 1 ? 12 : 60, MOST = 64 };

static const char *const files[] = {"five_bar", "four_bar",    "slider_crank", "palletiser",
                                    "delta",    "planar_3rrr", "gough_stewart"};
enum { FILE_COUNT = sizeof files / sizeof *files };

static void on_every_robot(void (*law)(closed *c, const state *s))
{
    int checked = 0;
    for (int i = 0; i < FILE_COUNT + CHAINS; i++) {
        closed c =
            i < FILE_COUNT ? closed_file(files[i]) : closed_random((uint64_t)(i - FILE_COUNT));
        state s;
        if (closed_state(&c, 3, &s)) {
            law(&c, &s);
            checked++;
        }
        closed_free(&c);
    }
    assert_true(checked > (FILE_COUNT + CHAINS) * 8 / 10);
}

// Outputs of their exact size on the heap, so that the address sanitiser sees what goes beyond.
static double *room(int count) { return calloc(count > 0 ? (size_t)count : 1, sizeof(double)); }

static int independents(closed *c, const state *s, int *independent, double *G)
{
    int mobility = 0;
    assert_ok(arne_loop_jacobian(c->robot, c->work, c->loop, s->q, G, independent, &mobility, NULL,
                                 NULL));
    return mobility;
}

// From differences of the steps h and h/2.
static double extrapolated(const double side[4], double h)
{
    const double wide = (side[0] - side[1]) / (2 * h), narrow = (side[2] - side[3]) / h;
    return narrow + (narrow - wide) / 3;
}
static double step_of(int side, double h) { return (side % 2 ? -h : h) / (side < 2 ? 1 : 2); }

// ---- torque rates ----

typedef struct moving {
    closed       *c;
    const state  *s;
    const double *qddd, *weights;
    unsigned char fixed[MAX_V]; // what the others follow from
    arne_load     loads[2];
    arne_pose     at[2]; // of their frames, at the start
    arne_motion   base_jerk;
} moving;

static arne_vec3 axpy(arne_vec3 x, arne_vec3 y, double a)
{
    return v3(x.x + a * y.x, x.y + a * y.y, x.z + a * y.z);
}
static arne_vec3 into_axes(const arne_mat3 *R, arne_vec3 v)
{
    return v3(v3_dot(R->x, v), v3_dot(R->y, v), v3_dot(R->z, v));
}
static arne_vec3 out_of_axes(const arne_mat3 *R, arne_vec3 v)
{
    return v3(R->x.x * v.x + R->y.x * v.y + R->z.x * v.z,
              R->x.y * v.x + R->y.y * v.y + R->z.y * v.z,
              R->x.z * v.x + R->y.z * v.y + R->z.z * v.z);
}

// A prescribed base a short time later: pose, velocity and acceleration to the order that a first
// derivative takes.
static void move_base(const moving *m, double t)
{
    const state *s = m->s;
    arne_pose    X = s->base_pose;
    if (arne_robot_base(s->robot) != ARNE_BASE_PRESCRIBED) return;
    const arne_motion v = s->base_velocity, a = s->base_acceleration, j = m->base_jerk;
    const double      turn = v3_length(v.ang) * t;
    X.p = axpy(X.p, out_of_axes(&X.R, v.lin), t);
    if (v3_length(v.ang) > 0) {
        const arne_vec3 axis = axpy(v3(0, 0, 0), v.ang, 1 / v3_length(v.ang));
        const arne_pose old = X, by = {m3_turn(axis, turn), {0, 0, 0}};
        X = pose_mul(old, by);
    }
    const arne_motion vt = {axpy(v.lin, a.lin, t), axpy(v.ang, a.ang, t)};
    const arne_motion at = {axpy(a.lin, j.lin, t), axpy(a.ang, j.ang, t)};
    arne_work_set_base(s->robot, m->c->work, &X, &vt, &at);
}

static void torques_later(const moving *m, double t, double *out)
{
    const arne_assembly_options options = {.restarts = -1, .fixed = m->fixed};
    closed                     *c = m->c;
    const state                *s = m->s;
    const int                   n = s->size.v_count;
    double                      q[MAX_Q], qd[MAX_V], qdd[MAX_V], step[MAX_V];
    arne_wrench                 f_ext[MAX_BODIES] = {0};
    for (int k = 0; k < n; k++) {
        step[k] = t * s->qd[k] + t * t / 2 * s->qdd[k];
        qd[k] = s->qd[k] + t * s->qdd[k] + t * t / 2 * m->qddd[k];
        qdd[k] = s->qdd[k] + t * m->qddd[k];
    }
    move_base(m, t);
    arne_integrate(c->robot, s->q, step, q);
    assert_ok(arne_assemble(c->robot, c->work, c->loop, &options, q, NULL, NULL));
    assert_ok(arne_loop_complete(c->robot, c->work, c->loop, q, qd, qdd, NULL));
    arne_kinematics(c->robot, c->work, q, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        const arne_load *l = &m->loads[i];
        arne_wrench f = {axpy(l->wrench.lin, l->rate.lin, t), axpy(l->wrench.ang, l->rate.ang, t)};
        const arne_pose X = arne_frame_pose(c->robot, c->work, l->frame);
        if (l->in_world) {
            f.lin = into_axes(&X.R, out_of_axes(&m->at[i].R, f.lin));
            f.ang = into_axes(&X.R, out_of_axes(&m->at[i].R, f.ang));
        }
        arne_add_wrench(c->robot, l->frame, &f, f_ext);
    }
    assert_ok(arne_loop_inverse_dynamics(c->robot, c->work, c->loop, q, qd, qdd, f_ext, m->weights,
                                         out, NULL));
}

static void check_torque_rate(closed *c, const state *s, const double *weights)
{
    const int  n = s->size.v_count;
    rng        r = rng_seed(s->seed + 5);
    double     qddd[MAX_V], wanted[MAX_V], sides[4][MAX_V];
    double    *tau = room(n), *rate = room(n);
    moving     m = {.c = c, .s = s, .qddd = qddd, .weights = weights};
    arne_error error = {0};
    int        independent[MAX_V];
    for (int k = independents(c, s, independent, NULL) - 1; k >= 0; k--)
        m.fixed[independent[k]] = 1;
    rng_fill(&r, qddd, n, 10);
    if (arne_robot_base(c->robot) == ARNE_BASE_PRESCRIBED)
        m.base_jerk = (arne_motion){rng_vec3(&r, 2), rng_vec3(&r, 2)};
    state_set_base(s, c->work);
    arne_work_set_base_jerk(c->robot, c->work, &m.base_jerk);
    arne_kinematics(c->robot, c->work, s->q, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        m.loads[i] = (arne_load){.frame = s->size.frame_count - 1 - i, .in_world = i};
        m.loads[i].wrench = (arne_wrench){rng_vec3(&r, 5), rng_vec3(&r, 2)};
        m.loads[i].rate = (arne_wrench){rng_vec3(&r, 5), rng_vec3(&r, 2)};
        m.at[i] = arne_frame_pose(c->robot, c->work, m.loads[i].frame);
    }
    assert_ok(arne_loop_complete_jerk(c->robot, c->work, c->loop, s->q, s->qd, s->qdd, qddd, NULL));
    assert_ok_or(arne_loop_torque_rate(c->robot, c->work, c->loop, s->q, s->qd, s->qdd, qddd,
                                       m.loads, 2, weights, tau, rate, &error),
                 &error);
    const double h = 2e-5;
    for (int side = 0; side < 4; side++)
        torques_later(&m, step_of(side, h), sides[side]);
    for (int k = 0; k < n; k++)
        wanted[k] =
            extrapolated((const double[4]){sides[0][k], sides[1][k], sides[2][k], sides[3][k]}, h);
    assert_close(s, "torque rates", rate, wanted, n, 1e-5);
    torques_later(&m, 0, wanted);
    assert_close(s, "torques beside their rates", tau, wanted, n, 1e-9);
    free(tau);
    free(rate);
}

static void rate_law(closed *c, const state *s) { check_torque_rate(c, s, NULL); }

static void torque_rates(void **unused)
{
    (void)unused;
    on_every_robot(rate_law);
}

// A five-bar with a third motor: torques are shared, with weights.
static closed shared_five_bar(void)
{
    arne_builder   *builder = NULL;
    arne_joint_spec elbow;
    assert_ok(arne_builder_new(&builder));
    assert_ok(arne_read(builder, ARNE_ROBOTS_DIR "/five_bar.yaml", NULL));
    assert_ok(arne_builder_get_joint(builder, "elbow1", &elbow));
    elbow.actuation = ARNE_ACTUATION_ACTIVE;
    assert_ok(arne_builder_set_joint(builder, &elbow, NULL));
    closed c = closed_make(finish(builder, NULL));
    arne_builder_free(builder);
    return c;
}

static void shared_torque_rates(void **unused)
{
    (void)unused;
    closed       c = shared_five_bar(), plain = closed_file("five_bar");
    const double weights[4] = {1, 7, 2, 1};
    for (uint64_t seed = 1; seed <= 5; seed++) {
        state s;
        if (!closed_state(&plain, seed, &s)) continue;
        s.robot = c.robot;
        int independent[4];
        assert_int_equal(independents(&c, &s, independent, NULL), 2);
        check_torque_rate(&c, &s, weights);
        check_torque_rate(&c, &s, NULL);
    }
    closed_free(&c);
    closed_free(&plain);
}

// ---- direct dynamics ----

static void accelerations_at(closed *c, const state *s, const double *dq, const double *dqd,
                             const double *dtau, double *out)
{
    const arne_assembly_options options = {.restarts = -1};
    const int                   n = s->size.v_count;
    double                      q[MAX_Q], qd[MAX_V], tau[MAX_V];
    arne_integrate(c->robot, s->q, dq, q);
    for (int k = 0; k < n; k++) {
        qd[k] = s->qd[k] + dqd[k];
        tau[k] = s->tau[k] + dtau[k];
    }
    assert_ok(arne_assemble(c->robot, c->work, c->loop, &options, q, NULL, NULL));
    assert_ok(arne_loop_complete(c->robot, c->work, c->loop, q, qd, NULL, NULL));
    assert_ok(
        arne_loop_forward_dynamics(c->robot, c->work, c->loop, q, qd, tau, NULL, NULL, out, NULL));
}

static void forward_law(closed *c, const state *given)
{
    state     s = *given;
    const int n = s.size.v_count;
    int       independent[MAX_V];
    const int f = independents(c, &s, independent, NULL);
    double   *D[3] = {room(n * f), room(n * f), room(n * n)}, *qdd = room(n), *wanted = room(n * n);
    arne_error error = {0};
    for (int k = 0; k < n; k++) // passive joints may be pushed too
        s.tau[k] += 0.3 * (k % 3);
    assert_ok_or(arne_loop_forward_dynamics_derivatives(c->robot, c->work, c->loop, s.q, s.qd,
                                                        s.tau, NULL, 0, qdd, D[0], D[1], D[2],
                                                        &error),
                 &error);
    for (int input = 0; input < 3; input++) {
        const int columns = input == 2 ? n : f;
        for (int k = 0; k < columns; k++) {
            const double h = 2e-5;
            double       sides[4][MAX_V];
            for (int side = 0; side < 4; side++) {
                double step[3][MAX_V] = {{0}};
                step[input][input == 2 ? k : independent[k]] = step_of(side, h);
                accelerations_at(c, &s, step[0], step[1], step[2], sides[side]);
            }
            for (int i = 0; i < n; i++)
                wanted[i * columns + k] = extrapolated(
                    (const double[4]){sides[0][i], sides[1][i], sides[2][i], sides[3][i]}, h);
        }
        assert_close(&s, "derivatives of the accelerations", D[input], wanted, n * columns, 2e-5);
    }
    double zero[MAX_V] = {0};
    accelerations_at(c, &s, zero, zero, zero, wanted);
    assert_close(&s, "accelerations beside their derivatives", qdd, wanted, n, 1e-8);
    free(D[0]);
    free(D[1]);
    free(D[2]);
    free(qdd);
    free(wanted);
}

static void derivatives_of_direct_dynamics(void **unused)
{
    (void)unused;
    on_every_robot(forward_law);
}

// ---- the equations with multipliers ----

// Rows of J that are independent of those before, into K; how many.
static int independent_rows(int m, int n, const double *J, double *rows)
{
    double basis[MOST][MAX_V];
    int    rank = 0;
    for (int i = 0; i < m; i++) {
        double *b = basis[rank], before = 0, left = 0;
        memcpy(b, J + i * n, (size_t)n * sizeof *b);
        before = dot(b, b, n);
        for (int pass = 0; pass < 2; pass++)
            for (int p = 0; p < rank; p++) {
                const double along = dot(b, basis[p], n);
                for (int k = 0; k < n; k++)
                    b[k] -= along * basis[p][k];
            }
        left = dot(b, b, n);
        if (!(left > 1e-12 * before) || left < 1e-18) continue;
        for (int k = 0; k < n; k++)
            b[k] /= sqrt(left);
        memcpy(rows + rank * n, J + i * n, (size_t)n * sizeof *rows);
        rank++;
    }
    return rank;
}

// X = A^-1 B by elimination with row exchanges; B has `columns`.
static void solve_dense(int n, double *A, int columns, double *B)
{
    for (int i = 0; i < n; i++) {
        int best = i;
        for (int k = i + 1; k < n; k++)
            if (fabs(A[k * n + i]) > fabs(A[best * n + i])) best = k;
        for (int j = 0; j < n; j++) {
            const double x = A[i * n + j];
            A[i * n + j] = A[best * n + j];
            A[best * n + j] = x;
        }
        for (int j = 0; j < columns; j++) {
            const double x = B[i * columns + j];
            B[i * columns + j] = B[best * columns + j];
            B[best * columns + j] = x;
        }
        for (int k = 0; k < n; k++) {
            if (k == i) continue;
            const double l = A[k * n + i] / A[i * n + i];
            for (int j = i; j < n; j++)
                A[k * n + j] -= l * A[i * n + j];
            for (int j = 0; j < columns; j++)
                B[k * columns + j] -= l * B[i * columns + j];
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < columns; j++)
            B[i * columns + j] /= A[i * n + i];
}

// [M J^T; J 0] [X; .] = [1; 0], and its X is G A_c^-1 G^T; M X of it along G is the unit matrix on
// the active ones.
static void kkt_law(closed *c, const state *s)
{
    const int n = s->size.v_count;
    double   *rows = room(MOST * n), *M = room(n * n), *X = room(n * n);
    arne_mass_matrix(c->robot, c->work, s->q, M);
    const int m = s->size.loop_row_count;
    assert_true(m <= MOST);
    double *J = room(m * n);
    loop_rows_at(c->robot, c->work, c->loop, s->q, J);
    const int rank = independent_rows(m, n, J, rows), size = n + rank;
    double   *K = room(size * size), *B = room(size * n);
    for (int i = 0; i < n; i++) {
        B[i * n + i] = 1;
        for (int k = 0; k < n; k++)
            K[i * size + k] = M[i * n + k];
        for (int k = 0; k < rank; k++)
            K[i * size + n + k] = K[(n + k) * size + i] = rows[k * n + i];
    }
    solve_dense(size, K, n, B);
    assert_ok(arne_loop_inverse_mass_matrix(c->robot, c->work, c->loop, s->q, X, NULL));
    assert_close(s, "the mobility of the loops", X, B, n * n, 1e-7);

    int       independent[MAX_V];
    const int f = independents(c, s, independent, NULL);
    double   *A = room(f * f), *unit = room(f * f), *product = room(f * f);
    assert_ok(arne_loop_reduced(c->robot, c->work, c->loop, s->q, s->qd, NULL, A, NULL, NULL));
    for (int i = 0; i < f * f; i++) {
        unit[i] = i % (f + 1) == 0;
        for (int k = 0; k < f; k++)
            product[i] += A[i / f * f + k] * X[independent[k] * n + independent[i % f]];
    }
    assert_close(s, "the reduced mass matrix times its inverse", product, unit, f * f, 1e-7);
    free(A);
    free(unit);
    free(product);
    free(rows);
    free(J);
    free(M);
    free(X);
    free(K);
    free(B);
}

static void multipliers_agree(void **unused)
{
    (void)unused;
    on_every_robot(kkt_law);
}

// ---- the Coriolis matrix ----

static void reduced_at(closed *c, const state *s, double speed, double t, double *A, double *H)
{
    const arne_assembly_options options = {.restarts = -1};
    const int                   n = s->size.v_count;
    double                      q[MAX_Q], qd[MAX_V], step[MAX_V];
    for (int k = 0; k < n; k++) {
        step[k] = t * s->qd[k];
        qd[k] = speed * s->qd[k];
    }
    arne_integrate(c->robot, s->q, step, q);
    assert_ok(arne_assemble(c->robot, c->work, c->loop, &options, q, NULL, NULL));
    assert_ok(arne_loop_reduced(c->robot, c->work, c->loop, q, qd, NULL, A, H, NULL));
}

static void coriolis_law(closed *c, const state *given)
{
    state s = *given;
    state_stop_base(&s, c->work); // whose motion would be in H
    int       independent[MAX_V];
    const int f = independents(c, &s, independent, NULL);
    double   *C = room(f * f), *A[4], *H[3], product[MAX_V], wanted[MAX_V];
    for (int i = 0; i < 4; i++)
        A[i] = room(f * f);
    for (int i = 0; i < 3; i++)
        H[i] = room(f);
    assert_ok(arne_loop_coriolis_matrix(c->robot, c->work, c->loop, s.q, s.qd, C, NULL));
    for (int i = 0; i < 3; i++)
        reduced_at(c, &s, i - 1, 0, NULL, H[i]);
    for (int i = 0; i < f; i++) { // what is even in the velocity: no friction, no weight
        wanted[i] = (H[0][i] + H[2][i]) / 2 - H[1][i];
        product[i] = 0;
        for (int k = 0; k < f; k++)
            product[i] += C[i * f + k] * s.qd[independent[k]];
    }
    assert_close(&s, "C qd", product, wanted, f, 1e-8);
    const double h = 2e-5;
    for (int side = 0; side < 4; side++)
        reduced_at(c, &s, 1, step_of(side, h), A[side], NULL);
    double *skew = room(f * f), *opposite = room(f * f);
    for (int i = 0; i < f * f; i++)
        skew[i] = extrapolated((const double[4]){A[0][i], A[1][i], A[2][i], A[3][i]}, h) - 2 * C[i];
    for (int i = 0; i < f * f; i++)
        opposite[i] = -skew[i % f * f + i / f];
    assert_close(&s, "dA/dt - 2 C is skew-symmetric", skew, opposite, f * f, 1e-5);
    free(C);
    free(skew);
    free(opposite);
    for (int i = 0; i < 4; i++)
        free(A[i]);
    for (int i = 0; i < 3; i++)
        free(H[i]);
}

static void coriolis_matrices(void **unused)
{
    (void)unused;
    on_every_robot(coriolis_law);
}

// ---- weight and bias ----

// Weight as if the base stood still, whatever it does; bias is what the reduced equation has
// besides the mass matrix.
static void weight_law(closed *c, const state *given)
{
    const int n = given->size.v_count;
    state     s = *given;
    double   *weight = room(n), *held = room(n), *bias = room(n), *H = room(n), zero[MAX_V] = {0};
    int       independent[MAX_V];
    state_set_base(given, c->work);
    assert_ok(arne_loop_gravity(c->robot, c->work, c->loop, s.q, NULL, weight, NULL));
    assert_ok(arne_loop_bias(c->robot, c->work, c->loop, s.q, s.qd, s.f_ext, NULL, bias, NULL));
    assert_ok(arne_loop_reduced(c->robot, c->work, c->loop, s.q, s.qd, s.f_ext, NULL, H, NULL));
    const int f = independents(c, &s, independent, NULL);
    for (int k = 0; k < f; k++)
        held[independent[k]] = H[k];
    assert_close(&s, "bias of the active joints", bias, held, n, 1e-10);
    state_stop_base(&s, c->work);
    assert_ok(arne_loop_inverse_dynamics(c->robot, c->work, c->loop, s.q, zero, zero, NULL, NULL,
                                         held, NULL));
    assert_close(&s, "weight of the active joints", weight, held, n, 1e-10);
    free(weight);
    free(held);
    free(bias);
    free(H);
}

static void weight_and_bias(void **unused)
{
    (void)unused;
    on_every_robot(weight_law);
}

// ---- the regressor ----

static void regressor_law(closed *c, const state *given)
{
    state     s = *given;
    const int n = s.size.v_count, count = arne_parameter_count(c->robot);
    double   *Y = room(n * count), *pi = room(count), *tau = room(n), *held = room(n);
    double    torque[MAX_V], springs[MAX_V] = {0};
    if (arne_robot_base(c->robot) == ARNE_BASE_PRESCRIBED) state_stop_base(&s, c->work);
    arne_parameters(c->robot, pi);
    assert_ok(arne_loop_regressor(c->robot, c->work, c->loop, s.q, s.qd, s.qdd, NULL, Y, NULL));
    multiply(Y, pi, n, count, torque);
    // What springs hold: torques less those of the tree's regressor, as they reach the active
    // joints.
    double *tree = room(n * count), *of_tree = room(n), *G = room(n * n);
    arne_regressor(c->robot, c->work, s.q, s.qd, s.qdd, tree);
    multiply(tree, pi, n, count, of_tree);
    arne_inverse_dynamics(c->robot, c->work, s.q, s.qd, s.qdd, NULL, held);
    int       independent[MAX_V];
    const int f = independents(c, &s, independent, G);
    for (int i = 0; i < f; i++)
        for (int k = 0; k < n; k++)
            springs[independent[i]] += G[k * f + i] * (held[k] - of_tree[k]);
    for (int k = 0; k < n; k++)
        torque[k] += springs[k];
    assert_ok(arne_loop_inverse_dynamics(c->robot, c->work, c->loop, s.q, s.qd, s.qdd, NULL, NULL,
                                         tau, NULL));
    assert_close(&s, "regressor times parameters", torque, tau, n, 1e-9);
    free(Y);
    free(pi);
    free(tau);
    free(held);
    free(tree);
    free(of_tree);
    free(G);
}

static void regressors(void **unused)
{
    (void)unused;
    on_every_robot(regressor_law);
}

// The platform on six legs has all six directions: what pushes it meets the same inertia that
// direct dynamics shows.
static void operational_inertia_of_a_platform(void **unused)
{
    (void)unused;
    closed    c = closed_file("gough_stewart");
    state     s;
    const int n = c.size.v_count, frame = arne_find_frame(c.robot, "platform");
    assert_true(frame >= 0 && closed_state(&c, 1, &s));
    double Lambda[36], *J = room(6 * n), a[2][6], difference[6], back[6];
    assert_ok(arne_loop_operational_inertia(c.robot, c.work, c.loop, s.q, frame, ARNE_AXES_BODY,
                                            Lambda, NULL));
    const arne_wrench push = {{3, -2, 5}, {0.4, 0.1, -0.3}};
    const double      wanted[6] = {3, -2, 5, 0.4, 0.1, -0.3};
    arne_jacobian(c.robot, c.work, s.q, frame, ARNE_AXES_BODY, J);
    for (int pushed = 0; pushed < 2; pushed++) {
        arne_wrench f_ext[MAX_BODIES] = {0};
        double      qdd[MAX_V];
        if (pushed) arne_add_wrench(c.robot, frame, &push, f_ext);
        assert_ok(arne_loop_forward_dynamics(c.robot, c.work, c.loop, s.q, s.qd, s.tau, f_ext, NULL,
                                             qdd, NULL));
        multiply(J, qdd, 6, n, a[pushed]);
    }
    for (int i = 0; i < 6; i++)
        difference[i] = a[1][i] - a[0][i];
    multiply(Lambda, difference, 6, 6, back);
    assert_close(&s, "the inertia that a push meets", back, wanted, 6, 1e-8);
    assert_status(arne_loop_operational_inertia(c.robot, c.work, c.loop, s.q, 0, ARNE_AXES_BODY,
                                                Lambda, NULL),
                  ARNE_SINGULAR);
    free(J);
    closed_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(torque_rates),
        cmocka_unit_test(shared_torque_rates),
        cmocka_unit_test(derivatives_of_direct_dynamics),
        cmocka_unit_test(multipliers_agree),
        cmocka_unit_test(coriolis_matrices),
        cmocka_unit_test(weight_and_bias),
        cmocka_unit_test(regressors),
        cmocka_unit_test(operational_inertia_of_a_platform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
