#include "identify/excitation.h"
#include "identify/least_squares.h"
#include "math/dense.h"
#include "math/rank.h"
#include "motion/bspline.h"
#include <arne/derivatives.h>
#include <arne/dynamics.h>
#include <arne/kinematics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

enum { SPLINE_DEGREE = 5, SPLINE_REST = 3 }; // so many points at each end are one: at rest there

int excitation_splines(excitation *e)
{
    const int points = e->per_joint - 1 + 2 * SPLINE_REST;
    return arne_bspline_new(SPLINE_DEGREE, points, NULL, &e->spline, NULL) == ARNE_OK;
}

int excitation_new(excitation *e)
{
    const size_t n = (size_t)e->n, count = (size_t)e->study->m.count;
    const size_t parameters = (size_t)e->study->m.parameters, samples = (size_t)e->samples;
    e->per_joint = 2 * e->harmonics - 1;
    e->count = e->per_joint * e->n;
    e->derivative = complex_regressor_new(e->robot);
    e->scale = malloc((count + 2 * n * parameters + samples * n * count + 2 * count * count +
                       n * count + 6 * n + 3 * n * samples + n + 3 * n * n + 6 * n + 8) *
                      sizeof(double));
    if (!e->derivative || !e->scale || arne_work_new(e->robot, &e->work)) return 0;
    e->Y = e->scale + count;
    e->dY = e->Y + n * parameters;
    e->y = e->dY + n * parameters;
    e->G = e->y + samples * n * count;
    e->C = e->G + 2 * count * count;
    e->state = e->C + n * count;
    e->slope = e->state + 6 * n;
    e->tau = e->slope + 3 * n * samples;
    e->jacobian = e->tau + n;
    return 1;
}

void excitation_free(excitation *e)
{
    complex_regressor_free(e->derivative);
    arne_bspline_free(e->spline);
    arne_work_free(e->work);
    free(e->scale);
}

// ---- the motion

// The three time derivatives of variable v of a joint at a part of the period: q0, then pairs of
// a_k and b_k. The last pair follows: a_N = -sum k a_k / N, b_N = -sum k^2 b_k / N^2.
static void fourier(const excitation *e, int v, double part, double out[3])
{
    const double w = 2 * pi / e->period, t = part * e->period;
    const int    N = e->harmonics, k = (v + 1) / 2;
    out[0] = v == 0;
    out[1] = out[2] = 0;
    if (v == 0) return;
    const int    is_sine = v % 2 == 1;
    const double tie = is_sine ? -(double)k / N : -(double)(k * k) / (N * N);
    for (int i = 0; i < 2; i++) {
        const double f = w * (i ? N : k), factor = i ? tie : 1, s = sin(f * t), c = cos(f * t);
        out[0] += factor * (is_sine ? s : c);
        out[1] += factor * f * (is_sine ? c : -s);
        out[2] -= factor * f * f * (is_sine ? s : c);
    }
}

// q0, which moves all points, then the points between the first and the last three.
static void excitation_spline(const excitation *e, int v, double part, double out[3])
{
    double row[SPLINE_DEGREE + 1];
    for (int d = 0; d < 3; d++) {
        const int first = bspline_row(e->spline, e->period, part * e->period, d, row);
        const int at = v + SPLINE_REST - 1 - first;
        out[d] = v == 0 ? d == 0 : at >= 0 && at <= SPLINE_DEGREE ? row[at] : 0;
    }
}

static void basis(const excitation *e, int v, double part, double out[3])
{
    if (e->spline)
        excitation_spline(e, v, part, out);
    else
        fourier(e, v, part, out);
}

void excitation_state(const excitation *e, const double *x, double part, double *state)
{
    memset(state, 0, 3 * (size_t)e->n * sizeof *state);
    for (int v = 0; v < e->per_joint; v++) {
        double b[3];
        basis(e, v, part, b);
        for (int j = 0; j < e->n; j++)
            for (int d = 0; d < 3; d++)
                state[d * e->n + j] += b[d] * x[j * e->per_joint + v];
    }
}

// ---- limits

// -mu log(1 - u^2) for |u| < 1 and its derivative times du; INFINITY beyond.
static double barrier(double mu, double u, double du, double *slope)
{
    if (!(fabs(u) < 1)) return INFINITY;
    if (slope) *slope += mu * 2 * u / (1 - u * u) * du;
    return -mu * log(1 - u * u);
}

static double used_torque(excitation *e, const double *state, double *dtau)
{
    const int n = e->n;
    double    most = 0;
    arne_inverse_dynamics(e->robot, e->work, state, state + n, state + 2 * n, NULL, e->tau);
    for (int j = 0; j < n; j++)
        if (isfinite(e->effort[j])) most = fmax(most, fabs(e->tau[j]) / e->effort[j]);
    if (dtau)
        arne_inverse_dynamics_derivatives(e->robot, e->work, state, state + n, state + 2 * n, NULL,
                                          0, dtau, dtau + n * n, dtau + 2 * n * n);
    return most;
}

