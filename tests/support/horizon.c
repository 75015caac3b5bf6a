#include "horizon.h"
#include "reference.h"
#include "testing.h"
#include <stdio.h>

static const double IDENTITY[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};

static arne_robot *mpc_robot(const char *name, arne_base base)
{
    char path[512], file[128];
    (void)snprintf(file, sizeof file, "mpc/robots/%s.urdf", name);
    if (!reference_path(file, path, sizeof path)) skip();
    arne_builder            *builder = NULL;
    arne_error               error;
    const arne_build_options options = {.base = base, .no_friction = 1, .no_rotor = 1};
    assert_int_equal(arne_builder_new(&builder), ARNE_OK);
    assert_ok_or(arne_read(builder, path, &error), &error);
    arne_robot *robot = finish(builder, &options);
    arne_builder_free(builder);
    return robot;
}

static void horizon_state(horizon *h)
{
    const arne_sizes s = arne_robot_sizes(h->robot);
    memcpy(h->x0, h->q0, (size_t)s.q_count * sizeof *h->q0);
    memcpy(h->x0 + s.q_count, h->v0, (size_t)s.v_count * sizeof *h->v0);
    h->problem.robot = h->robot;
    h->problem.terms = h->terms;
}

// (1 - cos q1) + (1 - cos q2) + 0.05 (v1^2 + v2^2), with its indefinite Hessian.
static int swing(void *context, const arne_oc_knot *at, double *value, double *gradient,
                 double *hessian)
{
    const int n = 5;
    (void)context;
    *value = 0;
    for (int i = 0; i < 2; i++) {
        *value += 1 - cos(at->q[i]) + 0.05 * at->qd[i] * at->qd[i];
        if (!gradient) continue;
        gradient[i] = sin(at->q[i]);
        gradient[2 + i] = 0.1 * at->qd[i];
        hessian[i * (n + 1)] = cos(at->q[i]);
        hessian[(2 + i) * (n + 1)] = 0.1;
    }
    return 0;
}

void horizon_pendulum(horizon *h)
{
    *h = (horizon){.robot = mpc_robot("double_pendulum", ARNE_BASE_DEFAULT), .q0 = {3.14}};
    h->B[0] = 1;
    h->terms[0] = (arne_oc_term){.quantity = ARNE_OC_CONTROL, .weight = 1e-2};
    h->terms[1] = (arne_oc_term){.quantity = ARNE_OC_COST, .weight = 1e-3, .cost = swing};
    h->terms[2] =
        (arne_oc_term){.quantity = ARNE_OC_COST, .weight = 100, .cost = swing, .at_end = 1};
    h->problem = (arne_oc_problem){
        .knots = 100, .step = 0.01, .actuation = h->B, .control_count = 1, .term_count = 3};
    horizon_state(h);
}

void horizon_kinova(horizon *h)
{
    *h = (horizon){.robot = mpc_robot("kinova", ARNE_BASE_DEFAULT),
                   .q0 = {1.5707, 2.618, -1.5707, 3.1415, 2.618, 0}};
    const int frame = arne_find_frame(h->robot, "j2s6s200_end_effector");
    assert_true(frame >= 0);
    memcpy(h->target, IDENTITY, sizeof IDENTITY);
    h->target[9] = 0.6;
    h->target[10] = 0.2;
    h->target[11] = 0.5;
    h->terms[0] = (arne_oc_term){
        .quantity = ARNE_OC_POSE, .index = frame, .weight = 1, .reference = h->target};
    h->terms[1] =
        (arne_oc_term){.quantity = ARNE_OC_STATE, .weight = 0.1, .reference = h->x0, .wrap = 1};
    h->terms[2] = (arne_oc_term){.quantity = ARNE_OC_CONTROL, .weight = 0.1};
    h->terms[3] = h->terms[0];
    h->terms[3].weight = 1000;
    h->terms[3].at_end = 1;
    h->problem = (arne_oc_problem){.knots = 100, .step = 0.01, .term_count = 4};
    horizon_state(h);
}

