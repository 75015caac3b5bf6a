// B-splines in all coordinates. Quaternions are splines in four dimensions, of which the direction
// counts: on the rotation group that is as smooth as the spline is, and the same however world and
// body axes are turned. It needs no more than that the spline keeps away from zero, which
// quaternions that are less than half a turn apart see to: they are taken with the sign that is
// nearer to the one before.
//
// numbers: control points (count x q_count).
#include "motion/spline.h"

#include "base/error.h"
#include <arne/configuration.h>
#include <math.h>
#include <string.h>

static void spline_begin(const arne_trajectory *path, moment *m)
{
    m->first = arne_bspline_basis(path->basis, path->duration, m->t, ORDERS, m->values);
    if (m->t >= 0 && m->t <= path->duration) return;
    const int alive = arne_bspline_degree(path->basis) + 1; // at rest before and after
    memset(m->values + alive, 0, sizeof *m->values * (size_t)(alive * (ORDERS - 1)));
}

static void spline_coordinate(const arne_trajectory *path, const moment *m, int index, int q,
                              double out[ORDERS])
{
    const int     alive = arne_bspline_degree(path->basis) + 1;
    const double *c = path->numbers + (size_t)m->first * (size_t)path->q_count + q;
    (void)index;
    for (int k = 0; k < ORDERS; k++) {
        out[k] = 0;
        for (int i = 0; i < alive; i++)
            out[k] += m->values[k * alive + i] * c[(size_t)i * (size_t)path->q_count];
    }
}

static turning spline_rotation(const arne_trajectory *path, const moment *m, int index)
{
    const part *p = &path->parts[index];
    double      x[ORDERS][4], y[ORDERS];
    for (int c = 0; c < 4; c++) {
        spline_coordinate(path, m, index, p->q_start + part_quaternion(p) + c, y);
        for (int k = 0; k < ORDERS; k++)
            x[k][c] = y[k];
    }
    return turning_of(x);
}

static const way SPLINE = {spline_begin, spline_coordinate, spline_rotation};

arne_status spline_new(const arne_robot *robot, arne_bspline *basis, double T,
                       arne_trajectory **out, arne_error *error)
{
    const int         count = arne_bspline_count(basis), width = arne_robot_sizes(robot).q_count;
    const size_t      size = (size_t)count * (size_t)width;
    const arne_status status = trajectory_new(robot, &SPLINE, NULL, size, out, error);
    if (status) {
        arne_bspline_free(basis);
        return status;
    }
    (*out)->basis = basis;
    (*out)->duration = T;
    for (int i = 0; i < count; i++)
        arne_neutral(robot, spline_control(*out) + (size_t)i * (size_t)width);
    return ARNE_OK;
}

double *spline_control(arne_trajectory *path) { return path->numbers; }

void spline_align(const arne_trajectory *path, double *points, int count)
{
    const size_t width = (size_t)path->q_count;
    for (int i = 0; i < path->part_count; i++) {
        const part *p = &path->parts[i];
        if (part_quaternion(p) < 0) continue;
        double *h = points + p->q_start + part_quaternion(p);
        for (int k = 1; k < count; k++, h += width)
            if (h[0] * h[width] + h[1] * h[width + 1] + h[2] * h[width + 2] + h[3] * h[width + 3] <
                0)
                for (size_t c = 0; c < 4; c++)
                    h[width + c] = -h[width + c];
    }
}

// The shortest quaternion on the way, looked for at some places in every piece.
static double spline_shortest(const arne_trajectory *path, int q)
{
    enum { PLACES = 16 };
    const double *breaks = arne_bspline_breaks(path->basis);
    const int     pieces = arne_bspline_count(path->basis) - arne_bspline_degree(path->basis);
    double        least = INFINITY;
    for (int i = 0; i < pieces; i++)
        for (int k = 0; k <= PLACES; k++) {
            moment m = {.t = path->duration *
                             (breaks[i] + (breaks[i + 1] - breaks[i]) * k / PLACES)};
            double squares = 0, y[ORDERS];
            spline_begin(path, &m);
            for (int c = 0; c < 4; c++) {
                spline_coordinate(path, &m, 0, q + c, y);
                squares += y[0] * y[0];
            }
            least = fmin(least, sqrt(squares));
        }
    return least;
}

arne_status spline_check(const arne_trajectory *path, const arne_robot *robot, arne_error *error)
{
    for (int i = 0; i < path->part_count; i++) {
        const part *p = &path->parts[i];
        const int   at = part_quaternion(p);
        if (at >= 0 && !(spline_shortest(path, p->q_start + at) > 0.1))
            return arne_fail(error, ARNE_VALUE, NULL, 0,
                             "joint '%s' turns too far between points for a spline of degree %d",
                             arne_robot_joint(robot, p->joint).name,
                             arne_bspline_degree(path->basis));
    }
    return ARNE_OK;
}

arne_status arne_trajectory_bspline(const arne_robot *robot, const arne_bspline *basis, double T,
                                    const double *control, arne_trajectory **out, arne_error *error)
{
    arne_error_clear(error);
    if (!robot || !basis || !control || !out)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0,
                         "robot, basis, control or out is NULL");
    *out = NULL;
    const int width = arne_robot_sizes(robot).q_count, count = arne_bspline_count(basis);
    if (!(T > 0) || !isfinite(T))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "the final time %g is not positive", T);
    arne_bspline *copy;
    arne_status   status = arne_bspline_new(arne_bspline_degree(basis), count,
                                            arne_bspline_breaks(basis), &copy, error);
    for (int i = 0; i < count && !status; i++)
        status =
            trajectory_check_point(robot, control + (size_t)i * (size_t)width, "control", error);
    if (status) {
        arne_bspline_free(copy);
        return status;
    }
    arne_trajectory *path;
    status = spline_new(robot, copy, T, &path, error);
    if (status) return status;
    memcpy(path->numbers, control, sizeof *control * (size_t)count * (size_t)width);
    for (int i = 0; i < count; i++)
        arne_normalize(robot, path->numbers + (size_t)i * (size_t)width);
    spline_align(path, path->numbers, count);
    status = spline_check(path, robot, error);
    if (status)
        arne_trajectory_free(path);
    else
        *out = path;
    return status;
}