static double of_floor(excitation *e, const double *state, double *slope)
{
    const int n = e->n;
    double    value = 0;
    if (e->frame_count) arne_kinematics(e->robot, e->work, state, state + n, NULL);
    for (int i = 0; i < e->frame_count; i++) {
        const arne_pose X = arne_frame_pose(e->robot, e->work, e->frames[i]);
        const double    above = X.p.z - e->floor;
        if (!(above > 0)) return INFINITY;
        value -= e->mu * log(above / 0.1);
        if (!slope) continue;
        double *J = e->jacobian + 3 * (ptrdiff_t)n * n; // 6 x n, linear rows first
        arne_jacobian(e->robot, e->work, state, e->frames[i], ARNE_AXES_ALIGNED, J);
        for (int k = 0; k < n; k++)
            slope[k] -= e->mu / above * J[2 * n + k];
    }
    return value;
}

static double of_limits(excitation *e, const double *state, double *slope)
{
    const int n = e->n;
    double    value = 0;
    for (int j = 0; j < n; j++) {
        const double middle = (e->low[j] + e->high[j]) / 2, half = (e->high[j] - e->low[j]) / 2;
        value += barrier(e->mu, (state[j] - middle) / half, 1 / half, slope ? slope + j : NULL);
        value += barrier(e->mu, state[n + j] / e->speed[j], 1 / e->speed[j],
                         slope ? slope + n + j : NULL);
        value += barrier(e->mu, state[2 * n + j] / e->rate[j], 1 / e->rate[j],
                         slope ? slope + 2 * n + j : NULL);
    }
    if (!isfinite(value)) return INFINITY;
    if (!isfinite(used_torque(e, state, slope ? e->jacobian : NULL))) return INFINITY;
    for (int j = 0; j < n; j++) {
        double d = 0;
        if (!isfinite(e->effort[j])) continue;
        value += barrier(e->mu, e->tau[j] / e->effort[j], 1 / e->effort[j], &d);
        for (int p = 0; slope && p < 3; p++)
            for (int k = 0; k < n; k++)
                slope[p * n + k] += d * e->jacobian[((ptrdiff_t)p * n + j) * n + k];
    }
    return value + of_floor(e, state, slope);
}

double excitation_worst(excitation *e, const double *x, int samples, int *which, int *joint)
{
    const int n = e->n;
    double    most = 0;
    for (int i = 0; i < samples; i++) {
        double *s = e->state;
        excitation_state(e, x, (double)i / samples, s);
        used_torque(e, s, NULL);
        for (int j = 0; j < n; j++) {
            const double middle = (e->low[j] + e->high[j]) / 2, half = (e->high[j] - e->low[j]) / 2;
            const double part[4] = {fabs(s[j] - middle) / half, fabs(s[n + j]) / e->speed[j],
                                    fabs(s[2 * n + j]) / e->rate[j],
                                    isfinite(e->effort[j]) ? fabs(e->tau[j]) / e->effort[j] : 0};
            for (int k = 0; k < 4; k++)
                if (part[k] > most) {
                    most = part[k];
                    *which = k + 1;
                    *joint = j;
                }
        }
        if (e->frame_count) arne_kinematics(e->robot, e->work, s, s + n, NULL);
        for (int k = 0; k < e->frame_count; k++)
            if (arne_frame_pose(e->robot, e->work, e->frames[k]).p.z <= e->floor) {
                *which = 5;
                *joint = k;
                most = fmax(most, 2);
            }
    }
    return most;
}

// ---- information

static void fill_rows(excitation *e, const double *x, int i)
{
    const size_t n = (size_t)e->n, count = (size_t)e->study->m.count;
    double       tau[64] = {0};
    excitation_state(e, x, (double)i / e->samples, e->state);
    model_rows(e->study, e->work, e->Y, e->state, e->state + n, e->state + 2 * n, NULL,
               e->y + (size_t)i * n * count, n <= 64 ? tau : e->tau);
}

// The information, columns scaled, as its Cholesky factor; log det, INFINITY negative where it is
// singular.
static double information(excitation *e)
{
    const size_t n = (size_t)e->n, count = (size_t)e->study->m.count;
    double      *G = e->G, log_det = 0;
    memset(G, 0, count * count * sizeof *G);
    for (size_t i = 0; i < (size_t)e->samples * n; i++) {
        const double *row = e->y + i * count, w = 1 / (e->noise[i % n] * e->noise[i % n]);
        for (size_t a = 0; a < count; a++)
            if (row[a] != 0)
                for (size_t b = 0; b <= a; b++)
                    G[a * count + b] += w * row[a] * row[b] * e->scale[a] * e->scale[b];
    }
    for (size_t a = 0; a < count; a++)
        G[a * count + a] += 1e-12;
    if (!dense_factor((int)count, G, 0)) return -INFINITY;
    for (size_t a = 0; a < count; a++)
        log_det += 2 * log(G[a * count + a]);
    return log_det;
}