void horizon_quadrotor(horizon *h)
{
    const double d = 0.1525, c = 1e-6 / 6.6e-5;
    const double B[24] = {0, 0, 0, 0,  0,  0, 0, 0, 1,  1, 1,  1,
                          0, d, 0, -d, -d, 0, d, 0, -c, c, -c, c};
    *h = (horizon){.robot = mpc_robot("quadrotor_base", ARNE_BASE_FREE),
                   .q0 = {0, 0, 0, 0, 0, 0, 1}};
    const int frame = arne_find_frame(h->robot, "base_link");
    assert_true(frame >= 0);
    memcpy(h->B, B, sizeof B);
    memcpy(h->target, IDENTITY, sizeof IDENTITY);
    h->target[9] = h->target[11] = 1;
    for (int i = 0; i < 12; i++)
        h->weights[i] = i < 3 ? 0.1 : 1000;
    h->terms[0] = (arne_oc_term){
        .quantity = ARNE_OC_STATE, .weight = 1e-6, .weights = h->weights, .reference = h->x0};
    h->terms[1] = (arne_oc_term){.quantity = ARNE_OC_CONTROL, .weight = 1e-6};
    h->terms[2] = (arne_oc_term){
        .quantity = ARNE_OC_POSE, .index = frame, .weight = 1e-2, .reference = h->target};
    h->terms[3] = h->terms[2];
    h->terms[3].weight = 3;
    h->terms[3].at_end = 1;
    h->problem = (arne_oc_problem){
        .knots = 33, .step = 0.03, .actuation = h->B, .control_count = 4, .term_count = 4};
    horizon_state(h);
}

void horizon_quadruped(horizon *h, int knots)
{
    static const char *const feet[4] = {"front_left_foot", "front_right_foot", "rear_left_foot",
                                        "rear_right_foot"};
    const arne_build_options smooth = {.no_friction = 1};
    *h = (horizon){.robot = read_robot("quadruped", &smooth)};
    arne_neutral(h->robot, h->q0);
    h->q0[2] = 0.5;
    for (int leg = 0; leg < 4; leg++) { // knees bent
        h->q0[7 + 3 * leg + 1] = leg < 2 ? 0.6 : -0.6;
        h->q0[7 + 3 * leg + 2] = leg < 2 ? -1.2 : 1.2;
        h->feet[leg] = (arne_oc_contact){.frame = arne_find_frame(h->robot, feet[leg])};
        assert_true(h->feet[leg].frame >= 0);
    }
    h->phases[0] = (arne_oc_phase){.contacts = h->feet, .contact_count = 4};
    h->terms[0] = (arne_oc_term){.quantity = ARNE_OC_STATE, .weight = 10, .reference = h->x0};
    h->terms[1] = (arne_oc_term){.quantity = ARNE_OC_CONTROL, .weight = 1e-3};
    h->terms[2] =
        (arne_oc_term){.quantity = ARNE_OC_STATE, .weight = 10, .reference = h->x0, .at_end = 1};
    h->problem = (arne_oc_problem){
        .knots = knots, .step = 0.01, .term_count = 3, .phases = h->phases, .phase_count = 1};
    horizon_state(h);
}

void horizon_free(horizon *h) { arne_robot_free(h->robot); }

// ---- the conditions of an optimum, without anything of the solver ----

enum { MOST_X = 32, MOST_U = 24 };

typedef struct probe {
    const horizon *h;
    const arne_oc *oc;
    arne_work     *work;
    int            nq, n, nu, sx;
    double         multiplied; // bounds count by their multipliers
    double         step;       // of differences
    arne_holding  *holding[4]; // of each phase
} probe;

static int phase_of(const probe *p, int k)
{
    int found = -1;
    for (int i = 0; i < p->h->problem.phase_count; i++)
        if (p->h->phases[i].first <= k) found = i;
    return found;
}

static void probe_torques(const probe *p, const double *u, double *tau)
{
    const double *B = p->h->problem.actuation;
    int           drives[MOST_X];
    if (!B) arne_oc_drives(p->h->robot, drives);
    memset(tau, 0, (size_t)p->n * sizeof *tau);
    for (int j = 0; j < p->nu; j++) {
        if (!B) tau[drives[j]] = u[j];
        for (int i = 0; i < p->n && B; i++)
            tau[i] += B[i * p->nu + j] * u[j];
    }
}

