// Natural frequencies and mode shapes.
//
//     K x = w^2 M x,   M = L L^T,   K + s M = C C^T
//
// with a shift s that makes K positive definite, zero where it is already. Singular values of C^-1
// L are 1/sqrt(w^2 + s), and L^T x are its right singular vectors. One-sided rotations find them
// all to the same relative accuracy, so that the lowest frequencies do not suffer where others are
// a million times as high.
#include "base/error.h"
#include "math/dense.h"
#include "math/rank.h"
#include <arne/configuration.h>
#include <arne/derivatives.h>
#include <arne/integrate.h>
#include <arne/modes.h>
#include <arne/motor.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct modes {
    const arne_robot *robot;
    arne_work        *work;
    arne_error       *error;
    double           *block, *zero, *tau, *step, *q, *K, *M, *part, *B, *V, *values;
    int              *moves, *settles; // coordinates that move, and those that settle
    int               nv, nq, move_count, settle_count;
} modes;

static int *new_list(int count) { return calloc((size_t)count + 1, sizeof(int)); }

static arne_status modes_make(modes *m)
{
    const size_t   n = (size_t)m->nv, square = n * n;
    double **const of_v[] = {&m->zero, &m->tau, &m->step, &m->values};
    double **const of_square[] = {&m->K, &m->M, &m->part, &m->B, &m->V};
    m->block = calloc(4 * n + 5 * square + (size_t)m->nq + 1, sizeof(double));
    m->moves = new_list(m->nv);
    m->settles = new_list(m->nv);
    if (!m->block || !m->moves || !m->settles) return arne_fail_memory(m->error);
    double *next = m->block;
    for (int i = 0; i < 4; i++, next += n)
        *of_v[i] = next;
    for (int i = 0; i < 5; i++, next += square)
        *of_square[i] = next;
    m->q = next;
    return ARNE_OK;
}

static void modes_choose(modes *m, const unsigned char *held)
{
    const arne_sizes sizes = arne_robot_sizes(m->robot);
    for (int i = 0; i < m->nv; i++)
        if (!held || !held[i]) m->moves[m->move_count++] = i;
    for (int i = 0; i < sizes.spring_count; i++) {
        const arne_spring_info s = arne_robot_spring(m->robot, i);
        const int              v = arne_robot_joint(m->robot, s.joint).v_start;
        if (s.passive && !(held && held[v])) m->settles[m->settle_count++] = v;
    }
    for (int i = 0; i < sizes.motor_count; i++) {
        const arne_motor_info motor = arne_robot_motor(m->robot, i);
        const int             v = arne_robot_joint(m->robot, motor.joint).v_start;
        if (motor.v_index >= 0 && !(held && held[v])) m->settles[m->settle_count++] = v;
    }
}

// ---- the equilibrium: Newton's steps of those that settle

static double unrest(modes *m, const double *q)
{
    double sum = 0;
    arne_inverse_dynamics(m->robot, m->work, q, m->zero, m->zero, NULL, m->tau);
    for (int i = 0; i < m->settle_count; i++)
        sum += m->tau[m->settles[i]] * m->tau[m->settles[i]];
    return sqrt(sum);
}

// The step towards rest; 0 where the springs do not hold.
static int modes_find_step(modes *m, const double *q, double *largest)
{
    const int n = m->settle_count;
    double   *x = m->values;
    arne_inverse_dynamics_derivatives(m->robot, m->work, q, m->zero, m->zero, NULL, 0, m->K, m->B,
                                      m->M);
    for (int i = 0; i < n; i++) {
        x[i] = -m->tau[m->settles[i]];
        for (int k = 0; k < n; k++)
            m->part[i * n + k] = m->K[m->settles[i] * m->nv + m->settles[k]];
    }
    if (!dense_factor(n, m->part, 1e-14)) return 0;
    dense_solve(n, m->part, x);
    *largest = 0;
    memset(m->step, 0, (size_t)m->nv * sizeof *m->step);
    for (int i = 0; i < n; i++) {
        m->step[m->settles[i]] = x[i];
        *largest = fmax(*largest, fabs(x[i]));
    }
    return 1;
}

static arne_status modes_settle(modes *m, double *q)
{
    enum { MOST_STEPS = 100, MOST_HALVES = 30 };
    double before = m->settle_count ? unrest(m, q) : 0, largest = 1;
    for (int i = 0; i < MOST_STEPS && m->settle_count; i++) {
        int halves = 0;
        if (!modes_find_step(m, q, &largest)) break;
        if (largest < 1e-14 || before == 0) return ARNE_OK;
        double after = INFINITY;
        for (; halves < MOST_HALVES; halves++) {
            arne_integrate(m->robot, q, m->step, m->q);
            after = unrest(m, m->q);
            if (after < before) break;
            for (int k = 0; k < m->nv; k++)
                m->step[k] /= 2;
        }
        if (halves == MOST_HALVES) { // nothing better within rounding
            unrest(m, q);
            break;
        }
        memcpy(q, m->q, (size_t)m->nq * sizeof *q);
        before = after;
    }
    if (!m->settle_count || largest < 1e-8) return ARNE_OK;
    return arne_fail(m->error, ARNE_NOT_CONVERGED, NULL, 0,
                     "'%s' has no equilibrium near this configuration that its springs hold; start "
                     "from another q, or look without gravity",
                     arne_robot_name(m->robot));
}

