// Sums of sines. numbers: frequencies (harmonics), then amplitudes and phases (harmonics x v_count
// each).
#include "motion/trajectory.h"

#include "base/error.h"
#include <math.h>
#include <string.h>

static void sum_at(const arne_trajectory *path, double t, int v, double out[ORDERS])
{
    const size_t  n = (size_t)path->count, width = (size_t)path->v_count;
    const double *amplitude = path->numbers + n, *phase = amplitude + n * width;
    memset(out, 0, ORDERS * sizeof *out);
    for (size_t k = 0; k < n; k++) {
        const size_t at = k * width + (size_t)v;
        const double w = path->numbers[k], x = w * t + phase[at];
        const double s = amplitude[at] * sin(x), c = amplitude[at] * cos(x) * w;
        out[0] += s;
        out[1] += c;
        out[2] -= w * w * s;
        out[3] -= w * w * c;
        out[4] += w * w * w * w * s;
    }
}

static void sine_coordinate(const arne_trajectory *path, const moment *m, int index, int q,
                            double out[ORDERS])
{
    const part *p = &path->parts[index];
    sum_at(path, m->t, p->v_start + q - p->q_start, out);
    out[0] += path->from[q];
}

static turning sine_rotation(const arne_trajectory *path, const moment *m, int index)
{
    const part *p = &path->parts[index];
    const int   at = part_quaternion(p);
    turning     r = turning_at(path->from + p->q_start + at);
    for (int i = 0; i < 3; i++) {
        double b[ORDERS];
        sum_at(path, m->t, p->v_start + at + i, b);
        turning_add(&r, v3(i == 0, i == 1, i == 2), b);
    }
    return r;
}

static const way SINE = {NULL, sine_coordinate, sine_rotation};

arne_status arne_trajectory_sinusoid(const arne_robot *robot, const double *offset, int harmonics,
                                     const double *frequency, const double *amplitude,
                                     const double *phase, arne_trajectory **out, arne_error *error)
{
    arne_error_clear(error);
    if (!robot || !out || !offset || (harmonics > 0 && (!frequency || !amplitude)))
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0,
                         "robot, out, offset, frequency or amplitude is NULL");
    *out = NULL;
    if (harmonics < 0) return arne_fail(error, ARNE_VALUE, NULL, 0, "%d harmonics", harmonics);
    const size_t n = (size_t)harmonics, width = (size_t)arne_robot_sizes(robot).v_count;
    for (size_t k = 0; k < n; k++)
        if (!isfinite(frequency[k]))
            return arne_fail(error, ARNE_VALUE, NULL, 0, "frequency %g", frequency[k]);
    for (size_t k = 0; k < n * width; k++)
        if (!isfinite(amplitude[k]) || (phase && !isfinite(phase[k])))
            return arne_fail(error, ARNE_VALUE, NULL, 0, "an amplitude or phase is not finite");
    arne_status status = trajectory_check_point(robot, offset, "offset", error);
    if (status) return status;
    arne_trajectory *path;
    status = trajectory_new(robot, &SINE, offset, n + 2 * n * width, &path, error);
    if (status) return status;
    path->count = harmonics;
    path->duration = INFINITY;
    if (n) {
        memcpy(path->numbers, frequency, n * sizeof *frequency);
        memcpy(path->numbers + n, amplitude, n * width * sizeof *amplitude);
        if (phase) memcpy(path->numbers + n + n * width, phase, n * width * sizeof *phase);
    }
    *out = path;
    return ARNE_OK;
}