static void probe_rate(const probe *p, int knot, const double *x, const double *tau, double *k)
{
    const int phase = phase_of(p, knot);
    memcpy(k, x + p->nq, (size_t)p->n * sizeof *k);
    if (phase >= 0 && p->holding[phase]) {
        arne_wrench forces[4];
        assert_ok(arne_contact_dynamics(p->holding[phase], p->work, x, x + p->nq, tau, NULL,
                                        k + p->n, forces, NULL, NULL));
        return;
    }
    assert_int_equal(
        arne_forward_dynamics(p->h->robot, p->work, x, x + p->nq, tau, NULL, k + p->n, NULL),
        ARNE_OK);
}

static void probe_moved(const probe *p, const double *x, const double *d, double s, double *out)
{
    double w[MOST_X];
    for (int i = 0; i < p->n; i++) {
        w[i] = s * d[i];
        out[p->nq + i] = x[p->nq + i] + s * d[p->n + i];
    }
    arne_integrate(p->h->robot, x, w, out);
}

// A plastic impact: M (v+ - v) = J^T f, J v+ = 0, by elimination of the whole system.
static void probe_impact(const probe *p, int knot, double *x)
{
    enum { MOST = MOST_X + 12 };
    const int            phase = phase_of(p, knot), n = p->n;
    const arne_oc_phase *now = phase < 0 ? NULL : &p->h->phases[phase];
    double               A[MOST][MOST + 1] = {{0}}, M[MOST_X * MOST_X], J[6 * MOST_X];
    if (!now || !now->impact || now->first != knot) return;
    const int all = n + 3 * now->contact_count;
    arne_mass_matrix(p->h->robot, p->work, x, M);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            A[i][j] = M[i * n + j];
            A[i][all] += M[i * n + j] * x[p->nq + j];
        }
    for (int c = 0; c < now->contact_count; c++) {
        arne_jacobian(p->h->robot, p->work, x, now->contacts[c].frame, ARNE_AXES_ALIGNED, J);
        for (int i = 0; i < 3 * n; i++)
            A[n + 3 * c + i / n][i % n] = A[i % n][n + 3 * c + i / n] = J[i];
    }
    for (int i = 0; i < all; i++) {
        int pivot = i;
        for (int r = i + 1; r < all; r++)
            if (fabs(A[r][i]) > fabs(A[pivot][i])) pivot = r;
        for (int j = 0; j <= all; j++) {
            const double was = A[i][j];
            A[i][j] = A[pivot][j];
            A[pivot][j] = was;
        }
        for (int r = 0; r < all; r++) {
            const double factor = r == i ? 0 : A[r][i] / A[i][i];
            for (int j = i; j <= all && factor != 0; j++)
                A[r][j] -= factor * A[i][j];
        }
    }
    for (int i = 0; i < n; i++)
        x[p->nq + i] = A[i][all] / A[i][i];
}

static void probe_step(const probe *p, int knot, const double *before, const double *u,
                       double *next)
{
    double x[2 * MOST_X];
    memcpy(x, before, (size_t)p->sx * sizeof *x);
    probe_impact(p, knot, x);
    const double h = p->h->problem.step;
    double       tau[MOST_X], k[4][2 * MOST_X], y[2 * MOST_X], sum[2 * MOST_X];
    probe_torques(p, u, tau);
    probe_rate(p, knot, x, tau, k[0]);
    if (p->h->problem.integrator == ARNE_OC_EULER) {
        for (int i = 0; i < p->n; i++)
            k[0][i] += h * k[0][p->n + i];
        probe_moved(p, x, k[0], h, next);
        return;
    }
    for (int i = 1; i < 4; i++) {
        probe_moved(p, x, k[i - 1], i < 3 ? h / 2 : h, y);
        probe_rate(p, knot, y, tau, k[i]);
    }
    for (int i = 0; i < 2 * p->n; i++)
        sum[i] = (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]) / 6;
    probe_moved(p, x, sum, h, next);
}

