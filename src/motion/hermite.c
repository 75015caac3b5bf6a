// Polynomials of degree 5 from row to row, through position, velocity and acceleration of each.
// numbers: times (count), then positions, velocities and accelerations (count x q_count each).
#include "motion/quintic.h"
#include "motion/trajectory.h"

#include "base/error.h"
#include <math.h>
#include <string.h>

static void hermite_begin(const arne_trajectory *path, moment *m)
{
    int low = 0, high = path->count - 1; // the rows around the time
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (path->numbers[middle] <= m->t)
            low = middle;
        else
            high = middle;
    }
    m->first = low;
}

static void hermite_coordinate(const arne_trajectory *path, const moment *m, int index, int q,
                               double out[ORDERS])
{
    const size_t  rows = (size_t)path->count, width = (size_t)path->q_count;
    const double *time = path->numbers + m->first;
    const double  h = time[1] - time[0];
    const double *at = path->numbers + rows + (size_t)m->first * width + (size_t)q;
    const double  t = fmin(fmax(m->t, 0), path->duration), u = (t - time[0]) / h;
    double        p[3], next[3], c[6];
    (void)index;
    for (size_t k = 0; k < 3; k++) {
        p[k] = at[k * rows * width];
        next[k] = at[k * rows * width + width];
    }
    quintic_join(p, next, h, c);
    for (int order = 0; order < ORDERS; order++) // at rest before and after
        out[order] = order && t != m->t ? 0 : quintic_at(c, h, order, u);
}

static const way HERMITE = {hermite_begin, hermite_coordinate, NULL};

static arne_status hermite_check(const arne_robot *robot, int count, const double *times,
                                 const double *const rows_of[3], arne_error *error)
{
    const arne_sizes size = arne_robot_sizes(robot);
    if (count < 2) return arne_fail(error, ARNE_VALUE, NULL, 0, "%d rows, 2 are needed", count);
    for (int i = 0; i < size.joint_count; i++)
        if (arne_joint_kind_facts(arne_robot_joint(robot, i).kind)->has_body_axes)
            return arne_fail(error, ARNE_UNSUPPORTED, arne_robot_joint(robot, i).name, 0,
                             "its velocities are no rates of its coordinates, so that rows with "
                             "rates cannot be joined; use a spline");
    for (int i = 0; i < count; i++)
        if (!(times[i] > (i ? times[i - 1] : -INFINITY)) || !isfinite(times[i]))
            return arne_fail(error, ARNE_VALUE, NULL, 0, "time %.9g of row %d does not rise",
                             times[i], i + 1);
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < (size_t)count * (size_t)size.q_count; i++)
            if (!isfinite(rows_of[k][i]))
                return arne_fail(error, ARNE_VALUE, NULL, 0,
                                 "row %d has a number that is not "
                                 "finite",
                                 (int)(i / (size_t)size.q_count) + 1);
    return ARNE_OK;
}

arne_status arne_trajectory_rates(const arne_robot *robot, int count, const double *times,
                                  const double *q, const double *qd, const double *qdd,
                                  arne_trajectory **out, arne_error *error)
{
    arne_error_clear(error);
    if (!robot || !times || !q || !qd || !qdd || !out)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0,
                         "robot, times, q, qd, qdd or out is NULL");
    const double *const rows_of[3] = {q, qd, qdd};
    *out = NULL;
    arne_status status = hermite_check(robot, count, times, rows_of, error);
    if (status) return status;
    const size_t     rows = (size_t)count, width = (size_t)arne_robot_sizes(robot).q_count;
    arne_trajectory *path;
    status = trajectory_new(robot, &HERMITE, NULL, rows + 3 * rows * width, &path, error);
    if (status) return status;
    path->count = count;
    for (size_t i = 0; i < rows; i++)
        path->numbers[i] = times[i] - times[0];
    for (size_t k = 0; k < 3; k++)
        memcpy(path->numbers + rows + k * rows * width, rows_of[k], rows * width * sizeof(double));
    path->duration = path->numbers[rows - 1];
    *out = path;
    return ARNE_OK;
}