// C = W Y G^-1 of a sample: rows of the derivative of log det, halved.
static void rows_of_slope(excitation *e, int i)
{
    const size_t n = (size_t)e->n, count = (size_t)e->study->m.count;
    for (size_t j = 0; j < n; j++) {
        double       *c = e->C + j * count;
        const double *row = e->y + ((size_t)i * n + j) * count;
        for (size_t a = 0; a < count; a++)
            c[a] = row[a] * e->scale[a];
        dense_solve((int)count, e->G, c);
        for (size_t a = 0; a < count; a++)
            c[a] *= e->scale[a] / (e->noise[j] * e->noise[j]);
    }
}

// Friction: viscous columns change with speed, those of signs do not.
static double column_slope(const excitation *e, int j, int column, int k)
{
    const model_column *c = &e->study->m.column[column];
    if (c->kind == COLUMN_BASE)
        return e->dY[(size_t)j * (size_t)e->study->m.parameters +
                     (size_t)e->study->m.base->kept[column]];
    return c->kind == COLUMN_VISCOUS && c->joint == j && k == e->n + j;
}

static void slope_of_information(excitation *e, const double *x, int i, double *slope)
{
    const size_t n = (size_t)e->n, count = (size_t)e->study->m.count;
    rows_of_slope(e, i);
    excitation_state(e, x, (double)i / e->samples, e->state);
    for (int k = 0; k < 3 * e->n; k++) {
        double sum = 0;
        complex_regressor_along(e->derivative, e->state, k, e->dY);
        for (size_t j = 0; j < n; j++)
            for (size_t a = 0; a < count; a++)
                sum += e->C[j * count + a] * column_slope(e, (int)j, (int)a, k);
        slope[k] -= 2 * sum;
    }
}

double excitation_value(excitation *e, const double *x, double *gradient)
{
    const size_t n = (size_t)e->n;
    double       value = 0;
    memset(e->slope, 0, 3 * n * (size_t)e->samples * sizeof *e->slope);
    for (int i = 0; i < e->samples; i++) {
        fill_rows(e, x, i);
        value += of_limits(e, e->state, gradient ? e->slope + 3 * n * (size_t)i : NULL);
        if (!isfinite(value)) return INFINITY;
    }
    value -= information(e);
    if (!gradient || !isfinite(value)) return value;
    memset(gradient, 0, (size_t)e->count * sizeof *gradient);
    for (int i = 0; i < e->samples; i++) {
        double *slope = e->slope + 3 * n * (size_t)i;
        slope_of_information(e, x, i, slope);
        for (int v = 0; v < e->per_joint; v++) {
            double b[3];
            basis(e, v, (double)i / e->samples, b);
            for (int j = 0; j < e->n; j++)
                for (int d = 0; d < 3; d++)
                    gradient[j * e->per_joint + v] += b[d] * slope[d * e->n + j];
        }
    }
    return value;
}

double excitation_condition(excitation *e, const double *x, double *deviation)
{
    const size_t n = (size_t)e->n, count = (size_t)e->study->m.count;
    const size_t rows = n * (size_t)e->samples;
    double       low = INFINITY, high = 0;
    double      *A = malloc((rows * count + rows + count) * sizeof *A);
    for (int i = 0; i < e->samples; i++)
        fill_rows(e, x, i);
    for (size_t a = 0; deviation && a < count; a++)
        deviation[a] = INFINITY;
    if (!A) {
        e->no_memory = 1;
        return INFINITY;
    }
    if (deviation && isfinite(information(e)))
        for (size_t a = 0; a < count; a++) {
            double *c = e->C;
            memset(c, 0, count * sizeof *c);
            c[a] = 1;
            dense_solve((int)count, e->G, c);
            deviation[a] = e->scale[a] * sqrt(c[a]);
        }
    for (size_t c = 0; c < count; c++) {
        double sum = 0;
        for (size_t i = 0; i < rows; i++)
            sum += e->y[i * count + c] * e->y[i * count + c];
        for (size_t i = 0; i < rows; i++)
            A[c * rows + i] = sum > 0 ? e->y[i * count + c] / sqrt(sum) : 0;
    }
    memset(A + rows * count, 0, rows * sizeof *A);
    if (least_squares((int)rows, (int)count, A, A + rows * count, A + rows * count + rows)) {
        double *R = e->G, *values = A + rows * count;
        for (size_t c = 0; c < count; c++)
            for (size_t i = 0; i < count; i++)
                R[c * count + i] = i <= c ? A[c * rows + i] : 0;
        dense_singular((int)count, (int)count, R, values, R + count * count);
        for (size_t c = 0; c < count; c++) {
            low = fmin(low, values[c]);
            high = fmax(high, values[c]);
        }
    }
    free(A);
    return low > 0 ? high / low : INFINITY;
}