// log of R^T by its definition: angle and axis; the translation by Cramer's rule on V p' = p.
static void probe_log(const double *A, const arne_pose *X, double *r)
{
    const double B[9] = {X->R.x.x, X->R.x.y, X->R.x.z, X->R.y.x, X->R.y.y,
                         X->R.y.z, X->R.z.x, X->R.z.y, X->R.z.z};
    const double d[3] = {X->p.x - A[9], X->p.y - A[10], X->p.z - A[11]};
    double       R[9], t[3], W[9], V[9]; // R by rows
    for (int i = 0; i < 3; i++) {
        t[i] = A[3 * i] * d[0] + A[3 * i + 1] * d[1] + A[3 * i + 2] * d[2];
        for (int j = 0; j < 3; j++)
            R[3 * i + j] =
                A[3 * i] * B[3 * j] + A[3 * i + 1] * B[3 * j + 1] + A[3 * i + 2] * B[3 * j + 2];
    }
    const double s[3] = {0.5 * (R[7] - R[5]), 0.5 * (R[2] - R[6]), 0.5 * (R[3] - R[1])};
    const double sine = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
    const double angle = atan2(sine, 0.5 * (R[0] + R[4] + R[8] - 1));
    for (int i = 0; i < 3; i++)
        r[3 + i] = sine > 1e-9 ? s[i] * angle / sine : s[i];
    const double w[9] = {0, -r[5], r[4], r[5], 0, -r[3], -r[4], r[3], 0};
    const double a2 = angle * angle, c1 = angle > 1e-2 ? (1 - cos(angle)) / a2 : 0.5 - a2 / 24,
                 c2 = angle > 1e-2 ? (angle - sin(angle)) / (a2 * angle) : 1.0 / 6 - a2 / 120;
    memcpy(W, w, sizeof w);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double square = 0;
            for (int m = 0; m < 3; m++)
                square += W[3 * i + m] * W[3 * m + j];
            V[3 * i + j] = (i == j) + c1 * W[3 * i + j] + c2 * square;
        }
    const double det = V[0] * (V[4] * V[8] - V[5] * V[7]) - V[1] * (V[3] * V[8] - V[5] * V[6]) +
                       V[2] * (V[3] * V[7] - V[4] * V[6]);
    for (int c = 0; c < 3; c++) {
        double M[9];
        memcpy(M, V, sizeof V);
        for (int i = 0; i < 3; i++)
            M[3 * i + c] = t[i];
        r[c] = (M[0] * (M[4] * M[8] - M[5] * M[7]) - M[1] * (M[3] * M[8] - M[5] * M[6]) +
                M[2] * (M[3] * M[7] - M[4] * M[6])) /
               det;
    }
}

// The force on a foot, or with its normal part times mu, for vertical normals.
static int probe_force(const probe *p, int knot, const arne_oc_term *t, const double *before,
                       const double *u, double *r)
{
    const arne_oc_phase *phase = &p->h->phases[phase_of(p, knot)];
    arne_wrench          forces[4];
    double               x[2 * MOST_X], tau[MOST_X], qdd[MOST_X];
    memcpy(x, before, (size_t)p->sx * sizeof *x);
    probe_impact(p, knot, x);
    probe_torques(p, u, tau);
    assert_ok(arne_contact_dynamics(p->holding[phase_of(p, knot)], p->work, x, x + p->nq, tau, NULL,
                                    qdd, forces, NULL, NULL));
    for (int i = 0; i < phase->contact_count; i++) {
        if (phase->contacts[i].frame != t->index) continue;
        const arne_vec3 f = forces[i].lin;
        r[0] = f.x;
        r[1] = f.y;
        r[2] = t->quantity == ARNE_OC_FORCE ? f.z : t->reference[0] * f.z;
        return 3;
    }
    memset(r, 0, 3 * sizeof *r);
    return 3;
}