// ---- frequencies

// C^T C = K + s M of those that move, in `part`; 0 where that is not positive definite.
static int shifted(modes *m, double s)
{
    const int n = m->move_count, nv = m->nv;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            const int a = m->moves[i], b = m->moves[k];
            m->part[i * n + k] = 0.5 * (m->K[a * nv + b] + m->K[b * nv + a]) + s * m->M[a * nv + b];
        }
    return dense_factor(n, m->part, s > 0 ? 1e-10 : 1e-13);
}

// A shift that is small beside most frequencies, yet enough.
static double find_shift(modes *m)
{
    double most = 0, least = INFINITY;
    if (shifted(m, 0)) return 0;
    for (int i = 0; i < m->move_count; i++) {
        const int    k = m->moves[i] * (m->nv + 1);
        const double rate = fabs(m->K[k]) / m->M[k];
        most = fmax(most, rate);
        if (rate > 0) least = fmin(least, rate);
    }
    double s = isfinite(least) ? 1e-6 * least : 1;
    while (!shifted(m, s) && s < 1e12 * (1 + most))
        s *= 10;
    return s;
}

// The Cholesky factor of M of those that move, into the lower part of L.
static int factor_mass(const modes *m, double *L)
{
    const int n = m->move_count;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            L[i * n + k] = m->M[m->moves[i] * m->nv + m->moves[k]];
    return dense_factor(n, L, 1e-13);
}

// B = C^-1 L by columns; L is lower.
static void divide(const modes *m, const double *L)
{
    const int n = m->move_count;
    for (int c = 0; c < n; c++) {
        double *x = m->B + (size_t)c * (size_t)n;
        for (int i = 0; i < n; i++) {
            double sum = i >= c ? L[i * n + c] : 0;
            for (int k = 0; k < i; k++)
                sum -= m->part[i * n + k] * x[k];
            x[i] = sum / m->part[i * n + i];
        }
    }
}

// x = L^-T v, with the largest entry positive, as a row over all coordinates.
static void put_shape(const modes *m, const double *L, double *v, double *row)
{
    const int n = m->move_count;
    double    largest = 0;
    memset(row, 0, (size_t)m->nv * sizeof *row);
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            v[i] -= L[k * n + i] * v[k];
        v[i] /= L[i * n + i];
    }
    for (int i = 0; i < n; i++)
        if (fabs(v[i]) > fabs(largest) * (1 + 1e-9)) largest = v[i];
    for (int i = 0; i < n; i++)
        row[m->moves[i]] = largest < 0 ? -v[i] : v[i];
}

static arne_status find_modes(modes *m, double *frequency, double *shapes)
{
    const int    n = m->move_count;
    const double pi = acos(-1);
    const double s = find_shift(m);
    double      *L = m->K; // no longer needed
    if (!factor_mass(m, L))
        return arne_fail(m->error, ARNE_SINGULAR, NULL, 0,
                         "'%s' has a coordinate without inertia: it has no frequency",
                         arne_robot_name(m->robot));
    divide(m, L);
    dense_singular(n, n, m->B, m->values, m->V);
    for (int i = 0; i < n; i++) {
        int best = -1; // the largest value that is left is the lowest frequency
        for (int k = 0; k < n; k++)
            if (m->values[k] >= 0 && (best < 0 || m->values[k] > m->values[best])) best = k;
        const double value = m->values[best];
        double       square = 1 / (value * value) - s;
        if (fabs(square) < 1e-9 * s) square = 0; // all of it is the shift
        frequency[i] = (square < 0 ? -sqrt(-square) : sqrt(square)) / (2 * pi);
        put_shape(m, L, m->V + (size_t)best * (size_t)n, shapes + (size_t)i * (size_t)m->nv);
        m->values[best] = -1;
    }
    return ARNE_OK;
}

arne_status arne_modes(const arne_robot *robot, arne_work *work, const unsigned char *held,
                       double *q, int *count, double *frequency, double *shapes, arne_error *error)
{
    if (!robot || !work || !q || !count || !frequency || !shapes)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    const arne_sizes sizes = arne_robot_sizes(robot);
    modes            m = {
                   .robot = robot, .work = work, .error = error, .nv = sizes.v_count, .nq = sizes.q_count};
    *count = 0;
    if (sizes.loop_count)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "modes of a robot with loops are not available");
    arne_status status = modes_make(&m);
    if (!status) {
        modes_choose(&m, held);
        status = modes_settle(&m, q);
    }
    if (!status) {
        arne_inverse_dynamics_derivatives(robot, work, q, m.zero, m.zero, NULL, 0, m.K, m.B, m.M);
        status = find_modes(&m, frequency, shapes);
    }
    if (!status) *count = m.move_count;
    free(m.block);
    free(m.moves);
    free(m.settles);
    return status;
}
