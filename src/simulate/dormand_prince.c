// The embedded pair 5(4) of Dormand and Prince (1980), with Shampine's continuous extension of
// order 4, as in Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, section
// II.6. The step follows a PI controller.
//
// The seventh stage is the rate at the end of the step, which is the first of the next one: six
// rates a step.
#include "simulate/integrator.h"
#include <math.h>
#include <string.h>

static const tableau PAIR = {
    .stages = 7,
    .c = {0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1},
    .a = {{0},
          {0.2},
          {3.0 / 40, 9.0 / 40},
          {44.0 / 45, -56.0 / 15, 32.0 / 9},
          {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
          {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
          {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}},
};

// Solution of order 5 minus that of order 4.
static const double ESTIMATE[7] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                   -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

// The last coefficient of the continuous extension.
static const double DENSE[7] = {-12715105075.0 / 11282082432,  0,
                                87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                                701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                                69997945.0 / 29380423};

// The part of a default absolute tolerance that holds however little the robot moves: rounding of
// coordinates of order 1 is 1e-3 of it.
static const double LEAST_PART = 1e-3;

// The error that is allowed entry n of the tangent, whose size is x. Coordinates are held to
// absolute + relative, velocities and z to absolute + relative |x|. Where the caller gave no
// absolute tolerance, those of coordinates and velocities shrink with the motion so far, so that
// small vibrations are as accurate as large ones.
static double dopri_tolerance(const arne_integrator *it, int n, double x)
{
    const arne_integrator_options *o = &it->options;
    if (n < it->nv) return fmin(1, fmax(LEAST_PART, it->reach)) * (o->absolute + o->relative);
    const double part = n < 2 * it->nv ? fmin(1, fmax(LEAST_PART, it->speed)) : 1;
    return part * o->absolute + o->relative * fabs(x);
}

// What dopri_tolerance asks: how far and how fast the robot moved.
static void note_motion(arne_integrator *it)
{
    for (int i = 0; i < it->nv; i++) {
        it->path[i] += it->sum[i];
        it->reach = fmax(it->reach, fabs(it->path[i]));
        it->speed = fmax(it->speed, fabs(it->qd[i]));
    }
}

// The error of the step h relative to the tolerances: at most 1 is good.
static double step_error(arne_integrator *it, double h)
{
    double sum = 0, largest = -1;
    for (int n = 0; n < it->tangent; n++) {
        double e = 0;
        for (int j = 0; j < PAIR.stages; j++)
            e += ESTIMATE[j] * it->k[j][n];
        const int    i = n - it->nv;
        const double size = i < 0 ? 1 : fmax(fabs(it->qd[i]), fabs(it->qd1[i]));
        const double scaled = fabs(h * e / dopri_tolerance(it, n, size));
        sum += scaled * scaled;
        // Who is to blame is a joint; z only follows.
        if (n < 2 * it->nv ? !(scaled <= largest) : it->nv == 0) {
            largest = scaled;
            it->worst = n;
        }
    }
    return it->tangent ? sqrt(sum / it->tangent) : 0;
}

// A first step from the size of the rates: Hairer's, without its second evaluation.
static double first_step(const arne_integrator *it, double left)
{
    double size = 0, rate = 0;
    for (int n = 0; n < it->tangent; n++) {
        const int    i = n - it->nv;
        const double x = i < 0 ? 1 : it->qd[i];
        const double scale = dopri_tolerance(it, n, x);
        size = fmax(size, fabs(x) / scale);
        rate = fmax(rate, fabs(it->k[0][n]) / scale);
    }
    const double h = rate > 1e-10 * size && size > 0 ? 1e-2 * size / rate : 1e-3;
    return fmin(h, left);
}

// Coefficients that dopri_at evaluates.
static void keep_dense(arne_integrator *it, double h)
{
    for (int n = 0; n < it->tangent; n++) {
        const double moved = it->sum[n], bend = h * it->k[0][n] - moved;
        double       last = 0;
        for (int j = 0; j < PAIR.stages; j++)
            last += DENSE[j] * it->k[j][n];
        it->dense[0][n] = moved;
        it->dense[1][n] = bend;
        it->dense[2][n] = moved - h * it->k[6][n] - bend;
        it->dense[3][n] = h * last;
    }
}

// All stages of a step h; it->sum is then the step itself, and the state on trial its end.
static arne_status try_step(arne_integrator *it, double h, double *size, arne_error *error)
{
    arne_status status = ARNE_OK;
    for (int i = 1; i < PAIR.stages && status == ARNE_OK; i++)
        status = integrator_stage(it, &PAIR, i, h, error);
    *size = status == ARNE_OK ? step_error(it, h) : NAN;
    return status;
}

static arne_status accept(arne_integrator *it, double h, arne_error *error)
{
    keep_dense(it, h);
    const arne_status status = integrator_accept(it, h, error);
    if (status != ARNE_OK) return status;
    note_motion(it);
    // The next step starts with u = 0 again, where the rate of u is the velocity. A projection
    // moves the state.
    double *first = it->k[0];
    it->k[0] = it->k[6];
    it->k[6] = first;
    memcpy(it->k[0], it->qd, (size_t)it->nv * sizeof(double));
    it->fresh = !it->system.project;
    return ARNE_OK;
}

arne_status dopri_step(arne_integrator *it, double until, arne_error *error)
{
    arne_status status = ARNE_OK;
    if (!it->fresh)
        status = integrator_rate(it, it->time, NULL, it->q, it->qd, it->z, it->k[0], error);
    if (status != ARNE_OK) return status;
    it->fresh = 1;
    if (it->next_step == 0) {
        it->next_step = it->options.step > 0 ? it->options.step : first_step(it, until - it->time);
        it->old_error = 1e-4;
    }
    double h = fmin(it->next_step, it->options.max_step);
    for (int tries = 0;; tries++) {
        const double left = until - it->time;
        const int    last = h >= left * (1 - 1e-12);
        const double taken = last ? left : left < 2 * h ? left / 2 : h;
        double       size;
        status = try_step(it, taken, &size, error);
        // A state beyond what the right-hand side can bear is a step too long, unless even the
        // shortest fails.
        if (status == ARNE_OK && size <= 1) {
            const double factor = pow(fmax(size, 1e-10), -0.17) * pow(it->old_error, 0.04) * 0.9;
            const double next = taken * fmin(10, fmax(0.2, factor));
            it->old_error = fmax(size, 1e-4);
            // A step that was cut short to end in time says little about the next one.
            it->next_step = taken < h ? fmax(h, next) : next;
            status = accept(it, taken, error);
            if (status == ARNE_OK && last) it->time = until;
            return status;
        }
        it->stats.rejected++;
        h = taken * (isfinite(size) ? fmax(0.2, 0.9 * pow(size, -0.2)) : 0.1);
        if (h < 1e-14 * fmax(fmin(left, 1), fabs(it->time)) || tries > 200)
            return status != ARNE_OK
                       ? status
                       : integrator_diverged(it, it->worst, "asks for steps too small to take",
                                             error);
    }
}

void dopri_at(const arne_integrator *it, double time, double *q, double *qd, double *z)
{
    const double x = (time - it->last_time) / it->last_step, y = 1 - x;
    const int    nv = it->nv;
    double      *step = it->within;
    for (int n = 0; n < it->tangent; n++)
        step[n] = x * (it->dense[0][n] +
                       y * (it->dense[1][n] + x * (it->dense[2][n] + y * it->dense[3][n])));
    if (q) arne_integrate(it->system.robot, it->q0, step, q);
    for (int i = 0; qd && i < nv; i++)
        qd[i] = it->qd0[i] + step[nv + i];
    for (int i = 0; z && i < it->nz; i++)
        z[i] = it->z0[i] + step[2 * nv + i];
}