// The rows of a term; returns how many.
static int probe_rows(const probe *p, int knot, const arne_oc_term *t, const double *x,
                      const double *u, const double *before, double *r)
{
    const double pi = acos(-1);
    arne_pose    X;
    switch (t->quantity) {
    case ARNE_OC_STATE:
        arne_difference(p->h->robot, t->reference, x, r);
        for (int i = 0; i < p->n; i++)
            r[p->n + i] = x[p->nq + i] - t->reference[p->nq + i];
        for (int i = 0; i < p->n && t->wrap; i++)
            if (arne_robot_joint(p->h->robot, i).kind == ARNE_JOINT_CONTINUOUS)
                r[i] = remainder(r[i], 2 * pi);
        return 2 * p->n;
    case ARNE_OC_CONTROL:
    case ARNE_OC_RATE:
        for (int i = 0; i < p->nu; i++)
            r[i] = t->quantity == ARNE_OC_RATE ? (u[i] - before[i]) / p->h->problem.step : u[i];
        return p->nu;
    case ARNE_OC_POSE:
    case ARNE_OC_POSITION:
        arne_kinematics(p->h->robot, p->work, x, NULL, NULL);
        X = arne_frame_pose(p->h->robot, p->work, t->index);
        if (t->quantity == ARNE_OC_POSE) {
            probe_log(t->reference, &X, r);
            return 6;
        }
        r[0] = X.p.x - t->reference[9]; // of references that are not turned
        r[1] = X.p.y - t->reference[10];
        r[2] = X.p.z - t->reference[11];
        return 3;
    case ARNE_OC_FORCE:
    case ARNE_OC_FRICTION:
        return probe_force(p, knot, t, x, u, r);
    default:
        fail_msg("the probe has no quantity %d", (int)t->quantity);
        return 0;
    }
}

static double probe_cost(const probe *p, int k, const double *x, const double *u,
                         const double *before, double *beyond)
{
    const int N = p->h->problem.knots;
    double    sum = 0;
    for (int i = 0; i < p->h->problem.term_count; i++) {
        const arne_oc_term *t = &p->h->terms[i];
        double              r[2 * MOST_X], value = 0;
        if (t->at_end != (k == N)) continue;
        const double scale = t->at_end ? 1 : p->h->problem.step;
        if (t->quantity == ARNE_OC_COST) {
            const arne_oc_knot at = {k, x, x + p->nq, u};
            t->cost(t->context, &at, &value, NULL, NULL);
            sum += scale * t->weight * value;
            continue;
        }
        const int     rows = probe_rows(p, k, t, x, u, before, r);
        const double *y = arne_oc_multipliers(p->oc, i);
        if (t->quantity == ARNE_OC_FRICTION) {
            y += 3 * k;
            sum += p->multiplied * (y[0] * r[0] + y[1] * r[1] + y[2] * r[2]);
            *beyond = fmax(*beyond, sqrt(r[0] * r[0] + r[1] * r[1]) - r[2]);
            continue;
        }
        for (int j = 0; j < rows; j++) {
            sum += 0.5 * scale * t->weight * (t->weights ? t->weights[j] : 1) * r[j] * r[j];
            if (!y) continue;
            sum += p->multiplied * y[(t->at_end ? 0 : k) * rows + j] * r[j];
            if (t->lower && r[j] < t->lower[j]) *beyond = fmax(*beyond, t->lower[j] - r[j]);
            if (t->upper && r[j] > t->upper[j]) *beyond = fmax(*beyond, r[j] - t->upper[j]);
        }
    }
    return sum;
}

// Knot k moved by e along entry j of (q, v, before, u).
typedef struct moved_knot {
    double x[2 * MOST_X], before[MOST_U], u[MOST_U];
} moved_knot;

static moved_knot probe_knot(const probe *p, int k, int j, double e)
{
    static const double zero[MOST_U] = {0};
    const int           N = p->h->problem.knots, n2 = 2 * p->n;
    const double       *x = arne_oc_states(p->oc) + (ptrdiff_t)k * p->sx,
                 *u = arne_oc_controls(p->oc) + (ptrdiff_t)k * p->nu;
    double     d[2 * MOST_X] = {0};
    moved_knot m;
    memset(&m, 0, sizeof m);
    memcpy(m.before, k > 0 ? u - p->nu : zero, (size_t)p->nu * sizeof *u);
    if (k < N) memcpy(m.u, u, (size_t)p->nu * sizeof *u);
    if (j < n2) d[j] = e;
    probe_moved(p, x, d, 1, m.x);
    if (j >= n2 && j < n2 + p->nu) m.before[j - n2] += e;
    if (j >= n2 + p->nu) m.u[j - n2 - p->nu] += e;
    return m;
}

// dL/d(entry j) of knot k: of its cost, and of the next state with its costate; central differences
// of order six.
static double probe_slope(const probe *p, int k, int j, const double *costate)
{
    static const double at[6] = {-3, -2, -1, 1, 2, 3}, factor[6] = {-1, 9, -45, 45, -9, 1};
    const int           N = p->h->problem.knots;
    const double        e = p->step;
    const double       *x = arne_oc_states(p->oc) + (ptrdiff_t)(k < N ? k + 1 : k) * p->sx;
    double              sum = 0, none = 0;
    for (int s = 0; s < 6; s++) {
        const moved_knot m = probe_knot(p, k, j, at[s] * e);
        double           next[2 * MOST_X], d[2 * MOST_X];
        double           value = probe_cost(p, k, m.x, m.u, m.before, &none);
        if (k < N && (j < 2 * p->n || j >= 2 * p->n + p->nu)) {
            probe_step(p, k, m.x, m.u, next);
            arne_difference(p->h->robot, x, next, d);
            for (int i = 0; i < p->n; i++)
                value += costate[i] * d[i] + costate[p->n + i] * (next[p->nq + i] - x[p->nq + i]);
        }
        sum += factor[s] * value;
    }
    return sum / (60 * e);
}

static double projected(const horizon *h, int i, double u, double g)
{
    const double low = h->problem.control_lower ? h->problem.control_lower[i] : -INFINITY,
                 high = h->problem.control_upper ? h->problem.control_upper[i] : INFINITY;
    return fabs(u - fmin(fmax(u - g, low), high));
}

static kkt_residual kkt_by(const horizon *h, const arne_oc *oc, double step)
{
    const arne_sizes s = arne_robot_sizes(h->robot);
    const int        N = h->problem.knots, n2 = 2 * s.v_count;
    probe            p = {h,
                          oc,
                          new_work(h->robot),
                          s.q_count,
                          s.v_count,
                          arne_oc_control_count(oc),
                          s.q_count + s.v_count,
                          0,
                          step,
                          {NULL}};
    kkt_residual     out = {0, 0, 0, 0};
    for (int i = 0; i < h->problem.phase_count; i++) {
        arne_held held[4] = {{0}};
        for (int c = 0; c < h->phases[i].contact_count; c++)
            held[c].frame = h->phases[i].contacts[c].frame;
        if (h->phases[i].contact_count)
            assert_ok(
                arne_holding_new(h->robot, held, h->phases[i].contact_count, &p.holding[i], NULL));
    }
    double costate[2 * MOST_X] = {0}, through[MOST_U] = {0}, before[2 * MOST_X];
    for (int k = N; k >= 0; k--) {
        const moved_knot at = probe_knot(&p, k, 0, 0);
        p.multiplied = 0;
        out.cost += probe_cost(&p, k, at.x, at.u, at.before, &out.beyond);
        p.multiplied = 1;
        for (int i = 0; i < p.nu && k < N; i++) {
            const double g = probe_slope(&p, k, n2 + p.nu + i, costate) + through[i];
            out.gradient = fmax(out.gradient, projected(h, i, at.u[i], g));
        }
        for (int i = 0; i < n2; i++)
            before[i] = probe_slope(&p, k, i, costate);
        for (int i = 0; i < p.nu; i++)
            through[i] = probe_slope(&p, k, n2 + i, costate);
        memcpy(costate, before, sizeof before);
        if (k == N) continue;
        double        next[2 * MOST_X], d[2 * MOST_X];
        const double *x = arne_oc_states(oc) + (ptrdiff_t)(k + 1) * p.sx;
        probe_step(&p, k, at.x, at.u, next);
        arne_difference(h->robot, x, next, d);
        for (int i = 0; i < p.n; i++) {
            out.gap = fmax(out.gap, fabs(d[i]));
            out.gap = fmax(out.gap, fabs(next[p.nq + i] - x[p.nq + i]));
        }
    }
    for (int i = 0; i < 4; i++)
        arne_holding_free(p.holding[i]);
    arne_work_free(p.work);
    return out;
}

kkt_residual horizon_kkt(const horizon *h, const arne_oc *oc)
{
    const kkt_residual out = kkt_by(h, oc, 1e-3);
    // Differences that step over half a turn, where logarithms jump; shorter ones are more rounded.
    return out.gradient < 1e-6 ? out : kkt_by(h, oc, 1e-4);
}
